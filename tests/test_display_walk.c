/* SPDX-License-Identifier: Zlib
 *
 * display: refreshes that drift. A display that re-arms its timer after each frame is followed at its
 * mean period; a program's own pace, and a variable refresh, are not.
 */
#include "test_scene.h"

/* --- refreshes that keep to no grid ---------------------------------------------------------- */

/* A timer that is set anew after each refresh: what one is late by, all after it are. */
static void set_up_walk(scene *s, int64_t least_us, int64_t more_us, int32_t depth, int64_t cost)
{
    set_up(s, INT64_C(1000000000) / least_us, depth, cost);
    s->screen.kind = SCREEN_WALKS;
    s->screen.walk_ns = more_us * US;
    s->config.refresh_ns = least_us * US * 28 / 27; /* what is announced is less than that */
}

typedef struct evenness {
    int64_t frames, locked, near, walks;
    double error_ns; /* sum of |content - screen| */
    double period_ns;
} evenness;

static evenness watch_until(scene *s, int64_t until_ns, double mean_ns)
{
    evenness sum = {0};
    while (s->now_ns < until_ns) {
        bool walked = s->display.mode == ES_DISPLAY_LOCKED && s->display.grid.walks;
        /* what nothing blocks is not read, and what is late is one refresh gone */
        assert_true(!walked || es__display_begin_ns(&s->display, s->now_ns) == s->now_ns);
        run_frame(s);
        assert_false(walked && s->tested);
        es_display_status status = status_of(s);
        bool locked = status.mode == ES_DISPLAY_LOCKED && status.period_ns > 0;
        double off = locked ? status.period_ns / mean_ns - 1 : 1;
        sum.frames += 1;
        sum.locked += locked;
        sum.walks += status.walks;
        sum.near += off < 0.005 && off > -0.005;
        sum.period_ns += locked ? status.period_ns : 0;
        sum.error_ns += (double)magnitude(s->moved_ns - s->shown_after_ns);
    }
    return sum;
}

static const struct {
    int64_t least_us, more_us;
} walks[] = {{16000, 400}, {6000, 500}, {8000, 200}, {6100, 150}};

enum { WALKS = sizeof walks / sizeof walks[0] };

/* Locked to the mean; and content is off by little more than intervals are off it, a fourth of what
 * they differ by on the mean. By the interval before it would be a third. With low latency nothing
 * blocks as long as readings pass for a fixed grid, and it takes longer to find out. */
TEST(a_drifting_refresh_is_followed)
{
    static const int64_t costs[] = {20, 50, 75};
    static scene s;
    for (int i = 0; i < WALKS * 3 * 3 * 2; ++i) {
        double more_ns = (double)(walks[i % WALKS].more_us * US);
        double mean_ns = (double)(walks[i % WALKS].least_us * US) + more_ns / 2;
        set_up_walk(&s, walks[i % WALKS].least_us, walks[i % WALKS].more_us, i / WALKS % 3 + 1,
                costs[i / WALKS / 3 % 3]);
        set_seed(&s, i);
        s.screen.late_ns = 50 * US;
        bool draws = costs[i / WALKS / 3 % 3] < 75;
        s.screen.call_ns = draws ? 1100 * US : 20 * US; /* by itself, as in software */
        s.load.spread_ns = screen_period_ns(&s.screen) / 10;
        s.config.low_latency = i >= WALKS * 9;
        open_display(&s);
        watch_until(&s, 6 * S, mean_ns);
        evenness sum = watch_until(&s, 30 * S, mean_ns);
        double mean_error_ns = sum.error_ns / (double)sum.frames;
        double off = sum.period_ns / (double)sum.locked / mean_ns - 1;
        bool low = s.config.low_latency;
        if (sum.locked * 100 < sum.frames * 98 || sum.near * 100 < sum.frames * 95
                || sum.walks * 100 < sum.frames * (low ? 0 : 95) || off > 0.002 || off < -0.002
                || mean_error_ns > (low ? 0.6 : 0.28) * more_ns) {
            fail_msg("walk %d, depth %d, cost %d %%, low %d: of %d frames %d locked, %d near, "
                     "%d walk; off %.4f; error %.3f of the spread; mode %d varies %d\n",
                    i % WALKS, i / WALKS % 3 + 1, (int)costs[i / WALKS / 3 % 3], low,
                    (int)sum.frames, (int)sum.locked, (int)sum.near, (int)sum.walks, off,
                    mean_error_ns / more_ns, s.display.mode, s.display.varies);
        }
    }
}

/* Where frames take too long nothing tells the refreshes any more; when they are quick again, it is
 * kept to again. */
TEST(a_drifting_refresh_is_lost_and_found_again)
{
    static scene s;
    for (int i = 0; i < WALKS; ++i) {
        double mean_ns = (double)((walks[i].least_us + walks[i].more_us / 2) * US);
        set_up_walk(&s, walks[i].least_us, walks[i].more_us, 2, 50);
        open_display(&s);
        run_until(&s, 6 * S);
        assert_true(status_of(&s).walks);
        int64_t cost_ns = s.load.cost_ns;
        s.load.cost_ns = 3 * cost_ns;
        run_until(&s, 10 * S);
        assert_int_equal(s.display.mode, ES_DISPLAY_TRYING);
        s.load.cost_ns = cost_ns;
        run_until(&s, 16 * S);
        evenness sum = watch_until(&s, 20 * S, mean_ns);
        assert_true(sum.near * 100 > sum.frames * 90);
    }
}

/* A present that merely takes about so long, of a program whose own pace is even. It is looked for
 * all the time, so a few of the frames pass for a display's. */
TEST(an_uneven_pace_is_no_display)
{
    static const struct {
        int64_t cost_us, call_us, spread_us;
    } paces[] = {{6000, 10000, 400}, {2000, 4000, 300}, {10000, 6000, 200}, {1000, 15000, 500},
            {4000, 2000, 200}};
    static scene s;
    for (size_t i = 0; i < sizeof paces / sizeof paces[0]; ++i) {
        set_up(&s, 60000, 1, 0);
        s.screen.kind = SCREEN_NONE;
        s.screen.call_ns = paces[i].call_us * US;
        s.screen.call_spread_ns = paces[i].spread_us * US;
        s.load.cost_ns = paces[i].cost_us * US;
        s.update_ns = 300 * US;
        open_display(&s);
        tally sum = count_until(&s, 60 * S);
        if (sum.locked * 20 > sum.frames) {
            fail_msg("pace %d: %d of %d frames locked", (int)i, (int)sum.locked, (int)sum.frames);
        }
    }
}

/* A walk that was no display's after all, or no longer is: present only takes its time now. */
TEST(a_drifting_refresh_ends_where_present_does_not_wait)
{
    static scene s;
    for (int i = 0; i < WALKS; ++i) {
        set_up_walk(&s, walks[i].least_us, walks[i].more_us, 2, 50);
        s.load.spread_ns = screen_period_ns(&s.screen) / 20;
        open_display(&s);
        run_until(&s, 6 * S);
        assert_true(status_of(&s).walks);
        s.screen.kind = SCREEN_NONE;
        s.screen.call_ns = screen_period_ns(&s.screen) / 2; /* about as long as before */
        run_until(&s, 16 * S);
        tally sum = count_until(&s, 40 * S);
        assert_true(sum.locked * 50 < sum.frames);
    }
}

/* A display whose refresh varies, under frames that are too slow for it now and then. */
TEST(a_variable_refresh_does_not_drift)
{
    static scene s;
    int64_t frames = 0, walked = 0, ends = 0;
    for (int i = 0; i < 3 * 3 * 8; ++i) {
        bool spikes = i % 2 == 0;
        set_up(&s, spikes ? 144000 : 72000, i % 3 + 1, spikes ? 40 : 80 + i / 3 % 3 * 10);
        set_seed(&s, i);
        s.screen.kind = SCREEN_VARIES;
        s.load.spread_ns = screen_period_ns(&s.screen) * 3 / 10;
        s.load.spike_ns = spikes ? 3 * screen_period_ns(&s.screen) : 0;
        s.load.spike_every = 20;
        open_display(&s);
        run_until(&s, 10 * S);
        evenness sum = watch_until(&s, 40 * S, (double)screen_period_ns(&s.screen));
        frames += sum.frames;
        walked += sum.walks;
        ends += status_of(&s).walks;
    }
    /* at the end of a run, too, now and then: until frames that were late have told */
    assert_true(ends <= 4);
    assert_true(walked * 20 < frames);
}

/* A trial takes as long on a clock that did not begin at 0. */
TEST(a_trial_begins_with_its_first_frame)
{
    static scene s;
    for (int i = 0; i < 2; ++i) {
        set_up(&s, 60000, 3, 96);
        s.now_ns = i == 0 ? 0 : 3600 * S;
        int64_t end_ns = s.now_ns + 4 * S;
        open_display(&s);
        while (s.now_ns < end_ns) {
            run_frame(&s);
            assert_int_not_equal(s.display.mode, ES_DISPLAY_FREE);
        }
        assert_int_equal(status_of(&s).mode, ES_DISPLAY_LOCKED);
    }
}

TEST_MAIN("display_walk", NULL)
