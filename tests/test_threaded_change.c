/* SPDX-License-Identifier: Zlib
 *
 * threaded: changes while it runs (pause, speed, rate, configuration), gaps, seeks, starts and
 * stops, random changes at any time, and what is refused.
 */
#include "evenstep/exchange.h"
#include "evenstep/lock.h"
#include "evenstep/threaded.h"

#include "threaded_sim.h"

#include "threads/threaded_parts.h"
#include "loop/loop_parts.h"

/* --- pause, step, speed ----------------------------------------------------------------------- */

static void pause_once(sim *s, int64_t interval_ns)
{
    es_threaded_frame before = s->shown;
    es_threaded_pause(&s->threaded, true);
    int64_t begun = s->begun;
    for (int i = 0; i < 20; ++i) {
        run_frame(s);
        assert_int_equal(s->shown.status, before.status);
        assert_int_equal(s->shown.frame.content_ns, before.frame.content_ns);
        assert_int_equal(s->shown.frame.current_tick, before.frame.current_tick);
        assert_true(s->shown.frame.alpha == before.frame.alpha);
    }
    assert_in_range(s->begun - begun, 0, 1);
    assert_int_equal(es_threaded_tick_due(&s->threaded), INT64_MAX);
    es_threaded_pause(&s->threaded, false);
    int64_t last_ns = before.frame.content_ns;
    for (int i = 0; i < 30; ++i) {
        run_frame(s);
        assert_in_range(s->shown.wanted_ns - last_ns, 1, interval_ns + 1);
        last_ns = s->shown.wanted_ns;
        if (interval_ns < 16 * MS) { /* else it has paused with ticks that no frame has shown */
            assert_int_equal(s->shown.status, ES_THREADED_INTERPOLATED);
        }
        assert_int_equal(s->shown.moved_ns, 0);
    }
    assert_int_equal(s->shown.status, ES_THREADED_INTERPOLATED);
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
    assert_int_equal(es_threaded_ask_tick_rate(&s->threaded, es_hz(90)), ES_OK);
    run_frames(s, 101);
    assert_int_equal(es_threaded_step_once(&s->threaded), ES_ERR_STATE);
    es_threaded_pause(&s->threaded, true);
    run_frames(s, 3);
    int64_t tick = s->shown.frame.current_tick;
    for (int i = 1; i <= 20; ++i) {
        int64_t begun = s->begun;
        assert_int_equal(es_threaded_step_once(&s->threaded), ES_OK);
        run_frames(s, 3);
        assert_int_equal(s->shown.status, ES_THREADED_INTERPOLATED);
        assert_int_equal(s->shown.frame.current_tick, tick + i);
        assert_true(s->shown.frame.alpha == 1.0);
        assert_int_equal(s->begun - begun, 1);
    }
    drop(s);
}

TEST(time_scale_is_followed)
{
    static const es_ratio scales[] = {{1, 4}, {4, 1}, {0, 1}, {1, 1}, {2, 3}};
    sim *s = make(es_hz(60), 16666667);
    run_frames(s, 50);
    for (size_t i = 0; i < sizeof scales / sizeof scales[0]; ++i) {
        assert_int_equal(es_threaded_set_time_scale(&s->threaded, scales[i]), ES_OK);
        run_frames(s, 10);
        int64_t from_ns = s->shown.frame.content_ns;
        for (int j = 0; j < 60; ++j) {
            run_frame(s);
            assert_int_equal(s->shown.status, ES_THREADED_INTERPOLATED);
        }
        int64_t meant_ns = es__ns_scale(60 * INT64_C(16666667), scales[i]);
        assert_in_range(s->shown.frame.content_ns - from_ns + 1, meant_ns, meant_ns + 2);
    }
    drop(s);
}

/* The first nanosecond at which content is past the tick a lead before the newest. */
TEST(a_tick_is_due_when_content_gets_there)
{
    static const es_ratio scales[] = {{1, 1}, {2, 3}, {7, 5}, {1, 7}, {1000, 1}, {1, 1000}};
    for (size_t i = 0; i < sizeof scales / sizeof scales[0]; ++i) {
        es_ratio scale = scales[i];
        sim *s = make((es_rate){60000, 1001}, 2 * MS);
        assert_int_equal(es_threaded_set_time_scale(&s->threaded, scale), ES_OK);
        for (int j = 0; j < 200; ++j) {
            run_frame(s);
            int64_t due_ns = es_threaded_tick_due(&s->threaded);
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

/* Even frames until they are of ticks at this rate. Returns the period. */
static int64_t run_to_rate(sim *s, es_rate rate)
{
    int64_t period_ns = es__rate_period_ns(rate);
    run_evenly(s, 300, 6944444, 6944444);
    assert_in_range(
            s->shown.frame.current_ns - s->shown.frame.previous_ns, period_ns, period_ns + 1);
    return period_ns;
}

TEST(a_requested_tick_rate_comes_between_ticks)
{
    static const es_rate rates[] = {{120, 1}, {30, 1}, {60000, 1001}, {144, 1}, {7, 1}, {60, 1}};
    sim *s = make(es_hz(60), 6944444);
    s->late = (spread){0, 3 * MS, 9};
    s->cost = (spread){3 * MS, 0, 9};
    run_frames(s, 100);
    for (size_t i = 0; i < sizeof rates / sizeof rates[0]; ++i) {
        assert_int_equal(es_threaded_ask_tick_rate(&s->threaded, es_hz(11)), ES_OK); /* replaced */
        assert_int_equal(es_threaded_ask_tick_rate(&s->threaded, rates[i]), ES_OK);
        assert_int_equal(
                es_threaded_tick_rate(&s->threaded).numerator, (int64_t)rates[i].numerator);
        int64_t period_ns = run_to_rate(s, rates[i]);
        /* the loop's own ticks have found the real ones */
        assert_int_equal(s->threaded.loop.ticker.index, s->shown.frame.current_tick);
        assert_int_equal(s->threaded.loop.ticker.time_ns, s->shown.frame.current_ns);
        assert_in_range(s->shown.frame.account.delay_ns, period_ns, period_ns + 1);
    }
    assert_int_equal(es_threaded_ask_tick_rate(&s->threaded, es_hz(0)), ES_ERR_INVALID);
    assert_int_equal(es_threaded_ask_tick_rate(NULL, es_hz(60)), ES_ERR_STATE);
    drop(s);
}

/* A delay is at most a day. */
TEST(a_rate_that_comes_while_a_tick_runs_waits_for_its_end)
{
    const es_rate slow = {1, 6 * 3600};
    es_threaded_config config = config_at(es_hz(60), 16666667);
    config.delay_ticks = 8.0;
    sim *s = make_with(&config, 1000);
    s->cost = (spread){10 * MS, 0, 1};
    run_frames(s, 20);
    while (!s->working) {
        advance(s, next_event_ns(s));
    }
    assert_int_equal(es_threaded_ask_tick_rate(&s->threaded, es_hz(20)), ES_OK);
    es_threaded_tick_due(&s->threaded);
    assert_int_equal(s->threaded.ticks.ticker.rate.numerator, 60);
    advance(s, s->done_ns);
    es_threaded_tick_due(&s->threaded);
    assert_int_equal(s->threaded.ticks.ticker.rate.numerator, 20);
    assert_int_equal(es_threaded_ask_tick_rate(&s->threaded, slow), ES_ERR_INVALID);
    drop(s);
}

/* --- gaps ------------------------------------------------------------------------------------- */

TEST(a_hidden_window_ends_in_a_gap)
{
    sim *s = make(es_hz(60), 16666667);
    run_frames(s, 100);
    int64_t begun = s->begun;
    int64_t content_ns = s->shown.frame.content_ns;
    s->block_ns = 5000 * MS;
    run_frame(s);
    assert_in_range(s->begun - begun, 58, 64); /* for gap_ns and the lead */
    assert_int_equal(es_threaded_tick_due(&s->threaded), INT64_MAX);
    run_frame(s);
    const es_threaded_frame *shown = &s->shown;
    assert_int_equal(shown->status, ES_THREADED_GAP);
    assert_in_range(shown->frame.gap.removed_ns, 4900 * MS, 5000 * MS);
    assert_in_range(shown->moved_ns, 900 * MS, 1000 * MS);
    assert_in_range(shown->frame.content_ns - content_ns, 900 * MS, 1020 * MS);
    for (int i = 0; i < 100; ++i) {
        run_evenly(s, 1, 16666666, 16666668);
        assert_int_equal(s->shown.moved_ns, 0);
    }
    drop(s);
}

/* --- seeks ------------------------------------------------------------------------------------ */

TEST(a_seek_is_shown_and_goes_on)
{
    int64_t to[] = {10, 500, 0, 42, -1, -1, -2, -2};
    sim *s = make(es_hz(60), 6944444);
    s->late = (spread){0, 10 * MS, 2};
    run_frames(s, 100);
    for (size_t i = 0; i < sizeof to / sizeof to[0]; ++i) {
        if (to[i] < 0) { /* the tick that C is in, or near */
            to[i] += s->shown.frame.current_tick;
        }
        seek(s, to[i]);
        int64_t jumps = s->jumps;
        run_frame(s);
        assert_int_equal(s->shown.status, ES_THREADED_GAP);
        assert_int_equal(s->shown.frame.current_tick, to[i]);
        assert_int_equal(s->shown.frame.previous_tick, to[i]);
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
    assert_int_equal(es_threaded_tick_seek(&s->threaded, 1000, &place), ES_OK);
    s->working = true; /* the update thread loads */
    s->done_ns = INT64_MAX;
    for (int i = 0; i < 30; ++i) {
        run_frame(s);
        assert_int_not_equal(s->shown.status, ES_THREADED_GAP);
        assert_in_range(s->shown.frame.current_tick, newest - 2, newest);
    }
    assert_int_equal(s->shown.status, ES_THREADED_HELD);
    s->jumps += 1;
    *(world *)place = (world){1000, es_rate_time_ns(es_hz(60), 1000), s->jumps};
    assert_int_equal(es_threaded_tick_end(&s->threaded), ES_OK);
    s->working = false;
    run_frame(s);
    assert_int_equal(s->shown.status, ES_THREADED_GAP);
    assert_int_equal(s->shown.frame.current_tick, 1000);
    assert_int_equal(s->dropped_ns, 0);
    drop(s);
}

/* Time dropped before a seek is not taken from the time after it. */
TEST(a_seek_ends_debt)
{
    sim *s = make(es_hz(60), 16666667);
    run_frames(s, 100);
    s->late.least_ns = 500 * MS;
    advance(s, s->now_ns + 700 * MS);
    assert_true(s->dropped_ns > 300 * MS);
    s->late.least_ns = 0;
    seek(s, 50);
    run_frame(s);
    assert_int_equal(s->shown.status, ES_THREADED_GAP);
    run_frame(s);
    assert_int_equal(s->shown.frame.account.frame_dropped_ns, 0);
    assert_int_equal(s->shown.frame.content_ns, 833333333 + 16666667);
    drop(s);
}

/* Content waits for the first state, however long that takes. */
TEST(before_the_first_state_there_is_nothing)
{
    for (int delayed = 0; delayed < 2; ++delayed) {
        es_threaded_config config = config_at(es_hz(60), 16666667);
        config.delay_ticks = delayed ? 0.0 : ES_THREADED_NO_DELAY;
        sim *s = make_empty(&config, 0);
        assert_int_equal(es_threaded_tick_due(&s->threaded), INT64_MAX);
        assert_false(es_threaded_tick_begin(&s->threaded, &s->tick));
        for (int i = 0; i < 30; ++i) {
            run_frame(s);
            assert_int_equal(s->shown.status, ES_THREADED_EMPTY);
            assert_int_equal(s->shown.frame.content_ns, 0);
            assert_int_equal(s->shown.wanted_ns, 0);
        }
        seek(s, 0);
        for (int i = 0; i < 30; ++i) {
            run_frame(s);
            assert_int_equal(s->shown.status, ES_THREADED_INTERPOLATED);
            assert_int_equal(s->shown.frame.content_ns, i * INT64_C(16666667));
            assert_int_equal(s->shown.moved_ns, i > 0 ? 0 : delayed ? -1 : -16666667);
        }
        assert_int_equal(s->dropped_ns, 0);
        drop(s);
    }
}

/* --- the configuration ------------------------------------------------------------------------ */

TEST(the_configuration_may_change)
{
    sim *s = make(es_hz(60), 16666667);
    es_threaded_config config = s->config;
    es_error error = {"left", "over"};
    run_frames(s, 100);
    assert_int_equal(es_threaded_reconfigure(&s->threaded, &config, &error), ES_OK); /* the same */
    assert_null(error.field);
    run_evenly(s, 50, 16666667, 16666667);
    config.loop.interval_ns = 10 * MS;
    config.loop.tick_rate = es_hz(90);
    config.loop.gap_ns = 700 * MS;
    config.delay_ticks = 2.0;
    config.ahead_max_ns = 5 * MS;
    assert_int_equal(es_threaded_reconfigure(&s->threaded, &config, &error), ES_OK);
    assert_int_equal(es_threaded_tick_rate(&s->threaded).numerator, 90);
    assert_int_equal(es__loop_tick_rate(&s->threaded.loop).numerator, 60); /* of its frames */
    run_frames(s, 50);
    assert_int_equal(es__loop_tick_rate(&s->threaded.loop).numerator, 90);
    for (int i = 0; i < 50; ++i) {
        run_evenly(s, 1, 10 * MS, 10 * MS);
        assert_in_range(s->shown.frame.account.delay_ns, 22222221, 22222223);
    }
    int64_t begun = s->begun;
    advance(s, s->now_ns + 5000 * MS); /* the line ends after gap_ns */
    assert_in_range(s->begun - begun, 60, 66);
    assert_int_equal(es_threaded_tick_due(&s->threaded), INT64_MAX);
    s->working = true; /* the update thread stops: content goes ahead_max_ns past its last tick */
    s->done_ns = INT64_MAX;
    run_frames(s, 50);
    assert_int_equal(s->shown.status, ES_THREADED_HELD);
    assert_int_equal(s->shown.frame.ahead_ns, 5 * MS);
    drop(s);
}

static void assert_stays(es_threaded *threaded, const es_threaded_config *config, const char *field)
{
    es_error error = {0};
    assert_int_equal(es_threaded_reconfigure(threaded, config, &error), ES_ERR_INVALID);
    assert_string_equal(error.field, field);
}

TEST(fields_that_cannot_change_are_named)
{
    sim *s = make(es_hz(60), 16666667);
    const es_threaded_config config = s->config;
    es_threaded_config others[] = {config, config, config, config, config};
    const char *const fields[] = {"lead_ticks", "state_size", "kind", "catch_up", "interval_ns"};
    es_error error;
    others[0].lead_ticks = 2;
    others[1].state_size += 1;
    others[2].kind = ES_EXCHANGE_LOCKED;
    others[2].lock = (es_lock){.lock = take_lock, .unlock = give_lock};
    others[3].loop.catch_up = ES_CATCH_UP_SLOW;
    others[4].loop.interval_ns = -1;
    for (size_t i = 0; i < sizeof others / sizeof others[0]; ++i) {
        assert_stays(&s->threaded, &others[i], fields[i]);
    }
    assert_int_equal(es_threaded_reconfigure(&s->threaded, &others[0], NULL), ES_ERR_INVALID);
    assert_int_equal(es_threaded_reconfigure(&s->threaded, NULL, &error), ES_ERR_INVALID);
    assert_string_equal(error.field, "config");
    assert_int_equal(es_threaded_reconfigure(NULL, &config, &error), ES_ERR_STATE);
    assert_null(error.field);
    drop(s);
}

/* --- starts ----------------------------------------------------------------------------------- */

static int no_update(void *user, const es_threaded_tick *tick)
{
    (void)user;
    (void)tick;
    return -1;
}

static const es_threaded_callbacks no_callbacks = {.update = no_update};

/* Without a thread: the simulation takes its place. */
static void start_ticks(sim *s)
{
    assert_int_equal(es__threaded_prepare(&s->threaded, &no_callbacks, NULL), ES_OK);
}

/* After a start the line stands until the first frame, however long that takes. */
TEST(a_start_goes_on_from_the_last_frame)
{
    sim *s = make(es_hz(60), 16666667);
    for (int i = 1; i <= 5; ++i) {
        start_ticks(s);
        int64_t begun = s->begun;
        advance(s, s->now_ns + 400 * MS);
        assert_in_range(s->begun - begun, 0, 1);
        for (int j = 0; j < 100; ++j) {
            int64_t moved_ns = run_frame_on(s);
            assert_int_equal(s->shown.status, ES_THREADED_INTERPOLATED);
            assert_true(i == 1 || moved_ns == 16666667);
        }
        s->now_ns += 300 * MS;
    }
    drop(s);
}

/* Frames without an update thread hold the newest tick; at the next start none of that is a
 * debt. */
TEST(a_start_leaves_no_debt)
{
    sim *s = make(es_hz(60), 16666667);
    start_ticks(s);
    run_frames(s, 50);
    s->working = true; /* no ticks run */
    s->done_ns = INT64_MAX;
    run_frames(s, 300);
    assert_int_equal(s->shown.status, ES_THREADED_HELD);
    s->working = false;
    start_ticks(s);
    int64_t begun = s->begun;
    for (int i = 0; i < 100; ++i) {
        int64_t moved_ns = run_frame_on(s);
        assert_in_range(moved_ns, i == 0 ? 0 : 16666667, 16666667); /* the first waits for a tick */
        assert_in_range(s->begun - begun, i, i + 3);
    }
    assert_int_equal(s->dropped_ns, 0);
    drop(s);
}

/* A pause ends at the time of the clock, not at that of the last frame. */
TEST(a_pause_without_frames_ends_now)
{
    sim *s = make(es_hz(60), 16666667);
    run_frames(s, 100);
    es_threaded_pause(&s->threaded, true);
    advance(s, s->now_ns + 800 * MS);
    int64_t begun = s->begun;
    es_threaded_pause(&s->threaded, false);
    assert_true(es_threaded_tick_due(&s->threaded) > s->now_ns - 16666667);
    run_frame(s);
    assert_in_range(s->begun - begun, 0, 3);
    drop(s);
}

/* The time that a seek takes to load says nothing about ticks. */
TEST(a_seek_has_no_cost)
{
    sim *s = make(es_hz(60), 16666667);
    run_frames(s, 100);
    for (int i = 0; i < 8; ++i) {
        advance(s, s->now_ns + 40 * MS);
        int64_t costs = s->threaded.ticks.costs;
        seek(s, 100 * i);
        assert_int_equal(s->threaded.ticks.costs, costs);
    }
    drop(s);
}

/* --- random changes --------------------------------------------------------------------------- */

static int64_t pick(test_random *random, const int64_t *from, size_t count)
{
    return from[random_below(random, (int64_t)count)];
}

static void change_config(sim *s, test_random *random)
{
    es_threaded_config config = s->config;
    config.delay_ticks = (double)random_below(random, 5) * 0.75;
    config.loop.tick_rate = es_threaded_tick_rate(&s->threaded);
    config.loop.gap_ns = random_below(random, 3) * 700 * MS;
    assert_int_equal(es_threaded_reconfigure(&s->threaded, &config, NULL), ES_OK);
}

static void change_something(sim *s, test_random *random)
{
    static const es_rate rates[] = {{60, 1}, {30, 1}, {120, 1}, {60000, 1001}, {250, 1}, {7, 1}};
    static const es_ratio scales[] = {{1, 1}, {1, 3}, {3, 1}, {0, 1}, {20, 1}};
    switch (random_below(random, 8)) {
    case 0:
        es_threaded_pause(&s->threaded, random_below(random, 2) == 0);
        break;
    case 1:
        es_threaded_step_once(&s->threaded);
        break;
    case 2:
        es_threaded_set_time_scale(&s->threaded, scales[random_below(random, 5)]);
        break;
    case 3:
        es_threaded_ask_tick_rate(&s->threaded, rates[random_below(random, 6)]);
        break;
    case 4:
        seek(s, random_below(random, 1000));
        break;
    case 5:
        change_config(s, random);
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
    const es_ratio normal = {1, 1};
    s->late = (spread){0, 0, 1};
    s->cost = (spread){0, 0, 1};
    s->draw = (spread){100, 0, 1};
    es_threaded_pause(&s->threaded, false);
    assert_int_equal(es_threaded_set_time_scale(&s->threaded, normal), ES_OK);
    run_frames(s, (int)(2000 * MS / interval_ns) + 10);
    for (int i = 0; i < 1000 && s->threaded.loop.content.slow.numerator != 1; ++i) {
        run_frame(s); /* out of slow motion */
    }
    run_frames(s, 10);
    for (int i = 0; i < 20; ++i) {
        es_threaded_frame last = s->shown;
        run_frame(s);
        assert_int_equal(s->shown.status, ES_THREADED_INTERPOLATED);
        assert_int_equal(s->shown.frame.content_ns - last.frame.content_ns,
                s->shown.frame.present_ns - last.frame.present_ns);
        assert_int_equal(s->shown.frame.account.clamped_ns, 0);
        assert_int_equal(s->threaded.loop.ticker.index, s->shown.frame.current_tick);
    }
}

TEST(random_changes_leave_every_frame_consistent)
{
    static const int64_t intervals[] = {6944444, 16666667, 33333333, 50 * MS, 2 * MS};
    for (uint64_t seed = 1; seed <= 300 / TEST_SHARE; ++seed) {
        test_random random = {seed * 7919};
        es_threaded_config config = config_at(es_hz(60), pick(&random, intervals, 5));
        config.lead_ticks = 1 + (int32_t)random_below(&random, 2);
        config.ahead_max_ns = random_below(&random, 2) * 8 * MS;
        sim *s = make_with(&config, random_below(&random, 1000 * MS));
        for (int i = 0; i < 60; ++i) {
            if (i % 20 == 19) {
                calm_down(s, config.loop.interval_ns);
            }
            change_something(s, &random);
            for (int64_t frames = random_below(&random, 20); frames > 0; --frames) {
                es_threaded_frame last = s->shown;
                run_frame(s);
                const es_threaded_frame *shown = &s->shown;
                bool moved_back = shown->frame.content_ns < last.frame.content_ns;
                assert_true(!moved_back || shown->status == ES_THREADED_GAP);
                bool first = s->frames == 1;
                assert_true(shown->moved_ns == 0 || shown->status == ES_THREADED_GAP || first);
                assert_true(shown->frame.account.dropped_ns <= s->dropped_ns);
                assert_true(
                        shown->frame.content_ns <= shown->frame.newest_ns + config.ahead_max_ns);
                if (shown->status != ES_THREADED_INTERPOLATED) {
                    continue;
                }
                bool newer = shown->frame.content_ns > shown->frame.previous_ns;
                assert_true(newer || shown->frame.previous_ns == shown->frame.current_ns
                            || shown->frame.alpha == 0.0);
            }
        }
        drop(s);
    }
}

/* --- what is refused -------------------------------------------------------------------------- */

static void assert_refused(const es_threaded_config *config, const char *field)
{
    static es_threaded threaded;
    static unsigned char memory[16384];
    es_error error = {0};
    es_result result = es_threaded_init(&threaded, config, memory, sizeof memory, &error);
    assert_int_equal(result, ES_ERR_INVALID);
    assert_string_equal(error.field, field);
    assert_int_equal(es_threaded_begin(&threaded), ES_ERR_STATE);
    assert_int_equal(es_threaded_tick_due(&threaded), INT64_MAX);
}

#define REFUSED(member, value, field)                                                              \
    do {                                                                                           \
        es_threaded_config config = config_at(es_hz(60), 16666667);                                \
        config.state_size = 8;                                                                     \
        config.member = value;                                                                     \
        assert_refused(&config, field);                                                            \
    } while (0)

TEST(bad_configurations_are_refused)
{
    REFUSED(state_size, 0, "state_size");
    REFUSED(lead_ticks, 3, "lead_ticks");
    REFUSED(lead_ticks, -1, "lead_ticks");
    REFUSED(delay_ticks, -0.5, "delay_ticks");
    REFUSED(delay_ticks, 8.5, "delay_ticks");
    REFUSED(ahead_max_ns, -1, "ahead_max_ns");
    REFUSED(ahead_max_ns, 2000 * MS, "ahead_max_ns");
    REFUSED(loop.step, ES_STEP_VARIABLE, "step");
    REFUSED(loop.catch_up, ES_CATCH_UP_SLOW, "catch_up");
    REFUSED(loop.alpha_below_one, true, "alpha_below_one");
    REFUSED(loop.ticks_max, 3, "ticks_max");
    REFUSED(loop.catch_up_max_ns, 3, "catch_up_max_ns");
    REFUSED(loop.delay_ticks, 1.0, "delay_ticks");
    REFUSED(loop.lead_ticks, 1, "lead_ticks");
    REFUSED(loop.interval_ns, -1, "interval_ns");
    REFUSED(kind, ES_EXCHANGE_LOCKED, "lock");
    const es_threaded_config stateless = {.state_size = 0};
    assert_int_equal(es_threaded_memory_size(&stateless), 0);
    es_threaded threaded;
    es_threaded_config config = config_at(es_hz(60), 16666667);
    config.state_size = 8;
    unsigned char memory[16384];
    es_error error = {0};
    size_t size = es_threaded_memory_size(&config);
    assert_in_range(size, 1, sizeof memory);
    assert_int_equal(es_threaded_init(&threaded, &config, memory, size, NULL), ES_OK);
    for (size_t less = 1; less <= size; less += 100) {
        assert_int_equal(
                es_threaded_init(&threaded, &config, memory, size - less, &error), ES_ERR_SPACE);
        assert_string_equal(error.field, "memory_size");
    }
    assert_int_equal(es_threaded_init(NULL, &config, memory, size, &error), ES_ERR_INVALID);
    assert_int_equal(es_threaded_init(&threaded, NULL, memory, size, &error), ES_ERR_INVALID);
    assert_int_equal(es_threaded_init(&threaded, &config, NULL, size, &error), ES_ERR_INVALID);
}

TEST(calls_out_of_order_are_refused)
{
    void *place;
    sim *s = make(es_hz(60), 16666667);
    assert_int_equal(es_threaded_ready(&s->threaded, NULL), ES_ERR_STATE);
    assert_int_equal(es_threaded_submit(&s->threaded), ES_ERR_STATE);
    assert_int_equal(es_threaded_end(&s->threaded), ES_ERR_STATE);
    assert_int_equal(es_threaded_tick_end(&s->threaded), ES_ERR_STATE);
    assert_null(es_threaded_report(&s->threaded));
    assert_true(es_threaded_tick_begin(&s->threaded, &s->tick));
    es_threaded_tick again;
    assert_false(es_threaded_tick_begin(&s->threaded, &again));
    assert_int_equal(es_threaded_tick_seek(&s->threaded, 3, &place), ES_ERR_STATE);
    end_tick(s);
    assert_int_equal(es_threaded_tick_seek(&s->threaded, 3, NULL), ES_ERR_INVALID);
    assert_int_equal(es_threaded_tick_seek(&s->threaded, -1, &place), ES_ERR_RANGE);
    run_frame(s);
    assert_int_equal(es_threaded_begin(&s->threaded), ES_OK);
    assert_int_equal(es_threaded_ready(&s->threaded, NULL), ES_OK);
    assert_int_equal(es_threaded_ready(&s->threaded, NULL), ES_ERR_STATE);
    assert_int_equal(es_threaded_begin(NULL), ES_ERR_STATE);
    assert_int_equal(es_threaded_ready(NULL, NULL), ES_ERR_STATE);
    assert_int_equal(es_threaded_tick_end(NULL), ES_ERR_STATE);
    assert_int_equal(es_threaded_tick_due(NULL), INT64_MAX);
    assert_int_equal(es_threaded_submit(NULL), ES_ERR_STATE);
    assert_int_equal(es_threaded_end(NULL), ES_ERR_STATE);
    assert_int_equal(es_threaded_presented(NULL, NULL), ES_ERR_STATE);
    assert_int_equal(es_threaded_step_once(NULL), ES_ERR_STATE);
    assert_int_equal(es_threaded_set_time_scale(NULL, (es_ratio){1, 1}), ES_ERR_STATE);
    assert_int_equal(es_threaded_tick_rate(NULL).numerator, 0);
    assert_int_equal(es_threaded_display(NULL).mode, es_loop_display(NULL).mode);
    assert_false(es_threaded_is_paused(NULL));
    assert_false(es_threaded_tick_begin(NULL, &again));
    assert_null(es_threaded_report(NULL));
    es_threaded_pause(NULL, true);
    drop(s);
}

TEST_MAIN("threaded_change", NULL)
