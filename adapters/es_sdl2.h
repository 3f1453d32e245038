/* SPDX-License-Identifier: Zlib
 *
 * es_sdl2: Evenstep in a window of SDL 2. One header, to copy; needs SDL 2.0.18, evenstep.c and
 * evenstep_input.c.
 *
 *     es_sdl2 es;
 *     if (!es_sdl2_open(&es, window, NULL)) {               // after SDL_CreateRenderer
 *         SDL_Log("%s", es_get_error());
 *     }
 *     es_frame frame;
 *     while (running && es_sdl2_next(&es, &frame)) {         // waits
 *         SDL_Event event;
 *         while (SDL_PollEvent(&event)) {
 *             es_sdl2_event(&es, &event);
 *             running = running && event.type != SDL_QUIT;
 *         }
 *         for (int i = 0; i < frame.ticks; ++i) {
 *             es_step step = es_sdl2_step(&es, &frame, i);   // with the input of this tick
 *             if (es_input_pressed(es.input, SDL_SCANCODE_SPACE)) {
 *                 jump(&current);
 *             }
 *             update(&current, step.dt_s);
 *         }
 *         if (frame.visible) {
 *             draw(&previous, &current, frame.alpha);
 *             es_sdl2_submit(&es, &frame);
 *             SDL_RenderPresent(renderer);                   // waits, if vsync is on
 *         }
 *     }
 *     es_sdl2_close(&es);
 *
 * Pass es.loop and es.input to the functions of evenstep.h and input.h. The main thread calls all
 * functions of this header. With an es_sdl2 that is all 0, as after es_sdl2_close, they do nothing and
 * return false or 0. config.clock stays 0: events have stamps of the system's clock.
 *
 * Where the program has set swap interval 1 in a window of OpenGL (its own, or SDL_Renderer's),
 * es_sdl2_submit sets it to frame.target_refreshes, and es_sdl2_close to 1 again. It changes no other
 * interval: not 0, not -1, not the program's own 2.
 *
 * Feedback: define ES_FEEDBACK_X11 or ES_FEEDBACK_WAYLAND, or both, before the include: see
 * es_feedback.h.
 */
#ifndef EVENSTEP_ADAPTERS_ES_SDL2_H
#define EVENSTEP_ADAPTERS_ES_SDL2_H

#include "evenstep/evenstep.h"
#include "evenstep/input.h"

#include <string.h>

#include <SDL.h>

#if defined(ES_FEEDBACK_X11) || defined(ES_FEEDBACK_WAYLAND)
#define ES_SDL2_FEEDBACK
#include "es_feedback.h"

#include <SDL_syswm.h>
#endif

/* Codes of buttons: a key is its scancode; then the buttons of a mouse (ES_SDL2_MOUSE +
 * SDL_BUTTON_LEFT) and of a controller. Codes of axes. Devices: keyboard, mouse, and controllers by
 * their instance. */
enum {
    ES_SDL2_MOUSE = 512,
    ES_SDL2_CONTROLLER = 544,
    ES_SDL2_BUTTONS = 576,
    ES_SDL2_X = 0,
    ES_SDL2_Y,
    ES_SDL2_WHEEL_X,
    ES_SDL2_WHEEL_Y,
    ES_SDL2_CONTROLLER_AXIS, /* and on: -32768 to 32767 */
    ES_SDL2_AXES = 16,
    ES_SDL2_KEYBOARD = 0,
    ES_SDL2_POINTER = 1,
    ES_SDL2_FIRST_CONTROLLER = 2
};

typedef struct es_sdl2 {
    es_loop *loop;
    es_input *input;
    Uint32 window;  /* SDL_GetWindowID: also safe where the window is gone */
    bool announces; /* config.refresh was 0: it follows the window's display */
    uint32_t announced_hz;
    bool keep_interval; /* the program may set it: the swap interval stays as it is */
    bool refused;       /* the driver does not take an interval */
    int interval;       /* as set here, or 1; 0: without vsync, or not changed here */
    int64_t look_ns;    /* when to look at it again: the program may have changed it */
#ifdef ES_SDL2_FEEDBACK
    es_feedback_source feedback;
#endif
} es_sdl2;

/* --- events for an es_input, without a loop ---------------------------------------------------- */

/* For es_input_create. SDL 2 stamps events when it polls the system, in whole ms, with 32 bits. */
static inline es_input_config es_sdl2_input_config(void)
{
    es_input_config config;
    memset(&config, 0, sizeof config);
    config.buttons = ES_SDL2_BUTTONS;
    config.axes = ES_SDL2_AXES;
    config.rests = ~UINT64_C(0) << ES_SDL2_CONTROLLER_AXIS;
    config.stamps.unit_ns = ES_NS_PER_MS;
    config.stamps.bits = 32;
    config.stamps.other = true;
    return config;
}

static inline uint16_t es_sdl2_controller_(SDL_JoystickID which)
{
    return ES_CAST_(uint16_t, ES_SDL2_FIRST_CONTROLLER + ES_CAST_(uint32_t, which) % 1000U);
}

/* Fills in all but the stamp. */
static inline bool es_sdl2_read_(const SDL_Event *from, es_input_event *event)
{
    switch (from->type) {
    case SDL_KEYDOWN:
    case SDL_KEYUP:
        event->kind = from->type == SDL_KEYDOWN ? ES_INPUT_PRESS : ES_INPUT_RELEASE;
        event->device = ES_SDL2_KEYBOARD;
        event->code = ES_CAST_(uint16_t, from->key.keysym.scancode);
        return from->key.repeat == 0;
    case SDL_MOUSEBUTTONDOWN:
    case SDL_MOUSEBUTTONUP:
        event->kind = from->type == SDL_MOUSEBUTTONDOWN ? ES_INPUT_PRESS : ES_INPUT_RELEASE;
        event->device = ES_SDL2_POINTER;
        event->code = ES_CAST_(uint16_t, ES_SDL2_MOUSE + from->button.button);
        return from->button.button < 32;
    case SDL_CONTROLLERBUTTONDOWN:
    case SDL_CONTROLLERBUTTONUP:
        event->kind = from->type == SDL_CONTROLLERBUTTONDOWN ? ES_INPUT_PRESS : ES_INPUT_RELEASE;
        event->device = es_sdl2_controller_(from->cbutton.which);
        event->code = ES_CAST_(uint16_t, ES_SDL2_CONTROLLER + from->cbutton.button);
        return from->cbutton.button < 32;
    case SDL_CONTROLLERAXISMOTION:
        event->kind = ES_INPUT_PLACE;
        event->device = es_sdl2_controller_(from->caxis.which);
        event->code = ES_CAST_(uint16_t, ES_SDL2_CONTROLLER_AXIS + from->caxis.axis);
        event->value = from->caxis.value;
        return true;
    case SDL_CONTROLLERDEVICEREMOVED:
        event->kind = ES_INPUT_RESET;
        event->device = es_sdl2_controller_(from->cdevice.which);
        return true;
    case SDL_WINDOWEVENT:
        event->kind = ES_INPUT_RESET;
        event->device = ES_INPUT_ALL;
        return from->window.event == SDL_WINDOWEVENT_FOCUS_LOST;
    default:
        return false;
    }
}

/* Converts an event. events: two elements. Returns how many of them are filled: 2 for both axes of a
 * mouse or a wheel; 0: not input, or a key that repeats. */
static inline int es_sdl2_convert(
        es_input *input, const SDL_Event *from, int64_t now_ns, es_input_event events[2])
{
    bool wheel = from->type == SDL_MOUSEWHEEL;
    bool moved = wheel || from->type == SDL_MOUSEMOTION;
    es_input_event made;
    memset(&made, 0, sizeof made);
    if (!moved && !es_sdl2_read_(from, &made)) {
        return 0;
    }
    made.stamp_ns = es_input_stamp(input, from->common.timestamp, now_ns);
    events[0] = made;
    if (moved) {
        events[0].kind = ES_INPUT_MOVE;
        events[0].device = ES_SDL2_POINTER;
        events[1] = events[0];
        events[0].code = wheel ? ES_SDL2_WHEEL_X : ES_SDL2_X;
        events[1].code = wheel ? ES_SDL2_WHEEL_Y : ES_SDL2_Y;
        events[0].value = wheel ? ES_CAST_(double, from->wheel.preciseX)
                                : ES_CAST_(double, from->motion.xrel);
        events[1].value = wheel ? ES_CAST_(double, from->wheel.preciseY)
                                : ES_CAST_(double, from->motion.yrel);
    }
    return moved ? 2 : 1;
}

/* --- a loop in a window ------------------------------------------------------------------------ */

/* The rate that the window's display announces, in whole Hz: 59 for 59.94. {0, 0}: none. */
static inline es_rate es_sdl2_refresh_(SDL_Window *window)
{
    es_rate refresh = {0, 0};
    SDL_DisplayMode mode;
    int display = SDL_GetWindowDisplayIndex(window);
    if (display >= 0 && SDL_GetCurrentDisplayMode(display, &mode) == 0 && mode.refresh_rate > 0) {
        refresh = es_hz(mode.refresh_rate);
    }
    return refresh;
}

/* Passes on whether the window can be seen, and another refresh rate. */
static inline void es_sdl2_look_(es_sdl2 *es, SDL_Window *window)
{
    Uint32 unseen = SDL_WINDOW_HIDDEN | SDL_WINDOW_MINIMIZED;
    es_loop_set_visible(es->loop, (SDL_GetWindowFlags(window) & unseen) == 0);
    if (es->announces) {
        es_rate refresh = es_sdl2_refresh_(window);
        if (refresh.numerator != es->announced_hz) {
            es_loop_config config = es_loop_get_config(es->loop);
            es->announced_hz = refresh.numerator;
            config.refresh = refresh;
            es_loop_configure(es->loop, &config);
        }
    }
}

#ifdef ES_SDL2_FEEDBACK
static inline void es_sdl2_open_feedback_(es_sdl2 *es, SDL_Window *window)
{
    SDL_SysWMinfo info;
    SDL_VERSION(&info.version);
    if (!SDL_GetWindowWMInfo(window, &info)) {
        return;
    }
#if defined(ES_FEEDBACK_X11) && defined(SDL_VIDEO_DRIVER_X11)
    if (info.subsystem == SDL_SYSWM_X11) {
        es_feedback_open_x11(&es->feedback, DisplayString(info.info.x11.display),
                ES_CAST_(uint32_t, info.info.x11.window));
    }
#endif
#if defined(ES_FEEDBACK_WAYLAND) && defined(SDL_VIDEO_DRIVER_WAYLAND)
    if (info.subsystem == SDL_SYSWM_WAYLAND) {
        es_feedback_open_wayland(&es->feedback, info.info.wl.display, info.info.wl.surface);
    }
#endif
}
#endif

/* How often the swap interval is read: a driver may ask the X server for it. */
enum { ES_SDL2_LOOK_MS = 100 };

/* SDL on Wayland takes any interval and sets 1 (Wayland_GLES_SetSwapInterval). */
static inline bool es_sdl2_set_interval_(int interval)
{
    return SDL_GL_SetSwapInterval(interval) == 0 && SDL_GL_GetSwapInterval() == interval;
}

/* The next present comes at least this many refreshes after the last one, where that can be set. */
static inline void es_sdl2_interval_(es_sdl2 *es, const SDL_Window *window, int refreshes)
{
    es_targets targets;
    int64_t now_ns = es_now_ns();
    bool changes = es->interval != 0 && refreshes != es->interval;
    if (es->refused || es->keep_interval || refreshes < 1 || (!changes && now_ns < es->look_ns)
            || window == NULL || SDL_GL_GetCurrentWindow() != window) {
        return;
    }
    int found = SDL_GL_GetSwapInterval();
    found = found == 1 || found == es->interval ? found : 0;
    es->look_ns = now_ns + ES_SDL2_LOOK_MS * ES_NS_PER_MS;
    if (found != 0 && (es->interval == 0 || found != refreshes)) {
        /* before the loop plans with it, another interval is tried */
        es->refused = (es->interval == 0 && !es_sdl2_set_interval_(2))
                      || !es_sdl2_set_interval_(refreshes);
        if (es->refused) {
            es_sdl2_set_interval_(1);
        }
    }
    memset(&targets, 0, sizeof targets);
    targets.refreshes = found != 0 && !es->refused;
    if (targets.refreshes != (es->interval != 0)) {
        es_loop_set_targets(es->loop, &targets);
    }
    es->interval = targets.refreshes ? refreshes : 0;
}

/* Frees everything. Call it before SDL_DestroyWindow. */
static inline void es_sdl2_close(es_sdl2 *es)
{
    if (es->interval > 1) {
        es_sdl2_interval_(es, SDL_GetWindowFromID(es->window), 1);
    }
#ifdef ES_SDL2_FEEDBACK
    es_feedback_close(&es->feedback);
#endif
    es_input_destroy(es->input);
    es_loop_destroy(es->loop);
    memset(es, 0, sizeof *es);
}

/* Creates a loop and an input for a window. Call it after SDL_CreateRenderer or
 * SDL_GL_CreateContext, which may replace the native window.
 * es: any bytes; not an open one.
 * config: NULL: the default. If its refresh is 0, the rate that the display announces is used, and
 *   followed.
 * false: es_get_error says why, or window is NULL; es is all 0. */
static inline bool es_sdl2_open(es_sdl2 *es, SDL_Window *window, const es_loop_config *config)
{
    es_loop_config own;
    es_input_config keys = es_sdl2_input_config();
    memset(es, 0, sizeof *es);
    memset(&own, 0, sizeof own);
    if (window == NULL) {
        return false;
    }
    if (config != NULL) {
        own = *config;
    }
    es->announces = own.refresh.numerator == 0 && own.refresh.denominator == 0
                    && (own.pace == ES_PACE_AUTO || own.pace == ES_PACE_PRESENT);
    if (es->announces) {
        own.refresh = es_sdl2_refresh_(window);
        es->announced_hz = own.refresh.numerator;
    }
    es->window = SDL_GetWindowID(window);
    es->loop = es_loop_create(&own);
    es->input = es->loop != NULL ? es_input_create(&keys) : NULL;
    if (es->input == NULL) {
        es_sdl2_close(es);
        return false;
    }
    es_sdl2_look_(es, window); /* it may be hidden */
#ifdef ES_SDL2_FEEDBACK
    es_sdl2_open_feedback_(es, window);
#endif
    return true;
}

/* Passes an event on: keys, mouse and controllers to es.input, a hidden window and another display to
 * es.loop. Call it for each event. SDL 2 does not report a window that others cover, and on Wayland
 * none that is minimised. */
static inline void es_sdl2_event(es_sdl2 *es, const SDL_Event *event)
{
    es_input_event events[2];
    int count = es_sdl2_convert(es->input, event, es_now_ns(), events);
    for (int i = 0; i < count; ++i) {
        es_input_push(es->input, &events[i]);
    }
    if (event->type == SDL_WINDOWEVENT && event->window.windowID == es->window) {
        SDL_Window *window = SDL_GetWindowFromID(es->window);
        if (window != NULL) {
            es_sdl2_look_(es, window);
        }
    }
}

/* es_loop_next: ends the last frame, waits if it must, and plans the next. Poll events after it. */
static inline bool es_sdl2_next(es_sdl2 *es, es_frame *frame)
{
#ifdef ES_SDL2_FEEDBACK
    es_feedback_take(&es->feedback, es->loop);
#endif
    return es_loop_next(es->loop, frame);
}

/* es_frame_step of tick i of the frame. es.input then answers for this tick. */
static inline es_step es_sdl2_step(es_sdl2 *es, const es_frame *frame, int i)
{
    es_step step = es_frame_step(frame, i);
    es_input_tick(es->input, &step);
    return step;
}

/* es_loop_submit: drawing is done. Present directly after it, unless frame.visible is false. It
 * flushes the window's SDL_Renderer: without that SDL draws in SDL_RenderPresent, where time counts
 * as waiting. */
static inline void es_sdl2_submit(es_sdl2 *es, const es_frame *frame)
{
    SDL_Window *window = SDL_GetWindowFromID(es->window);
    SDL_Renderer *renderer = window != NULL ? SDL_GetRenderer(window) : NULL;
    if (renderer != NULL) {
        SDL_RenderFlush(renderer);
    }
    if (es->loop != NULL && frame->visible) {
        es_sdl2_interval_(es, window, frame->target_refreshes);
    }
    es_loop_submit(es->loop);
#ifdef ES_SDL2_FEEDBACK
    if (window != NULL && frame->visible) {
        es_feedback_before_present(&es->feedback, frame->index, frame->target_ns);
    }
#endif
}

#endif
