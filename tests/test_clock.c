/* SPDX-License-Identifier: Zlib
 *
 * clock: the manual clock exactly; of the machine's only what cannot flake.
 */
#include "test_support.h"

#include "evenstep/clock.h"

static void the_manual_clock_moves_when_told(void **state)
{
    es_manual_clock manual = {0};
    es_clock clock = es_manual_clock_get(&manual);
    (void)state;
    assert_int_equal(clock.now_ns(clock.user), 0);
    es_manual_clock_work(&manual, 500);
    assert_int_equal(clock.now_ns(clock.user), 500);
    assert_int_equal(clock.thread_cpu_ns(clock.user), 500);
    es_manual_clock_work(&manual, -7);
    assert_int_equal(clock.now_ns(clock.user), 500);
    clock.wait_until(clock.user, 900);
    assert_int_equal(clock.now_ns(clock.user), 900);
    assert_int_equal(clock.thread_cpu_ns(clock.user), 500); /* waiting is no work */
    clock.wait_until(clock.user, 100);
    assert_int_equal(clock.now_ns(clock.user), 900);
    manual.wake_late_ns = 30;
    clock.wait_until(clock.user, 1000);
    assert_int_equal(clock.now_ns(clock.user), 1030);
    manual.suspended_ns = 77;
    assert_int_equal(clock.suspended_ns(clock.user), 77);
    assert_non_null(clock.description);
    es_manual_clock_work(&manual, INT64_MAX);
    assert_int_equal(clock.now_ns(clock.user), INT64_MAX);
}

static void the_machines_clock_goes_on_and_waits_long_enough(void **state)
{
    es_clock clock;
    (void)state;
    assert_int_equal(es_clock_system(NULL), ES_ERR_INVALID);
    es_result result = es_clock_system(&clock);
    if (result == ES_ERR_UNSUPPORTED) {
        skip();
    }
    assert_int_equal(result, ES_OK);
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
    assert_true(clock.suspended_ns(clock.user) >= -ES_NS_PER_MS);
    assert_non_null(clock.description);
}

#if defined(__linux__)
#include <sys/prctl.h>

/* Sleeps of the program's own are as exact as they were before, whatever its slack is. */
static void the_threads_timer_slack_stays_what_it_is(void **state)
{
    (void)state;
    static const int slacks_ns[] = {50000, 1, 1000000, 20000};
    es_clock clock;
    if (es_clock_system(&clock) != ES_OK) {
        skip();
    }
    int before_ns = prctl(PR_GET_TIMERSLACK, 0, 0, 0, 0);
    for (size_t i = 0; i < sizeof slacks_ns / sizeof slacks_ns[0]; ++i) {
        assert_int_equal(prctl(PR_SET_TIMERSLACK, (unsigned long)slacks_ns[i], 0, 0, 0), 0);
        for (int k = 0; k < 70; ++k) { /* it is looked at once in 64 sleeps */
            int64_t deadline_ns = clock.now_ns(clock.user) + 400 * ES_NS_PER_US;
            clock.wait_until(clock.user, deadline_ns);
            assert_true(clock.now_ns(clock.user) >= deadline_ns);
        }
        assert_int_equal(prctl(PR_GET_TIMERSLACK, 0, 0, 0, 0), slacks_ns[i]);
    }
    prctl(PR_SET_TIMERSLACK, (unsigned long)before_ns, 0, 0, 0);
}
#endif

int main(void)
{
    const struct CMUnitTest tests[] = {
            cmocka_unit_test(the_manual_clock_moves_when_told),
            cmocka_unit_test(the_machines_clock_goes_on_and_waits_long_enough),
#if defined(__linux__)
            cmocka_unit_test(the_threads_timer_slack_stays_what_it_is),
#endif
    };
    return cmocka_run_group_tests_name("clock", tests, NULL, NULL);
}
