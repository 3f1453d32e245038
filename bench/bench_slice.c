/* SPDX-License-Identifier: Zlib
 *
 * What slices and groups cost, per frame and each: the decisions only, with no items to run and no
 * clock read. Goal: 50 ns.
 *
 * A frame here is one tick's slot and one frame's slot for slices, and the next jobs where some are
 * done; for groups it is two base ticks and what the frame shows of each, at 120 ticks and 60
 * frames per second. Below are the parts of that. Shown are the median and the least of the
 * rounds, which are short, so that many of them are not interrupted.
 */
#include "evenstep/clock.h"
#include "evenstep/rates.h"
#include "evenstep/slice.h"

#include <stdio.h>
#include <stdlib.h>

enum { ROUNDS = 301, FRAMES = 400, FEWER = 40, MOST = 640, SHOWN = 60 };

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
    printf("%-34s %4d  %8.1f  %8.1f    %7.1f   %7.1f\n", what, (int)count, rounds[ROUNDS / 2],
            rounds[0], rounds[ROUNDS / 2] / count, rounds[0] / count);
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
        es_slice_config config = {.method = own};
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
        int frames = count <= 16 ? FRAMES : FEWER;
        int64_t begin_ns = stop_ns();
        for (int i = 0; i < frames; ++i) {
            run_frame(&s);
        }
        rounds[round] = (double)(stop_ns() - begin_ns) / frames;
    }
    print(what, count, rounds);
}

/* ---- groups ---- */

enum { GROUPS = 10 };

static es_rate_group groups[GROUPS];
static es_rates rates;
static es_frame shown[SHOWN];

/* Ten groups, and frames as a loop makes them. The first has the loop's own ticks. */
static void make_groups(bool own)
{
    static const int32_t periods[GROUPS] = {1, 2, 12, 4, 3, 6, 24, 8, 120, 10};
    for (int32_t i = 0; i < GROUPS; ++i) {
        es_rate_group group = {.period = periods[i]};
        group.phase = i % group.period;
        group.lead_ticks = i % 3 - 1;
        es_rate_group other = {.rate = es_rate_make(10 + 7 * (uint64_t)i, i % 2 == 0 ? 1 : 3)};
        groups[i] = own && i > 0 ? other : group;
    }
    groups[0].lead_ticks = 0;
    if (es_rates_init(&rates, groups, GROUPS, es_hz(120), NULL) != ES_OK) {
        exit(1);
    }
    for (int i = 0; i < SHOWN; ++i) {
        int64_t content_ns = 8000 * ES_NS_PER_S + 4000000 + i * INT64_C(16666667);
        es_frame frame = {.content_ns = content_ns, .newest_tick = 960001 + 2 * i, .ticks = 2};
        es_rates_frame(&rates, 0, &frame, &shown[i]);
    }
}

static void run_base_tick(int64_t tick)
{
    es_rates_run run;
    es_rates_open(&rates, tick, &run);
    while (es_rates_next(&rates, &run)) {
        checksum += run.step.time_ns;
    }
}

static void show(int32_t group, int at)
{
    es_frame of;
    es_rates_frame(&rates, group, &shown[at], &of);
    checksum += of.current_tick + (of.alpha > 0.5);
}

typedef enum part { WHOLE, TICKS, PICTURES } part;

static void measure_groups(const char *what, bool own, part which)
{
    double rounds[ROUNDS];
    int64_t tick = 1000000;
    make_groups(own);
    for (int round = 0; round < ROUNDS; ++round) {
        int64_t begin_ns = stop_ns();
        for (int i = 0, at = 0; i < FRAMES; ++i, at = at + 1 < SHOWN ? at + 1 : 0) {
            for (int j = 0; which != PICTURES && j < 2; ++j) {
                run_base_tick(++tick);
            }
            for (int32_t j = 0; which != TICKS && j < GROUPS; ++j) {
                show(j, at);
            }
        }
        rounds[round] = (double)(stop_ns() - begin_ns) / FRAMES;
    }
    print(what, GROUPS, rounds);
}

int main(void)
{
    if (es_clock_system(&stopwatch) != ES_OK) {
        fprintf(stderr, "bench: no clock\n");
        return 1;
    }
    printf("%-34s    n   ns per frame, least    per slice or group, least\n", "");
    for (int32_t count = 1; count <= MOST; count *= count < 64 ? 4 : 10) {
        measure_slices("slices by share: tick + frame slot", ES_SLICE_SHARE, false, count);
        measure_slices("slices by budget", ES_SLICE_BUDGET, false, count);
        measure_slices("slices, mixed", ES_SLICE_SHARE, true, count);
    }
    measure_groups("groups of the base, a frame", false, WHOLE);
    measure_groups("  of that: two base ticks", false, TICKS);
    measure_groups("  of that: what is shown of each", false, PICTURES);
    measure_groups("groups with rates of their own", true, WHOLE);
    measure_groups("  of that: two base ticks", true, TICKS);
    measure_groups("  of that: what is shown of each", true, PICTURES);
    printf("(checksum %lld)\n", (long long)checksum);
    return 0;
}
