/* SPDX-License-Identifier: Zlib
 *
 * Presents images of several sizes in a window, for tests/present.sh. adapters/x11_present.h watches.
 * Prints what it reported.
 *
 *   present_x11 TIMEOUT_MS [mailbox | restart | COMMAND]
 *
 * mailbox: images replace each other. When 15 frames have been presented, another presenter goes on
 * (restart), or the shell runs the command, with the window's number in WINDOW. Frames then go on
 * for a second.
 */
#define _POSIX_C_SOURCE 200809L /* setenv */

#include "present_tally.h"

#include "adapters/x11_present.h"

#include <stdlib.h>
#include <string.h>

#include "tools/demo/x11_show.h"

/* Small: a server that is stopped reads no pixels, and the socket has to hold them. */
enum { WIDTH = 37, HEIGHT = 25, STEP = 8, STEPS = 5 };
enum { STRIDE = WIDTH + STEP * STEPS }; /* is never an image's width */

static const char *what = "";
static int64_t timeout_ns;
static xcb_connection_t *server;
static xcb_window_t window;
static x11_show shower;
static es_x11_present *watcher;
static uint32_t pixels[HEIGHT + STEP * STEPS][STRIDE];
static int frame, width, height; /* frames so far, and the size of the newest */
static int64_t shown_ns;         /* the newest */
static tally watched;

static uint32_t pixel_of(int number, int x, int y)
{
    return ((uint32_t)number * 40503U + (uint32_t)x * 7U + (uint32_t)y * 1021U) & 0xffffffU;
}

/* Another connection may name the window only after the server has made it. */
static bool open_window(void)
{
    server = xcb_connect(NULL, NULL);
    if (xcb_connection_has_error(server) != 0) {
        return false;
    }
    xcb_screen_t *screen = xcb_setup_roots_iterator(xcb_get_setup(server)).data;
    window = xcb_generate_id(server);
    xcb_create_window(server, screen->root_depth, window, screen->root, 0, 0, STRIDE,
            HEIGHT + STEP * STEPS, 0, XCB_WINDOW_CLASS_INPUT_OUTPUT, screen->root_visual, 0, NULL);
    xcb_map_window(server, window);
    free(xcb_get_input_focus_reply(server, xcb_get_input_focus(server), NULL));
    char number[16];
    snprintf(number, sizeof number, "%u", window);
    return setenv("WINDOW", number, 1) == 0;
}

static void collect(es_x11_present *adapter, tally *t, int64_t wait_ns)
{
    es_present samples[64];
    es_x11_present_wait(adapter, wait_ns);
    int count;
    while ((count = es_x11_present_poll(adapter, samples, 64)) > 0) {
        tally_add(t, samples, count);
    }
}

/* What is still without an answer gets one, or is given up. */
static void finish(es_x11_present *adapter, tally *t)
{
    int64_t end_ns = es_now_ns() + timeout_ns + 50 * ES_NS_PER_MS;
    while (es_x11_present_look(adapter).on_their_way > 0 && es_now_ns() < end_ns) {
        collect(adapter, t, 20 * ES_NS_PER_MS);
    }
}

static void show(void)
{
    width = WIDTH + frame / 8 % STEPS * STEP;
    height = HEIGHT + frame % STEPS * STEP;
    for (int i = 0; i < width * height; ++i) {
        pixels[i / width][i % width] = pixel_of(frame, i % width, i / width);
    }
    shown_ns = es_now_ns();
    if (es_x11_present_note(watcher, frame) == ES_X11_OK) {
        frame += x11_show_image(&shower, (const void *)pixels, width, height, STRIDE * 4, 0);
    }
}

static void run(bool mailbox, bool restarts)
{
    int64_t end_ns = es_now_ns() + LIMIT_S * ES_NS_PER_S;
    bool happened = false;
    es_x11_look look;
    while (frame < FRAMES && es_now_ns() < end_ns
            && (look = es_x11_present_look(watcher)).status == ES_X11_OK) {
        /* after a restart answers fit no frame at first */
        bool goes_on = restarts && es_now_ns() - shown_ns > 40 * ES_NS_PER_MS;
        bool shows = mailbox || goes_on || look.on_their_way == 0;
        if (shows) {
            show();
        }
        es_wait_until(es_now_ns() + (mailbox ? ES_NS_PER_MS : 0));
        collect(watcher, &watched, shows ? 0 : 20 * ES_NS_PER_MS);
        if (!happened && watched.presented >= FRAMES_BEFORE) {
            happened = true;
            if (restarts) {
                finish(watcher, &watched);
                x11_show_close(&shower);
                x11_show_open(&shower, NULL, window);
            } else if (!mailbox && system(what) != 0) {
                fprintf(stderr, "present_x11: %s: failed\n", what);
            }
            end_ns = es_now_ns() + ES_NS_PER_S;
        }
    }
}

/* Whether the window shows the newest frame, to the pixel. The question has no time-out. */
static bool shows_newest(void)
{
    xcb_get_image_reply_t *image = xcb_get_image_reply(server,
            xcb_get_image(server, XCB_IMAGE_FORMAT_Z_PIXMAP, window, 0, 0, (uint16_t)width,
                    (uint16_t)height, ~0U),
            NULL);
    bool same = image != NULL && xcb_get_image_data_length(image) == width * height * 4;
    for (int i = 0; same && i < width * height; ++i) {
        uint32_t pixel;
        memcpy(&pixel, xcb_get_image_data(image) + i * 4, sizeof pixel);
        same = (pixel & 0xffffffU) == pixel_of(frame - 1, i % width, i / width);
    }
    free(image);
    return same;
}

int main(int argc, char **argv)
{
    timeout_ns = argc > 1 ? atoi(argv[1]) * ES_NS_PER_MS : 0;
    what = argc > 2 ? argv[2] : "true";
    if (timeout_ns <= 0 || !open_window()) {
        fprintf(stderr, "present_x11: no time-out, or no X server\n");
        return 1;
    }
    es_x11_status status;
    watcher = es_x11_present_open(NULL, window, &status);
    if (watcher == NULL) {
        fprintf(stderr, "present_x11: %s\n", es_x11_status_message(status));
        return 1;
    }
    es_x11_present_set_timeout(watcher, timeout_ns);
    if (!x11_show_open(&shower, NULL, window)) {
        fprintf(stderr, "present_x11: no 24-bit pixels\n");
        return 1;
    }
    run(strcmp(what, "mailbox") == 0, strcmp(what, "restart") == 0);
    finish(watcher, &watched);
    es_x11_look look = es_x11_present_look(watcher);
    bool right = look.status == ES_X11_OK && look.unanswered == 0 && shows_newest();
    uint64_t refreshes = watched.last.sequence - watched.first.sequence;
    int64_t span_ns = watched.last.shown_ns - watched.first.shown_ns;
    tally_print(&watched, es_x11_status_message(look.status), frame, look.unanswered, look.lost);
    printf("\"period_ns\": %" PRId64 ", \"at_once\": %" PRIu64 ", \"errors\": %" PRIu64
           ", \"pixels_right\": %s}\n",
            refreshes > 0 ? span_ns / (int64_t)refreshes : 0, look.at_once, look.errors,
            right ? "true" : "false");
    x11_show_close(&shower);
    es_x11_present_close(watcher);
    xcb_disconnect(server);
    return 0;
}
