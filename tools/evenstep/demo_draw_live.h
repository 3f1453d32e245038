/* SPDX-License-Identifier: Zlib
 *
 * demo_draw_live: what clicks, the job and the groups look like. In world coordinates.
 */
#ifndef DEMO_DRAW_LIVE_H
#define DEMO_DRAW_LIVE_H

#include "demo_draw.h"

/** Sparks and birds, as the picture shows them. */
void demo_draw_flight(cairo_t *cr, const demo_flight *flight);

/** A ring for each click, from its tick on, with how long it took to the picture. */
void demo_draw_flashes(cairo_t *cr, const demo_scene *scene, const double *flash_ms);

/** The job's map, and how far the next one is; nothing where there is none. */
void demo_draw_map(cairo_t *cr, const demo_map *map, const demo_live *live);

#endif
