/* SPDX-License-Identifier: Zlib
 *
 * blend: the state at the instant that a frame shows.
 *
 *   view = *current;   // bytes that no field of the layout covers
 *   es_blend(&layout, es_history_previous(&h), current, frame.alpha, &view);
 *   draw(&view);
 *
 * That is for fields that need two ticks. With velocities, splines, prediction, delays of single
 * fields, and a history that keeps the ticks they need:
 *
 *   es_blend_frame(&layout, &history, &frame, &view);
 *
 * es_blend_run takes the ticks from anywhere, and the instruction set to use.
 *
 * All kinds promise, for finite numbers: at its tick an object is exactly as the simulation computed
 * it; equal inputs give that very value, so that resting things do not tremble. Every instruction
 * set, compiler and optimisation level gives the same bytes (a NaN is a NaN, of any bits). The
 * formulas, their sources and errors: docs/notes/blending.md.
 *
 * Rendering never changes the world: the output is another state than the inputs.
 *
 * Threads: any thread, while no other thread changes the states. Several threads may blend
 * different objects into one output, each by a layout of its own share. Allocation: none; up to
 * 64 KiB of stack. Errors: ES_ERR_INVALID for a NULL and what the functions name; the output is
 * unchanged then. States are aligned for their fields.
 */
#ifndef EVENSTEP_BLEND_H
#define EVENSTEP_BLEND_H

#include "evenstep/history.h"
#include "evenstep/layout.h"
#include "evenstep/value.h"

/* An instruction set. All give the same bytes, at different speeds. */
typedef enum es_simd {
    ES_SIMD_AUTO = 0, /* the widest that this machine has */
    ES_SIMD_SCALAR,
    ES_SIMD_SSE2,
    ES_SIMD_AVX2,
    ES_SIMD_AVX512,
    ES_SIMD_NEON
} es_simd;

/* How the output is written. */
typedef enum es_stores {
    ES_STORES_AUTO = 0, /* streamed where the output has 16 MiB or more */
    ES_STORES_CACHED,   /* through the caches: drawing finds it there */
    ES_STORES_STREAMED  /* past them, a third faster for states larger than they are: arrays and
                           tiles that are aligned to 64 bytes; others cached */
} es_stores;

/* A state of the simulation, and its time. */
typedef struct es_blend_tick {
    const void *state; /* layout->state_size bytes */
    int64_t time_ns;   /* simulated time */
} es_blend_tick;

/* One call of es_blend_run: {0}, and the members marked "needed". */
typedef struct es_blend_job {
    const es_layout *layout;    /* needed; valid */
    const es_blend_tick *ticks; /* needed: newest first */
    size_t tick_count;          /* needed: 1 to ES_HISTORY_TICKS_MAX */
    void *out;                  /* needed: layout->state_size bytes, apart from the ticks' states.
                                   Only the bytes of the layout's fields are written. */
    bool timed;                 /* true: content_ns and the ticks' times give the instant; false:
                                   alpha does, between ticks[1] and ticks[0] */
    double alpha;               /* 0: ticks[1], 1: ticks[0] */
    int64_t content_ns;         /* simulated time; es_frame.content_ns */
    es_simd simd;
    es_stores stores;
} es_blend_job;

#ifdef __cplusplus
extern "C" {
#endif

/** Between two rotations at even angular speed, the shorter way.
 *
 * a, b: unit quaternions, four components in any order, the same in both; q and -q are the same
 *   rotation. Of other lengths the result is a unit quaternion between them, but not at even speed:
 *   off by about a degree for each percent of length. Of a zero one the other is the result; NaN
 *   gives NaN.
 * alpha: 0 gives exactly a, 1 (and a NaN) exactly b.
 * out: of unit length within 1e-6; may be a or b. Half a turn apart, the sign of b decides the
 *   direction.
 *
 * A normalised lerp with a correction of our own fit; docs/blending.md has the errors.
 */
ES_API void es_rotation_f32(const float a[4], const float b[4], float alpha, float out[4]);

/** Blends a whole state between two ticks.
 *
 * layout: valid (es_layout_validate), without ES_BLEND_HERMITE and delay_ticks, which need times.
 *   Splines are straight lines here, and nothing is predicted.
 * previous, current: may be the same state.
 * alpha: es_frame.alpha; 0 or less shows previous, 1 or more and a NaN show current.
 * out: may not overlap the inputs. Only the bytes of the layout's fields are written.
 */
ES_API es_result es_blend(const es_layout *layout, const void *previous, const void *current,
        double alpha, void *out);

/** Blends the state that a frame shows, from a history.
 *
 * history: of states with this layout. Fields use the ticks that they need: two, four for splines,
 *   more for delay_ticks and fading corrections; or the ones that it has, if it has fewer.
 * frame: from es_loop_wait, or es_rates_frame.
 * out: none of the history's own states.
 * ES_ERR_INVALID also: a layout for states of another size, a history whose ticks have equal times
 *   (pushed without steps), or one that keeps too few ticks and has dropped the frame's pair.
 */
ES_API es_result es_blend_frame(
        const es_layout *layout, const es_history *history, const es_frame *frame, void *out);

/** Blends by a job.
 *
 * A field shows content_ns less its delay_ticks. Between two ticks it is blended, past the newest it
 * is predicted, before the oldest it is the oldest. An object whose mark changed is shown as if the
 * ticks before the change did not exist.
 * error: filled with the wrong field of the job and the reason; may be NULL.
 * ES_ERR_INVALID also: times that do not rise from tick to tick, an output that overlaps a state,
 *   a field that needs times in a job without. ES_ERR_UNSUPPORTED: this machine lacks the
 *   instruction set.
 */
ES_API es_result es_blend_run(const es_blend_job *job, es_error *error);

#ifdef __cplusplus
}
#endif

#endif
