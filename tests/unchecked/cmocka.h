/* SPDX-License-Identifier: Zlib
 *
 * Instead of cmocka's header: tests run without their own checks. Then only the library's assertions and a
 * crash stop them: `scripts/mutate --run programs` counts which mutants assertions find.
 */
#ifndef CMOCKA_H
#define CMOCKA_H

#include <stdlib.h>

typedef void (*CMUnitTestFunction)(void **state);
typedef int (*CMFixtureFunction)(void **state);
struct CMUnitTest {
    const char *name;
    CMUnitTestFunction test_func;
    CMFixtureFunction setup_func, teardown_func;
    void *initial_state;
};

#define assert_true(holds)                  ((void)(holds))
#define assert_false(holds)                 ((void)(holds))
#define assert_null(pointer)                ((void)(pointer))
#define assert_non_null(pointer)            ((void)(pointer))
#define assert_int_equal(a, b)              ((void)(a), (void)(b))
#define assert_int_not_equal(a, b)          ((void)(a), (void)(b))
#define assert_ptr_equal(a, b)              ((void)(a), (void)(b))
#define assert_ptr_not_equal(a, b)          ((void)(a), (void)(b))
#define assert_string_equal(a, b)           ((void)(a), (void)(b))
#define assert_string_not_equal(a, b)       ((void)(a), (void)(b))
#define assert_in_range(a, least, most)     ((void)(a), (void)(least), (void)(most))
#define assert_memory_equal(a, b, size)     ((void)(a), (void)(b), (void)(size))
#define assert_memory_not_equal(a, b, size) ((void)(a), (void)(b), (void)(size))
#define print_message(...)                  ((void)0)
#define print_error(...)                    ((void)0)
#define fail_msg(...)                       ((void)0)
#define fail()                              ((void)0)
#define skip()                              return

static int run_unchecked(const struct CMUnitTest *tests, size_t count, CMFixtureFunction setup)
{
    void *state = NULL;
    if (setup != NULL && setup(&state) != 0) {
        return 0;
    }
    for (size_t i = 0; i < count; ++i) {
        void *own = tests[i].initial_state != NULL ? tests[i].initial_state : state;
        if (tests[i].test_func == NULL) {
            continue;
        }
        if (tests[i].setup_func == NULL || tests[i].setup_func(&own) == 0) {
            tests[i].test_func(&own);
        }
        if (tests[i].teardown_func != NULL) {
            tests[i].teardown_func(&own);
        }
    }
    return 0;
}

#define cmocka_run_group_tests_name(name, tests, setup, teardown)                                  \
    run_unchecked(tests, sizeof(tests) / sizeof((tests)[0]), setup)

#endif
