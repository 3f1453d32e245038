/* SPDX-License-Identifier: Zlib
 *
 * Helpers that all modules share.
 */
#ifndef ES_COMMON_H
#define ES_COMMON_H

#include <stddef.h>

#include "evenstep/base.h"
#include "evenstep/time.h"

/* Names the field and the reason in *error, unless error is NULL. Returns ES_ERR_INVALID. */
es_result es__refuse(es_error *error, const char *field, const char *reason);

/* Names the field and the reason; returns result. */
es_result es__refuse_as(es_error *error, es_result result, const char *field, const char *reason);

/* Sets es_get_error of this thread to "where.field: reason". error: NULL, or without a field: the
 * result's message. Returns result. */
es_result es__fail(es_result result, const char *where, const es_error *error);

/* Alignment of es__allocate, in bytes: a cache line. */
#define ES__ALIGNMENT ((size_t)64)

/* Zeroed memory, for creation only. NULL: out of memory, which es_get_error then says. */
void *es__allocate(size_t size);

/* Frees memory of es__allocate; NULL: does nothing. */
void es__free(void *memory);

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

/* ns * ratio, rounded down, saturating; 0 where the denominator is 0. */
int64_t es__ns_scale(int64_t ns, es_ratio ratio);

/* How many bits are set. */
int es__count_bits(uint32_t word);

/* Sorts numbers in place, the smallest first. None may be NaN. libc's qsort may allocate. */
void es__sort(double *numbers, size_t count);

/* Nearest rank: the smallest of the sorted numbers that has at least this share of them at or below
 * it. count: at least 1. permille: 0 to 1000. */
double es__percentile(const double *sorted, size_t count, size_t permille);

#endif
