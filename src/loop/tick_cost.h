/* SPDX-License-Identifier: Zlib
 *
 * tick_cost: what one tick is expected to cost where ticks run after the plan is final
 * (es_loop_next).
 *
 * With es_loop_wait the cost of a frame's ticks is known by itself. Without it only ticks and
 * drawing together are known. Then the cost follows from neighbouring frames with different numbers
 * of ticks: the difference in work by the difference in ticks. The median is the estimate, so single
 * long frames do not move it. If all frames have equally many ticks, only the sum is known, and only
 * the sum matters.
 *
 * Pure: it reads no clock. All zero is the start: no tick is expected to cost anything.
 */
#ifndef ES_TICK_COST_H
#define ES_TICK_COST_H

#include "loop_state.h"

/* A frame's ticks and drawing took work_ns together. */
void es__tick_cost_note_work(es_tick_cost *cost, int32_t ticks, int64_t work_ns);

/* A frame's ticks took ticks_ns. */
void es__tick_cost_note_ticks(es_tick_cost *cost, int32_t ticks, int64_t ticks_ns);

#endif
