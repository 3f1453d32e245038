/* SPDX-License-Identifier: Zlib
 *
 * The hash in 512-bit vectors.
 */
#include "hash.h"

#if ES_HASH_AVX5

#include <immintrin.h>

#define NAME(x)        avx512_##x
#define TARGET         __attribute__((target("avx512f,avx512dq")))
#define ALL_KEYS       _Pragma("GCC unroll 16")
#define VECTOR         __m512i
#define LOAD(p)        _mm512_loadu_si512(p)
#define STORE(p, v)    _mm512_storeu_si512(p, v)
#define SET(x)         _mm512_set1_epi64(x)
#define NOW(v)         __asm__("" : "+v"(v))
#define ADD(a, b)      _mm512_add_epi64(a, b)
#define XOR(a, b)      _mm512_xor_si512(a, b)
#define RIGHT(v, n)    _mm512_srli_epi64(v, n)
#define LEFT(v, n)     _mm512_slli_epi64(v, n)
#define MULTIPLY(a, b) _mm512_mul_epu32(a, b)
#define SWAP(v)        _mm512_shuffle_epi32(v, _MM_PERM_BADC)
/* One comparison looks at two vectors. It is one of floats that raises no flags, by {sae}:
 * compilers that take nobody to look at flags (clang 14) leave that out of their own. */
#define SEEN               __mmask16
#define NOTHING_SEEN       0xFFFF
#define SEE_32(seen, a, b) seen_ordered_f32(seen, a, b)
#define SEE_64(seen, a, b) seen_ordered_f64(seen, a, b)
#define ORDERED(name)                                                                              \
    "{" name " $7, %{sae%}, %2, %1, %0%{%0%}|" name " %0%{%0%}, %1, %2, %{sae%}, 7}"
#define BOTH_SEEN(a, b, kind) ((__mmask16)((a) & (b)))
#define NAN_SEEN_32(seen)     ((seen) != 0xFFFF)
#define NAN_SEEN_64(seen)     (((seen)&0xFF) != 0xFF)

static ES_INLINE TARGET SEEN seen_ordered_f32(SEEN seen, VECTOR a, VECTOR b)
{
    __asm__(ORDERED("vcmpps") : "+Yk"(seen) : "v"(a), "v"(b));
    return seen;
}

static ES_INLINE TARGET SEEN seen_ordered_f64(SEEN seen, VECTOR a, VECTOR b)
{
    __asm__(ORDERED("vcmppd") : "+Yk"(seen) : "v"(a), "v"(b));
    return seen;
}

#include "hash.inc.h"

const es_hash_kernels es_hash_kernels_avx512 = {avx512_stripes,
        {avx512_eat_plain, avx512_eat_f32, avx512_eat_f64}, avx512_has_nan_f32, avx512_has_nan_f64};

#else
typedef int es_hash_no_avx512; /* a file must not be empty */
#endif
