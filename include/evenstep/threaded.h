/* SPDX-License-Identifier: Zlib
 *
 * threaded: updates on one thread at the tick rate, rendering on another at its own. The second
 * roof, beside loop.
 *
 *   es_threaded_config config = {0};
 *   config.state_size = sizeof(world);
 *   es_threaded_init(&threaded, &config, memory, es_threaded_memory_size(&config), NULL);
 *
 *   // the thread of the ticks                   // the thread that draws
 *   es_threaded_tick_seek(&threaded, 0,          while (!quit) {
 *           &state);                                 es_threaded_begin(&threaded);
 *   world_start(state);                              es_threaded_ready(&threaded, &shown);
 *   es_threaded_tick_end(&threaded);                 if (shown.current != NULL) {
 *   while (!quit) {                                      draw(mix(shown.previous, shown.current,
 *       wait_until(                                              shown.frame.alpha));
 *           es_threaded_tick_due(&threaded));        }
 *       if (es_threaded_tick_begin(                  es_threaded_submit(&threaded);
 *               &threaded, &tick)) {                 present();
 *           world_update(tick.state,                 es_threaded_end(&threaded);
 *                   tick.previous,               }
 *                   tick.step.dt_s);
 *           es_threaded_tick_end(&threaded);
 *       }
 *   }
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
 * Who has the last word about time: the render half, on what C is; but where the ticks cannot
 * follow (behind_max_ns) the tick half drops time and C gives way, and where ticks have gone on
 * without the renderer (a hidden window) C is moved up to them. Both are told in the frame's
 * account, to the nanosecond.
 *
 * Not for: steps of varying length, several simulations, a frame that a host owns (yet).
 */
#ifndef EVENSTEP_THREADED_H
#define EVENSTEP_THREADED_H

#include "evenstep/clock.h"
#include "evenstep/content.h"
#include "evenstep/exchange.h"
#include "evenstep/frame.h"
#include "evenstep/loop.h"
#include "evenstep/ticker.h"

/* es_threaded_config.delay_ticks: the picture is not behind at all. */
#define ES_THREADED_NO_DELAY (-1.0)

/* {0} but for state_size is the default. Copied by es_threaded_init. */
typedef struct es_threaded_config {
    es_loop_config loop;   /* of the render half. Its clock is asked by both threads. Steps are
                              fixed; what the other fields here say, and what happens when ticks
                              cannot follow (drop), must be left 0 in it */
    double delay_ticks;    /* how far the picture stays behind, in ticks; 0: 1. Up to 8, or
                              ES_THREADED_NO_DELAY. The input's way to the screen is the lead's, and
                              does not depend on it */
    int32_t lead_ticks;    /* how many ticks before it is asked for a tick begins; 0: 1. 1 or 2 */
    int32_t ticks;         /* handed over together (es_exchange_config); 0: 4. At least the lead
                              and 2; then a frame that begins late finds its pair gone */
    int64_t behind_max_ns; /* a picture that waits for its ticks for longer than this, in real time,
                              has it dropped what is beyond; 0: 100 ms, or two periods if that is
                              more. Up to 1 h */
    int64_t ahead_max_ns; /* a picture may be so far past the newest tick, in simulated time, before
                              it stands; 0 (default): not at all. Up to 1 s */
    size_t state_size;    /* as in es_exchange_config, and so are these: */
    es_exchange_kind kind;
    es_lock lock;
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
    int64_t moved_ns;     /* by how much C was moved by this frame: to a tick that was sought, or
                              up to the oldest there is; signed; part of account.sought_ns */
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
    int64_t dropped_ns; /* given up by this tick, because it was behind_max_ns late; a frame to come
                             has it in its account, or less, where time has been made to stand or
                             to leap meanwhile */
} es_threaded_tick;

/* What only the render half touches, beside the loop. */
typedef struct es_threaded_render {
    const es_exchange_view *view;
    int64_t posts;
    int64_t shown_ns;    /* content of the last picture */
    int64_t dropped_ns;  /* of the tick half's total, what C has given way to */
    int64_t newest;      /* tick */
    uint32_t generation; /* of the last picture; 0: none yet */
} es_threaded_render;

/* What only the tick half touches. */
typedef struct es_threaded_ticks {
    es_clock clock;
    es_ticker ticker;
    es_rate step_rate; /* of the tick under way */
    int64_t posts;
    int64_t dropped_ns;
    uint32_t generation;
    uint32_t seek_generation; /* the first since the last seek */
    bool begun;
    bool published;
} es_threaded_ticks;

/* Initialise with es_threaded_init; read nothing here. Not to be copied or moved. */
typedef struct es_threaded {
    es_loop loop;
    es_threaded_render render;
    unsigned char apart[ES_EXCHANGE_LINE]; /* what one thread writes, off what both read */
    es_exchange states;
    es_exchange from_render; /* es__render_post */
    es_exchange from_ticks;  /* es__ticks_post */
    int64_t behind_max_ns;   /* 0: by the tick rate */
    int64_t ahead_max_ns;
    int64_t gap_ns;
    double delay_ticks;
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
 * Returns: bytes, of which about 4000 are not states; 0 when a field is out of its range, or that
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
 *   there). ES_ERR_SPACE: memory_size is too small. ES_ERR_UNSUPPORTED: the clock cannot wait.
 * Ownership: borrows memory, the clock's user pointer and the lock's until neither half is used any
 *   more; frees nothing, and allocates nothing, now or later.
 * Threads: one thread, before the two sides start.
 */
ES_API es_result es_threaded_init(es_threaded *threaded, const es_threaded_config *config,
        void *memory, size_t memory_size, es_error *error);

/** The render half's: opens a frame, as es_loop_begin. Poll what only drawing needs after it.
 *
 * threaded: initialised.
 * Returns: ES_OK.
 * Errors: as es_loop_begin.
 * Ownership: keeps nothing.
 * Threads: the one that draws.
 */
ES_API es_result es_threaded_begin(es_threaded *threaded);

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

/** The render half's: tells when a frame was really seen, as es_loop_tell.
 *
 * threaded: initialised.
 * sample: as for es_loop_tell.
 * Returns: ES_OK.
 * Errors: as es_loop_tell.
 * Ownership: keeps nothing.
 * Threads: the one that draws.
 */
ES_API es_result es_threaded_tell(es_threaded *threaded, const es_present_sample *sample);

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
