/* SPDX-License-Identifier: Zlib
 *
 * One value between two.
 *
 * All functions promise, for numbers that are no NaN: alpha <= 0 gives exactly a, alpha >= 1 and a
 * NaN alpha give exactly b; equal inputs give that very value, so that resting things do not
 * tremble; a larger alpha never goes back, and results are always within [a, b]. A NaN among a and
 * b gives NaN between the ends, in its own component only.
 *
 * The bits are the same on every machine where float and double are IEEE 754 and an expression is
 * neither contracted nor computed in more precision than its type. No function calls the C library's
 * mathematics.
 */
#ifndef ES_VALUE_PARTS_H
#define ES_VALUE_PARTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define NUMBER      float
#define NAME(x)     x##_f32
#define TURNS_MOST  4194304.0F /* 2^22 */
#define PERIOD_MOST 1.0e30F
#include "value_numbers.inc.h"
#undef NUMBER
#undef NAME
#undef TURNS_MOST
#undef PERIOD_MOST

#define NUMBER      double
#define NAME(x)     x##_f64
#define TURNS_MOST  2251799813685248.0 /* 2^51 */
#define PERIOD_MOST 1.0e290
#include "value_numbers.inc.h"
#undef NUMBER
#undef NAME
#undef TURNS_MOST
#undef PERIOD_MOST

/* Between two numbers by a constant ratio, a * (b / a)^alpha. The error is at most 0.500001 (double:
 * 0.501) units in the last place. Two negative numbers are the mirror image. With a zero, an
 * infinity, or two signs it is a lerp.
 *
 * 2^(alpha log2(b / a)): the logarithm by the series of the inverse hyperbolic tangent, the power
 * by 32 steps to the octave and the exponential series between them. */
float es__ratio_f32(float a, float b, float alpha);
double es__ratio_f64(double a, double b, double alpha);

/* Between two unit quaternions at even angular speed, the shorter way; q and -q are the same
 * rotation. Of other lengths the result is a unit quaternion between them, but not at even speed: off
 * by about a degree for each percent of length. Of a zero one the other is the result; NaN gives NaN.
 * out: of unit length within 1e-6 (double: 1e-15); may be a or b. Half a turn apart, the sign of b
 * decides the direction. simd/rotation.h has the method. */
void es__rotation_f32(const float a[4], const float b[4], float alpha, float out[4]);
void es__rotation_f64(const double a[4], const double b[4], double alpha, double out[4]);

/* Between two colours in linear light. components: 3, or 4 with a straight (not premultiplied) alpha
 * last; any other count: plain numbers. out: may be a or b.
 *
 * Where the alphas A and B of four components differ, the colour is at w = alpha B / ((1 - alpha) A +
 * alpha B) instead of alpha (docs/notes/blending.md). With an alpha below 0 or not finite they are mixed
 * as if both were equal. */
void es__colour_f32(const float *a, const float *b, size_t components, float alpha, float *out);

/* Between two colours encoded as sRGB, 0 to 1: decoded, mixed as es__colour_f32, encoded again. An
 * alpha is never encoded. Above 1 (high dynamic range) the curve goes on, below 0 it is mirrored; an
 * infinity makes the line straight. The error is at most 0.501 units in the last place, of two signs
 * that of the larger.
 *
 * The transfer functions of IEC 61966-2-1 with the powers of es__ratio_f32. The standard's two pieces
 * do not quite meet where its rounded numbers switch; here they switch where they meet, at 0.0404482
 * instead of 0.04045 (encoded). In between the difference is up to 2.9e-8. */
void es__srgb_f32(const float *a, const float *b, size_t components, float alpha, float *out);

/* The same in bytes. Each is the one nearest to the exact result, decided in double; of two equally
 * near ones, either (of an alpha, the upper). By tables of the light of each byte and of the borders
 * between bytes. */
void es__srgb_u8(const unsigned char *a, const unsigned char *b, size_t components, double alpha,
        unsigned char *out);

#endif
