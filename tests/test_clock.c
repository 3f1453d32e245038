/* SPDX-License-Identifier: Zlib
 *
 * clock: of the machine's only what cannot flake.
 */
#define _GNU_SOURCE
#include "test_support.h"

TEST(the_machines_clock_goes_on_and_waits_long_enough)
{
    es_clock clock;
    assert_false(es_clock_system(NULL));
    if (!es_clock_system(&clock)) {
        skip();
    }
    print_message("%s\n", clock.description);
    int64_t before_ns = clock.now_ns(clock.user);
    int64_t cpu_ns = clock.thread_cpu_ns(clock.user);
    clock.wait_until(clock.user, before_ns - 5);
    for (int i = 0; i < 20; ++i) {
        int64_t deadline_ns = clock.now_ns(clock.user) + i * 100000;
        clock.wait_until(clock.user, deadline_ns);
        assert_true(clock.now_ns(clock.user) >= deadline_ns);
    }
    assert_true(clock.now_ns(clock.user) >= before_ns);
    assert_true(clock.thread_cpu_ns(clock.user) >= cpu_ns);
    int64_t suspended_ns = INT64_MIN; /* a difference of two readings: anything may run between */
    for (int i = 0; i < 20; ++i) {
        int64_t reading_ns = clock.suspended_ns(clock.user);
        suspended_ns = reading_ns > suspended_ns ? reading_ns : suspended_ns;
    }
    assert_true(suspended_ns >= -ES_NS_PER_MS);
    assert_non_null(clock.description);
}

#if defined(__linux__)
#include <sched.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

/* The library's prctl returns an int. */
static unsigned long slack_now(void)
{
    return (unsigned long)syscall(SYS_prctl, PR_GET_TIMERSLACK, 0UL, 0UL, 0UL, 0UL);
}

/* Sleeps of the program's own are as exact as they were before, whatever its slack is. */
TEST(the_threads_timer_slack_stays_what_it_is)
{
    static const unsigned long slacks_ns[] = {50000, 1, 1000000, 3000000000, 20000};
    es_clock clock;
    if (!es_clock_system(&clock)) {
        skip();
    }
    unsigned long before_ns = slack_now();
    for_rows (i, slacks_ns) {
        assert_int_equal(prctl(PR_SET_TIMERSLACK, slacks_ns[i], 0, 0, 0), 0);
        unsigned long set_ns = slack_now(); /* emulators cut the long one */
        for (int k = 0; k < 70; ++k) {      /* it is looked at once in 64 sleeps */
            int64_t deadline_ns = clock.now_ns(clock.user) + 400 * ES_NS_PER_US;
            clock.wait_until(clock.user, deadline_ns);
            assert_true(clock.now_ns(clock.user) >= deadline_ns);
        }
        assert_int_equal(slack_now(), set_ns);
        assert_true(set_ns == slacks_ns[i] || slacks_ns[i] > INT32_MAX);
    }
    prctl(PR_SET_TIMERSLACK, before_ns, 0, 0, 0);
}

static void on_alarm(int number)
{
    (void)number;
}

/* A profiler's timer ends ten sleeps of each wait: they are gone on with, not spun. */
TEST(a_sleep_that_signals_cut_is_gone_on_with)
{
    es_clock clock;
    if (!es_clock_system(&clock)) {
        skip();
    }
    struct sigaction action = {0}, before;
    struct itimerval often = {{0, 2000}, {0, 2000}}, never = {{0, 0}, {0, 0}};
    action.sa_handler = on_alarm;
    assert_int_equal(sigaction(SIGALRM, &action, &before), 0);
    assert_int_equal(setitimer(ITIMER_REAL, &often, NULL), 0);
    int64_t start_ns = clock.now_ns(clock.user), cpu_ns = clock.thread_cpu_ns(clock.user);
    for (int i = 1; i <= 20; ++i) {
        clock.wait_until(clock.user, start_ns + i * 20 * ES_NS_PER_MS);
    }
    cpu_ns = clock.thread_cpu_ns(clock.user) - cpu_ns;
    setitimer(ITIMER_REAL, &never, NULL);
    sigaction(SIGALRM, &before, NULL);
    assert_true(clock.now_ns(clock.user) - start_ns >= 400 * ES_NS_PER_MS);
    assert_true(cpu_ns < 200 * ES_NS_PER_MS);
}

static int policy_now(void)
{
    return sched_getscheduler(0) & ~SCHED_RESET_ON_FORK;
}

enum { CHILD_SKIPS = 77 };

/* Raised with the right to it, put back without. A child of a raised thread is an ordinary one and
 * can be raised. Returns an exit status. */
static int go_there_and_back(void)
{
    int status = 0;
    struct sched_param lowest = {.sched_priority = sched_get_priority_min(SCHED_FIFO)}, none = {0};
    if (geteuid() != 0 || sched_setscheduler(0, SCHED_FIFO, &lowest) != 0) {
        return CHILD_SKIPS;
    }
    if (sched_setscheduler(0, SCHED_OTHER, &none) != 0 || !es_thread_set_realtime(true)) {
        return 5;
    }
    pid_t child = fork();
    if (child == 0) {
        _exit(policy_now() == SCHED_OTHER && es_thread_set_realtime(true)
                                && policy_now() == SCHED_FIFO
                        ? 0
                        : 1);
    }
    if (child < 0 || waitpid(child, &status, 0) != child || status != 0) {
        return 1;
    }
    for (int i = 0; i < 2; ++i) {
        if (!es_thread_set_realtime(true) || policy_now() != SCHED_FIFO) {
            return 2;
        }
        if (i == 1 && setuid(65534) != 0) {
            return CHILD_SKIPS;
        }
        if (!es_thread_set_realtime(false) || policy_now() != SCHED_OTHER
                || !es_thread_set_realtime(false)) {
            return 3;
        }
    }
    bool refused = !es_thread_set_realtime(true);
    return policy_now() == (refused ? SCHED_OTHER : SCHED_FIFO) ? 0 : 4;
}

TEST(who_lost_the_right_to_raise_a_thread_can_put_it_back)
{
    int status = 0;
    pid_t child = fork();
    if (child == 0) {
        _exit(go_there_and_back());
    }
    assert_true(child > 0);
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    if (WEXITSTATUS(status) == CHILD_SKIPS) {
        skip();
    }
    assert_int_equal(WEXITSTATUS(status), 0);
}
#endif
