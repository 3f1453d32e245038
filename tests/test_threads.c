/* SPDX-License-Identifier: Zlib
 *
 * threads: frames are those of a loop one tick behind, as far as ticks are in time; what is shown
 * where they are late; and what happens where updates cost more than their period.
 */
#include "loop/loop.h"
#include "threads_sim.h"

/* --- the same frames as a loop one tick behind ------------------------------------------------ */

static spread seeded(spread of, uint64_t seed)
{
    of.seed += seed;
    return of;
}

/* Ticks that begin up to 0.9 periods late, updates that cost 0.9 periods, or another lead change no
 * frame. A late frame shows what was planned: its ticks are still there, up to a period where
 * frames are further apart than ticks. */
TEST(frames_are_those_of_a_loop)
{
    static const struct {
        es_rate rate;
        int64_t interval_ns;
        spread late, cost, wake;
        int32_t lead;
        uint64_t seeds;
    } cases[] = {
            {{60, 1}, 16666667, .seeds = 1},
            {{60, 1}, 6944444, .seeds = 1},
            {{60, 1}, 20 * MS, .seeds = 1},
            {{30, 1}, 7 * MS, .seeds = 1},
            {{60000, 1001}, 16666667, .seeds = 1},
            {{60, 1}, 100 * MS, .seeds = 1},
            {{1000, 1}, 10 * MS, .seeds = 1},
            {{10, 1}, 16666667, .seeds = 1},
            {{240, 1}, 16666667, .seeds = 1},
            {{60, 1}, 16666667, {0, 15 * MS, 0}, {100000, 1500000, 100}, .seeds = 10},
            {{60, 1}, 6944444, {0, 15 * MS, 0}, {100000, 1500000, 100}, .seeds = 10},
            {{30, 1}, 16666667, .cost = {30 * MS, 0, 0}, .seeds = 1},
            {{60, 1}, 50 * MS, .wake = {0, 15 * MS, 0}, .seeds = 5},
            {{60, 1}, 6944444, .wake = {0, 40 * MS, 0}, .seeds = 5},
            {{60, 1}, 16666667, {0, 30 * MS, 2}, {MS, MS, 3}, .lead = 2, .seeds = 1},
    };
    for_rows (i, cases) {
        for (uint64_t seed = 1; seed <= cases[i].seeds; ++seed) {
            setting config = config_at(cases[i].rate, cases[i].interval_ns);
            config.lead_ticks = cases[i].lead;
            sim *s = make_with(&config, 1000);
            bool wakes_late = cases[i].wake.more_ns > 0;
            s->late = seeded(cases[i].late, seed);
            s->cost = seeded(cases[i].cost, seed);
            s->wake = seeded(cases[i].wake, seed);
            s->draw = (spread){wakes_late ? 100 : MS, wakes_late ? 0 : 3 * MS, seed};
            assert_same_as_loop(s, 1000);
            drop(s);
        }
    }
}

/* On a display starts are uneven, so the line wobbles, and there is less slack. With ticks shorter than a
 * refresh, content must not leap beyond the lead where the refreshes are found: a frame would have no tick to
 * show. */
TEST(frames_on_a_display_are_those_of_a_loop)
{
    static const uint32_t rates[] = {100, 144, 240, 480, 30, 45, 60};
    static const int64_t refreshes_ns[] = {16666667, 8333333, 6944444};
    for (int i = 0; i < 4 * 3 + 3; ++i) {
        bool slow = i >= 12;
        setting config = config_at(es_hz(rates[slow ? i - 8 : i % 4]), 0);
        config.loop.pace = ES_PACE_AUTO;
        sim *s = make_with(&config, 1000);
        s->refresh_ns = refreshes_ns[slow ? 0 : i / 4];
        s->draw = slow ? (spread){MS, 9 * MS, 7} : (spread){(1 + i % 5) * MS, 0, 1};
        s->late = (spread){0, slow ? 8 * MS : 0, 7};
        s->cost.least_ns = slow ? 0 : 100 * US;
        assert_same_as_loop(s, slow ? 3000 : 2000);
        assert_true(es_loop_get_display(s->loop).mode == ES_DISPLAY_BLOCKS
                    || (slow && es_loop_get_display(s->loop).mode != ES_DISPLAY_FREE));
        drop(s);
    }
}

/* A frame without its tick stands at the newest one, which is known from the schedule. */
TEST(frames_are_held_at_the_newest_tick)
{
    static reference r;
    int held = 0;
    double error_ns = 0.0;
    double unavoidable_ns = 0.0;
    sim *s = make(es_hz(60), 6944444);
    s->late = (spread){0, 26 * MS, 5}; /* 1.6 periods */
    s->cost = (spread){MS, MS, 6};
    start_reference(&r, s);
    int64_t last_ns[2] = {0, 0};
    for (int i = 0; i < 5000; ++i) {
        int64_t late_ns = 0;
        run_reference(&r, s);
        run_frame(s);
        const es_frame *shown = &s->shown.frame;
        int64_t asked = r.frame.current_tick;
        int64_t at_ns = shown->start_ns + shown->late_ns;
        bool there = asked <= s->newest && s->published_ns[asked % TICKS_LOGGED] <= at_ns;
        assert_int_equal(s->shown.wanted_ns, r.frame.content_ns);
        assert_int_equal(s->dropped_ns, 0);
        if (there) {
            assert_int_equal(s->shown.status, ES__VIEW_INTERPOLATED);
            assert_int_equal(shown->current_tick, asked);
            assert_int_equal(shown->content_ns, r.frame.content_ns);
            assert_true(shown->alpha == r.frame.alpha);
        } else {
            held += 1;
            assert_int_equal(s->shown.status, ES__VIEW_HELD);
            assert_int_equal(shown->content_ns, shown->newest_ns);
            assert_true(s->published_ns[(shown->newest_tick + 1) % TICKS_LOGGED] > at_ns
                        || s->newest == shown->newest_tick);
            late_ns = r.frame.content_ns - shown->newest_ns;
            assert_true(late_ns > 0);
        }
        if (i > 0) {
            double moved_ns = (double)(shown->content_ns - last_ns[0]);
            double meant_ns = (double)(shown->present_ns - last_ns[1]);
            double meant_by_loop_ns = (double)(r.frame.content_ns - last_ns[0]);
            error_ns += moved_ns > meant_ns ? moved_ns - meant_ns : meant_ns - moved_ns;
            double least_ns = meant_by_loop_ns - (double)late_ns - meant_ns;
            unavoidable_ns += least_ns > 0 ? least_ns : -least_ns;
        }
        last_ns[0] = shown->content_ns;
        last_ns[1] = shown->present_ns;
    }
    assert_in_range(held, 100, 2500);
    assert_true(error_ns == unavoidable_ns);
    drop(s);
}

/* --- overload --------------------------------------------------------------------------------- */

/* Updates cost more than their period: slow motion, only as much as they need, and even frames. */
TEST(a_lasting_overload_becomes_slow_motion)
{
    static const int64_t costs_ns[] = {17500000, 20 * MS, 33333333, 100 * MS};
    for_rows (i, costs_ns) {
        int64_t cost_ns = costs_ns[i];
        sim *s = make(es_hz(60), 16666667);
        s->cost = (spread){cost_ns, 0, 1};
        int64_t reported_ns = 0;
        int held = 0;
        int held_since = 0; /* it was known */
        for (int j = 0; j < 3000; ++j) {
            int64_t moved_ns = run_frame_on(s);
            reported_ns += s->shown.frame.account.frame_slow_motion_ns;
            assert_int_equal(reported_ns, s->shown.frame.account.slow_motion_ns);
            assert_int_equal(s->shown.moved_ns, 0);
            assert_true(moved_ns >= 0);
            held += s->shown.status != ES__VIEW_INTERPOLATED;
            held_since += reported_ns > 0 && s->shown.status != ES__VIEW_INTERPOLATED;
            if (j < 200) {
                continue;
            }
            assert_int_equal(s->shown.status, ES__VIEW_INTERPOLATED);
            /* 1/32 slower than they could be, at most */
            int64_t could_ns = 16666667 * INT64_C(16666667) / cost_ns;
            assert_in_range(moved_ns, could_ns - could_ns / 31, could_ns);
        }
        assert_in_range(held, 5, 30);
        assert_in_range(held_since, 0, 2);
        assert_in_range(s->dropped_ns, 0, 60 * MS);
        assert_int_equal(s->shown.frame.account.dropped_ns, s->dropped_ns);
        s->cost.least_ns = MS; /* it is over */
        run_frames(s, 700);
        for (int j = 0; j < 100; ++j) {
            run_evenly(s, 1, 16666667, 16666667);
            assert_int_equal(s->shown.frame.account.frame_slow_motion_ns, 0);
        }
        drop(s);
    }
}

/* No frame waits for a dear tick: slow motion allows for it. It ends where the mean cost fits again. */
TEST(slow_motion_is_even_although_costs_are_not)
{
    static const struct {
        int64_t ticks_per_s, mean_ns, percent;
    } cases[] = {{20, 55 * MS, 10}, {20, 55 * MS, 30}, {20, 52 * MS, 30}, {60, 20 * MS, 10},
            {60, 20 * MS, 30}};
    for (size_t i = 0; i < 3 * sizeof cases / sizeof cases[0]; ++i) {
        int64_t mean_ns = cases[i / 3].mean_ns, off_ns = mean_ns / 100 * cases[i / 3].percent;
        int64_t most_ns = mean_ns + off_ns, period_ns = ES_NS_PER_S / cases[i / 3].ticks_per_s;
        sim *s = make(es_hz((double)cases[i / 3].ticks_per_s), 16666667);
        s->cost = (spread){mean_ns - off_ns, 2 * off_ns, i % 3 + 1};
        run_frames(s, 400);
        int64_t could_ns = INT64_C(16666667) * period_ns / most_ns;
        run_evenly(s, 3000, could_ns * 95 / 100, could_ns * 108 / 100);
        s->cost = (spread){period_ns / 2, period_ns * 6 / 10, 1}; /* the dearest do not fit */
        run_frames(s, 700);
        assert_int_equal(s->loop->content.slow.numerator, 1);
        drop(s);
    }
}

/* Time that ticks were short of while nothing was drawn was not simulated: it is not withheld. Nor is time
 * withheld before a seek taken from the time after it. */
TEST(a_hidden_window_or_a_seek_withholds_nothing)
{
    for (int seeks = 0; seeks < 2; ++seeks) {
        sim *s = make(es_hz(60), 16666667);
        s->cost.least_ns = 33333333;
        run_frames(s, 100);
        assert_int_equal(s->shown.status, ES__VIEW_INTERPOLATED);
        int64_t slow_motion_ns = s->threads->ticks.slow_motion_ns;
        assert_true(s->shown.frame.account.slow_motion_ns > 0);
        s->cost.least_ns = 150 * MS;
        if (seeks) {
            advance(s, s->now_ns + 900 * MS);
        } else {
            s->block_ns = 5000 * MS;
            run_frames(s, 2);
        }
        assert_true(s->threads->ticks.slow_motion_ns - slow_motion_ns > 100 * MS);
        s->cost.least_ns = seeks ? MS : 33333333;
        if (seeks) {
            seek(s, 50);
            run_frame(s);
            assert_int_equal(s->shown.status, ES__VIEW_GAP);
        }
        int64_t content_ns = s->shown.frame.content_ns;
        run_frames(s, seeks ? 1 : 8);
        assert_true(s->shown.frame.content_ns > content_ns);
        drop(s);
    }
}

/* Time is withheld once, although the renderer hears of it some ticks later. */
TEST(overload_beside_a_slow_renderer_withholds_no_more)
{
    sim *s = make(es_hz(60), 200 * MS);
    s->cost = (spread){33333333, 0, 1};
    run_frames(s, 20);
    assert_in_range(s->threads->ticks.slow_motion_ns, 50 * MS, 100 * MS);
    int64_t newest = s->newest;
    int64_t from_ns = s->now_ns;
    run_frames(s, 150);
    assert_in_range(s->now_ns - from_ns, 29800 * MS, 30300 * MS);
    assert_in_range(s->newest - newest, 868, 900); /* of 900 that could run 1/32 less */
    int64_t content_ns = s->shown.frame.content_ns;
    for (int i = 0; i < 20; ++i) {
        run_frame(s);
        assert_int_equal(s->shown.status, ES__VIEW_INTERPOLATED);
        assert_in_range(s->shown.frame.content_ns - content_ns, 96 * MS, 100 * MS);
        content_ns = s->shown.frame.content_ns;
    }
    drop(s);
}

/* A single long update: what is beyond 100 ms of real time is dropped; then frames are as before. */
TEST(a_hitch_drops_what_is_beyond_the_limit)
{
    static const struct {
        es__ratio scale;
        int64_t tick_ms;
        int64_t least_ms, most_ms; /* dropped */
    } cases[] = {{{1, 1}, 500, 300, 420}, {{4, 1}, 150, 150, 220}};
    for_rows (i, cases) {
        sim *s = make(es_hz(60), 16666667);
        assert_int_equal(es__loop_set_scale(s->loop, cases[i].scale), ES_OK);
        run_frames(s, 100);
        assert_int_equal(s->dropped_ns, 0);
        s->cost.least_ns = cases[i].tick_ms * MS; /* of the next tick */
        for (int64_t begun = s->begun; s->begun == begun;) {
            advance(s, s->now_ns + MS);
        }
        s->cost.least_ns = 0;
        run_frames(s, 60);
        assert_in_range(s->dropped_ns, cases[i].least_ms * MS, cases[i].most_ms * MS);
        assert_int_equal(s->shown.frame.account.dropped_ns, s->dropped_ns);
        for (int j = 0; j < 100; ++j) {
            run_frame(s);
            assert_int_equal(s->shown.status, ES__VIEW_INTERPOLATED);
        }
        assert_in_range(s->shown.frame.newest_ns - s->shown.frame.content_ns, 0,
                2 * INT64_C(16666667) * cases[i].scale.numerator);
        drop(s);
    }
}

/* --- extrapolation ---------------------------------------------------------------------------- */

TEST(extrapolation_has_a_bound)
{
    int ahead = 0;
    int held = 0;
    setting config = config_at(es_hz(60), 6944444);
    config.ahead_max_ns = 8 * MS;
    sim *s = make_with(&config, 0);
    s->late = (spread){0, 40 * MS, 5};
    for (int i = 0; i < 3000; ++i) {
        assert_true(run_frame_on(s) >= 0);
        const es_frame *frame = &s->shown.frame;
        if (s->shown.status == ES__VIEW_EXTRAPOLATED) {
            ahead += 1;
            assert_int_equal(frame->content_ns, s->shown.wanted_ns);
            assert_in_range(frame->ahead_ns, 1, 8 * MS);
        } else if (s->shown.status == ES__VIEW_HELD) {
            held += 1;
            assert_int_equal(frame->ahead_ns, 8 * MS);
        }
        assert_int_equal(frame->ahead_ns,
                frame->content_ns > frame->newest_ns ? frame->content_ns - frame->newest_ns : 0);
    }
    assert_in_range(ahead, 100, 2900);
    assert_in_range(held, 100, 2900);
    drop(s);
}
