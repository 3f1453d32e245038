/* SPDX-License-Identifier: Zlib
 *
 * Which field of a job is wrong, and why.
 */
#include "base/common.h"
#include "blend_parts.h"

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
    es__refuse_as(error, ES_OK, NULL, NULL);
    if (job == NULL || job->layout == NULL || job->out == NULL) {
        return es__refuse(error,
                job == NULL           ? "job"
                : job->layout == NULL ? "layout"
                                      : "out",
                "is NULL");
    }
    if (job->stores < ES_STORES_AUTO || job->stores > ES_STORES_STREAMED) {
        return es__refuse(error, "stores", "must be one of es_stores");
    }
    es_result result = check_ticks(job, error);
    return result == ES_OK ? check_times(job, error) : result;
}
