/* SPDX-License-Identifier: Zlib
 *
 * meter: every number here was worked out by hand.
 */
#include "measure/meter.h"
#include "test_game.h"

#define CAPACITY 1024

/* --- helpers ---------------------------------------------------------------------------------- */

/* The one meter of a test. */
static es_meter *fresh_meter(size_t capacity)
{
    static es_meter *kept;
    es_meter_destroy(kept);
    kept = es_meter_create(capacity);
    assert_non_null(kept);
    return kept;
}

/* A report of a frame that was intended intended_ms after the one before. */
static es_report report_of(int64_t shown_ms, int64_t content_ms, int64_t intended_ms)
{
    es_report report;
    memset(&report, 0, sizeof report);
    report.shown_ns = shown_ms * MS;
    report.frame.content_ns = content_ms * MS;
    report.frame.interval_ns = intended_ms * MS;
    /* planned, not measured: a meter that reads these is wrong */
    report.frame.start_ns = content_ms * MS;
    report.frame.present_ns = content_ms * MS;
    return report;
}

static void add(es_meter *meter, int64_t shown_ms, int64_t content_ms, int64_t intended_ms)
{
    es_report report = report_of(shown_ms, content_ms, intended_ms);
    es_meter_add(meter, &report);
}

/* Within a millionth of a nanosecond. */
#define assert_ms(got, expected) assert_near(got, expected, 1e-12)

static void check_error(const es_error_ms *got, const es_error_ms *expected)
{
    assert_ms(got->mean_abs_ms, expected->mean_abs_ms);
    assert_ms(got->bias_ms, expected->bias_ms);
    assert_ms(got->rms_ms, expected->rms_ms);
    assert_ms(got->median_ms, expected->median_ms);
    assert_ms(got->p99_ms, expected->p99_ms);
    assert_ms(got->max_ms, expected->max_ms);
}

/* Of es_smoothness. rms_ms holds its square times intervals. */
typedef struct figures {
    size_t intervals;
    double interval_ms;
    double intended_ms;
    es_error_ms interval;
    es_error_ms animation;
    double lost_ms;
} figures;

static void check(const es_smoothness *got, figures expected)
{
    double n = (double)expected.intervals;
    assert_int_equal(got->intervals, expected.intervals);
    assert_ms(got->interval_ms, expected.interval_ms);
    assert_ms(got->intended_ms, expected.intended_ms);
    assert_ms(got->lost_ms, expected.lost_ms);
    expected.interval.rms_ms = n > 0 ? sqrt(expected.interval.rms_ms / n) : 0;
    expected.animation.rms_ms = n > 0 ? sqrt(expected.animation.rms_ms / n) : 0;
    check_error(&got->interval, &expected.interval);
    check_error(&got->animation, &expected.animation);
}

/* --- refusals --------------------------------------------------------------------------------- */

TEST(bad_arguments_are_refused)
{
    static const size_t sizes[] = {0, 1, SIZE_MAX, SIZE_MAX / sizeof(es__meter_sample)};
    es_report report = report_of(0, 0, 16);
    es_meter_sample sample = {0};
    for_rows (i, sizes) {
        assert_null(es_meter_create(sizes[i]));
        assert_non_null(strstr(es_get_error(), "es_meter_create.samples: "));
    }
    es_meter_destroy(NULL);
    es_meter_clear(NULL);
    es_meter_add(NULL, &report);
    assert_false(es_meter_get_sample(NULL, 0, &sample));
    assert_int_equal(es_meter_smoothness(NULL).frames, 0);
    es_meter *meter = fresh_meter(2);
    assert_false(es_meter_get_sample(meter, 0, &sample));
    es_meter_add(meter, &report);
    assert_false(es_meter_presented(NULL, &(es_present){0}) || es_meter_presented(meter, NULL));
    assert_false(es_meter_get_sample(meter, 0, NULL));
    assert_false(es_meter_get_sample(meter, 1, &sample));
    assert_true(es_meter_get_sample(meter, 0, &sample));
}

TEST(a_cleared_meter_is_as_new)
{
    es_meter *meter = fresh_meter(4), *fresh = es_meter_create(4);
    for (int64_t i = 0; i < 7; ++i) {
        add(meter, i * i, i, 16);
    }
    es_meter_clear(meter);
    for (int64_t i = 0; i < 3; ++i) {
        add(meter, 20 * i, 16 * i, 16);
        add(fresh, 20 * i, 16 * i, 16);
    }
    es_smoothness a = es_meter_smoothness(meter), b = es_meter_smoothness(fresh);
    assert_int_equal(a.intervals, 2);
    assert_memory_equal(&a, &b, sizeof a);
    es_meter_destroy(fresh);
}

/* No frame, one frame, frames alone in their series, planned times: nothing to compare. */
TEST(without_two_frames_there_is_no_error)
{
    es_meter *meter = fresh_meter(CAPACITY);
    const figures none = {0};
    es_smoothness summary = es_meter_smoothness(meter);
    check(&summary, none);
    es_meter_add(meter, NULL);
    assert_int_equal(es_meter_smoothness(meter).frames, 0);
    for (int i = 0; i < 5; ++i) {
        es_report report = report_of(i * 2000, i * 10, 10);
        report.series = i;
        es_meter_add(meter, &report);
        summary = es_meter_smoothness(meter);
        check(&summary, none);
        assert_int_equal(summary.frames, i + 1);
    }
    meter = fresh_meter(CAPACITY);
    for (int i = 0; i < 3; ++i) {
        es_report report = report_of(16 * i, 16 * i, 16);
        report.source = ES_SHOWN_PLANNED; /* against a plan the error is zero by construction */
        es_meter_add(meter, &report);
    }
    summary = es_meter_smoothness(meter);
    check(&summary, none);
    assert_int_equal(summary.frames, 3);
    assert_int_equal(summary.source, ES_SHOWN_PLANNED);
}

/* --- the two errors --------------------------------------------------------------------------- */

/* Columns of a frame: ms and totals in ms. LOST: dropped. */
enum { SHOWN, CONTENT, INTENDED, SERIES, SLOWED, SEEKED, LOST, COLUMNS };

#define NONE                                                                                       \
    {                                                                                              \
        0, 0, 0, 0, 0, 0                                                                           \
    }

static const struct {
    int64_t frames[6][COLUMNS];
    size_t count;
    figures expected;
} sequences[] = {
        /* d: 16 18 15 19 16; T: 16. d - T: 0 2 -1 3 0, sizes sorted: 0 0 1 2 3.
         * C - C: 16 16 16 20 10. animation: 0 -2 1 1 -6, sizes sorted: 0 1 1 2 6 */
        {{{1000, 0, 16}, {1016, 16, 16}, {1034, 32, 16}, {1049, 48, 16}, {1068, 68, 16},
                 {1084, 78, 16}},
                6,
                {5, 84.0 / 5, 16, {6.0 / 5, 4.0 / 5, 14, 1, 3, 3},
                        {10.0 / 5, -6.0 / 5, 42, 1, 6, 6}, 84 - 78}},
        /* each frame has its own T: 10 18 15; d: 10 20 12; d - T: 0 2 -3. Content moves with the
         * frames: no animation error although the intervals are bad */
        {{{0, 0, 99}, {10, 10, 10}, {30, 30, 18}, {42, 42, 15}}, 4,
                {3, 14, 43.0 / 3, {5.0 / 3, -1.0 / 3, 13, 2, 3, 3}, NONE, 0}},
        /* a host decides: d: 10 30 12 11, their median by nearest rank (the 2nd of 4) is 11.
         * d - 11: -1 19 1 0 */
        {{{0, 0, 0}, {10, 10, 0}, {40, 40, 0}, {52, 52, 0}, {63, 63, 0}}, 5,
                {4, 63.0 / 4, 11, {21.0 / 4, 19.0 / 4, 363, 1, 19, 19}, NONE, 0}},
        /* some are known, the others take the median: T: 10 ? 12 ? */
        {{{0, 0, 0}, {10, 10, 10}, {40, 40, 0}, {52, 52, 12}, {63, 63, 0}}, 5,
                {4, 63.0 / 4, 44.0 / 4, {19.0 / 4, 19.0 / 4, 361, 0, 19, 19}, NONE, 0}},
        /* the pair across a change of series would be 5 s long. d: 10 14 | 12; T: 10 */
        {{{0, 0, 10, 4}, {10, 10, 10, 4}, {24, 20, 10, 4}, {5024, 30, 10, 5}, {5036, 45, 10, 5}}, 5,
                {3, 12, 10, {2, 2, 20, 2, 4, 4}, {7.0 / 3, -1.0 / 3, 25, 3, 4, 4}, 36 - 35}},
        /* pause, half speed, two seeks: C moves 10 0 5 110 -190 in frames of 10 ms: no error */
        {{{0, 0, 10}, {10, 10, 10}, {20, 10, 10, 0, 10}, {30, 15, 10, 0, 15},
                 {40, 125, 10, 0, 15, 100}, {50, -65, 10, 0, 15, -100}},
                6, {5, 10, 10, NONE, NONE, 0}},
        /* 4 ms dropped by the third frame: an error */
        {{{0, 0, 10}, {10, 10, 10}, {20, 16, 10, 0, 0, 0, 4}, {30, 26, 10, 0, 0, 0, 4}}, 4,
                {3, 10, 10, NONE, {4.0 / 3, -4.0 / 3, 16, 0, 4, 4}, 4}},
};

TEST(errors_are_as_worked_out)
{
    for_rows (i, sequences) {
        es_meter *meter = fresh_meter(CAPACITY);
        for (size_t k = 0; k < sequences[i].count; ++k) {
            const int64_t *f = sequences[i].frames[k];
            es_report report = report_of(f[SHOWN], f[CONTENT], f[INTENDED]);
            report.series = (int32_t)f[SERIES];
            report.frame.account.slowed_ns = f[SLOWED] * MS;
            report.frame.account.seeked_ns = f[SEEKED] * MS;
            report.frame.account.dropped_ns = f[LOST] * MS;
            report.frame.account.clamped_ns = f[LOST] > 0 ? 1 * MS : 0; /* not read */
            report.frame.account.delay_ns = f[LOST] > 0 ? 1 * MS : 0;
            report.frame.account.gaps_ns = f[LOST] > 0 ? 1 * MS : 0;
            es_meter_add(meter, &report);
        }
        es_smoothness summary = es_meter_smoothness(meter), again = es_meter_smoothness(meter);
        check(&summary, sequences[i].expected);
        assert_memory_equal(&summary, &again, sizeof again); /* a summary changes nothing */
    }
}

/* Nearest rank: p99 is the ceil(0.99 n)-th smallest, the median the ceil(n / 2)-th. The errors are 1, 2,
 * ... ms in mixed order: 7 and count have no common factor. */
TEST(percentiles_are_by_nearest_rank)
{
    static const struct {
        size_t count;
        double median, p99;
    } cases[] = {{1, 1, 1}, {2, 1, 2}, {3, 2, 3}, {4, 2, 4}, {99, 50, 99}, {100, 50, 99},
            {101, 51, 100}, {200, 100, 198}, {201, 101, 199}, {1000, 500, 990}};
    for_rows (i, cases) {
        es_meter *meter = fresh_meter(CAPACITY);
        int64_t shown_ms = 0;
        add(meter, shown_ms, 0, 5);
        for (size_t k = 0; k < cases[i].count; ++k) {
            shown_ms += 5 + (int64_t)(k * 7 % cases[i].count) + 1;
            add(meter, shown_ms, 0, 5);
        }
        es_smoothness summary = es_meter_smoothness(meter);
        assert_int_equal(summary.intervals, cases[i].count);
        assert_ms(summary.interval.median_ms, cases[i].median);
        assert_ms(summary.interval.p99_ms, cases[i].p99);
        assert_ms(summary.interval.max_ms, (double)cases[i].count);
    }
}

/* --- the ring, totals ------------------------------------------------------------------------- */

/* Frame i is shown i * i ms in, so d between frames i - 1 and i is 2 i - 1. */
TEST(a_full_meter_keeps_the_newest)
{
    static const struct {
        int64_t frames;
        double interval_ms, max_ms; /* of the last three: d - 1 */
    } rows[] = {{4, 3, 4}, {5, 5, 6}, {100, 195, 196}};
    es_meter *meter = fresh_meter(4);
    es_smoothness summary = {0};
    for_rows (i, rows) {
        for (int64_t k = summary.frames; k < rows[i].frames; ++k) {
            add(meter, k * k, 0, 1);
        }
        summary = es_meter_smoothness(meter);
        assert_int_equal(summary.intervals, 3);
        assert_ms(summary.interval_ms, rows[i].interval_ms);
        assert_ms(summary.interval.max_ms, rows[i].max_ms);
        assert_ms(summary.lost_ms, 3 * rows[i].interval_ms);
    }
    assert_int_equal(summary.frames, 100); /* the totals go on */
    es_meter_sample sample;
    for (size_t back = 0; back < 4; ++back) {
        int64_t k = 99 - (int64_t)back;
        assert_true(es_meter_get_sample(meter, back, &sample));
        assert_int_equal(sample.shown_ns, k * k * MS);
    }
    assert_false(es_meter_get_sample(meter, 4, &sample));
}

TEST(totals_are_over_all_frames)
{
    static const struct {
        int32_t ticks;
        int64_t dropped, gap, late, update, render;
        es_shown_source source;
    } frames[] = {{9, 0, 0, 1, 1, 2, ES_SHOWN_VIRTUAL}, {2, 3, 0, 7, 4, 1, ES_SHOWN_VIRTUAL},
            {1, 0, 50, 2, 2, 6, ES_SHOWN_FEEDBACK}, {4, 5, 0, 0, 3, 3, ES_SHOWN_VIRTUAL},
            {2, 0, 70, 5, 0, 1, ES_SHOWN_VIRTUAL}};
    es_meter *meter = fresh_meter(2); /* two of them are kept */
    for_rows (i, frames) {
        es_report report = report_of((int64_t)i, 0, 1);
        report.frame.ticks = frames[i].ticks;
        report.frame.account.frame_dropped_ns = frames[i].dropped;
        report.frame.gap.kind = frames[i].gap > 0 ? ES_GAP_STOPPED : ES_GAP_NONE;
        report.frame.gap.duration_ns = frames[i].gap;
        report.frame.gap.removed_ns = -frames[i].gap;
        report.frame.late_ns = frames[i].late;
        report.update_work_ns = frames[i].update;
        report.render_work_ns = frames[i].render;
        report.source = frames[i].source;
        es_meter_add(meter, &report);
        es_smoothness first = es_meter_smoothness(meter);
        assert_true(i > 0 || (first.ticks_min == 0 && first.ticks_max == 0));
    }
    es_smoothness summary = es_meter_smoothness(meter);
    assert_int_equal(summary.frames, 5);
    assert_int_equal(summary.ticks, 18);
    assert_int_equal(summary.ticks_min, 1);
    assert_int_equal(summary.ticks_max, 4); /* the first frame's 9 are left out */
    assert_int_equal(summary.dropped_ns, 8);
    assert_int_equal(summary.gaps, 2);
    assert_int_equal(summary.gaps_ns, 120);
    assert_int_equal(summary.late_ns_max, 7);
    assert_int_equal(summary.work_ns_max, 8);
    assert_int_equal(summary.work_ns, 23);
    assert_int_equal(summary.source, ES_SHOWN_VIRTUAL); /* of the two that are compared */
}

/* --- screen times ----------------------------------------------------------------------------- */

/* Frame k of 20 is submitted at 10 k ms, and its present returns 3 ms later. */
static void add_frame(es_meter *meter, int64_t k)
{
    es_report report = report_of(10 * k + 3, 10 * k, 10);
    report.frame.index = k;
    report.submit_ns = 10 * k * MS;
    es_meter_add(meter, &report);
}

static es_meter *meter_of_frames(size_t capacity, int64_t count)
{
    es_meter *meter = fresh_meter(capacity);
    for (int64_t k = 0; k < count; ++k) {
        add_frame(meter, k);
    }
    return meter;
}

/* after_us: seen this much after the frame's submit; reported 1 ms later. */
static es_present seen(int64_t frame, int64_t after_us, uint64_t sequence, bool discarded)
{
    es_present sample = {.frame = frame, .sequence = sequence, .discarded = discarded};
    sample.shown_ns = 10 * frame * MS + after_us * 1000;
    sample.reported_ns = sample.shown_ns + MS;
    return sample;
}

TEST(screen_times_replace_the_return_of_present)
{
    static const struct {
        const char *what;
        es_present first, then; /* the first is accepted */
        const char *refused;    /* NULL: then is accepted, too */
    } rows[] = {
#define SAMPLE(frame, after_us, sequence, discarded)                                               \
    {(frame), 10 * (frame)*MS + (after_us)*1000, 10 * (frame)*MS + (after_us)*1000 + MS, 0,        \
            (sequence), ES_PRESENT_VSYNC, (discarded), false}
            {"in order", SAMPLE(10, 5000, 7, 0), SAMPLE(11, 5000, 8, 0), NULL},
            {"the other way round", SAMPLE(11, 5000, 8, 0), SAMPLE(10, 5000, 7, 0), NULL},
            {"without counts", SAMPLE(10, 5000, 0, 0), SAMPLE(11, 5000, 0, 0), NULL},
            {"a count, then none", SAMPLE(10, 5000, 7, 0), SAMPLE(11, 5000, 0, 0), NULL},
            {"the oldest of 64", SAMPLE(10, 5000, 7, 0), SAMPLE(4, 5000, 1, 0), NULL},
            {"one before", SAMPLE(10, 5000, 7, 0), SAMPLE(3, 5000, 1, 0), "frame: is none"},
            {"one to come", SAMPLE(10, 5000, 7, 0), SAMPLE(68, 5000, 1, 0), "frame: is none"},
            {"twice", SAMPLE(10, 5000, 7, 0), SAMPLE(10, 5000, 7, 0), "frame: has a screen time"},
            {"half a ms early", SAMPLE(10, 5000, 7, 0), SAMPLE(11, -500, 8, 0), NULL},
            {"earlier", SAMPLE(10, 5000, 7, 0), SAMPLE(11, -501, 8, 0), "before the frame was"},
            {"at one time", SAMPLE(10, 15000, 0, 0), SAMPLE(11, 5000, 0, 0), NULL},
            {"before an earlier frame", SAMPLE(10, 15001, 0, 0), SAMPLE(11, 5000, 0, 0), "order"},
            {"after a later frame", SAMPLE(11, 5000, 0, 0), SAMPLE(10, 15001, 0, 0), "order"},
            {"an equal count", SAMPLE(10, 5000, 7, 0), SAMPLE(11, 5000, 7, 0), "order"},
            {"a later count", SAMPLE(11, 5000, 7, 0), SAMPLE(10, 5000, 8, 0), "order"},
            {"the next discarded", SAMPLE(10, 5000, 7, 0), SAMPLE(11, 0, 0, 1), NULL},
            {"discarded twice", SAMPLE(10, 0, 0, 1), SAMPLE(10, 0, 0, 1), "frame: is none"},
    };
    for (size_t i = 0; i < COUNT_OF(rows); ++i) {
        es_meter *meter = meter_of_frames(CAPACITY, 68);
        assert_true(es_meter_presented(meter, &rows[i].first));
        es_smoothness before = es_meter_smoothness(meter);
        bool accepted = es_meter_presented(meter, &rows[i].then);
        if (accepted != (rows[i].refused == NULL)
                || (!accepted && strstr(es_get_error(), rows[i].refused) == NULL)) {
            fail_msg("%s: %d, %s", rows[i].what, accepted, es_get_error());
        }
        es_smoothness after = es_meter_smoothness(meter);
        assert_true(accepted || memcmp(&before, &after, sizeof before) == 0);
        assert_int_equal(after.frames, 68);
    }
}

/* Predicted times are plausible up to 20 ms before they pass. */
TEST(a_report_may_come_before_its_time)
{
    for (int64_t ahead_us = 20000; ahead_us <= 20001; ++ahead_us) {
        es_meter *meter = meter_of_frames(CAPACITY, 20);
        es_present sample = seen(10, 5000, 7, false);
        sample.reported_ns = sample.shown_ns - ahead_us * 1000;
        assert_int_equal(es_meter_presented(meter, &sample), ahead_us == 20000);
    }
}

/* Pairs are compared where one source tells both times; the newest frames wait for their reports. */
TEST(pairs_have_one_source)
{
    static const struct {
        int64_t from, to; /* these have reports, seen 5 ms after submit */
        size_t intervals;
        es_shown_source source;
    } rows[] = {
            {0, -1, 19, ES_SHOWN_PRESENT_RETURN},  /* none */
            {4, 19, 15, ES_SHOWN_FEEDBACK},        /* three pairs have none */
            {4, 17, 13, ES_SHOWN_FEEDBACK},        /* two wait */
            {14, 19, 13, ES_SHOWN_PRESENT_RETURN}, /* most have none */
            {10, 10, 9, ES_SHOWN_PRESENT_RETURN},  /* one has no neighbour */
    };
    for (size_t i = 0; i < COUNT_OF(rows); ++i) {
        es_meter *meter = meter_of_frames(CAPACITY, 20);
        for (int64_t k = rows[i].from; k <= rows[i].to; ++k) {
            es_present sample = seen(k, 5000, (uint64_t)k + 1, false);
            assert_true(es_meter_presented(meter, &sample));
        }
        es_smoothness summary = es_meter_smoothness(meter);
        assert_int_equal(summary.intervals, rows[i].intervals);
        assert_int_equal(summary.source, rows[i].source);
        assert_ms(summary.animation.max_ms, 0); /* 3 ms and 5 ms are never mixed */
    }
}

/* All frames have reports, but for a discarded one: its neighbours are a pair of 20 ms. A meter that
 * is full, or smaller than the 64, as well. */
TEST(a_discarded_frame_is_passed_over)
{
    static const size_t capacities[] = {4, 64, 65, CAPACITY};
    for (size_t i = 0; i < COUNT_OF(capacities); ++i) {
        es_meter *meter = meter_of_frames(capacities[i], 0);
        for (int64_t k = 0; k < 100; ++k) {
            add_frame(meter, k);
            es_present sample = seen(k, 5000, (uint64_t)k + 1, k == 98);
            assert_true(es_meter_presented(meter, &sample));
        }
        es_smoothness summary = es_meter_smoothness(meter);
        assert_int_equal(summary.intervals, capacities[i] == CAPACITY ? 98 : capacities[i] - 1);
        assert_int_equal(summary.source, ES_SHOWN_FEEDBACK);
        assert_ms(summary.interval.max_ms, 10);
        assert_ms(summary.animation.max_ms, 0);
    }
    es_meter *meter = meter_of_frames(CAPACITY, 0);
    for (int64_t k = 0; k < 2; ++k) { /* the only frame is discarded: no report has one */
        add_frame(meter, 7);
        es_present sample = seen(7, 5000, 1, true), other = seen(0, 5000, 1, false);
        assert_true(es_meter_presented(meter, &sample));
        assert_false(es_meter_presented(meter, &other));
    }
}

/* Reports end: 64 frames later the returns of present count again. */
TEST(reports_that_end_are_not_waited_for)
{
    es_meter *meter = meter_of_frames(CAPACITY, 20);
    es_present sample = seen(18, 5000, 1, false);
    assert_true(es_meter_presented(meter, &sample));
    for (int64_t k = 20; k < 84; ++k) {
        assert_int_equal(es_meter_smoothness(meter).intervals, k < 83 ? 17 : 17 + 63);
        add_frame(meter, k);
    }
}

/* --- with a loop ------------------------------------------------------------------------------ */

static es_meter *meter_of_game;

/* Ticks and frames of 10 ms; not opened yet. */
static void start(game *g)
{
    start_game(g, "adaptive");
    g->clock.now_ns = 7 * S;
    g->config.tick_rate = es_hz(100);
    g->config.interval_ns = 10 * MS;
    meter_of_game = fresh_meter(CAPACITY);
}

/* Runs a frame that is shown this long after its start, as present returns or as feedback has it. */
static void measure_frame(game *g, int64_t shown_after_ns, bool returns)
{
    assert_true(es_loop_begin(&g->loop));
    run_ticks(g);
    draw_frame(g);
    if (returns) {
        g->present_ns = shown_after_ns;
        present_frame(g);
    } else {
        assert_true(es_loop_end(&g->loop));
    }
    es_report report = *es_loop_get_report(&g->loop);
    if (!returns) {
        report.shown_ns = g->frame.start_ns + shown_after_ns;
        report.source = ES_SHOWN_FEEDBACK;
    }
    es_meter_add(meter_of_game, &report);
}

TEST(the_users_requests_are_no_error)
{
    static const struct {
        int frame;
        es__ratio scale;
    } scales[] = {{30, {1, 3}}, {40, {5, 2}}, {50, {0, 1}}, {60, {1, 1}}};
    static game g;
    size_t next = 0;
    int64_t moved_ns = 0;
    start(&g);
    open_game(&g);
    for (int i = 0; i < 120; ++i) {
        es_loop_set_paused(&g.loop, i >= 10 && i < 20);
        if (i == 15 || i == 17) {
            assert_true(es_loop_tick_once(&g.loop));
        }
        if (next < COUNT_OF(scales) && scales[next].frame == i) {
            assert_int_equal(es__loop_set_scale(&g.loop, scales[next++].scale), ES_OK);
        }
        if (i == 70 || i == 80) {
            assert_true(es_loop_seek(&g.loop, i == 70 ? 100000 : 3));
        }
        measure_frame(&g, 2 * MS, false);
        moved_ns = i == 69 ? g.frame.content_ns : moved_ns;
    }
    /* frames 1-9, 20-29 and 60-69 at normal speed, two single steps, 30-39 at 1/3, 40-49 at 5/2 */
    assert_int_equal(moved_ns, (9 + 10 + 10) * 10 * MS + 2 * 10 * MS + 100 * MS / 3 + 250 * MS);
    es_smoothness summary = es_meter_smoothness(meter_of_game);
    check(&summary, (figures){119, 10, 10, NONE, NONE, 0});
    assert_int_equal(summary.dropped_ns, 0);
}

/* Ticks of 10 ms, frames of 20 ms, at most one tick per frame: 10 ms are lost by each frame. */
TEST(dropped_time_is_an_error)
{
    static game g;
    start(&g);
    g.config.interval_ns = 20 * MS;
    g.config.ticks_max = 1;
    open_game(&g);
    for (int i = 0; i < 11; ++i) {
        measure_frame(&g, 0, false);
    }
    es_smoothness summary = es_meter_smoothness(meter_of_game);
    check(&summary, (figures){10, 20, 20, NONE, {10, -10, 1000, 10, 10, 10}, 100});
    assert_int_equal(summary.dropped_ns, 100 * MS);
}

/* The thread is stopped for 5 s, and the clock is set back: new series, and no error between them. */
TEST(a_gap_is_no_error)
{
    static game g;
    start(&g);
    open_game(&g);
    for (int i = 0; i < 20; ++i) {
        g.clock.now_ns += i == 10 ? 5 * S : i == 15 ? -3 * S : 0;
        measure_frame(&g, 1 * MS, false);
    }
    es_smoothness summary = es_meter_smoothness(meter_of_game);
    check(&summary, (figures){17, 10, 10, NONE, NONE, 0});
    assert_int_equal(summary.gaps, 2);
    assert_int_equal(summary.gaps_ns, 8 * S);
}
