/* SPDX-License-Identifier: Zlib
 *
 * Blending by layout. Fields whose numbers lie side by side are blended whole, one after the other;
 * interleaved ones (structs, tiles, lists of objects) in chunks of a few objects with all their
 * fields, so that each cache line is fetched once. docs/blending.md has the figures.
 */
#include "base/common.h"
#include "blend_bundle.h"

/* From here on the output is more than caches hold until it is drawn. */
#define STREAM_FROM_BYTES ((size_t)16 << 20)

void es__blend_share(const es_blend_job *job, size_t n, size_t unit, size_t *first, size_t *last)
{
    size_t parts = job->parts != 0 ? job->parts : 1, part = job->part;
    size_t units = n / unit + (n % unit != 0 ? 1 : 0);
    size_t each = units / parts, rest = units % parts;
    size_t from = each * part + (part < rest ? part : rest);
    size_t to = from + each + (part < rest ? 1 : 0);
    *first = from >= units ? n : from * unit;
    *last = to >= units ? n : to * unit;
}

/* ---- chunks ---- */

static void show_chunk(
        const es_blend_context *c, const es_blend_item *it, const es_elements *elements)
{
    const float *alphas = it->what.pick != NULL ? it->what.pick->alphas : NULL;
    float own[ES_CHUNK];
    if (alphas != NULL) {
        for (size_t i = 0; i < elements->n; ++i) {
            own[i] = alphas[es_element(elements, i)];
        }
        es__blend_show_with_alphas(c, it, elements, own);
    } else {
        bool stream = c->stream && es_plan_can_stream(&it->plan, elements, c->job->out);
        es_plan_apply(&it->plan, c->kernels, elements, c->job->out, stream);
    }
    if (it->what.mark != NULL || it->what.contact != NULL) {
        es__blend_correct(c, it, elements, alphas != NULL ? own : NULL);
    }
}

static void show_bundle_chunk(
        const es_blend_context *c, const es_blend_bundle *b, const es_elements *elements)
{
    for (size_t i = 0; i < b->count; ++i) {
        show_chunk(c, &b->items[i], elements);
    }
}

static void show_listed(const es_blend_context *c, const es_blend_bundle *b)
{
    const es_blend_pick *pick = b->items[0].what.pick;
    size_t first = 0, last = 0;
    es__blend_share(c->job, pick->index_count, ES_CHUNK, &first, &last);
    for (size_t at = first; at < last; at += ES_CHUNK) {
        size_t n = last - at < ES_CHUNK ? last - at : ES_CHUNK;
        es_elements elements = {0, n, pick->indices + at};
        show_bundle_chunk(c, b, &elements);
    }
}

/* Objects out of a mask, saved up to a full chunk however thin they are spread. */
typedef struct gathered {
    size_t n;
    uint32_t indices[ES_CHUNK];
} gathered;

static void show_gathered(const es_blend_context *c, const es_blend_bundle *b, gathered *some)
{
    es_elements elements = {0, some->n, some->indices};
    if (some->n > 0) {
        show_bundle_chunk(c, b, &elements);
    }
    some->n = 0;
}

static void show_masked(const es_blend_context *c, const es_blend_bundle *b)
{
    const es_blend_pick *pick = b->items[0].what.pick;
    size_t all = b->items[0].what.field->count, first = 0, last = 0;
    gathered some;
    some.n = 0;
    es__blend_share(c->job, all, 64, &first, &last);
    for (size_t at = first; at < last; at += 64) {
        size_t n = last - at < 64 ? last - at : 64;
        uint64_t full = n == 64 ? UINT64_MAX : (UINT64_C(1) << n) - 1;
        uint64_t word = pick->mask[at / 64] & full;
        if (word == full) {
            es_elements elements = {at, n, NULL};
            show_bundle_chunk(c, b, &elements);
            continue;
        }
        for (uint32_t bit = 0; word != 0; ++bit, word >>= 1) {
            if ((word & 1) != 0) {
                some.indices[some.n] = (uint32_t)at + bit;
                some.n += 1;
            }
            if (some.n == ES_CHUNK) {
                show_gathered(c, b, &some);
            }
        }
    }
    show_gathered(c, b, &some);
}

/* Tiles are never parted between chunks more than they must: within one, numbers lie side by side.
 * */
static void show_all(const es_blend_context *c, const es_blend_bundle *b)
{
    const es_field *field = b->items[0].what.field;
    size_t tile = field->tile, first = 0, last = 0;
    es__blend_share(c->job, field->count, tile != 0 ? tile : ES_CHUNK, &first, &last);
    for (size_t at = first; at < last;) {
        size_t n = last - at < ES_CHUNK ? last - at : ES_CHUNK;
        if (tile != 0 && n > tile - at % tile) {
            n = tile - at % tile;
        }
        es_elements elements = {at, n, NULL};
        show_bundle_chunk(c, b, &elements);
        at += n;
    }
}

/* ---- fields ---- */

/* Arrays of numbers of which nobody is picked: blended in one go, if their plan's sources are too.
 * */
static bool is_array(const es_blend_job *job, const es_field *field)
{
    bool packed = es__blend_is_flat(field) && field->blend != ES_BLEND_ROTATION
                  && field->blend != ES_BLEND_COLOUR && field->blend != ES_BLEND_SRGB;
    return es__blend_pick_of(job, field) == NULL && field->tile == 0
           && (field->stride == ES_TYPE_SIZE(field->type) || packed);
}

static bool is_whole(const es_blend_item *it)
{
    es_elements all = {0, it->what.field->count, NULL};
    return it->what.pick == NULL && it->what.field->tile == 0 && es_plan_is_direct(&it->plan, &all);
}

static void show_whole(const es_blend_context *c, const es_blend_item *it)
{
    size_t first = 0, last = 0;
    es__blend_share(c->job, it->what.field->count, ES_CHUNK, &first, &last);
    es_elements elements = {first, last - first, NULL};
    if (elements.n == 0) {
        return;
    }
    bool stream = c->stream && es_plan_can_stream(&it->plan, &elements, c->job->out);
    es_plan_apply(&it->plan, c->kernels, &elements, c->job->out, stream);
    if (it->what.mark == NULL && it->what.contact == NULL) {
        return;
    }
    for (size_t at = first; at < last; at += ES_CHUNK) {
        es_elements some = {at, last - at < ES_CHUNK ? last - at : ES_CHUNK, NULL};
        es__blend_correct(c, it, &some, NULL);
    }
}

/* Whether b is done with a, chunk by chunk. */
static bool go_together(const es_blend_job *job, const es_field *a, const es_field *b)
{
    return a->count == b->count && a->tile == b->tile
           && es__blend_pick_of(job, a) == es__blend_pick_of(job, b) && !is_array(job, a)
           && !is_array(job, b);
}

static void show_bundle(const es_blend_context *c, es_blend_bundle *b)
{
    const es_blend_pick *pick = b->items[0].what.pick;
    if (b->count == 1 && is_whole(&b->items[0])) {
        show_whole(c, &b->items[0]);
        return;
    }
    if (b->items[0].what.field->tile != 0 && es__blend_tiles(c, b)) {
        return;
    }
    if (b->items[0].what.field->tile == 0 && es__blend_rows(c, b)) {
        return;
    }
    if (pick != NULL && pick->indices != NULL) {
        show_listed(c, b);
    } else if (pick != NULL && pick->mask != NULL) {
        show_masked(c, b);
    } else {
        show_all(c, b);
    }
}

static void show_fields(const es_blend_context *c)
{
    const es_field *fields = c->job->layout->fields;
    size_t count = c->job->layout->field_count;
    es_blend_bundle b;
    for (size_t i = 0; i < count; i += b.count) {
        b.count = 1;
        while (b.count < ES_BUNDLE_MAX && i + b.count < count
                && go_together(c->job, &fields[i], &fields[i + b.count])) {
            b.count += 1;
        }
        for (size_t k = 0; k < b.count; ++k) {
            es__blend_prepare(&b.items[k], c->job, &fields[i + k]);
        }
        show_bundle(c, &b);
    }
}

es_result es_blend_run(const es_blend_job *job, es_error *error)
{
    es_result result = es__blend_check(job, error);
    if (result != ES_OK) {
        return result;
    }
    es_blend_context c = {job, es_simd_kernels(job->simd), false};
    if (c.kernels == NULL) {
        es__refuse(error, "simd", "is an instruction set that this machine lacks");
        return ES_ERR_UNSUPPORTED;
    }
    c.stream = job->stores == ES_STORES_STREAMED
               || (job->stores == ES_STORES_AUTO && job->layout->state_size >= STREAM_FROM_BYTES);
    show_fields(&c);
    if (c.stream) {
        es_simd_fence();
    }
    return ES_OK;
}

es_result es_blend(
        const es_layout *layout, const void *previous, const void *current, double alpha, void *out)
{
    const es_blend_tick ticks[] = {{current, 0}, {previous, 0}};
    es_blend_job job = {0};
    job.layout = layout;
    job.ticks = ticks;
    job.tick_count = 2;
    job.out = out;
    job.alpha = alpha;
    return es_blend_run(&job, NULL);
}

/* The history was full, and dropped the older tick of the frame's pair: what is left is later than
 * the content, so the oldest tick would be shown. A frame of which only content_ns was set has no
 * pair. */
static bool has_dropped_pair(const es_history *history, const es_frame *frame)
{
    int32_t count = es_history_count(history);
    return count == history->ticks && frame->previous_tick < frame->current_tick
           && frame->previous_tick < es_history_index(history, count - 1)
           && frame->content_ns < es_history_time_ns(history, count - 1);
}

es_result es_blend_frame(
        const es_layout *layout, const es_history *history, const es_frame *frame, void *out)
{
    es_blend_tick ticks[ES_HISTORY_TICKS_MAX];
    es_blend_job job = {0};
    if (layout == NULL || history == NULL || frame == NULL
            || layout->state_size != history->state_size || has_dropped_pair(history, frame)) {
        return ES_ERR_INVALID;
    }
    int32_t count = es_history_count(history);
    for (int32_t age = 0; age < count; ++age) {
        ticks[age].state = es_history_tick(history, age);
        ticks[age].time_ns = es_history_time_ns(history, age);
    }
    job.tick_count = (size_t)count;
    job.layout = layout;
    job.ticks = ticks;
    job.out = out;
    job.timed = true;
    job.content_ns = frame->content_ns;
    return es_blend_run(&job, NULL);
}
