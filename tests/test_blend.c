/* SPDX-License-Identifier: Zlib
 *
 * Blending whole states: every arrangement of memory, every kind, every way to pick objects, in
 * random combination against blend_reference.h; every instruction set against the scalar one, byte
 * for byte; and that nothing else is written.
 */
#include "evenstep/blend.h"

#include <stdio.h>
#include <stdlib.h>

#include "blend_reference.h"
#include "test_support.h"


static double uniform(test_random *random, double low, double high)
{
    return low + (high - low) * ((double)(random_u64(random) >> 11) / 9007199254740992.0);
}

static bool chance(test_random *random, int64_t of)
{
    return random_below(random, of) == 0;
}

/* ---- worlds at random ---- */

#define FIELDS_MAX  16
#define OBJECTS_MAX 200

typedef struct buffer {
    unsigned char *base;
    unsigned char *at;
} buffer;

typedef struct world {
    test_random random;
    bool wild; /* any bits as numbers: only the instruction sets are compared */
    es_field fields[FIELDS_MAX];
    char names[FIELDS_MAX][4];
    es_prediction predictions[FIELDS_MAX];
    es_layout layout;
    es_blend_tick ticks[ES_HISTORY_TICKS_MAX];
    buffer states[ES_HISTORY_TICKS_MAX];
    size_t tick_count;
    es_blend_pick picks[4];
    uint32_t indices[4][OBJECTS_MAX];
    uint64_t masks[4][OBJECTS_MAX / 64 + 1];
    float alphas[4][OBJECTS_MAX];
    es_blend_job job;
} world;

/* The end of the block is the end of the state, so that a sanitizer sees any step beyond; or else
 * it is aligned for streaming. */
static buffer allocate(size_t size, size_t shift, bool aligned)
{
    buffer made;
    made.base = malloc(size + (aligned ? 64 : shift));
    assert_non_null(made.base);
    made.at = made.base + (aligned ? 64 - (uintptr_t)made.base % 64 : shift);
    return made;
}

static es_field *add_field(world *w, es_type type, es_blend_kind blend, size_t count)
{
    size_t index = w->layout.field_count;
    es_field *field = &w->fields[index];
    memset(field, 0, sizeof *field);
    snprintf(w->names[index], sizeof w->names[index], "%c", (char)('a' + index));
    field->name = w->names[index];
    field->type = type;
    field->blend = blend;
    field->count = count;
    w->layout.field_count += 1;
    return field;
}

static bool moves(es_blend_kind kind)
{
    return kind == ES_BLEND_LINEAR || kind == ES_BLEND_ANGLE || kind == ES_BLEND_CYCLIC
           || kind == ES_BLEND_HERMITE || kind == ES_BLEND_CATMULL_ROM || kind == ES_BLEND_MONOTONE;
}

static void add_prediction(world *w, es_field *field)
{
    es_prediction *p = &w->predictions[field - w->fields];
    memset(p, 0, sizeof *p);
    p->kind = chance(&w->random, 4) ? ES_PREDICT_HOLD : ES_PREDICT_LINEAR;
    if (field->acceleration != NULL && chance(&w->random, 2)) {
        p->kind = ES_PREDICT_BALLISTIC;
    }
    p->correct = (es_correct)random_below(&w->random, 3);
    p->max_ns = chance(&w->random, 2) ? 0 : random_below(&w->random, 60000000);
    p->ramp_ns = chance(&w->random, 2) ? 0 : random_below(&w->random, 60000000);
    p->decay_ns = chance(&w->random, 2) ? 0 : random_below(&w->random, 200000000);
    field->prediction = p;
}

/* The fields that a moving field names. */
static void add_motion(world *w, es_field *field)
{
    es_field *other;
    if (field->blend == ES_BLEND_HERMITE || chance(&w->random, 2)) {
        other = add_field(w, field->type, ES_BLEND_STEP, field->count);
        other->components = field->components;
        other->group = field->group;
        field->velocity = other->name;
        if (chance(&w->random, 2)) {
            other = add_field(w, field->type, ES_BLEND_STEP, field->count);
            other->components = field->components;
            field->acceleration = other->name;
        }
    }
    if (chance(&w->random, 2)) {
        add_prediction(w, field);
        if (field->prediction->kind != ES_PREDICT_HOLD && chance(&w->random, 2)) {
            other = add_field(w, ES_TYPE_I64, ES_BLEND_STEP, field->count);
            field->contact = other->name;
        }
    }
}

static void add_random_field(world *w, size_t count, int32_t group)
{
    static const es_type any[] = {
            ES_TYPE_F32, ES_TYPE_F64, ES_TYPE_I32, ES_TYPE_U32, ES_TYPE_I64, ES_TYPE_U8};
    es_type type = chance(&w->random, 3) ? ES_TYPE_F64 : ES_TYPE_F32;
    es_blend_kind kind = (es_blend_kind)(1 + random_below(&w->random, ES_BLEND_MONOTONE));
    size_t components = (size_t)random_below(&w->random, 8);
    if (kind == ES_BLEND_STEP || kind == ES_BLEND_NEAREST) {
        type = any[random_below(&w->random, 6)];
    } else if (kind == ES_BLEND_ROTATION) {
        components = 4;
    } else if (kind == ES_BLEND_COLOUR || kind == ES_BLEND_SRGB) {
        components = 3 + (size_t)random_below(&w->random, 2);
        type = kind == ES_BLEND_SRGB && chance(&w->random, 3) ? ES_TYPE_U8 : type;
    }
    es_field *field = add_field(w, type, kind, count);
    field->components = components;
    field->group = group;
    field->period = kind == ES_BLEND_CYCLIC ? uniform(&w->random, 0.5, 500) : 0;
    field->delay_ticks = chance(&w->random, 3) ? uniform(&w->random, -1.5, 2) : 0;
    if (moves(kind)) {
        add_motion(w, field);
    } else if (kind == ES_BLEND_ROTATION && chance(&w->random, 2)) {
        add_prediction(w, field);
        field->prediction = field->prediction->kind == ES_PREDICT_HOLD ? NULL : field->prediction;
    }
}

/* ---- places at random ---- */

static size_t up_to(size_t at, size_t unit)
{
    return (at + unit - 1) / unit * unit;
}

typedef enum arrangement {
    STRUCTS,
    GAPPY,
    PLANES,
    TILES,
    STRUCT_TILES,
    CROSSED,
    ARRANGEMENTS
} arrangement;

static size_t component_count(const es_field *field)
{
    return ref_components(field);
}

/* A struct's members; returns its size. */
static size_t place_structs(world *w, const size_t *members, size_t n, size_t at, bool gaps)
{
    size_t size = 0, widest = 1;
    for (size_t i = 0; i < n; ++i) {
        es_field *field = &w->fields[members[i]];
        size_t number = ref_type_size(field->type);
        size_t step = gaps && chance(&w->random, 3) ? number * 2 : number;
        widest = number > widest ? number : widest;
        size = up_to(size + (gaps ? (size_t)random_below(&w->random, 9) : 0), number);
        field->offset = at + size;
        field->component_stride = step == number && chance(&w->random, 2) ? 0 : step;
        size += (component_count(field) - 1) * step + number;
    }
    size = up_to(size, widest) + (gaps ? widest * (size_t)random_below(&w->random, 3) : 0);
    for (size_t i = 0; i < n; ++i) {
        w->fields[members[i]].stride = size;
    }
    return size;
}

/* An array per component, of `length` numbers each; returns what they span. */
static size_t place_planes(world *w, const size_t *members, size_t n, size_t at, size_t length)
{
    size_t size = 0;
    for (size_t i = 0; i < n; ++i) {
        es_field *field = &w->fields[members[i]];
        size_t number = ref_type_size(field->type);
        size_t plane = number * length;
        if (chance(&w->random, 3)) {
            plane = up_to(plane, 64);
        }
        size = up_to(size, chance(&w->random, 2) ? 64 : number);
        field->offset = at + size;
        field->stride = number;
        field->component_stride = plane;
        size += (component_count(field) - 1) * plane + length * number;
    }
    return size;
}

/* Places some fields of equal count; returns where they end. */
static size_t place_block(world *w, const size_t *members, size_t n, size_t at)
{
    static const size_t tiles[] = {1, 4, 8, 16, 32, 64, 3, 7};
    size_t count = w->fields[members[0]].count, tile = tiles[random_below(&w->random, 8)], size;
    arrangement how = (arrangement)random_below(&w->random, ARRANGEMENTS);
    at = up_to(at, chance(&w->random, 2) ? 64 : 8);
    switch (how) {
    case STRUCTS:
    case GAPPY:
        return at + place_structs(w, members, n, at, how == GAPPY) * count;
    case PLANES:
        return at + place_planes(w, members, n, at, count);
    case TILES:
    case STRUCT_TILES:
        size = how == TILES ? place_planes(w, members, n, at, tile)
                            : place_structs(w, members, n, at, false) * tile;
        size = up_to(size, chance(&w->random, 2) ? 64 : 8);
        for (size_t i = 0; i < n; ++i) {
            w->fields[members[i]].tile = tile;
            w->fields[members[i]].tile_stride = size;
        }
        return at + size * ((count + tile - 1) / tile);
    default: /* the same place in every tile side by side */
        for (size_t i = 0; i < n; ++i) {
            es_field *field = &w->fields[members[i]];
            size_t number = ref_type_size(field->type);
            field->offset = up_to(at, number);
            field->tile = tile;
            field->tile_stride = number;
            field->stride = number * ((count + tile - 1) / tile);
            field->component_stride = field->stride * tile;
            at = field->offset + field->component_stride * component_count(field);
        }
        return at;
    }
}

static void place_fields(world *w, test_random *random)
{
    size_t end = (size_t)random_below(random, 3) * 8;
    bool placed[FIELDS_MAX] = {false};
    for (size_t i = 0; i < w->layout.field_count; ++i) {
        size_t members[FIELDS_MAX], n = 0;
        for (size_t k = i; k < w->layout.field_count; ++k) {
            bool joins = k == i || !chance(random, 3);
            if (!placed[k] && w->fields[k].count == w->fields[i].count && joins) {
                members[n] = k;
                placed[k] = true;
                n += 1;
            }
            if (placed[i] && n == 0) {
                break;
            }
        }
        end = n > 0 ? place_block(w, members, n, end) : end;
    }
    w->layout.fields = w->fields;
    w->layout.state_size = up_to(end, 8) + (size_t)random_below(random, 2) * 8;
    es_error error;
    if (es_layout_validate(&w->layout, &error) != ES_OK) {
        fail_msg("the test made a layout that is not valid: %s %s", error.field, error.reason);
    }
}

/* ---- states at random ---- */

static void put(unsigned char *state, const es_field *field, size_t e, size_t c, double value)
{
    unsigned char *at = state + ref_place(field, e, c);
    float f32 = (float)value;
    if (field->type == ES_TYPE_F32) {
        memcpy(at, &f32, sizeof f32);
    } else {
        memcpy(at, &value, sizeof value);
    }
}

static void put_rotation(world *w, unsigned char *state, const es_field *field, size_t e)
{
    double q[4], length2 = 0;
    do {
        length2 = 0;
        for (size_t c = 0; c < 4; ++c) {
            q[c] = uniform(&w->random, -1, 1);
            length2 += q[c] * q[c];
        }
    } while (length2 < 0.1);
    for (size_t c = 0; c < 4; ++c) {
        put(state, field, e, c, q[c] / sqrt(length2));
    }
}

static void put_number(world *w, unsigned char *state, const es_field *field, size_t e, size_t c)
{
    double value = uniform(&w->random, -1000, 1000);
    if (field->blend == ES_BLEND_COLOUR || field->blend == ES_BLEND_SRGB) {
        value = chance(&w->random, 6) ? (double)random_below(&w->random, 2)
                                      : uniform(&w->random, 0, 1);
    } else if (field->blend == ES_BLEND_ANGLE) {
        value = uniform(&w->random, -7, 7);
    } else if (field->blend == ES_BLEND_LOG && !chance(&w->random, 8)) {
        value = uniform(&w->random, 0.01, 50);
    } else if (chance(&w->random, 12)) {
        value = 0;
    }
    put(state, field, e, c, value);
}

static void put_special(world *w, unsigned char *state, const es_field *field, size_t e, size_t c)
{
    static const double specials[] = {0.0, -0.0, 1.0, -1.0, INFINITY, -INFINITY, NAN, 3.4e38,
            -3.4e38, 1e-45, 1e-40, 1e308, -1e308, 1e20, 1e-20};
    put(state, field, e, c, specials[random_below(&w->random, (int64_t)COUNT_OF(specials))]);
}

/* How an element is at a tick: anything, or, often, as at the tick before. */
static void put_element(world *w, size_t tick, const es_field *field, size_t e)
{
    unsigned char *state = w->states[tick].at;
    bool is_float = field->type == ES_TYPE_F32 || field->type == ES_TYPE_F64;
    bool stays = tick > 0 && chance(&w->random, field->blend == ES_BLEND_MARK ? 1 : 3);
    stays = stays && !(field->blend == ES_BLEND_MARK && chance(&w->random, 8));
    for (size_t c = 0; c < component_count(field); ++c) {
        size_t at = ref_place(field, e, c), size = ref_type_size(field->type);
        if (stays) {
            memcpy(state + at, w->states[tick - 1].at + at, size);
        } else if (!is_float || (w->wild && chance(&w->random, 4))) {
            for (size_t i = 0; i < size; ++i) {
                state[at + i] = (unsigned char)random_u64(&w->random);
            }
        } else if (w->wild && chance(&w->random, 3)) {
            put_special(w, state, field, e, c);
        } else {
            put_number(w, state, field, e, c);
        }
    }
    if (!stays && field->blend == ES_BLEND_ROTATION && !(w->wild && chance(&w->random, 2))) {
        put_rotation(w, state, field, e);
    }
}

static bool is_contact(const world *w, const es_field *field)
{
    for (size_t i = 0; i < w->layout.field_count; ++i) {
        const char *name = w->fields[i].contact;
        if (name != NULL && strcmp(name, field->name) == 0) {
            return true;
        }
    }
    return false;
}

static void make_states(world *w)
{
    size_t size = w->layout.state_size;
    int64_t time_ns = random_below(&w->random, 1000000000);
    for (size_t tick = 0; tick < w->tick_count; ++tick) {
        size_t shift = 8 * (size_t)random_below(&w->random, 8);
        w->states[tick] = allocate(size, shift, chance(&w->random, 3));
        for (size_t i = 0; i < size; ++i) {
            w->states[tick].at[i] = (unsigned char)(i * 7 + tick);
        }
        w->ticks[tick].state = w->states[tick].at;
        w->ticks[tick].time_ns = time_ns;
        time_ns -= chance(&w->random, 3) ? 1 + random_below(&w->random, 40000000) : 16666667;
        for (size_t i = 0; i < w->layout.field_count; ++i) {
            const es_field *field = &w->fields[i];
            for (size_t e = 0; e < field->count; ++e) {
                put_element(w, tick, field, e);
                if (is_contact(w, field)) {
                    int64_t contact =
                            w->ticks[tick].time_ns + random_below(&w->random, 80000000) - 20000000;
                    memcpy(w->states[tick].at + ref_place(field, e, 0), &contact, sizeof contact);
                }
            }
        }
    }
}

/* ---- jobs at random ---- */

static void add_pick(world *w, int32_t group, size_t count)
{
    size_t slot = w->job.pick_count;
    es_blend_pick *pick = &w->picks[slot];
    memset(pick, 0, sizeof *pick);
    pick->group = group;
    int64_t how = random_below(&w->random, 3);
    if (how == 0) {
        for (size_t i = 0; i < count; ++i) {
            if (chance(&w->random, 3)) {
                w->indices[slot][pick->index_count] = (uint32_t)i;
                pick->index_count += 1;
            }
        }
        for (size_t i = pick->index_count; i > 1; --i) { /* in any order */
            size_t k = (size_t)random_below(&w->random, (int64_t)i);
            uint32_t moved = w->indices[slot][k];
            w->indices[slot][k] = w->indices[slot][i - 1];
            w->indices[slot][i - 1] = moved;
        }
        pick->indices = w->indices[slot];
    } else if (how == 1) {
        for (size_t i = 0; i < COUNT_OF(w->masks[slot]); ++i) {
            w->masks[slot][i] = chance(&w->random, 4) ? UINT64_MAX : random_u64(&w->random);
        }
        pick->mask = w->masks[slot];
    }
    for (size_t i = 0; i < count; ++i) {
        static const float ends[] = {0.0F, 1.0F, -1.0F, 2.0F, NAN, 0.99999997F};
        w->alphas[slot][i] = chance(&w->random, 4) ? ends[random_below(&w->random, 6)]
                                                   : (float)uniform(&w->random, 0, 1);
    }
    if (chance(&w->random, 4)) { /* all alike */
        for (size_t i = 0; i < count; ++i) {
            w->alphas[slot][i] = w->alphas[slot][0];
        }
    }
    bool alone = pick->indices == NULL && pick->mask == NULL;
    pick->alphas = alone || chance(&w->random, 2) ? w->alphas[slot] : NULL;
    w->job.pick_count += 1;
}

static int64_t random_content(world *w)
{
    int64_t newest = w->ticks[0].time_ns, oldest = w->ticks[w->tick_count - 1].time_ns;
    switch (random_below(&w->random, 8)) {
    case 0:
        return w->ticks[random_below(&w->random, (int64_t)w->tick_count)].time_ns;
    case 1:
        return oldest - random_below(&w->random, 1000000);
    case 2:
    case 3:
        return newest + random_below(&w->random, 20000000);
    case 4:
        return newest + random_below(&w->random, 200000000);
    case 5:
        return oldest + random_below(&w->random, newest - oldest + 1);
    default:
        return newest - random_below(&w->random, 16666667);
    }
}

static void make_job(world *w)
{
    static const double alphas[] = {0, 1, -1, 2, NAN, 1 - 1e-12, 1e-60, 0.5};
    memset(&w->job, 0, sizeof w->job);
    w->job.layout = &w->layout;
    w->job.ticks = w->ticks;
    w->job.tick_count = w->tick_count;
    w->job.timed = !chance(&w->random, 4);
    for (size_t i = 0; i < w->layout.field_count; ++i) {
        bool needs = w->fields[i].blend == ES_BLEND_HERMITE || w->fields[i].delay_ticks != 0;
        w->job.timed = w->job.timed || needs;
    }
    w->job.content_ns = random_content(w);
    w->job.quality = chance(&w->random, 4) ? ES_QUALITY_FAST : ES_QUALITY_EXACT;
    w->job.alpha =
            chance(&w->random, 3) ? alphas[random_below(&w->random, 8)] : uniform(&w->random, 0, 1);
    for (size_t i = 0; i < w->layout.field_count; ++i) {
        bool known = ref_pick(&w->job, &w->fields[i]) != NULL;
        w->job.picks = w->picks;
        if (w->fields[i].group > 0 && !known && w->job.pick_count < 3 && chance(&w->random, 4)) {
            add_pick(w, w->fields[i].group, w->fields[i].count);
        }
    }
}

static void make_world(world *w, uint64_t seed, bool wild)
{
    static const size_t counts[] = {1, 2, 3, 7, 15, 16, 63, 64, 65, 130, 200};
    memset(w, 0, sizeof *w);
    w->random.state = seed * UINT64_C(0x9E3779B97F4A7C15) + 1;
    w->wild = wild;
    w->tick_count = 1 + (size_t)random_below(&w->random, ES_HISTORY_TICKS_MAX);
    size_t most = 1 + (size_t)random_below(&w->random, 11);
    for (int32_t group = 1; w->layout.field_count < most; ++group) {
        size_t count = counts[random_below(&w->random, 11)];
        count = chance(&w->random, 3) ? 1 + (size_t)random_below(&w->random, 100) : count;
        bool grouped = !chance(&w->random, 3);
        if (grouped && chance(&w->random, 2)) {
            static const es_type types[] = {ES_TYPE_U8, ES_TYPE_I32, ES_TYPE_U32, ES_TYPE_I64};
            es_field *mark = add_field(w, types[random_below(&w->random, 4)], ES_BLEND_MARK, count);
            mark->group = group;
        }
        for (int64_t i = 1 + random_below(&w->random, 3);
                i > 0 && w->layout.field_count + 4 < FIELDS_MAX; --i) {
            add_random_field(w, count, grouped ? group : 0);
        }
    }
    place_fields(w, &w->random);
    make_states(w);
    make_job(w);
}

static void free_world(world *w)
{
    for (size_t tick = 0; tick < w->tick_count; ++tick) {
        free(w->states[tick].base);
    }
}

/* ---- what came out ---- */

/* Equal bytes, but for which NaN it is. */
static bool same_number(es_type type, const unsigned char *a, const unsigned char *b)
{
    float a32, b32;
    double a64, b64;
    if (memcmp(a, b, ref_type_size(type)) == 0) {
        return true;
    }
    if (type == ES_TYPE_F32) {
        memcpy(&a32, a, sizeof a32);
        memcpy(&b32, b, sizeof b32);
        return isnan(a32) && isnan(b32);
    }
    memcpy(&a64, a, sizeof a64);
    memcpy(&b64, b, sizeof b64);
    return type == ES_TYPE_F64 && isnan(a64) && isnan(b64);
}

static const char *describe(const es_blend_job *job, const es_field *field)
{
    static char text[200];
    snprintf(text, sizeof text,
            "%s \"%s\" type %d, %zu x %zu, stride %zu/%zu, tile %zu/%zu, %s, part %u/%u, stores %d",
            es_blend_kind_name(field->blend), field->name, (int)field->type, field->count,
            field->components, field->stride, field->component_stride, field->tile,
            field->tile_stride, es_simd_name(job->simd), job->part, job->parts, (int)job->stores);
    return text;
}

static void check_same_states(const world *w, const es_blend_job *job, const unsigned char *out,
        const unsigned char *expected)
{
    if (memcmp(out, expected, w->layout.state_size) == 0) {
        return;
    }
    for (size_t i = 0; i < w->layout.field_count; ++i) {
        const es_field *field = &w->fields[i];
        for (size_t e = 0; e < field->count; ++e) {
            for (size_t c = 0; c < component_count(field); ++c) {
                size_t at = ref_place(field, e, c);
                if (!same_number(field->type, out + at, expected + at)) {
                    fail_msg("%s: element %zu, component %zu: %Lg, by scalar %Lg",
                            describe(job, field), e, c, ref_number(out, field, e, c),
                            ref_number(expected, field, e, c));
                }
            }
        }
    }
}

#define PATTERN 0x5A

static void run_all(es_blend_job *job, uint32_t parts, unsigned char *out, int pattern)
{
    memset(out, pattern, job->layout->state_size);
    job->out = out;
    job->parts = parts;
    for (job->part = 0; job->part < (parts > 0 ? parts : 1); ++job->part) {
        es_error error;
        if (es_blend_run(job, &error) != ES_OK) {
            fail_msg("refused: %s %s", error.field, error.reason);
        }
    }
    job->part = 0;
}

/* Which bytes a part writes: run over two patterns, they come out equal. */
static void check_written(const world *w, const unsigned char *should)
{
    size_t size = w->layout.state_size;
    unsigned char *one = malloc(size), *other = malloc(size), *times = calloc(size, 1);
    es_blend_job job = w->job;
    job.parts = 1 + (uint32_t)(w->layout.state_size % 5);
    for (job.part = 0; job.part < job.parts; ++job.part) {
        memset(one, PATTERN, size);
        memset(other, 0xFF ^ PATTERN, size);
        job.out = one;
        assert_int_equal(es_blend_run(&job, NULL), ES_OK);
        job.out = other;
        assert_int_equal(es_blend_run(&job, NULL), ES_OK);
        for (size_t i = 0; i < size; ++i) {
            times[i] = (unsigned char)(times[i] + (one[i] == other[i]));
        }
    }
    for (size_t i = 0; i < size; ++i) {
        if (times[i] != should[i]) {
            fail_msg("byte %zu of %zu is written by %d of %u parts, not by %d", i, size, times[i],
                    job.parts, should[i]);
        }
    }
    free(one);
    free(other);
    free(times);
}

/* ---- against the reference ---- */

/* How far a rotation's formula may be off the great circle, in quaternion components: 1.6e-4
 * degrees of rotation between ticks that are half a turn apart, which is 1.4e-6. A prediction may
 * use the formula three times, and doubles a rounding error with each doubling of the way. */
static long double rotation_room(const es_field *field, const ref_shown *shown)
{
    long double turns = 1 + (long double)shown->turns;
    long double formula = shown->form == REF_MORE ? 4.2e-6L : 1.4e-6L;
    return formula + 16 * ref_epsilon(field->type) * turns;
}

static long double length_near_one(const es_blend_job *job, const es_field *field, size_t e)
{
    long double length2 = 0, room = job->quality == ES_QUALITY_FAST ? 8e-5L : 1e-6L;
    for (size_t c = 0; c < 4; ++c) {
        long double q = ref_number(job->out, field, e, c);
        length2 += q * q;
    }
    if (!(fabsl(sqrtl(length2) - 1) <= room)) {
        fail_msg("%s: element %zu is %.9Lg long", describe(job, field), e, sqrtl(length2));
    }
    return sqrtl(length2);
}

static void check_number(
        const es_blend_job *job, const es_field *field, size_t e, size_t c, const ref_shown *shown)
{
    long double got = ref_number(job->out, field, e, c), room, sign = 1;
    if (field->blend == ES_BLEND_ROTATION) {
        got /= length_near_one(job, field, e);
    }
    if (field->blend == ES_BLEND_ROTATION && shown->form == REF_MORE) {
        for (size_t k = 0; k < 4; ++k) { /* q and -q are the same rotation */
            sign += 8 * shown->value[k] * ref_number(job->out, field, e, k);
        }
        sign = sign < 0 ? -1 : 1;
    }
    if (field->type == ES_TYPE_U8) {
        room = 0.500001L;
    } else if (field->blend == ES_BLEND_ROTATION) {
        room = rotation_room(field, shown);
    } else {
        room = shown->steps * ref_epsilon(field->type) * shown->scale[c] + 1e-44L;
    }
    if (!(fabsl(got - sign * shown->value[c]) <= room)) {
        fail_msg("%s: element %zu, component %zu: %.12Lg, not %.12Lg (off by %.2Lg, may be %.2Lg)",
                describe(job, field), e, c, got, shown->value[c], got - shown->value[c], room);
    }
}

/* What value.h gives for a pair, to the bit. */
static void pair_f32(const es_field *field, const float *a, const float *b, float t, float *out)
{
    size_t n = component_count(field);
    for (size_t c = 0; c < n; ++c) {
        out[c] = field->blend == ES_BLEND_LOG     ? es_ratio_f32(a[c], b[c], t)
                 : field->blend == ES_BLEND_ANGLE ? es_angle_f32(a[c], b[c], t)
                 : field->blend == ES_BLEND_CYCLIC
                         ? es_cyclic_f32(a[c], b[c], t, (float)field->period)
                         : es_lerp_f32(a[c], b[c], t);
    }
    if (field->blend == ES_BLEND_ROTATION) {
        es_rotation_f32(a, b, t, out);
    } else if (field->blend == ES_BLEND_COLOUR) {
        es_colour_f32(a, b, n, t, out);
    } else if (field->blend == ES_BLEND_SRGB) {
        es_srgb_f32(a, b, n, t, out);
    }
}

static void pair_f64(const es_field *field, const double *a, const double *b, double t, double *out)
{
    size_t n = component_count(field);
    for (size_t c = 0; c < n; ++c) {
        out[c] = field->blend == ES_BLEND_LOG      ? es_ratio_f64(a[c], b[c], t)
                 : field->blend == ES_BLEND_ANGLE  ? es_angle_f64(a[c], b[c], t)
                 : field->blend == ES_BLEND_CYCLIC ? es_cyclic_f64(a[c], b[c], t, field->period)
                                                   : es_lerp_f64(a[c], b[c], t);
    }
    if (field->blend == ES_BLEND_ROTATION) {
        es_rotation_f64(a, b, t, out);
    } else if (field->blend == ES_BLEND_COLOUR) {
        es_colour_f64(a, b, n, t, out);
    } else if (field->blend == ES_BLEND_SRGB) {
        es_srgb_f64(a, b, n, t, out);
    }
}

static void check_pair(
        const es_blend_job *job, const es_field *field, size_t e, const ref_shown *shown)
{
    float a32[REF_COMPONENTS] = {0}, b32[REF_COMPONENTS] = {0}, m32[REF_COMPONENTS];
    double a64[REF_COMPONENTS] = {0}, b64[REF_COMPONENTS] = {0}, m64[REF_COMPONENTS];
    unsigned char a8[REF_COMPONENTS], b8[REF_COMPONENTS], m8[REF_COMPONENTS];
    const void *older = job->ticks[shown->newer + 1].state, *newer = job->ticks[shown->newer].state;
    for (size_t c = 0; c < component_count(field); ++c) {
        a64[c] = (double)ref_number(older, field, e, c);
        b64[c] = (double)ref_number(newer, field, e, c);
        if (field->type == ES_TYPE_F32) {
            a32[c] = (float)a64[c];
            b32[c] = (float)b64[c];
        } else if (field->type == ES_TYPE_U8) {
            a8[c] = (unsigned char)a64[c];
            b8[c] = (unsigned char)b64[c];
        }
    }
    const void *expected = m64;
    if (field->type == ES_TYPE_F32) {
        pair_f32(field, a32, b32, (float)shown->alpha, m32);
        expected = m32;
    } else if (field->type == ES_TYPE_U8) {
        es_srgb_u8(a8, b8, component_count(field), shown->alpha, m8);
        expected = m8;
    } else {
        pair_f64(field, a64, b64, shown->alpha, m64);
    }
    for (size_t c = 0; c < component_count(field); ++c) {
        size_t size = ref_type_size(field->type);
        const unsigned char *got = (const unsigned char *)job->out + ref_place(field, e, c);
        if (!same_number(field->type, got, (const unsigned char *)expected + c * size)) {
            fail_msg("%s: element %zu, component %zu: %.9Lg, not as value.h: from %.17g to %.17g "
                     "at %.17g",
                    describe(job, field), e, c, ref_number(job->out, field, e, c), a64[c], b64[c],
                    shown->alpha);
        }
    }
}

static void check_element(const world *w, const es_field *field, size_t e, unsigned char *should)
{
    const unsigned char *out = w->job.out;
    ref_shown shown;
    ref_show(&w->job, field, e, &shown);
    for (size_t c = 0; c < component_count(field) && shown.form != REF_UNTOUCHED; ++c) {
        size_t at = ref_place(field, e, c), size = ref_type_size(field->type);
        const unsigned char *tick = w->job.ticks[shown.newer].state;
        memset(should + at, 1, size);
        if (shown.form == REF_TICK && memcmp(out + at, tick + at, size) != 0) {
            fail_msg("%s: element %zu, component %zu: %.9Lg, not %.9Lg as at tick -%zu",
                    describe(&w->job, field), e, c, ref_number(out, field, e, c),
                    ref_number(tick, field, e, c), shown.newer);
        }
        if (shown.form != REF_TICK && !w->wild && !shown.ambiguous) {
            check_number(&w->job, field, e, c, &shown);
        }
    }
    bool fast = field->blend == ES_BLEND_ROTATION && w->job.quality == ES_QUALITY_FAST;
    if (shown.form == REF_PAIR && !fast) {
        check_pair(&w->job, field, e, &shown);
    }
}

static void check_world(world *w)
{
    size_t size = w->layout.state_size, shift = 8 * (size_t)random_below(&w->random, 8);
    buffer scalar = allocate(size, shift, false);
    unsigned char *should = calloc(size, 1);
    w->job.simd = ES_SIMD_SCALAR;
    w->job.stores = ES_STORES_CACHED;
    run_all(&w->job, 0, scalar.at, PATTERN);
    for (size_t i = 0; i < w->layout.field_count; ++i) {
        for (size_t e = 0; e < w->fields[i].count; ++e) {
            check_element(w, &w->fields[i], e, should);
        }
    }
    for (int simd = ES_SIMD_AUTO; simd <= ES_SIMD_NEON; ++simd) {
        es_blend_job job = w->job;
        job.simd = (es_simd)simd;
        job.stores = (es_stores)random_below(&w->random, 3);
        if (es_simd_is_available(job.simd)) {
            buffer out =
                    allocate(size, 8 * (size_t)random_below(&w->random, 8), chance(&w->random, 2));
            run_all(&job, (uint32_t)random_below(&w->random, 5), out.at, PATTERN);
            check_same_states(w, &job, out.at, scalar.at);
            free(out.base);
        }
    }
    w->job.simd = ES_SIMD_AUTO;
    check_written(w, should);
    free(should);
    free(scalar.base);
}

static void random_worlds(uint64_t first, uint64_t count, bool wild)
{
    static world w;
    for (uint64_t seed = first; seed < first + count; ++seed) {
        make_world(&w, seed, wild);
        check_world(&w);
        free_world(&w);
    }
}

static void test_random_worlds_are_as_the_reference_says(void **state)
{
    (void)state;
    random_worlds(1, 7000 / TEST_SHARE, false);
}

static void test_all_instruction_sets_agree_on_any_bits(void **state)
{
    (void)state;
    random_worlds(100001, 3000 / TEST_SHARE, true);
}

/* ---- every tail ---- */

#define TAIL_MOST 70

/* Arrays of each length, at every place in a vector, between guards. */
static void check_tail(es_field *field, size_t n, size_t shift, es_blend_job *job)
{
    size_t size = ref_type_size(field->type), components = component_count(field);
    size_t plane = (n + shift) * size;
    static unsigned char states[4][1 << 14], outs[2][1 << 14];
    static _Alignas(64) const int64_t times[4] = {300, 200, 100, 0};
    es_blend_tick ticks[4];
    es_field fields[2] = {*field, *field};
    es_layout layout = {fields, field->velocity != NULL ? 2 : 1, 2 * plane * components + 64};
    test_random random = {n * 977 + shift + 1};
    fields[0].count = n;
    fields[0].offset = shift * size;
    fields[0].stride = size;
    fields[0].component_stride = plane;
    fields[1] = fields[0];
    fields[1].name = "v";
    fields[1].blend = ES_BLEND_STEP;
    fields[1].velocity = NULL;
    fields[1].prediction = NULL;
    fields[1].period = 0;
    fields[1].offset += plane * components;
    assert_true(layout.state_size <= sizeof states[0]);
    assert_int_equal(es_layout_validate(&layout, NULL), ES_OK);
    for (size_t k = 0; k < 4; ++k) {
        ticks[k].state = states[k];
        ticks[k].time_ns = times[k] * 100000;
        for (size_t f = 0; f < layout.field_count; ++f) {
            for (size_t e = 0; e < n; ++e) {
                for (size_t c = 0; c < components; ++c) {
                    put(states[k], &fields[f], e, c, uniform(&random, -4, 4));
                }
            }
        }
    }
    job->layout = &layout;
    job->ticks = ticks;
    job->tick_count = 4;
    job->simd = ES_SIMD_SCALAR;
    run_all(job, 0, outs[0], PATTERN);
    for (int simd = ES_SIMD_SSE2; simd <= ES_SIMD_NEON; ++simd) {
        job->simd = (es_simd)simd;
        if (es_simd_is_available(job->simd)) {
            run_all(job, 0, outs[1], PATTERN);
            if (memcmp(outs[0], outs[1], layout.state_size) != 0) {
                fail_msg("%s: %zu of them are not as scalar", describe(job, &fields[0]), n);
            }
        }
    }
}

static void test_every_tail_is_as_scalar(void **state)
{
    (void)state;
    static const es_prediction decay = {.kind = ES_PREDICT_LINEAR, .correct = ES_CORRECT_DECAY};
    static const es_field kinds[] = {
            {.blend = ES_BLEND_LINEAR},
            {.blend = ES_BLEND_ANGLE},
            {.blend = ES_BLEND_CYCLIC, .period = 3},
            {.blend = ES_BLEND_ROTATION, .components = 4},
            {.blend = ES_BLEND_HERMITE, .velocity = "v"},
            {.blend = ES_BLEND_CATMULL_ROM},
            {.blend = ES_BLEND_MONOTONE},
            {.blend = ES_BLEND_MONOTONE, .velocity = "v"},
            {.blend = ES_BLEND_LINEAR, .components = 3, .prediction = &decay},
            {.blend = ES_BLEND_ANGLE, .prediction = &decay},
    };
    for (size_t i = 0; i < COUNT_OF(kinds) * 2; ++i) {
        es_field field = kinds[i / 2];
        field.name = "p";
        field.type = i % 2 == 0 ? ES_TYPE_F32 : ES_TYPE_F64;
        for (size_t n = 1; n <= TAIL_MOST; ++n) {
            es_blend_job job = {.timed = true, .content_ns = 17000000};
            job.content_ns += field.prediction != NULL ? 17000000 : 0;
            check_tail(&field, n, n % 5, &job);
        }
    }
}

/* ---- streams ---- */

static void test_streamed_is_as_cached(void **state)
{
    (void)state;
    enum { N = 1000, BYTES = N * 4 * 8 + 256 };
    static _Alignas(64) unsigned char a[BYTES], b[BYTES], cached[BYTES], streamed[BYTES];
    static const es_blend_kind kinds[] = {ES_BLEND_LINEAR, ES_BLEND_ANGLE, ES_BLEND_ROTATION};
    test_random random = {7};
    for (size_t i = 0; i < 3 * 2 * 2 * 6; ++i) {
        es_type type = i % 2 == 0 ? ES_TYPE_F32 : ES_TYPE_F64;
        size_t size = ref_type_size(type), offset = i / 2 % 2 * size; /* aligned to 64, or not */
        es_field field = {.name = "p",
                .type = type,
                .blend = kinds[i / 4 % 3],
                .count = N - i % 7,
                .components = 4,
                .offset = offset,
                .stride = size,
                .component_stride = (N * size + 63) / 64 * 64};
        if (i / 12 % 2 == 1) { /* tiles of one cache line for each component */
            field.tile = 64 / size;
            field.component_stride = 64;
            field.tile_stride = 256;
        }
        es_layout layout = {&field, 1, BYTES};
        assert_int_equal(es_layout_validate(&layout, NULL), ES_OK);
        for (size_t e = 0; e < field.count; ++e) {
            for (size_t c = 0; c < 4; ++c) {
                put(a, &field, e, c, uniform(&random, -1, 1));
                put(b, &field, e, c, e % 97 == 0 ? (double)INFINITY : uniform(&random, -1, 1));
            }
        }
        es_blend_tick ticks[] = {{b, 0}, {a, 0}};
        es_blend_job job = {.layout = &layout, .ticks = ticks, .tick_count = 2, .alpha = 0.3};
        for (int simd = ES_SIMD_SCALAR; simd <= ES_SIMD_NEON; ++simd) {
            job.simd = (es_simd)simd;
            if (es_simd_is_available(job.simd)) {
                job.stores = ES_STORES_CACHED;
                run_all(&job, 3, cached, PATTERN);
                job.stores = ES_STORES_STREAMED;
                run_all(&job, 2, streamed, PATTERN);
                assert_memory_equal(cached, streamed, BYTES);
            }
        }
    }
}

/* ---- what was once wrong ---- */

static float one_float(float a, float b, double alpha, size_t count, size_t which)
{
    static float from[40], to[40], out[40];
    es_field field = {.name = "p",
            .type = ES_TYPE_F32,
            .blend = ES_BLEND_LINEAR,
            .count = count,
            .stride = 4};
    es_layout layout = {&field, 1, sizeof out};
    for (size_t i = 0; i < 40; ++i) {
        from[i] = a;
        to[i] = b;
    }
    assert_int_equal(es_blend(&layout, from, to, alpha, out), ES_OK);
    return out[which];
}

/* Between the last float below 1 and 1 itself, a double rounds to the newer tick: all of it. */
static void test_an_alpha_next_to_an_end_is_the_end(void **state)
{
    (void)state;
    for (size_t which = 0; which < 39; ++which) {
        assert_true(one_float(1e8F, 1, 1 - 1e-12, 39, which) == 1);
        assert_true(one_float(1e8F, 1, 1e-60, 39, which) == 1e8F);
        assert_true(signbit(one_float(-0.0F, -0.0F, 0.5, 39, which)) != 0);
    }
}

/* The tick that an object shows by alpha, out of many, is its own: never one beyond its jump. */
static void test_alphas_do_not_lead_past_a_jump(void **state)
{
    (void)state;
    typedef struct thing {
        float x;
        uint8_t mark;
    } thing;
    static const es_field fields[] = {
            {"x", ES_TYPE_F32, ES_BLEND_LINEAR, ES_PLACE(thing, x, ES_TYPE_F32), .group = 1},
            {"m", ES_TYPE_U8, ES_BLEND_MARK, ES_PLACE(thing, mark, ES_TYPE_U8), .group = 1},
    };
    static const es_layout layout = ES_LAYOUT(thing, fields);
    static const thing things[] = {{40, 1}, {30, 0}, {20, 0}, {10, 0}};
    const es_blend_tick ticks[] = {
            {&things[0], 30}, {&things[1], 20}, {&things[2], 10}, {&things[3], 0}};
    thing out;
    es_blend_job job = {.layout = &layout, .ticks = ticks, .tick_count = 4, .out = &out};
    static const float expected[] = {30, 40, 40};
    for (size_t i = 0; i < 3; ++i) {
        job.alpha = (double)i / 2;
        assert_int_equal(es_blend_run(&job, NULL), ES_OK);
        assert_true(out.x == expected[i]);
    }
    /* content in the pair that was jumped over, then before all ticks */
    float alpha = 0.5F;
    es_blend_pick pick = {.group = 1, .alphas = &alpha};
    job.picks = &pick;
    job.pick_count = 1;
    job.timed = true;
    job.content_ns = 25;
    assert_int_equal(es_blend_run(&job, NULL), ES_OK);
    assert_true(out.x == 40);
    job.content_ns = -5;
    assert_int_equal(es_blend_run(&job, NULL), ES_OK);
    assert_true(out.x == 15);
}

/* Ticks at both ends of time: nothing overflows, and what is shown is between the ticks. */
static void test_times_may_be_anything(void **state)
{
    (void)state;
    static const es_prediction on = {.kind = ES_PREDICT_LINEAR, .max_ns = INT64_MAX};
    static const int64_t contents[] = {INT64_MAX, INT64_MIN, -1, 0, 1};
    const float values[3] = {1, 2, 3};
    const es_blend_tick ticks[] = {
            {&values[2], INT64_MAX}, {&values[1], 0}, {&values[0], INT64_MIN}};
    for (size_t i = 0; i < 17 * COUNT_OF(contents); ++i) {
        float out = 0;
        es_field field = {.name = "p",
                .type = ES_TYPE_F32,
                .blend = ES_BLEND_CATMULL_ROM,
                .count = 1,
                .stride = 4,
                .prediction = &on};
        es_layout layout = {&field, 1, sizeof out};
        es_blend_job job = {.layout = &layout,
                .ticks = ticks,
                .tick_count = 3,
                .out = &out,
                .timed = true,
                .content_ns = contents[i % COUNT_OF(contents)]};
        field.delay_ticks = (double)(i / COUNT_OF(contents)) - 8;
        assert_int_equal(es_blend_run(&job, NULL), ES_OK);
        assert_true(out >= 1 && out <= 20);
    }
}

/* More parts than there is work: some do nothing. */
static void test_parts_without_work_do_nothing(void **state)
{
    (void)state;
    float a[35] = {0}, b[35], out[35];
    es_field field = {
            .name = "p", .type = ES_TYPE_F32, .blend = ES_BLEND_LINEAR, .count = 35, .stride = 4};
    es_layout layout = {&field, 1, sizeof a};
    es_blend_tick ticks[] = {{b, 0}, {a, 0}};
    es_blend_job job = {.layout = &layout, .ticks = ticks, .tick_count = 2, .alpha = 0.5};
    for (size_t i = 0; i < 35; ++i) {
        b[i] = 2;
    }
    run_all(&job, 9, (unsigned char *)out, PATTERN);
    for (size_t i = 0; i < 35; ++i) {
        assert_true(out[i] == 1);
    }
}

/* ---- es_blend, es_blend_frame ---- */

typedef struct scene {
    float at[3];
    double angle;
    uint8_t lives;
} scene;

static const es_field scene_fields[] = {
        ES_FIELD("at", scene, at, ES_TYPE_F32, ES_BLEND_LINEAR),
        ES_FIELD("angle", scene, angle, ES_TYPE_F64, ES_BLEND_ANGLE),
        ES_FIELD("lives", scene, lives, ES_TYPE_U8, ES_BLEND_STEP),
};
static const es_layout scene_layout = ES_LAYOUT(scene, scene_fields);

static void test_es_blend_is_exact_at_its_ends(void **state)
{
    (void)state;
    static const double alphas[] = {0, -0.0, -3, 1, 1.5, INFINITY, NAN};
    const scene a = {{0.1F, 1e30F, -0.0F}, 3, 5}, b = {{0.3F, -7, 0}, -3, 4};
    scene out;
    for (size_t i = 0; i < COUNT_OF(alphas); ++i) {
        const scene *end = alphas[i] <= 0 ? &a : &b;
        memset(&out, PATTERN, sizeof out);
        assert_int_equal(es_blend(&scene_layout, &a, &b, alphas[i], &out), ES_OK);
        assert_memory_equal(out.at, end->at, sizeof out.at);
        assert_memory_equal(&out.angle, &end->angle, sizeof out.angle);
        assert_int_equal(out.lives, end->lives);
    }
    assert_int_equal(es_blend(&scene_layout, &a, &b, 0.25, &out), ES_OK);
    assert_true(out.at[0] == es_lerp_f32(0.1F, 0.3F, 0.25F));
    assert_true(out.angle == es_angle_f64(3, -3, 0.25));
    assert_int_equal(out.lives, 4);
    assert_int_equal(es_blend(&scene_layout, &a, &a, 0.25, &out), ES_OK);
    assert_memory_equal(out.at, a.at, sizeof a.at);
}

static void test_a_frame_is_shown_from_a_history(void **state)
{
    (void)state;
    static _Alignas(64) unsigned char memory[ES_HISTORY_SIZE(scene, 4)];
    es_history history;
    es_frame frame = {0};
    scene out;
    assert_int_equal(es_history_init(&history, memory, sizeof memory, sizeof(scene), 4), ES_OK);
    es_history_reset(&history, 0, 0);
    frame.content_ns = 5;
    assert_int_equal(es_blend_frame(&scene_layout, &history, &frame, &out), ES_OK);
    assert_true(out.at[0] == 0);
    for (int64_t tick = 1; tick <= 6; ++tick) {
        es_step step = {.index = tick, .time_ns = tick * 100};
        scene *now = es_history_push(&history, &step);
        now->at[0] = (float)tick;
        for (int64_t content = tick * 100 - 99; content <= tick * 100; ++content) {
            frame.content_ns = content;
            assert_int_equal(es_blend_frame(&scene_layout, &history, &frame, &out), ES_OK);
            assert_true(fabs((double)out.at[0] - (double)content / 100) < 1e-6);
        }
    }
    /* any of the kept ticks; before them the oldest, after them the newest */
    frame.content_ns = 350;
    assert_int_equal(es_blend_frame(&scene_layout, &history, &frame, &out), ES_OK);
    assert_true(out.at[0] == 3.5F);
    frame.content_ns = 50;
    assert_int_equal(es_blend_frame(&scene_layout, &history, &frame, &out), ES_OK);
    assert_true(out.at[0] == 3);
    frame.content_ns = 5000;
    assert_int_equal(es_blend_frame(&scene_layout, &history, &frame, &out), ES_OK);
    assert_true(out.at[0] == 6);
    assert_int_equal(es_blend_frame(NULL, &history, &frame, &out), ES_ERR_INVALID);
    assert_int_equal(es_blend_frame(&scene_layout, NULL, &frame, &out), ES_ERR_INVALID);
    assert_int_equal(es_blend_frame(&scene_layout, &history, NULL, &out), ES_ERR_INVALID);
    assert_int_equal(es_blend_frame(&scene_layout, &history, &frame, NULL), ES_ERR_INVALID);
}

/* ---- errors ---- */

static void check_refused(const es_blend_job *job, es_result result, const char *field)
{
    es_error error = {"?", "?"};
    scene before;
    if (job->out != NULL) {
        memcpy(&before, job->out, sizeof before);
    }
    assert_int_equal(es_blend_run(job, &error), result);
    assert_string_equal(error.field, field);
    assert_non_null(error.reason);
    assert_int_equal(es_blend_run(job, NULL), result);
    if (job->out != NULL) {
        assert_memory_equal(job->out, &before, sizeof before);
    }
}

static void test_wrong_jobs_are_refused(void **state)
{
    (void)state;
    static scene a, b, out;
    es_blend_tick ticks[9] = {{&b, 20}, {&a, 10}};
    const es_blend_job good = {
            .layout = &scene_layout, .ticks = ticks, .tick_count = 2, .out = &out};
    es_error error = {"?", "?"};
    assert_int_equal(es_blend_run(&good, &error), ES_OK);
    assert_null(error.field);
    assert_null(error.reason);
    assert_int_equal(es_blend_run(NULL, &error), ES_ERR_INVALID);
    assert_string_equal(error.field, "job");
    es_blend_job job = good;
    job.layout = NULL;
    check_refused(&job, ES_ERR_INVALID, "layout");
    job = good;
    job.out = NULL;
    check_refused(&job, ES_ERR_INVALID, "out");
    job = good;
    job.ticks = NULL;
    check_refused(&job, ES_ERR_INVALID, "tick_count");
    job = good;
    job.tick_count = 0;
    check_refused(&job, ES_ERR_INVALID, "tick_count");
    job.tick_count = ES_HISTORY_TICKS_MAX + 1;
    check_refused(&job, ES_ERR_INVALID, "tick_count");
    job.tick_count = 3; /* no state */
    check_refused(&job, ES_ERR_INVALID, "ticks");
    job = good;
    job.out = &a;
    check_refused(&job, ES_ERR_INVALID, "ticks");
    job = good;
    job.part = 1;
    check_refused(&job, ES_ERR_INVALID, "part");
    job.part = 4;
    job.parts = 4;
    check_refused(&job, ES_ERR_INVALID, "part");
    job = good;
    job.stores = (es_stores)3;
    check_refused(&job, ES_ERR_INVALID, "stores");
    job = good;
    job.quality = (es_quality)2;
    check_refused(&job, ES_ERR_INVALID, "quality");
    job = good;
    job.simd = (es_simd)99;
    check_refused(&job, ES_ERR_UNSUPPORTED, "simd");
    job.simd = es_simd_is_available(ES_SIMD_NEON) ? ES_SIMD_SSE2 : ES_SIMD_NEON;
    check_refused(&job, ES_ERR_UNSUPPORTED, "simd");
}

static void test_wrong_times_and_picks_are_refused(void **state)
{
    (void)state;
    static scene a, b, out;
    es_blend_tick ticks[] = {{&b, 20}, {&a, 20}};
    static const uint32_t indices[] = {0};
    static const uint64_t mask[] = {1};
    es_blend_pick picks[] = {{.group = 1, .mask = mask}, {.group = 2, .mask = mask}};
    es_field grouped[] = {scene_fields[0], scene_fields[1]};
    const es_layout groups = {grouped, 2, sizeof(scene)};
    es_blend_job job = {.layout = &groups, .ticks = ticks, .tick_count = 2, .out = &out};
    grouped[0].group = 1;
    grouped[1].group = 2;
    assert_int_equal(es_blend_run(&job, NULL), ES_OK);
    job.timed = true;
    check_refused(&job, ES_ERR_INVALID, "ticks");
    ticks[1].time_ns = 21;
    check_refused(&job, ES_ERR_INVALID, "ticks");
    job.timed = false;
    job.pick_count = 2;
    check_refused(&job, ES_ERR_INVALID, "picks");
    job.picks = picks;
    assert_int_equal(es_blend_run(&job, NULL), ES_OK);
    picks[1].group = 1;
    check_refused(&job, ES_ERR_INVALID, "picks");
    picks[1].group = 0;
    check_refused(&job, ES_ERR_INVALID, "picks");
    picks[1].group = 3; /* nobody's */
    check_refused(&job, ES_ERR_INVALID, "picks");
    picks[1].group = 2;
    picks[1].mask = NULL; /* says nothing */
    check_refused(&job, ES_ERR_INVALID, "picks");
    picks[1].alphas = &(float){0.5F};
    picks[1].index_count = 1; /* of what? */
    check_refused(&job, ES_ERR_INVALID, "picks");
    picks[1].alphas = NULL;
    picks[1].index_count = 0;
    picks[1].indices = indices;
    picks[1].mask = mask;
    check_refused(&job, ES_ERR_INVALID, "picks");
    es_field delayed = scene_fields[0];
    es_layout layout = {&delayed, 1, sizeof(scene)};
    job = (es_blend_job){.layout = &layout, .ticks = ticks, .tick_count = 2, .out = &out};
    delayed.delay_ticks = 0.5;
    check_refused(&job, ES_ERR_INVALID, "at");
    assert_int_equal(es_blend(&layout, &a, &b, 0.5, &out), ES_ERR_INVALID);
    delayed.delay_ticks = 0;
    assert_int_equal(es_blend(NULL, &a, &b, 0.5, &out), ES_ERR_INVALID);
    assert_int_equal(es_blend(&layout, NULL, &b, 0.5, &out), ES_ERR_INVALID);
    assert_int_equal(es_blend(&layout, &a, NULL, 0.5, &out), ES_ERR_INVALID);
    assert_int_equal(es_blend(&layout, &a, &b, 0.5, NULL), ES_ERR_INVALID);
}

static void test_instruction_sets_have_names(void **state)
{
    (void)state;
    assert_string_equal(es_simd_name(ES_SIMD_AUTO), "auto");
    assert_string_equal(es_simd_name(ES_SIMD_SCALAR), "scalar");
    assert_string_equal(es_simd_name(ES_SIMD_NEON), "neon");
    assert_string_equal(es_simd_name((es_simd)6), "unknown");
    assert_string_equal(es_simd_name((es_simd)-1), "unknown");
    assert_true(es_simd_is_available(ES_SIMD_AUTO));
    assert_true(es_simd_is_available(ES_SIMD_SCALAR));
    assert_true(es_simd_is_available(es_simd_best()));
    assert_false(es_simd_is_available((es_simd)6));
    assert_int_not_equal(es_simd_best(), ES_SIMD_AUTO);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
            cmocka_unit_test(test_es_blend_is_exact_at_its_ends),
            cmocka_unit_test(test_a_frame_is_shown_from_a_history),
            cmocka_unit_test(test_wrong_jobs_are_refused),
            cmocka_unit_test(test_wrong_times_and_picks_are_refused),
            cmocka_unit_test(test_instruction_sets_have_names),
            cmocka_unit_test(test_an_alpha_next_to_an_end_is_the_end),
            cmocka_unit_test(test_alphas_do_not_lead_past_a_jump),
            cmocka_unit_test(test_times_may_be_anything),
            cmocka_unit_test(test_parts_without_work_do_nothing),
            cmocka_unit_test(test_every_tail_is_as_scalar),
            cmocka_unit_test(test_streamed_is_as_cached),
            cmocka_unit_test(test_random_worlds_are_as_the_reference_says),
            cmocka_unit_test(test_all_instruction_sets_agree_on_any_bits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
