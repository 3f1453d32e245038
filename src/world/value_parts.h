/* SPDX-License-Identifier: Zlib
 *
 * The scalar functions of value.h, inline: es__value_lerp_f32, es__value_nearest_turn_f32,
 * es__value_cyclic_f32, es__value_angle_f32, and the same in f64. value.c gives them their public
 * names; kernels fall back to them for single lanes.
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

#endif
