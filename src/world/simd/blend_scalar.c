/* SPDX-License-Identifier: Zlib
 *
 * The kernels in plain C: every other instruction set must give the same bytes.
 */
#include "kernels.h"
#include "rotation.h"

/* glibc's signbit; mingw-w64's warns of conversions in the branches it does not take. */
#ifdef __GNUC__
#define IS_SIGNED(v) __builtin_signbit(v)
#else
#define IS_SIGNED(v) signbit(v)
#endif

#define scalar_sqrt_f32 sqrtf
#define scalar_sqrt_f64 es__sqrt_f64
#define scalar_abs_f32  fabsf
#define scalar_abs_f64  fabs

#define ISA(x) scalar_##x
#define BYTES  SIZE
#define TARGET
#define MASK                   bool
#define W_LOAD(p)              (*(p))
#define W_STORE(p, v)          (*(p) = (v))
#define W_SET(x)               ((NUMBER)(x))
#define W_SQRT(v)              TYPED(scalar_sqrt)(v)
#define W_ABS(v)               TYPED(scalar_abs)(v)
#define W_FLIP(v, by)          (IS_SIGNED(by) ? -(v) : (v))
#define W_LT(a, b)             ((a) < (b))
#define W_NOT_LE(a, b)         (!((a) <= (b)))
#define W_SELECT(m, y, n)      ((m) ? (y) : (n))
#define W_ANY(m)               (m)
#define W_AND_NOT(m, not )     ((m) && !(not ))
#define W_ALL_ZERO(a, b, c, d) ((a) == 0 && (b) == 0 && (c) == 0 && (d) == 0)
#include "kernels.inc.h"
#define DOUBLE
#include "kernels.inc.h"

const es__kernels es__kernels_scalar = {&scalar_kernels_f32, &scalar_kernels_f64};
