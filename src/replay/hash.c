/* SPDX-License-Identifier: Zlib
 *
 * Hashes of bytes: XXH3 with 64 bits and CRC32C, by the machine's instruction sets. The result is the
 * same number from each.
 *
 * XXH3, from its specification: long inputs go through eight lanes, in stripes of 64 bytes, each mixed
 * with other bytes of the default secret; after a block of 16 stripes the lanes are scrambled. A lane
 * needs no more than a multiplication of 32 by 32 bits, so every machine's vectors can do it:
 * hash.inc.h. Inputs of up to 240 bytes go other ways, by their length.
 */
#include "state.h"

#include <string.h>

#include "base/common.h"
#include "world/simd/machine.h"

/* Which are compiled in, at most: 0 plain C alone, 1 SSE2, 2 AVX2; NEON and the
 * instructions for CRC32C from 1 on. Tests compile with less, to try each. */
#ifndef ES_HASH_MOST
#define ES_HASH_MOST 2
#endif

#define ES_HASH_X86  (ES_SIMD_X86 && ES_HASH_MOST >= 1)
#define ES_HASH_AVX2 (ES_SIMD_AVX && ES_HASH_MOST >= 2)
#if ES_SIMD_ARM && defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
#define ES_HASH_ARM (ES_HASH_MOST >= 1)
#else
#define ES_HASH_ARM 0
#endif

#if ES_HASH_X86
#include <immintrin.h>
#elif ES_HASH_ARM
#include <arm_neon.h>
#if defined(__linux__) && !defined(__ARM_FEATURE_CRC32)
#include <sys/auxv.h>
#endif
#endif

enum {
    ES_HASH_LANES = 8,
    ES_HASH_STRIPE = 64,           /* bytes: 8 for each lane */
    ES_HASH_STRIPES = 16,          /* of a block */
    ES_HASH_SECRET_SIZE = 192,     /* bytes; stripe n of a block uses 64 of them from 8 n on */
    ES_HASH_SECRET_SCRAMBLE = 128, /* the scramble after a block uses those from here on */
    ES_HASH_SECRET_LAST = 121      /* so does the last stripe, which ends with the input */
};

/* --- the lanes by each instruction set --------------------------------------------------------- */

/* Adds `count` stripes to the lanes, of which the first is number *stripe of its block, and
 * scrambles the lanes after each full block. *stripe becomes the number of the next one. */
typedef void hash_function(uint64_t *lanes, uint32_t *stripe, const unsigned char *bytes,
        size_t count, const unsigned char *secret);

static void hash_scalar(uint64_t *lanes, uint32_t *stripe, const unsigned char *bytes, size_t count,
        const unsigned char *secret)
{
    for (; count > 0; --count, bytes += ES_HASH_STRIPE) {
        for (size_t i = 0; i < ES_HASH_LANES; ++i) {
            uint64_t read = es__get_u64(bytes + 8 * i);
            uint64_t mixed = read ^ es__get_u64(secret + 8 * (*stripe + i));
            lanes[i ^ 1] += read;
            lanes[i] += (mixed & UINT32_MAX) * (mixed >> 32);
        }
        *stripe = (*stripe + 1) % ES_HASH_STRIPES;
        for (size_t i = 0; *stripe == 0 && i < ES_HASH_LANES; ++i) {
            uint64_t lane = lanes[i] ^ lanes[i] >> 47;
            lanes[i] = (lane ^ es__get_u64(secret + ES_HASH_SECRET_SCRAMBLE + 8 * i)) * 0x9E3779B1U;
        }
    }
}

#if ES_HASH_X86
#define NAME(x)        sse2_##x
#define TARGET         __attribute__((target("sse2")))
#define VECTOR         __m128i
#define LOAD(p)        _mm_loadu_si128((const __m128i *)(const void *)(p))
#define STORE(p, v)    _mm_storeu_si128((__m128i *)(void *)(p), v)
#define SET(x)         _mm_set1_epi64x(x)
#define ADD(a, b)      _mm_add_epi64(a, b)
#define XOR(a, b)      _mm_xor_si128(a, b)
#define RIGHT(v, n)    _mm_srli_epi64(v, n)
#define LEFT(v, n)     _mm_slli_epi64(v, n)
#define MULTIPLY(a, b) _mm_mul_epu32(a, b)
#define SWAP(v)        _mm_shuffle_epi32(v, 0x4E)
#include "hash.inc.h"
#endif

#if ES_HASH_AVX2
#define NAME(x)        avx2_##x
#define TARGET         __attribute__((target("avx2")))
#define VECTOR         __m256i
#define LOAD(p)        _mm256_loadu_si256((const __m256i *)(const void *)(p))
#define STORE(p, v)    _mm256_storeu_si256((__m256i *)(void *)(p), v)
#define SET(x)         _mm256_set1_epi64x(x)
#define ADD(a, b)      _mm256_add_epi64(a, b)
#define XOR(a, b)      _mm256_xor_si256(a, b)
#define RIGHT(v, n)    _mm256_srli_epi64(v, n)
#define LEFT(v, n)     _mm256_slli_epi64(v, n)
#define MULTIPLY(a, b) _mm256_mul_epu32(a, b)
#define SWAP(v)        _mm256_shuffle_epi32(v, 0x4E)
#include "hash.inc.h"
#endif

#if ES_HASH_ARM
#define NAME(x) neon_##x
#define TARGET
#define VECTOR         uint64x2_t
#define LOAD(p)        vreinterpretq_u64_u8(vld1q_u8(p))
#define STORE(p, v)    vst1q_u8(p, vreinterpretq_u8_u64(v))
#define SET(x)         vdupq_n_u64(x)
#define ADD(a, b)      vaddq_u64(a, b)
#define XOR(a, b)      veorq_u64(a, b)
#define RIGHT(v, n)    vshrq_n_u64(v, n)
#define LEFT(v, n)     vshlq_n_u64(v, n)
#define MULTIPLY(a, b) vmull_u32(vmovn_u64(a), vmovn_u64(b))
#define SWAP(v)        vextq_u64(v, v, 1)
#include "hash.inc.h"
#endif

/* The best of this machine. */
static hash_function *best_hash(void)
{
#if ES_HASH_AVX2
    if (__builtin_cpu_supports("avx2")) {
        return avx2_hash;
    }
#endif
#if ES_HASH_X86
    if (__builtin_cpu_supports("sse2")) {
        return sse2_hash;
    }
#elif ES_HASH_ARM
    return neon_hash;
#endif
    return hash_scalar;
}

/* --- XXH3 --------------------------------------------------------------------------------------- */

#define PRIME32_1 UINT32_C(0x9E3779B1)
#define PRIME32_2 UINT32_C(0x85EBCA77)
#define PRIME32_3 UINT32_C(0xC2B2AE3D)
#define PRIME64_1 UINT64_C(0x9E3779B185EBCA87)
#define PRIME64_2 UINT64_C(0xC2B2AE3D27D4EB4F)
#define PRIME64_3 UINT64_C(0x165667B19E3779F9)
#define PRIME64_4 UINT64_C(0x85EBCA77C2B2AE63)
#define PRIME64_5 UINT64_C(0x27D4EB2F165667C5)
#define PRIME_MX1 UINT64_C(0x165667919E3779F9)
#define PRIME_MX2 UINT64_C(0x9FB21C651E98DF25)

enum {
    HASH_SHORT = 240, /* bytes that do not go through the lanes, at most */
    MERGE_SECRET = 11 /* where the secret's part for merging the lanes begins */
};

static const unsigned char hash_secret[ES_HASH_SECRET_SIZE] = {0xb8, 0xfe, 0x6c, 0x39, 0x23, 0xa4,
        0x4b, 0xbe, 0x7c, 0x01, 0x81, 0x2c, 0xf7, 0x21, 0xad, 0x1c, 0xde, 0xd4, 0x6d, 0xe9, 0x83,
        0x90, 0x97, 0xdb, 0x72, 0x40, 0xa4, 0xa4, 0xb7, 0xb3, 0x67, 0x1f, 0xcb, 0x79, 0xe6, 0x4e,
        0xcc, 0xc0, 0xe5, 0x78, 0x82, 0x5a, 0xd0, 0x7d, 0xcc, 0xff, 0x72, 0x21, 0xb8, 0x08, 0x46,
        0x74, 0xf7, 0x43, 0x24, 0x8e, 0xe0, 0x35, 0x90, 0xe6, 0x81, 0x3a, 0x26, 0x4c, 0x3c, 0x28,
        0x52, 0xbb, 0x91, 0xc3, 0x00, 0xcb, 0x88, 0xd0, 0x65, 0x8b, 0x1b, 0x53, 0x2e, 0xa3, 0x71,
        0x64, 0x48, 0x97, 0xa2, 0x0d, 0xf9, 0x4e, 0x38, 0x19, 0xef, 0x46, 0xa9, 0xde, 0xac, 0xd8,
        0xa8, 0xfa, 0x76, 0x3f, 0xe3, 0x9c, 0x34, 0x3f, 0xf9, 0xdc, 0xbb, 0xc7, 0xc7, 0x0b, 0x4f,
        0x1d, 0x8a, 0x51, 0xe0, 0x4b, 0xcd, 0xb4, 0x59, 0x31, 0xc8, 0x9f, 0x7e, 0xc9, 0xd9, 0x78,
        0x73, 0x64, 0xea, 0xc5, 0xac, 0x83, 0x34, 0xd3, 0xeb, 0xc3, 0xc5, 0x81, 0xa0, 0xff, 0xfa,
        0x13, 0x63, 0xeb, 0x17, 0x0d, 0xdd, 0x51, 0xb7, 0xf0, 0xda, 0x49, 0xd3, 0x16, 0x55, 0x26,
        0x29, 0xd4, 0x68, 0x9e, 0x2b, 0x16, 0xbe, 0x58, 0x7d, 0x47, 0xa1, 0xfc, 0x8f, 0xf8, 0xb8,
        0xd1, 0x7a, 0xd0, 0x31, 0xce, 0x45, 0xcb, 0x3a, 0x8f, 0x95, 0x16, 0x04, 0x28, 0xaf, 0xd7,
        0xfb, 0xca, 0xbb, 0x4b, 0x40, 0x7e};

_Static_assert(sizeof(((es__hash *)0)->lanes) == ES_HASH_STRIPE, "layout");
_Static_assert(sizeof(((es__hash *)0)->rest) >= HASH_SHORT, "short inputs are kept whole");
_Static_assert(sizeof(((es__hash *)0)->rest) % ES_HASH_STRIPE == 0, "layout");

/* --- mixing --------------------------------------------------------------------------------- */

static inline uint64_t rotated(uint64_t value, unsigned by)
{
    return value << by | value >> (64 - by);
}

static inline uint64_t bytes_turned(uint64_t value)
{
    unsigned char bytes[8];
    (void)es__put_u64(bytes, value);
    return (uint64_t)bytes[0] << 56 | (uint64_t)bytes[1] << 48 | (uint64_t)bytes[2] << 40
           | (uint64_t)bytes[3] << 32 | (uint64_t)bytes[4] << 24 | (uint64_t)bytes[5] << 16
           | (uint64_t)bytes[6] << 8 | (uint64_t)bytes[7];
}

/* The product's 128 bits, the upper half over the lower. */
#if defined(__SIZEOF_INT128__)
__extension__ typedef unsigned __int128 product_of_two;

static inline uint64_t product_folded(uint64_t a, uint64_t b)
{
    product_of_two product = (product_of_two)a * b;
    return (uint64_t)(product >> 64) ^ (uint64_t)product;
}
#else
static inline uint64_t product_folded(uint64_t a, uint64_t b)
{
    uint64_t a_low = a & UINT32_MAX, a_high = a >> 32, b_low = b & UINT32_MAX, b_high = b >> 32;
    uint64_t low = a_low * b_low, cross = a_high * b_low + (low >> 32);
    uint64_t other = a_low * b_high + (cross & UINT32_MAX);
    uint64_t high = a_high * b_high + (cross >> 32) + (other >> 32);
    return high ^ (other << 32 | (low & UINT32_MAX));
}
#endif

static inline uint64_t avalanche(uint64_t value)
{
    value = (value ^ value >> 37) * PRIME_MX1;
    return value ^ value >> 32;
}

/* That of XXH64. */
static inline uint64_t strong_avalanche(uint64_t value)
{
    value = (value ^ value >> 33) * PRIME64_2;
    value = (value ^ value >> 29) * PRIME64_3;
    return value ^ value >> 32;
}

/* --- up to 240 bytes -------------------------------------------------------------------------- */

static uint64_t hash_to_3(const unsigned char *at, size_t size)
{
    const unsigned char *s = hash_secret;
    if (size == 0) {
        return strong_avalanche(es__get_u64(s + 56) ^ es__get_u64(s + 64));
    }
    uint32_t combined = (uint32_t)at[size - 1] | (uint32_t)size << 8 | (uint32_t)at[0] << 16
                        | (uint32_t)at[size / 2] << 24;
    return strong_avalanche(es__get_u32(s) ^ es__get_u32(s + 4) ^ combined);
}

static uint64_t hash_to_8(const unsigned char *at, size_t size)
{
    const unsigned char *s = hash_secret;
    uint64_t both = es__get_u32(at + size - 4) | (uint64_t)es__get_u32(at) << 32;
    uint64_t value = es__get_u64(s + 8) ^ es__get_u64(s + 16) ^ both;
    value = (value ^ rotated(value, 49) ^ rotated(value, 24)) * PRIME_MX2;
    value = (value ^ ((value >> 35) + size)) * PRIME_MX2;
    return value ^ value >> 28;
}

static uint64_t hash_to_16(const unsigned char *at, size_t size)
{
    const unsigned char *s = hash_secret;
    uint64_t low = es__get_u64(s + 24) ^ es__get_u64(s + 32) ^ es__get_u64(at);
    uint64_t high = es__get_u64(s + 40) ^ es__get_u64(s + 48) ^ es__get_u64(at + size - 8);
    return avalanche(size + bytes_turned(low) + high + product_folded(low, high));
}

static inline uint64_t mixed(const unsigned char *at, size_t secret)
{
    const unsigned char *s = hash_secret + secret;
    return product_folded(
            es__get_u64(at) ^ es__get_u64(s), es__get_u64(at + 8) ^ es__get_u64(s + 8));
}

/* From both ends, towards the middle. */
static uint64_t hash_to_128(const unsigned char *at, size_t size)
{
    uint64_t value = size * PRIME64_1;
    for (size_t i = 0; i <= (size - 1) / 32; ++i) {
        value += mixed(at + 16 * i, 32 * i);
        value += mixed(at + size - 16 * i - 16, 32 * i + 16);
    }
    return avalanche(value);
}

static uint64_t hash_to_240(const unsigned char *at, size_t size)
{
    uint64_t value = size * PRIME64_1;
    for (size_t i = 0; i < 8; ++i) {
        value += mixed(at + 16 * i, 16 * i);
    }
    value = avalanche(value);
    for (size_t i = 8; i < size / 16; ++i) {
        value += mixed(at + 16 * i, 16 * (i - 8) + 3);
    }
    return avalanche(value + mixed(at + size - 16, 119));
}

static uint64_t hash_short(const unsigned char *at, size_t size)
{
    return size <= 3     ? hash_to_3(at, size)
           : size <= 8   ? hash_to_8(at, size)
           : size <= 16  ? hash_to_16(at, size)
           : size <= 128 ? hash_to_128(at, size)
                         : hash_to_240(at, size);
}

/* --- longer ----------------------------------------------------------------------------------- */

static const uint64_t first_lanes[ES_HASH_LANES] = {
        PRIME32_3, PRIME64_1, PRIME64_2, PRIME64_3, PRIME64_4, PRIME32_2, PRIME64_5, PRIME32_1};

#if ES__ASSERTS
/* Once per thread: known answers of lengths that take every way, whole and in pieces; and the lanes of plain C,
 * which are those of the vectors. */
static void check_known(void)
{
    static ES_PER_THREAD bool done;
    unsigned char bytes[2400];
    uint64_t sum = 0, lanes[2][ES_HASH_LANES];
    uint32_t stripe[2] = {3, 3};
    es__hash hash;
    if (done) {
        return;
    }
    done = true;
    for (uint32_t i = 0; i < sizeof bytes; ++i) {
        bytes[i] = (unsigned char)(i * i * 2654435761U >> 24);
    }
    for (size_t size = 0, some; size <= sizeof bytes; size += size < 300 ? 1 : 61) {
        es__hash_begin(&hash);
        for (size_t at = 0; at < size; at += some) {
            some = size - at < 5 + at ? size - at : 5 + at;
            es__hash_add(&hash, bytes + at, some);
        }
        ES__ASSERT(es__hash_of(bytes, size) == es__hash_value(&hash), size);
        sum = sum * 31 + es__hash_value(&hash);
    }
    for (int i = 0; i < 2; ++i) {
        memcpy(lanes[i], first_lanes, sizeof first_lanes);
        (i == 0 ? hash_scalar : best_hash())(lanes[i], &stripe[i], bytes, 37, hash_secret);
    }
    ES__ASSERT(memcmp(lanes[0], lanes[1], sizeof lanes[0]) == 0 && stripe[0] == stripe[1], sum);
    ES__ASSERT_IS(sum, ==, UINT64_C(0xb74507f2adf1ae40));
    ES__ASSERT_IS(es__crc32c(0, "123456789", 9), ==, 0xE3069283U);
}
#endif

void es__hash_begin(es__hash *hash)
{
    ES__CHECK(check_known());
    memcpy(hash->lanes, first_lanes, sizeof hash->lanes);
    hash->size = 0;
    hash->stripe = 0;
    hash->rest_used = 0;
}

/* `rest` has the newest bytes at its front, one at least. While they are fewer than a
 * stripe, the stripe before them is at its end. */
void es__hash_add(es__hash *hash, const void *bytes, size_t size)
{
    const unsigned char *at = bytes;
    size_t room = sizeof hash->rest - hash->rest_used, most = sizeof hash->rest;
    hash->size += size;
    if (size <= room) {
        if (size > 0) {
            memcpy(hash->rest + hash->rest_used, at, size);
            hash->rest_used += (uint32_t)size;
        }
        return;
    }
    if (hash->rest_used > 0) {
        memcpy(hash->rest + hash->rest_used, at, room);
        best_hash()(hash->lanes, &hash->stripe, hash->rest, most / ES_HASH_STRIPE, hash_secret);
        at += room;
        size -= room;
    }
    size_t stripes = (size - 1) / ES_HASH_STRIPE;
    if (stripes > 0) {
        best_hash()(hash->lanes, &hash->stripe, at, stripes, hash_secret);
        at += ES_HASH_STRIPE * stripes;
        size -= ES_HASH_STRIPE * stripes;
        memcpy(hash->rest + most - ES_HASH_STRIPE, at - ES_HASH_STRIPE, ES_HASH_STRIPE);
    }
    memcpy(hash->rest, at, size);
    hash->rest_used = (uint32_t)size;
}

/* The last stripe ends with the input; then the lanes are merged. */
static uint64_t merged(uint64_t *lanes, const unsigned char *last, uint64_t size)
{
    uint64_t value = size * PRIME64_1;
    uint32_t none = 0;
    best_hash()(lanes, &none, last, 1, hash_secret + ES_HASH_SECRET_LAST);
    for (size_t i = 0; i < ES_HASH_LANES; i += 2) {
        const unsigned char *s = hash_secret + MERGE_SECRET + 8 * i;
        value += product_folded(lanes[i] ^ es__get_u64(s), lanes[i + 1] ^ es__get_u64(s + 8));
    }
    return avalanche(value);
}

uint64_t es__hash_value(const es__hash *hash)
{
    unsigned char last[ES_HASH_STRIPE];
    uint64_t lanes[ES_HASH_LANES];
    uint32_t stripe = hash->stripe;
    size_t used = hash->rest_used, before = used < ES_HASH_STRIPE ? ES_HASH_STRIPE - used : 0;
    if (hash->size <= HASH_SHORT) {
        return hash_short(hash->rest, used);
    }
    memcpy(lanes, hash->lanes, sizeof lanes);
    best_hash()(lanes, &stripe, hash->rest, (used - 1) / ES_HASH_STRIPE, hash_secret);
    memcpy(last, hash->rest + sizeof hash->rest - before, before);
    memcpy(last + before, hash->rest + used + before - ES_HASH_STRIPE, ES_HASH_STRIPE - before);
    return merged(lanes, last, hash->size);
}

uint64_t es__hash_of(const void *bytes, size_t size)
{
    const unsigned char *at = bytes;
    uint64_t lanes[ES_HASH_LANES];
    uint32_t stripe = 0;
    ES__CHECK(check_known());
    if (size <= HASH_SHORT) {
        return hash_short(at, size);
    }
    memcpy(lanes, first_lanes, sizeof lanes);
    best_hash()(lanes, &stripe, at, (size - 1) / ES_HASH_STRIPE, hash_secret);
    return merged(lanes, at + size - ES_HASH_STRIPE, size);
}

/* --- CRC32C ------------------------------------------------------------------------------------- */

/* Without these instructions: eight bytes at a time by eight tables, so that eight look-ups do not wait
 * for each other.
 *
 * Source: Kounavis and Berry, "A systematic approach to building high performance software-based
 * CRC generators", 2005 (slicing by 8).
 *
 * A CRC is linear: the entry of a byte is the sum of the entries of its bits. x: the sum so far. */
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

/* Continues a CRC32C register, without the inversions at both ends. */
#if ES_HASH_X86
__attribute__((target("sse4.2"))) static uint32_t crc_instructions(
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
#elif ES_HASH_ARM
/* As assembly: compilers differ in how a function is allowed to use these instructions. */
static uint32_t crc_instructions(uint32_t crc, const unsigned char *bytes, size_t size)
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
#define crc_instructions by_tables
#endif

/* Whether the machine has them. */
static bool has_crc_instructions(void)
{
#if ES_HASH_X86
    return __builtin_cpu_supports("sse4.2");
#elif ES_HASH_ARM && defined(__ARM_FEATURE_CRC32)
    return true;
#elif ES_HASH_ARM && defined(__linux__)
    return (getauxval(AT_HWCAP) & 1UL << 7) != 0; /* HWCAP_CRC32 */
#else
    return false;
#endif
}

uint32_t es__crc32c(uint32_t crc, const void *bytes, size_t size)
{
    ES__ASSERT(size > 64 || crc_instructions == by_tables || !has_crc_instructions()
                       || crc_instructions(~crc, bytes, size) == by_tables(~crc, bytes, size),
            size);
    return ~(has_crc_instructions() ? crc_instructions : by_tables)(~crc, bytes, size);
}
