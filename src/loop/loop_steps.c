/* SPDX-License-Identifier: Zlib
 *
 * Steps other than the next tick (variable, stretched, single), and the catch-up policies. A loop
 * of fixed steps that keeps up needs none of it.
 */
#include "base/common.h"
#include "loop.h"

#include <math.h>

/* Costs are clamped to this, so that sums of a million stay within int64. */
#define TICK_COST_MAX_NS (3600 * ES_NS_PER_S)

/* The longest stretched step, in periods. What is left then is dropped. */
#define STRETCH_MOST 4

/* Rounding of a frame's content at normal speed. */
#define ROUNDING_NS 2

/* The accumulator's bracket starts before content does. With a lead that has grown the target is
 * the instant on the screen, if the ticks do not reach that. */
static int64_t accumulator_target_ns(const es_loop *loop)
{
    int64_t due_ns = es__content_unclamped_at(&loop->content, loop->pacer.present_ns);
    int64_t last_ns = loop->content.last_content_ns;
    bool covered = due_ns >= last_ns || es__ticker_covered_ns(&loop->ticker) >= last_ns;
    return covered ? due_ns : last_ns;
}

int64_t es__target_now_ns(const es_loop *loop)
{
    return loop->ticker.accumulator ? accumulator_target_ns(loop) : es__content_now_ns(loop);
}

int64_t es__droppable_ns(const es_loop *loop, int64_t debt_ns)
{
    const es__ticker *ticker = &loop->ticker;
    int64_t last_ns = loop->content.last_content_ns;
    int64_t covered_ns = ticker->lead == 0 ? ticker->time_ns : es__ticker_covered_ns(ticker);
    if (covered_ns >= last_ns) {
        return debt_ns; /* false only after a change of the lead, the rate or the loop */
    }
    int64_t gained_ns = es__content_now_ns(loop) - last_ns;
    return debt_ns < gained_ns ? debt_ns : gained_ns;
}

/* A variable step is measured before its own cost; the next one makes up for that. */
void es__apply_catch_up(es_loop *loop, int64_t debt_ns)
{
    int64_t present_ns = loop->pacer.present_ns;
    if (debt_ns <= 0) {
        return;
    }
    debt_ns = es__droppable_ns(loop, debt_ns);
    if (loop->rules.step == ES_STEP_VARIABLE) {
        es__content_add_debt(&loop->content, present_ns, debt_ns, INT64_MAX);
    } else if (loop->rules.catch_up == ES_CATCH_UP_SLOW) {
        es__content_slow(&loop->content, present_ns, debt_ns);
    } else if (loop->rules.catch_up == ES_CATCH_UP_SPREAD) {
        es__content_add_debt(&loop->content, present_ns, debt_ns, loop->rules.catch_up_max_ns);
    } else {
        es__content_drop(&loop->content, debt_ns);
    }
}

/* The most ticks that a frame can have. */
static int64_t most_ticks(const es_loop *loop, int64_t cost_ns)
{
    int64_t most = es__min(loop->ticker.ticks_max,
            es__ticks_in(loop->ticker.rate, loop->rules.catch_up_max_ns, loop->content.scale));
    if (cost_ns > 0) {
        most = es__min(most, loop->rules.ticks_time_ns / cost_ns);
    }
    ES__ASSERT(cost_ns <= 0 || most <= 1 || most * cost_ns <= loop->rules.ticks_time_ns, most,
            cost_ns);
    ES__ASSERT_IS(most, <=, loop->ticker.ticks_max);
    return es__max(most, 1);
}

/* The machine's capacity, for policies slow and spread: the longest frame that the bound allows,
 * the real time that its ticks cover and its cost. The cheaper of two frames counts: one may be a
 * hitch. */
static void update_capacity(es_loop *loop, int64_t cost_ns)
{
    const es__ratio *scale = &loop->content.scale;
    cost_ns = es__min(cost_ns, loop->load.tick_cost_ns);
    int64_t ticks = most_ticks(loop, cost_ns);
    int64_t worth_ns = es__rate_span_ns(loop->ticker.rate, ticks);
    if (scale->numerator > 0) {
        worth_ns = es__ns_unscale(worth_ns, *scale);
    }
    int64_t render_ns = es__min(loop->load.render_ns, loop->load.render_before_ns);
    es__content_set_capacity(&loop->content, worth_ns, ticks * cost_ns + render_ns);
    es__content_slow_to_capacity(&loop->content);
}

/* Content time of a frame of this length, before the user's time scale. */
static int64_t counted_ns(const es_loop *loop, int64_t span_ns)
{
    const es__content *content = &loop->content;
    if (content->paused) {
        return 0;
    }
    if (content->config.frame_max_ns > 0) {
        span_ns = es__min(span_ns, content->config.frame_max_ns);
    }
    return es__ns_scale(span_ns, content->slow);
}

/* Rule A1's interval for this work: 6/5 of it up to interval_max_ns, beyond that the work. */
static int64_t interval_for(const es__pacer_config *pacing, int64_t work_ns)
{
    int64_t interval_ns = es__min(work_ns + work_ns / 5 + 1, pacing->interval_max_ns);
    interval_ns = es__max(es__max(interval_ns, work_ns), pacing->interval_min_ns);
    ES__ASSERT_IN(interval_ns, work_ns,
            es__max(es__max(work_ns + work_ns / 5 + 1, pacing->interval_min_ns), work_ns));
    return interval_ns;
}

/* The shortest interval with time for the ticks that it needs. A frame that stops at the bound in
 * time has one tick more than fit in it. */
static int64_t even_interval_ns(const es_loop *loop, int64_t cost_ns, int64_t render_ns)
{
    int64_t most = es__min(loop->ticker.ticks_max, most_ticks(loop, cost_ns) + 1);
    int64_t ticks;
    int64_t needed = 0;
    int64_t interval_ns;
    do {
        ticks = needed;
        int64_t work_ns = render_ns + ticks * cost_ns;
        interval_ns = interval_for(&loop->pacer.config, work_ns);
        int64_t content_ns = counted_ns(loop, interval_ns);
        needed = es__ticks_in(loop->ticker.rate, content_ns, loop->content.scale);
        needed = es__min(needed, most);
    } while (needed > ticks && interval_ns < loop->rules.gap_ns);
    return interval_ns;
}

/* Policies slow and wait bound the content of a frame, and so its work. While a load lasts, the
 * largest such work of the last window sets the interval, also beyond the default interval_max_ns:
 * else frames with more and with fewer ticks would alternate. cost_ns: of a tick, the cheaper of
 * two frames. */
static void follow_load(es_loop *loop, int64_t cost_ns)
{
    const es__pacer_config *pacing = &loop->pacer.config;
    int64_t render_ns = es__min(loop->load.render_ns, loop->load.render_before_ns);
    int64_t now_ns = loop->gap.time_ns;
    int64_t interval_ns = 0;
    if (render_ns + loop->rules.floor_ticks * cost_ns > pacing->interval_min_ns) {
        interval_ns = even_interval_ns(loop, cost_ns, render_ns);
    }
    if (interval_ns >= loop->rules.gap_ns) {
        interval_ns = 0; /* a wait that long would be a gap */
    }
    loop->load.since_ns = es__max(loop->load.since_ns, interval_ns);
    bool window_over = now_ns - loop->load.seen_ns >= pacing->window_ns;
    if (interval_ns >= loop->load.interval_ns || window_over) {
        loop->load.interval_ns = loop->load.since_ns;
        loop->load.since_ns = 0;
        loop->load.seen_ns = now_ns;
    }
    ES__ASSERT_IS(loop->load.interval_ns, <, loop->rules.gap_ns);
    es__pacer_set_load(&loop->pacer, loop->load.interval_ns);
}

static bool follows_load(const es_loop *loop)
{
    bool bounded =
            loop->rules.catch_up == ES_CATCH_UP_SLOW || loop->rules.catch_up == ES_CATCH_UP_WAIT;
    return bounded && loop->rules.interval_max_auto && loop->rules.step == ES_STEP_FIXED
           && loop->pacer.config.pace == ES_PACE_ADAPTIVE;
}

int64_t es__tick_cost_ns(const es_loop *loop, int64_t now_ns)
{
    int64_t spent_ns = es__work_since(loop->frame.work_begin_ns, now_ns);
    bool measured = loop->ticker.ticks > 0 && !loop->frame.planned_first;
    return measured ? es__min(spent_ns / loop->ticker.ticks, TICK_COST_MAX_NS)
                    : loop->load.tick_cost_ns;
}

int64_t es__planned_ticks_ns(const es_loop *loop)
{
    bool counts = loop->frame.uses_display || es__start_is_timed(loop);
    int32_t ticks = es__own_ticks(loop);
    if (loop->rules.step == ES_STEP_VARIABLE && loop->content.started && !loop->content.paused) {
        ticks = 1; /* its length follows from the plan */
    }
    if (!loop->frame.planned_first || !loop->before.waited || !counts) {
        return 0;
    }
    /* longer ones come late: time that has not passed is no reason to drop any */
    return es__min(es__work_cost_of(&loop->load.tick_works, ticks), loop->rules.ticks_time_ns);
}

int32_t es__drawn_ticks(const es_loop *loop)
{
    bool drawn = loop->frame.planned_first && !loop->before.waited && !loop->frame.waited;
    int32_t ticks = drawn ? es__own_ticks(loop) : 0;
    ES__ASSERT_IN(ticks, 0, loop->ticker.ticks);
    return ticks;
}

/* Called before the policy acts, which may need the cost. */
void es__record_tick_cost(es_loop *loop, int64_t now_ns)
{
    int64_t spent_ns = es__work_since(loop->frame.work_begin_ns, now_ns);
    loop->report.update_work_ns = spent_ns;
    if (loop->ticker.ticks > 0) {
        int64_t cost_ns = es__tick_cost_ns(loop, now_ns);
        if (loop->rules.catch_up == ES_CATCH_UP_SLOW
                || loop->rules.catch_up == ES_CATCH_UP_SPREAD) {
            update_capacity(loop, cost_ns);
        }
        loop->load.tick_before_ns = loop->load.tick_cost_ns;
        loop->load.tick_cost_ns = cost_ns;
    }
    if (follows_load(loop)) {
        follow_load(loop, es__min(loop->load.tick_before_ns, loop->load.tick_cost_ns));
    }
}

/* Against a spiral: of the frames with ticks two in a row took longer than they simulated. The next one
 * has as many ticks as the cheaper of them would have had in ticks_time_ns. So one slow update limits
 * nothing. Ticks that cost less than half of what they simulate catch up by themselves, and where
 * fewer ticks hardly made the frame shorter, drawing is slow: a limit would only drop time. */
static void note_spiral(es_loop *loop, int64_t work_ns)
{
    int64_t ticks = es__own_ticks(loop);
    if (ticks == 0) {
        return;
    }
    int64_t simulated_ns = es__rate_span_ns(loop->ticker.rate, ticks);
    const es__spiral before = loop->load.spiral;
    bool slow = work_ns > es__ns_unscale(simulated_ns, loop->content.scale);
    int64_t ticks_ns = ticks * loop->load.tick_cost_ns;
    bool by_drawing = before.by_drawing;
    if (before.ticks > 0
            && ticks != before.ticks) { /* over half of the time did not go with the ticks */
        bool less = ticks < before.ticks;
        int64_t more_ticks = less ? before.ticks : ticks, more_ns = less ? before.work_ns : work_ns;
        int64_t less_ns = less ? work_ns : before.work_ns;
        by_drawing = 2 * less_ns / (ticks + before.ticks) > more_ns / more_ticks;
    }
    bool by_ticks = !by_drawing && (ticks_ns == 0 || 2 * ticks_ns > simulated_ns);
    loop->load.spiral = (es__spiral){slow ? ticks : 0, work_ns, 0, slow && by_drawing};
    if (slow && before.ticks > 0 && by_ticks) {
        int64_t newer = ticks * loop->rules.ticks_time_ns / work_ns;
        int64_t older = before.ticks * loop->rules.ticks_time_ns / before.work_ns;
        int64_t most = es__max(es__max(newer, older), 1);
        loop->load.spiral.most = (int32_t)es__min(most, ES__TICKS_MAX);
    }
    int64_t each = loop->load.spiral.most; /* in time at the cost of one of the two */
    ES__ASSERT(each <= 1 || each * work_ns <= ticks * loop->rules.ticks_time_ns
                       || each * before.work_ns <= before.ticks * loop->rules.ticks_time_ns,
            each);
    ES__ASSERT(loop->load.spiral.ticks == 0 || loop->load.spiral.ticks == loop->ticker.ticks, each);
}

es__display_work es__note_work(es_loop *loop)
{
    const es_report *report = &loop->report;
    es__display_work work = {
            0, report->update_work_ns, report->render_work_ns, es__own_ticks(loop)};
    loop->load.render_before_ns = loop->load.render_ns;
    loop->load.render_ns = work.render_ns;
    loop->load.frame_ns = work.render_ns; /* stepped: its ticks end before its start */
    if (!loop->frame.planned_first) {
        return work;
    }
    loop->load.frame_ns += work.update_ns;
    note_spiral(loop, loop->load.frame_ns);
    if (!loop->frame.waited) {
        work.ticks = es__own_ticks(loop);
        es__work_cost_note(&loop->load.works, work.ticks, work.render_ns, INT64_MAX);
        int64_t ticks_ns = work.ticks * loop->load.tick_cost_ns;
        loop->load.render_ns = es__not_negative(work.render_ns - ticks_ns);
    }
    ES__ASSERT_IN(loop->load.render_ns, 0, work.render_ns);
    return work;
}

/* A single step leads to the tick after the one shown. A variable step is one period, within the
 * limits of plausible steps. */
static int64_t single_step_to_ns(const es_loop *loop)
{
    const es__ticker *ticker = &loop->ticker;
    if (loop->rules.step != ES_STEP_VARIABLE) {
        return es__ticker_single_ns(ticker, es__target_now_ns(loop));
    }
    int64_t next_ns = es__ticker_time_ns(ticker, ticker->index + 1);
    int64_t most_ns = ticker->time_ns + loop->rules.step_max_ns;
    int64_t least_ns = ticker->time_ns + loop->rules.step_min_ns;
    next_ns = next_ns < most_ns ? next_ns : most_ns;
    return next_ns > least_ns ? next_ns : least_ns;
}

void es__apply_single_step(es_loop *loop)
{
    if (loop->requests.single_steps > 0 && loop->requests.paused && loop->ticker.ticks == 0) {
        loop->requests.single_steps -= 1;
        loop->frame.stepped = true;
        es__content_step(&loop->content, single_step_to_ns(loop));
    }
}

/* Debt is counted from the frame's first tick, in content time where that runs faster. A single
 * step is no debt. */
int64_t es__limit_debt(es_loop *loop, int64_t target_ns)
{
    const es__ratio *scale = &loop->content.scale;
    bool fast = scale->numerator > scale->denominator;
    int64_t most_ns =
            fast ? es__ns_scale(loop->rules.catch_up_max_ns, *scale) : loop->rules.catch_up_max_ns;
    if (loop->ticker.ticks == 0) {
        loop->frame.first_covered_ns = es__ticker_covered_ns(&loop->ticker);
    }
    int64_t over_ns = target_ns - loop->frame.first_covered_ns - most_ns;
    if (over_ns <= 0 || loop->frame.stepped) {
        return target_ns;
    }
    es__apply_catch_up(loop, over_ns);
    ES__ASSERT_IS(target_ns - over_ns, <=, loop->frame.first_covered_ns + most_ns);
    return target_ns - over_ns;
}

/* How many more ticks this frame can have, by the bound and by time at the last cost. */
static int64_t ticks_left(const es_loop *loop)
{
    int64_t most = es__ticker_most(&loop->ticker);
    if (!loop->frame.planned_first) {
        most = es__min(most, most_ticks(loop, loop->load.tick_cost_ns));
    }
    int64_t left = most - loop->ticker.ticks;
    return left > 1 ? left : 1;
}

/* The frame's target after this many more ticks at the last cost: where D is the start, ticks move
 * it. */
static int64_t target_after(const es_loop *loop, int64_t ticks, int64_t now_ns)
{
    const es__pacer *pacer = &loop->pacer;
    int64_t present_ns = pacer->present_ns;
    if (loop->frame.planned_first || loop->frame.host) {
        return es__content_unclamped_at(&loop->content, present_ns);
    }
    if (loop->frame.uses_display) {
        present_ns += ticks * loop->load.tick_cost_ns;
    } else if (pacer->config.aim == ES_AIM_START) {
        present_ns = es__max(now_ns + ticks * loop->load.tick_cost_ns, present_ns);
    }
    return es__content_unclamped_at(&loop->content, present_ns);
}

/* Policy stretch: the length of the next step if the remaining steps must be longer than their
 * period to reach the target; else 0. Steps of a lead come after those that reach the target, and
 * are as long as if all steps of the frame shared its content. So all steps become even under an
 * even load, and a bound below the lead does not forbid long steps. */
static int64_t stretched_step_ns(const es_loop *loop, int64_t now_ns)
{
    const es__ticker *ticker = &loop->ticker;
    int64_t period_ns = es__rate_period_ns(ticker->rate);
    int64_t left = ticks_left(loop);
    int64_t target_ns = target_after(loop, left, now_ns);
    int64_t steps = left;
    int64_t from_ns = es__ticker_covered_ns(ticker);
    if (ticker->lead > 0 && left > ticker->lead) {
        steps = left - ticker->lead;
        from_ns = ticker->time_ns;
    } else if (ticker->lead > 0) {
        steps = ticker->ticks + left;
        from_ns = loop->content.last_content_ns;
    }
    int64_t regular_ns = es__ticker_time_ns(ticker, ticker->index + steps) - ticker->time_ns;
    int64_t debt_ns = target_ns - from_ns;
    if (ticker->ticks >= es__ticker_most(ticker) || regular_ns >= debt_ns) {
        return 0;
    }
    int64_t step_ns = (debt_ns - 1) / steps + 1;
    ES__ASSERT(step_ns * steps >= debt_ns && (step_ns - 1) * steps < debt_ns, step_ns, steps);
    int64_t most_ns = es__ns_scale(period_ns, (es__ratio){STRETCH_MOST, 1});
    return step_ns < most_ns ? step_ns : most_ns;
}

/* In the first form all steps of a frame are as long as its first: es_frame_step tells them. */
static int64_t same_step_ns(const es_loop *loop)
{
    const es__ticker *ticker = &loop->ticker;
    bool stretched = ticker->base_index == ticker->index && ticker->ticks < es__ticker_most(ticker);
    return stretched ? ticker->time_ns - ticker->previous_ns : 0;
}

bool es__next_stretched(es_loop *loop, int64_t now_ns, int64_t target_ns, es_step *step)
{
    int64_t step_ns = 0;
    if (es__ticker_debt_ns(&loop->ticker, target_ns) > 0) {
        bool follows_first = loop->frame.planned_first && loop->ticker.ticks > 0;
        step_ns = follows_first ? same_step_ns(loop) : stretched_step_ns(loop, now_ns);
    }
    if (step_ns > 0) {
        int64_t period_ns = es__rate_period_ns(loop->ticker.rate);
        es__count_ns(&loop->totals.stretched_ns, step_ns - period_ns);
        ES__ASSERT(
                step_ns >= period_ns
                        && (loop->frame.planned_first || step_ns <= (STRETCH_MOST + 1) * period_ns),
                step_ns);
        es__ticker_step(&loop->ticker, step_ns, step);
    }
    return step_ns > 0;
}

/* The tick that is nearest to an instant. */
static int64_t nearest_tick_ns(const es__ticker *ticker, int64_t at_ns)
{
    int64_t events = es__rate_ns_to_events(ticker->rate, at_ns - ticker->base_ns);
    int64_t index = ticker->base_index + events;
    int64_t after_ns = es__ticker_time_ns(ticker, index);
    int64_t before_ns = es__ticker_time_ns(ticker, index - 1);
    ES__ASSERT(after_ns >= at_ns && before_ns <= at_ns, after_ns, before_ns);
    return after_ns - at_ns <= at_ns - before_ns ? after_ns : before_ns;
}

/* In lockstep content stands on a tick; what rounding left is removed. A time scale rounds each
 * frame down, and a high one multiplies the rounding of the period. */
void es__align_lockstep(es_loop *loop)
{
    const es__ratio *scale = &loop->content.scale;
    int64_t content_ns = es__content_now_ns(loop);
    int64_t off_ns = content_ns - nearest_tick_ns(&loop->ticker, content_ns);
    int64_t most_ns = ROUNDING_NS + scale->numerator / scale->denominator;
    if (off_ns >= -most_ns && off_ns <= most_ns) {
        es__content_slow_by(&loop->content, off_ns);
    }
    ES__ASSERT(!(fabs((double)(es__content_now_ns(loop) - content_ns)) > (double)most_ns), off_ns);
}

int64_t es__elapsed_real_ns(const es_loop *loop)
{
    const es__content *content = &loop->content;
    int64_t span_ns = loop->pacer.present_ns - content->last_present_ns;
    if (content->resync) {
        span_ns = content->reanchors ? content->resync_ns : es__min(span_ns, content->resync_ns);
    }
    if (content->config.frame_max_ns > 0) {
        span_ns = es__min(span_ns, content->config.frame_max_ns);
    }
    return span_ns;
}

/* A step that is not plausible. What is over it is dropped. On a display, and after a
 * gap, D may stand: that is no time. */
static int64_t replace_step(es_loop *loop, int64_t step_ns, int64_t real_ns)
{
    bool gap = loop->gap.found.kind != ES_GAP_NONE;
    bool stands = (loop->frame.uses_display || gap) && real_ns < loop->rules.step_min_ns;
    int64_t instead_ns =
            stands ? es__max(step_ns, loop->rules.step_min_ns) : loop->rules.step_absurd_ns;
    instead_ns = es__min(instead_ns, loop->rules.step_max_ns);
    instead_ns = es__ns_scale(instead_ns, loop->content.scale);
    if (step_ns > instead_ns) {
        es__content_drop(&loop->content, step_ns - instead_ns);
    } else {
        es__content_slow_by(&loop->content, step_ns - instead_ns);
    }
    return instead_ns;
}

/* One step per frame; none while content stands still, or where a host's time steps back. The real time
 * that passed decides whether the step is plausible: that of the frame, or what a slow step before it
 * left. */
bool es__next_variable(es_loop *loop, es_step *step)
{
    const es__content *content = &loop->content;
    bool stands = !content->started || content->paused || content->scale.numerator == 0;
    int64_t real_ns = es__elapsed_real_ns(loop);
    if (loop->ticker.ticks > 0 || ((stands || real_ns < 0) && !loop->frame.stepped)) {
        return false;
    }
    int64_t step_ns = es__content_now_ns(loop) - loop->ticker.time_ns;
    int64_t longest_ns = es__max(real_ns, es__ns_unscale(step_ns, content->scale));
    bool absurd = real_ns < loop->rules.step_min_ns || longest_ns > loop->rules.step_max_ns;
    step_ns = absurd && !loop->frame.stepped ? replace_step(loop, step_ns, real_ns) : step_ns;
    if (step_ns <= 0) {
        return false;
    }
    ES__ASSERT(loop->frame.stepped || content->scale.numerator != content->scale.denominator
                       || step_ns <= es__max(loop->rules.step_max_ns, loop->rules.step_absurd_ns),
            step_ns);
    es__ticker_step(&loop->ticker, step_ns, step);
    return true;
}
