/* SPDX-License-Identifier: Zlib
 *
 * Which instruction sets does this machine have? The compiler's run-time library asked the
 * processor (and whether the operating system saves its registers) before main, so nothing here is
 * written to, and every thread may ask.
 */
#include "kernels.h"

#if ES_SIMD_X86
#include <immintrin.h>
#endif

bool es_simd_is_available(es_simd simd)
{
    switch (simd) {
    case ES_SIMD_AUTO:
    case ES_SIMD_SCALAR:
        return true;
#if ES_SIMD_X86
    case ES_SIMD_SSE2:
        return __builtin_cpu_supports("sse2");
#endif
#if ES_SIMD_AVX
    case ES_SIMD_AVX2:
        return __builtin_cpu_supports("avx2");
    case ES_SIMD_AVX512:
        return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq");
#endif
    case ES_SIMD_NEON:
        return ES_SIMD_ARM;
    default:
        return false;
    }
}

es_simd es_simd_best(void)
{
    static const es_simd widest_first[] = {
            ES_SIMD_AVX512, ES_SIMD_AVX2, ES_SIMD_SSE2, ES_SIMD_NEON};
    for (size_t i = 0; i < sizeof widest_first / sizeof widest_first[0]; ++i) {
        if (es_simd_is_available(widest_first[i])) {
            return widest_first[i];
        }
    }
    return ES_SIMD_SCALAR;
}

const char *es_simd_name(es_simd simd)
{
    static const char *const names[] = {"auto", "scalar", "sse2", "avx2", "avx512", "neon"};
    return simd >= ES_SIMD_AUTO && simd <= ES_SIMD_NEON ? names[simd] : "unknown";
}

const es_kernels *es_simd_kernels(es_simd simd)
{
    if (!es_simd_is_available(simd)) {
        return NULL;
    }
    switch (simd == ES_SIMD_AUTO ? es_simd_best() : simd) {
#if ES_SIMD_X86
    case ES_SIMD_SSE2:
        return &es_kernels_sse2;
#endif
#if ES_SIMD_AVX
    case ES_SIMD_AVX2:
        return &es_kernels_avx2;
    case ES_SIMD_AVX512:
        return &es_kernels_avx512;
#endif
#if ES_SIMD_ARM
    case ES_SIMD_NEON:
        return &es_kernels_neon;
#endif
    default:
        return &es_kernels_scalar;
    }
}

#if ES_SIMD_X86
static __attribute__((target("sse"))) void fence(void)
{
    _mm_sfence();
}
#endif

void es_simd_fence(void)
{
#if ES_SIMD_X86
    if (__builtin_cpu_supports("sse")) {
        fence();
    }
#endif
}
