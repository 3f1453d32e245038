/* SPDX-License-Identifier: Zlib
 *
 * demo_job: a long update that begins every second: how much of a map each of its cells can see
 * through its haze, some 50 ms of work. At once it is a hitch; in slices nobody sees it.
 *
 * An item is a cell. Items read a map that does not change while the job runs, and write to a
 * result of their own, which is the world's from the tick at which it is due: the same, however it
 * was cut. How far it has come is part of the world as well (demo_task): what a tick is given says
 * how many items ran before it, so that a recording comes to the same states tick by tick.
 */
#ifndef DEMO_JOB_H
#define DEMO_JOB_H

#include "evenstep/clock.h"
#include "evenstep/slice.h"

enum {
    DEMO_MAP_WIDTH = 64,
    DEMO_MAP_HEIGHT = 18,
    DEMO_MAP_CELLS = DEMO_MAP_WIDTH * DEMO_MAP_HEIGHT
};

typedef enum demo_job_mode {
    DEMO_JOB_OFF = 0,
    DEMO_JOB_ONCE,   /* in the tick after it began */
    DEMO_JOB_SLICED, /* in idle time, by a budget; where ticks have a thread of their own in these,
                        an even share in each */
    DEMO_JOB_MODES
} demo_job_mode;

/* Part of the world. */
typedef struct demo_map {
    uint8_t haze[DEMO_MAP_CELLS]; /* how much of the light each cell lets pass, in 1/255 */
    uint8_t seen[DEMO_MAP_CELLS]; /* the newest result: 255: much can be seen from there */
    int32_t version;              /* results so far; 0: none yet */
    uint32_t first_sum;           /* of the first result: the same whatever the mode */
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

/* What the items of a job read: it follows from the map. {0}: nothing yet. */
typedef struct demo_haze {
    bool made;
    int32_t version; /* of the map */
    uint8_t cells[DEMO_MAP_CELLS];
} demo_haze;

/* What was found in one mode. */
typedef struct demo_job_figures {
    int64_t jobs;    /* whose result was used */
    int64_t items;   /* run ... */
    int64_t forced;  /* ... of these, as they were due, over what the method allows */
    int64_t work_ns; /* on all of them */
    int64_t most_ns; /* of one frame, or of one tick on a thread of its own */
} demo_job_figures;

/* Which items run when: it belongs to the thread of the ticks. */
typedef struct demo_job {
    es_slices set;
    es_slice slice;
    es_clock clock;
    demo_job_mode mode; /* of the set ... */
    int64_t due_tick;   /* ... and of which task it is, as far as that has come */
    int32_t done;
    bool made;
    bool threaded;
    demo_job_mode counted; /* the figures' */
    int32_t items;         /* run since the last tick */
    int64_t in_frame_ns;   /* spent since the last frame */
    demo_haze haze;
    demo_job_figures figures[DEMO_JOB_MODES];
} demo_job;

/** The name of a mode, for --job; NULL past the last. */
const char *demo_job_name_at(size_t index);

/** No job has begun. */
void demo_task_init(demo_task *task);

/** Runs the next items. */
void demo_task_run(demo_task *task, demo_haze *haze, const demo_map *map, int32_t items);

/** At each tick of the world, after the items that ran before it: uses the result, and begins. */
void demo_task_tick(demo_task *task, demo_map *map, demo_job_mode mode, const es_step *step);

/** How much of the present job is done: 0 to 1. */
double demo_task_share(const demo_task *task);

/** The loop is another; figures go on. threaded: ticks have a thread of their own. */
void demo_job_restart(demo_job *job, const es_clock *clock, bool threaded);

/** Before demo_task_tick: runs what is to run at this tick. */
void demo_job_slot(demo_job *job, demo_task *task, const demo_map *map, demo_job_mode mode,
        const es_step *step);

/** In idle time: runs items until then, on the clock, as far as that is wanted. */
void demo_job_idle(demo_job *job, demo_task *task, const demo_map *map, const es_frame *frame,
        int64_t until_ns);

/** What is run from now on is another frame's. */
void demo_job_frame(demo_job *job);

#endif
