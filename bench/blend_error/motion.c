/* SPDX-License-Identifier: Zlib
 *
 * The motions: formulas of the content time. All move at about 10 m/s.
 */

#include "base/common.h"
#include "blend.h"

#include <math.h>

static const double pi = 3.14159265358979323846;
static const double gravity = 9.81;
static const int64_t event_ns = 1030 * ES_NS_PER_MS;
static const int64_t first_bounce_ns = 530 * ES_NS_PER_MS;
static const int64_t bounce_ns = 2038735984; /* 2 x 10 m/s / gravity */

static const int64_t circle_ns = 6283185307; /* 10 m/s on a radius of 10 m */
static const int64_t swing_ns = 2 * ES_NS_PER_S;
const int64_t blend_silence_ns[2] = {ES_NS_PER_S, 3 * ES_NS_PER_S / 2};

static double seconds(int64_t ns)
{
    return (double)ns / 1e9;
}

static blend_truth truth_of(double x, double y, double vx, double vy, double ax, double ay)
{
    blend_truth t = {{x, y}, {vx, vy}, {ax, ay}};
    return t;
}

static blend_truth line(int64_t time_ns)
{
    return truth_of(10 * seconds(time_ns), 0, 10, 0, 0, 0);
}

static blend_truth circle(int64_t time_ns)
{
    double w = 2 * pi / seconds(circle_ns);
    double angle = w * seconds(time_ns), c = cos(angle), s = sin(angle);
    return truth_of(10 * c, 10 * s, -10 * w * s, 10 * w * c, -10 * w * w * c, -10 * w * w * s);
}

static blend_truth fall(int64_t time_ns)
{
    double t = seconds(time_ns);
    return truth_of(5 * t, 10 * t - gravity / 2 * t * t, 5, 10 - gravity * t, 0, -gravity);
}

/* It meets the floor at 10 m/s, and leaves it so. */
static blend_truth bounce(int64_t time_ns)
{
    int64_t phase = time_ns - first_bounce_ns;
    double at = seconds(phase < 0 ? phase + bounce_ns : phase % bounce_ns);
    double up = gravity * seconds(bounce_ns) / 2;
    return truth_of(5 * seconds(time_ns), up * at - gravity / 2 * at * at, 5, up - gravity * at, 0,
            -gravity);
}

static blend_truth stop(int64_t time_ns)
{
    return time_ns < event_ns ? line(time_ns) : truth_of(10 * seconds(event_ns), 0, 0, 0, 0, 0);
}

static blend_truth turn(int64_t time_ns)
{
    return time_ns < event_ns ? line(time_ns)
                              : truth_of(10 * seconds(event_ns), 10 * seconds(time_ns - event_ns),
                                      0, 10, 0, 0);
}

static blend_truth sine(int64_t time_ns)
{
    double w = 2 * pi / seconds(swing_ns), size = 10 / w;
    double angle = w * seconds(time_ns);
    return truth_of(10, size * sin(angle), 0, size * w * cos(angle), 0, -size * w * w * sin(angle));
}

static blend_truth teleport(int64_t time_ns)
{
    blend_truth t = line(time_ns);
    t.at.y = time_ns < event_ns ? 0 : 3;
    return t;
}

/* A table. */
/* clang-format off */
static const blend_motion motions[] = {
    {.name = "line", .title = "straight on, 10 m/s", .truth = line},
    {.name = "circle", .title = "round a circle of 10 m, 10 m/s", .truth = circle,
     .acceleration = 10, .jerk = 10, .fourth = 10},
    {.name = "fall", .title = "thrown up at 10 m/s, gravity 9.81 m/s\xc2\xb2", .truth = fall,
     .acceleration = 9.81},
    {.name = "bounce", .title = "a ball that meets the floor at 10 m/s", .truth = bounce,
     .first_ns = 530 * ES_NS_PER_MS, .every_ns = 2038735984,
     .speed_jump = 20, .contact = true, .acceleration = 9.81},
    {.name = "stop", .title = "10 m/s, then at once 0", .truth = stop,
     .first_ns = 1030 * ES_NS_PER_MS, .speed_jump = 10, .contact = true},
    {.name = "turn", .title = "10 m/s round a right-angled corner", .truth = turn,
     .first_ns = 1030 * ES_NS_PER_MS, .speed_jump = 14.142135623730951,
     .contact = true},
    {.name = "silence", .title = "the circle, and no news for 0.5 s", .truth = circle,
     .silent = true, .acceleration = 10, .jerk = 10, .fourth = 10},
    {.name = "sine", .title = "up and down in 2 s, at most 10 m/s", .truth = sine,
     .acceleration = 31.415926535897931, .jerk = 98.696044010893586,
     .fourth = 310.06276680299821},
    {.name = "teleport", .title = "10 m/s, and once 3 m aside at once", .truth = teleport,
     .first_ns = 1030 * ES_NS_PER_MS, .place_jump = 3},
};
/* clang-format on */

const void *blend_motion_at(size_t index)
{
    return index < sizeof motions / sizeof motions[0] ? &motions[index] : NULL;
}

int64_t blend_motion_next_jump(const blend_motion *motion, int64_t after_ns)
{
    int64_t at_ns = motion->first_ns;
    while (at_ns <= after_ns && at_ns > 0) {
        at_ns = motion->every_ns > 0 ? at_ns + motion->every_ns : 0;
    }
    return at_ns;
}

size_t blend_motion_jumps(const blend_motion *motion, int64_t until_ns, blend_jump *jumps)
{
    size_t count = 0;
    int64_t at_ns = blend_motion_next_jump(motion, 0);
    while (at_ns > 0 && at_ns <= until_ns && count < BLEND_JUMPS_MAX) {
        blend_jump jump = {at_ns, motion->speed_jump, motion->place_jump};
        jumps[count++] = jump;
        at_ns = blend_motion_next_jump(motion, at_ns);
    }
    return count;
}

static double size_of(blend_vec v)
{
    return sqrt(v.x * v.x + v.y * v.y);
}

/* Sideways the speed is constant, or the whole is 10 m/s; and up or down it is largest at an end of
 * the time, at a bounce, or where the sine passes its middle, as it does at first. */
double blend_motion_speed(const blend_motion *motion, int64_t until_ns)
{
    double first = size_of(motion->truth(0).velocity);
    double last = size_of(motion->truth(until_ns).velocity);
    double bounced = motion->every_ns > 0 ? size_of(motion->truth(motion->first_ns).velocity) : 0;
    double largest = first > last ? first : last;
    return bounced > largest ? bounced : largest;
}

void blend_window(
        const blend_setup *setup, const blend_motion *motion, int64_t *from_ns, int64_t *until_ns)
{
    int64_t period_ns = es__rate_period_ns(setup->tick_rate);
    int64_t event = motion->silent ? blend_silence_ns[0] : motion->first_ns;
    int64_t after_ns = motion->silent ? blend_silence_ns[1] - blend_silence_ns[0] : 0;
    *from_ns = event > 0 ? event - 3 * period_ns : setup->duration_ns / 2;
    *from_ns = *from_ns / period_ns * period_ns;
    *until_ns = event > 0 ? event + after_ns + 5 * period_ns : *from_ns + 8 * period_ns;
    if (*until_ns > setup->duration_ns) {
        *until_ns = setup->duration_ns;
    }
    if (*from_ns < 0 || *from_ns >= *until_ns) {
        *from_ns = 0;
    }
}
