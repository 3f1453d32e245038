/* SPDX-License-Identifier: Zlib
 *
 * The loops besides adaptive, each against the words of its row: lockstep, variable, decoupled,
 * max-frameskip. Exact, on the manual clock. (Adaptive: test_timelines.c.)
 */
#include "test_game.h"

__extension__ typedef __int128 int128;

enum { LONG = 1000000 / TEST_SHARE };

/* --- A2 lockstep ------------------------------------------------------------------------------ */

/* Runs 1000 frames of this work: each must take so many intervals and show one tick more. */
static void expect_lockstep(int64_t work_ns, int64_t intervals)
{
    static game g;
    const int64_t period_ns = 20 * MS;
    start_game(&g, "lockstep");
    g.config.tick_rate = es_hz(50);
    g.update_ns = work_ns / 3;
    g.render_ns = work_ns - g.update_ns;
    open_game(&g);
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
        assert_int_equal(g.frame.account.frame_slow_motion_ns, (intervals - 1) * period_ns);
        assert_int_equal(g.frame.account.frame_dropped_ns, 0);
        before_ns = g.frame.start_ns;
    }
    assert_int_equal(g.frame.account.slow_motion_ns, 1000 * (intervals - 1) * period_ns);
    assert_int_equal(g.frame.account.slowed_ns, g.frame.account.slow_motion_ns);
}

TEST(lockstep_loses_whole_intervals)
{
    expect_lockstep(0, 1);
    expect_lockstep(19 * MS, 1);
    expect_lockstep(20 * MS, 1);
    expect_lockstep(20 * MS + 1, 2);
    expect_lockstep(30 * MS, 2); /* 1.5 intervals of work: exactly half speed, evenly */
    expect_lockstep(40 * MS, 2);
    expect_lockstep(50 * MS, 3);
}

/* The period is no whole number of nanoseconds: the ticks stay exact, one to a frame. */
TEST(lockstep_is_exact_at_any_rate)
{
    static game g;
    start_game(&g, "lockstep");
    g.config.tick_rate = es__rate_make(60000, 1001);
    open_game(&g);
    run_frame(&g);
    for (int64_t n = 1; n <= LONG; ++n) {
        run_frame(&g);
        assert_int_equal(g.ticks, 1);
        assert_int_equal(g.frame.content_ns, es_rate_time_ns(g.config.tick_rate, n));
        assert_true(g.frame.alpha == 1.0);
    }
    assert_int_equal(set_tick_rate(&g.loop, es_hz(30)), ES_OK);
    run_frame(&g);
    assert_int_equal(g.frame.interval_ns, 33333333); /* the interval follows */
    assert_int_equal(g.ticks, 1);
}

/* Slower by a thousandth, content moves off the ticks, and back in a thousand frames. */
TEST(lockstep_may_be_a_little_slower)
{
    static game g;
    start_game(&g, "lockstep");
    g.config.tick_rate = es_hz(50);
    open_game(&g);
    run_frame(&g);
    assert_true(es_loop_set_speed(&g.loop, 0.999));
    for (int64_t n = 1; n <= 1000; ++n) {
        run_frame(&g);
        assert_int_equal(g.frame.content_ns, n * 19980000);
    }
}

/* One update per frame also after a pause, a step, a seek, slow motion; whatever the period. */
TEST(lockstep_stays_on_its_ticks)
{
    const es_rate rates[] = {es_hz(60), es__rate_make(60000, 1001), es_hz(50), es_hz(999)};
    const es__ratio speeds[] = {{1, 3}, {2, 1}, {1, 2}, {1, 1}};
    static game g;
    for (int r = 0; r < 4; ++r) {
        start_game(&g, "lockstep");
        g.config.tick_rate = rates[r];
        open_game(&g);
        run_frame(&g);
        for (int i = 0; i < 300; ++i) {
            es_loop_set_paused(&g.loop, true);
            for (int k = 0; k < i % 3; ++k) {
                run_frame(&g);
                es_loop_tick_once(&g.loop);
            }
            es_loop_set_paused(&g.loop, false);
            if (i % 5 == 0) {
                es_loop_seek(&g.loop, 7 * i + 5);
            }
            for (int k = 0; k < 7; ++k) {
                run_frame(&g);
                assert_int_equal(g.ticks, 1);
                assert_true(g.frame.alpha == 1.0);
            }
            if (i % 4 == 3) {
                es__loop_set_scale(&g.loop, speeds[i / 4 % 3]);
                for (int k = 0; k < 6; ++k) {
                    run_frame(&g); /* six frames end on a tick at each of these speeds */
                }
                assert_int_equal(g.frame.content_ns, g.frame.current_ns);
                es__loop_set_scale(&g.loop, speeds[3]);
            }
        }
    }
}

/* --- A3 variable ------------------------------------------------------------------------------ */

/* Returns how many frames waited when they began. */
static int64_t expect_steps(int64_t render_max_ns, int64_t update_max_ns)
{
    static game g;
    test_random random = {7};
    int64_t waited = 0, begun_ns = 0;
    open_loop(&g, "variable", 0, 0);
    for (int64_t n = 0; n <= LONG; ++n) {
        int64_t now_ns = g.clock.now_ns;
        g.render_ns = 1 + random_below(&random, render_max_ns);
        g.update_ns = random_below(&random, update_max_ns);
        run_frame(&g);
        waited += g.began_ns > now_ns;
        assert_int_equal(g.ticks, n > 0);
        assert_int_equal(g.frame.content_ns, g.began_ns);
        assert_true(g.frame.alpha == 1.0);
        if (n > 0) {
            assert_int_equal(g.step.index, n);
            assert_int_equal(g.step.dt_ns, g.began_ns - begun_ns);
            assert_int_equal(g.step.time_ns, g.began_ns);
            assert_true(g.step.dt_s == (double)g.step.dt_ns / 1e9);
        }
        begun_ns = g.began_ns;
    }
    assert_int_equal(g.frame.account.dropped_ns, 0);
    return waited;
}

/* Also where frames wait because presents do not block. */
TEST(variable_steps_are_the_time_that_passed)
{
    assert_int_equal(expect_steps(40 * MS, 3 * MS), 0);
    assert_true(expect_steps(900 * US, 1) > LONG * 8 / 10);
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
    assert_int_equal(g->frame.account.frame_dropped_ns, dropped_ns);
    assert_int_equal(g->frame.account.frame_slow_motion_ns, slow_motion_ns);
    assert_int_equal(g->frame.content_ns, before_ns + 10 * MS + step_ns);
}

TEST(absurd_steps_are_replaced)
{
    static game g;
    open_loop(&g, "variable", 0, 10 * MS);
    run_frame(&g);
    expect_step(&g, S, S);
    expect_step(&g, S + 1, MS); /* really worked for so long: no gap */
    expect_step(&g, 3 * S, MS);
    expect_step(&g, 1, 1);
    expect_step(&g, 0, MS); /* the clock did not move */
    start_game(&g, "variable");
    g.config.step_min_ns = 2 * MS;
    g.config.step_max_ns = 50 * MS;
    g.config.step_absurd_ns = 16 * MS;
    g.render_ns = 10 * MS;
    open_game(&g);
    run_frame(&g);
    expect_step(&g, 2 * MS, 2 * MS);
    expect_step(&g, 2 * MS - 1, 16 * MS);
    expect_step(&g, 50 * MS, 50 * MS);
    expect_step(&g, 50 * MS + 1, 16 * MS);
    open_loop(&g, "variable", 0, 0); /* a host's time goes back: no step */
    run_host_frame(&g, 16 * MS, 30 * MS);
    run_host_frame(&g, 17 * MS, 30 * MS - 1);
    assert_int_equal(g.ticks, 0);
}

/* --- A4 decoupled ----------------------------------------------------------------------------- */

/* The largest n with floor(n * period) <= elapsed, in 128 bits. */
/* Every tick with t(n) <= elapsed has run, and alpha is of the rest. Returns how many frames waited. */
static int64_t expect_due(es_rate rate, uint64_t seed, int frames, int64_t render_max_ns)
{
    static game g;
    test_random random = {seed};
    int64_t ran = 0, waited = 0;
    const int128 per_s = (int128)rate.denominator * S;
    start_game(&g, "decoupled");
    g.config.tick_rate = rate;
    open_game(&g);
    for (int i = 0; i < frames; ++i) {
        int64_t now_ns = g.clock.now_ns;
        bool stall = render_max_ns > MS && random_below(&random, 8) == 0;
        g.render_ns = random_below(&random, stall ? 400 * MS : render_max_ns);
        g.update_ns = random_below(&random, 1000); /* reads the clock once: costs do not matter */
        run_frame(&g);
        waited += g.began_ns > now_ns;
        int64_t elapsed_ns = g.began_ns;
        int64_t due = (int64_t)((int128)(elapsed_ns + 1) * rate.numerator / per_s + 1);
        while (due * per_s / rate.numerator > elapsed_ns) {
            due -= 1;
        }
        assert_int_equal(g.ticks, due - ran);
        ran = due;
        assert_int_equal(g.frame.current_tick, due);
        if (due > 0) {
            int64_t current_ns = es_rate_time_ns(rate, due);
            int64_t next_ns = es_rate_time_ns(rate, due + 1);
            int64_t remainder_ns = elapsed_ns - current_ns;
            assert_int_equal(g.frame.content_ns - g.frame.previous_ns, remainder_ns);
            assert_true(g.frame.alpha == (double)remainder_ns / (double)(next_ns - current_ns));
        } else {
            assert_true(g.frame.alpha == 0.0);
            assert_int_equal(g.frame.content_ns, 0);
        }
    }
    assert_int_equal(g.frame.account.dropped_ns, 0);
    return waited;
}

TEST(decoupled_runs_exactly_what_is_due)
{
    const es_rate rates[] = {es_hz(60), es_hz(50), es_hz(5), es__rate_make(60000, 1001),
            es__rate_make(999983, 7919)};
    for_rows (i, rates) {
        assert_int_equal(expect_due(rates[i], 1 + i, i == 0 ? LONG : LONG / 5, 20 * MS), 0);
    }
    assert_true(expect_due(rates[3], 7, LONG / 5, 900 * US) > LONG / 10);
}

TEST(decoupled_moves_the_clock_up_after_a_second)
{
    static game g;
    open_loop(&g, "decoupled", 50, 10 * MS);
    run_frames(&g, 100);
    int64_t tick = g.frame.current_tick;
    int64_t content_ns = g.frame.content_ns;
    g.render_ns = S - 10 * MS; /* not yet: content has one tick in hand */
    run_frame(&g);
    g.render_ns = 3 * S;
    run_frame(&g);
    assert_int_equal(g.frame.account.frame_dropped_ns, 0);
    assert_int_equal(g.frame.current_tick - tick, 50);
    content_ns = g.frame.content_ns;
    int64_t newest_ns = g.frame.current_ns;
    g.render_ns = 10 * MS;
    run_frame(&g);
    assert_int_equal(g.frame.content_ns, newest_ns + S);
    assert_int_equal(g.frame.account.frame_dropped_ns, 3 * S - (newest_ns + S - content_ns));
    run_frame(&g);
    assert_int_equal(g.frame.account.frame_dropped_ns, 0);
    assert_int_equal(g.frame.content_ns, newest_ns + S + 10 * MS);
}

/* --- A3 and A4 wait where presents do not block ----------------------------------------------- */

/* Frames from now on that begin within so long. */
static int64_t frames_in(game *g, int64_t span_ns)
{
    int64_t until_ns = g->clock.now_ns + span_ns;
    int64_t before = g->frame.index;
    run_until(g, until_ns);
    return g->frame.index - before;
}

TEST(frames_wait_only_where_presents_do_not_block)
{
    static const struct {
        const char *name;
        int64_t refresh_ns, interval_ns;
        int64_t render_ns, present_ns, vsync_ns;
        bool uncapped;
        int32_t fps_least, fps_most; /* with a burst of a few frames every 3 s */
    } rows[] = {
            {"decoupled", 0, 0, 500 * US, 0, 0, false, 59, 75},
            {"variable", 0, 0, 500 * US, 0, 0, false, 59, 75},
            {"decoupled", 6944444, 0, 500 * US, 0, 0, false, 143, 155},
            {"decoupled", 6944444, 0, 3 * MS, 0, 0, false, 143, 155},
            {"decoupled", 0, 10 * MS, 500 * US, 0, 0, false, 99, 112},
            /* nothing proves it: a thousand frames per second are few where no refresh is known,
               and what takes its time may wait for a display */
            {"decoupled", 0, 0, 2 * MS, 0, 0, false, 499, 501},
            {"decoupled", 0, 0, 500 * US, 500 * US, 0, false, 999, 1001},
            {"decoupled", 6944444, 0, 6500 * US, 0, 0, false, 153, 155},
            {"decoupled", 16666667, 0, 4 * MS, 0, 16666667, false, 59, 61},
            {"variable", 6944444, 0, 2 * MS, 0, 6944444, false, 143, 145},
            {"decoupled", 0, 0, 500 * US, 0, 0, true, 1999, 2001},
            {"variable", 16666667, 0, 500 * US, 0, 0, true, 1999, 2001},
            {"max-frameskip", 0, 0, 500 * US, 0, 0, false, 1999, 2001},
    };
    for_rows (i, rows) {
        static game g;
        start_game(&g, rows[i].name);
        g.config.pace = rows[i].uncapped ? ES_PACE_UNCAPPED : g.config.pace;
        g.config.refresh = es__rate_make(S, rows[i].uncapped ? 0 : (uint64_t)rows[i].refresh_ns);
        g.config.interval_ns = rows[i].interval_ns;
        g.render_ns = rows[i].render_ns;
        g.present_ns = rows[i].present_ns;
        g.vsync_ns = rows[i].vsync_ns;
        open_game(&g);
        frames_in(&g, S);
        int64_t fps = frames_in(&g, 9 * S) / 9;
        assert_in_range(fps, rows[i].fps_least, rows[i].fps_most);
    }
}

/* A hidden window: present blocks for longer than gap_ns, which is removed as a gap. */
TEST(a_present_that_blocks_for_a_second_proves_nothing)
{
    static game g;
    start_game(&g, "decoupled");
    g.config.refresh = es__rate_make(S, 16666667);
    g.render_ns = MS;
    open_game(&g);
    g.present_ns = 1050 * MS;
    frames_in(&g, 40 * S);
    g.present_ns = 0;
    int64_t before_ns = g.clock.now_ns;
    run_frame(&g);
    assert_int_equal(g.began_ns, before_ns);
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
    assert_true(es_loop_begin(&g->loop));
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
    assert_true(es_loop_wait(&g->loop, &g->frame));
    assert_true(fabs(g->frame.alpha - alpha) < 1e-12);
    assert_true(g->frame.alpha > 0.0 && g->frame.alpha <= 1.0);
    assert_true(g->frame.ticks <= 10);
    es_manual_clock_work(&g->clock, random_below(random, g->render_ns + 1));
    es_loop_submit(&g->loop);
    assert_true(es_loop_end(&g->loop));
}

TEST(max_frameskip_does_what_its_ten_lines_do)
{
    static game g;
    test_random random = {11};
    skipper s = {0, 20 * MS, 0, 0};
    int64_t dropped_ns = 0;
    open_loop(&g, "max-frameskip", 0, 0);
    assert_int_equal(g.loop.ticker.rate.numerator, 50);
    for (int i = 0; i < LONG; ++i) {
        /* now light, now over the machine's power, now long stalls */
        g.update_ns = i % 1000 < 500 ? MS : 45 * MS;
        g.render_ns = i % 1000 > 900 ? 600 * MS : 12 * MS;
        run_both(&g, &s, &random);
        dropped_ns += g.frame.account.frame_dropped_ns;
    }
    assert_true(dropped_ns > 3600 * S / TEST_SHARE);
    assert_int_equal(g.frame.account.dropped_ns, dropped_ns);
    assert_int_equal(g.frame.content_ns, g.frame.present_ns - dropped_ns);
}

/* --- another loop on the way ------------------------------------------------------------------ */

/* Also within the first delay, where content stands at the first tick. */
TEST(a_shorter_delay_is_over_at_once)
{
    static const char *const names[] = {"variable", "adaptive", "max-frameskip"};
    for (int i = 0; i < 3 * 40; ++i) {
        row("case %d", i);
        static game g;
        start_game(&g, "adaptive");
        g.config.delay_ticks = 8.0;
        g.config.tick_rate = es_hz(20);
        g.render_ns = 7 * MS;
        open_game(&g);
        run_frames(&g, 1 + i / 3);
        assert_true(es_loop_preset(names[i % 3], &g.config));
        g.config.tick_rate = es_hz(20);
        assert_int_equal(es__loop_reconfigure(&g.loop, &g.config, NULL), ES_OK);
        run_frames(&g, 2);
        for (int k = 0; k < 5; ++k) {
            run_frame(&g);
            assert_int_equal(advance_of(&g), g.frame.present_ns - g.before.present_ns);
        }
    }
}

/* An interval set between begin and the first tick makes no plan earlier than it was. */
TEST(a_plan_never_becomes_earlier)
{
    static game g;
    es_step step;
    start_game(&g, "adaptive");
    g.config.tick_rate = es_hz(30);
    g.config.interval_ns = 50 * MS;
    g.update_ns = 2 * MS;
    g.render_ns = 9 * MS;
    open_game(&g);
    for (int i = 0; i < 200; ++i) {
        es_loop_begin(&g.loop);
        assert_int_equal(set_interval(&g.loop, (i % 2 == 0 ? 10 : 50) * MS), ES_OK);
        while (es_loop_tick(&g.loop, &step)) {
            es_manual_clock_work(&g.clock, g.update_ns);
        }
        es_loop_wait(&g.loop, &g.frame);
        assert_true(g.frame.alpha > 0.0);
        es_manual_clock_work(&g.clock, g.render_ns);
        es_loop_end(&g.loop);
    }
}

/* What the setters changed is in it, so that it can be changed further. */
TEST(the_configuration_can_be_asked_for)
{
    static game g;
    es_loop_config none = {0};
    start_game(&g, "adaptive");
    g.config.interval_max_ns = 40 * MS;
    open_game(&g);
    assert_int_equal(set_tick_rate(&g.loop, es_hz(30)), ES_OK);
    assert_int_equal(set_interval(&g.loop, 7 * MS), ES_OK);
    assert_int_equal(set_catch_up(&g.loop, ES_CATCH_UP_SPREAD), ES_OK);
    es_loop_config config = es_loop_get_config(&g.loop);
    assert_int_equal(config.tick_rate.numerator, 30);
    assert_int_equal(config.interval_ns, 7 * MS);
    assert_int_equal(config.interval_max_ns, 40 * MS);
    assert_int_equal(config.catch_up, ES_CATCH_UP_SPREAD);
    assert_true(config.clock.user == &g.clock);
    config.clock = none.clock; /* ignored: the loop keeps its own */
    assert_int_equal(es__loop_reconfigure(&g.loop, &config, NULL), ES_OK);
    assert_true(es_loop_get_config(&g.loop).clock.user == &g.clock);
    run_frame(&g);
    assert_int_equal(g.frame.interval_ns, 7 * MS); /* in force, with the maximum as it was */
    config = es_loop_get_config(NULL);
    assert_memory_equal(&config, &none, sizeof none);
}

/* Ticks stay on one exact sequence; a shorter automatic interval fits the longest one that was set. */
TEST(the_same_configuration_each_frame_changes_nothing)
{
    static const char *const names[] = {"lockstep", "adaptive", "decoupled", "max-frameskip"};
    for (int i = 0; i < 4; ++i) {
        static game g;
        open_loop(&g, names[i], 60, 7 * MS);
        for (int frame = 0; frame < 1000; ++frame) {
            es_loop_config config = es_loop_get_config(&g.loop);
            assert_true(es_loop_configure(&g.loop, &config));
            run_frame(&g);
            assert_int_equal(g.frame.newest_ns, es_rate_time_ns(es_hz(60), g.frame.newest_tick));
        }
    }
}

/* A reading is a system call: 20 a second to tell a slow frame from a stopped thread, one for each
 * frame where work must be distinguished from waiting. */
TEST(cpu_time_is_read_where_it_decides)
{
    static const struct {
        const char *name;
        int64_t vsync_ns, least, most; /* readings in 600 frames */
    } rows[] = {{"auto", 16666667, 100, 200}, {"auto", 6944444, 60, 90},
            {"auto", 0, 600, 1200}, /* nothing blocks */
            {"adaptive", 0, 600, 600}, {"lockstep", 0, 100, 200},
            {"decoupled", 16666667, 100, 200}};
    for_rows (i, rows) {
        static game g;
        start_game(&g, rows[i].name);
        g.vsync_ns = rows[i].vsync_ns;
        g.render_ns = 2 * MS;
        open_game(&g);
        run_frames(&g, 600);
        g.clock.cpu_reads = 0;
        run_frames(&g, 600);
        assert_in_range(g.clock.cpu_reads, rows[i].least, rows[i].most);
    }
}

TEST(becoming_another_can_be_refused)
{
    static game g;
    es_loop unready = {0};
    es_loop_config good = {0};
    es__error error;
    es_step step;
    open_loop(&g, "adaptive", 0, 0);
    run_frame(&g);
    es_loop before = g.loop;
    assert_int_equal(es__loop_reconfigure(&g.loop, NULL, &error), ES_ERR_INVALID);
    assert_memory_equal(&g.loop, &before, sizeof before);
    assert_int_equal(es__loop_reconfigure(NULL, NULL, &error), ES_ERR_STATE);
    assert_null(error.field);
    assert_int_equal(es__loop_reconfigure(NULL, &good, NULL), ES_ERR_STATE);
    assert_int_equal(es__loop_reconfigure(&unready, &good, NULL), ES_ERR_STATE);
    es_loop_begin(&g.loop);
    while (es_loop_tick(&g.loop, &step)) {
    }
    assert_int_equal(es__loop_reconfigure(&g.loop, &good, NULL), ES_ERR_STATE);
}
