/* SPDX-License-Identifier: Zlib
 *
 * Logarithm and exponential by range reduction and a series. Their sums run from the smallest term
 * up, in one order, so every compiler gives the same bits.
 */
#include "lab/random.h"

#include <string.h>

/* ln 2 in two parts: multiples of the first by integers up to 2^11 are exact. Source: fdlibm. */
#define LN2_HIGH 6.93147180369123816490e-01
#define LN2_LOW  1.90821492927058770002e-10

#define SQRT_2 1.41421356237309514547

uint64_t lab_random_key(uint64_t seed, lab_stream stream)
{
    return lab_random_bits(lab_random_bits(seed, 0), (uint64_t)stream);
}

static uint64_t bits_of(double x)
{
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

static double from_bits(uint64_t bits)
{
    double x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

/* x = m * 2^e with m in [sqrt(1/2), sqrt(2)); ln m = 2 artanh(s) = 2 (s + s^3/3 + s^5/5 + ...) with
 * s = (m - 1) / (m + 1), |s| < 0.1716: the first term left out is under 1e-18 of the first. */
double lab_log(double x)
{
    uint64_t bits = bits_of(x);
    int exponent = (int)(bits >> 52) - 1023;
    double m = from_bits((bits & UINT64_C(0x000FFFFFFFFFFFFF)) | UINT64_C(0x3FF0000000000000));
    if (m > SQRT_2) {
        m *= 0.5;
        exponent += 1;
    }
    double s = (m - 1.0) / (m + 1.0);
    double z = s * s;
    double sum = 1.0 / 23.0;
    for (int odd = 21; odd >= 3; odd -= 2) {
        sum = sum * z + 1.0 / (double)odd;
    }
    double e = (double)exponent;
    double low = e * LN2_LOW + 2.0 * s * z * sum;
    return e * LN2_HIGH + (2.0 * s + low);
}

/* x = k ln 2 + r with |r| <= ln(2)/2, e^r by its Taylor series: the first term left out is under
 * 1e-18. */
double lab_exp(double x)
{
    if (x < -700.0) {
        return 0.0;
    }
    double bounded = x > 700.0 ? 700.0 : x;
    int k = (int)(bounded / (LN2_HIGH + LN2_LOW) + (bounded < 0.0 ? -0.5 : 0.5));
    double r = (bounded - (double)k * LN2_HIGH) - (double)k * LN2_LOW;
    double sum = 1.0;
    for (int n = 14; n >= 2; --n) {
        sum = 1.0 + sum * r / (double)n;
    }
    double scale = from_bits((uint64_t)(k + 1023) << 52);
    return (1.0 + sum * r) * scale;
}

double lab_random_exponential(uint64_t key, uint64_t index)
{
    return -lab_log(1.0 - lab_random_uniform(key, index));
}

double lab_random_pareto(uint64_t key, uint64_t index, double tail)
{
    return lab_exp(lab_random_exponential(key, index) / tail);
}
