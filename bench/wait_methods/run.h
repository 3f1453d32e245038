/* SPDX-License-Identifier: Zlib
 *
 * run: the plan of `bench_wait_methods`, its run, and its output.
 */
#ifndef BENCH_WAIT_RUN_H
#define BENCH_WAIT_RUN_H

#include "methods.h"
#include "samples.h"
#include "tool.h"

#define WAIT_COMMAND "bench_wait_methods"

typedef struct wait_plan {
    const wait_method *methods[WAIT_METHODS_MAX];
    size_t method_count;
    size_t reference; /* by index; method_count: none */
    es_rate rate;
    int64_t duration_ns;
    int64_t work_ns; /* spun after each wait, by the clock */
    int32_t load;    /* spinning processes beside it */
    uint64_t seed;
    bool real_time; /* requested */
} wait_plan;

typedef struct wait_outcome {
    es_clock clock;
    wait_samples samples; /* in order of their deadlines */
    wait_figures figures[WAIT_METHODS_MAX];
    int64_t planned;   /* deadlines */
    int64_t ran_ns;    /* from the start to the last deadline */
    int64_t slack_ns;  /* of this thread; -1: unknown */
    bool interrupted;  /* by a signal, before the end */
    bool real_time;    /* had it */
    bool load_was_cut; /* a process of the load ended before the end */
} wait_outcome;

/** Deadlines in a run. */
int64_t wait_plan_size(const wait_plan *plan);

/** Runs it. Returns the exit status, after saying on stderr what went wrong. The caller finishes
 * the outcome in any case. */
int wait_run(const wait_plan *plan, wait_outcome *outcome);
void wait_outcome_finish(wait_outcome *outcome);

/* --- showing ---------------------------------------------------------------------------------- */

/** One line: what ran. Returns text. */
char *wait_describe(const wait_plan *plan, const wait_outcome *outcome, char *text, size_t size);

/** One line: on which machine. Returns text. */
char *wait_describe_machine(const wait_outcome *outcome, char *text, size_t size);

/** Writes microseconds: "0.08", "12.3", "1380". Returns text. */
char *wait_format_us(char *text, size_t size, int64_t ns);

/** Prints the table. False: out of memory. */
bool wait_print(const wait_plan *plan, const wait_outcome *outcome, FILE *out);

/* Files. False: see errno. */
bool wait_write_json(const wait_plan *plan, const wait_outcome *outcome, const char *path);
bool wait_write_samples(const wait_plan *plan, const wait_outcome *outcome, const char *path);
bool wait_draw(const wait_plan *plan, const wait_outcome *outcome, const char *path);

#endif
