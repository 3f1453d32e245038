/* SPDX-License-Identifier: Zlib
 *
 * The hash in 512-bit vectors.
 */
#include "hash.h"

#if ES_HASH_AVX5

#include <immintrin.h>

#define NAME(x)           avx512_##x
#define TARGET            __attribute__((target("avx512f,avx512dq")))
#define VECTOR            __m512i
#define LOAD(p)           _mm512_loadu_si512(p)
#define STORE(p, v)       _mm512_storeu_si512(p, v)
#define SET(x)            _mm512_set1_epi64(x)
#define ADD(a, b)         _mm512_add_epi64(a, b)
#define XOR(a, b)         _mm512_xor_si512(a, b)
#define RIGHT(v, n)       _mm512_srli_epi64(v, n)
#define LEFT(v, n)        _mm512_slli_epi64(v, n)
#define MULTIPLY(a, b)    _mm512_mul_epu32(a, b)
#define SWAP(v)           _mm512_shuffle_epi32(v, _MM_PERM_BADC)
#define FIND_32(found, v) _mm512_max_epu32(found, _mm512_add_epi32(v, v))
#define FIND_64(found, v) _mm512_max_epu64(found, _mm512_add_epi64(v, v))
#define FOUND_32(bits)    ((bits) > UINT32_C(0xFF000000))
#define FOUND_64(bits)    ((bits) > UINT64_C(0xFFE0000000000000))
#define MERGE_32(a, b)    _mm512_max_epu32(a, b)
#include "hash.inc.h"

const es_hash_kernels es_hash_kernels_avx512 = {
        avx512_stripes, avx512_blocks, avx512_has_nan_f32, avx512_has_nan_f64};

#else
typedef int es_hash_no_avx512; /* a file must not be empty */
#endif
