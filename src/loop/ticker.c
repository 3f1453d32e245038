/* SPDX-License-Identifier: Zlib
 *
 * From one tick to the next the time grows by the period's whole nanoseconds, and its rest is
 * carried in units of 1/numerator ns. The times equal floor((n - n0) * period) exactly, without a
 * division per tick.
 */
#include "ticker.h"

#include "base/common.h"

#define TIMES_MASK (ES_TICKER_TIMES - 1)

_Static_assert((ES_TICKER_TIMES & TIMES_MASK) == 0, "a power of two");
_Static_assert(ES_TICKER_TIMES >= ES__LEAD_MAX + 2, "the pair behind the longest lead");

/* Splits the period of a rate: denominator * 1e9 = whole * numerator + rest. */
static void set_period(es__ticker *ticker, es_rate rate)
{
    int64_t dividend = (int64_t)rate.denominator * ES_NS_PER_S; /* < 4.3e18 */
    ticker->rate = rate;
    ticker->whole_ns = dividend / rate.numerator;
    ticker->rest = (uint32_t)(dividend % rate.numerator);
    ticker->period_s = es__rate_period_s(rate);
}

/* The rest that floor(events * period) leaves behind, in 1/numerator ns: (events * rest) mod
 * numerator, for events >= 0. Both factors of the product are below 1e9. */
static uint32_t carried_after(const es__ticker *ticker, int64_t events)
{
    uint64_t left = (uint64_t)events % ticker->rate.numerator;
    return (uint32_t)(left * ticker->rest % ticker->rate.numerator);
}

#if ES__ASSERTS
/* The newest tick is where its number says, and the last ones are kept, in order. */
static void check_ticker(const es__ticker *ticker)
{
    int64_t time_ns = es__ticker_time_ns(ticker, ticker->index);
    ES__ASSERT(
            ticker->time_ns == time_ns || time_ns == ES__TIME_MAX, ticker->index, ticker->time_ns);
    ES__ASSERT_IS(ticker->times_ns[ticker->index & TIMES_MASK], ==, ticker->time_ns);
    ES__ASSERT_IS(ticker->base_index, <=, ticker->index);
    ES__ASSERT_IS(ticker->carried, <, ticker->rate.numerator);
    ES__ASSERT_IS(ticker->previous_index, ==, es__max(ticker->index - 1, ticker->first_index));
}
#endif

void es__ticker_init(es__ticker *ticker, es_rate rate, int32_t ticks_max)
{
    es__ticker fresh = {0};
    set_period(&fresh, rate);
    fresh.ticks_max = ticks_max;
    fresh.ticks_most = ES__TICKS_MAX;
    *ticker = fresh;
}

void es__ticker_open(es__ticker *ticker)
{
    ticker->ticks = 0;
    ticker->ticks_most = ES__TICKS_MAX;
}

static void store_time(es__ticker *ticker)
{
    ticker->times_ns[ticker->index & TIMES_MASK] = ticker->time_ns;
}

static void advance(es__ticker *ticker, int64_t step_ns)
{
    ticker->previous_index = ticker->index;
    ticker->previous_ns = ticker->time_ns;
    ticker->index += 1;
    ticker->time_ns = es__min(ticker->time_ns + step_ns, ES__TIME_MAX);
    store_time(ticker);
}

/* The length of the next tick, by adding and carrying. */
static int64_t next_step_ns(const es__ticker *ticker, uint32_t *carried)
{
    uint64_t sum = (uint64_t)*carried + ticker->rest;
    bool full = sum >= ticker->rate.numerator;
    *carried = (uint32_t)(full ? sum - ticker->rate.numerator : sum);
    return ticker->whole_ns + (full ? 1 : 0);
}

/* t(newest + ahead). */
static int64_t time_ahead_ns(const es__ticker *ticker, int32_t ahead)
{
    int64_t time_ns = ticker->time_ns;
    uint32_t carried = ticker->carried;
    for (int32_t i = 0; i < ahead; ++i) {
        time_ns = es__min(time_ns + next_step_ns(ticker, &carried), ES__TIME_MAX);
    }
    return time_ns;
}

/* The time of one of the last ES_TICKER_TIMES ticks, or of a future one. */
static int64_t time_of_tick(const es__ticker *ticker, int64_t index)
{
    ES__ASSERT(index > ticker->index - ES_TICKER_TIMES && index >= ticker->first_index, index,
            ticker->index);
    if (index > ticker->index) {
        return time_ahead_ns(ticker, (int32_t)(index - ticker->index));
    }
    return ticker->times_ns[index & TIMES_MASK];
}

/* By how much a target must be earlier for this tick to reach it. With the accumulator's bracket
 * and a delay the comparison is made where ticks are due, exactly. Ticks from before the last base
 * have no such instant, because the ticks between have several rates. */
static int64_t shortfall_ns(const es__ticker *ticker, int64_t index, int64_t target_ns)
{
    if (!ticker->accumulator) {
        int64_t time_ns = time_of_tick(ticker, index);
        return time_ns >= target_ns ? 0 : target_ns - time_ns;
    }
    bool regular = index >= ticker->base_index;
    int64_t due_ns = regular ? target_ns + ticker->delay_ns : target_ns;
    int64_t reached_ns = time_of_tick(ticker, index + (regular ? ticker->delay_ticks : 0));
    return reached_ns > due_ns ? 0 : due_ns - reached_ns + 1;
}

/* The tick that must reach a target: the newest, less the lead. */
static int64_t covering_index(const es__ticker *ticker)
{
    return es__max(ticker->index - ticker->lead, ticker->first_index);
}

int64_t es__ticker_covered_ns(const es__ticker *ticker)
{
    return time_of_tick(ticker, covering_index(ticker));
}

int64_t es__ticker_debt_ns(const es__ticker *ticker, int64_t target_ns)
{
    return shortfall_ns(ticker, covering_index(ticker), target_ns);
}

static bool is_reached(const es__ticker *ticker, int64_t target_ns)
{
    int64_t index = ticker->index - ticker->lead;
    return index >= ticker->first_index && shortfall_ns(ticker, index, target_ns) == 0;
}

static void make_step(es__ticker *ticker, es_step *step, double dt_s)
{
    step->index = ticker->index;
    step->time_ns = ticker->time_ns;
    step->dt_ns = ticker->time_ns - ticker->previous_ns;
    step->dt_s = dt_s;
    step->in_frame = ticker->ticks;
    step->due_ns = 0;
    step->begun_ns = 0;
    ticker->ticks += 1;
}

bool es__ticker_next(es__ticker *ticker, int64_t target_ns, es_step *step)
{
    if (is_reached(ticker, target_ns) || ticker->ticks >= es__ticker_most(ticker)) {
        return false;
    }
    advance(ticker, next_step_ns(ticker, &ticker->carried));
    make_step(ticker, step, ticker->period_s);
    ES__CHECK(check_ticker(ticker));
    return true;
}

void es__ticker_step(es__ticker *ticker, int64_t dt_ns, es_step *step)
{
    advance(ticker, dt_ns);
    ticker->base_index = ticker->index;
    ticker->base_ns = ticker->time_ns;
    ticker->carried = 0;
    make_step(ticker, step, (double)dt_ns / (double)ES_NS_PER_S);
    ES__CHECK(check_ticker(ticker));
}

void es__ticker_set_accumulator(es__ticker *ticker, bool on, int32_t delay_ticks)
{
    ticker->accumulator = on;
    ticker->delay_ticks = on ? delay_ticks : 0;
    ticker->delay_ns = es__rate_span_ns(ticker->rate, ticker->delay_ticks);
}

/* The first tick from index on that reaches the target; at most the last one. */
static int64_t bracket_index(
        const es__ticker *ticker, int64_t index, int64_t last, int64_t target_ns)
{
    while (index < last && shortfall_ns(ticker, index, target_ns) > 0) {
        index += 1;
    }
    return index;
}

int64_t es__ticker_single_ns(const es__ticker *ticker, int64_t target_ns)
{
    /* with a lead of -1 the tick that is shown has not run yet */
    int64_t last = ticker->index + (ticker->lead < 0 ? 1 : 0);
    int64_t index = bracket_index(ticker, ticker->index - ticker->pair_back, last, target_ns);
    if (!ticker->accumulator) {
        return time_of_tick(ticker, index + 1);
    }
    if (index < ticker->base_index) {
        return time_of_tick(ticker, index);
    }
    return time_of_tick(ticker, index + ticker->delay_ticks) - ticker->delay_ns;
}

static es__ticker_pair shown_pair(const es__ticker *ticker)
{
    int64_t index = ticker->index - ticker->pair_back;
    int64_t previous = es__max(index - 1, ticker->first_index);
    es__ticker_pair pair = {
            previous, index, time_of_tick(ticker, previous), time_of_tick(ticker, index)};
    return pair;
}

/* The pair only moves forward. Its newer tick is at least the one that this frame's last tick was
 * run for, because the tick before did not reach the target. */
void es__ticker_find_pair(es__ticker *ticker, int64_t target_ns, es__ticker_pair *pair)
{
    int64_t index = ticker->index - ticker->ticks - ticker->pair_back;
    if (ticker->ticks > 0) {
        index = es__max(index, ticker->index - es__max(ticker->lead, 0));
    }
    index = es__max(index, ticker->first_index);
    index = bracket_index(ticker, index, ticker->index, target_ns);
    ES__BEFORE(const int64_t before = ticker->index - ticker->ticks - ticker->pair_back);
    ticker->pair_back = (int32_t)(ticker->index - index);
    *pair = shown_pair(ticker);
    ES__CHECK(ES__ASSERT_IS(index, >=, es__min(before, ticker->index)));
    ES__ASSERT(index == ticker->index || shortfall_ns(ticker, index, target_ns) == 0, index);
}

/* Time since the tick that was due last: with a delay of d ticks it is d ahead of the pair's older
 * one. -1 where the pair does not bracket C, or where its ticks are not regular: then the ticks
 * ahead have another spacing than the pair. */
static int64_t since_due_ns(
        const es__ticker *ticker, const es__ticker_pair *pair, int64_t content_ns)
{
    bool regular = pair->previous_index >= ticker->base_index
                   && pair->current_index > pair->previous_index;
    if (ticker->delay_ticks == 0 || !regular) {
        return -1;
    }
    int64_t due_ns = content_ns + ticker->delay_ns;
    int64_t next = pair->current_index + ticker->delay_ticks;
    return due_ns < time_of_tick(ticker, next) ? due_ns - time_of_tick(ticker, next - 1) : -1;
}

/* Whether a lead of -1 leaves C at the newest tick or past it. */
static bool is_past_newest(const es__ticker *ticker, int64_t content_ns)
{
    return ticker->lead < 0 && shortfall_ns(ticker, ticker->index, content_ns) > 0;
}

int64_t es__ticker_placed_ns(const es__ticker *ticker, int64_t content_ns)
{
    if (ticker->delay_ticks == 0) {
        return content_ns;
    }
    if (is_past_newest(ticker, content_ns)) {
        int64_t due_ns = content_ns + ticker->delay_ns;
        int64_t next_ns = time_of_tick(ticker, ticker->index + ticker->delay_ticks);
        return ticker->time_ns + due_ns - next_ns;
    }
    es__ticker_pair pair = shown_pair(ticker);
    int64_t since_ns = since_due_ns(ticker, &pair, content_ns);
    return since_ns < 0 ? content_ns : pair.previous_ns + since_ns;
}

/* With the accumulator's bracket: the share of the time to the next due tick that has passed. */
static double alpha_below_one(
        const es__ticker *ticker, const es__ticker_pair *pair, int64_t content_ns)
{
    int64_t since_ns = content_ns - pair->previous_ns;
    int64_t whole_ns = pair->current_ns - pair->previous_ns;
    int64_t since_due = since_due_ns(ticker, pair, content_ns);
    if (is_past_newest(ticker, content_ns)) {
        return 1.0;
    }
    if (since_due >= 0) {
        int64_t next = pair->current_index + ticker->delay_ticks;
        since_ns = since_due;
        whole_ns = time_of_tick(ticker, next) - time_of_tick(ticker, next - 1);
    }
    if (since_ns <= 0 || whole_ns == 0) {
        return 0.0;
    }
    return (double)(since_ns < whole_ns ? since_ns : whole_ns - 1) / (double)whole_ns;
}

static double alpha_in(const es__ticker_pair *pair, int64_t content_ns)
{
    if (content_ns >= pair->current_ns) {
        return 1.0;
    }
    if (content_ns <= pair->previous_ns) {
        return 0.0;
    }
    return (double)(content_ns - pair->previous_ns)
           / (double)(pair->current_ns - pair->previous_ns);
}

double es__ticker_alpha(const es__ticker *ticker, int64_t content_ns)
{
    es__ticker_pair pair = shown_pair(ticker);
    return ticker->accumulator ? alpha_below_one(ticker, &pair, content_ns)
                               : alpha_in(&pair, content_ns);
}

int64_t es__ticker_time_ns(const es__ticker *ticker, int64_t index)
{
    int64_t events = index - ticker->base_index;
    return es__clamp_ns(ticker->base_ns + es__rate_span_ns(ticker->rate, events));
}

void es__ticker_set_rate(es__ticker *ticker, es_rate rate)
{
    ticker->base_index = ticker->index;
    ticker->base_ns = ticker->time_ns;
    ticker->carried = 0;
    set_period(ticker, rate);
    es__ticker_set_accumulator(ticker, ticker->accumulator, ticker->delay_ticks);
}

es_result es__ticker_seek(es__ticker *ticker, int64_t index)
{
    /* a tick from before the last change of rate: counted at the present rate from tick 0 */
    bool rebased = index < ticker->base_index;
    if (index < 0) {
        return ES_ERR_RANGE;
    }
    int64_t time_ns =
            rebased ? es__rate_span_ns(ticker->rate, index) : es__ticker_time_ns(ticker, index);
    if (time_ns == ES__TIME_MAX) {
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
    ticker->first_index = index;
    ticker->pair_back = 0;
    store_time(ticker);
    ES__CHECK(check_ticker(ticker));
    return ES_OK;
}

int64_t es__ticks_in(es_rate rate, int64_t interval_ns, es__ratio scale)
{
    int64_t period_ns = es__rate_period_ns(rate);
    int64_t content_ns = es__ns_scale(interval_ns, scale);
    int64_t ticks = content_ns / period_ns + (content_ns % period_ns != 0 ? 1 : 0);
    return ticks < ES__TICKS_MAX ? ticks : ES__TICKS_MAX;
}
