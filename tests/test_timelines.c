/* SPDX-License-Identifier: Zlib
 *
 * Rule A1 against the timelines T1 to T4, through the public calls, every value exact.
 */
#include "test_support.h"

#include "evenstep/loop.h"

#include <stdio.h>
#include <string.h>

#define MS(x) ((int64_t)((x)*1000000.0 + 0.5))

enum { FRAMES_MAX = 16 };

/* A loop with given costs; everything it did is kept. */
typedef struct script {
    es_loop_config config;
    int64_t render_ns[FRAMES_MAX];
    int64_t update_ns;
    int64_t present_ns;
    es_manual_clock clock;
    es_loop loop;
    es_frame frames[FRAMES_MAX];
    int64_t drawn_ns[FRAMES_MAX];
    int64_t update_begin_ns[64];
    int updates;
    char text[512];
} script;

static void start(script *s)
{
    memset(s, 0, sizeof *s);
    s->config.tick_rate = es_rate_from_period_ns(MS(5));
    s->config.interval_ns = MS(16);
    s->update_ns = MS(1);
    for (int i = 0; i < FRAMES_MAX; ++i) {
        s->render_ns[i] = MS(3);
    }
}

static void note(script *s, const char *what, int64_t ns)
{
    size_t length = strlen(s->text);
    snprintf(s->text + length, sizeof s->text - length, "%s%s%g", length > 0 ? " " : "", what,
            (double)ns / 1e6);
}

static void run_frame(script *s, int index)
{
    es_step step;
    assert_int_equal(es_loop_begin(&s->loop), ES_OK);
    while (es_loop_tick(&s->loop, &step)) {
        note(s, "U", step.time_ns);
        s->update_begin_ns[s->updates++] = s->clock.now_ns;
        es_manual_clock_work(&s->clock, s->update_ns);
    }
    es_frame *frame = &s->frames[index];
    assert_int_equal(es_loop_ready(&s->loop, frame), ES_OK);
    if (index > 0) {
        note(s, "W", frame->content_ns);
    }
    note(s, "R", frame->content_ns);
    s->drawn_ns[index] = s->clock.now_ns;
    es_manual_clock_work(&s->clock, s->render_ns[index]);
    assert_int_equal(es_loop_submit(&s->loop), ES_OK);
    s->clock.now_ns += s->present_ns;
    assert_int_equal(es_loop_end(&s->loop), ES_OK);
}

static void run(script *s, int frames)
{
    s->config.clock = es_manual_clock_get(&s->clock);
    s->config.pace = ES_PACE_ADAPTIVE;
    assert_int_equal(es_loop_init(&s->loop, &s->config, NULL), ES_OK);
    for (int i = 0; i < frames; ++i) {
        run_frame(s, i);
    }
}

typedef struct expected {
    double actual_ms;
    double content_ms;
    double alpha;
    double interval_ms;
    double dropped_ms;
    int ticks;
} expected;

static void check_frames(const script *s, const expected *rows, int count)
{
    for (int i = 0; i < count; ++i) {
        const es_frame *frame = &s->frames[i];
        assert_int_equal(frame->index, i);
        assert_int_equal(s->drawn_ns[i], MS(rows[i].actual_ms));
        assert_int_equal(frame->start_ns, MS(rows[i].actual_ms));
        assert_int_equal(frame->present_ns, MS(rows[i].actual_ms));
        assert_int_equal(frame->content_ns, MS(rows[i].content_ms));
        assert_true(frame->alpha == rows[i].alpha);
        assert_int_equal(frame->interval_ns, MS(rows[i].interval_ms));
        assert_int_equal(frame->dropped_ns, MS(rows[i].dropped_ms));
        assert_int_equal(frame->ticks, rows[i].ticks);
        assert_int_equal(frame->late_ns, 0);
        assert_int_equal(frame->gap.kind, ES_GAP_NONE);
    }
}

static void t1_even_frames(void **state)
{
    static script s;
    const expected rows[] = {
            {0, 0, 1.0, 16, 0, 0}, {16, 16, 0.2, 16, 0, 4}, {32, 32, 0.4, 16, 0, 3}};
    const double begins[] = {3, 4, 5, 6, 19, 20, 21};
    (void)state;
    start(&s);
    run(&s, 3);
    assert_string_equal(s.text, "R0 U5 U10 U15 U20 W16 R16 U25 U30 U35 W32 R32");
    check_frames(&s, rows, 3);
    for (int i = 0; i < 7; ++i) {
        assert_int_equal(s.update_begin_ns[i], MS(begins[i]));
    }
    assert_int_equal(s.frames[1].previous_ns, MS(15));
    assert_int_equal(s.frames[1].current_ns, MS(20));
    assert_int_equal(s.frames[1].previous_tick, 3);
    assert_int_equal(s.frames[1].current_tick, 4);
    assert_int_equal(s.frames[0].previous_tick, 0);
    assert_int_equal(s.frames[0].current_tick, 0);
}

static void t1_short_blocking_moves_only_the_updates(void **state)
{
    static script s;
    const expected rows[] = {
            {0, 0, 1.0, 16, 0, 0}, {16, 16, 0.2, 16, 0, 4}, {32, 32, 0.4, 16, 0, 3}};
    const double begins[] = {7, 8, 9, 10, 23, 24, 25};
    (void)state;
    start(&s);
    s.present_ns = MS(4);
    run(&s, 3);
    assert_string_equal(s.text, "R0 U5 U10 U15 U20 W16 R16 U25 U30 U35 W32 R32");
    check_frames(&s, rows, 3);
    for (int i = 0; i < 7; ++i) {
        assert_int_equal(s.update_begin_ns[i], MS(begins[i]));
    }
}

static void t1_long_blocking_moves_the_starts_not_the_interval(void **state)
{
    static script s;
    const expected rows[] = {
            {0, 0, 1.0, 16, 0, 0}, {19, 19, 0.8, 16, 0, 4}, {38, 38, 0.6, 16, 0, 4}};
    (void)state;
    start(&s);
    s.present_ns = MS(12);
    run(&s, 3);
    assert_string_equal(s.text, "R0 U5 U10 U15 U20 W19 R19 U25 U30 U35 U40 W38 R38");
    check_frames(&s, rows, 3);
}

static void t2_overrun(void **state)
{
    static script s;
    const expected rows[] = {{0, 0, 1.0, 16, 0, 0}, {16, 16, 0.2, 16, 0, 4},
            {32, 32, 0.4, 16, 0, 3}, {62, 62, 0.4, 30, 0, 6}};
    const double begins[] = {52, 53, 54, 55, 56, 57};
    (void)state;
    start(&s);
    s.render_ns[2] = MS(20);
    run(&s, 4);
    assert_string_equal(strstr(s.text, "R32"), "R32 U40 U45 U50 U55 U60 U65 W62 R62");
    check_frames(&s, rows, 4);
    for (int i = 0; i < 6; ++i) {
        assert_int_equal(s.update_begin_ns[7 + i], MS(begins[i]));
    }
}

/* T3: back at 3 ms the interval shrinks to 16 ms, no step over 1 %, and stays. */
static void t3_recovery(void **state)
{
    static script s;
    int64_t last = MS(30);
    int shrinking = 0;
    int64_t settled_ns = 0;
    (void)state;
    start(&s);
    s.render_ns[2] = MS(20);
    run(&s, 4);
    for (int i = 0; i < 3000; ++i) {
        s.updates = 0;
        s.text[0] = '\0';
        s.render_ns[5] = MS(3);
        run_frame(&s, 5);
        int64_t interval = s.frames[5].interval_ns;
        assert_true(interval <= last);
        assert_true(interval >= last - last / 100);
        shrinking += interval < last;
        if (interval == MS(16) && settled_ns == 0) {
            settled_ns = s.clock.now_ns - MS(62);
        }
        last = interval;
    }
    assert_int_equal(last, MS(16));
    assert_true(shrinking > 50); /* slowly: 81 steps of 1/128 from 30 to 16 */
    assert_true(settled_ns > MS(1000) && settled_ns < MS(5000));
}

static void t4_cannot_keep_up(void **state)
{
    static script s;
    const expected rows[] = {
            {0, 0, 1.0, 16, 0, 0}, {32.4, 20, 1.0, 32.4, 12.4, 4}, {64.8, 40, 1.0, 32.4, 12.4, 4}};
    (void)state;
    start(&s);
    s.update_ns = MS(6);
    s.config.ticks_max = 4;
    run(&s, 3);
    assert_string_equal(s.text, "R0 U5 U10 U15 U20 W20 R20 U25 U30 U35 U40 W40 R40");
    check_frames(&s, rows, 3);
    assert_int_equal(s.frames[2].account.dropped_ns, MS(24.8));
}

/* T4 goes on: slow motion, even frames, no spiral, for as long as it lasts. */
static void t4_stays_even(void **state)
{
    static script s;
    (void)state;
    start(&s);
    s.update_ns = MS(6);
    s.config.ticks_max = 4;
    run(&s, 3);
    for (int i = 0; i < 1000; ++i) {
        int64_t before = s.frames[5].start_ns;
        s.updates = 0;
        s.text[0] = '\0';
        run_frame(&s, 5);
        assert_int_equal(s.frames[5].interval_ns, MS(32.4));
        if (i > 0) {
            assert_int_equal(s.frames[5].start_ns - before, MS(32.4));
        }
        assert_true(s.frames[5].alpha == 1.0);
        assert_int_equal(s.frames[5].ticks, 4);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
            cmocka_unit_test(t1_even_frames),
            cmocka_unit_test(t1_short_blocking_moves_only_the_updates),
            cmocka_unit_test(t1_long_blocking_moves_the_starts_not_the_interval),
            cmocka_unit_test(t2_overrun),
            cmocka_unit_test(t3_recovery),
            cmocka_unit_test(t4_cannot_keep_up),
            cmocka_unit_test(t4_stays_even),
    };
    return cmocka_run_group_tests_name("timelines", tests, NULL, NULL);
}
