/* SPDX-License-Identifier: Zlib
 *
 * feedback: when each frame was seen, as the platform reports it.
 *
 * Some platforms report it some frames later: X11's Present extension, Wayland's presentation-time,
 * Vulkan, browsers. Reports come in any order, twice, of frames that were never shown, on other
 * clocks, implausible, or not at all. This queue matches them with the frames' own reports, accepts
 * the plausible ones and counts the others by reason. It returns the frame reports in order, each
 * with the best screen time there is. It never waits: a frame without an answer within the time-out
 * is settled without one.
 *
 *   es_feedback_presented(&feedback, es_loop_report(&loop));       after es_loop_end
 *   while (adapter_poll(&sample)) {
 *       es_feedback_reported(&feedback, &sample);
 *   }
 *   while (es_feedback_next(&feedback, now_ns, &report)) {
 *       es_meter_add(&meter, &report);
 *   }
 *
 * now_ns is on the loop's clock; es_loop_report(&loop)->shown_ns, the return of present, will do.
 * Answers may come up to 15 frames after their own. Where they take longer, as above 300 frames per
 * second on a compositor that answers after 50 ms, the return of present is taken.
 *
 * Defaults of this header; a function states only exceptions.
 *   Threads     one thread per queue.
 *   Allocation  none. A queue holds no resource.
 *   Errors      es_result; nothing changes on an error. Pointers are not NULL. */
#ifndef EVENSTEP_FEEDBACK_H
#define EVENSTEP_FEEDBACK_H

#include "evenstep/frame.h"

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

/* All zero: the defaults. */
typedef struct es_feedback_config {
    int64_t timeout_ns;          /* a frame without an answer after this is settled; up to 10 s;
                                    0: 250 ms */
    int64_t future_tolerance_ns; /* how far ahead a reported time may lie, as some compositors
                                    predict; 0: 20 ms; below 0: not at all */
} es_feedback_config;

/* The platform's screen times so far. */
typedef struct es_feedback_status {
    es_feedback_state state;
    int64_t period_ns;    /* the refresh period as delivered; 0: not known */
    bool varies;          /* the last sample accepted has variable refresh. period_ns is then the
                               median refresh, never sure; announced_wrong is not set */
    bool period_sure;     /* most intervals agree on it by a count of refreshes, or all agree with
                               the announced period. Else it is the interval between frames: a
                               multiple where frames skip refreshes */
    int64_t announced_ns; /* as announced last; 0: not announced */
    bool announced_wrong; /* most intervals are no whole multiples of it; with a count: it is off by
                               over a twentieth. Also for a moment after a change */
    es_present_grade grade; /* the lowest of the last 32 samples accepted; GUESSED without any */
    int64_t timed_out;      /* frames that got no answer in time */
    int64_t verdicts[ES_FEEDBACK_VERDICTS]; /* samples, by es_feedback_verdict */
} es_feedback_status;

enum { ES_FEEDBACK_FRAMES = 16, ES_FEEDBACK_KEPT = 32 };

/* A frame that was presented, and its answer. */
typedef struct es_feedback_frame {
    es_frame_report report;
    bool reported;
    bool discarded;
    int64_t shown_ns;  /* if reported */
    uint64_t sequence; /* if reported */
} es_feedback_frame;

/* A screen time that was accepted. */
typedef struct es_feedback_seen {
    int64_t frame;
    int64_t shown_ns;
    int64_t refresh_ns; /* announced with it */
    uint64_t sequence;
    es_present_grade grade;
    bool varies; /* reported with it */
} es_feedback_seen;

/* The queue, about 6.5 kB. Initialise with es_feedback_init; read es_feedback_get_status. */
typedef struct es_feedback {
    es_feedback_config config;                    /* with the defaults filled in */
    es_feedback_frame frames[ES_FEEDBACK_FRAMES]; /* the last presented: a ring */
    int64_t presented;                            /* frames in total */
    int64_t settled;                              /* of them, returned or skipped */
    es_feedback_seen seen[ES_FEEDBACK_KEPT];      /* the last accepted, in the order of frames */
    int32_t seen_count;
    es_feedback_state state;
    int64_t announced_ns;
    int64_t timed_out;
    int64_t verdicts[ES_FEEDBACK_VERDICTS];
    uint32_t recent_wrong;           /* a bit for each of the last 32 samples, the newest lowest */
    int32_t accepted_in_a_row;       /* samples */
    int32_t mismatches_in_a_row;     /* samples out of order, in time or count */
    int32_t missing_in_a_row;        /* frames without an answer */
    bool varies;                     /* reported with the last sample accepted */
    bool skipped_frame;              /* since the last report returned */
    bool any_returned;               /* a report */
    es_shown_source returned_source; /* of the last report returned */
    int64_t returned_shown_ns;
    int32_t returned_series; /* its series as presented */
    int32_t series;          /* its series as returned */
} es_feedback;

#ifdef __cplusplus
extern "C" {
#endif

/* Prepares a queue. config: NULL for the defaults. error: the refused field; may be NULL. */
ES_API es_result es_feedback_init(
        es_feedback *feedback, const es_feedback_config *config, es_error *error);

/* Adds a frame, after es_loop_end: report->shown_ns is the return of present. The last 16 frames
 * are kept: one that es_feedback_next has not returned by then is skipped. ES_ERR_INVALID: NULL, or
 * frame.index is not above the last one's. */
ES_API es_result es_feedback_presented(es_feedback *feedback, const es_frame_report *report);

/* Adds the platform's answer, of any content. Returns its verdict, which the status counts. */
ES_API es_feedback_verdict es_feedback_reported(
        es_feedback *feedback, const es_present_sample *sample);

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
ES_API bool es_feedback_next(es_feedback *feedback, int64_t now_ns, es_frame_report *report);

/* The platform's screen times so far. The period is the median over up to 31 intervals between
 * accepted frames, from eight intervals on. An interval is divided by the refreshes counted in it
 * (between frames up to 16 apart, where these agree, which evens out late stamps of a busy server).
 * Without a count it is divided by the whole multiple of the announced period, where at least half
 * of the intervals are such multiples. Else it is the interval between neighbouring frames. Four
 * samples in a row that contradict order or count clear the history: another monitor or mode. The
 * old period stays until half of the intervals are new (within 24 frames, where answers come two
 * frames later: tests/test_feedback.c), and while nothing is reported: see the state. With variable
 * refresh a count does not say how long refreshes took. Only the platform knows that
 * (es_present_sample.varies). Where it does not say so, a refresh that takes over 1.5 times as long
 * as most contradicts its count, and a frame that ended a stall is skipped. Not detectable: an
 * announced rate twice or three times too fast, without a count; a count of frames in place of
 * refreshes. Where screen times scatter by a sixteenth of the period it may be a percent off. */
ES_API es_feedback_status es_feedback_get_status(const es_feedback *feedback);

/* A verdict in half a sentence, such as "seen before it was drawn"; "not a verdict" for any other
 * value. */
ES_API const char *es_feedback_verdict_text(es_feedback_verdict verdict);

/* "listening", "trusted", "silent" or "distrusted"; "unknown" for any other value. */
ES_API const char *es_feedback_state_name(es_feedback_state state);

#ifdef __cplusplus
}
#endif

#endif
