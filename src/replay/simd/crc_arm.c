/* SPDX-License-Identifier: Zlib
 *
 * CRC32C by the instructions of ARMv8. As assembly: compilers differ in how a function is allowed
 * to use them.
 */
#include "hash.h"

#if ES_HASH_ARM

#include <string.h>

uint32_t es__crc32c_arm(uint32_t crc, const unsigned char *bytes, size_t size)
{
    for (; size >= 8; size -= 8, bytes += 8) {
        uint64_t word;
        memcpy(&word, bytes, 8);
        __asm__(".arch_extension crc\n\tcrc32cx %w0, %w0, %x1" : "+r"(crc) : "r"(word));
    }
    for (; size > 0; --size, ++bytes) {
        uint32_t byte = *bytes;
        __asm__(".arch_extension crc\n\tcrc32cb %w0, %w0, %w1" : "+r"(crc) : "r"(byte));
    }
    return crc;
}

#else
typedef int es__hash_no_arm_crc; /* a file must not be empty */
#endif
