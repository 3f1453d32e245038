/* SPDX-License-Identifier: Zlib
 *
 * threads: the ticks of a loop on a thread of their own. An update may then take a whole period, and
 * frames stay even.
 *
 *   static void update(void *user, void *state, const void *previous, const es_step *step)
 *   {
 *       world_update(state, previous, step->dt_s);        // on the ticks' thread
 *   }
 *
 *   es_threads_config config = {.state_size = sizeof(world), .state = &first, .update = update};
 *   es_threads *threads = es_threads_start(loop, &config);
 *   es_frame frame;
 *   es_view view;
 *   while (es_loop_next(loop, &frame) && poll_input() && es_threads_view(threads, &view)) {
 *       draw(view.previous, view.current, frame.alpha);
 *       es_loop_submit(loop);
 *       present();
 *   }
 *   es_threads_stop(threads, NULL);
 *
 * The frames stay the loop's: pause, speed, tick rate (es_loop_configure), submit, feedback and
 * reports are the same calls. A frame has no ticks of its own (es_frame.ticks is 0). Its pair, alpha
 * and account are those of the ticks that have run. One thread draws and the other updates. No call
 * waits for the other thread, but content stands at the newest tick where the next one is late.
 *
 * Where content and the ticks drift apart, one of them yields, and the frame's account says so:
 *
 *   condition                                          yields      reported as
 *   a pause, a speed, a frame that aims elsewhere      the ticks   nothing: they follow content
 *   a tick begins over 100 ms too late                 content     dropped_ns
 *   ticks cost more than their period, and are late    content     slow_motion_ns
 *   ticks went on without frames (a hidden window)     content     reanchored_ns
 *
 * The 100 ms are real time, or two periods if that is more. In the third row, late is half of that,
 * or eight late ticks in a row. Content then runs so slowly that no tick is late, but those which
 * cost over 4/3 of the mean. At full speed it is when the mean cost is below 7/8 of a period.
 *
 * While no frame begins, as in a present that blocks, ticks go on at their rate (stop_without_frames:
 * for gap_ns). The next frame shows where they are. A suspend of the machine stays a gap.
 *
 * Defaults of this header; a function states only exceptions.
 *   Threads     the loop's thread; es_threads_tick_*: the ticks' thread. Both call the loop's clock.
 *   Waiting     only es_threads_stop waits.
 *   Allocation  es_threads_start allocates, es_threads_stop frees.
 *   Errors      bool or NULL, and es_get_error, as in evenstep.h.
 *   NULL        a function accepts NULL for its threads: it does nothing, and returns false or 0.
 */
#ifndef EVENSTEP_THREADS_H
#define EVENSTEP_THREADS_H

#include "evenstep/evenstep.h"

typedef struct es_threads es_threads;
typedef struct es_threads_config es_threads_config; /* these structs: below the functions */
typedef struct es_view es_view;

/* For es_threads_call. state: a copy of the newest; tick: its number. True: both were changed, and
 * the game goes on from them. */
typedef bool es_threads_function(void *user, void *state, int64_t *tick);

#ifdef __cplusplus
extern "C" {
#endif

/* Gives the loop's ticks to a thread, between two frames. Content first waits up to a period, which
 * the next tick may take. In the loop's configuration must be 0, also later: step, catch_up,
 * catch_up_max_ns, ticks_max, lead_ticks, alpha_below_one. A host's time stamps must be of the loop's
 * clock. NULL: a field is wrong, the loop has such a thread, or the platform has no threads. */
ES_API es_threads *es_threads_start(es_loop *loop, const es_threads_config *config);

/* The states of the last frame of es_loop_next or es_loop_wait. False: none since es_threads_start. */
ES_API bool es_threads_view(const es_threads *threads, es_view *view);

/* Calls f once between two ticks, on their thread, within a tick and 10 ms: to save, to load, to
 * seek (es_loop_seek is refused). False: the function of the last call has not returned yet. */
ES_API bool es_threads_call(es_threads *threads, es_threads_function *f, void *user);

/* Ends the thread, after its tick and an es_threads_call. The loop goes on from the newest tick.
 * state: receives the state of that; may be NULL. */
ES_API void es_threads_stop(es_threads *threads, void *state);

/* --- without update: on a thread of the program ------------------------------------------------- */

/* When to call es_threads_tick_begin next, on the loop's clock: when a tick is due, at most 10 ms
 * from now, at least twice per tick or each ms. A tick that needs no frame, such as the first, is due
 * now. */
ES_API int64_t es_threads_tick_due(es_threads *threads);

/* Begins the next tick. Run *step: write *state whole, from *previous. False: none is due. */
ES_API bool es_threads_tick_begin(
        es_threads *threads, es_step *step, void **state, const void **previous);

/* Publishes the state of the tick that has begun. */
ES_API bool es_threads_tick_end(es_threads *threads);

#ifdef __cplusplus
}
#endif

#define ES_VIEW_TICKS 4 /* the most ticks in a view */

/* 0 is the default of every field but state_size. */
typedef struct es_threads_config {
    size_t state_size; /* bytes of one state, at least 1 */
    const void *state; /* of the loop's newest tick; copied. Default: zeros */
    void (*update)(void *user, void *state, const void *previous, const es_step *step);
    /* one tick: writes the whole state, which holds an old one. NULL: no thread
                             is made, and the program runs the ticks by es_threads_tick_begin */
    void *user;           /* passed to each function */
    int32_t lead_ticks;   /* ticks begin 1 or 2 (default 1) before a frame can need them */
    int64_t ahead_max_ns; /* how far content may pass the newest tick where the next one is late, in
                             simulated time, up to 1 s; default 0: it stands */
    bool stop_without_frames; /* ticks stop where no frame has begun for gap_ns of the loop's
                                 configuration. Default: they go on */
} es_threads_config;

/* The states that a frame shows. Valid until the next frame is planned, or es_threads_stop. */
typedef struct es_view {
    const void
            *previous; /* the pair of es_frame.alpha: one state where there is nothing to blend, */
    const void *current; /* as after a seek */
    int64_t late_ns;     /* the tick after content has not run: content stands this far behind where
                             it should be */
    int32_t count;       /* of ticks, for splines, the newest first */
    const void *states[ES_VIEW_TICKS]; /* beyond count the oldest again */
    int64_t times_ns[ES_VIEW_TICKS];   /* simulated times, as es_frame.current_ns */
} es_view;

#endif
