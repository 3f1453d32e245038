/* SPDX-License-Identifier: Zlib
 *
 * pacer: the plan of the next frame: when it starts (S), when it is seen (D), what it shows (C).
 *
 * The pacer owns two things. The render interval, by rule "adaptive" (A1): frames start a fixed
 * interval apart; a frame whose work does not fit lengthens the interval at once, to 6/5 of that
 * work; spare time over a whole window shortens it slowly. And the content clock, which turns D
 * into C and can be paused, slowed, sought and shortened by what was dropped; every nanosecond that
 * it withholds is in the account.
 *
 * Values in, decisions out: it reads no clock. Times are those of es_gap_filter: they never go
 * back. One of the parts that the loop is made of; before 1.0 it may change in any minor version.
 */
#ifndef EVENSTEP_PACER_H
#define EVENSTEP_PACER_H

#include "evenstep/frame.h"

/* What a pacer needs to know. All fields must be set; the loop fills in its defaults. */
typedef struct es_pacer_config {
    int64_t interval_ns;     /* the starting interval; 1 to interval_max_ns */
    int64_t interval_min_ns; /* it never shrinks below this; 1 to interval_ns */
    int64_t interval_max_ns; /* nor grows beyond; longer work is a stall: it changes no interval */
    int64_t window_ns;       /* spare time must last this long before it shrinks; at least 1 */
    int64_t delay_ns;        /* how far C stays behind D; at least 0 */
} es_pacer_config;

/* The decisions for one frame. */
typedef struct es_plan {
    int64_t start_ns;    /* S */
    int64_t present_ns;  /* D */
    int64_t content_ns;  /* C */
    int64_t interval_ns; /* intended from the start before; 0: the host decides */
    int64_t dropped_ns;  /* lost by this frame */
    es_account account;  /* totals; gaps_ns is left 0: the pacer does not see them */
} es_plan;

/* Initialise with es_pacer_init. Nobody but a roof over the rooms reads its fields. */
typedef struct es_pacer {
    es_pacer_config config;
    /* the plan in the making */
    int64_t start_ns;
    int64_t present_ns;
    int64_t frame_dropped_ns;
    bool host;
    /* the frame before */
    bool started;
    int64_t last_start_ns;
    int64_t last_present_ns;
    int64_t last_content_ns;
    /* the content clock: content = anchor_content + scale * (present - anchor_present) */
    int64_t anchor_present_ns;
    int64_t anchor_content_ns;
    int64_t anchor_slowed_ns;
    es_ratio scale;
    bool paused;
    bool resync; /* the time since the last frame counts as one interval */
    /* totals */
    int64_t dropped_ns;
    int64_t sought_ns;
    /* rule A1 */
    int64_t interval_ns;
    int32_t stalls; /* frames in a row whose work was mostly waiting */
    bool stalled;   /* this frame's is */
    int64_t window_elapsed_ns;
    int32_t window_frames;
    bool window_full;
    int64_t work_max_ns;      /* of the window that is being filled */
    int64_t work_max_last_ns; /* of the full one before it */
} es_pacer;

#ifdef __cplusplus
extern "C" {
#endif

/** Starts a pacer whose first frame shows content time 0.
 *
 * pacer: the caller's memory; not NULL.
 * config: copied; not NULL.
 * Returns: ES_OK, or an error and an unchanged pacer.
 * Errors: ES_ERR_INVALID: a field out of its range.
 * Ownership: keeps nothing of the caller's.
 * Threads: one thread at a time per pacer.
 */
ES_API es_result es_pacer_init(es_pacer *pacer, const es_pacer_config *config);

/** Opens the plan of the next frame: one interval after the start before it, the first one now.
 *
 * pacer: initialised.
 * now_ns: the time.
 * Returns: nothing.
 * Errors: none.
 * Ownership: keeps nothing.
 * Threads: one thread at a time per pacer.
 */
ES_API void es_pacer_open(es_pacer *pacer, int64_t now_ns);

/** Opens the plan of a frame whose start somebody else decided.
 *
 * pacer: initialised.
 * start_ns: when the host's frame began.
 * present_ns: when it will be seen; start_ns if unknown.
 * Returns: nothing. es_pacer_replan does nothing in such a frame.
 * Errors: none.
 * Ownership: keeps nothing.
 * Threads: one thread at a time per pacer.
 */
ES_API void es_pacer_open_host(es_pacer *pacer, int64_t start_ns, int64_t present_ns);

/** Adapts the open plan to the time and the work so far: rule A1.
 *
 * Call it after rendering and after every tick. Work over the interval lengthens it to 6/5 of the
 * work and moves S with it; then S is not before now.
 * pacer: a plan is open.
 * now_ns: the time.
 * work_ns: rendering of the frame before plus this frame's ticks so far; blocking in present is
 *   no work.
 * waited: most of the work was not spent on the CPU: the thread was preempted or blocked. One or
 *   two such frames in a row are a stall that changes no interval; from the third on it is a load.
 * Returns: nothing.
 * Errors: none.
 * Ownership: keeps nothing.
 * Threads: one thread at a time per pacer.
 */
ES_API void es_pacer_replan(es_pacer *pacer, int64_t now_ns, int64_t work_ns, bool waited);

/** Whether that work would lengthen the interval: time to find out if the thread waited.
 *
 * pacer: a plan is open.
 * work_ns: as for es_pacer_replan.
 * Returns: true when it exceeds the interval.
 * Errors: none.
 * Ownership: keeps nothing.
 * Threads: one thread at a time per pacer.
 */
static inline bool es_pacer_is_exceeded(const es_pacer *pacer, int64_t work_ns)
{
    return work_ns > pacer->interval_ns && pacer->started && !pacer->host;
}

/** The content time that the open plan would show.
 *
 * pacer: a plan is open.
 * Returns: C: never before the last frame's, nor before the start of content.
 * Errors: none.
 * Ownership: keeps nothing.
 * Threads: one thread at a time per pacer.
 */
ES_API int64_t es_pacer_content_ns(const es_pacer *pacer);

/** Gives up content time that the simulation could not reach (policy drop).
 *
 * pacer: a plan is open.
 * owed_ns: how much; values below 0 count as 0.
 * Returns: nothing; C is that much earlier from now on, and the account says so.
 * Errors: none.
 * Ownership: keeps nothing.
 * Threads: one thread at a time per pacer.
 */
ES_API void es_pacer_drop(es_pacer *pacer, int64_t owed_ns);

/** Ends planning: the plan is final. Shortens the interval if there was time to spare.
 *
 * pacer: a plan is open.
 * work_ns: all work since the last start, as for es_pacer_replan.
 * plan: filled; not NULL.
 * Returns: nothing.
 * Errors: none.
 * Ownership: keeps nothing.
 * Threads: one thread at a time per pacer.
 */
ES_API void es_pacer_close(es_pacer *pacer, int64_t work_ns, es_plan *plan);

/** Sets the speed of content time from the last frame on.
 *
 * pacer: initialised.
 * scale: content per real time, up to 1000; 1/1 is normal, 0/1 stands still.
 * Returns: ES_OK, or an error and an unchanged speed.
 * Errors: ES_ERR_INVALID: denominator 0, or over 1000.
 * Ownership: keeps nothing.
 * Threads: one thread at a time per pacer.
 */
ES_API es_result es_pacer_set_scale(es_pacer *pacer, es_ratio scale);

/** Stops or resumes content time at the last frame's; the scale is kept.
 *
 * pacer: initialised.
 * paused: true to stop.
 * Returns: nothing; repeating it changes nothing.
 * Errors: none.
 * Ownership: keeps nothing.
 * Threads: one thread at a time per pacer.
 */
ES_API void es_pacer_pause(es_pacer *pacer, bool paused);

/** Sets the interval, the floor to which it shrinks, and how far it may grow.
 *
 * pacer: initialised; no plan open, or one for which no tick has run.
 * interval_ns: at least 1.
 * interval_max_ns: at least interval_ns.
 * Returns: ES_OK, or an error and no change.
 * Errors: ES_ERR_INVALID: a value out of its range.
 * Ownership: keeps nothing.
 * Threads: one thread at a time per pacer.
 */
ES_API es_result es_pacer_set_interval(
        es_pacer *pacer, int64_t interval_ns, int64_t interval_max_ns);

/** Declares the time since the last frame not to have been the game's: the next frame goes on as if
 * one interval had passed.
 *
 * pacer: initialised.
 * Returns: nothing; what is left out is in the account, as slowed.
 * Errors: none.
 * Ownership: keeps nothing.
 * Threads: one thread at a time per pacer.
 */
ES_API void es_pacer_resync(es_pacer *pacer);

/** Changes what depends on the tick period: how far content stays behind, and the window.
 *
 * pacer: initialised.
 * delay_ns: at least 0. Content goes on from where it is; the difference is in the account, as
 *   sought.
 * window_ns: as in es_pacer_config.
 * Returns: ES_OK, or an error and no change.
 * Errors: ES_ERR_INVALID: a value out of its range.
 * Ownership: keeps nothing.
 * Threads: one thread at a time per pacer.
 */
ES_API es_result es_pacer_retime(es_pacer *pacer, int64_t delay_ns, int64_t window_ns);

/** Moves content time, as if the last frame had shown this instant, one interval ago.
 *
 * pacer: initialised; no plan open, or one for which no tick has run.
 * content_ns: at least 0; may be earlier than the last.
 * Returns: nothing; nothing before this instant is shown from now on.
 * Errors: none.
 * Ownership: keeps nothing.
 * Threads: one thread at a time per pacer.
 */
ES_API void es_pacer_seek(es_pacer *pacer, int64_t content_ns);

#ifdef __cplusplus
}
#endif

#endif
