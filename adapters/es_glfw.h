/* SPDX-License-Identifier: Zlib
 *
 * es_glfw: Evenstep in a window of GLFW 3. One header, to copy; needs GLFW 3.3, evenstep.c and
 * evenstep_input.c.
 *
 *     es_glfw es;
 *     if (!es_glfw_open(&es, window, NULL)) {                // after your own glfwSet...Callback
 *         fprintf(stderr, "%s\n", es_get_error());
 *     }
 *     es_glfw_vsync(&es, true);                              // instead of glfwSwapInterval(1)
 *     es_frame frame;
 *     while (!glfwWindowShouldClose(window) && es_glfw_next(&es, &frame)) { // waits
 *         es_glfw_poll(&es);                                 // instead of glfwPollEvents
 *         for (int i = 0; i < frame.ticks; ++i) {
 *             es_step step = es_glfw_step(&es, &frame, i);   // with the input of this tick
 *             if (es_input_pressed(es.input, GLFW_KEY_SPACE)) {
 *                 jump(&current);
 *             }
 *             update(&current, step.dt_s);
 *         }
 *         if (frame.visible) {
 *             draw(&previous, &current, frame.alpha);
 *             es_glfw_submit(&es, &frame);
 *             glfwSwapBuffers(window);                       // waits, with vsync
 *         }
 *     }
 *     es_glfw_close(&es);
 *
 * Pass es.loop and es.input to the functions of evenstep.h and input.h. The main thread calls all
 * functions of this header. With an es_glfw that is all 0, as after es_glfw_close, they do nothing and
 * return false or 0. config.clock stays 0: events have stamps of the system's clock.
 *
 * GLFW's events have no time (glfw/glfw#1186): an event's stamp is when es_glfw_poll received it.
 * Gamepads have no events: read them with glfwGetGamepadState, and push changes
 * with codes from ES_GLFW_FREE_BUTTON and ES_GLFW_FREE_AXIS.
 *
 * The window's user pointer stays the program's. es_glfw_open keeps the callbacks of keys, mouse
 * buttons, cursor, scroll and focus that the program has set, and calls them after its own. Do not
 * move or copy an open es_glfw: a static list of this source file points to it.
 *
 * Feedback: define ES_FEEDBACK_X11 or ES_FEEDBACK_WAYLAND before the include: see es_feedback.h.
 * With GLFW 3.3 define the one that GLFW was built for, with 3.4 one or both.
 */
#ifndef EVENSTEP_ADAPTERS_ES_GLFW_H
#define EVENSTEP_ADAPTERS_ES_GLFW_H

#include "evenstep/evenstep.h"
#include "evenstep/input.h"

#include <string.h>

#include <GLFW/glfw3.h>

#if GLFW_VERSION_MAJOR * 100 + GLFW_VERSION_MINOR < 303
#error "es_glfw.h needs GLFW 3.3 or later"
#endif

#if defined(ES_FEEDBACK_X11) || defined(ES_FEEDBACK_WAYLAND)
#define ES_GLFW_FEEDBACK
#include "es_feedback.h"

#if defined(ES_FEEDBACK_X11) && !defined(GLFW_EXPOSE_NATIVE_X11)
#define GLFW_EXPOSE_NATIVE_X11
#endif
#if defined(ES_FEEDBACK_WAYLAND) && !defined(GLFW_EXPOSE_NATIVE_WAYLAND)
#define GLFW_EXPOSE_NATIVE_WAYLAND
#endif
#include <GLFW/glfw3native.h>
#endif

/* Codes of buttons: a key is GLFW's number for it; then the buttons of a mouse (ES_GLFW_MOUSE +
 * GLFW_MOUSE_BUTTON_LEFT). Codes of axes; devices. */
enum {
    ES_GLFW_MOUSE = 512,
    ES_GLFW_FREE_BUTTON = 520, /* and on: for the program, such as a gamepad */
    ES_GLFW_BUTTONS = 576,
    ES_GLFW_X = 0, /* where the cursor is, in screen coordinates */
    ES_GLFW_Y,
    ES_GLFW_SCROLL_X, /* how far it was scrolled */
    ES_GLFW_SCROLL_Y,
    ES_GLFW_FREE_AXIS,
    ES_GLFW_AXES = 16,
    ES_GLFW_KEYBOARD = 0,
    ES_GLFW_POINTER = 1
};

/* How often es_glfw_poll looks at a visible window and its monitor: 0.4 ms of round trips on Xvfb. */
enum { ES_GLFW_LOOK_MS = 100 };

typedef struct es_glfw {
    es_loop *loop;
    es_input *input;
    GLFWwindow *window;
    bool announces; /* config.refresh was 0: it follows the monitor under the window's centre */
    uint32_t announced_hz;
    int64_t look_ns; /* when to look again */
    int interval;    /* the swap interval as set by es_glfw_vsync and es_glfw_submit; 0: none is */
    GLFWkeyfun key;  /* the program's callbacks, or NULL */
    GLFWmousebuttonfun button;
    GLFWcursorposfun cursor;
    GLFWscrollfun scroll;
    GLFWwindowfocusfun focus;
    void (*restore)(struct es_glfw *es); /* of the source file whose callbacks are installed */
    struct es_glfw *next;
#ifdef ES_GLFW_FEEDBACK
    es_feedback_source feedback;
#endif
} es_glfw;

/* --- callbacks --------------------------------------------------------------------------------- */

static inline es_glfw **es_glfw_first_(void)
{
    static es_glfw *first = NULL;
    return &first;
}

/* An open es_glfw: this one, or this window's. NULL: there is none. */
static inline es_glfw *es_glfw_find_(const es_glfw *es, const GLFWwindow *window)
{
    es_glfw *at = *es_glfw_first_();
    while (at != NULL && at != es && at->window != window) {
        at = at->next;
    }
    return at;
}

static inline void es_glfw_push_(
        const es_glfw *es, es_input_kind kind, int device, int code, double value)
{
    es_input_event event;
    memset(&event, 0, sizeof event);
    event.stamp_ns = es_now_ns();
    event.kind = kind;
    event.device = ES_CAST_(uint16_t, device);
    event.code = ES_CAST_(uint16_t, code);
    event.value = value;
    es_input_push(es->input, &event);
}

/* inside: a callback that was set around an es_glfw, closed since, leads from the next one back here. */
static inline void es_glfw_key_(GLFWwindow *window, int key, int scancode, int action, int mods)
{
    static bool inside = false;
    es_glfw *es = es_glfw_find_(NULL, window);
    if (es == NULL || inside) {
        return;
    }
    if (key >= 0 && key < ES_GLFW_MOUSE && action != GLFW_REPEAT) { /* -1: without a number */
        es_input_kind kind = action == GLFW_PRESS ? ES_INPUT_PRESS : ES_INPUT_RELEASE;
        es_glfw_push_(es, kind, ES_GLFW_KEYBOARD, key, 0);
    }
    if (es->key != NULL) {
        inside = true;
        es->key(window, key, scancode, action, mods);
        inside = false;
    }
}

static inline void es_glfw_button_(GLFWwindow *window, int button, int action, int mods)
{
    static bool inside = false;
    es_glfw *es = es_glfw_find_(NULL, window);
    if (es == NULL || inside) {
        return;
    }
    if (button >= 0 && button <= GLFW_MOUSE_BUTTON_LAST) {
        es_input_kind kind = action == GLFW_PRESS ? ES_INPUT_PRESS : ES_INPUT_RELEASE;
        es_glfw_push_(es, kind, ES_GLFW_POINTER, ES_GLFW_MOUSE + button, 0);
    }
    if (es->button != NULL) {
        inside = true;
        es->button(window, button, action, mods);
        inside = false;
    }
}

static inline void es_glfw_cursor_(GLFWwindow *window, double x, double y)
{
    static bool inside = false;
    es_glfw *es = es_glfw_find_(NULL, window);
    if (es == NULL || inside) {
        return;
    }
    es_glfw_push_(es, ES_INPUT_PLACE, ES_GLFW_POINTER, ES_GLFW_X, x);
    es_glfw_push_(es, ES_INPUT_PLACE, ES_GLFW_POINTER, ES_GLFW_Y, y);
    if (es->cursor != NULL) {
        inside = true;
        es->cursor(window, x, y);
        inside = false;
    }
}

static inline void es_glfw_scroll_(GLFWwindow *window, double x, double y)
{
    static bool inside = false;
    es_glfw *es = es_glfw_find_(NULL, window);
    if (es == NULL || inside) {
        return;
    }
    es_glfw_push_(es, ES_INPUT_MOVE, ES_GLFW_POINTER, ES_GLFW_SCROLL_X, x);
    es_glfw_push_(es, ES_INPUT_MOVE, ES_GLFW_POINTER, ES_GLFW_SCROLL_Y, y);
    if (es->scroll != NULL) {
        inside = true;
        es->scroll(window, x, y);
        inside = false;
    }
}

static inline void es_glfw_focus_(GLFWwindow *window, int focused)
{
    static bool inside = false;
    es_glfw *es = es_glfw_find_(NULL, window);
    if (es == NULL || inside) {
        return;
    }
    if (focused == GLFW_FALSE) {
        es_glfw_push_(es, ES_INPUT_RESET, ES_INPUT_ALL, 0, 0);
    }
    if (es->focus != NULL) {
        inside = true;
        es->focus(window, focused);
        inside = false;
    }
}

/* A callback that was set later stays: it may be another library's, which calls ours. */
static inline void es_glfw_restore_(es_glfw *es)
{
    es_glfw **at = es_glfw_first_();
    while (*at != NULL && *at != es) {
        at = &(*at)->next;
    }
    if (*at != NULL) {
        *at = es->next;
    }
    GLFWkeyfun key = glfwSetKeyCallback(es->window, es->key);
    if (key != es_glfw_key_) {
        glfwSetKeyCallback(es->window, key);
    }
    GLFWmousebuttonfun button = glfwSetMouseButtonCallback(es->window, es->button);
    if (button != es_glfw_button_) {
        glfwSetMouseButtonCallback(es->window, button);
    }
    GLFWcursorposfun cursor = glfwSetCursorPosCallback(es->window, es->cursor);
    if (cursor != es_glfw_cursor_) {
        glfwSetCursorPosCallback(es->window, cursor);
    }
    GLFWscrollfun scroll = glfwSetScrollCallback(es->window, es->scroll);
    if (scroll != es_glfw_scroll_) {
        glfwSetScrollCallback(es->window, scroll);
    }
    GLFWwindowfocusfun focus = glfwSetWindowFocusCallback(es->window, es->focus);
    if (focus != es_glfw_focus_) {
        glfwSetWindowFocusCallback(es->window, focus);
    }
}

static inline void es_glfw_install_(es_glfw *es)
{
    es->restore = es_glfw_restore_;
    es->next = *es_glfw_first_();
    *es_glfw_first_() = es;
    es->key = glfwSetKeyCallback(es->window, es_glfw_key_);
    es->button = glfwSetMouseButtonCallback(es->window, es_glfw_button_);
    es->cursor = glfwSetCursorPosCallback(es->window, es_glfw_cursor_);
    es->scroll = glfwSetScrollCallback(es->window, es_glfw_scroll_);
    es->focus = glfwSetWindowFocusCallback(es->window, es_glfw_focus_);
}

/* --- a loop in a window ------------------------------------------------------------------------ */

static inline bool es_glfw_is_wayland_(void)
{
#if GLFW_VERSION_MAJOR * 100 + GLFW_VERSION_MINOR >= 304
    return glfwGetPlatform() == GLFW_PLATFORM_WAYLAND;
#else
    return strstr(glfwGetVersionString(), "Wayland") != NULL;
#endif
}

/* The monitor under the window's centre. Wayland does not tell where a window is. NULL: not known. */
static inline GLFWmonitor *es_glfw_monitor_(GLFWwindow *window)
{
    int count = 0;
    int x = 0, y = 0, width = 0, height = 0;
    GLFWmonitor *full = glfwGetWindowMonitor(window);
    GLFWmonitor **monitors = glfwGetMonitors(&count);
    if (full != NULL || count == 1) {
        return full != NULL ? full : monitors[0];
    }
    if (count == 0 || es_glfw_is_wayland_()) {
        return NULL;
    }
    glfwGetWindowPos(window, &x, &y);
    glfwGetWindowSize(window, &width, &height);
    for (int i = 0; i < count; ++i) {
        int left = 0, top = 0;
        const GLFWvidmode *mode = glfwGetVideoMode(monitors[i]);
        glfwGetMonitorPos(monitors[i], &left, &top);
        int to_right = x + width / 2 - left;
        int down = y + height / 2 - top;
        if (mode != NULL && to_right >= 0 && to_right < mode->width && down >= 0
                && down < mode->height) {
            return monitors[i];
        }
    }
    return NULL;
}

/* The rate that the window's monitor announces, in whole Hz: 59 for 59.94. {0, 0}: none. */
static inline es_rate es_glfw_refresh_(GLFWwindow *window)
{
    es_rate refresh = {0, 0};
    GLFWmonitor *monitor = es_glfw_monitor_(window);
    const GLFWvidmode *mode = monitor != NULL ? glfwGetVideoMode(monitor) : NULL;
    if (mode != NULL && mode->refreshRate > 0) {
        refresh = es_hz(mode->refreshRate);
    }
    return refresh;
}

/* Passes on whether the window can be seen, and another refresh rate. */
static inline void es_glfw_look_(es_glfw *es, int64_t now_ns)
{
    bool seen = glfwGetWindowAttrib(es->window, GLFW_VISIBLE) != GLFW_FALSE
                && glfwGetWindowAttrib(es->window, GLFW_ICONIFIED) == GLFW_FALSE;
    es_loop_set_visible(es->loop, seen);
    es->look_ns = seen ? now_ns + ES_GLFW_LOOK_MS * ES_NS_PER_MS : now_ns;
    if (es->announces && seen) {
        es_rate refresh = es_glfw_refresh_(es->window);
        if (refresh.numerator != es->announced_hz) {
            es_loop_config config = es_loop_get_config(es->loop);
            es->announced_hz = refresh.numerator;
            config.refresh = refresh;
            es_loop_configure(es->loop, &config);
        }
    }
}

/* GLFW does not tell whether a driver has taken an interval. On Wayland EGL limits it to 1. */
static inline void es_glfw_interval_(es_glfw *es, int interval)
{
    if (interval > 0 && interval != es->interval && glfwGetCurrentContext() == es->window) {
        glfwSwapInterval(interval);
        es->interval = interval;
    }
}

/* glfwSwapInterval of 1 or 0, in the open window, whose context is current. After true es_glfw_submit
 * sets the interval to frame.target_refreshes, and es_glfw_close to 1 again. Then call glfwSwapInterval
 * no more. A program that never calls es_glfw_vsync keeps its interval. */
static inline void es_glfw_vsync(es_glfw *es, bool on)
{
    es_targets targets;
    memset(&targets, 0, sizeof targets);
    if (es->loop != NULL && glfwGetCurrentContext() == es->window) {
        glfwSwapInterval(on ? 1 : 0);
        es->interval = on && !es_glfw_is_wayland_() ? 1 : 0;
        targets.refreshes = es->interval != 0;
        es_loop_set_targets(es->loop, &targets);
    }
}

#ifdef ES_GLFW_FEEDBACK
static inline void es_glfw_open_feedback_(es_glfw *es)
{
#ifdef ES_FEEDBACK_X11
    if (!es_glfw_is_wayland_() && glfwGetX11Display() != NULL) {
        es_feedback_open_x11(&es->feedback, DisplayString(glfwGetX11Display()),
                ES_CAST_(uint32_t, glfwGetX11Window(es->window)));
    }
#endif
#ifdef ES_FEEDBACK_WAYLAND
    if (es_glfw_is_wayland_() && glfwGetWaylandDisplay() != NULL) {
        es_feedback_open_wayland(
                &es->feedback, glfwGetWaylandDisplay(), glfwGetWaylandWindow(es->window));
    }
#endif
}
#endif

/* Frees everything, and puts the program's callbacks back. Call it before glfwDestroyWindow. */
static inline void es_glfw_close(es_glfw *es)
{
    if (es->interval > 1) {
        es_glfw_interval_(es, 1);
    }
    if (es->restore != NULL) {
        es->restore(es);
    }
#ifdef ES_GLFW_FEEDBACK
    es_feedback_close(&es->feedback);
#endif
    es_input_destroy(es->input);
    es_loop_destroy(es->loop);
    memset(es, 0, sizeof *es);
}

/* Creates a loop and an input for a window, and installs callbacks. An es_glfw of this source file
 * that has the window already is closed.
 * es: any bytes.
 * config: NULL: the default. If its refresh is 0, the rate that the monitor announces is used, and
 *   followed.
 * false: es_get_error says why, or window is NULL; es is all 0. */
static inline bool es_glfw_open(es_glfw *es, GLFWwindow *window, const es_loop_config *config)
{
    es_loop_config own;
    es_input_config keys;
    es_glfw *other = es_glfw_find_(es, window);
    while (other != NULL) {
        es_glfw_close(other);
        other = es_glfw_find_(es, window);
    }
    memset(es, 0, sizeof *es);
    memset(&own, 0, sizeof own);
    memset(&keys, 0, sizeof keys);
    if (window == NULL) {
        return false;
    }
    if (config != NULL) {
        own = *config;
    }
    es->announces = own.refresh.numerator == 0 && own.refresh.denominator == 0
                    && (own.pace == ES_PACE_AUTO || own.pace == ES_PACE_PRESENT);
    if (es->announces) {
        own.refresh = es_glfw_refresh_(window);
        es->announced_hz = own.refresh.numerator;
    }
    keys.buttons = ES_GLFW_BUTTONS;
    keys.axes = ES_GLFW_AXES;
    es->window = window;
    es->loop = es_loop_create(&own);
    es->input = es->loop != NULL ? es_input_create(&keys) : NULL;
    if (es->input == NULL) {
        es_glfw_close(es);
        return false;
    }
    es_glfw_install_(es);
    es_glfw_look_(es, es_now_ns()); /* it may be hidden */
#ifdef ES_GLFW_FEEDBACK
    es_glfw_open_feedback_(es); /* the server has the window: es_glfw_look_ has waited for it */
#endif
    return true;
}

/* glfwPollEvents: keys and mouse go to es.input, a hidden window and another monitor to es.loop. GLFW
 * does not report a window that others cover, and on Wayland none that is minimised. */
static inline void es_glfw_poll(es_glfw *es)
{
    if (es->loop == NULL) {
        return;
    }
    glfwPollEvents();
    glfwPollEvents(); /* X11: the first reads no new ones where a size query has queued some */
    int64_t now_ns = es_now_ns();
    if (es->loop != NULL && now_ns >= es->look_ns) { /* a callback may have closed it */
        es_glfw_look_(es, now_ns);
    }
}

/* es_loop_next: ends the last frame, waits if it must, and plans the next. Poll events after it. */
static inline bool es_glfw_next(es_glfw *es, es_frame *frame)
{
#ifdef ES_GLFW_FEEDBACK
    es_feedback_take(&es->feedback, es->loop);
#endif
    return es_loop_next(es->loop, frame);
}

/* es_frame_step of tick i of the frame. es.input then answers for this tick. */
static inline es_step es_glfw_step(es_glfw *es, const es_frame *frame, int i)
{
    es_step step = es_frame_step(frame, i);
    es_input_tick(es->input, &step);
    return step;
}

/* es_loop_submit: drawing is done. Call glfwSwapBuffers directly after it, unless frame.visible is
 * false. */
static inline void es_glfw_submit(es_glfw *es, const es_frame *frame)
{
    if (es->interval != 0 && frame->visible) {
        es_glfw_interval_(es, frame->target_refreshes);
    }
    es_loop_submit(es->loop);
#ifdef ES_GLFW_FEEDBACK
    if (frame->visible) {
        es_feedback_before_present(&es->feedback, frame->index, frame->target_ns);
    }
#endif
}

#endif
