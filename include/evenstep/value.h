/* SPDX-License-Identifier: Zlib
 *
 * value: what does one value look like between two?
 *
 *   float x = es_lerp_f32(a.x, b.x, alpha);
 *   float heading = es_angle_f32(a.heading, b.heading, alpha);
 *   float offset = es_cyclic_f32(a.offset, b.offset, alpha, 1);    // a texture that repeats
 *   float zoom = es_ratio_f32(a.zoom, b.zoom, alpha);
 *   es_colour_f32(a.light, b.light, 4, alpha, out);
 *   es_srgb_u8(a.pixel, b.pixel, 4, alpha, out);
 *
 * What all promise, for numbers that are no NaN: alpha <= 0 gives exactly a, alpha >= 1 (and a NaN
 * alpha) exactly b; equal inputs give that very value, so what rests does not tremble; a larger
 * alpha never goes back. A NaN among the two gives NaN between the ends, in its own component only.
 *
 * The same bits on every machine, with every compiler and at every optimisation level, where float
 * and double are IEEE 754 and an expression is neither contracted nor computed in more precision
 * than its type (gcc and clang: -ffp-contract=off): nothing here calls the C library's mathematics.
 *
 * Not for: whole states (blend), or motion whose formula is known (track).
 */
#ifndef EVENSTEP_VALUE_H
#define EVENSTEP_VALUE_H

#include "evenstep/base.h"

#ifdef __cplusplus
extern "C" {
#endif

/* --- along a line, and around a circle -------------------------------------------------------- */

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
 * Returns: es_cyclic_f32 with a period of 2 pi: radians between a and a + d, where d is b - a
 *   brought into (-pi, pi].
 * Errors: none.
 * Ownership: a plain value.
 * Threads: any thread.
 * Source: as es_cyclic_f32.
 */
ES_API float es_angle_f32(float a, float b, float alpha);

/** Between two angles, the short way round.
 *
 * a, b, alpha: as for es_angle_f32.
 * Returns: as es_angle_f32, in double.
 * Errors: none.
 * Ownership: a plain value.
 * Threads: any thread.
 * Source: as es_cyclic_f32.
 */
ES_API double es_angle_f64(double a, double b, double alpha);

/** Between two values that repeat, the short way round: texture offsets, phases, hours of a day.
 *
 * a, b: in the unit of the period, any number of periods; alpha: 0 gives a, 1 gives b.
 * period: after how much the value is the same again; over 0, at most 1e30. With any other, NaN
 *   included, there is no way round: b for every alpha over 0.
 * Returns: a value between a and a + d, where d is b - a brought into (-period / 2, period / 2];
 *   half a period goes forward. It is not wrapped: from 0.9 on to 0.1 of a period of 1, it rises
 *   from 0.9 to 1.1. At alpha >= 1 it is b itself, which may differ from a + d by whole periods.
 *   2^22 periods or more apart in float, 2^51 in double, where what is left of a fraction says
 *   little: b for every alpha over 0. A NaN among a and b gives NaN between the ends.
 * Errors: none.
 * Ownership: a plain value.
 * Threads: any thread.
 * Source: the difference reduced to the nearest turn (the IEEE remainder), then es_lerp. Up to one
 *   and a half periods apart, the reduction is exact.
 */
ES_API float es_cyclic_f32(float a, float b, float alpha, float period);

/** Between two values that repeat, the short way round.
 *
 * a, b, alpha: as for es_cyclic_f32.
 * period: as for es_cyclic_f32, at most 1e290.
 * Returns: as es_cyclic_f32, in double.
 * Errors: none.
 * Ownership: a plain value.
 * Threads: any thread.
 * Source: as es_cyclic_f32.
 */
ES_API double es_cyclic_f64(double a, double b, double alpha, double period);

/* --- by a constant ratio ---------------------------------------------------------------------- */

/** Between two numbers, by a constant ratio: equal steps of alpha multiply by the same factor.
 *
 * A zoom from 1 to 16 is at 4 half way. For scales, zooms, frequencies.
 * a, b: of one sign; alpha: 0 gives a, 1 gives b.
 * Returns: a * (b / a)^alpha, always within [a, b]; the nearest float but for ties: the error is at
 *   most 0.500001 units in the last place. Two negative numbers are the mirror image. With a zero,
 *   an infinity, or two signs, no ratio leads from a to b: es_lerp_f32.
 * Errors: none.
 * Ownership: a plain value.
 * Threads: any thread.
 * Source: 2^(alpha log2(b / a)), computed in double: the logarithm by the series of the inverse
 *   hyperbolic tangent, the power by 32 steps to the octave and the exponential series between
 *   them (src/value_power.c). Why it is monotone stands beside the code.
 */
ES_API float es_ratio_f32(float a, float b, float alpha);

/** Between two numbers, by a constant ratio.
 *
 * a, b, alpha: as for es_ratio_f32.
 * Returns: as es_ratio_f32, in double: the error is at most 0.501 units in the last place, that of
 *   subnormal results included.
 * Errors: none.
 * Ownership: a plain value.
 * Threads: any thread.
 * Source: as es_ratio_f32, in pairs of doubles (T. J. Dekker, A floating-point technique for
 *   extending the available precision, 1971).
 */
ES_API double es_ratio_f64(double a, double b, double alpha);

/* --- colours ---------------------------------------------------------------------------------- */

/** Between two colours in linear light.
 *
 * Four components are a colour with a straight (not premultiplied) alpha last. They are mixed as
 * light is: multiplied by their alphas, and divided by the mixed one again. So opaque red that
 * fades to a transparent anything stays red.
 * a, b: `components` numbers each; not NULL. Alphas from 0 up; with one that is below 0 or not
 *   finite, the colours are mixed as if both were equal.
 * components: 3, or 4; with any other count, all are plain numbers.
 * alpha: 0 gives a, 1 gives b.
 * out: `components` numbers; not NULL. It may be a or b; it may not overlap them otherwise.
 * Returns: nothing. Each component is es_lerp_f32 of its two. With alphas A and B that differ, the
 *   colour is at w instead of alpha: w = alpha B / ((1 - alpha) A + alpha B), which is all b's
 *   where A is 0, and all a's where B is 0, also where the transparent one is a NaN. So each is
 *   always within [a, b].
 * Errors: none.
 * Ownership: keeps nothing.
 * Threads: any thread.
 * Source: T. Porter and T. Duff, Compositing digital images, 1984: premultiplied colours are what
 *   adds up. The weight is that sum, divided by the mixed alpha, solved for the way from a to b.
 */
ES_API void es_colour_f32(
        const float *a, const float *b, size_t components, float alpha, float *out);

/** Between two colours in linear light.
 *
 * a, b, components, alpha, out: as for es_colour_f32.
 * Returns: nothing; as es_colour_f32, in double.
 * Errors: none.
 * Ownership: keeps nothing.
 * Threads: any thread.
 * Source: as es_colour_f32.
 */
ES_API void es_colour_f64(
        const double *a, const double *b, size_t components, double alpha, double *out);

/** Between two colours encoded as sRGB: decoded, mixed as light is, encoded again.
 *
 * Half way from black (0) to white (1) is 0.735: what looks half as dark is not half the light.
 * a, b: `components` numbers each, 0 to 1; not NULL. Beyond 1 (high dynamic range) the curve goes
 *   on, below 0 it is mirrored; where one is infinite, the way is the straight line.
 * components: 3, or 4: then the last is a straight alpha, which is never encoded; as es_colour_f32.
 *   With any other count, all are encoded.
 * alpha: 0 gives a, 1 gives b.
 * out: `components` numbers; not NULL. It may be a or b; it may not overlap them otherwise.
 * Returns: nothing. Each component is always within [a, b]. Of components of one sign the error is
 *   at most 0.501 units in the last place (of two signs, of the larger's).
 * Errors: none.
 * Ownership: keeps nothing.
 * Threads: any thread.
 * Source: the transfer functions of IEC 61966-2-1, computed in double with the powers of
 *   es_ratio_f32. Their two pieces do not quite meet where the standard's rounded numbers switch;
 *   here they switch where they meet, at 0.0404482 instead of 0.04045 (encoded). In between, this
 *   differs from the standard's wording by up to 2.9e-8; and never goes back.
 */
ES_API void es_srgb_f32(const float *a, const float *b, size_t components, float alpha, float *out);

/** Between two colours encoded as sRGB.
 *
 * a, b, components, alpha, out: as for es_srgb_f32. Where one is over 1e100, the way is the
 *   straight line.
 * Returns: nothing; as es_srgb_f32, in double. The error is at most 1.5 units in the last place
 *   of the larger of the two. It takes five times as long as es_srgb_f32.
 * Errors: none.
 * Ownership: keeps nothing.
 * Threads: any thread.
 * Source: as es_srgb_f32, with the powers of es_ratio_f64.
 */
ES_API void es_srgb_f64(
        const double *a, const double *b, size_t components, double alpha, double *out);

/** Between two colours encoded as sRGB in bytes: pixels.
 *
 * a, b: `components` bytes each, 0 to 255; not NULL.
 * components, alpha: as for es_srgb_f32.
 * out: `components` bytes; not NULL. It may be a or b; it may not overlap them otherwise.
 * Returns: nothing. Each byte is the one nearest to the exact result, always within [a, b]; where
 *   two are equally near, either (an alpha: the upper). That is decided in double: what lies within
 *   1e-15 of the border of two bytes, in light from 0 to 1, may become either. At 257 even steps of
 *   alpha, no pair of bytes comes so close, but for the ties that dark bytes, 0 to 10, have.
 * Errors: none.
 * Ownership: keeps nothing.
 * Threads: any thread.
 * Source: as es_srgb_f32, by tables: what each byte is in light, and where one byte becomes the
 *   next (src/value_srgb_tables.inc.h).
 */
ES_API void es_srgb_u8(const unsigned char *a, const unsigned char *b, size_t components,
        double alpha, unsigned char *out);

#ifdef __cplusplus
}
#endif

#endif
