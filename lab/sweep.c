/* SPDX-License-Identifier: Zlib
 *
 * Threads take runs by a counter. A result's place is the run's number, and runs are independent. So
 * the results do not depend on the thread that made a run.
 */
#include "lab/sweep.h"
#include "lab/threads.h"

/* --- the axes --------------------------------------------------------------------------------- */

static size_t axis(size_t count)
{
    return count > 0 ? count : 1;
}

size_t lab_sweep_count(const lab_sweep *sweep)
{
    return axis(sweep->loop_count) * axis(sweep->scenario_count) * axis(sweep->display_count)
           * axis(sweep->queue_count) * axis(sweep->refresh_count) * axis(sweep->tick_count)
           * axis(sweep->seed_count);
}

static size_t take(size_t *index, size_t count)
{
    size_t place = *index % axis(count);
    *index /= axis(count);
    return place;
}

/* Cell number index, without measures. The loop changes slowest, then scenario, display, queue,
 * refresh, tick, seed. */
static lab_cell place_of(const lab_sweep *sweep, size_t index)
{
    lab_cell cell = {0};
    cell.seed = take(&index, sweep->seed_count);
    cell.tick = take(&index, sweep->tick_count);
    cell.refresh = take(&index, sweep->refresh_count);
    cell.queue = take(&index, sweep->queue_count);
    cell.display = take(&index, sweep->display_count);
    cell.scenario = take(&index, sweep->scenario_count);
    cell.loop = take(&index, sweep->loop_count);
    return cell;
}

static lab_setup setup_of(const lab_sweep *sweep, size_t index)
{
    lab_cell place = place_of(sweep, index);
    lab_setup setup = sweep->base;
    setup.observer = (lab_observer){NULL, NULL};
    if (sweep->seed_count > 0) {
        setup.seed = sweep->seeds[place.seed];
    }
    if (sweep->tick_count > 0) {
        setup.tick_rate = sweep->tick_rates[place.tick];
    }
    if (sweep->display_count > 0) {
        setup.display = sweep->displays[place.display];
    }
    if (sweep->refresh_count > 0) {
        setup.display.rate = sweep->refresh_rates[place.refresh];
        setup.display.announced = setup.display.nominal = (es_rate){0, 0}; /* as the rate */
    }
    if (sweep->queue_count > 0) {
        setup.display.queue = sweep->queues[place.queue];
    }
    if (sweep->scenario_count > 0) {
        setup.scenario = sweep->scenarios[place.scenario];
    }
    if (sweep->loop_count > 0) {
        setup.loop = sweep->loops[place.loop];
    }
    return setup;
}

lab_sweep lab_sweep_default(void)
{
    static const es_rate refresh_rates[] = {
            {60000, 1001}, {60, 1}, {75, 1}, {120, 1}, {144, 1}, {165, 1}, {240, 1}};
    static const es_rate tick_rates[] = {
            {20, 1}, {30, 1}, {50, 1}, {60, 1}, {100, 1}, {120, 1}, {128, 1}};
    static const int32_t queues[] = {1, 2, 3};
    lab_sweep sweep = {0};
    sweep.base = lab_setup_default();
    sweep.loops = lab_loop_table(&sweep.loop_count);
    sweep.scenarios = lab_scenario_group_at(0)->scenarios;
    sweep.scenario_count = lab_scenario_group_at(0)->count;
    sweep.queues = queues;
    sweep.queue_count = sizeof queues / sizeof queues[0];
    sweep.refresh_rates = refresh_rates;
    sweep.refresh_count = sizeof refresh_rates / sizeof refresh_rates[0];
    sweep.tick_rates = tick_rates;
    sweep.tick_count = sizeof tick_rates / sizeof tick_rates[0];
    return sweep;
}

/* --- running ---------------------------------------------------------------------------------- */

/* Shared by the threads. The members below user: under lab_lock. */
typedef struct pool {
    const lab_sweep *sweep;
    lab_cell *cells;
    size_t count;
    lab_progress progress;
    void *user;
    size_t next;
    size_t done;
    es_result result;
} pool;

/* The next run; false: there is none, or the list was stopped. */
static bool take_run(pool *p, size_t *index)
{
    lab_lock();
    bool taken = p->next < p->count && p->result == ES_OK;
    *index = p->next;
    p->next += taken;
    lab_unlock();
    return taken;
}

static void report_run(pool *p, es_result status)
{
    lab_lock();
    p->done += 1;
    if (status == ES_ERR_SPACE) {
        p->result = ES_ERR_SPACE;
    }
    if (p->progress != NULL && p->result == ES_OK && !p->progress(p->user, p->done, p->count)) {
        p->result = ES_ERR_STATE;
    }
    lab_unlock();
}

static void work(void *user)
{
    pool *p = user;
    lab_result result = {0};
    size_t index;
    while (take_run(p, &index)) {
        lab_setup setup = setup_of(p->sweep, index);
        lab_cell *cell = &p->cells[index];
        *cell = place_of(p->sweep, index);
        cell->status = lab_run(&setup, &result, NULL);
        if (cell->status == ES_OK) {
            cell->measures = result.measures;
        }
        report_run(p, cell->status);
    }
    lab_result_free(&result);
}

es_result lab_sweep_run(
        const lab_sweep *sweep, int jobs, lab_cell *cells, lab_progress progress, void *user)
{
    pool p = {.sweep = sweep,
            .cells = cells,
            .count = lab_sweep_count(sweep),
            .progress = progress,
            .user = user};
    lab_threads_run(jobs, work, &p);
    return p.result;
}
