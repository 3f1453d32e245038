/* SPDX-License-Identifier: Zlib
 *
 * es_raylib: Evenstep in raylib's window. One header, to copy; needs raylib 5.0, evenstep.c and
 * evenstep_input.c.
 *
 *     SetConfigFlags(FLAG_VSYNC_HINT);                       // the display paces the loop
 *     InitWindow(800, 300, "game");                          // and never SetTargetFPS
 *     es_raylib es;
 *     if (!es_raylib_open(&es, NULL)) {
 *         TraceLog(LOG_ERROR, "%s", es_get_error());
 *     }
 *     es_frame frame;
 *     while (!WindowShouldClose() && es_raylib_next(&es, &frame)) { // waits
 *         es_raylib_poll(&es);
 *         for (int i = 0; i < frame.ticks; ++i) {
 *             es_step step = es_raylib_step(&es, &frame, i); // with the input of this tick
 *             if (es_input_pressed(es.input, KEY_SPACE)) {
 *                 jump(&current);
 *             }
 *             update(&current, step.dt_s);
 *         }
 *         if (frame.visible) {
 *             BeginDrawing();
 *             draw(&previous, &current, frame.alpha);
 *             es_raylib_submit(&es);
 *             EndDrawing();                                  // presents: waits, if vsync is on
 *         }
 *     }
 *     es_raylib_close(&es);
 *
 * Pass es.loop and es.input to the functions of evenstep.h and input.h. With an es_raylib that is all
 * 0, as after es_raylib_close, functions do nothing and return false or 0. In ticks read es.input:
 * IsKeyPressed is of a whole frame, which may have no tick, or several. In the drawing part (a
 * menu, raygui) use raylib's own functions, except GetKeyPressed: es_raylib_poll empties it.
 *
 * raylib stamps no event: its time is that of es_raylib_poll. If a key goes down and up between two
 * polls, raylib reports the press alone, and es_raylib_poll adds the release. Of mouse and gamepad
 * buttons raylib then reports neither.
 *
 * Define ES_RAYLIB_GLFW before the include if your raylib is built with GLFW, as its releases for desktops
 * are: while FLAG_VSYNC_HINT is set, es_raylib_submit then sets the swap interval to
 * frame.target_refreshes, and es_raylib_close to 1 again. Without the define it stays 1.
 *
 * On the web the browser calls the frame: in place of es_raylib_next use es_loop_next_at(es.loop,
 * ES_UNKNOWN_NS, ES_UNKNOWN_NS, &frame), and es_loop_end(es.loop) last. Where frame.surplus is true,
 * draw nothing. There is no feedback.
 */
#ifndef EVENSTEP_ADAPTERS_ES_RAYLIB_H
#define EVENSTEP_ADAPTERS_ES_RAYLIB_H

#include "evenstep/evenstep.h"
#include "evenstep/input.h"

#include <string.h>

#include <raylib.h>
#include <rlgl.h>

#ifdef ES_RAYLIB_GLFW
#ifdef __cplusplus
extern "C"
#endif
        void
        glfwSwapInterval(int interval); /* linked with raylib, which has no call for it */
#endif

/* Codes of buttons: a key is its KeyboardKey; then the buttons of the mouse (ES_RAYLIB_MOUSE +
 * MOUSE_BUTTON_LEFT) and of gamepads. Codes of axes. Devices: keyboard, mouse, gamepads. */
enum {
    ES_RAYLIB_MOUSE = 512,
    ES_RAYLIB_GAMEPAD = 544,
    ES_RAYLIB_BUTTONS = 576,
    ES_RAYLIB_X = 0,
    ES_RAYLIB_Y,
    ES_RAYLIB_WHEEL_X,
    ES_RAYLIB_WHEEL_Y,
    ES_RAYLIB_GAMEPAD_AXIS, /* and on: -1 to 1 */
    ES_RAYLIB_AXES = 10,
    ES_RAYLIB_KEYBOARD = 0,
    ES_RAYLIB_POINTER = 1,
    ES_RAYLIB_FIRST_GAMEPAD = 2,
    ES_RAYLIB_GAMEPADS = 4,
    ES_RAYLIB_GAMEPAD_BUTTONS = 18,
    ES_RAYLIB_GAMEPAD_AXES = 6
};

typedef struct es_raylib {
    es_loop *loop;
    es_input *input;
    bool announces; /* config.refresh was 0: it follows the window's monitor */
    uint32_t announced_hz;
    bool collected;     /* what raylib polled last has been passed on */
    bool fresh;         /* something was new that raylib reports in one frame only */
    int64_t now_ns;     /* stamp of what is new */
    int64_t monitor_ns; /* when the monitor was last looked at */
    int refreshes;      /* of the newest frame: target_refreshes */
    int interval;       /* the swap interval as set here, or 1; 0: without vsync */
    bool keys[ES_RAYLIB_MOUSE];
    bool buttons[ES_RAYLIB_GAMEPAD - ES_RAYLIB_MOUSE];
    struct {
        bool connected;
        bool buttons[ES_RAYLIB_GAMEPAD_BUTTONS];
        float axes[ES_RAYLIB_GAMEPAD_AXES];
    } gamepads[ES_RAYLIB_GAMEPADS];
} es_raylib;

/* --- events ------------------------------------------------------------------------------------ */

static inline void es_raylib_push_(
        es_raylib *es, es_input_kind kind, int device, int code, double value)
{
    es_input_event event;
    memset(&event, 0, sizeof event);
    event.stamp_ns = es->now_ns;
    event.kind = kind;
    event.device = ES_CAST_(uint16_t, device);
    event.code = ES_CAST_(uint16_t, code);
    event.value = value;
    es->fresh = es->fresh || kind != ES_INPUT_PLACE;
    es_input_push(es->input, &event);
}

static inline void es_raylib_turn_(es_raylib *es, bool *was, bool down, int device, int code)
{
    if (*was != down) {
        *was = down;
        es_raylib_push_(es, down ? ES_INPUT_PRESS : ES_INPUT_RELEASE, device, code, 0.0);
    }
}

static inline void es_raylib_move_(es_raylib *es, int axis, float by)
{
    if (by < 0.0F || by > 0.0F) {
        es_raylib_push_(es, ES_INPUT_MOVE, ES_RAYLIB_POINTER, axis, ES_CAST_(double, by));
    }
}

static inline void es_raylib_gamepad_(es_raylib *es, int pad)
{
    int device = ES_RAYLIB_FIRST_GAMEPAD + pad;
    if (!IsGamepadAvailable(pad)) {
        if (es->gamepads[pad].connected) {
            memset(&es->gamepads[pad], 0, sizeof es->gamepads[pad]);
            es_raylib_push_(es, ES_INPUT_RESET, device, 0, 0.0);
        }
        return;
    }
    es->gamepads[pad].connected = true;
    for (int i = 0; i < ES_RAYLIB_GAMEPAD_BUTTONS; ++i) {
        es_raylib_turn_(es, &es->gamepads[pad].buttons[i], IsGamepadButtonDown(pad, i), device,
                ES_RAYLIB_GAMEPAD + i);
    }
    for (int i = 0; i < ES_RAYLIB_GAMEPAD_AXES; ++i) {
        float at = GetGamepadAxisMovement(pad, i);
        if (at < es->gamepads[pad].axes[i] || at > es->gamepads[pad].axes[i]) {
            es->gamepads[pad].axes[i] = at;
            es_raylib_push_(
                    es, ES_INPUT_PLACE, device, ES_RAYLIB_GAMEPAD_AXIS + i, ES_CAST_(double, at));
        }
    }
}

/* Passes on what raylib's last poll has changed. */
static inline void es_raylib_collect_(es_raylib *es)
{
    Vector2 moved = GetMouseDelta();
    Vector2 wheel = GetMouseWheelMoveV();
    es->now_ns = es_now_ns();
    es->fresh = false;
    for (int key = GetKeyPressed(); key > 0; key = GetKeyPressed()) {
        if (key < ES_RAYLIB_MOUSE) { /* one that is down has been up in between */
            es_raylib_turn_(es, &es->keys[key], false, ES_RAYLIB_KEYBOARD, key);
            es_raylib_turn_(es, &es->keys[key], true, ES_RAYLIB_KEYBOARD, key);
        }
    }
    for (int key = 0; key < ES_RAYLIB_MOUSE; ++key) {
        es_raylib_turn_(es, &es->keys[key], IsKeyDown(key), ES_RAYLIB_KEYBOARD, key);
        /* a repeat is no event; polling again would take it from the program */
        es->fresh = es->fresh || (es->keys[key] && IsKeyPressedRepeat(key));
    }
    for (int i = MOUSE_BUTTON_LEFT; i <= MOUSE_BUTTON_BACK; ++i) {
        es_raylib_turn_(
                es, &es->buttons[i], IsMouseButtonDown(i), ES_RAYLIB_POINTER, ES_RAYLIB_MOUSE + i);
    }
    es_raylib_move_(es, ES_RAYLIB_X, moved.x);
    es_raylib_move_(es, ES_RAYLIB_Y, moved.y);
    es_raylib_move_(es, ES_RAYLIB_WHEEL_X, wheel.x);
    es_raylib_move_(es, ES_RAYLIB_WHEEL_Y, wheel.y);
    for (int pad = 0; pad < ES_RAYLIB_GAMEPADS; ++pad) {
        es_raylib_gamepad_(es, pad);
    }
    es->collected = true;
}

/* Passes keys, mouse and gamepads on to es.input. Call it once per frame, after es_raylib_next.
 *
 * EndDrawing has polled before es_raylib_next waited. If that brought nothing, this polls again
 * (PollInputEvents), so that input is fresh. If it did, raylib's own functions still report it in
 * this frame. Of a frame that was not drawn this is the only poll. */
static inline void es_raylib_poll(es_raylib *es)
{
    bool fresh = false;
    if (es->loop == NULL) {
        return;
    }
    if (!es->collected) {
        es_raylib_collect_(es);
        fresh = es->fresh;
    }
    if (!fresh) {
        PollInputEvents();
        es_raylib_collect_(es);
    }
}

/* --- a loop in a window ------------------------------------------------------------------------ */

/* The rate that the window's monitor announces, in whole Hz: 59 for 59.94. {0, 0}: none. */
static inline es_rate es_raylib_refresh_(void)
{
    es_rate refresh = {0, 0};
    int hz = GetMonitorCount() > 0 ? GetMonitorRefreshRate(GetCurrentMonitor()) : 0;
    if (hz > 0) {
        refresh = es_hz(hz);
    }
    return refresh;
}

#ifdef ES_RAYLIB_GLFW
/* raylib sets the interval only where the program sets or clears the flag. */
static inline void es_raylib_interval_(es_raylib *es, int refreshes)
{
    es_targets targets;
    bool vsync = IsWindowState(FLAG_VSYNC_HINT);
    memset(&targets, 0, sizeof targets);
    targets.refreshes = vsync;
    if (vsync != (es->interval != 0)) {
        es->interval = vsync ? 1 : 0;
        es_loop_set_targets(es->loop, &targets);
    }
    if (vsync && refreshes > 0 && refreshes != es->interval) {
        glfwSwapInterval(refreshes);
        es->interval = refreshes;
    }
}
#endif

/* Frees everything. Call it before CloseWindow. */
static inline void es_raylib_close(es_raylib *es)
{
#ifdef ES_RAYLIB_GLFW
    if (es->interval > 1) {
        es_raylib_interval_(es, 1);
    }
#endif
    es_input_destroy(es->input);
    es_loop_destroy(es->loop);
    memset(es, 0, sizeof *es);
}

/* Creates a loop and an input for the window. Call it after InitWindow. It ends SetTargetFPS, and
 * sets FLAG_WINDOW_ALWAYS_RUN: without that raylib waits for events while the window is minimised.
 * es: any bytes; not an open one.
 * config: NULL: the default. If its refresh is 0, the rate that the monitor announces is used, and
 *   followed.
 * false: es_get_error says why; es is all 0. */
static inline bool es_raylib_open(es_raylib *es, const es_loop_config *config)
{
    es_loop_config own;
    es_input_config keys;
    memset(es, 0, sizeof *es);
    memset(&own, 0, sizeof own);
    memset(&keys, 0, sizeof keys);
    keys.buttons = ES_RAYLIB_BUTTONS;
    keys.axes = ES_RAYLIB_AXES;
    keys.rests = UINT64_C(15) << ES_RAYLIB_GAMEPAD_AXIS; /* sticks; a trigger rests at -1 */
    if (config != NULL) {
        own = *config;
    }
    es->announces = own.refresh.numerator == 0 && own.refresh.denominator == 0
                    && (own.pace == ES_PACE_AUTO || own.pace == ES_PACE_PRESENT);
    if (es->announces) {
        own.refresh = es_raylib_refresh_();
        es->announced_hz = own.refresh.numerator;
    }
    es->monitor_ns = es_now_ns();
    es->loop = es_loop_create(&own);
    es->input = es->loop != NULL ? es_input_create(&keys) : NULL;
    if (es->input == NULL) {
        es_raylib_close(es);
        return false;
    }
    SetTargetFPS(0);
    SetWindowState(FLAG_WINDOW_ALWAYS_RUN);
    return true;
}

/* Another monitor or mode: looked for once per second, because GLFW queries the server for it. */
static inline void es_raylib_follow_(es_raylib *es)
{
    int64_t now_ns = es_now_ns();
    if (es->announces && (now_ns < es->monitor_ns || now_ns > es->monitor_ns + ES_NS_PER_S)) {
        es_rate refresh = es_raylib_refresh_();
        es->monitor_ns = now_ns;
        if (refresh.numerator != es->announced_hz) {
            es_loop_config config = es_loop_get_config(es->loop);
            es->announced_hz = refresh.numerator;
            config.refresh = refresh;
            es_loop_configure(es->loop, &config);
        }
    }
}

/* es_loop_next: ends the last frame, waits if it must, and plans the next. A window that others
 * cover is not reported by raylib. */
static inline bool es_raylib_next(es_raylib *es, es_frame *frame)
{
    if (es->loop != NULL) {
        es_loop_set_visible(es->loop, !IsWindowHidden() && !IsWindowMinimized());
        es_raylib_follow_(es);
    }
    bool planned = es_loop_next(es->loop, frame);
    es->refreshes = planned ? frame->target_refreshes : 0;
    return planned;
}

/* es_frame_step of tick i of the frame. es.input then answers for this tick. */
static inline es_step es_raylib_step(es_raylib *es, const es_frame *frame, int i)
{
    es_step step = es_frame_step(frame, i);
    es_input_tick(es->input, &step);
    return step;
}

/* es_loop_submit: drawing is done. Call EndDrawing directly after it. It draws what raylib has
 * gathered: without that EndDrawing does, where time counts as waiting. */
static inline void es_raylib_submit(es_raylib *es)
{
    if (es->loop != NULL) {
        rlDrawRenderBatchActive();
#ifdef ES_RAYLIB_GLFW
        es_raylib_interval_(es, es->refreshes);
#endif
        es_loop_submit(es->loop);
        es->collected = false; /* EndDrawing polls */
    }
}

#endif
