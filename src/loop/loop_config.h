/* SPDX-License-Identifier: Zlib
 *
 * The limits and defaults of a loop's configuration, for the files of the loop and the threaded
 * loop.
 */
#ifndef ES_LOOP_CONFIG_H
#define ES_LOOP_CONFIG_H

#include "loop_state.h"

/* Valid, and at most 1 000 000 ticks per second. */
bool es__tick_rate_is_allowed(es_rate rate);

/* Whether the delay is a day or less. */
bool es__delay_is_allowed(es_rate rate, double delay_ticks);

/* Whether the lead is a day or less. */
bool es__lead_is_allowed(es_rate rate, int32_t lead_ticks);

/* 50 ms, or the interval if that is more. */
int64_t es__default_interval_max_ns(int64_t interval_ns);

/* The interval, or 1/60 s where none is known. */
int64_t es__known_interval_ns(int64_t interval_ns);

/* The period, within the limits of an interval. */
int64_t es__lockstep_interval_ns(es_rate rate);

/* delay_ticks periods; whole ticks exactly. */
int64_t es__delay_ns(es_rate rate, double delay_ticks);

/* How long time must be spare before the interval shrinks: two ticks, within 1 s and 10 s, because
 * a window without a tick would forget the cost of one. */
int64_t es__pacer_window_ns(es_rate rate);

/* The most ticks of a frame of this length, at this time scale. */
int64_t es__ticks_in(es_rate rate, int64_t interval_ns, es_ratio scale);

/* The content clock's part of a policy. */
void es__set_catch_up(es_content_config *config, es_catch_up policy, int64_t interval_ns);

/* Computes the bound on ticks again, where it follows the rate, the scale and the interval. */
void es__update_bound(es_loop *loop);

#endif
