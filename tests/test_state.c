/* SPDX-License-Identifier: Zlib
 *
 * state: XXH3 against its published values, packed states however they lie in memory, what is a
 * difference and what is none, and the float self-test.
 */
#include "evenstep/state.h"

#include <fenv.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "test_support.h"
#include "world/field.h"

/* --- the hash --- */

static uint64_t hash_text(const char *text, uint64_t seed)
{
    es_hash hash;
    es_hash_begin(&hash, seed);
    es_hash_add(&hash, text, strlen(text));
    return es_hash_value(&hash);
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

/* The values that xxHash's own tests have, of each length that goes another way; and two of several
 * blocks, which its own program prints. */
static void hash_has_the_published_values(void **context)
{
    (void)context;
    static const struct {
        size_t size;
        uint64_t plain, seeded;
    } values[] = {{1, UINT64_C(0xc44bdff4074eecdb), UINT64_C(0x032be332dd766ef8)},
            {6, UINT64_C(0x27b56a84cd2d7325), UINT64_C(0x84589c116ab59ab9)},
            {12, UINT64_C(0xa713daf0dfbb77e7), UINT64_C(0xe7303e1b2336de0e)},
            {24, UINT64_C(0xa3fe70bf9d3510eb), UINT64_C(0x850e80fc35bdd690)},
            {48, UINT64_C(0x397da259ecba1f11), UINT64_C(0xadc2cbaa44acc616)},
            {80, UINT64_C(0xbcdefbbb2c47c90a), UINT64_C(0xc6dd0cb699532e73)},
            {195, UINT64_C(0xcd94217ee362ec3a), UINT64_C(0xba68003d370cb3d9)},
            {403, UINT64_C(0xcdeb804d65c6dea4), UINT64_C(0x6259f6ecfd6443fd)},
            {512, UINT64_C(0x617e49599013cb6b), UINT64_C(0x3ce457de14c27708)},
            {2048, UINT64_C(0xdd59e2c3a5f038e0), UINT64_C(0x66f81670669ababc)},
            {2099, UINT64_C(0xc6b9d9b3fc9ac765), UINT64_C(0x184f316843663974)},
            {2240, UINT64_C(0x6e73a90539cf2948), UINT64_C(0x757ba8487d1b5247)},
            {2367, UINT64_C(0xcb37aeb9e5d361ed), UINT64_C(0xd2db3415b942b42a)}};
    static unsigned char bytes[2367];
    fill_published(bytes, sizeof bytes);
    for (size_t i = 0; i < sizeof values / sizeof values[0]; ++i) {
        es_hash hash;
        es_hash_begin(&hash, 0);
        es_hash_add(&hash, bytes, values[i].size);
        assert_int_equal(es_hash_value(&hash), values[i].plain);
        es_hash_begin(&hash, UINT64_C(0x9E3779B185EBCA8D));
        es_hash_add(&hash, bytes, values[i].size);
        assert_int_equal(es_hash_value(&hash), values[i].seeded);
    }
    assert_int_equal(hash_text("", 0), UINT64_C(0x2d06800538d394c2));
    assert_int_equal(hash_text("a", 0), UINT64_C(0xe6c632b61e964e1f));
    assert_int_equal(hash_text("abc", 0), UINT64_C(0x78af5f94892f3950));
}

/* Every length, of which the sum is what xxHash's own functions come to. */
static void hash_of_every_length(void **context)
{
    (void)context;
    static unsigned char bytes[20000];
    uint64_t sum = 0;
    fill_published(bytes, sizeof bytes);
    for (size_t size = 0; size < sizeof bytes; size += size < 3000 ? 1 : 37) {
        for (uint64_t seed = 0; seed < 3; ++seed) {
            es_hash hash;
            es_hash_begin(&hash, seed);
            es_hash_add(&hash, bytes, size);
            sum = sum * 31 + es_hash_value(&hash);
        }
    }
    assert_int_equal(sum, UINT64_C(0x329767669bdfacce));
}

static void hash_is_the_same_in_any_pieces(void **context)
{
    (void)context;
    static unsigned char bytes[6000];
    test_random random = {7};
    for (size_t i = 0; i < sizeof bytes; ++i) {
        bytes[i] = (unsigned char)random_u64(&random);
    }
    for (size_t size = 0; size <= sizeof bytes; size += size < 600 ? 1 : 61) {
        es_hash whole;
        es_hash_begin(&whole, 3);
        es_hash_add(&whole, bytes, size);
        for (int k = 0; k < 20; ++k) {
            es_hash parts;
            es_hash_begin(&parts, 3);
            for (size_t at = 0; at < size;) {
                size_t some = (size_t)random_below(&random, k < 10 ? 70 : 2000);
                some = some < size - at ? some : size - at;
                es_hash_add(&parts, bytes + at, some);
                at += some;
                (void)es_hash_value(&parts); /* changes nothing */
            }
            assert_int_equal(es_hash_value(&parts), es_hash_value(&whole));
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

/* The same numbers in all three, and something else in what no field covers. */
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

static void arrangement_does_not_show(void **context)
{
    (void)context;
    static unsigned char a[4096], b[4096], c[4096];
    assert_int_equal(es_layout_validate(&structs_layout, NULL), ES_OK);
    assert_int_equal(es_layout_validate(&arrays_layout, NULL), ES_OK);
    assert_int_equal(es_layout_validate(&tiles_layout, NULL), ES_OK);
    uint64_t size = es_state_packed_size(&structs_layout);
    assert_int_equal(size, OBJECTS * (1 + 12 + 8 + 4 + 8 + 4) + 4);
    assert_int_equal(es_state_packed_size(&tiles_layout), size);
    for (uint64_t seed = 1; seed < 50; ++seed) {
        fill(seed);
        assert_int_equal(es_state_pack(&structs_layout, &in_structs, 0, a, sizeof a), size);
        assert_int_equal(es_state_pack(&arrays_layout, &in_arrays, 0, b, sizeof b), size);
        assert_int_equal(es_state_pack(&tiles_layout, &in_tiles, 0, c, sizeof c), size);
        assert_memory_equal(a, b, size);
        assert_memory_equal(a, c, size);
        uint64_t hash = es_state_hash(&structs_layout, &in_structs);
        assert_int_equal(es_state_hash(&arrays_layout, &in_arrays), hash);
        assert_int_equal(es_state_hash(&tiles_layout, &in_tiles), hash);
        for (size_t i = 0; i < 3; ++i) {
            int32_t group = es_state_group(&structs_layout, i);
            assert_int_equal(es_state_hash_group(&structs_layout, &in_structs, group),
                    es_state_hash_group(&tiles_layout, &in_tiles, group));
        }
    }
}

/* What the header says a hash is, done by hand. */
static void hashes_are_of_packed_bytes(void **context)
{
    (void)context;
    static unsigned char packed[4096], words[7 * 8];
    fill(9);
    size_t size = es_state_pack(&structs_layout, &in_structs, 0, packed, sizeof packed), at = 0;
    for (size_t i = 0; i < 7; ++i) {
        const es_field *f = &structs_fields[i];
        size_t bytes = f->count * f->components * ES_TYPE_SIZE(f->type);
        es_hash hash;
        es_hash_begin(&hash, 0);
        es_hash_add(&hash, packed + at, bytes);
        uint64_t value = es_hash_value(&hash);
        assert_int_equal(es_state_hash_field(f, &in_structs), value);
        for (int k = 0; k < 8; ++k) {
            words[8 * i + (size_t)k] = (unsigned char)(value >> 8 * k);
        }
        at += bytes;
    }
    assert_int_equal(at, size);
    es_hash hash;
    es_hash_begin(&hash, 0);
    es_hash_add(&hash, words, sizeof words);
    assert_int_equal(es_state_hash(&structs_layout, &in_structs), es_hash_value(&hash));
    es_hash_begin(&hash, 0);
    es_hash_add(&hash, words, 24);
    assert_int_equal(es_state_hash_group(&structs_layout, &in_structs, 1), es_hash_value(&hash));
    es_hash_begin(&hash, 0);
    es_hash_add(&hash, words + 40, 16);
    assert_int_equal(es_state_hash_group(&structs_layout, &in_structs, 0), es_hash_value(&hash));
}

static void packs_and_unpacks_in_any_parts(void **context)
{
    (void)context;
    static unsigned char whole[4096], part[4096];
    test_random random = {11};
    size_t size = (size_t)es_state_packed_size(&tiles_layout);
    for (uint64_t seed = 1; seed < 40; ++seed) {
        fill(seed);
        in_tiles.blocks[0].spin[0] = (double)NAN; /* also cut in two */
        in_tiles.blocks[1].at[2][3] = -NAN;
        (void)es_state_pack(&tiles_layout, &in_tiles, 0, whole, sizeof whole);
        static tiles back;
        memset(&back, 0xFF, sizeof back); /* NaNs everywhere: parts must not be taken for one */
        for (size_t at = 0; at < size;) {
            size_t some = 1 + (size_t)random_below(&random, seed % 2 == 0 ? 7 : 300);
            size_t expected = some < size - at ? some : size - at;
            assert_int_equal(es_state_pack(&tiles_layout, &in_tiles, at, part, some), expected);
            assert_memory_equal(part, whole + at, expected);
            assert_int_equal(es_state_unpack(&tiles_layout, &back, at, whole + at, some), expected);
            at += expected;
        }
        (void)es_state_pack(&tiles_layout, &back, 0, part, sizeof part);
        assert_memory_equal(part, whole, size);
        assert_int_equal(es_state_pack(&tiles_layout, &in_tiles, size, part, 8), 0);
        assert_int_equal(es_state_pack(&tiles_layout, &in_tiles, UINT64_MAX, part, 8), 0);
        assert_int_equal(es_state_pack(&tiles_layout, &in_tiles, 0, NULL, 0), 0);
    }
}

static void copies_fields_and_nothing_else(void **context)
{
    (void)context;
    static structs other;
    fill(4);
    memset(&other, 0x77, sizeof other);
    es_state_copy(&structs_layout, &other, &in_structs);
    assert_true(es_state_compare(&structs_layout, &other, &in_structs, NULL));
    assert_int_equal(((unsigned char *)&other.objects[3])[1], 0x77); /* padding */
}

/* --- differences --- */

static void every_number_counts(void **context)
{
    (void)context;
    static tiles other;
    fill(5);
    uint64_t hash = es_state_hash(&tiles_layout, &in_tiles);
    for (size_t f = 0; f < tiles_layout.field_count; ++f) {
        const es_field *field = &tiles_fields[f];
        size_t components = field->components != 0 ? field->components : 1;
        for (size_t i = 0; i < field->count * components; ++i) {
            es_state_difference found;
            other = in_tiles;
            size_t at = es__field_at(field, i / components, i % components);
            ((unsigned char *)&other)[at] ^= 1;
            assert_int_not_equal(es_state_hash(&tiles_layout, &other), hash);
            assert_int_not_equal(es_state_hash_group(&tiles_layout, &other, field->group),
                    es_state_hash_group(&tiles_layout, &in_tiles, field->group));
            assert_false(es_state_compare(&tiles_layout, &in_tiles, &other, &found));
            assert_ptr_equal(found.field, field);
            assert_int_equal(found.element, i / components);
            assert_int_equal(found.component, i % components);
            assert_int_equal(found.differences, 1);
        }
    }
}

static void a_difference_has_both_values(void **context)
{
    (void)context;
    static structs other;
    es_state_difference found;
    fill(6);
    in_structs.objects[20].score = -5;
    other = in_structs;
    other.objects[20].score = 17;
    other.objects[30].due_ns += 1;
    other.camera += 1.0F;
    assert_false(es_state_compare(&structs_layout, &in_structs, &other, &found));
    assert_string_equal(found.field->name, "score");
    assert_int_equal(found.element, 20);
    assert_true(found.values[0] == -5.0 && found.values[1] == 17.0);
    assert_int_equal(found.bits[0], UINT32_C(0xFFFFFFFB));
    assert_int_equal(found.bits[1], 17);
    assert_int_equal(found.differences, 3);
    assert_true(es_state_compare(&structs_layout, &in_structs, &in_structs, &found));
    assert_null(found.field);
    other = in_structs;
    other.objects[1].spin = 2.5;
    in_structs.objects[1].spin = -0.125;
    assert_false(es_state_compare(&structs_layout, &in_structs, &other, &found));
    assert_true(found.values[0] == -0.125 && found.values[1] == 2.5);
    assert_int_equal(found.bits[1], UINT64_C(0x4004000000000000));
}

static void nans_are_one_and_zeros_are_two(void **context)
{
    (void)context;
    static structs other;
    static const uint32_t nans[] = {0x7FC00000, 0xFFC00000, 0x7F800001, 0xFFFFFFFF, 0x7FC12345};
    static const uint64_t wide[] = {UINT64_C(0x7FF8000000000000), UINT64_C(0xFFF8000000000000),
            UINT64_C(0x7FF0000000000001), UINT64_C(0xFFFFFFFFFFFFFFFF)};
    unsigned char bytes[4];
    static arrays packed_alike; /* solid fields take another way than strided ones */
    fill(8);
    in_structs.objects[2].at[1] = NAN;
    other = in_structs;
    for (size_t i = 0; i < 5; ++i) {
        memcpy(&other.objects[2].at[1], &nans[i], 4);
        assert_true(es_state_compare(&structs_layout, &in_structs, &other, NULL));
        assert_int_equal(es_state_hash(&structs_layout, &in_structs),
                es_state_hash(&structs_layout, &other));
        assert_int_equal(es_state_pack(&structs_layout, &other, OBJECTS + 2 * 12 + 4, bytes, 4), 4);
        assert_memory_equal(bytes, "\x00\x00\xC0\x7F", 4);
        packed_alike = in_arrays;
        memcpy(&packed_alike.at[1][2], &nans[i], 4);
        assert_int_equal(es_state_hash_field(&arrays_fields[1], &packed_alike),
                es_state_hash_field(&structs_fields[1], &in_structs));
    }
    for (size_t i = 0; i < 4; ++i) {
        in_structs.objects[7].spin = (double)NAN;
        packed_alike = in_arrays;
        memcpy(&packed_alike.spin[7], &wide[i], 8);
        assert_int_equal(es_state_hash_field(&arrays_fields[2], &packed_alike),
                es_state_hash_field(&structs_fields[2], &in_structs));
    }
    /* infinities are no NaNs */
    packed_alike = in_arrays;
    packed_alike.spin[7] = (double)INFINITY;
    assert_int_not_equal(es_state_hash_field(&arrays_fields[2], &packed_alike),
            es_state_hash_field(&structs_fields[2], &in_structs));
    in_structs.objects[7].spin = (double)INFINITY;
    assert_int_equal(es_state_hash_field(&arrays_fields[2], &packed_alike),
            es_state_hash_field(&structs_fields[2], &in_structs));
    fill(8); /* strided and solid fields take different ways */
    in_structs.objects[2].at[1] = in_arrays.at[1][2] = INFINITY;
    uint64_t infinite = es_state_hash_field(&structs_fields[1], &in_structs);
    assert_int_equal(es_state_hash_field(&arrays_fields[1], &in_arrays), infinite);
    in_structs.objects[2].at[1] = NAN;
    assert_int_not_equal(es_state_hash_field(&structs_fields[1], &in_structs), infinite);
    fill(8);
    in_structs.camera = 0.0F;
    other = in_structs;
    other.camera = -0.0F;
    assert_false(es_state_compare(&structs_layout, &in_structs, &other, NULL));
    assert_int_not_equal(
            es_state_hash(&structs_layout, &in_structs), es_state_hash(&structs_layout, &other));
}

static void groups_are_listed(void **context)
{
    (void)context;
    assert_int_equal(es_state_group_count(&structs_layout), 3);
    assert_int_equal(es_state_group(&structs_layout, 0), 1);
    assert_int_equal(es_state_group(&structs_layout, 1), 2);
    assert_int_equal(es_state_group(&structs_layout, 2), 0);
    assert_int_equal(es_state_group(&structs_layout, 3), INT32_MIN);
    for (size_t i = 0; i < structs_layout.field_count; ++i) {
        assert_int_equal(es_state_group_begins(&structs_layout, i), i == 0 || i == 3 || i == 5);
    }
}

/* Adjoining bytes are hashed where they lie, of any number and at any place: as when they are
 * added. They end where their memory ends, and begin where it begins. */
static void fields_of_every_length(void **context)
{
    (void)context;
    es_field field = {"x", ES_TYPE_U8, ES_BLEND_STEP, 1, 1, 0, 1, 0, 0, 0, 0, 0.0, 0.0, 0, 0, 0, 0};
    for (size_t size = 1; size < 36000; size += size < 2200 ? 1 + 6 * (TEST_SHARE > 1) : 509) {
        size_t shift = size * 5 % 67;
        unsigned char *bytes = malloc(shift + size);
        assert_non_null(bytes);
        fill_published(bytes, shift + size);
        field.count = size;
        field.offset = shift;
        es_hash hash;
        es_hash_begin(&hash, 0);
        es_hash_add(&hash, bytes + shift, size);
        assert_int_equal(es_state_hash_field(&field, bytes), es_hash_value(&hash));
        free(bytes);
    }
}

/* The hash of the whole is that of the fields' hashes, however many. */
static void any_number_of_fields(void **context)
{
    (void)context;
    enum { MOST = 100 };
    static es_field fields[MOST];
    static unsigned char state[MOST];
    fill_published(state, sizeof state);
    for (size_t i = 0; i < MOST; ++i) {
        fields[i] = (es_field){"x", ES_TYPE_U8, ES_BLEND_STEP, 1, 1, i, 1, 0, 0, 0,
                (int32_t)(i % 2), 0.0, 0.0, 0, 0, 0, 0};
    }
    for (size_t count = 1; count <= MOST; ++count) {
        es_layout layout = {fields, count, count};
        es_hash all, odd;
        es_hash_begin(&all, 0);
        es_hash_begin(&odd, 0);
        for (size_t i = 0; i < count; ++i) {
            unsigned char word[8];
            uint64_t value = es_state_hash_field(&fields[i], state);
            for (int k = 0; k < 8; ++k) {
                word[k] = (unsigned char)(value >> 8 * k);
            }
            es_hash_add(&all, word, sizeof word);
            es_hash_add(&odd, word, i % 2 == 1 ? sizeof word : 0);
        }
        assert_int_equal(es_state_hash(&layout, state), es_hash_value(&all));
        assert_int_equal(es_state_hash_group(&layout, state, 1), es_hash_value(&odd));
    }
}

/* Large fields go through many chunks, whose ends must not show. */
static void large_fields_are_whole(void **context)
{
    (void)context;
    enum { MANY = 5000 };
    static float even[MANY], wide[2 * MANY];
    static const es_field solid = {
            "x", ES_TYPE_F32, ES_BLEND_STEP, MANY, 1, 0, 4, 0, 0, 0, 0, 0.0, 0.0, 0, 0, 0, 0};
    static const es_field spread = {
            "x", ES_TYPE_F32, ES_BLEND_STEP, MANY, 1, 0, 8, 0, 0, 0, 0, 0.0, 0.0, 0, 0, 0, 0};
    for (int i = 0; i < MANY; ++i) {
        even[i] = wide[2 * i] = (float)i / 3.0F;
        wide[2 * i + 1] = NAN;
    }
    assert_int_equal(es_state_hash_field(&solid, even), es_state_hash_field(&spread, wide));
    even[4097] = wide[2 * 4097] = NAN;
    assert_int_equal(es_state_hash_field(&solid, even), es_state_hash_field(&spread, wide));
    even[4999] = 1.0F;
    assert_int_not_equal(es_state_hash_field(&solid, even), es_state_hash_field(&spread, wide));
}

/* A NaN at any place of adjoining floats is found, whatever its bits, and other numbers are not
 * taken for one. */
static void nans_are_found_at_every_place(void **context)
{
    (void)context;
    enum { MANY = 4100, STEP = 1 + 6 * (TEST_SHARE > 1) };
    static float f32[MANY], wide_f32[2 * MANY];
    static double f64[MANY], wide_f64[2 * MANY];
    static const uint32_t bits_32[] = {0x7F800001, 0xFFC00000, 0x7F800000, 0xFF800000, 1};
    static const uint64_t bits_64[] = {UINT64_C(0x7FF0000000000001), UINT64_C(0xFFF8000000000000),
            UINT64_C(0x7FF0000000000000), UINT64_C(0xFFF0000000000000), 1};
    es_field even = {
            "x", ES_TYPE_F32, ES_BLEND_STEP, MANY, 1, 0, 4, 0, 0, 0, 0, 0.0, 0.0, 0, 0, 0, 0};
    es_field spread = even;
    spread.stride = 8;
    for (size_t i = 0; i < MANY; i += STEP) {
        memcpy(&f32[i], &bits_32[i / STEP % 5], 4);
        memcpy(&wide_f32[2 * i], &bits_32[i / STEP % 5], 4);
        assert_int_equal(es_state_hash_field(&even, f32), es_state_hash_field(&spread, wide_f32));
        f32[i] = wide_f32[2 * i] = (float)i;
    }
    even.type = spread.type = ES_TYPE_F64;
    even.stride = 8;
    spread.stride = 16;
    for (size_t i = 0; i < MANY; i += STEP) {
        memcpy(&f64[i], &bits_64[i / STEP % 5], 8);
        memcpy(&wide_f64[2 * i], &bits_64[i / STEP % 5], 8);
        assert_int_equal(es_state_hash_field(&even, f64), es_state_hash_field(&spread, wide_f64));
        f64[i] = wide_f64[2 * i] = (double)i;
    }
}

/* Parts of a large field are hashed one after the other, and again where a NaN is among them: at
 * every place near their ends. */
static void nans_of_large_fields(void **context)
{
    (void)context;
    enum { MANY = 13001 };
    static double f64[MANY], wide_f64[2 * MANY];
    static float f32[MANY], wide_f32[2 * MANY];
    static const size_t counts[] = {
            30, 31, 60, 61, 64, 65, 256, 257, 300, 4096, 4097, 4352, 4353, 4400, 8448, 8449, MANY};
    es_field even = {"x", ES_TYPE_F32, ES_BLEND_STEP, 1, 1, 0, 4, 0, 0, 0, 0, 0.0, 0.0, 0, 0, 0, 0};
    es_field spread = even;
    for (size_t i = 0; i < MANY; ++i) {
        f64[i] = wide_f64[2 * i] = (double)i;
        f32[i] = wide_f32[2 * i] = (float)i;
    }
    for (size_t k = 0; k < sizeof counts / sizeof counts[0]; ++k) {
        size_t n = counts[k];
        size_t at[] = {0, 15, n - 1, n - 2, n - 16, n - 17, n / 2, n - n % 256, 2047, 2048, 4095};
        for (size_t i = 0; i < sizeof at / sizeof at[0]; ++i) {
            size_t place = at[i] % n;
            f64[place] = wide_f64[2 * place] = (double)-NAN;
            f32[place] = wide_f32[2 * place] = -NAN;
            even.count = spread.count = n;
            even.type = spread.type = ES_TYPE_F32;
            even.stride = 4;
            spread.stride = 8;
            assert_int_equal(
                    es_state_hash_field(&even, f32), es_state_hash_field(&spread, wide_f32));
            even.type = spread.type = ES_TYPE_F64;
            even.stride = 8;
            spread.stride = 16;
            assert_int_equal(
                    es_state_hash_field(&even, f64), es_state_hash_field(&spread, wide_f64));
            f64[place] = wide_f64[2 * place] = (double)place;
            f32[place] = wide_f32[2 * place] = (float)place;
        }
    }
}

/* Looking for NaNs is no arithmetic: a program that watches the flags sees none of it. */
static void hashing_raises_no_flags(void **context)
{
    (void)context;
    enum { MANY = 600 };
    static uint32_t bits[2 * MANY];
    es_field field = {
            "x", ES_TYPE_F32, ES_BLEND_STEP, MANY, 1, 0, 4, 0, 0, 0, 0, 0.0, 0.0, 0, 0, 0, 0};
    for (size_t i = 0; i < 2 * MANY; ++i) { /* tiny ones, and NaNs that signal, of either type */
        bits[i] = i % 7 == 0 ? 0x7FA00001U : i % 7 == 3 ? 0xFFF00001U : 1U;
    }
    (void)feclearexcept(FE_ALL_EXCEPT);
    volatile uint64_t hash = es_state_hash_field(&field, bits);
    field.type = ES_TYPE_F64;
    field.stride = 8;
    hash = es_state_hash_field(&field, bits);
    (void)hash;
    assert_int_equal(fetestexcept(FE_ALL_EXCEPT), 0);
}

static void arithmetic_is_as_everywhere(void **context)
{
    (void)context;
    es_state_self_test first = es_state_self_test_run(), second = es_state_self_test_run();
    assert_int_equal(first.arithmetic, ES_SELF_TEST_ARITHMETIC);
    assert_int_equal(second.arithmetic, first.arithmetic);
    assert_int_equal(second.library, first.library);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
            cmocka_unit_test(hash_has_the_published_values),
            cmocka_unit_test(hash_of_every_length),
            cmocka_unit_test(hash_is_the_same_in_any_pieces),
            cmocka_unit_test(arrangement_does_not_show),
            cmocka_unit_test(hashes_are_of_packed_bytes),
            cmocka_unit_test(packs_and_unpacks_in_any_parts),
            cmocka_unit_test(copies_fields_and_nothing_else),
            cmocka_unit_test(every_number_counts),
            cmocka_unit_test(a_difference_has_both_values),
            cmocka_unit_test(nans_are_one_and_zeros_are_two),
            cmocka_unit_test(groups_are_listed),
            cmocka_unit_test(fields_of_every_length),
            cmocka_unit_test(any_number_of_fields),
            cmocka_unit_test(large_fields_are_whole),
            cmocka_unit_test(nans_are_found_at_every_place),
            cmocka_unit_test(nans_of_large_fields),
            cmocka_unit_test(hashing_raises_no_flags),
            cmocka_unit_test(arithmetic_is_as_everywhere),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
