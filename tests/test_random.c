/* SPDX-License-Identifier: Zlib
 *
 * Ten million random frames through the whole loop: random costs, stalls, gaps, clock faults,
 * pauses, scales, steps, seeks, rates, delays, hosts. What must hold at each frame, to the
 * nanosecond: ticks come once and in order at their exact times; content never goes back but by a
 * seek; the two ticks bracket it; and where every nanosecond went is in the account.
 */
#include "test_support.h"

#include "evenstep/loop.h"

#include <string.h>

#define MS ES_NS_PER_MS
#define S  ES_NS_PER_S

enum { RUNS = 1000, FRAMES_PER_RUN = 10000 };

typedef struct chaos {
    test_random random;
    es_manual_clock clock;
    es_loop loop;
    es_frame frame;
    bool host;
    int64_t host_ns;
    int64_t first_present_ns;
    bool first;
    int64_t tick;
    int64_t tick_ns;
    es_rate rate;
    int64_t base_tick; /* since the last change of rate */
    int64_t base_ns;
    int64_t content_ns;
    int64_t cost_ns; /* typical cost of this run */
    int frames_late;
} chaos;

static bool chance(chaos *c, int64_t one_in)
{
    return random_below(&c->random, one_in) == 0;
}

static es_rate random_rate(chaos *c)
{
    const es_rate rates[] = {es_hz(60), es_rate_make(60000, 1001), es_hz(5), es_hz(240),
            es_hz(1000), es_rate_make(999983, 7919), es_rate_make(1, 3)};
    return rates[random_below(&c->random, 7)];
}

static void start(chaos *c, int run)
{
    memset(c, 0, sizeof *c);
    c->random.state = 1 + (uint64_t)run * UINT64_C(0x9e3779b97f4a7c15);
    es_loop_config config = {0};
    config.clock = es_manual_clock_get(&c->clock);
    c->rate = random_rate(c);
    config.tick_rate = c->rate;
    config.interval_ns = MS + random_below(&c->random, 40 * MS);
    config.interval_min_ns = chance(c, 2) ? 0 : config.interval_ns / 2;
    config.ticks_max = (int32_t)random_below(&c->random, 12);
    config.delay_ticks = chance(c, 2) ? 0.0 : (double)random_below(&c->random, 250) / 100.0;
    c->host = chance(c, 3);
    c->first = true;
    c->cost_ns = random_below(&c->random, 10 * MS);
    c->clock.now_ns = random_magnitude(&c->random) / 4;
    c->host_ns = c->clock.now_ns;
    assert_int_equal(es_loop_init(&c->loop, &config, NULL), ES_OK);
}

/* Things that a person or a machine does between frames. */
static void disturb(chaos *c)
{
    switch (random_below(&c->random, 10)) {
    case 0:
        c->clock.now_ns -= random_below(&c->random, 10 * S);
        break;
    case 1:
        c->clock.now_ns += random_below(&c->random, 3600 * S);
        break;
    case 2:
        c->clock.suspended_ns += random_below(&c->random, 3600 * S);
        break;
    case 3:
        es_loop_pause(&c->loop, !es_loop_is_paused(&c->loop));
        break;
    case 4: {
        es_ratio scale = {
                (uint32_t)random_below(&c->random, 9), 1 + (uint32_t)random_below(&c->random, 7)};
        assert_int_equal(es_loop_set_time_scale(&c->loop, scale), ES_OK);
        break;
    }
    case 5:
        c->rate = random_rate(c);
        assert_int_equal(es_loop_set_tick_rate(&c->loop, c->rate), ES_OK);
        c->base_tick = c->tick;
        c->base_ns = c->tick_ns;
        break;
    case 6: {
        int64_t tick = c->base_tick + random_below(&c->random, 1000000);
        assert_int_equal(es_loop_seek(&c->loop, tick), ES_OK);
        c->tick = tick;
        c->tick_ns = c->base_ns + es_rate_events_to_ns(c->rate, tick - c->base_tick);
        c->content_ns = c->tick_ns;
        break;
    }
    case 7:
        assert_int_equal(es_loop_resync(&c->loop), ES_OK);
        break;
    case 8:
        assert_int_equal(
                es_loop_set_interval(&c->loop, MS + random_below(&c->random, 40 * MS)), ES_OK);
        break;
    default:
        es_loop_pause(&c->loop, true);
        es_loop_step_once(&c->loop);
        break;
    }
}

static void begin(chaos *c)
{
    if (c->host) {
        c->host_ns += random_below(&c->random, 40 * MS);
        int64_t expected_ns = chance(c, 3) ? 0 : c->host_ns + random_below(&c->random, 50 * MS);
        assert_true(es_loop_begin_host(&c->loop, c->host_ns, expected_ns));
    } else {
        assert_int_equal(es_loop_begin(&c->loop), ES_OK);
    }
}

static void run_ticks(chaos *c)
{
    es_step step;
    while (es_loop_tick(&c->loop, &step)) {
        c->tick += 1;
        assert_int_equal(step.index, c->tick);
        assert_int_equal(
                step.time_ns, c->base_ns + es_rate_events_to_ns(c->rate, c->tick - c->base_tick));
        assert_int_equal(step.dt_ns, step.time_ns - c->tick_ns);
        c->tick_ns = step.time_ns;
        es_manual_clock_work(&c->clock, random_below(&c->random, c->cost_ns / 2 + 1));
    }
}

static void check(chaos *c)
{
    const es_frame *frame = &c->frame;
    const es_account *a = &frame->account;
    if (c->first) {
        c->first_present_ns = frame->present_ns;
        c->first = false;
    }
    assert_true(frame->content_ns >= c->content_ns);
    assert_true(frame->alpha > 0.0 && frame->alpha <= 1.0);
    assert_int_equal(frame->current_tick, c->tick);
    assert_int_equal(frame->current_ns, c->tick_ns);
    assert_true(frame->content_ns <= frame->current_ns);
    assert_true(frame->previous_ns < frame->content_ns || frame->previous_ns == frame->current_ns);
    assert_int_equal(frame->content_ns, frame->present_ns - c->first_present_ns - a->dropped_ns
                                                - a->gaps_ns - a->slowed_ns - a->held_ns
                                                - a->delay_ns + a->sought_ns);
    c->content_ns = frame->content_ns;
}

static void run_frame(chaos *c)
{
    if (chance(c, 100)) {
        disturb(c);
    }
    begin(c);
    run_ticks(c);
    c->clock.wake_late_ns = random_below(&c->random, 200000);
    assert_int_equal(es_loop_ready(&c->loop, &c->frame), ES_OK);
    check(c);
    es_manual_clock_work(&c->clock, random_below(&c->random, c->cost_ns + 1));
    if (chance(c, 500)) {
        es_manual_clock_work(&c->clock, random_below(&c->random, 3 * S));
    }
    es_loop_submit(&c->loop);
    c->clock.now_ns += random_below(&c->random, chance(c, 300) ? 5 * S : 5 * MS);
    assert_int_equal(es_loop_end(&c->loop), ES_OK);
}

static void ten_million_random_frames(void **state)
{
    static chaos c;
    (void)state;
    for (int run = 0; run < RUNS; ++run) {
        start(&c, run);
        for (int i = 0; i < FRAMES_PER_RUN; ++i) {
            run_frame(&c);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
            cmocka_unit_test(ten_million_random_frames),
    };
    return cmocka_run_group_tests_name("random", tests, NULL, NULL);
}
