/* SPDX-License-Identifier: Zlib
 *
 * Blending by layout. A field whose numbers are adjacent is blended whole. Interleaved fields
 * (structs, tiles) are blended together in chunks of a few objects, so that each cache line is
 * fetched once.
 */
#include "base/common.h"
#include "blend_parts.h"

/* A state of this size no longer fits the caches until it is drawn. */
#define STREAM_FROM_BYTES ((size_t)16 << 20)

static void show_elements(
        const es_blend_context *c, const es_blend_item *it, const es_elements *elements)
{
    bool stream = c->stream && es__plan_can_stream(&it->plan, elements, c->job->out);
    es__plan_apply(&it->plan, c->kernels, elements, c->job->out, stream);
}

/* Chunks end where tiles do: within one, numbers are adjacent. */
static es_elements chunk_at(const es_field *field, size_t first)
{
    es_elements chunk = {first, field->count - first};
    if (field->tile != 0 && chunk.count > field->tile - first % field->tile) {
        chunk.count = field->tile - first % field->tile;
    }
    chunk.count = chunk.count < ES_CHUNK ? chunk.count : ES_CHUNK;
    return chunk;
}

static void correct_chunk(
        const es_blend_context *c, const es_blend_item *it, const es_elements *chunk)
{
    if (it->what.mark != NULL || it->what.contact != NULL) {
        es__blend_correct(c, it, chunk);
    }
}

static void show_chunks(const es_blend_context *c, const es_blend_bundle *b, size_t first)
{
    const es_field *field = b->items[0].what.field;
    for (es_elements chunk; first < field->count; first += chunk.count) {
        chunk = chunk_at(field, first);
        for (size_t i = 0; i < b->count; ++i) {
            show_elements(c, &b->items[i], &chunk);
            correct_chunk(c, &b->items[i], &chunk);
        }
    }
}

/* Arrays of numbers. They are blended whole, if the sources of their plan are arrays too. */
static bool is_array(const es_field *field)
{
    bool by_number = field->blend != ES_BLEND_ROTATION && field->blend != ES_BLEND_COLOUR
                     && field->blend != ES_BLEND_SRGB;
    return field->tile == 0
           && (field->stride == ES_TYPE_SIZE(field->type)
                   || (by_number && es__blend_is_flat(field)));
}

static bool show_whole(const es_blend_context *c, const es_blend_item *it)
{
    es_elements all = {0, it->what.field->count};
    if (it->what.field->tile != 0 || !es__plan_is_direct(&it->plan, &all)) {
        return false;
    }
    show_elements(c, it, &all);
    for (es_elements chunk = {0, 0}; chunk.first < all.count; chunk.first += chunk.count) {
        chunk = chunk_at(it->what.field, chunk.first);
        correct_chunk(c, it, &chunk);
    }
    return true;
}

static void show_bundle(const es_blend_context *c, const es_blend_bundle *b)
{
    if (b->count == 1 && show_whole(c, &b->items[0])) {
        return;
    }
    if (b->items[0].what.field->tile != 0) {
        show_chunks(c, b, es__blend_tiles(c, b));
    } else if (!es__blend_rows(c, b)) {
        show_chunks(c, b, 0);
    }
}

/* Whether b is blended in the chunks of a. */
static bool go_together(const es_field *a, const es_field *b)
{
    return a->count == b->count && a->tile == b->tile && !is_array(a) && !is_array(b);
}

static void show_fields(const es_blend_context *c)
{
    const es_field *fields = c->job->layout->fields;
    size_t count = c->job->layout->field_count;
    es_blend_bundle b;
    for (size_t i = 0; i < count; i += b.count) {
        b.count = 1;
        while (b.count < ES_BUNDLE_MAX && i + b.count < count
                && go_together(&fields[i], &fields[i + b.count])) {
            b.count += 1;
        }
        for (size_t k = 0; k < b.count; ++k) {
            es__blend_prepare(&b.items[k], c->job, &fields[i + k]);
        }
        show_bundle(c, &b);
    }
}

es_result es__blend_run(const es_blend_job *job, es_error *error)
{
    es_result result = es__blend_check(job, error);
    if (result != ES_OK) {
        return result;
    }
    es_blend_context c = {job, es__simd_kernels(job->simd), false};
    if (c.kernels == NULL) {
        return es__refuse_as(
                error, ES_ERR_UNSUPPORTED, "simd", "is an instruction set that this machine lacks");
    }
    c.stream = job->stores == ES_STORES_STREAMED
               || (job->stores == ES_STORES_AUTO && job->layout->state_size >= STREAM_FROM_BYTES);
    show_fields(&c);
    if (c.stream) {
        es__simd_fence();
    }
    return ES_OK;
}

static bool blend_by(const es_blend_job *job)
{
    es_error error = {NULL, NULL};
    es_result result = es__blend_run(job, &error);
    return result == ES_OK || es__fail(result, "es_blend", &error) == ES_OK;
}

bool es_blend(
        const es_layout *layout, const void *previous, const void *current, double alpha, void *out)
{
    const es_blend_tick ticks[] = {{current, 0}, {previous, 0}};
    es_blend_job job = {
            .layout = layout, .ticks = ticks, .tick_count = 2, .out = out, .alpha = alpha};
    return blend_by(&job);
}

bool es_blend_ticks(const es_layout *layout, const es_blend_tick *ticks, size_t tick_count,
        int64_t content_ns, void *out)
{
    es_blend_job job = {.layout = layout,
            .ticks = ticks,
            .tick_count = tick_count,
            .out = out,
            .timed = true,
            .content_ns = content_ns};
    return blend_by(&job);
}

/* Whether a full history has dropped the older tick of the frame's pair: the remaining ticks are
 * later than the content. A frame of which only content_ns was set has no pair. */
static bool has_dropped_pair(const es_history *history, const es_frame *frame)
{
    int32_t count = es__history_count(history);
    return count == history->ticks && frame->previous_tick < frame->current_tick
           && frame->previous_tick < es__history_index(history, count - 1)
           && frame->content_ns < es__history_time_ns(history, count - 1);
}

bool es_blend_frame(
        const es_layout *layout, const es_history *history, const es_frame *frame, void *out)
{
    es_blend_tick ticks[ES_HISTORY_TICKS_MAX];
    if (layout == NULL || history == NULL || frame == NULL
            || layout->state_size != history->state_size || has_dropped_pair(history, frame)) {
        const es_error error = {
                "history", "is NULL, for another layout, or too short for the frame"};
        return es__fail(ES_ERR_INVALID, "es_blend_frame", &error) == ES_OK;
    }
    int32_t count = es__history_count(history);
    for (int32_t age = 0; age < count; ++age) {
        ticks[age].state = es_history_tick(history, age);
        ticks[age].time_ns = es__history_time_ns(history, age);
    }
    return es_blend_ticks(layout, ticks, (size_t)count, frame->content_ns, out);
}
