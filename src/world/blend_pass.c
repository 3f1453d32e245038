/* SPDX-License-Identifier: Zlib
 *
 * Bundles of plain floats without marks and contacts: tiles in a few passes over memory, packed
 * structs as rows of numbers.
 */
#include "blend_parts.h"

/* For bundles without rotations. */
static const es_rotor_f32 no_rotation = {0};

/* A pair of floats, linear or a rotation, of which no object is shown apart. */
static bool is_plain_pair(const es_blend_item *it)
{
    es_blend_kind kind = it->what.field->blend;
    return it->plan.shape == ES_SHAPE_PAIR && it->what.field->type == ES_TYPE_F32
           && (kind == ES_BLEND_LINEAR || kind == ES_BLEND_ROTATION) && it->what.mark == NULL
           && it->what.contact == NULL;
}

/* --- tiles ------------------------------------------------------------------------------------ */

/* Whether the bundle's fields are floats in tiles of one kind, shown at one alpha: in each tile one
 * array of whole vectors per component, the next component adjacent. */
static bool fits_tiles(const es_blend_context *c, const es_blend_bundle *b)
{
    const es_blend_item *first = &b->items[0];
    size_t tile = first->what.field->tile;
    for (size_t i = 0; i < b->count; ++i) {
        const es_blend_item *it = &b->items[i];
        const es_field *field = it->what.field;
        if (!is_plain_pair(it) || field->stride != sizeof(float)
                || (es__components(field) > 1 && es__component_step(field) != tile * sizeof(float))
                || field->tile_stride != first->what.field->tile_stride
                || it->sight.content_ns != first->sight.content_ns) {
            return false;
        }
    }
    return tile >= 16 && tile % c->kernels->f32->lanes == 0;
}

static void sort_by_place(const es_blend_bundle *b, const es_blend_plan *plans[ES_BUNDLE_MAX])
{
    for (size_t i = 0; i < b->count; ++i) {
        const es_blend_plan *plan = &b->items[i].plan;
        size_t at = i;
        for (; at > 0 && plans[at - 1]->field->offset > plan->field->offset; --at) {
            plans[at] = plans[at - 1];
        }
        plans[at] = plan;
    }
}

/* False: the next field in memory needs another pass. */
static bool add_to_pass(es_tiles_f32 *pass, const es_blend_plan *plan)
{
    size_t first = plan->field->offset / sizeof(float);
    if (plan->field->blend == ES_BLEND_ROTATION) {
        if (pass->quad.count != 0) {
            return false;
        }
        pass->quad = (es_run){first, pass->length};
        pass->rotor = &plan->rotor_f32;
        return true;
    }
    es_run *run = pass->quad.count != 0 ? &pass->after : &pass->before;
    if (run->count != 0 && run->first + run->count != first) {
        return false;
    }
    run->first = run->count != 0 ? run->first : first;
    run->count += es__components(plan->field) * pass->length;
    return true;
}

static bool may_stream(const es_blend_context *c, const es_tiles_f32 *pass)
{
    size_t numbers =
            pass->step | pass->length | pass->before.first | pass->quad.first | pass->after.first;
    return c->stream && numbers % 16 == 0 && (uintptr_t)pass->out % 64 == 0;
}

size_t es__blend_tiles(const es_blend_context *c, const es_blend_bundle *b)
{
    const es_blend_plan *plan = &b->items[0].plan, *plans[ES_BUNDLE_MAX];
    size_t tile = plan->field->tile, whole = plan->field->count / tile;
    if (!fits_tiles(c, b)) {
        return 0;
    }
    sort_by_place(b, plans);
    for (size_t done = 0; done < b->count;) {
        es_tiles_f32 pass = {0};
        pass.a = (const float *)(const void *)plan->from.state;
        pass.b = (const float *)(const void *)plan->to.state;
        pass.out = c->job->out;
        pass.step = plan->field->tile_stride / sizeof(float);
        pass.length = tile;
        pass.alpha = (float)plan->alpha;
        pass.rotor = &no_rotation;
        while (done < b->count && add_to_pass(&pass, plans[done])) {
            done += 1;
        }
        pass.stream = may_stream(c, &pass);
        c->kernels->f32->tiles(&pass, whole);
    }
    return whole * tile;
}

/* --- packed structs --------------------------------------------------------------------------- */

/* Whether the bundle's fields fill structs of one kind without a gap, and where the first begins.
 * As fields do not overlap, they fill them if they have as many numbers, all within one struct. */
static bool fills_rows(const es_blend_bundle *b, size_t *begin)
{
    const es_blend_item *first = &b->items[0];
    size_t stride = first->what.field->stride, numbers = 0, lowest = SIZE_MAX, highest = 0;
    for (size_t i = 0; i < b->count; ++i) {
        const es_blend_item *it = &b->items[i];
        const es_field *field = it->what.field;
        if (!is_plain_pair(it) || field->stride != stride
                || es__component_step(field) != sizeof(float)
                || it->sight.content_ns != first->sight.content_ns) {
            return false;
        }
        size_t end = field->offset + es__components(field) * sizeof(float);
        numbers += es__components(field);
        lowest = field->offset < lowest ? field->offset : lowest;
        highest = end > highest ? end : highest;
    }
    *begin = lowest;
    return numbers * sizeof(float) == stride && highest - lowest == stride;
}

bool es__blend_rows(const es_blend_context *c, const es_blend_bundle *b)
{
    const es_blend_plan *plan = &b->items[0].plan;
    size_t quads[ES_BUNDLE_MAX], begin = 0;
    if (b->count < 2 || !fills_rows(b, &begin)) {
        return false;
    }
    es_rows_f32 rows = {.a = (const float *)(const void *)(plan->from.state + begin),
            .b = (const float *)(const void *)(plan->to.state + begin),
            .out = (float *)(void *)((unsigned char *)c->job->out + begin),
            .numbers = plan->field->stride / sizeof(float),
            .quads = quads,
            .alpha = (float)plan->alpha,
            .rotor = &no_rotation};
    for (size_t i = 0; i < b->count; ++i) {
        const es_blend_plan *other = &b->items[i].plan;
        if (other->field->blend == ES_BLEND_ROTATION) {
            quads[rows.quad_count] = (other->field->offset - begin) / sizeof(float);
            rows.quad_count += 1;
            rows.rotor = &other->rotor_f32; /* equal for all: they have the same alpha */
        }
    }
    c->kernels->f32->rows(&rows, plan->field->count);
    return true;
}
