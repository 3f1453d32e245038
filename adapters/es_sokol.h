/* SPDX-License-Identifier: Zlib
 *
 * es_sokol: Evenstep under sokol_app.h, which calls the program once per frame. One header, to
 * copy; needs sokol_app.h (include it first if it is not in the include path), evenstep.c and
 * evenstep_input.c.
 *
 *     static es_sokol es;
 *     static void init(void)                                 // init_cb
 *     {
 *         if (!es_sokol_open(&es, NULL)) {
 *             puts(es_get_error());
 *         }
 *     }
 *     static void event(const sapp_event *from)              // event_cb
 *     {
 *         es_sokol_event(&es, from);
 *     }
 *     static void next_frame(void)                           // frame_cb
 *     {
 *         es_frame frame;
 *         if (!es_sokol_next(&es, &frame)) {
 *             return;
 *         }
 *         for (int i = 0; i < frame.ticks; ++i) {
 *             es_step step = es_sokol_step(&es, &frame, i);  // with the input of this tick
 *             if (es_input_pressed(es.input, SAPP_KEYCODE_SPACE)) {
 *                 jump(&current);
 *             }
 *             update(&current, step.dt_s);
 *         }
 *         if (frame.visible) {
 *             draw(&previous, &current, frame.alpha);        // of surplus frames, too
 *         }
 *         es_sokol_submit(&es);                              // sokol presents after the callback
 *     }
 *     static void cleanup(void)                              // cleanup_cb
 *     {
 *         es_sokol_close(&es);
 *     }
 *
 * Pass es.loop and es.input to the functions of evenstep.h and input.h. With an es_sokol that is all
 * 0, as after es_sokol_close, functions do nothing and return false or 0. Nothing waits here: sokol
 * does, in its swap, if vsync is on. Exception: on Linux es_sokol_next waits while the window is
 * hidden, where sokol would run as fast as it can. Settings that need waits have no effect:
 * low_latency. With interval_ns, frame.surplus marks calls over the cap. sokol presents after them,
 * too: draw, or it shows an old buffer. They have no ticks, so the picture is the same.
 *
 * sokol announces no refresh and stamps no event: one counts as having happened when
 * es_sokol_event gets it. sapp_frame_duration is not used: it is an average
 * frame duration, not a time stamp. Touches: read them from sapp_event.
 */
#ifndef EVENSTEP_ADAPTERS_ES_SOKOL_H
#define EVENSTEP_ADAPTERS_ES_SOKOL_H

#include "evenstep/evenstep.h"
#include "evenstep/input.h"

#include <string.h>

#ifndef SOKOL_APP_INCLUDED
#include "sokol_app.h"
#endif

/* Distance of frames of a hidden window; 0: sokol does not call or waits itself. */
#ifndef ES_SOKOL_HIDDEN_NS
#if defined(__linux__) && !defined(__ANDROID__)
#define ES_SOKOL_HIDDEN_NS (ES_NS_PER_S / 60)
#else
#define ES_SOKOL_HIDDEN_NS 0
#endif
#endif

/* Codes of buttons: a key is its sapp_keycode; then the buttons of the mouse (ES_SOKOL_MOUSE +
 * SAPP_MOUSEBUTTON_LEFT). Codes of axes, in framebuffer pixels. Devices. */
enum {
    ES_SOKOL_MOUSE = 512,
    ES_SOKOL_BUTTONS = 544,
    ES_SOKOL_X = 0,
    ES_SOKOL_Y,
    ES_SOKOL_WHEEL_X,
    ES_SOKOL_WHEEL_Y,
    ES_SOKOL_AXES,
    ES_SOKOL_KEYBOARD = 0,
    ES_SOKOL_POINTER = 1
};

typedef struct es_sokol {
    es_loop *loop;
    es_input *input;
    bool iconified;
    bool suspended;
    int64_t next_ns; /* es_sokol_next has returned */
} es_sokol;

/* Converts an event. events: two elements. Returns how many of them are filled: 2 for both axes of
 * the mouse or its wheel; 0: not input, or a key that repeats. */
static inline int es_sokol_convert(const sapp_event *from, int64_t now_ns, es_input_event events[2])
{
    bool wheel = from->type == SAPP_EVENTTYPE_MOUSE_SCROLL;
    int count = 1;
    memset(events, 0, 2 * sizeof events[0]);
    switch (from->type) {
    case SAPP_EVENTTYPE_KEY_DOWN:
    case SAPP_EVENTTYPE_KEY_UP:
        events[0].kind = from->type == SAPP_EVENTTYPE_KEY_DOWN ? ES_INPUT_PRESS : ES_INPUT_RELEASE;
        events[0].device = ES_SOKOL_KEYBOARD;
        events[0].code = ES_CAST_(uint16_t, from->key_code);
        count = from->key_repeat ? 0 : 1;
        break;
    case SAPP_EVENTTYPE_MOUSE_DOWN:
    case SAPP_EVENTTYPE_MOUSE_UP:
        events[0].kind =
                from->type == SAPP_EVENTTYPE_MOUSE_DOWN ? ES_INPUT_PRESS : ES_INPUT_RELEASE;
        events[0].device = ES_SOKOL_POINTER;
        events[0].code = ES_CAST_(uint16_t, ES_SOKOL_MOUSE + ES_CAST_(int, from->mouse_button));
        count = ES_CAST_(int, from->mouse_button) < ES_SOKOL_BUTTONS - ES_SOKOL_MOUSE ? 1 : 0;
        break;
    case SAPP_EVENTTYPE_MOUSE_MOVE:
    case SAPP_EVENTTYPE_MOUSE_SCROLL:
        events[0].kind = ES_INPUT_MOVE;
        events[0].device = ES_SOKOL_POINTER;
        events[1] = events[0];
        events[0].code = wheel ? ES_SOKOL_WHEEL_X : ES_SOKOL_X;
        events[1].code = wheel ? ES_SOKOL_WHEEL_Y : ES_SOKOL_Y;
        events[0].value = ES_CAST_(double, wheel ? from->scroll_x : from->mouse_dx);
        events[1].value = ES_CAST_(double, wheel ? from->scroll_y : from->mouse_dy);
        count = 2;
        break;
    case SAPP_EVENTTYPE_UNFOCUSED:
    case SAPP_EVENTTYPE_SUSPENDED:
        events[0].kind = ES_INPUT_RESET;
        events[0].device = ES_INPUT_ALL;
        break;
    default:
        count = 0;
        break;
    }
    events[0].stamp_ns = now_ns;
    events[1].stamp_ns = now_ns;
    return count;
}

/* Frees everything. */
static inline void es_sokol_close(es_sokol *es)
{
    es_input_destroy(es->input);
    es_loop_destroy(es->loop);
    memset(es, 0, sizeof *es);
}

/* Creates a loop and an input. Call it in init_cb.
 * es: any bytes; not an open one.
 * config: NULL: the default.
 * false: es_get_error says why; es is all 0. */
static inline bool es_sokol_open(es_sokol *es, const es_loop_config *config)
{
    es_input_config keys;
    memset(es, 0, sizeof *es);
    memset(&keys, 0, sizeof keys);
    keys.buttons = ES_SOKOL_BUTTONS;
    keys.axes = ES_SOKOL_AXES;
    es->loop = es_loop_create(config);
    es->input = es->loop != NULL ? es_input_create(&keys) : NULL;
    if (es->input == NULL) {
        es_sokol_close(es);
        return false;
    }
    return true;
}

/* Passes an event on: keys and the mouse to es.input, a window that is minimised or suspended to
 * es.loop. Call it in event_cb. A window that others cover is not reported by sokol. */
static inline void es_sokol_event(es_sokol *es, const sapp_event *event)
{
    es_input_event events[2];
    if (es->loop == NULL) {
        return;
    }
    int count = es_sokol_convert(event, es_now_ns(), events);
    for (int i = 0; i < count; ++i) {
        es_input_push(es->input, &events[i]);
    }
    switch (event->type) {
    case SAPP_EVENTTYPE_ICONIFIED:
    case SAPP_EVENTTYPE_RESTORED:
        es->iconified = event->type == SAPP_EVENTTYPE_ICONIFIED;
        break;
    case SAPP_EVENTTYPE_SUSPENDED:
    case SAPP_EVENTTYPE_RESUMED:
        es->suspended = event->type == SAPP_EVENTTYPE_SUSPENDED;
        break;
    default:
        return;
    }
    es_loop_set_visible(es->loop, !es->iconified && !es->suspended);
}

/* es_loop_next_at: ends the last frame and plans this one. The first call in frame_cb. */
static inline bool es_sokol_next(es_sokol *es, es_frame *frame)
{
    if (es->loop == NULL) {
        return false;
    }
    if ((es->iconified || es->suspended) && ES_SOKOL_HIDDEN_NS > 0) {
        es_wait_until(es->next_ns + ES_SOKOL_HIDDEN_NS);
    }
    es->next_ns = es_now_ns();
    return es_loop_next_at(es->loop, ES_UNKNOWN_NS, ES_UNKNOWN_NS, frame);
}

/* es_frame_step of tick i of the frame. es.input then answers for this tick. */
static inline es_step es_sokol_step(es_sokol *es, const es_frame *frame, int i)
{
    es_step step = es_frame_step(frame, i);
    es_input_tick(es->input, &step);
    return step;
}

/* es_loop_submit and es_loop_end: the last call in frame_cb, of frames that are not visible, too. */
static inline void es_sokol_submit(es_sokol *es)
{
    es_loop_submit(es->loop);
    es_loop_end(es->loop);
}

#endif
