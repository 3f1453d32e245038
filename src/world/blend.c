/* SPDX-License-Identifier: Zlib
 *
 * Blending by layout. Fields in the same rows (structs) are blended together in chunks of a few
 * objects, so that each cache line is fetched once. Any other field is blended whole.
 */
#include "blend_parts.h"

#define CHUNK_BYTES ((size_t)8 << 10)

/* Elements of a bundle that are blended at once: all; where that takes several passes over memory, as
 * many as fit the first cache. */
static size_t chunk_of(const es__blend_bundle *b)
{
    const size_t all = b->first->count;
    if (b->count == 1 || b->ways == 1 || all * b->stride <= CHUNK_BYTES) {
        return all;
    }
    size_t fit = (CHUNK_BYTES / b->stride / ES_CHUNK + 1) * ES_CHUNK;
    return fit < all ? fit : all;
}

static void show_bundle(const es__blend_context *c, es__blend_bundle *b)
{
    const size_t all = b->first->count, most = chunk_of(b);
    const bool corrects = b->mark != NULL || b->contacts;
    es__elements some = {0, 0};
    for (; some.first < all; some.first += some.count) {
        some.count = all - some.first < most ? all - some.first : most;
        es__blend_rows(c, b, &some);
        if (corrects) {
            es__blend_correct(c, b, &some);
        }
    }
}

/* Whether a field lies in the rows of a bundle. */
static bool joins(const es__blend_bundle *b, const es_field *field)
{
    const es_field *first = b->first;
    const size_t apart = first->offset < field->offset ? field->offset - first->offset
                                                       : first->offset - field->offset;
    return first->count == field->count && first->group == field->group
           && first->stride == field->stride && apart < field->stride;
}

static void show_fields(const es__blend_context *c)
{
    const es_field *field = c->job->layout->fields, *end = field + c->job->layout->field_count;
    es__blend_bundle b;
    while (field < end) {
        b.first = field;
        b.count = 0;
        b.mark = es__mark_of(c->job->layout, field);
        b.stride = field->stride;
        b.planes = 1;
        b.pass_count = 0;
        b.ways = b.mark != NULL ? 1 : 0;
        b.contacts = false;
        b.run = NULL;
        for (; field < end && b.count < ES_BUNDLE_MAX; ++field) {
            if (b.count > 0 && !joins(&b, field)) {
                break;
            }
            es__blend_add(c, &b, field);
        }
        ES__ASSERT(b.count >= 1 && b.count <= ES_BUNDLE_MAX && b.pass_count <= ES_PASSES_MAX,
                b.count, b.pass_count);
        show_bundle(c, &b);
    }
}

#if ES__ASSERTS
/* Every NaN is the same. */
static bool is_same(es_type type, const unsigned char *a, const unsigned char *b)
{
    float f32[2];
    double f64[2];
    memcpy(&f32[0], a, type == ES_TYPE_U8 ? 1 : 4);
    memcpy(&f32[1], b, type == ES_TYPE_U8 ? 1 : 4);
    memcpy(&f64[0], a, ES_TYPE_SIZE(type));
    memcpy(&f64[1], b, ES_TYPE_SIZE(type));
    return memcmp(a, b, ES_TYPE_SIZE(type)) == 0
           || (type == ES_TYPE_F32 && isnan(f32[0]) && isnan(f32[1]))
           || (type == ES_TYPE_F64 && isnan(f64[0]) && isnan(f64[1]));
}

/* Some elements of each field, once more by the scalar kernels, with a plan of their own. */
static void check_shown(const es__blend_context *shown)
{
    es__blend_job job = *shown->job;
    es__blend_context c = *shown;
    const unsigned char *out = job.out;
    double aligned[1024];
    unsigned char *scratch = (unsigned char *)aligned;
    es__blend_bundle b;
    memset(scratch, 0x5A, sizeof aligned);
    job.out = scratch;
    c.job = &job;
    c.kernels = &es__kernels_scalar;
    for (size_t i = 0; i < job.layout->field_count && job.layout->state_size <= sizeof aligned;
            ++i) {
        const es_field *field = &job.layout->fields[i];
        size_t some = field->count / 3 + 1, components = es__components(field);
        b.first = field;
        b.count = 1;
        b.mark = es__mark_of(job.layout, field);
        b.items[0].way = ES_WAY_APART;
        es__blend_prepare(&c, &b, &b.items[0], field);
        b.contacts = b.items[0].what.contact != NULL;
        for (es__elements one = {0, 1}; one.first < field->count; one.first += some) {
            es__plan_apply(&b.items[0].plan, c.kernels, &one, scratch);
            es__blend_correct(&c, &b, &one);
            for (size_t k = 0; k < components; ++k) {
                size_t at = es__field_at(field, one.first, k);
                ES__ASSERT(is_same(field->type, scratch + at, out + at), i, at);
            }
        }
    }
}
#endif

/* --- a job ------------------------------------------------------------------------------------ */

static es_result check_ticks(const es__blend_job *job, es__error *error)
{
    if (job->ticks == NULL || job->tick_count < 1 || job->tick_count > ES_HISTORY_TICKS_MAX) {
        return es__refuse(error, "tick_count", "must be 1 to ES_HISTORY_TICKS_MAX ticks");
    }
    for (size_t i = 0; i < job->tick_count; ++i) {
        uintptr_t a = (uintptr_t)job->ticks[i].state, b = (uintptr_t)job->out;
        if (a == 0 || (a < b ? b - a : a - b) < job->layout->state_size) {
            return es__refuse(error, "ticks", "must have states of their own, apart from out");
        }
        if (job->timed && i > 0 && job->ticks[i].time_ns >= job->ticks[i - 1].time_ns) {
            return es__refuse(
                    error, "ticks", "must be newest first, each earlier than the one before");
        }
    }
    return ES_OK;
}

static es_result check_times(const es__blend_job *job, es__error *error)
{
    for (size_t i = 0; !job->timed && i < job->layout->field_count; ++i) {
        const es_field *field = &job->layout->fields[i];
        if (field->blend == ES_BLEND_HERMITE || field->delay_ticks < 0 || field->delay_ticks > 0) {
            return es__refuse(error, field->name,
                    "needs the ticks' times: es_blend_frame, or a job that is timed");
        }
    }
    return ES_OK;
}

static es_result check_job(const es__blend_job *job, es__error *error)
{
    es__refuse_as(error, ES_OK, NULL, NULL);
    if (job == NULL || job->layout == NULL || job->out == NULL) {
        const char *missing = "job";
        if (job != NULL) {
            missing = job->layout == NULL ? "layout" : "out";
        }
        return es__refuse(error, missing, "is NULL");
    }
    es_result result = check_ticks(job, error);
    return result == ES_OK ? check_times(job, error) : result;
}

es_result es__blend_run(const es__blend_job *job, es__error *error)
{
    es_result result = check_job(job, error);
    if (result != ES_OK) {
        return result;
    }
    es__blend_context c;
    c.job = job;
    c.kernels = es__simd_kernels(job->simd);
    c.sight.ticks = job->ticks;
    c.sight.newest = 0;
    c.sight.oldest = job->tick_count - 1;
    c.sight.kept = job->tick_count;
    c.sight.timed = job->timed;
    c.sight.alpha = job->alpha;
    c.sight.content_ns = job->content_ns;
    c.sight.contact_ns = NULL;
    es__sight_aim(&c.sight);
    const size_t tick = es__sight_tick(&c.sight), before = tick + (c.sight.inside ? 1 : 0);
    c.newer = job->ticks[tick].state;
    c.older = job->ticks[before].state;
    c.mixes[0] = c.sight.inside && c.sight.between_f32 > 0 && c.sight.between_f32 < 1;
    c.mixes[1] = c.sight.inside;
    if (c.kernels == NULL) {
        return es__refuse_as(
                error, ES_ERR_UNSUPPORTED, "simd", "is an instruction set that this machine lacks");
    }
    show_fields(&c);
    ES__CHECK(check_shown(&c));
    return ES_OK;
}

static bool blend_by(const es__blend_job *job)
{
    es__error error = {NULL, NULL};
    return es__fail_if(es__blend_run(job, &error), "es_blend", &error);
}

bool es_blend(
        const es_layout *layout, const void *previous, const void *current, double alpha, void *out)
{
    const es_blend_tick ticks[] = {{current, 0}, {previous, 0}};
    es__blend_job job = {
            .layout = layout, .ticks = ticks, .tick_count = 2, .out = out, .alpha = alpha};
    return blend_by(&job);
}

bool es_blend_ticks(const es_layout *layout, const es_blend_tick *ticks, size_t tick_count,
        int64_t content_ns, void *out)
{
    es__blend_job job = {.layout = layout,
            .ticks = ticks,
            .tick_count = tick_count,
            .out = out,
            .timed = true,
            .content_ns = content_ns};
    return blend_by(&job);
}

/* A full history has dropped the older tick of the frame's pair: the remaining ticks are later than
 * the content. A frame of which only content_ns was set has no pair. */
static bool has_dropped_pair(const es_history *history, const es_frame *frame)
{
    int32_t count = history->count;
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
        const es__error error = {
                "history", "is NULL, for another layout, or too short for the frame"};
        return es__fail(ES_ERR_INVALID, "es_blend_frame", &error) == ES_OK;
    }
    int32_t count = history->count;
    for (int32_t age = 0; age < count; ++age) {
        ticks[age].state = es_history_tick(history, age);
        ticks[age].time_ns = es__history_time_ns(history, age);
    }
    return es_blend_ticks(layout, ticks, (size_t)count, frame->content_ns, out);
}
