/* SPDX-License-Identifier: Zlib
 *
 * demo_job: a long update that begins every second: how much of a map each of its cells can see
 * through its haze, some 50 ms of work. In one tick it is a hitch; in slices it is not visible.
 *
 * An item is a cell. Items read a map that does not change while the job runs, and write to a
 * result that the world takes over at the tick at which it is due, the same for any slices. The
 * progress is part of the world (demo_task): a tick's input has the number of items before it.
 */
#ifndef DEMO_JOB_H
#define DEMO_JOB_H

#include "evenstep/schedule.h"

enum {
    DEMO_MAP_WIDTH = 64,
    DEMO_MAP_HEIGHT = 18,
    DEMO_MAP_CELLS = DEMO_MAP_WIDTH * DEMO_MAP_HEIGHT
};

typedef enum demo_job_mode {
    DEMO_JOB_OFF = 0,
    DEMO_JOB_ONCE,   /* all of it in the tick after it began */
    DEMO_JOB_SLICED, /* an even share in each tick until it is due */
    DEMO_JOB_MODES
} demo_job_mode;

/* Part of the world. */
typedef struct demo_map {
    uint8_t haze[DEMO_MAP_CELLS]; /* how much of the light each cell lets pass, in 1/255 */
    uint8_t seen[DEMO_MAP_CELLS]; /* the newest result: 255: much can be seen from there */
    int32_t version;              /* results so far; 0: none yet */
    uint32_t first_sum;           /* checksum of the first result: the same in every mode */
} demo_map;

/* Part of the world, too: the job that is under way. */
typedef struct demo_task {
    int64_t tick; /* the newest */
    int64_t begin_tick;
    int64_t due_tick; /* INT64_MIN: no job has begun */
    int32_t mode;     /* a demo_job_mode */
    int32_t done;     /* items */
    uint32_t light[DEMO_MAP_CELLS];
} demo_task;

/* What the items of a job read; it follows from the map. {0}: not made yet. */
typedef struct demo_haze {
    bool made;
    int32_t version; /* of the map */
    uint8_t cells[DEMO_MAP_CELLS];
} demo_haze;

/* Which items run when, by es_slices. It belongs to the thread of the ticks. {0}: not begun. */
typedef struct demo_job {
    es_slices *set;
    int64_t due_tick; /* of the task that the set slices, */
    int32_t done;     /* and its items so far */
    demo_job_mode mode;
    demo_haze haze;
    int64_t jobs, items; /* results used and items run since the mode was chosen */
} demo_job;

/** The name of a mode, for --job; NULL past the last. */
const char *demo_job_name_at(size_t index);

/** Frees; {0} is accepted. */
void demo_job_finish(demo_job *job);

/** No job has begun. */
void demo_task_init(demo_task *task);

/** Runs the next items. */
void demo_task_run(demo_task *task, demo_haze *haze, const demo_map *map, int32_t items);

/** At each tick of the world, after the items before it: uses the result, and begins a job. */
void demo_task_tick(demo_task *task, demo_map *map, demo_job_mode mode, const es_step *step);

/** Before demo_task_tick: runs the items of this tick. Returns how many. */
int32_t demo_job_run(demo_job *job, demo_task *task, const demo_map *map, demo_job_mode mode,
        const es_step *step);

#endif
