/* SPDX-License-Identifier: Zlib
 *
 * Chooses the kernels. The compiler's run-time library queries the processor, and whether the
 * operating system saves its registers, before main: nothing here is written to.
 */
#include "kernels.h"

const es__kernels *es__simd_kernels(es__simd simd)
{
    switch (simd) {
    case ES_SIMD_AUTO:
        for (int widest = ES_SIMD_NEON; widest > ES_SIMD_SCALAR; --widest) {
            const es__kernels *found = es__simd_kernels((es__simd)widest);
            if (found != NULL) {
                return found;
            }
        }
        return &es__kernels_scalar;
    case ES_SIMD_SCALAR:
        return &es__kernels_scalar;
#if ES_SIMD_X86
    case ES_SIMD_SSE2:
        return __builtin_cpu_supports("sse2") ? &es__kernels_sse2 : NULL;
#endif
#if ES_SIMD_AVX
    case ES_SIMD_AVX2:
        return __builtin_cpu_supports("avx2") ? &es__kernels_avx2 : NULL;
#endif
#if ES_SIMD_ARM
    case ES_SIMD_NEON:
        return &es__kernels_neon;
#endif
    default:
        return NULL;
    }
}
