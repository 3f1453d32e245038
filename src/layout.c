/* SPDX-License-Identifier: Zlib */
#include "evenstep/layout.h"

#include <string.h>

static es_result refuse(es_error *error, const char *field, const char *reason)
{
    if (error != NULL) {
        error->field = field;
        error->reason = reason;
    }
    return ES_ERR_INVALID;
}

static size_t components_of(const es_field *field)
{
    return field->components != 0 ? field->components : 1;
}

static const char *check_kind(const es_field *field)
{
    bool number = field->type == ES_TYPE_F32 || field->type == ES_TYPE_F64;
    if (field->type <= ES_TYPE_NONE || field->type > ES_TYPE_U8) {
        return "has no type";
    }
    if (field->blend <= ES_BLEND_NONE || field->blend > ES_BLEND_STEP) {
        return "has no blend kind";
    }
    if (!number && field->blend != ES_BLEND_STEP) {
        return "is no float or double: only ES_BLEND_STEP fits";
    }
    return NULL;
}

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

/* Subtractions only, so that huge counts and strides cannot wrap around. */
static const char *check_place(const es_field *field, size_t state_size)
{
    size_t size = ES_TYPE_SIZE(field->type);
    if (components_of(field) > state_size / size) {
        return "reaches past the end of the state";
    }
    size_t element = components_of(field) * size;
    size_t alignment = alignment_of(field->type);
    if (field->offset % alignment != 0 || field->stride % alignment != 0) {
        return "is not aligned: offset and stride must be multiples of the type's alignment";
    }
    if (field->count > 1 && field->stride < element) {
        return "has a stride shorter than its element";
    }
    if (field->offset > state_size || element > state_size - field->offset) {
        return "reaches past the end of the state";
    }
    size_t room = state_size - field->offset - element;
    if (field->count > 1 && (field->count - 1) > room / field->stride) {
        return "reaches past the end of the state";
    }
    return NULL;
}

static const char *check_field(const es_field *field, size_t state_size)
{
    if (field->count == 0) {
        return "has no elements: count is 0";
    }
    const char *reason = check_kind(field);
    return reason != NULL ? reason : check_place(field, state_size);
}

/* Whether bytes [begin, end) touch any element of a field. */
static bool touches(const es_field *field, size_t begin, size_t end)
{
    size_t size = components_of(field) * ES_TYPE_SIZE(field->type);
    if (end <= field->offset) {
        return false;
    }
    if (field->count == 1) {
        return begin < field->offset + size;
    }
    /* the last element that starts before end, and so reaches furthest among those that do */
    size_t last = (end - 1 - field->offset) / field->stride;
    last = last < field->count ? last : field->count - 1;
    return begin < field->offset + last * field->stride + size;
}

/* Walks the shorter field's elements; both are within the state, so nothing overflows. */
static bool overlaps(const es_field *a, const es_field *b)
{
    const es_field *walked = a->count <= b->count ? a : b;
    const es_field *other = walked == a ? b : a;
    size_t size = components_of(walked) * ES_TYPE_SIZE(walked->type);
    for (size_t i = 0; i < walked->count; ++i) {
        size_t begin = walked->offset + i * walked->stride;
        if (touches(other, begin, begin + size)) {
            return true;
        }
    }
    return false;
}

static es_result check_against_earlier(const es_layout *layout, size_t index, es_error *error)
{
    const es_field *field = &layout->fields[index];
    for (size_t i = 0; i < index; ++i) {
        if (strcmp(layout->fields[i].name, field->name) == 0) {
            return refuse(error, field->name, "is named twice");
        }
        if (overlaps(&layout->fields[i], field)) {
            return refuse(error, field->name, "shares bytes with an earlier field");
        }
    }
    return ES_OK;
}

es_result es_layout_validate(const es_layout *layout, es_error *error)
{
    if (error != NULL) {
        error->field = NULL;
        error->reason = NULL;
    }
    if (layout == NULL || layout->fields == NULL || layout->field_count == 0) {
        return refuse(error, "fields", "must hold at least one field");
    }
    if (layout->state_size == 0) {
        return refuse(error, "state_size", "must be at least 1");
    }
    for (size_t i = 0; i < layout->field_count; ++i) {
        const es_field *field = &layout->fields[i];
        if (field->name == NULL || field->name[0] == '\0') {
            return refuse(error, "name", "must not be empty");
        }
        const char *reason = check_field(field, layout->state_size);
        if (reason != NULL) {
            return refuse(error, field->name, reason);
        }
        if (check_against_earlier(layout, i, error) != ES_OK) {
            return ES_ERR_INVALID;
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
