/* SPDX-License-Identifier: Zlib
 *
 * Tracks: against their formulas in long double, at any time that int64_t holds.
 */
#include "evenstep/track.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "test_support.h"


static const long double tau = 6.283185307179586476925286766559005768L;

/* Where long double is no wider than double, references err as much as what they measure. */
static const double slack = LDBL_MANT_DIG >= 64 ? 1 : 4;

static double uniform(test_random *random, double low, double high)
{
    return low + (high - low) * ((double)(random_u64(random) >> 11) / 9007199254740992.0);
}

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
static uint64_t random_times(test_random *random, es_track *track, int64_t *content_ns)
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

static void test_lines_and_parabolas(void **state)
{
    (void)state;
    test_random random = {11};
    for (int i = 0; i < 500000; ++i) {
        es_track track = {ES_TRACK_LINEAR, 0, 0, uniform(&random, -1, 1), uniform(&random, -9, 9),
                uniform(&random, -9, 9), NAN, -1, NAN};
        int64_t content_ns;
        long double t = (long double)random_times(&random, &track, &content_ns) / 1e9L;
        track.base *= ldexp(1, (int)random_below(&random, 40));
        double way = (double)(track.velocity * t);
        double fall = (double)(track.acceleration * t * t / 2);
        double most = fmax(fabs(track.base), fabs(way));
        check_near(es_track_at(&track, content_ns), track.base + track.velocity * t,
                4 * unit_at(most));
        check_same(es_track_velocity_at(&track, content_ns), track.velocity);
        track.kind = ES_TRACK_BALLISTIC;
        most = fmax(most, fabs(fall));
        check_near(es_track_at(&track, content_ns),
                track.base + track.velocity * t + track.acceleration * t * t / 2,
                8 * unit_at(most));
        check_near(es_track_velocity_at(&track, content_ns),
                track.velocity + track.acceleration * t,
                4 * unit_at(fmax(fabs(track.velocity), fabs((double)(track.acceleration * t)))));
    }
}

static void test_swings(void **state)
{
    (void)state;
    test_random random = {12};
    for (int i = 0; i < 500000; ++i) {
        es_track track = {.kind = ES_TRACK_SINE, .amplitude = 1, .velocity = NAN};
        int64_t content_ns;
        uint64_t elapsed = random_times(&random, &track, &content_ns);
        track.period_ns = (int64_t)(random_u64(&random) >> 1 >> random_below(&random, 62)) | 1;
        track.phase = i % 2 == 0 ? uniform(&random, -8, 8) : 0;
        long double period = (long double)track.period_ns;
        long double turns = (long double)(elapsed % (uint64_t)track.period_ns) / period;
        turns += track.phase;
        turns -= floorl(turns);
        check_near(es_track_at(&track, content_ns), sinl(tau * turns), 5e-16);
        long double fastest = tau / (period / 1e9L);
        check_near(es_track_velocity_at(&track, content_ns), fastest * cosl(tau * turns),
                1e-15L * fastest);
    }
}

/* The same swing a number of whole periods later, to the bit: no drift in 292 years. */
static void test_a_swing_does_not_drift(void **state)
{
    (void)state;
    es_track track = {.kind = ES_TRACK_SINE, .base = 3, .amplitude = 2, .phase = 0.1};
    test_random random = {13};
    for (int i = 0; i < 100000; ++i) {
        track.period_ns = 1 + random_below(&random, INT64_C(10000000000));
        int64_t into = random_below(&random, track.period_ns);
        int64_t periods = random_below(&random, INT64_MAX / track.period_ns);
        int64_t late = periods * track.period_ns;
        check_same(es_track_at(&track, into),
                es_track_at(&track, late > INT64_MAX - into ? into : late + into));
    }
}

static void test_quarters_are_exact(void **state)
{
    (void)state;
    static const double values[4] = {10, 13, 10, 7};
    static const double phases[] = {0, 1, -1, 5, 1e15, -1e300};
    es_track track = {.kind = ES_TRACK_SINE, .base = 10, .amplitude = 3, .period_ns = 4000};
    for (size_t k = 0; k < COUNT_OF(phases); ++k) {
        for (int64_t i = 0; i < 40; ++i) {
            track.phase = phases[k];
            check_same(es_track_at(&track, i * 1000), values[i % 4]);
            track.phase = 0.25 * (double)(i % 4) - (double)(i / 4);
            check_same(es_track_at(&track, 0), values[i % 4]);
            check_same(es_track_at(&track, 4000000), values[i % 4]);
            if (i % 2 == 1) {
                check_same(es_track_velocity_at(&track, 0), 0);
            }
        }
    }
    track.phase = 1e15 + 0.25; /* the last fractions that a double has */
    check_same(es_track_at(&track, 0), 13);
    track.phase = -1e15 + 0.25;
    check_same(es_track_at(&track, 0), 13);
}

/* Within an eighth of a turn of each other the pieces of the sine meet. */
static void test_a_swing_is_continuous(void **state)
{
    (void)state;
    es_track track = {.kind = ES_TRACK_SINE, .amplitude = 1, .period_ns = 1000000};
    double before = es_track_at(&track, 0);
    for (int64_t ns = 1; ns <= 1000000; ++ns) {
        double now = es_track_at(&track, ns);
        assert_true(fabs(now - before) <= 6.2832e-6 && fabs(now) <= 1);
        bool up = ns <= 250000 || ns > 750000;
        assert_true(up ? now > before : now < before);
        before = now;
    }
}

/* --- start and end ---------------------------------------------------------------------------- */

static void test_before_and_after(void **state)
{
    (void)state;
    static const double starts[] = {5, 5, 5, 8};
    static const double ends[] = {5, 9, 11, 2}; /* after 2 s */
    static const double at_start[] = {0, 2, 2, 0};
    static const double at_end[] = {0, 2, 4, 0};
    for (int kind = ES_TRACK_CONSTANT; kind <= ES_TRACK_SINE; ++kind) {
        es_track track = {
                (es_track_kind)kind, 1000, 2 * ES_NS_PER_S, 5, 2, 1, 3, 4 * ES_NS_PER_S, 0.25};
        int64_t end_ns = 1000 + 2 * ES_NS_PER_S;
        check_same(es_track_at(&track, INT64_MIN), starts[kind]);
        check_same(es_track_at(&track, 999), starts[kind]);
        check_same(es_track_at(&track, 1000), starts[kind]);
        check_same(es_track_at(&track, end_ns), ends[kind]);
        check_same(es_track_at(&track, end_ns + 1), ends[kind]);
        check_same(es_track_at(&track, INT64_MAX), ends[kind]);
        check_same(es_track_velocity_at(&track, INT64_MIN), 0);
        check_same(es_track_velocity_at(&track, 999), 0);
        check_same(es_track_velocity_at(&track, 1000), at_start[kind]);
        check_same(es_track_velocity_at(&track, end_ns), at_end[kind]);
        check_same(es_track_velocity_at(&track, end_ns + 1), 0);
        check_same(es_track_velocity_at(&track, INT64_MAX), 0);
        track.duration_ns = -1; /* for ever, as 0 */
        double later = es_track_at(&track, end_ns + ES_NS_PER_S);
        track.duration_ns = 0;
        check_same(es_track_at(&track, end_ns + ES_NS_PER_S), later);
        assert_true(kind == ES_TRACK_CONSTANT || later != ends[kind]);
    }
}

static void test_gigantic_times(void **state)
{
    (void)state;
    es_track track = {.kind = ES_TRACK_LINEAR, .start_ns = INT64_MIN, .velocity = 1e9};
    check_same(es_track_at(&track, INT64_MIN), 0);
    check_same(es_track_at(&track, INT64_MIN + 1), 1);
    check_same(es_track_at(&track, INT64_MAX), 18446744073709551616.0);
    track.duration_ns = INT64_MAX;
    check_same(es_track_at(&track, INT64_MAX), 9223372036854775808.0);
    check_same(es_track_velocity_at(&track, INT64_MAX), 0);
    es_track swing = {.kind = ES_TRACK_SINE, .start_ns = INT64_MIN, .amplitude = 1};
    swing.period_ns = INT64_MAX;
    check_near(es_track_at(&swing, INT64_MAX), sinl(tau / 9223372036854775807.0L), 1e-30);
    check_near(es_track_at(&swing, INT64_MIN + INT64_MAX / 4), 1, 0);
    swing.period_ns = 1;
    check_same(es_track_at(&swing, INT64_MAX), 0);
}

static void test_zero_nan_and_odd_fields(void **state)
{
    (void)state;
    es_track zero;
    memset(&zero, 0, sizeof zero);
    check_same(es_track_at(&zero, 0), 0);
    check_same(es_track_at(&zero, INT64_MAX), 0);
    check_same(es_track_velocity_at(&zero, 5), 0);
    /* what a kind does not name is not read */
    es_track rest = {ES_TRACK_CONSTANT, 0, 0, 4, NAN, NAN, NAN, 7, NAN};
    check_same(es_track_at(&rest, 9), 4);
    check_same(es_track_velocity_at(&rest, 9), 0);
    rest.kind = (es_track_kind)77;
    check_same(es_track_at(&rest, 9), 4);
    for (int kind = ES_TRACK_LINEAR; kind <= ES_TRACK_SINE; ++kind) {
        rest.kind = (es_track_kind)kind;
        check_same(es_track_at(&rest, 9), NAN);
        check_same(es_track_velocity_at(&rest, 9), NAN);
        check_same(es_track_velocity_at(&rest, -9), 0);
    }
    es_track still = {.kind = ES_TRACK_SINE, .base = 1, .amplitude = 2, .phase = 0.25};
    check_same(es_track_at(&still, 12345), 3);
    check_same(es_track_velocity_at(&still, 12345), 0);
    still.period_ns = -5;
    check_same(es_track_at(&still, 12345), 3);
    still.phase = INFINITY;
    check_same(es_track_at(&still, 12345), NAN);
    still.base = NAN;
    check_same(es_track_at(&still, 12345), NAN);
}

/* --- changes ---------------------------------------------------------------------------------- */

/* A ball falls from 1 m and comes back with 0.8 of its speed: height and instant of the bounce are
 * exact in the middle of a tick. */
static void test_a_bounce_between_two_ticks(void **state)
{
    (void)state;
    es_track before = {.kind = ES_TRACK_BALLISTIC, .base = 1, .acceleration = -8};
    int64_t hit_ns = ES_NS_PER_S / 2;
    es_track after = es_track_continue(&before, hit_ns, ES_TRACK_BALLISTIC);
    check_same(after.base, 0);
    check_same(after.velocity, -4);
    check_same(after.acceleration, -8);
    assert_true(after.start_ns == hit_ns && after.duration_ns == 0);
    after.velocity *= -0.75;
    check_same(es_track_between(&before, &after, hit_ns - 1), es_track_at(&before, hit_ns - 1));
    check_same(es_track_between(&before, &after, hit_ns), 0);
    check_same(es_track_between(&before, &after, hit_ns + ES_NS_PER_S / 4), 0.5);
    check_same(es_track_between(&before, &before, hit_ns), 0);
    after.base = 3; /* not kept: from its start on, the new track is what counts */
    check_same(es_track_between(&before, &after, hit_ns), 3);
    after.base = 0;
    for (int64_t ns = hit_ns - 1000; ns < hit_ns + 1000; ++ns) {
        double height = es_track_between(&before, &after, ns);
        assert_true(height >= 0 && height < 5e-6 && (height > 0 || ns == hit_ns));
    }
}

/* Position and velocity are kept, and for what goes on by the same formula all that follows. */
static void test_continue(void **state)
{
    (void)state;
    test_random random = {17};
    for (int i = 0; i < 100000; ++i) {
        es_track_kind kind = (es_track_kind)random_below(&random, 4);
        es_track from = {kind, random_below(&random, 1000000), 0, uniform(&random, -9, 9),
                uniform(&random, -9, 9), uniform(&random, -9, 9), uniform(&random, 0.1, 2),
                1 + random_below(&random, 5 * ES_NS_PER_S), uniform(&random, -2, 2)};
        int64_t now_ns = from.start_ns + random_below(&random, 3 * ES_NS_PER_S);
        int64_t later_ns = now_ns + random_below(&random, ES_NS_PER_S);
        double velocity = es_track_velocity_at(&from, now_ns);
        es_track line = es_track_continue(&from, now_ns, ES_TRACK_LINEAR);
        check_same(es_track_at(&line, now_ns), es_track_at(&from, now_ns));
        check_same(es_track_velocity_at(&line, later_ns), velocity);
        es_track stop = es_track_continue(&from, now_ns, ES_TRACK_CONSTANT);
        check_same(es_track_at(&stop, later_ns), es_track_at(&from, now_ns));
        es_track fall = es_track_continue(&from, now_ns, ES_TRACK_BALLISTIC);
        check_same(es_track_velocity_at(&fall, now_ns), velocity);
        check_same(fall.acceleration, from.acceleration);
        es_track same_kind = es_track_continue(&from, now_ns, kind);
        assert_true(same_kind.kind == kind && same_kind.start_ns == now_ns);
        check_near(es_track_at(&same_kind, later_ns), es_track_at(&from, later_ns), 2e-13);
        es_track swing = es_track_continue(&from, now_ns, ES_TRACK_SINE);
        assert_true(swing.kind == (kind == ES_TRACK_SINE ? kind : ES_TRACK_CONSTANT));
        check_near(es_track_at(&swing, now_ns), es_track_at(&from, now_ns), 1e-14);
    }
}

static void test_continue_what_rests(void **state)
{
    (void)state;
    for (int kind = ES_TRACK_CONSTANT; kind <= ES_TRACK_SINE; ++kind) {
        es_track from = {(es_track_kind)kind, 1000, 1000, 5, 2, 1, 3, 4000, 0.1};
        for (int to = ES_TRACK_CONSTANT; to <= ES_TRACK_SINE; ++to) {
            es_track before = es_track_continue(&from, 500, (es_track_kind)to);
            es_track after = es_track_continue(&from, 2500, (es_track_kind)to);
            check_same(es_track_at(&before, 500), es_track_at(&from, 0));
            check_same(es_track_at(&after, 2500), es_track_at(&from, 2000));
            check_same(es_track_velocity_at(&before, 500), 0);
            check_same(es_track_velocity_at(&after, 2500), 0);
        }
        es_track odd = es_track_continue(&from, 1500, (es_track_kind)99);
        assert_int_equal(odd.kind, ES_TRACK_CONSTANT);
    }
}

/* --- many ------------------------------------------------------------------------------------- */

typedef struct door {
    char name[8];
    es_track track;
    double shown;
} door;

static void test_arrays(void **state)
{
    (void)state;
    static es_track tracks[50];
    static door doors[50];
    static double shown[150];
    for (int i = 0; i < 50; ++i) {
        tracks[i] = (es_track){(es_track_kind)(i % 4), i, 0, i, 1e6, 2e6, 3, 1000 + i, 0.1 * i};
        doors[i].track = tracks[i];
    }
    assert_int_equal(es_tracks_at(tracks, 50, sizeof *tracks, 777, shown, sizeof *shown), ES_OK);
    assert_int_equal(
            es_tracks_at(&doors[0].track, 50, sizeof *doors, 777, &doors[0].shown, sizeof *doors),
            ES_OK);
    for (int i = 0; i < 50; ++i) {
        check_same(shown[i], es_track_at(&tracks[i], 777));
        check_same(doors[i].shown, shown[i]);
    }
    for (int i = 0; i < 150; ++i) {
        shown[i] = -7;
    }
    assert_int_equal(es_tracks_at(tracks, 50, sizeof *tracks, 1, shown, 3 * sizeof *shown), ES_OK);
    for (int i = 0; i < 150; ++i) {
        check_same(shown[i], i % 3 == 0 ? es_track_at(&tracks[i / 3], 1) : -7);
    }
}

static void test_arrays_refused(void **state)
{
    (void)state;
    es_track tracks[2] = {{.base = 1}, {.base = 2}};
    double out[2] = {-7, -7};
    size_t stride = sizeof tracks[0];
    assert_int_equal(es_tracks_at(NULL, 0, 0, 0, NULL, 0), ES_OK);
    assert_int_equal(es_tracks_at(NULL, 2, stride, 0, out, 8), ES_ERR_INVALID);
    assert_int_equal(es_tracks_at(tracks, 2, stride, 0, NULL, 8), ES_ERR_INVALID);
    assert_int_equal(es_tracks_at(tracks, 2, stride - 8, 0, out, 8), ES_ERR_INVALID);
    assert_int_equal(es_tracks_at(tracks, 2, stride + 1, 0, out, 8), ES_ERR_INVALID);
    assert_int_equal(es_tracks_at(tracks, 2, stride, 0, out, 4), ES_ERR_INVALID);
    assert_int_equal(es_tracks_at(tracks, 2, stride, 0, out, 9), ES_ERR_INVALID);
    assert_true(out[0] == -7 && out[1] == -7);
    assert_int_equal(es_tracks_at(tracks, 2, stride, 0, out, 8), ES_OK);
    assert_true(out[0] == 1 && out[1] == 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
            cmocka_unit_test(test_lines_and_parabolas),
            cmocka_unit_test(test_swings),
            cmocka_unit_test(test_a_swing_does_not_drift),
            cmocka_unit_test(test_quarters_are_exact),
            cmocka_unit_test(test_a_swing_is_continuous),
            cmocka_unit_test(test_before_and_after),
            cmocka_unit_test(test_gigantic_times),
            cmocka_unit_test(test_zero_nan_and_odd_fields),
            cmocka_unit_test(test_a_bounce_between_two_ticks),
            cmocka_unit_test(test_continue),
            cmocka_unit_test(test_continue_what_rests),
            cmocka_unit_test(test_arrays),
            cmocka_unit_test(test_arrays_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
