/* SPDX-License-Identifier: Zlib
 *
 * demo_measure: the figures of one side: how even its frames were, how late its input.
 *
 * Frames wait here until their screen times are known; then they go to an es_meter. The figures are
 * those since the last change of a setting.
 */
#ifndef DEMO_MEASURE_H
#define DEMO_MEASURE_H

#include "evenstep/evenstep.h"
#include "evenstep/input.h"
#include "evenstep/measure.h"
#include "evenstep/replay.h"

#include "input.h"
#include "view.h"

enum {
    DEMO_WAITS = 64,
    DEMO_SENT = 1024,  /* frames whose screen time may still be reported */
    DEMO_DELAYS = 1024 /* the newest events that input figures are of */
};

/* Figures over neighbouring frames. */
typedef struct demo_span {
    int64_t pairs;
    double seconds;
    double longest_ms;              /* from one frame to the next */
    double error_ms, error_most_ms; /* animation error: mean of the size, largest */
    int64_t refreshes, repeats;     /* of the display; repeats showed the last frame again */
} demo_span;

/* A frame that was presented, and what the platform reported of it. */
typedef struct demo_wait {
    es_report report;
    es_present answer;
    bool is_answered;
} demo_wait;

typedef struct demo_measure {
    es_clock clock;
    es_meter *meter;
    es_trace *trace; /* takes the same frames; NULL: none */
    int64_t started_ns;
    double seconds; /* as of demo_measure_stop */
    int64_t dropped_ns, slow_motion_ns, stretched_ns, gaps_ns;
    bool follows; /* the loop follows the display, and knows this of it: */
    es_display display;
    es_input *events;      /* the side's, which measures their delays */
    es_input_status input; /* as of the last demo_measure_refresh */
    int64_t refreshed_ns;
    demo_wait waits[DEMO_WAITS];       /* frames on their way to the screen: a ring, */
    int64_t waits_first;               /* from this one to next_frame */
    int64_t sent[DEMO_SENT];           /* numbers of frames: a ring; -1: none */
    int64_t taken, discarded, refused; /* reports of screen times */
    int64_t answered;                  /* the newest frame that has one; -1: none */
    es_present last_seen;              /* the newest with a time */
    int64_t counted_ns, refreshes;     /* of screen times whose count of refreshes fits them */
    int64_t next_frame;                /* the demo's number of the next frame */
    int64_t loop_first;                /* the first frame of this loop */
    int64_t loop_base;                 /* the demo's number less the loop's */
    int64_t counts_from;               /* the first frame that counts */
    uint32_t breaks;                   /* frames were left out: never compared across */
    bool settled;                      /* past the first frames, which stand still for a delay */
    double errors_ms[DEMO_ERRORS];     /* a ring that keeps the frames before a change */
    int64_t error_count;
} demo_measure;

/** Starts measuring. false: no memory. The meter is the caller's to free. */
bool demo_measure_init(demo_measure *measure, const es_clock *clock, es_input *events);

/** Forgets all figures and starts again with the next frame. */
void demo_measure_restart(demo_measure *measure);

/** A loop was started: its frames count from 0. */
void demo_measure_new_loop(demo_measure *measure);

void demo_measure_stop(demo_measure *measure);

/** Takes in a frame that was presented, by the demo's number. Returns whether it counts. */
bool demo_measure_presented(demo_measure *measure, const es_report *report, int64_t frame);

/** Takes in a report of a screen time. true: of this loop, and *sample has the loop's number now. */
bool demo_measure_feedback(demo_measure *measure, es_present *sample);

/** Measures the frames whose screen times are known. waits: false where none are ever reported. */
void demo_measure_settle(demo_measure *measure, int64_t now_ns, bool waits);

/** Updates `input`, four times a second at most, or now. Returns whether it did. */
bool demo_measure_refresh(demo_measure *measure, bool now);

/** The display's refresh period in ns; 0: not known. */
double demo_measure_period_ns(const demo_measure *measure);

/** Figures of the last since_ns, by refreshes of period_ns (0: not known). */
demo_span demo_measure_span(const demo_measure *measure, int64_t since_ns, double period_ns);

#endif
