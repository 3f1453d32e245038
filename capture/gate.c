/* SPDX-License-Identifier: Zlib
 *
 * Each capture's figure and its interval; then those of several captures together; then the rule.
 */
#include "capture/gate.h"
#include "lab/numbers.h"

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

/* --- quantiles -------------------------------------------------------------------------------- */

/* P(|t| < x) of Student's t with df degrees of freedom. Source: Abramowitz and Stegun 26.7.3 and
 * 26.7.4. */
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

/* The quantile that t exceeds with this probability. */
static double quantile(double beyond, int df)
{
    double low = 0.0, high = 1e6;
    for (int i = 0; i < 100; ++i) {
        double middle = (low + high) / 2.0;
        bool above = (1.0 - student_inside(middle, df)) / 2.0 > beyond;
        low = above ? middle : low;
        high = above ? high : middle;
    }
    return low;
}

/* --- one capture ------------------------------------------------------------------------------ */

/* The values of a metric in one capture, and their figure. */
typedef struct sample {
    double *values; /* sizes in ms; of rates: per interval. For a percentile: 1 where one is above
                       it, and then the sizes in order */
    size_t count;
    double trials;   /* of rates. Repeats: refreshes; jumps: ms; hitches: hitches of the usual size
                        that the time has room for */
    double size;     /* hitches: the usual size; others: 1 */
    double variance; /* of a value, as if all were independent ... */
    double spread;   /* ... and how many times more it is in the mean of many: at least 1 */
    double value;    /* the figure */
} sample;

/* One program's captures. */
typedef struct side {
    size_t count;
    double intended_ms; /* intervals are errors against this */
    sample samples[RUNS_MAX];
    lab_estimate estimates[RUNS_MAX];
    lab_estimate all;
} side;

/* Repeats and hitches are counted in intervals. */
static size_t values_of(const lab_rule *rule)
{
    return rule->metric == LAB_METRIC_JUMPS ? LAB_METRIC_ANIMATION
           : lab_is_rate(rule->metric)      ? LAB_METRIC_INTERVAL
                                            : rule->metric;
}

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

static void fill_values(const lab_rule *rule, const lab_steps *run, double intended_ms, sample *s)
{
    double intended = fmax(1.0, round(intended_ms / run->refresh_ms));
    double from = rule->metric == LAB_METRIC_INTERVAL ? intended_ms : 0.0;
    for (size_t i = 0; i < s->count; ++i) {
        double value = run->values[values_of(rule)][i];
        double refreshes = round(value / run->refresh_ms);
        s->values[i] = rule->metric == LAB_METRIC_REPEATS ? fmax(0.0, refreshes - intended)
                       : rule->metric == LAB_METRIC_HITCHES
                               ? lab_hitch_ms(value, intended_ms, run->refresh_ms)
                       : rule->metric == LAB_METRIC_JUMPS ? fabs(value) > LAB_JUMP_MS
                                                          : fabs(value - from);
        s->trials += rule->metric == LAB_METRIC_REPEATS ? refreshes : 0.0;
    }
    for (size_t i = 0; rule->metric > LAB_METRIC_REPEATS && i < run->count[LAB_METRIC_INTERVAL];
            ++i) {
        s->trials += run->values[LAB_METRIC_INTERVAL][i];
    }
}

/* Hitches come as others of their usual size would: counts of a Poisson process whose steps are of
 * this size have the variance of its steps (without hitches one would take T). */
static void count_hitches(const lab_rule *rule, double intended_ms, sample *s)
{
    double sum = 0.0, squares = 0.0;
    s->size = 1.0;
    for (size_t i = 0; rule->metric == LAB_METRIC_HITCHES && i < s->count; ++i) {
        sum += s->values[i];
        squares += s->values[i] * s->values[i];
    }
    if (rule->metric == LAB_METRIC_HITCHES) {
        s->size = sum > 0.0 ? squares / sum : intended_ms;
        s->trials /= s->size;
    }
    for (size_t i = 0; i < s->count; ++i) {
        s->values[i] /= s->size;
    }
}

/* The figure, and how much its frames depend on each other. */
static void summarize(const lab_rule *rule, double least_ms, sample *s)
{
    double mean = mean_of(s->values, s->count);
    if (lab_is_rate(rule->metric)) {
        s->value = s->trials > 0.0 ? mean * (double)s->count / s->trials : 0.0;
        s->variance = mean;
    } else if (rule->percentile > 0.0) {
        double *sorted = s->values + s->count;
        size_t rank = (size_t)ceil(rule->percentile * (double)s->count - 1e-9);
        memcpy(sorted, s->values, s->count * sizeof *sorted);
        lab_sort(sorted, s->count);
        s->value = sorted[rank > 0 ? rank - 1 : 0];
        s->variance = (1.0 - rule->percentile) * rule->percentile;
        for (size_t i = 0; i < s->count; ++i) {
            s->values[i] = s->values[i] > fmax(s->value, least_ms) ? 1.0 : 0.0;
        }
        mean = mean_of(s->values, s->count);
    } else {
        s->value = mean;
        for (size_t i = 0; i < s->count; ++i) {
            s->variance += (s->values[i] - mean) * (s->values[i] - mean) / (double)s->count;
        }
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

/* Byar's interval of a rate of rare events, whose counts are a Poisson process's. Source: Breslow and
 * Day, Statistical methods in cancer research 2 (1987), 2.13. */
static lab_estimate rare_interval(double rate, double trials, double z)
{
    double count = rate * trials, more = count + 1.0;
    double least = count > 0.0 ? 1.0 - 1.0 / (9.0 * count) - z / (3.0 * sqrt(count)) : 0.0;
    double most = 1.0 - 1.0 / (9.0 * more) + z / (3.0 * sqrt(more));
    lab_estimate out = {
            rate, count * pow(fmax(0.0, least), 3.0) / trials, more * pow(most, 3.0) / trials};
    return out;
}

static lab_estimate rate_interval(const lab_rule *rule, double rate, double trials, double z)
{
    return rule->metric == LAB_METRIC_REPEATS ? share_interval(rate, fmax(1.0, trials), z)
                                              : rare_interval(rate, trials, z);
}

static lab_estimate estimate(const lab_rule *rule, const sample *s, double z)
{
    double n = (double)s->count / s->spread, above = 1.0 - rule->percentile;
    lab_estimate out = {s->value, 0.0, INFINITY};
    if (lab_is_rate(rule->metric)) {
        return rate_interval(rule, s->value, s->trials / s->spread, z);
    }
    if (rule->percentile <= 0.0) {
        double half = z * sqrt(s->variance / n);
        out.low = fmax(0.0, s->value - half);
        out.high = s->value + half;
        return out;
    }
    /* how many values are above the true percentile: a binomial distribution's quantiles, with its
     * skewness (Cornish and Fisher) */
    const double *end = s->values + 2 * s->count;
    double middle = n * above + (z * z - 1.0) / 6.0 * (1.0 - 2.0 * above);
    double half = z * sqrt(n * above * rule->percentile);
    double most = ceil(s->spread * (middle + half)) + 1.0;
    double least = floor(s->spread * (middle - half));
    out.low = end[-(ptrdiff_t)fmin(most, (double)s->count)];
    out.high = least >= 1.0 ? end[-(ptrdiff_t)least] : INFINITY;
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

/* The mean of the captures. Its variance is that between them, at least that of independent
 * frames. */
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
 * other, and of how long hitches are: both sides take what is more. Returns the quantile of the intervals. */
static double estimate_sides(const lab_rule *rule, side *sides, size_t count, double beyond)
{
    double spread = 1.0, size = 0.0, squares = 0.0, z = quantile(beyond, BLOCKS / 2 - 1);
    int df = 0;
    for (size_t i = 0; i < count; ++i) {
        squares += sum_of_squares(&sides[i]);
        df += (int)sides[i].count - 1;
        spread = fmax(spread, sides[i].samples[0].spread);
        size = fmax(size, sides[i].samples[0].size);
    }
    double t = df > 0 ? quantile(beyond, df) : z;
    bool is_mean = !lab_is_rate(rule->metric) && rule->percentile <= 0.0;
    for (size_t i = 0; i < count; ++i) {
        side *s = &sides[i];
        for (size_t r = 0; r < s->count; ++r) {
            sample *one = &s->samples[r];
            one->trials *= df > 0 ? 1.0 : one->size / size;
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

/* How far below its value the candidate's interval would reach, were it this much over the limit:
 * in proportion up to four times the value (errors grow), then by its root (they become more). In a
 * mean the change may consist of few errors of one interval each; a percentile of added errors has
 * an interval of up to half of the change. */
static double reach_below(
        const lab_rule *rule, const side *s, double limit, double change, double z)
{
    double value = limit + change;
    double few = rule->percentile > 0.0
                         ? 0.5 * change
                         : z * sqrt(change * s->intended_ms / (double)s->samples[0].count);
    double growth = fmax(1.0, value / fmax(s->all.value, 1e-12));
    if (lab_is_rate(rule->metric)) {
        double share = fmin(value, 1.0);
        double trials = s->samples[0].trials / s->samples[0].spread;
        return s->count > 1 ? fmax(
                       s->all.value - s->all.low, z * sqrt(share / trials / (double)s->count))
                            : share - rate_interval(rule, share, trials, z).low;
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

static void decide(
        const lab_rule *rule, const side *sides, double refresh_ms, double z, lab_judgement *j)
{
    const lab_estimate *c = &sides[0].all, *b = &sides[1].all;
    double factor = rule->compares ? rule->factor : 0.0;
    double above = factor > 0.0 ? factor * (b->high - b->value) : 0.0;
    double below = factor * (b->value - b->low);
    double tolerance = lab_is_rate(rule->metric) ? 0.0 : least_change * sides[0].intended_ms;
    double unit = rule->unit == LAB_LIMIT_REFRESH ? refresh_ms : 1.0;
    j->candidate = *c;
    j->baseline = *b;
    j->limit = rule->limit * unit + factor * b->value;
    j->finds = find_change(rule, &sides[0], j->limit, above, tolerance, z);
    double over = c->value - j->limit;
    bool allows_none = rule->compares && !rule->has_limit && rule->factor <= 1.0;
    bool shown_below = over + hypot(c->high - c->value, below) < 0.0;
    if (over - hypot(c->value - c->low, above) > tolerance) {
        j->verdict = LAB_FAIL;
    } else if (allows_none ? isfinite(j->finds) : shown_below) {
        j->verdict = LAB_PASS;
    } else {
        j->verdict = LAB_INCONCLUSIVE;
        j->why = "too few frames, or too uneven ones, to tell";
    }
}

/* NULL: the captures can show what the rule needs. */
static const char *unfit(const lab_rule *rule, const lab_program *p, double refresh_ms)
{
    bool needs_refresh = rule->metric == LAB_METRIC_REPEATS || rule->unit == LAB_LIMIT_REFRESH;
    for (size_t i = 0; i < p->count; ++i) {
        const lab_steps *run = &p->runs[i];
        size_t count = run->count[values_of(rule)];
        bool differs = run->refresh_ms > 0.0 && refresh_ms > 0.0
                       && fabs(run->refresh_ms / refresh_ms - 1.0) > 0.01;
        const char *why = count == 0
                                  ? "the capture has no content times, screen times or frame times"
                          : needs_refresh && run->refresh_ms <= 0.0
                                  ? "the refresh rate is not known: --refresh sets it"
                          : count < FEWEST ? "the capture has less than 120 frames"
                          : differs        ? "the captures differ in their refresh rates"
                                           : NULL;
        if (why != NULL) {
            return why;
        }
    }
    return p->count > RUNS_MAX ? "there are over 64 captures" : NULL;
}

static bool take_samples(const lab_rule *rule, const lab_program *p, side *s)
{
    s->count = p->count;
    for (size_t i = 0; i < p->count; ++i) {
        sample *to = &s->samples[i];
        to->count = p->runs[i].count[values_of(rule)];
        to->values = malloc(2 * to->count * sizeof *to->values);
        if (to->values == NULL) {
            return false;
        }
        fill_values(rule, &p->runs[i], s->intended_ms, to);
        count_hitches(rule, s->intended_ms, to);
        summarize(rule, least_change * s->intended_ms, to);
    }
    return true;
}

es_result lab_gate_judge(const lab_rule *rule, double beyond, const lab_program *candidate,
        const lab_program *baseline, lab_judgement *judgement, const char **why)
{
    static const lab_program none = {.count = 0};
    double refresh_ms = candidate->runs[0].refresh_ms, intended_ms = candidate->runs[0].intended_ms;
    const lab_program *other = rule->compares ? baseline : &none;
    side *sides = calloc(2, sizeof *sides);
    *why = unfit(rule, candidate, refresh_ms);
    *why = *why == NULL ? unfit(rule, other, refresh_ms) : *why;
    if (sides != NULL && *why == NULL) {
        /* one that is steadily slower than the baseline is uneven; one that is faster is not */
        bool has_baseline = baseline != NULL && baseline->count > 0;
        sides[1].intended_ms = has_baseline ? baseline->runs[0].intended_ms : intended_ms;
        sides[0].intended_ms = fmin(intended_ms, sides[1].intended_ms);
        if (!take_samples(rule, candidate, &sides[0]) || !take_samples(rule, other, &sides[1])) {
            *why = "out of memory";
        } else {
            double z = estimate_sides(rule, sides, rule->compares ? 2 : 1, beyond);
            decide(rule, sides, refresh_ms, z, judgement);
        }
    }
    for (size_t i = 0; sides != NULL && i < 2; ++i) {
        for (size_t r = 0; r < sides[i].count; ++r) {
            free(sides[i].samples[r].values);
        }
    }
    *why = sides == NULL ? "out of memory" : *why;
    free(sides);
    return *why == NULL ? ES_OK : ES_ERR_STATE;
}
