/* SPDX-License-Identifier: Zlib
 *
 * Whole worlds: how fast es_blend_run is in each arrangement of memory.
 *
 * Each size is a world of that many objects: position and scale (3 floats each) and rotation (a
 * quaternion): 40 bytes, of which a blend reads two and writes one, 120 bytes per object. Beside it
 * in the same run, in an order shuffled anew each round: STREAM's triad out = a + s b over the same
 * bytes, with plain and with streaming stores; loops over structs with cglm, where its headers are;
 * and the plain scalar loop that people write. Positions alone (2 and 3 floats) against a triad of
 * their own bytes.
 *
 * A figure is the median over the rounds. Ratios are of figures of one round, so that other
 * load on the machine affects both sides. Nine in ten objects turn up to 10 degrees per tick, the rest up
 * to 115.
 *
 *   bench_blend [--rounds N] [--objects N] [--only TEXT]
 */
#define _GNU_SOURCE
#include "evenstep/blend.h"
#include "evenstep/clock.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#if defined(__has_include)
#if __has_include(<cglm/cglm.h>)
#define HAVE_CGLM 1
#if defined(__GNUC__)
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wpedantic"
#pragma GCC diagnostic ignored "-Wconversion"
#pragma GCC diagnostic ignored "-Wshadow"
#pragma GCC diagnostic ignored "-Wstrict-prototypes"
#endif
#include <cglm/cglm.h>
#if defined(__GNUC__)
#pragma GCC diagnostic pop
#endif
#endif
#endif
#ifndef HAVE_CGLM
#define HAVE_CGLM 0
#endif

#if defined(__x86_64__) && defined(__GNUC__)
#include <immintrin.h>
#define X86 1
#else
#define X86 0
#endif

enum { NUMBERS = 10, TILE = 16, ROUNDS_MOST = 101, CONTESTANTS_MOST = 40 };

static const float alpha = 0.37F;

/* ---- the world: previous and current in three arrangements, and the output ---- */

typedef enum arrangement { PLANES, TILES, STRUCTS, ARRANGEMENTS } arrangement;

typedef struct transform {
    float position[3];
    float rotation[4];
    float scale[3];
} transform;

static float *inputs[ARRANGEMENTS][2]; /* previous, current: the same world in each arrangement */
static float *output;
static size_t objects;

static void *huge(size_t bytes)
{
    size_t page = (size_t)2 << 20;
    unsigned char *at = mmap(
            NULL, bytes + 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (at == MAP_FAILED) {
        fprintf(stderr, "bench_blend: no memory\n");
        exit(1);
    }
    madvise(at, bytes + 2 * page, MADV_HUGEPAGE);
    return at + (page - (uintptr_t)at % page);
}

static uint64_t seed = 1;

static double fraction(void)
{
    seed = seed * UINT64_C(6364136223846793005) + 1442695040888963407U;
    return (double)(seed >> 11) / 9007199254740992.0;
}

/* Where number k (0-2 position, 3-6 rotation, 7-9 scale) of object i lies, in floats. */
static size_t place(arrangement as, size_t i, size_t k)
{
    switch (as) {
    case PLANES:
        return k * objects + i;
    case TILES:
        return i / TILE * (TILE * NUMBERS) + k * TILE + i % TILE;
    default:
        return i * NUMBERS + k;
    }
}

static void random_unit(double q[4])
{
    double length = 0;
    while (length < 0.01 || length > 1) {
        length = 0;
        for (int k = 0; k < 4; ++k) {
            q[k] = 2 * fraction() - 1;
            length += q[k] * q[k];
        }
    }
    for (int k = 0; k < 4; ++k) {
        q[k] /= sqrt(length);
    }
}

/* A quaternion some degrees of rotation from q. */
static void turned(const double q[4], double degrees, double out[4])
{
    double other[4], dot = 0, length = 0, half = degrees * 3.14159265358979 / 360;
    random_unit(other);
    for (int k = 0; k < 4; ++k) {
        dot += other[k] * q[k];
    }
    for (int k = 0; k < 4; ++k) {
        other[k] -= dot * q[k];
        length += other[k] * other[k];
    }
    for (int k = 0; k < 4; ++k) {
        out[k] = q[k] * cos(half) + other[k] / sqrt(length) * sin(half);
    }
}

static void put(size_t i, size_t k, double before, double now)
{
    for (int as = 0; as < ARRANGEMENTS; ++as) {
        inputs[as][0][place((arrangement)as, i, k)] = (float)before;
        inputs[as][1][place((arrangement)as, i, k)] = (float)now;
    }
}

static void fill(void)
{
    seed = 1;
    for (size_t i = 0; i < objects; ++i) {
        double a[4], b[4];
        random_unit(a);
        turned(a, (i % 10 != 0 ? 10 : 115) * fraction(), b);
        for (size_t k = 0; k < NUMBERS; ++k) {
            bool turn = k >= 3 && k < 7;
            double value = fraction();
            put(i, k, turn ? a[k - 3] : value, turn ? b[k - 3] : value + 0.01 * fraction());
        }
    }
}

/* ---- contestants ---- */

typedef void (*work)(void);

typedef struct contestant {
    const char *name;
    work run;
    size_t numbers; /* per object */
} contestant;

static void triad_plain(float *out, const float *a, const float *b, size_t n)
{
    for (size_t i = 0; i < n; ++i) {
        out[i] = a[i] + alpha * b[i];
    }
}

#if X86
__attribute__((target("avx512f"))) static void triad_wide(
        float *out, const float *a, const float *b, size_t n, bool stream)
{
    __m512 s = _mm512_set1_ps(alpha);
    for (size_t i = 0; i + 16 <= n; i += 16) {
        __m512 sum = _mm512_loadu_ps(a + i) + s * _mm512_loadu_ps(b + i);
        if (stream) {
            _mm512_stream_ps(out + i, sum);
        } else {
            _mm512_storeu_ps(out + i, sum);
        }
    }
}

__attribute__((target("avx"))) static void triad_narrow(
        float *out, const float *a, const float *b, size_t n, bool stream)
{
    __m256 s = _mm256_set1_ps(alpha);
    for (size_t i = 0; i + 8 <= n; i += 8) {
        __m256 sum = _mm256_loadu_ps(a + i) + s * _mm256_loadu_ps(b + i);
        if (stream) {
            _mm256_stream_ps(out + i, sum);
        } else {
            _mm256_storeu_ps(out + i, sum);
        }
    }
}
#endif

static void triad_numbers(size_t numbers, bool stream)
{
    size_t n = numbers * objects;
#if X86
    if (__builtin_cpu_supports("avx512f")) {
        triad_wide(output, inputs[PLANES][0], inputs[PLANES][1], n, stream);
        _mm_sfence();
        return;
    }
    if (__builtin_cpu_supports("avx2")) {
        triad_narrow(output, inputs[PLANES][0], inputs[PLANES][1], n, stream);
        _mm_sfence();
        return;
    }
#endif
    (void)stream;
    triad_plain(output, inputs[PLANES][0], inputs[PLANES][1], n);
}

static void triad(void)
{
    triad_numbers(NUMBERS, false);
}

static void triad_streamed(void)
{
    triad_numbers(NUMBERS, true);
}

static void triad_2(void)
{
    triad_numbers(2, false);
}

static void triad_3(void)
{
    triad_numbers(3, false);
}

static es_field field_of(const char *name, arrangement as, size_t first, size_t components)
{
    es_field f = {0};
    f.name = name;
    f.type = ES_TYPE_F32;
    f.blend = components == 4 ? ES_BLEND_ROTATION : ES_BLEND_LINEAR;
    f.count = objects;
    f.components = components;
    f.offset = place(as, 0, first) * sizeof(float);
    f.stride = (as == STRUCTS ? NUMBERS : 1) * sizeof(float);
    f.component_stride = (place(as, 0, 1) - place(as, 0, 0)) * sizeof(float);
    f.tile = as == TILES ? TILE : 0;
    f.tile_stride = as == TILES ? TILE * NUMBERS * sizeof(float) : 0;
    return f;
}

static es_result blend_fields(
        arrangement as, const es_field *fields, size_t count, es_simd simd, es_stores stores)
{
    const es_layout layout = {fields, count, objects * NUMBERS * sizeof(float)};
    const es_blend_tick ticks[] = {{inputs[as][1], 0}, {inputs[as][0], 0}};
    es_blend_job job = {0};
    job.layout = &layout;
    job.ticks = ticks;
    job.tick_count = 2;
    job.out = output;
    job.alpha = (double)alpha;
    job.simd = simd;
    job.stores = stores;
    return es_blend_run(&job, NULL);
}

static es_result blend(arrangement as, es_simd simd, es_stores stores)
{
    const es_field fields[] = {field_of("position", as, 0, 3), field_of("rotation", as, 3, 4),
            field_of("scale", as, 7, 3)};
    return blend_fields(as, fields, 3, simd, stores);
}

#define BLEND(name, as, simd, stores)                                                              \
    static void name(void)                                                                         \
    {                                                                                              \
        blend(as, simd, stores);                                                                   \
    }

BLEND(planes_auto, PLANES, ES_SIMD_AUTO, ES_STORES_AUTO)
BLEND(planes_cached, PLANES, ES_SIMD_AUTO, ES_STORES_CACHED)
BLEND(planes_streamed, PLANES, ES_SIMD_AUTO, ES_STORES_STREAMED)
BLEND(planes_avx2, PLANES, ES_SIMD_AVX2, ES_STORES_CACHED)
BLEND(planes_sse2, PLANES, ES_SIMD_SSE2, ES_STORES_CACHED)
BLEND(planes_neon, PLANES, ES_SIMD_NEON, ES_STORES_CACHED)
BLEND(planes_scalar, PLANES, ES_SIMD_SCALAR, ES_STORES_CACHED)
BLEND(tiles_cached, TILES, ES_SIMD_AUTO, ES_STORES_CACHED)
BLEND(tiles_streamed, TILES, ES_SIMD_AUTO, ES_STORES_STREAMED)
BLEND(structs_auto, STRUCTS, ES_SIMD_AUTO, ES_STORES_AUTO)
BLEND(structs_sse2, STRUCTS, ES_SIMD_SSE2, ES_STORES_AUTO)
BLEND(structs_scalar, STRUCTS, ES_SIMD_SCALAR, ES_STORES_AUTO)

static void positions_2(void)
{
    const es_field fields[] = {field_of("position", PLANES, 0, 2)};
    blend_fields(PLANES, fields, 1, ES_SIMD_AUTO, ES_STORES_CACHED);
}

static void positions_3(void)
{
    const es_field fields[] = {field_of("position", PLANES, 0, 3)};
    blend_fields(PLANES, fields, 1, ES_SIMD_AUTO, ES_STORES_CACHED);
}

/* What people write: structs, a + t (b - a), a normalised lerp. */
static void plain_loop(void)
{
    const transform *a = (const transform *)(const void *)inputs[STRUCTS][0];
    const transform *b = (const transform *)(const void *)inputs[STRUCTS][1];
    transform *out = (transform *)(void *)output;
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

#if HAVE_CGLM
static void cglm_loop(bool slerp)
{
    transform *a = (transform *)(void *)inputs[STRUCTS][0],
              *b = (transform *)(void *)inputs[STRUCTS][1];
    transform *out = (transform *)(void *)output;
    for (size_t i = 0; i < objects; ++i) {
        CGLM_ALIGN(16) versor p, q, r; /* cglm wants its quaternions aligned */
        glm_vec3_lerp(a[i].position, b[i].position, alpha, out[i].position);
        memcpy(p, a[i].rotation, sizeof p);
        memcpy(q, b[i].rotation, sizeof q);
        if (slerp) {
            glm_quat_slerp(p, q, alpha, r);
        } else {
            glm_quat_nlerp(p, q, alpha, r);
        }
        memcpy(out[i].rotation, r, sizeof r);
        glm_vec3_lerp(a[i].scale, b[i].scale, alpha, out[i].scale);
    }
}

static void cglm_slerp(void)
{
    cglm_loop(true);
}

static void cglm_nlerp(void)
{
    cglm_loop(false);
}
#endif

/* The first is what the ratios are taken to; one of positions, to its own triad before it. */
static const contestant contestants[] = {
        {"triad", triad, NUMBERS},
        {"triad, streamed", triad_streamed, NUMBERS},
        {"arrays", planes_auto, NUMBERS},
        {"arrays, cached", planes_cached, NUMBERS},
        {"arrays, streamed", planes_streamed, NUMBERS},
        {"arrays, avx2", planes_avx2, NUMBERS},
        {"arrays, sse2", planes_sse2, NUMBERS},
        {"arrays, neon", planes_neon, NUMBERS},
        {"arrays, scalar", planes_scalar, NUMBERS},
        {"tiles of 16, cached", tiles_cached, NUMBERS},
        {"tiles of 16, streamed", tiles_streamed, NUMBERS},
        {"structs", structs_auto, NUMBERS},
        {"structs, sse2", structs_sse2, NUMBERS},
        {"structs, scalar", structs_scalar, NUMBERS},
        {"plain loop, nlerp", plain_loop, NUMBERS},
#if HAVE_CGLM
        {"cglm nlerp", cglm_nlerp, NUMBERS},
        {"cglm slerp", cglm_slerp, NUMBERS},
#endif
        {"triad of 2 floats", triad_2, 2},
        {"2 floats", positions_2, 2},
        {"triad of 3 floats", triad_3, 3},
        {"3 floats", positions_3, 3},
};
enum { COUNT = sizeof contestants / sizeof contestants[0] };

/* ---- measuring ---- */

static es_clock stopwatch;

static double measure(const contestant *c, int reps)
{
    int64_t begin_ns = stopwatch.now_ns(stopwatch.user);
    for (int i = 0; i < reps; ++i) {
        c->run();
    }
    return (double)(stopwatch.now_ns(stopwatch.user) - begin_ns) / reps / (double)objects;
}

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double median(const double *values, int n)
{
    double sorted[ROUNDS_MOST];
    memcpy(sorted, values, (size_t)n * sizeof sorted[0]);
    qsort(sorted, (size_t)n, sizeof sorted[0], by_value);
    return sorted[n / 2];
}

static double ns[COUNT][ROUNDS_MOST];

static bool has_simd[ES_SIMD_NEON + 1];

static bool takes_part(int i, const char *only)
{
    const contestant *c = &contestants[i];
    es_simd needed = c->run == planes_avx2                             ? ES_SIMD_AVX2
                     : c->run == planes_neon                           ? ES_SIMD_NEON
                     : c->run == planes_sse2 || c->run == structs_sse2 ? ES_SIMD_SSE2
                                                                       : ES_SIMD_AUTO;
    if (!has_simd[needed]) {
        return false;
    }
    return only == NULL || strncmp(c->name, "triad", 5) == 0 || strstr(c->name, only) != NULL;
}

static void shuffle(int *order)
{
    for (int i = COUNT - 1; i > 0; --i) {
        int other = (int)(fraction() * (i + 1)), swapped = order[i];
        order[i] = order[other];
        order[other] = swapped;
    }
}

static void run_rounds(int rounds, const char *only)
{
    int order[COUNT];
    int reps = (int)(objects < 2000000 ? 2000000 / objects : 1);
    for (int i = 0; i < COUNT; ++i) {
        order[i] = i;
    }
    for (int round = 0; round < rounds; ++round) {
        shuffle(order);
        for (int i = 0; i < COUNT; ++i) {
            if (takes_part(order[i], only)) {
                ns[order[i]][round] = measure(&contestants[order[i]], reps);
            }
        }
    }
}

static double ratio(int i, int to, int rounds)
{
    double ratios[ROUNDS_MOST];
    for (int round = 0; round < rounds; ++round) {
        ratios[round] = ns[to][round] / ns[i][round];
    }
    return median(ratios, rounds);
}

static int triad_for(int i)
{
    int to = 0;
    for (int k = 0; k <= i; ++k) {
        if (strncmp(contestants[k].name, "triad", 5) == 0
                && contestants[k].numbers == contestants[i].numbers
                && strstr(contestants[k].name, "streamed") == NULL) {
            to = k;
        }
    }
    return to;
}

static int index_of(work run)
{
    for (int i = 0; i < COUNT; ++i) {
        if (contestants[i].run == run) {
            return i;
        }
    }
    return 0;
}

static void print_table(int rounds, const char *only)
{
    double first = median(ns[0], rounds);
    printf("\n%zu objects: triad %.1f GB/s\n", objects, 12.0 * NUMBERS / first);
    printf("  %-34s %10s %10s %8s %10s %8s\n", "", "ns/object", "Mobject/s", "of triad",
            "of streamed", "of plain");
    for (int i = 0; i < COUNT; ++i) {
        if (!takes_part(i, only)) {
            continue;
        }
        double each = median(ns[i], rounds);
        printf("  %-34s %10.3f %10.0f %8.2f", contestants[i].name, each, 1e3 / each,
                ratio(i, triad_for(i), rounds));
        if (contestants[i].numbers == NUMBERS) {
            printf(" %10.2f", ratio(i, index_of(triad_streamed), rounds));
            if (only == NULL) {
                printf(" %8.2f", ratio(i, index_of(plain_loop), rounds));
            }
        }
        printf("\n");
    }
    fflush(stdout);
}

static size_t option(int argc, char **argv, const char *name, size_t otherwise)
{
    for (int i = 1; i + 1 < argc; ++i) {
        if (strcmp(argv[i], name) == 0) {
            return (size_t)strtoull(argv[i + 1], NULL, 10);
        }
    }
    return otherwise;
}

int main(int argc, char **argv)
{
    static const size_t sizes[] = {256, 1024, 32768, 1 << 20, 8 << 20};
    const char *only = NULL;
    int rounds = (int)option(argc, argv, "--rounds", 21);
    size_t one = option(argc, argv, "--objects", 0);
    for (int i = 1; i + 1 < argc; ++i) {
        only = strcmp(argv[i], "--only") == 0 ? argv[i + 1] : only;
    }
    if (rounds < 1 || rounds > ROUNDS_MOST || es_clock_system(&stopwatch) != ES_OK) {
        fprintf(stderr, "bench_blend: --rounds must be 1 to %d\n", ROUNDS_MOST);
        return 2;
    }
    size_t most = one != 0 ? one : sizes[4];
    for (int i = 0; i < 2 * ARRANGEMENTS; ++i) {
        /* some lines apart, so that they do not fall on the same sets of a cache */
        inputs[i / 2][i % 2] = (float *)huge(most * NUMBERS * sizeof(float) + 65536) + i * 1344;
    }
    output = (float *)huge(most * NUMBERS * sizeof(float) + 65536) + 8 * 1344;
    objects = 1;
    for (int simd = ES_SIMD_AUTO; simd <= ES_SIMD_NEON; ++simd) {
        has_simd[simd] = blend(PLANES, (es_simd)simd, ES_STORES_CACHED) == ES_OK;
    }
    printf("%d rounds\n", rounds);
    for (int i = 0; i < 5; ++i) {
        objects = one != 0 ? one : sizes[i];
        fill();
        run_rounds(rounds, only);
        print_table(rounds, only);
        if (one != 0) {
            break;
        }
    }
    return 0;
}
