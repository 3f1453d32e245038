/* SPDX-License-Identifier: Zlib
 *
 * Lines, circles, copies and rotations: kernels that take rows as they lie in memory. The words of a
 * bundle's fields go into as few passes as fit, each of up to 64 words of a row.
 */
#include "blend_parts.h"

/* --- words ------------------------------------------------------------------------------------ */

/* Some adjacent words of a row. */
typedef struct pass_run {
    size_t begin; /* bytes from the start of a state */
    size_t end;
    size_t stride;  /* from a row to the next */
    size_t most;    /* bytes of a row that a pass can take */
    unsigned shift; /* a word has 1 << shift bytes */
    bool mixes;     /* else copied */
    double turn;    /* above 0: the short way round */
} pass_run;

/* Whether a pass has space for a run, and its turn. */
static ES_INLINE bool takes(const es__pass *p, const pass_run *r)
{
    const size_t begin = p->begin < r->begin ? p->begin : r->begin;
    const size_t end = p->end > r->end ? p->end : r->end;
    return end - begin <= r->most && p->shift == r->shift
           && ((r->begin - p->begin) & (((size_t)1 << r->shift) - 1)) == 0
           && (p->words.masks.wrap == 0 || !(r->turn > 0)
                   || !(p->words.turn < r->turn || p->words.turn > r->turn));
}

static void make_pass(const es__blend_context *c, es__pass *p, const pass_run *r)
{
    const double alpha = r->shift == 3 ? c->sight.between : c->sight.between_f32;
    *p = (es__pass){
            .words = {c->older, c->newer, c->job->out, r->stride, {0, 0, 0}, alpha, r->turn},
            .shift = r->shift,
            .begin = r->begin,
            .end = r->end};
}

/* False: there are too many passes. */
static ES_INLINE bool add_run(const es__blend_context *c, es__blend_bundle *b, const pass_run *r)
{
    es__pass *p = b->passes, *none = p + b->pass_count;
    while (p < none && !takes(p, r)) {
        ++p;
    }
    if (p == b->passes + ES_PASSES_MAX) {
        return false;
    }
    if (p == none) {
        b->pass_count += 1;
        b->ways += 1;
        make_pass(c, p, r);
    } else if (r->begin < p->begin) { /* the pass begins earlier now */
        const size_t up = (p->begin - r->begin) >> p->shift;
        p->words.masks.mix <<= up;
        p->words.masks.wrap <<= up;
        p->words.masks.copy <<= up;
        p->begin = r->begin;
    }
    p->end = p->end > r->end ? p->end : r->end;
    const uint64_t all = UINT64_MAX >> (64 - ((r->end - r->begin) >> r->shift));
    const uint64_t bits = all << ((r->begin - p->begin) >> r->shift);
    *(r->mixes ? &p->words.masks.mix : &p->words.masks.copy) |= bits;
    if (r->turn > 0) {
        p->words.turn = r->turn;
        p->words.masks.wrap |= bits;
    }
    return true;
}

/* False: not all of its words are in a pass. */
static bool add_words(const es__blend_context *c, es__blend_bundle *b, const es_field *field,
        size_t number, bool mixes)
{
    const size_t step = field->component_stride != 0 ? field->component_stride : number;
    size_t components = es__components(field), bytes = number;
    pass_run r;
    r.shift = field->type == ES_TYPE_F64 ? 3 : 2; /* whole numbers as two words: beside floats */
    r.stride = field->count == 1 ? (size_t)64 << r.shift : b->stride; /* of one row: any */
    r.most = (size_t)64 << r.shift < r.stride ? (size_t)64 << r.shift : r.stride;
    r.mixes = mixes;
    r.turn = mixes ? es__turn_of(field) : 0;
    if (step == number) {
        bytes *= components;
        components = 1;
    } else if (r.stride == number && step == field->count * number) { /* adjacent arrays are one */
        b->planes = components;
        components = 1;
    }
    if ((r.stride & (((size_t)1 << r.shift) - 1)) != 0) {
        return false;
    }
    for (size_t begin = field->offset; components > 0; --components, begin += step) {
        for (r.begin = begin; r.begin < begin + bytes; r.begin = r.end) {
            r.end = begin + bytes - r.begin < r.most ? begin + bytes : r.begin + r.most;
            if (!add_run(c, b, &r)) {
                return false;
            }
        }
    }
    return true;
}

/* --- bytes ------------------------------------------------------------------------------------ */

/* Adjacent bytes that are copied: in the last run, if they follow it. */
static void add_bytes(es__blend_bundle *b, es__blend_item *it, const es_field *field)
{
    if (b->run != NULL && b->first[b->run - b->items].offset + b->run->run == field->offset) {
        b->run->run += es__components(field);
        return;
    }
    it->way = ES_WAY_COPY;
    it->run = es__components(field);
    b->run = it;
    b->ways += 1;
}

/* --- rotations -------------------------------------------------------------------------------- */

/* Whether the kernel takes quaternions that lie so. */
static bool fits_rotation(const es_field *field)
{
    size_t size = ES_TYPE_SIZE(field->type), step = es__component_step(field);
    /* doubles may stand on 4 bytes on some machines */
    return field->stride == size ? step % size == 0 : step == size;
}

static void rotate(const es__blend_context *c, const es__blend_item *it, size_t shift, size_t n)
{
    const es_field *field = it->what.field;
    const es__blend_plan *plan = &it->plan;
    const bool structs = field->stride != ES_TYPE_SIZE(field->type);
    shift += field->offset;
    es__quads q = {.a = plan->from.state + shift,
            .b = plan->to.state + shift,
            .out = (unsigned char *)c->job->out + shift,
            .rows = structs,
            .step = structs ? field->stride : es__component_step(field)};
    if (field->type == ES_TYPE_F32) {
        c->kernels->f32->rotation(&q, n, &plan->rotor_f32);
    } else {
        c->kernels->f64->rotation(&q, n, &plan->rotor_f64);
    }
}

/* --- all of them ------------------------------------------------------------------------------ */

/* Whether a field needs no plan: a copy of c->newer, or (*mixes) a mix with c->older. */
static ES_INLINE bool is_simple(const es__blend_context *c, const es_field *field, bool *mixes)
{
    const bool is_double = field->type == ES_TYPE_F64;
    *mixes = false;
    if (field->delay_ticks < 0 || field->delay_ticks > 0) {
        return false;
    }
    if (!c->sight.inside) {
        return !c->sight.ahead || field->prediction == NULL;
    }
    if (field->blend == ES_BLEND_STEP || field->blend == ES_BLEND_MARK) {
        return true;
    }
    *mixes = c->mixes[is_double]
             && (field->blend == ES_BLEND_LINEAR || field->blend == ES_BLEND_ANGLE
                     || (field->blend == ES_BLEND_CYCLIC && field->period < 1e30));
    return *mixes;
}

void es__blend_add(const es__blend_context *c, es__blend_bundle *b, const es_field *field)
{
    static const uint8_t sizes[] = {1, 4, 8, 4, 4, 8, 1}; /* by es_type */
    const size_t number = sizes[field->type];
    es__blend_item *it = &b->items[b->count];
    bool mixes;
    b->count += 1;
    it->what.field = NULL;
    if (is_simple(c, field, &mixes)) {
        it->way = ES_WAY_WORDS;
        if (field == b->mark && c->sight.inside) {
            it->way = ES_WAY_MARK;
            return;
        }
        if (number == 1 && es__component_step(field) == 1) {
            add_bytes(b, it, field);
            return;
        }
        if (number > 1 && add_words(c, b, field, number, mixes)) {
            return;
        }
    }
    es__blend_prepare(c, b, it, field);
    b->contacts = b->contacts || it->what.contact != NULL;
    b->ways += 1;
    const bool turns = it->plan.shape == ES_SHAPE_PAIR && field->blend == ES_BLEND_ROTATION;
    it->way = turns && fits_rotation(field) ? ES_WAY_ROTATION : ES_WAY_APART;
}

void es__blend_rows(const es__blend_context *c, es__blend_bundle *b, const es__elements *elements)
{
    const size_t count = elements->count, shift = elements->first * b->stride;
    /* rotations first: their arithmetic takes longer than the memory that the others find cached */
    for (size_t i = 0; b->ways > b->pass_count && i < b->count; ++i) {
        const es__blend_item *it = &b->items[i];
        if (it->way == ES_WAY_ROTATION) {
            rotate(c, it, shift, count);
        } else if (it->way == ES_WAY_COPY) {
            const size_t at = shift + b->first[i].offset;
            unsigned char *out = c->job->out;
            es__copy_rows(c->newer + at, out + at, it->run, b->stride, count);
        } else if (it->way == ES_WAY_APART) {
            es__plan_apply(&it->plan, c->kernels, elements, c->job->out);
        }
    }
    for (size_t i = 0; i < b->pass_count; ++i) {
        const es__pass *p = &b->passes[i];
        if (p->shift == 2) {
            c->kernels->f32->words(&p->words, p->begin + shift, count * b->planes);
        } else {
            c->kernels->f64->words(&p->words, p->begin + shift, count * b->planes);
        }
    }
}
