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

#define ISA(x) neon_##x
#define BYTES  16
#define TARGET
#define W_SQRT(v) TYPED(vsqrtq)(v)
#define W_ANY(m)  (vmaxvq_u32((uint32x4_t)(m)) != 0)
#include "wide_vector.inc.h"

#include "kernels.inc.h"
#define DOUBLE
#include "kernels.inc.h"

const es__kernels es__kernels_neon = {&neon_kernels_f32, &neon_kernels_f64};

#else
typedef int es__simd_no_neon; /* a file must not be empty */
#endif
