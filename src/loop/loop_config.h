/* SPDX-License-Identifier: Zlib
 *
 * The limits and defaults of a loop's configuration, for the files of the loop and the threaded
 * loop.
 */
#ifndef ES_LOOP_CONFIG_H
#define ES_LOOP_CONFIG_H

#include "loop_state.h"

/* The interval, or 1/60 s where none is known. */
int64_t es__known_interval_ns(int64_t interval_ns);

/* delay_ticks periods; whole ticks exactly. */
int64_t es__delay_ns(es_rate rate, double delay_ticks);

/* How long time must be spare before the interval shrinks: two ticks, within 1 s and 10 s, because
 * a window without a tick would forget the cost of one. */
int64_t es__pacer_window_ns(es_rate rate);

/* The most ticks of a frame of this length, at this time scale. */
int64_t es__ticks_in(es_rate rate, int64_t interval_ns, es__ratio scale);

/* Computes the bound on ticks again, where it follows the rate, the scale and the interval. */
void es__update_bound(es_loop *loop);

#endif
