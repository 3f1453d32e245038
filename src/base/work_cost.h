/* SPDX-License-Identifier: Zlib
 *
 * work_cost: what the work of a frame is expected to cost, by the number of its ticks. The cost of a
 * frame is measured, and nothing is assumed of the cost of one tick.
 *
 * All zero is the start. Pure: it reads no clock.
 */
#ifndef ES_WORK_COST_H
#define ES_WORK_COST_H

#include "base/common.h"

enum {
    ES_WORK_FRAMES = 64, /* remembered: a display of 240 Hz with 4 ticks per second */
    ES_WORK_MEDIAN = 9,  /* the newest of a kind whose median counts: it ignores four hitches */
    ES_WORK_KINDS = 9    /* frames of 0 to 7 ticks, and those of more */
};

/* Frames of first to last ticks, whose work is expected to be the same. */
typedef struct es__work_pool {
    int32_t first, last;
    double work_ns;
} es__work_pool;

typedef struct es__work_cost {
    int32_t count; /* of frames so far; bounded */
    int32_t pooled;
    es__work_pool pools[ES_WORK_KINDS]; /* by ticks */
    double all_ns;                      /* the expected work of any frame */
    int32_t ticks[ES_WORK_FRAMES];
    int64_t work_ns[ES_WORK_FRAMES];
} es__work_cost;

/* A frame with so many ticks took work_ns. Two in a row that are longer than the median by more than
 * apart_ns, or one that is shorter, are a change of the load. */
void es__work_cost_note(es__work_cost *cost, int32_t ticks, int64_t work_ns, int64_t apart_ns);

/* The expected work of a frame: the median of the newest frames with as many ticks; of all frames where
 * fewer than two had as many. It never falls with more ticks: chance would plan a frame earlier for
 * having more to do. No frame: 0. */
int64_t es__work_cost_of(const es__work_cost *cost, int32_t ticks);

/* The longest of the newest frames of each kind. */
int64_t es__work_cost_longest(const es__work_cost *cost);

/* By how much the work grows with a tick: from the kind of frame with the fewest ticks to that with the
 * most. Frames of one kind: their work by their ticks. No number of ticks seen twice: 0. */
int64_t es__work_cost_per_tick(const es__work_cost *cost);

#endif
