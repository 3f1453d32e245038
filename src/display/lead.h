/* SPDX-License-Identifier: Zlib
 *
 * lead: low latency. How long before its refresh should a frame begin?
 */
#ifndef ES_LEAD_H
#define ES_LEAD_H

#include "display.h"

/* INT64_MAX: the frame should begin at once. ticks: that it will run. probes: now and then frames
 * begin at once, to read the refresh. */
int64_t es__lead_ns(es__display *display, int64_t now_ns, int32_t ticks, bool probes);

/* A frame was submitted. missed: after the refresh that it was planned for. */
void es__lead_submitted(es__display *display, const es__display_work *work, bool missed);

/* The frame of that age flipped later than planned. */
void es__lead_missed(es__display *display, int64_t age);

#endif
