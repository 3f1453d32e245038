/* SPDX-License-Identifier: Zlib  Splines: that Hermite's cubic is cubic motion itself, that
 * Catmull-Rom's is the parabola where the motion is one, that the monotone one never leaves its
 * ends; across uneven ticks, with and without neighbours, around jumps, with a delay of its own and
 * with a lead. / */
#include "evenstep/blend.h"

#include <stdio.h>

#include "blend_reference.h"
#include "test_support.h"

#define UNIT_NS         INT64_C(15625000) /* 1/64 s: exact in seconds, too */
#define OBJECTS         2048

static double uniform(test_random *random, double low, double high)
{
    return low + (high - low) * ((double)(random_u64(random) >> 11) / 9007199254740992.0);
}

/* Positions with velocities; as many in float. */
typedef struct crowd {
    double p[OBJECTS], v[OBJECTS];
    float q[OBJECTS], w[OBJECTS];
    uint8_t mark[OBJECTS];
} crowd;

#define PLACE(array)                                                                               \
    .count = OBJECTS, .offset = offsetof(crowd, array), .stride = sizeof(((crowd *)0)->array[0])

/* p and q as the kind; with_velocity: with their velocities. */
static void make_fields(es_field fields[5], es_blend_kind kind, bool with_velocity)
{
    const es_field made[5] = {
            {"p", ES_TYPE_F64, kind, PLACE(p), .group = 1, .velocity = with_velocity ? "v" : NULL},
            {"q", ES_TYPE_F32, kind, PLACE(q), .group = 1, .velocity = with_velocity ? "w" : NULL},
            {"v", ES_TYPE_F64, ES_BLEND_STEP, PLACE(v), .group = 1},
            {"w", ES_TYPE_F32, ES_BLEND_STEP, PLACE(w), .group = 1},
            {"mark", ES_TYPE_U8, ES_BLEND_MARK, PLACE(mark), .group = 1},
    };
    memcpy(fields, made, sizeof made);
}

static crowd crowds[ES_HISTORY_TICKS_MAX], shown;

static es_blend_job job_of(
        const es_layout *layout, es_blend_tick *ticks, const int64_t *units, size_t count)
{
    es_blend_job job = {
            .layout = layout, .ticks = ticks, .tick_count = count, .out = &shown, .timed = true};
    for (size_t k = 0; k < count; ++k) {
        ticks[k].state = &crowds[k];
        ticks[k].time_ns = units[k] * UNIT_NS;
    }
    return job;
}

static void run(const es_blend_job *job)
{
    es_error error;
    if (es_blend_run(job, &error) != ES_OK) {
        fail_msg("refused: %s %s", error.field, error.reason);
    }
}

/* Every object's p and q against blend_reference.h; `steps` rounded operations may add up. */
static void check_reference(const es_blend_job *job)
{
    for (size_t f = 0; f < 2; ++f) {
        const es_field *field = &job->layout->fields[f];
        for (size_t e = 0; e < OBJECTS; ++e) {
            ref_shown s;
            ref_show(job, field, e, &s);
            if (s.form == REF_TICK) {
                s.value[0] = ref_number(job->ticks[s.newer].state, field, e, 0);
            }
            long double got = ref_number(job->out, field, e, 0);
            long double room = s.steps * ref_epsilon(field->type) * s.scale[0];
            if (!(fabsl(got - s.value[0]) <= room)) {
                fail_msg("%s %s of object %zu at %lld ns: %.9Lg, not %.9Lg (may be off %.2Lg)",
                        es_blend_kind_name(field->blend), field->name, e,
                        (long long)job->content_ns, got, s.value[0], room);
            }
        }
    }
}

/* ---- exactly the motion ---- */

/* c0 + c1 t + c2 t^2 + c3 t^3 in units of time; small whole numbers, so that all of it is exact. */
typedef struct polynomial {
    int64_t c[4];
} polynomial;

static long double at(const polynomial *p, long double t)
{
    return (((long double)p->c[3] * t + (long double)p->c[2]) * t + (long double)p->c[1]) * t
           + (long double)p->c[0];
}

static long double slope_at(const polynomial *p, long double t)
{
    return (3 * (long double)p->c[3] * t + 2 * (long double)p->c[2]) * t + (long double)p->c[1];
}

static void make_motion(
        polynomial motions[OBJECTS], int degree, uint64_t seed, const int64_t *units, size_t count)
{
    test_random random = {seed};
    for (size_t i = 0; i < OBJECTS; ++i) {
        for (int d = 0; d < 4; ++d) {
            motions[i].c[d] = d <= degree ? random_below(&random, 41) - 20 : 0;
        }
        for (size_t k = 0; k < count; ++k) {
            long double t = (long double)units[k];
            crowds[k].p[i] = (double)at(&motions[i], t);
            crowds[k].v[i] = (double)(64 * slope_at(&motions[i], t));
            crowds[k].q[i] = (float)crowds[k].p[i];
            crowds[k].w[i] = (float)crowds[k].v[i];
            crowds[k].mark[i] = 0;
        }
    }
}

/* The largest error in units in the last place of the largest term, over all objects. */
static void check_motion(const es_blend_job *job, const polynomial *motions, long double *worst)
{
    long double t = (long double)job->content_ns / (long double)UNIT_NS;
    size_t newer = 0;
    while (newer + 2 < job->tick_count && job->content_ns <= job->ticks[newer + 1].time_ns) {
        newer += 1;
    }
    run(job);
    for (size_t i = 0; i < OBJECTS; ++i) {
        long double exact = at(&motions[i], t), largest = 1;
        for (size_t k = newer; k < newer + 2; ++k) {
            long double length =
                    (long double)(job->ticks[newer].time_ns - job->ticks[newer + 1].time_ns) / 1e9L;
            largest = fmaxl(largest, fabsl((long double)crowds[k].p[i]));
            largest = fmaxl(largest, fabsl((long double)crowds[k].v[i]) * length);
        }
        worst[0] = fmaxl(worst[0],
                fabsl((long double)shown.p[i] - exact) / largest / (long double)DBL_EPSILON);
        worst[1] = fmaxl(worst[1],
                fabsl((long double)shown.q[i] - exact) / largest / (long double)FLT_EPSILON);
    }
}

static void check_degree(
        es_blend_kind kind, int degree, const int64_t *units, size_t count, long double *worst)
{
    static polynomial motions[OBJECTS];
    es_field fields[5];
    es_blend_tick ticks[ES_HISTORY_TICKS_MAX];
    make_fields(fields, kind, kind == ES_BLEND_HERMITE);
    es_layout layout = {fields, 5, sizeof(crowd)};
    assert_int_equal(es_layout_validate(&layout, NULL), ES_OK);
    make_motion(motions, degree, 99, units, count);
    es_blend_job job = job_of(&layout, ticks, units, count);
    for (int k = 0; k <= 64; ++k) {
        job.content_ns =
                units[count - 1] * UNIT_NS + (units[0] - units[count - 1]) * UNIT_NS * k / 64;
        check_motion(&job, motions, worst);
    }
}

static const int64_t even[] = {3, 2, 1, 0}, uneven[] = {9, 7, 2, 1}, wild[] = {20, 19, 3, 1};

/* Within two units in the last place of the largest term: an end, or a velocity times the pair's
 * length. */
static void test_hermite_is_cubic_motion(void **state)
{
    (void)state;
    long double worst[2] = {0};
    check_degree(ES_BLEND_HERMITE, 3, even, 4, worst);
    check_degree(ES_BLEND_HERMITE, 3, uneven, 4, worst);
    check_degree(ES_BLEND_HERMITE, 3, wild, 4, worst);
    print_message("cubic motion by Hermite: off by %.2Lf ulp in double, %.2Lf in float\n", worst[0],
            worst[1]);
    assert_true(worst[0] <= 2 && worst[1] <= 2);
}

/* The first and the last pair lack a neighbour: there too it is the parabola, within three units in
 * the last place of the largest term. */
static void test_catmull_rom_is_parabolic_motion(void **state)
{
    (void)state;
    long double worst[2] = {0};
    for (size_t count = 3; count <= 4; ++count) {
        check_degree(ES_BLEND_CATMULL_ROM, 2, even, count, worst);
        check_degree(ES_BLEND_CATMULL_ROM, 2, uneven, count, worst);
        check_degree(ES_BLEND_CATMULL_ROM, 2, wild, count, worst);
    }
    check_degree(ES_BLEND_CATMULL_ROM, 1, wild, 2, worst); /* a straight line */
    print_message("parabolas by Catmull-Rom: off by %.2Lf ulp in double, %.2Lf in float\n",
            worst[0], worst[1]);
    assert_true(worst[0] <= 3 && worst[1] <= 3);
}

/* ---- anything, against the reference ---- */

static void make_noise(test_random *random, size_t count, int64_t jumps)
{
    for (size_t i = 0; i < OBJECTS; ++i) {
        for (size_t k = 0; k < count; ++k) {
            bool rests = k > 0 && random_below(random, 4) == 0;
            crowds[k].p[i] = rests ? crowds[k - 1].p[i] : uniform(random, -100, 100);
            crowds[k].q[i] = rests ? crowds[k - 1].q[i] : (float)crowds[k].p[i];
            crowds[k].v[i] = random_below(random, 6) == 0 ? 0 : uniform(random, -3000, 3000);
            crowds[k].w[i] = (float)crowds[k].v[i];
            bool jumped = k > 0 && jumps > 0 && random_below(random, jumps) == 0;
            crowds[k].mark[i] = (uint8_t)(k > 0 ? crowds[k - 1].mark[i] + jumped : 0);
        }
    }
}

static void random_units(test_random *random, int64_t *units, size_t count)
{
    int64_t unit = 1000;
    for (size_t k = 0; k < count; ++k) {
        units[k] = unit;
        unit -= random_below(random, 2) == 0 ? 1 : 1 + random_below(random, 40);
    }
}

static void check_noise(es_blend_kind kind, bool with_velocity, double delay, int64_t jumps)
{
    es_field fields[5];
    es_blend_tick ticks[ES_HISTORY_TICKS_MAX];
    int64_t units[ES_HISTORY_TICKS_MAX];
    test_random random = {(uint64_t)kind * 100 + (uint64_t)jumps + 5};
    make_fields(fields, kind, with_velocity);
    es_layout layout = {fields, 5, sizeof(crowd)};
    fields[0].delay_ticks = delay;
    fields[1].delay_ticks = -delay / 2;
    for (int round = 0; round < 12; round += TEST_STEP) {
        size_t count = 1 + (size_t)(round % 6);
        random_units(&random, units, count);
        make_noise(&random, count, jumps);
        es_blend_job job = job_of(&layout, ticks, units, count);
        for (int k = 0; k < 12 / (TEST_SANITIZED ? 2 : 1); ++k) {
            int64_t span = ticks[0].time_ns - ticks[count - 1].time_ns;
            job.content_ns = ticks[count - 1].time_ns + random_below(&random, span + 1000) - 500;
            job.content_ns = k == 0 ? ticks[count / 2].time_ns : job.content_ns;
            run(&job);
            check_reference(&job);
        }
    }
}

static void test_noise_is_as_the_reference_says(void **state)
{
    (void)state;
    check_noise(ES_BLEND_HERMITE, true, 0, 0);
    check_noise(ES_BLEND_CATMULL_ROM, false, 0, 0);
    check_noise(ES_BLEND_CATMULL_ROM, true, 0, 0); /* which only a prediction uses */
    check_noise(ES_BLEND_MONOTONE, false, 0, 0);
    check_noise(ES_BLEND_MONOTONE, true, 0, 0);
}

static void test_jumps_and_delays_are_as_the_reference_says(void **state)
{
    (void)state;
    check_noise(ES_BLEND_HERMITE, true, 1, 3);
    check_noise(ES_BLEND_CATMULL_ROM, false, 1.5, 3);
    check_noise(ES_BLEND_MONOTONE, false, 0.7, 3);
    check_noise(ES_BLEND_MONOTONE, true, 2, 3);
}

/* ---- monotone ---- */

/* Sequences that rise, fall, stand still, leap, or do anything. */
static void make_sequences(test_random *random, size_t count)
{
    make_noise(random, count, 0);
    for (size_t i = 0; i < OBJECTS; ++i) {
        double scale = 1;
        for (int64_t d = random_below(random, 7); d > 0; --d) {
            scale *= 0.01;
        }
        for (size_t k = 1; k < count && i % 2 == 0; ++k) {
            double size = random_below(random, 5) == 0 ? 100 : scale;
            double step = random_below(random, 4) == 0 ? 0 : uniform(random, 0, size);
            crowds[k].p[i] = crowds[k - 1].p[i] + (i % 4 == 0 ? step : -step);
            crowds[k].q[i] = (float)crowds[k].p[i];
        }
    }
}

static void check_between(double from, double to, double got, size_t i)
{
    if (!(got >= fmin(from, to) && got <= fmax(from, to))) {
        fail_msg("object %zu leaves %.17g to %.17g: %.17g", i, from, to, got);
    }
}

/* How far a larger alpha goes back, in units in the last place of the larger end. */
static long double steps_back(
        const crowd *from, const crowd *to, const crowd *before, const crowd *after)
{
    long double worst = 0;
    for (size_t i = 0; i < OBJECTS; ++i) {
        double way = to->p[i] - from->p[i], largest = fmax(fabs(to->p[i]), fabs(from->p[i]));
        double back = way > 0 ? before->p[i] - after->p[i] : after->p[i] - before->p[i];
        if (largest > 0) {
            worst = fmaxl(worst, (long double)(back / largest / DBL_EPSILON));
        }
        way = (double)(to->q[i] - from->q[i]);
        largest = fmax(fabs((double)to->q[i]), fabs((double)from->q[i]));
        back = (double)(way > 0 ? before->q[i] - after->q[i] : after->q[i] - before->q[i]);
        if (largest > 0) {
            worst = fmaxl(worst, (long double)(back / largest / (double)FLT_EPSILON));
        }
        check_between(from->p[i], to->p[i], after->p[i], i);
        check_between((double)from->q[i], (double)to->q[i], (double)after->q[i], i);
    }
    return worst;
}

/* 256 rounds of 2048 objects in double and in float: 10^6 sequences, each at 16 instants. */
static long double check_monotone(bool with_velocity)
{
    static crowd before;
    es_field fields[5];
    es_blend_tick ticks[ES_HISTORY_TICKS_MAX];
    int64_t units[ES_HISTORY_TICKS_MAX];
    test_random random = {with_velocity ? 41 : 42};
    long double worst = 0;
    make_fields(fields, ES_BLEND_MONOTONE, with_velocity);
    es_layout layout = {fields, 5, sizeof(crowd)};
    for (int round = 0; round < 256 / TEST_SHARE; ++round) {
        size_t count = 2 + (size_t)(round % 3), newer = round % 5 == 0 && count > 2 ? 1 : 0;
        random_units(&random, units, count);
        make_sequences(&random, count);
        es_blend_job job = job_of(&layout, ticks, units, count);
        before = crowds[newer + 1];
        int64_t from = ticks[newer + 1].time_ns, to = ticks[newer].time_ns;
        for (int k = 1; k <= 16; ++k) {
            /* also by steps so short that only rounding shows */
            job.content_ns =
                    round % 4 == 0 ? from + (to - from) / 3 + k : from + (to - from) * k / 16;
            run(&job);
            long double back = steps_back(&crowds[newer + 1], &crowds[newer], &before, &shown);
            worst = k > 1 || round % 4 != 0 ? fmaxl(worst, back) : worst;
            before = shown;
        }
    }
    return worst;
}

static void test_monotone_stays_within_its_ends(void **state)
{
    (void)state;
    long double without = check_monotone(false), with = check_monotone(true);
    print_message("monotone: back by %.2Lf ulp, with velocities by %.2Lf\n", without, with);
    assert_true(without <= 2 && with <= 2);
}

/* ---- smooth from pair to pair ---- */

/* With a tick beyond, as a lead gives it, the slope at a tick is the same from both sides. */
static void test_splines_are_smooth_across_ticks(void **state)
{
    (void)state;
    static const es_blend_kind kinds[] = {
            ES_BLEND_HERMITE, ES_BLEND_CATMULL_ROM, ES_BLEND_MONOTONE};
    static crowd at_tick, left;
    test_random random = {77};
    for (size_t n = 0; n < COUNT_OF(kinds); ++n) {
        es_field fields[5];
        es_blend_tick ticks[5];
        static const int64_t units[] = {90, 70, 64, 30, 20};
        make_fields(fields, kinds[n], kinds[n] == ES_BLEND_HERMITE);
        es_layout layout = {fields, 5, sizeof(crowd)};
        make_noise(&random, 5, 0);
        es_blend_job job = job_of(&layout, ticks, units, 5);
        int64_t tick_ns = ticks[2].time_ns, step_ns = 1000;
        job.content_ns = tick_ns - step_ns;
        run(&job);
        left = shown;
        job.content_ns = tick_ns;
        run(&job);
        at_tick = shown;
        job.content_ns = tick_ns + step_ns;
        run(&job);
        for (size_t i = 0; i < OBJECTS; ++i) {
            assert_memory_equal(&at_tick.p[i], &crowds[2].p[i], sizeof(double));
            double before = (at_tick.p[i] - left.p[i]) / 1e-6;
            double after = (shown.p[i] - at_tick.p[i]) / 1e-6;
            assert_true(fabs(after - before) <= 3 + 1e-4 * fabs(before));
        }
    }
}

/* Untimed, splines without velocities are straight lines, and Hermite's is refused. */
static void test_without_times_they_are_straight(void **state)
{
    (void)state;
    es_field fields[5];
    test_random random = {78};
    make_noise(&random, 2, 0);
    for (int k = 0; k < 2; ++k) {
        make_fields(fields, k == 0 ? ES_BLEND_CATMULL_ROM : ES_BLEND_MONOTONE, k == 1);
        es_layout layout = {fields, 5, sizeof(crowd)};
        assert_int_equal(es_blend(&layout, &crowds[1], &crowds[0], 0.3, &shown), ES_OK);
        for (size_t i = 0; i < OBJECTS; ++i) {
            assert_true(shown.p[i] == es_lerp_f64(crowds[1].p[i], crowds[0].p[i], 0.3));
            assert_true(shown.q[i] == es_lerp_f32(crowds[1].q[i], crowds[0].q[i], 0.3F));
        }
    }
    make_fields(fields, ES_BLEND_HERMITE, true);
    es_layout layout = {fields, 5, sizeof(crowd)};
    assert_int_equal(es_blend(&layout, &crowds[1], &crowds[0], 0.3, &shown), ES_ERR_INVALID);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
            cmocka_unit_test(test_hermite_is_cubic_motion),
            cmocka_unit_test(test_catmull_rom_is_parabolic_motion),
            cmocka_unit_test(test_noise_is_as_the_reference_says),
            cmocka_unit_test(test_jumps_and_delays_are_as_the_reference_says),
            cmocka_unit_test(test_monotone_stays_within_its_ends),
            cmocka_unit_test(test_splines_are_smooth_across_ticks),
            cmocka_unit_test(test_without_times_they_are_straight),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
