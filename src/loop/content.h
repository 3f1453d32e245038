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
#ifndef ES_CONTENT_H
#define ES_CONTENT_H

#include "evenstep/loop.h"

/* Starts a clock whose first frame shows content time 0.
 * content: the caller's memory; not NULL.
 * config: copied; not NULL.
 * Errors: ES_ERR_INVALID: a field out of its range. */
es_result es__content_init(es_content *content, const es_content_config *config);

/* The content time of the frame that is being planned.
 * content: initialised.
 * present_ns: D.
 * Returns C: never before the last frame's, nor before the start of content. */
int64_t es__content_at(const es_content *content, int64_t present_ns);

/* The same without its limits: before the start of content it is negative.
 * content: initialised.
 * present_ns: D.
 * Returns what C would be if it were not kept from going back. */
int64_t es__content_due_at(const es_content *content, int64_t present_ns);

/* When content is at a simulated instant, were there no delay: the inverse of es__content_due_at
 * on the line that content follows, from the frame that is being planned on and back from it.
 * content: initialised.
 * present_ns: D of the frame that is being planned.
 * content_ns: simulated time.
 * Returns an instant on D's clock, rounded down; present_ns while content stands. Pauses, changes
 * of speed and time that was lost before this frame are no part of the line. */
int64_t es__content_instant_ns(const es_content *content, int64_t present_ns, int64_t content_ns);

/* Gives up content time that the simulation could not reach (policy drop).
 * content: initialised.
 * debt_ns: how much; values below 0 count as 0.
 * Returns nothing; C is that much earlier from now on. */
void es__content_drop(es_content *content, int64_t debt_ns);

/* Withholds content time, booked as lagging: a step that was not as long as the time that passed.
 * content: initialised.
 * lag_ns: how much; negative: content time that nobody lived through.
 * Returns nothing; C is that much earlier from now on. */
void es__content_lag(es_content *content, int64_t lag_ns);

/* Withholds content time and goes on in slow motion, so that the next frame needs no more than
 * this one reached (policy slow). No slower than es__content_ease says that the machine needs:
 * what it can keep up with is a hitch, and only withholds.
 * content: initialised.
 * present_ns: D of this frame.
 * debt_ns: what could not be reached; values below 1 change nothing.
 * Returns nothing. The speed is at least 1/64; it recovers by 1/104 per frame once everything has
 * fitted for a second, as far as es__content_ease allows. */
void es__content_slow(es_content *content, int64_t present_ns, int64_t debt_ns);

/* Puts what es__content_slow has just set in force for the time after the frame that was closed
 * last, and not from the next frame on: for a roof that learns of a shortage when its frame is
 * planned.
 * content: initialised; a frame was closed.
 * Returns nothing; without a shortage that is waiting it changes nothing. */
void es__content_slow_at_once(es_content *content);

/* Tells what the machine can do: how slow slow motion is at least, and how fast debt is repaid.
 * content: initialised.
 * ticks_ns: the most real time that a frame's ticks can be worth ...
 * work_ns: ... and what such a frame costs: its ticks and its rendering.
 * Returns nothing; without a call it counts as able to do everything. */
void es__content_ease(es_content *content, int64_t ticks_ns, int64_t work_ns);

/* In lockstep: how much the frame that is being planned adds.
 * content: initialised with a lockstep_ns; else nothing happens.
 * period_ns: at least 1. */
void es__content_set_lockstep(es_content *content, int64_t period_ns);

/* Owes content time: this frame shows that much less, later ones make it up (policy spread, and
 * what a frame cannot show yet).
 * content: initialised.
 * present_ns: D of this frame.
 * debt_ns: how much; values below 1 change nothing.
 * most_ns: more than this is never owed: the rest is dropped. */
void es__content_owe(es_content *content, int64_t present_ns, int64_t debt_ns, int64_t most_ns);

/* Ends the planning of a frame.
 * content: initialised.
 * present_ns: D.
 * shown_ns: the content time that the frame shows: es__content_at, or up to 1 ns beside it where a
 * pair of ticks says so.
 * account: filled, but for gaps_ns and stretched_ns, which the clock does not see; not NULL. */
void es__content_close(
        es_content *content, int64_t present_ns, int64_t shown_ns, es_account *account);

/* Sets the speed of content time from the last frame on. In slow motion what fitted of a higher
 * speed is a larger part of a lower one.
 * content: initialised.
 * scale: content per real time, up to 1000; 1/1 is normal, 0/1 stands still.
 * Errors: ES_ERR_INVALID: denominator 0, or over 1000. */
es_result es__content_set_scale(es_content *content, es_ratio scale);

/* Stops or resumes content time at the last frame's; the scale is kept.
 * content: initialised.
 * paused: true to stop.
 * Returns nothing; repeating it changes nothing. */
void es__content_pause(es_content *content, bool paused);

/* Declares the time since the last frame not to have been the game's: the next frame goes on as if
 * one interval had passed.
 * content: initialised.
 * interval_ns: that interval; at least 0.
 * Returns nothing; what is left out is in the account, as slowed. */
void es__content_resync(es_content *content, int64_t interval_ns);

/* Changes what the clock was made with.
 * content: initialised; no frame planned, or one for which no tick has run.
 * config: as for es__content_init. C goes on from where it is: what another delay would change is
 * in the account, as sought. What was owed is dropped if it is no longer repaid slowly, and slow
 * motion ends if it no longer slows.
 * Errors: ES_ERR_INVALID: a field out of its range. */
es_result es__content_reconfigure(es_content *content, const es_content_config *config);

/* Moves content time, as if the last frame had shown this instant, one interval ago.
 * content: initialised; no frame planned, or one for which no tick has run.
 * content_ns: at least 0; may be earlier than the last.
 * interval_ns: the interval, as for es__content_resync.
 * Returns nothing; nothing before this instant is shown from now on. */
void es__content_seek(es_content *content, int64_t content_ns, int64_t interval_ns);

/* Moves a paused clock forward: the frame that is being planned shows this instant, if its ticks
 * reach it.
 * content: initialised and paused.
 * content_ns: after what the last frame showed.
 * Returns nothing; booked as sought. */
void es__content_step(es_content *content, int64_t content_ns);

/* Says that the frame that was closed last shows another instant: its ticks are not there.
 * content: initialised; a frame was closed.
 * shown_ns: what it shows; content does not go back before it. What that leaves of the frame's
 * time is the caller's to book, as held.
 * Returns nothing; C runs on as if it had been shown. */
void es__content_shown(es_content *content, int64_t shown_ns);

/* Moves content time, with the frame that was closed last: it shows this instant, and content goes
 * on from there with the time that passes.
 * content: initialised; a frame was closed.
 * content_ns: may be earlier than what was shown before.
 * Returns nothing; booked as sought. */
void es__content_place(es_content *content, int64_t content_ns);

/* es__content_due_at, where content->usual is set. */
static inline int64_t es__content_usual_due_ns(const es_content *content, int64_t present_ns)
{
    int64_t since_ns = es_ns_sub(present_ns, content->anchor_present_ns);
    int64_t reading_ns = es_ns_add(content->anchor_content_ns, since_ns);
    return es_ns_sub(reading_ns, content->config.delay_ns);
}

/* Slow motion goes no faster than es__content_ease allows, from the next frame on, also before a
 * frame runs short. Without slow motion nothing happens. */
void es__content_slow_down(es_content *content);

#endif
