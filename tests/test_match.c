/* SPDX-License-Identifier: Zlib
 *
 * Ticks that match refreshes (es_loop_config.speed_change_max), on a simulated display. At every
 * frame the account adds up to the nanosecond, and ticks have the length of the tick rate.
 */
#include "frame_support.h"
#include "manual_clock.h"
#include "test_screen.h"

typedef struct game {
    es_loop loop;
    es_manual_clock time;
    screen screen;
    es_frame frame;
    int64_t first_present_ns;
    double change; /* of speed */
} game;

static void start(game *g, double ticks, double most, double refresh, int32_t queue, bool announced)
{
    es_loop_config config = {.tick_rate = es_hz(ticks), .speed_change_max = most};
    *g = (game){.screen = {.rate = es_hz(refresh), .depth = queue, .late_ns = MS}};
    config.clock = es_manual_clock_get(&g->time);
    config.refresh = announced ? g->screen.rate : config.refresh;
    assert_int_equal(es__loop_init(&g->loop, &config, NULL), ES_OK);
}

/* A frame, whose drawing takes this time. Returns by how many ticks it shows more than the last. */
static int64_t run_frame(game *g, int64_t cost_ns)
{
    es_frame before = g->frame;
    assert_true(es_loop_next(&g->loop, &g->frame));
    g->first_present_ns = g->frame.index == 0 ? g->frame.present_ns : g->first_present_ns;
    assert_account_adds_up(&g->frame, g->first_present_ns);
    assert_true(g->frame.content_ns >= before.content_ns);
    assert_true(g->frame.content_ns >= g->frame.previous_ns);
    assert_true(g->frame.tick_s == g->loop.ticker.period_s);
    g->change = es_loop_get_display(&g->loop).speed_change;
    es_manual_clock_work(&g->time, cost_ns);
    assert_true(es_loop_submit(&g->loop));
    g->time.now_ns = screen_present(&g->screen, g->time.now_ns);
    return g->frame.current_tick - before.current_tick;
}

static void run_for(game *g, int64_t ns, int64_t ticks_most)
{
    for (int64_t until_ns = g->time.now_ns + ns; g->time.now_ns < until_ns;) {
        assert_in_range(run_frame(g, MS), 0, ticks_most);
    }
}

/* For so many frames each tick is shown for n refreshes. speed: that of es_loop_set_speed. */
static void assert_even(game *g, int frames, int64_t n, double speed)
{
    while (run_frame(g, MS) == 0) {
    }
    for (int i = 0; i < frames; ++i) {
        int64_t flip_ns = g->screen.last_ns;
        assert_int_equal(run_frame(g, MS), i % n == n - 1);
        double refresh_ns = (double)(g->screen.last_ns - flip_ns);
        double tick_ns = g->loop.ticker.period_s * 1e9 / (speed * (1 + g->change));
        assert_true(fabs(tick_ns - (double)n * refresh_ns) < 0.0002 * refresh_ns);
    }
}

TEST(a_tick_is_shown_for_n_refreshes)
{
    static const double rows[][3] = {{62.5, 60, 1}, {60, 59.94, 1}, {57.2, 60, 1}, {30, 60, 2},
            {31, 60, 2}, {60, 120, 2}, {35, 144, 4}, {60, 240, 4}}; /* ticks, refresh, n */
    static game g;
    for (int k = 0; k < 6 * (int)COUNT_OF(rows); ++k) {
        const double *row = rows[k / 6], change = row[1] / (row[0] * row[2]) - 1;
        start(&g, row[0], 0.05, row[1], k % 3 + 1, k % 2 == 0);
        run_for(&g, 3 * S, 3);
        es_frame before = g.frame;
        assert_even(&g, 600, (int64_t)row[2], 1);
        assert_true(fabs(g.change - change) < 1e-4);
        char said[160], number[16];
        (void)snprintf(number, sizeof number, "; speed %+.2f", 100 * g.change);
        assert_non_null(strstr(es_loop_status(&g.loop, said, sizeof said), number));
        double slowed_ns = (double)(g.frame.account.slow_motion_ns - before.account.slow_motion_ns);
        double passed_ns = (double)(g.frame.present_ns - before.present_ns);
        assert_true(fabs(slowed_ns / passed_ns + change) < 0.005);
        int64_t due_ns = es_frame_step(&g.frame, 0).due_ns + g.frame.account.offset_ns;
        double ahead_ns = (row[2] - 0.5) * 1e9 / row[1]; /* n - 1/2 refreshes */
        assert_true(fabs((double)(due_ns - g.frame.present_ns) - ahead_ns) < 3000);
    }
}

TEST(other_rates_are_as_without_the_setting)
{
    static const double rows[][2] = {{60, 144}, {62.5, 144}, {50, 60}, {57, 60}, {125, 60}};
    static game a, b;
    for_rows (i, rows) {
        start(&a, rows[i][0], 0.05, rows[i][1], 2, false);
        start(&b, rows[i][0], 0, rows[i][1], 2, false);
        for (int frame = 0; frame < 1000; ++frame) {
            assert_int_equal(run_frame(&a, MS), run_frame(&b, MS));
            assert_same_frame(&a.frame, &b.frame);
            assert_true(a.change == 0);
        }
    }
}

/* At 60 Hz, by how many refreshes content is behind as the display's plan leaves it. */
static double behind(const game *g)
{
    return (double)g->frame.account.offset_ns * 60 / S + g->loop.before.match_rest;
}

TEST(lost_refreshes_are_made_up)
{
    static game g;
    for (int64_t cost_ms = 13; cost_ms <= 301; cost_ms += 36) {
        start(&g, 62.5, 0.05, 60, 2, true);
        run_for(&g, 3 * S, 3);
        int64_t tick = g.frame.current_tick, flip_ns = g.screen.last_ns;
        double lost = -behind(&g);
        for (int i = 0; i < 5; ++i) {
            run_frame(&g, cost_ms * MS);
            run_for(&g, S, 17);
            assert_even(&g, 60, 1, 1);
        }
        lost += behind(&g) + (double)g.frame.account.dropped_ns / (16 * MS);
        lost += (double)(g.frame.current_tick - tick)
                - (double)(g.screen.last_ns - flip_ns) * 60 / S;
        assert_true(fabs(lost) < (cost_ms < 250 ? 0.001 : 2.501)); /* a drop ends at a tick's end */
    }
}

TEST(what_is_dropped_moves_content_behind_no_tick)
{
    static game g;
    start(&g, 126.275, 0.5, 176.95, 2, true);
    es_loop_config config = es_loop_get_config(&g.loop);
    config.catch_up_max_ns = 1;
    config.lead_ticks = 2;
    assert_true(es_loop_configure(&g.loop, &config));
    run_for(&g, 3 * S, 3);
}

TEST(changes_leave_content_where_it_is)
{
    static game g;
    start(&g, 62.5, 0.05, 60, 2, false);
    run_for(&g, 3 * S, 3);
    es_loop_set_paused(&g.loop, true);
    run_frame(&g, MS);
    assert_int_equal(run_frame(&g, MS), 0);
    es_loop_tick_once(&g.loop);
    assert_int_equal(run_frame(&g, MS), 1);
    es_loop_set_paused(&g.loop, false);
    assert_int_equal(run_frame(&g, MS), 1);
    assert_even(&g, 60, 1, 1);
    es_loop_set_speed(&g.loop, 0.5);
    assert_even(&g, 60, 2, 0.5);
    assert_int_equal(g.loop.display.whole_tick_ns, 32 * MS);
    es_loop_set_speed(&g.loop, 1);
    for (int i = 0; i < 4; ++i) { /* to 144 Hz and back, twice */
        g.screen.rate = i % 2 == 0 ? es_hz(144) : es_hz(60);
        g.screen.phase_ns = g.screen.last_ns;
        g.screen.last_index = 0;
        run_for(&g, 5 * S, 2);
        assert_true(i % 2 == 0 ? g.change == 0 : g.change < -0.03);
    }
    assert_even(&g, 60, 1, 1);
    es_loop_set_visible(&g.loop, false); /* no display is known */
    assert_in_range(run_frame(&g, MS), 0, 2);
    assert_true(g.change == 0);
}

TEST(a_tick_may_take_longer_than_a_clock_can_count)
{
    es_manual_clock time = {0};
    const es_loop_config config = {.clock = es_manual_clock_get(&time),
            .tick_rate = {1, UINT32_MAX},
            .speed_change_max = 0.05};
    es_loop *loop = es_loop_create(&config);
    assert_true(es_loop_set_speed(loop, 0.001));
    for (es_frame frame = {0}; frame.index < 100 && es_loop_next(loop, &frame);) {
        assert_true(frame.ticks <= 1 && es_loop_submit(loop)); /* tick 1 begins at once */
        time.now_ns += MS;
    }
    es_loop_destroy(loop);
}

TEST(a_host_has_it_too)
{
    static game g;
    start(&g, 62.5, 0.05, 60, 2, false);
    for (int i = 0; i < 600; ++i) {
        int64_t stamp_ns = es_rate_time_ns(es_hz(60), i) + i * i % 3 * MS;
        assert_true(es_loop_next_at(&g.loop, stamp_ns, ES_UNKNOWN_NS, &g.frame));
        assert_true(i < 120 || g.frame.ticks == 1);
    }
}
