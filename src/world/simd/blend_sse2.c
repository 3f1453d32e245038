/* SPDX-License-Identifier: Zlib
 *
 * The kernels in 128-bit vectors: every x86-64.
 */
#include "kernels.h"
#include "rotation.h"

#if ES_SIMD_X86

#include <float.h>
#include <immintrin.h>

#define NUMBER             float
#define NAME(x)            sse2_##x##_f32
#define TYPED(x)           x##_f32
#define NUMBER_MAX         FLT_MAX
#define NUMBER_MIN         FLT_MIN
#define LANES              4
#define UNROLL             1
#define TARGET             __attribute__((target("sse2")))
#define SCALAR             es__kernels_scalar.f32
#define WIDE               __m128
#define MASK               __m128
#define W_LOAD(p)          _mm_loadu_ps(p)
#define W_STORE(p, v)      _mm_storeu_ps(p, v)
#define W_STREAM(p, v)     _mm_stream_ps(p, v)
#define W_SET(x)           _mm_set1_ps(x)
#define W_SQRT(v)          _mm_sqrt_ps(v)
#define W_ABS(v)           _mm_andnot_ps(_mm_set1_ps(-0.0F), v)
#define W_FLIP(v, by)      _mm_xor_ps(v, _mm_and_ps(by, _mm_set1_ps(-0.0F)))
#define W_LT(a, b)         _mm_cmplt_ps(a, b)
#define W_NOT_LE(a, b)     _mm_cmpnle_ps(a, b)
#define W_SELECT(m, y, n)  _mm_or_ps(_mm_and_ps(m, y), _mm_andnot_ps(m, n))
#define W_ANY(m)           (_mm_movemask_ps(m) != 0)
#define W_AND_NOT(m, not ) _mm_andnot_ps(not, m)
#define W_ALL_ZERO(a, b, c, d)                                                                     \
    _mm_cmpeq_ps(_mm_or_ps(_mm_or_ps(a, b), _mm_or_ps(c, d)), _mm_setzero_ps())
#define UNIT_STEP(g) ((g)*W_SET(0.5F))
#define SPLIT
#include "kernels.inc.h"

#define NUMBER             double
#define NAME(x)            sse2_##x##_f64
#define TYPED(x)           x##_f64
#define NUMBER_MAX         DBL_MAX
#define NUMBER_MIN         DBL_MIN
#define LANES              2
#define UNROLL             1
#define TARGET             __attribute__((target("sse2")))
#define SCALAR             es__kernels_scalar.f64
#define WIDE               __m128d
#define MASK               __m128d
#define W_LOAD(p)          _mm_loadu_pd(p)
#define W_STORE(p, v)      _mm_storeu_pd(p, v)
#define W_STREAM(p, v)     _mm_stream_pd(p, v)
#define W_SET(x)           _mm_set1_pd(x)
#define W_SQRT(v)          _mm_sqrt_pd(v)
#define W_ABS(v)           _mm_andnot_pd(_mm_set1_pd(-0.0), v)
#define W_FLIP(v, by)      _mm_xor_pd(v, _mm_and_pd(by, _mm_set1_pd(-0.0)))
#define W_LT(a, b)         _mm_cmplt_pd(a, b)
#define W_NOT_LE(a, b)     _mm_cmpnle_pd(a, b)
#define W_SELECT(m, y, n)  _mm_or_pd(_mm_and_pd(m, y), _mm_andnot_pd(m, n))
#define W_ANY(m)           (_mm_movemask_pd(m) != 0)
#define W_AND_NOT(m, not ) _mm_andnot_pd(not, m)
#define W_ALL_ZERO(a, b, c, d)                                                                     \
    _mm_cmpeq_pd(_mm_or_pd(_mm_or_pd(a, b), _mm_or_pd(c, d)), _mm_setzero_pd())
#define UNIT_STEP(g) ((g) * (W_SET(0.5) + (g) * (W_SET(0.375) + (g)*W_SET(0.3125))))
#include "kernels.inc.h"

const es_kernels es__kernels_sse2 = {&sse2_kernels_f32, &sse2_kernels_f64};

#else
typedef int es_simd_no_sse2; /* a file must not be empty */
#endif
