/* SPDX-License-Identifier: Zlib
 *
 * A seeded random generator: no framework, so that programs without one can use it.
 */
#ifndef TEST_RANDOM_H
#define TEST_RANDOM_H

#include <stdbool.h>
#include <stdint.h>

#define COUNT_OF(array) (sizeof(array) / sizeof((array)[0]))

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

/* True once in `of` times. */
static inline bool chance(test_random *random, int64_t of)
{
    return random_below(random, of) == 0;
}

/* A number of any magnitude: each length in bits is equally likely. */
static inline int64_t random_magnitude(test_random *random)
{
    uint64_t value = random_u64(random) >> (random_u64(random) % 64);
    return (int64_t)value;
}

#endif
