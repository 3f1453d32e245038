/* SPDX-License-Identifier: Zlib
 *
 * Carries out a plan: reads the numbers, runs the kernels, writes the results.
 */
#include "blend_parts.h"

#include <string.h>

#include "value_parts.h"

bool es__field_is_direct(const es_field *field, const es_elements *elements)
{
    return field->stride == ES_TYPE_SIZE(field->type)
           && (field->tile == 0 || elements->first % field->tile + elements->count <= field->tile);
}

/* Structs whose components are adjacent. */
static bool has_rows(const es_field *field)
{
    size_t size = ES_TYPE_SIZE(field->type);
    return es__component_step(field) == size && field->stride != size;
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

void es_lerp_quat(const float a[4], const float b[4], double t, float out[4])
{
    es__rotation_f32(a, b, (float)t, out);
}

/* --- copies ----------------------------------------------------------------------------------- */

static void apply_copy(const es_blend_plan *plan, const es_elements *elements, unsigned char *out)
{
    const es_field *field = plan->field;
    size_t components = es__components(field), size = ES_TYPE_SIZE(field->type), at;
    if (es__field_is_direct(field, elements)) {
        for (size_t c = 0; c < components; ++c) {
            at = es__field_at(field, elements->first, c);
            memcpy(out + at, plan->to.state + at, elements->count * size);
        }
        return;
    }
    size_t row = has_rows(field) ? components : 1; /* components that are copied at once */
    for (size_t i = 0; i < elements->count; ++i) {
        for (size_t c = 0; c < components; c += row) {
            at = es__field_at(field, elements->first + i, c);
            memcpy(out + at, plan->to.state + at, row * size);
        }
    }
}

/* --- colours ---------------------------------------------------------------------------------- */

static void apply_colours(
        const es_blend_plan *plan, const es_elements *elements, unsigned char *out)
{
    const es_field *field = plan->field;
    size_t components = es__components(field);
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

static void apply_bytes(const es_blend_plan *plan, const es_elements *elements, unsigned char *out)
{
    const es_field *field = plan->field;
    size_t components = es__components(field);
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

bool es__plan_is_direct(const es_blend_plan *plan, const es_elements *elements)
{
    const es_blend_source sources[] = {plan->from, plan->to, plan->before, plan->after,
            plan->from_velocity, plan->to_velocity};
    if (!es__field_is_direct(plan->field, elements)) {
        return false;
    }
    for (size_t i = 0; i < sizeof sources / sizeof sources[0]; ++i) {
        if (sources[i].state != NULL && !es__field_is_direct(sources[i].field, elements)) {
            return false;
        }
    }
    for (int k = 0; k < plan->term_count; ++k) {
        if (!es__field_is_direct(plan->terms[k].plus.field, elements)) {
            return false;
        }
    }
    return true;
}

bool es__plan_can_stream(
        const es_blend_plan *plan, const es_elements *elements, const unsigned char *out)
{
    if (plan->shape != ES_SHAPE_PAIR || !es__field_is_direct(plan->field, elements)) {
        return false;
    }
    for (size_t c = 0; c < es__components(plan->field); ++c) {
        if ((uintptr_t)(out + es__field_at(plan->field, elements->first, c)) % 64 != 0) {
            return false;
        }
    }
    return true;
}

void es__plan_apply(const es_blend_plan *plan, const es_kernels *kernels,
        const es_elements *elements, unsigned char *out, bool stream)
{
    const es_field *field = plan->field;
    if (plan->shape == ES_SHAPE_COPY) {
        apply_copy(plan, elements, out);
    } else if (field->type == ES_TYPE_U8) {
        apply_bytes(plan, elements, out);
    } else if (field->blend == ES_BLEND_COLOUR || field->blend == ES_BLEND_SRGB) {
        apply_colours(plan, elements, out);
    } else if (field->type == ES_TYPE_F32) {
        apply_f32(plan, kernels, elements, out, stream);
    } else {
        apply_f64(plan, kernels, elements, out, stream);
    }
}
