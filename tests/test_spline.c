/* SPDX-License-Identifier: Zlib
 *
 * Splines: the monotone one never leaves its ends, and all are smooth; across uneven ticks, with
 * and without neighbours. test_blend.c compares them with blend_reference.h.
 */
#include "world_support.h"

#define UNIT_NS INT64_C(15625000) /* 1/64 s: exact in seconds, too */
#define OBJECTS 2048

/* Positions with velocities; as many in float. */
typedef struct crowd {
    double p[OBJECTS], v[OBJECTS];
    float q[OBJECTS], w[OBJECTS];
} crowd;

#define PLACE(array)                                                                               \
    .count = OBJECTS, .offset = offsetof(crowd, array), .stride = sizeof(((crowd *)0)->array[0])

enum { FIELDS = 4 };

/* p and q as the kind; with_velocity: with their velocities. */
static void make_fields(es_field fields[FIELDS], es_blend_kind kind, bool with_velocity)
{
    const es_field made[FIELDS] = {
            {"p", ES_TYPE_F64, kind, PLACE(p), .velocity = with_velocity ? "v" : NULL},
            {"q", ES_TYPE_F32, kind, PLACE(q), .velocity = with_velocity ? "w" : NULL},
            {"v", ES_TYPE_F64, ES_BLEND_STEP, PLACE(v), .velocity = NULL},
            {"w", ES_TYPE_F32, ES_BLEND_STEP, PLACE(w), .velocity = NULL},
    };
    memcpy(fields, made, sizeof made);
}

static crowd crowds[ES_HISTORY_TICKS_MAX], shown;

static es__blend_job job_of(
        const es_layout *layout, es_blend_tick *ticks, const int64_t *units, size_t count)
{
    es__blend_job job = {
            .layout = layout, .ticks = ticks, .tick_count = count, .out = &shown, .timed = true};
    for (size_t k = 0; k < count; ++k) {
        ticks[k].state = &crowds[k];
        ticks[k].time_ns = units[k] * UNIT_NS;
    }
    return job;
}

/* ---- monotone ---- */

static void make_noise(test_random *random, size_t count)
{
    for (size_t i = 0; i < OBJECTS; ++i) {
        for (size_t k = 0; k < count; ++k) {
            bool rests = k > 0 && random_below(random, 4) == 0;
            crowds[k].p[i] = rests ? crowds[k - 1].p[i] : uniform(random, -100, 100);
            crowds[k].q[i] = rests ? crowds[k - 1].q[i] : (float)crowds[k].p[i];
            crowds[k].v[i] = random_below(random, 6) == 0 ? 0 : uniform(random, -3000, 3000);
            crowds[k].w[i] = (float)crowds[k].v[i];
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

/* Sequences that rise, fall, stand still, leap, or do anything. */
static void make_sequences(test_random *random, size_t count)
{
    make_noise(random, count);
    for (size_t k = 0; k < count; ++k) {
        for (size_t i = 1; i < OBJECTS; i += 4) { /* a few of the last bits apart */
            int64_t bits = random_below(random, 9);
            crowds[k].p[i] = 1 + (double)bits * DBL_EPSILON;
            crowds[k].q[i] = 1 + (float)bits * FLT_EPSILON;
        }
    }
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
    es_field fields[FIELDS];
    es_blend_tick ticks[ES_HISTORY_TICKS_MAX];
    int64_t units[ES_HISTORY_TICKS_MAX];
    test_random random = {with_velocity ? 41 : 42};
    long double worst = 0;
    make_fields(fields, ES_BLEND_MONOTONE, with_velocity);
    es_layout layout = {fields, FIELDS, sizeof(crowd)};
    for (int round = 0; round < 256 / TEST_SHARE; ++round) {
        size_t count = 2 + (size_t)(round % 3), newer = round % 5 == 0 && count > 2 ? 1 : 0;
        random_units(&random, units, count);
        make_sequences(&random, count);
        es__blend_job job = job_of(&layout, ticks, units, count);
        before = crowds[newer + 1];
        int64_t from = ticks[newer + 1].time_ns, to = ticks[newer].time_ns;
        for (int k = 1; k <= 16; ++k) {
            /* also by steps so short that only rounding shows, and next to the end */
            job.content_ns =
                    round % 4 == 0 ? from + (to - from) / 3 + k : from + (to - from) * k / 16;
            job.content_ns -= job.content_ns == to;
            run_job(&job);
            long double back = steps_back(&crowds[newer + 1], &crowds[newer], &before, &shown);
            worst = k > 1 || round % 4 != 0 ? fmaxl(worst, back) : worst;
            before = shown;
        }
    }
    return worst;
}

TEST(monotone_stays_within_its_ends)
{
    long double without = check_monotone(false), with = check_monotone(true);
    print_message("monotone: back by %.2Lf ulp, with velocities by %.2Lf\n", without, with);
    assert_true(without <= 2 && with <= 2);
}

/* ---- smooth from pair to pair ---- */

/* With a tick beyond the pair, the slope at a tick is the same from both sides. */
TEST(splines_are_smooth_across_ticks)
{
    static const es_blend_kind kinds[] = {
            ES_BLEND_HERMITE, ES_BLEND_CATMULL_ROM, ES_BLEND_MONOTONE};
    static crowd at_tick, left;
    test_random random = {77};
    for (size_t n = 0; n < COUNT_OF(kinds); ++n) {
        es_field fields[FIELDS];
        es_blend_tick ticks[5];
        static const int64_t units[] = {90, 70, 64, 30, 20};
        make_fields(fields, kinds[n], kinds[n] == ES_BLEND_HERMITE);
        es_layout layout = {fields, FIELDS, sizeof(crowd)};
        make_noise(&random, 5);
        es__blend_job job = job_of(&layout, ticks, units, 5);
        int64_t tick_ns = ticks[2].time_ns, step_ns = 1000;
        job.content_ns = tick_ns - step_ns;
        run_job(&job);
        left = shown;
        job.content_ns = tick_ns;
        run_job(&job);
        at_tick = shown;
        job.content_ns = tick_ns + step_ns;
        run_job(&job);
        for (size_t i = 0; i < OBJECTS; ++i) {
            assert_memory_equal(&at_tick.p[i], &crowds[2].p[i], sizeof(double));
            double before = (at_tick.p[i] - left.p[i]) / 1e-6;
            double after = (shown.p[i] - at_tick.p[i]) / 1e-6;
            assert_true(fabs(after - before) <= 3 + 1e-4 * fabs(before));
        }
    }
}
