/* SPDX-License-Identifier: Zlib
 *
 * display: when will the frame that is being planned be seen, and which instant should it show?
 *
 * docs/how-it-works.md explains the method. From the times at which a frame began, was submitted
 * and came back from present, the module estimates the display's refreshes (refresh.h) and computes
 * the refresh at which each frame flips (flips.h). Content follows the refreshes or frame times,
 * whichever predicted screen times better lately (predict.h). An offset of up to 1.5 frames stays;
 * what is beyond is recovered slowly.
 *
 *   es__display_open(&display, es__display_begin_ns(&display, now_ns));   after waiting for that
 *   es__display_expect(&display, now_ns);         as often as wanted: the plan follows the time
 *   es__display_close(&display, interval_ns, &plan);   plan.motion_ns is what to show
 *   es__display_submitted(&display, now_ns, &work);    not before plan.submit_ns
 *   es__display_returned(&display, now_ns);       present has returned
 *
 * Values in, decisions out: it reads no clock. Times are those of es__gap_filter.
 */
#ifndef ES_DISPLAY_H
#define ES_DISPLAY_H

#include "state.h"

/* What a frame cost, in ns. */
typedef struct es__display_work {
    int32_t ticks;       /* that render_ns contains: those of the first form */
    int64_t update_ns;   /* other ticks */
    int64_t render_ns;   /* drawing, until it was ready to be submitted */
    int32_t frame_ticks; /* all, in every form */
} es__display_work;

/* display: the caller's memory. config: copied; all zero: the default. */
void es__display_init(es__display *display, const es__display_config *config);

/* What was known of the display is forgotten, but not what the platform promises. */
void es__display_restart(es__display *display, const es__display_config *config);

/* What is known of the display stays. No frame is open. */
void es__display_reconfigure(es__display *display, const es__display_config *config);

/* When the next frame should begin, before its input is read; now_ns: at once. Never earlier. ticks:
 * that it will run. */
int64_t es__display_begin_ns(es__display *display, int64_t now_ns, int32_t ticks);

/* Opens the plan of a frame. */
void es__display_open(es__display *display, int64_t now_ns);

/* A host calls. at_ns: when it expects the frame to be seen, else its time stamp. False: a frame cap
 * leaves this call out. True: the plan of a frame is open; es__display_submitted then takes the cost
 * only, and es__display_returned is not called. */
bool es__display_call(es__display *display, int64_t at_ns);

/* Plans, or plans anew. start_ns: when drawing starts at the earliest. ticks: that run after that, and
 * count as drawing. Returns what the content
 * clock should take for the frame's screen time: never earlier than in the call before. */
int64_t es__display_expect(es__display *display, int64_t start_ns, int32_t ticks);

/* Ends planning. interval_ns: a timer's interval where one paces the frames; 0: none. */
void es__display_close(es__display *display, int64_t interval_ns, es__display_plan *plan);

/* Drawing is done, and the plan's submit_ns has passed. */
void es__display_submitted(es__display *display, int64_t now_ns, const es__display_work *work);

/* The last two presents did not wait: the thread's CPU time should tell whether drawing did. */
bool es__display_asks_wait(const es__display *display);

/* The frame waited for a buffer until now. */
void es__display_acquired(es__display *display, int64_t now_ns);

/* Present has returned. */
void es__display_returned(es__display *display, int64_t now_ns);

/* The interval that a timer should keep: the known refresh; 0: none is known. */
int64_t es__display_interval_ns(const es__display *display);

/* Feedback: a frame was seen. age: frames before the newest one submitted. */
void es__display_shown(es__display *display, int64_t age, int64_t shown_ns);

/* Before es__display_shown: the display's count of refreshes; 0: not known. */
void es__display_counted(es__display *display, int64_t age, int64_t shown_ns, uint64_t sequence);

/* For programs that do not blend: real time from tick to tick; 0: they do. Before es__display_begin_ns. */
void es__display_shows_ticks(es__display *display, int64_t tick_ns);

/* The distance of frames that ticks pace; 0: they do not. */
double es__display_ticks_ns(const es__display *display);

/* Feedback says whether the refresh is variable. */
void es__display_varies(es__display *display, bool varies);

/* What the platform does with targets. */
void es__display_obeys(es__display *display, const es_targets *targets);

/* Time was removed, or the clock went wrong: see es_gap. clock_wrong: as a second source says;
 * false: time that passed for the display, too. */
void es__display_gap(es__display *display, int64_t removed_ns, bool clock_wrong);

/* The program waited for events: frames that were queued have been seen. */
void es__display_idled(es__display *display, int64_t removed_ns, int64_t now_ns);

/* Content was moved toward D, beside its frames. */
void es__display_move(es__display *display, int64_t by_ns);

es_display es__display_get_status(const es__display *display);

#endif
