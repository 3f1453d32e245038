/* SPDX-License-Identifier: Zlib
 *
 * The threaded roof in the lab: its pictures beside those of a loop on one thread, one tick behind,
 * whose frames take the same times because its updates cost nothing. What ticks were there when a
 * frame asked is known from the machine's events, not from the roof.
 */
#include "test_support.h"

#include "lab/run.h"

#include <stdlib.h>
#include <string.h>

#define MS ES_NS_PER_MS
#define S  ES_NS_PER_S

enum { FRAMES_MAX = 8000 };

/* --- a run, watched --------------------------------------------------------------------------- */

/* What a frame was, as its loop says, and which ticks there were. */
typedef struct seen {
    es_frame frame;
    es_threaded_status status;
    int64_t wanted_ns;
    int64_t there_ns; /* time of the newest tick when rendering began ... */
    int64_t done_ns;  /* ... and when, by the true time, that was handed over */
} seen;

typedef struct watch {
    seen frames[FRAMES_MAX];
    size_t count;
    int64_t there_ns;
    int64_t done_ns;     /* true time at which that was handed over */
    int64_t taken_ns;    /* time of the newest tick that a frame has drawn from ... */
    int64_t taken_at_ns; /* ... since then, by the true time ... */
    int64_t least_ns;    /* ... how soon a tick was handed over after that, at least */
    lab_result result;
} watch;

static watch roof;
static watch single;
static watch *watched;
static const lab_loop *inner;

static void on_event(void *user, const lab_event *event)
{
    watch *w = user;
    if (event->kind == LAB_EVENT_UPDATE_DONE) {
        w->there_ns = event->value_ns;
        w->done_ns = event->time_ns;
        int64_t since_ns = event->time_ns - w->taken_at_ns;
        w->least_ns = w->taken_ns > 0 && since_ns < w->least_ns ? since_ns : w->least_ns;
    } else if (event->kind == LAB_EVENT_RENDER && w->count < FRAMES_MAX) {
        w->frames[w->count].there_ns = w->there_ns;
        w->frames[w->count].done_ns = w->done_ns;
        bool is_settled = event->time_ns > S; /* there are as many ticks as ever */
        if (is_settled && w->there_ns > w->taken_ns) {
            w->taken_ns = w->there_ns;
            w->taken_at_ns = event->time_ns;
        }
    }
}

static void watched_frame(void *state, lab_machine *machine)
{
    inner->frame(state, machine);
    assert_true(watched->count < FRAMES_MAX);
    seen *now = &watched->frames[watched->count++];
    const es_threaded_frame *shown = lab_loop_threaded(inner, state);
    now->frame = es_loop_report(lab_loop_engine(inner, state))->frame;
    now->status = shown != NULL ? shown->status : ES_THREADED_INTERPOLATED;
    now->wanted_ns = shown != NULL ? shown->wanted_ns : now->frame.content_ns;
}

static void run(watch *w, const char *name, lab_setup setup)
{
    es_error error = {NULL, NULL};
    inner = lab_loop_find(name);
    assert_non_null(inner);
    lab_loop watcher = *inner;
    watcher.frame = watched_frame;
    watched = w;
    w->count = 0;
    w->there_ns = 0;
    w->done_ns = 0;
    w->taken_ns = 0;
    w->least_ns = INT64_MAX;
    setup.loop = &watcher;
    setup.observer = (lab_observer){on_event, w};
    if (lab_run(&setup, &w->result, &error) != ES_OK) {
        fail_msg("%s: %s %s", name, error.field, error.reason);
    }
    assert_int_equal(w->result.frame_count, w->count);
}

/* The same program on one thread, one tick behind. */
static void run_single(lab_setup setup)
{
    const lab_cost nothing = {0};
    es_loop_config config = {.delay_ticks = 1.0, .ticks_max = ES_TICKS_MAX};
    if (setup.config != NULL) {
        config = *setup.config;
        config.lead_ticks = 0;
        config.ticks_max = ES_TICKS_MAX;
    }
    setup.scenario.update = nothing;
    setup.config = &config;
    run(&single, "auto", setup);
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
    const lab_frame *a = &roof.result.frames[i];
    const lab_frame *b = &single.result.frames[i];
    assert_int_equal(a->begin_ns, b->begin_ns);
    assert_int_equal(a->render_ns, b->render_ns);
    assert_int_equal(a->submit_ns, b->submit_ns);
    assert_int_equal(a->return_ns, b->return_ns);
    assert_int_equal(a->shown_ns, b->shown_ns);
    assert_int_equal(a->refreshes, b->refreshes);
}

static void assert_same_picture(size_t i)
{
    const es_frame *a = &roof.frames[i].frame;
    const es_frame *b = &single.frames[i].frame;
    assert_int_equal(roof.result.frames[i].content_ns, single.result.frames[i].content_ns);
    assert_int_equal(roof.result.frames[i].short_ns, 0);
    assert_int_equal(a->present_ns, b->present_ns);
    assert_int_equal(a->content_ns, b->content_ns);
    assert_int_equal(a->previous_tick, b->previous_tick);
    assert_int_equal(a->previous_ns, b->previous_ns);
    assert_int_equal(a->current_tick, b->current_tick);
    assert_int_equal(a->current_ns, b->current_ns);
    assert_true(a->alpha == b->alpha);
    assert_memory_equal(&a->account, &b->account, sizeof a->account);
}

typedef struct tally {
    size_t same;
    size_t held;
    size_t gaps;
} tally;

/* A frame asked for an instant a refresh further on than those before it, and the one after it does
 * not: the ticks have run ahead for that. It shows the oldest there is, and motion stands until
 * content is there. */
static bool is_gap(size_t i)
{
    int64_t meant_ns = single.frames[i].frame.content_ns;
    int64_t before_ns = i > 0 ? roof.result.frames[i - 1].content_ns : 0;
    if (roof.frames[i].status == ES_THREADED_GAP) {
        assert_int_equal(roof.frames[i].wanted_ns, meant_ns);
        assert_true(roof.result.frames[i].content_ns > meant_ns);
        return true;
    }
    if (meant_ns < before_ns) {
        assert_int_equal(roof.result.frames[i].content_ns, before_ns);
        return true;
    }
    return false;
}

/* A tick that is not there when its picture is drawn holds it at the newest one. */
static void check_frame(size_t i, tally *t)
{
    const seen *now = &roof.frames[i];
    const lab_frame *shown = &roof.result.frames[i];
    int64_t meant_ns = single.frames[i].frame.content_ns;
    assert_same_times(i);
    if (is_gap(i)) {
        t->gaps += 1;
        return;
    }
    assert_int_equal(now->wanted_ns, meant_ns);
    if (meant_ns <= now->there_ns) {
        t->same += 1;
        assert_int_equal(now->status, ES_THREADED_INTERPOLATED);
        assert_same_picture(i);
    } else {
        t->held += 1;
        assert_int_equal(now->status, ES_THREADED_HELD);
        assert_int_equal(shown->content_ns, now->there_ns);
        assert_int_equal(shown->short_ns, meant_ns - now->there_ns);
    }
}

/* Both loops ran on the same machine: compares all frames. */
static tally compare_frames(void)
{
    tally t = {0, 0, 0};
    assert_int_equal(roof.count, single.count);
    assert_true(roof.count > 200);
    for (size_t i = 0; i < roof.count; ++i) {
        check_frame(i, &t);
    }
    assert_int_equal(t.same + t.held + t.gaps, roof.count);
    return t;
}

/* The measures of the loop on one thread, with what is not there taken from its pictures: the error
 * that nothing could have avoided. */
static lab_measures unavoidable(void)
{
    static double scratch[FRAMES_MAX];
    static lab_frame frames[FRAMES_MAX];
    lab_measures measures;
    for (size_t i = 0; i < single.count; ++i) {
        int64_t there_ns = roof.frames[i].there_ns;
        frames[i] = single.result.frames[i];
        frames[i].content_ns = frames[i].content_ns < there_ns ? frames[i].content_ns : there_ns;
    }
    int64_t refresh_ns = es_rate_period_ns(es_hz(60)); /* of no matter for animation errors */
    lab_measure(frames, single.count, single.result.measured, refresh_ns, scratch, &measures);
    return measures;
}

static void assert_same_errors(const lab_measures *a, const lab_measures *b)
{
    assert_memory_equal(&a->animation, &b->animation, sizeof a->animation);
    assert_true(a->lost_ms == b->lost_ms);
    assert_true(a->drift_ms == b->drift_ms);
    assert_true(a->pursuit_ms == b->pursuit_ms);
    assert_true(a->repeat_share == b->repeat_share);
}

/* What is shown, and what is not, adds up to the time that has passed, in every frame. */
static void assert_account_is_even(const watch *w)
{
    int64_t first_ns = w->frames[0].frame.present_ns;
    for (size_t i = 0; i < w->count; ++i) {
        const es_frame *frame = &w->frames[i].frame;
        const es_account *a = &frame->account;
        int64_t due_ns = frame->present_ns - first_ns - a->dropped_ns - a->gaps_ns - a->slowed_ns
                         - a->clamped_ns - a->delay_ns - a->reanchored_ns + a->seeked_ns;
        assert_int_equal(due_ns, frame->content_ns);
    }
}

/* --- as long as the tick is there ------------------------------------------------------------- */

/* Runs both, and compares all: frame by frame, and what is measured. Before that is measured, while
 * the display is being found out, there may be so many gaps. */
static tally compare(const char *name, lab_setup setup, size_t most_gaps)
{
    run(&roof, name, setup);
    run_single(setup);
    tally t = compare_frames();
    lab_measures least = unavoidable();
    assert_account_is_even(&roof);
    assert_in_range(t.gaps, 0, most_gaps);
    for (size_t i = roof.result.measured; i < roof.count; ++i) {
        assert_false(is_gap(i));
    }
    assert_same_errors(&least, &roof.result.measures);
    if (t.held == 0) {
        assert_same_errors(&single.result.measures, &roof.result.measures);
        assert_true(roof.result.measures.short_share == 0.0);
    }
    return t;
}

/* After a gap the two do not read the clock equally often: then a reading must cost nothing, or
 * their frames would not take the same times. */
static void make_readings_free(lab_setup *setup)
{
    setup->scenario.clock.read_ns = 0;
    setup->scenario.clock.noise_ns = 0;
}

/* Ticks cost what they cost, and wake as late as threads do. */
static void pictures_are_those_of_one_thread(void **state)
{
    static const char *const scenarios[] = {
            "cheap", "90-105", "gpu-90-105", "spikes", "ramp", "wake-1.5", "wake-vm", "clock-back"};
    static const es_rate refreshes[] = {{60, 1}, {60000, 1001}, {144, 1}};
    static const es_rate ticks[] = {{20, 1}, {30, 1}, {60, 1}};
    (void)state;
    for (size_t i = 0; i < sizeof scenarios / sizeof scenarios[0]; ++i) {
        for (size_t k = 0; k < 9; ++k) {
            lab_setup setup = setup_of(scenarios[i], refreshes[k % 3], ticks[k / 3], i + k + 1);
            setup.display.queue = 1 + (int32_t)((i + k) % 3);
            bool short_ticks = k >= 3; /* at first some frames ask for one that is too far */
            if (short_ticks) {
                make_readings_free(&setup);
            }
            tally t = compare("threaded", setup, short_ticks ? 3 : 0);
            assert_in_range(t.held, 0, short_ticks ? 2 : 0);
        }
    }
}

static lab_lateness up_to(double share, es_rate ticks)
{
    int64_t most_ns = (int64_t)(share * (double)es_rate_period_ns(ticks));
    return (lab_lateness){{{1.0, 0, most_ns, 0}}};
}

/* Frames at an interval of their own. */
static lab_setup paced(es_loop_config *config, int64_t interval_ns, es_rate ticks, uint64_t seed)
{
    assert_int_equal(lab_loop_config(lab_loop_find("threaded"), config), ES_OK);
    config->pace = ES_PACE_ADAPTIVE;
    config->interval_ns = interval_ns;
    lab_setup setup = setup_of("cheap", es_hz(60), ticks, seed);
    setup.display.refresh = LAB_REFRESH_NONE;
    setup.config = config;
    return setup;
}

/* Each tick begins up to 0.9 periods late. */
static void late_ticks_change_no_picture(void **state)
{
    static const int64_t intervals_ns[] = {16666667, 6944444, 20 * MS, 33333333};
    static const es_rate ticks[] = {{20, 1}, {60, 1}, {128, 1}};
    es_loop_config config;
    (void)state;
    for (uint64_t seed = 1; seed <= 24; ++seed) {
        es_rate rate = ticks[seed % 3];
        lab_setup setup = paced(&config, intervals_ns[seed / 3 % 4], rate, seed);
        setup.scenario.worker_sleep = up_to(0.9, rate);
        tally t = compare("threaded", setup, 0);
        assert_int_equal(t.held, 0);
    }
}

static void late_ticks_change_no_picture_on_a_display(void **state)
{
    static const es_rate refreshes[] = {{60, 1}, {144, 1}, {60000, 1001}, {240, 1}};
    static const es_rate ticks[] = {{20, 1}, {30, 1}};
    (void)state;
    for (uint64_t seed = 1; seed <= 16; ++seed) {
        es_rate rate = ticks[seed % 2];
        lab_setup setup = setup_of("cheap", refreshes[seed / 2 % 4], rate, seed);
        setup.scenario.worker_sleep = up_to(0.9, rate);
        tally t = compare("threaded", setup, 0);
        assert_in_range(t.held, 0, 1); /* while the display is being found out */
        assert_true(roof.result.measures.short_share == 0.0);
    }
}

/* Beyond that some are missing: each picture that asks for one is held, as long as it is. */
static void what_is_late_is_held(void **state)
{
    static const double shares[] = {1.2, 1.5, 2.5};
    es_loop_config config;
    (void)state;
    for (uint64_t seed = 1; seed <= 24; ++seed) {
        double share = shares[seed % 3];
        lab_setup setup = paced(&config, seed % 2 == 0 ? 15 * MS : 6944444, es_hz(60), seed);
        if (seed > 12) {
            setup = setup_of("cheap", es_hz(seed % 2 == 0 ? 60 : 144), es_hz(25), seed);
            make_readings_free(&setup);
        }
        setup.scenario.worker_sleep = up_to(share, setup.tick_rate);
        tally t = compare("threaded", setup, 0);
        double held = (double)t.held / (double)roof.count;
        assert_true(held > 0.0005 && held < 0.75);
        double measured = roof.result.measures.short_share;
        assert_true(measured > 0.0 && measured < 0.75);
        const lab_error *error = &roof.result.measures.animation;
        assert_true(error->mean_abs_ms > single.result.measures.animation.mean_abs_ms);
    }
}

/* --- whatever else happens -------------------------------------------------------------------- */

static void time_is_never_lost_unsaid(void **state)
{
    static const char *const scenarios[] = {"heavy-tail", "stall", "clock-glitch", "slow-update"};
    static const char *const loops[] = {"threaded", "threaded-locked"};
    (void)state;
    for (size_t i = 0; i < 8; ++i) {
        for (uint64_t seed = 1; seed <= 3; ++seed) {
            lab_setup setup = setup_of(scenarios[i / 2], es_hz(60), es_hz(60), seed);
            run(&roof, loops[i % 2], setup);
            assert_account_is_even(&roof);
            int64_t last_ns = 0;
            for (size_t k = 0; k < roof.count; ++k) {
                assert_true(roof.result.frames[k].content_ns >= last_ns);
                last_ns = roof.result.frames[k].content_ns;
            }
        }
    }
}

/* A frame that takes long leaves content behind, and ticks run on meanwhile: content is moved up to
 * them. What it then still wins back is only the rest, or it would run ahead of the screen. */
static void content_never_runs_ahead(void **state)
{
    static const es_rate ticks[] = {{60, 1}, {120, 1}};
    size_t gaps = 0;
    (void)state;
    for (uint64_t seed = 1; seed <= 8; ++seed) {
        lab_setup setup =
                setup_of("heavy-tail", es_hz(seed % 4 < 2 ? 60 : 144), ticks[seed % 2], seed);
        run(&roof, "threaded", setup);
        for (size_t i = 0; i < roof.count; ++i) {
            gaps += roof.frames[i].status == ES_THREADED_GAP;
        }
        assert_true(roof.result.measures.lost_ms > -20.0);
        assert_true(roof.result.measures.lost_ms < 120.0); /* a frame of 100 ms may be the last */
    }
    assert_in_range(gaps, 50, 500);
}

/* --- with a lock ------------------------------------------------------------------------------ */

static void a_lock_around_nothing_changes_nothing(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 4; ++seed) {
        lab_setup setup = setup_of("spikes", es_hz(seed % 2 == 0 ? 60 : 144), es_hz(30), seed);
        setup.state_bytes = 1;
        compare("threaded-locked", setup, 0);
    }
}

/* 4 ticks of 1 MB, 0.1 ms each, by either side; and nobody hands over while the other copies. */
static void copies_take_their_time(void **state)
{
    const int64_t copies_ns = 400000;
    (void)state;
    lab_setup setup = setup_of("cheap", es_hz(60), es_hz(30), 1);
    run(&single, "threaded", setup);
    double without = single.result.measures.cpu_share;
    run(&roof, "threaded-locked", setup);
    double more = roof.result.measures.cpu_share - without;
    assert_true(more > 0.97 * 2 * 30 * 400e-6 && more < 1.03 * 2 * 30 * 400e-6);
    size_t acquired = 0;
    for (size_t i = 1; i < roof.count; ++i) {
        if (i > 10 && roof.frames[i].there_ns > roof.frames[i - 1].there_ns) {
            acquired += 1;
            int64_t since_ns = roof.result.frames[i].render_ns - roof.frames[i].done_ns;
            assert_true(since_ns >= copies_ns - 100); /* the readings of the clock */
        }
    }
    assert_in_range(acquired, 350, 361);
}

/* Where either side copies for 8 ms they get in each other's way: many pictures wait until a tick
 * has been copied. */
static void who_waits_for_the_lock_waits(void **state)
{
    (void)state;
    lab_setup setup = setup_of("cheap", es_hz(60), es_hz(50), 1);
    setup.state_bytes = 20 * LAB_STATE_BYTES;
    run(&roof, "threaded-locked", setup);
    assert_account_is_even(&roof);
    size_t waited = 0;
    for (size_t i = 10; i < roof.count; ++i) {
        int64_t since_ns = roof.result.frames[i].render_ns - roof.frames[i].done_ns;
        waited += since_ns >= 8 * MS - 100 && since_ns <= 8 * MS;
    }
    assert_in_range(waited, roof.count / 4, roof.count * 3 / 4);
    assert_in_range(roof.least_ns, 8 * MS, 9 * MS); /* who hands over waits, too, and copies then */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
            cmocka_unit_test(pictures_are_those_of_one_thread),
            cmocka_unit_test(late_ticks_change_no_picture),
            cmocka_unit_test(late_ticks_change_no_picture_on_a_display),
            cmocka_unit_test(what_is_late_is_held),
            cmocka_unit_test(time_is_never_lost_unsaid),
            cmocka_unit_test(content_never_runs_ahead),
            cmocka_unit_test(a_lock_around_nothing_changes_nothing),
            cmocka_unit_test(copies_take_their_time),
            cmocka_unit_test(who_waits_for_the_lock_waits),
    };
    return cmocka_run_group_tests_name("lab_threaded", tests, NULL, NULL);
}
