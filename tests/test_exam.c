/* SPDX-License-Identifier: Zlib
 *
 * The exam: what the lab simulates for it, its measures, its cases as text, and the failures that are
 * known. tests/data/exam.txt lists these: each must have the listed result, and of the first 300 random cases
 * no other may. `build/release/bench_exam --random 300` prints the first part of that file.
 */
#include "test_support.h"

#include "capture/measure.h"
#include "lab/exam/exam.h"

#include <stdio.h>
#include <stdlib.h>

enum { RANDOM_CASES = 300 };

/* --- what the lab simulates ------------------------------------------------------------------- */

TEST(waves_go_up_and_down)
{
    static const struct {
        lab_wave wave;
        double at[5]; /* the factor at 0, 1/4, 1/2, 3/4 and 31/32 of a period */
    } rows[] = {
            {LAB_WAVE_RAMP, {1.0, 2.0, 3.0, 2.0, 1.125}},
            {LAB_WAVE_SMOOTH, {1.0, 2.0, 3.0, 2.0, 1.015625}},
            {LAB_WAVE_SAWTOOTH, {1.0, 1.5, 2.0, 2.5, 2.9375}},
            {LAB_WAVE_SQUARE, {1.0, 1.0, 3.0, 3.0, 3.0}},
            {LAB_WAVE_ALTERNATE, {1.0, 1.0, 1.0, 1.0, 1.0}},
    };
    static const double shares[] = {0.0, 0.25, 0.5, 0.75, 31.0 / 32.0};
    for (size_t i = 0; i < COUNT_OF(rows); ++i) {
        lab_cost cost = {.base = 1e6, .wave = rows[i].wave, .wave_to = 3.0, .wave_ns = ES_NS_PER_S};
        lab_scale scale = {16 * MS, 16 * MS, ES_NS_PER_S, 5 * ES_NS_PER_S, 1};
        lab_pricer pricer = lab_pricer_make(&cost, &scale, LAB_STREAM_RENDER);
        for (int k = 0; k < 5; ++k) {
            int64_t at_ns = 3 * ES_NS_PER_S + (int64_t)(shares[k] * 1e9);
            assert_int_equal(
                    lab_pricer_draw_ns(&pricer, 2, at_ns), (int64_t)(1e6 * rows[i].at[k] + 0.5));
            assert_int_equal(lab_pricer_draw_ns(&pricer, 2, 0), MS);
        }
        bool other = rows[i].wave == LAB_WAVE_ALTERNATE;
        assert_int_equal(lab_pricer_draw_ns(&pricer, 3, 3 * ES_NS_PER_S), (other ? 3 : 1) * MS);
    }
}

TEST(a_wandering_load_is_continuous)
{
    lab_cost cost = {.base = 1e6, .wave = LAB_WAVE_WANDER, .wave_to = 3.0, .wave_ns = ES_NS_PER_S};
    lab_scale scale = {16 * MS, 16 * MS, 0, 60 * ES_NS_PER_S, 1};
    lab_pricer pricer = lab_pricer_make(&cost, &scale, LAB_STREAM_RENDER);
    int64_t before_ns = lab_pricer_draw_ns(&pricer, 0, 0), least_ns = before_ns,
            most_ns = before_ns;
    for (int64_t at_ns = MS; at_ns < 60 * ES_NS_PER_S; at_ns += MS) {
        int64_t ns = lab_pricer_draw_ns(&pricer, 0, at_ns);
        assert_true(ns >= MS && ns <= 3 * MS);
        assert_true(ns - before_ns < 5000 && before_ns - ns < 5000); /* 2 ms in half a second */
        least_ns = ns < least_ns ? ns : least_ns;
        most_ns = ns > most_ns ? ns : most_ns;
        before_ns = ns;
    }
    assert_true(least_ns < 1200000 && most_ns > 2800000);
}

TEST(lateness_comes_from_recorded_quantiles)
{
    static const int64_t quantiles_ns[] = {0, 100, 1000};
    lab_lateness late = {.quantiles_ns = quantiles_ns, .quantile_count = 3};
    int64_t sum_ns = 0;
    for (int64_t i = 0; i < 10000; ++i) {
        int64_t ns = lab_lateness_draw_ns(&late, 1, i);
        assert_true(ns >= 0 && ns <= 1000);
        sum_ns += ns;
    }
    assert_true(sum_ns > 10000 * 290 && sum_ns < 10000 * 310); /* (50 + 550) / 2 */
}

TEST(a_coarse_clock_shows_whole_grains)
{
    lab_machine machine;
    lab_machine_config config = {.scenario = lab_scenario_exact()};
    config.scenario.clock.grain_ns = 10 * MS;
    assert_int_equal(lab_machine_init(&machine, &config, NULL), ES_OK);
    lab_idle(&machine, 9999999);
    assert_int_equal(lab_now(&machine), 0);
    lab_idle(&machine, 1);
    assert_int_equal(lab_now(&machine), 10 * MS);
    lab_wait_until(&machine, 15 * MS);
    assert_int_equal(lab_true_ns(&machine), 15 * MS);
}

/* A display of 100 Hz. Frames are ready at 1, 2, 3 ms ...: each goes to the next free refresh. */
TEST(refreshes_that_differ)
{
    lab_display display = {.rate = {100, 1}, .jitter_ns = 3 * MS}, resolved;
    lab_screen screen;
    assert_int_equal(lab_display_resolve(&display, &resolved, NULL), ES_OK);
    lab_screen_init(&screen, &resolved, 1);
    int64_t index, late_ns = 0;
    for (int64_t k = 1; k < 1000; ++k) {
        int64_t at_ns = lab_screen_refresh_ns(&screen, k);
        assert_true(at_ns >= k * 10 * MS && at_ns < k * 10 * MS + 3 * MS);
        assert_int_equal(lab_screen_next_refresh(&screen, at_ns, &index), at_ns);
        assert_int_equal(index, k);
        lab_screen_next_refresh(&screen, at_ns + 1, &index);
        assert_int_equal(index, k + 1);
        late_ns += at_ns - k * 10 * MS;
    }
    assert_true(late_ns > 999 * 14 * MS / 10 && late_ns < 999 * 16 * MS / 10);
    display = (lab_display){.rate = {100, 1}, .queue = 1, .leader = {40, 1}};
    assert_int_equal(lab_display_resolve(&display, &resolved, NULL), ES_OK);
    lab_screen_init(&screen, &resolved, 1);
    static const int64_t shown_ms[] = {10, 20, 30, 40}, room_ms[] = {25, 25, 50, 50};
    for (int i = 0; i < 4; ++i) {
        int64_t shown_ns = lab_screen_present(&screen, (i + 1) * MS, (i + 1) * MS).shown_ns;
        assert_int_equal(shown_ns, shown_ms[i] * MS);
        assert_int_equal(lab_screen_room_ns(&screen), room_ms[i] * MS);
    }
}

TEST(pauses_can_be_even)
{
    lab_machine machine;
    lab_machine_config config = {.scenario = lab_scenario_exact()};
    config.scenario.preemption = (lab_preemption){100 * MS, 5 * MS, 5 * MS, true};
    assert_int_equal(lab_machine_init(&machine, &config, NULL), ES_OK);
    lab_work(&machine, ES_NS_PER_S);
    assert_int_equal(lab_true_ns(&machine), ES_NS_PER_S + 9 * 5 * MS);
}

/* --- measures --------------------------------------------------------------------------------- */

/* 60 s at 100 fps, but for the frames of a row. */
TEST(measures_of_an_eye)
{
    enum { FRAMES = 6001 };
    static lab_frame frames[FRAMES];
    static double scratch[FRAMES];
    static const struct {
        int64_t jump_ns;            /* at each 1000th frame content leaps, and goes on */
        double speed;               /* of content */
        int64_t slow_from, slow_to; /* frames that take 20 ms */
        double jumps, off_speed, changes, arcmin;
    } rows[] = {
            {0, 1.0, 0, 0, 0.0, 0.0, 0.0, 0.0},
            {26 * MS, 1.0, 0, 0, 6.0, 0.0202, 0.0, 0.0},
            {24 * MS, 1.0, 0, 0, 0.0, 0.0202, 0.0, 0.0},
            {0, 1.06, 0, 0, 0.0, 1.0, 0.0, 1.2 * 0.6},
            {0, 1.04, 0, 0, 0.0, 0.0, 0.0, 1.2 * 0.4},
            {0, 1.0, 1001, 2001, 0.0, 0.0, 2.0 * 60.0 / 70.0, 0.0},
    };
    for (size_t i = 0; i < COUNT_OF(rows); ++i) {
        int64_t shown_ns = 0, content_ns = 0;
        lab_measures m;
        for (int64_t k = 0; k < FRAMES; ++k) {
            int64_t span_ns = (k >= rows[i].slow_from && k < rows[i].slow_to ? 20 : 10) * MS;
            shown_ns += span_ns;
            content_ns += (int64_t)(rows[i].speed * (double)span_ns);
            content_ns += k % 1000 == 999 ? rows[i].jump_ns : 0;
            frames[k] = (lab_frame){.shown_ns = shown_ns, .content_ns = content_ns};
        }
        lab_measure(frames, FRAMES, 0, 10 * MS, scratch, &m);
        assert_near(m.jumps_per_min, rows[i].jumps, 1e-9);
        assert_near(m.off_speed_share, rows[i].off_speed, 0.001);
        assert_near(m.rate_changes_per_min, rows[i].changes, 0.02);
        assert_near(m.retina_arcmin, rows[i].arcmin, 1e-6);
    }
}

/* The figures of a capture are those of the lab. */
TEST(a_capture_measures_as_the_lab)
{
    enum { FRAMES = 2000 };
    static lab_frame frames[FRAMES];
    static double scratch[FRAMES];
    static char text[FRAMES * 80];
    test_random random = {11};
    size_t size = (size_t)snprintf(text, sizeof text,
            "start_ns,late_ns,work_ns,submit_ns,returned_ns,shown_ns,content_ns,series\n");
    int64_t shown_ns = 0, content_ns = 0;
    for (int i = 0; i < FRAMES; ++i) {
        shown_ns += 10 * MS + random_below(&random, 10 * MS);
        content_ns = shown_ns + random_below(&random, 4 * MS) + (i % 300 > 200 ? 30 * MS : 0);
        frames[i] = (lab_frame){.shown_ns = shown_ns, .content_ns = content_ns};
        size += (size_t)snprintf(text + size, sizeof text - size, "%lld,0,1,%lld,,%lld,%lld,0\n",
                (long long)(shown_ns - 5 * MS), (long long)(shown_ns - 4 * MS), (long long)shown_ns,
                (long long)content_ns);
    }
    lab_measures expected;
    lab_figures figures;
    lab_capture_error error;
    lab_measure(frames, FRAMES, 0, 0, scratch, &expected);
    lab_capture *capture = lab_capture_open_text(text, size, NULL, &error);
    assert_int_equal(lab_capture_measure(capture, 0.0, &figures, NULL, &error), ES_OK);
    lab_capture_close(capture);
    double minutes = (double)(frames[FRAMES - 1].shown_ns - frames[0].shown_ns) / 60e9;
    assert_near(figures.animation_error.mean_ms, expected.animation.mean_abs_ms, 1e-6);
    assert_near(figures.pursuit_ms, expected.pursuit_ms, 1e-5);
    assert_near((double)figures.jumps, expected.jumps_per_min * minutes, 1e-6);
    assert_true(figures.jumps > 5);
}

/* --- cases ------------------------------------------------------------------------------------ */

TEST(a_case_is_a_line)
{
    for (uint64_t i = 0; i < 2000; ++i) {
        exam_case c = exam_draw(7, i), again, child = exam_mutate(&c, 9, i);
        char text[EXAM_TEXT];
        const exam_case *both[] = {&c, &child};
        for (int k = 0; k < 2; ++k) {
            assert_true(exam_parse(exam_text(both[k], text), &again, NULL));
            assert_memory_equal(again.genes, both[k]->genes, sizeof c.genes);
            assert_int_equal(again.seed, both[k]->seed);
        }
    }
    static const char *const bad[] = {"cap", "cap=", "cap=31", "=60", "seed=", "seed=-1", "seed=x",
            "seed=99999999999", "cap=30,work=80"};
    for (size_t i = 0; i < COUNT_OF(bad); ++i) {
        exam_case c;
        const char *word = NULL;
        assert_false(exam_parse(bad[i], &c, &word));
        assert_ptr_equal(word, bad[i]);
    }
}

/* --- known failures --------------------------------------------------------------------------- */

typedef struct known_failures {
    char lines[600][EXAM_LINE];
    size_t count;
    size_t unlisted;
} known_failures;

static bool check_case(void *user, uint64_t index, const exam_found *found)
{
    known_failures *known = user;
    char line[EXAM_LINE];
    (void)index;
    exam_line(&found->what, &found->verdict, line);
    bool listed = found->verdict.broken == NULL && found->verdict.peer == NULL;
    for (size_t i = 0; i < known->count; ++i) {
        listed = listed || strcmp(known->lines[i], line) == 0;
    }
    if (!listed) {
        print_error("not listed: %s\n", line);
        known->unlisted += 1;
    }
    return true;
}

TEST(failures_are_those_that_are_known)
{
    static known_failures known;
    char line[EXAM_LINE];
    FILE *file = fopen(EXAM_FILE, "r");
    assert_non_null(file);
    while (fgets(line, sizeof line, file) != NULL) {
        line[strcspn(line, "\n")] = '\0';
        if (line[0] != '#') {
            assert_true(known.count < COUNT_OF(known.lines));
            strcpy(known.lines[known.count++], line);
        }
    }
    fclose(file);
    lab_result result = {0};
    size_t wrong = 0;
    for (size_t i = 0; i < known.count; ++i) {
        exam_found found;
        char got[EXAM_LINE];
        strcpy(line, known.lines[i]);
        line[strcspn(line, "|")] = '\0';
        assert_true(exam_parse(line, &found.what, NULL));
        assert_int_equal(
                exam_run(&found.what, EXAM_INVARIANTS | EXAM_NEVER_WORSE, &result, &found.verdict),
                ES_OK);
        exam_line(&found.what, &found.verdict, got);
        if (strcmp(got, known.lines[i]) != 0) {
            print_error("listed: %s\n  found: %s\n", known.lines[i], got);
            wrong += 1;
        }
    }
    lab_result_free(&result);
    assert_int_equal(exam_random(1, 0, RANDOM_CASES, EXAM_INVARIANTS | EXAM_NEVER_WORSE, 2,
                             check_case, &known),
            ES_OK);
    assert_int_equal(known.unlisted + wrong, 0);
}
