/* SPDX-License-Identifier: Zlib
 *
 * The bound of each way's error. It depends only on the times of the ticks and on the motion, not
 * on the shown positions. T is a pair's length, c the shown instant.
 *
 * Where the bounds come from. Take the motion as smooth, with |p''| <= a, plus a hinge
 * dv max(0, t - s) for every jump dv of its velocity at s. All ways but monotone are linear, so the
 * errors of these parts add up.
 *
 *   Line     from t0 to t1: the rest of linear interpolation, a (c - t0) (t1 - c) / 2, at most
 *            a T^2 / 8. A hinge misses its chord by dv (min(c, s) - t0) (t1 - max(c, s)) / T, at
 *            most dv T / 4.
 *   Hermite  the rest of the cubic with two double knots, |p''''| (c - t0)^2 (t1 - c)^2 / 24, at
 *            most |p''''| T^4 / 384. Of a hinge: the cubic that it makes, less itself; at most
 *            4/27 dv T, where it lies just before a tick.
 *   Catmull- its tangents are parabolas', off by at most |p'''| h T / 6 per second with h the
 *   Rom      length of the pair beside, so |p'''| T^2 (h0 u (1-u)^2 + h3 u^2 (1-u)) / 6 on top of
 *            Hermite's; for even ticks |p'''| T^3 / 24 + |p''''| T^4 / 384. Of a hinge: as Hermite.
 *   Monotone Steffen's tangent is no further from the pair's own slope than the slope beside it,
 *            which is a (h + T) / 2 away (and what the hinge adds): on top of a line's error, for
 *            even ticks at most a T^2 / 4.
 *   Predict  a tick at t, to a reach r: Taylor's rest, a r^2 / 2 (ballistic: |p'''| r^3 / 6),
 *            a hinge dv (t + r - s), and beyond the reach the motion's own speed, v (c - t - r).
 *            Held at a contact s: nothing is known of what comes after, v (c - s).
 *   Blend    (1 - u) and u of two predictions: the same shares of their bounds. After a silence,
 *            the larger one.
 *   Decay    the newest prediction's bound, and what is left of each older one's at its last
 *            moment.
 *   Hold     v times the time since. A place that jumps by dx: dx until a tick knows it.
 */

#include "evenstep/world.h"

#include "blend.h"

#include "world/field.h"

#include <math.h>

/* Rounding: places of up to 100 m in double, times rounded to a nanosecond. */
static const double rounding = 1e-9;

typedef struct sight {
    const blend_motion *motion;
    const blend_way *way;
    double speed;
    double t[ES_HISTORY_TICKS_MAX]; /* ticks, newest first, in s */
    size_t count;
    double c;
    blend_jump jumps[BLEND_JUMPS_MAX];
    size_t jump_count;
} sight;

static double seconds(int64_t ns)
{
    return (double)ns / 1e9;
}

/* --- between two ticks: newer and newer + 1 --------------------------------------------------- */

static double hat(double from, double to, double c, double s)
{
    if (s <= from || s >= to) {
        return 0;
    }
    double low = c < s ? c : s, high = c < s ? s : c;
    return (low - from) * (to - high) / (to - from);
}

static double line_bound(const sight *w, size_t newer)
{
    double from = w->t[newer + 1], to = w->t[newer];
    double bound = w->motion->acceleration * (w->c - from) * (to - w->c) / 2;
    for (size_t i = 0; i < w->jump_count; ++i) {
        bound += w->jumps[i].speed * hat(from, to, w->c, seconds(w->jumps[i].at_ns));
    }
    return bound;
}

static double hinge(double t, double s)
{
    return t > s ? t - s : 0;
}

/* The cubic from c1 to c2 with the tangents m1 and m2 (per length), through a hinge at s; less the
 * hinge itself. */
static double cubic_of_hinge(double from, double to, double c, double s, double m1, double m2)
{
    double u = (c - from) / (to - from);
    double start = hinge(from, s), way = hinge(to, s) - start;
    double cubic =
            start + way * u * u * (3 - 2 * u) + m1 * u * (1 - u) * (1 - u) - m2 * u * u * (1 - u);
    return fabs(cubic - hinge(c, s));
}

static double hermite_bound(const sight *w, size_t newer)
{
    double from = w->t[newer + 1], to = w->t[newer];
    double product = (w->c - from) * (to - w->c);
    double bound = w->motion->fourth * product * product / 24;
    for (size_t i = 0; i < w->jump_count; ++i) {
        double s = seconds(w->jumps[i].at_ns);
        double m1 = from >= s ? to - from : 0, m2 = to >= s ? to - from : 0;
        bound += w->jumps[i].speed * cubic_of_hinge(from, to, w->c, s, m1, m2);
    }
    return bound;
}

/* How much the slope of a hinge changes at the tick between two pairs. */
static double bend_at(const double *tick, double s)
{
    return (hinge(tick[-1], s) - hinge(tick[0], s)) / (tick[-1] - tick[0])
           - (hinge(tick[0], s) - hinge(tick[1], s)) / (tick[0] - tick[1]);
}

static double catmull_rom_of_hinge(
        const sight *w, size_t newer, bool has_before, bool has_after, double s)
{
    const double *t = &w->t[newer];
    double length = t[0] - t[1], way = hinge(t[0], s) - hinge(t[1], s);
    double m1 = way, m2 = way;
    if (has_before) {
        m1 = way - length * length / (t[0] - t[2]) * bend_at(&t[1], s);
    }
    if (has_after) {
        m2 = way + length * length / (t[-1] - t[1]) * bend_at(t, s);
    }
    m1 = has_before ? m1 : 2 * way - m2;
    m2 = has_after ? m2 : 2 * way - m1;
    return cubic_of_hinge(t[1], t[0], w->c, s, m1, m2);
}

static double catmull_rom_bound(const sight *w, size_t newer)
{
    const double *t = &w->t[newer];
    bool has_before = newer + 2 < w->count, has_after = newer > 0;
    double length = t[0] - t[1], u = (w->c - t[1]) / length, bound;
    if (!has_before && !has_after) {
        return line_bound(w, newer);
    }
    if (has_before && has_after) {
        double product = (w->c - t[1]) * (t[0] - w->c);
        double tangents = (t[1] - t[2]) * (1 - u) + (t[-1] - t[0]) * u;
        bound = w->motion->fourth * product * product / 24
                + w->motion->jerk * tangents * u * (1 - u) * length * length / 6;
    } else {
        double third = has_before ? t[2] : t[-1]; /* the parabola through three */
        bound = w->motion->jerk * fabs((w->c - t[0]) * (w->c - t[1]) * (w->c - third)) / 6;
    }
    for (size_t i = 0; i < w->jump_count; ++i) {
        double s = seconds(w->jumps[i].at_ns);
        bound += w->jumps[i].speed * catmull_rom_of_hinge(w, newer, has_before, has_after, s);
    }
    return bound;
}

static double monotone_bound(const sight *w, size_t newer)
{
    const double *t = &w->t[newer];
    double length = t[0] - t[1], u = (w->c - t[1]) / length;
    double before = 0, after = 0;
    bool has_before = newer + 2 < w->count, has_after = newer > 0;
    if (has_before) {
        before = w->motion->acceleration * (t[0] - t[2]) / 2;
    }
    if (has_after) {
        after = w->motion->acceleration * (t[-1] - t[1]) / 2;
    }
    for (size_t i = 0; i < w->jump_count; ++i) {
        double s = seconds(w->jumps[i].at_ns);
        before += has_before ? w->jumps[i].speed * fabs(bend_at(&t[1], s)) : 0;
        after += has_after ? w->jumps[i].speed * fabs(bend_at(t, s)) : 0;
    }
    return line_bound(w, newer) + length * u * (1 - u) * (before * (1 - u) + after * u);
}

/* The newer tick, while it is in the future. */
static double step_bound(const sight *w, size_t newer)
{
    return w->speed * (w->t[newer] - w->c);
}

/* --- past the newest tick --------------------------------------------------------------------- */

static double reach_of(const es_prediction *prediction, double after)
{
    double max = seconds(prediction->max_ns > 0 ? prediction->max_ns : ES_PREDICT_MAX_NS);
    double ramp = seconds(prediction->ramp_ns);
    if (after <= max) {
        return after;
    }
    double over = after - max < ramp ? after - max : ramp;
    return max + (ramp > 0 ? over - over * over / (2 * ramp) : 0);
}

/* Of the prediction of the tick at `from` for c, over this part of the time between. */
static double reached_bound(const sight *w, double from, double c, double reach)
{
    int64_t contact_ns = 0;
    if (w->way->contact && w->motion->contact) {
        contact_ns = blend_motion_next_jump(w->motion, (int64_t)llround(from * 1e9));
    }
    if (contact_ns > 0 && seconds(contact_ns) - from < reach) {
        reach = seconds(contact_ns) - from;
    }
    double bound = w->way->prediction.kind == ES_PREDICT_BALLISTIC
                           ? w->motion->jerk * reach * reach * reach / 6
                           : w->motion->acceleration * reach * reach / 2;
    for (size_t i = 0; i < w->jump_count; ++i) {
        double s = seconds(w->jumps[i].at_ns);
        bound += s > from ? w->jumps[i].speed * hinge(from + reach, s) : 0;
        bound += s > from && s <= c ? w->jumps[i].place : 0;
    }
    return bound + w->speed * (c - from - reach);
}

static double prediction_bound(const sight *w, double from, double c)
{
    return reached_bound(w, from, c, reach_of(&w->way->prediction, c - from));
}

/* The older one goes on from where it was when the newer tick came. */
static double older_bound(const sight *w)
{
    double reach = reach_of(&w->way->prediction, w->t[0] - w->t[1])
                   + reach_of(&w->way->prediction, w->c - w->t[0]);
    return reached_bound(w, w->t[1], w->c, reach);
}

static double blend_of_predictions(const sight *w)
{
    double newest = prediction_bound(w, w->t[0], w->c);
    double tick = w->count > 1 ? w->t[0] - w->t[1] : 0; /* the shorter of the last two */
    if (w->count > 2 && w->t[1] - w->t[2] < tick) {
        tick = w->t[1] - w->t[2];
    }
    double passed = w->count > 1 ? (w->c - w->t[0]) / tick : 1;
    if (passed >= 1) {
        return newest;
    }
    double older = older_bound(w);
    return (1 - passed) * older + passed * newest;
}

static double decay_of_predictions(const sight *w)
{
    double bound = prediction_bound(w, w->t[0], w->c);
    double decay = seconds(ES_PREDICT_DECAY_NS);
    for (size_t age = 0; age + 1 < w->count; ++age) {
        double left = 1 - (w->c - w->t[age]) / decay;
        bound += left > 0 ? left * prediction_bound(w, w->t[age + 1], w->t[age]) : 0;
    }
    return bound;
}

static double ahead_bound(const sight *w)
{
    double bound = w->speed * (w->c - w->t[0]);
    for (size_t i = 0; i < w->jump_count; ++i) {
        double s = seconds(w->jumps[i].at_ns);
        bound += s > w->t[0] && s <= w->c ? w->jumps[i].place : 0;
    }
    if (!w->way->predicts) {
        return bound;
    }
    return w->way->prediction.correct == ES_CORRECT_BLEND   ? blend_of_predictions(w)
           : w->way->prediction.correct == ES_CORRECT_DECAY ? decay_of_predictions(w)
                                                            : prediction_bound(w, w->t[0], w->c);
}

/* --- all -------------------------------------------------------------------------------------- */

/* Between two ticks with a mark that changed, the newer is shown throughout. */
static double pair_bound(const sight *w, size_t newer)
{
    for (size_t i = 0; i < w->jump_count; ++i) {
        double s = seconds(w->jumps[i].at_ns);
        if (w->jumps[i].place > 0 && s > w->t[newer + 1] && s <= w->t[newer]) {
            return step_bound(w, newer) + (w->c < s ? w->jumps[i].place : 0);
        }
    }
    switch (w->way->kind) {
    case ES_BLEND_HERMITE:
        return hermite_bound(w, newer);
    case ES_BLEND_CATMULL_ROM:
        return catmull_rom_bound(w, newer);
    case ES_BLEND_MONOTONE:
        return monotone_bound(w, newer);
    case ES_BLEND_STEP:
        return step_bound(w, newer);
    default:
        return line_bound(w, newer);
    }
}

/* Past a change of its mark, an object has no older ticks. */
static void forget_marked(sight *w)
{
    for (size_t i = 0; i < w->jump_count; ++i) {
        double s = seconds(w->jumps[i].at_ns);
        for (size_t age = 0; w->jumps[i].place > 0 && age + 1 < w->count; ++age) {
            if (s > w->t[age + 1] && s <= w->t[age]) {
                w->count = age + 1;
            }
        }
    }
}

double blend_bound(const blend_motion *motion, const blend_way *way, double speed,
        const es_history *history, int64_t content_ns)
{
    sight w = {.motion = motion, .way = way, .speed = speed, .c = seconds(content_ns)};
    w.count = (size_t)es__history_count(history);
    for (size_t age = 0; age < w.count; ++age) {
        w.t[age] = seconds(es__history_time_ns(history, (int32_t)age));
    }
    int64_t until_ns = es__history_time_ns(history, 0);
    w.jump_count =
            blend_motion_jumps(motion, content_ns > until_ns ? content_ns : until_ns, w.jumps);
    if (w.c > w.t[0]) {
        forget_marked(&w);
        return rounding + ahead_bound(&w);
    }
    size_t newer = 0;
    while (newer + 1 < w.count && w.c <= w.t[newer + 1]) {
        newer += 1;
    }
    return rounding + (newer + 1 < w.count ? pair_bound(&w, newer) : 0);
}
