/* SPDX-License-Identifier: Zlib
 *
 * The library's assertions: one that does not hold reaches the handler with its place, expression and
 * values; one that holds does not.
 */
#define _GNU_SOURCE /* fork, pipe */
#undef ES_ASSERTIONS
#define ES_ASSERTIONS 1 /* in this file: the library may be compiled without */
#include "test_support.h"

static char said[512];
static int calls;

static void note(void *user, const char *message)
{
    assert_ptr_equal(user, &calls);
    calls += 1;
    (void)snprintf(said, sizeof said, "%s", message);
}

static int reset(void **state)
{
    (void)state;
    calls = 0;
    said[0] = '\0';
    es_set_assert_handler(note, &calls);
    return 0;
}

static int restore(void **state)
{
    (void)state;
    es_set_assert_handler(NULL, NULL);
    return 0;
}

TEST_WITH(says_expression_and_values, reset, restore)
{
    double alpha = 1.25;
    ES__ASSERT(alpha <= 1.0, alpha);
    assert_int_equal(calls, 1);
    assert_non_null(strstr(said, "test_assert.c:"));
    assert_non_null(strstr(said, "evenstep assertion: alpha <= 1.0 (1.25, 0)"));
}

TEST_WITH(says_both_numbers, reset, restore)
{
    size_t used = 7, size = 5;
    ES__ASSERT_IS(used, <=, size);
    assert_int_equal(calls, 1);
    assert_non_null(strstr(said, "used <= size (7, 5)"));
}

TEST_WITH(is_silent_where_it_holds, reset, restore)
{
    int evaluated = 0;
    ES__ASSERT(++evaluated == 1, evaluated);
    ES__ASSERT_IS(++evaluated, ==, 2);
    assert_int_equal(evaluated, 2);
    assert_int_equal(calls, 0);
}

TEST_WITH(goes_on_after_the_handler, reset, restore)
{
    ES__ASSERT(calls < 0, calls);
    ES__ASSERT_IS(calls, <, 0);
    assert_int_equal(calls, 2);
}

#if defined(__linux__)
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

TEST(without_a_handler_the_program_prints_it_and_stops)
{
    int ends[2], status = 0;
    assert_int_equal(pipe(ends), 0);
    pid_t child = fork();
    if (child == 0) {
        dup2(ends[1], STDERR_FILENO);
        signal(SIGABRT, SIG_DFL); /* cmocka's */
        ES__ASSERT_IS(7, <=, 5);
        _exit(0);
    }
    close(ends[1]);
    ssize_t got = read(ends[0], said, sizeof said - 1);
    close(ends[0]);
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT);
    said[got > 0 ? got : 0] = '\0';
    assert_non_null(strstr(said, "7 <= 5 (7, 5)\n"));
}
#endif
