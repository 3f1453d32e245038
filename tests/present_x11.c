/* SPDX-License-Identifier: Zlib
 *
 * Presents images of several sizes by adapters/x11_present.h in a window, for tests/present.sh. A
 * second adapter watches. Prints what both reported.
 *
 *   present_x11 TIMEOUT_MS [mailbox | restart | COMMAND]
 *
 * mailbox: images replace each other. When 15 frames have been presented, another adapter goes on
 * (restart), or the shell runs the command, with the window's number in WINDOW. Frames then go on
 * for a second.
 */
#define _POSIX_C_SOURCE 200809L /* setenv */

#include "present_tally.h"

#include "adapters/x11_present.h"

#include <stdlib.h>
#include <string.h>
#include <xcb/xcb.h>

enum { WIDTH = 101, HEIGHT = 75, STEP = 16, STEPS = 5, QUEUE_DEPTH = 2 };
enum { STRIDE = WIDTH + STEP * STEPS }; /* is never an image's width */

static const char *what = "";
static int64_t timeout_ns;
static xcb_connection_t *server;
static xcb_window_t window;
static es_x11_present *shower, *watcher;
static uint32_t pixels[HEIGHT + STEP * STEPS][STRIDE];
static int frame, width, height; /* frames so far, and the size of the newest */
static tally shown, watched;

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

static es_x11_present *open_adapter(es_x11_role role)
{
    es_x11_status status;
    es_x11_present *adapter = es_x11_present_open(NULL, window, role, &status);
    if (adapter == NULL) {
        fprintf(stderr, "present_x11: %s\n", es_x11_status_message(status));
        exit(1);
    }
    es_x11_present_set_timeout(adapter, timeout_ns);
    return adapter;
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

static void show(uint64_t target)
{
    width = WIDTH + frame / 8 % STEPS * STEP;
    height = HEIGHT + frame % STEPS * STEP;
    for (int i = 0; i < width * height; ++i) {
        pixels[i / width][i % width] = pixel_of(frame, i % width, i / width);
    }
    es_x11_present_note(watcher, frame);
    if (es_x11_present_show(shower, frame, pixels, width, height, STRIDE * 4, target)
            == ES_X11_OK) {
        frame += 1;
    }
}

static void happen(void)
{
    if (strcmp(what, "restart") == 0) {
        finish(shower, &shown);
        es_x11_present_close(shower);
        shower = open_adapter(ES_X11_SHOW);
    } else if (strcmp(what, "mailbox") != 0 && system(what) != 0) {
        fprintf(stderr, "present_x11: %s: failed\n", what);
    }
}

static void run(bool mailbox)
{
    int64_t end_ns = es_now_ns() + LIMIT_S * ES_NS_PER_S;
    bool happened = false;
    es_x11_look look;
    while (frame < FRAMES && es_now_ns() < end_ns
            && (look = es_x11_present_look(shower)).status == ES_X11_OK) {
        /* never busy: a frame that is noted must be presented */
        bool free_image = look.images_busy < ES_X11_IMAGES;
        bool queues = free_image && (mailbox || look.on_their_way < QUEUE_DEPTH);
        if (queues) {
            show(mailbox ? 0 : ES_X11_QUEUE);
        }
        es_wait_until(es_now_ns() + (mailbox ? ES_NS_PER_MS : 0));
        collect(shower, &shown, queues ? 0 : 20 * ES_NS_PER_MS);
        collect(watcher, &watched, 0);
        if (!happened && shown.presented >= FRAMES_BEFORE) {
            happened = true;
            happen();
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

static void print(void)
{
    es_x11_look look = es_x11_present_look(shower);
    bool right = look.status == ES_X11_OK && look.unanswered == 0 && shows_newest();
    int otherwise = 0;
    for (int i = 0; i < frame; ++i) {
        otherwise += watched.shown_ns[i] != shown.shown_ns[i];
    }
    uint64_t refreshes = shown.last.sequence - shown.first.sequence;
    int64_t span_ns = shown.last.shown_ns - shown.first.shown_ns;
    tally_print(&shown, es_x11_status_message(look.status), frame, look.unanswered, look.lost);
    printf("\"period_ns\": %" PRId64 ", \"at_once\": %" PRIu64 ", \"errors\": %" PRIu64
           ",\n\"watched\": %d, \"watched_otherwise\": %d, \"shared_memory\": %s,"
           " \"pixels_right\": %s}\n",
            refreshes > 0 ? span_ns / (int64_t)refreshes : 0, look.at_once, look.errors,
            watched.presented, otherwise, look.shared_memory ? "true" : "false",
            right ? "true" : "false");
}

int main(int argc, char **argv)
{
    timeout_ns = argc > 1 ? atoi(argv[1]) * ES_NS_PER_MS : 0;
    what = argc > 2 ? argv[2] : "true";
    if (timeout_ns <= 0 || !open_window()) {
        fprintf(stderr, "present_x11: no time-out, or no X server\n");
        return 1;
    }
    watcher = open_adapter(ES_X11_WATCH);
    shower = open_adapter(ES_X11_SHOW);
    run(strcmp(what, "mailbox") == 0);
    finish(shower, &shown);
    finish(watcher, &watched);
    print();
    es_x11_present_close(shower);
    es_x11_present_close(watcher);
    xcb_disconnect(server);
    return 0;
}
