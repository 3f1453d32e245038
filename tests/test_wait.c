/* SPDX-License-Identifier: Zlib
 *
 * wait: what is learned from sleeps of given lateness, exactly, and what a wait by it is worth on
 * simulated machines.
 */
#include "test_support.h"

#include "evenstep/evenstep.h"
#include "platform/wait.h"

static int64_t margin(es_wait *wait)
{
    return INT64_C(1000000000) - es__wait_plan(wait, 0, INT64_C(1000000000));
}

static void sleep_late(es_wait *wait, int64_t late_ns)
{
    es__wait_woke(wait, 5000, 5000 + late_ns);
}

TEST(nothing_known_is_the_longest_spin)
{
    es_wait wait = {0};
    for (int i = 0; i < 8; ++i) {
        assert_int_equal(margin(&wait), ES_WAIT_MARGIN_MAX_NS);
        sleep_late(&wait, 3 * US);
    }
    assert_int_equal(margin(&wait), 3 * US);
    assert_int_equal(wait.margin_ns, 3 * US);
    assert_int_equal(wait.sleeps, 8);
}

/* All but two of the last 64; the same part of fewer. */
TEST(the_margin_is_the_third_longest_of_64)
{
    es_wait wait = {0};
    for (int64_t i = 0; i < 64; ++i) {
        sleep_late(&wait, (i * 37 % 64 + 1) * US); /* 1 to 64 us, each once */
    }
    assert_int_equal(margin(&wait), 62 * US);
    for (int i = 0; i < 2; ++i) {
        sleep_late(&wait, 190 * US); /* in the place of the first two: 1 and 38 us */
    }
    assert_int_equal(margin(&wait), 64 * US);
    sleep_late(&wait, 180 * US);
    assert_int_equal(margin(&wait), 180 * US);
    es_wait few = {0};
    for (int64_t i = 1; i <= 31; ++i) {
        sleep_late(&few, i * US);
    }
    assert_int_equal(margin(&few), 31 * US);
    sleep_late(&few, 32 * US);
    assert_int_equal(margin(&few), 31 * US); /* one of 32 may be later */
}

TEST(what_is_old_is_forgotten)
{
    es_wait wait = {0};
    for (int i = 0; i < 200; ++i) {
        sleep_late(&wait, 150 * US);
    }
    assert_int_equal(margin(&wait), 150 * US);
    for (int i = 0; i < 61; ++i) {
        sleep_late(&wait, 10 * US);
    }
    assert_int_equal(margin(&wait), 150 * US);
    sleep_late(&wait, 10 * US);
    assert_int_equal(margin(&wait), 10 * US);
}

TEST(the_margin_has_its_bounds)
{
    es_wait wait = {0};
    for (int i = 0; i < 64; ++i) {
        sleep_late(&wait, 30 * ES_NS_PER_MS);
    }
    assert_int_equal(margin(&wait), ES_WAIT_MARGIN_MAX_NS);
    for (int i = 0; i < 64; ++i) {
        sleep_late(&wait, ES_WAIT_MARGIN_MAX_NS - 1);
    }
    assert_int_equal(margin(&wait), ES_WAIT_MARGIN_MAX_NS - 1);
    for (int i = 0; i < 64; ++i) {
        es__wait_woke(&wait, 5000, 100); /* before its time */
    }
    assert_int_equal(margin(&wait), 0);
    es__wait_woke(&wait, INT64_MIN, INT64_MAX);
    es__wait_woke(&wait, INT64_MAX, INT64_MIN);
    assert_int_equal(es__wait_plan(&wait, INT64_MIN, INT64_MAX), INT64_MAX);
    es_wait fresh = {0};
    assert_int_equal(es__wait_plan(&fresh, INT64_MAX, INT64_MIN), INT64_MIN);
}

/* Where sleeps end later than that at best, the longest margin can be said. */
TEST(the_longest_margin_can_be_another)
{
    es_wait wait = {.margin_max_ns = 2 * ES_NS_PER_MS};
    assert_int_equal(margin(&wait), 2 * ES_NS_PER_MS);
    for (int i = 0; i < 64; ++i) {
        sleep_late(&wait, ES_NS_PER_MS);
    }
    assert_int_equal(margin(&wait), ES_NS_PER_MS);
    for (int i = 0; i < 64; ++i) {
        sleep_late(&wait, 3 * ES_NS_PER_MS);
    }
    assert_int_equal(margin(&wait), 2 * ES_NS_PER_MS);
    es_wait negative = {.margin_max_ns = INT64_MIN}, huge = {.margin_max_ns = INT64_MAX};
    assert_int_equal(margin(&negative), ES_WAIT_MARGIN_MAX_NS);
    assert_int_equal(margin(&huge), INT32_MAX);
    for (int i = 0; i < 8; ++i) {
        es__wait_woke(&huge, INT64_MIN, INT64_MAX);
    }
    assert_int_equal(margin(&huge), INT32_MAX);
}

/* Of sleeps of 1, 2, 3 ... us so many ended far too late. No margin meets those; the one for the
 * others spares one more of them. */
TEST(what_no_margin_meets_is_not_paid_for)
{
    static const int64_t expected[][2] = {
            {0, 62}, {1, 62}, {2, 61}, {3, 60}, {10, 53}, {30, 33}, {31, 200}, {40, 200}};
    for (size_t k = 0; k < sizeof expected / sizeof expected[0]; ++k) {
        es_wait wait = {0};
        int64_t too_late = expected[k][0];
        for (int64_t i = 1; i <= 64; ++i) {
            sleep_late(&wait, i <= 64 - too_late ? i * US : 2 * ES_NS_PER_MS);
        }
        assert_int_equal(margin(&wait), expected[k][1] * US);
    }
}

/* Four preempted spins of the last 32 are contention; three are not. */
TEST(stolen_spins_end_the_spinning_for_a_while)
{
    es_wait wait = {0};
    for (int i = 0; i < 10000; ++i) {
        es__wait_spun(&wait, 40);
        es__wait_spun(&wait, i % 11 == 0 ? 510 * US : 500 * US); /* three in any 32, or fewer */
        es__wait_spun(&wait, 30);
        assert_int_equal(margin(&wait), ES_WAIT_MARGIN_MAX_NS);
    }
    assert_int_equal(wait.spins, 10000);
    assert_int_equal(wait.preempted_spins, 910);
    wait = (es_wait){0};
    for (int i = 0; i < 4; ++i) {
        assert_int_equal(margin(&wait), ES_WAIT_MARGIN_MAX_NS);
        es__wait_spun(&wait, 3 * ES_NS_PER_MS);
    }
    for (int i = 0; i < 64; ++i) {
        assert_int_equal(margin(&wait), 0);
    }
    assert_int_equal(margin(&wait), ES_WAIT_MARGIN_MAX_NS);
    for (int i = 0; i < 4; ++i) {
        assert_int_equal(margin(&wait), ES_WAIT_MARGIN_MAX_NS); /* it begins from nothing */
        es__wait_spun(&wait, 3 * ES_NS_PER_MS);
    }
    assert_int_equal(margin(&wait), 0);
}

/* Deadlines that have passed are no waits: they do not use up those that are slept only. */
TEST(passed_deadlines_are_no_waits)
{
    es_wait wait = {0};
    for (int i = 0; i < 4; ++i) {
        es__wait_spun(&wait, ES_NS_PER_MS);
        es__wait_plan(&wait, 700, 700);
    }
    for (int i = 0; i < 1000; ++i) {
        es__wait_plan(&wait, 700, 700);
    }
    assert_int_equal(wait.sleeping_only, 64);
}

/* ---- simulated machines ---- */

typedef int64_t (*lateness)(test_random *random);

static int64_t even(test_random *random)
{
    return random_below(random, 100 * US);
}

/* Most wake soon, one in five from a deep sleep of the core. */
static int64_t two_humps(test_random *random)
{
    return random_below(random, 5) == 0 ? 90 * US + random_below(random, 60 * US)
                                        : 5 * US + random_below(random, 10 * US);
}

/* A long tail: halves every 20 us; one in 200 a neighbour's slice. */
static int64_t tailed(test_random *random)
{
    int64_t late_ns = random_below(random, 20 * US);
    while (random_below(random, 2) == 0) {
        late_ns += 20 * US;
    }
    return random_below(random, 200) == 0 ? 4 * ES_NS_PER_MS : late_ns;
}

/* Many waits of 5 ms, as es_clock_system does them, on a clock of 25 ns for each reading. */
static void check_machine(lateness late, double spun_least, double spun_most, int64_t mean_most_ns)
{
    enum { WAITS = 200000 };
    es_wait wait = {0};
    test_random random = {17};
    int64_t now_ns = 0, in_time = 0, spun_ns = 0;
    for (int64_t i = 1; i <= WAITS; ++i) {
        int64_t deadline_ns = now_ns + 5 * ES_NS_PER_MS;
        int64_t wake_ns = es__wait_plan(&wait, now_ns, deadline_ns);
        assert_true(wake_ns > now_ns && wake_ns <= deadline_ns);
        now_ns = wake_ns + late(&random);
        es__wait_woke(&wait, wake_ns, now_ns);
        if (now_ns <= deadline_ns) {
            int64_t readings = (deadline_ns - now_ns + 24) / 25;
            spun_ns += readings * 25;
            now_ns += readings * 25;
            es__wait_spun(&wait, 25);
            in_time += 1;
            assert_in_range(now_ns - deadline_ns, 0, 24);
        }
    }
    double share = (double)in_time / WAITS;
    assert_true(share >= spun_least && share <= spun_most);
    assert_true(spun_ns / WAITS <= mean_most_ns);
}

/* 62 of 65 where all orders are equally likely. */
TEST(nineteen_waits_in_twenty_end_in_a_spin)
{
    check_machine(even, 0.949, 0.959, 49 * US);
    check_machine(two_humps, 0.949, 0.959, 113 * US);
    check_machine(tailed, 0.949, 0.959, 90 * US);
}

TEST_MAIN("wait", NULL)
