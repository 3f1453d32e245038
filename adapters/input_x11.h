/* SPDX-License-Identifier: Zlib
 *
 * input_x11: Xlib's events as es_input_events. One header, to copy; needs X11/Xlib.h and
 * evenstep/evenstep.h.
 *
 *     es_input_config config = es_input_x11_config();
 *     es_input *input = es_input_create(&config);
 *     ...
 *     XNextEvent(display, &event);
 *     es_input_x11(input, &event, now_ns);
 *
 * What X11 can tell: when the server got the event from the kernel, in whole milliseconds of the
 * server's own time: 32 bits, which wrap after 49.7 days, from an origin that nobody knows. (Xorg
 * and Xwayland count CLOCK_MONOTONIC; the protocol promises nothing, and a server elsewhere has
 * another clock.) It cannot be read without a round trip, so what it is apart from the loop's is
 * estimated from the events. FocusOut has no time, and events that another client has sent
 * (XSendEvent) may have 0: these get when they were received.
 *
 * A key that is held repeats as release and press of the same time, unless the program has asked
 * for XkbSetDetectableAutoRepeat: ask for it, and repeats are presses that change nothing.
 */
#ifndef EVENSTEP_ADAPTERS_INPUT_X11_H
#define EVENSTEP_ADAPTERS_INPUT_X11_H

#include "evenstep/evenstep.h"
#include "evenstep/input.h"

#include <string.h>

#include <X11/Xlib.h>

/* Codes of buttons: a key is its keycode (8 to 255); then the pointer's (1 is the left one). 4 to 7
 * are a wheel: its clicks are MOVEs. Codes of axes; devices. */
enum {
    ES_INPUT_X11_POINTER_BUTTON = 256,
    ES_INPUT_X11_BUTTONS = 288,
    ES_INPUT_X11_X = 0,
    ES_INPUT_X11_Y,
    ES_INPUT_X11_WHEEL_X,
    ES_INPUT_X11_WHEEL_Y,
    ES_INPUT_X11_AXES,
    ES_INPUT_X11_KEYBOARD = 0,
    ES_INPUT_X11_POINTER = 1
};

/* For es_input_create. */
static inline es_input_config es_input_x11_config(void)
{
    es_input_config config;
    memset(&config, 0, sizeof config);
    config.buttons = ES_INPUT_X11_BUTTONS;
    config.axes = ES_INPUT_X11_AXES;
    config.stamps.unit_ns = ES_NS_PER_MS;
    config.stamps.bits = 32;
    config.stamps.other = true;
    return config;
}

/* Pointer buttons: 4 up, 5 down, 6 left, 7 right are a wheel. */
static inline int es_input_x11_button(const XButtonEvent *from, bool press, es_input_event *event)
{
    event->device = ES_INPUT_X11_POINTER;
    if (from->button >= 4 && from->button <= 7) {
        event->kind = ES_INPUT_MOVE;
        event->code = from->button < 6 ? ES_INPUT_X11_WHEEL_Y : ES_INPUT_X11_WHEEL_X;
        event->value = from->button == 4 || from->button == 7 ? 1.0 : -1.0;
        return press ? 1 : 0;
    }
    event->kind = press ? ES_INPUT_PRESS : ES_INPUT_RELEASE;
    event->code = ES_CAST_(uint16_t, ES_INPUT_X11_POINTER_BUTTON + from->button);
    return from->button < 32 ? 1 : 0;
}

/* Fills in all but the stamp; time: as the event has it, 0: it has none. */
static inline int es_input_x11_read(const XEvent *from, es_input_event events[2], Time *time)
{
    switch (from->type) {
    case KeyPress:
    case KeyRelease:
        events[0].kind = from->type == KeyPress ? ES_INPUT_PRESS : ES_INPUT_RELEASE;
        events[0].device = ES_INPUT_X11_KEYBOARD;
        events[0].code = ES_CAST_(uint16_t, from->xkey.keycode & 255U);
        *time = from->xkey.time;
        return 1;
    case ButtonPress:
    case ButtonRelease:
        *time = from->xbutton.time;
        return es_input_x11_button(&from->xbutton, from->type == ButtonPress, &events[0]);
    case MotionNotify:
        for (uint16_t i = 0; i < 2; ++i) {
            events[i].kind = ES_INPUT_PLACE;
            events[i].device = ES_INPUT_X11_POINTER;
            events[i].code = ES_CAST_(uint16_t, ES_INPUT_X11_X + i);
        }
        events[0].value = from->xmotion.x;
        events[1].value = from->xmotion.y;
        *time = from->xmotion.time;
        return 2;
    case FocusOut:
        events[0].kind = ES_INPUT_RESET;
        events[0].device = ES_INPUT_ALL;
        return from->xfocus.mode == NotifyNormal || from->xfocus.mode == NotifyWhileGrabbed ? 1 : 0;
    default:
        return 0;
    }
}

/* One of XNextEvent's. now_ns: the loop's clock now. Returns how many events it filled: 0 to 2 (a
 * motion's axes). */
static inline int es_input_from_x11(
        es_input *input, const XEvent *from, int64_t now_ns, es_input_event events[2])
{
    es_input_event none;
    memset(&none, 0, sizeof none);
    Time time = 0;
    events[0] = none;
    events[1] = none;
    int count = es_input_x11_read(from, events, &time);
    if (count > 0) {
        int64_t stamp_ns =
                time == 0 ? now_ns : es_input_stamp(input, ES_CAST_(uint64_t, time), now_ns);
        events[0].stamp_ns = stamp_ns;
        events[1].stamp_ns = stamp_ns;
    }
    return count;
}

/* Pushes one of Xlib's events; arguments as for es_input_from_x11. false: it is none for an
 * es_input. */
static inline bool es_input_x11(es_input *input, const XEvent *from, int64_t now_ns)
{
    es_input_event events[2];
    int count = es_input_from_x11(input, from, now_ns, events);
    for (int i = 0; i < count; ++i) {
        es_input_push(input, &events[i]);
    }
    return count > 0;
}

#endif
