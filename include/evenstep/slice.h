/* SPDX-License-Identifier: Zlib
 *
 * slice: spreads one long update over several ticks or frames, complete by its tick.
 *
 * An update that takes 50 ms every now and then is cut into items (agents, cells, rays, the next
 * expansions of a search). It begins at one tick and is due at a later one; in between the room
 * says how many items to run now:
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
 * A slice by budget wants a clock's readings in place of the 0s, and may run in the idle time
 * between frames (es_slices_open_frame); then what it did is in place by its tick, too.
 *
 * What an item does must not be seen before its job is done, or what runs when must not depend on
 * the machine. So: items that write to a result of their own, from a copy of what they read, taken
 * when the job began, may run by any method, in ticks or frames: the world is the same to the bit.
 * Items that write to the world itself run in ticks, by share or by count; or by a time budget
 * whose choices are written down (es_slice_grant) and fed back (es_slices_replay).
 *
 * The room has no clock: where there is a budget the caller hands in the readings. docs/slices.md
 * has the method, the idle time of the loop, and threads.
 *
 * Not for: work without a deadline, work that has no parts, or an item that is too long by itself.
 */
#ifndef EVENSTEP_SLICE_H
#define EVENSTEP_SLICE_H

#include "evenstep/frame.h"

/* Most slices of a set, items of a job, and ticks from its begin to its end. */
#define ES_SLICES_MAX      1024
#define ES_SLICE_ITEMS_MAX 1000000000
#define ES_SLICE_TICKS_MAX 1000000000

/* So many items: run until the job is finished. Only for jobs of unknown length. */
#define ES_SLICE_ALL INT32_MAX

/* After so many slots without a single item for lack of time, a slice is given one. */
#define ES_SLICE_PATIENCE 16

/* How many items run in a slot. */
typedef enum es_slice_method {
    ES_SLICE_SHARE = 0, /* as many as the time that has passed, of that from begin to due, is worth:
                           the same at every tick, whatever the machine does */
    ES_SLICE_COUNT,     /* count items */
    ES_SLICE_BUDGET     /* what fits into the slot's time, by what items have cost so far */
} es_slice_method;

/* In which slots. */
typedef enum es_slice_where {
    ES_SLICE_TICKS =
            0,      /* those of ticks: which items run before which tick can be the same in every
                           run */
    ES_SLICE_FRAMES /* those of frames: between ticks, in idle time; at ticks only what is due */
} es_slice_where;

/* What happens to a job that would not be done in time. */
typedef enum es_slice_late {
    ES_SLICE_FORCE = 0, /* at its tick the rest runs at once, however long that takes */
    ES_SLICE_EVEN,      /* and by a budget it is never behind its even share: what does not fit is
                           run all the same, a little in each slot, not all in the last */
    ES_SLICE_MISS       /* the deadline is missed, and that is reported; the job goes on */
} es_slice_late;

/* How a slice behaves. {0}: its even share at each tick. */
typedef struct es_slice_config {
    es_slice_method method;
    es_slice_where where;
    es_slice_late late; /* by share there is none: all three are the same */
    int32_t count;      /* by count: items in each slot, 1 to ES_SLICE_ITEMS_MAX; else 0 */
    uint32_t phase;     /* shares are rounded down after this much of an item, in 1/2^32, was added:
                           jobs of few heavy items do not all run one in the same slot where their
                           phases differ (es_slice_phase); 0: the last item runs at the due tick */
} es_slice_config;

/* One long update. */
typedef struct es_slice_job {
    int64_t begin_tick; /* the newest tick when it begins */
    int64_t due_tick;   /* it is done when this tick's slot is over; later than begin_tick, by
                           ES_SLICE_TICKS_MAX at most */
    int32_t items;      /* 1 to ES_SLICE_ITEMS_MAX; of unknown length: a guess ... */
    bool open;          /* ... and es_slices_finish says when it was the last */
} es_slice_job;

/* Items to run now. Tick, slice and items, written down in order, are what a replay needs. */
typedef struct es_slice_grant {
    int64_t tick;  /* they run before this tick: the slot's, or after a frame the next one */
    int32_t slice; /* index */
    int32_t first; /* of the items: counted from 0 in each job */
    int32_t items; /* how many; ES_SLICE_ALL: until it is finished */
    bool forced;   /* over what the method allows, as they are due */
} es_slice_grant;

/* What became of a slice's jobs. */
typedef struct es_slice_status {
    bool running;         /* a job has begun and is not done */
    bool late;            /* its tick is over */
    int32_t items;        /* of the job: run so far ... */
    int32_t left;         /* ... and left; of unknown length: of the guess, at least 1 */
    int64_t jobs;         /* done, in total */
    int64_t forced_jobs;  /* of which items had to be forced; in total ... */
    int64_t forced_items; /* ... so many, without those of ES_SLICE_ALL that es_slices_finish did
                             not count */
    int64_t missed;       /* jobs that were not done in time, in total */
    int32_t most;         /* items of one slot, at most; ES_SLICE_ALL counts as finish said */
    int32_t waited;       /* slots in a row that had no time for it */
    int64_t cost_ns;      /* what an item takes, as known; rounded down; 0: not known */
} es_slice_status;

/* One slice's state. The caller's memory; read es_slices_status. What each slot looks at lies in
 * the first 64 bytes. */
typedef struct es_slice {
    es_slice_config config;
    uint32_t stages; /* of the open slot, in which it may want something, as bits */
    es_slice_job job;
    int32_t done;    /* items of the job */
    int32_t target;  /* items that are to have run when the open slot is over; -1: not known yet */
    int32_t in_slot; /* items run in the open slot; 0 while none is */
    bool running;
    bool done_once; /* and not begun since */
    bool late;
    bool forced;    /* items of this job were */
    int64_t cost;   /* of an item, in 1/256 ns; 0: not known ... */
    int64_t spread; /* ... and how much it varies */
    int32_t waited;
    int32_t most;
    int64_t jobs, forced_jobs, forced_items, missed;
} es_slice;

/* Slices that share time. Initialise with es_slices_init. It may be copied, with its slices. */
typedef struct es_slices {
    es_slice *slices; /* the caller's; first come first: this is the priority */
    int32_t count;
    bool has_frames; /* there are slices for those */
    bool is_open;    /* a slot */
    bool is_frame;
    bool is_used;    /* it is for somebody */
    bool has_time;   /* it began with some */
    uint32_t stages; /* in which somebody may still want something, as bits: in the lowest ... */
    int32_t cursor;  /* ... this slice is asked next */
    int32_t last;    /* the slice of the slot's last grant; -1: none was made */
    int32_t last_items;
    bool last_open;   /* what that grant led to is still to be measured ... */
    bool last_all;    /* ... it was to be finished ... */
    bool last_forced; /* ... over what its method allows */
    int64_t unread;   /* its items run since the reading moved, without that grant's */
    int64_t tick;     /* the slot's: the newest, and so much of the way to the next ... */
    uint32_t part;    /* ... in 1/2^32 */
    int64_t run_tick; /* what runs in the slot runs before this one */
    int64_t now_ns;
    int64_t until_ns;
} es_slices;

#ifdef __cplusplus
extern "C" {
#endif

/** Makes a set of slices. None has a job.
 *
 * set: the caller's; not NULL.
 * slices: count of them, the caller's memory, any content.
 * configs: count of them, copied. The first has the highest priority.
 * count: 1 to ES_SLICES_MAX.
 * error: filled with the first offending field, or with NULLs; may be NULL.
 * Returns: ES_OK, or an error and an unchanged set.
 * Errors: ES_ERR_INVALID: a NULL, count or a field of a configuration out of its range.
 * Ownership: borrows slices as long as the set is used; keeps nothing of configs.
 * Threads: any thread; then one thread at a time per set.
 */
ES_API es_result es_slices_init(es_slices *set, es_slice *slices, const es_slice_config *configs,
        int32_t count, es_error *error);

/** A phase for each of several slices, spread as evenly as can be for any number of them.
 *
 * index: of the slice.
 * Returns: for es_slice_config.phase: index times the golden ratio, of which the whole is left out.
 * Errors: none.
 * Ownership: a plain value.
 * Threads: any thread.
 * Source: the additive recurrence of the golden ratio: any first n of its terms cut the circle into
 *   arcs of at most three lengths (the three-gap theorem, V. T. Sos 1958).
 */
ES_API uint32_t es_slice_phase(int32_t index);

/** Begins a job. Take the copy of what its items read at the same time.
 *
 * It runs from the next slot on.
 * set: initialised.
 * slice: index.
 * job: copied; not NULL.
 * Returns: ES_OK, or an error and an unchanged slice.
 * Errors: ES_ERR_INVALID: no such slice, a NULL, or a field out of its range. ES_ERR_STATE: the
 *   slice's last job is not done; es_slices_cancel drops it.
 * Ownership: keeps nothing.
 * Threads: one thread at a time per set.
 */
ES_API es_result es_slices_begin(es_slices *set, int32_t slice, const es_slice_job *job);

/** Drops a job: after a seek, or when its result is of no more use. It counts as neither done nor
 * missed.
 *
 * set: initialised.
 * slice: index; one without a job, or none at all, changes nothing.
 * Returns: nothing.
 * Errors: none.
 * Ownership: keeps nothing.
 * Threads: one thread at a time per set.
 */
ES_API void es_slices_cancel(es_slices *set, int32_t slice);

/** Opens the slot of a tick: call es_slices_next until it returns false, before the tick's update.
 *
 * set: initialised. A slot that is still open is closed.
 * tick: es_step.index.
 * now_ns: a reading of a clock, from which es_slices_next's go on; 0 where no slice has a budget.
 * budget_ns: time for all slices together, counted from now_ns; jobs that are due may exceed it.
 * Returns: nothing.
 * Errors: none.
 * Ownership: keeps nothing.
 * Threads: one thread at a time per set.
 */
ES_API void es_slices_open_tick(es_slices *set, int64_t tick, int64_t now_ns, int64_t budget_ns);

/** Opens the slot of a frame: in idle time, between es_loop_end and es_loop_begin, or between the
 * last es_loop_tick and es_loop_ready (es_loop_plan tells for how long). Not while drawing, whose
 * time is the frame's work.
 *
 * set: initialised. A slot that is still open is closed.
 * frame: of es_loop_plan, es_loop_ready or a report: where between two ticks it stands; not NULL.
 * now_ns, budget_ns: as for es_slices_open_tick.
 * Returns: nothing.
 * Errors: none.
 * Ownership: keeps nothing.
 * Threads: one thread at a time per set.
 */
ES_API void es_slices_open_frame(
        es_slices *set, const es_frame *frame, int64_t now_ns, int64_t budget_ns);

/** What to run next in the open slot.
 *
 * First come shares and counts, then budgets: each slice up to its even share, then what is due
 * and did not fit, then whatever else there is time for; each of these in order of priority. Where
 * only one slice can take time, and nothing is forced, its share and the rest are one grant.
 * set: initialised.
 * now_ns: a reading of the same clock: what the last items took is learned from it. One that does
 *   not move teaches nothing.
 * grant: filled when the answer is true; not NULL.
 * Returns: true: run these items, and call again. False: that was all, the slot is closed.
 * Errors: none; false also when no slot is open.
 * Ownership: keeps nothing.
 * Threads: one thread at a time per set.
 * Source: the cost is a mean and a mean deviation that follow, as round-trip times in RFC 6298.
 */
ES_API bool es_slices_next(es_slices *set, int64_t now_ns, es_slice_grant *grant);

/** Runs what another run has written down, in place of es_slices_next.
 *
 * In the slot of tick n: every choice whose tick is n, in order. They may come from frames.
 * set: initialised, with the same slices and jobs.
 * slice, items: of the grant that was written.
 * grant: filled with what to run; not NULL. Its forced is false.
 * Returns: ES_OK, or an error and nothing to run.
 * Errors: ES_ERR_STATE: no slot is open, or the slice has no job. ES_ERR_INVALID: no such slice, a
 *   NULL, or a number of items that the job cannot have: this is another run.
 * Ownership: keeps nothing.
 * Threads: one thread at a time per set.
 */
ES_API es_result es_slices_replay(
        es_slices *set, int32_t slice, int32_t items, es_slice_grant *grant);

/** Says that a job of unknown length is finished: after running the last grant, or a part of it.
 *
 * set: initialised.
 * slice: index.
 * items: how many of the last grant's were run, at most as many as it granted; 0 where the last
 *   grant was not this slice's.
 * Returns: ES_OK: the job is done.
 * Errors: ES_ERR_INVALID: no such slice, or items out of range. ES_ERR_STATE: the slice has no job
 *   of unknown length.
 * Ownership: keeps nothing.
 * Threads: one thread at a time per set.
 */
ES_API es_result es_slices_finish(es_slices *set, int32_t slice, int32_t items);

/** Whether the job that began last is done.
 *
 * set: initialised.
 * slice: index.
 * Returns: true until the next begins; false before the first, after a cancel, and for no slice.
 * Errors: none.
 * Ownership: keeps nothing.
 * Threads: one thread at a time per set.
 */
ES_API bool es_slices_is_done(const es_slices *set, int32_t slice);

/** What became of a slice's jobs.
 *
 * set: initialised.
 * slice: index.
 * Returns: a plain value; all 0 for no slice.
 * Errors: none.
 * Ownership: a plain value.
 * Threads: one thread at a time per set.
 */
ES_API es_slice_status es_slices_status(const es_slices *set, int32_t slice);

#ifdef __cplusplus
}
#endif

#endif
