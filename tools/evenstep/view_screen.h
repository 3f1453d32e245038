/* SPDX-License-Identifier: Zlib
 *
 * view_screen: reports of screen times for a window: the adapters for X11's Present extension and
 * Wayland's presentation-time behind one set of functions.
 */
#ifndef VIEW_SCREEN_H
#define VIEW_SCREEN_H

#include "evenstep/feedback.h"

#include <SDL.h>
#include <cairo.h>

typedef struct view_screen view_screen;

/** Starts to listen at a window. shows: X11 only: the adapter presents, and SDL must not draw.
 * NULL: nothing reports screen times; why, of DEMO_WHY_SIZE, has the reason. */
view_screen *view_screen_open(SDL_Window *window, bool shows, bool vsync, char *why);

/** Stops listening, before the window is destroyed; NULL is accepted. */
void view_screen_close(view_screen *screen);

/** The adapter's name, for people. */
const char *view_screen_name(const view_screen *screen);

/** Why no more reports come, for people, such as that the server is gone; NULL: they go on. */
const char *view_screen_ended(const view_screen *screen);

/** Whether the window's compositor is gone: polling SDL's events may then never return
 * (es_wayland_gone). Known on Wayland only, with its adapter. */
bool view_screen_gone(SDL_Window *window);

/** Presents a frame by the adapter. With vsync it waits until at most one other is queued. false:
 * the window is gone. */
bool view_screen_show(view_screen *screen, cairo_surface_t *image, int64_t frame);

/** SDL presents this frame next. */
void view_screen_before_swap(view_screen *screen, int64_t frame);

/** The next report. false: no more for now. */
bool view_screen_next(view_screen *screen, es_present_sample *sample);

#endif
