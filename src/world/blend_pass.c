/* SPDX-License-Identifier: Zlib
 *
 * Lines, circles, copies and rotations: kernels that take rows as they lie in memory. The words of a
 * bundle's fields go into as few passes as fit, each of up to 64 words of a row.
 */
#include "blend_parts.h"

/* --- words ------------------------------------------------------------------------------------ */

/* Whether one pass can do what both say. */
static bool agree(const es_pass *a, const es_pass *b)
{
    const es_words *x = &a->words, *y = &b->words;
    return a->size == b->size && x->b == y->b && (a->begin - b->begin) % a->size == 0
           && (x->mix == 0 || y->mix == 0
                   || (x->a == y->a && !(x->alpha < y->alpha) && !(x->alpha > y->alpha)))
           && (x->wrap == 0 || y->wrap == 0
                   || (!(x->turn < y->turn) && !(x->turn > y->turn)));
}

/* Adds one pass to another that has space for it. limit: bytes. */
static bool join_passes(es_pass *to, const es_pass *from, size_t limit)
{
    size_t begin = to->begin < from->begin ? to->begin : from->begin;
    size_t end = to->end > from->end ? to->end : from->end;
    if (end - begin > limit || !agree(to, from)) {
        return false;
    }
    es_words *w = &to->words;
    size_t up = (to->begin - begin) / to->size, by = (from->begin - begin) / to->size;
    if (w->mix == 0) {
        w->a = from->words.a;
        w->alpha = from->words.alpha;
    }
    w->turn = w->wrap == 0 ? from->words.turn : w->turn;
    w->mix = w->mix << up | from->words.mix << by;
    w->wrap = w->wrap << up | from->words.wrap << by;
    w->copy = w->copy << up | from->words.copy << by;
    to->begin = begin;
    to->end = end;
    return true;
}

static bool add_pass(es_blend_bundle *b, const es_pass *pass, size_t limit)
{
    for (size_t i = 0; i < b->pass_count; ++i) {
        if (join_passes(&b->passes[i], pass, limit)) {
            return true;
        }
    }
    if (b->pass_count == ES_PASSES_MAX) {
        return false;
    }
    b->passes[b->pass_count] = *pass;
    b->pass_count += 1;
    return true;
}

/* What the words of an item become. */
static es_words words_of(const es_blend_context *c, const es_blend_item *it)
{
    const es_blend_plan *plan = &it->plan;
    es_words w = {.a = plan->to.state,
            .b = plan->to.state,
            .out = c->job->out,
            .stride = it->rows.stride,
            .stream = c->stream};
    if (plan->shape == ES_SHAPE_PAIR) {
        w.a = plan->from.state;
        w.alpha = plan->alpha;
        w.turn = plan->turn;
    }
    return w;
}

/* False: some words are in no pass. */
static bool add_words(const es_blend_context *c, es_blend_bundle *b, const es_blend_item *it)
{
    const es_field *field = it->what.field;
    const size_t size = ES_TYPE_SIZE(field->type), step = es__component_step(field);
    size_t components = es__components(field), count = it->rows.count;
    es_words w = words_of(c, it);
    if (field->count <= count) { /* one row */
        w.stride = 64 * size;
    }
    if (step == count * size) {
        count *= components;
        components = 1;
    }
    size_t most = w.stride / size < 64 ? w.stride / size : 64;
    for (size_t k = 0, n; k < components * count; k += n) {
        n = count - k % count < most ? count - k % count : most;
        uint64_t bits = n < 64 ? (UINT64_C(1) << n) - 1 : UINT64_MAX;
        size_t begin = field->offset + k / count * step + k % count * size;
        es_pass pass = {w, size, begin, begin + n * size};
        bool mixes = it->plan.shape == ES_SHAPE_PAIR;
        pass.words.mix = mixes ? bits : 0;
        pass.words.wrap = it->plan.turn > 0 && mixes ? bits : 0;
        pass.words.copy = mixes ? 0 : bits;
        if (w.stride % size != 0 || !add_pass(b, &pass, most * size)) {
            return false;
        }
    }
    return true;
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
    if (it->way == ES_WAY_WORDS && !add_words(c, b, it)) {
        it->way = ES_WAY_APART;
    }
}

void es__blend_rows(
        const es_blend_context *c, const es_blend_bundle *b, const es_elements *elements)
{
    const es_rows *rows = &b->items[0].rows;
    size_t row = elements->first / rows->count, count = elements->count / rows->count;
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
