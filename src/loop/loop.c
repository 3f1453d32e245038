/* SPDX-License-Identifier: Zlib
 *
 * The calls of a frame. The loop reads the clock, passes plain values between gap, pacer, content,
 * ticker and display, and waits. It decides only the order of the calls and when a change may act.
 * Inside, times are those of the gap filter; outside, on the clock.
 */
#include "display/present_free.h"
#include "loop_config.h"
#include "loop_parts.h"

/* Waits that end early and leave the clock where it was, before it counts as standing still. */
#define WAIT_TRIES 4

/* Waits that end early while the clock moves. */
#define WAITS_MAX 100000

/* Two clocks are not read at the same moment. */
#define CLOCKS_DIFFER_NS  (200 * ES_NS_PER_US)
#define TIMER_INTERVAL_NS (ES_NS_PER_S / 60)
/* No refresh can be counted over so long a gap. */
#define LEAP_NS    (3600 * ES_NS_PER_S)
#define CPU_AGE_NS (50 * ES_NS_PER_MS)

/* --- reading the clock ------------------------------------------------------------------------ */

static es_gap_evidence gather_evidence(const es_loop *loop, bool with_cpu)
{
    es_gap_evidence evidence = {0};
    evidence.in_present = loop->phase == ES_LOOP_SUBMITTED;
    if (loop->clock.suspended_ns != NULL) {
        evidence.has_suspended = true;
        evidence.suspended_ns = loop->clock.suspended_ns(loop->clock.user);
    }
    if (with_cpu && loop->clock.thread_cpu_ns != NULL) {
        evidence.has_thread_cpu = true;
        evidence.thread_cpu_ns = loop->clock.thread_cpu_ns(loop->clock.user);
    }
    return evidence;
}

/* The display counts its refreshes without the time that the filter removed. After a fault of the
 * clock their phase is lost. */
static void report_gap_to_display(es_loop *loop, es_gap_kind kind, int64_t removed_before_ns)
{
    bool clock_wrong = kind == ES_GAP_CLOCK_BACK || kind == ES_GAP_CLOCK_JUMP
                       || kind == ES_GAP_CLOCK_STILL || kind == ES_GAP_SUSPENDED;
    if (loop->follows && kind != ES_GAP_NONE) {
        int64_t removed_ns = es__ns_sub(loop->gap.removed_ns, removed_before_ns);
        es__display_gap(&loop->display, removed_ns, clock_wrong);
        bool leapt = removed_ns > LEAP_NS || removed_ns < -LEAP_NS;
        bool unseen = !loop->host && !clock_wrong && loop->phase != ES_LOOP_DRAWING;
        loop->display_lost = loop->display_lost || unseen || leapt;
    }
}

/* A reading that the filter does not pass. */
static void judge_reading(es_loop *loop, int64_t clock_ns, int64_t expected_ns)
{
    es_gap_evidence evidence = gather_evidence(loop, true);
    int64_t before_ns = loop->gap.removed_ns;
    es_gap_kind kind = es__gap_filter_judge(&loop->gap, clock_ns, expected_ns, &evidence);
    if (kind != ES_GAP_NONE) {
        es__free_restart(&loop->presents);
    }
    report_gap_to_display(loop, kind, before_ns);
}

static void take_reading(es_loop *loop, int64_t clock_ns, int64_t expected_ns)
{
    if (es__gap_may_hide_sleep(&loop->gap, clock_ns, expected_ns)
            || !es__gap_filter_pass(&loop->gap, clock_ns, expected_ns)) {
        judge_reading(loop, clock_ns, expected_ns);
    }
}

/* The filtered time now. expected_ns: how long the loop meant to wait since the last call. A host's
 * frames take their time from the host alone: between its calls no time passes. */
static int64_t read_time(es_loop *loop, int64_t expected_ns)
{
    if (!loop->host) {
        take_reading(loop, loop->clock.now_ns(loop->clock.user), expected_ns);
    }
    return loop->gap.time_ns;
}

int64_t es__read_work_clock(es_loop *loop)
{
    if (!loop->host) {
        return read_time(loop, 0);
    }
    return loop->clock.now_ns != NULL ? loop->clock.now_ns(loop->clock.user)
                                      : loop->gap.clock_ns; /* the host's start of the frame */
}

/* --- planning --------------------------------------------------------------------------------- */

/* Rule A1's work: the rendering of the frame before, and this frame's ticks so far. In the first form
 * ticks count as rendering, unless es_loop_wait follows them. */
static int64_t work_so_far(const es_loop *loop, int64_t now_ns)
{
    if (loop->planned_first && !loop->waits) {
        return loop->frame_work_ns;
    }
    return es__ns_add(
            loop->render_work_ns, es__not_negative(es__ns_sub(now_ns, loop->work_begin_ns)));
}

/* The work of a frame at the shortest interval. */
static int64_t work_at_floor(const es_loop *loop, int64_t cost_ns)
{
    return es__ns_add(loop->render_work_ns, loop->floor_ticks * cost_ns);
}

/* Whether this thread spent less than half of the work on the CPU. CPU time is counted from the
 * begin of the frame before, whose rendering is part of the work. */
static bool mostly_waited(const es_loop *loop, int64_t work_ns)
{
    if (!loop->cpu_before_known || loop->clock.thread_cpu_ns == NULL
            || loop->clock.thread_cpu_is_coarse) {
        return false;
    }
    int64_t cpu_ns = loop->clock.thread_cpu_ns(loop->clock.user);
    return es__ns_sub(cpu_ns, loop->cpu_before_ns) < work_ns / 2;
}

static void replan_for(es_loop *loop, int64_t now_ns, int64_t work_ns)
{
    es_work work = {work_ns, work_at_floor(loop, es__tick_cost_ns(loop, now_ns)), false};
    work.waited = loop->pacer.config.pace == ES_PACE_ADAPTIVE && mostly_waited(loop, work_ns);
    es__pacer_replan(&loop->pacer, &work);
}

/* The display's plan. Once refreshes are known frames start at once; they wait, if at all, before
 * they begin or before they are submitted. */
static void follow_display(es_loop *loop, int64_t now_ns)
{
    if (loop->host) {
        now_ns = loop->gap.time_ns;
    }
    if (loop->display.mode == ES_DISPLAY_FREE) {
        now_ns = loop->pacer.start_ns;
    }
    int64_t motion_ns = es__display_expect(&loop->display, now_ns, es__drawn_ticks(loop));
    if (loop->display.mode == ES_DISPLAY_FREE) {
        es__pacer_aim_at(&loop->pacer, motion_ns);
    } else {
        es__pacer_open_host(&loop->pacer, now_ns, motion_ns);
    }
}

/* The time on the work clock that the plan goes by. In the first form the frame's ticks run later. */
static int64_t planning_time(es_loop *loop)
{
    if (loop->planned_first) {
        return es__ns_add(loop->work_begin_ns, es__planned_ticks_ns(loop));
    }
    return es__read_work_clock(loop);
}

/* Lockstep: this frame adds the period of its tick. */
static void count_frame(es_loop *loop)
{
    const es_ticker *ticker = &loop->ticker;
    if (loop->step != ES_STEP_LOCKSTEP) {
        es__match_refreshes(loop);
    } else if (ticker->ticks == 0) {
        int64_t next_ns = es__ticker_time_ns(ticker, es__ns_add(ticker->index, 1));
        es__content_count(&loop->content, es__ns_sub(next_ns, ticker->time_ns));
    }
}

/* Returns the time on the work clock. */
static int64_t replan(es_loop *loop)
{
    int64_t now_ns = planning_time(loop);
    if (loop->display_lost && loop->frame_follows
            && loop->ticker.ticks == 0) { /* since es_loop_begin */
        es__restart_display(loop);
        es__display_open(&loop->display, now_ns);
    }
    int64_t work_ns = work_so_far(loop, now_ns);
    if (es__pacer_is_exceeded(&loop->pacer, work_ns)) {
        replan_for(loop, now_ns, work_ns);
    }
    es__pacer_move(&loop->pacer, now_ns);
    if (loop->frame_follows) {
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
    if (loop->speed_change != 0.0) {
        double ahead_ns = (double)es__ns_sub(due_ns, present_ns) / (1.0 + loop->speed_change);
        due_ns = es__ns_add(present_ns, (int64_t)ahead_ns);
    }
    if (loop->frame_follows) {
        due_ns = es__ns_add(due_ns, es__lasting_offset_ns(loop));
    }
    return es__gap_filter_to_clock(&loop->gap, due_ns);
}

static double share_of_one(es_ratio ratio)
{
    return (double)ratio.numerator / (double)ratio.denominator;
}

static void loop_fill_pair(es_loop *loop, int64_t content_ns)
{
    es_frame *frame = &loop->report.frame;
    es_ticker *ticker = &loop->ticker;
    es_ticker_pair pair;
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
    const es_ticker *ticker = &loop->ticker;
    const es_content *content = &loop->content;
    bool regular = ticker->ticks == 0 || ticker->base_index <= ticker->index - ticker->ticks;
    int64_t passed_ns = es__ns_sub(ticker->time_ns, loop->before_ticks_ns);
    es__frame_steps steps = {.rate = ticker->rate,
            .step_ns = regular ? 0 : passed_ns / ticker->ticks,
            .base_tick = ticker->base_index,
            .base_ns = ticker->base_ns,
            .due_ns = due_of(loop, ticker->time_ns),
            .speed = content->paused ? 0.0
                                     : share_of_one(content->scale) * share_of_one(content->slow)
                                               * (1.0 + loop->speed_change)};
    frame->tick_s = regular ? ticker->period_s : (double)steps.step_ns / (double)ES_NS_PER_S;
    memcpy(frame->steps, &steps, sizeof steps);
}

/* The frame's account: the totals, and this frame's part of them. */
static void loop_fill_account(es_loop *loop)
{
    es_frame *frame = &loop->report.frame;
    frame->account.gaps_ns = es__ns_sub(loop->gap.removed_ns, loop->removed_first_ns);
    frame->account.stretched_ns = loop->stretched_ns;
    frame->account.frame_dropped_ns =
            es__ns_sub(frame->account.dropped_ns, loop->dropped_before_ns);
    frame->account.frame_slow_motion_ns =
            es__ns_sub(frame->account.slow_motion_ns, loop->slow_motion_before_ns);
    frame->account.frame_stretched_ns =
            es__ns_sub(frame->account.stretched_ns, loop->stretched_before_ns);
    loop->dropped_before_ns = frame->account.dropped_ns;
    loop->slow_motion_before_ns = frame->account.slow_motion_ns;
    loop->stretched_before_ns = frame->account.stretched_ns;
}

/* The display's count of refreshes shows that the clock has leapt since the frame before. */
static void fill_leap(es_loop *loop, int64_t leap_ns)
{
    es_frame *frame = &loop->report.frame;
    frame->gap.removed_ns = es__ns_add(frame->gap.removed_ns, leap_ns);
    if (frame->gap.kind == ES_GAP_NONE) {
        frame->gap.kind = leap_ns > 0 ? ES_GAP_CLOCK_JUMP : ES_GAP_CLOCK_STILL;
        frame->gap.duration_ns = leap_ns > 0 ? leap_ns : es__ns_sub(0, leap_ns);
        loop->report.series += 1;
    }
}

static void fill_display(es_loop *loop)
{
    es_frame *frame = &loop->report.frame;
    const es_display_plan *seen = &loop->display_plan;
    frame->present_ns = es__gap_filter_to_clock(&loop->gap, seen->present_ns);
    frame->interval_ns = seen->interval_ns;
    frame->account.offset_ns = seen->offset_ns;
    frame->account.clamped_ns = es__ns_add(frame->account.clamped_ns, seen->offset_ns);
    frame->account.gaps_ns = es__ns_add(frame->account.gaps_ns, seen->removed_ns);
    frame->account.reanchored_ns = es__ns_add(frame->account.reanchored_ns, seen->reanchored_ns);
    int64_t leap_ns = es__ns_sub(seen->removed_ns, loop->leapt_before_ns);
    loop->leapt_before_ns = seen->removed_ns;
    if (leap_ns != 0) {
        fill_leap(loop, leap_ns);
    }
}

static void fill_frame(es_loop *loop, const es_plan *plan)
{
    const es_gap none = {ES_GAP_NONE, 0, 0};
    es_frame *frame = &loop->report.frame;
    frame->start_ns = es__gap_filter_to_clock(&loop->gap, plan->start_ns);
    loop_fill_account(loop);
    start_series_after_gap(loop);
    loop->series_started = false;
    bool has_gap = loop->gap.found.kind != ES_GAP_NONE;
    frame->gap = has_gap ? es__gap_filter_take(&loop->gap) : none;
    if (loop->frame_follows) {
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
    if (loop->step == ES_STEP_LOCKSTEP && loop->last_valid) {
        loop->lockstep_spans += loop->lockstep_spans < ES_REFRESH_RECENT;
        double more_ns = (double)loop->span_ns - loop->lockstep_span_ns;
        loop->lockstep_span_ns += more_ns / loop->lockstep_spans;
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

static void check_account(const es_frame *f, const es_frame *before)
{
    const es_account *a = &f->account, *was = &before->account;
    ES__ASSERT_IS(a->frame_dropped_ns, ==, a->dropped_ns - was->dropped_ns);
    ES__ASSERT_IS(a->frame_slow_motion_ns, ==, a->slow_motion_ns - was->slow_motion_ns);
    ES__ASSERT_IS(a->frame_stretched_ns, ==, a->stretched_ns - was->stretched_ns);
    ES__ASSERT_IS(a->frame_dropped_ns, >=, 0);
    ES__ASSERT_IS(a->frame_stretched_ns, >=, 0);
    ES__ASSERT_IS(a->debt_ns, >=, 0);
}

/* Alpha is where content stands between the two ticks, and those are the newest that content needs.
 * off_ns: the accumulator's bracket is exact where ticks are due. */
static void check_pair_of(const es_frame *f, double off_ns)
{
    double length_ns = (double)(f->current_ns - f->previous_ns);
    double place_ns =
            es__max_f64(0.0, es__min_f64((double)(f->content_ns - f->previous_ns), length_ns));
    double wrong_ns = f->alpha * length_ns - place_ns;
    off_ns += 1e-15 * length_ns; /* what a double of that length rounds */
    ES__ASSERT(f->alpha >= 0.0 && f->alpha <= 1.0, "%g", f->alpha);
    ES__ASSERT(wrong_ns <= off_ns && wrong_ns >= -off_ns, "alpha %g, off by %g ns", f->alpha,
            wrong_ns);
    ES__ASSERT_IS(f->previous_tick, <=, f->current_tick);
    ES__ASSERT_IS(f->current_tick - f->previous_tick, <=, 1);
    ES__ASSERT_IS(f->current_tick, <=, f->newest_tick);
    ES__ASSERT_IS(f->previous_ns, <=, f->current_ns);
    ES__ASSERT_IS(f->current_ns, <=, f->newest_ns);
    ES__ASSERT_IS(f->ahead_ns, ==, f->content_ns > f->newest_ns ? f->content_ns - f->newest_ns : 0);
}

/* Sums saturate beyond: nothing adds up any more. */
static bool sums_fit(const es_loop *loop, const es_frame *before)
{
    const int64_t far_ns = INT64_MAX / 8;
    const int64_t times_ns[] = {loop->report.frame.present_ns, loop->report.frame.content_ns,
            loop->gap.clock_ns, loop->gap.removed_ns, before->present_ns, before->account.gaps_ns,
            loop->report.frame.gap.duration_ns};
    for (int i = 0; i < 7; ++i) {
        if (times_ns[i] > far_ns || times_ns[i] < -far_ns) {
            return false;
        }
    }
    return true;
}

/* before: of the frame before. last_ns: content that was shown or sought last. */
void es__check_frame(const es_loop *loop, const es_frame *before, bool follows, int64_t last_ns)
{
    const es_frame *f = &loop->report.frame;
    if (!sums_fit(loop, before)) {
        return;
    }
    ES__ASSERT_IS(f->content_ns, >=, last_ns);
    check_pair_of(f, loop->ticker.accumulator ? 2.5 : 0.001 + (double)(f->content_ns >> 51));
    ES__ASSERT(!follows || origin_of(f) == origin_of(before), "%lld ns off",
            (long long)(origin_of(f) - origin_of(before)));
    if (follows && last_ns != INT64_MIN) {
        check_account(f, before);
    }
    if (loop->hooks != NULL) {
        return;
    }
    ES__ASSERT_IS(f->newest_tick, ==, loop->ticker.index);
    ES__ASSERT_IS(f->ticks, ==, loop->ticker.ticks);
    ES__ASSERT_IS(f->ticks, <=, loop->ticker.ticks_max);
    ES__ASSERT(loop->step != ES_STEP_VARIABLE || f->ticks <= 1, "%d", f->ticks);
    ES__ASSERT(
            (f->ticks > 0) == (f->newest_ns > loop->before_ticks_ns) || loop->ticker.whole_ns == 0,
            "%d ticks", f->ticks);
    ES__ASSERT(f->gap.kind != ES_GAP_NONE || f->gap.removed_ns == 0, "%lld",
            (long long)f->gap.removed_ns);
    for (int32_t i = 0; i < f->ticks && i < 8; ++i) {
        es_step step = es_frame_step(f, f->ticks - 1 - i),
                older = es_frame_step(f, f->ticks - 2 - i);
        ES__ASSERT_IS(step.index, ==, f->newest_tick - i);
        ES__ASSERT(i > 0 || step.time_ns == f->newest_ns, "%lld", (long long)step.time_ns);
        ES__ASSERT(older.index == 0 || step.time_ns - step.dt_ns == older.time_ns, "%lld, %lld",
                (long long)step.dt_ns, (long long)older.time_ns);
        ES__ASSERT(step.dt_s > 0.0 && step.dt_ns >= 0, "%g", step.dt_s);
    }
}
#endif

/* Makes the plan final. Content that the ticks did not reach goes to the catch-up policy, or is
 * dropped where the program left ticks unrun. */
static void loop_settle(es_loop *loop, int64_t now_ns, bool left_unrun)
{
    es_plan plan;
    ES__ASSERT(loop->phase == ES_LOOP_TICKING, "phase %d", (int)loop->phase);
    ES__BEFORE(const es_frame before = loop->report.frame);
    ES__BEFORE(const bool follows = loop->content.started);
    if (!loop->pacer.started) {
        loop->removed_first_ns = loop->gap.removed_ns;
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
    es_work work = {work_so_far(loop, now_ns), work_at_floor(loop, loop->tick_cost_ns), false};
    int64_t before_ns = loop->pacer.last_start_ns;
    es__pacer_close(&loop->pacer, &work, &plan);
    loop->span_ns = es__ns_sub(plan.start_ns, before_ns);
    note_span(loop);
    if (loop->frame_follows) {
        es__display_close(&loop->display, plan.interval_ns, &loop->display_plan);
    }
    ES__BEFORE(const int64_t last_ns = loop->content.last_content_ns);
    int64_t content_ns = es__content_at(&loop->content, plan.present_ns);
    loop_fill_pair(loop, content_ns);
    int64_t placed_ns = es__ticker_placed_ns(&loop->ticker, content_ns);
    placed_ns = placed_ns < loop->content.last_content_ns ? content_ns : placed_ns;
    loop->report.frame.content_ns = placed_ns;
    int64_t newest_ns = loop->ticker.time_ns;
    loop->report.frame.ahead_ns = placed_ns > newest_ns ? placed_ns - newest_ns : 0;
    es__content_close(&loop->content, plan.present_ns, placed_ns, &loop->report.frame.account);
    loop->report.frame.account.debt_ns = loop->content.debt_ns;
    loop->match_rest = loop->match_rest_after;
    fill_frame(loop, &plan);
    ES__CHECK(es__check_frame(loop, &before, follows, last_ns));
    loop->phase = ES_LOOP_PLANNED;
}

/* --- waiting ---------------------------------------------------------------------------------- */

/* Waits; now_ns has just been read. Returns the time after it. */
static int64_t loop_wait_until(es_loop *loop, int64_t now_ns, int64_t until_ns)
{
    const es_clock *clock = &loop->clock;
    int tries = 0;
    for (int waits = 0; now_ns < until_ns && tries < WAIT_TRIES && waits < WAITS_MAX; ++waits) {
        int64_t before_ns = now_ns;
        int64_t deadline_ns = es__gap_filter_to_clock(&loop->gap, until_ns);
        clock->wait_until(clock->user, deadline_ns);
        take_reading(loop, clock->now_ns(clock->user), es__ns_sub(until_ns, now_ns));
        now_ns = loop->gap.time_ns;
        tries += now_ns == before_ns;
    }
    if (loop->gap.time_ns < until_ns) {
        int64_t removed_before_ns = loop->gap.removed_ns;
        es__gap_filter_force(&loop->gap, until_ns);
        report_gap_to_display(loop, ES_GAP_CLOCK_STILL, removed_before_ns);
    }
    ES__ASSERT_IS(loop->gap.time_ns, >=, until_ns);
    return loop->gap.time_ns;
}

int64_t es__wait_for(es_loop *loop, int64_t now_ns, int64_t until_ns)
{
    return now_ns < until_ns ? loop_wait_until(loop, now_ns, until_ns) : now_ns;
}

/* --- the calls of a frame --------------------------------------------------------------------- */

/* The ticks of a frame that is given up have run, so content goes on from there. */
static void give_up_frame(es_loop *loop)
{
    if (loop->phase == ES_LOOP_TICKING && loop->ticker.ticks > 0) {
        loop_settle(loop, es__read_work_clock(loop), true);
    }
}

/* A suspend that the clock did not count. */
static void find_suspend(es_loop *loop, const es_gap_evidence *evidence)
{
    int64_t gaps_ns = loop->gap.found.duration_ns;
    es__gap_filter_observe(&loop->gap, evidence);
    if (loop->gap.found.duration_ns != gaps_ns) {
        report_gap_to_display(loop, ES_GAP_SUSPENDED, loop->gap.removed_ns);
    }
}

/* The thread cannot have worked for longer than time passed: the clock stood still or went back. */
static bool clock_stood_still(const es_loop *loop, const es_gap_evidence *evidence)
{
    const es_gap_filter *gap = &loop->gap;
    int64_t worked_ns = es__ns_sub(evidence->thread_cpu_ns, gap->since.thread_cpu_ns);
    int64_t passed_ns = es__ns_sub(gap->time_ns, gap->since_ns);
    return evidence->has_thread_cpu && !loop->clock.thread_cpu_is_coarse
           && es__ns_sub(worked_ns, passed_ns) > CLOCKS_DIFFER_NS;
}

/* CPU time is a system call, two thirds of a frame's cost. Each frame's is needed where work must be
 * distinguished from waiting; else one that is old by a small part of a gap. */
static bool needs_cpu(const es_loop *loop)
{
    bool paces = loop->pacer.config.pace == ES_PACE_ADAPTIVE;
    if (loop->frame_follows) {
        paces = loop->display.mode == ES_DISPLAY_FREE || es__display_asks_wait(&loop->display);
    }
    int64_t age_ns = es__ns_sub(loop->gap.time_ns, loop->gap.since_ns);
    return (paces && !loop->host) || age_ns >= es__min(loop->gap_ns / 16, CPU_AGE_NS);
}

static void open_frame(es_loop *loop)
{
    ES__ASSERT(loop->gap.time_ns >= loop->gap.since_ns, "%lld", (long long)loop->gap.time_ns);
    loop->cpu_before_known = loop->cpu_known;
    loop->cpu_before_ns = loop->gap.since.thread_cpu_ns;
    loop->cpu_known = needs_cpu(loop);
    es_gap_evidence evidence = gather_evidence(loop, loop->cpu_known);
    if (loop->frame_follows && !loop->host && clock_stood_still(loop, &evidence)) {
        es__display_gap(&loop->display, 0, true);
    }
    if (loop->clock.suspended_ns != NULL) {
        find_suspend(loop, &evidence);
    } else {
        es__gap_remember(&loop->gap, &evidence);
    }
    es__ticker_open(&loop->ticker);
    loop->before_ticks_ns = loop->ticker.time_ns;
    loop->report.frame.begun_ns = loop->gap.clock_ns;
    loop->report.frame.visible = loop->visible;
    loop->stepped = false;
    loop->waits = loop->planned_first && loop->waited;
    loop->planned_first = false;
    loop->waited = false;
    loop->acquired = false;
    loop->phase = ES_LOOP_TICKING;
    es__apply_speed(loop);
}

static void start_filter(es_loop *loop, int64_t clock_ns)
{
    if (!loop->started) {
        es_gap_evidence evidence = gather_evidence(loop, true);
        es__gap_filter_init(&loop->gap, loop->gap_ns, clock_ns, &evidence);
        loop->started = true;
    }
}

/* Presents pace, or nothing does, but no frame comes before its slot. */
static bool is_capped(const es_loop *loop)
{
    return loop->config.interval_ns > 0 && loop->pacer.config.pace == ES_PACE_UNCAPPED;
}

/* Nothing paces the frames: they are hidden, or presents do not block. The latter is checked again
 * from time to time. Returns when the next frame begins. */
static int64_t unpaced_begin_ns(const es_loop *loop, int64_t now_ns)
{
    if (is_capped(loop)) {
        return es__max(es__cap_next_ns(&loop->cap, loop->config.interval_ns), now_ns);
    }
    bool hidden = !loop->visible && loop->pacer.config.pace == ES_PACE_UNCAPPED;
    bool waits = hidden || (loop->is_free && now_ns < loop->look_again_ns);
    return waits ? es__ns_add(loop->begin_ns, loop->free_interval_ns) : now_ns;
}

static void wait_for_interval(es_loop *loop)
{
    int64_t now_ns = loop->gap.time_ns;
    if (loop->is_free && now_ns >= loop->look_again_ns) {
        loop->is_free = false;
        es__free_restart(&loop->presents);
    }
    int64_t begin_ns = unpaced_begin_ns(loop, now_ns);
    es__wait_for(loop, now_ns, begin_ns);
    if (is_capped(loop)) {
        es__cap_begin(&loop->cap, loop->gap.time_ns, loop->config.interval_ns, begin_ns > now_ns);
    }
}

static void check_if_free(es_loop *loop, int64_t now_ns)
{
    bool blocked = (double)es__ns_sub(now_ns, loop->submitted_ns) > ES__TUNE(blocked_ns);
    es__free_note(&loop->presents, now_ns, blocked);
    if (!loop->is_free
            && es__free_is_proved(&loop->presents, es__rate_period_ns(loop->config.refresh))) {
        loop->is_free = true;
        loop->look_again_ns = es__ns_add(now_ns, (int64_t)ES__TUNE(look_again_ns));
    }
}

/* A timer keeps the refresh that is known, unless the program wants another interval. It is never slower
 * than its usual interval for a refresh that was only measured: slow work may have looked like one. */
static void set_timer_interval(es_loop *loop)
{
    int64_t interval_ns = es__display_interval_ns(&loop->display);
    interval_ns = loop->config.refresh.numerator > 0 ? interval_ns
                                                     : es__min(interval_ns, TIMER_INTERVAL_NS);
    bool paces = loop->frame_follows && loop->display.mode == ES_DISPLAY_FREE;
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

/* How many ticks the next frame has that count as drawing, if one refresh passes. */
static int32_t expected_ticks(const es_loop *loop)
{
    const es_content *content = &loop->content;
    int64_t passed_ns = (int64_t)(loop->display.hold * loop->display.refresh.period_ns);
    int64_t seen_ns = es__ns_add(content->last_content_ns, es__ns_scale(passed_ns, content->scale));
    int64_t missing_ns = es__ns_sub(seen_ns, es__ticker_covered_ns(&loop->ticker));
    bool counts = loop->planned_first && !loop->waited && loop->hooks == NULL && !content->paused;
    int64_t ticks =
            missing_ns > 0 ? (missing_ns - 1) / es__rate_period_ns(loop->ticker.rate) + 1 : 0;
    return counts && ticks < ES__TICKS_MAX ? (int32_t)ticks : 0;
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
    loop->host = false;
    start_filter(loop, clock_ns);
    take_reading(loop, clock_ns, 0);
    es__problem_begun(loop);
    es__apply_visible(loop);
    loop->frame_follows = loop->follows && loop->visible;
    if (loop->frame_follows) {
        int64_t now_ns = loop->gap.time_ns;
        es__wait_for(
                loop, now_ns, es__display_begin_ns(&loop->display, now_ns, expected_ticks(loop)));
    } else {
        wait_for_interval(loop);
    }
    loop->begin_ns = loop->gap.time_ns;
    es__problem_frame(loop, loop->begin_ns);
    open_frame(loop);
    set_timer_interval(loop);
    es__pacer_open(&loop->pacer, loop->gap.time_ns);
    if (loop->frame_follows) {
        es__display_open(&loop->display, loop->gap.time_ns);
    }
    loop->work_begin_ns = loop->gap.time_ns;
    return true;
}

bool es__loop_begin_host(es_loop *loop, int64_t start_ns, int64_t expected_present_ns)
{
    if (!es__is_initialised(loop)) {
        return false;
    }
    give_up_frame(loop);
    loop->host = true;
    start_filter(loop, start_ns);
    take_reading(loop, start_ns, 0);
    es__apply_visible(loop);
    loop->frame_follows = loop->follows;
    int64_t ahead_ns = es__ns_sub(expected_present_ns, start_ns);
    if (expected_present_ns == 0 || ahead_ns < 0 || ahead_ns > loop->gap_ns) {
        ahead_ns = 0;
    }
    int64_t time_ns = loop->gap.time_ns;
    if (loop->frame_follows && !es__display_call(&loop->display, es__ns_add(time_ns, ahead_ns))) {
        return false;
    }
    open_frame(loop);
    es__pacer_open_host(&loop->pacer, time_ns, es__ns_add(time_ns, ahead_ns));
    loop->work_begin_ns = es__read_work_clock(loop);
    return true;
}

/* Where ticks take longer than they simulate, more of them in one frame gain nothing. */
static bool ticks_took_too_long(const es_loop *loop, int64_t now_ns)
{
    return loop->ticker.ticks > 0 && loop->ticks_max_auto
           && es__ns_sub(now_ns, loop->work_begin_ns) > loop->ticks_time_ns;
}

static bool next_fixed(es_loop *loop, int64_t now_ns, es_step *step)
{
    if (loop->step == ES_STEP_LOCKSTEP && loop->ticker.ticks == 0) {
        es__align_lockstep(loop);
    }
    int64_t target_ns = es__target_now_ns(loop);
    if (loop->hooks == NULL) {
        target_ns = es__limit_debt(loop, target_ns);
    }
    if (loop->catch_up == ES_CATCH_UP_STRETCH
            && es__next_stretched(loop, now_ns, target_ns, step)) {
        return true;
    }
    return es__ticker_next(&loop->ticker, target_ns, step);
}

/* Where the step is on the clock. */
static void loop_place_step(const es_loop *loop, int64_t now_ns, es_step *step)
{
    const es_gap_filter *gap = &loop->gap;
    step->due_ns = due_of(loop, step->time_ns);
    step->begun_ns = loop->host ? gap->clock_ns : es__gap_filter_to_clock(gap, now_ns);
}

static bool next_tick(es_loop *loop, es_step *step)
{
    int64_t now_ns = replan(loop);
    es__apply_single_step(loop);
    bool more = false;
    if (loop->step == ES_STEP_VARIABLE) {
        more = es__next_variable(loop, step);
    } else if (!ticks_took_too_long(loop, now_ns)) {
        more = next_fixed(loop, now_ns, step);
    }
    if (more) {
        loop_place_step(loop, now_ns, step);
    } else {
        loop_settle(loop, now_ns, false);
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
    ES__ASSERT(loop->phase == ES_LOOP_PLANNED, "phase %d", (int)loop->phase);
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
        loop_settle(loop, replan(loop), true);
    }
    if (loop->phase != ES_LOOP_PLANNED) {
        return es__refuse_call(ES_ERR_STATE, "es_loop_wait");
    }
    int64_t late_ns = 0;
    if (loop->host) {
        loop->draw_begin_ns = es__read_work_clock(loop);
    } else {
        loop->draw_begin_ns = es__wait_for(loop, read_time(loop, 0), loop->pacer.start_ns);
        late_ns = es__not_negative(es__ns_sub(loop->draw_begin_ns, loop->pacer.start_ns));
    }
    loop->called_ns = loop->draw_begin_ns;
    loop->report.ready_ns = es__to_clock(loop, loop->draw_begin_ns);
    loop->report.frame.late_ns = late_ns;
    es__hand_out(loop, frame);
    return true;
}

/* The time for which this frame waited without CPU time, as when drawing waits for a buffer. Only
 * where presents do not wait. */
static int64_t waited_ns(const es_loop *loop, int64_t now_ns)
{
    int64_t drawn_ns = es__ns_sub(now_ns, loop->draw_begin_ns);
    if (!loop->cpu_known || loop->clock.thread_cpu_ns == NULL || loop->clock.thread_cpu_is_coarse
            || !es__display_asks_wait(&loop->display) || drawn_ns < CLOCKS_DIFFER_NS) {
        return 0;
    }
    int64_t cpu_ns = loop->clock.thread_cpu_ns(loop->clock.user);
    int64_t worked_ns = es__ns_sub(cpu_ns, loop->gap.since.thread_cpu_ns);
    int64_t drew_ns = es__ns_sub(worked_ns, loop->report.update_work_ns);
    int64_t idle_ns = es__ns_sub(drawn_ns, es__not_negative(drew_ns));
    return idle_ns > CLOCKS_DIFFER_NS ? idle_ns : 0;
}

bool es_loop_submit(es_loop *loop)
{
    if (loop == NULL || loop->phase != ES_LOOP_DRAWING) {
        return es__refuse_call(ES_ERR_STATE, "es_loop_submit");
    }
    int64_t now_ns = es__read_work_clock(loop);
    bool follows = loop->frame_follows && !loop->host;
    int64_t idle_ns = follows && !loop->acquired ? waited_ns(loop, now_ns) : 0;
    loop->draw_begin_ns = es__ns_add(loop->draw_begin_ns, idle_ns);
    loop->report.render_work_ns = es__not_negative(es__ns_sub(now_ns, loop->draw_begin_ns));
    const es_display_work work = es__note_work(loop);
    loop->drew_idle = 2 * idle_ns > es__ns_sub(now_ns, loop->begin_ns);
    if (idle_ns > 0) { /* ticks ran before the wait, drawing after it */
        es__display_acquired(&loop->display, es__ns_sub(now_ns, work.render_ns));
    }
    if (follows) {
        now_ns = es__wait_for(loop, now_ns, loop->display_plan.submit_ns);
    }
    ES__ASSERT(
            loop->host || (now_ns >= loop->draw_begin_ns && loop->draw_begin_ns >= loop->begin_ns),
            "%lld, %lld", (long long)now_ns, (long long)loop->draw_begin_ns);
    ES__ASSERT_IS(loop->report.render_work_ns, >=, 0);
    if (loop->frame_follows) {
        es__display_submitted(&loop->display, now_ns, &work);
    }
    loop->report.submit_ns = es__to_clock(loop, now_ns);
    loop->submitted_ns = now_ns;
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
    if (loop->frame_follows && !loop->host && !loop->display_lost) {
        es__display_returned(&loop->display, now_ns);
    } else if (loop->waits_if_free && !loop->host && loop->report.frame.visible) {
        check_if_free(loop, now_ns);
    }
    ES__ASSERT(loop->host || now_ns >= loop->submitted_ns, "%lld, %lld", (long long)now_ns,
            (long long)loop->submitted_ns);
    es__problem_returned(loop, now_ns, submitted);
    start_series_after_gap(loop);
    loop->phase = ES_LOOP_CLOSED;
    loop->ended = true;
    loop->ended_ns = loop->gap.time_ns;
    loop->last = loop->report;
    loop->last.shown_ns = es__to_clock(loop, now_ns);
    loop->last.source = loop->clock.now_ns != NULL ? ES_SHOWN_PRESENT_RETURN : ES_SHOWN_PLANNED;
    loop->last_valid = true;
    loop->report.frame.index = es__ns_add(loop->report.frame.index, 1);
    es__apply_speed(loop);
    return true;
}

void es_loop_presented(es_loop *loop, const es_present *sample)
{
    bool follows =
            es__is_initialised(loop) && loop->follows && !loop->host && loop->display.frames > 0;
    if (!follows || sample == NULL || !loop->last_valid || sample->discarded) {
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
    if (sample->variable) {
        es__display_varies(&loop->display);
    }
    int64_t since_ns = es__ns_sub(sample->shown_ns, loop->gap.clock_ns);
    int64_t shown_ns = es__ns_add(loop->gap.time_ns, since_ns);
    if (!sample->variable) {
        es__display_counted(&loop->display, age, shown_ns, sample->sequence);
    }
    es__display_shown(&loop->display, age, shown_ns);
}

es_display es_loop_display(const es_loop *loop)
{
    es_display none = {0};
    none.mode = ES_DISPLAY_FREE;
    if (!es__is_initialised(loop)) {
        return none;
    }
    if (!loop->follows) {
        int64_t interval_ns = es__max(loop->config.interval_ns, loop->pacer.interval_ns);
        none.frames_per_s = interval_ns > 0 ? (double)ES_NS_PER_S / (double)interval_ns : 0.0;
        if (loop->step == ES_STEP_LOCKSTEP && loop->lockstep_span_ns > 0.0) {
            none.speed_change = 1e9 * loop->ticker.period_s / loop->lockstep_span_ns - 1.0;
        }
        return none;
    }
    es_display status = es__display_get_status(&loop->display);
    status.speed_change = loop->speed_change;
    return status;
}

const es_report *es_loop_report(const es_loop *loop)
{
    return loop != NULL && loop->last_valid ? &loop->last : NULL;
}

int64_t es_loop_idle_ns(const es_loop *loop)
{
    if (!es__is_initialised(loop) || loop->host || !loop->started) {
        return 0;
    }
    int64_t clock_ns = loop->clock.now_ns(loop->clock.user);
    int64_t now_ns = es__ns_add(loop->gap.time_ns, es__ns_sub(clock_ns, loop->gap.clock_ns));
    int64_t until_ns = unpaced_begin_ns(loop, now_ns);
    bool is_timed = loop->pacer.config.pace != ES_PACE_UNCAPPED;
    if (loop->follows && loop->visible) {
        es__display display = loop->display; /* the question changes nothing */
        until_ns = es__display_begin_ns(&display, now_ns, expected_ticks(loop));
        is_timed = display.mode == ES_DISPLAY_FREE;
    }
    if (is_timed) {
        int64_t start_ns = es__ns_add(loop->pacer.last_start_ns, loop->pacer.interval_ns);
        until_ns = es__max(until_ns, start_ns);
    }
    return es__not_negative(es__ns_sub(until_ns, now_ns));
}
