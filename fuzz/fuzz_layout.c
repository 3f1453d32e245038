/* SPDX-License-Identifier: Zlib
 *
 * Any layout over a small state: es_blend and es_history_shift_all walk every accepted one without
 * leaving the state (the address sanitizer watches both ends), and its fields do not overlap.
 */
#include "evenstep/world.h"

#include "fuzz_bytes.h"

#include <string.h>

#include "world/field.h"

enum { FIELDS_MAX = 6, STATE_SIZE = 384 };

static const char *const names[FIELDS_MAX] = {"a", "b", "c", "d", "e", "f"};

/* Small numbers mostly, at times huge ones, which wrap around. */
static size_t number_from(input *in)
{
    uint8_t byte = byte_from(in);
    return byte >= 250 ? SIZE_MAX / (size_t)(byte - 249) - (byte & 3U) : byte;
}

/* Mostly 0, as in most fields. */
static double real_from(input *in)
{
    static const double odd[] = {-1, 1e-300, 1e300, 0.5, 8.5, 24};
    uint8_t byte = byte_from(in);
    return byte < 16 ? 0 : byte >= 250 ? odd[byte - 250] : (byte - 128) / 8.0;
}

/* A field's name, or one that is none. */
static const char *name_from(input *in)
{
    uint8_t byte = byte_from(in);
    return byte < 16 ? NULL : byte % 8 < FIELDS_MAX ? names[byte % 8] : "none";
}

static es_field field_from(input *in, es_prediction *prediction)
{
    es_field field = {0};
    field.type = (es_type)(number_from(in) % 8);
    field.blend = (es_blend_kind)(number_from(in) % 16);
    field.count = number_from(in);
    field.components = number_from(in);
    field.offset = number_from(in);
    field.stride = number_from(in);
    uint8_t more = byte_from(in); /* which of the rest are set */
    field.component_stride = (more & 1U) != 0 ? number_from(in) : 0;
    field.group = (more & 4U) != 0 ? byte_from(in) % 4 - 1 : 0;
    field.period = (more & 8U) != 0 ? real_from(in) : 0;
    field.delay_ticks = (more & 16U) != 0 ? real_from(in) : 0;
    if ((more & 32U) != 0) {
        field.velocity = name_from(in);
        field.acceleration = name_from(in);
        field.contact = name_from(in);
    }
    if ((more & 64U) != 0) {
        prediction->kind = (es_predict)(byte_from(in) % 5 - 1);
        prediction->correct = (es_correct)(byte_from(in) % 5 - 1);
        prediction->max_ns = (int64_t)number_from(in) - 1;
        prediction->ramp_ns = (int64_t)number_from(in);
        prediction->decay_ns = (int64_t)number_from(in);
        field.prediction = prediction;
    }
    return field;
}

/* Likely to be accepted: numbers of one shape, behind each other, that may name one another. */
static es_field likely_field(input *in, es_field like, es_prediction *prediction)
{
    es_field field = like;
    field.blend = (es_blend_kind)(1 + byte_from(in) % ES_BLEND_MARK);
    bool colour = field.blend == ES_BLEND_COLOUR || field.blend == ES_BLEND_SRGB;
    if ((field.blend == ES_BLEND_ROTATION && like.components != 4)
            || (colour && like.components < 3)) {
        field.blend = ES_BLEND_CATMULL_ROM;
    } else if (field.blend == ES_BLEND_MARK) {
        field.type = byte_from(in) % 2 != 0 ? ES_TYPE_U8 : ES_TYPE_I64;
        field.components = 1;
    } else if (colour) {
        bool bytes = field.blend == ES_BLEND_SRGB && byte_from(in) % 2 != 0;
        field.type = bytes ? ES_TYPE_U8 : ES_TYPE_F32;
    }
    field.group = field.blend == ES_BLEND_MARK ? 1 : byte_from(in) % 2;
    field.period = field.blend == ES_BLEND_CYCLIC ? 1.0 + byte_from(in) / 16.0 : 0.0;
    bool moves = field.blend == ES_BLEND_LINEAR || field.blend == ES_BLEND_ANGLE
                 || field.blend == ES_BLEND_CYCLIC || field.blend >= ES_BLEND_HERMITE;
    uint8_t more = byte_from(in);
    *prediction = (es_prediction){.kind = (es_predict)(1 + more / 64 % 2),
            .correct = (es_correct)(more / 16 % 3),
            .max_ns = (more & 1U) != 0 ? 30000000 : 0,
            .ramp_ns = (more & 2U) != 0 ? 20000000 : 0};
    bool can = (moves && field.blend < ES_BLEND_MARK) || field.blend == ES_BLEND_ROTATION;
    field.prediction = can && more < 200 ? prediction : NULL;
    field.delay_ticks = field.blend != ES_BLEND_MARK && more % 8 == 7 ? more / 64.0 - 1.0 : 0.0;
    field.stride = field.components * ES_TYPE_SIZE(field.type);
    return field;
}

/* Marks the field's bytes; none is marked already. */
static void mark(unsigned char *marks, const es_field *field)
{
    size_t components = es__components(field);
    for (size_t i = 0; i < field->count * components; ++i) {
        unsigned char *at = &marks[es__field_at(field, i / components, i % components)];
        for (size_t k = 0; k < ES_TYPE_SIZE(field->type); ++k) {
            require(at[k] == 0);
            at[k] = 1;
        }
    }
}

/* Changes the past of every field, where it has one that can be changed. */
static void change_past(const es_layout *layout)
{
    static const double delta[STATE_SIZE] = {1};
    es_history history;
    size_t size = es__history_memory_size(STATE_SIZE, 3);
    unsigned char *memory = malloc(size);
    if (memory != NULL) {
        es__history_init(&history, memory, STATE_SIZE, 3);
        es_history_push(&history, NULL);
        for (size_t i = 0; i < layout->field_count; ++i) {
            const es_field *field = &layout->fields[i];
            size_t components = es__components(field);
            es_history_snap(&history, layout, field->name, field->count - 1);
            es_history_shift(&history, layout, field->name, field->count - 1, delta, components);
            es_history_shift(&history, layout, field->name, ES_ALL_ELEMENTS, delta, components);
        }
    }
    free(memory);
}

/* Ticks of small numbers, or of any bits, at instants between and past them. */
static void show(const es_layout *layout, uint32_t random)
{
    enum { TICKS = 4, SHOWN = 6 };
    es_blend_tick ticks[TICKS];
    unsigned char *states = malloc(TICKS * STATE_SIZE), *out = malloc(STATE_SIZE);
    int64_t time_ns = INT64_C(1000000000);
    bool any = random % 4 == 0;
    for (size_t i = 0; states != NULL && i < TICKS * STATE_SIZE; i += 4) {
        random = random * UINT32_C(1664525) + UINT32_C(1013904223);
        float number = (float)(random >> 16) / 2048.0F - 16.0F;
        memcpy(states + i, any ? (void *)&random : &number, 4);
    }
    for (size_t i = 0; i < TICKS; ++i) {
        random = random * UINT32_C(1664525) + UINT32_C(1013904223);
        ticks[i] = (es_blend_tick){states + i * STATE_SIZE, time_ns};
        time_ns -= 1 + (random >> 8) % 40000000;
    }
    for (int i = 0; states != NULL && out != NULL && i < SHOWN; ++i) {
        random = random * UINT32_C(1664525) + UINT32_C(1013904223);
        int64_t shown_ns = time_ns + (int64_t)(random >> 4) % 240000000;
        es_blend_ticks(layout, ticks, 1 + (size_t)i % TICKS, shown_ns, out);
        es_blend(layout, ticks[1].state, ticks[0].state, (double)(random >> 12) / 1e6, out);
    }
    free(states);
    free(out);
}

static void use(const es_layout *layout)
{
    /* one allocation each, so that a byte too far is seen */
    unsigned char *previous = calloc(1, STATE_SIZE);
    unsigned char *current = calloc(1, STATE_SIZE);
    unsigned char *out = calloc(1, STATE_SIZE);
    if (previous != NULL && current != NULL && out != NULL) {
        memset(current, 0x3f, STATE_SIZE);
        es_blend(layout, previous, current, 0.5, out);
        memset(out, 0, STATE_SIZE);
        for (size_t i = 0; i < layout->field_count; ++i) {
            mark(out, &layout->fields[i]);
        }
        change_past(layout);
    }
    free(previous);
    free(current);
    free(out);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    input in = {data, data + size};
    uint32_t random = size > 2 ? data[0] + 256U * data[1] + 65536U * data[size - 1] : 0U;
    es_field fields[FIELDS_MAX];
    es_prediction predictions[FIELDS_MAX];
    es_layout layout = {fields, 0, STATE_SIZE};
    const bool likely = random % 8 != 0;
    size_t used = 0;
    const es_field like = {.type = random % 3 != 0 ? ES_TYPE_F32 : ES_TYPE_F64,
            .count = 1 + random / 64 % 2,
            .components = (const size_t[]){1, 4, 3, 4}[random / 128 % 4]};
    while (in.data < in.end && layout.field_count < FIELDS_MAX) {
        size_t i = layout.field_count;
        fields[i] = likely ? likely_field(&in, like, &predictions[i])
                           : field_from(&in, &predictions[i]);
        fields[i].name = names[i];
        if (likely) { /* the first two are the others' velocity and acceleration */
            bool moves = fields[i].prediction != NULL && fields[i].blend != ES_BLEND_ROTATION;
            if (i < 2) {
                fields[i] = like;
                fields[i].name = names[i];
                fields[i].blend = ES_BLEND_LINEAR;
                fields[i].stride = like.components * ES_TYPE_SIZE(like.type);
            }
            fields[i].velocity =
                    i > 1 && (moves || fields[i].blend == ES_BLEND_HERMITE) ? "a" : NULL;
            fields[i].acceleration = fields[i].velocity != NULL ? "b" : NULL;
            fields[i].offset = (used + 7) / 8 * 8;
            used = fields[i].offset + fields[i].count * fields[i].stride;
        }
        layout.field_count += 1;
    }
    if (es__layout_validate(&layout, NULL) == ES_OK) {
        use(&layout);
        show(&layout, random);
    }
    return 0;
}
