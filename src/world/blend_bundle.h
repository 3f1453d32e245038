/* SPDX-License-Identifier: Zlib
 *
 * What the files share that go over a job's fields: blend.c, blend_check.c, blend_field.c,
 * blend_object.c and blend_pass.c.
 */
#ifndef ES_BLEND_BUNDLE_H
#define ES_BLEND_BUNDLE_H

#include "base/common.h"
#include "blend_parts.h"

/* Interleaved fields that are done together. More make more passes over memory, no more. */
enum { ES_BUNDLE_MAX = 8 };

typedef struct es_blend_context {
    const es_blend_job *job;
    const es_kernels *kernels;
    bool stream;
} es_blend_context;

/* A field of a bundle, with what it shows. */
typedef struct es_blend_item {
    es_resolved what;
    es_sight sight;
    es_blend_plan plan;
    es_field flat[3]; /* stand-ins for the field and the two it names: see flatten */
} es_blend_item;

/* Some fields that are done together, chunk by chunk. */
typedef struct es_blend_bundle {
    size_t count;
    es_blend_item items[ES_BUNDLE_MAX];
} es_blend_bundle;

/* ---- blend_check.c ---- */

es_result es__blend_check(const es_blend_job *job, es_error *error);

/* ---- blend_field.c ---- */

/* What is picked of the field's group; NULL: nothing is. */
const es_blend_pick *es__blend_pick_of(const es_blend_job *job, const es_field *field);

/* The item of a field. */
void es__blend_prepare(es_blend_item *it, const es_blend_job *job, const es_field *field);

/* Whether all its numbers lie side by side. */
static inline bool es__blend_is_flat(const es_field *field)
{
    size_t size = ES_TYPE_SIZE(field->type);
    return field->tile == 0 && (field->component_stride == 0 || field->component_stride == size)
           && field->stride == es_components(field) * size;
}

/* ---- blend_object.c ---- */

/* Again, for those of some elements that jumped or will touch something. alphas: their own, or
 * NULL. */
void es__blend_correct(const es_blend_context *c, const es_blend_item *it,
        const es_elements *elements, const float *alphas);

/* Some elements, each at its own alpha. */
void es__blend_show_with_alphas(const es_blend_context *c, const es_blend_item *it,
        const es_elements *elements, const float *alphas);

/* ---- blend_pass.c ---- */

/* Tiles of floats of which nothing is special: straight to the kernels. False: not that simple,
 * nothing done. */
bool es__blend_tiles(const es_blend_context *c, const es_blend_bundle *b);

/* Packed structs of floats: all their numbers are blended in a row as if each were linear, at full
 * width, and the rotations among them are written again after it. False: not that simple, nothing
 * done. */
bool es__blend_rows(const es_blend_context *c, const es_blend_bundle *b);

/* ---- blend.c ---- */

/* The call's share of n things that are not parted within `unit`. */
void es__blend_share(const es_blend_job *job, size_t n, size_t unit, size_t *first, size_t *last);

#endif
