/* SPDX-License-Identifier: Zlib
 *
 * What the files of the room display share: display.c (when a frame begins, and its plan),
 * display_modes.c (what frames go by), display_outcome.c (what came of a frame), display_queue.c
 * (at which refresh does each picture flip?), display_interval.c (how many refreshes is one held,
 * and how early must a frame begin?), display_pace.c (does present wait for a display?),
 * display_single.c (does one picture wait, in place of a queue?).
 */
#ifndef ES_DISPLAY_PARTS_H
#define ES_DISPLAY_PARTS_H

#include "evenstep/display.h"

#include "evenstep/time.h"

#include "base/common.h"
#include "grid_line.h"
#include "present_free.h"

/* Without readings for so long the queue is filled to have some. */
#define ES__PROBE_AFTER_NS (4 * ES_NS_PER_S)

/* So many returns in a row that skip a refresh are of a display that is slower. */
#define ES__COARSE_FRAMES 20

/* The phase of the refreshes moved after the queue had run dry: so often, and they vary. */
#define ES__SLIPS_MOST 2

/* So often the refresh is put to the test. */
#define ES__TESTS 2

/* Presents in a row that came back so early that the refreshes are not what they were taken for. */
#define ES__EARLY_MOST 2

static inline int64_t es__absolute(int64_t a)
{
    int64_t kept = es__max(a, -INT64_MAX);
    return kept < 0 ? -kept : kept;
}

/* Rounded to the nearest; cut to the range. */
static inline int64_t es__to_ns(double ns)
{
    if (ns >= 9.2e18) {
        return INT64_MAX;
    }
    return ns <= -9.2e18 ? INT64_MIN : (int64_t)(ns < 0 ? ns - 0.5 : ns + 0.5);
}

/* There are refreshes to keep to: known, or assumed. */
static inline bool es__is_on_grid(const es_display *display)
{
    return display->mode == ES_DISPLAY_LOCKED || display->mode == ES_DISPLAY_ASSUMED;
}

static inline double es__exact_period_ns(const es_display *display)
{
    return display->mode == ES_DISPLAY_ASSUMED ? (double)display->assumed_period_ns
                                               : display->grid.period_ns;
}

static inline int64_t es__period_ns(const es_display *display)
{
    return (int64_t)(es__exact_period_ns(display) + 0.5);
}

/* The last refresh at or before an instant. Assumed ones count from an instant of our own. */
static inline int64_t es__index_at(const es_display *display, int64_t at_ns)
{
    if (display->mode != ES_DISPLAY_ASSUMED) {
        int64_t near = display->read_index + display->multiple - 1; /* since present returned */
        return es_grid_index_near(&display->grid, at_ns, near);
    }
    int64_t since_ns = es_ns_sub(at_ns, display->assumed_ns);
    int64_t index = since_ns / display->assumed_period_ns;
    return index - (since_ns % display->assumed_period_ns < 0 ? 1 : 0);
}

static inline int64_t es__time_of(const es_display *display, int64_t index)
{
    if (display->mode != ES_DISPLAY_ASSUMED) {
        return es_grid_time_of(&display->grid, index);
    }
    double since_ns = (double)index * (double)display->assumed_period_ns;
    return es_ns_add(display->assumed_ns, since_ns < 9e18 ? (int64_t)since_ns : INT64_MAX);
}

/* Readings this much before a refresh belong to it: the grid's edge is not known better; and where
 * none are that late, twice as much. */
static inline int64_t es__early_ns(const es_display *display)
{
    int64_t early_ns = es__period_ns(display) / 8;
    return display->grid.spread_ns < early_ns ? 2 * early_ns : early_ns;
}

/* The frame that is age frames before the newest submitted one. */
static inline es_display_frame *es__frame(es_display *display, int64_t age)
{
    return &display->recent[(uint64_t)(display->frames - 1 - age) % ES_DISPLAY_FRAMES];
}

/* Feedback knows the flips: then one return in four is asked about the depth. */
static inline bool es__asks_return(const es_display *display)
{
    return !display->is_fed || display->frames % 4 == 0;
}

/* The refresh of the newest frame, as the believed depth has it. */
static inline int64_t es__newest_index(const es_display *display)
{
    uint64_t newest = (uint64_t)(display->frames - 1) % ES_DISPLAY_FRAMES;
    return display->recent[newest].index[display->depth - 1];
}

/* --- display_modes.c -------------------------------------------------------------------------- */

void es__start_trial(es_display *display);

/* Whether frames come as often as the display is said to refresh, no more and no less. */
bool es__keeps_to_announced(const es_display *display);

/* Presents do not block: rule A1's pace, or the refresh that is known. */
void es__go_free(es_display *display, int64_t now_ns);

/* A grid was found, or another one. now_ns: a reading. */
void es__lock(es_display *display, int64_t now_ns);

void es__change_mode(es_display *display, int64_t now_ns);

/* --- display_queue.c -------------------------------------------------------------------------- */

/* When a picture is ready that is handed in at an instant; depth 0: at once. By the refreshes as
 * they are counted: without a leap of the clock that is only suspected. */
static inline int64_t es__when_ready(const es_display *display, int32_t depth, int64_t submit_ns)
{
    int64_t ready_ns = depth > 0 ? es_ns_add(submit_ns, display->hidden_ns[depth - 1]) : submit_ns;
    return display->suspected ? es_ns_sub(ready_ns, display->suspect_ns) : ready_ns;
}

/* The refresh that a picture handed in at an instant flips at, were there no queue. depth 0: were
 * it ready at once, too. */
int64_t es__first_refresh(const es_display *display, int32_t depth, int64_t submit_ns);

/* A grid was found: what waits in the queue is as deep as each depth says. now_ns: a reading. */
void es__queue_start(es_display *display, int64_t now_ns);

/* This frame is handed in late, so that the queue runs dry: while that may still tell something. */
bool es__tests_now(const es_display *display);

static inline bool es__is_testing(const es_display *display)
{
    bool is_over =
            display->is_fixed || display->varies || display->is_fed || display->tests >= ES__TESTS;
    return !is_over && es__tests_now(display);
}

void es__queue_submit(es_display *display);

/* Present has returned, after refresh read_index. False: the reading is of no use for the grid. */
bool es__queue_return(es_display *display, int64_t now_ns, bool blocked);

/* Feedback that says what the queue rules out may be a clock's leap, which the returns of present
 * are asked about first. False: it is passed over. */
bool es__queue_believes(es_display *display, int64_t age, int64_t shown_ns);

/* Feedback that is believed. Returns the refresh that it tells of. */
int64_t es__queue_shown(es_display *display, int64_t age, int64_t shown_ns);

/* The display's own count of refreshes, with a screen time that is possible. */
void es__queue_counted(es_display *display, int64_t shown_ns, uint64_t sequence);

/* A newer picture took the place of this one. */
void es__queue_discarded(es_display *display, int64_t age);

/* --- display_interval.c ----------------------------------------------------------------------- */

void es__interval_start(es_display *display, int64_t now_ns);

/* A frame was submitted. planned: the refresh that it was meant for; before: that of the frame
 * before it. */
void es__interval_note(es_display *display, int64_t now_ns, const es_display_work *work,
        int64_t planned, int64_t before);

/* Low latency: a frame was late, or was not. */
void es__lead_note(es_display *display, bool late);

/* --- display_single.c ------------------------------------------------------------------------- */

/* Nothing is known: one that is locked, or was moved. */
void es__single_start(es_display *display, int64_t now_ns);

/* A frame was submitted, and its work is known. */
void es__single_note(es_display *display, int64_t now_ns);

/* A picture was late, that was handed in in time. */
void es__single_late(es_display *display, int64_t age);

/* Time was left out, or the clock is another one. */
void es__single_gap(es_display *display);

/* When the refresh is that is planned for, for what is held back; grid_ns: as the grid has it. */
int64_t es__line_time(es_display *display, int64_t grid_ns);

/* So long before its refresh what is held back is handed in, with feedback. */
int64_t es__line_ahead(const es_display *display);

/* A picture was seen. True: the line was moved, and the grid with it; else it is a reading. */
bool es__line_takes(es_display *display, int64_t age, int64_t shown_ns);

/* --- display_pace.c --------------------------------------------------------------------------- */

typedef enum es_display_whose {
    ES__PACE_UNKNOWN = 0,
    ES__PACE_DISPLAYS,
    ES__PACE_OWN
} es_display_whose;

/* Present has returned. */
void es__pace_note(es_display *display, int64_t now_ns, bool blocked);

/* Frames were held back, or the program paused. */
void es__pace_forget(es_display *display);

/* Who sets the pace of the last hundred returns? */
es_display_whose es__whose_pace(const es_display *display);

#endif
