/* SPDX-License-Identifier: Zlib
 *
 * input_browser: a browser's events, by Emscripten's html5.h, as es_input_events. One header, to
 * copy; needs emscripten/html5.h and evenstep/evenstep.h.
 *
 *     es_input_config config = es_input_browser_config(false);
 *     es_input *input = es_input_create(&config);
 *     ...
 *     es_input_stamp(input, es_input_browser_stamp(performance_now_ms), now_ns); // once a frame
 *     if (es_input_from_browser_key(input, type, from, now_ns, &event)) {
 *         es_input_push(input, &event);
 *     }
 *
 * What a browser can tell: Event.timeStamp, a DOMHighResTimeStamp: milliseconds since the page's
 * time origin, the clock of performance.now() and of requestAnimationFrame's argument. So a loop
 * that a host owns (es_loop_begin_host with those) has the same clock, and `same` may be said. It
 * is coarsened against timing attacks: to 100 us, to 5 us where the page is cross-origin isolated,
 * and in some settings to 16.7 or 100 ms (Firefox, resistFingerprinting). Events of one kind are
 * handed out once a frame, merged; PointerEvent.getCoalescedEvents() has those between, with their
 * stamps.
 */
#ifndef EVENSTEP_ADAPTERS_INPUT_BROWSER_H
#define EVENSTEP_ADAPTERS_INPUT_BROWSER_H

#include "evenstep/evenstep.h"
#include "evenstep/input.h"

#include <string.h>

#include <emscripten/html5.h>

/* Codes of buttons: keyCode (up to 255), then the mouse's (0 is the left one). Axes; devices. */
enum {
    ES_INPUT_BROWSER_MOUSE = 256,
    ES_INPUT_BROWSER_BUTTONS = 272,
    ES_INPUT_BROWSER_X = 0,
    ES_INPUT_BROWSER_Y,
    ES_INPUT_BROWSER_WHEEL_X,
    ES_INPUT_BROWSER_WHEEL_Y,
    ES_INPUT_BROWSER_AXES,
    ES_INPUT_BROWSER_KEYBOARD = 0,
    ES_INPUT_BROWSER_POINTER = 1
};

/* For es_input_create. same: the loop's clock is performance.now() or requestAnimationFrame's, in
 * ns. */
static inline es_input_config es_input_browser_config(bool same)
{
    es_input_config config;
    memset(&config, 0, sizeof config);
    config.buttons = ES_INPUT_BROWSER_BUTTONS;
    config.axes = ES_INPUT_BROWSER_AXES;
    config.stamps.unit_ns = ES_NS_PER_US;
    config.stamps.resolution_ns = 100 * ES_NS_PER_US;
    config.stamps.other = !same;
    return config;
}

/* A DOMHighResTimeStamp in whole microseconds, for es_input_stamp; below 0 (or no number) is 0. */
static inline uint64_t es_input_browser_stamp(double ms)
{
    return ms > 0.0 && ms < 9e15 ? ES_CAST_(uint64_t, ms * 1000.0) : 0;
}

/* A key: EMSCRIPTEN_EVENT_KEYDOWN or _KEYUP. now_ns: the loop's clock now. False: a repeat, or a
 * key without a number; event is not filled. */
static inline bool es_input_from_browser_key(es_input *input, int type,
        const EmscriptenKeyboardEvent *from, int64_t now_ns, es_input_event *event)
{
    es_input_event made;
    memset(&made, 0, sizeof made);
    if (from->repeat || from->keyCode >= ES_INPUT_BROWSER_MOUSE) {
        return false;
    }
    made.kind = type == EMSCRIPTEN_EVENT_KEYDOWN ? ES_INPUT_PRESS : ES_INPUT_RELEASE;
    made.device = ES_INPUT_BROWSER_KEYBOARD;
    made.code = ES_CAST_(uint16_t, from->keyCode);
    made.stamp_ns = es_input_stamp(input, es_input_browser_stamp(from->timestamp), now_ns);
    *event = made;
    return true;
}

/* The mouse: EMSCRIPTEN_EVENT_MOUSEDOWN, _MOUSEUP or _MOUSEMOVE. Returns how many events it filled:
 * 0 to 2 (a motion's axes). */
static inline int es_input_from_browser_mouse(es_input *input, int type,
        const EmscriptenMouseEvent *from, int64_t now_ns, es_input_event events[2])
{
    es_input_event made;
    memset(&made, 0, sizeof made);
    bool moved = type == EMSCRIPTEN_EVENT_MOUSEMOVE;
    made.device = ES_INPUT_BROWSER_POINTER;
    made.kind = type == EMSCRIPTEN_EVENT_MOUSEDOWN ? ES_INPUT_PRESS : ES_INPUT_RELEASE;
    made.code = ES_CAST_(uint16_t, ES_INPUT_BROWSER_MOUSE + from->button);
    if (!moved && from->button >= 16) {
        return 0;
    }
    made.stamp_ns = es_input_stamp(input, es_input_browser_stamp(from->timestamp), now_ns);
    events[0] = made;
    if (moved) {
        events[0].kind = ES_INPUT_MOVE;
        events[1] = events[0];
        events[0].code = ES_INPUT_BROWSER_X;
        events[1].code = ES_INPUT_BROWSER_Y;
        events[0].value = ES_CAST_(double, from->movementX);
        events[1].value = ES_CAST_(double, from->movementY);
    }
    return moved ? 2 : 1;
}

/* The page has lost the focus (blur), or is hidden: everything is released. */
static inline es_input_event es_input_from_browser_blur(int64_t now_ns)
{
    es_input_event event;
    memset(&event, 0, sizeof event);
    event.kind = ES_INPUT_RESET;
    event.device = ES_INPUT_ALL;
    event.stamp_ns = now_ns;
    return event;
}

#endif
