/* SPDX-License-Identifier: Zlib
 *
 * pacer: the plan of the next frame: when it starts (S) and when it is seen (D).
 *
 * Adaptive, rule A1: frames start an interval apart. A frame whose work does not fit lengthens the
 * interval at once, to 6/5 of that work; spare time over a whole window shortens it slowly. Fixed:
 * the interval stays, and work that does not fit costs whole intervals. Uncapped: at once.
 *
 * Pure: it reads no clock. Times are those of es__gap_filter, which never go back. Every function
 * needs an initialised pacer. The loop has checked the configuration.
 */
#ifndef ES_PACER_H
#define ES_PACER_H

#include "loop_state.h"

/* The cost of a frame so far. */
typedef struct es__work {
    int64_t work_ns;  /* rendering of the frame before and this frame's ticks, without blocking */
    int64_t floor_ns; /* the work if frames came as often as they may, with the ticks that such a
                         frame needs */
    bool waited; /* most of it was not spent on the CPU: the thread was preempted or blocked. One or
                    two such frames in a row are a stall that changes no interval; the third is a
                    load */
} es__work;

/* The decisions for one frame. */
typedef struct es__plan {
    int64_t start_ns;    /* S */
    int64_t present_ns;  /* D */
    int64_t interval_ns; /* intended from the start before; 0: not known, or a host decides */
} es__plan;

/* config: copied. */
void es__pacer_init(es__pacer *pacer, const es__pacer_config *config);

/* Opens the plan of the next frame: one interval after the start before; the first one, and an
 * uncapped one, now. */
void es__pacer_open(es__pacer *pacer, int64_t now_ns);

/* Opens the plan of a host's frame, or replaces the open plan by the display's. present_ns:
 * start_ns if not known. es__pacer_replan and es__pacer_move have no effect on it. */
void es__pacer_open_host(es__pacer *pacer, int64_t start_ns, int64_t present_ns);

/* Moves the open plan with the time: S is not before now, and D follows where it aims at the
 * start. */
static inline void es__pacer_move(es__pacer *pacer, int64_t now_ns)
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

/* Whether the open plan's work exceeds the interval: then es__pacer_replan decides. */
static inline bool es__pacer_is_exceeded(const es__pacer *pacer, int64_t work_ns)
{
    return work_ns > pacer->interval_ns && pacer->started && !pacer->host
           && pacer->config.pace != ES_PACE_UNCAPPED;
}

/* Adapts the open plan to work that exceeds the interval, after rendering and after every tick,
 * before es__pacer_move. The interval becomes 6/5 of the work and S moves with it (rule A1), or S
 * moves by whole intervals (fixed). A frame whose floor_ns fits the floor only catches up, and
 * lengthens nothing. S never becomes earlier. */
void es__pacer_replan(es__pacer *pacer, const es__work *work);

/* Makes the plan final. work: all of it since the last start. Shortens the interval if there was
 * time to spare. */
void es__pacer_close(es__pacer *pacer, const es__work *work, es__plan *plan);

/* Sets the interval, its floor and its ceiling, before the frame's first tick. interval_ns: at
 * least 1, or 0 where uncapped. interval_max_ns: at least interval_ns. Forgets the load. */
void es__pacer_set_interval(es__pacer *pacer, int64_t interval_ns, int64_t interval_max_ns);

/* The interval that a lasting load needs; 0: no load. Until it is set anew the interval may grow to
 * it, beyond interval_max_ns, and does not shrink below it. */
static inline void es__pacer_set_load(es__pacer *pacer, int64_t interval_ns)
{
    pacer->load_ns = interval_ns;
}

#endif
