/* SPDX-License-Identifier: Zlib
 *
 * state: the bytes of a state as every machine writes them, hashes, and the float self-test.
 *
 *   uint64_t hash = es_state_hash(&layout, &world); // the same number on every machine
 *
 * A packed state is the numbers of its fields and nothing else: field by field in the layout's
 * order, element by element, component by component, each number with its lowest byte first. It
 * does not depend on how the fields lie in memory, on padding, or on the machine's byte order. All
 * NaNs are packed as one number, a quiet NaN without a sign: processors differ in the bits of a
 * NaN. Zero and minus zero are different numbers, because 1 / x and atan2 distinguish them.
 *
 * Layouts are valid, and each state has layout->state_size bytes. Errors: none. Threads: any, while
 * no other thread writes to the state or uses the es_hash. Allocation: none.
 *
 * Not for: secrets, or defence against cheats. Anyone can construct two states of one hash.
 */
#ifndef EVENSTEP_STATE_H
#define EVENSTEP_STATE_H

#include "evenstep/world.h"

/* XXH3 (64 bits) of bytes that come in pieces. Start it with es_hash_begin; fields are private. */
typedef struct es_hash {
    uint64_t lanes[8];
    uint64_t size; /* bytes so far */
    uint64_t seed;
    uint32_t stripe;           /* number of the next stripe in its block */
    uint32_t rest_used;        /* bytes at the front of `rest` that are not in the lanes yet */
    unsigned char secret[192]; /* used if the seed is not 0 */
    unsigned char rest[256];
} es_hash;

/* The first number in which two states differ, in the packed order. */
typedef struct es_state_difference {
    const es_field *field; /* NULL: no difference */
    size_t element;        /* the object */
    size_t component;
    uint64_t bits[2];     /* packed, of one state and of the other; the lowest byte is the first */
    double values[2];     /* the same numbers as double: an I64 beyond 2^53 is rounded */
    uint64_t differences; /* numbers that differ in the whole state */
} es_state_difference;

/* Two hashes of what this machine computes. */
typedef struct es_state_self_test {
    uint64_t arithmetic; /* + - * / sqrt and conversions, float and double, denormals, zeros. If it
                            is not ES_SELF_TEST_ARITHMETIC, the machine or the compiler's flags
                            deviate from IEEE 754: recordings of other machines will diverge */
    uint64_t library; /* sin, cos, tan, atan2, exp, log, pow: they differ between C libraries, and
                            between versions of one */
} es_state_self_test;

#define ES_SELF_TEST_ARITHMETIC UINT64_C(0x3b155c9ef3e7e73d)

#ifdef __cplusplus
extern "C" {
#endif

/* Starts a hash; hash may have any content. Each seed gives another hash.
 * Source: XXH3_64bits in the xxHash specification (Collet, version 0.2.0), sections "XXH3 Algorithm
 * Overview" to "XXH3 Algorithm Description (for large inputs)". */
ES_API void es_hash_begin(es_hash *hash, uint64_t seed);

/* Adds bytes; how they are divided into calls does not matter. bytes: may be NULL if size is 0. */
ES_API void es_hash_add(es_hash *hash, const void *bytes, size_t size);

/* The hash of all bytes so far. More can be added after it. */
ES_API uint64_t es_hash_value(const es_hash *hash);

/* The bytes of a packed state; at most state_size. */
ES_API uint64_t es_state_packed_size(const es_layout *layout);

/* Packs `size` bytes of a state, from byte `offset` of the packed state on. Returns how many it
 * wrote: fewer than size only at the packed state's end. */
ES_API size_t es_state_pack(
        const es_layout *layout, const void *state, uint64_t offset, void *bytes, size_t size);

/* The inverse of es_state_pack. Returns how many bytes it used: fewer than size only at the packed
 * state's end. Padding, and what no field covers, stays. */
ES_API size_t es_state_unpack(
        const es_layout *layout, void *state, uint64_t offset, const void *bytes, size_t size);

/* The hash of a state: of the hashes of its fields' packed numbers, in the layout's order, each
 * with its lowest byte first. All with seed 0. */
ES_API uint64_t es_state_hash(const es_layout *layout, const void *state);

/* Runs a fixed list of operations; takes some microseconds. The result depends on the rounding and
 * denormal modes of the calling thread. */
ES_API es_state_self_test es_state_self_test_run(void);

#ifdef __cplusplus
}
#endif

#endif
