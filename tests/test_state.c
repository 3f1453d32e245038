/* SPDX-License-Identifier: Zlib
 *
 * state: XXH3 against xxHash's own, packed states in any arrangement in memory, which
 * numbers are different ones, and the float self-test.
 */
#include "replay/format.h"
#include "replay/state.h"

#include <time.h>

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

/* Bytes as xxHash tests itself with. The sum is that of the hashes of xxHash's own functions. */
TEST(hashes_of_every_length_sum_up)
{
    static unsigned char bytes[20000];
    uint64_t sum = 0, x = UINT64_C(2654435761);
    for (size_t i = 0; i < sizeof bytes; ++i) {
        bytes[i] = (unsigned char)(x >> 56);
        x *= UINT64_C(11400714785074694797);
    }
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

/* --- a world in arrays, each of which has one place more than there are objects --- */

enum { OBJECTS = 37, ROOM };

typedef struct world {
    float at[3][ROOM];
    double spin[ROOM];
    uint8_t flag[ROOM];
    int64_t due_ns[ROOM];
    int32_t score[ROOM];
    uint32_t bits[ROOM];
    float camera;
} world;

#define ARRAY(member, type, size) type, ES_BLEND_STEP, OBJECTS, 1, offsetof(world, member), size, 0

static const es_field world_fields[] = {
        {"flag", ARRAY(flag, ES_TYPE_U8, 1), .group = 1},
        {"at", ES_TYPE_F32, ES_BLEND_STEP, OBJECTS, 3, offsetof(world, at), 4, 4 * ROOM,
                .group = 1},
        {"spin", ARRAY(spin, ES_TYPE_F64, 8), .group = 1},
        {"score", ARRAY(score, ES_TYPE_I32, 4), .group = 2},
        {"due", ARRAY(due_ns, ES_TYPE_I64, 8), .group = 2},
        {"bits", ARRAY(bits, ES_TYPE_U32, 4), .group = 0},
        {"camera", ES_TYPE_F32, ES_BLEND_STEP, ES_PLACE(world, camera, ES_TYPE_F32), .group = 0},
};
static const es_layout world_layout = ES_LAYOUT(world, world_fields);

static world current, other;

static void fill(uint64_t seed)
{
    test_random random = {seed};
    memset(&current, 0xAA, sizeof current);
    current.camera = (float)random_below(&random, 1000);
    for (int i = 0; i < OBJECTS; ++i) {
        current.flag[i] = (uint8_t)random_u64(&random);
        for (int c = 0; c < 3; ++c) {
            current.at[c][i] = (float)random_below(&random, 4000) / 7.0F - 200.0F;
        }
        current.spin[i] = (double)random_below(&random, 1 << 20) / 3.0;
        current.score[i] = (int32_t)random_u64(&random);
        current.due_ns[i] = random_magnitude(&random);
        current.bits[i] = (uint32_t)random_u64(&random);
    }
}

/* As the header defines them. */
TEST(hashes_are_of_packed_bytes)
{
    static unsigned char packed[4096], words[7 * 8];
    fill(9);
    size_t size = es__state_pack(&world_layout, &current, 0, packed, sizeof packed), at = 0;
    for (size_t i = 0; i < 7; ++i) {
        const es_field *f = &world_fields[i];
        size_t bytes = f->count * f->components * ES_TYPE_SIZE(f->type);
        uint64_t value = hash_bytes(packed + at, bytes);
        assert_int_equal(es__state_hash_field(f, &current), value);
        for (int k = 0; k < 8; ++k) {
            words[8 * i + (size_t)k] = (unsigned char)(value >> 8 * k);
        }
        at += bytes;
    }
    assert_int_equal(at, size);
    assert_int_equal(es_state_hash(&world_layout, &current), hash_bytes(words, sizeof words));
    assert_int_equal(es__state_hash_group(&world_layout, &current, 1), hash_bytes(words, 24));
    assert_int_equal(es__state_hash_group(&world_layout, &current, 0), hash_bytes(words + 40, 16));
}

TEST(packs_and_unpacks_in_any_parts)
{
    static unsigned char whole[4096], part[4096];
    static world back;
    test_random random = {11};
    size_t size = (size_t)es__state_packed_size(&world_layout);
    for (uint64_t seed = 1; seed < 40; ++seed) {
        fill(seed);
        current.spin[0] = (double)NAN; /* also cut in two */
        current.at[2][11] = -NAN;
        (void)es__state_pack(&world_layout, &current, 0, whole, sizeof whole);
        memset(&back, 0xFF, sizeof back); /* NaNs: a part of a number must not become one */
        for (size_t at = 0; at < size;) {
            size_t some = 1 + (size_t)random_below(&random, seed % 2 == 0 ? 7 : 300);
            size_t expected = some < size - at ? some : size - at;
            assert_int_equal(es__state_pack(&world_layout, &current, at, part, some), expected);
            assert_memory_equal(part, whole + at, expected);
            assert_int_equal(
                    es__state_unpack(&world_layout, &back, at, whole + at, some), expected);
            at += expected;
        }
        (void)es__state_pack(&world_layout, &back, 0, part, sizeof part);
        assert_memory_equal(part, whole, size);
        assert_int_equal(es__state_pack(&world_layout, &current, size, part, 8), 0);
        assert_int_equal(es__state_pack(&world_layout, &current, UINT64_MAX, part, 8), 0);
        assert_int_equal(es__state_pack(&world_layout, &current, 0, NULL, 0), 0);
    }
}

TEST(a_copy_leaves_what_no_field_covers)
{
    fill(4);
    memset(&other, 0x77, sizeof other);
    es__state_copy(&world_layout, &other, &current);
    assert_true(es__state_compare(&world_layout, &other, &current, NULL));
    assert_int_equal(other.flag[OBJECTS], 0x77); /* of no object */
}

/* --- differences --- */

TEST(a_change_of_any_number_is_found)
{
    fill(5);
    uint64_t hash = es_state_hash(&world_layout, &current);
    for (size_t f = 0; f < world_layout.field_count; ++f) {
        const es_field *field = &world_fields[f];
        size_t components = field->components != 0 ? field->components : 1;
        for (size_t i = 0; i < field->count * components; ++i) {
            es__state_difference found;
            other = current;
            size_t at = es__field_at(field, i / components, i % components);
            ((unsigned char *)&other)[at] ^= 1;
            assert_int_not_equal(es_state_hash(&world_layout, &other), hash);
            assert_int_not_equal(es__state_hash_group(&world_layout, &other, field->group),
                    es__state_hash_group(&world_layout, &current, field->group));
            assert_false(es__state_compare(&world_layout, &current, &other, &found));
            assert_ptr_equal(found.field, field);
            assert_int_equal(found.element, i / components);
            assert_int_equal(found.component, i % components);
        }
    }
}

/* And no infinity is one; zeros are two numbers. */
TEST(all_nans_are_one_number)
{
    static const uint32_t nans[] = {0x7FC00000, 0xFFC00000, 0x7F800001, 0xFFFFFFFF, 0x7FC12345};
    static const uint64_t wide[] = {UINT64_C(0x7FF8000000000000), UINT64_C(0xFFF8000000000000),
            UINT64_C(0x7FF0000000000001), UINT64_C(0xFFFFFFFFFFFFFFFF),
            UINT64_C(0x7FF8000012345678)};
    enum { AT = OBJECTS, SPIN = OBJECTS * (1 + 12) }; /* where they are in the packed state */
    unsigned char bytes[8];
    fill(8);
    current.at[1][2] = NAN;
    current.spin[7] = (double)NAN;
    for (size_t i = 0; i < 5; ++i) {
        other = current;
        memcpy(&other.at[1][2], &nans[i], 4);
        memcpy(&other.spin[7], &wide[i], 8);
        assert_true(es__state_compare(&world_layout, &current, &other, NULL));
        uint64_t hash = es_state_hash(&world_layout, &current);
        assert_int_equal(es_state_hash(&world_layout, &other), hash);
        assert_int_equal(es__state_pack(&world_layout, &other, AT + 2 * 12 + 4, bytes, 4), 4);
        assert_memory_equal(bytes, "\0\0\xC0\x7F", 4);
        assert_int_equal(es__state_pack(&world_layout, &other, SPIN + 7 * 8, bytes, 8), 8);
        assert_memory_equal(bytes, "\0\0\0\0\0\0\xF8\x7F", 8);
        other.at[1][2] = i == 0 ? INFINITY : other.at[1][2];
        other.spin[7] = i == 1 ? (double)INFINITY : other.spin[7];
        other.spin[6] = -0.0;
        current.spin[6] = i >= 2 ? 0.0 : -0.0;
        assert_int_not_equal(
                es_state_hash(&world_layout, &other), es_state_hash(&world_layout, &current));
        assert_false(es__state_compare(&world_layout, &current, &other, NULL));
    }
}

/* A field with its numbers anywhere: in structs or planes. Returns the bytes that it spans. */
static size_t any_field(test_random *random, es_field *field)
{
    size_t components = 1 + (size_t)random_below(random, 20);
    es_type type = (es_type)(1 + random_below(random, 6));
    size_t size = ES_TYPE_SIZE(type), gap = (size_t)random_below(random, 4) * size;
    size_t count = 1 + (size_t)random_below(random, random_below(random, 4) == 0 ? 6000 : 90);
    *field = (es_field){.type = type, .count = count, .components = components};
    if (random_below(random, 2) == 0) { /* a plane for each component */
        field->stride = size + gap;
        field->component_stride = count * field->stride;
    } else {
        field->component_stride = gap == size ? 2 * size : 0;
        field->stride = components * (gap == size ? 2 * size : size) + gap;
    }
    return es__field_at(field, count - 1, components - 1) + size;
}

/* Beside each number packed by itself. In a block without a byte behind the last number, for the
 * sanitizer. */
TEST(numbers_anywhere_are_packed_one_after_the_other)
{
    static unsigned char packed[6000 * 20 * 8], expected[sizeof packed], word[8];
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
        (void)es__put_u64(word, hash_bytes(expected, all));
        assert_int_equal(es_state_hash(&layout, memory), hash_bytes(word, 8));
        size_t from = (size_t)random_below(&random, (int64_t)all); /* also within an element */
        assert_int_equal(es__state_pack(&layout, memory, from, packed, sizeof packed), all - from);
        assert_memory_equal(packed, expected + from, all - from);
        assert_int_equal(es__state_unpack(&layout, back, 0, expected, all), all);
        assert_true(es__state_compare(&layout, memory, back, NULL));
        if (run % 2 != 0) { /* any number may differ */
            es__state_difference found;
            size_t any = (size_t)random_below(&random, (int64_t)(all / size));
            back[es__field_at(&field, any / field.components, any % field.components)] ^= 1;
            assert_false(es__state_compare(&layout, memory, back, &found));
            assert_int_equal(found.element * field.components + found.component, any);
        }
        free(memory);
        free(back);
    }
}

/* CPU time, in units of the C library: in parts of so many bytes. */
static double packing_time(const es_layout *layout, const float *numbers, size_t part)
{
    static unsigned char packed[300000 * sizeof(float)];
    double least = 1e30;
    for (int run = 0; run < 3; ++run) {
        clock_t begin = clock();
        for (size_t at = 0; at < sizeof packed; at += part) {
            assert_int_equal(es__state_pack(layout, numbers, at, packed + at, part), part);
        }
        least = fmin(least, (double)(clock() - begin));
    }
    return least;
}

/* Some 190 times faster than number by number, where the packed bytes are those of the memory: low ones first. */
TEST(a_whole_field_is_packed_at_once)
{
    const uint16_t low = 1;
    if (*(const uint8_t *)&low == 0) {
        skip();
    }
    static const float numbers[300000];
    const es_field field = {.type = ES_TYPE_F32, .count = 300000, .stride = 4};
    const es_layout layout = {&field, 1, sizeof numbers};
    double whole = packing_time(&layout, numbers, sizeof numbers);
    assert_true(8 * whole < packing_time(&layout, numbers, 4));
}

TEST(arithmetic_is_as_everywhere)
{
    es__state_self_test first = es__state_self_test_run(), second = es__state_self_test_run();
    assert_int_equal(first.arithmetic, ES__SELF_TEST_ARITHMETIC);
    assert_int_equal(second.arithmetic, first.arithmetic);
    assert_int_equal(second.library, first.library);
    assert_int_not_equal(first.library, hash_bytes(NULL, 0)); /* something was computed */
}

/* 1 to 20 fields, of a large and two sparse arrays among others: each alone, and one after the other. */
TEST(hashes_of_many_fields_are_of_each)
{
    enum { MOST = 20, FAR = 5000 };
    static const char *const names[MOST] = {"a", "b", "c", "d", "e", "f", "g", "h", "i", "j", "k",
            "l", "m", "n", "o", "p", "q", "r", "s", "t"};
    static unsigned char world_bytes[MOST * 60000], packed[MOST * 12000], again[sizeof world_bytes];
    es_field fields[MOST];
    test_random random = {8};
    for (size_t i = 0; i < sizeof world_bytes; ++i) {
        world_bytes[i] = (unsigned char)random_below(&random, 64);
    }
    for (size_t i = 0; i < MOST; ++i) { /* strides of 4, 5000 and 50 000 bytes */
        size_t count = i == 3 ? 3000 : i == 5 ? 12 : i == 7 ? 2 : 10;
        fields[i] = (es_field){.name = names[i],
                .type = ES_TYPE_F32,
                .count = count,
                .offset = i * 60000,
                .stride = i == 5   ? FAR
                          : i == 7 ? 50000
                                   : 4,
                .group = 1};
    }
    for (size_t count = 1; count <= MOST; ++count) {
        row("%d fields", (int)count);
        const es_layout layout = {fields, count, sizeof world_bytes};
        unsigned char words[8 * MOST];
        for (size_t i = 0; i < count; ++i) {
            uint64_t alone = es__state_hash_field(&fields[i], world_bytes);
            const es_layout one = {&fields[i], 1, sizeof world_bytes};
            size_t size = es_state_pack(&one, world_bytes, packed, sizeof packed);
            assert_true(alone == hash_bytes(packed, size));
            (void)es__put_u64(words + 8 * i, alone);
        }
        assert_true(es_state_hash(&layout, world_bytes) == hash_bytes(words, 8 * count));
        size_t size = es_state_pack(&layout, world_bytes, packed, sizeof packed);
        memset(again, 0, sizeof again);
        assert_false(es_state_unpack(&layout, again, packed, size - 1));
        assert_true(es_state_unpack(&layout, again, packed, size));
        assert_true(es_state_hash(&layout, again) == es_state_hash(&layout, world_bytes));
    }
    assert_int_equal(es__state_unpack(&(es_layout){fields, 1, 99}, world_bytes, 0, packed, 0), 0);
}
