/* SPDX-License-Identifier: Zlib
 *
 * The kernels in 256-bit vectors.
 */
#include "kernels.h"
#include "rotation.h"

#if ES_SIMD_AVX

#include <immintrin.h>

/* Bits as lanes of ones. */
static __attribute__((target("avx2"))) ES_INLINE __m256i avx2_bits_f32(int bits)
{
    const __m256i lanes = _mm256_setr_epi32(1, 2, 4, 8, 16, 32, 64, 128);
    return _mm256_cmpeq_epi32(_mm256_and_si256(_mm256_set1_epi32(bits), lanes), lanes);
}

static __attribute__((target("avx2"))) ES_INLINE __m256i avx2_bits_f64(int bits)
{
    const __m256i lanes = _mm256_setr_epi64x(1, 2, 4, 8);
    return _mm256_cmpeq_epi64(_mm256_and_si256(_mm256_set1_epi64x(bits), lanes), lanes);
}

#define NAME(x)               avx2_##x##_f32
#define LANES                 8
#define UNROLL                1
#define TARGET                __attribute__((target("avx2")))
#define W_SQRT(v)             _mm256_sqrt_ps(v)
#define W_ANY(m)              (_mm256_movemask_ps((__m256)(m)) != 0)
#define W_STREAM(p, v)        _mm256_stream_ps(p, v)
#define W_SELECT(m, y, n)     _mm256_blendv_ps(n, y, (__m256)(m))
#define W_BITS(bits)          ((MASK)avx2_bits_f32((int)(bits)))
#define W_LOAD_SOME(p, m)     _mm256_maskload_ps(p, (__m256i)(m))
#define W_STORE_SOME(p, m, v) _mm256_maskstore_ps(p, (__m256i)(m), v)
#define SPLIT
#include "kernels.inc.h"

#define DOUBLE
#define NAME(x)               avx2_##x##_f64
#define LANES                 4
#define UNROLL                1
#define TARGET                __attribute__((target("avx2")))
#define W_SQRT(v)             _mm256_sqrt_pd(v)
#define W_ANY(m)              (_mm256_movemask_pd((__m256d)(m)) != 0)
#define W_STREAM(p, v)        _mm256_stream_pd(p, v)
#define W_SELECT(m, y, n)     _mm256_blendv_pd(n, y, (__m256d)(m))
#define W_BITS(bits)          ((MASK)avx2_bits_f64((int)(bits)))
#define W_LOAD_SOME(p, m)     _mm256_maskload_pd(p, (__m256i)(m))
#define W_STORE_SOME(p, m, v) _mm256_maskstore_pd(p, (__m256i)(m), v)
#include "kernels.inc.h"

const es_kernels es__kernels_avx2 = {&avx2_kernels_f32, &avx2_kernels_f64};

#else
typedef int es_simd_no_avx2; /* a file must not be empty */
#endif
