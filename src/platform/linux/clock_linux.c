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

/* Sleeps of an ordinary thread end in a window that begins at the time asked for and is as long as
 * its timer slack: 50 us unless somebody changed it. At the window's end, that is, unless another
 * timer of the core falls into it. Real-time threads have none. Source: time(7), prctl(2).
 *
 * So the window is laid before the time, which costs nothing. To set the slack to 1 ns for the
 * sleep and to put it back costs two calls in cold caches (docs/waiting.md); that is kept for
 * longer windows, which would often end far too early. */
#define WINDOW_MOST_NS INT64_C(50000)

/* Asked of the system once in so many sleeps: a call saved, and changes are few. */
enum { WINDOW_KEPT_SLEEPS = 64 };

static _Thread_local struct {
    int64_t ns;
    int32_t sleeps_left;
} window;

static int64_t ask_window_ns(void)
{
    int policy = sched_getscheduler(0);
    int slack_ns = prctl(PR_GET_TIMERSLACK, 0, 0, 0, 0);
    if (policy >= 0) {
        policy &= ~SCHED_RESET_ON_FORK;
        if (policy != SCHED_OTHER && policy != SCHED_BATCH && policy != SCHED_IDLE) {
            return 0;
        }
    }
    return slack_ns >= 0 ? slack_ns : INT32_MAX; /* it is longer than an int can tell */
}

static int64_t window_ns(void)
{
    if (window.sleeps_left == 0) {
        window.ns = ask_window_ns();
        window.sleeps_left = WINDOW_KEPT_SLEEPS;
    }
    window.sleeps_left -= 1;
    return window.ns;
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
    int slack_ns = prctl(PR_GET_TIMERSLACK, 0, 0, 0, 0);
    prctl(PR_SET_TIMERSLACK, 1UL, 0, 0, 0); /* the least: 0 means the one it was born with */
    sleep_to(wake_ns);
    if (slack_ns > 0) {
        prctl(PR_SET_TIMERSLACK, (unsigned long)slack_ns, 0, 0, 0);
    }
}

bool es__platform_sleep_until(int64_t now_ns, int64_t wake_ns)
{
    int64_t ns = window_ns();
    bool long_window = ns > WINDOW_MOST_NS;
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
    window.sleeps_left = 0;
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

bool es__platform_thread_cpu_is_coarse(void)
{
    return false;
}

const char *es__platform_description(void)
{
    return "CLOCK_MONOTONIC; one absolute sleep to a learned margin before the deadline, then a "
           "spin";
}
