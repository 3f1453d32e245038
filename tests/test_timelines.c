/* SPDX-License-Identifier: Zlib
 *
 * Rule A1 against the timelines T1 to T4, through the public calls, every value exact.
 */
#include "test_game.h"

#define TO_NS(ms) ((int64_t)((ms)*1e6 + 0.5))

enum { FRAMES_MAX = 4, TICKS_MAX = 16 };

/* A run: what was updated (U), waited for (W) and rendered (R), and when. */
typedef struct script {
    game g;
    es_frame frames[FRAMES_MAX];
    int64_t drawn_ns[FRAMES_MAX];
    int64_t update_begin_ns[TICKS_MAX];
    int updates;
    char text[512];
} script;

/* Ticks of 5 ms and 1 ms of work, frames of 16 ms and 3 ms of work; not opened yet. */
static void start(script *s)
{
    memset(s, 0, sizeof *s);
    start_game(&s->g, "adaptive");
    s->g.config.tick_rate = es_hz(200);
    s->g.config.interval_ns = 16 * MS;
    s->g.update_ns = MS;
    s->g.render_ns = 3 * MS;
}

static void note(script *s, const char *what, int64_t ns)
{
    size_t length = strlen(s->text);
    snprintf(s->text + length, sizeof s->text - length, "%s%s%g", length > 0 ? " " : "", what,
            (double)ns / 1e6);
}

/* The drawing of frame 2 takes slow_ns. */
static void run(script *s, int frames, int64_t slow_ns)
{
    game *g = &s->g;
    open_game(g);
    for (int i = 0; i < frames; ++i) {
        es_step step;
        assert_true(es_loop_begin(&g->loop));
        g->ticks = 0;
        while (es_loop_tick(&g->loop, &step)) {
            note(s, "U", step.time_ns);
            note_step(g, &step);
            s->update_begin_ns[s->updates++] = g->clock.now_ns;
            es_manual_clock_work(&g->clock, g->update_ns);
        }
        g->render_ns = i == 2 ? slow_ns : 3 * MS;
        draw_frame(g);
        note(s, i > 0 ? "W" : "R", g->frame.content_ns);
        if (i > 0) {
            note(s, "R", g->frame.content_ns);
        }
        s->frames[i] = g->frame;
        s->drawn_ns[i] = g->clock.now_ns - g->render_ns;
        present_frame(g);
    }
}

typedef struct expected {
    double actual_ms;
    double content_ms;
    double alpha;
    double interval_ms;
    double dropped_ms;
    int ticks;
    int64_t current_tick;
    double ahead_ms;
} expected;

static void check(const script *s, const char *text, const expected *rows, int count)
{
    assert_string_equal(s->text, text);
    for (int i = 0; i < count; ++i) {
        const es_frame *frame = &s->frames[i];
        assert_int_equal(frame->index, i);
        assert_int_equal(s->drawn_ns[i], TO_NS(rows[i].actual_ms));
        assert_int_equal(frame->start_ns, TO_NS(rows[i].actual_ms));
        assert_int_equal(frame->present_ns, TO_NS(rows[i].actual_ms));
        assert_int_equal(frame->content_ns, TO_NS(rows[i].content_ms));
        assert_true(frame->alpha == rows[i].alpha);
        assert_int_equal(frame->interval_ns, TO_NS(rows[i].interval_ms));
        assert_int_equal(frame->account.frame_dropped_ns, TO_NS(rows[i].dropped_ms));
        assert_int_equal(frame->ticks, rows[i].ticks);
        assert_int_equal(frame->current_tick, rows[i].current_tick);
        assert_int_equal(frame->previous_tick, i > 0 ? rows[i].current_tick - 1 : 0);
        assert_int_equal(frame->current_ns, frame->current_tick * 5 * MS);
        assert_int_equal(frame->previous_ns, frame->previous_tick * 5 * MS);
        assert_int_equal(frame->ahead_ns, TO_NS(rows[i].ahead_ms));
        assert_int_equal(frame->late_ns, 0);
        assert_int_equal(frame->gap.kind, ES_GAP_NONE);
    }
}

/* T1, whose frames are even, is the first three frames of T2. */
TEST(t1_even_frames_and_t2_an_overrun)
{
    static script s;
    const expected rows[] = {{0, 0, 1.0, 16, 0, 0, 0, 0}, {16, 16, 0.2, 16, 0, 4, 4, 0},
            {32, 32, 0.4, 16, 0, 3, 7, 0}, {62, 62, 0.4, 30, 0, 6, 13, 0}};
    const double begins[] = {3, 4, 5, 6, 19, 20, 21, 52, 53, 54, 55, 56, 57};
    start(&s);
    run(&s, 4, 20 * MS);
    check(&s, "R0 U5 U10 U15 U20 W16 R16 U25 U30 U35 W32 R32 U40 U45 U50 U55 U60 U65 W62 R62", rows,
            4);
    assert_int_equal(s.updates, COUNT_OF(begins));
    for_rows (i, begins) {
        assert_int_equal(s.update_begin_ns[i], TO_NS(begins[i]));
    }
}

/* T3: back at 3 ms the interval shrinks to 16 ms, no step over 1 %, and stays. */
TEST(t3_recovery)
{
    static script s;
    int64_t last_ns = 30 * MS, settled_ns = 0;
    int shrinking = 0;
    start(&s);
    run(&s, 4, 20 * MS);
    for (int i = 0; i < 3000; ++i) {
        run_frame(&s.g);
        int64_t interval_ns = s.g.frame.interval_ns;
        assert_true(interval_ns <= last_ns);
        assert_true(interval_ns >= last_ns - last_ns / 100);
        shrinking += interval_ns < last_ns;
        if (interval_ns == 16 * MS && settled_ns == 0) {
            settled_ns = s.g.clock.now_ns - 62 * MS;
        }
        last_ns = interval_ns;
    }
    assert_int_equal(last_ns, 16 * MS);
    assert_true(shrinking > 50); /* slowly: 66 steps of 1/104 from 30 to 16 */
    assert_in_range(settled_ns, 1000 * MS, 5000 * MS);
}

/* T4: slow motion, even frames, no spiral, for as long as it lasts. */
TEST(t4_cannot_keep_up)
{
    static script s;
    const expected rows[] = {{0, 0, 1.0, 16, 0, 0, 0, 0}, {32.4, 20, 1.0, 32.4, 12.4, 4, 4, 0},
            {64.8, 40, 1.0, 32.4, 12.4, 4, 8, 0}};
    start(&s);
    s.g.update_ns = 6 * MS;
    s.g.config.ticks_max = 4;
    run(&s, 3, 3 * MS);
    check(&s, "R0 U5 U10 U15 U20 W20 R20 U25 U30 U35 U40 W40 R40", rows, 3);
    assert_int_equal(s.frames[2].account.dropped_ns, TO_NS(24.8));
    for (int i = 0; i < 1000; ++i) {
        run_frame(&s.g);
        assert_int_equal(s.g.frame.interval_ns, TO_NS(32.4));
        assert_int_equal(span_of(&s.g), TO_NS(32.4));
        assert_true(s.g.frame.alpha == 1.0);
        assert_int_equal(s.g.frame.ticks, 4);
    }
}
