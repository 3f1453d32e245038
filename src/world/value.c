/* SPDX-License-Identifier: Zlib
 *
 * One value between two. By a constant ratio: a * (b / a)^alpha.
 *
 * Why a larger alpha never goes back: let x = alpha * log2(b / a). Two neighbours in alpha are at
 * least one part in 2^53 (float: 2^24) apart, and so are their x. The logarithm's error is the same
 * for both. The errors of product and power are a smaller part of x (2^-59; float: 2^-48); or, where
 * x is over 1/64, of 1 (2^-66; float: 2^-50), which is less than the step of x there. So before the
 * last rounding the results are in the order of their alphas, and a rounding keeps order.
 */
#include <float.h>
#include <math.h>

#include "simd/kernels.h"
#include "value_power.h"

#if ES__ASSERTS
/* Where a long double is longer, the C library's power is exact enough. off: units in the last place. */
static void check_ratio(double result, double unit, double a, double b, double alpha, double off)
{
    long double exact = (long double)a * powl((long double)b / (long double)a, (long double)alpha);
    ES__ASSERT(
            LDBL_MANT_DIG == 53 || fabsl((long double)result - exact) <= (long double)(unit * off),
            result, a);
}
#endif

/* a, b: over 0, finite; alpha: between 0 and 1. */
static double ratio_f32(double a, double b, double alpha)
{
    double result = es__within(a * es__exp2(alpha * es__log2(b / a)), a, b);
    ES__CHECK(check_ratio(result, result, a, b, alpha, 1e-13));
    return result;
}

float es__ratio_f32(float a, float b, float alpha)
{
    const float sign = a < 0 ? -1 : 1, x = sign * a, y = sign * b;
    bool apart = alpha > 0 && alpha < 1 && a != b;
    if (apart && x > 0 && y > 0 && x <= FLT_MAX && y <= FLT_MAX) {
        return sign * (float)ratio_f32((double)x, (double)y, (double)alpha);
    }
    return es__value_lerp_f32(a, b, alpha);
}

/* x 2^exponent, rounded once: not to 53 bits and then to the fewer of a subnormal number. The
 * result is within the range of double. */
static double ratio_scaled(es__pair x, int exponent)
{
    while (x.high >= 2) {
        x = (es__pair){x.high / 2, x.low / 2};
        exponent += 1;
    }
    while (x.high < 1) {
        x = (es__pair){x.high * 2, x.low * 2};
        exponent -= 1;
    }
    if (exponent >= -1022) {
        return (x.high + x.low) * es__power_of_two(exponent);
    }
    /* the sum with 2^52 of the least numbers rounds to whole ones */
    double large = es__power_of_two(-1022 - exponent);
    es__pair sum = es__pair_of(large, x.high);
    double whole = sum.high + (sum.low + x.low) - large;
    return whole * es__power_of_two(exponent + 1022) * 0x1p-1022;
}

/* The same in pairs of doubles (T. J. Dekker, A floating-point technique for extending the available
 * precision, 1971). */
static double ratio_f64(double a, double b, double alpha)
{
    int exponent;
    int octaves;
    es__pair x = es__log2_pair(b, a);
    es__pair way = es__pair_product(alpha, x.high);
    way = es__pair_of(way.high, way.low + alpha * x.low);
    es__pair power = es__exp2_pair(way, &octaves);
    double m = es__significand(a, &exponent);
    es__pair product = es__pair_product(m, power.high);
    product.low += m * power.low;
    double result = es__within(ratio_scaled(product, exponent + octaves), a, b);
    ES__CHECK(check_ratio(result, nextafter(result, INFINITY) - result, a, b, alpha, 0.51));
    return result;
}

double es__ratio_f64(double a, double b, double alpha)
{
    const double sign = a < 0 ? -1 : 1, x = sign * a, y = sign * b;
    bool apart = alpha > 0 && alpha < 1 && a != b;
    if (apart && x > 0 && y > 0 && x <= DBL_MAX && y <= DBL_MAX) {
        return sign * ratio_f64(x, y, alpha);
    }
    return es__value_lerp_f64(a, b, alpha);
}

/* --- rotations -------------------------------------------------------------------------------- */

#define NUMBER  float
#define NAME(x) x##_f32
#define KERNELS f32
#include "value_rotation.inc.h"

#define NUMBER  double
#define NAME(x) x##_f64
#define KERNELS f64
#include "value_rotation.inc.h"

double es_lerp_angle(double a, double b, double t)
{
    return es__value_angle_f64(a, b, t);
}

void es_lerp_quat(const float a[4], const float b[4], double t, float out[4])
{
    es__rotation_f32(a, b, (float)t, out);
}
