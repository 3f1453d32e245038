/* SPDX-License-Identifier: Zlib
 *
 * gate: whether captures keep rules, with the certainty that they allow.
 *
 *   animation.p99 < 0.5 refresh      on one program: a limit
 *   repeats < baseline               against another: not worse, as far as the captures can show
 *   repeats < baseline + 0.5 %       ... and shown to be less than 0.5 % worse
 *
 * A figure has an interval that contains its true value with a certainty. One capture: neighbouring
 * frames depend on each other, so the variance is that of means over blocks of frames. Several
 * captures: the variance between them (Student's t). Percentiles: ranks from a binomial distribution.
 * Repeats: Wilson's interval; hitches and jumps, which are rare: Byar's. Two programs: MOVER, from
 * both intervals (Zou and Donner 2008).
 *
 * A rule fails where the interval is beyond the limit. It passes where the interval is within the
 * limit, or, for "< baseline", does not fail. Else it is inconclusive.
 */
#ifndef CAPTURE_GATE_H
#define CAPTURE_GATE_H

#include "capture/measure.h"

/* --- rules ------------------------------------------------------------------------------------ */

typedef enum lab_limit_unit {
    LAB_LIMIT_MS,
    LAB_LIMIT_REFRESH,
    LAB_LIMIT_SHARE,
    LAB_LIMIT_MS_PER_S,
    LAB_LIMIT_PER_MINUTE
} lab_limit_unit;

/* Metrics that are counts by trials. */
static inline bool lab_is_rate(lab_metric metric)
{
    return metric >= LAB_METRIC_REPEATS;
}

/* METRIC < [FACTOR *] [baseline] [+ LIMIT UNIT]; limits in ms, refreshes or as a share (from %,
 * ms/s, /min). */
typedef struct lab_rule {
    const char *text;
    lab_metric metric;
    double percentile; /* as a share: 0.99; 0: the mean */
    bool compares;     /* with the baseline */
    double factor;     /* of the baseline */
    bool has_limit;
    double limit;
    lab_limit_unit unit;
} lab_rule;

/* text outlives the rule. False: *at: the place that is wrong, from 0; *expected: what was expected
 * there. */
bool lab_rule_parse(const char *text, lab_rule *rule, size_t *at, const char **expected);

/* --- judgements ------------------------------------------------------------------------------- */

typedef enum lab_verdict { LAB_PASS, LAB_INCONCLUSIVE, LAB_FAIL } lab_verdict;

/* A figure and the interval of its true value, in ms or as a share. */
typedef struct lab_estimate {
    double value, low, high; /* high may be INFINITY: too few frames are beyond the value */
} lab_estimate;

typedef struct lab_judgement {
    lab_verdict verdict;
    const char *why; /* inconclusive: the reason; static */
    lab_estimate candidate, baseline;
    double limit; /* of the candidate, with the baseline in it */
    double finds; /* a true value this much above the limit would have failed in 9 of 10 cases;
                     INFINITY: none */
} lab_judgement;

/* The captures of one program. */
typedef struct lab_program {
    const lab_steps *runs;
    size_t count;
} lab_program;

/* Judges a rule. beyond: the probability that an interval ends too low, or too high: 1 - certainty
 * by the number of rules. baseline: NULL: there is none. ES_ERR_STATE: a capture cannot show what
 * the rule needs, or there is no memory: *why. */
es_result lab_gate_judge(const lab_rule *rule, double beyond, const lab_program *candidate,
        const lab_program *baseline, lab_judgement *judgement, const char **why);

#endif
