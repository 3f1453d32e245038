/* SPDX-License-Identifier: Zlib */
#include "x11_show.h"

#include <stdlib.h>
#include <xcb/present.h>

enum { REQUEST_MOST = 260000 }; /* bytes of pixels: every server takes 262 140 */

bool x11_show_open(x11_show *show, const char *display, xcb_window_t window)
{
    *show = (x11_show){.server = xcb_connect(display, NULL), .window = window};
    xcb_get_geometry_reply_t *geometry =
            xcb_get_geometry_reply(show->server, xcb_get_geometry(show->server, window), NULL);
    const xcb_query_extension_reply_t *present =
            xcb_get_extension_data(show->server, &xcb_present_id);
    bool good = geometry != NULL && geometry->depth >= 24 && present != NULL && present->present;
    if (good) {
        show->depth = geometry->depth;
        show->gc = xcb_generate_id(show->server);
        xcb_create_gc(show->server, show->gc, window, 0, NULL);
        show->serial = show->gc * 2654435761U; /* any, but another with each connection */
    } else {
        x11_show_close(show);
    }
    free(geometry);
    return good;
}

void x11_show_close(x11_show *show)
{
    xcb_disconnect(show->server); /* the server frees what belonged to it */
    show->server = NULL;
}

bool x11_show_image(x11_show *show, const unsigned char *pixels, int width, int height,
        int stride_bytes, uint64_t target_msc)
{
    /* rows that lie together, as many as a request holds */
    int most = stride_bytes == width * 4 ? REQUEST_MOST / stride_bytes : 1;
    xcb_pixmap_t pixmap = xcb_generate_id(show->server);
    xcb_create_pixmap(
            show->server, show->depth, pixmap, show->window, (uint16_t)width, (uint16_t)height);
    for (int y = 0; y < height; y += most) {
        int rows = height - y < most ? height - y : most;
        xcb_put_image(show->server, XCB_IMAGE_FORMAT_Z_PIXMAP, pixmap, show->gc, (uint16_t)width,
                (uint16_t)rows, 0, (int16_t)y, 0, show->depth, (uint32_t)(width * 4 * rows),
                pixels + (size_t)y * (size_t)stride_bytes);
    }
    xcb_present_pixmap(show->server, show->window, pixmap, show->serial++, 0, 0, 0, 0, 0, 0, 0,
            XCB_PRESENT_OPTION_NONE, target_msc, 0, 0, 0, NULL);
    xcb_free_pixmap(show->server, pixmap); /* the server keeps it until it was shown */
    for (xcb_generic_event_t *event; (event = xcb_poll_for_event(show->server)) != NULL;) {
        free(event); /* errors: the adapter sees that the window is gone */
    }
    return xcb_flush(show->server) > 0;
}
