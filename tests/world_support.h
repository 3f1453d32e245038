/* SPDX-License-Identifier: Zlib
 *
 * What the tests of layouts, histories, values and blends share.
 */
#ifndef WORLD_SUPPORT_H
#define WORLD_SUPPORT_H

#include "blend_places.h"
#include "test_support.h"
#include "world/blend_parts.h"

/* The memory of a history of a type. */
#define ES_HISTORY_SIZE(state, ticks) ((size_t)(ticks) * ((sizeof(state) + 63) / 64 * 64))

/* A layout that must be valid. */
static inline es_layout layout_of(const es_field *fields, size_t count, size_t state_size)
{
    es_layout layout = {fields, count, state_size};
    es__error error = {NULL, NULL};
    if (es__layout_validate(&layout, &error) != ES_OK) {
        fail_msg("not valid: %s %s", error.field, error.reason);
    }
    return layout;
}

/* Runs a job by an instruction set. False: this machine lacks it. A refusal fails the test. */
static inline bool run_by(const es__blend_job *job, int simd)
{
    es__error error = {NULL, NULL};
    es__blend_job by_simd = *job;
    by_simd.simd = (es__simd)simd;
    es_result result = es__blend_run(&by_simd, &error);
    if (result != ES_OK && !(result == ES_ERR_UNSUPPORTED && simd > ES_SIMD_SCALAR)) {
        fail_msg("refused: %s %s", error.field, error.reason);
    }
    return result == ES_OK;
}

static inline void run_job(const es__blend_job *job)
{
    run_by(job, (int)job->simd);
}

#endif
