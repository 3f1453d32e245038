/* SPDX-License-Identifier: Zlib */

#include "evenstep/schedule.h"

#include "job.h"

#include "lab/numbers.h"

#include <string.h>

#define PERIOD_NS      ES_NS_PER_S
#define TOP_OF_LIGHT   65535u
#define HAZE_HALF      120       /* what a wall lets pass, in 1/255 */
#define SUM_MULTIPLIER 16777619u /* FNV-1a */
#define SUM_BASIS      2166136261u

const char *demo_job_name_at(size_t index)
{
    static const char *const names[DEMO_JOB_MODES] = {"off", "once", "sliced"};
    return index < DEMO_JOB_MODES ? names[index] : NULL;
}

/* --- the work --------------------------------------------------------------------------------- */

/* The light of all other cells that reaches this one, along straight lines. Coordinates in 1/256 of
 * a cell. */
static uint32_t light_at(const uint8_t *haze, int32_t cell)
{
    int32_t x = cell % DEMO_MAP_WIDTH, y = cell / DEMO_MAP_WIDTH;
    uint32_t sum = 0;
    for (int32_t other = 0; other < DEMO_MAP_CELLS; ++other) {
        int32_t dx = other % DEMO_MAP_WIDTH - x, dy = other / DEMO_MAP_WIDTH - y;
        int32_t long_x = dx < 0 ? -dx : dx, long_y = dy < 0 ? -dy : dy;
        int32_t steps = long_x > long_y ? long_x : long_y;
        int32_t at_x = 256 * x + 128, at_y = 256 * y + 128;
        uint32_t light = TOP_OF_LIGHT;
        if (steps > 0) {
            dx = 256 * dx / steps;
            dy = 256 * dy / steps;
        }
        for (int32_t i = 0; i < steps; ++i) {
            at_x += dx;
            at_y += dy;
            light = light * haze[(at_y >> 8) * DEMO_MAP_WIDTH + (at_x >> 8)] / 255u;
        }
        sum += light >> 8;
    }
    return sum;
}

/* A street of houses that moves on by a cell with each job. Hashed: it does not repeat. */
static void make_haze(uint8_t *haze, int32_t version)
{
    for (int32_t cell = 0; cell < DEMO_MAP_CELLS; ++cell) {
        uint32_t x = (uint32_t)(cell % DEMO_MAP_WIDTH + version) / 3u;
        uint32_t y = (uint32_t)(cell / DEMO_MAP_WIDTH) / 3u;
        uint32_t hash = (x * 2654435761u) ^ (y * 2246822519u);
        hash = (hash ^ hash >> 15) * 3266489917u;
        haze[cell] = hash >> 29 < 3 ? HAZE_HALF : 250;
    }
}

static void use_result(const demo_task *task, demo_map *map)
{
    uint32_t most = 1, sum = SUM_BASIS;
    for (int32_t cell = 0; cell < DEMO_MAP_CELLS; ++cell) {
        most = task->light[cell] > most ? task->light[cell] : most;
        sum = (sum ^ task->light[cell]) * SUM_MULTIPLIER;
    }
    for (int32_t cell = 0; cell < DEMO_MAP_CELLS; ++cell) {
        map->seen[cell] = (uint8_t)((uint64_t)task->light[cell] * 255u / most);
    }
    make_haze(map->haze, map->version);
    map->first_sum = map->version == 0 ? sum : map->first_sum;
    map->version += 1;
}

void demo_task_init(demo_task *task)
{
    memset(task, 0, sizeof *task);
    task->due_tick = INT64_MIN;
}

void demo_task_run(demo_task *task, demo_haze *haze, const demo_map *map, int32_t items)
{
    if (items > 0 && (!haze->made || haze->version != map->version)) {
        make_haze(haze->cells, map->version);
        haze->version = map->version;
        haze->made = true;
    }
    for (; items > 0 && task->done < DEMO_MAP_CELLS; --items) {
        task->light[task->done] = light_at(haze->cells, task->done);
        task->done += 1;
    }
}

/* Whether the next tick goes on with the task. Else the task is dropped: the world is another. */
static bool goes_on(const demo_task *task, demo_job_mode mode, const es_step *step)
{
    return task->mode == (int32_t)mode && task->tick == step->index - 1;
}

static void begin(demo_task *task, const es_step *step)
{
    int64_t ticks = step->dt_ns > 0 ? PERIOD_NS / step->dt_ns : 1;
    task->begin_tick = step->index;
    task->due_tick = ns_add(step->index, ticks > 2 ? ticks : 2);
    task->done = 0;
}

void demo_task_tick(demo_task *task, demo_map *map, demo_job_mode mode, const es_step *step)
{
    if (!goes_on(task, mode, step)) {
        task->mode = (int32_t)mode;
        task->due_tick = INT64_MIN;
        task->done = 0;
    }
    task->tick = step->index;
    if (mode == DEMO_JOB_OFF) {
        return;
    }
    if (task->due_tick == step->index && task->done == DEMO_MAP_CELLS) {
        use_result(task, map);
    }
    if (task->due_tick == INT64_MIN || task->due_tick <= step->index) {
        begin(task, step);
    }
}

/* --- slices ----------------------------------------------------------------------------------- */

/* The task is part of the world: with another world the set slices what is left of its task. */
static void follow(demo_job *job, const demo_task *task, demo_job_mode mode)
{
    const es_slice_config configs[DEMO_JOB_MODES] = {
            [DEMO_JOB_ONCE] = {.method = ES_SLICE_COUNT, .count = DEMO_MAP_CELLS},
            [DEMO_JOB_SLICED] = {.method = ES_SLICE_SHARE}};
    const es_slice_job left = {.begin_tick = task->tick,
            .due_tick = task->due_tick,
            .items = DEMO_MAP_CELLS - task->done};
    if (job->due_tick != task->due_tick || job->done != task->done || job->mode != mode) {
        es_slices_destroy(job->set);
        job->set = es_slices_create(&configs[mode], 1);
        es_slices_begin(job->set, 0, &left); /* refused where no item is left */
    }
    if (job->mode != mode) {
        job->jobs = job->items = 0;
    }
    job->mode = mode;
    job->due_tick = task->due_tick;
}

void demo_job_finish(demo_job *job)
{
    es_slices_destroy(job->set);
    job->set = NULL;
}

int32_t demo_job_run(demo_job *job, demo_task *task, const demo_map *map, demo_job_mode mode,
        const es_step *step)
{
    es_slice_grant grant;
    int32_t items = 0;
    if (mode == DEMO_JOB_OFF || task->due_tick == INT64_MIN || !goes_on(task, mode, step)) {
        return 0;
    }
    follow(job, task, mode);
    es_slices_open_tick(job->set, step->index, 0, 0);
    while (es_slices_next(job->set, 0, &grant)) {
        demo_task_run(task, &job->haze, map, grant.items);
        items += grant.items;
    }
    job->done = task->done;
    job->items += items;
    job->jobs += task->due_tick == step->index && task->done == DEMO_MAP_CELLS;
    return items;
}
