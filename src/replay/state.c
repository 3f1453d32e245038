/* SPDX-License-Identifier: Zlib
 *
 * A state as a row of numbers: every field is cut into runs of numbers that lie evenly apart, which
 * are packed, unpacked or hashed by the same few loops.
 */
#include "evenstep/state.h"

#include <string.h>

#include "simd/hash.h"
#include "state_hash.h"
#include "state_numbers.h"
#include "world/field.h"

/* Bytes that are packed at once: small enough to stay in the nearest cache. A multiple of 8, so
 * that numbers of one field are never cut. */
enum { CHUNK = 2048 };

/* Bytes that are taken where they lie, or else packed for a NaN among them: the second time from
 * that cache. */
enum { DIRECT = 16384 };

/* Fields whose hashes are hashed at once. */
enum { FIELDS = 32 };

_Static_assert(CHUNK % ES_HASH_BLOCK == 0 && DIRECT % CHUNK == 0, "blocks are whole");

#define NAN_F32 UINT32_C(0x7FC00000)
#define NAN_F64 UINT64_C(0x7FF8000000000000)

/* --- numbers -------------------------------------------------------------------------------- */

static size_t state_components_of(const es_field *field)
{
    return field->components != 0 ? field->components : 1;
}

static size_t number_count(const es_field *field)
{
    return field->count * state_components_of(field);
}

static uint64_t field_size(const es_field *field)
{
    return (uint64_t)number_count(field) * ES_TYPE_SIZE(field->type);
}

static inline uint32_t one_nan_f32(uint32_t bits)
{
    return (bits & UINT32_C(0x7FFFFFFF)) > UINT32_C(0x7F800000) ? NAN_F32 : bits;
}

static inline uint64_t one_nan_f64(uint64_t bits)
{
    return (bits & UINT64_C(0x7FFFFFFFFFFFFFFF)) > UINT64_C(0x7FF0000000000000) ? NAN_F64 : bits;
}

static uint64_t load_raw(const es_field *field, const unsigned char *at)
{
    uint32_t four;
    uint64_t eight;
    switch (ES_TYPE_SIZE(field->type)) {
    case 1:
        return *at;
    case 4:
        memcpy(&four, at, 4);
        return four;
    default:
        memcpy(&eight, at, 8);
        return eight;
    }
}

static void store_raw(const es_field *field, unsigned char *at, uint64_t bits)
{
    uint32_t four = (uint32_t)bits;
    switch (ES_TYPE_SIZE(field->type)) {
    case 1:
        *at = (unsigned char)bits;
        return;
    case 4:
        memcpy(at, &four, 4);
        return;
    default:
        memcpy(at, &bits, 8);
        return;
    }
}

/* --- runs ----------------------------------------------------------------------------------- */

/* Numbers at even distances, in rows at even distances: those of all objects that lie alike. */
typedef struct run {
    size_t at; /* in the state */
    size_t stride, count;
    size_t row_stride, rows;
} run;

/* Whether all numbers of a field adjoin each other in the packed order. */
static bool is_solid(const es_field *field)
{
    size_t size = ES_TYPE_SIZE(field->type), components = state_components_of(field);
    bool components_adjoin =
            components == 1 || field->component_stride == 0 || field->component_stride == size;
    return components_adjoin && field->tile == 0
           && (field->count == 1 || field->stride == components * size);
}

/* The longest run that begins with this number, of at most `most`. */
static run run_from(const es_field *field, size_t number, size_t most)
{
    size_t size = ES_TYPE_SIZE(field->type), components = state_components_of(field);
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

static ES_INLINE void pack_rows_4(const unsigned char *at, run r, size_t stride, size_t count,
        bool is_float, unsigned char *out)
{
    for (size_t row = 0; row < r.rows; ++row) {
        for (size_t i = 0; i < count; ++i) {
            uint32_t bits;
            memcpy(&bits, at + i * stride, 4);
            out = es__put_u32(out, is_float ? one_nan_f32(bits) : bits);
        }
        at += r.row_stride;
    }
}

/* Vectors are short: with a count that the compiler knows, each becomes a few moves. */
static ES_INLINE void pack_4(const unsigned char *at, run r, bool is_float, unsigned char *out)
{
    size_t vector = r.stride == 4 ? r.count : 0;
    if (vector == 2) {
        pack_rows_4(at, r, 4, 2, is_float, out);
    } else if (vector == 3) {
        pack_rows_4(at, r, 4, 3, is_float, out);
    } else if (vector == 4) {
        pack_rows_4(at, r, 4, 4, is_float, out);
    } else {
        pack_rows_4(at, r, r.stride, r.count, is_float, out);
    }
}

static ES_INLINE void pack_8(const unsigned char *at, run r, bool is_float, unsigned char *out)
{
    for (size_t row = 0; row < r.rows; ++row) {
        for (size_t i = 0; i < r.count; ++i) {
            uint64_t bits;
            memcpy(&bits, at + i * r.stride, 8);
            out = es__put_u64(out, is_float ? one_nan_f64(bits) : bits);
        }
        at += r.row_stride;
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

static void pack_run(const es_field *field, const unsigned char *state, run r, unsigned char *out)
{
    switch (field->type) {
    case ES_TYPE_F32:
        pack_4(state + r.at, r, true, out);
        break;
    case ES_TYPE_F64:
        pack_8(state + r.at, r, true, out);
        break;
    case ES_TYPE_I32:
    case ES_TYPE_U32:
        pack_4(state + r.at, r, false, out);
        break;
    case ES_TYPE_I64:
        pack_8(state + r.at, r, false, out);
        break;
    default:
        pack_1(state + r.at, r, out);
        break;
    }
}

static void unpack_run(const es_field *field, unsigned char *state, run r, const unsigned char *in)
{
    size_t size = ES_TYPE_SIZE(field->type);
    unsigned char *row_at = state + r.at;
    for (size_t row = 0; row < r.rows; ++row, row_at += r.row_stride) {
        unsigned char *at = row_at;
        for (size_t i = 0; i < r.count; ++i, at += r.stride, in += size) {
            store_raw(field, at, size == 8 ? es__get_u64(in) : size == 4 ? es__get_u32(in) : *in);
        }
    }
}

/* --- numbers that lie as they are packed ------------------------------------------------------ */

static bool is_little_endian(void)
{
    const uint32_t one = 1;
    unsigned char first;
    memcpy(&first, &one, 1);
    return first == 1;
}

/* With the exponent's bits set and any other, adding reaches the sign. */
static bool has_nan_f32(const unsigned char *at, size_t size)
{
    uint32_t found = 0, bits;
    for (size_t i = 0; i < size; i += 4) {
        memcpy(&bits, at + i, 4);
        found |= (bits & UINT32_C(0x7FFFFFFF)) + UINT32_C(0x007FFFFF);
    }
    return found >> 31 != 0;
}

static bool has_nan_f64(const unsigned char *at, size_t size)
{
    uint64_t found = 0, bits;
    for (size_t i = 0; i < size; i += 8) {
        memcpy(&bits, at + i, 8);
        found |= (bits & UINT64_C(0x7FFFFFFFFFFFFFFF)) + UINT64_C(0x000FFFFFFFFFFFFF);
    }
    return found >> 63 != 0;
}

/* Whether any of these adjoining floats is a NaN. */
static bool has_nan(es_type type, const unsigned char *at, size_t size)
{
    size_t whole = size >= 512 ? size / ES_HASH_STRIPE : 0, done = whole * ES_HASH_STRIPE;
    if (type == ES_TYPE_F64) {
        return (whole > 0 && es__simd_hash()->has_nan_f64(at, whole))
               || has_nan_f64(at + done, size - done);
    }
    return (whole > 0 && es__simd_hash()->has_nan_f32(at, whole))
           || has_nan_f32(at + done, size - done);
}

/* Where the numbers as they lie in memory are the packed ones. */
static bool is_packed(const es_field *field, const unsigned char *at, size_t size)
{
    bool is_float = field->type == ES_TYPE_F32 || field->type == ES_TYPE_F64;
    return !is_float || !has_nan(field->type, at, size);
}

/* Where no NaN is among them, they can be taken as they lie. */
static bool is_direct(const es_field *field)
{
    return is_solid(field) && (ES_TYPE_SIZE(field->type) == 1 || is_little_endian());
}

/* Whole numbers of one field. */
static void pack_numbers(const es_field *field, const unsigned char *state, size_t first,
        size_t count, unsigned char *out)
{
    size_t most = is_direct(field) ? DIRECT / ES_TYPE_SIZE(field->type) : SIZE_MAX;
    while (count > 0) {
        run r = run_from(field, first, count < most ? count : most);
        size_t size = r.rows * r.count * ES_TYPE_SIZE(field->type);
        if (most < SIZE_MAX && is_packed(field, state + r.at, size)) {
            memcpy(out, state + r.at, size);
        } else {
            pack_run(field, state, r, out);
        }
        out += size;
        first += r.rows * r.count;
        count -= r.rows * r.count;
    }
}

static void unpack_numbers(const es_field *field, unsigned char *state, size_t first, size_t count,
        const unsigned char *in)
{
    while (count > 0) {
        run r = run_from(field, first, count);
        size_t size = r.rows * r.count * ES_TYPE_SIZE(field->type);
        if (is_direct(field)) {
            memcpy(state + r.at, in, size);
        } else {
            unpack_run(field, state, r, in);
        }
        in += size;
        first += r.rows * r.count;
        count -= r.rows * r.count;
    }
}

/* --- any part of a packed state --------------------------------------------------------------- */

uint64_t es_state_packed_size(const es_layout *layout)
{
    uint64_t size = 0;
    for (size_t i = 0; i < layout->field_count; ++i) {
        size += field_size(&layout->fields[i]);
    }
    return size;
}

/* Less than a number: some of its bytes. Of a number that comes in two parts the first must not be
 * taken for a NaN before the second is there, so unpacking knows nothing of NaNs. */
static void pack_part(const es_field *field, const unsigned char *state, size_t number, size_t skip,
        size_t size, unsigned char *out)
{
    unsigned char whole[8];
    pack_numbers(field, state, number, 1, whole);
    memcpy(out, whole + skip, size);
}

static void unpack_part(const es_field *field, unsigned char *state, size_t number, size_t skip,
        size_t size, const unsigned char *in)
{
    unsigned char whole[8];
    run r = run_from(field, number, 1);
    (void)es__put_u64(whole, load_raw(field, state + r.at));
    memcpy(whole + skip, in, size);
    unpack_run(field, state, r, whole);
}

/* A part of one field, which it may leave in either direction: one of out and in is NULL. */
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
        if (skip == 0 && some >= number_size) {
            some -= some % number_size;
            if (out != NULL) {
                pack_numbers(field, state, number, some / number_size, out + done);
            } else {
                unpack_numbers(field, state, number, some / number_size, in + done);
            }
        } else {
            some = some < number_size - skip ? some : number_size - skip;
            if (out != NULL) {
                pack_part(field, state, number, skip, some, out + done);
            } else {
                unpack_part(field, state, number, skip, some, in + done);
            }
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

/* The state is only read where there is an out. */
size_t es_state_pack(
        const es_layout *layout, const void *state, uint64_t offset, void *bytes, size_t size)
{
    return size == 0 ? 0
                     : state_move(
                             layout, (unsigned char *)(uintptr_t)state, offset, size, bytes, NULL);
}

size_t es_state_unpack(
        const es_layout *layout, void *state, uint64_t offset, const void *bytes, size_t size)
{
    return size == 0 ? 0 : state_move(layout, state, offset, size, NULL, bytes);
}

void es_state_copy(const es_layout *layout, void *to, const void *from)
{
    unsigned char chunk[CHUNK];
    for (size_t i = 0; i < layout->field_count; ++i) {
        const es_field *field = &layout->fields[i];
        size_t most = CHUNK / ES_TYPE_SIZE(field->type), count = number_count(field);
        for (size_t first = 0; first < count; first += most) {
            size_t some = most < count - first ? most : count - first;
            pack_numbers(field, from, first, some, chunk);
            unpack_numbers(field, to, first, some, chunk);
        }
    }
}

/* --- hashes --------------------------------------------------------------------------------- */

/* Numbers of a field from this one on, packed: whole blocks, or all up to the field's end, with
 * the last stripe. This may reach back into the bytes before, which are kept in front. */
static void eat_packed(const uint64_t *from, uint64_t *lanes, const es_field *field,
        const void *state, size_t first, size_t count)
{
    unsigned char chunk[ES_HASH_STRIPE + CHUNK], *bytes = chunk + ES_HASH_STRIPE, *last = NULL;
    size_t number_size = ES_TYPE_SIZE(field->type), most = CHUNK / number_size;
    bool to_the_end = first + count == number_count(field);
    for (size_t done = 0; done < count; done += most) {
        size_t some = most < count - done ? most : count - done, size = some * number_size;
        pack_numbers(field, state, first + done, some, bytes);
        if (to_the_end && done + some == count) {
            last = bytes + size - ES_HASH_STRIPE;
            size -= 1; /* a full stripe at the end is the last one and no other */
        }
        (void)es__simd_hash()->eat[ES_HASH_PLAIN](
                from, lanes, bytes, size / ES_HASH_STRIPE, last, es_hash_secret);
        from = lanes;
        memcpy(chunk, bytes + CHUNK - ES_HASH_STRIPE, ES_HASH_STRIPE);
    }
}

static es_hash_kind kind_of(const es_field *field)
{
    return field->type == ES_TYPE_F32   ? ES_HASH_F32
           : field->type == ES_TYPE_F64 ? ES_HASH_F64
                                        : ES_HASH_PLAIN;
}

/* Where they lie. A part with a NaN is packed and taken again. */
static void eat_direct(
        uint64_t *lanes, const es_field *field, const unsigned char *state, size_t size)
{
    es_hash_kind kind = kind_of(field);
    es_hash_eat *eat = es__simd_hash()->eat[kind];
    const uint64_t *from = es_hash_first;
    const unsigned char *bytes = state + field->offset, *end = bytes + size;
    size_t left = size, most = kind == ES_HASH_PLAIN ? SIZE_MAX : DIRECT + ES_HASH_BLOCK;
    for (; left > most; left -= DIRECT) { /* at least a block stays for the end */
        const unsigned char *at = end - left;
        if (eat(from, lanes, at, DIRECT / ES_HASH_STRIPE, NULL, es_hash_secret)) {
            size_t number_size = ES_TYPE_SIZE(field->type);
            eat_packed(from, lanes, field, state, (size_t)(at - bytes) / number_size,
                    DIRECT / number_size);
        }
        from = lanes;
    }
    if (eat(from, lanes, end - left, (left - 1) / ES_HASH_STRIPE, end - ES_HASH_STRIPE,
                es_hash_secret)) {
        size_t number_size = ES_TYPE_SIZE(field->type);
        eat_packed(from, lanes, field, state, (size - left) / number_size, left / number_size);
    }
}

uint64_t es_state_hash_field(const es_field *field, const void *state)
{
    _Alignas(ES_HASH_STRIPE) uint64_t lanes[ES_HASH_LANES]; /* stored at once, loaded one by one */
    size_t count = number_count(field), size = count * ES_TYPE_SIZE(field->type);
    if (size <= ES_HASH_SHORT) {
        unsigned char packed[ES_HASH_SHORT];
        const unsigned char *bytes = (const unsigned char *)state + field->offset;
        if (!is_direct(field) || !is_packed(field, bytes, size)) {
            pack_numbers(field, state, 0, count, packed);
            bytes = packed;
        }
        return es__hash_short(bytes, size, 0);
    }
    if (is_direct(field)) {
        eat_direct(lanes, field, state, size);
    } else {
        eat_packed(es_hash_first, lanes, field, state, 0, count);
    }
    return es__hash_last(lanes, size, es_hash_secret);
}

/* The hash of the hashes of all fields, or of those of a group. */
static uint64_t hash_fields(const es_layout *layout, const void *state, bool all, int32_t group)
{
    unsigned char words[8 * FIELDS], *at = words;
    es_hash hash;
    bool is_long = false;
    for (size_t i = 0; i < layout->field_count; ++i) {
        if (!all && layout->fields[i].group != group) {
            continue;
        }
        if (at == words + sizeof words) {
            if (!is_long) {
                es_hash_begin(&hash, 0);
            }
            es_hash_add(&hash, words, sizeof words);
            is_long = true;
            at = words;
        }
        at = es__put_u64(at, es_state_hash_field(&layout->fields[i], state));
    }
    if (!is_long && at <= words + ES_HASH_SHORT) {
        return es__hash_short(words, (size_t)(at - words), 0);
    }
    if (!is_long) {
        es_hash_begin(&hash, 0);
    }
    es_hash_add(&hash, words, (size_t)(at - words));
    return es_hash_value(&hash);
}

uint64_t es_state_hash(const es_layout *layout, const void *state)
{
    return hash_fields(layout, state, true, 0);
}

uint64_t es_state_hash_group(const es_layout *layout, const void *state, int32_t group)
{
    return hash_fields(layout, state, false, group);
}

bool es_state_group_begins(const es_layout *layout, size_t field)
{
    for (size_t i = 0; i < field; ++i) {
        if (layout->fields[i].group == layout->fields[field].group) {
            return false;
        }
    }
    return true;
}

size_t es_state_group_count(const es_layout *layout)
{
    size_t count = 0;
    for (size_t i = 0; i < layout->field_count; ++i) {
        count += es_state_group_begins(layout, i);
    }
    return count;
}

int32_t es_state_group(const es_layout *layout, size_t index)
{
    for (size_t i = 0; i < layout->field_count; ++i) {
        if (es_state_group_begins(layout, i) && index-- == 0) {
            return layout->fields[i].group;
        }
    }
    return INT32_MIN;
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

/* Numbers of a field from this one on, packed, of both states. */
static void note_differences(const es_field *field, size_t first, size_t count,
        const unsigned char *mine, const unsigned char *theirs, es_state_difference *difference)
{
    size_t size = ES_TYPE_SIZE(field->type);
    for (size_t i = 0; i < count; ++i, mine += size, theirs += size) {
        if (memcmp(mine, theirs, size) == 0) {
            continue;
        }
        difference->differences += 1;
        if (difference->field == NULL) {
            difference->field = field;
            difference->element = (first + i) / state_components_of(field);
            difference->component = (first + i) % state_components_of(field);
            difference->bits[0] = bits_of(size, mine);
            difference->bits[1] = bits_of(size, theirs);
            difference->values[0] = value_of(field->type, difference->bits[0]);
            difference->values[1] = value_of(field->type, difference->bits[1]);
        }
    }
}

static void compare_field(const es_field *field, const unsigned char *state,
        const unsigned char *other, es_state_difference *difference)
{
    unsigned char mine[CHUNK], theirs[CHUNK];
    size_t most = CHUNK / ES_TYPE_SIZE(field->type), count = number_count(field);
    for (size_t first = 0; first < count; first += most) {
        size_t some = most < count - first ? most : count - first;
        pack_numbers(field, state, first, some, mine);
        pack_numbers(field, other, first, some, theirs);
        if (memcmp(mine, theirs, some * ES_TYPE_SIZE(field->type)) != 0) {
            note_differences(field, first, some, mine, theirs, difference);
        }
    }
}

bool es_state_compare(const es_layout *layout, const void *state, const void *other,
        es_state_difference *difference)
{
    es_state_difference found = {0};
    for (size_t i = 0; i < layout->field_count; ++i) {
        compare_field(&layout->fields[i], state, other, &found);
    }
    if (difference != NULL) {
        *difference = found;
    }
    return found.field == NULL;
}
