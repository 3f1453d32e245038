/* SPDX-License-Identifier: Zlib
 *
 * docs/lab.md explains the tables. Costs and lateness are those of a small Linux machine. wake-vm
 * has the quantiles of wake-ups on a busy virtual machine, wake-tail those on a busy desktop.
 */
#include "lab/scenario.h"

#include <string.h>

#define US ES_NS_PER_US
#define MS ES_NS_PER_MS

/* Tables. */
/* clang-format off */

#define PLAIN_UPDATE {.base = 0.02, .unit = LAB_UNIT_TICK, .base_max_ns = 300 * US, \
                      .low = 0.8, .high = 1.2}
#define CHEAP_RENDER {.base = 0.25, .unit = LAB_UNIT_REFRESH, .low = 0.9, .high = 1.1}
#define CHEAP_VARIABLE {.base = 0.95, .unit = LAB_UNIT_REFRESH, .low = 0.9, .high = 1.1}
#define PLAIN_WAKE {.delays = {{1.0, 20 * US, 20 * US, 20 * US}, {0.002, 0, 500 * US, 0}}}
#define PLAIN_SLEEP {.delays = {{1.0, 55 * US, 55 * US, 15 * US}, {0.003, 0, 1 * MS, 0}}}
#define PLAIN_CLOCK .skew_ppm = 30, .noise_ns = 100, .read_ns = 25

#define PLAIN(label, text) \
    .name = label, .title = text, .update = PLAIN_UPDATE, .sleep = PLAIN_SLEEP

/* Wake-ups of an absolute sleep on a shared virtual machine: median 74 us, p90 0.13 ms, p99 0.4 ms,
 * p99.9 6 ms, rarely over 20 ms (time that the hypervisor took). */
#define VM_WAKE {.delays = {{1.0, 50 * US, 50 * US, 35 * US}, {0.01, 100 * US, 500 * US, 0}, \
                  {0.0025, 1 * MS, 1 * MS, 5 * MS}}}

/* Wake-ups on a busy desktop: median 0.7 ms, 15 % over 1.2 ms. */
#define TAIL_WAKE {.delays = {{0.85, 0, 1200 * US, 0}, {0.10, 1200 * US, 1200 * US, 1500 * US}, \
                    {0.05, 2 * MS, 6 * MS, 0}}, .one_of = true}

static const lab_scenario standard[] = {
    {PLAIN("cheap", "light load: 25 % of the refresh period on the CPU"),
     .render = CHEAP_RENDER, .render_variable = CHEAP_VARIABLE,
     .wake = PLAIN_WAKE, .clock = {PLAIN_CLOCK}},
    {PLAIN("90-105", "90 to 105 % of the refresh period on the CPU"),
     .render = {.base = 1.0, .unit = LAB_UNIT_REFRESH, .low = 0.90, .high = 1.05},
     .wake = PLAIN_WAKE, .clock = {PLAIN_CLOCK}},
    {PLAIN("gpu-90-105", "90 to 105 % of the period on the GPU, 30 % on the CPU"),
     .render = {.base = 0.3, .unit = LAB_UNIT_REFRESH},
     .gpu = {.base = 1.0, .unit = LAB_UNIT_REFRESH, .low = 0.90, .high = 1.05},
     .wake = PLAIN_WAKE, .clock = {PLAIN_CLOCK}},
    {PLAIN("spikes", "2 % of the frames take three times as long"),
     .render = {.base = 0.45, .unit = LAB_UNIT_REFRESH, .low = 0.95, .high = 1.05,
                .spike_share = 0.02, .spike_factor = 3.0},
     .wake = PLAIN_WAKE, .clock = {PLAIN_CLOCK}},
    {PLAIN("ramp", "30 % of the period, rises to 130 % and falls again"),
     .render = {.base = 0.3, .unit = LAB_UNIT_REFRESH, .low = 0.97, .high = 1.03,
                .wave_to = 1.3 / 0.3},
     .wake = PLAIN_WAKE, .clock = {PLAIN_CLOCK}},
    {PLAIN("heavy-tail", "some frames take very long (Pareto 1.8)"),
     .render = {.base = 0.3, .unit = LAB_UNIT_REFRESH, .pareto_tail = 1.8, .max_ns = 100 * MS},
     .wake = PLAIN_WAKE, .clock = {PLAIN_CLOCK}},
    {PLAIN("wake-0.5", "present returns up to 1 ms late"),
     .render = CHEAP_RENDER, .wake = {.delays = {{1.0, 0, 1 * MS, 0}}}, .clock = {PLAIN_CLOCK}},
    {PLAIN("wake-1.5", "present returns up to 3 ms late"),
     .render = CHEAP_RENDER, .wake = {.delays = {{1.0, 0, 3 * MS, 0}}}, .clock = {PLAIN_CLOCK}},
    {PLAIN("stall", "one frame takes 2 s longer"),
     .render = CHEAP_RENDER, .wake = PLAIN_WAKE, .clock = {PLAIN_CLOCK},
     .incidents = {{LAB_PLACE_DRAW, 1.0 / 6.0, 1, 2 * ES_NS_PER_S, false}}},
    {PLAIN("clock-glitch", "the clock jumps 100 ms ahead; later it stops for 30 ms"),
     .render = CHEAP_RENDER, .wake = PLAIN_WAKE,
     .clock = {PLAIN_CLOCK, .faults = {{LAB_FAULT_JUMP, 0.4, 100 * MS},
                                       {LAB_FAULT_STILL, 0.7, 30 * MS}}}},
    {PLAIN("clock-back", "the clock steps back 60 ms"),
     .render = CHEAP_RENDER, .wake = PLAIN_WAKE,
     .clock = {PLAIN_CLOCK, .faults = {{LAB_FAULT_BACK, 0.5, 60 * MS}}}},
    {PLAIN("wake-vm", "present returns late as on a busy virtual machine"),
     .render = CHEAP_RENDER, .wake = VM_WAKE, .clock = {PLAIN_CLOCK}},
    {.name = "slow-update", .title = "an update takes three times its period",
     .update = {.base = 3.0, .unit = LAB_UNIT_TICK, .low = 0.9, .high = 1.1},
     .render = CHEAP_RENDER, .wake = PLAIN_WAKE, .sleep = PLAIN_SLEEP, .clock = {PLAIN_CLOCK}},
};


/* Costs and lateness of scenario cheap; an entry adds its event. */
#define LIGHT(label, text) \
    PLAIN(label, text), .render = CHEAP_RENDER, .render_variable = CHEAP_VARIABLE, \
    .wake = PLAIN_WAKE, .clock = {PLAIN_CLOCK}

#define FIRST(label, text, count, ms) \
    {LIGHT(label, text), .from_start = true, .incidents = {{LAB_PLACE_DRAW, 0.0, count, (ms) * MS, false}}}

#define STALL(label, text, place, ms) \
    {LIGHT(label, text), .incidents = {{place, THIRD, 1, (ms) * MS, true}}}

#define THIRD (1.0 / 3.0)

static const lab_scenario transitions[] = {
    FIRST("start", "light load, measured from the first frame on", 1, 0),
    FIRST("first-50", "the first frame takes 50 ms longer", 1, 50),
    FIRST("first-200", "the first frame takes 200 ms longer", 1, 200),
    FIRST("first-700", "the first frame takes 700 ms longer", 1, 700),
    FIRST("first-2000", "the first frame takes 2 s longer", 1, 2000),
    FIRST("first-10x40", "each of the first 10 frames takes 40 ms longer", 10, 40),
    FIRST("first-20x60", "each of the first 20 frames takes 60 ms longer", 20, 60),
    FIRST("first-60x40", "each of the first 60 frames takes 40 ms longer", 60, 40),
    {LIGHT("loading", "each of 30 frames takes 100 ms longer"),
     .incidents = {{LAB_PLACE_DRAW, THIRD, 30, 100 * MS, false}}},
    STALL("draw-20", "one drawing waits 20 ms", LAB_PLACE_DRAW, 20),
    STALL("draw-100", "one drawing waits 100 ms", LAB_PLACE_DRAW, 100),
    STALL("draw-300", "one drawing waits 300 ms", LAB_PLACE_DRAW, 300),
    STALL("draw-1000", "one drawing waits 1 s", LAB_PLACE_DRAW, 1000),
    STALL("tick-20", "one update waits 20 ms", LAB_PLACE_TICK, 20),
    STALL("tick-100", "one update waits 100 ms", LAB_PLACE_TICK, 100),
    STALL("tick-300", "one update waits 300 ms", LAB_PLACE_TICK, 300),
    STALL("tick-1000", "one update waits 1 s", LAB_PLACE_TICK, 1000),
    STALL("present-20", "one present waits 20 ms, then queues", LAB_PLACE_PRESENT, 20),
    STALL("present-100", "one present waits 100 ms, then queues", LAB_PLACE_PRESENT, 100),
    STALL("present-300", "one present waits 300 ms, then queues", LAB_PLACE_PRESENT, 300),
    STALL("present-1000", "one present waits 1 s, then queues", LAB_PLACE_PRESENT, 1000),
    STALL("return-20", "one present queues, then waits 20 ms", LAB_PLACE_RETURN, 20),
    STALL("return-100", "one present queues, then waits 100 ms", LAB_PLACE_RETURN, 100),
    STALL("return-300", "one present queues, then waits 300 ms", LAB_PLACE_RETURN, 300),
    STALL("return-1000", "one present queues, then waits 1 s", LAB_PLACE_RETURN, 1000),
    {LIGHT("rate-up", "the refresh rate rises to 12/5 of its value"),
     .changes = {{THIRD, {.factor = {12, 5}}}}},
    {LIGHT("rate-down", "the refresh rate falls to 5/12 of its value"),
     .changes = {{THIRD, {.factor = {5, 12}}}}},
    {LIGHT("vsync-off-on", "vsync is off from a third of the run to two thirds"),
     .changes = {{THIRD, {.mode = LAB_MODE_UNSYNCED}}, {.at = 2.0 * THIRD}}},
    {LIGHT("hidden-blocks", "hidden for a sixth of the run; each frame stays queued for 1 s"),
     .changes = {{THIRD, {.mode = LAB_MODE_HIDDEN, .hold_ns = ES_NS_PER_S}}, {.at = 0.5}}},
    {LIGHT("hidden-returns", "hidden for a sixth of the run; presents return at once"),
     .changes = {{THIRD, {.mode = LAB_MODE_HIDDEN}}, {.at = 0.5}}},
    {LIGHT("variable-on", "the refresh becomes variable, down to a third of its rate"),
     .changes = {{THIRD, {.mode = LAB_MODE_VARIABLE}}}},
    {LIGHT("variable-off", "a variable refresh becomes fixed, at its highest rate"),
     .changes = {{0.001, {.mode = LAB_MODE_VARIABLE}}, {THIRD, {.mode = LAB_MODE_FIXED}}}},
    {PLAIN("throttled", "70 % of the refresh period; from a third of the run on, 115 %"),
     .render = {.base = 0.7, .unit = LAB_UNIT_REFRESH, .low = 0.97, .high = 1.03,
                .surge = 1.15 / 0.7, .surge_from = THIRD, .surge_to = 1.0},
     .wake = PLAIN_WAKE, .clock = {PLAIN_CLOCK}},
};

#define CPU(percent) \
    {PLAIN("cpu-" #percent, #percent " % of the refresh period on the CPU"), \
     .render = {.base = (percent) / 100.0, .unit = LAB_UNIT_REFRESH, .low = 0.98, .high = 1.02}, \
     .wake = PLAIN_WAKE, .clock = {PLAIN_CLOCK}}
#define GPU(percent) \
    {PLAIN("gpu-" #percent, #percent " % of the refresh period on the GPU, 10 % on the CPU"), \
     .render = {.base = 0.1, .unit = LAB_UNIT_REFRESH}, \
     .gpu = {.base = (percent) / 100.0, .unit = LAB_UNIT_REFRESH, .low = 0.98, .high = 1.02}, \
     .wake = PLAIN_WAKE, .clock = {PLAIN_CLOCK}}

static const lab_scenario loads[] = {
    CPU(10), CPU(30), CPU(50), CPU(70), CPU(80), CPU(90), CPU(95), CPU(99), CPU(110), CPU(130),
    GPU(10), GPU(30), GPU(50), GPU(70), GPU(80), GPU(90), GPU(95), GPU(99), GPU(110), GPU(130),
};

#define WORK(ms) \
    {PLAIN("work-" #ms, #ms " ms on the CPU, on any display"), \
     .render = {.base = (ms) * 1e6, .low = 0.98, .high = 1.02}, \
     .wake = PLAIN_WAKE, .clock = {PLAIN_CLOCK}}

static const lab_scenario work[] = {WORK(2), WORK(6), WORK(10), WORK(14), WORK(18)};

static const lab_scenario systems[] = {
    {LIGHT("preempted", "about twice a second another program takes the CPU for 1 to 20 ms"),
     .preemption = {500 * MS, 1 * MS, 20 * MS, false}},
    {LIGHT("late-flips", "1 % of the flips come one refresh late"), .late_share = 0.01},
    {LIGHT("flips-1ms", "refresh times are rounded up to 1 ms"), .grain_ns = 1 * MS},
    {PLAIN("wake-tail", "present returns late as on a busy desktop"),
     .render = CHEAP_RENDER, .render_variable = CHEAP_VARIABLE, .wake = TAIL_WAKE,
     .clock = {PLAIN_CLOCK}},
    {PLAIN("desktop", "wake-tail and flips-1ms together"),
     .render = CHEAP_RENDER, .render_variable = CHEAP_VARIABLE, .wake = TAIL_WAKE,
     .grain_ns = 1 * MS, .clock = {PLAIN_CLOCK}},
};

#define WAVE(label, text, kind, in, from, to) \
    {PLAIN(label, text), .wake = PLAIN_WAKE, .clock = {PLAIN_CLOCK}, \
     .render = {.base = (from), .unit = LAB_UNIT_##in, .low = 0.95, .high = 1.05, \
                .wave = LAB_WAVE_##kind, .wave_to = (to) / (from), .wave_ns = 3 * ES_NS_PER_S}}

/* Kinds of trouble that the exam mixes: lab/exam/case.c takes pauses and changes from here. */
static const lab_scenario exam[] = {
    WAVE("waves", "60 to 130 % of the refresh period, in waves of 3 s", SMOOTH, REFRESH, 0.6, 1.3),
    WAVE("sawtooth", "rises from 50 to 130 % in 3 s, then falls at once", SAWTOOTH, REFRESH, 0.5, 1.3),
    WAVE("wander", "wanders between 50 and 130 % of the refresh period", WANDER, REFRESH, 0.5, 1.3),
    WAVE("alternate", "4 and 20 ms in turn", ALTERNATE, NS, 4e6, 20e6),
    WAVE("vrr-waves", "4 to 25 ms in waves of 3 s", SMOOTH, NS, 4e6, 25e6),
    WAVE("vrr-cap", "6 to 8 ms in waves of 3 s: at times over 144 frames per second", SMOOTH, NS, 6e6, 8e6),
    WAVE("vrr-floor", "15 to 30 ms in waves of 3 s: at times below 48 frames per second", SMOOTH, NS, 15e6, 30e6),
    {PLAIN("load-80-120", "80 to 120 % of the refresh period, also for a host"), .wake = PLAIN_WAKE,
     .clock = {PLAIN_CLOCK}, .render = {.base = 1.0, .unit = LAB_UNIT_REFRESH, .low = 0.8, .high = 1.2}},
    {LIGHT("pauses", "each 0.7 s another program takes the CPU for 8 to 12 ms"), .preemption = {700 * MS, 8 * MS, 12 * MS, true}},
    {LIGHT("stalls", "about each 3 s another program takes the CPU for 50 to 100 ms"), .preemption = {3000 * MS, 50 * MS, 100 * MS, false}},
    {LIGHT("queue-1-2", "a queue of 1 and of 2 in turn"), .changes = {{0.25, {.queue = 1}}, {0.5, {.queue = 2}}, {0.75, {.queue = 1}}}},
    {LIGHT("compositor", "a compositor adds a refresh for a quarter of the run, twice"),
     .changes = {{0.25, {.delay = 1}}, {0.5, {.delay = 0}}, {0.75, {.delay = 1}}}},
    {LIGHT("rate-steps", "the refresh rate falls to 4/5, to 2/3, and rises again"),
     .changes = {{0.25, {.factor = {4, 5}}}, {0.5, {.factor = {2, 3}}}, {.at = 0.75}}},
    {LIGHT("variable-part", "the refresh is variable for a third of the run"), .changes = {{THIRD, {.mode = LAB_MODE_VARIABLE}}, {.at = 2.0 * THIRD}}},
    STALL("return-3000", "one present queues, then waits 3 s", LAB_PLACE_RETURN, 3000),
};

/* Only where a host calls. */
static const lab_scenario calls[] = {
    {LIGHT("call-skipped", "a host leaves out one call"),
     .incidents = {{LAB_PLACE_SKIP, THIRD, 1, 0, false}}},
    {LIGHT("call-doubled", "a host calls twice for one refresh"),
     .incidents = {{LAB_PLACE_DOUBLE, THIRD, 1, 0, false}}},
};

/* clang-format on */

#define GROUP(name, table)                                                                         \
    {                                                                                              \
        name, table, sizeof table / sizeof table[0]                                                \
    }

static const lab_scenario_group groups[] = {
        GROUP("standard", standard),
        GROUP("transitions", transitions),
        GROUP("loads", loads),
        GROUP("work", work),
        GROUP("systems", systems),
        GROUP("exam", exam),
        GROUP("calls", calls),
};

enum { GROUP_COUNT = sizeof groups / sizeof groups[0] };

const lab_scenario_group *lab_scenario_group_at(size_t index)
{
    return index < GROUP_COUNT ? &groups[index] : NULL;
}

const lab_scenario *lab_scenario_at(size_t index)
{
    for (size_t i = 0; i < GROUP_COUNT; ++i) {
        if (index < groups[i].count) {
            return &groups[i].scenarios[index];
        }
        index -= groups[i].count;
    }
    return NULL;
}

const lab_scenario *lab_scenario_find(const char *name)
{
    const lab_scenario *scenario;
    for (size_t i = 0; name != NULL && (scenario = lab_scenario_at(i)) != NULL; ++i) {
        if (strcmp(scenario->name, name) == 0) {
            return scenario;
        }
    }
    return NULL;
}

lab_scenario lab_scenario_plain(void)
{
    return standard[0];
}
