/* SPDX-License-Identifier: Zlib
 *
 * What the tests of slices share.
 */
#ifndef SLICE_SUPPORT_H
#define SLICE_SUPPORT_H

#include "test_support.h"

#include "schedule/schedule.h"

/* A slice's progress and its totals; all 0 for no slice. */
typedef struct slice_figures {
    bool running, late;
    int32_t items, left; /* of the job: run so far; left, or of an open one's guess */
    int64_t jobs, forced_jobs, forced_items, missed;
    int32_t most, waited;
    int64_t cost_ns;
} slice_figures;

static inline slice_figures figures_of(const es_slices *set, int32_t index)
{
    slice_figures figures = {0};
    if (index < 0 || index >= set->count) {
        return figures;
    }
    const es__slice *slice = &set->slices[index];
    int32_t left = slice->job.items - slice->done;
    figures.running = slice->running;
    figures.late = slice->late;
    figures.items = slice->done;
    figures.left = !slice->running ? 0 : left > 1 ? left : 1;
    figures.jobs = slice->jobs;
    figures.forced_jobs = slice->forced_jobs;
    figures.forced_items = slice->forced_items;
    figures.missed = slice->missed;
    figures.most = slice->most > slice->in_slot ? slice->most : slice->in_slot;
    figures.waited = slice->waited;
    figures.cost_ns = slice->cost / 256;
    return figures;
}

static inline bool is_done(const es_slices *set, int32_t slice)
{
    return es_slices_get_status(set, slice).done;
}

static inline es_slice_job job_of(int64_t begin, int64_t due, int32_t items)
{
    es_slice_job job = {begin, due, items, false};
    return job;
}

static inline void begin_job(es_slices *set, int32_t slice, es_slice_job job)
{
    assert_true(es_slices_begin(set, slice, &job));
}

/* A set of one slice. */
static inline void start_set(es_slices *set, es__slice *slices, es_slice_config config)
{
    assert_int_equal(es__slices_init(set, slices, &config, 1, NULL), ES_OK);
}

static inline es_slice_config by_budget(es_slice_late late)
{
    es_slice_config config = {.method = ES_SLICE_BUDGET, .late = late};
    return config;
}

/* A frame whose content is so far from the newest tick to the next. */
static inline es_frame frame_at(int64_t newest, int64_t part, int64_t parts)
{
    es_frame frame = {0};
    frame.newest_tick = newest;
    frame.previous_ns = newest * parts - parts;
    frame.current_ns = newest * parts;
    frame.content_ns = frame.previous_ns + part;
    return frame;
}

#endif
