/* SPDX-License-Identifier: Zlib
 *
 * Logarithm: x = m 2^e with m from sqrt(1/2) to sqrt(2); then, with s = (m - 1) / (m + 1),
 *   ln m = 2 artanh s = 2 (s + s^3 / 3 + s^5 / 5 + ...),  s^2 <= 0.0295,
 * so each term brings five bits. The relative error stays that small for an m near 1.
 *
 * Power: x = octaves + step / 32 + rest with |rest| <= 1/64; 2^(step / 32) from a table, and
 *   2^rest = 1 + g + g^2 / 2 + g^3 / 6 + ...,  g = rest ln 2,
 * so each term brings over six bits. Step 0 is exactly 1: near 0 only the series counts.
 */
#include "value_power.h"

#include <math.h>

#include "value_power_table.inc.h"

/* 2 / ((2 k + 1) ln 2), from k = 0 */
static const double log_series[] = {2.8853900817779268, 0.9617966939259756, 0.5770780163555853,
        0.4121985831111324, 0.3205988979753252, 0.2623081892525388, 0.22195308321368667,
        0.19235933878519512, 0.16972882833987804, 0.15186263588304877, 0.1373995277037108,
        0.12545174268599682, 0.11541560327111708, 0.1068662993251084};

/* --- in double -------------------------------------------------------------------------------- */

double es__log2(double x)
{
    const double *c = log_series;
    const uint64_t root = UINT64_C(0x3fe6a09e667f3bcd); /* sqrt(1/2) */
    uint64_t bits = es__bits_of(x);
    uint64_t octaves = (bits - root + (UINT64_C(1023) << 52)) >> 52; /* + 1023 */
    double m = es__from_bits(bits - ((octaves - 1023) << 52));
    double s = (m - 1) / (m + 1);
    double z = s * s;
    double w = z * z;
    /* even and odd terms apart: two short chains of dependent operations */
    double even = c[0] + w * (c[2] + w * (c[4] + w * (c[6] + w * (c[8] + w * c[10]))));
    double odd = c[1] + w * (c[3] + w * (c[5] + w * (c[7] + w * c[9])));
    double result = (double)((int)octaves - 1023) + s * (even + z * odd);
    ES__ASSERT(fabs(result - log2(x)) <= 1e-15 * (1 + fabs(result)), x, result);
    return result;
}

/* 32 x as the nearest whole number. */
static int nearest_step(double x)
{
    return (int)(32 * x + (x < 0 ? -0.5 : 0.5));
}

static int step_of(int nearest)
{
    return (int)((unsigned)nearest & 31U);
}

double es__exp2(double x)
{
    int nearest = nearest_step(x);
    int step = step_of(nearest);
    double r = x - nearest / 32.0; /* exact */
    /* (ln 2)^k / k! */
    static const double c[] = {0.6931471805599453, 0.24022650695910072, 0.05550410866482158,
            0.009618129107628477, 0.0013333558146428443, 0.0001540353039338161};
    double above_1 = 0;
    for (int i = 5; i >= 0; --i) {
        above_1 = r * (c[i] + above_1);
    }
    double result = steps[step].high * (1 + above_1) * es__power_of_two((nearest - step) / 32);
    ES__ASSERT(fabs(result - exp2(x)) <= 1e-15 * result, x, result);
    return result;
}

/* --- in pairs --------------------------------------------------------------------------------- */

/* a / b, where b is no sum that cancels. */
static es__pair quotient(double a, es__pair b)
{
    double first = a / b.high;
    es__pair product = es__pair_product(first, b.high);
    double rest = ((a - product.high) - product.low) - first * b.low;
    return es__pair_of(first, rest / b.high);
}

es__pair es__log2_pair(double numerator, double denominator)
{
    const double *c = log_series;
    const es__pair first = {c[0], 0x1.777d0ffda0d24p-55};
    const es__pair second = {c[1], 0x1.d27f05548af0cp-55};
    int octaves;
    int fewer;
    double n = es__significand(numerator, &octaves);
    double d = es__significand(denominator, &fewer);
    octaves -= fewer;
    if (n > 1.4142135623730951 * d) {
        n /= 2;
        octaves += 1;
    } else if (d > 1.4142135623730951 * n) {
        d /= 2;
        octaves -= 1;
    }
    /* n - d is exact: they are within a factor of 2 */
    es__pair s = quotient(n - d, es__pair_sum(n, d));
    es__pair square = es__pair_times(s, s);
    double z = square.high;
    double tail = 0;
    for (int i = 13; i >= 2; --i) {
        tail = z * (c[i] + tail);
    }
    es__pair sum = es__pair_plus(second, (es__pair){tail, 0});
    sum = es__pair_plus(first, es__pair_times(square, sum));
    sum = es__pair_times(s, sum);
    es__pair whole = es__pair_sum((double)octaves, sum.high);
    return es__pair_of(whole.high, whole.low + sum.low);
}

es__pair es__exp2_pair(es__pair x, int *octaves)
{
    const es__pair ln2 = {0x1.62e42fefa39efp-1, 0x1.abc9e3b39803fp-56};
    int nearest = nearest_step(x.high);
    int step = step_of(nearest);
    *octaves = (nearest - step) / 32;
    es__pair rest = es__pair_sum(x.high - nearest / 32.0, x.low); /* the difference is exact */
    es__pair g = es__pair_times(rest, ln2);
    double h = g.high;
    static const double c[] = {
            1.0 / 2, 1.0 / 6, 1.0 / 24, 1.0 / 120, 1.0 / 720, 1.0 / 5040, 1.0 / 40320};
    double tail = 0;
    for (int i = 6; i >= 0; --i) {
        tail = h * (c[i] + tail);
    }
    tail *= h;
    es__pair above_1 = es__pair_of(h, tail + g.low);
    es__pair base = steps[step];
    es__pair more = es__pair_product(base.high, above_1.high);
    es__pair sum = es__pair_of(base.high, more.high);
    double low = more.low + base.low + base.high * above_1.low + base.low * above_1.high;
    return es__pair_of(sum.high, sum.low + low);
}
