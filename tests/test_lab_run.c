/* SPDX-License-Identifier: Zlib
 *
 * Whole runs in the lab: measures, the references, row B4, and other people's loops
 * against what was measured of them elsewhere.
 */
#include "test_support.h"

#include "lab/sweep.h"

/* --- random numbers --------------------------------------------------------------------------- */

TEST(distributions_have_their_moments)
{
    enum { N = 1000000 };
    uint64_t key = lab_random_key(1, LAB_STREAM_WAKE);
    double sum = 0.0;
    double squares = 0.0;
    double exponential = 0.0;
    double exponential_squares = 0.0;
    double pareto = 0.0;
    int beyond = 0;
    for (uint64_t i = 0; i < N; ++i) {
        double u = lab_random_uniform(key, i);
        double e = lab_random_exponential(key, i);
        double p = lab_random_pareto(key, i, 4.0);
        assert_true(u >= 0.0 && u < 1.0 && e >= 0.0 && p >= 1.0);
        sum += u;
        squares += u * u;
        exponential += e;
        exponential_squares += e * e;
        pareto += p;
        beyond += p > 2.0;
    }
    assert_near(sum / N, 0.5, 0.002);
    assert_near(squares / N, 1.0 / 3.0, 0.002);
    assert_near(exponential / N, 1.0, 0.005);
    assert_near(exponential_squares / N, 2.0, 0.02);
    assert_near(pareto / N, 4.0 / 3.0, 0.005);
    assert_near((double)beyond / N, 1.0 / 16.0, 0.001);
}

/* --- stopping --------------------------------------------------------------------------------- */

static bool stop_at_once(void *user, size_t done, size_t count)
{
    (void)count;
    *(size_t *)user = done;
    return false;
}

TEST(a_run_can_be_stopped)
{
    lab_sweep grid = lab_sweep_default();
    size_t done = 0;
    grid.base.duration_ns = ES_NS_PER_S;
    grid.base.warm_up_ns = 0;
    lab_cell *cells = calloc(lab_sweep_count(&grid), sizeof *cells);
    assert_int_equal(lab_sweep_run(&grid, 1, cells, stop_at_once, &done), ES_ERR_STATE);
    assert_int_equal(done, 1);
    free(cells);
}

/* --- measures --------------------------------------------------------------------------------- */

/* Refreshes of 10 ms: 1, 3, 2 and 1 after the picture before; 1, 2, 2 and 3 were intended. So of 3
 * repeated 2 were meant: one of the second picture's two, and the third's. */
TEST(held_refreshes_are_told_from_missed_ones)
{
    static const int32_t refreshes[] = {0, 1, 3, 2, 1};
    static const int64_t intended[] = {0, 10, 20, 20, 30};
    lab_frame frames[5] = {{0}};
    double scratch[5];
    lab_measures m;
    int64_t at_ns = 0;
    for (size_t i = 0; i < 5; ++i) {
        at_ns += 10 * ES_NS_PER_MS * refreshes[i];
        frames[i].shown_ns = at_ns;
        frames[i].refreshes = refreshes[i];
        frames[i].interval_ns = intended[i] * ES_NS_PER_MS;
    }
    lab_measure(frames, 5, 0, 10 * ES_NS_PER_MS, scratch, &m);
    assert_true(m.missed_share == 3.0 / 7.0);
    assert_true(m.planned_repeat_share == 2.0 / 7.0);
    lab_measure(frames, 5, 0, 0, scratch, &m); /* no grid, nothing to hold */
    assert_true(m.planned_repeat_share == 0.0);
}

/* Frames 100 ms apart: a window has three. Content minus screen time of (0, 3, 0) ms leaves
 * (-1, 2, -1) about its best line, in squares 6; (3, 0, 0) leaves (0.5, -1, 0.5), 1.5. Windows that
 * end with the run do not count, unless there is no other. */
TEST(pursuit_error_is_the_distance_from_the_best_line)
{
    static const struct {
        int count, period;
        int64_t passed_ms;
        double off_ms[4], speed, squares, values; /* the squares are those of so many values */
    } cases[] = {
            {1, 4, 100, {0}, 1, 0, 1},
            {2, 4, 100, {0, 3}, 1, 0, 1},
            {3, 4, 100, {0, 3, 0}, 1, 6, 3},
            {4, 4, 100, {0, 3, 0, 0}, 1, 6, 3},
            {5, 4, 100, {0, 3, 0, 0}, 1, 7.5, 6},
            {5, 4, 100, {0, 3, 0, 0}, 0.5, 7.5, 6}, /* a wrong speed is no error ... */
            {5, 4, 100, {7, 7, 7, 7}, 1, 0, 1},     /* ... nor is a delay */
            {5, 4, 300, {0, 3, 0, 0}, 1, 0, 1},     /* no window with three */
            /* 25 frames in a window: their mean is 1/25, their slope 0 */
            {200, 2, 10, {1, -1}, 1, 25.0 - 1.0 / 25.0, 25},
    };
    for (size_t i = 0; i < COUNT_OF(cases); ++i) {
        lab_frame frames[200] = {{0}};
        double scratch[200];
        lab_measures m;
        for (int n = 0; n < cases[i].count; ++n) {
            double shown_ms = (double)(n * cases[i].passed_ms);
            double content_ms = shown_ms * cases[i].speed + cases[i].off_ms[n % cases[i].period];
            frames[n].shown_ns = (int64_t)shown_ms * MS;
            frames[n].content_ns = (int64_t)(content_ms * 1e6);
            frames[n].refreshes = n % 3; /* a frame counts once, however long it is seen */
        }
        lab_measure(frames, (size_t)cases[i].count, 0, 10 * MS, scratch, &m);
        assert_near(m.pursuit_ms, sqrt(cases[i].squares / cases[i].values), 1e-9);
    }
}

/* Frames in a row, each so much after the one before, in ms. 100 good frames of 10 ms come first. */
typedef struct part {
    int frames;
    double passed, moved; /* on the screen, and content */
    bool disturbed;
} part;

enum { PARTS = 4, FRAMES_MOST = 1000 };

static size_t make_frames(const part *parts, lab_frame *frames)
{
    size_t count = 1;
    memset(frames, 0, FRAMES_MOST * sizeof *frames);
    for (; count <= 100; ++count) {
        frames[count].shown_ns = frames[count].content_ns = (int64_t)count * 10 * ES_NS_PER_MS;
    }
    for (size_t i = 0; i < PARTS; ++i) {
        for (int n = 0; n < parts[i].frames; ++n, ++count) {
            assert_true(count < FRAMES_MOST);
            frames[count].shown_ns = frames[count - 1].shown_ns + (int64_t)(parts[i].passed * 1e6);
            frames[count].content_ns =
                    frames[count - 1].content_ns + (int64_t)(parts[i].moved * 1e6);
            frames[count].disturbed = parts[i].disturbed;
        }
    }
    return count;
}

/* A refresh of 10 ms; the event is at 1010 ms. Speed is that of the last 100 ms, 10 steps: below
 * 0.9 from the sixth slow step to the fourth after the last. */
TEST(what_follows_an_event)
{
    static const struct {
        part parts[PARTS];
        double total, settle, off_speed;
        int slow; /* frames */
    } cases[] = {
            {{{700, 10, 10, false}}, 0, 0, 0, 0},
            {{{1, 60, 10, true}, {700, 10, 10, false}}, 50, 0, 0, 0},
            {{{1, 60, 10, true}, {1, 10, 10, false}, {100, 10, 8, false}, {600, 10, 10, false}},
                    250, 1000, 990, 99},
            {{{1, 60, 10, true}, {1, 10, 10, false}, {100, 10, 12.5, false}, {600, 10, 10, false}},
                    300, 1000, 1010, 0},
            /* errors of 0.19 and 0.25 ms: the limit is 2 % of a refresh */
            {{{1, 60, 10, true}, {210, 10, 10.19, false}}, 89.9, 0, 0, 0},
            {{{1, 60, 10, true}, {210, 10, 10.25, false}}, 102.5, 5000, 0, 0},
            /* half of the second half second */
            {{{1, 60, 10, true}, {50, 10, 10, false}, {25, 10, 9.7, false}, {600, 10, 10, false}},
                    57.5, 0, 0, 0},
            /* slow 6 s later: 5 s count, and motion was smooth for 2 s */
            {{{1, 60, 10, true}, {601, 10, 10, false}, {100, 10, 8, false}, {100, 10, 10, false}},
                    50, 0, 0, 99},
            /* the event ends after its last disturbed frame; the last 100 ms reach back into it */
            {{{1, 60, 10, true}, {50, 10, 8, false}, {1, 10, 10, true}, {600, 10, 10, false}}, 150,
                    0, 40, 50},
            /* no frame is marked: all that follows the first step is after the event */
            {{{1, 60, 10, false}, {600, 10, 10, false}}, 50, 0, 90, 10},
            /* the run ends before the event does */
            {{{2, 60, 10, true}}, 100, 5000, 0, 0},
    };
    for (size_t i = 0; i < 4 * COUNT_OF(cases); ++i) {
        static lab_frame frames[FRAMES_MOST];
        lab_measures m = {0};
        size_t first = i % 2 * 20;
        int64_t refresh_ns = i / 2 % 2 == 0 ? 10 * ES_NS_PER_MS : 0; /* 0: the mean */
        size_t count = make_frames(cases[i / 4].parts, frames);
        lab_measure_event(frames, count, first, 1010 * ES_NS_PER_MS, refresh_ns, &m);
        double slow = m.slow_share * (double)(count - 1 - first);
        if (fabs(m.event_total_ms - cases[i / 4].total) > 1e-6
                || fabs(m.event_settle_ms - cases[i / 4].settle) > 1e-6
                || fabs(m.event_off_speed_ms - cases[i / 4].off_speed) > 1e-6
                || fabs(slow - cases[i / 4].slow) > 1e-6) {
            fail_msg("case %d: total %g, settle %g, off speed %g, slow %g", (int)(i / 4),
                    m.event_total_ms, m.event_settle_ms, m.event_off_speed_ms, slow);
        }
        const lab_measures no_event = {.slow_share = m.slow_share};
        m = (lab_measures){0};
        lab_measure_event(frames, count, first, INT64_MAX, refresh_ns, &m);
        assert_memory_equal(&m, &no_event, sizeof m);
    }
}

/* --- the references, and our own -------------------------------------------------------------- */

/* The display that a loop runs on: with feedback where it needs that. */
static lab_display display_for(const lab_loop *loop, lab_display display)
{
    if ((loop->needs & LAB_NEEDS_FEEDBACK) != 0) {
        display.feedback = LAB_FEEDBACK_EXACT;
    }
    return display;
}

static lab_measures measures_of(const char *loop, const char *scenario, int32_t queue,
        uint32_t refresh_hz, uint32_t tick_hz)
{
    lab_result result = {0};
    lab_setup setup = lab_setup_default();
    lab_refusal error;
    setup.loop = lab_loop_find(loop);
    setup.scenario = *lab_scenario_find(scenario);
    setup.display.queue = queue;
    setup.display.rate = es_hz(refresh_hz);
    setup.tick_rate = es_hz(tick_hz);
    setup.display = display_for(setup.loop, setup.display);
    if (lab_run(&setup, &result, &error) != ES_OK) {
        fail_msg("%s %s", error.field, error.reason);
    }
    lab_measures measures = result.measures;
    lab_result_free(&result);
    return measures;
}

TEST(the_oracle_errs_nowhere)
{
    for (size_t i = 0; lab_scenario_at(i) != NULL; ++i) {
        for (int32_t queue = 1; queue <= 3; ++queue) {
            lab_measures m = measures_of("oracle", lab_scenario_at(i)->name, queue, 144, 50);
            assert_true(m.frames > 1);
            assert_true(m.animation.max_ms == 0.0);
            assert_true(m.lost_ms == 0.0);
            assert_true(m.pursuit_ms < 1e-4);
        }
    }
}

/* Each loop ends a fifth of the scenarios, and each scenario ends with a fifth of the loops: also
 * where updates never catch up. */
TEST(every_loop_ends_every_scenario)
{
    for (size_t i = 0; lab_loop_at(i) != NULL; ++i) {
        for (size_t k = 0; lab_scenario_at(k) != NULL; ++k) {
            if ((i + k) % (TEST_SANITIZED ? 15 : 5) != 0) {
                continue;
            }
            lab_measures m = measures_of(
                    lab_loop_at(i)->name, lab_scenario_at(k)->name, 1 + (int32_t)(k % 3), 60, 60);
            assert_true(m.frames >= 0);
        }
    }
}

/* --- others, as measured elsewhere ------------------------------------------------------------ */

enum { SCENARIOS = 10 };

static const char *const scenario_names[SCENARIOS] = {"cheap", "90-105", "gpu-90-105", "spikes",
        "ramp", "heavy-tail", "wake-0.5", "wake-1.5", "stall", "clock-glitch"};

/* What depends on luck is the mean of so many runs. */
enum { SEEDS = 6 };

/* Mean animation error in % of the refresh period, queue depth 2, mean over 7 refresh rates and 7
 * tick rates, from another simulation of the same definitions (docs/lab.md). Negative: known
 * to differ, for the reason given there; the size is this lab's result. Seeds: how many runs. */
static const struct published {
    const char *loop;
    uint64_t seeds;
    double percent[SCENARIOS];
} published[] = {
        {"variable-dt", 1, {.26, 4.5, .26, 1.8, 7.6, 24.7, 4.1, 12.6, 8.9, .57}},
        {"averaged-dt", 1, {.02, 2.4, .02, .16, 7.4, 17.9, .37, 1.1, 8.7, .25}},
        {"fixed", 1, {84, 84, 84, 84, 86, 99, 84, 85, 89, 84}},
        {"gaffer", 1, {.26, 3.1, .26, 1.7, 7.2, 24.4, 4.1, 12.4, 5.1, .57}},
        {"bevy", 1, {.26, 3.1, .26, 1.7, 7.2, 24.4, 4.1, 12.4, 5.1, .57}},
        {"glaiel", 1, {.02, 1.3, .02, .39, 6.9, 17.9, 1.1, 3.1, 4.4, .19}},
        {"godot-raw", 1, {.10, .57, .10, .21, 7.0, 19.4, .62, .86, 4.8, .39}},
        {"godot", SEEDS, {.04, .06, .04, .04, 6.9, 18.9, .06, .11, 4.8, .32}},
        {"godot-physics", SEEDS, {.05, .06, .05, .07, 6.9, 22.6, -.16, 1.4, 4.7, .30}},
        {"xna", 1, {23, 25, 23, 25, 25, 51, 24, 24, 38, 24}},
        {"flip-dt", 1, {.00, 2.1, .00, .00, 9.4, 17.8, .00, .00, 8.7, -.27}},
        {"causal", 1, {.00, .02, .00, .00, -.81, 17.3, .00, .00, 8.7, .00}},
        {"oracle", 1, {0}},
};

enum { OTHERS = sizeof published / sizeof published[0] };

/* The sum over a grid's cells; runs counts them. */
static double sum_of(const lab_sweep *grid, size_t *runs)
{
    double sum = 0.0;
    size_t count = lab_sweep_count(grid);
    lab_cell *cells = calloc(count, sizeof *cells);
    assert_int_equal(lab_sweep_run(grid, 2, cells, NULL, NULL), ES_OK);
    for (size_t i = 0; i < count; ++i) {
        const lab_measures *m = &cells[i].measures;
        sum += lab_percent(m, m->animation.mean_abs_ms);
    }
    *runs += count;
    free(cells);
    return sum;
}

enum { RATES_MOST = 7 };

/* Every second of them. */
static size_t halve(es_rate *half, const es_rate *rates, size_t count, size_t first)
{
    size_t taken = 0;
    assert_true(count <= RATES_MOST);
    for (size_t i = first; i < count; i += 2) {
        half[taken] = rates[i];
        taken += 1;
    }
    return taken;
}

/* Of displays and tick rates those pairs that are one colour of a chessboard: each rate with every
 * second of the others. 24 of 49 have all means within the same bounds. */
static double sum_of_half(const lab_sweep *all, size_t *runs)
{
    double sum = 0.0;
    for (size_t colour = 0; colour < 2; ++colour) {
        es_rate refresh_rates[RATES_MOST], tick_rates[RATES_MOST];
        lab_sweep half = *all;
        half.refresh_rates = refresh_rates;
        half.tick_rates = tick_rates;
        half.refresh_count = halve(refresh_rates, all->refresh_rates, all->refresh_count, colour);
        half.tick_count = halve(tick_rates, all->tick_rates, all->tick_count, 1 - colour);
        sum += sum_of(&half, runs);
    }
    return sum;
}

static double find_percent(const struct published *other, const char *scenario_name)
{
    static const uint64_t seeds[SEEDS] = {1, 2, 3, 4, 5, 6};
    static const int32_t queue = 2;
    lab_sweep grid = lab_sweep_default();
    lab_scenario scenario = *lab_scenario_find(scenario_name);
    const lab_loop *loop = lab_loop_find(other->loop);
    size_t runs = 0;
    grid.base.display = display_for(loop, grid.base.display);
    grid.base.warm_up_ns = 12 * ES_NS_PER_S; /* as in the other simulation */
    grid.loops = &loop;
    grid.loop_count = 1;
    grid.scenarios = &scenario;
    grid.scenario_count = 1;
    grid.queues = &queue;
    grid.queue_count = 1;
    grid.seeds = seeds;
    bool late_wakes = strncmp(scenario_name, "wake-", 5) == 0; /* one seed is not enough */
    grid.seed_count = test_is_full() || late_wakes ? other->seeds : 1;
    double sum = test_is_full() ? sum_of(&grid, &runs) : sum_of_half(&grid, &runs);
    return sum / (double)runs;
}

/* 4680 simulated minutes, and 15190 with EVENSTEP_FULL=1 (make check-release): all pairs of rates, all
 * seeds. The sanitizers see each loop in the test before. Under emulation golden_lab stands for it:
 * where the lab gives the same bytes as on a machine that has passed this, it would pass there. */
TEST(others_score_as_elsewhere)
{
    static double found[OTHERS][SCENARIOS];
    if (TEST_SANITIZED || getenv("EVENSTEP_EMULATED") != NULL) {
        skip();
    }
    for (size_t i = 0; i < OTHERS; ++i) {
        for (size_t k = 0; k < SCENARIOS; ++k) {
            double expected = fabs(published[i].percent[k]);
            row("%s, %s", published[i].loop, scenario_names[k]);
            found[i][k] = find_percent(&published[i], scenario_names[k]);
            /* within 15 %, or 0.05 % of a refresh (and the half digit that was printed) */
            assert_at_most(fabs(found[i][k] - expected), fmax(0.15 * expected, 0.055));
        }
    }
    for (size_t i = 0; i < OTHERS * OTHERS * SCENARIOS; ++i) {
        size_t k = i % SCENARIOS, a = i / SCENARIOS / OTHERS, b = i / SCENARIOS % OTHERS;
        double better = fabs(published[a].percent[k]), worse = fabs(published[b].percent[k]);
        row("%s and %s in %s", published[a].loop, published[b].loop, scenario_names[k]);
        /* where one loop was found clearly better than another, it is here */
        bool is_better = worse > 1.3 * better && worse > better + 0.11;
        assert_true(!is_better || found[b][k] > found[a][k]);
    }
}
