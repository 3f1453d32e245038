/* SPDX-License-Identifier: Zlib */
#include "evenstep/synctest.h"

#include <string.h>

#include "base/common.h"
#include "state_parts.h"
#include "world/field.h"

enum { EVERY = 60, TICKS = 2, SYNCTEST_INPUT_MAX = 256, SYNCTEST_ALIGNMENT = 64 };

static es_synctest_config filled(const es_synctest_config *config)
{
    es_synctest_config full = *config;
    full.every = full.every != 0 ? full.every : EVERY;
    full.ticks = full.ticks != 0 ? full.ticks : full.every < TICKS ? full.every : TICKS;
    full.input_max = full.input_max != 0 ? full.input_max : SYNCTEST_INPUT_MAX;
    return full;
}

static const char *synctest_refused_field(const es_synctest_config *full, const char **reason)
{
    if (full->layout == NULL) {
        *reason = "is NULL";
        return "layout";
    }
    if (full->every < 1) {
        *reason = "is below 0";
        return "every";
    }
    if (full->ticks < 1 || full->ticks > ES_SYNCTEST_TICKS_MAX || full->ticks > full->every) {
        *reason = "is not within 1 to ES_SYNCTEST_TICKS_MAX, or is more than every";
        return "ticks";
    }
    return NULL;
}

static size_t rounded(size_t size)
{
    return (size + SYNCTEST_ALIGNMENT - 1) / SYNCTEST_ALIGNMENT * SYNCTEST_ALIGNMENT;
}

static unsigned char *aligned(unsigned char *memory)
{
    size_t beyond = (uintptr_t)memory % SYNCTEST_ALIGNMENT;
    return memory + (beyond != 0 ? SYNCTEST_ALIGNMENT - beyond : 0);
}

size_t es_synctest_memory_size(const es_synctest_config *config)
{
    const char *reason;
    if (config == NULL) {
        return 0;
    }
    es_synctest_config full = filled(config);
    if (synctest_refused_field(&full, &reason) != NULL) {
        return 0;
    }
    size_t state = full.layout->state_size, most = (SIZE_MAX - 8 * SYNCTEST_ALIGNMENT) / 4;
    if (state > most || full.input_max > most / (size_t)full.ticks) {
        return 0;
    }
    return 2 * rounded(state) + (size_t)full.ticks * full.input_max + SYNCTEST_ALIGNMENT - 1;
}

es_result es_synctest_init(es_synctest *test, const es_synctest_config *config, void *memory,
        size_t memory_size, es_error *error)
{
    const char *reason;
    if (test == NULL || config == NULL || memory == NULL) {
        const char *name = test == NULL ? "test" : config == NULL ? "config" : "memory";
        return es__refuse(error, name, "is NULL");
    }
    es_synctest_config full = filled(config);
    const char *field = synctest_refused_field(&full, &reason);
    if (field != NULL) {
        return es__refuse(error, field, reason);
    }
    es_result result = es__layout_validate(full.layout, error);
    if (result != ES_OK) {
        return result;
    }
    if (full.update == NULL) {
        return es__refuse(error, "update", "is NULL");
    }
    size_t needed = es_synctest_memory_size(config);
    if (needed == 0) {
        return es__refuse_as(
                error, ES_ERR_SPACE, "config", "needs more memory than size_t can count");
    }
    if (memory_size < needed) {
        return es__refuse_as(
                error, ES_ERR_SPACE, "memory_size", "is under es_synctest_memory_size");
    }
    unsigned char *at = aligned(memory);
    memset(test, 0, sizeof *test);
    test->config = full;
    test->saved = at;
    test->after = at + rounded(full.layout->state_size);
    test->inputs = test->after + rounded(full.layout->state_size);
    test->kept = -1;
    return es__refuse_as(error, ES_OK, NULL, NULL);
}

void es_synctest_before(
        es_synctest *test, const void *state, const es_step *step, const void *input, size_t size)
{
    const es_synctest_config *config = &test->config;
    if (test->kept < 0 && step->index % config->every == 0) {
        memcpy(test->saved, state, config->layout->state_size);
        test->kept = 0;
    }
    if (test->kept < 0) {
        return;
    }
    bool follows = test->kept == 0 || step->index == test->steps[test->kept - 1].index + 1;
    if (size > config->input_max || !follows) {
        test->kept = -1; /* abandoned */
        return;
    }
    if (size > 0) {
        memcpy(test->inputs + (size_t)test->kept * config->input_max, input, size);
    }
    test->sizes[test->kept] = size;
    test->steps[test->kept] = *step;
    test->kept += 1;
}

static bool run_again(es_synctest *test, void *state)
{
    const es_synctest_config *config = &test->config;
    for (int32_t i = 0; i < config->ticks; ++i) {
        const unsigned char *input = test->inputs + (size_t)i * config->input_max;
        if (config->update(config->user, state, &test->steps[i], input, test->sizes[i]) != 0) {
            return false;
        }
    }
    return true;
}

static void call_loaded(const es_synctest *test, void *state, int64_t tick)
{
    if (test->config.loaded != NULL) {
        test->config.loaded(test->config.user, state, tick);
    }
}

bool es_synctest_after(es_synctest *test, void *state)
{
    const es_layout *layout = test->config.layout;
    if (test->kept < test->config.ticks) {
        return true;
    }
    int64_t first = test->steps[0].index, last = test->steps[test->config.ticks - 1].index;
    es_state_difference difference;
    memcpy(test->after, state, layout->state_size);
    es__state_copy(layout, state, test->saved);
    call_loaded(test, state, first - 1);
    bool ran = run_again(test, state);
    bool same = !ran || es__state_compare(layout, test->after, state, &difference);
    memcpy(state, test->after, layout->state_size);
    call_loaded(test, state, last);
    test->kept = -1;
    test->tests += ran;
    if (!same && !test->finding.found) {
        test->finding = (es_synctest_finding){
                .found = true, .first_tick = first, .tick = last, .difference = difference};
    }
    return same;
}

const es_synctest_finding *es_synctest_finding_get(const es_synctest *test)
{
    return &test->finding;
}

uint64_t es_synctest_count(const es_synctest *test)
{
    return test->tests;
}

/* --- drawing -------------------------------------------------------------------------------- */

es_result es_draw_check_init(es_draw_check *check, const es_layout *layout, void *memory,
        size_t memory_size, es_error *error)
{
    if (check == NULL || layout == NULL || memory == NULL) {
        const char *name = check == NULL ? "check" : layout == NULL ? "layout" : "memory";
        return es__refuse(error, name, "is NULL");
    }
    es_result result = es__layout_validate(layout, error);
    if (result != ES_OK) {
        return result;
    }
    if (memory_size < ES_DRAW_CHECK_OVERHEAD
            || memory_size - ES_DRAW_CHECK_OVERHEAD < layout->state_size) {
        return es__refuse_as(error, ES_ERR_SPACE, "memory_size",
                "is under layout->state_size + ES_DRAW_CHECK_OVERHEAD");
    }
    *check = (es_draw_check){.layout = layout, .before = aligned(memory)};
    return es__refuse_as(error, ES_OK, NULL, NULL);
}

void es_draw_check_before(es_draw_check *check, const void *state)
{
    es__state_copy(check->layout, check->before, state);
    check->open = true;
}

bool es_draw_check_after(es_draw_check *check, const void *state, int64_t frame)
{
    es_state_difference difference;
    bool same = !check->open || es__state_compare(check->layout, check->before, state, &difference);
    check->open = false;
    if (!same && !check->finding.found) {
        check->finding = (es_draw_finding){.found = true, .frame = frame, .difference = difference};
    }
    return same;
}

const es_draw_finding *es_draw_check_finding_get(const es_draw_check *check)
{
    return &check->finding;
}
