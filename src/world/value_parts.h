/* SPDX-License-Identifier: Zlib
 *
 * The scalar functions of value.h, inline: es__value_lerp, es__value_nearest_turn, es__value_cyclic
 * and es__value_angle, each with the suffix _f32 or _f64. Kernels use them for single lanes.
 */
#ifndef ES_VALUE_PARTS_H
#define ES_VALUE_PARTS_H

#include <stdbool.h>
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

/* Those of value.h and blend.h in double. A ratio is within 0.501 units in the last place, a
 * rotation of unit length within 1e-15. */
double es__cyclic_f64(double a, double b, double alpha, double period);
double es__ratio_f64(double a, double b, double alpha);
void es__rotation_f64(const double a[4], const double b[4], double alpha, double out[4]);

#endif
