/* SPDX-License-Identifier: Zlib
 *
 * grid: many runs: loops x scenarios x queue depths x refresh rates x tick rates x seeds, on as
 * many threads as wanted. The results do not depend on how many.
 */
#ifndef LAB_GRID_H
#define LAB_GRID_H

#include "lab/run.h"

/* The axes. An axis with count 0 has the one value of base. */
typedef struct lab_grid {
    lab_setup base; /* all that is no axis. Its observer is not called */
    const lab_loop *const *loops;
    size_t loop_count;
    const lab_scenario *scenarios;
    size_t scenario_count;
    const int32_t *queues;
    size_t queue_count;
    const es_rate *refresh_rates; /* fixed refresh */
    size_t refresh_count;
    const es_rate *tick_rates;
    size_t tick_count;
    const uint64_t *seeds;
    size_t seed_count;
} lab_grid;

/* One run's place on the axes, and its measures. */
typedef struct lab_cell {
    size_t loop;
    size_t scenario;
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
lab_grid lab_grid_default(void);

/* How many cells. */
size_t lab_grid_count(const lab_grid *grid);

/* Where cell number index stands. Order: the loop changes slowest, then scenario, queue, refresh,
 * tick, seed. */
lab_cell lab_grid_place(const lab_grid *grid, size_t index);

/* The setup of that cell. */
lab_setup lab_grid_setup(const lab_grid *grid, size_t index);

/* Runs them all.
 *
 * jobs: threads, 1 to 256; values outside count as the nearest.
 * cells: lab_grid_count of them, filled in order.
 * progress: may be NULL.
 * Returns ES_OK; ES_ERR_SPACE: out of memory; ES_ERR_STATE: progress stopped it. A cell
 * whose loop cannot run there is no error: see its status. */
es_result lab_grid_run(
        const lab_grid *grid, int jobs, lab_cell *cells, lab_progress progress, void *user);

#endif
