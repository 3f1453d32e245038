/* SPDX-License-Identifier: Zlib
 *
 * Worlds at random for test_blend.c and golden_blend.c: every kind of field in every arrangement of
 * memory, states, and jobs. No framework, and the same numbers on every machine.
 */
#ifndef BLEND_WORLDS_H
#define BLEND_WORLDS_H

#include "blend_places.h"
#include "world/blend_parts.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { FIELDS_MAX = 16 };

typedef struct buffer {
    unsigned char *base;
    unsigned char *at;
} buffer;

/* WILD: any bits as numbers, so that only instruction sets can be compared. */
typedef enum world_kind { TAME, WILD, MATRICES } world_kind;

typedef struct world {
    test_random random;
    world_kind kind;
    bool plain; /* floats, linear and rotations: the passes over several fields at once */
    es_field fields[FIELDS_MAX];
    char names[FIELDS_MAX][4];
    es_prediction predictions[FIELDS_MAX];
    es_layout layout;
    es_blend_tick ticks[ES_HISTORY_TICKS_MAX];
    buffer states[ES_HISTORY_TICKS_MAX];
    size_t tick_count;
    es__blend_job job;
} world;

/* The end of the block is the end of the state, so that a sanitizer sees any step beyond; or the
 * state is aligned to 64 bytes. */
static buffer allocate(size_t size, size_t shift, bool aligned)
{
    buffer made;
    made.base = malloc(size + (aligned ? 64 : shift));
    if (made.base == NULL) {
        abort();
    }
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

static void add_matrix(world *w, size_t count)
{
    static const size_t numbers[] = {12, 16, 12 + ES_MATRIX_PARTS, 16 + ES_MATRIX_PARTS};
    size_t components = numbers[random_below(&w->random, 4)];
    es_blend_kind kind = chance(&w->random, 2) ? ES_BLEND_MATRIX : ES_BLEND_MATRIX_ROWS;
    bool doubles = components <= 16 && chance(&w->random, 2);
    add_field(w, doubles ? ES_TYPE_F64 : ES_TYPE_F32, kind, count)->components = components;
}

static void add_random_field(world *w, size_t count, int32_t group)
{
    static const es_type any[] = {
            ES_TYPE_F32, ES_TYPE_F64, ES_TYPE_I32, ES_TYPE_U32, ES_TYPE_I64, ES_TYPE_U8};
    static const double periods[] = {1, 24, 0.1, 9e29, 1.1e30, 1e38}; /* also too long ones */
    es_type type = chance(&w->random, 3) ? ES_TYPE_F64 : ES_TYPE_F32;
    es_blend_kind kind = (es_blend_kind)(1 + random_below(&w->random, ES_BLEND_MONOTONE));
    size_t components = (size_t)random_below(&w->random, 8);
    if (kind == ES_BLEND_STEP || kind == ES_BLEND_NEAREST) {
        type = any[random_below(&w->random, 6)];
    } else if (kind == ES_BLEND_ROTATION) {
        components = 4;
    } else if (kind == ES_BLEND_COLOUR || kind == ES_BLEND_SRGB) {
        components = 3 + (size_t)random_below(&w->random, 2);
        type = kind == ES_BLEND_SRGB && chance(&w->random, 3) ? ES_TYPE_U8 : ES_TYPE_F32;
    }
    es_field *field = add_field(w, type, kind, count);
    field->components = components;
    field->group = group;
    if (kind == ES_BLEND_CYCLIC) {
        field->period = uniform(&w->random, 0.5, 500);
        if (w->kind == WILD && chance(&w->random, 2)) {
            field->period = periods[random_below(&w->random, 6)];
        }
    }
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

typedef enum arrangement { STRUCTS, GAPPY, PLANES, ARRANGEMENTS } arrangement;

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
        size += (ref_components(field) - 1) * step + number;
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
        size += (ref_components(field) - 1) * plane + length * number;
    }
    return size;
}

/* Places some fields of equal count; returns where they end. */
static size_t place_block(world *w, const size_t *members, size_t n, size_t at)
{
    size_t count = w->fields[members[0]].count;
    arrangement how = (arrangement)random_below(&w->random, ARRANGEMENTS);
    bool apart = chance(&w->random, 4);
    at = up_to(at, chance(&w->random, 2) ? 64 : 8);
    at += chance(&w->random, 4) ? 32 : 0;
    if (how == PLANES) {
        return at + place_planes(w, members, n, at, count);
    }
    size_t size = place_structs(w, members, n, at, how == GAPPY) * count;
    for (size_t i = 0; apart && i < n; ++i) { /* each member in an array of its own */
        w->fields[members[i]].offset += i * size;
    }
    return at + (apart ? n * size : size);
}

static void place_fields(world *w, test_random *random)
{
    size_t end = (size_t)random_below(random, 3) * 8;
    bool placed[FIELDS_MAX] = {false};
    for (size_t i = 0; i < w->layout.field_count; ++i) {
        size_t members[FIELDS_MAX], n = 0;
        for (size_t k = i; k < w->layout.field_count; ++k) {
            bool joins = k == i || !chance(random, w->plain ? 10 : 3);
            if (!placed[k] && w->fields[k].count == w->fields[i].count && joins) {
                members[n] = k;
                placed[k] = true;
                n += 1;
            }
            if (placed[i] && n == 0) {
                break;
            }
        }
        if (n > 1 && chance(random, 2)) { /* named in another order than they lie */
            size_t first = members[0];
            members[0] = members[n - 1];
            members[n - 1] = first;
        }
        end = n > 0 ? place_block(w, members, n, end) : end;
    }
    w->layout.fields = w->fields;
    w->layout.state_size = up_to(end, 8) + (size_t)random_below(random, 2) * 8;
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

/* Turned, sheared and scaled; some have their parts behind them. */
static void put_matrix(world *w, unsigned char *state, const es_field *field, size_t e)
{
    const es__matrix_form form = es__matrix_form_of(field->blend, field->components);
    float m[16 + ES_MATRIX_PARTS] = {0};
    for (size_t i = 0; i < form.numbers; ++i) {
        m[i] = (float)uniform(&w->random, -256, 256);
    }
    for (size_t k = 0; k < 3; ++k) {
        m[k * (form.row + form.column)] += 300;
    }
    for (size_t k = 0; k < 4 && form.numbers == 16; ++k) {
        m[3 * form.row + k * form.column] = k < 3 ? 0 : 1;
    }
    if (field->components > 16) {
        es_matrix_keep(field->blend, field->components, m);
    }
    for (size_t c = 0; c < field->components; ++c) {
        put(state, field, e, c, (double)m[c]);
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

/* Half turns on from the tick before, or one number beside: a tie, or none. */
static void put_turned(world *w, size_t tick, const es_field *field, size_t e, size_t c)
{
    double towards = chance(&w->random, 2) ? HUGE_VAL : -HUGE_VAL;
    double from = (double)ref_number(w->states[tick - 1].at, field, e, c);
    double to = from + (double)ref_turn(field) / 2 * (double)(random_below(&w->random, 11) - 5);
    if (chance(&w->random, 2) && field->type == ES_TYPE_F32) {
        to = (double)nextafterf((float)to, (float)towards);
    } else if (chance(&w->random, 2)) {
        to = nextafter(to, towards);
    }
    put(w->states[tick].at, field, e, c, to);
}

/* An element at a tick: anything, or, often, as at the tick before. */
static void put_element(world *w, size_t tick, const es_field *field, size_t e)
{
    static const double specials[] = {0.0, -0.0, 1.0, -1.0, INFINITY, -INFINITY, NAN, 3.4e38,
            -3.4e38, 1e-45, 1e-40, 1e308, -1e308, 1e20, 1e-20};
    unsigned char *state = w->states[tick].at;
    bool is_float = field->type == ES_TYPE_F32 || field->type == ES_TYPE_F64;
    bool stays = tick > 0 && chance(&w->random, field->blend == ES_BLEND_MARK ? 1 : 3);
    stays = stays && !(field->blend == ES_BLEND_MARK && chance(&w->random, 8));
    for (size_t c = 0; c < ref_components(field); ++c) {
        size_t at = ref_place(field, e, c), size = ref_type_size(field->type);
        if (stays) {
            memcpy(state + at, w->states[tick - 1].at + at, size);
        } else if (!is_float || (w->kind == WILD && chance(&w->random, 4))) {
            /* the low ones of the bits; the same number on every machine */
            uint64_t bits = random_u64(&w->random) >> 8;
            uint32_t low = (uint32_t)bits;
            unsigned char byte = (unsigned char)bits;
            const void *from = size == 1 ? (const void *)&byte : size == 4 ? &low : (void *)&bits;
            memcpy(state + at, from, size);
        } else if (w->kind == WILD && chance(&w->random, 3)) {
            int64_t special = random_below(&w->random, (int64_t)COUNT_OF(specials));
            put(state, field, e, c, specials[special]);
        } else if (tick > 0 && ref_turn(field) > 0 && chance(&w->random, 4)) {
            put_turned(w, tick, field, e, c);
        } else {
            put_number(w, state, field, e, c);
        }
    }
    if (!stays && field->blend == ES_BLEND_ROTATION
            && !(w->kind == WILD && chance(&w->random, 2))) {
        put_rotation(w, state, field, e);
    }
    if (!stays && w->kind == MATRICES && !chance(&w->random, 32)) {
        put_matrix(w, state, field, e);
    }
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
            bool is_contact = false;
            for (size_t k = 0; k < w->layout.field_count; ++k) {
                const char *name = w->fields[k].contact;
                is_contact = is_contact || (name != NULL && strcmp(name, field->name) == 0);
            }
            for (size_t e = 0; e < field->count; ++e) {
                put_element(w, tick, field, e);
                if (is_contact) {
                    int64_t contact = w->ticks[tick].time_ns;
                    contact += chance(&w->random, 4)
                                       ? 0
                                       : random_below(&w->random, 80000000) - 20000000;
                    memcpy(w->states[tick].at + ref_place(field, e, 0), &contact, sizeof contact);
                }
            }
        }
    }
}

/* ---- jobs at random ---- */

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
    w->job.alpha =
            chance(&w->random, 3) ? alphas[random_below(&w->random, 8)] : uniform(&w->random, 0, 1);
}

static void make_world(world *w, uint64_t seed, world_kind kind)
{
    static const size_t counts[] = {1, 2, 3, 7, 15, 16, 63, 64, 65, 130, 500};
    memset(w, 0, sizeof *w);
    w->random.state = seed * UINT64_C(0x9E3779B97F4A7C15) + 1;
    w->kind = kind;
    w->plain = seed % 3 == 0;
    w->tick_count = 1 + (size_t)random_below(&w->random, ES_HISTORY_TICKS_MAX);
    size_t most = 1 + (size_t)random_below(&w->random, 11);
    for (int32_t group = 1; w->layout.field_count < most; ++group) {
        size_t count = counts[random_below(&w->random, 11)];
        count = chance(&w->random, 3) ? 1 + (size_t)random_below(&w->random, 100) : count;
        bool grouped = !chance(&w->random, 3);
        bool all_alike = w->plain || kind == MATRICES;
        for (size_t i = 0; all_alike && i < most; ++i) {
            if (kind == MATRICES) {
                add_matrix(w, count);
            } else {
                bool rotation = chance(&w->random, 3);
                es_blend_kind blend = rotation ? ES_BLEND_ROTATION : ES_BLEND_LINEAR;
                es_field *field = add_field(w, ES_TYPE_F32, blend, count);
                field->components = rotation ? 4 : (size_t)random_below(&w->random, 5);
                field->delay_ticks = chance(&w->random, 20) ? 0.5 : 0;
            }
        }
        if (!all_alike && grouped && chance(&w->random, 2)) {
            static const es_type types[] = {ES_TYPE_U8, ES_TYPE_I32, ES_TYPE_U32, ES_TYPE_I64};
            es_field *mark = add_field(w, types[random_below(&w->random, 4)], ES_BLEND_MARK, count);
            mark->group = group;
        }
        for (int64_t i = 1 + random_below(&w->random, 3);
                i > 0 && !all_alike && w->layout.field_count + 4 < FIELDS_MAX; --i) {
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

#endif
