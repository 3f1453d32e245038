/* SPDX-License-Identifier: Zlib
 *
 * Springs and cameras: against formulas, against small steps of the differential equation, and against
 * themselves at other frame rates. Every length is in pixels.
 */
#include "test_support.h"

#include "evenstep/view.h"
#include "evenstep/world.h"
#include "lab/run.h"

#define HALF_WAY 1.6783469900166607L
#define PI       3.14159265358979323846
#define TICK     (1.0 / 60)

static test_random source = {7};

/* From 0 to 1. */
static double chance_of_all(void)
{
    return (double)(random_u64(&source) >> 11) * 0x1p-53;
}

static double between(double least, double most)
{
    return least + (most - least) * chance_of_all();
}

#define assert_near(a, b, within) assert_at_most(fabs((a) - (b)), within)

static const es_spring springs[] = {{0.1, 0, 0}, {0.03, 1, 1}, {0.2, 0.5, 0.25}, {0.4, 0.05, 0},
        {0.15, 0.999999, 1}, {2, 7, 0.5}, {1e-4, 0.3, 0}};

/* --- springs ---------------------------------------------------------------------------------- */

/* The formulas, by the C library in long double. */
TEST(free_springs_move_by_the_formula)
{
    for_rows (i, springs) {
        const es_spring *spring = &springs[i];
        long double w = HALF_WAY / (long double)spring->half_life_s;
        long double z =
                spring->damping > 0 && spring->damping < 1 ? (long double)spring->damping : 1;
        for (int k = 0; k < 20000; ++k) {
            double x = between(-1, 1), v = between(-1, 1) / spring->half_life_s, target = 0;
            double dt_s = spring->half_life_s * pow(10, between(-6, 2));
            long double t = (long double)dt_s, e = x, change = v, s = t, c = 1;
            long double swing = w * sqrtl((1 - z) * (1 + z)), decay = expl(-z * w * t);
            if (swing > 0) {
                s = sinl(swing * t) / swing;
                c = cosl(swing * t);
            }
            long double at = decay * (c * e + s * (change + z * w * e));
            long double speed = decay * (c * change - s * (w * w * e + z * w * change));
            es_spring_follow(spring, &x, &v, &target, &target, 1, dt_s);
            assert_at_most((double)fabsl((long double)x - at), 4e-15);
            assert_at_most((double)fabsl((long double)v - speed) * spring->half_life_s, 2e-14);
        }
    }
}

TEST(a_half_life_is_half_of_the_way)
{
    for (double half_life_s = 1e-3; half_life_s < 1e4; half_life_s *= 7) {
        const es_spring spring = {.half_life_s = half_life_s};
        double x[3] = {0, 5, -40}, v[3] = {0}, goal[3] = {100, 5, 40};
        es_spring_follow(&spring, x, v, goal, goal, 3, half_life_s);
        assert_near(x[0], 50, 1e-13);
        assert_near(x[2], 0, 1e-13);
        assert_true(x[1] == 5 && v[1] == 0);
    }
}

/* x'' = -w^2 (x - g) - 2 z w (x' - follow u), by Runge and Kutta's method. */
static void integrate(
        const es_spring *spring, double *x, double *v, double g, double u, double dt_s, int steps)
{
    double w = (double)HALF_WAY / spring->half_life_s, h = dt_s / steps;
    double z = spring->damping > 0 && spring->damping < 1 ? spring->damping : 1;
#define PULL(x, v, t) (-w * w * ((x) - (g + u * (t))) - 2 * z * w * ((v)-spring->follow * u))
    for (int i = 0; i < steps; ++i) {
        double t = i * h, v1 = *v, a1 = PULL(*x, v1, t);
        double v2 = *v + h / 2 * a1, a2 = PULL(*x + h / 2 * v1, v2, t + h / 2);
        double v3 = *v + h / 2 * a2, a3 = PULL(*x + h / 2 * v2, v3, t + h / 2);
        double v4 = *v + h * a3, a4 = PULL(*x + h * v3, v4, t + h);
        *x += h / 6 * (v1 + 2 * v2 + 2 * v3 + v4);
        *v += h / 6 * (a1 + 2 * a2 + 2 * a3 + a4);
    }
}

/* A motion of a hundred pixels or so that turns now and then: at a tick. */
static double path(int64_t tick)
{
    double t = (double)tick * TICK;
    return 100 * sin(2 * t) + 40 * fabs(fmod(t, 1.4) - 0.7) + (tick % 150 >= 75 ? 30 : 0);
}

TEST(moving_targets_obey_the_equation)
{
    for (int i = 0; i < 6; ++i) { /* the seventh is too stiff for the reference */
        double x = 0, v = 0, exact_x = 0, exact_v = 0;
        row("spring %d", i);
        for (int64_t tick = 0; tick < 300; ++tick) {
            double from = path(tick), to = path(tick + 1);
            es_spring_follow(&springs[i], &x, &v, &from, &to, 1, TICK);
            integrate(&springs[i], &exact_x, &exact_v, from, (to - from) / TICK, TICK, 64);
            assert_near(x, exact_x, 1e-5);
        }
    }
}

/* The next step: of a frame rate, or a random one, but not beyond the tick. below 0: random. */
static double step_of(double fps, double left_s)
{
    double dt_s = fps > 0 ? 1 / fps : 0.04 * pow(chance_of_all(), 4);
    return dt_s < left_s ? dt_s : left_s;
}

static const double rates[] = {30, 47.3, 59.94, 60, 144, 240, 1000, -1, -2};

/* A turn about an axis, after another rotation. */
static void turn(double angle, const double axis[3], const double b[4], double out[4])
{
    const double s = sin(angle / 2), a[4] = {axis[0] * s, axis[1] * s, axis[2] * s, cos(angle / 2)};
    out[0] = a[3] * b[0] + a[0] * b[3] + a[1] * b[2] - a[2] * b[1];
    out[1] = a[3] * b[1] + a[1] * b[3] + a[2] * b[0] - a[0] * b[2];
    out[2] = a[3] * b[2] + a[2] * b[3] + a[0] * b[1] - a[1] * b[0];
    out[3] = a[3] * b[3] - a[0] * b[0] - a[1] * b[1] - a[2] * b[2];
}

/* One of each kind. */
typedef struct followers {
    double x, v, angle, angle_v, q[4], spin[3], quat_target[4];
} followers;

static const followers still = {.q = {0, 0, 0, 1}, .quat_target = {0, 0, 0, 1}};

static void follow_all(const es_spring *spring, followers *f, double from, double to,
        const double q[4], double dt_s)
{
    double far = 2 * PI * (double)(random_below(&source, 9) - 4);
    es_spring_follow(spring, &f->x, &f->v, &from, &to, 1, dt_s);
    es_spring_follow_angle(spring, &f->angle, &f->angle_v, from + far, to - far, dt_s);
    es_spring_follow_quat(spring, f->q, f->spin, f->quat_target, q, dt_s);
    memcpy(f->quat_target, q, sizeof f->quat_target);
}

/* Between the ticks in steps, and in whole ticks. The quaternion's target turns about another axis in
 * each tick, and changes its sign. */
TEST(the_path_is_the_same_at_every_frame_rate)
{
    static const double axes[3][3] = {{0, 0, 1}, {0.6, 0.8, 0}, {0, -0.6, 0.8}};
    for (size_t n = 0; n < COUNT_OF(springs) * COUNT_OF(rates); ++n) {
        const es_spring *spring = &springs[n / COUNT_OF(rates)];
        double fps = rates[n % COUNT_OF(rates)], q[4], begin[4] = {0, 0, 0, 1};
        followers parts = still, whole = still;
        row("spring %d, %g fps", (int)(n / COUNT_OF(rates)), fps);
        for (int64_t tick = 0; tick < 120; ++tick) {
            double from = path(tick) / 40, u = (path(tick + 1) / 40 - from) / TICK, dt_s;
            const double *axis = axes[tick % 3];
            for (double at_s = 0; TICK - at_s > 1e-12; at_s += dt_s) {
                dt_s = step_of(fps, TICK - at_s);
                turn(1.5 * (at_s + dt_s), axis, begin, q);
                q[0] *= tick % 2 ? -1 : 1, q[1] *= tick % 2 ? -1 : 1;
                q[2] *= tick % 2 ? -1 : 1, q[3] *= tick % 2 ? -1 : 1;
                follow_all(spring, &parts, from + u * at_s, from + u * (at_s + dt_s), q, dt_s);
            }
            turn(1.5 * TICK, axis, begin, q);
            follow_all(spring, &whole, from, from + u * TICK, q, TICK);
            memcpy(begin, q, sizeof begin);
            assert_near(parts.x, whole.x, 1e-11);
            assert_near(parts.angle, whole.angle, 1e-11);
            for (int k = 0; k < 4; ++k) {
                double sign = parts.q[3] * whole.q[3] < 0 ? -1 : 1;
                assert_near(parts.q[k], sign * whole.q[k], 1e-11);
            }
            assert_near(parts.spin[0] + parts.spin[1], whole.spin[0] + whole.spin[1], 1e-8);
        }
    }
}

/* At a constant velocity, which then turns. About one axis a quaternion goes as its angle does. */
TEST(following_without_lag)
{
    static const double axis[3] = {0.6, 0, -0.8};
    for (int follow = 0; follow < 2; ++follow) {
        const es_spring spring = {.half_life_s = 0.1, .follow = follow};
        followers f = still;
        double beyond = 0, at = 0, q[4];
        for (int i = 1; i <= 600; ++i) {
            double from = at, speed = i <= 300 ? 2 : -2;
            at += speed / 100;
            turn(at, axis, still.q, q);
            follow_all(&spring, &f, from, at, q, 0.01);
            beyond = fmax(beyond, f.x - 6);
            assert_near(f.x, f.angle, 1e-12);
            assert_near(f.q[0] * cos(f.x / 2), 0.6 * sin(f.x / 2) * f.q[3], 1e-12);
            assert_near(f.spin[2], -0.8 * f.v, 1e-11);
            assert_true(i != 300 || fabs(at - f.x - (follow ? 0 : 2 * 0.11916486947553952)) < 1e-9);
        }
        assert_true(follow ? beyond > 0.01 : beyond == 0);
    }
}

TEST(angles_and_rotations_go_the_short_way)
{
    static const struct {
        double angle, from, to, expected; /* degrees; far on the way */
    } rows[] = {{350, 10, 10, 370}, {10, 350, 350, -10}, {0, 180, 180, 180}, {180, 0, 0, 360},
            {0, 540, -180, 180}, {725, 5, 5, 725}, {0, 350, 10, 10}, {-721, 0, 358, -722}};
    static const double z[3] = {0, 0, 1};
    const es_spring spring = {.half_life_s = 0.1, .follow = 1};
    for_rows (i, rows) {
        double angle = rows[i].angle * PI / 180, v = 0, spin[3] = {0}, q[4], from[4], to[4];
        turn(angle, z, still.q, q);
        turn(rows[i].from * PI / 180, z, still.q, from);
        turn(rows[i].to * PI / 180, z, still.q, to);
        es_spring_follow_angle(
                &spring, &angle, &v, rows[i].from * PI / 180, rows[i].to * PI / 180, 9);
        es_spring_follow_quat(&spring, q, spin, from, to, 9);
        assert_near(angle * 180 / PI, rows[i].expected, 1e-6);
        assert_near(fabs(q[2] * to[2] + q[3] * to[3]), 1, 1e-9);
    }
}

/* --- cameras ---------------------------------------------------------------------------------- */

static const es_camera cameras[] = {
        {.spring = {.half_life_s = 0.1}},
        {.spring = {0.2, 0.6, 0.5}, .zone = {20, 5, 0}},
        {.spring = {0.1, 1, 1},
                .least = {-80, -50, 0},
                .most = {60, 200, 0},
                .half_view = {9, 9, 0}},
        {.spring = {0.15, 0, 0},
                .ahead_s = 0.3,
                .zone = {10, 40, 3},
                .least = {-90, 0, 0},
                .most = {50, 90, 0},
                .half_view = {20, 40, 0}},
        {.ahead_s = 0},
};

static void target_at(int64_t tick, double out[3])
{
    out[0] = path(tick);
    out[1] = 0.7 * path(tick + 99);
    out[2] = 3 * sin((double)tick / 9);
}

/* The camera follows in ticks and is seen in frames; another one follows the same target in small
 * steps. A third knows no formula: zone, look-ahead and bounds as they are defined, in 1024 steps. */
TEST(frames_are_on_the_path_of_the_ticks)
{
    for_rows (c, cameras) {
        es_camera camera = cameras[c], fine = cameras[c];
        double a[3], b[3], at[3], seen[3], small[3], x = path(0), v = 0, aim = x;
        double lag_s = 2 * (c == 1 ? 0.6 : 1) * camera.spring.half_life_s / (double)HALF_WAY;
        double ahead_s = camera.ahead_s + camera.spring.follow * lag_s;
        es_spring plain = {camera.spring.half_life_s, camera.spring.damping, 0};
        int64_t step = 0;
        target_at(0, a);
        es_camera_cut(&camera, 0, a);
        es_camera_cut(&fine, step, a);
        for (int64_t tick = 1; tick < 300; ++tick) {
            target_at(tick - 1, a);
            target_at(tick, b);
            es_camera_follow(&camera, tick, b, TICK);
            for (double alpha = 0, from; alpha < 1;) {
                from = alpha;
                alpha = fmin(1, alpha + step_of(rates[tick % 9], 1) / TICK);
                alpha = alpha > 1 - 1e-9 ? 1 : alpha;
                es_frame frame = {.current_tick = tick, .alpha = alpha};
                for (int i = 0; i < 3; ++i) {
                    at[i] = es_lerp(a[i], b[i], alpha);
                }
                es_camera_follow(&fine, ++step, at, (alpha - from) * TICK);
                es_camera_at(&camera, &frame, seen);
                es_camera_at(&fine, NULL, small);
                for (int i = 0; i < 3; ++i) {
                    assert_near(seen[i], small[i], 1e-9);
                    bool bounds = camera.least[i] < camera.most[i];
                    assert_true(!bounds || seen[i] >= camera.least[i] + camera.half_view[i]);
                    assert_true(!bounds || seen[i] <= camera.most[i] - camera.half_view[i]);
                    assert_true(c != 4 || seen[i] == at[i]);
                }
            }
            for (int k = 0; k < 1024 && c < 4; ++k) {
                double from = a[0] + (b[0] - a[0]) * (k / 1024.0), zone = camera.zone[0];
                double to = a[0] + (b[0] - a[0]) * ((k + 1) / 1024.0);
                double before = fmax(from - zone, fmin(from + zone, aim));
                aim = fmax(to - zone, fmin(to + zone, before));
                double goal = aim + (aim != before ? ahead_s * (b[0] - a[0]) / TICK : 0);
                goal = c < 2 ? goal
                             : fmax(camera.least[0] + camera.half_view[0],
                                     fmin(camera.most[0] - camera.half_view[0], goal));
                aim = c < 2 ? aim
                            : fmax(camera.least[0] + camera.half_view[0],
                                    fmin(camera.most[0] - camera.half_view[0], aim));
                integrate(&plain, &x, &v, goal, 0, TICK / 1024, 1);
            }
            assert_true(c == 4 || fabs(camera.now.position[0] - x) < 0.02);
        }
    }
}

static bool is_at(const es_camera *camera, int64_t tick, double alpha, double x)
{
    const es_frame frame = {.current_tick = tick, .alpha = alpha};
    double seen[3];
    es_camera_at(camera, &frame, seen);
    return fabs(seen[0] - x) < 1e-12;
}

TEST(cuts_leave_no_streak)
{
    const double a[3] = {10}, b[3] = {500}, c[3] = {900, 1, 2};
    es_camera camera = {.spring = {.half_life_s = 0.1}}, other;
    es_camera_follow(&camera, 7, a, TICK); /* the first one is a cut */
    assert_true(is_at(&camera, 7, 0.1, 10) && is_at(&camera, 6, 0.1, 10));
    es_camera_follow(&camera, 8, b, TICK);
    other = camera;
    assert_true(camera.now.velocity[0] > 100);
    es_camera_follow(&camera, 8, a, TICK); /* the last call in a tick counts */
    es_camera_follow(&camera, 8, b, TICK);
    assert_memory_equal(&camera, &other, sizeof camera);
    assert_true(is_at(&camera, 7, 0.9, 10) && is_at(&camera, 9, 0.1, camera.now.position[0]));
    es_camera_cut(&camera, 9, c);
    es_camera_follow(&camera, 9, c, TICK); /* the same tick's update */
    for (int64_t tick = 9; tick < 12; ++tick) {
        assert_true(is_at(&camera, tick, 1e-9, 900) && is_at(&camera, tick, 0.5, 900));
        assert_true(camera.now.velocity[0] == 0);
        es_camera_follow(&camera, tick + 1, c, TICK);
    }
    es_camera_follow(&camera, 3, b, TICK); /* a seek */
    assert_true(is_at(&camera, 3, 0.1, 500));
    camera.least[0] = 450, camera.most[0] = 470,
    camera.half_view[0] = 30; /* too small: its middle */
    es_camera_follow(&camera, 4, c, TICK);
    assert_true(is_at(&camera, 4, 1, 460));
}

TEST(shakes_fade_and_disturb_nothing)
{
    es_camera still_one = {.spring = {.half_life_s = 0.1}, .shake_half_life_s = 0.2}, camera, again;
    double at[3] = {0}, seen[3], same[3], unshaken[3], most[6] = {0};
    camera = again = still_one;
    again.shake_seed = 1;
    for (int64_t tick = 0; tick < 72; ++tick) {
        es_camera *const all[] = {&still_one, &camera, &again};
        at[0] = path(tick);
        for (int k = 0; k < 3; ++k) {
            if (k > 0 && tick % 72 == 0) {
                es_camera_shake(all[k], 4); /* one on top of another */
                es_camera_shake(all[k], 4);
            }
            es_camera_follow(all[k], tick, at, TICK);
        }
        assert_memory_equal(&camera.now, &still_one.now, sizeof camera.now);
        for (double alpha = 0; alpha < 1; alpha += 0.125) {
            const es_frame frame = {.current_tick = tick, .alpha = alpha};
            es_camera copy = camera;
            es_camera_at(&camera, &frame, seen);
            es_camera_at(&copy, &frame, same);
            assert_memory_equal(seen, same, sizeof seen);
            es_camera_at(&again, &frame, same);
            es_camera_at(&still_one, &frame, unshaken);
            assert_true(seen[1] != same[1]); /* another seed */
            most[tick / 12] = fmax(most[tick / 12], fabs(seen[1] - unshaken[1]));
        }
    }
    for (int i = 0; i < 6; ++i) { /* 0.2 s each */
        assert_true(most[i] <= 8 * pow(0.5, i) && most[i] > 3 * pow(0.5, i));
    }
}

/* Any number, and not only numbers: results are finite, and what is not a step moves nothing. */
TEST(odd_numbers_do_no_harm)
{
    static const double odd[] = {0, -0.0, 1, -1, 1e-320, 1e308, -1e308, (double)INFINITY,
            -(double)INFINITY, (double)NAN, 0.016, 3e9};
#define ODD (odd[random_below(&source, COUNT_OF(odd))])
    for (int i = 0; i < 300000 / TEST_SHARE; ++i) {
        const es_spring spring = {ODD, ODD, chance(&source, 2) ? 0 : 1};
        double x = ODD, v = ODD, a = ODD, b = ODD, dt_s = ODD, x0 = x, v0 = v;
        double q[4] = {ODD, ODD, ODD, ODD}, spin[3] = {ODD, 0, ODD}, seen[3];
        const double from[4] = {ODD, 1, 0, ODD}, to[4] = {1, ODD, ODD, 0};
        es_spring_follow(&spring, &x, &v, &a, &b, 1, dt_s);
        bool moves = dt_s > 0 && fabs((b - a) / dt_s) < HUGE_VAL;
        assert_true(moves ? isfinite(x) && isfinite(v)
                          : memcmp(&x, &x0, 8) == 0 && memcmp(&v, &v0, 8) == 0);
        es_spring_follow_angle(&spring, &x, &v, a, b, dt_s);
        es_spring_follow_quat(&spring, q, spin, from, to, dt_s);
        es_camera camera = {spring, ODD, {ODD, ODD, ODD}, {ODD, ODD, ODD}, {ODD, ODD, ODD},
                {ODD, ODD, ODD}, ODD, ODD, 0, {{0}, {0}, {0}, {0}, 0}, {{0}, {0}, {0}, {0}, 0}, 0,
                0, 0, 0};
        for (int64_t tick = 0; tick < 4; ++tick) {
            const es_frame frame = {.current_tick = tick, .alpha = ODD};
            const double target[3] = {ODD, ODD, ODD};
            es_camera_shake(&camera, ODD);
            es_camera_follow(&camera, tick, target, ODD);
            es_camera_at(&camera, &frame, seen);
        }
    }
    const es_spring spring = {.half_life_s = 0.1};
    double x = 1, v = 5, a = 2, b = 3;
    es_spring_follow(&spring, &x, &v, &a, &b, 1, (double)INFINITY);
    assert_true(x == 3 && v == 0);
    x = (double)NAN;
    es_spring_follow(&spring, &x, &v, &a, &b, 1, TICK);
    assert_true(x == 3 && v == 0);
}

/* The same bytes in every build: change the number where a formula changes, on all machines. */
TEST(every_build_computes_the_same_bytes)
{
    uint64_t hash = 0;
    for_rows (i, springs) {
        followers f = still;
        es_camera camera = cameras[i % 4];
        camera.spring = springs[i];
        for (int64_t tick = 0; tick < 400; ++tick) {
            const double at[3] = {(double)(tick * tick % 977), (double)(tick % 37), 0.125};
            const double q[4] = {1, (double)(tick % 7) / 2, 0.25, (double)(tick % 5)};
            const es_frame frame = {.current_tick = tick, .alpha = (double)(tick % 16) / 16};
            double seen[3];
            follow_all(&springs[i], &f, at[1], at[2], q, TICK);
            es_camera_shake(&camera, tick % 50 == 0 ? 3 : 0);
            es_camera_follow(&camera, tick, at, TICK);
            es_camera_at(&camera, &frame, seen);
            const double all[] = {f.x, f.v, f.q[0], f.q[3], f.spin[1], seen[0], seen[1]};
            for_rows (k, all) {
                hash = (hash ^ es__bits_of(all[k])) * UINT64_C(1099511628211);
            }
        }
    }
    if (hash != UINT64_C(0x788825f723926fbf)) {
        fail_msg("0x%016llx", (unsigned long long)hash);
    }
}

/* --- in the lab ------------------------------------------------------------------------------- */

/* A game on a simulated display: in ticks its camera follows an object, and each frame draws both. */
typedef struct game {
    es_camera camera, per_frame;
    es_track1 object;
    double at_s, x, v;   /* the same camera, in steps of at most 0.1 ms */
    int64_t rendered_ns; /* the frame before */
    double worst, worst_per_frame;
    int frames;
} game;

static void draw_frame(void *user, const lab_event *event)
{
    game *g = user;
    if (event->kind != LAB_EVENT_RENDER) {
        return;
    }
    const es_frame *frame = event->content->planned;
    double seen[3], per_frame[3], drawn[3] = {0},
                                  dt_s = (double)(event->time_ns - g->rendered_ns) / 1e9;
    for (int i = 0; i < frame->ticks; ++i) {
        const es_step step = es_frame_step(frame, i);
        const double at[3] = {path(step.index)};
        es_track1_set(&g->object, step.index, at[0]);
        es_camera_follow(&g->camera, step.index, at, step.dt_s);
    }
    while ((double)frame->content_ns / 1e9 - g->at_s > 1e-9) {
        int64_t tick = (int64_t)floor(g->at_s / TICK + 1e-6);
        double end_s = fmin(
                fmin(g->at_s + 1e-4, (double)(tick + 1) * TICK), (double)frame->content_ns / 1e9);
        double u = (path(tick + 1) - path(tick)) / TICK,
               a = path(tick) + u * (g->at_s - (double)tick * TICK);
        double b = path(tick) + u * (end_s - (double)tick * TICK);
        es_spring_follow(&g->camera.spring, &g->x, &g->v, &a, &b, 1, end_s - g->at_s);
        g->at_s = end_s;
    }
    drawn[0] = es_track1_at(&g->object, frame);
    es_camera_at(&g->camera, frame, seen);
    es_camera_follow(&g->per_frame, frame->index, drawn, dt_s); /* as is common: by the clock */
    es_camera_at(&g->per_frame, NULL, per_frame);
    if (frame->index > 200) {
        g->worst = fmax(g->worst, fabs((drawn[0] - seen[0]) - (drawn[0] - g->x)));
        g->worst_per_frame = fmax(g->worst_per_frame, fabs(per_frame[0] - g->x));
        g->frames += 1;
    }
    g->rendered_ns = event->time_ns;
}

TEST(camera_and_world_move_as_one)
{
    static const struct {
        es_rate refresh;
        bool varies;
    } rows[] = {{{60, 1}, false}, {{144, 1}, false}, {{144, 1}, true}};
    for_rows (i, rows) {
        lab_setup setup = lab_setup_default();
        lab_result result = {0};
        game g = {.camera = {.spring = {.half_life_s = 0.08}}, .x = path(0)};
        const double first[3] = {path(0)};
        g.per_frame = g.camera;
        es_track1_set(&g.object, 0, path(0));
        es_camera_cut(&g.camera, 0, first);
        setup.loop = lab_loop_find("auto");
        setup.scenario = *lab_scenario_find("wake-1.5"); /* presents return up to 3 ms late */
        setup.display.rate = rows[i].refresh;
        setup.display.refresh = rows[i].varies ? LAB_REFRESH_VARIABLE : LAB_REFRESH_FIXED;
        setup.duration_ns = 20 * S;
        setup.observer = (lab_observer){draw_frame, &g};
        assert_int_equal(lab_run(&setup, &result, NULL), ES_OK);
        lab_result_free(&result);
        assert_true(g.frames > 800);
        if (getenv("SHOW"))
            printf("%g %g %d\n", g.worst, g.worst_per_frame, g.frames);
        assert_at_most(g.worst, 0.0005);
        assert_at_most(0.5, g.worst_per_frame);
    }
}
