/* SPDX-License-Identifier: Zlib
 *
 * view_screen: what tells when the window's pictures are seen, where anything does: the adapters
 * for X11's Present extension and Wayland's presentation-time behind one face.
 */
#ifndef VIEW_SCREEN_H
#define VIEW_SCREEN_H

#include "evenstep/feedback.h"

#include <SDL.h>
#include <cairo.h>

typedef struct view_screen view_screen;

/** Why a window must not be opened here, before SDL_Init; NULL: nothing speaks against it. */
const char *view_screen_refusal(void);

/** Starts to listen at a window. shows: X11 only: pictures will be presented by the adapter, and
 * SDL must not draw. NULL: nothing tells here; why, of DEMO_WHY_SIZE, says what was wrong. */
view_screen *view_screen_open(SDL_Window *window, bool shows, bool vsync, char *why);

/** Stops listening; NULL is fine. Before the window goes. */
void view_screen_close(view_screen *screen);

/** What tells, for people. */
const char *view_screen_name(const view_screen *screen);

/** Why nothing more will be told, for people, such as that the server is gone; NULL: it goes on. */
const char *view_screen_ended(const view_screen *screen);

/** Whether the window's compositor is gone, and SDL must not be asked for events any more: it may
 * never come back from that (es_wayland_gone). Known on Wayland only, where that adapter is. */
bool view_screen_gone(SDL_Window *window);

/** The refresh that the window's display announces, as the adapter knows it now; 0: not known. */
int64_t view_screen_refresh(const view_screen *screen);

/** The window is on another display: asks for its refresh, where that takes asking. May wait for
 * 100 ms. */
void view_screen_moved(view_screen *screen);

/** Presents a picture by the adapter. With vsync it waits until at most one other is on its way.
 * false: the window is gone. */
bool view_screen_show(view_screen *screen, cairo_surface_t *image, int64_t picture);

/** The program presents the picture next. */
void view_screen_before_swap(view_screen *screen, int64_t picture);

/** The next thing that was told. false: nothing more for now. */
bool view_screen_next(view_screen *screen, es_present_sample *sample);

#endif
