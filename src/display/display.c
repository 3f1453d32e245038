/* SPDX-License-Identifier: Zlib
 *
 * When a frame begins, and its plan.
 *
 * The instant that content follows (motion_ns) is carried on by the refreshes from one picture to
 * the next, as the queue's reckoning has them: what a reading is off by, a late wake-up, even a
 * clock that leaps do not touch it. Where that leaves it behind the expected screen time, because a
 * picture came later than it was planned for, the rest is won back slowly: in full, at once, would
 * show the same miss a second time as a leap forward.
 */
#include "display_parts.h"

/* So that a program's own even pace is not taken for a display's, a trial's first frames are
 * submitted at uneven times: later by up to this part of what the last present took. What blocks
 * does not mind. */
#define UNEVEN_SHARE 2
#define UNEVEN_MOST  (2 * ES_NS_PER_MS)
enum { UNEVEN_FRAMES = 160 };

/* How fast an offset is won back: in a second if it is small, faster by the square where it is
 * visible anyway, never by more than a quarter of the time that passes. */
#define SLEW_NS        0.75e9
#define SLEW_SQUARE    0.08
#define SLEW_MOST      0.25
#define OFFSET_MOST_NS (200 * ES_NS_PER_MS)

/* Low latency without blocking: readings are had by filling the queue now and then. */
#define PROBE_FRAMES   24
#define PROBE_READINGS 6 /* from five on the grid finds its phase anew, after a pause */
#define PROBE_SHARE    16

/* Whether the refresh is fixed has shown by then, or will not. */
#define TESTED_AFTER 240

/* Content is kept that part of the beat before the tick. So many frames show where it is. */
#define PHASE_SHARE  16
#define PHASE_FRAMES 24
#define BIAS_SLEW    0.0005

/* Content that is ahead of the screen by more goes on at normal speed from where it is: an offset
 * is invisible, seconds of slow motion are not. */
#define AHEAD_MOST_NS (100 * ES_NS_PER_MS)

/* Without a display to go by, frame times are averaged over this many of the newest frames, as far
 * as they are within half of the newest one: the smoothed step that Glaiel describes ("How to make
 * your game run at 60fps", 2018). */
enum { SMOOTH_FRAMES = 11 };

#define INTERVAL_MAX_NS (50 * ES_NS_PER_MS)

static bool display_config_is_valid(const es_display_config *config)
{
    bool share = config->missed_max == 0.0
                 || (config->missed_max >= 0.0001 && config->missed_max <= 0.5);
    return config->refresh_ns >= 0 && config->interval_ns >= 0 && config->interval_max_ns >= 0
           && config->tick_ns >= 0 && config->queue >= 0 && config->queue <= ES_DISPLAY_QUEUES
           && share;
}

static es_display_config resolved(const es_display_config *config)
{
    es_display_config full = *config;
    full.interval_max_ns = full.interval_max_ns > 0 ? full.interval_max_ns : INTERVAL_MAX_NS;
    full.missed_max = full.missed_max > 0.0 ? full.missed_max : 0.01;
    return full;
}

es_result es_display_init(es_display *display, const es_display_config *config)
{
    static const es_display_config usual = {0};
    config = config != NULL ? config : &usual;
    if (display == NULL || !display_config_is_valid(config)) {
        return ES_ERR_INVALID;
    }
    es_display fresh = {0};
    fresh.config = resolved(config);
    fresh.depth = config->queue > 0 ? config->queue : 2;
    fresh.fed_frame = -1;
    fresh.multiple = 1;
    fresh.multiple_min = 1;
    fresh.line_index = INT64_MIN;
    fresh.line_phase = 0.5;
    es_grid_config grid = {config->refresh_ns};
    es_grid_init(&fresh.grid, &grid);
    *display = fresh;
    return ES_OK;
}

es_result es_display_reconfigure(es_display *display, const es_display_config *config)
{
    if (config == NULL || !display_config_is_valid(config)) {
        return ES_ERR_INVALID;
    }
    bool again = display->config.interval_ns != config->interval_ns;
    if (display->mode == ES_DISPLAY_ASSUMED && display->config.refresh_ns != config->refresh_ns) {
        display->mode = ES_DISPLAY_FREE;
        display->try_again_ns = INT64_MIN;
        again = false;
    }
    display->config = resolved(config);
    if (config->queue > 0) {
        display->depth = config->queue;
    }
    if (again && es__is_on_grid(display)) {
        es__interval_start(display, display->span_since_ns);
    }
    return ES_OK;
}

/* --- begin ------------------------------------------------------------------------------------ */

/* Frames are held back until their refresh has come near (ahead_ns), and then handed in. With low
 * latency they come later than that where nothing else waits, and feedback tells when that was too
 * late. */
static bool is_paced(const es_display *display)
{
    if (display->config.low_latency && display->replaces && display->multiple == 1) {
        return false;
    }
    return display->multiple > 1 || display->is_loose || display->single
           || display->mode == ES_DISPLAY_ASSUMED;
}

/* So long before its refresh a frame that is held back is handed in. */
static int64_t ahead_ns(const es_display *display)
{
    return display->is_fed ? es__line_ahead(display) : es__period_ns(display) / 2;
}

/* Where pictures are held, each reading costs some that are not: only when the refreshes are no
 * longer known well, and where frames are quick enough to fill the queue at all. */
static bool is_worth_probing(const es_display *display, int64_t now_ns)
{
    int64_t period_ns = es__period_ns(display);
    bool fits = display->depth > 1 && display->work_high_ns < period_ns - period_ns / 8;
    return display->multiple == 1
           || (fits && es_grid_uncertain_ns(&display->grid, now_ns) > period_ns / PROBE_SHARE);
}

/* With nothing that blocks there are no readings: for a moment the queue is filled. */
static void consider_probing(es_display *display, int64_t now_ns)
{
    int64_t since_ns = es_ns_sub(now_ns, display->read_ns);
    if (display->probing) {
        bool enough = display->probe_readings >= PROBE_READINGS;
        display->probing = !enough && display->probe_frames < PROBE_FRAMES;
        if (!display->probing && !enough) {
            display->read_ns = now_ns; /* in vain: later again */
        }
    } else if (since_ns > ES__PROBE_AFTER_NS && !display->is_fed
               && is_worth_probing(display, now_ns)) {
        display->probing = true;
        display->probe_frames = 0;
        display->probe_readings = 0;
    }
}

/* Where frames are held back, or begin late. */
static int64_t begin_late_ns(es_display *display, int64_t now_ns)
{
    bool tested = display->is_fixed || display->mode == ES_DISPLAY_ASSUMED || display->is_fed
                  || display->locked_frames > TESTED_AFTER;
    bool by_presents = display->grid.walks && !display->is_fed; /* they must block */
    if (!tested || by_presents) {
        return now_ns;
    }
    if (display->mode == ES_DISPLAY_LOCKED) {
        consider_probing(display, now_ns);
    }
    if (display->probing) {
        return now_ns;
    }
    int64_t period_ns = es__period_ns(display);
    int64_t margin_ns = display->config.low_latency ? display->lead_ns : 0;
    margin_ns += is_paced(display) ? ahead_ns(display) : 0;
    int64_t refresh = es__newest_index(display) + display->multiple;
    int64_t due_ns = es__time_of(display, refresh);
    due_ns = es_ns_sub(due_ns, display->hidden_ns[display->depth - 1]);
    int64_t begin_ns = es_ns_sub(due_ns, es_ns_add(display->work_high_ns, margin_ns));
    int64_t latest_ns = es_ns_add(now_ns, display->multiple * period_ns);
    return es__max(es__min(begin_ns, latest_ns), now_ns);
}

int64_t es_display_begin_ns(es_display *display, int64_t now_ns)
{
    bool late = display->config.low_latency || is_paced(display);
    bool waits = late && es__is_on_grid(display) && display->frames > 0;
    return waits ? begin_late_ns(display, now_ns) : now_ns;
}

/* --- the plan --------------------------------------------------------------------------------- */

/* What drawing is expected to take: the median of the last few, unless both newest frames took less
 * than half of it. Slow frames of the past do not move a plan. */
static int64_t expected_render_ns(const es_display *display)
{
    int64_t newest_ns = es__min(display->newest_render_ns[0], display->newest_render_ns[1]);
    return newest_ns < display->render_ns / 2 ? newest_ns : display->render_ns;
}

/* The time from a frame's begin to the next one's, smoothed. The begin, as a present that blocks
 * returns just before it: drawing is as uneven as its work. */
static int64_t smoothed_step_ns(es_display *display)
{
    int64_t begin_ns = display->begin_ns;
    int64_t longest_ns = 0, shortest_ns = INT64_MAX, sum_ns = 0, count = 0;
    for (; count < SMOOTH_FRAMES && count < display->frames; ++count) {
        int64_t before_ns = es__frame(display, count)->begin_ns;
        int64_t step_ns = es_ns_sub(begin_ns, before_ns);
        if (count > 0 && (step_ns / 2 > longest_ns || (count > 1 && step_ns < shortest_ns / 2))) {
            break;
        }
        if (count < 2) {
            longest_ns = es__max(longest_ns, step_ns);
            shortest_ns = es__min(shortest_ns, step_ns);
        }
        sum_ns = es_ns_add(sum_ns, step_ns);
        begin_ns = before_ns;
    }
    return sum_ns / es__max(count, 1);
}

/* On a fixed grid, with presents that block: nothing asks for another mode. */
static bool keeps_on(const es_display *display)
{
    const es_grid *grid = &display->grid;
    return display->mode == ES_DISPLAY_LOCKED && grid->state == ES_GRID_LOCKED && !grid->walks
           && !display->varies && !display->is_loose && display->early < ES__EARLY_MOST;
}

void es_display_open(es_display *display, int64_t now_ns)
{
    if (!keeps_on(display)) {
        es__change_mode(display, now_ns);
    }
    display->opened = false;
    display->begin_ns = now_ns;
    display->start_ns = now_ns;
}

/* Ready before the refresh that is planned for. */
static bool is_ready_in_time(const es_display *display)
{
    int64_t drawn_ns = es_ns_add(display->start_ns, expected_render_ns(display));
    int64_t ready_ns = es_ns_add(drawn_ns, display->hidden_ns[display->depth - 1]);
    return ready_ns < display->plan.present_ns;
}

/* Locked: the refresh, and the instants that follow from it. False: it is the same as before. */
static bool aim_at_refresh(es_display *display)
{
    es_display_plan *plan = &display->plan;
    int32_t depth = display->depth;
    int64_t drawn_ns = es_ns_add(display->start_ns, expected_render_ns(display));
    int64_t next = es__newest_index(display) + (display->probing ? 1 : display->multiple);
    int64_t next_ns = es__time_of(display, next);
    if (display->opened || es__when_ready(display, depth, drawn_ns) >= next_ns) {
        int64_t refresh = es__first_refresh(display, depth, drawn_ns);
        if (display->opened && refresh <= display->index) {
            return false;
        }
        next = es__max(next, refresh);
        next_ns = es__time_of(display, next);
    }
    display->index = next;
    plan->present_ns = next_ns;
    if (display->suspected) {
        plan->present_ns = es_ns_add(plan->present_ns, display->suspect_ns);
    }
    if (display->is_fed && is_paced(display)) {
        plan->present_ns = es__line_time(display, plan->present_ns);
    } else {
        display->line_index = INT64_MIN;
    }
    plan->held = display->multiple > 1;
    plan->interval_ns = display->multiple * es__period_ns(display);
    plan->submit_ns = INT64_MIN;
    if (es__is_testing(display)) {
        int64_t refresh = es__newest_index(display) + 2;
        display->index = es__max(display->index, refresh);
        plan->present_ns = es__time_of(display, display->index);
        int64_t seen_ns = es__time_of(display, refresh);
        plan->submit_ns = es_ns_sub(seen_ns, (int64_t)(0.6 * es__exact_period_ns(display)));
    } else if (is_paced(display) && !display->probing) {
        int64_t ready_ns = es_ns_sub(plan->present_ns, ahead_ns(display));
        plan->submit_ns = es_ns_sub(ready_ns, display->hidden_ns[depth - 1]);
    }
    return true;
}

/* Evenly spread over 0 to 1, never with a period of few frames: multiples of the golden ratio. */
static double uneven(int64_t number)
{
    uint32_t part = (uint32_t)number * UINT32_C(2654435769);
    part = (part ^ part >> 16) * UINT32_C(2246822507);
    part = (part ^ part >> 13) * UINT32_C(3266489909);
    return (double)(part ^ part >> 16) / 4294967296.0;
}

/* From start to submit, where nobody else says when: what nearly every frame can keep. */
static int64_t budget_ns(const es_display *display)
{
    int64_t interval_ns = display->submitted_interval_ns;
    int64_t high_ns = display->work_high_ns;
    int64_t enough_ns = es_ns_add(high_ns, high_ns / 50 + 20 * ES_NS_PER_US);
    int64_t room_ns = es_ns_sub(es_ns_sub(interval_ns, display->update_ns), display->update_ns);
    room_ns = es_ns_sub(room_ns, interval_ns / 16);
    return es__max(es__min(enough_ns, room_ns), 0);
}

/* Free: when it is submitted, evenly. Trying: it is submitted at once, and unevenly at first. */
static void aim_at_submit(es_display *display)
{
    es_display_plan *plan = &display->plan;
    int64_t render_ns = expected_render_ns(display);
    int64_t ready_ns = es_ns_add(display->start_ns, render_ns);
    plan->held = false;
    plan->submit_ns = INT64_MIN;
    if (display->mode == ES_DISPLAY_FREE) {
        plan->submit_ns = es_ns_add(display->start_ns, budget_ns(display));
        plan->present_ns = es__max(plan->submit_ns, ready_ns);
        return;
    }
    bool looks = display->tried < UNEVEN_FRAMES && display->begin_ns >= display->try_again_ns;
    if ((looks || display->asked > 0) && display->blocked_ns > ES__BLOCKED_NS) {
        int64_t most_ns = es__min(display->blocked_ns / UNEVEN_SHARE, UNEVEN_MOST);
        int64_t later_ns = (int64_t)(uneven(display->frames) * (double)most_ns);
        plan->submit_ns = es_ns_add(ready_ns, later_ns);
    }
    plan->present_ns = es_ns_add(display->begin_ns, render_ns);
}

/* What passes on the screen from the picture before to this one. */
static int64_t passes_ns(es_display *display)
{
    if (es__is_on_grid(display)) {
        int64_t refreshes = display->index - es__newest_index(display);
        return es__to_ns((double)refreshes * es__exact_period_ns(display));
    }
    if (display->mode == ES_DISPLAY_TRYING && es__keeps_to_announced(display)) {
        return display->config.refresh_ns;
    }
    if (display->mode == ES_DISPLAY_TRYING && display->moved) {
        return smoothed_step_ns(display);
    }
    return es_ns_sub(display->plan.present_ns, display->last_shown_ns);
}

/* Of an offset that is large, or became larger at once. more_ns: by so much. */
static double won_at_once(int64_t offset_ns, int64_t more_ns, double size, double won_ns)
{
    double over_ns = size - won_ns - (double)OFFSET_MOST_NS;
    if (offset_ns < 0) {
        return won_ns;
    }
    if (more_ns > OFFSET_MOST_NS) {
        return size; /* a stall: what to do about it is the catch-up policy's */
    }
    return over_ns > 0 ? won_ns + over_ns : won_ns;
}

static int64_t slew_ns(const es_display *display, int64_t passes, int64_t offset_ns)
{
    double size = (double)es__absolute(offset_ns);
    if (display->mode == ES_DISPLAY_TRYING && es__keeps_to_announced(display)) {
        double unknown_ns = (double)display->config.refresh_ns; /* where in it the refresh is */
        size = size > unknown_ns ? size - unknown_ns : 0.0;
    }
    double unit_ns = es__is_on_grid(display) ? es__exact_period_ns(display) : (double)passes;
    double units = size / unit_ns;
    double rate = size / SLEW_NS + SLEW_SQUARE * units * units;
    rate = rate < SLEW_MOST ? rate : SLEW_MOST;
    double won_ns = rate * (double)passes;
    won_ns = won_ns < size ? won_ns : size;
    int64_t more_ns = es_ns_sub(offset_ns, display->base_offset_ns);
    if (more_ns > OFFSET_MOST_NS || size > (double)OFFSET_MOST_NS) {
        won_ns = won_at_once(offset_ns, more_ns, size, won_ns);
    }
    int64_t won = es__to_ns(won_ns);
    return offset_ns < 0 ? -won : won; /* ahead: slowed down, and content never stands still */
}

/* Towards the wanted phase, so slowly that nobody sees it. */
static void move_bias(es_display *display, int64_t passes)
{
    if (display->bias_ns == display->bias_wanted_ns) {
        return;
    }
    int64_t most_ns = es__to_ns(BIAS_SLEW * (double)passes);
    int64_t by_ns = es_ns_sub(display->bias_wanted_ns, display->bias_ns);
    by_ns = es__max(es__min(by_ns, most_ns), -most_ns);
    display->bias_ns = es_ns_add(display->bias_ns, by_ns);
}

/* How far content is behind the expected screen time. */
static int64_t offset_of(const es_display *display, int64_t motion_ns, int64_t reanchored_ns)
{
    int64_t present_ns = es_ns_sub(display->plan.present_ns, display->removed_ns);
    return es_ns_sub(es_ns_sub(present_ns, motion_ns), reanchored_ns);
}

static void display_move_content(es_display *display, int64_t passes)
{
    es_display_plan *plan = &display->plan;
    if (!display->moved) {
        plan->motion_ns = es_ns_sub(plan->present_ns, display->removed_ns);
        plan->offset_ns = 0;
        plan->slewed_ns = 0;
        return;
    }
    int64_t motion_ns = es_ns_add(display->base_motion_ns, passes);
    int64_t offset_ns = offset_of(display, motion_ns, display->reanchored_ns);
    int64_t sure_ns = es_ns_add(offset_ns, display->bias_ns);
    if (display->suspected) {
        sure_ns = es_ns_sub(sure_ns, es_ns_sub(display->suspect_ns, display->followed_ns));
    }
    plan->reanchored_ns = display->reanchored_ns;
    if (sure_ns < (display->anchors_anew ? 0 : -AHEAD_MOST_NS)) {
        plan->reanchored_ns = es_ns_add(display->reanchored_ns, sure_ns);
        sure_ns = 0;
    }
    plan->slewed_ns = passes > 0 ? slew_ns(display, passes, sure_ns) : 0;
    int64_t even_ns = motion_ns;
    motion_ns = es_ns_add(motion_ns, plan->slewed_ns);
    motion_ns = es__max(motion_ns, display->last_motion_ns); /* of a frame that was given up */
    motion_ns = display->opened ? es__max(motion_ns, plan->motion_ns) : motion_ns;
    plan->slewed_ns = es_ns_sub(motion_ns, even_ns);
    plan->motion_ns = motion_ns;
    plan->offset_ns = offset_of(display, motion_ns, plan->reanchored_ns);
}

/* After a gap: one interval on, and no farther off than before. */
static void go_on(es_display *display)
{
    es_display_plan *plan = &display->plan;
    int64_t offset_ns = plan->offset_ns;
    int64_t passes = plan->interval_ns > 0 ? plan->interval_ns : 0;
    int64_t motion_ns = es_ns_add(display->last_motion_ns, passes);
    plan->motion_ns = display->opened ? es__max(motion_ns, plan->motion_ns) : motion_ns;
    display->removed_ns = 0;
    display->removed_ns =
            es_ns_sub(offset_of(display, plan->motion_ns, plan->reanchored_ns), offset_ns);
}

static int64_t plan_anew(es_display *display)
{
    if (!es__is_on_grid(display)) {
        aim_at_submit(display);
    } else if (!aim_at_refresh(display)) {
        return display->plan.motion_ns;
    }
    int64_t passes = es__max(passes_ns(display), 0);
    if (!display->opened) {
        move_bias(display, passes);
    }
    if (display->restart && display->moved) {
        go_on(display);
    } else {
        display_move_content(display, passes);
    }
    display->opened = true;
    return display->plan.motion_ns;
}

int64_t es_display_expect(es_display *display, int64_t start_ns)
{
    display->start_ns = es__max(start_ns, display->start_ns);
    bool stays = display->opened && es__is_on_grid(display) && is_ready_in_time(display);
    return stays ? display->plan.motion_ns : plan_anew(display);
}

void es_display_close(es_display *display, int64_t interval_ns, es_display_plan *plan)
{
    if (!es__is_on_grid(display)) {
        display->plan.interval_ns = display->mode == ES_DISPLAY_FREE ? interval_ns : 0;
    }
    display->last_motion_ns = display->plan.motion_ns;
    display->restart = false;
    display->anchors_anew = false;
    display->reanchored_ns = display->plan.reanchored_ns;
    *plan = display->plan;
    plan->removed_ns = display->removed_ns; /* not before: a copy waits for what was just written */
    display->plan.removed_ns = display->removed_ns;
}

/* Where a tick is longer than these frames, the least that there will be is a rest of beats. */
static void choose_bias(es_display *display)
{
    int64_t beat_ns = display->beat_ns;
    int64_t near_ns = beat_ns / PHASE_SHARE;
    int64_t by_ns = display->rest_ns % beat_ns - near_ns;
    if (es__absolute(by_ns) > near_ns / 2) {
        int64_t bias_ns = es_ns_add(display->bias_ns, by_ns);
        bias_ns -= bias_ns > beat_ns / 2 ? beat_ns : 0;
        bias_ns += bias_ns < -beat_ns / 2 ? beat_ns : 0;
        display->bias_wanted_ns = bias_ns;
    }
}

/* Whether the offset is small is as good as chance: so no branch depends on it. */
void es_display_phase(es_display *display, int64_t rest_ns)
{
    int64_t near_ns = display->beat_ns / PHASE_SHARE;
    int64_t off_ns = es_ns_add(display->plan.offset_ns, display->bias_ns);
    bool settled = rest_ns >= 0 && display->beat_ns != 0 && es__is_on_grid(display)
                   && display->bias_ns == display->bias_wanted_ns;
    bool counts = settled & (es__absolute(off_ns) <= near_ns / 4);
    display->rest_ns = display->rests == 0 ? rest_ns : es__min(rest_ns, display->rest_ns);
    display->rests = counts * (display->rests + 1);
    if (display->rests == PHASE_FRAMES) {
        display->rests = 0;
        choose_bias(display);
    }
}

es_display_status es_display_get_status(const es_display *display, int64_t now_ns)
{
    es_display_status status = {0};
    bool locked = display->mode == ES_DISPLAY_LOCKED;
    status.mode = display->mode;
    status.period_ns = es__is_on_grid(display) ? es__exact_period_ns(display) : 0.0;
    status.uncertain_ns = locked ? es_grid_uncertain_ns(&display->grid, now_ns) : 0;
    status.queue = locked ? display->depth : 0;
    status.multiple = es__is_on_grid(display) ? display->multiple : 0;
    status.varies = display->varies;
    status.fed = display->is_fed;
    status.paced = display->is_loose;
    status.replaces = display->replaces;
    status.hidden_ns = locked ? display->hidden_ns[display->depth - 1] : 0;
    status.work_ns = display->render_ns;
    status.refreshes = display->refreshes;
    status.missed = display->missed;
    status.locks = display->grid.locks;
    status.walks = locked && display->grid.walks;
    status.single = display->single;
    return status;
}
