/* SPDX-License-Identifier: Zlib
 *
 * display, one picture waiting in place of a queue: where feedback tells and work is quick it makes
 * pictures newer by a refresh or more, and repeats none; what is late ends it. And on a display
 * that shows pictures by a timer it moves them evenly.
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

static void quick_work_has_one_waiting(void **state)
{
    static const int64_t rates[] = {60000, 75000, 144000, 59940, 240000};
    static scene s;
    (void)state;
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
static void else_the_queue_is_filled(void **state)
{
    static scene s;
    (void)state;
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

/* When it begins again after a picture that took two refreshes, and how often it was repeated. */
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

static void what_is_late_ends_it_for_a_while(void **state)
{
    static scene s;
    int64_t repeats;
    (void)state;
    open_at(&s, 60000, 2, 20);
    run_until(&s, 3 * S);
    assert_true(status_of(&s).single);
    assert_in_range(back_after(&s, &repeats) / MS, 1000, 1200);
    assert_in_range(repeats, 1, 2);
    assert_in_range(back_after(&s, &repeats) / MS, 4000, 4200);
    run_until(&s, s.now_ns + 61 * S); /* that is forgotten */
    assert_in_range(back_after(&s, &repeats) / MS, 250, 450);
}

/* What one waiting picture could not have borne, and the queue did, keeps it from beginning. */
static void spikes_keep_it_from_beginning(void **state)
{
    static scene s;
    (void)state;
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

/* What a GPU takes shows only then: one picture is late for it, once. */
static void a_slow_gpu_ends_it_for_good(void **state)
{
    static scene s;
    (void)state;
    open_at(&s, 60000, 2, 20);
    s.screen.hidden_ns = screen_period_ns(&s.screen) * 9 / 10;
    run_until(&s, 60 * S);
    assert_in_range(s.screen.repeats, 0, 2);
    assert_false(status_of(&s).single);
}

static void another_rate_is_noticed(void **state)
{
    static const int64_t to[] = {60000, 72000, 74000, 120000};
    static scene s;
    (void)state;
    for (int i = 0; i < 4; ++i) {
        open_at(&s, 75000, 2, 20);
        run_until(&s, 5 * S);
        assert_true(status_of(&s).single);
        s.screen.phase_ns = s.screen.last_ns;
        s.screen.last_index = 0;
        s.screen.rate = es_rate_make((uint64_t)to[i], 1000);
        int64_t from_ns = s.now_ns;
        run_until(&s, from_ns + 1500 * MS);
        tally sum = count_until(&s, from_ns + 10 * S);
        assert_int_equal(sum.locked, sum.frames);
        assert_in_range(sum.off, 0, sum.frames / 100);
        assert_in_range((int64_t)(status_of(&s).period_ns + 0.5),
                999 * screen_period_ns(&s.screen) / 1000,
                1001 * screen_period_ns(&s.screen) / 1000);
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

/* The times follow from when pictures were handed in: what is found of them may not be what hands
 * them in. */
static void a_timers_pictures_move_evenly(void **state)
{
    static const int64_t rates[] = {75000, 60000, 72000, 50000};
    static int64_t errors_ns[ERRORS_MOST];
    static scene s;
    (void)state;
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

int main(void)
{
    const struct CMUnitTest tests[] = {
            cmocka_unit_test(quick_work_has_one_waiting),
            cmocka_unit_test(else_the_queue_is_filled),
            cmocka_unit_test(what_is_late_ends_it_for_a_while),
            cmocka_unit_test(spikes_keep_it_from_beginning),
            cmocka_unit_test(a_slow_gpu_ends_it_for_good),
            cmocka_unit_test(another_rate_is_noticed),
            cmocka_unit_test(a_timers_pictures_move_evenly),
    };
    return cmocka_run_group_tests_name("display_single", tests, NULL, NULL);
}
