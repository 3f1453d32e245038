/* SPDX-License-Identifier: Zlib
 *
 * What the files of blend share. es__blend_run goes three ways:
 *
 *   blend.c        visits the fields of a job in an order that fetches each cache line once, with
 *                  the help of blend_check.c, blend_field.c, blend_object.c and blend_pass.c
 *   blend_plan.c   decides what a field shows at an instant: which ticks with which weights. A plan
 *                  holds for a whole array, or for one object with a shorter life.
 *   blend_apply.c  carries out a plan for some elements: finds or gathers their numbers, runs the
 *                  kernels of simd/, scatters the result
 */
#ifndef ES_BLEND_PARTS_H
#define ES_BLEND_PARTS_H

#include "evenstep/world.h"

#include "base/common.h"

#include "field.h"
#include "simd/kernels.h"

/* The defaults of es_prediction: the Source engine's cl_extrapolate_amount and cl_smoothtime. */
#define ES_PREDICT_MAX_NS   ((int64_t)250000000)
#define ES_PREDICT_DECAY_NS ((int64_t)100000000)

/* How the output is written. */
typedef enum es_stores {
    ES_STORES_AUTO = 0, /* streamed where the output has 16 MiB or more */
    ES_STORES_CACHED,   /* through the caches: drawing finds it there */
    ES_STORES_STREAMED  /* past them, a third faster for states larger than they are: arrays and
                           tiles that are aligned to 64 bytes; others cached */
} es_stores;

/* One blend: {0}, and the members marked "needed". */
typedef struct es_blend_job {
    const es_layout *layout;    /* needed; valid */
    const es_blend_tick *ticks; /* needed: newest first */
    size_t tick_count;          /* needed: 1 to ES_HISTORY_TICKS_MAX */
    void *out;                  /* needed: layout->state_size bytes, apart from the ticks' states */
    bool timed;                 /* true: content_ns and the ticks' times give the instant; false:
                                   alpha does, between ticks[1] and ticks[0] */
    double alpha;               /* 0: ticks[1], 1: ticks[0] */
    int64_t content_ns;         /* simulated time; es_frame.content_ns */
    es_simd simd;
    es_stores stores;
} es_blend_job;

/* Blends by a job. error: the wrong field of the job and the reason; may be NULL. ES_ERR_UNSUPPORTED:
 * this machine lacks the instruction set. */
es_result es__blend_run(const es_blend_job *job, es_error *error);

/* Elements that are gathered at once: their numbers of a dozen arrays fit the first cache. */
enum { ES_CHUNK = 64 };

/* Fields that are blended together, chunk by chunk. More fields make more passes over memory. */
enum { ES_BUNDLE_MAX = 8 };

/* Most terms of a sum: eight ticks' corrections of three terms, and the newest prediction. */
enum { ES_TERMS_MAX = 3 * ES_HISTORY_TICKS_MAX + 3, ES_GROUPS_MAX = ES_HISTORY_TICKS_MAX };

/* The numbers of a field in one tick's state. state NULL: none. */
typedef struct es_blend_source {
    const unsigned char *state;
    const es_field *field;
} es_blend_source;

/* weight * plus, or weight * (plus - minus). A group's sum counts group_weight times. */
typedef struct es_plan_term {
    es_blend_source plus;
    es_blend_source minus;
    double weight;
    int group; /* -1: none */
} es_plan_term;

typedef enum es_shape {
    ES_SHAPE_COPY = 0, /* `to`, as it is */
    ES_SHAPE_PAIR,     /* from `from` to `to` by the field's kind */
    ES_SHAPE_SUM,      /* `from` and the terms; with a turn, differences and groups are wrapped */
    ES_SHAPE_MONOTONE, /* the limited cubic */
    ES_SHAPE_TURNING   /* a rotation that goes on: from `before` over `from` to `to`, and beyond */
} es_shape;

typedef struct es_blend_plan {
    const es_field *field; /* the field to write */
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
    double before_length; /* of the tick before the pair, in lengths of the pair */
    double after_length;  /* of the tick after it, likewise */
    double ahead;         /* TURNING: past `to`, in lengths of the pair */
    double ahead_before;  /* TURNING: past `from`, in lengths of the tick before */
    int group_count;
    int term_count;
    double group_weight[ES_GROUPS_MAX];
    es_rotor_f32 rotor_f32; /* of a PAIR of rotations */
    es_rotor_f64 rotor_f64;
    es_plan_term terms[ES_TERMS_MAX];
} es_blend_plan;

/* A field with the fields that it names. */
typedef struct es_resolved {
    const es_field *field;
    const es_field *velocity;
    const es_field *acceleration;
    const es_field *contact;
    const es_field *mark;
} es_resolved;

/* The ticks from newest to oldest (indices into ticks), and the instant to show. */
typedef struct es_sight {
    const es_blend_tick *ticks;
    size_t newest;
    size_t oldest;
    size_t kept; /* all ticks of the job, also those across a jump */
    bool timed;
    double alpha;              /* where not timed */
    int64_t content_ns;        /* less the field's own delay */
    const int64_t *contact_ns; /* per tick, for one object; NULL: no contact */
} es_sight;

/* `count` elements from `first` on. */
typedef struct es_elements {
    size_t first;
    size_t count;
} es_elements;

/* A field of a bundle, with what it shows. */
typedef struct es_blend_item {
    es_resolved what;
    es_sight sight;
    es_blend_plan plan;
    es_field flat[3]; /* copies for the field and the two it names: see flatten */
} es_blend_item;

/* Fields that are blended together, chunk by chunk. */
typedef struct es_blend_bundle {
    size_t count;
    es_blend_item items[ES_BUNDLE_MAX];
} es_blend_bundle;

typedef struct es_blend_context {
    const es_blend_job *job;
    const es_kernels *kernels;
    bool stream;
} es_blend_context;

/* --- blend_check.c, blend_field.c ------------------------------------------------------------- */

es_result es__blend_check(const es_blend_job *job, es_error *error);

/* Fills the item of a field. */
void es__blend_prepare(es_blend_item *it, const es_blend_job *job, const es_field *field);

/* Whether all numbers of a field are adjacent. */
static inline bool es__blend_is_flat(const es_field *field)
{
    size_t size = ES_TYPE_SIZE(field->type);
    return field->tile == 0 && es__component_step(field) == size
           && field->stride == es__components(field) * size;
}

/* --- blend_plan.c ----------------------------------------------------------------------------- */

/* The tick that an object must have lived at to be shown: at the instant, or the first after it;
 * the newest where the instant is past it. */
size_t es__sight_tick(const es_sight *sight);

void es__plan_field(es_blend_plan *plan, const es_resolved *what, const es_sight *sight);

/* --- blend_apply.c ---------------------------------------------------------------------------- */

/* Whether the numbers of these elements are adjacent for each component: nothing is gathered. */
bool es__field_is_direct(const es_field *field, const es_elements *elements);
bool es__plan_is_direct(const es_blend_plan *plan, const es_elements *elements);

/* Whether streamed stores fit everywhere the plan would write. */
bool es__plan_can_stream(
        const es_blend_plan *plan, const es_elements *elements, const unsigned char *out);

/* Writes the plan's elements: at most ES_CHUNK where they are not direct. */
void es__plan_apply(const es_blend_plan *plan, const es_kernels *kernels,
        const es_elements *elements, unsigned char *out, bool stream);

/* --- blend_object.c --------------------------------------------------------------------------- */

/* Shows those of some elements again that jumped or will touch something. */
void es__blend_correct(
        const es_blend_context *c, const es_blend_item *it, const es_elements *elements);

/* --- blend_pass.c ----------------------------------------------------------------------------- */

/* Blends the whole tiles of a bundle of plain floats by kernels that take several fields in one
 * pass. Returns how many elements that were; 0: the bundle does not fit them. */
size_t es__blend_tiles(const es_blend_context *c, const es_blend_bundle *b);

/* Blends packed structs of plain floats: all their numbers as if each were linear, at full width,
 * then the rotations among them again. Returns false, and does nothing, for other bundles. */
bool es__blend_rows(const es_blend_context *c, const es_blend_bundle *b);

#endif
