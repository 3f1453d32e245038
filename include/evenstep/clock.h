/* SPDX-License-Identifier: Zlib
 *
 * clock: the machine's clock, and a manual one.
 *
 * A clock is a table of functions and a pointer for them: the machine's, a manual one for tests and
 * simulations, or your own (an engine's timer, a network clock, a replay). The loop reads no other
 * time. So a program on a manual clock never really waits, and each run is the same.
 *
 *   es_manual_clock manual = {0};
 *   config.clock = es_manual_clock_get(&manual);
 *
 * Defaults of this header; a function states only exceptions.
 *   Threads     any for the machine's clock; one at a time for a manual clock.
 *   Allocation  none. A clock holds no resource.
 *   Errors      es_result; nothing changes on an error. Pointers are not NULL. */
#ifndef EVENSTEP_CLOCK_H
#define EVENSTEP_CLOCK_H

#include "evenstep/time.h"

/* A clock that only the program moves. Zero-initialised it starts at 0. */
typedef struct es_manual_clock {
    int64_t now_ns;       /* set or add to it: waiting, blocking; for work, es_manual_clock_work */
    int64_t wake_late_ns; /* every wait ends this much after its deadline; default 0 */
    int64_t suspended_ns; /* what suspended_ns returns */
    int64_t cpu_ns;       /* what thread_cpu_ns returns; es_manual_clock_work adds to it */
} es_manual_clock;

#ifdef __cplusplus
extern "C" {
#endif

/* The machine's monotonic clock, with the platform's best wait: one absolute sleep to shortly
 * before the deadline, then a spin. Each thread learns from its own sleeps how long it must spin
 * (docs/waiting.md).
 *   Linux    CLOCK_MONOTONIC, which leaves suspends out. Sleeps allow for the thread's timer slack
 *   Windows  QueryPerformanceCounter, which counts suspends, and a high-resolution waitable timer;
 *            thread_cpu_ns is coarse
 *   macOS    mach_absolute_time, which leaves suspends out, and mach_wait_until; never run
 * ES_ERR_INVALID: out is NULL. ES_ERR_UNSUPPORTED: this build has no platform.
 * Source: clock_nanosleep(2) with TIMER_ABSTIME, time(7), prctl(2) PR_GET_TIMERSLACK. */
ES_API es_result es_clock_system(es_clock *out);

/* Gives the calling thread priority over all ordinary threads, so that waits end in time under
 * load; false: the priority it had before. Only for a thread that mostly sleeps, such as a loop's:
 * one that never sleeps starves the rest of its core. A thread that has such a priority already,
 * from whatever source, keeps it.
 *   Linux    SCHED_FIFO at the lowest priority: needs CAP_SYS_NICE or an RLIMIT_RTPRIO above 0.
 *            The thread gets at most 95 % of its core (sched_rt_runtime_us). Its children are
 *            ordinary; without CAP_SYS_NICE that stays so after the thread has gone back
 *   Windows  the multimedia class "Games", else THREAD_PRIORITY_TIME_CRITICAL
 *   macOS    a time constraint of 5 ms of work in 10 ms, and timers that are not coalesced
 * ES_ERR_REFUSED: the system does not allow it. ES_ERR_UNSUPPORTED: this platform cannot.
 * Source: sched(7). */
ES_API es_result es_clock_real_time(bool on);

/* A clock that reads and moves a manual clock, which outlives it. Waiting sets the time to the
 * deadline plus wake_late_ns, at once. */
ES_API es_clock es_manual_clock_get(es_manual_clock *manual);

/* Lets time pass as work: both the time and the CPU time move. A negative time moves nothing. */
ES_API void es_manual_clock_work(es_manual_clock *manual, int64_t work_ns);

#ifdef __cplusplus
}
#endif

#endif
