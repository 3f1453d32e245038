/* SPDX-License-Identifier: Zlib
 *
 * refresh: period and phase of the display's refreshes, from readings: instants at which a wait
 * for a refresh ended.
 *
 * A wait ends late, never early. So refreshes lie on a line below the readings, and the earliest
 * reading of each group is a point of it (the minimum filter of NTP, RFC 5905, section 10). Screen
 * times from feedback err to both sides: there each point is a mean.
 */
#ifndef ES_REFRESH_H
#define ES_REFRESH_H

#include "state.h"

/* Rounded to the nearest; cut to the range. */
static inline int64_t es__to_ns(double ns)
{
    if (!(ns < 9.2e18)) {
        return INT64_MAX;
    }
    return ns <= -9.2e18 ? INT64_MIN : (int64_t)(ns < 0.0 ? ns - 0.5 : ns + 0.5);
}

/* Forgets everything but an announced period; 0: none. */
void es__refresh_init(es__refresh *refresh, int64_t announced_ns);

/* Another period is announced; 0: none. A line that has it stays; another one is given up. */
void es__refresh_announce(es__refresh *refresh, int64_t announced_ns);

/* Takes a reading in. frame: number of the frame that waited. exact: it errs to both sides. */
void es__refresh_read(es__refresh *refresh, int64_t at_ns, int64_t frame, bool exact);

/* The line explains little: another one may lie below the newest readings. */
void es__refresh_doubt(es__refresh *refresh);

/* Whether the line can be used at an instant. */
bool es__refresh_is_certain(const es__refresh *refresh, int64_t at_ns);

/* The time of a refresh. */
int64_t es__refresh_time_ns(const es__refresh *refresh, int64_t index);

/* The last refresh at or before an instant; the first one at or after it. */
int64_t es__refresh_before(const es__refresh *refresh, int64_t at_ns);
int64_t es__refresh_after(const es__refresh *refresh, int64_t at_ns);

/* One standard deviation of the next refresh's time. */
double es__refresh_error_ns(const es__refresh *refresh, int64_t at_ns);

/* The clock was moved, and the refreshes were not. */
void es__refresh_shift(es__refresh *refresh, int64_t by_ns);

/* The phase is lost, the period is not. */
void es__refresh_lose_phase(es__refresh *refresh);

/* Whether an instant is far from a refresh. */
bool es__refresh_is_off(const es__refresh *refresh, int64_t at_ns);

/* After frames that did not wait, a wait ends. On a fixed refresh it ends on the line. On a variable
 * one it ends whole periods after free_ns: the flip of the newest frame in that case, which is known
 * to slack_ns. */
void es__refresh_vote(es__refresh *refresh, int64_t at_ns, int64_t free_ns, double slack_ns);

#endif
