/* SPDX-License-Identifier: Zlib
 *
 * meter: how smooth the frames were.
 *
 * It takes every frame's report and keeps the raw samples, so percentiles are exact. Two errors are
 * kept apart, because a run can be perfect in one and bad in the other:
 *
 *   interval error   d - T: frames came at uneven times. d: from one frame's screen time to the
 *                    next; T: the interval that the loop intended.
 *   animation error  (C - C before) - (D - D before): frames showed the wrong instants. Positive:
 *                    content moved on further than the time between the frames.
 *
 * D is the *measured* screen time, never the predicted one: against a prediction the error would be
 * zero by construction. What the user asked for (pause, time scale, seek) is no error and is left
 * out. Dropped time and slow motion are errors, and so are the first frames that a delay clamps.
 * Where D is the return of present, its wake-up lateness counts as an error that a player does not
 * see: such figures are an upper bound.
 *
 * Defaults of this header; a function states only exceptions.
 *   Threads     one thread per meter.
 *   Allocation  none; the caller gives the memory and keeps it until the meter is no longer used.
 *   Errors      es_result; nothing changes on an error. ES_ERR_INVALID: a NULL. */
#ifndef EVENSTEP_METER_H
#define EVENSTEP_METER_H

#include "evenstep/frame.h"

/* One displayed frame. */
typedef struct es_meter_sample {
    int64_t shown_ns;    /* D: measured screen time */
    int64_t content_ns;  /* C, with the time that pause, time scale and seeks took put back */
    int64_t intended_ns; /* T: intended interval to the frame before; 0: not known */
    int32_t series;      /* only samples of one series are compared: a gap starts a new one */
} es_meter_sample;

/* Initialise with es_meter_init; the totals may be read. */
typedef struct es_meter {
    es_meter_sample *samples;
    size_t capacity;
    size_t next;            /* where the next sample goes */
    size_t count;           /* samples kept: at most capacity */
    int64_t frames;         /* frames seen in all */
    int64_t ticks;          /* ticks run in all */
    int64_t dropped_ns;     /* time lost in all */
    int64_t gaps;           /* gaps seen */
    int64_t gaps_ns;        /* how long they lasted */
    int64_t late_ns_max;    /* the latest wake-up */
    int64_t work_ns_max;    /* the most work in one frame */
    int64_t work_ns;        /* work in all */
    int32_t ticks_min;      /* fewest ticks in one frame, without the first frame */
    int32_t ticks_max;      /* most ticks in one frame, without the first frame */
    es_shown_source source; /* the weakest source of D of all frames */
} es_meter;

/* An error's distribution, in ms. */
typedef struct es_meter_error {
    double mean_abs_ms; /* mean of |e| */
    double bias_ms;     /* mean of e */
    double rms_ms;      /* root of the mean of e squared */
    double median_ms;   /* of |e| */
    double p99_ms;      /* 99th percentile of |e| */
    double max_ms;      /* largest |e| */
} es_meter_error;

/* The errors over the samples kept. Percentiles are by nearest rank: the smallest sample
 * with at least that share at or below it. */
typedef struct es_meter_summary {
    size_t intervals;         /* pairs of neighbouring frames that were compared */
    double interval_ms;       /* mean d */
    double intended_ms;       /* mean T; where it is not known, the median |d| stands for it */
    es_meter_error interval;  /* d - T */
    es_meter_error animation; /* (C - C before) - (D - D before) */
    double lost_ms;           /* screen time less content time over those pairs */
} es_meter_summary;

#ifdef __cplusplus
extern "C" {
#endif

/* Starts a meter with no samples. capacity: at least 2; an hour at 240 Hz is 864 000. When samples
 * is full the oldest are overwritten; the totals go on. */
ES_API es_result es_meter_init(es_meter *meter, es_meter_sample *samples, size_t capacity);

/* Adds one frame. report: from es_loop_report; NULL is ignored. Where a platform reports screen
 * times some frames later, keep a copy, set shown_ns and source, and add it then, in order. With
 * ES_SHOWN_PLANNED only the totals count. */
ES_API void es_meter_add(es_meter *meter, const es_frame_report *report);

/* Computes the summary; all 0 where fewer than two frames can be compared. scratch: sorted in, at
 * least meter->count numbers (ES_ERR_SPACE). Takes O(n log n) of the samples kept.
 * Source: animation error as PresentMon defines it (MsAnimationError), over displayed frames. */
ES_API es_result es_meter_summarise(
        const es_meter *meter, double *scratch, size_t scratch_count, es_meter_summary *summary);

#ifdef __cplusplus
}
#endif

#endif
