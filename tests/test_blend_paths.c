/* SPDX-License-Identifier: Zlib
 *
 * The ways that a blend takes through memory: each test is a layout or a job for which a shorter
 * way is at hand but wrong, or right but easily missed. Small and exact; random worlds are in
 * test_blend.c.
 */
#include "evenstep/blend.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "test_support.h"

#define PATTERN         0xA5

static es_layout layout_of(const es_field *fields, size_t count, size_t size)
{
    es_layout layout = {fields, count, size};
    es_error error = {NULL, NULL};
    if (es_layout_validate(&layout, &error) != ES_OK) {
        fail_msg("%s %s", error.field, error.reason);
    }
    return layout;
}

static float get(const void *state, const es_field *field, size_t element, size_t component)
{
    float value = 0;
    const unsigned char *bytes = state;
    memcpy(&value, bytes + es_field_at(field, element, component), sizeof value);
    return value;
}

static void put(void *state, const es_field *field, size_t element, size_t component, float value)
{
    unsigned char *bytes = state;
    memcpy(bytes + es_field_at(field, element, component), &value, sizeof value);
}

/* A small whole number of its own for each number of a state. */
static float number_of(size_t field, size_t element, size_t component)
{
    return (float)(field * 4096 + element * 16 + component);
}

/* Every field from its numbers to 4 more. */
static void fill_pair(const es_layout *layout, void *from, void *to)
{
    for (size_t i = 0; i < layout->field_count; ++i) {
        const es_field *field = &layout->fields[i];
        for (size_t e = 0; e < field->count; ++e) {
            for (size_t c = 0; c < field->components; ++c) {
                put(from, field, e, c, number_of(i, e, c));
                put(to, field, e, c, number_of(i, e, c) + 4);
            }
        }
    }
}

/* Blends a quarter of the way, by every instruction set, and in two parts: every number is 1 more,
 * every other byte untouched. */
static void check_quarter(const es_layout *layout, void *from, void *to, unsigned char *out)
{
    unsigned char *expected = malloc(layout->state_size);
    assert_non_null(expected);
    fill_pair(layout, from, to);
    memset(expected, PATTERN, layout->state_size);
    for (size_t i = 0; i < layout->field_count; ++i) {
        const es_field *field = &layout->fields[i];
        for (size_t e = 0; e < field->count; ++e) {
            for (size_t c = 0; c < field->components; ++c) {
                put(expected, field, e, c, number_of(i, e, c) + 1);
            }
        }
    }
    es_blend_tick ticks[] = {{to, 0}, {from, 0}};
    es_blend_job job = {
            .layout = layout, .ticks = ticks, .tick_count = 2, .out = out, .alpha = 0.25};
    for (int simd = ES_SIMD_AUTO; simd <= ES_SIMD_NEON; ++simd) {
        job.simd = (es_simd)simd;
        for (job.parts = 1; es_simd_is_available(job.simd) && job.parts <= 2; ++job.parts) {
            memset(out, PATTERN, layout->state_size);
            for (job.part = 0; job.part < job.parts; ++job.part) {
                assert_int_equal(es_blend_run(&job, NULL), ES_OK);
            }
            assert_memory_equal(out, expected, layout->state_size);
        }
    }
    free(expected);
}

static es_field floats(const char *name, size_t count, size_t components, size_t offset)
{
    es_field field = {.name = name,
            .type = ES_TYPE_F32,
            .blend = ES_BLEND_LINEAR,
            .count = count,
            .components = components,
            .offset = offset,
            .stride = sizeof(float) * components};
    return field;
}

/* ---- structs ---- */

typedef struct pair {
    float a[2];
    float b[2];
} pair;

/* Both fields have the same alpha, but not between the same ticks. */
static void test_a_delayed_field_of_a_packed_struct_is_older(void **state)
{
    (void)state;
    enum { N = 70 };
    static const double delays[][2] = {{0, 0}, {0, 1}, {1, 0}, {1, 1}, {0, 0.5}};
    static const float shown[][2] = {
            {0.75F, 0.75F}, {0.75F, 0.25F}, {0.25F, 0.75F}, {0.25F, 0.25F}, {0.75F, 0.5F}};
    static pair worlds[3][N], out[N];
    es_field fields[] = {floats("a", N, 2, 0), floats("b", N, 2, 8)};
    const es_blend_tick ticks[] = {{worlds[2], 20}, {worlds[1], 10}, {worlds[0], 0}};
    for (size_t tick = 0; tick < 3; ++tick) {
        for (size_t i = 0; i < N; ++i) {
            float at = (float)tick / 2;
            worlds[tick][i] = (pair){{at, at + 8}, {at + 16, at + 32}};
        }
    }
    for (size_t i = 0; i < COUNT_OF(delays); ++i) {
        for (size_t k = 0; k < 2; ++k) {
            fields[k].stride = sizeof(pair);
            fields[k].delay_ticks = delays[i][k];
        }
        es_layout layout = layout_of(fields, 2, sizeof out);
        es_blend_job job = {.layout = &layout,
                .ticks = ticks,
                .tick_count = 3,
                .out = out,
                .timed = true,
                .content_ns = 15};
        memset(out, PATTERN, sizeof out);
        assert_int_equal(es_blend_run(&job, NULL), ES_OK);
        for (size_t e = 0; e < N; ++e) {
            assert_true(out[e].a[0] == shown[i][0] && out[e].a[1] == shown[i][0] + 8);
            assert_true(out[e].b[0] == shown[i][1] + 16 && out[e].b[1] == shown[i][1] + 32);
        }
    }
}

/* Two fields of equal stride, together as many numbers as a struct: but of two arrays, one after
 * the other or shifted into the other's gaps; or really of one. */
static void test_two_arrays_of_structs_are_not_one(void **state)
{
    (void)state;
    enum { N = 70, STRIDE = 16 };
    static const size_t offsets[][2] = {{0, STRIDE * N}, {0, STRIDE + 8}, {8, 4 * STRIDE},
            {0, 5 * STRIDE + 8}, {8, STRIDE * N + 8}, {0, 8}, {32, 40}};
    static _Alignas(8) unsigned char from[2 * STRIDE * N + 64], to[sizeof from], out[sizeof from];
    for (size_t i = 0; i < COUNT_OF(offsets); ++i) {
        for (size_t order = 0; order < 2; ++order) {
            es_field fields[] = {
                    floats("x", N, 2, offsets[i][order]), floats("y", N, 2, offsets[i][1 - order])};
            fields[0].stride = STRIDE;
            fields[1].stride = STRIDE;
            es_layout layout = layout_of(fields, 2, sizeof from);
            check_quarter(&layout, from, to, out);
        }
    }
}

/* Wherever in the struct the gap is. */
static void test_a_gap_in_a_struct_keeps_its_bytes(void **state)
{
    (void)state;
    enum { N = 70, STRIDE = 16 };
    static const size_t offsets[][2] = {{0, 12}, {0, 8}, {4, 12}, {8, 0}, {8, 4}};
    static _Alignas(8) unsigned char from[STRIDE * N], to[sizeof from], out[sizeof from];
    for (size_t i = 0; i < COUNT_OF(offsets); ++i) {
        es_field fields[] = {floats("x", N, 2, offsets[i][0]), floats("y", N, 1, offsets[i][1])};
        fields[0].stride = STRIDE;
        fields[1].stride = STRIDE;
        es_layout layout = layout_of(fields, 2, sizeof from);
        check_quarter(&layout, from, to, out);
    }
}

/* More than are done together. */
static void test_any_number_of_fields_is_blended(void **state)
{
    (void)state;
    enum { N = 70, MOST = 17 };
    static const char *const names[MOST] = {
            "a", "b", "c", "d", "e", "f", "g", "h", "i", "j", "k", "l", "m", "n", "o", "p", "q"};
    static _Alignas(64) unsigned char from[4 * MOST * 96], to[sizeof from], out[sizeof from];
    static const size_t tiles[] = {0, 4, 16};
    for (size_t i = 0; i < COUNT_OF(tiles) * (MOST + 1 - 7); ++i) {
        es_field fields[MOST];
        size_t tile = tiles[i % COUNT_OF(tiles)], count = 7 + i / COUNT_OF(tiles);
        for (size_t k = 0; k < count; ++k) {
            fields[k] = floats(names[k], N, 1, 4 * k);
            fields[k].stride = 4 * count;
            if (tile != 0) { /* an array per field in each tile */
                fields[k].offset = 4 * k * tile;
                fields[k].stride = 4;
                fields[k].tile = tile;
                fields[k].tile_stride = 4 * count * tile;
            }
        }
        es_layout layout = layout_of(fields, count, sizeof from);
        check_quarter(&layout, from, to, out);
    }
}

/* ---- tiles ---- */

static void test_fields_of_different_tiles_are_both_blended(void **state)
{
    (void)state;
    enum { N = 64, BYTES = N * 2 * 4 };
    static const size_t tiles[][2] = {{16, 32}, {32, 16}, {4, 8}, {8, 4}, {16, 0}, {0, 16}};
    static _Alignas(64) unsigned char from[2 * BYTES], to[sizeof from], out[sizeof from];
    for (size_t i = 0; i < COUNT_OF(tiles); ++i) {
        es_field fields[] = {floats("x", N, 2, 0), floats("y", N, 2, BYTES)};
        for (size_t k = 0; k < 2; ++k) {
            size_t tile = tiles[i][k];
            fields[k].stride = 4;
            fields[k].component_stride = tile != 0 ? 4 * tile : 4 * N;
            fields[k].tile = tile;
            fields[k].tile_stride = 8 * tile;
        }
        es_layout layout = layout_of(fields, 2, sizeof from);
        check_quarter(&layout, from, to, out);
    }
}

static size_t below(test_random *random, size_t n)
{
    return (size_t)random_below(random, (int64_t)n);
}

/* A world twice: its fields in tiles, in some order with gaps, and each as planes. */
typedef struct tiled_world {
    es_field tiled[5];
    es_field planes[5];
    size_t count;
    size_t size;
} tiled_world;

enum { TILED_MOST = 200, TILED_NUMBERS = 2048 * 4 };

static tiled_world random_tiles(test_random *random)
{
    static const char *const names[] = {"a", "b", "c", "d", "e"};
    static const size_t tiles[] = {16, 16, 24, 32, 48};
    size_t tile = tiles[below(random, COUNT_OF(tiles))], at = 0, plane = 0;
    size_t count = 1 + below(random, TILED_MOST);
    tiled_world w = {.count = 1 + below(random, 5)};
    size_t gap = below(random, 3) == 0 ? 4 : 64; /* off the cache lines, or on them */
    for (size_t k = 0; k < w.count; ++k) {
        bool turns = below(random, 3) == 0;
        es_field field = floats(names[k], count, turns ? 4 : 1 + below(random, 4), 0);
        field.blend = turns ? ES_BLEND_ROTATION : ES_BLEND_LINEAR;
        field.stride = 4;
        w.planes[k] = w.tiled[k] = field;
        at += below(random, 3) == 0 ? gap : 0;
        w.tiled[k].offset = at;
        w.tiled[k].component_stride = 4 * tile;
        w.tiled[k].tile = tile;
        w.planes[k].offset = plane;
        w.planes[k].component_stride = 4 * count;
        at += field.components * 4 * tile;
        plane += field.components * 4 * count;
    }
    size_t stride = at + gap * below(random, 3);
    for (size_t k = 0; k < w.count; ++k) {
        w.tiled[k].tile_stride = stride;
    }
    if (w.count > 1 && below(random, 2) == 0) { /* named in another order than they lie */
        es_field first = w.tiled[0], same = w.planes[0];
        w.tiled[0] = w.tiled[w.count - 1];
        w.tiled[w.count - 1] = first;
        w.planes[0] = w.planes[w.count - 1];
        w.planes[w.count - 1] = same;
    }
    w.size = stride * ((count + tile - 1) / tile);
    return w;
}

/* Mostly near one another and, as quaternions, near unit length; now and then anything. */
static void fill_tiles(test_random *random, const tiled_world *w, float *const tiled[2],
        float *const planes[2], size_t rarity)
{
    static const float odd[] = {0, -0.0F, INFINITY, -INFINITY, NAN, FLT_MAX, -FLT_MAX, FLT_MIN, 3};
    for (size_t k = 0; k < w->count; ++k) {
        for (size_t e = 0; e < w->planes[k].count; ++e) {
            bool strange = rarity > 0 && below(random, rarity) == 0;
            for (size_t c = 0; c < w->planes[k].components; ++c) {
                for (size_t tick = 0; tick < 2; ++tick) {
                    float value = 0.5F + (float)below(random, 9) * 1e-6F;
                    value = below(random, 4) == 0 ? -value : value;
                    value = strange ? odd[below(random, COUNT_OF(odd))] : value;
                    put(tiled[tick], &w->tiled[k], e, c, value);
                    put(planes[tick], &w->planes[k], e, c, value);
                }
            }
        }
    }
}

/* Number for number what planes show, and not a byte between them. */
static void check_tiles(const tiled_world *w, const unsigned char *tiled,
        const unsigned char *planes, unsigned char *expected)
{
    memset(expected, PATTERN, w->size);
    for (size_t k = 0; k < w->count; ++k) {
        for (size_t e = 0; e < w->planes[k].count; ++e) {
            for (size_t c = 0; c < w->planes[k].components; ++c) {
                float value = get(planes, &w->planes[k], e, c), is = get(tiled, &w->tiled[k], e, c);
                assert_true(isnan(value) == isnan(is));
                put(expected, &w->tiled[k], e, c, isnan(value) ? is : value);
            }
        }
    }
    assert_memory_equal(expected, tiled, w->size);
}

static void test_tiles_show_what_planes_show(void **state)
{
    (void)state;
    static _Alignas(64) float tiled[2][TILED_NUMBERS], planes[2][TILED_NUMBERS];
    static _Alignas(64) unsigned char out[sizeof tiled[0]], shown[sizeof tiled[0]];
    static unsigned char expected[sizeof tiled[0]];
    static const size_t rarities[] = {0, 300, 5};
    float *const tiled_ticks[] = {tiled[0], tiled[1]}, *const plane_ticks[] = {
                                                               planes[0], planes[1]};
    test_random random = {11};
    for (size_t i = 0; i < 3000 / TEST_SHARE; ++i) {
        tiled_world w = random_tiles(&random);
        es_layout in_tiles = layout_of(w.tiled, w.count, sizeof out);
        es_layout in_planes = layout_of(w.planes, w.count, sizeof out);
        fill_tiles(&random, &w, tiled_ticks, plane_ticks, rarities[i % 3]);
        es_blend_tick ticks[] = {{planes[1], 0}, {planes[0], 0}};
        es_blend_job job = {
                .layout = &in_planes, .ticks = ticks, .tick_count = 2, .out = shown, .alpha = 0.3};
        job.quality = i / 3 % 2 == 0 ? ES_QUALITY_EXACT : ES_QUALITY_FAST;
        assert_int_equal(es_blend_run(&job, NULL), ES_OK);
        job.layout = &in_tiles;
        ticks[0].state = tiled[1];
        ticks[1].state = tiled[0];
        job.out = out;
        job.parts = 1 + (uint32_t)below(&random, 3);
        job.stores = below(&random, 2) == 0 ? ES_STORES_CACHED : ES_STORES_STREAMED;
        for (int simd = ES_SIMD_AUTO; simd <= ES_SIMD_NEON; ++simd) {
            job.simd = (es_simd)simd;
            memset(out, PATTERN, sizeof out);
            for (job.part = 0; es_simd_is_available(job.simd) && job.part < job.parts; ++job.part) {
                assert_int_equal(es_blend_run(&job, NULL), ES_OK);
            }
            if (es_simd_is_available(job.simd)) {
                check_tiles(&w, out, shown, expected);
            }
        }
    }
}

/* ---- what moves ---- */

/* Packed, or an array per component: whatever lies how, each number goes its own way. */
static void test_each_component_has_its_own_motion(void **state)
{
    (void)state;
    enum { N = 70, BYTES = N * 3 * 4 };
    static const es_prediction on = {
            .kind = ES_PREDICT_BALLISTIC, .correct = ES_CORRECT_SNAP, .max_ns = 10000000000};
    static _Alignas(8) unsigned char ticks_of[2][3 * BYTES], out[3 * BYTES];
    const es_blend_tick ticks[] = {{ticks_of[1], 1000000000}, {ticks_of[0], 0}};
    for (size_t planes = 0; planes < 8; ++planes) {
        es_field fields[] = {floats("p", N, 3, 0), floats("v", N, 3, BYTES),
                floats("a", N, 3, (size_t)2 * BYTES)};
        for (size_t k = 0; k < 3; ++k) {
            fields[k].stride = (planes >> k & 1) != 0 ? 4 : 12;
            fields[k].component_stride = (planes >> k & 1) != 0 ? (size_t)4 * N : 0;
        }
        fields[0].velocity = "v";
        fields[0].acceleration = "a";
        fields[0].prediction = &on;
        es_layout layout = layout_of(fields, 3, sizeof out);
        fill_pair(&layout, ticks_of[0], ticks_of[1]);
        es_blend_job job = {.layout = &layout,
                .ticks = ticks,
                .tick_count = 2,
                .out = out,
                .timed = true,
                .content_ns = 3000000000};
        assert_int_equal(es_blend_run(&job, NULL), ES_OK);
        for (size_t i = 0; i < (size_t)N * 3; ++i) {
            size_t e = i / 3, c = i % 3;
            float p = get(ticks_of[1], &fields[0], e, c), v = get(ticks_of[1], &fields[1], e, c);
            float a = get(ticks_of[1], &fields[2], e, c);
            assert_true(get(out, &fields[0], e, c) == p + 2 * v + 2 * a);
        }
    }
}

/* ---- streams ---- */

static void fill_random(test_random *random, float *numbers, size_t count)
{
    for (size_t i = 0; i < count; ++i) {
        numbers[i] = (float)(random_below(random, 2001) - 1000) / 1000;
    }
}

/* Where it is linear: each number by itself. */
static void check_lines(
        const es_field *field, const float *from, const float *to, const unsigned char *out)
{
    for (size_t e = 0; field->blend == ES_BLEND_LINEAR && e < field->count; ++e) {
        for (size_t c = 0; c < field->components; ++c) {
            float a = get(from, field, e, c), b = get(to, field, e, c);
            assert_true(get(out, field, e, c) == es_lerp_f32(a, b, 0.3F));
        }
    }
}

/* Streamed bytes, of every instruction set, are the cached ones of the scalar. */
static void check_streamed(const es_layout *layout, const float *from, const float *to,
        unsigned char *cached, unsigned char *streamed)
{
    es_blend_tick ticks[] = {{to, 0}, {from, 0}};
    es_blend_job job = {
            .layout = layout, .ticks = ticks, .tick_count = 2, .out = cached, .alpha = 0.3};
    job.simd = ES_SIMD_SCALAR;
    job.stores = ES_STORES_CACHED;
    memset(cached, PATTERN, layout->state_size);
    assert_int_equal(es_blend_run(&job, NULL), ES_OK);
    check_lines(layout->fields, from, to, cached);
    job.out = streamed;
    job.stores = ES_STORES_STREAMED;
    for (int simd = ES_SIMD_AUTO; simd <= ES_SIMD_NEON; ++simd) {
        job.simd = (es_simd)simd;
        if (es_simd_is_available(job.simd)) {
            memset(streamed, PATTERN, layout->state_size);
            assert_int_equal(es_blend_run(&job, NULL), ES_OK);
            assert_memory_equal(cached, streamed, layout->state_size);
        }
    }
}

/* The first component of a tile begins a cache line, the others do not. */
static void test_tiles_off_the_cache_lines_are_not_streamed(void **state)
{
    (void)state;
    enum { N = 93, TILE = 20, NUMBERS = 5 * 128 };
    static const size_t places[][3] = {{0, 80, 320}, {0, 80, 384}, {0, 84, 384}, {0, 96, 384},
            {16, 96, 384}, {0, 128, 512}, {4, 128, 512}};
    static const es_blend_kind kinds[] = {ES_BLEND_LINEAR, ES_BLEND_ROTATION};
    static _Alignas(64) float from[NUMBERS], to[NUMBERS];
    static _Alignas(64) unsigned char cached[sizeof from], streamed[sizeof from];
    test_random random = {6};
    for (size_t i = 0; i < 2 * COUNT_OF(places); ++i) {
        const size_t *place = places[i / 2];
        es_field field = floats("p", N, 4, place[0]);
        field.blend = kinds[i % 2];
        field.stride = 4;
        field.component_stride = place[1];
        field.tile = TILE;
        field.tile_stride = place[2];
        es_layout layout = layout_of(&field, 1, sizeof from);
        fill_random(&random, from, NUMBERS);
        fill_random(&random, to, NUMBERS);
        check_streamed(&layout, from, to, cached, streamed);
    }
}

/* Planes of any length, one at the end of the other or a little apart. */
static void test_planes_off_the_cache_lines_are_not_streamed(void **state)
{
    (void)state;
    enum { MOST = 70, NUMBERS = 4 * MOST + 32 };
    static const es_blend_kind kinds[] = {ES_BLEND_LINEAR, ES_BLEND_ROTATION};
    static _Alignas(64) float from[NUMBERS], to[NUMBERS];
    static _Alignas(64) unsigned char cached[sizeof from], streamed[sizeof from];
    test_random random = {66};
    fill_random(&random, from, NUMBERS);
    fill_random(&random, to, NUMBERS);
    for (size_t count = 1; count <= MOST; ++count) {
        for (size_t i = 0; i < 16; ++i) {
            size_t shift = i / 4; /* in floats */
            es_field field = floats("p", count, 4, 4 * shift);
            field.blend = kinds[i % 2];
            field.stride = 4;
            field.component_stride = 4 * (count + i / 2 % 2);
            es_layout layout = layout_of(&field, 1, sizeof from);
            check_streamed(&layout, from, to, cached, streamed);
        }
    }
}

static float *aligned(void *memory)
{
    unsigned char *bytes = memory;
    assert_non_null(memory);
    return (float *)(void *)(bytes + (64 - (uintptr_t)memory % 64) % 64);
}

/* As large as what is streamed unasked. */
static void test_a_large_state_is_as_cached(void **state)
{
    (void)state;
    const size_t bytes = (size_t)17 << 20, n = bytes / 4 / 8;
    es_field fields[] = {floats("x", n, 4, 0), floats("q", n, 4, bytes / 2)};
    void *memory[4];
    test_random random = {17};
    for (size_t k = 0; k < 2; ++k) {
        fields[k].stride = 4;
        fields[k].component_stride = 4 * n;
    }
    fields[1].blend = ES_BLEND_ROTATION;
    for (size_t i = 0; i < 4; ++i) {
        memory[i] = malloc(bytes + 64);
        memset(aligned(memory[i]), PATTERN, bytes);
    }
    fill_random(&random, aligned(memory[0]), bytes / 4);
    fill_random(&random, aligned(memory[1]), bytes / 4);
    es_layout layout = layout_of(fields, 2, bytes);
    es_blend_tick ticks[] = {{aligned(memory[1]), 0}, {aligned(memory[0]), 0}};
    es_blend_job job = {.layout = &layout, .ticks = ticks, .tick_count = 2, .alpha = 0.3};
    job.out = aligned(memory[2]);
    job.stores = ES_STORES_AUTO;
    assert_int_equal(es_blend_run(&job, NULL), ES_OK);
    job.out = aligned(memory[3]);
    job.stores = ES_STORES_CACHED;
    assert_int_equal(es_blend_run(&job, NULL), ES_OK);
    /* not by cmocka: it would print every byte that differs */
    assert_int_equal(memcmp(aligned(memory[2]), aligned(memory[3]), bytes), 0);
    for (size_t i = 0; i < 4; ++i) {
        free(memory[i]);
    }
}

/* ---- masks ---- */

enum { MASKED = 1000, WORDS = (MASKED + 63) / 64 };

typedef struct masked {
    float x[MASKED];
    float at[MASKED][3];
} masked;

static const es_field masked_fields[] = {
        {"x", ES_TYPE_F32, ES_BLEND_LINEAR, MASKED, 1, offsetof(masked, x), 4, .group = 1},
        {"at", ES_TYPE_F32, ES_BLEND_LINEAR, MASKED, 3, offsetof(masked, at), 12, .group = 1},
};

/* As the mask says, and as the list of the same objects does. */
static void check_masked(const uint64_t mask[WORDS])
{
    static masked from, to, expected, out;
    static uint32_t indices[MASKED];
    es_layout layout = layout_of(masked_fields, 2, sizeof out);
    size_t listed = 0;
    fill_pair(&layout, &from, &to);
    memset(&expected, PATTERN, sizeof expected);
    for (uint32_t e = 0; e < MASKED; ++e) {
        if ((mask[e / 64] >> (e % 64) & 1) != 0) {
            indices[listed] = e;
            listed += 1;
            expected.x[e] = number_of(0, e, 0) + 1;
            for (size_t c = 0; c < 3; ++c) {
                expected.at[e][c] = number_of(1, e, c) + 1;
            }
        }
    }
    es_blend_tick ticks[] = {{&to, 0}, {&from, 0}};
    es_blend_pick by_mask = {.group = 1, .mask = mask};
    es_blend_pick by_list = {.group = 1, .indices = indices, .index_count = listed};
    es_blend_job job = {.layout = &layout,
            .ticks = ticks,
            .tick_count = 2,
            .out = &out,
            .alpha = 0.25,
            .pick_count = 1};
    for (size_t i = 0; i < 6; ++i) {
        job.picks = i % 2 == 0 ? &by_mask : &by_list;
        job.parts = (uint32_t)(1 + i / 2);
        memset(&out, PATTERN, sizeof out);
        for (job.part = 0; job.part < job.parts; ++job.part) {
            assert_int_equal(es_blend_run(&job, NULL), ES_OK);
        }
        assert_memory_equal(&out, &expected, sizeof out);
    }
}

static void test_a_mask_is_as_its_list(void **state)
{
    (void)state;
    uint64_t mask[WORDS] = {0};
    check_masked(mask);
    mask[3 / 64] |= UINT64_C(1) << 3 % 64;
    mask[300 / 64] |= UINT64_C(1) << 300 % 64;
    mask[999 / 64] |= UINT64_C(1) << 999 % 64;
    check_masked(mask);
    /* whole words between thin ones, dense ones, and bits beyond the last object */
    for (size_t i = 0; i < WORDS; ++i) {
        static const uint64_t words[] = {UINT64_MAX, 0x8000000000000001, 0, UINT64_MAX - 1,
                0x5555555555555555, UINT64_MAX >> 1, 0x100};
        mask[i] = words[i % COUNT_OF(words)];
    }
    check_masked(mask);
    memset(mask, 0xFF, sizeof mask);
    check_masked(mask);
    mask[0] = 0; /* more than a chunk of single objects */
    for (size_t i = 1; i < WORDS; ++i) {
        mask[i] = 0xFFFFFFFFFFFFFFF7;
    }
    check_masked(mask);
}

/* ---- curves that keep within their ends ---- */

enum { CURVES = 10000 };

/* Coarse numbers, so that some are equal, or a few of the last bits apart. */
static void make_curves(test_random *random, double *p, double *v, bool is_f32)
{
    double bit = is_f32 ? (double)FLT_EPSILON : DBL_EPSILON;
    for (size_t i = 0; i < CURVES; ++i) {
        double whole = (double)(random_below(random, 2001) - 1000);
        double bits = (double)random_below(random, 9) * bit;
        p[i] = i % 3 == 0 ? 1 + bits : i % 3 == 1 ? whole : whole / 1000;
        v[i] = (double)(random_below(random, 2001) - 1000) * (i % 2 == 0 ? 1000 : 1);
    }
}

static void store(void *to, const double *from, bool is_f32)
{
    for (size_t i = 0; i < CURVES; ++i) {
        if (is_f32) {
            ((float *)to)[i] = (float)from[i];
        } else {
            ((double *)to)[i] = from[i];
        }
    }
}

static double load(const void *from, size_t i, bool is_f32)
{
    return is_f32 ? (double)((const float *)from)[i] : ((const double *)from)[i];
}

typedef struct curves {
    double p[CURVES]; /* or floats */
    double v[CURVES];
} curves;

static void check_within(es_blend_job *job, const curves *from, const curves *to, bool is_f32)
{
    static curves out;
    job->out = &out;
    for (int simd = ES_SIMD_SCALAR; simd <= ES_SIMD_NEON; ++simd) {
        job->simd = (es_simd)simd;
        if (!es_simd_is_available(job->simd)) {
            continue;
        }
        memset(&out, 0xFF, sizeof out);
        assert_int_equal(es_blend_run(job, NULL), ES_OK);
        for (size_t i = 0; i < CURVES; ++i) {
            double a = load(from->p, i, is_f32), b = load(to->p, i, is_f32);
            double shown = load(out.p, i, is_f32);
            assert_true(shown >= (a < b ? a : b) && shown <= (a < b ? b : a));
        }
    }
}

static void test_monotone_keeps_within_its_ends(void **state)
{
    (void)state;
    static curves worlds[4];
    static double p[CURVES], v[CURVES];
    static const int64_t times[][4] = {
            {40, 30, 20, 10}, {1040, 40, 30, 10}, {1003, 1002, 2, 1}, {3000, 2999, 1000, 1}};
    test_random random = {8};
    for (size_t i = 0; i < 4 * COUNT_OF(times); ++i) {
        bool is_f32 = i % 2 == 0;
        es_blend_tick ticks[4];
        es_field fields[] = {floats("p", CURVES, 1, 0), floats("v", CURVES, 1, sizeof worlds[0].p)};
        for (size_t k = 0; k < 2; ++k) {
            fields[k].type = is_f32 ? ES_TYPE_F32 : ES_TYPE_F64;
            fields[k].stride = is_f32 ? 4 : 8;
        }
        fields[0].blend = ES_BLEND_MONOTONE;
        fields[0].velocity = i / 2 % 2 == 0 ? NULL : "v";
        es_layout layout = layout_of(fields, 2, sizeof(curves));
        for (size_t tick = 0; tick < 4; ++tick) {
            make_curves(&random, p, v, is_f32);
            store(worlds[tick].p, p, is_f32);
            store(worlds[tick].v, v, is_f32);
            ticks[tick].state = &worlds[tick];
            ticks[tick].time_ns = times[i / 4][tick] * 1000003;
        }
        es_blend_job job = {.layout = &layout, .ticks = ticks, .tick_count = 4, .timed = true};
        for (size_t k = i % TEST_STEP; k < 3 * 16; k += TEST_STEP) {
            size_t newer = k % 3;
            int64_t from_ns = ticks[newer + 1].time_ns, to_ns = ticks[newer].time_ns;
            int64_t part_ns = (to_ns - from_ns) / 17;
            job.content_ns = k / 3 == 15 ? to_ns - 1 : from_ns + part_ns * (int64_t)(k / 3 + 1);
            check_within(&job, &worlds[newer + 1], &worlds[newer], is_f32);
        }
    }
}

/* ---- circles ---- */

enum { LANES = 70 };

static es_field circle(es_type type, double period)
{
    es_field field = {.name = "p",
            .type = type,
            .blend = ES_BLEND_CYCLIC,
            .count = LANES,
            .components = 1,
            .stride = ES_TYPE_SIZE(type),
            .group = 1,
            .period = period};
    return field;
}

/* Byte for byte what the function for one value says; by one alpha, and by alphas of their own. */
static void check_circle(
        const es_field *field, const void *from, const void *to, const void *by_function)
{
    static double out[LANES];
    float alphas[LANES];
    es_layout layout = layout_of(field, 1, LANES * field->stride);
    es_blend_tick ticks[] = {{to, 0}, {from, 0}};
    es_blend_pick pick = {.group = 1, .alphas = alphas};
    es_blend_job job = {.layout = &layout,
            .ticks = ticks,
            .tick_count = 2,
            .out = out,
            .alpha = 0.25,
            .picks = &pick};
    for (size_t i = 0; i < LANES; ++i) {
        alphas[i] = i == 0 ? 0 : 0.25F; /* the first is from[0]: they are not all equal */
    }
    for (int simd = ES_SIMD_SCALAR; simd <= ES_SIMD_NEON; ++simd) {
        job.simd = (es_simd)simd;
        for (job.pick_count = 0; es_simd_is_available(job.simd) && job.pick_count < 2;
                ++job.pick_count) {
            memset(out, PATTERN, sizeof out);
            assert_int_equal(es_blend_run(&job, NULL), ES_OK);
            if (job.pick_count == 1) {
                assert_memory_equal(out, from, field->stride);
                memcpy(out, by_function, field->stride);
            }
            assert_memory_equal(out, by_function, layout.state_size);
        }
    }
}

/* In periods: where the shorter way changes. */
static const double apart[] = {0.5, -0.5, 1.5, -1.5, 1, -1, 0, 2.5, -2.5, 0.25, 1.25, -0.75};

static void check_circle_f32(float period, float start)
{
    float from[LANES], to[LANES], expected[LANES];
    es_field field = circle(ES_TYPE_F32, (double)period);
    for (size_t shift = 0; shift < 3 * COUNT_OF(apart); ++shift) {
        for (size_t i = 0; i < LANES; ++i) {
            size_t which = i + shift;
            from[i] = start;
            to[i] = start + (float)apart[which / 3 % COUNT_OF(apart)] * period;
            to[i] = which % 3 == 1   ? nextafterf(to[i], INFINITY)
                    : which % 3 == 2 ? nextafterf(to[i], -INFINITY)
                                     : to[i];
            expected[i] = es_cyclic_f32(from[i], to[i], 0.25F, period);
        }
        check_circle(&field, from, to, expected);
    }
}

static void check_circle_f64(double period, double start)
{
    double from[LANES], to[LANES], expected[LANES];
    es_field field = circle(ES_TYPE_F64, period);
    for (size_t shift = 0; shift < 3 * COUNT_OF(apart); ++shift) {
        for (size_t i = 0; i < LANES; ++i) {
            size_t which = i + shift;
            from[i] = start;
            to[i] = start + apart[which / 3 % COUNT_OF(apart)] * period;
            to[i] = which % 3 == 1   ? nextafter(to[i], (double)INFINITY)
                    : which % 3 == 2 ? nextafter(to[i], (double)-INFINITY)
                                     : to[i];
            expected[i] = es_cyclic_f64(from[i], to[i], 0.25, period);
        }
        check_circle(&field, from, to, expected);
    }
}

static void test_half_a_turn_is_as_the_function_says(void **state)
{
    (void)state;
    static const double periods[] = {1, 24, 360, 0.1, 3.14159, 9e29, 1.1e30, 1e38};
    for (size_t i = 0; i < COUNT_OF(periods); ++i) {
        check_circle_f32((float)periods[i], 0);
        check_circle_f32((float)periods[i], (float)(periods[i] / 4));
        check_circle_f64(periods[i], 0);
        check_circle_f64(periods[i], periods[i] / 4);
    }
    check_circle_f64(9e289, 1);
    check_circle_f64(1.1e290, 1);
    /* the definition, not only the function: half a turn goes forward */
    assert_true(es_cyclic_f32(0, 0.5F, 0.25F, 1) == 0.125F);
    assert_true(es_cyclic_f32(0, -0.5F, 0.25F, 1) == 0.125F);
    assert_true(es_cyclic_f32(0, 1.5F, 0.25F, 1) == 0.125F);
    assert_true(es_cyclic_f32(0, 5e29F, 0.25F, 2e30F) == 5e29F);
    assert_true(es_cyclic_f64(0, -1.5, 0.25, 1) == 0.125);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
            cmocka_unit_test(test_a_delayed_field_of_a_packed_struct_is_older),
            cmocka_unit_test(test_two_arrays_of_structs_are_not_one),
            cmocka_unit_test(test_a_gap_in_a_struct_keeps_its_bytes),
            cmocka_unit_test(test_any_number_of_fields_is_blended),
            cmocka_unit_test(test_fields_of_different_tiles_are_both_blended),
            cmocka_unit_test(test_tiles_show_what_planes_show),
            cmocka_unit_test(test_each_component_has_its_own_motion),
            cmocka_unit_test(test_tiles_off_the_cache_lines_are_not_streamed),
            cmocka_unit_test(test_planes_off_the_cache_lines_are_not_streamed),
            cmocka_unit_test(test_a_large_state_is_as_cached),
            cmocka_unit_test(test_a_mask_is_as_its_list),
            cmocka_unit_test(test_monotone_keeps_within_its_ends),
            cmocka_unit_test(test_half_a_turn_is_as_the_function_says),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
