/* SPDX-License-Identifier: Zlib
 *
 * Colours: mixed as light is, and encoded as sRGB or not.
 *
 * Why a larger alpha never goes back: the weight and the mixed light are made of roundings of what
 * only rises or only falls, which keep its order (for double, of sums whose error is far below
 * their steps). Encoding keeps it because its result is much finer than those steps: float
 * takes light in 41 bits and encodes it to 50, double takes 60 and encodes to 64; and where the two
 * pieces of the curve meet, neither passes that point.
 */
#include "evenstep/value.h"

#include <float.h>

#include "value_parts.h"
#include "value_power.h"
#include "value_srgb_tables.inc.h"

/* The pieces of the curve meet here: encoded, and in light. The standard writes 0.04045, 0.0031308,
 * where the power's piece starts a little lower than the line ends. */
#define MEETING       0.04044823627710819
#define MEETING_LIGHT 0.003130668442500634

/* Where alpha leads colours whose straight alphas are a and b, which differ: of all that is mixed,
 * (1 - alpha) a + alpha b, the part of b. a, b: from 0 up; alpha: between 0 and 1.
 *
 * Written so that it is a chain of roundings of what falls (the part of a, the quotient) and then
 * rises. Never 0 / 0: of two different numbers over 0, at most one part underflows. */
static double colour_weight(double a, double b, double alpha)
{
    if (a == 0 || b == 0) {
        return a == 0 ? 1 : 0;
    }
    double of_a = (1 - alpha) * a;
    double of_b = alpha * b;
    return 1 / (1 + of_a / of_b);
}

static double colour_size_of(double x)
{
    return x < 0 ? -x : x;
}

static double with_sign_of(double x, double size)
{
    return x < 0 ? -size : size;
}

/* --- the curve, for float --------------------------------------------------------------------- */

static double decode_f32(double x)
{
    double size = colour_size_of(x);
    double light =
            size <= MEETING ? size / 12.92 : es__exp2(2.4 * es__log2((size + 0.055) * (1 / 1.055)));
    return with_sign_of(x, light);
}

static double encode_f32(double x)
{
    double size = colour_size_of(x);
    if (size <= MEETING_LIGHT) {
        double line = 12.92 * size;
        return with_sign_of(x, line < MEETING ? line : MEETING);
    }
    /* to 41 bits: neighbours are then further apart than the power errs */
    uint64_t bits = (es__bits_of(size) + UINT64_C(0x800)) & ~UINT64_C(0xfff);
    double power = 1.055 * es__exp2(es__log2(es__from_bits(bits)) * (5.0 / 12)) - 0.055;
    return with_sign_of(x, power > MEETING ? power : MEETING);
}

static double mix_f32(double a, double b, double weight)
{
    return encode_f32(es__value_lerp_f64(decode_f32(a), decode_f32(b), weight));
}

/* --- the curve, for double -------------------------------------------------------------------- */

static es__pair decode_f64(double x)
{
    const es__pair offset = {0x1.c28f5c28f5c29p-5, -0x1.47ae147ae147bp-62};     /* 0.055 */
    const es__pair over_scale = {0x1.e54edcd0aeb60p-1, -0x1.3698df3de0748p-56}; /* 1 / 1.055 */
    const es__pair over_slope = {0x1.3d0722149b580p-4, -0x1.95cbb0be377aep-58}; /* 1 / 12.92 */
    const es__pair exponent = {0x1.3333333333333p+1, 0x1.999999999999ap-54};    /* 2.4 */
    double size = colour_size_of(x);
    es__pair light;
    if (size <= MEETING) {
        light = es__pair_times(over_slope, (es__pair){size, 0});
    } else {
        es__pair sum = es__pair_sum(size, offset.high);
        sum = es__pair_of(sum.high, sum.low + offset.low);
        light = es__power_pair(es__pair_times(sum, over_scale), exponent);
    }
    return x < 0 ? (es__pair){-light.high, -light.low} : light;
}

/* light: over 0 */
static double power_from_light(es__pair light)
{
    const es__pair minus_offset = {-0x1.c28f5c28f5c29p-5, 0x1.47ae147ae147bp-62}; /* -0.055 */
    const es__pair scale = {0x1.0e147ae147ae1p+0, 0x1.1eb851eb851ecp-54};         /* 1.055 */
    const es__pair exponent = {0x1.aaaaaaaaaaaabp-2, -0x1.5555555555555p-56};     /* 5/12 */
    /* to 60 bits: neighbours are then further apart than the power errs */
    double octave = es__from_bits(es__bits_of(light.high) & UINT64_C(0x7ff0000000000000));
    light.low = (light.low + 0x1.8p-8 * octave) - 0x1.8p-8 * octave;
    es__pair power = es__power_pair(light, exponent);
    es__pair encoded = es__pair_plus(es__pair_times(power, scale), minus_offset);
    return encoded.high + encoded.low;
}

static double encode_f64(es__pair light)
{
    const es__pair slope = {0x1.9d70a3d70a3d7p+3, 0x1.47ae147ae147bp-54}; /* 12.92 */
    bool negative = light.high < 0;
    es__pair size = negative ? (es__pair){-light.high, -light.low} : light;
    double encoded;
    if (size.high <= MEETING_LIGHT) {
        encoded = es__pair_times(size, slope).high;
        encoded = encoded < MEETING ? encoded : MEETING;
    } else {
        encoded = power_from_light(size);
        encoded = encoded > MEETING ? encoded : MEETING;
    }
    return negative ? -encoded : encoded;
}

static double mix_f64(double a, double b, double weight)
{
    if (colour_size_of(b - a) <= 0x1p-30 * colour_size_of(a)) {
        /* so near, the curve is straight to 2^-60, and steps of the mix are too small for pairs */
        return es__value_lerp_f64(a, b, weight);
    }
    es__pair from = decode_f64(a);
    es__pair to = decode_f64(b);
    es__pair way = es__pair_sum(to.high, -from.high);
    way = es__pair_of(way.high, way.low + (to.low - from.low));
    way = es__pair_times(way, (es__pair){weight, 0});
    es__pair light = es__pair_sum(from.high, way.high);
    return encode_f64(es__pair_of(light.high, light.low + (from.low + way.low)));
}

#define NUMBER  float
#define NAME(x) x##_f32
#define LARGEST FLT_MAX
#include "value_colour_numbers.inc.h"
#undef NUMBER
#undef NAME
#undef LARGEST

#define NUMBER  double
#define NAME(x) x##_f64
#define LARGEST 1.0e100
#include "value_colour_numbers.inc.h"
#undef NUMBER
#undef NAME
#undef LARGEST

/* --- bytes ------------------------------------------------------------------------------------ */

/* light: 0 to 1. */
static unsigned char byte_of(double light)
{
    const uint64_t first =
            UINT64_C(0x3f90000000000000) >> 46; /* of 1/64: 6 bits below the octave */
    unsigned byte = cell_byte[(es__bits_of(light + 0x1p-6) >> 46) - first];
    byte += light >= byte_border[byte];
    byte += light >= byte_border[byte];
    return (unsigned char)byte;
}

void es_srgb_u8(const unsigned char *a, const unsigned char *b, size_t components, double alpha,
        unsigned char *out)
{
    bool straight = components == 4;
    size_t colours = straight ? 3 : components;
    if (!(alpha > 0 && alpha < 1)) {
        for (size_t i = 0; i < components; ++i) {
            out[i] = alpha <= 0 ? a[i] : b[i];
        }
        return;
    }
    double weight = alpha;
    if (straight && a[3] != b[3]) {
        weight = colour_weight((double)a[3], (double)b[3], alpha);
    }
    for (size_t i = 0; i < colours; ++i) {
        double light = byte_light[a[i]];
        out[i] = byte_of(light + weight * (byte_light[b[i]] - light));
    }
    if (straight) {
        out[3] = (unsigned char)((double)a[3] + alpha * (double)(b[3] - a[3]) + 0.5);
    }
}
