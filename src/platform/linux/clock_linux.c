/* SPDX-License-Identifier: Zlib
 *
 * Linux. CLOCK_MONOTONIC stands still while the machine sleeps, as a game needs. CLOCK_BOOTTIME
 * does not, so their difference is the time asleep.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "../platform.h"

#include <sched.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

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

/* Sleeps of an ordinary thread end in a window that begins at the requested time and is as long as
 * the thread's timer slack, 50 us by default: at its end, unless another timer of the core falls
 * into it. Real-time threads have no window. Source: time(7), prctl(2).
 *
 * So the sleep is requested earlier by the window. For longer windows, which would often end far
 * too early, the slack is set to 1 ns during the sleep. That takes two system calls
 * (docs/notes/waiting.md). */
#define WINDOW_MAX_NS INT64_C(50000)

/* The window is queried once in this many sleeps: it rarely changes. */
enum { WINDOW_KEPT_SLEEPS = 64 };

static _Thread_local struct {
    int64_t ns;
    int32_t sleeps_left;
} linux_window;

/* Whether a policy has priority over all ordinary ones. Negative: the query failed. */
static bool is_real_time(int policy)
{
    int bare = policy & ~SCHED_RESET_ON_FORK;
    return policy >= 0 && bare != SCHED_OTHER && bare != SCHED_BATCH && bare != SCHED_IDLE;
}

/* The system call: libc's prctl returns an int, and a slack can be longer than 2.1 s. */
static int64_t slack_ns(void)
{
    return syscall(SYS_prctl, PR_GET_TIMERSLACK, 0UL, 0UL, 0UL, 0UL);
}

static int64_t window_ns(void)
{
    if (linux_window.sleeps_left == 0) {
        int64_t ns = is_real_time(sched_getscheduler(0)) ? 0 : slack_ns();
        linux_window.ns = ns > 0 ? ns : 0;
        linux_window.sleeps_left = WINDOW_KEPT_SLEEPS;
    }
    linux_window.sleeps_left -= 1;
    return linux_window.ns;
}

static void sleep_to(int64_t wake_ns)
{
    struct timespec wake;
    wake.tv_sec = (time_t)(wake_ns / INT64_C(1000000000));
    wake.tv_nsec = (long)(wake_ns % INT64_C(1000000000));
    clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &wake, NULL);
}

static void sleep_in_short_window(int64_t wake_ns)
{
    int64_t before_ns = slack_ns();
    bool known = before_ns > 0; /* else it could not be restored */
    if (known) {
        prctl(PR_SET_TIMERSLACK, 1UL, 0, 0, 0); /* 0 would mean the default slack */
    }
    sleep_to(wake_ns);
    if (known) {
        prctl(PR_SET_TIMERSLACK, (unsigned long)before_ns, 0, 0, 0);
    }
}

bool es__platform_sleep_until(int64_t now_ns, int64_t wake_ns)
{
    int64_t ns = window_ns();
    bool long_window = ns > WINDOW_MAX_NS;
    int64_t from_ns = long_window ? wake_ns : wake_ns - ns;
    if (from_ns <= now_ns) {
        return false;
    }
    if (long_window) {
        sleep_in_short_window(wake_ns);
    } else {
        sleep_to(from_ns);
    }
    return true;
}

void es__platform_spin_pause(void)
{
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    __asm__ volatile("yield");
#endif
}

es__wait *es__platform_thread_wait(void)
{
    static _Thread_local es__wait wait;
    return &wait;
}

/* The scheduling before es_thread_set_realtime, to restore. */
static _Thread_local struct {
    bool raised;
    int policy;
    struct sched_param param;
} ordinary;

/* Only CAP_SYS_NICE may clear reset-on-fork. Where a resource limit allowed the raising it stays
 * set, without effect on the thread itself. */
static es_result linux_restore(void)
{
    if (ordinary.raised) {
        int bare = ordinary.policy, kept = bare | SCHED_RESET_ON_FORK;
        ordinary.raised = sched_setscheduler(0, bare, &ordinary.param) != 0
                          && sched_setscheduler(0, kept, &ordinary.param) != 0;
    }
    return ordinary.raised ? ES_ERR_REFUSED : ES_OK;
}

/* Queries the system: a child after a fork inherits this file's variables, but is ordinary again. A
 * thread that something else has raised stays as it is. */
static es_result raise_thread(void)
{
    struct sched_param lowest = {0};
    int policy = sched_getscheduler(0);
    if (is_real_time(policy)) {
        return ES_OK;
    }
    if (policy < 0 || sched_getparam(0, &ordinary.param) != 0) {
        return ES_ERR_UNSUPPORTED;
    }
    ordinary.policy = policy;
    lowest.sched_priority = sched_get_priority_min(SCHED_FIFO);
    ordinary.raised = sched_setscheduler(0, SCHED_FIFO | SCHED_RESET_ON_FORK, &lowest) == 0;
    return ordinary.raised ? ES_OK : ES_ERR_REFUSED;
}

es_result es__platform_real_time(bool on)
{
    linux_window.sleeps_left = 0;
    return on ? raise_thread() : linux_restore();
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
