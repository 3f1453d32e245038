/* SPDX-License-Identifier: Zlib
 *
 * Work that does not fit a refresh makes frames stay for one refresh, then for two. Even times are
 * smoother: each stays for two. What fits is decided by the cost of the work, never by the measured
 * intervals, which waiting fills up (Swappy's authors name this fault in their own).
 */
#include "hold.h"

#include "base/common.h"
#include "constants.h"
#include "flips.h"
#include "refresh.h"

static int64_t hidden_render_ns(const es__display *display)
{
    return display->flips[display->distance].hidden_ns;
}

static void start_hold_window(es__display *display)
{
    const es__hold_window none = {0};
    display->window = none;
    display->window.since_ns = display->begin_ns;
}

static int32_t refreshes_for(double need_ns, double period_ns)
{
    return (int32_t)(need_ns / (ES__TUNE(fits) * period_ns)) + 1;
}

/* A cap this little below the refresh rate means every refresh: 58 on 60 Hz, 138 on 144. */
#define CAP_NEAR 0.05

/* By this share whole refreshes may exceed a cap: 30 on 60.2 Hz. */
#define CAP_OVER 0.02

static bool cap_binds(const es__display *display)
{
    double interval_ns = (double)display->config.interval_ns;
    return display->refresh.period_ns > 0.0
           && interval_ns * (1.0 - CAP_NEAR) > display->refresh.period_ns;
}

int32_t es__wanted_hold(const es__display *display)
{
    double wanted = (double)display->config.interval_ns / display->refresh.period_ns;
    return cap_binds(display) ? (int32_t)(wanted / (1.0 + CAP_OVER)) + 1 : 1;
}

/* At least two refreshes may be held, also at 24 Hz; and the interval that the user wants. */
static int32_t most_held(const es__display *display)
{
    int64_t most =
            es__to_ns((double)display->config.interval_max_ns / display->refresh.period_ns - 0.5);
    most = display->config.hold_never ? 1 : es__max(most, 2);
    return (int32_t)es__max(most, es__wanted_hold(display));
}

/* With a queue the mean of the work must fit, without one nearly each frame's. */
static bool is_queued(const es__display *display)
{
    return display->distance > 0 && !display->config.low_latency;
}

/* What a frame takes from its begin until it is ready. With a queue the GPU works on it while the
 * next frame begins, so the longer of both counts. */
static int64_t needed_ns(const es__display *display, int64_t work_ns)
{
    int64_t hidden_ns = hidden_render_ns(display);
    return is_queued(display) ? es__max(work_ns, hidden_ns) : es__ns_add(work_ns, hidden_ns);
}

/* How many refreshes the work of the window needs. */
static int32_t needed_hold(const es__display *display)
{
    const es__hold_window *window = &display->window;
    int32_t needed = refreshes_for(window->work_ns / window->frames, display->refresh.period_ns);
    if (!is_queued(display)) {
        double most = (ES__TUNE(hold_share) - 1.0) * window->frames;
        bool fits = window->too_long_shorter * ES__TUNE(match_frames) < window->frames;
        int32_t least = window->too_long > most ? display->hold + 1 : fits ? 1 : display->hold;
        needed = (int32_t)es__max(needed, least);
    }
    return (int32_t)es__min(es__max(needed, es__wanted_hold(display)), most_held(display));
}

/* The load may be over. */
static bool is_too_long_now(const es__display *display)
{
    double fits_ns = ES__TUNE(fits) * display->hold * display->refresh.period_ns;
    int64_t most_ns = es__ns_add(es__work_cost_longest(&display->renders), display->update_ns);
    return (double)needed_ns(display, most_ns) > fits_ns;
}

static void change_hold(es__display *display, int32_t hold)
{
    bool longer = hold > display->hold;
    bool in_vain = longer && display->shrank && display->windows < 2 * display->shorter_after;
    display->shorter_after = in_vain  ? 2 * display->shorter_after
                             : longer ? 2
                                      : display->shorter_after;
    display->shrank = !longer;
    display->hold = hold;
    display->windows = 0;
    display->shorter_windows = 0;
}

/* Frames are held only for refreshes that are certain, and fixed. Without a reading in the last
 * window nothing tells a fixed refresh from a variable one. */
static bool may_hold(const es__display *display)
{
    const es__refresh *refresh = &display->refresh;
    return refresh->taken == ES_REFRESH_RECENT && 2.0 * refresh->between < 1.0
           && refresh->read_ns > display->window.since_ns;
}

/* A second has passed. */
static void decide_hold(es__display *display)
{
    int32_t needed = may_hold(display) ? needed_hold(display) : es__wanted_hold(display);
    double taken = (double)display->window.refreshes / display->window.frames;
    display->windows += 1;
    display->shorter_windows = needed < display->hold ? display->shorter_windows + 1 : 0;
    if (needed > display->hold && taken > ES__TUNE(hold_share) * display->hold
            && is_too_long_now(display) && may_hold(display)) {
        change_hold(display, needed);
    } else if (display->shorter_windows >= display->shorter_after) {
        change_hold(display, needed);
    }
}

void es__hold_note(es__display *display, const es__display_work *work, int64_t taken)
{
    es__hold_window *window = &display->window;
    double fits_ns = ES__TUNE(fits) * display->refresh.period_ns;
    double most_ns = ES__TUNE(stall) * display->hold * display->refresh.period_ns;
    double work_ns = (double)needed_ns(display, es__ns_add(work->update_ns, work->render_ns));
    window->frames += 1;
    window->refreshes += es__min(taken, (int64_t)ES__TUNE(stall) * display->hold);
    window->work_ns += es__min_f64(work_ns, most_ns);
    window->too_long += work_ns > display->hold * fits_ns;
    window->too_long_shorter += work_ns > (display->hold - 1) * fits_ns;
    if ((double)es__ns_sub(display->begin_ns, window->since_ns) < ES__TUNE(hold_ns)) {
        return;
    }
    if (window->frames > ES__TUNE(readings)) {
        decide_hold(display);
    }
    start_hold_window(display);
}

void es__lead_note(es__display *display, bool late)
{
    double period_ns = display->refresh.period_ns;
    double step_ns = ES__TUNE(arc) * period_ns;
    double share = display->config.missed_max * ES__TUNE(aim);
    double margin_ns = display->margin_ns + (late ? step_ns : -step_ns * share / (1.0 - share));
    double least_ns = ES__TUNE(impossible) * period_ns;
    display->margin_ns = es__min_f64(es__max_f64(margin_ns, least_ns), 2.0 * period_ns);
}

/* Without feedback, frames that begin late never wait, and nothing tells of refreshes then. So
 * now and then frames begin at once, until the queue has filled and presents have waited. */
static bool probes_display(es__display *display, int64_t now_ns)
{
    double error_ns = es__refresh_error_ns(&display->refresh, now_ns);
    bool wrong = error_ns > ES__TUNE(coast) * display->refresh.period_ns / 2.0;
    bool old = (double)es__ns_sub(now_ns, display->refresh.read_ns) > ES__TUNE(probe_ns);
    if ((wrong || old) && display->probe == 0) {
        display->probe = (int32_t)(ES__TUNE(readings) + ES_DISPLAY_QUEUES);
    }
    display->probe -= display->probe > 0;
    return display->probe > 0;
}

/* Under a cap the longest of the recent frames is ready half a refresh before its own. */
static int64_t cap_lead_ns(const es__display *display)
{
    double period_ns = display->refresh.period_ns;
    int64_t margin_ns = es__to_ns(es__max_f64(display->margin_ns, period_ns / 2.0));
    int64_t work_ns = es__ns_add(es__work_cost_longest(&display->renders), display->update_ns);
    int64_t most_ns = es__to_ns((display->hold + 0.5) * period_ns);
    return es__min(es__ns_add(work_ns, margin_ns), most_ns);
}

int64_t es__hold_begin_ns(es__display *display, int64_t now_ns, int64_t render_ns)
{
    double period_ns = display->refresh.period_ns;
    if (display->hold < es__wanted_hold(display)) {
        change_hold(display, es__wanted_hold(display));
    }
    int64_t target = es__flips_index(display, 0) + display->hold;
    int64_t target_ns = es__refresh_time_ns(&display->refresh, target);
    int64_t work_ns = es__ns_add(render_ns, display->update_ns);
    int64_t lead_ns = es__ns_add(hidden_render_ns(display), work_ns);
    bool queue_known = (double)display->returns >= ES__TUNE(readings);
    if (cap_binds(display) && !display->config.low_latency) {
        lead_ns = es__ns_add(hidden_render_ns(display), cap_lead_ns(display));
    } else if (display->hold > 1 && !display->config.low_latency) {
        lead_ns =
                es__ns_add(hidden_render_ns(display), es__to_ns((display->hold + 0.5) * period_ns));
    } else if (display->config.low_latency && queue_known
               && (cap_binds(display) || !probes_display(display, now_ns))) {
        lead_ns = es__ns_add(lead_ns, es__to_ns(display->margin_ns));
    } else {
        return now_ns;
    }
    return es__max(es__ns_sub(target_ns, lead_ns), now_ns);
}

/* A frame that is ready after the refresh before its own does not flip too early. */
int64_t es__hold_submit_ns(const es__display *display, int64_t index)
{
    if (display->hold < 2) {
        return INT64_MIN;
    }
    int64_t after_ns = es__to_ns(ES__TUNE(coast) * display->refresh.period_ns);
    int64_t ready_ns = es__ns_add(es__refresh_time_ns(&display->refresh, index - 1), after_ns);
    return es__ns_sub(ready_ns, hidden_render_ns(display));
}
