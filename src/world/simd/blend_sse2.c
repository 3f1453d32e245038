/* SPDX-License-Identifier: Zlib
 *
 * The kernels in 128-bit vectors: every x86-64.
 */
#include "kernels.h"
#include "rotation.h"

#if ES_SIMD_X86

#include <immintrin.h>

#define NAME(x)        sse2_##x##_f32
#define LANES          4
#define UNROLL         1
#define TARGET         __attribute__((target("sse2")))
#define W_SQRT(v)      _mm_sqrt_ps(v)
#define W_ANY(m)       (_mm_movemask_ps((__m128)(m)) != 0)
#define W_STREAM(p, v) _mm_stream_ps(p, v)
#define SPLIT
#include "kernels.inc.h"

#define DOUBLE
#define NAME(x)        sse2_##x##_f64
#define LANES          2
#define UNROLL         1
#define TARGET         __attribute__((target("sse2")))
#define W_SQRT(v)      _mm_sqrt_pd(v)
#define W_ANY(m)       (_mm_movemask_pd((__m128d)(m)) != 0)
#define W_STREAM(p, v) _mm_stream_pd(p, v)
#include "kernels.inc.h"

const es_kernels es__kernels_sse2 = {&sse2_kernels_f32, &sse2_kernels_f64};

#else
typedef int es_simd_no_sse2; /* a file must not be empty */
#endif
