/* SPDX-License-Identifier: Zlib
 *
 * The hash in 256-bit vectors.
 */
#include "hash.h"

#if ES_HASH_AVX2

#include <immintrin.h>

#define FUNCTION       es__hash_avx2
#define NAME(x)        avx2_##x
#define TARGET         __attribute__((target("avx2")))
#define VECTOR         __m256i
#define LOAD(p)        _mm256_loadu_si256((const __m256i *)(const void *)(p))
#define STORE(p, v)    _mm256_storeu_si256((__m256i *)(void *)(p), v)
#define SET(x)         _mm256_set1_epi64x(x)
#define ADD(a, b)      _mm256_add_epi64(a, b)
#define XOR(a, b)      _mm256_xor_si256(a, b)
#define RIGHT(v, n)    _mm256_srli_epi64(v, n)
#define LEFT(v, n)     _mm256_slli_epi64(v, n)
#define MULTIPLY(a, b) _mm256_mul_epu32(a, b)
#define SWAP(v)        _mm256_shuffle_epi32(v, 0x4E)
#include "hash.inc.h"

#else
typedef int es__hash_no_avx2; /* a file must not be empty */
#endif
