/* SPDX-License-Identifier: Zlib
 *
 * scenario: the costs and faults of a run, as plain data.
 *
 * Costs are in ns or a share of a period, so that one scenario fits every refresh and tick rate. To
 * make one, start from lab_scenario_exact (no noise, costs 0) or from one of the table.
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

/* The cost of one frame, in place of the distribution. */
typedef struct lab_cost_at {
    int64_t index; /* frame, or tick, from 0 */
    int64_t cost_ns;
} lab_cost_at;

/* The cost of a frame or a tick, drawn by its index:
 *   min(base, base_max) * uniform(low, high) * ramp * surge * Pareto(tail) * spike, at most max.
 * {0} costs nothing. */
typedef struct lab_cost {
    double base; /* in units */
    lab_unit unit;
    int64_t base_max_ns; /* 0: no limit */
    double low;          /* uniform factor; both 0: exactly 1 */
    double high;
    double ramp_to;      /* factor that is reached in the middle of the measured part of the run,
                            from 1 and back to 1, linearly; 0: no ramp */
    double surge;        /* factor between two instants; 0: none */
    double surge_from;   /* shares of the measured part of the run: from this ... */
    double surge_to;     /* ... to this, exclusive */
    double pareto_tail;  /* 0: none */
    double spike_share;  /* this share of the frames ... */
    double spike_factor; /* ... costs this many times as much */
    int64_t max_ns;      /* 0: no limit */
    const int64_t
            *trace_ns;     /* costs by index, from the start again at the end: they replace base */
    size_t trace_count;    /* 0: no trace */
    const lab_cost_at *at; /* exceptions; the last that fits counts. Noise does not touch them */
    size_t at_count;
} lab_cost;

/* One reason to be late: with this probability, uniform(low, high) + exponential(mean) is added. */
typedef struct lab_delay {
    double share; /* 1: always; 0: unused */
    int64_t low_ns;
    int64_t high_ns;
    int64_t mean_ns;
} lab_delay;

enum { LAB_DELAYS = 3, LAB_FAULTS = 3 };

/* How late a wake-up is. {0}: never. */
typedef struct lab_lateness {
    lab_delay delays[LAB_DELAYS];
    bool one_of; /* one delay happens, chosen by its share; the last takes the rest. Else their sum */
} lab_lateness;

typedef enum lab_fault_kind {
    LAB_FAULT_NONE = 0,
    LAB_FAULT_JUMP,   /* the clock leaps forward by amount */
    LAB_FAULT_STILL,  /* it stands still for amount, and goes on from there */
    LAB_FAULT_BACK,   /* it steps back by amount */
    LAB_FAULT_SUSPEND /* the machine sleeps for amount; the clock does not count it, suspended_ns
                         does */
} lab_fault_kind;

typedef struct lab_fault {
    lab_fault_kind kind;
    double at; /* share of the measured part of the run: 0.5 is its middle. In order of time */
    int64_t amount_ns;
} lab_fault;

/* The program's clock. */
typedef struct lab_clock_model {
    int32_t skew_ppm; /* it runs this much faster than the display's */
    int64_t noise_ns; /* a reading is up to this much ahead, uniformly */
    int64_t read_ns;  /* the cost of a reading, as work */
    lab_fault faults[LAB_FAULTS];
} lab_clock_model;

/* Where in a frame something happens. */
typedef enum lab_place {
    LAB_PLACE_NONE = 0,
    LAB_PLACE_TICK,    /* its first tick takes longer */
    LAB_PLACE_DRAW,    /* drawing takes longer */
    LAB_PLACE_PRESENT, /* present takes longer before the frame is queued */
    LAB_PLACE_RETURN,  /* present takes longer after the frame is queued */
    LAB_PLACE_SKIP,    /* the host leaves out the call */
    LAB_PLACE_DOUBLE   /* the host calls twice for one refresh */
} lab_place;

/* Something that happens to a few frames in a row. */
typedef struct lab_incident {
    lab_place place;
    double at;      /* the first frame that begins after this share of the measured part */
    int32_t frames; /* 0: one */
    int64_t ns;     /* how much longer each takes */
    bool idle;      /* waiting (a disk, a driver), not working */
} lab_incident;

/* A change of the screen's behaviour (lab_change; its at_ns is made from at). */
typedef struct lab_screen_change {
    double at; /* share of the measured part of the run, over 0; 0: none */
    lab_change change;
} lab_screen_change;

/* Other programs take the processor from the first thread. Its CPU time does not count then. */
typedef struct lab_preemption {
    int64_t mean_ns; /* from the end of one to the start of the next, exponential; 0: never */
    int64_t low_ns;  /* their duration, uniform */
    int64_t high_ns;
} lab_preemption;

enum { LAB_INCIDENTS = 3 };

typedef struct lab_scenario {
    const char *name;         /* for the command line */
    const char *title;        /* for people, one line */
    lab_cost update;          /* per tick */
    lab_cost render;          /* per frame, on the CPU, until submit */
    lab_cost render_variable; /* in place of render where the refresh is variable; base 0: render */
    lab_cost gpu;             /* per frame, after submit, one at a time; base 0: none */
    lab_lateness wake;        /* of a present that blocked */
    lab_lateness sleep;       /* of a sleep */
    lab_lateness worker_sleep; /* of the second thread's, where a loop has one; {0}: as sleep */
    lab_clock_model clock;
    lab_preemption preemption;
    lab_incident incidents[LAB_INCIDENTS];  /* in order of time */
    lab_screen_change changes[LAB_CHANGES]; /* likewise */
    int64_t grain_ns;                       /* in place of lab_display.grain_ns, where that is 0 */
    double late_share; /* in place of lab_display.late_share, where that is 0 */
    bool from_start;   /* the measured part begins with the first frame */
} lab_scenario;

/* A group of scenarios: standard, transitions, loads, systems, calls (of a host). */
typedef struct lab_scenario_group {
    const char *name;
    const lab_scenario *scenarios;
    size_t count;
} lab_scenario_group;

/* By index from 0, NULL past the last. */
const lab_scenario_group *lab_scenario_group_at(size_t index);

/* All scenarios, group by group: by index from 0, NULL past the last. */
const lab_scenario *lab_scenario_at(size_t index);

/* By name; NULL: there is none. */
const lab_scenario *lab_scenario_find(const char *name);

/* No noise, no skew, no faults, costs 0. */
lab_scenario lab_scenario_exact(void);

/* Scenario "cheap": costs and lateness without faults. */
lab_scenario lab_scenario_plain(void);

/* Whether something happens in it once: an incident, a change of the screen, a surge of cost. */
bool lab_scenario_has_event(const lab_scenario *scenario);

/* Checked: ES_ERR_INVALID names the field in error (may be NULL). */
es_result lab_scenario_validate(const lab_scenario *scenario, es_error *error);

/* The periods and times that costs refer to. */
typedef struct lab_scale {
    int64_t refresh_ns;
    int64_t tick_ns;
    int64_t from_ns; /* true times between which ramps, stalls and faults are placed: the part of */
    int64_t to_ns;   /* the run that is measured */
    uint64_t seed;
} lab_scale;

/* A cost, prepared for drawing. */
typedef struct lab_pricer {
    lab_cost cost;
    double base_ns;
    int64_t from_ns;
    int64_t to_ns;
    double typical_ns;
    uint64_t key;
} lab_pricer;

/* stream: of the random numbers. */
lab_pricer lab_pricer_make(const lab_cost *cost, const lab_scale *scale, lab_stream stream);

/* The cost of frame or tick number index, paid at true time at_ns (for the ramp). */
int64_t lab_pricer_draw_ns(const lab_pricer *pricer, int64_t index, int64_t at_ns);

/* The typical cost: the median; of a ramp or surge at that instant, of a trace over all of it.
 * Spikes and exceptions are left aside. */
int64_t lab_pricer_typical_ns(const lab_pricer *pricer, int64_t at_ns);

/* How late wake-up number index is. key: lab_random_key of a stream. */
int64_t lab_lateness_draw_ns(const lab_lateness *lateness, uint64_t key, int64_t index);

#endif
