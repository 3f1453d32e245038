/* SPDX-License-Identifier: Zlib
 *
 * Motions by formula. Times are subtracted and reduced to a quarter of a period as whole
 * nanoseconds, and become doubles only then.
 */
#include "evenstep/world.h"

static const double half_pi = 1.5707963267948966;

/* --- sine and cosine -------------------------------------------------------------------------- */

/* An angle: whole quarters of a turn, 0 to 3, and a rest of -0.5 to 0.5 quarters, whose last places
 * a sum of both would lose. */
typedef struct angle {
    unsigned quarters;
    double rest;
} angle;

/* The power series for |x| <= pi / 4; the omitted terms are under 1e-17. */
static double sine_series(double x)
{
    static const double factors[] = {-1.0 / 6, 1.0 / 120, -1.0 / 5040, 1.0 / 362880,
            -1.0 / 39916800, 1.0 / 6227020800, -1.0 / 1307674368000, 1.0 / 355687428096000};
    double square = x * x;
    double sum = 0;
    for (int i = 7; i >= 0; --i) {
        sum = square * (factors[i] + sum);
    }
    return x + x * sum;
}

static double cosine_series(double x)
{
    static const double factors[] = {-1.0 / 2, 1.0 / 24, -1.0 / 720, 1.0 / 40320, -1.0 / 3628800,
            1.0 / 479001600, -1.0 / 87178291200, 1.0 / 20922789888000};
    double square = x * x;
    double sum = 0;
    for (int i = 7; i >= 0; --i) {
        sum = square * (factors[i] + sum);
    }
    return 1 + sum;
}

/* further: 1 for the cosine, which is the sine a quarter ahead. */
static double sine_of(angle at, unsigned further)
{
    unsigned quarter = (at.quarters + further) & 3U;
    double x = at.rest * half_pi;
    double size = (quarter & 1U) != 0 ? cosine_series(x) : sine_series(x);
    return (quarter & 2U) != 0 ? 0 - size : size;
}

/* turns in quarters; a NaN stays in the rest. */
static angle angle_of_turns(double turns)
{
    if (!(turns > -0x1p52 && turns < 0x1p52)) {
        return (angle){0, turns - turns}; /* whole turns, or no number at all */
    }
    double part = turns - (double)(int64_t)turns;
    double quarters = 4 * part; /* -4 to 4, exact */
    int whole = (int)(quarters + (quarters < 0 ? -0.5 : 0.5));
    return (angle){(unsigned)whole & 3U, quarters - whole};
}

/* elapsed / period, of a period over 0. */
static angle angle_of_time(uint64_t elapsed, uint64_t period)
{
    uint64_t rest = elapsed % period; /* below 2^63 */
    unsigned quarters = 0;
    for (int i = 0; i < 2; ++i) {
        quarters *= 2;
        rest *= 2;
        if (rest >= period) {
            rest -= period;
            quarters += 1;
        }
    }
    double part = (double)rest / (double)period;
    if (rest > period - rest) {
        part = -((double)(period - rest) / (double)period);
        quarters += 1;
    }
    return (angle){quarters & 3U, part};
}

static angle angle_sum(angle a, angle b)
{
    angle sum = {a.quarters + b.quarters, a.rest + b.rest};
    if (sum.rest > 0.5) {
        sum.quarters += 1;
        sum.rest -= 1;
    } else if (sum.rest < -0.5) {
        sum.quarters -= 1;
        sum.rest += 1;
    }
    sum.quarters &= 3U;
    return sum;
}

/* --- formulas ----------------------------------------------------------------------------------- */

/* Nanoseconds since the start, from 0 to the end. The difference of two int64_t fits uint64_t. */
static uint64_t elapsed_ns(const es_formula *formula, int64_t content_ns)
{
    if (content_ns <= formula->start_ns) {
        return 0;
    }
    uint64_t elapsed = (uint64_t)content_ns - (uint64_t)formula->start_ns;
    uint64_t duration = formula->duration_ns > 0 ? (uint64_t)formula->duration_ns : UINT64_MAX;
    return elapsed < duration ? elapsed : duration;
}

static bool is_moving(const es_formula *formula, int64_t content_ns)
{
    if (content_ns < formula->start_ns) {
        return false;
    }
    uint64_t since = (uint64_t)content_ns - (uint64_t)formula->start_ns;
    return formula->duration_ns <= 0 || since <= (uint64_t)formula->duration_ns;
}

static double formula_seconds(uint64_t ns)
{
    return (double)ns / 1e9;
}

static angle angle_at(const es_formula *formula, uint64_t elapsed)
{
    angle phase = angle_of_turns(formula->phase);
    if (formula->period_ns <= 0) {
        return phase;
    }
    return angle_sum(phase, angle_of_time(elapsed, (uint64_t)formula->period_ns));
}

double es_formula_at(const es_formula *formula, int64_t content_ns)
{
    if (formula == NULL) {
        return 0;
    }
    uint64_t elapsed = elapsed_ns(formula, content_ns);
    double t = formula_seconds(elapsed);
    switch (formula->kind) {
    case ES_FORMULA_LINEAR:
        return formula->base + formula->velocity * t;
    case ES_FORMULA_BALLISTIC:
        return formula->base + (formula->velocity + 0.5 * formula->acceleration * t) * t;
    case ES_FORMULA_SINE:
        return formula->base + formula->amplitude * sine_of(angle_at(formula, elapsed), 0);
    case ES_FORMULA_CONSTANT:
    default:
        return formula->base;
    }
}

double es_formula_velocity_at(const es_formula *formula, int64_t content_ns)
{
    if (formula == NULL || !is_moving(formula, content_ns)) {
        return 0;
    }
    uint64_t elapsed = elapsed_ns(formula, content_ns);
    switch (formula->kind) {
    case ES_FORMULA_LINEAR:
        return formula->velocity;
    case ES_FORMULA_BALLISTIC:
        return formula->velocity + formula->acceleration * formula_seconds(elapsed);
    case ES_FORMULA_SINE:
        if (formula->period_ns <= 0) {
            return 0;
        }
        return formula->amplitude * (4 * half_pi / formula_seconds((uint64_t)formula->period_ns))
               * sine_of(angle_at(formula, elapsed), 1);
    case ES_FORMULA_CONSTANT:
    default:
        return 0;
    }
}

double es_formula_between(const es_formula *previous, const es_formula *current, int64_t content_ns)
{
    bool before = current == NULL || content_ns < current->start_ns;
    return es_formula_at(before ? previous : current, content_ns);
}

es_formula es_formula_continue(const es_formula *from, int64_t now_ns, es_formula_kind kind)
{
    static const es_formula none = {0};
    from = from != NULL ? from : &none;
    es_formula next = {ES_FORMULA_CONSTANT, now_ns, 0, es_formula_at(from, now_ns), 0, 0, 0, 0, 0};
    if (kind == ES_FORMULA_LINEAR || kind == ES_FORMULA_BALLISTIC) {
        next.kind = kind;
        next.velocity = es_formula_velocity_at(from, now_ns);
        next.acceleration = kind == ES_FORMULA_BALLISTIC ? from->acceleration : 0;
    } else if (kind == ES_FORMULA_SINE && from->kind == kind && is_moving(from, now_ns)) {
        angle at = angle_at(from, elapsed_ns(from, now_ns));
        next = *from;
        next.start_ns = now_ns;
        next.duration_ns = 0;
        next.phase = (at.quarters + at.rest) / 4;
    }
    return next;
}
