/* SPDX-License-Identifier: Zlib
 *
 * content: which simulated instant (C) a frame shows that is seen at D.
 *
 * The content clock runs with the time at which frames are seen, less the delay. It can be paused,
 * slowed and sent to another instant. A frame can count as another time than what passed: in lockstep
 * as one period. Where ticks cannot
 * keep up it yields, by the catch-up policies. The account holds every nanosecond that it
 * withholds.
 *
 * Pure: it reads no clock. Times are those of es__gap_filter, which never go back. Every function
 * needs an initialised clock. The loop has checked the configuration.
 */
#ifndef ES_CONTENT_H
#define ES_CONTENT_H

#include "loop_state.h"

/* Starts a clock whose first frame shows content time 0. config: copied. */
void es__content_init(es__content *content, const es__content_config *config);

/* --- the frame that is being planned ---------------------------------------------------------- */

/* C of a frame that is seen at D (present_ns): never before the last frame's, nor before 0. */
int64_t es__content_at(const es__content *content, int64_t present_ns);

/* C without these two limits: negative before the start of content. */
int64_t es__content_unclamped_at(const es__content *content, int64_t present_ns);

/* The instant, on D's clock and rounded down, at which content without its delay is at content_ns;
 * present_ns while content stands still. present_ns: D of the frame that is being planned. Pauses,
 * changes of speed and lost time before this frame are not taken into account. */
int64_t es__content_instant_ns(const es__content *content, int64_t present_ns, int64_t content_ns);

/* Ends the planning of a frame that is seen at present_ns. shown_ns: es__content_at, or up to 1 ns
 * beside it where the pair of ticks says so. account: filled, but for gaps_ns and stretched_ns,
 * which the content clock does not know. */
void es__content_close(
        es__content *content, int64_t present_ns, int64_t shown_ns, es_account *account);

/* --- catching up ------------------------------------------------------------------------------ */

/* Policy drop: C is this much earlier from now on; values below 0 count as 0. */
void es__content_drop(es__content *content, int64_t debt_ns);

/* C is this much earlier from now on, reported as slow motion: a step was shorter than the time
 * that passed; negative: longer. */
void es__content_slow_by(es__content *content, int64_t slow_motion_ns);

/* Policy slow: C is this much earlier (debt_ns, from 1 on), and slow motion begins, so that the
 * next frame needs no more than this one reached. It is no slower than es__content_set_capacity
 * says that the machine needs: a shortage that the machine can keep up with was a hitch. The speed
 * is at least 1/64. After a second without a shortage it recovers by 1/104 per frame. */
void es__content_slow(es__content *content, int64_t present_ns, int64_t debt_ns);

/* Slow motion from es__content_slow begins at the frame that was closed last, not at the next one:
 * for a caller that learns of a shortage when its frame is planned. */
void es__content_apply_slow(es__content *content);

/* Slow motion, once begun, is no faster than the capacity, from the next frame on. */
void es__content_slow_to_capacity(es__content *content);

/* What the machine can do: how slow slow motion needs to be, and how fast debt can be made up.
 * ticks_ns: the most real time that a frame's ticks can cover. work_ns: the cost of such a frame,
 * its ticks and its rendering. Without a call there is no limit. */
void es__content_set_capacity(es__content *content, int64_t ticks_ns, int64_t work_ns);

/* Policy spread, and content that waits for its ticks: this frame shows debt_ns less (from 1 on),
 * and later ones make it up. Debt over most_ns is dropped. */
void es__content_add_debt(
        es__content *content, int64_t present_ns, int64_t debt_ns, int64_t most_ns);

/* --- changes: none of them between a frame's first tick and its end ----------------------------
 * */

/* The frame that is being planned counts as this time, whatever passed; the difference is reported as
 * slow motion. content->counted = false: it counts as that again. */
void es__content_count(es__content *content, int64_t counted_ns);

/* C of the last frame without limits and debt. */
int64_t es__content_last_due_ns(const es__content *content);

/* Counts the frame so that this C follows, within 1 ns at another speed than 1. Neither while content
 * stands still nor in slow motion. */
void es__content_count_to(es__content *content, int64_t content_ns);

/* The speed from the last frame on, up to 1000; 1/1 is normal, 0/1 stands still. In slow motion the
 * sustainable share grows as the requested speed falls. ES_ERR_INVALID, and nothing changes:
 * denominator 0, or over 1000. */
es_result es__content_set_scale(es__content *content, es__ratio scale);

/* Stops or resumes content at the last frame's instant; the speed is kept. */
void es__content_pause(es__content *content, bool paused);

/* The time since the last frame was not the game's: it counts as at most this interval, and the
 * rest is reported as slowed. */
void es__content_resync(es__content *content, int64_t interval_ns);

/* The time since the last frame counts as exactly this interval. The rest is reported as reanchored:
 * D is another one from this frame on. */
void es__content_reanchor(es__content *content, int64_t interval_ns);

/* Another configuration; C goes on from where it is. A change of the delay is reported as seeked.
 * Debt is dropped if the new policy does not spread it; slow motion ends if it does not slow. */
void es__content_reconfigure(es__content *content, const es__content_config *config);

/* Content moves by this for good: a lasting offset. C does not go back, but stands still. */
void es__content_jump(es__content *content, int64_t span_ns);

/* Sends content to an instant, as if the last frame had shown it, one interval ago; at least 0. */
void es__content_seek(es__content *content, int64_t content_ns, int64_t interval_ns);

/* While paused: the frame that is being planned shows this later instant, if its ticks reach it.
 * Reported as seeked. */
void es__content_step(es__content *content, int64_t content_ns);

/* The frame that was closed last shows this instant, and content goes on from there. Reported as
 * seeked. */
void es__content_place(es__content *content, int64_t content_ns);

#endif
