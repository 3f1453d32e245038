/* SPDX-License-Identifier: Zlib
 *
 * display: display timing alone. What is found of a display, what content does then, and which
 * evidence ends it.
 */
#include "display_rig.h"

/* --- settings, nothing is known --------------------------------------------------------------- */

/* Frames that do not wait take one time, then another: content advances by their mean. Of eleven
 * frames, one more is long or short. */
TEST(an_unknown_display_follows_frame_times)
{
    static const int64_t rows_ms[][2] = {{10, 10}, {25, 25}, {9, 11}, {4, 5}};
    static rig r;
    set_up(&r, 60000, 1, 0);
    r.screen.kind = SCREEN_NONE;
    start(&r);
    for (size_t i = 0; i < COUNT_OF(rows_ms); ++i) {
        double mean_ns = (double)(rows_ms[i][0] + rows_ms[i][1]) * 0.5 * MS;
        double most_ns = (double)(rows_ms[i][1] - rows_ms[i][0]) * MS / 20 + 1;
        for (int frame = 0; frame < 60; ++frame) {
            r.work_ns = rows_ms[i][frame % 2] * MS - r.screen.call_ns;
            run_frame(&r);
            assert_near(r.moved_ns, mean_ns, frame > 40 ? most_ns : 1e9);
            assert_true(r.smoothed && r.status.mode == ES_DISPLAY_UNKNOWN);
        }
    }
}

/* --- presents that wait ----------------------------------------------------------------------- */

/* Returns up to 0.1 ms late. Four readings find an announced display, eight another one: they come
 * after the frames that fill the queue. Five frames are a queue of four before which present waits. */
TEST(a_display_is_found)
{
    static const int64_t rates[] = {60000, 59940, 75000, 144000, 240000};
    static rig r;
    for (int i = 0; i < 5 * 5 * 2; ++i) {
        bool announced = i >= 25;
        set_up(&r, rates[i % 5], i / 5 % 5 + 1, 40);
        r.screen.late_ns = 100 * US;
        r.config.refresh_ns = announced ? r.period_ns : 0;
        start(&r);
        assert_in_range(frames_until(&r, ES_DISPLAY_BLOCKS), announced ? 4 : 8,
                (announced ? 4 : 8) + 2 * r.screen.depth);
        run_for(&r, S);
        double period_ns = (double)r.period_ns;
        for (int frame = 0; frame < 200; ++frame) {
            run_frame(&r);
            assert_near(r.moved_ns, period_ns, 0.002 * period_ns);
            assert_near(r.off_ns, 0, 60e3);
        }
        assert_int_equal(r.status.mode, ES_DISPLAY_BLOCKS);
        assert_near(r.status.period_ns, period_ns, 0.001 * period_ns);
        assert_int_equal(r.status.queue, r.screen.depth);
        assert_int_equal(r.status.missed, 0);
    }
}

/* Frames outnumbered the refreshes before presents waited: they did not fill a queue. */
TEST(frames_before_vsync_fill_no_queue)
{
    static rig r;
    for (int32_t depth = 1; depth <= 3; ++depth) {
        set_up(&r, 60000, depth, 5);
        r.screen.kind = SCREEN_NONE;
        start(&r);
        run_for(&r, S);
        r.screen.kind = SCREEN_FIFO;
        r.work_ns = r.period_ns * 58 / 100;
        r.screen.late_ns = r.period_ns * 40 / 100;
        run_for(&r, 10 * S);
        assert_in_range(r.status.queue, 1, depth);
    }
}

/* A frame works for half a refresh more than the queue covers: a refresh repeats. Content goes on
 * by one refresh per frame, and so stays one refresh behind. */
TEST(content_advances_by_whole_refreshes)
{
    static rig r;
    for (int32_t depth = 1; depth <= 3; ++depth) {
        set_up(&r, 60000, depth, 40);
        start_and_settle(&r);
        int64_t work_ns = r.work_ns, repeats = r.screen.repeats, offset_ns = r.plan.offset_ns;
        for (int frame = 0; frame < 40; ++frame) {
            r.work_ns = frame == 3 ? (2 * depth + 1) * r.period_ns / 2 : work_ns;
            run_frame(&r);
            assert_near(r.moved_ns, r.period_ns, 20e3);
            assert_near(r.off_ns, frame == 3 ? r.period_ns : 0, 20e3);
        }
        assert_int_equal(r.screen.repeats, repeats + 1);
        assert_near(r.plan.offset_ns - offset_ns, r.period_ns, 20e3);
    }
}

/* A thread that comes late from a present says nothing of the display. */
TEST(a_late_return_changes_nothing)
{
    static const int64_t late_percent[] = {10, 30, 50, 90, 120};
    static rig r;
    for (size_t i = 0; i < COUNT_OF(late_percent); ++i) {
        set_up(&r, 60000, 3, 20);
        start_and_settle(&r);
        for (int frame = 0; frame < 40; ++frame) {
            r.late_ns = frame % 10 == 3 ? r.period_ns * late_percent[i] / 100 : 0;
            run_frame(&r);
            assert_near(r.moved_ns, r.period_ns, 20e3);
            assert_near(r.off_ns, 0, 20e3);
            assert_int_equal(r.status.mode, ES_DISPLAY_BLOCKS);
        }
    }
}

/* It acts at once: frame times tell the next frame. Twelve frames later that is over. */
TEST(an_early_return_makes_it_doubt)
{
    static rig r;
    for (int32_t depth = 1; depth <= 3; ++depth) {
        set_up(&r, 60000, depth, 20);
        start_and_settle(&r);
        r.late_ns = -r.period_ns / 2;
        run_frame(&r);
        assert_false(r.smoothed);
        run_frame(&r);
        assert_true(r.smoothed);
        run_for(&r, 12 * r.period_ns);
        assert_near(r.off_ns, 0, 20e3);
        assert_int_equal(r.status.mode, ES_DISPLAY_BLOCKS);
    }
}

/* Each refresh shows the next frame, and feedback says so: it does not matter how late waits end. */
TEST(with_feedback_late_returns_do_not_matter)
{
    static rig r;
    for (int32_t depth = 2; depth <= 3; ++depth) {
        set_up(&r, 240000, depth, 20);
        r.reports = 1;
        r.screen.late_ns = r.period_ns * 7 / 10;
        start_and_settle(&r);
        for (int frame = 0; frame < 500; ++frame) {
            run_frame(&r);
            assert_near(r.moved_ns, r.period_ns, 1e3);
            assert_int_equal(r.status.mode, ES_DISPLAY_BLOCKS);
        }
        r.reports = 0; /* without feedback the returns count: this one is too early */
        r.screen.late_ns = 0;
        run_for(&r, S);
        r.late_ns = -r.period_ns / 2;
        run_frame(&r);
        run_frame(&r);
        assert_true(r.smoothed);
    }
}

/* Each frame takes as many refreshes as its slow work needs. When the work is quick again, no timer keeps
 * that pace. */
TEST(with_feedback_slow_work_is_no_refresh)
{
    static const screen_kind kinds[] = {SCREEN_FIFO, SCREEN_MAILBOX};
    static rig r;
    for (int i = 0; i < 4; ++i) {
        set_up(&r, 90000, 3, i < 2 ? 280 : 460);
        r.screen.kind = kinds[i % 2];
        r.reports = 1;
        start(&r);
        for (int frame = 0; frame < 100; ++frame) {
            run_frame(&r);
        }
        r.work_ns = r.period_ns / 5;
        run_for(&r, S);
        int64_t interval_ns = es__display_interval_ns(&r.display);
        assert_true(interval_ns == 0 || interval_ns < r.period_ns * 11 / 10);
        assert_near(r.moved_ns, r.screen.kind == SCREEN_FIFO ? r.period_ns : r.moved_ns, 20e3);
    }
}

/* The estimate may be several refreshes long, while the display counts each. No clock has leapt. */
TEST(with_slow_work_a_count_tells_of_no_leap)
{
    static rig r;
    for (int work_ms = 20; work_ms <= 80; work_ms += 5) {
        set_up(&r, 60000, 2, 0);
        r.screen.kind = SCREEN_MAILBOX;
        r.screen.call_ns = 250 * US; /* a copy, which looks like a wait */
        r.reports = 1;
        r.counts = true;
        start(&r);
        for (int frame = 0; frame < 1500; ++frame) {
            r.work_ns = work_ms * MS + screen_up_to(&r.screen, 2 * MS);
            run_frame(&r);
        }
        assert_int_equal(r.plan.removed_ns, 0);
    }
}

/* --- presents that never wait, a host --------------------------------------------------------- */

TEST(presents_that_never_wait_are_looked_at_again)
{
    static rig r;
    for (int i = 0; i < 4; ++i) {
        bool blocks_later = i % 2 == 1;
        set_up(&r, 60000, 2, 1);
        r.config.refresh_ns = i < 2 ? 0 : r.period_ns;
        r.screen.kind = SCREEN_NONE;
        start(&r);
        assert_in_range(frames_until(&r, ES_DISPLAY_FREE), 8, 10);
        int64_t free_ns = r.now_ns;
        run_for(&r, 50 * MS);
        assert_near(r.moved_ns, S / 60, 1e3);
        assert_int_equal(r.plan.submit_ns, r.plan.present_ns);
        r.screen.kind = blocks_later ? SCREEN_FIFO : SCREEN_NONE;
        r.screen.last_index = screen_after(&r.screen, r.now_ns);
        frames_until(&r, ES_DISPLAY_UNKNOWN);
        assert_in_range(r.now_ns - free_ns, 3 * S - 20 * MS, 3 * S + 20 * MS);
        frames_until(&r, blocks_later ? ES_DISPLAY_BLOCKS : ES_DISPLAY_FREE);
        assert_in_range(r.now_ns - free_ns, 3 * S, 3 * S + 300 * MS);
    }
}

/* A software renderer without vsync: each present copies the frame. */
TEST(presents_that_copy_are_no_waits)
{
    static const int64_t copies_ns[] = {250 * US, 400 * US, 700 * US};
    static rig r;
    for (int i = 0; i < 6; ++i) {
        set_up(&r, 60000, 2, 1);
        r.config.refresh_ns = i < 3 ? 0 : r.period_ns;
        r.screen.kind = SCREEN_NONE;
        r.screen.call_ns = copies_ns[i % 3];
        start(&r);
        assert_in_range(frames_until(&r, ES_DISPLAY_FREE), 8, 64);
        run_for(&r, 50 * MS);
        assert_near(r.moved_ns, S / 60, 1e3);
        run_for(&r, 4 * S);
        assert_in_range(frames_until(&r, ES_DISPLAY_FREE), 1, 64);
    }
}

/* No refresh is known, so a timer paces. A slow drawing delays its own frame alone. */
TEST(a_stall_in_drawing_delays_one_frame)
{
    static rig r;
    set_up(&r, 60000, 2, 1);
    r.screen.kind = SCREEN_NONE;
    start(&r);
    frames_until(&r, ES_DISPLAY_FREE);
    run_for(&r, 500 * MS);
    int64_t usual_ns = r.work_ns;
    r.work_ns = 300 * MS;
    run_frame(&r);
    r.work_ns = usual_ns;
    for (int frame = 0; frame < 20; ++frame) {
        int64_t before_ns = r.now_ns;
        run_frame(&r);
        assert_in_range(r.now_ns - before_ns, 0, 2 * S / 60 + MS);
    }
}

TEST(a_hosts_calls_tell_the_refresh)
{
    static const int64_t rates[] = {60000, 59940, 75000, 144000};
    static const int64_t late_percent[] = {0, 15, 45, 70}; /* 3.1 ms at 144 Hz is 45 % */
    static rig r;
    for (int i = 0; i < 4 * 4; ++i) {
        set_up(&r, rates[i % 4], 1, 10);
        int64_t late_ns = r.period_ns * late_percent[i / 4] / 100;
        start(&r);
        es__display_work work = {0, 0, r.work_ns};
        double period_ns = (double)r.period_ns;
        for (int64_t call = 1; call <= 600; ++call) {
            int64_t at_ns = screen_refresh_ns(&r.screen, call);
            r.begin_ns = r.now_ns = at_ns + screen_up_to(&r.screen, late_ns);
            es__display_call(&r.display, r.now_ns);
            plan_frame(&r);
            es__display_submitted(&r.display, r.now_ns + r.work_ns, &work);
            note_frame(&r, at_ns);
            double most_ns = 0.001 * period_ns + 0.15 * (double)late_ns;
            assert_near(r.off_ns, 0, call > 300 ? most_ns : 1e18);
            assert_near(r.moved_ns, period_ns, call > 300 ? 0.01 * period_ns : 1e18);
        }
        assert_int_equal(r.status.mode, ES_DISPLAY_HOST);
    }
}

/* --- feedback, gaps --------------------------------------------------------------------------- */

/* Also where each frame is told twice. A mailbox: nothing waits. Screen times alone tell the refresh,
 * for the timer. */
TEST(feedback_tells_the_refresh)
{
    static rig r;
    for (int i = 0; i < 8; ++i) {
        bool mailbox = i % 2 == 1;
        set_up(&r, i % 4 < 2 ? 60000 : 144000, 2, 60);
        r.screen.kind = mailbox ? SCREEN_MAILBOX : SCREEN_FIFO;
        r.reports = i / 4 + 1;
        start(&r);
        assert_int_equal(es__display_interval_ns(&r.display), 0);
        run_for(&r, 400 * MS);
        assert_near(es__display_interval_ns(&r.display), r.period_ns, 1e5);
        run_for(&r, 2 * S);
        assert_int_equal(r.status.mode, mailbox ? ES_DISPLAY_FREE : ES_DISPLAY_BLOCKS);
        assert_near(es__display_interval_ns(&r.display), r.period_ns, 1e-3 * (double)r.period_ns);
        assert_true(mailbox || (r.status.feedback && r.off_ns < 20 * US));
    }
}

/* Late by up to 0.2 s. The waits tell the refresh again; which one a frame has, they do not. */
TEST(nonsense_is_distrusted)
{
    static rig r;
    for (int32_t depth = 1; depth <= 3; ++depth) {
        set_up(&r, 60000, depth, 40);
        r.reports = 1;
        r.told_error_ns = 200 * MS;
        start(&r);
        run_for(&r, 4 * S);
        assert_false(r.status.feedback);
        assert_int_equal(r.status.mode, ES_DISPLAY_BLOCKS);
        assert_near(r.moved_ns, r.period_ns, 20e3);
        assert_near((r.off_ns + S / 600) % r.period_ns, S / 600, 20e3);
    }
}

TEST(a_variable_refresh_has_no_phase)
{
    static rig r;
    set_up(&r, 60000, 2, 40);
    start_and_settle(&r);
    assert_false(r.smoothed);
    es__display_varies(&r.display);
    for (int frame = 0; frame < 200; ++frame) {
        run_frame(&r);
        assert_true(r.smoothed && r.status.mode == ES_DISPLAY_VARIABLE);
    }
}

/* Time that also passed for the display only shifts its refreshes. After a wrong clock they are
 * found anew, by the period that is known. */
TEST(a_gap_shifts_or_loses_the_refreshes)
{
    static const int64_t gone_ns[] = {1234567, 700 * MS, 30 * S};
    static rig r;
    for (int i = 0; i < 6; ++i) {
        bool wrong = i % 2 == 1;
        set_up(&r, 60000, 2, 40);
        start_and_settle(&r);
        r.now_ns += wrong ? 0 : gone_ns[i / 2];
        r.gone_ns += gone_ns[i / 2];
        es__display_gap(&r.display, gone_ns[i / 2], wrong);
        run_frame(&r);
        assert_int_equal(r.status.mode, wrong ? ES_DISPLAY_UNKNOWN : ES_DISPLAY_BLOCKS);
        assert_true(wrong ? r.smoothed : r.off_ns < 20 * US);
        assert_in_range(frames_until(&r, ES_DISPLAY_BLOCKS), wrong ? 2 : 1, wrong ? 6 : 1);
        run_for(&r, S / 2);
        assert_near(r.off_ns, 0, 20e3);
    }
}

/* --- holding, low latency --------------------------------------------------------------------- */

/* Frames whose work no queue hides. A cap holds them from the start, and no longer than it is set. */
TEST(work_above_a_refresh_is_held)
{
    static const struct {
        int64_t millihertz, work_percent, interval_refreshes;
        int32_t hold;
        bool never;
    } rows[] = {{60000, 130, 0, 2, false}, {144000, 130, 0, 2, false}, {144000, 230, 0, 3, false},
            {144000, 130, 3, 3, false}, {60000, 130, 4, 4, false}, {60000, 90, 0, 1, false},
            {60000, 130, 0, 1, true}, {144000, 130, 3, 3, true}};
    static rig r;
    for (size_t i = 0; i < COUNT_OF(rows); ++i) {
        set_up(&r, rows[i].millihertz, 1, 40);
        r.config.hold_never = rows[i].never;
        bool capped = rows[i].interval_refreshes > 0;
        r.config.interval_ns = rows[i].interval_refreshes * r.period_ns;
        r.config.refresh_ns = capped ? r.period_ns : 0;
        start_and_settle(&r);
        r.work_ns = r.period_ns * rows[i].work_percent / 100;
        run_for(&r, 900 * MS);
        assert_int_equal(r.display.hold, capped ? rows[i].hold : 1);
        run_for(&r, 1500 * MS);
        for (int frame = 0; frame < 200 && rows[i].hold > 1; ++frame) {
            int64_t flip_ns = r.flip_ns;
            run_frame(&r);
            assert_near(r.flip_ns - flip_ns, rows[i].hold * r.period_ns, rows[i].hold);
            assert_near(r.off_ns, 0, 20e3);
        }
        r.config.interval_ns = 0;
        es__display_reconfigure(&r.display, &r.config);
        r.work_ns = r.period_ns / 2;
        run_for(&r, 900 * MS);
        assert_int_equal(r.display.hold, capped ? 1 : rows[i].hold);
        run_for(&r, 2500 * MS);
        assert_int_equal(r.display.hold, 1);
    }
}

/* From begin to flip a frame that begins at once takes as many refreshes as the queue is deep; one
 * that begins just in time takes its work and a margin. */
TEST(low_latency_begins_just_in_time)
{
    static const int64_t rates[] = {60000, 144000};
    static rig r;
    for (int i = 0; i < 2 * 3 * 2; ++i) {
        set_up(&r, rates[i / 6], i / 2 % 3 + 1, 40);
        r.config.low_latency = i % 2 == 1;
        start(&r);
        run_for(&r, 5 * S);
        for (int frame = 0; frame < 200; ++frame) {
            run_frame(&r);
            double age = (double)(r.flip_ns - r.begin_ns) / (double)r.period_ns;
            assert_near(age, r.config.low_latency ? 0.46 : r.screen.depth, 0.02);
        }
        assert_int_equal(r.status.mode, ES_DISPLAY_BLOCKS);
    }
}
