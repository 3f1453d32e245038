/* SPDX-License-Identifier: Zlib
 *
 * Private functions of the input module: input.c (events and ticks), input_state.c (what is held),
 * input_meter.c (delays), input_clock.c (stamps of another clock), input_queue.c (events from
 * another thread).
 */
#ifndef ES_INPUT_PARTS_H
#define ES_INPUT_PARTS_H

#include "evenstep/input.h"

/* Whether a program may push the event. */
bool es__input_is_valid(const es_input_event *event);

/* Inserts an event whose stamp is not later than now; false: there is no space. */
bool es__input_put(es_input *input, const es_input_event *event);

/* Begins a tick: nothing is pressed, released or moved in it yet. */
void es__input_state_begin(es_input_state *state, int64_t tick);

/* Applies an event. A press of a held button and a release of one that is up change nothing. */
void es__input_state_apply(es_input_state *state, const es_input_event *event);

/* Copies a state into another one's arrays. ES_ERR_INVALID: a NULL or different counts. */
es_result es__input_state_copy(es_input_state *to, const es_input_state *from);

/* A waiting event, from index 0, the earliest, to es_input.count - 1; NULL beyond. Valid until the
 * next call on input. */
const es_input_event *es__input_pending(const es_input *input, uint32_t index);

#endif
