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

static ES_INLINE void copy_some(
        const unsigned char *from, unsigned char *out, size_t bytes, size_t stride, size_t rows)
{
    for (; rows % 4 != 0; --rows, from += stride, out += stride) {
        memcpy(out, from, bytes);
    }
    for (; rows > 0; rows -= 4, from += 4 * stride, out += 4 * stride) {
        memcpy(out, from, bytes);
        memcpy(out + stride, from + stride, bytes);
        memcpy(out + 2 * stride, from + 2 * stride, bytes);
        memcpy(out + 3 * stride, from + 3 * stride, bytes);
    }
}

void es__copy_rows(
        const unsigned char *from, unsigned char *out, size_t bytes, size_t stride, size_t rows)
{
    if (bytes == stride) {
        memcpy(out, from, rows * bytes);
    } else if (bytes == 1) {
        copy_some(from, out, 1, stride, rows);
    } else if (bytes == 2) {
        copy_some(from, out, 2, stride, rows);
    } else {
        copy_some(from, out, bytes, stride, rows);
    }
}

void es__copy(const es_field *field, const unsigned char *from, const es__elements *elements,
        unsigned char *out)
{
    for (size_t c = 0; c < es__components(field); ++c) {
        const size_t at = es__field_at(field, elements->first, c);
        es__copy_rows(
                from + at, out + at, ES_TYPE_SIZE(field->type), field->stride, elements->count);
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
