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

#define NAME(x) neon_##x##_f32
#define LANES   4
#define UNROLL  2
#define TARGET
#define W_SQRT(v)      vsqrtq_f32(v)
#define W_ANY(m)       (vmaxvq_u32((uint32x4_t)(m)) != 0)
#define W_STREAM(p, v) W_STORE(p, v)
#include "kernels.inc.h"

#define DOUBLE
#define NAME(x) neon_##x##_f64
#define LANES   2
#define UNROLL  2
#define TARGET
#define W_SQRT(v)      vsqrtq_f64(v)
#define W_ANY(m)       (vmaxvq_u32((uint32x4_t)(m)) != 0)
#define W_STREAM(p, v) W_STORE(p, v)
#include "kernels.inc.h"

const es_kernels es__kernels_neon = {&neon_kernels_f32, &neon_kernels_f64};

#else
typedef int es_simd_no_neon; /* a file must not be empty */
#endif
