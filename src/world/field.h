/* SPDX-License-Identifier: Zlib
 *
 * The fields of a layout: their numbers in memory, and their names. The ticks of a history.
 */
#ifndef ES_FIELD_H
#define ES_FIELD_H

#include "evenstep/history.h"

static inline size_t es__components(const es_field *field)
{
    return field->components != 0 ? field->components : 1;
}

/* Bytes from one component to the next. */
static inline size_t es__component_step(const es_field *field)
{
    return field->component_stride != 0 ? field->component_stride : ES_TYPE_SIZE(field->type);
}

/* Bytes from the start of a state to a number: the formula of es_field. */
static inline size_t es__field_at(const es_field *field, size_t element, size_t component)
{
    size_t at = field->offset + component * es__component_step(field);
    if (field->tile != 0) {
        at += element / field->tile * field->tile_stride;
        element %= field->tile;
    }
    return at + element * field->stride;
}

static inline bool es__is_float(es_type type)
{
    return type == ES_TYPE_F32 || type == ES_TYPE_F64;
}

/* A field by its name. NULL: there is none, or name is NULL. */
const es_field *es__layout_find(const es_layout *layout, const char *name);

/* How many ticks are known: 1 after a reset, at most as many as are kept. */
int32_t es__history_count(const es_history *history);

/* Simulated time and index of the tick `age` ticks before the newest; beyond the known ones, those of
 * the oldest. */
int64_t es__history_time_ns(const es_history *history, int32_t age);
int64_t es__history_index(const es_history *history, int32_t age);

#endif
