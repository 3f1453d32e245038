/* SPDX-License-Identifier: Zlib
 *
 * The fields of a layout: their numbers in memory, and their names. The ticks of a history.
 */
#ifndef ES_FIELD_H
#define ES_FIELD_H

#include "evenstep/world.h"

#include "base/common.h"

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
    return field->offset + component * es__component_step(field) + element * field->stride;
}

static inline bool es__is_float(es_type type)
{
    return type == ES_TYPE_F32 || type == ES_TYPE_F64;
}

static inline bool es__is_matrix(es_blend_kind kind)
{
    return kind == ES_BLEND_MATRIX || kind == ES_BLEND_MATRIX_ROWS;
}

/* A field by its name. NULL: there is none, or name is NULL. */
const es_field *es__layout_find(const es_layout *layout, const char *name);

/* es_layout_validate with its refusal in error, which may be NULL. */
es_result es__layout_validate(const es_layout *layout, es__error *error);

/* How many ticks a history may keep. */
#define ES_HISTORY_TICKS_MIN 2
#define ES_HISTORY_TICKS_MAX 8

struct es_history {
    unsigned char *memory;
    size_t state_size;
    int32_t ticks;                         /* slots in the memory */
    int32_t count;                         /* known ticks: 1 after a reset, up to `ticks` */
    uint8_t slots[ES_HISTORY_TICKS_MAX];   /* by age: the tick's slot; slots[0] is current */
    int64_t indices[ES_HISTORY_TICKS_MAX]; /* by age */
    int64_t times_ns[ES_HISTORY_TICKS_MAX];
};

/* Bytes for this many ticks of a state. 0: the state is empty, the size does not fit size_t, or ticks
 * is not ES_HISTORY_TICKS_MIN to ES_HISTORY_TICKS_MAX. */
size_t es__history_memory_size(size_t state_size, int32_t ticks);

/* Starts a history with zeroed states. memory: as many bytes, aligned for the state; the first current
 * state lies at its start, all states at multiples of 64 bytes from there. */
void es__history_init(es_history *history, void *memory, size_t state_size, int32_t ticks);

/* Simulated time and index of the tick `age` ticks before the newest; beyond the known ones, those of
 * the oldest. */
int64_t es__history_time_ns(const es_history *history, int32_t age);
int64_t es__history_index(const es_history *history, int32_t age);

#endif
