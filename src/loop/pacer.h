/* SPDX-License-Identifier: Zlib
 *
 * pacer: the plan of the next frame: when it starts (S) and when it is seen (D).
 *
 * Three paces. Adaptive, rule A1: frames start a fixed interval apart; a frame whose work does not
 * fit lengthens the interval at once, to 6/5 of that work; spare time over a whole window shortens
 * it slowly. Fixed: the interval stays, and work that does not fit costs whole ones. Uncapped: at
 * once. What a frame shows at D is the content clock's question (content.h).
 *
 * Values in, decisions out: it reads no clock. Times are those of es_gap_filter: they never go
 * back. One of the parts that the loop is made of; before 1.0 it may change in any minor version.
 */
#ifndef ES_PACER_H
#define ES_PACER_H

#include "evenstep/loop.h"

/* What a frame cost so far. */
typedef struct es_work {
    int64_t work_ns;  /* rendering of the frame before plus this frame's ticks so far; blocking in
                         present is no work */
    int64_t floor_ns; /* what the work would be if frames came as often as they may: with no more
                         ticks than such a frame needs */
    bool waited; /* most of it was not spent on the CPU: the thread was preempted or blocked. One
                         or two such frames in a row are a stall that changes no interval; from the
                         third on it is a load */
} es_work;

/* The decisions for one frame. */
typedef struct es_plan {
    int64_t start_ns;    /* S */
    int64_t present_ns;  /* D */
    int64_t interval_ns; /* intended from the start before; 0: not known, or the host decides */
} es_plan;

/* Starts a pacer.
 * pacer: the caller's memory; not NULL.
 * config: copied; not NULL.
 * Errors: ES_ERR_INVALID: a field out of its range. */
es_result es__pacer_init(es_pacer *pacer, const es_pacer_config *config);

/* Opens the plan of the next frame: one interval after the start before it, the first one and an
 * uncapped one now.
 * pacer: initialised.
 * now_ns: the time. */
void es__pacer_open(es_pacer *pacer, int64_t now_ns);

/* Opens the plan of a frame whose start somebody else decided.
 * pacer: initialised.
 * start_ns: when the host's frame began.
 * present_ns: when it will be seen; start_ns if unknown.
 * Returns nothing. es__pacer_replan does nothing in such a frame. */
void es__pacer_open_host(es_pacer *pacer, int64_t start_ns, int64_t present_ns);

/* Takes over the open plan: somebody else knows when drawing starts and when it is seen.
 * pacer: a plan is open.
 * start_ns: S.
 * present_ns: D.
 * Returns nothing. From then on the plan is as after es__pacer_open_host. */
static inline void es__pacer_place(es_pacer *pacer, int64_t start_ns, int64_t present_ns)
{
    pacer->host = true;
    pacer->start_ns = start_ns;
    pacer->present_ns = present_ns;
}

/* Sets when the open plan's frame is seen: somebody else knows better than the aim.
 * pacer: a plan is open.
 * present_ns: D; in force until the plan moves. */
static inline void es__pacer_aim_at(es_pacer *pacer, int64_t present_ns)
{
    pacer->present_ns = present_ns;
}

/* Moves the open plan with the time: S is not before now, and D follows where it aims at it.
 * pacer: a plan is open.
 * now_ns: the time. */
static inline void es__pacer_move(es_pacer *pacer, int64_t now_ns)
{
    if (pacer->host) {
        return;
    }
    if (pacer->start_ns < now_ns) {
        pacer->start_ns = now_ns;
    }
    if (pacer->config.aim == ES_AIM_START) {
        pacer->present_ns = pacer->start_ns;
    }
}

/* Whether that work is too much for the interval: then es__pacer_replan has something to decide.
 * pacer: a plan is open.
 * work_ns: as in es_work.
 * Returns true when it exceeds the interval. */
static inline bool es__pacer_is_exceeded(const es_pacer *pacer, int64_t work_ns)
{
    return work_ns > pacer->interval_ns && pacer->started && !pacer->host
           && pacer->config.pace != ES_PACE_UNCAPPED;
}

/* Adapts the open plan to work that exceeds the interval. Call it, when es__pacer_is_exceeded,
 * after rendering and after every tick, and es__pacer_move after it. The interval becomes 6/5 of
 * the work and S moves with it (rule A1), or S moves by whole intervals (fixed). A frame that is
 * long only because it catches up (its floor_ns fits the floor) lengthens nothing.
 * pacer: a plan is open.
 * work: so far; not NULL.
 * Returns nothing; S is never earlier than it was. */
void es__pacer_replan(es_pacer *pacer, const es_work *work);

/* Ends planning: the plan is final. Shortens the interval if there was time to spare.
 * pacer: a plan is open.
 * work: all of it since the last start; not NULL.
 * plan: filled; not NULL. */
void es__pacer_close(es_pacer *pacer, const es_work *work, es_plan *plan);

/* Sets the interval, the floor to which it shrinks, and how far it may grow.
 * pacer: initialised; no plan open, or one for which no tick has run.
 * interval_ns: at least 1; 0 too where the pace is uncapped.
 * interval_max_ns: at least interval_ns.
 * Errors: ES_ERR_INVALID: a value out of its range. */
es_result es__pacer_set_interval(es_pacer *pacer, int64_t interval_ns, int64_t interval_max_ns);

/* Sets the interval that a lasting load needs. Until it is set anew, the interval may grow to it,
 * beyond interval_max_ns, and does not shrink below it.
 * pacer: initialised.
 * interval_ns: 0: no such load; then an interval beyond interval_max_ns ends with the open plan.
 * Returns nothing. es__pacer_set_interval forgets it. */
static inline void es__pacer_set_load(es_pacer *pacer, int64_t interval_ns)
{
    pacer->load_ns = interval_ns;
}

/* Changes how long time must be spare before the interval shrinks: it follows the tick period.
 * pacer: initialised.
 * window_ns: at least 1.
 * Errors: ES_ERR_INVALID: out of range. */
es_result es__pacer_set_window(es_pacer *pacer, int64_t window_ns);

#endif
