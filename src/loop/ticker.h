/* SPDX-License-Identifier: Zlib
 *
 * ticker: which ticks does a content time need, and within which bound?
 *
 * Tick n has the time t(n) = base + floor((n - n0) * period) with an exact rational period. For a
 * frame that shows content time C, ticks run until t(newest) >= C: they then bracket it,
 * t(newest - 1) < C <= t(newest). Or, as accumulators have it, until every tick that is due has
 * run: t(newest - 1) <= C < t(newest). The ticker is given that target, never an elapsed time, so
 * it has no accumulator that could drift. A single step of another length (variable, stretched)
 * sets a new base.
 *
 * With a lead of L ticks, t(newest - L) takes the place of t(newest) in all this: L ticks more have
 * run, or, at -1, one fewer. The times are the ticks' own, whatever became of the rate since, so
 * the last few are kept; the pair that brackets C is found among them.
 *
 * Not for: deciding C (pacer), or what to do when the bound is reached (loop: policy drop). One of
 * the parts that the loop is made of; before 1.0 it may change in any minor version.
 */
#ifndef ES_TICKER_H
#define ES_TICKER_H

#include "evenstep/loop.h"

/* The two ticks that a frame blends. */
typedef struct es_ticker_pair {
    int64_t previous_index; /* equal to current_index when there is no tick before that one */
    int64_t current_index;
    int64_t previous_ns;
    int64_t current_ns;
} es_ticker_pair;

/* Starts at tick 0, time 0.
 * ticker: the caller's memory; not NULL.
 * rate: ticks per second; valid.
 * ticks_max: the most ticks between two frames, 1 to ES_TICKS_MAX.
 * Errors: ES_ERR_INVALID: NULL, rate or bound out of range. */
es_result es__ticker_init(es_ticker *ticker, es_rate rate, int32_t ticks_max);

/* Chooses the accumulator's bracket: t(newest - 1) <= C < t(newest), alpha in [0, 1). With a delay
 * of d whole ticks, C is d periods behind the time at which ticks are due, and the question is
 * asked there: every tick with t(n) <= C + d periods has run, exactly, although t(n) is rounded to
 * nanoseconds.
 * ticker: initialised.
 * due: false: back to t(newest - 1) < C <= t(newest); delay_ticks does not matter then.
 * delay_ticks: 0 to 8; 0 also where the delay is not of whole ticks.
 * Returns nothing; es__ticker_set_rate keeps the bracket. */
void es__ticker_set_due(es_ticker *ticker, bool due, int32_t delay_ticks);

/* Chooses how many ticks run beyond those that bracket the target.
 * ticker: initialised.
 * lead_ticks: -1 to ES_LEAD_MAX; 0 at first.
 * Returns ES_OK, or an error and an unchanged lead. A smaller one runs no ticks until it fits; the
 * pair stays where it is.
 * Errors: ES_ERR_INVALID: out of range. */
es_result es__ticker_set_lead(es_ticker *ticker, int32_t lead_ticks);

/* Opens a frame: none of its ticks has run.
 * ticker: initialised. */
void es__ticker_open(es_ticker *ticker);

/* The next tick that the target needs.
 * ticker: initialised.
 * target_ns: simulated time that t(newest - lead) must reach. While there is no such tick, at the
 * start and after a seek, it is not reached.
 * step: filled when the answer is true; not NULL.
 * Returns true: run this step, it is now the newest. False: the target is reached or the bound is;
 * es__ticker_debt_ns tells which. */
bool es__ticker_next(es_ticker *ticker, int64_t target_ns, es_step *step);

/* One step of any length, whatever the target: variable or stretched.
 * ticker: initialised.
 * dt_ns: at least 1.
 * step: filled; not NULL. Its dt_s is dt_ns in seconds.
 * Returns nothing; the step is now the newest, and the ticks after it are counted from its time. */
void es__ticker_step(es_ticker *ticker, int64_t dt_ns, es_step *step);

/* Where content goes that moves on by one tick: a single step.
 * ticker: initialised; no tick has run since es__ticker_open.
 * target_ns: simulated time; where content is.
 * Returns the time of the tick after the one that the target shows. With the accumulator's bracket
 * the time from which on one more tick is due, within 1 ns of the tick that is then shown. */
int64_t es__ticker_single_ns(const es_ticker *ticker, int64_t target_ns);

/* How far targets are provided for: t(newest - lead).
 * ticker: initialised.
 * Returns simulated time; the first tick's while there are not so many; with a lead of -1 the next
 * tick's. */
int64_t es__ticker_covered_ns(const es_ticker *ticker);

/* How far the ticks fall short of a target.
 * ticker: initialised.
 * target_ns: simulated time.
 * Returns nanoseconds by which the target must be earlier for no tick to be missing; 0 when none
 * is, and where only ticks of the lead are missing because there are not so many ticks yet. */
int64_t es__ticker_debt_ns(const es_ticker *ticker, int64_t target_ns);

/* Finds the pair that brackets a target, once a frame's ticks have run.
 * ticker: initialised.
 * target_ns: simulated time, not earlier than the last frame's unless the ticker was sought.
 * pair: filled; not NULL. Without a lead these are the two newest ticks. Where the target is past
 * the newest tick, too.
 * Returns nothing; es__ticker_alpha and es__ticker_placed_ns are about this pair until more ticks
 * run. */
void es__ticker_find_pair(es_ticker *ticker, int64_t target_ns, es_ticker_pair *pair);

/* Where a content time lies between the two ticks of the pair.
 * ticker: initialised.
 * content_ns: simulated time.
 * Returns (C - t(previous)) / (t(current) - t(previous)), kept in [0, 1]; 1 while there is only
 * one tick. In (0, 1] for every C that the pair brackets. With the accumulator's bracket kept
 * below 1, and 0 while there is only one tick; but 1 where a lead of -1 leaves C at the newest
 * tick or past it. */
double es__ticker_alpha(const es_ticker *ticker, int64_t content_ns);

/* The content time that the pair of ticks stands for. With the accumulator's bracket and a delay
 * of whole ticks, C - t(previous) is made exactly what has passed since the tick that was due
 * last; that is within 1 ns of content_ns. So is C less t(newest) where a lead of -1 leaves C past
 * that. Otherwise, and while the pair does not bracket it, content_ns itself.
 * ticker: initialised.
 * content_ns: simulated time.
 * Returns simulated time. */
int64_t es__ticker_placed_ns(const es_ticker *ticker, int64_t content_ns);

/* The exact time of any tick at the present rate.
 * ticker: initialised.
 * index: any tick; before the last change of rate, what it would have been.
 * Returns nanoseconds of simulated time; saturates.
 * Source: es_rate_events_to_ns. */
int64_t es__ticker_time_ns(const es_ticker *ticker, int64_t index);

/* Changes the rate: ticks after the newest one follow at the new period from its time.
 * ticker: initialised.
 * rate: valid.
 * Errors: ES_ERR_INVALID: the rate is out of range. */
es_result es__ticker_set_rate(es_ticker *ticker, es_rate rate);

/* Leaps to a tick without running those between; its time stays exact.
 * ticker: initialised.
 * index: 0 or later. A tick from before the last change of rate gets the time it has at the
 * present one, counted from tick 0 at time 0. On success the newest tick is index and has no
 * previous one; the lead is run anew.
 * Errors: ES_ERR_RANGE: index < 0, or its time does not fit int64_t; nothing has changed. */
es_result es__ticker_seek(es_ticker *ticker, int64_t index);

#endif
