/* SPDX-License-Identifier: Zlib
 *
 * The first form of a frame: es_loop_next makes the plan final before the ticks run, and the program
 * needs no other call. It asks the stepped form for all ticks at once. No time passes between them:
 * ticks are work of the frame, like drawing (work_cost.h).
 */
#include "base/common.h"
#include "display/present_free.h"
#include "loop.h"

static void end_last_frame(es_loop *loop)
{
    if (loop->phase == ES_LOOP_DRAWING || loop->phase == ES_LOOP_SUBMITTED) {
        es_loop_end(loop);
        loop->before.ended = false;
    }
}

#if ES__ASSERTS
/* Each tick of the frame follows the one before. */
static void check_steps(const es_frame *f)
{
    for (int32_t i = 1; i < f->ticks && i < 8; ++i) {
        es_step step = es_frame_step(f, f->ticks - i), older = es_frame_step(f, f->ticks - i - 1);
        ES__ASSERT_IS(step.index, ==, f->newest_tick - i + 1);
        ES__ASSERT_IS(step.time_ns - step.dt_ns, ==, older.time_ns);
        ES__ASSERT(step.dt_s > 0.0 && (i > 1 || step.time_ns == f->newest_ns), step.dt_s);
    }
}
#endif

/* Plans the frame that has been opened, and hands it out. */
static void plan_frame(es_loop *loop, es_frame *frame)
{
    es_step step;
    loop->frame.planned_first = true;
    if (loop->load.spiral.most > 0 && loop->hooks == NULL) {
        loop->ticker.ticks_most = loop->load.spiral.most;
    }
    loop->load.tick_cost_ns = es__work_cost_per_tick(
            loop->before.waited ? &loop->load.tick_works : &loop->load.works);
    while (es_loop_tick(loop, &step)) {
    }
    ES__ASSERT(loop->phase == ES_LOOP_PLANNED, loop->phase);
    ES__ASSERT(loop->load.spiral.most == 0 || loop->hooks != NULL
                       || loop->ticker.ticks <= loop->load.spiral.most,
            loop->ticker.ticks, loop->load.spiral.most);
    int64_t start_ns = loop->pacer.start_ns;
    int64_t late_ns = 0;
    if (loop->frame.host) {
        loop->frame.draw_begin_ns = es__read_work_clock(loop);
    } else {
        int64_t now_ns = loop->gap.time_ns;
        int64_t ticks_ns = es__planned_ticks_ns(loop);
        loop->frame.draw_begin_ns =
                es__start_is_timed(loop) ? es__wait_for(loop, now_ns, start_ns - ticks_ns) : now_ns;
        late_ns = es__not_negative(loop->frame.draw_begin_ns + ticks_ns - start_ns);
        loop->report.frame.begun_ns = loop->gap.clock_ns;
    }
    loop->frame.called_ns = loop->frame.draw_begin_ns;
    loop->report.ready_ns = es__to_clock(loop, loop->frame.draw_begin_ns);
    loop->report.update_work_ns = 0;
    loop->report.frame.late_ns = late_ns;
    es__hand_out(loop, frame);
    ES__CHECK(check_steps(&loop->report.frame));
}

bool es_loop_next(es_loop *loop, es_frame *frame)
{
    if (!es__is_initialised(loop) || frame == NULL) {
        return es__refuse_call(ES_ERR_INVALID, "es_loop_next");
    }
    if (loop->clock.now_ns == NULL || loop->clock.wait_until == NULL) {
        return es__refuse_call(ES_ERR_UNSUPPORTED, "es_loop_next");
    }
    end_last_frame(loop);
    es_loop_begin(loop);
    plan_frame(loop, frame);
    return true;
}

bool es_loop_idle(es_loop *loop)
{
    if (!es__is_initialised(loop) || loop->hooks != NULL || es__ticks_are_running(loop)) {
        return es__refuse_call(ES_ERR_STATE, "es_loop_idle");
    }
    end_last_frame(loop);
    if (!loop->frame.host && loop->started) {
        es__read_work_clock(loop);
    }
    loop->requests.idle = true;
    return true;
}

bool es_loop_next_at(es_loop *loop, int64_t host_ns, int64_t expected_present_ns, es_frame *frame)
{
    if (!es__is_initialised(loop) || frame == NULL) {
        return es__refuse_call(ES_ERR_INVALID, "es_loop_next_at");
    }
    if (host_ns == ES_UNKNOWN_NS && loop->clock.now_ns == NULL) {
        return es__refuse_call(ES_ERR_UNSUPPORTED, "es_loop_next_at");
    }
    end_last_frame(loop);
    if (host_ns == ES_UNKNOWN_NS) {
        host_ns = loop->clock.now_ns(loop->clock.user);
    }
    int64_t expected_ns = expected_present_ns == ES_UNKNOWN_NS ? 0 : expected_present_ns;
    if (es__loop_begin_host(loop, host_ns, expected_ns)) {
        plan_frame(loop, frame);
        return true;
    }
    const es_gap none = {ES_GAP_NONE, 0, 0};
    *frame = loop->last.frame;
    frame->surplus = true;
    frame->ticks = 0;
    frame->gap = none;
    return true;
}

/* The ticks of a frame are over: their cost is known by itself. */
static void mark_ticks(es_loop *loop, int64_t now_ns)
{
    int64_t ticks_ns = es__work_since(loop->frame.draw_begin_ns, now_ns);
    es__work_cost_note(&loop->load.tick_works, es__own_ticks(loop), ticks_ns, INT64_MAX);
    loop->report.update_work_ns = ticks_ns;
    loop->frame.waited = true;
}

bool es_loop_wait(es_loop *loop, es_frame *frame)
{
    if (!es__is_initialised(loop)) {
        return es__refuse_call(ES_ERR_INVALID, "es_loop_wait");
    }
    if (!loop->frame.planned_first) {
        return es__loop_ready(loop, frame);
    }
    if (loop->phase != ES_LOOP_DRAWING || loop->frame.waited) {
        return es__refuse_call(ES_ERR_STATE, "es_loop_wait");
    }
    int64_t now_ns = es__read_work_clock(loop);
    int64_t start_ns = loop->pacer.start_ns;
    mark_ticks(loop, now_ns);
    if (!loop->frame.host) {
        now_ns = es__start_is_timed(loop) ? es__wait_for(loop, now_ns, start_ns) : now_ns;
        loop->report.frame.late_ns = es__not_negative(now_ns - start_ns);
    }
    loop->frame.draw_begin_ns = now_ns;
    loop->frame.called_ns = now_ns;
    loop->report.ready_ns = es__to_clock(loop, now_ns);
    return true;
}

/* Whether ticks may have run since the last call. */
static bool mixes_ticks(const es_loop *loop)
{
    return loop->frame.planned_first && !loop->frame.waited && loop->report.frame.ticks > 0;
}

/* The time since the call before is no work. Waits shorter than a driver's call tell nothing of the
 * display. */
void es_loop_acquired(es_loop *loop)
{
    if (!es__is_initialised(loop) || loop->phase != ES_LOOP_DRAWING) {
        return;
    }
    loop->frame.acquire_ignored = mixes_ticks(loop);
    if (loop->frame.acquire_ignored) {
        return; /* es_loop_submit tells the wait by CPU time */
    }
    int64_t now_ns = es__read_work_clock(loop);
    int64_t waited_ns = es__work_since(loop->frame.called_ns, now_ns);
    loop->frame.draw_begin_ns = es__ns_add(loop->frame.draw_begin_ns, waited_ns);
    loop->frame.called_ns = now_ns;
    loop->frame.acquired = true;
    if (loop->frame.uses_display && !loop->frame.host && (double)waited_ns > ES__TUNE(blocked_ns)) {
        es__display_acquired(&loop->display, now_ns);
    }
}

/* --- the steps of a frame --------------------------------------------------------------------- */

static int64_t frame_tick_ns(const es__frame_steps *steps, int64_t index)
{
    int64_t events = es__ns_sub(index, steps->base_tick);
    return es__clamp_ns(es__ns_add(steps->base_ns, es__rate_span_ns(steps->rate, events)));
}

/* How long before the newest tick this one is due. At normal speed exact; else to 1 ns. */
static int64_t due_before_ns(const es__frame_steps *steps, int64_t before_ns)
{
    if (steps->speed == 1.0 || before_ns == 0) {
        return before_ns;
    }
    double real_ns = steps->speed > 0.0 ? (double)before_ns / steps->speed : 0.0;
    return real_ns < (double)(INT64_MAX / 2) ? (int64_t)real_ns : INT64_MAX / 2;
}

es_step es_frame_step(const es_frame *frame, int32_t i)
{
    es_step step = {0};
    if (frame == NULL || i < 0 || i >= frame->ticks) {
        return step;
    }
    es__frame_steps steps = es__frame_steps_of(frame);
    int32_t back = frame->ticks - 1 - i;
    step.index = frame->newest_tick - back;
    if (steps.step_ns > 0) {
        step.dt_ns = steps.step_ns;
        step.time_ns = es__ns_sub(frame->newest_ns, back * steps.step_ns);
    } else {
        step.time_ns = frame_tick_ns(&steps, step.index);
        step.dt_ns = step.time_ns - frame_tick_ns(&steps, step.index - 1);
    }
    step.dt_s = frame->tick_s;
    step.in_frame = i;
    step.due_ns = es__ns_sub(
            steps.due_ns, due_before_ns(&steps, es__ns_sub(frame->newest_ns, step.time_ns)));
    step.begun_ns = frame->begun_ns;
    return step;
}
