/* SPDX-License-Identifier: Zlib
 *
 * loop: the calls of a frame.
 *
 *   es_loop loop;
 *   es_frame frame;
 *   es_loop_init(&loop, NULL, NULL);         60 ticks per second, paced by the display
 *   while (es_loop_next(&loop, &frame) && poll_input()) {
 *       for (int i = 0; i < frame.ticks; ++i) {
 *           previous = current;
 *           update(&current, frame.tick_s);
 *       }
 *       draw(mix(previous, current, frame.alpha));
 *       es_loop_submit(&loop);               drawing is done: blocking from here on is not work
 *       present();
 *   }
 *
 * Where a host calls the program once per frame (a browser, iOS, an engine), es_loop_next_at takes
 * the place of es_loop_next, and nothing waits. SDL3's callbacks may wait on a desktop. Where the
 * plan must follow the running ticks, use the stepped form: es_loop_begin, _tick, _ready, _submit,
 * _end.
 *
 * The default {0} is the loop "auto". Leave vsync on. The loop measures when presents return,
 * finds the refresh period and the queue depth, and predicts when each frame will be on the screen.
 * The frame shows the simulated time that belongs to this screen time, minus delay_ticks. Ticks run
 * until the simulation has just passed that time, so blending adds no delay. Until the loop has
 * found the refreshes, content follows smoothed frame times. A timer paces frames only if presents
 * provably do not block. docs/pacing.md describes the method. es_loop_config_named has other loops.
 *
 * Defaults of this header; a function states only exceptions.
 *   Errors      es_result; on an error nothing changes. ES_ERR_STATE: loop is NULL or not
 *               initialised, or the call is out of order. Pointers to be filled are not NULL.
 *   Changes     a setter is refused (ES_ERR_STATE) from a frame's first tick until es_loop_ready.
 *               In the first form it acts from the next frame on; the frame in hand keeps its ticks.
 *   Threads     one thread per loop. threaded.h is for two.
 *   Allocation  none. A loop holds no resource: copy or move it between frames, free nothing. */
#ifndef EVENSTEP_LOOP_H
#define EVENSTEP_LOOP_H

#include "evenstep/clock.h"
#include "evenstep/display.h"
#include "evenstep/frame.h"

#define ES_TICKS_MAX  1000000 /* the largest ticks_max */
#define ES_LEAD_MAX   4       /* the largest lead_ticks; the smallest is -1 */
#define ES_UNKNOWN_NS (-1)    /* es_loop_next_at: the host does not say */

/* What sets the pace of frames. */
typedef enum es_pace {
    ES_PACE_AUTO = 0, /* after the loop has found the refreshes, the display. If presents provably
                         do not block, a timer. Until then, nothing. With ES_AIM_BEGIN there is no
                         display timing: only that timer */
    ES_PACE_ADAPTIVE, /* a timer (rule A1). The interval grows to 6/5 of work that does not fit, and
                         shrinks by at most 1 % per frame */
    ES_PACE_FIXED,    /* interval_ns; a frame whose work does not fit loses whole intervals */
    ES_PACE_UNCAPPED  /* none: a frame starts at once */
} es_pace;

/* Which time the loop uses as D (the expected screen time) if it cannot predict the display. */
typedef enum es_aim {
    ES_AIM_START = 0, /* the start of drawing: the planned one, or now where that has passed */
    ES_AIM_BEGIN      /* es_loop_begin: after a present that blocks, the steadiest reading */
} es_aim;

/* What one update is. */
typedef enum es_step_kind {
    ES_STEP_FIXED = 0, /* 0, 1 or more updates of one period per frame, as content needs */
    ES_STEP_VARIABLE,  /* one update per frame, of the measured frame time. No exact replay */
    ES_STEP_LOCKSTEP   /* one update of one period per frame, however long the frame took */
} es_step_kind;

/* What happens to simulated time that the machine cannot keep up with. Each is bounded, and
 * reported per frame and in total. */
typedef enum es_catch_up {
    ES_CATCH_UP_DROP = 0, /* ticks over the bound do not run; their time is lost at once */
    ES_CATCH_UP_SLOW,     /* slow motion: content runs evenly slower, as far as the machine needs.
                             After 1 s without a shortage it recovers by 1/104 per frame */
    ES_CATCH_UP_SPREAD,   /* content runs up to 1/4 faster until the debt is made up. Debt over
                             catch_up_max_ns is dropped */
    ES_CATCH_UP_STRETCH,  /* longer steps, up to stretch_max periods; the rest is dropped. No exact
                             replay */
    ES_CATCH_UP_WAIT      /* a frame moves the world by at most 5/4 of interval_ns, however long the
                             frame took. The bound still holds */
} es_catch_up;

/* Whether frames are held: each is shown for several refreshes, evenly, where the work does not fit
 * one. */
typedef enum es_hold {
    ES_HOLD_AUTO = 0, /* only on a known fixed refresh, after a second of work that did not fit */
    ES_HOLD_NEVER     /* frames come as fast as they can, at uneven times where the work needs it */
} es_hold;

/* How a loop behaves. 0 is the default of every field. "fixed": fixed steps only. */
typedef struct es_loop_config {
    es_clock clock;          /* default: the system's */
    es_rate tick_rate;       /* ticks per second; default 60, up to 1 000 000. With variable steps:
                                the length of a single step while paused */
    es_step_kind step;       /* what one update is */
    es_pace pace;            /* what sets the pace of frames */
    es_aim aim;              /* which instant is D */
    es_catch_up catch_up;    /* fixed steps: any; variable: drop or wait; lockstep: 0 */
    bool alpha_below_one;    /* false: 0 < alpha <= 1. True: 0 <= alpha < 1, so that every tick that
                                is due has run, as in an accumulator. fixed */
    int64_t interval_ns;     /* render interval, 10 us to 10 s. On a display, auto rounds it to
                                whole refreshes. Default: ES_STEP_LOCKSTEP: one tick period.
                                ES_PACE_UNCAPPED: none. ES_PACE_AUTO: every refresh; if presents do
                                not block, the known refresh, else 1/60 s. Otherwise: 1/60 s */
    int64_t interval_min_ns; /* auto, adaptive: shrinks to this. Default interval_ns */
    int64_t interval_max_ns; /* auto, adaptive: the interval may grow to this, up to 10 s. Longer
                                work is a stall and changes no interval. Default: 50 ms or
                                interval_ns, the larger. With the policies slow and wait, a lasting
                                overload can raise the interval above this default. Set it equal to
                                interval_ns to keep the frame interval constant */
    int32_t ticks_max;       /* most ticks per frame, up to ES_TICKS_MAX. Default: enough for
                                catch_up_max_ns and lead_ticks. The default also stops a frame's
                                ticks after 100 ms (or interval_max_ns, if longer) of real time.
                                fixed */
    int64_t catch_up_max_ns; /* most simulated time per frame; the rest goes to catch_up. Default:
                                250 ms or interval_max_ns, the larger; 1 s with spread. fixed */
    int32_t stretch_max;     /* stretch: the longest step in periods, 2 to 100; default 4 */
    double delay_ticks;      /* content stays this far behind D, in ticks, 0 to 8; default 0. 1 is
                                the classic accumulator. fixed */
    int32_t lead_ticks;      /* how many ticks the loop runs beyond the two ticks around content_ns,
                                -1 to ES_LEAD_MAX. Default 0. 1: for splines. -1: the newest tick
                                can be up to one tick period older than content_ns. The program then
                                extrapolates by ahead_ns. fixed */
    int64_t step_min_ns;     /* variable: the shortest plausible step; default 1 ns */
    int64_t step_max_ns;     /* variable: the longest, up to 1 h; default 1 s */
    int64_t step_absurd_ns;  /* variable: replaces an implausible step; the rest is dropped; default
                                1 ms */
    int64_t gap_ns;          /* a longer time between two calls is a gap, not a frame; more than
                                interval_max_ns; default: 1 s or twice interval_max_ns, the larger.
                                A shorter pause counts as a slow frame. Exception: the OS reports at
                                least 50 ms of suspend, or the refresh count (MSC) shows a clock
                                jump */
    int64_t refresh_ns;      /* auto: the refresh period that the system announces, up to 1 s;
                                default: not announced */
    es_hold hold;            /* auto: whether frames are held where the work does not fit */
    bool low_latency;        /* auto: es_loop_begin waits until just in time for the refresh. Input
                                is younger; a frame that takes longer repeats a refresh */
    double missed_max;       /* low_latency: share of refreshes that may repeat, 0.0001 to 0.5;
                                default 0.01 */
} es_loop_config;

/* es_loop itself, which is private. */
#include "evenstep/loop_parts.h"

#ifdef __cplusplus
extern "C" {
#endif

/* --- making a loop --------------------------------------------------------------------------- */

/* The default configuration with its numbers written out; {0} means the same. Fields whose default
 * follows another field stay 0. */
ES_API es_loop_config es_loop_config_default(void);

/* Fills config with a loop of this name. ES_ERR_INVALID: no such name. docs/loops.md has
 * sources.
 *   auto           {0}: the display's refreshes
 *   low-latency    auto, and frames begin as late as their work allows
 *   adaptive       a timer; its interval follows the work (rule A1)
 *   lockstep       one update per frame; a late frame loses whole intervals: slow motion
 *   variable       one update per frame, of the measured time
 *   decoupled      the ticks that are due, then one frame, a tick behind; drops over 1 s behind
 *   max-frameskip  50 ticks per second until the clock is reached, at most 10, then one frame */
ES_API es_result es_loop_config_named(const char *name, es_loop_config *config);

/* The names that es_loop_config_named knows, from index 0; NULL past the last. */
ES_API const char *es_loop_config_name(size_t index);

/* "drop", "slow", "spread", "stretch" or "wait"; NULL for any other value. */
ES_API const char *es_catch_up_name(es_catch_up policy);

/* ES_OK where es_loop_init would accept config, else ES_ERR_INVALID. error: the first wrong
 * field and the reason, or NULLs; may be NULL. */
ES_API es_result es_loop_config_validate(const es_loop_config *config, es_error *error);

/* Makes a loop in the caller's memory, of any content. config: copied; NULL: the default. error:
 * as of es_loop_config_validate. On an error the loop is unusable. The clock is first read by
 * the first frame. */
ES_API es_result es_loop_init(es_loop *loop, const es_loop_config *config, es_error *error);

/* --- a frame, first form: next, ticks, draw, submit, present --------------------------------- */

/* Ends the last frame, waits if it must, and plans the next. Its ticks and alpha are final, and all
 * its ticks count as run. Poll input after this call, run frame->ticks updates, draw, call
 * es_loop_submit, present. If the last frame was not submitted, its blocking in present counts as
 * work. Where a timer paces, the call returns before frame->start_ns, by what the ticks are expected
 * to cost. False: loop or frame is NULL, loop is not initialised, or its clock cannot wait. */
ES_API bool es_loop_next(es_loop *loop, es_frame *frame);

/* The same where a host calls the program once per frame; nothing waits. End such a frame by
 * es_loop_end. Do not mix with es_loop_next on one loop.
 * host_ns, expected_present_ns: as in es_loop_begin_host. ES_UNKNOWN_NS: not known; for host_ns the
 * loop then reads its own clock. Pass it in all frames or in none.
 * False: loop or frame is NULL, loop is not initialised, or there is no clock to read. */
ES_API bool es_loop_next_at(
        es_loop *loop, int64_t host_ns, int64_t expected_present_ns, es_frame *frame);

/* Update i of a frame of es_loop_next or es_loop_next_at: what es_loop_tick would have returned. No
 * side effect. i: 0 to frame->ticks - 1; else the step is all 0. If content does not run at normal
 * speed, due_ns is exact to 1 ns, except for the last update. In the stepped form the steps of
 * ES_CATCH_UP_STRETCH differ in length, and this function returns their mean. */
ES_API es_step es_frame_step(const es_frame *frame, int32_t i);

/* Optional in the first form, between the ticks and drawing. If a timer paces, drawing then starts
 * at frame->start_ns, whatever the ticks cost, and es_loop_next returns earlier. The loop also learns
 * the cost of the ticks by itself. Never waits after es_loop_next_at.
 * frame: stays as it is; may be NULL. In the stepped form: as es_loop_ready.
 * False: no such frame is open, or the call was made before. */
ES_API bool es_loop_wait(es_loop *loop, es_frame *frame);

/* Optional in both forms, before es_loop_submit: a driver made the program wait for a buffer until
 * now. The time since the last call with this loop is no work. Call es_loop_wait after the ticks, so
 * that their time is not part of it. */
ES_API void es_loop_acquired(es_loop *loop);

/* --- a frame, stepped form: begin, tick ..., ready, draw, submit, present, end ----------------
 * The plan follows how long the ticks take (rule A1 to the letter). */

/* Opens a frame. With ES_PACE_AUTO this call can wait for the right start time, not only with
 * low_latency. So poll input after it. If the previous frame was not ended, the loop abandons it:
 * es_loop_report gets no report for it, but its ticks count as run. ES_ERR_UNSUPPORTED: the clock
 * cannot wait. */
ES_API es_result es_loop_begin(es_loop *loop);

/* Opens a frame that a host owns; nothing waits. Do not mix with es_loop_begin on one loop.
 * start_ns: the frame's start time from the host, for example the requestAnimationFrame timestamp.
 * Its origin may be any, but must not change. The loop handles backward steps and jumps over gap_ns
 * as gaps.
 * expected_present_ns: when the frame will be seen, same origin; 0: not known. Ignored before
 * start_ns or more than gap_ns after it.
 * False: loop is NULL or not initialised. */
ES_API bool es_loop_begin_host(es_loop *loop, int64_t start_ns, int64_t expected_present_ns);

/* The next tick of the frame; call it until it returns false. True: save the state as previous,
 * then run *step. Each call ends the previous tick and reads the clock. If the ticks took too long,
 * the loop moves the frame's start later. False: the plan is final, or the call is out of order. */
ES_API bool es_loop_tick(es_loop *loop, es_step *step);

/* What es_loop_ready will return, before it waits; late_ns is 0. es_loop_ready then waits until
 * frame->start_ns. Work in that time is not counted as the frame's work.
 * Only after es_loop_tick has returned false. ES_ERR_INVALID: frame is NULL. */
ES_API es_result es_loop_plan(const es_loop *loop, es_frame *frame);

/* Waits until the frame starts and fills frame, which may be NULL. Ticks that the program left
 * unrun are dropped under every policy. A host's frame never waits. */
ES_API es_result es_loop_ready(es_loop *loop, es_frame *frame);

/* Drawing is done: blocking from here on is not work. With ES_PACE_AUTO this call can wait for the
 * planned submit time, so that frames flip at the planned refresh or at even intervals. Leave it
 * out only where present cannot block. */
ES_API es_result es_loop_submit(es_loop *loop);

/* Ends the frame. Call it directly after present returns. The report's shown_ns is the time of this
 * call. */
ES_API es_result es_loop_end(es_loop *loop);

/* The same with a known screen time, on the loop's clock, and its source: a simulated display. */
ES_API es_result es_loop_end_shown(es_loop *loop, int64_t shown_ns, es_shown_source source);

/* Reports when one of the last ES_DISPLAY_FRAMES frames was seen, or that it never was. Any
 * time, in the order of frames. sample: pass it only if es_feedback_reported returned
 * ES_FEEDBACK_TAKEN or ES_FEEDBACK_DISCARDED for it. Without effect where the pace is not auto.
 * ES_ERR_INVALID: sample is NULL. */
ES_API es_result es_loop_presented(es_loop *loop, const es_present_sample *sample);

/* --- questions ------------------------------------------------------------------------------- */

/* What is known of the display. Mode ES_DISPLAY_FREE and zeros where the pace is not auto, or a
 * host owns the frames. */
ES_API es_display_status es_loop_display(const es_loop *loop);

/* The report of the frame that ended last, valid until the next es_loop_end; NULL before the
 * first. */
ES_API const es_frame_report *es_loop_report(const es_loop *loop);

/* --- control --------------------------------------------------------------------------------- */

/* Stops or resumes content; frames go on and show the same instant. Any time: while a frame's ticks
 * run it takes effect after the frame. Resuming continues at the instant shown. */
ES_API void es_loop_pause(es_loop *loop, bool paused);
ES_API bool es_loop_is_paused(const es_loop *loop);

/* While paused: the next frame runs one tick and shows it (alpha 1); with alpha_below_one it
 * shows the tick before (alpha 0). If the program calls this n times before a frame, each of the
 * next n frames runs one tick. If lead_ticks was increased just before, this frame also runs the
 * missing lead ticks. If it was decreased, the frame can run none. */
ES_API es_result es_loop_step_once(es_loop *loop);

/* The speed of content, 0/1 to 1000/1; 1/1 is normal. Ticks keep their period. Any time, in
 * force from the instant on the screen. ES_ERR_INVALID: denominator 0, or over 1000. */
ES_API es_result es_loop_set_time_scale(es_loop *loop, es_ratio scale);

/* Ticks per second. A change takes effect one new period after the newest tick; content goes on
 * from where it is. rate: as in es_loop_config, not {0, 0}. */
ES_API es_rate es_loop_tick_rate(const es_loop *loop);
ES_API es_result es_loop_set_tick_rate(es_loop *loop, es_rate rate);

/* Changes the configuration of a running loop. The game goes on from the instant and the pair of
 * ticks on the screen, with the same tick numbers, account, pause and speed. If the loop changes
 * from fixed steps to lockstep or variable ones, content moves forward to the newest tick. From
 * lead_ticks = -1 to lockstep, it moves forward to the next tick. A larger lead_ticks runs its ticks
 * in the next frame, a smaller one runs none until it fits. If the new catch_up is not spread, the
 * remaining debt is dropped; if it is not slow, slow motion ends at once.
 * config: as for es_loop_init; its clock is ignored. To change a few fields start from
 * es_loop_get_config. */
ES_API es_result es_loop_reconfigure(es_loop *loop, const es_loop_config *config, es_error *error);

/* The configuration in force: as given and changed since, 0 still meaning default. All 0 for a loop
 * that is not initialised. */
ES_API es_loop_config es_loop_get_config(const es_loop *loop);

/* Call this after a level load or a modal dialog, so that the game does not catch up that time. The
 * next frame goes on as if one interval had passed; the rest is reported as slowed. Seeking and
 * resuming do this by themselves. */
ES_API es_result es_loop_resync(es_loop *loop);

/* Goes to a tick, 0 or later, whose state the program has loaded. The loop computes the tick's time
 * exactly, from the current tick rate. If the rate changed after that tick, it counts from tick 0
 * at the current rate. After the seek, previous_tick equals current_tick until the next tick has
 * run. ES_ERR_RANGE: below 0, or beyond 292 years. */
ES_API es_result es_loop_seek(es_loop *loop, int64_t tick);

#ifdef __cplusplus
}
#endif

#endif
