/* SPDX-License-Identifier: Zlib
 *
 * Which of these does this machine have? As in select.c, but with what the hash needs alone.
 */
#include "hash.h"

#if ES_HASH_ARM && defined(__linux__) && !defined(__ARM_FEATURE_CRC32)
#include <sys/auxv.h>
#endif

es__hash_function *es__simd_hash(void)
{
#if ES_HASH_AVX5
    if (__builtin_cpu_supports("avx512f")) {
        return es__hash_avx512;
    }
#endif
#if ES_HASH_AVX2
    if (__builtin_cpu_supports("avx2")) {
        return es__hash_avx2;
    }
#endif
#if ES_HASH_X86
    if (__builtin_cpu_supports("sse2")) {
        return es__hash_sse2;
    }
#elif ES_HASH_ARM
    return es__hash_neon;
#endif
    return es__hash_scalar;
}

es__crc32c_function *es__simd_crc32c(void)
{
#if ES_HASH_X86
    return __builtin_cpu_supports("sse4.2") ? es__crc32c_x86 : NULL;
#elif ES_HASH_ARM && defined(__ARM_FEATURE_CRC32)
    return es__crc32c_arm;
#elif ES_HASH_ARM && defined(__linux__)
    /* HWCAP_CRC32, as the kernel reported it when the program started. */
    return (getauxval(AT_HWCAP) & 1UL << 7) != 0 ? es__crc32c_arm : NULL;
#else
    return NULL;
#endif
}
