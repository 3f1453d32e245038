/* SPDX-License-Identifier: Zlib
 *
 * Threads take the next cell off a counter; a cell's place in the results is its number, and no
 * cell sees another, so who ran it cannot matter.
 */
#include "lab/grid.h"
#include "lab/threads.h"

enum { JOBS_MAX = 256 };

/* --- the axes --------------------------------------------------------------------------------- */

static size_t axis(size_t count)
{
    return count > 0 ? count : 1;
}

size_t lab_grid_count(const lab_grid *grid)
{
    return axis(grid->loop_count) * axis(grid->scenario_count) * axis(grid->queue_count)
           * axis(grid->refresh_count) * axis(grid->tick_count) * axis(grid->seed_count);
}

static size_t take(size_t *index, size_t count)
{
    size_t place = *index % axis(count);
    *index /= axis(count);
    return place;
}

lab_cell lab_grid_place(const lab_grid *grid, size_t index)
{
    lab_cell cell = {0};
    cell.seed = take(&index, grid->seed_count);
    cell.tick = take(&index, grid->tick_count);
    cell.refresh = take(&index, grid->refresh_count);
    cell.queue = take(&index, grid->queue_count);
    cell.scenario = take(&index, grid->scenario_count);
    cell.loop = take(&index, grid->loop_count);
    return cell;
}

lab_setup lab_grid_setup(const lab_grid *grid, size_t index)
{
    static const es_rate same = {0, 0};
    lab_cell place = lab_grid_place(grid, index);
    lab_setup setup = grid->base;
    lab_observer nobody = {NULL, NULL};
    setup.observer = nobody;
    if (grid->seed_count > 0) {
        setup.seed = grid->seeds[place.seed];
    }
    if (grid->tick_count > 0) {
        setup.tick_rate = grid->tick_rates[place.tick];
    }
    if (grid->refresh_count > 0) {
        setup.display.rate = grid->refresh_rates[place.refresh];
        setup.display.announced = same;
        setup.display.nominal = same;
    }
    if (grid->queue_count > 0) {
        setup.display.queue = grid->queues[place.queue];
    }
    if (grid->scenario_count > 0) {
        setup.scenario = grid->scenarios[place.scenario];
    }
    if (grid->loop_count > 0) {
        setup.loop = grid->loops[place.loop];
    }
    return setup;
}

lab_grid lab_grid_default(void)
{
    static const es_rate refresh_rates[] = {
            {60000, 1001}, {60, 1}, {75, 1}, {120, 1}, {144, 1}, {165, 1}, {240, 1}};
    static const es_rate tick_rates[] = {
            {20, 1}, {30, 1}, {50, 1}, {60, 1}, {100, 1}, {120, 1}, {128, 1}};
    static const int32_t queues[] = {1, 2, 3};
    lab_grid grid = {0};
    grid.base = lab_setup_default();
    grid.loops = lab_loop_table(&grid.loop_count);
    grid.scenarios = lab_scenario_table(&grid.scenario_count);
    grid.queues = queues;
    grid.queue_count = sizeof queues / sizeof queues[0];
    grid.refresh_rates = refresh_rates;
    grid.refresh_count = sizeof refresh_rates / sizeof refresh_rates[0];
    grid.tick_rates = tick_rates;
    grid.tick_count = sizeof tick_rates / sizeof tick_rates[0];
    return grid;
}

/* --- running ---------------------------------------------------------------------------------- */

/* What the threads share. */
typedef struct pool {
    const lab_grid *grid;
    lab_cell *cells;
    size_t count;
    lab_progress progress;
    void *user;
    lab_mutex *mutex; /* guards what is below */
    size_t next;
    size_t done;
    es_result result;
} pool;

/* The next cell to run; false: there is none, or the run was stopped. */
static bool take_cell(pool *p, size_t *index)
{
    lab_mutex_lock(p->mutex);
    bool taken = p->next < p->count && p->result == ES_OK;
    *index = p->next;
    p->next += taken;
    lab_mutex_unlock(p->mutex);
    return taken;
}

static void report_cell(pool *p, es_result status)
{
    lab_mutex_lock(p->mutex);
    p->done += 1;
    if (status == ES_ERR_SPACE) {
        p->result = ES_ERR_SPACE;
    }
    if (p->progress != NULL && p->result == ES_OK && !p->progress(p->user, p->done, p->count)) {
        p->result = ES_ERR_STATE;
    }
    lab_mutex_unlock(p->mutex);
}

static void work(void *user)
{
    pool *p = user;
    lab_result result = {0};
    size_t index;
    while (take_cell(p, &index)) {
        lab_setup setup = lab_grid_setup(p->grid, index);
        lab_cell cell = lab_grid_place(p->grid, index);
        cell.status = lab_run(&setup, &result, NULL);
        if (cell.status == ES_OK) {
            cell.measures = result.measures;
        }
        p->cells[index] = cell;
        report_cell(p, cell.status);
    }
    lab_result_free(&result);
}

es_result lab_grid_run(
        const lab_grid *grid, int jobs, lab_cell *cells, lab_progress progress, void *user)
{
    lab_thread *threads[JOBS_MAX];
    int wanted = jobs < 1 ? 1 : jobs;
    wanted = wanted < JOBS_MAX ? wanted : JOBS_MAX;
    pool p = {.grid = grid, .cells = cells, .progress = progress, .user = user};
    p.count = lab_grid_count(grid);
    p.mutex = lab_mutex_create();
    if (p.mutex == NULL) {
        return ES_ERR_SPACE;
    }
    /* this thread works too; where no more threads are to be had, fewer do it */
    int started = 0;
    while (started < wanted - 1 && (threads[started] = lab_thread_start(work, &p)) != NULL) {
        started += 1;
    }
    work(&p);
    for (int i = 0; i < started; ++i) {
        lab_thread_join(threads[i]);
    }
    lab_mutex_free(p.mutex);
    return p.result;
}
