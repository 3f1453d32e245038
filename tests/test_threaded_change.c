/* SPDX-License-Identifier: Zlib
 *
 * threaded: what may change on the way (pause, speed, rates, configuration), gaps, seeks and cuts,
 * starts and stops, anything at any time, and what is refused.
 */
#include "threaded_sim.h"

#include "base/common.h"

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
        if (interval_ns < 16 * MS) { /* else it has paused with ticks that it did not show */
            assert_int_equal(s->shown.status, ES_THREADED_INTERPOLATED);
        }
        assert_int_equal(s->shown.moved_ns, 0);
    }
    assert_int_equal(s->shown.status, ES_THREADED_INTERPOLATED);
}

static void a_pause_stops_both(void **state)
{
    (void)state;
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

/* Some frames come when a tick is late; many more run before the renderer comes again. */
static void a_pause_keeps_a_slow_picture(void **state)
{
    (void)state;
    sim *s = make(es_hz(60), 150 * MS);
    s->late = (spread){0, 16 * MS, 2};
    run_frames(s, 10);
    for (int i = 0; i < 100; ++i) {
        es_threaded_frame before = s->shown;
        advance(s, s->now_ns + 130 * MS);
        es_threaded_pause(&s->threaded, true);
        run_frames(s, 3);
        assert_int_equal(s->shown.status, before.status);
        assert_int_equal(s->shown.frame.content_ns, before.frame.content_ns);
        assert_int_equal(s->shown.frame.current_tick, before.frame.current_tick);
        es_threaded_pause(&s->threaded, false);
        run_frames(s, 5);
    }
    drop(s);
}

static void single_steps_show_one_tick_each(void **state)
{
    (void)state;
    sim *s = make(es_hz(60), 16666667);
    s->late = (spread){0, 10 * MS, 2};
    run_frames(s, 100);
    assert_int_equal(es_threaded_set_tick_rate(&s->threaded, es_hz(90)), ES_OK);
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

static void time_scale_is_followed(void **state)
{
    static const es_ratio scales[] = {{1, 4}, {4, 1}, {0, 1}, {1, 1}, {2, 3}};
    (void)state;
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

/* The first ns at which content is past the tick a lead before the newest. */
static void a_tick_is_due_when_content_gets_there(void **state)
{
    static const es_ratio scales[] = {{1, 1}, {2, 3}, {7, 5}, {1, 7}, {1000, 1}, {1, 1000}};
    (void)state;
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
            int64_t past_ns = es_rate_events_to_ns((es_rate){60000, 1001}, s->newest - 1) + 1;
            int64_t span_ns = due_ns - s->shown.frame.start_ns;
            assert_true(s->shown.wanted_ns + es__ns_scale(span_ns, scale) >= past_ns);
            assert_true(s->shown.wanted_ns + es__ns_scale(span_ns - 1, scale) < past_ns);
        }
        drop(s);
    }
}

/* --- tick rate -------------------------------------------------------------------------------- */

/* Even frames until pictures are of ticks at this rate. Returns the period. */
static int64_t run_to_rate(sim *s, es_rate rate)
{
    int64_t period_ns = es_rate_period_ns(rate);
    run_evenly(s, 300, 6944444, 6944444);
    assert_in_range(
            s->shown.frame.current_ns - s->shown.frame.previous_ns, period_ns, period_ns + 1);
    return period_ns;
}

static void the_tick_rate_may_change(void **state)
{
    static const es_rate rates[] = {{120, 1}, {30, 1}, {60000, 1001}, {144, 1}, {60, 1}};
    (void)state;
    sim *s = make(es_hz(60), 6944444);
    s->late = (spread){0, 3 * MS, 9};
    run_frames(s, 100);
    for (size_t i = 0; i < sizeof rates / sizeof rates[0]; ++i) {
        if (s->working) {
            assert_int_equal(es_threaded_set_tick_rate(&s->threaded, rates[i]), ES_ERR_STATE);
            advance(s, s->done_ns);
        }
        assert_int_equal(es_threaded_set_tick_rate(&s->threaded, rates[i]), ES_OK);
        int64_t period_ns = run_to_rate(s, rates[i]);
        /* the render half's own ticks have found the real ones */
        assert_int_equal(s->threaded.loop.ticker.index, s->shown.frame.current_tick);
        assert_int_equal(s->threaded.loop.ticker.time_ns, s->shown.frame.current_ns);
        assert_in_range(s->shown.frame.account.delay_ns, period_ns, period_ns + 1);
    }
    assert_int_equal(es_threaded_set_tick_rate(&s->threaded, es_hz(0)), ES_ERR_INVALID);
    drop(s);
}

/* --- gaps ------------------------------------------------------------------------------------- */

static void a_hidden_window_ends_in_a_gap(void **state)
{
    (void)state;
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

/* --- seeks and cuts --------------------------------------------------------------------------- */

static void a_seek_is_shown_and_goes_on(void **state)
{
    int64_t to[] = {10, 500, 0, 42, -1, -1, -2, -2};
    (void)state;
    sim *s = make(es_hz(60), 6944444);
    s->late = (spread){0, 10 * MS, 2};
    run_frames(s, 100);
    for (size_t i = 0; i < sizeof to / sizeof to[0]; ++i) {
        if (to[i] < 0) { /* one that C is in, or near */
            to[i] += s->shown.frame.current_tick;
        }
        seek(s, to[i]);
        int64_t jumps = s->jumps;
        run_frame(s);
        assert_int_equal(s->shown.status, ES_THREADED_GAP);
        assert_int_equal(s->shown.frame.current_tick, to[i]);
        assert_int_equal(s->shown.frame.previous_tick, to[i]);
        assert_int_equal(s->shown.frame.content_ns, es_rate_events_to_ns(es_hz(60), to[i]));
        assert_int_equal(((const world *)s->shown.current)->jumps, jumps);
        run_evenly(s, 100 + (int)i, 6944443, 6944445);
    }
    drop(s);
}

/* Until the state is there the old one is shown. */
static void a_seek_may_take_its_time(void **state)
{
    void *place;
    (void)state;
    sim *s = make(es_hz(60), 6944444);
    run_frames(s, 100);
    while (s->working) {
        advance(s, s->done_ns);
    }
    int64_t newest = s->newest;
    assert_int_equal(es_threaded_tick_seek(&s->threaded, 1000, &place), ES_OK);
    s->working = true; /* the thread loads */
    s->done_ns = INT64_MAX;
    for (int i = 0; i < 30; ++i) {
        run_frame(s);
        assert_int_not_equal(s->shown.status, ES_THREADED_GAP);
        assert_in_range(s->shown.frame.current_tick, newest - 2, newest);
    }
    assert_int_equal(s->shown.status, ES_THREADED_HELD);
    s->jumps += 1;
    *(world *)place = (world){1000, es_rate_events_to_ns(es_hz(60), 1000), s->jumps};
    assert_int_equal(es_threaded_tick_end(&s->threaded), ES_OK);
    s->working = false;
    run_frame(s);
    assert_int_equal(s->shown.status, ES_THREADED_GAP);
    assert_int_equal(s->shown.frame.current_tick, 1000);
    assert_int_equal(s->dropped_ns, 0);
    drop(s);
}

/* What was dropped before a leap is not taken from the time after it. */
static void a_seek_ends_what_was_owed(void **state)
{
    (void)state;
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
    assert_int_equal(s->shown.frame.dropped_ns, 0);
    assert_int_equal(s->shown.frame.content_ns, 833333333 + 16666667);
    drop(s);
}

/* The last tick before it is shown to its end; then the first one after it, as it is. */
static void a_cut_is_not_blended_across(void **state)
{
    int gaps = 0;
    (void)state;
    sim *s = make(es_hz(60), 6944444);
    run_frames(s, 100);
    for (int i = 0; i < 50; ++i) {
        s->cut_next = true;
        for (int j = 0; j < 60; ++j) {
            assert_in_range(run_frame_on(s), 0, 16666667 + 6944444);
            assert_int_equal(s->shown.moved_ns, 0);
            gaps += s->shown.status == ES_THREADED_GAP;
            assert_int_not_equal(s->shown.status, ES_THREADED_HELD);
        }
        assert_int_equal(s->shown.status, ES_THREADED_INTERPOLATED);
    }
    assert_in_range(gaps, 50, 200);
    drop(s);
}

/* Content waits for it, however long it takes. */
static void before_the_first_state_there_is_nothing(void **state)
{
    (void)state;
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

/* --- hosts, and changes ----------------------------------------------------------------------- */

/* The host's time has an origin of its own, and its callbacks come late. */
static void a_host_may_own_the_frames(void **state)
{
    (void)state;
    test_random random = {9};
    for (int predicted = 0; predicted < 2; ++predicted) {
        sim *s = make(es_hz(60), 16666667);
        int64_t host_ns = -77777 * MS;
        s->late = (spread){0, 8 * MS, 2};
        for (int i = 0; i < 500; ++i) {
            int64_t late_ns = random_below(&random, 5 * MS);
            int64_t content_ns = s->shown.frame.content_ns;
            advance(s, s->now_ns + late_ns);
            assert_true(es_threaded_begin_host(
                    &s->threaded, host_ns, predicted ? host_ns + 16666667 : 0));
            assert_int_equal(es_threaded_ready(&s->threaded, &s->shown), ES_OK);
            assert_int_equal(s->shown.status, ES_THREADED_INTERPOLATED);
            assert_int_equal(s->shown.frame.start_ns, host_ns);
            if (i > 1) {
                assert_int_equal(s->shown.frame.content_ns - content_ns, 16666667);
            }
            assert_int_equal(
                    es_threaded_end_shown(&s->threaded, host_ns + 5, ES_SHOWN_VIRTUAL), ES_OK);
            assert_int_equal(es_threaded_report(&s->threaded)->shown_ns, host_ns + 5);
            assert_int_equal(es_threaded_report(&s->threaded)->source, ES_SHOWN_VIRTUAL);
            host_ns += 16666667;
            advance(s, s->now_ns + 16666667 - late_ns);
        }
        drop(s);
    }
}

static void what_may_be_changed_on_the_way(void **state)
{
    (void)state;
    sim *s = make(es_hz(60), 16666667);
    es_error error = {"left", "over"};
    run_frames(s, 100);
    es_threaded_config config = es_threaded_get_config(&s->threaded);
    assert_memory_equal(&config.loop.clock, &s->config.loop.clock, sizeof config.loop.clock);
    assert_int_equal(config.loop.tick_rate.numerator, 60);
    assert_int_equal(config.state_size, sizeof(world));
    /* as it is: nothing changes */
    assert_int_equal(es_threaded_reconfigure(&s->threaded, &config, &error), ES_OK);
    assert_null(error.field);
    run_evenly(s, 50, 16666667, 16666667);
    /* all that may */
    config.loop.interval_ns = 10 * MS;
    config.loop.tick_rate = es_hz(90);
    config.loop.gap_ns = 700 * MS;
    config.delay_ticks = 2.0;
    config.ahead_max_ns = 5 * MS;
    config.catch_up_max_ns = 60 * MS;
    assert_int_equal(es_threaded_reconfigure(&s->threaded, &config, &error), ES_OK);
    assert_int_equal(es_threaded_tick_rate(&s->threaded).numerator, 90);
    assert_int_equal(es_loop_tick_rate(&s->threaded.loop).numerator, 60); /* its pictures' */
    run_frames(s, 50);
    assert_int_equal(es_loop_tick_rate(&s->threaded.loop).numerator, 90);
    for (int i = 0; i < 50; ++i) {
        run_evenly(s, 1, 10 * MS, 10 * MS);
        assert_in_range(s->shown.frame.account.delay_ns, 22222221, 22222223);
    }
    es_threaded_config now = es_threaded_get_config(&s->threaded);
    assert_int_equal(now.loop.interval_ns, 10 * MS);
    assert_int_equal(now.loop.tick_rate.numerator, 90);
    assert_int_equal(now.catch_up_max_ns, 60 * MS);
    assert_true(now.delay_ticks == 2.0);
    /* behind_max is the tick half's: a hitch of 300 ms loses what is beyond 60 */
    have_a_long_tick(s, 300 * MS, 0);
    run_frames(s, 60);
    assert_in_range(s->dropped_ns, 215 * MS, 250 * MS);
    /* the line ends after gap_ns */
    int64_t begun = s->begun;
    advance(s, s->now_ns + 5000 * MS);
    assert_in_range(s->begun - begun, 60, 66);
    drop(s);
}

static void assert_stays(es_threaded *threaded, const es_threaded_config *config, const char *field)
{
    es_error error = {0};
    assert_int_equal(es_threaded_reconfigure(threaded, config, &error), ES_ERR_INVALID);
    assert_string_equal(error.field, field);
}

static void what_may_not_be_changed_is_named(void **state)
{
    (void)state;
    sim *s = make(es_hz(60), 16666667);
    const es_threaded_config config = es_threaded_get_config(&s->threaded);
    es_threaded_config other = config;
    es_error error;
    es_threaded *threaded = &s->threaded;
    other.lead_ticks = 2;
    assert_stays(threaded, &other, "lead_ticks");
    other = config;
    other.ticks = 3;
    assert_stays(threaded, &other, "ticks");
    other = config;
    other.state_size += 1;
    assert_stays(threaded, &other, "state_size");
    other = config;
    other.kind = ES_EXCHANGE_LOCKED;
    other.lock = (es_lock){.lock = take_lock, .unlock = give_lock};
    assert_stays(threaded, &other, "kind");
    other = config;
    other.loop.catch_up = ES_CATCH_UP_SLOW;
    assert_stays(threaded, &other, "catch_up");
    other = config;
    other.loop.interval_ns = -1;
    assert_int_equal(es_threaded_reconfigure(threaded, &other, NULL), ES_ERR_INVALID);
    assert_int_equal(es_threaded_reconfigure(threaded, NULL, &error), ES_ERR_INVALID);
    assert_string_equal(error.field, "config");
    assert_int_equal(es_threaded_reconfigure(NULL, &config, &error), ES_ERR_STATE);
    assert_null(error.field);
    drop(s);
}

static void a_rate_that_is_asked_for_comes_between_ticks(void **state)
{
    static const es_rate rates[] = {{120, 1}, {30, 1}, {60000, 1001}, {7, 1}, {60, 1}};
    (void)state;
    sim *s = make(es_hz(60), 6944444);
    s->late = (spread){0, 3 * MS, 9};
    s->cost = (spread){4 * MS, 0, 9};
    run_frames(s, 100);
    for (size_t i = 0; i < sizeof rates / sizeof rates[0]; ++i) {
        assert_int_equal(es_threaded_ask_tick_rate(&s->threaded, es_hz(11)), ES_OK);
        assert_int_equal(es_threaded_ask_tick_rate(&s->threaded, rates[i]), ES_OK);
        assert_int_equal(
                es_threaded_tick_rate(&s->threaded).numerator, (int64_t)rates[i].numerator);
        run_to_rate(s, rates[i]);
    }
    /* the tick half's own wish, later, counts; and is seen */
    advance(s, s->working ? s->done_ns : s->now_ns);
    assert_int_equal(es_threaded_ask_tick_rate(&s->threaded, es_hz(20)), ES_OK);
    assert_int_equal(es_threaded_set_tick_rate(&s->threaded, es_hz(50)), ES_OK);
    run_frames(s, 100);
    assert_int_equal(es_threaded_tick_rate(&s->threaded).numerator, 50);
    assert_int_equal(es_threaded_ask_tick_rate(&s->threaded, es_hz(0)), ES_ERR_INVALID);
    assert_int_equal(es_threaded_ask_tick_rate(NULL, es_hz(60)), ES_ERR_STATE);
    drop(s);
}

/* One that comes while a tick runs waits for its end; and what is too slow for a day's delay is
 * refused on either side. */
static void a_rate_waits_for_the_tick(void **state)
{
    (void)state;
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
    assert_int_equal(es_threaded_ask_tick_rate(&s->threaded, es_hz(30)), ES_OK);
    assert_int_equal(es_threaded_ask_tick_rate(&s->threaded, es_hz(40)), ES_OK);
    assert_int_equal(es_threaded_set_tick_rate(&s->threaded, es_hz(50)), ES_OK);
    es_threaded_tick_due(&s->threaded);
    assert_int_equal(s->threaded.ticks.ticker.rate.numerator, 50);
    const es_rate slow = {1, 6 * 3600};
    assert_int_equal(es_threaded_ask_tick_rate(&s->threaded, slow), ES_ERR_INVALID);
    assert_int_equal(es_threaded_set_tick_rate(&s->threaded, slow), ES_ERR_INVALID);
    drop(s);
}

/* A thread that is never run: its place is taken by the simulation. */
static bool note_start(void *user, void (*run)(void *argument), void *argument)
{
    (void)run;
    (void)argument;
    *(int *)user += 1;
    return true;
}

static void note_join(void *user)
{
    *(int *)user += 100;
}

static int no_update(void *user, const es_threaded_tick *tick)
{
    (void)user;
    (void)tick;
    return -1;
}

/* After a start the line stands until a frame comes, whatever time it is; then all is as ever. */
static void a_start_goes_on_from_the_picture(void **state)
{
    (void)state;
    int calls = 0;
    const es_threaded_callbacks callbacks = {.update = no_update};
    es_threaded_config config = config_at(es_hz(60), 16666667);
    config.thread = (es_threaded_thread){&calls, note_start, note_join};
    sim *s = make_with(&config, 1000);
    for (int i = 1; i <= 5; ++i) {
        assert_int_equal(es_threaded_start(&s->threaded, &callbacks, NULL), ES_OK);
        int64_t begun = s->begun;
        advance(s, s->now_ns + 400 * MS);
        assert_in_range(s->begun - begun, 0, 1);
        int64_t content_ns = s->shown.frame.content_ns;
        for (int j = 0; j < 100; ++j) {
            run_frame(s);
            assert_int_equal(s->shown.status, ES_THREADED_INTERPOLATED);
            if (i > 1) {
                assert_int_equal(s->shown.frame.content_ns - content_ns, 16666667);
            }
            content_ns = s->shown.frame.content_ns;
        }
        assert_int_equal(es_threaded_join(&s->threaded), ES_OK);
        assert_int_equal(calls, 101 * i);
        s->now_ns += 300 * MS;
    }
    drop(s);
}

/* Frames that go on without ticks hold the newest; at the next start nothing of that is owed. */
static void what_passes_between_a_stop_and_a_start_is_nobodys(void **state)
{
    (void)state;
    int calls = 0;
    const es_threaded_callbacks callbacks = {.update = no_update};
    es_threaded_config config = config_at(es_hz(60), 16666667);
    config.thread = (es_threaded_thread){&calls, note_start, note_join};
    sim *s = make_with(&config, 1000);
    assert_int_equal(es_threaded_start(&s->threaded, &callbacks, NULL), ES_OK);
    run_frames(s, 50);
    assert_int_equal(es_threaded_join(&s->threaded), ES_OK);
    s->working = true; /* nobody runs ticks */
    s->done_ns = INT64_MAX;
    run_frames(s, 300);
    assert_int_equal(s->shown.status, ES_THREADED_HELD);
    s->working = false;
    assert_int_equal(es_threaded_start(&s->threaded, &callbacks, NULL), ES_OK);
    int64_t begun = s->begun;
    for (int i = 0; i < 100; ++i) {
        int64_t moved_ns = run_frame_on(s);
        assert_in_range(moved_ns, i == 0 ? 0 : 16666667, 16666667); /* the first waits for a tick */
        assert_in_range(s->begun - begun, i, i + 3);
    }
    assert_int_equal(s->dropped_ns, 0);
    drop(s);
}

/* What the clock says when a pause ends counts, and not the last frame's. */
static void a_pause_without_frames_is_no_hurry(void **state)
{
    (void)state;
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

/* The time that a state takes to load says nothing about ticks. */
static void loading_is_no_load(void **state)
{
    (void)state;
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

/* What passed is left out; ticks that have run meanwhile are there. */
static void a_resync_leaves_time_out(void **state)
{
    (void)state;
    sim *s = make(es_hz(60), 16666667);
    run_frames(s, 100);
    int64_t content_ns = s->shown.frame.content_ns;
    s->now_ns += 400 * MS; /* both threads load a level */
    assert_int_equal(es_threaded_resync(&s->threaded), ES_OK);
    run_frame(s);
    assert_int_equal(s->shown.wanted_ns - content_ns, 16666667);
    assert_in_range(s->shown.frame.account.slowed_ns, 380 * MS, 400 * MS);
    int64_t begun = s->begun;
    run_frames(s, 10);
    assert_in_range(s->begun - begun, 9, 11); /* nor did ticks run ahead */
    assert_int_equal(es_threaded_resync(NULL), ES_ERR_STATE);
    drop(s);
}

/* --- anything at any time --------------------------------------------------------------------- */

static int64_t pick(test_random *random, const int64_t *from, size_t count)
{
    return from[random_below(random, (int64_t)count)];
}

static void change_config(sim *s, test_random *random)
{
    es_threaded_config config = es_threaded_get_config(&s->threaded);
    config.delay_ticks = (double)random_below(random, 5) * 0.75;
    config.catch_up_max_ns = random_below(random, 3) * 40 * MS;
    config.loop.gap_ns = random_below(random, 3) * 700 * MS;
    assert_int_equal(es_threaded_reconfigure(&s->threaded, &config, NULL), ES_OK);
}

static void change_something(sim *s, test_random *random)
{
    static const es_rate rates[] = {{60, 1}, {30, 1}, {120, 1}, {60000, 1001}, {250, 1}, {7, 1}};
    static const es_ratio scales[] = {{1, 1}, {1, 3}, {3, 1}, {0, 1}, {20, 1}};
    switch (random_below(random, 11)) {
    case 8:
        es_threaded_ask_tick_rate(&s->threaded, rates[random_below(random, 6)]);
        break;
    case 9:
        es_threaded_resync(&s->threaded);
        break;
    case 10:
        change_config(s, random);
        break;
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
        es_threaded_set_tick_rate(&s->threaded, rates[random_below(random, 6)]);
        break;
    case 4:
        seek(s, random_below(random, 1000));
        break;
    case 5:
        s->cut_next = true;
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

/* Whatever came before, a second later all is as it should be. */
static void calm_down(sim *s, int64_t interval_ns)
{
    const es_ratio normal = {1, 1};
    s->late = (spread){0, 0, 1};
    s->cost = (spread){0, 0, 1};
    s->draw = (spread){100, 0, 1};
    s->cut_next = false;
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

static void anything_may_happen_at_any_time(void **state)
{
    static const int64_t intervals[] = {6944444, 16666667, 33333333, 50 * MS, 2 * MS};
    (void)state;
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

static void bad_configurations_are_refused(void **state)
{
    (void)state;
    REFUSED(state_size, 0, "state_size");
    REFUSED(lead_ticks, 3, "lead_ticks");
    REFUSED(lead_ticks, -1, "lead_ticks");
    REFUSED(ticks, 2, "ticks");
    REFUSED(ticks, 5, "ticks");
    REFUSED(delay_ticks, -0.5, "delay_ticks");
    REFUSED(delay_ticks, 8.5, "delay_ticks");
    REFUSED(catch_up_max_ns, -1, "catch_up_max_ns");
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

static void calls_out_of_order_are_refused(void **state)
{
    void *place;
    (void)state;
    sim *s = make(es_hz(60), 16666667);
    assert_int_equal(es_threaded_ready(&s->threaded, NULL), ES_ERR_STATE);
    assert_int_equal(es_threaded_submit(&s->threaded), ES_ERR_STATE);
    assert_int_equal(es_threaded_end(&s->threaded), ES_ERR_STATE);
    assert_int_equal(es_threaded_tick_end(&s->threaded), ES_ERR_STATE);
    assert_int_equal(es_threaded_tick_cut(&s->threaded), ES_ERR_STATE);
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
    drop(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
            cmocka_unit_test(a_host_may_own_the_frames),
            cmocka_unit_test(what_may_be_changed_on_the_way),
            cmocka_unit_test(a_rate_that_is_asked_for_comes_between_ticks),
            cmocka_unit_test(what_may_not_be_changed_is_named),
            cmocka_unit_test(a_rate_waits_for_the_tick),
            cmocka_unit_test(a_start_goes_on_from_the_picture),
            cmocka_unit_test(what_passes_between_a_stop_and_a_start_is_nobodys),
            cmocka_unit_test(a_pause_without_frames_is_no_hurry),
            cmocka_unit_test(loading_is_no_load),
            cmocka_unit_test(a_resync_leaves_time_out),
            cmocka_unit_test(a_pause_stops_both),
            cmocka_unit_test(a_pause_keeps_a_slow_picture),
            cmocka_unit_test(single_steps_show_one_tick_each),
            cmocka_unit_test(time_scale_is_followed),
            cmocka_unit_test(a_tick_is_due_when_content_gets_there),
            cmocka_unit_test(the_tick_rate_may_change),
            cmocka_unit_test(a_hidden_window_ends_in_a_gap),
            cmocka_unit_test(a_seek_is_shown_and_goes_on),
            cmocka_unit_test(a_seek_may_take_its_time),
            cmocka_unit_test(a_seek_ends_what_was_owed),
            cmocka_unit_test(a_cut_is_not_blended_across),
            cmocka_unit_test(before_the_first_state_there_is_nothing),
            cmocka_unit_test(anything_may_happen_at_any_time),
            cmocka_unit_test(bad_configurations_are_refused),
            cmocka_unit_test(calls_out_of_order_are_refused),
    };
    return cmocka_run_group_tests_name("threaded_change", tests, NULL, NULL);
}
