/* SPDX-License-Identifier: Zlib
 *
 * The calls of a frame. The loop passes plain values between gap, pacer, content, ticker and display.
 * It decides only the order of the calls and when a change may act. loop_time.c reads the clock and
 * waits. Inside, times are those of the gap filter; outside, on the clock.
 */
#include "loop.h"
#include "display/present_free.h"
#include "loop_config.h"

#define TIMER_INTERVAL_NS (ES_NS_PER_S / 60)
#define AFTER_MAX_NS                                                                               \
    (50 * ES_NS_PER_MS) /* screen times this far after the last reading are false */

/* --- planning --------------------------------------------------------------------------------- */

/* Rule A1's work: the rendering of the frame before, and this frame's ticks so far. In the first form
 * ticks count as rendering, unless es_loop_wait follows them. */
static int64_t work_so_far(const es_loop *loop, int64_t now_ns)
{
    if (loop->frame.planned_first && !loop->before.waited) {
        return loop->load.frame_ns;
    }
    int64_t work_ns = loop->load.render_ns + es__work_since(loop->frame.work_begin_ns, now_ns);
    ES__ASSERT_IN(loop->load.render_ns, 0, work_ns);
    return work_ns;
}

/* The work of a frame at the shortest interval. */
static int64_t work_at_floor(const es_loop *loop, int64_t cost_ns)
{
    return loop->load.render_ns + loop->rules.floor_ticks * cost_ns;
}

static void replan_for(es_loop *loop, int64_t now_ns, int64_t work_ns)
{
    es__work work = {work_ns, work_at_floor(loop, es__tick_cost_ns(loop, now_ns)), false};
    work.waited = loop->pacer.config.pace == ES_PACE_ADAPTIVE && es__mostly_waited(loop, work_ns);
    es__pacer_replan(&loop->pacer, &work);
}

/* The display's plan. Once refreshes are known frames start at once; they wait, if at all, before
 * they begin or before they are submitted. */
static void follow_display(es_loop *loop, int64_t now_ns)
{
    if (loop->frame.host) {
        now_ns = loop->gap.time_ns;
    }
    if (loop->display.mode == ES_DISPLAY_FREE) {
        now_ns = loop->pacer.start_ns;
    } else if (loop->display_lost) { /* a gap within the ticks: the next plan begins anew */
        es__pacer_open_host(&loop->pacer, now_ns, loop->pacer.present_ns);
        return;
    }
    int64_t motion_ns =
            es__clamp_ns(es__display_expect(&loop->display, now_ns, es__drawn_ticks(loop)));
    if (loop->display.mode == ES_DISPLAY_FREE) {
        loop->pacer.present_ns = motion_ns; /* until the plan moves */
    } else {
        es__pacer_open_host(&loop->pacer, now_ns, motion_ns);
    }
}

/* The time on the work clock that the plan goes by. In the first form the frame's ticks run later. */
static int64_t planning_time(es_loop *loop)
{
    if (loop->frame.planned_first) {
        return es__ns_add(loop->frame.work_begin_ns, es__planned_ticks_ns(loop));
    }
    return es__read_work_clock(loop);
}

/* Lockstep: this frame adds the period of its tick. */
static void count_frame(es_loop *loop)
{
    const es__ticker *ticker = &loop->ticker;
    if (loop->rules.step != ES_STEP_LOCKSTEP) {
        es__match_refreshes(loop);
    } else if (ticker->ticks == 0) {
        int64_t next_ns = es__ticker_time_ns(ticker, ticker->index + 1);
        es__content_count(&loop->content, next_ns - ticker->time_ns);
    }
}

/* Returns the time on the work clock. */
static int64_t replan(es_loop *loop)
{
    int64_t now_ns = planning_time(loop);
    if (loop->display_lost && loop->frame.uses_display
            && loop->ticker.ticks == 0) { /* since es_loop_begin */
        es__restart_display(loop);
        es__display_open(&loop->display, now_ns);
    }
    int64_t work_ns = work_so_far(loop, now_ns);
    if (es__pacer_is_exceeded(&loop->pacer, work_ns)) {
        replan_for(loop, now_ns, work_ns);
    }
    es__pacer_move(&loop->pacer, now_ns);
    if (loop->frame.uses_display) {
        follow_display(loop, now_ns);
    }
    count_frame(loop);
    return now_ns;
}

/* Once per gap, at the first time after it: a plan, or the screen time of the frame whose present
 * blocked. */
static void start_series_after_gap(es_loop *loop)
{
    if (loop->gap.found.kind != ES_GAP_NONE && !loop->series_started) {
        loop->report.series += 1;
        loop->series_started = true;
    }
}

/* When content reaches a tick, on the clock, without the offset of content that shrinks slowly on a
 * display (es_frame.offset_ns). */
static int64_t due_of(const es_loop *loop, int64_t tick_ns)
{
    int64_t present_ns = loop->pacer.present_ns;
    int64_t due_ns = es__content_instant_ns(&loop->content, present_ns, tick_ns);
    if (loop->frame.speed_change != 0.0) {
        double ahead_ns = (double)(due_ns - present_ns) / (1.0 + loop->frame.speed_change);
        due_ns = present_ns + (int64_t)ahead_ns;
    }
    if (loop->frame.uses_display) {
        due_ns += es__lasting_offset_ns(loop);
    }
    return es__gap_filter_to_clock(&loop->gap, due_ns);
}

static double share_of_one(es__ratio ratio)
{
    return (double)ratio.numerator / (double)ratio.denominator;
}

static void fill_pair(es_loop *loop, int64_t content_ns)
{
    es_frame *frame = &loop->report.frame;
    es__ticker *ticker = &loop->ticker;
    es__ticker_pair pair;
    es__ticker_find_pair(ticker, es__target_now_ns(loop), &pair);
    frame->previous_tick = pair.previous_index;
    frame->current_tick = pair.current_index;
    frame->previous_ns = pair.previous_ns;
    frame->current_ns = pair.current_ns;
    frame->alpha = es__ticker_alpha(ticker, content_ns);
    frame->newest_tick = ticker->index;
    frame->newest_ns = ticker->time_ns;
    frame->ticks = ticker->ticks;
}

/* What es_frame_step needs. A step of another length than the period moves the ticker's base. The
 * first form gives all such steps of a frame one length; else this is their mean. */
static void fill_steps(es_loop *loop)
{
    es_frame *frame = &loop->report.frame;
    const es__ticker *ticker = &loop->ticker;
    const es__content *content = &loop->content;
    bool regular = ticker->ticks == 0 || ticker->base_index <= ticker->index - ticker->ticks;
    int64_t passed_ns = ticker->time_ns - loop->frame.before_ticks_ns;
    es__frame_steps steps = {.rate = ticker->rate,
            .step_ns = regular ? 0 : passed_ns / ticker->ticks,
            .base_tick = ticker->base_index,
            .base_ns = ticker->base_ns,
            .due_ns = due_of(loop, ticker->time_ns),
            .speed = content->paused ? 0.0
                                     : share_of_one(content->scale) * share_of_one(content->slow)
                                               * (1.0 + loop->frame.speed_change)};
    frame->tick_s = regular ? ticker->period_s : (double)steps.step_ns / (double)ES_NS_PER_S;
    ES__ASSERT(!regular || ticker->ticks == 0
                       || es__ticker_time_ns(ticker, ticker->index - ticker->ticks)
                                  == loop->frame.before_ticks_ns
                       || ticker->time_ns == ES__TIME_MAX,
            passed_ns);
    memcpy(frame->steps, &steps, sizeof steps);
}

/* The frame's account: the totals, and this frame's part of them. */
static void fill_account(es_loop *loop)
{
    es_frame *frame = &loop->report.frame;
    frame->account.gaps_ns = es__ns_sub(loop->gap.removed_ns, loop->totals.removed_first_ns);
    frame->account.stretched_ns = loop->totals.stretched_ns;
    frame->account.frame_dropped_ns = frame->account.dropped_ns - loop->totals.dropped_before_ns;
    frame->account.frame_slow_motion_ns =
            frame->account.slow_motion_ns - loop->totals.slow_motion_before_ns;
    frame->account.frame_stretched_ns =
            frame->account.stretched_ns - loop->totals.stretched_before_ns;
    loop->totals.dropped_before_ns = frame->account.dropped_ns;
    loop->totals.slow_motion_before_ns = frame->account.slow_motion_ns;
    loop->totals.stretched_before_ns = frame->account.stretched_ns;
}

/* The display's count of refreshes shows that the clock has leapt since the frame before. */
static void fill_leap(es_loop *loop, int64_t leap_ns)
{
    es_frame *frame = &loop->report.frame;
    frame->gap.removed_ns = es__ns_add(frame->gap.removed_ns, leap_ns);
    if (frame->gap.kind == ES_GAP_NONE) {
        frame->gap.kind = leap_ns > 0 ? ES_GAP_CLOCK_JUMP : ES_GAP_CLOCK_STILL;
        frame->gap.duration_ns = leap_ns > 0 ? leap_ns : -leap_ns;
        loop->report.series += 1;
    }
}

static void fill_display(es_loop *loop)
{
    es_frame *frame = &loop->report.frame;
    const es__display_plan *seen = &loop->display_plan;
    frame->present_ns = es__gap_filter_to_clock(&loop->gap, seen->present_ns);
    frame->interval_ns = seen->interval_ns;
    frame->target_ns =
            seen->target_ns != 0 ? es__gap_filter_to_clock(&loop->gap, seen->target_ns) : 0;
    frame->target_refreshes = seen->target_refreshes;
    frame->account.offset_ns = seen->offset_ns;
    frame->account.clamped_ns += seen->offset_ns;
    frame->account.gaps_ns = es__ns_add(frame->account.gaps_ns, seen->removed_ns);
    frame->account.reanchored_ns += seen->reanchored_ns;
    int64_t leap_ns = seen->removed_ns - loop->totals.leapt_before_ns;
    loop->totals.leapt_before_ns = seen->removed_ns;
    if (leap_ns != 0) {
        fill_leap(loop, leap_ns);
    }
}

static void fill_frame(es_loop *loop, const es__plan *plan)
{
    const es_gap none = {ES_GAP_NONE, 0, 0};
    es_frame *frame = &loop->report.frame;
    frame->start_ns = es__gap_filter_to_clock(&loop->gap, plan->start_ns);
    fill_account(loop);
    start_series_after_gap(loop);
    loop->series_started = false;
    bool has_gap = loop->gap.found.kind != ES_GAP_NONE;
    frame->gap = has_gap ? es__gap_filter_take(&loop->gap) : none;
    frame->target_ns = 0;
    frame->target_refreshes = 1;
    if (loop->frame.uses_display) {
        fill_display(loop);
    } else {
        frame->present_ns = es__gap_filter_to_clock(&loop->gap, plan->present_ns);
        frame->interval_ns = plan->interval_ns;
        frame->account.offset_ns = 0;
    }
}

/* Lockstep: the mean distance of frames, for the speed of the game. */
static void note_span(es_loop *loop)
{
    if (loop->rules.step == ES_STEP_LOCKSTEP && loop->before.exists) {
        loop->lockstep.spans += loop->lockstep.spans < ES_REFRESH_RECENT;
        double more_ns = (double)loop->before.span_ns - loop->lockstep.span_ns;
        loop->lockstep.span_ns += more_ns / loop->lockstep.spans;
    }
}

#if ES__ASSERTS
/* D less C and all that the account names: the same in every frame. Sums wrap around, as nothing else may. */
static uint64_t origin_of(const es_frame *f)
{
    const es_account *a = &f->account;
    return (uint64_t)f->present_ns - (uint64_t)f->content_ns - (uint64_t)a->dropped_ns
           - (uint64_t)a->gaps_ns - (uint64_t)a->slowed_ns - (uint64_t)a->clamped_ns
           - (uint64_t)a->delay_ns - (uint64_t)a->reanchored_ns + (uint64_t)a->seeked_ns;
}

/* Alpha is where content stands between the two ticks. off_ns: the accumulator's bracket is exact where
 * ticks are due. */
static void check_pair_of(const es_frame *f, double off_ns)
{
    double length_ns = (double)(f->current_ns - f->previous_ns);
    double place_ns = f->alpha * length_ns, since_ns = (double)(f->content_ns - f->previous_ns);
    since_ns = es__max_f64(0.0, es__min_f64(since_ns, length_ns));
    off_ns += 1e-15 * length_ns; /* what a double of that length rounds */
    ES__ASSERT(f->alpha >= 0.0 && f->alpha <= 1.0, f->alpha);
    ES__ASSERT(place_ns - since_ns <= off_ns && since_ns - place_ns <= off_ns, f->alpha, since_ns);
    ES__ASSERT_IN(f->current_tick, f->previous_tick, f->previous_tick + 1);
    ES__ASSERT_IS(f->current_tick, <=, f->newest_tick);
    ES__ASSERT(length_ns >= 0.0 && f->current_ns <= f->newest_ns, f->current_ns, f->newest_ns);
    ES__ASSERT_IS(f->ahead_ns, ==, es__not_negative(f->content_ns - f->newest_ns));
}

/* Totals and filtered times stop at the ends of their range: nothing adds up any more. */
static bool sums_fit(const es_loop *loop, const es_frame *f)
{
    const es_account *a = &f->account;
    const int64_t values[] = {f->present_ns, f->content_ns, a->gaps_ns, a->dropped_ns, a->slowed_ns,
            a->clamped_ns, a->reanchored_ns, a->seeked_ns, loop->gap.time_ns, loop->gap.clock_ns,
            loop->gap.removed_ns, f->gap.duration_ns};
    bool fit = true;
    for (size_t i = 0; i < sizeof values / sizeof values[0]; ++i) {
        fit = fit && values[i] < ES__TIME_MAX / 2 && values[i] > -ES__TIME_MAX / 2;
    }
    return fit;
}

/* before: of the frame before. last_ns: content that was shown or sought last. */
void es__check_frame(const es_loop *loop, const es_frame *before, bool follows, int64_t last_ns)
{
    const es_frame *f = &loop->report.frame;
    if (!sums_fit(loop, before) || !sums_fit(loop, f)) {
        return;
    }
    ES__ASSERT_IS(f->content_ns, >=, last_ns);
    check_pair_of(f, loop->ticker.accumulator ? 2.5 : 0.001 + (double)(f->content_ns >> 51));
    ES__ASSERT(!follows || origin_of(f) == origin_of(before), origin_of(f) - origin_of(before));
    ES__ASSERT(!follows || last_ns == INT64_MIN
                       || f->account.frame_dropped_ns
                                  == f->account.dropped_ns - before->account.dropped_ns,
            f->account.frame_dropped_ns);
    ES__ASSERT(f->account.frame_dropped_ns >= 0 && f->account.frame_stretched_ns >= 0,
            f->account.frame_stretched_ns);
    ES__ASSERT_IS(f->target_refreshes, >=, 1);
    ES__ASSERT(f->target_ns == 0 || (loop->frame.uses_display && loop->display.feedback),
            f->target_ns);
    if (loop->hooks == NULL) {
        ES__ASSERT_IS(f->newest_tick, ==, loop->ticker.index);
        ES__ASSERT_IS(f->ticks, <=, loop->ticker.ticks_max);
        ES__ASSERT(loop->rules.step != ES_STEP_VARIABLE || f->ticks <= 1, f->ticks);
    }
}
#endif

/* Makes the plan final. Content that the ticks did not reach goes to the catch-up policy, or is
 * dropped where the program left ticks unrun. */
static void finish_plan(es_loop *loop, int64_t now_ns, bool left_unrun)
{
    es__plan plan;
    ES__ASSERT(loop->phase == ES_LOOP_TICKING, loop->phase);
    ES__BEFORE(const es_frame before = loop->report.frame);
    ES__BEFORE(const bool follows = loop->content.started);
    if (!loop->pacer.started) {
        loop->totals.removed_first_ns = loop->gap.removed_ns;
    }
    es__record_tick_cost(loop, now_ns);
    fill_steps(loop);
    int64_t target_ns = es__target_now_ns(loop);
    int64_t debt_ns = es__ticker_debt_ns(&loop->ticker, target_ns);
    if (left_unrun) {
        es__content_drop(&loop->content, es__droppable_ns(loop, debt_ns));
    } else {
        es__apply_catch_up(loop, debt_ns);
    }
    es__work work = {
            work_so_far(loop, now_ns), work_at_floor(loop, loop->load.tick_cost_ns), false};
    int64_t before_ns = loop->pacer.last_start_ns;
    es__pacer_close(&loop->pacer, &work, &plan);
    int64_t span_ns = plan.start_ns - before_ns; /* uncapped now, that start may be still to come */
    loop->before.span_ns = loop->frame.host ? span_ns : es__not_negative(span_ns);
    note_span(loop);
    ES__ASSERT(loop->lockstep.span_ns >= 0.0 || loop->frame.host, loop->lockstep.span_ns);
    if (loop->frame.uses_display) {
        es__display_close(&loop->display, plan.interval_ns, &loop->display_plan);
    }
    ES__BEFORE(const int64_t last_ns = loop->content.last_content_ns);
    int64_t content_ns = es__content_at(&loop->content, plan.present_ns);
    fill_pair(loop, content_ns);
    int64_t placed_ns = es__ticker_placed_ns(&loop->ticker, content_ns);
    placed_ns = placed_ns < loop->content.last_content_ns ? content_ns : placed_ns;
    loop->report.frame.content_ns = placed_ns;
    int64_t newest_ns = loop->ticker.time_ns;
    loop->report.frame.ahead_ns = placed_ns > newest_ns ? placed_ns - newest_ns : 0;
    es__content_close(&loop->content, plan.present_ns, placed_ns, &loop->report.frame.account);
    loop->report.frame.account.debt_ns = loop->content.debt_ns;
    loop->before.match_rest = loop->frame.match_rest;
    fill_frame(loop, &plan);
    ES__CHECK(es__check_frame(loop, &before, follows, last_ns));
    loop->phase = ES_LOOP_PLANNED;
}

/* --- the calls of a frame --------------------------------------------------------------------- */

/* The ticks of a frame that is given up have run, so content goes on from there. The work of the
 * frame before it is not counted again. */
static void give_up_frame(es_loop *loop)
{
    if (loop->phase == ES_LOOP_TICKING && loop->ticker.ticks > 0) {
        finish_plan(loop, es__read_work_clock(loop), true);
    }
    if (loop->phase == ES_LOOP_PLANNED || loop->phase == ES_LOOP_DRAWING) {
        loop->load.frame_ns = loop->load.render_ns = 0;
    }
}

static void open_frame(es_loop *loop)
{
    es__read_other_clocks(loop);
    es__ticker_open(&loop->ticker);
    loop->frame.before_ticks_ns = loop->ticker.time_ns;
    loop->report.frame.begun_ns = loop->gap.clock_ns;
    loop->report.frame.visible = loop->frame.visible;
    loop->frame.stepped = false;
    loop->before.waited = loop->frame.planned_first && loop->frame.waited;
    loop->frame.planned_first = false;
    loop->frame.waited = false;
    loop->frame.acquired = false;
    loop->frame.acquire_ignored = false;
    loop->phase = ES_LOOP_TICKING;
    es__apply_speed(loop);
    ES__ASSERT_IS(loop->content.paused, ==, loop->requests.paused);
}

/* A timer keeps the refresh that is known, unless the program wants another interval. It is never slower
 * than its usual interval for a refresh that was only measured: slow work may have looked like one. */
static void set_timer_interval(es_loop *loop)
{
    int64_t interval_ns = es__display_interval_ns(&loop->display);
    interval_ns = loop->config.refresh.numerator > 0 ? interval_ns
                                                     : es__min(interval_ns, TIMER_INTERVAL_NS);
    bool paces = loop->frame.uses_display && loop->display.mode == ES_DISPLAY_FREE;
    if (paces && interval_ns > 0 && loop->config.interval_ns == 0
            && loop->pacer.config.interval_ns != interval_ns) {
        int64_t most_ns = loop->pacer.config.interval_max_ns;
        most_ns = most_ns > interval_ns ? most_ns : interval_ns;
        es__pacer_set_interval(&loop->pacer, interval_ns, most_ns);
    }
}

/* What the program should have called in the last frame. */
static void note_misuse(es_loop *loop)
{
    const void *thread = es__this_thread();
    if (loop->thread != NULL && loop->thread != thread) {
        es__problem_note(loop, ES__PROBLEM_THREADS);
    }
    loop->thread = thread;
    if (loop->phase == ES_LOOP_TICKING || loop->phase == ES_LOOP_PLANNED) {
        es__problem_note(loop, ES__PROBLEM_NO_WAIT);
    } else if (loop->phase == ES_LOOP_DRAWING) {
        es__problem_note(loop, ES__PROBLEM_NO_SUBMIT);
    } else if (loop->phase == ES_LOOP_SUBMITTED) {
        es__problem_note(loop, ES__PROBLEM_NO_END);
    }
}

bool es_loop_begin(es_loop *loop)
{
    if (!es__is_initialised(loop)) {
        return es__refuse_call(ES_ERR_INVALID, "es_loop_begin");
    }
    if (loop->clock.now_ns == NULL || loop->clock.wait_until == NULL) {
        return es__refuse_call(ES_ERR_UNSUPPORTED, "es_loop_begin");
    }
    note_misuse(loop);
    give_up_frame(loop);
    int64_t clock_ns = loop->clock.now_ns(loop->clock.user);
    loop->frame.host = false;
    es__take_first_reading(loop, clock_ns);
    es__problem_begun(loop);
    es__apply_visible(loop);
    loop->frame.uses_display = loop->rules.uses_display && loop->frame.visible;
    es__wait_to_begin(loop);
    loop->frame.begin_ns = loop->gap.time_ns;
    es__problem_frame(loop, loop->frame.begin_ns);
    open_frame(loop);
    set_timer_interval(loop);
    es__pacer_open(&loop->pacer, loop->gap.time_ns);
    if (loop->frame.uses_display) {
        es__display_open(&loop->display, loop->gap.time_ns);
    }
    loop->frame.work_begin_ns = loop->gap.time_ns;
    return true;
}

bool es__loop_begin_host(es_loop *loop, int64_t start_ns, int64_t expected_present_ns)
{
    if (!es__is_initialised(loop)) {
        return false;
    }
    give_up_frame(loop);
    loop->frame.host = true;
    es__take_first_reading(loop, start_ns);
    es__apply_visible(loop);
    loop->frame.uses_display = loop->rules.uses_display;
    int64_t ahead_ns = es__ns_sub(expected_present_ns, start_ns);
    if (expected_present_ns == 0 || ahead_ns < 0 || ahead_ns > loop->rules.gap_ns) {
        ahead_ns = 0;
    }
    int64_t time_ns = loop->gap.time_ns;
    if (loop->frame.uses_display && !es__display_call(&loop->display, time_ns + ahead_ns)) {
        return false;
    }
    if (!loop->frame.uses_display && es__is_capped(loop)) {
        if (es__cap_skips(&loop->cap, time_ns, loop->config.interval_ns)) {
            return false;
        }
        es__cap_begin(&loop->cap, time_ns, loop->config.interval_ns, true);
    }
    open_frame(loop);
    es__pacer_open_host(&loop->pacer, time_ns, time_ns + ahead_ns);
    loop->frame.work_begin_ns = es__read_work_clock(loop);
    return true;
}

/* Where ticks take longer than they simulate, more of them in one frame gain nothing. */
static bool ticks_took_too_long(const es_loop *loop, int64_t now_ns)
{
    return loop->ticker.ticks > 0 && loop->rules.ticks_max_auto
           && es__work_since(loop->frame.work_begin_ns, now_ns) > loop->rules.ticks_time_ns;
}

static bool next_fixed(es_loop *loop, int64_t now_ns, es_step *step)
{
    if (loop->rules.step == ES_STEP_LOCKSTEP && loop->ticker.ticks == 0) {
        es__align_lockstep(loop);
    }
    int64_t target_ns = es__target_now_ns(loop);
    if (loop->hooks == NULL) {
        target_ns = es__limit_debt(loop, target_ns);
    }
    if (loop->rules.catch_up == ES_CATCH_UP_STRETCH
            && es__next_stretched(loop, now_ns, target_ns, step)) {
        return true;
    }
    return es__ticker_next(&loop->ticker, target_ns, step);
}

/* Where the step is on the clock. */
static void stamp_step(const es_loop *loop, int64_t now_ns, es_step *step)
{
    const es__gap_filter *gap = &loop->gap;
    step->due_ns = due_of(loop, step->time_ns);
    step->begun_ns = loop->frame.host ? gap->clock_ns : es__gap_filter_to_clock(gap, now_ns);
}

static bool next_tick(es_loop *loop, es_step *step)
{
    int64_t now_ns = replan(loop);
    es__apply_single_step(loop);
    bool more = false;
    if (loop->rules.step == ES_STEP_VARIABLE) {
        more = es__next_variable(loop, step);
    } else if (!ticks_took_too_long(loop, now_ns)) {
        more = next_fixed(loop, now_ns, step);
    }
    if (more) {
        stamp_step(loop, now_ns, step);
    } else {
        finish_plan(loop, now_ns, false);
    }
    return more;
}

/* Ticks of another thread are not run here. */
static void count_ticks(es_loop *loop)
{
    es_step step;
    loop->hooks->before(loop->hooks_user);
    while (next_tick(loop, &step)) {
    }
}

bool es_loop_tick(es_loop *loop, es_step *step)
{
    if (!es__is_initialised(loop) || step == NULL) {
        return es__refuse_call(ES_ERR_INVALID, "es_loop_tick");
    }
    if (loop->phase != ES_LOOP_TICKING) {
        return es__refuse_call(ES_ERR_STATE, "es_loop_tick");
    }
    if (loop->hooks != NULL) {
        count_ticks(loop);
        return false;
    }
    return next_tick(loop, step);
}

void es__hand_out(es_loop *loop, es_frame *frame)
{
    ES__ASSERT(loop->phase == ES_LOOP_PLANNED, loop->phase);
    loop->phase = ES_LOOP_DRAWING;
    if (loop->hooks != NULL) {
        loop->report.frame.ticks = 0;
        loop->hooks->planned(loop->hooks_user);
    }
    if (frame != NULL) {
        *frame = loop->report.frame;
    }
}

/* The stepped form: waits for the start of drawing. */
bool es__loop_ready(es_loop *loop, es_frame *frame)
{
    if (loop->phase == ES_LOOP_TICKING && loop->hooks != NULL) {
        count_ticks(loop);
    } else if (loop->phase == ES_LOOP_TICKING) {
        finish_plan(loop, replan(loop), true);
    }
    if (loop->phase != ES_LOOP_PLANNED) {
        return es__refuse_call(ES_ERR_STATE, "es_loop_wait");
    }
    int64_t late_ns = 0;
    if (loop->frame.host) {
        loop->frame.draw_begin_ns = es__read_work_clock(loop);
    } else {
        loop->frame.draw_begin_ns =
                es__wait_for(loop, es__read_work_clock(loop), loop->pacer.start_ns);
        late_ns = es__not_negative(loop->frame.draw_begin_ns - loop->pacer.start_ns);
    }
    loop->frame.called_ns = loop->frame.draw_begin_ns;
    loop->report.ready_ns = es__to_clock(loop, loop->frame.draw_begin_ns);
    loop->report.frame.late_ns = late_ns;
    es__hand_out(loop, frame);
    return true;
}

bool es_loop_submit(es_loop *loop)
{
    if (loop == NULL || loop->phase != ES_LOOP_DRAWING) {
        return es__refuse_call(ES_ERR_STATE, "es_loop_submit");
    }
    int64_t now_ns = es__read_work_clock(loop);
    bool follows = loop->frame.uses_display && !loop->frame.host;
    int64_t idle_ns = follows && !loop->frame.acquired ? es__drawing_idle_ns(loop, now_ns) : 0;
    loop->frame.draw_begin_ns += idle_ns;
    loop->report.render_work_ns = es__work_since(loop->frame.draw_begin_ns, now_ns);
    const es__display_work work = es__note_work(loop);
    loop->frame.drew_idle = !loop->frame.acquire_ignored
                            && 2 * idle_ns > es__ns_between(loop->frame.begin_ns, now_ns);
    if (idle_ns > 0) { /* ticks ran before the wait, drawing after it */
        es__display_acquired(&loop->display, now_ns - work.render_ns);
    }
    if (follows) {
        int64_t until_ns = es__bounded_ns(loop, now_ns, loop->display_plan.submit_ns);
        now_ns = es__wait_for(loop, now_ns, until_ns);
    }
    ES__ASSERT(loop->frame.host
                       || (now_ns >= loop->frame.draw_begin_ns
                               && loop->frame.draw_begin_ns >= loop->frame.begin_ns),
            now_ns, loop->frame.draw_begin_ns);
    if (loop->frame.uses_display) {
        es__display_submitted(&loop->display, now_ns, &work);
    }
    loop->report.submit_ns = es__to_clock(loop, now_ns);
    loop->frame.submitted_ns = now_ns;
    loop->phase = ES_LOOP_SUBMITTED;
    return true;
}

bool es_loop_end(es_loop *loop)
{
    bool submitted = loop == NULL || loop->phase != ES_LOOP_DRAWING;
    if (!submitted) {
        es_loop_submit(loop);
    }
    if (loop == NULL || loop->phase != ES_LOOP_SUBMITTED) {
        return es__refuse_call(ES_ERR_STATE, "es_loop_end");
    }
    int64_t now_ns = es__read_work_clock(loop);
    if (loop->frame.uses_display && !loop->frame.host && !loop->display_lost) {
        es__display_returned(&loop->display, now_ns);
    } else if (loop->rules.watches_presents && !loop->frame.host && loop->report.frame.visible) {
        es__check_if_free(loop, now_ns);
    }
    ES__ASSERT(loop->frame.host || now_ns >= loop->frame.submitted_ns, now_ns,
            loop->frame.submitted_ns);
    es__problem_returned(loop, now_ns, submitted);
    start_series_after_gap(loop);
    loop->phase = ES_LOOP_CLOSED;
    loop->before.ended = true;
    loop->before.ended_ns = loop->gap.time_ns;
    loop->last = loop->report;
    loop->last.shown_ns = es__to_clock(loop, now_ns);
    loop->last.returned_ns = loop->clock.now_ns != NULL ? loop->last.shown_ns : 0;
    loop->last.source = loop->clock.now_ns != NULL ? ES_SHOWN_PRESENT_RETURN : ES_SHOWN_PLANNED;
    loop->before.exists = true;
    loop->report.frame.index += 1;
    es__apply_speed(loop);
    return true;
}

void es_loop_presented(es_loop *loop, const es_present *sample)
{
    bool follows = es__is_initialised(loop) && loop->rules.uses_display && !loop->frame.host
                   && loop->display.frames > 0;
    if (!follows || sample == NULL || !loop->before.exists || sample->discarded) {
        return;
    }
    bool future = sample->reported_ns > 0
                  && es__ns_sub(sample->shown_ns, sample->reported_ns) > ES_NS_PER_MS;
    if (future) {
        return;
    }
    int64_t newest =
            loop->phase == ES_LOOP_SUBMITTED ? loop->report.frame.index : loop->last.frame.index;
    int64_t age = es__ns_sub(newest, sample->frame);
    es__display_varies(&loop->display, sample->variable);
    if (es__ns_sub(sample->shown_ns, loop->gap.clock_ns) > AFTER_MAX_NS) {
        return;
    }
    int64_t shown_ns = loop->gap.time_ns + es__ns_between(loop->gap.clock_ns, sample->shown_ns);
    if (!sample->variable) {
        es__display_counted(&loop->display, age, shown_ns, sample->sequence);
    }
    es__display_shown(&loop->display, age, shown_ns);
}

bool es_loop_set_targets(es_loop *loop, const es_targets *targets)
{
    static const es_targets none = {0};
    const es_targets to = targets != NULL ? *targets : none;
    if (!es__is_initialised(loop) || to.deadline_ns < 0 || to.deadline_ns > ES_NS_PER_S
            || to.ahead_ns < 0) {
        return es__refuse_call(ES_ERR_INVALID, "es_loop_set_targets");
    }
    es__display_obeys(&loop->display, &to);
    return true;
}

es_display es_loop_get_display(const es_loop *loop)
{
    es_display none = {0};
    none.mode = ES_DISPLAY_FREE;
    if (!es__is_initialised(loop)) {
        return none;
    }
    if (!loop->rules.uses_display) {
        int64_t interval_ns = es__max(loop->config.interval_ns, loop->pacer.interval_ns);
        none.frames_per_s = interval_ns > 0 ? (double)ES_NS_PER_S / (double)interval_ns : 0.0;
        if (loop->rules.step == ES_STEP_LOCKSTEP && loop->lockstep.span_ns > 0.0) {
            none.speed_change = 1e9 * loop->ticker.period_s / loop->lockstep.span_ns - 1.0;
        }
        return none;
    }
    es_display status = es__display_get_status(&loop->display);
    status.speed_change = loop->frame.speed_change;
    return status;
}

const es_report *es_loop_get_report(const es_loop *loop)
{
    return loop != NULL && loop->before.exists ? &loop->last : NULL;
}
