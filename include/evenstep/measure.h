/* SPDX-License-Identifier: Zlib
 *
 * How smooth were the frames, and when was each one seen?
 *
 * A meter takes every frame's report and keeps the samples, so percentiles are exact. Two errors are
 * kept apart, because a run can be perfect in one and bad in the other:
 *
 *   interval error   d - T: frames came at uneven times. d: from one frame's screen time to the
 *                    next; T: the interval that the loop intended.
 *   animation error  (C - C before) - (D - D before): frames showed the wrong instants. Positive:
 *                    content moved on further than the time between the frames.
 *
 * D is the *measured* screen time, never the predicted one: against a prediction the error would be
 * zero by construction. What the user asked for (pause, speed, seek) is no error and is left out.
 * Dropped time and slow motion are errors. Where D is the return of presents that wait for the display,
 * wake-up lateness counts as an error that a player does not see: such figures are an upper bound. Where
 * presents do not wait, what was seen is not known.
 *
 *   es_meter *meter = es_meter_create(864000);        // an hour at 240 Hz
 *   ...
 *   es_loop_end(loop);                                // in each frame
 *   es_meter_add(meter, es_loop_get_report(loop));    // of hidden frames, too
 *   while (adapter_poll(&sample)) {                   // where the platform reports screen times
 *       es_meter_presented(meter, &sample);
 *   }
 *   ...
 *   es_smoothness smoothness = es_meter_smoothness(meter);
 *
 * Defaults as in evenstep.h. A meter belongs to one thread.
 */
#ifndef EVENSTEP_MEASURE_H
#define EVENSTEP_MEASURE_H

#include "evenstep/evenstep.h"

typedef struct es_meter es_meter;

#ifdef __cplusplus
extern "C" {
#endif

/* Makes a meter that keeps the newest samples, at least 2. */
ES_API es_meter *es_meter_create(size_t samples);
ES_API void es_meter_destroy(es_meter *meter);

/* Adds one frame; NULL is ignored. With ES_SHOWN_PLANNED only the totals count. */
ES_API void es_meter_add(es_meter *meter, const es_report *report);

/* Replaces the return of present by the screen time that the platform reports for one of the last 64
 * frames added; of a discarded frame the sample goes. In any order, once per frame.
 * False, and es_get_error says why: another frame; a time over 0.5 ms before its submit, or over 20 ms
 * after its report; a time or a count of refreshes in another order than the frames.
 * Pairs of frames are compared for which the same source tells both times: the source of most pairs.
 * While reports arrive, the newest frames wait for theirs. Without reports for 64 frames the returns
 * of present count again. */
ES_API bool es_meter_presented(es_meter *meter, const es_present *sample);

/* Forgets all frames. */
ES_API void es_meter_clear(es_meter *meter);

#ifdef __cplusplus
}
#endif

/* One displayed frame. */
typedef struct es_meter_sample {
    int64_t shown_ns;       /* D: measured screen time */
    int64_t content_ns;     /* C, with the time that pause, time scale and seeks took put back */
    int32_t series;         /* only samples of one series are compared: a gap starts a new one */
    es_shown_source source; /* of shown_ns */
} es_meter_sample;

/* An error's distribution, in ms. */
typedef struct es_error_ms {
    double mean_abs_ms; /* mean of |e| */
    double bias_ms;     /* mean of e */
    double rms_ms;      /* root of the mean of e squared */
    double median_ms;   /* of |e| */
    double p99_ms;      /* 99th percentile of |e| */
    double max_ms;      /* largest |e| */
} es_error_ms;

/* All frames so far, and the errors of the samples kept. Percentiles are by nearest rank: the smallest
 * sample with at least that share at or below it. */
typedef struct es_smoothness {
    int64_t frames;
    int64_t ticks;          /* run in all */
    int32_t ticks_min;      /* fewest in one frame, without the first frame ... */
    int32_t ticks_max;      /* ... and most */
    int64_t dropped_ns;     /* time lost */
    int64_t gaps;           /* how many ... */
    int64_t gaps_ns;        /* ... and how long they lasted */
    int64_t late_ns_max;    /* the latest wake-up */
    int64_t work_ns;        /* in all */
    int64_t work_ns_max;    /* the most in one frame */
    es_shown_source source; /* of the times of the pairs compared; planned: a frame has no other */
    size_t intervals;       /* pairs of neighbouring frames that were compared */
    double interval_ms;     /* mean d */
    double intended_ms;     /* mean T; where it is not known, the median |d| stands for it */
    es_error_ms interval;   /* d - T */
    es_error_ms animation;  /* (C - C before) - (D - D before) */
    double lost_ms;         /* screen time less content time over those pairs */
} es_smoothness;

#ifdef __cplusplus
extern "C" {
#endif

/* The sample that came `back` samples before the newest one. False: it is not kept. */
ES_API bool es_meter_get_sample(const es_meter *meter, size_t back, es_meter_sample *sample);

/* Computes the figures, in O(n log n) of the samples kept.
 * Source: animation error as PresentMon defines it (MsAnimationError), over displayed frames. */
ES_API es_smoothness es_meter_smoothness(es_meter *meter);

/* --- a capture of frames ---------------------------------------------------------------------- */

typedef struct es_trace es_trace;

/* Starts a capture, for `evenstep measure`: text, a line per frame, with content times.
 * path: of a new file; one that is there is refused. */
ES_API es_trace *es_trace_create(const char *path);

/* Adds a frame, in order: after es_loop_end, its report. With feedback: once its screen time is
 * known, as shown_ns and source. Another loop fills these fields of a report: frame.begun_ns (work
 * began), submit_ns (present is called), shown_ns with its source (present has returned, or the
 * screen time), frame.content_ns (the instant that it shows), and a new series where content or time
 * leap. Costs less than 0.1 us.
 * Each 4 kB are written, a second at 60 Hz: a crash loses no more, a slow disk delays that frame. */
ES_API bool es_trace_frame(es_trace *trace, const es_report *report);

/* Writes the rest, and frees. True: everything was written. */
ES_API bool es_trace_destroy(es_trace *trace);

#ifdef __cplusplus
}
#endif

/* --- names of version 0.2, for one version ----------------------------------------------------- */

ES_RENAMED_("es_meter_get_sample")
static inline bool es_meter_get(const es_meter *meter, size_t back, es_meter_sample *sample)
{
    return es_meter_get_sample(meter, back, sample);
}

#endif
