/* SPDX-License-Identifier: Zlib
 *
 * What the decisions for slices and for groups of rates cost, for each slice or group and frame.
 * Items take no time and no clock is read. Goal: 50 ns.
 *
 * A frame is one slot of a tick, one slot of a frame, and new jobs where some are done. For groups
 * it is two base ticks, and the frame of each group, at 120 ticks and 60 frames per second.
 */
#include "bench.h"

#include "evenstep/schedule.h"
#include "base/common.h"

enum { ROUNDS = 201, FRAMES = 200, SIZES = 3, MOST = 64, GROUPS = 10, SHOWN = 60 };

static int64_t checksum; /* so that the compiler keeps the work */

/* --- slices ----------------------------------------------------------------------------------- */

typedef struct slicing {
    es_slices *set;
    es_slice_config configs[MOST];
    es_frame frame;
    int32_t count;
    int64_t tick, now_ns;
} slicing;

/* Items take 1 us of a time that is only counted. */
static void run_slot(slicing *s)
{
    es_slice_grant grant;
    while (es_slices_next(s->set, s->now_ns, &grant)) {
        s->now_ns += ES_NS_PER_US * (int64_t)grant.items;
        checksum += grant.first;
    }
}

static void run_slices(void *user)
{
    slicing *s = user;
    for (int frame = 0; frame < FRAMES; ++frame) {
        s->frame.newest_tick = s->tick;
        es_slices_open_frame(s->set, &s->frame, s->now_ns, ES_NS_PER_MS);
        run_slot(s);
        s->tick += 1;
        es_slices_open_tick(s->set, s->tick, s->now_ns, ES_NS_PER_MS);
        run_slot(s);
        for (int32_t i = 0; i < s->count; ++i) {
            if (es_slices_get_status(s->set, i).done) {
                es_slice_job job = {s->tick, s->tick + 12, 100, false};
                es_slices_begin(s->set, i, &job);
            }
        }
    }
}

static void start_slices(slicing *s, es_slice_method method, int32_t count)
{
    s->count = count;
    s->frame = (es_frame){.current_ns = 8333333, .content_ns = 4000000};
    for (int32_t i = 0; i < count; ++i) {
        s->configs[i] = (es_slice_config){.method = method,
                .where = i % 2 == 0 ? ES_SLICE_TICKS : ES_SLICE_FRAMES,
                .count = method == ES_SLICE_COUNT ? 9 : 0};
    }
    s->set = es_slices_create(s->configs, count);
    if (s->set == NULL) {
        bench_fail("slices are refused");
    }
    for (int32_t i = 0; i < count; ++i) {
        es_slice_job job = {0, 1 + i % 12, 100, false};
        es_slices_begin(s->set, i, &job);
    }
}

static void measure_slices(void)
{
    static const struct {
        const char *name;
        es_slice_method method;
    } methods[] = {
            {"share", ES_SLICE_SHARE}, {"budget", ES_SLICE_BUDGET}, {"count", ES_SLICE_COUNT}};
    static slicing sets[SIZES * 3];
    static char names[SIZES * 3][48];
    bench_case cases[SIZES * 3];
    for (int i = 0; i < SIZES * 3; ++i) {
        int32_t count = 1 << 3 * (i / 3);
        start_slices(&sets[i], methods[i % 3].method, count);
        snprintf(names[i], sizeof names[i], "%d by %s", (int)count, methods[i % 3].name);
        cases[i] = (bench_case){names[i], NULL, run_slices, &sets[i], (double)FRAMES * count};
    }
    bench_table("a slice and frame, ns", cases, SIZES * 3, ROUNDS);
    for (int i = 0; i < SIZES * 3; ++i) {
        es_slices_destroy(sets[i].set);
    }
}

/* --- groups ----------------------------------------------------------------------------------- */

typedef struct grouping {
    es_rate_group groups[GROUPS];
    es_rates *rates;
    es_frame shown[SHOWN]; /* as a loop makes them */
    int64_t tick;
} grouping;

/* The first group has the loop's own ticks. */
static void start_groups(grouping *g, bool own_rates)
{
    static const int32_t periods[GROUPS] = {1, 2, 12, 4, 3, 6, 24, 8, 120, 10};
    for (int32_t i = 0; i < GROUPS; ++i) {
        es_rate_group by_period = {
                .period = periods[i], .phase = i % periods[i], .lead_ticks = i > 0 ? i % 3 - 1 : 0};
        es_rate_group by_rate = {.rate = es__rate_make(10 + 7 * (uint64_t)i, i % 2 == 0 ? 1 : 3)};
        g->groups[i] = own_rates && i > 0 ? by_rate : by_period;
    }
    g->rates = es_rates_create(&(es_rates_config){g->groups, GROUPS, es_hz(120), false});
    if (g->rates == NULL) {
        bench_fail("groups are refused");
    }
    for (int i = 0; i < SHOWN; ++i) {
        int64_t content_ns = 8000 * ES_NS_PER_S + 4000000 + i * INT64_C(16666667);
        es_frame frame = {.content_ns = content_ns, .newest_tick = 960001 + 2 * i, .ticks = 2};
        es_rates_frame(g->rates, 0, &frame, &g->shown[i]);
    }
    g->tick = 1000000;
}

static void run_groups(void *user)
{
    grouping *g = user;
    for (int i = 0; i < 2 * FRAMES; ++i) {
        es_rates_run run = {0};
        g->tick += 1;
        while (es_rates_next(g->rates, g->tick, &run)) {
            checksum += run.step.time_ns;
        }
        for (int32_t group = 0; i % 2 == 0 && group < GROUPS; ++group) {
            es_frame of;
            es_rates_frame(g->rates, group, &g->shown[i / 2 % SHOWN], &of);
            checksum += of.current_tick + (of.alpha > 0.5);
        }
    }
}

int main(void)
{
    static grouping by_period, by_rate;
    const bench_case cases[] = {{"ten with periods", NULL, run_groups, &by_period, FRAMES * GROUPS},
            {"ten with rates of their own", NULL, run_groups, &by_rate, FRAMES * GROUPS}};
    start_groups(&by_period, false);
    start_groups(&by_rate, true);
    measure_slices();
    bench_table("a group and frame, ns", cases, 2, ROUNDS);
    es_rates_destroy(by_period.rates);
    es_rates_destroy(by_rate.rates);
    return checksum == 42;
}
