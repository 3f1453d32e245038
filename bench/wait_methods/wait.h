/* SPDX-License-Identifier: Zlib
 *
 * wait: ways to wait for a deadline (ours, the system's own, fixed margins, and those of other
 * projects, rewritten from their sources), a run that measures them in turn, and its output.
 */
#ifndef BENCH_WAIT_H
#define BENCH_WAIT_H

#include "evenstep/evenstep.h"
#include "tool.h"

#define WAIT_COMMAND "bench_wait_methods"

enum { WAIT_METHODS_MAX = 16, WAIT_LOAD_MAX = 64 };

/* --- methods.c -------------------------------------------------------------------------------- */

/* What the methods of one run need. All of them read this clock; absolute sleeps also need it to
 * be CLOCK_MONOTONIC. */
typedef struct wait_state {
    es_clock clock;
    int64_t period_ns;        /* from one deadline to the next */
    int64_t mangohud_over_ns; /* by how much mangohud's last sleep was too long */
} wait_state;

typedef struct wait_method {
    const char *name;
    const char *title;  /* one line for people */
    const char *source; /* the project and its file */
    void (*wait)(wait_state *state, int64_t deadline_ns);
    bool absolute; /* sleeps by wait_system_sleep_until */
} wait_method;

/** A wait_method by index. */
tool_at wait_method_at;

/** Whether this system has what it needs. */
bool wait_method_is_here(const wait_method *method);

/** Nanoseconds now. */
static inline int64_t wait_now_ns(const wait_state *state)
{
    return state->clock.now_ns(state->clock.user);
}

/** By how much the system may delay a sleep of this thread to save power; -1: cannot tell. */
int64_t wait_system_slack_ns(void);

/** Writes the processor's name, "" where it is unknown. */
void wait_system_processor(char *text, size_t size);

/* --- run.c ------------------------------------------------------------------------------------ */

/* One deadline. */
typedef struct wait_sample {
    int64_t late_ns; /* the return, less the deadline; below 0: early */
    int64_t wait_ns; /* from the call to the return */
    int64_t cpu_ns;  /* CPU time of the thread meanwhile */
    uint32_t method; /* by index in the rotation */
    bool missed;     /* past before the wait could begin: nothing was measured */
} wait_sample;

typedef struct wait_samples {
    wait_sample *items;
    size_t count;
} wait_samples;

/* A method's figures. Those from p50_ns to max_ns are of the distance from the deadline, late or
 * early; with a count of 0 they mean nothing. */
typedef struct wait_figures {
    size_t count;  /* waits measured */
    size_t early;  /* of them, ended before the deadline */
    size_t missed; /* deadlines that were past before the wait could begin */
    int64_t p50_ns;
    int64_t p90_ns;
    int64_t p99_ns;
    int64_t max_ns;
    int64_t earliest_ns; /* how early the earliest was; 0: none was */
    int64_t wait_ns;     /* the sum */
    int64_t cpu_ns;      /* the sum */
} wait_figures;

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
    const wait_plan *plan;
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

/** Runs it. Returns the exit status, after saying on stderr what went wrong. The caller finishes
 * the outcome in any case. */
int wait_run(const wait_plan *plan, wait_outcome *outcome);
void wait_outcome_finish(wait_outcome *outcome);

/** CPU time in % of the time waited; 0 where nothing was. */
double wait_cpu_percent(const wait_figures *figures);

/* --- report.c --------------------------------------------------------------------------------- */

/** Prints the table. False: out of memory. */
bool wait_print(const wait_outcome *outcome, FILE *out);

/* Write a wait_outcome to a file. False: see errno. */
bool wait_write_json(const void *user, const char *path);
bool wait_write_samples(const void *user, const char *path);

#endif
