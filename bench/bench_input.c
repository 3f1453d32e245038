/* SPDX-License-Identifier: Zlib
 *
 * What an event costs on its way through the module, in ns: 100 000 in a round, 1 to 100 between two
 * ticks, in order or from two devices whose stamps mix; delivered one by one, into a state, into a
 * state and a meter, and through the queue (both sides in turn, on one thread). The least and the
 * median of 201 rounds: rounds are short, so that many of them are not interrupted. The program's
 * own events are few, and are stamped anew for each lap: a million of them, read from memory, took
 * longer than the module.
 */
#include "evenstep/clock.h"
#include "evenstep/input.h"

#include <stdio.h>
#include <stdlib.h>

enum { EVENTS = 100000, LAP = 500, ROUNDS = 201, ROOM = 1024, BUTTONS = 512 };

typedef struct bench {
    es_input input;
    es_input_event ring[ROOM];
    es_input_state state;
    es_input_button buttons[BUTTONS];
    es_input_axis axes[4];
    es_input_meter meter;
    es_input_sample samples[4096];
    es_input_clock clock;
    es_input_queue queue;
    int64_t sum; /* so that the work is needed */
} bench;

static bench b;
static es_input_event events[LAP];
static uint64_t stamps_ms[LAP];
static uint64_t lap_ms;
static _Alignas(128) unsigned char queue_memory[3 * 128 + ROOM * sizeof(es_input_event)];

typedef enum way { ONE_BY_ONE, STATE, METER, QUEUE } way;

static void make_events(bool mixed)
{
    uint64_t random = 1;
    int64_t at_ns = 0;
    for (int i = 0; i < LAP; ++i) {
        random = random * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
        at_ns += (int64_t)(random >> 44);
        int kind = (int)(random >> 32) % 3;
        events[i] = (es_input_event){
                .stamp_ns = at_ns,
                .kind = kind == 0   ? ES_INPUT_PRESS
                        : kind == 1 ? ES_INPUT_RELEASE
                                    : ES_INPUT_MOVE,
                .code = (uint16_t)(kind == 2 ? (random >> 40) % 4 : (random >> 40) % BUTTONS),
                .device = (uint16_t)(mixed && i % 2 == 0),
                .value = 1.0,
        };
        if (mixed && i % 2 == 0) { /* polled later: it is up to three events early */
            events[i].stamp_ns -= 2000000;
        }
        stamps_ms[i] = (uint64_t)(at_ns / ES_NS_PER_MS);
    }
    lap_ms = stamps_ms[LAP - 1] + 1;
}

static void begin_lap(void)
{
    for (int i = 0; i < LAP; ++i) {
        events[i].stamp_ns += (int64_t)lap_ms * ES_NS_PER_MS;
        stamps_ms[i] += lap_ms;
    }
}

static void take_tick(const es_step *step, way how)
{
    es_input_taken taken;
    if (how == STATE || how == METER) {
        es_input_tick(&b.input, step, &b.state, how == METER ? &b.meter : NULL);
        b.sum += b.buttons[5].held;
        if (how == METER) {
            es_frame frame = {.content_ns = step->time_ns, .newest_tick = step->index};
            es_input_meter_frame(&b.meter, &frame, step->due_ns);
        }
        return;
    }
    es_input_open(&b.input, step);
    while (es_input_next(&b.input, &taken)) {
        b.sum += taken.event.code;
    }
}

/* each: a part of LAP. */
static void run(way how, int each)
{
    es_step step = {.dt_ns = 1000};
    for (int count = 0, from = LAP; count < EVENTS; count += each, from += each) {
        if (from == LAP) {
            begin_lap();
            from = 0;
        }
        int to = from + each;
        int64_t now_ns = events[to - 1].stamp_ns + 5000000;
        for (int i = from; i < to; ++i) {
            if (how == QUEUE) {
                es_input_queue_push(&b.queue, &events[i], now_ns);
            } else {
                es_input_push(&b.input, &events[i], now_ns);
            }
        }
        if (how == QUEUE) {
            es_input_queue_receive(&b.queue, &b.input);
        }
        step.index += 1;
        step.time_ns += step.dt_ns;
        step.due_ns = now_ns;
        step.begun_ns = now_ns;
        take_tick(&step, how);
    }
}

static void run_clock(void)
{
    for (int count = 0; count < EVENTS; count += LAP) {
        begin_lap();
        for (int i = 0; i < LAP; ++i) {
            b.sum += es_input_clock_convert(
                    &b.clock, stamps_ms[i], events[i].stamp_ns + 3 * ES_NS_PER_MS);
        }
    }
}

static void start(void)
{
    const es_input_clock_config clock = {.unit_ns = ES_NS_PER_MS, .bits = 32};
    es_input_init(&b.input, b.ring, ROOM, NULL, NULL);
    es_input_state_init(&b.state, b.buttons, BUTTONS, b.axes, 4);
    es_input_meter_init(&b.meter, b.samples, 4096);
    es_input_clock_init(&b.clock, &clock, NULL);
    es_input_queue_init(&b.queue, ROOM, queue_memory, sizeof queue_memory, NULL);
}

static int compare(const void *a, const void *b_)
{
    double x = *(const double *)a;
    double y = *(const double *)b_;
    return (x > y) - (x < y);
}

static void print(const char *name, double *rounds)
{
    qsort(rounds, ROUNDS, sizeof *rounds, compare);
    printf("  %-52s %7.2f %7.2f\n", name, rounds[0], rounds[ROUNDS / 2]);
}

static void measure(const es_clock *clock, const char *name, way how, int each)
{
    double rounds[ROUNDS];
    for (int round = 0; round < ROUNDS; ++round) {
        start();
        int64_t begin_ns = clock->now_ns(clock->user);
        run(how, each);
        rounds[round] = (double)(clock->now_ns(clock->user) - begin_ns) / EVENTS;
        if (b.input.taken != EVENTS) {
            fprintf(stderr, "bench: %s: events are missing\n", name);
            exit(1);
        }
    }
    print(name, rounds);
}

int main(void)
{
    es_clock clock;
    double rounds[ROUNDS];
    if (es_clock_system(&clock) != ES_OK) {
        fprintf(stderr, "bench: this platform has no clock\n");
        return 1;
    }
    printf("ns for an event%51s%8s\n", "least", "median");
    make_events(false);
    measure(&clock, "push, next; 10 for a tick", ONE_BY_ONE, 10);
    measure(&clock, "push, next; 1 for a tick", ONE_BY_ONE, 1);
    measure(&clock, "push, next; 100 for a tick", ONE_BY_ONE, 100);
    measure(&clock, "push, tick into a state of 512 buttons; 100", STATE, 100);
    measure(&clock, "push, tick into a state of 512 buttons; 10", STATE, 10);
    measure(&clock, "push, tick into state and meter; 100", METER, 100);
    measure(&clock, "queue, next; 10 for a tick", QUEUE, 10);
    make_events(true);
    measure(&clock, "push, next, two devices 2 ms apart; 10", ONE_BY_ONE, 10);
    make_events(false);
    for (int round = 0; round < ROUNDS; ++round) {
        start();
        int64_t begin_ns = clock.now_ns(clock.user);
        run_clock();
        rounds[round] = (double)(clock.now_ns(clock.user) - begin_ns) / EVENTS;
    }
    print("stamp of a clock in ms to the loop's", rounds);
    return b.sum == 42;
}
