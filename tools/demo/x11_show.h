/* SPDX-License-Identifier: Zlib
 *
 * x11_show: images in an X11 window by the Present extension, on a connection of its own, for SDL's
 * renderers without vsync present by other means. adapters/x11_present.h tells when they were seen.
 */
#ifndef DEMO_X11_SHOW_H
#define DEMO_X11_SHOW_H

#include <stdbool.h>
#include <xcb/xcb.h>

typedef struct x11_show {
    xcb_connection_t *server; /* NULL: not open */
    xcb_window_t window;
    xcb_gcontext_t gc;
    uint8_t depth;
    uint32_t serial; /* of the next present */
} x11_show;

/** display: as for XOpenDisplay. False: no server, no such window, or no 24-bit pixels. */
bool x11_show_open(x11_show *show, const char *display, xcb_window_t window);
void x11_show_close(x11_show *show);

/** Shows 0xAARRGGBB pixels at a count of refreshes; 0, or a past one: at the next, instead of what waits
 * for it. Width: at most 65000. False: the server is gone. */
bool x11_show_image(x11_show *show, const unsigned char *pixels, int width, int height,
        int stride_bytes, uint64_t target_msc);

#endif
