/* SPDX-License-Identifier: Zlib
 *
 * Blending: numbers, angles, whole states. float and double go through the same checks: a double
 * carries the values of both without rounding.
 */
#include "evenstep/blend.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "test_support.h"

#define COUNT_OF(array) (sizeof(array) / sizeof((array)[0]))

static const long double pi_l = 3.141592653589793238462643383279502884L;

/* --- a number type ---------------------------------------------------------------------------- */

typedef struct number_type {
    const char *name;
    double (*lerp)(double a, double b, double alpha);
    double (*angle)(double a, double b, double alpha);
    double (*round)(double x);                /* to the type */
    double (*next)(double x, double towards); /* the type's neighbour */
    double (*from_bits)(uint64_t bits);       /* of a random pattern */
    double max;                               /* largest finite */
    double normal_min;                        /* smallest normal */
    double least;                             /* smallest subnormal */
    double epsilon;                           /* from 1 to its neighbour */
    double half_turn;                         /* pi, rounded to the type */
    double too_far;                           /* no direction from here on (blend.h) */
} number_type;

static double lerp_f32(double a, double b, double alpha)
{
    return (double)es_lerp_f32((float)a, (float)b, (float)alpha);
}

static double angle_f32(double a, double b, double alpha)
{
    return (double)es_angle_f32((float)a, (float)b, (float)alpha);
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

static double bits_f64(uint64_t bits)
{
    double x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

static const number_type number_types[] = {
        {"f32", lerp_f32, angle_f32, round_f32, next_f32, bits_f32, (double)FLT_MAX,
                (double)FLT_MIN, 1.401298464324817e-45, (double)FLT_EPSILON,
                3.1415927410125732421875, 1.0e8},
        {"f64", es_lerp_f64, es_angle_f64, round_f64, nextafter, bits_f64, DBL_MAX, DBL_MIN,
                4.9406564584124654e-324, DBL_EPSILON, 3.141592653589793115997963468544, 5.0e16},
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

static double uniform(test_random *random, double low, double high)
{
    return low + (high - low) * ((double)(random_u64(random) >> 11) / 9007199254740992.0);
}

static void check_near(
        const number_type *type, double got, double expected, double ulps, const char *what)
{
    if (!(fabs(got - expected) <= ulps * type->epsilon * (1 + fabs(expected)))) {
        fail_msg("%s: %s: %.17g, not %.17g", type->name, what, got, expected);
    }
}

/* --- linear: random pairs --------------------------------------------------------------------- */

#define PAIRS 1000000

static double random_finite(const number_type *type, test_random *random)
{
    double x;
    do {
        x = type->from_bits(random_u64(random));
    } while (!isfinite(x));
    return x;
}

/* Zeros, the ends of every range, and what lies next to them; all finite. */
static double random_special(const number_type *type, test_random *random)
{
    const double specials[] = {0.0, type->least, type->normal_min, type->max, 1.0, type->epsilon,
            type->next(type->normal_min, 0), type->next(type->max, 0), type->next(1, 0),
            type->next(1, 2), type->max / 2, 1.0 / 3.0, 16777216.0, 9007199254740992.0};
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
    for (size_t i = 0; i < COUNT_OF(before); ++i) {
        check_same(type, type->lerp(a, b, before[i]), a, "lerp at or before 0");
    }
    for (size_t i = 0; i < COUNT_OF(after); ++i) {
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
        if (a == b) {
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

static void run_lerp_pairs(const number_type *type, uint64_t seed)
{
    test_random random = {seed};
    double last = type->next(1, 0);
    const double alphas[12] = {type->least, type->round(1e-9), type->round(0.1), 0.25,
            type->round(1.0 / 3.0), 0.5, type->next(0.5, 1), type->round(0.9),
            type->round(0.999999), type->next(last, 0), last, 1};
    for (int i = 0; i < PAIRS; ++i) {
        double a;
        double b;
        random_pair(type, &random, &a, &b);
        check_lerp_pair(type, &random, alphas, a, b);
    }
}

static void test_lerp_random_f32(void **state)
{
    (void)state;
    run_lerp_pairs(&number_types[0], 0xF32F32);
}

static void test_lerp_random_f64(void **state)
{
    (void)state;
    run_lerp_pairs(&number_types[1], 0xF64F64);
}

/* --- linear: by hand -------------------------------------------------------------------------- */

static void test_lerp_values(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT_OF(number_types); ++i) {
        const number_type *type = &number_types[i];
        check_same(type, type->lerp(10, 20, 0.25), 12.5, "forward");
        check_same(type, type->lerp(20, 10, 0.25), 17.5, "back");
        check_same(type, type->lerp(-8, 8, 0.75), 4, "through 0");
        check_same(type, type->lerp(-type->max, type->max, 0.5), 0, "the whole range");
        check_near(
                type, type->lerp(-type->max, type->max, 0.75), type->max / 2, 2, "three quarters");
        check_near(type, type->lerp(type->max, -type->max, 0.25), type->max / 2, 2, "down");
        check_same(type, type->lerp(0, type->least, 0.25), 0, "no number in between");
        check_same(type, type->lerp(0, 4 * type->least, 0.5), 2 * type->least, "subnormal");
        check_same(type, type->lerp(0.0, -0.0, 0.5), 0.0, "zeros");
        check_same(type, type->lerp(-0.0, 0.0, 0.5), -0.0, "zeros");
    }
}

static void test_lerp_nan(void **state)
{
    (void)state;
    static const double alphas[] = {1e-30, 0.25, 0.5, 0.99};
    for (size_t i = 0; i < COUNT_OF(number_types); ++i) {
        const number_type *type = &number_types[i];
        for (size_t k = 0; k < COUNT_OF(alphas); ++k) {
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

static void check_lerp_infinite(double a, double b)
{
    static const double alphas[] = {1e-30, 0.25, 0.5, 0.99, 1};
    for (size_t i = 0; i < COUNT_OF(number_types); ++i) {
        const number_type *type = &number_types[i];
        check_lerp_ends(type, a, b);
        double before = a;
        for (size_t k = 0; k < COUNT_OF(alphas); ++k) {
            double result = type->lerp(a, b, alphas[k]);
            check_between(type, a, b, alphas[k], before, result);
            before = result;
        }
    }
}

static void test_lerp_to_infinity(void **state)
{
    (void)state;
    check_lerp_infinite(1, INFINITY);
    check_lerp_infinite(-1, INFINITY);
    check_lerp_infinite(1, -INFINITY);
    check_lerp_infinite(INFINITY, INFINITY);
    check_lerp_infinite(-INFINITY, -INFINITY);
}

/* An infinity is no NaN, so the result is "always within [a, b]". */
static void test_lerp_from_infinity(void **state)
{
    (void)state;
    check_lerp_infinite(INFINITY, 1);
    check_lerp_infinite(-INFINITY, 1);
    check_lerp_infinite(-INFINITY, INFINITY);
    check_lerp_infinite(INFINITY, -INFINITY);
}

/* --- angles ----------------------------------------------------------------------------------- */

static const double rising[] = {1e-9, 0.1, 0.25, 0.5, 0.75, 0.9, 0.999};

/* How far apart two directions are: the chord, about the angle in radians when small. */
static double direction_error(long double x, long double y)
{
    return (double)hypotl(sinl(x) - sinl(y), cosl(x) - cosl(y));
}

/* The short way from a to b, to long double's precision. */
static long double short_way(double a, double b)
{
    return remainderl((long double)b - a, 2 * pi_l);
}

static void check_angle_pair(const number_type *type, double a, double b)
{
    long double way = short_way(a, b);
    double bound = 4 * type->epsilon * (fabs(a) + fabs(b) + 4);
    if (fabsl(way) > pi_l - bound) {
        return; /* half a turn: either way is short */
    }
    double before = a;
    for (size_t i = 0; i < COUNT_OF(rising); ++i) {
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

static void test_angle_random(void **state)
{
    (void)state;
    static const double spans[] = {3.2, 7, 100, 10000, 1e6};
    test_random random = {31415};
    for (size_t i = 0; i < COUNT_OF(number_types); ++i) {
        const number_type *type = &number_types[i];
        for (int k = 0; k < 100000; ++k) {
            double span = spans[k % (int)COUNT_OF(spans)];
            double a = type->round(uniform(&random, -span, span));
            double b = type->round(uniform(&random, -span, span));
            check_angle_pair(type, a, b);
        }
    }
}

/* "A larger alpha never goes back", up to alpha 1 where the result is b itself; and the result lies
 * between a and a + d. Less than half a turn apart, a + d is b. */
static void test_angle_never_goes_back(void **state)
{
    (void)state;
    test_random random = {27182};
    for (size_t i = 0; i < COUNT_OF(number_types); ++i) {
        const number_type *type = &number_types[i];
        double last = type->next(1, 0);
        const double alphas[] = {type->round(0.9), type->next(last, 0), last, 1};
        for (int k = 0; k < 100000; ++k) {
            double a = type->round(uniform(&random, -3, 3));
            double b = type->round(a + uniform(&random, -3, 3));
            double before = a;
            for (size_t n = 0; n < COUNT_OF(alphas); ++n) {
                double result = type->angle(a, b, alphas[n]);
                bool inside = a <= b ? result <= b : result >= b;
                bool onward = a <= b ? result >= before : result <= before;
                if (!inside || !onward) {
                    fail_msg("%s: angle(%a, %a, %a) is %a, before it %a", type->name, a, b,
                            alphas[n], result, before);
                }
                before = result;
            }
        }
    }
}

static void test_angle_values(void **state)
{
    (void)state;
    const double pi = (double)pi_l;
    for (size_t i = 0; i < COUNT_OF(number_types); ++i) {
        const number_type *type = &number_types[i];
        check_near(type, type->angle(0.5, 1.5, 0.25), 0.75, 4, "no turn in between");
        check_near(type, type->angle(1.5, 0.5, 0.25), 1.25, 4, "back");
        check_near(type, type->angle(3, -3, 0.5), pi, 4, "forward through half a turn");
        check_near(type, type->angle(-3, 3, 0.5), -pi, 4, "back through half a turn");
        check_near(type, type->angle(0.25, 2 * pi - 0.25, 0.5), 0, 16, "back through 0");
        check_near(type, type->angle(0, 20 * pi + 1, 0.5), 0.5, 200, "ten turns ahead");
        check_near(type, type->angle(0, -20 * pi - 1, 0.5), -0.5, 200, "ten turns back");
        check_near(type, type->angle(50 * pi, 1, 0.5), 50 * pi + 0.5, 16, "from 25 turns");
    }
}

static void test_angle_equal(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT_OF(number_types); ++i) {
        const number_type *type = &number_types[i];
        const double angles[] = {0.0, -0.0, 1, -3, type->half_turn, type->round(1e6), type->max,
                type->least, INFINITY, -INFINITY};
        for (size_t k = 0; k < COUNT_OF(angles); ++k) {
            for (size_t n = 0; n < COUNT_OF(rising); ++n) {
                check_same(type, type->angle(angles[k], angles[k], rising[n]), angles[k],
                        "angle of equals");
            }
        }
    }
}

/* b - a is exactly plus or minus the type's pi. */
static void test_angle_half_turn_goes_forward(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT_OF(number_types); ++i) {
        const number_type *type = &number_types[i];
        double half = type->half_turn;
        const double pairs[][2] = {{0, half}, {0, -half}, {half, 0}, {-half, 0},
                {half / 2, -half / 2}, {-half / 2, half / 2}};
        for (size_t k = 0; k < COUNT_OF(pairs); ++k) {
            double a = pairs[k][0];
            for (size_t n = 0; n < COUNT_OF(rising); ++n) {
                double alpha = type->round(rising[n]);
                check_near(type, type->angle(a, pairs[k][1], alpha), a + alpha * half, 4, "tie");
            }
        }
        /* whole turns further on, where the type holds 3 and 5 half turns exactly (double) */
        for (int turns = 3; turns <= 5; turns += 2) {
            if ((long double)type->round(turns * half) == turns * (long double)half) {
                check_near(type, type->angle(0, turns * half, 0.5), half / 2, 8, "tie");
                check_near(type, type->angle(0, -turns * half, 0.5), half / 2, 8, "tie");
            }
        }
        /* the neighbours on either side of the tie take the short way */
        double less = type->next(half, 0);
        double more = type->next(half, 4);
        check_near(type, type->angle(0, less, 0.5), half / 2, 4, "just under");
        check_near(type, type->angle(0, more, 0.5), -half / 2, 4, "just over");
        check_near(type, type->angle(0, -less, 0.5), -half / 2, 4, "just under, back");
        check_near(type, type->angle(0, -more, 0.5), half / 2, 4, "just over, back");
    }
}

static void test_angle_ends_and_nan(void **state)
{
    (void)state;
    static const double before[] = {0.0, -0.0, -1, -INFINITY};
    static const double after[] = {1, 2, INFINITY, NAN};
    static const double pairs[][2] = {
            {1, 2}, {1, -100}, {-500, 3}, {0, 1e30}, {INFINITY, 1}, {1, -INFINITY}};
    for (size_t i = 0; i < COUNT_OF(number_types); ++i) {
        const number_type *type = &number_types[i];
        for (size_t k = 0; k < COUNT_OF(pairs); ++k) {
            double a = type->round(pairs[k][0]);
            double b = type->round(pairs[k][1]);
            for (size_t n = 0; n < COUNT_OF(before); ++n) {
                check_same(type, type->angle(a, b, before[n]), a, "angle at or before 0");
                check_same(type, type->angle(a, b, after[n]), b, "angle at or after 1");
            }
        }
        for (size_t n = 0; n < COUNT_OF(rising); ++n) {
            check_same(type, type->angle(NAN, 1, rising[n]), NAN, "NaN to 1");
            check_same(type, type->angle(1, NAN, rising[n]), NAN, "1 to NaN");
            check_same(type, type->angle(NAN, INFINITY, rising[n]), NAN, "NaN to infinity");
        }
    }
}

/* Where the type cannot hold a direction, b for every alpha over 0. */
static void test_angle_too_far(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT_OF(number_types); ++i) {
        const number_type *type = &number_types[i];
        const double pairs[][2] = {{0, type->too_far}, {0, -type->too_far},
                {type->too_far, -type->too_far}, {1, type->max}, {-type->max, type->max},
                {1, INFINITY}, {1, -INFINITY}, {INFINITY, 1}, {-INFINITY, INFINITY}};
        for (size_t k = 0; k < COUNT_OF(pairs); ++k) {
            double a = pairs[k][0];
            double b = pairs[k][1];
            check_same(type, type->angle(a, b, type->least), b, "too far, first alpha");
            for (size_t n = 0; n < COUNT_OF(rising); ++n) {
                check_same(type, type->angle(a, b, rising[n]), b, "too far");
            }
        }
    }
}

/* --- states ----------------------------------------------------------------------------------- */

typedef struct thing {
    float x;
    double y; /* padding before it */
    uint8_t alive;
    int32_t hits;
    float angle;
    double heading;
    int64_t score;
    uint32_t id;
    float position[3];
    float not_blended;
} thing;

typedef struct world {
    thing things[5];
    float soa_x[7];
    double soa_y[7];
    float camera[3];
    uint8_t mode;
    char label[5]; /* not blended */
    float heat[2][3];
    double turn;
} world;

static const es_field world_fields[] = {
        ES_FIELD_OF_EACH("x", world, things, x, ES_TYPE_F32, ES_BLEND_LINEAR),
        ES_FIELD_OF_EACH("y", world, things, y, ES_TYPE_F64, ES_BLEND_LINEAR),
        ES_FIELD_OF_EACH("alive", world, things, alive, ES_TYPE_U8, ES_BLEND_STEP),
        ES_FIELD_OF_EACH("hits", world, things, hits, ES_TYPE_I32, ES_BLEND_STEP),
        ES_FIELD_OF_EACH("angle", world, things, angle, ES_TYPE_F32, ES_BLEND_ANGLE),
        ES_FIELD_OF_EACH("heading", world, things, heading, ES_TYPE_F64, ES_BLEND_ANGLE),
        ES_FIELD_OF_EACH("score", world, things, score, ES_TYPE_I64, ES_BLEND_STEP),
        ES_FIELD_OF_EACH("id", world, things, id, ES_TYPE_U32, ES_BLEND_STEP),
        ES_FIELD_OF_EACH("position", world, things, position, ES_TYPE_F32, ES_BLEND_LINEAR),
        {"soa_x", ES_TYPE_F32, ES_BLEND_LINEAR, 7, 0, offsetof(world, soa_x), sizeof(float)},
        {"soa_y", ES_TYPE_F64, ES_BLEND_ANGLE, 7, 1, offsetof(world, soa_y), sizeof(double)},
        ES_FIELD("camera", world, camera, ES_TYPE_F32, ES_BLEND_STEP),
        ES_FIELD("mode", world, mode, ES_TYPE_U8, ES_BLEND_STEP),
        {"heat", ES_TYPE_F32, ES_BLEND_LINEAR, 2, 3, offsetof(world, heat), sizeof(float[3])},
        {"turn", ES_TYPE_F64, ES_BLEND_STEP, 1, 1, offsetof(world, turn), 0},
};
static const es_layout world_layout = ES_LAYOUT(world, world_fields);

/* The i-th number of a field. */
static size_t number_offset(const es_field *field, size_t i)
{
    size_t components = field->components > 0 ? field->components : 1;
    return field->offset + i / components * field->stride
           + i % components * ES_TYPE_SIZE(field->type);
}

static size_t number_count(const es_field *field)
{
    return field->count * (field->components > 0 ? field->components : 1);
}

static void fill_randomly(test_random *random, unsigned char *bytes, const es_layout *layout)
{
    for (size_t i = 0; i < layout->state_size; ++i) {
        bytes[i] = (unsigned char)random_u64(random);
    }
    for (size_t i = 0; i < layout->field_count; ++i) {
        const es_field *field = &layout->fields[i];
        for (size_t k = 0; k < number_count(field); ++k) {
            unsigned char *at = bytes + number_offset(field, k);
            double y = uniform(random, -100, 100);
            float x = (float)y;
            if (field->type == ES_TYPE_F32) {
                memcpy(at, &x, sizeof x);
            } else if (field->type == ES_TYPE_F64) {
                memcpy(at, &y, sizeof y);
            }
        }
    }
}

static void expect_f32(const es_field *field, const unsigned char *previous,
        const unsigned char *current, double alpha, unsigned char *out)
{
    float a;
    float b;
    memcpy(&a, previous, sizeof a);
    memcpy(&b, current, sizeof b);
    float x = field->blend == ES_BLEND_ANGLE ? es_angle_f32(a, b, (float)alpha)
                                             : es_lerp_f32(a, b, (float)alpha);
    memcpy(out, &x, sizeof x);
}

static void expect_f64(const es_field *field, const unsigned char *previous,
        const unsigned char *current, double alpha, unsigned char *out)
{
    double a;
    double b;
    memcpy(&a, previous, sizeof a);
    memcpy(&b, current, sizeof b);
    double x =
            field->blend == ES_BLEND_ANGLE ? es_angle_f64(a, b, alpha) : es_lerp_f64(a, b, alpha);
    memcpy(out, &x, sizeof x);
}

/* es_blend as its contract says it: number by number; the rest of out stays. */
static void expect(const es_layout *layout, const unsigned char *previous,
        const unsigned char *current, double alpha, unsigned char *out)
{
    for (size_t i = 0; i < layout->field_count; ++i) {
        const es_field *field = &layout->fields[i];
        for (size_t k = 0; k < number_count(field); ++k) {
            size_t at = number_offset(field, k);
            if (field->blend == ES_BLEND_STEP) {
                const unsigned char *from = alpha <= 0 ? previous : current;
                memcpy(out + at, from + at, ES_TYPE_SIZE(field->type));
            } else if (field->type == ES_TYPE_F32) {
                expect_f32(field, previous + at, current + at, alpha, out + at);
            } else {
                expect_f64(field, previous + at, current + at, alpha, out + at);
            }
        }
    }
}

#define STATE_MAX 2048

typedef struct block {
    _Alignas(64) unsigned char bytes[STATE_MAX];
} block;

/* Blends random states; every byte of out must be what it should, and the inputs what they were. */
static void check_layout(const es_layout *layout, uint64_t seed)
{
    static const double alphas[] = {-1, 0, 1e-60, 0.1, 1.0 / 3.0, 0.5, 0.9999999999, 1, 2, NAN};
    static block previous, current, out, expected, previous_copy, current_copy;
    test_random random = {seed};
    assert_true(layout->state_size <= STATE_MAX);
    assert_int_equal(es_layout_validate(layout, NULL), ES_OK);
    for (size_t i = 0; i < COUNT_OF(alphas); ++i) {
        fill_randomly(&random, previous.bytes, layout);
        fill_randomly(&random, current.bytes, layout);
        previous_copy = previous;
        current_copy = current;
        memset(out.bytes, 0xA5, STATE_MAX);
        expected = out;
        expect(layout, previous.bytes, current.bytes, alphas[i], expected.bytes);
        assert_int_equal(
                es_blend(layout, previous.bytes, current.bytes, alphas[i], out.bytes), ES_OK);
        assert_memory_equal(out.bytes, expected.bytes, STATE_MAX);
        assert_memory_equal(previous.bytes, previous_copy.bytes, STATE_MAX);
        assert_memory_equal(current.bytes, current_copy.bytes, STATE_MAX);
    }
}

static void test_state_of_structs(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 100; ++seed) {
        check_layout(&world_layout, seed);
    }
}

static void test_state_of_arrays(void **state)
{
    (void)state;
    static const es_field fields[] = {
            {"x", ES_TYPE_F32, ES_BLEND_LINEAR, 33, 1, 0, 4},
            {"gap", ES_TYPE_F32, ES_BLEND_ANGLE, 9, 2, 136, 12},
            {"d", ES_TYPE_F64, ES_BLEND_LINEAR, 20, 3, 256, 24},
            {"u8", ES_TYPE_U8, ES_BLEND_STEP, 10, 3, 737, 7},
            {"i64", ES_TYPE_I64, ES_BLEND_STEP, 6, 0, 808, 8},
    };
    es_layout layout = {fields, COUNT_OF(fields), 1000};
    for (uint64_t seed = 1; seed <= 100; ++seed) {
        check_layout(&layout, seed);
    }
}

/* Step copies bits: every type, NaNs with their payload included. */
static void test_step_of_every_type(void **state)
{
    (void)state;
    static const size_t sizes[] = {0, 4, 8, 4, 4, 8, 1};
    for (int type = ES_TYPE_F32; type <= ES_TYPE_U8; ++type) {
        size_t size = sizes[type];
        es_field field = {"x", (es_type)type, ES_BLEND_STEP, 3, 1, 8, 2 * size};
        es_layout layout = {&field, 1, 64};
        _Alignas(8) unsigned char previous[64];
        _Alignas(8) unsigned char current[64];
        memset(previous, 0xFF, sizeof previous);
        memset(current, 0x7F, sizeof current);
        static const double alphas[] = {0, -3, 1e-300, 0.5, 1, NAN};
        for (size_t i = 0; i < COUNT_OF(alphas); ++i) {
            _Alignas(8) unsigned char out[64] = {0};
            unsigned char value = i < 2 ? 0xFF : 0x7F;
            assert_int_equal(es_blend(&layout, previous, current, alphas[i], out), ES_OK);
            for (size_t k = 0; k < sizeof out; ++k) {
                bool covered = k >= 8 && k < 8 + 5 * size && (k - 8) / size % 2 == 0;
                assert_int_equal(out[k], covered ? value : 0);
            }
        }
    }
}

/* Numbers worked out by hand, so that nothing here rests on the library's own functions. */
static void test_state_by_hand(void **state)
{
    (void)state;
    static world previous;
    static world current;
    static world out;
    previous.things[4].x = 10;
    current.things[4].x = 20;
    previous.things[0].y = -1;
    current.things[0].y = 1;
    previous.things[2].position[2] = 8;
    current.things[2].position[2] = 0;
    previous.things[3].angle = 3;
    current.things[3].angle = -3;
    previous.soa_y[6] = -3;
    current.soa_y[6] = 3;
    previous.heat[1][2] = 100;
    current.heat[1][2] = 200;
    previous.things[1].hits = 5;
    current.things[1].hits = 6;
    previous.mode = 1;
    current.mode = 2;
    previous.things[1].not_blended = 7;
    current.things[1].not_blended = 7;
    assert_int_equal(es_blend(&world_layout, &previous, &current, 0.25, &out), ES_OK);
    assert_true(out.things[4].x == 12.5F);
    assert_true(out.things[3].x == 0);
    assert_true(out.things[0].y == -0.5);
    assert_true(out.things[2].position[2] == 6);
    assert_true(out.things[2].position[1] == 0);
    assert_float_equal(out.things[3].angle, 3 + ((float)pi_l - 3) / 2, 1e-6F);
    assert_true(fabs(out.soa_y[6] - (-3 - ((double)pi_l - 3) / 2)) < 1e-14);
    assert_true(out.heat[1][2] == 125);
    assert_int_equal(out.things[1].hits, 6);
    assert_int_equal(out.mode, 2);
    assert_true(out.things[1].not_blended == 0);
    assert_int_equal(es_blend(&world_layout, &previous, &current, 0, &out), ES_OK);
    assert_int_equal(out.things[1].hits, 5);
    assert_int_equal(out.mode, 1);
    assert_true(out.things[4].x == 10);
}

/* What rests does not tremble: the same state on both sides comes out as it is. */
static void test_same_state_on_both_sides(void **state)
{
    (void)state;
    static block only, out, expected;
    test_random random = {5};
    for (int i = 0; i < 100; ++i) {
        double alpha = uniform(&random, -0.1, 1.1);
        fill_randomly(&random, only.bytes, &world_layout);
        memset(out.bytes, 0x11, STATE_MAX);
        expected = out;
        expect(&world_layout, only.bytes, only.bytes, 1, expected.bytes);
        assert_int_equal(es_blend(&world_layout, only.bytes, only.bytes, alpha, out.bytes), ES_OK);
        assert_memory_equal(out.bytes, expected.bytes, STATE_MAX);
    }
}

static void test_null(void **state)
{
    (void)state;
    static world previous;
    static world current;
    static world out;
    static world untouched;
    memset(&out, 0x77, sizeof out);
    untouched = out;
    assert_int_equal(es_blend(NULL, &previous, &current, 0.5, &out), ES_ERR_INVALID);
    assert_int_equal(es_blend(&world_layout, NULL, &current, 0.5, &out), ES_ERR_INVALID);
    assert_int_equal(es_blend(&world_layout, &previous, NULL, 0.5, &out), ES_ERR_INVALID);
    assert_int_equal(es_blend(&world_layout, &previous, &current, 0.5, NULL), ES_ERR_INVALID);
    assert_memory_equal(&out, &untouched, sizeof out);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
            cmocka_unit_test(test_lerp_random_f32),
            cmocka_unit_test(test_lerp_random_f64),
            cmocka_unit_test(test_lerp_values),
            cmocka_unit_test(test_lerp_nan),
            cmocka_unit_test(test_lerp_to_infinity),
            cmocka_unit_test(test_lerp_from_infinity),
            cmocka_unit_test(test_angle_random),
            cmocka_unit_test(test_angle_never_goes_back),
            cmocka_unit_test(test_angle_values),
            cmocka_unit_test(test_angle_equal),
            cmocka_unit_test(test_angle_half_turn_goes_forward),
            cmocka_unit_test(test_angle_ends_and_nan),
            cmocka_unit_test(test_angle_too_far),
            cmocka_unit_test(test_state_of_structs),
            cmocka_unit_test(test_state_of_arrays),
            cmocka_unit_test(test_step_of_every_type),
            cmocka_unit_test(test_state_by_hand),
            cmocka_unit_test(test_same_state_on_both_sides),
            cmocka_unit_test(test_null),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
