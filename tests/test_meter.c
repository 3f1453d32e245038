/* SPDX-License-Identifier: Zlib
 *
 * How smooth it was: every number here was worked out by hand.
 */
#include "evenstep/meter.h"

#include <math.h>
#include <string.h>

#include "evenstep/loop.h"
#include "test_support.h"

#define MS              ES_NS_PER_MS
#define COUNT_OF(array) (sizeof(array) / sizeof((array)[0]))
#define CAPACITY        1024

static es_meter_sample samples[CAPACITY];
static double scratch[CAPACITY];

/* --- helpers ---------------------------------------------------------------------------------- */

static es_meter fresh_meter(size_t capacity)
{
    es_meter meter;
    memset(&meter, 0x5A, sizeof meter);
    memset(samples, 0x5A, sizeof samples);
    assert_int_equal(es_meter_init(&meter, samples, capacity), ES_OK);
    return meter;
}

/* A report of a frame that was intended intended_ms after the one before. */
static es_frame_report report_of(int64_t shown_ms, int64_t content_ms, int64_t intended_ms)
{
    es_frame_report report;
    memset(&report, 0, sizeof report);
    report.shown_ns = shown_ms * MS;
    report.frame.content_ns = content_ms * MS;
    report.frame.interval_ns = intended_ms * MS;
    /* what was planned is not what was measured: a meter that looks at these is wrong */
    report.frame.start_ns = content_ms * MS;
    report.frame.present_ns = content_ms * MS;
    return report;
}

static void add(es_meter *meter, int64_t shown_ms, int64_t content_ms, int64_t intended_ms)
{
    es_frame_report report = report_of(shown_ms, content_ms, intended_ms);
    es_meter_add(meter, &report);
}

static es_meter_summary summarise(const es_meter *meter)
{
    es_meter_summary summary;
    memset(&summary, 0x5A, sizeof summary);
    assert_int_equal(es_meter_summarise(meter, scratch, CAPACITY, &summary), ES_OK);
    return summary;
}

/* Within a millionth of a nanosecond. */
static void check_ms(double got, double expected, const char *what)
{
    if (!(fabs(got - expected) < 1e-12)) {
        fail_msg("%s: %.15g ms, not %.15g", what, got, expected);
    }
}

static void check_error(const es_meter_error *got, const es_meter_error *expected)
{
    check_ms(got->mean_abs_ms, expected->mean_abs_ms, "mean_abs_ms");
    check_ms(got->bias_ms, expected->bias_ms, "bias_ms");
    check_ms(got->rms_ms, expected->rms_ms, "rms_ms");
    check_ms(got->median_ms, expected->median_ms, "median_ms");
    check_ms(got->p99_ms, expected->p99_ms, "p99_ms");
    check_ms(got->max_ms, expected->max_ms, "max_ms");
}

static void check_empty(const es_meter_summary *summary)
{
    static const es_meter_error none = {0, 0, 0, 0, 0, 0};
    assert_int_equal(summary->intervals, 0);
    check_ms(summary->interval_ms, 0, "interval_ms");
    check_ms(summary->intended_ms, 0, "intended_ms");
    check_ms(summary->lost_ms, 0, "lost_ms");
    check_error(&summary->interval, &none);
    check_error(&summary->animation, &none);
}

/* --- errors and emptiness --------------------------------------------------------------------- */

static void test_init_errors(void **state)
{
    (void)state;
    es_meter meter;
    memset(&meter, 0x5A, sizeof meter);
    es_meter before = meter;
    assert_int_equal(es_meter_init(NULL, samples, 2), ES_ERR_INVALID);
    assert_int_equal(es_meter_init(&meter, NULL, 2), ES_ERR_INVALID);
    assert_int_equal(es_meter_init(&meter, samples, 0), ES_ERR_INVALID);
    assert_int_equal(es_meter_init(&meter, samples, 1), ES_ERR_INVALID);
    assert_memory_equal(&meter, &before, sizeof meter);
    assert_int_equal(es_meter_init(&meter, samples, 2), ES_OK);
}

static void test_no_frame_and_one_frame(void **state)
{
    (void)state;
    es_meter meter = fresh_meter(CAPACITY);
    es_meter_summary summary = summarise(&meter);
    check_empty(&summary);
    assert_int_equal(meter.frames, 0);
    es_meter_add(&meter, NULL);
    assert_int_equal(meter.frames, 0);
    assert_int_equal(meter.count, 0);

    add(&meter, 100, 0, 16);
    summary = summarise(&meter);
    check_empty(&summary);
    assert_int_equal(meter.frames, 1);
    assert_int_equal(meter.count, 1);
}

static void test_summary_errors(void **state)
{
    (void)state;
    es_meter meter = fresh_meter(CAPACITY);
    add(&meter, 0, 0, 16);
    add(&meter, 16, 16, 16);
    add(&meter, 32, 32, 16);
    es_meter_summary summary;
    memset(&summary, 0x5A, sizeof summary);
    es_meter_summary before = summary;
    assert_int_equal(es_meter_summarise(NULL, scratch, CAPACITY, &summary), ES_ERR_INVALID);
    assert_int_equal(es_meter_summarise(&meter, NULL, CAPACITY, &summary), ES_ERR_INVALID);
    assert_int_equal(es_meter_summarise(&meter, scratch, CAPACITY, NULL), ES_ERR_INVALID);
    assert_int_equal(es_meter_summarise(&meter, scratch, 2, &summary), ES_ERR_SPACE);
    assert_int_equal(es_meter_summarise(&meter, scratch, 0, &summary), ES_ERR_SPACE);
    assert_memory_equal(&summary, &before, sizeof summary);
    assert_int_equal(es_meter_summarise(&meter, scratch, 3, &summary), ES_OK);
    assert_int_equal(summary.intervals, 2);
}

/* --- the two errors --------------------------------------------------------------------------- */

/* d:         16  18  15  19  16   T is 16 throughout
 * d - T:      0   2  -1   3   0   sizes sorted: 0 0 1 2 3
 * C - C:     16  16  16  20  10
 * animation:  0  -2   1   1  -6   sizes sorted: 0 1 1 2 6 */
static void test_small_sequence(void **state)
{
    (void)state;
    es_meter meter = fresh_meter(CAPACITY);
    add(&meter, 1000, 0, 16);
    add(&meter, 1016, 16, 16);
    add(&meter, 1034, 32, 16);
    add(&meter, 1049, 48, 16);
    add(&meter, 1068, 68, 16);
    add(&meter, 1084, 78, 16);
    es_meter_summary summary = summarise(&meter);
    assert_int_equal(summary.intervals, 5);
    check_ms(summary.interval_ms, 84.0 / 5, "interval_ms");
    check_ms(summary.intended_ms, 16, "intended_ms");
    check_ms(summary.lost_ms, 84 - 78, "lost_ms");
    es_meter_error interval = {6.0 / 5, 4.0 / 5, sqrt(14.0 / 5), 1, 3, 3};
    es_meter_error animation = {10.0 / 5, -6.0 / 5, sqrt(42.0 / 5), 1, 6, 6};
    check_error(&summary.interval, &interval);
    check_error(&summary.animation, &animation);
}

/* Each frame has its own T. d: 10 20 12; T: 10 18 15; d - T: 0 2 -3. Even pictures on time, and
 * content that moves with them: no animation error although the intervals are bad. */
static void test_intended_interval_of_each_frame(void **state)
{
    (void)state;
    es_meter meter = fresh_meter(CAPACITY);
    add(&meter, 0, 0, 99);
    add(&meter, 10, 10, 10);
    add(&meter, 30, 30, 18);
    add(&meter, 42, 42, 15);
    es_meter_summary summary = summarise(&meter);
    check_ms(summary.interval_ms, 14, "interval_ms");
    check_ms(summary.intended_ms, 43.0 / 3, "intended_ms");
    es_meter_error interval = {5.0 / 3, -1.0 / 3, sqrt(13.0 / 3), 2, 3, 3};
    es_meter_error none = {0, 0, 0, 0, 0, 0};
    check_error(&summary.interval, &interval);
    check_error(&summary.animation, &none);
}

/* A host decides the intervals. d: 10 30 12 11; their median by nearest rank (the 2nd of 4) is 11.
 * d - 11: -1 19 1 0. */
static void test_unknown_intended_interval(void **state)
{
    (void)state;
    es_meter meter = fresh_meter(CAPACITY);
    add(&meter, 0, 0, 0);
    add(&meter, 10, 10, 0);
    add(&meter, 40, 40, 0);
    add(&meter, 52, 52, 0);
    add(&meter, 63, 63, 0);
    es_meter_summary summary = summarise(&meter);
    check_ms(summary.intended_ms, 11, "intended_ms");
    es_meter_error interval = {21.0 / 4, 19.0 / 4, sqrt(363.0 / 4), 1, 19, 19};
    check_error(&summary.interval, &interval);
}

/* Some are known: only the others take the median. d: 10 30 12 11; T: 10 ? 12 ?. */
static void test_partly_unknown_intended_interval(void **state)
{
    (void)state;
    es_meter meter = fresh_meter(CAPACITY);
    add(&meter, 0, 0, 0);
    add(&meter, 10, 10, 10);
    add(&meter, 40, 40, 0);
    add(&meter, 52, 52, 12);
    add(&meter, 63, 63, 0);
    es_meter_summary summary = summarise(&meter);
    check_ms(summary.intended_ms, (10 + 11 + 12 + 11) / 4.0, "intended_ms");
    es_meter_error interval = {19.0 / 4, 19.0 / 4, 19.0 / 2, 0, 19, 19};
    check_error(&summary.interval, &interval);
}

/* count pairs with the errors 1, 2, ... ms in mixed order. */
static es_meter_summary summary_of_ramp(size_t count)
{
    es_meter meter = fresh_meter(CAPACITY);
    int64_t shown_ms = 0;
    add(&meter, shown_ms, 0, 5);
    for (size_t i = 0; i < count; ++i) {
        shown_ms += 5 + (int64_t)(i * 7 % count) + 1; /* 7 and count have no common factor */
        add(&meter, shown_ms, 0, 5);
    }
    return summarise(&meter);
}

/* Nearest rank: p99 is the ceil(0.99 n)-th smallest, the median the ceil(n / 2)-th. */
static void test_percentiles(void **state)
{
    (void)state;
    static const struct {
        size_t count;
        double median, p99;
    } cases[] = {{1, 1, 1}, {2, 1, 2}, {3, 2, 3}, {4, 2, 4}, {99, 50, 99}, {100, 50, 99},
            {101, 51, 100}, {200, 100, 198}, {201, 101, 199}, {1000, 500, 990}};
    for (size_t i = 0; i < COUNT_OF(cases); ++i) {
        es_meter_summary summary = summary_of_ramp(cases[i].count);
        assert_int_equal(summary.intervals, cases[i].count);
        check_ms(summary.interval.median_ms, cases[i].median, "median_ms");
        check_ms(summary.interval.p99_ms, cases[i].p99, "p99_ms");
        check_ms(summary.interval.max_ms, (double)cases[i].count, "max_ms");
    }
}

/* Nanoseconds count: one is 1e-6 ms. */
static void test_resolution(void **state)
{
    (void)state;
    es_meter meter = fresh_meter(CAPACITY);
    es_frame_report report = report_of(1000000, 0, 16);
    es_meter_add(&meter, &report);
    report = report_of(1000016, 16, 16);
    report.shown_ns += 1;
    es_meter_add(&meter, &report);
    es_meter_summary summary = summarise(&meter);
    check_ms(summary.interval.bias_ms, 1e-6, "bias_ms");
    check_ms(summary.animation.bias_ms, -1e-6, "bias_ms");
}

/* --- what is compared ------------------------------------------------------------------------- */

/* The pair across the gap would be 5 s long. d: 10 14 | 12; T: 10. */
static void test_series_are_not_compared(void **state)
{
    (void)state;
    static const int64_t shown_ms[] = {0, 10, 24, 5024, 5036};
    static const int64_t content_ms[] = {0, 10, 20, 30, 45};
    es_meter meter = fresh_meter(CAPACITY);
    for (size_t i = 0; i < COUNT_OF(shown_ms); ++i) {
        es_frame_report report = report_of(shown_ms[i], content_ms[i], 10);
        report.series = i < 3 ? 4 : 5;
        if (i == 3) {
            report.frame.gap.kind = ES_GAP_SUSPENDED;
            report.frame.gap.duration_ns = 5000 * MS;
        }
        es_meter_add(&meter, &report);
    }
    es_meter_summary summary = summarise(&meter);
    assert_int_equal(summary.intervals, 3);
    check_ms(summary.interval_ms, 12, "interval_ms");
    check_ms(summary.intended_ms, 10, "intended_ms");
    check_ms(summary.lost_ms, 36 - 35, "lost_ms");
    es_meter_error interval = {2, 2, sqrt(20.0 / 3), 2, 4, 4};
    es_meter_error animation = {7.0 / 3, -1.0 / 3, sqrt(25.0 / 3), 3, 4, 4};
    check_error(&summary.interval, &interval);
    check_error(&summary.animation, &animation);
    assert_int_equal(meter.gaps, 1);
    assert_int_equal(meter.gaps_ns, 5000 * MS);
}

/* Frames that are all alone in their series: nothing to compare. */
static void test_only_gaps(void **state)
{
    (void)state;
    es_meter meter = fresh_meter(CAPACITY);
    for (int i = 0; i < 5; ++i) {
        es_frame_report report = report_of(i * 2000, i * 10, 10);
        report.series = i;
        es_meter_add(&meter, &report);
    }
    es_meter_summary summary = summarise(&meter);
    check_empty(&summary);
    assert_int_equal(meter.frames, 5);
}

/* Pause, slow motion and a seek are in the account, and put back. Frames every 10 ms; C moves
 * 0 (paused), 5 (half speed), 110 (sought 100), -190 (sought -200): no error. */
static void test_what_the_user_asked_for_is_no_error(void **state)
{
    (void)state;
    static const int64_t content_ms[] = {0, 10, 10, 15, 125, -65};
    static const int64_t slowed_ms[] = {0, 0, 10, 15, 15, 15};
    static const int64_t sought_ms[] = {0, 0, 0, 0, 100, -100};
    es_meter meter = fresh_meter(CAPACITY);
    for (size_t i = 0; i < COUNT_OF(content_ms); ++i) {
        es_frame_report report = report_of((int64_t)i * 10, content_ms[i], 10);
        report.frame.account.slowed_ns = slowed_ms[i] * MS;
        report.frame.account.seeked_ns = sought_ms[i] * MS;
        es_meter_add(&meter, &report);
    }
    es_meter_summary summary = summarise(&meter);
    es_meter_error none = {0, 0, 0, 0, 0, 0};
    assert_int_equal(summary.intervals, 5);
    check_error(&summary.interval, &none);
    check_error(&summary.animation, &none);
    check_ms(summary.lost_ms, 0, "lost_ms");
}

/* What was dropped, held or delayed is seen by the player: it stays an error. */
static void test_what_was_dropped_is_an_error(void **state)
{
    (void)state;
    es_meter meter = fresh_meter(CAPACITY);
    static const int64_t content_ms[] = {0, 10, 16, 26}; /* 4 dropped by the third frame */
    for (size_t i = 0; i < COUNT_OF(content_ms); ++i) {
        es_frame_report report = report_of((int64_t)i * 10, content_ms[i], 10);
        report.frame.account.dropped_ns = i >= 2 ? 4 * MS : 0;
        report.frame.account.clamped_ns = i >= 2 ? 1 * MS : 0;
        report.frame.account.delay_ns = i >= 2 ? 1 * MS : 0;
        report.frame.account.gaps_ns = i >= 2 ? 1 * MS : 0;
        report.frame.dropped_ns = i == 2 ? 4 * MS : 0;
        es_meter_add(&meter, &report);
    }
    es_meter_summary summary = summarise(&meter);
    es_meter_error animation = {4.0 / 3, -4.0 / 3, sqrt(16.0 / 3), 0, 4, 4};
    check_error(&summary.animation, &animation);
    check_ms(summary.lost_ms, 4, "lost_ms");
    assert_int_equal(meter.dropped_ns, 4 * MS);
}

/* --- the ring --------------------------------------------------------------------------------- */

/* Frame i is shown i * i ms in: d between frames i - 1 and i is 2 i - 1. */
static void add_squares(es_meter *meter, int64_t first, int64_t end)
{
    for (int64_t i = first; i < end; ++i) {
        add(meter, i * i, 0, 1);
    }
}

static void test_ring(void **state)
{
    (void)state;
    es_meter meter = fresh_meter(4);
    add_squares(&meter, 0, 4); /* full, nothing lost: d 1 3 5 */
    es_meter_summary summary = summarise(&meter);
    assert_int_equal(summary.intervals, 3);
    check_ms(summary.interval_ms, 3, "interval_ms");
    check_ms(summary.interval.max_ms, 4, "max_ms");

    add_squares(&meter, 4, 5); /* 1 2 3 4: d 3 5 7 */
    summary = summarise(&meter);
    assert_int_equal(summary.intervals, 3);
    check_ms(summary.interval_ms, 5, "interval_ms");
    check_ms(summary.interval.max_ms, 6, "max_ms");

    add_squares(&meter, 5, 100); /* 96 97 98 99: d 193 195 197 */
    summary = summarise(&meter);
    assert_int_equal(meter.count, 4);
    assert_int_equal(meter.capacity, 4);
    assert_int_equal(summary.intervals, 3);
    check_ms(summary.interval_ms, 195, "interval_ms");
    check_ms(summary.lost_ms, 585, "lost_ms");
    assert_int_equal(meter.frames, 100); /* the totals go on */
    /* nothing was written behind the ring */
    es_meter_sample untouched;
    memset(&untouched, 0x5A, sizeof untouched);
    assert_memory_equal(&samples[4], &untouched, sizeof untouched);
    assert_int_equal(es_meter_summarise(&meter, scratch, CAPACITY, &summary), ES_OK);
    assert_int_equal(es_meter_summarise(&meter, scratch, 3, &summary), ES_ERR_SPACE);
}

/* A summary changes nothing: the same answer twice, and adding goes on as if it had not been. */
static void test_summary_changes_nothing(void **state)
{
    (void)state;
    es_meter meter = fresh_meter(8);
    add_squares(&meter, 0, 11);
    es_meter before = meter;
    es_meter_summary first = summarise(&meter);
    es_meter_summary second = summarise(&meter);
    assert_memory_equal(&meter, &before, sizeof meter);
    assert_memory_equal(&first, &second, sizeof first);
}

/* --- totals ----------------------------------------------------------------------------------- */

static void test_totals(void **state)
{
    (void)state;
    static const struct {
        int32_t ticks;
        int64_t dropped, gap, late, update, render;
        es_shown_source source;
    } frames[] = {{9, 0, 0, 1, 1, 2, ES_SHOWN_VIRTUAL}, {2, 3, 0, 7, 4, 1, ES_SHOWN_VIRTUAL},
            {1, 0, 50, 2, 2, 6, ES_SHOWN_FEEDBACK}, {4, 5, 0, 0, 3, 3, ES_SHOWN_VIRTUAL},
            {2, 0, 70, 5, 0, 1, ES_SHOWN_VIRTUAL}};
    es_meter meter = fresh_meter(2); /* totals are over all frames, not those kept */
    for (size_t i = 0; i < COUNT_OF(frames); ++i) {
        es_frame_report report = report_of((int64_t)i, 0, 1);
        report.frame.ticks = frames[i].ticks;
        report.frame.dropped_ns = frames[i].dropped;
        report.frame.gap.kind = frames[i].gap > 0 ? ES_GAP_STOPPED : ES_GAP_NONE;
        report.frame.gap.duration_ns = frames[i].gap;
        report.frame.gap.removed_ns = -frames[i].gap;
        report.frame.late_ns = frames[i].late;
        report.update_work_ns = frames[i].update;
        report.render_work_ns = frames[i].render;
        report.source = frames[i].source;
        es_meter_add(&meter, &report);
        if (i == 0) {
            assert_int_equal(meter.ticks_min, 0);
            assert_int_equal(meter.ticks_max, 0);
        }
    }
    assert_int_equal(meter.frames, 5);
    assert_int_equal(meter.ticks, 18);
    assert_int_equal(meter.ticks_min, 1);
    assert_int_equal(meter.ticks_max, 4); /* the first frame's 9 are left out */
    assert_int_equal(meter.dropped_ns, 8);
    assert_int_equal(meter.gaps, 2);
    assert_int_equal(meter.gaps_ns, 120);
    assert_int_equal(meter.late_ns_max, 7);
    assert_int_equal(meter.work_ns_max, 8);
    assert_int_equal(meter.work_ns, 23);
    assert_int_equal(meter.source, ES_SHOWN_FEEDBACK);
}

static void test_weakest_source(void **state)
{
    (void)state;
    static const es_shown_source sources[] = {
            ES_SHOWN_PRESENT_RETURN, ES_SHOWN_FEEDBACK, ES_SHOWN_VIRTUAL};
    for (size_t i = 0; i < 3; ++i) {
        for (size_t k = 0; k < 3; ++k) {
            es_meter meter = fresh_meter(CAPACITY);
            es_frame_report report = report_of(0, 0, 1);
            report.source = sources[i];
            es_meter_add(&meter, &report);
            assert_int_equal(meter.source, sources[i]);
            report.source = sources[k];
            es_meter_add(&meter, &report);
            assert_int_equal(meter.source, sources[i < k ? i : k]);
        }
    }
}

/* --- with a loop ------------------------------------------------------------------------------ */

typedef struct rig {
    es_manual_clock manual;
    es_loop loop;
    es_meter meter;
} rig;

static void set_up(rig *r, es_loop_config config)
{
    memset(r, 0, sizeof *r);
    r->manual.now_ns = 7 * ES_NS_PER_S;
    config.clock = es_manual_clock_get(&r->manual);
    assert_int_equal(es_loop_init(&r->loop, &config, NULL), ES_OK);
    r->meter = fresh_meter(CAPACITY);
}

/* Runs a frame that is shown this long after its start. */
static void run_frame(rig *r, int64_t shown_after_ns)
{
    es_step step;
    es_frame frame;
    assert_int_equal(es_loop_begin(&r->loop), ES_OK);
    while (es_loop_tick(&r->loop, &step)) {
    }
    assert_int_equal(es_loop_ready(&r->loop, &frame), ES_OK);
    assert_int_equal(
            es_loop_end_shown(&r->loop, frame.start_ns + shown_after_ns, ES_SHOWN_FEEDBACK), ES_OK);
    es_meter_add(&r->meter, es_loop_report(&r->loop));
}

static es_loop_config every_10_ms(void)
{
    es_loop_config config = {.pace = ES_PACE_ADAPTIVE};
    config.tick_rate = es_hz(100);
    config.interval_ns = 10 * MS;
    return config;
}

/* Frames start every 10 ms and show that instant; they are seen 3 5 4 4 9 3 ms later.
 * d - T:  2 -1 0 5 -6: sizes 0 1 2 5 6. The animation error is its opposite. */
static void test_jitter_end_to_end(void **state)
{
    (void)state;
    static const int64_t after_ms[] = {3, 5, 4, 4, 9, 3};
    rig r;
    set_up(&r, every_10_ms());
    for (size_t i = 0; i < COUNT_OF(after_ms); ++i) {
        run_frame(&r, after_ms[i] * MS);
    }
    es_meter_summary summary = summarise(&r.meter);
    assert_int_equal(summary.intervals, 5);
    check_ms(summary.interval_ms, 10, "interval_ms");
    check_ms(summary.intended_ms, 10, "intended_ms");
    check_ms(summary.lost_ms, 0, "lost_ms");
    es_meter_error interval = {14.0 / 5, 0, sqrt(66.0 / 5), 2, 6, 6};
    check_error(&summary.interval, &interval);
    check_error(&summary.animation, &interval);
    assert_int_equal(r.meter.source, ES_SHOWN_FEEDBACK);
    assert_int_equal(r.meter.frames, 6);
    assert_int_equal(r.meter.ticks, 5);
    assert_int_equal(r.meter.ticks_min, 1);
    assert_int_equal(r.meter.ticks_max, 1);
    assert_int_equal(r.meter.dropped_ns, 0);
    assert_int_equal(r.meter.gaps, 0);
}

/* The same frames measured by es_loop_end: present returns 3 5 4 4 9 3 ms after the start. The loop
 * keeps its starts, so the numbers are the same; only the source is weaker. */
static void test_present_return_end_to_end(void **state)
{
    (void)state;
    static const int64_t after_ms[] = {3, 5, 4, 4, 9, 3};
    rig r;
    set_up(&r, every_10_ms());
    for (size_t i = 0; i < COUNT_OF(after_ms); ++i) {
        es_step step;
        assert_int_equal(es_loop_begin(&r.loop), ES_OK);
        while (es_loop_tick(&r.loop, &step)) {
        }
        assert_int_equal(es_loop_ready(&r.loop, NULL), ES_OK);
        assert_int_equal(es_loop_submit(&r.loop), ES_OK);
        r.manual.now_ns += after_ms[i] * MS;
        assert_int_equal(es_loop_end(&r.loop), ES_OK);
        es_meter_add(&r.meter, es_loop_report(&r.loop));
    }
    es_meter_summary summary = summarise(&r.meter);
    es_meter_error interval = {14.0 / 5, 0, sqrt(66.0 / 5), 2, 6, 6};
    check_error(&summary.interval, &interval);
    check_error(&summary.animation, &interval);
    assert_int_equal(r.meter.source, ES_SHOWN_PRESENT_RETURN);
    assert_int_equal(r.meter.work_ns, 0); /* blocking in present is no work */
}

/* Pause, single steps, slow motion, fast forward, standing still, seeks: all asked for. */
static void test_user_changes_end_to_end(void **state)
{
    (void)state;
    rig r;
    set_up(&r, every_10_ms());
    int64_t moved_ns = 0;
    for (int i = 0; i < 120; ++i) {
        switch (i) {
        case 10:
            es_loop_pause(&r.loop, true);
            break;
        case 15:
        case 17:
            assert_int_equal(es_loop_step_once(&r.loop), ES_OK);
            break;
        case 20:
            es_loop_pause(&r.loop, false);
            break;
        case 30:
            assert_int_equal(es_loop_set_time_scale(&r.loop, (es_ratio){1, 3}), ES_OK);
            break;
        case 40:
            assert_int_equal(es_loop_set_time_scale(&r.loop, (es_ratio){5, 2}), ES_OK);
            break;
        case 50:
            assert_int_equal(es_loop_set_time_scale(&r.loop, (es_ratio){0, 1}), ES_OK);
            break;
        case 60:
            assert_int_equal(es_loop_set_time_scale(&r.loop, (es_ratio){1, 1}), ES_OK);
            break;
        case 70:
            assert_int_equal(es_loop_seek(&r.loop, 100000), ES_OK);
            break;
        case 80:
            assert_int_equal(es_loop_seek(&r.loop, 3), ES_OK);
            break;
        default:
            break;
        }
        run_frame(&r, 2 * MS);
        if (i == 69) {
            moved_ns = es_loop_report(&r.loop)->frame.content_ns;
        }
    }
    /* frames 1-9, 20-29 and 60-69 at normal speed, two single steps, 30-39 at 1/3, 40-49 at 5/2 */
    assert_int_equal(moved_ns, (9 + 10 + 10) * 10 * MS + 2 * 10 * MS + 100 * MS / 3 + 250 * MS);
    es_meter_summary summary = summarise(&r.meter);
    es_meter_error none = {0, 0, 0, 0, 0, 0};
    assert_int_equal(summary.intervals, 119);
    check_error(&summary.interval, &none);
    check_error(&summary.animation, &none);
    check_ms(summary.lost_ms, 0, "lost_ms");
    assert_int_equal(r.meter.dropped_ns, 0);
}

/* Ticks of 10 ms, frames of 20 ms, at most one tick per frame: 10 ms are lost by each frame. */
static void test_drop_end_to_end(void **state)
{
    (void)state;
    es_loop_config config = every_10_ms();
    config.interval_ns = 20 * MS;
    config.ticks_max = 1;
    rig r;
    set_up(&r, config);
    for (int i = 0; i < 11; ++i) {
        run_frame(&r, 0);
    }
    es_meter_summary summary = summarise(&r.meter);
    es_meter_error none = {0, 0, 0, 0, 0, 0};
    es_meter_error animation = {10, -10, 10, 10, 10, 10};
    check_error(&summary.interval, &none);
    check_error(&summary.animation, &animation);
    check_ms(summary.lost_ms, 100, "lost_ms");
    assert_int_equal(r.meter.dropped_ns, 100 * MS);
}

/* The thread is stopped for 5 s: a new series, and no error on either side of it. */
static void test_gap_end_to_end(void **state)
{
    (void)state;
    rig r;
    set_up(&r, every_10_ms());
    for (int i = 0; i < 20; ++i) {
        if (i == 10) {
            r.manual.now_ns += 5 * ES_NS_PER_S;
        }
        run_frame(&r, 1 * MS);
    }
    es_meter_summary summary = summarise(&r.meter);
    es_meter_error none = {0, 0, 0, 0, 0, 0};
    assert_int_equal(summary.intervals, 18);
    check_error(&summary.interval, &none);
    check_error(&summary.animation, &none);
    assert_int_equal(r.meter.gaps, 1);
    assert_int_equal(r.meter.gaps_ns, 5 * ES_NS_PER_S);
}

/* Screen times that nobody measured would make the error zero by construction. */
static void test_planned_times_are_not_measured(void **state)
{
    es_meter meter;
    es_meter_summary summary;
    es_frame_report report = {0};
    (void)state;
    assert_int_equal(es_meter_init(&meter, samples, CAPACITY), ES_OK);
    report.source = ES_SHOWN_PLANNED;
    for (int i = 0; i < 3; ++i) {
        es_meter_add(&meter, &report);
    }
    assert_int_equal(meter.frames, 3);
    assert_int_equal(meter.source, ES_SHOWN_PLANNED);
    assert_int_equal(es_meter_summarise(&meter, scratch, CAPACITY, &summary), ES_OK);
    assert_int_equal(summary.intervals, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
            cmocka_unit_test(test_init_errors),
            cmocka_unit_test(test_no_frame_and_one_frame),
            cmocka_unit_test(test_summary_errors),
            cmocka_unit_test(test_small_sequence),
            cmocka_unit_test(test_intended_interval_of_each_frame),
            cmocka_unit_test(test_unknown_intended_interval),
            cmocka_unit_test(test_partly_unknown_intended_interval),
            cmocka_unit_test(test_percentiles),
            cmocka_unit_test(test_resolution),
            cmocka_unit_test(test_series_are_not_compared),
            cmocka_unit_test(test_only_gaps),
            cmocka_unit_test(test_what_the_user_asked_for_is_no_error),
            cmocka_unit_test(test_what_was_dropped_is_an_error),
            cmocka_unit_test(test_ring),
            cmocka_unit_test(test_summary_changes_nothing),
            cmocka_unit_test(test_totals),
            cmocka_unit_test(test_weakest_source),
            cmocka_unit_test(test_jitter_end_to_end),
            cmocka_unit_test(test_present_return_end_to_end),
            cmocka_unit_test(test_user_changes_end_to_end),
            cmocka_unit_test(test_drop_end_to_end),
            cmocka_unit_test(test_gap_end_to_end),
            cmocka_unit_test(test_planned_times_are_not_measured),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
