/* SPDX-License-Identifier: Zlib
 *
 * The kernels in 512-bit vectors.
 */
#include "kernels.h"
#include "rotation.h"

#if ES_SIMD_AVX

#include <immintrin.h>

#define NAME(x)            avx512_##x##_f32
#define LANES              16
#define UNROLL             2
#define TARGET             __attribute__((target("avx512f,avx512dq")))
#define WIDE               __m512
#define MASK               __mmask16
#define W_LOAD(p)          _mm512_loadu_ps(p)
#define W_STORE(p, v)      _mm512_storeu_ps(p, v)
#define W_STREAM(p, v)     _mm512_stream_ps(p, v)
#define W_SET(x)           _mm512_set1_ps(x)
#define W_SQRT(v)          _mm512_sqrt_ps(v)
#define W_ABS(v)           _mm512_abs_ps(v)
#define W_FLIP(v, by)      _mm512_xor_ps(v, _mm512_and_ps(by, _mm512_set1_ps(-0.0F)))
#define W_LT(a, b)         _mm512_cmp_ps_mask(a, b, _CMP_LT_OQ)
#define W_NOT_LE(a, b)     _mm512_cmp_ps_mask(a, b, _CMP_NLE_UQ)
#define W_SELECT(m, y, n)  _mm512_mask_blend_ps(m, n, y)
#define W_ANY(m)           ((m) != 0)
#define W_AND_NOT(m, not ) ((MASK)((m) & ~(not )))
#define W_ALL_ZERO(a, b, c, d)                                                                     \
    _mm512_cmp_ps_mask(                                                                            \
            _mm512_or_ps(_mm512_or_ps(a, b), _mm512_or_ps(c, d)), _mm512_set1_ps(0), _CMP_EQ_OQ)
#define W_BITS(bits)          ((MASK)(bits))
#define W_LOAD_SOME(p, m)     _mm512_maskz_loadu_ps(m, p)
#define W_STORE_SOME(p, m, v) _mm512_mask_storeu_ps(p, m, v)
#define SPLIT
#include "kernels.inc.h"

#define DOUBLE
#define NAME(x)            avx512_##x##_f64
#define LANES              8
#define UNROLL             1
#define TARGET             __attribute__((target("avx512f,avx512dq")))
#define WIDE               __m512d
#define MASK               __mmask8
#define W_LOAD(p)          _mm512_loadu_pd(p)
#define W_STORE(p, v)      _mm512_storeu_pd(p, v)
#define W_STREAM(p, v)     _mm512_stream_pd(p, v)
#define W_SET(x)           _mm512_set1_pd(x)
#define W_SQRT(v)          _mm512_sqrt_pd(v)
#define W_ABS(v)           _mm512_abs_pd(v)
#define W_FLIP(v, by)      _mm512_xor_pd(v, _mm512_and_pd(by, _mm512_set1_pd(-0.0)))
#define W_LT(a, b)         _mm512_cmp_pd_mask(a, b, _CMP_LT_OQ)
#define W_NOT_LE(a, b)     _mm512_cmp_pd_mask(a, b, _CMP_NLE_UQ)
#define W_SELECT(m, y, n)  _mm512_mask_blend_pd(m, n, y)
#define W_ANY(m)           ((m) != 0)
#define W_AND_NOT(m, not ) ((MASK)((m) & ~(not )))
#define W_ALL_ZERO(a, b, c, d)                                                                     \
    _mm512_cmp_pd_mask(                                                                            \
            _mm512_or_pd(_mm512_or_pd(a, b), _mm512_or_pd(c, d)), _mm512_set1_pd(0), _CMP_EQ_OQ)
#define W_BITS(bits)          ((MASK)(bits))
#define W_LOAD_SOME(p, m)     _mm512_maskz_loadu_pd(m, p)
#define W_STORE_SOME(p, m, v) _mm512_mask_storeu_pd(p, m, v)
#include "kernels.inc.h"

const es_kernels es__kernels_avx512 = {&avx512_kernels_f32, &avx512_kernels_f64};

#else
typedef int es_simd_no_avx512; /* a file must not be empty */
#endif
