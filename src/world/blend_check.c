/* SPDX-License-Identifier: Zlib
 *
 * Whether a job can be blended, and which of its fields is wrong where it cannot.
 */
#include "base/common.h"
#include "blend_bundle.h"

static bool overlaps(const void *state, const es_blend_job *job)
{
    uintptr_t a = (uintptr_t)state, b = (uintptr_t)job->out;
    return a < b ? b - a < job->layout->state_size : a - b < job->layout->state_size;
}

static es_result check_ticks(const es_blend_job *job, es_error *error)
{
    if (job->ticks == NULL || job->tick_count < 1 || job->tick_count > ES_HISTORY_TICKS_MAX) {
        return es__refuse(error, "tick_count", "must be 1 to ES_HISTORY_TICKS_MAX ticks");
    }
    for (size_t i = 0; i < job->tick_count; ++i) {
        if (job->ticks[i].state == NULL || overlaps(job->ticks[i].state, job)) {
            return es__refuse(error, "ticks", "must have states of their own, apart from out");
        }
        if (job->timed && i > 0 && job->ticks[i].time_ns >= job->ticks[i - 1].time_ns) {
            return es__refuse(
                    error, "ticks", "must be newest first, each earlier than the one before");
        }
    }
    return ES_OK;
}

static bool has_group(const es_layout *layout, int32_t group)
{
    for (size_t i = 0; i < layout->field_count; ++i) {
        if (layout->fields[i].group == group) {
            return true;
        }
    }
    return false;
}

static es_result check_pick(const es_blend_job *job, size_t index, es_error *error)
{
    const es_blend_pick *pick = &job->picks[index];
    if (pick->group <= 0 || !has_group(job->layout, pick->group)) {
        return es__refuse(error, "picks", "names a group that no field has");
    }
    if (pick->indices != NULL && pick->mask != NULL) {
        return es__refuse(error, "picks", "has both indices and mask for a group");
    }
    if (pick->indices == NULL && (pick->index_count > 0 || (!pick->mask && !pick->alphas))) {
        return es__refuse(error, "picks", "has neither indices nor mask nor alphas for a group");
    }
    for (size_t i = 0; i < index; ++i) {
        if (job->picks[i].group == pick->group) {
            return es__refuse(error, "picks", "names a group twice");
        }
    }
    return ES_OK;
}

static es_result check_picks(const es_blend_job *job, es_error *error)
{
    if (job->pick_count > 0 && job->picks == NULL) {
        return es__refuse(error, "picks", "is NULL");
    }
    for (size_t i = 0; i < job->pick_count; ++i) {
        if (check_pick(job, i, error) != ES_OK) {
            return ES_ERR_INVALID;
        }
    }
    return ES_OK;
}

static bool needs_times(const es_field *field)
{
    return field->blend == ES_BLEND_HERMITE || field->delay_ticks < 0 || field->delay_ticks > 0;
}

static es_result check_times(const es_blend_job *job, es_error *error)
{
    for (size_t i = 0; !job->timed && i < job->layout->field_count; ++i) {
        if (needs_times(&job->layout->fields[i])) {
            return es__refuse(error, job->layout->fields[i].name,
                    "needs the ticks' times: es_blend_frame, or a job that is timed");
        }
    }
    return ES_OK;
}

es_result es__blend_check(const es_blend_job *job, es_error *error)
{
    if (error != NULL) {
        error->field = NULL;
        error->reason = NULL;
    }
    if (job == NULL || job->layout == NULL || job->out == NULL) {
        return es__refuse(error,
                job == NULL           ? "job"
                : job->layout == NULL ? "layout"
                                      : "out",
                "is NULL");
    }
    uint32_t parts = job->parts != 0 ? job->parts : 1;
    if (job->part >= parts) {
        return es__refuse(error, "part", "must be below parts");
    }
    if (job->stores < ES_STORES_AUTO || job->stores > ES_STORES_STREAMED) {
        return es__refuse(error, "stores", "must be one of es_stores");
    }
    if (job->quality < ES_QUALITY_EXACT || job->quality > ES_QUALITY_FAST) {
        return es__refuse(error, "quality", "must be one of es_quality");
    }
    es_result result = check_ticks(job, error);
    if (result == ES_OK) {
        result = check_picks(job, error);
    }
    return result == ES_OK ? check_times(job, error) : result;
}
