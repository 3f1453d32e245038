/* SPDX-License-Identifier: Zlib
 *
 * What a frame and a tick of the loop cost, without work and without waiting.
 *
 * A tick's cost is the difference between frames with 20 ticks and with almost none, over 20. The
 * goals with the defaults: at most 150 ns per frame and 15 ns per tick, whatever the run time.
 */
#include "bench.h"

#include "evenstep/evenstep.h"
#include "../tests/manual_clock.h"
#include "loop/loop_parts.h"

enum { FRAMES = 5000, ROUNDS = 101, TICKS = 20, NAMED = 7, POLICIES = 5 };

typedef struct run {
    es_manual_clock clock;
    es_loop loop;
    int64_t tick_cost_ns, frame_cost_ns; /* on the manual clock */
    double checksum;                     /* so that the compiler keeps the work */
} run;

static void run_frames(void *user)
{
    run *r = user;
    es_step step;
    es_frame frame;
    for (int i = 0; i < FRAMES; ++i) {
        es_loop_begin(&r->loop);
        while (es_loop_tick(&r->loop, &step)) {
            r->clock.now_ns += r->tick_cost_ns;
        }
        es_loop_wait(&r->loop, &frame);
        r->clock.now_ns += r->frame_cost_ns;
        es_loop_submit(&r->loop);
        es_loop_end(&r->loop);
        r->checksum += frame.alpha;
    }
}

/* As a host calls it: with the machine's clock and its own times. */
static void run_hosted(void *user)
{
    run *r = user;
    es_step step;
    es_frame frame;
    for (int i = 0; i < FRAMES; ++i) {
        es__loop_begin_host(&r->loop, bench_now_ns(), 0);
        while (es_loop_tick(&r->loop, &step)) {
        }
        es_loop_wait(&r->loop, &frame);
        es_loop_submit(&r->loop);
        es_loop_end(&r->loop);
    }
}

static void start(run *r, es_loop_config config, int64_t run_time_ns)
{
    es_error error;
    r->clock.now_ns = run_time_ns;
    config.clock = es_manual_clock_get(&r->clock);
    if (es__loop_init(&r->loop, &config, &error) != ES_OK) {
        bench_fail(error.reason);
    }
    es_loop_seek(&r->loop, es__rate_ns_to_events(config.tick_rate, run_time_ns));
}

static void measure_ticks(const char *run_time, int64_t run_time_ns)
{
    static run few, many;
    const bench_case cases[] = {
            {"few", NULL, run_frames, &few, FRAMES}, {"many", NULL, run_frames, &many, FRAMES}};
    es_loop_config config = {.interval_ns = 16 * ES_NS_PER_MS, .ticks_max = 1000};
    bench_figures f[2];
    char name[64];
    config.tick_rate = es__rate_make(1, 3600);
    start(&few, config, run_time_ns);
    config.tick_rate = es__rate_make(TICKS * 125, 2);
    start(&many, config, run_time_ns);
    bench_measure(cases, 2, ROUNDS, f);
    snprintf(name, sizeof name, "frame, after %s ns", run_time);
    bench_print(name, f[0].median, f[0].least);
    snprintf(name, sizeof name, "tick, after %s ns", run_time);
    bench_print(name, (f[1].median - f[0].median) / TICKS, (f[1].least - f[0].least) / TICKS);
}

/* A frame of 10 ms of work at 100 ticks per second. With a policy, ticks take twice their time. */
static void measure_loops(void)
{
    static const char *const loops[NAMED] = {"auto", "low-latency", "adaptive", "lockstep",
            "variable", "decoupled", "max-frameskip"};
    static const char *const policies[POLICIES] = {"drop", "slow", "spread", "stretch", "wait"};
    static run runs[NAMED + POLICIES], hosted;
    static char names[NAMED + POLICIES][64];
    bench_case cases[NAMED + POLICIES + 1];
    for (int i = 0; i < NAMED + POLICIES; ++i) {
        es_loop_config config;
        int policy = i - NAMED;
        const char *loop = loops[i < NAMED ? i : 0];
        es_loop_preset(policy < 0 ? loop : "max-frameskip", &config);
        config.tick_rate = es_hz(100);
        runs[i].frame_cost_ns = 10 * ES_NS_PER_MS;
        if (policy >= 0) {
            config.ticks_max = 2;
            config.catch_up = (es_catch_up)policy;
            runs[i].tick_cost_ns = 20 * ES_NS_PER_MS;
        }
        start(&runs[i], config, 0);
        snprintf(names[i], sizeof names[i], policy < 0 ? "%s" : "overloaded, policy %s",
                policy < 0 ? loop : policies[policy]);
        cases[i] = (bench_case){names[i], NULL, run_frames, &runs[i], FRAMES};
    }
    es__loop_init(&hosted.loop, NULL, NULL);
    cases[NAMED + POLICIES] =
            (bench_case){"a host's, on the machine's clock", NULL, run_hosted, &hosted, FRAMES};
    bench_table("frame of each loop, ns", cases, NAMED + POLICIES + 1, ROUNDS);
}

int main(void)
{
    (void)bench_now_ns(); /* fails here where there is no clock */
    printf("%-50s %10s %10s\n", "the defaults, ns", "median", "least");
    measure_ticks("1e9", INT64_C(1000000000));
    measure_ticks("1e18", INT64_C(1000000000000000000));
    measure_loops();
    return 0;
}
