/* SPDX-License-Identifier: Zlib
 *
 * The time of a loop: reading its clocks, gaps, CPU time, and waiting.
 */
#include "display/present_free.h"
#include "loop.h"

/* Waits that end early and leave the clock where it was, before it counts as standing still. */
#define WAIT_TRIES 4

/* Waits that end early while the clock moves. */
#define WAITS_MAX 100000

/* Two clocks are not read at the same moment. */
#define CLOCKS_DIFFER_NS (200 * ES_NS_PER_US)
/* No refresh can be counted over so long a gap. */
#define LEAP_NS    (3600 * ES_NS_PER_S)
#define CPU_AGE_NS (50 * ES_NS_PER_MS)

/* --- the clock -------------------------------------------------------------------------------- */

static es__gap_evidence gather_evidence(const es_loop *loop, bool with_cpu)
{
    return es__gap_gather(&loop->clock, with_cpu, loop->phase == ES_LOOP_SUBMITTED);
}

/* The display counts its refreshes without the time that the filter removed. After a fault of the
 * clock their phase is lost. */
static void report_gap_to_display(es_loop *loop, es_gap_kind kind, int64_t removed_before_ns)
{
    bool clock_wrong = kind == ES_GAP_CLOCK_BACK || kind == ES_GAP_CLOCK_JUMP
                       || kind == ES_GAP_CLOCK_STILL || kind == ES_GAP_SUSPENDED;
    if (loop->rules.uses_display && kind != ES_GAP_NONE) {
        int64_t removed_ns = es__ns_sub(loop->gap.removed_ns, removed_before_ns);
        es__display_gap(&loop->display, removed_ns, clock_wrong);
        bool leapt = removed_ns > LEAP_NS || removed_ns < -LEAP_NS;
        bool unseen = !loop->frame.host && !clock_wrong && loop->phase != ES_LOOP_DRAWING;
        loop->display_lost = loop->display_lost || unseen || leapt;
    }
}

/* A reading that the filter does not pass. */
static void judge_reading(es_loop *loop, int64_t clock_ns, int64_t expected_ns)
{
    es__gap_evidence evidence = gather_evidence(loop, true);
    int64_t before_ns = loop->gap.removed_ns;
    es_gap_kind kind = es__gap_filter_judge(&loop->gap, clock_ns, expected_ns, &evidence);
    if (kind != ES_GAP_NONE) {
        es__free_restart(&loop->presents.runs);
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
    if (!loop->frame.host) {
        take_reading(loop, loop->clock.now_ns(loop->clock.user), expected_ns);
    }
    return loop->gap.time_ns;
}

int64_t es__read_work_clock(es_loop *loop)
{
    if (!loop->frame.host) {
        return read_time(loop, 0);
    }
    return loop->clock.now_ns != NULL ? loop->clock.now_ns(loop->clock.user)
                                      : loop->gap.clock_ns; /* the host's start of the frame */
}

/* The frame begins one frame time after the one before. */
static void pass_idle_time(es_loop *loop, int64_t clock_ns)
{
    es__gap_evidence evidence = gather_evidence(loop, true);
    int64_t removed_before_ns = loop->gap.removed_ns;
    int64_t refresh_ns = loop->rules.uses_display ? es__display_interval_ns(&loop->display) : 0;
    int64_t interval_ns = refresh_ns > 0 ? refresh_ns : es__resync_interval_ns(loop);
    int64_t due_ns = es__ns_add(loop->frame.begin_ns, interval_ns);
    int64_t left_ns = es__not_negative(es__ns_sub(due_ns, loop->gap.time_ns));
    es__gap_filter_skip(&loop->gap, clock_ns, left_ns, &evidence);
    loop->requests.idle = false;
    if (loop->rules.uses_display) {
        int64_t removed_ns = es__ns_sub(loop->gap.removed_ns, removed_before_ns);
        es__display_idled(&loop->display, removed_ns, loop->gap.time_ns);
    }
}

void es__take_first_reading(es_loop *loop, int64_t clock_ns)
{
    if (!loop->started) {
        es__gap_evidence evidence = gather_evidence(loop, true);
        es__gap_filter_init(&loop->gap, loop->rules.gap_ns, clock_ns, &evidence);
        loop->started = true;
    }
    if (loop->requests.idle) {
        pass_idle_time(loop, clock_ns);
    } else {
        take_reading(loop, clock_ns, 0);
    }
}

/* --- other clocks ----------------------------------------------------------------------------- */

/* A suspend that the clock did not count. */
static void find_suspend(es_loop *loop, const es__gap_evidence *evidence)
{
    int64_t gaps_ns = loop->gap.found.duration_ns;
    es__gap_filter_observe(&loop->gap, evidence);
    if (loop->gap.found.duration_ns != gaps_ns) {
        report_gap_to_display(loop, ES_GAP_SUSPENDED, loop->gap.removed_ns);
    }
}

/* The thread cannot have worked for longer than time passed: the clock stood still or went back. */
static bool clock_stood_still(const es_loop *loop, const es__gap_evidence *evidence)
{
    const es__gap_filter *gap = &loop->gap;
    int64_t worked_ns = evidence->thread_cpu_ns - gap->since.thread_cpu_ns;
    int64_t passed_ns = gap->time_ns - gap->since_ns;
    return evidence->has_thread_cpu && !loop->clock.thread_cpu_is_coarse
           && worked_ns - passed_ns > CLOCKS_DIFFER_NS;
}

/* CPU time is a system call, two thirds of a frame's cost. Each frame's is needed where work must be
 * distinguished from waiting; else one that is old by a small part of a gap. */
static bool needs_cpu(const es_loop *loop)
{
    bool paces = loop->pacer.config.pace == ES_PACE_ADAPTIVE;
    if (loop->frame.uses_display) {
        paces = loop->display.mode == ES_DISPLAY_FREE || es__display_asks_wait(&loop->display);
    }
    int64_t age_ns = loop->gap.time_ns - loop->gap.since_ns;
    return (paces && !loop->frame.host) || age_ns >= es__min(loop->rules.gap_ns / 16, CPU_AGE_NS);
}

void es__read_other_clocks(es_loop *loop)
{
    loop->before.cpu_known = loop->frame.cpu_known;
    loop->before.cpu_ns = loop->gap.since.thread_cpu_ns;
    loop->frame.cpu_known = needs_cpu(loop);
    es__gap_evidence evidence = gather_evidence(loop, loop->frame.cpu_known);
    if (loop->frame.uses_display && !loop->frame.host && clock_stood_still(loop, &evidence)) {
        es__display_gap(&loop->display, 0, true);
    }
    if (loop->clock.suspended_ns != NULL) {
        find_suspend(loop, &evidence);
    } else {
        es__gap_remember(&loop->gap, &evidence);
    }
}

bool es__mostly_waited(const es_loop *loop, int64_t work_ns)
{
    if (!loop->before.cpu_known || loop->clock.thread_cpu_ns == NULL
            || loop->clock.thread_cpu_is_coarse) {
        return false;
    }
    int64_t cpu_ns = es__clamp_ns(loop->clock.thread_cpu_ns(loop->clock.user));
    return cpu_ns - loop->before.cpu_ns < work_ns / 2;
}

int64_t es__drawing_idle_ns(const es_loop *loop, int64_t now_ns)
{
    int64_t drawn_ns = now_ns - loop->frame.draw_begin_ns;
    if (!loop->frame.cpu_known || loop->clock.thread_cpu_ns == NULL
            || loop->clock.thread_cpu_is_coarse || !es__display_asks_wait(&loop->display)
            || drawn_ns < CLOCKS_DIFFER_NS) {
        return 0;
    }
    int64_t cpu_ns = es__clamp_ns(loop->clock.thread_cpu_ns(loop->clock.user));
    int64_t worked_ns = cpu_ns - loop->gap.since.thread_cpu_ns;
    int64_t idle_ns = drawn_ns - es__not_negative(worked_ns - loop->report.update_work_ns);
    return idle_ns > CLOCKS_DIFFER_NS ? idle_ns : 0;
}

/* --- waiting ---------------------------------------------------------------------------------- */

/* Waits; now_ns has just been read. Returns the time after it. */
static int64_t wait_until_reached(es_loop *loop, int64_t now_ns, int64_t until_ns)
{
    const es_clock *clock = &loop->clock;
    int tries = 0;
    for (int waits = 0; now_ns < until_ns && tries < WAIT_TRIES && waits < WAITS_MAX; ++waits) {
        int64_t before_ns = now_ns;
        int64_t deadline_ns = es__gap_filter_to_clock(&loop->gap, until_ns);
        clock->wait_until(clock->user, deadline_ns);
        take_reading(loop, clock->now_ns(clock->user), until_ns - now_ns);
        now_ns = loop->gap.time_ns;
        tries += now_ns == before_ns;
    }
    if (loop->gap.time_ns < until_ns) {
        int64_t removed_before_ns = loop->gap.removed_ns;
        if (es__gap_filter_force(&loop->gap, until_ns)) {
            report_gap_to_display(loop, ES_GAP_CLOCK_STILL, removed_before_ns);
        }
    }
    ES__ASSERT_IS(loop->gap.time_ns, >=, es__min(until_ns, ES__TIME_MAX));
    return loop->gap.time_ns;
}

int64_t es__wait_for(es_loop *loop, int64_t now_ns, int64_t until_ns)
{
    return now_ns < until_ns ? wait_until_reached(loop, now_ns, until_ns) : now_ns;
}

/* --- when a frame begins ---------------------------------------------------------------------- */

/* Presents pace, or nothing does, but no frame comes before its slot. */
bool es__is_capped(const es_loop *loop)
{
    return loop->config.interval_ns > 0 && loop->pacer.config.pace == ES_PACE_UNCAPPED;
}

/* Nothing paces the frames: they are hidden, or presents do not block. The latter is checked again
 * from time to time. Returns when the next frame begins. */
static int64_t unpaced_begin_ns(const es_loop *loop, int64_t now_ns)
{
    if (es__is_capped(loop)) {
        return es__max(es__cap_next_ns(&loop->cap, loop->config.interval_ns), now_ns);
    }
    bool hidden = !loop->frame.visible && loop->pacer.config.pace == ES_PACE_UNCAPPED;
    bool waits = hidden || (loop->presents.never_block && now_ns < loop->presents.look_again_ns);
    return waits ? loop->frame.begin_ns + loop->presents.interval_ns : now_ns;
}

static void wait_for_interval(es_loop *loop)
{
    int64_t now_ns = loop->gap.time_ns;
    if (loop->presents.never_block && now_ns >= loop->presents.look_again_ns) {
        loop->presents.never_block = false;
        es__free_restart(&loop->presents.runs);
    }
    int64_t begin_ns = unpaced_begin_ns(loop, now_ns);
    es__wait_for(loop, now_ns, begin_ns);
    if (es__is_capped(loop)) {
        es__cap_begin(&loop->cap, loop->gap.time_ns, loop->config.interval_ns, begin_ns > now_ns);
    }
}

/* How many ticks the next frame runs, if one refresh passes. */
static int32_t expected_ticks(const es_loop *loop)
{
    const es__content *content = &loop->content;
    int64_t passed_ns = (int64_t)(loop->display.hold * loop->display.refresh.period_ns);
    int64_t missing_ns = content->last_content_ns + es__ns_scale(passed_ns, content->scale)
                         - es__ticker_covered_ns(&loop->ticker);
    bool counts = loop->hooks == NULL && !content->paused;
    int64_t ticks =
            missing_ns > 0 ? (missing_ns - 1) / es__rate_period_ns(loop->ticker.rate) + 1 : 0;
    return counts && ticks < ES__TICKS_MAX ? (int32_t)ticks : 0;
}

/* Screen times may be false: no wait is longer than the frames of a cap or of a hold, and any queue. */
int64_t es__bounded_ns(const es_loop *loop, int64_t now_ns, int64_t until_ns)
{
    const es__display_config *config = &loop->display.config;
    int64_t most_ns = es__max(config->interval_ns, config->interval_max_ns);
    most_ns = es__ns_add(most_ns, (int64_t)ES__TUNE(pause_ns));
    return es__min(until_ns, es__ns_add(now_ns, most_ns));
}

void es__wait_to_begin(es_loop *loop)
{
    int64_t now_ns = loop->gap.time_ns;
    if (!loop->frame.uses_display) {
        wait_for_interval(loop);
        return;
    }
    const es__ratio *scale = &loop->content.scale;
    bool whole =
            loop->config.speed_change_max > 0.0 && !loop->content.paused && scale->numerator > 0;
    double tick_ns = loop->ticker.period_s * 1e9 * scale->denominator;
    es__display_shows_ticks(
            &loop->display, whole ? (int64_t)es__min_f64(tick_ns / scale->numerator, 9e18) : 0);
    int64_t begin_ns = es__display_begin_ns(&loop->display, now_ns, expected_ticks(loop));
    es__wait_for(loop, now_ns, es__bounded_ns(loop, now_ns, begin_ns));
}

void es__check_if_free(es_loop *loop, int64_t now_ns)
{
    bool blocked = (double)(now_ns - loop->frame.submitted_ns) > ES__TUNE(blocked_ns);
    es__free_note(&loop->presents.runs, now_ns, blocked);
    if (!loop->presents.never_block
            && es__free_is_proved(&loop->presents.runs, es__rate_period_ns(loop->config.refresh))) {
        loop->presents.never_block = true;
        loop->presents.look_again_ns = now_ns + (int64_t)ES__TUNE(look_again_ns);
    }
}

int64_t es_loop_idle_ns(const es_loop *loop)
{
    if (!es__is_initialised(loop) || loop->frame.host || !loop->started) {
        return 0;
    }
    int64_t clock_ns = loop->clock.now_ns(loop->clock.user);
    int64_t now_ns = loop->gap.time_ns + es__ns_between(loop->gap.clock_ns, clock_ns);
    int64_t until_ns = unpaced_begin_ns(loop, now_ns);
    bool is_timed = loop->pacer.config.pace != ES_PACE_UNCAPPED;
    if (loop->rules.uses_display && loop->frame.visible) {
        es__display display = loop->display; /* the question changes nothing */
        until_ns = es__display_begin_ns(&display, now_ns, expected_ticks(loop));
        until_ns = es__bounded_ns(loop, now_ns, until_ns);
        is_timed = display.mode == ES_DISPLAY_FREE;
    }
    if (is_timed) {
        int64_t start_ns = loop->pacer.last_start_ns + loop->pacer.interval_ns;
        until_ns = es__max(until_ns, start_ns);
    }
    return es__not_negative(until_ns - now_ns);
}
