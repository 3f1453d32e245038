/* SPDX-License-Identifier: Zlib
 *
 * What an input event costs on its way from the program to a tick.
 *
 * A round has 100 000 events, in order or from two devices whose stamps mix, pushed and taken on one
 * thread. Ticks ask for a button, read event by event, or measure delays.
 */
#include "bench.h"

#include "evenstep/input.h"

/* The same 500 events again with later stamps: reading 100 000 would cost more than the module. */
enum { EVENTS = 100000, LAP = 500, ROUNDS = 201, BUTTONS = 512 };

typedef struct route {
    int each; /* events between two ticks: a divisor of LAP */
    bool mixed, one_by_one, measured;
} route;

static es_input *input;
static es_input_event events[LAP];
static int64_t lap_ns, sum; /* sum: so that the compiler keeps the work */

static void start(void *user)
{
    const route *r = user;
    const es_input_config config = {.buttons = BUTTONS,
            .axes = 4,
            .measured = r->measured ? 4096 : 0,
            .stamps = {.unit_ns = ES_NS_PER_MS, .bits = 32, .other = true}};
    uint64_t seed = 1;
    int64_t at_ns = 0;
    es_input_destroy(input);
    input = es_input_create(&config);
    for (int i = 0; i < LAP; ++i) {
        static const es_input_kind kinds[] = {ES_INPUT_PRESS, ES_INPUT_RELEASE, ES_INPUT_MOVE};
        int kind = (int)(3 * bench_random(&seed));
        bool other = r->mixed && i % 2 == 0; /* polled later: stamped up to three events early */
        at_ns += (int64_t)(1e6 * bench_random(&seed));
        events[i] = (es_input_event){.stamp_ns = at_ns - (other ? 2 * ES_NS_PER_MS : 0),
                .kind = kinds[kind],
                .code = (uint16_t)((kind == 2 ? 4 : BUTTONS) * bench_random(&seed)),
                .device = other,
                .value = 1.0};
    }
    lap_ns = at_ns + ES_NS_PER_MS;
}

static void begin_lap(void)
{
    for (int i = 0; i < LAP; ++i) {
        events[i].stamp_ns += lap_ns;
    }
}

static int32_t take_tick(const es_step *step, const route *r)
{
    es_input_event event;
    int32_t count = es_input_tick(input, step);
    sum += es_input_held(input, 5);
    while (r->one_by_one && es_input_next(input, &event)) {
        sum += event.code;
    }
    if (r->measured) {
        es_frame frame = {.content_ns = step->time_ns, .newest_tick = step->index};
        es_input_frame(input, &frame, step->due_ns);
    }
    return count;
}

static void run(void *user)
{
    const route *r = user;
    es_step step = {.dt_ns = 1000};
    int taken = 0;
    for (int count = 0; count < EVENTS; count += r->each) {
        int from = count % LAP;
        if (from == 0) {
            begin_lap();
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

static void convert(void *user)
{
    (void)user;
    for (int count = 0; count < EVENTS; ++count) {
        if (count % LAP == 0) {
            begin_lap();
        }
        int64_t at_ns = events[count % LAP].stamp_ns;
        sum += es_input_stamp(input, (uint64_t)(at_ns / ES_NS_PER_MS), at_ns + 3 * ES_NS_PER_MS);
    }
}

int main(void)
{
    static route one = {1, false, true, false}, ten = {10, false, true, false},
                 mixed = {10, true, true, false}, state = {100, false, false, false},
                 measured = {100, false, false, true};
    const bench_case cases[] = {{"one by one, 1 for a tick", start, run, &one, EVENTS},
            {"one by one, 10 for a tick", start, run, &ten, EVENTS},
            {"two devices 2 ms apart, 10 for a tick", start, run, &mixed, EVENTS},
            {"512 buttons, 100 for a tick", start, run, &state, EVENTS},
            {"measured, 100 for a tick", start, run, &measured, EVENTS},
            {"a stamp in ms to the loop's clock", start, convert, &ten, EVENTS}};
    bench_table("input event, ns", cases, sizeof cases / sizeof cases[0], ROUNDS);
    es_input_destroy(input);
    return sum == 42;
}
