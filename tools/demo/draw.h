/* SPDX-License-Identifier: Zlib
 *
 * demo_draw: draws the world, and the panel on top of it, by cairo.
 *
 * Everything that moves is drawn at fractions of a pixel: rounding to whole pixels would be judder
 * of its own. Backgrounds that wrap do so here and not in the simulated state.
 */
#ifndef DEMO_DRAW_H
#define DEMO_DRAW_H

#include "view.h"

/* An image to draw on. {0}: none yet. */
typedef struct demo_canvas {
    cairo_surface_t *image; /* CAIRO_FORMAT_ARGB32, opaque; read by demo_view.present */
    cairo_t *cairo;
    demo_fit fit;
} demo_canvas;

/** Makes the canvas this large; does nothing if it is. false: no memory. */
bool demo_canvas_resize(demo_canvas *canvas, demo_fit fit);

/** Frees it; {0} is accepted. */
void demo_canvas_finish(demo_canvas *canvas);

enum { DEMO_TRAIL = 12 };

/* Places of the camera in the last frames, newest first. */
typedef struct demo_trail {
    double scroll_x[DEMO_TRAIL];
    int count;
} demo_trail;

/* What a frame shows. */
typedef struct demo_look {
    const demo_scene *scene;
    const demo_trail *trail;
    demo_point pointer; /* now */
} demo_look;

/** Draws the world. half: -1: the whole; 0 and 1: its lower end, in a half of the canvas, with the
 * last places of each pole at its foot, one below the other: a straight line is even motion. */
void demo_draw_scene(demo_canvas *canvas, int half, const demo_look *look);

/** Draws the panel on top: at the right, or along the top of each half; keys below. */
void demo_draw_panel(demo_canvas *canvas, const demo_panel *panel);

#endif
