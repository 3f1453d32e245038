/* SPDX-License-Identifier: Zlib
 *
 * Most of this file decides whether fields share bytes: exactly, and without walking millions of
 * elements where their strides answer it. A field is a box: runs of bytes repeated in up to two
 * directions (components, elements), the outer of which spans the inner one.
 */
#include "field.h"

#include <float.h>

#define DELAY_MAX  8.0
#define DIRECTIONS 2

/* --- one field: kind and numbers -------------------------------------------------------------- */

static const char *check_kind(const es_field *field)
{
    const es_blend_kind kind = field->blend;
    const size_t components = es__components(field);
    const bool is_float = es__is_float(field->type);
    if (field->type <= ES_TYPE_NONE || field->type > ES_TYPE_U8) {
        return "has no type";
    }
    if (kind <= ES_BLEND_NONE || kind > ES_BLEND_MATRIX_ROWS) {
        return "has no blend kind";
    }
    if (kind == ES_BLEND_MARK) {
        if (is_float) {
            return "is a mark, which is U8, I32, U32 or I64";
        }
        return components != 1 ? "is a mark, which has 1 component" : NULL;
    }
    if (kind == ES_BLEND_COLOUR && field->type != ES_TYPE_F32) {
        return "is no float, which ES_BLEND_COLOUR needs";
    }
    if (kind == ES_BLEND_SRGB && field->type != ES_TYPE_F32 && field->type != ES_TYPE_U8) {
        return "is no float or U8, which ES_BLEND_SRGB needs";
    }
    if (kind == ES_BLEND_COLOUR || kind == ES_BLEND_SRGB) {
        return components == 3 || components == 4 ? NULL
                                                  : "is a colour, which has 3 or 4 components";
    }
    if (es__is_matrix(kind)) {
        const bool kept = (components == 24 || components == 28) && field->type == ES_TYPE_F32;
        return is_float && (components == 12 || components == 16 || kept)
                       ? NULL
                       : "is a matrix, which has 12 or 16 numbers, or 24 or 28 floats";
    }
    if (!is_float && kind != ES_BLEND_STEP && kind != ES_BLEND_NEAREST) {
        return "is no float or double, which its kind needs";
    }
    return kind == ES_BLEND_ROTATION && components != 4 ? "is a rotation, which has 4 components"
                                                        : NULL;
}

/* A float's period is used as a float, so it must be one. A NaN fails. */
static bool is_period(const es_field *field)
{
    if (field->type == ES_TYPE_F32) {
        return field->period >= (double)FLT_MIN && field->period <= (double)FLT_MAX;
    }
    return field->period > 0 && field->period <= DBL_MAX;
}

static const char *check_numbers(const es_field *field)
{
    bool cyclic = field->blend == ES_BLEND_CYCLIC;
    bool mark = field->blend == ES_BLEND_MARK;
    if (cyclic && !is_period(field)) {
        return "is cyclic, which needs a period that is above 0 and finite in its type";
    }
    if (!cyclic && field->period != 0) {
        return "has a period, which only ES_BLEND_CYCLIC takes";
    }
    if (!(field->delay_ticks >= -DELAY_MAX && field->delay_ticks <= DELAY_MAX)) {
        return "has delay_ticks outside -8 to 8";
    }
    if (mark && field->delay_ticks != 0) {
        return "is a mark, which cannot be delayed";
    }
    if (field->group < 0) {
        return "has a group below 0";
    }
    return mark && field->group == 0 ? "is a mark without a group" : NULL;
}

/* --- one field: prediction -------------------------------------------------------------------- */

/* Kinds that take a velocity and an acceleration. */
static bool can_move(es_blend_kind kind)
{
    return kind == ES_BLEND_LINEAR || kind == ES_BLEND_ANGLE || kind == ES_BLEND_CYCLIC
           || kind == ES_BLEND_HERMITE || kind == ES_BLEND_CATMULL_ROM || kind == ES_BLEND_MONOTONE;
}

static bool is_default(const es_prediction *prediction)
{
    return prediction->kind == ES_PREDICT_HOLD && prediction->correct == ES_CORRECT_BLEND
           && prediction->max_ns == 0 && prediction->ramp_ns == 0 && prediction->decay_ns == 0;
}

static const char *check_prediction(const es_field *field)
{
    const es_prediction *prediction = field->prediction;
    if (prediction == NULL || is_default(prediction)) {
        return NULL;
    }
    if (!can_move(field->blend) && field->blend != ES_BLEND_ROTATION) {
        return "has a prediction, which does not fit its kind";
    }
    if ((unsigned)prediction->kind > ES_PREDICT_BALLISTIC) {
        return "has a prediction of no known kind";
    }
    if ((unsigned)prediction->correct > ES_CORRECT_SNAP) {
        return "has a prediction with no known correction";
    }
    if (prediction->max_ns < 0 || prediction->ramp_ns < 0 || prediction->decay_ns < 0) {
        return "has a prediction with a time below 0";
    }
    bool ballistic = prediction->kind == ES_PREDICT_BALLISTIC;
    if (ballistic && (field->velocity == NULL || field->acceleration == NULL)) {
        return "is predicted ballistically, which needs velocity and acceleration";
    }
    return NULL;
}

/* Which other fields a field may name. check_links looks them up when all fields are valid. */
static const char *check_motion(const es_field *field)
{
    bool predicted = field->prediction != NULL && field->prediction->kind != ES_PREDICT_HOLD;
    if (!can_move(field->blend) && field->velocity != NULL) {
        return "has a velocity, which does not fit its kind";
    }
    if (!can_move(field->blend) && field->acceleration != NULL) {
        return "has an acceleration, which does not fit its kind";
    }
    if (field->blend == ES_BLEND_HERMITE && field->velocity == NULL) {
        return "is ES_BLEND_HERMITE, which needs a velocity";
    }
    if (field->acceleration != NULL && field->velocity == NULL) {
        return "has an acceleration but no velocity";
    }
    if (field->contact != NULL && !predicted) {
        return "has a contact but no prediction that it could end";
    }
    return NULL;
}

/* --- one field: its place --------------------------------------------------------------------- */

/* One direction in which bytes repeat. */
typedef struct direction {
    size_t count;
    size_t stride;
    const char *too_short; /* the refusal of a short stride */
} direction;

/* Nested runs of bytes: the stride of each direction is at least as long as what lies within, so
 * that the bytes of two cells never interleave. */
typedef struct box {
    size_t at;                     /* of the first byte */
    size_t depth;                  /* directions; 0: one run of bytes */
    direction along[DIRECTIONS];   /* the innermost first; each counts 2 or more */
    size_t extent[DIRECTIONS + 1]; /* bytes that the innermost 0, 1, ... directions span */
} box;

/* As the compiler demands it: on some 32-bit systems less than the size. */
static size_t alignment_of(es_type type)
{
    struct f64 {
        char before;
        double number;
    };
    struct i64 {
        char before;
        int64_t number;
    };
    if (type == ES_TYPE_F64) {
        return offsetof(struct f64, number);
    }
    return type == ES_TYPE_I64 ? offsetof(struct i64, number) : ES_TYPE_SIZE(type);
}

static bool is_aligned(const es_field *field)
{
    size_t alignment = alignment_of(field->type);
    return field->offset % alignment == 0 && field->stride % alignment == 0
           && field->component_stride % alignment == 0;
}

/* Subtracts the distance to the last of count cells from the space. Divides, as a product could
 * wrap around. */
static bool take_distance(size_t *space, size_t count, size_t stride)
{
    if (stride != 0 && count - 1 > *space / stride) {
        return false;
    }
    *space -= (count - 1) * stride;
    return true;
}

static bool is_within(const es_field *field, size_t state_size)
{
    size_t size = ES_TYPE_SIZE(field->type);
    if (field->offset > state_size || size > state_size - field->offset) {
        return false;
    }
    size_t space = state_size - field->offset - size;
    return take_distance(&space, es__components(field), es__component_step(field))
           && take_distance(&space, field->count, field->stride);
}

/* Returns the reason why it is not nested, or NULL. */
static const char *make_box(const es_field *field, box *made)
{
    const direction components = {es__components(field), es__component_step(field),
            "has a component_stride too short: components would share bytes"};
    const direction elements = {
            field->count, field->stride, "has a stride shorter than its element"};
    const bool outer = components.stride > elements.stride; /* the longer stride is outside */
    const direction along[] = {outer ? elements : components, outer ? components : elements};
    *made = (box){.at = field->offset, .extent = {ES_TYPE_SIZE(field->type)}};
    for (size_t i = 0; i < DIRECTIONS; ++i) {
        const size_t within = made->extent[made->depth];
        size_t space = SIZE_MAX - within;
        if (along[i].count == 1) {
            continue;
        }
        if (along[i].stride < within || !take_distance(&space, along[i].count, along[i].stride)) {
            return along[i].too_short;
        }
        made->along[made->depth] = along[i];
        made->depth += 1;
        made->extent[made->depth] = SIZE_MAX - space;
    }
    return NULL;
}

/* --- overlap ---------------------------------------------------------------------------------- */

/* All of a box, or one cell of its outermost directions. */
typedef struct cell {
    const box *of;
    size_t depth;
    size_t at;
} cell;

static size_t extent_of(cell c)
{
    return c.of->extent[c.depth];
}

/* A run of bytes without a direction: bytes side by side. */
static size_t stride_of(cell c)
{
    return c.depth > 0 ? c.of->along[c.depth - 1].stride : 1;
}

static cell inner(cell c, size_t index)
{
    return (cell){c.of, c.depth - 1, c.at + index * stride_of(c)};
}

static bool meet(cell a, cell b);

/* Compares b with the cells of a that it can reach. The stride of a is not the shorter one. Where it
 * is a multiple of b's, all cells of a between the ends of b see the same bytes of it, and the two
 * at the ends see no others: one cell answers for all. */
static bool meet_any(cell a, cell b)
{
    size_t stride = stride_of(a), count = a.of->along[a.depth - 1].count;
    size_t first = b.at > a.at ? (b.at - a.at) / stride : 0;
    size_t last = (b.at + extent_of(b) - 1 - a.at) / stride;
    last = last < count ? last : count - 1;
    if (stride % stride_of(b) == 0 && last - first >= 2) {
        return meet(inner(a, first + 1), b);
    }
    for (size_t i = first; i <= last; ++i) {
        if (meet(inner(a, i), b)) {
            return true;
        }
    }
    return false;
}

/* Whether two cells share a byte. Each call goes one direction deeper: four calls at most. */
static bool meet(cell a, cell b)
{
    if (a.at + extent_of(a) <= b.at || b.at + extent_of(b) <= a.at) {
        return false;
    }
    if (a.depth == 0 && b.depth == 0) {
        return true;
    }
    bool into_a = b.depth == 0 || (a.depth > 0 && stride_of(a) >= stride_of(b));
    return into_a ? meet_any(a, b) : meet_any(b, a);
}

#if ES__ASSERTS
/* Byte by byte: whether the numbers of some fields share one. Those that are large are not looked at. */
static bool share_bytes(const es_field *const *fields, size_t count)
{
    unsigned char taken[1024] = {0};
    for (size_t i = 0; i < count; ++i) {
        size_t size = ES_TYPE_SIZE(fields[i]->type), components = es__components(fields[i]);
        for (size_t n = 0; n < fields[i]->count * components * size; ++n) {
            size_t at = es__field_at(fields[i], n / size / components, n / size % components)
                        + n % size;
            if (at >= sizeof taken || taken[at]++ != 0) {
                return at < sizeof taken;
            }
        }
    }
    return false;
}

/* The last number of a field, in numbers that do not wrap around. */
static double end_of(const es_field *field)
{
    return (double)field->offset + (double)(field->count - 1) * (double)field->stride
           + (double)(es__components(field) - 1) * (double)es__component_step(field)
           + (double)ES_TYPE_SIZE(field->type);
}
#endif

static const char *check_place(const es_field *field, size_t state_size, box *made)
{
    if (!is_aligned(field)) {
        return "is not aligned: offset and strides must be multiples of the type's alignment";
    }
    bool within = is_within(field, state_size);
    ES__CHECK(ES__ASSERT(within == (end_of(field) <= (double)state_size) || state_size >> 50 != 0,
            end_of(field), state_size));
    if (!within) {
        return "reaches past the end of the state";
    }
    const char *reason = make_box(field, made);
    ES__CHECK(ES__ASSERT(reason != NULL || !share_bytes(&field, 1), state_size));
    return reason;
}

/* --- the layout ------------------------------------------------------------------------------- */

static const char *check_field(const es_field *field, size_t state_size, box *made)
{
    if (field->count == 0) {
        return "has no elements: count is 0";
    }
    const char *reason = check_kind(field);
    reason = reason != NULL ? reason : check_place(field, state_size, made);
    reason = reason != NULL ? reason : check_numbers(field);
    reason = reason != NULL ? reason : check_prediction(field);
    return reason != NULL ? reason : check_motion(field);
}

static const char *check_against(const es_field *earlier, const es_field *field, const box *made)
{
    if (strcmp(earlier->name, field->name) == 0) {
        return "is named twice";
    }
    box other;
    make_box(earlier, &other);
    bool share = meet((cell){&other, other.depth, other.at}, (cell){made, made->depth, made->at});
    ES__CHECK(ES__ASSERT(end_of(field) > 1024.0 || end_of(earlier) > 1024.0
                                 || share == share_bytes((const es_field *[]){earlier, field}, 2),
            made->at));
    if (share) {
        return "shares bytes with an earlier field";
    }
    if (field->group == 0 || earlier->group != field->group) {
        return NULL;
    }
    if (earlier->count != field->count) {
        return "has another count than an earlier field of its group";
    }
    if (earlier->blend == ES_BLEND_MARK && field->blend == ES_BLEND_MARK) {
        return "is the second mark of its group";
    }
    return NULL;
}

/* The refusals of a field that another one names: unknown, and unlike it. */
static const char *check_link(const es_layout *layout, const es_field *field, const char *name,
        const char *unknown, const char *unlike)
{
    const es_field *found = es__layout_find(layout, name);
    if (name == NULL) {
        return NULL;
    }
    if (found == NULL || found == field) {
        return unknown;
    }
    bool alike = found->type == field->type && found->count == field->count
                 && es__components(found) == es__components(field);
    return alike ? NULL : unlike;
}

/* Every field is valid by itself. */
static const char *check_links(const es_layout *layout, const es_field *field)
{
    const es_field *contact = es__layout_find(layout, field->contact);
    const char *reason =
            check_link(layout, field, field->velocity, "has a velocity that names no other field",
                    "has a velocity of another type, count or number of components");
    if (reason == NULL) {
        reason = check_link(layout, field, field->acceleration,
                "has an acceleration that names no other field",
                "has an acceleration of another type, count or number of components");
    }
    if (reason != NULL || field->contact == NULL) {
        return reason;
    }
    if (contact == NULL) {
        return "has a contact that names no field";
    }
    return contact->type == ES_TYPE_I64 && es__components(contact) == 1
                           && contact->count == field->count
                   ? NULL
                   : "has a contact that is not one I64 for each of its elements";
}

/* The field at this index, by itself and against the earlier ones. */
static es_result check_at(const es_layout *layout, size_t index, es__error *error)
{
    const es_field *field = &layout->fields[index];
    if (field->name == NULL || field->name[0] == '\0') {
        return es__refuse(error, "name", "must not be empty");
    }
    box made;
    const char *reason = check_field(field, layout->state_size, &made);
    for (size_t i = 0; i < index && reason == NULL; ++i) {
        reason = check_against(&layout->fields[i], field, &made);
    }
    return reason != NULL ? es__refuse(error, field->name, reason) : ES_OK;
}

es_result es__layout_validate(const es_layout *layout, es__error *error)
{
    es__refuse_as(error, ES_OK, NULL, NULL);
    if (layout == NULL || layout->fields == NULL || layout->field_count == 0) {
        return es__refuse(error, "fields", "must hold at least one field");
    }
    if (layout->state_size == 0) {
        return es__refuse(error, "state_size", "must be at least 1");
    }
    for (size_t i = 0; i < layout->field_count; ++i) {
        if (check_at(layout, i, error) != ES_OK) {
            return ES_ERR_INVALID;
        }
    }
    for (size_t i = 0; i < layout->field_count; ++i) {
        const char *reason = check_links(layout, &layout->fields[i]);
        if (reason != NULL) {
            return es__refuse(error, layout->fields[i].name, reason);
        }
    }
    return ES_OK;
}

bool es_layout_validate(const es_layout *layout)
{
    es__error error = {NULL, NULL};
    return es__fail_if(es__layout_validate(layout, &error), "es_layout", &error);
}

const es_field *es__layout_find(const es_layout *layout, const char *name)
{
    for (size_t i = 0; name != NULL && i < layout->field_count; ++i) {
        if (strcmp(layout->fields[i].name, name) == 0) {
            return &layout->fields[i];
        }
    }
    return NULL;
}
