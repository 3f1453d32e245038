/* SPDX-License-Identifier: Zlib
 *
 * The modes, and the plan of a frame.
 *
 * The instant that content follows (motion_ns) is carried on by the refreshes from one picture to
 * the next, as the queue's reckoning has them: what a reading is off by, a late wake-up, even a
 * clock that leaps do not touch it. Where that leaves it behind the expected screen time, because a
 * picture came later than it was planned for, the rest is won back slowly: in full, at once, would
 * show the same miss a second time as a leap forward.
 */
#include "display_parts.h"

#include "evenstep/grid.h"

/* A trial lasts for so many frames, and longer while enough of them block: until a grid would have
 * been found among as many readings, or a queue be full that frames fill by a few percent each. */
#define TRY_LEAST    8
#define TRY_MOST     160
#define TRY_MOST_NS  (4 * ES_NS_PER_S)
#define TRY_AGAIN_NS ES_NS_PER_S
/* Frames that are on the mean within this part of the announced refresh keep to it. */
#define KEEPS_SHARE 20
#define SPAN_MEAN   32
/* A display refreshes no faster than that: with the queue full it would have blocked. */
#define FAST_NS       (5 * ES_NS_PER_MS / 2)
#define FULL          (ES_DISPLAY_QUEUES + 1)
#define TRY_PAUSE_NS  ES_NS_PER_S
#define TRY_PAUSE_MAX (64 * ES_NS_PER_S)
/* So that a program's own even pace is not taken for a display's, trials hand frames in at uneven
 * times: later by up to this part of what the last present took. What blocks does not mind. */
#define UNEVEN_SHARE 2
#define UNEVEN_MOST  (2 * ES_NS_PER_MS)

/* How fast an offset is won back: in a second if it is small, faster by the square where it is
 * visible anyway, never by more than a quarter of the time that passes. */
#define SLEW_NS        0.75e9
#define SLEW_SQUARE    0.08
#define SLEW_MOST      0.25
#define OFFSET_MOST_NS (200 * ES_NS_PER_MS)

/* Free: what nearly every frame can keep. */
#define WINDOW_NS      (5 * ES_NS_PER_S)
#define WINDOW_LATE_NS ES_NS_PER_S

/* Low latency without blocking: readings are had by filling the queue now and then. */
#define PROBE_AFTER_NS (4 * ES_NS_PER_S)
#define PROBE_FRAMES   24
#define PROBE_READINGS 6 /* from five on the grid finds its phase anew, after a pause */
#define PROBE_SHARE    16

/* So many frames of a trial more to find out whether it is a display that keeps to no grid. */
#define ASK_MOST 96

#define TEST_AFTER   24
#define SAME_DISPLAY 0.002
/* Whether the refresh is fixed has shown by then, or will not. */
#define TESTED_AFTER 240

/* A display whose refresh varies is as good as fixed while its queue is never empty. */
#define DRY_MOST     3
#define BLOCKED_MEAN 16
/* Of the assumed refreshes that a picture stays for, drawing may take so much. */
#define COARSE_FRAMES    20
#define ASSUMED_FITS     0.93
#define ASSUMED_LEAST_NS ES_NS_PER_MS
#define ASSUMED_MOST_NS  (100 * ES_NS_PER_MS)

/* Content is kept that part of the beat before the tick. So many frames show where it is. */
#define PHASE_SHARE  16
#define PHASE_FRAMES 24
#define BIAS_SLEW    0.0005

#define INTERVAL_MAX_NS (50 * ES_NS_PER_MS)
#define FED_AFTER       4
#define UNFED_AFTER     40
#define SHOWN_EARLY_NS  (2 * ES_NS_PER_MS)
#define SHOWN_AHEAD_NS  (50 * ES_NS_PER_MS)
#define REPLACED_NS     (50 * ES_NS_PER_MS)

static bool config_is_valid(const es_display_config *config)
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
    if (display == NULL || !config_is_valid(config)) {
        return ES_ERR_INVALID;
    }
    es_display fresh = {0};
    fresh.config = resolved(config);
    fresh.depth = config->queue > 0 ? config->queue : 2;
    fresh.fed_frame = -1;
    fresh.try_pause_ns = TRY_PAUSE_NS;
    fresh.multiple = 1;
    fresh.multiple_min = 1;
    es_grid_config grid = {config->refresh_ns};
    es_grid_init(&fresh.grid, &grid);
    *display = fresh;
    return ES_OK;
}

es_result es_display_reconfigure(es_display *display, const es_display_config *config)
{
    if (config == NULL || !config_is_valid(config)) {
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

/* --- modes ------------------------------------------------------------------------------------ */

static void start_trial(es_display *display, int64_t now_ns)
{
    display->mode = ES_DISPLAY_TRYING;
    display->tried = 0;
    display->tried_blocked = 0;
    display->run_in = 0;
    display->try_since_ns = now_ns;
    display->suspected = false; /* a suspicion is against a grid */
    display->asked = 0;
    es__pace_forget(display);
    es_grid_drop(&display->grid);
}

/* Nothing blocks, but the refresh is announced: pictures are handed in at whole multiples of it.
 * So they stay even, as long as they do not come just when it refreshes. */
static void assume(es_display *display, int64_t now_ns)
{
    display->mode = ES_DISPLAY_ASSUMED;
    display->probing = false;
    display->is_loose = false;
    display->suspected = false;
    display->phase_unknown = false;
    display->assumed_ns = es_ns_add(es__frame(display, 0)->submit_ns, es__period_ns(display) / 2);
    for (int64_t age = 0; age < ES_DISPLAY_FRAMES && age < display->frames; ++age) {
        for (int32_t i = 0; i < ES_DISPLAY_QUEUES; ++i) {
            es__frame(display, age)->index[i] = -age;
            display->hidden_ns[i] = 0;
        }
    }
    es__interval_start(display, now_ns);
    double refreshes = (double)display->render_ns / es__exact_period_ns(display) / ASSUMED_FITS;
    int64_t most = display->config.interval_max_ns / es__period_ns(display);
    if (display->kept_ns == 0) {
        display->multiple = (int32_t)es__most(es__least((int64_t)refreshes + 1, most), 1);
        display->kept_ns = display->multiple * es__period_ns(display);
        display->changed_ns = now_ns;
        display->ever_changed = true;
    }
}

static bool is_believable(int64_t refresh_ns)
{
    return refresh_ns >= ASSUMED_LEAST_NS && refresh_ns <= ASSUMED_MOST_NS;
}

static void go_free(es_display *display, int64_t now_ns)
{
    display->mode = ES_DISPLAY_FREE;
    display->suspected = false;
    bool keeps = !display->varies && !display->walked;
    if (is_believable(display->config.refresh_ns) && keeps && display->frames > 0) {
        assume(display, now_ns);
    }
    display->try_again_ns = es_ns_add(now_ns, display->try_pause_ns);
    display->try_pause_ns = es__least(2 * display->try_pause_ns, TRY_PAUSE_MAX);
    display->render_max_ns = 0;
    display->render_max_last_ns = display->render_ns;
    display->render_window_ns = now_ns;
    display->free_render_ns = display->render_ns;
}

static void go_varying(es_display *display, int64_t now_ns)
{
    display->try_pause_ns = TRY_PAUSE_MAX;
    display->varies = true;
    go_free(display, now_ns);
}

static void lock(es_display *display, int64_t now_ns)
{
    bool was_locked = display->mode == ES_DISPLAY_LOCKED;
    if (display->replaces && display->config.queue == 0) {
        display->depth = 1;
    } else if (!was_locked && display->config.queue == 0 && display->run_in < ES_DISPLAY_QUEUES) {
        display->depth = display->tried <= TRY_LEAST + ES_GRID_RECENT ? display->run_in + 1 : 2;
    }
    display->mode = ES_DISPLAY_LOCKED;
    display->walked = display->grid.walks;
    display->asked = 0;
    display->try_pause_ns = TRY_PAUSE_NS;
    double change = es__exact_period_ns(display) - display->tested_period_ns;
    if (change > SAME_DISPLAY * es__exact_period_ns(display)
            || change < -SAME_DISPLAY * es__exact_period_ns(display)) {
        display->tested_period_ns = es__exact_period_ns(display); /* another display */
        display->slips = 0;
        display->tests = 0;
        display->is_fixed = false;
    }
    display->is_not_coarse = display->coarse >= COARSE_FRAMES
                             && display->tested_period_ns != es__exact_period_ns(display);
    display->coarse = 0;
    display->ran_dry = 0;
    display->locked_frames = 0;
    display->test_at = TEST_AFTER;
    display->probing = false;
    display->read_ns = now_ns;
    es__queue_start(display, now_ns);
    es__interval_start(display, now_ns);
}

/* Whether frames come as often as the display is said to refresh, no more and no less. */
static bool keeps_to_announced(const es_display *display)
{
    int64_t announced_ns = display->config.refresh_ns;
    int64_t off_ns = es__absolute(es_ns_sub(display->span_ns, announced_ns));
    return announced_ns > 0 && off_ns < announced_ns / KEEPS_SHARE;
}

/* Whether the trial is over without a grid. */
static bool trial_has_failed(const es_display *display, int64_t now_ns)
{
    bool first = display->try_pause_ns == TRY_PAUSE_NS;
    int64_t spent_ns = es_ns_sub(now_ns, display->try_since_ns);
    bool fast = spent_ns < (display->tried - FULL) * FAST_NS;
    bool blocks = display->tried_blocked * 4 >= display->tried;
    int64_t slow_ns = first ? TRY_MOST_NS : TRY_AGAIN_NS;
    if (keeps_to_announced(display) && spent_ns > ES_NS_PER_S / 2) {
        return false; /* as fast as the display is said to be: its queue may yet fill up */
    }
    return display->tried >= TRY_LEAST
           && ((fast && !blocks) || spent_ns > slow_ns || display->tried >= TRY_MOST);
}

/* Of a refresh that varies: its queue ran dry, or nearly; or it is no display at all but the
 * program's own pace, with a call that takes its time. */
static bool is_no_longer_even(const es_display *display)
{
    return display->ran_dry >= DRY_MOST || display->multiple > 1
           || display->blocked_mean_ns < es__period_ns(display) / 8;
}

/* Readings keep to no grid. Where it is a display that sets their pace they are followed at their
 * mean. To tell that frames are handed in unevenly: if they were not yet, they are now. (Where the
 * refresh varies it is a display, too; but it waits for the program.) */
static void ask_whose_pace(es_display *display, int64_t now_ns)
{
    es_display_whose whose = display->varies ? ES__PACE_OWN : es__whose_pace(display);
    if (whose == ES__PACE_DISPLAYS && es_grid_walk(&display->grid)) {
        lock(display, display->returned_ns);
    } else if (whose != ES__PACE_OWN && display->asked < ASK_MOST) {
        display->mode = ES_DISPLAY_TRYING;
        display->suspected = false;
        display->try_since_ns = display->asked == 0 ? now_ns : display->try_since_ns;
        display->asked += 1;
    } else {
        display->asked = 0;
        go_varying(display, now_ns);
    }
}

/* Nothing tells the refreshes of such a display any more once presents do not block. */
static void stop_walking(es_display *display, int64_t now_ns)
{
    if (!display->is_loose) {
        display->try_pause_ns = TRY_PAUSE_MAX; /* it would be too slow again */
    }
    go_free(display, now_ns);
}

static void change_mode(es_display *display, int64_t now_ns)
{
    const es_grid *grid = &display->grid;
    if (display->mode == ES_DISPLAY_TRYING) {
        if (grid->state == ES_GRID_VARIES || display->asked > 0) {
            ask_whose_pace(display, now_ns);
        } else if (trial_has_failed(display, now_ns)) {
            go_free(display, now_ns);
        }
    } else if (display->mode != ES_DISPLAY_LOCKED) {
        bool lighter = display->render_ns < display->free_render_ns - display->free_render_ns / 4;
        if (lighter && !display->varies) {
            display->try_pause_ns = TRY_PAUSE_NS; /* what did not block may now */
            display->try_again_ns = now_ns;
        }
        bool may = display->mode == ES_DISPLAY_FREE || display->multiple == 1 || lighter;
        if (may && now_ns >= display->try_again_ns && !display->is_fed) {
            start_trial(display, now_ns);
        }
    } else if (grid->state == ES_GRID_VARIES) {
        ask_whose_pace(display, now_ns);
    } else if (display->varies && (grid->walks || is_no_longer_even(display))) {
        go_varying(display, now_ns);
    } else if (grid->walks && (display->multiple > 1 || (display->is_loose && !display->is_fed))) {
        stop_walking(display, now_ns);
    } else if (grid->walks && es__whose_pace(display) == ES__PACE_OWN) {
        start_trial(display, now_ns);
    } else if (grid->state != ES_GRID_LOCKED || (display->is_loose && !display->is_fed)) {
        start_trial(display, now_ns);
    }
}

/* --- begin ------------------------------------------------------------------------------------ */

/* Frames are held back until their refresh has come near. */
static bool is_paced(const es_display *display)
{
    return display->multiple > 1 || display->is_loose || display->mode == ES_DISPLAY_ASSUMED;
}

/* Where pictures are held, each reading costs some that are not: only when the refreshes are no
 * longer known well, and where frames are quick enough to fill the queue at all. */
static bool is_worth_probing(const es_display *display, int64_t now_ns)
{
    int64_t period_ns = es__period_ns(display);
    bool fits = display->depth > 1 && display->work_high_ns < period_ns - period_ns / 8;
    bool unsure = es_grid_uncertain_ns(&display->grid, now_ns) > period_ns / PROBE_SHARE;
    return display->multiple == 1 || (fits && unsure);
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
    } else if (since_ns > PROBE_AFTER_NS && !display->is_fed && is_worth_probing(display, now_ns)) {
        display->probing = true;
        display->probe_frames = 0;
        display->probe_readings = 0;
    }
}

int64_t es_display_begin_ns(es_display *display, int64_t now_ns)
{
    bool late = display->config.low_latency || is_paced(display);
    bool tested = display->is_fixed || display->mode == ES_DISPLAY_ASSUMED || display->is_fed
                  || display->locked_frames > TESTED_AFTER;
    bool by_presents = display->grid.walks && !display->is_fed; /* they must block */
    if (!es__is_on_grid(display) || display->frames == 0 || !late || !tested || by_presents) {
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
    margin_ns += is_paced(display) ? period_ns / 2 : 0;
    int64_t refresh = es__newest_index(display) + display->multiple;
    int64_t due_ns = es__time_of(display, refresh);
    due_ns = es_ns_sub(due_ns, display->hidden_ns[display->depth - 1]);
    int64_t begin_ns = es_ns_sub(due_ns, es_ns_add(display->work_high_ns, margin_ns));
    int64_t latest_ns = es_ns_add(now_ns, display->multiple * period_ns);
    return es__most(es__least(begin_ns, latest_ns), now_ns);
}

/* --- the plan --------------------------------------------------------------------------------- */

void es_display_open(es_display *display, int64_t now_ns)
{
    change_mode(display, now_ns);
    display->opened = false;
    display->start_ns = now_ns;
}

/* Locked: the refresh, and the instants that follow from it. False: it is the same as before. */
static bool aim_at_refresh(es_display *display)
{
    es_display_plan *plan = &display->plan;
    int32_t depth = display->depth;
    int64_t drawn_ns = es_ns_add(display->start_ns, display->render_ns);
    int64_t refresh = es__first_refresh(display, depth, drawn_ns);
    if (display->opened && refresh <= display->index) {
        return false;
    }
    int32_t step = display->probing ? 1 : display->multiple;
    display->index = es__most(refresh, es__newest_index(display) + step);
    plan->present_ns = es__time_of(display, display->index);
    if (display->suspected) {
        plan->present_ns = es_ns_add(plan->present_ns, display->suspect_ns);
    }
    plan->held = display->multiple > 1;
    plan->interval_ns = display->multiple * es__period_ns(display);
    plan->submit_ns = INT64_MIN;
    if (es__is_testing(display)) {
        refresh = es__newest_index(display) + 2;
        display->index = es__most(display->index, refresh);
        plan->present_ns = es__time_of(display, display->index);
        int64_t seen_ns = es__time_of(display, refresh);
        plan->submit_ns = es_ns_sub(seen_ns, (int64_t)(0.6 * es__exact_period_ns(display)));
    } else if (is_paced(display) && !display->probing) {
        int64_t ready_ns = es_ns_sub(plan->present_ns, es__period_ns(display) / 2);
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

/* Free: when it is handed in, evenly. Trying: when it is, unevenly. */
static void aim_at_submit(es_display *display)
{
    es_display_plan *plan = &display->plan;
    int64_t ready_ns = es_ns_add(display->start_ns, display->render_ns);
    plan->held = false;
    plan->submit_ns = INT64_MIN;
    if (display->mode == ES_DISPLAY_FREE) {
        plan->submit_ns = es_ns_add(display->start_ns, display->budget_ns);
    } else if (display->blocked_ns > ES__BLOCKED_NS) {
        int64_t most_ns = es__least(display->blocked_ns / UNEVEN_SHARE, UNEVEN_MOST);
        int64_t later_ns = (int64_t)(uneven(display->frames) * (double)most_ns);
        plan->submit_ns = es_ns_add(ready_ns, later_ns);
    }
    plan->present_ns = es__most(plan->submit_ns, ready_ns);
}

/* What passes on the screen from the picture before to this one. */
static int64_t passes_ns(const es_display *display)
{
    if (es__is_on_grid(display)) {
        int64_t refreshes = display->index - es__newest_index(display);
        return es__to_ns((double)refreshes * es__exact_period_ns(display));
    }
    if (display->mode == ES_DISPLAY_TRYING && keeps_to_announced(display)) {
        return display->config.refresh_ns;
    }
    return es_ns_sub(display->plan.present_ns, display->last_shown_ns);
}

static int64_t slew_ns(const es_display *display, int64_t passes, int64_t offset_ns)
{
    double size = (double)es__absolute(offset_ns);
    if (display->mode == ES_DISPLAY_TRYING && keeps_to_announced(display)) {
        double unknown_ns = (double)display->config.refresh_ns; /* where in it the refresh is */
        size = size > unknown_ns ? size - unknown_ns : 0.0;
    }
    double unit_ns = es__is_on_grid(display) ? es__exact_period_ns(display) : (double)passes;
    double rate = size / SLEW_NS + SLEW_SQUARE * (size / unit_ns) * (size / unit_ns);
    rate = rate < SLEW_MOST ? rate : SLEW_MOST;
    double won_ns = rate * (double)passes;
    won_ns = won_ns < size ? won_ns : size;
    double over_ns = size - won_ns - (double)OFFSET_MOST_NS;
    if (offset_ns < 0) { /* ahead: content is slowed down, and never stands still */
        return es__to_ns(-won_ns);
    }
    if (es_ns_sub(offset_ns, display->base_offset_ns) > OFFSET_MOST_NS) {
        won_ns = size; /* a stall: what to do about it is the catch-up policy's */
    } else if (over_ns > 0) {
        won_ns += over_ns;
    }
    return es__to_ns(won_ns);
}

/* Towards the wanted phase, so slowly that nobody sees it. */
static void move_bias(es_display *display, int64_t passes)
{
    int64_t most_ns = es__to_ns(BIAS_SLEW * (double)passes);
    int64_t by_ns = es_ns_sub(display->bias_wanted_ns, display->bias_ns);
    by_ns = es__most(es__least(by_ns, most_ns), -most_ns);
    display->bias_ns = es_ns_add(display->bias_ns, by_ns);
}

static void move_content(es_display *display, int64_t passes)
{
    es_display_plan *plan = &display->plan;
    if (!display->moved) {
        plan->motion_ns = es_ns_sub(plan->present_ns, display->removed_ns);
        plan->offset_ns = 0;
        plan->slewed_ns = 0;
        return;
    }
    int64_t motion_ns = es_ns_add(display->base_motion_ns, passes);
    int64_t offset_ns = es_ns_sub(es_ns_sub(plan->present_ns, motion_ns), display->removed_ns);
    int64_t sure_ns = es_ns_add(offset_ns, display->bias_ns);
    if (display->suspected) {
        sure_ns = es_ns_sub(sure_ns, es_ns_sub(display->suspect_ns, display->followed_ns));
    }
    plan->slewed_ns = passes > 0 ? slew_ns(display, passes, sure_ns) : 0;
    int64_t even_ns = motion_ns;
    motion_ns = es_ns_add(motion_ns, plan->slewed_ns);
    motion_ns = es__most(motion_ns, display->last_motion_ns); /* of a frame that was given up */
    motion_ns = display->opened ? es__most(motion_ns, plan->motion_ns) : motion_ns;
    plan->slewed_ns = es_ns_sub(motion_ns, even_ns);
    plan->motion_ns = motion_ns;
    plan->offset_ns = es_ns_sub(es_ns_sub(plan->present_ns, motion_ns), display->removed_ns);
}

/* After a gap: one interval on, and no farther off than before. */
static void go_on(es_display *display)
{
    es_display_plan *plan = &display->plan;
    int64_t offset_ns = plan->offset_ns;
    int64_t passes = plan->interval_ns > 0 ? plan->interval_ns : 0;
    int64_t motion_ns = es_ns_add(display->last_motion_ns, passes);
    plan->motion_ns = display->opened ? es__most(motion_ns, plan->motion_ns) : motion_ns;
    display->removed_ns = es_ns_sub(es_ns_sub(plan->present_ns, plan->motion_ns), offset_ns);
}

int64_t es_display_expect(es_display *display, int64_t start_ns)
{
    display->start_ns = es__most(start_ns, display->start_ns);
    if (!es__is_on_grid(display)) {
        aim_at_submit(display);
    } else if (!aim_at_refresh(display)) {
        return display->plan.motion_ns;
    }
    int64_t passes = es__most(passes_ns(display), 0);
    if (!display->opened) {
        move_bias(display, passes);
    }
    if (display->restart && display->moved) {
        go_on(display);
    } else {
        move_content(display, passes);
    }
    display->opened = true;
    return display->plan.motion_ns;
}

void es_display_close(es_display *display, int64_t interval_ns, es_display_plan *plan)
{
    if (!es__is_on_grid(display)) {
        display->plan.interval_ns = display->mode == ES_DISPLAY_FREE ? interval_ns : 0;
    }
    display->plan.removed_ns = display->removed_ns;
    display->last_motion_ns = display->plan.motion_ns;
    display->restart = false;
    *plan = display->plan;
}

void es_display_phase(es_display *display, int64_t rest_ns)
{
    int64_t beat_ns = display->beat_ns;
    int64_t near_ns = beat_ns / PHASE_SHARE;
    int64_t off_ns = es_ns_add(display->plan.offset_ns, display->bias_ns);
    if (rest_ns < 0 || beat_ns == 0 || !es__is_on_grid(display)
            || display->bias_ns != display->bias_wanted_ns || es__absolute(off_ns) > near_ns / 4) {
        display->rests = 0;
        return;
    }
    display->rest_ns = display->rests == 0 ? rest_ns : es__least(rest_ns, display->rest_ns);
    display->rests += 1;
    int64_t by_ns = display->rest_ns - near_ns;
    if (display->rests < PHASE_FRAMES) {
        return;
    }
    display->rests = 0;
    if (es__absolute(by_ns) > near_ns / 2) {
        int64_t bias_ns = es_ns_add(display->bias_ns, by_ns);
        bias_ns -= bias_ns > beat_ns / 2 ? beat_ns : 0;
        bias_ns += bias_ns < -beat_ns / 2 ? beat_ns : 0;
        display->bias_wanted_ns = bias_ns;
    }
}

/* --- what came of it -------------------------------------------------------------------------- */

/* The median of the last few: kept in order. */
static int64_t typical_render_ns(es_display *display, int64_t render_ns)
{
    int64_t *sorted = display->sorted_ns;
    int32_t count = (int32_t)es__least(display->renders, ES_DISPLAY_RENDERS);
    int64_t *oldest_ns = &display->renders_ns[display->renders % ES_DISPLAY_RENDERS];
    int32_t at = count;
    if (count == ES_DISPLAY_RENDERS) {
        at = 0;
        while (sorted[at] != *oldest_ns) {
            at += 1;
        }
    }
    for (; at > 0 && sorted[at - 1] > render_ns; --at) {
        sorted[at] = sorted[at - 1];
    }
    for (; at + 1 < count && sorted[at + 1] < render_ns; ++at) {
        sorted[at] = sorted[at + 1];
    }
    sorted[at] = render_ns;
    *oldest_ns = render_ns;
    display->renders += 1;
    return sorted[es__least(display->renders, ES_DISPLAY_RENDERS) / 2];
}

/* The most that a frame cost of late; and what is spent from start to submit where that is even. */
static void note_work(es_display *display, int64_t now_ns, const es_display_work *work)
{
    display->render_ns = typical_render_ns(display, work->render_ns);
    int64_t work_ns = es_ns_add(work->update_ns, work->render_ns);
    bool locked = es__is_on_grid(display);
    int64_t most_ns = locked ? 3 * es__period_ns(display) * display->multiple : INT64_MAX;
    int64_t spent_ns = locked ? work_ns : work->render_ns;
    if (spent_ns < most_ns) {
        display->render_max_ns = es__most(display->render_max_ns, spent_ns);
    }
    int64_t window_ns = display->config.low_latency ? WINDOW_LATE_NS : WINDOW_NS;
    if (es_ns_sub(now_ns, display->render_window_ns) >= window_ns) {
        display->render_max_last_ns = display->render_max_ns;
        display->render_max_ns = 0;
        display->render_window_ns = now_ns;
    }
    int64_t high_ns = es__most(display->render_max_ns, display->render_max_last_ns);
    display->work_high_ns = high_ns;
    int64_t budget_ns = es_ns_add(high_ns, high_ns / 50 + 20 * ES_NS_PER_US);
    int64_t room_ns = es_ns_sub(display->plan.interval_ns, work->update_ns);
    room_ns = es_ns_sub(room_ns, work->update_ns);
    room_ns = es_ns_sub(room_ns, display->plan.interval_ns / 16);
    display->budget_ns = es__most(es__least(budget_ns, room_ns), 0);
}

void es_display_submitted(es_display *display, int64_t now_ns, const es_display_work *work)
{
    int64_t before = display->frames > 0 ? es__newest_index(display) : 0;
    bool any = display->frames > 0;
    display->frames += 1;
    display->moved = true;
    display->try_since_ns = any ? display->try_since_ns : now_ns;
    display->base_motion_ns = display->last_motion_ns;
    display->base_offset_ns = display->plan.offset_ns;
    es__frame(display, 0)->submit_ns = now_ns;
    es__frame(display, 0)->discarded = false;
    int64_t span_ns = es_ns_sub(now_ns, es__frame(display, any ? 1 : 0)->submit_ns);
    display->span_ns =
            display->span_ns == 0
                    ? span_ns
                    : es_ns_add(display->span_ns, es_ns_sub(span_ns, display->span_ns) / SPAN_MEAN);
    display->last_shown_ns = es__most(now_ns, display->plan.submit_ns);
    if (es__is_on_grid(display) && any) {
        es__queue_submit(display);
        display->locked_frames += 1;
        es__interval_note(display, now_ns, work, display->index, before);
        bool late = es__newest_index(display) > before + display->multiple;
        es__lead_note(display, late);
    }
    note_work(display, now_ns, work);
}

static void return_unlocked(es_display *display, int64_t now_ns, bool blocked)
{
    if (display->mode != ES_DISPLAY_TRYING) {
        return;
    }
    display->tried += 1;
    display->tried_blocked += blocked;
    display->run_in += !blocked && display->tried_blocked == 0;
    if (blocked && !display->is_fed) {
        es_grid_add(&display->grid, now_ns);
        if (display->grid.state == ES_GRID_LOCKED) {
            lock(display, now_ns);
        }
    }
}

/* Quick frames are never shown at the next refresh, and nobody holds them: what refreshes is the
 * display, at another rate than before. Asked once of each. */
static bool is_coarser(es_display *display, int64_t now_ns, bool blocked)
{
    int64_t index = es__index_at(display, es_ns_add(now_ns, es__early_ns(display)));
    bool skips = blocked && !display->is_fed && index - display->read_index > 1
                 && display->multiple == 1 && display->work_high_ns < es__period_ns(display);
    display->read_index = index;
    display->coarse = skips && !display->is_not_coarse ? display->coarse + 1 : 0;
    return display->coarse >= COARSE_FRAMES;
}

void es_display_returned(es_display *display, int64_t now_ns)
{
    display->blocked_ns = es_ns_sub(now_ns, es__frame(display, 0)->submit_ns);
    bool blocked = display->blocked_ns > ES__BLOCKED_NS;
    int64_t more_ns = es_ns_sub(display->blocked_ns, display->blocked_mean_ns) / BLOCKED_MEAN;
    display->blocked_mean_ns = es_ns_add(display->blocked_mean_ns, more_ns);
    int64_t locks = display->grid.locks;
    if (display->is_fed && display->frames - 1 - display->fed_frame > UNFED_AFTER) {
        display->is_fed = false;
        display->replaces = false;
    }
    display->probe_frames += 1;
    es__pace_note(display, now_ns, blocked);
    bool asked = display->mode == ES_DISPLAY_LOCKED && es__asks_return(display);
    if (asked && is_coarser(display, now_ns, blocked)) {
        start_trial(display, now_ns);
    }
    if (display->mode != ES_DISPLAY_LOCKED) {
        return_unlocked(display, now_ns, blocked);
    } else if (es__queue_return(display, now_ns, blocked) && !display->is_fed) {
        es_grid_add(&display->grid, now_ns);
        display->read_ns = now_ns;
        display->probe_readings += 1;
        if (display->grid.state == ES_GRID_LOCKED && display->grid.locks != locks) {
            lock(display, now_ns);
        }
    }
    display->returned_ns = now_ns;
}

/* No picture is seen before it was handed in, nor is it told of that long before it is seen: such
 * times are of another clock, or nonsense. */
static bool is_possible(es_display *display, int64_t age, int64_t shown_ns)
{
    const es_display_frame *newest = es__frame(display, 0);
    int64_t earliest_ns = es_ns_sub(es__frame(display, age)->submit_ns, SHOWN_EARLY_NS);
    int64_t latest_ns = es_ns_add(newest->submit_ns, es__most(display->blocked_ns, 0));
    return shown_ns >= earliest_ns && shown_ns <= es_ns_add(latest_ns, SHOWN_AHEAD_NS);
}

/* Of two pictures so close together one was seen: the newer took the place of the older. */
static void note_replaced(es_display *display, int64_t shown_ns)
{
    bool at_once = es_ns_sub(shown_ns, display->discarded_ns) < REPLACED_NS;
    if (!display->discards || !at_once) {
        display->discards = false;
        return;
    }
    display->discards = false;
    display->replaces = true;
    if (display->mode == ES_DISPLAY_TRYING) {
        go_free(display, es__frame(display, 0)->submit_ns);
    }
}

void es_display_shown(es_display *display, int64_t age, int64_t shown_ns)
{
    int64_t frame = display->frames - 1 - age;
    int64_t locks = display->grid.locks;
    if (age < 0 || age >= ES_DISPLAY_FRAMES || frame <= display->fed_frame || frame < 0) {
        return;
    }
    if (!is_possible(display, age, shown_ns)) {
        return;
    }
    display->fed_frame = frame;
    note_replaced(display, shown_ns);
    if (display->mode == ES_DISPLAY_LOCKED && display->is_fed
            && !es__queue_believes(display, age, shown_ns)) {
        return;
    }
    if (!display->is_fed) {
        display->is_fed = true;
        es_grid_drop(&display->grid);
        if (display->mode == ES_DISPLAY_LOCKED) {
            start_trial(display, shown_ns);
        }
    }
    es_grid_add(&display->grid, shown_ns);
    if (display->grid.state != ES_GRID_LOCKED) {
        if (display->mode == ES_DISPLAY_LOCKED) { /* in mid-frame, too: nothing reckons without */
            change_mode(display, shown_ns);
        }
        return;
    }
    if (display->mode != ES_DISPLAY_LOCKED || display->grid.locks != locks) {
        lock(display, shown_ns);
    }
    display->read_ns = shown_ns;
    es__queue_shown(display, age, shown_ns);
}

void es_display_discarded(es_display *display, int64_t age)
{
    int64_t frame = display->frames - 1 - age;
    if (age < 0 || age >= ES_DISPLAY_FRAMES || frame <= display->fed_frame || frame < 0) {
        return;
    }
    display->fed_frame = frame;
    if (!display->discards) {
        display->discarded_ns = es__frame(display, age)->submit_ns;
    }
    display->discards = true;
    es__frame(display, age)->discarded = true;
    if (display->replaces && display->mode == ES_DISPLAY_LOCKED) {
        es__queue_discarded(display, age);
    }
}

void es_display_varies(es_display *display)
{
    display->varies = true;
    display->is_fixed = false;
}

void es_display_gap(es_display *display, int64_t removed_ns, bool clock_wrong)
{
    if (!clock_wrong) {
        int64_t cut_ns = es_ns_sub(0, removed_ns);
        es_grid_shift(&display->grid, cut_ns);
        display->last_shown_ns = es_ns_add(display->last_shown_ns, cut_ns);
        display->restart = display->moved;
    }
    if (clock_wrong || display->mode != ES_DISPLAY_LOCKED) {
        display->phase_unknown = true;
        display->suspect_frames = 0;
        display->read_ns = es_ns_sub(display->read_ns, PROBE_AFTER_NS); /* ask soon */
    }
    display->suspected = false;
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
    return status;
}
