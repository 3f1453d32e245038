/* SPDX-License-Identifier: Zlib
 *
 * Linux. CLOCK_MONOTONIC stands still while the machine sleeps, which is what a game wants;
 * CLOCK_BOOTTIME does not, so their difference tells how long it slept.
 */
#define _GNU_SOURCE
#include "../platform.h"

#include <errno.h>
#include <time.h>

/* The part of a wait that is spun, not slept. A sleeper wakes 50 to 150 us late on an idle machine
 * (default timer slack is 50 us); a larger margin costs CPU at every frame: 200 us is 1.2 % of one
 * core at 60 Hz. */
#define SPIN_NS INT64_C(200000)

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

/* Sleeps to an absolute time: a signal or a late start cannot lengthen it. */
static void sleep_until(int64_t wake_ns)
{
    struct timespec wake;
    wake.tv_sec = (time_t)(wake_ns / INT64_C(1000000000));
    wake.tv_nsec = (long)(wake_ns % INT64_C(1000000000));
    while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &wake, NULL) == EINTR) {
    }
}

static void spin_pause(void)
{
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    __asm__ volatile("yield");
#endif
}

void es__platform_wait_until(int64_t deadline_ns)
{
    int64_t now_ns = es__platform_now_ns();
    if (deadline_ns > now_ns && deadline_ns - now_ns > SPIN_NS) {
        sleep_until(deadline_ns - SPIN_NS);
    }
    while (es__platform_now_ns() < deadline_ns) {
        spin_pause();
    }
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
    return "CLOCK_MONOTONIC; one absolute sleep to 200 us before the deadline, then a spin";
}
