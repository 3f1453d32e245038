/* SPDX-License-Identifier: Zlib
 *
 * es_feedback: when frames of a window were seen, for es_sdl2.h, es_sdl3.h and es_glfw.h. They
 * include it if one of these is defined:
 *   ES_FEEDBACK_X11      compile x11_present.c; link xcb, xcb-present, xcb-randr
 *   ES_FEEDBACK_WAYLAND  compile wayland_presentation.c and what wayland-scanner makes of
 *                        presentation-time.xml (README.md); link wayland-client
 * Beside it:
 *   ES_FEEDBACK_TARGETS  frames ask to be seen at es_frame.target_ns. Only if nobody else times the
 *                        window: see wayland_presentation.h
 *
 * Where the window system reports nothing, these functions do nothing. On X11 reports come only if
 * the driver presents by the Present extension: Mesa with direct rendering does.
 */
#ifndef EVENSTEP_ADAPTERS_ES_FEEDBACK_H
#define EVENSTEP_ADAPTERS_ES_FEEDBACK_H

#include "evenstep/evenstep.h"

#ifdef ES_FEEDBACK_X11
#include "x11_present.h"
#endif
#ifdef ES_FEEDBACK_WAYLAND
#include "wayland_presentation.h"
#endif

/* Samples per call, and ms until a request without an answer is given up. */
enum { ES_FEEDBACK_SAMPLES = 16, ES_FEEDBACK_TIMEOUT_MS = 500 };

/* {0}: nothing reports. */
typedef struct es_feedback_source {
#ifdef ES_FEEDBACK_X11
    es_x11_present *x11;
#endif
#ifdef ES_FEEDBACK_WAYLAND
    es_wayland_presentation *wayland;
#endif
    es_targets targets; /* as the loop was told */
} es_feedback_source;

#ifdef ES_FEEDBACK_X11
/* display_name: DisplayString(display). The window exists in the server (XSync). */
static inline void es_feedback_open_x11(
        es_feedback_source *feedback, const char *display_name, uint32_t window)
{
    feedback->x11 = es_x11_present_open(display_name, window, NULL);
}
#endif

#ifdef ES_FEEDBACK_WAYLAND
static inline void es_feedback_open_wayland(
        es_feedback_source *feedback, struct wl_display *display, struct wl_surface *surface)
{
    feedback->wayland =
            es_wayland_presentation_open(display, surface, ES_FEEDBACK_TIMEOUT_MS, NULL);
#ifdef ES_FEEDBACK_TARGETS
    if (feedback->wayland != NULL) {
        es_wayland_presentation_obey(feedback->wayland);
    }
#endif
}
#endif

/* Directly before the frame is presented, and only then.
 * target_ns: es_frame.target_ns. */
static inline void es_feedback_before_present(
        es_feedback_source *feedback, int64_t frame_index, int64_t target_ns)
{
    (void)target_ns;
#ifdef ES_FEEDBACK_X11
    if (feedback->x11 != NULL) {
        es_x11_present_note(feedback->x11, frame_index);
    }
#endif
#ifdef ES_FEEDBACK_WAYLAND
    if (feedback->wayland != NULL) {
        es_wayland_presentation_before_commit_at(feedback->wayland, frame_index, target_ns);
    }
#endif
}

/* Tells the loop what the window system does with targets, where that has changed. */
static inline void es_feedback_tell_(
        es_feedback_source *feedback, es_loop *loop, const es_targets *targets)
{
    const es_targets *told = &feedback->targets;
    if (told->times != targets->times || told->refreshes != targets->refreshes
            || told->deadline_ns != targets->deadline_ns || told->ahead_ns != targets->ahead_ns) {
        feedback->targets = *targets;
        es_loop_set_targets(loop, targets);
    }
}

/* Passes what has been reported to the loop, and what is done with targets. */
static inline void es_feedback_take(es_feedback_source *feedback, es_loop *loop)
{
    es_present samples[ES_FEEDBACK_SAMPLES];
    int count = 0;
#ifdef ES_FEEDBACK_X11
    if (feedback->x11 != NULL) {
        count = es_x11_present_poll(feedback->x11, samples, ES_FEEDBACK_SAMPLES);
    }
#endif
#ifdef ES_FEEDBACK_WAYLAND
    if (feedback->wayland != NULL) {
        es_targets targets = es_wayland_presentation_targets(feedback->wayland);
        count = es_wayland_presentation_poll(feedback->wayland, samples, ES_FEEDBACK_SAMPLES);
        es_feedback_tell_(feedback, loop, &targets);
    }
#endif
    for (int i = 0; i < count; ++i) {
        es_loop_presented(loop, &samples[i]);
    }
}

/* Before the window is destroyed. */
static inline void es_feedback_close(es_feedback_source *feedback)
{
#ifdef ES_FEEDBACK_X11
    es_x11_present_close(feedback->x11);
    feedback->x11 = NULL;
#endif
#ifdef ES_FEEDBACK_WAYLAND
    es_wayland_presentation_close(feedback->wayland);
    feedback->wayland = NULL;
#endif
}

#endif
