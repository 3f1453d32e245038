/* SPDX-License-Identifier: Zlib
 *
 * The exchange on one thread: memory, errors, and every order of a few calls of both sides against
 * a plain list of what was published. Two threads: stress.c; all that two threads can do:
 * proofs/.
 */
#include "threads/exchange.h"

#include <stdlib.h>
#include <string.h>

#include "test_support.h"

static es__exchange_config config_of(size_t state_size, int32_t ticks)
{
    return (es__exchange_config){.state_size = state_size, .ticks = ticks};
}

/* --- memory ----------------------------------------------------------------------------------- */

static size_t size_of(size_t state_size, int32_t ticks)
{
    es__exchange_config config = config_of(state_size, ticks);
    return es__exchange_memory_size(&config);
}

TEST(huge_sizes_do_not_wrap)
{
    for (int32_t ticks = ES__EXCHANGE_TICKS_MIN; ticks <= ES_EXCHANGE_TICKS_MAX; ++ticks) {
        size_t slots = (size_t)(2 * ticks + 2);
        for (size_t i = 0; i < 1000; ++i) {
            assert_int_equal(size_of(SIZE_MAX - i, ticks), 0);
            assert_int_equal(size_of(SIZE_MAX / slots + 1 + i, ticks), 0);
            size_t large = SIZE_MAX / slots - i;
            size_t size = size_of(large, ticks);
            assert_true(size == 0 || size / slots > large);
        }
        assert_true(size_of(SIZE_MAX / slots - 1000, ticks) != 0);
    }
}

/* At any address, and nothing beside the memory is written. */
TEST(states_are_aligned_within_the_memory)
{
    static unsigned char room[8192];
    for (size_t at = 1; at < 200; ++at) {
        es__exchange_config config = config_of(100, 3);
        size_t size = es__exchange_memory_size(&config);
        es__exchange exchange;
        assert_true(at + size < sizeof room);
        memset(room, 0xA5, sizeof room);
        es__exchange_init(&exchange, &config, room + at);
        for (int64_t n = 0; n < 12; ++n) {
            unsigned char *next = es__exchange_begin(&exchange, NULL);
            es__exchange_tick tick = {.index = n, .time_ns = n};
            assert_int_equal((uintptr_t)next % ES__EXCHANGE_STATE_ALIGNMENT, 0);
            assert_true(next >= room + at && next + 100 <= room + at + size);
            memset(next, 0xFF, 100);
            assert_int_equal(es__exchange_publish(&exchange, &tick), ES_OK);
            const es__exchange_view *view = es__exchange_acquire(&exchange);
            for (int i = 0; i < view->count; ++i) {
                const unsigned char *seen = view->states[i];
                assert_int_equal((uintptr_t)seen % ES__EXCHANGE_STATE_ALIGNMENT, 0);
                assert_true(seen >= room + at && seen + 100 <= room + at + size);
            }
        }
        for (size_t i = 0; i < sizeof room; ++i) {
            assert_true((i >= at && i < at + size) || room[i] == 0xA5);
        }
    }
}

/* --- a model: a list of what was published ---------------------------------------------------- */

enum { WORDS = 5, MODEL_TICKS = 4096 };

typedef struct model {
    es__exchange exchange;
    unsigned char *memory;
    size_t memory_size;
    int32_t ticks;
    /* published */
    es__exchange_tick published[MODEL_TICKS];
    int64_t count;
    bool fresh;
    /* what the reader has: the newest of these, and how many */
    int64_t seen;
    int32_t seen_count;
    int64_t number;
    const es__exchange_view *view;
} model;

static uint64_t word_of(const es__exchange_tick *tick, size_t i)
{
    return (uint64_t)tick->index * UINT64_C(0x9e3779b97f4a7c15) + tick->generation * 1000003U + i;
}

static void model_start(model *m, int32_t ticks)
{
    es__exchange_config config = config_of(WORDS * sizeof(uint64_t), ticks);
    size_t size = es__exchange_memory_size(&config);
    if (m->memory_size < size) {
        free(m->memory);
        m->memory = malloc(size);
        m->memory_size = size;
        assert_non_null(m->memory);
    }
    es__exchange_init(&m->exchange, &config, m->memory);
    m->ticks = ticks;
    m->count = m->seen = m->number = 0;
    m->seen_count = 0;
    m->fresh = false;
    m->view = es__exchange_acquire(&m->exchange);
}

/* What the reader has, whatever the writer has done since. */
static void model_check_view(const model *m)
{
    const es__exchange_view *view = m->view;
    assert_int_equal(view->number, m->number);
    assert_int_equal(view->count, m->seen_count);
    for (int32_t age = 0; age < ES_EXCHANGE_TICKS_MAX; ++age) {
        if (m->seen_count == 0) {
            assert_null(view->states[age]);
            assert_null(view->ticks[age]);
            continue;
        }
        int32_t known = age < m->seen_count ? age : m->seen_count - 1;
        const es__exchange_tick *tick = &m->published[m->seen - 1 - known];
        const es__exchange_tick *seen = view->ticks[age];
        assert_true(seen->index == tick->index && seen->time_ns == tick->time_ns);
        assert_true(seen->generation == tick->generation);
        assert_int_equal(seen->rate.numerator, tick->rate.numerator);
        assert_int_equal(seen->rate.denominator, tick->rate.denominator);
        const uint64_t *words = view->states[age];
        for (size_t i = 0; i < WORDS; ++i) {
            assert_int_equal(words[i], word_of(tick, i));
        }
    }
}

static uint64_t *model_begin(model *m)
{
    const void *previous = m;
    uint64_t *next = es__exchange_begin(&m->exchange, &previous);
    assert_ptr_equal(es__exchange_begin(&m->exchange, NULL), next);
    if (m->count == 0) {
        assert_null(previous);
    } else {
        const uint64_t *words = previous;
        for (size_t i = 0; i < WORDS; ++i) {
            assert_int_equal(words[i], word_of(&m->published[m->count - 1], i));
        }
    }
    memset(next, 0xEE, WORDS * sizeof *next);
    return next;
}

static void model_publish(model *m, bool new_generation)
{
    es__exchange_tick tick = {0};
    if (m->count > 0) {
        tick = m->published[m->count - 1];
        tick.index += new_generation ? -50 : 1;
        tick.generation += new_generation;
        tick.time_ns += new_generation ? -1000000 : m->count % 3;
        tick.rate = es__rate_make(60000, 1001 + (uint64_t)m->count);
    }
    uint64_t *next = model_begin(m);
    model_check_view(m);
    for (size_t i = 0; i < WORDS; ++i) {
        next[i] = word_of(&tick, i);
    }
    assert_true(m->count < MODEL_TICKS);
    m->published[m->count] = tick;
    m->count += 1;
    m->fresh = true;
    assert_int_equal(es__exchange_publish(&m->exchange, &tick), ES_OK);
}

enum { ACQUIRE, PUBLISH, PUBLISH_NEW, BEGIN, OPERATIONS };

static void model_do(model *m, int operation)
{
    if (operation == ACQUIRE && m->fresh) {
        m->seen = m->count;
        const es__exchange_tick *newest = &m->published[m->count - 1], *tick = newest;
        while (tick > m->published && newest - tick + 1 < m->ticks
                && tick[-1].generation == newest->generation) {
            tick -= 1;
        }
        m->seen_count = (int32_t)(newest - tick) + 1;
        m->number += 1;
        m->fresh = false;
    }
    if (operation == ACQUIRE) {
        assert_ptr_equal(es__exchange_acquire(&m->exchange), m->view);
    } else if (operation == BEGIN) {
        model_begin(m);
    } else {
        model_publish(m, operation == PUBLISH_NEW);
    }
    model_check_view(m);
}

/* Every sequence of 8 calls, after none, 1, and more publishes than there are slots. */
TEST(every_order_of_eight_calls_is_as_the_model)
{
    enum { CALLS = 8 };
    static model m;
    int64_t sequences = 0;
    for (int32_t ticks = 2; ticks <= 4; ++ticks) {
        for (int code = 0; code < 1 << 2 * CALLS; ++code) {
            model_start(&m, ticks);
            for (int call = 0; call < CALLS; ++call) {
                model_do(&m, code >> 2 * call & 3);
            }
            sequences += 1;
        }
    }
    free(m.memory);
    m = (model){0};
    assert_int_equal(sequences, 3 * 65536);
}

TEST(long_runs_are_as_the_model)
{
    static model m;
    test_random random = {.state = 20240611};
    for (int32_t ticks = 2; ticks <= 4; ++ticks) {
        for (int64_t rarely = 1; rarely <= 100; rarely *= 10) { /* how seldom it acquires */
            model_start(&m, ticks);
            while (m.count < MODEL_TICKS) {
                bool acquires = random_below(&random, rarely + 1) == 0;
                model_do(&m, acquires                         ? ACQUIRE
                             : random_below(&random, 20) == 0 ? PUBLISH_NEW
                                                              : PUBLISH);
            }
            assert_true(m.number > 20);
        }
    }
    free(m.memory);
    m = (model){0};
}

/* --- one thing at a time ---------------------------------------------------------------------- */

typedef struct small {
    es__exchange exchange;
    unsigned char memory[4096];
} small;

static void small_start(small *s)
{
    es__exchange_config config = config_of(sizeof(int), 0);
    assert_true(es__exchange_memory_size(&config) <= sizeof s->memory);
    es__exchange_init(&s->exchange, &config, s->memory);
}

static es_result small_publish(small *s, int64_t index, int64_t time_ns, uint32_t generation)
{
    es__exchange_tick tick = {.index = index, .time_ns = time_ns, .generation = generation};
    *(int *)es__exchange_begin(&s->exchange, NULL) = (int)index;
    return es__exchange_publish(&s->exchange, &tick);
}

TEST(a_tick_follows_the_last_or_begins_a_generation)
{
    static const struct {
        int64_t index, time_ns;
        uint32_t generation;
        es_result result;
        int32_t count; /* in the view afterwards */
    } rows[] = {
            {7, 100, 3, ES_OK, 1}, /* any number first */
            {7, 100, 3, ES_ERR_INVALID, 1},
            {9, 100, 3, ES_ERR_INVALID, 1},
            {0, 100, 3, ES_ERR_INVALID, 1},
            {INT64_MIN, 100, 3, ES_ERR_INVALID, 1},
            {INT64_MAX, 100, 3, ES_ERR_INVALID, 1},
            {8, 99, 3, ES_ERR_INVALID, 1}, /* before the last one's time */
            {8, 100, 3, ES_OK, 2},
            {9, -5, 4, ES_OK, 1}, /* a new generation, with any number and time */
            {10, -5, 4, ES_OK, 2},
            {11, 20, 4, ES_OK, 2},
            {12, 19, 4, ES_ERR_INVALID, 2},
            {12, 20, 5, ES_OK, 1},
            {INT64_MAX, 0, 0, ES_OK, 1}, /* back to an old generation */
            {INT64_MIN, 0, 0, ES_ERR_INVALID, 1},
    };
    static small s;
    int64_t newest = 0;
    es__exchange_tick tick = {.index = 8, .time_ns = 100, .generation = 3};
    small_start(&s);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; ++i) {
        es_result result = small_publish(&s, rows[i].index, rows[i].time_ns, rows[i].generation);
        assert_int_equal(result, rows[i].result);
        newest = result == ES_OK ? rows[i].index : newest;
        const es__exchange_view *view = es__exchange_acquire(&s.exchange);
        assert_int_equal(view->count, rows[i].count);
        assert_int_equal(view->ticks[0]->index, newest);
        assert_int_equal(*(const int *)view->states[0], (int)newest);
    }
    assert_int_equal(es__exchange_acquire(&s.exchange)->number, 7);
    assert_int_equal(es__exchange_publish(&s.exchange, NULL), ES_ERR_INVALID);
    small_start(&s);
    assert_int_equal(es__exchange_publish(&s.exchange, &tick), ES_ERR_STATE);
    assert_int_equal(small_publish(&s, 7, 100, 3), ES_OK);
    assert_int_equal(es__exchange_publish(&s.exchange, &tick), ES_ERR_STATE);
}

TEST(nothing_is_copied)
{
    static small s;
    small_start(&s);
    const void *written[2];
    for (int64_t n = 0; n < 2; ++n) {
        written[n] = es__exchange_begin(&s.exchange, NULL);
        assert_int_equal(small_publish(&s, n, n, 0), ES_OK);
    }
    assert_ptr_equal(es__exchange_acquire(&s.exchange)->states[0], written[1]);
    assert_ptr_equal(es__exchange_acquire(&s.exchange)->states[1], written[0]);
}
