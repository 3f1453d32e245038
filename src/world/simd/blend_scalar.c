/* SPDX-License-Identifier: Zlib
 *
 * The kernels in plain C: every other instruction set must give the same bytes.
 */
#include "kernels.h"
#include "rotation.h"

#include <math.h>

/* glibc's signbit; mingw-w64's warns of conversions in the branches it does not take. */
#ifdef __GNUC__
#define IS_SIGNED(v) __builtin_signbit(v)
#else
#define IS_SIGNED(v) signbit(v)
#endif

/* mingw-w64's sqrt rounds twice, by way of the x87: 1 result in 4000 is off by an ulp. Its sqrtf is
 * right: 64 bits are enough for twice 24 and two. */
#if defined(__MINGW32__) && defined(__SSE2__)
#include <immintrin.h>

static double exact_sqrt(double x)
{
    return _mm_cvtsd_f64(_mm_sqrt_sd(_mm_setzero_pd(), _mm_set_sd(x)));
}
#else
#define exact_sqrt sqrt
#endif

#define NAME(x)   scalar_##x##_f32
#define W_SQRT(v) sqrtf(v)
#define W_ABS(v)  fabsf(v)
#include "wide_scalar.inc.h"

#include "kernels.inc.h"

#define DOUBLE
#define NAME(x)   scalar_##x##_f64
#define W_SQRT(v) exact_sqrt(v)
#define W_ABS(v)  fabs(v)
#include "wide_scalar.inc.h"

#include "kernels.inc.h"

const es_kernels es__kernels_scalar = {&scalar_kernels_f32, &scalar_kernels_f64};
