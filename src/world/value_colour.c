/* SPDX-License-Identifier: Zlib
 *
 * Colours, mixed as light, encoded as sRGB or not.
 *
 * Why a larger alpha never goes back: the weight and the mixed light are chains of roundings of
 * terms that only rise or only fall, and a rounding keeps order. Encoding keeps it because its
 * error is far below those steps: it takes light in 41 bits and errs at the 50th; and where the two
 * pieces of the curve meet, neither passes that point.
 */
#include <float.h>

#include "value_parts.h"
#include "value_power.h"
#include "value_srgb_tables.inc.h"

/* The pieces of the curve meet here: encoded, and in light. The standard writes 0.04045 and
 * 0.0031308, where the piece of the power starts a little below the line's end. */
#define MEETING       0.04044823627710819
#define MEETING_LIGHT 0.003130668442500634

/* The share of b in a mix of colours whose straight alphas a and b differ. a, b: 0 or more; alpha:
 * between 0 and 1.
 *
 * A chain of roundings of what falls (the part of a, the quotient) and then rises. Never 0 / 0: of
 * two different numbers over 0, at most one part underflows. */
static double colour_weight(double a, double b, double alpha)
{
    if (a == 0 || b == 0) {
        return a == 0 ? 1 : 0;
    }
    double of_a = (1 - alpha) * a;
    double of_b = alpha * b;
    return 1 / (1 + of_a / of_b);
}

static bool is_straight_alpha(float x)
{
    return x >= 0 && x - x == 0;
}

/* The weight of b in the first three of four components. -1: none of its own, alpha counts. */
static double weight_of(const float *a, const float *b, size_t components, float alpha)
{
    bool straight = components == 4 && is_straight_alpha(a[3]) && is_straight_alpha(b[3]);
    if (!straight || a[3] == b[3] || !(alpha > 0 && alpha < 1)) {
        return -1;
    }
    return colour_weight((double)a[3], (double)b[3], (double)alpha);
}

/* --- the curve -------------------------------------------------------------------------------- */

static double decode(double x)
{
    if (x < 0) {
        return -decode(-x);
    }
    return x <= MEETING ? x / 12.92 : es__exp2(2.4 * es__log2((x + 0.055) * (1 / 1.055)));
}

static double encode(double x)
{
    if (x < 0) {
        return -encode(-x);
    }
    if (x <= MEETING_LIGHT) {
        double line = 12.92 * x;
        return line < MEETING ? line : MEETING;
    }
    /* to 41 bits: neighbours are then further apart than the power errs */
    uint64_t bits = (es__bits_of(x) + UINT64_C(0x800)) & ~UINT64_C(0xfff);
    double power = 1.055 * es__exp2(es__log2(es__from_bits(bits)) * (5.0 / 12)) - 0.055;
    return power > MEETING ? power : MEETING;
}

/* weight: 0 to 1. */
static float mix_srgb(float a, float b, double weight)
{
    const float line = (float)MEETING;
    if (a == b || weight <= 0) {
        return a;
    }
    bool finite = a >= -FLT_MAX && a <= FLT_MAX && b >= -FLT_MAX && b <= FLT_MAX;
    bool dark = a >= -line && a <= line && b >= -line && b <= line;
    if (!finite || dark || weight >= 1) {
        return (float)es__value_lerp_f64((double)a, (double)b, weight);
    }
    double light = es__value_lerp_f64(decode((double)a), decode((double)b), weight);
    float mixed = (float)encode(light);
    return (float)es__within((double)mixed, (double)a, (double)b);
}

/* --- floats ----------------------------------------------------------------------------------- */

void es__colour_f32(const float *a, const float *b, size_t components, float alpha, float *out)
{
    double weight = weight_of(a, b, components, alpha);
    for (size_t i = 0; i < components; ++i) {
        out[i] = weight >= 0 && i < 3
                         ? (float)es__value_lerp_f64((double)a[i], (double)b[i], weight)
                         : es__value_lerp_f32(a[i], b[i], alpha);
    }
}

void es__srgb_f32(const float *a, const float *b, size_t components, float alpha, float *out)
{
    double weight = weight_of(a, b, components, alpha);
    weight = weight < 0 ? (double)alpha : weight;
    for (size_t i = 0; i < components; ++i) {
        bool between = alpha > 0 && alpha < 1 && !(components == 4 && i == 3);
        out[i] = between ? mix_srgb(a[i], b[i], weight) : es__value_lerp_f32(a[i], b[i], alpha);
    }
}

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

void es__srgb_u8(const unsigned char *a, const unsigned char *b, size_t components, double alpha,
        unsigned char *out)
{
    size_t colours = components == 4 ? 3 : components;
    if (!(alpha > 0 && alpha < 1)) {
        for (size_t i = 0; i < components; ++i) {
            out[i] = alpha <= 0 ? a[i] : b[i];
        }
        return;
    }
    double weight = alpha;
    if (components == 4 && a[3] != b[3]) {
        weight = colour_weight((double)a[3], (double)b[3], alpha);
    }
    for (size_t i = 0; i < colours; ++i) {
        double light = byte_light[a[i]];
        out[i] = byte_of(light + weight * (byte_light[b[i]] - light));
    }
    if (components == 4) {
        out[3] = (unsigned char)((double)a[3] + alpha * (double)(b[3] - a[3]) + 0.5);
    }
}
