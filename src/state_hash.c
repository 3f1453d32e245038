/* SPDX-License-Identifier: Zlib
 *
 * XXH64, from its specification: four lanes eat 8 bytes each of every 32, and are folded together
 * at the end with what is left over. It is fast without instructions of its own, its words are read
 * with their lowest byte first on every machine, and others have test vectors for it.
 */
#include "evenstep/state.h"

#include <string.h>

#include "state_numbers.h"

#define P1 UINT64_C(0x9E3779B185EBCA87)
#define P2 UINT64_C(0xC2B2AE3D27D4EB4F)
#define P3 UINT64_C(0x165667B19E3779F9)
#define P4 UINT64_C(0x85EBCA77C2B2AE63)
#define P5 UINT64_C(0x27D4EB2F165667C5)

enum { LANES = 4, STRIPE = 32 };

static inline uint64_t rotated(uint64_t value, unsigned by)
{
    return value << by | value >> (64 - by);
}

static inline uint64_t round_of(uint64_t lane, uint64_t input)
{
    return rotated(lane + input * P2, 31) * P1;
}

void es_hash_begin(es_hash *hash, uint64_t seed)
{
    *hash = (es_hash){.lanes = {seed + P1 + P2, seed + P2, seed, seed - P1}, .seed = seed};
}

/* Whole stripes. The lanes are kept out of memory meanwhile: the bytes could be the hash itself. */
static const unsigned char *eat(es_hash *hash, const unsigned char *at, size_t stripes)
{
    uint64_t a = hash->lanes[0], b = hash->lanes[1], c = hash->lanes[2], d = hash->lanes[3];
    for (size_t i = 0; i < stripes; ++i, at += STRIPE) {
        a = round_of(a, es__get_u64(at));
        b = round_of(b, es__get_u64(at + 8));
        c = round_of(c, es__get_u64(at + 16));
        d = round_of(d, es__get_u64(at + 24));
    }
    hash->lanes[0] = a;
    hash->lanes[1] = b;
    hash->lanes[2] = c;
    hash->lanes[3] = d;
    return at;
}

void es_hash_add(es_hash *hash, const void *bytes, size_t size)
{
    const unsigned char *at = bytes;
    size_t rest = (size_t)(hash->size % STRIPE);
    hash->size += size;
    if (rest > 0) {
        size_t taken = size < STRIPE - rest ? size : STRIPE - rest;
        if (taken > 0) {
            memcpy(hash->rest + rest, at, taken);
            at += taken;
            size -= taken;
        }
        if (rest + taken < STRIPE) {
            return;
        }
        (void)eat(hash, hash->rest, 1);
    }
    at = size >= STRIPE ? eat(hash, at, size / STRIPE) : at;
    if (size % STRIPE > 0) {
        memcpy(hash->rest, at, size % STRIPE);
    }
}

static uint64_t lanes_folded(const es_hash *hash)
{
    const uint64_t *l = hash->lanes;
    uint64_t value = rotated(l[0], 1) + rotated(l[1], 7) + rotated(l[2], 12) + rotated(l[3], 18);
    for (int i = 0; i < LANES; ++i) {
        value = (value ^ round_of(0, l[i])) * P1 + P4;
    }
    return value;
}

uint64_t es_hash_value(const es_hash *hash)
{
    const unsigned char *at = hash->rest;
    size_t left = (size_t)(hash->size % STRIPE);
    uint64_t value = hash->size >= STRIPE ? lanes_folded(hash) : hash->seed + P5;
    value += hash->size;
    for (; left >= 8; left -= 8, at += 8) {
        value = rotated(value ^ round_of(0, es__get_u64(at)), 27) * P1 + P4;
    }
    if (left >= 4) {
        value = rotated(value ^ es__get_u32(at) * P1, 23) * P2 + P3;
        left -= 4;
        at += 4;
    }
    for (; left > 0; --left, ++at) {
        value = rotated(value ^ *at * P5, 11) * P1;
    }
    value = (value ^ value >> 33) * P2;
    value = (value ^ value >> 29) * P3;
    return value ^ value >> 32;
}
