/* SPDX-License-Identifier: Zlib
 *
 * Helpers that all modules share.
 */
#ifndef ES_COMMON_H
#define ES_COMMON_H

#include <stddef.h>
#include <string.h>

#include "evenstep/evenstep.h"

#include "base/assert.h"

/* The older unit keeps 80 bits between two operations: other results than on other machines. */
#if defined(__i386__) && defined(__GNUC__) && !defined(__SSE2_MATH__)
#error "evenstep on 32-bit x86: compile with -msse2 -mfpmath=sse"
#endif

/* Before a variable: each thread has its own. Older compilers of Microsoft lack _Thread_local. */
#if defined(_MSC_VER) && !defined(__clang__)
#define ES_PER_THREAD __declspec(thread)
#else
#define ES_PER_THREAD _Thread_local
#endif

/* Which field was refused, and why. The texts are static, or the thread's until its next refusal. */
typedef struct es_error {
    const char *field;  /* the field's name as written in the header, or NULL: no error */
    const char *reason; /* one clause: what is wrong with it, or NULL */
} es_error;

/* A pure number as a fraction, such as a time scale: 1/2 is half speed, 0/1 stands still. */
typedef struct es_ratio {
    uint32_t numerator;   /* 0 to 4 294 967 295 */
    uint32_t denominator; /* 1 to 4 294 967 295 */
} es_ratio;

/* The message of a result; a text for any other value too. */
const char *es__result_message(es_result result);

/* Names the field and the reason in *error, unless error is NULL. Returns ES_ERR_INVALID. */
es_result es__refuse(es_error *error, const char *field, const char *reason);

/* The same for a rate. Names what C stores for a plain number, such as {50, 0}. */
es_result es__refuse_rate(es_error *error, const char *field, es_rate rate, const char *reason);

/* Names the field and the reason; returns result. */
es_result es__refuse_as(es_error *error, es_result result, const char *field, const char *reason);

/* What a field of a configuration must be, and whether it is not. */
typedef struct es_rule {
    bool is_broken;
    const char *field;
    const char *reason;
} es_rule;

/* Refuses the first of these fields whose rule is broken. ES_OK: none is. */
es_result es__refuse_broken(es_error *error, const es_rule *rules, size_t count);
#define ES__REFUSE_BROKEN(error, rules)                                                            \
    es__refuse_broken(error, rules, sizeof(rules) / sizeof((rules)[0]))

/* Sets es_get_error of this thread to "where.field: reason". error: NULL, or without a field: the
 * result's message. Returns result. */
es_result es__fail(es_result result, const char *where, const es_error *error);

/* The same unless the result is ES_OK. Returns whether it is. */
static inline bool es__fail_if(es_result result, const char *where, const es_error *error)
{
    return result == ES_OK || es__fail(result, where, error) == ES_OK;
}

/* An address that tells threads apart. */
const void *es__this_thread(void);

/* This thread uses an object. Returns whether it used another one before that. */
bool es__thread_turns_to(const void *object);

/* Alignment of es__allocate, in bytes: a cache line. */
#define ES__ALIGNMENT ((size_t)64)

/* Zeroed memory, for creation only. NULL: out of memory, which es_get_error then says. es__free
 * accepts NULL. */
void *es__allocate(size_t size);
void es__free(void *memory);

/* a + b and a - b, saturating. */
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

/* Nanoseconds in milliseconds; exact up to 2^53 ns (104 days), else rounded. */
double es__ns_to_ms(int64_t ns);

/* --- rates (time.c) --------------------------------------------------------------------------- */

/* A rate in lowest terms. Both are at least 1; {0, 0} where it does not fit. */
es_rate es__rate_make(uint64_t numerator, uint64_t denominator);

/* The rate with exactly this period: 5 000 000 ns is 200/1. At least 1; up to 4.29 s always fits,
 * longer periods where they reduce. */
es_rate es__rate_from_period_ns(int64_t period_ns);

bool es__rate_is_valid(es_rate rate);

/* The time from one event to the next, rounded down. */
int64_t es__rate_period_ns(es_rate rate);

/* The period in seconds: denominator / numerator in one IEEE division, the same on every machine. */
double es__rate_period_s(es_rate rate);

/* The first event at or after an instant: the smallest n with es_rate_time_ns(n) >= ns. */
int64_t es__rate_ns_to_events(es_rate rate, int64_t ns);

static inline int64_t es__min(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

static inline int64_t es__max(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

static inline double es__min_f64(double a, double b)
{
    return a < b ? a : b;
}

static inline double es__max_f64(double a, double b)
{
    return a > b ? a : b;
}

static inline bool es__is_same_rate(es_rate a, es_rate b)
{
    return a.numerator == b.numerator && a.denominator == b.denominator;
}

/* The greatest common divisor; of 0 and a number, the number. In time.c. */
uint64_t es__common_divisor(uint64_t a, uint64_t b);

/* The nearest fraction with a denominator up to 1000: 29.5 is 59/2, 72.33 is 7233/100. x: from 0 to
 * 1e9. */
es_ratio es__nearest_ratio(double x);

/* ns * ratio, rounded down, saturating; 0 where the denominator is 0. */
int64_t es__ns_scale(int64_t ns, es_ratio ratio);

/* ns / ratio, likewise: the real time that content takes at a time scale. 0 where that is 0. */
static inline int64_t es__ns_unscale(int64_t ns, es_ratio ratio)
{
    const es_ratio inverse = {ratio.denominator, ratio.numerator};
    return ratio.numerator == ratio.denominator ? ns : es__ns_scale(ns, inverse);
}

static inline uint64_t es__bits_of(double x)
{
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

static inline double es__from_bits(uint64_t bits)
{
    double x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

int es__count_bits(uint32_t word);

/* Sorts numbers in place, the smallest first. None may be NaN. libc's qsort may allocate. */
void es__sort(double *numbers, size_t count);

/* Nearest rank: the smallest of the sorted numbers that has at least this share of them at or below
 * it. count: at least 1. permille: 0 to 1000. */
double es__percentile(const double *sorted, size_t count, size_t permille);

#endif
