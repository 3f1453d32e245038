/* SPDX-License-Identifier: Zlib
 *
 * demo_draw: pictures of the world, and of the overlay, by cairo.
 *
 * Everything moving is drawn at fractions of a pixel: rounding to whole pixels would be judder of
 * its own. A wrapping background wraps here, at drawing, and never in the simulated state.
 */
#ifndef DEMO_DRAW_H
#define DEMO_DRAW_H

#include "demo_view.h"

/* An image to draw on, and what can be drawn once for its size. {0}: none yet. */
typedef struct demo_canvas {
    cairo_surface_t *image; /* CAIRO_FORMAT_ARGB32, opaque; read by demo_view.present */
    cairo_surface_t *sky;   /* the part of the picture that never moves */
    cairo_t *cairo;
    demo_fit fit;
} demo_canvas;

/** Makes the canvas this large; does nothing if it is. false: no memory. */
bool demo_canvas_resize(demo_canvas *canvas, demo_fit fit);

/** Gives everything back; {0} is fine too. */
void demo_canvas_finish(demo_canvas *canvas);

enum { DEMO_TRAIL = 12, DEMO_GHOSTS = 66 };

/* Where the camera was in the last pictures, and the jumper; the newest first. */
typedef struct demo_trail {
    double scroll_x[DEMO_TRAIL];
    int count;
    demo_point ghosts[DEMO_GHOSTS];
    int ghost_count;
} demo_trail;

/* What a picture shows besides the state that was blended. */
typedef struct demo_live {
    const demo_flight *flight;
    const double *flash_ms; /* of each flash: how long it took; below 0: not known */
    demo_job_mode job_mode;
    double job_share; /* of the job that runs */
} demo_live;

/** Draws a state of the world, with dots where the jumper was in the last pictures, and a crosshair
 * where the pointer is at this moment. */
void demo_draw_scene(demo_canvas *canvas, const demo_scene *scene, const demo_trail *trail,
        const demo_live *live, demo_point pointer);

/** The same in the upper (0) or lower (1) half of the picture: the lower end of the world, and at
 * the foot of each pole where it was in the last pictures, one below the other: a straight line
 * where motion is even. First 0, then 1, which draws the line between the halves as well. */
void demo_draw_half(demo_canvas *canvas, int half, const demo_scene *scene, const demo_trail *trail,
        const demo_live *live, demo_point pointer);

/** Draws the overlay on top: figures and graphs at the right, or in a split view along the top of
 * each half; keys below. */
void demo_draw_hud(demo_canvas *canvas, const demo_hud *hud);

/** Completes the picture before its pixels are read. */
void demo_draw_flush(demo_canvas *canvas);

#endif
