/* SPDX-License-Identifier: Zlib
 *
 * The hashes of a tick.
 *
 * Per group or per field the hashes follow the order of the fields. With names the hash of the state
 * comes first; then a word for each 8 fields, or for all if they are fewer, with the upper bits of each
 * field's hash from its lowest bit on. A single field needs no such word.
 */
#include "format.h"

static bool group_begins(const es_layout *layout, size_t field)
{
    for (size_t i = 0; i < field; ++i) {
        if (layout->fields[i].group == layout->fields[field].group) {
            return false;
        }
    }
    return true;
}

/* Whether there is a hash, of a group or a field, that this field is the first of. */
static bool hash_begins(const es_layout *layout, es_record_hashes hashes, size_t field)
{
    return hashes == ES_RECORD_HASH_GROUPS ? group_begins(layout, field)
                                           : hashes == ES_RECORD_HASH_FIELDS;
}

size_t es__record_hash_count(const es_layout *layout, es_record_hashes hashes)
{
    size_t count = hashes == ES_RECORD_HASH_NAMES || hashes == ES_RECORD_HASH_WHOLE;
    for (size_t i = 0; i < layout->field_count; ++i) {
        count += hash_begins(layout, hashes, i);
    }
    if (hashes == ES_RECORD_HASH_NAMES && layout->field_count > 1) {
        count += (layout->field_count + ES__HASHED_AT_ONCE - 1) / ES__HASHED_AT_ONCE;
    }
    return count;
}

/* Bits of each field's hash in a word. */
static unsigned name_bits(size_t field_count)
{
    return field_count < ES__HASHED_AT_ONCE ? 64 / (unsigned)field_count : 8;
}

static void put_names(const es_layout *layout, const void *state, unsigned char *at)
{
    unsigned char *whole = at, bytes[8 * ES__HASHED_AT_ONCE];
    unsigned bits = name_bits(layout->field_count);
    es__hash hash; /* as that of es_state_hash */
    es__hash_begin(&hash);
    for (size_t i = 0, some; i < layout->field_count; i += some) {
        uint64_t values[ES__HASHED_AT_ONCE], word = 0;
        some = layout->field_count - i < ES__HASHED_AT_ONCE ? layout->field_count - i
                                                            : ES__HASHED_AT_ONCE;
        es__state_hash_some(&layout->fields[i], some, state, values);
        for (size_t k = 0; k < some; ++k) {
            (void)es__put_u64(bytes + 8 * k, values[k]);
            word |= values[k] >> (64 - bits) << bits * (unsigned)k;
        }
        es__hash_add(&hash, bytes, 8 * some);
        if (layout->field_count > 1) {
            at += 8;
            (void)es__put_u64(at, word);
        }
    }
    (void)es__put_u64(whole, es__hash_value(&hash));
}

void es__record_put_hashes(
        const es_layout *layout, es_record_hashes hashes, const void *state, unsigned char *at)
{
    if (hashes == ES_RECORD_HASH_NAMES) {
        put_names(layout, state, at);
    } else if (hashes == ES_RECORD_HASH_WHOLE) {
        (void)es__put_u64(at, es_state_hash(layout, state));
    }
    for (size_t i = 0; i < layout->field_count; ++i) {
        if (hash_begins(layout, hashes, i)) {
            const es_field *field = &layout->fields[i];
            at = es__put_u64(at, hashes == ES_RECORD_HASH_GROUPS
                                         ? es__state_hash_group(layout, state, field->group)
                                         : es__state_hash_field(field, state));
        }
    }
}

/* The first of whose hash bits differ. */
static const es_field *find_name(
        const es_layout *layout, const unsigned char *a, const unsigned char *b)
{
    unsigned bits = name_bits(layout->field_count);
    for (size_t i = 0; i < layout->field_count && layout->field_count > 1; ++i) {
        size_t word = 8 + i / ES__HASHED_AT_ONCE * 8;
        uint64_t differing = es__get_u64(a + word) ^ es__get_u64(b + word);
        if (differing << (64 - bits * (i % ES__HASHED_AT_ONCE + 1)) >> (64 - bits) != 0) {
            return &layout->fields[i];
        }
    }
    return layout->field_count > 1 ? NULL : layout->fields;
}

const es_field *es__record_find_field(const es_layout *layout, es_record_hashes hashes,
        const unsigned char *a, const unsigned char *b)
{
    if (hashes == ES_RECORD_HASH_NAMES) {
        return find_name(layout, a, b);
    }
    for (size_t i = 0, at = 0; i < layout->field_count; ++i) {
        if (hash_begins(layout, hashes, i)) {
            if (memcmp(a + at, b + at, 8) != 0) {
                return &layout->fields[i];
            }
            at += 8;
        }
    }
    return NULL;
}
