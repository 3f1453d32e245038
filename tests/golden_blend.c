/* SPDX-License-Identifier: Zlib
 *
 * The same bytes from every instruction set, compiler, optimisation level and machine: blends
 * worlds of every kind, number type and arrangement, moves springs and cameras, and hashes the numbers
 * as values, so that the order of bytes does not count. C17 only, no framework: for cross-compilers,
 * too. tests/golden.sh and scripts/cross build and run it.
 *
 *   golden_blend    prints a hash per kind and the total; exits 1 where an instruction set differs
 *                   from the scalar one, or the total from the expected one
 *
 * A change of a formula changes the total on purpose: put the new one here, from one machine, and
 * check that all others agree.
 */
#include "evenstep/view.h"
#include "world/blend_parts.h"

#include <inttypes.h>
#include <stdio.h>

#define EXPECTED_TOTAL UINT64_C(0xec15c0b1b6b07ff8)
#define EXPECTED_VIEW  UINT64_C(0x7afefb65b4049401)

enum { OBJECTS = 77, TICKS = 6, STATE_SIZE = 24576, FIELDS_MAX = 5, ARRANGEMENTS = 4 };

/* Inputs: whole numbers and divisions only, nothing of the C library's mathematics. */
static uint64_t random_state;

static uint64_t random_bits(void)
{
    uint64_t x = random_state;
    x ^= x >> 12;
    x ^= x << 25;
    x ^= x >> 27;
    random_state = x;
    return x * UINT64_C(2685821657736338717);
}

static uint64_t below(uint64_t limit)
{
    return (random_bits() >> 11) % limit;
}

/* From -1 to 1, 24 bits. */
static double fraction(void)
{
    return ((double)below(33554433) - 16777216.0) / 16777216.0;
}

#define HASH_START UINT64_C(14695981039346656037)

static void hash_bytes(uint64_t *h, uint64_t value, size_t bytes)
{
    for (size_t i = 0; i < bytes; ++i) {
        *h = (*h ^ (value >> (8 * i) & 255)) * UINT64_C(1099511628211);
    }
}

/* ---- worlds ---- */

typedef struct world {
    es_field fields[FIELDS_MAX];
    es_layout layout;
    es_prediction prediction;
    es_blend_tick ticks[TICKS];
} world;

static union memory {
    unsigned char bytes[STATE_SIZE];
    double alignment;
    int64_t alignment_too;
} states[TICKS], out;

static es_field *add_field(world *w, const char *name, es_type type, es_blend_kind kind)
{
    es_field *field = &w->fields[w->layout.field_count];
    w->layout.field_count += 1;
    memset(field, 0, sizeof *field);
    field->name = name;
    field->type = type;
    field->blend = kind;
    field->count = OBJECTS;
    field->components = 1;
    field->group = 1;
    return field;
}

/* Where a number lies: the formula of es_field. */
static size_t number_at(const es_field *field, size_t e, size_t c)
{
    size_t step =
            field->component_stride != 0 ? field->component_stride : ES_TYPE_SIZE(field->type);
    return field->offset + e * field->stride + c * step;
}

static size_t up_to(size_t at, size_t unit)
{
    return (at + unit - 1) / unit * unit;
}

static void place_structs(world *w, size_t gap)
{
    size_t size = 0;
    for (size_t i = 0; i < w->layout.field_count; ++i) {
        es_field *field = &w->fields[i];
        field->offset = up_to(size, ES_TYPE_SIZE(field->type));
        size = field->offset + field->components * ES_TYPE_SIZE(field->type) + gap;
    }
    size = up_to(size, 8);
    for (size_t i = 0; i < w->layout.field_count; ++i) {
        w->fields[i].stride = size;
    }
}

/* An array of this length per component. */
static void place_arrays(world *w, size_t length)
{
    size_t at = 0;
    for (size_t i = 0; i < w->layout.field_count; ++i) {
        es_field *field = &w->fields[i];
        field->offset = up_to(at, 64);
        field->stride = ES_TYPE_SIZE(field->type);
        field->component_stride = field->stride * length;
        at = field->offset + field->component_stride * field->components;
    }
}

static void place(world *w, int arrangement)
{
    if (arrangement >= 2) {
        place_arrays(w, arrangement == 2 ? OBJECTS : 80); /* 80: whole lines of the cache */
    } else {
        place_structs(w, arrangement == 1 ? 12 : 0);
    }
    w->layout.fields = w->fields;
    w->layout.state_size = STATE_SIZE;
}

/* ---- numbers ---- */

/* The low ones. */
static void put_bits(const es_field *field, unsigned char *at, uint64_t bits)
{
    uint32_t u32 = (uint32_t)bits;
    if (field->type == ES_TYPE_U8) {
        *at = (unsigned char)bits;
    } else if (ES_TYPE_SIZE(field->type) == 4) {
        memcpy(at, &u32, sizeof u32);
    } else {
        memcpy(at, &bits, sizeof bits);
    }
}

static void put_float(const es_field *field, unsigned char *at, double value)
{
    float f32 = (float)value;
    memcpy(at, field->type == ES_TYPE_F32 ? (const void *)&f32 : &value, ES_TYPE_SIZE(field->type));
}

static void put_special(const es_field *field, unsigned char *at)
{
    static const uint32_t f32[] = {0, 0x80000000, 0x7F800000, 0xFF800000, 0x7FC00000, 1, 0x007FFFFF,
            0x7F7FFFFF, 0xFF7FFFFF, 0x3F800000, 0x5F000000, 0x1F000000};
    uint32_t bits = f32[below(12)];
    uint64_t wide = below(4) == 0 ? random_bits() : (uint64_t)bits << 32;
    bits = below(4) == 0 ? (uint32_t)random_bits() : bits;
    put_bits(field, at, field->type == ES_TYPE_F32 ? bits : wide);
}

/* A unit quaternion of ratios: (1 - s, 2x, 2y, 2z) / (1 + s), where s = x^2 + y^2 + z^2. */
static void put_rotation(const es_field *field, unsigned char *state, size_t e)
{
    double x = fraction(), y = fraction(), z = fraction();
    double s = (x * x + y * y) + z * z;
    const double q[4] = {(1 - s) / (1 + s), 2 * x / (1 + s), 2 * y / (1 + s), 2 * z / (1 + s)};
    for (size_t c = 0; c < 4; ++c) {
        put_float(field, state + number_at(field, e, c), q[c]);
    }
}

static double usual(const es_field *field)
{
    switch (field->blend) {
    case ES_BLEND_COLOUR:
    case ES_BLEND_SRGB:
        return (double)below(1025) / 1024;
    case ES_BLEND_LOG:
        return below(8) == 0 ? -fraction() : (double)(1 + below(1 << 20)) / 4096;
    case ES_BLEND_ANGLE:
        return fraction() * 8;
    default:
        return fraction() * 256;
    }
}

/* Turned, sheared and scaled; some have their parts behind them. */
static void put_matrix(const es_field *field, unsigned char *state, size_t e)
{
    const es__matrix_form form = es__matrix_form_of(field->blend, field->components);
    float m[28] = {0};
    for (size_t i = 0; i < form.numbers; ++i) {
        m[i] = (float)fraction() * 256;
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
        put_float(field, state + number_at(field, e, c), (double)m[c]);
    }
}

static void put_element(const es_field *field, size_t tick, size_t e)
{
    unsigned char *state = states[tick].bytes;
    bool is_float = field->type == ES_TYPE_F32 || field->type == ES_TYPE_F64;
    bool rests = tick > 0 && below(field->blend == ES_BLEND_MARK ? 8 : 4) != 0;
    rests = rests && (field->blend == ES_BLEND_MARK || below(2) == 0);
    for (size_t c = 0; c < field->components; ++c) {
        size_t at = number_at(field, e, c);
        if (rests) {
            memcpy(state + at, states[tick - 1].bytes + at, ES_TYPE_SIZE(field->type));
        } else if (!is_float) {
            put_bits(field, state + at, random_bits() >> 8);
        } else if (below(12) == 0) {
            put_special(field, state + at);
        } else {
            put_float(field, state + at, usual(field));
        }
    }
    if (!rests && field->blend == ES_BLEND_ROTATION && below(8) != 0) {
        put_rotation(field, state, e);
    }
    if (!rests && es__is_matrix(field->blend) && e % 32 != 0) {
        put_matrix(field, state, e);
    }
}

static void fill(world *w)
{
    int64_t time_ns = INT64_C(1000000000);
    for (size_t tick = 0; tick < TICKS; ++tick) {
        memset(states[tick].bytes, 0, STATE_SIZE);
        w->ticks[tick].state = states[tick].bytes;
        w->ticks[tick].time_ns = time_ns;
        for (size_t f = 0; f < w->layout.field_count; ++f) {
            for (size_t e = 0; e < OBJECTS; ++e) {
                put_element(&w->fields[f], tick, e);
            }
        }
        const es_field *last = &w->fields[w->layout.field_count - 1];
        for (size_t e = 0; w->fields[0].contact != NULL && e < OBJECTS; ++e) {
            int64_t contact = time_ns + (int64_t)below(60000000) - 20000000;
            memcpy(states[tick].bytes + number_at(last, e, 0), &contact, sizeof contact);
        }
        time_ns -= 1 + (int64_t)below(30000000);
    }
}

/* ---- jobs ---- */

static void hash_out(uint64_t *h, const es_field *field)
{
    for (size_t e = 0; e < OBJECTS; ++e) {
        for (size_t c = 0; c < field->components; ++c) {
            const unsigned char *at = out.bytes + number_at(field, e, c);
            uint32_t u32;
            uint64_t u64;
            if (field->type == ES_TYPE_U8) {
                hash_bytes(h, *at, 1);
            } else if (ES_TYPE_SIZE(field->type) == 4) {
                memcpy(&u32, at, sizeof u32);
                bool is_nan = field->type == ES_TYPE_F32 && (u32 & 0x7FFFFFFF) > 0x7F800000;
                hash_bytes(h, is_nan ? 0x7FC00000 : u32, 4);
            } else {
                memcpy(&u64, at, sizeof u64);
                bool is_nan = field->type == ES_TYPE_F64
                              && (u64 & (UINT64_MAX >> 1)) > UINT64_C(0x7FF0000000000000);
                hash_bytes(h, is_nan ? UINT64_C(0x7FF8000000000000) : u64, 8);
            }
        }
    }
}

static es_result run(const es__blend_job *job, uint64_t *h)
{
    es__error error;
    memset(out.bytes, 0xA5, STATE_SIZE);
    es_result result = es__blend_run(job, &error);
    if (result == ES_ERR_INVALID) {
        printf("refused: %s %s\n", error.field, error.reason);
    }
    for (size_t f = 0; result == ES_OK && f < job->layout->field_count; ++f) {
        hash_out(h, &job->layout->fields[f]);
    }
    return result;
}

static const char *const simd_names[] = {"auto", "scalar", "sse2", "avx2", "neon"};
static bool simd_used[ES_SIMD_NEON + 1];

/* A job with each instruction set of this machine; the scalar one's hash is what counts. */
static bool run_all(es__blend_job *job, uint64_t *h)
{
    uint64_t scalar = *h;
    job->simd = ES_SIMD_SCALAR;
    bool ok = run(job, &scalar) == ES_OK;
    for (int simd = ES_SIMD_SSE2; simd <= ES_SIMD_NEON; ++simd) {
        uint64_t other = *h;
        job->simd = (es__simd)simd;
        es_result result = run(job, &other);
        if (result == ES_ERR_UNSUPPORTED) {
            continue;
        }
        simd_used[simd] = true;
        if (result != ES_OK || other != scalar) {
            printf("%s is not as scalar: kind %d of type %d, stride %d\n", simd_names[simd],
                    (int)job->layout->fields[0].blend, (int)job->layout->fields[0].type,
                    (int)job->layout->fields[0].stride);
            ok = false;
        }
    }
    *h = scalar;
    return ok;
}

static bool run_jobs(world *w, uint64_t *h)
{
    static const double alphas[] = {0, 0.25, 0.4375, 0.8125, 1};
    static const int64_t after_newest[] = {0, -1, -3000001, -12345678, -40000000, -70000000,
            -1000000000, 1, 2000003, 13333333, 60000001, 400000000};
    es__blend_job job = {
            .layout = &w->layout, .ticks = w->ticks, .tick_count = 2, .out = out.bytes};
    bool ok = true;
    for (size_t i = 0; i < 5 && w->fields[0].blend != ES_BLEND_HERMITE; ++i) {
        job.alpha = alphas[i];
        ok = run_all(&job, h) && ok;
    }
    job.timed = true;
    for (size_t i = 0; i < 12; ++i) {
        job.tick_count = 1 + (size_t)below(TICKS);
        job.content_ns = w->ticks[0].time_ns + after_newest[i];
        ok = run_all(&job, h) && ok;
    }
    return ok;
}

/* ---- kinds ---- */

static bool moves(es_blend_kind kind)
{
    return kind == ES_BLEND_LINEAR || kind == ES_BLEND_ANGLE || kind == ES_BLEND_CYCLIC
           || (kind >= ES_BLEND_HERMITE && !es__is_matrix(kind));
}

/* variant: how the motion is described and predicted. */
static void make_world(world *w, es_blend_kind kind, es_type type, int arrangement, int variant)
{
    memset(w, 0, sizeof *w);
    es_field *field = add_field(w, "p", type, kind);
    bool colour = kind == ES_BLEND_COLOUR || kind == ES_BLEND_SRGB;
    field->components = kind == ES_BLEND_ROTATION ? 4 : colour ? 3 + (size_t)(variant % 2) : 1;
    field->components += moves(kind) ? (size_t)(variant % 3) : 0;
    field->period = kind == ES_BLEND_CYCLIC ? 10 : 0;
    if (es__is_matrix(kind)) {
        field->components = variant % 2 == 0 ? 12 : 16;
        field->components += type == ES_TYPE_F32 && variant < 4 ? ES_MATRIX_PARTS : 0;
    }
    if (variant >= 3 && (moves(kind) || kind == ES_BLEND_ROTATION)) {
        w->prediction.kind = ES_PREDICT_LINEAR;
        w->prediction.correct = (es_correct)(variant % 3);
        w->prediction.ramp_ns = variant % 2 == 0 ? 40000000 : 0;
        field->prediction = &w->prediction;
    }
    if (moves(kind) && (variant % 2 == 1 || kind == ES_BLEND_HERMITE)) {
        field->velocity = "v";
        es_field *velocity = add_field(w, "v", type, ES_BLEND_STEP);
        velocity->components = field->components;
        if (variant == 5) {
            field->acceleration = "a";
            w->prediction.kind = ES_PREDICT_BALLISTIC;
            es_field *acceleration = add_field(w, "a", type, ES_BLEND_STEP);
            acceleration->components = field->components;
            field->contact = "c";
            add_field(w, "c", ES_TYPE_I64, ES_BLEND_STEP);
        }
    }
    if (variant % 2 == 0) {
        add_field(w, "m", variant % 4 == 0 ? ES_TYPE_U8 : ES_TYPE_I32, ES_BLEND_MARK);
    }
    place(w, arrangement);
    fill(w);
}

static bool fits(es_blend_kind kind, es_type type)
{
    switch (kind) {
    case ES_BLEND_STEP:
    case ES_BLEND_NEAREST:
        return true;
    case ES_BLEND_COLOUR:
        return type == ES_TYPE_F32;
    case ES_BLEND_SRGB:
        return type == ES_TYPE_F32 || type == ES_TYPE_U8;
    default:
        return type == ES_TYPE_F32 || type == ES_TYPE_F64;
    }
}

static bool run_kind(es_blend_kind kind, uint64_t *h)
{
    static world w;
    bool ok = true;
    for (int type = ES_TYPE_F32; type <= ES_TYPE_U8; ++type) {
        for (int n = 0; n < ARRANGEMENTS * 6 && fits(kind, (es_type)type); ++n) {
            es__error error;
            make_world(&w, kind, (es_type)type, n / 6, n % 6);
            if (es__layout_validate(&w.layout, &error) != ES_OK) {
                printf("not valid: %s %s\n", error.field, error.reason);
                return false;
            }
            ok = run_jobs(&w, h) && ok;
        }
    }
    return ok;
}

/* Springs and cameras, of all dampings. */
static uint64_t hash_view(void)
{
    static const es_spring springs[] = {
            {0.1, 0, 0}, {0.03, 1, 1}, {0.2, 0.5, 0.25}, {0.4, 0.05, 0}};
    uint64_t h = HASH_START;
    for (int i = 0; i < 4; ++i) {
        double x = 0, v = 0, angle = 0, speed = 0, q[4] = {0, 0, 0, 1}, spin[3] = {0};
        double from[4] = {0, 0, 0, 1}, at[3] = {0}, seen[3];
        es_camera camera = {
                .spring = springs[i], .ahead_s = {0.3}, .zone = {20, 40}, .most = {900}};
        for (int64_t tick = 0; tick < 2000; ++tick) {
            const es_frame frame = {.current_tick = tick, .alpha = (double)(tick % 16) / 16};
            const double to[4] = {fraction(), fraction(), fraction(), 1};
            double before = at[0], dt_s = 1 / (double)(30 + tick % 97);
            at[0] = 1000 * fraction();
            at[1] = 50 * fraction();
            es_spring_follow(&springs[i], &x, &v, &before, at, 1, dt_s);
            es_spring_follow_angle(&springs[i], &angle, &speed, before, at[0], dt_s);
            es_spring_follow_quat(&springs[i], q, spin, from, to, dt_s);
            memcpy(from, to, sizeof from);
            es_camera_shake(&camera, tick % 50 == 0 ? 3 : 0);
            es_camera_follow(&camera, tick, at, dt_s);
            es_camera_at(&camera, &frame, seen);
            const double all[] = {x, v, angle, speed, q[0], q[3], spin[1], seen[0], seen[1]};
            for (size_t k = 0; k < sizeof all / sizeof all[0]; ++k) {
                hash_bytes(&h, es__bits_of(all[k]), 8);
            }
        }
    }
    return h;
}

int main(void)
{
    uint64_t view, total = HASH_START;
    bool ok = true;
    random_state = 1;
    view = hash_view();
    for (int kind = ES_BLEND_LINEAR; kind <= ES_BLEND_MATRIX_ROWS; ++kind) {
        if (kind == ES_BLEND_MARK) {
            continue;
        }
        uint64_t h = HASH_START;
        random_state = UINT64_C(88172645463325252) + (uint64_t)kind;
        ok = run_kind((es_blend_kind)kind, &h) && ok;
        printf("kind %2d      %016" PRIx64 "\n", kind, h);
        hash_bytes(&total, h, 8);
    }
    printf("%-12s %016" PRIx64 "  scalar", "total", total);
    for (int simd = ES_SIMD_SSE2; simd <= ES_SIMD_NEON; ++simd) {
        if (simd_used[simd]) {
            printf(" %s", simd_names[simd]);
        }
    }
    printf("\n");
    if (total != EXPECTED_TOTAL) {
        printf("expected     %016" PRIx64 "\n", EXPECTED_TOTAL);
        ok = false;
    }
    if (view != EXPECTED_VIEW) {
        printf("view         %016" PRIx64 ", not %016" PRIx64 "\n", view, EXPECTED_VIEW);
        ok = false;
    }
    return ok ? 0 : 1;
}
