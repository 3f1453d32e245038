/* SPDX-License-Identifier: Zlib
 *
 * Carries out a plan: reads the numbers, runs the kernels, writes the results.
 */
#include "blend_parts.h"

/* Whether the numbers of each component are adjacent: nothing is gathered. */
static bool is_direct(const es_field *field)
{
    return field->stride == ES_TYPE_SIZE(field->type);
}

#define NUMBER   float
#define NAME(x)  x##_f32
#define KERNELS  f32
#define RATIO    es__ratio_f32
#define ROTATION es__rotation_f32
#include "blend_numbers.inc.h"

#define NUMBER   double
#define NAME(x)  x##_f64
#define KERNELS  f64
#define RATIO    es__ratio_f64
#define ROTATION es__rotation_f64
#include "blend_numbers.inc.h"

/* --- copies ----------------------------------------------------------------------------------- */

void es__copy(const es_field *field, const unsigned char *from, const es__elements *elements,
        unsigned char *out)
{
    const size_t size = ES_TYPE_SIZE(field->type), stride = field->stride, n = elements->count;
    for (size_t c = 0; c < es__components(field); ++c) {
        size_t at = es__field_at(field, elements->first, c);
        if (stride == size) {
            memcpy(out + at, from + at, n * size);
        } else if (size == 1) {
            for (size_t k = 0; k < n; ++k, at += stride) {
                out[at] = from[at];
            }
        } else {
            for (size_t k = 0; k < n; ++k, at += stride) {
                memcpy(out + at, from + at, size);
            }
        }
    }
}

/* --- colours ---------------------------------------------------------------------------------- */

static void apply_colours(
        const es__blend_plan *plan, const es__elements *elements, unsigned char *out)
{
    const es_field *field = plan->field;
    const size_t components = field->components == 3 ? 3 : 4;
    float alpha = (float)plan->alpha;
    for (size_t i = 0; i < elements->count; ++i) {
        float a[4], b[4], mixed[4];
        size_t element = elements->first + i;
        for (size_t c = 0; c < components; ++c) {
            a[c] = *number_at_f32(plan->from, element, c);
            b[c] = *number_at_f32(plan->to, element, c);
        }
        if (field->blend == ES_BLEND_COLOUR) {
            es__colour_f32(a, b, components, alpha, mixed);
        } else {
            es__srgb_f32(a, b, components, alpha, mixed);
        }
        for (size_t c = 0; c < components; ++c) {
            *number_to_f32(field, out, element, c) = mixed[c];
        }
    }
}

static void apply_bytes(
        const es__blend_plan *plan, const es__elements *elements, unsigned char *out)
{
    const es_field *field = plan->field;
    const size_t components = field->components == 3 ? 3 : 4;
    for (size_t i = 0; i < elements->count; ++i) {
        uint8_t a[4], b[4], mixed[4];
        size_t element = elements->first + i;
        for (size_t c = 0; c < components; ++c) {
            a[c] = plan->from.state[es__field_at(field, element, c)];
            b[c] = plan->to.state[es__field_at(field, element, c)];
        }
        es__srgb_u8(a, b, components, plan->alpha, mixed);
        for (size_t c = 0; c < components; ++c) {
            out[es__field_at(field, element, c)] = mixed[c];
        }
    }
}

/* --- all of it -------------------------------------------------------------------------------- */

static void apply_some(const es__blend_plan *plan, const es__kernels *kernels,
        const es__elements *elements, unsigned char *out)
{
    const es_field *field = plan->field;
    if (field->type == ES_TYPE_U8) {
        apply_bytes(plan, elements, out);
    } else if (field->blend == ES_BLEND_COLOUR || field->blend == ES_BLEND_SRGB) {
        apply_colours(plan, elements, out);
    } else if (field->type == ES_TYPE_F32) {
        apply_f32(plan, kernels, elements, out);
    } else {
        apply_f64(plan, kernels, elements, out);
    }
}

void es__plan_apply(const es__blend_plan *plan, const es__kernels *kernels,
        const es__elements *elements, unsigned char *out)
{
    const es_field *field = plan->field;
    const size_t end = elements->first + elements->count;
    es__elements some = *elements;
    if (plan->shape == ES_SHAPE_COPY) {
        es__copy(field, plan->to.state, elements, out);
        return;
    }
    for (; some.first < end; some.first += some.count) {
        some.count = end - some.first < ES_CHUNK ? end - some.first : ES_CHUNK;
        apply_some(plan, kernels, &some, out);
    }
}
