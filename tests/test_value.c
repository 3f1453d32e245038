/* SPDX-License-Identifier: Zlib
 *
 * Single values: lines, circles, ratios, colours. float and double go through the same checks: a
 * double carries the values of both without rounding. References are in long double; where that is
 * no wider than double, errors are not measured.
 */
#include "blend_reference.h"
#include "world/value_power.h"

static const bool long_is_longer = LDBL_MANT_DIG >= 64;

/* mingw-w64's powl is off by some units of a double for very large and very small results. */
#ifdef __MINGW32__
static const bool powl_is_good = false;
#else
static const bool powl_is_good = LDBL_MANT_DIG >= 64;
#endif

static const long double pi_l = 3.141592653589793238462643383279502884L;

/* --- a number type ---------------------------------------------------------------------------- */

typedef struct number_type {
    const char *name;
    double (*lerp)(double a, double b, double alpha);
    double (*angle)(double a, double b, double alpha);
    double (*cyclic)(double a, double b, double alpha, double period);
    double (*ratio)(double a, double b, double alpha);
    double (*round)(double x);                /* to the type */
    double (*next)(double x, double towards); /* the type's neighbour */
    double (*from_bits)(uint64_t bits);       /* of a random pattern */
    double max;                               /* largest finite */
    double normal_min;                        /* smallest normal */
    double least;                             /* smallest subnormal */
    double epsilon;                           /* from 1 to its neighbour */
    double half_turn;                         /* pi, rounded to the type */
    double period_most;                       /* the longest period (value.h) */
} number_type;

static double lerp_f32(double a, double b, double alpha)
{
    return (double)es__value_lerp_f32((float)a, (float)b, (float)alpha);
}

static double angle_f32(double a, double b, double alpha)
{
    return (double)es__value_angle_f32((float)a, (float)b, (float)alpha);
}

static double cyclic_f32(double a, double b, double alpha, double period)
{
    return (double)es__value_cyclic_f32((float)a, (float)b, (float)alpha, (float)period);
}

static double ratio_f32(double a, double b, double alpha)
{
    return (double)es__ratio_f32((float)a, (float)b, (float)alpha);
}

static double round_f32(double x)
{
    return (double)(float)x;
}

static double next_f32(double x, double towards)
{
    return (double)nextafterf((float)x, (float)towards);
}

static double bits_f32(uint64_t bits)
{
    uint32_t high = (uint32_t)(bits >> 32);
    float x;
    memcpy(&x, &high, sizeof x);
    return (double)x;
}

static double round_f64(double x)
{
    return x;
}

static const number_type number_types[] = {
        {"f32", lerp_f32, angle_f32, cyclic_f32, ratio_f32, round_f32, next_f32, bits_f32,
                (double)FLT_MAX, (double)FLT_MIN, 1.401298464324817e-45, (double)FLT_EPSILON,
                3.1415927410125732421875, (double)1.0e30F},
        {"f64", es__value_lerp_f64, es__value_angle_f64, es__value_cyclic_f64, es__ratio_f64,
                round_f64, nextafter, es__from_bits, DBL_MAX, DBL_MIN, 4.9406564584124654e-324,
                DBL_EPSILON, 3.141592653589793115997963468544, 1.0e290},
};

/* The same number, the sign of zero included; NaNs are all the same. */
static bool same(double x, double y)
{
    if (isnan(x) || isnan(y)) {
        return isnan(x) && isnan(y);
    }
    return x == y && signbit(x) == signbit(y);
}

static void check_same(const number_type *type, double got, double expected, const char *what)
{
    if (!same(got, expected)) {
        fail_msg("%s: %s: %a, not %a", type->name, what, got, expected);
    }
}

/* --- linear: random pairs --------------------------------------------------------------------- */

/* each with many alphas */
#define PAIRS 200000

static double random_finite(const number_type *type, test_random *random)
{
    double x;
    do {
        x = type->from_bits(random_u64(random));
    } while (!isfinite(x));
    return x;
}

/* Zeros, infinities, the ends of every range, and their neighbours. */
static double random_special(const number_type *type, test_random *random)
{
    const double specials[] = {0.0, type->least, type->normal_min, type->max, 1.0, type->epsilon,
            type->next(type->normal_min, 0), type->next(type->max, 0), type->next(1, 0),
            type->next(1, 2), type->max / 2, 1.0 / 3.0, 16777216.0, 9007199254740992.0, INFINITY};
    double x = type->round(specials[random_below(random, (int64_t)COUNT_OF(specials))]);
    return random_below(random, 2) == 0 ? x : -x;
}

static void random_pair(const number_type *type, test_random *random, double *a, double *b)
{
    *a = random_finite(type, random);
    *b = random_finite(type, random);
    switch (random_below(random, 8)) {
    case 0: /* a few neighbours apart */
        *b = *a;
        for (int64_t i = random_below(random, 4); i > 0; --i) {
            *b = type->next(*b, 0);
        }
        break;
    case 1:
        *a = random_special(type, random);
        *b = random_special(type, random);
        break;
    case 2:
        *a = random_special(type, random);
        break;
    case 3:
        *b = -*a;
        break;
    case 4: /* the difference overflows */
        *a = type->round(uniform(random, 0.5, 1) * type->max);
        *b = -type->round(uniform(random, 0.5, 1) * type->max);
        break;
    case 5:
    case 6: /* what games have */
        *a = type->round(uniform(random, -1000, 1000));
        *b = type->round(uniform(random, -1000, 1000));
        break;
    default:
        break;
    }
}

/* Within the ends, and not behind a result of a smaller alpha. */
static void check_between(
        const number_type *type, double a, double b, double alpha, double before, double result)
{
    bool inside = a <= b ? a <= result && result <= b : b <= result && result <= a;
    bool onward = a <= b ? result >= before : result <= before;
    if (!inside || !onward) {
        fail_msg("%s: lerp(%a, %a, %a) is %a: %s (before: %a)", type->name, a, b, alpha, result,
                inside ? "it goes back" : "outside", before);
    }
}

static void check_close(const number_type *type, double a, double b, double alpha, double result)
{
    long double exact = a + (long double)alpha * ((long double)b - a);
    double size = fmax(fabs(a), fabs(b));
    if (isfinite(exact)
            && !(fabsl(result - exact)
                    <= 4 * (long double)type->epsilon * size + 2 * type->least)) {
        fail_msg(
                "%s: lerp(%a, %a, %a) is %a: far from %La", type->name, a, b, alpha, result, exact);
    }
}

static void check_lerp_ends(const number_type *type, double a, double b)
{
    static const double before[] = {0.0, -0.0, -1e-30, -0.5, -INFINITY};
    static const double after[] = {1.0, 1.5, 1e30, INFINITY, NAN};
    for_rows (i, before) {
        check_same(type, type->lerp(a, b, before[i]), a, "lerp at or before 0");
    }
    for_rows (i, after) {
        check_same(type, type->lerp(a, b, after[i]), b, "lerp at or after 1");
    }
}

/* alphas: rising; the last one is 1. */
static void check_lerp_rises(
        const number_type *type, double a, double b, const double *alphas, size_t count)
{
    double before = a;
    for (size_t i = 0; i < count; ++i) {
        double result = type->lerp(a, b, alphas[i]);
        check_between(type, a, b, alphas[i], before, result);
        check_close(type, a, b, alphas[i], result);
        if (a == b && signbit(a) == signbit(b)) { /* of unlike zeros any will do */
            check_same(type, result, alphas[i] < 1 ? a : b, "lerp of equal numbers");
        }
        before = result;
    }
}

static void check_lerp_pair(
        const number_type *type, test_random *random, const double *alphas, double a, double b)
{
    check_lerp_ends(type, a, b);
    check_lerp_rises(type, a, b, alphas, 12);
    double neighbours[5];
    neighbours[0] = type->round(uniform(random, 0, 0.99));
    for (int i = 1; i < 4; ++i) {
        neighbours[i] = type->next(neighbours[i - 1], 1);
    }
    neighbours[4] = 1;
    check_lerp_rises(type, a, b, neighbours, 5);
}

TEST(lerp_is_exact_and_never_goes_back)
{
    for_rows (n, number_types) {
        const number_type *type = &number_types[n];
        test_random random = {0xF32F64 + n};
        double last = type->next(1, 0);
        const double alphas[12] = {type->least, type->round(1e-9), type->round(0.1), 0.25,
                type->round(1.0 / 3.0), 0.5, type->next(0.5, 1), type->round(0.9),
                type->round(0.999999), type->next(last, 0), last, 1};
        for (int i = 0; i < PAIRS / TEST_SHARE; ++i) {
            double a, b;
            random_pair(type, &random, &a, &b);
            check_lerp_pair(type, &random, alphas, a, b);
        }
    }
}

/* --- linear: by hand -------------------------------------------------------------------------- */

TEST(lerp_of_a_nan_is_a_nan)
{
    static const double alphas[] = {1e-30, 0.25, 0.5, 0.99};
    for_rows (i, number_types) {
        const number_type *type = &number_types[i];
        for_rows (k, alphas) {
            check_same(type, type->lerp(NAN, 1, alphas[k]), NAN, "NaN to 1");
            check_same(type, type->lerp(1, NAN, alphas[k]), NAN, "1 to NaN");
            check_same(type, type->lerp(NAN, NAN, alphas[k]), NAN, "NaN to NaN");
            check_same(type, type->lerp(NAN, INFINITY, alphas[k]), NAN, "NaN to infinity");
        }
        check_lerp_ends(type, NAN, 1);
        check_lerp_ends(type, 1, NAN);
        check_same(type, type->lerp(1, 2, NAN), 2, "NaN alpha");
    }
}

/* --- angles ----------------------------------------------------------------------------------- */

static const double rising[] = {1e-9, 0.1, 0.25, 0.5, 0.75, 0.9, 0.999};

/* How far apart two directions are: the chord, about the angle in radians when small. */
static double direction_error(long double x, long double y)
{
    return (double)hypotl(sinl(x) - sinl(y), cosl(x) - cosl(y));
}

static void check_angle_pair(const number_type *type, double a, double b)
{
    long double way = remainderl((long double)b - a, 2 * pi_l); /* the short one */
    double bound = 4 * type->epsilon * (fabs(a) + fabs(b) + 4);
    if (fabsl(way) > pi_l - bound) {
        return; /* half a turn: either way is short */
    }
    double before = a;
    for_rows (i, rising) {
        double alpha = type->round(rising[i]);
        double result = type->angle(a, b, alpha);
        long double exact = a + alpha * way;
        bool onward = way < 0 ? result <= before : result >= before;
        if (!(direction_error(result, exact) <= bound) || !(fabsl(result - exact) <= bound)) {
            fail_msg("%s: angle(%a, %a, %a) is %a, not %La within %g", type->name, a, b, alpha,
                    result, exact, bound);
        }
        if (!onward && fabsl(way) > bound) {
            fail_msg("%s: angle(%a, %a, %a) is %a: it goes back from %a", type->name, a, b, alpha,
                    result, before);
        }
        before = result;
    }
    check_same(type, type->angle(a, b, 0), a, "angle at 0");
    check_same(type, type->angle(a, b, 1), b, "angle at 1");
    if (!(direction_error(type->angle(a, b, type->next(1, 0)), b) <= bound)) {
        fail_msg("%s: angle(%a, %a): the end is elsewhere", type->name, a, b);
    }
}

TEST(angles_take_the_short_way)
{
    static const double spans[] = {3.2, 7, 100, 10000, 1e6};
    test_random random = {31415};
    for_rows (i, number_types) {
        const number_type *type = &number_types[i];
        for (int k = 0; k < 100000; ++k) {
            double span = spans[k % (int)COUNT_OF(spans)];
            double a = type->round(uniform(&random, -span, span));
            double b = type->round(uniform(&random, -span, span));
            check_angle_pair(type, a, b);
        }
    }
}

/* --- any period ------------------------------------------------------------------------------- */

/* The contract in the type's precision: up to 1.5 periods apart, one subtraction. */
static double cyclic_by_contract(
        const number_type *type, double a, double b, double alpha, double period)
{
    double half = type->round(period / 2);
    double rest = type->round(b - a);
    if (rest > half) {
        rest = type->round(rest - period);
    } else if (rest <= -half) {
        rest = type->round(rest + period);
    }
    return type->round(a + type->round(alpha * rest));
}

/* Bit for bit: kernels rely on it. Also half a turn apart, and a neighbour of that; a turn may be an
 * angle's. */
TEST(cyclic_values_near_each_other_are_bit_exact)
{
    test_random random = {161803};
    for_rows (i, number_types) {
        const number_type *type = &number_types[i];
        for (int k = 0; k < 300000; ++k) {
            double turn = 2 * type->half_turn;
            double period = k % 3 == 0 ? turn : type->round(exp(uniform(&random, -20, 20)));
            double a = k % 5 == 0 ? 0 : type->round(uniform(&random, -3, 3) * period);
            double b = type->round(a + uniform(&random, -1.49, 1.49) * period);
            double alpha = type->round(uniform(&random, 0, 1));
            if (k % 4 == 0) {
                b = type->round(a + (double)(random_below(&random, 5) - 2) / 2 * period);
                b = k % 16 == 0 ? b : type->next(b, k % 16 == 8 ? HUGE_VAL : -HUGE_VAL);
            }
            if (a == b || alpha <= 0 || alpha >= 1 || fabs(type->round(b - a)) > 1.495 * period) {
                continue;
            }
            double expected = cyclic_by_contract(type, a, b, alpha, period);
            check_same(type, type->cyclic(a, b, alpha, period), expected, "cyclic, near");
            if (period == turn) {
                check_same(type, type->angle(a, b, alpha), expected, "an angle, near");
            }
        }
    }
}

TEST(cyclic_values_take_the_short_way)
{
    static const double spans[] = {2, 20, 1000, 1e6};
    test_random random = {14142};
    for_rows (i, number_types) {
        const number_type *type = &number_types[i];
        for (int k = 0; k < 100000; ++k) {
            double period = type->round(exp(uniform(&random, -5, 5)));
            double span = spans[k % (int)COUNT_OF(spans)] * period;
            double a = type->round(uniform(&random, -span, span));
            double b = type->round(uniform(&random, -span, span));
            double alpha = type->round(uniform(&random, 0, 1));
            double bound = 4 * type->epsilon * (fabs(a) + fabs(b) + period);
            long double way = remainderl((long double)b - a, period);
            double result = type->cyclic(a, b, alpha, period);
            bool tie = fabsl(way) > 0.5L * period - bound;
            if (!tie && !(fabsl(result - (a + alpha * way)) <= bound)) {
                fail_msg("%s: cyclic(%a, %a, %a, %a) is %a", type->name, a, b, alpha, period,
                        result);
            }
        }
    }
}

TEST(cyclic_values_are_these)
{
    for_rows (i, number_types) {
        const number_type *type = &number_types[i];
        check_same(type, type->cyclic(0.25, 0.75, 0.5, 1), 0.5, "a tie goes forward");
        check_same(
                type, type->cyclic(0.75, 0.25, 0.25, 1), 0.875, "a tie goes forward, from above");
        check_same(type, type->cyclic(0, 36, 0.5, 24), 6.0, "a tie of one and a half, forward");
        check_same(type, type->cyclic(0, -36, 0.5, 24), 6.0, "a tie of one and a half, back");
        check_same(type, type->cyclic(3, 4, 0.5, type->period_most), 3.5, "a long period");
        double turn = 2 * type->half_turn;
        check_same(type, type->cyclic(1, 6, 0.3, turn), type->angle(1, 6, 0.3), "an angle");
        check_same(type, type->cyclic(1, 60, 0.3, turn), type->angle(1, 60, 0.3), "a far angle");
    }
}

TEST(cyclic_ends_nans_and_periods_out_of_range)
{
    static const double before[] = {0.0, -0.0, -1, -INFINITY};
    static const double after[] = {1, 2, INFINITY, NAN};
    for_rows (i, number_types) {
        const number_type *type = &number_types[i];
        const double periods[] = {1, type->period_most, type->least, 0, -1, NAN, INFINITY,
                type->next(type->period_most, INFINITY)};
        for_rows (k, periods) {
            for_rows (n, before) {
                check_same(type, type->cyclic(0.1, 9, before[n], periods[k]), type->round(0.1),
                        "cyclic at or before 0");
                check_same(type, type->cyclic(0.1, 9, after[n], periods[k]), 9,
                        "cyclic at or after 1");
            }
            check_same(type, type->cyclic(-0.0, -0.0, 0.5, periods[k]), -0.0, "equal");
            check_same(type, type->cyclic(INFINITY, INFINITY, 0.5, periods[k]), INFINITY, "equal");
            if (k >= 3) {
                check_same(type, type->cyclic(1, 2, type->least, periods[k]), 2, "no period");
                check_same(type, type->cyclic(NAN, 2, 0.5, periods[k]), 2, "no period, from NaN");
            } else {
                check_same(type, type->cyclic(NAN, 2, 0.5, periods[k]), NAN, "from NaN");
                check_same(type, type->cyclic(2, NAN, 0.5, periods[k]), NAN, "to NaN");
                check_same(type, type->cyclic(1, INFINITY, 0.5, periods[k]), INFINITY, "too far");
                check_same(type, type->cyclic(-INFINITY, 1, 0.5, periods[k]), 1, "too far");
                check_same(type, type->cyclic(type->max, -type->max, 0.5, periods[k]), -type->max,
                        "too far");
            }
        }
        double turns = type->epsilon > 1e-10 ? 4194304.0 : 2251799813685248.0;
        check_same(type, type->cyclic(0, turns, 0.5, 1), turns, "too far, first");
        check_same(type, type->cyclic(0, -turns, 0.5, 1), -turns, "too far, first, back");
        check_same(type, type->cyclic(0, turns - 1, 0.5, 1), 0, "not yet too far");
        check_same(type, type->cyclic(0, turns - 0.75, 0.5, 1), 0.125, "not yet too far");
        double far = type->period_most * turns;
        check_same(type, type->cyclic(0, far / 2, 0.5, type->period_most), 0, "no overflow");
        double edge = type->cyclic(type->max, type->max / 2, 0.5, type->period_most);
        assert_true(isfinite(edge));
    }
}

/* --- ratios ----------------------------------------------------------------------------------- */

/* A unit in the last place at x, which is within the type's range. */
static long double unit_at(const number_type *type, long double x)
{
    int exponent;
    frexpl(x, &exponent);
    long double unit = ldexpl((long double)type->epsilon, exponent - 1);
    return unit > (long double)type->least ? unit : (long double)type->least;
}

/* Over 0: of any size, of a game's, subnormal, or close to each other. */
static void random_ratio_pair(const number_type *type, test_random *random, double *a, double *b)
{
    do {
        *a = fabs(type->from_bits(random_u64(random)));
        *b = fabs(type->from_bits(random_u64(random)));
        switch (random_below(random, 5)) {
        case 0:
            *b = type->round(
                    *a * (1 + ldexp(uniform(random, -0.5, 1), -(int)random_below(random, 53))));
            break;
        case 1:
            *a = type->round(uniform(random, 0.01, 100));
            *b = type->round(uniform(random, 0.01, 100));
            break;
        case 2:
            *a = type->round(uniform(random, 0, 4) * type->normal_min);
            break;
        default:
            break;
        }
    } while (!(*a > 0 && *b > 0 && *a <= type->max && *b <= type->max));
}

static void check_ratio(const number_type *type, double a, double b, double alpha, double most)
{
    double result = type->ratio(a, b, alpha);
    long double exact = (long double)a * powl((long double)b / (long double)a, (long double)alpha);
    if (!(fabsl((long double)result - exact) <= most * unit_at(type, exact))) {
        fail_msg("%s: ratio(%a, %a, %a) is %a, not %La", type->name, a, b, alpha, result, exact);
    }
    check_same(type, type->ratio(-a, -b, alpha), -result, "ratio of negatives");
    double before = a;
    for (int n = 0; n < 5; ++n) {
        result = type->ratio(a, b, alpha);
        check_between(type, a, b, alpha, before, result);
        before = result;
        alpha = n == 3 ? type->next(1, 0) : type->next(alpha, 1);
    }
}

/* The error of the reference is up to 1/1024 of a double's unit. */
TEST(ratios_are_the_nearest_numbers)
{
    test_random random = {1414};
    for_rows (i, number_types) {
        const number_type *type = &number_types[i];
        double most = !powl_is_good ? 16 : i == 0 ? 0.500001 : 0.5025;
        for (int k = 0; k < 200000; ++k) {
            double a;
            double b;
            random_ratio_pair(type, &random, &a, &b);
            double alpha = type->round(ldexp(uniform(&random, 0, 1), k % 4 == 0 ? -k % 64 : 0));
            check_ratio(type, a, b, alpha > 0 ? alpha : 0.5, most);
        }
    }
}

/* As value_power.h says. */
TEST(logarithms_and_powers_err_by_units_in_the_last_place)
{
    test_random random = {19};
    for (int i = 0; LDBL_MANT_DIG > 53 && i < 20000; ++i) {
        double x = uniform(&random, 0.5, 2), y = uniform(&random, -20, 20);
        long double exact = log2l((long double)x), power = exp2l((long double)y);
        assert_true(fabsl((long double)es__log2(x) - exact) <= 0x1p-51L + 0x1p-52L * fabsl(exact));
        assert_true(fabsl((long double)es__exp2(y) - power) <= 0x1p-51L * power);
    }
}

/* Where no ratio leads from a to b: the line. */
TEST(ratios_through_zero_are_lines)
{
    static const double ends[] = {0.0, -0.0, 2, -3, 5, INFINITY, -INFINITY, NAN};
    static const double alphas[] = {-1, 0, 1e-9, 0.25, 0.5, 0.9, 1, 2, NAN};
    for_rows (i, number_types) {
        const number_type *type = &number_types[i];
        for (size_t k = 0; k < COUNT_OF(ends) * COUNT_OF(ends) * COUNT_OF(alphas); ++k) {
            double a = ends[k / COUNT_OF(alphas) / COUNT_OF(ends)];
            double b = ends[k / COUNT_OF(alphas) % COUNT_OF(ends)];
            double alpha = type->round(alphas[k % COUNT_OF(alphas)]);
            bool of_one_sign = a * b > 0 && isfinite(a) && isfinite(b) && a != b;
            if (!of_one_sign || !(alpha > 0 && alpha < 1)) {
                check_same(type, type->ratio(a, b, alpha), type->lerp(a, b, alpha), "a line");
            }
        }
    }
}

/* Equal numbers of any bits stay as they are. */
TEST(equal_values_do_not_tremble)
{
    test_random random = {9};
    for_rows (i, number_types) {
        const number_type *type = &number_types[i];
        for (int k = 0; k < 100000; ++k) {
            double x = type->from_bits(random_u64(&random));
            double alpha = type->round(uniform(&random, -0.1, 1.1));
            check_same(type, type->ratio(x, x, alpha), x, "equal");
            check_same(type, type->cyclic(x, x, alpha, 1), x, "equal");
            check_same(type, type->angle(x, x, alpha), x, "equal");
        }
    }
}

/* --- colours in float ------------------------------------------------------------------------- */

typedef void colour_mix(const float *a, const float *b, size_t components, float alpha, float *out);

static colour_mix *const mixes[] = {es__colour_f32, es__srgb_f32};

static const number_type *const f32 = &number_types[0];

static void check_colour(const float *got, const float *expected, const char *what)
{
    for (int i = 0; i < 4; ++i) {
        check_same(f32, (double)got[i], (double)expected[i], what);
    }
}

TEST(colours_mix_as_light)
{
    static const float least = 1.401298464324817e-45F;
    static const struct {
        float a[4], b[4], alpha, expected[4];
        const char *what;
    } cases[] = {
            {{1, 0, 0, 1}, {0, 0.5F, 1, 0}, 0.75F, {1, 0, 0, 0.25F}, "red fades and stays red"},
            {{0, 0.5F, 1, 0}, {1, 0, 0, 1}, 0.25F, {1, 0, 0, 0.25F}, "and comes"},
            {{1, 0, 0, least}, {0, 1, 1, 0}, 0.75F, {1, 0, 0, 0}, "the faintest red stays red"},
            {{0, 1, 1, 0}, {1, 0, 0, least}, 0.25F, {1, 0, 0, 0}, "and comes"},
            {{0, 0, 0, -1}, {1, 2, 4, 1}, 0.25F, {0.25F, 0.5F, 1, -0.5F}, "an alpha below 0"},
            {{0, 0, 0, NAN}, {1, 2, 4, 1}, 0.25F, {0.25F, 0.5F, 1, NAN}, "an alpha of NaN"},
            {{0, NAN, 0, 1}, {1, 2, NAN, 0}, 0.25F, {0, NAN, 0, 0.75F}, "NaN, transparent"},
    };
    float out[4];
    for_rows (i, cases) {
        es__colour_f32(cases[i].a, cases[i].b, 4, cases[i].alpha, out);
        check_colour(out, cases[i].expected, cases[i].what);
    }
    es__colour_f32((float[]){0, NAN, 0, 1}, (float[]){1, 2, NAN, 0.5F}, 4, 0.25F, out);
    assert_true(isnan(out[1]) && isnan(out[2]) && out[0] > 0 && out[0] < 0.25F);
}

/* Three components, and any other count but four, are lines each. */
TEST(other_counts_are_plain_numbers)
{
    static const float a[5] = {0.1F, 0.9F, 7, -1, 0.3F}, b[5] = {0.7F, 0.2F, 8, 3, 0.1F};
    for (size_t count = 0; count <= 5; ++count) {
        float out[6] = {9, 9, 9, 9, 9, 9};
        es__colour_f32(a, b, count, 0.3F, out);
        for (size_t i = 0; i < 6; ++i) {
            float line = i < count ? es__value_lerp_f32(a[i], b[i], 0.3F) : 9;
            assert_true(count == 4 || out[i] == line);
            assert_true(i < count || out[i] == 9);
        }
    }
}

static void random_colour(test_random *random, float *colour)
{
    static const float alphas[] = {0, 1, 0.5F, 1e-30F};
    for (int i = 0; i < 4; ++i) {
        colour[i] = (float)uniform(random, 0, 1);
    }
    if (random_below(random, 3) == 0) {
        colour[3] = alphas[random_below(random, (int64_t)COUNT_OF(alphas))];
    }
}

/* Premultiplied, mixed, divided: the definition, without the shortcut. */
static void check_premultiplied(const float *a, const float *b, float alpha)
{
    float out[4];
    long double t = (long double)alpha, of_a = (1 - t) * (long double)a[3];
    long double of_b = t * (long double)b[3];
    es__colour_f32(a, b, 4, alpha, out);
    for (int i = 0; i < 3 && of_a + of_b > 0; ++i) {
        long double mixed = (of_a * (long double)a[i] + of_b * (long double)b[i]) / (of_a + of_b);
        long double off = fabsl((long double)out[i] - mixed);
        assert_at_most((double)off, 4 * f32->epsilon * (1 + (double)fabsl(mixed)));
    }
}

TEST(colours_never_go_back)
{
    test_random random = {255};
    for (int k = 0; k < 50000; ++k) {
        float a[4], b[4], out[4], alpha = (float)uniform(&random, 0.001, 0.9);
        random_colour(&random, a);
        random_colour(&random, b);
        check_premultiplied(a, b, alpha);
        const float next = nextafterf(alpha, 1);
        const float alphas[] = {
                0, 1e-45F, alpha, next, nextafterf(next, 1), 0.95F, nextafterf(1, 0), 1};
        for_rows (m, mixes) {
            float before[4];
            memcpy(before, a, sizeof before);
            for_rows (n, alphas) {
                mixes[m](a, b, 4, alphas[n], out);
                for (int i = 0; i < 4; ++i) {
                    check_between(f32, (double)a[i], (double)b[i], (double)alphas[n],
                            (double)before[i], (double)out[i]);
                }
                memcpy(before, out, sizeof before);
            }
            mixes[m](a, a, 4, alpha, out);
            check_colour(out, a, "equal colours");
        }
    }
}

/* Ends are exact, also of special numbers; out may be a or b. */
TEST(colours_are_exact_at_their_ends)
{
    static const float before[] = {0.0F, -0.0F, -1, -INFINITY};
    static const float after[] = {1, 2, INFINITY, NAN};
    static const float colours[][4] = {{0.1F, 0.9F, 1, 1}, {-0.0F, NAN, -2, 0},
            {INFINITY, 1e30F, -1e-40F, NAN}, {3, -INFINITY, 0.25F, -1}};
    float out[4], between[4], x[4], y[4];
    for (size_t k = 0; k < 16 * COUNT_OF(mixes); ++k) {
        colour_mix *mix = mixes[k / 16];
        const float *a = colours[k % 4], *b = colours[k / 4 % 4];
        for_rows (n, before) {
            mix(a, b, 4, before[n], out);
            check_colour(out, a, "a colour at or before 0");
            mix(a, b, 4, after[n], out);
            check_colour(out, b, "a colour at or after 1");
        }
        mix(a, b, 4, 0.4F, between);
        memcpy(x, a, sizeof x);
        memcpy(y, b, sizeof y);
        mix(x, y, 4, 0.4F, x);
        check_colour(x, between, "in place of a");
        memcpy(x, a, sizeof x);
        mix(x, y, 4, 0.4F, y);
        check_colour(y, between, "in place of b");
    }
}

/* --- sRGB ------------------------------------------------------------------------------------- */

static double srgb(double a, double b, double alpha)
{
    float x = (float)a, y = (float)b;
    es__srgb_f32(&x, &y, 1, (float)alpha, &x);
    return (double)x;
}

static void check_srgb(double a, double b, double alpha)
{
    long double light = ref_decode(a) + (long double)alpha * (ref_decode(b) - ref_decode(a));
    long double exact = ref_encode(light);
    double result = srgb(a, b, alpha), before = a;
    double size = a * b > 0 ? (double)fabsl(exact) : fmax(fabs(a), fabs(b));
    if (!(fabsl(result - exact) <= (long_is_longer ? 0.501 : 32) * unit_at(f32, size))) {
        fail_msg("srgb(%a, %a, %a) is %a, not %La", a, b, alpha, result, exact);
    }
    for (int n = 0; n < 5; ++n) {
        result = srgb(a, b, alpha);
        check_between(f32, a, b, alpha, before, result);
        before = result;
        alpha = n == 3 ? f32->next(1, 0) : f32->next(alpha, 1);
    }
}

TEST(srgb_is_the_nearest_number)
{
    test_random random = {735};
    static const double spans[] = {1, 1, 0.06, 10};
    for (int k = 0; k < 100000; ++k) {
        double span = spans[k % 4];
        double a = f32->round(uniform(&random, k % 8 == 0 ? -span : 0, span));
        double b = f32->round(uniform(&random, k % 8 == 0 ? -span : 0, span));
        if (k % 5 == 0) {
            b = f32->round(a * (1 + ldexp(1, -(int)random_below(&random, 53))));
        }
        check_srgb(a, b, f32->round(uniform(&random, 0, 0.99)));
        double x = f32->from_bits(random_u64(&random)); /* equal numbers of any bits */
        check_same(f32, srgb(x, x, uniform(&random, -0.1, 1.1)), x, "equal");
    }
}

TEST(srgb_has_these_values)
{
    check_same(f32, srgb(-1, 1, 0.5), 0, "through 0");
    check_same(f32, srgb(1, INFINITY, 0.5), INFINITY, "to infinity");
    check_same(f32, srgb(INFINITY, 1, 0.5), INFINITY, "from infinity");
    check_same(f32, srgb(NAN, 1, 0.5), NAN, "from NaN");
    check_same(f32, srgb(1, NAN, 0.5), NAN, "to NaN");
    double large = srgb(f32->max, f32->max / 2, 0.5);
    assert_true(large < f32->max && large > f32->max / 2);
}

/* --- sRGB in bytes ---------------------------------------------------------------------------- */

static long double light_of[256];
static long double border_after[256]; /* where byte i becomes byte i + 1 */

static int make_references(void **state)
{
    (void)state;
    for (int i = 0; i < 256; ++i) {
        light_of[i] = ref_decode(i / 255.0L);
        border_after[i] = i < 255 ? ref_decode((i + 0.5L) / 255.0L) : 2;
    }
    return 0;
}

static unsigned char byte_at(unsigned char a, unsigned char b, double alpha)
{
    unsigned char out;
    es__srgb_u8(&a, &b, 1, alpha, &out);
    return out;
}

/* On the straight piece of the curve there are ties: bytes 0 and 4 at 160 / 256. */
static bool is_nearest_byte(unsigned char byte, long double light)
{
    const long double tie = long_is_longer ? 1e-18L : 1e-15L;
    return light < border_after[byte] + tie && (byte == 0 || light >= border_after[byte - 1] - tie);
}

/* All pairs at 257 alphas: the nearest byte, never back; the ends exact and the equal the same. */
TEST(bytes_are_the_nearest_for_all_pairs)
{
    for (int pair = 0; pair < 65536; ++pair) {
        unsigned char a = (unsigned char)(pair / 256);
        unsigned char b = (unsigned char)(pair % 256);
        unsigned char before = a;
        for (int step = 0; step <= 256; ++step) {
            unsigned char got = byte_at(a, b, step / 256.0);
            long double light = light_of[a] + step / 256.0L * (light_of[b] - light_of[a]);
            bool nearest = is_nearest_byte(got, light);
            bool onward = a <= b ? got >= before && got <= b : got <= before && got >= b;
            if (!nearest || !onward || (step == 0 && got != a) || (step == 256 && got != b)) {
                fail_msg("bytes %d and %d at %d / 256: %d after %d", a, b, step, got, before);
            }
            before = got;
        }
    }
}

/* The tables, computed anew. From black to white, alpha is the light: each border is where it
 * should be, to its double's neighbour. From black to byte i + 1, the border between i and i + 1
 * says how much light that byte is. */
TEST(the_tables_are_right)
{
    if (!long_is_longer) {
        skip();
    }
    for (int i = 0; i < 255; ++i) {
        double border = (double)border_after[i];
        double below = nextafter(nextafter(border, 0), 0);
        assert_int_equal(byte_at(0, 255, nextafter(border, 1)), i + 1);
        assert_int_equal(byte_at(0, 255, below), i);
        double share = (double)(border_after[i] / light_of[i + 1]);
        assert_int_equal(byte_at(0, (unsigned char)(i + 1), share * (1 + 6e-16)), i + 1);
        assert_int_equal(byte_at(0, (unsigned char)(i + 1), share * (1 - 6e-16)), i);
    }
    assert_int_equal(byte_at(0, 255, 0.5), 188);
    assert_int_equal(byte_at(255, 0, 0.5), 188);
}

static void random_bytes(test_random *random, unsigned char *bytes)
{
    uint64_t bits = random_u64(random);
    memcpy(bytes, &bits, 4);
    if ((bits >> 60) < 4) {
        bytes[3] = (bits >> 60) < 2 ? 0 : 255;
    }
}

/* With alphas: the nearest bytes, against the documented sum. */
TEST(bytes_with_alpha_are_the_nearest)
{
    test_random random = {188};
    for (int k = 0; k < 300000; ++k) {
        unsigned char a[4], b[4], out[4], later[4];
        random_bytes(&random, a);
        random_bytes(&random, b);
        double alpha = (double)random_below(&random, 257) / 256;
        es__srgb_u8(a, b, 4, alpha, out);
        es__srgb_u8(a, b, 4, alpha + 1.0 / 256, later);
        long double of_a = (1 - (long double)alpha) * a[3];
        long double of_b = (long double)alpha * b[3];
        for (int i = 0; i < 3; ++i) {
            long double share = of_a + of_b > 0 ? of_b / (of_a + of_b) : (long double)alpha;
            long double light = (1 - share) * light_of[a[i]] + share * light_of[b[i]];
            if (alpha > 0 && alpha < 1 && a[i] != b[i]) {
                assert_true(is_nearest_byte(out[i], light));
            } else {
                assert_int_equal(out[i], alpha < 1 ? a[i] : b[i]);
            }
            assert_true(a[i] <= b[i] ? out[i] <= later[i] : out[i] >= later[i]);
        }
        assert_int_equal(out[3], (int)floorl(of_a + of_b + 0.5L));
    }
}

/* What is transparent has no part in the colour. */
TEST(floats_fade_in_place)
{
    static const float red[4] = {1, 0, 0, 1}, nothing[4] = {0, 0.5F, 1, 0};
    float out[4];
    es__srgb_f32(red, nothing, 4, 0.25F, out);
    assert_memory_equal(out, ((float[]){1, 0, 0, 0.75F}), sizeof out);
    es__srgb_f32(nothing, red, 4, 0.25F, out);
    assert_memory_equal(out, ((float[]){1, 0, 0, 0.25F}), sizeof out);
}

TEST(bytes_fade_in_place)
{
    static const unsigned char red[4] = {255, 0, 0, 255};
    static const unsigned char nothing[4] = {0, 128, 255, 0};
    static const unsigned char grey[4] = {90, 90, 90, 0};
    unsigned char out[6] = {7, 7, 7, 7, 7, 7};
    es__srgb_u8(nothing, grey, 4, 0.5, out); /* both transparent: as if both were opaque */
    assert_memory_equal(
            out, ((unsigned char[]){byte_at(0, 90, 0.5), byte_at(128, 90, 0.5), 196, 0, 7, 7}), 6);
    es__srgb_u8(red, nothing, 4, NAN, out);
    assert_memory_equal(out, nothing, 4);
    es__srgb_u8(red, nothing, 4, -INFINITY, out);
    assert_memory_equal(out, red, 4);
    es__srgb_u8(red, nothing, 4, 1e-320, out);
    assert_memory_equal(out, red, 4);
    es__srgb_u8(nothing, red, 3, 0.5, out);
    assert_memory_equal(out, ((unsigned char[]){188, byte_at(128, 0, 0.5), 188, 255, 7, 7}), 6);
    es__srgb_u8(nothing, red, 0, 0.5, out);
    assert_int_equal(out[0], 188);
    unsigned char pixel[4], faded[4];
    es__srgb_u8(red, nothing, 4, 0.4, faded);
    memcpy(pixel, red, 4);
    es__srgb_u8(pixel, nothing, 4, 0.4, pixel);
    assert_memory_equal(pixel, faded, 4);
    memcpy(pixel, nothing, 4);
    es__srgb_u8(red, pixel, 4, 0.4, pixel);
    assert_memory_equal(pixel, faded, 4);
}

TEST_SETUP(make_references)
