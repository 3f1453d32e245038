/* SPDX-License-Identifier: Zlib
 *
 * CRC32C by the instructions of ARMv8. As assembly: compilers want to be told in different ways
 * that a function may use them.
 */
#include "hash.h"

#if ES_HASH_ARM

#include <string.h>

static inline uint32_t crc_word(uint32_t crc, uint64_t word)
{
    __asm__(".arch_extension crc\n\tcrc32cx %w0, %w0, %x1" : "+r"(crc) : "r"(word));
    return crc;
}

static inline uint32_t crc_byte(uint32_t crc, uint32_t byte)
{
    __asm__(".arch_extension crc\n\tcrc32cb %w0, %w0, %w1" : "+r"(crc) : "r"(byte));
    return crc;
}

#define NAME(x) arm_##x
#define TARGET
#define WORD                 uint64_t
#define CRC_WORD(crc, value) crc_word(crc, value)
#define CRC_BYTE(crc, value) crc_byte(crc, value)
#include "crc.inc.h"

uint32_t es_simd_crc32c_arm(uint32_t crc, const unsigned char *bytes, size_t size)
{
    return arm_crc32c(crc, bytes, size);
}

#else
typedef int es_hash_no_arm_crc; /* a file must not be empty */
#endif
