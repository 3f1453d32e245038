/* SPDX-License-Identifier: Zlib
 *
 * The catch-up policies: what each promises when updates cost three times their period, what the report
 * says, and how it ends with the load. Spacing of frames meanwhile: test_catch_up_spacing.c.
 */
#include "test_game.h"

#define PERIOD_NS  INT64_C(16666666)
#define RENDER_NS  (3 * MS)
#define LONGEST_NS (PERIOD_NS + PERIOD_NS / 4) /* policy wait: a frame counts as no longer */

/* 60 ticks per second; not opened yet. */
static void prepare(game *g, const char *name, es_catch_up policy, int64_t update_ns)
{
    start_game(g, name);
    g->config.tick_rate = es_hz(60);
    g->config.catch_up = policy;
    g->update_ns = update_ns;
    g->render_ns = RENDER_NS;
}

static void start(game *g, es_catch_up policy, int64_t update_ns)
{
    prepare(g, "adaptive", policy, update_ns);
    open_game(g);
}

static int64_t passed_ns(const game *g)
{
    return g->frame.present_ns - g->before.present_ns;
}

/* Every nanosecond of a frame's span is content, or was given up by name. */
static void check_frame(const game *g)
{
    int64_t debt_more_ns = g->frame.account.clamped_ns - g->before.account.clamped_ns;
    assert_int_equal(passed_ns(g), advance_of(g) + g->frame.account.frame_dropped_ns
                                           + g->frame.account.frame_slow_motion_ns + debt_more_ns);
    assert_int_equal(g->frame.account.slowed_ns, g->frame.account.slow_motion_ns);
}

static void expect_full_speed(game *g)
{
    run_frame(g);
    assert_int_equal(advance_of(g), passed_ns(g));
    assert_int_equal(g->frame.account.frame_dropped_ns, 0);
    assert_int_equal(g->frame.account.frame_slow_motion_ns, 0);
}

/* --- slow ------------------------------------------------------------------------------------- */

TEST(slow_motion_recovers_slowly)
{
    static game g;
    start(&g, ES_CATCH_UP_SLOW, 3 * PERIOD_NS);
    for (int i = 0; i < 1000; ++i) {
        run_frame(&g);
        assert_int_equal(g.frame.account.frame_dropped_ns, 0);
        assert_true(i < 40 || g.frame.ticks <= 2);
    }
    g.update_ns = MS;
    int frames = 0;
    double speed = speed_of(&g); /* its value: test_catch_up_spacing.c */
    while (speed < 1.0 && frames < 2000) {
        run_frame(&g);
        assert_true(speed_of(&g) >= speed - 1e-6);
        assert_true(speed_of(&g) <= speed * 1.0101);
        speed = speed_of(&g);
        frames += 1;
    }
    assert_true(frames > 100 && frames < 300); /* 1.01^116 is 3.17; and a second before that */
    expect_full_speed(&g);
}

/* A load comes and goes, with frames that are long by themselves. */
TEST(slow_motion_ends_with_the_load)
{
    static const struct {
        const char *name;
        uint32_t tick_hz;
        int64_t render_ns, load_ns, update_ns;
        es__ratio scale;
    } rows[] = {
            {"adaptive", 60, 24300000, 44800000, 4080000, {1, 1}},
            {"max-frameskip", 60, 20 * MS, 50 * MS, MS, {1, 1}},
            {"decoupled", 1000, 8 * MS, 3 * MS, 50000, {1, 1}},
            {"adaptive", 60, 3 * MS, 150 * MS, 25 * MS, {1, 4}}, /* 150 % at full speed */
    };
    for_rows (i, rows) {
        static game g;
        prepare(&g, rows[i].name, ES_CATCH_UP_SLOW, rows[i].update_ns);
        g.config.tick_rate = es_hz(rows[i].tick_hz);
        g.render_ns = rows[i].render_ns;
        open_game(&g);
        assert_int_equal(es__loop_set_scale(&g.loop, rows[i].scale), ES_OK);
        run_frames(&g, 100);
        g.update_ns = rows[i].load_ns;
        run_frames(&g, 500);
        assert_true(g.frame.account.frame_slow_motion_ns > 0);
        g.update_ns = rows[i].update_ns;
        run_frames(&g, 2000);
        assert_int_equal(g.frame.account.frame_slow_motion_ns, 0);
        double wanted = (double)rows[i].scale.numerator / (double)rows[i].scale.denominator;
        assert_true(speed_of(&g) > wanted - 1e-6 && speed_of(&g) < wanted + 1e-6);
    }
}

TEST(slow_motion_does_not_recover_unseen)
{
    static game g;
    start(&g, ES_CATCH_UP_SLOW, 3 * PERIOD_NS);
    run_frames(&g, 100);
    double speed = speed_of(&g);
    g.update_ns = 0;
    es_loop_set_paused(&g.loop, true);
    run_frames(&g, 400);
    es_loop_set_paused(&g.loop, false);
    run_frames(&g, 2);
    assert_true(speed_of(&g) < speed * 1.0202);
    assert_int_equal(set_interval(&g.loop, PERIOD_NS), ES_OK);
    run_frame(&g);
    assert_true(speed_of(&g) < speed * 1.0305);
}

/* --- spread ----------------------------------------------------------------------------------- */

TEST(spread_makes_up_for_a_hitch)
{
    static game g;
    prepare(&g, "adaptive", ES_CATCH_UP_SPREAD, MS / 2);
    g.config.ticks_max = 4;
    open_game(&g);
    run_frames(&g, 100);
    run_frame_of(&g, 600 * MS);
    run_frame(&g);
    int64_t debt_ns = g.frame.account.clamped_ns;
    assert_int_equal(g.frame.account.debt_ns, debt_ns);
    assert_true(debt_ns > 500 * MS && debt_ns < 600 * MS);
    int64_t begun_ns = g.clock.now_ns;
    while (g.frame.account.clamped_ns > 0) {
        run_frame(&g);
        check_frame(&g);
        assert_int_equal(g.frame.account.frame_dropped_ns, 0);
        assert_true(advance_of(&g) <= passed_ns(&g) + passed_ns(&g) / 4 + 1); /* at most 5/4 */
        assert_true(g.clock.now_ns - begun_ns < 4 * debt_ns + 100 * MS);
    }
    assert_true(g.clock.now_ns - begun_ns > 4 * debt_ns - 100 * MS);
    expect_full_speed(&g);
    assert_int_equal(g.frame.content_ns, g.frame.present_ns); /* nothing was lost */
}

/* --- stretch ---------------------------------------------------------------------------------- */

TEST(stretch_keeps_real_time)
{
    static game g;
    start(&g, ES_CATCH_UP_STRETCH, 3 * PERIOD_NS);
    run_frames(&g, 10);
    es_frame first = g.frame;
    for (int i = 0; i < 1000; ++i) {
        run_frame(&g);
        check_frame(&g);
        assert_int_equal(advance_of(&g), passed_ns(&g)); /* steps three times as long */
        assert_true(g.step.dt_s <= 4.0 / 60.0);
    }
    assert_int_equal(g.frame.account.dropped_ns, first.account.dropped_ns);
    int64_t nominal_ns = (g.frame.current_tick - first.current_tick) * PERIOD_NS;
    assert_int_equal(g.frame.account.stretched_ns - first.account.stretched_ns,
            g.frame.current_ns - first.current_ns - nominal_ns);
    g.update_ns = MS;
    run_frames(&g, 5); /* until a tick has shown its new cost */
    assert_true(g.step.dt_s == es__rate_period_s(es_hz(60)));
    assert_int_equal(g.frame.account.frame_stretched_ns, 0);
}

/* --- wait ------------------------------------------------------------------------------------- */

TEST(wait_moves_on_by_one_interval)
{
    static game g;
    start(&g, ES_CATCH_UP_WAIT, 3 * PERIOD_NS);
    run_frame(&g);
    for (int i = 0; i < 1000; ++i) {
        run_frame(&g);
        assert_true(advance_of(&g) <= LONGEST_NS);
        assert_true(g.frame.ticks <= 2);
        assert_int_equal(g.frame.account.frame_dropped_ns, 0);
    }
    assert_true(g.frame.account.slow_motion_ns > 0);
    g.update_ns = MS;
    run_frames(&g, 12); /* of 103 ms: the interval keeps to the load for a second more */
    for (int i = 0; i < 100; ++i) {
        expect_full_speed(&g);
    }
    run_frame_of(&g, 500 * MS); /* a hitch: the world waits for the frame */
    run_frame(&g);
    assert_int_equal(advance_of(&g), LONGEST_NS);
    assert_int_equal(g.frame.account.frame_slow_motion_ns, passed_ns(&g) - advance_of(&g));
}

/* Half speed: half of what a long frame lost was slow motion, the user did not want the other half. */
TEST(slow_motion_is_counted_apart_from_the_users_speed)
{
    static game g;
    es__ratio half = {1, 2};
    start(&g, ES_CATCH_UP_WAIT, MS);
    run_frame(&g);
    es__loop_set_scale(&g.loop, half);
    run_frames(&g, 10);
    assert_int_equal(g.frame.account.slow_motion_ns, 0);
    run_frame_of(&g, 500 * MS);
    run_frame(&g);
    int64_t lost_ns = (passed_ns(&g) - LONGEST_NS) / 2;
    assert_in_range(g.frame.account.frame_slow_motion_ns, lost_ns - 1, lost_ns + 1);
    es_loop_set_paused(&g.loop, true);
    int64_t slow_motion_ns = g.frame.account.slow_motion_ns;
    run_frame_of(&g, 500 * MS);
    run_frame(&g);
    assert_int_equal(g.frame.account.slow_motion_ns, slow_motion_ns);
    assert_int_equal(advance_of(&g), 0);
}

/* --- every policy ----------------------------------------------------------------------------- */

/* 100 ms are 10 s of content at a hundred times the speed. */
TEST(catch_up_max_is_in_the_games_time)
{
    static game g;
    es__ratio fast = {100, 1};
    prepare(&g, "decoupled", ES_CATCH_UP_DROP, 0);
    g.render_ns = 16 * MS;
    open_game(&g);
    es__loop_set_scale(&g.loop, fast);
    run_frames(&g, 100);
    assert_int_equal(advance_of(&g), 1600 * MS);
    assert_int_equal(g.frame.account.dropped_ns, 0);
}

TEST(a_single_step_is_no_shortage)
{
    static game g;
    for (int policy = ES_CATCH_UP_DROP; policy <= ES_CATCH_UP_WAIT; ++policy) {
        prepare(&g, "adaptive", (es_catch_up)policy, 0);
        g.config.tick_rate = es_hz(5);
        g.config.catch_up_max_ns = 50 * MS;
        open_game(&g);
        run_frames(&g, 30);
        es_loop_set_paused(&g.loop, true);
        es_loop_tick_once(&g.loop);
        run_frame(&g);
        assert_int_equal(g.frame.ticks, 1);
        assert_int_equal(g.frame.account.frame_dropped_ns, 0);
        assert_int_equal(g.frame.account.clamped_ns, 0);
        es_loop_set_paused(&g.loop, false);
        run_frame(&g);
        assert_int_equal(advance_of(&g), PERIOD_NS); /* nothing stands or leaps */
        run_frame_of(&g, 900 * MS);                  /* a later shortage is one */
        run_frame(&g);
        assert_in_range(advance_of(&g), PERIOD_NS, 250 * MS);
    }
}

/* Three ticks of 20 ms and 3 ms of drawing: the bound, also beyond interval_max_ns. */
TEST(a_load_of_all_ticks_that_a_frame_may_have_sets_the_interval)
{
    static game g;
    prepare(&g, "adaptive", ES_CATCH_UP_SLOW, 20 * MS);
    g.config.ticks_max = 3;
    open_game(&g);
    run_frames(&g, 3);
    for (int i = 3; i < 100; ++i) {
        run_frame(&g);
        assert_int_equal(g.frame.interval_ns, 3 * 20 * MS + RENDER_NS);
    }
}

/* Ticks left unrun are the program's choice: dropped, whatever the policy. */
TEST(ticks_that_the_program_leaves_are_dropped)
{
    static game g;
    for (int policy = ES_CATCH_UP_DROP; policy <= ES_CATCH_UP_WAIT; ++policy) {
        start(&g, (es_catch_up)policy, 0);
        run_frames(&g, 100);
        es_manual_clock_work(&g.clock, 50 * MS);
        es_account before = g.frame.account;
        es_loop_begin(&g.loop);
        es_loop_wait(&g.loop, &g.frame);
        es_loop_end(&g.loop);
        assert_true(g.frame.account.dropped_ns > before.dropped_ns);
        assert_int_equal(g.frame.account.clamped_ns, 0);
        run_frame(&g);
        expect_full_speed(&g);
        assert_true(policy == ES_CATCH_UP_WAIT
                    || g.frame.account.slow_motion_ns == before.slow_motion_ns);
    }
}

/* Work that fits the interval with one tick, and would not with the two or three that every longer
 * interval needs. */
TEST(the_rate_comes_back_after_a_hitch)
{
    static game g;
    const int64_t hitches_ms[] = {30, 40, 60, 120, 500};
    for (int i = 0; i < 5 * 8 * 5; ++i) {
        row("case %d", i);
        start(&g, (es_catch_up)(i / 40), (1 + 2 * (i / 5 % 8)) * MS);
        g.render_ns = MS / 2;
        run_frames(&g, 100);
        assert_int_equal(g.frame.interval_ns, PERIOD_NS);
        run_frame_of(&g, hitches_ms[i % 5] * MS);
        run_frames(&g, 1200);
        assert_int_equal(g.frame.interval_ns, PERIOD_NS);
        assert_int_equal(span_of(&g), PERIOD_NS);
    }
}

TEST(without_a_shortage_all_are_the_same)
{
    static game g[5];
    test_random random = {5};
    for (int policy = 0; policy < 5; ++policy) {
        prepare(&g[policy], "decoupled", (es_catch_up)policy, MS / 10);
        open_game(&g[policy]);
    }
    for (int i = 0; i < 10000; ++i) {
        int64_t render_ns = 1 + random_below(&random, 15 * MS);
        for (int policy = 0; policy < 5; ++policy) {
            run_frame_of(&g[policy], render_ns);
            assert_memory_equal(&g[policy].frame, &g[0].frame, sizeof g[0].frame);
        }
    }
}

/* --- a change of policy ----------------------------------------------------------------------- */

TEST(a_policy_can_be_changed)
{
    static game g;
    es_step step;
    start(&g, ES_CATCH_UP_SPREAD, 3 * PERIOD_NS);
    run_frames(&g, 30);
    int64_t debt_ns = g.frame.account.clamped_ns;
    assert_true(debt_ns > 0);
    assert_int_equal(set_catch_up(&g.loop, ES_CATCH_UP_DROP), ES_OK);
    g.update_ns = MS;
    run_frame(&g);
    assert_int_equal(g.frame.account.clamped_ns, 0);
    assert_true(g.frame.account.frame_dropped_ns >= debt_ns); /* the debt is dropped */
    run_frame(&g);
    expect_full_speed(&g);
    es_loop_begin(&g.loop);
    while (es_loop_tick(&g.loop, &step)) {
    }
    assert_int_equal(set_catch_up(&g.loop, ES_CATCH_UP_WAIT), ES_ERR_STATE);
}
