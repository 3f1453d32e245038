/* SPDX-License-Identifier: Zlib
 *
 * Clock faults and long runs, through the whole loop: never a tick twice, never a freeze, never an
 * overflow (this runs under UBSan), never fast-forwarded; and ten years without drift.
 */
#include "frame_support.h"

#include <inttypes.h>

#define REFRESH_NS INT64_C(16666667)

/* A clock that lies. */
typedef struct faulty_clock {
    int64_t now_ns;
    int64_t cpu_ns;
    int64_t suspended_ns;
    bool still;           /* neither time nor a wait moves it */
    int64_t oversleep_ns; /* the next wait takes this much longer: the machine sleeps */
    int waits;
    int64_t hostile_ns; /* every hostile_every-th reading of a source is this, hostile_left times */
    int hostile_source, hostile_every, hostile_left;
    int reads;
} faulty_clock;

enum { READS_NOW, READS_CPU, READS_SUSPENDED, READS_STAMP, SOURCES };

static int64_t faulty_reading(faulty_clock *clock, int source, int64_t true_ns)
{
    bool counts = clock->hostile_left > 0 && clock->hostile_source == source;
    if (!counts || ++clock->reads % clock->hostile_every != 0) {
        return true_ns;
    }
    clock->hostile_left -= 1;
    return clock->hostile_ns;
}

static int64_t faulty_now(void *user)
{
    return faulty_reading(user, READS_NOW, ((faulty_clock *)user)->now_ns);
}

static int64_t faulty_cpu(void *user)
{
    return faulty_reading(user, READS_CPU, ((faulty_clock *)user)->cpu_ns);
}

static int64_t faulty_suspended(void *user)
{
    return faulty_reading(user, READS_SUSPENDED, ((faulty_clock *)user)->suspended_ns);
}

static void faulty_wait(void *user, int64_t deadline_ns)
{
    faulty_clock *clock = user;
    clock->waits += 1;
    bool ends = deadline_ns < INT64_MAX / 8; /* no program waits for so long */
    if (!clock->still && ends && clock->now_ns < deadline_ns) {
        clock->now_ns = es__ns_add(deadline_ns, clock->oversleep_ns);
        clock->suspended_ns = es__ns_add(clock->suspended_ns, clock->oversleep_ns);
    }
    clock->oversleep_ns = 0;
}

typedef struct rig {
    faulty_clock clock;
    es_loop loop;
    es_frame frame;
    int64_t last_tick;
    int64_t last_content_ns;
    int64_t work_in_draw_ns;
    int64_t stop_in_update_ns; /* stands still on the CPU inside one update */
    int64_t block_in_present_ns;
    bool sleeps; /* the machine is suspended while it stands still */
} rig;

static void start(rig *r)
{
    memset(r, 0, sizeof *r);
    es_loop_config config = {.pace = ES_PACE_ADAPTIVE};
    es_clock clock = {
            faulty_now, faulty_wait, faulty_suspended, faulty_cpu, &r->clock, NULL, false};
    config.clock = clock;
    config.tick_rate = es_hz(200);
    config.interval_ns = 16 * MS;
    assert_int_equal(es__loop_init(&r->loop, &config, NULL), ES_OK);
}

static void work(rig *r, int64_t ns)
{
    if (!r->clock.still) {
        r->clock.now_ns = es__ns_add(r->clock.now_ns, ns);
        r->clock.cpu_ns = es__ns_add(r->clock.cpu_ns, ns);
    }
}

static void stand_still(rig *r, int64_t *ns)
{
    r->clock.now_ns = es__ns_add(r->clock.now_ns, *ns);
    r->clock.suspended_ns = es__ns_add(r->clock.suspended_ns, r->sleeps ? *ns : 0);
    *ns = 0;
}

/* One frame; checks what must hold whatever the clock does. */
static void run_frame(rig *r)
{
    es_step step;
    assert_true(es_loop_begin(&r->loop));
    while (es_loop_tick(&r->loop, &step)) {
        assert_int_equal(step.index, r->last_tick + 1);
        r->last_tick = step.index;
        work(r, MS / 2);
        stand_still(r, &r->stop_in_update_ns);
    }
    es_loop_wait(&r->loop, &r->frame);
    assert_true(r->frame.content_ns >= r->last_content_ns);
    assert_true(r->frame.alpha > 0.0 && r->frame.alpha <= 1.0);
    assert_int_equal(r->frame.current_tick, r->last_tick);
    r->last_content_ns = r->frame.content_ns;
    work(r, 2 * MS + r->work_in_draw_ns);
    r->work_in_draw_ns = 0;
    es_loop_submit(&r->loop);
    stand_still(r, &r->block_in_present_ns);
    es_loop_end(&r->loop);
}

static void run_frames(rig *r, int count)
{
    for (int i = 0; i < count; ++i) {
        run_frame(r);
    }
}

/* Returns the content of the last of ten frames. */
static int64_t start_running(rig *r)
{
    start(r);
    run_frames(r, 10);
    return r->last_content_ns;
}

/* After a gap of an hour content went on by about one frame. */
static void expect_gap(rig *r, es_gap_kind kind, int64_t before_ns)
{
    run_frame(r);
    assert_int_equal(r->frame.gap.kind, kind);
    assert_in_range(r->frame.content_ns - before_ns, 0, 33 * MS);
    assert_int_equal(r->frame.account.frame_dropped_ns, 0);
    assert_true(r->frame.ticks <= 7);
    for (int i = 0; i < 20; ++i) {
        int64_t start_ns = r->frame.start_ns;
        int64_t content_ns = r->frame.content_ns;
        run_frame(r);
        assert_int_equal(r->frame.gap.kind, ES_GAP_NONE);
        assert_int_equal(r->frame.start_ns - start_ns, 16 * MS);
        assert_int_equal(r->frame.content_ns - content_ns, 16 * MS);
    }
}

/* After ten frames, between two of them: the clock moves by clock_ns, and what it counts of suspends. */
TEST(leaps_of_the_clock_are_gaps)
{
    static const struct {
        int64_t clock_ns, suspended_ns;
        es_gap_kind kind;
    } rows[] = {
            {-MS, 0, ES_GAP_CLOCK_BACK},
            {-60 * MS, 0, ES_GAP_CLOCK_BACK},
            {-3600 * S, 0, ES_GAP_CLOCK_BACK},
            {-INT64_MAX, 0, ES_GAP_CLOCK_BACK},
            {3600 * S, 0, ES_GAP_STOPPED},            /* the thread did nothing */
            {3600 * S, -3600 * S, ES_GAP_CLOCK_JUMP}, /* the other clock did not move along */
            {0, 3600 * S, ES_GAP_SUSPENDED},          /* which the clock does not count */
            {3600 * S, 3600 * S, ES_GAP_SUSPENDED},
    };
    for_rows (i, rows) {
        rig r;
        int64_t content_ns = start_running(&r);
        r.clock.now_ns = es__ns_add(r.clock.now_ns, rows[i].clock_ns);
        r.clock.suspended_ns += rows[i].suspended_ns;
        expect_gap(&r, rows[i].kind, content_ns);
        assert_int_equal(r.frame.account.gaps_ns, rows[i].clock_ns);
    }
}

/* Its frame's plan was final: it is drawn as planned, not an hour late. */
TEST(a_suspend_while_waiting_is_a_gap)
{
    rig r;
    start_running(&r);
    r.clock.oversleep_ns = 3600 * S;
    run_frame(&r);
    assert_int_equal(r.frame.late_ns, 0);
    expect_gap(&r, ES_GAP_SUSPENDED, r.last_content_ns);
}

/* A wait that keeps coming back early, as SDL_Delay(1) does: the loop waits on. */
static void impatient_wait(void *user, int64_t deadline_ns)
{
    faulty_clock *clock = user;
    (void)deadline_ns;
    clock->waits += 1;
    clock->now_ns += MS;
}

TEST(a_wait_that_returns_early_is_repeated)
{
    rig r;
    start(&r);
    r.loop.clock.wait_until = impatient_wait;
    for (int i = 0; i < 60; ++i) {
        run_frame(&r);
        assert_int_equal(r.frame.gap.kind, ES_GAP_NONE);
        assert_int_equal(r.frame.content_ns, i * 16 * MS);
        assert_in_range(r.frame.late_ns, 0, MS);
    }
}

/* The CPU time that this frame's ticks used before does not speak for a span afterwards. */
TEST(a_debugger_after_hard_work_is_a_gap)
{
    rig r;
    int64_t content_ns = start_running(&r);
    es_loop_begin(&r.loop);
    work(&r, 300 * MS);
    es_loop_wait(&r.loop, &r.frame);
    r.clock.now_ns += 2900 * MS;
    es_loop_submit(&r.loop);
    es_loop_end(&r.loop);
    run_frame(&r);
    assert_int_equal(r.frame.gap.kind, ES_GAP_STOPPED);
    assert_in_range(r.frame.content_ns - content_ns, 0, 400 * MS);
}

/* Also within the ticks or the drawing of a frame on a display, whose plan counts refreshes. */
TEST(a_stop_within_a_frame_is_a_gap)
{
    for (int how = 0; how < 12; ++how) {
        int64_t stop_ns = (2 * S) << (how / 2 * 2);
        bool drawing = how % 2 == 1;
        rig r;
        es_step step;
        int64_t before_ns = 0;
        memset(&r, 0, sizeof r);
        es_loop_config config = {.clock = {
                faulty_now, faulty_wait, NULL, faulty_cpu, &r.clock, NULL, false}};
        assert_int_equal(es__loop_init(&r.loop, &config, NULL), ES_OK);
        for (int i = 0; i < 120; ++i) {
            assert_true(es_loop_begin(&r.loop));
            while (es_loop_tick(&r.loop, &step)) {
                work(&r, MS / 2);
                r.stop_in_update_ns = i == 100 && !drawing && step.in_frame == 0 ? stop_ns : 0;
                stand_still(&r, &r.stop_in_update_ns);
            }
            es_loop_wait(&r.loop, &r.frame);
            r.stop_in_update_ns = i == 99 && drawing ? stop_ns : 0; /* the next frame tells of it */
            stand_still(&r, &r.stop_in_update_ns);
            int64_t moved_ns = r.frame.content_ns - before_ns;
            assert_true(i == 0 || (moved_ns <= 20 * MS && (i < 50 || moved_ns > 15 * MS)));
            assert_int_equal(r.frame.gap.kind, i == 100 ? ES_GAP_STOPPED : ES_GAP_NONE);
            before_ns = r.frame.content_ns;
            es_loop_submit(&r.loop);
            r.clock.now_ns = (r.clock.now_ns / REFRESH_NS + 1) * REFRESH_NS;
            es_loop_end(&r.loop);
        }
        assert_int_equal(r.frame.account.dropped_ns, 0);
        assert_in_range(r.frame.account.gaps_ns, stop_ns - 40 * MS, stop_ns + MS);
    }
}

/* A suspend that the clock counts is removed at any length from 50 ms, wherever in a frame it is.
 * What the machine did not sleep stays: a slow frame. */
TEST(a_short_suspend_that_the_clock_counts_is_a_gap)
{
    static const int64_t slept_ms[] = {50, 100, 200, 500, 900, 999};
    for_rows (i, slept_ms) {
        for (int place = 0; place < 2; ++place) {
            rig r;
            int64_t content_ns = start_running(&r);
            r.stop_in_update_ns = place == 0 ? slept_ms[i] * MS : 0;
            r.block_in_present_ns = place == 1 ? slept_ms[i] * MS : 0;
            r.sleeps = true;
            run_frames(&r, 2);
            assert_int_equal(r.frame.account.gaps_ns, slept_ms[i] * MS);
            assert_in_range(r.frame.content_ns - content_ns, 30 * MS, 36 * MS);
        }
    }
}

TEST(a_hidden_window_is_a_gap)
{
    rig r;
    int64_t content_ns = start_running(&r);
    r.block_in_present_ns = 3600 * S;
    run_frame(&r);
    expect_gap(&r, ES_GAP_BLOCKED, content_ns + 16 * MS);
}

/* A clock that stands still: frames and content go on by the plan; the loop hangs nowhere. */
TEST(a_still_clock_freezes_nothing)
{
    rig r;
    int64_t content_ns = start_running(&r);
    r.clock.still = true;
    r.clock.waits = 0;
    for (int i = 1; i <= 100; ++i) {
        run_frame(&r);
        assert_int_equal(r.frame.content_ns, content_ns + i * 16 * MS);
    }
    assert_int_equal(r.frame.gap.kind, ES_GAP_CLOCK_STILL);
    assert_in_range(r.clock.waits, 100, 400);
    r.clock.still = false;
    run_frames(&r, 2);
    assert_int_equal(r.frame.content_ns, content_ns + 102 * 16 * MS);
    assert_int_equal(r.frame.gap.kind, ES_GAP_NONE);
}

/* A frame on a display of 60 Hz: stepped, first form, or of a host, whose stamps are readings too. */
static int64_t hostile_frame(rig *r, int form)
{
    faulty_clock *clock = &r->clock;
    if (form == 0) {
        es_step step;
        assert_true(es_loop_begin(&r->loop));
        while (es_loop_tick(&r->loop, &step)) {
        }
        assert_true(es_loop_wait(&r->loop, &r->frame));
    } else if (form == 1) {
        assert_true(es_loop_next(&r->loop, &r->frame));
    } else {
        int64_t stamp_ns = faulty_reading(clock, READS_STAMP, clock->now_ns);
        stamp_ns = clock->hostile_source == READS_STAMP ? stamp_ns : ES_UNKNOWN_NS;
        assert_true(es_loop_next_at(&r->loop, stamp_ns, ES_UNKNOWN_NS, &r->frame));
    }
    int64_t moved_ns = r->frame.content_ns - r->last_content_ns;
    assert_true(moved_ns >= 0);
    r->last_content_ns = r->frame.content_ns;
    work(r, 2 * MS);
    es_loop_submit(&r->loop);
    clock->now_ns = (clock->now_ns / REFRESH_NS + 1) * REFRESH_NS;
    es_loop_end(&r->loop);
    return moved_ns;
}

/* Hostile readings at the start, soon after it and once the display is known: then content goes on. */
static void survive_hostile(es_pace pace, int form, int source, int64_t hostile_ns, int shape)
{
    static const int from[] = {0, 3, 200};
    rig r;
    memset(&r, 0, sizeof r);
    es_loop_config config = {.pace = pace,
            .clock = {
                    faulty_now, faulty_wait, faulty_suspended, faulty_cpu, &r.clock, NULL, false}};
    r.clock.now_ns = S;
    r.clock.hostile_ns = hostile_ns;
    r.clock.hostile_source = source;
    r.clock.hostile_every = 1 + shape % 6;
    assert_int_equal(es__loop_init(&r.loop, &config, NULL), ES_OK);
    for (int i = 0; i < 330; ++i) {
        bool now = i == from[shape / 6 % 3];
        r.clock.hostile_left = now ? 1 + shape / 18 : i == 280 ? 0 : r.clock.hostile_left;
        int64_t moved_ns = hostile_frame(&r, form);
        if (i >= 300) {
            row("pace %d, form %d, source %d, reading %" PRId64 ", shape %d, frame %d", pace, form,
                    source, hostile_ns, shape, i);
            assert_true(moved_ns >= 10 * MS && moved_ns <= 25 * MS);
        }
    }
}

TEST(hostile_readings_stop_nothing)
{
    static const int64_t hostile[] = {
            INT64_MAX, INT64_MIN, INT64_MAX - 1000, INT64_MAX / 2 + 1, -(INT64_MAX / 2 + 1)};
    const int shapes = 7 * 3 * 6, each = 5 * 3 * SOURCES * (int)COUNT_OF(hostile);
    int step = test_is_full() ? 1 : TEST_SANITIZED ? 101 : 11;
    for (int i = 0; i < shapes * each; i += step) {
        row("case %d", i);
        int at = i / shapes;
        survive_hostile((es_pace)(at % 5), at / 5 % 3, at / 15 % SOURCES,
                hostile[at / 15 / SOURCES], i % shapes);
    }
}

/* Ten simulated years: a million frames, and seeks that cover the rest. Not one tick of drift. */
TEST(ten_years_drift_by_no_tick)
{
    const es_rate rates[] = {es_hz(60), es__rate_make(60000, 1001)};
    const int64_t ten_years_ns = INT64_C(315576000) * S;
    for (size_t k = 0; k < 2; ++k) {
        rig r;
        start(&r);
        assert_int_equal(set_tick_rate(&r.loop, rates[k]), ES_OK);
        for (int i = 0; i < 1000000; ++i) {
            if (i % 10000 == 9999) {
                int64_t leap_ns = r.last_content_ns + ten_years_ns / 100;
                int64_t tick = es__rate_ns_to_events(rates[k], leap_ns);
                assert_true(es_loop_seek(&r.loop, tick));
                r.last_tick = tick;
                r.last_content_ns = es_rate_time_ns(rates[k], tick);
            }
            run_frame(&r);
            /* the newest tick is the first at or after the content time, by the closed formula */
            assert_int_equal(r.last_tick, es__rate_ns_to_events(rates[k], r.frame.content_ns));
            assert_int_equal(r.frame.current_ns, es_rate_time_ns(rates[k], r.frame.current_tick));
        }
        assert_true(r.frame.content_ns > ten_years_ns);
    }
}
