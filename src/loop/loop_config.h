/* SPDX-License-Identifier: Zlib
 *
 * What a loop's defaults work out to. For the files of the loop, nobody else.
 */
#ifndef ES_LOOP_CONFIG_H
#define ES_LOOP_CONFIG_H

#include "evenstep/loop.h"

/* Valid, and at most 1 000 000 ticks per second. */
bool es__tick_rate_is_allowed(es_rate rate);

/* 10 us to 10 s. */
bool es__interval_is_allowed(int64_t interval_ns);

/* 50 ms, or the interval if that is more. */
int64_t es__default_interval_max_ns(int64_t interval_ns);

/* The default bound on a frame's ticks, in time: 100 ms, or interval_max_ns if that is more. */
int64_t es__default_ticks_time_ns(int64_t interval_max_ns);

/* What a frame may need or owe at once: that time; 1 s under policy spread. */
int64_t es__default_catch_up_max_ns(es_catch_up policy, int64_t ticks_time_ns);

/* And in number: as many ticks as that can be at this time scale, at least 2: 8 at 60 ticks/s, 100
 * ms and normal speed. A lead comes on top, as the first frame runs it. */
int32_t es__default_ticks_max(
        es_rate rate, int64_t catch_up_max_ns, es_ratio scale, int32_t lead_ticks);

/* Most ticks of a frame that long, at this time scale. */
int64_t es__ticks_in(es_rate rate, int64_t interval_ns, es_ratio scale);

/* Policy wait: what a frame counts as at most. */
int64_t es__wait_most_ns(int64_t interval_ns);

/* Whether the delay is a day or less. */
bool es__delay_is_allowed(es_rate rate, double delay_ticks);

/* The same of a lead. */
bool es__lead_is_allowed(es_rate rate, int32_t lead_ticks);

/* The interval, or 1/60 s where none is known. */
int64_t es__known_interval_ns(int64_t interval_ns);

/* The period, within the limits of an interval. */
int64_t es__lockstep_interval_ns(es_rate rate);

/* Fixed steps have all policies, variable ones drop and wait, lockstep only itself (drop). */
bool es__catch_up_is_allowed(es_step_kind step, es_catch_up policy);

/* What the content clock does for a policy. */
void es__set_catch_up(es_content_config *config, es_catch_up policy, int64_t interval_ns);

/* delay_ticks periods, whole ticks exactly. */
int64_t es__delay_ns(es_rate rate, double delay_ticks);

/* How long time must be spare before the interval shrinks: two ticks, within 1 s and 10 s, because
 * a window that sees no tick would forget what one costs. */
int64_t es__pacer_window_ns(es_rate rate);

/* Computes the bound on ticks again, where it follows the rate, the scale and the interval. */
void es__update_bound(es_loop *loop);

#endif
