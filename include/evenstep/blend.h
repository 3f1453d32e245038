/* SPDX-License-Identifier: Zlib
 *
 * blend: what does the state look like at alpha?
 *
 *   view = *current;   // what no field of the layout covers
 *   es_blend(&layout, es_history_previous(&h), current, frame.alpha, &view);
 *   draw(&view);
 *
 * What every kind promises, for numbers that are no NaN: alpha <= 0 gives exactly a, alpha >= 1
 * (and a NaN alpha) exactly b; equal inputs give that very value, so what rests does not tremble; a
 * larger alpha never goes back.
 *
 * Rendering never changes the world: the output is another state than both inputs.
 */
#ifndef EVENSTEP_BLEND_H
#define EVENSTEP_BLEND_H

#include "evenstep/layout.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Between two numbers, on the straight line.
 *
 * a, b: values; alpha: 0 gives a, 1 gives b.
 * Returns: a + alpha * (b - a): always within [a, b], also where b - a overflows. Out of an
 *   infinity it is a until alpha is 1. A NaN among a and b gives NaN between the ends.
 * Errors: none.
 * Ownership: a plain value.
 * Threads: any thread.
 * Source: the contract of C++20 std::lerp; the plain form is monotone and, with the end taken
 *   apart, exact (the proof stands beside the code).
 */
ES_API float es_lerp_f32(float a, float b, float alpha);

/** Between two numbers, on the straight line.
 *
 * a, b, alpha: as for es_lerp_f32.
 * Returns: as es_lerp_f32, in double.
 * Errors: none.
 * Ownership: a plain value.
 * Threads: any thread.
 * Source: as es_lerp_f32.
 */
ES_API double es_lerp_f64(double a, double b, double alpha);

/** Between two angles, the short way round.
 *
 * a, b: radians, any number of turns; alpha: 0 gives a, 1 gives b.
 * Returns: radians between a and a + d, where d is b - a brought into (-pi, pi]; half a turn goes
 *   forward. At alpha >= 1 it is b itself, which may differ from a + d by whole turns: the same
 *   direction. 2^24 radians or more apart in float, 2^53 in double, where numbers have no
 *   fraction and an angle no direction: b for every alpha > 0. A NaN gives NaN between the ends.
 * Errors: none.
 * Ownership: a plain value.
 * Threads: any thread.
 * Source: the difference reduced to the nearest turn (the IEEE remainder), then es_lerp.
 */
ES_API float es_angle_f32(float a, float b, float alpha);

/** Between two angles, the short way round.
 *
 * a, b, alpha: as for es_angle_f32.
 * Returns: as es_angle_f32, in double.
 * Errors: none.
 * Ownership: a plain value.
 * Threads: any thread.
 * Source: as es_angle_f32.
 */
ES_API double es_angle_f64(double a, double b, double alpha);

/** A whole state at alpha.
 *
 * layout: valid (es_layout_validate); not NULL.
 * previous, current: layout->state_size bytes each, aligned for their fields; not NULL. They may be
 *   the same state.
 * alpha: 0 shows previous, 1 shows current; es_frame.alpha.
 * out: layout->state_size bytes, aligned likewise; not NULL, and not overlapping the inputs. Only
 *   the bytes of the layout's fields are written.
 * Returns: ES_OK.
 * Errors: ES_ERR_INVALID: a NULL.
 * Ownership: keeps nothing.
 * Threads: any thread.
 * Source: per field, the functions above.
 */
ES_API es_result es_blend(const es_layout *layout, const void *previous, const void *current,
        double alpha, void *out);

#ifdef __cplusplus
}
#endif

#endif
