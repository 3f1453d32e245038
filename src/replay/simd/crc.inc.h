/* SPDX-License-Identifier: Zlib
 *
 * CRC32C by an instruction that takes WORD_SIZE bytes. It gives its result after three cycles and
 * takes new bytes in each: so three parts of the bytes go on side by side, and are put together by
 * multiplying with the power of x that the bytes behind them stand for. Before it is included:
 * NAME(x), TARGET, WORD, CRC_WORD(crc, word), CRC_BYTE(crc, byte).
 *
 * Source: Gopal et al., "Fast CRC computation for iSCSI polynomial using CRC32 instruction", 2011.
 */

enum { NAME(PART) = 4096 }; /* bytes: larger than what the multiplications cost */

/* x to the power of 8 PART, and of twice that: in the reflected order of bits, as all here. */
#define BY_ONE_PART  UINT32_C(0x35D73A62)
#define BY_TWO_PARTS UINT32_C(0x28461564)

static uint32_t NAME(times)(uint32_t a, uint32_t b)
{
    uint32_t product = 0;
    for (int bit = 0; bit < 32; ++bit) {
        product ^= b & (0U - (a >> 31));
        a <<= 1;
        b = b >> 1 ^ (UINT32_C(0x82F63B78) & (0U - (b & 1)));
    }
    return product;
}

static inline WORD NAME(word)(const unsigned char *at)
{
    WORD word;
    memcpy(&word, at, sizeof word);
    return word;
}

static TARGET uint32_t NAME(three_parts)(uint32_t crc, const unsigned char *at)
{
    uint32_t second = 0, third = 0;
    for (size_t i = 0; i < NAME(PART); i += sizeof(WORD)) {
        crc = CRC_WORD(crc, NAME(word)(at + i));
        second = CRC_WORD(second, NAME(word)(at + NAME(PART) + i));
        third = CRC_WORD(third, NAME(word)(at + 2 * NAME(PART) + i));
    }
    return NAME(times)(crc, BY_TWO_PARTS) ^ NAME(times)(second, BY_ONE_PART) ^ third;
}

static TARGET uint32_t NAME(crc32c)(uint32_t crc, const unsigned char *at, size_t size)
{
    for (; size >= 3 * NAME(PART); size -= 3 * NAME(PART), at += 3 * NAME(PART)) {
        crc = NAME(three_parts)(crc, at);
    }
    for (; size >= sizeof(WORD); size -= sizeof(WORD), at += sizeof(WORD)) {
        crc = CRC_WORD(crc, NAME(word)(at));
    }
    for (; size > 0; --size, ++at) {
        crc = CRC_BYTE(crc, *at);
    }
    return crc;
}
