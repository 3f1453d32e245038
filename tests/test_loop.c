/* SPDX-License-Identifier: Zlib
 *
 * loop: the order of calls, pause and scale and step, delay, seek, hosts, run.
 */
#include "test_game.h"

/* Ticks of 5 ms, frames of 16 ms, work of 2 ms. */
static void start(game *g)
{
    start_game(g, "adaptive");
    g->config.tick_rate = es_hz(200);
    g->config.interval_ns = 16 * MS;
    g->render_ns = 2 * MS;
    open_game(g);
}

/* Ends a frame whose ticks have been run by hand. */
static void finish(game *g)
{
    assert_true(es_loop_wait(&g->loop, &g->frame));
    es_manual_clock_work(&g->clock, 2 * MS);
    assert_true(es_loop_submit(&g->loop));
    assert_true(es_loop_end(&g->loop));
}

/* Without an init, or after one that failed, every call says so and does nothing. */
TEST(an_uninitialised_loop_is_refused)
{
    es_loop loop;
    es_loop_config bad = {0};
    es__ratio half = {1, 2};
    bad.interval_ns = -1;
    assert_int_equal(es__loop_init(&loop, &bad, NULL), ES_ERR_INVALID);
    es_loop *loops[] = {&loop, NULL};
    for (int i = 0; i < 2; ++i) {
        assert_false(es_loop_begin(loops[i]) || es__loop_begin_host(loops[i], 0, 0));
        assert_null(es_loop_get_report(loops[i]));
        assert_false(es_loop_seek(loops[i], 3));
        assert_int_equal(set_tick_rate(loops[i], es_hz(60)), ES_ERR_STATE);
        assert_int_equal(es__loop_set_scale(loops[i], half), ES_ERR_STATE);
        assert_false(es_loop_tick_once(loops[i]));
        assert_false(es_loop_resync(loops[i]));
        es_loop_set_paused(loops[i], true);
        assert_false(es__loop_is_paused(loops[i]));
    }
}

/* Preempted while drawing: no CPU used, so no load. Without CPU time there is no telling, nor with
 * one that is counted in ticks. */
TEST(preemption_is_told_by_cpu_time)
{
    for (int how = 0; how < 3; ++how) {
        bool knows = how == 0;
        game f;
        start(&f);
        if (how == 1) {
            f.loop.clock.thread_cpu_ns = NULL;
        }
        f.loop.clock.thread_cpu_is_coarse = how == 2;
        run_frames(&f, 30);
        int64_t start_ns = f.frame.start_ns;
        es_loop_begin(&f.loop);
        run_ticks(&f);
        es_loop_wait(&f.loop, &f.frame);
        es_manual_clock_work(&f.clock, 2 * MS);
        f.clock.now_ns += 38 * MS;
        es_loop_submit(&f.loop);
        es_loop_end(&f.loop);
        run_frame(&f);
        assert_int_equal(f.frame.interval_ns, (knows ? 16 : 48) * MS);
        assert_int_equal(f.frame.start_ns - start_ns, (knows ? 56 : 64) * MS);
    }
}

TEST(reports_are_complete)
{
    game f;
    start(&f);
    run_frame(&f);
    es_loop_begin(&f.loop);
    while (es_loop_tick(&f.loop, &f.steps[0])) {
        es_manual_clock_work(&f.clock, MS);
    }
    es_loop_wait(&f.loop, &f.frame);
    es_manual_clock_work(&f.clock, 3 * MS);
    es_loop_submit(&f.loop);
    f.clock.now_ns += 5 * MS;
    es_loop_end(&f.loop);
    const es_report *report = es_loop_get_report(&f.loop);
    assert_memory_equal(&report->frame, &f.frame, sizeof f.frame);
    assert_int_equal(report->ready_ns, 16 * MS);
    assert_int_equal(report->submit_ns, 19 * MS);
    assert_int_equal(report->shown_ns, 24 * MS);
    assert_int_equal(report->update_work_ns, 4 * MS);
    assert_int_equal(report->render_work_ns, 3 * MS);
    assert_int_equal(report->source, ES_SHOWN_PRESENT_RETURN);
}

TEST(a_late_wake_up_is_lateness_and_moves_nothing)
{
    game f;
    start(&f);
    f.clock.wake_late_ns = 300000;
    for (int i = 0; i < 50; ++i) {
        run_frame(&f);
        assert_int_equal(f.frame.start_ns, i * 16 * MS);
        assert_int_equal(f.frame.content_ns, i * 16 * MS);
        assert_int_equal(f.frame.late_ns, i > 0 ? 300000 : 0);
        assert_int_equal(f.frame.interval_ns, 16 * MS);
    }
}

/* --- pause, single step, time scale ----------------------------------------------------------- */

TEST(a_pause_while_ticks_run_waits_for_the_frame)
{
    game f;
    start(&f);
    run_frame(&f);
    es_loop_begin(&f.loop);
    es_loop_tick(&f.loop, &f.steps[0]);
    es_loop_set_paused(&f.loop, true);
    es__ratio half = {1, 2};
    assert_int_equal(es__loop_set_scale(&f.loop, half), ES_OK);
    run_ticks(&f);
    finish(&f);
    assert_int_equal(f.frame.content_ns, 16 * MS);
    run_frame(&f);
    assert_int_equal(f.frame.content_ns, 16 * MS);
    es_loop_set_paused(&f.loop, false);
    run_frame(&f);
    assert_int_equal(f.frame.content_ns, 24 * MS);
}

/* Loading, a dialog: whatever happens between pause and resume, or before a seek or resync. */
TEST(time_that_was_not_the_games_is_left_out)
{
    for (int how = 0; how < 3; ++how) {
        game f;
        start(&f);
        run_frame(&f);
        run_frame(&f);
        if (how == 0) {
            es_loop_set_paused(&f.loop, true);
        }
        es_manual_clock_work(&f.clock, 5000 * MS);
        if (how == 0) {
            es_loop_set_paused(&f.loop, false);
        } else if (how == 1) {
            assert_true(es_loop_resync(&f.loop));
        } else {
            assert_true(es_loop_seek(&f.loop, 0));
        }
        run_frame(&f);
        assert_int_equal(f.frame.content_ns, (how < 2 ? 32 : 16) * MS);
        assert_int_equal(f.frame.account.frame_dropped_ns, 0);
        assert_int_equal(f.frame.account.slowed_ns, (5000 + 2 - 16) * MS);
        run_frame(&f);
        assert_int_equal(f.frame.content_ns, (how < 2 ? 48 : 32) * MS);
    }
}

/* The clock leaps after the first begin. */
TEST(what_passes_before_the_first_frame_is_in_no_account)
{
    game f;
    start(&f);
    assert_true(es_loop_begin(&f.loop));
    f.clock.now_ns += 100 * S;
    run_ticks(&f);
    draw_frame(&f);
    present_frame(&f);
    for (int i = 0; i < 3; ++i) {
        assert_int_equal(f.frame.account.gaps_ns, 0);
        run_frame(&f); /* the account adds up */
    }
}

TEST(a_single_step_runs_exactly_one_tick)
{
    game f;
    start(&f);
    run_frames(&f, 3);
    assert_false(es_loop_tick_once(&f.loop));
    es_loop_set_paused(&f.loop, true);
    for (int i = 0; i < 5; ++i) {
        assert_true(es_loop_tick_once(&f.loop));
        run_frame(&f);
        assert_int_equal(f.ticks, 1);
        assert_int_equal(f.steps[0].index, 8 + i);
        assert_int_equal(f.frame.content_ns, (40 + 5 * i) * MS);
        assert_true(f.frame.alpha == 1.0);
        run_frame(&f);
        assert_int_equal(f.ticks, 0);
    }
    es_loop_tick_once(&f.loop);
    es_loop_tick_once(&f.loop);
    run_frame(&f);
    assert_int_equal(f.ticks, 1);
    run_frame(&f);
    assert_int_equal(f.ticks, 1);
    es_loop_tick_once(&f.loop);
    es_loop_set_paused(&f.loop, false); /* forgets it */
    run_frame(&f);
    assert_int_equal(f.frame.content_ns, (70 + 16) * MS);
}

TEST(time_scales_are_exact)
{
    game f;
    start(&f);
    run_frame(&f);
    es__ratio third = {1, 3};
    assert_int_equal(es__loop_set_scale(&f.loop, third), ES_OK);
    for (int64_t i = 1; i <= 300; ++i) {
        run_frame(&f);
        assert_int_equal(f.frame.content_ns, i * 16 * MS / 3);
    }
    es__ratio triple = {3, 1};
    assert_int_equal(es__loop_set_scale(&f.loop, triple), ES_OK);
    for (int64_t i = 1; i <= 100; ++i) {
        run_frame(&f);
        assert_int_equal(f.frame.content_ns, (1600 + 48 * i) * MS);
    }
    es__ratio normal = {1, 1};
    es__loop_set_scale(&f.loop, normal);
    run_frame(&f);
    assert_int_equal(f.frame.content_ns, (1600 + 4800 + 16) * MS);
    assert_int_equal(f.frame.account.slowed_ns, f.frame.start_ns - f.frame.content_ns);
}

TEST(bad_time_scales_are_refused)
{
    game f;
    const es__ratio bad[] = {{1, 0}, {1001, 1}, {2000001, 2000}, {UINT32_MAX, 4294967}};
    const es__ratio good[] = {{0, 1}, {1000, 1}, {2000000, 2000}, {1, UINT32_MAX}, {0, UINT32_MAX}};
    start(&f);
    for_rows (i, bad) {
        assert_int_equal(es__loop_set_scale(&f.loop, bad[i]), ES_ERR_INVALID);
    }
    for_rows (i, good) {
        assert_int_equal(es__loop_set_scale(&f.loop, good[i]), ES_OK);
    }
}

/* --- delay, seek, rate ------------------------------------------------------------------------ */

TEST(a_seek_goes_on_from_its_tick)
{
    game f;
    start(&f);
    run_frame(&f);
    assert_false(es_loop_seek(&f.loop, -1));
    assert_false(es_loop_seek(&f.loop, INT64_MAX));
    assert_true(es_loop_seek(&f.loop, 1000));
    run_frame(&f);
    assert_int_equal(f.steps[0].index, 1001);
    assert_int_equal(f.frame.content_ns, 5016 * MS);
    assert_int_equal(f.frame.account.seeked_ns, 5000 * MS);
    assert_true(es_loop_seek(&f.loop, 2)); /* back */
    run_frame(&f);
    assert_int_equal(f.steps[0].index, 3);
    assert_int_equal(f.frame.content_ns, 26 * MS);
    es_loop_set_paused(&f.loop, true);
    es_loop_seek(&f.loop, 7);
    run_frame(&f);
    assert_int_equal(f.frame.content_ns, 35 * MS);
    assert_int_equal(f.frame.previous_tick, 7);
    assert_int_equal(f.frame.current_tick, 7);
    assert_true(f.frame.alpha == 1.0);
}

/* Restarting a level after the rate was changed: tick 0 is at time 0 again. */
TEST(a_seek_to_the_start_after_a_new_rate)
{
    for (uint32_t hz = 60; hz <= 240; hz += 180) {
        game f;
        start(&f);
        run_frames(&f, 150);
        assert_int_equal(set_tick_rate(&f.loop, es_hz(hz)), ES_OK);
        assert_true(es_loop_seek(&f.loop, 0));
        run_frame(&f);
        assert_int_equal(f.frame.content_ns, 16 * MS);
        assert_int_equal(f.steps[0].index, 1);
        assert_int_equal(f.steps[0].time_ns, es__rate_period_ns(es_hz(hz)));
    }
}

/* A delay in ticks changes with the tick rate; the picture goes on from where it is. A longer
 * delay within the first one, 100 ms, does not prolong that. */
TEST(a_new_rate_under_a_delay_moves_no_picture)
{
    game f;
    start_game(&f, "adaptive");
    f.render_ns = 2 * MS;
    f.config.tick_rate = es_hz(10);
    f.config.interval_ns = 16 * MS;
    f.config.delay_ticks = 1.0;
    open_game(&f);
    run_frames(&f, 4);
    set_tick_rate(&f.loop, es_hz(5));
    run_frames(&f, 96);
    assert_int_equal(f.frame.content_ns, 99 * 16 * MS - 100 * MS);
    const uint32_t rates[] = {240, 10, 60, 5};
    for (int i = 0; i < 4; ++i) {
        int64_t content_ns = f.frame.content_ns;
        es_loop_set_paused(&f.loop, true);
        set_tick_rate(&f.loop, es_hz(rates[i]));
        run_frame(&f);
        assert_int_equal(f.frame.content_ns, content_ns);
        es_loop_set_paused(&f.loop, false);
        for (int k = 1; k <= 20; ++k) {
            run_frame(&f);
            assert_int_equal(f.frame.content_ns, content_ns + k * 16 * MS);
        }
    }
}

/* Every fourth frame works for 25 ms, so the interval is 30 ms, also after another tick rate. Presents
 * that never block keep their timer. */
TEST(another_tick_rate_leaves_the_pace)
{
    static const struct {
        es_loop_config config;
        int64_t interval_ns;
    } rows[] = {
            {{.pace = ES_PACE_ADAPTIVE}, 30 * MS},
            {{.pace = ES_PACE_ADAPTIVE, .catch_up = ES_CATCH_UP_SLOW}, 30 * MS},
            {{.pace = ES_PACE_FIXED, .interval_ns = 26 * MS}, 26 * MS},
            {{.pace = ES_PACE_PRESENT, .refresh = {30, 1}}, 33333333},
            {{.pace = ES_PACE_AUTO, .refresh = {30, 1}}, 33333333},
    };
    for_rows (row, rows) {
        game f;
        start_game(&f, NULL);
        f.config = rows[row].config;
        open_game(&f);
        for (int i = 0; i < 48; ++i) {
            if (i == 40) {
                es_loop_config config = es_loop_get_config(&f.loop);
                config.tick_rate = es_hz(50);
                assert_true(es_loop_configure(&f.loop, &config));
            }
            int64_t before_ns = f.frame.start_ns;
            f.render_ns = (i % 4 == 3 ? 25 : 2) * MS;
            run_frame(&f);
            int64_t off_ns = f.frame.start_ns - before_ns - rows[row].interval_ns;
            if (i >= 32 && (off_ns < -1 || off_ns > 1)) {
                fail_msg("row %d, frame %d: %d ns off", (int)row, i, (int)off_ns);
            }
        }
    }
}

/* With ticks run for a far start, a shorter interval must not pull the start before them. */
TEST(an_interval_set_while_ticks_run_is_refused)
{
    game f;
    start(&f);
    assert_int_equal(set_interval(&f.loop, 100 * MS), ES_OK);
    run_frame(&f);
    es_loop_begin(&f.loop);
    for (int i = 0; i < 15; ++i) {
        assert_true(es_loop_tick(&f.loop, &f.steps[0]));
        es_manual_clock_work(&f.clock, MS);
    }
    assert_int_equal(set_interval(&f.loop, 10 * MS), ES_ERR_STATE);
    run_ticks(&f);
    assert_int_equal(set_interval(&f.loop, 10 * MS), ES_ERR_STATE);
    finish(&f);
    assert_int_equal(f.frame.content_ns, 100 * MS);
    assert_int_equal(set_interval(&f.loop, 10 * MS), ES_OK);
    /* the default maximum is back at 50 ms: 60 ms of work is a stall again */
    assert_int_equal(f.loop.pacer.config.interval_max_ns, 50 * MS);
}

/* Fast forward needs more ticks per frame: the default bound grows with it. */
TEST(the_default_bound_follows_the_time_scale)
{
    game f;
    es__ratio fast = {16, 1};
    start(&f);
    run_frame(&f);
    assert_int_equal(es__loop_set_scale(&f.loop, fast), ES_OK);
    for (int i = 1; i < 20; ++i) {
        run_frame(&f);
        assert_int_equal(f.frame.content_ns, i * 256 * MS);
        assert_int_equal(f.frame.account.dropped_ns, 0);
    }
}

/* --- hosts ------------------------------------------------------------------------------------ */

TEST(a_hosts_odd_times_are_survived)
{
    game f;
    const int64_t starts[] = {0, 16, 16, 5, 21, 7221, 7237, 7253};
    const int64_t contents[] = {0, 16, 16, 16, 32, 32, 48, 64};
    const es_gap_kind kinds[] = {ES_GAP_NONE, ES_GAP_NONE, ES_GAP_NONE, ES_GAP_CLOCK_BACK,
            ES_GAP_NONE, ES_GAP_STOPPED, ES_GAP_NONE, ES_GAP_NONE};
    start(&f);
    for_rows (i, starts) {
        /* expectations before the start or far away are ignored */
        int64_t expected_ns = i % 2 == 0 ? INT64_MAX : starts[i] * MS - 1;
        assert_true(es__loop_begin_host(&f.loop, starts[i] * MS, expected_ns));
        run_ticks(&f);
        finish(&f);
        assert_int_equal(f.frame.content_ns, contents[i] * MS);
        assert_int_equal(f.frame.gap.kind, kinds[i]);
    }
}

TEST(a_host_needs_no_clock)
{
    game f;
    start(&f);
    memset(&f.loop.clock, 0, sizeof f.loop.clock); /* as on the null platform */
    assert_false(es_loop_begin(&f.loop));
    for (int64_t i = 0; i < 5; ++i) {
        assert_true(es__loop_begin_host(&f.loop, i * 16 * MS, 0));
        run_ticks(&f);
        finish(&f);
        assert_int_equal(f.frame.content_ns, i * 16 * MS);
        assert_int_equal(es_loop_get_report(&f.loop)->source, ES_SHOWN_PLANNED);
    }
}
