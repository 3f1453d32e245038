/* SPDX-License-Identifier: Zlib
 *
 * One pass. Up to LAB_EXACT_MAX frames values are kept; then the refresh is settled by those so far,
 * and histograms take their place.
 */
#include "capture/measure.h"
#include "lab/numbers.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A bucket is 0.2 % wide and its middle is its value. 14 000 of them reach from 1 fs to over 1000 s. */
enum { BUCKETS = 14000 };
static const double bucket_first_ms = 1e-6;
static const double bucket_step = 1.002;

typedef struct samples {
    double *values; /* NULL: histogram */
    size_t capacity;
    uint64_t *buckets;
    size_t count;
    double sum, sum_abs, sum_squares, max;
} samples;

/* Frames of the newest 250 ms of a series, for the pursuit error (lab/measure.c). At over 2 kHz the
 * window is shorter. */
enum { PURSUIT_FRAMES = 512 };

typedef struct pursuit {
    double shown_ms[PURSUIT_FRAMES],
            content_ms[PURSUIT_FRAMES]; /* of frame n, at n % PURSUIT_FRAMES */
    size_t first, end;
    double rest, weight; /* squared distances, and how many */
} pursuit;

/* Errors of the newest second; at over 2 kHz of a shorter time. */
enum { SECOND_FRAMES = 2048 };

typedef struct second {
    double at_ms[SECOND_FRAMES], error_ms[SECOND_FRAMES]; /* of frame n, at n % SECOND_FRAMES */
    size_t first, end;
    double sum;
} second;

typedef struct measuring {
    lab_capture *capture;
    lab_figures *f;
    lab_steps *steps; /* NULL: not wanted */
    samples frame_times, intervals, animation, latency[LAB_LATENCIES];
    samples ends; /* of the intervals, until T is known */
    pursuit pursuit;
    second second;
    bool moves; /* the file shows animation errors */
    lab_causes *causes;
    bool settled; /* T is known, and intervals are errors */
    double sum_interval, sum_hitch;
    lab_capture_frame before, shown, moved; /* the last frame; shown; shown with content */
    bool has_before, has_shown, has_moved;
    /* signs of faulty writers: how many, of how many, the first line */
    size_t sparse, contradictory, backward, compared, sparse_line, contradictory_line,
            backward_line;
    double sparse_ms;    /* how far apart the rows are there */
    size_t rises, falls; /* of frame times */
} measuring;

/* --- distributions ---------------------------------------------------------------------------- */

static size_t bucket_of(double size_ms)
{
    double place = log(size_ms / bucket_first_ms) / log(bucket_step);
    return place > 0.0 ? (size_t)fmin(place + 1.0, BUCKETS - 1.0) : 0;
}

static double bucket_ms(size_t bucket)
{
    return bucket > 0 ? bucket_first_ms * pow(bucket_step, (double)bucket - 0.5) : 0.0;
}

/* False: out of memory. */
static bool samples_reserve(samples *s)
{
    if (s->buckets != NULL || (s->count < s->capacity && s->count != LAB_EXACT_MAX)) {
        return true;
    }
    if (s->count == LAB_EXACT_MAX) {
        s->buckets = calloc(BUCKETS, sizeof *s->buckets);
        for (size_t i = 0; s->buckets != NULL && i < s->count; ++i) {
            s->buckets[bucket_of(fabs(s->values[i]))] += 1;
        }
        free(s->values);
        s->values = NULL;
        return s->buckets != NULL;
    }
    return lab_reserve(&s->values, &s->capacity, s->count, sizeof *s->values);
}

static bool samples_add(samples *s, double value)
{
    double size = fabs(value);
    if (!samples_reserve(s)) {
        return false;
    }
    if (s->buckets != NULL) {
        s->buckets[bucket_of(size)] += 1;
    } else {
        s->values[s->count] = value;
    }
    s->count += 1;
    s->sum += value;
    s->sum_abs += size;
    s->sum_squares += value * value;
    s->max = size > s->max ? size : s->max;
    return true;
}

/* Subtracts the same number from all values. */
static void samples_shift(samples *s, double by)
{
    s->sum = s->sum_abs = s->sum_squares = s->max = 0.0;
    for (size_t i = 0; i < s->count; ++i) {
        double value = s->values[i] - by;
        s->values[i] = value;
        s->sum += value;
        s->sum_abs += fabs(value);
        s->sum_squares += value * value;
        s->max = fmax(s->max, fabs(value));
    }
}

/* A percentile of sizes, which the values are now. *from: the rank of a lower one before, and then of
 * this one: smaller values are before it. */
static double samples_percentile(const samples *s, size_t per_mille, size_t *from)
{
    size_t rank = lab_rank(s->count, per_mille);
    size_t lower = *from;
    *from = rank;
    if (s->buckets == NULL) {
        return lab_select_nth(s->values + lower, s->count - lower, rank - lower);
    }
    size_t bucket = 0;
    for (uint64_t passed = s->buckets[0]; passed <= rank; passed += s->buckets[bucket]) {
        bucket += 1;
    }
    return fmin(bucket_ms(bucket), s->max);
}

/* The mean of the largest values, of one at least, right after the percentile was chosen: they are
 * behind it. */
static double samples_top(const samples *s, size_t per_mille)
{
    size_t few = (s->count * (1000 - per_mille) + 999) / 1000, left = few;
    double sum = 0.0;
    for (size_t i = s->buckets == NULL ? s->count - few : s->count; i < s->count; ++i) {
        sum += s->values[i];
    }
    for (size_t b = BUCKETS; s->buckets != NULL && left > 0; --b) {
        size_t taken = s->buckets[b - 1] < left ? (size_t)s->buckets[b - 1] : left;
        sum += (double)taken * fmin(bucket_ms(b - 1), s->max);
        left -= taken;
    }
    return sum / (double)few;
}

static lab_spread samples_spread(samples *s)
{
    lab_spread out = {.count = s->count};
    if (s->count == 0) {
        return out;
    }
    double n = (double)s->count;
    out.mean_ms = s->sum_abs / n;
    out.bias_ms = s->sum / n;
    out.rms_ms = sqrt(s->sum_squares / n);
    out.max_ms = s->max;
    for (size_t i = 0; s->buckets == NULL && i < s->count; ++i) {
        s->values[i] = fabs(s->values[i]);
    }
    size_t from = 0;
    out.p50_ms = samples_percentile(s, 500, &from);
    out.p95_ms = samples_percentile(s, 950, &from);
    out.p99_ms = samples_percentile(s, 990, &from);
    out.top_1_ms = samples_top(s, 990);
    out.p999_ms = samples_percentile(s, 999, &from);
    out.top_01_ms = samples_top(s, 999);
    return out;
}

static void samples_finish(samples *s)
{
    free(s->values);
    free(s->buckets);
}

bool lab_steps_add(lab_steps *s, lab_metric metric, double value)
{
    if (!lab_reserve(&s->values[metric], &s->capacity[metric], s->count[metric], sizeof value)) {
        return false;
    }
    s->values[metric][s->count[metric]] = value;
    s->count[metric] += 1;
    return true;
}

void lab_steps_free(lab_steps *s)
{
    for (size_t i = 0; i < LAB_STEPS; ++i) {
        free(s->values[i]);
    }
}

/* --- the refresh ------------------------------------------------------------------------------ */

/* How well intervals are whole multiples of a period. */
typedef struct fit {
    double period_ms;
    double share; /* of the intervals, within 15 % of the period */
} fit;

static double multiples_of(double interval_ms, double period_ms)
{
    double multiples = round(interval_ms / period_ms);
    return multiples < 1.0 ? 1.0 : multiples;
}

static bool fits(double interval_ms, double period_ms)
{
    double off = interval_ms - multiples_of(interval_ms, period_ms) * period_ms;
    return fabs(off) <= 0.15 * period_ms;
}

/* By least squares over the intervals that fit. */
static fit fit_period(const double *intervals, size_t count, double period_ms)
{
    fit out = {period_ms, 0.0};
    for (int round = 0; round < 4; ++round) {
        double along = 0.0, squares = 0.0, fitting = 0.0;
        for (size_t i = 0; i < count; ++i) {
            double n = multiples_of(intervals[i], out.period_ms);
            if (fits(intervals[i], out.period_ms)) {
                along += n * intervals[i];
                squares += n * n;
                fitting += 1.0;
            }
        }
        out.period_ms = squares > 0.0 ? along / squares : out.period_ms;
        out.share = fitting / (double)count;
    }
    return out;
}

/* Refreshes of a fixed display come at even times, and each screen time is a noisy reading of one:
 * errors of neighbouring intervals cancel. Where frames take their own time, errors add up, and over
 * four frames their variance is four times that of one; halfway is 2. Readings within 0.5 % of the
 * period are too exact for frames that take their own time. */
static bool is_periodic(const double *intervals, size_t count, double period_ms)
{
    enum { SPAN = 4 };
    double one = 0.0, many = 0.0, sum = 0.0;
    size_t in = 0, spans = 0, ones = 0;
    for (size_t i = 0; i < count; ++i) {
        double off = intervals[i] - multiples_of(intervals[i], period_ms) * period_ms;
        if (!fits(intervals[i], period_ms)) {
            in = 0;
            sum = 0.0;
            continue;
        }
        one += off * off;
        ones += 1;
        sum += off;
        in += 1;
        if (in == SPAN) {
            many += sum * sum;
            spans += 1;
            in = 0;
            sum = 0.0;
        }
    }
    return spans < 4 || many / (double)spans <= 2.0 * one / (double)ones
           || one / (double)ones < 2.5e-5 * period_ms * period_ms;
}

/* The value at a rank; 0: out of memory. */
static double rank_in_copy(const double *values, size_t count, size_t rank)
{
    double *copy = malloc(count * sizeof *copy), out = 0.0;
    if (copy != NULL) {
        memcpy(copy, values, count * sizeof *copy);
        out = lab_select_nth(copy, count, rank);
    }
    free(copy);
    return out;
}

/* 0: no period explains the intervals. */
static double find_refresh(const double *intervals, size_t count)
{
    enum { LOOK_AT = 16384, FEWEST = 30 };
    if (count < FEWEST) {
        return 0.0;
    }
    size_t some = count < LOOK_AT ? count : LOOK_AT;
    const double *from = intervals + (count - some) / 2;
    double shortest = rank_in_copy(from, some, some / 10);
    fit best = {0.0, 0.0};
    for (int parts = 1; parts <= 4 && shortest > 0.0; ++parts) {
        fit next = fit_period(from, some, shortest / parts);
        /* at random, a third of what did not fit fits half of the period */
        bool better = parts == 1 || next.share - best.share > 0.6 * (1.0 - best.share) + 0.002;
        best = better ? next : best;
    }
    return best.share >= 0.9 && is_periodic(from, some, best.period_ms) ? best.period_ms : 0.0;
}

/* How a refresh was found that explains the screen times. Few long intervals tell, if they are
 * whole multiples: at random, three of ten are within 15 %. Where frames are dropped, the display
 * could not show more. */
static lab_capture_refresh settle_refresh(
        const lab_capture_info *info, const lab_figures *f, const double *intervals, size_t count)
{
    size_t longer = 0, fitting = 0;
    for (size_t i = 0; i < count; ++i) {
        bool is_longer = multiples_of(intervals[i], f->refresh_ms) > 1.0;
        longer += is_longer;
        fitting += is_longer && fits(intervals[i], f->refresh_ms);
    }
    bool drops = 20 * f->unseen > f->frames;
    return info->shown == LAB_CAPTURE_SHOWN_NONE                  ? LAB_CAPTURE_REFRESH_FRAMES
           : info->allows_tearing                                 ? LAB_CAPTURE_REFRESH_TEARING
           : drops || (fitting >= 3 && 10 * fitting > 7 * longer) ? LAB_CAPTURE_REFRESH_SCREEN
           : info->is_composed                                    ? LAB_CAPTURE_REFRESH_COMPOSED
                                                                  : LAB_CAPTURE_REFRESH_EVEN;
}

/* --- frame by frame --------------------------------------------------------------------------- */

static void add_to_second(measuring *m, double at_ms, double error_ms)
{
    second *s = &m->second;
    while (s->first < s->end
            && (at_ms - s->at_ms[s->first % SECOND_FRAMES] >= 1000.0
                    || s->end - s->first == SECOND_FRAMES)) {
        s->sum -= s->error_ms[s->first % SECOND_FRAMES];
        s->first += 1;
    }
    s->at_ms[s->end % SECOND_FRAMES] = at_ms;
    s->error_ms[s->end % SECOND_FRAMES] = fabs(error_ms);
    s->end += 1;
    s->sum += fabs(error_ms);
    if (s->sum > m->f->second_ms + 1e-9) { /* more than the rounding of sums */
        m->f->second_ms = s->sum;
        m->f->second_at_ms = fmax(0.0, at_ms - 1000.0);
    }
}

/* An interval up to this time, where T is known. */
static void judge_interval(measuring *m, double interval_ms, double at_ms)
{
    lab_figures *f = m->f;
    double hitch = lab_hitch_ms(interval_ms, f->intended_ms, f->refresh_ms);
    m->sum_hitch += hitch;
    if (!m->moves) {
        add_to_second(m, at_ms, hitch);
    }
    if (f->refresh_ms > 0.0) {
        double shown = round(interval_ms / f->refresh_ms); /* 0: two frames in one refresh */
        double intended = multiples_of(f->intended_ms, f->refresh_ms);
        f->refreshes += (size_t)shown;
        f->repeats += shown > intended ? (size_t)(shown - intended) : 0;
    }
}

/* Finds refresh and T, and turns the intervals so far into errors. */
static void settle(measuring *m)
{
    lab_figures *f = m->f;
    samples *s = &m->intervals;
    if (m->settled || s->count == 0) {
        return;
    }
    m->settled = true;
    if (f->refresh_ms > 0.0) {
        f->refresh = LAB_CAPTURE_REFRESH_GIVEN;
    } else {
        f->refresh_ms = find_refresh(s->values, s->count);
        f->refresh = f->refresh_ms <= 0.0 ? LAB_CAPTURE_REFRESH_UNKNOWN
                                          : settle_refresh(lab_capture_get_info(m->capture), f,
                                                  s->values, s->count);
    }
    f->intended_ms = rank_in_copy(s->values, s->count, lab_rank(s->count, 500));
    if (f->refresh_ms > 0.0) {
        f->intended_ms = multiples_of(f->intended_ms, f->refresh_ms) * f->refresh_ms;
    }
    for (size_t i = 0; i < s->count; ++i) {
        judge_interval(m, s->values[i], m->ends.values[i]);
    }
    samples_shift(s, f->intended_ms);
}

static bool add_step(measuring *m, lab_metric metric, double value)
{
    return m->steps == NULL || lab_steps_add(m->steps, metric, value);
}

static bool add_interval(measuring *m, double interval_ms, double at_ms)
{
    m->sum_interval += interval_ms;
    if (m->intervals.count == LAB_EXACT_MAX) {
        settle(m);
    }
    if (m->settled) {
        judge_interval(m, interval_ms, at_ms);
    } else if (!samples_add(&m->ends, at_ms)) {
        return false;
    }
    return add_step(m, LAB_METRIC_INTERVAL, interval_ms)
           && samples_add(&m->intervals, interval_ms - (m->settled ? m->f->intended_ms : 0.0));
}

static void add_moment(
        lab_figures *f, const lab_capture_frame *frame, double at_ms, double error_ms)
{
    lab_moment moment = {.line = frame->line, .at_ms = at_ms, .error_ms = error_ms};
    size_t least = 0;
    for (size_t i = 0; i < f->worst_count; ++i) {
        if (fabs(f->worst[i].at_ms - at_ms) < 100.0) {
            f->worst[i] = fabs(error_ms) > fabs(f->worst[i].error_ms) ? moment : f->worst[i];
            return;
        }
        least = fabs(f->worst[i].error_ms) < fabs(f->worst[least].error_ms) ? i : least;
    }
    if (f->worst_count < LAB_WORST) {
        least = f->worst_count;
        f->worst_count += 1;
    } else if (fabs(error_ms) <= fabs(f->worst[least].error_ms)) {
        return;
    }
    f->worst[least] = moment;
}

/* Parts of the graph double in width where the capture is longer. */
static void add_to_graph(float *graph, lab_figures *f, double at_ms, double value_ms)
{
    while (at_ms >= f->graph_ms * LAB_GRAPH) {
        for (size_t i = 0; i < LAB_GRAPH; ++i) {
            bool low = i < LAB_GRAPH / 2;
            f->graph_error[i] =
                    low ? fmaxf(f->graph_error[2 * i], f->graph_error[2 * i + 1]) : 0.0F;
            f->graph_interval[i] =
                    low ? fmaxf(f->graph_interval[2 * i], f->graph_interval[2 * i + 1]) : 0.0F;
        }
        f->graph_ms *= 2.0;
        f->graph_count = (f->graph_count + 1) / 2;
    }
    size_t part = at_ms > 0.0 ? (size_t)(at_ms / f->graph_ms) : 0;
    part = part < LAB_GRAPH ? part : LAB_GRAPH - 1;
    graph[part] = fmaxf(graph[part], (float)fabs(value_ms));
    f->graph_count = part + 1 > f->graph_count ? part + 1 : f->graph_count;
}

/* Signs of a faulty writer, or of rows that were left out. */
static void check_frame(measuring *m, const lab_capture_frame *frame)
{
    double passed = frame->present_ms - m->before.present_ms;
    bool neighbours = m->has_before && frame->series == m->before.series;
    m->compared += neighbours;
    if (neighbours && frame->frame_ms > 0.0 && passed > 1.5 * frame->frame_ms + 1.0) {
        m->sparse_line = m->sparse == 0 ? frame->line : m->sparse_line;
        m->sparse_ms = m->sparse == 0 ? passed : m->sparse_ms;
        m->sparse += 1;
    }
    if (isnan(frame->shown_ms) || !m->has_shown || frame->series != m->shown.series) {
        return;
    }
    double step = frame->shown_ms - m->shown.shown_ms;
    if (step < 0.0) {
        m->backward_line = m->backward == 0 ? frame->line : m->backward_line;
        m->backward += 1;
    }
    if (fabs(step - frame->step_ms) > 1.0) {
        m->contradictory_line = m->contradictory == 0 ? frame->line : m->contradictory_line;
        m->contradictory += 1;
    }
}

/* The squared distances of the frames from their best line, by content less screen time: small
 * numbers. */
static void add_window(pursuit *p)
{
    double n = (double)(p->end - p->first), x0 = p->shown_ms[p->first % PURSUIT_FRAMES];
    double y0 = p->content_ms[p->first % PURSUIT_FRAMES] - x0;
    double sx = 0.0, sy = 0.0, sxx = 0.0, sxy = 0.0, syy = 0.0;
    for (size_t i = p->first; i < p->end; ++i) {
        double x = p->shown_ms[i % PURSUIT_FRAMES] - x0;
        double y = p->content_ms[i % PURSUIT_FRAMES] - x - x0 - y0;
        sx += x;
        sy += y;
        sxx += x * x;
        sxy += x * y;
        syy += y * y;
    }
    double across = sxx - sx * sx / n, along = sxy - sx * sy / n;
    double rest = syy - sy * sy / n - (across > 0.0 ? along * along / across : 0.0);
    if (n >= 3.0) {
        p->rest += rest > 0.0 ? rest : 0.0;
        p->weight += n;
    }
}

static void add_pursuit(pursuit *p, const lab_capture_frame *frame, bool follows)
{
    p->first = follows ? p->first : p->end;
    while (p->first < p->end
            && (frame->shown_ms - p->shown_ms[p->first % PURSUIT_FRAMES] >= 250.0
                    || p->end - p->first == PURSUIT_FRAMES)) {
        add_window(p);
        p->first += 1;
    }
    p->shown_ms[p->end % PURSUIT_FRAMES] = frame->shown_ms;
    p->content_ms[p->end % PURSUIT_FRAMES] = frame->content_ms;
    p->end += 1;
}

static bool add_shown(measuring *m, const lab_capture_frame *frame)
{
    lab_figures *f = m->f;
    bool follows = m->has_shown && frame->series == m->shown.series;
    double interval = frame->shown_ms - m->shown.shown_ms;
    if (follows && interval <= 0.0) {
        return true; /* the frame before was never seen by itself */
    }
    if (follows && !add_interval(m, interval, frame->shown_ms)) {
        return false;
    }
    if (follows) {
        add_to_graph(f->graph_interval, f, frame->shown_ms, interval);
    }
    if (follows && !m->moves) {
        add_moment(f, frame, frame->shown_ms, interval);
    }
    m->shown = *frame;
    m->has_shown = true;
    if (isnan(frame->content_ms)) {
        return true;
    }
    bool ok = true;
    add_pursuit(&m->pursuit, frame, m->has_moved && frame->series == m->moved.series);
    if (m->has_moved && frame->series == m->moved.series) {
        double error =
                (frame->content_ms - m->moved.content_ms) - (frame->shown_ms - m->moved.shown_ms);
        ok = samples_add(&m->animation, error) && add_step(m, LAB_METRIC_ANIMATION, error);
        f->jumps += fabs(error) > LAB_JUMP_MS;
        add_to_second(m, frame->shown_ms, error);
        add_to_graph(f->graph_error, f, frame->shown_ms, error);
        add_moment(f, frame, frame->shown_ms, error);
    }
    m->moved = *frame;
    m->has_moved = true;
    return ok;
}

static bool add_frame(measuring *m, const lab_capture_frame *frame)
{
    const lab_capture_info *info = lab_capture_get_info(m->capture);
    lab_figures *f = m->f;
    bool ok = true;
    f->frames += 1;
    f->generated += frame->is_generated;
    f->waits += frame->present_end_ms - frame->present_ms > LAB_WAITED_MS;
    check_frame(m, frame);
    lab_causes_add(m->causes, frame);
    m->rises += m->has_before && frame->frame_ms > m->before.frame_ms;
    m->falls += m->has_before && frame->frame_ms < m->before.frame_ms;
    if (frame->frame_ms > 0.0) {
        ok = samples_add(&m->frame_times, frame->frame_ms)
             && add_step(m, LAB_METRIC_FRAME, frame->frame_ms);
    }
    for (size_t i = 0; i < LAB_LATENCIES; ++i) {
        ok = ok
             && (!(frame->latency_ms[i] > 0.0)
                     || samples_add(&m->latency[i], frame->latency_ms[i]));
    }
    if (m->has_before && frame->series == m->before.series
            && frame->present_ms > m->before.present_ms) {
        f->seconds += (frame->present_ms - m->before.present_ms) / 1000.0;
    }
    if (info->shown == LAB_CAPTURE_SHOWN_NONE) {
        if (frame->frame_ms > 0.0) {
            ok = ok && add_interval(m, frame->frame_ms, frame->present_ms);
            add_to_graph(f->graph_interval, f, frame->present_ms, frame->frame_ms);
            add_moment(f, frame, frame->present_ms, frame->frame_ms);
        }
    } else if (isnan(frame->shown_ms)) {
        f->unseen += 1;
    } else {
        ok = ok && add_shown(m, frame);
    }
    m->before = *frame;
    m->has_before = true;
    return ok;
}

/* --- all frames ------------------------------------------------------------------------------- */

static es_result check_writer(const measuring *m, lab_capture_error *error)
{
    size_t frames = m->f->frames;
    if (2 * m->sparse > m->compared) {
        return lab_capture_refuse(m->capture, error, m->sparse_line,
                "frames are left out: rows are %.3g ms apart, and their frame times are shorter "
                "(MangoHud: set log_interval=0)",
                m->sparse_ms);
    }
    if (20 * m->contradictory > frames) {
        return lab_capture_refuse(m->capture, error, m->contradictory_line,
                "MsBetweenDisplayChange and MsUntilDisplayed contradict each other in %zu of %zu "
                "rows: a faulty writer, or rows were left out",
                m->contradictory, frames);
    }
    if (100 * m->backward > frames) {
        return lab_capture_refuse(m->capture, error, m->backward_line,
                "screen times go back in %zu of %zu rows: a faulty writer", m->backward, frames);
    }
    return m->intervals.count >= 2
                   ? ES_OK
                   : lab_capture_refuse(m->capture, error, 0, "no two intervals to compare");
}

/* Frames so far apart, and content so fast, are in other units than the columns should have. */
static es_result check_units(const measuring *m, lab_capture_error *error)
{
    static const double speeds[] = {1e-6, 1e-3, 1e3, 1e6};
    const lab_figures *f = m->f;
    const lab_capture_info *info = lab_capture_get_info(m->capture);
    double speed = 1.0 + f->animation_error.bias_ms / f->interval_ms;
    if (m->falls == 0 && m->rises >= 16 && 10 * m->rises >= 9 * f->frames) {
        return lab_capture_refuse(m->capture, error, 0,
                "%s%sall values are larger than those before: times since the start instead of "
                "frame times?",
                info->column, info->column[0] != '\0' ? ": " : "");
    }
    if (f->interval_ms < 0.05 || f->interval_ms > 1000.0) {
        return lab_capture_refuse(m->capture, error, 0,
                "%s%sframes are %.3g ms apart: is that the unit of the column?", info->column,
                info->column[0] != '\0' ? ": " : "", f->interval_ms);
    }
    for (size_t i = 0; i < sizeof speeds / sizeof speeds[0]; ++i) {
        if (info->content == LAB_CAPTURE_CONTENT_TRUE && fabs(speed / speeds[i] - 1.0) < 0.02) {
            return lab_capture_refuse(m->capture, error, 0,
                    "content moves %g times as fast as the screen: times in different units?",
                    speeds[i]);
        }
    }
    return ES_OK;
}

static int compare_moments(const void *a, const void *b)
{
    double x = fabs(((const lab_moment *)a)->error_ms), y = fabs(((const lab_moment *)b)->error_ms);
    return (x < y) - (x > y);
}

static void finish(measuring *m)
{
    lab_figures *f = m->f;
    settle(m);
    f->is_exact = m->frame_times.buckets == NULL && m->intervals.buckets == NULL;
    f->interval_ms = m->sum_interval / (double)m->intervals.count;
    f->frame_time = samples_spread(&m->frame_times);
    f->interval_error = samples_spread(&m->intervals);
    f->animation_error = samples_spread(&m->animation);
    f->hitch_ratio = m->sum_hitch / m->sum_interval;
    for (size_t i = 0; i < LAB_LATENCIES; ++i) {
        f->latency[i] = samples_spread(&m->latency[i]);
    }
    f->pursuit_ms = m->pursuit.weight > 0.0 ? sqrt(m->pursuit.rest / m->pursuit.weight) : 0.0;
    if (m->frame_times.count > 0) {
        f->frames_per_second = 1000.0 / f->frame_time.bias_ms;
    }
    qsort(f->worst, f->worst_count, sizeof f->worst[0], compare_moments);
}

es_result lab_capture_measure(lab_capture *capture, double refresh_ms, lab_figures *figures,
        lab_steps *steps, lab_capture_error *error)
{
    static const lab_figures empty = {.graph_ms = 50.0};
    measuring m = {.capture = capture, .f = figures, .steps = steps, .causes = lab_causes_create()};
    lab_capture_frame frame;
    es_result result;
    const lab_capture_info *info = lab_capture_get_info(capture);
    m.moves = info->shown != LAB_CAPTURE_SHOWN_NONE && info->content != LAB_CAPTURE_CONTENT_NONE;
    *figures = empty;
    figures->refresh_ms = refresh_ms;
    if (m.causes == NULL) {
        return lab_capture_refuse(capture, error, 0, "out of memory");
    }
    while ((result = lab_capture_next(capture, &frame, error)) == ES_OK) {
        if (!add_frame(&m, &frame)) {
            result = lab_capture_refuse(capture, error, 0, "out of memory");
            break;
        }
    }
    result = result == ES_ERR_STATE ? check_writer(&m, error) : result;
    if (result == ES_OK) {
        finish(&m);
        result = check_units(&m, error);
    }
    if (result == ES_OK && steps != NULL) {
        steps->refresh_ms = figures->refresh_ms;
        steps->intended_ms = figures->intended_ms;
    }
    if (result == ES_OK) {
        double unit_ms = figures->refresh_ms > 0.0 ? figures->refresh_ms : figures->intended_ms;
        if (!lab_causes_find(m.causes, info, figures->refresh_ms, unit_ms, figures->causes,
                    figures->worst, figures->worst_count)) {
            result = lab_capture_refuse(capture, error, 0, "out of memory");
        }
    }
    lab_causes_destroy(m.causes);
    samples_finish(&m.frame_times);
    samples_finish(&m.intervals);
    samples_finish(&m.animation);
    samples_finish(&m.ends);
    for (size_t i = 0; i < LAB_LATENCIES; ++i) {
        samples_finish(&m.latency[i]);
    }
    return result;
}
