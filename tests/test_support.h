/* SPDX-License-Identifier: Zlib
 *
 * What the tests share: the C library and cmocka in its order, and tests that register themselves.
 */
#ifndef TEST_SUPPORT_H
#define TEST_SUPPORT_H

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/common.h"
#include "test_random.h"

#define US ES_NS_PER_US
#define MS ES_NS_PER_MS
#define S  ES_NS_PER_S

#ifdef _WIN32
#include <malloc.h>
#endif

/* TEST(name) { ... } defines a test of this file, TEST_SETUP(function) what runs before them all. before,
 * after and function are as cmocka has them; before and after may be NULL. tests/unit.c runs them. */
enum { TESTS_MAX = 128 };

typedef struct test_group {
    const char *file;
    struct CMUnitTest list[TESTS_MAX];
    size_t count;
    CMFixtureFunction setup;
    struct test_group *next;
} test_group;

extern test_group *test_groups; /* of all files in the program */
static test_group test_file = {.file = __BASE_FILE__};

__attribute__((constructor)) static void register_file(void)
{
    test_file.next = test_groups;
    test_groups = &test_file;
}

#define TEST_WITH(name, before, after)                                                             \
    static void name(void **state);                                                                \
    __attribute__((constructor)) static void register_##name(void)                                 \
    {                                                                                              \
        if (test_file.count == TESTS_MAX) {                                                        \
            abort();                                                                               \
        }                                                                                          \
        test_file.list[test_file.count++] = (struct CMUnitTest){#name, name, before, after, NULL}; \
    }                                                                                              \
    static void name(__attribute__((unused)) void **state)
#define TEST(name) TEST_WITH(name, NULL, NULL)

#define TEST_SETUP(function)                                                                       \
    __attribute__((constructor)) static void register_setup(void)                                  \
    {                                                                                              \
        test_file.setup = function;                                                                \
    }

/* row("%d Hz, depth %d", ...) names the case that runs to the end of the block. A test that fails prints
 * it, after the rows of the blocks around. In the thread that runs the test. */
size_t test_row_begin(const char *format, ...) __attribute__((format(printf, 1, 2)));
void test_row_end(size_t *count);
size_t test_row_count(void);
bool test_row_is(size_t before, const char *table, size_t index);
#define TEST_JOIN_(a, b) a##b
#define TEST_JOIN(a, b)  TEST_JOIN_(a, b)
#define row(...)                                                                                   \
    __attribute__((cleanup(test_row_end), unused)) size_t TEST_JOIN(row_, __LINE__) =              \
            test_row_begin(__VA_ARGS__)

/* What is printed before the rows, from here to the next setting or the end of the test. */
void test_setting(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* The block that follows, for each row of a table; the row that fails prints as table[i]. */
#define for_rows(i, table)                                                                         \
    for (size_t i = 0, row_##i __attribute__((cleanup(test_row_end))) = test_row_count();          \
            i < COUNT_OF(table) && test_row_is(row_##i, #table, i); ++i)

/* For doubles; a failure prints both. */
#define assert_at_most(value, most)                                                                \
    do {                                                                                           \
        double value_ = (value), most_ = (most);                                                   \
        if (!(value_ <= most_)) {                                                                  \
            fail_msg("%s is %g, above %g", #value, value_, most_);                                 \
        }                                                                                          \
    } while (0)

#define assert_near(a, b, within) assert_at_most(fabs((double)((a) - (b))), (double)(within))

/* The address sanitizer makes everything six times slower. */
#if defined(__SANITIZE_ADDRESS__)
#define TEST_SANITIZED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define TEST_SANITIZED 1
#endif
#endif
#ifndef TEST_SANITIZED
#define TEST_SANITIZED 0
#endif

/* EVENSTEP_FULL in the environment: every run and case, as before a release. */
static inline bool test_is_full(void)
{
    const char *full = getenv("EVENSTEP_FULL");
    return full != NULL && full[0] != '\0';
}

/* Sanitized, one random run of TEST_SHARE, and every TEST_STEP-th case of a list: a prime, so that all
 * values of each dimension occur. */
#define TEST_SHARE (TEST_SANITIZED ? 10 : 1)
#define TEST_STEP  (TEST_SANITIZED ? 7 : 1)

/* Memory at a multiple of 64; size is a multiple of 64. Windows has no aligned_alloc. */
static inline void *test_alloc_64(size_t size)
{
#ifdef _WIN32
    return _aligned_malloc(size, 64);
#else
    return aligned_alloc(64, size);
#endif
}

static inline void test_free_64(void *block)
{
#ifdef _WIN32
    _aligned_free(block);
#else
    free(block);
#endif
}

/* The loops of es_loop_preset, from index 0; NULL past the last. */
static inline const char *loop_name(size_t index)
{
    static const char *const names[] = {"auto", "low-latency", "adaptive", "lockstep", "variable",
            "decoupled", "max-frameskip"};
    return index < sizeof names / sizeof names[0] ? names[index] : NULL;
}

/* NULL for no es_catch_up. */
static inline const char *catch_up_name(unsigned policy)
{
    static const char *const names[] = {"drop", "slow", "spread", "stretch", "wait"};
    return policy < 5 ? names[policy] : NULL;
}

#endif
