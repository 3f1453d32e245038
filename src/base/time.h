/* SPDX-License-Identifier: Zlib
 *
 * Nanoseconds, rates and ratios.
 */
#ifndef ES_TIME_H
#define ES_TIME_H

#include "evenstep/evenstep.h"

#include "assert.h"

/* A pure number as a fraction, such as a time scale: 1/2 is half speed, 0/1 stands still. */
typedef struct es__ratio {
    uint32_t numerator;   /* 0 to 4 294 967 295 */
    uint32_t denominator; /* 1 to 4 294 967 295 */
} es__ratio;

/* The range of times: 2^60 ns, 36 years. Filtered times, plans, simulated times and durations are within
 * +-ES__TIME_MAX from where they enter, and so are products. So they are added by + and -: the sum of
 * seven is below 2^63. An instant of a clock may be any number, as a clock has any origin. It is never
 * added up: es__ns_between subtracts two of them, es__ns_add adds one duration. */
#define ES__TIME_MAX (INT64_C(1) << 60)

static inline int64_t es__clamp_ns(int64_t ns)
{
    if (ns > ES__TIME_MAX) {
        return ES__TIME_MAX;
    }
    return ns < -ES__TIME_MAX ? -ES__TIME_MAX : ns;
}

/* Adds to a total, which stays within the range. */
static inline void es__count_ns(int64_t *total_ns, int64_t ns)
{
    *total_ns = es__clamp_ns(*total_ns + ns);
}

/* a + b and a - b, saturating: for numbers that the program or a clock gives. */
#if defined(__GNUC__)
static inline int64_t es__ns_add(int64_t a, int64_t b)
{
    int64_t sum;
    return __builtin_add_overflow(a, b, &sum) ? (b > 0 ? INT64_MAX : INT64_MIN) : sum;
}

static inline int64_t es__ns_sub(int64_t a, int64_t b)
{
    int64_t rest;
    return __builtin_sub_overflow(a, b, &rest) ? (b < 0 ? INT64_MAX : INT64_MIN) : rest;
}
#else
static inline int64_t es__ns_add(int64_t a, int64_t b)
{
    if (b > 0 && a > INT64_MAX - b) {
        return INT64_MAX;
    }
    return b < 0 && a < INT64_MIN - b ? INT64_MIN : a + b;
}

static inline int64_t es__ns_sub(int64_t a, int64_t b)
{
    if (b > 0 && a < INT64_MIN + b) {
        return INT64_MIN;
    }
    return b < 0 && a > INT64_MAX + b ? INT64_MAX : a - b;
}
#endif

/* From one instant of a clock to another, within the range of times. */
static inline int64_t es__ns_between(int64_t from_ns, int64_t to_ns)
{
    return es__clamp_ns(es__ns_sub(to_ns, from_ns));
}

/* --- rates ------------------------------------------------------------------------------------ */

/* A rate in lowest terms. Both are at least 1; {0, 0} where it does not fit. */
es_rate es__rate_make(uint64_t numerator, uint64_t denominator);

bool es__rate_is_valid(es_rate rate);

/* Valid, and at most a million per second. */
static inline bool es__rate_is_usable(es_rate rate)
{
    return es__rate_is_valid(rate) && rate.numerator <= UINT64_C(1000000) * rate.denominator;
}

/* es_rate_time_ns within the range of times. */
int64_t es__rate_span_ns(es_rate rate, int64_t events);

/* The time from one event to the next, rounded down, within the range of times. */
int64_t es__rate_period_ns(es_rate rate);

/* The period in seconds: denominator / numerator in one IEEE division, the same on every machine. */
double es__rate_period_s(es_rate rate);

/* The first event at or after an instant: the smallest n with es_rate_time_ns(n) >= ns. */
int64_t es__rate_ns_to_events(es_rate rate, int64_t ns);

static inline bool es__is_same_rate(es_rate a, es_rate b)
{
    return a.numerator == b.numerator && a.denominator == b.denominator;
}

/* The nearest fraction with a denominator up to 1000: 29.5 is 59/2, 72.33 is 7233/100. x: from 0 to
 * 1e9. */
es__ratio es__nearest_ratio(double x);

/* ns * ratio, rounded down, within the range of times; 0 where the denominator is 0. */
int64_t es__ns_scale(int64_t ns, es__ratio ratio);

/* ns / ratio, likewise: the real time that content takes at a time scale. 0 where that is 0. */
static inline int64_t es__ns_unscale(int64_t ns, es__ratio ratio)
{
    const es__ratio inverse = {ratio.denominator, ratio.numerator};
    return ratio.numerator == ratio.denominator ? ns : es__ns_scale(ns, inverse);
}

/* Nanoseconds in milliseconds; exact up to 2^53 ns (104 days), else rounded. */
double es__ns_to_ms(int64_t ns);

#endif
