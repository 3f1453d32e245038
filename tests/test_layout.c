/* SPDX-License-Identifier: Zlib
 *
 * Layouts: which are refused and with which reason, which are accepted, and what the macros expand
 * to.
 */
#include "places.h"
#include "world_support.h"

/* --- helpers ---------------------------------------------------------------------------------- */

static es_field place(es_type type, size_t count, size_t components, size_t offset, size_t stride)
{
    es_field field = {.name = "x", .type = type, .blend = ES_BLEND_STEP, .count = count};
    field.components = components;
    field.offset = offset;
    field.stride = stride;
    return field;
}

static es_field floats(size_t count, size_t components, size_t offset, size_t stride)
{
    return place(ES_TYPE_F32, count, components, offset, stride);
}

static es_field grid(es_field field, size_t component_stride)
{
    field.component_stride = component_stride;
    return field;
}

static void check_accepted(const es_field *fields, size_t count, size_t state_size)
{
    es_layout layout = {fields, count, state_size};
    es__error error = {"stale", "stale"};
    es_result result = es__layout_validate(&layout, &error);
    if (result != ES_OK) {
        print_error("refused: %s %s\n", error.field, error.reason);
    }
    assert_int_equal(result, ES_OK);
    assert_null(error.field);
    assert_null(error.reason);
    assert_int_equal(es__layout_validate(&layout, NULL), ES_OK);
}

/* The error must name this field and give a reason that contains this text. */
static void check_refused(const es_field *fields, size_t count, size_t state_size,
        const char *field, const char *reason)
{
    es_layout layout = {fields, count, state_size};
    es__error error = {NULL, NULL};
    assert_int_equal(es__layout_validate(&layout, &error), ES_ERR_INVALID);
    assert_non_null(error.field);
    assert_non_null(error.reason);
    assert_string_equal(error.field, field);
    if (strstr(error.reason, reason) == NULL) {
        fail_msg("the reason is '%s', which does not contain '%s'", error.reason, reason);
    }
    assert_int_equal(es__layout_validate(&layout, NULL), ES_ERR_INVALID);
}

/* reason: NULL for a field that must be accepted. */
static void check_field(es_field field, size_t state_size, const char *reason)
{
    if (reason == NULL) {
        check_accepted(&field, 1, state_size);
    } else {
        check_refused(&field, 1, state_size, field.name, reason);
    }
}

/* --- refusals --------------------------------------------------------------------------------- */

TEST(a_layout_without_fields_or_state_is_refused)
{
    es__error error = {NULL, NULL};
    assert_int_equal(es__layout_validate(NULL, &error), ES_ERR_INVALID);
    assert_string_equal(error.field, "fields");
    assert_int_equal(es__layout_validate(NULL, NULL), ES_ERR_INVALID);
    es_field field = floats(1, 1, 0, 4);
    check_refused(NULL, 1, 64, "fields", "at least one");
    check_refused(&field, 0, 64, "fields", "at least one");
    check_refused(&field, 1, 0, "state_size", "at least 1");
    field.count = 0;
    check_field(field, 64, "count is 0");
}

TEST(names_are_unique_and_not_empty)
{
    char again[] = "x"; /* equal text at another address */
    es_field fields[3] = {floats(1, 1, 0, 4), floats(1, 1, 4, 4), floats(1, 1, 8, 4)};
    fields[0].name = NULL;
    check_refused(fields, 1, 64, "name", "empty");
    fields[0].name = "";
    check_refused(fields, 1, 64, "name", "empty");
    fields[0].name = "x";
    fields[1].name = "y";
    fields[2].name = again;
    check_refused(fields, 3, 64, "x", "twice");
    again[0] = 'z';
    check_accepted(fields, 3, 64);
    /* the first bad field is named */
    fields[1].offset = 6;
    fields[2].count = 0;
    check_refused(fields, 3, 64, "y", "not aligned");
}

TEST(unknown_types_and_kinds_are_refused)
{
    static const int types[] = {ES_TYPE_NONE, -1, ES_TYPE_U8 + 1};
    static const int kinds[] = {ES_BLEND_NONE, -1, ES_BLEND_MATRIX_ROWS + 1};
    for (size_t i = 0; i < 3; ++i) {
        check_field(place((es_type)types[i], 1, 1, 0, 4), 64, "no type");
        es_field field = floats(1, 1, 0, 4);
        field.blend = (es_blend_kind)kinds[i];
        check_field(field, 64, "no blend kind");
    }
}

/* The header's rules for each kind. */
typedef struct kind_rule {
    es_blend_kind kind;
    const char *types; /* f: F32, d: F64, i: I32, U32, I64, b: U8 */
    size_t components[2];
    bool moves; /* takes velocity, acceleration, every prediction */
} kind_rule;

static const kind_rule kind_rules[] = {
        {ES_BLEND_LINEAR, "fd", {0, 9}, true},
        {ES_BLEND_ANGLE, "fd", {0, 9}, true},
        {ES_BLEND_CYCLIC, "fd", {0, 9}, true},
        {ES_BLEND_ROTATION, "fd", {4, 4}, false},
        {ES_BLEND_COLOUR, "f", {3, 4}, false},
        {ES_BLEND_SRGB, "fb", {3, 4}, false},
        {ES_BLEND_LOG, "fd", {0, 9}, false},
        {ES_BLEND_STEP, "fdib", {0, 9}, false},
        {ES_BLEND_NEAREST, "fdib", {0, 9}, false},
        {ES_BLEND_HERMITE, "fd", {0, 9}, true},
        {ES_BLEND_CATMULL_ROM, "fd", {0, 9}, true},
        {ES_BLEND_MONOTONE, "fd", {0, 9}, true},
        {ES_BLEND_MARK, "ib", {0, 1}, false},
};

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

TEST(kinds_take_the_documented_types_and_components)
{
    static const char letters[] = {' ', 'f', 'd', 'i', 'i', 'i', 'b'};
    assert_int_equal(COUNT_OF(kind_rules), ES_BLEND_MARK);
    for (size_t i = 0; i < COUNT_OF(kind_rules) * 6 * 6; ++i) {
        const kind_rule *rule = &kind_rules[i / 36];
        es_type type = (es_type)(1 + i / 6 % 6);
        size_t components = i % 6;
        es_field fields[2];
        fields_of_kind(rule, type, components, fields);
        if (strchr(rule->types, letters[type]) == NULL) {
            check_refused(fields, 2, 256, "x", "is ");
        } else if (components < rule->components[0] || components > rule->components[1]) {
            check_refused(fields, 2, 256, "x", "component");
        } else {
            check_accepted(fields, 2, 256);
        }
    }
}

TEST(matrices_have_12_or_16_numbers_and_floats_parts_of_their_own)
{
    for (size_t components = 1; components < 30; ++components) {
        bool plain = components == 12 || components == 16;
        bool kept = components == 24 || components == 28;
        es_field field = place(ES_TYPE_F32, 1, components, 0, 240);
        field.blend = components % 2 == 0 ? ES_BLEND_MATRIX : ES_BLEND_MATRIX_ROWS;
        check_field(field, 240, plain || kept ? NULL : "is a matrix");
        field.type = ES_TYPE_F64;
        field.blend = ES_BLEND_MATRIX;
        check_field(field, 240, plain ? NULL : "is a matrix");
    }
}

TEST(the_reason_names_the_kind)
{
    static const struct {
        es_blend_kind kind;
        es_type type;
        size_t components;
        const char *reason;
    } cases[] = {
            {ES_BLEND_LINEAR, ES_TYPE_I32, 3, "is no float or double, which its kind needs"},
            {ES_BLEND_ROTATION, ES_TYPE_I32, 4, "is no float or double, which its kind needs"},
            {ES_BLEND_ROTATION, ES_TYPE_F32, 3, "is a rotation, which has 4 components"},
            {ES_BLEND_MATRIX, ES_TYPE_F32, 9,
                    "is a matrix, which has 12 or 16 numbers, or 24 or 28 floats"},
            {ES_BLEND_MATRIX_ROWS, ES_TYPE_F64, 24,
                    "is a matrix, which has 12 or 16 numbers, or 24 or 28 floats"},
            {ES_BLEND_MATRIX_ROWS, ES_TYPE_I32, 16,
                    "is a matrix, which has 12 or 16 numbers, or 24 or 28 floats"},
            {ES_BLEND_COLOUR, ES_TYPE_F64, 3, "is no float, which ES_BLEND_COLOUR needs"},
            {ES_BLEND_COLOUR, ES_TYPE_F32, 5, "is a colour, which has 3 or 4 components"},
            {ES_BLEND_SRGB, ES_TYPE_F64, 3, "is no float or U8, which ES_BLEND_SRGB needs"},
            {ES_BLEND_MARK, ES_TYPE_I32, 3, "is a mark, which has 1 component"},
            {ES_BLEND_MARK, ES_TYPE_F32, 1, "is a mark, which is U8, I32, U32 or I64"},
    };
    for_rows (i, cases) {
        es_field field = place(cases[i].type, 1, cases[i].components, 0, 192);
        field.blend = cases[i].kind;
        check_field(field, 192, cases[i].reason);
    }
}

TEST(only_cyclic_fields_have_a_period)
{
    const char *needed = "needs a period that is above 0 and finite";
    static const double bad[] = {0, -1, (double)NAN, (double)INFINITY, -(double)INFINITY};
    es_field f32 = floats(1, 1, 0, 8), f64 = place(ES_TYPE_F64, 1, 1, 0, 8);
    f32.blend = f64.blend = ES_BLEND_CYCLIC;
    for_rows (i, bad) {
        f32.period = f64.period = bad[i];
        check_field(f32, 64, needed);
        check_field(f64, 64, needed);
    }
    static const double good[] = {0.5, (double)FLT_MAX, (double)FLT_MIN};
    for_rows (i, good) {
        f32.period = f64.period = good[i];
        check_field(f32, 64, NULL);
        check_field(f64, 64, NULL);
    }
    static const double for_doubles[] = {1e300, 1e-300}; /* as floats infinite and 0 */
    for_rows (i, for_doubles) {
        f32.period = f64.period = for_doubles[i];
        check_field(f32, 64, needed);
        check_field(f64, 64, NULL);
    }
    f32.blend = ES_BLEND_LINEAR;
    check_field(f32, 64, "has a period, which only ES_BLEND_CYCLIC takes");
    f32.period = (double)NAN;
    check_field(f32, 64, "has a period");
}

TEST(delays_are_at_most_eight_ticks)
{
    static const double good[] = {0, 8, -8, 0.25, -1};
    static const double bad[] = {8.0001, -8.0001, (double)NAN, (double)INFINITY, 1e9};
    es_field field = floats(1, 1, 0, 4), mark = place(ES_TYPE_U8, 1, 1, 0, 1);
    for (size_t i = 0; i < 5; ++i) {
        field.delay_ticks = good[i];
        check_field(field, 64, NULL);
        field.delay_ticks = bad[i];
        check_field(field, 64, "delay_ticks outside -8 to 8");
    }
    mark.blend = ES_BLEND_MARK;
    mark.group = 1;
    check_field(mark, 64, NULL);
    mark.delay_ticks = 1;
    check_field(mark, 64, "is a mark, which cannot be delayed");
}

TEST(groups_share_a_count_and_one_mark)
{
    static const struct {
        int32_t group;
        size_t count;
        es_blend_kind kind;
        const char *reason;
    } cases[] = {
            {7, 4, ES_BLEND_STEP, NULL},
            {7, 3, ES_BLEND_STEP, "another count than an earlier field of its group"},
            {8, 3, ES_BLEND_STEP, NULL},
            {0, 3, ES_BLEND_STEP, NULL},
            {-1, 3, ES_BLEND_STEP, "has a group below 0"},
            {7, 4, ES_BLEND_MARK, "is the second mark of its group"},
            {1, 4, ES_BLEND_MARK, NULL},
            {0, 4, ES_BLEND_MARK, "is a mark without a group"},
    };
    for_rows (i, cases) {
        es_field fields[3] = {floats(4, 1, 0, 4), place(ES_TYPE_U8, 4, 1, 16, 1),
                place(ES_TYPE_I32, cases[i].count, 1, 32, 4)};
        fields[0].name = "at";
        fields[1].name = "jumps";
        fields[2].name = "more";
        fields[0].group = fields[1].group = 7;
        fields[1].blend = ES_BLEND_MARK;
        fields[2].group = cases[i].group;
        fields[2].blend = cases[i].kind;
        if (cases[i].reason == NULL) {
            check_accepted(fields, 3, 64);
        } else {
            check_refused(fields, 3, 64, "more", cases[i].reason);
        }
    }
}

/* --- velocity, acceleration, contact, prediction ---------------------------------------------- */

typedef enum mover_field { AT, SPEED, PULL, HIT, OTHER, MOVER_FIELDS } mover_field;

/* A moving thing with all members that describe its motion. */
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

/* Changes a mover by the statements; the reason, or NULL where it is still accepted. */
#define CHECK_MOVER(reason, ...)                                                                   \
    do {                                                                                           \
        const char *reason_ = (reason);                                                            \
        mover m;                                                                                   \
        make_mover(&m);                                                                            \
        es_field *at = &m.fields[AT], *other = &m.fields[OTHER], *hit = &m.fields[HIT];            \
        es_prediction *p = &m.prediction;                                                          \
        (void)at, (void)other, (void)hit, (void)p;                                                 \
        __VA_ARGS__;                                                                               \
        if (reason_ == NULL) {                                                                     \
            check_accepted(m.fields, MOVER_FIELDS, MOVER_FIELDS * 64);                             \
        } else {                                                                                   \
            check_refused(m.fields, MOVER_FIELDS, MOVER_FIELDS * 64, "at", reason_);               \
        }                                                                                          \
    } while (0)

TEST(a_velocity_is_another_field_like_this_one)
{
    const char *unknown = "has a velocity that names no other field";
    const char *unlike = "has a velocity of another type, count or number of components";
    CHECK_MOVER(NULL, );
    CHECK_MOVER(unknown, at->velocity = "spee");
    CHECK_MOVER(unknown, at->velocity = "");
    CHECK_MOVER(unknown, at->velocity = "at");
    CHECK_MOVER(unlike, at->velocity = "hit");
    CHECK_MOVER(NULL, at->velocity = "other");
    CHECK_MOVER(unlike, at->velocity = "other", other->count = 1);
    CHECK_MOVER(unlike, at->velocity = "other", other->components = 2);
    CHECK_MOVER(unlike, at->velocity = "other", other->type = ES_TYPE_F32);
    CHECK_MOVER("needs velocity and acceleration", at->velocity = NULL);
    CHECK_MOVER("is ES_BLEND_HERMITE, which needs a velocity", at->velocity = NULL,
            p->kind = ES_PREDICT_LINEAR);
    CHECK_MOVER("has an acceleration but no velocity", at->velocity = NULL,
            p->kind = ES_PREDICT_LINEAR, at->blend = ES_BLEND_LINEAR);
    CHECK_MOVER(NULL, at->velocity = at->acceleration = NULL, p->kind = ES_PREDICT_LINEAR,
            at->blend = ES_BLEND_LINEAR);
    CHECK_MOVER(
            NULL, at->components = 0, m.fields[SPEED].components = m.fields[PULL].components = 1);
}

TEST(an_acceleration_is_another_field_like_this_one)
{
    const char *unknown = "has an acceleration that names no other field";
    const char *unlike = "has an acceleration of another type, count or number of components";
    CHECK_MOVER(unknown, at->acceleration = "none");
    CHECK_MOVER(unknown, at->acceleration = "at");
    CHECK_MOVER(unlike, at->acceleration = "hit");
    CHECK_MOVER(NULL, at->acceleration = "other");
    CHECK_MOVER(unlike, at->acceleration = "other", other->components = 1);
    CHECK_MOVER("is predicted ballistically, which needs velocity and acceleration",
            at->acceleration = NULL);
    CHECK_MOVER(NULL, at->acceleration = NULL, p->kind = ES_PREDICT_LINEAR);
}

TEST(a_contact_is_one_time_per_element)
{
    const char *unlike = "has a contact that is not one I64 for each of its elements";
    CHECK_MOVER("has a contact that names no field", at->contact = "none");
    CHECK_MOVER(unlike, at->contact = "other");
    CHECK_MOVER(unlike, hit->count = 1);
    CHECK_MOVER(unlike, hit->components = 2, hit->stride = 16);
    CHECK_MOVER("has a contact but no prediction", p->kind = ES_PREDICT_HOLD);
    CHECK_MOVER("has a contact but no prediction", at->prediction = NULL);
    CHECK_MOVER(NULL, at->prediction = NULL, at->contact = NULL);
    CHECK_MOVER(NULL, at->blend = ES_BLEND_ROTATION, at->components = 4, at->stride = 32,
            at->velocity = at->acceleration = NULL, p->kind = ES_PREDICT_LINEAR);
}

TEST(a_prediction_has_known_kinds_and_times)
{
    CHECK_MOVER(
            "has a prediction of no known kind", p->kind = (es_predict)(ES_PREDICT_BALLISTIC + 1));
    CHECK_MOVER("has a prediction of no known kind", p->kind = (es_predict)-1);
    CHECK_MOVER("has a prediction with no known correction",
            p->correct = (es_correct)(ES_CORRECT_SNAP + 1));
    CHECK_MOVER("has a prediction with no known correction", p->correct = (es_correct)-1);
    CHECK_MOVER("has a prediction with a time below 0", p->max_ns = -1);
    CHECK_MOVER("has a prediction with a time below 0", p->ramp_ns = -1);
    CHECK_MOVER("has a prediction with a time below 0", p->decay_ns = -1);
    CHECK_MOVER(NULL, p->max_ns = p->ramp_ns = p->decay_ns = INT64_MAX);
}

/* Each kind with each description of a motion, one at a time. */
TEST(only_kinds_that_move_take_a_motion)
{
    for_rows (i, kind_rules) {
        const kind_rule *rule = &kind_rules[i];
        bool rotation = rule->kind == ES_BLEND_ROTATION, moves = rule->moves;
        const char *unfit = moves ? NULL : "does not fit its kind";
        es_prediction holds = {.ramp_ns = 1}, linear = {.kind = ES_PREDICT_LINEAR}, none = {0};
        es_prediction ballistic = {.kind = ES_PREDICT_BALLISTIC};
        es_prediction lasts = {.max_ns = 1}, decays = {.decay_ns = 1};
        const char *predicted = rotation ? NULL : unfit;
        const char *needs = moves || rotation ? "needs velocity and acceleration" : unfit;
        const struct {
            const es_prediction *prediction;
            const char *velocity, *acceleration, *reason;
        } cases[] = {{&none, NULL, NULL, NULL}, {&holds, NULL, NULL, predicted},
                {&lasts, NULL, NULL, predicted}, {&decays, NULL, NULL, predicted},
                {&linear, NULL, NULL, predicted}, {&ballistic, NULL, NULL, needs},
                {NULL, "v", NULL, unfit}, {NULL, moves ? "v" : NULL, "v", unfit}};
        for_rows (k, cases) {
            es_field fields[2];
            fields_of_kind(rule, rule->types[0] == 'f' ? ES_TYPE_F32 : ES_TYPE_U8,
                    rule->components[1] < 4 ? rule->components[1] : 4, fields);
            fields[0].prediction = cases[k].prediction;
            fields[0].velocity = cases[k].velocity != NULL ? cases[k].velocity : fields[0].velocity;
            fields[0].acceleration = cases[k].acceleration;
            if (cases[k].reason == NULL) {
                check_accepted(fields, 2, 256);
            } else {
                check_refused(fields, 2, 256, "x", cases[k].reason);
            }
        }
    }
}

/* A field by itself is checked before the fields that it names. */
TEST(links_are_checked_last)
{
    mover m;
    make_mover(&m);
    m.fields[AT].velocity = "none";
    m.fields[OTHER].count = 0;
    check_refused(m.fields, MOVER_FIELDS, MOVER_FIELDS * 64, "other", "count is 0");
}

/* --- places ----------------------------------------------------------------------------------- */

TEST(offsets_and_strides_are_aligned_and_long_enough)
{
    const char *element = "stride shorter than its element";
    check_field(floats(4, 3, 0, 8), 256, element);
    check_field(grid(floats(8, 3, 0, 4), 4), 256, element); /* two strides of one length */
    check_field(grid(floats(8, 3, 0, 4), 28), 256,
            "component_stride too short: components would share bytes");
    for (int type = ES_TYPE_F32; type <= ES_TYPE_U8; ++type) {
        for (size_t shift = 0; shift < ES_TYPE_SIZE((es_type)type); ++shift) {
            es_field spoiled[] = {place((es_type)type, 2, 1, 8 + shift, 16),
                    place((es_type)type, 2, 1, 8, 16 + shift), place((es_type)type, 2, 2, 8, 64)};
            spoiled[2].component_stride = 16 + shift;
            for_rows (k, spoiled) {
                check_field(spoiled[k], 128, shift == 0 ? NULL : "not aligned");
            }
        }
    }
}

/* Worlds of 8 million objects, 10 fields each of 3 components, many times over: walking their
 * elements even once per pair would take hours. */
TEST(large_worlds_are_checked_at_once)
{
    enum { FIELDS = 10 };
    static const char *const names[FIELDS] = {"a", "b", "c", "d", "e", "f", "g", "h", "i", "j"};
    if (SIZE_MAX < UINT64_MAX) {
        return;
    }
    const size_t count = 8000003, all = count * 120;
    const struct {
        es_field first;
        size_t next, state_size;
    } worlds[] = {
            {floats(count, 3, 0, 12), count * 12, all},                 /* vectors */
            {grid(floats(count, 3, 0, 4), count * 4), count * 12, all}, /* planes */
            {grid(floats(count, 3, 0, 4), count * 40), count * 4, all}, /* mixed planes */
            {floats(count, 3, 0, 120), 12, all},                        /* structs */
            {grid(floats(count, 3, 0, 120), 40), 4, all},
    };
    for_rows (w, worlds) {
        es_field fields[FIELDS];
        for (size_t i = 0; i < FIELDS; ++i) {
            fields[i] = worlds[w].first;
            fields[i].name = names[i];
            fields[i].offset = i * worlds[w].next;
        }
        for (int i = 0; i < 200; ++i) {
            check_accepted(fields, FIELDS, worlds[w].state_size);
        }
        fields[FIELDS - 1].offset -= 4;
        check_refused(fields, FIELDS, worlds[w].state_size, "j", "shares bytes");
    }
}

/* --- random fields against a map of bytes ----------------------------------------------------- */

#define MAP_SIZE 2048

/* What counting a field's bytes found. */
typedef struct usage {
    size_t end;  /* behind its last byte */
    bool within; /* the state */
    bool shared; /* with itself, or a field counted before */
} usage;

/* Counts each byte of the field in the map. */
static usage count_bytes(const es_field *field, unsigned char map[MAP_SIZE])
{
    usage found = {0, true, false};
    size_t components = field->components != 0 ? field->components : 1;
    size_t apart =
            field->component_stride != 0 ? field->component_stride : ES_TYPE_SIZE(field->type);
    for (size_t i = 0; i < field->count * components; ++i) {
        /* the header's formula */
        size_t at = field->offset + i / components * field->stride + i % components * apart;
        assert_int_equal(es__field_at(field, i / components, i % components), at);
        size_t end = at + ES_TYPE_SIZE(field->type);
        found.end = end > found.end ? end : found.end;
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

/* Strides of any kind: no accepted field leaves the state or shares bytes with itself, and no
 * accepted pair shares any. */
TEST(accepted_fields_share_nothing)
{
    static const es_type types[] = {ES_TYPE_F32, ES_TYPE_F64, ES_TYPE_U8};
    test_random random = {2026};
    int accepted = 0, sharing = 0, pairs = 0;
    es_field last = floats(1, 1, 0, 4);
    for (int i = 0; i < 200000; ++i) {
        unsigned char map[MAP_SIZE] = {0};
        es_type type = types[up_to(&random, 2)];
        size_t size = ES_TYPE_SIZE(type), count = up_to(&random, 8) + 1;
        es_field pair[2] = {place(type, count, up_to(&random, 4), 0, 0), last};
        pair[0].offset = up_to(&random, 16) * size;
        pair[0].component_stride = up_to(&random, 24) * size;
        pair[0].stride = up_to(&random, 24) * size;
        es_layout one = {pair, 1, MAP_SIZE}, two = {pair, 2, MAP_SIZE};
        usage found = count_bytes(&pair[0], map);
        if (es__layout_validate(&one, NULL) != ES_OK) {
            continue;
        }
        assert_true(found.within && !found.shared);
        accepted += 1;
        last = pair[0];
        pair[1].name = "y";
        bool shared = count_bytes(&pair[1], map).shared;
        assert_int_equal(es__layout_validate(&two, NULL), shared ? ES_ERR_INVALID : ES_OK);
        pairs += !shared;
        sharing += shared;
    }
    assert_true(accepted > 10000 && pairs > 1000 && sharing > 1000);
}

static size_t random_number(test_random *random)
{
    return up_to(random, 3) != 0 ? up_to(random, 12) : (size_t)random_magnitude(random);
}

/* In states of every size; accepted fields agree with the map. */
TEST(numbers_of_any_magnitude_are_safe)
{
    test_random random = {2027};
    int accepted = 0;
    for (int i = 0; i < 300000; ++i) {
        es_type type = (es_type)(1 + up_to(&random, ES_TYPE_U8 - 1));
        size_t size = ES_TYPE_SIZE(type); /* its multiples may wrap around to small ones */
        es_field field = place(type, random_number(&random), random_number(&random),
                size * random_number(&random), size * random_number(&random));
        field.component_stride = size * random_number(&random);
        es_layout small = {&field, 1, MAP_SIZE}, huge = {&field, 1, SIZE_MAX};
        es_layout large = {&field, 1, (size_t)random_magnitude(&random)};
        es__layout_validate(&large, NULL);
        es__layout_validate(&huge, NULL);
        if (es__layout_validate(&small, NULL) == ES_OK) {
            unsigned char map[MAP_SIZE] = {0};
            usage found = count_bytes(&field, map);
            assert_true(found.within && !found.shared);
            accepted += 1;
        }
    }
    assert_true(accepted > 1000);
}

/* --- the macros ------------------------------------------------------------------------------- */

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
    bool over;
    float heat[4][8];
    float rows[4][8];
    float px[5];
    int32_t i32;
    uint32_t u32;
    long long wide;
    char letter;
    enum mode { CALM, WILD } mode;
    char word[7];
} world;

/* Each macro's field, of each number that a field may be, and where it must lie. tests/headers.sh has those
 * that do not compile. */
TEST(macros_place_fields)
{
    static const es_prediction prediction = {.kind = ES_PREDICT_LINEAR};
    static const es_field fields[] = {
            ES_FIELD(world, score, ES_BLEND_STEP),
            ES_FIELD(world, camera, ES_BLEND_ANGLE),
            ES_FIELD(world, over, ES_BLEND_STEP),
            ES_FIELD_OF_EACH(world, balls, mass, ES_BLEND_LINEAR),
            ES_FIELD_OF_EACH(world, balls, spin, ES_BLEND_ANGLE),
            ES_FIELD_OF_EACH(world, balls, alive, ES_BLEND_STEP),
            ES_FIELD_ARRAY(world, px, ES_BLEND_ANGLE),
            ES_FIELD_ARRAY(world, rows, ES_BLEND_LINEAR),
            ES_FIELD_BY_HAND("heat", ES_TYPE_F32, ES_BLEND_COLOUR, ES_WITH(count, 8),
                    ES_WITH(components, 4), ES_WITH(offset, offsetof(world, heat)),
                    ES_WITH(stride, 4), ES_WITH(component_stride, sizeof(float[8]))),
            ES_FIELD(world, i32, ES_BLEND_STEP),
            ES_FIELD(world, u32, ES_BLEND_STEP),
            ES_FIELD(world, wide, ES_BLEND_STEP),
            ES_FIELD(world, letter, ES_BLEND_STEP),
            ES_FIELD(world, mode, ES_BLEND_STEP),
            ES_FIELD(world, word, ES_BLEND_STEP),
            ES_FIELD_OF_EACH(world, balls, y, ES_BLEND_CYCLIC, ES_WITH(group, 1),
                    ES_WITH(period, 360), ES_WITH(delay_ticks, 1),
                    ES_WITH(prediction, &prediction)),
    };
    const size_t balls = offsetof(world, balls);
    const es_field places[] = {
            place(ES_TYPE_I64, 1, 1, offsetof(world, score), 8),
            place(ES_TYPE_F32, 1, 3, offsetof(world, camera), 12),
            place(ES_TYPE_U8, 1, 1, offsetof(world, over), 1),
            place(ES_TYPE_F64, 10, 1, balls + offsetof(ball, mass), sizeof(ball)),
            place(ES_TYPE_F32, 10, 3, balls + offsetof(ball, spin), sizeof(ball)),
            place(ES_TYPE_U8, 10, 1, balls + offsetof(ball, alive), sizeof(ball)),
            place(ES_TYPE_F32, 5, 1, offsetof(world, px), 4),
            place(ES_TYPE_F32, 4, 8, offsetof(world, rows), sizeof(float[8])),
            grid(place(ES_TYPE_F32, 8, 4, offsetof(world, heat), 4), sizeof(float[8])),
            place(ES_TYPE_I32, 1, 1, offsetof(world, i32), 4),
            place(ES_TYPE_U32, 1, 1, offsetof(world, u32), 4),
            place(ES_TYPE_I64, 1, 1, offsetof(world, wide), 8),
            place(ES_TYPE_U8, 1, 1, offsetof(world, letter), 1),
            place(fields[13].type, 1, 1, offsetof(world, mode), sizeof(enum mode)),
            place(ES_TYPE_U8, 1, 7, offsetof(world, word), 7),
            place(ES_TYPE_F32, 10, 1, balls + offsetof(ball, y), sizeof(ball)),
    };
    static const es_blend_kind kinds[COUNT_OF(fields)] = {ES_BLEND_STEP, ES_BLEND_ANGLE,
            ES_BLEND_STEP, ES_BLEND_LINEAR, ES_BLEND_ANGLE, ES_BLEND_STEP, ES_BLEND_ANGLE,
            ES_BLEND_LINEAR, ES_BLEND_COLOUR, [15] = ES_BLEND_CYCLIC};
    static const es_layout layout = ES_LAYOUT(world, fields);
    assert_ptr_equal(layout.fields, fields);
    assert_int_equal(layout.field_count, COUNT_OF(places));
    assert_int_equal(layout.state_size, sizeof(world));
    check_accepted(fields, layout.field_count, sizeof(world));
    assert_string_equal(fields[0].name, "score");
    assert_string_equal(fields[8].name, "heat");
    assert_string_equal(fields[15].name, "balls.y");
    assert_int_equal(ES_TYPE_SIZE(fields[13].type), sizeof(enum mode));
    for_rows (i, places) {
        const es_field *got = &fields[i], *expected = &places[i];
        bool last = i == COUNT_OF(places) - 1;
        assert_int_equal(got->type, expected->type);
        assert_int_equal(got->blend, kinds[i] != ES_BLEND_NONE ? kinds[i] : ES_BLEND_STEP);
        assert_int_equal(got->count, expected->count);
        assert_int_equal(got->components, expected->components);
        assert_int_equal(got->offset, expected->offset);
        assert_int_equal(got->stride, expected->stride);
        assert_int_equal(got->component_stride, expected->component_stride);
        assert_int_equal(got->group, last ? 1 : 0);
        assert_true(got->period == (last ? 360 : 0) && got->delay_ticks == (last ? 1 : 0));
        assert_ptr_equal(got->prediction, last ? &prediction : NULL);
        assert_true(got->velocity == NULL && got->acceleration == NULL && got->contact == NULL);
    }
}

/* --- names ------------------------------------------------------------------------------------ */

TEST(fields_are_found_by_name)
{
    es_field fields[] = {floats(1, 1, 0, 4), floats(1, 1, 4, 4), floats(1, 1, 8, 4)};
    static const char *const names[] = {"px", "p", "camera"};
    es_layout layout = {fields, 3, 64};
    char name[8];
    for (size_t i = 0; i < 3; ++i) {
        fields[i].name = names[i];
    }
    for (size_t i = 0; i < 3; ++i) {
        snprintf(name, sizeof name, "%s", names[i]);
        assert_ptr_equal(es__layout_find(&layout, name), &fields[i]);
    }
    assert_null(es__layout_find(&layout, "pxx"));
    assert_null(es__layout_find(&layout, "cam"));
    assert_null(es__layout_find(&layout, ""));
    assert_null(es__layout_find(&layout, NULL));
}
