/* SPDX-License-Identifier: Zlib
 *
 * Loops that take the time when a frame begins (decoupled, variable): with the pace auto they wait
 * there, before the clock is read, but only where presents provably do not block. Rows A3 and A4
 * hold with that wait and without. On the manual clock.
 */
#include "test_support.h"

#include "evenstep/evenstep.h"

#include <string.h>

#define US ES_NS_PER_US
#define MS ES_NS_PER_MS
#define S  ES_NS_PER_S

typedef struct game {
    es_manual_clock clock;
    es_loop loop;
    es_frame frame;
    int64_t began_ns; /* the clock as es_loop_begin returned */
    int64_t present_ns;
    int64_t vsync_ns; /* present blocks until the next multiple of this; 0: never */
    int64_t simulated_ns;
    int64_t first_ns;
} game;

static void open_game(game *g, const es_loop_config *config)
{
    memset(g, 0, sizeof *g);
    es_loop_config own = *config;
    own.clock = es_manual_clock_get(&g->clock);
    assert_int_equal(es_loop_init(&g->loop, &own, NULL), ES_OK);
}

static void run_frame(game *g, int64_t render_ns)
{
    es_step step;
    assert_int_equal(es_loop_begin(&g->loop), ES_OK);
    g->began_ns = g->clock.now_ns;
    while (es_loop_tick(&g->loop, &step)) {
        g->simulated_ns = step.time_ns;
    }
    assert_int_equal(es_loop_ready(&g->loop, &g->frame), ES_OK);
    assert_int_equal(g->clock.now_ns, g->began_ns); /* nothing else waits */
    es_manual_clock_work(&g->clock, render_ns);
    assert_int_equal(es_loop_submit(&g->loop), ES_OK);
    g->clock.now_ns += g->present_ns;
    if (g->vsync_ns > 0) {
        g->clock.now_ns += g->vsync_ns - g->clock.now_ns % g->vsync_ns;
    }
    assert_int_equal(es_loop_end(&g->loop), ES_OK);
    assert_int_equal(g->frame.present_ns, g->began_ns);
}

/* Frames from now on that begin within so long. */
static int64_t frames_in(game *g, int64_t span_ns, int64_t render_ns)
{
    int64_t until_ns = g->clock.now_ns + span_ns;
    int64_t frames = 0;
    while (g->clock.now_ns < until_ns) {
        run_frame(g, render_ns);
        frames += 1;
    }
    return frames;
}

static es_loop_config named(const char *name)
{
    es_loop_config config;
    assert_int_equal(es_loop_config_named(name, &config), ES_OK);
    return config;
}

/* --- when it waits ---------------------------------------------------------------------------- */

static void frames_wait_only_where_presents_do_not_block(void **state)
{
    static const struct {
        const char *name;
        int64_t refresh_ns, interval_ns;
        int64_t render_ns, present_ns, vsync_ns;
        bool uncapped;
        int32_t fps_least, fps_most; /* with a burst of a few frames every 3 s */
    } rows[] = {
            {"decoupled", 0, 0, 500 * US, 0, 0, false, 59, 75},
            {"variable", 0, 0, 500 * US, 0, 0, false, 59, 75},
            {"decoupled", 6944444, 0, 500 * US, 0, 0, false, 143, 155},
            {"decoupled", 6944444, 0, 3 * MS, 0, 0, false, 143, 155},
            {"decoupled", 0, 10 * MS, 500 * US, 0, 0, false, 99, 112},
            /* nothing proves it: a thousand frames per second are few where no refresh is known,
               and what takes its time may wait for a display */
            {"decoupled", 0, 0, 2 * MS, 0, 0, false, 499, 501},
            {"decoupled", 0, 0, 500 * US, 500 * US, 0, false, 999, 1001},
            {"decoupled", 6944444, 0, 6500 * US, 0, 0, false, 153, 155},
            {"decoupled", 16666667, 0, 4 * MS, 0, 16666667, false, 59, 61},
            {"variable", 6944444, 0, 2 * MS, 0, 6944444, false, 143, 145},
            {"decoupled", 0, 0, 500 * US, 0, 0, true, 1999, 2001},
            {"variable", 16666667, 0, 500 * US, 0, 0, true, 1999, 2001},
            {"max-frameskip", 0, 0, 500 * US, 0, 0, false, 1999, 2001},
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; ++i) {
        game g;
        es_loop_config config = named(rows[i].name);
        config.pace = rows[i].uncapped ? ES_PACE_UNCAPPED : config.pace;
        config.refresh_ns = rows[i].uncapped ? 0 : rows[i].refresh_ns;
        config.interval_ns = rows[i].interval_ns;
        open_game(&g, &config);
        g.present_ns = rows[i].present_ns;
        g.vsync_ns = rows[i].vsync_ns;
        frames_in(&g, S, rows[i].render_ns);
        int64_t fps = frames_in(&g, 9 * S, rows[i].render_ns) / 9;
        if (fps < rows[i].fps_least || fps > rows[i].fps_most) {
            fail_msg("row %d: %d frames per second", (int)i, (int)fps);
        }
    }
}

/* A user turns vsync on again: within five seconds each refresh has a frame. */
static void a_display_that_blocks_again_is_noticed(void **state)
{
    game g;
    es_loop_config config = named("decoupled");
    (void)state;
    config.refresh_ns = 16666667; /* as it was, before the window moved to another display */
    open_game(&g, &config);
    frames_in(&g, 4 * S, MS);
    g.vsync_ns = 6944444;
    frames_in(&g, 5 * S, MS);
    assert_in_range(frames_in(&g, 5 * S, MS), 5 * 143, 5 * 145);
}

/* A hidden window: present blocks for longer than gap_ns, which is taken out of the time. */
static void what_blocks_for_a_second_is_no_proof(void **state)
{
    game g;
    es_loop_config config = named("decoupled");
    (void)state;
    config.refresh_ns = 16666667;
    open_game(&g, &config);
    g.present_ns = 1050 * MS;
    frames_in(&g, 40 * S, MS);
    g.present_ns = 0;
    int64_t before_ns = g.clock.now_ns;
    run_frame(&g, MS);
    assert_int_equal(g.began_ns, before_ns);
}

static void the_interval_can_be_changed(void **state)
{
    game g;
    es_loop_config config = named("decoupled");
    (void)state;
    open_game(&g, &config);
    frames_in(&g, S, 500 * US);
    assert_int_equal(es_loop_set_interval(&g.loop, 5 * MS), ES_OK);
    assert_in_range(frames_in(&g, 9 * S, 500 * US) / 9, 199, 215);
}

/* --- what a frame is owed, while it waits ----------------------------------------------------- */

/* A4: every tick with t(n) <= elapsed, then alpha of what is left; exactly. */
static void decoupled_owes_the_same_while_it_waits(void **state)
{
    game g;
    es_loop_config config = named("decoupled");
    test_random random = {.state = 7};
    (void)state;
    config.tick_rate = es_rate_make(60000, 1001);
    open_game(&g, &config);
    int64_t waited = 0;
    for (int64_t i = 0; i < 200000; ++i) {
        int64_t before_ns = g.clock.now_ns;
        run_frame(&g, random_below(&random, 900 * US));
        waited += g.began_ns > before_ns;
        g.first_ns = i == 0 ? g.began_ns : g.first_ns;
        int64_t elapsed_ns = g.began_ns - g.first_ns;
        int64_t owed = g.frame.newest_tick;
        assert_true(es_rate_events_to_ns(config.tick_rate, owed) <= elapsed_ns);
        assert_true(es_rate_events_to_ns(config.tick_rate, owed + 1) > elapsed_ns);
        int64_t left_ns = elapsed_ns - es_rate_events_to_ns(config.tick_rate, owed);
        assert_true(owed == 0 || g.frame.content_ns - g.frame.previous_ns == left_ns);
        assert_int_equal(g.frame.account.dropped_ns, 0);
    }
    assert_true(waited > 100000);
}

/* A3: the step is the time that passed, with the wait in it. */
static void variable_steps_are_even_while_it_waits(void **state)
{
    game g;
    es_loop_config config = named("variable");
    test_random random = {.state = 9};
    int64_t before_ns = 0;
    int64_t even = 0;
    (void)state;
    open_game(&g, &config);
    for (int64_t i = 0; i < 100000; ++i) {
        int64_t simulated_ns = g.simulated_ns;
        run_frame(&g, random_below(&random, 900 * US));
        if (i > 0) {
            assert_int_equal(g.simulated_ns - simulated_ns, g.began_ns - before_ns);
            even += g.began_ns - before_ns == 16666666;
        }
        before_ns = g.began_ns;
    }
    assert_true(even > 80000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
            cmocka_unit_test(frames_wait_only_where_presents_do_not_block),
            cmocka_unit_test(a_display_that_blocks_again_is_noticed),
            cmocka_unit_test(what_blocks_for_a_second_is_no_proof),
            cmocka_unit_test(the_interval_can_be_changed),
            cmocka_unit_test(decoupled_owes_the_same_while_it_waits),
            cmocka_unit_test(variable_steps_are_even_while_it_waits),
    };
    return cmocka_run_group_tests_name("begin_wait", tests, NULL, NULL);
}
