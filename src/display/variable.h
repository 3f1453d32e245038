/* SPDX-License-Identifier: Zlib
 *
 * variable: when does each frame flip, if the refresh is variable? When it is ready and its target has
 * come, and at least a shortest refresh after the frame before.
 */
#ifndef ES_VARIABLE_H
#define ES_VARIABLE_H

#include "display.h"

/* When the next frame is ready that is submitted then. A GPU works on frames one by one. */
int64_t es__variable_ready_ns(const es__display *display, int64_t submit_ns);

/* When a frame flips that is ready then, after a frame that flipped at before_ns. */
int64_t es__variable_flip_ns(const es__display *display, int64_t before_ns, int64_t ready_ns);

/* The newest frame, after es__flips_add. */
void es__variable_submitted(es__display *display);

/* All frames have flipped by now. */
void es__variable_passed(es__display *display, int64_t now_ns);

/* Feedback. */
void es__variable_shown(es__display *display, int64_t age, int64_t shown_ns);

#endif
