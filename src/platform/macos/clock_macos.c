/* SPDX-License-Identifier: Zlib
 *
 * macOS 10.12 and later. mach_absolute_time stands still while the machine sleeps, as a game needs.
 * mach_continuous_time does not, so their difference is the time asleep.
 *
 * mach_wait_until takes a deadline in mach units, so the clock is read in them too:
 * CLOCK_UPTIME_RAW is the same clock in ns, but its conversion may differ. A unit is 1 ns on Intel,
 * 125/3 ns on Apple's processors.
 */
#ifndef _DARWIN_C_SOURCE
#define _DARWIN_C_SOURCE
#endif
#include "../platform.h"

#include <mach/mach_time.h>
#include <mach/thread_act.h>
#include <mach/thread_policy.h>
#include <pthread.h>
#include <time.h>

/* A real-time thread gets this much computation within the constraint after it becomes ready. The
 * kernel refuses over 50 ms of computation, and lowers a thread that runs far longer without a
 * pause. A frame's work is of this order. */
#define REAL_TIME_COMPUTATION_NS INT64_C(5000000)
#define REAL_TIME_CONSTRAINT_NS  INT64_C(10000000)

static mach_timebase_info_data_t base; /* a unit is numer / denom ns */

static _Thread_local es__wait thread_wait;

/* The state before es_thread_set_realtime, to restore. */
static _Thread_local bool is_real_time;
static _Thread_local qos_class_t class_before;
static _Thread_local int priority_before;

static void read_base(void)
{
    if (mach_timebase_info(&base) != KERN_SUCCESS || base.numer == 0 || base.denom == 0) {
        base.numer = 1;
        base.denom = 1;
    }
}

static mach_timebase_info_data_t get_base(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, read_base);
    return base;
}

/* x * by / of, rounded down. Whole multiples and the rest are scaled apart: exact, and no product
 * of 32-bit factors overflows as long as the result fits. */
static uint64_t scale(uint64_t x, uint32_t by, uint32_t of)
{
    return x / of * by + x % of * by / of;
}

static int64_t macos_to_ns(uint64_t units)
{
    mach_timebase_info_data_t b = get_base();
    return (int64_t)scale(units, b.numer, b.denom);
}

static uint64_t to_units(int64_t ns)
{
    mach_timebase_info_data_t b = get_base();
    return scale((uint64_t)ns, b.denom, b.numer);
}

bool es__platform_has_clock(void)
{
    return true;
}

int64_t es__platform_now_ns(void)
{
    return macos_to_ns(mach_absolute_time());
}

/* The deadline is absolute. The system may delay timers of ordinary threads to coalesce them; it
 * does not delay those of a real-time thread. */
bool es__platform_sleep_until(int64_t now_ns, int64_t wake_ns)
{
    if (wake_ns <= now_ns) {
        return false;
    }
    mach_wait_until(to_units(wake_ns));
    return true;
}

void es__platform_spin_pause(void)
{
#if defined(__x86_64__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    __asm__ volatile("yield");
#endif
}

/* The system delays an ordinary thread's timers by up to an eighth of their remaining time, at most
 * 1 ms in the lowest latency tier (XNU, timer_call_slop, latency_qos_scale and _ns_max). The margin
 * must cover that and the waking. In the next tiers it is 5 ms and more, too long for a spin:
 * es_thread_set_realtime helps. From the source, not measured. */
es__wait *es__platform_thread_wait(void)
{
    thread_wait.margin_max_ns = INT64_C(1500000);
    return &thread_wait;
}

static es_result raise_thread(void)
{
    thread_time_constraint_policy_data_t policy;
    policy.period = 0; /* not periodic */
    policy.computation = (uint32_t)to_units(REAL_TIME_COMPUTATION_NS);
    policy.constraint = (uint32_t)to_units(REAL_TIME_CONSTRAINT_NS);
    policy.preemptible = 1;
    if (pthread_get_qos_class_np(pthread_self(), &class_before, &priority_before) != 0) {
        class_before = QOS_CLASS_UNSPECIFIED;
    }
    if (thread_policy_set(pthread_mach_thread_np(pthread_self()), THREAD_TIME_CONSTRAINT_POLICY,
                (thread_policy_t)&policy, THREAD_TIME_CONSTRAINT_POLICY_COUNT)
            != KERN_SUCCESS) {
        return ES_ERR_REFUSED;
    }
    is_real_time = true;
    return ES_OK;
}

/* The kernel removes a real-time thread from the quality-of-service classes and may not let it
 * back: then it is an ordinary thread without a class. */
static es_result lower_thread(void)
{
    thread_standard_policy_data_t policy = {0};
    if (thread_policy_set(pthread_mach_thread_np(pthread_self()), THREAD_STANDARD_POLICY,
                (thread_policy_t)&policy, THREAD_STANDARD_POLICY_COUNT)
            != KERN_SUCCESS) {
        return ES_ERR_REFUSED;
    }
    is_real_time = false;
    if (class_before != QOS_CLASS_UNSPECIFIED) {
        pthread_set_qos_class_self_np(class_before, priority_before);
    }
    return ES_OK;
}

es_result es__platform_real_time(bool on)
{
    if (on == is_real_time) {
        return ES_OK;
    }
    return on ? raise_thread() : lower_thread();
}

/* The readings are some ns apart, so the difference is at least that without a sleep. */
int64_t es__platform_suspended_ns(void)
{
    uint64_t awake = mach_absolute_time();
    uint64_t all = mach_continuous_time();
    return all > awake ? macos_to_ns(all - awake) : 0;
}

int64_t es__platform_thread_cpu_ns(void)
{
    return (int64_t)clock_gettime_nsec_np(CLOCK_THREAD_CPUTIME_ID);
}

const char *es__platform_description(void)
{
    return "mach_absolute_time; sleeps by mach_wait_until";
}
