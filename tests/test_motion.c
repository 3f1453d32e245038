/* SPDX-License-Identifier: Zlib
 *
 * motion: velocity Verlet. Where the exact motion is known the error falls by four when the step is
 * halved; and a constant acceleration is es_motion_accelerate.
 */
#include "world_support.h"

#define PI 3.14159265358979323846

/* One or two coordinates, with their accelerations. */
typedef struct body {
    double x[2], v[2], a[2], time_s;
} body;

typedef void (*pull)(body *b);

/* Angular frequency 1. */
static void by_spring(body *b)
{
    b->a[0] = -b->x[0];
    b->a[1] = 0.0;
}

/* By time alone. */
static void by_time(body *b)
{
    b->a[0] = cos(b->time_s);
    b->a[1] = 0.0;
}

/* A planet, with a gravitational parameter of 1. */
static void by_sun(body *b)
{
    double r2 = b->x[0] * b->x[0] + b->x[1] * b->x[1];
    double r3 = r2 * sqrt(r2);
    b->a[0] = -b->x[0] / r3;
    b->a[1] = -b->x[1] / r3;
}

typedef struct motion {
    body start;
    pull accelerate;
    double time_s;     /* the end */
    double x[2], v[2]; /* there */
    bool uneven;       /* steps of two lengths in turn */
} motion;

static double error_after(const motion *m, int steps)
{
    body b = m->start;
    m->accelerate(&b);
    for (int i = 0; i < steps; ++i) {
        double share = !m->uneven ? 1.0 : i % 2 == 0 ? 0.5 : 1.5;
        double dt_s = m->time_s / steps * share, before[2] = {b.a[0], b.a[1]};
        for (int k = 0; k < 2; ++k) {
            es_motion_verlet_position(&b.x[k], b.v[k], b.a[k], dt_s);
        }
        b.time_s += dt_s;
        m->accelerate(&b);
        for (int k = 0; k < 2; ++k) {
            es_motion_verlet_speed(&b.v[k], before[k], b.a[k], dt_s);
        }
    }
    double error = 0.0;
    for (int i = 0; i < 2; ++i) {
        error = fmax(error, fabs(b.x[i] - m->x[i]));
        error = fmax(error, fabs(b.v[i] - m->v[i]));
    }
    return error;
}

/* An ellipse of semi-major axis 1, period 2 pi, starting at its far end: after a period it is
 * there again. */
#define ORBIT(eccentricity)                                                                        \
    {                                                                                              \
        .x = {1.0 + (eccentricity), 0.0}, .v = {                                                   \
            0.0,                                                                                   \
            sqrt((1.0 - (eccentricity)) / (1.0 + (eccentricity)))                                  \
        }                                                                                          \
    }

TEST(the_error_falls_by_four_when_the_step_is_halved)
{
    const body circle = ORBIT(0.0), ellipse = ORBIT(0.3);
    const motion motions[] = {
            {{.x = {1.0}, .v = {0.5}}, by_spring, 10.0, {cos(10.0) + 0.5 * sin(10.0)},
                    {0.5 * cos(10.0) - sin(10.0)}, false},
            {{.x = {1.0}, .v = {0.5}}, by_spring, 10.0, {cos(10.0) + 0.5 * sin(10.0)},
                    {0.5 * cos(10.0) - sin(10.0)}, true},
            {{.x = {0.0}, .v = {0.0}}, by_time, 10.0, {1.0 - cos(10.0)}, {sin(10.0)}, false},
            {circle, by_sun, 2 * PI, {1.0, 0.0}, {0.0, 1.0}, false},
            {ellipse, by_sun, 2 * PI, {1.3, 0.0}, {0.0, ellipse.v[1]}, false},
            {ellipse, by_sun, 2 * PI, {1.3, 0.0}, {0.0, ellipse.v[1]}, true},
    };
    for_rows (i, motions) {
        double error = error_after(&motions[i], 200);
        assert_true(error < 1e-2);
        for (int steps = 400; steps <= 6400; steps *= 2) {
            double half = error_after(&motions[i], steps);
            assert_true(error / half > 3.85 && error / half < 4.15);
            error = half;
        }
    }
}

/* Up to the rounding of four operations each. */
TEST(both_helpers_agree_on_a_constant_acceleration)
{
    test_random random = {11};
    for (int i = 0; i < 100000; ++i) {
        double numbers[4];
        for (int k = 0; k < 4; ++k) {
            numbers[k] = (double)(random_below(&random, 2000001) - 1000000) / 1000.0;
        }
        double dt_s = fabs(numbers[3]) / 1000.0, a = numbers[2];
        double x[2] = {numbers[0], numbers[0]}, v[2] = {numbers[1], numbers[1]};
        es_motion_accelerate(&x[0], &v[0], a, dt_s);
        es_motion_verlet_position(&x[1], v[1], a, dt_s);
        es_motion_verlet_speed(&v[1], a, a, dt_s);
        double far = fabs(numbers[0]) + dt_s * (fabs(numbers[1]) + dt_s * fabs(a));
        assert_true(fabs(x[0] - x[1]) <= 4 * 2.3e-16 * far);
        assert_true(fabs(v[0] - v[1]) <= 4 * 2.3e-16 * (fabs(numbers[1]) + dt_s * fabs(a)));
    }
}
