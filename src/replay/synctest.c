/* SPDX-License-Identifier: Zlib */
#include "base/common.h"
#include "state.h"
#include "world/field.h"

enum { EVERY = 60, TICKS = 2, TICKS_MAX = 64, SYNCTEST_INPUT_MAX = 256 };

struct es_synctest {
    es_synctest_config config;
    unsigned char *saved, *after; /* states */
    unsigned char *drawn;         /* the state before drawing */
    unsigned char *inputs;        /* of `ticks` ticks */
    size_t sizes[TICKS_MAX];
    es_step steps[TICKS_MAX];
    int32_t kept;    /* ticks since the state was saved; -1: no test is under way */
    bool is_drawing; /* `drawn` is that of this frame */
    bool found;
    es_difference difference;
};

static es_synctest_config filled(const es_synctest_config *config)
{
    es_synctest_config full = *config;
    full.every = full.every != 0 ? full.every : EVERY;
    full.ticks = full.ticks != 0 ? full.ticks : full.every < TICKS ? full.every : TICKS;
    full.input_max = full.input_max != 0 ? full.input_max : SYNCTEST_INPUT_MAX;
    return full;
}

static es_result synctest_check(const es_synctest_config *full, es__error *error)
{
    const es_layout *layout = full->layout;
    const es__rule rules[] = {
            {layout == NULL, "layout", "is NULL"},
            {full->every < 1, "every", "is below 0"},
            {full->ticks < 1 || full->ticks > TICKS_MAX || full->ticks > full->every, "ticks",
                    "is not within 1 to 64, or is more than every"},
            {full->input_max > SIZE_MAX / 4 / TICKS_MAX, "input_max",
                    "is more than memory can hold"},
            {layout != NULL && layout->state_size > SIZE_MAX / 8, "layout",
                    "is more than memory can hold"},
    };
    es_result result = ES__REFUSE_BROKEN(error, rules);
    return result == ES_OK ? es__layout_validate(layout, error) : result;
}

static size_t rounded(size_t size)
{
    return (size + ES__ALIGNMENT - 1) / ES__ALIGNMENT * ES__ALIGNMENT;
}

es_synctest *es_synctest_create(const es_synctest_config *config)
{
    es__error error = {"config", "is NULL"};
    es_synctest_config full = {0};
    es_result result = ES_ERR_INVALID;
    if (config != NULL) {
        full = filled(config);
        result = synctest_check(&full, &error);
    }
    if (result != ES_OK) {
        (void)es__fail(result, "es_synctest_config", &error);
        return NULL;
    }
    size_t state = rounded(full.layout->state_size);
    size_t ticks = full.update != NULL ? (size_t)full.ticks : 0, states = ticks > 0 ? 3 : 1;
    size_t start = rounded(sizeof(es_synctest));
    es_synctest *test = es__allocate(start + states * state + ticks * full.input_max);
    if (test != NULL) {
        test->config = full;
        test->kept = -1;
        test->drawn = (unsigned char *)test + start;
        test->saved = test->drawn + (ticks > 0 ? state : 0);
        test->after = test->saved + (ticks > 0 ? state : 0);
        test->inputs = test->after + state;
    }
    return test;
}

void es_synctest_destroy(es_synctest *test)
{
    es__free(test);
}

/* The first difference is kept. */
static void keep_finding(
        es_synctest *test, const char *function, int64_t tick, const es__state_difference *at)
{
    es_difference found = es__difference_of(tick, at);
    es__difference_say(function, &found, "then");
    if (!test->found) {
        test->found = true;
        test->difference = found;
    }
}

bool es_synctest_get_difference(const es_synctest *test, es_difference *difference)
{
    if (test == NULL || !test->found) {
        return false;
    }
    *difference = test->difference;
    return true;
}

/* --- ticks ---------------------------------------------------------------------------------- */

void es_synctest_before(
        es_synctest *test, const void *state, const es_step *step, const void *input, size_t size)
{
    if (test == NULL || test->config.update == NULL) {
        return;
    }
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
    ES__ASSERT(test->kept >= 0 && test->kept < config->ticks && config->ticks <= TICKS_MAX,
            test->kept, config->ticks);
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
    if (test == NULL || test->kept < test->config.ticks) {
        return true;
    }
    const es_layout *layout = test->config.layout;
    ES__ASSERT_IS(test->kept, ==, test->config.ticks);
    int64_t first = test->steps[0].index, last = test->steps[test->config.ticks - 1].index;
    es__state_difference difference;
    memcpy(test->after, state, layout->state_size);
    es__state_copy(layout, state, test->saved);
    call_loaded(test, state, first - 1);
    bool ran = run_again(test, state);
    bool same = !ran || es__state_compare(layout, test->after, state, &difference);
    memcpy(state, test->after, layout->state_size);
    call_loaded(test, state, last);
    test->kept = -1;
    if (!same) {
        keep_finding(test, __func__, last, &difference);
    }
    return same;
}

/* --- drawing -------------------------------------------------------------------------------- */

void es_synctest_draw_before(es_synctest *test, const void *state)
{
    if (test != NULL) {
        es__state_copy(test->config.layout, test->drawn, state);
        test->is_drawing = true;
    }
}

bool es_synctest_draw_after(es_synctest *test, const void *state, int64_t frame)
{
    es__state_difference difference;
    bool same = test == NULL || !test->is_drawing
                || es__state_compare(test->config.layout, test->drawn, state, &difference);
    if (!same) {
        keep_finding(test, __func__, frame, &difference);
    }
    if (test != NULL) {
        test->is_drawing = false;
    }
    return same;
}
