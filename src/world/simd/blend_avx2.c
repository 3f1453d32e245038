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

#define ISA(x)                avx2_##x
#define BYTES                 32
#define UNROLL                1
#define TARGET                __attribute__((target("avx2")))
#define W_SQRT(v)             OF(_mm256_sqrt)(v)
#define W_ANY(m)              (OF(_mm256_movemask)((WIDE)(m)) != 0)
#define W_SELECT(m, y, n)     OF(_mm256_blendv)(n, y, (WIDE)(m))
#define W_BITS(bits)          ((MASK)TYPED(avx2_bits)((int)(bits)))
#define W_LOAD_SOME(p, m)     OF(_mm256_maskload)(p, (__m256i)(m))
#define W_STORE_SOME(p, m, v) OF(_mm256_maskstore)(p, (__m256i)(m), v)
#define SPLIT
#include "wide_vector.inc.h"

#include "kernels.inc.h"
#define DOUBLE
#include "kernels.inc.h"

const es__kernels es__kernels_avx2 = {&avx2_kernels_f32, &avx2_kernels_f64};

#else
typedef int es__simd_no_avx2; /* a file must not be empty */
#endif
