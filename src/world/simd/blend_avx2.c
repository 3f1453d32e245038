/* SPDX-License-Identifier: Zlib
 *
 * The kernels in 256-bit vectors.
 */
#include "kernels.h"
#include "rotation.h"

#if ES_SIMD_AVX

#include <float.h>
#include <immintrin.h>

/* A bit as all bits of its lane. */
static __attribute__((target("avx2"))) ES_INLINE __m256 avx2_bits_f32(int bits)
{
    const __m256i lanes = _mm256_setr_epi32(1, 2, 4, 8, 16, 32, 64, 128);
    return _mm256_castsi256_ps(
            _mm256_cmpeq_epi32(_mm256_and_si256(_mm256_set1_epi32(bits), lanes), lanes));
}

static __attribute__((target("avx2"))) ES_INLINE __m256d avx2_bits_f64(int bits)
{
    const __m256i lanes = _mm256_setr_epi64x(1, 2, 4, 8);
    return _mm256_castsi256_pd(
            _mm256_cmpeq_epi64(_mm256_and_si256(_mm256_set1_epi64x(bits), lanes), lanes));
}

#define NUMBER             float
#define NAME(x)            avx2_##x##_f32
#define TYPED(x)           x##_f32
#define NUMBER_MAX         FLT_MAX
#define NUMBER_MIN         FLT_MIN
#define LANES              8
#define UNROLL             1
#define TARGET             __attribute__((target("avx2")))
#define SCALAR             es__kernels_scalar.f32
#define WIDE               __m256
#define MASK               __m256
#define W_LOAD(p)          _mm256_loadu_ps(p)
#define W_STORE(p, v)      _mm256_storeu_ps(p, v)
#define W_STREAM(p, v)     _mm256_stream_ps(p, v)
#define W_SET(x)           _mm256_set1_ps(x)
#define W_SQRT(v)          _mm256_sqrt_ps(v)
#define W_ABS(v)           _mm256_andnot_ps(_mm256_set1_ps(-0.0F), v)
#define W_FLIP(v, by)      _mm256_xor_ps(v, _mm256_and_ps(by, _mm256_set1_ps(-0.0F)))
#define W_LT(a, b)         _mm256_cmp_ps(a, b, _CMP_LT_OQ)
#define W_NOT_LE(a, b)     _mm256_cmp_ps(a, b, _CMP_NLE_UQ)
#define W_SELECT(m, y, n)  _mm256_blendv_ps(n, y, m)
#define W_ANY(m)           (_mm256_movemask_ps(m) != 0)
#define W_AND_NOT(m, not ) _mm256_andnot_ps(not, m)
#define W_ALL_ZERO(a, b, c, d)                                                                     \
    _mm256_cmp_ps(                                                                                 \
            _mm256_or_ps(_mm256_or_ps(a, b), _mm256_or_ps(c, d)), _mm256_setzero_ps(), _CMP_EQ_OQ)
#define W_BITS(bits)          avx2_bits_f32((int)(bits))
#define W_LOAD_SOME(p, m)     _mm256_maskload_ps(p, _mm256_castps_si256(m))
#define W_STORE_SOME(p, m, v) _mm256_maskstore_ps(p, _mm256_castps_si256(m), v)
#define UNIT_STEP(g)          ((g)*W_SET(0.5F))
#define SPLIT
#include "kernels.inc.h"

#define NUMBER             double
#define NAME(x)            avx2_##x##_f64
#define TYPED(x)           x##_f64
#define NUMBER_MAX         DBL_MAX
#define NUMBER_MIN         DBL_MIN
#define LANES              4
#define UNROLL             1
#define TARGET             __attribute__((target("avx2")))
#define SCALAR             es__kernels_scalar.f64
#define WIDE               __m256d
#define MASK               __m256d
#define W_LOAD(p)          _mm256_loadu_pd(p)
#define W_STORE(p, v)      _mm256_storeu_pd(p, v)
#define W_STREAM(p, v)     _mm256_stream_pd(p, v)
#define W_SET(x)           _mm256_set1_pd(x)
#define W_SQRT(v)          _mm256_sqrt_pd(v)
#define W_ABS(v)           _mm256_andnot_pd(_mm256_set1_pd(-0.0), v)
#define W_FLIP(v, by)      _mm256_xor_pd(v, _mm256_and_pd(by, _mm256_set1_pd(-0.0)))
#define W_LT(a, b)         _mm256_cmp_pd(a, b, _CMP_LT_OQ)
#define W_NOT_LE(a, b)     _mm256_cmp_pd(a, b, _CMP_NLE_UQ)
#define W_SELECT(m, y, n)  _mm256_blendv_pd(n, y, m)
#define W_ANY(m)           (_mm256_movemask_pd(m) != 0)
#define W_AND_NOT(m, not ) _mm256_andnot_pd(not, m)
#define W_ALL_ZERO(a, b, c, d)                                                                     \
    _mm256_cmp_pd(                                                                                 \
            _mm256_or_pd(_mm256_or_pd(a, b), _mm256_or_pd(c, d)), _mm256_setzero_pd(), _CMP_EQ_OQ)
#define W_BITS(bits)          avx2_bits_f64((int)(bits))
#define W_LOAD_SOME(p, m)     _mm256_maskload_pd(p, _mm256_castpd_si256(m))
#define W_STORE_SOME(p, m, v) _mm256_maskstore_pd(p, _mm256_castpd_si256(m), v)
#define UNIT_STEP(g)          ((g) * (W_SET(0.5) + (g) * (W_SET(0.375) + (g)*W_SET(0.3125))))
#include "kernels.inc.h"

const es_kernels es__kernels_avx2 = {&avx2_kernels_f32, &avx2_kernels_f64};

#else
typedef int es_simd_no_avx2; /* a file must not be empty */
#endif
