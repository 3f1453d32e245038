/* SPDX-License-Identifier: Zlib
 *
 * ticker: errors, the end of time, steps of different lengths. Exact times and alpha at any rate, delay and
 * lead: test_lead.c, fuzz/fuzz_loop.c.
 */
#include "test_support.h"

#include "loop/loop.h"

TEST(the_end_of_time_is_no_endless_loop)
{
    es__ticker ticker;
    es_step step;
    int ran = 0;
    es__ticker_init(&ticker, es__rate_make(1, 4000000000U), 1000);
    while (es__ticker_next(&ticker, ES__TIME_MAX, &step)) {
        ++ran;
    }
    assert_int_equal(ran, 1); /* 4e18 ns each: the first is at the end */
    assert_int_equal(ticker.time_ns, ES__TIME_MAX);
}

/* --- the accumulator's bracket ---------------------------------------------------------------- */

static void run_to(es__ticker *ticker, int64_t target_ns)
{
    es_step step;
    while (es__ticker_next(ticker, target_ns, &step)) {
    }
    assert_int_equal(es__ticker_debt_ns(ticker, target_ns), 0);
}

/* Content that has gone as far as the newest tick, or further. */
TEST(alpha_stays_below_one)
{
    es__ticker ticker;
    es__ticker_pair pair;
    es__ticker_init(&ticker, es_hz(100), 100);
    es__ticker_set_accumulator(&ticker, true, 0);
    es__ticker_open(&ticker);
    run_to(&ticker, 0);
    es__ticker_find_pair(&ticker, 0, &pair);
    assert_true(es__ticker_alpha(&ticker, 5 * MS) == 0.5);
    for (int64_t content_ns = 10 * MS; content_ns <= 20 * MS; content_ns += 10 * MS) {
        assert_true(es__ticker_alpha(&ticker, content_ns) == (10.0 * MS - 1) / (10.0 * MS));
    }
    es__ticker_set_accumulator(&ticker, true, 2);
    es__ticker_set_rate(&ticker, es_hz(50));
    assert_int_equal(ticker.delay_ns, 40 * MS); /* of the new rate */
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
    expect_pair(&ticker, ticker.time_ns - 20 * MS, 1000, 1.0);
    ticker.lead = 0; /* the pair stays with content, two ticks back */
    es__ticker_open(&ticker);
    assert_false(es__ticker_next(&ticker, ticker.time_ns - 15 * MS, &step));
    expect_pair(&ticker, ticker.time_ns - 15 * MS, 1001, 0.5);
}
