/* SPDX-License-Identifier: Zlib
 *
 * Which of these does this machine have? As in select.c, but with what the hash needs alone.
 */
#include "hash.h"

#if ES_HASH_ARM && defined(__linux__) && !defined(__ARM_FEATURE_CRC32)
#include <sys/auxv.h>
#endif

const es_hash_kernels *es_simd_hash(void)
{
#if ES_HASH_AVX5
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq")) {
        return &es_hash_kernels_avx512;
    }
#endif
#if ES_HASH_AVX2
    if (__builtin_cpu_supports("avx2")) {
        return &es_hash_kernels_avx2;
    }
#endif
#if ES_HASH_X86
    if (__builtin_cpu_supports("sse2")) {
        return &es_hash_kernels_sse2;
    }
#elif ES_HASH_ARM
    return &es_hash_kernels_neon;
#endif
    return &es_hash_kernels_scalar;
}

es_crc32c_function es_simd_crc32c(void)
{
#if ES_HASH_X86
    return __builtin_cpu_supports("sse4.2") ? es_simd_crc32c_x86 : NULL;
#elif ES_HASH_ARM && defined(__ARM_FEATURE_CRC32)
    return es_simd_crc32c_arm;
#elif ES_HASH_ARM && defined(__linux__)
    /* HWCAP_CRC32: what the kernel told the program when it started; the C library keeps it. */
    return (getauxval(AT_HWCAP) & 1UL << 7) != 0 ? es_simd_crc32c_arm : NULL;
#else
    return NULL;
#endif
}
