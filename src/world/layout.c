/* SPDX-License-Identifier: Zlib
 *
 * Most of this file decides whether fields share bytes, exactly, without walking millions of
 * elements where their places tell. A field is taken as one box or two: a grid of runs of bytes in
 * up to three directions (components, elements, tiles), of which each spans what lies within it.
 */
#include "evenstep/layout.h"

#include "base/common.h"

#include <float.h>
#include <string.h>

#define DELAY_MAX  8.0
#define DIRECTIONS 3

static size_t layout_components_of(const es_field *field)
{
    return field->components != 0 ? field->components : 1;
}

static size_t component_stride_of(const es_field *field)
{
    return field->component_stride != 0 ? field->component_stride : ES_TYPE_SIZE(field->type);
}

size_t es_field_at(const es_field *field, size_t element, size_t component)
{
    size_t at = field->offset + component * component_stride_of(field);
    if (field->tile == 0) {
        return at + element * field->stride;
    }
    return at + element / field->tile * field->tile_stride + element % field->tile * field->stride;
}

/* --- a field by itself: kind and numbers ------------------------------------------------------ */

static bool is_float(es_type type)
{
    return type == ES_TYPE_F32 || type == ES_TYPE_F64;
}

static const char *check_colour(const es_field *field)
{
    bool bytes = field->type == ES_TYPE_U8 && field->blend == ES_BLEND_SRGB;
    if (!is_float(field->type) && !bytes) {
        return field->blend == ES_BLEND_SRGB
                       ? "is no float, double or U8, which ES_BLEND_SRGB needs"
                       : "is no float or double, which its kind needs";
    }
    if (field->components != 3 && field->components != 4) {
        return "is a colour, which has 3 or 4 components";
    }
    return NULL;
}

static const char *check_mark(const es_field *field)
{
    if (is_float(field->type)) {
        return "is a mark, which is U8, I32, U32 or I64";
    }
    return layout_components_of(field) == 1 ? NULL : "is a mark, which has 1 component";
}

static const char *check_kind(const es_field *field)
{
    if (field->type <= ES_TYPE_NONE || field->type > ES_TYPE_U8) {
        return "has no type";
    }
    if (field->blend <= ES_BLEND_NONE || field->blend > ES_BLEND_MARK) {
        return "has no blend kind";
    }
    switch (field->blend) {
    case ES_BLEND_STEP:
    case ES_BLEND_NEAREST:
        return NULL;
    case ES_BLEND_MARK:
        return check_mark(field);
    case ES_BLEND_COLOUR:
    case ES_BLEND_SRGB:
        return check_colour(field);
    default:
        break;
    }
    if (!is_float(field->type)) {
        return "is no float or double, which its kind needs";
    }
    if (field->blend == ES_BLEND_ROTATION && field->components != 4) {
        return "is a rotation, which has 4 components";
    }
    return NULL;
}

/* A float's period is used as a float, so it must be one. Written so that a NaN fails. */
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
    if (field->group > 0 && field->count - 1 > UINT32_MAX) {
        return "has more objects in a group than 32 bits can count";
    }
    return mark && field->group == 0 ? "is a mark without a group" : NULL;
}

/* --- a field by itself: prediction ------------------------------------------------------------ */

/* Kinds that can be told how they move. */
static bool can_move(es_blend_kind kind)
{
    return kind == ES_BLEND_LINEAR || kind == ES_BLEND_ANGLE || kind == ES_BLEND_CYCLIC
           || kind == ES_BLEND_HERMITE || kind == ES_BLEND_CATMULL_ROM || kind == ES_BLEND_MONOTONE;
}

static bool can_be_predicted(es_blend_kind kind)
{
    return can_move(kind) || kind == ES_BLEND_ROTATION;
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
    if (!can_be_predicted(field->blend)) {
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

/* What a field may name. Whether there are such fields is looked up when all are known. */
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

/* --- a field by itself: its place ------------------------------------------------------------- */

/* One direction of a grid. */
typedef struct direction {
    size_t count;
    size_t stride;
    const char *too_short; /* what to say of the stride */
} direction;

/* A grid of bytes. It is nested: in each direction, from the innermost, the stride is at least as
 * long as what lies within. So the bytes of two cells never interleave. */
typedef struct box {
    size_t at;                     /* of the first byte */
    size_t depth;                  /* how many directions; 0: one run of bytes */
    direction along[DIRECTIONS];   /* the innermost first; each counts 2 or more */
    size_t extent[DIRECTIONS + 1]; /* from the first byte to past the last of what so many of the
                                      innermost directions span; extent[0] is a run */
} box;

/* What the compiler demands: on some 32-bit systems less than the size. */
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
    switch (type) {
    case ES_TYPE_F64:
        return offsetof(struct f64, number);
    case ES_TYPE_I64:
        return offsetof(struct i64, number);
    default:
        return ES_TYPE_SIZE(type);
    }
}

static const char *check_alignment(const es_field *field)
{
    size_t alignment = alignment_of(field->type);
    if (field->offset % alignment != 0 || field->stride % alignment != 0) {
        return "is not aligned: offset and stride must be multiples of the type's alignment";
    }
    if (field->component_stride % alignment != 0) {
        return "is not aligned: component_stride must be a multiple of the type's alignment";
    }
    if (field->tile_stride % alignment != 0) {
        return "is not aligned: tile_stride must be a multiple of the type's alignment";
    }
    return NULL;
}

static size_t tile_of(const es_field *field)
{
    return field->tile != 0 && field->tile < field->count ? field->tile : field->count;
}

/* Takes the way to the last of count cells from the room. Divides, as a product could wrap. */
static bool take_way(size_t *room, size_t count, size_t stride)
{
    if (stride != 0 && count - 1 > *room / stride) {
        return false;
    }
    *room -= (count - 1) * stride;
    return true;
}

/* Whether an element of each of so many tiles, at this place in its tile, lies within the state. */
static bool fits(const es_field *field, size_t tiles, size_t elements, size_t state_size)
{
    size_t size = ES_TYPE_SIZE(field->type);
    if (field->offset > state_size || size > state_size - field->offset) {
        return false;
    }
    size_t room = state_size - field->offset - size;
    return take_way(&room, layout_components_of(field), component_stride_of(field))
           && take_way(&room, elements, field->stride)
           && take_way(&room, tiles, field->tile_stride);
}

/* The last whole tile, and the one that is not: in odd geometries the former may reach further. */
static bool is_within(const es_field *field, size_t state_size)
{
    size_t tile = tile_of(field);
    size_t rest = field->count % tile;
    size_t tiles = field->count / tile;
    return fits(field, tiles, tile, state_size)
           && (rest == 0 || fits(field, tiles + 1, rest, state_size));
}

/* Keeps the directions sorted, the shorter stride first. */
static void add_direction(box *b, direction added)
{
    if (added.count == 1) {
        return;
    }
    size_t i = b->depth;
    for (; i > 0 && b->along[i - 1].stride > added.stride; --i) {
        b->along[i] = b->along[i - 1];
    }
    b->along[i] = added;
    b->depth += 1;
}

/* Numbers that adjoin become one run. */
static void join_runs(box *b)
{
    size_t joined = 0;
    while (joined < b->depth && b->along[joined].stride == b->extent[0]) {
        b->extent[0] *= b->along[joined].count;
        joined += 1;
    }
    b->depth -= joined;
    for (size_t i = 0; i < b->depth; ++i) {
        b->along[i] = b->along[i + joined];
        b->extent[i + 1] = b->extent[i] + (b->along[i].count - 1) * b->along[i].stride;
    }
}

/* The reason why it is not nested, or NULL. */
static const char *check_nesting(const box *b)
{
    size_t room = SIZE_MAX - b->extent[0];
    for (size_t i = 0; i < b->depth; ++i) {
        size_t extent = SIZE_MAX - room;
        if (b->along[i].stride < extent
                || !take_way(&room, b->along[i].count, b->along[i].stride)) {
            return b->along[i].too_short;
        }
    }
    return NULL;
}

/* Tiles and elements per tile; the reason why it is not nested, or NULL. */
static const char *make_box(const es_field *field, size_t tiles, size_t elements, box *made)
{
    direction components = {layout_components_of(field), component_stride_of(field),
            "has a component_stride too short: components would share bytes"};
    direction in_tile = {elements, field->stride, "has a stride shorter than its element"};
    direction of_tiles = {
            tiles, field->tile_stride, "has a tile_stride too short: tiles would share bytes"};
    *made = (box){.at = field->offset};
    made->extent[0] = ES_TYPE_SIZE(field->type);
    add_direction(made, components);
    add_direction(made, in_tile);
    add_direction(made, of_tiles);
    const char *reason = check_nesting(made);
    if (reason == NULL) {
        join_runs(made);
    }
    return reason;
}

/* A field's bytes. */
typedef struct shape {
    size_t count; /* 1 or 2 */
    box boxes[2]; /* whole tiles, and the one that is not */
} shape;

static const char *make_shape(const es_field *field, shape *made)
{
    size_t tile = tile_of(field);
    size_t tiles = field->count / tile;
    size_t rest = field->count % tile;
    made->count = rest != 0 ? 2 : 1;
    const char *reason = make_box(field, tiles, tile, &made->boxes[0]);
    if (reason == NULL && rest != 0) {
        reason = make_box(field, 1, rest, &made->boxes[1]);
        made->boxes[1].at += tiles * field->tile_stride;
    }
    return reason;
}

/* --- overlap ---------------------------------------------------------------------------------- */

/* A part of a box that is one in itself: all of it, or one cell of its outermost directions. */
typedef struct cell {
    const box *of;
    size_t depth;
    size_t at;
} cell;

static size_t extent_of(cell c)
{
    return c.of->extent[c.depth];
}

static direction outermost(cell c)
{
    return c.of->along[c.depth - 1];
}

static cell inner(cell c, size_t index)
{
    cell found = {c.of, c.depth - 1, c.at + index * outermost(c).stride};
    return found;
}

/* Whether a cell has one of the bytes [begin, end). A direction's first and last bytes are its own,
 * so only a range that lies inside needs a look into the one cell where it begins. */
static bool touches(cell c, size_t begin, size_t end)
{
    for (;;) {
        if (end <= c.at || begin >= c.at + extent_of(c)) {
            return false;
        }
        if (c.depth == 0 || begin <= c.at || end >= c.at + extent_of(c)) {
            return true;
        }
        size_t stride = outermost(c).stride;
        size_t index = (begin - c.at) / stride;
        if (end - c.at - index * stride > stride) {
            return true; /* it reaches the first byte of the next */
        }
        c = inner(c, index);
    }
}

static bool meet(cell a, cell b);

/* The cells of a, which lie no closer than those of b, within reach of b. Where one stride is a
 * multiple of the other, b looks the same from every cell that lies between its ends, and from the
 * others there is no more of it to be seen: one cell tells for all, however many there are. */
static bool meet_any(cell a, cell b)
{
    size_t stride = outermost(a).stride;
    size_t first = b.at > a.at ? (b.at - a.at) / stride : 0;
    size_t last = (b.at + extent_of(b) - 1 - a.at) / stride;
    last = last < outermost(a).count ? last : outermost(a).count - 1;
    if (stride % outermost(b).stride == 0 && last - first >= 2) {
        return meet(inner(a, first + 1), b);
    }
    for (size_t i = first; i <= last; ++i) {
        if (meet(inner(a, i), b)) {
            return true;
        }
    }
    return false;
}

/* Whether two cells share a byte. Each call goes a direction deeper, so at most six are open. */
static bool meet(cell a, cell b)
{
    if (a.at + extent_of(a) <= b.at || b.at + extent_of(b) <= a.at) {
        return false;
    }
    if (a.depth == 0) {
        return touches(b, a.at, a.at + extent_of(a));
    }
    if (b.depth == 0) {
        return touches(a, b.at, b.at + extent_of(b));
    }
    return outermost(a).stride >= outermost(b).stride ? meet_any(a, b) : meet_any(b, a);
}

static bool boxes_meet(const box *a, const box *b)
{
    cell all_of_a = {a, a->depth, a->at};
    cell all_of_b = {b, b->depth, b->at};
    return meet(all_of_a, all_of_b);
}

static bool shapes_meet(const shape *a, const shape *b)
{
    for (size_t i = 0; i < a->count; ++i) {
        for (size_t k = 0; k < b->count; ++k) {
            if (boxes_meet(&a->boxes[i], &b->boxes[k])) {
                return true;
            }
        }
    }
    return false;
}

/* Where a whole last tile would fit, this one does. Where not, it may yet, being smaller. */
static const char *check_last_tile(const es_field *field, const shape *made)
{
    box whole;
    const char *reason = make_box(field, field->count / field->tile + 1, field->tile, &whole);
    if (reason == NULL || !boxes_meet(&made->boxes[0], &made->boxes[1])) {
        return NULL;
    }
    return reason;
}

static const char *check_place(const es_field *field, size_t state_size, shape *made)
{
    const char *reason = check_alignment(field);
    if (reason != NULL) {
        return reason;
    }
    if (field->tile == 0 && field->tile_stride != 0) {
        return "has a tile_stride but no tile";
    }
    if (!is_within(field, state_size)) {
        return "reaches past the end of the state";
    }
    reason = make_shape(field, made);
    if (reason == NULL && made->count == 2) {
        reason = check_last_tile(field, made);
    }
    return reason;
}

/* --- the layout ------------------------------------------------------------------------------- */

static const char *check_field(const es_field *field, size_t state_size, shape *made)
{
    if (field->count == 0) {
        return "has no elements: count is 0";
    }
    const char *reason = check_kind(field);
    if (reason == NULL) {
        reason = check_place(field, state_size, made);
    }
    if (reason == NULL) {
        reason = check_numbers(field);
    }
    if (reason == NULL) {
        reason = check_prediction(field);
    }
    return reason != NULL ? reason : check_motion(field);
}

static const char *check_against(const es_field *earlier, const es_field *field, const shape *made)
{
    if (strcmp(earlier->name, field->name) == 0) {
        return "is named twice";
    }
    shape other;
    make_shape(earlier, &other);
    if (shapes_meet(&other, made)) {
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

static bool are_alike(const es_field *a, const es_field *b)
{
    return a->type == b->type && a->count == b->count
           && layout_components_of(a) == layout_components_of(b);
}

/* Every name has been looked at by itself, and every field is valid by itself. */
static const char *check_links(const es_layout *layout, const es_field *field)
{
    if (field->velocity != NULL) {
        const es_field *velocity = es_layout_find(layout, field->velocity);
        if (velocity == NULL || velocity == field) {
            return "has a velocity that names no other field";
        }
        if (!are_alike(velocity, field)) {
            return "has a velocity of another type, count or number of components";
        }
    }
    if (field->acceleration != NULL) {
        const es_field *acceleration = es_layout_find(layout, field->acceleration);
        if (acceleration == NULL || acceleration == field) {
            return "has an acceleration that names no other field";
        }
        if (!are_alike(acceleration, field)) {
            return "has an acceleration of another type, count or number of components";
        }
    }
    if (field->contact != NULL) {
        const es_field *contact = es_layout_find(layout, field->contact);
        if (contact == NULL) {
            return "has a contact that names no field";
        }
        if (contact->type != ES_TYPE_I64 || layout_components_of(contact) != 1
                || contact->count != field->count) {
            return "has a contact that is not one I64 for each of its elements";
        }
    }
    return NULL;
}

/* The field at this index, and how it goes with those before. */
static es_result check_at(const es_layout *layout, size_t index, es_error *error)
{
    const es_field *field = &layout->fields[index];
    if (field->name == NULL || field->name[0] == '\0') {
        return es__refuse(error, "name", "must not be empty");
    }
    shape made;
    const char *reason = check_field(field, layout->state_size, &made);
    for (size_t i = 0; i < index && reason == NULL; ++i) {
        reason = check_against(&layout->fields[i], field, &made);
    }
    return reason != NULL ? es__refuse(error, field->name, reason) : ES_OK;
}

es_result es_layout_validate(const es_layout *layout, es_error *error)
{
    if (error != NULL) {
        error->field = NULL;
        error->reason = NULL;
    }
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

const es_field *es_layout_find(const es_layout *layout, const char *name)
{
    for (size_t i = 0; i < layout->field_count; ++i) {
        if (strcmp(layout->fields[i].name, name) == 0) {
            return &layout->fields[i];
        }
    }
    return NULL;
}

const char *es_blend_kind_name(es_blend_kind kind)
{
    static const char *const names[] = {"none", "linear", "angle", "cyclic", "rotation", "colour",
            "srgb", "log", "step", "nearest", "hermite", "catmull-rom", "monotone", "mark"};
    _Static_assert(sizeof names / sizeof names[0] == ES_BLEND_MARK + 1, "a name for every kind");
    return (unsigned)kind <= ES_BLEND_MARK ? names[kind] : names[ES_BLEND_NONE];
}
