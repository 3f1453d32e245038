/* SPDX-License-Identifier: Zlib
 *
 * What the engine itself costs: nanoseconds per frame and per tick, with no work and no waiting.
 *
 * Frames with (almost) no tick and frames with 20 alternate, so that noise of the machine falls on
 * both alike; the tick's cost is the difference over 20. Shown are the median and the least of the
 * rounds. Growth is measured twice: after 1e9 and 1e18 ns of run time (clock and simulated time),
 * and with 1, 10 and 100 times the frames. Then a frame of one tick under each named loop, and
 * under policies at work. Goals: at most 150 ns per frame, 15 per tick, by default.
 */
#include "evenstep/loop.h"

#include <stdio.h>
#include <stdlib.h>

enum { ROUNDS = 41, FRAMES = 20000, TICKS = 20 };

typedef struct bench {
    es_manual_clock clock;
    es_loop loop;
    int64_t ticks;
    int64_t tick_cost_ns; /* virtual */
    int64_t frame_cost_ns;
    double checksum; /* keeps the compiler from leaving the work out */
} bench;

static es_clock stopwatch;

static int64_t now_ns(void)
{
    return stopwatch.now_ns(stopwatch.user);
}

static void start(bench *b, int32_t ticks_per_frame, int64_t run_time_ns)
{
    bench fresh = {0};
    es_loop_config config = {0};
    *b = fresh;
    b->clock.now_ns = run_time_ns;
    config.clock = es_manual_clock_get(&b->clock);
    config.interval_ns = 16 * ES_NS_PER_MS;
    config.tick_rate = ticks_per_frame > 0 ? es_rate_make((uint64_t)ticks_per_frame * 125, 2)
                                           : es_rate_make(1, 3600);
    config.ticks_max = 1000;
    es_error error;
    if (es_loop_init(&b->loop, &config, &error) != ES_OK) {
        fprintf(stderr, "bench: %s %s\n", error.field, error.reason);
        exit(1);
    }
    es_loop_seek(&b->loop, es_rate_ns_to_events(config.tick_rate, run_time_ns));
}

static void run_frames(bench *b, int64_t frames)
{
    es_step step;
    es_frame frame;
    for (int64_t i = 0; i < frames; ++i) {
        es_loop_begin(&b->loop);
        while (es_loop_tick(&b->loop, &step)) {
            b->ticks += 1;
            b->clock.now_ns += b->tick_cost_ns;
        }
        es_loop_ready(&b->loop, &frame);
        b->clock.now_ns += b->frame_cost_ns;
        es_loop_submit(&b->loop);
        es_loop_end(&b->loop);
        b->checksum += frame.alpha;
    }
}

static double per_frame_ns(bench *b, int64_t frames)
{
    int64_t begin_ns = now_ns();
    run_frames(b, frames);
    return (double)(now_ns() - begin_ns) / (double)frames;
}

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a;
    double y = *(const double *)b;
    return (x > y) - (x < y);
}

static void print_row(const char *name, double *rounds, int count)
{
    qsort(rounds, (size_t)count, sizeof *rounds, compare);
    printf("  %-44s %8.1f %8.1f\n", name, rounds[count / 2], rounds[0]);
}

static void measure(int64_t run_time_ns, const char *label)
{
    static bench idle;
    static bench busy;
    double frame[ROUNDS];
    double tick[ROUNDS];
    char name[64];
    start(&idle, 0, run_time_ns);
    start(&busy, TICKS, run_time_ns);
    run_frames(&idle, FRAMES);
    run_frames(&busy, FRAMES);
    for (int i = 0; i < ROUNDS; ++i) {
        int64_t ticks_before = busy.ticks;
        frame[i] = per_frame_ns(&idle, FRAMES);
        double with_ticks = per_frame_ns(&busy, FRAMES);
        double ticks = (double)(busy.ticks - ticks_before) / FRAMES;
        tick[i] = (with_ticks - frame[i]) / ticks;
    }
    snprintf(name, sizeof name, "frame, after %s ns of run time", label);
    print_row(name, frame, ROUNDS);
    snprintf(name, sizeof name, "tick, after %s ns of run time", label);
    print_row(name, tick, ROUNDS);
}

static void measure_growth(void)
{
    static bench b;
    for (int64_t times = 1; times <= 100; times *= 10) {
        double rounds[5];
        char name[64];
        start(&b, 4, 0);
        for (int i = 0; i < 5; ++i) {
            rounds[i] = per_frame_ns(&b, FRAMES * times);
        }
        snprintf(name, sizeof name, "frame of 4 ticks, run of %lld frames",
                (long long)(FRAMES * times));
        print_row(name, rounds, 5);
    }
}

/* A frame of 10 ms of work at 100 ticks per second; with a policy, every tick costs twice what it
 * is worth and at most two fit. The loops take turns in every round. */
static void measure_loops(void)
{
    enum { NAMED = 5, POLICIES = 5 };
    static bench b[NAMED + POLICIES];
    static double rounds[NAMED + POLICIES][ROUNDS];
    for (int i = 0; i < NAMED + POLICIES; ++i) {
        es_loop_config config;
        es_loop_config_named(i < NAMED ? es_loop_config_name((size_t)i) : "max-frameskip", &config);
        config.tick_rate = es_hz(100);
        config.clock = es_manual_clock_get(&b[i].clock);
        if (i >= NAMED) {
            config.ticks_max = 2;
            config.catch_up = (es_catch_up)(i - NAMED);
            b[i].tick_cost_ns = 20 * ES_NS_PER_MS;
        }
        b[i].frame_cost_ns = 10 * ES_NS_PER_MS;
        es_loop_init(&b[i].loop, &config, NULL);
        run_frames(&b[i], FRAMES);
    }
    for (int round = 0; round < ROUNDS; ++round) {
        for (int i = 0; i < NAMED + POLICIES; ++i) {
            rounds[i][round] = per_frame_ns(&b[i], FRAMES);
        }
    }
    for (int i = 0; i < NAMED + POLICIES; ++i) {
        char name[64];
        if (i < NAMED) {
            snprintf(name, sizeof name, "frame of 1 tick, %s", es_loop_config_name((size_t)i));
        } else {
            snprintf(name, sizeof name, "frame of 2 ticks, overload, policy %s",
                    es_catch_up_name((es_catch_up)(i - NAMED)));
        }
        print_row(name, rounds[i], ROUNDS);
    }
}

/* What the machine's clock adds: reads, and one system call per frame for the thread's CPU time. */
static void measure_real_clock(void)
{
    es_loop loop;
    double rounds[ROUNDS];
    es_frame frame;
    es_step step;
    es_loop_init(&loop, NULL, NULL);
    for (int i = 0; i < ROUNDS; ++i) {
        int64_t begin_ns = now_ns();
        for (int k = 0; k < FRAMES; ++k) {
            es_loop_begin_host(&loop, now_ns(), 0);
            while (es_loop_tick(&loop, &step)) {
            }
            es_loop_ready(&loop, &frame);
            es_loop_submit(&loop);
            es_loop_end(&loop);
        }
        rounds[i] = (double)(now_ns() - begin_ns) / FRAMES;
    }
    print_row("frame, a host's, on the machine's clock", rounds, ROUNDS);
}

int main(void)
{
    if (es_clock_system(&stopwatch) != ES_OK) {
        fprintf(stderr, "bench: this platform has no clock\n");
        return 1;
    }
    printf("engine, ns each on the manual clock%28s\n", "median    least");
    measure(INT64_C(1000000000), "1e9");
    measure(INT64_C(1000000000000000000), "1e18");
    measure_growth();
    measure_loops();
    measure_real_clock();
    return 0;
}
