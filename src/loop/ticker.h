/* SPDX-License-Identifier: Zlib
 *
 * ticker: which ticks a content time needs, within which bound.
 *
 * Tick n has the time t(n) = base + floor((n - n0) * period) with an exact rational period. For a
 * frame that shows content time C, ticks run until t(newest) >= C: they then bracket it, t(newest -
 * 1) < C <= t(newest). With the accumulator's bracket every tick that is due runs: t(newest - 1) <=
 * C < t(newest). The ticker is given that target, never an elapsed time, so nothing drifts. A step
 * of another length (variable, stretched) sets a new base.
 *
 * With a lead of L ticks, t(newest - L) takes the place of t(newest): L ticks more have run, or, at
 * -1, one fewer. Times are the ticks' own, also after a change of the rate, so the last few are
 * kept.
 *
 * Every function needs an initialised ticker. The loop has checked the configuration.
 */
#ifndef ES_TICKER_H
#define ES_TICKER_H

#include "loop_state.h"

/* The two ticks that a frame blends. */
typedef struct es__ticker_pair {
    int64_t previous_index; /* equal to current_index when there is no tick before that one */
    int64_t current_index;
    int64_t previous_ns;
    int64_t current_ns;
} es__ticker_pair;

/* Starts at tick 0, time 0. ticks_max: the most ticks between two frames, 1 to ES__TICKS_MAX. */
void es__ticker_init(es__ticker *ticker, es_rate rate, int32_t ticks_max);

/* The accumulator's bracket: t(newest - 1) <= C < t(newest), alpha in [0, 1). With a delay of d
 * whole ticks (0 to 8), C is d periods behind the time at which ticks are due, and the comparison
 * is made there: every tick with t(n) <= C + d periods has run, exactly, although t(n) is rounded
 * to nanoseconds. delay_ticks: 0 also where the delay is not of whole ticks. */
void es__ticker_set_accumulator(es__ticker *ticker, bool on, int32_t delay_ticks);

/* Opens a frame: none of its ticks has run. */
void es__ticker_open(es__ticker *ticker);

/* The most ticks of the open frame. */
static inline int32_t es__ticker_most(const es__ticker *ticker)
{
    return ticker->ticks_most < ticker->ticks_max ? ticker->ticks_most : ticker->ticks_max;
}

/* The next tick that the target needs: t(newest - lead) must reach target_ns. While there is no
 * such tick, at the start and after a seek, it does not. True: run *step, the newest tick now.
 * False: the target or the bound is reached; es__ticker_debt_ns tells which. */
bool es__ticker_next(es__ticker *ticker, int64_t target_ns, es_step *step);

/* A step of any length (at least 1), without a target: variable or stretched. It is the newest tick
 * now, and later ticks count from its time. */
void es__ticker_step(es__ticker *ticker, int64_t dt_ns, es_step *step);

/* A single step, before the frame's first tick: the time of the tick after the one that target_ns
 * shows. With the accumulator's bracket the time from which one more tick is due, within 1 ns of
 * the tick that is then shown. */
int64_t es__ticker_single_ns(const es__ticker *ticker, int64_t target_ns);

/* t(newest - lead), up to which targets are covered; at first the first tick's time. */
int64_t es__ticker_covered_ns(const es__ticker *ticker);

/* By how much the target must be earlier for no tick to be missing; 0 when none is, and where only
 * ticks of the lead are missing because fewer ticks exist yet. */
int64_t es__ticker_debt_ns(const es__ticker *ticker, int64_t target_ns);

/* Finds the pair that brackets a target, once a frame's ticks have run; without a lead, and for a
 * target past the newest tick, the two newest. target_ns: not before the last frame's, but after a
 * seek. es__ticker_alpha and es__ticker_placed_ns refer to this pair until more ticks run. */
void es__ticker_find_pair(es__ticker *ticker, int64_t target_ns, es__ticker_pair *pair);

/* (C - t(previous)) / (t(current) - t(previous)), clamped to [0, 1]; 1 while there is only one
 * tick. In (0, 1] for every C that the pair brackets. With the accumulator's bracket below 1, and 0
 * while there is only one tick; but 1 where a lead of -1 leaves C at the newest tick or past it. */
double es__ticker_alpha(const es__ticker *ticker, int64_t content_ns);

/* The content time that the pair stands for, within 1 ns of content_ns. With the accumulator's
 * bracket and a delay of whole ticks, its distance from t(previous) is exactly the time since the
 * tick that was due last; past the newest tick at a lead of -1 so is its distance from t(newest).
 * Else, and while the pair does not bracket it, content_ns itself. */
int64_t es__ticker_placed_ns(const es__ticker *ticker, int64_t content_ns);

/* The exact time of any tick at the present rate; saturates. */
int64_t es__ticker_time_ns(const es__ticker *ticker, int64_t index);

/* Later ticks follow at the new period from the newest tick's time. */
void es__ticker_set_rate(es__ticker *ticker, es_rate rate);

/* Goes to a tick without running those between; its time is exact: a tick from before the last
 * change of rate is counted at the present one, from tick 0 at time 0. It has no previous tick; the
 * lead is run anew. ES_ERR_RANGE: index < 0, or its time does not fit int64_t. */
es_result es__ticker_seek(es__ticker *ticker, int64_t index);

#endif
