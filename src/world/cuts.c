/* SPDX-License-Identifier: Zlib
 *
 * Jumps that are found by themselves: an object moved much farther in a tick than it usually does.
 * docs/notes/cuts.md has the rule and how often it errs.
 */
#include "cuts.h"

#include "blend_parts.h"

#include <float.h>
#include <math.h>

/* The usual way follows a longer way by 1/8 and a shorter one by 1/32 of the difference, so that it
 * is above the mean. Below an eighth of it an object rests, or nearly: by 1/512 of itself. */
#define RISE   (1.0 / 8)
#define FALL   (1.0 / 32)
#define REST   (1.0 / 8)
#define FORGET (1.0 / 512)

/* The way after a jump tells a new object's speed; only a jump this many times longer is another. */
#define AGAIN 4.0

bool es__cut_is(float usual, double least, double way, double next, double ratio)
{
    const double of = fmax(fmax(fabs((double)usual), least), next);
    return of > 0 && !(way <= ratio * (usual < 0 && next < 0 ? AGAIN : 1.0) * of);
}

float es__cut_learn(float usual, double least, double way, bool is_cut, bool knows_next)
{
    const double of = fabs((double)usual);
    if (is_cut || !(way <= (double)FLT_MAX)) {
        return (float)-(of > 0 ? of : least);
    }
    if (!(of > 0) || (usual < 0 && !knows_next && way > of)) {
        return (float)way;
    }
    if (way < REST * of) {
        return (float)(way > 0 ? of - FORGET * of : of);
    }
    return (float)(of + (way - of) * (way > of ? RISE : FALL));
}

/* --- a group of a history --------------------------------------------------------------------- */

/* The lengths of the ways of one object between two ticks. */
static double way_of(const es_field *field, size_t element, const void *from, const void *to)
{
    double sum = 0;
    for (size_t c = 0; c < es__components(field); ++c) {
        const unsigned char *a = (const unsigned char *)from + es__field_at(field, element, c);
        const unsigned char *b = (const unsigned char *)to + es__field_at(field, element, c);
        float f32[2];
        double f64[2];
        if (field->type == ES_TYPE_F32) {
            memcpy(&f32[0], a, sizeof f32[0]);
            memcpy(&f32[1], b, sizeof f32[1]);
            f64[0] = (double)f32[0];
            f64[1] = (double)f32[1];
        } else {
            memcpy(&f64[0], a, sizeof f64[0]);
            memcpy(&f64[1], b, sizeof f64[1]);
        }
        sum += (f64[1] - f64[0]) * (f64[1] - f64[0]);
    }
    return sqrt(sum);
}

/* Counts one more jump. */
static void count_jump(const es_field *mark, size_t element, void *state)
{
    unsigned char *at = (unsigned char *)state + es__field_at(mark, element, 0);
    uint64_t count = 0;
    uint32_t half;
    if (mark->type == ES_TYPE_U8) {
        *at = (unsigned char)(*at + 1);
    } else if (mark->type == ES_TYPE_I64) {
        memcpy(&count, at, sizeof count);
        count += 1;
        memcpy(at, &count, sizeof count);
    } else {
        memcpy(&half, at, sizeof half);
        half += 1;
        memcpy(at, &half, sizeof half);
    }
}

/* Half of the mean of all usual ways: an object of a group of like ones may begin to move that fast. */
static double least_of(const float *usual, size_t count)
{
    double sum = 0, known = 0;
    for (size_t i = 0; i < count; ++i) {
        sum += fabs((double)usual[i]);
        known += usual[i] < 0 || usual[i] > 0;
    }
    return known > 0 ? sum / known / 2 : 0;
}

/* The field and the mark of its group; NULL: refused. */
static const es_field *find_position(
        const es_history *history, const es_layout *layout, const char *name, const es_field **mark)
{
    if (history == NULL || layout == NULL || layout->state_size != history->state_size) {
        return NULL;
    }
    const es_field *field = es__layout_find(layout, name);
    *mark = field != NULL ? es__mark_of(layout, field) : NULL;
    return *mark != NULL && es__is_float(field->type) && !(es__turn_of(field) > 0)
                           && field->blend != ES_BLEND_ROTATION
                   ? field
                   : NULL;
}

int32_t es_history_cut(es_history *history, const es_layout *layout, const char *name, float *usual,
        double ratio, bool lookahead)
{
    const es_field *mark = NULL, *field = find_position(history, layout, name, &mark);
    if (field == NULL || usual == NULL || !(ratio >= 0 && ratio <= 1e6)) {
        const es__error error = {field == NULL ? "name" : "usual, ratio",
                field == NULL ? "is of no position with a mark" : "is NULL, is not 0 to 1e6"};
        es__fail(ES_ERR_INVALID, "es_history_cut", &error);
        return -1;
    }
    const int32_t age = lookahead ? 1 : 0; /* of the tick that is judged */
    if (history->count < age + 2) {
        return 0;
    }
    ratio = ratio > 0 ? ratio : lookahead ? 4 : 5;
    void *newest = es_history_tick(history, 0), *judged = es_history_tick(history, age);
    const void *before = es_history_tick(history, age + 1);
    const double least = least_of(usual, field->count);
    const size_t size = ES_TYPE_SIZE(mark->type);
    int32_t found = 0;
    for (size_t i = 0; i < field->count; ++i) {
        const size_t at = es__field_at(mark, i, 0);
        const bool is_known =
                memcmp((const char *)judged + at, (const char *)before + at, size) != 0;
        const double way = way_of(field, i, before, judged);
        const double next = lookahead ? way_of(field, i, judged, newest) : -1;
        const bool is_cut = !is_known && es__cut_is(usual[i], least, way, next, ratio);
        if (is_cut) {
            count_jump(mark, i, judged);
            found += 1;
        }
        if (is_cut && lookahead) {
            count_jump(mark, i, newest);
        }
        usual[i] = es__cut_learn(usual[i], least, way, is_cut || is_known, lookahead);
    }
    return found;
}
