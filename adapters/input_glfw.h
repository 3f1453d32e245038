/* SPDX-License-Identifier: Zlib
 *
 * input_glfw: GLFW's callbacks as es_input_events. One header, to copy; needs GLFW/glfw3.h and
 * evenstep/evenstep.h.
 *
 *     static void on_key(GLFWwindow *window, int key, int scancode, int action, int mods)
 *     {
 *         es_input_event event;
 *         int64_t now_ns = clock.now_ns(clock.user);
 *         if (es_input_from_glfw_key(key, action, now_ns, &event)) {
 *             es_input_push(input, &event);
 *         }
 *     }
 *
 * What GLFW can tell: nothing. Its callbacks have no time (glfw/glfw#1186, #2101), so an event's
 * stamp is when glfwPollEvents called. Poll more often than once a frame, or
 * with glfwWaitEventsTimeout while the loop waits, and stamps are that much better.
 */
#ifndef EVENSTEP_ADAPTERS_INPUT_GLFW_H
#define EVENSTEP_ADAPTERS_INPUT_GLFW_H

#include "evenstep/evenstep.h"
#include "evenstep/input.h"

#include <string.h>

#include <GLFW/glfw3.h>

/* Codes of buttons: a key is GLFW's number for it; then the mouse's. Codes of axes; devices. */
enum {
    ES_INPUT_GLFW_MOUSE = 512,
    ES_INPUT_GLFW_BUTTONS = 520,
    ES_INPUT_GLFW_X = 0,
    ES_INPUT_GLFW_Y,
    ES_INPUT_GLFW_SCROLL_X,
    ES_INPUT_GLFW_SCROLL_Y,
    ES_INPUT_GLFW_AXES,
    ES_INPUT_GLFW_KEYBOARD = 0,
    ES_INPUT_GLFW_POINTER = 1
};

/* For es_input_create. */
static inline es_input_config es_input_glfw_config(void)
{
    es_input_config config;
    memset(&config, 0, sizeof config);
    config.buttons = ES_INPUT_GLFW_BUTTONS;
    config.axes = ES_INPUT_GLFW_AXES;
    return config;
}

static inline es_input_event es_input_glfw_event(
        es_input_kind kind, int device, int code, int64_t now_ns)
{
    es_input_event event;
    memset(&event, 0, sizeof event);
    event.stamp_ns = now_ns;
    event.kind = kind;
    event.device = (uint16_t)device;
    event.code = (uint16_t)code;
    return event;
}

/* A key (GLFWkeyfun).
 * key, action: as GLFW gives them.
 * now_ns: the loop's clock now.
 * event: filled when the answer is true; not NULL.
 * Returns false: a repeat, or a key that GLFW has no number for.
 * Threads: GLFW's. */
static inline bool es_input_from_glfw_key(
        int key, int action, int64_t now_ns, es_input_event *event)
{
    bool known = key >= 0 && key < ES_INPUT_GLFW_MOUSE && action != GLFW_REPEAT;
    if (known) {
        es_input_kind kind = action == GLFW_PRESS ? ES_INPUT_PRESS : ES_INPUT_RELEASE;
        *event = es_input_glfw_event(kind, ES_INPUT_GLFW_KEYBOARD, key, now_ns);
    }
    return known;
}

/* A button of the mouse (GLFWmousebuttonfun).
 * button, action: as GLFW gives them.
 * now_ns: the loop's clock now.
 * event: filled when the answer is true; not NULL.
 * Returns false: there is no such button.
 * Threads: GLFW's. */
static inline bool es_input_from_glfw_button(
        int button, int action, int64_t now_ns, es_input_event *event)
{
    bool known = button >= 0 && button <= GLFW_MOUSE_BUTTON_LAST;
    if (known) {
        es_input_kind kind = action == GLFW_PRESS ? ES_INPUT_PRESS : ES_INPUT_RELEASE;
        *event = es_input_glfw_event(
                kind, ES_INPUT_GLFW_POINTER, ES_INPUT_GLFW_MOUSE + button, now_ns);
    }
    return known;
}

/* Where the cursor is (GLFWcursorposfun), or by how much it was scrolled (GLFWscrollfun): two
 * events, for the two axes.
 * scrolled: false: a position; true: a scroll.
 * x, y: as GLFW gives them.
 * now_ns: the loop's clock now.
 * events: two of them; not NULL.
 * Threads: GLFW's. */
static inline void es_input_from_glfw_cursor(
        bool scrolled, double x, double y, int64_t now_ns, es_input_event events[2])
{
    es_input_kind kind = scrolled ? ES_INPUT_MOVE : ES_INPUT_PLACE;
    int first = scrolled ? ES_INPUT_GLFW_SCROLL_X : ES_INPUT_GLFW_X;
    events[0] = es_input_glfw_event(kind, ES_INPUT_GLFW_POINTER, first, now_ns);
    events[1] = es_input_glfw_event(kind, ES_INPUT_GLFW_POINTER, first + 1, now_ns);
    events[0].value = x;
    events[1].value = y;
}

/* The window has, or has lost, the focus (GLFWwindowfocusfun).
 * focused: as GLFW gives it.
 * now_ns: the loop's clock now.
 * event: filled when the answer is true; not NULL.
 * Returns true: it was lost, everything is let go.
 * Threads: GLFW's. */
static inline bool es_input_from_glfw_focus(int focused, int64_t now_ns, es_input_event *event)
{
    if (focused == GLFW_FALSE) {
        *event = es_input_glfw_event(ES_INPUT_RESET, ES_INPUT_ALL, 0, now_ns);
    }
    return focused == GLFW_FALSE;
}

#endif
