/* SPDX-License-Identifier: Zlib
 *
 * x11_present: when was a frame seen in this X11 window?
 *
 * Copy x11_present.h and x11_present.c into a project, or link evenstep_x11_present. It needs xcb,
 * xcb-present and xcb-randr, and nothing of SDL or GLFW but the window's number and the display's
 * name:
 *
 *     es_x11_present *x11 = es_x11_present_open(DisplayString(display), window, NULL);
 *     es_x11_present_note(x11, frame);            // before each swap
 *     n = es_x11_present_poll(x11, samples, 16);  // each frame
 *     es_x11_present_close(x11);
 *
 * Open it after SDL_CreateRenderer, or after the OpenGL context was made: SDL2 may replace the
 * native window there (SDL_RecreateWindow), and then this one listens to a window that is gone.
 *
 * The program presents by the Present extension, 1.0 or later, as OpenGL and Vulkan drivers do in
 * their swap; the adapter listens. Drivers that draw by other means (software OpenGL, indirect GLX)
 * never make an event: then there is silence, and `unanswered` grows.
 *
 * The adapter has a connection of its own. On the program's connection its events could be kept
 * apart (xcb's special event queues), its errors could not: Xlib would hand a BadWindow of ours to
 * the program's error handler, whose default ends the program. Also, reading on the program's
 * socket takes part in a queue that Xlib owns. A second connection costs one socket, and X allows
 * any client to select events of any window.
 *
 * What Present's time means: source and limits are in adapters/README.md. Nothing here waits
 * without a time-out, except inside xcb: connecting to a server that accepts and then never speaks.
 *
 * One thread at a time uses an adapter. Why nothing more will come is in es_x11_look.
 */
#ifndef EVENSTEP_ADAPTERS_X11_PRESENT_H
#define EVENSTEP_ADAPTERS_X11_PRESENT_H

#include "evenstep/evenstep.h"

/* How a call went. */
typedef enum es_x11_status {
    ES_X11_OK,
    ES_X11_NO_SERVER,    /* no connection, or it broke, or no answer in time */
    ES_X11_NO_EXTENSION, /* the server lacks Present */
    ES_X11_NO_WINDOW,    /* no such window, or it was destroyed */
    ES_X11_NO_MEMORY,
    ES_X11_INVALID /* an argument is out of range */
} es_x11_status;

/* What is known and what happened so far. Counts are since es_x11_present_open. */
typedef struct es_x11_look {
    es_x11_status status;   /* OK, or why nothing more will come */
    int width, height;      /* the window, px */
    int64_t refresh_ns;     /* of the monitor it is on, by RandR; 0: not announced */
    uint64_t msc;           /* the newest count of refreshes seen; 0: none yet */
    uint64_t requested;     /* frames noted */
    uint64_t presented;     /* samples with a time */
    uint64_t at_once;       /* of those: shown without waiting for a refresh, the time is guessed */
    uint64_t discarded;     /* samples without: replaced before they were seen */
    uint64_t unanswered;    /* given up after the time-out */
    uint64_t unmatched;     /* completions that belong to no frame: another presenter's */
    uint64_t lost;          /* samples overwritten because es_x11_present_poll came too late */
    uint64_t errors;        /* protocol errors the server sent to this adapter */
    int on_their_way;       /* frames requested and not answered, time-outs left out */
    uint32_t capabilities;  /* PresentQueryCapabilities, bits as in the protocol */
    uint32_t version_minor; /* of Present 1.x */
    bool local;             /* a Unix socket: the server's clock can be this machine's */
    bool xwayland;          /* not a display server of its own: time stamps are estimates */
} es_x11_look;

typedef struct es_x11_present es_x11_present;

#ifdef __cplusplus
extern "C" {
#endif

/* Connects and starts to listen. The window must exist in the server already: after creating it by
 * Xlib, XSync once (SDL2 does). Allocates; free it by es_x11_present_close.
 * display_name: as for XOpenDisplay, e.g. DisplayString(display); NULL: $DISPLAY.
 * window: SDL2: info.x11.window; GLFW: glfwGetX11Window.
 * status: may be NULL. A server that does not answer within 2 s is NO_SERVER. */
es_x11_present *es_x11_present_open(
        const char *display_name, uint32_t window, es_x11_status *status);

/* Ends the adapter and its connection. The window stays. present may be NULL. */
void es_x11_present_close(es_x11_present *present);

/* After how long a frame without an answer is given up: at least 1 ms; 1 s unless set. */
void es_x11_present_set_timeout(es_x11_present *present, int64_t timeout_ns);

/* Says which frame the program is about to swap. Call it before each swap, and never without one. Matching relies on drivers numbering their presents one by one
 * (Mesa's OpenGL and Vulkan do). Where the numbers start is learned from the first answers, so open
 * the adapter before the first swap; those answers are handed out when that is known, a few frames
 * later. If the driver numbers anew (another swap chain), three answers fit no frame, and it is
 * learned again from these. First answers that come after the time-out can be taken for those of
 * later frames, until three fit none. */
es_x11_status es_x11_present_note(es_x11_present *present, int64_t frame);

/* Takes what the server said since the last call, oldest first, also where the window or the server
 * is gone. Does not wait. Returns how many samples were written. */
int es_x11_present_poll(es_x11_present *present, es_present *samples, int max);

/* Waits until there is a sample to take. timeout_ns: 0 or less: does not
 * wait. False: the time is over, or nothing more will come. */
bool es_x11_present_wait(es_x11_present *present, int64_t timeout_ns);

/* The target_msc of a program that presents by PresentPixmap itself: the refresh nearest to
 * frame->target_ns, which is on CLOCK_MONOTONIC; if that is 0, target_refreshes after the frame before.
 * 0: at the next refresh; also at first, on a variable refresh and after a move to another output, where
 * counts do not tell times. Call it once per frame, after es_x11_present_note. */
uint64_t es_x11_present_target(es_x11_present *present, const es_frame *frame);

/* What is known and what was counted. Reads no events. */
es_x11_look es_x11_present_look(const es_x11_present *present);

/* Queries RandR at once for the refresh that the window's monitor announces. Waits for the server's
 * answers, 100 ms at most; without one the refresh stays as it was. The adapter queries by itself,
 * without waiting, after a change of mode and after the window was moved or resized (ten times a
 * second at most), as long as it is polled. Returns the period; 0: not announced (Xvfb, Xwayland
 * before 1.21, variable). */
int64_t es_x11_present_update_refresh(es_x11_present *present);

/* What a status means, as half a sentence for a person, such as "the window is gone". */
const char *es_x11_status_message(es_x11_status status);

/* ---- Private: the pure parts, for tests. */

/* How many serial numbers are kept. That bounds the frames on their way: a frame that was replaced
 * is reported at the refresh it was meant for, so an uncapped loop has hundreds. */
#define ES_X11_SERIALS 1024

typedef enum es_x11_slot_state {
    ES_X11_SLOT_FREE = 0, /* answered, or never used */
    ES_X11_SLOT_OPEN,     /* no answer yet */
    ES_X11_SLOT_EXPIRED   /* given up; its answer may still come */
} es_x11_slot_state;

/* A frame, as noted. */
typedef struct es_x11_slot {
    int64_t frame;
    int64_t noted_ns; /* when it was about to be presented */
    es_x11_slot_state state;
} es_x11_slot;

/* Whom a completion belongs to. */
typedef enum es_x11_owner {
    ES_X11_FOREIGN = 0, /* no frame of ours, or there is no anchor */
    ES_X11_LATE,        /* a frame that was given up */
    ES_X11_FRAME        /* a frame that waits for it */
} es_x11_owner;

/* Which serial number belongs to which frame. Serials count up by one per present and wrap at 2^32;
 * where they start is learned from the first completions. {0}: to be learned. */
typedef struct es_x11_serials {
    es_x11_slot slots[ES_X11_SERIALS];
    uint64_t noted;     /* frames so far; frame n is in slot n % ES_X11_SERIALS */
    uint64_t oldest;    /* none before this one is open */
    uint64_t forgotten; /* overwritten or given up without an answer */
    int open;           /* without an answer */
    uint32_t base;      /* the serial of frame 0 of the count, if anchored */
    int strays;         /* completions in a row that fitted no frame; counted to 3 */
    bool anchored;      /* base is known, from a completion, and may turn out wrong */
} es_x11_serials;

/* A frame is about to be presented. A full ring forgets its oldest. Returns the frame's serial; 0:
 * it is not known yet. */
uint32_t es_x11_serials_note(es_x11_serials *serials, int64_t frame, int64_t now_ns);

/* Learns where the serials start, from the first completions. The smallest serial is the oldest
 * open frame's: every present is completed, also one that was replaced, but those in flight
 * together in any order. So it takes as many completions as frames were in flight, without a hole
 * among them. False: more are needed, or no frame is open.
 * seen: the serials so far, all reported after the oldest open frame was noted; at least one.
 * least: how many frames were open when the first of them came.
 * force: decide now, whatever is missing. */
bool es_x11_serials_learn(
        es_x11_serials *serials, const uint32_t *seen, int count, int least, bool force);

/* When the oldest open frame was noted: completions reported earlier are of older presents.
 * INT64_MAX: no frame is open. */
int64_t es_x11_serials_oldest_ns(es_x11_serials *serials);

/* Finds the frame of a completion, closes it, and fills the slot unless it is foreign. An anchor
 * under which three completions in a row fit no frame is dropped, to be learned anew from those
 * three. An answer to a frame that was given up fits. */
es_x11_owner es_x11_serials_match(es_x11_serials *serials, uint32_t serial, es_x11_slot *slot);

/* Gives up the frames that were noted before a moment. Returns how many were open. */
int es_x11_serials_expire(es_x11_serials *serials, int64_t before_ns);

/* How good a completion's time is, never _HARDWARE: Present says no more than how the pixels got
 * there. A flip is synchronised; a copy went to a window that a compositor may show a refresh
 * later. Xwayland and displays without a refresh rate (Xvfb) time by software.
 * mode: as in the protocol (0 copy, 1 flip, 2 skip, 3 suboptimal copy).
 * timed: the completion carried a time on this machine's clock. */
es_present_grade es_x11_present_grade(uint8_t mode, int64_t refresh_ns, bool timed, bool xwayland);

/* Makes a sample of what a completion says true for frames that did not wait for a refresh.
 * Presents with PresentOptionAsync (Mesa: swap interval 0) are carried out at once, and reported
 * with the time and count of the refresh before: up to a whole refresh before the frame was
 * drawn, and the same for several frames. No display shows a frame before it is presented, so
 * that is how they are recognised: seen when the answer came, guessed, without a count. A frame
 * with the count of the one before keeps its time and loses the count. Returns whether it was shown
 * at once.
 * noted_ns: when the frame was about to be presented.
 * last_sequence: the count reported with the last frame that was shown, 0 at first; changed. */
bool es_x11_present_at_once(es_present *sample, int64_t noted_ns, uint64_t *last_sequence);

/* Counts of refreshes and their times. {0}: none. Reports that do not fit those before are of another
 * output or a variable refresh. A timer of whole ms (Xvfb) fits. A
 * count is taken once. */
typedef struct es_x11_counts {
    uint64_t msc, asked; /* reported; the newest target, 0: none */
    int64_t ust_ns;      /* of msc, smoothed */
    int64_t period_ns;   /* a mean */
    int steady;          /* reports that fit, to 16; one that does not halves it */
} es_x11_counts;

void es_x11_counts_take(es_x11_counts *counts, uint64_t msc, int64_t ust_ns);

/* announced_ns: RandR's, or 0. A period far from it is variable. */
uint64_t es_x11_counts_target(
        es_x11_counts *counts, int64_t target_ns, int32_t refreshes, int64_t announced_ns);

/* The period of a RandR mode, rounded; 0: unknown. The totals include blanking. doubled: each line
 * is scanned twice. interlaced: a refresh is half a frame. */
int64_t es_x11_mode_period(uint32_t dot_clock_hz, uint16_t total_width, uint16_t total_height,
        bool doubled, bool interlaced);

#ifdef __cplusplus
}
#endif

#endif
