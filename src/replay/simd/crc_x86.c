/* SPDX-License-Identifier: Zlib
 *
 * CRC32C by the instruction of SSE4.2.
 */
#include "hash.h"

#if ES_HASH_X86

#include <immintrin.h>
#include <string.h>

__attribute__((target("sse4.2"))) uint32_t es__crc32c_x86(
        uint32_t crc, const unsigned char *bytes, size_t size)
{
#if defined(__x86_64__)
    for (; size >= 8; size -= 8, bytes += 8) {
        uint64_t word;
        memcpy(&word, bytes, 8);
        crc = (uint32_t)_mm_crc32_u64(crc, word);
    }
#else
    for (; size >= 4; size -= 4, bytes += 4) {
        uint32_t word;
        memcpy(&word, bytes, 4);
        crc = _mm_crc32_u32(crc, word);
    }
#endif
    for (; size > 0; --size, ++bytes) {
        crc = _mm_crc32_u8(crc, *bytes);
    }
    return crc;
}

#else
typedef int es__hash_no_sse42; /* a file must not be empty */
#endif
