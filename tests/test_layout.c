/* SPDX-License-Identifier: Zlib
 *
 * Layouts: what is refused and how that is said, what is accepted, and what the macros expand to.
 */
#include "evenstep/layout.h"

#include <stdio.h>
#include <string.h>

#include "test_support.h"

/* --- helpers ---------------------------------------------------------------------------------- */

/* A correct field of one float at the start of the state; the tests spoil one thing at a time. */
static es_field good_field(void)
{
    es_field field = {"x", ES_TYPE_F32, ES_BLEND_LINEAR, 1, 1, 0, sizeof(float)};
    return field;
}

static void check_accepted(const es_field *fields, size_t count, size_t state_size)
{
    es_layout layout = {fields, count, state_size};
    es_error error = {"stale", "stale"};
    es_result result = es_layout_validate(&layout, &error);
    if (result != ES_OK) {
        print_error("refused: %s %s\n", error.field, error.reason);
    }
    assert_int_equal(result, ES_OK);
    assert_null(error.field);
    assert_null(error.reason);
    assert_int_equal(es_layout_validate(&layout, NULL), ES_OK);
}

/* The error must name this field and give a reason that contains this text. */
static void check_refused(const es_field *fields, size_t count, size_t state_size,
        const char *field, const char *reason)
{
    es_layout layout = {fields, count, state_size};
    es_error error = {NULL, NULL};
    assert_int_equal(es_layout_validate(&layout, &error), ES_ERR_INVALID);
    assert_non_null(error.field);
    assert_non_null(error.reason);
    assert_string_equal(error.field, field);
    if (strstr(error.reason, reason) == NULL) {
        fail_msg("the reason is '%s', which does not say '%s'", error.reason, reason);
    }
    assert_int_equal(es_layout_validate(&layout, NULL), ES_ERR_INVALID);
}

static void check_one_refused(es_field field, size_t state_size, const char *reason)
{
    check_refused(&field, 1, state_size, field.name, reason);
}

/* --- refusals --------------------------------------------------------------------------------- */

static void test_no_layout_no_fields_no_state(void **state)
{
    (void)state;
    es_error error = {NULL, NULL};
    assert_int_equal(es_layout_validate(NULL, &error), ES_ERR_INVALID);
    assert_string_equal(error.field, "fields");
    assert_int_equal(es_layout_validate(NULL, NULL), ES_ERR_INVALID);
    es_field field = good_field();
    check_refused(NULL, 1, 64, "fields", "at least one");
    check_refused(&field, 0, 64, "fields", "at least one");
    check_refused(&field, 1, 0, "state_size", "at least 1");
}

static void test_names(void **state)
{
    (void)state;
    es_field field = good_field();
    field.name = NULL;
    check_refused(&field, 1, 64, "name", "empty");
    field.name = "";
    check_refused(&field, 1, 64, "name", "empty");

    /* the same text at another address */
    char again[] = "x";
    es_field fields[3] = {good_field(), good_field(), good_field()};
    fields[1].name = "y";
    fields[1].offset = 4;
    fields[2].name = again;
    fields[2].offset = 8;
    check_refused(fields, 3, 64, "x", "twice");
    again[0] = 'z';
    check_accepted(fields, 3, 64);
}

static void test_types(void **state)
{
    (void)state;
    es_field field = good_field();
    field.type = ES_TYPE_NONE;
    check_one_refused(field, 64, "no type");
    field.type = (es_type)(ES_TYPE_U8 + 1);
    check_one_refused(field, 64, "no type");
    /* what a forgotten type looks like: the rest of the field is right */
    es_field forgotten = {.name = "x", .blend = ES_BLEND_STEP, .count = 1, .stride = 1};
    check_one_refused(forgotten, 64, "no type");
}

static void test_kinds(void **state)
{
    (void)state;
    es_field field = good_field();
    field.blend = ES_BLEND_NONE;
    check_one_refused(field, 64, "no blend kind");
    field.blend = (es_blend_kind)(ES_BLEND_STEP + 1);
    check_one_refused(field, 64, "no blend kind");
}

/* Each type with each kind: floats take all, the others only step. */
static void test_kinds_that_fit_types(void **state)
{
    (void)state;
    for (int type = ES_TYPE_F32; type <= ES_TYPE_U8; ++type) {
        for (int kind = ES_BLEND_LINEAR; kind <= ES_BLEND_STEP; ++kind) {
            es_field field = good_field();
            field.type = (es_type)type;
            field.blend = (es_blend_kind)kind;
            field.stride = 8;
            bool is_float = type == ES_TYPE_F32 || type == ES_TYPE_F64;
            if (is_float || kind == ES_BLEND_STEP) {
                check_accepted(&field, 1, 64);
            } else {
                check_one_refused(field, 64, "ES_BLEND_STEP");
            }
        }
    }
}

static void test_count_zero(void **state)
{
    (void)state;
    es_field field = good_field();
    field.count = 0;
    check_one_refused(field, 64, "count is 0");
}

static void test_bounds(void **state)
{
    (void)state;
    const char *past_the_end = "past the end";
    es_field field = good_field();
    field.offset = 60;
    check_accepted(&field, 1, 64);
    check_one_refused(field, 63, past_the_end);
    field.offset = 64;
    check_one_refused(field, 64, past_the_end);
    field.offset = 128;
    check_one_refused(field, 64, past_the_end);

    field = good_field();
    field.components = 16;
    field.stride = 64;
    check_accepted(&field, 1, 64);
    field.components = 17;
    check_one_refused(field, 64, past_the_end);

    field = good_field();
    field.count = 16;
    check_accepted(&field, 1, 64);
    check_one_refused(field, 63, past_the_end);
    field.count = 17;
    check_one_refused(field, 64, past_the_end);

    /* the last element has no stride behind it */
    field.count = 4;
    field.stride = 20;
    check_accepted(&field, 1, 64);
    field.offset = 4;
    check_one_refused(field, 64, past_the_end);

    /* 0 components count as 1, at the bound too */
    field = good_field();
    field.components = 0;
    check_accepted(&field, 1, 4);
    check_one_refused(field, 3, past_the_end);
}

/* Products and sums of these wrap around to small numbers, which would look in bounds. */
static void test_bounds_when_size_t_overflows(void **state)
{
    (void)state;
    const char *past_the_end = "past the end";
    const size_t half = SIZE_MAX / 2 + 1;
    es_field field = good_field();

    field.offset = SIZE_MAX - 3; /* + 4 is 0 */
    check_one_refused(field, 64, past_the_end);
    field.offset = 0;

    field.components = SIZE_MAX / 4 + 2; /* * 4 is 4 */
    check_one_refused(field, 64, past_the_end);
    field.components = SIZE_MAX;
    check_one_refused(field, 64, past_the_end);
    field.components = 1;

    field.count = 3;
    field.stride = half; /* 2 * half is 0 */
    check_one_refused(field, 64, past_the_end);
    field.count = 2;
    field.stride = SIZE_MAX - 3; /* 1 * stride + 4 is 0 */
    check_one_refused(field, 64, past_the_end);
    field.offset = 4; /* the second element would lie before the first, at 0 */
    check_one_refused(field, 64, past_the_end);
    field.offset = 0;

    field.stride = 4;
    field.count = SIZE_MAX / 4 + 2; /* (count - 1) * 4 is 0 */
    check_one_refused(field, 64, past_the_end);
    field.count = SIZE_MAX;
    check_one_refused(field, 64, past_the_end);
    check_one_refused(field, SIZE_MAX, past_the_end);
}

static void test_alignment(void **state)
{
    (void)state;
    static const struct {
        es_type type;
        size_t size;
    } types[] = {{ES_TYPE_F32, 4}, {ES_TYPE_F64, 8}, {ES_TYPE_I32, 4}, {ES_TYPE_U32, 4},
            {ES_TYPE_I64, 8}, {ES_TYPE_U8, 1}};
    for (size_t i = 0; i < sizeof types / sizeof types[0]; ++i) {
        for (size_t shift = 0; shift < types[i].size; ++shift) {
            es_field field = {"x", types[i].type, ES_BLEND_STEP, 2, 1, 8 + shift, 16};
            es_field stretched = {"x", types[i].type, ES_BLEND_STEP, 2, 1, 8, 16 + shift};
            if (shift == 0) {
                check_accepted(&field, 1, 64);
                check_accepted(&stretched, 1, 64);
            } else {
                check_one_refused(field, 64, "not aligned");
                check_one_refused(stretched, 64, "not aligned");
            }
        }
    }
}

static void test_stride_too_short(void **state)
{
    (void)state;
    const char *shorter = "shorter than its element";
    es_field field = {"x", ES_TYPE_F32, ES_BLEND_LINEAR, 4, 3, 0, 12};
    check_accepted(&field, 1, 256);
    field.stride = 8;
    check_one_refused(field, 256, shorter);
    field.stride = 0;
    check_one_refused(field, 256, shorter);
    /* with one element there is nothing to stride to */
    field.count = 1;
    check_accepted(&field, 1, 256);
}

/* --- overlap ---------------------------------------------------------------------------------- */

static void check_pair(es_field a, es_field b, bool overlap)
{
    es_field ab[2] = {a, b};
    es_field ba[2] = {b, a};
    ab[0].name = ba[0].name = "first";
    ab[1].name = ba[1].name = "second";
    if (overlap) {
        check_refused(ab, 2, 256, "second", "shares bytes");
        check_refused(ba, 2, 256, "second", "shares bytes");
    } else {
        check_accepted(ab, 2, 256);
        check_accepted(ba, 2, 256);
    }
}

/* Floats: count, components, offset, stride. */
static es_field floats(size_t count, size_t components, size_t offset, size_t stride)
{
    es_field field = {"x", ES_TYPE_F32, ES_BLEND_LINEAR, count, components, offset, stride};
    return field;
}

static void test_overlap_of_single_fields(void **state)
{
    (void)state;
    check_pair(floats(1, 1, 8, 4), floats(1, 1, 8, 4), true);
    check_pair(floats(1, 3, 0, 12), floats(1, 1, 8, 4), true);
    check_pair(floats(1, 3, 0, 12), floats(1, 1, 12, 4), false);
    check_pair(floats(1, 1, 0, 4), floats(1, 3, 4, 12), false);
    es_field number = {"n", ES_TYPE_F64, ES_BLEND_LINEAR, 1, 1, 8, 8};
    es_field flag = {"f", ES_TYPE_U8, ES_BLEND_STEP, 1, 1, 15, 1};
    check_pair(number, flag, true);
    flag.offset = 16;
    check_pair(number, flag, false);
}

/* One element needs no stride (see test_stride_too_short), and still has its bytes. */
static void test_overlap_of_single_fields_without_stride(void **state)
{
    (void)state;
    check_pair(floats(1, 3, 0, 0), floats(1, 1, 12, 0), false);
    check_pair(floats(1, 3, 0, 0), floats(1, 3, 0, 0), true);
    check_pair(floats(1, 3, 0, 0), floats(1, 1, 4, 0), true);
}

static void test_overlap_of_a_single_and_a_run(void **state)
{
    (void)state;
    es_field run = floats(4, 1, 16, 16); /* at 16, 32, 48, 64 */
    check_pair(run, floats(1, 1, 32, 4), true);
    check_pair(run, floats(1, 1, 64, 4), true);
    check_pair(run, floats(1, 1, 68, 4), false);
    check_pair(run, floats(1, 1, 12, 4), false);
    check_pair(run, floats(1, 3, 36, 12), false); /* a whole gap */
    check_pair(run, floats(1, 4, 36, 16), true);  /* one more float */
    check_pair(run, floats(1, 3, 32, 12), true);
    check_pair(run, floats(1, 64, 0, 256), true);
}

static void test_overlap_of_runs(void **state)
{
    (void)state;
    es_field run = floats(4, 2, 0, 16); /* 0..8, 16..24, 32..40, 48..56 */
    check_pair(run, floats(4, 2, 8, 16), false);
    check_pair(run, floats(4, 1, 4, 16), true);
    check_pair(run, floats(4, 1, 12, 16), false);
    check_pair(run, floats(4, 3, 8, 16), true);
    check_pair(run, floats(2, 2, 48, 16), true);  /* only the last of one, the first of the other */
    check_pair(run, floats(2, 2, 64, 16), false); /* one behind the other */
    check_pair(floats(8, 1, 0, 4), floats(8, 1, 32, 4), false);
    check_pair(floats(8, 1, 0, 4), floats(8, 1, 28, 4), true);
}

/* A copied line with a wrong array: strides differ, bytes are shared. */
static void test_overlap_of_runs_with_different_strides(void **state)
{
    (void)state;
    es_field packed = floats(8, 1, 0, 4); /* 0..32 */
    check_pair(packed, floats(4, 1, 0, 8), true);
    check_pair(packed, floats(4, 1, 32, 8), false);
    check_pair(packed, floats(2, 1, 8, 16), true); /* 8..12 and 24..28 */
}

/* --- random pairs against a map of bytes ------------------------------------------------------ */

/* The longest: 8 * 7 bytes of offset, 5 elements of 8 * 6. */
#define MAP_SIZE 512

static es_field random_run(test_random *random)
{
    static const es_type types[] = {ES_TYPE_F32, ES_TYPE_F64, ES_TYPE_U8};
    es_field field = {"x", types[random_below(random, 3)], ES_BLEND_STEP, 1, 1, 0, 0};
    size_t size = ES_TYPE_SIZE(field.type);
    field.count = (size_t)random_below(random, 5) + 1;
    field.components = (size_t)random_below(random, 3) + 1;
    field.offset = (size_t)random_below(random, 8) * size;
    field.stride = (field.components + (size_t)random_below(random, 4)) * size;
    return field;
}

/* Counts each byte of the field in the map; true when one was counted before. */
static bool mark(const es_field *field, unsigned char map[MAP_SIZE])
{
    bool shared = false;
    for (size_t i = 0; i < field->count; ++i) {
        for (size_t k = 0; k < field->components * ES_TYPE_SIZE(field->type); ++k) {
            unsigned char *byte = &map[field->offset + i * field->stride + k];
            shared = shared || *byte != 0;
            *byte = 1;
        }
    }
    return shared;
}

/* Gives the two fields of a random pair; whether they share bytes. */
static bool random_pair(test_random *random, es_field pair[2])
{
    unsigned char map[MAP_SIZE] = {0};
    pair[0] = random_run(random);
    pair[1] = random_run(random);
    pair[1].name = "y";
    if (random_below(random, 2) == 0 && pair[0].stride % ES_TYPE_SIZE(pair[1].type) == 0
            && pair[0].stride >= pair[1].components * ES_TYPE_SIZE(pair[1].type)) {
        pair[1].stride = pair[0].stride; /* members of one struct */
    }
    mark(&pair[0], map);
    return mark(&pair[1], map);
}

static void test_every_honest_pair_is_accepted(void **state)
{
    (void)state;
    test_random random = {2024};
    int honest = 0;
    for (int i = 0; i < 100000; ++i) {
        es_field pair[2];
        if (!random_pair(&random, pair)) {
            check_accepted(pair, 2, MAP_SIZE);
            honest += 1;
        }
    }
    assert_true(honest > 10000);
}

static void test_every_sharing_pair_is_refused(void **state)
{
    (void)state;
    test_random random = {2025};
    int sharing = 0;
    for (int i = 0; i < 100000; ++i) {
        es_field pair[2];
        if (random_pair(&random, pair)) {
            check_refused(pair, 2, MAP_SIZE, "y", "shares bytes");
            sharing += 1;
        }
    }
    assert_true(sharing > 10000);
}

/* --- honest layouts --------------------------------------------------------------------------- */

typedef struct ball {
    float x, y;
    float spin[3];
    uint8_t alive;
    double mass;
} ball;

typedef struct world {
    int64_t score;
    ball balls[10];
    float camera[3];
    uint8_t flags;
    bool over;
    float heat[4][8]; /* nested: 4 elements of 8 components */
    float px[5];      /* structure of arrays */
    float py[5];
} world;

static void test_members_of_an_array_of_structs(void **state)
{
    (void)state;
    static const es_field fields[] = {
            ES_FIELD("score", world, score, ES_TYPE_I64, ES_BLEND_STEP),
            ES_FIELD_OF_EACH("balls.mass", world, balls, mass, ES_TYPE_F64, ES_BLEND_LINEAR),
            ES_FIELD_OF_EACH("balls.y", world, balls, y, ES_TYPE_F32, ES_BLEND_LINEAR),
            ES_FIELD_OF_EACH("balls.x", world, balls, x, ES_TYPE_F32, ES_BLEND_LINEAR),
            ES_FIELD_OF_EACH("balls.alive", world, balls, alive, ES_TYPE_U8, ES_BLEND_STEP),
            ES_FIELD_OF_EACH("balls.spin", world, balls, spin, ES_TYPE_F32, ES_BLEND_ANGLE),
            ES_FIELD("camera", world, camera, ES_TYPE_F32, ES_BLEND_LINEAR),
            ES_FIELD("flags", world, flags, ES_TYPE_U8, ES_BLEND_STEP),
            ES_FIELD("over", world, over, ES_TYPE_U8, ES_BLEND_STEP),
            ES_FIELD("px", world, px, ES_TYPE_F32, ES_BLEND_LINEAR),
            ES_FIELD("py", world, py, ES_TYPE_F32, ES_BLEND_LINEAR),
            {"heat", ES_TYPE_F32, ES_BLEND_LINEAR, 4, 8, offsetof(world, heat), sizeof(float[8])},
    };
    check_accepted(fields, sizeof fields / sizeof fields[0], sizeof(world));
}

/* Arrays in one allocation, and columns of a row-major matrix. */
static void test_structure_of_arrays_and_columns(void **state)
{
    (void)state;
    static const es_field arrays[] = {
            {"x", ES_TYPE_F32, ES_BLEND_LINEAR, 100, 1, 0, 4},
            {"y", ES_TYPE_F32, ES_BLEND_LINEAR, 100, 1, 400, 4},
            {"position", ES_TYPE_F64, ES_BLEND_LINEAR, 100, 3, 800, 24},
            {"angle", ES_TYPE_F32, ES_BLEND_ANGLE, 100, 0, 3200, 4},
            {"id", ES_TYPE_U32, ES_BLEND_STEP, 100, 1, 3600, 4},
    };
    check_accepted(arrays, 5, 4000);
    check_refused(arrays, 5, 3999, "id", "past the end");
    static const es_field columns[] = {
            {"c2", ES_TYPE_F32, ES_BLEND_LINEAR, 16, 1, 8, 16},
            {"c0", ES_TYPE_F32, ES_BLEND_LINEAR, 16, 1, 0, 16},
            {"c3", ES_TYPE_F32, ES_BLEND_LINEAR, 16, 1, 12, 16},
            {"c1", ES_TYPE_F32, ES_BLEND_LINEAR, 16, 1, 4, 16},
    };
    check_accepted(columns, 4, 256);
}

/* The first bad field is the one that is named. */
static void test_first_bad_field_is_named(void **state)
{
    (void)state;
    es_field fields[3] = {good_field(), good_field(), good_field()};
    fields[1].name = "second";
    fields[1].offset = 2;
    fields[2].name = "third";
    fields[2].count = 0;
    check_refused(fields, 3, 64, "second", "not aligned");
}

/* --- the macros ------------------------------------------------------------------------------- */

static void check_field(const es_field *field, const es_field *expected)
{
    assert_string_equal(field->name, expected->name);
    assert_int_equal(field->type, expected->type);
    assert_int_equal(field->blend, expected->blend);
    assert_int_equal(field->count, expected->count);
    assert_int_equal(field->components, expected->components);
    assert_int_equal(field->offset, expected->offset);
    assert_int_equal(field->stride, expected->stride);
}

static void test_field_macro(void **state)
{
    (void)state;
    static const es_field score = ES_FIELD("score", world, score, ES_TYPE_I64, ES_BLEND_STEP);
    static const es_field camera = ES_FIELD("camera", world, camera, ES_TYPE_F32, ES_BLEND_ANGLE);
    static const es_field over = ES_FIELD("over", world, over, ES_TYPE_U8, ES_BLEND_STEP);
    es_field expected = {
            "score", ES_TYPE_I64, ES_BLEND_STEP, 1, 1, offsetof(world, score), sizeof(int64_t)};
    check_field(&score, &expected);
    es_field three = {"camera", ES_TYPE_F32, ES_BLEND_ANGLE, 1, 3, offsetof(world, camera), 12};
    check_field(&camera, &three);
    es_field flag = {"over", ES_TYPE_U8, ES_BLEND_STEP, 1, 1, offsetof(world, over), 1};
    check_field(&over, &flag);
}

static void test_field_of_each_macro(void **state)
{
    (void)state;
    static const es_field mass =
            ES_FIELD_OF_EACH("mass", world, balls, mass, ES_TYPE_F64, ES_BLEND_LINEAR);
    static const es_field spin =
            ES_FIELD_OF_EACH("spin", world, balls, spin, ES_TYPE_F32, ES_BLEND_ANGLE);
    es_field one = {"mass", ES_TYPE_F64, ES_BLEND_LINEAR, 10, 1,
            offsetof(world, balls) + offsetof(ball, mass), sizeof(ball)};
    check_field(&mass, &one);
    es_field three = {"spin", ES_TYPE_F32, ES_BLEND_ANGLE, 10, 3,
            offsetof(world, balls) + offsetof(ball, spin), sizeof(ball)};
    check_field(&spin, &three);
}

static void test_layout_macro(void **state)
{
    (void)state;
    static const es_field fields[] = {
            ES_FIELD("px", world, px, ES_TYPE_F32, ES_BLEND_LINEAR),
            ES_FIELD("py", world, py, ES_TYPE_F32, ES_BLEND_LINEAR),
            ES_FIELD("camera", world, camera, ES_TYPE_F32, ES_BLEND_LINEAR),
    };
    static const es_layout layout = ES_LAYOUT(world, fields);
    assert_ptr_equal(layout.fields, fields);
    assert_int_equal(layout.field_count, 3);
    assert_int_equal(layout.state_size, sizeof(world));
    assert_int_equal(es_layout_validate(&layout, NULL), ES_OK);
}

static void test_type_size_macro(void **state)
{
    (void)state;
    assert_int_equal(ES_TYPE_SIZE(ES_TYPE_F32), sizeof(float));
    assert_int_equal(ES_TYPE_SIZE(ES_TYPE_F64), sizeof(double));
    assert_int_equal(ES_TYPE_SIZE(ES_TYPE_I32), sizeof(int32_t));
    assert_int_equal(ES_TYPE_SIZE(ES_TYPE_U32), sizeof(uint32_t));
    assert_int_equal(ES_TYPE_SIZE(ES_TYPE_I64), sizeof(int64_t));
    assert_int_equal(ES_TYPE_SIZE(ES_TYPE_U8), sizeof(uint8_t));
    assert_int_equal(ES_TYPE_SIZE(ES_TYPE_NONE), 1);
    _Static_assert(ES_TYPE_SIZE(ES_TYPE_F64) == 8, "constant where the type is");
}

/* --- find ------------------------------------------------------------------------------------- */

static void test_find(void **state)
{
    (void)state;
    static const es_field fields[] = {
            ES_FIELD("px", world, px, ES_TYPE_F32, ES_BLEND_LINEAR),
            ES_FIELD("p", world, py, ES_TYPE_F32, ES_BLEND_LINEAR),
            ES_FIELD("camera", world, camera, ES_TYPE_F32, ES_BLEND_LINEAR),
    };
    static const es_layout layout = ES_LAYOUT(world, fields);
    char name[8];
    snprintf(name, sizeof name, "cam%s", "era");
    assert_ptr_equal(es_layout_find(&layout, name), &fields[2]);
    assert_ptr_equal(es_layout_find(&layout, "px"), &fields[0]);
    assert_ptr_equal(es_layout_find(&layout, "p"), &fields[1]);
    assert_null(es_layout_find(&layout, "pxx"));
    assert_null(es_layout_find(&layout, "cam"));
    assert_null(es_layout_find(&layout, ""));
}

/* The macros cannot stop the compiler, but they can make the layout be refused. */
static void test_a_type_larger_than_the_member_is_refused(void **state)
{
    typedef struct body {
        float x;
        float y;
    } body;
    typedef struct four_bodies {
        body bodies[4];
        double padding[8];
    } four_bodies;
    const es_field fields[] = {
            ES_FIELD_OF_EACH("x", four_bodies, bodies, x, ES_TYPE_F64, ES_BLEND_LINEAR)};
    const es_layout layout = ES_LAYOUT(four_bodies, fields);
    es_error error;
    (void)state;
    assert_int_equal(es_layout_validate(&layout, &error), ES_ERR_INVALID);
    assert_string_equal(error.field, "x");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
            cmocka_unit_test(test_no_layout_no_fields_no_state),
            cmocka_unit_test(test_names),
            cmocka_unit_test(test_types),
            cmocka_unit_test(test_kinds),
            cmocka_unit_test(test_kinds_that_fit_types),
            cmocka_unit_test(test_count_zero),
            cmocka_unit_test(test_bounds),
            cmocka_unit_test(test_bounds_when_size_t_overflows),
            cmocka_unit_test(test_alignment),
            cmocka_unit_test(test_stride_too_short),
            cmocka_unit_test(test_overlap_of_single_fields),
            cmocka_unit_test(test_overlap_of_single_fields_without_stride),
            cmocka_unit_test(test_overlap_of_a_single_and_a_run),
            cmocka_unit_test(test_overlap_of_runs),
            cmocka_unit_test(test_overlap_of_runs_with_different_strides),
            cmocka_unit_test(test_every_honest_pair_is_accepted),
            cmocka_unit_test(test_every_sharing_pair_is_refused),
            cmocka_unit_test(test_members_of_an_array_of_structs),
            cmocka_unit_test(test_structure_of_arrays_and_columns),
            cmocka_unit_test(test_first_bad_field_is_named),
            cmocka_unit_test(test_field_macro),
            cmocka_unit_test(test_field_of_each_macro),
            cmocka_unit_test(test_layout_macro),
            cmocka_unit_test(test_type_size_macro),
            cmocka_unit_test(test_find),
            cmocka_unit_test(test_a_type_larger_than_the_member_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
