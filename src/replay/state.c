/* SPDX-License-Identifier: Zlib
 *
 * A state as a row of numbers. Every field is cut into runs: rows of bytes that lie evenly apart. One
 * loop copies them, both ways; then NaNs are made one, in the packed bytes.
 */
#include "state.h"

#include <math.h>
#include <stdio.h>

#include "base/common.h"
#include "world/field.h"
#include "world/simd/machine.h"

/* Bytes that are packed at once; and bytes of structs that stay in the cache meanwhile. */
enum { CHUNK = 8192, NEAR = 32768, AT_ONCE = ES__HASHED_AT_ONCE };

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

/* Numbers that follow each other in the packed order. Row r of column c has `bytes` at
 * at + r * stride + c * column_stride; packed, a column lies behind the other, then a row. */
typedef struct run {
    size_t at; /* in the state */
    size_t bytes;
    size_t rows, stride;
    size_t columns, column_stride;
} run;

/* The longest run that begins with this number, of at most `most`. */
static run run_from(const es_field *field, size_t number, size_t most)
{
    size_t size = ES_TYPE_SIZE(field->type), components = es__components(field);
    size_t step = es__component_step(field), element = 0, component = 0;
    bool adjoin = components == 1 || step == size;
    run r = {field->offset, size, 1, step, 1, step};
    if (number > 0) { /* divisions take longer than a small field */
        element = number / components;
        component = number % components;
        r.at = es__field_at(field, element, component);
    }
    if (component != 0 || most < components) { /* a part of an element */
        size_t some = components - component < most ? components - component : most;
        r.bytes = adjoin ? some * size : size;
        r.rows = adjoin ? 1 : some;
        return r;
    }
    size_t elements = most == number_count(field) ? field->count : most / components;
    r.bytes = adjoin ? components * size : size;
    r.columns = adjoin ? 1 : components;
    r.rows = elements;
    r.stride = field->stride;
    if (adjoin && field->stride == r.bytes) { /* the elements adjoin, too */
        r.bytes *= elements;
        r.rows = 1;
    }
    return r;
}

/* With constant sizes and steps these are a few instructions; of four rows none waits for another. */
static ES_INLINE void move_rows(unsigned char *restrict to, size_t to_step,
        const unsigned char *restrict from, size_t from_step, size_t size, size_t rows)
{
    for (; rows >= 4; rows -= 4, to += 4 * to_step, from += 4 * from_step) {
        memcpy(to, from, size);
        memcpy(to + to_step, from + from_step, size);
        memcpy(to + 2 * to_step, from + 2 * from_step, size);
        memcpy(to + 3 * to_step, from + 3 * from_step, size);
    }
    for (; rows > 0; --rows, to += to_step, from += from_step) {
        memcpy(to, from, size);
    }
}

#define ROWS(size)                                                                                 \
    case size:                                                                                     \
        if (to_step == (size)) {                                                                   \
            move_rows(to, size, from, from_step, size, rows);                                      \
        } else {                                                                                   \
            move_rows(to, to_step, from, from_step, size, rows);                                   \
        }                                                                                          \
        break;

/* Rows of a size that is no case go in slices. */
static void copy_rows(unsigned char *to, size_t to_step, const unsigned char *from,
        size_t from_step, size_t bytes, size_t rows)
{
    static const unsigned char sizes[] = {64, 24, 16, 12, 8, 4, 2, 1};
    for (size_t i = 0, size; bytes > 0; to += size, from += size, bytes -= size) {
        while (sizes[i] > bytes) {
            ++i;
        }
        size = rows == 1 ? bytes : sizes[i];
        switch (size) {
            ROWS(64)
            ROWS(24)
            ROWS(16)
        case 12:
            if (to_step == 12
                    && from_step
                               >= 16) { /* packed: all rows but the last take what follows them along */
                move_rows(to, 12, from, from_step, 16, rows - 1);
                memcpy(to + (rows - 1) * 12, from + (rows - 1) * from_step, 12);
            } else {
                move_rows(to, to_step, from, from_step, 12, rows);
            }
            break;
            ROWS(8)
            ROWS(4)
            ROWS(2)
            ROWS(1)
        default:
            memcpy(to, from, size); /* a single row */
            break;
        }
    }
}

/* Packs numbers as they are, or unpacks them. */
static void copy_numbers(const es_field *field, unsigned char *state, size_t first, size_t count,
        unsigned char *packed, bool pack)
{
    for (size_t size = ES_TYPE_SIZE(field->type), done; count > 0; first += done, count -= done) {
        run r = run_from(field, first, count);
        size_t step = r.columns * r.bytes;
        done = r.rows * step / size;
        for (size_t column = 0; column < r.columns; ++column) {
            unsigned char *at = state + r.at + column * r.column_stride;
            unsigned char *to = packed + column * r.bytes;
            if (pack) {
                copy_rows(to, step, at, r.stride, r.bytes, r.rows);
            } else {
                copy_rows(at, r.stride, to, step, r.bytes, r.rows);
            }
        }
        packed += r.rows * step;
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

#if ES__ASSERTS
/* The second way: one number, byte by byte. */
static void take_number(const es_field *field, const unsigned char *state, size_t number,
        bool unite, unsigned char *out)
{
    size_t size = ES_TYPE_SIZE(field->type), components = es__components(field);
    size_t at = es__field_at(field, number / components, number % components);
    memcpy(out, state + at, size);
    for (size_t i = 0; !is_little_endian() && i < size; ++i) {
        out[i] = state[at + size - 1 - i];
    }
    if (unite && field->type == ES_TYPE_F32 && (es__get_u32(out) & INT32_MAX) > INFINITY_F32) {
        (void)es__put_u32(out, NAN_F32);
    } else if (unite && field->type == ES_TYPE_F64
               && (es__get_u64(out) & INT64_MAX) > INFINITY_F64) {
        (void)es__put_u64(out, NAN_F64);
    }
}

/* Packed bytes of a field, from `offset` on, are those of its numbers: of many, of some. */
static void check_numbers(const es_field *field, const unsigned char *state, uint64_t offset,
        const unsigned char *packed, size_t size, bool unite)
{
    unsigned char bytes[8];
    size_t one = ES_TYPE_SIZE(field->type), step = 1 + size / one / 100;
    for (size_t at = 0; at < size; at += step) {
        take_number(field, state, (size_t)((offset + at) / one), unite, bytes);
        ES__ASSERT_IS(packed[at], ==, bytes[(offset + at) % one]);
    }
}
#endif

/* Whether one of these adjoining floats is a NaN: with all bits of the exponent set, and any other,
 * the addition carries into the sign. Two floats or one double at a time, in rows that compilers
 * turn into vectors. */
static ES_INLINE bool any_nan(es_type type, const unsigned char *at, size_t size)
{
    enum { ROW = 8 };
    bool is_wide = type == ES_TYPE_F64;
    uint64_t no_sign = is_wide ? INT64_MAX : UINT64_C(0x7FFFFFFF7FFFFFFF);
    uint64_t carry = is_wide ? UINT64_C(0x000FFFFFFFFFFFFF) : UINT64_C(0x007FFFFF007FFFFF);
    uint64_t found[ROW] = {0}, last[ROW] = {0}, any = 0, bits;
    size_t rows = size / sizeof found;
    if (rows > 0) { /* the last row may begin within the one before */
        memcpy(last, at + size - sizeof last, sizeof last);
    } else {
        memcpy(last, at, size);
    }
    for (; rows > 0; --rows, at += sizeof found) {
        for (size_t i = 0; i < ROW; ++i) {
            memcpy(&bits, at + 8 * i, 8);
            found[i] |= (bits & no_sign) + carry;
        }
    }
    for (size_t i = 0; i < ROW; ++i) {
        any |= found[i] | ((last[i] & no_sign) + carry);
    }
    return (any & ~no_sign) != 0;
}

#if ES_SIMD_AVX
__attribute__((target("avx2"))) static bool any_nan_avx2(
        es_type type, const unsigned char *at, size_t size)
{
    return any_nan(type, at, size);
}
#endif

static bool has_nan(es_type type, const unsigned char *at, size_t size)
{
#if ES_SIMD_AVX
    if (__builtin_cpu_supports("avx2")) {
        return any_nan_avx2(type, at, size);
    }
#endif
    return any_nan(type, at, size);
}

static void unite_nans(es_type type, unsigned char *at, size_t bytes)
{
    const uint32_t nan = NAN_F32;
    const uint64_t wide_nan = NAN_F64;
    if (!es__is_float(type) || !has_nan(type, at, bytes)) {
        return;
    }
    for (size_t i = 0; i < bytes; i += ES_TYPE_SIZE(type)) {
        uint32_t four;
        uint64_t eight;
        if (type == ES_TYPE_F32) {
            memcpy(&four, at + i, 4);
            memcpy(at + i, (four & INT32_MAX) > INFINITY_F32 ? &nan : &four, 4);
        } else {
            memcpy(&eight, at + i, 8);
            memcpy(at + i, (eight & INT64_MAX) > INFINITY_F64 ? &wide_nan : &eight, 8);
        }
    }
}

/* Numbers that lie in memory as they are packed; NULL: these do not. */
static const unsigned char *in_place(
        const es_field *field, const unsigned char *state, size_t first, size_t count)
{
    size_t size = ES_TYPE_SIZE(field->type);
    run r = run_from(field, first, count);
    if (r.bytes != count * size || (size > 1 && !is_little_endian())) {
        return NULL;
    }
    const unsigned char *at = state + r.at;
    return es__is_float(field->type) && has_nan(field->type, at, r.bytes) ? NULL : at;
}

/* The state is only read. */
static void pack_numbers(const es_field *field, const unsigned char *state, size_t first,
        size_t count, unsigned char *out)
{
    size_t size = ES_TYPE_SIZE(field->type);
    copy_numbers(field, (unsigned char *)(uintptr_t)state, first, count, out, true);
    unite_nans(field->type, out, count * size);
    for (; !is_little_endian() && count > 0; --count, out += size) {
        for (size_t i = 0; i < size / 2; ++i) {
            unsigned char byte = out[i];
            out[i] = out[size - 1 - i];
            out[size - 1 - i] = byte;
        }
    }
}

/* Unpacks some bytes of one number. */
static void unpack_some(const es_field *field, unsigned char *state, size_t number, size_t skip,
        size_t size, const unsigned char *in)
{
    size_t components = es__components(field), last = ES_TYPE_SIZE(field->type) - 1;
    unsigned char *at = state + es__field_at(field, number / components, number % components);
    for (size_t i = skip; i < skip + size; ++i) {
        at[is_little_endian() ? i : last - i] = *in++;
    }
}

static void unpack_numbers(const es_field *field, unsigned char *state, size_t first, size_t count,
        const unsigned char *in)
{
    size_t size = ES_TYPE_SIZE(field->type);
    if (is_little_endian()) {
        copy_numbers(field, state, first, count, (unsigned char *)(uintptr_t)in, false);
        return;
    }
    for (; count > 0; --count, ++first, in += size) {
        unpack_some(field, state, first, 0, size, in);
    }
}

/* A part of a field that fits a chunk. */
typedef struct part {
    size_t first, count; /* numbers */
    size_t size;         /* bytes, packed */
} part;

/* The first part: {0}, or the one behind another. False: there is none. Parts are small enough that
 * structs stay in the cache until all their fields are packed; and of whole elements, where a chunk
 * holds one. */
static bool next_part(const es_field *field, part *p)
{
    size_t size = ES_TYPE_SIZE(field->type), components = es__components(field);
    p->first += p->count;
    p->count = number_count(field) - p->first;
    if (field_size(field) > CHUNK || field->count * field->stride > NEAR) {
        size_t most = CHUNK / size, elements = most / components;
        if (field->stride > components * size) {
            elements = NEAR / field->stride < elements ? NEAR / field->stride : elements;
        }
        most = elements > 0 ? elements * components : most;
        p->count = most < p->count ? most : p->count;
    }
    p->size = p->count * size;
    ES__ASSERT(p->first + p->count <= number_count(field), p->count, p->first);
    return p->count > 0;
}

/* A part of a state's field, packed: where it lies, or in the chunk. */
static const unsigned char *packed_part(
        const es_field *field, const unsigned char *state, part p, unsigned char *chunk)
{
    const unsigned char *at = in_place(field, state, p.first, p.count);
    if (at == NULL) {
        pack_numbers(field, state, p.first, p.count, chunk);
    }
    const unsigned char *packed = at != NULL ? at : chunk;
    ES__CHECK(
            check_numbers(field, state, p.first * ES_TYPE_SIZE(field->type), packed, p.size, true));
    return packed;
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

/* Bytes of one field, which pass in one direction: one of out and in is NULL. Returns how many. */
static size_t move_part(const es_field *field, unsigned char *state, uint64_t offset, size_t size,
        unsigned char *out, const unsigned char *in)
{
    unsigned char bytes[8]; /* of a number */
    size_t number_size = ES_TYPE_SIZE(field->type), done = 0;
    uint64_t left = field_size(field) - offset;
    size = left < size ? (size_t)left : size;
    while (done < size) {
        size_t number = (size_t)((offset + done) / number_size);
        size_t skip = (size_t)((offset + done) % number_size);
        size_t some = size - done;
        bool whole = skip == 0 && some >= number_size;
        size_t most = whole ? some - some % number_size : number_size - skip;
        some = some < most ? some : most;
        if (whole && out != NULL) {
            pack_numbers(field, state, number, some / number_size, out + done);
        } else if (whole) {
            unpack_numbers(field, state, number, some / number_size, in + done);
        } else if (out != NULL) {
            pack_numbers(field, state, number, 1, bytes);
            memcpy(out + done, bytes + skip, some);
        } else {
            unpack_some(field, state, number, skip, some, in + done);
        }
        ES__ASSERT(some >= 1 && done + some <= size && number < number_count(field), some, number);
        done += some;
    }
    ES__CHECK(check_numbers(field, state, offset, out != NULL ? out : in, size, out != NULL));
    return size;
}

static size_t state_move(const es_layout *layout, unsigned char *state, uint64_t offset,
        size_t size, unsigned char *out, const unsigned char *in)
{
    size_t done = 0;
    ES__BEFORE(const uint64_t start = offset);
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
    ES__CHECK(
            ES__ASSERT(done == size || start + done >= es__state_packed_size(layout), done, size));
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
    ES__ASSERT(es__state_compare(layout, to, from, NULL), layout->field_count);
}

/* --- hashes --------------------------------------------------------------------------------- */

#if ES__ASSERTS
/* A field that is not large has this hash, packed number by number. */
static void check_hash(const es_field *field, const void *state, uint64_t value)
{
    unsigned char bytes[CHUNK / 8 + 8];
    size_t size = ES_TYPE_SIZE(field->type), count = number_count(field);
    for (size_t i = 0; i < count && count * size <= CHUNK / 8; ++i) {
        take_number(field, state, i, true, bytes + i * size);
    }
    ES__ASSERT(count * size > CHUNK / 8 || value == es__hash_of(bytes, count * size), value);
}
#endif

/* The hashes of some fields, the parts of which take turns: so structs are read from memory once. */
static void hash_in_turn(
        const es_field *const *fields, size_t count, const void *state, uint64_t *values)
{
    unsigned char chunk[CHUNK];
    es__hash hashes[AT_ONCE];
    part places[AT_ONCE] = {{0}};
    for (bool more = true; more;) {
        more = false;
        for (size_t k = 0; k < count; ++k) {
            part *p = &places[k];
            if (!next_part(fields[k], p)) {
                continue;
            }
            const unsigned char *packed = packed_part(fields[k], state, *p, chunk);
            size_t numbers = number_count(fields[k]);
            if (p->count == numbers) {
                values[k] = es__hash_of(packed, p->size);
                ES__CHECK(check_hash(fields[k], state, values[k]));
                continue;
            }
            if (p->first == 0) {
                es__hash_begin(&hashes[k]);
            }
            es__hash_add(&hashes[k], packed, p->size);
            if (p->first + p->count < numbers) {
                more = true;
            } else {
                values[k] = es__hash_value(&hashes[k]);
                ES__CHECK(check_hash(fields[k], state, values[k]));
            }
        }
    }
}

uint64_t es__state_hash_field(const es_field *field, const void *state)
{
    uint64_t value;
    hash_in_turn(&field, 1, state, &value);
    return value;
}

void es__state_hash_some(const es_field *fields, size_t count, const void *state, uint64_t *values)
{
    const es_field *some[AT_ONCE];
    for (size_t i = 0; i < count; ++i) {
        some[i] = &fields[i];
    }
    hash_in_turn(some, count, state, values);
}

static uint64_t hash_fields(const es_layout *layout, const void *state, bool all, int32_t group)
{
    const es_field *fields[AT_ONCE];
    uint64_t values[AT_ONCE];
    unsigned char words[8 * AT_ONCE], *at = words;
    es__hash hash;
    size_t count = 0;
    es__hash_begin(&hash);
    for (size_t i = 0; i <= layout->field_count; ++i) {
        bool is_end = i == layout->field_count;
        if (!is_end && (all || layout->fields[i].group == group)) {
            fields[count++] = &layout->fields[i];
        }
        if (count == AT_ONCE || (is_end && count > 0)) {
            hash_in_turn(fields, count, state, values);
            for (at = words; count > 0; --count) {
                at = es__put_u64(at, values[(size_t)(at - words) / 8]);
            }
            es__hash_add(&hash, words, (size_t)(at - words));
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

static double value_of(es_type type, const unsigned char *packed)
{
    uint32_t four;
    float f32;
    switch (type) {
    case ES_TYPE_F32:
        four = es__get_u32(packed);
        memcpy(&f32, &four, 4);
        return (double)f32;
    case ES_TYPE_F64:
        return es__from_bits(es__get_u64(packed));
    case ES_TYPE_I32:
        return (double)es__get_i32(packed);
    case ES_TYPE_U32:
        return (double)es__get_u32(packed);
    case ES_TYPE_I64:
        return (double)es__get_i64(packed);
    default:
        return (double)*packed;
    }
}

/* The first number that differs, in a part that does. */
static void note_difference(const es_field *field, part p, const unsigned char *mine,
        const unsigned char *theirs, es__state_difference *difference)
{
    size_t size = ES_TYPE_SIZE(field->type), number = p.first;
    for (; memcmp(mine, theirs, size) == 0; mine += size, theirs += size) {
        number += 1;
    }
    *difference = (es__state_difference){.field = field,
            .element = number / es__components(field),
            .component = number % es__components(field),
            .values = {value_of(field->type, mine), value_of(field->type, theirs)}};
}

bool es__state_compare(const es_layout *layout, const void *state, const void *other,
        es__state_difference *difference)
{
    unsigned char chunks[2][CHUNK];
    es__state_difference found = {0};
    for (size_t i = 0; i < layout->field_count && found.field == NULL; ++i) {
        const es_field *field = &layout->fields[i];
        for (part p = {0}; found.field == NULL && next_part(field, &p);) {
            const unsigned char *mine = packed_part(field, state, p, chunks[0]);
            const unsigned char *theirs = packed_part(field, other, p, chunks[1]);
            if (memcmp(mine, theirs, p.size) != 0) {
                note_difference(field, p, mine, theirs, &found);
            }
        }
    }
    if (difference != NULL) {
        *difference = found;
    }
    ES__ASSERT(
            (found.field == NULL) == (es_state_hash(layout, state) == es_state_hash(layout, other)),
            found.element);
    ES__ASSERT(found.field == NULL || found.element < found.field->count, found.element);
    return found.field == NULL;
}

es_difference es__difference_of(int64_t tick, const es__state_difference *at)
{
    es_difference found = {.tick = tick, .group = -1, .value_tick = tick};
    if (at != NULL && at->field != NULL) {
        found.field = found.value_field = at->field->name;
        found.object = at->element;
        found.component = at->component;
        found.values[0] = at->values[0];
        found.values[1] = at->values[1];
    }
    return found;
}

void es__difference_say(const char *function, const es_difference *found, const char *second)
{
    char text[200];
    const char *what = found->field != NULL ? found->field : "the state";
    int used =
            snprintf(text, sizeof text, "tick %lld: %.60s differs", (long long)found->tick, what);
    if (found->value_field != NULL && used > 0) {
        (void)snprintf(text + used, sizeof text - (size_t)used,
                "; at tick %lld %.60s of object %zu is %g, %s %g", (long long)found->value_tick,
                found->value_field, found->object, found->values[0], second, found->values[1]);
    }
    (void)es__fail(ES_ERR_DIFFERS, function, &(es__error){NULL, text});
}

/* --- the self-test ------------------------------------------------------------------------------
 *
 * Operands are volatile, so that the machine computes and not the compiler: a recording says how the
 * process that wrote it computed, with its rounding mode, its denormals, and the flags that it was
 * compiled with. */

enum { ROUNDS = 64 };

static void add_f64(es__hash *hash, double value)
{
    unsigned char bytes[8];
    (void)es__put_u64(bytes, value != value ? 1 : es__bits_of(value)); /* all NaNs are equal */
    es__hash_add(hash, bytes, 8);
}

static void add_f32(es__hash *hash, float value)
{
    unsigned char bytes[4];
    uint32_t bits;
    memcpy(&bits, &value, 4);
    (void)es__put_u32(bytes, value != value ? 1 : bits);
    es__hash_add(hash, bytes, 4);
}

/* x * y + z in one expression: a fused multiply-add rounds it once instead of twice, and excess
 * precision not at all. */
static void add_products(es__hash *hash)
{
    volatile float x = 1.1F, y = 0.7F, z = -0.3F;
    volatile double a = 1.1, b = 0.7, c = -0.3;
    for (int i = 0; i < ROUNDS; ++i) {
        x = x * y + z;
        y = y / (x + 3.0F) - x * x;
        z = (float)((double)z * 1.0000001) + x;
        a = a * b + c;
        b = b / (a + 3.0) - a * a;
        c = c * 1.0000000001 + a;
        add_f32(hash, x);
        add_f32(hash, y);
        add_f32(hash, z);
        add_f64(hash, a);
        add_f64(hash, b);
        add_f64(hash, c);
        x = x > 4.0F || x < -4.0F ? 1.1F : x;
        y = y > 4.0F || y < -2.0F ? 0.7F : y;
        z = z > 4.0F || z < -4.0F ? -0.3F : z;
        a = a > 4.0 || a < -4.0 ? 1.1 : a;
        b = b > 4.0 || b < -2.0 ? 0.7 : b;
        c = c > 4.0 || c < -4.0 ? -0.3 : c;
    }
}

/* Denormals, which some modes round to 0; rounding to whole numbers; infinities and zeros. */
static void add_edges(es__hash *hash)
{
    volatile float tiny = 1.1754944e-38F, zero = 0.0F, big = 3.0e38F;
    volatile double small = 2.2250738585072014e-308, third = 1.0, minus = -0.0;
    for (int i = 0; i < 24; ++i) {
        tiny = tiny * 0.5F;
        small = small * 0.5;
        add_f32(hash, tiny);
        add_f64(hash, small);
    }
    third = third / 3.0;
    add_f64(hash, third);
    add_f32(hash, (float)third);
    add_f64(hash, sqrt(third));
    add_f64(hash, minus * third);
    add_f64(hash, 1.0 / minus);
    add_f32(hash, big * 10.0F);
    add_f32(hash, zero / zero);
    volatile int64_t wide = INT64_C(9007199254740993);
    add_f64(hash, (double)wide);
    add_f32(hash, (float)wide);
    for (int i = -20; i <= 20; ++i) {
        volatile double quarter = i / 4.0;
        add_f64(hash, (double)(int32_t)quarter);
        add_f64(hash, floor(quarter));
        add_f64(hash, fabs(quarter));
    }
}

static void add_library(es__hash *hash)
{
    for (int i = 1; i <= ROUNDS; ++i) {
        volatile double x = i * 0.37;
        add_f64(hash, sin(x));
        add_f64(hash, cos(x));
        add_f64(hash, tan(x));
        add_f64(hash, atan2(x, 3.0 - x));
        add_f64(hash, exp(-x));
        add_f64(hash, log(x));
        add_f64(hash, pow(x, 1.0 / 3.0));
    }
}

#if ES__ASSERTS
/* Where the thread rounds to the nearest number and keeps denormals, the result is known. */
static void check_self_test(uint64_t arithmetic)
{
    volatile double one = 1.0, less = 1e-30, tiny = 0x1p-1022;
    bool usual = one + less == one && one - less == one && -one - less == -one && tiny / 2 > 0.0;
    ES__ASSERT(!usual || arithmetic == ES__SELF_TEST_ARITHMETIC, usual);
}
#endif

es__state_self_test es__state_self_test_run(void)
{
    es__state_self_test result;
    es__hash hash;
    es__hash_begin(&hash);
    add_products(&hash);
    add_edges(&hash);
    result.arithmetic = es__hash_value(&hash);
    es__hash_begin(&hash);
    add_library(&hash);
    result.library = es__hash_value(&hash);
    ES__CHECK(check_self_test(result.arithmetic));
    return result;
}
