/* SPDX-License-Identifier: Zlib
 *
 * The kernels in 128-bit vectors: every 64-bit ARM.
 */
#include "kernels.h"
#include "rotation.h"

#if ES_SIMD_ARM

/* gcc does not see that a rotation reads as many vectors as were written. */
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#endif

#include <arm_neon.h>
#include <float.h>

#define NUMBER     float
#define NAME(x)    neon_##x##_f32
#define TYPED(x)   x##_f32
#define NUMBER_MAX FLT_MAX
#define NUMBER_MIN FLT_MIN
#define LANES      4
#define UNROLL     2
#define TARGET
#define SCALAR         es__kernels_scalar.f32
#define WIDE           float32x4_t
#define MASK           uint32x4_t
#define W_LOAD(p)      vld1q_f32(p)
#define W_STORE(p, v)  vst1q_f32(p, v)
#define W_STREAM(p, v) vst1q_f32(p, v)
#define W_SET(x)       vdupq_n_f32(x)
#define W_SQRT(v)      vsqrtq_f32(v)
#define W_ABS(v)       vabsq_f32(v)
#define W_FLIP(v, by)                                                                              \
    vreinterpretq_f32_u32(veorq_u32(vreinterpretq_u32_f32(v),                                      \
            vandq_u32(vreinterpretq_u32_f32(by), vdupq_n_u32(UINT32_C(0x80000000)))))
#define W_LT(a, b)         vcltq_f32(a, b)
#define W_NOT_LE(a, b)     vmvnq_u32(vcleq_f32(a, b))
#define W_SELECT(m, y, n)  vbslq_f32(m, y, n)
#define W_ANY(m)           (vmaxvq_u32(m) != 0)
#define W_AND_NOT(m, not ) vbicq_u32(m, not )
#define W_ALL_ZERO(a, b, c, d)                                                                     \
    vceqzq_f32(vreinterpretq_f32_u32(                                                              \
            vorrq_u32(vorrq_u32(vreinterpretq_u32_f32(a), vreinterpretq_u32_f32(b)),               \
                    vorrq_u32(vreinterpretq_u32_f32(c), vreinterpretq_u32_f32(d)))))
#define UNIT_STEP(g) ((g)*W_SET(0.5F))
#include "kernels.inc.h"

#define NUMBER     double
#define NAME(x)    neon_##x##_f64
#define TYPED(x)   x##_f64
#define NUMBER_MAX DBL_MAX
#define NUMBER_MIN DBL_MIN
#define LANES      2
#define UNROLL     2
#define TARGET
#define SCALAR         es__kernels_scalar.f64
#define WIDE           float64x2_t
#define MASK           uint64x2_t
#define W_LOAD(p)      vld1q_f64(p)
#define W_STORE(p, v)  vst1q_f64(p, v)
#define W_STREAM(p, v) vst1q_f64(p, v)
#define W_SET(x)       vdupq_n_f64(x)
#define W_SQRT(v)      vsqrtq_f64(v)
#define W_ABS(v)       vabsq_f64(v)
#define W_FLIP(v, by)                                                                              \
    vreinterpretq_f64_u64(veorq_u64(vreinterpretq_u64_f64(v),                                      \
            vandq_u64(vreinterpretq_u64_f64(by), vdupq_n_u64(UINT64_C(0x8000000000000000)))))
#define W_LT(a, b)         vcltq_f64(a, b)
#define W_NOT_LE(a, b)     vreinterpretq_u64_u32(vmvnq_u32(vreinterpretq_u32_u64(vcleq_f64(a, b))))
#define W_SELECT(m, y, n)  vbslq_f64(m, y, n)
#define W_ANY(m)           (vmaxvq_u32(vreinterpretq_u32_u64(m)) != 0)
#define W_AND_NOT(m, not ) vbicq_u64(m, not )
#define W_ALL_ZERO(a, b, c, d)                                                                     \
    vceqzq_f64(vreinterpretq_f64_u64(                                                              \
            vorrq_u64(vorrq_u64(vreinterpretq_u64_f64(a), vreinterpretq_u64_f64(b)),               \
                    vorrq_u64(vreinterpretq_u64_f64(c), vreinterpretq_u64_f64(d)))))
#define UNIT_STEP(g) ((g) * (W_SET(0.5) + (g) * (W_SET(0.375) + (g)*W_SET(0.3125))))
#include "kernels.inc.h"

const es_kernels es__kernels_neon = {&neon_kernels_f32, &neon_kernels_f64};

#else
typedef int es_simd_no_neon; /* a file must not be empty */
#endif
