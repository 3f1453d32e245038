/* SPDX-License-Identifier: Zlib
 *
 * state: is it the same state, here and there, now and then? Its bytes as every machine writes
 * them, hashes of these, and where two states differ.
 *
 *   uint64_t hash = es_state_hash(&layout, &world);
 *   if (hash != expected) {
 *       es_state_difference found;
 *       es_state_compare(&layout, &world, &other, &found);
 *       printf("%s of object %zu\n", found.field->name, found.element);
 *   }
 *
 * Packed, a state is the numbers of its fields and nothing else: field by field in the layout's
 * order, element by element, component by component, each number with its lowest byte first. How
 * the fields lie in memory does not show, nor do padding and the machine's order of bytes. Two
 * rules for floats. All NaNs are the same number, a quiet one without a sign: which bits a NaN has
 * differs between processors. Zero and minus zero are different numbers, because 1 / x and atan2
 * tell them apart.
 *
 * Not for: keeping secrets, or keeping cheats out. Who wants to can find two states of one hash.
 */
#ifndef EVENSTEP_STATE_H
#define EVENSTEP_STATE_H

#include "evenstep/layout.h"

/* XXH3 (64 bits) while it is fed. Start it with es_hash_begin; read nothing here. */
typedef struct es_hash {
    uint64_t lanes[8];
    uint64_t size; /* bytes so far */
    uint64_t seed;
    uint32_t stripe;           /* of a block, that comes next */
    uint32_t held;             /* bytes at the front of `rest` that are not in the lanes yet */
    unsigned char secret[192]; /* where the seed is not 0 */
    unsigned char rest[256];
} es_hash;

/* The first number in which two states differ, in the packed order. */
typedef struct es_state_difference {
    const es_field *field; /* NULL: no difference */
    size_t element;        /* which object */
    size_t component;
    uint64_t bits[2];     /* as packed: one state's, the other's; the lowest byte is the first */
    double values[2];     /* the same as numbers; an I64 beyond 2^53 is rounded here */
    uint64_t differences; /* numbers that differ in all of the state */
} es_state_difference;

/* What the machine's arithmetic makes of the same operations. */
typedef struct es_state_self_test {
    uint64_t arithmetic; /* + - * / sqrt and conversions, float and double, tiny numbers, zeros:
                            ES_SELF_TEST_ARITHMETIC, or the machine or the compiler's flags do not
                            keep to IEEE 754, and no replay from elsewhere will be exact */
    uint64_t library;    /* sin, cos, tan, atan2, exp, log, pow of the C library: these differ from
                            library to library, and between versions of one */
} es_state_self_test;

#define ES_SELF_TEST_ARITHMETIC UINT64_C(0x3b155c9ef3e7e73d)

#ifdef __cplusplus
extern "C" {
#endif

/** Starts a hash.
 *
 * hash: any content; not NULL.
 * seed: any number; another seed is another hash.
 * Returns: nothing.
 * Errors: none.
 * Ownership: keeps nothing.
 * Threads: one thread at a time per hash.
 * Source: XXH3_64bits as described in the xxHash algorithm's specification (Collet, version 0.2.0),
 *   sections "XXH3 Algorithm Overview" to "XXH3 Algorithm Description (for large inputs)".
 */
ES_API void es_hash_begin(es_hash *hash, uint64_t seed);

/** Adds bytes. Those of two calls are as those of one.
 *
 * hash: begun.
 * bytes: size of them; may be NULL where size is 0.
 * size: any number.
 * Returns: nothing.
 * Errors: none.
 * Ownership: keeps nothing.
 * Threads: one thread at a time per hash.
 */
ES_API void es_hash_add(es_hash *hash, const void *bytes, size_t size);

/** The hash of what was added so far. More can be added after it.
 *
 * hash: begun.
 * Returns: 64 bits, the same on every machine.
 * Errors: none.
 * Ownership: a plain value.
 * Threads: one thread at a time per hash.
 */
ES_API uint64_t es_hash_value(const es_hash *hash);

/** How many bytes a packed state has.
 *
 * layout: valid.
 * Returns: bytes; at most state_size.
 * Errors: none.
 * Ownership: a plain value.
 * Threads: any thread.
 */
ES_API uint64_t es_state_packed_size(const es_layout *layout);

/** Packs a part of a state, from any byte to any other.
 *
 * layout: valid.
 * state: layout->state_size bytes.
 * offset: the first byte of the packed state that is wanted.
 * bytes: receives them; size bytes.
 * size: how many are wanted.
 * Returns: how many were written: fewer than size only at the packed state's end.
 * Errors: none.
 * Ownership: keeps nothing.
 * Threads: any thread, while nobody writes to the state.
 */
ES_API size_t es_state_pack(
        const es_layout *layout, const void *state, uint64_t offset, void *bytes, size_t size);

/** The inverse of es_state_pack: writes a part of a packed state into a state.
 *
 * Only the fields' own bytes are written: padding, and what no field covers, stays.
 * layout: valid.
 * state: layout->state_size bytes.
 * offset: which byte of the packed state is the first of these.
 * bytes: size of them.
 * size: how many there are.
 * Returns: how many were used: fewer than size only at the packed state's end.
 * Errors: none.
 * Ownership: keeps nothing.
 * Threads: one thread at a time per state.
 */
ES_API size_t es_state_unpack(
        const es_layout *layout, void *state, uint64_t offset, const void *bytes, size_t size);

/** Copies the fields of one state into another: what no field covers stays as it is there.
 *
 * layout: valid.
 * to, from: layout->state_size bytes each, apart from each other. NaNs become the one that is
 *   packed.
 * Returns: nothing.
 * Errors: none.
 * Ownership: keeps nothing.
 * Threads: one thread at a time per state.
 */
ES_API void es_state_copy(const es_layout *layout, void *to, const void *from);

/** The hash of one field: of its packed numbers, with seed 0.
 *
 * field: of a valid layout.
 * state: the layout's state_size bytes.
 * Returns: 64 bits.
 * Errors: none.
 * Ownership: a plain value.
 * Threads: any thread, while nobody writes to the state.
 */
ES_API uint64_t es_state_hash_field(const es_field *field, const void *state);

/** The hash of a state: of the hashes of its fields, in the layout's order, lowest bytes first.
 *
 * layout: valid.
 * state: layout->state_size bytes.
 * Returns: 64 bits.
 * Errors: none.
 * Ownership: a plain value.
 * Threads: any thread, while nobody writes to the state.
 */
ES_API uint64_t es_state_hash(const es_layout *layout, const void *state);

/** How many groups a layout has: different numbers in es_field.group, 0 among them.
 *
 * layout: valid.
 * Returns: at least 1.
 * Errors: none.
 * Ownership: a plain value.
 * Threads: any thread. Compares every field with every other.
 */
ES_API size_t es_state_group_count(const es_layout *layout);

/** Whether a field is the first of its group: going through all fields by this takes each group
 *   once.
 *
 * layout: valid.
 * field: below layout->field_count.
 * Returns: true: no field before it is of its group.
 * Errors: none.
 * Ownership: a plain value.
 * Threads: any thread. Compares it with every field before it.
 */
ES_API bool es_state_group_begins(const es_layout *layout, size_t field);

/** Which group is the index-th, in the order in which the fields first name them.
 *
 * layout: valid.
 * index: from 0.
 * Returns: the number in es_field.group; INT32_MIN past the last.
 * Errors: none.
 * Ownership: a plain value.
 * Threads: any thread.
 */
ES_API int32_t es_state_group(const es_layout *layout, size_t index);

/** The hash of one group: of the hashes of its fields, as es_state_hash.
 *
 * layout: valid.
 * state: layout->state_size bytes.
 * group: as in es_field.group.
 * Returns: 64 bits.
 * Errors: none.
 * Ownership: a plain value.
 * Threads: any thread, while nobody writes to the state.
 */
ES_API uint64_t es_state_hash_group(const es_layout *layout, const void *state, int32_t group);

/** Where two states differ, number by number.
 *
 * layout: valid.
 * state, other: layout->state_size bytes each.
 * difference: filled with the first number that differs and how many do; may be NULL.
 * Returns: true when the packed states are equal.
 * Errors: none.
 * Ownership: difference->field points into the layout.
 * Threads: any thread, while nobody writes to the states.
 */
ES_API bool es_state_compare(const es_layout *layout, const void *state, const void *other,
        es_state_difference *difference);

/** What this machine's arithmetic and its C library make of a fixed list of operations.
 *
 * Returns: two hashes; takes some microseconds.
 * Errors: none.
 * Ownership: a plain value.
 * Threads: any thread; looks at the calling thread's rounding and its handling of tiny numbers, as
 *   any arithmetic does.
 */
ES_API es_state_self_test es_state_self_test_run(void);

#ifdef __cplusplus
}
#endif

#endif
