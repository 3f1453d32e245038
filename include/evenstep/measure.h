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
 * Dropped time and slow motion are errors. Where D is the return of present, its wake-up lateness
 * counts as an error that a player does not see: such figures are an upper bound.
 *
 * A feedback queue improves D where the platform reports screen times some frames later: X11's Present
 * extension, Wayland's presentation-time, Vulkan, browsers. Reports come in any order, twice, of frames
 * that were never shown, implausible, or not at all. The queue accepts the plausible ones, counts the
 * others by reason, and returns the frame reports in order. It never waits.
 *
 *   es_feedback_presented(feedback, es_loop_get_report(loop));         after es_loop_end
 *   while (adapter_poll(&sample)) {
 *       es_feedback_reported(feedback, &sample);
 *   }
 *   while (es_feedback_next(feedback, now_ns, &report)) {
 *       es_meter_add(meter, &report);
 *   }
 *
 * Without feedback: es_meter_add(meter, es_loop_get_report(loop)).
 *
 * Defaults as in evenstep.h. A meter and a queue belong to one thread.
 */
#ifndef EVENSTEP_MEASURE_H
#define EVENSTEP_MEASURE_H

#include "evenstep/evenstep.h"

/* --- a meter ---------------------------------------------------------------------------------- */

typedef struct es_meter es_meter;

/* One displayed frame. */
typedef struct es_meter_sample {
    int64_t shown_ns;   /* D: measured screen time */
    int64_t content_ns; /* C, with the time that pause, time scale and seeks took put back */
    int32_t series;     /* only samples of one series are compared: a gap starts a new one */
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
    es_shown_source source; /* the weakest source of D of all frames */
    size_t intervals;       /* pairs of neighbouring frames that were compared */
    double interval_ms;     /* mean d */
    double intended_ms;     /* mean T; where it is not known, the median |d| stands for it */
    es_error_ms interval;   /* d - T */
    es_error_ms animation;  /* (C - C before) - (D - D before) */
    double lost_ms;         /* screen time less content time over those pairs */
} es_smoothness;

/* --- feedback --------------------------------------------------------------------------------- */

typedef struct es_feedback es_feedback;

/* The verdict on a sample. All but the first two contradict something, except that an equal repeat
 * does not. */
typedef enum es_feedback_verdict {
    ES_FEEDBACK_TAKEN = 0,     /* accepted */
    ES_FEEDBACK_DISCARDED = 1, /* accepted: the frame was never shown */
    ES_FEEDBACK_UNKNOWN = 2,   /* of none of the last 16 frames presented */
    ES_FEEDBACK_REPEATED = 3,  /* of a frame that was reported already */
    ES_FEEDBACK_EARLY = 4,     /* seen before it was drawn, by more than 0.5 ms */
    ES_FEEDBACK_FUTURE = 5,    /* seen after it was reported, by more than the tolerance */
    ES_FEEDBACK_ORDER = 6,     /* seen before an earlier frame, or after a later one */
    ES_FEEDBACK_SEQUENCE = 7 /* the count of refreshes contradicts the time: it did not rise, or is
                                  not within half a refresh (1/64 over a pause). Variable refresh:
                                  the time is too short for the count */
} es_feedback_verdict;

enum { ES_FEEDBACK_VERDICTS = 8 };

/* Whether the platform's screen times are in use. */
typedef enum es_feedback_state {
    ES_FEEDBACK_LISTENING = 0, /* nothing reported yet; frames wait until the time-out */
    ES_FEEDBACK_TRUSTED = 1,   /* reported, and consistent */
    ES_FEEDBACK_SILENT = 2,    /* nothing is reported: the return of present is taken */
    ES_FEEDBACK_DISTRUSTED = 3 /* too much of it is implausible: as if nothing was reported */
} es_feedback_state;

/* The platform's screen times so far. */
typedef struct es_feedback_status {
    es_feedback_state state;
    int64_t period_ns;    /* the refresh period as delivered; 0: not known.
                             Variable refresh: the median refresh, never sure */
    bool period_sure;     /* most intervals agree on it by a count of refreshes, or all agree with
                               the announced period. Else it is the interval between frames: a
                               multiple where frames skip refreshes */
    bool announced_wrong; /* most intervals are no whole multiples of it; with a count: it is off by
                               over a twentieth. Also for a moment after a change */
    es_present_grade grade; /* the lowest of the last 32 samples accepted; GUESSED without any */
    int64_t verdicts[ES_FEEDBACK_VERDICTS]; /* samples, by es_feedback_verdict */
} es_feedback_status;

#ifdef __cplusplus
extern "C" {
#endif

/* Makes a meter that keeps the newest samples, at least 2; an hour at 240 Hz has 864 000. */
ES_API es_meter *es_meter_create(size_t samples);
ES_API void es_meter_destroy(es_meter *meter);

/* Forgets all frames. */
ES_API void es_meter_clear(es_meter *meter);

/* Adds one frame; NULL is ignored. With ES_SHOWN_PLANNED only the totals count. */
ES_API void es_meter_add(es_meter *meter, const es_report *report);

/* The sample that came `back` samples before the newest one. False: it is not kept. */
ES_API bool es_meter_get_sample(const es_meter *meter, size_t back, es_meter_sample *sample);

/* Computes the figures, in O(n log n) of the samples kept.
 * Source: animation error as PresentMon defines it (MsAnimationError), over displayed frames. */
ES_API es_smoothness es_meter_smoothness(es_meter *meter);

/* Makes a queue, of about 6.5 kB. */
ES_API es_feedback *es_feedback_create(void);
ES_API void es_feedback_destroy(es_feedback *feedback);

/* Adds a frame, after es_loop_end: report->shown_ns is the return of present. The last 16 frames
 * are kept: one that es_feedback_next has not returned by then is skipped. False: frame.index is
 * not above the last one's. */
ES_API bool es_feedback_presented(es_feedback *feedback, const es_report *report);

/* Adds the platform's answer, of any content. Returns its verdict, which the status counts. */
ES_API es_feedback_verdict es_feedback_reported(es_feedback *feedback, const es_present *sample);

/* The next report whose screen time is settled, in the order of frames. Call it for every frame,
 * until it returns false: the next frame may still get an answer, or there is none.
 * now_ns: the time now, on the loop's clock; INT64_MAX settles everything, at a program's end.
 *
 * A discarded frame is passed over: its neighbours followed each other on the screen. A frame that
 * gets no answer in time while others do is skipped: its screen time is not known. In time is
 * before the time-out has passed since the frame's shown_ns, and before 15 more frames are
 * presented. The first frames wait for the first answer up to the time-out. The series changes
 * where a frame was skipped, where the source of screen times changes, where they go back (another
 * display), where the report's own series did; and nowhere else. The return of present is taken for
 * every frame where eight frames in a row get no answer in time, or more than eight of 32 samples
 * contradict something. That ends with 16 accepted samples in a row that came in time. */
ES_API bool es_feedback_next(es_feedback *feedback, int64_t now_ns, es_report *report);

/* The platform's screen times so far. The period is the median over up to 31 intervals between
 * accepted frames, from eight intervals on. An interval is divided by the refreshes counted in it
 * (between frames up to 16 apart, where these agree, which evens out late stamps of a busy server).
 * Without a count it is divided by the whole multiple of the announced period, where at least half
 * of the intervals are such multiples. Else it is the interval between neighbouring frames. Four
 * samples in a row that contradict order or count clear the history: another monitor or mode. The
 * old period stays until half of the intervals are new (within 24 frames, where answers come two
 * frames later: tests/test_feedback.c), and while nothing is reported: see the state. With variable
 * refresh a count does not say how long refreshes took. Only the platform knows that
 * (es_present.variable). Where it does not say so, a refresh that takes over 1.5 times as long
 * as most contradicts its count, and a frame that ended a stall is skipped. Not detectable: an
 * announced rate twice or three times too fast, without a count; a count of frames in place of
 * refreshes. Where screen times scatter by a sixteenth of the period it may be a percent off. */
ES_API es_feedback_status es_feedback_get_status(const es_feedback *feedback);

/* "listening", "trusted", "silent" or "distrusted". */
ES_API const char *es_feedback_state_name(es_feedback_state state);

#ifdef __cplusplus
}
#endif

#endif
