/* SPDX-License-Identifier: Zlib
 *
 * Times and rates, for the lab and the command.
 */
#ifndef LAB_NUMBERS_H
#define LAB_NUMBERS_H

#include "evenstep/evenstep.h"

/* Which field of a setup was refused, and why. The texts are static. */
typedef struct lab_refusal {
    const char *field;
    const char *reason;
} lab_refusal;

/* A pure number as a fraction. */
typedef struct lab_ratio {
    uint32_t numerator;
    uint32_t denominator;
} lab_ratio;

/* a + b, saturating. */
static inline int64_t ns_add(int64_t a, int64_t b)
{
    if (b > 0 && a > INT64_MAX - b) {
        return INT64_MAX;
    }
    return b < 0 && a < INT64_MIN - b ? INT64_MIN : a + b;
}

/* a - b, saturating. */
static inline int64_t ns_sub(int64_t a, int64_t b)
{
    if (b > 0 && a < INT64_MIN + b) {
        return INT64_MIN;
    }
    return b < 0 && a > INT64_MAX + b ? INT64_MAX : a - b;
}

/* The value at place k of the sorted order; smaller ones are before it afterwards. count: above k. */
double lab_select_nth(double *values, size_t count, size_t k);

/* Nearest rank: the place of the smallest value with at least per_mille at or below it. */
static inline size_t lab_rank(size_t count, size_t per_mille)
{
    size_t rank = (count * per_mille + 999) / 1000;
    return rank > 0 ? rank - 1 : 0;
}

void lab_sort(double *values, size_t count);

/* Makes place for one more item than count in an array, given by the address of its pointer. False:
 * out of memory; the array is as it was. */
bool lab_reserve(void *array, size_t *capacity, size_t count, size_t item_size);

static inline double ns_to_ms(int64_t ns)
{
    return (double)ns / 1e6;
}

static inline bool rate_is_valid(es_rate rate)
{
    return rate.numerator >= 1 && rate.numerator <= 1000000000 && rate.denominator >= 1;
}

static inline int64_t rate_period_ns(es_rate rate)
{
    return es_rate_time_ns(rate, 1);
}

static inline double rate_period_s(es_rate rate)
{
    return rate_is_valid(rate) ? (double)rate.denominator / (double)rate.numerator : 0.0;
}

/* In lowest terms; {0, 0} where it does not fit. */
static inline es_rate rate_make(uint64_t numerator, uint64_t denominator)
{
    uint64_t a = numerator, b = denominator;
    while (b != 0) {
        uint64_t rest = a % b;
        a = b;
        b = rest;
    }
    es_rate rate = {0, 0};
    if (a > 0 && numerator / a <= 1000000000 && denominator / a <= UINT32_MAX) {
        rate.numerator = (uint32_t)(numerator / a);
        rate.denominator = (uint32_t)(denominator / a);
    }
    return rate_is_valid(rate) ? rate : (es_rate){0, 0};
}

/* The smallest n with es_rate_time_ns(rate, n) >= ns. */
static inline int64_t rate_ns_to_events(es_rate rate, int64_t ns)
{
    if (!rate_is_valid(rate)) {
        return 0;
    }
    int64_t n = (int64_t)((double)ns * rate.numerator / (1e9 * rate.denominator));
    while (es_rate_time_ns(rate, n) >= ns) {
        n -= 1;
    }
    while (es_rate_time_ns(rate, n) < ns) {
        n += 1;
    }
    return n;
}

#endif
