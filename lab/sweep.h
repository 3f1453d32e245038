/* SPDX-License-Identifier: Zlib
 *
 * sweep: many runs on several threads: loops x scenarios x displays x queue depths x refresh rates
 * x tick rates x seeds. The results do not depend on the number of threads.
 */
#ifndef LAB_SWEEP_H
#define LAB_SWEEP_H

#include "lab/run.h"

/* The axes. An axis with count 0 has one value, that of base. */
typedef struct lab_sweep {
    lab_setup base; /* all other settings; without its observer */
    const lab_loop *const *loops;
    size_t loop_count;
    const lab_scenario *scenarios;
    size_t scenario_count;
    const lab_display *displays; /* instead of base.display; the next two axes set fields of it */
    size_t display_count;
    const int32_t *queues;
    size_t queue_count;
    const es_rate *refresh_rates; /* of a fixed refresh */
    size_t refresh_count;
    const es_rate *tick_rates;
    size_t tick_count;
    const uint64_t *seeds;
    size_t seed_count;
} lab_sweep;

/* The indices of one run on the axes, and its measures. */
typedef struct lab_cell {
    size_t loop;
    size_t scenario;
    size_t display;
    size_t queue;
    size_t refresh;
    size_t tick;
    size_t seed;
    es_result status; /* not ES_OK: the loop cannot run with this setup, measures are 0 */
    lab_measures measures;
} lab_cell;

/* Called after each run, from any thread, but never from two at once. It returns false to stop. */
typedef bool (*lab_progress)(void *user, size_t done, size_t count);

/* Seven refresh rates (59.94 to 240 Hz), seven tick rates (20 to 128), queues 1 to 3, the group
 * standard and all loops: 60 s each. The arrays are static. */
lab_sweep lab_sweep_default(void);

/* The number of cells. */
size_t lab_sweep_count(const lab_sweep *sweep);

/* Makes all runs.
 *
 * jobs: threads, clamped to 1 to 256.
 * cells: lab_sweep_count of them, filled in order.
 * progress: may be NULL.
 * Returns ES_OK; ES_ERR_SPACE: out of memory; ES_ERR_STATE: progress returned false. It is no error
 * if a loop cannot run with a setup. */
es_result lab_sweep_run(
        const lab_sweep *sweep, int jobs, lab_cell *cells, lab_progress progress, void *user);

#endif
