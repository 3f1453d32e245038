/* SPDX-License-Identifier: Zlib
 *
 * hold: how many refreshes should a frame stay, and when should its work begin?
 */
#ifndef ES_HOLD_H
#define ES_HOLD_H

#include "display.h"

/* A frame was submitted. taken: refreshes since the flip of the frame before. */
void es__hold_note(es__display *display, const es__display_work *work, int64_t taken);

/* How many refreshes a frame cap asks for; without one 1. */
int32_t es__wanted_hold(const es__display *display);

/* When the next frame should begin, where refreshes are known; now_ns: at once. ticks: that it will
 * run. */
int64_t es__hold_begin_ns(es__display *display, int64_t now_ns, int32_t ticks);

/* Not before this is a frame submitted that is planned for a refresh. */
int64_t es__hold_submit_ns(const es__display *display, int64_t index);

/* For how many refreshes the open frame asks that the frame before is shown. Before refreshes are known, a
 * cap and the announced rate tell it. */
int32_t es__swap_interval(const es__display *display);

/* A cap is longer than a refresh, and no whole number of them. refresh_ns; 0: not known. */
bool es__cap_is_uneven(double interval_ns, double refresh_ns);

#endif
