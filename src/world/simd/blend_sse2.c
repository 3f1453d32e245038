/* SPDX-License-Identifier: Zlib
 *
 * The kernels in 128-bit vectors: every x86-64.
 */
#include "kernels.h"
#include "rotation.h"

#if ES_SIMD_X86

#include <immintrin.h>

#define ISA(x)    sse2_##x
#define BYTES     16
#define TARGET    __attribute__((target("sse2")))
#define W_SQRT(v) OF(_mm_sqrt)(v)
#define W_ANY(m)  (OF(_mm_movemask)((WIDE)(m)) != 0)
#define SPLIT
#include "wide_vector.inc.h"

#include "kernels.inc.h"
#define DOUBLE
#include "kernels.inc.h"

const es__kernels es__kernels_sse2 = {&sse2_kernels_f32, &sse2_kernels_f64};

#else
typedef int es__simd_no_sse2; /* a file must not be empty */
#endif
