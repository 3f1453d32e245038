/* SPDX-License-Identifier: Zlib
 *
 * What calls of the smaller modules cost: an event of input.h, and the decisions of schedule.h for a
 * slice or a group of rates and a frame. Items take no time and no clock is read. Each is far below
 * the 1 us that counts: a table shows whether that is still so.
 */
#include "bench.h"

#include "evenstep/input.h"
#include "evenstep/schedule.h"
#include "base/common.h"

/* The same LAP events again with later stamps: reading EVENTS of them would cost more than the module. */
enum { ROUNDS = 201, EVENTS = 100000, LAP = 500, BUTTONS = 512, FRAMES = 200, MOST = 64, GROUPS = 10 };

static int64_t checksum; /* so that the compiler keeps the work */

/* --- input ------------------------------------------------------------------------------------ */

typedef struct route {
    int each; /* events between two ticks: a divisor of LAP */
    bool measured;
} route;

static es_input *input;
static es_input_event events[LAP];
static int64_t lap_ns;

/* From two devices whose stamps mix. */
static void start_input(void *user)
{
    static const es_input_kind kinds[] = {ES_INPUT_PRESS, ES_INPUT_RELEASE, ES_INPUT_MOVE};
    const route *r = user;
    const es_input_config config = {
            .buttons = BUTTONS, .axes = 4, .measured = r->measured ? 4096 : 0};
    uint64_t seed = 1;
    int64_t at_ns = 0;
    es_input_destroy(input);
    input = es_input_create(&config);
    for (int i = 0; i < LAP; ++i) {
        int kind = (int)(3 * bench_random(&seed));
        at_ns += (int64_t)(1e6 * bench_random(&seed));
        events[i] = (es_input_event){.stamp_ns = at_ns - i % 2 * 2 * ES_NS_PER_MS,
                .kind = kinds[kind],
                .code = (uint16_t)((kind == 2 ? 4 : BUTTONS) * bench_random(&seed)),
                .device = (uint16_t)(i % 2),
                .value = 1.0};
    }
    lap_ns = at_ns + ES_NS_PER_MS;
}

static int32_t take_tick(const es_step *step, const route *r)
{
    es_input_event event;
    int32_t count = es_input_tick(input, step);
    while (es_input_next(input, &event)) {
        checksum += event.code;
    }
    if (r->measured) {
        es_frame frame = {.content_ns = step->time_ns, .newest_tick = step->index};
        es_input_frame(input, &frame, step->due_ns);
    }
    return count;
}

static void run_input(void *user)
{
    const route *r = user;
    es_step step = {.dt_ns = 1000};
    int taken = 0;
    for (int count = 0; count < EVENTS; count += r->each) {
        int from = count % LAP;
        for (int i = 0; from == 0 && i < LAP; ++i) {
            events[i].stamp_ns += lap_ns;
        }
        for (int i = from; i < from + r->each; ++i) {
            es_input_push(input, &events[i]);
        }
        step.index += 1;
        step.time_ns += step.dt_ns;
        step.due_ns = step.begun_ns = events[from + r->each - 1].stamp_ns + 5 * ES_NS_PER_MS;
        taken += take_tick(&step, r);
    }
    if (taken != EVENTS) {
        bench_fail("events are missing");
    }
}

/* --- slices: a frame is a slot of a tick, a slot of a frame, and new jobs where some are done ---- */

typedef struct slicing {
    es_slices *set;
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
    es_frame shown = {.current_ns = 8333333, .content_ns = 4000000};
    for (int frame = 0; frame < FRAMES; ++frame) {
        shown.newest_tick = s->tick;
        es_slices_open_frame(s->set, &shown, s->now_ns, ES_NS_PER_MS);
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

static slicing start_slices(int32_t count)
{
    es_slice_config configs[MOST];
    slicing s = {.count = count};
    for (int32_t i = 0; i < count; ++i) {
        configs[i] = (es_slice_config){.method = (es_slice_method)(i % 3),
                .where = i % 2 == 0 ? ES_SLICE_TICKS : ES_SLICE_FRAMES,
                .count = i % 3 == ES_SLICE_COUNT ? 9 : 0};
    }
    s.set = es_slices_create(configs, count);
    if (s.set == NULL) {
        bench_fail("slices are refused");
    }
    for (int32_t i = 0; i < count; ++i) {
        es_slice_job job = {0, 1 + i % 12, 100, false};
        es_slices_begin(s.set, i, &job);
    }
    return s;
}

/* --- groups of rates: a frame is two base ticks, and the frame of each group --------------------- */

static void run_groups(void *user)
{
    static int64_t tick = 1000000;
    es_rates *rates = user;
    for (int i = 0; i < FRAMES; ++i) {
        es_rates_run run = {0};
        es_frame of, shown = {.ticks = 2};
        for (int k = 0; k < 2; ++k) {
            tick += 1;
            while (es_rates_next(rates, tick, &run)) {
                checksum += run.step.time_ns;
            }
        }
        shown.newest_tick = tick;
        shown.content_ns = es_rate_time_ns(es_hz(120), tick) - 4000000;
        for (int32_t group = 0; group < GROUPS; ++group) {
            es_rates_frame(rates, group, &shown, &of);
            checksum += of.current_tick;
        }
    }
}

/* The first group has the loop's own ticks. */
static es_rates *start_groups(bool own_rates)
{
    static const int32_t periods[GROUPS] = {1, 2, 12, 4, 3, 6, 24, 8, 120, 10};
    es_rate_group groups[GROUPS];
    for (int32_t i = 0; i < GROUPS; ++i) {
        es_rate_group by_period = {.period = periods[i], .phase = i % periods[i]};
        es_rate_group by_rate = {.rate = es__rate_make(10 + 7 * (uint64_t)i, i % 2 == 0 ? 1 : 3)};
        groups[i] = own_rates && i > 0 ? by_rate : by_period;
    }
    es_rates *rates = es_rates_create(&(es_rates_config){groups, GROUPS, es_hz(120), false});
    if (rates == NULL) {
        bench_fail("groups are refused");
    }
    return rates;
}

int main(void)
{
    route one = {1, false}, ten = {10, false}, measured = {100, true};
    slicing few = start_slices(1), many = start_slices(MOST);
    es_rates *periods = start_groups(false), *rates = start_groups(true);
    const bench_case cases[] = {
            {"input event, 1 for a tick, 512 buttons", start_input, run_input, &one, EVENTS},
            {"input event, 10 for a tick", start_input, run_input, &ten, EVENTS},
            {"input event, 100 for a tick, measured", start_input, run_input, &measured, EVENTS},
            {"slice and frame, 1 slice", NULL, run_slices, &few, FRAMES},
            {"slice and frame, 64 slices", NULL, run_slices, &many, FRAMES * MOST},
            {"group and frame, ten with periods", NULL, run_groups, periods, FRAMES * GROUPS},
            {"group and frame, ten with rates", NULL, run_groups, rates, FRAMES * GROUPS}};
    bench_table("ns", cases, sizeof cases / sizeof cases[0], ROUNDS);
    return checksum == 42;
}
