/* SPDX-License-Identifier: Zlib
 *
 * Springs: damped oscillators. w is the frequency, z the damping; the target g moves at speed u:
 *
 *   x'' = -w^2 (x - g) - 2 z w (x' - follow u)
 *
 * e = x - g + (1 - follow) (2 z / w) u obeys e'' + 2 z w e' + w^2 e = 0. A step is the closed form of
 * that, so its length does not matter. No mathematics of the C library but sqrt: its last bits differ.
 */
#include "evenstep/view.h"

#include <math.h>

#include "base/common.h"

#define HALF_WAY 1.6783469900166607 /* y, where (1 + y) exp(-y) = 1/2 */
#define PI       3.141592653589793

static bool is_finite(double x)
{
    return x - x == 0;
}

static double positive(double x, double otherwise)
{
    return x > 0 ? x : otherwise;
}

static double within(double x, double least, double most) /* NaN: least */
{
    return !(x > least) ? least : x > most ? most : x;
}

/* exp(-x) for x from 0 to 708, else 0. Error: under 2 units in the last place. x = k ln 2 + r, with
 * ln 2 in two parts (those of fdlibm's e_exp.c); Taylor's series of r. */
static double exp_minus(double x)
{
    if (!(x >= 0 && x < 708)) {
        return 0;
    }
    int k = (int)(x * 1.4426950408889634 + 0.5);
    double r = (x - k * 6.93147180369123816490e-01) - k * 1.90821492927058770002e-10;
    double sum = 1;
    for (int n = 13; n > 0; --n) {
        sum = 1 - r / n * sum;
    }
    return sum * es__from_bits((uint64_t)(1023 - k) << 52);
}

/* Of x from 0 to 1e6. Error: under 2^-52. The same with pi / 2 (parts: fdlibm's e_rem_pio2.c). */
static double sine(double x, double *cosine)
{
    int k = (int)(x * (2 / PI) + 0.5);
    double r = (x - k * 1.57079632673412561417e+00) - k * 6.07710050650619224932e-11;
    double s = 1, c = 1;
    for (int n = 16; n > 0; n -= 2) {
        s = 1 - r * r / (n * (n + 1)) * s;
        c = 1 - r * r / (n * (n - 1)) * c;
    }
    s *= r;
    *cosine = (k & 1 ? s : c) * ((k + 1) & 2 ? -1 : 1);
    return (k & 1 ? c : s) * (k & 2 ? -1 : 1);
}

/* The angle of a point of the unit circle's first quarter. Error: under 2^-51. A guess within 0.004,
 * and the arc sine of what is missing. */
static double arc(double s, double c)
{
    double z = s < c ? s / c : c / s, guess = z * (PI / 4 + 0.273 * (1 - z)), cosine;
    guess = s < c ? guess : PI / 2 - guess;
    double rest = -c * sine(guess, &cosine);
    rest += s * cosine;
    return guess + rest * (1 + rest * rest * (1 / 6.0 + rest * rest * (3 / 40.0)));
}

/* --- springs ---------------------------------------------------------------------------------- */

/* x and v = x' of a free oscillation become, after a time, these sums of both. */
typedef struct motion {
    double x_of_x, x_of_v, v_of_x, v_of_v;
    double lag_s; /* of a spring that does not know the target's velocity */
} motion;

static motion motion_of(const es_spring *spring, double dt_s)
{
    double w = HALF_WAY / es__min_f64(positive(spring->half_life_s, 0), 1e9);
    double given = spring->damping, z = given > 0 && given < 1 ? es__max_f64(given, 0.05) : 1;
    double decay = exp_minus(z * w * dt_s), swing = w * sqrt((1 - z) * (1 + z));
    double s = dt_s, c = 1; /* sin(swing t) / swing, cos(swing t) */
    if (!(decay > 0)) {
        return (motion){.lag_s = 2 * z / w};
    }
    if (swing > 0) {
        s = sine(swing * dt_s, &c) / swing;
    }
    return (motion){decay * (c + z * w * s), decay * s, -decay * w * w * s, decay * (c - z * w * s),
            2 * z / w};
}

/* The target goes to `to` at speed u, and a spring at rest relative to it is at `lag` behind it. */
static void move(
        const motion *m, double *x, double *v, double from, double to, double u, double lag)
{
    double e = *x - (from - lag), change = *v - u;
    *x = to - lag + (m->x_of_x * e + m->x_of_v * change);
    *v = u + (m->v_of_x * e + m->v_of_v * change);
    if (!is_finite(*x) || !is_finite(*v)) {
        *x = to;
        *v = 0;
    }
}

void es_spring_follow(const es_spring *spring, double *position, double *velocity,
        const double *from, const double *to, size_t count, double dt_s)
{
    const motion m = motion_of(spring, dt_s);
    for (size_t i = 0; i < count; ++i) {
        double u = (to[i] - from[i]) / dt_s;
        if (dt_s > 0 && is_finite(u)) {
            move(&m, &position[i], &velocity[i], from[i], to[i], u,
                    m.lag_s * (1 - spring->follow) * u);
        }
    }
}

/* Less whole turns: from -PI to below PI. Of 2^52 turns or more, and NaN, nothing is known. */
static double short_way(double angle)
{
    double turns = angle / (2 * PI) + 0.5;
    if (!(turns > -0x1p52 && turns < 0x1p52)) {
        return 0;
    }
    double whole = (double)(int64_t)turns;
    return angle - 2 * PI * (whole > turns ? whole - 1 : whole);
}

void es_spring_follow_angle(const es_spring *spring, double *angle, double *velocity, double from,
        double to, double dt_s)
{
    if (is_finite(to - from)) {
        double begin = is_finite(*angle) ? *angle - short_way(*angle - from) : from;
        double end = begin - short_way(from - to); /* half a turn is forward */
        es_spring_follow(spring, angle, velocity, &begin, &end, 1, dt_s);
    }
}

/* Of length 1. False: it has no direction. */
static bool unit(const double a[4], double out[4])
{
    double length = sqrt(a[0] * a[0] + a[1] * a[1] + a[2] * a[2] + a[3] * a[3]);
    for (int i = 0; i < 4; ++i) {
        out[i] = a[i] / length;
    }
    return length > 0 && is_finite(length);
}

/* a after b; sign -1: after the inverse of b. */
static void product(const double a[4], const double b[4], double sign, double out[4])
{
    out[3] = a[3] * b[3] - sign * (a[0] * b[0] + a[1] * b[1] + a[2] * b[2]);
    for (int i = 0; i < 3; ++i) { /* one row: gcc 12 makes FMA of signs that alternate */
        int j = (i + 1) % 3, k = (i + 2) % 3;
        out[i] = a[i] * b[3] + sign * (a[3] * b[i] + (a[j] * b[k] - a[k] * b[j]));
    }
}

/* From a to b, the short way: an axis, as long as the angle. */
static void turn_between(const double a[4], const double b[4], double out[3])
{
    double d[4];
    product(b, a, -1, d);
    double s = sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]);
    double scale = s > 0 ? 2 * arc(s, fabs(d[3])) / (d[3] < 0 ? -s : s) : 0;
    for (int i = 0; i < 3; ++i) {
        out[i] = scale * d[i];
    }
}

/* A spring moves the turn from the target to the rotation. While the target turns about an axis that
 * does not change, its velocity does not change either: as exact as numbers. */
void es_spring_follow_quat(const es_spring *spring, double rotation[4], double velocity[3],
        const double from[4], const double to[4], double dt_s)
{
    double a[4], b[4], q[4], turn[3], e[3], c;
    if (!(dt_s > 0) || !unit(from, a) || !unit(to, b)) {
        return;
    }
    bool known = unit(rotation, q);
    const motion m = motion_of(spring, dt_s);
    turn_between(a, b, turn);
    turn_between(a, known ? q : a, e);
    for (int i = 0; i < 3; ++i) {
        double u = turn[i] / dt_s;
        velocity[i] = known ? velocity[i] : 0;
        move(&m, &e[i], &velocity[i], 0, 0, u, m.lag_s * (1 - spring->follow) * u);
    }
    double length = sqrt(e[0] * e[0] + e[1] * e[1] + e[2] * e[2]);
    double scale = sine(length < 1e6 ? length / 2 : 0, &c) / positive(length, 1);
    const double d[4] = {scale * e[0], scale * e[1], scale * e[2], c};
    product(d, b, 1, q);
    (void)unit(q, rotation);
}

/* --- a camera: a spring per axis --------------------------------------------------------------- */

/* Within the bounds. */
static double bounded(const es_camera *camera, int axis, double x)
{
    double least = camera->least[axis], most = camera->most[axis];
    double view = es__min_f64(positive(camera->half_view[axis], 0), (most - least) / 2);
    return least < most ? within(x, least + view, most - view) : x;
}

static void move_piece(
        const es_camera *camera, es_camera_state *s, int axis, double from, double to, double dt_s)
{
    if (dt_s > 0) {
        const motion m = motion_of(&camera->spring, dt_s);
        double u = (to - from) / dt_s;
        move(&m, &s->position[axis], &s->velocity[axis], from, to, u, m.lag_s * u);
    }
}

/* The target goes to `to` at speed u. The spring follows its way through the dead zone, ahead of it by
 * a time, within the bounds: a few straight pieces, for each of which it is exact. To know a part of the
 * velocity is to look ahead by this part of the lag. */
static void move_axis(
        const es_camera *camera, es_camera_state *s, int axis, double to, double u, double dt_s)
{
    double zone = positive(camera->zone[axis], 0), from = s->target[axis];
    double begin = within(s->aim[axis], from - zone, from + zone);
    double end = within(begin, to - zone, to + zone);
    u = is_finite(u) ? u : 0;
    double dragged_s = zone > 0 && u != 0 ? within((end - begin) / u, 0, dt_s) : dt_s;
    double lag_s = motion_of(&camera->spring, dt_s).lag_s;
    double ahead = u * (camera->ahead_s[axis] + camera->spring.follow * lag_s);
    ahead = is_finite(ahead) ? ahead : 0;
    double first = bounded(camera, axis, begin + ahead), last = bounded(camera, axis, end + ahead);
    double leaves_s = /* the bound that it begins at, and arrives at one */
            first == begin + ahead ? 0 : within((first - begin - ahead) / u, 0, dragged_s);
    double arrives_s = last == end + ahead
                               ? dragged_s
                               : within((last - begin - ahead) / u, leaves_s, dragged_s);
    double rest = bounded(camera, axis, begin);
    move_piece(camera, s, axis, rest, rest, dt_s - dragged_s);
    move_piece(camera, s, axis, first, first, leaves_s);
    move_piece(camera, s, axis, first, last, arrives_s - leaves_s);
    move_piece(camera, s, axis, last, last, dragged_s - arrives_s);
    s->aim[axis] = bounded(camera, axis, end);
    s->target[axis] = to;
}

void es_camera_follow(es_camera *camera, int64_t tick, const double target[3], double dt_s)
{
    bool cuts = camera->next_tick == 0 || tick < camera->next_tick - 1;
    es_camera_state s = !cuts && tick < camera->next_tick ? camera->before : camera->now;
    camera->before = s;
    camera->dt_s = cuts ? 0 : es__min_f64(positive(dt_s, 0), 1e9);
    for (int i = 0; i < 3; ++i) {
        double to = is_finite(target[i]) ? target[i] : s.target[i];
        if (cuts) {
            s.position[i] = s.aim[i] = bounded(camera, i, to);
            s.velocity[i] = 0;
            s.target[i] = to;
        }
        move_axis(camera, &s, i, to, (to - s.target[i]) / camera->dt_s, camera->dt_s);
    }
    s.time_s += camera->dt_s;
    camera->now = s;
    camera->before = cuts ? s : camera->before;
    camera->next_tick = es__ns_add(tick, 1);
}

void es_camera_cut(es_camera *camera, int64_t tick, const double target[3])
{
    camera->next_tick = 0;
    es_camera_follow(camera, tick, target, 0);
}

static double shake_at(const es_camera *camera, double time_s)
{
    double lives = (time_s - camera->shaken_s) / positive(camera->shake_half_life_s, 0.15);
    return camera->shake * exp_minus(0.6931471805599453 * positive(lives, 0));
}

void es_camera_shake(es_camera *camera, double strength)
{
    if (is_finite(strength)) {
        camera->shake = shake_at(camera, camera->now.time_s) + strength;
        camera->shaken_s = camera->now.time_s;
    }
}

/* Two sines, whose frequencies have no common period; multiples of the golden ratio are their phases. */
static double shaking(const es_camera *camera, int axis, double time_s)
{
    double sum = 0, c, hz = positive(camera->shake_hz, 12);
    for (int i = 0; i < 2; ++i) {
        uint32_t phase = (6 * camera->shake_seed + (uint32_t)(2 * axis + i)) * UINT32_C(0x9e3779b9);
        double turns = time_s * hz * (i ? 1 : 0.618033988749895) + phase * 0x1p-32;
        sum += turns < 0x1p52 ? sine(2 * PI * (turns - (double)(int64_t)turns), &c) : 0;
    }
    return sum / 2 * shake_at(camera, time_s);
}

void es_camera_at(const es_camera *camera, const es_frame *frame, double position[3])
{
    int64_t tick = frame != NULL ? frame->current_tick : INT64_MAX;
    double share = tick == camera->next_tick - 1 ? frame->alpha : tick >= camera->next_tick;
    bool between = share < 1 && camera->dt_s > 0;
    es_camera_state s = between ? camera->before : camera->now;
    double dt_s = between ? positive(share, 0) * camera->dt_s : 0;
    for (int i = 0; i < 3; ++i) {
        double a = camera->before.target[i], b = camera->now.target[i];
        if (between) {
            move_axis(camera, &s, i, es_lerp(a, b, share), (b - a) / camera->dt_s, dt_s);
        }
        position[i] = bounded(camera, i, s.position[i]) + shaking(camera, i, s.time_s + dt_s);
    }
}
