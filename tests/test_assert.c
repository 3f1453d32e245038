/* SPDX-License-Identifier: Zlib
 *
 * The library's assertions: one that does not hold reaches the handler with its place, expression and
 * values; one that holds does not.
 */
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
