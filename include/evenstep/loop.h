/* SPDX-License-Identifier: Zlib
 *
 * loop: what a game calls: begin, tick, ready, submit, end. The roof over clock, gap, pacer,
 * display, content and ticker.
 *
 *   es_loop loop;
 *   es_loop_config config = es_loop_config_default();
 *   es_loop_init(&loop, &config, NULL);
 *   while (!quit) {
 *       es_step step;
 *       es_frame frame;
 *       es_loop_begin(&loop);
 *       poll_input();
 *       while (es_loop_tick(&loop, &step)) {
 *           previous = current;
 *           update(&current, step.dt_s);
 *       }
 *       es_loop_ready(&loop, &frame);
 *       draw(mix(previous, current, frame.alpha));
 *       es_loop_submit(&loop);
 *       present();
 *       es_loop_end(&loop);
 *   }
 *
 * Two ways in: these calls, and es_loop_begin_host in place of
 * es_loop_begin for a program that is called once per frame and must never wait (browsers, iOS,
 * engines). On desktop SDL3, SDL_AppIterate may wait: it calls es_loop_begin.
 *
 * {0} is "auto". Leave vsync on. Frames come as fast as the display lets them; from the returns of
 * presents that block the loop finds out when it refreshes and how many pictures wait, and each
 * frame shows the instant at which it will be seen (less the delay). The simulation is run just
 * past that instant before drawing, so drawing blends between two ticks and adds no delay. Until
 * the refreshes are known, content follows smoothed frame times. Frames are paced only where
 * presents provably do not block: at the announced refresh, or else by rule "adaptive": frames
 * start an interval apart, and each shows its start. docs/pacing.md tells the method.
 *
 * The other loops that games use are settings of the same engine (es_loop_config_named), and what
 * they are made of combines freely: how the simulation steps, what sets the pace, which instant a
 * frame aims at, how far it stays behind, and what happens when the machine cannot keep up.
 *
 * Not for: more than one thread: that is threaded.h.
 */
#ifndef EVENSTEP_LOOP_H
#define EVENSTEP_LOOP_H

#include "evenstep/clock.h"
#include "evenstep/display.h"
#include "evenstep/frame.h"

/* The most ticks per frame that a bound may allow. */
#define ES_TICKS_MAX 1000000

/* The most ticks that may run ahead of those that a frame shows; the least is -1. */
#define ES_LEAD_MAX 4

/* What sets the pace of frames. */
typedef enum es_pace {
    ES_PACE_AUTO = 0, /* the display's, once its refreshes are known (display.h); until then none;
                         a timer where presents provably do not block. With the aim begin
                         there is no display time: frames start at once, and wait only where
                         presents provably do not block. A loop's; a pacer by itself takes it for
                         adaptive */
    ES_PACE_ADAPTIVE, /* rule A1: an interval that makes room for the work */
    ES_PACE_FIXED,    /* an interval that stays: a frame whose work does not fit loses whole ones */
    ES_PACE_UNCAPPED  /* none: a frame starts at once; a present that blocks, or nothing, paces */
} es_pace;

/* Which instant a frame takes for the time it is seen (D). */
typedef enum es_aim {
    ES_AIM_START = 0, /* when drawing starts: the planned start, or where that has passed the clock,
                         read again before each tick */
    ES_AIM_BEGIN /* when the frame was begun: after a present that blocks, the steadiest reading
                         there is; with a pace that waits it is early by the wait */
} es_aim;

/* What one update is. */
typedef enum es_step_kind {
    ES_STEP_FIXED =
            0,        /* as many updates of one period as the frame's content needs: 0, 1 or more */
    ES_STEP_VARIABLE, /* one update per frame, as long as the frame before it took. No exact replay:
                          the steps are the machine's */
    ES_STEP_LOCKSTEP  /* one update of one period per frame, however long the frame took: the game
                          slows down and speeds up with the frames */
} es_step_kind;

/* What happens to time that the simulation cannot keep up with. Each is bounded, and counted per
 * frame and in total. Without a shortage all five are the same, if interval_ns is the display's
 * (wait). */
typedef enum es_catch_up {
    ES_CATCH_UP_DROP = 0, /* ticks over the bound are not run; their time is lost at once */
    ES_CATCH_UP_SLOW, /* slow motion: content time runs evenly slower, as far as the machine needs;
                             once nothing has been short for 1 s it recovers by 1/104 per frame */
    ES_CATCH_UP_SPREAD, /* the time is owed: content runs up to 1/4 faster until it is made up. What
                             is owed over catch_up_max_ns is dropped */
    ES_CATCH_UP_STRETCH, /* steps get longer, up to stretch_max periods, so that fewer are needed;
                             what is still missing is dropped. No exact replay */
    ES_CATCH_UP_WAIT     /* lockstep wait: a frame moves the world on by at most 5/4 of the
                             configured interval_ns, however long it took. The bound still holds */
} es_catch_up;

/* How a loop behaves. {0} is the default throughout. Copied by es_loop_init. */
typedef struct es_loop_config {
    es_clock clock;       /* {0}: the machine's clock */
    es_rate tick_rate;    /* ticks per second; {0, 0}: 60. Up to 1 000 000. Variable: the length
                                of a single step while paused */
    es_step_kind step;    /* what one update is */
    es_pace pace;         /* what sets the pace of frames */
    es_aim aim;           /* which instant a frame takes for the time it is seen (D) */
    es_catch_up catch_up; /* what happens when the machine cannot keep up; fixed steps have all
                                five, variable ones drop and wait, lockstep is its own */
    bool alpha_below_one; /* false: 0 < alpha <= 1: a frame exactly at a tick shows it as the newer
                                of its pair; true: 0 <= alpha < 1: as the older, so every tick that
                                is due by then has run, as accumulators do. Fixed steps only */
    int64_t interval_ns;  /* render interval to start with; 0: 1/60 s, with lockstep the period of
                                a tick; uncapped: what to expect, 0: unknown. 10 us to 10 s. Auto:
                                on a display, the nearest whole number of refreshes; 0: each one.
                                Auto with the aim begin: where presents do not block; 0: the
                                announced refresh, else 1/60 s */
    int64_t interval_min_ns; /* auto, adaptive: it may shrink to this; 0: interval_ns. 10 us to
                                interval_ns */
    int64_t interval_max_ns; /* auto, adaptive: it may grow to this; 0: 50 ms or interval_ns,
                                whichever is more, and with slow and wait the work of a frame under
                                a load that lasts. Work beyond it is a stall, not a load to pace
                                for. Up to 10 s. interval_ns: the rate stays, whatever happens */
    int32_t ticks_max; /* most ticks per frame; 0: enough for catch_up_max_ns and the lead, and
                                no more once they took 100 ms (or interval_max_ns, if that is more).
                                Up to ES_TICKS_MAX. Fixed steps only */
    int64_t catch_up_max_ns; /* a frame needs no more simulated time than this at once: what is beyond
                                goes to catch_up. 0: 100 ms, interval_max_ns if that is more; 1 s
                                with ES_CATCH_UP_SPREAD. Fixed steps only */
    int32_t stretch_max;     /* policy stretch: the longest step, in periods; 0: 4. 2 to 100 */
    double delay_ticks;      /* how far the picture stays behind, in ticks; 0 (default): not at all;
                                1: the classic accumulator. 0 to 8. Fixed steps only */
    int32_t lead_ticks;      /* how many ticks run beyond the two that bracket the picture; 0
                                (default): none; 1: the tick after them, for splines; -1: one fewer,
                                so that the newest is up to a tick older than the picture, which is
                                extrapolated by ahead_ns. Up to ES_LEAD_MAX. Fixed steps only */
    int64_t step_min_ns;     /* variable: a step shorter than this ... 0: 1 ns */
    int64_t step_max_ns;     /* ... or longer than this is absurd; 0: 1 s. Up to 1 h ... */
    int64_t step_absurd_ns; /* ... and replaced by this; 0: 1 ms. What it leaves out is dropped */
    int64_t gap_ns;         /* a longer span between two calls is no frame; 0: 1 s, or twice
                                interval_max_ns if that is more. Over interval_max_ns. A shorter
                                stop, leap of the clock or blocked present is a slow frame, which
                                catch_up deals with, unless a second source tells: the time asleep
                                (from 50 ms), or a display's count of refreshes in feedback */
    int64_t refresh_ns;     /* auto: the display's refresh as announced, tried first; 0: unknown.
                                Up to 1 s */
    int32_t queue;          /* auto: how many pictures present lets wait, the one on its way to the
                                screen included; 0: found out. Up to ES_DISPLAY_QUEUES */
    bool low_latency;       /* auto: frames begin just in time for their refresh, so input is
                                younger, and nothing protects from a frame that takes longer ... */
    double missed_max;      /* ... so this share of refreshes may repeat a picture for it; 0: 0.01.
                                0.0001 to 0.5 */
} es_loop_config;

/* The loop itself. */
#include "evenstep/loop_parts.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The default configuration, written out; {0} means the same.
 * Returns a config in which 0 is left where the default follows another field (the intervals,
 * ticks_max, catch_up_max_ns, gap_ns), and for the clock: the machine's. */
ES_API es_loop_config es_loop_config_default(void);

/* The configuration of a loop by its name. auto           {0}, the default: the display's
 * refreshes, where there are any to keep to low-latency    auto, and frames begin as late as their
 * work allows adaptive       an interval that makes room for the work lockstep       one update
 * per frame at one rate; what overruns loses whole intervals, and the game slows down with the
 * pictures variable       one update per frame with the measured time decoupled      the ticks
 * that are due, then one frame, blended, one tick behind; more than 1 s behind is dropped
 * max-frameskip  ticks (50 per second) until the clock is reached, at most 10, then one frame
 * name: one of these; NULL is none.
 * config: filled, ready to be changed further; not NULL.
 * Errors: ES_ERR_INVALID: there is no loop of that name, or a NULL.
 * Source: docs/loops.md tells where each comes from. */
ES_API es_result es_loop_config_named(const char *name, es_loop_config *config);

/* The names that es_loop_config_named knows.
 * index: from 0.
 * Returns the name, static; NULL past the last.
 * Ownership: a static text. */
ES_API const char *es_loop_config_name(size_t index);

/* The name of a catch-up policy: "drop", "slow", "spread", "stretch", "wait".
 * policy: one of es_catch_up.
 * Returns the name, static; NULL past the last.
 * Ownership: a static text. */
ES_API const char *es_catch_up_name(es_catch_up policy);

/* Checks a configuration.
 * config: not NULL.
 * error: filled with the first offending field, or with NULLs; may be NULL.
 * Returns ES_OK when es_loop_init would accept it.
 * Errors: ES_ERR_INVALID, and the field's name and the reason in error. */
ES_API es_result es_loop_config_validate(const es_loop_config *config, es_error *error);

/* Makes a loop. The clock is first read by the first frame.
 * loop: the caller's memory, any content; not NULL.
 * config: copied; NULL: the default.
 * error: names the field when the config is refused; may be NULL.
 * Returns ES_OK, or an error and an unusable loop.
 * Errors: ES_ERR_INVALID: as es_loop_config_validate.
 * Ownership: keeps the clock's functions and user pointer, nothing else. Allocates nothing, now or
 * later; there is nothing to free.
 * Threads: any thread; from the first frame on, one thread at a time. */
ES_API es_result es_loop_init(es_loop *loop, const es_loop_config *config, es_error *error);

/* Opens a frame that the loop paces. With low_latency it waits first: read input after it.
 * loop: initialised. A frame that is still open is given up: it gets no report, its ticks stay
 * run.
 * Errors: ES_ERR_STATE: loop is NULL or not initialised. ES_ERR_UNSUPPORTED: the clock cannot wait
 * (a clock without wait_until, or no clock at all). */
ES_API es_result es_loop_begin(es_loop *loop);

/* Opens a frame that a host owns: a browser, iOS, an engine. Nothing will wait. (SDL3's callbacks
 * may wait on a desktop: es_loop_begin.)
 * loop: initialised; an open frame is given up. Do not mix with es_loop_begin on one loop.
 * start_ns: when the host says the frame began (a browser: the argument of requestAnimationFrame),
 * in ns from any origin, the same at every call. Repeats, steps back and leaps are dealt with as
 * gaps.
 * expected_present_ns: when it will be seen, same origin; 0: unknown, then the frame shows its
 * start. One that is before the start, or more than gap_ns after it, is ignored.
 * Returns true: go on with es_loop_tick and the rest. False: skip this callback: loop is NULL or
 * not initialised.
 * Errors: None but the false. */
ES_API bool es_loop_begin_host(es_loop *loop, int64_t start_ns, int64_t expected_present_ns);

/* The next tick that this frame needs; call it until it returns false. Each call counts the tick
 * before as done and looks at the time: the frame's start moves if there was too much work. When
 * it returns false the plan is final.
 * loop: a frame is open and not ready.
 * step: filled when the answer is true; not NULL.
 * Returns true: capture the state as previous, then run this step.
 * Errors: False also when called out of order, or with a NULL. */
ES_API bool es_loop_tick(es_loop *loop, es_step *step);

/* What es_loop_ready is going to say, before it waits: for what the waiting time can be used for.
 * It will wait until the frame's start_ns, on the loop's clock: not at all where that is past, as
 * on a display that sets the pace, where present waits. What the program does until then is not
 * counted as the frame's work; done later than start_ns it makes the frame late.
 * loop: es_loop_tick has returned false, and the frame is not ready yet.
 * frame: filled, with late_ns 0; not NULL.
 * Errors: ES_ERR_STATE: called at another time (or loop is NULL). ES_ERR_INVALID: frame is NULL. */
ES_API es_result es_loop_plan(const es_loop *loop, es_frame *frame);

/* Waits until the frame starts, and says what to draw. Ticks still owed are dropped, whatever the
 * policy: leave the tick loop early and the game slows. A host's frame never waits.
 * loop: a frame is open.
 * frame: filled; may be NULL.
 * Errors: ES_ERR_STATE: no frame is open (or loop is NULL), or it was ready already; frame is
 * unchanged.
 * Threads: the loop's thread; blocks in the clock's wait_until. */
ES_API es_result es_loop_ready(es_loop *loop, es_frame *frame);

/* Says that drawing is done: what follows (the blocking present) is not work. With the pace auto
 * it may wait first: so that a picture stays for the refreshes it should, or comes at an even time
 * where nothing else sees to that.
 * loop: ready. Leave it out only if present cannot block: the work would end at es_loop_end, and a
 * wait for the display would count as work.
 * Errors: ES_ERR_STATE: the frame is not ready (or loop is NULL), or submitted already. */
ES_API es_result es_loop_submit(es_loop *loop);

/* Closes the frame. Call it when present has returned: that is taken as the screen time.
 * loop: ready or submitted. On success es_loop_report has the frame's report.
 * Errors: ES_ERR_STATE: the frame is not ready, or loop is NULL. */
ES_API es_result es_loop_end(es_loop *loop);

/* Closes the frame with a known screen time, such as a simulated display's. Platforms that tell
 * screen times do so some frames later: then end with es_loop_end, keep a copy of the report, and
 * hand it to es_meter_add when shown_ns is known.
 * loop: ready or submitted.
 * shown_ns: when this frame was seen, on the loop's clock.
 * source: how that is known; goes into the report. On success es_loop_report has the frame's
 * report.
 * Errors: ES_ERR_STATE: the frame is not ready, or loop is NULL. */
ES_API es_result es_loop_end_shown(es_loop *loop, int64_t shown_ns, es_shown_source source);

/* Tells the loop when one of its frames was really seen, or that it never was: it then knows the
 * display's refreshes exactly, and whether pictures wait for them or replace each other.
 * loop: initialised, its pace auto; else nothing happens. Any time.
 * sample: as es_feedback_reported has TAKEN it, or found it DISCARDED; in the order of the frames;
 * not NULL. Those of frames more than ES_DISPLAY_FRAMES ago are passed over.
 * Errors: ES_ERR_STATE: loop is NULL or not initialised. ES_ERR_INVALID: sample is NULL. */
ES_API es_result es_loop_presented(es_loop *loop, const es_present_sample *sample);

/* What is known of the display.
 * loop: initialised.
 * Returns a plain value; mode ES_DISPLAY_FREE and nothing else where the pace is not auto, or a
 * host owns the frames. */
ES_API es_display_status es_loop_display(const es_loop *loop);

/* The report of the frame that ended last.
 * loop: initialised.
 * Returns the report, or NULL before the first es_loop_end.
 * Ownership: points into the loop; overwritten by the next es_loop_end. */
ES_API const es_frame_report *es_loop_report(const es_loop *loop);

/* Stops or resumes content time. Frames go on, showing the same instant.
 * loop: initialised; any time. While a frame's ticks run it waits until the frame is over.
 * paused: true to stop. Resuming goes on from the instant shown: nothing leaps.
 * Errors: A loop that is NULL or not initialised is left alone. */
ES_API void es_loop_pause(es_loop *loop, bool paused);

/* Whether content time is stopped.
 * loop: initialised.
 * Returns what es_loop_pause said last. */
ES_API bool es_loop_is_paused(const es_loop *loop);

/* While paused: the next frame runs exactly one tick and shows it (alpha 1); with alpha_below_one
 * it shows the tick before, which the new one brackets (alpha 0). With a lead the picture moves on
 * by one tick as well, and a lead of -1 extrapolates to it. The frame runs one tick for that: more
 * where a lead has just begun or grown, none where there are more than the lead asks for.
 * loop: paused. Several calls before one frame make one tick in each of the next frames.
 * Errors: ES_ERR_STATE: not paused, NULL or not initialised. */
ES_API es_result es_loop_step_once(es_loop *loop);

/* Sets how fast content time runs: slow motion, fast forward. Ticks keep their period.
 * loop: initialised; any time, in force from the instant on the screen. While a frame's ticks run
 * it waits until the frame is over.
 * scale: 1/1 is normal, 1/4 a quarter; 0/1 stands still; up to 1000.
 * Errors: ES_ERR_INVALID: denominator 0, or over 1000. ES_ERR_STATE: loop is NULL or not
 * initialised. */
ES_API es_result es_loop_set_time_scale(es_loop *loop, es_ratio scale);

/* How fast content time runs, a pause left aside.
 * loop: initialised.
 * Returns what es_loop_set_time_scale accepted last; 1/1 at first. */
ES_API es_ratio es_loop_time_scale(const es_loop *loop);

/* The tick rate.
 * loop: initialised.
 * Returns ticks per second. */
ES_API es_rate es_loop_tick_rate(const es_loop *loop);

/* Changes the tick rate: the next tick comes one new period after the newest one. Content goes on
 * from where it is, also with a delay (which is in ticks).
 * loop: any time but from a frame's first tick until it is ready. Input is best polled before.
 * rate: as in es_loop_config; not {0, 0}.
 * Errors: ES_ERR_INVALID: out of range. ES_ERR_STATE: the frame's ticks are running, or loop is
 * NULL or not initialised. */
ES_API es_result es_loop_set_tick_rate(es_loop *loop, es_rate rate);

/* Sets the render interval, and the floor to which it shrinks: another display, a new limit.
 * loop: any time but from a frame's first tick until it is ready; in force from the next frame on;
 * with the pace auto on a display, once that is known well (3 s after it was found).
 * interval_ns: 10 us to 10 s. interval_max_ns follows: the default by its rule, one equal to the
 * interval stays equal (the rate stays pinned), any other grows if it must. It must stay below
 * gap_ns.
 * Errors: ES_ERR_INVALID: out of range. ES_ERR_STATE: the frame's ticks are running, or loop is
 * NULL or not initialised. */
ES_API es_result es_loop_set_interval(es_loop *loop, int64_t interval_ns);

/* Makes it another loop while it runs: a settings menu, a comparison. The game goes on from the
 * instant and the pair of ticks on the screen; tick numbers go on, and so do the account, a pause
 * and the time scale. Only from fixed steps to lockstep or variable ones content moves to the
 * newest tick (lockstep after a lead of -1: to the next), by less than a tick and the lead, which
 * is booked as sought: those loops show their newest tick. Where the tick rate changes, the next
 * tick comes one new period after the newest. A pause on the very instant of the pair's older tick
 * keeps its alpha of 0 when alpha_below_one ends.
 * loop: any time but from a frame's first tick until it is ready.
 * config: as for es_loop_init; its clock is ignored: the loop keeps its own. It replaces every
 * setting: one filled by es_loop_config_named brings that loop's tick rate and interval. To change
 * a few, start from es_loop_get_config.
 * error: names the field when the config is refused, else holds NULLs; may be NULL.
 * Errors: ES_ERR_INVALID: as es_loop_config_validate. ES_ERR_STATE: the frame's ticks are running,
 * or loop is NULL or not initialised. */
ES_API es_result es_loop_reconfigure(es_loop *loop, const es_loop_config *config, es_error *error);

/* The configuration in force, as it was given and changed since: with its 0 for defaults.
 * loop: initialised.
 * Returns what es_loop_init or es_loop_reconfigure took, with what the setters changed.
 * Errors: All 0 for a loop that is NULL or not initialised. */
ES_API es_loop_config es_loop_get_config(const es_loop *loop);

/* Sets what happens when the machine cannot keep up.
 * loop: any time but from a frame's first tick until it is ready. What is owed under the policy
 * before is dropped, and slow motion ends at once, unless the new one is the same.
 * policy: as in es_loop_config.
 * Errors: ES_ERR_INVALID: no such policy, or none for this loop's kind of step. ES_ERR_STATE: the
 * frame's ticks are running, or loop is NULL or not initialised. */
ES_API es_result es_loop_set_catch_up(es_loop *loop, es_catch_up policy);

/* Sets how many ticks run beyond those that bracket the picture.
 * loop: any time but from a frame's first tick until it is ready; in force from the next frame on.
 * Content goes on from where it is: a greater lead runs its ticks with that frame (if the bound on
 * ticks cuts some off, content waits for them), a smaller one runs none until it fits.
 * lead_ticks: -1 to ES_LEAD_MAX; 0 unless steps are fixed.
 * Errors: ES_ERR_INVALID: out of range, not for this loop's kind of step, or over a day at this
 * tick rate. ES_ERR_STATE: the frame's ticks are running, or loop is NULL or not initialised. */
ES_API es_result es_loop_set_lead(es_loop *loop, int32_t lead_ticks);

/* Says that the time since the last frame was not the game's: a level load, an open dialog. The
 * next frame goes on as if one interval had passed. Seeking and resuming from a pause do this by
 * themselves.
 * loop: any time but from a frame's first tick until it is ready. On success what is left out is
 * in the account, as slowed.
 * Errors: ES_ERR_STATE: the frame's ticks are running, or loop is NULL or not initialised. */
ES_API es_result es_loop_resync(es_loop *loop);

/* Leaps to a tick, earlier or later, as if the last frame had shown it. Load its state yourself;
 * how long that takes does not matter (see es_loop_resync).
 * loop: any time but from a frame's first tick until it is ready.
 * tick: 0 or later (one from before a change of rate or a step of another length gets its time at
 * the present rate, counted from tick 0); its time stays exact, so seeking never adds drift. On
 * success the newest tick is this one; it has no previous tick until the next has run. A lead is
 * run anew, with the next frame.
 * Errors: ES_ERR_STATE: the frame's ticks are running, or loop is NULL or not initialised.
 * ES_ERR_RANGE: below 0, or beyond 292 years. */
ES_API es_result es_loop_seek(es_loop *loop, int64_t tick);

#ifdef __cplusplus
}
#endif

#endif
