/* SPDX-License-Identifier: Zlib
 *
 * Blending by layout: for each field, for each element, its components. One element after the other
 * is right for any stride; runs at memory speed are a later room's work.
 */
#include "evenstep/blend.h"

#include <string.h>

#define NUMBER     float
#define NAME(x)    x##_f32
#define WHOLE_FROM 16777216.0F /* 2^24 */
#include "blend_numbers.inc.h"
#undef NUMBER
#undef NAME
#undef WHOLE_FROM

#define NUMBER     double
#define NAME(x)    x##_f64
#define WHOLE_FROM 9007199254740992.0 /* 2^53 */
#include "blend_numbers.inc.h"
#undef NUMBER
#undef NAME
#undef WHOLE_FROM

typedef struct places {
    const unsigned char *previous;
    const unsigned char *current;
    unsigned char *out;
} places;

static void blend_f32(const es_field *field, places at, size_t count, float alpha)
{
    const float *a = (const float *)(const void *)at.previous;
    const float *b = (const float *)(const void *)at.current;
    if (field->blend == ES_BLEND_ANGLE) {
        blend_angle_f32(a, b, (float *)(void *)at.out, count, alpha);
    } else {
        blend_linear_f32(a, b, (float *)(void *)at.out, count, alpha);
    }
}

static void blend_f64(const es_field *field, places at, size_t count, double alpha)
{
    const double *a = (const double *)(const void *)at.previous;
    const double *b = (const double *)(const void *)at.current;
    if (field->blend == ES_BLEND_ANGLE) {
        blend_angle_f64(a, b, (double *)(void *)at.out, count, alpha);
    } else {
        blend_linear_f64(a, b, (double *)(void *)at.out, count, alpha);
    }
}

/* count adjacent numbers of one field. */
static void blend_run(const es_field *field, places at, size_t count, double alpha)
{
    if (field->blend == ES_BLEND_STEP) {
        const unsigned char *from = alpha <= 0 ? at.previous : at.current;
        memcpy(at.out, from, count * ES_TYPE_SIZE(field->type));
    } else if (field->type == ES_TYPE_F32) {
        blend_f32(field, at, count, (float)alpha);
    } else {
        blend_f64(field, at, count, alpha);
    }
}

static void blend_field(const es_field *field, places at, double alpha)
{
    size_t components = field->components != 0 ? field->components : 1;
    if (field->stride == components * ES_TYPE_SIZE(field->type)) {
        blend_run(field, at, components * field->count, alpha);
        return;
    }
    for (size_t i = 0; i < field->count; ++i) {
        size_t offset = i * field->stride;
        places element = {at.previous + offset, at.current + offset, at.out + offset};
        blend_run(field, element, components, alpha);
    }
}

es_result es_blend(
        const es_layout *layout, const void *previous, const void *current, double alpha, void *out)
{
    if (layout == NULL || previous == NULL || current == NULL || out == NULL) {
        return ES_ERR_INVALID;
    }
    for (size_t i = 0; i < layout->field_count; ++i) {
        const es_field *field = &layout->fields[i];
        places at = {(const unsigned char *)previous + field->offset,
                (const unsigned char *)current + field->offset,
                (unsigned char *)out + field->offset};
        blend_field(field, at, alpha);
    }
    return ES_OK;
}
