/* SPDX-License-Identifier: Zlib
 *
 * display: when will the frame that is being planned be seen, and which instant should it show?
 *
 * From four times per frame (opened, submitted, present returned, and where the platform tells it,
 * seen) this module works out the display's refreshes (grid.h), how many pictures wait in the queue
 * before it, the refresh that the frame will reach, how many refreshes each picture should stay,
 * and the instant for the content clock. That instant moves with the refreshes, not with the
 * program's own times: it is even where the screen is even. What a missed refresh puts it off by is
 * recovered slowly, by a slew that is bounded and reported.
 *
 *   es__display_open(&display, es__display_begin_ns(&display, now_ns));   after waiting for that
 *   es__display_expect(&display, now_ns);         as often as wanted: the plan follows the time
 *   es__display_close(&display, &plan);           plan.motion_ns is what to show
 *   es__display_submitted(&display, now_ns, &work);    drawn; hand it in, not before plan.submit_ns
 *   es__display_returned(&display, now_ns);       present has returned
 *
 * Where feedback tells, and work is quick, one picture waits in place of as many as the queue
 * holds: input is younger by the others. What comes late ends that for a while.
 *
 * Modes. Trying: frames come as fast as they can, and content follows smoothed frame times, as a
 * simple loop does; meanwhile it looks whether presents block. Locked: they do, or feedback tells,
 * and there is a grid. Free and assumed: presents provably do not block. Then rule A1 says when
 * frames start, or they are submitted at multiples of the refresh that is known; every 3 s a short
 * trial asks whether presents block again. Not to know is no reason to wait.
 *
 * Content that is more than 100 ms ahead of the screen goes on at normal speed from where it is
 * (reanchored_ns). Time is removed as a fault of the clock only on the word of a second source.
 *
 * Values in, decisions out: it reads no clock. Times are those of es_gap_filter. One of the parts
 * that the loop is made of; before 1.0 it may change in any minor version.
 */
#ifndef ES_DISPLAY_H
#define ES_DISPLAY_H

#include "evenstep/display.h"

/* What a frame cost. */
typedef struct es_display_work {
    int64_t update_ns; /* its ticks */
    int64_t render_ns; /* drawing, until it was ready to be submitted */
} es_display_work;

/* Starts with a trial.
 * display: the caller's memory; not NULL.
 * config: copied; NULL or all zero: the default.
 * Errors: ES_ERR_INVALID: display is NULL, or a field out of its range. */
es_result es__display_init(es_display *display, const es_display_config *config);

/* Changes what it was made with; what is known of the display stays.
 * display: initialised; no frame open.
 * config: as for es__display_init; not NULL.
 * Errors: ES_ERR_INVALID: a field out of its range. */
es_result es__display_reconfigure(es_display *display, const es_display_config *config);

/* When the next frame should begin: before its input is read.
 * display: initialised; the frame before has returned.
 * now_ns: the time.
 * Returns an instant; now_ns where there is nothing to wait for. */
int64_t es__display_begin_ns(es_display *display, int64_t now_ns);

/* Opens the plan of a frame.
 * display: initialised.
 * now_ns: the time. */
void es__display_open(es_display *display, int64_t now_ns);

/* Plans, or plans anew, as the time goes.
 * display: a plan is open.
 * start_ns: when drawing starts at the earliest; not before that of the call before.
 * Returns what the content clock should take for the time at which the frame is seen: never
 * earlier than in the call before. */
int64_t es__display_expect(es_display *display, int64_t start_ns);

/* Ends planning.
 * display: a plan is open.
 * interval_ns: free: the interval of whoever sets the pace; 0: not known.
 * plan: filled; not NULL. */
void es__display_close(es_display *display, int64_t interval_ns, es_display_plan *plan);

/* Tells how old the newest tick in the picture is: how far content is from it. Where refreshes and
 * ticks are in step (60 on 60, 144 on 48), this stays the same for minutes: at worst a picture
 * that shows almost none of the tick that was just run for it. So content is moved, by half a tick
 * at most, to just before the tick: the youngest input, and away from the edge where a frame has
 * no tick and the next one two.
 * display: a plan was closed.
 * rest_ns: simulated time from the picture's instant to its newer tick; below 0: it says nothing
 * now, as content does not run with the time. */
void es__display_phase(es_display *display, int64_t rest_ns);

/* The frame is submitted.
 * display: a plan was closed.
 * now_ns: the time, after waiting for the plan's submit_ns.
 * work: what it cost; not NULL. */
void es__display_submitted(es_display *display, int64_t now_ns, const es_display_work *work);

/* Present has returned.
 * display: a frame was submitted.
 * now_ns: the time. */
void es__display_returned(es_display *display, int64_t now_ns);

/* The platform said when a frame was seen.
 * display: initialised.
 * age: how many frames before the one submitted last: 0: that one. Over ES_DISPLAY_FRAMES - 1: of
 * no use.
 * shown_ns: when.
 * Errors: What cannot be true changes nothing for long. */
void es__display_shown(es_display *display, int64_t age, int64_t shown_ns);

/* The display's own count of refreshes when a frame was seen: tells a clock that leapt from a slow
 * frame. A display that stands still, and counts nothing meanwhile, looks like a leap. Call it
 * before es__display_shown.
 * display: initialised.
 * age, shown_ns: as for es__display_shown; a time that is not possible counts for nothing.
 * sequence: refreshes so far; 0: not known. One that goes back begins anew. */
void es__display_counted(es_display *display, int64_t age, int64_t shown_ns, uint64_t sequence);

/* The platform said that a frame was never seen. If the next one is at once, it took its place:
 * this display has no queue, and present does not block, however long it takes. From then on
 * frames are paced, one for each refresh, half a refresh ahead of it. Otherwise the window was
 * hidden, which says nothing.
 * display: initialised.
 * age: as for es__display_shown. */
void es__display_discarded(es_display *display, int64_t age);

/* The platform said that its refresh varies: a picture is seen when it is ready.
 * display: initialised. */
void es__display_varies(es_display *display);

/* Time was taken out, or the clock went wrong: see es_gap.
 * display: initialised.
 * removed_ns: taken out of the time.
 * clock_wrong: it was the clock, as a second source says; false: time that passed for the display,
 * too. */
void es__display_gap(es_display *display, int64_t removed_ns, bool clock_wrong);

/* What is known of the display.
 * display: initialised.
 * now_ns: the time.
 * Returns a plain value. */
es_display_status es__display_get_status(const es_display *display, int64_t now_ns);

#endif
