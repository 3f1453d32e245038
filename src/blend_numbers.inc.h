/* SPDX-License-Identifier: Zlib
 *
 * The blends of one number type. blend.c includes this once per type with
 *   NUMBER   float or double
 *   NAME(x)  x with the type's suffix
 *   WHOLE_FROM  from here on a number has no fraction, so an angle no direction
 * so that both types have the same code, to the letter.
 */

static bool NAME(is_finite)(NUMBER x)
{
    return x - x == 0;
}

/* a + alpha * d cannot pass b: d is the float nearest to b - a, alpha < 1 leaves at most the float
 * below it, and that is under b - a. So the only care is for alpha >= 1 and for the infinite. */
NUMBER NAME(es_lerp)(NUMBER a, NUMBER b, NUMBER alpha)
{
    if (!(alpha < 1)) {
        return b;
    }
    if (alpha <= 0 || a == b) {
        return a;
    }
    NUMBER difference = b - a;
    if (NAME(is_finite)(difference)) {
        return a + alpha * difference;
    }
    if (NAME(is_finite)(a) && NAME(is_finite)(b)) {
        /* b - a overflowed: the signs differ, so halves cannot */
        NUMBER half = (b / 2 - a / 2) * alpha;
        return (a + half) + half;
    }
    /* out of an infinity nothing leads but the last step; a NaN stays one */
    return difference == difference && !NAME(is_finite)(a) ? a : a + difference;
}

/* A difference of angles in (-pi, pi]. */
static NUMBER NAME(nearest_turn)(NUMBER difference)
{
    const NUMBER turn = (NUMBER)6.283185307179586476925286766559;
    const NUMBER half = (NUMBER)3.141592653589793238462643383280;
    if (difference > -half && difference <= half) {
        return difference;
    }
    NUMBER turns = difference / turn;
    /* to the nearest whole number, ties away from zero; exact below WHOLE_FROM */
    NUMBER whole = (NUMBER)(int64_t)(turns + (turns < 0 ? (NUMBER)-0.5 : (NUMBER)0.5));
    NUMBER rest = difference - whole * turn;
    if (rest <= -half) {
        rest += turn;
    } else if (rest > half) {
        rest -= turn;
    }
    return rest;
}

NUMBER NAME(es_angle)(NUMBER a, NUMBER b, NUMBER alpha)
{
    if (!(alpha < 1)) {
        return b;
    }
    if (alpha <= 0 || a == b) {
        return a;
    }
    NUMBER difference = b - a;
    if (!(difference > -WHOLE_FROM && difference < WHOLE_FROM)) {
        return difference != difference ? difference : b;
    }
    return a + alpha * NAME(nearest_turn)(difference);
}

static void NAME(blend_linear)(
        const NUMBER *a, const NUMBER *b, NUMBER *out, size_t count, NUMBER alpha)
{
    for (size_t i = 0; i < count; ++i) {
        out[i] = NAME(es_lerp)(a[i], b[i], alpha);
    }
}

static void NAME(blend_angle)(
        const NUMBER *a, const NUMBER *b, NUMBER *out, size_t count, NUMBER alpha)
{
    for (size_t i = 0; i < count; ++i) {
        out[i] = NAME(es_angle)(a[i], b[i], alpha);
    }
}
