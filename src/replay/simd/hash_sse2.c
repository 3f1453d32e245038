/* SPDX-License-Identifier: Zlib
 *
 * The hash in 128-bit vectors: every 64-bit x86.
 */
#include "hash.h"

#if ES_HASH_X86

#include <immintrin.h>

#define NAME(x)        sse2_##x
#define TARGET         __attribute__((target("sse2")))
#define VECTOR         __m128i
#define LOAD(p)        _mm_loadu_si128((const __m128i *)(const void *)(p))
#define STORE(p, v)    _mm_storeu_si128((__m128i *)(void *)(p), v)
#define SET(x)         _mm_set1_epi64x(x)
#define NOW(v)         __asm__("" : "+x"(v))
#define ADD(a, b)      _mm_add_epi64(a, b)
#define XOR(a, b)      _mm_xor_si128(a, b)
#define RIGHT(v, n)    _mm_srli_epi64(v, n)
#define LEFT(v, n)     _mm_slli_epi64(v, n)
#define MULTIPLY(a, b) _mm_mul_epu32(a, b)
#define SWAP(v)        _mm_shuffle_epi32(v, 0x4E)
/* With the exponent's bits set and any other, adding reaches the sign. */
#define SEEN         __m128i
#define NOTHING_SEEN _mm_setzero_si128()
#define REACH_32(v)                                                                                \
    _mm_add_epi32(_mm_and_si128(v, _mm_set1_epi32(0x7FFFFFFF)), _mm_set1_epi32(0x007FFFFF))
#define REACH_64(v)                                                                                \
    _mm_add_epi64(_mm_and_si128(v, SET(0x7FFFFFFFFFFFFFFF)), SET(0x000FFFFFFFFFFFFF))
#define SEE_32(seen, a, b)    _mm_or_si128(seen, _mm_or_si128(REACH_32(a), REACH_32(b)))
#define SEE_64(seen, a, b)    _mm_or_si128(seen, _mm_or_si128(REACH_64(a), REACH_64(b)))
#define BOTH_SEEN(a, b, kind) _mm_or_si128(a, b)
#define NAN_SEEN_32(seen)     (_mm_movemask_ps(_mm_castsi128_ps(seen)) != 0)
#define NAN_SEEN_64(seen)     (_mm_movemask_pd(_mm_castsi128_pd(seen)) != 0)
#include "hash.inc.h"

const es_hash_kernels es_hash_kernels_sse2 = {sse2_stripes,
        {sse2_eat_plain, sse2_eat_f32, sse2_eat_f64}, sse2_has_nan_f32, sse2_has_nan_f64};

#else
typedef int es_hash_no_sse2; /* a file must not be empty */
#endif
