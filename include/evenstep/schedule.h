/* SPDX-License-Identifier: Zlib
 *
 * schedule: several tick rates in one simulation (es_rates), long updates spread over several ticks
 * or frames (es_slices), and many loops without frames on one thread (es_server).
 *
 * Defaults. Threads: one at a time per object. Allocation: only the create functions. Errors: false
 * or NULL, then nothing has changed, and es_get_error tells why. A NULL object: the function does
 * nothing and returns 0. Other pointers must not be NULL unless the function says so.
 */
#ifndef EVENSTEP_SCHEDULE_H
#define EVENSTEP_SCHEDULE_H

#include "evenstep/evenstep.h"

#ifdef __cplusplus
extern "C" {
#endif

/* --- several rates ----------------------------------------------------------------------------
 *
 * The loop runs base ticks. A group ticks at every nth of them, or at a rate of its own, each tick
 * with its exact time. Frames show each group with an alpha of its own:
 *
 *   enum { PHYSICS, GAME, AI, GROUPS };
 *   static const es_rate_group groups[GROUPS] = {          // the loop's tick rate: 120
 *           {.period = 1}, {.period = 2}, {.period = 12, .phase = 1}};
 *   es_rates *rates = es_rates_create(&(es_rates_config){groups, GROUPS, es_hz(120)});
 *   ...
 *   es_rates_run run = {0};                                // in each tick of the loop
 *   while (es_rates_next(rates, step.index, &run)) {
 *       update[run.group](es_history_push(&history[run.group], &run.step), &run.step);
 *   }
 *   ...
 *   es_rates_frame(rates, AI, &frame, &of_ai);             // its pair, its alpha
 *
 * A group's tick is a step over a span of simulated time, and its state belongs to the end of the
 * span. With lead_ticks 0 it runs at the base tick in which its span begins: every frame lies
 * between two of its ticks, without a delay. With lead_ticks -1 it runs at the base tick at which
 * its span is over: for decisions by the newest state, or results computed meanwhile. Show such a
 * group with delay_ticks 1.
 *
 * All is a function of the base tick's index: a pause, a seek or a rollback needs no call. It does
 * not fit steps of varying length (ES_STEP_VARIABLE, ES_CATCH_UP_STRETCH). docs/guide.md has more.
 */

typedef struct es_rates es_rates;
typedef struct es_rates_config es_rates_config; /* these structs: below the functions */
typedef struct es_rates_run es_rates_run;

ES_API es_rates *es_rates_create(const es_rates_config *config);
ES_API void es_rates_destroy(es_rates *rates);

/* Changes the base rate. Groups with a period follow; those with a rate of their own keep it. The
 * last four rates are remembered, for frames that show earlier ticks.
 *
 * tick: the newest base tick at the change; later than at the last change.
 * time_ns: its es_step.time_ns; later than that of the base tick before it.
 * rate: of the ticks after it.
 */
ES_API bool es_rates_rebase(es_rates *rates, int64_t tick, int64_t time_ns, es_rate rate);

/* Fills run with the next tick to run at base_tick (es_step.index), by group and then by tick.
 * false: no more. */
ES_API bool es_rates_next(const es_rates *rates, int64_t base_tick, es_rates_run *run);

/* Returns a group's newest tick once base_tick has run; 0 before its first. After a seek it is the
 * tick whose state the group needs.
 *
 * time_ns: receives the tick's exact simulated time, for es_history_reset; may be NULL.
 */
ES_API int64_t es_rates_newest(
        const es_rates *rates, int32_t group, int64_t base_tick, int64_t *time_ns);

/* Fills a frame of one group: t(previous) < C <= t(current) and 0 < alpha <= 1.
 *
 * C is the frame's content less the group's delay. Before tick 0 the pair is tick 0 twice. Past the
 * newest tick that has run it is the newest two with alpha 1, and ahead_ns says how far past.
 * frame: the loop's; its newest_tick says what has run.
 * out: a copy of frame with the group's content_ns, ticks of the pair, their times, alpha,
 *   newest_tick, newest_ns, ahead_ns and ticks. May be frame.
 */
ES_API bool es_rates_frame(
        const es_rates *rates, int32_t group, const es_frame *frame, es_frame *out);

/* Returns the ticks that a group's history needs for the pair of every frame; 0 for no group. With
 * a rate of its own its next span may have run while frames still show the one before: one more.
 * lead_ticks: the loop's. */
ES_API int32_t es_rates_history_ticks(const es_rates *rates, int32_t group, int32_t lead_ticks);

/* What ticks together. */
typedef struct es_rate_group {
    int32_t period;     /* base ticks from one of its ticks to the next, up to 1 000 000; 0: a rate
                            of its own */
    int32_t phase;      /* the base tick of its tick 0, the initial state: 0 to period - 1; 0 with a
                            rate of its own */
    es_rate rate;       /* with period 0, up to 1 000 000 per second; else {0, 0} */
    int32_t lead_ticks; /* its ticks that have run beyond those that a frame blends: -1 to 6; 1 for
                            splines */
    int32_t delay_ticks; /* its ticks by which its content is behind: 0 to 8 */
} es_rate_group;

typedef struct es_rates_config {
    const es_rate_group *groups; /* copied; of one base tick they run in this order */
    int32_t count;               /* 1 to 256 */
    es_rate base;                /* the loop's tick rate, up to 1 000 000 per second */
} es_rates_config;

/* A group's tick to run now. {0} before the first es_rates_next of each base tick. */
typedef struct es_rates_run {
    int32_t group; /* index */
    es_step step;  /* index, time_ns, dt_ns and dt_s are the group's; in_frame counts its ticks of
                      this base tick */
    int64_t base_tick; /* private */
} es_rates_run;

/* --- slices -----------------------------------------------------------------------------------
 *
 * The program cuts an update of, for example, 50 ms into items: agents, cells, rays, the next
 * expansions of a search. A job begins at one tick and is done at a later one, its due tick. In
 * between es_slices_next says how many items to run now:
 *
 *   es_slices *set = es_slices_create(&(es_slice_config){0}, 1);  // its even share at each tick
 *   es_slice_job job = {.begin_tick = 0, .due_tick = 12, .items = 500};
 *   es_slices_begin(set, 0, &job);
 *   ...
 *   es_slice_grant grant;                                         // in each tick of the loop
 *   es_slices_open_tick(set, step.index, 0, 0);
 *   while (es_slices_next(set, 0, &grant)) {
 *       run_items(grant.first, grant.items);
 *   }
 *   if (es_slices_get_status(set, 0).done) {                      // at its tick
 *       use_the_result();
 *   }
 *
 * A slice by budget needs a clock's readings in place of the 0s. For exact replay, items must not
 * change the world at a time that depends on the machine: let them read a copy that was made when
 * the job began, and write to a result of their own. docs/guide.md has more.
 */

typedef struct es_slices es_slices;
typedef struct es_slice_config es_slice_config; /* these structs: below the functions */
typedef struct es_slice_job es_slice_job;
typedef struct es_slice_grant es_slice_grant;

/* Creates a set of count slices, 1 to 1024, without jobs. configs: copied; the first slice has the
 * highest priority. */
ES_API es_slices *es_slices_create(const es_slice_config *configs, int32_t count);
ES_API void es_slices_destroy(es_slices *set);

/* Begins a job, which runs from the next slot on. Take the copy of what its items read now. false
 * also when the slice's last job is not done. */
ES_API bool es_slices_begin(es_slices *set, int32_t slice, const es_slice_job *job);

/* Opens the slot of a tick, before its update. Call es_slices_next until it returns false.
 *
 * tick: es_step.index.
 * now_ns: a clock's reading; 0 where no slice has a budget.
 * budget_ns: for all slices together, from now_ns on; items that are due may exceed it.
 */
ES_API void es_slices_open_tick(es_slices *set, int64_t tick, int64_t now_ns, int64_t budget_ns);

/* Opens the slot of a frame, in idle time: before drawing, or before the next frame. Not while
 * drawing, which is the frame's work. frame: the last one. */
ES_API void es_slices_open_frame(
        es_slices *set, const es_frame *frame, int64_t now_ns, int64_t budget_ns);

/* Returns true and what to run next in the open slot; false: the slot is closed.
 *
 * Shares and counts come first, then budgets up to their even share, then what is due and did not
 * fit, then budgets beyond their share while there is time; by priority in each.
 * now_ns: a reading of the slot's clock, from which the cost of the last items is learned. The same
 *   reading as before teaches nothing.
 * Source: the cost is a mean and a mean deviation, followed as round-trip times in RFC 6298.
 */
ES_API bool es_slices_next(es_slices *set, int64_t now_ns, es_slice_grant *grant);

/* Ends a job of unknown length, after its last grant was run. items: how many of the last grant
 * were run; 0 where the last grant was another slice's. */
ES_API bool es_slices_finish(es_slices *set, int32_t slice, int32_t items);

/* A number of items: run until the job is finished. Only for jobs of unknown length. */
#define ES_SLICE_ALL INT32_MAX

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
    int32_t count; /* by count: items in each slot, 1 to 1 000 000 000; else 0 */
} es_slice_config;

/* One long update. */
typedef struct es_slice_job {
    int64_t begin_tick; /* the newest tick when it begins */
    int64_t due_tick;   /* its last slot; after begin_tick, by up to 1 000 000 000 */
    int32_t items;      /* 1 to 1 000 000 000; a guess if open */
    bool open;          /* of unknown length: es_slices_finish ends it */
} es_slice_job;

/* Items to run now. */
typedef struct es_slice_grant {
    int32_t slice; /* index */
    int32_t first; /* the first item, counted from 0 in each job */
    int32_t items; /* how many; ES_SLICE_ALL: until it is finished */
} es_slice_grant;

typedef struct es_slice_status {
    bool done;      /* the last job is done, and none has begun since */
    int64_t forced; /* items beyond what the method allows, because they were due; in total */
    int64_t missed; /* jobs not done at their tick, because es_slices_next was not called until it
                       returned false; in total */
} es_slice_status;

/* All 0 for no slice. */
ES_API es_slice_status es_slices_get_status(const es_slices *set, int32_t slice);

/* --- many loops on one thread -----------------------------------------------------------------
 *
 * A dedicated server has a loop per match: ticks at an exact rate, and no frames. es_server_next
 * waits for the next tick of any of them:
 *
 *   es_server *server = es_server_create(&(es_server_config){.loops_max = 1000});
 *   es_server_loop config = {.tick_rate = {30, 1}, .user = &match};
 *   int32_t loop = es_server_add(server, &config);
 *   es_server_tick tick;
 *   while (running && es_server_next(server, INT64_MAX, &tick)) {
 *       update(tick.user, &tick.step);
 *   }
 *
 * Ticks are due at start + floor(n * period), for ever. The starts of the loops are spread over
 * their periods. The tick that was due first runs first. After a tick that took longer than its
 * period, the others that are due come first. Gaps (es_gap) are not caught up. docs/servers.md has
 * more.
 *
 * A server belongs to one thread. A loop takes 160 bytes.
 */

typedef struct es_server es_server;
typedef struct es_server_config es_server_config; /* these structs: below the functions */
typedef struct es_server_loop es_server_loop;
typedef struct es_server_tick es_server_tick;

/* Creates a server without loops. */
ES_API es_server *es_server_create(const es_server_config *config);
ES_API void es_server_destroy(es_server *server);

/* Adds a loop, whose first tick is due within a period. config: copied; NULL: the default. Returns
 * its number, or -1. Numbers of removed loops are used again. */
ES_API int32_t es_server_add(es_server *server, const es_server_loop *config);
ES_API bool es_server_remove(es_server *server, int32_t loop);

/* Ends the last tick, waits for the next one, and fills tick.
 *
 * until_ns: on the clock: false if no tick is due by then. A time that has passed: does not wait.
 *   INT64_MAX: false only if there is no loop, or all are paused.
 */
ES_API bool es_server_next(es_server *server, int64_t until_ns, es_server_tick *tick);

/* When the next tick is due, on the clock, for programs that wait for sockets; INT64_MAX: never. */
ES_API int64_t es_server_due_ns(const es_server *server);

/* Stops or resumes a loop. The time between is not caught up, and ticks stay on the same times. */
ES_API bool es_server_set_paused(es_server *server, int32_t loop, bool paused);

/* Changes the rate of a loop, from its last tick on. */
ES_API bool es_server_set_rate(es_server *server, int32_t loop, es_rate rate);

typedef struct es_server_config {
    int32_t loops_max; /* 1 to 1 000 000 */
    int64_t slack_ns; /* a wait may end this much after a tick is due, so that ticks share a wake-up
                         and the thread seldom spins: up to 1 s; default 100 us; 1: as exact as
                         es_wait_until. With a clock of the program a wait ends when it is due */
    int64_t gap_ns;   /* as es_loop_config.gap_ns; default 1 s */
    es_clock clock;   /* default: the system's. Without wait_until nothing waits */
} es_server_config;

typedef struct es_server_loop {
    es_rate tick_rate;       /* default 60, up to 1 000 000 per second */
    int64_t catch_up_max_ns; /* ticks that are later do not run; whole periods of time are lost.
                                Default 250 ms; 1: no tick runs when the one after it is due */
    void *user;              /* for es_server_tick.user */
} es_server_loop;

/* A tick to run now. */
typedef struct es_server_tick {
    int32_t loop;    /* what es_server_add returned */
    void *user;      /* the loop's */
    es_step step;    /* in_frame is 0 */
    int64_t late_ns; /* it begins this much after step.due_ns, without gaps */
    int64_t dropped; /* ticks of this loop that were not run, since the one before */
    es_gap gap;      /* of the server, since its last tick */
} es_server_tick;

typedef struct es_server_status {
    es_rate tick_rate;
    bool paused;
    int64_t tick;                 /* the newest */
    int64_t time_ns;              /* its es_step.time_ns */
    int64_t dropped;              /* ticks that were not run, in total */
    int64_t late_ns, late_max_ns; /* how late its ticks began: in total, and the latest */
    int64_t busy_ns, busy_max_ns; /* from the return of es_server_next to its next call: in total,
                                     and the longest tick. Gaps do not count */
} es_server_status;

/* All 0 for no loop. */
ES_API es_server_status es_server_get_status(const es_server *server, int32_t loop);

#ifdef __cplusplus
}
#endif

#endif
