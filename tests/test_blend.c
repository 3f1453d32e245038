/* SPDX-License-Identifier: Zlib
 *
 * Blends of whole states: every kind in every arrangement of memory, in random combination, against
 * blend_reference.h; every instruction set against the scalar one, byte for byte; and that no other
 * byte is written.
 */
#include "blend_reference.h"
#include "places.h"

/* ---- worlds at random ---- */

#ifndef TEST_WORLDS /* the full run makes 100 000 */
#define TEST_WORLDS 1200
#endif

#define FIELDS_MAX 16

typedef struct buffer {
    unsigned char *base;
    unsigned char *at;
} buffer;

typedef struct world {
    test_random random;
    bool wild;  /* any bits as numbers: only the instruction sets are compared */
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

static void add_plain_field(world *w, size_t count)
{
    bool rotation = chance(&w->random, 3);
    es_field *field =
            add_field(w, ES_TYPE_F32, rotation ? ES_BLEND_ROTATION : ES_BLEND_LINEAR, count);
    field->components = rotation ? 4 : (size_t)random_below(&w->random, 5);
    field->delay_ticks = chance(&w->random, 20) ? 0.5 : 0;
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
        if (w->wild && chance(&w->random, 2)) {
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
    at = up_to(at, chance(&w->random, 2) ? 64 : 8) + (chance(&w->random, 4) ? 32 : 0);
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
    layout_of(w->fields, w->layout.field_count, w->layout.state_size);
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
    unsigned char *state = w->states[tick].at;
    bool is_float = field->type == ES_TYPE_F32 || field->type == ES_TYPE_F64;
    bool stays = tick > 0 && chance(&w->random, field->blend == ES_BLEND_MARK ? 1 : 3);
    stays = stays && !(field->blend == ES_BLEND_MARK && chance(&w->random, 8));
    for (size_t c = 0; c < ref_components(field); ++c) {
        size_t at = ref_place(field, e, c), size = ref_type_size(field->type);
        if (stays) {
            memcpy(state + at, w->states[tick - 1].at + at, size);
        } else if (!is_float || (w->wild && chance(&w->random, 4))) {
            for (size_t i = 0; i < size; ++i) {
                state[at + i] = (unsigned char)random_u64(&w->random);
            }
        } else if (w->wild && chance(&w->random, 3)) {
            put_special(w, state, field, e, c);
        } else if (tick > 0 && ref_turn(field) > 0 && chance(&w->random, 4)) {
            put_turned(w, tick, field, e, c);
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

static void make_world(world *w, uint64_t seed, bool wild)
{
    static const size_t counts[] = {1, 2, 3, 7, 15, 16, 63, 64, 65, 130, 500};
    memset(w, 0, sizeof *w);
    w->random.state = seed * UINT64_C(0x9E3779B97F4A7C15) + 1;
    w->wild = wild;
    w->plain = seed % 3 == 0;
    w->tick_count = 1 + (size_t)random_below(&w->random, ES_HISTORY_TICKS_MAX);
    size_t most = 1 + (size_t)random_below(&w->random, 11);
    for (int32_t group = 1; w->layout.field_count < most; ++group) {
        size_t count = counts[random_below(&w->random, 11)];
        count = chance(&w->random, 3) ? 1 + (size_t)random_below(&w->random, 100) : count;
        bool grouped = !chance(&w->random, 3);
        for (size_t i = 0; w->plain && i < most; ++i) {
            add_plain_field(w, count);
        }
        if (!w->plain && grouped && chance(&w->random, 2)) {
            static const es_type types[] = {ES_TYPE_U8, ES_TYPE_I32, ES_TYPE_U32, ES_TYPE_I64};
            es_field *mark = add_field(w, types[random_below(&w->random, 4)], ES_BLEND_MARK, count);
            mark->group = group;
        }
        for (int64_t i = 1 + random_below(&w->random, 3);
                i > 0 && !w->plain && w->layout.field_count + 4 < FIELDS_MAX; --i) {
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

static const char *describe(const es__blend_job *job, const es_field *field)
{
    static char text[200];
    snprintf(text, sizeof text, "kind %d \"%s\" type %d, %zu x %zu, stride %zu/%zu, simd %d",
            (int)field->blend, field->name, (int)field->type, field->count, field->components,
            field->stride, field->component_stride, (int)job->simd);
    return text;
}

static void check_same_states(const world *w, const es__blend_job *job, const unsigned char *out,
        const unsigned char *expected)
{
    if (memcmp(out, expected, w->layout.state_size) == 0) {
        return;
    }
    for (size_t i = 0; i < w->layout.field_count; ++i) {
        const es_field *field = &w->fields[i];
        for (size_t e = 0; e < field->count; ++e) {
            for (size_t c = 0; c < ref_components(field); ++c) {
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

/* Runs a job over a pattern. False: this machine lacks the instruction set. */
static bool run_over(es__blend_job *job, int simd, unsigned char *out, int pattern)
{
    memset(out, pattern, job->layout->state_size);
    job->simd = (es__simd)simd;
    job->out = out;
    return run_by(job, simd);
}

/* The written bytes come out equal over two patterns. */
static void check_written(const world *w, const unsigned char *should)
{
    size_t size = w->layout.state_size;
    unsigned char *one = malloc(size), *other = malloc(size);
    es__blend_job job = w->job;
    run_over(&job, ES_SIMD_AUTO, one, PATTERN);
    run_over(&job, ES_SIMD_AUTO, other, 0xFF ^ PATTERN);
    for (size_t i = 0; i < size; ++i) {
        if ((one[i] == other[i]) != should[i]) {
            fail_msg("byte %zu of %zu: should be written: %d", i, size, should[i]);
        }
    }
    free(one);
    free(other);
}

/* ---- against the reference ---- */

/* The allowed error of a rotation's formula, in quaternion components: 1.6e-4 degrees of rotation
 * between ticks that are half a turn apart are 1.4e-6. A prediction may use the formula three times,
 * and doubles a rounding error with each doubling of its length. */
static long double rotation_tolerance(const es_field *field, const ref_shown *shown)
{
    long double turns = 1 + (long double)shown->turns;
    long double formula = shown->form == REF_MORE ? 4.2e-6L : 1.4e-6L;
    return formula + 16 * ref_epsilon(field->type) * turns;
}

static long double length_near_one(const es__blend_job *job, const es_field *field, size_t e)
{
    long double length2 = 0;
    for (size_t c = 0; c < 4; ++c) {
        long double q = ref_number(job->out, field, e, c);
        length2 += q * q;
    }
    if (!(fabsl(sqrtl(length2) - 1) <= 1e-6L)) {
        fail_msg("%s: element %zu is %.9Lg long", describe(job, field), e, sqrtl(length2));
    }
    return sqrtl(length2);
}

static void check_number(
        const es__blend_job *job, const es_field *field, size_t e, size_t c, const ref_shown *shown)
{
    long double got = ref_number(job->out, field, e, c), tolerance, sign = 1;
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
        tolerance = 0.500001L;
    } else if (field->blend == ES_BLEND_ROTATION) {
        tolerance = rotation_tolerance(field, shown);
    } else {
        tolerance = shown->steps * ref_epsilon(field->type) * shown->scale[c] + 1e-44L;
    }
    if (!(fabsl(got - sign * shown->value[c]) <= tolerance)) {
        fail_msg("%s: element %zu, component %zu: %.12Lg, not %.12Lg (off by %.2Lg, may be %.2Lg)",
                describe(job, field), e, c, got, shown->value[c], got - shown->value[c], tolerance);
    }
}

/* The result of value.h for a pair, bit for bit. */
static void pair_f32(const es_field *field, const float *a, const float *b, float t, float *out)
{
    size_t n = ref_components(field);
    for (size_t c = 0; c < n; ++c) {
        out[c] = field->blend == ES_BLEND_LOG     ? es__ratio_f32(a[c], b[c], t)
                 : field->blend == ES_BLEND_ANGLE ? es__value_angle_f32(a[c], b[c], t)
                 : field->blend == ES_BLEND_CYCLIC
                         ? es__value_cyclic_f32(a[c], b[c], t, (float)field->period)
                         : es__value_lerp_f32(a[c], b[c], t);
    }
    if (field->blend == ES_BLEND_ROTATION) {
        es__rotation_f32(a, b, t, out);
    } else if (field->blend == ES_BLEND_COLOUR) {
        es__colour_f32(a, b, n, t, out);
    } else if (field->blend == ES_BLEND_SRGB) {
        es__srgb_f32(a, b, n, t, out);
    }
}

static void pair_f64(const es_field *field, const double *a, const double *b, double t, double *out)
{
    size_t n = ref_components(field);
    for (size_t c = 0; c < n; ++c) {
        out[c] = field->blend == ES_BLEND_LOG     ? es__ratio_f64(a[c], b[c], t)
                 : field->blend == ES_BLEND_ANGLE ? es__value_angle_f64(a[c], b[c], t)
                 : field->blend == ES_BLEND_CYCLIC
                         ? es__value_cyclic_f64(a[c], b[c], t, field->period)
                         : es__value_lerp_f64(a[c], b[c], t);
    }
    if (field->blend == ES_BLEND_ROTATION) {
        es__rotation_f64(a, b, t, out);
    }
}

static void check_pair(
        const es__blend_job *job, const es_field *field, size_t e, const ref_shown *shown)
{
    float a32[REF_COMPONENTS] = {0}, b32[REF_COMPONENTS] = {0}, m32[REF_COMPONENTS];
    double a64[REF_COMPONENTS] = {0}, b64[REF_COMPONENTS] = {0}, m64[REF_COMPONENTS];
    unsigned char a8[REF_COMPONENTS], b8[REF_COMPONENTS], m8[REF_COMPONENTS];
    const void *older = job->ticks[shown->newer + 1].state, *newer = job->ticks[shown->newer].state;
    for (size_t c = 0; c < ref_components(field); ++c) {
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
        es__srgb_u8(a8, b8, ref_components(field), shown->alpha, m8);
        expected = m8;
    } else {
        pair_f64(field, a64, b64, shown->alpha, m64);
    }
    for (size_t c = 0; c < ref_components(field); ++c) {
        size_t size = ref_type_size(field->type);
        const unsigned char *got = (const unsigned char *)job->out + ref_place(field, e, c);
        bool zeros =
                field->blend == ES_BLEND_CYCLIC && a64[c] == 0 && b64[c] == 0; /* of either sign */
        if (!zeros && !same_number(field->type, got, (const unsigned char *)expected + c * size)) {
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
    for (size_t c = 0; c < ref_components(field); ++c) {
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
    if (shown.form == REF_PAIR) {
        check_pair(&w->job, field, e, &shown);
    }
}

static void check_world(world *w)
{
    size_t size = w->layout.state_size, shift = 8 * (size_t)random_below(&w->random, 8);
    buffer scalar = allocate(size, shift, false);
    unsigned char *should = calloc(size, 1);
    run_over(&w->job, ES_SIMD_SCALAR, scalar.at, PATTERN);
    for (size_t i = 0; i < w->layout.field_count; ++i) {
        for (size_t e = 0; e < w->fields[i].count; ++e) {
            check_element(w, &w->fields[i], e, should);
        }
    }
    for (int simd = ES_SIMD_AUTO; simd <= ES_SIMD_NEON; ++simd) {
        es__blend_job job = w->job;
        buffer out = allocate(size, 8 * (size_t)random_below(&w->random, 8), chance(&w->random, 2));
        if (run_over(&job, simd, out.at, PATTERN)) {
            check_same_states(w, &job, out.at, scalar.at);
        }
        free(out.base);
    }
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

TEST(random_worlds_are_as_the_reference)
{
    random_worlds(1, TEST_WORLDS - TEST_WORLDS / 4, false);
}

TEST(all_instruction_sets_agree_on_any_bits)
{
    random_worlds(100001, TEST_WORLDS / 4, true);
}

/* ---- single cases ---- */

/* Ticks at both ends of time: nothing overflows, and the result lies between the ticks. */
TEST(times_may_be_anything)
{
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
        es__blend_job job = {.layout = &layout,
                .ticks = ticks,
                .tick_count = 3,
                .out = &out,
                .timed = true,
                .content_ns = contents[i % COUNT_OF(contents)]};
        field.delay_ticks = (double)(i / COUNT_OF(contents)) - 8;
        run_job(&job);
        assert_true(out >= 1 && out <= 20);
    }
}

/* ---- es_blend, es_blend_frame ---- */

typedef struct scene {
    float at[3];
    double angle;
    uint8_t lives;
} scene;

static const es_field scene_fields[] = {
        ES_FIELD(scene, at, ES_BLEND_LINEAR),
        ES_FIELD(scene, angle, ES_BLEND_ANGLE),
        ES_FIELD(scene, lives, ES_BLEND_STEP),
};
static const es_layout scene_layout = ES_LAYOUT(scene, scene_fields);

TEST(es_blend_is_exact_at_its_ends)
{
    static const double alphas[] = {0, -0.0, -3, 1, 1.5, INFINITY, NAN};
    const scene a = {{0.1F, 1e30F, -0.0F}, 3, 5}, b = {{0.3F, -7, 0}, -3, 4};
    scene out;
    for_rows (i, alphas) {
        const scene *end = alphas[i] <= 0 ? &a : &b;
        memset(&out, PATTERN, sizeof out);
        assert_true(es_blend(&scene_layout, &a, &b, alphas[i], &out));
        assert_memory_equal(out.at, end->at, sizeof out.at);
        assert_memory_equal(&out.angle, &end->angle, sizeof out.angle);
        assert_int_equal(out.lives, end->lives);
    }
    assert_true(es_blend(&scene_layout, &a, &b, 0.25, &out));
    assert_true(out.at[0] == es__value_lerp_f32(0.1F, 0.3F, 0.25F));
    assert_true(out.angle == es__value_angle_f64(3, -3, 0.25));
    assert_int_equal(out.lives, 4);
    assert_true(es_blend(&scene_layout, &a, &a, 0.25, &out));
    assert_memory_equal(out.at, a.at, sizeof a.at);
}

static float shown_at(const es_history *history, int64_t content_ns)
{
    scene out;
    es_frame frame = {.content_ns = content_ns};
    assert_true(es_blend_frame(&scene_layout, history, &frame, &out));
    return out.at[0];
}

TEST(a_frame_is_shown_from_a_history)
{
    static _Alignas(64) unsigned char memory[ES_HISTORY_SIZE(scene, 4)];
    es_history history;
    es_frame frame = {.content_ns = 5};
    scene out;
    es__history_init(&history, memory, sizeof(scene), 4);
    es_history_reset(&history, 0, 0);
    assert_true(shown_at(&history, 5) == 0);
    for (int64_t tick = 1; tick <= 6; ++tick) {
        es_step step = {.index = tick, .time_ns = tick * 100};
        scene *now = es_history_push(&history, &step);
        now->at[0] = (float)tick;
        assert_true(fabs((double)shown_at(&history, tick * 100 - 37) - (double)tick + 0.37) < 1e-6);
    }
    /* between any of the kept ticks; before them the oldest, after them the newest */
    assert_true(shown_at(&history, 350) == 3.5F);
    assert_true(shown_at(&history, 50) == 3);
    assert_true(shown_at(&history, 5000) == 6);
    assert_false(es_blend_frame(NULL, &history, &frame, &out));
    assert_false(es_blend_frame(&scene_layout, NULL, &frame, &out));
    assert_false(es_blend_frame(&scene_layout, &history, NULL, &out));
    assert_false(es_blend_frame(&scene_layout, &history, &frame, NULL));
    /* a frame whose pair a full history has dropped */
    frame = (es_frame){.previous_tick = 2, .current_tick = 3, .content_ns = 250};
    assert_false(es_blend_frame(&scene_layout, &history, &frame, &out));
    frame.content_ns = 300;
    assert_true(es_blend_frame(&scene_layout, &history, &frame, &out));
    /* one that is not full has dropped nothing */
    es_history_reset(&history, 10, 1000);
    frame = (es_frame){.previous_tick = 9, .current_tick = 10, .content_ns = 950};
    assert_true(es_blend_frame(&scene_layout, &history, &frame, &out));
}

/* ---- errors ---- */

TEST(wrong_jobs_are_refused)
{
    static scene a, b, out;
    static const scene before;
    static es_field delayed, hermite;
    delayed = scene_fields[0];
    delayed.delay_ticks = 0.5;
    hermite = scene_fields[0];
    hermite.blend = ES_BLEND_HERMITE;
    const es_layout with_delay = {&delayed, 1, sizeof(scene)};
    const es_layout with_hermite = {&hermite, 1, sizeof(scene)};
    const es_blend_tick good[9] = {{&b, 20}, {&a, 10}}, equal[] = {{&b, 20}, {&a, 20}};
    const es_blend_tick falling[] = {{&b, 20}, {&a, 21}};
    const es_layout *layout = &scene_layout;
    const struct {
        es__blend_job job;
        es_result result;
        const char *field;
    } cases[] = {
            {{NULL, good, 2, &out, .alpha = 0}, ES_ERR_INVALID, "layout"},
            {{layout, good, 2, NULL, .alpha = 0}, ES_ERR_INVALID, "out"},
            {{layout, NULL, 2, &out, .alpha = 0}, ES_ERR_INVALID, "tick_count"},
            {{layout, good, 0, &out, .alpha = 0}, ES_ERR_INVALID, "tick_count"},
            {{layout, good, ES_HISTORY_TICKS_MAX + 1, &out, .alpha = 0}, ES_ERR_INVALID,
                    "tick_count"},
            {{layout, good, 3, &out, .alpha = 0}, ES_ERR_INVALID, "ticks"}, /* no state */
            {{layout, good, 2, &a, .alpha = 0}, ES_ERR_INVALID, "ticks"},
            {{layout, equal, 2, &out, .timed = true}, ES_ERR_INVALID, "ticks"},
            {{layout, falling, 2, &out, .timed = true}, ES_ERR_INVALID, "ticks"},
            {{&with_delay, good, 2, &out, .alpha = 0.5}, ES_ERR_INVALID, "at"},
            {{&with_hermite, good, 2, &out, .alpha = 0.5}, ES_ERR_INVALID, "at"},
            {{layout, good, 2, &out, .simd = (es__simd)99}, ES_ERR_UNSUPPORTED, "simd"},
            {{layout, good, 2, &out, .simd = (es__simd)-1}, ES_ERR_UNSUPPORTED, "simd"},
    };
    es__error error = {"?", "?"};
    for_rows (i, cases) {
        assert_int_equal(es__blend_run(&cases[i].job, &error), cases[i].result);
        assert_string_equal(error.field, cases[i].field);
        assert_non_null(error.reason);
        assert_int_equal(es__blend_run(&cases[i].job, NULL), cases[i].result);
        assert_memory_equal(&out, &before, sizeof out);
        assert_memory_equal(&a, &before, sizeof a);
    }
    assert_int_equal(es__blend_run(NULL, &error), ES_ERR_INVALID);
    assert_string_equal(error.field, "job");
    assert_false(es_blend(&with_delay, &a, &b, 0.5, &out));
    assert_false(es_blend(NULL, &a, &b, 0.5, &out));
    assert_false(es_blend(layout, NULL, &b, 0.5, &out));
    assert_false(es_blend(layout, &a, NULL, 0.5, &out));
    assert_false(es_blend(layout, &a, &b, 0.5, NULL));
    const es__blend_job right = {layout, good, 2, &out, .alpha = 0.5};
    assert_int_equal(es__blend_run(&right, &error), ES_OK);
    assert_true(error.field == NULL && error.reason == NULL);
}

/* Not every machine has them all: NEON and SSE2 exclude each other. */
TEST(only_the_machines_instruction_sets_are_taken)
{
    static scene a, b, out;
    const es_blend_tick ticks[] = {{&b, 20}, {&a, 10}};
    const es__blend_job job = {&scene_layout, ticks, 2, &out, .alpha = 0.5};
    assert_true(run_by(&job, ES_SIMD_AUTO) && run_by(&job, ES_SIMD_SCALAR));
    assert_false(run_by(&job, ES_SIMD_SSE2) && run_by(&job, ES_SIMD_NEON));
#if defined(__x86_64__) && defined(__GNUC__)
    assert_true(run_by(&job, ES_SIMD_SSE2));
#endif
}
