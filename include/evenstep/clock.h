/* SPDX-License-Identifier: Zlib
 *
 * clock: what time is it, and wait until then.
 *
 * A clock is a table of functions and a pointer for them: the machine's own, a manual one for
 * tests and simulations, or yours (an engine's timer, a network clock, a replay). The loop asks
 * nothing else for the time, so a program under a manual clock runs exactly and instantly.
 *
 *   es_manual_clock manual = {0};
 *   config.clock = es_manual_clock_get(&manual);
 */
#ifndef EVENSTEP_CLOCK_H
#define EVENSTEP_CLOCK_H

#include "evenstep/time.h"

/* A clock that moves only when told to. Zero-initialised it starts at 0. */
typedef struct es_manual_clock {
    int64_t now_ns;       /* set or add to it: waiting, blocking; for work, es_manual_clock_work */
    int64_t wake_late_ns; /* every wait ends this much after its deadline; default 0 */
    int64_t suspended_ns; /* what suspended_ns answers */
    int64_t cpu_ns;       /* what thread_cpu_ns answers; es_manual_clock_work adds to it */
} es_manual_clock;

#ifdef __cplusplus
extern "C" {
#endif

/* The machine's monotonic clock, with the platform's best wait. Linux: CLOCK_MONOTONIC, which
 * leaves out suspends; suspended_ns tells of them. The wait is one absolute sleep, laid earlier by
 * the thread's timer slack, to shortly before the deadline, then a spin; how shortly, each thread
 * learns from its own sleeps (room wait). Windows: QueryPerformanceCounter, which counts suspends,
 * and a high-resolution waitable timer; its thread_cpu_ns is coarse. macOS: mach_absolute_time,
 * which leaves suspends out, and mach_wait_until; compiled, never run.
 * out: filled with the clock. On success the clock stays valid for ever.
 * Errors: ES_ERR_INVALID for NULL; ES_ERR_UNSUPPORTED where this build has no platform (the null
 * platform: browsers without one, consoles before a port).
 * Ownership: the clock is a plain value; it holds no resource.
 * Threads: any thread; thread_cpu_ns answers for the thread that calls it.
 * Source: clock_nanosleep(2) with TIMER_ABSTIME, clock_gettime(2), time(7), prctl(2)
 * PR_GET_TIMERSLACK. */
ES_API es_result es_clock_system(es_clock *out);

/* Puts the calling thread before all ordinary threads, for waits that end in time under load; or
 * back to where it was. One that stands there already, whoever put it there, stays as it is. Only
 * for a thread that mostly sleeps, such as a loop's: one that never does starves the rest of its
 * core. Linux: SCHED_FIFO at the lowest priority, which needs CAP_SYS_NICE or an RLIMIT_RTPRIO
 * above 0; such a thread gets at most 95 % of its core (sched_rt_runtime_us), and its children are
 * ordinary, which without CAP_SYS_NICE stays so for those of a thread that has gone back. Windows:
 * the multimedia class "Games", else THREAD_PRIORITY_TIME_CRITICAL. macOS: a time constraint of 5
 * ms of work in 10, and sleeps that are not put off.
 * on: true to ask, false to go back. Going back without having asked does nothing.
 * Returns ES_OK when it is so.
 * Errors: ES_ERR_REFUSED: the system does not allow it, nothing changed; ES_ERR_UNSUPPORTED: this
 * platform cannot.
 * Ownership: the thread's own setting, until it ends.
 * Threads: any; for the one that calls it.
 * Source: sched(7). */
ES_API es_result es_clock_real_time(bool on);

/* A clock that reads and moves a manual clock. Waiting sets it to the deadline plus wake_late_ns,
 * at once.
 * manual: outlives the returned clock; not NULL.
 * Returns the clock.
 * Ownership: borrows manual.
 * Threads: not safe across threads without the caller's lock. */
ES_API es_clock es_manual_clock_get(es_manual_clock *manual);

/* Lets time pass as work: both the time and the CPU time move.
 * manual: not NULL.
 * work_ns: at least 0; a negative value moves nothing.
 * Ownership: borrows manual for the call.
 * Threads: not safe across threads without the caller's lock. */
ES_API void es_manual_clock_work(es_manual_clock *manual, int64_t work_ns);

#ifdef __cplusplus
}
#endif

#endif
