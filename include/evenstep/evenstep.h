/* SPDX-License-Identifier: Zlib
 *
 * Evenstep: smooth motion for games and other interactive programs.
 *
 *   world previous = {0}, current = {0};
 *   es_loop *loop = es_loop_create(NULL);            // 60 ticks per second, paced by the display
 *   es_frame frame;
 *   while (es_loop_next(loop, &frame) && poll_input()) {
 *       for (int i = 0; i < frame.ticks; ++i) {
 *           previous = current;
 *           update(&current, frame.tick_s);
 *       }
 *       draw(&previous, &current, frame.alpha);
 *       es_loop_submit(loop);                        // drawing ends here
 *       present();
 *   }
 *   es_loop_destroy(loop);
 *
 * A tick is one update of the simulation. A step describes a tick: its index, times and length.
 *
 * Defaults of this header; a function states only exceptions.
 *   Time        int64_t, nanoseconds (_ns) on the loop's clock; double, seconds (_s). A clock may have
 *               any origin. Simulated times and durations stop at 2^60 ns, 36 years.
 *   Threads     a loop belongs to one thread. Functions without a loop: any thread.
 *   Waiting     es_loop_next, es_loop_wait, es_loop_begin and es_wait_until wait. es_loop_submit waits
 *               only where a timer paces, or while a frame is held for several refreshes.
 *   Allocation  es_loop_create allocates, es_loop_destroy frees.
 *   Errors      bool: false means refused, and nothing has changed. es_get_error says why.
 *   NULL        a function accepts NULL for its loop: it does nothing, and returns false or 0.
 *   {0}         is the default of every configuration, and of each of its fields.
 */
#ifndef EVENSTEP_EVENSTEP_H
#define EVENSTEP_EVENSTEP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#if defined(_WIN32) && defined(ES_SHARED) && defined(ES_BUILDING)
#define ES_API __declspec(dllexport)
#elif defined(_WIN32) && defined(ES_SHARED)
#define ES_API __declspec(dllimport)
#elif defined(__GNUC__) && defined(ES_SHARED)
#define ES_API __attribute__((visibility("default")))
#else
#define ES_API
#endif

typedef struct es_loop es_loop;
typedef struct es_loop_config es_loop_config; /* the structs: below the functions */
typedef struct es_frame es_frame;
typedef struct es_step es_step;

#ifdef __cplusplus
extern "C" {
#endif

/* Makes a loop. config: copied; NULL: the default. NULL: the configuration is refused, the header is
 * of another version, or there is no memory; es_get_error says which. */
ES_API es_loop *es_loop_create(const es_loop_config *config);

/* Frees a loop, in any state. */
ES_API void es_loop_destroy(es_loop *loop);

/* Ends the last frame, waits if it must, and plans the next. Its ticks and alpha are final, and all
 * its ticks count as run. Poll input after it: nothing else waits before the frame is drawn.
 * Also false: the clock cannot wait. */
ES_API bool es_loop_next(es_loop *loop, es_frame *frame);

/* Drawing is done: blocking from here on is not work. */
ES_API bool es_loop_submit(es_loop *loop);

/* Present has returned. Optional where es_loop_next follows at once. */
ES_API bool es_loop_end(es_loop *loop);

/* Why the last call of this thread that failed has failed: "es_loop_config.tick_rate: must be ...".
 * Never NULL; valid until the next such call. Calls that succeed leave it as it is. */
ES_API const char *es_get_error(void);

#ifdef __cplusplus
}
#endif

/* --- constants -------------------------------------------------------------------------------- */

#define ES_VERSION_MAJOR 0
#define ES_VERSION_MINOR 3
#define ES_VERSION_PATCH 0
#define ES_VERSION       (ES_VERSION_MAJOR * 1000000 + ES_VERSION_MINOR * 1000 + ES_VERSION_PATCH)

#define ES_NS_PER_US INT64_C(1000)
#define ES_NS_PER_MS INT64_C(1000000)
#define ES_NS_PER_S  INT64_C(1000000000)

#define ES_UNKNOWN_NS (-1)  /* es_loop_next_at: the host does not say */
#define ES_LOOP_BYTES 24576 /* es_loop_create_in: enough in every build of this version */

/* --- a frame ---------------------------------------------------------------------------------- */

/* Describes a tick, which simulates from time_ns - dt_ns to time_ns. */
typedef struct es_step {
    int64_t index;    /* the tick that this update makes: 1, 2, 3, ... */
    int64_t time_ns;  /* simulated time at its end: floor(index * period), counted from the last
                         change of the tick rate. Exact */
    double dt_s;      /* the period in seconds, the same for every tick: for physics */
    int64_t dt_ns;    /* time_ns less that of the tick before; varies by 1 ns: for game clocks */
    int32_t in_frame; /* 0 for the first tick of a frame, then 1, 2, ... */
    int64_t due_ns;   /* when content reaches this tick, on the loop's clock, without delay_ticks.
                         Input with stamps up to due_ns belongs to this tick */
    int64_t begun_ns; /* when the loop returned the step, or its frame; a host's frame: its start */
} es_step;

/* The cause of a gap: a time span that is taken out of the game's time and never caught up. */
typedef enum es_gap_kind {
    ES_GAP_NONE = 0,
    ES_GAP_SUSPENDED,   /* the machine slept */
    ES_GAP_BLOCKED,     /* present did not return: a hidden or minimised window */
    ES_GAP_STOPPED,     /* the thread did not run: a debugger, SIGSTOP, a modal dialog */
    ES_GAP_CLOCK_BACK,  /* the clock stepped back */
    ES_GAP_CLOCK_JUMP,  /* the clock leapt, and other clocks did not */
    ES_GAP_CLOCK_STILL, /* the clock stood still while the loop waited */
    ES_GAP_UNKNOWN      /* too long for a frame, and the clock cannot tell why */
} es_gap_kind;

/* The gaps since the frame before. */
typedef struct es_gap {
    es_gap_kind kind;    /* of the longest gap; ES_GAP_NONE: there was none */
    int64_t duration_ns; /* how long they lasted in all; at least 0 */
    int64_t removed_ns;  /* time that was taken out; negative where the clock stepped back. 0 for a
                            suspend during which the clock stood still (CLOCK_MONOTONIC on Linux) */
} es_gap;

/* Where time went since the first frame. For every frame, to the nanosecond:
 *   content_ns = present_ns - first present_ns - dropped_ns - gaps_ns - slowed_ns - clamped_ns
 *                - delay_ns - reanchored_ns + seeked_ns */
typedef struct es_account {
    int64_t dropped_ns;     /* lost at once: over catch_up_max_ns, or left unrun */
    int64_t gaps_ns;        /* taken out as gaps; signed */
    int64_t slowed_ns;      /* by how much pause, speed, es_loop_resync and slow motion put content
                               behind real time; signed */
    int64_t slow_motion_ns; /* the part of slowed_ns from slow motion, lockstep and
                               speed_change_max; signed */
    int64_t clamped_ns;     /* of this frame, signed. Positive: content is late, because of debt or
                               because ticks are missing. Negative: it must not go back */
    int64_t delay_ns;       /* delay_ticks, in force for this frame */
    int64_t reanchored_ns;  /* lasting offset of content to the screen, signed: the first frames,
                               another source of screen times, content over 250 ms ahead, a window
                               that was hidden, ticks that went on in a gap (threads.h) */
    int64_t seeked_ns;      /* by seeks, single steps and changes of the delay; signed */
    int64_t stretched_ns;   /* by how much steps were longer than their period; not in the sum */
    /* Of this frame alone. */
    int64_t frame_dropped_ns;
    int64_t frame_slow_motion_ns;
    int64_t frame_stretched_ns;
    int64_t debt_ns;   /* still to be made up (ES_CATCH_UP_SPREAD) */
    int64_t offset_ns; /* how far content is behind present_ns without what is lasting, as after a
                          missed refresh; signed. What exceeds 1.5 frames is recovered. In clamped_ns */
} es_account;

/* One frame: what to run and what to draw. */
typedef struct es_frame {
    /* What most programs read. */
    int32_t ticks; /* the number of updates to run ... */
    double tick_s; /* ... seconds of each: the period; a variable or stretched step if there is */
    double alpha;  /* ... then draw: 0 shows the previous tick, 1 the current one. In (0, 1]; with
                      alpha_below_one in [0, 1) */
    bool visible;  /* false: es_loop_set_visible said so. Run the ticks, skip drawing */
    bool surplus;  /* a host called more often than interval_ns allows: skip this call. All else is
                      as in the frame before, without ticks */
    /* Times. */
    int64_t index;       /* 0, 1, 2, ... */
    int64_t start_ns;    /* S: drawing is to begin */
    int64_t present_ns;  /* D: the frame is expected to be seen; S where that is not known */
    int64_t content_ns;  /* C: the simulated instant that it shows; goes back only by a seek */
    int64_t interval_ns; /* intended distance from the frame before; 0: not known */
    int64_t late_ns;     /* drawing begins this much after S, without gaps; at least 0 */
    /* When it wants to be seen, for platforms that can obey (es_loop_set_targets). */
    int64_t target_ns;        /* at this time, on the loop's clock; 0: as soon as possible */
    int32_t target_refreshes; /* the swap interval: refreshes after the frame before; from 1 */
    /* The pair of ticks that alpha lies between. Equal where none is before the current one. */
    int64_t previous_tick;
    int64_t current_tick;
    int64_t previous_ns; /* their simulated times */
    int64_t current_ns;
    int64_t newest_tick; /* the last tick run: current_tick, or later with a positive lead */
    int64_t newest_ns;   /* its simulated time */
    int64_t ahead_ns;    /* how far C lies past the newest tick, for extrapolation; else 0 */
    /* What went wrong. */
    es_gap gap;
    es_account account;
    int64_t begun_ns; /* es_loop_next or es_loop_begin returned; a host's frame: its start */
    int64_t steps[6]; /* private: es_frame_step reads it */
} es_frame;

/* How a screen time is known. */
typedef enum es_shown_source {
    ES_SHOWN_PLANNED = -1,       /* planned, not measured (a host without a clock) */
    ES_SHOWN_PRESENT_RETURN = 0, /* present returned: queued or shown */
    ES_SHOWN_FEEDBACK = 1,       /* the platform reported it */
    ES_SHOWN_VIRTUAL = 2         /* a simulated display: exact */
} es_shown_source;

/* One complete frame. */
typedef struct es_report {
    es_frame frame;
    int64_t ready_ns;       /* drawing began. Without es_loop_wait: es_loop_next returned */
    int64_t submit_ns;      /* drawing ended */
    int64_t shown_ns;       /* when it was seen, as well as is known */
    es_shown_source source; /* how shown_ns is known */
    int64_t update_work_ns; /* spent on this frame's ticks; 0 in the first form without es_loop_wait */
    int64_t render_work_ns; /* from es_loop_wait (or es_loop_next: then with the ticks) to
                               es_loop_submit. Blocking in present is not work */
    int32_t series;         /* changes after each gap: only frames of one series can be compared */
    int64_t returned_ns;    /* present returned (es_loop_end); 0: not known */
} es_report;

/* --- how a loop behaves ----------------------------------------------------------------------- */

/* Events per second, exact: {60, 1}, {60000, 1001}, es_hz(59.94). {0, 0}: the default. */
typedef struct es_rate {
    uint32_t numerator;   /* 1 to 1 000 000 000 */
    uint32_t denominator; /* from 1. 0 is refused: in C `.tick_rate = 59.94` stores {59, 0} */
} es_rate;

/* A source of time other than the system's clock: for tests, simulations and engines. */
typedef struct es_clock {
    int64_t (*now_ns)(void *user);                       /* required; from any origin */
    void (*wait_until)(void *user, int64_t deadline_ns); /* NULL: only es_loop_next_at works */
    int64_t (*suspended_ns)(void *user);  /* time the machine has slept; NULL: not known */
    int64_t (*thread_cpu_ns)(void *user); /* CPU time of the calling thread; NULL: not known */
    void *user;                           /* passed to each function */
    const char *description;   /* for people: which clock, how it waits; static, or NULL */
    bool thread_cpu_is_coarse; /* thread_cpu_ns advances every few ms only */
} es_clock;

/* What sets the pace of frames. */
typedef enum es_pace {
    ES_PACE_AUTO = 0, /* after the loop has found the refreshes, the display. If presents provably
                         do not block, a timer. Until then, nothing */
    ES_PACE_ADAPTIVE, /* a timer (rule A1). The interval grows to 6/5 of work that does not fit, and
                         shrinks by at most 1 % per frame */
    ES_PACE_FIXED,    /* interval_ns; a frame whose work does not fit loses whole intervals */
    ES_PACE_PRESENT,  /* the call that presents, as in ten-line loops: no display timing, and each
                         frame shows the instant at which it begins. If presents provably do not
                         block, a timer */
    ES_PACE_UNCAPPED  /* nothing: a frame starts at once */
} es_pace;

/* How long the step of a tick is. */
typedef enum es_step_kind {
    ES_STEP_FIXED = 0, /* 0, 1 or more updates of one period per frame, as content needs */
    ES_STEP_VARIABLE,  /* one update per frame, of the frame time; with auto of the time between the
                          refreshes that show the frames. No exact replay */
    ES_STEP_LOCKSTEP   /* one update of one period per frame, however long the frame took */
} es_step_kind;

/* What happens to simulated time that the machine cannot keep up with. */
typedef enum es_catch_up {
    ES_CATCH_UP_DROP = 0, /* ticks over the bound do not run; their time is lost at once */
    ES_CATCH_UP_SLOW,     /* slow motion: content runs evenly slower, as far as the machine needs.
                             After 1 s without a shortage it recovers by 1/104 per frame */
    ES_CATCH_UP_SPREAD,   /* content runs up to 1/4 faster until the debt is made up. Debt over
                             catch_up_max_ns is dropped */
    ES_CATCH_UP_STRETCH,  /* longer steps, up to four periods; the rest is dropped. No exact
                             replay */
    ES_CATCH_UP_WAIT      /* a frame moves the world by at most 5/4 of interval_ns, however long the
                             frame took. The bound still holds */
} es_catch_up;

/* Whether a frame is shown for several refreshes, evenly, where the work does not fit one. */
typedef enum es_hold {
    ES_HOLD_AUTO = 0, /* only on a known fixed refresh, after a second of work that did not fit */
    ES_HOLD_NEVER     /* frames come as fast as they can, at uneven times where the work needs it */
} es_hold;

/* How far ahead frames ask to be seen, where the platform obeys: later targets are kept more often. */
typedef enum es_target_use {
    ES_TARGET_BALANCED = 0, /* nearly all are kept. Costs at most 2 % of the frame rate, and one
                               refresh of input age */
    ES_TARGET_SMOOTH,       /* as balanced, but costs up to 5 % and two refreshes */
    ES_TARGET_EARLY         /* no frame waits for its target longer than its work may vary */
} es_target_use;

/* How a loop behaves. 0 is the default of every field. "fixed": fixed steps only. */
typedef struct es_loop_config {
    es_rate tick_rate;    /* updates per second; default 60, up to 1 000 000. With variable steps:
                                the length of a single step while paused */
    es_rate refresh;      /* auto, present: the refresh rate that the system announces, from 1 Hz;
                                a hint, default: not announced */
    es_step_kind step;    /* how long the step of a tick is */
    es_pace pace;         /* what sets the pace of frames */
    es_catch_up catch_up; /* fixed steps: any; variable: drop or wait; lockstep: 0 */
    int64_t catch_up_max_ns; /* most simulated time per frame; the rest goes to catch_up. Default:
                                250 ms or interval_max_ns, the larger; 1 s with spread; in whole
                                ticks, at least one. fixed */
    int32_t ticks_max;       /* most ticks per frame, up to 1 000 000. Default: enough for
                                catch_up_max_ns and lead_ticks. Where frames cannot keep up and
                                ticks cost over half of what they simulate, frames have fewer: they
                                take about 100 ms (or interval_max_ns, if longer); in the stepped
                                form only by default. fixed */
    double delay_ticks;      /* content stays this far behind D, in ticks, 0 to 8; default 0. 1 is
                                the classic accumulator. fixed */
    int32_t lead_ticks;      /* ticks that run beyond the two around content_ns, -1 to 4; default 0.
                                docs/guide.md, "Settings". fixed */
    bool alpha_below_one;    /* false: 0 < alpha <= 1. True: 0 <= alpha < 1, so that every tick that
                                is due has run, as in an accumulator. fixed */
    bool low_latency;  /* auto: es_loop_next waits until just in time for the refresh. Input is
                                younger; a frame that takes longer repeats a refresh */
    double missed_max; /* low_latency: share of refreshes that may repeat, 0.0001 to 0.5;
                                default 0.002 */
    double speed_change_max; /* auto, fixed; for games that cannot blend. Where the refresh rate is
                                within this share of n times the tick rate, each tick is shown for n
                                refreshes, and the game's speed changes by es_display.speed_change.
                                On a variable refresh that is reported each tick is shown for one
                                frame at its exact time; below 48 ticks per second for several. Up
                                to 0.5; default 0: never. 0.05 is usual */
    es_hold hold;            /* auto: whether frames are held where the work does not fit */
    es_target_use targets;   /* auto: how far ahead frames ask to be seen */
    int64_t interval_ns; /* a frame cap: least distance of frames, 10 us to 10 s. Where refreshes
                                are known, auto shows a frame for whole ones, rounded up; a cap at
                                most 5 % below the refresh rate means every refresh. See
                                es_display.frames_per_s. Default: ES_STEP_LOCKSTEP: one tick period.
                                ES_PACE_UNCAPPED, ES_PACE_PRESENT: none. ES_PACE_AUTO: every refresh;
                                if presents do not block, the known refresh, else 1/60 s. Otherwise:
                                1/60 s */
    int64_t interval_min_ns; /* auto, adaptive: shrinks to this. Default interval_ns */
    int64_t interval_max_ns; /* auto, adaptive: the interval may grow to this, up to 10 s. Longer
                                work is a stall and changes no interval. Default: 50 ms or
                                interval_ns, the larger. With the policies slow and wait, a lasting
                                overload can raise the interval above this default. Set it equal to
                                interval_ns to keep the frame interval constant */
    int64_t gap_ns;          /* a longer time between two calls is a gap, not a frame; more than
                                interval_max_ns; default: 1 s or twice interval_max_ns, the larger.
                                A shorter pause counts as a slow frame. Exception: the OS reports at
                                least 50 ms of suspend, or the refresh count (MSC) shows a clock
                                jump */
    int64_t step_min_ns;     /* variable: the shortest plausible step; default 1 ns */
    int64_t step_max_ns;     /* variable: the longest plausible step, up to 1 h; default 1 s */
    int64_t step_absurd_ns;  /* variable: replaces an implausible step; the rest is dropped; default
                                1 ms */
    es_clock clock;          /* default: the system's */
} es_loop_config;

/* --- the display ------------------------------------------------------------------------------ */

/* How good a platform's screen time is. */
typedef enum es_present_grade {
    ES_PRESENT_GUESSED = 0,  /* the time at which the answer arrived */
    ES_PRESENT_SOFTWARE = 1, /* stamped by a compositor or server */
    ES_PRESENT_VSYNC = 2,    /* as SOFTWARE, and synchronised to vblank */
    ES_PRESENT_HARDWARE = 3  /* stamped by the display hardware */
} es_present_grade;

/* What a platform reports about one frame, on the loop's clock: adapters convert. */
typedef struct es_present {
    int64_t frame;       /* es_frame.index */
    int64_t shown_ns;    /* when it was seen; not read if discarded */
    int64_t reported_ns; /* when the adapter received it, by its own reading of the clock */
    int64_t refresh_ns;  /* the announced refresh period, the shortest if variable; 0: not known */
    uint64_t sequence;   /* the display's count of refreshes; 0: none */
    es_present_grade grade;
    bool discarded; /* it was never shown */
    bool variable;  /* variable refresh rate (VRR): a refresh lasts until the next frame flips, but
                       at least refresh_ns (0.5 ms if refresh_ns is 0) */
} es_present;

/* What a platform does with the targets of a frame. {0}: nothing. */
typedef struct es_targets {
    bool times;          /* a frame is seen at target_ns, or when it is ready after that */
    bool refreshes;      /* a frame is seen target_refreshes after the frame before, or later */
    int64_t deadline_ns; /* a frame must be ready this long before it can be seen; 0 to 1 s */
    int64_t ahead_ns;    /* a target is at most this far from now; 0: no limit */
} es_targets;

/* How presents behave. */
typedef enum es_display_mode {
    ES_DISPLAY_UNKNOWN = 0,  /* not known yet: content follows frame times */
    ES_DISPLAY_BLOCKS = 1,   /* presents wait for refreshes, whose times are known */
    ES_DISPLAY_FREE = 2,     /* presents provably never wait: a timer paces the frames */
    ES_DISPLAY_VARIABLE = 3, /* variable refresh: a refresh lasts until the next frame */
    ES_DISPLAY_HOST = 4      /* a host calls once per refresh */
} es_display_mode;

/* What is known of the display. */
typedef struct es_display {
    es_display_mode mode;
    double period_ns;    /* of the refresh; 0: not known */
    int32_t queue;       /* frames from submit to the screen, that one included, 1 to 5: a queue of
                         up to 4, and one that waits for it; 0: not known */
    bool feedback;       /* samples arrive and are used */
    int64_t missed;      /* refreshes that repeated a frame against the plan */
    double frames_per_s; /* that interval_ns and what is known of the display allow; 0: not known */
    bool targets;        /* frames have a target_ns, and the platform keeps it */
    double speed_change; /* by speed_change_max: -0.04 where 62.5 ticks per second are shown at
                            60 Hz; in lockstep as measured, also in slow motion; 0: none */
} es_display;

/* --- errors ----------------------------------------------------------------------------------- */

/* What a call returns where its caller must tell errors apart. */
typedef enum es_result {
    ES_OK = 0,
    ES_ERR_INVALID = -1,     /* an argument or a configuration field is out of its range */
    ES_ERR_STATE = -2,       /* the call is out of order */
    ES_ERR_RANGE = -3,       /* the result does not fit the range of the type */
    ES_ERR_UNSUPPORTED = -4, /* this platform or clock cannot do that */
    ES_ERR_SPACE = -5,       /* the caller's memory is too small */
    ES_ERR_REFUSED = -6,     /* the system does not allow it */
    ES_ERR_FULL = -7,        /* there is no space at the moment */
    ES_ERR_IO = -8,          /* reading or writing failed */
    ES_ERR_DAMAGED = -9,     /* the bytes are not those that were written */
    ES_ERR_DIFFERS = -10     /* two runs that should be equal differ */
} es_result;

#ifdef __cplusplus
extern "C" {
#endif

/* --- more of a frame -------------------------------------------------------------------------- */

/* The step of tick i of a frame, from 0: its index and exact times. No such tick: all 0. */
ES_API es_step es_frame_step(const es_frame *frame, int32_t i);

/* Optional, between the ticks and drawing: if a timer paces, drawing then starts at S whatever the
 * ticks cost, and their cost is known by itself. frame is not changed, and may be NULL. Stepped form:
 * see there. */
ES_API bool es_loop_wait(es_loop *loop, es_frame *frame);

/* es_loop_next where a host calls the program once per frame; nothing waits. End such a frame by
 * es_loop_end.
 * host_ns: the host's time stamp of the frame, on any clock, or ES_UNKNOWN_NS: now.
 * expected_present_ns: when the host expects it to be seen, on the same clock, or ES_UNKNOWN_NS. */
ES_API bool es_loop_next_at(
        es_loop *loop, int64_t host_ns, int64_t expected_present_ns, es_frame *frame);

/* A driver made the program wait for a buffer until now: the time since the last call of this loop
 * is no work. In a frame with ticks, in the first form, call es_loop_wait after them: else that time is theirs, too,
 * and the call counts nothing. */
ES_API void es_loop_acquired(es_loop *loop);

/* --- a frame, stepped form: begin, tick ..., wait, draw, submit, present, end ------------------- *
 * For ticks that the plan must follow (docs/guide.md). Not for a host's frames. */

/* Opens a frame. With ES_PACE_AUTO this call can wait for the right start time. */
ES_API bool es_loop_begin(es_loop *loop);

/* The next tick of the frame; call it until it returns false. */
ES_API bool es_loop_tick(es_loop *loop, es_step *step);

/* Then es_loop_wait waits until the frame starts, and fills frame. Ticks that the program left unrun
 * are dropped. */

/* --- control ---------------------------------------------------------------------------------- */

/* Stops or resumes content; frames go on and show the same instant. From the next frame on. */
ES_API void es_loop_set_paused(es_loop *loop, bool paused);

/* While paused: the next frame runs one tick and shows it (alpha 1; with alpha_below_one it shows
 * it at alpha 0). Calls add up. False: not paused. */
ES_API bool es_loop_tick_once(es_loop *loop);

/* The speed of content, 0 to 1000, to the nearest fraction with a denominator up to 1000; 1 is
 * normal. Ticks keep their period. */
ES_API bool es_loop_set_speed(es_loop *loop, double speed);

/* The window is hidden, minimised or occluded, from the next frame on. While it is, a timer paces the
 * frames, and es_frame.visible is false: run the ticks, and do not present. */
ES_API void es_loop_set_visible(es_loop *loop, bool visible);

/* Call this after a level load or a modal dialog: the game does not catch up that time. */
ES_API bool es_loop_resync(es_loop *loop);

/* Nothing moves: the program waits for events by itself, and draws no frame meanwhile. Ends the last frame.
 * The time from this call to the next frame is no frame time: the game does not see it, it is no gap
 * and no slow frame, and es_account.gaps_ns has it. Not while ticks run, in the stepped form, nor on
 * threads (threads.h). */
ES_API bool es_loop_idle(es_loop *loop);

/* Goes to a tick, 0 or later, whose state the program has loaded. In the first form: after the
 * frame's ticks, or before es_loop_next. False: its time is beyond 36 years. */
ES_API bool es_loop_seek(es_loop *loop, int64_t tick);

/* --- what was seen ---------------------------------------------------------------------------- */

/* Reports when one of the last 16 frames was seen, or that it never was. */
ES_API void es_loop_presented(es_loop *loop, const es_present *sample);

/* Says what the platform does with the targets of frames, from the next frame on; NULL: nothing.
 * Screen times tell whether it keeps target_ns: without them, and while it does not, that is 0.
 * Also false: a time is out of its range. */
ES_API bool es_loop_set_targets(es_loop *loop, const es_targets *targets);

/* What is known of the display. Where the pace is not auto: mode ES_DISPLAY_FREE, and the fields from
 * frames_per_s on. */
ES_API es_display es_loop_get_display(const es_loop *loop);

/* The report of the frame that ended last, valid until the next one ends; NULL before the first. */
ES_API const es_report *es_loop_get_report(const es_loop *loop);

/* NULL: none. Else the gravest misuse or obstacle of the last 2 s, and what to do about it. */
ES_API const char *es_loop_problem(const es_loop *loop);

/* Fills text with a line for a window's title or a corner of the screen, and returns it: "display 60.00 Hz,
 * queue 2; 60.0 frames per s; no problem". size: 160 is enough but for long problems, which are cut.
 * text NULL or size 0: returns "". loop NULL: "no loop". */
ES_API const char *es_loop_status(const es_loop *loop, char *text, size_t size);

/* How long es_loop_next would wait if it were called now; 0: not at all, or a host calls. The time
 * for work that may be done in advance. */
ES_API int64_t es_loop_idle_ns(const es_loop *loop);

/* --- configuration ---------------------------------------------------------------------------- */

/* Fills config with the settings of a loop: "auto", "low-latency", "adaptive", "lockstep",
 * "variable", "decoupled", "max-frameskip". docs/guide.md describes them. False: no such name. */
ES_API bool es_loop_preset(const char *name, es_loop_config *config);

/* Replaces all settings of a running loop but the clock: change those of es_loop_get_config. The game
 * goes on from the instant and the pair of ticks on the screen, and ticks count on. Not while a frame's
 * ticks run, in the stepped form. */
ES_API bool es_loop_configure(es_loop *loop, const es_loop_config *config);

/* The configuration in force: as given and changed since, 0 still meaning default. */
ES_API es_loop_config es_loop_get_config(const es_loop *loop);

/* es_loop_create in the program's memory, ES_LOOP_BYTES, aligned as malloc's: nothing is allocated. */
ES_API es_loop *es_loop_create_in(void *memory, size_t size, const es_loop_config *config);

/* --- time ------------------------------------------------------------------------------------- */

/* An exact rate. 59.94, 29.97, 23.976 and 119.88 are n * 1000/1001, as in video; other fractions are
 * the nearest one with a denominator up to 1000. Not from 0.001 to 1e9: {0, 1}, which every
 * configuration refuses. */
ES_API es_rate es_hz(double hz);

/* The exact time of an event: floor(events * period), from event 0 at time 0. Negative counts lie
 * before it. Saturates; 0 for a rate that is not valid. */
ES_API int64_t es_rate_time_ns(es_rate rate, int64_t events);

/* The system's monotonic clock, on which loops run by default; 0 where there is none. */
ES_API int64_t es_now_ns(void);

/* Waits on that clock: one sleep to shortly before the deadline, then a spin. Each thread learns how
 * long its sleeps last. */
ES_API void es_wait_until(int64_t deadline_ns);

/* The clock of es_now_ns and es_wait_until, to give it to others. False: this platform has none. */
ES_API bool es_clock_system(es_clock *out);

/* Gives the calling thread priority over all ordinary threads, so that waits end in time under load;
 * false: back. Returns false where the system does not allow it or has none. */
ES_API bool es_thread_set_realtime(bool on);

/* --- one number between two ------------------------------------------------------------------- */

/* On the straight line; the difference of a and b is finite. t: 0 and below give a; 1, above, and a
 * NaN give b, exactly. Equal numbers give that number. A larger t never goes back. */
ES_API double es_lerp(double a, double b, double t);
ES_API float es_lerpf(float a, float b, double t);

/* --- versions, other languages ---------------------------------------------------------------- *
 * Every function of these headers is exported, and none needs a macro. In C and C++ a macro of the
 * same name stands before some: es_loop_create and es_loop_create_in then refuse a header of another
 * version, es_lerp and es_lerpf are inlined. (es_lerp)(a, b, t) or #undef es_lerp: the function.
 * Another language makes a loop by es_loop_create_checked, with the sizes of its own declarations. */

/* The version of the library that is linked, as ES_VERSION. */
ES_API int es_version(void);

/* Called where the library finds that one of its invariants does not hold: a bug in it, or memory that
 * something has overwritten. message: the file, the line, the expression and its values; valid during the
 * call. Where it returns, the library goes on, and later results may be wrong. */
typedef void (*es_assert_handler)(void *user, const char *message);

/* Another handler; NULL: the default, which prints the message to stderr and calls abort. Set it before
 * other threads use the library. Only libraries that are compiled with ES_ASSERTIONS=1 check: debug and
 * sanitizer builds do. */
ES_API void es_set_assert_handler(es_assert_handler handler, void *user);

/* es_loop_create (memory NULL, size 0) or es_loop_create_in, which refuse what differs from the
 * library: sizes: ES_VERSION, then the sizes of es_loop_config, es_frame, es_step, es_report and
 * es_display. */
ES_API es_loop *es_loop_create_checked(
        const es_loop_config *config, void *memory, size_t size, const uint32_t sizes[6]);

#ifdef __cplusplus
}
#endif

/* --- private: the macros before functions ------------------------------------------------------ */

/* A cast that C++ does not warn of. */
#ifdef __cplusplus
#define ES_CAST_(type, value) static_cast<type>(value)
#else
#define ES_CAST_(type, value) ((type)(value))
#endif

#define ES_SIZES_                                                                                  \
    {                                                                                              \
        ES_VERSION, sizeof(es_loop_config), sizeof(es_frame), sizeof(es_step), sizeof(es_report),  \
                sizeof(es_display)                                                                 \
    }

static inline es_loop *es_loop_create_(const es_loop_config *config)
{
    const uint32_t sizes[6] = ES_SIZES_;
    return es_loop_create_checked(config, NULL, 0, sizes);
}
#define es_loop_create(...) es_loop_create_(__VA_ARGS__)

static inline es_loop *es_loop_create_in_(void *memory, size_t size, const es_loop_config *config)
{
    const uint32_t sizes[6] = ES_SIZES_;
    return es_loop_create_checked(config, memory, memory != NULL ? size : 1, sizes);
}
#define es_loop_create_in(...) es_loop_create_in_(__VA_ARGS__)

static inline double es_lerp_(double a, double b, double t)
{
    return t < 1 ? (t > 0 ? a - t * (a - b) : a) : b;
}
#define es_lerp(...) es_lerp_(__VA_ARGS__)

static inline float es_lerpf_(float a, float b, double t)
{
    return ES_CAST_(float, es_lerp_(ES_CAST_(double, a), ES_CAST_(double, b), t));
}
#define es_lerpf(...) es_lerpf_(__VA_ARGS__)

/* --- names of version 0.2, for one version ----------------------------------------------------- */

#if defined(__GNUC__)
#define ES_RENAMED_(name) __attribute__((deprecated("renamed to " name)))
#else
#define ES_RENAMED_(name)
#endif

ES_RENAMED_("es_loop_get_display") static inline es_display es_loop_display(const es_loop *loop)
{
    return es_loop_get_display(loop);
}

ES_RENAMED_("es_loop_get_report") static inline const es_report *es_loop_report(const es_loop *loop)
{
    return es_loop_get_report(loop);
}

ES_RENAMED_("es_loop_tick_once") static inline bool es_loop_step_once(es_loop *loop)
{
    return es_loop_tick_once(loop);
}

#endif
