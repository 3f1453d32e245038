/* SPDX-License-Identifier: Zlib
 *
 * demo_job: a long update that begins every second: how much of a map each of its cells can see
 * through its haze, some 50 ms of work. At once it is a hitch; in slices nobody sees it.
 *
 * An item is a cell. Items read a copy of the map, taken when the job begins, and write to a result
 * of their own, which is the world's from the tick at which it is due: the same, however it was
 * cut.
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

/* What was found in one mode. */
typedef struct demo_job_figures {
    int64_t jobs;    /* whose result was used */
    int64_t items;   /* run ... */
    int64_t forced;  /* ... of these, as they were due, over what the method allows */
    int64_t work_ns; /* on all of them */
    int64_t most_ns; /* of one frame, or of one tick on a thread of its own */
} demo_job_figures;

typedef struct demo_job {
    es_slices set;
    es_slice slice;
    es_clock clock;
    demo_job_mode mode;
    bool threaded;
    bool made;
    int64_t tick;        /* the newest */
    int64_t due_tick;    /* INT64_MIN: no job has begun */
    int64_t in_frame_ns; /* spent since the last frame */
    uint8_t haze[DEMO_MAP_CELLS];
    uint32_t light[DEMO_MAP_CELLS];
    demo_job_figures figures[DEMO_JOB_MODES];
} demo_job;

/** The name of a mode, for --job; NULL past the last. */
const char *demo_job_name_at(size_t index);

/** Drops what is under way; figures go on. threaded: ticks have a thread of their own. */
void demo_job_restart(demo_job *job, const es_clock *clock, bool threaded);

/** At each tick of the world: begins, runs what is due, and uses the result. */
void demo_job_tick(demo_job *job, demo_map *map, demo_job_mode mode, const es_step *step);

/** In idle time: runs items until then, on the clock, as far as that is wanted. */
void demo_job_idle(demo_job *job, const es_frame *frame, int64_t until_ns);

/** What is run from now on is another frame's. */
void demo_job_frame(demo_job *job);

/** How much of the present job is done: 0 to 1. */
double demo_job_share(const demo_job *job);

#endif
