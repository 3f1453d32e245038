/* SPDX-License-Identifier: Zlib
 *
 * Is the default loop ever worse than a simple one? Runs the lab's scenarios for each blocking model
 * and each thing that a loop can know, and prints where the default loop is worse than the best peer.
 *
 *   bench_never_worse [SEEDS [SCENARIO...]]      default: 2 seeds, the groups transitions, loads, systems
 *
 * A cell is a scenario, a blocking model and a knowledge. Its figure is the mean over rates, queues
 * and seeds: of the errors after an event in ms, or of |animation error| in % of a refresh. A peer
 * that loses over 20 ms more time does not count. Worse means: over 1.1 times the best peer's mean,
 * and by over 5 ms or 0.1 %. Also counted: runs over twice that peer's + 1 % (5 ms) for the same
 * seed, frame rates below 99 % of the accumulator's, and input older than the accumulator's by over
 * 1 ms. Exits 1 if any cell is worse.
 */
#include "lab/sweep.h"

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { LOOPS = 5, RATES = 5, QUEUES = 4, BLOCKINGS = 3, KNOWN = 4, SCENARIOS = 96 };

static const char *const loops[LOOPS] = {"auto", "gaffer", "glaiel", "godot", "averaged-dt"};
static const uint32_t rates[RATES] = {30, 60, 90, 144, 240};
static const char *const blockings[BLOCKINGS] = {"after", "before", "acquire"};
static const char *const known[KNOWN] = {"nothing", "rate", "feedback", "rate and feedback"};

enum { ACCUMULATOR = 1 };

/* What is kept of a run. */
typedef struct outcome {
    float error; /* of the cell's figure */
    float lost_ms;
    float fps;
    float age_ms;
} outcome;

typedef struct exam {
    const lab_scenario *scenarios[SCENARIOS];
    size_t scenario_count;
    size_t seeds;
    outcome *outcomes;
} exam;

/* --- running ---------------------------------------------------------------------------------- */

/* Takes the last digit of a mixed-radix number. */
static size_t take(size_t *index, size_t count)
{
    size_t digit = *index % count;
    *index /= count;
    return digit;
}

static size_t runs_per_cell(const exam *e)
{
    return e->seeds * QUEUES * RATES;
}

static const lab_scenario *scenario_of(const exam *e, size_t run)
{
    return e->scenarios[run / (LOOPS * runs_per_cell(e) * KNOWN * BLOCKINGS)];
}

static lab_setup setup_at(void *user, size_t index)
{
    const exam *e = user;
    lab_setup setup = lab_setup_default();
    setup.duration_ns = 30 * ES_NS_PER_S;
    setup.loop = lab_loop_find(loops[take(&index, LOOPS)]);
    setup.seed = 1 + take(&index, e->seeds);
    setup.display.queue = (int32_t)(1 + take(&index, QUEUES));
    setup.display.rate = es_hz(rates[take(&index, RATES)]);
    size_t knows = take(&index, KNOWN);
    setup.display.unannounced = knows % 2 == 0;
    setup.display.feedback = knows >= 2 ? LAB_FEEDBACK_EXACT : LAB_FEEDBACK_NONE;
    setup.display.blocking = (lab_blocking)take(&index, BLOCKINGS);
    setup.scenario = *e->scenarios[index];
    return setup;
}

static void keep(void *user, size_t index, es_result status, const lab_result *result)
{
    const exam *e = user;
    const lab_measures *m = &result->measures;
    outcome *kept = &e->outcomes[index];
    if (status != ES_OK) {
        fprintf(stderr, "bench_never_worse: run %zu failed\n", index);
        exit(2);
    }
    bool event = lab_scenario_has_event(scenario_of(e, index));
    kept->error = (float)(event ? m->event_total_ms : lab_percent(m, m->animation.mean_abs_ms));
    kept->lost_ms = (float)m->lost_ms;
    kept->fps = (float)m->frames_per_s;
    kept->age_ms = (float)m->input_age_ms;
}

/* --- judging ---------------------------------------------------------------------------------- */

typedef struct verdict {
    size_t worse, slower, older; /* cells */
    size_t runs_worse, runs;
    double most; /* the largest excess of a cell's figure over the best peer's */
    char worst[120];
} verdict;

static double mean_of(const outcome *runs, size_t count, int loop, size_t member)
{
    double sum = 0.0;
    for (size_t i = 0; i < count; ++i) {
        float value;
        memcpy(&value, (const char *)&runs[i * LOOPS + (size_t)loop] + member, sizeof value);
        sum += value < 0 && member == offsetof(outcome, lost_ms) ? -value : value;
    }
    return sum / (double)count;
}

/* The peer with the least figure, of those that do not lose over 20 ms more. */
static int best_peer(const outcome *runs, size_t count)
{
    double lost_ms = mean_of(runs, count, 0, offsetof(outcome, lost_ms));
    int best = ACCUMULATOR;
    double least = -1.0;
    for (int loop = 1; loop < LOOPS; ++loop) {
        double error = mean_of(runs, count, loop, offsetof(outcome, error));
        bool counts = mean_of(runs, count, loop, offsetof(outcome, lost_ms)) <= lost_ms + 20.0;
        if (counts && (least < 0.0 || error < least)) {
            least = error;
            best = loop;
        }
    }
    return best;
}

static void judge_cell(const exam *e, size_t cell, bool event, const char *name, verdict *v)
{
    size_t count = runs_per_cell(e);
    const outcome *runs = &e->outcomes[cell * count * LOOPS];
    int best = best_peer(runs, count);
    double ours = mean_of(runs, count, 0, offsetof(outcome, error));
    double theirs = mean_of(runs, count, best, offsetof(outcome, error));
    double excess = ours - theirs;
    bool worse = ours > 1.1 * theirs && excess > (event ? 5.0 : 0.1);
    v->worse += worse;
    if (worse && excess > v->most) {
        v->most = excess;
        snprintf(v->worst, sizeof v->worst, "%s: %.2f, %s %.2f", name, ours, loops[best], theirs);
    }
    v->slower += mean_of(runs, count, 0, offsetof(outcome, fps))
                 < 0.99 * mean_of(runs, count, ACCUMULATOR, offsetof(outcome, fps));
    v->older += mean_of(runs, count, 0, offsetof(outcome, age_ms))
                > 1.0 + mean_of(runs, count, ACCUMULATOR, offsetof(outcome, age_ms));
    for (size_t i = 0; i < count; ++i) {
        v->runs_worse += (double)runs[i * LOOPS].error
                         > 2.0 * (double)runs[i * LOOPS + (size_t)best].error + (event ? 5.0 : 1.0);
        v->runs += 1;
    }
}

static verdict judge_scenario(const exam *e, size_t scenario, bool event)
{
    verdict v = {0};
    for (size_t b = 0; b < BLOCKINGS; ++b) {
        for (size_t k = 0; k < KNOWN; ++k) {
            char name[64];
            snprintf(name, sizeof name, "%s, knows %s", blockings[b], known[k]);
            judge_cell(e, (scenario * BLOCKINGS + b) * KNOWN + k, event, name, &v);
        }
    }
    return v;
}

static size_t print_verdicts(const exam *e)
{
    size_t worse = 0;
    printf("%d cells per scenario; worse, slower, older: cells; runs: share that is worse\n\n",
            BLOCKINGS * KNOWN);
    printf("%-15s %-5s %6s %6s %6s %7s  %s\n", "scenario", "in", "worse", "slower", "older",
            "runs %", "the worst cell");
    for (size_t s = 0; s < e->scenario_count; ++s) {
        const lab_scenario *scenario = e->scenarios[s];
        bool event = lab_scenario_has_event(scenario);
        verdict v = judge_scenario(e, s, event);
        worse += v.worse;
        printf("%-15s %-5s %6zu %6zu %6zu %7.2f  %s\n", scenario->name, event ? "ms" : "%", v.worse,
                v.slower, v.older, 100.0 * (double)v.runs_worse / (double)v.runs, v.worst);
    }
    printf("\n%zu of %zu cells are worse\n", worse, e->scenario_count * BLOCKINGS * KNOWN);
    return worse;
}

/* --- the program ------------------------------------------------------------------------------ */

static bool add(exam *e, const char *name)
{
    bool any = false;
    const lab_scenario_group *group;
    for (size_t g = 0; (group = lab_scenario_group_at(g)) != NULL; ++g) {
        for (size_t i = 0; i < group->count && e->scenario_count < SCENARIOS; ++i) {
            if (strcmp(name, group->name) == 0 || strcmp(name, group->scenarios[i].name) == 0) {
                e->scenarios[e->scenario_count++] = &group->scenarios[i];
                any = true;
            }
        }
    }
    return any;
}

int main(int argc, char **argv)
{
    static const char *const usual[] = {"transitions", "loads", "systems"};
    static exam e;
    int seeds = argc > 1 ? atoi(argv[1]) : 2;
    bool known_names = true;
    e.seeds = (size_t)(seeds > 0 ? seeds : 1);
    for (int i = 2; i < argc; ++i) {
        known_names = add(&e, argv[i]) && known_names;
    }
    for (int i = 0; i < 3 && argc < 3; ++i) {
        add(&e, usual[i]);
    }
    size_t count = e.scenario_count * BLOCKINGS * KNOWN * runs_per_cell(&e) * LOOPS;
    e.outcomes = calloc(count > 0 ? count : 1, sizeof *e.outcomes);
    if (!known_names || seeds < 1 || e.outcomes == NULL) {
        fprintf(stderr, "bench_never_worse: [SEEDS [SCENARIO or GROUP]...]\n");
        return 2;
    }
    lab_runs runs = {&e, count, setup_at, keep};
    long cores = sysconf(_SC_NPROCESSORS_ONLN);
    if (lab_runs_run(&runs, cores < 1 ? 1 : (int)cores, NULL, NULL) != ES_OK) {
        fprintf(stderr, "bench_never_worse: out of memory\n");
        return 2;
    }
    size_t worse = print_verdicts(&e);
    free(e.outcomes);
    return worse > 0;
}
