/* SPDX-License-Identifier: Zlib
 *
 * feed: screen times of one Wayland surface, by wp_presentation (presentation-time.xml of
 * wayland-protocols, stable). It has an event queue of its own, and libwayland of the program.
 */
#ifndef CAPTURE_LAYER_FEED_H
#define CAPTURE_LAYER_FEED_H

#include <stdint.h>

typedef struct layer_feed layer_feed;
struct wl_display;
struct wl_surface;

/* Asks the compositor, and waits for its answer. NULL: it has no times of CLOCK_MONOTONIC. */
layer_feed *layer_feed_begin(struct wl_display *display, struct wl_surface *surface);

/* Asks for the screen time of the surface's next commit. Negative: it cannot. */
int layer_feed_ask(layer_feed *feed);

/* Where the answer goes: a row of the file, or nowhere (negative). */
void layer_feed_answer_to(layer_feed *feed, int place, int64_t row);

/* Takes the answers that the program or its driver has read. */
void layer_feed_take(layer_feed *feed);

/* Waits for the last answers, and frees it. NULL is allowed. */
void layer_feed_end(layer_feed *feed);

#endif
