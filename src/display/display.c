/* SPDX-License-Identifier: Zlib
 *
 * The plan of a frame. One source tells D: the refresh estimate, a timer, or the begin of the frame.
 * predict.h tells by how much content moves. What is then between content and D is an offset of two
 * parts. The first is recovered, as after a missed refresh (offset_ns). The second is lasting, as
 * after a change of the source (reanchored_ns).
 */
#include "display.h"

#include "base/common.h"
#include "constants.h"
#include "even.h"
#include "flips.h"
#include "hold.h"
#include "lead.h"
#include "predict.h"
#include "present_free.h"
#include "refresh.h"
#include "target.h"
#include "variable.h"

#define INTERVAL_MAX_NS (50 * ES_NS_PER_MS)
#define INTERVAL_NS     (ES_NS_PER_S / 60)

static es__display_config resolved_display(const es__display_config *config)
{
    es__display_config full = *config;
    full.interval_max_ns = full.interval_max_ns > 0 ? full.interval_max_ns : INTERVAL_MAX_NS;
    full.missed_max = full.missed_max > 0.0 ? full.missed_max : 0.002;
    return full;
}

void es__display_init(es__display *display, const es__display_config *config)
{
    es__display fresh = {0};
    fresh.config = resolved_display(config);
    fresh.feedback_frame = -1;
    fresh.hold = 1;
    fresh.shorter_after = 1;
    fresh.longer_after = 1;
    es__refresh_init(&fresh.refresh, config->refresh_ns);
    *display = fresh;
    es__target_reset(display);
}

void es__display_restart(es__display *display, const es__display_config *config)
{
    const es_targets targets = display->targets;
    es__display_init(display, config);
    display->targets = targets;
}

void es__display_reconfigure(es__display *display, const es__display_config *config)
{
    if (config->refresh_ns != display->config.refresh_ns) {
        es__refresh_announce(&display->refresh, config->refresh_ns);
        es__free_restart(&display->free); /* presents that were free for it may wait now */
        display->mode = display->mode == ES_DISPLAY_FREE ? ES_DISPLAY_UNKNOWN : display->mode;
    }
    if (config->interval_ns != display->config.interval_ns) {
        display->hold = 1;
    }
    display->config = resolved_display(config);
}

/* --- the first frames ------------------------------------------------------------------------- */

/* Before any frame time is known: the announced refresh, else one tick, else 1/60 s. */
static int64_t first_interval_ns(const es__display *display)
{
    if (display->config.refresh_ns > 0) {
        return display->config.refresh_ns;
    }
    return display->config.tick_ns > 0 ? display->config.tick_ns : INTERVAL_NS;
}

/* --- the plan --------------------------------------------------------------------------------- */

/* Under a cap no present waits: there feedback alone tells. */
static bool is_certain(const es__display *display)
{
    bool waits_end_there = display->waits_line == display->refresh.lines
                           && (double)display->waits >= ES__TUNE(readings_known);
    waits_end_there = waits_end_there || (display->feedback && display->refresh.capped);
    return display->frames > 0 && waits_end_there
           && es__refresh_is_certain(&display->refresh, display->begin_ns);
}

/* Not so in doubt: a present returned before its flip, or two later than explained. */
static bool is_explained(const es__display *display)
{
    return is_certain(display) && !display->doubted;
}

/* As the newest feedback says. */
static bool is_variable(const es__display *display)
{
    return display->varies && display->frames - display->feedback_frame <= ES_DISPLAY_FRAMES;
}

/* What drawing is expected to cost, in the first form with so many ticks. */
static int64_t render_ns_of(const es__display *display, int32_t ticks)
{
    /* longer ones come late: time that has not passed is no reason to drop any */
    int64_t most_ns = es__to_ns(ES__TUNE(work_most_ns));
    return es__min(es__work_cost_of(&display->renders, ticks), most_ns);
}

static bool display_starts(const es__display *display)
{
    return display->frames - display->starts_at < ES_DISPLAY_DISTANCES;
}

/* The program does not blend, and the refresh is variable and no longer than a tick. */
static bool is_paced_by_ticks(const es__display *display)
{
    int64_t tick_ns = display->whole_tick_ns;
    return tick_ns > 0 && is_variable(display) && (double)tick_ns >= display->refresh.known_ns;
}

/* The longest refresh of most variable displays: 48 Hz. Then they repeat: frames come earlier. */
#define LONGEST_REFRESH_NS (ES_NS_PER_S / 48)

/* The cap. Where ticks pace: frames are as far apart as ticks, or a whole part or multiple of that. */
static int64_t cap_ns(const es__display *display)
{
    int64_t interval_ns = display->config.interval_ns, tick_ns = display->whole_tick_ns;
    if (!is_paced_by_ticks(display)) {
        return interval_ns;
    }
    int64_t parts = tick_ns / LONGEST_REFRESH_NS + 1;
    if (display->refresh.known_ns > 0.0) { /* no part is shorter than the shortest refresh */
        parts = es__min(parts, (int64_t)((double)tick_ns / display->refresh.known_ns));
    }
    int64_t part_ns = tick_ns / parts;
    ES__ASSERT((double)(part_ns + 1) >= display->refresh.known_ns, part_ns, parts);
    return part_ns * es__max((interval_ns + part_ns - 1) / part_ns, 1);
}

/* From slot to slot of a cap. Where refreshes are known: of whole ones, a little less. Where a swap interval is
 * kept: that. */
static int64_t slot_interval_ns(const es__display *display, bool known)
{
    if (!known && display->targets.refreshes) {
        double counted_ns = es__swap_interval(display) * display->refresh.known_ns;
        return es__max(cap_ns(display), es__to_ns(counted_ns));
    }
    double whole_ns = es__wanted_hold(display) * display->refresh.period_ns * 0.9995;
    int64_t interval_ns = cap_ns(display);
    return known ? es__min(interval_ns, es__to_ns(whole_ns)) : interval_ns;
}

/* If the refresh is variable, the first frame flips at once, and the line begins there. */
static void vote_at_start(es__display *display)
{
    int64_t first = display->frames - 1;
    if (first < ES_DISPLAY_FRAMES) {
        es__variable_shown(display, first, es__frame(display, first)->submit_ns);
        es__refresh_vote(
                &display->refresh, display->refresh.read_ns, display->variable.flip_ns, 0.0);
    }
}

int64_t es__display_begin_ns(es__display *display, int64_t now_ns, int32_t ticks)
{
    if (display->mode == ES_DISPLAY_FREE && now_ns >= display->look_again_ns) {
        display->mode = ES_DISPLAY_UNKNOWN;
        es__free_restart(&display->free);
    }
    if (display->mode != ES_DISPLAY_HOST && display->lines != display->refresh.lines
            && display->refresh.certain) {
        es__flips_restart(display);
        vote_at_start(display);
        display->source = ES_FORECAST_NONE;
        es__predict_restart(&display->predict);
    }
    bool known =
            display->mode == ES_DISPLAY_BLOCKS && is_explained(display) && !display_starts(display);
    known = known && (cap_ns(display) == 0 || !display->refresh.multiple);
    int64_t begin_ns = known ? es__hold_begin_ns(display, now_ns, ticks) : now_ns;
    if (begin_ns > now_ns) {
        es__target_waited(display, now_ns, begin_ns, true);
    }
    /* caps near or above the refresh rate bind where presents do not wait after all: a mailbox */
    bool above = cap_ns(display) > 0 && (double)cap_ns(display) <= display->refresh.period_ns;
    bool never_waits =
            cap_ns(display) > 0 && display->unblocked > ES_DISPLAY_QUEUES + display->hold;
    bool paced = known && (es__wanted_hold(display) > 1 || above || never_waits);
    if (display->cap_known && !known) {
        display->cap.slot_ns = display->begin_ns; /* refreshes moved the slots */
    }
    if (paced || (!known && cap_ns(display) > 0 && display->mode != ES_DISPLAY_FREE)) {
        int64_t slot_ns = es__cap_next_ns(&display->cap, slot_interval_ns(display, paced));
        begin_ns = es__max(begin_ns, slot_ns);
    }
    display->due_ns = begin_ns;
    display->cap_waited = begin_ns > now_ns;
    display->cap_known = known;
    return begin_ns;
}

/* Do waits end at refreshes? Feedback finds refreshes that no present waits for, too: a mailbox has
 * them, and there frames are replaced. While each refresh shows the next frame, waits may end
 * late. Without feedback the waits are the readings. */
static void count_wait(es__display *display, int64_t refresh, int64_t end_ns)
{
    int32_t most = (int32_t)ES__TUNE(readings);
    if (display->waits_line != display->refresh.lines) {
        display->waits_line = display->refresh.lines;
        display->waits = 0;
    }
    int64_t late_ns = es__ns_sub(end_ns, es__refresh_time_ns(&display->refresh, refresh));
    double most_ns = display->refresh.late_share * display->refresh.period_ns;
    bool there = es__flips_are_reported(display) || (double)late_ns < most_ns;
    int32_t waits = display->waits + (there ? 1 : -1);
    display->waits = !display->feedback ? most : waits < 0 ? 0 : waits > most ? most : waits;
}

/* A call whose slot of a cap has not come: by refreshes if they are certain, else by the nearest call. */
static bool is_surplus(es__display *display, int64_t at_ns)
{
    int64_t interval_ns = cap_ns(display);
    bool skips = interval_ns > 0 && es__cap_skips(&display->cap, at_ns, interval_ns);
    if (interval_ns == 0 || !display->started || at_ns < display->begin_ns) {
        return false;
    }
    bool counted = is_certain(display) && display->lines == display->refresh.lines;
    return counted ? display->refresh.read_index - display->call_index < es__wanted_hold(display)
                   : skips;
}

/* The time of the refresh that the host calls for, where it is known. */
static int64_t call_ns(const es__display *display, int64_t at_ns)
{
    return is_certain(display) ? es__refresh_time_ns(&display->refresh, display->refresh.read_index)
                               : at_ns;
}

/* When the frame before flips, or a constant earlier: now, as the GPU may have been slow. But if late calls are
 * rare, the thread was. */
static int64_t host_seen_ns(es__display *display, int64_t at_ns)
{
    int64_t now_ns = call_ns(display, at_ns);
    int64_t due_ns = es__refresh_time_ns(&display->refresh, display->due_index);
    bool known = is_certain(display) && display->lines == display->refresh.lines;
    bool late = known && (double)es__ns_sub(now_ns, due_ns) > display->refresh.period_ns / 2.0;
    display->late_calls += ((late ? 1.0 : 0.0) - display->late_calls) / ES__TUNE(error_frames);
    return late && display->late_calls < ES__TUNE(hidden_gain) ? due_ns : now_ns;
}

bool es__display_call(es__display *display, int64_t at_ns)
{
    display->mode = ES_DISPLAY_HOST;
    display->refresh.hosted = true;
    es__refresh_read(&display->refresh, at_ns, display->frames, false);
    count_wait(display, display->refresh.read_index, at_ns);
    es__predict_seen(&display->predict, 0, host_seen_ns(display, at_ns), ES_SEEN_BY_REFRESH);
    bool surplus = is_surplus(display, at_ns);
    display->frames += 1;
    if (surplus) { /* no frame */
        display->starts_at += 1;
        return false;
    }
    display->cap_waited = true;
    display->cap_known = is_certain(display);
    if (display->refresh.certain) {
        display->call_index = display->refresh.read_index;
        if (display->lines != display->refresh.lines) {
            display->lines = display->refresh.lines;
            display->source = ES_FORECAST_NONE;
        }
    }
    es__display_open(display, at_ns);
    return true;
}

void es__display_open(es__display *display, int64_t now_ns)
{
    int64_t begin_ns = display->mode == ES_DISPLAY_HOST ? call_ns(display, now_ns) : now_ns;
    es__predict_begin(&display->predict, begin_ns, (double)first_interval_ns(display),
            display->refresh.known_ns);
    display->begin_ns = now_ns;
    display->start_ns = now_ns;
    if (cap_ns(display) == 0) {
        display->cap = (es__cap){.call_ns = display->cap.call_ns};
    } else {
        int64_t slot_ns = slot_interval_ns(display, display->cap_known);
        es__cap_begin(&display->cap, now_ns, slot_ns, display->cap_waited);
        display->cap.keeps = display->cap.keeps && !display->cap_known;
    }
    int64_t late_ns = es__max(es__ns_sub(now_ns, display->cap.slot_ns), 0);
    late_ns = display->cap.keeps ? late_ns : 0;
    display->cap_late_ns -= display->cap_late_ns / ES_WORK_FRAMES;
    display->cap_late_ns = es__max(display->cap_late_ns, es__min(late_ns, cap_ns(display) / 4));
    bool even = display->cap.keeps || (display->cap_known && es__wanted_hold(display) > 1);
    display->refresh.capped = even && display->mode != ES_DISPLAY_HOST;
    display->plan.motion_ns = display->motion_ns;
}

/* The longest of the newest costs, at most one interval: a frame that a timer paces is presented so
 * long after its start, and so at even times. */
static int64_t longest_render_ns(const es__display *display)
{
    int64_t interval_ns = es__display_interval_ns(display);
    int64_t limit_ns =
            interval_ns > 0 ? interval_ns : es__to_ns(es__predict_mean_ns(&display->predict));
    return es__min(es__work_cost_longest(&display->renders), limit_ns);
}

/* When a frame begins that a cap paces. A late one belongs to its slot; on a variable refresh it is seen
 * late, too. */
static int64_t cap_begin_ns(const es__display *display)
{
    bool late = display->varies && !is_paced_by_ticks(display);
    return late ? display->begin_ns : display->cap.slot_ns;
}

/* When the next frame should be presented on a variable refresh; INT64_MIN: at once. */
static int64_t even_submit_ns(const es__display *display)
{
    int64_t before_ns = es__frame(display, 0)->submit_ns;
    int64_t interval_ns = display->even.interval_ns;
    return interval_ns > 0 ? es__ns_add(before_ns, interval_ns) : INT64_MIN;
}

/* The same, or the target. */
static int64_t variable_submit_ns(
        const es__display *display, es__display_forecast *out, int64_t ready_ns)
{
    out->ready_ns = ready_ns;
    if (!es__target_is_on(display)) {
        return even_submit_ns(display);
    }
    int64_t target_ns = es__ns_add(ready_ns, es__target_slack_ns(display));
    out->target_ns = es__variable_flip_ns(display, display->variable.flip_ns, target_ns);
    return out->target_ns;
}

/* D and the advance of content, as a source tells them. */
static es__display_forecast forecast_by(
        const es__display *display, es__forecast_source source, int64_t start_ns)
{
    es__display_forecast out = {.source = source, .present_ns = start_ns};
    if (source == ES_FORECAST_TIMER && display->mode != ES_DISPLAY_FREE) {
        int64_t begin_ns = cap_begin_ns(display);
        int64_t work_ns = es__ns_add(
                es__ns_sub(start_ns, display->begin_ns), render_ns_of(display, display->ticks));
        if (is_paced_by_ticks(display)) {
            int64_t most_ns = es__work_cost_longest(&display->renders);
            work_ns = es__min(es__ns_add(most_ns, display->cap_late_ns), cap_ns(display));
        }
        out.present_ns = es__ns_add(begin_ns, work_ns);
        out.advance_ns = es__ns_sub(begin_ns, display->last_start_ns);
    } else if (source == ES_FORECAST_TIMER) {
        out.present_ns = es__ns_add(start_ns, longest_render_ns(display));
        out.advance_ns = es__ns_sub(start_ns, display->last_start_ns);
    } else if (source == ES_FORECAST_VARIABLE) {
        int64_t ready_ns = es__ns_add(start_ns, render_ns_of(display, display->ticks));
        ready_ns = es__variable_ready_ns(display, ready_ns);
        int64_t flip_ns = es__max(variable_submit_ns(display, &out, ready_ns), ready_ns);
        out.present_ns = es__variable_flip_ns(display, display->variable.flip_ns, flip_ns);
        out.advance_ns = es__ns_sub(out.present_ns, display->variable.flip_ns);
    } else if (display->mode == ES_DISPLAY_HOST && source == ES_FORECAST_REFRESH) {
        int64_t ready_ns = es__ns_add(display->begin_ns, render_ns_of(display, display->ticks));
        ready_ns = es__ns_add(ready_ns, display->update_ns);
        int64_t passed = es__refresh_before(&display->refresh, ready_ns);
        out.index = es__max(passed, display->call_index);
        out.present_ns = es__refresh_time_ns(&display->refresh, out.index);
    } else if (source == ES_FORECAST_REFRESH) {
        int64_t room_ns = display->acquires ? es__flips_room_ns(display) : start_ns;
        int64_t ready_ns =
                es__ns_add(es__max(start_ns, room_ns), render_ns_of(display, display->ticks));
        int64_t before = es__flips_index(display, 0);
        out.ready_ns = ready_ns;
        out.index = es__max(es__flips_expect(display, ready_ns), before + display->hold);
        if (es__target_is_on(display)) {
            int64_t slack_ns = display->config.low_latency ? 0 : es__target_slack_ns(display);
            /* the earliest, if a GPU takes no time */
            int64_t index = es__refresh_after(&display->refresh, es__ns_add(ready_ns, slack_ns));
            index = es__max(index, before + display->hold);
            out.target_ns = es__refresh_time_ns(&display->refresh, index);
            out.index = es__max(out.index, index);
        }
        out.present_ns = es__refresh_time_ns(&display->refresh, out.index);
        int64_t before_ns = es__refresh_time_ns(&display->refresh, before);
        out.advance_ns = es__ns_sub(out.present_ns, before_ns);
    }
    return out;
}

static es__forecast_source source_now(const es__display *display)
{
    if (display->mode == ES_DISPLAY_FREE) {
        return ES_FORECAST_TIMER;
    }
    if (is_variable(display) && display->mode != ES_DISPLAY_HOST && !display->cap.keeps) {
        return ES_FORECAST_VARIABLE;
    }
    if (is_explained(display)) {
        return ES_FORECAST_REFRESH;
    }
    bool timed = display->cap.keeps && display->mode != ES_DISPLAY_HOST;
    return timed ? ES_FORECAST_TIMER : ES_FORECAST_SMOOTHED;
}

/* Whether content may follow D. A host calls late if work takes long: frame times tell that as soon as
 * a plan does, and they tell of the GPU's work, too. */
static bool is_planned(const es__display *display)
{
    return display->forecast.source != ES_FORECAST_SMOOTHED && display->mode != ES_DISPLAY_HOST;
}

/* How far content is behind D: what it will recover, and the rest, which is lasting. */
static void plan_offset(es__display *display)
{
    es__display_plan *plan = &display->plan;
    const es__display_forecast *to = &display->forecast;
    int64_t moved_ns = es__ns_sub(plan->motion_ns, display->motion_ns);
    bool starts = !display->started || display_starts(display);
    bool planned = is_planned(display);
    plan->offset_ns = starts ? 0 : es__predict_offset_ns(&display->predict, moved_ns, planned);
    int64_t behind_ns = es__ns_sub(to->present_ns, plan->motion_ns);
    behind_ns = es__ns_sub(behind_ns, display->removed_ns);
    plan->reanchored_ns = es__ns_sub(behind_ns, plan->offset_ns);
}

/* Frames do not wait, and the refresh may be variable: then they flip elsewhere than its line says. */
static bool is_loose(const es__display *display)
{
    return display->mode == ES_DISPLAY_BLOCKS && display->unblocked > 1 && !display->acquires
           && !display->feedback && display->refresh.fixed <= 0.0 && display->free_is_off;
}

/* From the planned screen time of the frame before. Without one, as much as frame times say: content stays as far from
 * their sum as it is. */
static int64_t planned_advance_ns(const es__display *display)
{
    const es__display_forecast *to = &display->forecast;
    int64_t before_ns = display->planned_ns;
    if (display->source == ES_FORECAST_NONE || display->source == ES_FORECAST_SMOOTHED) {
        return es__to_ns(display->predict.by[ES_PREDICT_LAST].advance_ns);
    }
    if (to->source == ES_FORECAST_REFRESH && display->source == ES_FORECAST_REFRESH) {
        before_ns = es__refresh_time_ns(&display->refresh, display->planned_index);
    }
    return es__ns_sub(to->present_ns, before_ns);
}

static void plan_advance(es__display *display)
{
    es__display_forecast *to = &display->forecast;
    bool planned = is_planned(display);
    if (planned) {
        bool same = to->source == display->source && to->source != ES_FORECAST_TIMER;
        int64_t planned_ns = planned_advance_ns(display);
        int64_t exact_ns = same ? planned_ns : to->advance_ns;
        es__predict_plan(&display->predict, planned_ns, exact_ns, to->advance_ns);
    }
    bool loose = to->source == ES_FORECAST_REFRESH && is_loose(display);
    es__predict_allow(&display->predict, planned && !loose);
    to->advance_ns = es__predict_advance_ns(&display->predict);
}

int64_t es__display_expect(es__display *display, int64_t start_ns, int32_t ticks)
{
    display->start_ns = es__max(display->start_ns, start_ns);
    display->ticks = ticks;
    display->forecast = forecast_by(display, source_now(display), display->start_ns);
    int64_t motion_ns = display->forecast.present_ns;
    display->predict.updated_ns = (double)es__ns_sub(display->start_ns, display->begin_ns);
    if (display->started) {
        plan_advance(display);
        display->plan.slewed_ns = es__predict_slew_ns(&display->predict);
        motion_ns = es__ns_add(display->motion_ns, display->forecast.advance_ns);
        motion_ns = es__ns_add(motion_ns, display->plan.slewed_ns);
        motion_ns = es__max(display->plan.motion_ns, motion_ns);
    }
    display->plan.motion_ns = motion_ns;
    plan_offset(display);
    return display->plan.motion_ns;
}

void es__display_move(es__display *display, int64_t by_ns)
{
    es__predict_move(&display->predict, by_ns);
}

/* The target, if it is not too far ahead for the platform. */
static int64_t reachable_ns(const es__display *display, const es__display_forecast *to)
{
    int64_t ahead_ns = es__ns_sub(to->target_ns, to->ready_ns);
    int64_t most_ns = display->targets.ahead_ns;
    return most_ns == 0 || ahead_ns <= most_ns ? to->target_ns : 0;
}

/* A frame that is ready is not presented before this. A platform that keeps targets waits by itself. */
static int64_t planned_submit_ns(const es__display *display, bool slotted)
{
    const es__display_forecast *to = &display->forecast;
    if (display->plan.target_ns != 0) {
        return INT64_MIN;
    }
    switch (to->source) {
    case ES_FORECAST_TIMER:
        return slotted && !is_paced_by_ticks(display) ? INT64_MIN : to->present_ns;
    case ES_FORECAST_VARIABLE:
        return even_submit_ns(display);
    case ES_FORECAST_REFRESH:
        return es__hold_submit_ns(display, to->index);
    default:
        return INT64_MIN;
    }
}

void es__display_close(es__display *display, int64_t interval_ns, es__display_plan *plan)
{
    const es__display_forecast *to = &display->forecast;
    bool slotted = to->source == ES_FORECAST_TIMER && display->mode != ES_DISPLAY_FREE;
    int64_t moved_ns = es__ns_sub(display->plan.motion_ns, display->motion_ns);
    bool starts = !display->started || display_starts(display);
    es__predict_close(&display->predict, moved_ns, starts);
    display->plan.present_ns = to->present_ns;
    display->plan.interval_ns = interval_ns;
    display->plan.target_ns = reachable_ns(display, to);
    display->plan.submit_ns = planned_submit_ns(display, slotted);
    es__target_planned(display, to->ready_ns, display->plan.target_ns);
    display->planned_ns = to->present_ns;
    display->plan.removed_ns = display->removed_ns;
    if (to->source == ES_FORECAST_REFRESH) {
        display->plan.interval_ns = es__to_ns(display->hold * display->refresh.period_ns);
        display->planned_index = to->index;
    }
    display->motion_ns = display->plan.motion_ns;
    display->last_start_ns = slotted ? cap_begin_ns(display) : display->start_ns;
    if (display->mode == ES_DISPLAY_FREE && cap_ns(display) > 0) {
        display->cap = (es__cap){true, true, display->start_ns, 0};
    }
    display->source = to->source;
    display->plan.target_refreshes = es__swap_interval(display);
    display->started = true;
    *plan = display->plan;
}

/* --- what came of it -------------------------------------------------------------------------- */

/* What the interval of a frame on a variable refresh would be, if it were not held. A frame that is ready
 * before the flip of the one before is not what frames wait for. */
static void note_unheld(es__display *display, int64_t now_ns, const es__display_work *work)
{
    int64_t work_ns = es__ns_add(work->update_ns, work->render_ns);
    int64_t ready_ns = es__ns_add(display->begin_ns, work_ns);
    int64_t flip_ns = display->variable.flip_ns;
    bool waited = display->unblocked == 0 || display->frames == 0;
    int64_t from_ns = waited ? flip_ns : es__frame(display, 0)->submit_ns;
    int64_t even_ns = display->plan.submit_ns;
    if (display->source == ES_FORECAST_VARIABLE && ready_ns < even_ns) {
        es__even_waited(&display->even, es__max(es__ns_sub(now_ns, even_ns), 0));
    }
    if (is_variable(display) && display->plan.target_ns == 0) {
        es__even_note(&display->even, ready_ns > flip_ns ? es__ns_sub(ready_ns, from_ns) : 0,
                es__to_ns(display->refresh.known_ns));
    }
}

void es__display_submitted(es__display *display, int64_t now_ns, const es__display_work *work)
{
    /* costs that differ by more than half an interval are different loads */
    int64_t apart_ns = es__to_ns(ES__TUNE(similar) * es__predict_mean_ns(&display->predict));
    es__work_cost_note(&display->renders, work->ticks, work->render_ns, apart_ns);
    display->update_ns = display->update_ns / 2 + work->update_ns / 2;
    if (display->mode == ES_DISPLAY_HOST) {
        int64_t work_ns = es__ns_add(work->update_ns, work->render_ns);
        int64_t ready_ns = es__ns_add(display->begin_ns, work_ns);
        int64_t passed = es__refresh_before(&display->refresh, ready_ns);
        display->due_index = es__max(passed, display->call_index) + 1;
        return; /* its clock may be another one */
    }
    note_unheld(display, now_ns, work);
    es__flips_add(display, now_ns);
    es__variable_submitted(display);
    es__target_submitted(display, now_ns);
    if (display->source == ES_FORECAST_REFRESH) {
        int64_t index = es__flips_index(display, 0);
        int64_t taken = index - es__flips_index(display, 1);
        display->missed += es__max(index - display->planned_index, 0);
        if (display->lines == display->refresh.lines && taken > 0) {
            es__hold_note(display, work, taken);
            es__lead_submitted(display, work, index > display->planned_index);
        }
    }
}

/* A wait for a refresh has ended. frame: its number, from 1. */
static void note_wait(es__display *display, int64_t end_ns, int64_t frame)
{
    display->feedback =
            display->feedback && display->frames - display->feedback_frame < ES_DISPLAY_FRAMES;
    display->refresh.multiple = display->refresh.multiple && display->feedback;
    if (display->mode == ES_DISPLAY_FREE || is_variable(display)) {
        return;
    }
    int64_t refresh = 0;
    if (display->feedback && display->refresh.certain) {
        int64_t early_ns = es__to_ns(ES__TUNE(arc) * display->refresh.period_ns);
        refresh = es__refresh_before(&display->refresh, es__ns_add(end_ns, early_ns));
    } else if (!display->feedback) {
        es__refresh_read(&display->refresh, end_ns, frame, false);
        refresh = display->refresh.read_index;
    }
    if (display->refresh.certain) {
        count_wait(display, refresh, end_ns);
    }
    if (display->refresh.certain && display->lines == display->refresh.lines
            && es__flips_returned(display, refresh, end_ns) && !display->acquires) {
        es__lead_missed(display, display->distance);
    }
}

bool es__display_asks_wait(const es__display *display)
{
    return display->unblocked > 1;
}

void es__display_acquired(es__display *display, int64_t now_ns)
{
    display->acquires = true;
    display->waited = true;
    es__target_waited(display, display->start_ns, now_ns, false);
    note_wait(display, now_ns, display->frames + 1);
}

/* Screen times tell the refresh also where presents never wait for it. */
int64_t es__display_interval_ns(const es__display *display)
{
    const es__refresh *refresh = &display->refresh;
    bool seen =
            refresh->known_ns == 0.0 && display->feedback && refresh->certain && !refresh->multiple;
    return es__to_ns(seen ? refresh->period_ns : refresh->known_ns);
}

static void consider_free(es__display *display, int64_t now_ns, bool blocked)
{
    if (display->config.low_latency && display->cap_waited) {
        es__free_restart(&display->free); /* such a frame never blocks */
        return;
    }
    es__free_note(&display->free, now_ns, blocked);
    if (display->mode != ES_DISPLAY_FREE
            && es__free_is_proved(&display->free, es__display_interval_ns(display))) {
        display->mode = ES_DISPLAY_FREE;
        display->refresh.known_ns = (double)es__display_interval_ns(display);
        display->look_again_ns = es__ns_add(now_ns, (int64_t)ES__TUNE(look_again_ns));
        es__refresh_lose_phase(&display->refresh);
        es__predict_restart(&display->predict);
    }
}

/* The newest frame whose flip is known. Without a line, frames are taken to be seen when present returns. */
static void note_seen_frame(es__display *display, int64_t now_ns)
{
    int64_t age = display->distance;
    if (display->feedback && display->frames - display->feedback_frame < ES_DISPLAY_FRAMES) {
        return;
    }
    if (display->mode != ES_DISPLAY_FREE && is_explained(display) && !is_loose(display)
            && display->lines == display->refresh.lines && age < es__frames_kept(display)) {
        int64_t flip = es__flips_index(display, age);
        es__predict_seen(&display->predict, age, es__refresh_time_ns(&display->refresh, flip),
                ES_SEEN_BY_REFRESH);
    } else {
        es__predict_seen(&display->predict, 0, now_ns, ES_SEEN_BY_RETURN);
    }
}

void es__display_returned(es__display *display, int64_t now_ns)
{
    int64_t waited_ns = es__ns_sub(now_ns, es__frame(display, 0)->submit_ns);
    bool blocked = (double)waited_ns > ES__TUNE(blocked_ns);
    consider_free(display, now_ns, blocked || display->waited);
    display->waited = false;
    if (blocked && display->unblocked > 0 && display->refresh.certain) {
        /* a wait that is shorter than blocked_ns counts as none */
        double slack_ns = 2.0 * ES__TUNE(blocked_ns);
        es__refresh_vote(&display->refresh, now_ns, display->variable.flip_ns, slack_ns);
    }
    if (blocked && !display->feedback) {
        display->variable.flip_ns = now_ns;
    }
    display->free_is_off =
            !blocked
            && (display->free_is_off
                    || es__refresh_is_off(&display->refresh, display->variable.flip_ns));
    display->unblocked = blocked ? 0 : display->unblocked + (display->unblocked < INT32_MAX);
    if (display->refresh.certain && display->lines == display->refresh.lines
            && !es__flips_is_possible(display, now_ns)) {
        es__refresh_lose_phase(&display->refresh);
    }
    if (blocked) {
        display->acquires = false;
        es__target_waited(display, es__frame(display, 0)->submit_ns, now_ns, false);
        note_wait(display, now_ns, display->frames);
    } else if (display->refresh.certain && !display->acquires) {
        es__flips_unblocked(display, now_ns);
    }
    note_seen_frame(display, now_ns);
    if (display->mode != ES_DISPLAY_FREE) {
        display->mode = is_certain(display) ? ES_DISPLAY_BLOCKS : ES_DISPLAY_UNKNOWN;
    }
}

/* Counts the frames in a row that each came as many refreshes after the one before as they are held. */
static void note_seen(es__display *display, int64_t frame, int64_t flip)
{
    bool next = frame == display->seen_frame + 1 && flip == display->seen_flip + display->hold;
    display->seen = next ? display->seen + (display->seen < INT32_MAX) : 0;
    display->seen_frame = frame;
    display->seen_flip = flip;
}

/* Frames of slow work may flip at each second refresh, or more seldom. Then none waits for longer
 * than one refresh: half the period of the line, or less. */
static void note_waited(es__display *display, int64_t waited_ns)
{
    es__refresh *refresh = &display->refresh;
    bool same = display->waited_line == refresh->lines;
    display->waited_line = refresh->lines;
    display->waited_most_ns = es__max(waited_ns, same ? display->waited_most_ns : 0);
    refresh->multiple = 2.0 * (double)display->waited_most_ns <= refresh->period_ns;
}

/* From a frame's submit to its flip; -1: the time is of no use. No queue takes longer than pause_ns: the
 * frame flipped within a gap, or its time is false. */
static int64_t seen_after_ns(es__display *display, int64_t age, int64_t shown_ns)
{
    if (age < 0 || age >= es__frames_kept(display)) {
        return -1;
    }
    int64_t waited_ns = es__ns_sub(shown_ns, es__frame(display, age)->submit_ns);
    bool stamped_early = waited_ns < 0 && -(double)waited_ns < ES__TUNE(blocked_ns);
    return stamped_early ? 0 : (double)waited_ns <= ES__TUNE(pause_ns) ? waited_ns : -1;
}

void es__display_shown(es__display *display, int64_t age, int64_t shown_ns)
{
    int64_t frame = es__ns_sub(display->frames - 1, age);
    int64_t waited_ns = seen_after_ns(display, age, shown_ns);
    if (waited_ns < 0 || display->mode == ES_DISPLAY_FREE || frame <= display->feedback_frame) {
        return;
    }
    if (display->feedback && shown_ns <= display->refresh.read_ns) {
        return; /* a second report of a flip would count as a refresh of its own */
    }
    display->feedback = true;
    display->feedback_frame = frame;
    bool begun = display->begin_ns > es__frame(display, 0)->submit_ns; /* the next frame */
    es__predict_seen(&display->predict, age + (begun ? 1 : 0), shown_ns, ES_SEEN_BY_FEEDBACK);
    es__target_shown(display, age, shown_ns);
    es__variable_shown(display, age, shown_ns);
    display->shown_frames += 1; /* a mailbox replaces others, which take no refresh */
    bool tells = (double)waited_ns > ES__TUNE(blocked_ns) || is_certain(display);
    if (tells && !display->varies) {
        if (es__frame(display, age)->target_ns == 0) { /* else it waited for its target */
            note_waited(display, waited_ns);
        }
        es__refresh_read(&display->refresh, shown_ns, display->shown_frames, true);
    }
    if (display->refresh.certain && display->lines == display->refresh.lines) {
        int64_t half_ns = es__to_ns(display->refresh.period_ns / 2.0);
        int64_t flip = es__refresh_before(&display->refresh, es__ns_add(shown_ns, half_ns));
        if (flip > es__flips_index(display, age)) {
            es__lead_missed(display, age);
        }
        es__flips_shown(display, age, flip);
        note_seen(display, frame, flip);
    }
}

/* Whether the display's count has the rate of the estimate. While work is slow, the estimate may be
 * several refreshes long, and a difference is no leap of the clock. */
static bool count_agrees(const es__display *display)
{
    int64_t counted = (int64_t)(display->sequence - display->counted_from);
    double period_ns = display->refresh.period_ns;
    double span_ns = (double)es__ns_sub(display->sequence_ns, display->counted_from_ns);
    double off_ns = span_ns - (double)counted * period_ns;
    double most_ns = ES__TUNE(impossible) * span_ns;
    return (double)counted >= ES__TUNE(readings) && off_ns < most_ns && -off_ns < most_ns;
}

/* A count begins anew with the line, and where it does not go on. */
static void restart_count(es__display *display, int64_t shown_ns, uint64_t sequence)
{
    display->counted_line = display->refresh.lines;
    display->counted_from = sequence;
    display->counted_from_ns = shown_ns;
}

/* The count of refreshes and its times tell the period, where nothing announced one. */
static void learn_period(es__display *display, int64_t shown_ns, uint64_t sequence)
{
    int64_t counted = (int64_t)(sequence - display->first_sequence);
    int64_t span_ns = es__ns_sub(shown_ns, display->first_sequence_ns);
    if (display->first_sequence == 0 || counted <= 0 || span_ns <= 0) {
        display->first_sequence = sequence;
        display->first_sequence_ns = shown_ns;
    } else if (display->refresh.known_ns == 0.0 && counted >= ES_REFRESH_RECENT) {
        display->refresh.known_ns = (double)span_ns / (double)counted;
    }
}

void es__display_counted(es__display *display, int64_t age, int64_t shown_ns, uint64_t sequence)
{
    int64_t passed = (int64_t)(sequence - display->sequence);
    bool follows = display->sequence != 0 && passed > 0 && is_certain(display);
    if (sequence == 0 || seen_after_ns(display, age, shown_ns) < 0) {
        return;
    }
    learn_period(display, shown_ns, sequence);
    if (!follows || display->counted_line != display->refresh.lines) {
        restart_count(display, shown_ns, sequence);
    } else {
        double counted_ns = (double)passed * display->refresh.period_ns;
        double leap_ns = (double)es__ns_sub(shown_ns, display->sequence_ns) - counted_ns;
        double least_ns = es__max_f64(display->refresh.period_ns / 2.0, ES__TUNE(leap_ns));
        bool leaps = leap_ns > least_ns || leap_ns < -least_ns;
        if (leaps && counted_ns < ES__TUNE(pause_ns) && count_agrees(display)) {
            int64_t by_ns = es__to_ns(leap_ns);
            display->removed_ns = es__ns_add(display->removed_ns, by_ns);
            display->counted_from_ns = es__ns_add(display->counted_from_ns, by_ns);
            es__refresh_shift(&display->refresh, by_ns);
            es__predict_leap(&display->predict, by_ns);
        }
    }
    display->sequence = sequence;
    display->sequence_ns = shown_ns;
}

void es__display_shows_ticks(es__display *display, int64_t tick_ns)
{
    display->whole_tick_ns = tick_ns;
}

double es__display_ticks_ns(const es__display *display)
{
    bool paced = is_paced_by_ticks(display) && display->cap.keeps;
    return paced ? (double)cap_ns(display) : 0.0;
}

void es__display_varies(es__display *display, bool varies)
{
    if (varies != display->varies) {
        es__refresh_lose_phase(&display->refresh);
        display->variable.hidden_ns = 0;
    }
    display->varies = varies;
}

void es__display_obeys(es__display *display, const es_targets *targets)
{
    if (targets->times != display->targets.times) {
        es__target_reset(display);
    }
    display->targets = *targets;
}

void es__display_gap(es__display *display, int64_t removed_ns, bool clock_wrong)
{
    es__free_restart(&display->free);
    if (clock_wrong) {
        es__refresh_lose_phase(&display->refresh);
    } else {
        double refreshes = (double)removed_ns / es__max_f64(display->refresh.period_ns, 1.0);
        display->planned_index = es__ns_add(display->planned_index, es__to_ns(refreshes));
        es__refresh_shift(&display->refresh, es__ns_sub(0, removed_ns));
        if (display->mode == ES_DISPLAY_HOST) {
            /* no time has passed, but content goes on */
            int64_t frame_ns = es__to_ns(es__predict_mean_ns(&display->predict));
            display->predict.begin_ns = es__ns_sub(display->predict.begin_ns, frame_ns);
        }
    }
}

void es__display_idled(es__display *display, int64_t removed_ns, int64_t now_ns)
{
    es__display_gap(display, removed_ns, false);
    if (display->mode == ES_DISPLAY_HOST) {
        return;
    }
    int64_t passed = es__refresh_before(&display->refresh, now_ns);
    es__flips_passed(display, removed_ns, passed, now_ns);
    display->planned_index = es__min(display->planned_index, passed);
    display->planned_ns = es__min(display->planned_ns, now_ns);
    es__variable_passed(display, now_ns);
    if (!es__refresh_is_certain(&display->refresh, now_ns)) {
        display->starts_at = display->frames;
        display->predict.starts = true;
    }
}

es_display es__display_get_status(const es__display *display)
{
    es_display status = {0};
    bool certain = display->mode == ES_DISPLAY_BLOCKS;
    bool varies = is_variable(display) && display->mode == ES_DISPLAY_UNKNOWN;
    bool hosted = display->mode == ES_DISPLAY_HOST && is_certain(display);
    status.mode = varies ? ES_DISPLAY_VARIABLE : display->mode;
    status.period_ns = certain || hosted                  ? display->refresh.period_ns
                       : display->mode == ES_DISPLAY_FREE ? display->refresh.known_ns
                                                          : 0.0;
    status.queue = certain ? es__flips_queue(display) : 0;
    bool slotted = display->mode == ES_DISPLAY_UNKNOWN;
    int64_t capped_ns = slotted ? slot_interval_ns(display, false) : cap_ns(display);
    double frame_ns = es__max_f64(display->refresh.known_ns, (double)capped_ns);
    if (certain || hosted) {
        frame_ns =
                es__max_f64(display->hold, es__wanted_hold(display)) * display->refresh.period_ns;
    }
    status.frames_per_s = frame_ns > 0.0 ? (double)ES_NS_PER_S / frame_ns : 0.0;
    status.feedback = display->feedback;
    status.missed = display->missed;
    status.targets = es__target_is_on(display);
    return status;
}
