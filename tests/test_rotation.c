/* SPDX-License-Identifier: Zlib
 *
 * Rotations against the great circle in long double: how far off, for how large a turn per tick;
 * that they stay unit quaternions; and what no rotation should be, but memory may hold.
 */
#include "evenstep/blend.h"

#include <stdio.h>

#include "blend_reference.h"
#include "test_support.h"

#define DEGREES         (180.0L / REF_PI)

static double uniform(test_random *random, double low, double high)
{
    return low + (high - low) * ((double)(random_u64(random) >> 11) / 9007199254740992.0);
}

static long double length_of(const long double q[4])
{
    return sqrtl(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
}

static void random_unit(test_random *random, long double q[4])
{
    long double length;
    do {
        for (int c = 0; c < 4; ++c) {
            q[c] = (long double)uniform(random, -1, 1);
        }
        length = length_of(q);
    } while (length < 0.1L || length > 1);
    for (int c = 0; c < 4; ++c) {
        q[c] /= length;
    }
}

/* b: a, turned by so many degrees about any axis. (A rotation turns by twice the angle between the
 * quaternions.) */
static void random_turn(
        test_random *random, long double degrees, long double a[4], long double b[4])
{
    long double across[4], dot, half = degrees / DEGREES / 2;
    random_unit(random, a);
    do {
        random_unit(random, across);
        dot = 0;
        for (int c = 0; c < 4; ++c) {
            dot += across[c] * a[c];
        }
        for (int c = 0; c < 4; ++c) {
            across[c] -= dot * a[c];
        }
    } while (length_of(across) < 0.01L);
    long double length = length_of(across);
    for (int c = 0; c < 4; ++c) {
        b[c] = cosl(half) * a[c] + sinl(half) * across[c] / length;
    }
}

/* By how many degrees two rotations differ. */
static long double between(const long double a[4], const long double b[4])
{
    long double minus = 0, plus = 0, la = length_of(a), lb = length_of(b);
    for (int c = 0; c < 4; ++c) {
        minus += (a[c] / la - b[c] / lb) * (a[c] / la - b[c] / lb);
        plus += (a[c] / la + b[c] / lb) * (a[c] / la + b[c] / lb);
    }
    return 4 * asinl(fminl(sqrtl(fminl(minus, plus)) / 2, 1)) * DEGREES;
}

static void rotate_f32(const long double a[4], const long double b[4], double alpha,
        long double from[4], long double to[4], long double out[4])
{
    float x[4], y[4], z[4];
    for (int c = 0; c < 4; ++c) {
        x[c] = (float)a[c];
        y[c] = (float)b[c];
        from[c] = (long double)x[c];
        to[c] = (long double)y[c];
    }
    es_rotation_f32(x, y, (float)alpha, z);
    for (int c = 0; c < 4; ++c) {
        out[c] = (long double)z[c];
    }
}

static void rotate_f64(const long double a[4], const long double b[4], double alpha,
        long double from[4], long double to[4], long double out[4])
{
    double x[4], y[4], z[4];
    for (int c = 0; c < 4; ++c) {
        x[c] = (double)a[c];
        y[c] = (double)b[c];
        from[c] = (long double)x[c];
        to[c] = (long double)y[c];
    }
    es_rotation_f64(x, y, alpha, z);
    for (int c = 0; c < 4; ++c) {
        out[c] = (long double)z[c];
    }
}

/* ---- how far off ---- */

/* The largest error, in degrees of rotation, of turns by up to so many degrees. */
static long double largest_error(test_random *random, long double degrees, bool is_float)
{
    long double largest = 0;
    for (int i = 0; i < 40000; ++i) {
        long double a[4], b[4], from[4], to[4], got[4], exact[4];
        double alpha = i % 2 == 0 ? (double)(i % 1024) / 1024 : uniform(random, 0, 1);
        long double share = i % 3 == 0 ? (long double)uniform(random, 0, 1) : 1;
        random_turn(random, degrees * share, a, b);
        if (is_float) {
            rotate_f32(a, b, alpha, from, to, got);
            alpha = (double)(float)alpha;
        } else {
            rotate_f64(a, b, alpha, from, to, got);
        }
        ref_slerp(from, to, (long double)alpha, exact);
        largest = fmaxl(largest, between(got, exact));
    }
    return largest;
}

/* What docs/blending.md promises, and what was measured when the constants were fitted; a tenth
 * more is for other samples. A float's result is rounded, 6.8e-6 degrees to the unit in the last
 * place of 1 (2 * 2^-24 radians), and so are the steps to it: two such units. */
static void test_errors_are_as_small_as_documented(void **state)
{
    (void)state;
    static const struct {
        long double degrees, promised, measured;
    } cases[] = {{5, 4e-7L, 5.7e-8L}, {10, 3e-6L, 4.3e-7L}, {45, 1.5e-4L, 1.3e-5L},
            {90, 2e-4L, 2.9e-5L}, {179.999L, 1e-3L, 1.5e-4L}};
    const long double rounding = 2 * 6.8e-6L;
    test_random random = {11};
    for (size_t i = 0; i < COUNT_OF(cases); ++i) {
        long double f64 = largest_error(&random, cases[i].degrees, false);
        long double f32 = largest_error(&random, cases[i].degrees, true);
        print_message("%7.3Lf degrees per tick: off by %.2Le in double, %.2Le in float\n",
                cases[i].degrees, f64, f32);
        if (!(f64 <= cases[i].promised && f64 <= 1.1L * cases[i].measured)) {
            fail_msg("%Lg degrees per tick: off by %Lg degrees, not by %Lg", cases[i].degrees, f64,
                    cases[i].measured);
        }
        if (!(f32 <= 1.1L * cases[i].measured + rounding)) {
            fail_msg("%Lg degrees per tick: in float off by %Lg degrees, not by %Lg",
                    cases[i].degrees, f32, cases[i].measured + rounding);
        }
    }
}

/* ---- unit ---- */

static void test_results_are_unit_quaternions(void **state)
{
    (void)state;
    test_random random = {12};
    long double worst32 = 0, worst64 = 0;
    for (int i = 0; i < 1000000 / TEST_SHARE; ++i) {
        float a[4], b[4], out[4];
        long double length2 = 0;
        double la = 0, lb = 0, a64[4], b64[4], out64[4];
        for (int c = 0; c < 4; ++c) {
            a64[c] = uniform(&random, -1, 1);
            b64[c] = uniform(&random, -1, 1);
            la += a64[c] * a64[c];
            lb += b64[c] * b64[c];
        }
        if (la < 0.01 || lb < 0.01) {
            continue;
        }
        for (int c = 0; c < 4; ++c) {
            a64[c] /= sqrt(la);
            b64[c] /= sqrt(lb);
            a[c] = (float)a64[c];
            b[c] = (float)b64[c];
        }
        double alpha = uniform(&random, 0, 1);
        es_rotation_f32(a, b, (float)alpha, out);
        for (int c = 0; c < 4; ++c) {
            length2 += (long double)out[c] * (long double)out[c];
        }
        worst32 = fmaxl(worst32, fabsl(sqrtl(length2) - 1));
        if (i % 8 != 0) {
            continue;
        }
        es_rotation_f64(a64, b64, alpha, out64);
        length2 = 0;
        for (int c = 0; c < 4; ++c) {
            length2 += (long double)out64[c] * (long double)out64[c];
        }
        worst64 = fmaxl(worst64, fabsl(sqrtl(length2) - 1));
    }
    print_message("lengths are off by %.2Le in float, %.2Le in double\n", worst32, worst64);
    assert_true(worst32 <= 1e-6L);
    assert_true(worst64 <= 1e-15L);
}

/* ---- pairs that are hard ---- */

/* Opposite signs, 1e-3 radians and much less apart: the same rotations, nearly. */
static void test_opposite_signs_are_the_same_rotation(void **state)
{
    (void)state;
    test_random random = {13};
    for (int i = 0; i < 20000; ++i) {
        long double a[4], b[4], from[4], to[4], got[4], exact[4];
        double alpha = uniform(&random, 0, 1);
        long double apart = 1e-3L * DEGREES * powl(10, (long double)(-i % 16));
        random_turn(&random, i % 5 == 0 ? 0 : apart, a, b);
        for (int c = 0; c < 4; ++c) {
            b[c] = -b[c];
        }
        rotate_f64(a, b, alpha, from, to, got);
        ref_slerp(from, to, (long double)alpha, exact);
        assert_true(between(got, exact) <= 1e-12L);
        assert_true(got[0] * from[0] + got[1] * from[1] + got[2] * from[2] + got[3] * from[3] > 0);
        rotate_f32(a, b, alpha, from, to, got);
        ref_slerp(from, to, (long double)(float)alpha, exact);
        assert_true(between(got, exact) <= 2 * 6.8e-6L);
    }
}

/* Half a turn apart both ways are right; it takes one and stays on it. */
static void test_half_a_turn_apart(void **state)
{
    (void)state;
    test_random random = {14};
    for (int i = 0; i < 2000; ++i) {
        double a[4], b[4], out[4], zero = (double)(i % 2) * -2 + 1;
        long double x[4], y[4], got[4], last = 0;
        random_unit(&random, x);
        const double turned[4] = {-(double)x[1], (double)x[0], -(double)x[3], (double)x[2]};
        for (int c = 0; c < 4; ++c) {
            a[c] = (double)x[c];
            b[c] = zero * turned[c];
            y[c] = (long double)b[c];
            x[c] = (long double)a[c];
        }
        for (int k = 1; k < 16; ++k) {
            es_rotation_f64(a, b, k / 16.0, out);
            for (int c = 0; c < 4; ++c) {
                got[c] = (long double)out[c];
            }
            long double degrees = between(x, got);
            assert_true(fabsl(length_of(got) - 1) <= 1e-15L);
            assert_true(fabsl(degrees - 180 * k / 16.0L) <= 1.7e-4L);
            assert_true(fabsl(between(got, y) - (180 - degrees)) <= 1e-9L && degrees > last);
            last = degrees;
        }
    }
}

static void check_rests_f32(const float q[4])
{
    static const float alphas[] = {-1, 0, 1e-30F, 0.3F, 0.5F, 0.99999994F, 1, 2, NAN};
    float out[4];
    for (size_t i = 0; i < COUNT_OF(alphas); ++i) {
        es_rotation_f32(q, q, alphas[i], out);
        assert_memory_equal(out, q, sizeof out);
    }
}

static void check_rests_f64(const double q[4])
{
    static const double alphas[] = {-1, 0, 1e-300, 0.3, 0.5, 0.9999999999999999, 1, 2, NAN};
    double out[4];
    for (size_t i = 0; i < COUNT_OF(alphas); ++i) {
        es_rotation_f64(q, q, alphas[i], out);
        assert_memory_equal(out, q, sizeof out);
    }
}

/* What rests is shown as it is, to the byte, whatever its length. */
static void test_what_rests_is_exact(void **state)
{
    (void)state;
    static const double lengths[] = {1, 1.0001, 0.9, 3, 1e4, 1e10, 1e20, 1e30, 1e-5, 1e-20, 1e-40};
    test_random random = {15};
    for (int i = 0; i < 20000; ++i) {
        long double q[4];
        float f32[4];
        double f64[4], length = lengths[i % (int)COUNT_OF(lengths)];
        random_unit(&random, q);
        for (int c = 0; c < 4; ++c) {
            f64[c] = i % 7 == c ? -0.0 : (double)q[c] * length;
            f32[c] = (float)f64[c];
            f64[c] *= i % 2 == 0 ? 1 : length * length * length;
        }
        check_rests_f32(f32);
        check_rests_f64(f64);
    }
}

static void test_ends_are_exact(void **state)
{
    (void)state;
    test_random random = {16};
    for (int i = 0; i < 100000; ++i) {
        float a[4], b[4], out[4];
        for (int c = 0; c < 4; ++c) {
            uint32_t bits[2] = {(uint32_t)random_u64(&random), (uint32_t)random_u64(&random)};
            memcpy(&a[c], &bits[0], 4);
            memcpy(&b[c], &bits[1], 4);
        }
        es_rotation_f32(a, b, i % 2 == 0 ? 0 : -INFINITY, out);
        assert_memory_equal(out, a, sizeof out);
        es_rotation_f32(a, b, i % 2 == 0 ? 1 : NAN, out);
        assert_memory_equal(out, b, sizeof out);
        es_rotation_f32(a, b, 1, a); /* in place */
        assert_memory_equal(a, b, sizeof a);
    }
}

/* ---- what is no unit quaternion ---- */

/* Made unit first, whatever their lengths: then they are on the same circle. Two wrong lengths
 * whose mix happens to come out as long as if they were right are taken for right (rotation.h); at
 * any one alpha those are few. The result is a unit quaternion always. */
static void test_any_length_is_made_unit(void **state)
{
    (void)state;
    static const long double lengths[] = {
            0.5L, 2, 1000, 1e-3L, 1e10L, 1e-10L, 1e19L, 1e-19L, 1e25L, 1e-25L, 3e37L, 1e-36L};
    enum { PAIRS = 72000 };
    test_random random = {17};
    int missed = 0;
    for (int i = 0; i < PAIRS; ++i) {
        long double a[4], b[4], from[4], to[4], got[4], exact[4];
        long double la = lengths[i / 2 % 12], lb = lengths[i / 24 % 12];
        double alpha = uniform(&random, 0.01, 0.99);
        random_turn(&random, (long double)uniform(&random, 0.1, 170), a, b);
        for (int c = 0; c < 4; ++c) {
            a[c] *= la;
            b[c] *= lb;
        }
        bool is_float = i % 2 == 0;
        (is_float ? rotate_f32 : rotate_f64)(a, b, alpha, from, to, got);
        alpha = is_float ? (double)(float)alpha : alpha;
        ref_slerp(from, to, (long double)alpha, exact);
        long double off = between(got, exact);
        if (!(fabsl(length_of(got) - 1) <= 1e-6L)) {
            fail_msg("lengths %Lg and %Lg: at %g of length %.9Lg", la, lb, alpha, length_of(got));
        }
        missed += off > 2e-4L;
    }
    print_message("of any length: %d of %d were taken for unit quaternions\n", missed, PAIRS);
    assert_true(missed <= PAIRS / 1000);
}

static void test_zero_gives_way(void **state)
{
    (void)state;
    static const float zero[4] = {0, -0.0F, 0, 0}, q[4] = {0.5F, -0.5F, 0.5F, 0.5F};
    static const float alphas[] = {1e-30F, 1e-6F, 0.25F, 0.5F, 0.999F};
    float out[4];
    for (size_t i = 0; i < COUNT_OF(alphas); ++i) {
        long double sign = 1;
        es_rotation_f32(zero, q, alphas[i], out);
        for (int c = 0; c < 4; ++c) {
            assert_true(fabsf(out[c] - q[c]) <= 1e-6F);
        }
        es_rotation_f32(q, zero, alphas[i], out);
        for (int c = 0; c < 4; ++c) {
            sign = (long double)(out[c] / q[c]);
            assert_true(fabsl(sign - 1) <= 1e-6L);
        }
        es_rotation_f32(zero, zero, alphas[i], out);
        assert_memory_equal(out, zero, sizeof out);
    }
}

static void test_no_number_gives_no_number(void **state)
{
    (void)state;
    const float q[4] = {0.5F, -0.5F, 0.5F, 0.5F};
    float out[4];
    for (int c = 0; c < 4; ++c) {
        for (int k = 0; k < 3; ++k) {
            float odd[4] = {0.5F, 0.5F, 0.5F, 0.5F};
            odd[c] = k == 0 ? NAN : k == 1 ? INFINITY : -INFINITY;
            es_rotation_f32(odd, q, 0.5F, out);
            assert_true(isnan(out[0]) && isnan(out[1]) && isnan(out[2]) && isnan(out[3]));
            es_rotation_f32(q, odd, 0.5F, out);
            assert_true(isnan(out[0]) && isnan(out[1]) && isnan(out[2]) && isnan(out[3]));
        }
    }
}

/* Evenly: equal steps of alpha turn by equal angles, and never back. */
static void test_speed_is_even(void **state)
{
    (void)state;
    test_random random = {18};
    for (int i = 0; i < 300; ++i) {
        long double a[4], b[4], from[4], to[4], got[4], degrees = 1 + i * 179 / 300, last = 0;
        random_turn(&random, degrees, a, b);
        for (int k = 1; k <= 64; ++k) {
            rotate_f64(a, b, k / 64.0, from, to, got);
            long double now = between(from, got);
            assert_true(fabsl((now - last) * 64 - degrees) <= 64 * 4e-4L);
            last = now;
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
            cmocka_unit_test(test_errors_are_as_small_as_documented),
            cmocka_unit_test(test_results_are_unit_quaternions),
            cmocka_unit_test(test_opposite_signs_are_the_same_rotation),
            cmocka_unit_test(test_half_a_turn_apart),
            cmocka_unit_test(test_what_rests_is_exact),
            cmocka_unit_test(test_ends_are_exact),
            cmocka_unit_test(test_any_length_is_made_unit),
            cmocka_unit_test(test_zero_gives_way),
            cmocka_unit_test(test_no_number_gives_no_number),
            cmocka_unit_test(test_speed_is_even),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
