/* SPDX-License-Identifier: Zlib
 *
 * The roof. It reads the clock, passes plain values between gap, pacer, content and ticker, waits.
 * Their decisions it only carries out; its own are the order of the calls and when a change may
 * act. Inside, times are those of the gap filter; what leaves is on the clock.
 */
#include "evenstep/loop.h"

#include "loop_config.h"

/* How often a wait that ended early is tried again before the clock counts as standing still. */
#define WAIT_TRIES 4

/* A wait may come back early as long as the clock moves, but not for ever. */
#define WAITS_MAX 100000

/* A time scale rounds each frame down by less than 1 ns. */
#define ROUNDING_NS 2

/* A tick that took longer was no tick; so sums of a million stay within int64. */
#define TICK_COST_MOST_NS (3600 * ES_NS_PER_S)

/* What few loops or frames need stays out of the way of those that do not. */
#if defined(__GNUC__)
#define RARE       __attribute__((noinline, cold))
#define NOT_INLINE __attribute__((noinline))
#else
#define RARE
#define NOT_INLINE
#endif

/* An uncapped frame that took longer says nothing about the next one. */
#define SPAN_USUAL_NS (100 * ES_NS_PER_MS)

static bool is_initialised(const es_loop *loop)
{
    return loop != NULL && loop->initialised;
}

/* --- reading the clock ------------------------------------------------------------------------ */

static es_gap_evidence gather_evidence(const es_loop *loop)
{
    es_gap_evidence evidence = {0};
    evidence.in_present = loop->phase == ES_LOOP_SUBMITTED;
    if (loop->clock.suspended_ns != NULL) {
        evidence.has_suspended = true;
        evidence.suspended_ns = loop->clock.suspended_ns(loop->clock.user);
    }
    if (loop->clock.thread_cpu_ns != NULL) {
        evidence.has_thread_cpu = true;
        evidence.thread_cpu_ns = loop->clock.thread_cpu_ns(loop->clock.user);
    }
    return evidence;
}

static void take_reading(es_loop *loop, int64_t clock_ns, int64_t expected_ns)
{
    if (!es_gap_filter_pass(&loop->gap, clock_ns, expected_ns)) {
        es_gap_evidence evidence = gather_evidence(loop);
        es_gap_filter_judge(&loop->gap, clock_ns, expected_ns, &evidence);
    }
}

/* The filtered time now. expected_ns: how long the loop itself meant to wait since the last call. A
 * host's frames take their time from the host alone: between its calls no time passes. */
static int64_t read_time(es_loop *loop, int64_t expected_ns)
{
    if (!loop->host) {
        take_reading(loop, loop->clock.now_ns(loop->clock.user), expected_ns);
    }
    return loop->gap.time_ns;
}

/* For work and reports: in a host's frame the loop's own clock, which may have another origin. */
static int64_t read_work_clock(es_loop *loop)
{
    if (!loop->host) {
        return read_time(loop, 0);
    }
    return loop->clock.now_ns != NULL ? loop->clock.now_ns(loop->clock.user)
                                      : loop->gap.clock_ns; /* the host's start of the frame */
}

/* A time for the report. */
static int64_t to_clock(const es_loop *loop, int64_t time_ns)
{
    return loop->host ? time_ns : es_gap_filter_to_clock(&loop->gap, time_ns);
}

static int64_t not_negative(int64_t ns)
{
    return ns > 0 ? ns : 0;
}

/* --- planning --------------------------------------------------------------------------------- */

/* Rule A1's work: the rendering of the frame before, and this frame's ticks so far. */
static int64_t work_so_far(const es_loop *loop, int64_t now_ns)
{
    return es_ns_add(loop->render_work_ns, not_negative(es_ns_sub(now_ns, loop->work_begin_ns)));
}

/* What a tick costs: of this frame's, else of the last that were run. */
static int64_t tick_cost(const es_loop *loop, int64_t now_ns)
{
    int32_t ticks = loop->ticker.ticks;
    int64_t spent_ns = not_negative(es_ns_sub(now_ns, loop->work_begin_ns));
    int64_t cost_ns = ticks > 0 ? spent_ns / ticks : loop->tick_cost_ns;
    return cost_ns < TICK_COST_MOST_NS ? cost_ns : TICK_COST_MOST_NS;
}

/* The work of a frame that comes as soon as it may: a later one only needs more ticks. */
static int64_t work_at_floor(const es_loop *loop, int64_t cost_ns)
{
    return es_ns_add(loop->render_work_ns, loop->floor_ticks * cost_ns);
}

/* Whether this thread spent less than half of the work on the CPU. CPU time is counted from the
 * begin of the frame before, whose rendering is part of the work. */
static bool mostly_waited(const es_loop *loop, int64_t work_ns)
{
    if (loop->clock.thread_cpu_ns == NULL) {
        return false;
    }
    int64_t cpu_ns = loop->clock.thread_cpu_ns(loop->clock.user);
    return es_ns_sub(cpu_ns, loop->cpu_before_ns) < work_ns / 2;
}

/* The content time that the open plan would show. */
static int64_t content_now(const es_loop *loop)
{
    return es_content_at(&loop->content, loop->pacer.present_ns);
}

/* What ticks must reach: the accumulator's bracket counts from before the start of content, too. */
static int64_t target_now(const es_loop *loop)
{
    return loop->ticker.due ? es_content_due_at(&loop->content, loop->pacer.present_ns)
                            : content_now(loop);
}

/* CPU time is a system call: asked for only where it decides. */
static RARE void replan_for(es_loop *loop, int64_t now_ns, int64_t work_ns)
{
    es_work work = {work_ns, work_at_floor(loop, tick_cost(loop, now_ns)), false};
    work.waited = loop->pacer.config.pace == ES_PACE_ADAPTIVE && mostly_waited(loop, work_ns);
    es_pacer_replan(&loop->pacer, &work);
}

/* Returns the time on the work clock. */
static int64_t replan(es_loop *loop)
{
    int64_t now_ns = read_work_clock(loop);
    int64_t work_ns = work_so_far(loop, now_ns);
    if (es_pacer_is_exceeded(&loop->pacer, work_ns)) {
        replan_for(loop, now_ns, work_ns);
    }
    es_pacer_move(&loop->pacer, now_ns);
    return now_ns;
}

/* Once per gap, at the first time that lies after it: a plan, or the screen time of a frame whose
 * present was what blocked. */
static void start_series_after_gap(es_loop *loop)
{
    if (loop->gap.found.kind != ES_GAP_NONE && !loop->series_started) {
        loop->report.series += 1;
        loop->series_started = true;
    }
}

static void fill_pair(es_loop *loop, int64_t content_ns)
{
    es_frame *frame = &loop->report.frame;
    const es_ticker *ticker = &loop->ticker;
    frame->previous_tick = ticker->previous_index;
    frame->current_tick = ticker->index;
    frame->previous_ns = ticker->previous_ns;
    frame->current_ns = ticker->time_ns;
    frame->alpha = es_ticker_alpha(ticker, content_ns);
    frame->ticks = ticker->ticks;
}

/* The frame's account: the totals, and what this frame added. */
static void fill_account(es_loop *loop)
{
    es_frame *frame = &loop->report.frame;
    frame->account.gaps_ns = es_ns_sub(loop->gap.removed_ns, loop->removed_first_ns);
    frame->account.stretched_ns = loop->stretched_ns;
    frame->dropped_ns = es_ns_sub(frame->account.dropped_ns, loop->dropped_before_ns);
    frame->lagged_ns = es_ns_sub(frame->account.lagged_ns, loop->lagged_before_ns);
    frame->stretched_ns = es_ns_sub(frame->account.stretched_ns, loop->stretched_before_ns);
    loop->dropped_before_ns = frame->account.dropped_ns;
    loop->lagged_before_ns = frame->account.lagged_ns;
    loop->stretched_before_ns = frame->account.stretched_ns;
}

static void fill_frame(es_loop *loop, const es_plan *plan)
{
    es_frame *frame = &loop->report.frame;
    frame->start_ns = es_gap_filter_to_clock(&loop->gap, plan->start_ns);
    frame->present_ns = es_gap_filter_to_clock(&loop->gap, plan->present_ns);
    frame->interval_ns = plan->interval_ns;
    fill_account(loop);
    start_series_after_gap(loop);
    loop->series_started = false;
    frame->gap = es_gap_filter_take(&loop->gap);
}

/* The ticks fall short of the frame by this much: the policy. What is only this frame's, because a
 * variable step was measured before its own cost, is made up by the next one. */
static void give_way(es_loop *loop, int64_t owed_ns)
{
    int64_t present_ns = loop->pacer.present_ns;
    if (owed_ns <= 0) {
        return;
    }
    if (loop->step == ES_STEP_VARIABLE) {
        es_content_owe(&loop->content, present_ns, owed_ns, INT64_MAX);
    } else if (loop->catch_up == ES_CATCH_UP_SLOW) {
        es_content_slow(&loop->content, present_ns, owed_ns);
    } else if (loop->catch_up == ES_CATCH_UP_SPREAD) {
        es_content_owe(&loop->content, present_ns, owed_ns, loop->behind_max_ns);
    } else {
        es_content_drop(&loop->content, owed_ns);
    }
}

static int64_t smaller(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

/* What the machine can do, for the policies that ask: the longest frame that the bound allows, what
 * its ticks are worth in real time and what it costs. Of two frames the cheaper counts: one alone
 * may be a hitch. */
static void note_capacity(es_loop *loop, int64_t cost_ns)
{
    const es_ratio *scale = &loop->content.scale;
    if (loop->catch_up != ES_CATCH_UP_SLOW && loop->catch_up != ES_CATCH_UP_SPREAD) {
        return;
    }
    cost_ns = smaller(cost_ns, loop->tick_cost_ns);
    int64_t ticks = loop->ticker.ticks_max;
    if (cost_ns > 0 && loop->ticks_time_ns / cost_ns < ticks) {
        ticks = loop->ticks_time_ns / cost_ns > 1 ? loop->ticks_time_ns / cost_ns : 1;
    }
    int64_t worth_ns = es_rate_events_to_ns(loop->ticker.rate, ticks);
    if (scale->numerator > 0) {
        const es_ratio real_per_content = {scale->denominator, scale->numerator};
        worth_ns = es_ns_scale(worth_ns, real_per_content);
    }
    int64_t render_ns = smaller(loop->render_work_ns, loop->render_before_ns);
    es_content_ease(&loop->content, worth_ns, es_ns_add(ticks * cost_ns, render_ns));
}

/* Before the policy acts: it may ask what ticks cost. */
static void note_ticks(es_loop *loop, int64_t now_ns)
{
    loop->report.update_work_ns = not_negative(es_ns_sub(now_ns, loop->work_begin_ns));
    if (loop->ticker.ticks > 0) {
        int64_t cost_ns = tick_cost(loop, now_ns);
        note_capacity(loop, cost_ns);
        loop->tick_cost_ns = cost_ns;
    }
}

/* Makes the plan final: what the ticks could not reach goes to the catch-up policy, or is dropped
 * where the program left them unrun. */
static NOT_INLINE void settle(es_loop *loop, int64_t now_ns, bool left_unrun)
{
    es_plan plan;
    if (!loop->pacer.started) {
        loop->removed_first_ns = loop->gap.removed_ns;
    }
    note_ticks(loop, now_ns);
    int64_t owed_ns = es_ticker_owed_ns(&loop->ticker, target_now(loop));
    if (left_unrun) {
        es_content_drop(&loop->content, owed_ns);
    } else {
        give_way(loop, owed_ns);
    }
    es_work work = {work_so_far(loop, now_ns), work_at_floor(loop, loop->tick_cost_ns), false};
    int64_t before_ns = loop->pacer.last_start_ns;
    es_pacer_close(&loop->pacer, &work, &plan);
    loop->span_ns = es_ns_sub(plan.start_ns, before_ns);
    int64_t content_ns = es_content_at(&loop->content, plan.present_ns);
    int64_t placed_ns = es_ticker_placed_ns(&loop->ticker, content_ns);
    fill_pair(loop, content_ns);
    if (placed_ns < loop->content.last_content_ns) {
        placed_ns = content_ns;
    }
    loop->report.frame.content_ns = placed_ns;
    es_content_close(&loop->content, plan.present_ns, placed_ns, &loop->report.frame.account);
    fill_frame(loop, &plan);
    loop->phase = ES_LOOP_PLANNED;
}

/* A change waits while a frame's ticks run: they were run for what held before. */
bool es__ticks_are_running(const es_loop *loop)
{
    return (loop->phase == ES_LOOP_TICKING && loop->ticker.ticks > 0)
           || loop->phase == ES_LOOP_PLANNED;
}

void es__update_bound(es_loop *loop)
{
    int64_t ticks_time_ns = es__default_ticks_time_ns(loop->pacer.config.interval_max_ns);
    if (loop->behind_max_auto) {
        loop->behind_max_ns = es__default_behind_max_ns(loop->catch_up, ticks_time_ns);
    }
    loop->floor_ticks = es__ticks_in(
            loop->ticker.rate, loop->pacer.config.interval_min_ns, loop->content.scale);
    if (loop->ticks_max_auto) {
        loop->ticks_time_ns = ticks_time_ns;
        loop->ticker.ticks_max =
                es__default_ticks_max(loop->ticker.rate, loop->behind_max_ns, loop->content.scale);
    }
}

/* What the time since the last frame counts as after a resync. */
static int64_t usual_interval_ns(const es_loop *loop)
{
    if (loop->pacer.interval_ns == 0 && loop->span_ns > 0 && loop->span_ns < SPAN_USUAL_NS) {
        return loop->span_ns; /* uncapped: as the last frame */
    }
    return es__known_interval_ns(loop->pacer.interval_ns);
}

static void apply_speed(es_loop *loop)
{
    if (es__ticks_are_running(loop)) {
        return;
    }
    if (loop->content.paused && !loop->paused) {
        es_content_resync(&loop->content,
                usual_interval_ns(loop)); /* if no frame was shown meanwhile: nothing leaps */
    }
    es_content_pause(&loop->content, loop->paused);
    if (loop->scale_changed) {
        es_content_set_scale(&loop->content, loop->scale);
        loop->scale_changed = false;
        es__update_bound(loop);
    }
}

/* --- the calls of a frame --------------------------------------------------------------------- */

/* A frame that is given up although its ticks have run was planned for them: content goes on from
 * there. */
static void give_up_frame(es_loop *loop)
{
    if (loop->phase == ES_LOOP_TICKING && loop->ticker.ticks > 0) {
        settle(loop, read_work_clock(loop), true);
    }
}

/* What this frame counts as where that is not the time that passes. */
static void prepare_content(es_loop *loop)
{
    const es_ticker *ticker = &loop->ticker;
    if (loop->step == ES_STEP_LOCKSTEP) {
        int64_t next_ns = es_ticker_time_ns(ticker, es_ns_add(ticker->index, 1));
        es_content_set_lockstep(&loop->content, es_ns_sub(next_ns, ticker->time_ns));
    } else if (loop->catch_up == ES_CATCH_UP_WAIT) {
        int64_t interval_ns = es__known_interval_ns(loop->pacer.interval_ns);
        es_content_set_frame_max(&loop->content, es__wait_most_ns(interval_ns));
    }
}

static void open_frame(es_loop *loop)
{
    es_gap_evidence evidence = gather_evidence(loop);
    loop->cpu_before_ns = loop->gap.since.thread_cpu_ns;
    es_gap_filter_observe(&loop->gap, &evidence);
    es_ticker_open(&loop->ticker);
    loop->stepped = false;
    loop->phase = ES_LOOP_TICKING;
    apply_speed(loop);
    prepare_content(loop);
}

static void start_filter(es_loop *loop, int64_t clock_ns)
{
    if (!loop->started) {
        es_gap_evidence evidence = gather_evidence(loop);
        es_gap_filter_init(&loop->gap, loop->gap_ns, clock_ns, &evidence);
        loop->started = true;
    }
}

es_result es_loop_begin(es_loop *loop)
{
    if (!is_initialised(loop)) {
        return ES_ERR_STATE;
    }
    if (loop->clock.now_ns == NULL || loop->clock.wait_until == NULL) {
        return ES_ERR_UNSUPPORTED;
    }
    give_up_frame(loop);
    int64_t clock_ns = loop->clock.now_ns(loop->clock.user);
    loop->host = false;
    start_filter(loop, clock_ns);
    take_reading(loop, clock_ns, 0);
    open_frame(loop);
    es_pacer_open(&loop->pacer, loop->gap.time_ns);
    loop->work_begin_ns = loop->gap.time_ns;
    return ES_OK;
}

bool es_loop_begin_host(es_loop *loop, int64_t start_ns, int64_t expected_present_ns)
{
    if (!is_initialised(loop)) {
        return false;
    }
    give_up_frame(loop);
    loop->host = true;
    start_filter(loop, start_ns);
    take_reading(loop, start_ns, 0);
    open_frame(loop);
    int64_t ahead_ns = es_ns_sub(expected_present_ns, start_ns);
    if (expected_present_ns == 0 || ahead_ns < 0 || ahead_ns > loop->gap_ns) {
        ahead_ns = 0;
    }
    int64_t time_ns = loop->gap.time_ns;
    es_pacer_open_host(&loop->pacer, time_ns, es_ns_add(time_ns, ahead_ns));
    loop->work_begin_ns = read_work_clock(loop);
    return true;
}

/* Where a single step leads: to the next tick. The accumulator's bracket needs one tick more than
 * it shows: there to the newest. A variable step is one period, within what is no absurd step. */
static int64_t single_step_to_ns(const es_loop *loop)
{
    const es_ticker *ticker = &loop->ticker;
    int64_t next_ns = es_ticker_time_ns(ticker, es_ns_add(ticker->index, 1));
    if (loop->step == ES_STEP_VARIABLE) {
        int64_t most_ns = es_ns_add(ticker->time_ns, loop->step_max_ns);
        int64_t least_ns = es_ns_add(ticker->time_ns, loop->step_min_ns);
        next_ns = next_ns < most_ns ? next_ns : most_ns;
        return next_ns > least_ns ? next_ns : least_ns;
    }
    return ticker->due ? es_ticker_due_ns(ticker) : next_ns;
}

/* While paused, a wanted single step moves content. */
static RARE void apply_single_step(es_loop *loop)
{
    if (loop->paused && loop->ticker.ticks == 0) {
        loop->steps_wanted -= 1;
        loop->stepped = true;
        es_content_step(&loop->content, single_step_to_ns(loop));
    }
}

/* The default bound is one of time, too: a machine that needs longer for each tick than the tick is
 * worth gains nothing from more of them in one frame. */
static bool ticks_took_too_long(const es_loop *loop, int64_t now_ns)
{
    return loop->ticker.ticks > 0 && es_ns_sub(now_ns, loop->work_begin_ns) > loop->ticks_time_ns;
}

/* Further behind than asked for, counted from the frame's first tick: the clock is moved up. In
 * time of the game where that runs faster. A single step is no shortage. */
static RARE int64_t limit_behind(es_loop *loop, int64_t target_ns)
{
    const es_ratio *scale = &loop->content.scale;
    bool fast = scale->numerator > scale->denominator;
    int64_t most_ns = fast ? es_ns_scale(loop->behind_max_ns, *scale) : loop->behind_max_ns;
    if (loop->ticker.ticks == 0) {
        loop->first_tick_ns = loop->ticker.time_ns;
    }
    int64_t over_ns = es_ns_sub(es_ns_sub(target_ns, loop->first_tick_ns), most_ns);
    if (over_ns <= 0 || loop->stepped) {
        return target_ns;
    }
    give_way(loop, over_ns);
    return es_ns_sub(target_ns, over_ns);
}

/* How many more ticks this frame can have: by the bound, and at the cost of the last ones by time.
 * */
static int64_t ticks_left(const es_loop *loop)
{
    int64_t most = loop->ticker.ticks_max;
    if (loop->tick_cost_ns > 0 && loop->ticks_time_ns / loop->tick_cost_ns < most) {
        most = loop->ticks_time_ns / loop->tick_cost_ns;
    }
    int64_t left = most - loop->ticker.ticks;
    return left > 1 ? left : 1;
}

/* What the frame will show when so many more ticks have run at their usual cost: where it aims at
 * its start, they move that. */
static int64_t target_after(const es_loop *loop, int64_t ticks, int64_t now_ns)
{
    const es_pacer *pacer = &loop->pacer;
    int64_t present_ns = pacer->present_ns;
    if (!pacer->host && pacer->config.aim == ES_AIM_START) {
        int64_t after_ns = es_ns_add(now_ns, ticks * loop->tick_cost_ns);
        present_ns = after_ns > present_ns ? after_ns : present_ns;
    }
    return es_content_due_at(&loop->content, present_ns);
}

/* Policy stretch: the length of the next step if the ones that are left must be longer than their
 * period to reach the target; else 0. */
static int64_t stretched_step_ns(const es_loop *loop, int64_t now_ns)
{
    const es_ticker *ticker = &loop->ticker;
    int64_t period_ns = es_rate_period_ns(ticker->rate);
    int64_t left = ticks_left(loop);
    int64_t target_ns = target_after(loop, left, now_ns);
    int64_t owed_ns = es_ns_sub(target_ns, ticker->time_ns);
    int64_t reach_ns = es_ticker_time_ns(ticker, es_ns_add(ticker->index, left));
    if (ticker->ticks >= ticker->ticks_max || reach_ns >= target_ns) {
        return 0;
    }
    int64_t step_ns = (owed_ns - 1) / left + 1;
    es_ratio longest = {(uint32_t)loop->stretch_max, 1};
    int64_t most_ns = es_ns_scale(period_ns, longest);
    return step_ns < most_ns ? step_ns : most_ns;
}

static RARE bool next_stretched(es_loop *loop, int64_t now_ns, int64_t target_ns, es_step *step)
{
    bool owed = es_ticker_owed_ns(&loop->ticker, target_ns) > 0;
    int64_t step_ns = owed ? stretched_step_ns(loop, now_ns) : 0;
    if (step_ns > 0) {
        int64_t period_ns = es_rate_period_ns(loop->ticker.rate);
        loop->stretched_ns = es_ns_add(loop->stretched_ns, step_ns - period_ns);
        es_ticker_step(&loop->ticker, step_ns, step);
    }
    return step_ns > 0;
}

/* In lockstep content stands on a tick, exactly, but for what a time scale rounds: away with that.
 * */
static RARE void align_lockstep(es_loop *loop)
{
    int64_t content_ns = content_now(loop);
    int64_t next_ns = es_ticker_time_ns(&loop->ticker, es_ns_add(loop->ticker.index, 1));
    int64_t off_newest_ns = es_ns_sub(content_ns, loop->ticker.time_ns);
    int64_t off_next_ns = es_ns_sub(content_ns, next_ns);
    if (off_newest_ns >= -ROUNDING_NS && off_newest_ns <= ROUNDING_NS) {
        es_content_lag(&loop->content, off_newest_ns);
    } else if (off_next_ns >= -ROUNDING_NS && off_next_ns <= ROUNDING_NS) {
        es_content_lag(&loop->content, off_next_ns);
    }
}

static bool next_fixed(es_loop *loop, int64_t now_ns, es_step *step)
{
    if (loop->step == ES_STEP_LOCKSTEP && loop->ticker.ticks == 0) {
        align_lockstep(loop);
    }
    int64_t target_ns = target_now(loop);
    if (!loop->behind_max_auto) {
        target_ns = limit_behind(loop, target_ns);
    }
    if (loop->catch_up == ES_CATCH_UP_STRETCH && next_stretched(loop, now_ns, target_ns, step)) {
        return true;
    }
    return es_ticker_next(&loop->ticker, target_ns, step);
}

/* The real time that a variable step stands for. */
static int64_t elapsed_real_ns(const es_loop *loop)
{
    const es_content *content = &loop->content;
    int64_t span_ns = es_ns_sub(loop->pacer.present_ns, content->last_present_ns);
    if (content->resync) {
        span_ns = smaller(span_ns, content->resync_ns);
    }
    if (content->config.frame_max_ns > 0) {
        span_ns = smaller(span_ns, content->config.frame_max_ns);
    }
    return span_ns;
}

/* One step a frame; none while content stands, or where a host's time steps back. Whether it is
 * absurd is asked of the time that passed, whatever the game makes of it. */
static RARE bool next_variable(es_loop *loop, es_step *step)
{
    const es_content *content = &loop->content;
    int64_t real_ns = elapsed_real_ns(loop);
    int64_t step_ns = es_ns_sub(content_now(loop), loop->ticker.time_ns);
    bool stands = !content->started || content->paused || content->scale.numerator == 0;
    if (loop->ticker.ticks > 0 || (!loop->stepped && (stands || real_ns < 0))) {
        return false;
    }
    if (!loop->stepped && (real_ns > loop->step_max_ns || real_ns < loop->step_min_ns)) {
        int64_t instead_ns = es_ns_scale(loop->step_absurd_ns, content->scale);
        if (step_ns > instead_ns) {
            es_content_drop(&loop->content, step_ns - instead_ns);
        } else {
            es_content_lag(&loop->content, step_ns - instead_ns);
        }
        step_ns = instead_ns;
    }
    if (step_ns <= 0) {
        return false;
    }
    es_ticker_step(&loop->ticker, step_ns, step);
    return true;
}

bool es_loop_tick(es_loop *loop, es_step *step)
{
    if (loop == NULL || step == NULL || loop->phase != ES_LOOP_TICKING) {
        return false;
    }
    int64_t now_ns = replan(loop);
    if (loop->steps_wanted > 0) {
        apply_single_step(loop);
    }
    bool more = false;
    if (loop->step == ES_STEP_VARIABLE) {
        more = next_variable(loop, step);
    } else if (!ticks_took_too_long(loop, now_ns)) {
        more = next_fixed(loop, now_ns, step);
    }
    if (!more) {
        settle(loop, now_ns, false);
    }
    return more;
}

/* Waits for the plan's start; returns the time after it. */
static int64_t wait_for_start(es_loop *loop)
{
    int64_t now_ns = read_time(loop, 0);
    int64_t start_ns = loop->pacer.start_ns;
    int tries = 0;
    for (int waits = 0; now_ns < start_ns && tries < WAIT_TRIES && waits < WAITS_MAX; ++waits) {
        int64_t before_ns = now_ns;
        int64_t deadline_ns = es_gap_filter_to_clock(&loop->gap, start_ns);
        loop->clock.wait_until(loop->clock.user, deadline_ns);
        now_ns = read_time(loop, es_ns_sub(start_ns, now_ns));
        tries += now_ns == before_ns;
    }
    es_gap_filter_force(&loop->gap, start_ns);
    return loop->gap.time_ns;
}

es_result es_loop_ready(es_loop *loop, es_frame *frame)
{
    if (loop == NULL) {
        return ES_ERR_STATE;
    }
    if (loop->phase == ES_LOOP_TICKING) {
        settle(loop, replan(loop), true);
    }
    if (loop->phase != ES_LOOP_PLANNED) {
        return ES_ERR_STATE;
    }
    if (loop->host) {
        loop->draw_begin_ns = read_work_clock(loop);
        loop->report.frame.late_ns = 0;
    } else {
        loop->draw_begin_ns = wait_for_start(loop);
        loop->report.frame.late_ns =
                not_negative(es_ns_sub(loop->draw_begin_ns, loop->pacer.start_ns));
    }
    loop->report.ready_ns = to_clock(loop, loop->draw_begin_ns);
    loop->phase = ES_LOOP_DRAWING;
    if (frame != NULL) {
        *frame = loop->report.frame;
    }
    return ES_OK;
}

es_result es_loop_submit(es_loop *loop)
{
    if (loop == NULL || loop->phase != ES_LOOP_DRAWING) {
        return ES_ERR_STATE;
    }
    int64_t now_ns = read_work_clock(loop);
    loop->render_before_ns = loop->render_work_ns;
    loop->render_work_ns = not_negative(es_ns_sub(now_ns, loop->draw_begin_ns));
    loop->report.render_work_ns = loop->render_work_ns;
    loop->report.submit_ns = to_clock(loop, now_ns);
    loop->phase = ES_LOOP_SUBMITTED;
    return ES_OK;
}

static es_result end_frame(es_loop *loop)
{
    if (loop != NULL && loop->phase == ES_LOOP_DRAWING) {
        es_loop_submit(loop);
    }
    if (loop == NULL || loop->phase != ES_LOOP_SUBMITTED) {
        return ES_ERR_STATE;
    }
    int64_t now_ns = read_work_clock(loop);
    start_series_after_gap(loop);
    loop->report.shown_ns = to_clock(loop, now_ns);
    loop->report.source = loop->clock.now_ns != NULL ? ES_SHOWN_PRESENT_RETURN : ES_SHOWN_PLANNED;
    loop->phase = ES_LOOP_CLOSED;
    return ES_OK;
}

static void publish_report(es_loop *loop)
{
    loop->last = loop->report;
    loop->last_valid = true;
    loop->report.frame.index = es_ns_add(loop->report.frame.index, 1);
    apply_speed(loop);
}

es_result es_loop_end(es_loop *loop)
{
    es_result result = end_frame(loop);
    if (result == ES_OK) {
        publish_report(loop);
    }
    return result;
}

es_result es_loop_end_shown(es_loop *loop, int64_t shown_ns, es_shown_source source)
{
    es_result result = end_frame(loop);
    if (result == ES_OK) {
        loop->report.shown_ns = shown_ns;
        loop->report.source = source;
        publish_report(loop);
    }
    return result;
}

const es_frame_report *es_loop_report(const es_loop *loop)
{
    return loop->last_valid ? &loop->last : NULL;
}

/* --- changes on the way ----------------------------------------------------------------------- */

void es_loop_pause(es_loop *loop, bool paused)
{
    if (!is_initialised(loop)) {
        return;
    }
    loop->paused = paused;
    if (!paused) {
        loop->steps_wanted = 0;
    }
    apply_speed(loop);
}

bool es_loop_is_paused(const es_loop *loop)
{
    return is_initialised(loop) && loop->paused;
}

es_result es_loop_step_once(es_loop *loop)
{
    if (!es_loop_is_paused(loop)) {
        return ES_ERR_STATE;
    }
    if (loop->steps_wanted < INT32_MAX) {
        loop->steps_wanted += 1;
    }
    return ES_OK;
}

es_result es_loop_set_time_scale(es_loop *loop, es_ratio scale)
{
    if (!is_initialised(loop)) {
        return ES_ERR_STATE;
    }
    es_content probe = loop->content;
    es_result result = es_content_set_scale(&probe, scale);
    if (result == ES_OK) {
        loop->scale = scale;
        loop->scale_changed = true;
        apply_speed(loop);
    }
    return result;
}

es_ratio es_loop_time_scale(const es_loop *loop)
{
    return loop->scale_changed ? loop->scale : loop->content.scale;
}

es_rate es_loop_tick_rate(const es_loop *loop)
{
    return loop->ticker.rate;
}

/* How far a new interval may grow: by default as ever; not at all if the old one could not. */
static int64_t interval_max_for(const es_loop *loop, int64_t interval_ns)
{
    const es_pacer_config *pacing = &loop->pacer.config;
    if (pacing->pace != ES_PACE_ADAPTIVE) {
        return interval_ns;
    }
    if (loop->interval_max_auto) {
        return es__default_interval_max_ns(interval_ns);
    }
    bool pinned = pacing->interval_max_ns == pacing->interval_ns;
    return pinned || pacing->interval_max_ns < interval_ns ? interval_ns : pacing->interval_max_ns;
}

/* Gives the content clock what depends on the tick rate, the interval and the policy. */
static void reconfigure_content(es_loop *loop)
{
    es_content_config config = loop->content.config;
    es_rate rate = loop->ticker.rate;
    int64_t interval_ns = es__known_interval_ns(loop->pacer.config.interval_ns);
    config.delay_ns = es__delay_ns(rate, loop->delay_ticks);
    es__set_catch_up(&config, loop->catch_up, interval_ns);
    es_content_reconfigure(&loop->content, &config);
}

es_result es_loop_set_tick_rate(es_loop *loop, es_rate rate)
{
    if (!is_initialised(loop) || es__ticks_are_running(loop)) {
        return ES_ERR_STATE;
    }
    int64_t interval_ns = es__lockstep_interval_ns(rate);
    int64_t interval_max_ns = interval_max_for(loop, interval_ns);
    if (!es__tick_rate_is_allowed(rate) || !es__delay_is_allowed(rate, loop->delay_ticks)
            || (loop->interval_auto && interval_max_ns >= loop->gap_ns)) {
        return ES_ERR_INVALID;
    }
    es_ticker_set_rate(&loop->ticker, rate);
    es_pacer_set_window(&loop->pacer, es__pacer_window_ns(rate));
    if (loop->interval_auto) {
        es_pacer_set_interval(&loop->pacer, interval_ns, interval_max_ns);
    }
    reconfigure_content(loop);
    es__update_bound(loop);
    return ES_OK;
}

es_result es_loop_set_interval(es_loop *loop, int64_t interval_ns)
{
    if (!is_initialised(loop) || es__ticks_are_running(loop)) {
        return ES_ERR_STATE;
    }
    int64_t interval_max_ns = interval_max_for(loop, interval_ns);
    if (!es__interval_is_allowed(interval_ns) || interval_max_ns >= loop->gap_ns) {
        return ES_ERR_INVALID;
    }
    es_pacer_set_interval(&loop->pacer, interval_ns, interval_max_ns);
    loop->interval_auto = false;
    reconfigure_content(loop);
    es__update_bound(loop);
    return ES_OK;
}

es_result es_loop_set_catch_up(es_loop *loop, es_catch_up policy)
{
    if (!is_initialised(loop) || es__ticks_are_running(loop)) {
        return ES_ERR_STATE;
    }
    if (!es__catch_up_is_allowed(loop->step, policy)) {
        return ES_ERR_INVALID;
    }
    loop->catch_up = policy;
    reconfigure_content(loop);
    es__update_bound(loop);
    return ES_OK;
}

es_result es_loop_resync(es_loop *loop)
{
    if (!is_initialised(loop) || es__ticks_are_running(loop)) {
        return ES_ERR_STATE;
    }
    es_content_resync(&loop->content, usual_interval_ns(loop));
    return ES_OK;
}

es_result es_loop_seek(es_loop *loop, int64_t tick)
{
    if (!is_initialised(loop) || es__ticks_are_running(loop)) {
        return ES_ERR_STATE;
    }
    es_result result = es_ticker_seek(&loop->ticker, tick);
    if (result == ES_OK) {
        es_content_seek(&loop->content, loop->ticker.time_ns, usual_interval_ns(loop));
    }
    return result;
}

/* --- run: the same calls in a row ------------------------------------------------------------- */

static int run_ticks(es_loop *loop, const es_loop_callbacks *callbacks, void *user)
{
    es_step step;
    while (es_loop_tick(loop, &step)) {
        int status = callbacks->update != NULL ? callbacks->update(user, &step) : 0;
        if (status != 0) {
            return status;
        }
    }
    return 0;
}

static int run_frame(es_loop *loop, const es_loop_callbacks *callbacks, void *user)
{
    es_frame frame;
    int status = callbacks->input != NULL ? callbacks->input(user) : 0;
    if (status == 0) {
        status = run_ticks(loop, callbacks, user);
    }
    if (status == 0) {
        es_loop_ready(loop, &frame);
        status = callbacks->draw(user, &frame);
    }
    if (status == 0) {
        es_loop_submit(loop);
        status = callbacks->present != NULL ? callbacks->present(user) : 0;
    }
    if (status == 0) {
        es_loop_end(loop);
        status = callbacks->report != NULL ? callbacks->report(user, &loop->last) : 0;
    }
    return status;
}

int es_loop_run(es_loop *loop, const es_loop_callbacks *callbacks, void *user)
{
    if (callbacks == NULL || callbacks->draw == NULL) {
        return ES_ERR_INVALID;
    }
    for (;;) {
        int status = es_loop_begin(loop);
        if (status != ES_OK) {
            return status;
        }
        status = run_frame(loop, callbacks, user);
        if (status != 0) {
            loop->phase = ES_LOOP_CLOSED;
            return status > 0 ? ES_OK : status;
        }
    }
}
