/* SPDX-License-Identifier: Zlib
 *
 * methods: ways to wait for a deadline: ours, the system's own, fixed margins, and those of other
 * projects, rewritten from their sources.
 */
#ifndef BENCH_WAIT_METHODS_H
#define BENCH_WAIT_METHODS_H

#include "evenstep/clock.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { WAIT_METHODS_MAX = 16 };

/* What the methods of one run need. All of them read this clock; absolute sleeps also need it to
 * be CLOCK_MONOTONIC. */
typedef struct wait_state {
    es_clock clock;
    int64_t period_ns;        /* from one deadline to the next */
    int64_t mangohud_over_ns; /* by how much mangohud's last sleep was too long */
} wait_state;

typedef struct wait_method {
    const char *name;
    const char *title;  /* one line for people */
    const char *source; /* the project and its file */
    void (*wait)(wait_state *state, int64_t deadline_ns);
    bool absolute; /* sleeps by wait_system_sleep_until */
} wait_method;

/** By index from 0; NULL past the last. */
const wait_method *wait_method_at(size_t index);

/** Whether this system has what it needs. */
bool wait_method_is_here(const wait_method *method);

/** Nanoseconds now. */
static inline int64_t wait_now_ns(const wait_state *state)
{
    return state->clock.now_ns(state->clock.user);
}

/* --- what differs from system to system: wait_methods_linux.c --------------------------------- */

typedef enum wait_slack {
    WAIT_SLACK_KEPT, /* as the thread has it: 50 us unless someone changed it */
    WAIT_SLACK_1NS   /* 1 ns for this sleep; as it was afterwards */
} wait_slack;

/** Whether there are absolute sleeps, and a slack to change. */
bool wait_system_has_absolute(void);

/** Sleeps to an instant of CLOCK_MONOTONIC; signals do not end it. */
void wait_system_sleep_until(int64_t wake_ns, wait_slack slack);

/** By how much the system may delay a sleep of this thread to save power; -1: cannot tell. */
int64_t wait_system_slack_ns(void);

/** Writes the processor's name, "" where it is unknown. */
void wait_system_processor(char *text, size_t size);

#endif
