/* SPDX-License-Identifier: Zlib
 *
 * Linux. CLOCK_MONOTONIC stands still while the machine sleeps, which is what a game wants;
 * CLOCK_BOOTTIME does not, so their difference tells how long it slept.
 */
#define _GNU_SOURCE
#include "../platform.h"

#include <errno.h>
#include <sched.h>
#include <sys/prctl.h>
#include <time.h>

static int64_t read_clock(clockid_t id)
{
    struct timespec now;
    if (clock_gettime(id, &now) != 0) {
        return 0;
    }
    return (int64_t)now.tv_sec * INT64_C(1000000000) + now.tv_nsec;
}

bool es__platform_has_clock(void)
{
    return true;
}

int64_t es__platform_now_ns(void)
{
    return read_clock(CLOCK_MONOTONIC);
}

/* The kernel ends an ordinary thread's sleep up to its timer slack late, to save wake-ups: 50 us by
 * default. 1 ns is the least (0 means the default). It is the thread's, so it is put back: the
 * program's other sleeps need not be exact. An absolute sleep is lengthened by no late start. */
void es__platform_sleep_until(int64_t wake_ns)
{
    struct timespec wake;
    int slack_ns = prctl(PR_GET_TIMERSLACK, 0, 0, 0, 0);
    wake.tv_sec = (time_t)(wake_ns / INT64_C(1000000000));
    wake.tv_nsec = (long)(wake_ns % INT64_C(1000000000));
    if (slack_ns > 1) {
        prctl(PR_SET_TIMERSLACK, 1UL, 0, 0, 0);
    }
    clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &wake, NULL);
    if (slack_ns > 1) {
        prctl(PR_SET_TIMERSLACK, (unsigned long)slack_ns, 0, 0, 0);
    }
}

void es__platform_spin_pause(void)
{
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    __asm__ volatile("yield");
#endif
}

es_wait *es__platform_thread_wait(void)
{
    static _Thread_local es_wait wait;
    return &wait;
}

es_result es__platform_real_time(bool on)
{
    static _Thread_local bool raised;
    static _Thread_local int policy;
    static _Thread_local struct sched_param before;
    struct sched_param lowest = {0};
    if (on == raised) {
        return ES_OK;
    }
    if (!on) {
        raised = sched_setscheduler(0, policy, &before) != 0;
        return raised ? ES_ERR_REFUSED : ES_OK;
    }
    lowest.sched_priority = sched_get_priority_min(SCHED_FIFO);
    policy = sched_getscheduler(0);
    if (policy < 0 || sched_getparam(0, &before) != 0) {
        return ES_ERR_UNSUPPORTED;
    }
    raised = sched_setscheduler(0, SCHED_FIFO | SCHED_RESET_ON_FORK, &lowest) == 0;
    return raised ? ES_OK : ES_ERR_REFUSED;
}

int64_t es__platform_suspended_ns(void)
{
    return read_clock(CLOCK_BOOTTIME) - read_clock(CLOCK_MONOTONIC);
}

int64_t es__platform_thread_cpu_ns(void)
{
    return read_clock(CLOCK_THREAD_CPUTIME_ID);
}

const char *es__platform_description(void)
{
    return "CLOCK_MONOTONIC; one absolute sleep to a learned margin before the deadline, then a "
           "spin";
}
