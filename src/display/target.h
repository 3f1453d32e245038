/* SPDX-License-Identifier: Zlib
 *
 * target: when does a frame ask to be seen, on a platform that obeys?
 *
 * A frame asks for the time at which it is expected to be ready, and some slack: then what makes it
 * ready earlier or later does not move its screen time, and content is exact. Slack costs input age,
 * and frame rate where presents wait for frames that wait for their targets.
 */
#ifndef ES_TARGET_H
#define ES_TARGET_H

#include "display.h"

/* The platform promises something else: nothing is known of it. */
void es__target_reset(es__display *display);

/* Whether the open frame has a target. */
bool es__target_is_on(const es__display *display);

/* The same, and content errs little. */
bool es__target_is_exact(const es__display *display);

/* From the time at which a frame is expected to be ready to its target. Negative: the target only
 * holds back a frame that is ready that early. */
int64_t es__target_slack_ns(const es__display *display);

/* A frame was planned. expected_ns: when it should be submitted. target_ns; 0: none. */
void es__target_planned(es__display *display, int64_t expected_ns, int64_t target_ns);

/* The newest frame was submitted. Call it after es__flips_add. */
void es__target_submitted(es__display *display, int64_t now_ns);

/* A wait for the flip of a frame has ended; for_newest: of the newest. */
void es__target_waited(es__display *display, int64_t from_ns, int64_t to_ns, bool for_newest);

/* Feedback: a frame was seen. Tries targets, and gives them up where motion is no better. */
void es__target_shown(es__display *display, int64_t age, int64_t shown_ns);

#endif
