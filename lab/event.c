/* SPDX-License-Identifier: Zlib
 *
 * What a viewer sees after an event: how much motion went wrong, for how long, and at which speed.
 */
#include "lab/run.h"

static const int64_t horizon_ns = 5 * ES_NS_PER_S; /* after the event's end */
static const int64_t half_second_ns = ES_NS_PER_S / 2;
static const int64_t speed_window_ns = 100 * ES_NS_PER_MS;
static const double settled_share = 0.02; /* of a refresh */

enum { SMOOTH = 4 }; /* half seconds */

int64_t lab_event_ns(const lab_machine *machine)
{
    const lab_machine_config *config = &machine->config;
    const lab_scenario *scenario = &config->scenario;
    double span = (double)(config->duration_ns - config->warm_up_ns);
    int64_t last_ns = -1;
    if (scenario->render.surge > 0.0) {
        last_ns = config->warm_up_ns + (int64_t)(scenario->render.surge_from * span);
    }
    for (int i = 0; i < LAB_INCIDENTS && scenario->incidents[i].place != LAB_PLACE_NONE; ++i) {
        int64_t at_ns = config->warm_up_ns + (int64_t)(scenario->incidents[i].at * span);
        last_ns = at_ns > last_ns ? at_ns : last_ns;
    }
    for (int i = 0; i < LAB_CHANGES && config->display.changes[i].at_ns != 0; ++i) {
        int64_t at_ns = config->display.changes[i].at_ns;
        last_ns = at_ns > last_ns ? at_ns : last_ns;
    }
    return last_ns >= 0 ? last_ns : INT64_MAX;
}

static int64_t passed_ns(const lab_frame *frame)
{
    return frame[0].shown_ns - frame[-1].shown_ns;
}

static double error_ms(const lab_frame *frame)
{
    int64_t error_ns = frame[0].content_ns - frame[-1].content_ns - passed_ns(frame);
    error_ns = frame[0].reappears ? 0 : error_ns;
    return ns_to_ms(error_ns < 0 ? -error_ns : error_ns);
}

/* Whether the step to a frame belongs to the event itself. */
static bool is_event(const lab_frame *frame)
{
    return frame[0].disturbed || frame[-1].disturbed || frame[0].reappears;
}

/* --- speed ------------------------------------------------------------------------------------ */

/* The steps from first + 1 to last, without those of the event. */
typedef struct speed_window {
    const lab_frame *frames;
    size_t first;
    int64_t moved_ns;
    int64_t passed_ns;
} speed_window;

static void speed_add(speed_window *w, size_t i, int64_t sign)
{
    const lab_frame *frame = &w->frames[i];
    if (!is_event(frame)) {
        w->moved_ns += sign * (frame[0].content_ns - frame[-1].content_ns);
        w->passed_ns += sign * passed_ns(frame);
    }
}

/* Content's speed over the shortest window that ends with frame i and has 100 ms; 1: there is
 * none. i rises from call to call. */
static double speed_at(speed_window *w, size_t i)
{
    speed_add(w, i, 1);
    while (w->first + 1 < i) {
        const lab_frame *oldest = &w->frames[w->first + 1];
        if (!is_event(oldest) && w->passed_ns - passed_ns(oldest) < speed_window_ns) {
            break;
        }
        w->first += 1;
        speed_add(w, w->first, -1);
    }
    bool is_full = w->passed_ns >= speed_window_ns;
    return is_full ? (double)w->moved_ns / (double)w->passed_ns : 1.0;
}

/* --- settling --------------------------------------------------------------------------------- */

/* Until the first SMOOTH half seconds in a row whose median is below the limit: at most half of their
 * steps are at or above it. The horizon, if there are none before it or before the run's end. */
static double settle_ms(const lab_frame *frames, size_t count, size_t end, double limit_ms)
{
    int64_t from_ns = frames[end].shown_ns;
    int64_t windows = (frames[count - 1].shown_ns - from_ns) / half_second_ns; /* whole ones */
    int64_t smooth = 0;
    size_t i = end + 1;
    for (int64_t window = 1; window <= windows; ++window) {
        size_t steps = 0;
        size_t above = 0;
        for (; i < count && frames[i].shown_ns - from_ns < window * half_second_ns; ++i) {
            steps += 1;
            above += error_ms(&frames[i]) >= limit_ms;
        }
        smooth = above * 2 > steps ? 0 : smooth + 1;
        int64_t settled_ns = (window - smooth) * half_second_ns;
        if (smooth == SMOOTH && settled_ns < horizon_ns) {
            return ns_to_ms(settled_ns);
        }
    }
    return ns_to_ms(horizon_ns);
}

/* The frame that ends the event: the one after the last disturbed one; else the first after its
 * start. count: there is none. */
static size_t end_of(const lab_frame *frames, size_t count, size_t start)
{
    size_t end = start;
    for (size_t i = start; i < count; ++i) {
        if (frames[i].disturbed) {
            end = i + 1;
        }
    }
    return end;
}

void lab_measure_event(const lab_frame *frames, size_t count, size_t first, int64_t event_ns,
        int64_t refresh_ns, lab_measures *measures)
{
    if (first + 1 >= count) {
        return;
    }
    size_t start = first;
    while (start < count && frames[start].shown_ns < event_ns) {
        start += 1;
    }
    size_t end = end_of(frames, count, start);
    int64_t until_ns = end < count ? ns_add(frames[end].shown_ns, horizon_ns) : INT64_MAX;
    int64_t mean_ns =
            (frames[count - 1].shown_ns - frames[first].shown_ns) / (int64_t)(count - 1 - first);
    double limit_ms = settled_share * ns_to_ms(refresh_ns > 0 ? refresh_ns : mean_ns);
    speed_window window = {.frames = frames, .first = first};
    size_t slow = 0;
    for (size_t i = first + 1; i < count; ++i) {
        double speed = speed_at(&window, i);
        bool after = i > end && frames[i].shown_ns < until_ns;
        slow += speed < 0.9;
        if (after && (speed < 0.9 || speed > 1.1)) {
            measures->event_off_speed_ms += ns_to_ms(passed_ns(&frames[i]));
        }
        if (i >= start && frames[i].shown_ns < until_ns) {
            measures->event_total_ms += error_ms(&frames[i]);
        }
    }
    measures->slow_share = (double)slow / (double)(count - 1 - first);
    if (event_ns < INT64_MAX) {
        measures->event_settle_ms =
                end < count ? settle_ms(frames, count, end, limit_ms) : ns_to_ms(horizon_ns);
    }
}
