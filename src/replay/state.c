/* SPDX-License-Identifier: Zlib
 *
 * A state as a row of numbers. Every field is cut into runs of numbers that lie evenly apart; the
 * same few loops pack and unpack these.
 */
#include "state_parts.h"

#include <string.h>

#include "state_numbers.h"
#include "world/field.h"

/* Bytes that are packed at once. A multiple of 8, so that no number of a field is cut. */
enum { CHUNK = 8192 };

/* Above these bits, without the sign, are the NaNs; the packed one is a quiet one. */
#define INFINITY_F32 UINT32_C(0x7F800000)
#define INFINITY_F64 UINT64_C(0x7FF0000000000000)
#define NAN_F32      UINT32_C(0x7FC00000)
#define NAN_F64      UINT64_C(0x7FF8000000000000)

static size_t number_count(const es_field *field)
{
    return field->count * es__components(field);
}

static uint64_t field_size(const es_field *field)
{
    return (uint64_t)number_count(field) * ES_TYPE_SIZE(field->type);
}

/* --- runs ----------------------------------------------------------------------------------- */

/* Numbers at even distances, in rows at even distances. */
typedef struct run {
    size_t at; /* in the state */
    size_t stride, count;
    size_t row_stride, rows;
} run;

/* Whether all numbers of a field adjoin each other in the packed order. */
static bool is_solid(const es_field *field)
{
    size_t size = ES_TYPE_SIZE(field->type), components = es__components(field);
    bool components_adjoin =
            components == 1 || field->component_stride == 0 || field->component_stride == size;
    return components_adjoin && field->tile == 0
           && (field->count == 1 || field->stride == components * size);
}

/* The longest run that begins with this number, of at most `most`. */
static run run_from(const es_field *field, size_t number, size_t most)
{
    size_t size = ES_TYPE_SIZE(field->type), components = es__components(field);
    size_t element = number / components, component = number % components;
    size_t left = number_count(field) - number;
    run found = {es__field_at(field, element, component), size, most < left ? most : left, 0, 1};
    if (is_solid(field)) {
        return found;
    }
    size_t elements =
            field->tile == 0 ? field->count - element : field->tile - element % field->tile;
    if (components == 1) {
        found.stride = field->stride;
        found.count = elements < found.count ? elements : found.count;
        return found;
    }
    size_t whole = found.count / components; /* elements that are wanted whole */
    found.stride = field->component_stride != 0 ? field->component_stride : size;
    if (component == 0 && whole > 0) {
        found.count = components;
        found.row_stride = field->stride;
        found.rows = whole < elements ? whole : elements;
    } else if (components - component < found.count) {
        found.count = components - component;
    }
    return found;
}

/* infinity: what is above it is a NaN; the greatest number where none is one. */
static void pack_4(const unsigned char *at, run r, uint32_t infinity, unsigned char *out)
{
    for (size_t row = 0; row < r.rows; ++row, at += r.row_stride) {
        for (size_t i = 0; i < r.count; ++i) {
            uint32_t bits;
            memcpy(&bits, at + i * r.stride, 4);
            out = es__put_u32(out, (bits & UINT32_C(0x7FFFFFFF)) > infinity ? NAN_F32 : bits);
        }
    }
}

static void pack_8(const unsigned char *at, run r, uint64_t infinity, unsigned char *out)
{
    for (size_t row = 0; row < r.rows; ++row, at += r.row_stride) {
        for (size_t i = 0; i < r.count; ++i) {
            uint64_t bits;
            memcpy(&bits, at + i * r.stride, 8);
            out = es__put_u64(out, (bits & INT64_MAX) > infinity ? NAN_F64 : bits);
        }
    }
}

static void pack_1(const unsigned char *at, run r, unsigned char *out)
{
    for (size_t row = 0; row < r.rows; ++row, at += r.row_stride) {
        for (size_t i = 0; i < r.count; ++i) {
            *out++ = at[i * r.stride];
        }
    }
}

/* raw: with the bits that a NaN has. */
static void pack_run(
        const es_field *field, const unsigned char *state, run r, bool raw, unsigned char *out)
{
    const unsigned char *at = state + r.at;
    switch (ES_TYPE_SIZE(field->type)) {
    case 4:
        pack_4(at, r, field->type == ES_TYPE_F32 && !raw ? INFINITY_F32 : UINT32_MAX, out);
        break;
    case 8:
        pack_8(at, r, field->type == ES_TYPE_F64 && !raw ? INFINITY_F64 : UINT64_MAX, out);
        break;
    default:
        pack_1(at, r, out);
        break;
    }
}

static void store_number(unsigned char *at, size_t size, const unsigned char *in)
{
    uint32_t four;
    uint64_t eight;
    switch (size) {
    case 4:
        four = es__get_u32(in);
        memcpy(at, &four, 4);
        break;
    case 8:
        eight = es__get_u64(in);
        memcpy(at, &eight, 8);
        break;
    default:
        *at = *in;
        break;
    }
}

static void unpack_run(const es_field *field, unsigned char *state, run r, const unsigned char *in)
{
    size_t size = ES_TYPE_SIZE(field->type);
    unsigned char *row_at = state + r.at;
    for (size_t row = 0; row < r.rows; ++row, row_at += r.row_stride) {
        for (size_t i = 0; i < r.count; ++i, in += size) {
            store_number(row_at + i * r.stride, size, in);
        }
    }
}

/* --- whole numbers of one field --------------------------------------------------------------- */

static bool is_little_endian(void)
{
    const uint32_t one = 1;
    unsigned char first;
    memcpy(&first, &one, 1);
    return first == 1;
}

/* Whether one of these adjoining floats is a NaN: with all bits of the exponent set, and any other,
 * the addition carries into the sign. Two floats or one double at a time, in rows that compilers
 * turn into vectors. */
static bool has_nan(es_type type, const unsigned char *at, size_t size)
{
    enum { ROW = 8 };
    bool is_wide = type == ES_TYPE_F64;
    uint64_t no_sign = is_wide ? INT64_MAX : UINT64_C(0x7FFFFFFF7FFFFFFF);
    uint64_t carry = is_wide ? UINT64_C(0x000FFFFFFFFFFFFF) : UINT64_C(0x007FFFFF007FFFFF);
    uint64_t found[ROW] = {0}, last[ROW] = {0}, any = 0, bits;
    for (; size >= sizeof found; size -= sizeof found, at += sizeof found) {
        for (size_t i = 0; i < ROW; ++i) {
            memcpy(&bits, at + 8 * i, 8);
            found[i] |= (bits & no_sign) + carry;
        }
    }
    memcpy(last, at, size);
    for (size_t i = 0; i < ROW; ++i) {
        any |= found[i] | ((last[i] & no_sign) + carry);
    }
    return (any & ~no_sign) != 0;
}

/* Numbers that lie in memory as they are packed; NULL: these do not. */
static const unsigned char *in_place(
        const es_field *field, const unsigned char *state, size_t first, size_t count)
{
    size_t size = ES_TYPE_SIZE(field->type);
    bool is_float = field->type == ES_TYPE_F32 || field->type == ES_TYPE_F64;
    if (!is_solid(field) || (size > 1 && !is_little_endian())) {
        return NULL;
    }
    const unsigned char *at = state + field->offset + first * size;
    return is_float && has_nan(field->type, at, count * size) ? NULL : at;
}

static void pack_numbers(const es_field *field, const unsigned char *state, size_t first,
        size_t count, bool raw, unsigned char *out)
{
    while (count > 0) {
        run r = run_from(field, first, count);
        pack_run(field, state, r, raw, out);
        out += r.rows * r.count * ES_TYPE_SIZE(field->type);
        first += r.rows * r.count;
        count -= r.rows * r.count;
    }
}

static void unpack_numbers(const es_field *field, unsigned char *state, size_t first, size_t count,
        const unsigned char *in)
{
    while (count > 0) {
        run r = run_from(field, first, count);
        unpack_run(field, state, r, in);
        in += r.rows * r.count * ES_TYPE_SIZE(field->type);
        first += r.rows * r.count;
        count -= r.rows * r.count;
    }
}

/* A part of a field that fits a chunk. */
typedef struct part {
    size_t first, count; /* numbers */
    size_t size;         /* bytes, packed */
} part;

/* The first part: {0}, or the one behind another. False: there is none. */
static bool next_part(const es_field *field, part *p)
{
    size_t size = ES_TYPE_SIZE(field->type), most = CHUNK / size;
    p->first += p->count;
    size_t left = number_count(field) - p->first;
    p->count = most < left ? most : left;
    p->size = p->count * size;
    return p->count > 0;
}

/* A part of a state's field, packed: where it lies, or in the chunk. */
static const unsigned char *packed_part(
        const es_field *field, const unsigned char *state, part p, unsigned char *chunk)
{
    const unsigned char *at = in_place(field, state, p.first, p.count);
    if (at == NULL) {
        pack_numbers(field, state, p.first, p.count, false, chunk);
    }
    return at != NULL ? at : chunk;
}

/* --- any part of a packed state --------------------------------------------------------------- */

uint64_t es__state_packed_size(const es_layout *layout)
{
    uint64_t size = 0;
    for (size_t i = 0; i < layout->field_count; ++i) {
        size += field_size(&layout->fields[i]);
    }
    return size;
}

/* Some bytes of one number, which pass in one direction: one of out and in is NULL. Unpacking keeps
 * the bits that the number has: half of a number may look like a NaN. */
static void move_some(const es_field *field, unsigned char *state, size_t number, size_t skip,
        size_t size, unsigned char *out, const unsigned char *in)
{
    unsigned char whole[8];
    pack_numbers(field, state, number, 1, in != NULL, whole);
    if (out != NULL) {
        memcpy(out, whole + skip, size);
    } else {
        memcpy(whole + skip, in, size);
        unpack_numbers(field, state, number, 1, whole);
    }
}

/* Whole numbers, likewise. */
static void move_numbers(const es_field *field, unsigned char *state, size_t first, size_t count,
        unsigned char *out, const unsigned char *in)
{
    if (out == NULL) {
        unpack_numbers(field, state, first, count, in);
        return;
    }
    const unsigned char *at = in_place(field, state, first, count);
    if (at != NULL) {
        memcpy(out, at, count * ES_TYPE_SIZE(field->type));
    } else {
        pack_numbers(field, state, first, count, false, out);
    }
}

/* Bytes of one field, likewise. Returns how many. */
static size_t move_part(const es_field *field, unsigned char *state, uint64_t offset, size_t size,
        unsigned char *out, const unsigned char *in)
{
    size_t number_size = ES_TYPE_SIZE(field->type), done = 0;
    uint64_t left = field_size(field) - offset;
    size = left < size ? (size_t)left : size;
    while (done < size) {
        size_t number = (size_t)((offset + done) / number_size);
        size_t skip = (size_t)((offset + done) % number_size);
        size_t some = size - done;
        unsigned char *to = out != NULL ? out + done : NULL;
        const unsigned char *from = in != NULL ? in + done : NULL;
        if (skip == 0 && some >= number_size) {
            some -= some % number_size;
            move_numbers(field, state, number, some / number_size, to, from);
        } else {
            some = some < number_size - skip ? some : number_size - skip;
            move_some(field, state, number, skip, some, to, from);
        }
        done += some;
    }
    return size;
}

static size_t state_move(const es_layout *layout, unsigned char *state, uint64_t offset,
        size_t size, unsigned char *out, const unsigned char *in)
{
    size_t done = 0;
    for (size_t i = 0; i < layout->field_count && done < size; ++i) {
        const es_field *field = &layout->fields[i];
        if (offset >= field_size(field)) {
            offset -= field_size(field);
            continue;
        }
        done += move_part(field, state, offset, size - done, out != NULL ? out + done : NULL,
                in != NULL ? in + done : NULL);
        offset = 0;
    }
    return done;
}

/* The state is only read if there is an out. */
size_t es__state_pack(
        const es_layout *layout, const void *state, uint64_t offset, void *bytes, size_t size)
{
    return size == 0 ? 0
                     : state_move(
                             layout, (unsigned char *)(uintptr_t)state, offset, size, bytes, NULL);
}

size_t es__state_unpack(
        const es_layout *layout, void *state, uint64_t offset, const void *bytes, size_t size)
{
    return size == 0 ? 0 : state_move(layout, state, offset, size, NULL, bytes);
}

size_t es_state_pack(const es_layout *layout, const void *state, void *bytes, size_t size)
{
    uint64_t whole = es__state_packed_size(layout);
    return whole <= size ? es__state_pack(layout, state, 0, bytes, (size_t)whole) : (size_t)whole;
}

bool es_state_unpack(const es_layout *layout, void *state, const void *bytes, size_t size)
{
    return size == es__state_packed_size(layout)
           && es__state_unpack(layout, state, 0, bytes, size) == size;
}

void es__state_copy(const es_layout *layout, void *to, const void *from)
{
    unsigned char chunk[CHUNK];
    for (size_t i = 0; i < layout->field_count; ++i) {
        const es_field *field = &layout->fields[i];
        for (part p = {0}; next_part(field, &p);) {
            unpack_numbers(field, to, p.first, p.count, packed_part(field, from, p, chunk));
        }
    }
}

/* --- hashes --------------------------------------------------------------------------------- */

uint64_t es__state_hash_field(const es_field *field, const void *state)
{
    unsigned char chunk[CHUNK];
    es__hash hash;
    es__hash_begin(&hash, 0);
    for (part p = {0}; next_part(field, &p);) {
        es__hash_add(&hash, packed_part(field, state, p, chunk), p.size);
    }
    return es__hash_value(&hash);
}

static uint64_t hash_fields(const es_layout *layout, const void *state, bool all, int32_t group)
{
    es__hash hash;
    es__hash_begin(&hash, 0);
    for (size_t i = 0; i < layout->field_count; ++i) {
        if (all || layout->fields[i].group == group) {
            unsigned char word[8];
            (void)es__put_u64(word, es__state_hash_field(&layout->fields[i], state));
            es__hash_add(&hash, word, sizeof word);
        }
    }
    return es__hash_value(&hash);
}

uint64_t es_state_hash(const es_layout *layout, const void *state)
{
    return hash_fields(layout, state, true, 0);
}

uint64_t es__state_hash_group(const es_layout *layout, const void *state, int32_t group)
{
    return hash_fields(layout, state, false, group);
}

/* --- differences ---------------------------------------------------------------------------- */

static double value_of(es_type type, uint64_t bits)
{
    uint32_t four = (uint32_t)bits;
    float f32;
    double f64;
    switch (type) {
    case ES_TYPE_F32:
        memcpy(&f32, &four, 4);
        return (double)f32;
    case ES_TYPE_F64:
        memcpy(&f64, &bits, 8);
        return f64;
    case ES_TYPE_I32:
        return (double)(int32_t)four;
    case ES_TYPE_I64:
        return (double)(int64_t)bits;
    default:
        return (double)bits;
    }
}

static uint64_t bits_of(size_t size, const unsigned char *packed)
{
    return size == 8 ? es__get_u64(packed) : size == 4 ? es__get_u32(packed) : *packed;
}

static void note_differences(const es_field *field, part p, const unsigned char *mine,
        const unsigned char *theirs, es__state_difference *difference)
{
    size_t size = ES_TYPE_SIZE(field->type);
    for (size_t i = 0; i < p.count; ++i, mine += size, theirs += size) {
        if (memcmp(mine, theirs, size) == 0) {
            continue;
        }
        difference->differences += 1;
        if (difference->field == NULL) {
            difference->field = field;
            difference->element = (p.first + i) / es__components(field);
            difference->component = (p.first + i) % es__components(field);
            difference->bits[0] = bits_of(size, mine);
            difference->bits[1] = bits_of(size, theirs);
            difference->values[0] = value_of(field->type, difference->bits[0]);
            difference->values[1] = value_of(field->type, difference->bits[1]);
        }
    }
}

static void compare_field(const es_field *field, const unsigned char *state,
        const unsigned char *other, es__state_difference *difference)
{
    unsigned char chunks[2][CHUNK];
    for (part p = {0}; next_part(field, &p);) {
        const unsigned char *mine = packed_part(field, state, p, chunks[0]);
        const unsigned char *theirs = packed_part(field, other, p, chunks[1]);
        if (memcmp(mine, theirs, p.size) != 0) {
            note_differences(field, p, mine, theirs, difference);
        }
    }
}

bool es__state_compare(const es_layout *layout, const void *state, const void *other,
        es__state_difference *difference)
{
    es__state_difference found = {0};
    for (size_t i = 0; i < layout->field_count; ++i) {
        compare_field(&layout->fields[i], state, other, &found);
    }
    if (difference != NULL) {
        *difference = found;
    }
    return found.field == NULL;
}
