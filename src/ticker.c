/* SPDX-License-Identifier: Zlib
 *
 * Going from one tick to the next adds the period's whole nanoseconds and carries its rest in units
 * of 1/numerator ns. That gives the same times as the closed formula floor((n - n0) * period), to
 * the nanosecond and for ever, without a division per tick.
 */
#include "evenstep/ticker.h"

/* Splits the period of a rate: denominator * 1e9 = whole * numerator + rest. */
static void set_period(es_ticker *ticker, es_rate rate)
{
    int64_t dividend = (int64_t)rate.denominator * ES_NS_PER_S; /* < 4.3e18 */
    ticker->rate = rate;
    ticker->whole_ns = dividend / rate.numerator;
    ticker->rest = (uint32_t)(dividend % rate.numerator);
    ticker->period_s = es_rate_period_s(rate);
}

/* The rest that floor(events * period) leaves behind, in 1/numerator ns: (events * rest) mod
 * numerator, for events >= 0. Both factors of the product are below 1e9. */
static uint32_t carried_after(const es_ticker *ticker, int64_t events)
{
    uint64_t left = (uint64_t)events % ticker->rate.numerator;
    return (uint32_t)(left * ticker->rest % ticker->rate.numerator);
}

es_result es_ticker_init(es_ticker *ticker, es_rate rate, int32_t ticks_max)
{
    if (ticker == NULL || !es_rate_is_valid(rate) || ticks_max < 1 || ticks_max > ES_TICKS_MAX) {
        return ES_ERR_INVALID;
    }
    es_ticker fresh = {0};
    set_period(&fresh, rate);
    fresh.ticks_max = ticks_max;
    *ticker = fresh;
    return ES_OK;
}

void es_ticker_open(es_ticker *ticker)
{
    ticker->ticks = 0;
}

static void advance(es_ticker *ticker)
{
    ticker->previous_index = ticker->index;
    ticker->previous_ns = ticker->time_ns;
    ticker->index = es_ns_add(ticker->index, 1);
    uint64_t carried = (uint64_t)ticker->carried + ticker->rest;
    int64_t step_ns = ticker->whole_ns;
    if (carried >= ticker->rate.numerator) {
        carried -= ticker->rate.numerator;
        step_ns += 1;
    }
    ticker->carried = (uint32_t)carried;
    ticker->time_ns = es_ns_add(ticker->time_ns, step_ns);
}

/* t(newest + ahead), by adding and carrying. */
static int64_t time_ahead_ns(const es_ticker *ticker, int32_t ahead)
{
    int64_t time_ns = ticker->time_ns;
    uint64_t carried = ticker->carried;
    for (int32_t i = 0; i < ahead; ++i) {
        carried += ticker->rest;
        bool full = carried >= ticker->rate.numerator;
        carried -= full ? ticker->rate.numerator : 0;
        time_ns = es_ns_add(time_ns, ticker->whole_ns + (full ? 1 : 0));
    }
    return time_ns;
}

int64_t es_ticker_owed_ns(const es_ticker *ticker, int64_t target_ns)
{
    if (!ticker->due) {
        return ticker->time_ns >= target_ns ? 0 : es_ns_sub(target_ns, ticker->time_ns);
    }
    int64_t due_ns = es_ns_add(target_ns, ticker->due_delay_ns);
    int64_t reached_ns = time_ahead_ns(ticker, ticker->due_delay);
    return reached_ns > due_ns ? 0 : es_ns_add(es_ns_sub(due_ns, reached_ns), 1);
}

static void fill_step(es_ticker *ticker, es_step *step, double dt_s)
{
    step->index = ticker->index;
    step->time_ns = ticker->time_ns;
    step->dt_ns = ticker->time_ns - ticker->previous_ns;
    step->dt_s = dt_s;
    step->in_frame = ticker->ticks;
    ticker->ticks += 1;
}

bool es_ticker_next(es_ticker *ticker, int64_t target_ns, es_step *step)
{
    bool reached =
            ticker->due ? es_ticker_owed_ns(ticker, target_ns) == 0 : ticker->time_ns >= target_ns;
    if (reached || ticker->ticks >= ticker->ticks_max) {
        return false;
    }
    advance(ticker);
    fill_step(ticker, step, ticker->period_s);
    return true;
}

void es_ticker_step(es_ticker *ticker, int64_t dt_ns, es_step *step)
{
    ticker->previous_index = ticker->index;
    ticker->previous_ns = ticker->time_ns;
    ticker->index = es_ns_add(ticker->index, 1);
    ticker->time_ns = es_ns_add(ticker->time_ns, dt_ns);
    ticker->base_index = ticker->index;
    ticker->base_ns = ticker->time_ns;
    ticker->carried = 0;
    fill_step(ticker, step, (double)dt_ns / (double)ES_NS_PER_S);
}

void es_ticker_set_due(es_ticker *ticker, bool due, int32_t delay_ticks)
{
    ticker->due = due;
    ticker->due_delay = due ? delay_ticks : 0;
    ticker->due_delay_ns = es_rate_events_to_ns(ticker->rate, ticker->due_delay);
}

int64_t es_ticker_due_ns(const es_ticker *ticker)
{
    return es_ns_sub(time_ahead_ns(ticker, ticker->due_delay), ticker->due_delay_ns);
}

/* The tick that was due last: with a delay of d ticks, d ahead of the pair's older one. Only where
 * the pair is one of regular ticks; else the times ahead have another spacing than the pair. */
static bool pair_is_regular(const es_ticker *ticker)
{
    return ticker->previous_index >= ticker->base_index && ticker->index > ticker->previous_index;
}

/* What has passed since that tick, or -1 where the pair does not bracket C. */
static int64_t since_due_ns(const es_ticker *ticker, int64_t content_ns)
{
    if (ticker->due_delay == 0 || !pair_is_regular(ticker)) {
        return -1;
    }
    int64_t due_ns = es_ns_add(content_ns, ticker->due_delay_ns);
    int64_t since_ns = es_ns_sub(due_ns, time_ahead_ns(ticker, ticker->due_delay - 1));
    return due_ns < time_ahead_ns(ticker, ticker->due_delay) ? since_ns : -1;
}

int64_t es_ticker_placed_ns(const es_ticker *ticker, int64_t content_ns)
{
    int64_t since_ns = since_due_ns(ticker, content_ns);
    return since_ns < 0 ? content_ns : es_ns_add(ticker->previous_ns, since_ns);
}

/* With the accumulator's bracket: how much of the way to the next tick that is due has passed. */
static double alpha_below_one(const es_ticker *ticker, int64_t content_ns)
{
    int64_t since_ns = content_ns - ticker->previous_ns;
    int64_t whole_ns = ticker->time_ns - ticker->previous_ns;
    int64_t since_due = since_due_ns(ticker, content_ns);
    if (since_due >= 0) {
        since_ns = since_due;
        whole_ns = time_ahead_ns(ticker, ticker->due_delay)
                   - time_ahead_ns(ticker, ticker->due_delay - 1);
    }
    if (since_ns <= 0 || whole_ns == 0) {
        return 0.0;
    }
    return (double)(since_ns < whole_ns ? since_ns : whole_ns - 1) / (double)whole_ns;
}

double es_ticker_alpha(const es_ticker *ticker, int64_t content_ns)
{
    if (ticker->due) {
        return alpha_below_one(ticker, content_ns);
    }
    if (content_ns >= ticker->time_ns) {
        return 1.0;
    }
    if (content_ns <= ticker->previous_ns) {
        return 0.0;
    }
    return (double)(content_ns - ticker->previous_ns)
           / (double)(ticker->time_ns - ticker->previous_ns);
}

int64_t es_ticker_time_ns(const es_ticker *ticker, int64_t index)
{
    int64_t events = es_ns_sub(index, ticker->base_index);
    return es_ns_add(ticker->base_ns, es_rate_events_to_ns(ticker->rate, events));
}

es_result es_ticker_set_rate(es_ticker *ticker, es_rate rate)
{
    if (!es_rate_is_valid(rate)) {
        return ES_ERR_INVALID;
    }
    ticker->base_index = ticker->index;
    ticker->base_ns = ticker->time_ns;
    ticker->carried = 0;
    set_period(ticker, rate);
    es_ticker_set_due(ticker, ticker->due, ticker->due_delay);
    return ES_OK;
}

es_result es_ticker_seek(es_ticker *ticker, int64_t index)
{
    /* before the last change of rate: as if the present rate had always been */
    bool rebased = index < ticker->base_index;
    int64_t time_ns =
            rebased ? es_rate_events_to_ns(ticker->rate, index) : es_ticker_time_ns(ticker, index);
    if (index < 0 || time_ns == INT64_MAX) {
        return ES_ERR_RANGE;
    }
    if (rebased) {
        ticker->base_index = 0;
        ticker->base_ns = 0;
    }
    ticker->index = index;
    ticker->time_ns = time_ns;
    ticker->carried = carried_after(ticker, index - ticker->base_index);
    ticker->previous_index = index;
    ticker->previous_ns = time_ns;
    return ES_OK;
}
