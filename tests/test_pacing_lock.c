/* SPDX-License-Identifier: Zlib
 *
 * What display time finds out about the lab's displays, and how steadily it keeps to it. One configuration, the default.
 *
 * As it is, on some displays; with EVENSTEP_FULL set, on more. A claim that fails says by how much.
 */
#include "test_support.h"

#include "lab/run.h"
#include "capture/trace.h"
#include "loop/loop_state.h"

static int complaints;

static int start_claims(void **state)
{
    (void)state;
    complaints = 0;
    return 0;
}

/* found must be at most allowed. All that fail are told; the test fails at its end. */
static void claim(double found, double allowed, const char *what, const char *where)
{
    complaints += found > allowed;
    if (found > allowed || test_is_full()) {
        print_message("%s %s: %s: %.3f, at most %.3f\n",
                found > allowed ? "FAILS:" : "holds:", where, what, found, allowed);
    }
}

static void end_claims(void)
{
    if (complaints > 0) {
        fail_msg("%d figures are beyond what is claimed", complaints);
    }
}

static double hz_of(es_rate rate)
{
    return (double)rate.numerator / (double)rate.denominator;
}

/* --- intervals -------------------------------------------------------------------------------- */

/* How often the intended interval changed from some time on, and the shortest time between two. */
typedef struct changes {
    int32_t count;
    double apart_s;
} changes;

static changes changes_of(const lab_result *result, int64_t period_ns, int64_t from_ns)
{
    changes found = {0, 1e9};
    int64_t before_ns = 0;
    int64_t changed_ns = 0;
    for (size_t i = 0; i < result->frame_count; ++i) {
        const lab_frame *frame = &result->frames[i];
        if (frame->interval_ns == 0) {
            continue; /* not known */
        }
        int64_t step_ns = before_ns > 0 ? frame->interval_ns - before_ns : 0;
        before_ns = frame->interval_ns;
        step_ns = step_ns < 0 ? -step_ns : step_ns;
        if (frame->begin_ns < from_ns || step_ns < period_ns / 4) {
            continue; /* the period becomes known ever better: its digits may change */
        }
        double apart_s = (double)(frame->begin_ns - changed_ns) / 1e9;
        if (found.count > 0 && apart_s < found.apart_s) {
            found.apart_s = apart_s;
        }
        changed_ns = frame->begin_ns;
        found.count += 1;
    }
    return found;
}

static lab_setup setup_of(const char *scenario, int32_t queue, es_rate refresh, int64_t duration_ns)
{
    lab_setup setup = lab_setup_default();
    setup.loop = lab_loop_find("auto");
    setup.scenario = *lab_scenario_find(scenario);
    setup.display.queue = queue;
    setup.display.rate = refresh;
    setup.duration_ns = duration_ns;
    setup.warm_up_ns = 5 * S;
    return setup;
}

static changes run_for_changes(const lab_setup *setup, lab_measures *measures)
{
    lab_result result = {0};
    assert_int_equal(lab_run(setup, &result, NULL), ES_OK);
    changes found = changes_of(&result, es__rate_period_ns(setup->display.rate), setup->warm_up_ns);
    assert_true(result.frame_count > 100);
    *measures = result.measures;
    lab_result_free(&result);
    return found;
}

/* Presents return 20 us late, plus an exponential of 20 us; 0.2 % of them up to 0.5 ms later. With
 * less to spare than this, frames without a queue miss refreshes (docs/notes/display-timing.md). */
#define LATE_US 150.0

TEST_WITH(constant_costs_change_nothing, start_claims, NULL)
{
    static const double shares[] = {0.2, 0.6, 0.9, 0.97, 0.99, 1.01, 1.3, 1.9};
    static const es_rate rates[] = {{60, 1}, {144, 1}, {60000, 1001}, {240, 1}};
    for (size_t i = 0; i < (test_is_full() ? 4 : 1); ++i) {
        for (int32_t queue = 1; queue <= 3; ++queue) {
            for_rows (k, shares) {
                char where[64];
                const lab_cost nothing = {0};
                lab_setup setup = setup_of("cheap", queue, rates[i], 600 * S);
                setup.scenario.update = nothing;
                setup.scenario.render.base = shares[k];
                setup.scenario.render.low = 1.0;
                setup.scenario.render.high = 1.0;
                snprintf(where, sizeof where, "%.0f %% of %.2f Hz, queue %d", 100.0 * shares[k],
                        hz_of(rates[i]), (int)queue);
                lab_measures m;
                changes found = run_for_changes(&setup, &m);
                double left_us = (1.0 - shares[k]) * 1e6 / hz_of(rates[i]);
                bool fits = left_us > 0.0 && (queue > 1 || left_us > LATE_US);
                bool misses = left_us > 0.0 && !fits; /* so many that frames may be held */
                claim(found.count, misses ? 1.0 : 0.0, "changes in 10 minutes", where);
                if (fits) { /* beyond, the best there is depends on the queue */
                    claim(lab_percent(&m, m.animation.mean_abs_ms), 0.3, "mean error in %", where);
                }
            }
        }
    }
    end_claims();
}

/* A few ms less than 2 s: frames begin when they can. */
static void claim_calm(const lab_setup *setup, const char *where)
{
    lab_measures measures;
    changes found = run_for_changes(setup, &measures);
    if (found.count > 1) {
        claim(-found.apart_s, -1.9, "least seconds between two changes (less than 0)", where);
    } else if (test_is_full()) {
        print_message("holds: %s: %d changes\n", where, (int)found.count);
    }
}

TEST_WITH(random_costs_change_at_most_every_two_seconds, start_claims, NULL)
{
    static const char *const scenarios[] = {
            "90-105", "gpu-90-105", "spikes", "ramp", "heavy-tail", "wake-1.5", "wake-vm"};
    static const es_rate rates[] = {{60, 1}, {144, 1}, {60000, 1001}, {240, 1}};
    for (size_t i = 0; i < (test_is_full() ? 4 : 2); ++i) {
        for (int32_t queue = 1; queue <= 3; ++queue) {
            for_rows (k, scenarios) {
                for (uint64_t seed = 1; seed <= (test_is_full() ? 3 : 1); ++seed) {
                    char where[64];
                    lab_setup setup = setup_of(scenarios[k], queue, rates[i], 120 * S);
                    setup.seed = seed;
                    snprintf(where, sizeof where, "%s, %.2f Hz, queue %d, seed %d", scenarios[k],
                            hz_of(rates[i]), (int)queue, (int)seed);
                    claim_calm(&setup, where);
                }
            }
        }
    }
    end_claims();
}

static const char *const captures[] = {"01_presentmon_cur_presentbench_dwm60.csv",
        "03_presentmon_v1_farcrynewdawn.csv", "04_ocat_metroexodus_vrr.csv",
        "06_presentmon_v1_csgo_118fps_60hz.csv"};

TEST_WITH(real_costs_change_at_most_every_two_seconds, start_claims, NULL)
{
    static const es_rate rates[] = {{60, 1}, {144, 1}, {120, 1}, {75, 1}};
    size_t found = 0;
    for_rows (k, captures) {
        char path[512];
        lab_trace trace = {0};
        snprintf(path, sizeof path, "%s/%s", TRACES, captures[k]);
        if (lab_trace_take(&trace, lab_capture_open(path, NULL, NULL), NULL) != ES_OK) {
            continue;
        }
        found += 1;
        for (size_t i = 0; i < (test_is_full() ? 4 : 2); ++i) {
            /* Open: without a queue, a lock that is lost and found anew at twice the period may
             * change the interval sooner. */
            for (int32_t queue = 2; queue <= 3; ++queue) {
                char where[128];
                lab_setup setup = setup_of("cheap", queue, rates[i], 120 * S);
                lab_cost cost = {.trace_ns = trace.costs_ns, .trace_count = trace.count};
                setup.scenario.render = cost;
                snprintf(where, sizeof where, "%s, %.2f Hz, queue %d", captures[k], hz_of(rates[i]),
                        (int)queue);
                claim_calm(&setup, where);
            }
        }
        lab_trace_free(&trace);
    }
    if (found == 0) {
        print_message("no captures in %s\n", TRACES);
        skip();
    }
    end_claims();
}

/* --- locks ------------------------------------------------------------------------------------ */

/* What is known of the display after a frame. */
typedef struct view {
    int64_t at_ns; /* true time */
    bool locked;
    double period_ns;
} view;

enum { VIEWS_MAX = 100000 };

static view views[VIEWS_MAX];
static size_t view_count;
static const lab_loop *watched;

static void watched_frame(void *state, lab_machine *machine)
{
    watched->frame(state, machine);
    const es_loop *loop = lab_loop_engine(watched, state);
    es_display status = es_loop_get_display(loop);
    view now = {lab_true_ns(machine), status.mode == ES_DISPLAY_BLOCKS,
            status.period_ns * loop->display.hold};
    if (view_count < VIEWS_MAX) {
        views[view_count++] = now;
    }
}

/* Runs auto on it; views[] is what it knew after each frame. */
static lab_measures watch(lab_setup *setup)
{
    watched = lab_loop_find("auto");
    lab_loop watcher = *watched;
    lab_result result = {0};
    watcher.frame = watched_frame;
    view_count = 0;
    setup->loop = &watcher;
    assert_int_equal(lab_run(setup, &result, NULL), ES_OK);
    assert_true(view_count > 20 && view_count < VIEWS_MAX);
    lab_measures measures = result.measures;
    lab_result_free(&result);
    return measures;
}

/* Present returns up to 1.5 ms late, evenly spread: never early. */
static lab_setup jittery(es_rate refresh, int32_t queue, int64_t duration_ns)
{
    lab_setup setup = setup_of("cheap", queue, refresh, duration_ns);
    setup.scenario.wake = (lab_lateness){.delays = {{1.0, 0, 1500 * ES_NS_PER_US, 0}}};
    return setup;
}

/* The period as the program's clock has it, which runs 30 ppm fast. */
static double seen_period_ns(const lab_setup *setup, es_rate rate)
{
    return 1e9 / hz_of(rate) * (1.0 + 1e-6 * setup->scenario.clock.skew_ppm);
}

/* A GPU that takes longer than a refresh looks like twice the period. Frames are even in either case:
 * a whole part of the period counts as known. */
static double off_ppm(const view *v, double period_ns)
{
    bool half = v->period_ns > 0.0 && period_ns / v->period_ns > 1.5;
    double off = ((half ? 2.0 : 1.0) * v->period_ns - period_ns) / period_ns * 1e6;
    return off < 0.0 ? -off : off;
}

/* Seconds from some time on until it is locked to the period, for good, to half a percent. */
static double lock_s(double period_ns, int64_t from_ns)
{
    int64_t last_ns = from_ns;
    for (size_t i = 0; i < view_count; ++i) {
        bool known = views[i].locked && off_ppm(&views[i], period_ns) < 5000.0;
        if (views[i].at_ns > from_ns && !known) {
            /* known at the earliest after the next frame */
            last_ns = i + 1 < view_count ? views[i + 1].at_ns : INT64_MAX;
        }
    }
    return (double)(last_ns - from_ns) / 1e9;
}

static double worst_ppm(double period_ns, int64_t from_ns)
{
    double worst = 0.0;
    for (size_t i = 0; i < view_count; ++i) {
        double off = off_ppm(&views[i], period_ns);
        worst = views[i].at_ns >= from_ns && off > worst ? off : worst;
    }
    return worst;
}

static const es_rate usual_rates[] = {{24000, 1001}, {24, 1}, {25, 1}, {30000, 1001}, {30, 1},
        {48000, 1001}, {48, 1}, {50, 1}, {60000, 1001}, {60, 1}, {72, 1}, {75, 1}, {85, 1}, {90, 1},
        {100, 1}, {120000, 1001}, {120, 1}, {14398, 100}, {144, 1}, {165, 1}, {200, 1}, {240, 1},
        {300, 1}, {360, 1}};

static const char *const announcements[] = {"announced", "not announced", "60 Hz announced"};

static void claim_lock(es_rate rate, int32_t queue, int announcement, uint64_t seed)
{
    char where[80];
    lab_setup setup = jittery(rate, queue, 12 * S);
    setup.seed = seed;
    setup.display.unannounced = announcement == 1;
    if (announcement == 2) {
        setup.display.announced = es_hz(60);
    }
    lab_measures m = watch(&setup);
    double period_ns = seen_period_ns(&setup, rate);
    snprintf(where, sizeof where, "%.3f Hz, %s, queue %d, seed %d", hz_of(rate),
            announcements[announcement], (int)queue, (int)seed);
    claim(lock_s(period_ns, 0), 1.0, "seconds until it is locked", where);
    claim(worst_ppm(period_ns, 10 * S), 20.0, "period off after 10 s, in ppm", where);
    claim(lab_percent(&m, m.animation.mean_abs_ms), 0.5, "mean error in %", where);
}

TEST_WITH(locks_to_any_rate_within_a_second, start_claims, NULL)
{
    for_rows (i, usual_rates) {
        for (int announcement = 0; announcement < 3; ++announcement) {
            if (!test_is_full()) {
                claim_lock(usual_rates[i], 1 + (int32_t)(i % 3), announcement, 1);
                continue;
            }
            for (int32_t queue = 1; queue <= 3; ++queue) {
                for (uint64_t seed = 1; seed <= 3; ++seed) {
                    claim_lock(usual_rates[i], queue, announcement, seed);
                }
            }
        }
    }
    end_claims();
}

/* Seconds until the old rate is not believed any more. */
static double notice_s(double old_ns, int64_t from_ns)
{
    for (size_t i = 0; i < view_count; ++i) {
        if (views[i].at_ns > from_ns && (!views[i].locked || off_ppm(&views[i], old_ns) > 5000.0)) {
            return (double)(views[i].at_ns - from_ns) / 1e9;
        }
    }
    return 1e9;
}

TEST_WITH(a_change_of_rate_is_noticed_within_a_second, start_claims, NULL)
{
    static const es_rate rates[][2] = {{{60, 1}, {144, 1}}, {{144, 1}, {60, 1}}, {{60, 1}, {50, 1}},
            {{120, 1}, {60, 1}}, {{60, 1}, {120, 1}}, {{75, 1}, {60, 1}}, {{60, 1}, {24, 1}},
            {{165, 1}, {240, 1}}};
    enum { HALVED = 3 };
    for_rows (i, rates) {
        for (int32_t queue = 1; queue <= 3; ++queue) {
            for (uint64_t seed = 1; seed <= (test_is_full() ? 3 : 1); ++seed) {
                char where[80];
                lab_setup setup = jittery(rates[i][0], queue, 16 * S);
                setup.display.changes[0].at_ns = 7 * S;
                setup.display.changes[0].factor =
                        (lab_ratio){rates[i][1].numerator, rates[i][0].numerator};
                setup.seed = seed;
                watch(&setup);
                snprintf(where, sizeof where, "%g to %g Hz, queue %d, seed %d", hz_of(rates[i][0]),
                        hz_of(rates[i][1]), (int)queue, (int)seed);
                double old_ns = seen_period_ns(&setup, rates[i][0]);
                if (i != HALVED) {
                    claim(notice_s(old_ns, 7 * S), 1.0, "seconds until it is noticed", where);
                }
                claim(lock_s(seen_period_ns(&setup, rates[i][1]), 7 * S), 2.0,
                        "seconds until the new one is known", where);
            }
        }
    }
    end_claims();
}
