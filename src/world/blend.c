/* SPDX-License-Identifier: Zlib
 *
 * Blending by layout. Fields in the same rows (structs, tiles) are blended together in chunks of a few
 * objects, so that each cache line is fetched once. Any other field is blended whole.
 */
#include "base/common.h"
#include "blend_parts.h"

/* A state of this size no longer fits the caches until it is drawn. */
#define STREAM_FROM_BYTES ((size_t)16 << 20)

/* Elements from `first` on: whole rows within a tile of rows. */
static es_elements chunk_at(const es_blend_bundle *b, size_t first)
{
    const es_field *field = b->items[0].what.field;
    const es_rows *rows = &b->items[0].rows;
    es_elements chunk = {first, (field->count - first) / rows->count * rows->count};
    size_t most = (ES_CHUNK + rows->count - 1) / rows->count * rows->count;
    if (rows->tile != 0 && chunk.count > rows->tile - first % rows->tile) {
        chunk.count = rows->tile - first % rows->tile;
    }
    if (b->count > 1 && chunk.count > most) { /* one field alone shares no cache line */
        chunk.count = most;
    }
    return chunk;
}

static void show_bundle(const es_blend_context *c, const es_blend_bundle *b)
{
    const size_t count = b->items[0].what.field->count;
    const size_t whole = count - count % b->items[0].rows.count;
    for (es_elements chunk = {0, 0}; chunk.first < whole; chunk.first += chunk.count) {
        chunk = chunk_at(b, chunk.first);
        es__blend_rows(c, b, &chunk);
        es__blend_correct(c, b, &chunk);
    }
    if (whole < count) { /* a tile that is not full */
        const es_elements rest = {whole, count - whole};
        for (size_t i = 0; i < b->count; ++i) {
            es__plan_apply(&b->items[i].plan, c->kernels, &rest, c->job->out);
        }
        es__blend_correct(c, b, &rest);
    }
}

/* Whether b lies in the rows of a. */
static bool go_together(const es_field *a, const es_field *b)
{
    es_rows x = es__rows_of(a), y = es__rows_of(b);
    size_t apart = a->offset < b->offset ? b->offset - a->offset : a->offset - b->offset;
    return a->count == b->count && x.stride == y.stride && x.count == y.count && x.tile == y.tile
           && x.tile_stride == y.tile_stride && apart < x.stride;
}

static void show_fields(const es_blend_context *c)
{
    const es_field *fields = c->job->layout->fields;
    size_t count = c->job->layout->field_count;
    es_blend_bundle b;
    for (size_t i = 0; i < count; i += b.count) {
        b.count = 0;
        b.pass_count = 0;
        while (b.count < ES_BUNDLE_MAX && i + b.count < count
                && (b.count == 0 || go_together(&fields[i], &fields[i + b.count]))) {
            es_blend_item *it = &b.items[b.count];
            es__blend_prepare(c, it, &fields[i + b.count]);
            es__blend_add(c, &b, it);
            b.count += 1;
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
    es_blend_context c = {job, es__simd_kernels(job->simd), es__sight_of(job), false};
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
