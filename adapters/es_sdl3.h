/* SPDX-License-Identifier: Zlib
 *
 * es_sdl3: Evenstep in a window of SDL 3. One header, to copy; needs SDL 3.2, evenstep.c and
 * evenstep_input.c.
 *
 *     es_sdl3 es;
 *     if (!es_sdl3_open(&es, window, NULL)) {               // after SDL_CreateRenderer
 *         SDL_Log("%s", es_get_error());
 *     }
 *     es_frame frame;
 *     while (running && es_sdl3_next(&es, &frame)) {         // waits
 *         SDL_Event event;
 *         while (SDL_PollEvent(&event)) {
 *             es_sdl3_event(&es, &event);
 *             running = running && event.type != SDL_EVENT_QUIT;
 *         }
 *         for (int i = 0; i < frame.ticks; ++i) {
 *             es_step step = es_sdl3_step(&es, &frame, i);   // with the input of this tick
 *             if (es_input_pressed(es.input, SDL_SCANCODE_SPACE)) {
 *                 jump(&current);
 *             }
 *             update(&current, step.dt_s);
 *         }
 *         if (frame.visible && !frame.surplus) {
 *             draw(&previous, &current, frame.alpha);
 *             es_sdl3_submit(&es, &frame);
 *             SDL_RenderPresent(renderer);                   // waits, if vsync is on
 *         }
 *     }
 *     es_sdl3_close(&es);
 *
 * With main callbacks: es_sdl3_event in SDL_AppEvent, the other calls in SDL_AppIterate, and
 * es_sdl3_end as its last: see examples/16_sdl3_window.c. The same code runs on every platform.
 *
 *   which call waits          es_sdl3_next   es_sdl3_end      SDL_RenderPresent
 *   a loop of your own        yes            do not call it   with vsync
 *   SDL_AppIterate            first call     yes              with vsync
 *   on Emscripten and iOS     no             no               no: the system calls once per refresh
 *
 * es_sdl3_end waits for the next frame, so SDL_AppEvent gets events that are fresh. Do not
 * set SDL_HINT_MAIN_CALLBACK_RATE: with a rate SDL waits, too. A frame cap is config.interval_ns: on
 * Emscripten and iOS frame.surplus marks the calls over it.
 *
 * Pass es.loop and es.input to the functions of evenstep.h and input.h. The main thread calls all
 * functions of this header. With an es_sdl3 that is all 0, as after es_sdl3_close, they do nothing
 * and return false or 0. config.clock stays 0: events have stamps of the system's clock. On X11 SDL
 * stamps an event when it polls the system, elsewhere with the time at which it happened.
 *
 * Where the program has set swap interval 1, of the window's renderer (SDL_SetRenderVSync) or of its
 * own OpenGL context, es_sdl3_submit sets it to frame.target_refreshes, and es_sdl3_close to 1 again.
 * It changes no other interval: not 0, not -1, not the program's own 2. Not where a host calls.
 *
 * Feedback: define ES_FEEDBACK_X11 or ES_FEEDBACK_WAYLAND, or both, before the include: see
 * es_feedback.h.
 */
#ifndef EVENSTEP_ADAPTERS_ES_SDL3_H
#define EVENSTEP_ADAPTERS_ES_SDL3_H

#include "evenstep/evenstep.h"
#include "evenstep/input.h"

#include <string.h>

#include <SDL3/SDL.h>

#if defined(ES_FEEDBACK_X11) || defined(ES_FEEDBACK_WAYLAND)
#define ES_SDL3_FEEDBACK
#include "es_feedback.h"
#endif

/* 1: the system calls SDL_AppIterate once per refresh, and nothing may wait in it. */
#ifndef ES_SDL3_HOST
#if defined(SDL_PLATFORM_EMSCRIPTEN) || defined(SDL_PLATFORM_IOS)
#define ES_SDL3_HOST 1
#else
#define ES_SDL3_HOST 0
#endif
#endif

/* Codes of buttons: a key is its scancode; then the buttons of a mouse (ES_SDL3_MOUSE +
 * SDL_BUTTON_LEFT) and of a gamepad. Codes of axes. Devices: keyboard, mouse, and gamepads by their
 * instance. */
enum {
    ES_SDL3_MOUSE = 512,
    ES_SDL3_GAMEPAD = 544,
    ES_SDL3_BUTTONS = 576,
    ES_SDL3_X = 0,
    ES_SDL3_Y,
    ES_SDL3_WHEEL_X,
    ES_SDL3_WHEEL_Y,
    ES_SDL3_GAMEPAD_AXIS, /* and on: -32768 to 32767 */
    ES_SDL3_AXES = 16,
    ES_SDL3_KEYBOARD = 0,
    ES_SDL3_POINTER = 1,
    ES_SDL3_FIRST_GAMEPAD = 2
};

typedef struct es_sdl3 {
    es_loop *loop;
    es_input *input;
    SDL_WindowID window; /* also safe where the window is gone */
    bool announces;      /* config.refresh was 0: it follows the window's display */
    es_rate announced;
    bool keep_interval; /* the program may set it: the swap interval stays as it is */
    bool refused;       /* the driver does not take an interval */
    int interval;       /* as set here, or 1; 0: without vsync, or not changed here */
    int64_t look_ns;    /* when to look at it again: the program may have changed it */
    bool planned;       /* es_sdl3_end has waited for this frame: */
    es_frame frame;
#ifdef ES_SDL3_FEEDBACK
    es_feedback_source feedback;
#endif
} es_sdl3;

/* --- events for an es_input, without a loop ---------------------------------------------------- */

/* For es_input_create. Stamps are of SDL_GetTicksNS. To measure the offset, convert that once per
 * frame: es_input_stamp(input, SDL_GetTicksNS(), es_now_ns()). */
static inline es_input_config es_sdl3_input_config(void)
{
    es_input_config config;
    memset(&config, 0, sizeof config);
    config.buttons = ES_SDL3_BUTTONS;
    config.axes = ES_SDL3_AXES;
    config.rests = ~UINT64_C(0) << ES_SDL3_GAMEPAD_AXIS;
    config.stamps.other = true;
    return config;
}

static inline uint16_t es_sdl3_gamepad_(SDL_JoystickID which)
{
    return ES_CAST_(uint16_t, ES_SDL3_FIRST_GAMEPAD + which % 1000U);
}

/* Fills in all but the stamp. */
static inline bool es_sdl3_read_(const SDL_Event *from, es_input_event *event)
{
    switch (from->type) {
    case SDL_EVENT_KEY_DOWN:
    case SDL_EVENT_KEY_UP:
        event->kind = from->type == SDL_EVENT_KEY_DOWN ? ES_INPUT_PRESS : ES_INPUT_RELEASE;
        event->device = ES_SDL3_KEYBOARD;
        event->code = ES_CAST_(uint16_t, from->key.scancode);
        return !from->key.repeat;
    case SDL_EVENT_MOUSE_BUTTON_DOWN:
    case SDL_EVENT_MOUSE_BUTTON_UP:
        event->kind = from->type == SDL_EVENT_MOUSE_BUTTON_DOWN ? ES_INPUT_PRESS : ES_INPUT_RELEASE;
        event->device = ES_SDL3_POINTER;
        event->code = ES_CAST_(uint16_t, ES_SDL3_MOUSE + from->button.button);
        return from->button.button < 32;
    case SDL_EVENT_GAMEPAD_BUTTON_DOWN:
    case SDL_EVENT_GAMEPAD_BUTTON_UP:
        event->kind =
                from->type == SDL_EVENT_GAMEPAD_BUTTON_DOWN ? ES_INPUT_PRESS : ES_INPUT_RELEASE;
        event->device = es_sdl3_gamepad_(from->gbutton.which);
        event->code = ES_CAST_(uint16_t, ES_SDL3_GAMEPAD + from->gbutton.button);
        return from->gbutton.button < 32;
    case SDL_EVENT_GAMEPAD_AXIS_MOTION:
        event->kind = ES_INPUT_PLACE;
        event->device = es_sdl3_gamepad_(from->gaxis.which);
        event->code = ES_CAST_(uint16_t, ES_SDL3_GAMEPAD_AXIS + from->gaxis.axis);
        event->value = from->gaxis.value;
        return true;
    case SDL_EVENT_GAMEPAD_REMOVED:
        event->kind = ES_INPUT_RESET;
        event->device = es_sdl3_gamepad_(from->gdevice.which);
        return true;
    case SDL_EVENT_WINDOW_FOCUS_LOST:
        event->kind = ES_INPUT_RESET;
        event->device = ES_INPUT_ALL;
        return true;
    default:
        return false;
    }
}

/* Converts an event. events: two elements. Returns how many of them are filled: 2 for both axes of a
 * mouse or a wheel; 0: not input, or a key that repeats. */
static inline int es_sdl3_convert(
        es_input *input, const SDL_Event *from, int64_t now_ns, es_input_event events[2])
{
    bool wheel = from->type == SDL_EVENT_MOUSE_WHEEL;
    bool moved = wheel || from->type == SDL_EVENT_MOUSE_MOTION;
    es_input_event made;
    memset(&made, 0, sizeof made);
    if (!moved && !es_sdl3_read_(from, &made)) {
        return 0;
    }
    made.stamp_ns = es_input_stamp(input, from->common.timestamp, now_ns);
    events[0] = made;
    if (moved) {
        events[0].kind = ES_INPUT_MOVE;
        events[0].device = ES_SDL3_POINTER;
        events[1] = events[0];
        events[0].code = wheel ? ES_SDL3_WHEEL_X : ES_SDL3_X;
        events[1].code = wheel ? ES_SDL3_WHEEL_Y : ES_SDL3_Y;
        events[0].value = ES_CAST_(double, wheel ? from->wheel.x : from->motion.xrel);
        events[1].value = ES_CAST_(double, wheel ? from->wheel.y : from->motion.yrel);
    }
    return moved ? 2 : 1;
}

/* --- a loop in a window ------------------------------------------------------------------------ */

/* The rate that the window's display announces. {0, 0}: none. In exclusive fullscreen SDL's current
 * mode is the window's. */
static inline es_rate es_sdl3_refresh_(SDL_Window *window)
{
    es_rate refresh = {0, 0};
    const SDL_DisplayMode *mode = SDL_GetCurrentDisplayMode(SDL_GetDisplayForWindow(window));
    if (mode == NULL) {
        return refresh;
    }
    if (mode->refresh_rate_denominator > 0 && mode->refresh_rate_numerator <= 1000000000
            && mode->refresh_rate_numerator >= mode->refresh_rate_denominator) {
        refresh.numerator = ES_CAST_(uint32_t, mode->refresh_rate_numerator);
        refresh.denominator = ES_CAST_(uint32_t, mode->refresh_rate_denominator);
    } else if (mode->refresh_rate >= 1.0F) {
        refresh = es_hz(ES_CAST_(double, mode->refresh_rate));
    }
    return refresh;
}

/* Passes on whether the window can be seen, and another refresh rate. */
static inline void es_sdl3_look_(es_sdl3 *es, SDL_Window *window)
{
    SDL_WindowFlags unseen = SDL_WINDOW_HIDDEN | SDL_WINDOW_MINIMIZED | SDL_WINDOW_OCCLUDED;
    es_loop_set_visible(es->loop, (SDL_GetWindowFlags(window) & unseen) == 0);
    if (es->announces) {
        es_rate refresh = es_sdl3_refresh_(window);
        if (refresh.numerator != es->announced.numerator
                || refresh.denominator != es->announced.denominator) {
            es_loop_config config = es_loop_get_config(es->loop);
            es->announced = refresh;
            config.refresh = refresh;
            es_loop_configure(es->loop, &config);
        }
    }
}

#ifdef ES_SDL3_FEEDBACK
static inline void es_sdl3_open_feedback_(es_sdl3 *es, SDL_Window *window)
{
    SDL_PropertiesID properties = SDL_GetWindowProperties(window);
#ifdef ES_FEEDBACK_X11
    Sint64 number = SDL_GetNumberProperty(properties, SDL_PROP_WINDOW_X11_WINDOW_NUMBER, 0);
    if (number != 0) { /* SDL, too, connects to $DISPLAY */
        es_feedback_open_x11(&es->feedback, NULL, ES_CAST_(uint32_t, number));
    }
#endif
#ifdef ES_FEEDBACK_WAYLAND
    void *surface =
            SDL_GetPointerProperty(properties, SDL_PROP_WINDOW_WAYLAND_SURFACE_POINTER, NULL);
    if (surface != NULL) {
        es_feedback_open_wayland(&es->feedback,
                ES_CAST_(struct wl_display *,
                        SDL_GetPointerProperty(
                                properties, SDL_PROP_WINDOW_WAYLAND_DISPLAY_POINTER, NULL)),
                ES_CAST_(struct wl_surface *, surface));
    }
#endif
}
#endif

/* How often the swap interval is read: a driver may ask the X server for it. The largest that a
 * renderer gets: Direct3D takes no more, but fails in present only. */
enum { ES_SDL3_LOOK_MS = 100, ES_SDL3_INTERVAL_MAX = 4 };

static inline int es_sdl3_get_interval_(SDL_Window *window)
{
    int interval = 0;
    SDL_Renderer *renderer = SDL_GetRenderer(window);
    bool known = renderer != NULL ? SDL_GetRenderVSync(renderer, &interval)
                                  : SDL_GL_GetSwapInterval(&interval);
    return known ? interval : 0;
}

/* SDL on Wayland takes any interval for OpenGL and sets 1 (Wayland_GLES_SetSwapInterval). */
static inline bool es_sdl3_set_interval_(SDL_Window *window, int interval)
{
    SDL_Renderer *renderer = SDL_GetRenderer(window);
    bool set = renderer == NULL
                       ? SDL_GL_SetSwapInterval(interval)
                       : interval <= ES_SDL3_INTERVAL_MAX && SDL_SetRenderVSync(renderer, interval);
    return set && es_sdl3_get_interval_(window) == interval;
}

/* The next present comes at least this many refreshes after the last one, where that can be set. */
static inline void es_sdl3_interval_(es_sdl3 *es, SDL_Window *window, int refreshes)
{
    es_targets targets;
    int64_t now_ns = es_now_ns();
    bool changes = es->interval != 0 && refreshes != es->interval;
    if (es->refused || es->keep_interval || ES_SDL3_HOST || refreshes < 1
            || (!changes && now_ns < es->look_ns) || window == NULL
            || (SDL_GetRenderer(window) == NULL && SDL_GL_GetCurrentWindow() != window)) {
        return;
    }
    int found = es_sdl3_get_interval_(window);
    found = found == 1 || found == es->interval ? found : 0;
    es->look_ns = now_ns + ES_SDL3_LOOK_MS * ES_NS_PER_MS;
    if (found != 0 && (es->interval == 0 || found != refreshes)) {
        /* before the loop plans with it, another interval is tried */
        es->refused = (es->interval == 0 && !es_sdl3_set_interval_(window, 2))
                      || !es_sdl3_set_interval_(window, refreshes);
        if (es->refused) {
            es_sdl3_set_interval_(window, 1);
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
static inline void es_sdl3_close(es_sdl3 *es)
{
    if (es->interval > 1) {
        es_sdl3_interval_(es, SDL_GetWindowFromID(es->window), 1);
    }
#ifdef ES_SDL3_FEEDBACK
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
static inline bool es_sdl3_open(es_sdl3 *es, SDL_Window *window, const es_loop_config *config)
{
    es_loop_config own;
    es_input_config keys = es_sdl3_input_config();
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
        own.refresh = es_sdl3_refresh_(window);
        es->announced = own.refresh;
    }
    es->window = SDL_GetWindowID(window);
    es->loop = es_loop_create(&own);
    es->input = es->loop != NULL ? es_input_create(&keys) : NULL;
    if (es->input == NULL) {
        es_sdl3_close(es);
        return false;
    }
    es_sdl3_look_(es, window); /* it may be hidden */
#ifdef ES_SDL3_FEEDBACK
    es_sdl3_open_feedback_(es, window);
#endif
    return true;
}

/* Passes an event on: keys, mouse and gamepads to es.input; a window that is hidden, minimised or
 * covered and another display or mode to es.loop. Call it for each event, in SDL_AppEvent. */
static inline void es_sdl3_event(es_sdl3 *es, const SDL_Event *event)
{
    es_input_event events[2];
    int count = es->loop != NULL ? es_sdl3_convert(es->input, event, es_now_ns(), events) : 0;
    bool ours = event->type >= SDL_EVENT_WINDOW_FIRST && event->type <= SDL_EVENT_WINDOW_LAST
                && event->window.windowID == es->window;
    for (int i = 0; i < count; ++i) {
        es_input_push(es->input, &events[i]);
    }
    if (es->loop != NULL && (ours || event->type == SDL_EVENT_DISPLAY_CURRENT_MODE_CHANGED)) {
        SDL_Window *window = SDL_GetWindowFromID(es->window);
        if (window != NULL) {
            es_sdl3_look_(es, window);
        }
    }
}

static inline bool es_sdl3_plan_(es_sdl3 *es, es_frame *frame)
{
#ifdef ES_SDL3_FEEDBACK
    es_feedback_take(&es->feedback, es->loop);
#endif
#if ES_SDL3_HOST
    bool planned = es_loop_next_at(es->loop, ES_UNKNOWN_NS, ES_UNKNOWN_NS, frame);
#else
    bool planned = es_loop_next(es->loop, frame);
#endif
    uint64_t ticks = SDL_GetTicksNS(); /* read before the loop's clock: no event is in the future */
    es_input_stamp(es->input, ticks, es_now_ns());
    return planned;
}

/* es_loop_next: ends the last frame, waits if it must, and plans the next. Poll events after it.
 * After es_sdl3_end: returns the frame that has been waited for. Where a host calls:
 * es_loop_next_at. */
static inline bool es_sdl3_next(es_sdl3 *es, es_frame *frame)
{
    if (es->planned) {
        es->planned = false;
        *frame = es->frame;
        return true;
    }
    return es_sdl3_plan_(es, frame);
}

/* Main callbacks: the last call of SDL_AppIterate, of frames that are not visible, too. Ends the
 * frame and waits for the next one. Where a host calls: es_loop_end, which does not wait. */
static inline bool es_sdl3_end(es_sdl3 *es)
{
#if ES_SDL3_HOST
    return es_loop_end(es->loop);
#else
    es->planned = es->planned || es_sdl3_plan_(es, &es->frame);
    return es->planned;
#endif
}

/* es_frame_step of tick i of the frame. es.input then answers for this tick. */
static inline es_step es_sdl3_step(es_sdl3 *es, const es_frame *frame, int i)
{
    es_step step = es_frame_step(frame, i);
    es_input_tick(es->input, &step);
    return step;
}

/* es_loop_submit: drawing is done. Present directly after it. It flushes the window's SDL_Renderer:
 * without that SDL draws in SDL_RenderPresent, where time counts as waiting. */
static inline void es_sdl3_submit(es_sdl3 *es, const es_frame *frame)
{
    SDL_Window *window = es->window != 0 ? SDL_GetWindowFromID(es->window) : NULL;
    SDL_Renderer *renderer = window != NULL ? SDL_GetRenderer(window) : NULL;
    if (renderer != NULL) {
        SDL_FlushRenderer(renderer);
    }
    if (es->loop != NULL) {
        es_sdl3_interval_(es, window, frame->target_refreshes);
    }
    es_loop_submit(es->loop);
#ifdef ES_SDL3_FEEDBACK
    es_feedback_before_present(&es->feedback, frame->index, frame->target_ns);
#endif
}

#endif
