/* SPDX-License-Identifier: Zlib
 *
 * flips: at which refresh does each submitted frame flip?
 *
 * A frame flips at the first refresh after it was submitted and after the flip of the frame before.
 * That follows from the submit times and the GPU's time, whatever the depth of the queue. Returns of
 * present, or feedback, correct the numbers.
 */
#ifndef ES_FLIPS_H
#define ES_FLIPS_H

#include "display.h"

/* The frame that is age frames before the newest submitted one. */
static inline const es__display_frame *es__frame(const es__display *display, int64_t age)
{
    return &display->recent[(uint64_t)(display->frames - 1 - age) % ES_DISPLAY_FRAMES];
}

/* The same, to be changed. */
static inline es__display_frame *es__own_frame(es__display *display, int64_t age)
{
    return &display->recent[(uint64_t)(display->frames - 1 - age) % ES_DISPLAY_FRAMES];
}

/* How many frames are remembered. */
static inline int64_t es__frames_kept(const es__display *display)
{
    return display->frames < ES_DISPLAY_FRAMES ? display->frames : ES_DISPLAY_FRAMES;
}

/* A frame was submitted: numbers it. */
void es__flips_add(es__display *display, int64_t submit_ns);

/* The refresh at which the frame of that age flips. */
int64_t es__flips_index(const es__display *display, int64_t age);

/* What a GPU takes for a frame after its submit. */
int64_t es__flips_hidden_ns(const es__display *display);

/* When the frame of that age is ready. */
int64_t es__flips_ready_ns(const es__display *display, int64_t age);

/* The refresh at which a frame will flip that is submitted then. */
int64_t es__flips_expect(const es__display *display, int64_t submit_ns);

/* Time was removed in which all frames flipped, the newest not after the refresh last. */
void es__flips_passed(es__display *display, int64_t removed_ns, int64_t last, int64_t now_ns);

/* Another line was found: numbers all frames anew. */
void es__flips_restart(es__display *display);

/* Present has returned at a refresh, after it waited. Returns whether the frame flipped later than it
 * was numbered, as where a compositor takes frames before the refresh. */
bool es__flips_returned(es__display *display, int64_t refresh, int64_t at_ns);

/* Whether not more frames wait for their refresh than a queue holds. */
bool es__flips_is_possible(const es__display *display, int64_t now_ns);

/* Present has returned without a wait. */
void es__flips_unblocked(es__display *display, int64_t now_ns);

/* Whether feedback reports the flips, and each of the newest refreshes showed the next frame. */
bool es__flips_are_reported(const es__display *display);

/* Feedback: the frame flipped at this refresh. */
void es__flips_shown(es__display *display, int64_t age, int64_t refresh);

/* When the queue has room for the next frame, as waits have ended so far; INT64_MIN: not known. */
int64_t es__flips_room_ns(const es__display *display);

/* The depth of the queue, as presents return. */
int32_t es__flips_queue(const es__display *display);

#endif
