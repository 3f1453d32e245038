/* SPDX-License-Identifier: Zlib
 *
 * The loops besides adaptive, each against the words of its row: lockstep, variable, decoupled,
 * max-frameskip. Exact, on the manual clock. (Adaptive: test_timelines.c.)
 */
#include "test_support.h"

#include "evenstep/evenstep.h"

#include <math.h>
#include <string.h>

#define MS ES_NS_PER_MS
#define S  ES_NS_PER_S

__extension__ typedef __int128 int128;

typedef struct game {
    es_loop_config config;
    es_manual_clock clock;
    es_loop loop;
    es_frame frame;
    es_step step; /* the last one */
    int64_t update_ns;
    int64_t render_ns;
    int64_t present_ns; /* how long presenting blocks */
    int32_t ticks;      /* of this frame */
} game;

static void start(game *g, const char *name)
{
    memset(g, 0, sizeof *g);
    assert_int_equal(es_loop_config_named(name, &g->config), ES_OK);
    g->config.clock = es_manual_clock_get(&g->clock);
}

static void open_loop(game *g)
{
    es_error error;
    if (es_loop_init(&g->loop, &g->config, &error) != ES_OK) {
        fail_msg("%s %s", error.field, error.reason);
    }
}

static void run_frame(game *g)
{
    es_step step;
    assert_int_equal(es_loop_begin(&g->loop), ES_OK);
    g->ticks = 0;
    while (es_loop_tick(&g->loop, &step)) {
        g->step = step;
        g->ticks += 1;
        es_manual_clock_work(&g->clock, g->update_ns);
    }
    assert_int_equal(es_loop_ready(&g->loop, &g->frame), ES_OK);
    es_manual_clock_work(&g->clock, g->render_ns);
    assert_int_equal(es_loop_submit(&g->loop), ES_OK);
    g->clock.now_ns += g->present_ns;
    assert_int_equal(es_loop_end(&g->loop), ES_OK);
    assert_int_equal(g->frame.ticks, g->ticks);
}

/* --- names ------------------------------------------------------------------------------------ */

static void every_name_is_a_loop(void **state)
{
    static const char *const expected[] = {"auto", "low-latency", "adaptive", "lockstep",
            "variable", "decoupled", "max-frameskip"};
    es_loop_config config;
    (void)state;
    for (size_t i = 0; i < 7; ++i) {
        assert_string_equal(es_loop_config_name(i), expected[i]);
        assert_int_equal(es_loop_config_named(expected[i], &config), ES_OK);
        assert_int_equal(es_loop_config_validate(&config, NULL), ES_OK);
    }
    assert_null(es_loop_config_name(7));
    memset(&config, 0x5a, sizeof config);
    es_loop_config before = config;
    assert_int_equal(es_loop_config_named("adaptiv", &config), ES_ERR_INVALID);
    assert_int_equal(es_loop_config_named(NULL, &config), ES_ERR_INVALID);
    assert_int_equal(es_loop_config_named("adaptive", NULL), ES_ERR_INVALID);
    assert_memory_equal(&config, &before, sizeof config);
    assert_int_equal(es_loop_config_named("auto", &config), ES_OK);
    es_loop_config zero = {0};
    assert_memory_equal(&config, &zero, sizeof zero);
}

/* --- A2 lockstep ------------------------------------------------------------------------------ */

/* Runs 1000 frames of this work: each must take so many intervals and show one tick more. */
static void expect_lockstep(int64_t work_ns, int64_t intervals)
{
    static game g;
    const int64_t period_ns = 20 * MS;
    start(&g, "lockstep");
    g.config.tick_rate = es_hz(50);
    g.update_ns = work_ns / 3;
    g.render_ns = work_ns - g.update_ns;
    open_loop(&g);
    run_frame(&g);
    assert_int_equal(g.ticks, 0);
    int64_t before_ns = g.frame.start_ns;
    for (int64_t n = 1; n <= 1000; ++n) {
        run_frame(&g);
        assert_int_equal(g.ticks, 1);
        assert_int_equal(g.step.index, n);
        assert_true(g.step.dt_s == 0.02);
        assert_int_equal(g.frame.content_ns, n * period_ns);
        assert_true(g.frame.alpha == 1.0);
        assert_int_equal(g.frame.start_ns - before_ns, intervals * period_ns);
        assert_int_equal(g.frame.slow_motion_ns, (intervals - 1) * period_ns);
        assert_int_equal(g.frame.dropped_ns, 0);
        before_ns = g.frame.start_ns;
    }
    assert_int_equal(g.frame.account.slow_motion_ns, 1000 * (intervals - 1) * period_ns);
    assert_int_equal(g.frame.account.slowed_ns, g.frame.account.slow_motion_ns);
}

static void lockstep_loses_whole_intervals(void **state)
{
    (void)state;
    expect_lockstep(0, 1);
    expect_lockstep(19 * MS, 1);
    expect_lockstep(20 * MS, 1);
    expect_lockstep(20 * MS + 1, 2);
    expect_lockstep(30 * MS, 2); /* 1.5 intervals of work: exactly half speed, evenly */
    expect_lockstep(40 * MS, 2);
    expect_lockstep(50 * MS, 3);
}

/* A display that is a little slower than the game sets the pace: that is no overrun. */
static void lockstep_follows_a_display_that_blocks(void **state)
{
    static game g;
    (void)state;
    start(&g, "lockstep");
    g.config.tick_rate = es_hz(60);
    g.render_ns = 5 * MS;
    open_loop(&g);
    for (int64_t n = 0; n <= 1000; ++n) {
        g.present_ns = n * 16683333 - (g.clock.now_ns + g.render_ns);
        g.present_ns = g.present_ns > 0 ? g.present_ns : 0;
        run_frame(&g);
        assert_int_equal(g.frame.current_tick, n);
    }
    assert_true(g.clock.now_ns < 1002 * INT64_C(16683333));
}

static void lockstep_pauses_steps_and_scales(void **state)
{
    static game g;
    (void)state;
    start(&g, "lockstep");
    g.config.tick_rate = es_hz(50);
    open_loop(&g);
    run_frame(&g);
    run_frame(&g);
    es_loop_pause(&g.loop, true);
    for (int i = 0; i < 5; ++i) {
        run_frame(&g);
        assert_int_equal(g.frame.content_ns, 20 * MS);
        assert_int_equal(g.ticks, 0);
    }
    assert_int_equal(es_loop_step_once(&g.loop), ES_OK);
    run_frame(&g);
    assert_int_equal(g.frame.content_ns, 40 * MS);
    run_frame(&g);
    assert_int_equal(g.frame.content_ns, 40 * MS);
    es_loop_pause(&g.loop, false);
    run_frame(&g);
    assert_int_equal(g.frame.content_ns, 60 * MS);
    es_ratio half = {1, 2};
    assert_int_equal(es_loop_set_time_scale(&g.loop, half), ES_OK);
    for (int i = 1; i <= 10; ++i) {
        run_frame(&g);
        assert_int_equal(g.frame.content_ns, (60 + 10 * i) * MS);
        assert_int_equal(g.ticks, i % 2); /* blended between ticks that stay 20 ms */
    }
    assert_int_equal(g.frame.account.slow_motion_ns, 0); /* all of it was asked for */
}

/* The period is no whole number of nanoseconds: the ticks stay exact, one to a frame. */
static void lockstep_is_exact_at_any_rate(void **state)
{
    static game g;
    (void)state;
    start(&g, "lockstep");
    g.config.tick_rate = es_rate_make(60000, 1001);
    open_loop(&g);
    run_frame(&g);
    for (int64_t n = 1; n <= 1000000 / TEST_SHARE; ++n) {
        run_frame(&g);
        assert_int_equal(g.ticks, 1);
        assert_int_equal(g.frame.content_ns, es_rate_events_to_ns(g.config.tick_rate, n));
        assert_true(g.frame.alpha == 1.0);
    }
    assert_int_equal(es_loop_set_tick_rate(&g.loop, es_hz(30)), ES_OK);
    run_frame(&g);
    assert_int_equal(g.frame.interval_ns, 33333333); /* the interval follows */
    assert_int_equal(g.ticks, 1);
}

/* One update per frame also after a pause, a step, a seek, slow motion; whatever the period. */
static void lockstep_stays_on_its_ticks(void **state)
{
    const es_rate rates[] = {es_hz(60), es_rate_make(60000, 1001), es_hz(50), es_hz(999)};
    const es_ratio speeds[] = {{1, 3}, {2, 1}, {1, 2}, {1, 1}};
    static game g;
    (void)state;
    for (int r = 0; r < 4; ++r) {
        start(&g, "lockstep");
        g.config.tick_rate = rates[r];
        open_loop(&g);
        run_frame(&g);
        for (int i = 0; i < 300; ++i) {
            es_loop_pause(&g.loop, true);
            for (int k = 0; k < i % 3; ++k) {
                run_frame(&g);
                es_loop_step_once(&g.loop);
            }
            es_loop_pause(&g.loop, false);
            if (i % 5 == 0) {
                es_loop_seek(&g.loop, 7 * i + 5);
            }
            for (int k = 0; k < 7; ++k) {
                run_frame(&g);
                assert_int_equal(g.ticks, 1);
                assert_true(g.frame.alpha == 1.0);
            }
            if (i % 4 == 3) {
                es_loop_set_time_scale(&g.loop, speeds[i / 4 % 3]);
                for (int k = 0; k < 6; ++k) {
                    run_frame(&g); /* six frames end on a tick at each of these speeds */
                }
                assert_int_equal(g.frame.content_ns, g.frame.current_ns);
                es_loop_set_time_scale(&g.loop, speeds[3]);
            }
        }
    }
}

static void a_default_config_can_become_lockstep(void **state)
{
    static game g;
    (void)state;
    start(&g, "adaptive");
    g.config = es_loop_config_default();
    g.config.clock = es_manual_clock_get(&g.clock);
    g.config.step = ES_STEP_LOCKSTEP;
    g.config.pace = ES_PACE_FIXED;
    g.config.tick_rate = es_hz(50);
    open_loop(&g);
    run_frame(&g);
    run_frame(&g);
    assert_int_equal(g.frame.interval_ns, 20 * MS);
    assert_int_equal(es_loop_set_interval(&g.loop, 25 * MS), ES_OK);
    assert_int_equal(es_loop_set_tick_rate(&g.loop, es_hz(60)), ES_OK);
    run_frame(&g);
    assert_int_equal(g.frame.interval_ns, 25 * MS); /* it was set: it stays */
    start(&g, "lockstep");
    open_loop(&g);
    assert_int_equal(es_loop_set_tick_rate(&g.loop, es_rate_make(1, 3)), ES_ERR_INVALID); /* gap */
    start(&g, "decoupled");
    g.config.tick_rate = es_rate_make(1, 100000);
    g.config.delay_ticks = 8.0;
    es_error error;
    assert_int_equal(es_loop_config_validate(&g.config, &error), ES_ERR_INVALID);
    assert_string_equal(error.field, "delay_ticks");
}

/* --- A3 variable ------------------------------------------------------------------------------ */

static void variable_steps_are_the_time_that_passed(void **state)
{
    static game g;
    test_random random = {7};
    int64_t begun_ns = 0;
    (void)state;
    start(&g, "variable");
    open_loop(&g);
    for (int64_t n = 0; n <= 1000000 / TEST_SHARE; ++n) {
        int64_t begin_ns = g.clock.now_ns;
        g.render_ns = 1 + random_below(&random, 40 * MS);
        g.update_ns = random_below(&random, 3 * MS);
        run_frame(&g);
        assert_int_equal(g.ticks, n > 0);
        assert_int_equal(g.frame.content_ns, begin_ns);
        assert_true(g.frame.alpha == 1.0);
        if (n > 0) {
            assert_int_equal(g.step.index, n);
            assert_int_equal(g.step.dt_ns, begin_ns - begun_ns);
            assert_int_equal(g.step.time_ns, begin_ns);
            assert_true(g.step.dt_s == (double)g.step.dt_ns / 1e9);
        }
        begun_ns = begin_ns;
    }
    assert_int_equal(g.frame.account.dropped_ns, 0);
}

/* Frames that took this long get steps that long; what is left out is counted. */
static void expect_step(game *g, int64_t took_ns, int64_t step_ns)
{
    int64_t dropped_ns = took_ns > step_ns ? took_ns - step_ns : 0;
    int64_t slow_motion_ns = took_ns < step_ns ? took_ns - step_ns : 0;
    run_frame(g);
    int64_t before_ns = g->frame.content_ns;
    g->render_ns = took_ns;
    run_frame(g);
    g->render_ns = 10 * MS;
    run_frame(g);
    assert_int_equal(g->step.dt_ns, step_ns);
    assert_int_equal(g->frame.dropped_ns, dropped_ns);
    assert_int_equal(g->frame.slow_motion_ns, slow_motion_ns);
    assert_int_equal(g->frame.content_ns, before_ns + 10 * MS + step_ns);
}

static void absurd_steps_are_replaced(void **state)
{
    static game g;
    (void)state;
    start(&g, "variable");
    g.render_ns = 10 * MS;
    open_loop(&g);
    run_frame(&g);
    expect_step(&g, S, S);
    expect_step(&g, S + 1, MS); /* really worked for so long: no gap */
    expect_step(&g, 3 * S, MS);
    expect_step(&g, 1, 1);
    expect_step(&g, 0, MS); /* the clock did not move */
    start(&g, "variable");
    g.config.step_min_ns = 2 * MS;
    g.config.step_max_ns = 50 * MS;
    g.config.step_absurd_ns = 16 * MS;
    g.render_ns = 10 * MS;
    open_loop(&g);
    run_frame(&g);
    expect_step(&g, 2 * MS, 2 * MS);
    expect_step(&g, 2 * MS - 1, 16 * MS);
    expect_step(&g, 50 * MS, 50 * MS);
    expect_step(&g, 50 * MS + 1, 16 * MS);
}

static void variable_pauses_steps_and_scales(void **state)
{
    static game g;
    (void)state;
    start(&g, "variable");
    g.render_ns = 10 * MS;
    open_loop(&g);
    run_frame(&g);
    run_frame(&g);
    es_loop_pause(&g.loop, true);
    for (int i = 0; i < 5; ++i) {
        run_frame(&g);
        assert_int_equal(g.ticks, 0);
        assert_int_equal(g.frame.content_ns, 10 * MS);
    }
    assert_int_equal(es_loop_step_once(&g.loop), ES_OK);
    run_frame(&g);
    assert_int_equal(g.ticks, 1);
    assert_int_equal(g.step.dt_ns, 16666666);
    es_loop_pause(&g.loop, false);
    run_frame(&g);
    assert_int_equal(g.step.dt_ns, 10 * MS); /* nothing leaps */
    es_ratio quarter = {1, 4};
    assert_int_equal(es_loop_set_time_scale(&g.loop, quarter), ES_OK);
    run_frame(&g);
    assert_int_equal(g.step.dt_ns, 2500000);
}

/* What is absurd is asked of the time that passed, whatever the game makes of it. */
static void variable_steps_run_at_any_speed(void **state)
{
    static game g;
    (void)state;
    start(&g, "variable");
    g.config.step_min_ns = 5 * MS;
    g.render_ns = 16 * MS;
    open_loop(&g);
    run_frame(&g);
    for (uint32_t speed = 1; speed <= 1000; speed *= 10) {
        es_ratio fast = {speed, 1};
        es_ratio slow = {1, speed};
        es_loop_set_time_scale(&g.loop, fast);
        run_frame(&g);
        assert_int_equal(g.step.dt_ns, 16 * MS * speed);
        es_loop_set_time_scale(&g.loop, slow);
        run_frame(&g);
        assert_int_equal(g.step.dt_ns, 16 * MS / speed);
    }
    assert_int_equal(g.frame.account.dropped_ns, 0);
    assert_int_equal(g.frame.account.slow_motion_ns, 0);
}

static void a_paused_variable_loop_runs_no_tick(void **state)
{
    static game g;
    (void)state;
    start(&g, "variable");
    g.config.aim = ES_AIM_START; /* an update moves what its own frame should show */
    g.update_ns = 2 * MS;
    g.render_ns = 10 * MS;
    open_loop(&g);
    for (int i = 0; i < 10; ++i) {
        run_frame(&g);
    }
    assert_int_equal(g.frame.account.dropped_ns, 0);
    int64_t content_ns = g.frame.content_ns;
    es_loop_pause(&g.loop, true);
    for (int i = 0; i < 5; ++i) {
        run_frame(&g);
        assert_int_equal(g.ticks, 0);
        assert_int_equal(g.frame.content_ns, content_ns);
    }
}

/* The same second in a thousand random cuts: the same way, to 1e-12. */
static void accelerated_motion_does_not_depend_on_the_steps(void **state)
{
    test_random random = {3};
    (void)state;
    for (int cut = 0; cut < 1000; ++cut) {
        double position = 5.0;
        double speed = 3.0;
        double left = 1.0;
        int steps = 1 + (int)random_below(&random, 2000);
        for (int i = 1; i < steps; ++i) {
            double dt = left * (double)(1 + random_below(&random, 1000)) / 1000.0 / (steps - i);
            es_motion_accelerate(&position, &speed, -9.81, dt);
            left -= dt;
        }
        es_motion_accelerate(&position, &speed, -9.81, left);
        double exact = 5.0 + 3.0 - 9.81 / 2.0;
        assert_true(fabs(position - exact) <= 1e-12 * exact);
        assert_true(fabs(speed - (3.0 - 9.81)) <= 1e-12 * 6.81);
    }
}

/* --- A4 decoupled ----------------------------------------------------------------------------- */

/* The largest n with floor(n * period) <= elapsed, in 128 bits. */
static int64_t ticks_due(es_rate rate, int64_t elapsed_ns)
{
    int128 per_s = (int128)rate.denominator * S;
    int128 n = (int128)(elapsed_ns + 1) * rate.numerator / per_s + 1;
    while (n * per_s / rate.numerator > elapsed_ns) {
        n -= 1;
    }
    return (int64_t)n;
}

static void expect_owed(es_rate rate, uint64_t seed, int frames)
{
    static game g;
    test_random random = {seed};
    int64_t ran = 0;
    start(&g, "decoupled");
    g.config.tick_rate = rate;
    open_loop(&g);
    for (int i = 0; i < frames; ++i) {
        int64_t elapsed_ns = g.clock.now_ns;
        g.render_ns = random_below(&random, random_below(&random, 8) == 0 ? 400 * MS : 20 * MS);
        g.update_ns = random_below(&random, 1000); /* reads the clock once: costs do not matter */
        run_frame(&g);
        int64_t due = ticks_due(rate, elapsed_ns);
        assert_int_equal(g.ticks, due - ran);
        ran = due;
        assert_int_equal(g.frame.current_tick, due);
        if (due > 0) {
            int64_t current_ns = es_rate_events_to_ns(rate, due);
            int64_t next_ns = es_rate_events_to_ns(rate, due + 1);
            int64_t remainder_ns = elapsed_ns - current_ns;
            assert_int_equal(g.frame.content_ns - g.frame.previous_ns, remainder_ns);
            assert_true(g.frame.alpha == (double)remainder_ns / (double)(next_ns - current_ns));
        } else {
            assert_true(g.frame.alpha == 0.0);
            assert_int_equal(g.frame.content_ns, 0);
        }
    }
    assert_int_equal(g.frame.account.dropped_ns, 0);
}

static void decoupled_runs_exactly_what_is_owed(void **state)
{
    (void)state;
    expect_owed(es_hz(60), 1, 1000000 / TEST_SHARE);
    expect_owed(es_hz(50), 2, 200000 / TEST_SHARE);
    expect_owed(es_hz(5), 3, 200000 / TEST_SHARE);
    expect_owed(es_rate_make(60000, 1001), 4, 200000 / TEST_SHARE);
    expect_owed(es_rate_make(999983, 7919), 5, 200000 / TEST_SHARE);
}

static void decoupled_moves_the_clock_up_after_a_second(void **state)
{
    static game g;
    (void)state;
    start(&g, "decoupled");
    g.config.tick_rate = es_hz(50);
    g.render_ns = 10 * MS;
    open_loop(&g);
    for (int i = 0; i < 100; ++i) {
        run_frame(&g);
    }
    int64_t tick = g.frame.current_tick;
    int64_t content_ns = g.frame.content_ns;
    g.render_ns = S - 10 * MS; /* not yet: content has one tick in hand */
    run_frame(&g);
    g.render_ns = 3 * S;
    run_frame(&g);
    assert_int_equal(g.frame.dropped_ns, 0);
    assert_int_equal(g.frame.current_tick - tick, 50);
    content_ns = g.frame.content_ns;
    int64_t newest_ns = g.frame.current_ns;
    g.render_ns = 10 * MS;
    run_frame(&g);
    assert_int_equal(g.frame.content_ns, newest_ns + S);
    assert_int_equal(g.frame.dropped_ns, 3 * S - (newest_ns + S - content_ns));
    run_frame(&g);
    assert_int_equal(g.frame.dropped_ns, 0);
    assert_int_equal(g.frame.content_ns, newest_ns + S + 10 * MS);
}

/* --- A5 max-frameskip ------------------------------------------------------------------------- */

/* The row, word by word: what a program of ten lines would do. */
typedef struct skipper {
    int64_t next_ns; /* next tick time */
    int64_t period_ns;
    int64_t now_ns; /* the read that ended the updates */
    int32_t loops;
} skipper;

static bool skipper_wants_tick(skipper *s, int64_t now_ns)
{
    s->now_ns = now_ns;
    if (now_ns > s->next_ns && s->loops < 10) {
        s->next_ns += s->period_ns;
        s->loops += 1;
        return true;
    }
    return false;
}

static double skipper_alpha(skipper *s)
{
    double alpha = (double)(s->now_ns + s->period_ns - s->next_ns) / (double)s->period_ns;
    if (s->now_ns > s->next_ns) {
        s->next_ns = s->now_ns; /* debt beyond the bound is dropped: as a shift of the clock */
    }
    return alpha < 0.0 ? 0.0 : alpha > 1.0 ? 1.0 : alpha;
}

static void run_both(game *g, skipper *s, test_random *random)
{
    es_step step;
    assert_int_equal(es_loop_begin(&g->loop), ES_OK);
    s->loops = 0;
    for (;;) {
        bool more = skipper_wants_tick(s, g->clock.now_ns);
        assert_int_equal(es_loop_tick(&g->loop, &step), more);
        if (!more) {
            break;
        }
        es_manual_clock_work(&g->clock, random_below(random, g->update_ns + 1));
    }
    double alpha = skipper_alpha(s);
    assert_int_equal(es_loop_ready(&g->loop, &g->frame), ES_OK);
    assert_true(fabs(g->frame.alpha - alpha) < 1e-12);
    assert_true(g->frame.alpha > 0.0 && g->frame.alpha <= 1.0);
    assert_true(g->frame.ticks <= 10);
    es_manual_clock_work(&g->clock, random_below(random, g->render_ns + 1));
    es_loop_submit(&g->loop);
    assert_int_equal(es_loop_end(&g->loop), ES_OK);
}

static void max_frameskip_does_what_its_ten_lines_do(void **state)
{
    static game g;
    test_random random = {11};
    skipper s = {0, 20 * MS, 0, 0};
    int64_t dropped_ns = 0;
    (void)state;
    start(&g, "max-frameskip");
    open_loop(&g);
    assert_int_equal(es_loop_tick_rate(&g.loop).numerator, 50);
    for (int i = 0; i < 1000000 / TEST_SHARE; ++i) {
        /* now light, now over the machine's power, now long stalls */
        g.update_ns = i % 1000 < 500 ? MS : 45 * MS;
        g.render_ns = i % 1000 > 900 ? 600 * MS : 12 * MS;
        run_both(&g, &s, &random);
        dropped_ns += g.frame.dropped_ns;
    }
    assert_true(dropped_ns > 3600 * S / TEST_SHARE);
    assert_int_equal(g.frame.account.dropped_ns, dropped_ns);
    assert_int_equal(g.frame.content_ns, g.frame.present_ns - dropped_ns);
}

/* --- another loop on the way ------------------------------------------------------------------ */

static void become(game *g, const char *name)
{
    es_error error;
    assert_int_equal(es_loop_config_named(name, &g->config), ES_OK);
    g->config.tick_rate = es_hz(20);
    assert_int_equal(es_loop_reconfigure(&g->loop, &g->config, &error), ES_OK);
}

/* The world goes on: the same ticks, no leap, and the account still holds. */
static void a_loop_becomes_another(void **state)
{
    static const char *const names[] = {"decoupled", "max-frameskip", "adaptive", "variable",
            "decoupled", "lockstep", "adaptive", "variable", "max-frameskip", "lockstep"};
    static game g;
    (void)state;
    start(&g, "adaptive");
    g.config.tick_rate = es_hz(20);
    g.render_ns = 7 * MS;
    open_loop(&g);
    run_frame(&g);
    int64_t first_ns = g.frame.present_ns;
    es_loop_config given = es_loop_get_config(&g.loop);
    assert_memory_equal(&given, &g.config, sizeof given);
    for (int i = 0; i < 1000; ++i) {
        es_frame before = g.frame;
        if (i % 13 == 12) {
            become(&g, names[i / 13 % 10]);
        }
        run_frame(&g);
        int64_t moved_ns = g.frame.content_ns - before.content_ns;
        int64_t seeked_ns = g.frame.account.seeked_ns - before.account.seeked_ns;
        assert_int_equal(g.frame.current_tick, before.current_tick + g.ticks);
        assert_true(moved_ns >= 0 && moved_ns <= 100 * MS); /* a tick and what passed */
        assert_true(seeked_ns >= -50 * MS && seeked_ns <= 50 * MS);
        const es_account *a = &g.frame.account;
        assert_int_equal(g.frame.content_ns, g.frame.present_ns - first_ns - a->dropped_ns
                                                     - a->slowed_ns - a->clamped_ns - a->delay_ns
                                                     - a->reanchored_ns + a->seeked_ns);
        if (g.config.step == ES_STEP_FIXED && i % 13 != 12) {
            assert_int_equal(a->dropped_ns, before.account.dropped_ns);
            assert_int_equal(moved_ns, g.frame.present_ns - before.present_ns);
        }
    }
}

/* Its ticks have run: the world stands there, not where the last picture was. */
static void a_frame_given_up_keeps_its_ticks(void **state)
{
    static game g;
    es_step step;
    (void)state;
    start(&g, "adaptive");
    g.render_ns = 3 * MS;
    open_loop(&g);
    for (int i = 0; i < 10; ++i) {
        run_frame(&g);
    }
    es_manual_clock_work(&g.clock, 60 * MS);
    es_loop_begin(&g.loop);
    while (es_loop_tick(&g.loop, &step)) {
        if (step.in_frame == 2) {
            break;
        }
    }
    es_loop_pause(&g.loop, true);
    run_frame(&g);
    assert_int_equal(g.frame.current_tick, step.index);
    assert_true(g.frame.alpha > 0.0 && g.frame.content_ns > g.frame.previous_ns);
}

/* An interval set between begin and the first tick makes no plan earlier than it was. */
static void a_plan_never_becomes_earlier(void **state)
{
    static game g;
    es_step step;
    (void)state;
    start(&g, "adaptive");
    g.config.tick_rate = es_hz(30);
    g.config.interval_ns = 50 * MS;
    g.update_ns = 2 * MS;
    g.render_ns = 9 * MS;
    open_loop(&g);
    for (int i = 0; i < 200; ++i) {
        es_loop_begin(&g.loop);
        assert_int_equal(es_loop_set_interval(&g.loop, (i % 2 == 0 ? 10 : 50) * MS), ES_OK);
        while (es_loop_tick(&g.loop, &step)) {
            es_manual_clock_work(&g.clock, g.update_ns);
        }
        es_loop_ready(&g.loop, &g.frame);
        assert_true(g.frame.alpha > 0.0);
        es_manual_clock_work(&g.clock, g.render_ns);
        es_loop_end(&g.loop);
    }
}

static void intervals_follow_the_kind_of_loop(void **state)
{
    static game g;
    (void)state;
    start(&g, "decoupled");
    open_loop(&g);
    run_frame(&g);
    assert_int_equal(g.frame.interval_ns, 0); /* nobody knows */
    start(&g, "adaptive");
    g.config.tick_rate = es_hz(50);
    open_loop(&g);
    run_frame(&g);
    assert_int_equal(g.frame.interval_ns, 16666666); /* not the tick's: that is lockstep's */
    start(&g, "decoupled");
    g.config.tick_rate = es_hz(60);
    g.render_ns = 10 * MS;
    open_loop(&g);
    for (int i = 0; i < 100; ++i) {
        run_frame(&g);
    }
    int64_t content_ns = g.frame.content_ns;
    assert_int_equal(es_loop_set_tick_rate(&g.loop, es_hz(30)), ES_OK);
    run_frame(&g);
    assert_int_equal(g.frame.account.delay_ns, 33333333);
    content_ns += 10 * MS; /* the delay grows, nothing leaps but what rounding is */
    assert_in_range(g.frame.content_ns, content_ns - 1, content_ns + 1);
}

/* What the setters changed is in it, so that it can be changed further. */
static void the_configuration_can_be_asked_for(void **state)
{
    static game g;
    es_loop_config none = {0};
    (void)state;
    start(&g, "adaptive");
    g.config.interval_max_ns = 40 * MS;
    open_loop(&g);
    assert_int_equal(es_loop_set_tick_rate(&g.loop, es_hz(30)), ES_OK);
    assert_int_equal(es_loop_set_interval(&g.loop, 7 * MS), ES_OK);
    assert_int_equal(es_loop_set_catch_up(&g.loop, ES_CATCH_UP_SPREAD), ES_OK);
    es_loop_config config = es_loop_get_config(&g.loop);
    assert_int_equal(config.tick_rate.numerator, 30);
    assert_int_equal(config.interval_ns, 7 * MS);
    assert_int_equal(config.interval_max_ns, 40 * MS);
    assert_int_equal(config.catch_up, ES_CATCH_UP_SPREAD);
    assert_true(config.clock.user == &g.clock);
    config.clock = none.clock; /* ignored: the loop keeps its own */
    assert_int_equal(es_loop_reconfigure(&g.loop, &config, NULL), ES_OK);
    assert_true(es_loop_get_config(&g.loop).clock.user == &g.clock);
    run_frame(&g);
    config = es_loop_get_config(NULL);
    assert_memory_equal(&config, &none, sizeof none);
}

static void becoming_another_can_be_refused(void **state)
{
    static game g;
    es_loop unready = {0};
    es_loop_config bad = {.step = ES_STEP_LOCKSTEP, .delay_ticks = 1.0};
    es_loop_config good = {0};
    es_error error;
    es_step step;
    (void)state;
    start(&g, "adaptive");
    open_loop(&g);
    run_frame(&g);
    es_loop before = g.loop;
    assert_int_equal(es_loop_reconfigure(&g.loop, &bad, &error), ES_ERR_INVALID);
    assert_string_equal(error.field, "delay_ticks");
    assert_int_equal(es_loop_reconfigure(&g.loop, NULL, &error), ES_ERR_INVALID);
    assert_memory_equal(&g.loop, &before, sizeof before);
    assert_int_equal(es_loop_reconfigure(NULL, NULL, &error), ES_ERR_STATE);
    assert_null(error.field);
    assert_int_equal(es_loop_reconfigure(NULL, &good, NULL), ES_ERR_STATE);
    assert_int_equal(es_loop_reconfigure(&unready, &good, NULL), ES_ERR_STATE);
    es_loop_begin(&g.loop);
    while (es_loop_tick(&g.loop, &step)) {
    }
    assert_int_equal(es_loop_reconfigure(&g.loop, &good, NULL), ES_ERR_STATE);
}

/* --- what combines and what does not ---------------------------------------------------------- */

static void expect_refused(const es_loop_config *config, const char *field)
{
    es_error error;
    assert_int_equal(es_loop_config_validate(config, &error), ES_ERR_INVALID);
    assert_string_equal(error.field, field);
}

static void senseless_combinations_are_refused(void **state)
{
    es_loop_config lockstep = {.step = ES_STEP_LOCKSTEP};
    es_loop_config variable = {.step = ES_STEP_VARIABLE};
    es_loop_config uncapped = {.pace = ES_PACE_UNCAPPED};
    es_loop_config fixed = {0};
    es_loop_config bad;
    (void)state;
#define REFUSE(good, field, value)                                                                 \
    bad = good;                                                                                    \
    assert_int_equal(es_loop_config_validate(&bad, NULL), ES_OK);                                  \
    bad.field = value;                                                                             \
    expect_refused(&bad, #field)
    REFUSE(lockstep, delay_ticks, 1.0);
    REFUSE(lockstep, alpha_below_one, true);
    REFUSE(lockstep, ticks_max, 4);
    REFUSE(lockstep, catch_up_max_ns, S);
    REFUSE(lockstep, catch_up, ES_CATCH_UP_WAIT);
    REFUSE(lockstep, catch_up, ES_CATCH_UP_SPREAD);
    REFUSE(lockstep, step_max_ns, 2 * S);
    REFUSE(variable, delay_ticks, 0.5);
    REFUSE(variable, alpha_below_one, true);
    REFUSE(variable, ticks_max, 1);
    REFUSE(variable, catch_up_max_ns, 1);
    REFUSE(variable, catch_up, ES_CATCH_UP_SLOW);
    REFUSE(variable, catch_up, ES_CATCH_UP_SPREAD);
    REFUSE(variable, catch_up, ES_CATCH_UP_STRETCH);
    REFUSE(variable, step_max_ns, -1);
    REFUSE(variable, step_min_ns, 2 * S);
    REFUSE(variable, step_absurd_ns, 2 * S);
    REFUSE(fixed, step_min_ns, MS);
    REFUSE(fixed, step_max_ns, MS);
    REFUSE(fixed, step_absurd_ns, 2 * MS);
    REFUSE(fixed, catch_up_max_ns, -1);
    REFUSE(fixed, step, (es_step_kind)3);
    REFUSE(fixed, pace, (es_pace)4);
    REFUSE(fixed, aim, (es_aim)2);
    REFUSE(fixed, catch_up, (es_catch_up)5);
    REFUSE(uncapped, interval_min_ns, MS);
    REFUSE(uncapped, interval_max_ns, MS);
    bad = fixed;
    bad.catch_up = ES_CATCH_UP_STRETCH;
    bad.stretch_max = 1;
    expect_refused(&bad, "stretch_max");
    bad.stretch_max = 101;
    expect_refused(&bad, "stretch_max");
    bad.stretch_max = 100;
    assert_int_equal(es_loop_config_validate(&bad, NULL), ES_OK);
#undef REFUSE
    bad = fixed;
    bad.delay_ticks = 8.0;
    bad.step_min_ns = 1;
    bad.interval_ns = MS / 2;
    bad.interval_max_ns = MS / 2;
    bad.gap_ns = MS;
    assert_int_equal(es_loop_config_validate(&bad, NULL), ES_OK);
    bad.step_min_ns = 2;
    expect_refused(&bad, "step_min_ns");
    assert_null(es_catch_up_name((es_catch_up)5));
    assert_string_equal(es_catch_up_name(ES_CATCH_UP_WAIT), "wait");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
            cmocka_unit_test(every_name_is_a_loop),
            cmocka_unit_test(lockstep_loses_whole_intervals),
            cmocka_unit_test(lockstep_follows_a_display_that_blocks),
            cmocka_unit_test(lockstep_pauses_steps_and_scales),
            cmocka_unit_test(lockstep_is_exact_at_any_rate),
            cmocka_unit_test(lockstep_stays_on_its_ticks),
            cmocka_unit_test(a_default_config_can_become_lockstep),
            cmocka_unit_test(variable_steps_are_the_time_that_passed),
            cmocka_unit_test(variable_steps_run_at_any_speed),
            cmocka_unit_test(a_paused_variable_loop_runs_no_tick),
            cmocka_unit_test(absurd_steps_are_replaced),
            cmocka_unit_test(variable_pauses_steps_and_scales),
            cmocka_unit_test(accelerated_motion_does_not_depend_on_the_steps),
            cmocka_unit_test(decoupled_runs_exactly_what_is_owed),
            cmocka_unit_test(decoupled_moves_the_clock_up_after_a_second),
            cmocka_unit_test(max_frameskip_does_what_its_ten_lines_do),
            cmocka_unit_test(a_loop_becomes_another),
            cmocka_unit_test(a_frame_given_up_keeps_its_ticks),
            cmocka_unit_test(a_plan_never_becomes_earlier),
            cmocka_unit_test(intervals_follow_the_kind_of_loop),
            cmocka_unit_test(the_configuration_can_be_asked_for),
            cmocka_unit_test(becoming_another_can_be_refused),
            cmocka_unit_test(senseless_combinations_are_refused),
    };
    return cmocka_run_group_tests_name("loops", tests, NULL, NULL);
}
