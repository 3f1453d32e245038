/* CC0: copy freely.
 *
 * A clock that only the program moves: examples that use it print the same on every machine.
 */
#ifndef VIRTUAL_CLOCK_H
#define VIRTUAL_CLOCK_H

#include "evenstep/evenstep.h"

typedef struct virtual_clock {
    int64_t now_ns; /* set it or add to it */
    int64_t cpu_ns;
} virtual_clock;

static inline int64_t virtual_clock_now(void *user)
{
    return ((const virtual_clock *)user)->now_ns;
}

static inline void virtual_clock_wait(void *user, int64_t deadline_ns)
{
    virtual_clock *clock = (virtual_clock *)user;
    clock->now_ns = clock->now_ns < deadline_ns ? deadline_ns : clock->now_ns;
}

static inline int64_t virtual_clock_cpu(void *user)
{
    return ((const virtual_clock *)user)->cpu_ns;
}

/* For es_loop_config.clock. The virtual clock must outlive the loop. */
static inline es_clock virtual_clock_get(virtual_clock *clock)
{
    es_clock out = {virtual_clock_now, virtual_clock_wait, NULL, virtual_clock_cpu, clock,
            "virtual clock", false};
    return out;
}

/* The program works for this time. */
static inline void virtual_clock_work(virtual_clock *clock, int64_t work_ns)
{
    clock->now_ns += work_ns;
    clock->cpu_ns += work_ns;
}

#endif
