/* SPDX-License-Identifier: Zlib
 *
 * The memory of a loop, and of its parts.
 */
#ifndef ES_LOOP_STATE_H
#define ES_LOOP_STATE_H

#include "base/common.h"
#include "base/gap.h"
#include "display/state.h"

#define ES__TICKS_MAX 1000000 /* the largest ticks_max */
#define ES__LEAD_MAX  4       /* the largest lead_ticks; the smallest is -1 */

/* Which time is D (the expected screen time) where the display cannot be predicted. */
typedef enum es__aim {
    ES_AIM_START = 0, /* the start of drawing: the planned one, or now where that has passed */
    ES_AIM_BEGIN /* the begin of the frame: after a present that blocks, the steadiest reading */
} es__aim;

/* How many tick times are kept: a power of two, enough for the pair behind the longest lead. */
#define ES_TICKER_TIMES 8

/* The ticks (ticker.h). */
typedef struct es__ticker {
    int64_t index;          /* the newest tick */
    int64_t time_ns;        /* t(index) */
    int64_t previous_index; /* the tick before it; equal to index when there is none yet */
    int64_t previous_ns;    /* t(previous_index) */
    es_rate rate;           /* ticks per second */
    int32_t ticks;          /* run since es__ticker_open */
    int32_t ticks_max;      /* the bound per frame ... */
    int32_t ticks_most;     /* ... and that of the open one */
    int64_t base_index;     /* n0 */
    int64_t base_ns;        /* t(n0) */
    int64_t whole_ns;       /* whole nanoseconds of the period */
    uint32_t rest;          /* the period's rest, in 1/numerator ns */
    uint32_t carried;       /* the rest that t(index) has lost by rounding down */
    bool accumulator;       /* the accumulator's bracket: alpha in [0, 1) */
    int32_t delay_ticks;    /* accumulator: a delay of this many whole ticks */
    int64_t delay_ns;       /* accumulator: that delay as the content clock subtracts it */
    double period_s;        /* the period for the simulation's arithmetic */
    int64_t times_ns[ES_TICKER_TIMES]; /* t(n) at n modulo their number, up to the newest tick */
    int64_t first_index;               /* there is none before it: 0, or the target of a seek */
    int32_t lead; /* ticks beyond the bracket, -1 to ES__LEAD_MAX. After a smaller one no ticks run
                     until it fits; the pair stays */
    int32_t pair_back;                 /* the pair's newer tick, counted back from the newest */
} es__ticker;

/* The pacer's configuration; the loop fills in its defaults. */
typedef struct es__pacer_config {
    es_pace pace;
    es__aim aim;
    int64_t interval_ns;     /* the starting interval; 1 to interval_max_ns. Uncapped: expected, 0:
                                not known */
    int64_t interval_min_ns; /* adaptive: the floor; 1 to interval_ns */
    int64_t interval_max_ns; /* adaptive: the ceiling, but for es__pacer_set_load. Longer work is a
                                stall: it changes no interval */
    int64_t window_ns;       /* spare time must last this long before the interval shrinks: it
                                follows the tick period */
} es__pacer_config;

/* The plan of a frame (pacer.h). */
typedef struct es__pacer {
    es__pacer_config config;
    int64_t start_ns; /* the open plan */
    int64_t present_ns;
    bool host;
    bool started;
    int64_t last_start_ns;
    int64_t interval_ns; /* rule A1 from here on */
    int32_t stalls;      /* frames in a row whose work was mostly waiting */
    bool stalled;        /* this frame's was */
    int64_t window_elapsed_ns;
    int32_t window_frames;
    bool window_full;
    int64_t work_max_ns;       /* of the window that is being filled */
    int64_t work_max_last_ns;  /* of the full window before it */
    int64_t floor_max_ns;      /* as work_max_ns, of the work at the floor */
    int64_t floor_max_last_ns; /* as work_max_last_ns, of the work at the floor */
    int64_t load_ns;           /* interval that a lasting load needs; 0: none */
} es__pacer;

/* The content clock's configuration; the loop fills in its defaults. */
typedef struct es__content_config {
    int64_t delay_ns;     /* how far C stays behind D; at least 0 */
    int64_t frame_max_ns; /* policy wait: a frame counts as no longer than this; 0: no limit */
    bool spreads_debt;    /* policy spread: debt is made up at 1/4 of the time that passes, or less
                             where the machine cannot; else all of it by the next frame */
    bool slows;           /* policy slow; false: slow motion ends */
} es__content_config;

/* The content clock (content.h):
 * content = anchor_content + scale * slow * (present - anchor_present - excluded) */
typedef struct es__content {
    es__content_config config;
    bool started;
    int64_t last_present_ns; /* the latest D so far: a host's may step back */
    int64_t last_content_ns;
    int64_t anchor_present_ns;
    int64_t anchor_content_ns;
    int64_t anchor_slowed_ns;
    int64_t anchor_slow_motion_ns;
    es__ratio scale;
    es__ratio slow;                /* policy slow: the speed; 1/1 at full speed */
    uint32_t slow_next;           /* after a frame that ran short, in 1/65536 */
    uint32_t slow_max;            /* the speed that the machine can sustain, in 1/65536 */
    uint32_t catch_up_share;      /* policy spread: how fast debt is made up, in 1/65536 */
    uint32_t catch_up_share_next; /* from the next frame on: ticks have run for this one */
    int32_t skipped;              /* frames since last_present_ns whose D was before it */
    int64_t since_short_ns;       /* since ticks last did not fit */
    bool paused;
    bool ran_short; /* this frame, under policy slow */
    bool resync;    /* the time since the last frame counts as at most resync_ns */
    int64_t resync_ns;
    bool reanchors; /* ... as exactly that; the rest is a lasting offset to the screen */
    bool counted; /* the time since the last frame counts as counted_ns, whatever it was */
    int64_t counted_ns;
    int64_t debt_ns;       /* from the frames before */
    int64_t frame_debt_ns; /* of this frame */
    int64_t dropped_ns;    /* in total */
    int64_t seeked_ns;     /* in total */
    int64_t reanchored_ns; /* in total */
} es__content;

/* First form: frames that took longer than they simulated. */
typedef struct es__spiral {
    int64_t ticks;   /* of the frame before, if it did; else 0 ... */
    int64_t work_ns; /* ... and its work */
    int32_t most;    /* ticks of the next frame; 0: no limit */
} es__spiral;

/* Misuse and obstacles, the gravest first (loop_problem.c). */
typedef enum es__problem {
    ES__PROBLEM_THREADS,
    ES__PROBLEM_NO_WAIT,
    ES__PROBLEM_TICK_RATE,
    ES__PROBLEM_NEXT_TWICE,
    ES__PROBLEM_NO_SUBMIT,
    ES__PROBLEM_NO_END,
    ES__PROBLEM_EARLY_END,
    ES__PROBLEM_EARLY_PRESENT,
    ES__PROBLEM_FREE,
    ES__PROBLEM_FAST,
    ES__PROBLEM_TOO_FAST,
    ES__PROBLEM_SLOW,
    ES__PROBLEM_CAP,
    ES__PROBLEM_UNKNOWN,
    ES__PROBLEMS
} es__problem;

typedef struct es__problems {
    int64_t since_ns; /* of this second ... */
    int32_t frames;   /* ... its frames ... */
    int32_t presents; /* ... and those of them that were presented */
    int32_t counts[ES__PROBLEMS];
    double numbers[ES__PROBLEMS][2]; /* of the texts */
    int64_t work_ns;     /* of the newest frame ... */
    int64_t outside_ns;  /* ... and before it, since es_loop_end */
    bool alone;          /* meanwhile no other loop of the thread began a frame */
    bool unsubmitted;    /* the newest frame was not submitted */
    int64_t returned_ns; /* the newest present has ... */
    int32_t refreshes;   /* ... so many announced refreshes after the one before */
    int32_t even;        /* frames in a row that are too slow for no reason */
    int32_t unknown;     /* seconds in a row without a known display */
    int64_t until_ns;    /* text is reported until then */
    char text[160];
} es__problems;

/* Where a frame stands. */
typedef enum es__loop_phase {
    ES_LOOP_CLOSED = 0, /* between frames */
    ES_LOOP_TICKING,    /* after begin: ticks run */
    ES_LOOP_PLANNED,    /* es_loop_tick has returned false: S, D and C are final */
    ES_LOOP_DRAWING,    /* after ready, or next: then the ticks run in this phase */
    ES_LOOP_SUBMITTED   /* after submit: presenting */
} es__loop_phase;

/* What a loop calls where its ticks run on another thread (src/threads). */
typedef struct es__loop_hooks {
    void (*before)(void *user);             /* a frame is going to be planned */
    void (*planned)(void *user);            /* its plan is final, and drawing begins */
    void (*speed)(void *user, bool paused); /* true: a pause began or ended; false: another speed */
    void (*rate)(void *user, es_rate rate); /* another tick rate is requested */
    void (*destroyed)(void *user);
} es__loop_hooks;

/* The loop. */
struct es_loop {
    es_loop_config config; /* as given, and changed since */
    es_clock clock;
    es__gap_filter gap;
    es__ticker ticker;
    es__pacer pacer;
    es__content content;
    es__display display;
    es__display_plan display_plan;
    es_report report; /* of the open frame */
    es_report last;   /* of the frame that ended last */
    es__loop_phase phase;
    es_step_kind step;
    es_catch_up catch_up;
    const es__loop_hooks *hooks; /* NULL: the loop's own ticks are the program's */
    void *hooks_user;
    bool initialised;
    bool allocated;     /* by es_loop_create */
    bool visible;       /* es_loop_set_visible, as in force ... */
    bool visible_next;  /* ... and from the next frame on */
    bool display_lost;  /* frames flipped unseen, in a gap */
    bool ended;         /* the program called es_loop_end for the last frame ... */
    int64_t ended_ns;   /* ... which returned then */
    bool drew_idle;     /* this frame's drawing has waited for most of the frame */
    const void *thread; /* that called es_loop_begin or es_loop_next last */
    es__problems problems;
    bool started;       /* the gap filter is */
    bool host;          /* the frame is a host's */
    bool planned_first; /* the frame is es_loop_next's: its ticks run after the plan is final ... */
    bool waited;        /* ... and es_loop_wait was called after them ... */
    bool waits;         /* ... as in the frame before */
    bool acquired;      /* es_loop_acquired was called in this frame */
    bool last_valid;    /* a frame has ended */
    bool series_started; /* for the gap that waits to be reported */
    bool follows;        /* display timing: the pace is auto, the aim start */
    bool frame_follows;  /* follows, as the frame began, and the frame is no host's */
    bool paused;         /* requested; in force when no ticks are running */
    bool scale_changed;  /* scale is requested and not yet in force */
    es__ratio scale;
    int32_t single_steps;    /* requested while paused */
    bool stepped;            /* this frame makes a single step */
    bool interval_max_auto;  /* interval_max_ns follows the interval */
    bool ticks_max_auto;     /* the bound on ticks follows the tick rate */
    bool catch_up_max_auto;  /* catch_up_max_ns follows interval_max_ns and the tick rate */
    int64_t catch_up_max_ns; /* debt that a frame may have */
    int64_t ticks_time_ns;   /* frames whose ticks cost more than they simulate take this long */
    int64_t step_min_ns;     /* variable steps */
    int64_t step_max_ns;
    int64_t step_absurd_ns;
    int64_t gap_ns; /* threshold of the gap filter */
    double delay_ticks;
    double speed_change;     /* of this frame, by ticks that match refreshes */
    double match_rest;       /* refreshes that content has not followed yet, within 3/4 ... */
    double match_rest_after; /* ... and after this frame */
    bool waits_if_free;      /* pace auto, aim begin: frames wait where presents do not block */
    bool is_free;            /* presents do not block, as presents proves */
    es__present_free presents;
    int64_t free_interval_ns; /* between frames while is_free */
    es__cap cap;               /* presents pace, or nothing does: interval_ns as a frame cap */
    double lockstep_span_ns;  /* lockstep: mean distance of frames ... */
    int32_t lockstep_spans;   /* ... of up to 64 */
    int64_t look_again_ns;    /* until then; after that, presents are checked again */
    int64_t begin_ns;         /* es_loop_begin returned */
    int64_t work_begin_ns;    /* the frame's work began */
    int64_t draw_begin_ns;    /* es_loop_wait or es_loop_next returned, later by waits since */
    int64_t called_ns;        /* the last call of the frame returned: next, wait, ready, acquired */
    int64_t submitted_ns;     /* es_loop_submit returned */
    int64_t frame_work_ns;    /* first form: next to submit, of the frame before */
    int64_t render_work_ns;   /* drawing, of the frame before */
    int64_t render_before_ns; /* of the frame before that */
    int64_t tick_cost_ns;     /* by which a tick makes a frame's work longer: paces and policies */
    int64_t tick_before_ns;   /* of the frame with ticks before that */
    es__work_cost works;       /* first form without es_loop_wait: of frames */
    es__work_cost tick_works;  /* first form with es_loop_wait: of their ticks */
    es__spiral spiral;
    int64_t load_ns;          /* slow, wait: the interval that a lasting load needs; 0: none */
    int64_t load_seen_ns;     /* when a frame last needed as much */
    int64_t load_since_ns;    /* the most that a frame has needed since then */
    int64_t floor_ticks;      /* most ticks of a frame at the shortest interval */
    int64_t first_tick_ns;    /* newest tick's time when the frame began */
    int64_t before_ticks_ns;  /* the same under every policy */
    int64_t span_ns;          /* between the last two starts */
    int64_t stretched_ns;     /* in total */
    int64_t dropped_before_ns; /* totals before this frame */
    int64_t slow_motion_before_ns;
    int64_t stretched_before_ns;
    int64_t leapt_before_ns;  /* of the clock's leaps that the display found */
    int64_t cpu_before_ns;    /* the thread's CPU time when the frame before began */
    bool cpu_known;           /* it was read when this frame began ... */
    bool cpu_before_known;    /* ... and the one before */
    int64_t removed_first_ns; /* removed before the first frame: not in the account */
};

#endif
