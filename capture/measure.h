/* SPDX-License-Identifier: Zlib
 *
 * capture_measure: how smooth the frames of a capture were.
 *
 *   animation error  (C - C before) - (D - D before), over neighbouring frames that were shown: C is
 *                    content_ms, D is shown_ms. As PresentMon has it (MsAnimationError)
 *   interval error   d - T. d: from one frame shown to the next (where the file has no screen times:
 *                    the frame time); T: the median d, rounded to whole refreshes if they are known
 *   hitch time       d - T, where that is over half a refresh (half of T, where the refresh is not
 *                    known): what Apple calls a hitch, on a display of whole refreshes
 *
 * Percentiles are by nearest rank: the smallest value with at least that share at or below it. Up to
 * LAB_EXACT_MAX frames they are exact; beyond, a histogram gives them to 0.1 %.
 */
#ifndef CAPTURE_MEASURE_H
#define CAPTURE_MEASURE_H

#include "capture/capture.h"
#include "capture/causes.h"

enum { LAB_EXACT_MAX = 1000000, LAB_GRAPH = 512 };

/* A distribution, in ms. Percentiles, mean and max are of sizes, the bias is with signs. */
typedef struct lab_spread {
    size_t count;
    double mean_ms, bias_ms, rms_ms;
    double p50_ms, p95_ms, p99_ms, p999_ms, max_ms;
    double top_1_ms, top_01_ms; /* means of the largest 1 % and 0.1 %, of one at least */
} lab_spread;

/* How the refresh period is known. */
typedef enum lab_capture_refresh {
    LAB_CAPTURE_REFRESH_UNKNOWN = 0, /* not known, or it varies */
    LAB_CAPTURE_REFRESH_GIVEN,
    LAB_CAPTURE_REFRESH_SCREEN,   /* screen times are one, two and more of it apart */
    LAB_CAPTURE_REFRESH_EVEN,     /* all are one apart: so are evenly paced frames on a variable
                                     refresh, and frames that are held for two refreshes each */
    LAB_CAPTURE_REFRESH_COMPOSED, /* likewise, of a compositor, whose refresh is fixed */
    LAB_CAPTURE_REFRESH_TEARING,  /* ... and of a program that allows tearing: perhaps its pace */
    LAB_CAPTURE_REFRESH_FRAMES    /* frame times are: a frame limiter looks the same */
} lab_capture_refresh;

/* The call that presents takes up to 0.1 ms. */
#define LAB_WAITED_MS 0.2

typedef struct lab_figures {
    size_t frames;
    size_t unseen;    /* without a screen time, in a file that has them: dropped, or not known */
    size_t generated; /* by a driver */
    size_t waits;     /* presents that waited: they took over LAB_WAITED_MS */
    double seconds;
    lab_spread frame_time;
    double frames_per_second;
    lab_capture_refresh refresh;
    double refresh_ms;  /* 0: not known */
    double interval_ms; /* mean d */
    double intended_ms; /* T */
    lab_spread interval_error;
    lab_spread animation_error;     /* count 0: the file cannot show it, nor the next two */
    double pursuit_ms;              /* RMS distance of content from the best line over 250 ms */
    size_t jumps;                   /* animation errors over 25 ms */
    double hitch_ratio;             /* hitch time by the time that frames were shown */
    double second_at_ms, second_ms; /* begin of the second with the largest sum of errors' sizes,
                                       without content times of hitch time; the sum */
    lab_spread latency[LAB_LATENCIES];
    size_t refreshes, repeats; /* that showed the frame before again, beyond those in T */
    bool is_exact;
    lab_moment worst[LAB_WORST]; /* 100 ms apart at least */
    size_t worst_count;
    lab_cause_figures causes[LAB_CAUSES];
    double graph_ms; /* width of a part of the graph */
    size_t graph_count;
    float graph_error[LAB_GRAPH], graph_interval[LAB_GRAPH]; /* largest of each part */
} lab_figures;

typedef enum lab_metric {
    LAB_METRIC_ANIMATION, /* |animation error| */
    LAB_METRIC_INTERVAL,  /* |interval error| */
    LAB_METRIC_FRAME,     /* frame time */
    LAB_METRIC_REPEATS,   /* refreshes that showed the frame before again, of all */
    LAB_METRIC_HITCHES,   /* hitch time by time */
    LAB_METRIC_JUMPS      /* animation errors over LAB_JUMP_MS, per ms */
} lab_metric;

enum { LAB_STEPS = LAB_METRIC_REPEATS };

/* The values that figures are of, in ms, by metric. */
typedef struct lab_steps {
    double *values[LAB_STEPS]; /* animation errors, with signs; from one frame shown to the next,
                                  without screen times the frame times; frame times */
    size_t count[LAB_STEPS], capacity[LAB_STEPS];
    double refresh_ms;  /* 0: not known */
    double intended_ms; /* T */
} lab_steps;

/* Above it an animation error is a jump. */
#define LAB_JUMP_MS 25.0

/* The hitch time of a frame. refresh_ms: 0: not known. */
static inline double lab_hitch_ms(double interval_ms, double intended_ms, double refresh_ms)
{
    double late = interval_ms - intended_ms;
    return late > (refresh_ms > 0.0 ? refresh_ms : intended_ms) / 2.0 ? late : 0.0;
}

/* Adds a value of a metric. False: out of memory. */
bool lab_steps_add(lab_steps *steps, lab_metric metric, double value);

void lab_steps_free(lab_steps *steps);

/* Reads all frames. refresh_ms: 0: finds it. steps: {0}, or NULL: without them. Refuses captures that faulty writers have made, and
 * those that leave out frames. */
es_result lab_capture_measure(lab_capture *capture, double refresh_ms, lab_figures *figures,
        lab_steps *steps, lab_capture_error *error);

#endif
