/* SPDX-License-Identifier: Zlib
 *
 * The kernels in 512-bit vectors.
 */
#include "kernels.h"
#include "rotation.h"

#if ES_SIMD_AVX

#include <immintrin.h>

#define avx512_compare_f32 _mm512_cmp_ps_mask
#define avx512_compare_f64 _mm512_cmp_pd_mask
typedef __mmask16 avx512_lanes_f32;
typedef __mmask8 avx512_lanes_f64;

#define ISA(x)             avx512_##x
#define BYTES              64
#define UNROLL             (LANES / 8)
#define TARGET             __attribute__((target("avx512f,avx512dq")))
#define MASK               TYPED(avx512_lanes)
#define W_LOAD(p)          OF(_mm512_loadu)(p)
#define W_STORE(p, v)      OF(_mm512_storeu)(p, v)
#define W_SET(x)           OF(_mm512_set1)(x)
#define W_SQRT(v)          OF(_mm512_sqrt)(v)
#define W_ABS(v)           OF(_mm512_abs)(v)
#define W_FLIP(v, by)      OF(_mm512_xor)(v, OF(_mm512_and)(by, W_SET(-0.0F)))
#define W_LT(a, b)         TYPED(avx512_compare)(a, b, _CMP_LT_OQ)
#define W_NOT_LE(a, b)     TYPED(avx512_compare)(a, b, _CMP_NLE_UQ)
#define W_SELECT(m, y, n)  OF(_mm512_mask_blend)(m, n, y)
#define W_ANY(m)           ((m) != 0)
#define W_AND_NOT(m, not ) ((MASK)((m) & ~(not )))
#define W_AND(m, n)        ((MASK)((m) & (n)))
#define W_OR(m, n)         ((MASK)((m) | (n)))
#define W_ALL_ZERO(a, b, c, d)                                                                     \
    TYPED(avx512_compare)                                                                          \
    (OF(_mm512_or)(OF(_mm512_or)(a, b), OF(_mm512_or)(c, d)), W_SET(0), _CMP_EQ_OQ)
#define W_LOAD_SOME(p, m)     OF(_mm512_maskz_loadu)(m, p)
#define W_STORE_SOME(p, m, v) OF(_mm512_mask_storeu)(p, m, v)
#define SPLIT
#include "kernels.inc.h"
#define DOUBLE
#include "kernels.inc.h"

const es__kernels es__kernels_avx512 = {&avx512_kernels_f32, &avx512_kernels_f64};

#else
typedef int es__simd_no_avx512; /* a file must not be empty */
#endif
