/* SPDX-License-Identifier: Zlib
 *
 * A tick's input as records, little-endian: first buttons, then axes, by code; those that are up and
 * at rest are left out.
 *
 *   button  u8 0, u16 code, u16 device, u16 pressed, u16 released, u16 held
 *   axis    u8 1, u16 code, u16 device, f64 at, f64 moved
 */
#include "input.h"

#include <float.h>

#define SAVED_MAX 21 /* bytes of a record */

/* A record, its numbers in the order above. */
typedef struct held_record {
    uint64_t number[6];
} held_record;

static const unsigned char record_widths[2][6] = {{1, 2, 2, 2, 2, 2}, {1, 2, 2, 8, 8, 0}};

/* Reads the record at *used. false: there is no whole one. */
static bool parse_record(const unsigned char *bytes, size_t size, size_t *used, held_record *record)
{
    if (*used >= size || bytes[*used] > 1) {
        return false;
    }
    const unsigned char *widths = record_widths[bytes[*used]];
    for (int i = 0; i < 6; ++i) {
        record->number[i] = 0;
        for (int k = 0; k < widths[i]; ++k, ++*used) {
            if (*used >= size) {
                return false;
            }
            record->number[i] |= (uint64_t)bytes[*used] << 8 * k;
        }
    }
    return true;
}

#if ES__ASSERTS
/* A record reads as it was made. */
static void check_made(const unsigned char *made, size_t length, const held_record *record)
{
    held_record read;
    size_t used = 0;
    ES__ASSERT(parse_record(made, length, &used, &read) && used == length, used, length);
    ES__ASSERT(memcmp(&read, record, sizeof read) == 0, read.number[1], record->number[1]);
}
#endif

/* Appends a record where it fits. Returns the bytes used, or that it needs. */
static size_t append_record(
        unsigned char *bytes, size_t size, size_t used, const held_record *record)
{
    unsigned char made[SAVED_MAX];
    size_t length = 0;
    for (int i = 0; i < 6; ++i) {
        for (int k = 0; k < record_widths[record->number[0]][i]; ++k) {
            made[length++] = (unsigned char)(record->number[i] >> 8 * k);
        }
    }
    if (bytes != NULL && used + length <= size) {
        memcpy(bytes + used, made, length);
    }
    ES__CHECK(check_made(made, length, record));
    return used + length;
}

size_t es__state_save(const es__state *state, unsigned char *bytes, size_t size)
{
    size_t used = 0;
    for (int32_t i = 0; i < state->button_count; ++i) {
        const es__button *b = &state->buttons[i];
        if (b->held || b->pressed > 0 || b->released > 0) {
            const held_record record = {
                    {0, (uint64_t)i, b->device, b->pressed, b->released, b->held}};
            used = append_record(bytes, size, used, &record);
        }
    }
    for (int32_t i = 0; i < state->axis_count; ++i) {
        const es__axis *a = &state->axes[i];
        if (a->at != 0.0 || a->moved != 0.0) {
            const held_record record = {
                    {1, (uint64_t)i, a->device, es__bits_of(a->at), es__bits_of(a->moved), 0}};
            used = append_record(bytes, size, used, &record);
        }
    }
    return used;
}

static bool is_sound(const es__state *state, const held_record *record)
{
    const uint64_t *number = record->number;
    if (number[0] == 0) {
        bool rests = number[3] == 0 && number[4] == 0 && number[5] == 0;
        return number[1] < (uint64_t)state->button_count && number[5] <= 1 && !rests;
    }
    double at = es__from_bits(number[3]), moved = es__from_bits(number[4]);
    bool is_finite = at >= -DBL_MAX && at <= DBL_MAX && moved >= -DBL_MAX && moved <= DBL_MAX;
    return number[1] < (uint64_t)state->axis_count && is_finite && (at != 0.0 || moved != 0.0);
}

/* Whether the state can take all records, in their order. */
static bool can_load(const es__state *state, const unsigned char *bytes, size_t size)
{
    uint64_t least = 0;
    held_record record;
    for (size_t used = 0; used < size; least = (record.number[0] << 16 | record.number[1]) + 1) {
        if (!parse_record(bytes, size, &used, &record) || !is_sound(state, &record)
                || (record.number[0] << 16 | record.number[1]) < least) {
            return false;
        }
    }
    return true;
}

bool es__state_load(es__state *state, const unsigned char *bytes, size_t size)
{
    held_record record;
    if ((bytes == NULL && size > 0) || !can_load(state, bytes, size)) {
        return false;
    }
    memset(state->buttons, 0, (size_t)state->button_count * sizeof *state->buttons);
    for (int32_t i = 0; i < state->axis_count; ++i) {
        state->axes[i] = (es__axis){.rests = state->axes[i].rests};
    }
    state->edges = true;
    for (size_t used = 0; parse_record(bytes, size, &used, &record);) {
        const uint64_t *number = record.number;
        if (number[0] == 0) {
            state->buttons[number[1]] = (es__button){
                    number[5] == 1, (uint16_t)number[3], (uint16_t)number[4], (uint16_t)number[2]};
        } else {
            es__axis *axis = &state->axes[number[1]];
            *axis = (es__axis){es__from_bits(number[3]), es__from_bits(number[4]),
                    (uint16_t)number[2], axis->rests};
        }
    }
    ES__ASSERT_IS(es__state_save(state, NULL, 0), ==, size);
    return true;
}
