/* SPDX-License-Identifier: Zlib
 *
 * Lines, circles, copies and rotations: kernels that take rows as they lie in memory. The words of a
 * bundle's fields go into as few passes as fit, each of up to 64 words of a row.
 */
#include "blend_parts.h"

/* --- words ------------------------------------------------------------------------------------ */

/* What some words become: b's, or between a and b, which wrap where turn is above 0. */
typedef struct wanted {
    const unsigned char *a;
    const unsigned char *b;
    double alpha;
    double turn;
    bool mixes;
    unsigned shift; /* of a word: 1 << shift bytes */
    size_t number;  /* bytes of a number */
} wanted;

/* Some adjacent words of a row. */
typedef struct run {
    size_t begin; /* bytes from the start of a state */
    size_t end;
    size_t stride; /* from a row to the next */
    size_t most;   /* bytes of a row that a pass can take */
} run;

static ES_INLINE bool differ(double a, double b)
{
    return a < b || a > b;
}

/* Whether a pass can do it, and has space for the run. */
static ES_INLINE bool takes(const es_pass *p, const wanted *want, const run *r)
{
    const es_words *w = &p->words;
    const size_t begin = p->begin < r->begin ? p->begin : r->begin;
    const size_t end = p->end > r->end ? p->end : r->end;
    return end - begin <= r->most && p->shift == want->shift && w->b == want->b
           && ((r->begin - p->begin) & (((size_t)1 << want->shift) - 1)) == 0
           && (!want->mixes || w->masks.mix == 0
                   || (w->a == want->a && !differ(w->alpha, want->alpha)
                           && (w->masks.wrap == 0 || !(want->turn > 0)
                                   || !differ(w->turn, want->turn))));
}

static void make_pass(const es_blend_context *c, es_pass *p, const wanted *want, const run *r)
{
    p->shift = want->shift;
    p->begin = r->begin;
    p->end = r->end;
    p->words.a = want->b;
    p->words.b = want->b;
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
        const es_blend_context *c, es_blend_bundle *b, const wanted *want, const run *r)
{
    es_pass *p = b->passes, *none = p + b->pass_count;
    while (p < none && !takes(p, want, r)) {
        ++p;
    }
    if (p == none) {
        if (b->pass_count == ES_PASSES_MAX) {
            return false;
        }
        b->pass_count += 1;
        b->ways += 1;
        make_pass(c, p, want, r);
    } else if (r->begin < p->begin) {
        begin_at(p, r->begin);
    }
    p->end = p->end > r->end ? p->end : r->end;
    es_words *w = &p->words;
    const unsigned n = (unsigned)((r->end - r->begin) >> want->shift);
    const uint64_t bits = UINT64_MAX >> (64 - n) << ((r->begin - p->begin) >> want->shift);
    if (!want->mixes) {
        w->masks.copy |= bits;
        return true;
    }
    w->a = want->a;
    w->alpha = want->alpha;
    w->masks.mix |= bits;
    if (want->turn > 0) {
        w->turn = want->turn;
        w->masks.wrap |= bits;
    }
    return true;
}

/* False: not all of its words are in a pass. */
static bool add_words(
        const es_blend_context *c, es_blend_bundle *b, const es_field *field, const wanted *want)
{
    const size_t size = (size_t)1 << want->shift;
    const size_t step = field->component_stride != 0 ? field->component_stride : want->number;
    size_t components = es__components(field), bytes = b->rows.count * want->number;
    const bool one_row = field->count <= b->rows.count; /* of any stride */
    run r = {0, 0, one_row ? 64 * size : b->rows.stride, 64 * size};
    r.most = r.most < r.stride ? r.most : r.stride;
    if (step == bytes) {
        bytes *= components;
        components = 1;
    } else if (r.stride == want->number
               && step == field->count * r.stride) { /* adjacent arrays are one */
        b->planes = components;
        components = 1;
    }
    if ((r.stride & (size - 1)) != 0) {
        return false;
    }
    for (size_t begin = field->offset; components > 0; --components, begin += step) {
        for (r.begin = begin; r.begin < begin + bytes; r.begin = r.end) {
            r.end = begin + bytes - r.begin < r.most ? begin + bytes : r.begin + r.most;
            if (!add_run(c, b, want, &r)) {
                return false;
            }
        }
    }
    return true;
}

/* --- rotations -------------------------------------------------------------------------------- */

/* Whether the kernel takes quaternions that lie so. */
static bool fits_rotation(
        const es_blend_context *c, const es_blend_bundle *b, const es_field *field)
{
    const bool is_f32 = field->type == ES_TYPE_F32;
    size_t size = ES_TYPE_SIZE(field->type), step = es__component_step(field);
    size_t lanes = is_f32 ? c->kernels->f32->lanes : c->kernels->f64->lanes;
    size_t tile = b->rows.count;
    if (tile > 1) {
        return step % size == 0 && (tile % lanes == 0 || (is_f32 && (tile == 4 || tile == 8)));
    }
    /* doubles may stand on 4 bytes on some machines */
    return b->rows.stride == size ? step % size == 0 : step == size;
}

static void rotate(const es_blend_context *c, const es_blend_bundle *b, const es_blend_item *it,
        size_t shift, size_t n)
{
    const es_field *field = it->what.field;
    const es_blend_plan *plan = &it->plan;
    const bool tiles = b->rows.count > 1;
    const bool structs = !tiles && b->rows.stride != ES_TYPE_SIZE(field->type);
    shift += field->offset;
    es_quads q = {.a = plan->from.state + shift,
            .b = plan->to.state + shift,
            .out = (unsigned char *)c->job->out + shift,
            .rows = structs,
            .step = structs ? b->rows.stride : es__component_step(field),
            .tile = tiles ? b->rows.count : 0,
            .tile_stride = tiles ? b->rows.stride : 0,
            .stream = c->stream};
    if (field->type == ES_TYPE_F32) {
        c->kernels->f32->rotation(&q, n, &plan->rotor_f32);
    } else {
        c->kernels->f64->rotation(&q, n, &plan->rotor_f64);
    }
}

/* --- all of them ------------------------------------------------------------------------------ */

/* What most fields become, without a plan. False: a plan decides. */
static ES_INLINE bool is_simple(const es_blend_context *c, const es_field *field, wanted *want)
{
    const es_sight *sight = &c->sight;
    const bool is_double = field->type == ES_TYPE_F64;
    const bool copied = field->blend == ES_BLEND_STEP || field->blend == ES_BLEND_MARK;
    if (!c->mixes[is_double] || differ(field->delay_ticks, 0)
            || !(copied || field->blend == ES_BLEND_LINEAR || field->blend == ES_BLEND_ANGLE)) {
        return false;
    }
    want->a = sight->ticks[sight->newer + 1].state;
    want->b = sight->ticks[sight->newer].state;
    want->alpha = is_double ? sight->between : sight->between_f32;
    want->turn = field->blend == ES_BLEND_ANGLE ? ES_TWO_PI : 0;
    want->mixes = !copied;
    return true;
}

/* Whether a plan needs nothing but words. */
static bool is_words(const es_blend_plan *plan, wanted *want)
{
    const es_blend_kind kind = plan->field->blend;
    want->a = plan->from.state;
    want->b = plan->to.state;
    want->alpha = plan->alpha;
    want->turn = plan->turn;
    want->mixes = plan->shape == ES_SHAPE_PAIR;
    return want->number > 1
           && (plan->shape == ES_SHAPE_COPY
                   || (want->mixes && kind != ES_BLEND_COLOUR && kind != ES_BLEND_SRGB
                           && kind != ES_BLEND_LOG && kind != ES_BLEND_ROTATION));
}

void es__blend_add(
        const es_blend_context *c, es_blend_bundle *b, const es_field *field, size_t number)
{
    es_blend_item *it = &b->items[b->count];
    wanted want;
    want.number = number;
    want.shift = field->type == ES_TYPE_F64 ? 3 : 2; /* whole numbers as two words: beside floats */
    b->count += 1;
    it->what.field = NULL;
    if (is_simple(c, field, &want)) {
        it->way = number > 1 ? ES_WAY_WORDS : field == b->mark ? ES_WAY_MARK : ES_WAY_COPY;
        b->ways += it->way == ES_WAY_COPY ? 1 : 0;
        if (number == 1 || add_words(c, b, field, &want)) {
            return;
        }
    }
    es__blend_prepare(c, b, it, field);
    b->contacts = b->contacts || it->what.contact != NULL;
    b->ways += 1;
    it->way = ES_WAY_APART;
    if (is_words(&it->plan, &want)) {
        it->way = add_words(c, b, field, &want) ? ES_WAY_WORDS : ES_WAY_APART;
    } else if (it->plan.shape == ES_SHAPE_PAIR && field->blend == ES_BLEND_ROTATION
               && fits_rotation(c, b, field)) {
        it->way = ES_WAY_ROTATION;
    }
}

void es__blend_rows(const es_blend_context *c, es_blend_bundle *b, const es_elements *elements)
{
    const es_rows *rows = &b->rows;
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
            rotate(c, b, it, shift, elements->count);
        } else if (it->way == ES_WAY_COPY) {
            es__copy(b->first + i, c->job->ticks[c->sight.newer].state, elements, c->job->out);
        } else if (it->way == ES_WAY_APART) {
            es__plan_apply(&it->plan, c->kernels, elements, c->job->out);
        }
    }
    for (size_t i = 0; i < b->pass_count; ++i) {
        const es_pass *p = &b->passes[i];
        if (p->shift == 2) {
            c->kernels->f32->words(&p->words, p->begin + shift, count * b->planes);
        } else {
            c->kernels->f64->words(&p->words, p->begin + shift, count * b->planes);
        }
    }
}
