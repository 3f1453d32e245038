/* SPDX-License-Identifier: Zlib
 *
 * Carrying out a plan: from where the numbers lie through the kernels to where they go.
 */
#include "blend_parts.h"

#include <string.h>

#include "value_parts.h"

bool es_field_is_direct(const es_field *field, const es_elements *elements)
{
    if (elements->indices != NULL || field->stride != ES_TYPE_SIZE(field->type)) {
        return false;
    }
    return field->tile == 0 || elements->first % field->tile + elements->n <= field->tile;
}

/* Adjacent components in structs. */
static bool has_rows(const es_field *field)
{
    return (field->component_stride == 0 || field->component_stride == ES_TYPE_SIZE(field->type))
           && field->stride != ES_TYPE_SIZE(field->type);
}

#define NUMBER  float
#define NAME(x) x##_f32
#define KERNELS f32
#include "blend_numbers.inc.h"

#define NUMBER  double
#define NAME(x) x##_f64
#define KERNELS f64
#include "blend_numbers.inc.h"

/* ---- copies ---- */

static void copy_rows(
        const es_blend_plan *plan, const es_elements *elements, size_t size, unsigned char *out)
{
    for (size_t i = 0; i < elements->n; ++i) {
        size_t at = es_place(plan->field, es_element(elements, i), 0);
        memcpy(out + at, plan->to.state + at, size);
    }
}

static void apply_copy(const es_blend_plan *plan, const es_elements *elements, unsigned char *out)
{
    const es_field *field = plan->field;
    size_t components = es_components(field), size = ES_TYPE_SIZE(field->type);
    if (es_field_is_direct(field, elements)) {
        for (size_t c = 0; c < components; ++c) {
            size_t at = es_place(field, elements->first, c);
            memcpy(out + at, plan->to.state + at, elements->n * size);
        }
    } else if (has_rows(field)) {
        copy_rows(plan, elements, components * size, out);
    } else {
        for (size_t i = 0; i < elements->n; ++i) {
            for (size_t c = 0; c < components; ++c) {
                size_t at = es_place(field, es_element(elements, i), c);
                memcpy(out + at, plan->to.state + at, size);
            }
        }
    }
}

/* sRGB in bytes: the only kind that blends them. */
static void apply_bytes(const es_blend_plan *plan, const es_elements *elements, const float *alphas,
        unsigned char *out)
{
    const es_field *field = plan->field;
    size_t components = es_components(field);
    for (size_t i = 0; i < elements->n; ++i) {
        uint8_t a[4], b[4], mixed[4];
        size_t element = es_element(elements, i);
        for (size_t c = 0; c < components; ++c) {
            a[c] = plan->from.state[es_place(field, element, c)];
            b[c] = plan->to.state[es_place(field, element, c)];
        }
        es_srgb_u8(a, b, components, alphas != NULL ? (double)alphas[i] : plan->alpha, mixed);
        for (size_t c = 0; c < components; ++c) {
            out[es_place(field, element, c)] = mixed[c];
        }
    }
}

/* ---- */

bool es_plan_is_direct(const es_blend_plan *plan, const es_elements *elements)
{
    const es_blend_source sources[] = {plan->from, plan->to, plan->before, plan->after,
            plan->from_velocity, plan->to_velocity};
    if (!es_field_is_direct(plan->field, elements)) {
        return false;
    }
    for (size_t i = 0; i < sizeof sources / sizeof sources[0]; ++i) {
        if (sources[i].state != NULL && !es_field_is_direct(sources[i].field, elements)) {
            return false;
        }
    }
    for (int k = 0; k < plan->term_count; ++k) {
        if (!es_field_is_direct(plan->terms[k].plus.field, elements)) {
            return false;
        }
    }
    return true;
}

bool es_plan_can_stream(
        const es_blend_plan *plan, const es_elements *elements, const unsigned char *out)
{
    if (plan->shape != ES_SHAPE_PAIR || !es_field_is_direct(plan->field, elements)) {
        return false;
    }
    for (size_t c = 0; c < es_components(plan->field); ++c) {
        if ((uintptr_t)(out + es_place(plan->field, elements->first, c)) % 64 != 0) {
            return false;
        }
    }
    return true;
}

bool es_plan_fits_tiles(const es_blend_plan *plan)
{
    const es_field *field = plan->field;
    return plan->shape == ES_SHAPE_PAIR && field->type == ES_TYPE_F32
           && field->stride == sizeof(float)
           && (field->blend == ES_BLEND_LINEAR || field->blend == ES_BLEND_ROTATION);
}

void es_plan_apply_tile(const es_blend_plan *plan, const es_kernels *kernels, size_t tile, size_t n,
        unsigned char *out, bool stream)
{
    const es_field *field = plan->field;
    size_t at = field->offset + tile * field->tile_stride, step = es_component_step(field);
    const unsigned char *from = plan->from.state + at, *to = plan->to.state + at;
    out += at;
    stream = stream && ((uintptr_t)out | step) % 64 == 0;
    if (field->blend == ES_BLEND_ROTATION) {
        size_t numbers = step / sizeof(float);
        es_quads_f32 q = {(const float *)(const void *)from, (const float *)(const void *)to,
                (float *)(void *)out, numbers, numbers, numbers};
        kernels->f32->rotation(&q, n, &plan->rotor_f32, stream, plan->fast);
        return;
    }
    size_t components = es_components(field), run = n;
    if (step == n * sizeof(float)) {
        run *= components;
        components = 1;
    }
    for (size_t c = 0; c < components; ++c) {
        kernels->f32->linear((const float *)(const void *)(from + c * step),
                (const float *)(const void *)(to + c * step), (float *)(void *)(out + c * step),
                run, (float)plan->alpha, stream);
    }
}

void es_plan_apply(const es_blend_plan *plan, const es_kernels *kernels,
        const es_elements *elements, unsigned char *out, bool stream)
{
    if (plan->shape == ES_SHAPE_COPY) {
        apply_copy(plan, elements, out);
    } else if (plan->field->type == ES_TYPE_F32) {
        apply_f32(plan, kernels, elements, out, stream);
    } else if (plan->field->type == ES_TYPE_F64) {
        apply_f64(plan, kernels, elements, out, stream);
    } else {
        apply_bytes(plan, elements, NULL, out);
    }
}

bool es_plan_apply_each(const es_blend_plan *plan, const es_kernels *kernels,
        const es_elements *elements, const float *alphas, unsigned char *out)
{
    if (plan->shape != ES_SHAPE_PAIR) {
        return false;
    }
    if (plan->field->type == ES_TYPE_F32) {
        apply_each_f32(plan, kernels, elements, alphas, out);
    } else if (plan->field->type == ES_TYPE_F64) {
        apply_each_f64(plan, kernels, elements, alphas, out);
    } else {
        apply_bytes(plan, elements, alphas, out);
    }
    return true;
}
