/* SPDX-License-Identifier: Zlib
 *
 * time: instants, durations, rates, clocks.
 *
 * Instants and durations are int64_t nanoseconds: 292 years either way. Arithmetic on them
 * saturates: it stops at the ends of the range and never wraps. A rate is an exact fraction, so
 * tick n of a 60000/1001 Hz game has an exact time after ten years too. Floating point is for
 * alphas and reports only.
 *
 * Threads: any. Allocation: none. Errors: an invalid rate gives {0, 0} or 0. */
#ifndef EVENSTEP_TIME_H
#define EVENSTEP_TIME_H

#include "evenstep/base.h"

#define ES_NS_PER_US INT64_C(1000)
#define ES_NS_PER_MS INT64_C(1000000)
#define ES_NS_PER_S  INT64_C(1000000000)

/* Events per second as a fraction: 60/1, 60000/1001. {0, 0} means "the default" in a config.
 * The numerator is at most 1e9: with it, every conversion below is exact in 64-bit arithmetic. */
typedef struct es_rate {
    uint32_t numerator;   /* 1 to 1 000 000 000 */
    uint32_t denominator; /* 1 to 4 294 967 295 */
} es_rate;

/* A pure number as a fraction, such as a time scale: 1/2 is half speed, 0/1 stands still. */
typedef struct es_ratio {
    uint32_t numerator;   /* 0 to 4 294 967 295 */
    uint32_t denominator; /* 1 to 4 294 967 295 */
} es_ratio;

/* A source of time. All zero means "the machine's clock" in a config. */
typedef struct es_clock {
    /* The time now, in ns from any origin. Required. A clock that goes back is reported as a gap
     * (es_gap_kind). */
    int64_t (*now_ns)(void *user);
    /* Returns when now_ns is at or after the deadline. May be NULL: then only a host's frames
     * (es_loop_begin_host), which never wait, can run on this clock. */
    void (*wait_until)(void *user, int64_t deadline_ns);
    /* Total time the machine has slept, whether now_ns counted it or not; NULL: not known. */
    int64_t (*suspended_ns)(void *user);
    /* CPU time used by the calling thread; NULL: not known. */
    int64_t (*thread_cpu_ns)(void *user);
    void *user;              /* passed to each function; must live as long as the clock is used */
    const char *description; /* for people: which clock, how it waits; static, or NULL */
    /* thread_cpu_ns advances at the system's ticks, every few ms: exact enough for a second, and
     * not for a frame. */
    bool thread_cpu_is_coarse;
} es_clock;

#ifdef __cplusplus
extern "C" {
#endif

/* A whole number of events per second, 1 to 1 000 000 000. */
ES_API es_rate es_hz(uint32_t hz);

/* A rate in lowest terms: es_rate_make(60000, 1001) is NTSC's 59.94 Hz. Both are at least 1; the
 * reduced fraction must fit es_rate. */
ES_API es_rate es_rate_make(uint64_t numerator, uint64_t denominator);

/* The rate with exactly this period: 5 000 000 ns is 200/1. At least 1; up to 4.29 s always fits,
 * longer periods where they reduce. */
ES_API es_rate es_rate_from_period_ns(int64_t period_ns);

/* Whether a rate is within the limits of es_rate. */
ES_API bool es_rate_is_valid(es_rate rate);

/* The time from one event to the next, rounded down. */
ES_API int64_t es_rate_period_ns(es_rate rate);

/* The period in seconds: denominator / numerator in one IEEE division, the same on every machine.
 * */
ES_API double es_rate_period_s(es_rate rate);

/* The exact time of an event: floor(events * period), from event 0 at time 0. Negative counts lie
 * before time 0. Source: division by quotient and remainder, so no intermediate exceeds 64 bits
 * (time.c). */
ES_API int64_t es_rate_events_to_ns(es_rate rate, int64_t events);

/* The first event at or after an instant: the smallest n with es_rate_events_to_ns(n) >= ns. */
ES_API int64_t es_rate_ns_to_events(es_rate rate, int64_t ns);

/* Nanoseconds in milliseconds, for reports; exact up to 2^53 ns (104 days), else rounded. */
ES_API double es_ns_to_ms(int64_t ns);

/* a + b, saturating. */
static inline int64_t es_ns_add(int64_t a, int64_t b)
{
    if (b > 0 && a > INT64_MAX - b) {
        return INT64_MAX;
    }
    if (b < 0 && a < INT64_MIN - b) {
        return INT64_MIN;
    }
    return a + b;
}

/* a - b, saturating. */
static inline int64_t es_ns_sub(int64_t a, int64_t b)
{
    if (b > 0 && a < INT64_MIN + b) {
        return INT64_MIN;
    }
    if (b < 0 && a > INT64_MAX + b) {
        return INT64_MAX;
    }
    return a - b;
}

#ifdef __cplusplus
}
#endif

#endif
