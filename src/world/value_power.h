/* SPDX-License-Identifier: Zlib
 *
 * Logarithms and powers of two without the C library, whose last bits differ from one to the next:
 * once in double, and once in pairs of doubles, where a double's last bit must be right.
 */
#ifndef ES_VALUE_POWER_H
#define ES_VALUE_POWER_H

#include <stdbool.h>
#include <stdint.h>

#include "base/common.h"

/* The sum of both, low at most half a unit in the last place of high: about 106 bits. */
typedef struct es__pair {
    double high;
    double low;
} es__pair;

/* 2^exponent, which is -1022 to 1023. */
static inline double es__power_of_two(int exponent)
{
    return es__from_bits((uint64_t)(exponent + 1023) << 52);
}

/* x, which is finite and over 0, as m 2^*exponent with m from 1 to under 2. */
static inline double es__significand(double x, int *exponent)
{
    bool subnormal = x < 0x1p-1022;
    uint64_t bits = es__bits_of(subnormal ? x * 0x1p54 : x);
    *exponent = (int)(bits >> 52) - 1023 - (subnormal ? 54 : 0);
    return es__from_bits((bits & UINT64_C(0x000fffffffffffff)) | UINT64_C(0x3ff0000000000000));
}

/* a + b without error, where a is the larger or 0. Dekker 1971. */
static inline es__pair es__pair_of(double a, double b)
{
    double sum = a + b;
    return (es__pair){sum, b - (sum - a)};
}

/* a + b without error. D. E. Knuth, The Art of Computer Programming 2, 4.2.2. */
static inline es__pair es__pair_sum(double a, double b)
{
    double sum = a + b;
    double of_b = sum - a;
    return (es__pair){sum, (a - (sum - of_b)) + (b - of_b)};
}

/* a * b without error: each is cut into halves of 26 bits, whose products are exact. For numbers
 * up to 2^990. Dekker 1971. */
static inline es__pair es__pair_product(double a, double b)
{
    const double cut = 134217729.0; /* 2^27 + 1 */
    double of_a = cut * a;
    double of_b = cut * b;
    double a_high = of_a - (of_a - a);
    double b_high = of_b - (of_b - b);
    double a_low = a - a_high;
    double b_low = b - b_high;
    double product = a * b;
    double error = ((a_high * b_high - product) + a_high * b_low + a_low * b_high) + a_low * b_low;
    return (es__pair){product, error};
}

static inline es__pair es__pair_times(es__pair a, es__pair b)
{
    es__pair product = es__pair_product(a.high, b.high);
    product.low += a.high * b.low + a.low * b.high;
    return es__pair_of(product.high, product.low);
}

/* a + b, where a is the larger. */
static inline es__pair es__pair_plus(es__pair a, es__pair b)
{
    es__pair sum = es__pair_of(a.high, b.high);
    return es__pair_of(sum.high, sum.low + (a.low + b.low));
}

/* x, cut to what is between a and b. */
static inline double es__within(double x, double a, double b)
{
    double low = a < b ? a : b;
    double high = a < b ? b : a;
    if (x < low) {
        return low;
    }
    return x > high ? high : x;
}

/* log2(x), for normal x over 0. Error: under 2^-51 plus an ulp of the result. */
double es__log2(double x);

/* 2^x, for |x| under 1000. Error: under 2 ulp; and for two x that differ by over one part in 2^48,
 * the larger x never has the smaller power. */
double es__exp2(double x);

/* log2(numerator / denominator), for finite numbers over 0. Error: one part in 2^65 of the
 * result less its whole octaves. */
es__pair es__log2_pair(double numerator, double denominator);

/* 2^x = the result (0.98 to 2) times 2^*octaves, for |x.high| under 2^20. Error: one part in
 * 2^66; of an x under 1/64, one part in 2^59 of the distance of the result to 1. */
es__pair es__exp2_pair(es__pair x, int *octaves);

#endif
