/* SPDX-License-Identifier: Zlib
 *
 * Each capture's figure and its interval; then those of several captures together; then the rule.
 */
#include "lab/gate.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    FEWEST = 120, /* frames that a judgement needs */
    BLOCKS = 60,  /* of frames: half and a quarter as many are tried, too */
    RUNS_MAX = 64 /* captures of one program */
};

/* A change of less than this share of a refresh is none. */
static const double least_change = 0.001;

/* The share of cases in which a change of the reported size is found is above this quantile's. */
static const double power_quantile = 1.2816; /* 90 % */

/* --- runs ------------------------------------------------------------------------------------- */

static bool reserve(double **values, size_t capacity)
{
    double *larger = realloc(*values, capacity * sizeof *larger);
    *values = larger != NULL ? larger : *values;
    return larger != NULL;
}

bool lab_steps_add(lab_steps *s, double interval_ms, double error_ms, double frame_ms)
{
    if (s->interval_count == s->capacity || s->frame_count == s->capacity) {
        size_t capacity = s->capacity > 0 ? 2 * s->capacity : 4096;
        if (!reserve(&s->intervals, capacity) || !reserve(&s->errors, capacity)
                || !reserve(&s->frames, capacity)) {
            return false;
        }
        s->capacity = capacity;
    }
    s->intervals[s->interval_count] = interval_ms;
    s->interval_count += isnan(interval_ms) ? 0 : 1;
    s->errors[s->error_count] = error_ms;
    s->error_count += isnan(error_ms) ? 0 : 1;
    s->frames[s->frame_count] = frame_ms;
    s->frame_count += isnan(frame_ms) ? 0 : 1;
    return true;
}

void lab_steps_free(lab_steps *s)
{
    free(s->intervals);
    free(s->errors);
    free(s->frames);
}

/* The same frames, intervals and errors as in lab_capture_measure. */
es_result lab_steps_read(lab_capture *capture, const lab_figures *figures, lab_steps *steps,
        lab_capture_error *error)
{
    bool screen = lab_capture_get_info(capture)->shown != LAB_CAPTURE_SHOWN_NONE;
    lab_capture_frame frame, shown = {0}, moved = {0};
    bool has_shown = false, has_moved = false;
    es_result result;
    steps->refresh_ms = figures->refresh_ms;
    steps->intended_ms = figures->intended_ms;
    while ((result = lab_capture_next(capture, &frame, error)) == ES_OK) {
        double frame_ms = frame.frame_ms > 0.0 ? frame.frame_ms : NAN;
        double interval = screen ? NAN : frame_ms;
        double animation = NAN;
        if (screen && !isnan(frame.shown_ms)) {
            bool follows = has_shown && frame.series == shown.series;
            interval = follows ? frame.shown_ms - shown.shown_ms : NAN;
            if (follows && interval <= 0.0) {
                interval = NAN; /* the frame before was never seen by itself */
            } else {
                shown = frame;
                has_shown = true;
                if (has_moved && frame.series == moved.series) {
                    animation = (frame.content_ms - moved.content_ms)
                                - (frame.shown_ms - moved.shown_ms);
                }
                moved = isnan(frame.content_ms) ? moved : frame;
                has_moved = has_moved || !isnan(frame.content_ms);
            }
        }
        if (!lab_steps_add(steps, interval, animation, frame_ms)) {
            return lab_capture_refuse(capture, error, 0, "out of memory");
        }
    }
    return result == ES_ERR_STATE ? ES_OK : result;
}

/* --- quantiles -------------------------------------------------------------------------------- */

/* P(|t| < x) of Student's t with df degrees of freedom. Source: Abramowitz and Stegun 26.7.3, 26.7.4. */
static double student_inside(double x, int df)
{
    double angle = atan(x / sqrt(df)), c = cos(angle), s = sin(angle);
    double term = df % 2 != 0 ? c : 1.0, sum = df > 1 ? term : 0.0;
    for (int k = df % 2 != 0 ? 3 : 2; k < df; k += 2) {
        term *= c * c * (k - 1.0) / k;
        sum += term;
    }
    return df % 2 != 0 ? (angle + s * sum) / acos(0.0) : s * sum;
}

/* The quantile that t exceeds with this probability; df 0: of the normal distribution. */
static double quantile(double beyond, int df)
{
    double low = 0.0, high = 1e6;
    for (int i = 0; i < 100; ++i) {
        double middle = (low + high) / 2.0;
        double above =
                df > 0 ? (1.0 - student_inside(middle, df)) / 2.0 : erfc(middle / sqrt(2.0)) / 2.0;
        low = above > beyond ? middle : low;
        high = above > beyond ? high : middle;
    }
    return low;
}

/* --- one capture ------------------------------------------------------------------------------ */

/* The values of a metric in one capture, and their figure. */
typedef struct sample {
    double *values; /* sizes in ms; repeats: per interval; sorted for a percentile, see spread */
    size_t count;
    double trials;   /* repeats: refreshes */
    double share;    /* of a percentile, above it; repeats: NaN */
    double variance; /* of a value, as if all were independent ... */
    double spread;   /* ... and how many times more it is in the mean of many: at least 1 */
    double value;    /* the figure */
} sample;

/* What a side of a comparison is. */
typedef struct side {
    const lab_steps *runs;
    size_t count;
    double intended_ms; /* intervals are errors against this */
    sample samples[RUNS_MAX];
    lab_estimate estimates[RUNS_MAX];
    lab_estimate all;
} side;

static double mean_of(const double *values, size_t count)
{
    double sum = 0.0;
    for (size_t i = 0; i < count; ++i) {
        sum += values[i];
    }
    return sum / (double)count;
}

/* count times the variance of the mean, from blocks: the largest of three lengths. */
static double variance_by_blocks(const double *values, size_t count, double mean)
{
    double most = 0.0;
    for (size_t blocks = BLOCKS; blocks >= BLOCKS / 4; blocks /= 2) {
        size_t length = count / blocks;
        double squares = 0.0;
        for (size_t b = 0; b < blocks; ++b) {
            double sum = 0.0;
            for (size_t i = b * length; i < (b + 1) * length; ++i) {
                sum += values[i] - mean;
            }
            squares += sum * sum;
        }
        most = fmax(most, squares / (double)(length * (blocks - 1)));
    }
    return most;
}

static int compare_values(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Refreshes in an interval. */
static double refreshes_in(double interval_ms, double refresh_ms)
{
    return round(interval_ms / refresh_ms);
}

static void fill_values(const lab_rule *rule, const lab_steps *run, double intended_ms, sample *s)
{
    double intended = fmax(1.0, refreshes_in(intended_ms, run->refresh_ms));
    for (size_t i = 0; i < s->count; ++i) {
        double shown;
        switch (rule->metric) {
        case LAB_METRIC_ANIMATION:
            s->values[i] = fabs(run->errors[i]);
            break;
        case LAB_METRIC_INTERVAL:
            s->values[i] = fabs(run->intervals[i] - intended_ms);
            break;
        case LAB_METRIC_FRAME:
            s->values[i] = run->frames[i];
            break;
        case LAB_METRIC_REPEATS:
            shown = refreshes_in(run->intervals[i], run->refresh_ms);
            s->values[i] = fmax(0.0, shown - intended);
            s->trials += shown;
            break;
        }
    }
}

/* The figure and how much its frames depend on each other. */
static void summarize(const lab_rule *rule, double least_ms, sample *s)
{
    double mean = mean_of(s->values, s->count);
    s->share = NAN;
    if (rule->metric == LAB_METRIC_REPEATS) {
        s->value = s->trials > 0.0 ? mean * (double)s->count / s->trials : 0.0;
        s->variance = mean;
    } else if (rule->percentile > 0.0) {
        double *sorted = s->values + s->count;
        size_t rank = (size_t)ceil(rule->percentile * (double)s->count - 1e-9);
        memcpy(sorted, s->values, s->count * sizeof *sorted);
        qsort(sorted, s->count, sizeof *sorted, compare_values);
        s->value = sorted[rank > 0 ? rank - 1 : 0];
        s->share = 1.0 - rule->percentile;
        s->variance = s->share * rule->percentile;
        for (size_t i = 0; i < s->count; ++i) {
            s->values[i] = s->values[i] > fmax(s->value, least_ms) ? 1.0 : 0.0;
        }
        mean = mean_of(s->values, s->count);
        double dependent = variance_by_blocks(s->values, s->count, mean);
        memcpy(s->values, sorted, s->count * sizeof *sorted);
        s->spread = fmax(1.0, dependent / s->variance);
        return;
    } else {
        s->value = mean;
        for (size_t i = 0; i < s->count; ++i) {
            s->variance += (s->values[i] - mean) * (s->values[i] - mean);
        }
        s->variance /= (double)s->count;
    }
    double dependent = variance_by_blocks(s->values, s->count, mean);
    s->spread = s->variance > 0.0 ? fmax(1.0, dependent / s->variance) : 1.0;
}

/* Wilson's interval of a share, of so many independent trials. */
static lab_estimate share_interval(double share, double trials, double z)
{
    double half = z / (1.0 + z * z / trials)
                  * sqrt(share * (1.0 - share) / trials + z * z / (4.0 * trials * trials));
    double middle = (share + z * z / (2.0 * trials)) / (1.0 + z * z / trials);
    lab_estimate out = {share, fmax(0.0, middle - half), middle + half};
    return out;
}

static lab_estimate estimate(const lab_rule *rule, const sample *s, double z)
{
    double spread = s->spread;
    double n = (double)s->count;
    lab_estimate out = {s->value, s->value, s->value};
    if (rule->metric == LAB_METRIC_REPEATS) {
        return share_interval(s->value, fmax(1.0, s->trials / spread), z);
    }
    if (rule->percentile <= 0.0) {
        double half = z * sqrt(s->variance * spread / n);
        out.low = fmax(0.0, s->value - half);
        out.high = s->value + half;
        return out;
    }
    /* how many values are above the true percentile: a binomial distribution's quantiles, with its
     * skewness (Cornish and Fisher) */
    double expected = n * s->share / spread;
    double skewed = expected + (z * z - 1.0) / 6.0 * (1.0 - 2.0 * s->share);
    double half = z * sqrt(expected * (1.0 - s->share));
    double most = ceil(spread * (skewed + half)) + 1.0, least = floor(spread * (skewed - half));
    out.low = s->values[most < n ? s->count - (size_t)most : 0];
    out.high = least >= 1.0 ? s->values[s->count - (size_t)least] : INFINITY;
    return out;
}

/* --- several captures ------------------------------------------------------------------------- */

static double sum_of_squares(const side *s)
{
    double mean = 0.0, squares = 0.0;
    for (size_t i = 0; i < s->count; ++i) {
        mean += s->samples[i].value / (double)s->count;
    }
    for (size_t i = 0; i < s->count; ++i) {
        squares += (s->samples[i].value - mean) * (s->samples[i].value - mean);
    }
    return squares;
}

/* The mean of the captures. Its variance is that between them, at least that of independent frames. */
static void combine(side *s, double between, double t, double z)
{
    double within = 0.0;
    lab_estimate all = {0.0, 0.0, 0.0};
    for (size_t i = 0; i < s->count; ++i) {
        double half = (s->estimates[i].high - s->estimates[i].low) / 2.0 / z;
        within += half * half / (double)s->count;
        all.value += s->samples[i].value / (double)s->count;
    }
    double half = t * sqrt(fmax(between, within) / (double)s->count);
    all.low = fmax(0.0, all.value - half);
    all.high = all.value + half;
    s->all = all;
}

/* One capture of each: from its blocks. Counts of few frames show little of how they depend on each
 * other: both sides take what is more. Returns the quantile of the intervals. */
static double estimate_sides(const lab_rule *rule, side *sides, size_t count, double beyond)
{
    double spread = 1.0, squares = 0.0, z = quantile(beyond, BLOCKS / 2 - 1);
    int df = 0;
    for (size_t i = 0; i < count; ++i) {
        squares += sum_of_squares(&sides[i]);
        df += (int)sides[i].count - 1;
        spread = fmax(spread, sides[i].samples[0].spread);
    }
    double t = df > 0 ? quantile(beyond, df) : z;
    bool is_mean = rule->metric != LAB_METRIC_REPEATS && rule->percentile <= 0.0;
    for (size_t i = 0; i < count; ++i) {
        side *s = &sides[i];
        for (size_t r = 0; r < s->count; ++r) {
            sample *one = &s->samples[r];
            one->spread = df > 0 ? 1.0 : is_mean ? one->spread : spread;
            s->estimates[r] = estimate(rule, one, z);
        }
        s->all = s->estimates[0];
        if (df > 0) {
            combine(s, squares / df, t, z);
        }
    }
    return t;
}

/* --- the rule --------------------------------------------------------------------------------- */

/* How far below its value the candidate's interval would reach, were it this much over the limit: in
 * proportion up to four times the value (errors grow), then by its root (they become more). In a
 * mean the change may consist of few errors of one interval each; a percentile of added errors has an
 * interval of up to half of the change. */
static double reach_below(
        const lab_rule *rule, const side *s, double limit, double change, double z)
{
    double value = limit + change;
    double few = rule->percentile > 0.0
                         ? 0.5 * change
                         : z * sqrt(change * s->intended_ms / (double)s->samples[0].count);
    double growth = fmax(1.0, value / fmax(s->all.value, 1e-12));
    if (rule->metric == LAB_METRIC_REPEATS) {
        double share = fmin(value, 1.0);
        double trials = s->samples[0].trials / s->samples[0].spread;
        return s->count > 1 ? fmax(
                       s->all.value - s->all.low, z * sqrt(share / trials / (double)s->count))
                            : share - share_interval(share, fmax(1.0, trials), z).low;
    }
    return hypot((s->all.value - s->all.low) * fmin(growth, 2.0 * sqrt(growth)),
            few / sqrt((double)s->count));
}

/* The smallest change above the limit that would be found. */
static double find_change(const lab_rule *rule, const side *candidate, double limit, double above,
        double tolerance, double z)
{
    double low = 0.0, high = 1e-6;
    bool found = false;
    for (int i = 0; i < 120; ++i) {
        double change = found ? (low + high) / 2.0 : high;
        double reach = hypot(reach_below(rule, candidate, limit, change, z), above);
        bool finds = change >= tolerance + (1.0 + power_quantile / z) * reach;
        if (!found && !finds) {
            low = high;
            high *= 2.0;
            continue;
        }
        found = true;
        low = finds ? low : change;
        high = finds ? change : high;
    }
    return found ? high : INFINITY;
}

static void decide(const lab_rule *rule, const lab_gate_options *options, const side *sides,
        double limit, double tolerance, double z, lab_judgement *j)
{
    const lab_estimate *c = &sides[0].all, *b = &sides[1].all;
    double above = rule->compares ? rule->factor * (b->high - b->value) : 0.0;
    double below = rule->compares ? rule->factor * (b->value - b->low) : 0.0;
    bool shows_difference = rule->compares && !rule->has_limit;
    double difference = c->value - limit;
    j->candidate = *c;
    j->baseline = *b;
    j->limit = limit;
    j->finds = find_change(rule, &sides[0], limit, above, tolerance, z);
    if (difference - hypot(c->value - c->low, above) > tolerance) {
        j->verdict = options->candidate_disturbed ? LAB_INCONCLUSIVE : LAB_FAIL;
        j->why = "other programs disturbed the run";
    } else if (shows_difference ? isfinite(j->finds)
                                : difference + hypot(c->high - c->value, below) < 0.0) {
        bool doubtful = rule->compares && options->baseline_disturbed;
        j->verdict = doubtful ? LAB_INCONCLUSIVE : LAB_PASS;
        j->why = "other programs disturbed the baseline";
    } else {
        j->verdict = LAB_INCONCLUSIVE;
        j->why = "too few frames, or too uneven ones, to tell";
    }
}

static const char *unfit(const lab_rule *rule, const side *s, double refresh_ms)
{
    for (size_t i = 0; i < s->count; ++i) {
        const lab_steps *run = &s->runs[i];
        bool needs_refresh = rule->metric == LAB_METRIC_REPEATS || rule->unit == LAB_LIMIT_REFRESH;
        size_t count = rule->metric == LAB_METRIC_ANIMATION ? run->error_count
                       : rule->metric == LAB_METRIC_FRAME   ? run->frame_count
                                                            : run->interval_count;
        if (count == 0) {
            return rule->metric == LAB_METRIC_ANIMATION
                           ? "the capture has no content times, or no screen times"
                           : "the capture has no frame times";
        }
        if (needs_refresh && run->refresh_ms <= 0.0) {
            return "the refresh rate is not known: --refresh sets it";
        }
        if (count < FEWEST) {
            return "the capture has less than 120 frames";
        }
        if (run->refresh_ms > 0.0 && refresh_ms > 0.0
                && fabs(run->refresh_ms / refresh_ms - 1.0) > 0.01) {
            return "the captures differ in their refresh rates";
        }
    }
    return NULL;
}

static bool take_samples(const lab_rule *rule, side *s)
{
    for (size_t i = 0; i < s->count; ++i) {
        const lab_steps *run = &s->runs[i];
        sample *to = &s->samples[i];
        to->count = rule->metric == LAB_METRIC_ANIMATION ? run->error_count
                    : rule->metric == LAB_METRIC_FRAME   ? run->frame_count
                                                         : run->interval_count;
        to->values = malloc(2 * to->count * sizeof *to->values);
        if (to->values == NULL) {
            return false;
        }
        fill_values(rule, run, s->intended_ms, to);
        summarize(rule, least_change * s->intended_ms, to);
    }
    return true;
}

/* A candidate that is steadily slower than the baseline has uneven intervals; one that is faster does
 * not. */
static void set_intended(side *sides)
{
    for (size_t i = 0; i < 2 && sides[i].count > 0; ++i) {
        sides[i].intended_ms = sides[i].runs[0].intended_ms;
    }
    if (sides[1].count > 0) {
        sides[0].intended_ms = fmin(sides[0].intended_ms, sides[1].intended_ms);
    }
}

es_result lab_gate_judge(const lab_rule *rule, const lab_gate_options *options,
        const lab_steps *candidate, size_t candidate_count, const lab_steps *baseline,
        size_t baseline_count, lab_judgement *judgement, const char **why)
{
    side *sides = calloc(2, sizeof *sides);
    double beyond = (1.0 - options->certainty) / (double)(options->rules > 0 ? options->rules : 1);
    es_result result = sides != NULL ? ES_OK : ES_ERR_SPACE;
    *why = result != ES_OK                                           ? "out of memory"
           : candidate_count > RUNS_MAX || baseline_count > RUNS_MAX ? "over 64 captures"
           : rule->compares && baseline_count == 0                   ? "there is no baseline"
                                                                     : NULL;
    if (*why == NULL) {
        sides[0].runs = candidate;
        sides[0].count = candidate_count;
        sides[1].runs = baseline;
        sides[1].count = baseline_count;
        set_intended(sides);
        sides[1].count = rule->compares ? baseline_count : 0;
        *why = unfit(rule, &sides[0], candidate[0].refresh_ms);
        *why = *why == NULL ? unfit(rule, &sides[1], candidate[0].refresh_ms) : *why;
    }
    if (*why == NULL && (!take_samples(rule, &sides[0]) || !take_samples(rule, &sides[1]))) {
        *why = "out of memory";
        result = ES_ERR_SPACE;
    }
    if (*why == NULL) {
        double unit = rule->unit == LAB_LIMIT_REFRESH ? candidate[0].refresh_ms : 1.0;
        bool is_time = rule->metric != LAB_METRIC_REPEATS;
        double tolerance = is_time ? least_change * sides[0].intended_ms : 0.0;
        double z = estimate_sides(rule, sides, rule->compares ? 2 : 1, beyond);
        double limit =
                rule->limit * unit + (rule->compares ? rule->factor * sides[1].all.value : 0.0);
        decide(rule, options, sides, limit, tolerance, z, judgement);
    } else if (result == ES_OK) {
        result = ES_ERR_STATE;
    }
    for (size_t i = 0; sides != NULL && i < 2; ++i) {
        for (size_t r = 0; r < sides[i].count; ++r) {
            free(sides[i].samples[r].values);
        }
    }
    free(sides);
    return result;
}
