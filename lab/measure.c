/* SPDX-License-Identifier: Zlib
 *
 * The measures of a run. Everything is summed in the order of the frames, so the same frames give
 * the same bits.
 */
#include "lab/run.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double ns_per_ms = 1e6;
static const double arcmin_per_ms = 20.0 * 60.0 / 1000.0; /* at 20 degrees per second */
static const int64_t jump_ns = 25 * ES_NS_PER_MS;

typedef struct tally {
    double *magnitudes;
    size_t count;
    double sum;
    double sum_abs;
    double sum_squares;
    double max;
} tally;

static void tally_add(tally *t, double error)
{
    double magnitude = error < 0.0 ? -error : error;
    t->magnitudes[t->count] = magnitude;
    t->count += 1;
    t->sum += error;
    t->sum_abs += magnitude;
    t->sum_squares += error * error;
    t->max = magnitude > t->max ? magnitude : t->max;
}

static lab_error tally_finish(tally *t)
{
    lab_error error = {0};
    if (t->count == 0) {
        return error;
    }
    double n = (double)t->count;
    error.mean_abs_ms = t->sum_abs / n / ns_per_ms;
    error.bias_ms = t->sum / n / ns_per_ms;
    error.rms_ms = sqrt(t->sum_squares / n) / ns_per_ms;
    error.max_ms = t->max / ns_per_ms;
    /* the larger percentile first: smaller values are before it then */
    size_t p99 = lab_rank(t->count, 990);
    error.p99_ms = lab_select_nth(t->magnitudes, t->count, p99) / ns_per_ms;
    error.median_ms = lab_select_nth(t->magnitudes, p99 + 1, lab_rank(t->count, 500)) / ns_per_ms;
    return error;
}

/* --- frame by frame --------------------------------------------------------------------------- */

static double interval_of(const lab_frame *frame)
{
    return (double)(frame[0].shown_ns - frame[-1].shown_ns);
}

static void measure_animation(
        const lab_frame *frames, size_t count, double *scratch, lab_measures *measures)
{
    tally errors = {.magnitudes = scratch};
    int64_t lag_ns = frames[0].shown_ns - frames[0].content_ns;
    int64_t drift_ns = 0;
    size_t repeats = 0;
    size_t jumps = 0;
    for (size_t i = 1; i < count; ++i) {
        int64_t moved_ns = frames[i].content_ns - frames[i - 1].content_ns;
        int64_t passed_ns = frames[i].shown_ns - frames[i - 1].shown_ns;
        if (!frames[i].reappears) {
            tally_add(&errors, (double)(moved_ns - passed_ns));
            jumps += moved_ns - passed_ns > jump_ns || passed_ns - moved_ns > jump_ns;
        }
        repeats += moved_ns == 0;
        int64_t off_ns = frames[i].shown_ns - frames[i].content_ns - lag_ns;
        int64_t size_ns = off_ns < 0 ? -off_ns : off_ns;
        drift_ns = size_ns > drift_ns ? size_ns : drift_ns;
    }
    const lab_frame *last = &frames[count - 1];
    measures->animation = tally_finish(&errors);
    measures->retina_arcmin = arcmin_per_ms * measures->animation.p99_ms;
    measures->repeat_share = (double)repeats / (double)(count - 1);
    measures->lost_ms = (double)(last->shown_ns - last->content_ns - lag_ns) / ns_per_ms;
    measures->drift_ms = (double)drift_ns / ns_per_ms;
    double minutes = (double)(last->shown_ns - frames[0].shown_ns) / 60e9;
    measures->jumps_per_min = minutes > 0.0 ? (double)jumps / minutes : 0.0;
}

/* Of the refreshes that repeated a frame, those within the interval that its loop intended. */
static int64_t planned_repeats(const lab_frame *frame, int64_t otherwise_ns)
{
    int64_t refresh_ns = frame->refresh_ns > 0 ? frame->refresh_ns : otherwise_ns;
    if (refresh_ns <= 0 || frame->interval_ns <= 0 || frame->refreshes <= 1) {
        return 0;
    }
    int64_t intended = (frame->interval_ns + refresh_ns / 2) / refresh_ns;
    int64_t planned = intended < frame->refreshes ? intended : frame->refreshes;
    return planned > 1 ? planned - 1 : 0;
}

static void measure_intervals(const lab_frame *frames, size_t count, int64_t refresh_ns,
        double *scratch, lab_measures *measures)
{
    double otherwise = (double)refresh_ns;
    if (refresh_ns == 0) {
        for (size_t i = 1; i < count; ++i) {
            scratch[i - 1] = interval_of(&frames[i]);
        }
        otherwise = lab_select_nth(scratch, count - 1, lab_rank(count - 1, 500));
    }
    tally errors = {.magnitudes = scratch};
    int64_t refreshes = 0;
    int64_t missed = 0;
    int64_t planned = 0;
    for (size_t i = 1; i < count; ++i) {
        double intended = (double)frames[i].interval_ns;
        double now = frames[i].refresh_ns > 0 ? (double)frames[i].refresh_ns : otherwise;
        if (frames[i].reappears) {
            continue;
        }
        tally_add(&errors, interval_of(&frames[i]) - (intended > 0.0 ? intended : now));
        refreshes += frames[i].refreshes;
        missed += frames[i].refreshes > 1 ? frames[i].refreshes - 1 : 0;
        planned += planned_repeats(&frames[i], refresh_ns);
    }
    measures->interval = tally_finish(&errors);
    measures->interval_ms = (double)(frames[count - 1].shown_ns - frames[0].shown_ns)
                            / (double)(count - 1) / ns_per_ms;
    measures->frames_per_s = measures->interval_ms > 0.0 ? 1000.0 / measures->interval_ms : 0.0;
    measures->missed_share = refreshes > 0 ? (double)missed / (double)refreshes : 0.0;
    measures->planned_repeat_share = refreshes > 0 ? (double)planned / (double)refreshes : 0.0;
}

static void measure_ticks_and_input(
        const lab_frame *frames, size_t count, double *scratch, lab_measures *measures)
{
    tally ages = {.magnitudes = scratch};
    int64_t ticks = 0;
    size_t shorts = 0;
    measures->ticks_min = frames[0].ticks;
    measures->ticks_max = frames[0].ticks;
    for (size_t i = 0; i < count; ++i) {
        int32_t n = frames[i].ticks;
        ticks += n;
        shorts += frames[i].short_ns > 0;
        measures->ticks_min = n < measures->ticks_min ? n : measures->ticks_min;
        measures->ticks_max = n > measures->ticks_max ? n : measures->ticks_max;
        tally_add(&ages, (double)(frames[i].shown_ns - frames[i].input_ns));
    }
    measures->ticks_mean = (double)ticks / (double)count;
    measures->short_share = (double)shorts / (double)count;
    lab_error age = tally_finish(&ages);
    measures->input_age_ms = age.bias_ms;
    measures->input_age_p99_ms = age.p99_ms;
    double variance = age.rms_ms * age.rms_ms - age.bias_ms * age.bias_ms;
    measures->input_age_sd_ms = variance > 0.0 ? sqrt(variance) : 0.0;
}

/* --- pursuit error ---------------------------------------------------------------------------- */

static const int64_t window_ns = 250 * ES_NS_PER_MS;

/* The sums slide with the window. After this many slides they are made again about a near origin,
 * which limits rounding errors. */
enum { SLIDES_MAX = 64 };

/* Frames from first to end - 1, as x = D and y = C - D from the origin, in ms. The best line
 * through (D, C - D) leaves the same residual as the one through (D, C). */
typedef struct window {
    const lab_frame *frames;
    size_t first;
    size_t end;
    size_t origin;
    double x;
    double y;
    double xx;
    double xy;
    double yy;
} window;

static void window_add(window *w, size_t i, double sign)
{
    const lab_frame *frame = &w->frames[i];
    const lab_frame *origin = &w->frames[w->origin];
    int64_t shown_ns = frame->shown_ns - origin->shown_ns;
    int64_t moved_ns = frame->content_ns - origin->content_ns;
    double x = (double)shown_ns / ns_per_ms;
    double y = (double)(moved_ns - shown_ns) / ns_per_ms;
    w->x += sign * x;
    w->y += sign * y;
    w->xx += sign * x * x;
    w->xy += sign * x * y;
    w->yy += sign * y * y;
}

static void window_start(window *w, const lab_frame *frames, size_t first, size_t end)
{
    *w = (window){.frames = frames, .first = first, .end = end, .origin = first};
    for (size_t i = first; i < end; ++i) {
        window_add(w, i, 1.0);
    }
}

/* The sum of squared residuals of the best line. */
static double window_rest(const window *w)
{
    double n = (double)(w->end - w->first);
    double sxx = w->xx - w->x * w->x / n;
    double sxy = w->xy - w->x * w->y / n;
    double syy = w->yy - w->y * w->y / n;
    double rest = sxx > 0.0 ? syy - sxy * sxy / sxx : syy;
    return rest > 0.0 ? rest : 0.0;
}

/* Whether content moved at another speed than 1, by over 5 %. */
static bool is_off_speed(const window *w)
{
    const lab_frame *from = &w->frames[w->first];
    const lab_frame *to = &w->frames[w->end - 1];
    double passed = (double)(to->shown_ns - from->shown_ns);
    double moved = (double)(to->content_ns - from->content_ns);
    return moved < 0.95 * passed || moved > 1.05 * passed;
}

static void measure_windows(const lab_frame *frames, size_t count, lab_measures *measures)
{
    window w;
    double rest = 0.0;
    double weight = 0.0;
    size_t windows = 0;
    size_t off_speed = 0;
    window_start(&w, frames, 0, 1);
    for (size_t first = 0; first < count; ++first) {
        if (first - w.origin >= SLIDES_MAX || w.end <= first) {
            window_start(&w, frames, first, w.end > first ? w.end : first + 1);
        } else if (first > w.first) {
            window_add(&w, w.first, -1.0);
            w.first = first;
        }
        while (w.end < count && frames[w.end].shown_ns - frames[first].shown_ns < window_ns) {
            window_add(&w, w.end, 1.0);
            w.end += 1;
        }
        bool is_full = w.end < count;
        if (w.end - w.first >= 3 && (is_full || weight == 0.0)) {
            rest += window_rest(&w);
            weight += (double)(w.end - w.first);
            off_speed += is_off_speed(&w);
            windows += 1;
        }
    }
    measures->pursuit_ms = weight > 0.0 ? sqrt(rest / weight) : 0.0;
    measures->off_speed_share = windows > 0 ? (double)off_speed / (double)windows : 0.0;
}

/* Frames per half second, one after the other. */
static void measure_rate_changes(const lab_frame *frames, size_t count, lab_measures *measures)
{
    static const int64_t span_ns = 500 * ES_NS_PER_MS;
    int64_t spans = (frames[count - 1].shown_ns - frames[0].shown_ns) / span_ns;
    int64_t before = -1;
    size_t changes = 0;
    size_t i = 0;
    for (int64_t n = 0; n < spans; ++n) {
        int64_t seen = 0;
        for (; i < count && frames[i].shown_ns - frames[0].shown_ns < (n + 1) * span_ns; ++i) {
            seen += 1;
        }
        int64_t more = seen > before ? seen - before : before - seen;
        changes += before >= 0 && more > 1 && 10 * more > before;
        before = seen;
    }
    measures->rate_changes_per_min = spans > 0 ? 120.0 * (double)changes / (double)spans : 0.0;
}

void lab_measure(const lab_frame *frames, size_t count, size_t first, int64_t refresh_ns,
        double *scratch, lab_measures *measures)
{
    lab_measures fresh = {0};
    fresh.refresh_ms = ns_to_ms(refresh_ns);
    if (first < count) {
        const lab_frame *from = &frames[first];
        size_t n = count - first;
        fresh.frames = (int64_t)n;
        measure_ticks_and_input(from, n, scratch, &fresh);
        if (n > 1) {
            measure_animation(from, n, scratch, &fresh);
            measure_intervals(from, n, refresh_ns, scratch, &fresh);
            measure_windows(from, n, &fresh);
            measure_rate_changes(from, n, &fresh);
        }
    }
    *measures = fresh;
}
