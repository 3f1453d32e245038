/* SPDX-License-Identifier: Zlib
 *
 * Any layout over a small state: what es_layout_validate accepts, es_blend must be able to walk
 * without leaving the state (the address sanitizer watches both ends), and fields must not overlap.
 */
#include "evenstep/blend.h"

#include <stdlib.h>
#include <string.h>

enum { FIELDS_MAX = 6, STATE_SIZE = 96 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Small numbers mostly, huge ones at times: those are what wraps around. */
static size_t number_from(const uint8_t **data, const uint8_t *end)
{
    if (*data >= end) {
        return 0;
    }
    uint8_t byte = *(*data)++;
    return byte >= 250 ? SIZE_MAX / (size_t)(byte - 249) - (byte & 3U) : byte;
}

static es_field field_from(const uint8_t **data, const uint8_t *end, const char *name)
{
    es_field field = {0};
    field.name = name;
    field.type = (es_type)(number_from(data, end) % 8);
    field.blend = (es_blend_kind)(number_from(data, end) % 5);
    field.count = number_from(data, end);
    field.components = number_from(data, end);
    field.offset = number_from(data, end);
    field.stride = number_from(data, end);
    return field;
}

/* Marks the field's bytes; aborts on one that is marked already. */
static void mark(unsigned char *marks, const es_field *field)
{
    size_t components = field->components != 0 ? field->components : 1;
    for (size_t i = 0; i < field->count; ++i) {
        for (size_t k = 0; k < components * ES_TYPE_SIZE(field->type); ++k) {
            unsigned char *at = &marks[field->offset + i * field->stride + k];
            if (*at != 0) {
                abort();
            }
            *at = 1;
        }
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char *const names[FIELDS_MAX] = {"a", "b", "c", "d", "e", "f"};
    const uint8_t *end = data + size;
    es_field fields[FIELDS_MAX];
    es_layout layout = {fields, 0, STATE_SIZE};
    while (data < end && layout.field_count < FIELDS_MAX) {
        fields[layout.field_count] = field_from(&data, end, names[layout.field_count]);
        layout.field_count += 1;
    }
    if (es_layout_validate(&layout, NULL) != ES_OK) {
        return 0;
    }
    /* one allocation each, so that a byte too far is seen */
    unsigned char *previous = calloc(1, STATE_SIZE);
    unsigned char *current = calloc(1, STATE_SIZE);
    unsigned char *out = calloc(1, STATE_SIZE);
    if (previous != NULL && current != NULL && out != NULL) {
        memset(current, 0x3f, STATE_SIZE);
        es_blend(&layout, previous, current, 0.5, out);
        memset(out, 0, STATE_SIZE);
        for (size_t i = 0; i < layout.field_count; ++i) {
            mark(out, &fields[i]);
        }
    }
    free(previous);
    free(current);
    free(out);
    return 0;
}
