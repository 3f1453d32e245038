/* SPDX-License-Identifier: Zlib
 *
 * Bundles of plain floats, of which nothing is to be looked at object by object, go straight to the
 * kernels: tiles in a few passes over memory, packed structs as rows of numbers.
 */
#include "blend_bundle.h"

/* For kernels that meet none. */
static const es_rotor_f32 no_rotation = {0};

static bool is_linear_pair(const es_blend_item *it)
{
    return it->plan.shape == ES_SHAPE_PAIR && it->plan.field->blend == ES_BLEND_LINEAR;
}

/* Nothing about it is to be looked at object by object. */
static bool is_plain_pair(const es_blend_item *it)
{
    return it->plan.shape == ES_SHAPE_PAIR && it->what.pick == NULL && it->what.mark == NULL
           && it->what.contact == NULL;
}

/* ---- tiles ---- */

/* Whether the bundle's fields are floats in tiles of one kind, shown at one alpha. */
static bool fits_tiles(const es_blend_bundle *b)
{
    const es_blend_item *first = &b->items[0];
    for (size_t i = 0; i < b->count; ++i) {
        const es_blend_item *it = &b->items[i];
        if (!es_plan_fits_tiles(&it->plan) || !is_plain_pair(it)
                || it->plan.field->tile_stride != first->plan.field->tile_stride
                || it->sight.content_ns != first->sight.content_ns) {
            return false;
        }
    }
    return first->what.field->tile >= 16;
}

/* Whether a tile's components lie side by side, in whole vectors. */
static bool fits_kernel(const es_blend_context *c, const es_blend_bundle *b)
{
    for (size_t i = 0; i < b->count; ++i) {
        const es_field *field = b->items[i].plan.field;
        if (es_components(field) > 1 && es_component_step(field) != field->tile * sizeof(float)) {
            return false;
        }
    }
    return b->items[0].plan.field->tile % c->kernels->f32->lanes == 0;
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

/* False: what comes next in memory is not of this pass any more. */
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
    run->count += es_components(plan->field) * pass->length;
    return true;
}

static bool may_stream(const es_blend_context *c, const es_tiles_f32 *pass)
{
    size_t numbers =
            pass->step | pass->length | pass->before.first | pass->quad.first | pass->after.first;
    return c->stream && numbers % 16 == 0 && (uintptr_t)pass->out % 64 == 0;
}

/* The whole tiles in [first, last) in as few passes over memory as the kernel needs. Returns where
 * they end, or first if they do not suit the kernel. */
static size_t show_whole_tiles(
        const es_blend_context *c, const es_blend_bundle *b, size_t first, size_t last)
{
    const es_blend_plan *plan = &b->items[0].plan, *plans[ES_BUNDLE_MAX];
    size_t tile = plan->field->tile, at = first / tile * plan->field->tile_stride;
    size_t whole = (last - first) / tile;
    if (!fits_kernel(c, b)) {
        return first;
    }
    sort_by_place(b, plans);
    for (size_t done = 0; done < b->count;) {
        es_tiles_f32 pass = {0};
        pass.a = (const float *)(const void *)(plan->from.state + at);
        pass.b = (const float *)(const void *)(plan->to.state + at);
        pass.out = (float *)(void *)((unsigned char *)c->job->out + at);
        pass.step = plan->field->tile_stride / sizeof(float);
        pass.length = tile;
        pass.alpha = (float)plan->alpha;
        pass.fast = plan->fast;
        pass.rotor = &no_rotation;
        while (done < b->count && add_to_pass(&pass, plans[done])) {
            done += 1;
        }
        pass.stream = may_stream(c, &pass);
        c->kernels->f32->tiles(&pass, whole);
    }
    return first + whole * tile;
}

bool es__blend_tiles(const es_blend_context *c, const es_blend_bundle *b)
{
    const es_field *field = b->items[0].what.field;
    size_t tile = field->tile, first = 0, last = 0;
    if (!fits_tiles(b)) {
        return false;
    }
    es__blend_share(c->job, field->count, tile, &first, &last);
    for (size_t at = show_whole_tiles(c, b, first, last); at < last; at += tile) {
        for (size_t i = 0; i < b->count; ++i) {
            size_t n = last - at < tile ? last - at : tile;
            es_plan_apply_tile(&b->items[i].plan, c->kernels, at / tile, n, c->job->out, c->stream);
        }
    }
    return true;
}

/* ---- packed structs ---- */

/* Whether the bundle's fields are floats that fill structs of one kind without a gap. As fields do
 * not overlap, they do if they have as many numbers as the struct, all within one struct. */
static bool fills_rows(const es_blend_bundle *b, size_t *begin)
{
    const es_field *first = b->items[0].what.field;
    size_t numbers = 0, lowest = SIZE_MAX, highest = 0;
    for (size_t i = 0; i < b->count; ++i) {
        const es_field *field = b->items[i].what.field;
        if (field->type != ES_TYPE_F32 || field->tile != 0 || field->stride != first->stride
                || es_component_step(field) != sizeof(float) || !is_plain_pair(&b->items[i])) {
            return false;
        }
        size_t end = field->offset + es_components(field) * sizeof(float);
        numbers += es_components(field);
        lowest = field->offset < lowest ? field->offset : lowest;
        highest = end > highest ? end : highest;
    }
    *begin = lowest;
    return numbers * sizeof(float) == first->stride && highest - lowest == first->stride;
}

bool es__blend_rows(const es_blend_context *c, const es_blend_bundle *b)
{
    const es_blend_plan *plan = &b->items[0].plan;
    size_t quads[ES_BUNDLE_MAX], begin = 0, first = 0, last = 0;
    es_rows_f32 rows = {0};
    rows.rotor = &no_rotation;
    if (b->count < 2 || !fills_rows(b, &begin)) {
        return false;
    }
    for (size_t i = 0; i < b->count; ++i) {
        const es_blend_item *it = &b->items[i];
        if (it->plan.field->blend == ES_BLEND_ROTATION) {
            quads[rows.quad_count] = (it->plan.field->offset - begin) / sizeof(float);
            rows.quad_count += 1;
            rows.rotor = &it->plan.rotor_f32; /* of any of them: all have the same alpha */
        } else if (!is_linear_pair(it)) {
            return false;
        }
        if (it->sight.content_ns != b->items[0].sight.content_ns) {
            return false;
        }
    }
    es__blend_share(c->job, plan->field->count, ES_CHUNK, &first, &last);
    size_t at = begin + first * plan->field->stride;
    rows.a = (const float *)(const void *)(plan->from.state + at);
    rows.b = (const float *)(const void *)(plan->to.state + at);
    rows.out = (float *)(void *)((unsigned char *)c->job->out + at);
    rows.numbers = plan->field->stride / sizeof(float);
    rows.quads = quads;
    rows.alpha = (float)plan->alpha;
    rows.fast = plan->fast;
    c->kernels->f32->rows(&rows, last - first);
    return true;
}
