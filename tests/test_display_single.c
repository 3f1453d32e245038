/* SPDX-License-Identifier: Zlib
 *
 * display, one frame waiting in place of a queue: where feedback tells and work is quick it makes
 * frames newer by a refresh or more, and repeats none; what is late ends it. And on a display
 * that shows frames by a timer it moves them evenly.
 */
#include "test_scene.h"

#include <stdlib.h>

static void open_at(scene *s, int64_t millihertz, int32_t depth, int64_t cost_percent)
{
    set_up(s, millihertz, depth, cost_percent);
    s->wake_late_ns = 100 * US;
    s->fed = true;
    open_display(s);
}

/* ---- when ---- */

/* From where a frame began until it was seen, at most, in percent of a refresh. */
static int64_t oldest_until(scene *s, int64_t until_ns)
{
    int64_t most_ns = 0;
    while (s->now_ns < until_ns) {
        run_frame(s);
        int64_t age_ns = s->flip_ns - s->display.start_ns;
        most_ns = age_ns > most_ns ? age_ns : most_ns;
    }
    return most_ns * 100 / screen_period_ns(&s->screen);
}

TEST(quick_work_has_one_waiting)
{
    static const int64_t rates[] = {60000, 75000, 144000, 59940, 240000};
    static scene s;
    for (int i = 0; i < 5 * 3; ++i) {
        open_at(&s, rates[i / 3], i % 3 + 2, 20);
        run_until(&s, 2 * S);
        int64_t repeats = s.screen.repeats;
        int64_t oldest = oldest_until(&s, 4 * S);
        assert_true(status_of(&s).single);
        assert_in_range(oldest, 85, 115); /* 3/4, and the work */
        tally sum = count_until(&s, 30 * S);
        assert_true(status_of(&s).single);
        assert_int_equal(sum.locked, sum.frames);
        assert_int_equal(sum.off, 0);
        assert_int_equal(s.screen.repeats, repeats);
    }
}

/* Without one of what it asks for it never begins. */
TEST(else_the_queue_is_filled)
{
    static scene s;
    for (int i = 0; i < 5; ++i) {
        set_up(&s, 60000, i == 3 ? 1 : 2, i == 1 ? 60 : 30);
        s.fed = i != 0;
        s.config.low_latency = i == 2;
        s.config.interval_ns = i == 4 ? 33333333 : 0;
        open_display(&s);
        while (s.now_ns < 10 * S) {
            run_frame(&s);
            if (status_of(&s).single && (i != 4 || s.now_ns > 4 * S)) { /* two are held by then */
                fail_msg("case %d: one waits, %d held at %d ms", i, s.display.multiple,
                        (int)(s.now_ns / MS));
            }
        }
    }
}

/* When it begins again after a frame that took two refreshes, and how often it was repeated. */
static int64_t back_after(scene *s, int64_t *repeats)
{
    int64_t from_ns = s->now_ns;
    int64_t before = s->screen.repeats;
    s->extra_ns = 2 * screen_period_ns(&s->screen);
    run_frame(s);
    run_frame(s);
    run_frame(s);
    assert_false(status_of(s).single);
    while (!status_of(s).single) {
        run_frame(s);
        if (s->now_ns > from_ns + 40 * S) {
            fail_msg("not back: %d ms are wanted", (int)(s->display.single_wanted_ns / MS));
        }
    }
    *repeats = s->screen.repeats - before;
    return s->now_ns - from_ns;
}

TEST(what_is_late_ends_it_for_a_while)
{
    static scene s;
    int64_t repeats;
    open_at(&s, 60000, 2, 20);
    run_until(&s, 3 * S);
    assert_true(status_of(&s).single);
    assert_in_range(back_after(&s, &repeats) / MS, 1000, 1200);
    assert_in_range(repeats, 1, 2);
    assert_in_range(back_after(&s, &repeats) / MS, 4000, 4200);
    run_until(&s, s.now_ns + 61 * S); /* that is forgotten */
    assert_in_range(back_after(&s, &repeats) / MS, 250, 450);
}

/* What one waiting frame could not have borne, and the queue did, keeps it from beginning. */
TEST(spikes_keep_it_from_beginning)
{
    static scene s;
    open_at(&s, 60000, 4, 20);
    s.load.spike_every = 2;
    s.load.spike_ns = screen_period_ns(&s.screen) * 6 / 10;
    while (s.now_ns < 60 * S) {
        run_frame(&s);
        assert_false(status_of(&s).single);
    }
    assert_int_equal(s.screen.repeats, 0);
    open_at(&s, 60000, 3, 20);
    s.load.spike_every = 10;
    s.load.spike_ns = screen_period_ns(&s.screen);
    run_until(&s, 60 * S);
    assert_in_range(s.screen.repeats, 0, 4);
}

/* Quick and slow in turns: each end counts, or it would come and go for ever. */
TEST(it_does_not_come_and_go)
{
    static scene s;
    int64_t changes = 0;
    open_at(&s, 60000, 2, 20);
    for (int64_t i = 1; i <= 400; ++i) {
        s.load.cost_ns = screen_period_ns(&s.screen) * (i % 2 == 0 ? 20 : 90) / 100;
        while (s.now_ns < i * 1500 * MS) {
            bool before = status_of(&s).single;
            run_frame(&s);
            changes += status_of(&s).single != before;
        }
    }
    assert_in_range(changes, 1, 20);
    assert_in_range(s.screen.repeats, 0, 4);
}

/* What a GPU takes shows only then: one frame is late for it, once; also where that is reported when
 * others have been submitted. */
TEST(a_slow_gpu_ends_it_for_good)
{
    static scene s;
    for (int64_t lag = 0; lag <= 12; lag += 4) {
        open_at(&s, 60000, 2, 20);
        s.feedback_late = lag;
        s.screen.hidden_ns = screen_period_ns(&s.screen) * 9 / 10;
        run_until(&s, 10 * S);
        int64_t repeats = s.screen.repeats;
        assert_in_range(repeats, 0, 2);
        run_until(&s, 400 * S);
        assert_int_equal(s.screen.repeats, repeats);
        assert_false(status_of(&s).single);
    }
}

/* With one waiting nothing shows how quick a display is but that frames are seen early, of which
 * the line must not make a display as slow as the program. */
TEST(another_rate_is_noticed)
{
    static const int64_t rates[][2] = {{75000, 60000}, {75000, 72000}, {75000, 74000},
            {75000, 120000}, {60000, 90000}, {60000, 120000}, {60000, 144000}, {60000, 165000},
            {60000, 180000}, {60000, 240000}, {30000, 60000}, {120000, 240000}, {120000, 60000},
            {60000, 59940}};
    static scene s;
    for (size_t i = 0; i < sizeof rates / sizeof rates[0] * 16; ++i) {
        const int64_t *rate = rates[i / 16];
        open_at(&s, rate[0], 2 + (int32_t)(i % 2), 20);
        set_seed(&s, (int64_t)i);
        run_until(&s, 5 * S);
        assert_true(status_of(&s).single);
        s.screen.rate = es_rate_make((uint64_t)rate[1], 1000);
        int64_t period_ns = screen_period_ns(&s.screen);
        s.screen.phase_ns = s.screen.last_ns + (int64_t)(i / 2 % 8) * period_ns / 8;
        s.screen.last_index = 0;
        int64_t repeats = s.screen.repeats;
        run_until(&s, s.now_ns + 5 * S);
        assert_in_range(s.screen.repeats - repeats, 0, rate[1] / 2000); /* of half a second */
        s.near_ns = rate[1] == 59940 ? 1200 * US : NEAR_NS; /* the line follows slowly */
        tally sum = count_until(&s, s.now_ns + 20 * S);
        assert_int_equal(sum.locked, sum.frames);
        assert_in_range(sum.off, 0, sum.frames / 100);
        assert_in_range(sum.repeats, 0, 2);
        assert_in_range((int64_t)(status_of(&s).period_ns + 0.5), 999 * period_ns / 1000,
                1001 * period_ns / 1000);
    }
}

/* ---- the line, where more than one refresh is held, or nothing waits ---- */

/* After a pause the phase is another: readings say which, before a line begins on what it was. */
TEST(after_a_pause_readings_come_first)
{
    static const screen_kind kinds[] = {SCREEN_FIFO, SCREEN_FIFO, SCREEN_MAILBOX};
    static scene s;
    for (int i = 0; i < 3 * 16; ++i) {
        open_at(&s, 60000, 2, 20);
        set_seed(&s, i);
        s.screen.kind = kinds[i % 3];
        s.config.interval_ns = i % 3 == 1 ? 33333333 : 0;
        s.feedback_noise_ns = 100 * US;
        open_display(&s);
        run_until(&s, 10 * S);
        es__display_gap(&s.display, 3600 * S, false);
        s.told = s.screen.frames;
        s.screen.phase_ns += (i / 3 - 8) * MS;
        int64_t from_ns = s.now_ns;
        run_until(&s, from_ns + 500 * MS);
        s.near_ns = 1200 * US;
        tally sum = count_until(&s, from_ns + 10 * S);
        assert_int_equal(sum.off, 0);
        assert_in_range(
                sum.locked, sum.frames - 30, sum.frames); /* a millisecond may be lateness */
    }
}

/* Half a refresh ahead is enough, where it is: input is no older than it must be. */
TEST(who_holds_hands_in_half_a_refresh_ahead)
{
    static scene s;
    for (int i = 0; i < 4; ++i) {
        set_up(&s, 60000, 2, 20);
        s.fed = true;
        s.screen.kind = i % 2 == 0 ? SCREEN_MAILBOX : SCREEN_FIFO;
        s.config.interval_ns = i % 2 == 0 ? 0 : 33333333;
        s.config.low_latency = i == 3;
        open_display(&s);
        run_until(&s, 5 * S);
        assert_in_range(oldest_until(&s, 30 * S), 40, 80); /* and the work */
    }
}

/* Where it is not, at the worst phase of Xvfb's count, that shows in a frame or two. */
TEST(and_earlier_where_that_is_uneven)
{
    static scene s;
    for (int i = 0; i < 8; ++i) {
        set_up(&s, 75000, 2, 20);
        set_seed(&s, i);
        s.screen.kind = SCREEN_TIMER;
        s.screen.phase_ns += i * 137 * US;
        s.wake_late_ns = 150 * US;
        s.config.interval_ns = 26666667;
        s.fed = true;
        open_display(&s);
        run_until(&s, 5 * S);
        int64_t missed = status_of(&s).missed;
        run_until(&s, 60 * S);
        assert_true(s.display.line_early);
        assert_int_equal(status_of(&s).multiple, 2);
        assert_in_range(status_of(&s).missed - missed, 0, 3);
    }
}

/* ---- a display with a timer ---- */

enum { ERRORS_MOST = 8000 };

static int by_size(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

/* Animation errors: how far what content moves by is off what passes between two that are seen. */
static int64_t errors_until(scene *s, int64_t until_ns, int64_t *errors_ns)
{
    int64_t count = 0;
    while (s->now_ns < until_ns) {
        run_frame(s);
        assert_int_equal(s->display.mode, ES_DISPLAY_LOCKED);
        assert_true(count < ERRORS_MOST);
        errors_ns[count++] = magnitude(s->moved_ns - s->shown_after_ns);
    }
    qsort(errors_ns, (size_t)count, sizeof errors_ns[0], by_size);
    return count;
}

/* The times follow from when frames were submitted: what is found of them may not be what hands
 * them in. */
TEST(a_timers_pictures_move_evenly)
{
    static const int64_t rates[] = {75000, 60000, 72000, 50000};
    static int64_t errors_ns[ERRORS_MOST];
    static scene s;
    for (int i = 0; i < 4 * 5; ++i) {
        set_up(&s, rates[i % 4], 2, 20);
        set_seed(&s, i);
        s.screen.kind = SCREEN_TIMER;
        s.screen.phase_ns += i * 137 * US;
        s.wake_late_ns = 150 * US;
        s.fed = true;
        open_display(&s);
        run_until(&s, 3 * S);
        int64_t repeats = s.screen.repeats;
        int64_t count = errors_until(&s, 90 * S, errors_ns);
        int64_t p50_ns = errors_ns[count / 2], p90_ns = errors_ns[count * 9 / 10];
        double off = status_of(&s).period_ns / (double)screen_period_ns(&s.screen) - 1;
        if (p50_ns > 100 * US || p90_ns > 250 * US || s.screen.repeats > repeats || off > 1e-3
                || off < -1e-3 || !status_of(&s).single) {
            fail_msg("%d: errors %d us and %d us, %d repeats, period off by %g, single %d", i,
                    (int)(p50_ns / US), (int)(p90_ns / US), (int)(s.screen.repeats - repeats), off,
                    status_of(&s).single);
        }
    }
}

/* Where its milliseconds are a large part of a refresh nothing is even: the queue stays. */
TEST(a_coarse_timer_keeps_its_queue)
{
    static scene s;
    for (int64_t lag = 0; lag <= 8; lag += 4) {
        set_up(&s, 240000, 2, 20);
        s.screen.kind = SCREEN_TIMER;
        s.wake_late_ns = 100 * US;
        s.fed = true;
        s.feedback_late = lag;
        open_display(&s);
        run_until(&s, 3 * S);
        tally sum = count_until(&s, 120 * S);
        assert_int_equal(sum.locked, sum.frames);
        assert_int_equal(sum.repeats, 0);
        assert_false(status_of(&s).single);
    }
}

/* Half of the frames are not told of: that is no display at half the rate. */
TEST(half_of_the_feedback_is_enough)
{
    static scene s;
    open_at(&s, 60000, 2, 60);
    while (s.now_ns < 30 * S) {
        run_frame(&s);
        s.told += random_below(&s.random, 2) == 0 && s.told < s.screen.frames;
        assert_true(s.now_ns < 2 * S || s.display.mode == ES_DISPLAY_LOCKED);
    }
    assert_in_range((int64_t)status_of(&s).period_ns, 16666000, 16667000);
    assert_int_equal(status_of(&s).multiple, 1);
}

TEST_MAIN("display_single", NULL)
