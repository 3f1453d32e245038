/* SPDX-License-Identifier: Zlib
 *
 * Lines, circles, copies and rotations: kernels that take rows as they lie in memory. The words of a
 * bundle's fields go into as few passes as fit, each of up to 64 words of a row.
 */
#include "blend_parts.h"

/* --- words ------------------------------------------------------------------------------------ */

/* Bytes as words of 4 or 8. */
static size_t in_words(size_t bytes, size_t size)
{
    return bytes >> (size == 8 ? 3 : 2);
}

static bool differ(double a, double b)
{
    return a < b || a > b;
}

/* Whether a pass can also do what the plan says. */
static bool agree(const es_pass *p, const es_blend_plan *plan, size_t size)
{
    const es_words *w = &p->words;
    if (p->size != size || w->b != plan->to.state || plan->shape == ES_SHAPE_COPY) {
        return p->size == size && w->b == plan->to.state;
    }
    return (w->masks.mix == 0 || (w->a == plan->from.state && !differ(w->alpha, plan->alpha)))
           && (w->masks.wrap == 0 || plan->turn == 0 || !differ(w->turn, plan->turn));
}

/* A pass that has space for words from begin to end, and agrees; NULL: there are too many passes.
 * limit: bytes of a row that a pass can take. */
static es_pass *find_pass(
        const es_blend_context *c, es_blend_bundle *b, const es_blend_item *it, size_t begin, size_t end, size_t limit)
{
    const size_t size = ES_TYPE_SIZE(it->what.field->type);
    for (es_pass *p = b->passes; p < b->passes + b->pass_count; ++p) {
        size_t from = p->begin < begin ? p->begin : begin, to = p->end > end ? p->end : end;
        if (to - from <= limit && ((begin - p->begin) & (size - 1)) == 0 && agree(p, &it->plan, size)) {
            const size_t up = in_words(p->begin - from, size);
            p->words.masks.mix <<= up;
            p->words.masks.wrap <<= up;
            p->words.masks.copy <<= up;
            p->begin = from;
            p->end = to;
            return p;
        }
    }
    if (b->pass_count == ES_PASSES_MAX) {
        return NULL;
    }
    es_pass *p = &b->passes[b->pass_count++];
    p->size = size;
    p->begin = begin;
    p->end = end;
    p->words.b = it->plan.to.state;
    p->words.a = p->words.b;
    p->words.out = c->job->out;
    p->words.masks.mix = 0;
    p->words.masks.wrap = 0;
    p->words.masks.copy = 0;
    p->words.alpha = 0;
    p->words.turn = 0;
    p->words.stream = c->stream;
    return p;
}

/* Some adjacent words. False: there are too many passes. */
static bool add_words(const es_blend_context *c, es_blend_bundle *b, const es_blend_item *it,
        size_t begin, size_t count, size_t stride)
{
    const size_t size = ES_TYPE_SIZE(it->what.field->type), row = in_words(stride, size);
    const size_t most = row < 64 ? row : 64;
    for (size_t n; count > 0; count -= n, begin += n * size) {
        n = count < most ? count : most;
        es_pass *p = find_pass(c, b, it, begin, begin + n * size, most * size);
        if (p == NULL) {
            return false;
        }
        es_words *w = &p->words;
        const uint64_t bits = (n < 64 ? (UINT64_C(1) << n) - 1 : UINT64_MAX)
                              << in_words(begin - p->begin, size);
        w->stride = stride;
        if (it->plan.shape == ES_SHAPE_COPY) {
            w->masks.copy |= bits;
            continue;
        }
        w->a = it->plan.from.state;
        w->alpha = it->plan.alpha;
        w->masks.mix |= bits;
        if (it->plan.turn > 0) {
            w->turn = it->plan.turn;
            w->masks.wrap |= bits;
        }
    }
    return true;
}

/* False: not all of its words are in a pass. */
static bool add_item(const es_blend_context *c, es_blend_bundle *b, const es_blend_item *it)
{
    const es_field *field = it->what.field;
    const size_t size = ES_TYPE_SIZE(field->type), step = es__component_step(field);
    const size_t components = es__components(field), count = it->rows.count;
    const size_t stride = field->count <= count ? 64 * size : it->rows.stride; /* of one row: any */
    if ((stride & (size - 1)) != 0) {
        return false;
    }
    if (step == count * size) {
        return add_words(c, b, it, field->offset, count * components, stride);
    }
    bool all = true;
    for (size_t k = 0; all && k < components; ++k) {
        all = add_words(c, b, it, field->offset + k * step, count, stride);
    }
    return all;
}

/* --- rotations -------------------------------------------------------------------------------- */

static bool is_f32(const es_blend_item *it)
{
    return it->what.field->type == ES_TYPE_F32;
}

/* Whether the kernel takes quaternions that lie so. */
static bool fits_rotation(const es_blend_context *c, const es_blend_item *it)
{
    const es_field *field = it->what.field;
    size_t size = ES_TYPE_SIZE(field->type), step = es__component_step(field);
    size_t lanes = is_f32(it) ? c->kernels->f32->lanes : c->kernels->f64->lanes;
    size_t tile = it->rows.count;
    if (tile > 1) {
        return step % size == 0
               && (tile % lanes == 0 || (is_f32(it) && (tile == 4 || tile == 8)));
    }
    /* doubles may stand on 4 bytes on some machines */
    return it->rows.stride == size ? step % size == 0 : step == size;
}

static void rotate(const es_blend_context *c, const es_blend_item *it, size_t shift, size_t n)
{
    const es_field *field = it->what.field;
    const es_blend_plan *plan = &it->plan;
    const bool tiles = it->rows.count > 1;
    const bool structs = !tiles && it->rows.stride != ES_TYPE_SIZE(field->type);
    shift += field->offset;
    es_quads q = {.a = plan->from.state + shift,
            .b = plan->to.state + shift,
            .out = (unsigned char *)c->job->out + shift,
            .rows = structs,
            .step = structs ? it->rows.stride : es__component_step(field),
            .tile = tiles ? it->rows.count : 0,
            .tile_stride = tiles ? it->rows.stride : 0,
            .stream = c->stream};
    if (is_f32(it)) {
        c->kernels->f32->rotation(&q, n, &plan->rotor_f32);
    } else {
        c->kernels->f64->rotation(&q, n, &plan->rotor_f64);
    }
}

/* --- all of them ------------------------------------------------------------------------------ */

static es_way way_of(const es_blend_context *c, const es_blend_item *it)
{
    const es_field *field = it->what.field;
    if (it->plan.shape == ES_SHAPE_COPY) {
        return field->type == ES_TYPE_U8 ? ES_WAY_APART : ES_WAY_WORDS;
    }
    if (it->plan.shape != ES_SHAPE_PAIR || field->blend == ES_BLEND_COLOUR
            || field->blend == ES_BLEND_SRGB || field->blend == ES_BLEND_LOG) {
        return ES_WAY_APART;
    }
    if (field->blend == ES_BLEND_ROTATION) {
        return fits_rotation(c, it) ? ES_WAY_ROTATION : ES_WAY_APART;
    }
    return ES_WAY_WORDS;
}

void es__blend_add(const es_blend_context *c, es_blend_bundle *b, es_blend_item *it)
{
    it->way = way_of(c, it);
    if (it->way == ES_WAY_WORDS && !add_item(c, b, it)) {
        it->way = ES_WAY_APART;
    }
}

void es__blend_rows(
        const es_blend_context *c, const es_blend_bundle *b, const es_elements *elements)
{
    const es_rows *rows = &b->items[0].rows;
    size_t row = elements->first, count = elements->count;
    if (rows->count > 1) {
        row /= rows->count;
        count /= rows->count;
    }
    size_t shift = rows->tile != 0
                           ? row / rows->tile * rows->tile_stride + row % rows->tile * rows->stride
                           : row * rows->stride;
    for (size_t i = 0; i < b->pass_count; ++i) {
        const es_pass *p = &b->passes[i];
        if (p->size == sizeof(float)) {
            c->kernels->f32->words(&p->words, p->begin + shift, count);
        } else {
            c->kernels->f64->words(&p->words, p->begin + shift, count);
        }
    }
    for (size_t i = 0; i < b->count; ++i) {
        const es_blend_item *it = &b->items[i];
        if (it->way == ES_WAY_ROTATION) {
            rotate(c, it, shift, elements->count);
        } else if (it->way == ES_WAY_APART) {
            es__plan_apply(&it->plan, c->kernels, elements, c->job->out);
        }
    }
}
