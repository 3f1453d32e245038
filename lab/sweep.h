/* SPDX-License-Identifier: Zlib
 *
 * sweep: many runs: loops x scenarios x displays x queue depths x refresh rates x tick rates x
 * seeds, on several threads. The results do not depend on their number.
 */
#ifndef LAB_SWEEP_H
#define LAB_SWEEP_H

#include "lab/run.h"

/* The axes. An axis with count 0 has the one value of base. */
typedef struct lab_sweep {
    lab_setup base; /* all other settings. Its observer is not called */
    const lab_loop *const *loops;
    size_t loop_count;
    const lab_scenario *scenarios;
    size_t scenario_count;
    const lab_display *displays; /* in place of base's; the next two axes then set their fields */
    size_t display_count;
    const int32_t *queues;
    size_t queue_count;
    const es_rate *refresh_rates; /* fixed refresh */
    size_t refresh_count;
    const es_rate *tick_rates;
    size_t tick_count;
    const uint64_t *seeds;
    size_t seed_count;
} lab_sweep;

/* One run's place on the axes, and its measures. */
typedef struct lab_cell {
    size_t loop;
    size_t scenario;
    size_t display;
    size_t queue;
    size_t refresh;
    size_t tick;
    size_t seed;
    es_result status; /* not ES_OK: the loop cannot run here, measures are 0 */
    lab_measures measures;
} lab_cell;

/* Called after each cell, from any of the threads but never from two at once. Returns false to
 * stop. */
typedef bool (*lab_progress)(void *user, size_t done, size_t count);

/* Seven refresh rates (59.94 to 240 Hz), seven tick rates (20 to 128), queues 1 to 3, every
 * scenario and every loop of the tables: 60 s each. The arrays are static. */
lab_sweep lab_sweep_default(void);

/* The number of cells. */
size_t lab_sweep_count(const lab_sweep *sweep);

/* The place of cell number index. Order: the loop changes slowest, then scenario, display, queue,
 * refresh, tick, seed. */
lab_cell lab_sweep_place(const lab_sweep *sweep, size_t index);

/* The setup of that cell. */
lab_setup lab_sweep_setup(const lab_sweep *sweep, size_t index);

/* A list of runs. Its functions are called from any of the threads. */
typedef struct lab_runs {
    void *user;
    size_t count;
    lab_setup (*setup_at)(void *user, size_t index);
    /* status: not ES_OK: the loop cannot run here. */
    void (*keep)(void *user, size_t index, es_result status, const lab_result *result);
} lab_runs;

/* Runs them all.
 *
 * jobs: threads, 1 to 256; values outside count as the nearest.
 * progress: may be NULL.
 * Returns ES_OK; ES_ERR_SPACE: out of memory; ES_ERR_STATE: progress stopped it. A run
 * whose loop cannot run there is no error. */
es_result lab_runs_run(const lab_runs *runs, int jobs, lab_progress progress, void *user);

/* The same for a sweep. cells: lab_sweep_count of them, filled in order. */
es_result lab_sweep_run(
        const lab_sweep *sweep, int jobs, lab_cell *cells, lab_progress progress, void *user);

#endif
