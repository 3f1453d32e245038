/* SPDX-License-Identifier: Zlib
 *
 * The catch-up policies: what each promises when updates cost three times what they are worth, what
 * the report says it cost, and how it ends when the load does.
 */
#include "test_support.h"

#include "evenstep/evenstep.h"

#include <string.h>

#define MS ES_NS_PER_MS
#define S  ES_NS_PER_S

#define PERIOD_NS INT64_C(16666666)
#define RENDER_NS (3 * MS)

typedef struct game {
    es_loop_config config;
    es_manual_clock clock;
    es_loop loop;
    es_frame frame;
    es_frame before;
    int64_t update_ns;
    double dt_max_s;
} game;

static void start(game *g, const char *name, es_catch_up policy, int64_t update_ns)
{
    memset(g, 0, sizeof *g);
    assert_int_equal(es_loop_config_named(name, &g->config), ES_OK);
    g->config.tick_rate = es_hz(60);
    g->config.catch_up = policy;
    g->config.clock = es_manual_clock_get(&g->clock);
    g->update_ns = update_ns;
}

static void open_loop(game *g)
{
    es_error error;
    if (es_loop_init(&g->loop, &g->config, &error) != ES_OK) {
        fail_msg("%s %s", error.field, error.reason);
    }
}

static void run_frame_of(game *g, int64_t render_ns)
{
    es_step step;
    g->before = g->frame;
    assert_int_equal(es_loop_begin(&g->loop), ES_OK);
    while (es_loop_tick(&g->loop, &step)) {
        g->dt_max_s = step.dt_s > g->dt_max_s ? step.dt_s : g->dt_max_s;
        es_manual_clock_work(&g->clock, g->update_ns);
    }
    assert_int_equal(es_loop_ready(&g->loop, &g->frame), ES_OK);
    es_manual_clock_work(&g->clock, render_ns);
    es_loop_submit(&g->loop);
    assert_int_equal(es_loop_end(&g->loop), ES_OK);
}

static void run_frame(game *g)
{
    run_frame_of(g, RENDER_NS);
}

static int64_t span_of(const game *g)
{
    return g->frame.present_ns - g->before.present_ns;
}

static int64_t advance_of(const game *g)
{
    return g->frame.content_ns - g->before.content_ns;
}

/* Every nanosecond of a frame's span is content, or was given up by name. */
static void check_frame(const game *g)
{
    int64_t owed_more_ns = g->frame.account.clamped_ns - g->before.account.clamped_ns;
    assert_int_equal(
            span_of(g), advance_of(g) + g->frame.dropped_ns + g->frame.slow_motion_ns + owed_more_ns);
    assert_int_equal(g->frame.account.slowed_ns, g->frame.account.slow_motion_ns);
}

/* --- 300 %, in every loop that has the policy ------------------------------------------------- */

static void frames_keep_coming(const char *name, es_catch_up policy)
{
    static game g;
    start(&g, name, policy, 3 * PERIOD_NS);
    open_loop(&g);
    for (int i = 0; i < 20; ++i) {
        run_frame(&g);
    }
    int64_t longest_ns = 0;
    while (g.clock.now_ns < 60 * S) {
        run_frame(&g);
        check_frame(&g);
        longest_ns = span_of(&g) > longest_ns ? span_of(&g) : longest_ns;
        assert_true(advance_of(&g) > 0);
    }
    /* the bound in time, the tick that went over it, the rendering: no spiral; where the bound is
     * one in number, that many ticks */
    int64_t most_ns = 100 * MS + 3 * PERIOD_NS + RENDER_NS;
    if (g.config.ticks_max > 0) {
        most_ns = g.config.ticks_max * 3 * PERIOD_NS + RENDER_NS;
    }
    assert_true(longest_ns <= most_ns);
}

static void no_spiral_at_300_percent(void **state)
{
    static const char *const names[] = {"adaptive", "decoupled", "max-frameskip"};
    (void)state;
    for (int policy = ES_CATCH_UP_DROP; policy <= ES_CATCH_UP_WAIT; ++policy) {
        for (int i = 0; i < 3; ++i) {
            frames_keep_coming(names[i], (es_catch_up)policy);
        }
    }
    frames_keep_coming("variable", ES_CATCH_UP_DROP);
    frames_keep_coming("variable", ES_CATCH_UP_WAIT);
    frames_keep_coming("lockstep", ES_CATCH_UP_DROP);
}

/* --- what each promises ----------------------------------------------------------------------- */

static void drop_loses_at_once_and_owes_nothing(void **state)
{
    static game g;
    (void)state;
    start(&g, "adaptive", ES_CATCH_UP_DROP, 3 * PERIOD_NS);
    open_loop(&g);
    run_frame(&g);
    for (int i = 0; i < 500; ++i) {
        run_frame(&g);
        assert_int_equal(g.frame.account.clamped_ns, 0);
        assert_int_equal(g.frame.account.slow_motion_ns, 0);
        assert_int_equal(g.frame.dropped_ns, span_of(&g) - advance_of(&g));
        assert_true(g.frame.alpha == 1.0);
        assert_true(g.frame.ticks <= 3);
    }
    g.update_ns = MS; /* and the load ends: at once as if nothing had been */
    run_frame(&g);
    run_frame(&g);
    assert_int_equal(g.frame.dropped_ns, 0);
    assert_int_equal(advance_of(&g), span_of(&g));
}

static double speed_of(const game *g)
{
    return (double)advance_of(g) / (double)span_of(g);
}

static void slow_motion_is_even_and_recovers_slowly(void **state)
{
    static game g;
    (void)state;
    start(&g, "adaptive", ES_CATCH_UP_SLOW, 3 * PERIOD_NS);
    open_loop(&g);
    for (int i = 0; i < 40; ++i) {
        run_frame(&g);
    }
    double settled = speed_of(&g);
    assert_true(settled > 0.28 && settled < 0.34);
    for (int i = 0; i < 1000; ++i) {
        run_frame(&g);
        assert_int_equal(g.frame.dropped_ns, 0);
        assert_true(speed_of(&g) > settled - 1e-6 && speed_of(&g) < settled + 1e-6); /* even */
        assert_true(g.frame.ticks <= 2);
    }
    g.update_ns = MS;
    int frames = 0;
    double speed = settled;
    while (speed < 1.0 && frames < 2000) {
        run_frame(&g);
        assert_true(speed_of(&g) >= speed - 1e-6);
        assert_true(speed_of(&g) <= speed * 1.0101);
        speed = speed_of(&g);
        frames += 1;
    }
    assert_true(frames > 100 && frames < 300); /* 1.01^116 is 3.17; and a second of calm */
    run_frame(&g);
    assert_int_equal(g.frame.slow_motion_ns, 0);
    assert_int_equal(advance_of(&g), span_of(&g));
}

/* The promise that slow motion never goes below 1/64. */
static void slow_motion_has_an_end(void **state)
{
    static game g;
    (void)state;
    start(&g, "max-frameskip", ES_CATCH_UP_SLOW, 300 * PERIOD_NS);
    g.config.ticks_max = 1;
    open_loop(&g);
    for (int i = 0; i < 50; ++i) {
        run_frame(&g);
        if (i > 0) {
            check_frame(&g);
            assert_true(advance_of(&g) > 0);
        }
    }
    assert_true(g.frame.slow_motion_ns > 0);
}

static void run_frames(game *g, int count, int64_t render_ns)
{
    for (int i = 0; i < count; ++i) {
        run_frame_of(g, render_ns);
    }
}

/* What the machine can keep up with was a hitch. */
static void slow_motion_is_not_for_hitches(void **state)
{
    static game g;
    (void)state;
    start(&g, "adaptive", ES_CATCH_UP_SLOW, MS);
    open_loop(&g);
    run_frames(&g, 100, RENDER_NS);
    run_frame_of(&g, 400 * MS);
    run_frame(&g);
    assert_true(g.frame.slow_motion_ns > 200 * MS && g.frame.slow_motion_ns < 300 * MS);
    run_frame(&g);
    assert_int_equal(g.frame.slow_motion_ns, 0);
    assert_int_equal(advance_of(&g), span_of(&g));
}

/* A load comes and goes, with frames that are long by themselves. */
static void expect_recovery(const char *name, uint32_t tick_hz, int64_t render_ns, int64_t load_ns,
        int64_t update_ns, es_ratio scale)
{
    static game g;
    start(&g, name, ES_CATCH_UP_SLOW, update_ns);
    g.config.tick_rate = es_hz(tick_hz);
    open_loop(&g);
    assert_int_equal(es_loop_set_time_scale(&g.loop, scale), ES_OK);
    run_frames(&g, 100, render_ns);
    g.update_ns = load_ns;
    run_frames(&g, 500, render_ns);
    assert_true(g.frame.slow_motion_ns > 0);
    g.update_ns = update_ns;
    run_frames(&g, 2000, render_ns);
    assert_int_equal(g.frame.slow_motion_ns, 0);
    double wanted = (double)scale.numerator / (double)scale.denominator;
    assert_true(speed_of(&g) > wanted - 1e-6 && speed_of(&g) < wanted + 1e-6);
}

static void slow_motion_ends_with_the_load(void **state)
{
    const es_ratio normal = {1, 1};
    const es_ratio quarter = {1, 4};
    (void)state;
    expect_recovery("adaptive", 60, 24300000, 44800000, 4080000, normal);
    expect_recovery("max-frameskip", 60, 20 * MS, 50 * MS, MS, normal);
    expect_recovery("decoupled", 1000, 8 * MS, 3 * MS, 50000, normal);
    expect_recovery("adaptive", 60, 3 * MS, 150 * MS, 25 * MS, quarter); /* 150 % at full speed */
}

static void slow_motion_does_not_recover_unseen(void **state)
{
    static game g;
    (void)state;
    start(&g, "adaptive", ES_CATCH_UP_SLOW, 3 * PERIOD_NS);
    open_loop(&g);
    run_frames(&g, 100, RENDER_NS);
    double speed = speed_of(&g);
    g.update_ns = 0;
    es_loop_pause(&g.loop, true);
    run_frames(&g, 400, RENDER_NS);
    es_loop_pause(&g.loop, false);
    run_frame(&g);
    run_frame(&g);
    assert_true(speed_of(&g) < speed * 1.0202);
    assert_int_equal(es_loop_set_interval(&g.loop, PERIOD_NS), ES_OK);
    run_frame(&g);
    assert_true(speed_of(&g) < speed * 1.0305);
}

/* A bound in time of the game holds although running ticks move what the frame must show. */
static void catch_up_max_bounds_a_frame(void **state)
{
    static game g;
    (void)state;
    for (int policy = ES_CATCH_UP_DROP; policy <= ES_CATCH_UP_WAIT; ++policy) {
        start(&g, "adaptive", (es_catch_up)policy, 3 * PERIOD_NS);
        g.config.catch_up_max_ns = 100 * MS;
        g.config.ticks_max = 60;
        open_loop(&g);
        for (int i = 0; i < 50; ++i) {
            run_frame(&g);
            assert_true(g.frame.ticks <= 7);
        }
    }
}

/* The game's 100 ms are 10 s at a hundred times the speed. */
static void catch_up_max_is_in_the_games_time(void **state)
{
    static game g;
    es_ratio fast = {100, 1};
    (void)state;
    start(&g, "decoupled", ES_CATCH_UP_DROP, 0);
    open_loop(&g);
    es_loop_set_time_scale(&g.loop, fast);
    run_frames(&g, 100, 16 * MS);
    assert_int_equal(advance_of(&g), 1600 * MS);
    assert_int_equal(g.frame.account.dropped_ns, 0);
}

static void a_single_step_is_no_shortage(void **state)
{
    static game g;
    (void)state;
    for (int policy = ES_CATCH_UP_DROP; policy <= ES_CATCH_UP_WAIT; ++policy) {
        start(&g, "adaptive", (es_catch_up)policy, 0);
        g.config.tick_rate = es_hz(5);
        g.config.catch_up_max_ns = 50 * MS;
        open_loop(&g);
        run_frames(&g, 30, RENDER_NS);
        es_loop_pause(&g.loop, true);
        es_loop_step_once(&g.loop);
        run_frame(&g);
        assert_int_equal(g.frame.ticks, 1);
        assert_int_equal(g.frame.dropped_ns, 0);
        assert_int_equal(g.frame.account.clamped_ns, 0);
        es_loop_pause(&g.loop, false);
        run_frame(&g);
        assert_int_equal(advance_of(&g), PERIOD_NS); /* nothing stands or leaps */
    }
}

static void a_policy_set_later_is_the_same(void **state)
{
    static game g;
    (void)state;
    start(&g, "adaptive", ES_CATCH_UP_DROP, MS / 2);
    g.config.ticks_max = 4;
    open_loop(&g);
    assert_int_equal(es_loop_set_catch_up(&g.loop, ES_CATCH_UP_SPREAD), ES_OK);
    run_frames(&g, 100, RENDER_NS);
    run_frame_of(&g, 600 * MS);
    run_frame(&g);
    assert_true(g.frame.account.clamped_ns > 500 * MS);
    assert_int_equal(g.frame.account.dropped_ns, 0);
    assert_int_equal(es_loop_set_catch_up(&g.loop, ES_CATCH_UP_WAIT), ES_OK);
    run_frame_of(&g, 600 * MS);
    run_frame(&g);
    assert_int_equal(advance_of(&g), PERIOD_NS + PERIOD_NS / 4);
}

/* Ticks left unrun are the program's choice: dropped, whatever the policy. */
static void what_the_program_leaves_is_dropped(void **state)
{
    static game g;
    (void)state;
    for (int policy = ES_CATCH_UP_DROP; policy <= ES_CATCH_UP_WAIT; ++policy) {
        start(&g, "adaptive", (es_catch_up)policy, 0);
        open_loop(&g);
        run_frames(&g, 100, RENDER_NS);
        es_manual_clock_work(&g.clock, 50 * MS);
        int64_t dropped_ns = g.frame.account.dropped_ns;
        int64_t slow_motion_ns = g.frame.account.slow_motion_ns;
        es_loop_begin(&g.loop);
        es_loop_ready(&g.loop, &g.frame);
        es_loop_end(&g.loop);
        assert_true(g.frame.account.dropped_ns > dropped_ns);
        assert_int_equal(g.frame.account.clamped_ns, 0);
        run_frames(&g, 2, RENDER_NS);
        assert_int_equal(advance_of(&g), span_of(&g));
        assert_true(policy == ES_CATCH_UP_WAIT || g.frame.account.slow_motion_ns == slow_motion_ns);
    }
}

static void spread_makes_up_for_a_hitch(void **state)
{
    static game g;
    int64_t debt_ns;
    (void)state;
    start(&g, "adaptive", ES_CATCH_UP_SPREAD, MS / 2);
    g.config.ticks_max = 4;
    open_loop(&g);
    for (int i = 0; i < 100; ++i) {
        run_frame(&g);
    }
    run_frame_of(&g, 600 * MS);
    run_frame(&g);
    debt_ns = g.frame.account.clamped_ns;
    assert_int_equal(g.frame.debt_ns, debt_ns);
    assert_true(debt_ns > 500 * MS && debt_ns < 600 * MS);
    int64_t begun_ns = g.clock.now_ns;
    while (g.frame.account.clamped_ns > 0) {
        run_frame(&g);
        check_frame(&g);
        assert_int_equal(g.frame.dropped_ns, 0);
        assert_true(advance_of(&g) <= span_of(&g) + span_of(&g) / 4 + 1); /* at most 5/4 */
        assert_true(g.clock.now_ns - begun_ns < 4 * debt_ns + 100 * MS);
    }
    assert_true(g.clock.now_ns - begun_ns > 4 * debt_ns - 100 * MS);
    run_frame(&g);
    assert_int_equal(advance_of(&g), span_of(&g));
    assert_int_equal(g.frame.content_ns, g.frame.present_ns); /* nothing was lost */
    assert_int_equal(g.frame.account.dropped_ns, 0);
}

static void spread_owes_a_second_at_most(void **state)
{
    static game g;
    (void)state;
    start(&g, "adaptive", ES_CATCH_UP_SPREAD, 3 * PERIOD_NS);
    open_loop(&g);
    for (int i = 0; i < 200; ++i) {
        run_frame(&g);
        assert_true(g.frame.account.clamped_ns <= S);
    }
    assert_int_equal(g.frame.account.clamped_ns, S);
    assert_true(g.frame.dropped_ns > 0);
    /* a shorter patience, asked for */
    start(&g, "adaptive", ES_CATCH_UP_SPREAD, 3 * PERIOD_NS);
    g.config.catch_up_max_ns = 200 * MS;
    open_loop(&g);
    for (int i = 0; i < 200; ++i) {
        run_frame(&g);
        assert_true(g.frame.account.clamped_ns <= 200 * MS);
    }
}

static void stretch_keeps_real_time(void **state)
{
    static game g;
    (void)state;
    start(&g, "adaptive", ES_CATCH_UP_STRETCH, 3 * PERIOD_NS);
    open_loop(&g);
    for (int i = 0; i < 10; ++i) {
        run_frame(&g);
    }
    int64_t dropped_ns = g.frame.account.dropped_ns;
    int64_t stretched_ns = g.frame.account.stretched_ns;
    int64_t ticks = g.frame.current_tick;
    int64_t content_ns = g.frame.current_ns;
    for (int i = 0; i < 1000; ++i) {
        run_frame(&g);
        check_frame(&g);
        assert_int_equal(advance_of(&g), span_of(&g)); /* steps 3 times as long: nothing lost */
    }
    assert_int_equal(g.frame.account.dropped_ns, dropped_ns);
    int64_t nominal_ns = (g.frame.current_tick - ticks) * PERIOD_NS;
    assert_int_equal(g.frame.account.stretched_ns - stretched_ns,
            g.frame.current_ns - content_ns - nominal_ns);
    assert_true(g.dt_max_s <= 4.0 / 60.0);
    g.update_ns = MS;
    for (int i = 0; i < 4; ++i) {
        run_frame(&g); /* until a tick has shown what it costs now */
    }
    g.dt_max_s = 0.0;
    run_frame(&g);
    assert_true(g.dt_max_s == es_rate_period_s(es_hz(60))); /* the usual step again */
    assert_int_equal(g.frame.stretched_ns, 0);
}

static void stretch_is_bounded(void **state)
{
    static game g;
    (void)state;
    start(&g, "max-frameskip", ES_CATCH_UP_STRETCH, 20 * PERIOD_NS);
    g.config.ticks_max = 2;
    g.config.stretch_max = 5;
    open_loop(&g);
    for (int i = 0; i < 200; ++i) {
        run_frame(&g);
    }
    assert_true(g.dt_max_s > 4.99 / 60.0 && g.dt_max_s <= 5.0 / 60.0);
    assert_true(g.frame.dropped_ns > 0);
    assert_int_equal(g.frame.ticks, 2);
}

static void wait_moves_on_by_one_interval(void **state)
{
    static game g;
    (void)state;
    start(&g, "adaptive", ES_CATCH_UP_WAIT, 3 * PERIOD_NS);
    open_loop(&g);
    run_frame(&g);
    for (int i = 0; i < 1000; ++i) {
        run_frame(&g);
        assert_true(advance_of(&g) <= PERIOD_NS + PERIOD_NS / 4);
        assert_true(g.frame.ticks <= 2);
        assert_int_equal(g.frame.dropped_ns, 0);
    }
    assert_true(g.frame.account.slow_motion_ns > 0);
    g.update_ns = MS;
    run_frames(&g, 12, RENDER_NS); /* of 103 ms: the interval keeps to the load for a second more */
    for (int i = 0; i < 100; ++i) {
        run_frame(&g);
        assert_int_equal(advance_of(&g), span_of(&g));
    }
    run_frame_of(&g, 500 * MS); /* a hitch: the world waits for the picture */
    run_frame(&g);
    assert_int_equal(advance_of(&g), PERIOD_NS + PERIOD_NS / 4);
    assert_int_equal(g.frame.slow_motion_ns, span_of(&g) - advance_of(&g));
}

/* --- one hitch must not cost the frame rate --------------------------------------------------- */

/* Work that fits the interval with one tick, and would not with the two or three that every longer
 * interval needs. */
static void the_rate_comes_back_after_a_hitch(void **state)
{
    static game g;
    const int64_t hitches_ms[] = {30, 40, 60, 120, 500};
    (void)state;
    for (int policy = ES_CATCH_UP_DROP; policy <= ES_CATCH_UP_WAIT; ++policy) {
        for (int64_t cost_ms = 1; cost_ms <= 15; cost_ms += 2) {
            for (int i = 0; i < 5; ++i) {
                start(&g, "adaptive", (es_catch_up)policy, cost_ms * MS);
                open_loop(&g);
                run_frames(&g, 100, MS / 2);
                assert_int_equal(g.frame.interval_ns, PERIOD_NS);
                run_frame_of(&g, hitches_ms[i] * MS);
                run_frames(&g, 1200, MS / 2);
                assert_int_equal(g.frame.interval_ns, PERIOD_NS);
                assert_int_equal(span_of(&g), PERIOD_NS);
            }
        }
    }
}

/* --- with speed, pause, change of policy ------------------------------------------------------ */

static void lag_is_told_from_what_the_user_wants(void **state)
{
    static game g;
    es_ratio half = {1, 2};
    (void)state;
    start(&g, "adaptive", ES_CATCH_UP_WAIT, MS);
    open_loop(&g);
    run_frame(&g);
    es_loop_set_time_scale(&g.loop, half);
    for (int i = 0; i < 10; ++i) {
        run_frame(&g);
    }
    assert_int_equal(g.frame.account.slow_motion_ns, 0);
    run_frame_of(&g, 500 * MS);
    run_frame(&g);
    /* half of what the frame lost over 5/4 intervals was missed: the other half nobody wanted */
    int64_t most_ns = PERIOD_NS + PERIOD_NS / 4;
    assert_in_range(
            g.frame.slow_motion_ns, (span_of(&g) - most_ns) / 2 - 1, (span_of(&g) - most_ns) / 2 + 1);
    es_loop_pause(&g.loop, true);
    int64_t slow_motion_ns = g.frame.account.slow_motion_ns;
    run_frame_of(&g, 500 * MS);
    run_frame(&g);
    assert_int_equal(g.frame.account.slow_motion_ns, slow_motion_ns);
    assert_int_equal(advance_of(&g), 0);
}

static void a_policy_can_be_changed(void **state)
{
    static game g;
    es_loop unready = {0};
    es_step step;
    (void)state;
    start(&g, "adaptive", ES_CATCH_UP_SPREAD, 3 * PERIOD_NS);
    open_loop(&g);
    for (int i = 0; i < 30; ++i) {
        run_frame(&g);
    }
    int64_t debt_ns = g.frame.account.clamped_ns;
    assert_true(debt_ns > 0);
    assert_int_equal(es_loop_set_catch_up(&g.loop, ES_CATCH_UP_DROP), ES_OK);
    g.update_ns = MS;
    run_frame(&g);
    assert_int_equal(g.frame.account.clamped_ns, 0);
    assert_true(g.frame.dropped_ns >= debt_ns); /* what was owed is given up */
    run_frame(&g);
    run_frame(&g);
    assert_int_equal(advance_of(&g), span_of(&g));
    assert_int_equal(es_loop_set_catch_up(&g.loop, (es_catch_up)7), ES_ERR_INVALID);
    assert_int_equal(es_loop_set_catch_up(NULL, ES_CATCH_UP_DROP), ES_ERR_STATE);
    assert_int_equal(es_loop_set_catch_up(&unready, ES_CATCH_UP_DROP), ES_ERR_STATE);
    es_loop_begin(&g.loop);
    while (es_loop_tick(&g.loop, &step)) {
    }
    assert_int_equal(es_loop_set_catch_up(&g.loop, ES_CATCH_UP_WAIT), ES_ERR_STATE);
    start(&g, "lockstep", ES_CATCH_UP_DROP, MS);
    open_loop(&g);
    assert_int_equal(es_loop_set_catch_up(&g.loop, ES_CATCH_UP_WAIT), ES_ERR_INVALID);
}

static void without_a_shortage_all_are_the_same(void **state)
{
    static game g[5];
    test_random random = {5};
    (void)state;
    for (int policy = 0; policy < 5; ++policy) {
        start(&g[policy], "decoupled", (es_catch_up)policy, MS / 10);
        open_loop(&g[policy]);
    }
    for (int i = 0; i < 10000; ++i) {
        int64_t render_ns = 1 + random_below(&random, 15 * MS);
        for (int policy = 0; policy < 5; ++policy) {
            run_frame_of(&g[policy], render_ns);
            const es_frame *frame = &g[policy].frame;
            assert_int_equal(frame->content_ns, g[0].frame.content_ns);
            assert_int_equal(frame->present_ns, g[0].frame.present_ns);
            assert_int_equal(frame->ticks, g[0].frame.ticks);
            assert_true(frame->alpha == g[0].frame.alpha);
            assert_memory_equal(&frame->account, &g[0].frame.account, sizeof frame->account);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
            cmocka_unit_test(no_spiral_at_300_percent),
            cmocka_unit_test(drop_loses_at_once_and_owes_nothing),
            cmocka_unit_test(slow_motion_is_even_and_recovers_slowly),
            cmocka_unit_test(slow_motion_has_an_end),
            cmocka_unit_test(slow_motion_is_not_for_hitches),
            cmocka_unit_test(slow_motion_ends_with_the_load),
            cmocka_unit_test(slow_motion_does_not_recover_unseen),
            cmocka_unit_test(catch_up_max_bounds_a_frame),
            cmocka_unit_test(catch_up_max_is_in_the_games_time),
            cmocka_unit_test(a_single_step_is_no_shortage),
            cmocka_unit_test(a_policy_set_later_is_the_same),
            cmocka_unit_test(what_the_program_leaves_is_dropped),
            cmocka_unit_test(spread_makes_up_for_a_hitch),
            cmocka_unit_test(spread_owes_a_second_at_most),
            cmocka_unit_test(stretch_keeps_real_time),
            cmocka_unit_test(stretch_is_bounded),
            cmocka_unit_test(wait_moves_on_by_one_interval),
            cmocka_unit_test(the_rate_comes_back_after_a_hitch),
            cmocka_unit_test(lag_is_told_from_what_the_user_wants),
            cmocka_unit_test(a_policy_can_be_changed),
            cmocka_unit_test(without_a_shortage_all_are_the_same),
    };
    return cmocka_run_group_tests_name("catch_up", tests, NULL, NULL);
}
