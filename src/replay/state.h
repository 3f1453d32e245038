/* SPDX-License-Identifier: Zlib
 *
 * The bytes of a state as every machine writes them, hashes of bytes and of states, differences, and
 * the float self-test.
 *
 * A packed state is the numbers of its fields and nothing else: field by field in the layout's
 * order, element by element, component by component, each number with its lowest byte first. All
 * NaNs are packed as one number, a quiet NaN without a sign: processors differ in the bits of a
 * NaN. Zero and minus zero are different numbers, because 1 / x and atan2 distinguish them.
 *
 * Layouts are valid, and each state has layout->state_size bytes.
 */
#ifndef ES_REPLAY_STATE_H
#define ES_REPLAY_STATE_H

#include "evenstep/replay.h"
#include "evenstep/world.h"

/* --- numbers with their lowest byte first. Compilers make one move of each -------------------- */

static inline uint32_t es__get_u16(const unsigned char *at)
{
    return (uint32_t)at[0] | (uint32_t)at[1] << 8;
}

static inline uint32_t es__get_u32(const unsigned char *at)
{
    return (uint32_t)at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 | (uint32_t)at[3] << 24;
}

static inline uint64_t es__get_u64(const unsigned char *at)
{
    return (uint64_t)at[0] | (uint64_t)at[1] << 8 | (uint64_t)at[2] << 16 | (uint64_t)at[3] << 24
           | (uint64_t)at[4] << 32 | (uint64_t)at[5] << 40 | (uint64_t)at[6] << 48
           | (uint64_t)at[7] << 56;
}

static inline int64_t es__get_i64(const unsigned char *at)
{
    return (int64_t)es__get_u64(at);
}

static inline int32_t es__get_i32(const unsigned char *at)
{
    return (int32_t)es__get_u32(at);
}

/* Each returns where the next one goes. */
static inline unsigned char *es__put_u16(unsigned char *at, uint32_t value)
{
    at[0] = (unsigned char)value;
    at[1] = (unsigned char)(value >> 8);
    return at + 2;
}

static inline unsigned char *es__put_u32(unsigned char *at, uint32_t value)
{
    at[0] = (unsigned char)value;
    at[1] = (unsigned char)(value >> 8);
    at[2] = (unsigned char)(value >> 16);
    at[3] = (unsigned char)(value >> 24);
    return at + 4;
}

static inline unsigned char *es__put_u64(unsigned char *at, uint64_t value)
{
    (void)es__put_u32(at, (uint32_t)value);
    return es__put_u32(at + 4, (uint32_t)(value >> 32));
}

static inline unsigned char *es__put_i64(unsigned char *at, int64_t value)
{
    return es__put_u64(at, (uint64_t)value);
}

static inline unsigned char *es__put_i32(unsigned char *at, int32_t value)
{
    return es__put_u32(at, (uint32_t)value);
}

/* --- hash.c ----------------------------------------------------------------------------------- */

/* CRC32C (Castagnoli) of all bytes so far: RFC 3720, 12.1 and appendix B.4. crc: of the bytes
 * before; 0 if there are none. */
uint32_t es__crc32c(uint32_t crc, const void *bytes, size_t size);

/* XXH3 (64 bits) of bytes that come in pieces. */
typedef struct es__hash {
    uint64_t lanes[8];
    uint64_t size;      /* bytes so far */
    uint32_t stripe;    /* number of the next stripe in its block */
    uint32_t rest_used; /* bytes at the front of `rest` that are not in the lanes yet */
    unsigned char rest[256];
} es__hash;

/* Starts a hash with seed 0 and the default secret.
 * Source: XXH3_64bits in the xxHash specification (Collet, version 0.2.0), sections "XXH3 Algorithm
 * Overview" to "XXH3 Algorithm Description (for large inputs)". */
void es__hash_begin(es__hash *hash);
void es__hash_add(es__hash *hash, const void *bytes, size_t size);

/* The hash of all bytes so far. */
uint64_t es__hash_value(const es__hash *hash);

/* The same of bytes that lie together. */
uint64_t es__hash_of(const void *bytes, size_t size);

/* --- state.c ---------------------------------------------------------------------------------- */

/* The first number in which two states differ, in the packed order. */
typedef struct es__state_difference {
    const es_field *field; /* NULL: no difference */
    size_t element;        /* the object */
    size_t component;
    double values[2]; /* of one state and of the other: an I64 beyond 2^53 is rounded */
} es__state_difference;

/* The bytes of a packed state; at most state_size. */
uint64_t es__state_packed_size(const es_layout *layout);

/* Packs `size` bytes of a state, from byte `offset` of the packed state on. Returns how many it
 * wrote: fewer than size only at the packed state's end. */
size_t es__state_pack(
        const es_layout *layout, const void *state, uint64_t offset, void *bytes, size_t size);

/* The inverse. Padding, and what no field covers, stays. */
size_t es__state_unpack(
        const es_layout *layout, void *state, uint64_t offset, const void *bytes, size_t size);

/* Copies the fields of one state into another, which does not overlap it. What no field covers
 * stays. NaNs become the packed one. */
void es__state_copy(const es_layout *layout, void *to, const void *from);

/* Whether the packed states are equal. difference: filled; may be NULL. */
bool es__state_compare(const es_layout *layout, const void *state, const void *other,
        es__state_difference *difference);

/* The hash of the packed numbers of one field, with seed 0. */
uint64_t es__state_hash_field(const es_field *field, const void *state);

/* Those of adjoining fields, ES__HASHED_AT_ONCE at most, in one pass over the state. */
enum { ES__HASHED_AT_ONCE = 8 };
void es__state_hash_some(const es_field *fields, size_t count, const void *state, uint64_t *values);

/* The hash of the hashes of a group's fields, as es_state_hash. */
uint64_t es__state_hash_group(const es_layout *layout, const void *state, int32_t group);

/* A difference of this tick. at: its values; NULL: none are known. */
es_difference es__difference_of(int64_t tick, const es__state_difference *at);

/* Sets es_get_error. second: what values[1] is. */
void es__difference_say(const char *function, const es_difference *found, const char *second);

/* Two hashes of what this machine computes. */
typedef struct es__state_self_test {
    uint64_t arithmetic; /* + - * / sqrt and conversions, float and double, denormals, zeros. If it
                            is not ES__SELF_TEST_ARITHMETIC, the machine or the compiler's flags
                            deviate from IEEE 754: recordings of other machines will diverge */
    uint64_t library; /* sin, cos, tan, atan2, exp, log, pow: they differ between C libraries, and
                            between versions of one */
} es__state_self_test;

#define ES__SELF_TEST_ARITHMETIC UINT64_C(0x3b155c9ef3e7e73d)

/* Runs a fixed list of operations; takes some microseconds. The result depends on the rounding and
 * denormal modes of the calling thread. */
es__state_self_test es__state_self_test_run(void);

#endif
