/* SPDX-License-Identifier: Zlib
 *
 * What the tests of slices share.
 */
#ifndef SLICE_SUPPORT_H
#define SLICE_SUPPORT_H

#include "test_support.h"

#include "evenstep/slice.h"

#define US ES_NS_PER_US
#define MS ES_NS_PER_MS

static inline es_slice_job job_of(int64_t begin, int64_t due, int32_t items)
{
    es_slice_job job = {begin, due, items, false};
    return job;
}

static inline void begin_job(es_slices *set, int32_t slice, es_slice_job job)
{
    assert_int_equal(es_slices_begin(set, slice, &job), ES_OK);
}

/* A set of one slice. */
static inline void start_set(es_slices *set, es_slice *slices, es_slice_config config)
{
    assert_int_equal(es_slices_init(set, slices, &config, 1, NULL), ES_OK);
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
