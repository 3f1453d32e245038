/* SPDX-License-Identifier: Zlib
 *
 * demo_show: what a picture between two ticks is made of: the ways that the library has, each as a
 * layout of the demo's world and a lead.
 *
 * Not for: blending. demo_side does that, by es_blend_frame.
 */
#ifndef DEMO_SHOW_H
#define DEMO_SHOW_H

#include "evenstep/layout.h"

#include "demo_scene.h"

typedef enum demo_way {
    DEMO_WAY_INTERPOLATE = 0, /* along the straight line from tick to tick */
    DEMO_WAY_HERMITE,         /* the cubic with the simulated velocities */
    DEMO_WAY_CATMULL_ROM,     /* the cubic through four ticks */
    DEMO_WAY_MONOTONE,        /* the same, kept between its two ticks */
    DEMO_WAY_EXTRAPOLATE,     /* on from the newest tick, which is before the picture */
    DEMO_WAY_NONE,            /* the newest tick as it is */
    DEMO_WAYS
} demo_way;

enum { DEMO_TICKS = 4 }; /* a history keeps: splines look at four */

/** The name, for --show; NULL past the last. */
const char *demo_way_name_at(size_t index);

/** How many ticks beyond the picture's it needs: es_loop_config.lead_ticks. */
int32_t demo_way_lead(demo_way way);

/** How the world is blended; of DEMO_WAY_NONE, which does not, what it would be without that. */
const es_layout *demo_way_layout(demo_way way);

#endif
