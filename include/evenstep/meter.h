/* SPDX-License-Identifier: Zlib
 *
 * meter: how smooth was it?
 *
 * Feed it every frame's report. It keeps the raw samples in the caller's memory, so percentiles are
 * exact. Two errors are kept apart, because a run can be perfect in one and bad in the other:
 *
 *   interval error   d - T: pictures came at uneven times. d: from one picture's screen time to the
 *                    next; T: the interval the loop intended.
 *   animation error  (C - C before) - (D - D before): pictures showed the wrong instants. Positive:
 *                    the animation moved on further than the time between the pictures.
 *
 * D is the *measured* screen time of each frame, never the predicted one: against a prediction the
 * error would be zero by construction. What the user asked for (pause, time scale, seek) is no
 * error and is left out; what was dropped or lagged is one, and so are the first pictures that a
 * delay holds. Where D is the return of present, its wake-up lateness counts as an error that a
 * player does not see: such figures are an upper bound.
 */
#ifndef EVENSTEP_METER_H
#define EVENSTEP_METER_H

#include "evenstep/frame.h"

/* One displayed frame. */
typedef struct es_meter_sample {
    int64_t shown_ns;    /* D: measured screen time */
    int64_t content_ns;  /* C, with what pause, time scale and seeks withheld put back */
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
    int32_t ticks_min;      /* fewest and most ticks in one frame, */
    int32_t ticks_max;      /* the first frame left out */
    es_shown_source source; /* what D was taken from; the weakest of all frames */
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

/* How smooth it was, over the samples kept. Percentiles are by nearest rank: the smallest sample
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

/* Starts a meter with no samples.
 * meter: the caller's; not NULL.
 * samples: capacity of them; not NULL. An hour at 240 Hz is 864 000.
 * capacity: at least 2. When full, the oldest samples give way; the totals go on.
 * Errors: ES_ERR_INVALID: NULL, or a capacity below 2.
 * Ownership: borrows samples until the meter is no longer used. */
ES_API es_result es_meter_init(es_meter *meter, es_meter_sample *samples, size_t capacity);

/* Takes in one frame.
 * meter: initialised.
 * report: from es_loop_report; NULL is ignored. Where a platform tells screen times some frames
 * later, keep a copy, set shown_ns and source, and hand it in then, in order. With
 * ES_SHOWN_PLANNED only the totals count. */
ES_API void es_meter_add(es_meter *meter, const es_frame_report *report);

/* Works out how smooth it was.
 * meter: initialised.
 * scratch: room for sorting; not NULL.
 * scratch_count: numbers that fit; at least meter->count.
 * summary: filled; all 0 where fewer than two frames can be compared; not NULL.
 * Errors: ES_ERR_INVALID: a NULL. ES_ERR_SPACE: scratch is too small. Takes time proportional to n
 * log n of the samples kept.
 * Source: animation error as PresentMon defines it (MsAnimationError), over displayed frames. */
ES_API es_result es_meter_summarise(
        const es_meter *meter, double *scratch, size_t scratch_count, es_meter_summary *summary);

#ifdef __cplusplus
}
#endif

#endif
