/* SPDX-License-Identifier: Zlib */
#include "evenstep/clock.h"
#include "platform.h"

static int64_t system_now(void *user)
{
    (void)user;
    return es__platform_now_ns();
}

static void spin_until(es_wait *wait, int64_t now_ns, int64_t deadline_ns)
{
    while (now_ns < deadline_ns) {
        es__platform_spin_pause();
        int64_t next_ns = es__platform_now_ns();
        es__wait_spun(wait, next_ns - now_ns);
        now_ns = next_ns;
    }
}

static void system_wait(void *user, int64_t deadline_ns)
{
    (void)user;
    es_wait *wait = es__platform_thread_wait();
    int64_t now_ns = es__platform_now_ns();
    if (now_ns >= deadline_ns) {
        return;
    }
    int64_t wake_ns = es__wait_plan(wait, now_ns, deadline_ns);
    bool slept = false;
    while (now_ns < wake_ns && es__platform_sleep_until(now_ns, wake_ns)) {
        now_ns = es__platform_now_ns();
        slept = true;
    }
    if (slept) {
        es__wait_woke(wait, wake_ns, now_ns);
    }
    spin_until(wait, now_ns, deadline_ns);
}

static int64_t system_suspended(void *user)
{
    (void)user;
    return es__platform_suspended_ns();
}

static int64_t system_thread_cpu(void *user)
{
    (void)user;
    return es__platform_thread_cpu_ns();
}

es_result es_clock_system(es_clock *out)
{
    if (out == NULL) {
        return ES_ERR_INVALID;
    }
    if (!es__platform_has_clock()) {
        return ES_ERR_UNSUPPORTED;
    }
    out->now_ns = system_now;
    out->wait_until = system_wait;
    out->suspended_ns = system_suspended;
    out->thread_cpu_ns = system_thread_cpu;
    out->user = NULL;
    out->description = es__platform_description();
    out->thread_cpu_is_coarse = es__platform_thread_cpu_is_coarse();
    return ES_OK;
}

es_result es_clock_real_time(bool on)
{
    return es__platform_has_clock() ? es__platform_real_time(on) : ES_ERR_UNSUPPORTED;
}

static int64_t manual_now(void *user)
{
    return ((const es_manual_clock *)user)->now_ns;
}

static void manual_wait(void *user, int64_t deadline_ns)
{
    es_manual_clock *manual = user;
    if (manual->now_ns < deadline_ns) {
        manual->now_ns = es_ns_add(deadline_ns, manual->wake_late_ns);
    }
}

static int64_t manual_suspended(void *user)
{
    return ((const es_manual_clock *)user)->suspended_ns;
}

static int64_t manual_cpu(void *user)
{
    return ((const es_manual_clock *)user)->cpu_ns;
}

es_clock es_manual_clock_get(es_manual_clock *manual)
{
    es_clock clock = {manual_now, manual_wait, manual_suspended, manual_cpu, manual,
            "manual clock: only the program moves it", false};
    return clock;
}

void es_manual_clock_work(es_manual_clock *manual, int64_t work_ns)
{
    if (work_ns > 0) {
        manual->now_ns = es_ns_add(manual->now_ns, work_ns);
        manual->cpu_ns = es_ns_add(manual->cpu_ns, work_ns);
    }
}
