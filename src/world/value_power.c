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

/* 2 / ((2 k + 1) ln 2), from k = 0 */
static const double log_series[] = {2.8853900817779268, 0.9617966939259756, 0.5770780163555853,
        0.4121985831111324, 0.3205988979753252, 0.2623081892525388, 0.22195308321368667,
        0.19235933878519512, 0.16972882833987804, 0.15186263588304877, 0.1373995277037108,
        0.12545174268599682, 0.11541560327111708, 0.1068662993251084};

/* 2^(i / 32), and the rest that the double omits */
static const es__pair steps[32] = {
        {0x1.0000000000000p+0, 0x0.0p+0},
        {0x1.059b0d3158574p+0, 0x1.d73e2a475b465p-55},
        {0x1.0b5586cf9890fp+0, 0x1.8a62e4adc610bp-54},
        {0x1.11301d0125b51p+0, -0x1.6c51039449b3ap-54},
        {0x1.172b83c7d517bp+0, -0x1.19041b9d78a76p-55},
        {0x1.1d4873168b9aap+0, 0x1.e016e00a2643cp-54},
        {0x1.2387a6e756238p+0, 0x1.9b07eb6c70573p-54},
        {0x1.29e9df51fdee1p+0, 0x1.612e8afad1255p-55},
        {0x1.306fe0a31b715p+0, 0x1.6f46ad23182e4p-55},
        {0x1.371a7373aa9cbp+0, -0x1.63aeabf42eae2p-54},
        {0x1.3dea64c123422p+0, 0x1.ada0911f09ebcp-55},
        {0x1.44e086061892dp+0, 0x1.89b7a04ef80d0p-59},
        {0x1.4bfdad5362a27p+0, 0x1.d4397afec42e2p-56},
        {0x1.5342b569d4f82p+0, -0x1.07abe1db13cadp-55},
        {0x1.5ab07dd485429p+0, 0x1.6324c054647adp-54},
        {0x1.6247eb03a5585p+0, -0x1.383c17e40b497p-54},
        {0x1.6a09e667f3bcdp+0, -0x1.bdd3413b26456p-54},
        {0x1.71f75e8ec5f74p+0, -0x1.16e4786887a99p-55},
        {0x1.7a11473eb0187p+0, -0x1.41577ee04992fp-55},
        {0x1.82589994cce13p+0, -0x1.d4c1dd41532d8p-54},
        {0x1.8ace5422aa0dbp+0, 0x1.6e9f156864b27p-54},
        {0x1.93737b0cdc5e5p+0, -0x1.75fc781b57ebcp-57},
        {0x1.9c49182a3f090p+0, 0x1.c7c46b071f2bep-56},
        {0x1.a5503b23e255dp+0, -0x1.d2f6edb8d41e1p-54},
        {0x1.ae89f995ad3adp+0, 0x1.7a1cd345dcc81p-54},
        {0x1.b7f76f2fb5e47p+0, -0x1.5584f7e54ac3bp-56},
        {0x1.c199bdd85529cp+0, 0x1.11065895048ddp-55},
        {0x1.cb720dcef9069p+0, 0x1.503cbd1e949dbp-56},
        {0x1.d5818dcfba487p+0, 0x1.2ed02d75b3707p-55},
        {0x1.dfc97337b9b5fp+0, -0x1.1a5cd4f184b5cp-54},
        {0x1.ea4afa2a490dap+0, -0x1.e9c23179c2893p-54},
        {0x1.f50765b6e4540p+0, 0x1.9d3e12dd8a18bp-54},
};

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
    return (double)((int)octaves - 1023) + s * (even + z * odd);
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
    return steps[step].high * (1 + above_1) * es__power_of_two((nearest - step) / 32);
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
