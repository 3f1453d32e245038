/* SPDX-License-Identifier: Zlib
 *
 * feedback: when was each frame really seen?
 *
 * Some platforms tell, some frames later: X11's Present extension, Wayland's presentation-time,
 * Vulkan's and the browsers' like. They tell in any order, twice, of frames that were never shown,
 * on other clocks, not at all, or nonsense. This room matches what they say with the frames' own
 * reports, believes what can be true, counts what cannot and why, and gives the reports back in
 * order, each with the best screen time there is. It never waits: what is not told within the
 * time-out is settled without.
 *
 *   es_feedback_presented(&feedback, es_loop_report(&loop));       after es_loop_end
 *   while (has_been_told(&sample)) {                               an adapter's answer
 *       es_feedback_reported(&feedback, &sample);
 *   }
 *   while (es_feedback_next(&feedback, now_ns, &report)) {
 *       es_meter_add(&meter, &report);
 *   }
 *
 * now_ns is on the loop's clock; es_loop_report(&loop)->shown_ns, the return of present, will do.
 * Answers may come up to 15 frames after their own. Where they take longer, as above 300 frames per
 * second on a compositor that answers after 50 ms, they are of no use and the return of present is
 * taken.
 */
#ifndef EVENSTEP_FEEDBACK_H
#define EVENSTEP_FEEDBACK_H

#include "evenstep/frame.h"

/* What became of a sample. All but the first two contradict something; only the same told twice
 * does not. */
typedef enum es_feedback_verdict {
    ES_FEEDBACK_TAKEN = 0,     /* believed */
    ES_FEEDBACK_DISCARDED = 1, /* believed: the frame was never shown */
    ES_FEEDBACK_UNKNOWN = 2,   /* of none of the last 16 frames presented */
    ES_FEEDBACK_REPEATED = 3,  /* of a frame that was told already */
    ES_FEEDBACK_EARLY = 4,     /* seen before it was drawn, by more than 0.5 ms */
    ES_FEEDBACK_FUTURE = 5,    /* seen after it was told, by more than the tolerance */
    ES_FEEDBACK_ORDER = 6,     /* seen before an earlier frame, or after a later one */
    ES_FEEDBACK_SEQUENCE = 7   /* the count of refreshes and the time contradict each other: it did
                                  not rise, or is not within half a refresh (1/64 over a pause);
                                  where the refresh varies: the time is too short for it */
} es_feedback_verdict;

enum { ES_FEEDBACK_VERDICTS = 8 };

/* Whether the platform's screen times are in use. */
typedef enum es_feedback_state {
    ES_FEEDBACK_LISTENING = 0, /* nothing told yet; frames are held until the time-out */
    ES_FEEDBACK_TRUSTED = 1,   /* told, and consistent */
    ES_FEEDBACK_SILENT = 2,    /* nothing is told: the return of present is all there is */
    ES_FEEDBACK_DISTRUSTED = 3 /* too much of it is impossible: as if nothing was told */
} es_feedback_state;

/* All zero: the defaults. */
typedef struct es_feedback_config {
    int64_t timeout_ns;          /* a frame not told after this is settled without; 0: 250 ms */
    int64_t future_tolerance_ns; /* how far ahead a time may be told, as some compositors predict;
                                    0: 20 ms; below 0: not at all */
} es_feedback_config;

/* What is known. */
typedef struct es_feedback_status {
    es_feedback_state state;
    int64_t period_ns;      /* the refresh as delivered; 0: not known */
    bool varies;            /* as said with the last sample believed: then period_ns is the median
                               of what a refresh took, never sure; announced_wrong is not set */
    bool period_sure;       /* by a count of refreshes on which most intervals agree, or agreeing
                               with what is announced all along; else it is the interval between
                               frames, a multiple where those skip some */
    int64_t announced_ns;   /* as announced last; 0: not announced */
    bool announced_wrong;   /* most screen times are not whole multiples of it apart; with a count:
                               it is off by over a twentieth. Also for a moment after a change */
    es_present_grade grade; /* the least of the last 32 samples believed; GUESSED without any */
    int64_t timed_out;      /* frames that were waited for in vain */
    int64_t verdicts[ES_FEEDBACK_VERDICTS]; /* samples, by es_feedback_verdict */
} es_feedback_status;

enum { ES_FEEDBACK_FRAMES = 16, ES_FEEDBACK_KEPT = 32 };

/* A frame that was presented, and what was told of it. */
typedef struct es_feedback_frame {
    es_frame_report report;
    bool told;
    bool discarded;
    int64_t shown_ns;  /* where told */
    uint64_t sequence; /* where told */
} es_feedback_frame;

/* A screen time that was believed. */
typedef struct es_feedback_seen {
    int64_t frame;
    int64_t shown_ns;
    int64_t refresh_ns; /* announced with it */
    uint64_t sequence;
    es_present_grade grade;
    bool varies; /* said with it */
} es_feedback_seen;

/* The queue, some 6.5 kB. Initialise with es_feedback_init; read es_feedback_get_status. It holds
 * no resource. */
typedef struct es_feedback {
    es_feedback_config config;                    /* with the defaults filled in */
    es_feedback_frame frames[ES_FEEDBACK_FRAMES]; /* the last presented: a ring */
    int64_t presented;                            /* frames in total ... */
    int64_t settled;                              /* ... and of them given out or left out */
    es_feedback_seen seen[ES_FEEDBACK_KEPT];      /* the last believed, in the order of frames */
    int32_t seen_count;
    es_feedback_state state;
    int64_t announced_ns;
    int64_t timed_out;
    int64_t verdicts[ES_FEEDBACK_VERDICTS];
    uint32_t recent_wrong;       /* a bit for each of the last 32 samples, the newest lowest */
    int32_t good_in_a_row;       /* samples */
    int32_t misfits_in_a_row;    /* samples out of order, in time or count */
    int32_t unanswered_in_a_row; /* frames */
    bool varies;                 /* as said with the last sample believed */
    bool left_out;               /* a frame was, since the last report given out */
    bool any_given;
    es_shown_source given_source; /* of the last report given out */
    int64_t given_shown_ns;
    int32_t given_series; /* its series as it came in ... */
    int32_t series;       /* ... and as it went out */
} es_feedback;

#ifdef __cplusplus
extern "C" {
#endif

/* Prepares a queue.
 * feedback: not NULL; cleared.
 * config: NULL or all zero for the defaults.
 * error: names what was refused; may be NULL.
 * Errors: ES_ERR_INVALID: feedback is NULL, or timeout_ns is below 0 or over 10 s.
 * Ownership: config is copied. */
ES_API es_result es_feedback_init(
        es_feedback *feedback, const es_feedback_config *config, es_error *error);

/* Hands in a frame that was presented, after es_loop_end. The last 16 frames are kept: one that
 * nobody has taken by then is left out.
 * feedback: initialised.
 * report: with frame.index above the last one's; its shown_ns is the return of present.
 * Errors: ES_ERR_INVALID for NULL or an index not above the last one's: nothing changes. */
ES_API es_result es_feedback_presented(es_feedback *feedback, const es_frame_report *report);

/* Hands in what the platform said.
 * feedback: initialised, not NULL.
 * sample: not NULL; any content.
 * Returns what became of it; counted in the status. */
ES_API es_feedback_verdict es_feedback_reported(
        es_feedback *feedback, const es_present_sample *sample);

/* The next report whose screen time is settled. In the order of the frames. A frame that was
 * discarded is passed over: those beside it followed each other on the screen. One that is not
 * told in time while others are is left out: nobody knows when it was seen. In time is before the
 * time-out has passed since the frame's shown_ns, and before 15 more frames are presented, which
 * is earlier where they come fast. The series changes where a frame was left out, where the source
 * of screen times changes, where they go back (another display's), and where the report's own did;
 * nowhere else. Until something was told the first frames are held up to the time-out. Where eight
 * frames in a row are not told in time, or more than eight of 32 samples contradict something, the
 * return of present is taken again, at once and for every frame, until 16 screen times in a row
 * can be believed and were told in time. Call it for every frame, until it returns false.
 * feedback: initialised, not NULL.
 * now_ns: the time now, on the loop's clock; INT64_MAX settles everything, at the end of a
 * program.
 * report: filled when true is returned; not NULL.
 * Returns false when the next frame may still be told, or there is none.
 * Ownership: report is the caller's. */
ES_API bool es_feedback_next(es_feedback *feedback, int64_t now_ns, es_frame_report *report);

/* What is known about the platform's screen times. The period is the median, over up to 31
 * intervals between believed frames: of the interval by the refreshes counted in it (between
 * frames up to 16 apart, where these agree: it evens out what a busy server stamps late); without
 * a count, by whole multiples of the announced period where half of them or more are such; else of
 * the interval between frames one after the other. It takes eight intervals. Four samples in a row
 * that fit neither the order nor the count of those before make it forget them: another monitor,
 * another mode. Until half of the intervals are new the old period stands (within 24 frames, where
 * answers come two later: tests/test_feedback.c). It also stands while nothing is told: see the
 * state. On a display whose refresh varies a count says how many refreshes went by and not how
 * long they took. Only the platform knows that it does (es_present_sample.varies): where it is not
 * said, a refresh that takes over half as long again as most contradicts its count, and a frame
 * that ended a stall is left out. What nobody can tell: a display announced as twice or three
 * times as fast, without a count, fits every interval; a count of frames instead of refreshes
 * gives the interval between frames. Where screen times scatter by a sixteenth of the period it
 * may be a percent off.
 * feedback: initialised, not NULL.
 * Returns the status, with counts in total.
 * Ownership: a copy. */
ES_API es_feedback_status es_feedback_get_status(const es_feedback *feedback);

/* A verdict for people.
 * verdict: any value.
 * Returns half a sentence, such as "seen before it was drawn".
 * Errors: "not a verdict" for what is none. */
ES_API const char *es_feedback_verdict_text(es_feedback_verdict verdict);

/* A state for people.
 * state: any value.
 * Returns one word: "listening", "trusted", "silent", "distrusted"; "unknown" for anything else. */
ES_API const char *es_feedback_state_name(es_feedback_state state);

#ifdef __cplusplus
}
#endif

#endif
