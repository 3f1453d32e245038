/* SPDX-License-Identifier: Zlib
 *
 * time: what is an instant, a duration, a rate?
 *
 * Instants and durations are int64_t nanoseconds: 292 years either way, no rounding, no drift.
 * Arithmetic on them saturates: it stops at the ends of the range and never wraps. A rate is an
 * exact fraction, so tick n of a 60000/1001 Hz game has an exact time after ten years too.
 * Floating point is for alphas and reports only.
 *
 * Not for: calendars, time zones, time of day.
 */
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
    /* The time now, in ns from any origin. Required. It should not go back; when it does the loop
     * notices (es_gap_kind). */
    int64_t (*now_ns)(void *user);
    /* Returns when now_ns is at or after the deadline. May be NULL: then only a host's frames
     * (es_loop_begin_host), which never wait, can run on this clock. */
    void (*wait_until)(void *user, int64_t deadline_ns);
    /* Total time the machine has slept, whether now_ns counted it or not; NULL: cannot tell. */
    int64_t (*suspended_ns)(void *user);
    /* CPU time used by the calling thread, or NULL: cannot tell. */
    int64_t (*thread_cpu_ns)(void *user);
    void *user;              /* handed to each function; must live as long as the clock is used */
    const char *description; /* for people: which clock, how it waits; static, or NULL */
    /* thread_cpu_ns is counted at a tick of the system, every few ms: it tells what a second went
     * into, but not what a frame did, and is not asked for that. */
    bool thread_cpu_is_coarse;
} es_clock;

#ifdef __cplusplus
extern "C" {
#endif

/* A whole number of events per second.
 * hz: 1 to 1 000 000 000.
 * Returns hz/1; {0, 0}, which is no valid rate, for anything else. */
ES_API es_rate es_hz(uint32_t hz);

/* A rate from a fraction, in lowest terms: es_rate_make(60000, 1001) is NTSC's 59.94 Hz.
 * numerator, denominator: events per that many seconds; both at least 1.
 * Returns the reduced rate; {0, 0} when it does not fit the limits of es_rate. */
ES_API es_rate es_rate_make(uint64_t numerator, uint64_t denominator);

/* The rate with exactly this period: 5 000 000 ns is 200/1.
 * period_ns: nanoseconds, at least 1; up to 4.29 s always fits, longer ones when they reduce.
 * Returns the reduced rate; {0, 0} when it does not fit. */
ES_API es_rate es_rate_from_period_ns(int64_t period_ns);

/* Whether a rate is within the limits of es_rate.
 * rate: any value.
 * Returns true when every conversion below accepts it. */
ES_API bool es_rate_is_valid(es_rate rate);

/* The time from one event to the next, rounded down.
 * rate: a valid rate; an invalid one gives 0.
 * Returns nanoseconds. */
ES_API int64_t es_rate_period_ns(es_rate rate);

/* The time from one event to the next, for arithmetic in the simulation.
 * rate: a valid rate; an invalid one gives 0.
 * Returns seconds: denominator / numerator in one IEEE division, so the same on every machine. */
ES_API double es_rate_period_s(es_rate rate);

/* The exact time of an event: floor(events * period), from event 0 at time 0.
 * rate: a valid rate; an invalid one gives 0.
 * events: any count; negative counts lie before time 0.
 * Returns nanoseconds, rounded down once; saturates at the ends of int64_t.
 * Source: division by quotient and remainder, so no intermediate exceeds 64 bits (time.c). */
ES_API int64_t es_rate_events_to_ns(es_rate rate, int64_t events);

/* The first event at or after an instant: the smallest n with es_rate_events_to_ns(n) >= ns.
 * rate: a valid rate; an invalid one gives 0.
 * ns: any instant, from event 0 at time 0.
 * Returns an event count; saturates at the ends of int64_t.
 * Source: the inverse of es_rate_events_to_ns, exact for the same reason. */
ES_API int64_t es_rate_ns_to_events(es_rate rate, int64_t ns);

/* Duration times ratio, rounded down (towards the past).
 * ns: any duration.
 * ratio: the denominator must not be 0; if it is, the result is 0.
 * Returns nanoseconds; saturates at the ends of int64_t. */
ES_API int64_t es_ns_scale(int64_t ns, es_ratio ratio);

/* Nanoseconds in milliseconds, for people and reports.
 * ns: any duration.
 * Returns milliseconds; exact up to 2^53 ns (104 days), rounded to nearest beyond. */
ES_API double es_ns_to_ms(int64_t ns);

/* a + b that stops at the ends of the range instead of wrapping.
 * a, b: nanoseconds, any values.
 * Returns the sum, or INT64_MAX, or INT64_MIN. */
static inline int64_t es_ns_add(int64_t a, int64_t b)
{
#if defined(__GNUC__)
    /* The same by the overflow flag, as each frame asks so often. It is expected not to be set, or
     * clang works out both results each time. */
    int64_t sum;
    if (__builtin_expect(__builtin_add_overflow(a, b, &sum), 0)) {
        return b > 0 ? INT64_MAX : INT64_MIN;
    }
    return sum;
#else
    if (b > 0 && a > INT64_MAX - b) {
        return INT64_MAX;
    }
    if (b < 0 && a < INT64_MIN - b) {
        return INT64_MIN;
    }
    return a + b;
#endif
}

/* a - b that stops at the ends of the range instead of wrapping.
 * a, b: nanoseconds, any values.
 * Returns the difference, or INT64_MAX, or INT64_MIN. */
static inline int64_t es_ns_sub(int64_t a, int64_t b)
{
#if defined(__GNUC__)
    int64_t difference;
    if (__builtin_expect(__builtin_sub_overflow(a, b, &difference), 0)) {
        return b > 0 ? INT64_MIN : INT64_MAX;
    }
    return difference;
#else
    if (b < 0 && a > INT64_MAX + b) {
        return INT64_MAX;
    }
    if (b > 0 && a < INT64_MIN + b) {
        return INT64_MIN;
    }
    return a - b;
#endif
}

#ifdef __cplusplus
}
#endif

#endif
