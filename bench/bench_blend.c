/* SPDX-License-Identifier: Zlib
 *
 * How fast es_blend_run is, beside the memory that the state lies in and beside other code.
 *
 * Objects have a position and a scale (3 floats each) and a rotation (a quaternion): 40 bytes, of
 * which a blend reads two and writes one. Beside it: STREAM's triad out = a + s b over the same
 * bytes, with plain and with streaming stores; the plain scalar loop that people write. Nine in ten
 * objects turn up to 10 degrees per tick, the rest up to 115.
 */
#include "evenstep/world.h"

#include "bench.h"

#include "world/blend_parts.h"

#include <math.h>
#include <string.h>

#if defined(__x86_64__) && defined(__GNUC__)
#include <immintrin.h>
#define X86
#endif

enum { NUMBERS = 10, TILE = 16, ROUNDS = 21, MOST = 1 << 20, ONCE = 1 << 18 };

static const float alpha = 0.37F;

/* --- the world: two ticks of it in three arrangements, and the output ------------------------- */

typedef enum arrangement { ARRAYS, TILES, STRUCTS, ARRANGEMENTS } arrangement;

typedef struct transform {
    float position[3], rotation[4], scale[3];
} transform;

static float *inputs[ARRANGEMENTS][2], *output;
static size_t objects;
static uint64_t seed;

/* Where number k (0-2 position, 3-6 rotation, 7-9 scale) of object i lies, in floats. */
static size_t place(arrangement as, size_t i, size_t k)
{
    switch (as) {
    case ARRAYS:
        return k * objects + i;
    case TILES:
        return i / TILE * (TILE * NUMBERS) + k * TILE + i % TILE;
    default:
        return i * NUMBERS + k;
    }
}

/* A rotation about an axis of length 1. */
static void rotate(const double axis[3], double degrees, double q[4])
{
    double half = degrees * 3.14159265358979 / 360;
    for (int k = 0; k < 3; ++k) {
        q[k] = axis[k] * sin(half);
    }
    q[3] = cos(half);
}

static void fill(void)
{
    seed = 1;
    for (size_t i = 0; i < objects; ++i) {
        double a[4], b[4], turn = (i % 10 != 0 ? 10 : 115) * bench_random(&seed);
        double up = 2 * bench_random(&seed) - 1, flat = sqrt(1 - up * up);
        double from = 360 * bench_random(&seed);
        const double axis[3] = {flat * cos(from), flat * sin(from), up};
        rotate(axis, from, a);
        rotate(axis, from + turn, b);
        for (size_t k = 0; k < NUMBERS; ++k) {
            bool turns = k >= 3 && k < 7;
            double value = bench_random(&seed), later = value + 0.01 * bench_random(&seed);
            for (int as = 0; as < ARRANGEMENTS; ++as) {
                size_t at = place((arrangement)as, i, k);
                inputs[as][0][at] = (float)(turns ? a[k - 3] : value);
                inputs[as][1][at] = (float)(turns ? b[k - 3] : later);
            }
        }
    }
}

/* --- contestants ------------------------------------------------------------------------------ */

typedef struct contestant contestant;

struct contestant {
    const char *name;
    void (*run)(const contestant *c);
    arrangement as;
    es_simd simd;
    es_stores stores;
};

#ifdef X86
__attribute__((target("avx2"))) static void triad_avx2(const contestant *c)
{
    const float *a = inputs[ARRAYS][0], *b = inputs[ARRAYS][1];
    __m256 s = _mm256_set1_ps(alpha);
    for (size_t i = 0; i + 8 <= objects * NUMBERS; i += 8) {
        __m256 sum = _mm256_loadu_ps(a + i) + s * _mm256_loadu_ps(b + i);
        if (c->stores == ES_STORES_STREAMED) {
            _mm256_stream_ps(output + i, sum);
        } else {
            _mm256_storeu_ps(output + i, sum);
        }
    }
    _mm_sfence();
}
#endif

static void triad(const contestant *c)
{
    (void)c;
#ifdef X86
    if (__builtin_cpu_supports("avx2")) {
        triad_avx2(c);
        return;
    }
#endif
    for (size_t i = 0; i < objects * NUMBERS; ++i) {
        output[i] = inputs[ARRAYS][0][i] + alpha * inputs[ARRAYS][1][i];
    }
}

static es_field field_of(const char *name, arrangement as, size_t first, size_t components)
{
    return (es_field){.name = name,
            .type = ES_TYPE_F32,
            .blend = components == 4 ? ES_BLEND_ROTATION : ES_BLEND_LINEAR,
            .count = objects,
            .components = components,
            .offset = place(as, 0, first) * sizeof(float),
            .stride = (as == STRUCTS ? NUMBERS : 1) * sizeof(float),
            .component_stride = (place(as, 0, 1) - place(as, 0, 0)) * sizeof(float),
            .tile = as == TILES ? TILE : 0,
            .tile_stride = as == TILES ? TILE * NUMBERS * sizeof(float) : 0,
            .group = 1};
}

static es_result blend(const contestant *c)
{
    const es_field fields[] = {field_of("position", c->as, 0, 3), field_of("rotation", c->as, 3, 4),
            field_of("scale", c->as, 7, 3)};
    const es_layout layout = {fields, 3, objects * NUMBERS * sizeof(float)};
    const es_blend_tick ticks[] = {{inputs[c->as][1], 0}, {inputs[c->as][0], 0}};
    const es_blend_job job = {.layout = &layout,
            .ticks = ticks,
            .tick_count = 2,
            .out = output,
            .alpha = (double)alpha,
            .simd = c->simd,
            .stores = c->stores};
    return es__blend_run(&job, NULL);
}

static void ours(const contestant *c)
{
    if (blend(c) != ES_OK) {
        bench_fail("a blend is refused");
    }
}

/* What people write: structs, a + t (b - a), a normalised lerp. */
static void plain_loop(const contestant *c)
{
    const transform *a = (const transform *)(const void *)inputs[STRUCTS][0];
    const transform *b = (const transform *)(const void *)inputs[STRUCTS][1];
    transform *out = (transform *)(void *)output;
    (void)c;
    for (size_t i = 0; i < objects; ++i) {
        const float *p = a[i].rotation, *q = b[i].rotation;
        float r[4];
        for (int k = 0; k < 3; ++k) {
            out[i].position[k] = a[i].position[k] + alpha * (b[i].position[k] - a[i].position[k]);
            out[i].scale[k] = a[i].scale[k] + alpha * (b[i].scale[k] - a[i].scale[k]);
        }
        float dot = p[0] * q[0] + p[1] * q[1] + p[2] * q[2] + p[3] * q[3];
        float sign = dot < 0 ? -1.0F : 1.0F;
        for (int k = 0; k < 4; ++k) {
            r[k] = p[k] + alpha * (sign * q[k] - p[k]);
        }
        float length = sqrtf(r[0] * r[0] + r[1] * r[1] + r[2] * r[2] + r[3] * r[3]);
        for (int k = 0; k < 4; ++k) {
            out[i].rotation[k] = r[k] / length;
        }
    }
}

/* The first is what speeds are compared with. */
static contestant contestants[] = {
        {.name = "triad", .run = triad, .stores = ES_STORES_CACHED},
        {.name = "triad, streamed", .run = triad, .stores = ES_STORES_STREAMED},
        {.name = "arrays", .run = ours, .as = ARRAYS},
        {.name = "arrays, avx2", .run = ours, .as = ARRAYS, .simd = ES_SIMD_AVX2},
        {.name = "arrays, sse2", .run = ours, .as = ARRAYS, .simd = ES_SIMD_SSE2},
        {.name = "arrays, neon", .run = ours, .as = ARRAYS, .simd = ES_SIMD_NEON},
        {.name = "arrays, scalar", .run = ours, .as = ARRAYS, .simd = ES_SIMD_SCALAR},
        {.name = "tiles of 16", .run = ours, .as = TILES},
        {.name = "structs", .run = ours, .as = STRUCTS},
        {.name = "plain loop over structs, nlerp", .run = plain_loop, .as = STRUCTS},
};
enum { COUNT = sizeof contestants / sizeof contestants[0] };

/* --- measuring -------------------------------------------------------------------------------- */

/* Small worlds several times. */
static void run(void *user)
{
    const contestant *c = user;
    for (size_t done = 0; done < ONCE; done += objects) {
        c->run(c);
    }
}

static void measure(void)
{
    bench_case cases[COUNT];
    bench_figures figures[COUNT];
    int count = 0;
    for (int i = 0; i < COUNT; ++i) {
        if (contestants[i].run != ours
                || blend(&contestants[i]) == ES_OK) { /* this machine has it */
            cases[count++] = (bench_case){contestants[i].name, NULL, run, &contestants[i],
                    (double)(objects > ONCE ? objects : ONCE)};
        }
    }
    bench_measure(cases, count, ROUNDS, figures);
    printf("%8zu objects%24s %12s %12s\n", objects, "", "ns/object", "x triad");
    for (int i = 0; i < count; ++i) {
        printf("  %-42s %12.3f %12.2f\n", cases[i].name, figures[i].median,
                figures[0].median / figures[i].median);
    }
}

int main(void)
{
    static const size_t sizes[] = {1024, 32768, MOST};
    float *memory = bench_alloc((2 * ARRANGEMENTS + 1) * (MOST * NUMBERS + 1344) * sizeof *memory);
    memory = (float *)(void *)(((uintptr_t)memory + 63) / 64 * 64);
    for (int i = 0; i <= 2 * ARRANGEMENTS; ++i) { /* some lines apart: other sets of the cache */
        *(i < 2 * ARRANGEMENTS ? &inputs[i / 2][i % 2] : &output) =
                memory + (size_t)i * (MOST * NUMBERS + 1328);
    }
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; ++i) {
        objects = sizes[i];
        fill();
        measure();
    }
    return 0;
}
