/* SPDX-License-Identifier: Zlib
 *
 * The last ticks: memory, errors, capture per tick driven by a real loop, what moves the past, and
 * everything in any order against plain arrays of copies.
 */
#include "evenstep/history.h"

#include <stdlib.h>
#include <string.h>

#include "evenstep/loop.h"
#include "test_support.h"

static _Alignas(64) unsigned char memory[16384];

/* --- memory ----------------------------------------------------------------------------------- */

static void test_memory_size(void **state)
{
    (void)state;
    assert_int_equal(es_history_memory_size(1, 2), 128);
    assert_int_equal(es_history_memory_size(63, 2), 128);
    assert_int_equal(es_history_memory_size(64, 2), 128);
    assert_int_equal(es_history_memory_size(65, 2), 256);
    assert_int_equal(es_history_memory_size(1000, 2), 2048);
    assert_int_equal(es_history_memory_size(1000, 3), 3072);
    assert_int_equal(es_history_memory_size(65, 8), 1024);
    assert_int_equal(es_history_memory_size(65, 1), 0);
    assert_int_equal(es_history_memory_size(65, 9), 0);
    assert_int_equal(es_history_memory_size(65, 0), 0);
    assert_int_equal(es_history_memory_size(65, -2), 0);
}

/* Near the end of size_t the answer is 0 or enough, never a small number that has wrapped. */
static void test_memory_size_when_huge(void **state)
{
    (void)state;
    for (int32_t ticks = ES_HISTORY_TICKS_MIN; ticks <= ES_HISTORY_TICKS_MAX; ++ticks) {
        size_t largest = SIZE_MAX / (size_t)ticks / 64 * 64;
        assert_int_equal(es_history_memory_size(SIZE_MAX, ticks), 0);
        assert_int_equal(es_history_memory_size(SIZE_MAX - 63, ticks), 0);
        for (size_t i = 0; i < 200; ++i) {
            assert_int_equal(es_history_memory_size(largest + 1 + i, ticks), 0);
            assert_int_equal(es_history_memory_size(SIZE_MAX - i, ticks), 0);
            size_t size = es_history_memory_size(largest - i, ticks);
            assert_true(size / (size_t)ticks >= largest - i);
        }
    }
}

static void check_init_fails(
        void *at, size_t size, size_t state_size, int32_t ticks, es_result expected)
{
    es_history history;
    es_history before;
    memset(&history, 0x5A, sizeof history);
    before = history;
    assert_int_equal(es_history_init(&history, at, size, state_size, ticks), expected);
    assert_memory_equal(&history, &before, sizeof history);
}

static void test_init_errors(void **state)
{
    (void)state;
    assert_int_equal(es_history_init(NULL, memory, sizeof memory, 8, 2), ES_ERR_INVALID);
    check_init_fails(NULL, sizeof memory, 8, 2, ES_ERR_INVALID);
    check_init_fails(memory, sizeof memory, 0, 2, ES_ERR_INVALID);
    check_init_fails(memory, sizeof memory, 8, 1, ES_ERR_INVALID);
    check_init_fails(memory, sizeof memory, 8, 9, ES_ERR_INVALID);
    check_init_fails(memory, sizeof memory, 8, INT32_MIN, ES_ERR_INVALID);
    check_init_fails(memory, 127, 8, 2, ES_ERR_SPACE);
    check_init_fails(memory, 191, 8, 3, ES_ERR_SPACE);
    check_init_fails(memory, 0, 8, 2, ES_ERR_SPACE);
    check_init_fails(memory, 128, 65, 2, ES_ERR_SPACE);
    check_init_fails(memory, sizeof memory, SIZE_MAX, 2, ES_ERR_SPACE);
    check_init_fails(memory, SIZE_MAX, SIZE_MAX, 2, ES_ERR_SPACE);
    check_init_fails(memory, SIZE_MAX, SIZE_MAX / 2 + 1, 2, ES_ERR_SPACE);
    es_history history;
    assert_int_equal(es_history_init(&history, memory, 128, 64, 2), ES_OK);
    assert_int_equal(es_history_init(&history, memory, 192, 64, 3), ES_OK);
}

/* All states: on cache lines of their own, inside the memory, apart, and zero. The memory is
 * exactly as large as asked for, so that the sanitizer sees a byte too many. */
static void check_slots(size_t state_size, int32_t ticks)
{
    size_t size = es_history_memory_size(state_size, ticks);
    unsigned char *block = test_alloc_64(size);
    unsigned char *seen[ES_HISTORY_TICKS_MAX];
    assert_non_null(block);
    memset(block, 0xEE, size);
    es_history history;
    assert_int_equal(es_history_init(&history, block, size, state_size, ticks), ES_OK);
    assert_ptr_equal(es_history_current(&history), block);
    for (int32_t i = 0; i < ticks; ++i) {
        seen[i] = es_history_current(&history);
        assert_true(seen[i] >= block && seen[i] + state_size <= block + size);
        assert_int_equal((uintptr_t)seen[i] % 64, 0);
        for (size_t k = 0; k < state_size; ++k) {
            assert_int_equal(seen[i][k], 0);
        }
        for (int32_t k = 0; k < i; ++k) {
            assert_true(seen[k] + state_size <= seen[i] || seen[i] + state_size <= seen[k]);
        }
        memset(seen[i], i + 1, state_size);
        es_history_next(&history, NULL);
    }
    /* the first again, and as it was left */
    assert_ptr_equal(es_history_current(&history), block);
    assert_int_equal(block[0], 1);
    assert_int_equal(block[state_size - 1], 1);
    test_free_64(block);
}

static void test_slots(void **state)
{
    (void)state;
    static const size_t sizes[] = {1, 4, 63, 64, 65, 127, 128, 129, 1000, 4096, 100001};
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; ++i) {
        for (int32_t ticks = ES_HISTORY_TICKS_MIN; ticks <= ES_HISTORY_TICKS_MAX; ++ticks) {
            check_slots(sizes[i], ticks);
        }
    }
}

/* Memory from elsewhere may be aligned for the state only: distances stay multiples of 64. */
static void test_memory_that_is_less_aligned(void **state)
{
    (void)state;
    es_history history;
    assert_int_equal(es_history_init(&history, memory + 16, 256, 65, 2), ES_OK);
    assert_ptr_equal(es_history_current(&history), memory + 16);
    assert_ptr_equal(es_history_previous(&history), memory + 16 + 128);
}

/* --- push and reset, by hand ------------------------------------------------------------------ */

/* A frame with this pair of ticks. */
static es_frame frame_of(int64_t previous_tick, int64_t current_tick, int64_t newest_tick)
{
    es_frame frame;
    memset(&frame, 0, sizeof frame);
    frame.previous_tick = previous_tick;
    frame.current_tick = current_tick;
    frame.newest_tick = newest_tick;
    return frame;
}

static void check_matches(
        const es_history *history, int64_t previous, int64_t current, int64_t newest, bool expected)
{
    es_frame frame = frame_of(previous, current, newest);
    assert_int_equal(es_history_matches(history, &frame), expected);
}

/* The two newest ticks, and what is next to them. */
static void check_pair(const es_history *history, int64_t previous_tick, int64_t current_tick)
{
    check_matches(history, previous_tick, current_tick, current_tick, true);
    check_matches(history, previous_tick - 1, current_tick, current_tick, false);
    check_matches(history, previous_tick, current_tick + 1, current_tick, false);
    check_matches(history, previous_tick, current_tick, current_tick + 1, false);
    assert_int_equal(es_history_index(history, 1), previous_tick);
    assert_int_equal(es_history_index(history, 0), current_tick);
}

static es_step step_of(int64_t index, int64_t time_ns)
{
    es_step step = {.index = index, .time_ns = time_ns};
    return step;
}

static void test_push_and_reset(void **state)
{
    (void)state;
    es_history history;
    assert_int_equal(es_history_init(&history, memory, sizeof memory, sizeof(int), 2), ES_OK);
    int *current = es_history_current(&history);
    int *previous = es_history_previous(&history);
    check_pair(&history, 0, 0);
    *current = 10;
    es_history_reset(&history, 0, 0);
    assert_int_equal(*previous, 10);
    check_pair(&history, 0, 0);

    es_step step = step_of(1, 100);
    *(int *)es_history_push(&history, &step) += 1;
    assert_int_equal(*previous, 10);
    assert_int_equal(*current, 11);
    check_pair(&history, 0, 1);

    /* without a step it counts on from where it is */
    *(int *)es_history_push(&history, NULL) += 1;
    assert_int_equal(*previous, 11);
    assert_int_equal(*current, 12);
    check_pair(&history, 1, 2);

    *current = 500;
    es_history_reset(&history, 77, 7700);
    assert_int_equal(*current, 500);
    assert_int_equal(*previous, 500);
    check_pair(&history, 77, 77);

    step = step_of(78, 7800);
    *(int *)es_history_push(&history, &step) += 1;
    assert_int_equal(*previous, 500);
    assert_int_equal(*current, 501);
    check_pair(&history, 77, 78);

    /* the step says which tick it is, whatever came before */
    step.index = 1000;
    es_history_push(&history, &step);
    check_pair(&history, 78, 1000);
    assert_ptr_equal(es_history_current(&history), current);
    assert_ptr_equal(es_history_previous(&history), previous);
}

/* Current and previous change places in memory, nothing is copied. */
static void test_next(void **state)
{
    (void)state;
    es_history history;
    assert_int_equal(es_history_init(&history, memory, sizeof memory, sizeof(int), 3), ES_OK);
    int *first = es_history_current(&history);
    *first = 1;
    es_history_reset(&history, 0, 0);
    es_step step = step_of(1, 10);
    int *second = es_history_next(&history, &step);
    assert_ptr_equal(es_history_previous(&history), first);
    assert_ptr_equal(es_history_current(&history), second);
    *second = 2;
    int *third = es_history_next(&history, NULL);
    *third = 3;
    assert_ptr_equal(es_history_previous(&history), second);
    assert_ptr_equal(es_history_tick(&history, 2), first);
    assert_int_equal(*first, 1);
    assert_int_equal(*second, 2);
    check_pair(&history, 1, 2);
    /* the oldest's memory, and its bytes */
    assert_ptr_equal(es_history_next(&history, NULL), first);
    assert_int_equal(*first, 1);
    /* a push after it copies to where the second was */
    *first = 4;
    assert_ptr_equal(es_history_push(&history, NULL), first);
    assert_ptr_equal(es_history_previous(&history), second);
    assert_int_equal(*second, 4);
    assert_ptr_equal(es_history_tick(&history, 2), third);
    check_pair(&history, 3, 4);
}

static void test_count_and_ages(void **state)
{
    (void)state;
    es_history history;
    assert_int_equal(es_history_init(&history, memory, sizeof memory, sizeof(int), 4), ES_OK);
    for (int round = 0; round < 2; ++round) {
        for (int i = 0; i < 10; ++i) {
            int32_t count = i < 3 ? i + 1 : 4;
            assert_int_equal(es_history_count(&history), count);
            for (int32_t age = 0; age < count; ++age) {
                assert_non_null(es_history_tick(&history, age));
                assert_int_equal(es_history_index(&history, age), 100 * round + i - age);
            }
            for (int32_t age = count; age < 12; ++age) {
                assert_null(es_history_tick(&history, age));
                assert_int_equal(es_history_index(&history, age), 100 * round + i - count + 1);
            }
            assert_null(es_history_tick(&history, -1));
            assert_null(es_history_tick(&history, INT32_MAX));
            assert_int_equal(es_history_index(&history, -1), 100 * round + i);
            assert_ptr_equal(es_history_tick(&history, 0), es_history_current(&history));
            es_history_push(&history, NULL);
        }
        es_history_reset(&history, 100, 5);
        assert_int_equal(es_history_time_ns(&history, 3), 5);
    }
}

static void test_times(void **state)
{
    (void)state;
    es_history history;
    assert_int_equal(es_history_init(&history, memory, sizeof memory, 1, 3), ES_OK);
    /* without any step nothing is known of time */
    es_history_reset(&history, 5, 1000);
    es_history_push(&history, NULL);
    es_history_next(&history, NULL);
    assert_int_equal(es_history_time_ns(&history, 0), 1000);
    assert_int_equal(es_history_index(&history, 0), 7);
    /* with one it goes on as far as the last tick went */
    es_step step = step_of(8, 1025);
    es_history_push(&history, &step);
    es_history_push(&history, NULL);
    es_history_next(&history, NULL);
    assert_int_equal(es_history_time_ns(&history, 0), 1075);
    assert_int_equal(es_history_time_ns(&history, 1), 1050);
    assert_int_equal(es_history_time_ns(&history, 2), 1025);
    assert_int_equal(es_history_time_ns(&history, 3), 1025);
    /* and at the end of time it stands */
    es_history_reset(&history, INT64_MAX, INT64_MAX);
    es_history_push(&history, NULL);
    assert_int_equal(es_history_time_ns(&history, 0), INT64_MAX);
    assert_int_equal(es_history_index(&history, 0), INT64_MAX);
}

/* With ticks ahead of the picture the pair is an older one. */
static void test_matches_with_a_lead(void **state)
{
    (void)state;
    es_history history;
    assert_int_equal(es_history_init(&history, memory, sizeof memory, 1, 4), ES_OK);
    check_matches(&history, 0, 0, 0, true);
    es_history_push(&history, NULL);
    es_history_push(&history, NULL);
    check_matches(&history, 1, 2, 2, true);
    check_matches(&history, 0, 1, 2, true);
    check_matches(&history, 0, 0, 2, true); /* the first: there is none before */
    check_matches(&history, 1, 1, 2, false);
    check_matches(&history, 0, 2, 2, false);
    check_matches(&history, 0, 1, 1, false);
    check_matches(&history, 2, 3, 3, false);
    es_history_push(&history, NULL);
    es_history_push(&history, NULL);
    check_matches(&history, 1, 2, 4, true);
    check_matches(&history, 0, 1, 4, false); /* tick 0 is gone */
}

/* --- driven by a loop ------------------------------------------------------------------------- */

/* A thing that moves at every tick. */
typedef struct mover {
    int64_t tick;
    double x;
    unsigned char trail[200];
} mover;

/* A loop, its clock, a history and what has been seen. */
typedef struct rig {
    es_manual_clock manual;
    es_loop loop;
    es_history history;
    bool copying;     /* es_history_push, else es_history_next */
    int frames_of[3]; /* with no tick, one, many */
} rig;

static void set_up(rig *r, const es_loop_config *config, int32_t ticks)
{
    memset(r, 0, sizeof *r);
    es_loop_config with_clock = *config;
    with_clock.clock = es_manual_clock_get(&r->manual);
    assert_int_equal(es_loop_init(&r->loop, &with_clock, NULL), ES_OK);
    assert_int_equal(
            es_history_init(&r->history, memory, sizeof memory, sizeof(mover), ticks), ES_OK);
    es_history_reset(&r->history, 0, 0);
    r->copying = true;
}

/* Moves everything that is in the state. */
static void move(mover *m, const es_step *step)
{
    m->tick = step->index;
    m->x += 3.5 * step->dt_s;
    memset(m->trail, (int)(step->index % 251), sizeof m->trail);
}

static void run_ticks(rig *r)
{
    es_step step;
    int ticks = 0;
    while (es_loop_tick(&r->loop, &step)) {
        mover *m = r->copying ? es_history_push(&r->history, &step)
                              : es_history_next(&r->history, &step);
        assert_ptr_equal(m, es_history_current(&r->history));
        *m = *(const mover *)es_history_previous(&r->history);
        move(m, &step);
        ticks += 1;
    }
    r->frames_of[ticks < 2 ? ticks : 2] += 1;
}

/* B5: the frame's two ticks are those held, neighbours, and not the same picture; none is from
 * before time 0. */
static void check_frame(const rig *r, const es_frame *frame)
{
    int32_t age = (int32_t)(frame->newest_tick - frame->current_tick);
    int32_t older = frame->previous_tick < frame->current_tick ? age + 1 : age;
    const mover *current = es_history_tick(&r->history, age);
    const mover *previous = es_history_tick(&r->history, older);
    assert_true(es_history_matches(&r->history, frame));
    assert_int_equal(current->tick, frame->current_tick);
    assert_int_equal(previous->tick, frame->previous_tick);
    assert_int_equal(es_history_time_ns(&r->history, age), frame->current_ns);
    assert_int_equal(es_history_time_ns(&r->history, older), frame->previous_ns);
    assert_true(frame->content_ns >= 0);
    assert_true(frame->previous_ns >= 0);
    if (frame->current_tick > 0) {
        assert_int_equal(current->tick, previous->tick + 1);
        assert_true(current->x > previous->x);
        assert_int_not_equal(current->trail[199], previous->trail[199]);
        assert_int_equal(previous->trail[0], previous->trail[199]);
    }
}

/* Frames of the loop's own pacing; drawing takes 0 to 70 ms, so intervals come and go. */
static void run_paced_frames(int32_t lead, int32_t ticks, bool copying)
{
    test_random random = {0x1234567};
    es_loop_config config = {.pace = ES_PACE_ADAPTIVE};
    config.tick_rate = es_hz(60);
    config.interval_ns = 5 * ES_NS_PER_MS;
    config.lead_ticks = lead;
    rig r;
    set_up(&r, &config, ticks);
    r.copying = copying;
    for (int i = 0; i < 4000; ++i) {
        es_frame frame;
        assert_int_equal(es_loop_begin(&r.loop), ES_OK);
        run_ticks(&r);
        assert_int_equal(es_loop_ready(&r.loop, &frame), ES_OK);
        check_frame(&r, &frame);
        bool slow = i / 500 % 2 == 1;
        es_manual_clock_work(&r.manual, random_below(&random, (slow ? 70 : 3) * ES_NS_PER_MS));
        assert_int_equal(es_loop_end(&r.loop), ES_OK);
    }
    assert_true(r.frames_of[0] > 100);
    assert_true(r.frames_of[1] > 100);
    assert_true(r.frames_of[2] > 100);
}

static void test_paced_frames(void **state)
{
    (void)state;
    run_paced_frames(0, 2, true);
    run_paced_frames(0, 2, false);
    run_paced_frames(-1, 2, true);
    run_paced_frames(1, 3, true);
    run_paced_frames(1, 4, false);
    run_paced_frames(4, 8, true);
}

/* A host's frames, of any length: repeats, a display at 240 Hz, stalls beyond the bound, gaps. */
static int64_t random_span(test_random *random)
{
    switch (random_below(random, 8)) {
    case 0:
        return 0;
    case 1:
        return random_below(random, 3 * ES_NS_PER_S);
    case 2:
    case 3:
        return random_below(random, 120 * ES_NS_PER_MS);
    default:
        return 4166667;
    }
}

static void test_host_frames(void **state)
{
    (void)state;
    test_random random = {0xBADA55};
    es_loop_config config = {.pace = ES_PACE_ADAPTIVE};
    config.tick_rate = es_rate_make(60000, 1001);
    rig r;
    set_up(&r, &config, 2);
    int64_t host_ns = 5 * ES_NS_PER_S;
    for (int i = 0; i < 4000; ++i) {
        es_frame frame;
        host_ns += random_span(&random);
        assert_true(es_loop_begin_host(&r.loop, host_ns, 0));
        run_ticks(&r);
        assert_int_equal(es_loop_ready(&r.loop, &frame), ES_OK);
        check_frame(&r, &frame);
        assert_int_equal(es_loop_end(&r.loop), ES_OK);
    }
    assert_true(r.frames_of[0] > 100);
    assert_true(r.frames_of[1] > 100);
    assert_true(r.frames_of[2] > 100);
}

/* Seeks go with a reset; until the next tick both states are the one that was loaded. */
static void test_seeks(void **state)
{
    (void)state;
    test_random random = {99};
    es_loop_config config = {.pace = ES_PACE_ADAPTIVE};
    config.tick_rate = es_hz(100);
    config.interval_ns = 7 * ES_NS_PER_MS;
    rig r;
    set_up(&r, &config, 2);
    for (int i = 0; i < 1000; ++i) {
        es_frame frame;
        if (i % 10 == 9) {
            int64_t tick = random_below(&random, 5000);
            mover *m = es_history_current(&r.history);
            assert_int_equal(es_loop_seek(&r.loop, tick), ES_OK);
            m->tick = tick;
            m->x = (double)tick;
            memset(m->trail, (int)(tick % 251), sizeof m->trail);
            es_history_reset(&r.history, tick, es_rate_events_to_ns(config.tick_rate, tick));
            assert_memory_equal(es_history_previous(&r.history), m, sizeof *m);
            frame = frame_of(tick, tick, tick);
            assert_true(es_history_matches(&r.history, &frame));
        }
        assert_int_equal(es_loop_begin(&r.loop), ES_OK);
        run_ticks(&r);
        assert_int_equal(es_loop_ready(&r.loop, &frame), ES_OK);
        assert_true(es_history_matches(&r.history, &frame));
        assert_int_equal(es_loop_end(&r.loop), ES_OK);
        const mover *current = es_history_current(&r.history);
        const mover *previous = es_history_previous(&r.history);
        assert_int_equal(current->tick, frame.current_tick);
        assert_int_equal(previous->tick, frame.previous_tick);
    }
}

/* What the check is for: capture per frame, as it is often written, is found out. */
static void test_capture_per_frame_is_found_out(void **state)
{
    (void)state;
    es_loop_config config = {.pace = ES_PACE_ADAPTIVE};
    config.tick_rate = es_hz(100);
    config.interval_ns = 25 * ES_NS_PER_MS;
    rig r;
    set_up(&r, &config, 2);
    int mismatches = 0;
    for (int i = 0; i < 10; ++i) {
        es_frame frame;
        es_step step;
        assert_int_equal(es_loop_begin(&r.loop), ES_OK);
        bool first = true;
        while (es_loop_tick(&r.loop, &step)) {
            if (first) {
                es_history_push(&r.history, &step);
            }
            first = false;
        }
        assert_int_equal(es_loop_ready(&r.loop, &frame), ES_OK);
        mismatches += !es_history_matches(&r.history, &frame);
        assert_int_equal(es_loop_end(&r.loop), ES_OK);
    }
    assert_int_equal(mismatches, 9); /* all but the first frame, which runs no tick */

    /* and a push that is made twice */
    set_up(&r, &config, 2);
    es_step step;
    es_frame frame;
    for (int i = 0; i < 2; ++i) {
        assert_int_equal(es_loop_begin(&r.loop), ES_OK);
        while (es_loop_tick(&r.loop, &step)) {
            es_history_push(&r.history, &step);
            es_history_push(&r.history, &step);
        }
        assert_int_equal(es_loop_ready(&r.loop, &frame), ES_OK);
        assert_int_equal(es_loop_end(&r.loop), ES_OK);
    }
    assert_false(es_history_matches(&r.history, &frame));
}

/* The constant for static buffers equals the function. */
static void test_size_as_a_constant(void **state)
{
    struct one {
        char bytes[1];
    };
    struct odd {
        char bytes[65];
    };
    struct even {
        char bytes[128];
    };
    (void)state;
    static unsigned char sized[ES_HISTORY_SIZE(struct odd, 3)];
    assert_int_equal(sizeof sized, 384);
    for (int32_t ticks = ES_HISTORY_TICKS_MIN; ticks <= ES_HISTORY_TICKS_MAX; ++ticks) {
        assert_int_equal(ES_HISTORY_SIZE(struct one, ticks), es_history_memory_size(1, ticks));
        assert_int_equal(ES_HISTORY_SIZE(struct odd, ticks), es_history_memory_size(65, ticks));
        assert_int_equal(ES_HISTORY_SIZE(struct even, ticks), es_history_memory_size(128, ticks));
    }
}

/* --- snap and shift --------------------------------------------------------------------------- */

enum { THINGS = 7 };

typedef struct thing {
    float at[3];
    uint8_t jumps;
    double mass;
} thing;

/* Structs, arrays, planes, tiles of planes: 4 objects of 2 components in 2 blocks of 3. */
typedef struct world {
    thing things[THINGS];
    double depth[THINGS];
    float spin[4][THINGS];
    float blocks[2][2][3];
    int32_t score;
    double camera[2];
} world;

static const es_field world_fields[] = {
        {"at", ES_TYPE_F32, ES_BLEND_LINEAR, ES_PLACE_OF_EACH(world, things, at, ES_TYPE_F32),
                .group = 1},
        {"jumps", ES_TYPE_U8, ES_BLEND_MARK, ES_PLACE_OF_EACH(world, things, jumps, ES_TYPE_U8),
                .group = 1},
        {"depth", ES_TYPE_F64, ES_BLEND_LINEAR, ES_PLACE_ARRAY(world, depth, ES_TYPE_F64),
                .group = 1},
        {"spin", ES_TYPE_F32, ES_BLEND_ROTATION, ES_PLACE_PLANES(world, spin, ES_TYPE_F32),
                .group = 1},
        ES_FIELD_OF_EACH("mass", world, things, mass, ES_TYPE_F64, ES_BLEND_LINEAR),
        {.name = "blocks",
                .type = ES_TYPE_F32,
                .blend = ES_BLEND_LINEAR,
                .count = 4,
                .components = 2,
                .offset = offsetof(world, blocks),
                .stride = 4,
                .component_stride = 12,
                .tile = 3,
                .tile_stride = 24},
        ES_FIELD("score", world, score, ES_TYPE_I32, ES_BLEND_STEP),
        ES_FIELD("camera", world, camera, ES_TYPE_F64, ES_BLEND_LINEAR),
};
enum { WORLD_FIELDS = sizeof world_fields / sizeof world_fields[0] };
static const es_layout world_layout = ES_LAYOUT(world, world_fields);

static void test_the_worlds_layout(void **state)
{
    (void)state;
    es_error error;
    assert_int_equal(es_layout_validate(&world_layout, &error), ES_OK);
}

static float float_below(test_random *random, int64_t below)
{
    return (float)random_below(random, below) / 64.0F;
}

/* Every byte is written: what lies between members differs from state to state, too. */
static void fill(test_random *random, world *w)
{
    memset(w, (int)random_below(random, 256), sizeof *w);
    for (size_t f = 0; f < WORLD_FIELDS; ++f) {
        const es_field *field = &world_fields[f];
        for (size_t i = 0; i < field->count * field->components; ++i) {
            size_t at = es_field_at(field, i / field->components, i % field->components);
            float number = float_below(random, 100000);
            double large = (double)float_below(random, 100000) * 1.0e6;
            if (field->type == ES_TYPE_F32) {
                memcpy((unsigned char *)w + at, &number, sizeof number);
            } else if (field->type == ES_TYPE_F64) {
                memcpy((unsigned char *)w + at, &large, sizeof large);
            }
        }
    }
}

static void init_worlds(es_history *history, int32_t ticks)
{
    assert_int_equal(es_history_init(history, memory, sizeof memory, sizeof(world), ticks), ES_OK);
}

static void test_snap_and_shift_errors(void **state)
{
    (void)state;
    static const double delta[4] = {1, 1, 1, 1};
    const es_layout *layout = &world_layout;
    es_layout other = world_layout;
    other.state_size += 8;
    es_history h;
    init_worlds(&h, 3);
    assert_int_equal(es_history_snap(NULL, layout, "at", 0), ES_ERR_INVALID);
    assert_int_equal(es_history_snap(&h, NULL, "at", 0), ES_ERR_INVALID);
    assert_int_equal(es_history_snap(&h, &other, "at", 0), ES_ERR_INVALID);
    assert_int_equal(es_history_snap(&h, layout, NULL, 0), ES_ERR_INVALID);
    assert_int_equal(es_history_snap(&h, layout, "a", 0), ES_ERR_INVALID);
    assert_int_equal(es_history_snap(&h, layout, "at", THINGS), ES_ERR_INVALID);
    assert_int_equal(es_history_snap(&h, layout, "at", SIZE_MAX), ES_ERR_INVALID);
    assert_int_equal(es_history_snap(&h, layout, "jumps", THINGS), ES_ERR_INVALID);
    assert_int_equal(es_history_snap(&h, layout, "camera", 1), ES_ERR_INVALID);

    assert_int_equal(es_history_shift(NULL, layout, "at", 0, delta, 3), ES_ERR_INVALID);
    assert_int_equal(es_history_shift(&h, NULL, "at", 0, delta, 3), ES_ERR_INVALID);
    assert_int_equal(es_history_shift(&h, &other, "at", 0, delta, 3), ES_ERR_INVALID);
    assert_int_equal(es_history_shift(&h, layout, NULL, 0, delta, 3), ES_ERR_INVALID);
    assert_int_equal(es_history_shift(&h, layout, "none", 0, delta, 3), ES_ERR_INVALID);
    assert_int_equal(es_history_shift(&h, layout, "at", 0, NULL, 3), ES_ERR_INVALID);
    assert_int_equal(es_history_shift(&h, layout, "at", 0, delta, 2), ES_ERR_INVALID);
    assert_int_equal(es_history_shift(&h, layout, "at", 0, delta, 4), ES_ERR_INVALID);
    assert_int_equal(es_history_shift(&h, layout, "at", THINGS, delta, 3), ES_ERR_INVALID);
    assert_int_equal(es_history_shift(&h, layout, "jumps", 0, delta, 1), ES_ERR_INVALID);
    assert_int_equal(es_history_shift(&h, layout, "score", 0, delta, 1), ES_ERR_INVALID);
    assert_int_equal(es_history_shift_all(&h, layout, "none", delta, 3), ES_ERR_INVALID);
    assert_int_equal(es_history_shift_all(&h, layout, "at", delta, 1), ES_ERR_INVALID);
    assert_int_equal(es_history_shift_all(&h, layout, "score", delta, 1), ES_ERR_INVALID);
    static const unsigned char zeros[sizeof(world)];
    assert_memory_equal(es_history_current(&h), zeros, sizeof zeros);
    assert_memory_equal(es_history_previous(&h), zeros, sizeof zeros);
}

/* B6: a spawn, without a mark: in the picture between the ticks it stands where it appeared. */
static void test_a_spawn(void **state)
{
    (void)state;
    es_history h;
    init_worlds(&h, 4);
    es_history_reset(&h, 0, 0);
    for (int i = 0; i < 5; ++i) {
        world *w = es_history_push(&h, NULL);
        w->things[2].at[1] = 100 + (float)i;
        w->things[3].at[1] = 200 + (float)i;
        w->depth[2] = (double)i;
    }
    world *w = es_history_current(&h);
    w->things[2].at[1] = -5;
    assert_int_equal(es_history_snap(&h, &world_layout, "at", 2), ES_OK);
    for (int32_t age = 0; age < 4; ++age) {
        const world *old = es_history_tick(&h, age);
        assert_true(old->things[2].at[1] == -5);
        assert_true(old->things[3].at[1] == 204 - (float)age);
        assert_true(old->depth[2] == 4 - age);
    }
    assert_int_equal(es_history_snap(&h, &world_layout, "jumps", 2), ES_OK); /* the whole group */
    for (int32_t age = 0; age < 4; ++age) {
        const world *old = es_history_tick(&h, age);
        assert_true(old->depth[2] == 4);
        assert_true(old->things[3].at[1] == 204 - (float)age);
    }
}

/* B6: a portal that keeps momentum, and a floating origin: each moves by as much as before. */
static void test_a_portal(void **state)
{
    (void)state;
    static const double delta[3] = {1000, -64, 0.5};
    es_history h;
    init_worlds(&h, 3);
    es_history_reset(&h, 0, 0);
    for (int i = 0; i < 3; ++i) {
        world *w = es_history_next(&h, NULL);
        memset(w, 0, sizeof *w);
        for (int k = 0; k < THINGS; ++k) {
            w->things[k].at[0] = 3 * (float)i + (float)k;
            w->things[k].at[2] = 8;
        }
    }
    assert_int_equal(es_history_shift(&h, &world_layout, "at", 1, delta, 3), ES_OK);
    assert_int_equal(es_history_shift_all(&h, &world_layout, "at", delta, 3), ES_OK);
    for (int32_t age = 0; age < 3; ++age) {
        const world *w = es_history_tick(&h, age);
        for (int k = 0; k < THINGS; ++k) {
            float times = k == 1 ? 2 : 1;
            assert_true(w->things[k].at[0] == 3 * (float)(2 - age) + (float)k + 1000 * times);
            assert_true(w->things[k].at[1] == -64 * times);
            assert_true(w->things[k].at[2] == 8 + times / 2);
        }
    }
}

/* Directly after a reset both states, of which only one is a tick, move together. */
static void test_a_shift_after_a_reset(void **state)
{
    (void)state;
    static const double delta[2] = {5, 7};
    es_history h;
    init_worlds(&h, 4);
    ((world *)es_history_current(&h))->camera[0] = 1;
    es_history_reset(&h, 3, 30);
    assert_int_equal(es_history_shift_all(&h, &world_layout, "camera", delta, 2), ES_OK);
    ((world *)es_history_current(&h))->depth[0] = 9;
    assert_int_equal(es_history_snap(&h, &world_layout, "depth", 0), ES_OK);
    const world *current = es_history_current(&h);
    assert_true(current->camera[0] == 6);
    assert_memory_equal(es_history_previous(&h), current, sizeof *current);
    assert_int_equal(es_history_count(&h), 1);
}

/* More elements than are shifted at once, in every geometry. */
static void test_large_shifts(void **state)
{
    (void)state;
    enum { COUNT = 5000, TILE = 1500 };
    typedef struct many {
        float planes[2][COUNT];
        double pairs[COUNT][2];
        float tiles[4][2][TILE];
    } many;
    const es_field fields[] = {
            ES_FIELD_PLANES("planes", many, planes, ES_TYPE_F32, ES_BLEND_LINEAR),
            {.name = "pairs",
                    .type = ES_TYPE_F64,
                    .blend = ES_BLEND_LINEAR,
                    .count = COUNT,
                    .components = 2,
                    .offset = offsetof(many, pairs),
                    .stride = 16},
            {.name = "tiles",
                    .type = ES_TYPE_F32,
                    .blend = ES_BLEND_LINEAR,
                    .count = COUNT,
                    .components = 2,
                    .offset = offsetof(many, tiles),
                    .stride = 4,
                    .component_stride = sizeof(float[TILE]),
                    .tile = TILE,
                    .tile_stride = sizeof(float[2][TILE])},
    };
    const es_layout layout = ES_LAYOUT(many, fields);
    static const double delta[2] = {0.25, -3};
    assert_int_equal(es_layout_validate(&layout, NULL), ES_OK);
    size_t size = es_history_memory_size(sizeof(many), 2);
    void *block = test_alloc_64(size);
    es_history h;
    assert_int_equal(es_history_init(&h, block, size, sizeof(many), 2), ES_OK);
    for (size_t f = 0; f < 3; ++f) {
        assert_int_equal(es_history_shift_all(&h, &layout, fields[f].name, delta, 2), ES_OK);
    }
    for (int age = 0; age < 2; ++age) {
        const many *m = age == 0 ? es_history_current(&h) : es_history_previous(&h);
        for (size_t i = 0; i < COUNT; ++i) {
            for (size_t c = 0; c < 2; ++c) {
                assert_true((double)m->planes[c][i] == delta[c]);
                assert_true(m->pairs[i][c] == delta[c]);
                assert_true((double)m->tiles[i / TILE][c][i % TILE] == delta[c]);
            }
        }
        for (size_t i = COUNT % TILE; i < TILE; ++i) {
            assert_true(m->tiles[3][0][i] == 0 && m->tiles[3][1][i] == 0);
        }
    }
    test_free_64(block);
}

/* --- everything in any order ------------------------------------------------------------------ */

/* The history as plain copies, by age. What is beyond count is kept too: next hands it out. */
typedef struct model {
    int32_t ticks;
    int32_t count;
    world states[ES_HISTORY_TICKS_MAX];
    int64_t indices[ES_HISTORY_TICKS_MAX];
    int64_t times_ns[ES_HISTORY_TICKS_MAX];
} model;

static void model_grow_older(model *m, const es_step *step)
{
    int64_t length_ns = m->count > 1 ? m->times_ns[0] - m->times_ns[1] : 0;
    for (int32_t age = m->ticks - 1; age > 0; --age) {
        memcpy(&m->states[age], &m->states[age - 1], sizeof(world));
        m->indices[age] = m->indices[age - 1];
        m->times_ns[age] = m->times_ns[age - 1];
    }
    m->indices[0] = step != NULL ? step->index : m->indices[0] + 1;
    m->times_ns[0] = step != NULL ? step->time_ns : m->times_ns[0] + length_ns;
    m->count = m->count < m->ticks ? m->count + 1 : m->ticks;
}

static void model_next(model *m, const es_step *step)
{
    world oldest;
    memcpy(&oldest, &m->states[m->ticks - 1], sizeof oldest);
    model_grow_older(m, step);
    memcpy(&m->states[0], &oldest, sizeof oldest);
}

static void model_reset(model *m, int64_t tick, int64_t time_ns)
{
    memcpy(&m->states[1], &m->states[0], sizeof(world));
    m->indices[0] = tick;
    m->times_ns[0] = time_ns;
    m->count = 1;
}

/* What is older and seen. */
static int32_t model_older(const model *m)
{
    return m->count > 1 ? m->count : 2;
}

static void model_snap(model *m, const es_field *field, size_t element)
{
    for (size_t c = 0; c < field->components; ++c) {
        size_t at = es_field_at(field, element, c);
        for (int32_t age = 1; age < model_older(m); ++age) {
            memcpy((unsigned char *)&m->states[age] + at, (unsigned char *)&m->states[0] + at,
                    ES_TYPE_SIZE(field->type));
        }
    }
}

static void model_snap_group(model *m, const es_field *field, size_t element)
{
    for (size_t f = 0; f < WORLD_FIELDS; ++f) {
        const es_field *other = &world_fields[f];
        if (other == field || (field->blend == ES_BLEND_MARK && other->group == field->group)) {
            model_snap(m, other, element);
        }
    }
}

static void model_shift(model *m, const es_field *field, size_t element, const double *delta)
{
    for (size_t c = 0; c < field->components; ++c) {
        for (int32_t age = 0; age < model_older(m); ++age) {
            unsigned char *at = (unsigned char *)&m->states[age] + es_field_at(field, element, c);
            float f32;
            double f64;
            if (field->type == ES_TYPE_F32) {
                memcpy(&f32, at, sizeof f32);
                f32 = (float)((double)f32 + delta[c]);
                memcpy(at, &f32, sizeof f32);
            } else {
                memcpy(&f64, at, sizeof f64);
                f64 += delta[c];
                memcpy(at, &f64, sizeof f64);
            }
        }
    }
}

static void check_model(const model *m, const es_history *h)
{
    assert_int_equal(es_history_count(h), m->count);
    assert_memory_equal(es_history_current(h), &m->states[0], sizeof(world));
    assert_memory_equal(es_history_previous(h), &m->states[1], sizeof(world));
    for (int32_t age = 0; age < m->count; ++age) {
        assert_memory_equal(es_history_tick(h, age), &m->states[age], sizeof(world));
        assert_int_equal(es_history_index(h, age), m->indices[age]);
        assert_int_equal(es_history_time_ns(h, age), m->times_ns[age]);
    }
    assert_null(es_history_tick(h, m->count));
    bool single = m->count == 1;
    es_frame frame = frame_of(single ? m->indices[0] : m->indices[1], m->indices[0], m->indices[0]);
    assert_true(es_history_matches(h, &frame));
}

/* One random call of the kinds that make a tick, or forget all. */
static void tick_both(test_random *random, model *m, es_history *h)
{
    unsigned char *current = es_history_current(h);
    es_step given = step_of(m->indices[0] + 1, m->times_ns[0] + random_below(random, 100));
    const es_step *step = random_below(random, 2) == 0 ? NULL : &given;
    int64_t call = random_below(random, 20);
    if (call == 0) {
        model_reset(m, given.index + 100, given.time_ns);
        es_history_reset(h, given.index + 100, given.time_ns);
    } else if (call < 10) {
        model_grow_older(m, step);
        assert_ptr_equal(es_history_push(h, step), current);
    } else {
        model_next(m, step);
        const void *next = es_history_next(h, step);
        assert_ptr_equal(next, es_history_current(h));
        assert_ptr_equal(es_history_previous(h), current);
    }
}

static void change_past_of_both(test_random *random, model *m, es_history *h)
{
    const es_field *field = &world_fields[random_below(random, WORLD_FIELDS)];
    size_t element = (size_t)random_below(random, (int64_t)field->count);
    double delta[4];
    for (int i = 0; i < 4; ++i) {
        delta[i] = (double)float_below(random, 100000) / 3.0 - 200.0;
    }
    bool is_float = field->type == ES_TYPE_F32 || field->type == ES_TYPE_F64;
    es_result expected = is_float ? ES_OK : ES_ERR_INVALID;
    int64_t call = random_below(random, 3);
    if (call == 0) {
        model_snap_group(m, field, element);
        assert_int_equal(es_history_snap(h, &world_layout, field->name, element), ES_OK);
    } else if (call == 1) {
        if (is_float) {
            model_shift(m, field, element, delta);
        }
        assert_int_equal(
                es_history_shift(h, &world_layout, field->name, element, delta, field->components),
                expected);
    } else {
        for (size_t i = 0; is_float && i < field->count; ++i) {
            model_shift(m, field, i, delta);
        }
        assert_int_equal(
                es_history_shift_all(h, &world_layout, field->name, delta, field->components),
                expected);
    }
}

static void test_any_order(void **state)
{
    (void)state;
    test_random random = {0xB5B6};
    static model m;
    es_history h;
    for (int32_t ticks = ES_HISTORY_TICKS_MIN; ticks <= ES_HISTORY_TICKS_MAX; ++ticks) {
        memset(&m, 0, sizeof m);
        m.ticks = ticks;
        m.count = 1;
        init_worlds(&h, ticks);
        for (int i = 0; i < 20000; ++i) {
            int64_t call = random_below(&random, 10);
            if (call < 5) {
                tick_both(&random, &m, &h);
            } else if (call < 7) {
                fill(&random, &m.states[0]);
                memcpy(es_history_current(&h), &m.states[0], sizeof(world));
            } else {
                change_past_of_both(&random, &m, &h);
            }
            check_model(&m, &h);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
            cmocka_unit_test(test_memory_size),
            cmocka_unit_test(test_memory_size_when_huge),
            cmocka_unit_test(test_init_errors),
            cmocka_unit_test(test_slots),
            cmocka_unit_test(test_memory_that_is_less_aligned),
            cmocka_unit_test(test_push_and_reset),
            cmocka_unit_test(test_next),
            cmocka_unit_test(test_count_and_ages),
            cmocka_unit_test(test_times),
            cmocka_unit_test(test_matches_with_a_lead),
            cmocka_unit_test(test_paced_frames),
            cmocka_unit_test(test_host_frames),
            cmocka_unit_test(test_seeks),
            cmocka_unit_test(test_capture_per_frame_is_found_out),
            cmocka_unit_test(test_size_as_a_constant),
            cmocka_unit_test(test_the_worlds_layout),
            cmocka_unit_test(test_snap_and_shift_errors),
            cmocka_unit_test(test_a_spawn),
            cmocka_unit_test(test_a_portal),
            cmocka_unit_test(test_a_shift_after_a_reset),
            cmocka_unit_test(test_large_shifts),
            cmocka_unit_test(test_any_order),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
