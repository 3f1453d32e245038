/* SPDX-License-Identifier: Zlib
 *
 * How fast es_blend and ES_DEFINE_BLEND are, beside a plain loop over the same structs. With PLAIN
 * this file is the loops, with -O3; the build compiles them for each set below. Else it is the program.
 *
 *   bench_blend [name]   all kinds of structs, or those whose name begins so
 *
 * BENCH_SIMD in the environment names the instruction set of es_blend and the loops: avx2 or sse2.
 * Without it both use the widest that the machine has.
 *
 * One object in 256 jumped. Nine in ten objects turn up to 10 degrees per tick, the rest up to 115.
 */
#include "evenstep/world.h"

#include <math.h>
#include <string.h>

/* --- the kinds of structs --------------------------------------------------------------------- */

typedef struct gappy {
    float at[3];
    int32_t id;
    float scale;
    int32_t unused;
    void *mesh;
} gappy;

typedef struct marked {
    float at[3], scale;
    uint8_t mark;
} marked;

typedef struct doubles {
    double at[3];
    int32_t id;
} doubles;

typedef struct integers {
    float x, y;
    int32_t lives, points;
    int64_t owner;
} integers;

typedef struct sprite {
    float x, y, angle;
} sprite;

typedef struct steps {
    float at[3];
    uint8_t visible, team;
    float scale;
    int32_t frame;
} steps;

typedef struct packed {
    float at[3], speed[3];
} packed;

typedef struct body {
    float at[3];
    int32_t id;
    float turn[4], scale;
    uint32_t mark;
} body;

typedef struct transform {
    float at[3], turn[4], scale[3];
} transform;

typedef struct matrix {
    float m[28]; /* with parts */
} matrix;

#define KINDS(X)                                                                                   \
    X(gappy)                                                                                       \
    X(marked)                                                                                      \
    X(doubles)                                                                                     \
    X(integers)                                                                                    \
    X(sprite) X(steps) X(packed) X(arrays) X(body) X(jumpy) X(transform) X(turning) X(matrix)

typedef void loop_function(const void *a, const void *b, void *out, size_t n, double alpha);
typedef struct loops {
    loop_function *plain, *macro; /* macro: NULL where there is none */
} loops;
#define KIND_OF(kind) KIND_##kind,
enum { KINDS(KIND_OF) KIND_COUNT };
extern const loops loops_native[KIND_COUNT], loops_avx2[KIND_COUNT], loops_sse2[KIND_COUNT];

#ifdef PLAIN
/* --- the loops that people write -------------------------------------------------------------- */

#define LOOP(kind, type)                                                                           \
    static inline void kind##_loop(const type *restrict a, const type *restrict b,                 \
            type *restrict out, size_t n, float t);                                                \
    static void plain_##kind(const void *a, const void *b, void *out, size_t n, double alpha)      \
    {                                                                                              \
        kind##_loop(a, b, out, n, (float)alpha);                                                   \
    }                                                                                              \
    static inline void kind##_loop(                                                                \
            const type *restrict a, const type *restrict b, type *restrict out, size_t n, float t)
#define MIX(x)  out[i].x = a[i].x + t * (b[i].x - a[i].x)
#define MIX3(x) (MIX(x[0]), MIX(x[1]), MIX(x[2]))
#define NLERP(A, B, OUT)                                                                           \
    do {                                                                                           \
        float dot = A(0) * B(0) + A(1) * B(1) + A(2) * B(2) + A(3) * B(3), r[4];                   \
        float sign = dot < 0 ? -1.0F : 1.0F;                                                       \
        for (int k = 0; k < 4; ++k) {                                                              \
            r[k] = A(k) + t * (sign * B(k) - A(k));                                                \
        }                                                                                          \
        float length = sqrtf(r[0] * r[0] + r[1] * r[1] + r[2] * r[2] + r[3] * r[3]);               \
        for (int k = 0; k < 4; ++k) {                                                              \
            OUT(k) = r[k] / length;                                                                \
        }                                                                                          \
    } while (0)
#define TURN_A(k)   a[i].turn[k]
#define TURN_B(k)   b[i].turn[k]
#define TURN_OUT(k) out[i].turn[k]

LOOP(gappy, gappy)
{
    for (size_t i = 0; i < n; ++i) {
        MIX3(at);
        MIX(scale);
    }
}
LOOP(marked, marked)
{
    for (size_t i = 0; i < n; ++i) {
        if (a[i].mark != b[i].mark) {
            out[i] = b[i];
        } else {
            MIX3(at);
            MIX(scale);
            out[i].mark = b[i].mark;
        }
    }
}
LOOP(doubles, doubles)
{
    for (size_t i = 0; i < n; ++i) {
        MIX3(at);
    }
}
LOOP(integers, integers)
{
    for (size_t i = 0; i < n; ++i) {
        MIX(x);
        MIX(y);
        out[i].lives = b[i].lives;
        out[i].points = b[i].points;
        out[i].owner = b[i].owner;
    }
}
LOOP(sprite, sprite)
{
    const float half = 3.14159265F;
    for (size_t i = 0; i < n; ++i) {
        float way = b[i].angle - a[i].angle;
        way = way > half ? way - 2 * half : way < -half ? way + 2 * half : way;
        MIX(x);
        MIX(y);
        out[i].angle = a[i].angle + t * way;
    }
}
LOOP(steps, steps)
{
    for (size_t i = 0; i < n; ++i) {
        MIX3(at);
        MIX(scale);
        out[i].visible = b[i].visible;
        out[i].team = b[i].team;
        out[i].frame = b[i].frame;
    }
}
LOOP(packed, packed)
{
    for (size_t i = 0; i < n; ++i) {
        MIX3(at);
        MIX3(speed);
    }
}
LOOP(arrays, float)
{
    for (size_t i = 0; i < 3 * n; ++i) {
        out[i] = a[i] + t * (b[i] - a[i]);
    }
}
LOOP(body, body)
{
    for (size_t i = 0; i < n; ++i) {
        MIX3(at);
        MIX(scale);
        NLERP(TURN_A, TURN_B, TURN_OUT);
    }
}
LOOP(jumpy, body)
{
    for (size_t i = 0; i < n; ++i) {
        if (a[i].mark != b[i].mark) {
            out[i] = b[i];
        } else {
            MIX3(at);
            MIX(scale);
            NLERP(TURN_A, TURN_B, TURN_OUT);
            out[i].mark = b[i].mark;
        }
    }
}
LOOP(transform, transform)
{
    for (size_t i = 0; i < n; ++i) {
        MIX3(at);
        MIX3(scale);
        NLERP(TURN_A, TURN_B, TURN_OUT);
    }
}
#define ARRAY_A(k)   a[(size_t)(k)*n + i]
#define ARRAY_B(k)   b[(size_t)(k)*n + i]
#define ARRAY_OUT(k) out[(size_t)(k)*n + i]
LOOP(turning, float)
{
    for (size_t i = 0; i < n; ++i) {
        NLERP(ARRAY_A, ARRAY_B, ARRAY_OUT);
    }
}

LOOP(matrix, matrix)
{
    for (size_t i = 0; i < n; ++i) {
        for (size_t k = 0; k < 16; ++k) {
            MIX(m[k]);
        }
    }
}

#define GAPPY(M)    M(at[0], LINEAR) M(at[1], LINEAR) M(at[2], LINEAR) M(scale, LINEAR)
#define DOUBLES(M)  M(at[0], LINEAR) M(at[1], LINEAR) M(at[2], LINEAR)
#define INTEGERS(M) M(x, LINEAR) M(y, LINEAR)
#define SPRITE(M)   M(x, LINEAR) M(y, LINEAR) M(angle, ANGLE)
#define PACKED(M)   DOUBLES(M) M(speed[0], LINEAR) M(speed[1], LINEAR) M(speed[2], LINEAR)
#define BODY(M)     GAPPY(M) M(turn, ROTATION)
#define MATRIX(M)   M(m, MATRIX)
#define BY_MACRO(kind, type, members, jumped)                                                      \
    ES_DEFINE_BLEND(type, members)                                                                 \
    static void macro_##kind(const void *a, const void *b, void *out, size_t n, double t)          \
    {                                                                                              \
        const type *restrict from = a, *restrict to = b;                                           \
        type *restrict shown = out;                                                                \
        for (size_t i = 0; i < n; ++i) {                                                           \
            if (jumped) {                                                                          \
                shown[i] = to[i];                                                                  \
            } else {                                                                               \
                shown[i] = type##_blend(&from[i], &to[i], t);                                      \
            }                                                                                      \
        }                                                                                          \
    }
BY_MACRO(gappy, gappy, GAPPY, false)
BY_MACRO(marked, marked, GAPPY, from[i].mark != to[i].mark)
BY_MACRO(doubles, doubles, DOUBLES, false)
BY_MACRO(integers, integers, INTEGERS, false)
BY_MACRO(sprite, sprite, SPRITE, false)
BY_MACRO(steps, steps, GAPPY, false)
BY_MACRO(packed, packed, PACKED, false)
BY_MACRO(jumpy, body, BODY, from[i].mark != to[i].mark)
BY_MACRO(matrix, matrix, MATRIX, false)
#define macro_arrays    NULL
#define macro_body      NULL
#define macro_transform NULL
#define macro_turning   NULL

#define LOOPS(kind) {plain_##kind, macro_##kind},
const loops PLAIN[] = {KINDS(LOOPS)};

#else
/* --- the program ------------------------------------------------------------------------------ */

#include "bench.h"
#include "world/blend_parts.h"

enum { ROUNDS = 41, MOST = 100000, ONCE = 1 << 14, FIELDS_MAX = 6, MATRICES = 4096 };

static const double alpha = 0.37;
static unsigned char *states[3]; /* older, newer, shown */

static es__simd simd;
static const loops *loops_of = loops_native;

typedef struct kind {
    const char *name;
    size_t object; /* bytes per object */
    es_field fields[FIELDS_MAX];
} kind;

#define PLACE(object, member)                                                                      \
    .offset = offsetof(object, member), .stride = sizeof(object), .group = 1
#define NUMBERS(object, member, of, how, n)                                                        \
    {                                                                                              \
        .name = #member, .type = ES_TYPE_##of, .blend = ES_BLEND_##how, .components = (n),         \
        PLACE(object, member)                                                                      \
    }
#define AT(object)    NUMBERS(object, at, F32, LINEAR, 3)
#define TURN(object)  NUMBERS(object, turn, F32, ROTATION, 4)
#define SCALE(object) NUMBERS(object, scale, F32, LINEAR, 1)

static kind kinds[] = {
        {"structs with gaps", sizeof(gappy), {AT(gappy), SCALE(gappy)}},
        {"with marks", sizeof(marked),
                {AT(marked), SCALE(marked), NUMBERS(marked, mark, U8, MARK, 1)}},
        {"doubles", sizeof(doubles), {NUMBERS(doubles, at, F64, LINEAR, 3)}},
        {"integers", sizeof(integers),
                {NUMBERS(integers, x, F32, LINEAR, 1), NUMBERS(integers, y, F32, LINEAR, 1),
                        NUMBERS(integers, lives, I32, STEP, 1),
                        NUMBERS(integers, points, I32, STEP, 1),
                        NUMBERS(integers, owner, I64, STEP, 1)}},
        {"sprites {x, y, angle}", sizeof(sprite),
                {NUMBERS(sprite, x, F32, LINEAR, 1), NUMBERS(sprite, y, F32, LINEAR, 1),
                        NUMBERS(sprite, angle, F32, ANGLE, 1)}},
        {"some fields STEP", sizeof(steps),
                {AT(steps), NUMBERS(steps, visible, U8, STEP, 1), NUMBERS(steps, team, U8, STEP, 1),
                        SCALE(steps), NUMBERS(steps, frame, I32, STEP, 1)}},
        {"packed structs", sizeof(packed), {AT(packed), NUMBERS(packed, speed, F32, LINEAR, 3)}},
        {"arrays", 3 * sizeof(float),
                {{.name = "at",
                        .type = ES_TYPE_F32,
                        .blend = ES_BLEND_LINEAR,
                        .components = 3,
                        .stride = 4}}},
        {"rotations, structs with gaps", sizeof(body), {AT(body), TURN(body), SCALE(body)}},
        {"rotations, with marks", sizeof(body),
                {AT(body), TURN(body), SCALE(body), NUMBERS(body, mark, U32, MARK, 1)}},
        {"rotations, packed structs", sizeof(transform),
                {AT(transform), TURN(transform), NUMBERS(transform, scale, F32, LINEAR, 3)}},
        {"rotations, arrays", 4 * sizeof(float),
                {{.name = "turn",
                        .type = ES_TYPE_F32,
                        .blend = ES_BLEND_ROTATION,
                        .components = 4,
                        .stride = 4}}},
        {"matrices; plain: 16 floats", sizeof(matrix), {NUMBERS(matrix, m, F32, MATRIX, 28)}},
};

/* --- states ----------------------------------------------------------------------------------- */

static unsigned char *number(int tick, const es_field *f, size_t i, size_t c)
{
    return states[tick] + f->offset + i * f->stride
           + c * (f->component_stride != 0 ? f->component_stride : ES_TYPE_SIZE(f->type));
}

static void put(int tick, const es_field *f, size_t i, size_t c, double value)
{
    float narrow = (float)value;
    int64_t whole = (int64_t)(value * 10);
    bool is_float = f->type == ES_TYPE_F32 || f->type == ES_TYPE_F64;
    memcpy(number(tick, f, i, c),
            !is_float                ? (const void *)&whole /* little-endian */
            : f->type == ES_TYPE_F64 ? (const void *)&value
                                     : (const void *)&narrow,
            ES_TYPE_SIZE(f->type));
}

static void put_rotation(int tick, const es_field *f, size_t i, const double axis[3], double angle)
{
    double half = angle * 3.14159265358979 / 360;
    for (size_t c = 0; c < 4; ++c) {
        put(tick, f, i, c, c < 3 ? axis[c] * sin(half) : cos(half));
    }
}

/* With a scale that differs by axis. */
static void put_matrix(int tick, const es_field *f, size_t i, double angle)
{
    float *m = (float *)(void *)number(tick, f, i, 0);
    const float c = (float)cos(angle / 57.3), s = (float)sin(angle / 57.3);
    const float turned[] = {c, s, 0, 0, -2 * s, 2 * c, 0, 0, 0, 0, 1, 0, m[12], m[13], m[14], 1};
    memcpy(m, turned, sizeof turned);
    es_matrix_keep(ES_BLEND_MATRIX, 28, m);
}

static void keep(void *user)
{
    for (size_t i = 0; i < MATRICES; ++i) {
        es_matrix_keep(ES_BLEND_MATRIX, 28, (float *)user + 28 * i);
    }
}

static void fill(const es_field *f, uint64_t seed)
{
    for (size_t i = 0; i < f->count; ++i) {
        double up = 2 * bench_random(&seed) - 1, flat = sqrt(1 - up * up);
        double from = 360 * bench_random(&seed);
        double to = from + (i % 10 != 0 ? 10 : 115) * bench_random(&seed);
        const double axis[3] = {flat * cos(from), flat * sin(from), up};
        for (int tick = 0; tick < 2; ++tick) {
            for (size_t c = 0; c < (f->components != 0 ? f->components : 1); ++c) {
                put(tick, f, i, c, (double)(i % 100) + (0.2 * tick + 0.1) * bench_random(&seed));
            }
            if (f->blend == ES_BLEND_MARK) {
                put(tick, f, i, 0, i % 256 == 100 ? tick : 0);
            } else if (f->blend == ES_BLEND_ROTATION) {
                put_rotation(tick, f, i, axis, tick == 0 ? from : to);
            } else if (f->blend == ES_BLEND_MATRIX) {
                put_matrix(tick, f, i, tick == 0 ? from : to);
            }
        }
    }
}

/* --- contestants ------------------------------------------------------------------------------ */

typedef struct contestant {
    loop_function *loop; /* NULL: es_blend */
    es__blend_job job;
    size_t objects, times;
} contestant;

static void run(void *user)
{
    const contestant *c = user;
    for (size_t k = 0; k < c->times; ++k) {
        if (c->loop != NULL) {
            c->loop(states[0], states[1], states[2], c->objects, alpha);
        } else if (es__blend_run(&c->job, NULL) != ES_OK) {
            bench_fail("es_blend");
        }
    }
}

/* The plain loop's ns per object, and the parts of it that the others take. */
static void measure(kind *k, size_t objects)
{
    const loops *own = &loops_of[k - kinds];
    loop_function *all[] = {own->plain, own->macro, NULL};
    contestant contestants[3];
    bench_case cases[3];
    bench_figures of[3];
    es_layout layout = {k->fields, 0, objects * k->object};
    const es_blend_tick ticks[] = {{states[1], 0}, {states[0], 0}};
    const es__blend_job job = {&layout, ticks, 2, states[2], .alpha = alpha, .simd = simd};
    int count = 0;
    for (; layout.field_count < FIELDS_MAX && k->fields[layout.field_count].name != NULL;
            ++layout.field_count) {
        es_field *f = &k->fields[layout.field_count];
        f->count = objects;
        if (f->stride == 4 && f->components > 1) {
            f->component_stride = 4 * objects;
        }
        fill(f, layout.field_count + 1);
    }
    if (!es_layout_validate(&layout)) {
        bench_fail(es_get_error());
    }
    for (int i = 0; i < 3; ++i) {
        if (all[i] != NULL || i == 2) {
            size_t times = objects < ONCE ? ONCE / objects : 1;
            contestants[count] = (contestant){all[i], job, objects, times};
            cases[count] = (bench_case){
                    "", NULL, run, &contestants[count], (double)times * (double)objects};
            count += 1;
        }
    }
    bench_measure(cases, count, ROUNDS, of);
    printf("%-30s %8zu %8.2f", k->name, objects, of[0].median);
    if (own->macro != NULL) {
        printf(" %8.2f", of[1].median / of[0].median);
    } else {
        printf(" %8s", "");
    }
    double ours = of[count - 1].median;
    printf(" %8.2f %8.0f\n", ours / of[0].median, (ours - of[0].median) * (double)objects);
}

int main(int argc, char **argv)
{
    static const size_t sizes[] = {16, 256, 4096, MOST};
    const char *set = getenv("BENCH_SIMD");
#ifdef BENCH_SETS
    if (set != NULL && (strcmp(set, "avx2") == 0 || strcmp(set, "sse2") == 0)) {
        simd = set[0] == 'a' ? ES_SIMD_AVX2 : ES_SIMD_SSE2;
        loops_of = set[0] == 'a' ? loops_avx2 : loops_sse2;
        set = NULL;
    }
#endif
    if (set != NULL || es__simd_kernels(simd) == NULL) {
        bench_fail("BENCH_SIMD: avx2 or sse2, of x86-64 alone");
    }
    for (size_t i = 0; i < 3; ++i) { /* some lines apart: other sets of the cache */
        states[i] = bench_alloc(MOST * sizeof(matrix) + 8192);
        states[i] += 64 - (uintptr_t)states[i] % 64 + i * 1344;
        memset(states[i], 0, MOST * sizeof(matrix));
    }
    printf("%-30s %8s %8s %8s %8s %8s\n", "", "objects", "plain ns", "x macro", "x blend",
            "ns more");
    for (size_t k = 0; k < sizeof kinds / sizeof kinds[0]; ++k) {
        if (argc >= 2 && strncmp(kinds[k].name, argv[1], strlen(argv[1])) != 0) {
            continue;
        }
        for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; ++i) {
            measure(&kinds[k], sizes[i]);
        }
        if (k == KIND_matrix) {
            const bench_case once = {"es_matrix_keep", NULL, keep, states[0], MATRICES};
            bench_table("once per tick, ns", &once, 1, ROUNDS);
        }
    }
    return 0;
}
#endif
