/* SPDX-License-Identifier: Zlib
 *
 * By the machine's instructions, where it has them. Else eight bytes at a time by eight tables, so
 * that eight look-ups do not wait for each other.
 *
 * Source: Kounavis and Berry, "A systematic approach to building high performance software-based
 * CRC generators", 2005 (slicing by 8).
 */
#include "record_crc.h"

#include "record_crc_table.inc.h"
#include "simd/hash.h"
#include "state_numbers.h"

static uint32_t by_tables(uint32_t crc, const unsigned char *at, size_t size)
{
    for (; size >= 8; size -= 8, at += 8) {
        uint32_t low = es__get_u32(at) ^ crc, high = es__get_u32(at + 4);
        crc = crc_table[7][low & 255] ^ crc_table[6][low >> 8 & 255] ^ crc_table[5][low >> 16 & 255]
              ^ crc_table[4][low >> 24] ^ crc_table[3][high & 255] ^ crc_table[2][high >> 8 & 255]
              ^ crc_table[1][high >> 16 & 255] ^ crc_table[0][high >> 24];
    }
    for (; size > 0; --size, ++at) {
        crc = crc_table[0][(crc ^ *at) & 255] ^ crc >> 8;
    }
    return crc;
}

uint32_t es__crc32c(uint32_t crc, const void *bytes, size_t size)
{
    es_crc32c_function instructions = es_simd_crc32c();
    return ~(instructions != NULL ? instructions : by_tables)(~crc, bytes, size);
}
