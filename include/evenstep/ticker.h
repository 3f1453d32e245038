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
 * Not for: deciding C (pacer), or what to do when the bound is reached (loop: policy drop). One of
 * the parts that the loop is made of; before 1.0 it may change in any minor version.
 */
#ifndef EVENSTEP_TICKER_H
#define EVENSTEP_TICKER_H

#include "evenstep/frame.h"

/* The most ticks per frame that a bound may allow. */
#define ES_TICKS_MAX 1000000

/* Initialise with es_ticker_init; the marked fields may be read. */
typedef struct es_ticker {
    int64_t index;          /* read: the newest tick */
    int64_t time_ns;        /* read: t(index) */
    int64_t previous_index; /* read: the tick before it; equal to index when there is none yet */
    int64_t previous_ns;    /* read: t(previous_index) */
    es_rate rate;           /* read: ticks per second */
    int32_t ticks;          /* read: run since es_ticker_open */
    int32_t ticks_max;      /* read: the bound per frame */
    int64_t base_index;     /* n0 */
    int64_t base_ns;        /* t(n0) */
    int64_t whole_ns;       /* the period: whole nanoseconds ... */
    uint32_t rest;          /* ... and a rest in 1/numerator of a nanosecond */
    uint32_t carried;       /* the rest that t(index) has lost by rounding down */
    bool due;               /* the accumulator's bracket */
    int32_t due_delay;    /* it looks this many ticks ahead of the newest: a delay of whole ticks */
    int64_t due_delay_ns; /* what the content clock subtracts for them */
    double period_s;      /* the period for the simulation's arithmetic */
} es_ticker;

#ifdef __cplusplus
extern "C" {
#endif

/** Starts at tick 0, time 0.
 *
 * ticker: the caller's memory; not NULL.
 * rate: ticks per second; valid.
 * ticks_max: the most ticks between two frames, 1 to ES_TICKS_MAX.
 * Returns: ES_OK, or an error and an unchanged ticker.
 * Errors: ES_ERR_INVALID: NULL, rate or bound out of range.
 * Ownership: keeps nothing of the caller's.
 * Threads: one thread at a time per ticker.
 */
ES_API es_result es_ticker_init(es_ticker *ticker, es_rate rate, int32_t ticks_max);

/** Chooses the accumulator's bracket: t(newest - 1) <= C < t(newest), alpha in [0, 1).
 *
 * With a delay of d whole ticks, C is d periods behind the time at which ticks are due, and the
 * question is asked there: every tick with t(n) <= C + d periods has run, exactly, although t(n) is
 * rounded to nanoseconds.
 * ticker: initialised.
 * due: false: back to t(newest - 1) < C <= t(newest); delay_ticks does not matter then.
 * delay_ticks: 0 to 8; 0 also where the delay is not of whole ticks.
 * Returns: nothing; es_ticker_set_rate keeps the bracket.
 * Errors: none.
 * Ownership: keeps nothing.
 * Threads: one thread at a time per ticker.
 */
ES_API void es_ticker_set_due(es_ticker *ticker, bool due, int32_t delay_ticks);

/** Opens a frame: none of its ticks has run.
 *
 * ticker: initialised.
 * Returns: nothing.
 * Errors: none.
 * Ownership: keeps nothing.
 * Threads: one thread at a time per ticker.
 */
ES_API void es_ticker_open(es_ticker *ticker);

/** The next tick that the target needs.
 *
 * ticker: initialised.
 * target_ns: simulated time that t(newest) must reach.
 * step: filled when the answer is true; not NULL.
 * Returns: true: run this step, it is now the newest. False: the target is reached or the bound is;
 *   es_ticker_owed_ns tells which.
 * Errors: none.
 * Ownership: keeps nothing.
 * Threads: one thread at a time per ticker.
 */
ES_API bool es_ticker_next(es_ticker *ticker, int64_t target_ns, es_step *step);

/** One step of any length, whatever the target: variable or stretched.
 *
 * ticker: initialised.
 * dt_ns: at least 1.
 * step: filled; not NULL. Its dt_s is dt_ns in seconds.
 * Returns: nothing; the step is now the newest, and the ticks after it are counted from its time.
 * Errors: none.
 * Ownership: keeps nothing.
 * Threads: one thread at a time per ticker.
 */
ES_API void es_ticker_step(es_ticker *ticker, int64_t dt_ns, es_step *step);

/** The content time from which on one more tick is due, with the accumulator's bracket.
 *
 * ticker: initialised.
 * Returns: simulated time: the newest tick's, within 1 ns.
 * Errors: none.
 * Ownership: keeps nothing.
 * Threads: one thread at a time per ticker.
 */
ES_API int64_t es_ticker_due_ns(const es_ticker *ticker);

/** How far the newest tick falls short of a target.
 *
 * ticker: initialised.
 * target_ns: simulated time.
 * Returns: nanoseconds by which the target must be earlier for no tick to be missing; 0 when none
 *   is.
 * Errors: none.
 * Ownership: keeps nothing.
 * Threads: one thread at a time per ticker.
 */
ES_API int64_t es_ticker_owed_ns(const es_ticker *ticker, int64_t target_ns);

/** Where a content time lies between the two newest ticks.
 *
 * ticker: initialised.
 * content_ns: simulated time.
 * Returns: (C - t(previous)) / (t(newest) - t(previous)), kept in [0, 1]; 1 while there is only one
 *   tick. In (0, 1] for every C that the ticks bracket. With the accumulator's bracket kept below
 *   1, and 0 while there is only one tick.
 * Errors: none.
 * Ownership: keeps nothing.
 * Threads: one thread at a time per ticker.
 */
ES_API double es_ticker_alpha(const es_ticker *ticker, int64_t content_ns);

/** The content time that the pair of ticks stands for.
 *
 * With the accumulator's bracket and a delay of whole ticks, C - t(previous) is made exactly what
 * has passed since the tick that was due last; that is within 1 ns of content_ns. Otherwise, and
 * while the pair does not bracket it, content_ns itself.
 * ticker: initialised.
 * content_ns: simulated time.
 * Returns: simulated time.
 * Errors: none.
 * Ownership: keeps nothing.
 * Threads: one thread at a time per ticker.
 */
ES_API int64_t es_ticker_placed_ns(const es_ticker *ticker, int64_t content_ns);

/** The exact time of any tick at the present rate.
 *
 * ticker: initialised.
 * index: any tick; before the last change of rate, what it would have been.
 * Returns: nanoseconds of simulated time; saturates.
 * Errors: none.
 * Ownership: keeps nothing.
 * Threads: one thread at a time per ticker.
 * Source: es_rate_events_to_ns.
 */
ES_API int64_t es_ticker_time_ns(const es_ticker *ticker, int64_t index);

/** Changes the rate: ticks after the newest one follow at the new period from its time.
 *
 * ticker: initialised.
 * rate: valid.
 * Returns: ES_OK, or an error and an unchanged ticker.
 * Errors: ES_ERR_INVALID: the rate is out of range.
 * Ownership: keeps nothing.
 * Threads: one thread at a time per ticker.
 */
ES_API es_result es_ticker_set_rate(es_ticker *ticker, es_rate rate);

/** Leaps to a tick without running those between; its time stays exact.
 *
 * ticker: initialised.
 * index: 0 or later. A tick from before the last change of rate gets the time it has at the present
 *   one, counted from tick 0 at time 0.
 * Returns: ES_OK: the newest tick is index and has no previous one.
 * Errors: ES_ERR_RANGE: index < 0, or its time does not fit int64_t; nothing has changed.
 * Ownership: keeps nothing.
 * Threads: one thread at a time per ticker.
 */
ES_API es_result es_ticker_seek(es_ticker *ticker, int64_t index);

#ifdef __cplusplus
}
#endif

#endif
