/* SPDX-License-Identifier: Zlib
 *
 * config: {0} is the default, and every refusal names its field.
 */
#include "test_support.h"

#include "evenstep/loop.h"

#include <math.h>
#include <string.h>

static es_loop made_from(const es_loop_config *config)
{
    es_loop loop;
    memset(&loop, 0x5a, sizeof loop);
    assert_int_equal(es_loop_init(&loop, config, NULL), ES_OK);
    return loop;
}

static void zero_equals_the_default(void **state)
{
    es_loop_config zero = {0};
    es_loop_config written = es_loop_config_default();
    (void)state;
    es_loop a = made_from(&zero);
    es_loop b = made_from(&written);
    es_loop c = made_from(NULL);
    a.config = zero; /* as given: that does differ */
    b.config = zero;
    c.config = zero;
    assert_memory_equal(&a, &b, sizeof a);
    assert_memory_equal(&a, &c, sizeof a);
    assert_int_equal(written.tick_rate.numerator, 60);
    assert_int_equal(written.interval_ns, 0); /* it follows step, rate and pace */
    assert_int_equal(a.pacer.interval_ns, 16666666);
    assert_int_equal(a.ticker.ticks_max, 8);
}

static void defaults_follow_other_fields(void **state)
{
    es_loop_config config = es_loop_config_default();
    (void)state;
    config.interval_ns = 5 * ES_NS_PER_MS;
    assert_int_equal(made_from(&config).pacer.config.interval_min_ns, 5 * ES_NS_PER_MS);
    config.interval_ns = ES_NS_PER_S;
    assert_int_equal(made_from(&config).pacer.config.interval_max_ns, ES_NS_PER_S);
    config.tick_rate = es_hz(1000);
    assert_int_equal(made_from(&config).ticker.ticks_max, 1002);
    config.tick_rate = es_hz(1000000);
    assert_int_equal(made_from(&config).ticker.ticks_max, ES_TICKS_MAX);
    config.tick_rate = es_rate_make(1, 4000000000U);
    assert_int_equal(made_from(&config).ticker.ticks_max, 2);
    config.interval_ns = 0;
    config.tick_rate = es_hz(1000);
    assert_int_equal(made_from(&config).ticker.ticks_max, 102);
    config.tick_rate = es_rate_make(60000, 1001);
    config.delay_ticks = 3.0;
    assert_int_equal(made_from(&config).content.config.delay_ns, 50050000);
    config.delay_ticks = 0.5;
    assert_int_equal(made_from(&config).content.config.delay_ns, 8341667);
}

static void expect_refused(const es_loop_config *config, const char *field)
{
    es_error error;
    es_loop loop;
    es_step step;
    assert_int_equal(es_loop_config_validate(config, &error), ES_ERR_INVALID);
    assert_string_equal(error.field, field);
    assert_non_null(error.reason);
    assert_int_equal(es_loop_config_validate(config, NULL), ES_ERR_INVALID);
    assert_int_equal(es_loop_init(&loop, config, &error), ES_ERR_INVALID);
    assert_string_equal(error.field, field);
    assert_int_equal(es_loop_begin(&loop), ES_ERR_STATE); /* unusable, and says so */
    assert_false(es_loop_begin_host(&loop, 0, 0));
    assert_false(es_loop_tick(&loop, &step));
}

static int64_t some_time(void *user)
{
    (void)user;
    return 0;
}

static void refusals_name_the_field(void **state)
{
    es_loop_config good = {0};
    es_loop_config bad;
    (void)state;
#define REFUSE(field, name, value)                                                                 \
    bad = good;                                                                                    \
    bad.field = value;                                                                             \
    expect_refused(&bad, name)
    REFUSE(tick_rate, "tick_rate", es_hz(1000001));
    REFUSE(tick_rate.numerator, "tick_rate", 60);
    REFUSE(tick_rate.denominator, "tick_rate", 60);
    REFUSE(interval_ns, "interval_ns", -1);
    REFUSE(interval_ns, "interval_ns", 9999);
    REFUSE(interval_ns, "interval_ns", 10 * ES_NS_PER_S + 1);
    REFUSE(interval_min_ns, "interval_min_ns", 16666667);
    REFUSE(interval_min_ns, "interval_min_ns", 1);
    REFUSE(interval_max_ns, "interval_max_ns", 16666665);
    REFUSE(interval_max_ns, "interval_max_ns", INT64_MAX);
    REFUSE(ticks_max, "ticks_max", -1);
    REFUSE(ticks_max, "ticks_max", ES_TICKS_MAX + 1);
    REFUSE(delay_ticks, "delay_ticks", -0.001);
    REFUSE(delay_ticks, "delay_ticks", 8.001);
    REFUSE(delay_ticks, "delay_ticks", (double)NAN);
    REFUSE(delay_ticks, "delay_ticks", (double)INFINITY);
    REFUSE(gap_ns, "gap_ns", 999999);
    REFUSE(gap_ns, "gap_ns", 50 * ES_NS_PER_MS);
    REFUSE(gap_ns, "gap_ns", INT64_MIN);
    REFUSE(clock.thread_cpu_ns, "clock.now_ns", some_time);
#undef REFUSE
    es_error error;
    assert_int_equal(es_loop_config_validate(NULL, &error), ES_ERR_INVALID);
    assert_string_equal(error.field, "config");
    assert_int_equal(es_loop_init(NULL, &good, &error), ES_ERR_INVALID);
    assert_string_equal(error.field, "loop");
    assert_int_equal(es_loop_config_validate(&good, &error), ES_OK);
    assert_null(error.field);
    assert_null(error.reason);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
            cmocka_unit_test(zero_equals_the_default),
            cmocka_unit_test(defaults_follow_other_fields),
            cmocka_unit_test(refusals_name_the_field),
    };
    return cmocka_run_group_tests_name("config", tests, NULL, NULL);
}
