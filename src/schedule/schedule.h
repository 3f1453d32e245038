/* SPDX-License-Identifier: Zlib
 *
 * Private structs and functions of the schedule module: rates.c, slice.c, server.c. The
 * functions do not check their pointers.
 */
#ifndef ES_SCHEDULE_H
#define ES_SCHEDULE_H

#include "evenstep/schedule.h"

#include "base/common.h"
#include "loop/gap.h"

/* --- rates ------------------------------------------------------------------------------------ */

#define ES__RATES_GROUPS_MAX 256
#define ES__RATES_PERIOD_MAX 1000000
#define ES__RATES_LEAD_MAX   6
#define ES__RATES_DELAY_MAX  8

/* Changes of the base rate that are remembered; earlier ticks are placed at the oldest rate. */
#define ES__RATES_BASES 4

/* From this base tick on, at this time, base ticks come at this rate. */
typedef struct es__rates_base {
    int64_t tick;
    int64_t time_ns;
    es_rate rate;
} es__rates_base;

struct es_rates {
    const es_rate_group *groups;
    int32_t count;
    int32_t base_count;
    es__rates_base bases[ES__RATES_BASES]; /* oldest first */
};

/* groups: must outlive rates. count: 1 to ES__RATES_GROUPS_MAX. error: names the first bad field;
 * may be NULL. */
es_result es__rates_init(es_rates *rates, const es_rate_group *groups, int32_t count, es_rate base,
        es__error *error);

/* The newest tick of a group, and the time of any; 0 for no group. */
int64_t es__rates_newest(const es_rates *rates, int32_t group, int64_t base_tick);
int64_t es__rates_time_ns(const es_rates *rates, int32_t group, int64_t tick);

/* --- slices ----------------------------------------------------------------------------------- */

#define ES__SLICES_MAX      1024
#define ES__SLICE_ITEMS_MAX 1000000000
#define ES__SLICE_TICKS_MAX 1000000000

/* A budget gets an item after this many slots without time for one. */
#define ES__SLICE_PATIENCE 16

typedef struct es__slice {
    es_slice_config config;
    es_slice_job job;
    uint32_t stages; /* of the open slot in which it may run items, as bits */
    int32_t done;    /* items of the job that have run */
    int32_t target;  /* its even share when the open slot is over */
    int32_t in_slot; /* items run in the open slot */
    bool running;
    bool done_once; /* done, and not begun since */
    bool late;      /* its tick is over */
    bool forced;    /* the job had forced items */
    int64_t cost;   /* of an item, in 1/256 ns; 0: unknown */
    int64_t spread; /* its mean deviation */
    int32_t waited; /* slots in a row without time for it */
    int32_t most;   /* most items in one slot */
    int64_t jobs, forced_jobs, forced_items, missed;
} es__slice;

struct es_slices {
    es__slice *slices; /* by priority */
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
};

/* count: 1 to ES__SLICES_MAX. error: names the first bad field; may be NULL. */
es_result es__slices_init(es_slices *set, es__slice *slices, const es_slice_config *configs,
        int32_t count, es__error *error);

/* --- servers ---------------------------------------------------------------------------------- */

#define ES__SERVER_LOOPS_MAX 1000000

/* Places of loops that are not in the heap. */
enum { ES__SERVER_PAUSED = -1, ES__SERVER_FREE = -2 };

/* Times are those of the gap filter. Tick n simulates up to base_ns + floor((n - base_tick) *
 * period). Slot n begins at origin_ns + floor(n * period): a dropped or paused tick uses up a slot
 * alone, so that neither time drifts. */
typedef struct es__server_loop {
    es_rate rate;
    double period_s;
    int64_t tick; /* the newest */
    int64_t time_ns;
    int64_t base_tick;
    int64_t base_ns;
    int64_t slot; /* of the next tick */
    int64_t due_ns;
    int64_t origin_ns;
    int64_t catch_up_max_ns;
    int64_t dropped;
    int64_t late_ns, late_max_ns, busy_ns, busy_max_ns;
    void *user;
    int32_t next; /* free: the next free one, or -1 */
} es__server_loop;

/* The heap: four children per entry. Keys: when a tick is due; after a tick that was longer than
 * its period: when that ended, so that an overloaded loop does not keep the others waiting. */
typedef struct es__server_entry {
    int64_t key_ns;
    int32_t loop;
} es__server_entry;

struct es_server {
    es__server_loop *loops;
    es__server_entry *heap;
    int32_t *places; /* of loops in the heap, or of the enum above */
    int32_t used;    /* loops that have been used */
    int32_t count;   /* entries of the heap */
    int32_t free;    /* the first removed loop; -1: none */
    int32_t running; /* whose tick runs; -1: none */
    int64_t begun_ns;
    uint32_t phase; /* of the loop that is added next, in 1/2^32 */
    int32_t loops_max;
    int64_t slack_ns;
    int64_t observed_ns; /* when the gap filter got its last evidence */
    es__gap_filter gap;
    es_clock clock;
    bool is_system; /* the clock */
};

#endif
