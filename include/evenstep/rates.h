/* SPDX-License-Identifier: Zlib
 *
 * rates: groups of a simulation that tick at different rates, each with its own exact times and its
 * own right alpha.
 *
 * The loop runs base ticks; a group ticks at every so many of them, or at a rate of its own. After
 * each base tick the room says which groups tick now, in the order in which they are declared, and
 * for each frame where content lies between two ticks of each group:
 *
 *   enum { PHYSICS, GAME, AI, GROUPS };
 *   static const es_rate_group groups[GROUPS] = {          // the loop's tick rate: 120
 *           {.period = 1}, {.period = 2}, {.period = 12, .phase = 1}};
 *   es_rates rates;
 *   es_rates_init(&rates, groups, GROUPS, es_hz(120), NULL);
 *   for (int g = 0; g < GROUPS; ++g)                       // each has a history of its own
 *       es_history_reset(&history[g], 0, es_rates_time_ns(&rates, g, 0));
 *   ...
 *   while (es_loop_tick(&loop, &step)) {
 *       es_rates_run run;
 *       es_rates_open(&rates, step.index, &run);
 *       while (es_rates_next(&rates, &run)) {
 *           update[run.group](es_history_push(&history[run.group], &run.step), &run.step);
 *       }
 *   }
 *   es_loop_ready(&loop, &frame);
 *   es_rates_frame(&rates, AI, &frame, &of_ai);            // its pair, its alpha
 *   es_blend_frame(&ai_layout, &history[AI], &of_ai, &seen);
 *
 * When a group ticks. Like a loop's, a group's tick is a step over a span of simulated time, and
 * its state belongs to the end of the span. It runs at the base tick in which its span begins, so
 * that the picture always lies between two ticks of each group, for any group as for the base: that
 * adds no delay (lead_ticks 0). Or at the base tick at which its span is over (lead_ticks -1), for
 * what decides by the newest state, or is computed meanwhile (slice.h); then it is shown one of its
 * own ticks late (delay_ticks 1), or ahead of what is known.
 *
 * How many ticks a group's history keeps. Two for a group with a period; three for one with a rate
 * of its own. Its ticks lie between base ticks: one of them may begin within the base tick whose
 * content is drawn. Then its span has run already, while frames before that instant still blend the
 * span before: three ticks in two spans. With two kept the older span is lost, and es_blend_frame
 * returns ES_ERR_INVALID. es_rates_history_ticks has the number for any group.
 *
 * Everything is a function of the base tick's index: there is nothing to pause, to scale or to
 * drop, and after a seek the room is simply asked for another index. docs/rates.md has the rest.
 *
 * Not for: loops with steps of varying length (ES_STEP_VARIABLE, ES_CATCH_UP_STRETCH).
 */
#ifndef EVENSTEP_RATES_H
#define EVENSTEP_RATES_H

#include "evenstep/frame.h"

#define ES_RATES_GROUPS_MAX 256
#define ES_RATES_PERIOD_MAX 1000000 /* base ticks from one of a group's ticks to the next */
#define ES_RATES_LEAD_MAX   6
#define ES_RATES_DELAY_MAX  8

/* Changes of the base's rate that are remembered: ticks before the oldest of them are placed as if
 * its rate had always been. */
#define ES_RATES_BASES 4

/* What ticks together. */
typedef struct es_rate_group {
    int32_t period;      /* base ticks from one of its ticks to the next, 1 to ES_RATES_PERIOD_MAX;
                            0: a rate of its own, which needs a history of 3 ticks ... */
    int32_t phase;       /* its tick 0, which is its initial state, is at this base tick; 0 to
                            period - 1; with a rate of its own 0. es_rates_spread chooses it */
    es_rate rate;        /* ... up to 1 000 000 per second; else {0, 0} */
    int64_t phase_ns;    /* with a rate of its own: the time of its tick 0, at least 0; else 0 */
    int32_t lead_ticks;  /* how many of its own ticks have run beyond those that a frame blends: 0;
                            for splines 1; up to ES_RATES_LEAD_MAX. -1: a tick runs when its time
                            has come, not a period before */
    int32_t delay_ticks; /* how many of its own ticks its picture stays behind; 0 to
                            ES_RATES_DELAY_MAX */
    int64_t cost;        /* of one of its ticks, in any unit, for es_rates_spread; 0 to 1e12 */
} es_rate_group;

/* From this base tick on, at this time, base ticks come at this rate. */
typedef struct es_rates_base {
    int64_t tick;
    int64_t time_ns;
    es_rate rate;
} es_rates_base;

/* Initialise with es_rates_init; read nothing here, use the functions. */
typedef struct es_rates {
    const es_rate_group *groups;
    int32_t count;
    int32_t base_count;
    es_rates_base bases[ES_RATES_BASES]; /* oldest first */
} es_rates;

/* A group's tick to run now: of es_rates_next. */
typedef struct es_rates_run {
    int32_t group;     /* index */
    es_step step;      /* index, time_ns, dt_ns, dt_s are the group's; in_frame counts its ticks of
                          this base tick */
    int64_t base_tick; /* the rest is the room's */
    int64_t last;      /* the group's last tick of this base tick */
    int64_t before_ns; /* time of the base tick before, and of this one */
    int64_t base_ns;
    bool timed;
} es_rates_run;

#ifdef __cplusplus
extern "C" {
#endif

/** Makes the groups' clockwork.
 *
 * rates: the caller's; not NULL.
 * groups: count of them. At one base tick those that tick run in this order.
 * count: 1 to ES_RATES_GROUPS_MAX.
 * base: the loop's tick rate; up to 1 000 000 per second.
 * error: filled with the first offending field, or with NULLs; may be NULL.
 * Returns: ES_OK, or an error and unchanged rates.
 * Errors: ES_ERR_INVALID: a NULL, count or base or a group's field out of its range.
 * Ownership: borrows groups, which must stay as they are while rates is used.
 * Threads: any thread; es_rates_rebase one at a time, the others read only.
 */
ES_API es_result es_rates_init(
        es_rates *rates, const es_rate_group *groups, int32_t count, es_rate base, es_error *error);

/** The loop's tick rate has changed.
 *
 * rates: initialised.
 * tick: the newest base tick when it changed; later than at the last change, unless its time is the
 *   same, too.
 * time_ns: its time (es_step.time_ns); later than that of the base tick before it.
 * rate: of the ticks after it. Groups that divide the base follow; those with a rate of their own
 *   keep it.
 * Returns: ES_OK, or an error and unchanged rates.
 * Errors: ES_ERR_INVALID: a NULL, a rate out of range, or a tick or time that goes back.
 * Ownership: keeps nothing.
 * Threads: one thread at a time per rates.
 */
ES_API es_result es_rates_rebase(es_rates *rates, int64_t tick, int64_t time_ns, es_rate rate);

/** Begins to list what ticks at a base tick.
 *
 * rates: initialised.
 * base_tick: es_step.index; 1 or later; in any order.
 * run: filled; not NULL.
 * Returns: nothing; go on with es_rates_next.
 * Errors: none; of a tick before 1 the list is empty.
 * Ownership: keeps nothing.
 * Threads: any thread.
 */
ES_API void es_rates_open(const es_rates *rates, int64_t base_tick, es_rates_run *run);

/** The next tick of a group at this base tick: groups in the order of their declaration, each one's
 * ticks in theirs.
 *
 * rates: initialised.
 * run: of es_rates_open; filled with a group and its step when the answer is true.
 * Returns: true: run this step. False: that was all of this base tick.
 * Errors: none.
 * Ownership: keeps nothing.
 * Threads: any thread.
 */
ES_API bool es_rates_next(const es_rates *rates, es_rates_run *run);

/** A group's newest tick, once a base tick has run.
 *
 * After a seek this is the tick whose state the group needs.
 * rates: initialised.
 * group: index; of none the answer is 0.
 * base_tick: any.
 * Returns: the index; 0 as long as none has run.
 * Errors: none.
 * Ownership: a plain value.
 * Threads: any thread.
 */
ES_API int64_t es_rates_newest(const es_rates *rates, int32_t group, int64_t base_tick);

/** How many ticks the history of a group keeps at least, so that it has the pair of every frame.
 *
 * rates: initialised.
 * group: index; of none the answer is 0.
 * lead_ticks: the loop's own (es_loop_config): how many base ticks run beyond those that a frame
 *   blends. Below 0 counts as 0, above 1000 as 1000.
 * Returns: ticks, for es_history_init. 2; one more for each of the group's delay_ticks, and of its
 *   lead_ticks above 0; and as many more as its spans can begin in lead_ticks base ticks, or with a
 *   rate of its own in one base tick more: 3 up to the base's rate. Above ES_HISTORY_TICKS_MAX no
 *   history is long enough.
 * Errors: none.
 * Ownership: a plain value.
 * Threads: any thread.
 */
ES_API int32_t es_rates_history_ticks(const es_rates *rates, int32_t group, int32_t lead_ticks);

/** The exact time of a group's tick.
 *
 * rates: initialised.
 * group: index; of none the answer is 0.
 * tick: of the group; any.
 * Returns: nanoseconds of simulated time; that of the base tick which it is at, or with a rate of
 *   its own phase_ns + floor(tick * period). Saturates.
 * Errors: none.
 * Ownership: a plain value.
 * Threads: any thread.
 * Source: es_rate_events_to_ns.
 */
ES_API int64_t es_rates_time_ns(const es_rates *rates, int32_t group, int64_t tick);

/** What a frame shows of a group.
 *
 * By the loop's rule: t(previous) < C <= t(current), so 0 < alpha <= 1. Content C is the frame's
 * less the group's delay. Before the group's tick 0 the pair is that tick twice; past the newest
 * that has run, the two newest, alpha 1, and ahead_ns says how far.
 * rates: initialised.
 * group: index.
 * frame: the loop's own, of base ticks; its newest_tick is taken for what has run; not NULL.
 * out: a copy of frame in which content_ns, both ticks of the pair, their times, alpha,
 *   newest_tick, newest_ns, ahead_ns and ticks are the group's; for es_blend_frame and
 *   es_history_matches with the group's history (es_rates_history_ticks); may be frame.
 * Returns: ES_OK.
 * Errors: ES_ERR_INVALID: a NULL, or no such group.
 * Ownership: keeps nothing.
 * Threads: any thread.
 */
ES_API es_result es_rates_frame(
        const es_rates *rates, int32_t group, const es_frame *frame, es_frame *out);

/** After how many base ticks the groups that divide the base come together again.
 *
 * groups: count of them, with valid periods.
 * count: as for es_rates_init.
 * Returns: the least common multiple of the periods; 1 where no group divides the base; 0 when it
 *   is over INT32_MAX, or for a NULL or a period out of range.
 * Errors: none but the 0.
 * Ownership: keeps nothing.
 * Threads: any thread.
 */
ES_API int64_t es_rates_cycle(const es_rate_group *groups, int32_t count);

/** Chooses phases so that base ticks cost about the same.
 *
 * Each group goes where what is there already costs least, and is then moved as long as that helps;
 * from several orders, of which the best is taken. The least possible is not always found:
 * docs/rates.md has how near it comes. It takes time in proportion to the cycle times the number of
 * groups, 0.3 ms for ten groups and a cycle of 120: call it before the game begins.
 * groups: count of them; phase is written where period is over 0, and no other field.
 * count: as for es_rates_init.
 * load: scratch, and the result: what each base tick of a cycle costs. The first is base tick 0.
 * size: elements of load; at least es_rates_cycle of groups.
 * Returns: ES_OK, or an error and unchanged groups.
 * Errors: ES_ERR_INVALID: a NULL, or a count, a period, a lead or a cost out of its range.
 *   ES_ERR_SPACE: load is too small. ES_ERR_RANGE: the cycle is over INT32_MAX.
 * Ownership: keeps nothing.
 * Threads: any thread.
 * Source: docs/rates.md; the like is done for offsets of messages on CAN (Grenier, Havet and Navet,
 *   ERTS 2008).
 */
ES_API es_result es_rates_spread(es_rate_group *groups, int32_t count, int64_t *load, int64_t size);

#ifdef __cplusplus
}
#endif

#endif
