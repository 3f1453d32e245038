/* SPDX-License-Identifier: Zlib
 *
 * Blends of whole states: every kind in every arrangement of memory, in random combination, against
 * blend_reference.h; every instruction set against the scalar one, byte for byte; and that no other
 * byte is written.
 */
#include "blend_reference.h"
#include "blend_worlds.h"

#ifndef TEST_WORLDS /* the full run makes 100 000 */
#define TEST_WORLDS 1200
#endif

/* ---- what came out ---- */

/* Equal bytes, but for which NaN it is. */
static bool same_number(es_type type, const unsigned char *a, const unsigned char *b)
{
    float a32, b32;
    double a64, b64;
    if (memcmp(a, b, ref_type_size(type)) == 0) {
        return true;
    }
    if (type == ES_TYPE_F32) {
        memcpy(&a32, a, sizeof a32);
        memcpy(&b32, b, sizeof b32);
        return isnan(a32) && isnan(b32);
    }
    memcpy(&a64, a, sizeof a64);
    memcpy(&b64, b, sizeof b64);
    return type == ES_TYPE_F64 && isnan(a64) && isnan(b64);
}

static const char *describe(const es__blend_job *job, const es_field *field)
{
    static char text[200];
    snprintf(text, sizeof text, "kind %d \"%s\" type %d, %zu x %zu, stride %zu/%zu, simd %d",
            (int)field->blend, field->name, (int)field->type, field->count, field->components,
            field->stride, field->component_stride, (int)job->simd);
    return text;
}

static void check_same_states(const world *w, const es__blend_job *job, const unsigned char *out,
        const unsigned char *expected)
{
    if (memcmp(out, expected, w->layout.state_size) == 0) {
        return;
    }
    for (size_t i = 0; i < w->layout.field_count; ++i) {
        const es_field *field = &w->fields[i];
        for (size_t e = 0; e < field->count; ++e) {
            for (size_t c = 0; c < ref_components(field); ++c) {
                size_t at = ref_place(field, e, c);
                if (!same_number(field->type, out + at, expected + at)) {
                    fail_msg("%s: element %zu, component %zu: %Lg, by scalar %Lg",
                            describe(job, field), e, c, ref_number(out, field, e, c),
                            ref_number(expected, field, e, c));
                }
            }
        }
    }
}

#define PATTERN 0x5A

/* Runs a job over a pattern. False: this machine lacks the instruction set. */
static bool run_over(es__blend_job *job, int simd, unsigned char *out, int pattern)
{
    memset(out, pattern, job->layout->state_size);
    job->simd = (es__simd)simd;
    job->out = out;
    return run_by(job, simd);
}

/* The written bytes come out equal over two patterns. */
static void check_written(const world *w, const unsigned char *should)
{
    size_t size = w->layout.state_size;
    unsigned char *one = malloc(size), *other = malloc(size);
    es__blend_job job = w->job;
    run_over(&job, ES_SIMD_AUTO, one, PATTERN);
    run_over(&job, ES_SIMD_AUTO, other, 0xFF ^ PATTERN);
    for (size_t i = 0; i < size; ++i) {
        if ((one[i] == other[i]) != should[i]) {
            fail_msg("byte %zu of %zu: should be written: %d", i, size, should[i]);
        }
    }
    free(one);
    free(other);
}

/* ---- against the reference ---- */

/* The allowed error of a rotation's formula, in quaternion components: 1.6e-4 degrees of rotation
 * between ticks that are half a turn apart are 1.4e-6. A prediction may use the formula three times,
 * and doubles a rounding error with each doubling of its length. */
static void check_number(
        const es__blend_job *job, const es_field *field, size_t e, size_t c, const ref_shown *shown)
{
    long double got = ref_number(job->out, field, e, c), tolerance, sign = 1, length2 = 0;
    if (field->blend == ES_BLEND_ROTATION) {
        for (size_t k = 0; k < 4; ++k) {
            long double q = ref_number(job->out, field, e, k);
            length2 += q * q;
        }
        if (!(fabsl(sqrtl(length2) - 1) <= 1e-6L)) {
            fail_msg("%s: element %zu is %.9Lg long", describe(job, field), e, sqrtl(length2));
        }
        got /= sqrtl(length2);
    }
    if (field->blend == ES_BLEND_ROTATION && shown->form == REF_MORE) {
        for (size_t k = 0; k < 4; ++k) { /* q and -q are the same rotation */
            sign += 8 * shown->value[k] * ref_number(job->out, field, e, k);
        }
        sign = sign < 0 ? -1 : 1;
    }
    if (field->type == ES_TYPE_U8) {
        tolerance = 0.500001L;
    } else if (field->blend == ES_BLEND_ROTATION) {
        long double turns = 1 + (long double)shown->turns;
        tolerance = shown->form == REF_MORE ? 4.2e-6L : 1.4e-6L;
        tolerance += 16 * ref_epsilon(field->type) * turns;
    } else {
        tolerance = shown->steps * ref_epsilon(field->type) * shown->scale[c] + 1e-44L;
    }
    if (!(fabsl(got - sign * shown->value[c]) <= tolerance)) {
        fail_msg("%s: element %zu, component %zu: %.12Lg, not %.12Lg (off by %.2Lg, may be %.2Lg)",
                describe(job, field), e, c, got, shown->value[c], got - shown->value[c], tolerance);
    }
}

/* The result of value.h for a pair, bit for bit. */
static void pair_f32(const es_field *field, const float *a, const float *b, float t, float *out)
{
    size_t n = ref_components(field);
    for (size_t c = 0; c < n; ++c) {
        out[c] = field->blend == ES_BLEND_LOG     ? es__ratio_f32(a[c], b[c], t)
                 : field->blend == ES_BLEND_ANGLE ? es__value_angle_f32(a[c], b[c], t)
                 : field->blend == ES_BLEND_CYCLIC
                         ? es__value_cyclic_f32(a[c], b[c], t, (float)field->period)
                         : es__value_lerp_f32(a[c], b[c], t);
    }
    if (field->blend == ES_BLEND_ROTATION) {
        es__rotation_f32(a, b, t, out);
    } else if (field->blend == ES_BLEND_COLOUR) {
        es__colour_f32(a, b, n, t, out);
    } else if (field->blend == ES_BLEND_SRGB) {
        es__srgb_f32(a, b, n, t, out);
    }
}

static void pair_f64(const es_field *field, const double *a, const double *b, double t, double *out)
{
    size_t n = ref_components(field);
    for (size_t c = 0; c < n; ++c) {
        out[c] = field->blend == ES_BLEND_LOG     ? es__ratio_f64(a[c], b[c], t)
                 : field->blend == ES_BLEND_ANGLE ? es__value_angle_f64(a[c], b[c], t)
                 : field->blend == ES_BLEND_CYCLIC
                         ? es__value_cyclic_f64(a[c], b[c], t, field->period)
                         : es__value_lerp_f64(a[c], b[c], t);
    }
    if (field->blend == ES_BLEND_ROTATION) {
        es__rotation_f64(a, b, t, out);
    }
}

static void check_pair(
        const es__blend_job *job, const es_field *field, size_t e, const ref_shown *shown)
{
    float a32[REF_COMPONENTS] = {0}, b32[REF_COMPONENTS] = {0}, m32[REF_COMPONENTS];
    double a64[REF_COMPONENTS] = {0}, b64[REF_COMPONENTS] = {0}, m64[REF_COMPONENTS];
    unsigned char a8[REF_COMPONENTS], b8[REF_COMPONENTS], m8[REF_COMPONENTS];
    const void *older = job->ticks[shown->newer + 1].state, *newer = job->ticks[shown->newer].state;
    for (size_t c = 0; c < ref_components(field); ++c) {
        a64[c] = (double)ref_number(older, field, e, c);
        b64[c] = (double)ref_number(newer, field, e, c);
        if (field->type == ES_TYPE_F32) {
            a32[c] = (float)a64[c];
            b32[c] = (float)b64[c];
        } else if (field->type == ES_TYPE_U8) {
            a8[c] = (unsigned char)a64[c];
            b8[c] = (unsigned char)b64[c];
        }
    }
    const void *expected = m64;
    if (field->type == ES_TYPE_F32) {
        pair_f32(field, a32, b32, (float)shown->alpha, m32);
        expected = m32;
    } else if (field->type == ES_TYPE_U8) {
        es__srgb_u8(a8, b8, ref_components(field), shown->alpha, m8);
        expected = m8;
    } else {
        pair_f64(field, a64, b64, shown->alpha, m64);
    }
    for (size_t c = 0; c < ref_components(field); ++c) {
        size_t size = ref_type_size(field->type);
        const unsigned char *got = (const unsigned char *)job->out + ref_place(field, e, c);
        bool zeros =
                field->blend == ES_BLEND_CYCLIC && a64[c] == 0 && b64[c] == 0; /* of either sign */
        if (!zeros && !same_number(field->type, got, (const unsigned char *)expected + c * size)) {
            fail_msg("%s: element %zu, component %zu: %.9Lg, not as value.h: from %.17g to %.17g "
                     "at %.17g",
                    describe(job, field), e, c, ref_number(job->out, field, e, c), a64[c], b64[c],
                    shown->alpha);
        }
    }
}

static void check_element(const world *w, const es_field *field, size_t e, unsigned char *should)
{
    const unsigned char *out = w->job.out;
    ref_shown shown;
    ref_show(&w->job, field, e, &shown);
    for (size_t c = 0; c < ref_components(field); ++c) {
        size_t at = ref_place(field, e, c), size = ref_type_size(field->type);
        const unsigned char *tick = w->job.ticks[shown.newer].state;
        memset(should + at, 1, size);
        if (shown.form == REF_TICK && memcmp(out + at, tick + at, size) != 0) {
            fail_msg("%s: element %zu, component %zu: %.9Lg, not %.9Lg as at tick -%zu",
                    describe(&w->job, field), e, c, ref_number(out, field, e, c),
                    ref_number(tick, field, e, c), shown.newer);
        }
        if (shown.form != REF_TICK && w->kind != WILD && !shown.ambiguous) {
            check_number(&w->job, field, e, c, &shown);
        }
    }
    if (shown.form == REF_PAIR) {
        check_pair(&w->job, field, e, &shown);
    }
}

static void check_world(world *w)
{
    size_t size = w->layout.state_size, shift = 8 * (size_t)random_below(&w->random, 8);
    buffer scalar = allocate(size, shift, false);
    unsigned char *should = calloc(size, 1);
    run_over(&w->job, ES_SIMD_SCALAR, scalar.at, PATTERN);
    for (size_t i = 0; i < w->layout.field_count; ++i) {
        for (size_t e = 0; e < w->fields[i].count; ++e) {
            check_element(w, &w->fields[i], e, should);
        }
    }
    for (int simd = ES_SIMD_AUTO; simd <= ES_SIMD_NEON; ++simd) {
        es__blend_job job = w->job;
        buffer out = allocate(size, 8 * (size_t)random_below(&w->random, 8), chance(&w->random, 2));
        if (run_over(&job, simd, out.at, PATTERN)) {
            check_same_states(w, &job, out.at, scalar.at);
        }
        free(out.base);
    }
    check_written(w, should);
    free(should);
    free(scalar.base);
}

static void random_worlds(uint64_t first, uint64_t count, world_kind kind)
{
    static world w;
    for (uint64_t seed = first; seed < first + count; ++seed) {
        make_world(&w, seed, kind);
        check_world(&w);
        free_world(&w);
    }
}

TEST(random_worlds_are_as_the_reference)
{
    random_worlds(1, TEST_WORLDS - TEST_WORLDS / 4, TAME);
}

TEST(all_instruction_sets_agree_on_any_bits)
{
    random_worlds(100001, TEST_WORLDS / 4, WILD);
}

/* ---- single cases ---- */

/* Ticks at both ends of time: nothing overflows, and the result lies between the ticks. */
TEST(times_may_be_anything)
{
    static const es_prediction on = {.kind = ES_PREDICT_LINEAR, .max_ns = INT64_MAX};
    static const int64_t contents[] = {INT64_MAX, INT64_MIN, -1, 0, 1};
    const float values[3] = {1, 2, 3};
    const es_blend_tick ticks[] = {
            {&values[2], INT64_MAX}, {&values[1], 0}, {&values[0], INT64_MIN}};
    for (size_t i = 0; i < 17 * COUNT_OF(contents); ++i) {
        float out = 0;
        es_field field = {.name = "p",
                .type = ES_TYPE_F32,
                .blend = ES_BLEND_CATMULL_ROM,
                .count = 1,
                .stride = 4,
                .prediction = &on};
        es_layout layout = {&field, 1, sizeof out};
        es__blend_job job = {.layout = &layout,
                .ticks = ticks,
                .tick_count = 3,
                .out = &out,
                .timed = true,
                .content_ns = contents[i % COUNT_OF(contents)]};
        field.delay_ticks = (double)(i / COUNT_OF(contents)) - 8;
        run_job(&job);
        assert_true(out >= 1 && out <= 20);
    }
}

/* ---- passes over memory ---- */

/* Fields that lie in the same rows are blended by few passes, and bytes that adjoin are one copy. */
TEST(simple_fields_take_few_passes)
{
    static const struct {
        size_t passes, ways, stride;
        es_field fields[3]; /* type, kind, components, offset, from a component to the next */
    } cases[] = {
#define PLACED(t, k, n, at, step)                                                                  \
    {.name = "x",                                                                                  \
            .type = ES_TYPE_##t,                                                                   \
            .blend = ES_BLEND_##k,                                                                 \
            .count = 10,                                                                           \
            .components = (n),                                                                     \
            .offset = (at),                                                                        \
            .component_stride = (step)}
            {1, 2, 20,
                    {PLACED(F32, LINEAR, 3, 0, 0), PLACED(F32, ANGLE, 1, 12, 0),
                            PLACED(U8, STEP, 3, 16, 0)}},
            {0, 1, 4,
                    {PLACED(U8, STEP, 1, 0, 0), PLACED(U8, STEP, 2, 1, 0),
                            PLACED(U8, MARK, 1, 3, 0)}},
            {1, 1, 16,
                    {PLACED(F32, STEP, 1, 12, 0), PLACED(F32, LINEAR, 1, 4, 0),
                            PLACED(I64, STEP, 1, 4, 0)}},
            {2, 2, 16,
                    {PLACED(F64, LINEAR, 1, 0, 0), PLACED(F32, LINEAR, 1, 8, 0),
                            PLACED(F32, STEP, 1, 12, 0)}},
            {8, 8, 8, {PLACED(F32, LINEAR, 8, 0, 1000)}},
            {8, 9, 8, {PLACED(F32, LINEAR, 9, 0, 1000)}}, /* one too many: by itself */
            {0, 1, 20, {PLACED(F32, CATMULL_ROM, 1, 0, 0)}}};
#undef PLACED
    static const double zeros[2000];
    const es_blend_tick ticks[] = {{zeros, 1}, {zeros, 0}};
    for_rows (i, cases) {
        es_field fields[3];
        const es_layout layout = {fields, 3, sizeof zeros};
        const es__blend_job job = {&layout, ticks, 2, NULL, .alpha = 0.5};
        es__blend_context c = {.job = &job, .older = ticks[1].state, .newer = ticks[0].state};
        es__blend_bundle b = {.first = fields, .stride = cases[i].stride, .planes = 1};
        c.sight = (es__sight){.ticks = ticks, .oldest = 1, .kept = 2, .alpha = 0.5};
        c.mixes[0] = c.mixes[1] = true;
        es__sight_aim(&c.sight);
        for (size_t k = 0; k < 3 && cases[i].fields[k].count > 0; ++k) {
            fields[k] = cases[i].fields[k];
            fields[k].stride = cases[i].stride;
            es__blend_add(&c, &b, &fields[k]);
        }
        assert_int_equal(b.pass_count, cases[i].passes);
        assert_int_equal(b.ways, cases[i].ways);
    }
}

/* ---- es_blend, es_blend_frame ---- */

typedef struct scene {
    float at[3];
    double angle;
    uint8_t lives;
} scene;

static const es_field scene_fields[] = {
        ES_FIELD(scene, at, ES_BLEND_LINEAR),
        ES_FIELD(scene, angle, ES_BLEND_ANGLE),
        ES_FIELD(scene, lives, ES_BLEND_STEP),
};
static const es_layout scene_layout = ES_LAYOUT(scene, scene_fields);

TEST(es_blend_is_exact_at_its_ends)
{
    static const double alphas[] = {0, -0.0, -3, 1, 1.5, INFINITY, NAN};
    const scene a = {{0.1F, 1e30F, -0.0F}, 3, 5}, b = {{0.3F, -7, 0}, -3, 4};
    scene out;
    for_rows (i, alphas) {
        const scene *end = alphas[i] <= 0 ? &a : &b;
        memset(&out, PATTERN, sizeof out);
        assert_true(es_blend(&scene_layout, &a, &b, alphas[i], &out));
        assert_memory_equal(out.at, end->at, sizeof out.at);
        assert_memory_equal(&out.angle, &end->angle, sizeof out.angle);
        assert_int_equal(out.lives, end->lives);
    }
    assert_true(es_blend(&scene_layout, &a, &b, 0.25, &out));
    assert_true(out.at[0] == es__value_lerp_f32(0.1F, 0.3F, 0.25F));
    assert_true(out.angle == es__value_angle_f64(3, -3, 0.25));
    assert_int_equal(out.lives, 4);
    assert_true(es_blend(&scene_layout, &a, &a, 0.25, &out));
    assert_memory_equal(out.at, a.at, sizeof a.at);
}

static float shown_at(const es_history *history, int64_t content_ns)
{
    scene out;
    es_frame frame = {.content_ns = content_ns};
    assert_true(es_blend_frame(&scene_layout, history, &frame, &out));
    return out.at[0];
}

TEST(a_frame_is_shown_from_a_history)
{
    static _Alignas(64) unsigned char memory[ES_HISTORY_SIZE(scene, 4)];
    es_history history;
    es_frame frame = {.content_ns = 5};
    scene out;
    es__history_init(&history, memory, sizeof(scene), 4);
    es_history_reset(&history, 0, 0);
    assert_true(shown_at(&history, 5) == 0);
    for (int64_t tick = 1; tick <= 6; ++tick) {
        es_step step = {.index = tick, .time_ns = tick * 100};
        scene *now = es_history_push(&history, &step);
        now->at[0] = (float)tick;
        assert_true(fabs((double)shown_at(&history, tick * 100 - 37) - (double)tick + 0.37) < 1e-6);
    }
    /* between any of the kept ticks; before them the oldest, after them the newest */
    assert_true(shown_at(&history, 350) == 3.5F);
    assert_true(shown_at(&history, 50) == 3);
    assert_true(shown_at(&history, 5000) == 6);
    assert_false(es_blend_frame(NULL, &history, &frame, &out));
    assert_false(es_blend_frame(&scene_layout, NULL, &frame, &out));
    assert_false(es_blend_frame(&scene_layout, &history, NULL, &out));
    assert_false(es_blend_frame(&scene_layout, &history, &frame, NULL));
    /* a frame whose pair a full history has dropped */
    frame = (es_frame){.previous_tick = 2, .current_tick = 3, .content_ns = 250};
    assert_false(es_blend_frame(&scene_layout, &history, &frame, &out));
    frame.content_ns = 300;
    assert_true(es_blend_frame(&scene_layout, &history, &frame, &out));
    /* one that is not full has dropped nothing */
    es_history_reset(&history, 10, 1000);
    frame = (es_frame){.previous_tick = 9, .current_tick = 10, .content_ns = 950};
    assert_true(es_blend_frame(&scene_layout, &history, &frame, &out));
}

/* ---- errors ---- */

TEST(wrong_jobs_are_refused)
{
    static scene a, b, out;
    static const scene before;
    static es_field delayed, hermite;
    delayed = scene_fields[0];
    delayed.delay_ticks = 0.5;
    hermite = scene_fields[0];
    hermite.blend = ES_BLEND_HERMITE;
    const es_layout with_delay = {&delayed, 1, sizeof(scene)};
    const es_layout with_hermite = {&hermite, 1, sizeof(scene)};
    const es_blend_tick good[9] = {{&b, 20}, {&a, 10}}, equal[] = {{&b, 20}, {&a, 20}};
    const es_blend_tick falling[] = {{&b, 20}, {&a, 21}};
    const es_layout *layout = &scene_layout;
    const struct {
        es__blend_job job;
        es_result result;
        const char *field;
    } cases[] = {
            {{NULL, good, 2, &out, .alpha = 0}, ES_ERR_INVALID, "layout"},
            {{layout, good, 2, NULL, .alpha = 0}, ES_ERR_INVALID, "out"},
            {{layout, NULL, 2, &out, .alpha = 0}, ES_ERR_INVALID, "tick_count"},
            {{layout, good, 0, &out, .alpha = 0}, ES_ERR_INVALID, "tick_count"},
            {{layout, good, ES_HISTORY_TICKS_MAX + 1, &out, .alpha = 0}, ES_ERR_INVALID,
                    "tick_count"},
            {{layout, good, 3, &out, .alpha = 0}, ES_ERR_INVALID, "ticks"}, /* no state */
            {{layout, good, 2, &a, .alpha = 0}, ES_ERR_INVALID, "ticks"},
            {{layout, equal, 2, &out, .timed = true}, ES_ERR_INVALID, "ticks"},
            {{layout, falling, 2, &out, .timed = true}, ES_ERR_INVALID, "ticks"},
            {{&with_delay, good, 2, &out, .alpha = 0.5}, ES_ERR_INVALID, "at"},
            {{&with_hermite, good, 2, &out, .alpha = 0.5}, ES_ERR_INVALID, "at"},
            {{layout, good, 2, &out, .simd = (es__simd)99}, ES_ERR_UNSUPPORTED, "simd"},
            {{layout, good, 2, &out, .simd = (es__simd)-1}, ES_ERR_UNSUPPORTED, "simd"},
    };
    es__error error = {"?", "?"};
    for_rows (i, cases) {
        assert_int_equal(es__blend_run(&cases[i].job, &error), cases[i].result);
        assert_string_equal(error.field, cases[i].field);
        assert_non_null(error.reason);
        assert_int_equal(es__blend_run(&cases[i].job, NULL), cases[i].result);
        assert_memory_equal(&out, &before, sizeof out);
        assert_memory_equal(&a, &before, sizeof a);
    }
    assert_int_equal(es__blend_run(NULL, &error), ES_ERR_INVALID);
    assert_string_equal(error.field, "job");
    assert_false(es_blend(&with_delay, &a, &b, 0.5, &out));
    assert_false(es_blend(NULL, &a, &b, 0.5, &out));
    assert_false(es_blend(layout, NULL, &b, 0.5, &out));
    assert_false(es_blend(layout, &a, NULL, 0.5, &out));
    assert_false(es_blend(layout, &a, &b, 0.5, NULL));
    const es__blend_job right = {layout, good, 2, &out, .alpha = 0.5};
    assert_int_equal(es__blend_run(&right, &error), ES_OK);
    assert_true(error.field == NULL && error.reason == NULL);
}

/* Not every machine has them all: NEON and SSE2 exclude each other. */
TEST(only_the_machines_instruction_sets_are_taken)
{
    static scene a, b, out;
    const es_blend_tick ticks[] = {{&b, 20}, {&a, 10}};
    const es__blend_job job = {&scene_layout, ticks, 2, &out, .alpha = 0.5};
    assert_true(run_by(&job, ES_SIMD_AUTO) && run_by(&job, ES_SIMD_SCALAR));
    assert_false(run_by(&job, ES_SIMD_SSE2) && run_by(&job, ES_SIMD_NEON));
#if defined(__x86_64__) && defined(__GNUC__)
    assert_true(run_by(&job, ES_SIMD_SSE2));
#endif
}

enum { ARRAYS = 12, ARRAY_FLOATS = 3 * 128 };

/* More places, periods and whole numbers than one pass takes: each field as if it were alone. */
TEST(fields_do_not_depend_on_the_others)
{
    static float a[ARRAYS * ARRAY_FLOATS], b[ARRAYS * ARRAY_FLOATS], out[2][ARRAYS * ARRAY_FLOATS];
    static const char *const names[ARRAYS] = {
            "a", "b", "c", "d", "e", "f", "g", "h", "i", "j", "k", "l"};
    test_random random = {21};
    for (int turn = 0; turn < 20; ++turn) {
        row("turn %d", turn);
        es_field fields[ARRAYS];
        size_t count = turn % 2 == 0 ? 4 : 1;
        for (size_t i = 0; i < ARRAYS; ++i) {
            bool bytes = turn % 5 == 4 && i % 2 == 1; /* apart from each other */
            fields[i] = (es_field){.name = names[i],
                    .type = bytes ? ES_TYPE_U8 : ES_TYPE_F32,
                    .blend = bytes       ? ES_BLEND_STEP
                             : turn < 10 ? ES_BLEND_CYCLIC
                                         : ES_BLEND_LINEAR,
                    .count = count,
                    .components = 3,
                    .offset = i * ARRAY_FLOATS * sizeof(float),
                    .stride = bytes ? 3 : 4,
                    .component_stride = bytes ? 0 : 512,
                    .period = bytes || turn >= 10 ? 0 : 1 + (double)(i * (size_t)turn % 5)};
            fields[i].group = turn % 3 == 0 && count > 1;
        }
        for (size_t i = 0; i < COUNT_OF(a); ++i) {
            a[i] = (float)random_below(&random, 1000) / 100;
            b[i] = (float)random_below(&random, 1000) / 100;
        }
        const es_layout all = {fields, ARRAYS, sizeof a};
        assert_int_equal(es__layout_validate(&all, &(es__error){NULL, NULL}), ES_OK);
        memset(out, 0, sizeof out);
        assert_true(es_blend(&all, a, b, 0.25, out[0]));
        for (size_t i = 0; i < ARRAYS; ++i) {
            const es_layout one = {&fields[i], 1, sizeof a};
            assert_true(es_blend(&one, a, b, 0.25, out[1]));
        }
        assert_memory_equal(out[0], out[1], sizeof out[0]);
    }
}
