/* SPDX-License-Identifier: Zlib
 *
 * next: the first form of a frame. Its ticks, alpha and content are those of the stepped form, its
 * steps those of es_loop_tick, and the cost of a tick is found.
 */
#include "base/work_cost.h"
#include "test_game.h"

static void open_next(game *g, const es_loop_config *config)
{
    memset(g, 0, sizeof *g);
    g->config = *config;
    open_game(g);
}

/* A frame of the first form, whose drawing is over. */
static void next_frame(game *g, bool waits)
{
    g->before = g->frame;
    assert_true(es_loop_next(&g->loop, &g->frame));
    g->began_ns = g->clock.now_ns;
    es_manual_clock_work(&g->clock, g->frame.ticks * g->update_ns);
    if (waits) {
        es_frame kept = g->frame;
        assert_true(es_loop_wait(&g->loop, &kept));
        assert_memory_equal(&kept, &g->frame, sizeof kept);
    }
    es_manual_clock_work(&g->clock, g->render_ns);
}

static void show_frame(game *g)
{
    assert_true(es_loop_submit(&g->loop));
    g->clock.now_ns += g->present_ns;
    if (g->vsync_ns > 0) {
        g->clock.now_ns += g->vsync_ns - g->clock.now_ns % g->vsync_ns;
    }
}

static void run_next(game *g, int64_t count, bool waits)
{
    for (int64_t i = 0; i < count; ++i) {
        next_frame(g, waits);
        show_frame(g);
    }
}

/* --- the same as the stepped form ------------------------------------------------------------- */

/* Both loops of the pair have run the same calls at the same times. */
static void assert_same_frames(const game *stepped, const game *next)
{
    assert_int_equal(next->frame.ticks, stepped->ticks);
    assert_same_frame(&stepped->frame, &next->frame);
    assert_int_equal(next->frame.account.frame_dropped_ns, stepped->frame.account.frame_dropped_ns);
    int32_t kept = stepped->ticks < GAME_STEPS ? stepped->ticks : GAME_STEPS - 1;
    for (int32_t i = 0; i < kept; ++i) {
        es_step a = es_frame_step(&next->frame, i);
        const es_step *b = &stepped->steps[i];
        double speed = es__frame_steps_of(&next->frame).speed;
        int64_t off_ns = es__ns_sub(a.due_ns, b->due_ns);
        assert_int_equal(a.index, b->index);
        assert_int_equal(a.time_ns, b->time_ns);
        assert_int_equal(a.dt_ns, b->dt_ns);
        assert_true(a.dt_s == b->dt_s);
        assert_int_equal(a.in_frame, b->in_frame);
        assert_in_range(off_ns + 1, speed == 1.0 || speed == 0.0 ? 1 : 0, speed == 1.0 ? 1 : 2);
    }
}

static void change_both(game *stepped, game *next, test_random *random)
{
    static const es_rate rates[] = {{60, 1}, {60000, 1001}, {999983, 7919}, {240, 1}, {1, 3}};
    static const es__ratio scales[] = {{1, 1}, {1, 2}, {7, 3}, {0, 1}};
    es_loop *loops[] = {&stepped->loop, &next->loop};
    int64_t what = random_below(random, 24);
    int64_t value = random_below(random, 1000);
    for (int i = 0; i < 2; ++i) {
        if (what == 0) {
            es_loop_set_paused(loops[i], value % 2 == 0);
        } else if (what == 1) {
            set_tick_rate(loops[i], rates[value % 5]);
        } else if (what == 2) {
            es__loop_set_scale(loops[i], scales[value % 4]);
        } else if (what == 3) {
            es_loop_seek(loops[i], value);
        } else if (what == 4) {
            es_loop_tick_once(loops[i]);
        } else if (what == 5) {
            es_loop_resync(loops[i]);
        }
    }
}

static void compare_forms(const es_loop_config *config, uint64_t seed, int frames)
{
    static game stepped, next;
    test_random random = {seed};
    open_next(&stepped, config);
    open_next(&next, config);
    for (int i = 0; i < frames; ++i) {
        change_both(&stepped, &next, &random);
        int64_t passes_ns = random_below(&random, 20) == 0 ? random_below(&random, 400 * MS)
                                                           : random_below(&random, 30 * MS);
        stepped.present_ns = passes_ns;
        next.present_ns = passes_ns;
        run_frame(&stepped);
        run_next(&next, 1, false);
        assert_same_frames(&stepped, &next);
    }
}

static const es_loop_config kinds[] = {
        {.pace = ES_PACE_AUTO},
        {.pace = ES_PACE_ADAPTIVE},
        {.pace = ES_PACE_FIXED, .interval_ns = 10 * MS},
        {.pace = ES_PACE_UNCAPPED, .ticks_max = 3},
        {.pace = ES_PACE_ADAPTIVE, .step = ES_STEP_LOCKSTEP},
        {.pace = ES_PACE_PRESENT, .step = ES_STEP_VARIABLE},
        {.pace = ES_PACE_PRESENT, .alpha_below_one = true, .delay_ticks = 1.0},
        {.pace = ES_PACE_ADAPTIVE, .catch_up = ES_CATCH_UP_SLOW, .ticks_max = 4},
        {.pace = ES_PACE_ADAPTIVE, .catch_up = ES_CATCH_UP_SPREAD, .ticks_max = 4},
        {.pace = ES_PACE_ADAPTIVE, .catch_up = ES_CATCH_UP_WAIT},
        {.pace = ES_PACE_ADAPTIVE, .lead_ticks = 2},
        {.pace = ES_PACE_AUTO, .lead_ticks = -1},
};

TEST(without_costs_both_forms_are_the_same)
{
    for_rows (i, kinds) {
        compare_forms(&kinds[i], 1 + i, TEST_SANITIZED ? 1000 : 10000);
    }
}

/* Each tick ends where the next begins, and the steps of a frame are of one length. */
TEST(stretched_steps_are_even_and_complete)
{
    const es_loop_config config = {
            .pace = ES_PACE_ADAPTIVE, .catch_up = ES_CATCH_UP_STRETCH, .ticks_max = 3};
    static game g;
    test_random random = {7};
    int64_t index = 0, time_ns = 0, stretched = 0;
    open_next(&g, &config);
    for (int i = 0; i < 2000; ++i) {
        next_frame(&g, false);
        show_frame(&g);
        for (int32_t n = 0; n < g.frame.ticks; ++n) {
            es_step step = es_frame_step(&g.frame, n);
            assert_int_equal(step.index, ++index);
            assert_int_equal(step.time_ns, time_ns + step.dt_ns);
            assert_true(step.dt_s == g.frame.tick_s);
            time_ns = step.time_ns;
            stretched += es__frame_steps_of(&g.frame).step_ns > 0;
        }
        assert_int_equal(index, g.frame.newest_tick);
        assert_int_equal(time_ns, g.frame.newest_ns);
        g.clock.now_ns += random_below(&random, 150 * MS);
    }
    assert_true(stretched > 100);
}

TEST(a_step_that_the_frame_does_not_have_is_zero)
{
    const es_frame empty = {0};
    static game g;
    open_next(&g, &kinds[1]);
    run_next(&g, 3, false);
    assert_int_equal(g.frame.ticks, 1);
    es_step steps[] = {es_frame_step(NULL, 0), es_frame_step(&empty, 0),
            es_frame_step(&g.frame, -1), es_frame_step(&g.frame, 1)};
    for_rows (i, steps) {
        assert_int_equal(steps[i].index, 0);
        assert_int_equal(steps[i].dt_ns, 0);
    }
    assert_int_equal(es_frame_step(&g.frame, 0).begun_ns, g.began_ns);
}

/* --- the order of calls ----------------------------------------------------------------------- */

TEST(next_ends_an_open_frame)
{
    static game g;
    open_next(&g, &kinds[1]);
    for (int how = 0; how < 3; ++how) { /* left open, submitted, ended */
        next_frame(&g, false);
        int64_t index = g.frame.index;
        if (how > 0) {
            show_frame(&g);
        }
        if (how > 1) {
            assert_true(es_loop_end(&g.loop));
        }
        next_frame(&g, false);
        assert_int_equal(g.frame.index, index + 1);
        assert_int_equal(es_loop_get_report(&g.loop)->frame.index, index);
        show_frame(&g);
    }
}

TEST(misuse_is_refused)
{
    static game g;
    es_loop unusable = {0};
    open_next(&g, &kinds[1]);
    assert_false(es_loop_next(&unusable, &g.frame));
    assert_false(es_loop_next_at(&unusable, 0, 0, &g.frame));
    assert_false(es_loop_wait(&unusable, NULL));
    es_loop_acquired(&unusable);
    es_loop_acquired(&g.loop);
    assert_true(es_loop_next(&g.loop, &g.frame));
    es_frame frame = g.frame;
    assert_true(es_loop_wait(&g.loop, &g.frame));
    assert_memory_equal(&frame, &g.frame, sizeof frame); /* the first form's plan is final */
}

/* --- hosts ------------------------------------------------------------------------------------ */

TEST(a_hosts_frames_are_those_of_begin_host)
{
    static game stepped, next;
    open_next(&stepped, &kinds[0]);
    open_next(&next, &kinds[0]);
    for (int64_t i = 0; i < 500; ++i) {
        int64_t host_ns = 5 * S + i * 16666667 + (i % 7) * 10000;
        int64_t seen_ns = i % 3 == 0 ? 0 : host_ns + 20 * MS;
        run_host_frame(&stepped, host_ns, seen_ns);
        int64_t before_ns = next.clock.now_ns;
        assert_true(es_loop_next_at(
                &next.loop, host_ns, seen_ns != 0 ? seen_ns : ES_UNKNOWN_NS, &next.frame));
        assert_int_equal(next.clock.now_ns, before_ns); /* it never waits */
        assert_true(es_loop_wait(&next.loop, &next.frame));
        assert_int_equal(next.clock.now_ns, before_ns);
        assert_same_frames(&stepped, &next);
        assert_int_equal(
                es_frame_step(&next.frame, 0).begun_ns, next.frame.ticks > 0 ? host_ns : 0);
        es_loop_submit(&next.loop);
        es_loop_end(&next.loop);
    }
}

/* Its refreshes are known; those of the gap take no part. */
TEST(a_host_does_not_catch_up_a_gap)
{
    for (int64_t away_ns = 1100 * MS; away_ns < 1000 * S; away_ns *= 8) {
        static game g;
        open_next(&g, &kinds[0]);
        int64_t host_ns = S, before_ns = 0;
        for (int i = 0; i < 400; ++i) {
            assert_true(es_loop_next_at(&g.loop, host_ns, ES_UNKNOWN_NS, &g.frame));
            assert_int_equal(g.frame.gap.removed_ns, i == 300 ? away_ns : 0);
            if (i > 60) {
                assert_in_range(g.frame.content_ns - before_ns, 16666600, 16666733);
            }
            before_ns = g.frame.content_ns;
            es_loop_submit(&g.loop);
            es_loop_end(&g.loop);
            host_ns += i == 299 ? away_ns : 16666667;
        }
    }
}

/* --- costs ------------------------------------------------------------------------------------ */

/* A tick costs 30 % of a refresh; drawing varies by 20 %. */
static void note_works(es__work_cost *cost, test_random *random, int frames, int64_t tick_ns)
{
    for (int i = 0; i < frames; ++i) {
        int32_t ticks = i * 5 / 12 - (i - 1) * 5 / 12; /* 60 per second at 144 Hz */
        es__work_cost_note(
                cost, ticks, 1500 * US + random_below(random, 300 * US) + ticks * tick_ns, MS);
    }
}

TEST(a_frame_costs_as_much_as_those_with_as_many_ticks)
{
    es__work_cost cost = {0};
    test_random random = {5};
    assert_int_equal(es__work_cost_of(&cost, 1), 0);
    assert_int_equal(es__work_cost_per_tick(&cost), 0);
    note_works(&cost, &random, 200, 2083333);
    for (int again = 0; again < 2; ++again) {
        int64_t tick_ns = again == 0 ? 2083333 : MS;
        assert_in_range(es__work_cost_of(&cost, 0), 1500 * US, 1800 * US);
        assert_in_range(es__work_cost_of(&cost, 1), tick_ns + 1500 * US, tick_ns + 1800 * US);
        assert_in_range(es__work_cost_of(&cost, 7), 1500 * US, tick_ns + 1800 * US);
        assert_in_range(es__work_cost_per_tick(&cost), tick_ns - 150 * US, tick_ns + 150 * US);
        assert_in_range(es__work_cost_longest(&cost), tick_ns + 1700 * US, tick_ns + 1800 * US);
        note_works(&cost, &random, 40, MS);
    }
    int64_t before_ns = es__work_cost_of(&cost, 0);
    es__work_cost_note(&cost, 0, 100 * MS, MS); /* a hitch */
    es__work_cost_note(&cost, 5, 450 * MS, MS); /* a number of ticks seen once */
    assert_int_equal(es__work_cost_of(&cost, 0), before_ns);
    assert_in_range(es__work_cost_of(&cost, 5), 1500 * US, 3 * MS);
    assert_in_range(es__work_cost_per_tick(&cost), 850 * US, 1150 * US);
    es__work_cost_note(&cost, 0, 90 * MS, MS); /* two in a row are a load */
    assert_int_equal(es__work_cost_of(&cost, 0), 90 * MS);
}

/* Chance made frames with two ticks look cheaper than those with one. Then D fell as a frame got more
 * ticks, content stayed, and the game ran up to 40 % too fast. */
TEST(more_ticks_are_never_cheaper)
{
    test_random random = {6};
    for (int run = 0; run < 200; ++run) {
        es__work_cost cost = {0};
        for (int i = 0; i < 80; ++i) {
            int32_t ticks = (int32_t)random_below(&random, 5);
            es__work_cost_note(&cost, ticks, 10 * MS + random_below(&random, 10 * MS), 8 * MS);
        }
        for (int32_t ticks = 1; ticks < 12; ++ticks) {
            assert_true(es__work_cost_of(&cost, ticks) >= es__work_cost_of(&cost, ticks - 1));
        }
    }
}

/* [6] A level that loads in the first update changes no later frame, and drops no time. */
TEST(a_slow_first_update_is_one_long_frame)
{
    for (int row = 0; row < 6; ++row) {
        static game g;
        static const int32_t bounds[] = {0, 18, 100};
        int64_t seen_ns = 0;
        bool waits = row >= 3;
        open_next(&g, &(es_loop_config){.ticks_max = bounds[row % 3]});
        g.vsync_ns = 6944444;
        g.render_ns = MS;
        for (int i = 0, tick = 0; i < 400; ++i) {
            g.before = g.frame;
            assert_true(es_loop_next(&g.loop, &g.frame));
            assert_true(g.frame.present_ns - g.clock.now_ns < 50 * MS);
            assert_true(g.frame.ticks <= 15);
            for (int32_t n = 0; n < g.frame.ticks; ++n) {
                es_manual_clock_work(&g.clock, ++tick == 1 ? 450 * MS : 100 * US);
            }
            if (waits) {
                es_loop_wait(&g.loop, NULL);
            }
            es_manual_clock_work(&g.clock, g.render_ns);
            show_frame(&g);
            seen_ns = es__max(seen_ns, g.frame.content_ns - g.before.content_ns);
        }
        assert_true(g.frame.account.dropped_ns <= 450 * MS - 250 * MS + 50 * MS);
        assert_true(seen_ns <= 250 * MS + 17 * MS);
    }
}

/* Where a timer paces, es_loop_next returns at S. With es_loop_wait drawing starts then: next returns
 * earlier by what so many ticks cost, also by one tick after frames of two. Ticks vary by 20 %. */
TEST(a_timer_allows_for_the_ticks)
{
    for (int waits = 0; waits < 2; ++waits) {
        static game g;
        test_random random = {11};
        int64_t late_ns = 0;
        open_next(&g, &kinds[1]);
        g.config.interval_ns = 16 * MS;
        g.config.tick_rate = es_hz(100);
        open_game(&g);
        g.render_ns = 3 * MS;
        for (int i = 0; i < 1100; ++i) {
            g.config.step = i < 600 ? ES_STEP_FIXED : ES_STEP_VARIABLE;
            assert_true(i != 600 || es_loop_configure(&g.loop, &g.config));
            g.update_ns = 1800 * US + random_below(&random, 400 * US);
            next_frame(&g, waits == 1);
            int64_t off_ns = g.clock.now_ns - g.render_ns - g.frame.start_ns;
            off_ns -= waits == 1 ? 0 : g.frame.ticks * g.update_ns;
            if (i >= 100) {
                assert_in_range(off_ns, 0, waits == 1 ? g.frame.ticks * 400 * US : 0);
                assert_in_range(g.frame.start_ns - g.began_ns, 0, g.frame.ticks * 2200 * US);
                late_ns += off_ns;
            }
            assert_true(i == 0 || span_of(&g) == 16 * MS);
            show_frame(&g);
        }
        assert_true(late_ns < 1000 * 120 * US);
    }
}

/* Nor after a frame whose drawing was left out, nor in the first form the ticks of the stepped form. */
TEST(no_frame_waits_for_work_twice)
{
    static game g;
    open_next(&g, &kinds[2]);
    g.render_ns = 900 * MS;
    run_next(&g, 2, false);
    for (int i = 0; i < 4; ++i) {
        int64_t from_ns = g.clock.now_ns;
        assert_true(i < 3 ? es_loop_begin(&g.loop) : es_loop_next(&g.loop, &g.frame));
        es_manual_clock_work(&g.clock, i == 2 ? 900 * MS : 0);
        assert_true(i == 3 || es_loop_wait(&g.loop, &g.frame));
        assert_in_range(g.clock.now_ns - from_ns, 0, i == 2 ? 910 * MS : 10 * MS);
        assert_true(i < 2 || es_loop_submit(&g.loop));
    }
}

TEST(a_frame_drawn_before_its_start_makes_no_negative_length)
{
    static game g;
    open_next(&g, &kinds[2]);
    g.update_ns = 8 * MS;
    run_next(&g, 5, true);
    g.update_ns = 0;
    run_next(&g, 1, false);
    g.config.step = ES_STEP_LOCKSTEP;
    g.config.pace = ES_PACE_UNCAPPED;
    g.config.interval_ns = 0;
    assert_true(es_loop_configure(&g.loop, &g.config));
    next_frame(&g, false);
    assert_true(g.frame.start_ns < g.before.start_ns && g.loop.before.span_ns == 0);
}

TEST(reports_have_one_sum_without_wait)
{
    for (int waits = 0; waits < 2; ++waits) {
        static game g;
        open_next(&g, &kinds[1]);
        g.update_ns = 2 * MS;
        g.render_ns = 3 * MS;
        do {
            run_next(&g, 1, waits == 1);
            assert_true(es_loop_end(&g.loop));
        } while (g.frame.ticks == 0 || g.frame.index < 20);
        const es_report *report = es_loop_get_report(&g.loop);
        int64_t ticks_ns = g.frame.ticks * g.update_ns;
        assert_int_equal(report->update_work_ns, waits == 1 ? ticks_ns : 0);
        assert_int_equal(report->render_work_ns, 3 * MS + (waits == 1 ? 0 : ticks_ns));
        assert_true(waits == 1 || report->ready_ns == g.began_ns);
        assert_int_equal(report->submit_ns - report->ready_ns, report->render_work_ns);
    }
}

/* Whether or not CPU time tells of waits: one wait is taken out once. */
TEST(waiting_for_a_buffer_is_no_work)
{
    for (int how = 0; how < 8; ++how) {
        static game g;
        bool tells = how % 2 == 1, stepped = how / 2 % 2 == 1;
        open_next(&g, &kinds[0]);
        if (how >= 4) {
            g.config.clock = es_manual_clock_get(&g.clock);
            g.config.clock.thread_cpu_ns = NULL;
            assert_int_equal(es__loop_init(&g.loop, &g.config, NULL), ES_OK);
        }
        for (int i = 0; i < 50; ++i) {
            if (stepped) {
                assert_true(es_loop_begin(&g.loop));
                run_ticks(&g);
            } else {
                assert_true(es_loop_next(&g.loop, &g.frame));
            }
            assert_true(es_loop_wait(&g.loop, &g.frame));
            g.clock.now_ns += 10 * MS;
            if (tells) {
                es_loop_acquired(&g.loop);
            }
            es_manual_clock_work(&g.clock, 2 * MS);
            assert_true(es_loop_submit(&g.loop));
            assert_true(es_loop_end(&g.loop));
            int64_t work_ns = es_loop_get_report(&g.loop)->render_work_ns;
            if (tells || (how < 4 && i > 2)) {
                assert_int_equal(work_ns, 2 * MS);
            } else if (how >= 4) {
                assert_int_equal(work_ns, 12 * MS);
            }
        }
    }
}

/* [24] A seek within a frame moves no step. */
TEST(a_seek_before_a_variable_step_keeps_its_length)
{
    static game g;
    es_step step;
    open_next(&g, &(es_loop_config){.step = ES_STEP_VARIABLE});
    g.vsync_ns = 16666667;
    run_next(&g, 90, false);
    for (int64_t tick = 2; tick <= 60000; tick += 59998) {
        assert_true(es_loop_end(&g.loop));
        assert_true(es_loop_begin(&g.loop));
        assert_true(es_loop_seek(&g.loop, tick));
        assert_true(es_loop_tick(&g.loop, &step));
        assert_false(es_loop_tick(&g.loop, &(es_step){0}));
        assert_true(es_loop_wait(&g.loop, &g.frame));
        assert_true(g.frame.tick_s == step.dt_s && step.dt_s > 0.01 && step.dt_s < 0.02);
        assert_int_equal(es_frame_step(&g.frame, 0).dt_ns, step.dt_ns);
        show_frame(&g);
    }
}

/* [36] 60.0988 ticks per second, one per refresh of 60 Hz: the game runs 0.16 % slower. */
TEST(lockstep_tells_its_speed)
{
    static game g;
    es_loop_config config;
    assert_true(es_loop_preset("lockstep", &config));
    config.tick_rate = es_hz(60.0988);
    open_next(&g, &config);
    g.vsync_ns = 16666667;
    g.render_ns = 2 * MS;
    run_next(&g, 600, false);
    double change = es_loop_get_display(&g.loop).speed_change;
    assert_true(change > -0.00174 && change < -0.00154);
}
