/* SPDX-License-Identifier: Zlib
 *
 * Tick j of a group that divides the base is at base tick phase + j * period, and so at that one's
 * time; with a rate of its own it is at phase_ns + floor(j * period). Which of them have run after
 * base tick n is then a division, and nothing has to be counted along.
 */
#include "evenstep/rates.h"

#include "base/common.h"

#define RATE_MAX  UINT32_C(1000000)
#define COST_MAX  INT64_C(1000000000000)
#define AHEAD_MAX 1000

static bool is_usable(es_rate rate)
{
    return es_rate_is_valid(rate) && rate.numerator <= (uint64_t)RATE_MAX * rate.denominator;
}

static es_result check_clock(const es_rate_group *group, es_error *error)
{
    if (group->period < 0 || group->period > ES_RATES_PERIOD_MAX) {
        return es__refuse(error, "period", "must be 0 to 1 000 000");
    }
    if (group->period > 0) {
        if (group->rate.numerator != 0 || group->rate.denominator != 0) {
            return es__refuse(error, "rate", "must be {0, 0} beside a period");
        }
        if (group->phase_ns != 0) {
            return es__refuse(error, "phase_ns", "must be 0 beside a period");
        }
        bool fits = group->phase >= 0 && group->phase < group->period;
        return fits ? ES_OK : es__refuse(error, "phase", "must be 0 to period - 1");
    }
    if (!is_usable(group->rate)) {
        return es__refuse(error, "rate", "must be over 0 and up to 1 000 000 per second");
    }
    if (group->phase_ns < 0) {
        return es__refuse(error, "phase_ns", "must be at least 0");
    }
    return group->phase == 0 ? ES_OK : es__refuse(error, "phase", "must be 0 beside a rate");
}

static es_result check_group(const es_rate_group *group, es_error *error)
{
    if (check_clock(group, error) != ES_OK) {
        return ES_ERR_INVALID;
    }
    if (group->lead_ticks < -1 || group->lead_ticks > ES_RATES_LEAD_MAX) {
        return es__refuse(error, "lead_ticks", "must be -1 to 6");
    }
    if (group->delay_ticks < 0 || group->delay_ticks > ES_RATES_DELAY_MAX) {
        return es__refuse(error, "delay_ticks", "must be 0 to 8");
    }
    bool fits = group->cost >= 0 && group->cost <= COST_MAX;
    return fits ? ES_OK : es__refuse(error, "cost", "must be 0 to 1 000 000 000 000");
}

es_result es_rates_init(
        es_rates *rates, const es_rate_group *groups, int32_t count, es_rate base, es_error *error)
{
    if (error != NULL) {
        error->field = NULL;
        error->reason = NULL;
    }
    if (rates == NULL || groups == NULL) {
        return es__refuse(error, "rates, groups", "must not be NULL");
    }
    if (count < 1 || count > ES_RATES_GROUPS_MAX) {
        return es__refuse(error, "count", "must be 1 to 256");
    }
    if (!is_usable(base)) {
        return es__refuse(error, "base", "must be over 0 and up to 1 000 000 per second");
    }
    for (int32_t i = 0; i < count; ++i) {
        if (check_group(&groups[i], error) != ES_OK) {
            return ES_ERR_INVALID;
        }
    }
    const es_rates fresh = {
            .groups = groups, .count = count, .base_count = 1, .bases = {{0, 0, base}}};
    *rates = fresh;
    return ES_OK;
}

/* --- base ticks ------------------------------------------------------------------------------- */

/* Whether so many, times the nanoseconds in `denominator' seconds, stay below 2^63. */
static bool fits_parts(es_rate rate, int64_t events)
{
    return (uint64_t)events <= INT32_MAX && events * rate.denominator <= INT64_MAX / ES_NS_PER_S;
}

/* es_rate_events_to_ns of a rate that was checked before; mostly in line. */
static int64_t events_to_ns(es_rate rate, int64_t events)
{
    if (fits_parts(rate, events)) {
        return events * rate.denominator * ES_NS_PER_S / rate.numerator;
    }
    return es_rate_events_to_ns(rate, events);
}

/* What places a base tick. */
static const es_rates_base *base_for(const es_rates *rates, int64_t tick)
{
    const es_rates_base *base = &rates->bases[rates->base_count - 1];
    while (base > rates->bases && tick < base->tick) {
        base -= 1;
    }
    return base;
}

static int64_t time_by(const es_rates_base *base, int64_t tick)
{
    int64_t since_ns = events_to_ns(base->rate, es_ns_sub(tick, base->tick));
    return es_ns_add(base->time_ns, since_ns);
}

static int64_t base_time_ns(const es_rates *rates, int64_t tick)
{
    return time_by(base_for(rates, tick), tick);
}

/* The first one at or after an instant. */
static int64_t base_at(const es_rates *rates, int64_t time_ns)
{
    int32_t i = rates->base_count - 1;
    while (i > 0 && time_ns <= rates->bases[i].time_ns) {
        i -= 1;
    }
    const es_rates_base *base = &rates->bases[i];
    int64_t since = es_rate_ns_to_events(base->rate, es_ns_sub(time_ns, base->time_ns));
    int64_t tick = es_ns_add(base->tick, since);
    bool is_newest = i + 1 == rates->base_count;
    return is_newest || tick < rates->bases[i + 1].tick ? tick : rates->bases[i + 1].tick;
}

es_result es_rates_rebase(es_rates *rates, int64_t tick, int64_t time_ns, es_rate rate)
{
    if (rates == NULL || !is_usable(rate)) {
        return ES_ERR_INVALID;
    }
    es_rates_base *newest = &rates->bases[rates->base_count - 1];
    bool same = tick == newest->tick && time_ns == newest->time_ns;
    if (!same && (tick <= newest->tick || time_ns <= base_time_ns(rates, tick - 1))) {
        return ES_ERR_INVALID;
    }
    const es_rates_base base = {tick, time_ns, rate};
    if (same) {
        *newest = base;
        return ES_OK;
    }
    if (rates->base_count == ES_RATES_BASES) {
        for (int32_t i = 1; i < ES_RATES_BASES; ++i) {
            rates->bases[i - 1] = rates->bases[i];
        }
        rates->base_count -= 1;
    }
    rates->bases[rates->base_count++] = base;
    return ES_OK;
}

/* --- ticks of a group ------------------------------------------------------------------------- */

static int64_t base_of(const es_rate_group *group, int64_t tick)
{
    int64_t most = INT64_MAX / ES_RATES_PERIOD_MAX - 1;
    tick = tick < -most ? -most : tick > most ? most : tick;
    return tick * group->period + group->phase;
}

/* Of a group with a rate of its own. */
static int64_t own_time_ns(const es_rate_group *group, int64_t tick)
{
    return es_ns_add(group->phase_ns, events_to_ns(group->rate, tick));
}

static inline int64_t tick_time_ns(const es_rates *rates, const es_rate_group *group, int64_t tick)
{
    return group->period > 0 ? base_time_ns(rates, base_of(group, tick)) : own_time_ns(group, tick);
}

/* From one tick of a group to the next. */
typedef struct tick_span {
    int64_t begin_ns;
    int64_t end_ns;
    es_rate base; /* the base's rate from begin to end; {0, 0}: it changes within */
} tick_span;

/* That which ends at a tick. */
static tick_span span_of(const es_rates *rates, const es_rate_group *group, int64_t tick)
{
    if (group->period == 0) {
        const tick_span own = {own_time_ns(group, tick - 1), own_time_ns(group, tick), {0, 0}};
        return own;
    }
    int64_t end = base_of(group, tick);
    int64_t begin = end - group->period;
    const es_rates_base *base = base_for(rates, begin);
    const es_rates_base *newest = &rates->bases[rates->base_count - 1];
    tick_span span = {.begin_ns = time_by(base, begin)};
    if (base == newest || end <= base[1].tick) {
        span.base = base->rate;
    }
    span.end_ns = base == newest ? time_by(base, end) : base_time_ns(rates, end);
    return span;
}

/* The first tick at or after a frame's content, from tick 0 on. Which base tick that is the frame
 * mostly knows. */
static int64_t tick_at(
        const es_rates *rates, const es_rate_group *group, const es_frame *frame, int64_t time_ns)
{
    if (group->period > 0) {
        bool known = time_ns > frame->previous_ns && time_ns <= frame->current_ns;
        int64_t base_tick = known ? frame->current_tick : base_at(rates, time_ns);
        int64_t past = es_ns_sub(base_tick, group->phase);
        return past <= 0 ? 0 : (past - 1) / group->period + 1;
    }
    int64_t since_ns = es_ns_sub(time_ns, group->phase_ns);
    return since_ns <= 0 ? 0 : es_rate_ns_to_events(group->rate, since_ns);
}

/* Of a group with a rate of its own: the newest tick once the base tick at this time has run. Each
 * of its ticks, from 0 on, that lies before that time has begun the span after it. */
static int64_t newest_by_time(const es_rate_group *group, int64_t base_ns)
{
    int64_t since_ns = es_ns_sub(base_ns, group->phase_ns);
    if (group->lead_ticks < 0) {
        return since_ns < 0 ? 0 : es_rate_ns_to_events(group->rate, es_ns_add(since_ns, 1)) - 1;
    }
    return since_ns <= 0
                   ? 0
                   : es_ns_add(es_rate_ns_to_events(group->rate, since_ns), group->lead_ticks);
}

/* Base ticks since the one at which the group's first tick ran. */
static int64_t past_first(const es_rate_group *group, int64_t base_tick)
{
    return es_ns_sub(base_tick, group->phase + (group->lead_ticks < 0 ? group->period : 1));
}

static inline int64_t newest_tick(
        const es_rates *rates, const es_rate_group *group, int64_t base_tick)
{
    if (group->period == 0) {
        return base_tick < 1 ? 0 : newest_by_time(group, base_time_ns(rates, base_tick));
    }
    int64_t past = past_first(group, base_tick);
    int64_t lead = group->lead_ticks < 0 ? 0 : group->lead_ticks;
    return past < 0 ? 0 : es_ns_add(past / group->period, 1 + lead);
}

int64_t es_rates_newest(const es_rates *rates, int32_t group, int64_t base_tick)
{
    if (group < 0 || group >= rates->count) {
        return 0;
    }
    return newest_tick(rates, &rates->groups[group], base_tick);
}

int64_t es_rates_time_ns(const es_rates *rates, int32_t group, int64_t tick)
{
    if (group < 0 || group >= rates->count) {
        return 0;
    }
    return tick_time_ns(rates, &rates->groups[group], tick);
}

/* ceil(spans * rate / base): how many ticks at `rate' can begin in so many base ticks. */
static int64_t begun_within(es_rate rate, es_rate base, int32_t spans)
{
    uint64_t ticks = (uint64_t)rate.numerator * base.denominator;
    uint64_t parts = (uint64_t)rate.denominator * base.numerator; /* below 2^62, so is the rest */
    uint64_t rest = 0;
    int64_t whole = 0;
    for (int32_t i = 0; i < spans; ++i) {
        whole += (int64_t)(ticks / parts);
        rest += ticks % parts;
        whole += rest >= parts;
        rest -= rest >= parts ? parts : 0;
    }
    return whole + (rest > 0);
}

int32_t es_rates_history_ticks(const es_rates *rates, int32_t group, int32_t lead_ticks)
{
    if (group < 0 || group >= rates->count) {
        return 0;
    }
    const es_rate_group *own = &rates->groups[group];
    int32_t ahead = lead_ticks < 0 ? 0 : lead_ticks < AHEAD_MAX ? lead_ticks : AHEAD_MAX;
    int64_t ticks = 2 + own->delay_ticks + (own->lead_ticks > 0 ? own->lead_ticks : 0);
    if (own->period > 0) {
        ticks += (ahead + own->period - 1) / own->period;
    } else {
        ticks += begun_within(own->rate, rates->bases[rates->base_count - 1].rate, ahead + 1);
    }
    return ticks < INT32_MAX ? (int32_t)ticks : INT32_MAX;
}

/* --- rates of their own, with few divisions ----------------------------------------------------
 *
 * A nanosecond is `numerator' parts and a period is `unit' of them, so event j is j * unit parts
 * after event 0. How many events lie before an instant takes a division; whether as many as is
 * likely do, a product tells. Nearly all frames go this short way: where the terms of rates are
 * below 2^16 and times below 2^47 ns, which is 39 hours, parts stay below 2^63. The others go the
 * long way, by the functions above, to the same numbers.
 */
#define SHORT_TERM (UINT32_C(1) << 16)
#define SHORT_NS   (INT64_C(1) << 47)

static bool is_short(es_rate rate)
{
    return (rate.numerator | rate.denominator) < SHORT_TERM;
}

static int64_t unit_of(es_rate rate)
{
    return rate.denominator * ES_NS_PER_S;
}

/* Of a tick from 0 on which is at most a few after one whose parts stay below 2^63. */
static int64_t short_time_ns(const es_rate_group *group, int64_t tick)
{
    uint64_t parts = (uint64_t)tick * (uint64_t)unit_of(group->rate);
    return group->phase_ns + (int64_t)(parts / group->rate.numerator);
}

/* Events from 0 on that are less than so many parts after it. */
static int64_t events_before(es_rate rate, int64_t parts)
{
    uint64_t unit = (uint64_t)unit_of(rate);
    return (int64_t)(((uint64_t)parts + unit - 1) / unit);
}

/* The same, where it is likely that many, at least 1, or one fewer: which of these is as good as
 * chance, so no branch asks. */
static int64_t events_before_near(es_rate rate, int64_t parts, int64_t likely)
{
    int64_t unit = unit_of(rate);
    int64_t past = parts - (likely - 1) * unit; /* the last of them */
    int64_t fewer = past <= 0;
    past += fewer * unit;
    return past > 0 && past <= unit ? likely - fewer : events_before(rate, parts);
}

/* The times of two base ticks: the newest, and the one before it or before a frame's. */
typedef struct base_times {
    int64_t newest_ns;
    int64_t before_ns;
} base_times;

/* How many ticks of a group have begun the span after them: those before either time, or with a
 * lead of -1 not after it. */
typedef struct begun {
    int64_t newest;
    int64_t before;
} begun;

/* False: the way is long. */
static inline bool count_begun(const es_rate_group *group, const base_times *times, begun *counts)
{
    int64_t from_ns = group->phase_ns - (group->lead_ticks < 0 ? 1 : 0);
    if (times->before_ns <= from_ns || times->newest_ns >= SHORT_NS - 1 || !is_short(group->rate)) {
        return false;
    }
    int64_t numerator = group->rate.numerator;
    int64_t newest = (times->newest_ns - from_ns) * numerator;
    int64_t before = (times->before_ns - from_ns) * numerator;
    counts->newest = events_before(group->rate, newest);
    counts->before = events_before_near(group->rate, before, counts->newest);
    return true;
}

/* --- what ticks at a base tick ---------------------------------------------------------------- */

void es_rates_open(const es_rates *rates, int64_t base_tick, es_rates_run *run)
{
    const es_rates_run fresh = {.group = base_tick < 1 ? rates->count : -1, .base_tick = base_tick};
    *run = fresh;
}

static void read_times(const es_rates *rates, es_rates_run *run)
{
    if (!run->timed) {
        run->before_ns = base_time_ns(rates, run->base_tick - 1);
        run->base_ns = base_time_ns(rates, run->base_tick);
        run->timed = true;
    }
}

static bool find_own_ticks(const es_rates *rates, const es_rate_group *group, es_rates_run *run)
{
    read_times(rates, run);
    const base_times times = {run->base_ns, run->before_ns};
    bool first = run->base_tick == 1;
    begun counts;
    if (!first && count_begun(group, &times, &counts)) {
        run->step.index = counts.before + group->lead_ticks;
        run->last = counts.newest + group->lead_ticks;
    } else {
        run->step.index = first ? 0 : newest_by_time(group, run->before_ns);
        run->last = newest_by_time(group, run->base_ns);
    }
    return run->step.index < run->last;
}

/* The next group's ticks of this base tick: those after step.index, up to last. False: it has none.
 */
static bool find_ticks(const es_rates *rates, es_rates_run *run)
{
    const es_rate_group *group = &rates->groups[run->group];
    if (group->period == 0) {
        return find_own_ticks(rates, group, run);
    }
    int64_t past = past_first(group, run->base_tick);
    int64_t times = past < 0 ? 0 : past / group->period;
    if (past != times * group->period) {
        return false;
    }
    run->last = es_ns_add(times, 1 + (group->lead_ticks < 0 ? 0 : group->lead_ticks));
    run->step.index = times == 0 ? 0 : run->last - 1;
    return true;
}

/* The group's period in seconds: one division, so the same on every machine. */
static double period_s(const es_rate_group *group, const tick_span *span, int64_t dt_ns)
{
    if (group->period == 0) {
        return (double)group->rate.denominator / (double)group->rate.numerator;
    }
    if (span->base.numerator == 0) {
        return (double)dt_ns / (double)ES_NS_PER_S;
    }
    return (double)((int64_t)span->base.denominator * group->period) / (double)span->base.numerator;
}

static void rates_fill_step(const es_rates *rates, es_rates_run *run)
{
    const es_rate_group *group = &rates->groups[run->group];
    es_step *step = &run->step;
    step->index += 1;
    step->in_frame += 1;
    tick_span span = span_of(rates, group, step->index);
    step->time_ns = span.end_ns;
    step->dt_ns = es_ns_sub(span.end_ns, span.begin_ns);
    step->dt_s = period_s(group, &span, step->dt_ns);
}

bool es_rates_next(const es_rates *rates, es_rates_run *run)
{
    bool found = run->step.index < run->last;
    while (!found && run->group + 1 < rates->count) {
        run->group += 1;
        run->step.in_frame = -1;
        found = find_ticks(rates, run);
    }
    if (found) {
        rates_fill_step(rates, run);
    }
    return found;
}

/* --- what a frame shows ----------------------------------------------------------------------- */

/* How far the group's delay puts its picture back. */
static int64_t delay_ns(const es_rates *rates, const es_rate_group *group)
{
    if (group->delay_ticks == 0) {
        return 0;
    }
    if (group->period == 0) {
        return es_rate_events_to_ns(group->rate, group->delay_ticks);
    }
    es_rate base = rates->bases[rates->base_count - 1].rate;
    return es_rate_events_to_ns(base, (int64_t)group->delay_ticks * group->period);
}

/* What a frame shows of a group, by ticks. */
typedef struct shown {
    int64_t content_ns;
    int64_t current; /* the first tick at or after content, up to the newest */
    int64_t newest;  /* that has run, and that before the frame's ticks */
    int64_t before;
    int64_t previous_ns;
    int64_t current_ns;
    int64_t newest_ns;
} shown;

static shown find_shown(const es_rates *rates, const es_rate_group *group, const es_frame *frame)
{
    shown is = {.content_ns = es_ns_sub(frame->content_ns, delay_ns(rates, group))};
    is.newest = newest_tick(rates, group, frame->newest_tick);
    is.before = is.newest;
    if (frame->ticks > 0) {
        is.before = newest_tick(rates, group, es_ns_sub(frame->newest_tick, frame->ticks));
    }
    int64_t at = tick_at(rates, group, frame, is.content_ns);
    is.current = at < is.newest ? at : is.newest;
    is.previous_ns = tick_time_ns(rates, group, is.current > 0 ? is.current - 1 : 0);
    is.current_ns = tick_time_ns(rates, group, is.current);
    is.newest_ns = is.newest == is.current ? is.current_ns : tick_time_ns(rates, group, is.newest);
    return is;
}

/* Those of a frame. The newest one's time the frame mostly knows; a product tells whether it does.
 * False: the way is long. */
static bool find_times(const es_rates *rates, const es_frame *frame, base_times *times)
{
    const es_rates_base *base = &rates->bases[rates->base_count - 1];
    int64_t ticks = frame->ticks > 0 ? frame->ticks : 0;
    int64_t since = es_ns_sub(frame->newest_tick, base->tick);
    if (since < ticks || frame->newest_tick <= ticks || !is_short(base->rate)
            || !fits_parts(base->rate, since)) {
        return false;
    }
    int64_t numerator = base->rate.numerator;
    int64_t unit = unit_of(base->rate);
    int64_t newest_ns = es_ns_sub(frame->newest_ns, base->time_ns);
    bool likely = newest_ns >= 0 && newest_ns < SHORT_NS;
    int64_t rest = likely ? since * unit - newest_ns * numerator : -1;
    if (rest < 0 || rest >= numerator) {
        newest_ns = since * unit / numerator;
    }
    times->newest_ns = es_ns_add(base->time_ns, newest_ns);
    times->before_ns = es_ns_add(base->time_ns, (since - ticks) * unit / numerator);
    return true;
}

/* The same for a group with a rate of its own. False: the way is long. */
static bool find_shown_short(
        const es_rates *rates, const es_rate_group *group, const es_frame *frame, shown *is)
{
    base_times times;
    begun counts;
    if (!find_times(rates, frame, &times) || !count_begun(group, &times, &counts)) {
        return false;
    }
    int64_t content_ns = es_ns_sub(frame->content_ns, delay_ns(rates, group));
    if (content_ns <= group->phase_ns || content_ns >= SHORT_NS) {
        return false;
    }
    int64_t parts = (content_ns - group->phase_ns) * group->rate.numerator;
    int64_t likely = counts.newest - group->delay_ticks;
    int64_t at = events_before_near(group->rate, parts, likely > 0 ? likely : 1);
    is->content_ns = content_ns;
    is->newest = counts.newest + group->lead_ticks;
    is->before = counts.before + group->lead_ticks;
    is->current = at < is->newest ? at : is->newest;
    is->previous_ns = short_time_ns(group, is->current > 0 ? is->current - 1 : 0);
    is->current_ns = short_time_ns(group, is->current);
    is->newest_ns = is->newest == is->current ? is->current_ns : short_time_ns(group, is->newest);
    return true;
}

/* Times that are not below 0, as they mostly are, cannot be too far apart for int64_t. */
static double rates_alpha_between(int64_t previous_ns, int64_t content_ns, int64_t current_ns)
{
    if (previous_ns >= 0) {
        return (double)(content_ns - previous_ns) / (double)(current_ns - previous_ns);
    }
    return (double)es_ns_sub(content_ns, previous_ns) / (double)es_ns_sub(current_ns, previous_ns);
}

es_result es_rates_frame(const es_rates *rates, int32_t group, const es_frame *frame, es_frame *out)
{
    if (rates == NULL || frame == NULL || out == NULL || group < 0 || group >= rates->count) {
        return ES_ERR_INVALID;
    }
    const es_rate_group *own = &rates->groups[group];
    shown is;
    if (own->period > 0 || !find_shown_short(rates, own, frame, &is)) {
        is = find_shown(rates, own, frame);
    }
    *out = *frame;
    out->content_ns = is.content_ns;
    out->previous_tick = is.current > 0 ? is.current - 1 : 0;
    out->current_tick = is.current;
    out->previous_ns = is.previous_ns;
    out->current_ns = is.current_ns;
    out->newest_tick = is.newest;
    out->newest_ns = is.newest_ns;
    out->ahead_ns = is.content_ns > is.newest_ns ? es_ns_sub(is.content_ns, is.newest_ns) : 0;
    out->ticks = (int32_t)(is.newest - is.before);
    out->alpha = 1.0;
    if (is.current > 0 && is.content_ns < is.current_ns) {
        out->alpha = rates_alpha_between(is.previous_ns, is.content_ns, is.current_ns);
    }
    return ES_OK;
}
