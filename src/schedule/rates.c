/* SPDX-License-Identifier: Zlib
 *
 * Tick j of a group with a period is at base tick phase + j * period, and has that one's time; with
 * a rate of its own its time is floor(j * period). So a division tells which ticks have run after a
 * base tick, and nothing is counted along.
 */
#include "schedule.h"

#define AHEAD_MAX 1000

static es_result check_group(const es_rate_group *group, es__error *error)
{
    const bool counts = group->period > 0;
    const bool has_rate = group->rate.numerator != 0 || group->rate.denominator != 0;
    if (group->period == 0 && !es__rate_is_usable(group->rate)) {
        return es__refuse_rate(
                error, "rate", group->rate, "must be over 0 and up to 1 000 000 per second");
    }
    const es__rule rules[] = {
            {group->period < 0 || group->period > ES__RATES_PERIOD_MAX, "period",
                    "must be 0 to 1 000 000"},
            {counts && has_rate, "rate", "must be {0, 0} beside a period"},
            {counts && (group->phase < 0 || group->phase >= group->period), "phase",
                    "must be 0 to period - 1"},
            {!counts && group->phase != 0, "phase", "must be 0 beside a rate"},
            {group->lead_ticks < -1 || group->lead_ticks > ES__RATES_LEAD_MAX, "lead_ticks",
                    "must be -1 to 6"},
            {group->delay_ticks < 0 || group->delay_ticks > ES__RATES_DELAY_MAX, "delay_ticks",
                    "must be 0 to 8"},
    };
    return ES__REFUSE_BROKEN(error, rules);
}

es_result es__rates_init(
        es_rates *rates, const es_rate_group *groups, int32_t count, es_rate base, es__error *error)
{
    if (!es__rate_is_usable(base)) {
        return es__refuse_rate(
                error, "base", base, "must be over 0 and up to 1 000 000 per second");
    }
    for (int32_t i = 0; i < count; ++i) {
        if (check_group(&groups[i], error) != ES_OK) {
            return ES_ERR_INVALID;
        }
    }
    *rates = (es_rates){.groups = groups, .count = count, .base_count = 1, .bases = {{0, 0, base}}};
    return es__refuse_as(error, ES_OK, NULL, NULL);
}

/* --- base ticks ------------------------------------------------------------------------------- */

/* The rate that places a base tick. */
static const es__rates_base *base_for(const es_rates *rates, int64_t tick)
{
    const es__rates_base *base = &rates->bases[rates->base_count - 1];
    while (base > rates->bases && tick < base->tick) {
        base -= 1;
    }
    ES__ASSERT(base >= rates->bases && (base == rates->bases || base->tick <= tick), tick);
    return base;
}

static int64_t time_by(const es__rates_base *base, int64_t tick)
{
    int64_t since_ns = es_rate_time_ns(base->rate, es__ns_sub(tick, base->tick));
    return es__ns_add(base->time_ns, since_ns);
}

static int64_t base_time_ns(const es_rates *rates, int64_t tick)
{
    return time_by(base_for(rates, tick), tick);
}

/* The first base tick at or after an instant. */
static int64_t base_at(const es_rates *rates, int64_t time_ns)
{
    int32_t i = rates->base_count - 1;
    while (i > 0 && time_ns <= rates->bases[i].time_ns) {
        i -= 1;
    }
    const es__rates_base *base = &rates->bases[i];
    int64_t since = es__rate_ns_to_events(base->rate, es__ns_sub(time_ns, base->time_ns));
    int64_t tick = es__ns_add(base->tick, since);
    bool is_newest = i + 1 == rates->base_count;
    ES__ASSERT(i >= 0 && (tick > INT64_MAX / 4 || time_by(base, tick) >= time_ns), tick);
    return is_newest || tick < rates->bases[i + 1].tick ? tick : rates->bases[i + 1].tick;
}

/* Whether base ticks can go on from this one at this rate. same: of the newest rate. */
static bool can_rebase(
        const es_rates *rates, int64_t tick, int64_t time_ns, es_rate rate, bool *same)
{
    const es__rates_base *newest = &rates->bases[rates->base_count - 1];
    *same = tick == newest->tick && time_ns == newest->time_ns;
    bool later = tick > newest->tick && time_ns > base_time_ns(rates, tick - 1);
    return es__rate_is_usable(rate) && (*same || later);
}

bool es_rates_rebase(es_rates *rates, int64_t tick, int64_t time_ns, es_rate rate)
{
    bool same = false;
    if (rates == NULL || !can_rebase(rates, tick, time_ns, rate, &same)) {
        const es__error error = {
                "tick, time_ns, rate", "must be later than the last, and a valid rate"};
        return es__fail(ES_ERR_INVALID, "es_rates_rebase", &error) == ES_OK;
    }
    const es__rates_base base = {tick, time_ns, rate};
    if (!same && rates->base_count == ES__RATES_BASES) {
        memmove(&rates->bases[0], &rates->bases[1], sizeof rates->bases - sizeof base);
    } else if (!same) {
        rates->base_count += 1;
    }
    rates->bases[rates->base_count - 1] = base;
    ES__ASSERT(rates->base_count == 1
                       || (rates->bases[rates->base_count - 2].tick < tick
                               && rates->bases[rates->base_count - 2].time_ns < time_ns),
            tick, time_ns);
    return true;
}

/* --- ticks of a group ------------------------------------------------------------------------- */

static int64_t base_of(const es_rate_group *group, int64_t tick)
{
    int64_t most = INT64_MAX / ES__RATES_PERIOD_MAX - 1;
    tick = es__max(es__min(tick, most), -most);
    return tick * group->period + group->phase;
}

static int64_t tick_time_ns(const es_rates *rates, const es_rate_group *group, int64_t tick)
{
    return group->period > 0 ? base_time_ns(rates, base_of(group, tick))
                             : es_rate_time_ns(group->rate, tick);
}

/* The first tick at or after an instant, from tick 0 on. */
static int64_t tick_at(const es_rates *rates, const es_rate_group *group, int64_t time_ns)
{
    if (group->period > 0) {
        int64_t past = es__ns_sub(base_at(rates, time_ns), group->phase);
        return past <= 0 ? 0 : (past - 1) / group->period + 1;
    }
    return time_ns <= 0 ? 0 : es__rate_ns_to_events(group->rate, time_ns);
}

/* Of a group with a rate of its own: the newest tick once the base tick at this time has run. Each
 * of its ticks, from 0 on, that lies before that time has begun the span after it. */
static int64_t newest_by_time(const es_rate_group *group, int64_t base_ns)
{
    if (group->lead_ticks < 0) {
        return base_ns < 0 ? 0 : es__rate_ns_to_events(group->rate, es__ns_add(base_ns, 1)) - 1;
    }
    return base_ns <= 0
                   ? 0
                   : es__ns_add(es__rate_ns_to_events(group->rate, base_ns), group->lead_ticks);
}

static int64_t newest_tick(const es_rates *rates, const es_rate_group *group, int64_t base_tick)
{
    if (group->period == 0) {
        return base_tick < 1 ? 0 : newest_by_time(group, base_time_ns(rates, base_tick));
    }
    int64_t first = group->phase + (group->lead_ticks < 0 ? group->period : 1);
    int64_t past = es__ns_sub(base_tick, first);
    int64_t lead = es__max(group->lead_ticks, 0);
    return past < 0 ? 0 : es__ns_add(past / group->period, 1 + lead);
}

#if ES__ASSERTS
/* Where a group's tick is: at a base tick, or at a time. */
static int64_t tick_place(const es_rate_group *group, int64_t tick)
{
    return group->period > 0 ? base_of(group, tick) : es_rate_time_ns(group->rate, tick);
}

/* A base tick lies in the span that the newest tick ends; with a lead of -1, in the one after it. */
static void check_newest(
        const es_rates *rates, const es_rate_group *group, int64_t base_tick, int64_t newest)
{
    int64_t now = group->period > 0 ? base_tick : base_time_ns(rates, base_tick);
    int64_t at = newest - es__max(group->lead_ticks, 0), far = INT64_C(1) << 50;
    if (base_tick < 1 || base_tick > far || now > far || newest > far) {
        return;
    }
    if (group->lead_ticks < 0) {
        ES__ASSERT(newest == 0 || tick_place(group, newest) <= now, newest, now);
        ES__ASSERT(tick_place(group, newest + 1) > now, newest, now);
    } else {
        ES__ASSERT(newest == 0 || (at >= 1 && tick_place(group, at - 1) < now), newest, now);
        ES__ASSERT(tick_place(group, newest == 0 ? 0 : at) >= now, newest, now);
    }
}
#endif

int64_t es__rates_newest(const es_rates *rates, int32_t group, int64_t base_tick)
{
    if (group < 0 || group >= rates->count) {
        return 0;
    }
    int64_t newest = newest_tick(rates, &rates->groups[group], base_tick);
    ES__CHECK(check_newest(rates, &rates->groups[group], base_tick, newest));
    return newest;
}

int64_t es__rates_time_ns(const es_rates *rates, int32_t group, int64_t tick)
{
    if (group < 0 || group >= rates->count) {
        return 0;
    }
    return tick_time_ns(rates, &rates->groups[group], tick);
}

/* ceil(spans * rate / base): how many ticks at `rate' can begin in that many base ticks. */
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
    if (rates == NULL || group < 0 || group >= rates->count) {
        return 0;
    }
    const es_rate_group *own = &rates->groups[group];
    int32_t ahead = (int32_t)es__min(es__max(lead_ticks, 0), AHEAD_MAX);
    int64_t ticks = 2 + own->delay_ticks + es__max(own->lead_ticks, 0);
    if (own->period > 0) {
        ticks += (ahead + own->period - 1) / own->period;
    } else {
        ticks += begun_within(own->rate, rates->bases[rates->base_count - 1].rate, ahead + 1);
    }
    return (int32_t)es__min(ticks, INT32_MAX);
}

/* --- what ticks at a base tick ---------------------------------------------------------------- */

/* Fills time and length of a step that ends at a base tick. */
static void fill_by_base(const es_rates *rates, int64_t end, int32_t period, es_step *step)
{
    int64_t begin = end - period;
    const es__rates_base *base = base_for(rates, begin);
    bool one_rate = base == &rates->bases[rates->base_count - 1] || end <= base[1].tick;
    step->time_ns = base_time_ns(rates, end);
    step->dt_ns = es__ns_between(time_by(base, begin), step->time_ns);
    /* one division, so that it is the same on every machine */
    step->dt_s = one_rate ? (double)((int64_t)base->rate.denominator * period)
                                    / (double)base->rate.numerator
                          : (double)step->dt_ns / (double)ES_NS_PER_S;
}

static void fill_group_step(const es_rates *rates, es_rates_run *run)
{
    const es_rate_group *group = &rates->groups[run->group];
    es_step *step = &run->step;
    step->index += 1;
    step->in_frame += 1;
    if (group->period > 0) {
        fill_by_base(rates, base_of(group, step->index), group->period, step);
        return;
    }
    step->time_ns = es_rate_time_ns(group->rate, step->index);
    step->dt_ns = es__ns_between(es_rate_time_ns(group->rate, step->index - 1), step->time_ns);
    step->dt_s = (double)group->rate.denominator / (double)group->rate.numerator;
}

bool es_rates_next(const es_rates *rates, int64_t base_tick, es_rates_run *run)
{
    if (rates == NULL || base_tick < 1) {
        return false;
    }
    if (run->base_tick != base_tick) {
        *run = (es_rates_run){.group = -1, .base_tick = base_tick};
    }
    int64_t last = es__rates_newest(rates, run->group, base_tick);
    while (run->step.index >= last && run->group + 1 < rates->count) {
        run->group += 1;
        run->step.in_frame = -1;
        run->step.index = es__rates_newest(rates, run->group, base_tick - 1);
        last = es__rates_newest(rates, run->group, base_tick);
    }
    if (run->step.index >= last) {
        return false;
    }
    fill_group_step(rates, run);
    ES__ASSERT_IS(run->step.time_ns, ==, es__rates_time_ns(rates, run->group, run->step.index));
    ES__ASSERT_IS(run->step.time_ns - run->step.dt_ns, ==,
            es__rates_time_ns(rates, run->group, run->step.index - 1));
    return true;
}

/* --- what a frame shows ----------------------------------------------------------------------- */

static int64_t delay_ns(const es_rates *rates, const es_rate_group *group)
{
    if (group->delay_ticks == 0) {
        return 0;
    }
    if (group->period == 0) {
        return es_rate_time_ns(group->rate, group->delay_ticks);
    }
    es_rate base = rates->bases[rates->base_count - 1].rate;
    return es_rate_time_ns(base, (int64_t)group->delay_ticks * group->period);
}

bool es_rates_frame(const es_rates *rates, int32_t group, const es_frame *frame, es_frame *out)
{
    if (rates == NULL || frame == NULL || out == NULL || group < 0 || group >= rates->count) {
        return false;
    }
    const es_rate_group *own = &rates->groups[group];
    int64_t content_ns = es__ns_sub(frame->content_ns, delay_ns(rates, own));
    int64_t newest = newest_tick(rates, own, frame->newest_tick);
    int64_t base_before = es__ns_sub(frame->newest_tick, es__max(frame->ticks, 0));
    int64_t current = es__min(tick_at(rates, own, content_ns), newest);
    int64_t previous = es__max(current - 1, 0);
    *out = *frame;
    out->content_ns = content_ns;
    out->previous_tick = previous;
    out->current_tick = current;
    out->previous_ns = tick_time_ns(rates, own, previous);
    out->current_ns = tick_time_ns(rates, own, current);
    out->newest_tick = newest;
    out->newest_ns = tick_time_ns(rates, own, newest);
    out->ahead_ns = es__max(es__ns_between(out->newest_ns, content_ns), 0);
    out->ticks = (int32_t)(newest - newest_tick(rates, own, base_before));
    out->alpha = 1.0;
    if (current > 0 && content_ns < out->current_ns) {
        out->alpha = (double)es__ns_between(out->previous_ns, content_ns)
                     / (double)es__ns_between(out->previous_ns, out->current_ns);
    }
    ES__ASSERT(!(out->alpha > 1.0) && out->previous_tick + 1 >= current && out->ahead_ns >= 0
                       && out->current_tick <= out->newest_tick,
            out->alpha, current);
    ES__ASSERT(out->current_ns >= content_ns || current == newest, content_ns);
    ES__ASSERT(current == 0 || current == newest || out->previous_ns < content_ns, content_ns);
    return true;
}

/* --- the object ------------------------------------------------------------------------------- */

/* groups: the place for the copy. */
static es_result copy_groups(
        es_rates *rates, es_rate_group *groups, const es_rates_config *config, es__error *error)
{
    memcpy(groups, config->groups, (size_t)config->count * sizeof *groups);
    return es__rates_init(rates, groups, config->count, config->base, error);
}

es_rates *es_rates_create(const es_rates_config *config)
{
    es__error error = {"groups, count", "must be 1 to 256"};
    if (config == NULL || config->groups == NULL || config->count < 1
            || config->count > ES__RATES_GROUPS_MAX) {
        es__fail(ES_ERR_INVALID, "es_rates_config", &error);
        return NULL;
    }
    es_rates *rates = es__allocate(sizeof *rates + (size_t)config->count * sizeof *config->groups);
    es_result result = rates != NULL
                               ? copy_groups(rates, (es_rate_group *)(rates + 1), config, &error)
                               : ES_OK;
    if (result != ES_OK) {
        es__fail(result, "es_rates_config", &error);
        es__free(rates);
        return NULL;
    }
    return rates;
}

void es_rates_destroy(es_rates *rates)
{
    es__free(rates);
}

int64_t es_rates_newest(const es_rates *rates, int32_t group, int64_t base_tick, int64_t *time_ns)
{
    int64_t tick = rates != NULL ? es__rates_newest(rates, group, base_tick) : 0;
    if (time_ns != NULL) {
        *time_ns = rates != NULL ? es__rates_time_ns(rates, group, tick) : 0;
    }
    return tick;
}
