/* SPDX-License-Identifier: Zlib
 *
 * The threaded loop in the lab: its frames beside those of a loop on one thread, one tick behind, whose
 * frames take the same times because its updates cost nothing. Accounts and pairs: test_threads.c.
 */
#include "test_support.h"

#include "lab/run.h"
#include "loop/loop.h"

static lab_result threaded, single;

static lab_setup setup_of(const char *scenario, es_rate refresh, es_rate ticks, uint64_t seed)
{
    lab_setup setup = lab_setup_default();
    setup.loop = lab_loop_find("threaded");
    setup.scenario = *lab_scenario_find(scenario);
    setup.display.rate = refresh;
    setup.tick_rate = ticks;
    setup.seed = seed;
    setup.duration_ns = 12 * S;
    setup.warm_up_ns = 3 * S;
    return setup;
}

static size_t held, gaps; /* frames */

/* A frame is held at the newest tick while its own has not run. Gaps: it aimed a refresh further than
 * those around it, and ticks ran ahead for it. The next frame shows the oldest tick there is, and
 * motion stands until content is there; only before frames are measured. */
static void check_frame(size_t i)
{
    const lab_frame *a = &threaded.frames[i], *b = &single.frames[i];
    assert_int_equal(a->begin_ns, b->begin_ns);
    assert_int_equal(a->render_ns, b->render_ns);
    assert_int_equal(a->submit_ns, b->submit_ns);
    assert_int_equal(a->return_ns, b->return_ns);
    assert_int_equal(a->shown_ns, b->shown_ns);
    assert_int_equal(a->refreshes, b->refreshes);
    if (a->content_ns > b->content_ns) {
        assert_true(i < threaded.measured);
        gaps += 1;
        return;
    }
    assert_int_equal(a->content_ns + a->short_ns, b->content_ns);
    held += a->short_ns > 0;
}

/* Ticks have costs, and the update thread wakes up late; in "late" by up to 0.9 periods. */
TEST(frames_are_those_of_one_thread)
{
    static const char *const scenarios[] = {"cheap", "90-105", "gpu-90-105", "spikes", "ramp",
            "wake-1.5", "wake-vm", "clock-back", "late"};
    static const es_rate refreshes[] = {{60, 1}, {60000, 1001}, {144, 1}};
    static const es_rate ticks[] = {{20, 1}, {30, 1}, {60, 1}};
    for_rows (i, scenarios) {
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
            row("case %d", (int)k);
            assert_int_equal(lab_run(&setup, &threaded, NULL), ES_OK);
            const es_loop_config config = {.delay_ticks = 1.0, .ticks_max = ES__TICKS_MAX};
            setup.loop = lab_loop_find("adaptive"); /* stepped, as the threaded loop */
            setup.scenario.update = (lab_cost){0};
            setup.config = &config;
            assert_int_equal(lab_run(&setup, &single, NULL), ES_OK);
            assert_int_equal(threaded.frame_count, single.frame_count);
            assert_true(threaded.frame_count > 200);
            held = gaps = 0;
            for (size_t frame = 0; frame < threaded.frame_count; ++frame) {
                check_frame(frame);
            }
            assert_in_range(gaps, 0, short_ticks ? 3 : 0);
            assert_in_range(held, 0, short_ticks ? 4 : late);
        }
    }
    lab_result_free(&threaded);
    lab_result_free(&single);
}

/* A slow frame leaves content behind, and ticks go on, so content is moved up to them. It then
 * recovers only the rest, or it would run ahead of the screen. */
TEST(content_never_runs_ahead)
{
    static const es_rate ticks[] = {{60, 1}, {120, 1}};
    for (uint64_t seed = 1; seed <= 8; ++seed) {
        lab_setup setup =
                setup_of("heavy-tail", es_hz(seed % 4 < 2 ? 60 : 144), ticks[seed % 2], seed);
        assert_int_equal(lab_run(&setup, &threaded, NULL), ES_OK);
        assert_true(threaded.measures.lost_ms > -2000.0);
        assert_true(threaded.measures.lost_ms < 120.0); /* a frame of 100 ms may be the last */
    }
    lab_result_free(&threaded);
}
