/* SPDX-License-Identifier: Zlib
 *
 * The hash in 512-bit vectors.
 */
#include "hash.h"

#if ES_HASH_AVX5

#include <immintrin.h>

#define FUNCTION       es__hash_avx512
#define NAME(x)        avx512_##x
#define TARGET         __attribute__((target("avx512f")))
#define VECTOR         __m512i
#define LOAD(p)        _mm512_loadu_si512(p)
#define STORE(p, v)    _mm512_storeu_si512(p, v)
#define SET(x)         _mm512_set1_epi64(x)
#define ADD(a, b)      _mm512_add_epi64(a, b)
#define XOR(a, b)      _mm512_xor_si512(a, b)
#define RIGHT(v, n)    _mm512_srli_epi64(v, n)
#define LEFT(v, n)     _mm512_slli_epi64(v, n)
#define MULTIPLY(a, b) _mm512_mul_epu32(a, b)
#define SWAP(v)        _mm512_shuffle_epi32(v, _MM_PERM_BADC)
#include "hash.inc.h"

#else
typedef int es__hash_no_avx512; /* a file must not be empty */
#endif
