/* SPDX-License-Identifier: Zlib
 *
 * The memory of a feedback queue, about 6.5 kB.
 */
#ifndef ES_FEEDBACK_H
#define ES_FEEDBACK_H

#include "evenstep/measure.h"

#include "base/common.h"

enum { ES_FEEDBACK_FRAMES = 16, ES_FEEDBACK_KEPT = 32 };

/* A frame that was presented, and its answer. */
typedef struct es_feedback_frame {
    es_report report;
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

struct es_feedback {
    int64_t timeout_ns; /* a frame without an answer after this is settled */
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
};

#endif
