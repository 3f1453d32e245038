/* SPDX-License-Identifier: Zlib
 *
 * blend: what does the state look like at the instant that a frame shows?
 *
 *   view = *current;   // what no field of the layout covers
 *   es_blend(&layout, es_history_previous(&h), current, frame.alpha, &view);
 *   draw(&view);
 *
 * That is for fields that need two ticks. With velocities, splines, prediction, delays of single
 * fields, and a history that keeps the ticks these need:
 *
 *   es_blend_frame(&layout, &history, &frame, &view);
 *
 * And with a job for es_blend_run: only the objects that moved, an alpha for each object, a share
 * of the work for each of several threads, an instruction set of your choice.
 *
 * What every kind promises, for finite numbers: at its tick an object is exactly what the
 * simulation computed; equal inputs give that very value, so what rests does not tremble. The same
 * bytes come from every instruction set, compiler and optimisation level (a NaN is a NaN, of any
 * bits). The formulas, their sources and errors: docs/blending.md.
 *
 * Rendering never changes the world: the output is another state than the inputs.
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
    ES_STORES_AUTO = 0, /* streamed where the output is 16 MiB or more, and as it lies it can be */
    ES_STORES_CACHED,   /* through the caches: what draws it next finds it there */
    ES_STORES_STREAMED  /* past them, a third faster for what they cannot hold: arrays and tiles
                           that are aligned to 64 bytes; elsewhere cached */
} es_stores;

/* How long a blended unit quaternion is. Its direction is the same. */
typedef enum es_quality {
    ES_QUALITY_EXACT = 0, /* 1 within rounding */
    ES_QUALITY_FAST       /* 1 within 8e-5, for unit quaternions only: an eighth less time where the
                             state lies in caches, none less out of them. Objects with alphas of
                             their own, and predicted ones, are exact. */
} es_quality;

/* A state of the simulation, and when it was. */
typedef struct es_blend_tick {
    const void *state; /* layout->state_size bytes */
    int64_t time_ns;   /* simulated time */
} es_blend_tick;

/* Which objects of a group, and which alpha for each. */
typedef struct es_blend_pick {
    int32_t group;           /* above 0 */
    const uint32_t *indices; /* only these objects, each below the group's count and none twice;
                                NULL: all, or what mask says */
    size_t index_count;      /* of indices; 0 with indices that are not NULL: nobody */
    const uint64_t *mask;    /* only objects i with bit i % 64 of word i / 64; count / 64 words,
                                rounded up; NULL: all, or what indices says */
    const float *alphas;     /* by object: where between the two ticks it is shown; NULL: the job's.
                                Never with prediction: 1 is the newer tick. */
} es_blend_pick;

/* One call of es_blend_run. {0} and what is marked "needed" is a plain blend. */
typedef struct es_blend_job {
    const es_layout *layout;    /* needed; valid */
    const es_blend_tick *ticks; /* needed: newest first */
    size_t tick_count;          /* needed: 1 to ES_HISTORY_TICKS_MAX */
    void *out;                  /* needed: layout->state_size bytes, apart from the ticks' states.
                                   Only the bytes of what is blended are written. */
    bool timed;                 /* true: content_ns and the ticks' times place the picture; false:
                                   alpha does, between ticks[1] and ticks[0] */
    double alpha;               /* 0: ticks[1], 1: ticks[0] */
    int64_t content_ns;         /* simulated time; es_frame.content_ns */
    const es_blend_pick *picks; /* pick_count of them, at most one per group */
    size_t pick_count;
    uint32_t part;  /* 0 to parts - 1: this call's share of the objects ... */
    uint32_t parts; /* ... of so many calls, from as many threads; 0 counts as 1. Together they
                       write every object once. */
    es_simd simd;
    es_stores stores;
    es_quality quality;
} es_blend_job;

#ifdef __cplusplus
extern "C" {
#endif

/** Between two rotations, at even angular speed, the shorter way.
 *
 * a, b: unit quaternions, four components in any order, the same in both; q and -q are the same
 *   rotation. Of others the result is a unit quaternion between them, but not at even speed: off by
 *   about a degree for each percent that the lengths are off. A zero one, which has no direction,
 *   gives way to the other; NaN gives NaN.
 * alpha: 0 gives a, 1 (and a NaN) b, exactly.
 * out: a unit quaternion, within 1e-6 in float and 1e-15 in double; four components; may be a or b.
 *   Half a turn apart, it goes the way that b's sign says.
 * Returns: nothing.
 * Errors: none.
 * Ownership: keeps nothing.
 * Threads: any thread.
 * Source: a normalised lerp with a correction of our own fit; the errors are in docs/blending.md.
 */
ES_API void es_rotation_f32(const float a[4], const float b[4], float alpha, float out[4]);

/** Between two rotations, at even angular speed, the shorter way.
 *
 * a, b, alpha, out: as for es_rotation_f32.
 * Returns: nothing.
 * Errors: none.
 * Ownership: keeps nothing.
 * Threads: any thread.
 * Source: as es_rotation_f32.
 */
ES_API void es_rotation_f64(const double a[4], const double b[4], double alpha, double out[4]);

/** A whole state between two ticks.
 *
 * layout: valid (es_layout_validate); not NULL. Its fields need no more than two ticks: no
 *   ES_BLEND_HERMITE, no delay_ticks. Splines are straight lines here, and nothing is predicted.
 * previous, current: layout->state_size bytes each, aligned for their fields; not NULL. They may be
 *   the same state.
 * alpha: 0 shows previous, 1 shows current; es_frame.alpha. Kept within; a NaN shows current.
 * out: layout->state_size bytes, aligned likewise; not NULL, and not overlapping the inputs. Only
 *   the bytes of the layout's fields are written.
 * Returns: ES_OK.
 * Errors: ES_ERR_INVALID: a NULL, or a field that needs es_blend_run.
 * Ownership: keeps nothing.
 * Threads: any thread.
 * Source: docs/blending.md, per kind.
 */
ES_API es_result es_blend(const es_layout *layout, const void *previous, const void *current,
        double alpha, void *out);

/** The state that a frame shows, from a history.
 *
 * layout: valid; not NULL.
 * history: of states with this layout; not NULL. Fields take from it what they need: two ticks,
 *   four for splines, more for delay_ticks and fading corrections; where it has fewer they do with
 *   what is there.
 * frame: from es_loop_ready, or es_rates_frame; not NULL.
 * out: layout->state_size bytes, aligned for its fields, none of the history's own states.
 * Returns: ES_OK.
 * Errors: ES_ERR_INVALID: a NULL, a layout for states of another size, a history whose ticks have
 *   equal times (pushed without steps), or one that keeps too few: the frame's pair was there and
 *   is gone (es_history_init's ticks; es_rates_history_ticks). out is unchanged.
 * Ownership: keeps nothing.
 * Threads: any thread, while nobody changes the history.
 * Source: as es_blend_run with frame->content_ns.
 */
ES_API es_result es_blend_frame(
        const es_layout *layout, const es_history *history, const es_frame *frame, void *out);

/** Blends as a job says.
 *
 * For each field the shown instant is content_ns less the field's delay_ticks. Between two ticks it
 * is blended, past the newest it is predicted, before the oldest it is the oldest. An object whose
 * mark changed is shown as if the ticks before the change did not exist.
 * job: not NULL.
 * error: filled with the job's field that is wrong and why; NULLs when all is well; may be NULL.
 * Returns: ES_OK, or an error with out unchanged.
 * Errors: ES_ERR_INVALID: a NULL, a tick count or part out of range, times that do not rise from
 *   tick to tick, an output that overlaps a state; a pick of a group that no field has or that was
 *   picked already, with both indices and mask, or with neither and no alphas; not timed, but a
 *   field needs times. ES_ERR_UNSUPPORTED: this machine lacks the instruction set. An index beyond
 *   its group's count is not looked for.
 * Ownership: keeps nothing.
 * Threads: any thread; several on one output with different parts. Needs up to 64 KiB of stack.
 * Source: docs/blending.md, per kind.
 */
ES_API es_result es_blend_run(const es_blend_job *job, es_error *error);

/** Whether this machine has an instruction set.
 *
 * simd: any value.
 * Returns: true where es_blend_run would take it.
 * Errors: none.
 * Ownership: a plain value.
 * Threads: any thread.
 */
ES_API bool es_simd_is_available(es_simd simd);

/** The instruction set that ES_SIMD_AUTO stands for.
 *
 * Returns: the widest that this machine has.
 * Errors: none.
 * Ownership: a plain value.
 * Threads: any thread.
 */
ES_API es_simd es_simd_best(void);

/** The name of an instruction set.
 *
 * simd: any value.
 * Returns: text such as "avx2"; "unknown" for a value that is none.
 * Errors: none.
 * Ownership: static text.
 * Threads: any thread.
 */
ES_API const char *es_simd_name(es_simd simd);

#ifdef __cplusplus
}
#endif

#endif
