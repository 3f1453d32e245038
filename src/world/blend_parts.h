/* SPDX-License-Identifier: Zlib
 *
 * What the files of blend share. blend.c bundles fields, blend_plan.c decides what a field shows,
 * blend_pass.c and blend_apply.c carry that out, blend_object.c shows objects that differ.
 */
#ifndef ES_BLEND_PARTS_H
#define ES_BLEND_PARTS_H

#include "evenstep/world.h"

#include "base/common.h"

#include "field.h"
#include "simd/kernels.h"
#include "value_matrix.h"

/* The defaults of es_prediction: the Source engine's cl_extrapolate_amount and cl_smoothtime. */
#define ES_PREDICT_MAX_NS   ((int64_t)250000000)
#define ES_PREDICT_DECAY_NS ((int64_t)100000000)

/* One blend: {0}, and the members marked "needed". */
typedef struct es__blend_job {
    const es_layout *layout;    /* needed; valid */
    const es_blend_tick *ticks; /* needed: newest first */
    size_t tick_count;          /* needed: 1 to ES_HISTORY_TICKS_MAX */
    void *out;                  /* needed: layout->state_size bytes, apart from the ticks' states */
    bool timed;                 /* true: content_ns and the ticks' times give the instant; false:
                                   alpha does, between ticks[1] and ticks[0] */
    double alpha;               /* 0: ticks[1], 1: ticks[0] */
    int64_t content_ns;         /* simulated time; es_frame.content_ns */
    es__simd simd;
} es__blend_job;

/* Blends by a job. error: the wrong field of the job and the reason; may be NULL. ES_ERR_UNSUPPORTED:
 * this machine lacks the instruction set. */
es_result es__blend_run(const es__blend_job *job, es__error *error);

/* Elements that are gathered at once: their numbers of a dozen arrays fit the first cache. */
enum { ES_CHUNK = 64 };

/* Fields that are blended together, chunk by chunk, and the passes of words for them. More fields
 * make more passes over memory. */
enum { ES_BUNDLE_MAX = 8, ES_PASSES_MAX = 8 };

/* Most terms of a sum: eight ticks' corrections of three terms, and the newest prediction. */
enum { ES_TERMS_MAX = 3 * ES_HISTORY_TICKS_MAX + 3, ES_GROUPS_MAX = ES_HISTORY_TICKS_MAX };

/* The numbers of a field in one tick's state. state NULL: none. */
typedef struct es__blend_source {
    const unsigned char *state;
    const es_field *field;
} es__blend_source;

/* weight * plus, or weight * (plus - minus). A group's sum counts group_weight times. */
typedef struct es__plan_term {
    es__blend_source plus;
    es__blend_source minus;
    double weight;
    int group; /* -1: none */
} es__plan_term;

typedef enum es__shape {
    ES_SHAPE_COPY = 0, /* `to`, as it is */
    ES_SHAPE_PAIR,     /* from `from` to `to` by the field's kind */
    ES_SHAPE_SUM,      /* `from` and the terms; with a turn, differences and groups are wrapped */
    ES_SHAPE_MONOTONE, /* the limited cubic */
    ES_SHAPE_TURNING   /* a rotation that goes on: from `before` over `from` to `to`, and beyond */
} es__shape;

typedef struct es__blend_plan {
    const es_field *field; /* the field to write */
    es__shape shape;
    double alpha;
    double turn; /* the period of angles and cyclic values, else 0 */
    es__blend_source from;
    es__blend_source to;
    /* set and read by some shapes only */
    es__blend_source before;
    es__blend_source after;
    es__blend_source from_velocity;
    es__blend_source to_velocity;
    double length_s;      /* of the pair */
    double before_length; /* of the tick before the pair, in lengths of the pair */
    double after_length;  /* of the tick after it, likewise */
    double ahead;         /* TURNING: past `to`, in lengths of the pair */
    double ahead_before;  /* TURNING: past `from`, in lengths of the tick before */
    int group_count;
    int term_count;
    double group_weight[ES_GROUPS_MAX];
    es__rotor_of_f32 rotor_f32; /* of a PAIR of rotations or matrices */
    es__rotor_of_f64 rotor_f64;
    es__plan_term terms[ES_TERMS_MAX];
} es__blend_plan;

/* A field with the fields that it names. */
typedef struct es__resolved {
    const es_field *field;
    const es_field *velocity;
    const es_field *acceleration;
    const es_field *contact;
    const es_field *mark;
} es__resolved;

/* The ticks from newest to oldest (indices into ticks), and the instant to show. */
typedef struct es__sight {
    const es_blend_tick *ticks;
    size_t newest;
    size_t oldest;
    size_t kept; /* all ticks of the job, also those across a jump */
    bool timed;
    double alpha;              /* where not timed */
    int64_t content_ns;        /* less the field's own delay */
    const int64_t *contact_ns; /* per tick, for one object; NULL: no contact */
    /* es__sight_aim finds: */
    size_t newer;   /* of the pair around the instant; the oldest tick where it is not after it */
    bool ahead;     /* past the newest */
    bool inside;    /* strictly between the pair */
    double between; /* from the pair's older tick (0) to its newer one */
    double between_f32; /* the same, rounded */
} es__sight;

/* `count` elements from `first` on. */
typedef struct es__elements {
    size_t first;
    size_t count;
} es__elements;

/* Which kernel blends a field. */
typedef enum es__way {
    ES_WAY_WORDS = 0, /* a pass of the bundle, or the run of an item before */
    ES_WAY_COPY,      /* `run` bytes of each row */
    ES_WAY_MARK,      /* es__blend_correct copies it while it looks for jumps */
    ES_WAY_ROTATION,  /* the kernel of rotations */
    ES_WAY_APART      /* es__plan_apply */
} es__way;

/* A field of a bundle, with what it shows. */
typedef struct es__blend_item {
    es__resolved what; /* what.field NULL: a simple field, es__bundle_item fills the rest */
    const es__sight *sight;
    es__sight delayed; /* of a field with a delay: sight */
    es__way way;
    size_t run; /* ES_WAY_COPY: adjacent bytes of this field and of others */
    es__blend_plan plan;
} es__blend_item;

/* Words of several fields that are blended together. */
typedef struct es__pass {
    es__words words;
    unsigned shift; /* a word has 1 << shift bytes */
    size_t begin;   /* bytes from the start of a state to the first row */
    size_t end;     /* to the end of its last word */
} es__pass;

/* Fields that lie in the same rows (structs, numbers of an array) and have one mark: blended together,
 * chunk by chunk. */
typedef struct es__blend_bundle {
    const es_field *first; /* `count` fields of the layout */
    size_t count;
    const es_field *mark; /* NULL: none */
    size_t stride;        /* bytes from a row to the next */
    size_t planes;        /* rows of an element: components that are adjacent arrays */
    size_t pass_count;
    size_t ways;         /* passes over memory */
    bool contacts;       /* some field has a contact */
    es__blend_item *run; /* the last item with a run; NULL: none */
    es__blend_item items[ES_BUNDLE_MAX];
    es__pass passes[ES_PASSES_MAX];
} es__blend_bundle;

typedef struct es__blend_context {
    const es__blend_job *job;
    const es__kernels *kernels;
    es__sight sight;            /* of fields without a delay */
    const unsigned char *older; /* their states: the pair around the instant, or one tick twice */
    const unsigned char *newer;
    bool mixes[2]; /* floats, doubles of these fields are strictly between two ticks */
} es__blend_context;

/* --- blend_field.c ---------------------------------------------------------------------------- */

const es_field *es__mark_of(const es_layout *layout, const es_field *field);

void es__blend_prepare(const es__blend_context *c, const es__blend_bundle *b, es__blend_item *it,
        const es_field *field);

/* The item of the bundle's field number i, which is filled when first needed. */
static inline const es__blend_item *es__bundle_item(
        const es__blend_context *c, es__blend_bundle *b, size_t i)
{
    if (b->items[i].what.field == NULL) {
        es__blend_prepare(c, b, &b->items[i], b->first + i);
    }
    return &b->items[i];
}

/* --- blend_plan.c ----------------------------------------------------------------------------- */

void es__sight_aim(es__sight *sight);

/* The tick that an object must have lived at to be shown: at the instant, or the first after it;
 * the newest where the instant is past it. */
size_t es__sight_tick(const es__sight *sight);

/* The period of angles and cyclic values, else 0. */
double es__turn_of(const es_field *field);

void es__plan_field(es__blend_plan *plan, const es__resolved *what, const es__sight *sight);

/* --- blend_apply.c ---------------------------------------------------------------------------- */

/* Copies adjacent bytes of each row. */
void es__copy_rows(
        const unsigned char *from, unsigned char *out, size_t bytes, size_t stride, size_t rows);

/* Copies a field's elements from a tick's state. */
void es__copy(const es_field *field, const unsigned char *from, const es__elements *elements,
        unsigned char *out);

/* Writes the plan's elements, of any shape: gathers, blends and scatters their numbers. */
void es__plan_apply(const es__blend_plan *plan, const es__kernels *kernels,
        const es__elements *elements, unsigned char *out);

/* --- blend_object.c --------------------------------------------------------------------------- */

/* Shows those of some elements again that jumped or will touch something. */
void es__blend_correct(
        const es__blend_context *c, es__blend_bundle *b, const es__elements *elements);

/* --- blend_pass.c ----------------------------------------------------------------------------- */

void es__blend_add(const es__blend_context *c, es__blend_bundle *b, const es_field *field);

void es__blend_rows(const es__blend_context *c, es__blend_bundle *b, const es__elements *elements);

#endif
