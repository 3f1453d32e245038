/* SPDX-License-Identifier: Zlib
 *
 * The constants of the corrected normalised lerp between unit quaternions a and b, sign chosen so
 * that d = dot(a, b) >= 0; x = 1 - d, t = alpha, s = (t - 1/2)^2, g = t (t - 1/2) (t - 1):
 *
 *   u = t + g (C1 x + C2(s) x^2 + ... + C5(s) x^5)       where along the chord from a to b
 *   r = a + u (b - a)
 *   p = P0 + P1(s) x + ... + P4(s) x^4                   about 1 / |r|
 *   f = p (3/2 - |r|^2 p^2 / 2)                          one Newton step: 1 / |r|
 *
 * For even angular speed u must be sin(t w) / (sin(t w) + sin((1 - t) w)) with w = acos(d), half
 * the rotation's angle. That is t at t = 0, 1/2 and 1, and at x = 0: hence the factors g and x,
 * which make the error vanish with the angle. (Published fits of this family, such as zeux's onlerp
 * of 2015, lack the factor x, and below 9 degrees are worse than no correction at all.)
 *
 * Both fits are our own: linear programming on a grid of x and t for the least largest error, in
 * proportion to the allowed ones for rotations of 5, 10, 45, 90 and 180 degrees per tick. As a whole
 * world shares t, the powers of s cost nothing. p is within 7.5e-5 of 1 / |r|, f within 1e-8.
 * The errors that come of it: docs/notes/blending.md; tests/test_rotation.c checks them.
 */
#ifndef ES_SIMD_ROTATION_H
#define ES_SIMD_ROTATION_H

/* Each as a polynomial in s, constant first. */
#define ES_ROTATION_C1 0.66691762386320264
#define ES_ROTATION_C2 0.13114349855802579, 0.51406262670408831
#define ES_ROTATION_C3 0.047492023288926252, 0.27825883982508304, 0.6764467022178321
#define ES_ROTATION_C4 -0.0057494270347708178, -0.042398377837799067, -0.53637680006171973
#define ES_ROTATION_C5                                                                             \
    0.018648716436340435, 0.097744655042490899, 0.73784313473602015, 0.64599681854641222,          \
            1.5559732279755671

#define ES_ROTATION_P0 1.000073938345178
#define ES_ROTATION_P1 0.24649971338215848, -0.97528766156156088, -0.066164874424991679
#define ES_ROTATION_P2 0.11951053039892144, -0.57614969399493843, 0.46719469819907861
#define ES_ROTATION_P3 -0.02384544932335695, 0.16714875645717708, -0.37312644124858674
#define ES_ROTATION_P4 0.071870251919673667, -0.35996438095704364, 0.32454779566167463

/* |r|^2 p^2 of unit inputs is within 1.5e-4 of 1. Further off than this, the inputs were no unit
 * quaternions (each within 2.5e-4), and one Newton step from p would not do. */
#define ES_ROTATION_UNIT_LIMIT 1.0e-3

#endif
