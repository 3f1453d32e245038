/* SPDX-License-Identifier: Zlib
 *
 * Display time against every other loop, on the lab's displays: the claims of README.md about
 * errors; repeats, the input's age, and the cells where nobody is good. One
 * configuration, the default, and nothing is tuned to a scenario.
 *
 * As it is, on a few displays; with EVENSTEP_FULL set on all of them, with all loops and three
 * seeds, each of which must hold by itself. A claim that fails says by how much.
 */
#include "test_support.h"

#include "lab/sweep.h"

/* Two mean errors that differ by no more than this share of a refresh are equal: it cannot be seen. */
static const double slack_percent = 0.1;

/* The same for the 99th percentile: one frame of a hundred. */
static const double p99_slack_percent = 1.0;

/* A loop that loses more time than that beyond another's is not compared with it: who throws time
 * away errs less, and that is no merit. */
static const double lost_slack_ms = 20.0;

/* At most a tenth worse, or equal. */
static double never_worse(double than_percent)
{
    double tenth_percent = 0.1 * than_percent;
    return than_percent + (tenth_percent > slack_percent ? tenth_percent : slack_percent);
}

enum { LOOPS_MAX = 24, SCENARIOS_MAX = 16 };

/* --- runs ------------------------------------------------------------------------------------- */

static double hz_of(es_rate rate)
{
    return (double)rate.numerator / (double)rate.denominator;
}

static uint64_t seed_count(void)
{
    return test_is_full() ? 3 : 1;
}

/* What a loop did in a scenario, over the displays and tick rates. */
typedef struct average {
    double mean; /* |animation error|, in % of the refresh period */
    double p99;
    double lost_ms; /* mean size */
    double missed;  /* shares of the refreshes */
    double held;
    double input_ms;
    double frames;
    size_t runs;
} average;

typedef struct averages {
    const lab_loop *loops[LOOPS_MAX];
    size_t loop_count;
    lab_scenario scenarios[SCENARIOS_MAX];
    size_t scenario_count;
    average at[LOOPS_MAX][SCENARIOS_MAX];
} averages;

static void add_loops(averages *a, const char *const *names)
{
    for (; *names != NULL; ++names) {
        a->loops[a->loop_count] = lab_loop_find(*names);
        assert_non_null(a->loops[a->loop_count]);
        a->loop_count += 1;
    }
}

/* Everyone on one core, but for low-latency, which is auto with another setting. */
static void add_all_loops(averages *a)
{
    for (size_t i = 0; lab_loop_at(i) != NULL; ++i) {
        bool one_core = (lab_loop_at(i)->needs & LAB_NEEDS_CORE) == 0;
        if (one_core && strcmp(lab_loop_at(i)->name, "low-latency") != 0) {
            a->loops[a->loop_count++] = lab_loop_at(i);
        }
    }
    assert_true(a->loop_count <= LOOPS_MAX);
}

static void add_scenarios(averages *a, const char *const *names)
{
    for (; *names != NULL; ++names) {
        assert_non_null(lab_scenario_find(*names));
        a->scenarios[a->scenario_count++] = *lab_scenario_find(*names);
    }
}

/* The standard ones but slow-update. There a fixed step of 3 ticks' time per tick can only fall behind: a loop
 * with one update per frame, however long, needs a third of the updates. */
static void add_all_scenarios(averages *a)
{
    const lab_scenario_group *standard = lab_scenario_group_at(0);
    assert_true(standard->count <= SCENARIOS_MAX);
    for (size_t i = 0; i < standard->count; ++i) {
        if (strcmp(standard->scenarios[i].name, "slow-update") != 0) {
            a->scenarios[a->scenario_count++] = standard->scenarios[i];
        }
    }
}

static void add_cell(average *sums, const lab_cell *cell)
{
    average *sum = &sums[cell->scenario];
    const lab_measures *m = &cell->measures;
    if (cell->status != ES_OK || m->frames < 2) {
        return;
    }
    sum->mean += lab_percent(m, m->animation.mean_abs_ms);
    sum->p99 += lab_percent(m, m->animation.p99_ms);
    sum->lost_ms += m->lost_ms < 0.0 ? -m->lost_ms : m->lost_ms;
    sum->missed += m->missed_share;
    sum->held += m->planned_repeat_share;
    sum->input_ms += m->input_age_ms;
    sum->frames += (double)m->frames;
    sum->runs += 1;
}

static void divide(average *sum)
{
    double n = sum->runs > 0 ? (double)sum->runs : 1.0;
    sum->mean /= n;
    sum->p99 /= n;
    sum->lost_ms /= n;
    sum->missed /= n;
    sum->held /= n;
    sum->input_ms /= n;
    sum->frames /= n;
}

/* The displays and tick rates of this test: few, or all. Queues and seed are the caller's. */
static lab_sweep displays(const int32_t *queues, size_t queue_count, const uint64_t *seed)
{
    static const es_rate refresh_rates[] = {{60000, 1001}, {144, 1}};
    static const es_rate tick_rate = {50, 1};
    lab_sweep grid = lab_sweep_default();
    grid.base.warm_up_ns = 12 * ES_NS_PER_S; /* the claims are of the steady state */
    if (!test_is_full()) {
        grid.refresh_rates = refresh_rates;
        grid.refresh_count = 2;
        grid.tick_rates = &tick_rate;
        grid.tick_count = 1;
    }
    grid.queues = queues;
    grid.queue_count = queue_count;
    grid.seeds = seed;
    grid.seed_count = 1;
    return grid;
}

static void run_loop(lab_sweep grid, averages *a, size_t loop)
{
    grid.loops = &a->loops[loop];
    grid.loop_count = 1;
    if ((a->loops[loop]->needs & LAB_NEEDS_FEEDBACK) != 0) {
        grid.base.display.feedback = LAB_FEEDBACK_EXACT;
    }
    size_t count = lab_sweep_count(&grid);
    lab_cell *cells = calloc(count, sizeof *cells);
    assert_non_null(cells);
    assert_int_equal(lab_sweep_run(&grid, 2, cells, NULL, NULL), ES_OK);
    for (size_t i = 0; i < count; ++i) {
        add_cell(a->at[loop], &cells[i]);
    }
    free(cells);
    for (size_t scenario = 0; scenario < a->scenario_count; ++scenario) {
        divide(&a->at[loop][scenario]);
    }
}

static void run(lab_sweep *grid, averages *a)
{
    grid->scenarios = a->scenarios;
    grid->scenario_count = a->scenario_count;
    for (size_t loop = 0; loop < a->loop_count; ++loop) {
        run_loop(*grid, a, loop);
    }
}

static const average *of(const averages *a, const char *loop, size_t scenario)
{
    for (size_t i = 0; i < a->loop_count; ++i) {
        if (strcmp(a->loops[i]->name, loop) == 0) {
            return &a->at[i][scenario];
        }
    }
    fail_msg("%s did not run", loop);
    return NULL;
}

/* --- claims ----------------------------------------------------------------------------------- */

static int complaints;

/* Claims that are not reached: docs/lab.md, "Results". They do not fail. */
static bool is_open(const char *what, const char *scenario, const char *against)
{
    static const struct {
        const char *scenario, *what, *against;
    } open[] = {
            {"heavy-tail", "input", ""},   /* held refreshes, and content that is behind */
            {"stall", "input", "queue 1"}, /* by 0.3 ms: content may stay 1.5 refreshes behind */
            {"wake-vm", "p99", ""},        /* adaptive never waits for present */
            {"clock-glitch", "p99", ""},   /* nothing says that the clock leapt: that is time */
            {"clock-glitch", "mean", "causal"},
            {"ramp", "95 %", "gaffer"},   /* locked, it holds refreshes where more could be had */
            {"gpu-90-105", "missed", ""}, /* nobody tells that a GPU was late */
            {"heavy-tail", "missed", "0.001"}, /* by two in a hundred of them */
            {"ramp", "mean", "variable"}, /* a display that was locked may have been a fixed one */
    };
    for_rows (i, open) {
        if (strcmp(scenario, open[i].scenario) == 0 && strstr(what, open[i].what) != NULL
                && strstr(against, open[i].against) != NULL) {
            return true;
        }
    }
    return false;
}

/* found must be at most allowed. All that fail are told; the test fails at its end. */
static void claim(double found, double allowed, const char *what, const char *scenario,
        const char *against, uint64_t seed)
{
    const char *verdict = found <= allowed                   ? "holds:"
                          : is_open(what, scenario, against) ? "open: "
                                                             : "FAILS:";
    complaints += verdict[0] == 'F';
    if (found > allowed || test_is_full()) {
        print_message("%s %s, %s: %.3f, at most %.3f (%s), seed %d\n", verdict, scenario, what,
                found, allowed, against, (int)seed);
    }
}

static int start_claims(void **state)
{
    (void)state;
    complaints = 0;
    return 0;
}

static void end_claims(void)
{
    if (complaints > 0) {
        fail_msg("%d figures are beyond what is claimed", complaints);
    }
}

static bool is_peer(const averages *a, size_t loop, size_t scenario)
{
    return a->loops[loop]->kind != LAB_LOOP_REFERENCE && strcmp(a->loops[loop]->name, "auto") != 0
           && a->at[loop][scenario].runs > 0;
}

/* The best of the others in a scenario that lose no more time than the oracle or auto; where all
 * others do (the clock leaps), of all. */
static size_t best_other(const averages *a, size_t scenario, bool by_p99)
{
    size_t best = LOOPS_MAX;
    double allowed_ms = of(a, "auto", scenario)->lost_ms + lost_slack_ms;
    bool any = false;
    for (size_t i = 0; i < a->loop_count; ++i) {
        any = any || (is_peer(a, i, scenario) && a->at[i][scenario].lost_ms <= allowed_ms);
    }
    for (size_t i = 0; i < a->loop_count; ++i) {
        const average *other = &a->at[i][scenario];
        if (!is_peer(a, i, scenario) || (any && other->lost_ms > allowed_ms)) {
            continue;
        }
        const average *least = best < LOOPS_MAX ? &a->at[best][scenario] : NULL;
        if (least == NULL || (by_p99 ? other->p99 < least->p99 : other->mean < least->mean)) {
            best = i;
        }
    }
    assert_true(best < LOOPS_MAX);
    return best;
}

/* Queue 2 and 3, no feedback: shared by several tests, for each seed. */
static averages queued[3];

static void run_queued(void)
{
    /* who is best somewhere, and the references */
    static const char *const few[] = {"auto", "adaptive", "decoupled", "averaged-dt", "gaffer",
            "bevy", "glaiel", "godot", "godot-physics", "flip-dt", "causal", NULL};
    static const int32_t queues[] = {2, 3};
    for (uint64_t seed = 1; seed <= seed_count(); ++seed) {
        averages *a = &queued[seed - 1];
        lab_sweep grid = displays(queues, 2, &seed);
        if (test_is_full()) {
            add_all_loops(a);
        } else {
            add_loops(a, few);
        }
        add_all_scenarios(a);
        run(&grid, a);
    }
}

/* --- with a queue ----------------------------------------------------------------------------- */

TEST_WITH(errs_less_than_any_other_loop, start_claims, NULL)
{
    for (uint64_t seed = 1; seed <= seed_count(); ++seed) {
        const averages *a = &queued[seed - 1];
        for (size_t i = 0; i < a->scenario_count; ++i) {
            const average *ours = of(a, "auto", i);
            const char *name = a->scenarios[i].name;
            size_t best = best_other(a, i, false);
            claim(ours->mean, never_worse(a->at[best][i].mean), "mean error in %", name,
                    a->loops[best]->name, seed);
            best = best_other(a, i, true);
            bool jumps = strcmp(name, "heavy-tail") == 0; /* content that is 50 ms late */
            claim(ours->p99, a->at[best][i].p99 * (jumps ? 3.0 : 1.1) + p99_slack_percent,
                    "p99 error in %", name, a->loops[best]->name, seed);
        }
    }
    end_claims();
}

/* The causal reference knows the refreshes, the queue and what frames typically cost. */
TEST_WITH(errs_hardly_more_than_who_knows_the_display, start_claims, NULL)
{
    for (uint64_t seed = 1; seed <= seed_count(); ++seed) {
        const averages *a = &queued[seed - 1];
        for (size_t i = 0; i < a->scenario_count; ++i) {
            claim(of(a, "auto", i)->mean, 1.2 * of(a, "causal", i)->mean + slack_percent,
                    "mean error in %", a->scenarios[i].name, "causal", seed);
        }
    }
    end_claims();
}

TEST_WITH(the_ramp_costs_a_quarter, start_claims, NULL)
{
    for (uint64_t seed = 1; seed <= seed_count(); ++seed) {
        const averages *a = &queued[seed - 1];
        for (size_t i = 0; i < a->scenario_count; ++i) {
            if (strcmp(a->scenarios[i].name, "ramp") == 0) {
                size_t best = best_other(a, i, false);
                claim(of(a, "auto", i)->mean, a->at[best][i].mean / 4.0, "mean error in %", "ramp",
                        a->loops[best]->name, seed);
            }
        }
    }
    end_claims();
}

TEST_WITH(with_feedback_late_wake_ups_cost_nothing, start_claims, NULL)
{
    static const char *const loops[] = {"auto", NULL};
    static const char *const scenarios[] = {"wake-0.5", "wake-1.5", NULL};
    static const int32_t queues[] = {2, 3};
    for (uint64_t seed = 1; seed <= seed_count(); ++seed) {
        averages a = {.loop_count = 0};
        lab_sweep grid = displays(queues, 2, &seed);
        grid.base.display.feedback = LAB_FEEDBACK_EXACT;
        add_loops(&a, loops);
        add_scenarios(&a, scenarios);
        run(&grid, &a);
        for (size_t i = 0; i < a.scenario_count; ++i) {
            claim(a.at[0][i].mean, 0.02, "mean error in %", a.scenarios[i].name, "feedback", seed);
        }
    }
    end_claims();
}

/* --- what it must not cost -------------------------------------------------------------------- */

/* The part of the refreshes that repeated a picture which nobody meant to. */
static double unmeant_percent(const average *one)
{
    return 100.0 * (one->missed - one->held);
}

static void compare_with_the_blocking_loop(const averages *a, const char *queue, uint64_t seed)
{
    for (size_t i = 0; i < a->scenario_count; ++i) {
        claim(unmeant_percent(of(a, "auto", i)), unmeant_percent(of(a, "gaffer", i)) + 0.02,
                "refreshes missed in %", a->scenarios[i].name, queue, seed);
    }
}

/* The mean over the seeds: each draws how far ticks are from refreshes, and so the age of input. */
static void compare_input(const averages *all, const char *queue)
{
    double seeds = (double)seed_count();
    for (size_t i = 0; i < all[0].scenario_count; ++i) {
        double ours_ms = 0.0, bar_ms = 1.0, held = 0.0;
        for (uint64_t k = 0; k < seed_count(); ++k) {
            ours_ms += of(&all[k], "auto", i)->input_ms / seeds;
            bar_ms += of(&all[k], "gaffer", i)->input_ms / seeds;
            held += of(&all[k], "auto", i)->held;
        }
        if (held == 0.0) { /* a frame that is held shows later */
            claim(ours_ms, bar_ms, "input's age in ms", all[0].scenarios[i].name, queue,
                    seed_count());
        }
    }
}

/* Queue 1, no feedback: for two tests. */
static averages unqueued[3];

static void run_unqueued(void)
{
    static const char *const loops[] = {"auto", "gaffer", NULL};
    static const int32_t queue = 1;
    for (uint64_t seed = 1; seed <= seed_count(); ++seed) {
        averages *a = &unqueued[seed - 1];
        lab_sweep grid = displays(&queue, 1, &seed);
        add_loops(a, loops);
        add_all_scenarios(a);
        run(&grid, a);
    }
}

TEST_WITH(repeats_no_more_than_a_loop_that_blocks, start_claims, NULL)
{
    for (uint64_t seed = 1; seed <= seed_count(); ++seed) {
        compare_with_the_blocking_loop(&queued[seed - 1], "gaffer, queue 2 and 3", seed);
        compare_with_the_blocking_loop(&unqueued[seed - 1], "gaffer, queue 1", seed);
    }
    end_claims();
}

TEST_WITH(input_is_no_older_than_in_an_accumulator, start_claims, NULL)
{
    compare_input(queued, "gaffer, queue 2 and 3");
    compare_input(unqueued, "gaffer, queue 1");
    end_claims();
}

/* --- where nobody is good --------------------------------------------------------------------- */

static lab_measures run_one(lab_setup *setup)
{
    lab_result result = {0};
    lab_refusal error = {NULL, NULL};
    if (lab_run(setup, &result, &error) != ES_OK) {
        fail_msg("%s %s", error.field, error.reason);
    }
    lab_measures measures = result.measures;
    lab_result_free(&result);
    return measures;
}

static lab_setup setup_of(const char *loop, const char *scenario, int32_t queue, es_rate refresh)
{
    lab_setup setup = lab_setup_default();
    setup.loop = lab_loop_find(loop);
    setup.scenario = *lab_scenario_find(scenario);
    setup.display.queue = queue;
    setup.display.rate = refresh;
    return setup;
}

/* Ten minutes, and not one frame of them all is off: who takes 59.94 for 60 has an error of a whole
 * refresh every 16 s, who lets it run a beat. */
TEST_WITH(fractional_rates_have_no_beat, start_claims, NULL)
{
    static const es_rate rates[] = {{60000, 1001}, {120000, 1001}, {14398, 100}};
    static const es_rate ticks[] = {{60, 1}, {20, 1}, {128, 1}};
    for (uint64_t seed = 1; seed <= seed_count(); ++seed) {
        for (size_t i = 0; i < 3; ++i) {
            for (size_t k = 0; k < (test_is_full() ? 3 : 1); ++k) {
                char name[32];
                lab_setup setup = setup_of("auto", "cheap", 2 + (int32_t)(i % 2), rates[i]);
                setup.tick_rate = ticks[k];
                setup.seed = seed;
                setup.duration_ns = 600 * ES_NS_PER_S;
                setup.warm_up_ns = 30 * ES_NS_PER_S;
                lab_measures m = run_one(&setup);
                snprintf(name, sizeof name, "%.2f Hz", hz_of(rates[i]));
                claim(lab_percent(&m, m.animation.max_ms), 0.5, "largest error in %", name,
                        "10 minutes", seed);
                claim(lab_percent(&m, m.animation.mean_abs_ms), 0.02, "mean error in %", name,
                        "10 minutes", seed);
            }
        }
    }
    end_claims();
}

TEST_WITH(at_the_limit_without_a_queue_a_multiple_is_held, start_claims, NULL)
{
    for (uint64_t seed = 1; seed <= seed_count(); ++seed) {
        const averages *a = &unqueued[seed - 1];
        for (size_t i = 0; i < a->scenario_count; ++i) {
            if (strcmp(a->scenarios[i].name, "90-105") == 0) {
                claim(of(a, "auto", i)->mean, 1.0, "mean error in %", "90-105", "queue 1", seed);
                claim(of(a, "gaffer", i)->mean * -1.0, -20.0, "gaffer's, for it to mean anything",
                        "90-105", "queue 1", seed);
            }
        }
    }
    end_claims();
}

/* As many frames as the accumulator has, and no larger errors. */
TEST_WITH(variable_refresh_is_no_worse_than_the_accumulator, start_claims, NULL)
{
    static const char *const loops[] = {"auto", "gaffer", NULL};
    static const int32_t queue = 2;
    for (uint64_t seed = 1; seed <= seed_count(); ++seed) {
        averages a = {.loop_count = 0};
        lab_sweep grid = displays(&queue, 1, &seed);
        grid.refresh_count = 0;
        grid.base.display.refresh = LAB_REFRESH_VARIABLE;
        add_loops(&a, loops);
        add_all_scenarios(&a);
        run(&grid, &a);
        for (size_t i = 0; i < a.scenario_count; ++i) {
            const char *name = a.scenarios[i].name;
            claim(a.at[0][i].mean, never_worse(a.at[1][i].mean), "mean error in %", name,
                    "gaffer, variable", seed);
            claim(0.95 * a.at[1][i].frames, a.at[0][i].frames, "95 % of the frames", name, "gaffer",
                    seed);
        }
    }
    end_claims();
}

/* Seconds from the end of the surge until each refresh is meant to have, and has, its own frame for
 * good. With a queue no wait confirms the refresh during the surge, so no frame is held then. */
static double recovery_s(lab_setup *setup, int64_t surge_end_ns)
{
    lab_result result = {0};
    assert_int_equal(lab_run(setup, &result, NULL), ES_OK);
    int64_t longer_ns = es__rate_period_ns(setup->display.rate) * 3 / 2;
    int64_t last_ns = surge_end_ns;
    for (size_t i = 1; i < result.frame_count; ++i) {
        const lab_frame *frame = &result.frames[i];
        bool is_before = frame->shown_ns < surge_end_ns;
        if (!is_before && (frame->refreshes > 1 || frame->interval_ns > longer_ns)) {
            last_ns = frame->shown_ns;
        }
    }
    lab_result_free(&result);
    return (double)(last_ns - surge_end_ns) / 1e9;
}

/* Work is watched for a second. Two seconds in a row must fit, and then the queue fills again. */
TEST_WITH(an_overload_is_over_within_two_windows, start_claims, NULL)
{
    static const es_rate rates[] = {{60, 1}, {144, 1}, {60000, 1001}, {240, 1}};
    for (uint64_t seed = 1; seed <= seed_count(); ++seed) {
        for (int32_t queue = 1; queue <= 3; ++queue) {
            for (size_t i = 0; i < (test_is_full() ? 4 : 2); ++i) {
                char name[48];
                lab_setup setup = setup_of("auto", "cheap", queue, rates[i]);
                lab_cost cost = {.base = 0.4, .unit = LAB_UNIT_REFRESH, .surge = 1.3 / 0.4};
                cost.surge_from = 0.5;
                cost.surge_to = 0.75;
                setup.scenario.render = cost;
                setup.seed = seed;
                setup.duration_ns = 30 * ES_NS_PER_S;
                setup.warm_up_ns = 10 * ES_NS_PER_S;
                snprintf(name, sizeof name, "overload, %.2f Hz, queue %d", hz_of(rates[i]),
                        (int)queue);
                claim(recovery_s(&setup, 25 * ES_NS_PER_S), 2.5, "seconds until it is over", name,
                        "5 s at 130 %", seed);
            }
        }
    }
    end_claims();
}

/* --- low latency ------------------------------------------------------------------------------ */

/* 1.2 refreshes, and what a frame takes: a quarter of a refresh and a tick of 0.3 ms. */
TEST_WITH(low_latency_has_young_input, start_claims, NULL)
{
    const double refresh_ms = 1000.0 / 60.0;
    for (uint64_t seed = 1; seed <= seed_count(); ++seed) {
        lab_setup setup = setup_of("low-latency", "cheap", 3, es_hz(60));
        setup.seed = seed;
        lab_measures m = run_one(&setup);
        claim(m.input_age_ms, 1.2 * refresh_ms + 0.25 * refresh_ms + 0.3, "input's age in ms",
                "cheap", "60 on 60 Hz, queue 3", seed);
        setup.loop = lab_loop_find("gaffer");
        m = run_one(&setup);
        claim(-m.input_age_ms, -3.0 * refresh_ms, "gaffer's, for it to mean anything", "cheap",
                "60 on 60 Hz, queue 3", seed);
    }
    end_claims();
}

/* What frames that begin late miss, beyond what a loop that blocks misses as well. Not where a
 * clock leaps or a frame takes 2 s: no setting bounds that. */
static void claim_missed(double missed_max, uint64_t seed)
{
    static const char *const loops[] = {"low-latency", "gaffer", NULL};
    static const char *const scenarios[] = {"cheap", "90-105", "gpu-90-105", "spikes", "ramp",
            "heavy-tail", "wake-0.5", "wake-1.5", "wake-vm", NULL};
    static const int32_t queues[] = {2, 3};
    averages a = {.loop_count = 0};
    char against[48];
    lab_sweep grid = displays(queues, 2, &seed);
    grid.base.missed_max = missed_max;
    add_loops(&a, loops);
    add_scenarios(&a, scenarios);
    run(&grid, &a);
    snprintf(against, sizeof against, "missed_max %g", missed_max);
    for (size_t i = 0; i < a.scenario_count; ++i) {
        double allowed =
                150.0 * missed_max + 0.1 + unmeant_percent(of(&a, "gaffer", i)); /* chance */
        claim(unmeant_percent(&a.at[0][i]), allowed, "refreshes missed in %", a.scenarios[i].name,
                against, seed);
    }
}

TEST_WITH(low_latency_misses_no_more_than_it_may, start_claims, NULL)
{
    static const double settings[] = {0.001, 0.01, 0.1};
    for (uint64_t seed = 1; seed <= seed_count(); ++seed) {
        for_rows (i, settings) {
            claim_missed(settings[i], seed);
        }
    }
    end_claims();
}

static int run_shared(void **state)
{
    (void)state;
    run_queued();
    run_unqueued();
    return 0;
}

TEST_SETUP(run_shared)
