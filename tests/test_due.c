/* SPDX-License-Identifier: Zlib
 *
 * Where ticks are on the clock (es_step.due_ns, begun_ns): under every loop, delay and lead, with
 * pauses, lost time, gaps and hosts, and from a thread of their own. What a tick
 * stands for is held against the account of the frames, which says where content is.
 */
#include "threads/threads.h"

#include "test_game.h"

static void start(game *g, const char *name, es_rate rate, double delay, int32_t lead)
{
    start_game(g, name);
    g->clock.now_ns = 5 * S;
    g->present_ns = 2 * MS;
    g->config.tick_rate = rate;
    g->config.delay_ticks = delay;
    g->config.lead_ticks = lead;
    open_game(g);
}

/* Content at the instant that it follows, without its delay and its clamping. */
static void check_steps(const game *g)
{
    const es_account *a = &g->frame.account;
    int64_t content_ns = g->frame.content_ns + a->delay_ns + a->clamped_ns;
    for (int32_t i = 0; i < g->ticks && i < GAME_STEPS; ++i) {
        int64_t ahead_ns = g->steps[i].time_ns - content_ns;
        assert_near(g->steps[i].due_ns, g->frame.present_ns + ahead_ns, 1);
    }
}

/* Frame 60 drops time; the clock leaps ahead and back at 120 and 180; a pause is from 240 to 260.
 * What comes after stands for later instants. */
TEST(content_passes_a_tick_when_it_is_due)
{
    static const char *const names[] = {
            NULL, "auto", "low-latency", "adaptive", "decoupled", "max-frameskip"};
    for_rows (n, names) {
        for (int32_t lead = -1; lead <= 2; ++lead) {
            for (int delay = 0; delay <= 2; ++delay) {
                game g;
                start(&g, names[n], es__rate_make(60000, 1001), delay, lead);
                int64_t ticks = 0;
                for (int i = 0; i < 400; ++i) {
                    g.present_ns = i == 60 ? 700 * MS : 7 * MS;
                    g.clock.now_ns += i == 120 ? 100 * S : i == 180 ? -3 * S : 0;
                    es_loop_set_paused(&g.loop, i >= 240 && i < 260);
                    run_frame(&g);
                    if (g.frame.account.frame_dropped_ns == 0) {
                        check_steps(&g);
                    }
                    ticks += g.ticks;
                }
                assert_true(ticks > 100);
                assert_true(g.frame.account.dropped_ns > 390 * MS || n == 4); /* or decoupled */
                assert_in_range(g.frame.account.gaps_ns, 96 * S, 98 * S);
            }
        }
    }
}

TEST(a_host_counts_on_its_own_clock)
{
    game g;
    start(&g, "decoupled", es_hz(60), 0.0, 0);
    int64_t host_ns = 1000 * S;
    int64_t ticks = 0;
    for (int i = 0; i < 100; ++i) {
        es_step step;
        host_ns += 11 * MS;
        assert_true(es__loop_begin_host(&g.loop, host_ns, host_ns + 20 * MS));
        while (es_loop_tick(&g.loop, &step)) {
            assert_int_equal(step.begun_ns, host_ns);
            assert_int_equal(step.due_ns, 1000 * S + 31 * MS + step.time_ns);
            ticks += 1;
        }
        es_loop_wait(&g.loop, NULL);
        es_loop_end(&g.loop);
    }
    assert_true(ticks > 60);
}

static es_loop *threaded;

/* Ticks of 20 ms from 5 s on, with a delay of one tick. */
static es_threads *open_threads(es_manual_clock *clock, es_pace pace)
{
    const es_threads_config config = {.state_size = 8};
    *clock = (es_manual_clock){.now_ns = 5 * S};
    es_loop_config made = {.clock = es_manual_clock_get(clock), .pace = pace};
    made.interval_ns = pace == ES_PACE_ADAPTIVE ? 16 * MS : 0;
    made.tick_rate = es_hz(50);
    made.delay_ticks = 1.0;
    threaded = es_loop_create(&made);
    es_threads *threads = es_threads_start(threaded, &config);
    assert_non_null(threads);
    return threads;
}

static void close_threads(es_threads *threads)
{
    es_threads_stop(threads, NULL);
    es_loop_destroy(threaded);
}

static void run_threaded_frame(void)
{
    assert_true(es_loop_begin(threaded));
    assert_true(es_loop_wait(threaded, NULL));
}

static void end_threaded_frame(void)
{
    assert_true(es_loop_submit(threaded));
    assert_true(es_loop_end(threaded));
}

/* The ticks of another thread stand for the same instants; content is at D - 1 period. */
static void count_in_another_thread(es_pace pace)
{
    es_manual_clock clock;
    es_threads *threads = open_threads(&clock, pace);
    int64_t ticks = 0;
    int64_t from_ns = 5 * S;
    for (int i = 0; i < 400; ++i) {
        es__tick tick;
        if (i == 200) {
            assert_true(es_loop_set_speed(threaded, 0.5));
        }
        run_threaded_frame();
        while (es__tick_begin(threads, &tick)) {
            assert_int_equal(tick.step.begun_ns, clock.now_ns);
            if (tick.step.index > 2 && i < 200) {
                assert_int_equal(tick.step.due_ns, from_ns + tick.step.time_ns);
            } else if (i > 201) {
                const es_frame *frame = &es_loop_get_report(threaded)->frame;
                int64_t content_ns = frame->content_ns + 20 * MS;
                int64_t ahead_ns = tick.step.time_ns - content_ns;
                assert_near(tick.step.due_ns, frame->present_ns + 2 * ahead_ns, 4);
            }
            ticks += 1;
            es__tick_end(threads);
        }
        end_threaded_frame();
        clock.now_ns += pace == ES_PACE_ADAPTIVE ? 0 : 16 * MS;
    }
    assert_true(ticks > 200);
    close_threads(threads);
}

/* Where ticks of another thread lose time, the tick that finds it stands after the lost time: the
 * next one is a period later. */
TEST(another_thread_loses_time)
{
    es_manual_clock clock;
    es__tick tick, next;
    es_threads *threads = open_threads(&clock, ES_PACE_UNCAPPED);
    for (int i = 0; i < 40; ++i) { /* the ticks do not run: their thread has stalled */
        clock.now_ns += 10 * MS;
        run_threaded_frame();
        end_threaded_frame();
    }
    assert_true(es__tick_begin(threads, &tick));
    assert_true(tick.dropped_ns > 200 * MS);
    es__tick_end(threads);
    assert_true(es__tick_begin(threads, &next));
    assert_int_equal(next.dropped_ns, 0);
    assert_int_equal(next.step.due_ns - tick.step.due_ns, 20 * MS);
    es__tick_end(threads);
    close_threads(threads);
}

TEST(another_thread_counts_the_same)
{
    count_in_another_thread(ES_PACE_ADAPTIVE);
    count_in_another_thread(ES_PACE_PRESENT); /* a frame is seen before it starts */
}
