/* SPDX-License-Identifier: Zlib
 *
 * A clock that only the program moves. Zero-initialised it starts at 0.
 */
#ifndef MANUAL_CLOCK_H
#define MANUAL_CLOCK_H

#include "base/common.h"

typedef struct es_manual_clock {
    int64_t now_ns;       /* set or add to it: waiting, blocking; for work, es_manual_clock_work */
    int64_t wake_late_ns; /* every wait ends this much after its deadline; default 0 */
    int64_t suspended_ns; /* what suspended_ns returns */
    int64_t cpu_ns;       /* what thread_cpu_ns returns; es_manual_clock_work adds to it */
    int64_t cpu_reads;    /* how often it was called */
} es_manual_clock;

static inline int64_t manual_now(void *user)
{
    return ((const es_manual_clock *)user)->now_ns;
}

/* Waiting sets the time to the deadline. */
static inline void manual_wait(void *user, int64_t deadline_ns)
{
    es_manual_clock *manual = (es_manual_clock *)user;
    if (manual->now_ns < deadline_ns) {
        manual->now_ns = es__ns_add(deadline_ns, manual->wake_late_ns);
    }
}

static inline int64_t manual_suspended(void *user)
{
    return ((const es_manual_clock *)user)->suspended_ns;
}

static inline int64_t manual_cpu(void *user)
{
    es_manual_clock *manual = (es_manual_clock *)user;
    manual->cpu_reads += 1;
    return manual->cpu_ns;
}

/* A clock that reads and moves a manual clock, which outlives it. */
static inline es_clock es_manual_clock_get(es_manual_clock *manual)
{
    es_clock clock = {manual_now, manual_wait, manual_suspended, manual_cpu, manual,
            "manual clock: only the program moves it", false};
    return clock;
}

/* Lets time pass as work: both the time and the CPU time move. A negative time moves nothing. */
static inline void es_manual_clock_work(es_manual_clock *manual, int64_t work_ns)
{
    if (work_ns > 0) {
        manual->now_ns = es__ns_add(manual->now_ns, work_ns);
        manual->cpu_ns = es__ns_add(manual->cpu_ns, work_ns);
    }
}

#endif
