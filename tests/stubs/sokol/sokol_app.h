/* SPDX-License-Identifier: Zlib
 *
 * As much of sokol_app.h as adapters/es_sokol.h and its example use: for compiling where it is not.
 * The adapter calls none of its functions.
 */
#ifndef SOKOL_APP_INCLUDED
#define SOKOL_APP_INCLUDED

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum sapp_event_type {
    SAPP_EVENTTYPE_INVALID,
    SAPP_EVENTTYPE_KEY_DOWN,
    SAPP_EVENTTYPE_KEY_UP,
    SAPP_EVENTTYPE_CHAR,
    SAPP_EVENTTYPE_MOUSE_DOWN,
    SAPP_EVENTTYPE_MOUSE_UP,
    SAPP_EVENTTYPE_MOUSE_SCROLL,
    SAPP_EVENTTYPE_MOUSE_MOVE,
    SAPP_EVENTTYPE_ICONIFIED = 15,
    SAPP_EVENTTYPE_RESTORED,
    SAPP_EVENTTYPE_FOCUSED,
    SAPP_EVENTTYPE_UNFOCUSED,
    SAPP_EVENTTYPE_SUSPENDED,
    SAPP_EVENTTYPE_RESUMED
} sapp_event_type;

typedef enum sapp_keycode { SAPP_KEYCODE_SPACE = 32, SAPP_KEYCODE_MENU = 348 } sapp_keycode;

typedef enum sapp_mousebutton {
    SAPP_MOUSEBUTTON_LEFT = 0,
    SAPP_MOUSEBUTTON_INVALID = 256
} sapp_mousebutton;

typedef struct sapp_event {
    sapp_event_type type;
    sapp_keycode key_code;
    bool key_repeat;
    sapp_mousebutton mouse_button;
    float mouse_dx, mouse_dy;
    float scroll_x, scroll_y;
} sapp_event;

typedef struct sapp_desc {
    void (*init_cb)(void);
    void (*frame_cb)(void);
    void (*cleanup_cb)(void);
    void (*event_cb)(const sapp_event *event);
    int width, height;
    const char *window_title;
} sapp_desc;

#ifdef __cplusplus
extern "C" {
#endif

sapp_desc sokol_main(int argc, char *argv[]);
void sapp_request_quit(void);

#ifdef __cplusplus
}
#endif

#endif
