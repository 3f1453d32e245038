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
