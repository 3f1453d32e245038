/* SPDX-License-Identifier: Zlib
 *
 * The hash in 256-bit vectors.
 */
#include "hash.h"

#if ES_HASH_AVX2

#include <immintrin.h>

#define NAME(x)        avx2_##x
#define TARGET         __attribute__((target("avx2")))
#define VECTOR         __m256i
#define LOAD(p)        _mm256_loadu_si256((const __m256i *)(const void *)(p))
#define STORE(p, v)    _mm256_storeu_si256((__m256i *)(void *)(p), v)
#define SET(x)         _mm256_set1_epi64x(x)
#define NOW(v)         __asm__("" : "+x"(v))
#define ADD(a, b)      _mm256_add_epi64(a, b)
#define XOR(a, b)      _mm256_xor_si256(a, b)
#define RIGHT(v, n)    _mm256_srli_epi64(v, n)
#define LEFT(v, n)     _mm256_slli_epi64(v, n)
#define MULTIPLY(a, b) _mm256_mul_epu32(a, b)
#define SWAP(v)        _mm256_shuffle_epi32(v, 0x4E)
/* Without the sign, a NaN is above all other numbers of 32 bits; of 64 it needs an addition. */
#define SEEN               __m256i
#define NOTHING_SEEN       _mm256_setzero_si256()
#define SEE_1(seen, v)     _mm256_max_epu32(seen, _mm256_add_epi32(v, v))
#define SEE_32(seen, a, b) SEE_1(SEE_1(seen, a), b)
#define REACH(v)                                                                                   \
    _mm256_add_epi64(_mm256_and_si256(v, SET(0x7FFFFFFFFFFFFFFF)), SET(0x000FFFFFFFFFFFFF))
#define SEE_64(seen, a, b) _mm256_or_si256(seen, _mm256_or_si256(REACH(a), REACH(b)))
#define BOTH_SEEN(a, b, kind)                                                                      \
    ((kind) == ES_HASH_F32 ? _mm256_max_epu32(a, b) : _mm256_or_si256(a, b))
#define LEAST_NAN _mm256_set1_epi32((int)0xFF000001)
#define NAN_SEEN_32(seen)                                                                          \
    (_mm256_movemask_epi8(_mm256_cmpeq_epi32(_mm256_max_epu32(seen, LEAST_NAN), seen)) != 0)
#define NAN_SEEN_64(seen) (_mm256_movemask_pd(_mm256_castsi256_pd(seen)) != 0)
#include "hash.inc.h"

const es_hash_kernels es_hash_kernels_avx2 = {avx2_stripes,
        {avx2_eat_plain, avx2_eat_f32, avx2_eat_f64}, avx2_has_nan_f32, avx2_has_nan_f64};

#else
typedef int es_hash_no_avx2; /* a file must not be empty */
#endif
