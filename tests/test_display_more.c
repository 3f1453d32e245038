/* SPDX-License-Identifier: Zlib
 *
 * display: frames once the refreshes are known. D is the refresh at which the frame is seen; a late
 * frame is recovered slowly; intervals do not oscillate.
 */
#include "test_scene.h"

#include <math.h>

/* --- configuration ---------------------------------------------------------------------------- */

typedef struct trial_config {
    es_display_config config;
    bool valid;
} trial_config;

TEST(each_field_has_its_range)
{
    const double inf = 1e308 * 10;
    const trial_config trials[] = {
            {{0}, true},
            {{.refresh_ns = -1}, false},
            {{.refresh_ns = 1}, true},
            {{.refresh_ns = INT64_MAX}, true},
            {{.refresh_ns = INT64_MIN}, false},
            {{.interval_ns = -1}, false},
            {{.interval_ns = INT64_MAX}, true},
            {{.interval_max_ns = -1}, false},
            {{.interval_max_ns = INT64_MAX}, true},
            {{.tick_ns = -1}, false},
            {{.tick_ns = INT64_MAX}, true},
            {{.queue = -1}, false},
            {{.queue = ES_DISPLAY_QUEUES}, true},
            {{.queue = ES_DISPLAY_QUEUES + 1}, false},
            {{.queue = INT32_MIN}, false},
            {{.missed_max = 0.0001}, true},
            {{.missed_max = 0.5}, true},
            {{.missed_max = 0.00009}, false},
            {{.missed_max = 0.51}, false},
            {{.missed_max = -0.01}, false},
            {{.missed_max = inf}, false},
            {{.missed_max = inf - inf}, false},
    };
    es_display display, before, locked;
    static scene s;
    set_up(&s, 60000, 2, 50);
    open_display(&s);
    run_until(&s, 2 * S);
    assert_int_equal(s.display.mode, ES_DISPLAY_LOCKED);
    for (size_t i = 0; i < sizeof trials / sizeof trials[0]; ++i) {
        es_result expected = trials[i].valid ? ES_OK : ES_ERR_INVALID;
        memset(&display, 0x5a, sizeof display);
        before = display;
        assert_int_equal(es__display_init(&display, &trials[i].config), expected);
        assert_true(trials[i].valid || memcmp(&display, &before, sizeof display) == 0);
        locked = s.display;
        assert_int_equal(es__display_reconfigure(&locked, &trials[i].config), expected);
        assert_true(trials[i].valid || memcmp(&locked, &s.display, sizeof locked) == 0);
        assert_int_equal(locked.mode, ES_DISPLAY_LOCKED);
    }
    assert_int_equal(es__display_init(NULL, NULL), ES_ERR_INVALID);
    assert_int_equal(es__display_init(NULL, &trials[0].config), ES_ERR_INVALID);
    assert_int_equal(es__display_init(&display, NULL), ES_OK);
    assert_int_equal(es__display_reconfigure(&display, NULL), ES_ERR_INVALID);
}

/* All zero bytes are the default. */
TEST(zero_is_the_default)
{
    es_display a, b;
    es_display_config zero = {0};
    memset(&a, 0, sizeof a);
    memset(&b, 0, sizeof b);
    assert_int_equal(es__display_init(&a, NULL), ES_OK);
    assert_int_equal(es__display_init(&b, &zero), ES_OK);
    assert_memory_equal(&a, &b, sizeof a);
    es_display_status status = es__display_get_status(&a, 0);
    assert_int_equal(status.mode, ES_DISPLAY_TRYING);
    assert_true(status.period_ns == 0.0);
    assert_int_equal(status.queue, 0);
    assert_int_equal(status.multiple, 0);
    assert_int_equal(status.locks, 0);
    assert_int_equal(es__display_begin_ns(&a, 77), 77);
}

/* What is known of the display stays: the lock, D, and content goes on. */
TEST(a_locked_display_is_reconfigured)
{
    static const es_display_config others[] = {{.interval_ns = 33333333}, {.low_latency = true},
            {.tick_ns = 20 * MS}, {.queue = 2}, {.refresh_ns = 10 * MS}, {.missed_max = 0.1},
            {.interval_max_ns = 17 * MS}, {0}};
    static scene s;
    set_up(&s, 60000, 2, 60);
    open_display(&s);
    run_until(&s, 5 * S);
    for (size_t i = 0; i < sizeof others / sizeof others[0]; ++i) {
        int64_t locks = status_of(&s).locks;
        assert_int_equal(es__display_reconfigure(&s.display, &others[i]), ES_OK);
        tally sum = count_until(&s, s.now_ns + 6 * S);
        assert_int_equal(sum.locked, sum.frames);
        assert_int_equal(status_of(&s).locks, locks);
        bool held = others[i].interval_ns > 0;
        assert_int_equal(status_of(&s).multiple, held ? 2 : 1);
        assert_int_equal(status_of(&s).queue, 2);
        if (sum.off > (others[i].low_latency ? 8 : 2)) {
            fail_msg("config %d: off %d of %d", (int)i, (int)sum.off, (int)sum.frames);
        }
    }
}

/* --- lock, depth, D --------------------------------------------------------------------------- */

static const int64_t all_rates[] = {23976, 24000, 30000, 48000, 50000, 59940, 60000, 75000, 119880,
        144000, 165000, 240000, 360000};
enum { RATES = 13, COSTS = 4 };
static const int64_t some_costs[COSTS] = {20, 40, 60, 80};

TEST(the_instant_is_the_true_one)
{
    static scene s;
    for (int i = 0; i < RATES * 4 * COSTS; i += TEST_STEP) {
        int64_t rate = all_rates[i % RATES];
        int32_t depth = i / RATES % 4 + 1;
        int64_t cost = some_costs[i / RATES / 4];
        if (rate == 360000 && depth == 4 && cost > 40) {
            continue; /* a trial of eight frames does not fill it */
        }
        set_up(&s, rate, depth, cost);
        set_seed(&s, i);
        open_display(&s);
        int64_t frame_ns = screen_period_ns(&s.screen);
        run_until(&s, S + 100 * frame_ns);
        tally sum = count_until(&s, s.now_ns + 2 * S + 100 * frame_ns);
        es_display_status status = status_of(&s);
        double true_ns = 1e12 / (double)rate;
        double ppm = (status.period_ns / true_ns - 1) * 1e6;
        if (sum.locked < sum.frames || sum.off > 0 || status.queue != depth || ppm > 60 || ppm < -60
                || sum.repeats > 0 || sum.varied) {
            fail_msg("%d mHz, depth %d, cost %d %%: locked %d of %d, depth %d, off %d by up "
                     "to %d us, %d ppm, repeats %d varied %d",
                    (int)rate, depth, (int)cost, (int)sum.locked, (int)sum.frames, status.queue,
                    (int)sum.off, (int)(sum.off_most_ns / US), (int)ppm, (int)sum.repeats,
                    sum.varied);
        }
    }
}

/* --- a late frame ----------------------------------------------------------------------------- */

TEST(a_late_frame_is_recovered)
{
    static const int64_t lates[] = {60, 110, 170, 250, 420, 1000}; /* of a period, in hundredths */
    static const int64_t rates[] = {24000, 60000, 144000, 240000};
    static scene s;
    for (int i = 0; i < 4 * 3 * 6; ++i) {
        set_up(&s, rates[i % 4], i / 4 % 3 + 1, 50);
        set_seed(&s, i);
        open_display(&s);
        run_until(&s, 6 * S);
        int64_t period_ns = screen_period_ns(&s.screen);
        int64_t back_ns = 0, most_ns = 0, over_ns = 0;
        int64_t late_ns = period_ns * lates[i / 12] / 100;
        int64_t from_ns = s.now_ns;
        /* 36 ms take 3.8 s at a time constant of 0.75 s, at 24 Hz */
        int64_t within_ns = late_ns + period_ns < 60 * MS && period_ns < 20 * MS ? 3 * S : 5 * S;
        s.extra_ns = late_ns;
        bool uneven = false;
        while (s.now_ns < from_ns + 6 * S) {
            int64_t off_before_ns = s.off_ns;
            run_frame(&s);
            int64_t offset_ns = s.plan.offset_ns;
            most_ns = offset_ns > most_ns ? offset_ns : most_ns;
            over_ns = offset_ns < over_ns ? offset_ns : over_ns;
            back_ns = magnitude(offset_ns) > 100 * US ? s.now_ns - from_ns : back_ns;
            if (magnitude(off_before_ns) < NEAR_NS && magnitude(s.off_ns) < NEAR_NS) {
                int64_t screen_ns = s.shown_after_ns + s.plan.slewed_ns;
                uneven = uneven || magnitude(s.moved_ns - screen_ns) > NEAR_NS;
            }
        }
        if (back_ns > within_ns || over_ns < -100 * US || uneven || most_ns > 200 * MS) {
            fail_msg("%d mHz, depth %d, late by %d %%: back after %d ms, offset %d to %d us, "
                     "uneven %d",
                    (int)rates[i % 4], i / 4 % 3 + 1, (int)lates[i / 12], (int)(back_ns / MS),
                    (int)(over_ns / US), (int)(most_ns / US), uneven);
        }
    }
}

/* --- intervals -------------------------------------------------------------------------------- */

TEST(a_constant_cost_changes_no_interval)
{
    static const int64_t costs[] = {5, 50, 95, 99, 101, 130, 199, 250, 299};
    enum { N = 9 };
    static scene s;
    for (int i = 0; i < N * 3 * 2; i += TEST_STEP) {
        int64_t rate = i / 3 / N == 0 ? 60000 : 144000;
        set_up(&s, rate, i / N % 3 + 1, 50);
        set_seed(&s, i);
        open_display(&s);
        run_until(&s, 5 * S);
        s.near_ns = 3 * MS / 2; /* a queue that never fills gives no readings */
        s.load.cost_ns = screen_period_ns(&s.screen) * costs[i % N] / 100;
        s.update_ns = s.load.cost_ns / 4;
        tally first = count_until(&s, 13 * S);
        tally sum = count_until(&s, 600 * S);
        bool often_off = sum.off * 50 > sum.frames; /* at 101 % D passes over the edge */
        if (first.changes > 2 || sum.changes > 0 || sum.locked < sum.frames || often_off) {
            fail_msg("%d mHz, depth %d, cost %d %%: %d changes at first, %d later, multiple "
                     "%d, locked %d of %d, off %d by %d, status depth %d, repeats %d",
                    (int)rate, i / N % 3 + 1, (int)costs[i % N], (int)first.changes,
                    (int)sum.changes, s.display.multiple, (int)sum.locked, (int)sum.frames,
                    (int)sum.off, (int)(sum.off_most_ns / US), status_of(&s).queue,
                    (int)sum.repeats);
        }
    }
}

/* The load of the next while: any, often too much. */
static void any_load(scene *s, test_random *random)
{
    int64_t period_ns = screen_period_ns(&s->screen);
    s->load.cost_ns = random_below(random, 3 * period_ns);
    bool spreads = random_below(random, 3) == 0;
    s->load.spread_ns = spreads ? random_below(random, 2 * period_ns) : 0;
    s->load.heavy = random_below(random, 8) == 0;
    s->update_ns = s->load.cost_ns / 4;
}

TEST(changes_are_two_seconds_apart)
{
    static scene s;
    for (int i = 0; i < 120; ++i) {
        set_up(&s, i % 2 == 0 ? 60000 : 144000, i / 2 % 3 + 1, 50);
        set_seed(&s, i);
        s.config.low_latency = i % 5 == 4;
        s.config.interval_ns = i % 7 == 6 ? 33333333 : 0;
        open_display(&s);
        run_until(&s, i < 60 ? 5 * S : 0); /* else a coarser grid may be found at first */
        test_random random = {.state = 1 + (uint64_t)i};
        int64_t changed_ns = -1, apart_ns = INT64_MAX, frames = 0, locked = 0;
        double interval_ns = 0.0;
        int64_t locks = 0;
        while (s.now_ns < 120 * S) {
            int64_t until_ns = s.now_ns + random_below(&random, 4 * S);
            any_load(&s, &random);
            while (s.now_ns < until_ns) {
                run_frame(&s);
                frames += 1;
                locked += s.display.mode == ES_DISPLAY_LOCKED;
                double before_ns = interval_ns;
                interval_ns = status_of(&s).period_ns * status_of(&s).multiple;
                interval_ns = interval_ns > 0.0 ? interval_ns : before_ns;
                if (status_of(&s).locks != locks) { /* other refreshes: not the same interval */
                    changed_ns = -1;
                }
                locks = status_of(&s).locks;
                if (before_ns > 0.0 && s.now_ns > 5 * S
                        && fabs(interval_ns - before_ns) > 0.1 * before_ns) {
                    int64_t span_ns = changed_ns >= 0 ? s.now_ns - changed_ns : INT64_MAX;
                    apart_ns = span_ns < apart_ns ? span_ns : apart_ns;
                    changed_ns = s.now_ns;
                }
            }
        }
        /* as the frames' ends see it, which a long frame puts off */
        bool lost = i < 60 && (locked * 20 < frames * 19 || s.display.varies);
        if (apart_ns < 2 * S - 200 * MS || lost) {
            fail_msg("seed %d: changes %d ms apart, locked %d of %d, varies %d", i,
                    (int)(apart_ns / MS), (int)locked, (int)frames, s.display.varies);
        }
    }
}

TEST(the_interval_comes_back)
{
    static const int64_t loads[][2] = {{130, 40}, {220, 50}, {105, 90}, {180, 20}, {290, 80}};
    static scene s;
    for (int i = 0; i < 5 * 3 * 3; ++i) {
        static const int64_t rates[] = {60000, 144000, 75000};
        const int64_t *load = loads[i % 5];
        set_up(&s, rates[i / 15], i / 5 % 3 + 1, load[1]);
        set_seed(&s, i);
        open_display(&s);
        run_until(&s, 6 * S);
        int64_t period_ns = screen_period_ns(&s.screen);
        s.load.cost_ns = period_ns * load[0] / 100;
        s.update_ns = s.load.cost_ns / 4;
        run_until(&s, 16 * S);
        int32_t held = s.display.multiple;
        s.load.cost_ns = period_ns * load[1] / 100;
        s.update_ns = s.load.cost_ns / 4;
        int64_t from_ns = s.now_ns;
        int64_t back_ns = -1;
        int64_t off_ns = 0;
        while (s.now_ns < from_ns + 8 * S) {
            run_frame(&s);
            if (back_ns < 0 && s.display.multiple == 1) {
                back_ns = s.now_ns - from_ns;
            }
            off_ns = magnitude(s.off_ns) > NEAR_NS ? s.now_ns - from_ns : off_ns;
        }
        int32_t want = (int32_t)(load[0] / 100) + 1;
        if (held != want || back_ns < 0 || back_ns > 2 * S || off_ns > 4 * S
                || s.display.multiple != 1) {
            fail_msg("%d mHz, depth %d, %d %% to %d %%: held %d of %d, back after %d ms, now "
                     "%d, last off after %d ms",
                    (int)rates[i / 15], i / 5 % 3 + 1, (int)load[0], (int)load[1], held, want,
                    (int)(back_ns / MS), s.display.multiple, (int)(off_ns / MS));
        }
    }
}

/* --- frames that are replaced --------------------------------------------------------------- */

/* Present may take its time and never blocks: feedback tells of frames that were replaced. Then
 * each refresh gets one, the right one. */
TEST(replaced_frames_are_paced)
{
    static const int64_t rates[] = {60000, 144000, 75000, 59940};
    static const int64_t calls_ns[] = {20 * US, 400 * US, 1200 * US};
    static const int64_t costs[] = {5, 20, 50, 75};
    static scene s;
    for (int i = 0; i < 4 * 3 * 4 * 3; ++i) {
        set_up(&s, rates[i % 4], 1, costs[i / 12 % 4]);
        set_seed(&s, i);
        s.screen.kind = SCREEN_MAILBOX;
        s.screen.call_ns = calls_ns[i / 4 % 3];
        s.screen.call_spread_ns = s.screen.call_ns / 4;
        s.screen.hidden_ns = i / 48 == 1 ? screen_period_ns(&s.screen) * 7 / 10 : 0;
        s.wake_late_ns = 200 * US;
        s.fed = true;
        s.feedback_noise_ns = i / 48 == 2 ? 500 * US : 0;
        s.near_ns = MS;
        open_display(&s);
        run_until(&s, 3 * S);
        int64_t missed = s.display.missed;
        int64_t repeats = s.screen.repeats;
        tally sum = count_until(&s, 10 * S);
        repeats = s.screen.repeats - repeats;
        missed = s.display.missed - missed;
        int64_t refreshes = es_rate_ns_to_events(s.screen.rate, 7 * S);
        es_display_status status = status_of(&s);
        bool ok = sum.locked == sum.frames && sum.off * 200 <= sum.frames && status.replaces
                  && magnitude(sum.frames - refreshes) <= 3 && repeats * 200 <= refreshes
                  && missed <= 2 * repeats + 3 && sum.offset_most_ns < 2 * NEAR_NS;
        if (!ok) {
            fail_msg("%d mHz, call %d us, cost %d %%, %d: locked %d, off %d of %d (%d "
                     "refreshes), replaces %d, repeats %d, missed %d, offset %d us",
                    (int)rates[i % 4], (int)(s.screen.call_ns / US), (int)costs[i / 12 % 4], i / 48,
                    (int)sum.locked, (int)sum.off, (int)sum.frames, (int)refreshes, status.replaces,
                    (int)repeats, (int)missed, (int)(sum.offset_most_ns / US));
        }
    }
}

/* A window that is hidden for a while: its frames are discarded, but none was replaced. */
TEST(frames_of_a_hidden_window_prove_nothing)
{
    static scene s;
    set_up(&s, 60000, 2, 40);
    s.fed = true;
    open_display(&s);
    run_until(&s, 3 * S);
    s.fed = false;
    while (s.now_ns < 5 * S) {
        run_frame(&s);
        es__display_discarded(&s.display, 0);
        s.told = s.screen.frames;
    }
    s.fed = true;
    tally sum = count_until(&s, 8 * S);
    assert_false(status_of(&s).replaces);
    assert_false(status_of(&s).paced);
    assert_int_equal(sum.off, 0);
}

/* Refreshes are found by feedback, and lost by it, while a frame waits in present. */
TEST(refreshes_may_be_lost_in_mid_frame)
{
    static scene s;
    for (int i = 0; i < 40; ++i) {
        set_up(&s, i % 2 == 0 ? 60000 : 144000, i % 3 + 1, 40);
        set_seed(&s, i);
        s.fed = true;
        s.told_early = true;
        open_display(&s);
        run_until(&s, 3 * S);
        assert_int_equal(s.display.mode, ES_DISPLAY_LOCKED);
        s.feedback_noise_ns = screen_period_ns(&s.screen) * (i % 4 + 1) / 4;
        tally lost = count_until(&s, 8 * S);
        s.feedback_noise_ns = 0;
        run_until(&s, 14 * S);
        tally sum = count_until(&s, 16 * S);
        assert_true(i % 4 < 2 || lost.locked < lost.frames);
        assert_int_equal(sum.locked, sum.frames);
    }
}

TEST_MAIN("display_more", NULL)
