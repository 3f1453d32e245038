/* SPDX-License-Identifier: Zlib
 *
 * Lines and circles of one number type. value_parts.h includes this once per type with
 *   NUMBER       float or double
 *   NAME(x)      x with the type's suffix
 *   TURNS_MOST   this many turns apart, the type holds too few digits of a fraction of a turn
 *   PERIOD_MOST  the longest period: half of it is less than half a unit of the type's largest
 *                number, and TURNS_MOST of it do not overflow
 * The kernels of simd/ compute the same for many numbers at once, bit for bit.
 */

static inline bool NAME(es__value_is_finite)(NUMBER x)
{
    return x - x == 0;
}

/* Between two numbers on the straight line: a + alpha * (b - a). The contract of C++20 std::lerp:
 * within [a, b] also where b - a overflows. From an infinity it is a until alpha is 1.
 *
 * Written with a - b so that a == b gives a with its sign, also where that is a zero. It cannot pass
 * b: the difference is the float nearest to b - a, alpha < 1 leaves at most the float below it, and
 * that is under b - a. Only alpha >= 1 and infinities are special. */
static inline NUMBER NAME(es__value_lerp)(NUMBER a, NUMBER b, NUMBER alpha)
{
    if (!(alpha < 1)) {
        return b;
    }
    if (alpha <= 0) {
        return a;
    }
    NUMBER difference = a - b;
    if (NAME(es__value_is_finite)(difference)) {
        return a - alpha * difference;
    }
    if (a == b) {
        return a;
    }
    if (NAME(es__value_is_finite)(a) && NAME(es__value_is_finite)(b)) {
        /* a - b overflowed: the signs differ, so halves cannot */
        NUMBER half = (b / 2 - a / 2) * alpha;
        return (a + half) + half;
    }
    /* an infinite a stays until alpha is 1; a NaN stays a NaN */
    return difference == difference && !NAME(es__value_is_finite)(a) ? a : a - difference;
}

/* A difference in (-turn / 2, turn / 2]. difference: under TURNS_MOST turns; turn: over 0, at most
 * PERIOD_MOST.
 *
 * From half a turn to one and a half it is difference - turn, from minus one and a half to minus
 * half difference + turn: `whole` is 1 or -1 there, and both subtractions are exact. (At minus one
 * and a half it is the tie, + turn / 2.) */
static inline NUMBER NAME(es__value_nearest_turn)(NUMBER difference, NUMBER turn)
{
    const NUMBER half = turn / 2;
    if (difference > -half && difference <= half) {
        return difference;
    }
    NUMBER turns = difference / turn;
    /* to the nearest whole number, ties away from zero; exact below TURNS_MOST */
    NUMBER whole = (NUMBER)(int64_t)(turns + (turns < 0 ? (NUMBER)-0.5 : (NUMBER)0.5));
    NUMBER rest = difference - whole * turn;
    if (rest <= -half) {
        rest += turn;
    } else if (rest > half) {
        rest -= turn;
    }
    return rest;
}

/* Between two values that repeat, the short way round. a, b: any number of periods. period: above 0,
 * at most PERIOD_MOST. With any other the result is b for every alpha above 0.
 *
 * The result lies between a and a + d, where d is b - a brought into (-period / 2, period / 2]; half
 * a period goes forward. It is not wrapped: from 0.9 to 0.1 of a period of 1, it rises from 0.9 to
 * 1.1. At alpha >= 1 it is b itself, which may differ from a + d by whole periods. TURNS_MOST or more
 * periods apart, it is b for every alpha above 0. Up to one and a half periods apart the reduction,
 * an IEEE remainder, is exact.
 *
 * Written with a - b for the sign of zeros, as es__value_lerp; so half a turn is -half here. */
static inline NUMBER NAME(es__value_cyclic)(NUMBER a, NUMBER b, NUMBER alpha, NUMBER period)
{
    if (!(alpha < 1)) {
        return b;
    }
    if (alpha <= 0) {
        return a;
    }
    if (!(period > 0 && period <= PERIOD_MOST)) {
        return a == b ? a : b;
    }
    const NUMBER half = period / 2;
    NUMBER difference = a - b, most = TURNS_MOST * period;
    if (difference == 0 || (difference >= -half && difference < half)) {
        return a - alpha * difference;
    }
    if (!(difference > -most && difference < most)) {
        return difference != difference && a != b ? difference : b;
    }
    NUMBER way = NAME(es__value_nearest_turn)(-difference, period);
    return way == 0 ? a : a + alpha * way; /* a -0 stays, as in the kernels */
}

static inline NUMBER NAME(es__value_angle)(NUMBER a, NUMBER b, NUMBER alpha)
{
    return NAME(es__value_cyclic)(a, b, alpha, (NUMBER)6.283185307179586476925286766559);
}
