/* SPDX-License-Identifier: Zlib
 *
 * Lines, circles, copies and rotations: kernels that take rows as they lie in memory. The words of a
 * bundle's fields go into as few passes as fit, each of up to 64 words of a row.
 */
#include "blend_parts.h"

/* --- words ------------------------------------------------------------------------------------ */

static bool differ(double a, double b)
{
    return a < b || a > b;
}

/* Some adjacent words of a row. */
typedef struct run {
    size_t begin; /* bytes from the start of a state */
    size_t bytes;
    size_t stride; /* from a row to the next */
    size_t most;   /* bytes of a row that a pass can take */
    unsigned shift;
} run;

/* Whether a pass can also do what the plan says, and has space for the run. */
static ES_INLINE bool takes(const es_pass *p, const es_blend_plan *plan, const run *r)
{
    const es_words *w = &p->words;
    const size_t begin = p->begin < r->begin ? p->begin : r->begin, end = r->begin + r->bytes;
    if ((p->end > end ? p->end : end) - begin > r->most || p->shift != r->shift
            || w->b != plan->to.state || ((r->begin - p->begin) & (((size_t)1 << r->shift) - 1)) != 0) {
        return false;
    }
    return plan->shape == ES_SHAPE_COPY || w->masks.mix == 0
           || (w->a == plan->from.state && !differ(w->alpha, plan->alpha)
                   && (w->masks.wrap == 0 || plan->turn == 0 || !differ(w->turn, plan->turn)));
}

static void make_pass(const es_blend_context *c, es_pass *p, const es_blend_plan *plan, const run *r)
{
    p->shift = r->shift;
    p->begin = r->begin;
    p->end = r->begin;
    p->words.a = plan->to.state;
    p->words.b = plan->to.state;
    p->words.out = c->job->out;
    p->words.stride = r->stride;
    p->words.masks.mix = 0;
    p->words.masks.wrap = 0;
    p->words.masks.copy = 0;
    p->words.alpha = 0;
    p->words.turn = 0;
    p->words.stream = c->stream;
}

/* False: there are too many passes. */
static bool add_run(const es_blend_context *c, es_blend_bundle *b, const es_blend_plan *plan, const run *r)
{
    es_pass *p = b->passes, *none = p + b->pass_count;
    while (p < none && !takes(p, plan, r)) {
        ++p;
    }
    if (p == b->passes + ES_PASSES_MAX) {
        return false;
    }
    if (p == none) {
        make_pass(c, p, plan, r);
        b->pass_count += 1;
        b->ways += 1;
    }
    es_words *w = &p->words;
    if (r->begin < p->begin) {
        const size_t up = (p->begin - r->begin) >> r->shift;
        w->masks.mix <<= up;
        w->masks.wrap <<= up;
        w->masks.copy <<= up;
        p->begin = r->begin;
    }
    p->end = p->end > r->begin + r->bytes ? p->end : r->begin + r->bytes;
    const uint64_t bits = UINT64_MAX >> (64 - (r->bytes >> r->shift))
                          << ((r->begin - p->begin) >> r->shift);
    if (plan->shape == ES_SHAPE_COPY) {
        w->masks.copy |= bits;
        return true;
    }
    w->a = plan->from.state;
    w->alpha = plan->alpha;
    w->masks.mix |= bits;
    if (plan->turn > 0) {
        w->turn = plan->turn;
        w->masks.wrap |= bits;
    }
    return true;
}

/* False: not all of its words are in a pass. */
static bool add_words(const es_blend_context *c, es_blend_bundle *b, const es_blend_item *it)
{
    const es_field *field = it->what.field;
    const size_t size = (size_t)1 << it->rows.shift;
    const size_t step = field->component_stride != 0 ? field->component_stride : size;
    size_t components = es__components(field), bytes = it->rows.count * size;
    run r = {field->offset, bytes, it->rows.stride, 64 * size, it->rows.shift};
    if (field->count <= it->rows.count) { /* one row: any stride */
        r.stride = r.most;
    }
    r.most = r.most < r.stride ? r.most : r.stride;
    if (step == bytes) {
        bytes *= components;
        components = 1;
    }
    if ((r.stride & (size - 1)) != 0) {
        return false;
    }
    for (size_t k = 0; k < components; ++k) {
        r.begin = field->offset + k * step;
        for (size_t left = bytes; left > 0; left -= r.bytes, r.begin += r.bytes) {
            r.bytes = left < r.most ? left : r.most;
            if (!add_run(c, b, &it->plan, &r)) {
                return false;
            }
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

static ES_INLINE es_way way_of(const es_blend_context *c, const es_blend_item *it)
{
    const es_blend_kind kind = it->what.field->blend;
    if (it->plan.shape == ES_SHAPE_COPY) {
        return it->rows.shift == 0 ? ES_WAY_APART : ES_WAY_WORDS;
    }
    if (it->plan.shape != ES_SHAPE_PAIR || kind == ES_BLEND_COLOUR || kind == ES_BLEND_SRGB
            || kind == ES_BLEND_LOG) {
        return ES_WAY_APART;
    }
    return kind != ES_BLEND_ROTATION ? ES_WAY_WORDS
           : fits_rotation(c, it)    ? ES_WAY_ROTATION
                                     : ES_WAY_APART;
}

void es__blend_add(const es_blend_context *c, es_blend_bundle *b, es_blend_item *it)
{
    it->way = way_of(c, it);
    if (it->way == ES_WAY_WORDS && !add_words(c, b, it)) {
        it->way = ES_WAY_APART;
    }
    b->ways += it->way != ES_WAY_WORDS ? 1 : 0;
    if (it->what.mark != NULL || it->what.contact != NULL) {
        b->ways += 1;
        b->corrects = true;
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
    /* rotations first: their arithmetic takes longer than the memory that the others find cached */
    for (size_t i = 0; b->ways > b->pass_count && i < b->count; ++i) {
        const es_blend_item *it = &b->items[i];
        if (it->way == ES_WAY_ROTATION) {
            rotate(c, it, shift, elements->count);
        } else if (it->way == ES_WAY_APART) {
            es__plan_apply(&it->plan, c->kernels, elements, c->job->out);
        }
    }
    for (size_t i = 0; i < b->pass_count; ++i) {
        const es_pass *p = &b->passes[i];
        if (p->shift == 2) {
            c->kernels->f32->words(&p->words, p->begin + shift, count);
        } else {
            c->kernels->f64->words(&p->words, p->begin + shift, count);
        }
    }
}
