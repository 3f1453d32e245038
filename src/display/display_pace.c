/* SPDX-License-Identifier: Zlib
 *
 * Whose pace do presents return at?
 *
 * Let x be the time from a return to the next submit, and y that to the next return. A display that
 * present waits for refreshes when it does, whatever x is: y does not follow x. Where present only
 * takes its time, y is x and that time. So the slope of y by x, over the last hundred frames, is 0
 * or 1. During trials x is made uneven.
 *
 * A frame limiter that sleeps until so long after the last return has a slope of 0, too; then
 * pictures come at its times, and it may as well be followed.
 */
#include "display_parts.h"

/* The weight of a frame fades by one in so many; nothing is said before so many. */
enum { FADES = 128, FRAMES_LEAST = 16 };

/* Between the two slopes; a slope is on this side or the other if so many of its standard errors
 * do not lead across. */
#define SLOPE_BETWEEN 0.3
#define SURE          3.0

/* x must be so uneven, in ns: less may be the clock's. */
#define UNEVEN_LEAST 50e3

/* Of no use are frames that return so far off the mean, in parts of it: those are other refreshes,
 * or stalls; and such that were handed in when so much of what is left on the mean had passed: they
 * may be late for their refresh. After so many in a row it is the mean that is of no use. */
#define OFF  0.25
#define LATE 0.5
enum { ODD_MOST = 4 };

/* Of returns, so many must have been waited for, of late. */
#define BLOCKED_LEAST 0.8
enum { BLOCKED_OF = 32 };

static void pace_take(es_display_pace *pace, double x_ns, double y_ns)
{
    double kept = 1.0 - 1.0 / FADES;
    pace->frames = pace->frames * kept + 1.0;
    double dx_ns = x_ns - pace->x_ns;
    double dy_ns = y_ns - pace->y_ns;
    double share = 1.0 / pace->frames;
    pace->x_ns += dx_ns * share;
    pace->y_ns += dy_ns * share;
    pace->xx = pace->xx * kept + dx_ns * dx_ns * (1.0 - share);
    pace->xy = pace->xy * kept + dx_ns * dy_ns * (1.0 - share);
    pace->yy = pace->yy * kept + dy_ns * dy_ns * (1.0 - share);
}

void es__pace_note(es_display *display, int64_t now_ns, bool blocked)
{
    es_display_pace *pace = &display->pace;
    double x_ns = (double)es_ns_sub(es__frame(display, 0)->submit_ns, display->returned_ns);
    double y_ns = (double)es_ns_sub(now_ns, display->returned_ns);
    bool waited = pace->blocks && blocked;
    double more = (blocked ? 1.0 : 0.0) - pace->blocked;
    if (pace->presents < BLOCKED_OF) {
        pace->presents += 1;
        pace->blocked += more / pace->presents;
    } else {
        pace->blocked += more / BLOCKED_OF;
    }
    pace->blocks = blocked;
    if (!waited) {
        return;
    }
    double off_ns = y_ns - pace->y_ns, late_ns = x_ns - pace->x_ns;
    bool odd = off_ns > OFF * pace->y_ns || off_ns < -OFF * pace->y_ns
               || late_ns > LATE * (pace->y_ns - pace->x_ns);
    pace->odd = odd ? pace->odd + 1 : 0;
    if (pace->odd > ODD_MOST) {
        pace->frames = 0.0;
        pace->xx = 0.0;
        pace->xy = 0.0;
        pace->yy = 0.0;
    }
    if (!odd || pace->frames < 1.0) {
        pace->odd = 0;
        pace_take(pace, x_ns, y_ns);
    }
}

void es__pace_forget(es_display *display)
{
    const es_display_pace none = {0};
    display->pace = none;
}

es_display_whose es__whose_pace(const es_display *display)
{
    const es_display_pace *pace = &display->pace;
    if (pace->frames < FRAMES_LEAST || pace->xx < UNEVEN_LEAST * UNEVEN_LEAST * pace->frames) {
        return ES__PACE_UNKNOWN;
    }
    double slope = pace->xy / pace->xx;
    double rest = pace->yy - slope * pace->xy;
    double apart = slope - SLOPE_BETWEEN;
    bool sure = apart * apart * pace->xx * (pace->frames - 2.0) > SURE * SURE * rest;
    if (!sure || pace->blocked < BLOCKED_LEAST) {
        return ES__PACE_UNKNOWN;
    }
    return apart > 0 ? ES__PACE_OWN : ES__PACE_DISPLAYS;
}
