/* SPDX-License-Identifier: Zlib
 *
 * Lines, circles, copies and rotations: kernels that take rows as they lie in memory. The words of a
 * bundle's fields go into as few passes as fit, each of up to 64 words of a row.
 */
#include "blend_parts.h"

/* --- words ------------------------------------------------------------------------------------ */

/* Some adjacent words of a row. */
typedef struct run {
    size_t begin; /* bytes from the start of a state */
    size_t end;
    size_t stride; /* from a row to the next */
    size_t most;   /* bytes of a row that a pass can take */
} run;

/* Whether a pass can do what an item needs: fields of one type and instant have one alpha. */
static ES_INLINE bool agrees(const es_pass *p, const es_blend_item *it)
{
    const es_masks *masks = &p->words.masks;
    const double turn = it->plan.turn;
    return p->shift == it->rows.shift && p->words.b == it->plan.to.state
           && (it->plan.shape == ES_SHAPE_COPY || masks->mix == 0
                   || (p->sight == it->sight
                           && (masks->wrap == 0 || !(turn > 0)
                                   || !(p->words.turn < turn || p->words.turn > turn))));
}

/* Whether it has space for a run. */
static ES_INLINE bool has_space(const es_pass *p, const run *r)
{
    const size_t size = (size_t)1 << p->shift;
    const size_t begin = p->begin < r->begin ? p->begin : r->begin;
    return (p->end > r->end ? p->end : r->end) - begin <= r->most
           && ((r->begin - p->begin) & (size - 1)) == 0;
}

static void make_pass(const es_blend_context *c, es_pass *p, const es_blend_item *it, const run *r)
{
    p->shift = it->rows.shift;
    p->begin = r->begin;
    p->end = r->end;
    p->words.a = it->plan.to.state;
    p->words.b = it->plan.to.state;
    p->words.out = c->job->out;
    p->words.stride = r->stride;
    p->words.masks.mix = 0;
    p->words.masks.wrap = 0;
    p->words.masks.copy = 0;
    p->words.alpha = 0;
    p->words.turn = 0;
    p->words.stream = c->stream;
}

/* Makes a pass begin earlier. */
static void begin_at(es_pass *p, size_t begin)
{
    const size_t up = (p->begin - begin) >> p->shift;
    p->words.masks.mix <<= up;
    p->words.masks.wrap <<= up;
    p->words.masks.copy <<= up;
    p->begin = begin;
}

/* False: there are too many passes. */
static ES_INLINE bool add_run(
        const es_blend_context *c, es_blend_bundle *b, const es_blend_item *it, const run *r)
{
    es_pass *p = b->passes, *none = p + b->pass_count;
    while (p < none && !(agrees(p, it) && has_space(p, r))) {
        ++p;
    }
    if (p == none) {
        if (b->pass_count == ES_PASSES_MAX) {
            return false;
        }
        b->pass_count += 1;
        b->ways += 1;
        make_pass(c, p, it, r);
    } else if (r->begin < p->begin) {
        begin_at(p, r->begin);
    }
    p->end = p->end > r->end ? p->end : r->end;
    es_words *w = &p->words;
    const unsigned n = (unsigned)((r->end - r->begin) >> p->shift);
    const uint64_t bits = UINT64_MAX >> (64 - n) << ((r->begin - p->begin) >> p->shift);
    if (it->plan.shape == ES_SHAPE_COPY) {
        w->masks.copy |= bits;
        return true;
    }
    if (w->masks.mix == 0) {
        w->a = it->plan.from.state;
        w->alpha = it->plan.alpha;
        p->sight = it->sight;
    }
    w->masks.mix |= bits;
    if (it->plan.turn > 0) {
        w->turn = it->plan.turn;
        w->masks.wrap |= bits;
    }
    return true;
}

/* False: not all of its words are in a pass. */
static ES_INLINE bool add_words(const es_blend_context *c, es_blend_bundle *b, const es_blend_item *it)
{
    const es_field *field = it->what.field;
    const size_t size = (size_t)1 << it->rows.shift;
    const size_t step = field->component_stride != 0 ? field->component_stride : size;
    size_t components = es__components(field), bytes = it->rows.count << it->rows.shift;
    const bool one_row = field->count <= it->rows.count; /* of any stride */
    run r = {field->offset, 0, one_row ? 64 * size : it->rows.stride, 64 * size};
    r.most = r.most < r.stride ? r.most : r.stride;
    if (step == bytes) {
        bytes *= components;
        components = 1;
    }
    if ((r.stride & (size - 1)) != 0) {
        return false;
    }
    for (size_t begin = field->offset; components > 0; --components, begin += step) {
        for (r.begin = begin; r.begin < begin + bytes; r.begin = r.end) {
            r.end = begin + bytes - r.begin < r.most ? begin + bytes : r.begin + r.most;
            if (!add_run(c, b, it, &r)) {
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
