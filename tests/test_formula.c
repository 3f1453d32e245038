/* SPDX-License-Identifier: Zlib
 *
 * Tracks against their formulas in long double, at any time that int64_t holds.
 */
#include "evenstep/world.h"

#include <float.h>

#include "world_support.h"

static const long double tau = 6.283185307179586476925286766559005768L;

/* Where long double is no wider than double, the references err too. */
static const double slack = LDBL_MANT_DIG >= 64 ? 1 : 4;

static bool same(double x, double y)
{
    if (isnan(x) || isnan(y)) {
        return isnan(x) && isnan(y);
    }
    return x == y;
}

#define check_same(got, expected)                                                                  \
    do {                                                                                           \
        double got_ = (got);                                                                       \
        double expected_ = (expected);                                                             \
        if (!same(got_, expected_)) {                                                              \
            fail_msg("%s is %a, not %a", #got, got_, expected_);                                   \
        }                                                                                          \
    } while (0)

#define check_near(got, expected, most)                                                            \
    do {                                                                                           \
        long double got_ = (got);                                                                  \
        long double expected_ = (expected);                                                        \
        if (!(fabsl(got_ - expected_) <= (long double)(most)*slack)) {                             \
            fail_msg("%s is %La, not %La", #got, got_, expected_);                                 \
        }                                                                                          \
    } while (0)

static double unit_at(double x)
{
    int exponent;
    frexp(x, &exponent);
    return ldexp(DBL_EPSILON, exponent - 1);
}

/* --- against the formulas --------------------------------------------------------------------- */

/* A start and a later instant, up to 2^64 ns apart, and near as often as far. */
static uint64_t random_times(test_random *random, es_formula *track, int64_t *content_ns)
{
    int64_t start = random_magnitude(random);
    int64_t end = random_magnitude(random);
    if (random_below(random, 2) == 0) {
        start = start == INT64_MIN ? INT64_MAX : -start;
    }
    track->start_ns = start < end ? start : end;
    *content_ns = start < end ? end : start;
    return (uint64_t)*content_ns - (uint64_t)track->start_ns;
}

TEST(lines_and_parabolas_are_their_formulas)
{
    test_random random = {11};
    for (int i = 0; i < 500000; ++i) {
        es_formula track = {ES_FORMULA_LINEAR, 0, 0, uniform(&random, -1, 1),
                uniform(&random, -9, 9), uniform(&random, -9, 9), NAN, -1, NAN};
        int64_t content_ns;
        long double t = (long double)random_times(&random, &track, &content_ns) / 1e9L;
        track.base *= ldexp(1, (int)random_below(&random, 40));
        double way = (double)(track.velocity * t);
        double fall = (double)(track.acceleration * t * t / 2);
        double most = fmax(fabs(track.base), fabs(way));
        check_near(es_formula_at(&track, content_ns), track.base + track.velocity * t,
                4 * unit_at(most));
        check_same(es_formula_velocity_at(&track, content_ns), track.velocity);
        track.kind = ES_FORMULA_BALLISTIC;
        most = fmax(most, fabs(fall));
        check_near(es_formula_at(&track, content_ns),
                track.base + track.velocity * t + track.acceleration * t * t / 2,
                8 * unit_at(most));
        check_near(es_formula_velocity_at(&track, content_ns),
                track.velocity + track.acceleration * t,
                4 * unit_at(fmax(fabs(track.velocity), fabs((double)(track.acceleration * t)))));
    }
}

TEST(swings_are_sines)
{
    test_random random = {12};
    for (int i = 0; i < 500000; ++i) {
        es_formula track = {.kind = ES_FORMULA_SINE, .amplitude = 1, .velocity = NAN};
        int64_t content_ns;
        uint64_t elapsed = random_times(&random, &track, &content_ns);
        track.period_ns = (int64_t)(random_u64(&random) >> 1 >> random_below(&random, 62)) | 1;
        track.phase = i % 2 == 0 ? uniform(&random, -8, 8) : 0;
        long double period = (long double)track.period_ns;
        long double turns = (long double)(elapsed % (uint64_t)track.period_ns) / period;
        turns += track.phase;
        turns -= floorl(turns);
        check_near(es_formula_at(&track, content_ns), sinl(tau * turns), 5e-16);
        long double fastest = tau / (period / 1e9L);
        check_near(es_formula_velocity_at(&track, content_ns), fastest * cosl(tau * turns),
                1e-15L * fastest);
    }
}

/* Bit-equal a number of whole periods later: no drift in 292 years. */
TEST(a_swing_does_not_drift)
{
    es_formula track = {.kind = ES_FORMULA_SINE, .base = 3, .amplitude = 2, .phase = 0.1};
    test_random random = {13};
    for (int i = 0; i < 100000; ++i) {
        track.period_ns = 1 + random_below(&random, INT64_C(10000000000));
        int64_t into = random_below(&random, track.period_ns);
        int64_t periods = random_below(&random, INT64_MAX / track.period_ns);
        int64_t late = periods * track.period_ns;
        check_same(es_formula_at(&track, into),
                es_formula_at(&track, late > INT64_MAX - into ? into : late + into));
    }
}

TEST(quarters_are_exact)
{
    static const double values[4] = {10, 13, 10, 7};
    static const double phases[] = {0, 1, -1, 5, 1e15, -1e300};
    es_formula track = {.kind = ES_FORMULA_SINE, .base = 10, .amplitude = 3, .period_ns = 4000};
    for (size_t k = 0; k < COUNT_OF(phases); ++k) {
        for (int64_t i = 0; i < 40; ++i) {
            track.phase = phases[k];
            check_same(es_formula_at(&track, i * 1000), values[i % 4]);
            track.phase = 0.25 * (double)(i % 4) - (double)(i / 4);
            check_same(es_formula_at(&track, 0), values[i % 4]);
            check_same(es_formula_at(&track, 4000000), values[i % 4]);
            if (i % 2 == 1) {
                check_same(es_formula_velocity_at(&track, 0), 0);
            }
        }
    }
    track.phase = 1e15 + 0.25; /* the last fractions that a double has */
    check_same(es_formula_at(&track, 0), 13);
    track.phase = -1e15 + 0.25;
    check_same(es_formula_at(&track, 0), 13);
}

/* --- start and end ---------------------------------------------------------------------------- */

TEST(tracks_rest_before_and_after)
{
    static const double starts[] = {5, 5, 5, 8};
    static const double ends[] = {5, 9, 11, 2}; /* after 2 s */
    static const double at_start[] = {0, 2, 2, 0};
    static const double at_end[] = {0, 2, 4, 0};
    for (int kind = ES_FORMULA_CONSTANT; kind <= ES_FORMULA_SINE; ++kind) {
        es_formula track = {
                (es_formula_kind)kind, 1000, 2 * ES_NS_PER_S, 5, 2, 1, 3, 4 * ES_NS_PER_S, 0.25};
        int64_t end_ns = 1000 + 2 * ES_NS_PER_S;
        check_same(es_formula_at(&track, INT64_MIN), starts[kind]);
        check_same(es_formula_at(&track, 999), starts[kind]);
        check_same(es_formula_at(&track, 1000), starts[kind]);
        check_same(es_formula_at(&track, end_ns), ends[kind]);
        check_same(es_formula_at(&track, end_ns + 1), ends[kind]);
        check_same(es_formula_at(&track, INT64_MAX), ends[kind]);
        check_same(es_formula_velocity_at(&track, INT64_MIN), 0);
        check_same(es_formula_velocity_at(&track, 999), 0);
        check_same(es_formula_velocity_at(&track, 1000), at_start[kind]);
        check_same(es_formula_velocity_at(&track, end_ns), at_end[kind]);
        check_same(es_formula_velocity_at(&track, end_ns + 1), 0);
        check_same(es_formula_velocity_at(&track, INT64_MAX), 0);
        track.duration_ns = -1; /* for ever, as 0 */
        double later = es_formula_at(&track, end_ns + ES_NS_PER_S);
        track.duration_ns = 0;
        check_same(es_formula_at(&track, end_ns + ES_NS_PER_S), later);
        assert_true(kind == ES_FORMULA_CONSTANT || later != ends[kind]);
    }
}

TEST(times_may_be_64_bits_apart)
{
    es_formula track = {.kind = ES_FORMULA_LINEAR, .start_ns = INT64_MIN, .velocity = 1e9};
    check_same(es_formula_at(&track, INT64_MIN), 0);
    check_same(es_formula_at(&track, INT64_MIN + 1), 1);
    check_same(es_formula_at(&track, INT64_MAX), 18446744073709551616.0);
    track.duration_ns = INT64_MAX;
    check_same(es_formula_at(&track, INT64_MAX), 9223372036854775808.0);
    check_same(es_formula_velocity_at(&track, INT64_MAX), 0);
    es_formula swing = {.kind = ES_FORMULA_SINE, .start_ns = INT64_MIN, .amplitude = 1};
    swing.period_ns = INT64_MAX;
    check_near(es_formula_at(&swing, INT64_MAX), sinl(tau / 9223372036854775807.0L), 1e-30);
    check_near(es_formula_at(&swing, INT64_MIN + INT64_MAX / 4), 1, 0);
    swing.period_ns = 1;
    check_same(es_formula_at(&swing, INT64_MAX), 0);
}

TEST(only_the_fields_of_the_formula_are_read)
{
    es_formula zero;
    memset(&zero, 0, sizeof zero);
    check_same(es_formula_at(&zero, 0), 0);
    check_same(es_formula_at(&zero, INT64_MAX), 0);
    check_same(es_formula_velocity_at(&zero, 5), 0);
    es_formula rest = {ES_FORMULA_CONSTANT, 0, 0, 4, NAN, NAN, NAN, 7, NAN};
    check_same(es_formula_at(&rest, 9), 4);
    check_same(es_formula_velocity_at(&rest, 9), 0);
    rest.kind = (es_formula_kind)77;
    check_same(es_formula_at(&rest, 9), 4);
    for (int kind = ES_FORMULA_LINEAR; kind <= ES_FORMULA_SINE; ++kind) {
        rest.kind = (es_formula_kind)kind;
        check_same(es_formula_at(&rest, 9), NAN);
        check_same(es_formula_velocity_at(&rest, 9), NAN);
        check_same(es_formula_velocity_at(&rest, -9), 0);
    }
    es_formula still = {.kind = ES_FORMULA_SINE, .base = 1, .amplitude = 2, .phase = 0.25};
    check_same(es_formula_at(&still, 12345), 3);
    check_same(es_formula_velocity_at(&still, 12345), 0);
    still.period_ns = -5;
    check_same(es_formula_at(&still, 12345), 3);
    still.phase = INFINITY;
    check_same(es_formula_at(&still, 12345), NAN);
    still.base = NAN;
    check_same(es_formula_at(&still, 12345), NAN);
}

/* --- changes ---------------------------------------------------------------------------------- */

/* A ball falls from 1 m and comes back with 0.75 of its speed, in the middle of a tick. */
TEST(a_bounce_between_two_ticks_is_exact)
{
    es_formula before = {.kind = ES_FORMULA_BALLISTIC, .base = 1, .acceleration = -8};
    int64_t hit_ns = ES_NS_PER_S / 2;
    es_formula after = es_formula_continue(&before, hit_ns, ES_FORMULA_BALLISTIC);
    check_same(after.base, 0);
    check_same(after.velocity, -4);
    check_same(after.acceleration, -8);
    assert_true(after.start_ns == hit_ns && after.duration_ns == 0);
    after.velocity *= -0.75;
    check_same(es_formula_between(&before, &after, hit_ns - 1), es_formula_at(&before, hit_ns - 1));
    check_same(es_formula_between(&before, &after, hit_ns), 0);
    check_same(es_formula_between(&before, &after, hit_ns + ES_NS_PER_S / 4), 0.5);
    check_same(es_formula_between(&before, &before, hit_ns), 0);
    after.base = 3; /* a jump: from its start on, the new track counts */
    check_same(es_formula_between(&before, &after, hit_ns), 3);
    after.base = 0;
    for (int64_t ns = hit_ns - 1000; ns < hit_ns + 1000; ++ns) {
        double height = es_formula_between(&before, &after, ns);
        assert_true(height >= 0 && height < 5e-6 && (height > 0 || ns == hit_ns));
    }
}

/* Position and velocity stay; with the same formula, so does all that follows. */
TEST(tracks_continue_where_they_are)
{
    test_random random = {17};
    for (int i = 0; i < 100000; ++i) {
        es_formula_kind kind = (es_formula_kind)random_below(&random, 4);
        es_formula from = {kind, random_below(&random, 1000000), 0, uniform(&random, -9, 9),
                uniform(&random, -9, 9), uniform(&random, -9, 9), uniform(&random, 0.1, 2),
                1 + random_below(&random, 5 * ES_NS_PER_S), uniform(&random, -2, 2)};
        int64_t now_ns = from.start_ns + random_below(&random, 3 * ES_NS_PER_S);
        int64_t later_ns = now_ns + random_below(&random, ES_NS_PER_S);
        double velocity = es_formula_velocity_at(&from, now_ns);
        es_formula line = es_formula_continue(&from, now_ns, ES_FORMULA_LINEAR);
        check_same(es_formula_at(&line, now_ns), es_formula_at(&from, now_ns));
        check_same(es_formula_velocity_at(&line, later_ns), velocity);
        es_formula stop = es_formula_continue(&from, now_ns, ES_FORMULA_CONSTANT);
        check_same(es_formula_at(&stop, later_ns), es_formula_at(&from, now_ns));
        es_formula fall = es_formula_continue(&from, now_ns, ES_FORMULA_BALLISTIC);
        check_same(es_formula_velocity_at(&fall, now_ns), velocity);
        check_same(fall.acceleration, from.acceleration);
        es_formula same_kind = es_formula_continue(&from, now_ns, kind);
        assert_true(same_kind.kind == kind && same_kind.start_ns == now_ns);
        check_near(es_formula_at(&same_kind, later_ns), es_formula_at(&from, later_ns), 2e-13);
        es_formula swing = es_formula_continue(&from, now_ns, ES_FORMULA_SINE);
        assert_true(swing.kind == (kind == ES_FORMULA_SINE ? kind : ES_FORMULA_CONSTANT));
        check_near(es_formula_at(&swing, now_ns), es_formula_at(&from, now_ns), 1e-14);
    }
}

TEST(resting_tracks_continue_at_rest)
{
    for (int kind = ES_FORMULA_CONSTANT; kind <= ES_FORMULA_SINE; ++kind) {
        es_formula from = {(es_formula_kind)kind, 1000, 1000, 5, 2, 1, 3, 4000, 0.1};
        for (int to = ES_FORMULA_CONSTANT; to <= ES_FORMULA_SINE; ++to) {
            es_formula before = es_formula_continue(&from, 500, (es_formula_kind)to);
            es_formula after = es_formula_continue(&from, 2500, (es_formula_kind)to);
            check_same(es_formula_at(&before, 500), es_formula_at(&from, 0));
            check_same(es_formula_at(&after, 2500), es_formula_at(&from, 2000));
            check_same(es_formula_velocity_at(&before, 500), 0);
            check_same(es_formula_velocity_at(&after, 2500), 0);
        }
        es_formula odd = es_formula_continue(&from, 1500, (es_formula_kind)99);
        assert_int_equal(odd.kind, ES_FORMULA_CONSTANT);
        es_formula on = es_formula_continue(&from, 1500, (es_formula_kind)kind);
        assert_true(on.kind == from.kind && on.duration_ns == 0); /* it never ends */
    }
}

TEST_MAIN("track", NULL)
