/* SPDX-License-Identifier: Zlib
 *
 * Whole worlds: what es_blend_run makes of the memory that the state lies in.
 *
 * Each size is a world of that many objects: position and scale (3 floats each) and rotation (a
 * quaternion): 40 bytes, of which a blend reads two and writes one, 120 bytes per object. Beside it
 * in the same run, in an order shuffled anew each round: STREAM's triad out = a + s b over the same
 * bytes, with plain and with streaming stores; loops over structs with cglm, where its headers are;
 * and the plain scalar loop that people write. Positions alone (2 and 3 floats) against a triad of
 * their own bytes.
 *
 * A figure is the median over the rounds. Ratios are of figures of one round, so that what else the
 * machine does falls on both sides. Nine in ten objects turn up to 10 degrees per tick, the rest up
 * to 115.
 *
 *   bench_blend [--rounds N] [--objects N] [--only TEXT]
 */
#define _GNU_SOURCE
#include "evenstep/blend.h"
#include "evenstep/clock.h"

#include <math.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
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

/* A quaternion this many degrees of rotation from q. */
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

/* One of `parts` threads' share; part 0 of 1: all. */
typedef void (*work)(uint32_t part, uint32_t parts);

typedef struct contestant {
    const char *name;
    work run;
    arrangement as;
    uint32_t threads;
    size_t numbers; /* per object */
    size_t most;    /* objects; 0: any */
} contestant;

static size_t from_of(size_t n, uint32_t part, uint32_t parts)
{
    return n / 64 * part / parts * 64;
}

static size_t to_of(size_t n, uint32_t part, uint32_t parts)
{
    return part + 1 == parts ? n : from_of(n, part + 1, parts);
}

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

static void triad_numbers(size_t numbers, uint32_t part, uint32_t parts, bool stream)
{
    size_t n = numbers * objects, from = from_of(n, part, parts), to = to_of(n, part, parts);
    float *out = output + from;
    const float *a = inputs[PLANES][0] + from, *b = inputs[PLANES][1] + from;
#if X86
    if (es_simd_is_available(ES_SIMD_AVX512)) {
        triad_wide(out, a, b, to - from, stream);
        _mm_sfence();
        return;
    }
    if (es_simd_is_available(ES_SIMD_AVX2)) {
        triad_narrow(out, a, b, to - from, stream);
        _mm_sfence();
        return;
    }
#endif
    (void)stream;
    triad_plain(out, a, b, to - from);
}

static void triad(uint32_t part, uint32_t parts)
{
    triad_numbers(NUMBERS, part, parts, false);
}

static void triad_streamed(uint32_t part, uint32_t parts)
{
    triad_numbers(NUMBERS, part, parts, true);
}

static void triad_2(uint32_t part, uint32_t parts)
{
    triad_numbers(2, part, parts, false);
}

static void triad_3(uint32_t part, uint32_t parts)
{
    triad_numbers(3, part, parts, false);
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

static void blend(arrangement as, es_simd simd, es_stores stores, es_quality quality, uint32_t part,
        uint32_t parts)
{
    const es_field fields[] = {field_of("position", as, 0, 3), field_of("rotation", as, 3, 4),
            field_of("scale", as, 7, 3)};
    const es_layout layout = {fields, 3, objects * NUMBERS * sizeof(float)};
    const es_blend_tick ticks[] = {{inputs[as][1], 0}, {inputs[as][0], 0}};
    es_blend_job job = {0};
    es_error error;
    job.layout = &layout;
    job.ticks = ticks;
    job.tick_count = 2;
    job.out = output;
    job.alpha = (double)alpha;
    job.simd = simd;
    job.stores = stores;
    job.quality = quality;
    job.part = part;
    job.parts = parts;
    if (es_blend_run(&job, &error) != ES_OK) {
        fprintf(stderr, "bench_blend: %s %s\n", error.field, error.reason);
        exit(1);
    }
}

static void blend_positions(size_t components, es_simd simd, uint32_t part, uint32_t parts)
{
    const es_field fields[] = {field_of("position", PLANES, 0, components)};
    const es_layout layout = {fields, 1, objects * components * sizeof(float)};
    const es_blend_tick ticks[] = {{inputs[PLANES][1], 0}, {inputs[PLANES][0], 0}};
    es_blend_job job = {0};
    job.layout = &layout;
    job.ticks = ticks;
    job.tick_count = 2;
    job.out = output;
    job.alpha = (double)alpha;
    job.simd = simd;
    job.stores = ES_STORES_CACHED;
    job.part = part;
    job.parts = parts;
    es_blend_run(&job, NULL);
}

#define BLEND(name, as, simd, stores, quality)                                                     \
    static void name(uint32_t part, uint32_t parts)                                                \
    {                                                                                              \
        blend(as, simd, stores, quality, part, parts);                                             \
    }

BLEND(planes_auto, PLANES, ES_SIMD_AUTO, ES_STORES_AUTO, ES_QUALITY_EXACT)
BLEND(planes_cached, PLANES, ES_SIMD_AUTO, ES_STORES_CACHED, ES_QUALITY_EXACT)
BLEND(planes_fast, PLANES, ES_SIMD_AUTO, ES_STORES_CACHED, ES_QUALITY_FAST)
BLEND(tiles_fast, TILES, ES_SIMD_AUTO, ES_STORES_CACHED, ES_QUALITY_FAST)
BLEND(planes_streamed, PLANES, ES_SIMD_AUTO, ES_STORES_STREAMED, ES_QUALITY_EXACT)
BLEND(planes_avx2, PLANES, ES_SIMD_AVX2, ES_STORES_CACHED, ES_QUALITY_EXACT)
BLEND(planes_sse2, PLANES, ES_SIMD_SSE2, ES_STORES_CACHED, ES_QUALITY_EXACT)
BLEND(planes_neon, PLANES, ES_SIMD_NEON, ES_STORES_CACHED, ES_QUALITY_EXACT)
BLEND(planes_scalar, PLANES, ES_SIMD_SCALAR, ES_STORES_CACHED, ES_QUALITY_EXACT)
BLEND(tiles_cached, TILES, ES_SIMD_AUTO, ES_STORES_CACHED, ES_QUALITY_EXACT)
BLEND(tiles_streamed, TILES, ES_SIMD_AUTO, ES_STORES_STREAMED, ES_QUALITY_EXACT)
BLEND(structs_auto, STRUCTS, ES_SIMD_AUTO, ES_STORES_AUTO, ES_QUALITY_EXACT)
BLEND(structs_sse2, STRUCTS, ES_SIMD_SSE2, ES_STORES_AUTO, ES_QUALITY_EXACT)
BLEND(structs_scalar, STRUCTS, ES_SIMD_SCALAR, ES_STORES_AUTO, ES_QUALITY_EXACT)

static void positions_2(uint32_t part, uint32_t parts)
{
    blend_positions(2, ES_SIMD_AUTO, part, parts);
}

static void positions_3(uint32_t part, uint32_t parts)
{
    blend_positions(3, ES_SIMD_AUTO, part, parts);
}

/* What people write: structs, a + t (b - a), a normalised lerp. */
static void plain_loop(uint32_t part, uint32_t parts)
{
    const transform *a = (const transform *)(const void *)inputs[STRUCTS][0];
    const transform *b = (const transform *)(const void *)inputs[STRUCTS][1];
    transform *out = (transform *)(void *)output;
    for (size_t i = from_of(objects, part, parts); i < to_of(objects, part, parts); ++i) {
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
static void cglm_loop(uint32_t part, uint32_t parts, bool slerp)
{
    transform *a = (transform *)(void *)inputs[STRUCTS][0],
              *b = (transform *)(void *)inputs[STRUCTS][1];
    transform *out = (transform *)(void *)output;
    for (size_t i = from_of(objects, part, parts); i < to_of(objects, part, parts); ++i) {
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

static void cglm_slerp(uint32_t part, uint32_t parts)
{
    cglm_loop(part, parts, true);
}

static void cglm_nlerp(uint32_t part, uint32_t parts)
{
    cglm_loop(part, parts, false);
}
#endif

/* The first is what the ratios are taken to; one of positions, to its own triad before it. */
static const contestant contestants[] = {
        {"triad", triad, PLANES, 1, NUMBERS, 0},
        {"triad, streamed", triad_streamed, PLANES, 1, NUMBERS, 0},
        {"arrays", planes_auto, PLANES, 1, NUMBERS, 0},
        {"arrays, cached", planes_cached, PLANES, 1, NUMBERS, 0},
        {"arrays, cached, fast", planes_fast, PLANES, 1, NUMBERS, 0},
        {"arrays, streamed", planes_streamed, PLANES, 1, NUMBERS, 0},
        {"arrays, avx2", planes_avx2, PLANES, 1, NUMBERS, 0},
        {"arrays, sse2", planes_sse2, PLANES, 1, NUMBERS, 0},
        {"arrays, neon", planes_neon, PLANES, 1, NUMBERS, 0},
        {"arrays, scalar", planes_scalar, PLANES, 1, NUMBERS, 0},
        {"tiles of 16, cached", tiles_cached, TILES, 1, NUMBERS, 0},
        {"tiles of 16, cached, fast", tiles_fast, TILES, 1, NUMBERS, 0},
        {"tiles of 16, streamed", tiles_streamed, TILES, 1, NUMBERS, 0},
        {"structs", structs_auto, STRUCTS, 1, NUMBERS, 0},
        {"structs, sse2", structs_sse2, STRUCTS, 1, NUMBERS, 0},
        {"structs, scalar", structs_scalar, STRUCTS, 1, NUMBERS, 0},
        {"plain loop, nlerp", plain_loop, STRUCTS, 1, NUMBERS, 0},
#if HAVE_CGLM
        {"cglm nlerp", cglm_nlerp, STRUCTS, 1, NUMBERS, 0},
        {"cglm slerp", cglm_slerp, STRUCTS, 1, NUMBERS, 0},
#endif
        {"triad, 2 threads", triad, PLANES, 2, NUMBERS, 0},
        {"triad, streamed, 2 threads", triad_streamed, PLANES, 2, NUMBERS, 0},
        {"arrays, 2 threads", planes_auto, PLANES, 2, NUMBERS, 0},
        {"tiles of 16, streamed, 2 threads", tiles_streamed, TILES, 2, NUMBERS, 0},
        {"structs, 2 threads", structs_auto, STRUCTS, 2, NUMBERS, 0},
        {"triad of 2 floats", triad_2, PLANES, 1, 2, 0},
        {"2 floats", positions_2, PLANES, 1, 2, 0},
        {"triad of 3 floats", triad_3, PLANES, 1, 3, 0},
        {"3 floats", positions_3, PLANES, 1, 3, 0},
};
enum { COUNT = sizeof contestants / sizeof contestants[0] };

/* ---- the second thread ---- */

static sem_t posted; /* asleep while one thread is measured */
static atomic_int
        finished; /* shares done since the start; never set back: the other may be reading */
static work posted_work;
static int posted_reps;
static int posted_from; /* `finished` when it was posted */

/* One of the two shares of round i is done: waits for the other. */
static void share_done(int from, int i)
{
    atomic_fetch_add_explicit(&finished, 1, memory_order_acq_rel);
    while (atomic_load_explicit(&finished, memory_order_acquire) - from < 2 * (i + 1)) {
    }
}

static void *helper(void *unused)
{
    (void)unused;
    for (;;) {
        while (sem_wait(&posted) != 0) {
        }
        /* its own copies: the next may be posted while it leaves the loop */
        work run = posted_work;
        int reps = posted_reps, from = posted_from;
        if (run == NULL) {
            return NULL;
        }
        for (int i = 0; i < reps; ++i) {
            run(1, 2);
            share_done(from, i);
        }
    }
}

static void run_two(work run, int reps)
{
    posted_work = run;
    posted_reps = reps;
    posted_from = atomic_load(&finished);
    int from = posted_from;
    sem_post(&posted);
    for (int i = 0; run != NULL && i < reps; ++i) {
        run(0, 2);
        share_done(from, i);
    }
}

/* ---- measuring ---- */

static es_clock stopwatch;

static double measure(const contestant *c, int reps)
{
    int64_t begin_ns = stopwatch.now_ns(stopwatch.user);
    if (c->threads == 2) {
        run_two(c->run, reps);
    } else {
        for (int i = 0; i < reps; ++i) {
            c->run(0, 1);
        }
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

static bool takes_part(int i, const char *only)
{
    const contestant *c = &contestants[i];
    es_simd needed = c->run == planes_avx2                             ? ES_SIMD_AVX2
                     : c->run == planes_neon                           ? ES_SIMD_NEON
                     : c->run == planes_sse2 || c->run == structs_sse2 ? ES_SIMD_SSE2
                                                                       : ES_SIMD_AUTO;
    if (!es_simd_is_available(needed)) {
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
                && strstr(contestants[k].name, "streamed") == NULL
                && contestants[k].threads == contestants[i].threads) {
            to = k;
        }
    }
    return to;
}

static int index_of(work run, uint32_t threads)
{
    for (int i = 0; i < COUNT; ++i) {
        if (contestants[i].run == run && contestants[i].threads == threads) {
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
            printf(" %10.2f", ratio(i, index_of(triad_streamed, contestants[i].threads), rounds));
            if (only == NULL) {
                printf(" %8.2f", ratio(i, index_of(plain_loop, 1), rounds));
            }
        }
        printf("\n");
    }
    fflush(stdout);
}

/* ---- only what moved ---- */

static uint32_t *list;
static uint64_t *mask;

static void pick_every(size_t spacing)
{
    memset(mask, 0, (objects + 63) / 64 * sizeof mask[0]);
    for (size_t i = 0; i < objects; i += spacing) {
        list[i / spacing] = (uint32_t)i;
        mask[i / 64] |= UINT64_C(1) << i % 64;
    }
}

static double moved_ns(arrangement as, const es_blend_pick *pick, size_t picked)
{
    es_field fields[] = {field_of("position", as, 0, 3), field_of("rotation", as, 3, 4),
            field_of("scale", as, 7, 3)};
    const es_layout layout = {fields, 3, objects * NUMBERS * sizeof(float)};
    const es_blend_tick ticks[] = {{inputs[as][1], 0}, {inputs[as][0], 0}};
    es_blend_job job = {0};
    double rounds[11];
    size_t reps = 200000 / picked + 1;
    for (int k = 0; k < 3; ++k) {
        fields[k].group = 1;
    }
    job.layout = &layout;
    job.ticks = ticks;
    job.tick_count = 2;
    job.out = output;
    job.alpha = (double)alpha;
    job.picks = pick;
    job.pick_count = 1;
    for (int round = 0; round < 11; ++round) {
        int64_t begin_ns = stopwatch.now_ns(stopwatch.user);
        for (size_t i = 0; i < reps; ++i) {
            es_blend_run(&job, NULL);
        }
        rounds[round] = (double)(stopwatch.now_ns(stopwatch.user) - begin_ns)
                        / ((double)reps * (double)picked);
    }
    return median(rounds, 11);
}

static void print_moved(void)
{
    static const size_t spacings[] = {100, 10, 2, 1};
    printf("  only what moved, ns per moved object: structs by list, by mask; arrays by list, by "
           "mask\n");
    for (int i = 0; i < 4; ++i) {
        size_t picked = (objects + spacings[i] - 1) / spacings[i];
        es_blend_pick by_list = {0}, by_mask = {0};
        pick_every(spacings[i]);
        by_list.group = by_mask.group = 1;
        by_list.indices = list;
        by_list.index_count = picked;
        by_mask.mask = mask;
        printf("    1 in %-4zu %8.1f %8.1f %8.1f %8.1f\n", spacings[i],
                moved_ns(STRUCTS, &by_list, picked), moved_ns(STRUCTS, &by_mask, picked),
                moved_ns(PLANES, &by_list, picked), moved_ns(PLANES, &by_mask, picked));
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
    pthread_t thread;
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
    list = huge(most * sizeof list[0]);
    mask = huge(most / 8 + 64);
    output = (float *)huge(most * NUMBERS * sizeof(float) + 65536) + 8 * 1344;
    sem_init(&posted, 0, 0);
    pthread_create(&thread, NULL, helper, NULL);
    printf("widest instruction set here: %s; %d rounds\n", es_simd_name(es_simd_best()), rounds);
    for (int i = 0; i < 5; ++i) {
        objects = one != 0 ? one : sizes[i];
        fill();
        run_rounds(rounds, only);
        print_table(rounds, only);
        if (only == NULL) {
            print_moved();
        }
        if (one != 0) {
            break;
        }
    }
    run_two(NULL, 0);
    pthread_join(thread, NULL);
    return 0;
}
