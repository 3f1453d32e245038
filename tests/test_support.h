/* SPDX-License-Identifier: Zlib
 *
 * What the tests share: cmocka in its order, and a seeded random generator.
 */
#ifndef TEST_SUPPORT_H
#define TEST_SUPPORT_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#ifdef _WIN32
#include <malloc.h>
#else
#include <stdlib.h>
#endif

/* A test: a function for cmocka_unit_test, which needs no state of the group. */
#if defined(__GNUC__)
#define TEST(name) static void name(void **group __attribute__((unused)))
#else
#define TEST(name) static void name(void **group)
#endif

/* Built with the address sanitizer, everything takes six times as long. What only adds numbers up
 * is left to the builds without it. */
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

/* Sanitizers make all slow, and find in a part of the runs what they find in all. Of so many random
 * runs, one; and of a list of cases every so manyth: a prime, so that all values of each of its
 * dimensions come up. */
#define TEST_SHARE (TEST_SANITIZED ? 10 : 1)
#define TEST_STEP  (TEST_SANITIZED ? 7 : 1)

/* Memory at a multiple of 64, exactly as large as asked for: a multiple of 64, too. Windows has no
 * aligned_alloc, and frees such memory by a function of its own. */
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

/* xorshift64*: small, seeded, the same on every machine. */
typedef struct test_random {
    uint64_t state;
} test_random;

static inline uint64_t random_u64(test_random *random)
{
    uint64_t x = random->state;
    x ^= x >> 12;
    x ^= x << 25;
    x ^= x >> 27;
    random->state = x;
    return x * UINT64_C(2685821657736338717);
}

/* A number in [0, below). */
static inline int64_t random_below(test_random *random, int64_t below)
{
    return (int64_t)(random_u64(random) % (uint64_t)below);
}

/* A number of any magnitude: each length in bits is equally likely. */
static inline int64_t random_magnitude(test_random *random)
{
    uint64_t value = random_u64(random) >> (random_u64(random) % 64);
    return (int64_t)value;
}

#endif
