/* SPDX-License-Identifier: Zlib
 *
 * input_sdl2: SDL 2's events as es_input_events. One header, to copy; needs SDL.h (2.0.18 or later:
 * a wheel in parts of a notch) and evenstep/evenstep.h.
 *
 *     es_input_config config = es_input_sdl2_config();
 *     es_input *input = es_input_create(&config);
 *     ...
 *     es_input_stamp(input, SDL_GetTicks(), now_ns);    // once a frame: stamps are more exact
 *     while (SDL_PollEvent(&event)) {
 *         es_input_sdl2(input, &event, now_ns);
 *     }
 *
 * What SDL 2 can tell: when it noted an event, in whole milliseconds (32 bits, since SDL_Init,
 * wraps after 49.7 days). It notes them while it pumps, so a stamp is no older than the pump
 * before: with one pump a frame that is the frame's begin. Pump more often (SDL_PumpEvents is the
 * main thread's) for younger stamps; SDL 3 has the system's own, in ns.
 */
#ifndef EVENSTEP_ADAPTERS_INPUT_SDL2_H
#define EVENSTEP_ADAPTERS_INPUT_SDL2_H

#include "evenstep/evenstep.h"
#include "evenstep/input.h"

#include <string.h>

#include <SDL.h>

/* Codes of buttons: a key is its scancode; then the mouse's (SDL_BUTTON_LEFT is 1) and a
 * controller's. Codes of axes. Devices: keyboard, mouse, and controllers by their instance. */
enum {
    ES_INPUT_SDL2_MOUSE = 512,
    ES_INPUT_SDL2_CONTROLLER = 544,
    ES_INPUT_SDL2_BUTTONS = 576,
    ES_INPUT_SDL2_X = 0,
    ES_INPUT_SDL2_Y,
    ES_INPUT_SDL2_WHEEL_X,
    ES_INPUT_SDL2_WHEEL_Y,
    ES_INPUT_SDL2_CONTROLLER_AXIS, /* and on: -32768 to 32767 */
    ES_INPUT_SDL2_AXES = 16,
    ES_INPUT_SDL2_KEYBOARD = 0,
    ES_INPUT_SDL2_POINTER = 1,
    ES_INPUT_SDL2_FIRST_CONTROLLER = 2
};

/* What SDL 2's stamps are.
 * Returns a configuration for es_input_create. */
static inline es_input_config es_input_sdl2_config(void)
{
    es_input_config config;
    memset(&config, 0, sizeof config);
    config.buttons = ES_INPUT_SDL2_BUTTONS;
    config.axes = ES_INPUT_SDL2_AXES;
    config.rests = ~UINT64_C(0) << ES_INPUT_SDL2_CONTROLLER_AXIS;
    config.stamps.unit_ns = ES_NS_PER_MS;
    config.stamps.bits = 32;
    config.stamps.other = true;
    return config;
}

static inline uint16_t es_input_sdl2_controller(SDL_JoystickID which)
{
    return (uint16_t)(ES_INPUT_SDL2_FIRST_CONTROLLER + (uint32_t)which % 1000U);
}

/* Fills in all but the stamp. */
static inline bool es_input_sdl2_read(const SDL_Event *from, es_input_event *event)
{
    switch (from->type) {
    case SDL_KEYDOWN:
    case SDL_KEYUP:
        event->kind = from->type == SDL_KEYDOWN ? ES_INPUT_PRESS : ES_INPUT_RELEASE;
        event->device = ES_INPUT_SDL2_KEYBOARD;
        event->code = (uint16_t)from->key.keysym.scancode;
        return from->key.repeat == 0;
    case SDL_MOUSEBUTTONDOWN:
    case SDL_MOUSEBUTTONUP:
        event->kind = from->type == SDL_MOUSEBUTTONDOWN ? ES_INPUT_PRESS : ES_INPUT_RELEASE;
        event->device = ES_INPUT_SDL2_POINTER;
        event->code = (uint16_t)(ES_INPUT_SDL2_MOUSE + from->button.button);
        return from->button.button < 32;
    case SDL_CONTROLLERBUTTONDOWN:
    case SDL_CONTROLLERBUTTONUP:
        event->kind = from->type == SDL_CONTROLLERBUTTONDOWN ? ES_INPUT_PRESS : ES_INPUT_RELEASE;
        event->device = es_input_sdl2_controller(from->cbutton.which);
        event->code = (uint16_t)(ES_INPUT_SDL2_CONTROLLER + from->cbutton.button);
        return from->cbutton.button < 32;
    case SDL_CONTROLLERAXISMOTION:
        event->kind = ES_INPUT_PLACE;
        event->device = es_input_sdl2_controller(from->caxis.which);
        event->code = (uint16_t)(ES_INPUT_SDL2_CONTROLLER_AXIS + from->caxis.axis);
        event->value = from->caxis.value;
        return true;
    case SDL_CONTROLLERDEVICEREMOVED:
        event->kind = ES_INPUT_RESET;
        event->device = es_input_sdl2_controller(from->cdevice.which);
        return true;
    case SDL_WINDOWEVENT:
        event->kind = ES_INPUT_RESET;
        event->device = ES_INPUT_ALL;
        return from->window.event == SDL_WINDOWEVENT_FOCUS_LOST;
    default:
        return false;
    }
}

/* One of SDL 2's events: none, one, or two (the axes of a mouse's motion or of its wheel).
 * input: created with es_input_sdl2_config.
 * from: from SDL_PollEvent; not NULL.
 * now_ns: the loop's clock now.
 * events: room for two; not NULL. So many as the answer says are filled.
 * Returns 0 to 2; 0: it is none that es_input knows, or a repeat of a key that is held. */
static inline int es_input_from_sdl2(
        es_input *input, const SDL_Event *from, int64_t now_ns, es_input_event events[2])
{
    bool wheel = from->type == SDL_MOUSEWHEEL;
    bool moved = wheel || from->type == SDL_MOUSEMOTION;
    es_input_event made;
    memset(&made, 0, sizeof made);
    if (!moved && !es_input_sdl2_read(from, &made)) {
        return 0;
    }
    made.stamp_ns = es_input_stamp(input, from->common.timestamp, now_ns);
    events[0] = made;
    if (moved) {
        events[0].kind = ES_INPUT_MOVE;
        events[0].device = ES_INPUT_SDL2_POINTER;
        events[1] = events[0];
        events[0].code = wheel ? ES_INPUT_SDL2_WHEEL_X : ES_INPUT_SDL2_X;
        events[1].code = wheel ? ES_INPUT_SDL2_WHEEL_Y : ES_INPUT_SDL2_Y;
        events[0].value = wheel ? (double)from->wheel.preciseX : (double)from->motion.xrel;
        events[1].value = wheel ? (double)from->wheel.preciseY : (double)from->motion.yrel;
    }
    return moved ? 2 : 1;
}

/* Pushes one of SDL 2's events; arguments as for es_input_from_sdl2. false: it is none for an es_input. */
static inline bool es_input_sdl2(es_input *input, const SDL_Event *from, int64_t now_ns)
{
    es_input_event events[2];
    int count = es_input_from_sdl2(input, from, now_ns, events);
    for (int i = 0; i < count; ++i) {
        es_input_push(input, &events[i]);
    }
    return count > 0;
}

#endif
