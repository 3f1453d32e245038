/* SPDX-License-Identifier: Zlib
 *
 * value: one value between two.
 *
 *   float x = es_lerp_f32(a.x, b.x, alpha);
 *   float heading = es_angle_f32(a.heading, b.heading, alpha);
 *   float offset = es_cyclic_f32(a.offset, b.offset, alpha, 1);    // a texture that repeats
 *   float zoom = es_ratio_f32(a.zoom, b.zoom, alpha);
 *   es_colour_f32(a.light, b.light, 4, alpha, out);
 *   es_srgb_u8(a.pixel, b.pixel, 4, alpha, out);
 *
 * Whole states are blended by blend.h, motions of a known formula by track.h.
 *
 * All functions promise, for numbers that are no NaN: alpha <= 0 gives exactly a, alpha >= 1 and a
 * NaN alpha give exactly b; equal inputs give that very value, so that resting things do not
 * tremble; a larger alpha never goes back, and results are always within [a, b]. A NaN among a and
 * b gives NaN between the ends, in its own component only.
 *
 * The bits are the same on every machine, with every compiler and at every optimisation level,
 * where float and double are IEEE 754 and an expression is neither contracted nor computed in more
 * precision than its type (gcc and clang: -ffp-contract=off). No function calls the C library's
 * mathematics. Any thread may call them; pointers must not be NULL.
 */
#ifndef EVENSTEP_VALUE_H
#define EVENSTEP_VALUE_H

#include "evenstep/evenstep.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Between two numbers on the straight line: a + alpha * (b - a).
 *
 * The contract of C++20 std::lerp: within [a, b] also where b - a overflows. From an infinity it is
 * a until alpha is 1.
 */
ES_API float es_lerp_f32(float a, float b, float alpha);
ES_API double es_lerp_f64(double a, double b, double alpha);

/** Between two angles in radians, any number of turns, the short way round: es_cyclic_f32 with a
 * period of 2 pi. */
ES_API float es_angle_f32(float a, float b, float alpha);
ES_API double es_angle_f64(double a, double b, double alpha);

/** Between two values that repeat, the short way round: texture offsets, phases, hours of a day.
 *
 * a, b: any number of periods.
 * period: above 0, at most 1e30. With any other the result is b for every alpha above 0.
 *
 * The result lies between a and a + d, where d is b - a brought into (-period / 2, period / 2]; half
 * a period goes forward. It is not wrapped: from 0.9 to 0.1 of a period of 1, it rises from 0.9 to
 * 1.1. At alpha >= 1 it is b itself, which may differ from a + d by whole periods. 2^22 periods or
 * more apart (angles in double: 2^51), it is b for every alpha above 0. Up to one and a half periods
 * apart the reduction, an IEEE remainder, is exact.
 */
ES_API float es_cyclic_f32(float a, float b, float alpha, float period);

/** Between two numbers by a constant ratio, a * (b / a)^alpha: scales, zooms, frequencies.
 *
 * A zoom from 1 to 16 is 4 half way. The error is at most 0.500001 units in the last place. Two
 * negative numbers are the mirror image. With a zero, an infinity, or two signs it is es_lerp_f32.
 *
 * 2^(alpha log2(b / a)): the logarithm by the series of the inverse hyperbolic tangent, the power
 * by 32 steps to the octave and the exponential series between them.
 */
ES_API float es_ratio_f32(float a, float b, float alpha);

/** Between two colours in linear light.
 *
 * components: 3, or 4 with a straight (not premultiplied) alpha last; any other count: plain
 *   numbers, as premultiplied light.
 * out: may be a or b, and may not overlap them otherwise.
 *
 * Of four components the colours are mixed as light: multiplied by their alphas A and B, and divided
 * by the mixed one again (T. Porter and T. Duff, Compositing digital images, 1984). So opaque red
 * that fades to any transparent colour stays red. Where the alphas differ, the colour is at
 * w = alpha B / ((1 - alpha) A + alpha B) instead of alpha. With an alpha below 0 or not finite they
 * are mixed as if both were equal.
 */
ES_API void es_colour_f32(
        const float *a, const float *b, size_t components, float alpha, float *out);

/** Between two colours encoded as sRGB, 0 to 1: decoded, mixed as es_colour_f32, encoded again.
 *
 * Half way from black (0) to white (1) is 0.735: half the light. An alpha is never encoded. Above 1
 * (high dynamic range) the curve goes on, below 0 it is mirrored; an infinity makes the line
 * straight. The error is at most 0.501 units in the last place, of two signs that of the larger.
 *
 * The transfer functions of IEC 61966-2-1 with the powers of es_ratio_f32. The standard's two pieces
 * do not quite meet where its rounded numbers switch; here they switch where they meet, at 0.0404482
 * instead of 0.04045 (encoded). In between the difference is up to 2.9e-8.
 */
ES_API void es_srgb_f32(const float *a, const float *b, size_t components, float alpha, float *out);

/** Between two colours encoded as sRGB in bytes: pixels, as es_srgb_f32.
 *
 * Each byte is the one nearest to the exact result, decided in double; of two equally near ones,
 * either (of an alpha, the upper). By tables of the light of each byte and of the borders between
 * bytes.
 */
ES_API void es_srgb_u8(const unsigned char *a, const unsigned char *b, size_t components,
        double alpha, unsigned char *out);

#ifdef __cplusplus
}
#endif

#endif
