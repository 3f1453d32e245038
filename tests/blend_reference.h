/* SPDX-License-Identifier: Zlib
 *
 * What a blend must show, computed the slow way: object by object, number by number, in long
 * double, straight from the definitions in docs/notes/blending.md. It shares no code or structure
 * with src/: places by its own arithmetic, lives of objects as lists of ticks, cubics in the
 * textbook's basis, tangents by Lagrange's formula, rotations by the sine.
 */
#ifndef BLEND_REFERENCE_H
#define BLEND_REFERENCE_H

#include "world_support.h"

#define REF_COMPONENTS 8

/* The ticks, newest first, through which an object lived without a jump. */
typedef struct ref_life {
    const es__blend_job *job;
    const es_field *field;
    size_t element;
    int count;
    size_t tick[ES_HISTORY_TICKS_MAX]; /* index into job->ticks */
} ref_life;

typedef enum ref_form {
    REF_TICK, /* the bytes of tick `newer` */
    REF_PAIR, /* by a function of value.h, between ticks newer and newer + 1 */
    REF_MORE  /* from more than two numbers */
} ref_form;

/* What an element shows. */
typedef struct ref_shown {
    ref_form form;
    size_t newer;
    double alpha;   /* REF_PAIR */
    bool ambiguous; /* half a turn: either way is right */
    int steps;      /* rounded operations whose errors may add up */
    double turns;   /* a predicted rotation: turns beyond the tick */
    long double value[REF_COMPONENTS];
    long double scale[REF_COMPONENTS]; /* the sizes of all terms, added up */
} ref_shown;

static inline long double ref_epsilon(es_type type)
{
    return type == ES_TYPE_F32 ? (long double)FLT_EPSILON : (long double)DBL_EPSILON;
}

static inline const es_field *ref_find(const es_layout *layout, const char *name)
{
    for (size_t i = 0; name != NULL && i < layout->field_count; ++i) {
        if (strcmp(layout->fields[i].name, name) == 0) {
            return &layout->fields[i];
        }
    }
    return NULL;
}

static inline double ref_length(const es__blend_job *job, size_t i)
{
    return (double)(job->ticks[i].time_ns - job->ticks[i + 1].time_ns);
}

/* A delay counts in ticks of their own length; beyond the ends they are as long as the last. */
static inline int64_t ref_instant(const es__blend_job *job, const es_field *field)
{
    size_t last = job->tick_count - 1, from = 0, to = 0;
    if (job->tick_count < 2 || !(fabs(field->delay_ticks) > 0)) {
        return job->content_ns;
    }
    for (size_t i = 1; i < last; ++i) {
        from += job->content_ns < job->ticks[i].time_ns;
    }
    double ago = (double)(job->ticks[from].time_ns - job->content_ns) / ref_length(job, from);
    ago = (double)from + ago + field->delay_ticks;
    for (size_t i = 1; i < last; ++i) {
        to += ago > (double)i;
    }
    return job->ticks[to].time_ns - (int64_t)llround((ago - (double)to) * ref_length(job, to));
}

/* ---- lives ---- */

static inline bool ref_same_mark(
        const es__blend_job *job, const es_field *field, size_t element, size_t a, size_t b)
{
    for (size_t i = 0; field->group > 0 && i < job->layout->field_count; ++i) {
        const es_field *mark = &job->layout->fields[i];
        if (mark->group == field->group && mark->blend == ES_BLEND_MARK) {
            size_t at = ref_place(mark, element, 0), size = ref_type_size(mark->type);
            const unsigned char *one = job->ticks[a].state, *other = job->ticks[b].state;
            return memcmp(one + at, other + at, size) == 0;
        }
    }
    return true;
}

/* The life that holds a tick; returns the tick's place in it. */
static inline int ref_live(ref_life *life, size_t tick)
{
    size_t first = tick;
    while (first > 0 && ref_same_mark(life->job, life->field, life->element, first - 1, first)) {
        first -= 1;
    }
    life->count = 0;
    for (size_t k = first; k < life->job->tick_count; ++k) {
        if (k > first && !ref_same_mark(life->job, life->field, life->element, k - 1, k)) {
            break;
        }
        life->tick[life->count] = k;
        life->count += 1;
    }
    return (int)(tick - first);
}

static inline long double ref_time(const ref_life *life, int k)
{
    return (long double)life->job->ticks[life->tick[k]].time_ns;
}

static inline long double ref_at(const ref_life *life, const es_field *field, int k, size_t c)
{
    return ref_number(life->job->ticks[life->tick[k]].state, field, life->element, c);
}

static inline long double ref_p(const ref_life *life, int k, size_t c)
{
    return ref_at(life, life->field, k, c);
}

static inline const es_field *ref_velocity(const ref_life *life)
{
    return ref_find(life->job->layout, life->field->velocity);
}

/* ---- circles ---- */

static inline long double ref_wrap(const ref_life *life, long double difference, ref_shown *shown)
{
    long double turn = ref_turn(life->field);
    if (!(turn > 0)) {
        return difference;
    }
    long double rest = remainderl(difference, turn);
    if (fabsl(fabsl(rest) / turn - 0.5L) < 1e-4L) {
        shown->ambiguous = true;
    }
    return rest;
}

/* ---- between two ticks ---- */

/* At tick k, which has neighbours; per second. */
static inline long double ref_slope(const ref_life *life, int k, size_t c, bool limited)
{
    long double at[3], value[3];
    for (int i = 0; i < 3; ++i) {
        at[i] = (ref_time(life, k + 1 - i) - ref_time(life, k)) / 1e9L;
        value[i] = ref_p(life, k + 1 - i, c);
    }
    long double p = 0; /* of the parabola through the three points */
    for (int i = 0; i < 3; ++i) {
        int n = (i + 1) % 3, m = (i + 2) % 3;
        long double apart = (at[i] - at[n]) * (at[i] - at[m]);
        p += value[i] * ((at[1] - at[n]) + (at[1] - at[m])) / apart;
    }
    if (!limited) {
        return p;
    }
    long double s0 = (value[1] - value[0]) / (at[1] - at[0]);
    long double s1 = (value[2] - value[1]) / (at[2] - at[1]);
    int sign = ((s0 > 0) - (s0 < 0)) + ((s1 > 0) - (s1 < 0));
    return sign * fminl(fminl(fabsl(s0), fabsl(s1)), fabsl(p) / 2);
}

static inline void ref_spline(
        const ref_life *life, int k, long double t, size_t c, ref_shown *shown)
{
    es_blend_kind kind = life->field->blend;
    bool has_before = k + 2 < life->count, has_after = k > 0;
    long double p1 = ref_p(life, k + 1, c), p2 = ref_p(life, k, c);
    long double length_s = (ref_time(life, k) - ref_time(life, k + 1)) / 1e9L;
    long double chord = (p2 - p1) / length_s, m1 = chord, m2 = chord;
    const es_field *velocity = ref_velocity(life);
    if (velocity != NULL && kind != ES_BLEND_CATMULL_ROM) {
        m1 = ref_at(life, velocity, k + 1, c);
        m2 = ref_at(life, velocity, k, c);
    } else {
        m1 = has_before ? ref_slope(life, k + 1, c, kind == ES_BLEND_MONOTONE) : chord;
        m2 = has_after ? ref_slope(life, k, c, kind == ES_BLEND_MONOTONE) : chord;
    }
    if (kind == ES_BLEND_CATMULL_ROM && has_before != has_after) {
        *(has_before ? &m2 : &m1) = 2 * chord - (has_before ? m1 : m2);
    }
    if (kind == ES_BLEND_MONOTONE && velocity != NULL) {
        m1 = m1 * chord > 0 ? copysignl(fminl(fabsl(m1), 3 * fabsl(chord)), chord) : 0;
        m2 = m2 * chord > 0 ? copysignl(fminl(fabsl(m2), 3 * fabsl(chord)), chord) : 0;
    }
    /* the textbook's cubic: ends and tangents, per second */
    long double t2 = t * t, t3 = t2 * t;
    shown->value[c] = (2 * t3 - 3 * t2 + 1) * p1 + (t3 - 2 * t2 + t) * length_s * m1
                      + (3 * t2 - 2 * t3) * p2 + (t3 - t2) * length_s * m2;
    shown->scale[c] = fabsl(p1) + fabsl(p2) + fabsl(length_s * m1) + fabsl(length_s * m2);
    if (kind == ES_BLEND_MONOTONE) {
        shown->value[c] = fmaxl(fminl(p1, p2), fminl(fmaxl(p1, p2), shown->value[c]));
    }
    /* the numbers behind the tangents are rounded too */
    for (int i = k - 1; i <= k + 2; ++i) {
        shown->scale[c] += i >= 0 && i < life->count ? 4 * fabsl(ref_p(life, i, c)) : 0;
    }
    shown->steps = 12;
}

/* IEC 61966-2-1, with the two pieces switched where they meet (value_parts.h). */
static inline long double ref_decode(long double e)
{
    long double size = fabsl(e);
    long double light = size < 0.04044823627710819170437L ? size / 12.92L
                                                          : powl((size + 0.055L) / 1.055L, 2.4L);
    return copysignl(light, e);
}

static inline long double ref_encode(long double light)
{
    long double size = fabsl(light);
    long double e = size < 0.003130668442500634032802L ? size * 12.92L
                                                       : 1.055L * powl(size, 1 / 2.4L) - 0.055L;
    return copysignl(e, light);
}

/* Colours, mixed as premultiplied light. */
static inline void ref_colour_at(
        const ref_life *life, int k, long double t, long double value[REF_COMPONENTS])
{
    bool encoded = life->field->blend == ES_BLEND_SRGB;
    long double full = life->field->type == ES_TYPE_U8 ? 255 : 1; /* the value of white */
    size_t components = ref_components(life->field);
    long double a = components == 4 ? ref_p(life, k + 1, 3) : full;
    long double b = components == 4 ? ref_p(life, k, 3) : full;
    long double mixed = a + t * (b - a);
    for (size_t c = 0; c < components; ++c) {
        long double p = ref_p(life, k + 1, c) / full, q = ref_p(life, k, c) / full;
        if (c == 3) {
            value[c] = mixed;
            continue;
        }
        p = encoded ? ref_decode(p) : p;
        q = encoded ? ref_decode(q) : q;
        long double light = mixed > 0 ? ((1 - t) * a * p + t * b * q) / mixed : p + t * (q - p);
        value[c] = full * (encoded ? ref_encode(light) : light);
    }
}

/* Between alphas that differ much, the mix can hang on the last bit of t. */
static inline void ref_colour(const ref_life *life, int k, long double t, ref_shown *shown)
{
    long double step = ref_epsilon(life->field->type), other[REF_COMPONENTS];
    ref_colour_at(life, k, t, shown->value);
    ref_colour_at(life, k, t > 0.5L ? t - step : t + step, other);
    for (size_t c = 0; c < ref_components(life->field); ++c) {
        shown->scale[c] = fabsl(ref_p(life, k + 1, c)) + fabsl(ref_p(life, k, c))
                          + fabsl(other[c] - shown->value[c]) / step;
    }
    shown->steps = life->field->blend == ES_BLEND_SRGB ? 64 : 12;
}

/* Along the great circle; t may be beyond 1. The shorter way. */
static inline bool ref_slerp(
        const long double a[4], const long double b[4], long double t, long double out[4])
{
    long double la = 0, lb = 0, dot = 0, rest = 0, other[4];
    for (int c = 0; c < 4; ++c) {
        la += a[c] * a[c];
        lb += b[c] * b[c];
        dot += a[c] * b[c];
    }
    la = sqrtl(la);
    lb = sqrtl(lb);
    long double sign = dot < 0 ? -1 : 1;
    for (int c = 0; c < 4; ++c) { /* b's part across a: the angle is exact however small */
        other[c] = sign * b[c] / lb - a[c] / la * (fabsl(dot) / la / lb);
        rest += other[c] * other[c];
    }
    rest = sqrtl(rest);
    long double angle = atan2l(rest, fabsl(dot) / la / lb);
    for (int c = 0; c < 4; ++c) {
        out[c] = cosl(t * angle) * a[c] / la + (rest > 0 ? sinl(t * angle) * other[c] / rest : 0);
    }
    return fabsl(dot) / la / lb > 1e-4L;
}

static inline void ref_quad(const ref_life *life, int k, long double q[4])
{
    for (size_t c = 0; c < 4; ++c) {
        q[c] = ref_p(life, k, c);
    }
}

static inline void ref_straight(
        const ref_life *life, int k, long double t, size_t c, ref_shown *shown)
{
    long double p1 = ref_p(life, k + 1, c), p2 = ref_p(life, k, c);
    shown->steps = 4;
    shown->scale[c] = fabsl(p1) + fabsl(p2);
    if (life->field->blend == ES_BLEND_LOG && p1 * p2 > 0) {
        shown->value[c] = p1 * powl(p2 / p1, t);
        return;
    }
    shown->value[c] = p1 + t * ref_wrap(life, p2 - p1, shown);
}

static inline void ref_between(const ref_life *life, int k, long double t, ref_shown *shown)
{
    es_blend_kind kind = life->field->blend;
    bool more =
            kind == ES_BLEND_HERMITE
            || (life->job->timed
                    && (kind == ES_BLEND_MONOTONE
                            || (kind == ES_BLEND_CATMULL_ROM && (k > 0 || k + 2 < life->count))));
    shown->form = more ? REF_MORE : REF_PAIR;
    if (kind == ES_BLEND_ROTATION) {
        long double a[4], b[4];
        ref_quad(life, k + 1, a);
        ref_quad(life, k, b);
        shown->ambiguous = !ref_slerp(a, b, t, shown->value);
    } else if (kind == ES_BLEND_COLOUR || kind == ES_BLEND_SRGB) {
        ref_colour(life, k, t, shown);
    } else {
        for (size_t c = 0; c < ref_components(life->field); ++c) {
            if (more) {
                ref_spline(life, k, t, c, shown);
            } else {
                ref_straight(life, k, t, c, shown);
            }
        }
    }
}

/* ---- past the newest tick ---- */

/* How far a prediction has come; it may stand still. */
static inline long double ref_way(const es_prediction *p, long double since)
{
    long double most = (long double)(p->max_ns > 0 ? p->max_ns : INT64_C(250000000));
    long double ramp = (long double)p->ramp_ns;
    if (since > most) {
        long double over = fminl(since - most, ramp);
        since = ramp > 0 ? most + over - over * over / (2 * ramp) : most;
    }
    return since;
}

/* The instant that the newest tick's prediction has reached. */
static inline long double ref_reached(const ref_life *life, int64_t instant)
{
    return ref_time(life, 0)
           + ref_way(life->field->prediction, (long double)instant - ref_time(life, 0));
}

/* And the one of the tick before, which goes on from where it was when the newest came. */
static inline long double ref_reached_before(const ref_life *life, int64_t instant)
{
    long double length = ref_time(life, 0) - ref_time(life, 1);
    return ref_time(life, 1) + ref_way(life->field->prediction, length)
           + (ref_reached(life, instant) - ref_time(life, 0));
}

/* The part of a correction that is over: it takes the shorter of the last two ticks. */
static inline long double ref_over(const ref_life *life, int64_t instant)
{
    long double length = ref_time(life, 0) - ref_time(life, 1);
    if (life->count > 2) {
        length = fminl(length, ref_time(life, 1) - ref_time(life, 2));
    }
    return ((long double)instant - ref_time(life, 0)) / length;
}

static inline bool ref_can_predict(const ref_life *life, int k)
{
    return k < life->count && (ref_velocity(life) != NULL || k + 1 < life->count);
}

/* An instant after tick k, or the contact that the tick announces before it. */
static inline long double ref_until(const ref_life *life, int k, long double instant)
{
    const es_field *contact = ref_find(life->job->layout, life->field->contact);
    long double touch = contact != NULL ? ref_at(life, contact, k, 0) : 0;
    bool stops = contact != NULL && touch > ref_time(life, k) && touch < instant;
    return stops ? touch : instant;
}

/* What tick k predicts for an instant after it. */
static inline long double ref_predict(
        const ref_life *life, int k, long double instant, size_t c, ref_shown *shown)
{
    const es_layout *layout = life->job->layout;
    const es_field *velocity = ref_velocity(life);
    const es_field *acceleration = ref_find(layout, life->field->acceleration);
    long double tau = (ref_until(life, k, instant) - ref_time(life, k)) / 1e9L, v, a = 0;
    if (velocity != NULL) {
        v = ref_at(life, velocity, k, c);
        if (acceleration != NULL && life->field->prediction->kind == ES_PREDICT_BALLISTIC) {
            a = ref_at(life, acceleration, k, c);
        }
    } else {
        long double length_s = (ref_time(life, k) - ref_time(life, k + 1)) / 1e9L;
        v = ref_wrap(life, ref_p(life, k, c) - ref_p(life, k + 1, c), shown) / length_s;
        shown->scale[c] +=
                tau / length_s * (fabsl(ref_p(life, k, c)) + fabsl(ref_p(life, k + 1, c)));
    }
    shown->scale[c] += fabsl(ref_p(life, k, c)) + fabsl(v * tau) + fabsl(a * tau * tau);
    return ref_p(life, k, c) + v * tau + a * tau * tau / 2;
}

static inline void ref_ahead_number(
        const ref_life *life, int64_t instant, size_t c, ref_shown *shown)
{
    const es_prediction *p = life->field->prediction;
    long double reached = ref_reached(life, instant);
    long double now = (long double)instant;
    long double newest = ref_predict(life, 0, reached, c, shown);
    shown->steps = 24;
    shown->value[c] = newest;
    if (p->correct == ES_CORRECT_BLEND && life->count > 1 && ref_can_predict(life, 1)) {
        long double u = ref_over(life, instant);
        if (u < 1) {
            long double older = ref_predict(life, 1, ref_reached_before(life, instant), c, shown);
            shown->value[c] = newest + (1 - u) * ref_wrap(life, older - newest, shown);
        }
    }
    long double fade = (long double)(p->decay_ns > 0 ? p->decay_ns : INT64_C(100000000));
    size_t needed = ref_velocity(life) != NULL ? 1 : 2, kept = life->job->tick_count;
    if (kept > needed) {
        const es_blend_tick *ticks = life->job->ticks;
        fade = fminl(fade, (long double)(ticks[0].time_ns - ticks[kept - needed].time_ns));
    }
    for (int k = 0; p->correct == ES_CORRECT_DECAY && ref_can_predict(life, k + 1); ++k) {
        long double left = 1 - (now - ref_time(life, k)) / fade;
        if (left > 0) {
            long double length = ref_time(life, k) - ref_time(life, k + 1);
            long double then = ref_time(life, k + 1) + ref_way(p, length);
            long double said = ref_predict(life, k + 1, then, c, shown);
            shown->value[c] += left * ref_wrap(life, said - ref_p(life, k, c), shown);
            shown->scale[c] += fabsl(ref_p(life, k, c));
        }
    }
}

static inline void ref_ahead_rotation(const ref_life *life, int64_t instant, ref_shown *shown)
{
    long double reached = ref_until(life, 0, ref_reached(life, instant));
    long double q[3][4], newer[4], older[4];
    for (int k = 0; k < 3 && k < life->count; ++k) {
        ref_quad(life, k, q[k]);
    }
    long double length = ref_time(life, 0) - ref_time(life, 1);
    shown->turns = (double)((reached - ref_time(life, 0)) / length);
    shown->ambiguous = !ref_slerp(q[1], q[0], (reached - ref_time(life, 1)) / length, newer);
    long double u = ref_over(life, instant);
    if (u < 1 && life->count > 2 && life->field->prediction->correct != ES_CORRECT_SNAP) {
        long double before = ref_time(life, 1) - ref_time(life, 2);
        long double until = ref_until(life, 1, ref_reached_before(life, instant));
        long double turns = (until - ref_time(life, 2)) / before;
        bool clear = ref_slerp(q[2], q[1], turns, older);
        clear = ref_slerp(older, newer, u, newer) && clear;
        shown->ambiguous = shown->ambiguous || !clear;
        shown->turns = fmax(shown->turns, (double)turns);
    }
    memcpy(shown->value, newer, sizeof newer);
}

static inline void ref_ahead(const ref_life *life, int64_t instant, ref_shown *shown)
{
    const es_prediction *prediction = life->field->prediction;
    if (prediction == NULL || prediction->kind == ES_PREDICT_HOLD || !ref_can_predict(life, 0)) {
        shown->form = REF_TICK;
        shown->newer = life->tick[0];
        return;
    }
    shown->form = REF_MORE;
    if (life->field->blend == ES_BLEND_ROTATION) {
        ref_ahead_rotation(life, instant, shown);
        return;
    }
    for (size_t c = 0; c < ref_components(life->field); ++c) {
        ref_ahead_number(life, instant, c, shown);
    }
}

/* ---- all of it ---- */

static inline void ref_at_tick(ref_shown *shown, size_t tick)
{
    shown->form = REF_TICK;
    shown->newer = tick;
}

/* Strictly between ticks newer + 1 and newer, if the object lived through both. */
static inline void ref_inside(
        ref_life *life, size_t newer, double alpha, long double t, ref_shown *shown)
{
    es_blend_kind kind = life->field->blend;
    int k = ref_live(life, newer);
    ref_at_tick(shown, newer);
    if (kind == ES_BLEND_NEAREST && alpha < 0.5 && k + 1 < life->count) {
        shown->newer = newer + 1;
    }
    bool copied = kind == ES_BLEND_NEAREST || kind == ES_BLEND_STEP || kind == ES_BLEND_MARK;
    bool spline =
            kind == ES_BLEND_HERMITE || kind == ES_BLEND_CATMULL_ROM || kind == ES_BLEND_MONOTONE;
    if (!spline && life->field->type == ES_TYPE_F32) {
        /* the last float below the end may be whole turns, or a transparent colour, from the end */
        copied = copied || (float)alpha >= 1;
        t = (long double)(float)alpha;
    }
    if (!copied && k + 1 < life->count) {
        shown->alpha = alpha;
        ref_between(life, k, t, shown);
    }
}

/* What an element of a field shows. */
static inline void ref_show(
        const es__blend_job *job, const es_field *field, size_t element, ref_shown *shown)
{
    static const ref_shown nothing;
    ref_life life = {job, field, element, 0, {0}};
    int64_t instant = ref_instant(job, field);
    size_t last = job->tick_count - 1, j = 0;
    *shown = nothing;
    if (!job->timed) {
        if (last == 0 || !(job->alpha < 1) || job->alpha <= 0) {
            ref_at_tick(shown, last > 0 && job->alpha <= 0 ? 1 : 0);
        } else {
            ref_inside(&life, 0, job->alpha, (long double)job->alpha, shown);
        }
        return;
    }
    if (instant > job->ticks[0].time_ns) {
        ref_live(&life, 0);
        ref_ahead(&life, instant, shown);
        return;
    }
    while (j < last && instant <= job->ticks[j + 1].time_ns) {
        j += 1;
    }
    if (j == last || instant == job->ticks[j].time_ns) {
        ref_at_tick(shown, j);
        return;
    }
    long double since = (long double)(instant - job->ticks[j + 1].time_ns);
    double alpha = (double)since / ref_length(job, j);
    ref_inside(&life, j, alpha, since / (long double)ref_length(job, j), shown);
}

#endif
