/* SPDX-License-Identifier: Zlib
 *
 * The two newest ticks: memory, errors, and capture per tick, driven by a real loop.
 */
#include "evenstep/history.h"

#include <stdlib.h>
#include <string.h>

#include "evenstep/loop.h"
#include "test_support.h"

static _Alignas(64) unsigned char memory[4096];

/* --- memory ----------------------------------------------------------------------------------- */

static void test_memory_size(void **state)
{
    (void)state;
    assert_int_equal(es_history_memory_size(1), 128);
    assert_int_equal(es_history_memory_size(63), 128);
    assert_int_equal(es_history_memory_size(64), 128);
    assert_int_equal(es_history_memory_size(65), 256);
    assert_int_equal(es_history_memory_size(1000), 2048);
}

/* Near the end of size_t the answer is 0 or enough, never a small number that has wrapped. */
static void test_memory_size_when_huge(void **state)
{
    (void)state;
    assert_int_equal(es_history_memory_size(SIZE_MAX), 0);
    assert_int_equal(es_history_memory_size(SIZE_MAX - 63), 0);
    assert_int_equal(es_history_memory_size(SIZE_MAX / 2 + 1), 0);
    assert_true(es_history_memory_size(SIZE_MAX / 4) >= SIZE_MAX / 4 * 2);
    for (size_t more = 1; more < 200; ++more) {
        assert_int_equal(es_history_memory_size(SIZE_MAX / 2 + more), 0);
        assert_int_equal(es_history_memory_size(SIZE_MAX - more), 0);
        assert_int_equal(es_history_memory_size(SIZE_MAX / 4 * 3 + more), 0);
    }
    for (size_t back = 0; back < 200; ++back) {
        size_t state_size = SIZE_MAX / 2 - back;
        size_t size = es_history_memory_size(state_size);
        assert_true(size == 0 || size / 2 >= state_size);
    }
}

static void check_init_fails(void *at, size_t size, size_t state_size, es_result expected)
{
    es_history history;
    es_history before;
    memset(&history, 0x5A, sizeof history);
    before = history;
    assert_int_equal(es_history_init(&history, at, size, state_size), expected);
    assert_memory_equal(&history, &before, sizeof history);
}

static void test_init_errors(void **state)
{
    (void)state;
    assert_int_equal(es_history_init(NULL, memory, sizeof memory, 8), ES_ERR_INVALID);
    check_init_fails(NULL, sizeof memory, 8, ES_ERR_INVALID);
    check_init_fails(memory, sizeof memory, 0, ES_ERR_INVALID);
    check_init_fails(memory, 127, 8, ES_ERR_SPACE);
    check_init_fails(memory, 0, 8, ES_ERR_SPACE);
    check_init_fails(memory, 128, 65, ES_ERR_SPACE);
    check_init_fails(memory, sizeof memory, SIZE_MAX, ES_ERR_SPACE);
    check_init_fails(memory, SIZE_MAX, SIZE_MAX, ES_ERR_SPACE);
    check_init_fails(memory, SIZE_MAX, SIZE_MAX / 2 + 1, ES_ERR_SPACE);
    es_history history;
    assert_int_equal(es_history_init(&history, memory, 128, 64), ES_OK);
}

/* Both states: on cache lines of their own, inside the memory, apart, and zero. The memory is
 * exactly as large as asked for, so that the sanitizer sees a byte too many. */
static void check_slots(size_t state_size)
{
    size_t size = es_history_memory_size(state_size);
    unsigned char *block = aligned_alloc(64, size);
    assert_non_null(block);
    memset(block, 0xEE, size);
    es_history history;
    assert_int_equal(es_history_init(&history, block, size, state_size), ES_OK);
    unsigned char *current = es_history_current(&history);
    unsigned char *previous = es_history_previous(&history);
    assert_ptr_equal(current, block);
    assert_true(previous >= current + state_size);
    assert_true(previous + state_size <= block + size);
    assert_int_equal((uintptr_t)current % 64, 0);
    assert_int_equal((uintptr_t)previous % 64, 0);
    for (size_t i = 0; i < state_size; ++i) {
        assert_int_equal(current[i], 0);
        assert_int_equal(previous[i], 0);
    }
    memset(current, 1, state_size);
    assert_ptr_equal(es_history_push(&history, NULL), current);
    assert_memory_equal(previous, current, state_size);
    memset(current, 2, state_size);
    assert_int_equal(previous[0], 1);
    assert_int_equal(previous[state_size - 1], 1);
    free(block);
}

static void test_slots(void **state)
{
    (void)state;
    static const size_t sizes[] = {1, 4, 63, 64, 65, 127, 128, 129, 1000, 4096, 100001};
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; ++i) {
        check_slots(sizes[i]);
    }
}

/* Memory from elsewhere may be aligned for the state only: distances stay multiples of 64. */
static void test_memory_that_is_less_aligned(void **state)
{
    (void)state;
    es_history history;
    assert_int_equal(es_history_init(&history, memory + 16, 256, 65), ES_OK);
    assert_ptr_equal(es_history_current(&history), memory + 16);
    assert_ptr_equal(es_history_previous(&history), memory + 16 + 128);
}

/* --- push and reset, by hand ------------------------------------------------------------------ */

/* A frame with this pair of ticks. */
static es_frame frame_of(int64_t previous_tick, int64_t current_tick)
{
    es_frame frame;
    memset(&frame, 0, sizeof frame);
    frame.previous_tick = previous_tick;
    frame.current_tick = current_tick;
    return frame;
}

static void check_pair(const es_history *history, int64_t previous_tick, int64_t current_tick)
{
    es_frame right = frame_of(previous_tick, current_tick);
    es_frame wrong_previous = frame_of(previous_tick - 1, current_tick);
    es_frame wrong_current = frame_of(previous_tick, current_tick + 1);
    assert_true(es_history_matches(history, &right));
    assert_false(es_history_matches(history, &wrong_previous));
    assert_false(es_history_matches(history, &wrong_current));
}

static void test_push_and_reset(void **state)
{
    (void)state;
    es_history history;
    assert_int_equal(es_history_init(&history, memory, sizeof memory, sizeof(int)), ES_OK);
    int *current = es_history_current(&history);
    int *previous = es_history_previous(&history);
    check_pair(&history, 0, 0);
    *current = 10;
    es_history_reset(&history, 0);
    assert_int_equal(*previous, 10);
    check_pair(&history, 0, 0);

    es_step step = {0};
    step.index = 1;
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
    es_history_reset(&history, 77);
    assert_int_equal(*current, 500);
    assert_int_equal(*previous, 500);
    check_pair(&history, 77, 77);

    step.index = 78;
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
    int frames_of[3]; /* with no tick, one, many */
} rig;

static void set_up(rig *r, const es_loop_config *config)
{
    memset(r, 0, sizeof *r);
    es_loop_config with_clock = *config;
    with_clock.clock = es_manual_clock_get(&r->manual);
    assert_int_equal(es_loop_init(&r->loop, &with_clock, NULL), ES_OK);
    assert_int_equal(es_history_init(&r->history, memory, sizeof memory, sizeof(mover)), ES_OK);
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
        mover *m = es_history_push(&r->history, &step);
        assert_ptr_equal(m, es_history_current(&r->history));
        move(m, &step);
        ticks += 1;
    }
    r->frames_of[ticks < 2 ? ticks : 2] += 1;
}

/* B5: the frame's two ticks are those held, neighbours, and not the same picture. */
static void check_frame(const rig *r, const es_frame *frame)
{
    const mover *current = es_history_current(&r->history);
    const mover *previous = es_history_previous(&r->history);
    assert_true(es_history_matches(&r->history, frame));
    assert_int_equal(current->tick, frame->current_tick);
    assert_int_equal(previous->tick, frame->previous_tick);
    if (frame->current_tick > 0) {
        assert_int_equal(current->tick, previous->tick + 1);
        assert_true(current->x > previous->x);
        assert_int_not_equal(current->trail[199], previous->trail[199]);
        assert_int_equal(previous->trail[0], previous->trail[199]);
    }
}

/* Frames of the loop's own pacing; drawing takes 0 to 70 ms, so intervals come and go. */
static void test_paced_frames(void **state)
{
    (void)state;
    test_random random = {0x1234567};
    es_loop_config config = {0};
    config.tick_rate = es_hz(60);
    config.interval_ns = 5 * ES_NS_PER_MS;
    rig r;
    set_up(&r, &config);
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
    es_loop_config config = {0};
    config.tick_rate = es_rate_make(60000, 1001);
    rig r;
    set_up(&r, &config);
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
    es_loop_config config = {0};
    config.tick_rate = es_hz(100);
    config.interval_ns = 7 * ES_NS_PER_MS;
    rig r;
    set_up(&r, &config);
    for (int i = 0; i < 1000; ++i) {
        es_frame frame;
        if (i % 10 == 9) {
            int64_t tick = random_below(&random, 5000);
            mover *m = es_history_current(&r.history);
            assert_int_equal(es_loop_seek(&r.loop, tick), ES_OK);
            m->tick = tick;
            m->x = (double)tick;
            memset(m->trail, (int)(tick % 251), sizeof m->trail);
            es_history_reset(&r.history, tick);
            assert_memory_equal(es_history_previous(&r.history), m, sizeof *m);
            frame = frame_of(tick, tick);
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
    es_loop_config config = {0};
    config.tick_rate = es_hz(100);
    config.interval_ns = 25 * ES_NS_PER_MS;
    rig r;
    set_up(&r, &config);
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
    set_up(&r, &config);
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
    assert_int_equal(ES_HISTORY_SIZE(struct one), es_history_memory_size(1));
    assert_int_equal(ES_HISTORY_SIZE(struct odd), es_history_memory_size(65));
    assert_int_equal(ES_HISTORY_SIZE(struct even), es_history_memory_size(128));
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
            cmocka_unit_test(test_paced_frames),
            cmocka_unit_test(test_host_frames),
            cmocka_unit_test(test_seeks),
            cmocka_unit_test(test_capture_per_frame_is_found_out),
            cmocka_unit_test(test_size_as_a_constant),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
