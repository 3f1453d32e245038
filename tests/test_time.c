/* SPDX-License-Identifier: Zlib
 *
 * time: exact conversions against 128-bit arithmetic, at random and at the ends.
 */
#include "test_support.h"

/* The reference. __int128 is no ISO C: fine in a test, not in the library. */
__extension__ typedef __int128 wide;

static wide floor_divide(wide a, wide b)
{
    wide q = a / b;
    return a % b != 0 && (a < 0) != (b < 0) ? q - 1 : q;
}

static int64_t clamp(wide value)
{
    if (value > INT64_MAX) {
        return INT64_MAX;
    }
    return value < INT64_MIN ? INT64_MIN : (int64_t)value;
}

TEST(rates_are_reduced_and_bounded)
{
    es_rate ntsc = es__rate_make(120000, 2002);
    assert_int_equal(ntsc.numerator, 60000);
    assert_int_equal(ntsc.denominator, 1001);
    assert_false(es__rate_is_valid(es_hz(0)));
    assert_false(es__rate_is_valid(es__rate_make(1, 0)));
    assert_false(es__rate_is_valid(es__rate_make(0, 1)));
    assert_true(es__rate_is_valid(es_hz(1000000000)));
    assert_false(es__rate_is_valid(es_hz(1000000001)));
    assert_false(es__rate_is_valid(es__rate_make(1000000001, 1)));
    assert_true(es__rate_is_valid(es__rate_make(1, UINT32_MAX)));
    assert_false(es__rate_is_valid(es__rate_make(1, (uint64_t)UINT32_MAX + 1)));
    assert_true(es__rate_is_valid(es__rate_make(UINT64_MAX, UINT64_MAX)));
    assert_true(es__is_same_rate(es__rate_make(1, 0), (es_rate){0, 0}));
}

TEST(invalid_rates_give_zero)
{
    es_rate none = {0, 0};
    es_rate no_denominator = {60, 0};
    assert_int_equal(es_rate_time_ns(none, 100), 0);
    assert_int_equal(es__rate_ns_to_events(no_denominator, 100), 0);
    assert_int_equal(es__rate_period_ns(none), 0);
    assert_true(es__rate_period_s(none) == 0.0);
}

TEST(ticks_have_exact_times_for_ten_years)
{
    const es_rate rates[] = {es_hz(60), es__rate_make(60000, 1001), es__rate_make(1000000, 3),
            es_hz(1000000000), es__rate_make(999999937, UINT32_MAX)};
    const int64_t ten_years_s = 3653 * INT64_C(86400);
    test_random random = {20261121};
    for_rows (r, rates) {
        int64_t ten_years =
                (int64_t)((wide)ten_years_s * rates[r].numerator / rates[r].denominator);
        for (int i = 0; i < 1000000 / TEST_SHARE; ++i) {
            /* every other one up to ten years, the rest of any magnitude and sign */
            int64_t n = i % 2 == 0 ? random_below(&random, ten_years + 1)
                                   : random_magnitude(&random) * (i % 4 == 1 ? 1 : -1);
            wide ns = (wide)n * rates[r].denominator * ES_NS_PER_S;
            int64_t expected = clamp(floor_divide(ns, (wide)rates[r].numerator));
            if (es_rate_time_ns(rates[r], n) != expected) {
                fail_msg("rate %u/%u, n %lld", rates[r].numerator, rates[r].denominator,
                        (long long)n);
            }
        }
    }
}

TEST(finding_an_event_is_the_exact_inverse)
{
    const es_rate rates[] = {es_hz(60), es__rate_make(60000, 1001), es_hz(1000000),
            es__rate_make(1, 4000000000U), es__rate_make(999999937, 1000000007)};
    test_random random = {7};
    for_rows (r, rates) {
        for (int i = 0; i < 300000 / TEST_SHARE; ++i) {
            int64_t ns = random_magnitude(&random) * (i % 2 == 0 ? 1 : -1);
            wide scaled = (wide)ns * rates[r].numerator;
            wide unit = (wide)rates[r].denominator * ES_NS_PER_S;
            int64_t expected = clamp(-floor_divide(-scaled, unit)); /* ceiling */
            assert_int_equal(es__rate_ns_to_events(rates[r], ns), expected);
        }
    }
}

TEST(scaling_is_exact_and_saturates)
{
    test_random random = {3};
    for (int i = 0; i < 500000 / TEST_SHARE; ++i) {
        int64_t ns = random_magnitude(&random) * (i % 2 == 0 ? 1 : -1);
        es__ratio ratio = {(uint32_t)random_magnitude(&random), (uint32_t)random_u64(&random) | 1U};
        wide expected = floor_divide((wide)ns * ratio.numerator, (wide)ratio.denominator);
        assert_int_equal(es__ns_scale(ns, ratio), es__clamp_ns(clamp(expected)));
    }
    assert_int_equal(es__ns_scale(INT64_MIN, (es__ratio){1, 1}), -ES__TIME_MAX); /* no rest */
    assert_int_equal(es_rate_time_ns(es_hz(1), INT64_MIN), INT64_MIN);
    es__ratio no_denominator = {1, 0};
    assert_int_equal(es__ns_scale(100, no_denominator), 0);
}

TEST(sums_stop_at_the_ends)
{
    const int64_t values[] = {INT64_MIN, INT64_MIN + 1, -1, 0, 1, INT64_MAX - 1, INT64_MAX};
    const size_t count = sizeof values / sizeof values[0];
    for (size_t i = 0; i < count; ++i) {
        for (size_t j = 0; j < count; ++j) {
            wide a = values[i];
            wide b = values[j];
            assert_int_equal(es__ns_add(values[i], values[j]), clamp(a + b));
            assert_int_equal(es__ns_sub(values[i], values[j]), clamp(a - b));
        }
    }
}

TEST(the_version_is_the_headers)
{
    assert_int_equal(es_version(), ES_VERSION);
    assert_int_equal(ES_VERSION / 1000000, ES_VERSION_MAJOR);
    assert_int_equal(ES_VERSION / 1000 % 1000, ES_VERSION_MINOR);
    assert_int_equal(ES_VERSION % 1000, ES_VERSION_PATCH);
}

TEST(results_have_messages)
{
    assert_string_equal(es__result_message(ES_ERR_STATE), "the call is out of order");
    assert_string_equal(es__result_message((es_result)99), es__result_message((es_result)-99));
}
