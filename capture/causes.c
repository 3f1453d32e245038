/* SPDX-License-Identifier: Zlib */
#include "capture/causes.h"
#include "lab/numbers.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* All thresholds, but for those of a measurement's noise. */
static const struct {
    double p99;   /* refreshes: below it motion counts as smooth (tools/capture/measure.c) */
    double share; /* of the error: what explains less is not worth a change */
    double often; /* of the frames, over the first limit: twice a 99th percentile's, as a model
                           is not exact */
    double max,
            most; /* refreshes, share of the error: a rare hitch counts if a frame errs by half a
                           refresh, and half of all error is its */
    double beat;  /* ticks: closer to whole ticks per frame, slips are 40 frames apart or more,
                           and seen one by one */
    double whole; /* ticks: steps of content are whole to this, as clocks round */
    double whole_share; /* of the steps: a pause, a dropped tick */
    double between;     /* refreshes: screen times are read to this */
    double few;         /* of the frames: what a 99th percentile does not show */
    double catches_up;  /* slope of work over lateness: -1/2 with a timer, 0 without */
    double equal;       /* of an interval: four digits of two rates look the same */
    size_t frames;      /* two of them are above the 99th percentile */
} limits = {0.1, 0.1, 0.02, 0.5, 0.5, 0.025, 0.02, 0.95, 0.1, 0.01, -0.25, 5e-4, 200};

/* The first frames of a replay: it goes over from measured times to its own. */
enum { SETTLE = 32, ENOUGH = 1024, QUEUE = 8, LAGS = 4, NEAR = 3 };

/* Stages, which a replay keeps as they were or replaces by their median; the first four are causes.
 * AFTER: from the last present's end on. */
enum { WAKE, WORK, GPU, BLOCK, AFTER, STAGES, CONTENT = 1U << STAGES };

/* What content times follow. */
typedef enum content_of {
    BY_START,
    BY_PLAN,
    BY_DRAWING,
    BY_PRESENT,
    BY_LAST, /* the present before */
    BY_ITSELF,
    BY_SCREEN
} content_of;

typedef struct kept {
    double start, present, end, ready, shown, content; /* ms */
    double stage[STAGES];
    double blocked;  /* in calls that wait for images or the GPU, before present; NaN: not known */
    double off;      /* of content, from what it follows */
    double plan;     /* when drawing would begin, had the thread not woken late; NaN: no wait */
    double steps;    /* of the timer, since the last plan; 0: 1 */
    int64_t refresh; /* at which it is shown */
    double delayed;  /* shown so much later than ready because present was blocked */
    size_t line;
} kept;

struct lab_causes {
    kept *frames;
    size_t count, capacity;
    int32_t series;
    bool is_full;
    double *values; /* as many as frames, and one more */
    double unit_ms, refresh_ms, phase_ms, latch_ms, shortest_ms, usual_ms;
    size_t depth; /* present of frame n waits until frame n - depth is shown; QUEUE: it does not */
    bool drops, has_gpu, returns;
    content_of follows;
    size_t lag;           /* BY_SCREEN: content follows that of the frame so many before */
    double pace_ms;       /* BY_ITSELF */
    double timer_ms;      /* plans are so far apart; 0: frames begin without one */
    double usual[STAGES]; /* medians */
    size_t at[LAB_WORST]; /* the frames of the moments; 0: not kept, */
    double near[LAB_CAUSES][LAB_WORST]; /* and the largest errors of causes there */
};

/* --- frames ----------------------------------------------------------------------------------- */

lab_causes *lab_causes_create(void)
{
    return calloc(1, sizeof(lab_causes));
}

void lab_causes_destroy(lab_causes *c)
{
    if (c != NULL) {
        free(c->frames);
        free(c->values);
        free(c);
    }
}

void lab_causes_add(lab_causes *c, const lab_capture_frame *f)
{
    bool restarts = c->count > 0 && f->series != c->series;
    c->is_full = c->is_full || c->count == LAB_CAUSES_FRAMES || (restarts && c->count >= ENOUGH);
    if (c->is_full || f->is_generated) {
        return;
    }
    c->count = restarts ? 0 : c->count;
    if (!lab_reserve(&c->frames, &c->capacity, c->count, sizeof *c->frames)) {
        c->is_full = true;
        return;
    }
    kept k = {.start = f->cpu_start_ms,
            .present = f->present_ms,
            .end = f->present_end_ms,
            .ready = f->gpu_end_ms,
            .shown = f->shown_ms,
            .content = f->content_ms,
            .stage = {[WAKE] = f->late_ms, [WORK] = isnan(f->work_ms) ? f->cpu_ms : f->work_ms},
            .blocked = f->blocked_ms,
            .line = f->line};
    k.present = isnan(k.present) ? k.start : k.present;
    if (isnan(k.start)) {
        return; /* the first of PresentMon 1 */
    }
    c->series = f->series;
    c->frames[c->count] = k;
    c->count += 1;
}

/* --- what is known of the program and its display --------------------------------------------- */

/* Of values, which it reorders. */
static double rank_in(double *values, size_t count, double share)
{
    size_t rank = (size_t)(share * (double)count);
    return count > 0 ? lab_select_nth(values, count, rank < count ? rank : count - 1) : 0.0;
}

static double median_of(lab_causes *c, size_t stage)
{
    for (size_t i = 0; i < c->count; ++i) {
        c->values[i] = c->frames[i].stage[stage];
    }
    return rank_in(c->values, c->count, 0.5);
}

/* Numbers refreshes, and fits period and phase to the screen times by least squares. */
static void fit_refreshes(lab_causes *c)
{
    const kept *last = NULL;
    double n = 0.0, sum_x = 0.0, sum_y = 0.0, sum_xx = 0.0, sum_xy = 0.0;
    int64_t refresh = 0;
    for (size_t i = 0; i < c->count; ++i) {
        kept *k = &c->frames[i];
        if (!isnan(k->shown)) {
            refresh += last != NULL ? llround((k->shown - last->shown) / c->refresh_ms) : 0;
            double x = (double)refresh, y = k->shown;
            last = k;
            n += 1.0;
            sum_x += x;
            sum_y += y;
            sum_xx += x * x;
            sum_xy += x * y;
        }
        k->refresh = refresh;
    }
    double spread = n * sum_xx - sum_x * sum_x;
    double fitted = (n * sum_xy - sum_x * sum_y) / spread;
    c->refresh_ms = fitted > 0.5 * c->refresh_ms ? fitted : c->refresh_ms;
    c->phase_ms = (sum_y - c->refresh_ms * sum_x) / fmax(n, 1.0);
}

static double time_of(const lab_causes *c, int64_t refresh)
{
    return c->phase_ms + (double)refresh * c->refresh_ms;
}

/* Whether frames are shown between refreshes: these are the steps of a timer, and the refresh varies. */
static bool is_varying(const lab_causes *c)
{
    size_t off = 0;
    for (size_t i = 0; i < c->count; ++i) {
        const kept *k = &c->frames[i];
        off += fabs(k->shown - time_of(c, k->refresh)) > limits.between * c->refresh_ms;
    }
    return (double)off > limits.few * (double)c->count;
}

/* How long before a refresh a frame is ready that is shown at it: any time that agrees with most
 * frames, the one closest to 0. Only frames that did not wait for the one before tell the least. */
static void find_latch(lab_causes *c)
{
    size_t n = 0;
    for (size_t i = 0; i < c->count; ++i) {
        const kept *k = &c->frames[i];
        if (!isnan(k->shown)) {
            c->values[n] = k->shown - k->ready;
            n += 1;
        }
    }
    double most = rank_in(c->values, n, 0.02), least = 0.0;
    n = 0;
    for (size_t i = 1; i < c->count && c->refresh_ms > 0.0; ++i) {
        const kept *k = &c->frames[i];
        if (!isnan(k->shown) && (c->drops || k->refresh > c->frames[i - 1].refresh + 1)) {
            c->values[n] = k->shown - c->refresh_ms - k->ready;
            n += 1;
        }
    }
    if (n >= 10) {
        least = fmax(0.0, rank_in(c->values, n, 0.9));
    }
    c->latch_ms = c->refresh_ms > 0.0 ? fmin(most, least) : most;
}

static double left(const lab_causes *c, const kept *k)
{
    return c->drops ? k->ready : k->shown;
}

/* How many frames are in the queue when a present returns that has blocked. Where frames are dropped,
 * it waits for the GPU. */
static void find_depth(lab_causes *c)
{
    size_t n = 0;
    for (size_t i = QUEUE; i < c->count && !c->returns; ++i) {
        const kept *k = &c->frames[i];
        if (!(k->end - k->present > 0.05 * c->unit_ms)) {
            continue;
        }
        size_t back = 0;
        while (back < QUEUE && !(left(c, &c->frames[i - back]) <= k->end + 0.1 * c->unit_ms)) {
            back += 1;
        }
        c->values[n] = (double)back;
        n += 1;
    }
    c->depth = c->returns ? 0 : 10 * n > c->count ? (size_t)rank_in(c->values, n, 0.5) : QUEUE;
}

/* The content time that frame i has by something; NaN: not known. */
static double followed(const lab_causes *c, size_t i, content_of what, size_t lag)
{
    const kept *k = &c->frames[i];
    const double at[] = {k->start, fmax(k->plan, k->start), k->present - k->stage[WORK], k->present,
            i > 0 ? k[-1].present : (double)NAN, (double)i * c->pace_ms, i >= lag ? c->frames[i - lag].shown : (double)NAN};
    return at[what];
}

static double distance_from(const lab_causes *c, content_of what, size_t lag)
{
    double sum = 0.0;
    for (size_t i = 1; i < c->count; ++i) {
        double off = c->frames[i].content - followed(c, i, what, lag);
        double before = c->frames[i - 1].content - followed(c, i - 1, what, lag);
        sum += isnan(off - before) ? 0.0 : (off - before) * (off - before);
    }
    return sum;
}

/* What content follows best; the start, if nothing else does much better. */
static void find_followed(lab_causes *c)
{
    size_t n = 0;
    for (size_t i = 1; i < c->count; ++i) {
        c->values[n] = c->frames[i].content - c->frames[i - 1].content;
        n += isnan(c->values[n]) ? 0 : 1;
    }
    c->pace_ms = rank_in(c->values, n, 0.5);
    double best = 0.8 * distance_from(c, BY_START, 0);
    for (content_of what = BY_PLAN; what <= (c->drops ? BY_ITSELF : BY_SCREEN); ++what) {
        for (size_t lag = 1; lag < (what == BY_SCREEN ? LAGS : 2); ++lag) {
            double distance = distance_from(c, what, lag);
            if (distance < best) {
                best = distance;
                c->follows = what;
                c->lag = lag;
            }
        }
    }
    for (size_t i = 0; i < c->count; ++i) {
        c->frames[i].off = c->frames[i].content - followed(c, i, c->follows, c->lag);
    }
}

/* The step of which all values are whole multiples; 0: there is none. Values that differ by rounding
 * only are one. */
static double common_step(lab_causes *c, size_t n, double unit_ms)
{
    size_t whole = 0;
    lab_sort(c->values, n);
    double tick = 0.0;
    for (size_t i = 1; i < n; ++i) {
        double gap = c->values[i] - c->values[i - 1];
        tick = gap > limits.whole * unit_ms && (tick <= 0.0 || gap < tick) ? gap : tick;
    }
    for (size_t i = 0; i < n && tick > 0.0; ++i) {
        double ticks = c->values[i] / tick;
        whole += fabs(ticks - round(ticks)) < limits.whole;
    }
    return (double)whole >= limits.whole_share * (double)n ? tick : 0.0;
}

static double find_tick(lab_causes *c)
{
    size_t n = 0;
    const kept *last = NULL;
    c->values[n++] = 0.0;
    for (size_t i = 0; i < c->count; ++i) {
        const kept *k = &c->frames[i];
        if (!isnan(k->shown) && !isnan(k->content)) {
            c->values[n] = last != NULL ? k->content - last->content : 0.0;
            n += c->values[n] >= 0.0;
            last = k;
        }
    }
    return common_step(c, n, c->unit_ms);
}

/* Whether a program waits for a timer between presents, which the file does not say: a frame that
 * begins late makes up for it. */
static bool catches_up(lab_causes *c)
{
    for (size_t i = 1; i < c->count; ++i) {
        c->values[i - 1] = c->frames[i].start - c->frames[i - 1].start;
    }
    double usual_ms = rank_in(c->values, c->count - 1, 0.5), work_ms = median_of(c, WORK);
    double along = 0.0, squares = 0.0;
    for (size_t i = 1; i < c->count; ++i) {
        double late = c->frames[i].start - c->frames[i - 1].start - usual_ms;
        double more = c->frames[i].stage[WORK] - work_ms;
        late = fmin(fmax(late, -usual_ms), usual_ms); /* not for one stall alone */
        along += late * fmin(fmax(more, -usual_ms), usual_ms);
        squares += late * late;
    }
    return along < limits.catches_up * squares;
}

/* Planned starts of drawing, as the file says: the thread was idle before drawing, and drawing began
 * so much later. */
static void take_plans(lab_causes *c, bool ends)
{
    size_t n = 0;
    const kept *last = NULL;
    for (size_t i = 0; i < c->count; ++i) {
        kept *k = &c->frames[i];
        double idle = k->present - k->start - k->stage[WORK];
        bool waits = idle > 0.0;
        k->stage[WAKE] = waits ? fmin(k->stage[WAKE], idle) : 0.0;
        k->stage[WORK] = waits ? k->stage[WORK] : k->present - k->start;
        k->plan = waits ? k->present - k->stage[WAKE] - k->stage[WORK] : (double)NAN;
        if (waits && last != NULL && last == k - 1) {
            c->values[n] = k->plan - last->plan;
            n += 1;
        }
        last = waits ? k : last;
    }
    if (2 * n < c->count) {
        return; /* most frames begin without a plan */
    }
    c->timer_ms = rank_in(c->values, n, 0.5);
    double step = common_step(c, n, c->timer_ms); /* the trace leaves out frames that are dropped */
    c->timer_ms = step > 0.0 ? step : c->timer_ms;
    for (size_t i = 1; i < c->count; ++i) {
        kept *k = &c->frames[i];
        k->steps = fmax(1.0, round((k->plan - k[-1].plan) / c->timer_ms));
        if (!ends && !isnan(k->plan)) { /* a block of the last present made no difference */
            k[-1].end = k[-1].present;
        }
    }
}

/* Between presents: the mean of those close to the median. */
static double interval_of(lab_causes *c)
{
    for (size_t i = 1; i < c->count; ++i) {
        c->values[i - 1] = c->frames[i].present - c->frames[i - 1].present;
    }
    double median = rank_in(c->values, c->count - 1, 0.5), sum = 0.0, n = 0.0;
    for (size_t i = 0; i + 1 < c->count; ++i) {
        if (fabs(c->values[i] - median) < 0.25 * median) {
            sum += c->values[i];
            n += 1.0;
        }
    }
    return n > 0.0 ? sum / n : median;
}

/* Likewise, by the presents of a program that waits for a timer: none is before its plan, and a
 * plan comes one interval after the last, but not before the frame has begun. */
static void guess_plans(lab_causes *c)
{
    c->timer_ms = interval_of(c);
    double least_ms = c->frames[0].stage[WORK]; /* a frame without a wait */
    for (size_t i = 0; i < c->count; ++i) {
        least_ms = fmin(least_ms, c->frames[i].stage[WORK]);
    }
    double plan = c->frames[0].present;
    for (size_t i = 0; i < c->count; ++i) {
        kept *k = &c->frames[i];
        /* a little more than the interval, which is not exact: presents keep it down */
        plan = fmax(plan + 1.001 * c->timer_ms, k->start + least_ms);
        plan = fmin(plan, k->present);
        k->plan = plan - least_ms;
        k->stage[WORK] = k->present - fmax(k->start, k->plan);
    }
}

/* Time in calls that wait for an image or the GPU belongs to the present before, which did not block for so long. */
static void take_blocked(lab_causes *c)
{
    for (size_t i = 0; i < c->count; ++i) {
        kept *k = &c->frames[i];
        double blocked = isnan(k->blocked) ? 0.0 : fmin(k->blocked, k->present - k->start);
        k->start += blocked;
        if (i > 0) {
            k[-1].end += blocked;
        }
        double used = k->present - k->start;
        k->stage[WORK] = isnan(k->stage[WORK]) ? used : fmin(k->stage[WORK], used);
    }
}

/* How late the thread woke up, where the file says only how long it was idle: a plan comes one interval after the
 * last, but not before the frame has begun, nor after the thread awoke. False: most frames begin without a wait. */
static bool guess_lateness(lab_causes *c)
{
    for (size_t i = 0; i < c->count; ++i) {
        c->values[i] = c->frames[i].present - c->frames[i].start - c->frames[i].stage[WORK];
    }
    if (rank_in(c->values, c->count, 0.5) < limits.between * c->unit_ms) {
        return false;
    }
    for (size_t i = 1; i < c->count; ++i) {
        const kept *k = &c->frames[i];
        c->values[i - 1] = k->present - k->stage[WORK] - (k[-1].present - k[-1].stage[WORK]);
    }
    double interval = rank_in(c->values, c->count - 1, 0.5), plan = 0.0;
    for (size_t i = 0; i < c->count; ++i) {
        kept *k = &c->frames[i];
        double awake = k->present - k->stage[WORK];
        plan = i > 0 ? fmin(fmax(plan + interval, k->start), awake) : awake;
        k->stage[WAKE] = awake - plan;
    }
    return true;
}

/* Measured durations of the stages. */
static void find_stages(lab_causes *c, unsigned has)
{
    bool timed = (has & LAB_HAS_LATE) != 0 && (has & LAB_HAS_WORK) != 0;
    if ((has & LAB_HAS_CPU_TIME) != 0) {
        take_blocked(c);
        timed = guess_lateness(c);
    }
    for (size_t i = 0; i < c->count && !timed; ++i) {
        c->frames[i].stage[WAKE] = 0.0;
        c->frames[i].stage[WORK] = c->frames[i].present - c->frames[i].start;
        c->frames[i].plan = (double)NAN;
    }
    if (timed) {
        take_plans(c, (has & LAB_HAS_PRESENT_END) != 0);
    } else if (catches_up(c)) {
        guess_plans(c);
    }
    c->has_gpu = (has & LAB_HAS_GPU_END) != 0;
    for (size_t i = 0; i < c->count; ++i) {
        kept *k = &c->frames[i];
        const kept *before = i > 0 ? k - 1 : k;
        k->stage[AFTER] =
                i > 0 && (k->steps <= 0.0 || (has & LAB_HAS_PRESENT_END) != 0 || isnan(k->plan))
                        ? k->start - before->end
                        : 0.0;
        k->ready = c->has_gpu && !isnan(k->ready) ? k->ready : k->present;
        k->stage[GPU] = k->ready - (i > 0 ? fmax(k->present, before->ready) : k->present);
    }
    find_depth(c);
    for (size_t i = 0; i < c->count; ++i) {
        kept *k = &c->frames[i];
        double room =
                i >= c->depth && c->depth < QUEUE ? left(c, &c->frames[i - c->depth]) : k->present;
        k->stage[BLOCK] = k->end - (room > k->present ? room : k->present);
    }
    for (size_t s = 0; s < STAGES; ++s) {
        c->usual[s] = median_of(c, s);
    }
}

/* --- replay ----------------------------------------------------------------------------------- */

typedef struct replayed {
    double start, plan, present, end, ready, shown, content;
    int64_t refresh;
} replayed;

typedef struct effect {
    double sum, p99, max;
    size_t of, over, count, lines[LAB_CAUSE_LINES]; /* over: the first limit */
    double near[LAB_WORST];                         /* the largest within NEAR frames of a moment */
} effect;

/* The first refresh at which a frame that is ready can be shown, in the frame's neighbourhood. */
static int64_t refresh_after(const lab_causes *c, double ready_ms)
{
    return (int64_t)ceil((ready_ms + c->latch_ms - c->phase_ms) / c->refresh_ms - 0.02);
}

static void show(
        const lab_causes *c, const kept *k, unsigned keep, const replayed *last, replayed *now)
{
    double delayed = (keep & 1U << BLOCK) != 0 ? k->delayed : 0.0;
    if (c->refresh_ms <= 0.0) {
        now->shown = fmax(now->ready + c->latch_ms, last->shown + c->shortest_ms);
        now->shown = isnan(k->shown) ? k->shown : now->shown + delayed;
        return;
    }
    int64_t first = last->refresh + !c->drops;
    int64_t refresh = refresh_after(c, now->ready);
    now->refresh = refresh > first ? refresh : first;
    now->refresh += llround(delayed / c->refresh_ms);
    now->shown = time_of(c, now->refresh);
}

static void advance(const lab_causes *c, size_t i, unsigned keep, const replayed *last,
        const replayed *ring, replayed *now)
{
    const kept *k = &c->frames[i];
    double stage[STAGES];
    for (size_t s = 0; s < STAGES; ++s) {
        stage[s] = (keep & 1U << (s == AFTER ? WORK : s)) != 0 ? k->stage[s] : c->usual[s];
    }
    now->start = last->end + stage[AFTER];
    now->plan = c->timer_ms > 0.0 ? fmax(last->plan + fmax(1.0, k->steps) * c->timer_ms, now->start)
                                  : now->start;
    now->present = now->plan + stage[WAKE] + stage[WORK];
    now->ready = fmax(now->present, c->has_gpu ? last->ready : now->present) + stage[GPU];
    show(c, k, keep, last, now);
    const replayed *leaves = c->depth == 0 ? now : &ring[(i - c->depth) % QUEUE];
    double room = c->depth == QUEUE ? now->present : c->drops ? leaves->ready : leaves->shown;
    now->end = (room > now->present ? room : now->present) + stage[BLOCK];
    const double at[] = {now->start, now->plan, now->present - stage[WORK], now->present,
            last->present, (double)i * c->pace_ms, ring[(i - c->lag) % QUEUE].shown};
    now->content = at[c->follows] + ((keep & CONTENT) != 0 ? k->off : 0.0);
}

/* Frames that the display showed late although they were ready: present had not queued them. */
static void find_delays(lab_causes *c)
{
    const kept *last = NULL;
    for (size_t i = 0; i < c->count; ++i) {
        kept *k = &c->frames[i];
        if (isnan(k->shown)) {
            continue;
        }
        replayed before = {0}, now = {.ready = k->ready};
        before.refresh = last != NULL ? last->refresh : INT32_MIN;
        before.shown = last != NULL ? last->shown : -1e9;
        show(c, k, 0, &before, &now);
        bool in_present = k->end + c->latch_ms > now.shown + 0.02 * c->shortest_ms;
        k->delayed = in_present ? fmax(0.0, k->shown - now.shown) : 0.0;
        last = k;
    }
}

static void note(effect *e, double *sizes, double *values, size_t n, const kept *k, double error)
{
    values[n] = fabs(error);
    e->sum += values[n];
    e->max = fmax(e->max, values[n]);
    size_t at = LAB_CAUSE_LINES;
    while (at > 0 && values[n] > sizes[at - 1]) {
        at -= 1;
        if (at + 1 < LAB_CAUSE_LINES) {
            sizes[at + 1] = sizes[at];
            e->lines[at + 1] = e->lines[at];
        }
        sizes[at] = values[n];
        e->lines[at] = k->line;
    }
}

/* The animation errors of a replay. A frame that the next one replaces is not seen. */
static effect replay(lab_causes *c, unsigned keep, double seen_ms)
{
    effect e = {0};
    double sizes[LAB_CAUSE_LINES] = {seen_ms, seen_ms, seen_ms};
    replayed ring[QUEUE], before = {0};
    size_t n = 0, pending = 0;
    bool has_before = false;
    for (size_t i = 0; i < c->count; ++i) {
        const kept *k = &c->frames[i];
        replayed now = {k->start, isnan(k->plan) ? k->start : k->plan, k->present, k->end, k->ready,
                k->shown, k->content, k->refresh};
        const replayed last = i > 0 ? ring[(i - 1) % QUEUE] : now;
        if (i >= SETTLE) {
            advance(c, i, keep, &last, ring, &now);
        }
        bool is_new = c->refresh_ms > 0.0 ? now.refresh > last.refresh : !isnan(now.shown);
        size_t of = c->refresh_ms > 0.0 ? pending : i;
        const replayed *seen = c->refresh_ms > 0.0 ? &last : &now;
        if (is_new && of > 2 * SETTLE) {
            if (has_before && !isnan(seen->content)) {
                double error = (seen->content - before.content) - (seen->shown - before.shown);
                note(&e, sizes, c->values, n, &c->frames[of], error);
                e.count += fabs(error) > seen_ms;
                e.over += fabs(error) > limits.p99 * c->unit_ms;
                for (size_t m = 0; m < LAB_WORST; ++m) {
                    bool near = of + NEAR >= c->at[m] && of <= c->at[m] + NEAR;
                    e.near[m] = near ? fmax(e.near[m], fabs(error)) : e.near[m];
                }
                n += 1;
            }
            before = *seen;
            has_before = !isnan(seen->content);
        }
        pending = i;
        ring[i % QUEUE] = now;
        if (c->refresh_ms <= 0.0 && isnan(now.shown)) {
            ring[i % QUEUE].shown = last.shown;
        }
    }
    e.of = n;
    e.p99 = rank_in(c->values, n, 0.99);
    return e;
}

/* --- findings --------------------------------------------------------------------------------- */

static void judge(lab_causes *c, lab_cause cause, const effect *e, const effect *base,
        const effect *total, bool can_tell, lab_cause_figures *figures)
{
    lab_cause_figures *f = &figures[cause];
    f->finding = can_tell ? LAB_IS_NO_CAUSE : LAB_CANNOT_TELL;
    f->share = fmin(1.0, fmax(0.0, e->sum - base->sum) / fmax(total->sum, 1e-9));
    f->p99 = e->p99 / c->unit_ms;
    f->max = e->max / c->unit_ms;
    f->count = e->over;
    memcpy(f->lines, e->lines, sizeof f->lines);
    memcpy(c->near[cause], e->near, sizeof e->near);
    bool often = fmin(f->p99, total->p99 / c->unit_ms) >= limits.p99
                 && (f->share >= limits.share || (double)e->count >= limits.often * (double)e->of);
    bool once = fmin(f->max, total->max / c->unit_ms) >= limits.max && f->share >= limits.most
                && e->max > base->max;
    if (can_tell && (often || (once && base->of > 0))) {
        f->finding = LAB_IS_CAUSE;
    }
}

/* The measured errors, of the frames that replays look at. */
static effect measured(lab_causes *c)
{
    effect e = {0};
    double sizes[LAB_CAUSE_LINES] = {0};
    const kept *last = NULL;
    for (size_t i = 2 * SETTLE; i < c->count; ++i) {
        const kept *k = &c->frames[i];
        if (isnan(k->shown) || isnan(k->content)) {
            continue;
        }
        if (last != NULL) {
            double error = (k->content - last->content) - (k->shown - last->shown);
            note(&e, sizes, c->values, e.of, k, error);
            e.of += 1;
        }
        last = k;
    }
    e.p99 = rank_in(c->values, e.of, 0.99);
    return e;
}

static void prepare(lab_causes *c, const lab_capture_info *info)
{
    size_t unseen = 0;
    for (size_t i = 0; i < c->count; ++i) {
        kept *k = &c->frames[i];
        unseen += isnan(k->shown) ? 1 : 0;
        k->end = !isnan(k->end) ? k->end : i + 1 < c->count ? c->frames[i + 1].start : k->present;
    }
    c->drops = (double)unseen > limits.few * (double)c->count;
    if (c->refresh_ms > 0.0) {
        fit_refreshes(c);
        c->refresh_ms = is_varying(c) ? 0.0 : c->refresh_ms;
    }
    c->returns = info->shown == LAB_CAPTURE_SHOWN_PRESENT_RETURN;
    find_stages(c, info->has);
    find_latch(c);
    size_t n = 0;
    const kept *last = NULL;
    for (size_t i = 0; i < c->count; ++i) {
        const kept *k = &c->frames[i];
        if (!isnan(k->shown)) {
            c->values[n] = last != NULL ? k->shown - last->shown : 0.0;
            n += last != NULL;
            last = k;
        }
    }
    c->shortest_ms = rank_in(c->values, n, 0.01);
    c->usual_ms = rank_in(c->values, n, 0.5);
    find_delays(c);
    c->follows = BY_START;
    c->lag = 1;
    if (info->content == LAB_CAPTURE_CONTENT_TRUE || (info->has & LAB_HAS_BLOCKED) != 0) {
        find_followed(c);
    }
}

/* The longest time of a stage, in frames from one to another. */
static double longest_of(const lab_causes *c, size_t stage, size_t from, size_t to)
{
    double longest = 0.0;
    for (size_t i = from; i <= to; ++i) {
        longest = fmax(longest, c->frames[i].stage[stage]);
    }
    return longest;
}

static void judge_stages(lab_causes *c, const lab_capture_info *info, const effect *base,
        const effect *total, lab_cause_figures *figures)
{
    bool timed = ((info->has & LAB_HAS_LATE) != 0 && (info->has & LAB_HAS_WORK) != 0)
                 || (info->has & LAB_HAS_CPU_TIME) != 0;
    bool ends = (info->has & LAB_HAS_PRESENT_END) != 0 && info->shown == LAB_CAPTURE_SHOWN_REPORTED;
    const bool can_tell[] = {
            timed, (info->has & LAB_HAS_PRESENT) != 0, (info->has & LAB_HAS_GPU_END) != 0, ends};
    for (size_t s = WAKE; s <= BLOCK; ++s) {
        effect e = replay(c, 1U << s, base->p99 + limits.p99 * c->unit_ms);
        judge(c, (lab_cause)s, &e, base, total, can_tell[s], figures);
        figures[s].usual_ms = c->usual[s];
        figures[s].longest_ms = longest_of(c, s, 0, c->count - 1);
    }
}

static void judge_content(lab_causes *c, const lab_capture_info *info, const effect *base,
        const effect *total, double interval_ms, lab_cause_figures *figures)
{
    bool has_content = info->content == LAB_CAPTURE_CONTENT_TRUE;
    double tick = has_content ? find_tick(c) : 0.0;
    double ticks = tick > 0.0 ? interval_ms / tick : 0.0;
    bool beats = fabs(ticks - round(ticks)) <= limits.beat && ticks > 0.5;
    lab_cause cause = beats ? LAB_CAUSE_BEAT : LAB_CAUSE_TICKS;
    effect e = {0};
    judge(c, LAB_CAUSE_BEAT, &e, base, total, has_content, figures);
    judge(c, LAB_CAUSE_TICKS, &e, base, total, has_content, figures);
    if (tick > 0.0) {
        e = replay(c, CONTENT, base->p99 + limits.p99 * c->unit_ms);
        judge(c, cause, &e, base, total, true, figures);
        figures[cause].usual_ms = tick;
        figures[cause].longest_ms = interval_ms;
    }
}

/* --- moments ---------------------------------------------------------------------------------- */

/* Of those that replays look at. */
static void find_frames(lab_causes *c, const lab_moment *moments, size_t count)
{
    for (size_t i = 2 * SETTLE + 1; i < c->count; ++i) {
        for (size_t m = 0; m < count; ++m) {
            c->at[m] = c->frames[i].line == moments[m].line ? i : c->at[m];
        }
    }
}

static void explain(
        const lab_causes *c, const lab_cause_figures *figures, size_t index, lab_moment *m)
{
    size_t at = c->at[index], before = at - 1;
    size_t last = at + NEAR < c->count ? at + NEAR : c->count - 1;
    double size = fabs(m->error_ms), rate = c->near[LAB_CAUSE_RATE][index];
    double most = fmax(fmax(0.5 * size, 1.5 * rate), limits.p99 * c->unit_ms);
    while (before > 0 && (isnan(c->frames[before].shown) || isnan(c->frames[before].content))) {
        before -= 1;
    }
    if (figures[LAB_CAUSE_RATE].finding != LAB_CANNOT_TELL && rate >= 0.5 * size) {
        m->cause = LAB_CAUSE_RATE;
        m->cause_ms = c->frames[at].shown - c->frames[before].shown;
        m->finding = LAB_IS_CAUSE;
    }
    for (size_t cause = 0; cause < LAB_CAUSE_RATE; ++cause) {
        double near = c->near[cause][index];
        bool is_stage = cause <= BLOCK;
        double ms = is_stage ? longest_of(c, cause, at - NEAR, last)
                             : c->frames[at].content - c->frames[before].content;
        bool is_long = !is_stage || ms - figures[cause].usual_ms > 0.25 * size;
        if (figures[cause].finding != LAB_CANNOT_TELL && near >= most && is_long) {
            most = near;
            m->cause = (lab_cause)cause;
            m->cause_ms = ms;
            m->finding = LAB_IS_CAUSE;
        }
    }
}

static void explain_moments(
        lab_causes *c, const lab_cause_figures *figures, lab_moment *moments, size_t count)
{
    for (size_t m = 0; m < count; ++m) {
        bool can_tell = false;
        for (size_t f = 0; f < LAB_CAUSES; ++f) {
            can_tell = can_tell || figures[f].finding != LAB_CANNOT_TELL;
        }
        if (can_tell && c->at[m] > 0) {
            moments[m].finding = LAB_IS_NO_CAUSE;
            explain(c, figures, m, &moments[m]);
        }
    }
}

bool lab_causes_find(lab_causes *c, const lab_capture_info *info, double refresh_ms, double unit_ms,
        lab_cause_figures figures[LAB_CAUSES], lab_moment *moments, size_t count)
{
    memset(figures, 0, LAB_CAUSES * sizeof figures[0]);
    if (info->content == LAB_CAPTURE_CONTENT_NONE || info->shown == LAB_CAPTURE_SHOWN_NONE
            || c->count < limits.frames) {
        return true;
    }
    c->values = malloc((c->count + 1) * sizeof *c->values);
    if (c->values == NULL) {
        return false;
    }
    c->refresh_ms = refresh_ms;
    c->unit_ms = unit_ms;
    prepare(c, info);
    find_frames(c, moments, count);
    effect total = measured(c);
    c->unit_ms = refresh_ms > 0.0 && c->refresh_ms <= 0.0 ? c->usual_ms : unit_ms;
    double usual_ms =
            c->refresh_ms > 0.0 ? round(c->usual_ms / c->refresh_ms) * c->refresh_ms : c->usual_ms;
    const effect none = {0};
    effect even = replay(c, 0, limits.p99 * c->unit_ms);
    judge_stages(c, info, &even, &total, figures);
    judge_content(c, info, &even, &total, usual_ms, figures);
    /* equal, as a reader sees them, and over the capture less than a refresh apart */
    double interval_ms = interval_of(c), off_ms = fabs(interval_ms - usual_ms);
    bool fits = off_ms < limits.equal * usual_ms && off_ms * (double)c->count < c->unit_ms;
    judge(c, LAB_CAUSE_RATE, fits ? &none : &even, &none, &total, refresh_ms > 0.0 && !c->returns,
            figures);
    figures[LAB_CAUSE_RATE].longest_ms = usual_ms;
    figures[LAB_CAUSE_RATE].usual_ms = interval_ms;
    explain_moments(c, figures, moments, count);
    return true;
}
