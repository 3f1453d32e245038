/* SPDX-License-Identifier: Zlib
 *
 * Where ticks are on the clock (es_step.due_ns, begun_ns): under every loop, delay and lead, with
 * time scales, pauses, lost time, gaps and hosts, and from a thread of their own. What a tick
 * stands for is held against the account of the frames, which says where content is.
 */
#include "test_support.h"

#include "loop/content.h"
#include "loop/ticker.h"
#include "evenstep/loop.h"
#include "evenstep/threaded.h"

#include <stdlib.h>
#include <string.h>

#define MS ES_NS_PER_MS
#define S  ES_NS_PER_S

enum { STEPS = 64 };

typedef struct scene {
    es_manual_clock clock;
    es_loop loop;
    es_frame frame;
    es_step steps[STEPS]; /* of the last frame */
    int32_t count;
    int64_t cost_ns;  /* of a tick */
    int64_t block_ns; /* present */
} scene;

static void start(scene *s, const char *name, es_rate rate, double delay, int32_t lead)
{
    es_loop_config config = {0};
    es_error error = {0};
    memset(s, 0, sizeof *s);
    s->clock.now_ns = 5 * S;
    s->block_ns = 2 * MS;
    if (name != NULL) {
        assert_int_equal(es_loop_config_named(name, &config), ES_OK);
    }
    config.clock = es_manual_clock_get(&s->clock);
    config.tick_rate = rate;
    config.delay_ticks = delay;
    config.lead_ticks = lead;
    if (es_loop_init(&s->loop, &config, &error) != ES_OK) {
        fail_msg("%s %s", error.field, error.reason);
    }
}

static void run_ticks(scene *s)
{
    es_step step;
    s->count = 0;
    while (es_loop_tick(&s->loop, &step)) {
        assert_int_equal(step.begun_ns, s->clock.now_ns);
        s->steps[s->count++ % STEPS] = step;
        es_manual_clock_work(&s->clock, s->cost_ns);
    }
}

static void run_frame(scene *s)
{
    assert_int_equal(es_loop_begin(&s->loop), ES_OK);
    run_ticks(s);
    assert_int_equal(es_loop_ready(&s->loop, &s->frame), ES_OK);
    es_loop_submit(&s->loop);
    s->clock.now_ns += s->block_ns;
    es_loop_end(&s->loop);
}

static void assert_near(int64_t a, int64_t b, int64_t within)
{
    if (a < b - within || a > b + within) {
        fail_msg("%lld is not within %lld of %lld", (long long)a, (long long)within, (long long)b);
    }
}

/* Where content, a delay left aside, is at the frame's D. clamped_ns is what it shows less. */
static int64_t reading_ns(const es_frame *frame)
{
    return frame->content_ns + frame->account.delay_ns + frame->account.clamped_ns - frame->offset_ns;
}

/* What is not on the line: on a display, D is off it by what is won back. */
static int64_t line_ns(const es_frame *frame)
{
    return frame->present_ns - frame->offset_ns;
}

static void check_steps(const scene *s, int64_t within)
{
    for (int32_t i = 0; i < s->count && i < STEPS; ++i) {
        int64_t ahead_ns = s->steps[i].time_ns - reading_ns(&s->frame);
        assert_near(s->steps[i].due_ns, line_ns(&s->frame) + ahead_ns, within);
    }
}

static void test_content_passes_a_tick_when_it_is_due(void **state)
{
    (void)state;
    static const char *const names[] = {
            NULL, "auto", "low-latency", "adaptive", "decoupled", "max-frameskip"};
    for (size_t n = 0; n < sizeof names / sizeof *names; ++n) {
        for (int32_t lead = -1; lead <= 2; ++lead) {
            for (int delay = 0; delay <= 2; ++delay) {
                scene s;
                start(&s, names[n], es_rate_make(60000, 1001), delay, lead);
                int64_t ticks = 0;
                s.block_ns = 7 * MS;
                for (int i = 0; i < 400; ++i) {
                    run_frame(&s);
                    check_steps(&s, 1);
                    ticks += s.count;
                }
                assert_true(ticks > 100);
            }
        }
    }
}

static void test_one_step_a_frame_is_due_when_it_is_seen(void **state)
{
    (void)state;
    static const char *const names[] = {"lockstep", "variable"};
    for (size_t n = 0; n < 2; ++n) {
        scene s;
        start(&s, names[n], es_hz(50), 0.0, 0);
        for (int i = 0; i < 100; ++i) {
            s.block_ns = (1 + i % 7) * 5 * MS;
            run_frame(&s);
            assert_int_equal(s.count, i > 0 ? 1 : 0);
            if (s.count > 0) {
                assert_near(s.steps[0].due_ns, s.frame.present_ns, 1);
            }
        }
    }
}

static void test_slow_motion_spreads_ticks(void **state)
{
    (void)state;
    scene s;
    start(&s, "adaptive", es_hz(60), 1.0, 1);
    run_frame(&s);
    assert_int_equal(es_loop_set_time_scale(&s.loop, (es_ratio){1, 4}), ES_OK);
    int64_t last_ns = 0;
    int64_t spans = 0;
    for (int i = 0; i < 400; ++i) {
        run_frame(&s);
        for (int32_t k = 0; k < s.count; ++k) {
            if (i > 0 && last_ns != 0) {
                assert_near(s.steps[k].due_ns - last_ns, s.steps[k].dt_ns * 4, 4);
                spans += 1;
            }
            last_ns = s.steps[k].due_ns;
        }
    }
    assert_true(spans > 90);
    /* the tick whose time a picture reaches is due at D, and one of delay later in its own time */
    int64_t due_ns = s.frame.present_ns + 4 * (s.frame.newest_ns - reading_ns(&s.frame));
    assert_near(last_ns, due_ns, 4);
}

static void test_a_pause_moves_what_comes_after(void **state)
{
    (void)state;
    scene s;
    start(&s, "adaptive", es_hz(60), 0.0, 0);
    for (int i = 0; i < 50; ++i) {
        run_frame(&s);
    }
    es_step before = s.steps[s.count - 1];
    int64_t stops_ns = s.frame.present_ns;
    es_loop_pause(&s.loop, true);
    for (int i = 0; i < 100; ++i) {
        run_frame(&s);
        assert_int_equal(s.count, 0);
    }
    es_loop_pause(&s.loop, false);
    int64_t stood_ns = s.frame.present_ns - stops_ns;
    assert_true(stood_ns > S);
    while (run_frame(&s), s.count == 0) {
    }
    int64_t ticks = s.steps[0].index - before.index;
    int64_t passed_ns = s.steps[0].time_ns - before.time_ns;
    assert_int_equal(ticks, 1);
    assert_near(s.steps[0].due_ns - before.due_ns, passed_ns + stood_ns, 1);
}

static void test_a_single_step_is_due_when_it_is_seen(void **state)
{
    (void)state;
    scene s;
    start(&s, "adaptive", es_hz(60), 1.0, 0);
    for (int i = 0; i < 20; ++i) {
        run_frame(&s);
    }
    es_loop_pause(&s.loop, true);
    run_frame(&s);
    es_loop_step_once(&s.loop);
    run_frame(&s);
    assert_int_equal(s.count, 1);
    assert_int_equal(s.steps[0].due_ns, s.frame.present_ns);
}

/* Dropped time is no tick's: those after it stand for later instants. */
static void test_lost_time_moves_what_comes_after(void **state)
{
    (void)state;
    scene s;
    start(&s, "adaptive", es_hz(60), 0.0, 0);
    for (int i = 0; i < 20; ++i) {
        run_frame(&s);
    }
    es_step before = s.steps[s.count - 1];
    int64_t dropped_before_ns = s.frame.account.dropped_ns;
    s.block_ns = 700 * MS;
    run_frame(&s);
    s.block_ns = 2 * MS;
    run_frame(&s);
    for (int i = 0; i < 5; ++i) {
        run_frame(&s);
        check_steps(&s, 1);
    }
    int64_t lost_ns = s.frame.account.dropped_ns - dropped_before_ns;
    assert_true(lost_ns > 400 * MS);
    const es_step *last = &s.steps[s.count - 1];
    assert_near(last->due_ns - before.due_ns, last->time_ns - before.time_ns + lost_ns, 1);
}

static void test_a_gap_moves_what_comes_after(void **state)
{
    (void)state;
    scene s;
    for (int back = 0; back < 2; ++back) {
        start(&s, "adaptive", es_hz(60), 0.0, 0);
        for (int i = 0; i < 20; ++i) {
            run_frame(&s);
        }
        es_step before = s.steps[s.count - 1];
        s.clock.now_ns += back ? -3 * S : 100 * S;
        run_frame(&s);
        int64_t removed_ns = s.frame.gap.removed_ns;
        assert_true(back ? removed_ns < -2 * S : removed_ns > 98 * S);
        while (run_frame(&s), s.count == 0) {
        }
        const es_step *last = &s.steps[s.count - 1];
        assert_near(last->due_ns - before.due_ns, last->time_ns - before.time_ns + removed_ns, 1);
    }
}

static void test_a_host_counts_on_its_own_clock(void **state)
{
    (void)state;
    scene s;
    start(&s, NULL, es_hz(60), 0.0, 0);
    int64_t host_ns = 1000 * S;
    int64_t ticks = 0;
    for (int i = 0; i < 100; ++i) {
        es_step step;
        host_ns += 11 * MS;
        assert_true(es_loop_begin_host(&s.loop, host_ns, host_ns + 20 * MS));
        while (es_loop_tick(&s.loop, &step)) {
            assert_int_equal(step.begun_ns, host_ns);
            assert_int_equal(step.due_ns, 1000 * S + 31 * MS + step.time_ns);
            ticks += 1;
        }
        es_loop_ready(&s.loop, NULL);
        es_loop_end(&s.loop);
    }
    assert_true(ticks > 60);
}

/* The ticks of another thread stand for the same instants: a delay of one tick, frames 16 ms apart
 * from 5 s on, their content at D - 1 period. */
static void count_in_another_thread(es_aim aim)
{
    static es_threaded threaded;
    es_manual_clock clock = {.now_ns = 5 * S};
    es_threaded_config config = {.state_size = 8};
    config.loop.clock = es_manual_clock_get(&clock);
    config.loop.pace = ES_PACE_ADAPTIVE;
    config.loop.aim = aim;
    config.loop.interval_ns = 16 * MS;
    config.loop.tick_rate = es_hz(50);
    size_t size = es_threaded_memory_size(&config);
    void *memory = malloc(size);
    void *first = NULL;
    assert_non_null(memory);
    assert_int_equal(es_threaded_init(&threaded, &config, memory, size, NULL), ES_OK);
    assert_int_equal(es_threaded_tick_seek(&threaded, 0, &first), ES_OK);
    assert_int_equal(es_threaded_tick_end(&threaded), ES_OK);
    int64_t ticks = 0;
    int64_t from_ns = 5 * S;
    for (int i = 0; i < 400; ++i) {
        es_threaded_tick tick;
        if (i == 200) {
            assert_int_equal(es_threaded_set_time_scale(&threaded, (es_ratio){1, 2}), ES_OK);
        }
        es_threaded_begin(&threaded);
        es_threaded_ready(&threaded, NULL);
        while (es_threaded_tick_begin(&threaded, &tick)) {
            assert_int_equal(tick.step.begun_ns, clock.now_ns);
            if (tick.step.index > 2 && i < 200) {
                assert_int_equal(tick.step.due_ns, from_ns + tick.step.time_ns);
            } else if (i > 201) {
                const es_frame *frame = &es_threaded_report(&threaded)->frame;
                int64_t content_ns = frame->content_ns + 20 * MS;
                int64_t ahead_ns = tick.step.time_ns - content_ns;
                assert_near(tick.step.due_ns, frame->present_ns + 2 * ahead_ns, 4);
            }
            ticks += 1;
            es_threaded_tick_end(&threaded);
        }
        es_threaded_submit(&threaded);
        es_threaded_end(&threaded);
    }
    assert_true(ticks > 200);
    free(memory);
}

/* Where ticks of another thread lose time, the one that finds it stands after what was lost: the
 * next one is a period later. */
static void test_another_thread_loses_time(void **state)
{
    (void)state;
    static es_threaded threaded;
    es_manual_clock clock = {.now_ns = 5 * S};
    es_threaded_config config = {.state_size = 8};
    es_threaded_tick tick, next;
    void *first = NULL;
    config.loop.clock = es_manual_clock_get(&clock);
    config.loop.pace = ES_PACE_UNCAPPED;
    config.loop.tick_rate = es_hz(50);
    size_t size = es_threaded_memory_size(&config);
    void *memory = malloc(size);
    assert_non_null(memory);
    assert_int_equal(es_threaded_init(&threaded, &config, memory, size, NULL), ES_OK);
    assert_int_equal(es_threaded_tick_seek(&threaded, 0, &first), ES_OK);
    assert_int_equal(es_threaded_tick_end(&threaded), ES_OK);
    for (int i = 0; i < 40; ++i) { /* the ticks do not run: their thread has stalled */
        clock.now_ns += 10 * MS;
        es_threaded_begin(&threaded);
        es_threaded_ready(&threaded, NULL);
        es_threaded_submit(&threaded);
        es_threaded_end(&threaded);
    }
    assert_true(es_threaded_tick_begin(&threaded, &tick));
    assert_true(tick.dropped_ns > 200 * MS);
    es_threaded_tick_end(&threaded);
    assert_true(es_threaded_tick_begin(&threaded, &next));
    assert_int_equal(next.dropped_ns, 0);
    assert_int_equal(next.step.due_ns - tick.step.due_ns, 20 * MS);
    free(memory);
}

static void test_another_thread_counts_the_same(void **state)
{
    (void)state;
    count_in_another_thread(ES_AIM_START);
    count_in_another_thread(ES_AIM_BEGIN); /* a frame is seen before it starts */
}

/* The instant of what is there at an instant is that instant: at every speed, slow motion too. */
static void test_instants_and_content_are_each_others_inverse(void **state)
{
    (void)state;
    const es_ratio scales[] = {{1, 1}, {1, 4}, {5, 2}};
    for (size_t n = 0; n < 3; ++n) {
        es_content content;
        es_account account;
        es_content_config config = {.delay_ns = 20 * MS, .slows = true};
        assert_int_equal(es__content_init(&content, &config), ES_OK);
        assert_int_equal(es__content_set_scale(&content, scales[n]), ES_OK);
        es__content_close(&content, 0, 0, &account);
        for (int64_t at_ns = 16 * MS; at_ns < 400 * MS; at_ns += 16 * MS) {
            es__content_ease(&content, 10 * MS, 20 * MS); /* half of what is wanted */
            es__content_slow(&content, at_ns, 2 * MS);
            int64_t shown_ns = es__content_at(&content, at_ns);
            es__content_close(&content, at_ns, shown_ns, &account);
            int64_t later_ns = es__content_due_at(&content, at_ns + 50 * MS);
            int64_t found_ns = es__content_instant_ns(&content, at_ns + 16 * MS, later_ns + 20 * MS);
            assert_near(found_ns, at_ns + 50 * MS, 20);
        }
        assert_true(content.slow.numerator < content.slow.denominator);
    }
}

static void test_a_ticker_on_its_own_says_nothing(void **state)
{
    (void)state;
    es_ticker ticker;
    es_step step;
    memset(&step, 0x55, sizeof step);
    assert_int_equal(es__ticker_init(&ticker, es_hz(60), 10), ES_OK);
    assert_true(es__ticker_next(&ticker, 1, &step));
    assert_int_equal(step.due_ns, 0);
    assert_int_equal(step.begun_ns, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
            cmocka_unit_test(test_content_passes_a_tick_when_it_is_due),
            cmocka_unit_test(test_one_step_a_frame_is_due_when_it_is_seen),
            cmocka_unit_test(test_slow_motion_spreads_ticks),
            cmocka_unit_test(test_a_pause_moves_what_comes_after),
            cmocka_unit_test(test_a_single_step_is_due_when_it_is_seen),
            cmocka_unit_test(test_lost_time_moves_what_comes_after),
            cmocka_unit_test(test_a_gap_moves_what_comes_after),
            cmocka_unit_test(test_a_host_counts_on_its_own_clock),
            cmocka_unit_test(test_another_thread_counts_the_same),
            cmocka_unit_test(test_another_thread_loses_time),
            cmocka_unit_test(test_instants_and_content_are_each_others_inverse),
            cmocka_unit_test(test_a_ticker_on_its_own_says_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
