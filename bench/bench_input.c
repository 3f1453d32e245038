/* SPDX-License-Identifier: Zlib
 *
 * What an input event costs on its way from the program to a tick.
 *
 * A round has 100 000 events, in order or from two devices whose stamps mix. They are delivered one
 * by one, into a state, into a state and a meter, or through the queue, both sides on one thread.
 */
#include "bench.h"

#include "evenstep/input.h"

/* The same 500 events again with later stamps: reading 100 000 would cost more than the module. */
enum { EVENTS = 100000, LAP = 500, ROUNDS = 201, RING = 1024, BUTTONS = 512 };

typedef enum way { ONE_BY_ONE, STATE, METER, QUEUE } way;

typedef struct route {
    way way;
    int each; /* events between two ticks: a divisor of LAP */
    bool mixed;
} route;

static es_input input;
static es_input_event ring[RING], events[LAP];
static es_input_state state;
static es_input_button buttons[BUTTONS];
static es_input_axis axes[4];
static es_input_meter meter;
static es_input_sample samples[4096];
static es_input_clock stamps;
static es_input_queue queue;
static _Alignas(128) unsigned char queue_memory[3 * 128 + RING * sizeof(es_input_event)];
static int64_t lap_ns, sum; /* sum: so that the compiler keeps the work */

static void start(void *user)
{
    const route *r = user;
    const es_input_clock_config clock = {.unit_ns = ES_NS_PER_MS, .bits = 32};
    uint64_t seed = 1;
    int64_t at_ns = 0;
    es_input_init(&input, ring, RING, NULL, NULL);
    es_input_state_init(&state, buttons, BUTTONS, axes, 4);
    es_input_meter_init(&meter, samples, 4096);
    es_input_clock_init(&stamps, &clock, NULL);
    es_input_queue_init(&queue, RING, queue_memory, sizeof queue_memory, NULL);
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

static void take_tick(const es_step *step, way how)
{
    es_input_taken taken;
    if (how == STATE || how == METER) {
        es_frame frame = {.content_ns = step->time_ns, .newest_tick = step->index};
        es_input_tick(&input, step, &state, how == METER ? &meter : NULL);
        sum += buttons[5].held;
        if (how == METER) {
            es_input_meter_frame(&meter, &frame, step->due_ns);
        }
        return;
    }
    es_input_open(&input, step);
    while (es_input_next(&input, &taken)) {
        sum += taken.event.code;
    }
}

static void run(void *user)
{
    const route *r = user;
    es_step step = {.dt_ns = 1000};
    for (int count = 0; count < EVENTS; count += r->each) {
        int from = count % LAP;
        if (from == 0) {
            begin_lap();
        }
        int64_t now_ns = events[from + r->each - 1].stamp_ns + 5 * ES_NS_PER_MS;
        for (int i = from; i < from + r->each; ++i) {
            if (r->way == QUEUE) {
                es_input_queue_push(&queue, &events[i], now_ns);
            } else {
                es_input_push(&input, &events[i], now_ns);
            }
        }
        if (r->way == QUEUE) {
            es_input_queue_receive(&queue, &input);
        }
        step.index += 1;
        step.time_ns += step.dt_ns;
        step.due_ns = step.begun_ns = now_ns;
        take_tick(&step, r->way);
    }
    if (input.taken != EVENTS) {
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
        sum += es_input_clock_convert(
                &stamps, (uint64_t)(at_ns / ES_NS_PER_MS), at_ns + 3 * ES_NS_PER_MS);
    }
}

int main(void)
{
    static route one = {ONE_BY_ONE, 1, false}, ten = {ONE_BY_ONE, 10, false},
                 mixed = {ONE_BY_ONE, 10, true}, into_state = {STATE, 100, false},
                 into_meter = {METER, 100, false}, queued = {QUEUE, 10, false};
    const bench_case cases[] = {{"one by one, 1 for a tick", start, run, &one, EVENTS},
            {"one by one, 10 for a tick", start, run, &ten, EVENTS},
            {"two devices 2 ms apart, 10 for a tick", start, run, &mixed, EVENTS},
            {"into a state of 512 buttons, 100 for a tick", start, run, &into_state, EVENTS},
            {"into a state and a meter, 100 for a tick", start, run, &into_meter, EVENTS},
            {"through the queue, 10 for a tick", start, run, &queued, EVENTS},
            {"a stamp in ms to the loop's clock", start, convert, &ten, EVENTS}};
    bench_table("input event, ns", cases, sizeof cases / sizeof cases[0], ROUNDS);
    return sum == 42;
}
