/* SPDX-License-Identifier: Zlib
 *
 * The threaded loop in the lab: its frames beside those of a loop on one thread, one tick behind,
 * whose frames take the same times because its updates cost nothing. Which ticks had run when a
 * frame was drawn is known from the machine's events.
 */
#include "evenstep/threads.h"

#include "threads/threads.h"

#include "frame_support.h"

#include "lab/run.h"

#include <stdlib.h>
#include <string.h>

enum { FRAMES_MAX = 8000 };

/* --- a run, watched --------------------------------------------------------------------------- */

/* A frame as its loop says, and which ticks had run. */
typedef struct seen {
    es_frame frame;
    es__view_status status;
    int64_t wanted_ns;
    int64_t there_ns; /* time of the newest tick when rendering began */
    int64_t done_ns;  /* when that was published, in true time */
} seen;

typedef struct watch {
    seen frames[FRAMES_MAX];
    size_t count;
    int64_t there_ns;
    int64_t done_ns; /* when that was published, in true time */
    lab_result result;
} watch;

static watch threaded;
static watch single;
static watch *watched;
static const lab_loop *inner;

static void on_event(void *user, const lab_event *event)
{
    watch *w = user;
    if (event->kind == LAB_EVENT_UPDATE_DONE) {
        w->there_ns = event->value_ns;
        w->done_ns = event->time_ns;
    } else if (event->kind == LAB_EVENT_RENDER && w->count < FRAMES_MAX) {
        w->frames[w->count].there_ns = w->there_ns;
        w->frames[w->count].done_ns = w->done_ns;
    }
}

static void watched_frame(void *state, lab_machine *machine)
{
    inner->frame(state, machine);
    assert_true(watched->count < FRAMES_MAX);
    seen *now = &watched->frames[watched->count++];
    const es_threads *threads = lab_loop_threads(inner, state);
    const es__shown *shown = threads != NULL ? &threads->render.shown : NULL;
    now->frame = es_loop_get_report(lab_loop_engine(inner, state))->frame;
    now->status = shown != NULL ? shown->status : ES__VIEW_INTERPOLATED;
    now->wanted_ns = shown != NULL ? shown->wanted_ns : now->frame.content_ns;
}

static void run(watch *w, const char *name, lab_setup setup)
{
    lab_refusal error = {NULL, NULL};
    inner = lab_loop_find(name);
    assert_non_null(inner);
    lab_loop watcher = *inner;
    watcher.frame = watched_frame;
    watched = w;
    w->count = 0;
    w->there_ns = 0;
    w->done_ns = 0;
    setup.loop = &watcher;
    setup.observer = (lab_observer){on_event, w};
    if (lab_run(&setup, &w->result, &error) != ES_OK) {
        fail_msg("%s: %s %s", name, error.field, error.reason);
    }
    assert_int_equal(w->result.frame_count, w->count);
}

/* The same program on one thread, one tick behind. The threaded loop uses the stepped form, as the
 * loop "adaptive" does in the lab; its configuration is replaced. */
static void run_single(lab_setup setup)
{
    const lab_cost nothing = {0};
    es_loop_config config = {.delay_ticks = 1.0, .ticks_max = ES__TICKS_MAX};
    if (setup.config != NULL) {
        config = *setup.config;
        config.lead_ticks = 0;
        config.ticks_max = ES__TICKS_MAX;
    }
    setup.scenario.update = nothing;
    setup.config = &config;
    run(&single, "adaptive", setup);
}

static lab_setup setup_of(const char *scenario, es_rate refresh, es_rate ticks, uint64_t seed)
{
    lab_setup setup = lab_setup_default();
    setup.scenario = *lab_scenario_find(scenario);
    setup.display.rate = refresh;
    setup.tick_rate = ticks;
    setup.seed = seed;
    setup.duration_ns = 12 * S;
    setup.warm_up_ns = 3 * S;
    return setup;
}

/* --- frame by frame --------------------------------------------------------------------------- */

static void assert_same_times(size_t i)
{
    const lab_frame *a = &threaded.result.frames[i];
    const lab_frame *b = &single.result.frames[i];
    assert_int_equal(a->begin_ns, b->begin_ns);
    assert_int_equal(a->render_ns, b->render_ns);
    assert_int_equal(a->submit_ns, b->submit_ns);
    assert_int_equal(a->return_ns, b->return_ns);
    assert_int_equal(a->shown_ns, b->shown_ns);
    assert_int_equal(a->refreshes, b->refreshes);
}

static void assert_same_content(size_t i)
{
    assert_int_equal(threaded.result.frames[i].content_ns, single.result.frames[i].content_ns);
    assert_int_equal(threaded.result.frames[i].short_ns, 0);
    assert_same_frame(&threaded.frames[i].frame, &single.frames[i].frame);
}

typedef struct tally {
    size_t same;
    size_t held;
    size_t gaps;
} tally;

/* A frame aimed a refresh further than those around it, and ticks ran ahead for it. The next frame
 * shows the oldest tick there is, and motion stands until content is there. */
static bool is_gap(size_t i)
{
    int64_t meant_ns = single.frames[i].frame.content_ns;
    int64_t before_ns = i > 0 ? threaded.result.frames[i - 1].content_ns : 0;
    if (threaded.frames[i].status == ES__VIEW_GAP) {
        assert_int_equal(threaded.frames[i].wanted_ns, meant_ns);
        assert_true(threaded.result.frames[i].content_ns > meant_ns);
        return true;
    }
    if (meant_ns < before_ns) {
        assert_int_equal(threaded.result.frames[i].content_ns, before_ns);
        return true;
    }
    return false;
}

/* A frame is held at the newest tick while its own has not run. */
static void check_frame(size_t i, tally *t)
{
    const seen *now = &threaded.frames[i];
    const lab_frame *shown = &threaded.result.frames[i];
    int64_t meant_ns = single.frames[i].frame.content_ns;
    assert_same_times(i);
    if (is_gap(i)) {
        t->gaps += 1;
        return;
    }
    assert_int_equal(now->wanted_ns, meant_ns);
    if (meant_ns <= now->there_ns) {
        t->same += 1;
        assert_int_equal(now->status, ES__VIEW_INTERPOLATED);
        assert_same_content(i);
    } else {
        t->held += 1;
        assert_int_equal(now->status, ES__VIEW_HELD);
        assert_int_equal(shown->content_ns, now->there_ns);
        assert_int_equal(shown->short_ns, meant_ns - now->there_ns);
    }
}

static tally compare_frames(void)
{
    tally t = {0, 0, 0};
    assert_int_equal(threaded.count, single.count);
    assert_true(threaded.count > 200);
    for (size_t i = 0; i < threaded.count; ++i) {
        check_frame(i, &t);
    }
    assert_int_equal(t.same + t.held + t.gaps, threaded.count);
    return t;
}

/* In every frame the account adds up to the time that has passed. */
static void assert_account_is_even(const watch *w)
{
    int64_t first_ns = w->frames[0].frame.present_ns;
    for (size_t i = 0; i < w->count; ++i) {
        assert_account_adds_up(&w->frames[i].frame, first_ns);
    }
}

/* --- frames of one thread --------------------------------------------------------------------- */

/* Runs both loops and compares all frames. There may be gaps only before frames are measured. */
static tally compare(const char *name, lab_setup setup, size_t most_gaps)
{
    run(&threaded, name, setup);
    run_single(setup);
    tally t = compare_frames();
    assert_account_is_even(&threaded);
    assert_in_range(t.gaps, 0, most_gaps);
    for (size_t i = threaded.result.measured; i < threaded.count; ++i) {
        assert_false(is_gap(i));
    }
    return t;
}

/* Ticks have costs, and the update thread wakes up late; in "late" by up to 0.9 periods. */
TEST(frames_are_those_of_one_thread)
{
    static const char *const scenarios[] = {"cheap", "90-105", "gpu-90-105", "spikes", "ramp",
            "wake-1.5", "wake-vm", "clock-back", "late"};
    static const es_rate refreshes[] = {{60, 1}, {60000, 1001}, {144, 1}};
    static const es_rate ticks[] = {{20, 1}, {30, 1}, {60, 1}};
    for (size_t i = 0; i < sizeof scenarios / sizeof scenarios[0]; ++i) {
        bool late = strcmp(scenarios[i], "late") == 0;
        for (size_t k = 0; k < (late ? 6 : 9); ++k) {
            lab_setup setup = setup_of(
                    late ? "cheap" : scenarios[i], refreshes[k % 3], ticks[k / 3], i + k + 1);
            setup.display.queue = 1 + (int32_t)((i + k) % 3);
            if (late) {
                int64_t most_ns = es__rate_period_ns(ticks[k / 3]) * 9 / 10;
                setup.scenario.worker_sleep = (lab_lateness){.delays = {{1.0, 0, most_ns, 0}}};
            }
            bool short_ticks = k >= 3; /* at first some frames need a tick beyond the lead */
            if (short_ticks) {         /* after a gap the loops read the clock differently often */
                setup.scenario.clock.read_ns = 0;
                setup.scenario.clock.noise_ns = 0;
            }
            tally t = compare("threaded", setup, short_ticks ? 3 : 0);
            assert_in_range(t.held, 0, short_ticks ? 4 : late);
        }
    }
}

/* A slow frame leaves content behind, and ticks go on, so content is moved up to them. It then
 * recovers only the rest, or it would run ahead of the screen. */
TEST(content_never_runs_ahead)
{
    static const es_rate ticks[] = {{60, 1}, {120, 1}};
    size_t gaps = 0;
    for (uint64_t seed = 1; seed <= 8; ++seed) {
        lab_setup setup =
                setup_of("heavy-tail", es_hz(seed % 4 < 2 ? 60 : 144), ticks[seed % 2], seed);
        run(&threaded, "threaded", setup);
        assert_account_is_even(&threaded);
        for (size_t i = 0; i < threaded.count; ++i) {
            gaps += threaded.frames[i].status == ES__VIEW_GAP;
            assert_int_equal(threaded.frames[i].frame.gap.kind, ES_GAP_NONE); /* no clock leapt */
        }
        assert_true(threaded.result.measures.lost_ms > -2000.0);
        assert_true(
                threaded.result.measures.lost_ms < 120.0); /* a frame of 100 ms may be the last */
    }
    assert_in_range(gaps, 50, 500);
}
