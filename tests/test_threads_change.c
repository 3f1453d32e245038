/* SPDX-License-Identifier: Zlib
 *
 * threads: changes while it runs (pause, speed, rate, configuration), gaps, seeks, starts and
 * stops, random changes at any time, and what is refused.
 */
#include "evenstep/threads.h"

#include "loop/loop.h"
#include "threads_sim.h"

/* --- pause, step, speed ----------------------------------------------------------------------- */

static void pause_once(sim *s, int64_t interval_ns)
{
    shown_frame before = s->shown;
    es_loop_set_paused(s->loop, true);
    int64_t begun = s->begun;
    for (int i = 0; i < 20; ++i) {
        run_frame(s);
        assert_int_equal(s->shown.status, before.status);
        assert_int_equal(s->shown.frame.content_ns, before.frame.content_ns);
        assert_int_equal(s->shown.frame.current_tick, before.frame.current_tick);
        assert_true(s->shown.frame.alpha == before.frame.alpha);
    }
    assert_in_range(s->begun - begun, 0, 1);
    assert_int_equal(es__tick_due(s->threads), INT64_MAX);
    es_loop_set_paused(s->loop, false);
    int64_t last_ns = before.frame.content_ns;
    for (int i = 0; i < 30; ++i) {
        run_frame(s);
        assert_in_range(s->shown.wanted_ns - last_ns, 1, interval_ns + 1);
        last_ns = s->shown.wanted_ns;
        if (interval_ns < 16 * MS) { /* else it has paused with ticks that no frame has shown */
            assert_int_equal(s->shown.status, ES__VIEW_INTERPOLATED);
        }
        assert_int_equal(s->shown.moved_ns, 0);
    }
    assert_int_equal(s->shown.status, ES__VIEW_INTERPOLATED);
}

TEST(a_pause_stops_both)
{
    for (int64_t interval_ns = 7 * MS; interval_ns < 60 * MS; interval_ns += 10 * MS) {
        sim *s = make(es_hz(60), interval_ns);
        s->late = (spread){0, 16 * MS, 2};
        run_frames(s, 100);
        for (int i = 0; i < 20; ++i) {
            pause_once(s, interval_ns);
        }
        drop(s);
    }
}

TEST(single_steps_show_one_tick_each)
{
    sim *s = make(es_hz(60), 16666667);
    s->late = (spread){0, 10 * MS, 2};
    run_frames(s, 100);
    assert_true(ask_rate(s, es_hz(90)));
    run_frames(s, 101);
    assert_false(es_loop_tick_once(s->loop));
    es_loop_set_paused(s->loop, true);
    run_frames(s, 3);
    int64_t tick = s->shown.frame.current_tick;
    for (int i = 1; i <= 20; ++i) {
        int64_t begun = s->begun;
        assert_true(es_loop_tick_once(s->loop));
        run_frames(s, 3);
        assert_int_equal(s->shown.status, ES__VIEW_INTERPOLATED);
        assert_int_equal(s->shown.frame.current_tick, tick + i);
        assert_true(s->shown.frame.alpha == 1.0);
        assert_int_equal(s->begun - begun, 1);
    }
    drop(s);
}

TEST(time_scale_is_followed)
{
    static const es__ratio scales[] = {{1, 4}, {4, 1}, {0, 1}, {1, 1}, {2, 3}};
    sim *s = make(es_hz(60), 16666667);
    run_frames(s, 50);
    for_rows (i, scales) {
        assert_int_equal(es__loop_set_scale(s->loop, scales[i]), ES_OK);
        run_frames(s, 10);
        int64_t from_ns = s->shown.frame.content_ns;
        for (int j = 0; j < 60; ++j) {
            run_frame(s);
            assert_int_equal(s->shown.status, ES__VIEW_INTERPOLATED);
        }
        int64_t meant_ns = es__ns_scale(60 * INT64_C(16666667), scales[i]);
        assert_in_range(s->shown.frame.content_ns - from_ns + 1, meant_ns, meant_ns + 2);
    }
    drop(s);
}

/* The first nanosecond at which content is past the tick a lead before the newest. */
TEST(a_tick_is_due_when_content_gets_there)
{
    static const es__ratio scales[] = {{1, 1}, {2, 3}, {7, 5}, {1, 7}, {1000, 1}, {1, 1000}};
    for_rows (i, scales) {
        es__ratio scale = scales[i];
        sim *s = make((es_rate){60000, 1001}, 2 * MS);
        assert_int_equal(es__loop_set_scale(s->loop, scale), ES_OK);
        for (int j = 0; j < 200; ++j) {
            run_frame(s);
            int64_t due_ns = es__tick_due(s->threads);
            if (s->shown.wanted_ns == 0 || due_ns == INT64_MAX) { /* delayed; over a second away */
                continue;
            }
            int64_t past_ns = es_rate_time_ns((es_rate){60000, 1001}, s->newest - 1) + 1;
            int64_t span_ns = due_ns - s->shown.frame.start_ns;
            assert_true(s->shown.wanted_ns + es__ns_scale(span_ns, scale) >= past_ns);
            assert_true(s->shown.wanted_ns + es__ns_scale(span_ns - 1, scale) < past_ns);
        }
        drop(s);
    }
}

/* --- tick rate -------------------------------------------------------------------------------- */

TEST(a_requested_tick_rate_comes_between_ticks)
{
    static const es_rate rates[] = {{120, 1}, {30, 1}, {60000, 1001}, {144, 1}, {7, 1}, {60, 1}};
    sim *s = make(es_hz(60), 6944444);
    s->late = (spread){0, 3 * MS, 9};
    s->cost = (spread){3 * MS, 0, 9};
    run_frames(s, 100);
    for_rows (i, rates) {
        assert_true(ask_rate(s, es_hz(11))); /* replaced */
        assert_true(ask_rate(s, rates[i]));
        assert_int_equal(
                es_loop_get_config(s->loop).tick_rate.numerator, (int64_t)rates[i].numerator);
        int64_t period_ns = es__rate_period_ns(rates[i]);
        run_evenly(s, 300, 6944444, 6944444);
        assert_in_range(
                s->shown.frame.current_ns - s->shown.frame.previous_ns, period_ns, period_ns + 1);
        /* the loop's own ticks have found the real ones */
        assert_int_equal(s->loop->ticker.index, s->shown.frame.current_tick);
        assert_int_equal(s->loop->ticker.time_ns, s->shown.frame.current_ns);
        assert_in_range(s->shown.frame.account.delay_ns, period_ns, period_ns + 1);
    }
    assert_false(ask_rate(s, es_hz(0)));
    drop(s);
}

/* A delay is at most a day. */
TEST(a_rate_that_comes_while_a_tick_runs_waits_for_its_end)
{
    const es_rate slow = {1, 6 * 3600};
    setting config = config_at(es_hz(60), 16666667);
    config.loop.delay_ticks = 8.0;
    sim *s = make_with(&config, 1000);
    s->cost = (spread){10 * MS, 0, 1};
    run_frames(s, 20);
    while (!s->working) {
        advance(s, next_event_ns(s));
    }
    assert_true(ask_rate(s, es_hz(20)));
    es__tick_due(s->threads);
    assert_int_equal(s->threads->ticks.ticker.rate.numerator, 60);
    advance(s, s->done_ns);
    es__tick_due(s->threads);
    assert_int_equal(s->threads->ticks.ticker.rate.numerator, 20);
    assert_false(ask_rate(s, slow));
    drop(s);
}

/* --- gaps ------------------------------------------------------------------------------------- */

/* Beside it a sim whose presents do not block. Every tick runs at the same time, except for what the
 * clock counts of a sleep. */
static void assert_ticks_are_those_of(const sim *s, sim *free, int64_t slept_ns)
{
    int64_t rounded_ns = 3 * (s->loop->content.scale.denominator > 1);
    for (run_frames(free, 100); free->newest < s->newest;) {
        run_frame(free);
    }
    for (int64_t tick = 0; tick <= s->newest; ++tick) {
        int64_t at_ns = free->published_ns[tick];
        at_ns += at_ns > s->asleep_ns ? slept_ns : 0;
        assert_in_range(s->published_ns[tick], at_ns - rounded_ns, at_ns + rounded_ns);
    }
    drop(free);
}

/* Ticks go on as if nothing blocked, and then content is where they are. A sleep is a gap, also where
 * the clock counts it. */
TEST(ticks_go_on_while_present_blocks)
{
    static const struct {
        int64_t block_ns, sleep_ns;
        bool counts;
        es__ratio scale;
    } cases[] = {
            {500 * MS, 0, false, {1, 1}},
            {3000 * MS, 0, false, {1, 1}},
            {60000 * MS, 0, false, {1, 1}},
            {3000 * MS, 0, false, {1, 3}},
            {500 * MS, 300 * MS, true, {1, 1}},
            {3000 * MS, 2000 * MS, true, {1, 1}},
            {3000 * MS, 2000 * MS, false, {1, 1}},
            {3000 * MS, 3600000 * MS, true, {1, 1}},
            {60000 * MS, 20000 * MS, true, {1, 1}},
            {60000 * MS, 20000 * MS, false, {1, 1}},
            {0, 2000 * MS, true, {1, 1}},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
        setting config = config_at(es_hz(60), 16666667);
        sim *s = make_with(&config, 1000), *free = make_with(&config, 1000);
        s->cost.least_ns = free->cost.least_ns = 10 * MS;
        int64_t slept_ns = cases[i].counts ? cases[i].sleep_ns : 0;
        es__loop_set_scale(s->loop, cases[i].scale);
        es__loop_set_scale(free->loop, cases[i].scale);
        run_frames(s, 100);
        es_account before = s->shown.frame.account;
        s->block_ns = cases[i].block_ns;
        s->sleep_ns = cases[i].sleep_ns;
        s->counts_sleep = cases[i].counts;
        run_frame(s);
        for (int j = 0; j < 100; ++j) {
            run_frame(s);
            const es_account *a = &s->shown.frame.account;
            assert_int_equal(s->shown.status, ES__VIEW_INTERPOLATED);
            assert_int_equal(a->dropped_ns + a->slow_motion_ns + a->seeked_ns, 0);
            if (cases[i].scale.denominator == 1) {
                assert_int_equal(a->gaps_ns + a->reanchored_ns, slept_ns);
                assert_int_equal(a->slowed_ns, before.slowed_ns);
            }
        }
        assert_ticks_are_those_of(s, free, slept_ns);
        drop(s);
    }
}

/* The same on a display, also where the block is no gap. */
TEST(content_goes_on_evenly_after_a_block)
{
    static const int64_t refreshes[] = {30, 54, 180, 3600};
    for (int i = 0; i < 16; ++i) {
        setting config = config_at(es_hz(i % 2 == 0 ? 60 : 144), 0);
        config.loop.pace = ES_PACE_AUTO;
        sim *s = make_with(&config, 1000);
        s->refresh_ns = 16666667;
        s->first_form = i / 8 == 1;
        run_frames(s, 300);
        s->block_ns = refreshes[i / 2 % 4] * s->refresh_ns - s->draw.least_ns;
        run_frame(s);
        int64_t moved_ns = run_frame_on(s);
        int64_t even_ns = refreshes[i / 2 % 4] * s->refresh_ns;
        assert_in_range(moved_ns, even_ns - 20 * MS, even_ns + 20 * MS);
        run_evenly(s, 300, 16666666, 16666668);
        drop(s);
    }
}

/* Where the program wants it, the ticks stop after gap_ns, and content goes to the last of them. */
TEST(ticks_stop_without_frames)
{
    setting config = config_at(es_hz(60), 16666667);
    config.stop_without_frames = true;
    sim *s = make_with(&config, 1000), *free = make_with(&config, 1000);
    run_frames(s, 100);
    int64_t begun = s->begun;
    s->block_ns = 5000 * MS;
    run_frame(s);
    assert_in_range(s->begun - begun, 60, 61); /* in gap_ns */
    assert_int_equal(es__tick_due(s->threads), INT64_MAX);
    assert_ticks_are_those_of(s, free, 0);
    assert_int_equal(run_frame_on(s), 1000 * MS);
    assert_int_equal(s->shown.frame.account.seeked_ns, 0);
    run_evenly(s, 100, 16666667, 16666667);
    drop(s);
}

/* --- seeks ------------------------------------------------------------------------------------ */

TEST(a_seek_is_shown_and_goes_on)
{
    int64_t to[] = {10, 500, 0, 42, -1, -1, -2, -2};
    sim *s = make(es_hz(60), 6944444);
    s->late = (spread){0, 10 * MS, 2};
    run_frames(s, 100);
    for_rows (i, to) {
        if (to[i] < 0) { /* the tick that C is in, or near */
            to[i] += s->shown.frame.current_tick;
        }
        seek(s, to[i]);
        int64_t jumps = s->jumps;
        run_frame(s);
        assert_int_equal(s->shown.status, ES__VIEW_GAP);
        assert_int_equal(s->shown.frame.current_tick, to[i]);
        assert_int_equal(s->shown.frame.previous_ns, s->shown.frame.current_ns);
        assert_int_equal(s->shown.frame.content_ns, es_rate_time_ns(es_hz(60), to[i]));
        assert_int_equal(((const world *)s->shown.current)->jumps, jumps);
        run_evenly(s, 100 + (int)i, 6944443, 6944445);
    }
    drop(s);
}

/* Until its state is published the old one is shown. */
TEST(a_seek_may_take_its_time)
{
    void *place;
    sim *s = make(es_hz(60), 6944444);
    run_frames(s, 100);
    while (s->working) {
        advance(s, s->done_ns);
    }
    int64_t newest = s->newest;
    assert_int_equal(es__tick_seek(s->threads, 1000, &place), ES_OK);
    s->working = true; /* the update thread loads */
    s->done_ns = INT64_MAX;
    for (int i = 0; i < 30; ++i) {
        run_frame(s);
        assert_int_not_equal(s->shown.status, ES__VIEW_GAP);
        assert_in_range(s->shown.frame.current_tick, newest - 2, newest);
    }
    assert_int_equal(s->shown.status, ES__VIEW_HELD);
    s->jumps += 1;
    *(world *)place = (world){1000, es_rate_time_ns(es_hz(60), 1000), s->jumps};
    assert_int_equal(es__tick_end(s->threads), ES_OK);
    s->working = false;
    run_frame(s);
    assert_int_equal(s->shown.status, ES__VIEW_GAP);
    assert_int_equal(s->shown.frame.current_tick, 1000);
    assert_int_equal(s->dropped_ns, 0);
    drop(s);
}

/* The state of the first is shown as that of a seek, although another has been posted. */
TEST(a_seek_may_follow_a_seek)
{
    void *place;
    sim *s = make(es_hz(60), 6944444);
    run_frames(s, 100);
    seek(s, 10);
    assert_int_equal(es__tick_seek(s->threads, 1000, &place), ES_OK);
    s->working = true;
    s->done_ns = INT64_MAX;
    run_frame(s);
    assert_int_equal(s->shown.status, ES__VIEW_GAP);
    assert_int_equal(s->shown.frame.content_ns, es_rate_time_ns(es_hz(60), 10));
    assert_int_not_equal(s->shown.frame.account.seeked_ns, 0);
    drop(s);
}

static bool seek_by_call(void *user, void *state, int64_t *tick)
{
    sim *s = user;
    const world *newest = state;
    assert_int_equal(newest->tick, s->newest);
    assert_int_equal(*tick, s->newest);
    *tick = s->to;
    s->jumps += 1;
    *(world *)state = (world){s->to, es_rate_time_ns(es_hz(60), s->to), s->jumps};
    return s->to != 7;
}

/* It runs between two ticks, with a copy of the newest state. A negative tick, or false, changes
 * nothing. */
TEST(a_call_may_seek)
{
    static const int64_t to[] = {500, 7, -3, 0};
    sim *s = make(es_hz(60), 6944444);
    s->cost = (spread){2 * MS, 0, 1};
    run_frames(s, 100);
    for_rows (i, to) {
        while (!s->working) {
            advance(s, next_event_ns(s));
        }
        s->to = to[i];
        assert_true(es_threads_call(s->threads, seek_by_call, s));
        assert_false(es_threads_call(s->threads, seek_by_call, s)); /* a tick is under way */
        es__tick_due(s->threads);
        advance(s, s->done_ns);
        es__tick_due(s->threads);
        bool seeks = to[i] != 7 && to[i] >= 0;
        s->jumps -= !seeks;
        s->newest = seeks ? to[i] : s->newest;
        run_frame(s);
        assert_int_equal(s->shown.status, seeks ? ES__VIEW_GAP : ES__VIEW_INTERPOLATED);
        assert_true(!seeks || s->shown.frame.current_tick == to[i]);
        run_evenly(s, 50, 6944443, 6944445);
    }
    assert_false(es_loop_seek(s->loop, 3));
    assert_false(es_threads_call(s->threads, NULL, s));
    drop(s);
}

/* --- the configuration ------------------------------------------------------------------------ */

TEST(the_configuration_may_change)
{
    setting made = config_at(es_hz(60), 16666667);
    made.ahead_max_ns = 5 * MS;
    made.stop_without_frames = true;
    sim *s = make_with(&made, 1000);
    es_loop_config config = es_loop_get_config(s->loop);
    run_frames(s, 100);
    assert_true(es_loop_configure(s->loop, &config)); /* the same */
    run_evenly(s, 50, 16666667, 16666667);
    config.interval_ns = 10 * MS;
    config.tick_rate = es_hz(90);
    config.gap_ns = 700 * MS;
    config.delay_ticks = 2.0;
    assert_true(es_loop_configure(s->loop, &config));
    assert_int_equal(es_loop_get_config(s->loop).tick_rate.numerator, 90);
    assert_int_equal(s->loop->ticker.rate.numerator, 60); /* of its frames */
    run_frames(s, 50);
    assert_int_equal(s->loop->ticker.rate.numerator, 90);
    assert_int_equal(es_loop_get_config(s->loop).tick_rate.numerator, 90);
    for (int i = 0; i < 50; ++i) {
        run_evenly(s, 1, 10 * MS, 10 * MS);
        assert_in_range(s->shown.frame.account.delay_ns, 22222221, 22222223);
    }
    int64_t begun = s->begun;
    advance(s, s->now_ns + 5000 * MS); /* the line ends after gap_ns */
    assert_in_range(s->begun - begun, 60, 66);
    assert_int_equal(es__tick_due(s->threads), INT64_MAX);
    s->working = true; /* the update thread stops: content goes ahead_max_ns past its last tick */
    s->done_ns = INT64_MAX;
    run_frames(s, 50);
    assert_int_equal(s->shown.status, ES__VIEW_HELD);
    assert_int_equal(s->shown.frame.ahead_ns, 5 * MS);
    drop(s);
}

#define REFUSED_LATER(member, value, field)                                                        \
    do {                                                                                           \
        es_loop_config config = es_loop_get_config(s->loop);                                       \
        config.member = value;                                                                     \
        assert_false(es_loop_configure(s->loop, &config));                                         \
        assert_non_null(strstr(es_get_error(), "es_loop_config." field ":"));                      \
    } while (0)

TEST(fields_that_cannot_change_are_named)
{
    sim *s = make(es_hz(60), 16666667);
    run_frames(s, 10);
    REFUSED_LATER(catch_up, ES_CATCH_UP_SLOW, "catch_up");
    REFUSED_LATER(ticks_max, 3, "ticks_max");
    REFUSED_LATER(lead_ticks, 1, "lead_ticks");
    REFUSED_LATER(interval_ns, -1, "interval_ns");
    REFUSED_LATER(tick_rate, ((es_rate){1, 50000}), "tick_rate");
    run_evenly(s, 50, 16666667, 16666667);
    drop(s);
}

/* --- starts ----------------------------------------------------------------------------------- */

/* A hundred frames without threads, whose ticks follow on the newest. */
static void run_alone(sim *s, world *newest, int64_t *content_ns)
{
    for (int j = 0; j < 100; ++j) {
        es_frame frame;
        assert_true(es_loop_next(s->loop, &frame));
        for (int k = 0; k < frame.ticks; ++k) {
            es_step step = es_frame_step(&frame, k);
            newest->tick += 1;
            newest->time_ns += step.dt_ns;
            assert_int_equal(step.index, newest->tick);
            assert_int_equal(step.time_ns, newest->time_ns);
        }
        int64_t moved_ns = frame.content_ns - *content_ns;
        *content_ns = frame.content_ns;
        assert_in_range(moved_ns, j < 3 ? 0 : 16666667, j < 3 ? 2 * 16666667 : 16666667);
        s->now_ns += 2 * MS;
        assert_account_adds_up(&frame, s->first_present_ns);
        assert_true(es_loop_submit(s->loop));
    }
}

/* On one thread the loop goes on from the newest tick; from a loop's, or at once, threads do. A tick under way
 * is given up. After a start the line stands until the first frame, however long that takes, and content waits
 * for the only state that there is. */
TEST(threads_go_on_where_they_stopped)
{
    sim *s = make(es_hz(60), 16666667);
    for (int i = 0; i < 12; ++i) {
        world newest;
        bool alone = i % 2 == 0;
        ask_rate(s, es_hz(i % 4 == 0 ? 40 : 60));
        run_frames(s, i == 3 ? 1 : 100);
        int64_t content_ns = s->shown.frame.content_ns;
        s->now_ns += alone ? 0 : 300 * MS;
        es_threads_stop(s->threads, &newest);
        s->threads = NULL;
        assert_int_equal(newest.tick, s->newest);
        if (alone) {
            run_alone(s, &newest, &content_ns);
        }
        s->working = false;
        newest.jumps = s->jumps;
        start_threads(s, &newest);
        assert_int_equal(s->threads->ticks.ticker.index, newest.tick);
        assert_int_equal(s->threads->ticks.ticker.time_ns, newest.time_ns);
        assert_false(es_threads_view(s->threads, &s->shown.view));
        s->shown.frame.content_ns = content_ns;
        int64_t begun = s->begun;
        advance(s, s->now_ns + (alone ? 0 : 400 * MS));
        assert_in_range(s->begun - begun, 0, 1);
        for (int j = 0; j < 100; ++j) {
            int64_t moved_ns = run_frame_on(s);
            assert_in_range(moved_ns, j < 3 ? 0 : 16666667, j < 3 ? 2 * 16666667 : 16666667);
            assert_true(j < 3 || s->shown.status == ES__VIEW_INTERPOLATED);
            assert_int_equal(s->shown.moved_ns, 0);
        }
    }
    drop(s);
}

/* Also where no frame has shown where the ticks are: after a seek, or a second without frames. A tick
 * rate that was requested before the stop is in force. */
TEST(a_stop_goes_on_from_the_newest_tick)
{
    static const int64_t to[] = {500, 7, -1};
    for (int i = 0; i < 3; ++i) {
        sim *s = make(es_hz(60), 16666667);
        world newest;
        es_frame frame;
        run_frames(s, 100);
        if (to[i] >= 0) {
            seek(s, to[i]);
        } else {
            advance(s, s->now_ns + 900 * MS);
        }
        assert_true(ask_rate(s, es_hz(40)));
        es_threads_stop(s->threads, &newest);
        s->threads = NULL;
        assert_int_equal(newest.tick, s->newest);
        assert_int_equal(es_loop_get_config(s->loop).tick_rate.numerator, 40);
        for (int j = 0; j < 100; ++j) {
            assert_true(es_loop_next(s->loop, &frame));
            assert_true(es_loop_end(s->loop));
            assert_true(frame.content_ns >= newest.time_ns);
        }
        assert_in_range(frame.newest_tick - newest.tick, 60, 70); /* 99 frames of 1/60 s */
        drop(s);
    }
}

/* --- random changes --------------------------------------------------------------------------- */

static int64_t pick(test_random *random, const int64_t *from, size_t count)
{
    return from[random_below(random, (int64_t)count)];
}

static void change_something(sim *s, test_random *random)
{
    static const es_rate rates[] = {{60, 1}, {30, 1}, {120, 1}, {60000, 1001}, {250, 1}, {7, 1}};
    static const es__ratio scales[] = {{1, 1}, {1, 3}, {3, 1}, {0, 1}, {20, 1}};
    es_loop_config config = es_loop_get_config(s->loop);
    switch (random_below(random, 8)) {
    case 0:
        es_loop_set_paused(s->loop, random_below(random, 2) == 0);
        break;
    case 1:
        es_loop_tick_once(s->loop);
        break;
    case 2:
        es__loop_set_scale(s->loop, scales[random_below(random, 5)]);
        break;
    case 3:
        ask_rate(s, rates[random_below(random, 6)]);
        break;
    case 4:
        seek(s, random_below(random, 1000));
        break;
    case 5:
        config.delay_ticks = (double)random_below(random, 5) * 0.75;
        config.gap_ns = random_below(random, 3) * 700 * MS;
        assert_true(es_loop_configure(s->loop, &config));
        break;
    case 6:
        s->block_ns = random_below(random, 3000 * MS);
        break;
    default: {
        static const int64_t times[] = {0, MS, 5 * MS, 20 * MS, 90 * MS, 400 * MS};
        s->late = (spread){0, pick(random, times, 6) / 2, random_u64(random)};
        s->cost = (spread){0, pick(random, times, 6) / 2, random_u64(random)};
        s->draw = (spread){MS / 2, pick(random, times, 5), random_u64(random)};
    }
    }
}

/* Whatever came before, two seconds later frames are even and in step with time. */
static void calm_down(sim *s, int64_t interval_ns)
{
    const es__ratio normal = {1, 1};
    s->late = (spread){0, 0, 1};
    s->cost = (spread){0, 0, 1};
    s->draw = (spread){100, 0, 1};
    es_loop_set_paused(s->loop, false);
    assert_int_equal(es__loop_set_scale(s->loop, normal), ES_OK);
    run_frames(s, (int)(2000 * MS / interval_ns) + 10);
    for (int i = 0; i < 1000 && s->loop->content.slow.numerator != 1; ++i) {
        run_frame(s); /* out of slow motion */
    }
    run_frames(s, 10);
    for (int i = 0; i < 20; ++i) {
        shown_frame last = s->shown;
        run_frame(s);
        assert_int_equal(s->shown.status, ES__VIEW_INTERPOLATED);
        assert_int_equal(s->shown.frame.content_ns - last.frame.content_ns,
                s->shown.frame.present_ns - last.frame.present_ns);
        assert_int_equal(s->shown.frame.account.clamped_ns, 0);
        assert_int_equal(s->loop->ticker.index, s->shown.frame.current_tick);
    }
}

TEST(random_changes_leave_every_frame_consistent)
{
    static const int64_t intervals[] = {6944444, 16666667, 33333333, 50 * MS, 2 * MS};
    for (uint64_t seed = 1; seed <= 300 / TEST_SHARE; ++seed) {
        test_random random = {seed * 7919};
        setting config = config_at(es_hz(60), pick(&random, intervals, 5));
        config.lead_ticks = 1 + (int32_t)random_below(&random, 2);
        config.ahead_max_ns = random_below(&random, 2) * 8 * MS;
        sim *s = make_with(&config, random_below(&random, 1000 * MS));
        for (int i = 0; i < 60; ++i) {
            if (i % 20 == 19) {
                calm_down(s, config.loop.interval_ns);
            }
            change_something(s, &random);
            for (int64_t frames = random_below(&random, 20); frames > 0; --frames) {
                run_frame(s);
                assert_true(s->shown.frame.account.dropped_ns <= s->dropped_ns);
            }
        }
        drop(s);
    }
}

/* --- what is refused -------------------------------------------------------------------------- */

static void assert_refused(
        const es_loop_config *loop_config, const es_threads_config *config, const char *field)
{
    es_loop *loop = es_loop_create(loop_config);
    assert_non_null(loop);
    assert_null(es_threads_start(loop, config));
    assert_non_null(strstr(es_get_error(), field));
    es_frame frame;
    assert_true(es_loop_next(loop, &frame));
    es_loop_destroy(loop);
}

#define REFUSED(member, value, field)                                                              \
    do {                                                                                           \
        struct {                                                                                   \
            es_loop_config loop;                                                                   \
            es_threads_config threads;                                                             \
        } config = {.threads.state_size = 8};                                                      \
        config.member = value;                                                                     \
        assert_refused(&config.loop, &config.threads, "es_threads_config." field ":");             \
    } while (0)

TEST(bad_configurations_are_refused)
{
    REFUSED(threads.state_size, 0, "state_size");
    REFUSED(threads.lead_ticks, 3, "lead_ticks");
    REFUSED(threads.lead_ticks, -1, "lead_ticks");
    REFUSED(threads.ahead_max_ns, -1, "ahead_max_ns");
    REFUSED(threads.ahead_max_ns, 2000 * MS, "ahead_max_ns");
    REFUSED(loop.step, ES_STEP_VARIABLE, "step");
    REFUSED(loop.catch_up, ES_CATCH_UP_SLOW, "catch_up");
    REFUSED(loop.alpha_below_one, true, "alpha_below_one");
    REFUSED(loop.ticks_max, 3, "ticks_max");
    REFUSED(loop.catch_up_max_ns, 3, "catch_up_max_ns");
    REFUSED(loop.lead_ticks, 1, "lead_ticks");
    REFUSED(loop.speed_change_max, 0.05, "speed_change_max");
    const es_threads_config config = {.state_size = 8};
    const es_threads_config huge = {.state_size = SIZE_MAX - 200};
    es_step step;
    sim *s = make(es_hz(60), 16666667);
    assert_null(es_threads_start(s->loop, &config)); /* it has threads */
    assert_null(es_threads_start(NULL, &config));
    es_threads_stop(s->threads, NULL);
    s->threads = NULL;
    assert_null(es_threads_start(s->loop, NULL));
    assert_null(es_threads_start(s->loop, &huge));
    es_loop *ticking = es_loop_create(NULL);
    es_loop_set_paused(ticking, true);
    assert_true(es_loop_tick_once(ticking) && es_loop_begin(ticking));
    assert_true(es_loop_tick(ticking, &step));
    assert_null(es_threads_start(ticking, &config)); /* it runs ticks */
    es_loop_destroy(ticking);
    start_threads(s, NULL);
    drop(s);
}

TEST(calls_out_of_order_are_refused)
{
    void *place = NULL;
    const void *previous;
    es_step step;
    es_view view;
    sim *s = make(es_hz(60), 16666667);
    assert_false(es_threads_view(s->threads, &view));
    assert_false(es_threads_tick_end(s->threads));
    assert_int_equal(es_threads_tick_due(s->threads), s->now_ns); /* the lead runs at once */
    assert_true(es_threads_tick_begin(s->threads, &step, &place, &previous));
    assert_false(es_threads_tick_begin(s->threads, &step, &place, &previous));
    assert_int_equal(es__tick_seek(s->threads, 3, &place), ES_ERR_STATE);
    assert_true(es_threads_tick_end(s->threads));
    assert_int_equal(es__tick_seek(s->threads, -1, &place), ES_ERR_RANGE);
    assert_false(es_threads_tick_begin(s->threads, NULL, &place, &previous));
    assert_false(es_threads_view(NULL, &view) || es_threads_view(s->threads, NULL));
    assert_false(es_threads_tick_begin(s->threads, &step, NULL, &previous));
    assert_false(es_loop_idle(s->loop) || es__loop_may_follow(s->loop)); /* it has threads */
    assert_false(es_threads_call(NULL, seek_by_call, s));
    assert_false(es_threads_tick_begin(NULL, &step, &place, &previous));
    assert_false(es_threads_tick_end(NULL));
    assert_int_equal(es_threads_tick_due(NULL), 0);
    es_threads_stop(NULL, NULL);
    drop(s);
}

/* Ticks of 1 ms, frames of 10 ms. A frame that aims a refresh further or less far than those around it
 * moves no line; the next such frame does. */
TEST(one_frame_that_aims_elsewhere_moves_no_line)
{
    for (int64_t off_ns = -7 * MS; off_ns <= 7 * MS; off_ns += 14 * MS) {
        sim *s = make(es_hz(1000), 10 * MS);
        run_frames(s, 50);
        es__render_post *post = &s->threads->render.post;
        int64_t at_ns = post->instant_ns, content_ns = post->content_ns;
        int64_t begin_ns = s->loop->content.last_present_ns;
        for (int i = 1; i <= 6; ++i) {
            int64_t now_ns = i * 10 * MS, own_ns = now_ns + (i == 2 || i >= 5 ? off_ns : 0);
            s->loop->content.last_present_ns = begin_ns + own_ns;
            es__draw_line(s->threads, at_ns + now_ns, false);
            assert_int_equal(post->content_ns, content_ns + (i == 6 ? own_ns : now_ns));
        }
        drop(s);
    }
}
