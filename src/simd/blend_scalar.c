/* SPDX-License-Identifier: Zlib
 *
 * The kernels without any instruction set: what every other must equal, byte for byte.
 */
#include "kernels.h"
#include "rotation.h"

#include <float.h>
#include <math.h>

#define NUMBER       float
#define NAME(x)      x##_f32
#define NUMBER_MAX   FLT_MAX
#define NUMBER_MIN   FLT_MIN
#define UNIT_STEP(g) ((g)*0.5F)
#define W_SQRT(v)    sqrtf(v)
#define W_ABS(v)     fabsf(v)
#include "wide_scalar.inc.h"

#include "kernels.inc.h"

#define NUMBER       double
#define NAME(x)      x##_f64
#define NUMBER_MAX   DBL_MAX
#define NUMBER_MIN   DBL_MIN
#define UNIT_STEP(g) ((g) * (0.5 + (g) * (0.375 + (g)*0.3125)))
#define W_SQRT(v)    sqrt(v)
#define W_ABS(v)     fabs(v)
#include "wide_scalar.inc.h"

#include "kernels.inc.h"

const es_kernels es_kernels_scalar = {&kernels_f32, &kernels_f64};
