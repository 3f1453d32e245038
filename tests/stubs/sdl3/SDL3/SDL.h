/* SPDX-License-Identifier: Zlib
 *
 * As much of SDL 3 as adapters/es_sdl3.h and its example use: for compiling where it is not.
 * tests/test_sdl3_calls.c has the functions that the adapter calls.
 */
#ifndef TEST_STUB_SDL3_H
#define TEST_STUB_SDL3_H

#include <stdbool.h>
#include <stdint.h>

typedef uint8_t Uint8;
typedef int16_t Sint16;
typedef uint32_t Uint32;
typedef int64_t Sint64;
typedef uint64_t Uint64;
typedef uint32_t SDL_DisplayID, SDL_WindowID, SDL_JoystickID, SDL_PropertiesID;
typedef uint64_t SDL_WindowFlags;
typedef struct SDL_Window SDL_Window;
typedef struct SDL_Renderer SDL_Renderer;

#define SDL_WINDOW_OCCLUDED  UINT64_C(0x04)
#define SDL_WINDOW_HIDDEN    UINT64_C(0x08)
#define SDL_WINDOW_MINIMIZED UINT64_C(0x40)

#define SDL_INIT_VIDEO                          0x20U
#define SDL_PROP_WINDOW_X11_WINDOW_NUMBER       "SDL.window.x11.window"
#define SDL_PROP_WINDOW_WAYLAND_DISPLAY_POINTER "SDL.window.wayland.display"
#define SDL_PROP_WINDOW_WAYLAND_SURFACE_POINTER "SDL.window.wayland.surface"

typedef enum SDL_Scancode { SDL_SCANCODE_SPACE = 44, SDL_SCANCODE_COUNT = 512 } SDL_Scancode;

typedef enum SDL_EventType {
    SDL_EVENT_QUIT = 0x100,
    SDL_EVENT_DISPLAY_CURRENT_MODE_CHANGED = 0x156,
    SDL_EVENT_WINDOW_FIRST = 0x202,
    SDL_EVENT_WINDOW_FOCUS_LOST = 0x20f,
    SDL_EVENT_WINDOW_LAST = 0x21a,
    SDL_EVENT_KEY_DOWN = 0x300,
    SDL_EVENT_KEY_UP,
    SDL_EVENT_MOUSE_MOTION = 0x400,
    SDL_EVENT_MOUSE_BUTTON_DOWN,
    SDL_EVENT_MOUSE_BUTTON_UP,
    SDL_EVENT_MOUSE_WHEEL,
    SDL_EVENT_GAMEPAD_AXIS_MOTION = 0x650,
    SDL_EVENT_GAMEPAD_BUTTON_DOWN,
    SDL_EVENT_GAMEPAD_BUTTON_UP,
    SDL_EVENT_GAMEPAD_ADDED,
    SDL_EVENT_GAMEPAD_REMOVED
} SDL_EventType;

/* Not the layout of SDL: all members of an event beside each other. */
typedef struct SDL_Event {
    Uint32 type;
    struct {
        Uint64 timestamp;
    } common;
    struct {
        SDL_WindowID windowID;
    } window;
    struct {
        SDL_Scancode scancode;
        bool repeat;
    } key;
    struct {
        float xrel, yrel;
    } motion;
    struct {
        Uint8 button;
    } button;
    struct {
        float x, y;
    } wheel;
    struct {
        SDL_JoystickID which;
        Uint8 axis;
        Sint16 value;
    } gaxis;
    struct {
        SDL_JoystickID which;
        Uint8 button;
    } gbutton;
    struct {
        SDL_JoystickID which;
    } gdevice;
} SDL_Event;

typedef struct SDL_DisplayMode {
    float refresh_rate;
    int refresh_rate_numerator;
    int refresh_rate_denominator;
} SDL_DisplayMode;

typedef struct SDL_FRect {
    float x, y, w, h;
} SDL_FRect;

typedef enum SDL_AppResult { SDL_APP_CONTINUE, SDL_APP_SUCCESS, SDL_APP_FAILURE } SDL_AppResult;

#ifdef __cplusplus
extern "C" {
#endif

/* the adapter's */
SDL_DisplayID SDL_GetDisplayForWindow(SDL_Window *window);
const SDL_DisplayMode *SDL_GetCurrentDisplayMode(SDL_DisplayID display);
SDL_WindowFlags SDL_GetWindowFlags(SDL_Window *window);
SDL_WindowID SDL_GetWindowID(SDL_Window *window);
SDL_Window *SDL_GetWindowFromID(SDL_WindowID id);
SDL_PropertiesID SDL_GetWindowProperties(SDL_Window *window);
Sint64 SDL_GetNumberProperty(SDL_PropertiesID properties, const char *name, Sint64 otherwise);
void *SDL_GetPointerProperty(SDL_PropertiesID properties, const char *name, void *otherwise);
SDL_Renderer *SDL_GetRenderer(SDL_Window *window);
bool SDL_FlushRenderer(SDL_Renderer *renderer);
bool SDL_SetRenderVSync(SDL_Renderer *renderer, int vsync);
bool SDL_GetRenderVSync(SDL_Renderer *renderer, int *vsync);
SDL_Window *SDL_GL_GetCurrentWindow(void);
bool SDL_GL_SetSwapInterval(int interval);
bool SDL_GL_GetSwapInterval(int *interval);
Uint64 SDL_GetTicksNS(void);

/* the examples' */
bool SDL_Init(Uint32 flags);
bool SDL_PollEvent(SDL_Event *event);
const char *SDL_GetError(void);
void SDL_Log(const char *format, ...);
Uint64 SDL_GetTicks(void);
float SDL_fmodf(float x, float y);
bool SDL_CreateWindowAndRenderer(const char *title, int width, int height, SDL_WindowFlags flags,
        SDL_Window **window, SDL_Renderer **renderer);
void SDL_DestroyWindow(SDL_Window *window);
void SDL_DestroyRenderer(SDL_Renderer *renderer);
bool SDL_SetRenderDrawColor(SDL_Renderer *renderer, Uint8 r, Uint8 g, Uint8 b, Uint8 a);
bool SDL_RenderClear(SDL_Renderer *renderer);
bool SDL_RenderFillRect(SDL_Renderer *renderer, const SDL_FRect *rect);
bool SDL_RenderPresent(SDL_Renderer *renderer);
bool SDL_RenderDebugText(SDL_Renderer *renderer, float x, float y, const char *text);

#ifdef __cplusplus
}
#endif

#endif
