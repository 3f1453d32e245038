/* SPDX-License-Identifier: Zlib
 *
 * ticker: exact times however they are reached, the bound. The bracket, at any rate, delay and lead:
 * test_lead.c.
 */
#include "test_support.h"

#include "loop/loop_parts.h"

TEST(bad_arguments_are_refused)
{
    es__ticker ticker;
    es__ticker_init(&ticker, es_hz(60), ES__TICKS_MAX);
    assert_int_equal(es__ticker_seek(&ticker, -1), ES_ERR_RANGE);
    assert_int_equal(es__ticker_seek(&ticker, INT64_MAX), ES_ERR_RANGE);
    assert_int_equal(ticker.index, 0);
}

/* Stepping adds and carries; it must never part from the closed formula. */
TEST(stepping_equals_the_formula)
{
    const es_rate rates[] = {es_hz(60), es__rate_make(60000, 1001), es__rate_make(999983, 7919),
            es_hz(1000000), es__rate_make(999999937, 1000003)};
    for (size_t r = 0; r < sizeof rates / sizeof rates[0]; ++r) {
        es__ticker ticker;
        es_step step;
        int64_t previous_ns = 0;
        es__ticker_init(&ticker, rates[r], ES__TICKS_MAX);
        for (int64_t n = 1; n <= 1000000; ++n) {
            assert_true(es__ticker_next(&ticker, INT64_MAX, &step));
            assert_int_equal(step.index, n);
            assert_int_equal(step.time_ns, es_rate_time_ns(rates[r], n));
            assert_int_equal(step.dt_ns, step.time_ns - previous_ns);
            assert_int_equal(step.in_frame, n - 1);
            assert_true(step.dt_s == es__rate_period_s(rates[r]));
            previous_ns = step.time_ns;
        }
        assert_false(es__ticker_next(&ticker, INT64_MAX, &step)); /* the bound */
    }
}

TEST(seeking_is_exact_and_goes_on_exactly)
{
    es__ticker ticker;
    es_step step;
    es_rate ntsc = es__rate_make(60000, 1001);
    test_random random = {11};
    es__ticker_init(&ticker, ntsc, 100);
    for (int i = 0; i < 20000; ++i) {
        int64_t n = random_below(&random, INT64_C(20000000000));
        assert_int_equal(es__ticker_seek(&ticker, n), ES_OK);
        assert_int_equal(ticker.time_ns, es_rate_time_ns(ntsc, n));
        assert_int_equal(ticker.previous_index, n);
        assert_true(es__ticker_alpha(&ticker, ticker.time_ns) == 1.0);
        es__ticker_open(&ticker);
        for (int k = 1; k <= 20; ++k) {
            assert_true(es__ticker_next(&ticker, INT64_MAX, &step));
            assert_int_equal(step.time_ns, es_rate_time_ns(ntsc, n + k));
        }
    }
}

TEST(the_bound_leaves_a_debt)
{
    es__ticker ticker;
    es_step step;
    int ran = 0;
    es__ticker_init(&ticker, es_hz(1000), 4);
    es__ticker_open(&ticker);
    while (es__ticker_next(&ticker, 10 * ES_NS_PER_MS, &step)) {
        ++ran;
    }
    assert_int_equal(ran, 4);
    assert_int_equal(es__ticker_debt_ns(&ticker, 10 * ES_NS_PER_MS), 6 * ES_NS_PER_MS);
    es__ticker_open(&ticker);
    assert_true(es__ticker_next(&ticker, 10 * ES_NS_PER_MS, &step));
    assert_int_equal(step.in_frame, 0);
}

TEST(alpha_is_kept_between_the_ends)
{
    es__ticker ticker;
    es_step step;
    es__ticker_init(&ticker, es_hz(100), 10);
    es__ticker_next(&ticker, INT64_MAX, &step);
    assert_true(es__ticker_alpha(&ticker, INT64_MIN) == 0.0);
    assert_true(es__ticker_alpha(&ticker, 2500000) == 0.25);
    assert_true(es__ticker_alpha(&ticker, INT64_MAX) == 1.0);
}

TEST(the_end_of_time_is_no_endless_loop)
{
    es__ticker ticker;
    es_step step;
    int ran = 0;
    es__ticker_init(&ticker, es__rate_make(1, 4000000000U), 1000);
    while (es__ticker_next(&ticker, INT64_MAX, &step)) {
        ++ran;
    }
    assert_int_equal(ran, 3); /* 4e18 ns each: the third saturates */
    assert_int_equal(ticker.time_ns, INT64_MAX);
}

/* --- the accumulator's bracket ---------------------------------------------------------------- */

static void run_to(es__ticker *ticker, int64_t target_ns)
{
    es_step step;
    while (es__ticker_next(ticker, target_ns, &step)) {
    }
    assert_int_equal(es__ticker_debt_ns(ticker, target_ns), 0);
}

TEST(owed_is_what_would_have_to_go)
{
    es__ticker ticker;
    es_step step;
    es__ticker_init(&ticker, es_hz(50), 2);
    es__ticker_set_accumulator(&ticker, true, 1);
    while (es__ticker_next(&ticker, 75000000, &step)) {
    }
    assert_int_equal(ticker.index, 2); /* the bound; due by then are 4 */
    int64_t debt_ns = es__ticker_debt_ns(&ticker, 75000000);
    assert_int_equal(debt_ns, 35000001);
    assert_int_equal(es__ticker_debt_ns(&ticker, 75000000 - debt_ns), 0);
    assert_true(es__ticker_alpha(&ticker, 75000000) < 1.0);
    es__ticker_set_accumulator(&ticker, false, 1);
    assert_int_equal(es__ticker_debt_ns(&ticker, 75000000), 35000000);
}

TEST(a_step_of_any_length_is_a_new_base)
{
    es__ticker ticker;
    es_step step;
    es__ticker_init(&ticker, es_hz(60), 100);
    run_to(&ticker, 40000000);
    es__ticker_step(&ticker, 12345, &step);
    assert_int_equal(step.index, 4);
    assert_int_equal(step.time_ns, 50012345);
    assert_int_equal(step.dt_ns, 12345);
    assert_true(step.dt_s == 0.000012345);
    assert_int_equal(es__ticker_time_ns(&ticker, 7), 100012345);
    assert_true(es__ticker_next(&ticker, 60000000, &step));
    assert_int_equal(step.time_ns, 66679011);
    assert_true(step.dt_s == 1.0 / 60.0);
    es__ticker_step(&ticker, 7, &step);
    es__ticker_step(&ticker, 8, &step);
    assert_int_equal(ticker.previous_index, ticker.index - 1); /* two steps, two ticks */
    assert_int_equal(ticker.previous_ns, ticker.time_ns - 8);
    assert_int_equal(step.in_frame, 6);
}

/* Every period has its own length in nanoseconds; alpha is of the one that is due. */
TEST(alpha_is_of_the_period_that_is_due)
{
    es__ticker ticker;
    es__ticker_init(&ticker, es_hz(60), 100);
    es__ticker_set_accumulator(&ticker, true, 1);
    for (int64_t n = 1; n <= 6; ++n) {
        int64_t due_ns = es_rate_time_ns(es_hz(60), n);
        int64_t period_ns = es_rate_time_ns(es_hz(60), n + 1) - due_ns;
        int64_t content_ns = due_ns + 5000000 - 16666666; /* C: one period, rounded, behind */
        run_to(&ticker, content_ns);
        assert_int_equal(ticker.index, n);
        assert_true(es__ticker_alpha(&ticker, content_ns) == 5000000.0 / (double)period_ns);
        assert_int_equal(es__ticker_placed_ns(&ticker, content_ns) - ticker.previous_ns, 5000000);
    }
    double whole = (double)(ticker.time_ns - ticker.previous_ns);
    assert_true(es__ticker_alpha(&ticker, INT64_MAX / 2) == (whole - 1.0) / whole);
}

/* --- lead ------------------------------------------------------------------------------------- */

static void expect_pair(es__ticker *ticker, int64_t target_ns, int64_t current_index, double alpha)
{
    es__ticker_pair pair;
    es__ticker_find_pair(ticker, target_ns, &pair);
    assert_int_equal(pair.current_index, current_index);
    assert_true(pair.previous_ns < target_ns || pair.previous_index == current_index);
    assert_true(es__ticker_alpha(ticker, target_ns) == alpha);
}

/* Steps of 10, 10, 25, 5 and 7 ms: what is two ticks back is where it is, not two periods back. */
TEST(a_lead_is_held_against_the_ticks_own_times)
{
    es__ticker ticker;
    es_step step;
    es__ticker_init(&ticker, es_hz(100), 100);
    ticker.lead = 2;
    assert_int_equal(es__ticker_covered_ns(&ticker), 0);
    es__ticker_open(&ticker);
    run_to(&ticker, 0);
    assert_int_equal(ticker.index, 2);
    expect_pair(&ticker, 0, 0, 1.0);
    es__ticker_step(&ticker, 25000000, &step);
    es__ticker_step(&ticker, 5000000, &step);
    es__ticker_step(&ticker, 7000000, &step);
    assert_int_equal(es__ticker_covered_ns(&ticker), 45000000);
    assert_int_equal(es__ticker_debt_ns(&ticker, 45000000), 0);
    assert_int_equal(es__ticker_debt_ns(&ticker, 45000001), 1);
    expect_pair(&ticker, 32500000, 3, 0.5);
    es__ticker_open(&ticker);
    assert_false(es__ticker_next(&ticker, 45000000, &step));
    expect_pair(&ticker, 45000000, 3, 1.0);
    assert_int_equal(es__ticker_single_ns(&ticker, 45000000), 50000000);
    assert_true(es__ticker_next(&ticker, 45000001, &step));
    assert_int_equal(step.time_ns, 67000000);
    expect_pair(&ticker, 47500000, 4, 0.5);
    assert_int_equal(es__ticker_seek(&ticker, 1000), ES_OK);
    assert_int_equal(es__ticker_debt_ns(&ticker, ticker.time_ns), 0);
    es__ticker_open(&ticker);
    run_to(&ticker, ticker.time_ns);
    assert_int_equal(ticker.index, 1002); /* the lead, anew */
}
