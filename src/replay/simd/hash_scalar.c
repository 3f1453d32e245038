/* SPDX-License-Identifier: Zlib
 *
 * The hash without vectors, and for any order of bytes: two lanes at a time, as each reads what the
 * other adds.
 */
#include "hash.h"

#include <string.h>

static uint64_t word(const unsigned char *at)
{
    return (uint64_t)at[0] | (uint64_t)at[1] << 8 | (uint64_t)at[2] << 16 | (uint64_t)at[3] << 24
           | (uint64_t)at[4] << 32 | (uint64_t)at[5] << 40 | (uint64_t)at[6] << 48
           | (uint64_t)at[7] << 56;
}

static uint64_t halves_multiplied(uint64_t value)
{
    return (value & UINT32_MAX) * (value >> 32);
}

static void scalar_stripes(
        uint64_t *lanes, const unsigned char *bytes, size_t count, const unsigned char *secret)
{
    for (size_t i = 0; i < ES_HASH_LANES; i += 2) {
        uint64_t a = lanes[i], b = lanes[i + 1];
        for (size_t n = 0; n < count; ++n) {
            uint64_t first = word(bytes + ES_HASH_STRIPE * n + 8 * i);
            uint64_t second = word(bytes + ES_HASH_STRIPE * n + 8 * i + 8);
            a += second + halves_multiplied(first ^ word(secret + 8 * (n + i)));
            b += first + halves_multiplied(second ^ word(secret + 8 * (n + i + 1)));
        }
        lanes[i] = a;
        lanes[i + 1] = b;
    }
}

/* With the exponent's bits set and any other, adding reaches the sign. */
static bool scalar_has_nan_f32(const unsigned char *bytes, size_t count)
{
    uint32_t found = 0, bits;
    for (size_t i = 0; i < ES_HASH_STRIPE * count; i += 4) {
        memcpy(&bits, bytes + i, 4);
        found |= (bits & UINT32_C(0x7FFFFFFF)) + UINT32_C(0x007FFFFF);
    }
    return found >> 31 != 0;
}

static bool scalar_has_nan_f64(const unsigned char *bytes, size_t count)
{
    uint64_t found = 0, bits;
    for (size_t i = 0; i < ES_HASH_STRIPE * count; i += 8) {
        memcpy(&bits, bytes + i, 8);
        found |= (bits & UINT64_C(0x7FFFFFFFFFFFFFFF)) + UINT64_C(0x000FFFFFFFFFFFFF);
    }
    return found >> 63 != 0;
}

static void scalar_scramble(uint64_t *lanes, const unsigned char *secret)
{
    for (size_t i = 0; i < ES_HASH_LANES; ++i) {
        uint64_t lane = lanes[i] ^ lanes[i] >> 47;
        lanes[i] = (lane ^ word(secret + ES_HASH_SECRET_SCRAMBLE + 8 * i)) * 0x9E3779B1U;
    }
}

static bool scalar_eat_plain(const uint64_t *from, uint64_t *to, const unsigned char *bytes,
        size_t stripes, const unsigned char *last, const unsigned char *secret)
{
    memmove(to, from, ES_HASH_LANES * sizeof *to);
    for (; stripes >= ES_HASH_STRIPES; stripes -= ES_HASH_STRIPES) {
        scalar_stripes(to, bytes, ES_HASH_STRIPES, secret);
        scalar_scramble(to, secret);
        bytes += ES_HASH_STRIPE * ES_HASH_STRIPES;
    }
    scalar_stripes(to, bytes, stripes, secret);
    if (last != NULL) {
        scalar_stripes(to, last, 1, secret + ES_HASH_SECRET_LAST);
    }
    return false;
}

/* Looking while it mixes would cost registers, of which there are few. */
static bool scalar_eat_f32(const uint64_t *from, uint64_t *to, const unsigned char *bytes,
        size_t stripes, const unsigned char *last, const unsigned char *secret)
{
    return scalar_has_nan_f32(bytes, stripes) || (last != NULL && scalar_has_nan_f32(last, 1))
           || scalar_eat_plain(from, to, bytes, stripes, last, secret);
}

static bool scalar_eat_f64(const uint64_t *from, uint64_t *to, const unsigned char *bytes,
        size_t stripes, const unsigned char *last, const unsigned char *secret)
{
    return scalar_has_nan_f64(bytes, stripes) || (last != NULL && scalar_has_nan_f64(last, 1))
           || scalar_eat_plain(from, to, bytes, stripes, last, secret);
}

const es_hash_kernels es_hash_kernels_scalar = {scalar_stripes,
        {scalar_eat_plain, scalar_eat_f32, scalar_eat_f64}, scalar_has_nan_f32, scalar_has_nan_f64};
