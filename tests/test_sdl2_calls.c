/* SPDX-License-Identifier: Zlib
 *
 * adapters/es_sdl2.h and SDL 2 on its dummy driver, with a display of any rate.
 */
#include <SDL.h>

static int display_mode(int display, SDL_DisplayMode *mode);
static SDL_Window *windows[3];

#define SDL_GetCurrentDisplayMode  display_mode
#define SDL_GL_GetCurrentWindow()  windows[0]
#define SDL_GL_SetSwapInterval(to) (set_swap(to) ? 0 : -1)
#define SDL_GL_GetSwapInterval()   swaps.is
#define ADAPTER                    es_sdl2
#define ADAPTER_HEADER             "adapters/es_sdl2.h"
#define OPEN(es, i, config)        es_sdl2_open(es, windows[i], config)
#define SUBMIT                     es_sdl2_submit
#define POLL(es)                   ((void)0)
#define END(es, frame)             ((void)0)
#define HOST                       false
#define THERE(i)                   (windows[i] != NULL)
#define KEY                        SDL_SCANCODE_SPACE
#define LOOKS                      0
#define VSYNC(interval)            (swaps.is = (interval))
#define INTERVALS                  1
#include "adapter_cases.h"

static void make_window(int i, Uint32 flags)
{
    windows[i] = SDL_CreateWindow("test", 0, 0, 64, 64, flags);
    assert_non_null(windows[i]);
    if (roll(2) == 0) {
        SDL_CreateRenderer(windows[i], -1, SDL_RENDERER_SOFTWARE);
    }
}

static void destroy_window(int i)
{
    if (windows[i] != NULL && SDL_GetRenderer(windows[i]) != NULL) {
        SDL_DestroyRenderer(SDL_GetRenderer(windows[i])); /* which the window would leak */
    }
    SDL_DestroyWindow(windows[i]);
    windows[i] = NULL;
}

static void end(void)
{
    destroy_window(0);
    destroy_window(1);
    SDL_Quit();
}

static void begin(void)
{
    static bool begun;
    if (!begun) {
        SDL_SetHint(SDL_HINT_VIDEODRIVER, "dummy");
        assert_int_equal(SDL_Init(SDL_INIT_VIDEO), 0);
        begun = atexit(end) == 0;
    }
    for (int i = 0; i < WINDOWS; ++i) {
        destroy_window(i);
        make_window(i, 0);
    }
}

static int display_mode(int display, SDL_DisplayMode *mode)
{
    memset(mode, 0, sizeof *mode);
    mode->refresh_rate = display_hz;
    return display < 0 ? -1 : 0;
}

static void happen(adapter *es, happening what, bool repeats)
{
    static const Uint32 types[] = {
            SDL_KEYDOWN, SDL_KEYUP, SDL_MOUSEMOTION, SDL_WINDOWEVENT, SDL_WINDOWEVENT};
    SDL_Event event;
    memset(&event, 0, sizeof event);
    event.type = types[what];
    event.common.timestamp = (Uint32)(virtual_ns / MS);
    if (what == MOVED) {
        event.motion.xrel = 1;
        event.motion.yrel = -2;
    } else if (what == WINDOW_CHANGED || what == DISPLAY_CHANGED) {
        event.window.windowID = SDL_GetWindowID(windows[0]);
        event.window.event = SDL_WINDOWEVENT_MOVED;
    } else {
        event.key.keysym.scancode = KEY;
        event.key.repeat = repeats;
    }
    if (what == WINDOW_CHANGED && windows[0] != NULL) {
        (visibility != VISIBLE ? SDL_HideWindow : SDL_ShowWindow)(windows[0]);
    }
    es_sdl2_event(es, &event);
    event.type = SDL_TEXTINPUT; /* no input */
    es_sdl2_event(es, &event);
}

/* An adapter may stay open on a window that is gone. */
static void change_window(int i)
{
    int kind = roll(6);
    if (windows[i] == NULL) {
        make_window(i, roll(2) == 0 ? SDL_WINDOW_HIDDEN : SDL_WINDOW_RESIZABLE);
    } else if (kind == 0) {
        SDL_HideWindow(windows[i]);
    } else if (kind == 1) {
        SDL_ShowWindow(windows[i]);
    } else if (kind == 2) {
        SDL_MinimizeWindow(windows[i]);
    } else if (kind == 3) {
        SDL_RestoreWindow(windows[i]);
    } else if (kind == 4) {
        SDL_SetWindowSize(windows[i], 1 + roll(200), 1 + roll(200));
    } else {
        destroy_window(i);
    }
}

static void random_event(adapter *es)
{
    static const Uint32 types[] = {SDL_KEYDOWN, SDL_KEYUP, SDL_MOUSEBUTTONDOWN, SDL_MOUSEBUTTONUP,
            SDL_MOUSEMOTION, SDL_MOUSEWHEEL, SDL_CONTROLLERBUTTONDOWN, SDL_CONTROLLERAXISMOTION,
            SDL_CONTROLLERDEVICEREMOVED, SDL_WINDOWEVENT, SDL_QUIT, SDL_USEREVENT};
    SDL_Event event;
    while (roll(4) == 0 && SDL_PollEvent(&event)) {
        es_sdl2_event(es, &event);
    }
    for (size_t i = 0; i < sizeof event; ++i) {
        ((unsigned char *)&event)[i] = (unsigned char)roll(256);
    }
    event.type = types[roll((int)COUNT_OF(types))];
    if (event.type == SDL_WINDOWEVENT) {
        event.window.windowID = (Uint32)roll(4);
        event.window.event = (Uint8)roll(20);
    }
    es_sdl2_event(es, &event);
}
