/* SPDX-License-Identifier: Zlib
 *
 * Springs and cameras: against formulas, against small steps of the differential equation, and against
 * themselves at other frame rates. Lengths are in pixels.
 */
#include "test_support.h"

#include "evenstep/view.h"
#include "evenstep/world.h"

#define HALF_WAY 1.6783469900166607L
#define PI       3.14159265358979323846
#define TICK     (1.0 / 60)

static test_random source = {7};

static double between(double least, double most)
{
    return least + (most - least) * ((double)(random_u64(&source) >> 11) * 0x1p-53);
}

static double clamp(double x, double least, double most)
{
    return fmin(fmax(x, least), most);
}

static const es_spring springs[] = {{0.1, 0, 0}, {0.03, 1, 1}, {0.2, 0.5, 0.25}, {0.4, 0.05, 0},
        {0.15, 0.999999, 1}, {2, 7, 0.5}, {1e-4, 0.3, 0}};

static double damping_of(const es_spring *spring)
{
    return spring->damping > 0 && spring->damping < 1 ? spring->damping : 1;
}

/* A motion of a hundred pixels or so that turns and jumps: at ticks. */
static double path(int64_t tick)
{
    double t = (double)tick * TICK;
    return 100 * sin(2 * t) + 40 * fabs(fmod(t, 1.4) - 0.7) + (tick % 150 >= 75 ? 30 : 0);
}

/* --- springs ---------------------------------------------------------------------------------- */

/* The formulas, by the C library in long double; what a half-life is, and the lag. */
TEST(free_springs_move_by_the_formula)
{
    for_rows (i, springs) {
        const es_spring *spring = &springs[i];
        long double w = HALF_WAY / (long double)spring->half_life_s, z = damping_of(spring);
        for (int k = 0; k < 20000 / TEST_SHARE; ++k) {
            double x = between(-1, 1), v = between(-1, 1) / spring->half_life_s, target = 0;
            double dt_s = spring->half_life_s * pow(10, between(-6, 2));
            long double t = (long double)dt_s, e = x, change = v;
            long double swing = w * sqrtl((1 - z) * (1 + z)), decay = expl(-z * w * t);
            long double s = swing > 0 ? sinl(swing * t) / swing : t, c = cosl(swing * t);
            long double at = decay * (c * e + s * (change + z * w * e));
            long double speed = decay * (c * change - s * (w * w * e + z * w * change));
            es_spring_follow(spring, &x, &v, &target, &target, 1, dt_s);
            assert_at_most((double)fabsl((long double)x - at), 4e-15);
            assert_at_most((double)fabsl((long double)v - speed) * spring->half_life_s, 2e-14);
        }
        double x[2] = {0, 5}, v[2] = {0}, goal[2] = {100, 5}, half_life_s = spring->half_life_s;
        const es_spring critical = {.half_life_s = half_life_s};
        es_spring_follow(&critical, x, v, goal, goal, 2, half_life_s);
        assert_near(x[0], 50, 1e-13);
        assert_true(x[1] == 5 && v[1] == 0);
        double from = 0, to = 3e4 * half_life_s, lag = 1.1916487 * damping_of(spring) * 100;
        es_spring_follow(spring, x, v, &from, &to, 1, 300 * half_life_s);
        assert_near((to - x[0]) / half_life_s, lag * (1 - spring->follow), 1e-4);
    }
}

/* x'' = -w^2 (x - g) - 2 z w (x' - follow u), by the midpoint method. */
static void integrate(
        const es_spring *spring, double *x, double *v, double g, double u, double dt_s, int steps)
{
    double w = (double)HALF_WAY / spring->half_life_s, z = damping_of(spring), h = dt_s / steps;
    for (int i = 0; i < steps; ++i) {
        double at = g + u * h * i, known = spring->follow * u;
        double pull = -w * w * (*x - at) - 2 * z * w * (*v - known);
        double half_x = *x + h / 2 * *v, half_v = *v + h / 2 * pull;
        *x += h * half_v;
        *v += h * (-w * w * (half_x - at - u * h / 2) - 2 * z * w * (half_v - known));
    }
}

TEST(moving_targets_obey_the_equation)
{
    for (int i = 0; i < 6; ++i) { /* the seventh is too stiff for the reference */
        double x = 0, v = 0, exact_x = 0, exact_v = 0;
        row("spring %d", i);
        for (int64_t tick = 0; tick < 300; ++tick) {
            double from = path(tick), to = path(tick + 1);
            es_spring_follow(&springs[i], &x, &v, &from, &to, 1, TICK);
            integrate(&springs[i], &exact_x, &exact_v, from, (to - from) / TICK, TICK, 1024);
            assert_near(x, exact_x, 1e-4); /* a millionth */
        }
    }
}

static const double rates[] = {30, 47.3, 59.94, 60, 144, 240, 1000, -1, -2};

/* The next step: of a frame rate; below 0: random. */
static double step_of(double fps)
{
    return fps > 0 ? 1 / fps : 1e-6 + 0.04 * pow(between(0, 1), 4);
}

/* A turn about an axis, after another rotation; times sign. */
static void turn(double angle, const double axis[3], const double b[4], double sign, double out[4])
{
    const double s = sign * sin(angle / 2);
    const double a[4] = {axis[0] * s, axis[1] * s, axis[2] * s, sign * cos(angle / 2)};
    out[0] = a[3] * b[0] + a[0] * b[3] + a[1] * b[2] - a[2] * b[1];
    out[1] = a[3] * b[1] + a[1] * b[3] + a[2] * b[0] - a[0] * b[2];
    out[2] = a[3] * b[2] + a[2] * b[3] + a[0] * b[1] - a[1] * b[0];
    out[3] = a[3] * b[3] - a[0] * b[0] - a[1] * b[1] - a[2] * b[2];
}

/* One of each kind, and the rotation that the third follows. */
typedef struct followers {
    double x, v, angle, angle_v, q[4], spin[3], seen[4];
} followers;

static const followers still = {.q = {0, 0, 0, 1}, .seen = {0, 0, 0, 1}};

static void follow_all(const es_spring *spring, followers *f, double from, double to,
        const double q[4], double dt_s)
{
    double far = 2 * PI * (double)(random_below(&source, 9) - 4);
    es_spring_follow(spring, &f->x, &f->v, &from, &to, 1, dt_s);
    es_spring_follow_angle(spring, &f->angle, &f->angle_v, from + far, to - far, dt_s);
    es_spring_follow_quat(spring, f->q, f->spin, f->seen, q, dt_s);
    memcpy(f->seen, q, sizeof f->seen);
}

/* Between the ticks in steps, and in whole ticks. The target turns about the same axis in all ticks, and
 * then about another one in each; then its sign changes, too. */
TEST(the_path_is_the_same_at_every_frame_rate)
{
    static const double axes[3][3] = {{0, -0.6, 0.8}, {0.6, 0.8, 0}, {0, 0, 1}};
    for (int n = 0; n < 2 * (int)(COUNT_OF(springs) * COUNT_OF(rates)); ++n) {
        const es_spring *spring = &springs[n / 2 % (int)COUNT_OF(springs)];
        double fps = rates[n / 2 / (int)COUNT_OF(springs)], q[4], begin[4];
        followers parts = still, whole = still;
        row("spring %d, %g fps, %d axes", n / 2 % (int)COUNT_OF(springs), fps, n % 2 ? 3 : 1);
        turn(path(0) / 100, axes[0], still.q, 1, begin);
        memcpy(parts.seen, begin, sizeof begin);
        memcpy(whole.seen, begin, sizeof begin);
        for (int64_t tick = 0; tick < 120; ++tick) {
            double from = path(tick) / 100, u = (path(tick + 1) / 100 - from) / TICK, dt_s;
            const double *axis = axes[n % 2 * tick % 3];
            for (double at_s = 0; TICK - at_s > 1e-12; at_s += dt_s) {
                dt_s = fmin(step_of(fps), TICK - at_s);
                turn(u * (at_s + dt_s), axis, begin, n % 2 * tick % 2 ? -1 : 1, q);
                follow_all(spring, &parts, from + u * at_s, from + u * (at_s + dt_s), q, dt_s);
            }
            turn(u * TICK, axis, begin, 1, q);
            follow_all(spring, &whole, from, from + u * TICK, q, TICK);
            memcpy(begin, q, sizeof begin);
            turn(parts.x, axis, still.q, 1, q);
            assert_near(parts.x, whole.x, 1e-12);
            assert_near(parts.angle, parts.x, 1e-11);
            for (int k = 0; k < 4; ++k) {
                double sign = parts.q[3] * whole.q[3] < 0 ? -1 : 1;
                assert_near(parts.q[k], sign * whole.q[k], 1e-12);
                assert_true(n % 2 || fabs(parts.q[k] - q[k]) < 1e-11);
            }
            assert_near(parts.spin[1], n % 2 ? whole.spin[1] : -0.6 * parts.v, 1e-8);
        }
    }
}

TEST(angles_and_rotations_go_the_short_way)
{
    static const double rows[][4] = {/* angle, from, to, expected in the end; degrees */
            {350, 10, 10, 370}, {10, 350, 350, -10}, {0, 180, 180, 180}, {181, 0, 0, 360},
            {0, 540, -180, 180}, {725, 5, 5, 725}, {0, 350, 10, 10}, {-721, 0, 358, -722}};
    static const double z[3] = {0, 0, 1};
    const es_spring spring = {.half_life_s = 0.1, .follow = 1};
    for_rows (i, rows) {
        double angle = rows[i][0] * PI / 180, from = rows[i][1] * PI / 180, v = 0, spin[3] = {0};
        double to = rows[i][2] * PI / 180, q[4], a[4], b[4];
        turn(angle, z, still.q, 1, q);
        turn(from, z, still.q, 1, a);
        turn(to, z, still.q, 1, b);
        es_spring_follow_angle(&spring, &angle, &v, from, to, 0.03); /* under way */
        es_spring_follow_quat(&spring, q, spin, a, b, 0.03);
        turn(angle, z, still.q, 1, a);
        bool tie = fabs(fabs(remainder(rows[i][0] - rows[i][1], 360)) - 180) < 1e-9;
        assert_true(tie || fabs(q[2] * a[2] + q[3] * a[3]) > 1 - 1e-14);
        es_spring_follow_angle(&spring, &angle, &v, to, to, 9);
        es_spring_follow_quat(&spring, q, spin, b, b, 9);
        assert_near(angle * 180 / PI, rows[i][3], 1e-6);
        assert_near(fabs(q[2] * b[2] + q[3] * b[3]), 1, 1e-9);
    }
}

/* --- cameras ---------------------------------------------------------------------------------- */

static const es_camera cameras[] = {{.spring = {.half_life_s = 0.1}},
        {.spring = {0.2, 0.6, 0.5}, .zone = {20, 5, 0}},
        {.spring = {0.1, 1, 1}, .least = {-71, 0, 0}, .most = {51, 90, 0}},
        {.spring = {0.15, 0, 0},
                .ahead_s = {0.3, 0.1, 0},
                .zone = {10, 40, 3},
                .least = {-90, 0, 0},
                .most = {50, 90, 0},
                .half_view = {20, 40, 0}},
        {.zone = {0}}};

/* The camera follows in ticks and is seen in frames; another one follows the same target in small
 * steps. A third knows no formula: zone, look-ahead and bounds as they are defined, in 1024 steps. */
TEST(frames_are_on_the_path_of_the_ticks)
{
    for_rows (c, cameras) {
        es_camera camera = cameras[c], fine = cameras[c];
        double zone = camera.zone[0], x = path(0), v = 0, aim = x, step_s, share, seen[3], small[3];
        bool bounds = camera.most[0] > 0;
        double least = bounds ? camera.least[0] + camera.half_view[0] : -1e9;
        double most = bounds ? camera.most[0] - camera.half_view[0] : 1e9;
        const es_spring plain = {camera.spring.half_life_s, camera.spring.damping, 0};
        double lag_s = 2 * damping_of(&plain) * plain.half_life_s / (double)HALF_WAY;
        double ahead_s = camera.ahead_s[0] + camera.spring.follow * lag_s;
        int64_t step = 0;
        es_camera_cut(&camera, 0, (const double[3]){x, path(99)});
        es_camera_cut(&fine, 0, (const double[3]){x, path(99)});
        for (int64_t tick = 1; tick < 300; ++tick) {
            double a = path(tick - 1), b = path(tick), a_y = path(tick + 98), b_y = path(tick + 99);
            es_camera_follow(&camera, tick, (const double[3]){b, b_y}, TICK);
            for (double at_s = 0; TICK - at_s > 1e-9; at_s += step_s) {
                step_s = fmin(step_of(rates[tick % 9]), TICK - at_s);
                share = TICK - at_s - step_s > 1e-9 ? (at_s + step_s) / TICK : 1;
                const es_frame frame = {.current_tick = tick, .alpha = share};
                const double at[3] = {es_lerp(a, b, share), es_lerp(a_y, b_y, share)};
                es_camera_follow(&fine, ++step, at, step_s);
                es_camera_at(&camera, &frame, seen);
                es_camera_at(&fine, NULL, small);
                assert_near(seen[0], small[0], 1e-10);
                assert_near(seen[1], small[1], 1e-10);
                assert_true(seen[0] >= least && seen[0] <= most);
                assert_true(c != 4 || (seen[0] == at[0] && seen[1] == at[1]));
            }
            for (int k = 0; k < 1024 && c < 4; ++k) {
                double from = a + (b - a) * (k / 1024.0), to = a + (b - a) * ((k + 1) / 1024.0);
                double before = clamp(aim, from - zone, from + zone);
                aim = clamp(before, to - zone, to + zone);
                double goal = aim + (aim != before ? ahead_s * (b - a) / TICK : 0);
                integrate(&plain, &x, &v, clamp(goal, least, most), 0, TICK / 1024, 1);
                aim = clamp(aim, least, most);
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
    es_camera_follow(&camera, 8, a, TICK); /* the last call in a tick counts */
    es_camera_follow(&camera, 8, b, TICK);
    assert_memory_equal(&camera, &other, sizeof camera);
    assert_true(is_at(&camera, 7, 0.9, 10) && is_at(&camera, 9, 0.1, camera.now.position[0]));
    assert_true(is_at(&camera, 8, 0, 10) && is_at(&camera, 8, -1, 10));
    es_camera_follow(&other, 9, c, -1); /* no time passes */
    assert_true(is_at(&other, 9, 0.5, camera.now.position[0]) && other.now.target[0] == 900);
    es_camera_cut(&camera, 9, c);
    es_camera_follow(&camera, 9, c, TICK); /* the same tick's update */
    for (int64_t tick = 9; tick < 12; ++tick) {
        assert_true(is_at(&camera, tick, 1e-9, 900) && is_at(&camera, tick, 0.5, 900));
        es_camera_follow(&camera, tick + 1, c, TICK);
    }
    es_camera_follow(&camera, 3, b, TICK); /* a seek */
    assert_true(is_at(&camera, 3, 0.1, 500));
    camera.least[0] = 450;
    camera.most[0] = 470;
    camera.half_view[0] = 30; /* more than there is: its middle */
    assert_true(is_at(&camera, 4, 1, 460));
}

TEST(a_target_in_its_zone_moves_nothing)
{
    for (double speed = 0.5; speed <= 2; speed *= 2) {
        es_camera camera = {.spring = {.half_life_s = 0.1}, .zone = {20}, .ahead_s = {1}};
        es_camera_cut(&camera, 0, (const double[3]){0});
        for (int64_t tick = 1; tick < 9; ++tick) {
            es_camera_follow(&camera, tick, (const double[3]){speed * (double)tick}, 1);
            assert_true(is_at(&camera, tick, 1, 0));
        }
    }
}

TEST(shakes_fade_and_disturb_nothing)
{
    es_camera all[3] = {{.spring = {.half_life_s = 0.1}, .shake_half_life_s = 0.2}};
    double at[3] = {0}, seen[3][3], most[6] = {0}, apart = 0;
    all[1] = all[2] = all[0];
    all[2].shake_seed = 1;
    for (int64_t tick = 0; tick < 72; ++tick) {
        at[0] = path(tick);
        for (int k = 0; k < 3; ++k) {
            es_camera_shake(&all[k], tick == 0 && k > 0 ? 4 : 0);
            es_camera_shake(&all[k], tick == 0 && k > 0 ? 4 : 0); /* on top of the first */
            es_camera_follow(&all[k], tick, at, TICK);
        }
        assert_memory_equal(&all[0].now, &all[1].now, sizeof all[0].now);
        for (double alpha = 0; alpha < 1; alpha += 0.125) {
            const es_frame frame = {.current_tick = tick, .alpha = alpha};
            for (int k = 0; k < 3; ++k) {
                es_camera_at(&all[k], &frame, seen[k]);
            }
            assert_true(seen[1][1] != seen[2][1] && seen[0][1] == 0); /* another seed, none */
            most[tick / 12] = fmax(most[tick / 12], fabs(seen[1][1]));
            apart = fmax(apart, fabs(seen[2][0] - seen[0][0] - seen[1][2]));
        }
    }
    assert_true(apart > 1); /* no axis shakes as one of the next seed */
    for (int i = 0; i < 6; ++i) { /* 0.2 s each */
        assert_true(most[i] <= 8 * pow(0.5, i) && most[i] > 3 * pow(0.5, i));
    }
}

/* Any bits: springs give numbers, a camera does after a step of numbers, and no step moves nothing. */
TEST(odd_numbers_do_no_harm)
{
    static const double odd[] = {0, -0.0, 1, -1, 1e-320, 1e308, -1e308, (double)INFINITY,
            -(double)INFINITY, (double)NAN, 0.016, 3e9};
    double middle[3];
#define ODD (odd[random_below(&source, COUNT_OF(odd))])
#define ODDS                                                                                       \
    {                                                                                              \
        ODD, ODD, ODD                                                                              \
    }
    for (int i = 0; i < 300000 / TEST_SHARE; ++i) {
        const es_spring spring = {ODD, ODD, (double)random_below(&source, 2)};
        double at[2] = {ODD, ODD}, before[2], a = ODD, b = ODD, dt_s = ODD,
               q[4] = {ODD, ODD, ODD, ODD};
        double spin[3] = ODDS, seen[3];
        const double from[4] = {ODD, 1, 0, ODD}, to[4] = {1, ODD, ODD, 0};
        memcpy(before, at, sizeof at);
        es_spring_follow(&spring, &at[0], &at[1], &a, &b, 1, dt_s);
        bool moves = dt_s > 0 && isfinite((b - a) / dt_s);
        assert_true(moves ? isfinite(at[0]) && isfinite(at[1]) : !memcmp(before, at, sizeof at));
        es_spring_follow_angle(&spring, &at[0], &at[1], a, b, dt_s);
        es_spring_follow_quat(&spring, q, spin, from, to, dt_s);
        es_camera camera = {.spring = spring,
                .ahead_s = ODDS,
                .zone = ODDS,
                .half_view = ODDS,
                .least = ODDS,
                .most = ODDS,
                .shake_half_life_s = ODD,
                .shake_hz = ODD};
        for (int64_t tick = 0; tick < 4; ++tick) {
            const es_frame frame = {.current_tick = tick, .alpha = ODD};
            const double target[3] = ODDS;
            es_camera_shake(&camera, ODD);
            es_camera_follow(&camera, tick, target, ODD);
            es_camera_at(&camera, &frame, seen);
        }
        camera = (es_camera){.spring = {0.1, 0, 0}, .now = camera.now, .next_tick = 4};
        for (int64_t tick = 4; tick < 7; ++tick) {
            const double x = ODD, target[3] = {fabs(x) < 1e300 ? x : NAN, 2, 3};
            es_camera_follow(&camera, tick, target, tick == 4 ? TICK : ODD);
            es_camera_at(&camera, NULL, seen);
            assert_true(tick == 4 || (isfinite(seen[0]) && isfinite(seen[1])));
        }
    }
    es_camera far_ahead = {
            .spring = {0.1, 0, 1}, .ahead_s = {(double)INFINITY, (double)NAN, 1e308}};
    for (int64_t tick = 0; tick < 9; ++tick) {
        const double at[3] = {(double)tick, (double)-tick, 1e3 * (double)tick};
        es_camera_follow(&far_ahead, tick, at, TICK);
        es_camera_at(&far_ahead, NULL, middle);
        assert_true(isfinite(middle[0]) && isfinite(middle[1]) && isfinite(middle[2]));
    }
    double x[2] = {1, (double)NAN}, v[2] = {5, 5}, a[2] = {2, 2}, b[2] = {3, 3};
    es_spring_follow(springs, x, v, a, b, 2, (double)INFINITY);
    assert_true(x[0] == 3 && v[0] == 0 && x[1] == 3 && v[1] == 0);
    double q[2][4] = {{0, 0, 0, 1}, {(double)NAN, 0, 0, 1}}, spin[2][3] = {{1}, {1}};
    es_spring_follow_quat(springs, q[0], spin[0], still.q, still.q, TICK);
    es_spring_follow_quat(springs, q[1], spin[1], still.q, still.q, TICK);
    assert_true(spin[0][0] > 0.1 && q[0][0] > 0 && spin[1][0] == 0 && q[1][3] == 1);
}
