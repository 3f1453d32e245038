/* SPDX-License-Identifier: Zlib
 *
 * scenario: the costs and faults of a run, as plain data.
 *
 * Costs are in ns or a share of a period, so that one scenario fits each refresh and tick rate. To
 * make a scenario, change lab_scenario_exact (no noise, costs 0) or one of the tables.
 */
#ifndef LAB_SCENARIO_H
#define LAB_SCENARIO_H

#include "lab/display.h"
#include "lab/random.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum lab_unit {
    LAB_UNIT_NS = 0,
    LAB_UNIT_REFRESH, /* refresh periods (lab_display.nominal) */
    LAB_UNIT_TICK     /* tick periods */
} lab_unit;

/* How a cost rises and falls in a period. */
typedef enum lab_wave {
    LAB_WAVE_RAMP = 0, /* rises in the first half of a period, falls in the second */
    LAB_WAVE_SMOOTH,   /* likewise, along parabolas: almost a sine */
    LAB_WAVE_SAWTOOTH, /* rises, then falls at once */
    LAB_WAVE_SQUARE,   /* is high in the second half of a period */
    LAB_WAVE_WANDER,   /* goes from one random value to the next in each half period */
    LAB_WAVE_ALTERNATE /* is high in every other frame or tick; the period does not matter */
} lab_wave;

/* The cost of one frame or tick, instead of the distribution below. */
typedef struct lab_cost_at {
    int64_t index; /* frame, or tick, from 0 */
    int64_t cost_ns;
} lab_cost_at;

/* The cost of a frame or a tick, random by its index:
 *   min(base, base_max) * uniform(low, high) * wave * surge * Pareto(tail) * spike, at most max.
 * {0} costs nothing. */
typedef struct lab_cost {
    double base; /* in units */
    lab_unit unit;
    int64_t base_max_ns; /* 0: no limit */
    double low;          /* uniform factor; both 0: exactly 1 */
    double high;
    double wave_to;          /* a factor that goes from 1 to this and back; 0: no wave */
    lab_wave wave;           /* how it goes */
    int64_t wave_ns;         /* its period, from the start of the measured part; 0: that part */
    double surge;            /* factor from surge_from to surge_to; 0: none */
    double surge_from;       /* share of the measured part of the run */
    double surge_to;         /* share of the measured part, exclusive */
    double pareto_tail;      /* 0: none */
    double spike_share;      /* share of the frames whose cost is multiplied */
    double spike_factor;     /* factor of these frames */
    int64_t max_ns;          /* 0: no limit */
    const int64_t *trace_ns; /* costs by index, repeated after the last: they replace base */
    size_t trace_count;      /* 0: no trace */
    const lab_cost_at *at;   /* exceptions, without noise; of two for one index, the last counts */
    size_t at_count;
} lab_cost;

/* A random delay: with probability share, uniform(low, high) + exponential(mean). */
typedef struct lab_delay {
    double share; /* 1: always; 0: unused, and ends the list */
    int64_t low_ns;
    int64_t high_ns;
    int64_t mean_ns;
} lab_delay;

enum { LAB_DELAYS = 3, LAB_FAULTS = 3 };

/* How late a wake-up is. {0}: never. */
typedef struct lab_lateness {
    const int64_t
            *quantiles_ns; /* of recorded wake-ups, evenly spaced, instead of the delays; or NULL */
    size_t quantile_count; /* 2 or more */
    lab_delay delays[LAB_DELAYS];
    bool one_of; /* false: the sum of the delays. true: one delay, chosen by share; the last has the
                    remaining probability */
} lab_lateness;

typedef enum lab_fault_kind {
    LAB_FAULT_NONE = 0,
    LAB_FAULT_JUMP,   /* the clock jumps ahead by amount */
    LAB_FAULT_STILL,  /* the clock stands still for amount, then continues from its old value */
    LAB_FAULT_BACK,   /* the clock steps back by amount */
    LAB_FAULT_SUSPEND /* the machine sleeps for amount; only es_clock's suspended time counts it */
} lab_fault_kind;

typedef struct lab_fault {
    lab_fault_kind kind;
    double at; /* share of the measured part of the run: 0.5 is its middle. In order of time */
    int64_t amount_ns;
} lab_fault;

/* The program's clock. */
typedef struct lab_clock_model {
    int32_t skew_ppm; /* how much faster it runs than the display's clock */
    int64_t noise_ns; /* a reading is up to this much too high, uniformly */
    int64_t read_ns;  /* CPU time of a reading */
    int64_t grain_ns; /* readings are rounded down to a multiple of it; 0: exact */
    lab_fault faults[LAB_FAULTS];
} lab_clock_model;

/* Where in a frame an incident happens. */
typedef enum lab_place {
    LAB_PLACE_NONE = 0,
    LAB_PLACE_TICK,    /* the frame's first tick takes longer */
    LAB_PLACE_DRAW,    /* drawing takes longer */
    LAB_PLACE_PRESENT, /* present takes longer before the frame is queued */
    LAB_PLACE_RETURN,  /* present takes longer after the frame is queued */
    LAB_PLACE_SKIP,    /* the host leaves out the call */
    LAB_PLACE_DOUBLE   /* the host calls twice for one refresh */
} lab_place;

/* A delay in one frame or in several frames in a row. */
typedef struct lab_incident {
    lab_place place;
    double at;      /* starts with the first frame after this share of the measured part */
    int32_t frames; /* 0: one */
    int64_t ns;     /* how much longer each frame takes */
    bool idle;      /* the thread waits (for a disk, a driver); else it works */
} lab_incident;

/* A change of the screen. change.at_ns is computed from at. */
typedef struct lab_screen_change {
    double at; /* share of the measured part of the run, over 0; 0: none */
    lab_change change;
} lab_screen_change;

/* Other programs take the processor from the first thread. That is not CPU time of the thread. */
typedef struct lab_preemption {
    int64_t mean_ns; /* time between two preemptions, exponential; 0: never */
    int64_t low_ns;  /* shortest duration of one; uniform to high_ns */
    int64_t high_ns;
    bool is_even; /* always mean_ns between two */
} lab_preemption;

enum { LAB_INCIDENTS = 3 };

typedef struct lab_scenario {
    const char *name;          /* for the command line */
    const char *title;         /* for people, one line */
    lab_cost update;           /* per tick */
    lab_cost render;           /* per frame, on the CPU, until submit */
    lab_cost render_variable;  /* instead of render on variable refresh; base 0: render */
    lab_cost gpu;              /* per frame, after submit, one frame at a time; base 0: none */
    lab_lateness wake;         /* of a present that blocked */
    lab_lateness sleep;        /* of a sleep */
    lab_lateness worker_sleep; /* of a sleep of the second thread; {0}: as sleep */
    lab_clock_model clock;
    lab_preemption preemption;
    lab_incident incidents[LAB_INCIDENTS];  /* in order of time */
    lab_screen_change changes[LAB_CHANGES]; /* in order of time */
    int64_t grain_ns;                       /* used if lab_display.grain_ns is 0 */
    double late_share;                      /* used if lab_display.late_share is 0 */
    bool from_start;                        /* the measured part begins with the first frame */
} lab_scenario;

/* A group of scenarios: standard, transitions, loads, work, systems, exam, or calls (of a host). */
typedef struct lab_scenario_group {
    const char *name;
    const lab_scenario *scenarios;
    size_t count;
} lab_scenario_group;

/* The group with that index, from 0; NULL past the last. */
const lab_scenario_group *lab_scenario_group_at(size_t index);

/* The scenario with that index in all groups, from 0; NULL past the last. */
const lab_scenario *lab_scenario_at(size_t index);

/* The scenario of that name, or NULL. */
const lab_scenario *lab_scenario_find(const char *name);

/* No noise, no skew, no faults, costs 0. */
lab_scenario lab_scenario_exact(void);

/* Scenario "cheap": costs and lateness without faults. */
lab_scenario lab_scenario_plain(void);

/* Whether something happens in it once: an incident, a change of the screen, a surge of cost. */
bool lab_scenario_has_event(const lab_scenario *scenario);

/* Gives each tick a cost of percent % of a refresh, times uniform(0.8, 1.2). */
void lab_scenario_set_tick_cost(lab_scenario *scenario, double percent);

/* If a value is out of range, returns ES_ERR_INVALID and names the field in error (may be NULL). */
es_result lab_scenario_validate(const lab_scenario *scenario, lab_refusal *error);

/* The periods and times that costs refer to. */
typedef struct lab_scale {
    int64_t refresh_ns;
    int64_t tick_ns;
    int64_t from_ns; /* true time: start of the measured part of the run */
    int64_t to_ns;   /* its end */
    uint64_t seed;
} lab_scale;

/* A cost, prepared for lab_pricer_draw_ns. */
typedef struct lab_pricer {
    lab_cost cost;
    double base_ns;
    int64_t from_ns;
    int64_t to_ns;
    double typical_ns;
    uint64_t key;
} lab_pricer;

/* stream: selects the random numbers. */
lab_pricer lab_pricer_make(const lab_cost *cost, const lab_scale *scale, lab_stream stream);

/* The cost of frame or tick number index. at_ns: true time at its start, for wave and surge. */
int64_t lab_pricer_draw_ns(const lab_pricer *pricer, int64_t index, int64_t at_ns);

/* The median cost, with the wave and surge of that instant. It leaves out spikes and exceptions. A
 * trace has one median. */
int64_t lab_pricer_typical_ns(const lab_pricer *pricer, int64_t at_ns);

/* The lateness of wake-up number index. key: lab_random_key of a stream. */
int64_t lab_lateness_draw_ns(const lab_lateness *lateness, uint64_t key, int64_t index);

#endif
