/* SPDX-License-Identifier: Zlib
 *
 * Rotations against the great circle in long double: the error for each turn per tick; that results
 * are unit quaternions, and of two that are one rotation the near one; and numbers that are no unit
 * quaternions.
 */
#include "blend_reference.h"

#define DEGREES (180.0L / REF_PI)

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

/* b: a, turned about any axis. (A rotation turns by twice the angle between the quaternions.) */
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

/* By the function of a type; from and to: the inputs, rounded to it. */
static void rotate(bool is_float, const long double a[4], const long double b[4], double alpha,
        long double from[4], long double to[4], long double out[4])
{
    float f32[3][4];
    double f64[3][4];
    for (int c = 0; c < 4; ++c) {
        f64[0][c] = (double)a[c];
        f64[1][c] = (double)b[c];
        f32[0][c] = (float)a[c];
        f32[1][c] = (float)b[c];
    }
    es__rotation_f32(f32[0], f32[1], (float)alpha, f32[2]);
    es__rotation_f64(f64[0], f64[1], alpha, f64[2]);
    for (int c = 0; c < 4; ++c) {
        from[c] = is_float ? (long double)f32[0][c] : (long double)f64[0][c];
        to[c] = is_float ? (long double)f32[1][c] : (long double)f64[1][c];
        out[c] = is_float ? (long double)f32[2][c] : (long double)f64[2][c];
    }
}

/* ---- errors ---- */

/* The largest error, in degrees of rotation, of turns by up to this many degrees. */
static long double largest_error(test_random *random, long double degrees, bool is_float)
{
    long double largest = 0;
    for (int i = 0; i < 40000; ++i) {
        long double a[4], b[4], from[4], to[4], got[4], exact[4];
        double alpha = i % 2 == 0 ? (double)(i % 1024) / 1024 : uniform(random, 0, 1);
        long double share = i % 3 == 0 ? (long double)uniform(random, 0, 1) : 1;
        random_turn(random, degrees * share, a, b);
        for (int c = 0; c < 4 && i % 2 == 0; ++c) {
            b[c] = -b[c]; /* the same rotation */
        }
        rotate(is_float, a, b, alpha, from, to, got);
        alpha = is_float ? (double)(float)alpha : alpha;
        ref_slerp(from, to, (long double)alpha, exact);
        largest = fmaxl(largest, between(got, exact));
        assert_true(fabsl(length_of(got) - 1) <= (is_float ? 1e-6L : 1e-15L));
        assert_true(got[0] * from[0] + got[1] * from[1] + got[2] * from[2] + got[3] * from[3] > 0);
    }
    return largest;
}

/* As docs/blending.md promises, and as measured when the constants were fitted, with a tenth more for
 * other samples. A float's result is rounded, 6.8e-6 degrees to the unit in the last place of 1
 * (2 * 2^-24 radians), and so are the steps to it: two such units. */
TEST(errors_are_as_small_as_documented)
{
    static const struct {
        long double degrees, promised, measured;
    } cases[] = {{5e-15L, 1e-12L, 1e-12L}, {0.05L, 1e-12L, 1e-12L}, {5, 4e-7L, 5.7e-8L},
            {10, 3e-6L, 4.3e-7L}, {45, 1.5e-4L, 1.3e-5L}, {90, 2e-4L, 2.9e-5L},
            {179.999L, 1e-3L, 1.5e-4L}};
    const long double rounding = 2 * 6.8e-6L;
    test_random random = {11};
    for_rows (i, cases) {
        long double f64 = largest_error(&random, cases[i].degrees, false);
        long double f32 = largest_error(&random, cases[i].degrees, true);
        print_message("%7.3Lf degrees per tick: off by %.2Le in double, %.2Le in float\n",
                cases[i].degrees, f64, f32);
        assert_at_most((double)f64, (double)fminl(cases[i].promised, 1.1L * cases[i].measured));
        assert_at_most((double)f32, (double)(1.1L * cases[i].measured + rounding));
    }
}

/* ---- difficult pairs ---- */

/* Half a turn apart both ways are right; it takes one and stays on it. */
TEST(half_a_turn_takes_one_way)
{
    test_random random = {14};
    for (int i = 0; i < 2000; ++i) {
        long double a[4], from[4], to[4], got[4], last = 0, sign = i % 2 == 0 ? 1 : -1;
        random_unit(&random, a);
        const long double b[4] = {-sign * a[1], sign * a[0], -sign * a[3], sign * a[2]};
        for (int k = 1; k < 16; ++k) {
            rotate(false, a, b, k / 16.0, from, to, got);
            long double degrees = between(from, got);
            assert_true(fabsl(length_of(got) - 1) <= 1e-15L);
            assert_true(fabsl(degrees - 180 * k / 16.0L) <= 1.7e-4L);
            assert_true(fabsl(between(got, to) - (180 - degrees)) <= 1e-9L && degrees > last);
            last = degrees;
        }
    }
}

/* Resting rotations are shown as they are, to the byte, whatever their length. */
TEST(resting_rotations_are_exact)
{
    static const double lengths[] = {1, 1.0001, 0.9, 3, 1e4, 1e10, 1e20, 1e30, 1e-5, 1e-20, 1e-40};
    static const float alphas[] = {-1, 0, 1e-30F, 0.3F, 0.5F, 0.99999994F, 1, 2, NAN};
    test_random random = {15};
    for (int i = 0; i < 20000; ++i) {
        long double q[4];
        float f32[4], out32[4];
        double f64[4], out64[4], length = lengths[i % (int)COUNT_OF(lengths)];
        random_unit(&random, q);
        for (int c = 0; c < 4; ++c) {
            f64[c] = i % 7 == c ? -0.0 : (double)q[c] * length;
            f32[c] = (float)f64[c];
            f64[c] *= i % 2 == 0 ? 1 : length * length * length;
        }
        for_rows (k, alphas) {
            es__rotation_f32(f32, f32, alphas[k], out32);
            es__rotation_f64(f64, f64, (double)alphas[k], out64);
            assert_memory_equal(out32, f32, sizeof f32);
            assert_memory_equal(out64, f64, sizeof f64);
        }
    }
}

TEST(ends_are_exact)
{
    test_random random = {16};
    for (int i = 0; i < 100000; ++i) {
        float a[4], b[4], out[4];
        for (int c = 0; c < 4; ++c) {
            uint32_t bits[2] = {(uint32_t)random_u64(&random), (uint32_t)random_u64(&random)};
            memcpy(&a[c], &bits[0], 4);
            memcpy(&b[c], &bits[1], 4);
        }
        es__rotation_f32(a, b, i % 2 == 0 ? 0 : -INFINITY, out);
        assert_memory_equal(out, a, sizeof out);
        es__rotation_f32(a, b, i % 2 == 0 ? 1 : NAN, out);
        assert_memory_equal(out, b, sizeof out);
        es__rotation_f32(a, b, 1, a); /* in place */
        assert_memory_equal(a, b, sizeof a);
    }
}

/* ---- other lengths, and no numbers ---- */

/* Quaternions of other lengths are made unit first. Two wrong lengths whose mix happens to have the
 * right length are taken for unit quaternions (rotation.h); at any one alpha those are few. The
 * result is a unit quaternion always. */
TEST(any_length_is_made_unit)
{
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
        rotate(is_float, a, b, alpha, from, to, got);
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

TEST(of_a_zero_the_other_is_the_result)
{
    static const float zero[4] = {0, -0.0F, 0, 0}, q[4] = {0.5F, -0.5F, 0.5F, 0.5F};
    static const float alphas[] = {1e-30F, 1e-6F, 0.25F, 0.5F, 0.999F};
    float out[4];
    for_rows (i, alphas) {
        long double sign = 1;
        es__rotation_f32(zero, q, alphas[i], out);
        for (int c = 0; c < 4; ++c) {
            assert_true(fabsf(out[c] - q[c]) <= 1e-6F);
        }
        es__rotation_f32(q, zero, alphas[i], out);
        for (int c = 0; c < 4; ++c) {
            sign = (long double)(out[c] / q[c]);
            assert_true(fabsl(sign - 1) <= 1e-6L);
        }
        es__rotation_f32(zero, zero, alphas[i], out);
        assert_memory_equal(out, zero, sizeof out);
    }
}

TEST(a_nan_gives_nans)
{
    const float q[4] = {0.5F, -0.5F, 0.5F, 0.5F};
    float out[4];
    for (int c = 0; c < 4; ++c) {
        for (int k = 0; k < 3; ++k) {
            float odd[4] = {0.5F, 0.5F, 0.5F, 0.5F};
            odd[c] = k == 0 ? NAN : k == 1 ? INFINITY : -INFINITY;
            es__rotation_f32(odd, q, 0.5F, out);
            assert_true(isnan(out[0]) && isnan(out[1]) && isnan(out[2]) && isnan(out[3]));
            es__rotation_f32(q, odd, 0.5F, out);
            assert_true(isnan(out[0]) && isnan(out[1]) && isnan(out[2]) && isnan(out[3]));
        }
    }
}
