/* SPDX-License-Identifier: Zlib
 *
 * The view without a display: for tests, servers, and screenshots. The pointer follows a fixed path
 * by counted frames, so that two runs draw the same pictures.
 */
#include "demo_view.h"

#include <stdlib.h>

#define PATH_X_FRAMES 260 /* frames per round trip; without a common factor the path is long */
#define PATH_Y_FRAMES 170

static const char *headless_open(demo_view *view)
{
    view->user = calloc(1, sizeof(int64_t));
    return view->user != NULL ? NULL : "out of memory";
}

/* From 0 to 1 and back again over `frames` frames. */
static double there_and_back(int64_t frame, int64_t frames)
{
    double share = (double)(frame % frames) / (double)frames;
    return share < 0.5 ? 2.0 * share : 2.0 - 2.0 * share;
}

static void headless_poll(demo_view *view, demo_input *input)
{
    int64_t *frame = view->user;
    input->pointer.x = DEMO_WIDTH * (0.30 + 0.32 * there_and_back(*frame, PATH_X_FRAMES));
    input->pointer.y = DEMO_HEIGHT * (0.15 + 0.45 * there_and_back(*frame, PATH_Y_FRAMES));
    ++*frame;
}

static void headless_canvas_size(const demo_view *view, int *width, int *height)
{
    (void)view;
    *width = DEMO_WIDTH;
    *height = DEMO_HEIGHT;
}

static bool headless_present(demo_view *view, cairo_surface_t *image)
{
    (void)view;
    (void)image;
    return true;
}

static void headless_close(demo_view *view)
{
    free(view->user);
    view->user = NULL;
}

demo_view demo_view_headless(void)
{
    return (demo_view){
            .name = "headless",
            .present = "nothing is shown: returns at once",
            .open = headless_open,
            .poll = headless_poll,
            .canvas_size = headless_canvas_size,
            .present = headless_present,
            .close = headless_close,
    };
}
