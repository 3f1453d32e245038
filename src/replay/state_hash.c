/* SPDX-License-Identifier: Zlib
 *
 * XXH3 with 64 bits, from its specification. Long inputs go through eight lanes, in stripes of 64
 * bytes, each mixed with other bytes of the default secret;
 * after a block of 16 stripes the lanes are scrambled. A lane needs no more than a multiplication
 * of 32 by 32 bits, so every machine's vectors can do it: simd/hash.inc.h. Inputs of up to 240
 * bytes go other ways, by their length.
 */
#include "state_parts.h"

#include <string.h>

#include "base/assert.h"
#include "simd/hash.h"
#include "state_numbers.h"

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

void es__hash_begin(es__hash *hash)
{
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
        es__simd_hash()(hash->lanes, &hash->stripe, hash->rest, most / ES_HASH_STRIPE, hash_secret);
        at += room;
        size -= room;
    }
    size_t stripes = (size - 1) / ES_HASH_STRIPE;
    if (stripes > 0) {
        es__simd_hash()(hash->lanes, &hash->stripe, at, stripes, hash_secret);
        at += ES_HASH_STRIPE * stripes;
        size -= ES_HASH_STRIPE * stripes;
        memcpy(hash->rest + most - ES_HASH_STRIPE, at - ES_HASH_STRIPE, ES_HASH_STRIPE);
    }
    memcpy(hash->rest, at, size);
    hash->rest_used = (uint32_t)size;
    ES__ASSERT(size >= 1 && size <= sizeof hash->rest, "%zu", size);
}

/* The last stripe ends with the input; then the lanes are merged. */
static uint64_t merged(uint64_t *lanes, const unsigned char *last, uint64_t size)
{
    uint64_t value = size * PRIME64_1;
    uint32_t none = 0;
    es__simd_hash()(lanes, &none, last, 1, hash_secret + ES_HASH_SECRET_LAST);
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
    es__simd_hash()(lanes, &stripe, hash->rest, (used - 1) / ES_HASH_STRIPE, hash_secret);
    memcpy(last, hash->rest + sizeof hash->rest - before, before);
    memcpy(last + before, hash->rest + used + before - ES_HASH_STRIPE, ES_HASH_STRIPE - before);
    return merged(lanes, last, hash->size);
}

#if ES__ASSERTS
/* The same in two parts. */
static uint64_t hash_in_parts(const unsigned char *at, size_t size)
{
    es__hash hash;
    es__hash_begin(&hash);
    es__hash_add(&hash, at, size / 3);
    es__hash_add(&hash, at + size / 3, size - size / 3);
    ES__ASSERT_IS(hash.size, ==, size);
    ES__ASSERT_IS(hash.rest_used, <=, sizeof hash.rest);
    return es__hash_value(&hash);
}
#endif

uint64_t es__hash_of(const void *bytes, size_t size)
{
    const unsigned char *at = bytes;
    uint64_t lanes[ES_HASH_LANES];
    uint32_t stripe = 0;
    if (size <= HASH_SHORT) {
        return hash_short(at, size);
    }
    memcpy(lanes, first_lanes, sizeof lanes);
    es__simd_hash()(lanes, &stripe, at, (size - 1) / ES_HASH_STRIPE, hash_secret);
    uint64_t value = merged(lanes, at + size - ES_HASH_STRIPE, size);
    ES__CHECK(ES__ASSERT(value == hash_in_parts(at, size), "%zu bytes", size));
    return value;
}
