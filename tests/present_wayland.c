/* SPDX-License-Identifier: Zlib
 *
 * Presents frames in a window, for tests/present.sh. Prints what adapters/wayland_presentation.h
 * reported. Needs no seat, as SDL2 and GLFW do.
 *
 *   present_wayland DISPLAY TIMEOUT_MS [COMMAND]
 *   present_wayland DISPLAY TIMEOUT_MS seat         is there one? Status 1: no compositor answers
 *
 * When 15 frames have been presented, or five had no request, the shell runs the command. Frames
 * then go on for a second.
 */
#define _GNU_SOURCE /* memfd_create */

#include "present_tally.h"
#include "present_window.h"

#include "adapters/wayland_presentation.h"

enum { NOT_REQUESTED_BEFORE = 5 };

static es_wayland_presentation *presentation;
static int frame;
static tally shown;

/* The adapter reads the connection, also for the window. */
static void collect(int64_t wait_ns)
{
    es_present samples[64];
    es_wayland_presentation_wait(presentation, wait_ns);
    tally_add(&shown, samples, es_wayland_presentation_poll(presentation, samples, 64));
    wl_display_dispatch_pending(display);
}

/* A frame after the answer to the one before, or after 0.1 s. */
static void run(struct wl_buffer *buffer, const char *what)
{
    int64_t end_ns = es_now_ns() + LIMIT_S * ES_NS_PER_S;
    bool happened = false;
    es_wayland_look look = {0};
    while (frame < FRAMES && es_now_ns() < end_ns && look.status == ES_WAYLAND_OK) {
        es_wayland_presentation_before_commit(presentation, frame++);
        wl_surface_attach(surface, buffer, 0, 0);
        wl_surface_damage(surface, 0, 0, WIDTH, HEIGHT);
        wl_surface_commit(surface);
        collect(100 * ES_NS_PER_MS);
        look = es_wayland_presentation_look(presentation);
        bool silent = look.not_requested >= NOT_REQUESTED_BEFORE;
        if (!happened && (shown.presented >= FRAMES_BEFORE || silent)) {
            happened = true;
            if (system(what) != 0) {
                fprintf(stderr, "present_wayland: %s: failed\n", what);
            }
            end_ns = es_now_ns() + ES_NS_PER_S;
        }
    }
}

int main(int argc, char **argv)
{
    int timeout_ms = argc > 2 ? atoi(argv[2]) : 0;
    const char *what = argc > 3 ? argv[3] : "true";
    if (argc > 2 && strcmp(what, "seat") == 0) {
        static const char *const names[] = {"no server", "none", "found"};
        es_wayland_seat_state state = es_wayland_seat(argv[1], timeout_ms);
        puts(names[state]);
        return state == ES_WAYLAND_SEAT_NO_SERVER;
    }
    struct wl_buffer *buffer = argc > 2 ? open_window(argv[1]) : NULL;
    es_wayland_status status = ES_WAYLAND_NO_SERVER;
    if (buffer != NULL) {
        presentation = es_wayland_presentation_open(display, surface, timeout_ms, &status);
    }
    if (presentation == NULL) {
        fprintf(stderr, "present_wayland: %s\n", es_wayland_status_message(status));
        return 1;
    }
    run(buffer, what);
    int64_t end_ns = es_now_ns() + (timeout_ms + 50) * ES_NS_PER_MS;
    while (es_wayland_presentation_look(presentation).on_their_way > 0 && es_now_ns() < end_ns) {
        collect(20 * ES_NS_PER_MS); /* what is still without an answer gets one, or is given up */
    }
    es_wayland_look look = es_wayland_presentation_look(presentation);
    tally_print(&shown, es_wayland_status_message(look.status), (int)look.requested,
            look.unanswered, look.lost);
    printf("\"not_requested\": %" PRIu64 ", \"on_their_way\": %d, \"clock_id\": %u,"
           " \"clock_known\": %s, \"clock_error_ns\": %" PRId64 "}\n",
            look.not_requested, look.on_their_way, look.clock_id,
            look.clock_known ? "true" : "false", look.clock_error_ns);
    es_wayland_presentation_close(presentation);
    wl_display_disconnect(display);
    return 0;
}
