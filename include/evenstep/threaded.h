/* SPDX-License-Identifier: Zlib
 *
 * threaded: updates on one thread at the tick rate, rendering on another at its own. The second
 * roof, beside loop.
 *
 *   static int start(void *user, void *state)             // on the thread of the ticks, once
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
 *   static int draw(void *user, const es_threaded_frame *shown) // on yours
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
 * The RENDER HALF is a loop (loop.h) of which only the frames are left: it says when each starts,
 * when it is seen (D) and which simulated instant it shows (C). With each frame it tells the other
 * half what C is and how fast it runs. The TICK HALF carries that line on and runs each tick one
 * tick (lead_ticks) before a frame can ask for it; so an update may take a whole period, or begin
 * late by as much, and no picture changes. States cross by an es_exchange; a frame finds its pair
 * among the ticks there are by the ticks' own times, never by when they were computed.
 *
 * Neither half ever waits for the other. Each call is of one half, and is made by one thread; where
 * both halves are stepped by the same thread, in whatever order, all is the same.
 *
 * Three ways in: es_threaded_run, which makes the thread of the ticks and has callbacks for both
 * sides; es_threaded_start, which makes it for a program that draws as it likes (es_threaded_begin,
 * _ready, _submit, _end); the calls of both halves by hand. Then the tick half is:
 *
 *   es_threaded_tick_seek(&threaded, 0, &state);
 *   world_start(state);
 *   es_threaded_tick_end(&threaded);
 *   while (!quit) {
 *       int64_t look_ns = now_ns() + ES_THREADED_LOOK_NS; // it may be due sooner than it was said
 *       int64_t due_ns = es_threaded_tick_due(&threaded);
 *       wait_until(due_ns < look_ns ? due_ns : look_ns);
 *       if (es_threaded_tick_begin(&threaded, &tick)) {
 *           world_update(tick.state, tick.previous, tick.step.dt_s);
 *           es_threaded_tick_end(&threaded);
 *       }
 *   }
 *
 * Who has the last word about time: the render half, on what C is; but where a tick has kept the
 * others back by more than catch_up_max_ns the tick half drops time and C gives way; where ticks cost
 * more than they are worth, C is withheld and goes on in slow motion, as fast as they can follow;
 * and where ticks have gone on without the renderer (a hidden window) C is moved up to them. All is
 * told in the frame's account, to the nanosecond.
 *
 * Not for: steps of varying length, several simulations.
 */
#ifndef EVENSTEP_THREADED_H
#define EVENSTEP_THREADED_H

#include "evenstep/clock.h"
#include "evenstep/exchange.h"
#include "evenstep/frame.h"
#include "evenstep/loop.h"

/* es_threaded_config.delay_ticks: the picture is not behind at all. */
#define ES_THREADED_NO_DELAY (-1.0)

/* The thread of the ticks looks at least so often, or twice per tick if that is more often, but at
 * most every ES_THREADED_LOOK_LEAST_NS, for what the render half asks: to stop, to go on. */
#define ES_THREADED_LOOK_NS       ((int64_t)10000000)
#define ES_THREADED_LOOK_LEAST_NS ((int64_t)1000000)

/* Where the thread of the ticks comes from: an engine's own jobs. {0}: the system makes one. */
typedef struct es_threaded_thread {
    void *user; /* handed to both */
    /* Arranges that run(argument) is called, once, on a thread that it may keep, sleeping on it at
     * times, until it returns. False: there is no thread, and it will not be called. */
    bool (*start)(void *user, void (*run)(void *argument), void *argument);
    void (*join)(void *user); /* returns when run has; what it wrote is then seen by who calls */
} es_threaded_thread;

/* {0} but for state_size is the default. Copied by es_threaded_init. */
typedef struct es_threaded_config {
    es_loop_config loop;     /* of the render half. Its clock is asked by both threads. Steps are
                              fixed; what the other fields here say, and what happens when ticks
                              cannot follow, must be left 0 in it */
    double delay_ticks;      /* how far the picture stays behind, in ticks; 0: 1. Up to 8, or
                              ES_THREADED_NO_DELAY. The input's way to the screen is the lead's, and
                              does not depend on it */
    int32_t lead_ticks;      /* how many ticks before it is asked for a tick begins; 0: 1. 1 or 2 */
    int32_t ticks;           /* handed over together (es_exchange_config); 0: 4. At least the lead
                              and 2; then a frame that begins late finds its pair gone */
    int64_t catch_up_max_ns; /* where a picture has waited for its ticks for longer than this, in real
                              time, what is beyond is dropped; from half of it on, or after eight
                              ticks in a row, content slows if ticks cost more than they are
                              worth. 0: 100 ms, or two periods if that is more. Up to 1 h */
    int64_t ahead_max_ns; /* a picture may be so far past the newest tick, in simulated time, before
                              it stands; 0 (default): not at all. Up to 1 s */
    size_t state_size;    /* as in es_exchange_config, and so are these: */
    es_exchange_kind kind;
    es_lock lock;
    es_threaded_thread thread; /* for es_threaded_start and _run; {0}: the system's */
} es_threaded_config;

/* Where a frame's picture comes from. */
typedef enum es_threaded_status {
    ES_THREADED_INTERPOLATED = 0, /* between the two ticks around C */
    ES_THREADED_HELD,             /* the tick after C is not there yet: the picture stands at the
                                     newest one, or ahead_max_ns past it */
    ES_THREADED_EXTRAPOLATED,     /* the same, and frame.ahead_ns leads to C */
    ES_THREADED_GAP,              /* C's ticks are gone, or of another generation: one tick is shown
                                     as it is. moved_ns says whether C was moved */
    ES_THREADED_EMPTY             /* there is no state yet */
} es_threaded_status;

/* Everything needed to draw one frame. */
typedef struct es_threaded_frame {
    es_frame frame; /* as of a loop; content_ns is what the picture shows, and the pair, alpha,
                              newest tick and ahead_ns are of the ticks that are there; ticks: how
                              many more those are than at the frame before */
    es_threaded_status status;
    int64_t wanted_ns;    /* C: what it would show were all ticks there */
    int64_t moved_ns;     /* by how much C was moved by this frame: to a tick that was sought, up
                              to the oldest there is, or (EMPTY) back to its start; signed; part of
                              account.seeked_ns */
    const void *previous; /* the states of the pair; NULL while there are none. Good until the next
                              es_threaded_ready ... */
    const void *current;
    const es_exchange_view *view; /* ... and so is this, for splines: states[age] is current,
                                     states[age + 1] previous (if it is another) */
    int32_t age;
} es_threaded_frame;

/* One update that is to be run. */
typedef struct es_threaded_tick {
    es_step step;         /* in_frame is 0 */
    void *state;          /* to be written whole (es_exchange_begin) ... */
    const void *previous; /* ... from the tick before; both good until es_threaded_tick_end */
    int64_t late_ns;      /* it begins this much after it was due, on the clock; at least 0 */
    int64_t dropped_ns; /* given up by this tick, because it was catch_up_max_ns late; a frame to come
                             has it in its account, or less, where time has been made to stand or
                             to leap meanwhile */
    int64_t slow_motion_ns; /* the same, withheld: ticks cost more than they are worth, and content goes
                             on in slow motion */
} es_threaded_tick;

/* What es_threaded_start and es_threaded_run call. Every callback returns 0 to go on, a positive
 * number to stop both sides, a negative one to stop both with that error. update is required, and
 * for es_threaded_run draw. user is the pointer given with them: what two sides touch in it is
 * yours to guard. */
typedef struct es_threaded_callbacks {
    /* The thread of the ticks. start: writes the state of tick 0, first of all, where there is no
     * state yet; NULL: it was given before (es_threaded_tick_seek). between: no tick is under way:
     * seek (and es_threaded_tick_end: a seek left open ends both sides with ES_ERR_STATE), take
     * what the other side wants; before each tick, and as often as the thread looks; may be NULL.
     * update: runs one tick; where it returns a negative number the tick is not handed over, and
     * the next start begins with it again. */
    int (*start)(void *user, void *state);
    int (*between)(void *user);
    int (*update)(void *user, const es_threaded_tick *tick);
    /* The thread that draws, by es_threaded_run, in this order. */
    int (*input)(void *user);                                 /* may be NULL */
    int (*draw)(void *user, const es_threaded_frame *frame);  /* without presenting */
    int (*present)(void *user);                               /* may be NULL */
    int (*report)(void *user, const es_frame_report *report); /* may be NULL */
} es_threaded_callbacks;

/* What only the render half touches, beside the loop. */
typedef struct es_threaded_render {
    const es_exchange_view *view;
    int64_t posts;
    int64_t shown_ns;        /* content of the last picture */
    int64_t dropped_ns;      /* of the tick half's total, what C has given way to */
    int64_t slow_motion_ns;  /* the same of what it withholds */
    int64_t newest;          /* tick */
    int64_t line_ns;         /* the line of content time: at this instant ... */
    int64_t line_content_ns; /* ... so much */
    int64_t lines_ns[2];     /* the same of the frames before, as they were */
    int64_t lines_content_ns[2];
    int32_t lines;
    int64_t catch_up_max_ns; /* 0: by the tick rate */
    int64_t ahead_max_ns;
    es_rate tick_rate; /* wanted, or met in the ticks */
    es_rate rate_asked;
    uint32_t rates_asked; /* how many times */
    uint32_t generation;  /* of the last picture; 0: none yet */
    bool waited;          /* for the first state */
    bool running;         /* there is a thread of the ticks */
    bool stop;            /* it is asked to end */
    bool fresh;           /* no frame yet since it was made */
} es_threaded_render;

/* How many ticks tell what one costs. */
enum { ES_THREADED_COSTS = 32 };

/* What only the tick half touches. */
typedef struct es_threaded_ticks {
    es_clock clock;
    es_ticker ticker;
    es_rate step_rate; /* of the tick under way */
    int64_t posts;
    int64_t dropped_ns;                  /* in total */
    int64_t slow_motion_ns;              /* the same, withheld */
    int64_t begun_ns;                    /* the tick under way */
    int64_t costs_ns[ES_THREADED_COSTS]; /* of the last ticks: a ring */
    int64_t costs;                       /* in total */
    int64_t cost_ns;                     /* what a tick costs, by the last of those; 0: too few */
    int64_t behind; /* ticks in a row that began while a picture waited for them */
    int status;     /* what its callbacks ended with */
    uint32_t rates_taken;
    uint32_t generation;
    uint32_t seek_generation; /* the first since the last seek */
    bool begun;
    bool sought; /* what has begun is a seek */
    bool published;
    bool ended; /* the thread, by itself or because it was asked to */
} es_threaded_ticks;

/* Initialise with es_threaded_init; read nothing here. Not to be copied or moved. */
typedef struct es_threaded {
    es_loop loop;
    es_threaded_render render;
    unsigned char apart[ES_EXCHANGE_LINE]; /* what one thread writes, off what both read */
    es_exchange states;
    es_exchange from_render;   /* es__render_post */
    es_exchange from_ticks;    /* es__ticks_post */
    es_threaded_config config; /* as given: lead and thread are read by both */
    es_threaded_callbacks callbacks;
    void *user;
    uint64_t handle[8]; /* the system's thread */
    int32_t lead_ticks;
    bool initialised;
    unsigned char apart_too[ES_EXCHANGE_LINE];
    es_threaded_ticks ticks;
} es_threaded;

#ifdef __cplusplus
extern "C" {
#endif

/** How much memory the two halves share.
 *
 * config: not NULL.
 * Returns: bytes, of which about 7000 are not states; 0 when a field is out of its range, or that
 *   does not fit size_t.
 * Errors: none.
 * Ownership: a plain value.
 * Threads: any thread.
 */
ES_API size_t es_threaded_memory_size(const es_threaded_config *config);

/** Makes both halves. There is no state yet: the tick half begins with es_threaded_tick_seek.
 *
 * threaded: the caller's; not NULL.
 * config: not NULL.
 * memory: at any address.
 * memory_size: its bytes: at least es_threaded_memory_size(config).
 * error: names the field, or the parameter, when it is refused; may be NULL.
 * Returns: ES_OK, or an error and an unusable pair.
 * Errors: ES_ERR_INVALID: a NULL, or a field out of its range (those of config.loop by their names
 *   there). ES_ERR_SPACE: memory_size is too small. ES_ERR_UNSUPPORTED: no clock was given, and
 *   this platform has none.
 * Ownership: borrows memory, the clock's user pointer and the lock's until neither half is used any
 *   more; frees nothing, and allocates nothing, now or later.
 * Threads: one thread, before the two sides start.
 */
ES_API es_result es_threaded_init(es_threaded *threaded, const es_threaded_config *config,
        void *memory, size_t memory_size, es_error *error);

/** Runs both sides until one of them ends: ticks on a thread of their own, frames on the caller's.
 *
 * threaded: initialised, its thread not running, no frame open.
 * callbacks: copied; not NULL; update and draw are required.
 * user: handed to every callback.
 * Returns: ES_OK when a callback returned a positive number, its number when negative; where both
 *   sides end by themselves with one, that of the side that draws. Both sides have ended then, and
 *   it can run again: from the instant shown last, with the tick after the newest.
 * Errors: ES_ERR_INVALID: no callbacks, no draw or no update; otherwise as es_threaded_start and
 *   es_threaded_begin.
 * Ownership: borrows user for the call.
 * Threads: the one that draws. The side that did not end finishes the callback it is in: the ticks
 *   within what es_threaded_join says, the frames before their next input. Callbacks of the frames
 *   may call es_threaded_pause, _step_once, _ask_tick_rate and the setters; those of the ticks
 *   es_threaded_tick_cut (update), _tick_seek, _tick_end and _set_tick_rate (between).
 */
ES_API int es_threaded_run(
        es_threaded *threaded, const es_threaded_callbacks *callbacks, void *user);

/** Makes the thread of the ticks, for a program that draws by es_threaded_begin and so on.
 *
 * The thread waits for each tick by the clock's wait_until. It ends when it is asked to, or by a
 * callback of its own: then es_threaded_begin says so.
 * threaded: initialised; its thread is not running (never started, or joined), and no tick is under
 *   way. The tick half's calls are the thread's from now on.
 * callbacks: copied; not NULL; update is required, and what concerns frames is not called. Where
 *   there is no state yet, so is start, or between, which then seeks.
 * user: handed to the callbacks.
 * Returns: ES_OK, or an error and no thread.
 * Errors: ES_ERR_STATE: it is running, a tick is under way, or threaded is NULL or not initialised.
 *   ES_ERR_INVALID: no callbacks, no update, or nothing that gives the first state.
 *   ES_ERR_UNSUPPORTED: this platform has no threads, no more are to be had, or the clock cannot
 *   wait.
 * Ownership: borrows user until es_threaded_join. Join before threaded or its memory goes.
 * Threads: the one that draws, or one before it does.
 */
ES_API es_result es_threaded_start(
        es_threaded *threaded, const es_threaded_callbacks *callbacks, void *user);

/** Asks the thread of the ticks to end, and does not wait for it.
 *
 * Frames may go on, and hold the newest tick.
 * threaded: started and not joined; asking again changes nothing.
 * Returns: ES_OK.
 * Errors: ES_ERR_STATE: it was not started, or it was joined.
 * Ownership: keeps nothing.
 * Threads: the one that draws. A callback of the ticks returns a positive number instead.
 */
ES_API es_result es_threaded_stop(es_threaded *threaded);

/** Waits until the thread of the ticks has ended; asks it to, if nobody has.
 *
 * It ends when the callback that it is in has returned, or it looks the next time:
 * ES_THREADED_LOOK_NS at most, in a pause or at one tick per hour, too, as well as the clock can
 * wait.
 * threaded: started and not joined.
 * Returns: what the side of the ticks ended with: ES_OK when it was asked to or a callback returned
 *   a positive number, else the callback's negative number. The tick half's calls are the caller's
 *   again, or es_threaded_start's.
 * Errors: ES_ERR_STATE: it was not started, or it was joined.
 * Ownership: what the thread borrowed is free.
 * Threads: the one that draws; blocks. Not from a callback.
 */
ES_API int es_threaded_join(es_threaded *threaded);

/** Whether there is a thread of the ticks that has not ended.
 *
 * threaded: initialised.
 * Returns: false before es_threaded_start, when it has ended for whatever reason, and for NULL.
 * Errors: none.
 * Ownership: a plain value.
 * Threads: the one that draws.
 */
ES_API bool es_threaded_is_running(es_threaded *threaded);

/** The render half's: opens a frame, as es_loop_begin. Poll what only drawing needs after it.
 *
 * threaded: initialised.
 * Returns: ES_OK.
 * Errors: where the thread of the ticks has ended by itself and was not joined yet: the negative
 *   number that its callback returned, as it is; ES_ERR_STATE if that was positive. No frame is
 *   open then. Otherwise as es_loop_begin.
 * Ownership: keeps nothing.
 * Threads: the one that draws.
 */
ES_API es_result es_threaded_begin(es_threaded *threaded);

/** The render half's: opens a frame that a host owns, as es_loop_begin_host. Nothing waits in it;
 * the ticks go by the clock of the configuration, whatever the host's counts from.
 *
 * threaded: initialised; not to be mixed with es_threaded_begin.
 * start_ns: as for es_loop_begin_host.
 * expected_present_ns: the same.
 * Returns: true: go on with es_threaded_ready and the rest. False: skip this callback: threaded is
 *   NULL or not initialised, or the thread of the ticks has ended by itself (es_threaded_join says
 *   how).
 * Errors: none but the false.
 * Ownership: keeps nothing.
 * Threads: the one that draws.
 */
ES_API bool es_threaded_begin_host(
        es_threaded *threaded, int64_t start_ns, int64_t expected_present_ns);

/** The render half's: waits until the frame starts, says what to draw, and tells the tick half
 * which instant that was.
 *
 * threaded: a frame is open.
 * frame: filled; may be NULL.
 * Returns: ES_OK.
 * Errors: ES_ERR_STATE: no frame is open (or threaded is NULL), or it was ready already; frame is
 *   unchanged.
 * Ownership: the states belong to the exchange; good until the next call of this.
 * Threads: the one that draws; blocks in the clock's wait_until, and never for the tick half.
 */
ES_API es_result es_threaded_ready(es_threaded *threaded, es_threaded_frame *frame);

/** The render half's: says that drawing is done, as es_loop_submit.
 *
 * threaded: ready.
 * Returns: ES_OK.
 * Errors: as es_loop_submit.
 * Ownership: keeps nothing.
 * Threads: the one that draws.
 */
ES_API es_result es_threaded_submit(es_threaded *threaded);

/** The render half's: closes the frame, as es_loop_end.
 *
 * threaded: ready or submitted.
 * Returns: ES_OK; es_threaded_report has the frame's report.
 * Errors: as es_loop_end.
 * Ownership: keeps nothing.
 * Threads: the one that draws.
 */
ES_API es_result es_threaded_end(es_threaded *threaded);

/** The render half's: closes the frame with a known screen time, as es_loop_end_shown.
 *
 * threaded: ready or submitted.
 * shown_ns: when this frame was seen, on the loop's clock.
 * source: how that is known.
 * Returns: ES_OK; es_threaded_report has the frame's report.
 * Errors: as es_loop_end_shown.
 * Ownership: keeps nothing.
 * Threads: the one that draws.
 */
ES_API es_result es_threaded_end_shown(
        es_threaded *threaded, int64_t shown_ns, es_shown_source source);

/** The render half's: tells when a frame was really seen, as es_loop_presented.
 *
 * threaded: initialised.
 * sample: as for es_loop_presented.
 * Returns: ES_OK.
 * Errors: as es_loop_presented.
 * Ownership: keeps nothing.
 * Threads: the one that draws.
 */
ES_API es_result es_threaded_presented(es_threaded *threaded, const es_present_sample *sample);

/** The render half's: the report of the frame that ended last.
 *
 * threaded: initialised.
 * Returns: the report, whose frame is the es_threaded_frame's; NULL before the first. Its
 *   update_work_ns is 0 but for the planning itself.
 * Errors: none.
 * Ownership: points into threaded; overwritten by the next es_threaded_end.
 * Threads: the one that draws.
 */
ES_API const es_frame_report *es_threaded_report(const es_threaded *threaded);

/** The render half's: what is known of the display, as es_loop_display.
 *
 * threaded: initialised.
 * Returns: a plain value.
 * Errors: none.
 * Ownership: a plain value.
 * Threads: the one that draws.
 */
ES_API es_display_status es_threaded_display(const es_threaded *threaded);

/** The render half's: stops or resumes content time at the instant shown. The tick half is told at
 * once; what it has begun it finishes.
 *
 * A renderer much slower than the ticks is behind them when it pauses, by up to a frame: the first
 * frame after the pause may say ES_THREADED_GAP.
 * threaded: initialised; any time.
 * paused: true to stop.
 * Returns: nothing.
 * Errors: none; one that is NULL or not initialised is left alone.
 * Ownership: keeps nothing.
 * Threads: the one that draws.
 */
ES_API void es_threaded_pause(es_threaded *threaded, bool paused);

/** Whether content time is stopped.
 *
 * threaded: initialised.
 * Returns: what es_threaded_pause said last.
 * Errors: none; false for NULL.
 * Ownership: a plain value.
 * Threads: the one that draws.
 */
ES_API bool es_threaded_is_paused(const es_threaded *threaded);

/** The render half's: while paused, the next frame shows the next tick (alpha 1). That has mostly
 * run already, by the lead; else the frame is held, and a later one shows it.
 *
 * threaded: paused.
 * Returns: ES_OK.
 * Errors: as es_loop_step_once.
 * Ownership: keeps nothing.
 * Threads: the one that draws.
 */
ES_API es_result es_threaded_step_once(es_threaded *threaded);

/** The render half's: sets how fast content time runs, as es_loop_set_time_scale.
 *
 * threaded: initialised; any time.
 * scale: as for es_loop_set_time_scale.
 * Returns: ES_OK, or an error and an unchanged speed.
 * Errors: as es_loop_set_time_scale.
 * Ownership: keeps nothing.
 * Threads: the one that draws.
 */
ES_API es_result es_threaded_set_time_scale(es_threaded *threaded, es_ratio scale);

/** The render half's: asks the tick half for another tick rate. It comes between two ticks, as by
 * es_threaded_set_tick_rate; asking again before that replaces what was asked.
 *
 * threaded: initialised; any time.
 * rate: as in es_loop_config; not {0, 0}.
 * Returns: ES_OK, or an error and nothing asked.
 * Errors: ES_ERR_INVALID: out of range. ES_ERR_STATE: threaded is NULL or not initialised.
 * Ownership: keeps nothing.
 * Threads: the one that draws.
 */
ES_API es_result es_threaded_ask_tick_rate(es_threaded *threaded, es_rate rate);

/** The tick rate, as the render half knows it.
 *
 * threaded: initialised.
 * Returns: what it asked for last, or the rate of the ticks that it shows, if those changed since;
 *   {0, 0} for NULL.
 * Errors: none.
 * Ownership: a plain value.
 * Threads: the one that draws.
 */
ES_API es_rate es_threaded_tick_rate(const es_threaded *threaded);

/** The render half's: says that the time since the last frame was not the game's, as
 * es_loop_resync.
 *
 * Ticks have gone on meanwhile, for gap_ns at most: to stop them, pause.
 * threaded: initialised; any time.
 * Returns: ES_OK; what is left out is in the account, as slowed.
 * Errors: as es_loop_resync.
 * Ownership: keeps nothing.
 * Threads: the one that draws.
 */
ES_API es_result es_threaded_resync(es_threaded *threaded);

/** The render half's: changes the configuration while both sides run, as es_loop_reconfigure.
 *
 * Another tick rate is asked for, as by es_threaded_ask_tick_rate. The clock and the thread are
 * ignored: they stay.
 * threaded: initialised; any time between frames.
 * config: as for es_threaded_init; not NULL. lead_ticks, ticks, state_size, kind and lock must be
 *   what they were (the lock is not looked at). To change a few fields, start from
 *   es_threaded_get_config.
 * error: names the field when it is refused, else holds NULLs; may be NULL.
 * Returns: ES_OK, or an error and no change.
 * Errors: ES_ERR_INVALID: as es_threaded_init, or a field that cannot change. ES_ERR_STATE:
 *   threaded is NULL or not initialised.
 * Ownership: keeps nothing.
 * Threads: the one that draws.
 */
ES_API es_result es_threaded_reconfigure(
        es_threaded *threaded, const es_threaded_config *config, es_error *error);

/** The configuration in force, as it was given and changed since: with its 0 for defaults.
 *
 * threaded: initialised.
 * Returns: what es_threaded_init or _reconfigure took, with what was changed since; all 0 for NULL.
 * Errors: none.
 * Ownership: a plain value.
 * Threads: the one that draws.
 */
ES_API es_threaded_config es_threaded_get_config(const es_threaded *threaded);

/** The tick half's: when the next tick is to begin.
 *
 * Look again after a while: the render half may have paused, resumed or changed the speed.
 * threaded: initialised.
 * Returns: an instant on the clock, one that has passed if it is due. INT64_MAX: not before the
 *   render half says more (paused, the window is hidden for longer than gap_ns), or there is no
 *   state to go on from.
 * Errors: none; INT64_MAX for NULL.
 * Ownership: a plain value.
 * Threads: the ticks'. Never waits.
 */
ES_API int64_t es_threaded_tick_due(es_threaded *threaded);

/** The tick half's: begins the next tick, if it is due.
 *
 * threaded: initialised; no tick is under way.
 * tick: filled when the answer is true; not NULL.
 * Returns: true: run this step, then es_threaded_tick_end. False: none is due (wait until
 *   es_threaded_tick_due), one is under way, there is no state to go on from, or a NULL.
 * Errors: none but the false.
 * Ownership: the states belong to the exchange.
 * Threads: the ticks'. Never waits.
 */
ES_API bool es_threaded_tick_begin(es_threaded *threaded, es_threaded_tick *tick);

/** The tick half's: hands over the state that was written.
 *
 * threaded: a tick has begun, or a seek.
 * Returns: ES_OK.
 * Errors: ES_ERR_STATE: nothing has begun, or threaded is NULL.
 * Ownership: the state is no longer to be written to.
 * Threads: the ticks'. Never waits, unless config.kind is ES_EXCHANGE_LOCKED.
 */
ES_API es_result es_threaded_tick_end(es_threaded *threaded);

/** The tick half's: nothing is blended between the tick under way and the one before it: everything
 * has moved elsewhere. Time goes on as it does.
 *
 * threaded: a tick has begun.
 * Returns: ES_OK.
 * Errors: ES_ERR_STATE: none has begun, or threaded is NULL.
 * Ownership: keeps nothing.
 * Threads: the ticks'.
 */
ES_API es_result es_threaded_tick_cut(es_threaded *threaded);

/** The tick half's: leaps to a tick, earlier or later; also how it begins, at tick 0.
 *
 * Write its state, then call es_threaded_tick_end. The next frame after that shows this tick, says
 * ES_THREADED_GAP (not at the beginning), and goes on from it; ticks follow from there.
 * threaded: initialised; no tick is under way.
 * tick: as for es_loop_seek.
 * state: filled: where to write it, whole; not NULL.
 * Returns: ES_OK.
 * Errors: ES_ERR_STATE: a tick is under way, or threaded is NULL. ES_ERR_RANGE: as es_loop_seek.
 *   ES_ERR_INVALID: state is NULL.
 * Ownership: the state belongs to the exchange.
 * Threads: the ticks'.
 */
ES_API es_result es_threaded_tick_seek(es_threaded *threaded, int64_t tick, void **state);

/** The tick half's: changes the tick rate. The next tick comes one new period after the newest; the
 * render half follows when its pictures have got there.
 *
 * threaded: initialised; no tick is under way.
 * rate: as in es_loop_config; not {0, 0}.
 * Returns: ES_OK, or an error and an unchanged rate.
 * Errors: ES_ERR_INVALID: out of range. ES_ERR_STATE: a tick is under way, or threaded is NULL or
 *   not initialised.
 * Ownership: keeps nothing.
 * Threads: the ticks'.
 */
ES_API es_result es_threaded_set_tick_rate(es_threaded *threaded, es_rate rate);

#ifdef __cplusplus
}
#endif

#endif
