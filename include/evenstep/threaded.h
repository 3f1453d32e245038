/* SPDX-License-Identifier: Zlib
 *
 * threaded: the loop on two threads. Updates run on an update thread at the tick rate; the render
 * thread draws at its own rate and never waits for them.
 *
 *   static int start(void *user, void *state)             // on the update thread, once
 *   {
 *       world_start(state);
 *       return 0;
 *   }
 *
 *   static int update(void *user, const es_threaded_tick *tick) // there, too
 *   {
 *       world_update(tick->state, tick->previous, tick->step.dt_s);
 *       return 0;                                         // negative: both end, with that error
 *   }
 *
 *   static int draw(void *user, const es_threaded_frame *shown) // on the calling thread
 *   {
 *       if (shown->status != ES_THREADED_EMPTY) {         // EMPTY: start has not returned yet
 *           world_draw(shown->previous, shown->current, shown->frame.alpha);
 *       }
 *       return quit;                                      // positive: both end
 *   }
 *
 *   static es_threaded threaded;
 *   es_threaded_callbacks calls = {.start = start, .update = update, .draw = draw};
 *   es_threaded_config config = {.state_size = sizeof(world)};
 *   size_t size = es_threaded_memory_size(&config);
 *   void *memory = malloc(size);
 *   int result = es_threaded_init(&threaded, &config, memory, size, NULL);
 *   if (result == ES_OK) {
 *       result = es_threaded_run(&threaded, &calls, NULL);
 *   }
 *   free(memory);
 *
 * The render thread has the frames of a loop (loop.h): when each starts, when it is seen (D), and
 * which simulated instant it shows (C). After each frame it posts what C is and how fast it runs.
 * The update thread extends that line and runs each tick lead_ticks before a frame can need it. So
 * an update may take a whole period, or begin late by as much, and no frame changes. States cross
 * by an es_exchange; a frame finds its pair by the times of the ticks.
 *
 * Three ways to use it: es_threaded_run makes the update thread and calls back for both threads;
 * es_threaded_start makes it for a program that draws by es_threaded_begin, _ready, _submit and
 * _end; or the program runs the update side itself (es_threaded_tick_due).
 *
 * Where C and the ticks drift apart, one of them yields, and the frame's account says so:
 *
 *   condition                                          yields      reported as
 *   a pause, a speed, a frame that aims elsewhere      the ticks   nothing: they follow C
 *   a tick begins over 100 ms too late                 C           dropped_ns
 *   ticks cost more than their period, and are late    C           slow_motion_ns
 *   ticks went on without frames (a hidden window)     C           seeked_ns, and moved_ns
 *
 * The 100 ms are real time, or two periods if that is more. In the third row, late is half of that,
 * or eight late ticks in a row.
 *
 * It does not fit steps of varying length or several simulations.
 *
 * Defaults. Threads: each function is of the render side or the update side, and has one caller at
 * a time there. Allocation: none; the caller gives the memory, which must outlive the threads.
 * Errors: es_result; nothing changes on an error; ES_ERR_STATE: threaded is NULL, not initialised,
 * or the call is out of order; ES_ERR_INVALID: a NULL or a value out of range. Pointers must not be
 * NULL unless the function says so.
 */
#ifndef EVENSTEP_THREADED_H
#define EVENSTEP_THREADED_H

#include "evenstep/evenstep.h"
#include "evenstep/exchange.h"
#include "loop/loop_state.h" /* TRANSITION until threads.h */

/* es_threaded_config.delay_ticks: content is not behind at all. */
#define ES_THREADED_NO_DELAY (-1.0)

/* The update thread looks for what the render thread posts at least this often, or twice per tick
 * if that is more often, but at most every ES_THREADED_LOOK_LEAST_NS. */
#define ES_THREADED_LOOK_NS       ((int64_t)10000000)
#define ES_THREADED_LOOK_LEAST_NS ((int64_t)1000000)

/* {0} but for state_size is the default. */
typedef struct es_threaded_config {
    es_loop_config loop;  /* of the frames; both threads read its clock. In it must be 0: step,
                             catch_up, catch_up_max_ns, alpha_below_one, ticks_max, delay_ticks
                             and lead_ticks */
    double delay_ticks;   /* how far content is behind, in ticks: up to 8, or ES_THREADED_NO_DELAY;
                              0: 1. Input to screen depends on the lead, not on this */
    int32_t lead_ticks;   /* ticks begin this many before a frame can need them: 1 or 2; 0: 1 */
    int64_t ahead_max_ns; /* content may go this far past the newest tick, in simulated time, before
                              it stands: up to 1 s; 0: not at all */
    size_t state_size;    /* bytes of one state, at least 1 */
    es_exchange_kind kind; /* how states cross; 0: wait-free */
    es_lock lock;          /* for ES_EXCHANGE_LOCKED: both functions */
} es_threaded_config;

/* Where a frame's pair comes from. */
typedef enum es_threaded_status {
    ES_THREADED_INTERPOLATED = 0, /* the two ticks around C */
    ES_THREADED_HELD,             /* the tick after C has not run: content stands at the newest one,
                                     or ahead_max_ns past it */
    ES_THREADED_EXTRAPOLATED,     /* the tick after C has not run: frame.ahead_ns leads to C */
    ES_THREADED_GAP,              /* C's ticks are gone, or of another generation: one tick is shown
                                     as it is. moved_ns says whether C was moved */
    ES_THREADED_EMPTY             /* there is no state yet */
} es_threaded_status;

/* Everything needed to draw one frame. previous, current and view are valid until the next
 * es_threaded_ready. */
typedef struct es_threaded_frame {
    es_frame frame; /* as of a loop; the pair, alpha, newest tick and ahead_ns are of the ticks that
                       have run; ticks: how many have run since the frame before */
    es_threaded_status status;
    int64_t wanted_ns;    /* C if all ticks had run */
    int64_t moved_ns;     /* C was moved by this: to a seek, to the oldest tick there is, or (EMPTY)
                             back to its start. Signed; part of account.seeked_ns */
    const void *previous; /* the states of the pair; NULL while there are none */
    const void *current;
    const es_exchange_view *view; /* for splines: states[age] is current, and states[age + 1] is
                                     previous if that is another */
    int32_t age;
} es_threaded_frame;

/* One update to run. state and previous are valid until es_threaded_tick_end. */
typedef struct es_threaded_tick {
    es_step step;           /* in_frame is 0 */
    void *state;            /* to be written whole */
    const void *previous;   /* the state of the tick before */
    int64_t late_ns;        /* it begins this long after it was due; at least 0 */
    int64_t dropped_ns;     /* dropped by this tick; in the account of a later frame, less what a
                               pause or a seek takes away meanwhile */
    int64_t slow_motion_ns; /* withheld by this tick: ticks cost more than their period */
} es_threaded_tick;

/* What es_threaded_start and es_threaded_run call with the pointer user. Each returns 0 to go on, a
 * positive number to end both threads, a negative one to end both with that error. */
typedef struct es_threaded_callbacks {
    /* The update thread. start: writes the state of tick 0, first of all, where there is no state
     * yet; NULL if one was written before (es_threaded_tick_seek). update: runs one tick; required.
     * After a negative number the tick is not published, and the next start runs it again. */
    int (*start)(void *user, void *state);
    int (*update)(void *user, const es_threaded_tick *tick);
    /* The render thread, by es_threaded_run, in this order; all but draw may be NULL. */
    int (*input)(void *user);
    int (*draw)(void *user, const es_threaded_frame *frame); /* without presenting */
    int (*present)(void *user);
    int (*report)(void *user, const es_report *report);
} es_threaded_callbacks;

/* Of the render thread only, beside the loop. Private. */
typedef struct es_threaded_render {
    const es_exchange_view *view;
    int64_t posts;
    int64_t shown_ns;                   /* content of the last frame */
    int64_t dropped_ns, slow_motion_ns; /* of the update thread's totals, what C has yielded to */
    int64_t newest;                     /* tick */
    int64_t line_ns, line_content_ns;   /* the line: content at an instant */
    int64_t lines_ns[2], lines_content_ns[2]; /* the same of the two frames before */
    int32_t lines;
    int64_t ahead_max_ns;
    es_rate tick_rate; /* requested, or of the ticks shown */
    es_rate rate_asked;
    uint32_t rates_asked; /* how many times */
    uint32_t generation;  /* of the last frame; 0: none yet */
    bool waited;          /* for the first state */
    bool running;         /* there is an update thread */
    bool stop;            /* it is to end */
    bool fresh;           /* no frame yet since it was made */
} es_threaded_render;

/* Ticks of which the cost is remembered. */
enum { ES_THREADED_COSTS = 32 };

/* Of the update thread only. Private. */
typedef struct es_threaded_ticks {
    es_clock clock;
    es_ticker ticker;
    es_rate step_rate; /* of the tick under way */
    int64_t posts;
    int64_t dropped_ns, slow_motion_ns;  /* in total */
    int64_t begun_ns;                    /* the tick under way */
    int64_t costs_ns[ES_THREADED_COSTS]; /* of the last ticks: a ring */
    int64_t costs;                       /* in total */
    int64_t cost_ns;                     /* of a tick, by the last ones; 0: too few */
    int64_t behind;                      /* ticks in a row that began while a frame needed them */
    int status;                          /* what its callbacks ended with */
    uint32_t rates_taken;
    uint32_t generation; /* one per seek */
    bool begun;
    bool seeking; /* the call that has begun is a seek */
    bool published;
    bool ended; /* the thread */
} es_threaded_ticks;

/* All fields are private. It must not be copied or moved. */
typedef struct es_threaded {
    es_loop loop;
    es_threaded_render render;
    unsigned char before_shared[ES_EXCHANGE_LINE]; /* no cache line is written by two threads */
    es_exchange states;
    es_exchange from_render;
    es_exchange from_ticks;
    es_threaded_config config;
    es_threaded_callbacks callbacks;
    void *user;
    uint64_t handle[8]; /* the system's thread */
    int32_t lead_ticks;
    bool initialised;
    unsigned char before_ticks[ES_EXCHANGE_LINE];
    es_threaded_ticks ticks;
} es_threaded;

#ifdef __cplusplus
extern "C" {
#endif

/** Returns the bytes that both threads share, about 7000 and the states; 0 if a field is out of
 * range or the size does not fit size_t. */
ES_API size_t es_threaded_memory_size(const es_threaded_config *config);

/** Makes a threaded loop without a state. The first one comes from callbacks.start or
 * es_threaded_tick_seek.
 *
 * memory: at any address; memory_size: at least es_threaded_memory_size(config).
 * error: names the bad field or parameter; may be NULL.
 * Errors: ES_ERR_SPACE: memory_size is too small. ES_ERR_UNSUPPORTED: no clock was given, and the
 *   platform has none. After an error threaded cannot be used.
 */
ES_API es_result es_threaded_init(es_threaded *threaded, const es_threaded_config *config,
        void *memory, size_t memory_size, es_error *error);

/* --- the render side -------------------------------------------------------------------------- */

/** Runs both threads until one of them ends: ticks on their own thread, frames on the caller's.
 *
 * callbacks: copied; update and draw are required.
 * Returns: ES_OK when a callback returned a positive number, its number when negative; of two
 *   errors that of the frames.
 * Errors: as es_threaded_start.
 */
ES_API int es_threaded_run(
        es_threaded *threaded, const es_threaded_callbacks *callbacks, void *user);

/** Makes the update thread. The render thread draws by es_threaded_begin and so on; the update
 * side's functions belong to the update thread until es_threaded_join.
 *
 * callbacks: copied; those of frames are not called. start is required where there is no state.
 * Errors: ES_ERR_STATE, too: the thread runs already, or a tick or a seek is under way.
 *   ES_ERR_UNSUPPORTED: the platform has no threads, no more of them, or the clock cannot wait.
 */
ES_API es_result es_threaded_start(
        es_threaded *threaded, const es_threaded_callbacks *callbacks, void *user);

/** Ends the update thread and waits for it: until its callback has returned, at most
 * ES_THREADED_LOOK_NS in a wait. Frames may go on after it. Not from a callback.
 *
 * Returns: the negative number that a callback ended it with; else ES_OK. ES_ERR_STATE: it was not
 *   started, or it was joined.
 */
ES_API int es_threaded_join(es_threaded *threaded);

/** Opens a frame, as es_loop_begin. Poll what only drawing needs after it.
 *
 * Errors: where a callback has ended the update thread, which was not joined: its negative number,
 *   or ES_ERR_STATE if that was positive. Otherwise as es_loop_begin.
 */
ES_API es_result es_threaded_begin(es_threaded *threaded);

/** Waits until the frame starts, fills frame (which may be NULL), and posts its C. It never waits
 * for the update thread. */
ES_API es_result es_threaded_ready(es_threaded *threaded, es_threaded_frame *frame);

/** Says that drawing is done, as es_loop_submit. */
ES_API es_result es_threaded_submit(es_threaded *threaded);

/** Closes the frame, as es_loop_end. */
ES_API es_result es_threaded_end(es_threaded *threaded);

/** Reports when a frame was seen, as es_loop_presented. */
ES_API es_result es_threaded_presented(es_threaded *threaded, const es_present *sample);

/** Returns the report of the last frame, valid until the next es_threaded_end; NULL before the
 * first. Its update_work_ns is of the plan only. */
ES_API const es_report *es_threaded_report(const es_threaded *threaded);

/** Returns what is known of the display, as es_loop_display. */
ES_API es_display es_threaded_display(const es_threaded *threaded);

/** Stops or resumes content time at the instant shown; a tick that has begun is finished. Where
 * frames are much slower than ticks, the first frame after a pause may say ES_THREADED_GAP. */
ES_API void es_threaded_pause(es_threaded *threaded, bool paused);

/** Returns whether content time is stopped. */
ES_API bool es_threaded_is_paused(const es_threaded *threaded);

/** While paused: the next frame shows the next tick (alpha 1). If that has not run, the frame is
 * held and a later one shows it. Errors as es_loop_step_once. */
ES_API es_result es_threaded_step_once(es_threaded *threaded);

/** Sets how fast content time runs, as es_loop_set_time_scale. */
ES_API es_result es_threaded_set_time_scale(es_threaded *threaded, es_ratio scale);

/** Requests another tick rate, not {0, 0}. It takes effect between two ticks; a newer request
 * replaces it. The next tick comes one new period after the newest. */
ES_API es_result es_threaded_ask_tick_rate(es_threaded *threaded, es_rate rate);

/** Returns the tick rate last requested, or of the ticks shown if that has changed since; {0, 0}
 * for NULL. */
ES_API es_rate es_threaded_tick_rate(const es_threaded *threaded);

/** Changes the configuration between frames, as es_loop_reconfigure. Another tick rate is
 * requested, as by es_threaded_ask_tick_rate. The clock stays.
 *
 * config: as for es_threaded_init; lead_ticks, state_size and kind must be what they were.
 * error: names the bad field, or one that cannot change; may be NULL.
 */
ES_API es_result es_threaded_reconfigure(
        es_threaded *threaded, const es_threaded_config *config, es_error *error);

/* --- the update side, for programs that run it themselves; it never waits --------------------- */

/** Returns when the next tick is to begin, on the clock; in the past if it is due. INT64_MAX: the
 * game is paused, no frame was drawn for gap_ns, or there is no state. Query it again after
 * ES_THREADED_LOOK_NS. */
ES_API int64_t es_threaded_tick_due(es_threaded *threaded);

/** Begins the next tick if it is due. Returns true: run this step, then call es_threaded_tick_end.
 * False: none is due, one is under way, or there is no state. */
ES_API bool es_threaded_tick_begin(es_threaded *threaded, es_threaded_tick *tick);

/** Publishes the state that was written, after es_threaded_tick_begin or _seek. */
ES_API es_result es_threaded_tick_end(es_threaded *threaded);

/** Seeks to a tick, earlier or later; also gives the first state, of tick 0. Write the state, then
 * call es_threaded_tick_end. The next frame shows this tick as it is (ES_THREADED_GAP, but for the
 * first state), and ticks follow from it.
 *
 * state: receives where to write the state.
 * Errors: ES_ERR_RANGE: as es_loop_seek.
 */
ES_API es_result es_threaded_tick_seek(es_threaded *threaded, int64_t tick, void **state);

#ifdef __cplusplus
}
#endif

#endif
