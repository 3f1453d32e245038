/* SPDX-License-Identifier: Zlib
 *
 * Jumps that are found by themselves: an object went much farther in a tick than it usually does.
 * docs/notes/cuts.md tells how often that errs. The constants were found by trial, on other motion.
 */
#include "evenstep/world.h"

#include "base/common.h"

#include <float.h>
#include <math.h>

#define RATIO_OF_ONE 5.0
#define RATIO_OF_TWO 4.0 /* where the next way is known */

/* The usual way follows a longer way by 1/8 and a shorter one by 1/32 of the difference, so that it
 * is above the mean. Below an eighth of it an object rests, or nearly: by 1/512 of itself. */
#define RISE   (1.0 / 8)
#define FALL   (1.0 / 32)
#define REST   (1.0 / 8)
#define FORGET (1.0 / 512)

/* The way after a jump shows the speed of a new object. It is another jump only if it exceeds the
 * ratio AGAIN times. */
#define AGAIN 4.0

/* A next way over LEAPS times as long is a jump itself, and shows nothing of this one: then the
 * ratio is multiplied by NEXT_LEAPS. */
#define LEAPS      2.0
#define NEXT_LEAPS 2.0

/* after: the tick before was a jump, and the next way is not known. */
static double usual_after(double usual, double way, bool after)
{
    if (!(usual > 0) || (after && way > usual)) {
        return way;
    }
    if (way < REST * usual) {
        return way > 0 ? usual - FORGET * usual : usual;
    }
    return usual + (way - usual) * (way > usual ? RISE : FALL);
}

/* Jumps in a row, and one of an object at rest, raise it: else a new speed would be jumps for good. */
static float usual_at_jump(
        const es_jumps *rule, double known, double ratio, bool raises, double next_way)
{
    if (!raises || next_way >= 0) {
        return (float)known;
    }
    double raised = known > 0 ? known * ratio : es__max_f64(rule->shortest, 0) / ratio;
    return (float)es__min_f64(raised, (double)FLT_MAX);
}

bool es_jumped(const es_jumps *jumps, float *usual, double way, double next_way)
{
    if (usual == NULL) {
        return false;
    }
    const es_jumps rule = jumps != NULL ? *jumps : (es_jumps){0};
    const double known = fabs((double)*usual);
    const bool after = *usual < 0 && !(next_way >= 0); /* below 0: just after a jump */
    double ratio = rule.ratio > 0 ? rule.ratio : next_way >= 0 ? RATIO_OF_TWO : RATIO_OF_ONE;
    const double raise = ratio;
    double from = known;
    if (next_way > LEAPS * way) {
        ratio *= NEXT_LEAPS;
    } else {
        from = es__max_f64(next_way, known);
        ratio *= after ? AGAIN : 1.0;
    }
    const double most = es__max_f64(ratio * from, rule.shortest);
    if (!(way <= (double)FLT_MAX) || (most > 0 && way > most)) {
        *usual = -usual_at_jump(&rule, known, raise, *usual < 0 || known == 0, next_way);
        return true;
    }
    *usual = (float)usual_after(known, way, after);
    return false;
}
