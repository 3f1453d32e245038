/* SPDX-License-Identifier: Zlib
 *
 * CRC32C by the machine's instructions, where it has them. Else eight bytes at a time by eight
 * tables, so that eight look-ups do not wait for each other.
 *
 * Source: Kounavis and Berry, "A systematic approach to building high performance software-based
 * CRC generators", 2005 (slicing by 8).
 */
#include "record_parts.h"
#include "simd/hash.h"

/* A CRC is linear: the entry of a byte is the sum of the entries of its bits. x: the sum so far. */
#define CRC_2(x, a)                 x, (x) ^ (a)
#define CRC_4(x, a, b)              CRC_2(x, a), CRC_2((x) ^ (b), a)
#define CRC_8(x, a, b, c)           CRC_4(x, a, b), CRC_4((x) ^ (c), a, b)
#define CRC_16(x, a, b, c, d)       CRC_8(x, a, b, c), CRC_8((x) ^ (d), a, b, c)
#define CRC_32(x, a, b, c, d, e)    CRC_16(x, a, b, c, d), CRC_16((x) ^ (e), a, b, c, d)
#define CRC_64(x, a, b, c, d, e, f) CRC_32(x, a, b, c, d, e), CRC_32((x) ^ (f), a, b, c, d, e)
#define CRC_128(x, a, b, c, d, e, f, g)                                                            \
    CRC_64(x, a, b, c, d, e, f), CRC_64((x) ^ (g), a, b, c, d, e, f)
#define CRC_256(x, a, b, c, d, e, f, g, h)                                                         \
    CRC_128(x, a, b, c, d, e, f, g), CRC_128((x) ^ (h), a, b, c, d, e, f, g)

/* Of table 0: what a byte leaves, by the polynomial 0x1EDC6F41 with its bits reversed
 * (0x82F63B78); of table k: what it leaves if k bytes of 0 follow. */
static const uint32_t crc_table[8][256] = {
        {CRC_256(0U, 0xf26b8303U, 0xe13b70f7U, 0xc79a971fU, 0x8ad958cfU, 0x105ec76fU, 0x20bd8edeU,
                0x417b1dbcU, 0x82f63b78U)},
        {CRC_256(0U, 0x13a29877U, 0x274530eeU, 0x4e8a61dcU, 0x9d14c3b8U, 0x3fc5f181U, 0x7f8be302U,
                0xff17c604U, 0xfbc3faf9U)},
        {CRC_256(0U, 0xa541927eU, 0x4f6f520dU, 0x9edea41aU, 0x38513ec5U, 0x70a27d8aU, 0xe144fb14U,
                0xc76580d9U, 0x8b277743U)},
        {CRC_256(0U, 0xdd45aab8U, 0xbf672381U, 0x7b2231f3U, 0xf64463e6U, 0xe964b13dU, 0xd725148bU,
                0xaba65fe7U, 0x52a0c93fU)},
        {CRC_256(0U, 0x38116facU, 0x7022df58U, 0xe045beb0U, 0xc5670b91U, 0x8f2261d3U, 0x1ba8b557U,
                0x37516aaeU, 0x6ea2d55cU)},
        {CRC_256(0U, 0xef306b19U, 0xdb8ca0c3U, 0xb2f53777U, 0x6006181fU, 0xc00c303eU, 0x85f4168dU,
                0x0e045bebU, 0x1c08b7d6U)},
        {CRC_256(0U, 0x68032cc8U, 0xd0065990U, 0xa5e0c5d1U, 0x4e2dfd53U, 0x9c5bfaa6U, 0x3d5b83bdU,
                0x7ab7077aU, 0xf56e0ef4U)},
        {CRC_256(0U, 0x493c7d27U, 0x9278fa4eU, 0x211d826dU, 0x423b04daU, 0x847609b4U, 0x0d006599U,
                0x1a00cb32U, 0x34019664U)},
};

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
    es__crc32c_function *instructions = es__simd_crc32c();
    ES__ASSERT(instructions == NULL || size > 64
                       || instructions(~crc, bytes, size) == by_tables(~crc, bytes, size),
            "%zu bytes", size);
    return ~(instructions != NULL ? instructions : by_tables)(~crc, bytes, size);
}
