/* SPDX-License-Identifier: Zlib
 *
 * Everything here is in nanoseconds and our own words. Where an original takes a duration and not a
 * deadline, it is given what remains when it is called, as its users do.
 */
#define _GNU_SOURCE
#include "wait.h"

#include <errno.h>
#include <sched.h>
#ifdef __linux__
#include <sys/prctl.h>
#endif
#include <time.h>

static void pause_processor(void)
{
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    __asm__ volatile("yield");
#endif
}

static void spin_until(int64_t deadline_ns)
{
    while (es_now_ns() < deadline_ns) {
        pause_processor();
    }
}

static int64_t remaining_ns(int64_t deadline_ns)
{
    int64_t rest_ns = deadline_ns - es_now_ns();
    return rest_ns > 0 ? rest_ns : 0;
}

/* A relative sleep with the thread's slack; after a signal it sleeps what was left. */
static void sleep_for(int64_t ns)
{
    struct timespec rest = {(time_t)(ns / ES_NS_PER_S), (long)(ns % ES_NS_PER_S)};
    while (nanosleep(&rest, &rest) != 0 && errno == EINTR) {
    }
}

/* --- absolute sleeps: of Linux; elsewhere the methods that need them are missing -------------- */

#ifdef __linux__
/* Signals do not end it. */
static void sleep_until(int64_t wake_ns)
{
    struct timespec wake = {(time_t)(wake_ns / ES_NS_PER_S), (long)(wake_ns % ES_NS_PER_S)};
    while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &wake, NULL) == EINTR) {
    }
}

/* A slack of 0 means the one that the thread was born with. Source: prctl(2), PR_SET_TIMERSLACK. */
static void set_slack(unsigned long ns)
{
    prctl(PR_SET_TIMERSLACK, ns, 0UL, 0UL, 0UL);
}

static void sleep_until_1ns(int64_t wake_ns)
{
    set_slack(1);
    sleep_until(wake_ns);
    set_slack(0);
}

static void wait_margin_200us(int64_t deadline_ns)
{
    const int64_t margin_ns = 200 * ES_NS_PER_US;
    if (remaining_ns(deadline_ns) > margin_ns) {
        sleep_until_1ns(deadline_ns - margin_ns);
    }
    spin_until(deadline_ns);
}
#endif

/* --- other projects --------------------------------------------------------------------------- */

/* Sleeps of 1 ms, until less remains than the longest of this call took. Then one sleep that leaves
 * time for the worst lateness among them. If it woke much too early, more of 1 ms; the end is spun.
 * Nothing is kept from call to call. Source: SDL3, src/timer/SDL_timer.c, SDL_DelayPrecise, and
 * src/timer/unix/SDL_systimer.c (commit 38aace9). */
static void wait_sdl3(int64_t deadline_ns)
{
    const int64_t step_ns = ES_NS_PER_MS;
    int64_t ns = remaining_ns(deadline_ns);
    int64_t at_ns = es_now_ns(); /* the call's own start: its end moves with it */
    int64_t until_ns = at_ns + ns;
    int64_t longest_ns = step_ns;
    while (at_ns + longest_ns < until_ns) {
        sleep_for(step_ns);
        int64_t now_ns = es_now_ns();
        longest_ns = now_ns - at_ns > longest_ns ? now_ns - at_ns : longest_ns;
        at_ns = now_ns;
    }
    int64_t last_ns = until_ns - at_ns - (longest_ns - step_ns);
    if (at_ns < until_ns && last_ns > 0) {
        sleep_for(last_ns);
        at_ns = es_now_ns();
    }
    while (at_ns + step_ns < until_ns) {
        sleep_for(step_ns);
        at_ns = es_now_ns();
    }
    while (at_ns < until_ns) {
        pause_processor();
        at_ns = es_now_ns();
    }
}

/* One sleep that ends 125 us before the deadline if all goes well; then a loop whose body is the
 * strategy. Source: spin_sleep, src/lib.rs, SpinSleeper::sleep_until, DEFAULT_NATIVE_SLEEP_ACCURACY
 * and SpinStrategy::default for systems other than Windows (commit 38b0799). */
static void wait_spin_sleep(int64_t deadline_ns)
{
    const int64_t trusted_ns = 125 * ES_NS_PER_US;
    int64_t ns = remaining_ns(deadline_ns);
    if (ns > trusted_ns) {
        sleep_for(ns - trusted_ns);
    }
    while (es_now_ns() < deadline_ns) {
        sched_yield();
    }
}

/* Sleeps 95 % of what remains and spins the rest, without a pause in the loop. The original counts
 * in seconds as doubles. Source: raylib, src/rcore.c, WaitTime, with
 * SUPPORT_PARTIALBUSY_WAIT_LOOP, its default (commit abe23bf). */
static void wait_raylib(int64_t deadline_ns)
{
    int64_t ns = remaining_ns(deadline_ns);
    int64_t until_ns = es_now_ns() + ns;
    sleep_for(ns - ns / 20);
    while (es_now_ns() < until_ns) {
    }
}

/* One sleep, shorter by as much as the last one was too long; lateness of over half a wait is
 * taken for an accident and forgotten. No spin, so it may end too early. The original starts from
 * the end of the frame before; here it gets what remains to the deadline, or the other methods'
 * waits would count as its work. Source: MangoHud, src/fps_limiter.h (commit a5e7dc7). */
static void wait_mangohud(int64_t deadline_ns)
{
    static int64_t last_over_ns; /* by how much the last sleep was too long */
    int64_t left_ns = remaining_ns(deadline_ns);
    int64_t ns = left_ns - last_over_ns;
    if (ns <= 0) {
        return;
    }
    int64_t before_ns = es_now_ns();
    sleep_for(ns);
    int64_t over_ns = es_now_ns() - before_ns - ns;
    last_over_ns = over_ns >= 0 && over_ns <= left_ns / 2 ? over_ns : 0;
}

/* --- the table -------------------------------------------------------------------------------- */

static const wait_method methods[] = {{"evenstep", es_wait_until},
#ifdef __linux__
        {"absolute", sleep_until}, {"absolute-1ns", sleep_until_1ns},
#endif
        {"spin", spin_until},
#ifdef __linux__
        {"margin-200us", wait_margin_200us},
#endif
        {"sdl3", wait_sdl3}, {"spin-sleep", wait_spin_sleep},
        {"raylib", wait_raylib}, {"mangohud", wait_mangohud}};

_Static_assert(sizeof methods / sizeof methods[0] <= WAIT_METHODS_MAX, "a plan holds all methods");

const void *wait_method_at(size_t index)
{
    return index < sizeof methods / sizeof methods[0] ? &methods[index] : NULL;
}
