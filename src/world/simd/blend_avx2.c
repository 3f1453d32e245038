/* SPDX-License-Identifier: Zlib
 *
 * The kernels in 256-bit vectors.
 */
#include "kernels.h"
#include "rotation.h"

#if ES_SIMD_AVX

#include <immintrin.h>

#define ISA(x)            avx2_narrow_##x
#define BYTES             16
#define TARGET            __attribute__((target("avx2")))
#define W_ANY(m)          (OF(_mm_movemask)((WIDE)(m)) != 0)
#define W_SELECT(m, y, n) OF(_mm_blendv)(n, y, (WIDE)(m))
#define ONLY_WORDS
#include "wide_vector.inc.h"

#include "kernels.inc.h"

#define NARROWER          avx2_narrow_words_f32
#define ISA(x)            avx2_##x
#define BYTES             32
#define TARGET            __attribute__((target("avx2")))
#define W_SQRT(v)         OF(_mm256_sqrt)(v)
#define W_ANY(m)          (OF(_mm256_movemask)((WIDE)(m)) != 0)
#define W_SELECT(m, y, n) OF(_mm256_blendv)(n, y, (WIDE)(m))
#define SPLIT
#include "wide_vector.inc.h"

#include "kernels.inc.h"
#define DOUBLE
#include "kernels.inc.h"

const es__kernels es__kernels_avx2 = {&avx2_kernels_f32, &avx2_kernels_f64};

#else
typedef int es__simd_no_avx2; /* a file must not be empty */
#endif
