/* SPDX-License-Identifier: Zlib
 *
 * What the files of blend share. One call of es_blend_run goes three ways:
 *
 *   blend.c        goes over the fields of a job in the order that memory likes, with the help of
 *                  blend_check.c, blend_field.c, blend_object.c and blend_pass.c (blend_bundle.h)
 *   blend_plan.c   decides what a field shows at an instant: which ticks with which weights. A plan
 *                  holds for a whole array, or for one object with a shorter life.
 *   blend_apply.c  carries a plan out for some elements: finds or gathers their numbers, runs the
 *                  kernels of src/simd, scatters the result
 */
#ifndef ES_BLEND_PARTS_H
#define ES_BLEND_PARTS_H

#include "evenstep/blend.h"

#include "simd/kernels.h"

/* Elements that are gathered at once: their numbers of a dozen arrays stay in the first cache. */
enum { ES_CHUNK = 64 };

/* Most terms of a sum: eight ticks' corrections of three terms, and the newest prediction. */
enum { ES_TERMS_MAX = 3 * ES_HISTORY_TICKS_MAX + 3, ES_GROUPS_MAX = ES_HISTORY_TICKS_MAX };

/* The numbers of a field in one tick's state. state NULL: none. */
typedef struct es_blend_source {
    const unsigned char *state;
    const es_field *field;
} es_blend_source;

/* weight * plus, or weight * (plus - minus); within a group its sum counts group_weight times. */
typedef struct es_plan_term {
    es_blend_source plus;
    es_blend_source minus;
    double weight;
    int group; /* -1: none */
} es_plan_term;

typedef enum es_shape {
    ES_SHAPE_COPY,     /* `to`, as it is */
    ES_SHAPE_PAIR,     /* from `from` to `to` by the field's kind */
    ES_SHAPE_SUM,      /* `from` and the terms; with a turn, differences and groups are wrapped */
    ES_SHAPE_MONOTONE, /* the limited cubic */
    ES_SHAPE_TURNING   /* a rotation that goes on: from `before` over `from` to `to`, and beyond */
} es_shape;

typedef struct es_blend_plan {
    const es_field *field; /* what is written */
    es_shape shape;
    double alpha;
    double turn; /* the period of angles and cyclic values, else 0 */
    es_blend_source before;
    es_blend_source from;
    es_blend_source to;
    es_blend_source after;
    es_blend_source from_velocity;
    es_blend_source to_velocity;
    double length_s;      /* of the pair */
    double before_length; /* of the ticks beside it, in pairs */
    double after_length;
    double ahead;        /* TURNING: past `to`, in lengths of the pair ... */
    double ahead_before; /* ... and past `from`, in lengths of the tick before */
    bool fast;           /* rotations: a length that is nearly 1 will do */
    int group_count;
    int term_count;
    /* from here on only what was set is read, nothing is zeroed */
    double group_weight[ES_GROUPS_MAX];
    es_rotor_f32 rotor_f32; /* of a PAIR of rotations */
    es_rotor_f64 rotor_f64;
    es_plan_term terms[ES_TERMS_MAX];
} es_blend_plan;

/* A field with the fields it names, looked up once. */
typedef struct es_resolved {
    const es_field *field;
    const es_field *velocity;
    const es_field *acceleration;
    const es_field *contact;
    const es_field *mark;
    const es_blend_pick *pick;
} es_resolved;

/* Ticks newest to oldest (indices into ticks), and the instant that is looked at. */
typedef struct es_sight {
    const es_blend_tick *ticks;
    size_t newest;
    size_t oldest;
    size_t kept; /* all ticks of the job, also those across a jump */
    bool timed;
    bool fast;
    bool own_alpha;            /* alpha replaces the instant's place in its pair */
    double alpha;              /* where so, or not timed */
    int64_t content_ns;        /* the field's own delay taken off */
    const int64_t *contact_ns; /* per tick, for one object; NULL: no contact */
} es_sight;

/* Some elements: n from first, or those listed. */
typedef struct es_elements {
    size_t first;
    size_t n;
    const uint32_t *indices;
} es_elements;

static inline size_t es_element(const es_elements *elements, size_t i)
{
    return elements->indices != NULL ? elements->indices[i] : elements->first + i;
}

static inline size_t es_components(const es_field *field)
{
    return field->components != 0 ? field->components : 1;
}

/* From one component to the next. */
static inline size_t es_component_step(const es_field *field)
{
    return field->component_stride != 0 ? field->component_stride : ES_TYPE_SIZE(field->type);
}

/* es_field_at, inline: this is where the time goes. */
static inline size_t es_place(const es_field *field, size_t element, size_t component)
{
    size_t at = field->offset + component * es_component_step(field);
    if (field->tile != 0) {
        at += element / field->tile * field->tile_stride;
        element %= field->tile;
    }
    return at + element * field->stride;
}

/* The tick that an object must have lived at to be shown: the one at the instant or the first after
 * it; the newest where the instant is past it. */
size_t es_sight_tick(const es_sight *sight);

/* Whether alpha, not the instant, is what counts. */
bool es_sight_is_by_alpha(const es_sight *sight);

/* What a field shows. */
void es_plan_field(es_blend_plan *plan, const es_resolved *what, const es_sight *sight);

/* Whether the numbers of these elements lie side by side for each component, so that nothing has to
 * be gathered. */
bool es_field_is_direct(const es_field *field, const es_elements *elements);
bool es_plan_is_direct(const es_blend_plan *plan, const es_elements *elements);

/* Writes the plan's elements: at most ES_CHUNK where they are not direct. `alphas`, for element
 * i of them, in place of the plan's; false: a shape that cannot, nothing written. */
void es_plan_apply(const es_blend_plan *plan, const es_kernels *kernels,
        const es_elements *elements, unsigned char *out, bool stream);
bool es_plan_apply_each(const es_blend_plan *plan, const es_kernels *kernels,
        const es_elements *elements, const float *alphas, unsigned char *out);

/* A pair of floats within tiles of whole vectors; and one such tile of n elements. */
bool es_plan_fits_tiles(const es_blend_plan *plan);
void es_plan_apply_tile(const es_blend_plan *plan, const es_kernels *kernels, size_t tile, size_t n,
        unsigned char *out, bool stream);

/* Whether a streamed store fits everywhere it would write. */
bool es_plan_can_stream(
        const es_blend_plan *plan, const es_elements *elements, const unsigned char *out);

#endif
