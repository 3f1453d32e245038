/* SPDX-License-Identifier: Zlib
 *
 * The monotone spline never leaves its ends and never goes back; across uneven ticks, with and without
 * neighbours. test_blend.c compares all splines with blend_reference.h.
 */
#include "world_support.h"

#define UNIT_NS INT64_C(15625000) /* 1/64 s: exact in seconds, too */
#define OBJECTS 2048

/* Positions with velocities; as many in float. */
typedef struct crowd {
    double p[OBJECTS], v[OBJECTS];
    float q[OBJECTS], w[OBJECTS];
} crowd;

static crowd crowds[ES_HISTORY_TICKS_MAX], shown;

/* Sequences that rise, fall, stand still, leap, do anything, or are a few of the last bits apart. */
static void make_sequence(test_random *random, size_t count, size_t i)
{
    double scale = pow(0.01, (double)random_below(random, 7));
    for (size_t k = 0; k < count; ++k) {
        const crowd *last = k > 0 ? &crowds[k - 1] : NULL;
        int64_t bits = random_below(random, 9);
        bool rests = last != NULL && random_below(random, 4) == 0;
        double size = random_below(random, 5) == 0 ? 100 : scale;
        double step = rests ? 0 : uniform(random, 0, size), any = uniform(random, -100, 100);
        any = rests ? last->p[i] : any;
        crowds[k].p[i] = i % 4 == 1             ? 1 + (double)bits * DBL_EPSILON
                         : i % 4 == 3 || k == 0 ? any
                                                : last->p[i] + (i % 4 == 0 ? step : -step);
        crowds[k].q[i] = i % 4 == 1 ? 1 + (float)bits * FLT_EPSILON : (float)crowds[k].p[i];
        crowds[k].v[i] = random_below(random, 6) == 0 ? 0 : uniform(random, -3000, 3000);
        crowds[k].w[i] = (float)crowds[k].v[i];
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

#define PLACE(array)                                                                               \
    .count = OBJECTS, .offset = offsetof(crowd, array), .stride = sizeof(((crowd *)0)->array[0])

/* 256 rounds of 2048 objects in double and in float: 10^6 sequences, each at 16 instants. */
static long double check_monotone(bool with_velocity)
{
    static crowd before;
    const es_field fields[] = {
            {"p", ES_TYPE_F64, ES_BLEND_MONOTONE, PLACE(p), .velocity = with_velocity ? "v" : NULL},
            {"q", ES_TYPE_F32, ES_BLEND_MONOTONE, PLACE(q), .velocity = with_velocity ? "w" : NULL},
            {"v", ES_TYPE_F64, ES_BLEND_STEP, PLACE(v)},
            {"w", ES_TYPE_F32, ES_BLEND_STEP, PLACE(w)},
    };
    const es_layout layout = layout_of(fields, COUNT_OF(fields), sizeof(crowd));
    es_blend_tick ticks[ES_HISTORY_TICKS_MAX];
    es__blend_job job = {.layout = &layout, .ticks = ticks, .out = &shown, .timed = true};
    test_random random = {with_velocity ? 41 : 42};
    long double worst = 0;
    for (int round = 0; round < 256 / TEST_SHARE; ++round) {
        job.tick_count = 2 + (size_t)(round % 3);
        size_t newer = round % 5 == 0 && job.tick_count > 2 ? 1 : 0;
        int64_t time_ns = 1000 * UNIT_NS;
        for (size_t k = 0; k < job.tick_count; ++k) {
            ticks[k] = (es_blend_tick){&crowds[k], time_ns};
            time_ns -=
                    UNIT_NS * (random_below(&random, 2) == 0 ? 1 : 1 + random_below(&random, 40));
        }
        for (size_t i = 0; i < OBJECTS; ++i) {
            make_sequence(&random, job.tick_count, i);
        }
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
