/* SPDX-License-Identifier: Zlib
 *
 * The hash in 128-bit vectors: every 64-bit x86.
 */
#include "hash.h"

#if ES_HASH_X86

#include <immintrin.h>

#define FUNCTION       es__hash_sse2
#define NAME(x)        sse2_##x
#define TARGET         __attribute__((target("sse2")))
#define VECTOR         __m128i
#define LOAD(p)        _mm_loadu_si128((const __m128i *)(const void *)(p))
#define STORE(p, v)    _mm_storeu_si128((__m128i *)(void *)(p), v)
#define SET(x)         _mm_set1_epi64x(x)
#define ADD(a, b)      _mm_add_epi64(a, b)
#define XOR(a, b)      _mm_xor_si128(a, b)
#define RIGHT(v, n)    _mm_srli_epi64(v, n)
#define LEFT(v, n)     _mm_slli_epi64(v, n)
#define MULTIPLY(a, b) _mm_mul_epu32(a, b)
#define SWAP(v)        _mm_shuffle_epi32(v, 0x4E)
#include "hash.inc.h"

#else
typedef int es__hash_no_sse2; /* a file must not be empty */
#endif
