/* SPDX-License-Identifier: Zlib */
#include "evenstep/evenstep.h"
#include "platform.h"

static int64_t system_now(void *user)
{
    (void)user;
    return es__platform_now_ns();
}

/* Returns the time after it; now_ns: too little is left to sleep. */
static int64_t sleep_until(int64_t now_ns, int64_t wake_ns)
{
    while (now_ns < wake_ns && es__platform_sleep_until(now_ns, wake_ns)) {
        now_ns = es__platform_now_ns();
    }
    return now_ns;
}

void es__clock_wait(int64_t from_ns, int64_t deadline_ns)
{
    es__wait *wait = es__platform_thread_wait();
    int64_t now_ns = es__platform_now_ns(), begun_ns = INT64_MIN;
    if (now_ns >= from_ns) {
        return;
    }
    es__wait_begin(wait, now_ns, deadline_ns);
    while (now_ns > begun_ns && now_ns < from_ns) {
        begun_ns = now_ns;
        int64_t wake_ns = es__wait_next(wait, now_ns, deadline_ns);
        now_ns = sleep_until(now_ns, wake_ns);
        if (now_ns > begun_ns) {
            es__wait_woke(wait, wake_ns, now_ns);
        }
    }
#if defined(__GNUC__) && !defined(__wasm__)
    __builtin_prefetch(__builtin_return_address(0)); /* the caller's code has left the caches */
#endif
    while (now_ns < from_ns) {
        es__platform_spin_pause();
        now_ns = es__platform_now_ns();
    }
}

static void system_wait(void *user, int64_t deadline_ns)
{
    (void)user;
    es__clock_wait(deadline_ns, deadline_ns);
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

bool es_clock_system(es_clock *out)
{
    if (out == NULL || !es__platform_has_clock()) {
        return false;
    }
    out->now_ns = system_now;
    out->wait_until = system_wait;
    out->suspended_ns = system_suspended;
    out->thread_cpu_ns = system_thread_cpu;
    out->user = NULL;
    out->description = es__platform_description();
    out->thread_cpu_is_coarse = ES__THREAD_CPU_IS_COARSE;
    return true;
}

bool es_thread_set_realtime(bool on)
{
    return es__platform_has_clock() && es__platform_real_time(on) == ES_OK;
}

int64_t es_now_ns(void)
{
    return es__platform_has_clock() ? es__platform_now_ns() : 0;
}

void es_wait_until(int64_t deadline_ns)
{
    if (es__platform_has_clock()) {
        system_wait(NULL, deadline_ns);
    }
}
