/* SPDX-License-Identifier: Zlib
 *
 * What the files of the input room share: input.c (the ring), input_state.c (what is held),
 * input_meter.c (how long events take), input_clock.c (stamps of another clock), input_queue.c
 * (events from another thread).
 */
#ifndef ES_INPUT_PARTS_H
#define ES_INPUT_PARTS_H

#include "evenstep/input.h"

#include "base/common.h"

/* Whether a program may push it. */
bool es__input_is_valid(const es_input_event *event);

/* Puts an event of a queue into the ring; false: there is no room. */
bool es__input_put(es_input *input, const es_input_event *event);

#endif
