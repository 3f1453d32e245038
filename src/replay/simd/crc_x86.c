/* SPDX-License-Identifier: Zlib
 *
 * CRC32C by the instruction of SSE4.2.
 */
#include "hash.h"

#if ES_HASH_X86

#include <immintrin.h>
#include <string.h>

#define NAME(x)              sse42_##x
#define TARGET               __attribute__((target("sse4.2")))
#define CRC_BYTE(crc, value) _mm_crc32_u8(crc, value)
#if defined(__x86_64__)
#define WORD                 uint64_t
#define CRC_WORD(crc, value) (uint32_t) _mm_crc32_u64(crc, value)
#else
#define WORD                 uint32_t
#define CRC_WORD(crc, value) _mm_crc32_u32(crc, value)
#endif
#include "crc.inc.h"

uint32_t es_simd_crc32c_x86(uint32_t crc, const unsigned char *bytes, size_t size)
{
    return sse42_crc32c(crc, bytes, size);
}

#else
typedef int es_hash_no_sse42; /* a file must not be empty */
#endif
