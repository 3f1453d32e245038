/* SPDX-License-Identifier: Zlib
 *
 * Layouts: what is refused and how that is said, what is accepted, and what the macros expand to.
 */
#include "evenstep/layout.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "test_support.h"

/* --- helpers ---------------------------------------------------------------------------------- */

/* A correct field of one float at the start of the state; the tests spoil one thing at a time. */
static es_field good_field(void)
{
    es_field field = {
            .name = "x", .type = ES_TYPE_F32, .blend = ES_BLEND_LINEAR, .count = 1, .stride = 4};
    return field;
}

/* One whose place is all that matters. */
static es_field place(es_type type, size_t count, size_t components, size_t offset, size_t stride)
{
    es_field field = {.name = "x", .type = type, .blend = ES_BLEND_STEP, .count = count};
    field.components = components;
    field.offset = offset;
    field.stride = stride;
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
    field.blend = (es_blend_kind)(ES_BLEND_MARK + 1);
    check_one_refused(field, 64, "no blend kind");
}

/* What the header says of each kind, as a table. */
typedef struct kind_rule {
    es_blend_kind kind;
    bool floats;        /* F32 and F64 */
    bool u8;            /* U8 */
    bool integers;      /* I32, U32, I64 */
    bool components[6]; /* 0 (which is 1) to 5 */
    bool moves;         /* velocity, acceleration, every prediction */
} kind_rule;

#define ANY_NUMBER                                                                                 \
    {                                                                                              \
        true, true, true, true, true, true                                                         \
    }

static const kind_rule kind_rules[] = {
        {ES_BLEND_LINEAR, true, false, false, ANY_NUMBER, true},
        {ES_BLEND_ANGLE, true, false, false, ANY_NUMBER, true},
        {ES_BLEND_CYCLIC, true, false, false, ANY_NUMBER, true},
        {ES_BLEND_ROTATION, true, false, false, {false, false, false, false, true, false}, false},
        {ES_BLEND_COLOUR, true, false, false, {false, false, false, true, true, false}, false},
        {ES_BLEND_SRGB, true, true, false, {false, false, false, true, true, false}, false},
        {ES_BLEND_LOG, true, false, false, ANY_NUMBER, false},
        {ES_BLEND_STEP, true, true, true, ANY_NUMBER, false},
        {ES_BLEND_NEAREST, true, true, true, ANY_NUMBER, false},
        {ES_BLEND_HERMITE, true, false, false, ANY_NUMBER, true},
        {ES_BLEND_CATMULL_ROM, true, false, false, ANY_NUMBER, true},
        {ES_BLEND_MONOTONE, true, false, false, ANY_NUMBER, true},
        {ES_BLEND_MARK, false, true, true, {true, true, false, false, false, false}, false},
};

static bool fits_type(const kind_rule *rule, es_type type)
{
    if (type == ES_TYPE_F32 || type == ES_TYPE_F64) {
        return rule->floats;
    }
    return type == ES_TYPE_U8 ? rule->u8 : rule->integers;
}

/* The first field is of that kind, with all that it needs; the second can be its velocity. */
static void fields_of_kind(
        const kind_rule *rule, es_type type, size_t components, es_field fields[2])
{
    fields[0] = place(type, 2, components, 0, 64);
    fields[0].blend = rule->kind;
    fields[0].period = rule->kind == ES_BLEND_CYCLIC ? 24 : 0;
    fields[0].group = rule->kind == ES_BLEND_MARK;
    fields[0].velocity = rule->kind == ES_BLEND_HERMITE ? "v" : NULL;
    fields[1] = place(type, 2, components, 128, 64);
    fields[1].name = "v";
}

static void test_kinds_that_fit_types(void **state)
{
    (void)state;
    assert_int_equal(sizeof kind_rules / sizeof kind_rules[0], ES_BLEND_MARK);
    for (size_t i = 0; i < sizeof kind_rules / sizeof kind_rules[0]; ++i) {
        for (int type = ES_TYPE_F32; type <= ES_TYPE_U8; ++type) {
            for (size_t components = 0; components < 6; ++components) {
                es_field fields[2];
                fields_of_kind(&kind_rules[i], (es_type)type, components, fields);
                if (!fits_type(&kind_rules[i], (es_type)type)) {
                    check_refused(fields, 2, 256, "x", "is ");
                } else if (!kind_rules[i].components[components]) {
                    check_refused(fields, 2, 256, "x", "component");
                } else {
                    check_accepted(fields, 2, 256);
                }
            }
        }
    }
}

/* Only one thing is wrong, and the reason says which. */
static void test_reasons_of_kinds(void **state)
{
    (void)state;
    es_field field = place(ES_TYPE_I32, 1, 3, 0, 64);
    field.blend = ES_BLEND_LINEAR;
    check_one_refused(field, 64, "is no float or double, which its kind needs");
    field.blend = ES_BLEND_COLOUR;
    check_one_refused(field, 64, "is no float or double, which its kind needs");
    field.blend = ES_BLEND_SRGB;
    check_one_refused(field, 64, "is no float, double or U8, which ES_BLEND_SRGB needs");
    field.blend = ES_BLEND_MARK;
    check_one_refused(field, 64, "is a mark, which has 1 component");
    field.type = ES_TYPE_F32;
    check_one_refused(field, 64, "is a mark, which is U8, I32, U32 or I64");
    field.blend = ES_BLEND_ROTATION;
    check_one_refused(field, 64, "is a rotation, which has 4 components");
    field.components = 5;
    field.blend = ES_BLEND_COLOUR;
    check_one_refused(field, 64, "is a colour, which has 3 or 4 components");
}

static void test_period(void **state)
{
    (void)state;
    const char *needed = "needs a period that is above 0 and finite";
    static const double bad[] = {0, -1, (double)NAN, (double)INFINITY, -(double)INFINITY};
    es_field field = good_field();
    field.stride = 8;
    field.blend = ES_BLEND_CYCLIC;
    for (int type = ES_TYPE_F32; type <= ES_TYPE_F64; ++type) {
        field.type = (es_type)type;
        for (size_t i = 0; i < sizeof bad / sizeof bad[0]; ++i) {
            field.period = bad[i];
            check_one_refused(field, 64, needed);
        }
        field.period = 0.5;
        check_accepted(&field, 1, 64);
    }
    /* what a double holds may be 0 or infinite as a float */
    field.period = 1e300;
    check_accepted(&field, 1, 64);
    field.type = ES_TYPE_F32;
    check_one_refused(field, 64, needed);
    field.period = 1e-300;
    check_one_refused(field, 64, needed);
    field.period = (double)FLT_MAX;
    check_accepted(&field, 1, 64);
    field.period = (double)FLT_MIN;
    check_accepted(&field, 1, 64);

    field.blend = ES_BLEND_LINEAR;
    check_one_refused(field, 64, "has a period, which only ES_BLEND_CYCLIC takes");
    field.period = (double)NAN;
    check_one_refused(field, 64, "has a period");
    field.period = 0;
    check_accepted(&field, 1, 64);
}

static void test_delay(void **state)
{
    (void)state;
    static const double good[] = {0, 8, -8, 0.25, -1};
    static const double bad[] = {8.0001, -8.0001, (double)NAN, (double)INFINITY, 1e9};
    es_field field = good_field();
    for (size_t i = 0; i < sizeof good / sizeof good[0]; ++i) {
        field.delay_ticks = good[i];
        check_accepted(&field, 1, 64);
    }
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; ++i) {
        field.delay_ticks = bad[i];
        check_one_refused(field, 64, "delay_ticks outside -8 to 8");
    }
    es_field mark = place(ES_TYPE_U8, 1, 1, 0, 1);
    mark.blend = ES_BLEND_MARK;
    mark.group = 1;
    check_accepted(&mark, 1, 64);
    mark.delay_ticks = 1;
    check_one_refused(mark, 64, "is a mark, which cannot be delayed");
}

/* --- groups ----------------------------------------------------------------------------------- */

static void test_groups(void **state)
{
    (void)state;
    es_field fields[3] = {place(ES_TYPE_F32, 4, 1, 0, 4), place(ES_TYPE_U8, 4, 1, 16, 1),
            place(ES_TYPE_I32, 4, 1, 32, 4)};
    fields[0].name = "at";
    fields[1].name = "jumps";
    fields[2].name = "more";
    fields[0].group = fields[1].group = fields[2].group = 7;
    fields[1].blend = ES_BLEND_MARK;
    check_accepted(fields, 3, 64);
    fields[2].count = 3;
    check_refused(fields, 3, 64, "more", "another count than an earlier field of its group");
    fields[2].group = 8;
    check_accepted(fields, 3, 64);
    fields[2].group = 0;
    check_accepted(fields, 3, 64);
    fields[2].group = -1;
    check_refused(fields, 3, 64, "more", "has a group below 0");
    fields[2].group = 7;
    fields[2].count = 4;
    fields[2].blend = ES_BLEND_MARK;
    check_refused(fields, 3, 64, "more", "is the second mark of its group");
    fields[2].group = 1;
    check_accepted(fields, 3, 64);
    fields[2].group = 0;
    check_refused(fields, 3, 64, "more", "is a mark without a group");
}

/* --- velocity, acceleration, contact, prediction ---------------------------------------------- */

typedef enum mover_field { AT, SPEED, PULL, HIT, OTHER, MOVER_FIELDS } mover_field;

/* A thing that moves, with all that it can be told about that; each test spoils one thing. */
typedef struct mover {
    es_field fields[MOVER_FIELDS];
    es_prediction prediction;
} mover;

static void make_mover(mover *m)
{
    static const char *const names[] = {"at", "speed", "pull", "hit", "other"};
    for (size_t i = 0; i < MOVER_FIELDS; ++i) {
        m->fields[i] = place(ES_TYPE_F64, 2, 3, i * 64, 24);
        m->fields[i].name = names[i];
    }
    m->fields[HIT] = place(ES_TYPE_I64, 2, 0, HIT * 64, 8);
    m->fields[HIT].name = "hit";
    m->prediction = (es_prediction){ES_PREDICT_BALLISTIC, ES_CORRECT_DECAY, 1, 2, 3};
    m->fields[AT].blend = ES_BLEND_HERMITE;
    m->fields[AT].velocity = "speed";
    m->fields[AT].acceleration = "pull";
    m->fields[AT].contact = "hit";
    m->fields[AT].prediction = &m->prediction;
}

static void check_mover(const mover *m, const char *reason)
{
    if (reason == NULL) {
        check_accepted(m->fields, MOVER_FIELDS, MOVER_FIELDS * 64);
    } else {
        check_refused(m->fields, MOVER_FIELDS, MOVER_FIELDS * 64, "at", reason);
    }
}

static void test_velocity(void **state)
{
    (void)state;
    mover m;
    make_mover(&m);
    check_mover(&m, NULL);
    m.fields[AT].velocity = "spee";
    check_mover(&m, "has a velocity that names no other field");
    m.fields[AT].velocity = "";
    check_mover(&m, "has a velocity that names no other field");
    m.fields[AT].velocity = "at";
    check_mover(&m, "has a velocity that names no other field");
    m.fields[AT].velocity = "hit";
    check_mover(&m, "has a velocity of another type, count or number of components");
    m.fields[AT].velocity = "other";
    check_mover(&m, NULL);
    m.fields[OTHER].count = 1;
    check_mover(&m, "has a velocity of another type, count or number of components");
    m.fields[OTHER].count = 2;
    m.fields[OTHER].components = 2;
    check_mover(&m, "has a velocity of another type, count or number of components");
    m.fields[OTHER].components = 3;
    m.fields[OTHER].type = ES_TYPE_F32;
    check_mover(&m, "has a velocity of another type, count or number of components");
    m.fields[AT].velocity = NULL;
    check_mover(&m, "needs velocity and acceleration");
    m.prediction.kind = ES_PREDICT_LINEAR;
    check_mover(&m, "is ES_BLEND_HERMITE, which needs a velocity");
    m.fields[AT].blend = ES_BLEND_LINEAR;
    check_mover(&m, "has an acceleration but no velocity");
    m.fields[AT].acceleration = NULL;
    check_mover(&m, NULL);
}

/* 0 components and 1 are the same. */
static void test_velocity_of_one_component(void **state)
{
    (void)state;
    es_field fields[2] = {place(ES_TYPE_F32, 2, 0, 0, 4), place(ES_TYPE_F32, 2, 1, 8, 4)};
    fields[0].blend = ES_BLEND_MONOTONE;
    fields[0].velocity = "v";
    fields[1].name = "v";
    check_accepted(fields, 2, 16);
}

static void test_acceleration(void **state)
{
    (void)state;
    mover m;
    make_mover(&m);
    m.fields[AT].acceleration = "none";
    check_mover(&m, "has an acceleration that names no other field");
    m.fields[AT].acceleration = "at";
    check_mover(&m, "has an acceleration that names no other field");
    m.fields[AT].acceleration = "hit";
    check_mover(&m, "has an acceleration of another type, count or number of components");
    m.fields[AT].acceleration = "other";
    check_mover(&m, NULL);
    m.fields[OTHER].components = 1;
    check_mover(&m, "has an acceleration of another type, count or number of components");
    m.fields[AT].acceleration = NULL;
    check_mover(&m, "is predicted ballistically, which needs velocity and acceleration");
    m.prediction.kind = ES_PREDICT_LINEAR;
    check_mover(&m, NULL);
}

static void test_contact(void **state)
{
    (void)state;
    mover m;
    make_mover(&m);
    m.fields[AT].contact = "none";
    check_mover(&m, "has a contact that names no field");
    m.fields[AT].contact = "other";
    check_mover(&m, "has a contact that is not one I64 for each of its elements");
    m.fields[AT].contact = "hit";
    m.fields[HIT].count = 1;
    check_mover(&m, "has a contact that is not one I64 for each of its elements");
    m.fields[HIT].count = 2;
    m.fields[HIT].components = 2;
    m.fields[HIT].stride = 16;
    check_mover(&m, "has a contact that is not one I64 for each of its elements");
    make_mover(&m);
    m.prediction.kind = ES_PREDICT_HOLD;
    check_mover(&m, "has a contact but no prediction");
    m.fields[AT].prediction = NULL;
    check_mover(&m, "has a contact but no prediction");
    m.fields[AT].contact = NULL;
    check_mover(&m, NULL);
}

static void test_prediction(void **state)
{
    (void)state;
    mover m;
    make_mover(&m);
    m.prediction.kind = (es_predict)(ES_PREDICT_BALLISTIC + 1);
    check_mover(&m, "has a prediction of no known kind");
    m.prediction.kind = (es_predict)-1;
    check_mover(&m, "has a prediction of no known kind");
    make_mover(&m);
    m.prediction.correct = (es_correct)(ES_CORRECT_SNAP + 1);
    check_mover(&m, "has a prediction with no known correction");
    m.prediction.correct = (es_correct)-1;
    check_mover(&m, "has a prediction with no known correction");
    for (int i = 0; i < 3; ++i) {
        make_mover(&m);
        int64_t *times[] = {&m.prediction.max_ns, &m.prediction.ramp_ns, &m.prediction.decay_ns};
        *times[i] = -1;
        check_mover(&m, "has a prediction with a time below 0");
        *times[i] = INT64_MAX;
        check_mover(&m, NULL);
    }
}

/* Which kinds may be told how they move: each with each thing, one at a time. */
static void test_kinds_that_move(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof kind_rules / sizeof kind_rules[0]; ++i) {
        const kind_rule *rule = &kind_rules[i];
        es_type type = rule->floats ? ES_TYPE_F32 : ES_TYPE_U8;
        size_t components = rule->components[4] ? 4 : 1;
        bool rotation = rule->kind == ES_BLEND_ROTATION;
        es_prediction prediction = {0};
        es_field fields[2];
        fields_of_kind(rule, type, components, fields);
        fields[0].prediction = &prediction;
        check_accepted(fields, 2, 256);
        prediction.ramp_ns = 1; /* still a hold, but no default */
        if (rule->moves || rotation) {
            check_accepted(fields, 2, 256);
            prediction.kind = ES_PREDICT_LINEAR;
            check_accepted(fields, 2, 256);
        } else {
            check_refused(fields, 2, 256, "x", "has a prediction, which does not fit its kind");
        }
        prediction = (es_prediction){.kind = ES_PREDICT_BALLISTIC};
        check_refused(fields, 2, 256, "x",
                rule->moves || rotation ? "needs velocity and acceleration" : "does not fit");

        fields[0].prediction = NULL;
        fields[0].velocity = "v";
        if (rule->moves) {
            check_accepted(fields, 2, 256);
        } else {
            check_refused(fields, 2, 256, "x", "has a velocity, which does not fit its kind");
        }
        fields[0].acceleration = "v";
        fields[0].velocity = rule->moves ? "v" : NULL;
        if (rule->moves) {
            check_accepted(fields, 2, 256);
        } else {
            check_refused(fields, 2, 256, "x", "has an acceleration, which does not fit");
        }
    }
}

/* A rotation that spins on after the last news, until the thing hits something. */
static void test_a_rotation_with_a_contact(void **state)
{
    (void)state;
    es_prediction prediction = {.kind = ES_PREDICT_LINEAR};
    es_field fields[2] = {place(ES_TYPE_F32, 2, 4, 0, 16), place(ES_TYPE_I64, 2, 1, 32, 8)};
    fields[0].blend = ES_BLEND_ROTATION;
    fields[0].prediction = &prediction;
    fields[0].contact = "hit";
    fields[1].name = "hit";
    check_accepted(fields, 2, 64);
    prediction.kind = ES_PREDICT_HOLD;
    check_refused(fields, 2, 64, "x", "has a contact but no prediction");
}

/* What is wrong with a field by itself comes before what is wrong between fields. */
static void test_links_are_looked_at_last(void **state)
{
    (void)state;
    mover m;
    make_mover(&m);
    m.fields[AT].velocity = "none";
    m.fields[OTHER].count = 0;
    check_refused(m.fields, MOVER_FIELDS, MOVER_FIELDS * 64, "other", "count is 0");
}

/* --- places ----------------------------------------------------------------------------------- */

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
            es_field spoiled[] = {place(types[i].type, 2, 1, 8 + shift, 16),
                    place(types[i].type, 2, 1, 8, 16 + shift), place(types[i].type, 2, 2, 8, 64),
                    place(types[i].type, 2, 1, 8, 16)};
            spoiled[2].component_stride = 16 + shift;
            spoiled[3].tile = 1;
            spoiled[3].tile_stride = 24 + shift;
            for (size_t k = 0; k < sizeof spoiled / sizeof spoiled[0]; ++k) {
                if (shift == 0) {
                    check_accepted(&spoiled[k], 1, 128);
                } else {
                    check_one_refused(spoiled[k], 128, "not aligned");
                }
            }
        }
    }
}

static void test_stride_too_short(void **state)
{
    (void)state;
    const char *shorter = "shorter than its element";
    es_field field = place(ES_TYPE_F32, 4, 3, 0, 12);
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
    return place(ES_TYPE_F32, count, components, offset, stride);
}

static void test_overlap_of_single_fields(void **state)
{
    (void)state;
    check_pair(floats(1, 1, 8, 4), floats(1, 1, 8, 4), true);
    check_pair(floats(1, 3, 0, 12), floats(1, 1, 8, 4), true);
    check_pair(floats(1, 3, 0, 12), floats(1, 1, 12, 4), false);
    check_pair(floats(1, 1, 0, 4), floats(1, 3, 4, 12), false);
    es_field number = place(ES_TYPE_F64, 1, 1, 8, 8);
    es_field flag = place(ES_TYPE_U8, 1, 1, 15, 1);
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

/* --- planes and tiles ------------------------------------------------------------------------- */

/* A field with everything that says where it lies. */
static es_field grid(es_field field, size_t component_stride, size_t tile, size_t tile_stride)
{
    field.component_stride = component_stride;
    field.tile = tile;
    field.tile_stride = tile_stride;
    return field;
}

static void test_planes(void **state)
{
    (void)state;
    const char *shared = "component_stride too short: components would share bytes";
    es_field planes = grid(floats(8, 3, 0, 4), 32, 0, 0); /* xxxxxxxx yyyyyyyy zzzzzzzz */
    check_accepted(&planes, 1, 96);
    check_one_refused(planes, 95, "past the end");
    planes.component_stride = 28;
    check_one_refused(planes, 256, shared);
    planes.component_stride = 4; /* two strides of one length */
    check_one_refused(planes, 256, "shorter than its element");

    es_field apart = grid(floats(4, 3, 0, 24), 8, 0, 0); /* x-y-z- */
    check_accepted(&apart, 1, 92);
    apart.stride = 16;
    check_one_refused(apart, 256, "shorter than its element");
    /* what one component or one element does not need */
    es_field single = grid(floats(4, 1, 0, 4), 4, 0, 0);
    check_accepted(&single, 1, 16);
    single = grid(floats(1, 4, 0, 0), 16, 0, 0);
    check_accepted(&single, 1, 52);
    check_one_refused(single, 51, "past the end");
}

static void test_tiles(void **state)
{
    (void)state;
    const char *shared = "tile_stride too short: tiles would share bytes";
    es_field tiles = grid(floats(12, 3, 0, 4), 16, 4, 48); /* xxxxyyyyzzzz, 3 times */
    check_accepted(&tiles, 1, 144);
    check_one_refused(tiles, 143, "past the end");
    tiles.tile_stride = 44;
    check_one_refused(tiles, 256, shared);
    tiles.tile_stride = 0;
    check_one_refused(tiles, 256, shared);
    tiles.count = 4; /* a single tile */
    check_accepted(&tiles, 1, 48);
    tiles.count = 5; /* and one that is not whole */
    check_one_refused(tiles, 256, shared);
    tiles.tile_stride = 60;
    check_accepted(&tiles, 1, 96);
    check_one_refused(tiles, 95, "past the end");
    tiles.tile = 0;
    check_one_refused(tiles, 256, "has a tile_stride but no tile");
    tiles.tile = 3;
    tiles.count = 3;
    check_accepted(&tiles, 1, 44);
    tiles.tile = SIZE_MAX;
    check_accepted(&tiles, 1, 44);
    /* one element per tile: only tile_stride counts */
    es_field ones = grid(floats(4, 1, 0, 0), 0, 1, 8);
    check_accepted(&ones, 1, 28);
}

/* Tiles within planes: every plane has a header before each eight numbers, and ends after them. */
static void test_tiles_within_planes(void **state)
{
    (void)state;
    es_field tiles = grid(floats(12, 2, 4, 4), 64, 8, 36); /* 4..36 and 40..56, 68..100 and so on */
    check_accepted(&tiles, 1, 120);
    check_one_refused(tiles, 119, "past the end");
    tiles.component_stride = 48;
    check_one_refused(tiles, 256, "components would share bytes");
    check_pair(grid(tiles, 64, 8, 36), grid(floats(2, 2, 0, 36), 64, 0, 0), false);
    check_pair(grid(tiles, 64, 8, 36), grid(floats(2, 2, 0, 40), 64, 0, 0), true);
}

static void test_overlap_of_planes_and_tiles(void **state)
{
    (void)state;
    es_field planes = grid(floats(8, 2, 0, 4), 64, 0, 0); /* 0..32, 64..96 */
    check_pair(planes, grid(floats(8, 2, 32, 4), 64, 0, 0), false);
    check_pair(planes, grid(floats(9, 2, 32, 4), 64, 0, 0), true);
    check_pair(planes, floats(8, 1, 32, 4), false);
    check_pair(planes, floats(9, 1, 32, 4), true);
    es_field tiles = grid(floats(10, 1, 0, 4), 0, 4, 32); /* 0..16, 32..48, 64..72 */
    check_pair(tiles, grid(floats(10, 1, 16, 4), 0, 4, 32), false);
    check_pair(tiles, grid(floats(10, 1, 12, 4), 0, 4, 32), true);
    check_pair(tiles, floats(1, 1, 72, 4), false);
    check_pair(tiles, floats(1, 1, 68, 4), true);
    check_pair(tiles, floats(4, 1, 28, 32), false); /* one number at the end of each block */
    check_pair(tiles, grid(floats(10, 1, 16, 4), 0, 2, 32), false);
}

/* Worlds of 8 million objects, 10 fields each of 3 components, many times over: walking them even
 * once per pair would take hours. */
static void check_large(es_field first, size_t next, size_t state_size)
{
    enum { FIELDS = 10 };
    static const char *const names[FIELDS] = {"a", "b", "c", "d", "e", "f", "g", "h", "i", "j"};
    es_field fields[FIELDS];
    for (size_t i = 0; i < FIELDS; ++i) {
        fields[i] = first;
        fields[i].name = names[i];
        fields[i].offset = i * next;
    }
    for (int i = 0; i < 200; ++i) {
        check_accepted(fields, FIELDS, state_size);
    }
    fields[FIELDS - 1].offset -= 4;
    check_refused(fields, FIELDS, state_size, "j", "shares bytes");
}

static void test_large_worlds(void **state)
{
    (void)state;
    if (SIZE_MAX < UINT64_MAX) {
        return;
    }
    const size_t count = 8000003; /* odd: the last tile is not whole */
    const size_t all = count * 120;
    const size_t tiles = (count / 8 + 1) * 960;
    check_large(floats(count, 3, 0, 12), count * 12, all); /* arrays of vectors */
    check_large(grid(floats(count, 3, 0, 4), count * 4, 0, 0), count * 12, all); /* planes */
    check_large(grid(floats(count, 3, 0, 4), count * 40, 0, 0), count * 4, all); /* mixed planes */
    check_large(floats(count, 3, 0, 120), 12, all);                              /* structs */
    check_large(grid(floats(count, 3, 0, 120), 40, 0, 0), 4, all);     /* x of all, y of all ... */
    check_large(grid(floats(count, 3, 0, 4), 32, 8, 960), 96, tiles);  /* tiles of planes */
    check_large(grid(floats(count, 3, 0, 4), 320, 8, 960), 32, tiles); /* mixed */
    check_large(grid(floats(count, 3, 0, 12), 0, 8, 960), 96, tiles);  /* tiles of vectors */
    check_large(grid(floats(count, 3, 0, 120), 0, 8, 960), 12, tiles); /* tiles of structs */
    check_large(grid(floats(count, 3, 0, 4), 32, 8, 1000), 96, (count / 8 + 1) * 1000);
}

/* --- random fields against a map of bytes ----------------------------------------------------- */

#define MAP_SIZE 2048

/* The header's formula. */
static size_t number_at(const es_field *field, size_t element, size_t component)
{
    size_t size = ES_TYPE_SIZE(field->type);
    size_t tile = field->tile != 0 ? element / field->tile : 0;
    size_t in_tile = field->tile != 0 ? element % field->tile : element;
    size_t component_stride = field->component_stride != 0 ? field->component_stride : size;
    return field->offset + tile * field->tile_stride + in_tile * field->stride
           + component * component_stride;
}

/* What a field does with bytes. */
typedef struct usage {
    bool within; /* the state */
    bool shared; /* with itself, or what was counted before */
} usage;

/* Counts each byte of the field in the map. */
static usage count_bytes(const es_field *field, unsigned char map[MAP_SIZE])
{
    usage found = {true, false};
    size_t components = field->components != 0 ? field->components : 1;
    for (size_t i = 0; i < field->count * components; ++i) {
        size_t at = number_at(field, i / components, i % components);
        assert_int_equal(es_field_at(field, i / components, i % components), at);
        for (size_t k = 0; k < ES_TYPE_SIZE(field->type); ++k) {
            if (at + k >= MAP_SIZE) {
                found.within = false;
            } else {
                found.shared = found.shared || map[at + k] != 0;
                map[at + k] = 1;
            }
        }
    }
    return found;
}

static size_t up_to(test_random *random, size_t most)
{
    return (size_t)random_below(random, (int64_t)most + 1);
}

/* Counts, without strides. */
static es_field random_counts(test_random *random)
{
    static const es_type types[] = {ES_TYPE_F32, ES_TYPE_F64, ES_TYPE_U8};
    es_field field = place(types[up_to(random, 2)], up_to(random, 8) + 1, up_to(random, 4), 0, 0);
    field.offset = up_to(random, 16) * ES_TYPE_SIZE(field.type);
    field.tile = up_to(random, 1) == 0 ? 0 : up_to(random, 4) + 1;
    return field;
}

/* Strides that nest, in any order, with a gap here and there. */
static void nest(test_random *random, es_field *field)
{
    static const int orders[6][3] = {
            {0, 1, 2}, {0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}};
    const int *order = orders[up_to(random, 5)];
    size_t size = ES_TYPE_SIZE(field->type);
    size_t tile = field->tile != 0 ? field->tile : field->count;
    size_t counts[3] = {field->components != 0 ? field->components : 1,
            tile < field->count ? tile : field->count, (field->count + tile - 1) / tile};
    size_t *strides[3] = {&field->component_stride, &field->stride, &field->tile_stride};
    size_t extent = size;
    for (int i = 0; i < 3; ++i) {
        if (order[i] == 2 && field->tile == 0) {
            continue;
        }
        size_t gap = up_to(random, 1) == 0 ? 0 : up_to(random, 5);
        *strides[order[i]] = extent + gap * size;
        extent += (counts[order[i]] - 1) * (extent + gap * size);
    }
    if (field->component_stride == size && up_to(random, 1) == 0) {
        field->component_stride = 0;
    }
}

static es_field random_nested(test_random *random)
{
    for (;;) {
        unsigned char map[MAP_SIZE] = {0};
        es_field field = random_counts(random);
        nest(random, &field);
        usage found = count_bytes(&field, map);
        assert_false(found.shared);
        if (found.within) {
            return field;
        }
    }
}

static es_field random_strides(test_random *random)
{
    es_field field = random_counts(random);
    size_t size = ES_TYPE_SIZE(field.type);
    field.component_stride = up_to(random, 24) * size;
    field.stride = up_to(random, 24) * size;
    field.tile_stride = field.tile == 0 ? 0 : up_to(random, 48) * size;
    return field;
}

/* Gives the two fields of a random pair; whether they share bytes. */
static bool random_pair(test_random *random, es_field pair[2])
{
    unsigned char map[MAP_SIZE] = {0};
    pair[0] = random_nested(random);
    pair[1] = random_nested(random);
    es_field like = pair[0]; /* members of one struct, lanes of one tile */
    like.offset = up_to(random, 48) * ES_TYPE_SIZE(like.type);
    like.count = up_to(random, 7) + 1 < like.count ? up_to(random, like.count - 1) + 1 : like.count;
    unsigned char alone[MAP_SIZE] = {0};
    if (up_to(random, 2) != 0 && count_bytes(&like, alone).within) {
        pair[1] = like;
    }
    pair[1].name = "y";
    count_bytes(&pair[0], map);
    return count_bytes(&pair[1], map).shared;
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

/* Strides of any kind: none that leaves the state or shares bytes with itself is accepted, and of
 * those that are, no pair that shares any. */
static void test_what_is_accepted_shares_nothing(void **state)
{
    (void)state;
    test_random random = {2026};
    int accepted = 0;
    int pairs = 0;
    int sharing = 0;
    es_field last = good_field();
    for (int i = 0; i < 200000; ++i) {
        unsigned char map[MAP_SIZE] = {0};
        es_field pair[2] = {random_strides(&random), last};
        es_layout one = {pair, 1, MAP_SIZE};
        es_layout two = {pair, 2, MAP_SIZE};
        usage found = count_bytes(&pair[0], map);
        if (es_layout_validate(&one, NULL) != ES_OK) {
            continue;
        }
        assert_true(found.within);
        assert_false(found.shared);
        accepted += 1;
        last = pair[0];
        pair[1].name = "y";
        bool shared = count_bytes(&pair[1], map).shared;
        assert_int_equal(es_layout_validate(&two, NULL), shared ? ES_ERR_INVALID : ES_OK);
        pairs += !shared;
        sharing += shared;
    }
    assert_true(accepted > 10000);
    assert_true(pairs > 1000);
    assert_true(sharing > 1000);
}

static size_t random_number(test_random *random)
{
    return up_to(random, 3) != 0 ? up_to(random, 12) : (size_t)random_magnitude(random);
}

/* Numbers of every magnitude, in a state of every size: refused, or what the map says. */
static void test_numbers_of_any_magnitude(void **state)
{
    (void)state;
    test_random random = {2027};
    int accepted = 0;
    for (int i = 0; i < 300000; ++i) {
        es_field field = place(ES_TYPE_U8, random_number(&random), random_number(&random),
                random_number(&random), random_number(&random));
        field.component_stride = random_number(&random);
        field.tile = random_number(&random);
        field.tile_stride = random_number(&random);
        es_layout small = {&field, 1, MAP_SIZE};
        es_layout large = {&field, 1, (size_t)random_magnitude(&random)};
        es_layout huge = {&field, 1, SIZE_MAX};
        es_layout_validate(&large, NULL);
        es_layout_validate(&huge, NULL);
        if (es_layout_validate(&small, NULL) == ES_OK) {
            unsigned char map[MAP_SIZE] = {0};
            usage found = count_bytes(&field, map);
            assert_true(found.within);
            assert_false(found.shared);
            accepted += 1;
        }
    }
    assert_true(accepted > 1000);
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
            {.name = "heat",
                    .type = ES_TYPE_F32,
                    .blend = ES_BLEND_LINEAR,
                    .count = 4,
                    .components = 8,
                    .offset = offsetof(world, heat),
                    .stride = sizeof(float[8])},
    };
    check_accepted(fields, sizeof fields / sizeof fields[0], sizeof(world));
}

/* Arrays in one allocation, and columns of a row-major matrix. */
static void test_structure_of_arrays_and_columns(void **state)
{
    (void)state;
    es_field arrays[] = {floats(100, 1, 0, 4), floats(100, 1, 400, 4),
            place(ES_TYPE_F64, 100, 3, 800, 24), floats(100, 0, 3200, 4),
            place(ES_TYPE_U32, 100, 1, 3600, 4)};
    es_field columns[] = {floats(16, 1, 8, 16), floats(16, 1, 0, 16), floats(16, 1, 12, 16),
            floats(16, 1, 4, 16)};
    static const char *const names[] = {"a", "b", "c", "d", "id"};
    for (size_t i = 0; i < 5; ++i) {
        arrays[i].name = names[i];
        columns[i % 4].name = names[i % 4];
    }
    check_accepted(arrays, 5, 4000);
    check_refused(arrays, 5, 3999, "id", "past the end");
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

/* Where a macro has put a field; the rest is at its default. */
static void check_place(const es_field *field, const char *name, es_field expected)
{
    assert_string_equal(field->name, name);
    assert_int_equal(field->type, expected.type);
    assert_int_equal(field->count, expected.count);
    assert_int_equal(field->components, expected.components);
    assert_int_equal(field->offset, expected.offset);
    assert_int_equal(field->stride, expected.stride);
    assert_int_equal(field->component_stride, expected.component_stride);
    assert_int_equal(field->tile, expected.tile);
    assert_int_equal(field->tile_stride, expected.tile_stride);
}

static void check_defaults(const es_field *field)
{
    assert_int_equal(field->group, 0);
    assert_true(field->period == 0);
    assert_true(field->delay_ticks == 0);
    assert_null(field->velocity);
    assert_null(field->acceleration);
    assert_null(field->contact);
    assert_null(field->prediction);
}

static void test_field_macro(void **state)
{
    (void)state;
    static const es_field score = ES_FIELD("score", world, score, ES_TYPE_I64, ES_BLEND_STEP);
    static const es_field camera = ES_FIELD("camera", world, camera, ES_TYPE_F32, ES_BLEND_ANGLE);
    static const es_field over = ES_FIELD("over", world, over, ES_TYPE_U8, ES_BLEND_STEP);
    check_place(&score, "score", place(ES_TYPE_I64, 1, 1, offsetof(world, score), 8));
    assert_int_equal(score.blend, ES_BLEND_STEP);
    check_place(&camera, "camera", place(ES_TYPE_F32, 1, 3, offsetof(world, camera), 12));
    assert_int_equal(camera.blend, ES_BLEND_ANGLE);
    check_place(&over, "over", place(ES_TYPE_U8, 1, 1, offsetof(world, over), 1));
    check_defaults(&score);
}

static void test_field_of_each_macro(void **state)
{
    (void)state;
    static const es_field mass =
            ES_FIELD_OF_EACH("mass", world, balls, mass, ES_TYPE_F64, ES_BLEND_LINEAR);
    static const es_field spin =
            ES_FIELD_OF_EACH("spin", world, balls, spin, ES_TYPE_F32, ES_BLEND_ANGLE);
    size_t balls = offsetof(world, balls);
    check_place(
            &mass, "mass", place(ES_TYPE_F64, 10, 1, balls + offsetof(ball, mass), sizeof(ball)));
    check_place(
            &spin, "spin", place(ES_TYPE_F32, 10, 3, balls + offsetof(ball, spin), sizeof(ball)));
    assert_int_equal(spin.blend, ES_BLEND_ANGLE);
    check_defaults(&mass);
}

static void test_array_and_planes_macros(void **state)
{
    (void)state;
    static const es_field px = ES_FIELD_ARRAY("px", world, px, ES_TYPE_F32, ES_BLEND_ANGLE);
    static const es_field heat = ES_FIELD_PLANES("heat", world, heat, ES_TYPE_F32, ES_BLEND_COLOUR);
    check_place(&px, "px", place(ES_TYPE_F32, 5, 1, offsetof(world, px), 4));
    assert_int_equal(px.blend, ES_BLEND_ANGLE);
    check_defaults(&px);
    static const es_field rows = ES_FIELD_ARRAY("rows", world, heat, ES_TYPE_F32, ES_BLEND_LINEAR);
    check_place(&rows, "rows", place(ES_TYPE_F32, 4, 8, offsetof(world, heat), sizeof(float[8])));
    es_field planes = place(ES_TYPE_F32, 8, 4, offsetof(world, heat), 4);
    planes.component_stride = sizeof(float[8]);
    check_place(&heat, "heat", planes);
    assert_int_equal(heat.blend, ES_BLEND_COLOUR);
    check_defaults(&heat);
    es_field both[] = {px, heat};
    check_accepted(both, 2, sizeof(world));
}

static void test_tiles_macros(void **state)
{
    (void)state;
    typedef struct tiled {
        int64_t tick;
        struct block {
            float at[3][16];
            double turn[4][16];
            float size[1][16];
        } blocks[5];
    } tiled;
    static const es_field fields[] = {
            ES_FIELD_TILES("at", tiled, blocks, at, ES_TYPE_F32, ES_BLEND_LINEAR),
            ES_FIELD_TILES("turn", tiled, blocks, turn, ES_TYPE_F64, ES_BLEND_ROTATION),
            {"size", ES_TYPE_F32, ES_BLEND_LOG, ES_PLACE_TILES(tiled, blocks, size, ES_TYPE_F32),
                    .group = 1},
    };
    check_accepted(fields, 3, sizeof(tiled));
    es_field turn = place(ES_TYPE_F64, 80, 4, offsetof(tiled, blocks[0].turn), 8);
    turn.component_stride = sizeof(double[16]);
    turn.tile = 16;
    turn.tile_stride = sizeof(struct block);
    check_place(&fields[1], "turn", turn);
    assert_int_equal(fields[1].blend, ES_BLEND_ROTATION);
    check_defaults(&fields[1]);
    assert_int_equal(fields[2].components, 1);
    assert_int_equal(fields[2].group, 1);
    for (size_t i = 0; i < 80; ++i) {
        size_t at = offsetof(tiled, blocks) + i / 16 * sizeof(struct block);
        assert_int_equal(es_field_at(&fields[0], i, 2), at + 4 * (32 + i % 16));
    }
    static const es_field wrong =
            ES_FIELD_TILES("turn", tiled, blocks, turn, ES_TYPE_F32, ES_BLEND_ROTATION);
    assert_true(wrong.components == SIZE_MAX);
}

/* Fields written out by hand, with the members that the other macros leave at their defaults. */
static void test_place_macros(void **state)
{
    (void)state;
    static const es_prediction prediction = {.kind = ES_PREDICT_LINEAR};
    static const es_field fields[] = {
            {"camera", ES_TYPE_F32, ES_BLEND_LINEAR, ES_PLACE(world, camera, ES_TYPE_F32),
                    .delay_ticks = 1},
            {"spin", ES_TYPE_F32, ES_BLEND_CYCLIC,
                    ES_PLACE_OF_EACH(world, balls, spin, ES_TYPE_F32), .group = 1, .period = 360},
            {"px", ES_TYPE_F32, ES_BLEND_HERMITE, ES_PLACE_ARRAY(world, px, ES_TYPE_F32),
                    .group = 2, .velocity = "py", .prediction = &prediction},
            {"py", ES_TYPE_F32, ES_BLEND_LINEAR, ES_PLACE_ARRAY(world, py, ES_TYPE_F32),
                    .group = 2},
            {"heat", ES_TYPE_F32, ES_BLEND_ROTATION, ES_PLACE_PLANES(world, heat, ES_TYPE_F32),
                    .group = 3},
    };
    check_accepted(fields, 5, sizeof(world));
    check_place(&fields[0], "camera", place(ES_TYPE_F32, 1, 3, offsetof(world, camera), 12));
    check_place(&fields[2], "px", place(ES_TYPE_F32, 5, 1, offsetof(world, px), 4));
    assert_string_equal(fields[2].velocity, "py");
    assert_ptr_equal(fields[2].prediction, &prediction);
    assert_int_equal(fields[4].group, 3);
    assert_int_equal(fields[4].component_stride, 32);
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

/* --- find, and names -------------------------------------------------------------------------- */

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

static void test_kind_names(void **state)
{
    (void)state;
    static const char *const names[] = {"none", "linear", "angle", "cyclic", "rotation", "colour",
            "srgb", "log", "step", "nearest", "hermite", "catmull-rom", "monotone", "mark"};
    for (int kind = ES_BLEND_NONE; kind <= ES_BLEND_MARK; ++kind) {
        assert_string_equal(es_blend_kind_name((es_blend_kind)kind), names[kind]);
    }
    assert_string_equal(es_blend_kind_name((es_blend_kind)-1), "none");
    assert_string_equal(es_blend_kind_name((es_blend_kind)(ES_BLEND_MARK + 1)), "none");
}

/* The macros cannot stop the compiler, but they can make the layout be refused. */
static void test_a_type_that_is_not_the_members_is_refused(void **state)
{
    typedef struct body {
        float x;
        float y;
    } body;
    typedef struct four_bodies {
        body bodies[4];
        float one;
        float row[1];
        float planes[2][1];
        double large[2][3];
        double padding[8];
    } four_bodies;
    const es_field fields[] = {
            ES_FIELD_OF_EACH("x", four_bodies, bodies, x, ES_TYPE_F64, ES_BLEND_LINEAR),
            ES_FIELD("one", four_bodies, one, ES_TYPE_F64, ES_BLEND_LINEAR),
            ES_FIELD_ARRAY("row", four_bodies, row, ES_TYPE_F64, ES_BLEND_LINEAR),
            ES_FIELD_PLANES("planes", four_bodies, planes, ES_TYPE_F64, ES_BLEND_LINEAR),
            ES_FIELD_PLANES("large", four_bodies, large, ES_TYPE_F32, ES_BLEND_LINEAR),
    };
    (void)state;
    for (size_t i = 0; i < sizeof fields / sizeof fields[0]; ++i) {
        check_refused(&fields[i], 1, sizeof(four_bodies), fields[i].name, ""); /* any reason */
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
            cmocka_unit_test(test_no_layout_no_fields_no_state),
            cmocka_unit_test(test_names),
            cmocka_unit_test(test_types),
            cmocka_unit_test(test_kinds),
            cmocka_unit_test(test_kinds_that_fit_types),
            cmocka_unit_test(test_reasons_of_kinds),
            cmocka_unit_test(test_period),
            cmocka_unit_test(test_delay),
            cmocka_unit_test(test_groups),
            cmocka_unit_test(test_velocity),
            cmocka_unit_test(test_velocity_of_one_component),
            cmocka_unit_test(test_acceleration),
            cmocka_unit_test(test_contact),
            cmocka_unit_test(test_prediction),
            cmocka_unit_test(test_kinds_that_move),
            cmocka_unit_test(test_a_rotation_with_a_contact),
            cmocka_unit_test(test_links_are_looked_at_last),
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
            cmocka_unit_test(test_planes),
            cmocka_unit_test(test_tiles),
            cmocka_unit_test(test_tiles_within_planes),
            cmocka_unit_test(test_overlap_of_planes_and_tiles),
            cmocka_unit_test(test_large_worlds),
            cmocka_unit_test(test_every_honest_pair_is_accepted),
            cmocka_unit_test(test_every_sharing_pair_is_refused),
            cmocka_unit_test(test_what_is_accepted_shares_nothing),
            cmocka_unit_test(test_numbers_of_any_magnitude),
            cmocka_unit_test(test_members_of_an_array_of_structs),
            cmocka_unit_test(test_structure_of_arrays_and_columns),
            cmocka_unit_test(test_first_bad_field_is_named),
            cmocka_unit_test(test_field_macro),
            cmocka_unit_test(test_field_of_each_macro),
            cmocka_unit_test(test_array_and_planes_macros),
            cmocka_unit_test(test_tiles_macros),
            cmocka_unit_test(test_place_macros),
            cmocka_unit_test(test_layout_macro),
            cmocka_unit_test(test_type_size_macro),
            cmocka_unit_test(test_find),
            cmocka_unit_test(test_kind_names),
            cmocka_unit_test(test_a_type_that_is_not_the_members_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
