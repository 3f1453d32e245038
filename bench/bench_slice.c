/* SPDX-License-Identifier: Zlib
 *
 * What slices and groups cost, per frame and each: the decisions only, with no items to run and no
 * clock read. Goal: 50 ns.
 *
 * A frame here is one tick's slot and one frame's slot for slices, and one base tick and its share
 * of a picture for groups, at 120 ticks and 60 pictures per second. Shown are the median and the
 * least of the rounds.
 */
#include "evenstep/clock.h"
#include "evenstep/rates.h"
#include "evenstep/slice.h"

#include <stdio.h>
#include <stdlib.h>

enum { ROUNDS = 31, FRAMES = 4000, MOST = 64 };

static es_clock stopwatch;
static int64_t checksum;

static int64_t stop_ns(void)
{
    return stopwatch.now_ns(stopwatch.user);
}

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a;
    double y = *(const double *)b;
    return (x > y) - (x < y);
}

static void print(const char *what, int32_t count, double *rounds)
{
    qsort(rounds, ROUNDS, sizeof *rounds, compare);
    printf("%-34s %4d   %7.1f   %7.1f   %7.1f\n", what, (int)count, rounds[ROUNDS / 2], rounds[0],
            rounds[ROUNDS / 2] / count);
}

/* ---- slices ---- */

typedef struct slicing {
    es_slices set;
    es_slice slices[MOST];
    es_slice_config configs[MOST];
    es_frame frame;
    int32_t count;
    int64_t tick;
    int64_t now_ns;
} slicing;

/* Items take 1 us of a time that is only counted. */
static void run_slot(slicing *s)
{
    es_slice_grant grant;
    while (es_slices_next(&s->set, s->now_ns, &grant)) {
        s->now_ns += 1000 * (int64_t)grant.items;
        checksum += grant.first;
    }
}

static void run_frame(slicing *s)
{
    s->frame.newest_tick = s->tick;
    es_slices_open_frame(&s->set, &s->frame, s->now_ns, 1000000);
    run_slot(s);
    s->tick += 1;
    es_slices_open_tick(&s->set, s->tick, s->now_ns, 1000000);
    run_slot(s);
    for (int32_t i = 0; i < s->count; ++i) {
        if (es_slices_is_done(&s->set, i)) {
            es_slice_job job = {s->tick, s->tick + 12, 100, false};
            es_slices_begin(&s->set, i, &job);
        }
    }
}

static void measure_slices(const char *what, es_slice_method method, bool mixed, int32_t count)
{
    static slicing s;
    double rounds[ROUNDS];
    s.count = count;
    s.tick = 0;
    s.frame.current_ns = 8333333;
    s.frame.content_ns = 4000000;
    for (int32_t i = 0; i < count; ++i) {
        es_slice_method own = mixed ? (es_slice_method)(i % 3) : method;
        es_slice_config config = {.method = own, .phase = es_slice_phase(i)};
        config.where = i % 2 == 0 ? ES_SLICE_TICKS : ES_SLICE_FRAMES;
        config.count = own == ES_SLICE_COUNT ? 9 : 0;
        s.configs[i] = config;
    }
    if (es_slices_init(&s.set, s.slices, s.configs, count, NULL) != ES_OK) {
        exit(1);
    }
    for (int32_t i = 0; i < count; ++i) {
        es_slice_job job = {0, 1 + i % 12, 100, false};
        es_slices_begin(&s.set, i, &job);
    }
    for (int round = 0; round < ROUNDS; ++round) {
        int64_t begin_ns = stop_ns();
        for (int i = 0; i < FRAMES; ++i) {
            run_frame(&s);
        }
        rounds[round] = (double)(stop_ns() - begin_ns) / FRAMES;
    }
    print(what, count, rounds);
}

/* ---- groups ---- */

static void measure_groups(const char *what, bool own, int32_t count)
{
    static es_rate_group groups[MOST];
    static const int32_t periods[] = {1, 2, 12, 4, 3, 6, 24, 8, 120, 10};
    double rounds[ROUNDS];
    es_rates rates;
    int64_t tick = 1000000;
    for (int32_t i = 0; i < count; ++i) {
        es_rate_group group = {.period = periods[i % 10]};
        group.phase = i % group.period;
        group.lead_ticks = i % 3 - 1;
        es_rate_group other = {.rate = es_rate_make(10 + 7 * (uint64_t)i, i % 2 == 0 ? 1 : 3)};
        groups[i] = own ? other : group;
    }
    if (es_rates_init(&rates, groups, count, es_hz(120), NULL) != ES_OK) {
        exit(1);
    }
    for (int round = 0; round < ROUNDS; ++round) {
        int64_t begin_ns = stop_ns();
        for (int i = 0; i < FRAMES; ++i) {
            es_rates_run run;
            es_rates_open(&rates, ++tick, &run);
            while (es_rates_next(&rates, &run)) {
                checksum += run.step.time_ns;
            }
        }
        rounds[round] = (double)(stop_ns() - begin_ns) / FRAMES;
    }
    print(what, count, rounds);
}

static void measure_frames(const char *what, bool own)
{
    static const es_rate_group groups[2] = {{.period = 12, .phase = 5}, {.rate = {10, 1}}};
    double rounds[ROUNDS];
    es_rates rates;
    int64_t content_ns = 8000 * ES_NS_PER_S;
    if (es_rates_init(&rates, groups, 2, es_hz(120), NULL) != ES_OK) {
        exit(1);
    }
    for (int round = 0; round < ROUNDS; ++round) {
        int64_t begin_ns = stop_ns();
        for (int i = 0; i < FRAMES; ++i) {
            es_frame frame = {.content_ns = content_ns, .ticks = 2};
            es_frame of;
            content_ns += 16666667;
            frame.newest_tick = content_ns / 8333333;
            es_rates_frame(&rates, own ? 1 : 0, &frame, &of);
            checksum += of.current_tick + (of.alpha > 0.5);
        }
        rounds[round] = (double)(stop_ns() - begin_ns) / FRAMES;
    }
    print(what, 1, rounds);
}

int main(void)
{
    if (es_clock_system(&stopwatch) != ES_OK) {
        fprintf(stderr, "bench: no clock\n");
        return 1;
    }
    printf("%-34s    n    ns per frame, least   per slice or group\n", "");
    for (int32_t count = 1; count <= MOST; count *= 4) {
        measure_slices("slices by share: tick + frame slot", ES_SLICE_SHARE, false, count);
        measure_slices("slices by budget", ES_SLICE_BUDGET, false, count);
        measure_slices("slices, mixed", ES_SLICE_SHARE, true, count);
    }
    measure_groups("groups of the base: a base tick", false, 10);
    measure_groups("groups with rates of their own", true, 10);
    measure_frames("what a frame shows: of the base", false);
    measure_frames("what a frame shows: own rate", true);
    printf("(checksum %lld)\n", (long long)checksum);
    return 0;
}
