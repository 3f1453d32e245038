/* SPDX-License-Identifier: Zlib
 *
 * config: {0} is the default, every loop has a name, and each refusal names its field.
 */
#include "test_game.h"

static es_loop made_from(const es_loop_config *config)
{
    es_loop loop;
    memset(&loop, 0x5a, sizeof loop);
    assert_int_equal(es__loop_init(&loop, config, NULL), ES_OK);
    return loop;
}

TEST(zero_equals_the_default)
{
    es_loop_config zero = {0};
    es_loop a = made_from(&zero);
    es_loop b = made_from(NULL);
    assert_memory_equal(&a, &b, sizeof a);
    assert_int_equal(a.ticker.rate.numerator, 60);
    assert_int_equal(a.pacer.interval_ns, 16666666);
    assert_int_equal(a.ticker.ticks_max, 17);
}

TEST(defaults_follow_other_fields)
{
    es_loop_config config = (es_loop_config){0};
    config.interval_ns = 5 * MS;
    assert_int_equal(made_from(&config).pacer.config.interval_min_ns, 5 * MS);
    config.interval_ns = S;
    assert_int_equal(made_from(&config).pacer.config.interval_max_ns, S);
    static const struct {
        es_rate rate;
        int64_t interval_ns;
        int32_t ticks_max;
    } bounds[] = {{{1000, 1}, S, 1002}, {{1000000, 1}, S, ES__TICKS_MAX}, {{1, 4000000000U}, S, 3},
            {{1000, 1}, 0, 252}};
    for_rows (i, bounds) {
        config.tick_rate = bounds[i].rate;
        config.interval_ns = bounds[i].interval_ns;
        assert_int_equal(made_from(&config).ticker.ticks_max, bounds[i].ticks_max);
    }
    assert_int_equal(es__pacer_window_ns(es_hz(60)), S); /* two ticks, within 1 and 10 s */
    assert_int_equal(es__pacer_window_ns((es_rate){1, 3}), 6 * S);
    assert_int_equal(es__pacer_window_ns((es_rate){1, 60}), 10 * S);
    config.tick_rate = es__rate_make(60000, 1001);
    config.delay_ticks = 3.0;
    config.alpha_below_one = true;
    assert_int_equal(made_from(&config).content.config.delay_ns, 50050000);
    assert_int_equal(made_from(&config).ticker.delay_ticks, 3);
    config.delay_ticks = 0.5;
    assert_int_equal(made_from(&config).ticker.delay_ticks, 0);
    assert_int_equal(made_from(&config).content.config.delay_ns, 8341667);
}

TEST(every_name_is_a_loop)
{
    static const char *const expected[] = {"auto", "low-latency", "adaptive", "lockstep",
            "variable", "decoupled", "max-frameskip"};
    es_loop_config config, before, zero = {0};
    for_rows (i, expected) {
        assert_string_equal(loop_name(i), expected[i]);
        assert_true(es_loop_preset(expected[i], &config));
        assert_int_equal(es__loop_config_validate(&config, NULL), ES_OK);
    }
    assert_null(loop_name(COUNT_OF(expected)));
    memset(&config, 0x5a, sizeof config);
    before = config;
    assert_false(es_loop_preset("adaptiv", &config));
    assert_false(es_loop_preset(NULL, &config));
    assert_false(es_loop_preset("adaptive", NULL));
    assert_memory_equal(&config, &before, sizeof config);
    assert_true(es_loop_preset("auto", &config));
    assert_memory_equal(&config, &zero, sizeof zero);
    assert_null(catch_up_name((es_catch_up)5));
    assert_string_equal(catch_up_name(ES_CATCH_UP_WAIT), "wait");
}

static int64_t some_time(void *user)
{
    (void)user;
    return 0;
}

static void some_wait(void *user, int64_t deadline_ns)
{
    (void)user;
    (void)deadline_ns;
}

#define LOCKSTEP .step = ES_STEP_LOCKSTEP
#define VARIABLE .step = ES_STEP_VARIABLE
#define UNCAPPED .pace = ES_PACE_UNCAPPED
#define ADAPTIVE .pace = ES_PACE_ADAPTIVE
#define PRESENT  .pace = ES_PACE_PRESENT
#define LOW      .low_latency = true
#define STRETCH  .catch_up = ES_CATCH_UP_STRETCH
#define A_DAY    .tick_rate = {1, 30000}

static const struct {
    es_loop_config config;
    const char *field; /* NULL: accepted */
} trials[] = {
        {{.tick_rate = {1000001, 1}}, "tick_rate"},
        {{.tick_rate = {59, 0}}, "tick_rate"},
        {{.tick_rate = {0, 60}}, "tick_rate"},
        {{.interval_ns = -1}, "interval_ns"},
        {{.interval_ns = 9999}, "interval_ns"},
        {{.interval_ns = 10 * US}, NULL},
        {{.interval_ns = 10 * S + 1}, "interval_ns"},
        {{.interval_min_ns = 16666667}, "interval_min_ns"},
        {{.interval_min_ns = 1}, "interval_min_ns"},
        {{UNCAPPED, .interval_min_ns = MS}, "interval_min_ns"},
        {{.interval_max_ns = 16666665}, "interval_max_ns"},
        {{.interval_max_ns = INT64_MAX}, "interval_max_ns"},
        {{.interval_ns = 33 * MS, .interval_max_ns = 32 * MS}, "interval_max_ns"},
        {{UNCAPPED, .interval_max_ns = MS}, "interval_max_ns"},
        {{PRESENT, .interval_max_ns = S}, "interval_max_ns"},
        {{.ticks_max = -1}, "ticks_max"},
        {{.ticks_max = ES__TICKS_MAX}, NULL},
        {{.ticks_max = ES__TICKS_MAX + 1}, "ticks_max"},
        {{LOCKSTEP, .ticks_max = 4}, "ticks_max"},
        {{VARIABLE, .ticks_max = 1}, "ticks_max"},
        {{.delay_ticks = -0.001}, "delay_ticks"},
        {{.delay_ticks = 8.0}, NULL},
        {{.delay_ticks = 8.001}, "delay_ticks"},
        {{.delay_ticks = (double)NAN}, "delay_ticks"},
        {{.delay_ticks = (double)INFINITY}, "delay_ticks"},
        {{LOCKSTEP, .delay_ticks = 1.0}, "delay_ticks"},
        {{VARIABLE, .delay_ticks = 0.5}, "delay_ticks"},
        {{A_DAY, .delay_ticks = 2.88}, NULL},
        {{A_DAY, .delay_ticks = 2.89}, "delay_ticks"},
        {{.lead_ticks = -1}, NULL},
        {{.lead_ticks = -2}, "lead_ticks"},
        {{.lead_ticks = INT32_MIN}, "lead_ticks"},
        {{.lead_ticks = ES__LEAD_MAX}, NULL},
        {{.lead_ticks = ES__LEAD_MAX + 1}, "lead_ticks"},
        {{A_DAY, .lead_ticks = 2}, NULL},
        {{A_DAY, .lead_ticks = 3}, "lead_ticks"},
        {{LOCKSTEP, .lead_ticks = -1}, "lead_ticks"},
        {{LOCKSTEP, .lead_ticks = 1}, "lead_ticks"},
        {{VARIABLE, .lead_ticks = -1}, "lead_ticks"},
        {{VARIABLE, .lead_ticks = 1}, "lead_ticks"},
        {{.gap_ns = 999999}, "gap_ns"},
        {{.gap_ns = 50 * MS}, "gap_ns"},
        {{.gap_ns = INT64_MIN}, "gap_ns"},
        {{.interval_ns = MS / 2, .interval_max_ns = MS / 2, .gap_ns = MS}, NULL},
        {{.clock.thread_cpu_ns = some_time}, "clock.now_ns"},
        {{.clock.suspended_ns = some_time}, "clock.now_ns"},
        {{.clock.wait_until = some_wait}, "clock.now_ns"},
        {{.step = (es_step_kind)3}, "step"},
        {{.pace = (es_pace)5}, "pace"},
        {{PRESENT}, NULL},
        {{PRESENT, LOCKSTEP}, "pace"},
        {{PRESENT, VARIABLE}, NULL},
        {{.alpha_below_one = true}, NULL},
        {{LOCKSTEP, .alpha_below_one = true}, "alpha_below_one"},
        {{VARIABLE, .alpha_below_one = true}, "alpha_below_one"},
        {{.catch_up = (es_catch_up)5}, "catch_up"},
        {{LOCKSTEP}, NULL},
        {{LOCKSTEP, .catch_up = ES_CATCH_UP_WAIT}, "catch_up"},
        {{LOCKSTEP, .catch_up = ES_CATCH_UP_SPREAD}, "catch_up"},
        {{VARIABLE}, NULL},
        {{VARIABLE, .catch_up = ES_CATCH_UP_WAIT}, NULL},
        {{VARIABLE, .catch_up = ES_CATCH_UP_SLOW}, "catch_up"},
        {{VARIABLE, .catch_up = ES_CATCH_UP_SPREAD}, "catch_up"},
        {{VARIABLE, STRETCH}, "catch_up"},
        {{.catch_up_max_ns = -1}, "catch_up_max_ns"},
        {{LOCKSTEP, .catch_up_max_ns = S}, "catch_up_max_ns"},
        {{VARIABLE, .catch_up_max_ns = 1}, "catch_up_max_ns"},
        {{.step_max_ns = MS}, "step_max_ns"},
        {{LOCKSTEP, .step_max_ns = 2 * S}, "step_max_ns"},
        {{VARIABLE, .step_max_ns = -1}, "step_max_ns"},
        {{.step_max_ns = S}, NULL},
        {{.step_min_ns = 1}, NULL},
        {{.step_min_ns = 2}, "step_min_ns"},
        {{VARIABLE, .step_min_ns = 2 * S}, "step_min_ns"},
        {{.step_absurd_ns = 2 * MS}, "step_absurd_ns"},
        {{.step_absurd_ns = MS}, NULL},
        {{VARIABLE, .step_absurd_ns = 2 * S}, "step_absurd_ns"},
        {{.refresh = {59, 0}}, "refresh"}, /* .refresh = 59.94 */
        {{.refresh = {0, 1}}, "refresh"},  /* es_hz refused it */
        {{.refresh = {1000000000, 1}}, NULL},
        {{.refresh = {1000000001, 1}}, "refresh"},
        {{.refresh = {1, 1}}, NULL},
        {{.refresh = {999999999, 1000000000}}, "refresh"},
        {{PRESENT, .refresh = {60, 1}}, NULL},
        {{ADAPTIVE, .refresh = {60, 1}}, "refresh"},
        {{.hold = ES_HOLD_NEVER}, NULL},
        {{.hold = (es_hold)2}, "hold"},
        {{.hold = (es_hold)-1}, "hold"},
        {{.hold = ES_HOLD_NEVER, UNCAPPED}, "hold"},
        {{.hold = ES_HOLD_NEVER, PRESENT}, "hold"},
        {{.targets = ES_TARGET_EARLY}, NULL},
        {{.targets = (es_target_use)9}, "targets"},
        {{PRESENT, .targets = ES_TARGET_EARLY}, "targets"},
        {{LOW}, NULL},
        {{LOW, UNCAPPED}, "low_latency"},
        {{LOW, PRESENT}, "low_latency"},
        {{.speed_change_max = 0.5}, NULL},
        {{.speed_change_max = 0.51}, "speed_change_max"},
        {{.speed_change_max = -0.01}, "speed_change_max"},
        {{.speed_change_max = (double)NAN}, "speed_change_max"},
        {{VARIABLE, .speed_change_max = 0.05}, "speed_change_max"},
        {{LOCKSTEP, .speed_change_max = 0.05}, "speed_change_max"},
        {{ADAPTIVE, .speed_change_max = 0.05}, "speed_change_max"},
        {{.missed_max = 0.01}, "missed_max"},
        {{LOW, .missed_max = 0.0001}, NULL},
        {{LOW, .missed_max = 0.5}, NULL},
        {{LOW, .missed_max = 0.00009}, "missed_max"},
        {{LOW, .missed_max = 0.51}, "missed_max"},
        {{LOW, .missed_max = -0.1}, "missed_max"},
};

TEST(each_field_has_its_range)
{
    static game g;
    es__error error;
    es_loop loop;
    es_step step;
    for_rows (i, trials) {
        error = (es__error){"stale", "stale"};
        bool bad = trials[i].field != NULL;
        es_result result = es__loop_config_validate(&trials[i].config, &error);
        if (result != (bad ? ES_ERR_INVALID : ES_OK)) {
            fail_msg("trial %d: %s %s", (int)i, error.field, error.reason);
        }
        assert_true((error.reason != NULL) == bad);
        if (!bad) {
            assert_null(error.field);
            continue;
        }
        assert_string_equal(error.field, trials[i].field);
        assert_int_equal(es__loop_init(&loop, &trials[i].config, &error), ES_ERR_INVALID);
        assert_string_equal(error.field, trials[i].field);
        assert_int_equal(es__loop_init(&loop, &trials[i].config, NULL), ES_ERR_INVALID);
        assert_false(es_loop_begin(&loop)); /* unusable, and says so */
        assert_false(es__loop_begin_host(&loop, 0, 0));
        assert_false(es_loop_tick(&loop, &step));
        start_game(&g, NULL); /* a loop that runs goes on as it was */
        open_game(&g);
        run_frame(&g);
        loop = g.loop;
        assert_int_equal(es__loop_reconfigure(&g.loop, &trials[i].config, &error), ES_ERR_INVALID);
        assert_string_equal(error.field, trials[i].field);
        assert_memory_equal(&g.loop, &loop, sizeof loop);
    }
    assert_int_equal(es__loop_config_validate(NULL, &error), ES_ERR_INVALID);
    assert_string_equal(error.field, "config");
}
