/* SPDX-License-Identifier: Zlib
 *
 * wayland_presentation: when was a frame seen in this Wayland surface? And, if asked to: shows frames
 * at their targets.
 *
 * Copy wayland_presentation.h, wayland_presentation.c and wayland_timing.h into a project, with what
 * wayland-scanner makes of presentation-time.xml (adapters/README.md has the two commands), or link
 * evenstep_wayland_presentation. It needs wayland-client and no window library:
 *
 *     es_wayland_presentation *shown = es_wayland_presentation_open(display, surface, 500, NULL);
 *     es_wayland_presentation_before_commit(shown, frame);            // then SDL_RenderPresent
 *     n = es_wayland_presentation_poll(shown, samples, 16);           // each frame
 *     es_wayland_presentation_close(shown);                           // before the window goes
 *
 * Open it after SDL_CreateRenderer, or after the OpenGL context was made: SDL2 may replace the
 * native window there (SDL_RecreateWindow), and then the surface of the request is freed memory.
 *
 * The adapter shares the program's connection, as it must: surfaces belong to connections. It keeps
 * to an event queue of its own, so the program's events stay where they are; reading the socket
 * sorts every event into its owner's queue.
 *
 * Compositors may never answer (wlroots without a screen, 0.15, does not): a request without an
 * answer is given up after a time-out, and once 16 in a row were, only one a second is made.
 *
 * Targets, by commit-timing-v1, and fifo-v1 where it is there:
 *
 *     if (es_wayland_presentation_obey(shown) == ES_WAYLAND_OK) {     // once
 *         es_targets targets = es_wayland_presentation_targets(shown); // each frame
 *         es_loop_set_targets(loop, &targets);                        // where they have changed
 *     }
 *     es_wayland_presentation_before_commit_at(shown, frame.index, frame.target_ns);
 *
 * Only for a surface that nobody else times: shm buffers, and EGL of Mesa's own OpenGL drivers. A
 * Vulkan driver, Zink and NVIDIA's egl-wayland2 may own the surface's timer and fifo. A second one is
 * a protocol error, which ends the program's connection. obey refuses where such a library is loaded.
 *
 * With swap interval 1 EGL and SDL wait for the frame callback of the frame before, so a frame can be
 * ready one refresh before its target, not more. With swap interval 0 the fifo keeps a queued frame
 * from being replaced by the next one; the driver's buffers bound the queue.
 *
 * An adapter belongs to the thread that commits the surface. Why nothing more will come is in
 * es_wayland_look.
 */
#ifndef EVENSTEP_ADAPTERS_WAYLAND_PRESENTATION_H
#define EVENSTEP_ADAPTERS_WAYLAND_PRESENTATION_H

#include "evenstep/evenstep.h"

struct wl_display;
struct wl_surface;

/* Requests that may be without an answer at once. */
#define ES_WAYLAND_ASKED_MAX 64

/* How a call went. */
typedef enum es_wayland_status {
    ES_WAYLAND_OK,
    ES_WAYLAND_NO_SERVER,    /* the connection broke, or there was no answer in time */
    ES_WAYLAND_NO_EXTENSION, /* the compositor lacks wp_presentation */
    ES_WAYLAND_NO_MEMORY,
    ES_WAYLAND_INVALID,    /* an argument is out of range */
    ES_WAYLAND_FULL,       /* too many requests without an answer: no request for this frame */
    ES_WAYLAND_SILENT,     /* this compositor does not answer: no request for this frame */
    ES_WAYLAND_NO_TARGETS, /* the compositor takes none, or their clock cannot be read here */
    ES_WAYLAND_OWNED       /* a loaded library may time this surface already */
} es_wayland_status;

/* What is known and what happened so far. Counts are since es_wayland_presentation_open. */
typedef struct es_wayland_look {
    es_wayland_status status; /* OK, or why nothing more will come */
    uint32_t clock_id;        /* the compositor's clock, as for clock_gettime */
    bool clock_known;         /* this machine can read it; else times are those of the answers */
    int64_t clock_error_ns;   /* the newest conversion to CLOCK_MONOTONIC is this near, or nearer */
    int64_t refresh_ns;       /* announced with the newest sample; 0: not */
    uint64_t requested;       /* frames with a request */
    uint64_t not_requested;   /* frames that were not: FULL or SILENT */
    uint64_t presented;       /* samples with a time */
    uint64_t discarded;       /* samples without: replaced or hidden */
    uint64_t unanswered;      /* given up after the time-out */
    uint64_t lost;            /* samples overwritten because poll came too late */
    int on_their_way;         /* requested and not answered yet */
    uint64_t targets;         /* frames whose target was passed to the compositor */
    int64_t offset_ns;        /* how much later than asked it shows frames, always; subtracted */
} es_wayland_look;

/* What es_wayland_seat finds. */
typedef enum es_wayland_seat_state {
    ES_WAYLAND_SEAT_NO_SERVER, /* no compositor there, or no answer in time */
    ES_WAYLAND_SEAT_NONE,      /* a compositor without a wl_seat */
    ES_WAYLAND_SEAT_FOUND      /* at least one */
} es_wayland_seat_state;

typedef struct es_wayland_presentation es_wayland_presentation;

#ifdef __cplusplus
extern "C" {
#endif

/* Finds the compositor's presentation clock and starts to listen. Allocates; close it before the
 * surface and the connection go.
 * display: the connection that owns the surface. SDL2: info.wl.display; GLFW:
 * glfwGetWaylandDisplay.
 * surface: the window's. SDL2: info.wl.surface; GLFW: glfwGetWaylandWindow.
 * timeout_ms: after how long a request without an answer is given up, here and later; 1 to 60000.
 * status: may be NULL; NO_SERVER, NO_EXTENSION, NO_MEMORY or INVALID with NULL. */
es_wayland_presentation *es_wayland_presentation_open(struct wl_display *display,
        struct wl_surface *surface, int timeout_ms, es_wayland_status *status);

/* Ends the adapter. Requests without an answer are given up. presentation may be NULL. */
void es_wayland_presentation_close(es_wayland_presentation *presentation);

/* Requests the time of the surface's next commit: call it directly before the swap
 * (SDL_RenderPresent, SDL_GL_SwapWindow, glfwSwapBuffers, wl_surface_commit), on the thread that
 * swaps. If no commit follows, the next one answers for both frames. OK: a sample or a time-out
 * will follow; else no request was made.
 * frame: the caller's number for it; comes back in the sample. */
es_wayland_status es_wayland_presentation_before_commit(
        es_wayland_presentation *presentation, int64_t frame);

/* Asks for the surface's timer, and for its fifo if there is one. Once per adapter; again is OK. Until
 * then the adapter has neither. NO_TARGETS, OWNED or NO_MEMORY: nothing has changed. */
es_wayland_status es_wayland_presentation_obey(es_wayland_presentation *presentation);

/* For es_loop_set_targets: what the compositor does, as far as known by now. All 0 without obey.
 * deadline_ns: look's offset_ns, rounded up to 0.2 ms. ahead_ns: two refreshes; 0: not known. */
es_targets es_wayland_presentation_targets(const es_wayland_presentation *presentation);

/* es_wayland_presentation_before_commit for a frame with a target. After obey a commit must follow
 * before the next call: a second target for one commit is a protocol error, which ends the connection.
 * After a target without an answer, as of a hidden window, there is none until a frame has an answer.
 * The first frames have no target until a sample has told the refresh.
 * target_ns: es_frame.target_ns; 0, or over 1 s ahead: as soon as possible. On a fixed refresh the
 *   compositor gets a time a quarter of a refresh earlier: "not before" a time that is a microsecond
 *   late costs a refresh, and compositors that round to the nearest one must not take the one before. */
es_wayland_status es_wayland_presentation_before_commit_at(
        es_wayland_presentation *presentation, int64_t frame, int64_t target_ns);

/* Takes what the compositor said since the last call, oldest first, also where the connection
 * broke. Does not wait, unless another thread that reads the same connection by libwayland's rules
 * sits between prepare and read: then for its read. Returns how many samples were written. */
int es_wayland_presentation_poll(
        es_wayland_presentation *presentation, es_present *samples, int max);

/* Waits until there is a sample to take. timeout_ns: 0 or less: does not wait. False: the time is
 * over, or nothing more will come. */
bool es_wayland_presentation_wait(es_wayland_presentation *presentation, int64_t timeout_ns);

/* What is known and what was counted. Reads no events. */
es_wayland_look es_wayland_presentation_look(const es_wayland_presentation *presentation);

/* Whether a compositor has a seat (keyboard, mouse). Call it before SDL_Init: SDL2 before 2.30
 * and GLFW 3.4 crash without one (SDL issue 8898, GLFW issue 2517). It connects for a moment, on a
 * connection of its own. Where the environment hands down a connected socket (WAYLAND_SOCKET) that
 * would use it up, whatever the name: then it says NO_SERVER.
 * display_name: as for wl_display_connect; NULL: $WAYLAND_DISPLAY, else "wayland-0".
 * timeout_ms: at most this long; at least 1. */
es_wayland_seat_state es_wayland_seat(const char *display_name, int timeout_ms);

/* Whether a connection is broken, or NULL: the compositor is gone, or has ended it. The program
 * should end, or connect anew. Call it before each SDL_PollEvent: where events were read and wait
 * for SDL when it breaks, libdecor, by which SDL2 looks for events, waits for ever for a queue to
 * empty that nothing empties any more. Reads no events, so a break is known after the next read or
 * write. */
bool es_wayland_gone(struct wl_display *display);

/* What a status means, as half a sentence, such as "the compositor lacks wp_presentation". */
const char *es_wayland_status_message(es_wayland_status status);

/* ---- Private: the pure parts, for tests. */

/* One try at reading two clocks at once: the other one, between two readings of ours. */
typedef struct es_clock_bracket {
    int64_t before_ns; /* CLOCK_MONOTONIC */
    int64_t other_ns;  /* the other clock */
    int64_t after_ns;  /* CLOCK_MONOTONIC again */
} es_clock_bracket;

/* A time of another clock on CLOCK_MONOTONIC. Takes the tightest bracket and its middle. The error
 * is at most half its width, plus what the clocks drift apart between the time and the reading:
 * 500 millionths of that span, the most by which Linux steers CLOCK_MONOTONIC away from
 * CLOCK_MONOTONIC_RAW (adjtimex(2)). A clock that was set in between, or a suspend for
 * CLOCK_BOOTTIME, is not covered. Saturates.
 * brackets: at least one; those whose second reading is before the first are left out. If none is
 * left, the result is time_ns itself, with an error_ns of INT64_MAX.
 * error_ns: where to write the bound; may be NULL. */
int64_t es_clock_convert(
        const es_clock_bracket *brackets, int count, int64_t time_ns, int64_t *error_ns);

/* How late frames are seen after the time that the compositor was given. {0}: nothing known. */
typedef struct es_wayland_offset {
    int64_t late_ns[16]; /* the newest, in turns */
    int count;           /* of all so far, less what was forgotten */
    int pause;           /* so many frames more do not count */
    int64_t period_ns;   /* of the refresh to which they belong; 0: variable */
    int64_t offset_ns;   /* to subtract */
} es_wayland_offset;

/* The time to give to the compositor. period_ns: 0: variable. */
int64_t es_wayland_aim(int64_t target_ns, int64_t period_ns, int64_t offset_ns);

/* Learns from a frame that was committed in time. offset_ns is the median of 16, in whole refreshes
 * where these are fixed. It is 0 while they disagree, and above two refreshes or 10 ms. After it was
 * taken back, 16 frames do not count: what grows as it is subtracted is no offset.
 * late_ns: from the time given to the compositor to that of the sample. */
void es_wayland_learn(es_wayland_offset *offset, int64_t late_ns, int64_t period_ns);

/* Whether a library of this path may own the timer of a surface. */
bool es_wayland_owns(const char *library);

/* How good a presentation time is. flags: of the presented event: bit 0 vsync, 1 hardware clock, 2
 * hardware completion, 3 no copy. _HARDWARE: the first three; _VSYNC: the first; else _SOFTWARE;
 * _GUESSED where its clock cannot be read here. */
es_present_grade es_wayland_grade(uint32_t flags, bool clock_known);

/* A time or count that comes in two halves. */
uint64_t es_wayland_join(uint32_t high, uint32_t low);

#ifdef __cplusplus
}
#endif

#endif
