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
#include "lead.h"
#include "refresh.h"
#include "target.h"

static void start_window(const es__display *display, es__hold_window *window)
{
    *window = (es__hold_window){.since_ns = display->begin_ns};
}

static int32_t refreshes_for(double need_ns, double period_ns)
{
    return (int32_t)(need_ns / (ES__TUNE(fits) * period_ns)) + 1;
}

/* A cap this little below the refresh rate means every refresh: 58 on 60 Hz, 138 on 144. */
#define CAP_NEAR 0.05

/* By this share whole refreshes may exceed a cap: 30 on 60.2 Hz. */
#define CAP_OVER 0.02

bool es__cap_is_uneven(double interval_ns, double refresh_ns)
{
    if (refresh_ns <= 0.0 || interval_ns * (1.0 - CAP_NEAR) <= refresh_ns) {
        return false;
    }
    double refreshes = interval_ns / refresh_ns;
    double off = refreshes / (double)(int64_t)(refreshes + 0.5) - 1.0;
    return off > CAP_OVER || off < -CAP_OVER;
}

static bool cap_binds(const es__display *display)
{
    double interval_ns = (double)display->config.interval_ns;
    return display->refresh.period_ns > 0.0
           && interval_ns * (1.0 - CAP_NEAR) > display->refresh.period_ns;
}

static int32_t hold_for_cap(const es__display *display, double period_ns)
{
    double interval_ns = (double)display->config.interval_ns;
    bool binds = interval_ns * (1.0 - CAP_NEAR) > period_ns;
    return binds ? (int32_t)(interval_ns / period_ns / (1.0 + CAP_OVER)) + 1 : 1;
}

int32_t es__wanted_hold(const es__display *display)
{
    return cap_binds(display) ? hold_for_cap(display, display->refresh.period_ns) : 1;
}

int32_t es__swap_interval(const es__display *display)
{
    bool counts = display->targets.refreshes && display->refresh.known_ns > 0.0;
    if (display->source == ES_FORECAST_REFRESH) {
        return display->hold;
    }
    return counts ? hold_for_cap(display, display->refresh.known_ns) : 1;
}

/* At least two refreshes may be held, also at 24 Hz; and the interval that the user wants. */
static int32_t most_held(const es__display *display)
{
    int64_t most =
            es__to_ns((double)display->config.interval_max_ns / display->refresh.period_ns - 0.5);
    most = display->config.hold_never ? 1 : es__max(most, 2);
    return (int32_t)es__max(most, es__wanted_hold(display));
}

static bool is_queued(const es__display *display)
{
    return display->distance > 0 && !display->config.low_latency;
}

/* What a frame takes from its begin until it is ready. With a queue the GPU works on it while the
 * next frame begins, so the longer of both counts. */
static int64_t needed_ns(const es__display *display, int64_t work_ns)
{
    int64_t hidden_ns = es__flips_hidden_ns(display);
    return is_queued(display) ? es__max(work_ns, hidden_ns) : es__ns_add(work_ns, hidden_ns);
}

/* How many refreshes the work of a window needs. */
static int32_t needed_hold(const es__display *display, const es__hold_window *window)
{
    int32_t needed = refreshes_for(window->work_ns / window->frames, display->refresh.period_ns);
    return (int32_t)es__min(es__max(needed, es__wanted_hold(display)), most_held(display));
}

/* A change that the opposite one soon follows was in vain: the next one takes twice as long. */
static void change_hold(es__display *display, int32_t hold)
{
    bool longer = hold > display->hold;
    double lasted_ns = (double)es__ns_sub(display->begin_ns, display->held_ns);
    bool in_vain = display->held_ns != 0 && lasted_ns < ES__TUNE(lasting_ns);
    int32_t *after = longer ? &display->shorter_after : &display->longer_after;
    *after = in_vain ? (int32_t)es__min(2 * *after, ES_HOLD_WINDOWS) : 1;
    display->held_ns = display->begin_ns;
    display->hold = hold;
    display->longer_windows = 0;
    display->shorter_windows = 0;
}

/* Frames are held only for refreshes that are certain, and fixed. Without a reading in the last
 * window nothing tells a fixed refresh from a variable one. Targets that are kept make uneven times
 * exact, too. */
static bool may_hold(const es__display *display)
{
    const es__refresh *refresh = &display->refresh;
    return !es__target_is_exact(display) && refresh->taken == ES_REFRESH_RECENT
           && refresh->fixed >= 0.0 && refresh->read_ns > display->window.since_ns;
}

static void note_window(
        const es__display *display, es__hold_window *window, int64_t taken, double work_ns)
{
    double fits_ns = ES__TUNE(fits) * display->refresh.period_ns;
    double most_ns = ES__TUNE(stall) * display->hold * display->refresh.period_ns;
    window->frames += 1;
    window->refreshes += es__min(taken, (int64_t)ES__TUNE(stall) * display->hold);
    window->work_ns += es__min_f64(work_ns, most_ns);
    window->too_long += work_ns > display->hold * fits_ns;
    window->too_long_shorter += work_ns > (display->hold - 1) * fits_ns;
}

/* A second has passed. */
static void consider_longer(es__display *display)
{
    const es__hold_window *window = &display->window;
    double taken = (double)window->refreshes / window->frames;
    bool steady = window->too_long >= ES__TUNE(hold_steady) * window->frames
                  && taken > ES__TUNE(hold_share) * display->hold && may_hold(display);
    display->longer_windows = steady ? display->longer_windows + 1 : 0;
    int32_t needed = needed_hold(display, window);
    needed = needed > display->hold ? needed : display->hold + 1;
    needed = (int32_t)es__min(needed, most_held(display));
    if (display->longer_windows >= display->longer_after && needed > display->hold) {
        change_hold(display, needed);
    } else if (!may_hold(display) && display->hold > es__wanted_hold(display)) {
        change_hold(display, es__wanted_hold(display));
    }
    /* frames that were ready were not shown at their refresh: there is none */
    if (taken >= ES__TUNE(hold_steady) * (display->hold + 1)
            && window->too_long <= (1.0 - ES__TUNE(hold_steady)) * window->frames) {
        es__refresh_doubt(&display->refresh);
    }
}

/* A quarter of a second has passed. */
static void consider_shorter(es__display *display)
{
    const es__hold_window *window = &display->short_window;
    bool fits = window->too_long_shorter <= (1.0 - ES__TUNE(hold_steady)) * window->frames;
    display->shorter_windows = fits ? display->shorter_windows + 1 : 0;
    int32_t needed = needed_hold(display, window);
    if (display->shorter_windows >= display->shorter_after && needed < display->hold) {
        change_hold(display, needed);
    }
}

void es__hold_note(es__display *display, const es__display_work *work, int64_t taken)
{
    double work_ns = (double)needed_ns(display, es__ns_add(work->update_ns, work->render_ns));
    double passed_ns = (double)es__ns_sub(display->begin_ns, display->window.since_ns);
    double short_ns = (double)es__ns_sub(display->begin_ns, display->short_window.since_ns);
    note_window(display, &display->window, taken, work_ns);
    note_window(display, &display->short_window, taken, work_ns);
    if (passed_ns >= ES__TUNE(hold_ns)) {
        if (display->window.frames > ES__TUNE(readings)) {
            consider_longer(display);
        }
        start_window(display, &display->window);
    }
    if (short_ns >= ES__TUNE(hold_ns) / 4.0) {
        if (display->short_window.frames > ES__TUNE(readings_known)) {
            consider_shorter(display);
        }
        start_window(display, &display->short_window);
    }
}

/* Under a cap the longest of the recent frames is ready half a refresh before its own; with a target all with
 * its slack. */
static int64_t cap_lead_ns(const es__display *display, int32_t ticks)
{
    double period_ns = display->refresh.period_ns;
    int64_t longest_ns = es__work_cost_longest(&display->renders);
    if (es__target_is_on(display)) {
        int64_t expected_ns = es__work_cost_of(&display->renders, ticks);
        longest_ns = es__max(longest_ns, es__ns_add(expected_ns, es__target_slack_ns(display)));
    }
    int64_t work_ns = es__ns_add(longest_ns, display->update_ns);
    int64_t most_ns = es__to_ns((display->hold + 0.5) * period_ns);
    return es__min(es__ns_add(work_ns, es__to_ns(period_ns / 2.0)), most_ns);
}

int64_t es__hold_begin_ns(es__display *display, int64_t now_ns, int32_t ticks)
{
    if (display->hold < es__wanted_hold(display)) {
        change_hold(display, es__wanted_hold(display));
    }
    int64_t target = es__flips_index(display, 0) + display->hold;
    int64_t target_ns = es__refresh_time_ns(&display->refresh, target);
    int64_t lead_ns = INT64_MAX;
    if (display->config.low_latency) {
        lead_ns = es__lead_ns(display, now_ns, ticks, !cap_binds(display));
    } else if (cap_binds(display)) {
        lead_ns = cap_lead_ns(display, ticks);
    } else if (display->hold > 1) {
        lead_ns = es__to_ns((display->hold + 0.5) * display->refresh.period_ns);
    }
    if (lead_ns == INT64_MAX) {
        return now_ns;
    }
    lead_ns = es__ns_add(lead_ns, es__flips_hidden_ns(display));
    return es__max(es__ns_sub(target_ns, lead_ns), now_ns);
}

/* A frame that is ready after the refresh before its own does not flip too early. */
int64_t es__hold_submit_ns(const es__display *display, int64_t index)
{
    if (display->hold < 2) {
        return INT64_MIN;
    }
    int64_t after_ns = es__to_ns(ES__TUNE(impossible) * display->refresh.period_ns);
    int64_t ready_ns = es__ns_add(es__refresh_time_ns(&display->refresh, index - 1), after_ns);
    return es__ns_sub(ready_ns, es__flips_hidden_ns(display));
}
