/* SPDX-License-Identifier: Zlib
 *
 * The parts of XXH3 with seed 0, for an input that lies in memory as a whole or comes in blocks:
 * nothing is kept between calls but the lanes, and nothing is copied.
 *
 *   up to ES_HASH_SHORT bytes   es_hash_short
 *   more                        es_hash_first, kernels->eat, es_hash_last
 */
#ifndef ES_STATE_HASH_H
#define ES_STATE_HASH_H

#include <stddef.h>
#include <stdint.h>

#include "simd/hash.h"

enum {
    ES_HASH_SHORT = 240, /* the most bytes that do not go through the lanes */
    ES_HASH_BLOCK = ES_HASH_STRIPES * ES_HASH_STRIPE
};

/* Without a seed. */
extern const unsigned char es_hash_secret[ES_HASH_SECRET_SIZE];

uint64_t es_hash_short(const unsigned char *bytes, size_t size, uint64_t seed);

/* The lanes before the first byte. */
extern const uint64_t es_hash_first[ES_HASH_LANES];

/* The hash, from the lanes after the last stripe. */
uint64_t es_hash_last(const uint64_t *lanes, uint64_t size, const unsigned char *secret);

#endif
