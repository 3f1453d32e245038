/* SPDX-License-Identifier: Zlib
 *
 * slice: spreads one long update over several ticks or frames. It is done at its due tick.
 *
 * The program cuts an update of, for example, 50 ms into items: agents, cells, rays, the next
 * expansions of a search. It begins at one tick and is due at a later one. In between
 * es_slices_next says how many items to run now:
 *
 *   static const es_slice_config even = {0};                   // its even share at each tick
 *   es_slice slice;
 *   es_slices set;
 *   es_slices_init(&set, &slice, &even, 1, NULL);
 *   es_slices_begin(&set, 0, &(es_slice_job){.begin_tick = 0, .due_tick = 12, .items = 500});
 *   ...
 *   while (es_loop_tick(&loop, &step)) {
 *       es_slice_grant grant;
 *       es_slices_open_tick(&set, step.index, 0, 0);
 *       while (es_slices_next(&set, 0, &grant)) {
 *           run_items(grant.first, grant.items);
 *       }
 *       if (es_slices_is_done(&set, 0)) {                      // at its tick, 12, 24, ...
 *           use_the_result();
 *           es_slices_begin(&set, 0, &(es_slice_job){.begin_tick = step.index,
 *                                                    .due_tick = step.index + 12, .items = 500});
 *       }
 *       update(&world, step.dt_s);
 *   }
 *
 * A slice by budget needs a clock's readings in place of the 0s, and may run in the idle time
 * between frames (es_slices_open_frame).
 *
 * For exact replay, items must not change the world at a time that depends on the machine. Items
 * may run by any method if they read a copy that was made when the job began, and write to a result
 * of their own. Items that write to the world itself run in ticks, by share or by count.
 *
 * docs/slices.md has the methods, the idle time of the loop, and threads.
 *
 * Defaults. Threads: one at a time per set. Allocation: none; the caller gives the memory. Errors:
 * es_result; nothing changes on an error; ES_ERR_INVALID: a NULL, no such slice, or a value out of
 * range. Pointers must not be NULL, except error.
 */
#ifndef EVENSTEP_SLICE_H
#define EVENSTEP_SLICE_H

#include "evenstep/evenstep.h"

/* Most slices of a set, and items and ticks of a job. */
#define ES_SLICES_MAX      1024
#define ES_SLICE_ITEMS_MAX 1000000000
#define ES_SLICE_TICKS_MAX 1000000000

/* A number of items: run until the job is finished. Only for jobs of unknown length. */
#define ES_SLICE_ALL INT32_MAX

/* A budget gets an item after this many slots without time for one. */
#define ES_SLICE_PATIENCE 16

/* How many items run in a slot. */
typedef enum es_slice_method {
    ES_SLICE_SHARE = 0, /* in proportion to the ticks passed since begin: the same in every run */
    ES_SLICE_COUNT,     /* es_slice_config.count items */
    ES_SLICE_BUDGET     /* what fits into the slot's time, by what items have cost so far */
} es_slice_method;

/* In which slots. */
typedef enum es_slice_where {
    ES_SLICE_TICKS = 0, /* those of ticks */
    ES_SLICE_FRAMES     /* those of frames, in idle time; at ticks only what is due */
} es_slice_where;

/* What happens to a job that would not be done in time. A share is always in time. */
typedef enum es_slice_late {
    ES_SLICE_FORCE = 0, /* at its tick the rest runs at once, however long that takes */
    ES_SLICE_EVEN       /* a budget never falls behind its even share: in each slot what does not
                           fit runs all the same */
} es_slice_late;

/* {0}: its even share at each tick. */
typedef struct es_slice_config {
    es_slice_method method;
    es_slice_where where;
    es_slice_late late;
    int32_t count; /* by count: items in each slot, 1 to ES_SLICE_ITEMS_MAX; else 0 */
} es_slice_config;

/* One long update. */
typedef struct es_slice_job {
    int64_t begin_tick; /* the newest tick when it begins */
    int64_t due_tick;   /* its last slot; after begin_tick, by up to ES_SLICE_TICKS_MAX */
    int32_t items;      /* 1 to ES_SLICE_ITEMS_MAX; a guess if open */
    bool open;          /* of unknown length: es_slices_finish ends it */
} es_slice_job;

/* Items to run now. */
typedef struct es_slice_grant {
    int32_t slice; /* index */
    int32_t first; /* the first item, counted from 0 in each job */
    int32_t items; /* how many; ES_SLICE_ALL: until it is finished */
    bool forced;   /* beyond what the method allows, because they are due */
} es_slice_grant;

/* A slice's progress and its totals. */
typedef struct es_slice_status {
    bool running;         /* a job has begun and is not done */
    bool late;            /* its tick is over */
    int32_t items;        /* of the job: items run so far */
    int32_t left;         /* of the job: items left; of unknown length: of the guess, at least 1 */
    int64_t jobs;         /* jobs done */
    int64_t forced_jobs;  /* of these, with forced items */
    int64_t forced_items; /* forced items */
    int64_t missed;  /* jobs not done at their tick: es_slices_next was not called until done */
    int32_t most;    /* most items in one slot */
    int32_t waited;  /* slots in a row without time for it */
    int64_t cost_ns; /* estimated time of an item, rounded down; 0: unknown */
} es_slice_status;

/* One slice. All fields are private: see es_slices_status. */
typedef struct es_slice {
    es_slice_config config;
    es_slice_job job;
    uint32_t stages; /* of the open slot in which it may run items, as bits */
    int32_t done;    /* items of the job that have run */
    int32_t target;  /* its even share when the open slot is over */
    int32_t in_slot; /* items run in the open slot */
    bool running;
    bool done_once; /* done, and not begun since */
    bool late;
    bool forced;    /* the job had forced items */
    int64_t cost;   /* of an item, in 1/256 ns; 0: unknown */
    int64_t spread; /* its mean deviation */
    int32_t waited, most;
    int64_t jobs, forced_jobs, forced_items, missed;
} es_slice;

/* Slices that share time. All fields are private. It may be copied together with its slices. */
typedef struct es_slices {
    es_slice *slices; /* by priority */
    int32_t count;
    bool is_open, is_frame;   /* a slot */
    bool has_time;            /* the slot began with a budget */
    uint32_t stages;          /* of the slot that are not over, as bits */
    int32_t cursor;           /* the slice that is next in the lowest of them */
    int32_t last, last_items; /* of the last grant: slice (-1: none) and items */
    bool last_open;           /* the last grant is not measured yet */
    bool last_all;            /* it was ES_SLICE_ALL */
    bool last_forced;         /* it was forced */
    int64_t unread;           /* items before it that the clock was too coarse to measure */
    int64_t tick;             /* the newest tick */
    uint32_t part;            /* the way from it to the next, in 1/2^32 */
    int64_t now_ns, until_ns;
} es_slices;

#ifdef __cplusplus
extern "C" {
#endif

/** Makes a set of count slices, 1 to ES_SLICES_MAX, without jobs. Called again, it drops all jobs.
 *
 * slices: must outlive the set.
 * configs: copied; the first slice has the highest priority.
 * error: names the first bad field; may be NULL.
 */
ES_API es_result es_slices_init(es_slices *set, es_slice *slices, const es_slice_config *configs,
        int32_t count, es_error *error);

/** Begins a job, which runs from the next slot on. Take the copy of what its items read now.
 * ES_ERR_STATE: the slice's last job is not done. */
ES_API es_result es_slices_begin(es_slices *set, int32_t slice, const es_slice_job *job);

/** Opens the slot of a tick, before its update. Call es_slices_next until it returns false. Closes
 * a slot that is still open.
 *
 * tick: es_step.index.
 * now_ns: a clock's reading; 0 where no slice has a budget.
 * budget_ns: for all slices together, from now_ns on; items that are due may exceed it.
 */
ES_API void es_slices_open_tick(es_slices *set, int64_t tick, int64_t now_ns, int64_t budget_ns);

/** Opens the slot of a frame, in idle time: between es_loop_end and es_loop_begin, or between the
 * last es_loop_tick and es_loop_wait (es_loop_plan says for how long). Not while drawing, which is
 * the frame's work. Closes a slot that is still open.
 *
 * frame: from es_loop_plan, es_loop_wait or a report.
 * now_ns, budget_ns: as for es_slices_open_tick.
 */
ES_API void es_slices_open_frame(
        es_slices *set, const es_frame *frame, int64_t now_ns, int64_t budget_ns);

/** Returns true and what to run next in the open slot; false: the slot is closed.
 *
 * Shares and counts come first, then budgets up to their even share, then what is due and did not
 * fit, then budgets beyond their share while there is time; by priority in each.
 * now_ns: a reading of the slot's clock, from which the cost of the last items is learned. The same
 *   reading as before teaches nothing.
 * Source: the cost is a mean and a mean deviation, followed as round-trip times in RFC 6298.
 */
ES_API bool es_slices_next(es_slices *set, int64_t now_ns, es_slice_grant *grant);

/** Ends a job of unknown length, after its last grant was run.
 *
 * items: how many of the last grant were run, up to what it granted; 0 where the last grant was
 *   another slice's.
 * Errors: ES_ERR_STATE: the slice has no job of unknown length.
 */
ES_API es_result es_slices_finish(es_slices *set, int32_t slice, int32_t items);

/** Returns whether the slice's last job is done; false before the first, and for no slice. */
ES_API bool es_slices_is_done(const es_slices *set, int32_t slice);

/** Returns the slice's status; all 0 for no slice. */
ES_API es_slice_status es_slices_status(const es_slices *set, int32_t slice);

#ifdef __cplusplus
}
#endif

#endif
