/* SPDX-License-Identifier: Zlib
 *
 * The two sides of es_threads, and what they post to each other, beside the states. Each kind of
 * post has a wait-free exchange of its own: the reader has the newest one whole, or none.
 *
 * threads.c (start, stop, the thread, the public calls), threads_line.c (the line of content time),
 * threads_view.c (the render side), threads_ticks.c (the update side).
 */
#ifndef ES_THREADS_H
#define ES_THREADS_H

#include "evenstep/threads.h"

#include "base/common.h"
#include "exchange.h"
#include "loop/loop_state.h"

/* The update thread looks for what the render thread posts at least this often, or twice per tick
 * if that is more often, but at most every ES__LOOK_LEAST_NS. */
#define ES__LOOK_NS       (10 * ES_NS_PER_MS)
#define ES__LOOK_LEAST_NS ES_NS_PER_MS

/* Ticks of which the cost is remembered. */
enum { ES__THREADS_COSTS = 32 };

/* The render thread's post: the line of content time. At instant_ns content was content_ns. */
typedef struct es__render_post {
    int64_t instant_ns;     /* on the clock */
    int64_t suspended_ns;   /* how long the machine had slept by then; 0: not known */
    int64_t content_ns;     /* without the limits of es__content_at: negative before the start */
    int64_t dropped_ns;     /* content has yielded to this much of what the update thread dropped */
    int64_t slow_motion_ns; /* and to this much of what it withholds */
    int64_t span_max_ns;    /* the line ends this long after instant_ns; INT64_MAX: never */
    int64_t present_ns;     /* on the clock: when content_ns is seen */
    int64_t delay_ns;       /* of content */
    es__ratio scale;        /* with slow motion; 0/1 while paused, and before the start */
    es__ratio user_scale;   /* without slow motion */
    es_rate rate;           /* the last one requested */
    uint32_t rates;         /* how many were requested */
    uint32_t calls;         /* how many es_threads_call has posted */
    es_threads_function *call; /* the last one */
    void *call_user;
    uint32_t generation; /* the ticks of this content have it */
    bool stop;           /* the update thread is to end */
} es__render_post;

/* The update thread's post, about its ticks. */
typedef struct es__ticks_post {
    int64_t dropped_ns;     /* in total */
    int64_t slow_motion_ns; /* in total: withheld because ticks cost more than their period */
    int64_t cost_ns;        /* of a tick, the mean; 0: unknown */
    int64_t cost_most_ns;   /* the dearest of the last ticks cost this */
    int64_t base_index;     /* ticks are counted from this one, at this rate */
    int64_t base_ns;
    es_rate rate;
    uint32_t generation; /* of the newest tick; posted before its state */
    uint32_t calls;      /* that have returned */
    bool counts_sleep;   /* the clock goes on while the machine sleeps */
} es__ticks_post;

/* Where a frame's pair comes from. */
typedef enum es__view_status {
    ES__VIEW_INTERPOLATED = 0, /* the two ticks around C */
    ES__VIEW_HELD,             /* the tick after C has not run: content stands at the newest one, or
                                   ahead_max_ns past it */
    ES__VIEW_EXTRAPOLATED,     /* the tick after C has not run: es_frame.ahead_ns leads to C */
    ES__VIEW_GAP /* C's ticks are gone, or of another generation: one tick is shown as it is.
                     moved_ns and reanchored_ns say whether C was moved */
} es__view_status;

/* What a frame shows. */
typedef struct es__shown {
    es__view_status status;
    int64_t wanted_ns;      /* C if all ticks had run */
    int64_t shown_ns;       /* C */
    int64_t moved_ns;       /* C was moved to a seek by this; signed */
    int64_t reanchored_ns;  /* C was moved to where the ticks are by this; signed */
    int64_t dropped_ns;     /* C yields to the update thread: dropped */
    int64_t slow_motion_ns; /* or withheld */
    int32_t age;            /* of the pair's newer tick, in the view */
} es__shown;

/* Of the render thread only, beside the loop. */
typedef struct es__threads_render {
    const es__exchange_view *view;
    es__shown shown;      /* by the last frame */
    es__render_post post; /* the last one, or the next */
    int64_t posts;
    int64_t shown_ns;     /* content of the last frame */
    int64_t suspended_ns; /* how long the machine had slept when the frame began */
    int64_t lines_ns[2], lines_content_ns[2]; /* the line of the two frames before */
    int32_t lines;
    bool running; /* there is an update thread */
    bool fresh;   /* no frame yet since es_threads_start */
} es__threads_render;

/* One update to run. state and previous are valid until es__tick_end. */
typedef struct es__tick {
    es_step step;
    void *state;            /* to be written whole */
    const void *previous;   /* the state of the tick before */
    int64_t late_ns;        /* it begins this long after it was due; at least 0 */
    int64_t dropped_ns;     /* dropped by this tick; in the account of a later frame, less what a
                               pause or a seek takes away meanwhile */
    int64_t slow_motion_ns; /* withheld by this tick: ticks cost more than their period */
} es__tick;

/* Of the update thread only. */
typedef struct es__threads_ticks {
    es_clock clock;
    es__ticker ticker;
    es_rate step_rate; /* of the tick under way */
    int64_t posts;
    int64_t dropped_ns, slow_motion_ns;  /* in total */
    int64_t looked_ns, suspended_ns;     /* the last readings of the clock */
    int64_t begun_ns;                    /* the tick under way */
    int64_t costs_ns[ES__THREADS_COSTS]; /* of the last ticks: a ring */
    int64_t costs;                       /* in total */
    int64_t cost_ns;                     /* mean of the last ones; 0: too few */
    int64_t behind;                      /* ticks in a row that began while a frame needed them */
    uint32_t rates_taken;
    uint32_t calls_taken;
    uint32_t generation; /* one per seek, from 1 */
    bool begun;
    bool seeking;      /* the tick that has begun is a seek */
    bool counts_sleep; /* the clock went on in the last sleep of the machine */
} es__threads_ticks;

/* It is followed by the memory of the exchanges. */
struct es_threads {
    es_loop *loop; /* NULL: it was destroyed */
    es__threads_render render;
    unsigned char before_shared[ES_EXCHANGE_LINE]; /* no cache line is written by two threads */
    es__exchange states;
    es__exchange from_render;
    es__exchange from_ticks;
    es_threads_config config;
    uint64_t handle[8]; /* the system's thread */
    int32_t lead_ticks;
    unsigned char before_ticks[ES_EXCHANGE_LINE];
    es__threads_ticks ticks;
};

/* Whether generation a is b or follows it. They are counted modulo 2^32. */
static inline bool es__generation_reached(uint32_t a, uint32_t b)
{
    return (uint32_t)(a - b) < UINT32_C(0x80000000);
}

extern const es__loop_hooks es__threads_hooks;
void es__threads_before(void *user);
void es__threads_planned(void *user);
void es__threads_speed(void *user, bool paused);
void es__threads_rate(void *user, es_rate rate);

/* --- the line --------------------------------------------------------------------------------- */

/* The line without what the update thread has dropped or withheld since, by its totals, and without
 * the time that the machine slept since, by this reading. 0: the clock does not count it. */
es__render_post es__line_after(const es__render_post *post, int64_t dropped_ns,
        int64_t slow_motion_ns, int64_t suspended_ns);

/* Content at an instant of the clock. */
int64_t es__line_content_ns(const es__render_post *line, int64_t now_ns);

/* --- the render side -------------------------------------------------------------------------- */

void es__post_content(es_threads *threads);

/* A new line, from the last frame's content at this instant. */
void es__restart_line(es_threads *threads, int64_t instant_ns);

/* The line of the frame that starts at this instant. anew: frames before it do not count. */
void es__draw_line(es_threads *threads, int64_t instant_ns, bool anew);

/* --- the update side -------------------------------------------------------------------------- */

void es__post_ticks(es_threads *threads);

/* When the next tick is to begin; in the past if it is due. INT64_MIN: at once. INT64_MAX: the game
 * is paused, or the line has ended. It also takes a requested tick rate, and a call. */
int64_t es__tick_due(es_threads *threads);

/* Until when the update thread may wait for that. */
int64_t es__tick_look(const es_threads *threads, int64_t now_ns, int64_t due_ns);

/* False: none is due, or one is under way. */
bool es__tick_begin(es_threads *threads, es__tick *tick);

/* Publishes the state that was written, after es__tick_begin or es__tick_seek. */
es_result es__tick_end(es_threads *threads);

/* Goes to another tick, whose state is to be written. ES_ERR_RANGE: it cannot be. */
es_result es__tick_seek(es_threads *threads, int64_t tick, void **state);

/* --- posts ------------------------------------------------------------------------------------ */

void es__post(es__exchange *exchange, int64_t *posts, const void *value, size_t size);

/* The newest value posted, or NULL. */
static inline const void *es__newest_post(es__exchange *exchange)
{
    return es__exchange_acquire(exchange)->states[0];
}

#endif
