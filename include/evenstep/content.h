/* SPDX-License-Identifier: Zlib
 *
 * content: which simulated instant (C) does a picture show that is seen at D?
 *
 * The content clock. Normally it runs with the time at which pictures are seen, less the delay. It
 * can be paused, slowed and sought; in lockstep it moves one period per frame instead; and it gives
 * way, by the catch-up policies, when the simulation cannot follow. Every nanosecond that it
 * withholds is in the account.
 *
 * Values in, decisions out: it reads no clock. Times are those of es_gap_filter: they never go
 * back. One of the parts that the loop is made of; before 1.0 it may change in any minor version.
 */
#ifndef EVENSTEP_CONTENT_H
#define EVENSTEP_CONTENT_H

#include "evenstep/frame.h"

/* What a content clock needs to know. The loop fills in its defaults. */
typedef struct es_content_config {
    int64_t delay_ns;     /* how far C stays behind D; at least 0 */
    int64_t frame_max_ns; /* policy wait: a frame counts as no longer than this; 0: no limit */
    bool repays_slowly;   /* policy spread: owed time is made up at 1/4 of the time that passes, or
                             less where the machine cannot; else all of it by the next frame */
    bool slows;           /* policy slow; false: slow motion ends */
    int64_t lockstep_ns;  /* a frame adds this, whatever time passed; 0: it adds the time */
} es_content_config;

/* Initialise with es_content_init. Nobody but a roof over the rooms reads its fields. */
typedef struct es_content {
    es_content_config config;
    /* the frame before */
    bool started;
    int64_t last_present_ns; /* the latest D so far: a host's may step back */
    int64_t last_content_ns;
    /* content = anchor_content + scale * slow * (present - anchor_present - left out) */
    int64_t anchor_present_ns;
    int64_t anchor_content_ns;
    int64_t anchor_slowed_ns;
    int64_t anchor_lagged_ns;
    es_ratio scale;
    es_ratio slow;       /* policy slow motion: 1/1 when all is well */
    uint32_t slow_next;  /* in 1/65536, after a frame that ran short */
    uint32_t slow_most;  /* what the machine can do: no slower than that, and recovers to it */
    uint32_t repay;      /* policy spread: how fast, in 1/65536 */
    uint32_t repay_next; /* from the next frame on: ticks have run for this one */
    int32_t skipped;     /* frames since last_present_ns whose D was before it */
    int64_t calm_ns;     /* since ticks last did not fit */
    bool paused;
    bool usual;        /* time passes as it is: nothing below or above this line is at work */
    bool ran_short;    /* this frame; for slow motion */
    bool resync;       /* the time since the last frame counts ... */
    int64_t resync_ns; /* ... as this, if it was longer */
    /* owed */
    int64_t debt_ns;       /* from the frames before */
    int64_t frame_owed_ns; /* by this frame */
    /* totals */
    int64_t dropped_ns;
    int64_t sought_ns;
} es_content;

#ifdef __cplusplus
extern "C" {
#endif

/** Starts a clock whose first frame shows content time 0.
 *
 * content: the caller's memory; not NULL.
 * config: copied; not NULL.
 * Returns: ES_OK, or an error and an unchanged clock.
 * Errors: ES_ERR_INVALID: a field out of its range.
 * Ownership: keeps nothing of the caller's.
 * Threads: one thread at a time per clock.
 */
ES_API es_result es_content_init(es_content *content, const es_content_config *config);

/** The content time of the frame that is being planned.
 *
 * content: initialised.
 * present_ns: D.
 * Returns: C: never before the last frame's, nor before the start of content.
 * Errors: none.
 * Ownership: keeps nothing.
 * Threads: one thread at a time per clock.
 */
ES_API int64_t es_content_at(const es_content *content, int64_t present_ns);

/** The same without its limits: before the start of content it is negative.
 *
 * content: initialised.
 * present_ns: D.
 * Returns: what C would be if it were not kept from going back.
 * Errors: none.
 * Ownership: keeps nothing.
 * Threads: one thread at a time per clock.
 */
ES_API int64_t es_content_due_at(const es_content *content, int64_t present_ns);

/** When content is at a simulated instant, were there no delay: the inverse of es_content_due_at on
 * the line that content follows, from the frame that is being planned on and back from it.
 *
 * content: initialised.
 * present_ns: D of the frame that is being planned.
 * content_ns: simulated time.
 * Returns: an instant on D's clock, rounded down; present_ns while content stands. Pauses, changes
 *   of speed and time that was lost before this frame are no part of the line.
 * Errors: none.
 * Ownership: keeps nothing.
 * Threads: one thread at a time per clock.
 */
ES_API int64_t es_content_instant_ns(
        const es_content *content, int64_t present_ns, int64_t content_ns);

/** Gives up content time that the simulation could not reach (policy drop).
 *
 * content: initialised.
 * owed_ns: how much; values below 0 count as 0.
 * Returns: nothing; C is that much earlier from now on.
 * Errors: none.
 * Ownership: keeps nothing.
 * Threads: one thread at a time per clock.
 */
ES_API void es_content_drop(es_content *content, int64_t owed_ns);

/** Withholds content time, booked as lagging: a step that was not as long as the time that passed.
 *
 * content: initialised.
 * lag_ns: how much; negative: content time that nobody lived through.
 * Returns: nothing; C is that much earlier from now on.
 * Errors: none.
 * Ownership: keeps nothing.
 * Threads: one thread at a time per clock.
 */
ES_API void es_content_lag(es_content *content, int64_t lag_ns);

/** Withholds content time and goes on in slow motion, so that the next frame needs no more than
 * this one reached (policy slow).
 *
 * No slower than es_content_ease says that the machine needs: what it can keep up with is a hitch,
 * and only withholds.
 * content: initialised.
 * present_ns: D of this frame.
 * owed_ns: what could not be reached; values below 1 change nothing.
 * Returns: nothing. The speed is at least 1/64; it recovers by 1/104 per frame once everything has
 *   fitted for a second, as far as es_content_ease allows.
 * Errors: none.
 * Ownership: keeps nothing.
 * Threads: one thread at a time per clock.
 */
ES_API void es_content_slow(es_content *content, int64_t present_ns, int64_t owed_ns);

/** Puts what es_content_slow has just set in force for the time after the frame that was closed
 * last, and not from the next frame on: for a roof that learns of a shortage when its frame is
 * planned.
 *
 * content: initialised; a frame was closed.
 * Returns: nothing; without a shortage that is waiting it changes nothing.
 * Errors: none.
 * Ownership: keeps nothing.
 * Threads: one thread at a time per clock.
 */
ES_API void es_content_slow_at_once(es_content *content);

/** Tells what the machine can do: how slow slow motion is at least, and how fast debt is repaid.
 *
 * content: initialised.
 * ticks_ns: the most real time that a frame's ticks can be worth ...
 * work_ns: ... and what such a frame costs: its ticks and its rendering.
 * Returns: nothing; without a call it counts as able to do everything.
 * Errors: none.
 * Ownership: keeps nothing.
 * Threads: one thread at a time per clock.
 */
ES_API void es_content_ease(es_content *content, int64_t ticks_ns, int64_t work_ns);

/** In lockstep: how much the frame that is being planned adds.
 *
 * content: initialised with a lockstep_ns; else nothing happens.
 * period_ns: at least 1.
 * Returns: nothing.
 * Errors: none.
 * Ownership: keeps nothing.
 * Threads: one thread at a time per clock.
 */
ES_API void es_content_set_lockstep(es_content *content, int64_t period_ns);

/** Owes content time: this frame shows that much less, later ones make it up (policy spread, and
 * what a frame cannot show yet).
 *
 * content: initialised.
 * present_ns: D of this frame.
 * owed_ns: how much; values below 1 change nothing.
 * most_ns: more than this is never owed: the rest is dropped.
 * Returns: nothing.
 * Errors: none.
 * Ownership: keeps nothing.
 * Threads: one thread at a time per clock.
 */
ES_API void es_content_owe(
        es_content *content, int64_t present_ns, int64_t owed_ns, int64_t most_ns);

/** Ends the planning of a frame.
 *
 * content: initialised.
 * present_ns: D.
 * shown_ns: the content time that the frame shows: es_content_at, or up to 1 ns beside it where a
 *   pair of ticks says so.
 * account: filled, but for gaps_ns and stretched_ns, which the clock does not see; not NULL.
 * Returns: nothing.
 * Errors: none.
 * Ownership: keeps nothing.
 * Threads: one thread at a time per clock.
 */
ES_API void es_content_close(
        es_content *content, int64_t present_ns, int64_t shown_ns, es_account *account);

/** Sets the speed of content time from the last frame on.
 *
 * In slow motion what fitted of a higher speed is a larger part of a lower one.
 * content: initialised.
 * scale: content per real time, up to 1000; 1/1 is normal, 0/1 stands still.
 * Returns: ES_OK, or an error and an unchanged speed.
 * Errors: ES_ERR_INVALID: denominator 0, or over 1000.
 * Ownership: keeps nothing.
 * Threads: one thread at a time per clock.
 */
ES_API es_result es_content_set_scale(es_content *content, es_ratio scale);

/** Stops or resumes content time at the last frame's; the scale is kept.
 *
 * content: initialised.
 * paused: true to stop.
 * Returns: nothing; repeating it changes nothing.
 * Errors: none.
 * Ownership: keeps nothing.
 * Threads: one thread at a time per clock.
 */
ES_API void es_content_pause(es_content *content, bool paused);

/** Declares the time since the last frame not to have been the game's: the next frame goes on as if
 * one interval had passed.
 *
 * content: initialised.
 * interval_ns: that interval; at least 0.
 * Returns: nothing; what is left out is in the account, as slowed.
 * Errors: none.
 * Ownership: keeps nothing.
 * Threads: one thread at a time per clock.
 */
ES_API void es_content_resync(es_content *content, int64_t interval_ns);

/** Changes what the clock was made with.
 *
 * content: initialised; no frame planned, or one for which no tick has run.
 * config: as for es_content_init. C goes on from where it is: what another delay would change is in
 *   the account, as sought. What was owed is dropped if it is no longer repaid slowly, and slow
 *   motion ends if it no longer slows.
 * Returns: ES_OK, or an error and no change.
 * Errors: ES_ERR_INVALID: a field out of its range.
 * Ownership: keeps nothing.
 * Threads: one thread at a time per clock.
 */
ES_API es_result es_content_reconfigure(es_content *content, const es_content_config *config);

/** Moves content time, as if the last frame had shown this instant, one interval ago.
 *
 * content: initialised; no frame planned, or one for which no tick has run.
 * content_ns: at least 0; may be earlier than the last.
 * interval_ns: the interval, as for es_content_resync.
 * Returns: nothing; nothing before this instant is shown from now on.
 * Errors: none.
 * Ownership: keeps nothing.
 * Threads: one thread at a time per clock.
 */
ES_API void es_content_seek(es_content *content, int64_t content_ns, int64_t interval_ns);

/** Moves a paused clock forward: the frame that is being planned shows this instant, if its ticks
 * reach it.
 *
 * content: initialised and paused.
 * content_ns: after what the last frame showed.
 * Returns: nothing; booked as sought.
 * Errors: none.
 * Ownership: keeps nothing.
 * Threads: one thread at a time per clock.
 */
ES_API void es_content_step(es_content *content, int64_t content_ns);

/** Says that the frame that was closed last shows another instant: its ticks are not there.
 *
 * content: initialised; a frame was closed.
 * shown_ns: what it shows; content does not go back before it. What that leaves of the frame's time
 *   is the caller's to book, as held.
 * Returns: nothing; C runs on as if it had been shown.
 * Errors: none.
 * Ownership: keeps nothing.
 * Threads: one thread at a time per clock.
 */
ES_API void es_content_shown(es_content *content, int64_t shown_ns);

/** Moves content time, with the frame that was closed last: it shows this instant, and content goes
 * on from there with the time that passes.
 *
 * content: initialised; a frame was closed.
 * content_ns: may be earlier than what was shown before.
 * Returns: nothing; booked as sought.
 * Errors: none.
 * Ownership: keeps nothing.
 * Threads: one thread at a time per clock.
 */
ES_API void es_content_place(es_content *content, int64_t content_ns);

#ifdef __cplusplus
}
#endif

#endif
