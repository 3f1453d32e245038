/* SPDX-License-Identifier: Zlib
 *
 * What the writer and the reader share: the members of a struct as they lie in a record, and the
 * hashes of a tick.
 *
 * Per group or per field the hashes follow the order of the fields. With names the hash of the state
 * comes first; then a word for each 8 fields, or for all if they are fewer, with the upper bits of each
 * field's hash from its lowest bit on. A single field needs no such word.
 */
#include "format.h"

#define MEMBER(type, name)                                                                         \
    {                                                                                              \
        offsetof(type, name), sizeof(((type *)0)->name)                                            \
    }
#define STEP(name)   MEMBER(es_step, name)
#define FRAME(name)  MEMBER(es_report, frame.name)
#define REPORT(name) MEMBER(es_report, name)

const es__member es__step_members[ES__STEP_MEMBERS] = {STEP(index), STEP(time_ns), STEP(dt_ns),
        STEP(dt_s), STEP(due_ns), STEP(begun_ns), STEP(in_frame)};

const es__member es__report_members[ES__REPORT_MEMBERS] = {FRAME(index), FRAME(start_ns),
        FRAME(present_ns), FRAME(content_ns), FRAME(interval_ns), FRAME(previous_tick),
        FRAME(current_tick), FRAME(previous_ns), FRAME(current_ns), FRAME(newest_tick),
        FRAME(newest_ns), FRAME(ahead_ns), FRAME(alpha), FRAME(ticks), FRAME(gap.kind),
        FRAME(late_ns), FRAME(account.frame_dropped_ns), FRAME(account.frame_slow_motion_ns),
        FRAME(account.frame_stretched_ns), FRAME(account.debt_ns), FRAME(gap.duration_ns),
        FRAME(gap.removed_ns), REPORT(ready_ns), REPORT(submit_ns), REPORT(shown_ns),
        REPORT(source), REPORT(series), REPORT(update_work_ns), REPORT(render_work_ns)};

_Static_assert(sizeof(es_gap_kind) == 4 && sizeof(es_shown_source) == 4, "as recorded");

unsigned char *es__put_members(
        unsigned char *at, const void *from, const es__member *members, size_t count)
{
    for (const es__member *m = members; m < members + count; ++m) {
        uint32_t four = 0;
        uint64_t eight = 0;
        memcpy(m->size == 8 ? (void *)&eight : &four, (const char *)from + m->offset, m->size);
        at = m->size == 8 ? es__put_u64(at, eight) : es__put_u32(at, four);
    }
    return at;
}

void es__get_members(const unsigned char *at, void *to, const es__member *members, size_t count)
{
    for (const es__member *m = members; m < members + count; at += m->size, ++m) {
        uint32_t four = es__get_u32(at);
        uint64_t eight = m->size == 8 ? es__get_u64(at) : 0;
        memcpy((char *)to + m->offset, m->size == 8 ? (void *)&eight : &four, m->size);
    }
}

/* --- the hashes of a tick --------------------------------------------------------------------- */

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
