/* SPDX-License-Identifier: Zlib
 *
 * Spacing of frames while the machine cannot keep up: even under every catch-up policy, and back at
 * the configured rate once the load ends.
 */
#include "test_support.h"

#include "evenstep/evenstep.h"

#include <string.h>

#define MS ES_NS_PER_MS
#define S  ES_NS_PER_S

#define RENDER_NS          (3 * MS)
#define FLOOR_NS           INT64_C(16666666) /* the default interval */
#define PERIODS(hz, count) ((count)*S / (hz))

/* "99 % of the frames within 2 % of their mean" */
#define EVEN_SHARE 0.99
#define EVEN_WIDTH 0.02

enum { SPANS_MAX = 4000 };

typedef struct game {
    es_loop_config config;
    es_manual_clock clock;
    es_loop loop;
    es_frame frame;
    es_frame before;
    int64_t update_ns;
    int64_t light_ns; /* cost of every tenth tick; 0: as the others */
    int64_t render_ns;
} game;

static void start(game *g, es_catch_up policy, int64_t hz, int64_t update_ns)
{
    memset(g, 0, sizeof *g);
    assert_int_equal(es_loop_config_named("adaptive", &g->config), ES_OK);
    g->config.tick_rate = es_hz((uint32_t)hz);
    g->config.catch_up = policy;
    g->config.clock = es_manual_clock_get(&g->clock);
    g->update_ns = update_ns;
    g->render_ns = RENDER_NS;
}

static void open_loop(game *g)
{
    es_error error;
    if (es_loop_init(&g->loop, &g->config, &error) != ES_OK) {
        fail_msg("%s %s", error.field, error.reason);
    }
}

static void run_frame(game *g)
{
    es_step step;
    g->before = g->frame;
    assert_int_equal(es_loop_begin(&g->loop), ES_OK);
    while (es_loop_tick(&g->loop, &step)) {
        bool light = g->light_ns > 0 && step.index % 10 == 0;
        es_manual_clock_work(&g->clock, light ? g->light_ns : g->update_ns);
    }
    assert_int_equal(es_loop_ready(&g->loop, &g->frame), ES_OK);
    es_manual_clock_work(&g->clock, g->render_ns);
    assert_int_equal(es_loop_submit(&g->loop), ES_OK);
    assert_int_equal(es_loop_end(&g->loop), ES_OK);
}

static int64_t span_of(const game *g)
{
    return g->frame.start_ns - g->before.start_ns;
}

static void run_until(game *g, int64_t until_ns)
{
    while (g->clock.now_ns < until_ns) {
        run_frame(g);
    }
}

typedef struct spacing {
    double even;    /* share of the frames whose span is near the mean */
    double mean_ms; /* of the spans */
    double speed;   /* content time per real time */
} spacing;

static spacing measure(game *g, int frames)
{
    static int64_t spans_ns[SPANS_MAX];
    spacing result = {0};
    int even = 0;
    assert_in_range(frames, 1, SPANS_MAX);
    run_frame(g);
    es_frame first = g->frame;
    for (int i = 0; i < frames; ++i) {
        run_frame(g);
        spans_ns[i] = span_of(g);
    }
    double whole_ns = (double)(g->frame.start_ns - first.start_ns);
    double mean_ns = whole_ns / frames;
    for (int i = 0; i < frames; ++i) {
        double off_ns = (double)spans_ns[i] - mean_ns;
        even += off_ns <= EVEN_WIDTH * mean_ns && off_ns >= -EVEN_WIDTH * mean_ns;
    }
    result.even = (double)even / frames;
    result.mean_ms = mean_ns / 1e6;
    result.speed = (double)(g->frame.content_ns - first.content_ns) / whole_ns;
    return result;
}

static void check_even(const char *name, const game *g, spacing found)
{
    if (found.even < EVEN_SHARE) {
        fail_msg("%s: %g ticks/s, update %g ms, render %g ms: %g %% even around %g ms", name,
                1.0 / es_rate_period_s(g->config.tick_rate), (double)g->update_ns / 1e6,
                (double)g->render_ns / 1e6, 100.0 * found.even, found.mean_ms);
    }
}

/* --- updates that cost three times their period ----------------------------------------------- */

typedef struct overload {
    es_catch_up policy;
    int64_t hz;
    int64_t update_ns;
    double mean_ms; /* of the spans, to 0.1 ms */
    double speed;   /* to 0.001 */
} overload;

static void check_found(const overload *row, const game *g, spacing found)
{
    check_even(es_catch_up_name(row->policy), g, found);
    if (found.mean_ms < row->mean_ms - 0.1 || found.mean_ms > row->mean_ms + 0.1
            || found.speed < row->speed - 0.001 || found.speed > row->speed + 0.001) {
        fail_msg("%s at %d ticks/s: frames of %g ms, speed %g", es_catch_up_name(row->policy),
                (int)row->hz, found.mean_ms, found.speed);
    }
}

/* The figures are those of docs/notes/loops.md. */
static void frames_are_even_at_300_percent(void **state)
{
    static const overload rows[] = {
            {ES_CATCH_UP_DROP, 20, PERIODS(20, 3), 153.0, 0.327},
            {ES_CATCH_UP_SLOW, 20, PERIODS(20, 3), 153.0, 0.317},
            {ES_CATCH_UP_SPREAD, 20, PERIODS(20, 3), 153.0, 0.327},
            {ES_CATCH_UP_STRETCH, 20, PERIODS(20, 3), 153.0, 1.0},
            {ES_CATCH_UP_WAIT, 20, PERIODS(20, 3), 153.0, 0.136},
            {ES_CATCH_UP_DROP, 60, PERIODS(60, 3), 153.0, 0.327},
            {ES_CATCH_UP_SLOW, 60, PERIODS(60, 3), 53.0, 0.314},
            {ES_CATCH_UP_SPREAD, 60, PERIODS(60, 3), 153.0, 0.327},
            {ES_CATCH_UP_STRETCH, 60, PERIODS(60, 3), 103.0, 1.0},
            {ES_CATCH_UP_WAIT, 60, PERIODS(60, 3), 103.0, 0.202},
            /* README's case: a little less than three periods of 16 666 667 ns */
            {ES_CATCH_UP_SLOW, 60, 3 * INT64_C(16666666), 53.0, 0.314},
            {ES_CATCH_UP_WAIT, 60, 3 * INT64_C(16666666), 103.0, 0.202},
    };
    static game g;
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; ++i) {
        const overload *row = &rows[i];
        start(&g, row->policy, row->hz, row->update_ns);
        open_loop(&g);
        run_until(&g, 5 * S);
        check_found(row, &g, measure(&g, 2000));
    }
}

/* --- slow and wait at any constant load ------------------------------------------------------- */

static void any_constant_load_is_even(void **state)
{
    static const es_catch_up policies[] = {ES_CATCH_UP_SLOW, ES_CATCH_UP_WAIT};
    static game g;
    test_random random = {31};
    (void)state;
    for (int i = 0; i < 400 / TEST_SHARE; ++i) {
        int64_t hz = 5 + random_below(&random, 235);
        int64_t percent = 10 + random_below(&random, 590);
        int64_t update_ns = S / hz * percent / 100;
        start(&g, policies[i % 2], hz, update_ns < 300 * MS ? update_ns : 300 * MS);
        g.render_ns = MS / 10 + random_below(&random, 60 * MS);
        g.config.delay_ticks = (double)random_below(&random, 3) / 2.0;
        g.config.lead_ticks = (int32_t)random_below(&random, 4) - 1;
        open_loop(&g);
        run_until(&g, 10 * S);
        spacing found = measure(&g, 500);
        check_even(es_catch_up_name(policies[i % 2]), &g, found);
    }
}

/* Every tenth tick costs nearly nothing: the load goes on, and so does the interval. */
static void a_light_tick_ends_no_load(void **state)
{
    static const overload rows[] = {
            {ES_CATCH_UP_SLOW, 20, PERIODS(20, 3), 153.0, 0.317},
            {ES_CATCH_UP_SLOW, 60, PERIODS(60, 3), 53.0, 0.314},
            {ES_CATCH_UP_WAIT, 20, PERIODS(20, 3), 153.0, 0.136},
            {ES_CATCH_UP_WAIT, 60, PERIODS(60, 3), 103.0, 0.202},
    };
    static game g;
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; ++i) {
        start(&g, rows[i].policy, rows[i].hz, rows[i].update_ns);
        g.light_ns = MS;
        open_loop(&g);
        run_until(&g, 10 * S);
        check_found(&rows[i], &g, measure(&g, 500));
    }
}

/* Nor one at the end of the window after which the interval may follow a load that became less. */
static void a_lesser_load_is_a_load(void **state)
{
    static game g;
    (void)state;
    for (int phase = 0; phase < 20; ++phase) {
        start(&g, ES_CATCH_UP_WAIT, 60, 80 * MS);
        open_loop(&g);
        run_until(&g, 5 * S);
        for (int i = 0; i < phase; ++i) {
            run_frame(&g);
        }
        assert_int_equal(g.frame.interval_ns, 163 * MS);
        g.update_ns = 50 * MS;
        g.light_ns = MS;
        for (int i = 0; i < 40; ++i) {
            run_frame(&g);
            assert_true(g.frame.interval_ns >= 103 * MS);
        }
        assert_int_equal(g.frame.interval_ns, 103 * MS);
    }
}

/* --- what does not change --------------------------------------------------------------------- */

static void an_explicit_maximum_is_obeyed(void **state)
{
    static game g;
    (void)state;
    for (int policy = ES_CATCH_UP_DROP; policy <= ES_CATCH_UP_WAIT; ++policy) {
        start(&g, (es_catch_up)policy, 60, PERIODS(60, 3));
        g.config.interval_max_ns = 40 * MS;
        open_loop(&g);
        for (int i = 0; i < 500; ++i) {
            run_frame(&g);
            assert_true(g.frame.interval_ns <= 40 * MS);
        }
    }
}

/* At the start slow motion is not yet in force. At full speed a longer frame would need ever more
 * ticks: what counts is the bound on them. */
static void an_interval_is_within_the_bound(void **state)
{
    static const es_catch_up policies[] = {ES_CATCH_UP_SLOW, ES_CATCH_UP_WAIT};
    static game g;
    (void)state;
    for (int i = 0; i < 2; ++i) {
        start(&g, policies[i], 60, PERIODS(60, 3));
        open_loop(&g);
        while (g.clock.now_ns < 5 * S) {
            run_frame(&g);
            assert_true(g.frame.interval_ns <= 153 * MS); /* 100 ms, the tick over it, rendering */
        }
    }
}

/* The loop would wait longer than what counts as no frame. */
static void an_interval_is_no_gap(void **state)
{
    static game g;
    (void)state;
    start(&g, ES_CATCH_UP_WAIT, 2, 950 * MS);
    g.render_ns = 100 * MS;
    open_loop(&g);
    for (int i = 0; i < 500; ++i) {
        run_frame(&g);
        assert_true(g.frame.interval_ns < S);
        assert_int_equal(g.frame.gap.kind, ES_GAP_NONE);
    }
}

/* Two heavy frames in a row: of two, the cheaper is no load yet when the third starts. */
static void two_heavy_frames_lengthen_no_interval(void **state)
{
    static const es_catch_up policies[] = {ES_CATCH_UP_SLOW, ES_CATCH_UP_WAIT};
    static game g;
    (void)state;
    for (int i = 0; i < 2; ++i) {
        start(&g, policies[i], 20, MS);
        open_loop(&g);
        run_until(&g, S);
        int heavy = 0;
        for (int frame = 0; frame < 200; ++frame) {
            g.update_ns = heavy < 2 ? 150 * MS : MS;
            run_frame(&g);
            heavy += g.frame.ticks > 0;
            assert_int_equal(g.frame.interval_ns, FLOOR_NS);
        }
    }
}

/* --- how it ends ------------------------------------------------------------------------------ */

/* The second of the pacer's window, and the frames of the load around it: the last that needed the
 * interval, and the one in which the window ends. */
static void run_past_load(game *g)
{
    run_until(g, g->clock.now_ns + S + 3 * 153 * MS);
}

static void the_rate_is_back_when_the_load_ends(void **state)
{
    static const es_catch_up policies[] = {ES_CATCH_UP_SLOW, ES_CATCH_UP_WAIT};
    static game g;
    (void)state;
    for (int i = 0; i < 2; ++i) {
        for (int64_t hz = 20; hz <= 60; hz += 40) {
            start(&g, policies[i], hz, PERIODS(hz, 3));
            open_loop(&g);
            run_until(&g, 5 * S);
            assert_true(g.frame.interval_ns > 50 * MS);
            g.update_ns = MS;
            run_past_load(&g);
            for (int frame = 0; frame < 500; ++frame) {
                run_frame(&g);
                assert_int_equal(g.frame.interval_ns, FLOOR_NS);
                assert_int_equal(span_of(&g), FLOOR_NS);
            }
            assert_int_equal(g.frame.slow_motion_ns, 0); /* and the world is at full speed */
        }
    }
}

/* A menu over an overloaded game needs no ticks: it is drawn at the usual rate. */
static void a_paused_game_is_drawn_at_its_rate(void **state)
{
    static const es_catch_up policies[] = {ES_CATCH_UP_SLOW, ES_CATCH_UP_WAIT};
    static game g;
    (void)state;
    for (int i = 0; i < 2; ++i) {
        start(&g, policies[i], 60, PERIODS(60, 3));
        open_loop(&g);
        run_until(&g, 5 * S);
        int64_t loaded_ns = span_of(&g);
        es_loop_pause(&g.loop, true);
        run_past_load(&g);
        for (int frame = 0; frame < 100; ++frame) {
            run_frame(&g);
            assert_int_equal(span_of(&g), FLOOR_NS);
        }
        es_loop_pause(&g.loop, false);
        run_past_load(&g);
        spacing found = measure(&g, 200);
        check_even(es_catch_up_name(policies[i]), &g, found);
        assert_in_range(span_of(&g), loaded_ns - 10, loaded_ns + 10);
    }
}

static void another_policy_ends_it(void **state)
{
    static game g;
    (void)state;
    start(&g, ES_CATCH_UP_SLOW, 20, PERIODS(20, 3));
    open_loop(&g);
    run_until(&g, 5 * S);
    assert_int_equal(g.frame.interval_ns, 153 * MS);
    assert_int_equal(es_loop_set_catch_up(&g.loop, ES_CATCH_UP_DROP), ES_OK);
    run_frame(&g);
    run_frame(&g);
    assert_int_equal(g.frame.interval_ns, FLOOR_NS); /* what drop has under this load */
    assert_int_equal(es_loop_set_catch_up(&g.loop, ES_CATCH_UP_WAIT), ES_OK);
    run_past_load(&g);
    assert_int_equal(g.frame.interval_ns, 153 * MS);
    assert_int_equal(es_loop_set_interval(&g.loop, 20 * MS), ES_OK);
    g.update_ns = MS;
    run_past_load(&g);
    assert_int_equal(g.frame.interval_ns, 20 * MS);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
            cmocka_unit_test(frames_are_even_at_300_percent),
            cmocka_unit_test(any_constant_load_is_even),
            cmocka_unit_test(a_light_tick_ends_no_load),
            cmocka_unit_test(a_lesser_load_is_a_load),
            cmocka_unit_test(an_explicit_maximum_is_obeyed),
            cmocka_unit_test(an_interval_is_within_the_bound),
            cmocka_unit_test(an_interval_is_no_gap),
            cmocka_unit_test(two_heavy_frames_lengthen_no_interval),
            cmocka_unit_test(the_rate_is_back_when_the_load_ends),
            cmocka_unit_test(a_paused_game_is_drawn_at_its_rate),
            cmocka_unit_test(another_policy_ends_it),
    };
    return cmocka_run_group_tests_name("catch_up_spacing", tests, NULL, NULL);
}
