/* SPDX-License-Identifier: Zlib  The same bytes from every instruction set, compiler, optimisation
 * level and machine: blends worlds of every kind, number type and arrangement, and hashes what
 * comes out, number by number as values, so that the order of bytes does not count. Public headers
 * and C17 only, no framework: for cross-compilers, too. tests/golden.sh and scripts/cross
 * build and run it.  golden_blend       a hash per kind and the total; exits 1 where an instruction
 * set differs from the scalar one, or the total is not the expected one  A change of a formula
 * changes the total on purpose: then put the new one here, from one machine, and see that all
 * others agree. / */
#include "evenstep/blend.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define EXPECTED_TOTAL UINT64_C(0x5370895c28556cb2)

enum { OBJECTS = 77, TICKS = 6, STATE_SIZE = 24576, FIELDS_MAX = 5, ARRANGEMENTS = 6 };

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

typedef struct hash {
    uint64_t value;
} hash;

static void hash_bytes(hash *h, uint64_t value, size_t bytes)
{
    for (size_t i = 0; i < bytes; ++i) {
        h->value = (h->value ^ (value >> (8 * i) & 255)) * UINT64_C(1099511628211);
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

static size_t up_to(size_t at, size_t unit)
{
    return (at + unit - 1) / unit * unit;
}

static void place_structs(world *w, size_t gap, size_t tile)
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
        w->fields[i].tile = tile;
        w->fields[i].tile_stride = tile != 0 ? tile * size + 8 : 0;
    }
}

/* length: of the arrays; tile: 0, or the length again. */
static void place_arrays(world *w, size_t length, size_t tile)
{
    size_t at = 0;
    for (size_t i = 0; i < w->layout.field_count; ++i) {
        es_field *field = &w->fields[i];
        field->offset = up_to(at, 64);
        field->stride = ES_TYPE_SIZE(field->type);
        field->component_stride = field->stride * length;
        field->tile = tile;
        at = field->offset + field->component_stride * field->components;
    }
    for (size_t i = 0; tile != 0 && i < w->layout.field_count; ++i) {
        w->fields[i].tile_stride = up_to(at, 64);
    }
}

static void place(world *w, int arrangement)
{
    switch (arrangement) {
    case 0:
        place_structs(w, 0, 0);
        break;
    case 1:
        place_structs(w, 12, 0);
        break;
    case 2:
        place_arrays(w, OBJECTS, 0);
        break;
    case 3:
        place_arrays(w, 8, 8);
        break;
    case 4:
        place_arrays(w, 32, 32);
        break;
    default:
        place_structs(w, 0, 5);
        break;
    }
    w->layout.fields = w->fields;
    w->layout.state_size = STATE_SIZE;
}

/* ---- numbers ---- */

static void put_float(const es_field *field, unsigned char *at, double value)
{
    float f32 = (float)value;
    if (field->type == ES_TYPE_F32) {
        memcpy(at, &f32, sizeof f32);
    } else {
        memcpy(at, &value, sizeof value);
    }
}

static void put_special(const es_field *field, unsigned char *at)
{
    static const uint32_t f32[] = {0, 0x80000000, 0x7F800000, 0xFF800000, 0x7FC00000, 1, 0x007FFFFF,
            0x7F7FFFFF, 0xFF7FFFFF, 0x3F800000, 0x5F000000, 0x1F000000};
    uint32_t bits = f32[below(12)];
    uint64_t wide = below(4) == 0 ? random_bits() : (uint64_t)bits << 32;
    bits = below(4) == 0 ? (uint32_t)random_bits() : bits;
    if (field->type == ES_TYPE_F32) {
        memcpy(at, &bits, sizeof bits);
    } else {
        memcpy(at, &wide, sizeof wide);
    }
}

static void put_integer(const es_field *field, unsigned char *at, uint64_t value)
{
    uint32_t u32 = (uint32_t)value;
    if (field->type == ES_TYPE_U8) {
        *at = (unsigned char)value;
    } else if (ES_TYPE_SIZE(field->type) == 4) {
        memcpy(at, &u32, sizeof u32);
    } else {
        memcpy(at, &value, sizeof value);
    }
}

/* A unit quaternion of ratios: (1 - s, 2x, 2y, 2z) / (1 + s), where s = x^2 + y^2 + z^2. */
static void put_rotation(const es_field *field, unsigned char *state, size_t e)
{
    double x = fraction(), y = fraction(), z = fraction();
    double s = (x * x + y * y) + z * z;
    const double q[4] = {(1 - s) / (1 + s), 2 * x / (1 + s), 2 * y / (1 + s), 2 * z / (1 + s)};
    for (size_t c = 0; c < 4; ++c) {
        put_float(field, state + es_field_at(field, e, c), q[c]);
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

static void put_element(const es_field *field, size_t tick, size_t e)
{
    unsigned char *state = states[tick].bytes;
    bool is_float = field->type == ES_TYPE_F32 || field->type == ES_TYPE_F64;
    bool rests = tick > 0 && below(field->blend == ES_BLEND_MARK ? 8 : 4) != 0;
    rests = rests && (field->blend == ES_BLEND_MARK || below(2) == 0);
    for (size_t c = 0; c < field->components; ++c) {
        size_t at = es_field_at(field, e, c);
        if (rests) {
            memcpy(state + at, states[tick - 1].bytes + at, ES_TYPE_SIZE(field->type));
        } else if (!is_float) {
            put_integer(field, state + at, random_bits() >> 8);
        } else if (below(12) == 0) {
            put_special(field, state + at);
        } else {
            put_float(field, state + at, usual(field));
        }
    }
    if (!rests && field->blend == ES_BLEND_ROTATION && below(8) != 0) {
        put_rotation(field, state, e);
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
        if (w->fields[0].contact != NULL) {
            for (size_t e = 0; e < OBJECTS; ++e) {
                int64_t contact = time_ns + (int64_t)below(60000000) - 20000000;
                const es_field *field = es_layout_find(&w->layout, w->fields[0].contact);
                memcpy(states[tick].bytes + es_field_at(field, e, 0), &contact, sizeof contact);
            }
        }
        time_ns -= 1 + (int64_t)below(30000000);
    }
}

/* ---- jobs ---- */

static void hash_out(hash *h, const es_field *field)
{
    for (size_t e = 0; e < OBJECTS; ++e) {
        for (size_t c = 0; c < field->components; ++c) {
            const unsigned char *at = out.bytes + es_field_at(field, e, c);
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

static bool run(const es_blend_job *job, hash *h)
{
    es_error error;
    memset(out.bytes, 0xA5, STATE_SIZE);
    if (es_blend_run(job, &error) != ES_OK) {
        printf("refused: %s %s\n", error.field, error.reason);
        return false;
    }
    for (size_t f = 0; f < job->layout->field_count; ++f) {
        hash_out(h, &job->layout->fields[f]);
    }
    return true;
}

/* A job with each instruction set; the scalar one's hash is what counts. */
static bool run_all(es_blend_job *job, hash *h)
{
    hash scalar = *h;
    job->simd = ES_SIMD_SCALAR;
    bool ok = run(job, &scalar);
    for (int simd = ES_SIMD_SSE2; simd <= ES_SIMD_NEON; ++simd) {
        hash other = *h;
        job->simd = (es_simd)simd;
        job->stores = simd % 2 == 0 ? ES_STORES_STREAMED : ES_STORES_CACHED;
        if (!es_simd_is_available(job->simd)) {
            continue;
        }
        ok = run(job, &other) && ok;
        if (other.value != scalar.value) {
            printf("%s is not as scalar: %s of type %d, stride %d\n", es_simd_name(job->simd),
                    es_blend_kind_name(job->layout->fields[0].blend),
                    (int)job->layout->fields[0].type, (int)job->layout->fields[0].stride);
            ok = false;
        }
    }
    *h = scalar;
    return ok;
}

static bool run_jobs(world *w, hash *h)
{
    static const double alphas[] = {0, 0.25, 0.4375, 0.8125, 1};
    static float own[OBJECTS];
    static uint32_t listed[OBJECTS];
    es_blend_job job = {.layout = &w->layout, .ticks = w->ticks, .tick_count = 2, .out = out.bytes};
    bool ok = true;
    for (size_t i = 0; i < 5 && w->fields[0].blend != ES_BLEND_HERMITE; ++i) {
        job.alpha = alphas[i];
        job.quality = i % 2 == 0 ? ES_QUALITY_EXACT : ES_QUALITY_FAST;
        ok = run_all(&job, h) && ok;
    }
    job.quality = ES_QUALITY_EXACT;
    int64_t newest = w->ticks[0].time_ns;
    const int64_t contents[] = {newest, newest - 1, newest - 3000001, newest - 12345678,
            newest - 40000000, newest - 70000000, newest - 1000000000, newest + 1, newest + 2000003,
            newest + 13333333, newest + 60000001, newest + 400000000};
    job.timed = true;
    for (size_t i = 0; i < 12; ++i) {
        job.tick_count = 1 + (size_t)below(TICKS);
        job.content_ns = contents[i];
        ok = run_all(&job, h) && ok;
    }
    es_blend_pick pick = {.group = 1, .alphas = own};
    job.tick_count = 4;
    job.picks = &pick;
    job.pick_count = 1;
    for (size_t e = 0; e < OBJECTS; ++e) {
        own[e] = (float)(fraction() * 0.75 + 0.5);
        listed[e] = (uint32_t)(e * 3 % OBJECTS);
    }
    job.content_ns = newest - 5000000;
    ok = run_all(&job, h) && ok;
    pick.indices = listed;
    pick.index_count = OBJECTS / 2;
    return run_all(&job, h) && ok;
}

/* ---- kinds ---- */

static bool moves(es_blend_kind kind)
{
    return kind == ES_BLEND_LINEAR || kind == ES_BLEND_ANGLE || kind == ES_BLEND_CYCLIC
           || kind >= ES_BLEND_HERMITE;
}

/* variant: what is known and predicted of the motion. */
static void make_world(world *w, es_blend_kind kind, es_type type, int arrangement, int variant)
{
    memset(w, 0, sizeof *w);
    es_field *field = add_field(w, "p", type, kind);
    bool colour = kind == ES_BLEND_COLOUR || kind == ES_BLEND_SRGB;
    field->components = kind == ES_BLEND_ROTATION ? 4 : colour ? 3 + (size_t)(variant % 2) : 1;
    field->components += moves(kind) ? (size_t)(variant % 3) : 0;
    field->period = kind == ES_BLEND_CYCLIC ? 10 : 0;
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
    if (kind == ES_BLEND_STEP || kind == ES_BLEND_NEAREST) {
        return true;
    }
    if (kind == ES_BLEND_SRGB && type == ES_TYPE_U8) {
        return true;
    }
    return type == ES_TYPE_F32 || type == ES_TYPE_F64;
}

static bool run_kind(es_blend_kind kind, hash *h)
{
    static world w;
    bool ok = true;
    for (int type = ES_TYPE_F32; type <= ES_TYPE_U8; ++type) {
        for (int n = 0; n < ARRANGEMENTS * 6 && fits(kind, (es_type)type); ++n) {
            es_error error;
            make_world(&w, kind, (es_type)type, n / 6, n % 6);
            if (es_layout_validate(&w.layout, &error) != ES_OK) {
                printf("not valid: %s %s\n", error.field, error.reason);
                return false;
            }
            ok = run_jobs(&w, h) && ok;
        }
    }
    return ok;
}

int main(void)
{
    hash total = {UINT64_C(14695981039346656037)};
    bool ok = true;
    for (int kind = ES_BLEND_LINEAR; kind < ES_BLEND_MARK; ++kind) {
        hash h = {UINT64_C(14695981039346656037)};
        random_state = UINT64_C(88172645463325252) + (uint64_t)kind;
        ok = run_kind((es_blend_kind)kind, &h) && ok;
        printf("%-12s %016" PRIx64 "\n", es_blend_kind_name((es_blend_kind)kind), h.value);
        hash_bytes(&total, h.value, 8);
    }
    printf("%-12s %016" PRIx64 "  scalar", "total", total.value);
    for (int simd = ES_SIMD_SSE2; simd <= ES_SIMD_NEON; ++simd) {
        if (es_simd_is_available((es_simd)simd)) {
            printf(" %s", es_simd_name((es_simd)simd));
        }
    }
    printf("\n");
    if (total.value != EXPECTED_TOTAL) {
        printf("expected     %016" PRIx64 "\n", EXPECTED_TOTAL);
        ok = false;
    }
    return ok ? 0 : 1;
}
