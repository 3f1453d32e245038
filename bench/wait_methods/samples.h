/* SPDX-License-Identifier: Zlib
 *
 * samples: the order of the methods, the result of each wait, and the figures of each method.
 */
#ifndef BENCH_WAIT_MEASURE_H
#define BENCH_WAIT_MEASURE_H

#include "methods.h"

/* Rounds in which each method has one turn, in a random order per round. So the effects of one
 * method on the next (a warm core, a used share of the processor) are spread over all. */
typedef struct wait_rotation {
    uint64_t key;
    uint64_t drawn;
    size_t count;
    size_t at; /* in order; count: the round is over */
    size_t order[WAIT_METHODS_MAX];
} wait_rotation;

/** count: of methods, at most WAIT_METHODS_MAX. */
void wait_rotation_init(wait_rotation *rotation, uint64_t seed, size_t count);

/** The index of the next method. */
size_t wait_rotation_next(wait_rotation *rotation);

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
    size_t capacity;
} wait_samples;

/** Takes memory, and writes to all of it, so that no page is fetched during the run.
 * False: out of memory. */
bool wait_samples_init(wait_samples *samples, size_t capacity);
void wait_samples_finish(wait_samples *samples);

/** Adds one; beyond the capacity nothing. */
void wait_samples_add(wait_samples *samples, const wait_sample *sample);

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

/** The distances of one method, in order; NULL: out of memory. The caller frees them. */
int64_t *wait_distances(const wait_samples *samples, size_t method, size_t *count);

/** False: out of memory. */
bool wait_figures_of(const wait_samples *samples, size_t method, wait_figures *figures);

/** The percentile by nearest rank; 0 of none. */
int64_t wait_percentile(const int64_t *sorted, size_t count, size_t percent);

/** CPU time in % of the time waited; 0 where nothing was. */
double wait_cpu_percent(const wait_figures *figures);

#endif
