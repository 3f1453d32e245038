/* SPDX-License-Identifier: Zlib
 *
 * state: XXH3 against its published values, packed states in any arrangement in memory, which
 * numbers are different ones, and the float self-test.
 */
#include "evenstep/replay.h"
#include "evenstep/world.h"

#include "replay/state_parts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "places.h"
#include "test_support.h"
#include "world/field.h"

/* --- the hash --- */

static uint64_t hash_bytes(const void *bytes, size_t size)
{
    es__hash hash;
    es__hash_begin(&hash);
    es__hash_add(&hash, bytes, size);
    return es__hash_value(&hash);
}

/* Bytes as xxHash tests itself with. */
static void fill_published(unsigned char *bytes, size_t size)
{
    uint64_t x = UINT64_C(2654435761);
    for (size_t i = 0; i < size; ++i) {
        bytes[i] = (unsigned char)(x >> 56);
        x *= UINT64_C(11400714785074694797);
    }
}

/* Those of xxHash's own tests, of each length that takes another way; the last two are of several
 * blocks, as its program prints them. */
TEST(hash_has_the_published_values)
{
    static const struct {
        size_t size;
        uint64_t hash;
    } values[] = {{0, UINT64_C(0x2d06800538d394c2)}, {1, UINT64_C(0xc44bdff4074eecdb)},
            {6, UINT64_C(0x27b56a84cd2d7325)}, {12, UINT64_C(0xa713daf0dfbb77e7)},
            {24, UINT64_C(0xa3fe70bf9d3510eb)}, {48, UINT64_C(0x397da259ecba1f11)},
            {80, UINT64_C(0xbcdefbbb2c47c90a)}, {195, UINT64_C(0xcd94217ee362ec3a)},
            {403, UINT64_C(0xcdeb804d65c6dea4)}, {512, UINT64_C(0x617e49599013cb6b)},
            {2048, UINT64_C(0xdd59e2c3a5f038e0)}, {2099, UINT64_C(0xc6b9d9b3fc9ac765)},
            {2240, UINT64_C(0x6e73a90539cf2948)}, {2367, UINT64_C(0xcb37aeb9e5d361ed)}};
    static unsigned char bytes[2367];
    fill_published(bytes, sizeof bytes);
    for (size_t i = 0; i < sizeof values / sizeof values[0]; ++i) {
        assert_int_equal(hash_bytes(bytes, values[i].size), values[i].hash);
        assert_int_equal(es__hash_of(bytes, values[i].size), values[i].hash);
    }
    assert_int_equal(hash_bytes("abc", 3), UINT64_C(0x78af5f94892f3950));
}

/* The sum is that of the hashes of xxHash's own functions. */
TEST(hashes_of_every_length_sum_up)
{
    static unsigned char bytes[20000];
    uint64_t sum = 0;
    fill_published(bytes, sizeof bytes);
    for (size_t size = 0; size < sizeof bytes; size += size < 3000 ? 1 : 37) {
        sum = sum * 31 + hash_bytes(bytes, size);
        assert_int_equal(es__hash_of(bytes, size), hash_bytes(bytes, size));
    }
    assert_int_equal(sum, UINT64_C(0x7741b5b1150593f8));
}

TEST(hash_is_the_same_in_any_pieces)
{
    static unsigned char bytes[6000];
    test_random random = {7};
    for (size_t i = 0; i < sizeof bytes; ++i) {
        bytes[i] = (unsigned char)random_u64(&random);
    }
    for (size_t size = 0; size <= sizeof bytes; size += size < 600 ? 1 : 61) {
        uint64_t whole = hash_bytes(bytes, size);
        for (int k = 0; k < 20; ++k) {
            es__hash parts;
            es__hash_begin(&parts);
            for (size_t at = 0; at < size;) {
                size_t some = (size_t)random_below(&random, k < 10 ? 70 : 2000);
                some = some < size - at ? some : size - at;
                es__hash_add(&parts, bytes + at, some);
                at += some;
                (void)es__hash_value(&parts); /* changes nothing */
            }
            assert_int_equal(es__hash_value(&parts), whole);
        }
    }
}

/* --- one world, laid out in three ways --- */

enum { OBJECTS = 37 };

typedef struct object {
    uint8_t flag; /* and padding behind it */
    float at[3];
    double spin;
    int32_t score;
    int64_t due_ns;
    uint32_t bits;
} object;

typedef struct structs {
    object objects[OBJECTS];
    float camera;
} structs;

typedef struct arrays {
    float camera;
    int64_t due_ns[OBJECTS];
    uint32_t bits[OBJECTS];
    double spin[OBJECTS];
    float at[3][OBJECTS]; /* one array per component */
    uint8_t flag[OBJECTS];
    int32_t score[OBJECTS];
} arrays;

enum { TILE = 8, TILES = (OBJECTS + TILE - 1) / TILE };

typedef struct tiles {
    struct {
        float at[3][TILE];
        double spin[TILE];
        uint8_t flag[TILE];
        int64_t due_ns[TILE];
        int32_t score[TILE];
        uint32_t bits[TILE];
    } blocks[TILES];
    float camera;
} tiles;

#define IN_STRUCTS(member, type)                                                                   \
    type, ES_BLEND_STEP, ES_PLACE_OF_EACH(structs, objects, member, type)

static const es_field structs_fields[] = {
        {"flag", IN_STRUCTS(flag, ES_TYPE_U8), .group = 1},
        {"at", IN_STRUCTS(at, ES_TYPE_F32), .group = 1},
        {"spin", IN_STRUCTS(spin, ES_TYPE_F64), .group = 1},
        {"score", IN_STRUCTS(score, ES_TYPE_I32), .group = 2},
        {"due", IN_STRUCTS(due_ns, ES_TYPE_I64), .group = 2},
        {"bits", IN_STRUCTS(bits, ES_TYPE_U32), .group = 0},
        {"camera", ES_TYPE_F32, ES_BLEND_STEP, ES_PLACE(structs, camera, ES_TYPE_F32), .group = 0},
};
static const es_layout structs_layout = ES_LAYOUT(structs, structs_fields);

#define IN_ARRAYS(member, type) type, ES_BLEND_STEP, ES_PLACE_ARRAY(arrays, member, type)

static const es_field arrays_fields[] = {
        {"flag", IN_ARRAYS(flag, ES_TYPE_U8), .group = 1},
        {"at", ES_TYPE_F32, ES_BLEND_STEP, ES_PLACE_PLANES(arrays, at, ES_TYPE_F32), .group = 1},
        {"spin", IN_ARRAYS(spin, ES_TYPE_F64), .group = 1},
        {"score", IN_ARRAYS(score, ES_TYPE_I32), .group = 2},
        {"due", IN_ARRAYS(due_ns, ES_TYPE_I64), .group = 2},
        {"bits", IN_ARRAYS(bits, ES_TYPE_U32), .group = 0},
        {"camera", ES_TYPE_F32, ES_BLEND_STEP, ES_PLACE(arrays, camera, ES_TYPE_F32), .group = 0},
};
static const es_layout arrays_layout = ES_LAYOUT(arrays, arrays_fields);

#define IN_TILES(member, type, size)                                                               \
    type, ES_BLEND_STEP, OBJECTS, 1, offsetof(tiles, blocks[0].member), size, 0, TILE,             \
            sizeof(((tiles *)0)->blocks[0])

static const es_field tiles_fields[] = {
        {"flag", IN_TILES(flag, ES_TYPE_U8, 1), .group = 1},
        {"at", ES_TYPE_F32, ES_BLEND_STEP, OBJECTS, 3, offsetof(tiles, blocks[0].at), 4, 4 * TILE,
                TILE, sizeof(((tiles *)0)->blocks[0]), .group = 1},
        {"spin", IN_TILES(spin, ES_TYPE_F64, 8), .group = 1},
        {"score", IN_TILES(score, ES_TYPE_I32, 4), .group = 2},
        {"due", IN_TILES(due_ns, ES_TYPE_I64, 8), .group = 2},
        {"bits", IN_TILES(bits, ES_TYPE_U32, 4), .group = 0},
        {"camera", ES_TYPE_F32, ES_BLEND_STEP, ES_PLACE(tiles, camera, ES_TYPE_F32), .group = 0},
};
static const es_layout tiles_layout = ES_LAYOUT(tiles, tiles_fields);

static structs in_structs;
static arrays in_arrays;
static tiles in_tiles;

/* The same numbers in all three, and other bytes where no field is. */
static void fill(uint64_t seed)
{
    test_random random = {seed};
    memset(&in_structs, 0xAA, sizeof in_structs);
    memset(&in_arrays, 0x55, sizeof in_arrays);
    memset(&in_tiles, (int)(seed & 255), sizeof in_tiles);
    in_structs.camera = in_arrays.camera = in_tiles.camera = (float)random_below(&random, 1000);
    for (int i = 0; i < OBJECTS; ++i) {
        object *o = &in_structs.objects[i];
        int b = i / TILE, k = i % TILE;
        o->flag = in_arrays.flag[i] = in_tiles.blocks[b].flag[k] = (uint8_t)random_u64(&random);
        for (int c = 0; c < 3; ++c) {
            o->at[c] = in_arrays.at[c][i] = in_tiles.blocks[b].at[c][k] =
                    (float)random_below(&random, 4000) / 7.0F - 200.0F;
        }
        o->spin = in_arrays.spin[i] = in_tiles.blocks[b].spin[k] =
                (double)random_below(&random, 1 << 20) / 3.0;
        o->score = in_arrays.score[i] = in_tiles.blocks[b].score[k] = (int32_t)random_u64(&random);
        o->due_ns = in_arrays.due_ns[i] = in_tiles.blocks[b].due_ns[k] = random_magnitude(&random);
        o->bits = in_arrays.bits[i] = in_tiles.blocks[b].bits[k] = (uint32_t)random_u64(&random);
    }
}

TEST(the_arrangement_in_memory_does_not_matter)
{
    static unsigned char a[4096], b[4096], c[4096];
    assert_int_equal(es__layout_validate(&structs_layout, NULL), ES_OK);
    assert_int_equal(es__layout_validate(&arrays_layout, NULL), ES_OK);
    assert_int_equal(es__layout_validate(&tiles_layout, NULL), ES_OK);
    uint64_t size = es__state_packed_size(&structs_layout);
    assert_int_equal(size, OBJECTS * (1 + 12 + 8 + 4 + 8 + 4) + 4);
    assert_int_equal(es__state_packed_size(&tiles_layout), size);
    for (uint64_t seed = 1; seed < 50; ++seed) {
        fill(seed);
        assert_int_equal(es__state_pack(&structs_layout, &in_structs, 0, a, sizeof a), size);
        assert_int_equal(es__state_pack(&arrays_layout, &in_arrays, 0, b, sizeof b), size);
        assert_int_equal(es__state_pack(&tiles_layout, &in_tiles, 0, c, sizeof c), size);
        assert_memory_equal(a, b, size);
        assert_memory_equal(a, c, size);
        uint64_t hash = es_state_hash(&structs_layout, &in_structs);
        assert_int_equal(es_state_hash(&arrays_layout, &in_arrays), hash);
        assert_int_equal(es_state_hash(&tiles_layout, &in_tiles), hash);
        for (int32_t group = 0; group < 3; ++group) {
            assert_int_equal(es__state_hash_group(&structs_layout, &in_structs, group),
                    es__state_hash_group(&tiles_layout, &in_tiles, group));
        }
    }
}

/* As the header defines them. */
TEST(hashes_are_of_packed_bytes)
{
    static unsigned char packed[4096], words[7 * 8];
    fill(9);
    size_t size = es__state_pack(&structs_layout, &in_structs, 0, packed, sizeof packed), at = 0;
    for (size_t i = 0; i < 7; ++i) {
        const es_field *f = &structs_fields[i];
        size_t bytes = f->count * f->components * ES_TYPE_SIZE(f->type);
        uint64_t value = hash_bytes(packed + at, bytes);
        assert_int_equal(es__state_hash_field(f, &in_structs), value);
        for (int k = 0; k < 8; ++k) {
            words[8 * i + (size_t)k] = (unsigned char)(value >> 8 * k);
        }
        at += bytes;
    }
    assert_int_equal(at, size);
    assert_int_equal(es_state_hash(&structs_layout, &in_structs), hash_bytes(words, sizeof words));
    assert_int_equal(es__state_hash_group(&structs_layout, &in_structs, 1), hash_bytes(words, 24));
    assert_int_equal(
            es__state_hash_group(&structs_layout, &in_structs, 0), hash_bytes(words + 40, 16));
}

TEST(packs_and_unpacks_in_any_parts)
{
    static unsigned char whole[4096], part[4096];
    test_random random = {11};
    size_t size = (size_t)es__state_packed_size(&tiles_layout);
    for (uint64_t seed = 1; seed < 40; ++seed) {
        fill(seed);
        in_tiles.blocks[0].spin[0] = (double)NAN; /* also cut in two */
        in_tiles.blocks[1].at[2][3] = -NAN;
        (void)es__state_pack(&tiles_layout, &in_tiles, 0, whole, sizeof whole);
        static tiles back;
        memset(&back, 0xFF,
                sizeof back); /* NaNs everywhere: a part of a number must not become one */
        for (size_t at = 0; at < size;) {
            size_t some = 1 + (size_t)random_below(&random, seed % 2 == 0 ? 7 : 300);
            size_t expected = some < size - at ? some : size - at;
            assert_int_equal(es__state_pack(&tiles_layout, &in_tiles, at, part, some), expected);
            assert_memory_equal(part, whole + at, expected);
            assert_int_equal(
                    es__state_unpack(&tiles_layout, &back, at, whole + at, some), expected);
            at += expected;
        }
        (void)es__state_pack(&tiles_layout, &back, 0, part, sizeof part);
        assert_memory_equal(part, whole, size);
        assert_int_equal(es__state_pack(&tiles_layout, &in_tiles, size, part, 8), 0);
        assert_int_equal(es__state_pack(&tiles_layout, &in_tiles, UINT64_MAX, part, 8), 0);
        assert_int_equal(es__state_pack(&tiles_layout, &in_tiles, 0, NULL, 0), 0);
    }
}

TEST(a_copy_leaves_what_no_field_covers)
{
    static structs other;
    fill(4);
    memset(&other, 0x77, sizeof other);
    es__state_copy(&structs_layout, &other, &in_structs);
    assert_true(es__state_compare(&structs_layout, &other, &in_structs, NULL));
    assert_int_equal(((unsigned char *)&other.objects[3])[1], 0x77); /* padding */
}

/* --- differences --- */

TEST(a_change_of_any_number_is_found)
{
    static tiles other;
    fill(5);
    uint64_t hash = es_state_hash(&tiles_layout, &in_tiles);
    for (size_t f = 0; f < tiles_layout.field_count; ++f) {
        const es_field *field = &tiles_fields[f];
        size_t components = field->components != 0 ? field->components : 1;
        for (size_t i = 0; i < field->count * components; ++i) {
            es__state_difference found;
            other = in_tiles;
            size_t at = es__field_at(field, i / components, i % components);
            ((unsigned char *)&other)[at] ^= 1;
            assert_int_not_equal(es_state_hash(&tiles_layout, &other), hash);
            assert_int_not_equal(es__state_hash_group(&tiles_layout, &other, field->group),
                    es__state_hash_group(&tiles_layout, &in_tiles, field->group));
            assert_false(es__state_compare(&tiles_layout, &in_tiles, &other, &found));
            assert_ptr_equal(found.field, field);
            assert_int_equal(found.element, i / components);
            assert_int_equal(found.component, i % components);
        }
    }
}

TEST(a_difference_has_both_values)
{
    static structs other;
    es__state_difference found;
    fill(6);
    in_structs.objects[20].score = -5;
    other = in_structs;
    other.objects[20].score = 17;
    other.objects[30].due_ns += 1;
    other.camera += 1.0F;
    assert_false(es__state_compare(&structs_layout, &in_structs, &other, &found));
    assert_string_equal(found.field->name, "score");
    assert_int_equal(found.element, 20);
    assert_true(found.values[0] == -5.0 && found.values[1] == 17.0);
    assert_true(es__state_compare(&structs_layout, &in_structs, &in_structs, &found));
    assert_null(found.field);
    other = in_structs;
    other.objects[1].spin = 2.5;
    in_structs.objects[1].spin = -0.125;
    assert_false(es__state_compare(&structs_layout, &in_structs, &other, &found));
    assert_true(found.values[0] == -0.125 && found.values[1] == 2.5);
}

/* By another field of the same numbers: strided ones and solid ones are packed in different
 * ways. */
TEST(all_nans_are_one_number)
{
    static structs other;
    static const uint32_t nans[] = {0x7FC00000, 0xFFC00000, 0x7F800001, 0xFFFFFFFF, 0x7FC12345};
    static const uint64_t wide[] = {UINT64_C(0x7FF8000000000000), UINT64_C(0xFFF8000000000000),
            UINT64_C(0x7FF0000000000001), UINT64_C(0xFFFFFFFFFFFFFFFF),
            UINT64_C(0x7FF8000012345678)};
    enum { AT = OBJECTS, SPIN = OBJECTS * (1 + 12) }; /* where they are in the packed state */
    unsigned char bytes[8];
    fill(8);
    in_structs.objects[2].at[1] = NAN;
    in_structs.objects[7].spin = (double)NAN;
    for (size_t i = 0; i < 5; ++i) {
        other = in_structs;
        memcpy(&other.objects[2].at[1], &nans[i], 4);
        memcpy(&other.objects[7].spin, &wide[i], 8);
        memcpy(&in_arrays.at[1][2], &nans[i], 4);
        memcpy(&in_arrays.spin[7], &wide[i], 8);
        assert_true(es__state_compare(&structs_layout, &in_structs, &other, NULL));
        uint64_t hash = es_state_hash(&structs_layout, &in_structs);
        assert_int_equal(es_state_hash(&structs_layout, &other), hash);
        assert_int_equal(es_state_hash(&arrays_layout, &in_arrays), hash);
        assert_int_equal(es__state_pack(&structs_layout, &other, AT + 2 * 12 + 4, bytes, 4), 4);
        assert_memory_equal(bytes, "\0\0\xC0\x7F", 4);
        assert_int_equal(es__state_pack(&structs_layout, &other, SPIN + 7 * 8, bytes, 8), 8);
        assert_memory_equal(bytes, "\0\0\0\0\0\0\xF8\x7F", 8);
    }
}

TEST(infinities_are_no_nans_and_zeros_are_two_numbers)
{
    static structs other;
    for (int i = 0; i < 3; ++i) {
        fill(8);
        other = in_structs;
        in_structs.objects[2].at[1] = in_arrays.at[1][2] = i == 0 ? INFINITY : 0.5F;
        in_structs.objects[7].spin = in_arrays.spin[7] = i == 1 ? (double)INFINITY : 0.5;
        in_structs.camera = in_arrays.camera = 0.0F;
        other = in_structs;
        other.objects[2].at[1] = i == 0 ? NAN : 0.5F;
        other.objects[7].spin = i == 1 ? (double)NAN : 0.5;
        other.camera = i == 2 ? -0.0F : 0.0F;
        uint64_t hash = es_state_hash(&structs_layout, &in_structs);
        assert_int_equal(es_state_hash(&arrays_layout, &in_arrays), hash);
        assert_int_not_equal(es_state_hash(&structs_layout, &other), hash);
        assert_false(es__state_compare(&structs_layout, &in_structs, &other, NULL));
    }
}

/* A field with its numbers anywhere: in structs, planes, tiles. Returns the bytes that it spans. */
static size_t any_field(test_random *random, es_field *field)
{
    size_t components = 1 + (size_t)random_below(random, 20);
    es_type type = (es_type)(1 + random_below(random, 6));
    size_t size = ES_TYPE_SIZE(type), gap = (size_t)random_below(random, 4) * size;
    size_t count = 1 + (size_t)random_below(random, random_below(random, 4) == 0 ? 6000 : 90);
    *field = (es_field){.type = type, .count = count, .components = components};
    field->tile = random_below(random, 3) == 0 ? 1 + (size_t)random_below(random, 40) : 0;
    size_t rows = field->tile != 0 && field->tile < count ? field->tile : count;
    if (random_below(random, 2) == 0) { /* a plane for each component */
        field->stride = size + gap;
        field->component_stride = rows * field->stride;
        field->tile_stride = components * field->component_stride;
    } else {
        field->component_stride = gap == size ? 2 * size : 0;
        field->stride = components * (gap == size ? 2 * size : size) + gap;
        field->tile_stride = rows * field->stride;
    }
    field->tile_stride += gap;
    return es__field_at(field, count - 1, components - 1) + size;
}

/* Beside each number packed by itself. In a block without a byte behind the last number, for the
 * sanitizer. */
TEST(numbers_anywhere_are_packed_one_after_the_other)
{
    static unsigned char packed[6000 * 20 * 8], expected[sizeof packed];
    test_random random = {23};
    for (int run = 0; run < 2000 / TEST_SHARE; ++run) {
        es_field field, one = {.count = 1};
        size_t bytes = any_field(&random, &field), size = ES_TYPE_SIZE(field.type), all = 0;
        const es_layout layout = {&field, 1, bytes}, number = {&one, 1, bytes};
        unsigned char *memory = malloc(bytes), *back = calloc(bytes, 1);
        assert_true(memory != NULL && back != NULL);
        for (size_t i = 0; i < bytes; ++i) { /* with NaNs, and without */
            memory[i] = (unsigned char)(run % 2 == 0 ? random_u64(&random) : i * 7 % 127);
        }
        one.type = field.type;
        for (size_t i = 0; i < field.count * field.components; ++i, all += size) {
            one.offset = es__field_at(&field, i / field.components, i % field.components);
            (void)es__state_pack(&number, memory, 0, expected + all, size);
        }
        assert_int_equal(es__state_pack(&layout, memory, 0, packed, sizeof packed), all);
        assert_memory_equal(packed, expected, all);
        assert_int_equal(es__state_hash_field(&field, memory), hash_bytes(expected, all));
        assert_int_equal(es__state_unpack(&layout, back, 0, packed, all), all);
        assert_true(es__state_compare(&layout, memory, back, NULL));
        free(memory);
        free(back);
    }
}

TEST(arithmetic_is_as_everywhere)
{
    es__state_self_test first = es__state_self_test_run(), second = es__state_self_test_run();
    assert_int_equal(first.arithmetic, ES__SELF_TEST_ARITHMETIC);
    assert_int_equal(second.arithmetic, first.arithmetic);
    assert_int_equal(second.library, first.library);
}

TEST(differences_of_large_fields_have_their_place)
{
    enum { MANY = 4400 };
    static float f32[MANY], other[MANY];
    static const es_field field = {
            .name = "x", .type = ES_TYPE_F32, .count = MANY / 3, .components = 3, .stride = 12};
    static const es_layout layout = {&field, 1, sizeof other};
    es__state_difference found;
    memcpy(other, f32, sizeof other);
    other[4000] += 1.0F;
    assert_false(es__state_compare(&layout, f32, other, &found));
    assert_int_equal(found.element, 4000 / 3);
    assert_int_equal(found.component, 4000 % 3);
}

TEST_MAIN("state", NULL)
