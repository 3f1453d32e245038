/* SPDX-License-Identifier: Zlib
 *
 * Targets: what a frame asks of a platform, what that gains where it obeys, and what happens where it
 * does not. Each row runs the loop with targets and without, on the same screen.
 */
#include "test_support.h"

#include "lab/exam/exam.h"

typedef struct pair {
    lab_measures with, without;
} pair;

static lab_measures run(const char *text, const char *loop, es_target_use use)
{
    exam_case c;
    const char *word = NULL;
    lab_result result = {0};
    assert_true(exam_parse(text, &c, &word));
    lab_setup setup = exam_setup(&c, loop);
    es_loop_config config = *setup.config;
    config.targets = use;
    setup.config = &config;
    setup.duration_ns = 40 * S;
    assert_int_equal(lab_run(&setup, &result, NULL), ES_OK);
    lab_measures measures = result.measures;
    lab_result_free(&result);
    return measures;
}

static pair run_pair(const char *text)
{
    return (pair){run(text, NULL, ES_TARGET_BALANCED), run(text, "no-targets", ES_TARGET_BALANCED)};
}

/* error, pursuit: at most, in ms or, if negative, in shares of what they are without targets. */
TEST(targets_that_are_kept)
{
    static const struct {
        const char *text;
        double error, pursuit;
        double rate; /* of the frames without targets, at least */
    } rows[] = {
            /* variable refresh: costs within 10 %, 20 % and 40 % */
            {"refresh=vrr work=150 noise=5 knows=both targets=exact", 0.03, 0.1, 0.98},
            {"refresh=vrr work=135 noise=5 knows=both targets=exact queue=3", 0.03, 0.1, 0.98},
            {"refresh=vrr-240 work=110 noise=20 knows=both targets=exact", -0.1, -0.2, 0.98},
            {"refresh=vrr-240 work=110 noise=40 knows=both targets=exact", -0.2, -0.3, 0.98},
            {"refresh=vrr work=135 on=gpu noise=5 knows=both targets=exact", 0.03, 0.1, 0.97},
            /* a fixed one: work that rises and falls */
            {"work=50 wave=smooth to=130 period=8 knows=both targets=exact", -0.34, -0.34, 0.98},
            {"work=50 wave=square to=130 knows=both targets=exact", -0.34, -0.36, 0.98},
            {"work=50 wave=ramp to=130 period=8 knows=both targets=exact", -0.34, -0.45, 0.98},
            {"refresh=144 work=50 wave=smooth to=130 period=8 knows=both targets=exact", -0.34,
                    -0.34, 0.98},
            {"work=95 tail=spikes knows=both targets=exact", -1.0, -1.0, 0.98},
            /* nothing to gain */
            {"work=25 knows=both targets=exact", 0.002, 0.002, 1.0},
            {"refresh=vrr work=25 knows=both targets=exact", 0.002, 0.002, 1.0},
            {"cap=30 work=50 knows=both targets=exact", 0.002, 0.01, 1.0},
            {"cap=60 refresh=vrr work=50 knows=both targets=exact", -1.0, -1.0, 0.99},
    };
    for_rows (i, rows) {
        row("%s", rows[i].text);
        pair p = run_pair(rows[i].text);
        double error_ms = rows[i].error < 0.0 ? -rows[i].error * p.without.animation.mean_abs_ms
                                              : rows[i].error;
        double pursuit_ms =
                rows[i].pursuit < 0.0 ? -rows[i].pursuit * p.without.pursuit_ms : rows[i].pursuit;
        assert_at_most(p.with.animation.mean_abs_ms, error_ms + 0.005);
        assert_at_most(p.with.pursuit_ms, pursuit_ms + 0.02);
        assert_at_most(rows[i].rate * p.without.frames_per_s, p.with.frames_per_s);
        assert_at_most(p.with.input_age_ms, p.without.input_age_ms + p.without.refresh_ms + 1.0);
    }
}

/* Screens that say that they obey, and do not; heavy tails, which no slack covers. */
TEST(targets_that_are_not_kept)
{
    static const char *const rows[] = {"work=50 knows=both targets=lying",
            "work=95 knows=both targets=lying", "refresh=vrr work=110 knows=both targets=lying",
            "refresh=vrr work=110 knows=both targets=ignored",
            "work=110 knows=both targets=ignored", "work=110 knows=both targets=late",
            "refresh=144 work=110 knows=both targets=deadline",
            "refresh=vrr work=150 noise=20 knows=both targets=late",
            "refresh=vrr work=150 noise=20 knows=both targets=deadline",
            "refresh=vrr work=110 tail=pareto knows=both targets=exact",
            "work=80 tail=pareto knows=both targets=exact"};
    for_rows (i, rows) {
        row("%s", rows[i]);
        pair p = run_pair(rows[i]);
        double line_ms = 0.02 * p.without.refresh_ms;
        assert_at_most(
                p.with.animation.mean_abs_ms, 1.1 * p.without.animation.mean_abs_ms + line_ms);
        assert_at_most(p.with.pursuit_ms, 1.1 * p.without.pursuit_ms + line_ms);
        assert_at_most(0.97 * p.without.frames_per_s, p.with.frames_per_s);
    }
}

/* Smooth keeps more targets than balanced, which keeps more than early; and each costs more input age. */
TEST(settings_are_a_choice)
{
    static const char text[] = "refresh=vrr-240 work=110 noise=20 knows=both targets=exact";
    lab_measures early = run(text, NULL, ES_TARGET_EARLY);
    lab_measures balanced = run(text, NULL, ES_TARGET_BALANCED);
    lab_measures smooth = run(text, NULL, ES_TARGET_SMOOTH);
    assert_at_most(1.5 * smooth.animation.mean_abs_ms, balanced.animation.mean_abs_ms);
    assert_at_most(1.5 * balanced.animation.mean_abs_ms, early.animation.mean_abs_ms);
    assert_at_most(early.input_age_ms, balanced.input_age_ms);
    assert_at_most(balanced.input_age_ms, smooth.input_age_ms);
}

/* --- the contract ----------------------------------------------------------------------------- */

typedef struct seen {
    int64_t frames, with_target, refreshes, early; /* of the frames after the first 5 s */
    bool targets;
} seen;

static void note(void *user, const lab_event *event)
{
    seen *s = user;
    if (event->kind == LAB_EVENT_RENDER && event->time_ns > 5 * S) {
        const es_frame *f = event->content->planned;
        s->frames += 1;
        s->with_target += f->target_ns != 0;
        s->refreshes += f->target_refreshes;
        s->early += f->target_ns != 0 && f->target_ns < f->begun_ns;
        char line[300];
        s->targets = es_loop_get_display(event->content->engine).targets;
        bool said = strstr(es_loop_status(event->content->engine, line, sizeof line), ", targets");
        assert_int_equal(said, s->targets);
    }
}

static seen watch(const char *text)
{
    exam_case c;
    seen s = {0};
    lab_result result = {0};
    assert_true(exam_parse(text, &c, NULL));
    lab_setup setup = exam_setup(&c, NULL);
    setup.observer = (lab_observer){note, &s};
    assert_int_equal(lab_run(&setup, &result, NULL), ES_OK);
    lab_result_free(&result);
    return s;
}

TEST(frames_carry_their_targets)
{
    static const struct {
        const char *text;
        bool times;
        int refreshes; /* per frame */
    } rows[] = {{"work=50 knows=both targets=exact", true, 1},
            {"refresh=vrr work=110 knows=both targets=exact", true, 1},
            {"cap=30 work=50 knows=both targets=exact", true, 2},
            {"cap=30 work=50 knows=rate targets=counts", false, 2},
            {"cap=60 refresh=120 work=50 knows=rate targets=counts", false, 2},
            {"cap=24 refresh=120 work=50 knows=rate targets=counts", false, 5},
            {"work=135 queue=1 knows=rate targets=counts", false, 2}, /* held */
            {"work=50 knows=rate targets=counts", false, 1},
            {"work=50 knows=both", false, 1},                /* nothing obeys */
            {"work=50 knows=rate", false, 1},                /* nothing tells */
            {"work=110 knows=both targets=lying", false, 1}, /* not kept */
            {"refresh=vrr work=110 knows=both targets=lying", false, 1},
            {"work=50 knows=both access=host", false, 1}};
    for_rows (i, rows) {
        row("%s", rows[i].text);
        seen s = watch(rows[i].text);
        assert_true(s.frames > 100);
        assert_int_equal(s.with_target, rows[i].times ? s.frames : 0);
        assert_int_equal(s.refreshes, rows[i].refreshes * s.frames);
        assert_int_equal(s.targets, rows[i].times);
        assert_int_equal(s.early, 0);
    }
}

TEST(set_targets_refuses)
{
    static const struct {
        es_targets targets;
        bool accepted;
    } rows[] = {{{0}, true}, {{.times = true, .deadline_ns = S}, true},
            {{.times = true, .deadline_ns = -1}, false},
            {{.times = true, .deadline_ns = S + 1}, false}, {{.ahead_ns = -1}, false},
            {{.times = true, .refreshes = true, .ahead_ns = INT64_MAX}, true}};
    es_loop *loop = es_loop_create(NULL);
    for_rows (i, rows) {
        assert_int_equal(es_loop_set_targets(loop, &rows[i].targets), rows[i].accepted);
    }
    assert_true(es_loop_set_targets(loop, NULL));
    assert_false(es_loop_set_targets(NULL, &rows[0].targets));
    es_loop_destroy(loop);
}

/* The rate that results: a swap interval is whole refreshes. */
TEST(a_kept_swap_interval_gives_the_rate)
{
    static const struct {
        bool refreshes;
        int32_t cap_hz;
        int32_t gives_hz;
    } rows[] = {{false, 60, 60}, {true, 60, 48}, {true, 72, 72}, {true, 138, 138}};
    for_rows (i, rows) {
        const es_targets targets = {.refreshes = rows[i].refreshes};
        const es_loop_config config = {
                .refresh = {144, 1}, .interval_ns = ES_NS_PER_S / rows[i].cap_hz};
        es_loop *loop = es_loop_create(&config);
        es_loop_set_targets(loop, &targets);
        double hz = es_loop_get_display(loop).frames_per_s;
        assert_at_most(fabs(hz - rows[i].gives_hz), 0.01);
        es_loop_destroy(loop);
    }
}

/* A window that was hidden is presented by the same platform. */
TEST(what_the_platform_promises_stays)
{
    const es_targets counts = {.refreshes = true};
    const es_loop_config config = {.refresh = {60, 1}, .interval_ns = ES_NS_PER_S / 30};
    es_loop *loop = es_loop_create(&config);
    es_frame frame;
    es_loop_set_targets(loop, &counts);
    for (int i = 0; i < 12; ++i) {
        es_loop_set_visible(loop, i < 4 || i > 7);
        es_loop_next(loop, &frame);
        es_loop_submit(loop);
    }
    assert_int_equal(frame.target_refreshes, 2);
    es_loop_destroy(loop);
}
