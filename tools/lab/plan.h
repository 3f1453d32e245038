/* SPDX-License-Identifier: Zlib
 *
 * lab_plan: the runs of `evenstep lab`, and their results: as tables and JSON.
 */
#ifndef EVENSTEP_LAB_PLAN_H
#define EVENSTEP_LAB_PLAN_H

#include "choice.h"
#include "figure.h"

#include "lab/sweep.h"

/* Axes of the display, besides its refresh. The first name of each is its default. */
enum { AXIS_BLOCKING, AXIS_FEEDBACK, AXIS_ANNOUNCED, AXIS_HOST, AXIS_TARGETS, AXES };

enum { BLOCKING_MAILBOX = LAB_BLOCK_AT_ACQUIRE + 1 }; /* the last value of AXIS_BLOCKING */

typedef struct lab_plan {
    loop_choice loops;
    scenario_choice scenarios;
    refresh_choice refreshes;
    name_choice axes[AXES];
    queue_choice queues;
    rate_choice tick_rates;
    figure_choice figures;
    lab_setup base;   /* the seed, the times, the cap and the settings of loops */
    double tick_cost; /* in % of a refresh; 0: that of the scenario */
    bool whole_ms;    /* flips come in whole ms */
    bool expected;    /* hosts say when a frame will be seen */
} lab_plan;

typedef struct lab_outcome {
    const lab_plan *plan;
    lab_cell *cells;
    size_t cell_count;
    figure_sums *sums; /* loop by loop, scenario by scenario */
} lab_outcome;

/** Names and values of the axes; nothing is chosen. */
extern const name_choice lab_axes[AXES];

/** The number of runs. */
size_t lab_plan_size(const lab_plan *plan);

/** A display by its number: its values of the axes, and the number of its refresh. */
size_t lab_plan_display(const lab_plan *plan, size_t display, int32_t values[AXES]);

/** Whether a value of an axis is chosen; whether another than the first is. */
bool lab_plan_has(const lab_plan *plan, int axis, int32_t value);
bool lab_plan_has_other(const lab_plan *plan, int axis);

/** Runs it on that many threads. Returns ES_OK or ES_ERR_SPACE. Free the outcome with
 * lab_outcome_finish in any case. */
es_result lab_plan_run(const lab_plan *plan, int jobs, lab_outcome *outcome);
void lab_outcome_finish(lab_outcome *outcome);

/** Whether a run measured anything: the loop can run there, and two frames were seen. */
bool lab_cell_ran(const lab_cell *cell);

/** The sums over the runs of a loop in a scenario. */
const figure_sums *lab_outcome_at(const lab_outcome *outcome, size_t loop, size_t scenario);

/** A figure of these sums as text, an error in % of the refresh period. */
void lab_format(const lab_outcome *outcome, const figure *f, size_t loop, size_t scenario,
        char *text, size_t size);

/** Whether a loop is the best in a scenario, to the printed decimals. References and loops that
 * need a second core do not compete. */
bool lab_is_best(const lab_outcome *outcome, const figure *f, size_t loop, size_t scenario);

/** Whether no competitor has a smaller error, by over 0.02 % of a refresh. Competitors
 * that lose over 20 ms more time do not count: dropping time makes errors small. */
bool lab_is_unbeaten(const lab_outcome *outcome, const figure *f, size_t loop, size_t scenario);

/** Whether a loop loses over 20 ms in a run. */
bool lab_loses_time(const lab_outcome *outcome, size_t loop, size_t scenario);

/** "60, 144 Hz; queue 2; ...": the axes except loops and scenarios. */
void lab_plan_describe(const lab_plan *plan, char *text, size_t size);

/** Prints tables. False: out of memory. */
bool lab_print(const lab_outcome *outcome, FILE *out);

/* Write a lab_outcome to a file. False: see errno. */
bool lab_write_json(const void *user, const char *path);
bool lab_write_markdown(const void *user, const char *path);

#endif
