/* SPDX-License-Identifier: Zlib
 *
 * Helpers that all modules share.
 */
#ifndef ES_COMMON_H
#define ES_COMMON_H

#include <stddef.h>
#include <string.h>

#include "time.h"

#include "assert.h"

#if defined(__STDC_VERSION__) && __STDC_VERSION__ < 201112L
#error "evenstep.c needs C11 or later: compile it with -std=c11"
#endif

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
typedef struct es__error {
    const char *field;  /* the field's name as written in the header, or NULL: no error */
    const char *reason; /* one clause: what is wrong with it, or NULL */
} es__error;

/* The message of a result; a text for any other value too. */
const char *es__result_message(es_result result);

/* Names the field and the reason in *error, unless error is NULL. Returns ES_ERR_INVALID. */
es_result es__refuse(es__error *error, const char *field, const char *reason);

/* The same for a rate. Names what C stores for a plain number, such as {50, 0}. */
es_result es__refuse_rate(es__error *error, const char *field, es_rate rate, const char *reason);

/* Names the field and the reason; returns result. */
es_result es__refuse_as(es__error *error, es_result result, const char *field, const char *reason);

/* What a field of a configuration must be, and whether it is not. */
typedef struct es__rule {
    bool is_broken;
    const char *field;
    const char *reason;
} es__rule;

/* Refuses the first of these fields whose rule is broken. ES_OK: none is. */
es_result es__refuse_broken(es__error *error, const es__rule *rules, size_t count);
#define ES__REFUSE_BROKEN(error, rules)                                                            \
    es__refuse_broken(error, rules, sizeof(rules) / sizeof((rules)[0]))

/* Sets es_get_error of this thread to "where.field: reason". error: NULL, or without a field: the
 * result's message. Returns result. */
es_result es__fail(es_result result, const char *where, const es__error *error);

/* The same unless the result is ES_OK. Returns whether it is. */
static inline bool es__fail_if(es_result result, const char *where, const es__error *error)
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
