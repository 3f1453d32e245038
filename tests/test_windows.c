/* SPDX-License-Identifier: Zlib
 *
 * What only Windows can show of the clock: its counter converted exactly, its timers closed.
 */
#define WIN32_LEAN_AND_MEAN
#include <windows.h>

#include "test_support.h"

#include "lab/threads.h"

enum { THREADS = 40 };

static es_clock get_clock(void)
{
    es_clock clock;
    assert_true(es_clock_system(&clock));
    return clock;
}

/* In a wider type than the library's. */
static int64_t counter_ns(void)
{
    LARGE_INTEGER count, frequency;
    QueryPerformanceFrequency(&frequency);
    QueryPerformanceCounter(&count);
    return (int64_t)((long double)count.QuadPart * 1e9L / (long double)frequency.QuadPart);
}

TEST(the_clock_is_the_performance_counter)
{
    es_clock clock = get_clock();
    for (int i = 0; i < 1000; ++i) {
        int64_t before_ns = counter_ns();
        int64_t now_ns = clock.now_ns(clock.user);
        int64_t after_ns = counter_ns();
        assert_true(before_ns - 1 <= now_ns && now_ns <= after_ns + 1);
    }
}

static void sleep_a_little(void *user)
{
    const es_clock *clock = user;
    clock->wait_until(clock->user, clock->now_ns(clock->user) + 2 * ES_NS_PER_MS);
}

static void run_threads(es_clock *clock)
{
    assert_int_equal(lab_threads_run(THREADS + 1, sleep_a_little, clock), THREADS + 1);
}

/* The value of the next handle: they count in steps of 4, and the lowest free ones are given out
 * first. (GetProcessHandleCount says 0 under Wine.) */
static intptr_t next_handle(void)
{
    HANDLE probe = CreateEventW(NULL, FALSE, FALSE, NULL);
    assert_non_null(probe);
    CloseHandle(probe);
    return (intptr_t)probe / 4;
}

TEST(a_thread_closes_its_timer_when_it_ends)
{
    es_clock clock = get_clock();
    run_threads(&clock); /* what the system itself keeps from the first ones */
    intptr_t before = next_handle();
    run_threads(&clock);
    assert_true(next_handle() < before + THREADS / 2);
}

TEST(one_timer_serves_a_thread)
{
    es_clock clock = get_clock();
    sleep_a_little(&clock);
    intptr_t before = next_handle();
    for (int i = 0; i < THREADS; ++i) {
        sleep_a_little(&clock);
    }
    assert_true(next_handle() < before + THREADS / 2);
}
