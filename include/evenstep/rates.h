/* SPDX-License-Identifier: Zlib
 *
 * rates: groups of a simulation that tick at different rates, each with exact times and an alpha of
 * its own.
 *
 * The loop runs base ticks. A group ticks at every nth of them, or at a rate of its own. After each
 * base tick es_rates_next lists the groups that tick now, in the order of their declaration. For
 * each frame es_rates_frame says where content lies between two ticks of a group:
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
 *   es_loop_wait(&loop, &frame);
 *   es_rates_frame(&rates, AI, &frame, &of_ai);            // its pair, its alpha
 *   es_blend_frame(&ai_layout, &history[AI], &of_ai, &seen);
 *
 * When a group ticks. A group's tick is a step over a span of simulated time, and its state belongs
 * to the end of the span. With lead_ticks 0 it runs at the base tick in which its span begins, so
 * every frame lies between two ticks of each group and no delay is added. With lead_ticks -1 it
 * runs at the base tick at which its span is over: for decisions by the newest state, or results
 * that are computed meanwhile (slice.h). Show such a group with delay_ticks 1.
 *
 * How long a group's history must be. Two ticks for a group with a period; three for one with a
 * rate of its own, whose ticks lie between base ticks: its next span may have run already while
 * frames still blend the span before. es_rates_history_ticks returns the number for any group. With
 * a shorter history es_blend_frame returns ES_ERR_INVALID.
 *
 * All is a function of the base tick's index, so a pause or a seek needs no call here.
 * docs/notes/rates.md has the method. It does not fit steps of varying length (ES_STEP_VARIABLE,
 * ES_CATCH_UP_STRETCH).
 *
 * Defaults. Threads: any; only es_rates_rebase must run alone. Allocation: none. Errors: es_result;
 * nothing changes on an error; ES_ERR_INVALID: a NULL or a value out of range. Pointers must not be
 * NULL, except error.
 */
#ifndef EVENSTEP_RATES_H
#define EVENSTEP_RATES_H

#include "evenstep/evenstep.h"

#define ES_RATES_GROUPS_MAX 256
#define ES_RATES_PERIOD_MAX 1000000 /* base ticks from one of a group's ticks to the next */
#define ES_RATES_LEAD_MAX   6
#define ES_RATES_DELAY_MAX  8

/* Changes of the base rate that are remembered; earlier ticks are placed at the oldest rate. */
#define ES_RATES_BASES 4

/* What ticks together. */
typedef struct es_rate_group {
    int32_t period;      /* base ticks from one of its ticks to the next, up to ES_RATES_PERIOD_MAX;
                            0: a rate of its own */
    int32_t phase;       /* the base tick of its tick 0, the initial state: 0 to period - 1 (see
                            es_rates_spread); 0 with a rate of its own */
    es_rate rate;        /* with period 0, up to 1 000 000 per second; else {0, 0} */
    int32_t lead_ticks;  /* its ticks that have run beyond those that a frame blends: -1 to
                            ES_RATES_LEAD_MAX; 1 for splines */
    int32_t delay_ticks; /* its ticks by which its content is behind: 0 to ES_RATES_DELAY_MAX */
    int64_t cost;        /* of one tick, in any unit, for es_rates_spread: 0 to 1e12 */
} es_rate_group;

/* From this base tick on, at this time, base ticks come at this rate. */
typedef struct es_rates_base {
    int64_t tick;
    int64_t time_ns;
    es_rate rate;
} es_rates_base;

/* All fields are private. */
typedef struct es_rates {
    const es_rate_group *groups;
    int32_t count;
    int32_t base_count;
    es_rates_base bases[ES_RATES_BASES]; /* oldest first */
} es_rates;

/* A group's tick to run now, from es_rates_next. */
typedef struct es_rates_run {
    int32_t group;     /* index */
    es_step step;      /* index, time_ns, dt_ns and dt_s are the group's; in_frame counts its ticks
                          of this base tick */
    int64_t base_tick; /* private */
    int64_t last;      /* private: the group's last tick of this base tick */
} es_rates_run;

#ifdef __cplusplus
extern "C" {
#endif

/** Makes the schedule of count groups, 1 to ES_RATES_GROUPS_MAX.
 *
 * groups: kept by pointer; must not change. Groups that tick at the same base tick run in this
 *   order.
 * base: the loop's tick rate, up to 1 000 000 per second.
 * error: names the first bad field; may be NULL.
 */
ES_API es_result es_rates_init(
        es_rates *rates, const es_rate_group *groups, int32_t count, es_rate base, es_error *error);

/** Changes the base rate. Groups with a period follow; those with a rate of their own keep it.
 *
 * tick: the newest base tick at the change; later than at the last change.
 * time_ns: its es_step.time_ns; later than that of the base tick before it.
 * rate: of the ticks after it.
 */
ES_API es_result es_rates_rebase(es_rates *rates, int64_t tick, int64_t time_ns, es_rate rate);

/** Begins the list of what ticks at base_tick (es_step.index), in any order of base ticks. The list
 * is empty before base tick 1. */
ES_API void es_rates_open(const es_rates *rates, int64_t base_tick, es_rates_run *run);

/** Fills run with the next tick to run, by group and then by tick. Returns false at the end. */
ES_API bool es_rates_next(const es_rates *rates, es_rates_run *run);

/** Returns a group's newest tick once a base tick has run; 0 before its first, and for no group.
 * After a seek, this is the tick whose state the group needs. */
ES_API int64_t es_rates_newest(const es_rates *rates, int32_t group, int64_t base_tick);

/** Returns the ticks that a group's history needs (es_history_init) for the pair of every frame.
 *
 * lead_ticks: the loop's (es_loop_config); clamped to 0 to 1000.
 * Returns: 2, plus the group's delay_ticks and its lead_ticks above 0, plus the spans that can
 *   begin within lead_ticks base ticks (with a rate of its own: one base tick more). Above
 *   ES_HISTORY_TICKS_MAX no history is long enough. 0 for no group.
 */
ES_API int32_t es_rates_history_ticks(const es_rates *rates, int32_t group, int32_t lead_ticks);

/** Returns the exact simulated time of a group's tick: its base tick's time, or with a rate of its
 * own floor(tick * period). Saturates; 0 for no group. */
ES_API int64_t es_rates_time_ns(const es_rates *rates, int32_t group, int64_t tick);

/** Fills a frame of one group: t(previous) < C <= t(current) and 0 < alpha <= 1.
 *
 * C is the frame's content less the group's delay. Before tick 0 the pair is tick 0 twice. Past the
 * newest tick that has run it is the newest two with alpha 1, and ahead_ns says how far past.
 * frame: the loop's; its newest_tick says what has run.
 * out: a copy of frame with the group's content_ns, ticks of the pair, their times, alpha,
 *   newest_tick, newest_ns, ahead_ns and ticks: for es_blend_frame with the group's history. May be
 *   frame.
 */
ES_API es_result es_rates_frame(
        const es_rates *rates, int32_t group, const es_frame *frame, es_frame *out);

/** Chooses the phases of groups with a period so that base ticks cost about the same.
 *
 * The result is near the best (docs/notes/rates.md). Takes time in proportion to size and count,
 * 0.3 ms for ten groups and 120 base ticks: call it before the game begins.
 * groups: only phase is written.
 * load: filled with what each base tick of a cycle costs, from base tick 0.
 * size: of load; at least the least common multiple of the periods.
 * Errors: ES_ERR_SPACE: size is too small. ES_ERR_RANGE: that multiple is over INT32_MAX.
 * Source: docs/notes/rates.md; offsets of CAN messages are chosen alike (Grenier, Havet, Navet,
 *   ERTS 2008).
 */
ES_API es_result es_rates_spread(es_rate_group *groups, int32_t count, int64_t *load, int64_t size);

#ifdef __cplusplus
}
#endif

#endif
