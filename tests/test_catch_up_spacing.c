/* SPDX-License-Identifier: Zlib
 *
 * Spacing of frames while the machine cannot keep up: even under every catch-up policy, and back at
 * the configured rate once the load ends.
 */
#include "test_game.h"

#define RENDER_NS          (3 * MS)
#define FLOOR_NS           INT64_C(16666666) /* the default interval */
#define PERIODS(hz, count) ((count)*S / (hz))

/* "99 % of the frames within 2 % of their mean" */
#define EVEN_SHARE 0.99
#define EVEN_WIDTH 0.02

enum { SPANS_MAX = 4000 };

/* Not opened yet. */
static void prepare(game *g, es_catch_up policy, int64_t hz, int64_t update_ns)
{
    start_game(g, "adaptive");
    g->config.tick_rate = es_hz((uint32_t)hz);
    g->config.catch_up = policy;
    g->update_ns = update_ns;
    g->render_ns = RENDER_NS;
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
                1.0 / es__rate_period_s(g->config.tick_rate), (double)g->update_ns / 1e6,
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

/* The figures are those of docs/notes/loops.md. */
TEST(frames_are_even_at_300_percent)
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
            /* every tenth tick costs nearly nothing: the load goes on, and so does the interval */
            {ES_CATCH_UP_SLOW, 20, PERIODS(20, 3), 153.0, 0.317},
            {ES_CATCH_UP_SLOW, 60, PERIODS(60, 3), 53.0, 0.314},
            {ES_CATCH_UP_WAIT, 20, PERIODS(20, 3), 153.0, 0.136},
            {ES_CATCH_UP_WAIT, 60, PERIODS(60, 3), 103.0, 0.202},
    };
    static game g;
    for_rows (i, rows) {
        const overload *row = &rows[i];
        prepare(&g, row->policy, row->hz, row->update_ns);
        g.light_update_ns = i >= COUNT_OF(rows) - 4 ? MS : 0;
        open_game(&g);
        run_until(&g, 10 * S);
        spacing found = measure(&g, 2000);
        check_even(catch_up_name(row->policy), &g, found);
        assert_at_most(fabs(found.mean_ms - row->mean_ms), 0.1);
        assert_at_most(fabs(found.speed - row->speed), 0.001);
    }
}

/* --- slow and wait at any constant load ------------------------------------------------------- */

TEST(any_constant_load_is_even)
{
    static const es_catch_up policies[] = {ES_CATCH_UP_SLOW, ES_CATCH_UP_WAIT};
    static game g;
    test_random random = {31};
    for (int i = 0; i < 400 / TEST_SHARE; ++i) {
        int64_t hz = 5 + random_below(&random, 235);
        int64_t percent = 10 + random_below(&random, 590);
        int64_t update_ns = S / hz * percent / 100;
        prepare(&g, policies[i % 2], hz, update_ns < 300 * MS ? update_ns : 300 * MS);
        g.render_ns = MS / 10 + random_below(&random, 60 * MS);
        g.config.delay_ticks = (double)random_below(&random, 3) / 2.0;
        g.config.lead_ticks = (int32_t)random_below(&random, 4) - 1;
        open_game(&g);
        run_until(&g, 10 * S);
        spacing found = measure(&g, 500);
        check_even(catch_up_name(policies[i % 2]), &g, found);
    }
}

/* --- what does not change --------------------------------------------------------------------- */

/* An explicit maximum is obeyed. At the start slow motion is not yet in force, and at full speed a
 * longer frame would need ever more ticks: what counts is the bound on them. And the loop would wait
 * longer than what counts as no frame. */
TEST(an_interval_is_within_its_bounds)
{
    static const struct {
        int64_t hz, update_ns, render_ns, interval_max_ns;
        int64_t most_ns;
    } rows[] = {{60, PERIODS(60, 3), RENDER_NS, 40 * MS, 40 * MS},
            {60, PERIODS(60, 3), RENDER_NS, FLOOR_NS, FLOOR_NS}, /* is the interval */
            {60, PERIODS(60, 3), RENDER_NS, 0, 153 * MS}, /* 100 ms, the tick over it, rendering */
            {2, 950 * MS, 100 * MS, 0, S - 1}};
    static game g;
    for (int i = 0; i < 4 * 5; ++i) {
        bool bounds = i / 5 < 2 || i % 5 == ES_CATCH_UP_SLOW || i % 5 == ES_CATCH_UP_WAIT;
        prepare(&g, (es_catch_up)(i % 5), rows[i / 5].hz, rows[i / 5].update_ns);
        g.render_ns = rows[i / 5].render_ns;
        g.config.interval_max_ns = rows[i / 5].interval_max_ns;
        open_game(&g);
        for (int frame = 0; frame < 500 && bounds; ++frame) {
            run_frame(&g);
            assert_true(g.frame.interval_ns <= rows[i / 5].most_ns);
            assert_int_equal(g.frame.gap.kind, ES_GAP_NONE);
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

/* A menu over an overloaded game needs no ticks: it is drawn at the usual rate. */
TEST(a_paused_game_is_drawn_at_its_rate)
{
    static const es_catch_up policies[] = {ES_CATCH_UP_SLOW, ES_CATCH_UP_WAIT};
    static game g;
    for (int i = 0; i < 2; ++i) {
        prepare(&g, policies[i], 60, PERIODS(60, 3));
        open_game(&g);
        run_until(&g, 5 * S);
        int64_t loaded_ns = span_of(&g);
        es_loop_set_paused(&g.loop, true);
        run_past_load(&g);
        for (int frame = 0; frame < 100; ++frame) {
            run_frame(&g);
            assert_int_equal(span_of(&g), FLOOR_NS);
        }
        es_loop_set_paused(&g.loop, false);
        run_past_load(&g);
        spacing found = measure(&g, 200);
        check_even(catch_up_name(policies[i]), &g, found);
        assert_in_range(span_of(&g), loaded_ns - 10, loaded_ns + 10);
    }
}
