/* SPDX-License-Identifier: Zlib
 *
 * adapters/es_sdl3.h against tests/stubs/sdl3, whose functions this file has. With main callbacks.
 * Compiled twice: as on the desktop, and as where a host calls (ES_SDL3_HOST).
 */
#include <SDL3/SDL.h>

static SDL_Window *windows[3];

#define ADAPTER             es_sdl3
#define ADAPTER_HEADER      "adapters/es_sdl3.h"
#define OPEN(es, i, config) es_sdl3_open(es, windows[i], config)
#define SUBMIT              es_sdl3_submit
#define POLL(es)            assert_true((es)->loop != NULL || !es_sdl3_end(es))
#define END(es, frame)      assert_true(es_sdl3_end(es) && (HOST || es_sdl3_end(es)))
#define HOST                ES_SDL3_HOST
#define THERE(i)            (windows[i] != NULL)
#define KEY                 SDL_SCANCODE_SPACE
#define LOOKS               0
#define VSYNC(interval)     (swaps.is = (interval))
#define INTERVALS           1
#include "adapter_cases.h"

/* SDL's clock is behind the loop's by this. */
#define BEHIND_NS (7 * S + 12345)

static struct {
    SDL_DisplayMode mode;
    bool no_mode;
    bool gone; /* the windows */
    bool opengl;
} fake;
static const SDL_WindowFlags flags[] = {
        0, SDL_WINDOW_HIDDEN, SDL_WINDOW_MINIMIZED, SDL_WINDOW_OCCLUDED};

/* --- the library ---------------------------------------------------------------------------------- */

FAKE(SDL_DisplayID SDL_GetDisplayForWindow(SDL_Window *window), return window != NULL ? 1 : 0)
FAKE(const SDL_DisplayMode *SDL_GetCurrentDisplayMode(SDL_DisplayID display),
        return display != 0 && !fake.no_mode ? &fake.mode : NULL)
FAKE(SDL_WindowFlags SDL_GetWindowFlags(SDL_Window *window), assert_non_null(window);
        return flags[visibility])
FAKE(SDL_WindowID SDL_GetWindowID(SDL_Window *window),
        return window != NULL ? 3U + (window == windows[1]) : 0)
FAKE(SDL_Window *SDL_GetWindowFromID(SDL_WindowID id),
        return (id == 3 || id == 4) && !fake.gone ? windows[id - 3] : NULL)
FAKE(SDL_Renderer *SDL_GetRenderer(SDL_Window *window),
        return fake.opengl ? NULL : (SDL_Renderer *)(void *)window)
FAKE(SDL_Window *SDL_GL_GetCurrentWindow(void), return windows[0])
FAKE(bool SDL_GL_SetSwapInterval(int to), return fake.opengl && set_swap(to))
FAKE(bool SDL_GL_GetSwapInterval(int *is), return (*is = swaps.is, fake.opengl))
FAKE(bool SDL_SetRenderVSync(SDL_Renderer *of, int to), return of != NULL && set_swap(to))
FAKE(bool SDL_GetRenderVSync(SDL_Renderer *of, int *is), return (*is = swaps.is, of != NULL))
FAKE(bool SDL_FlushRenderer(SDL_Renderer *renderer), return ++library_calls > 0 && renderer != NULL)
FAKE(Uint64 SDL_GetTicksNS(void), return (Uint64)(read_clock(NULL) - BEHIND_NS))

static void begin(void)
{
    memset(&fake, 0, sizeof fake);
    fake.mode.refresh_rate = (float)display_hz;
    fake.opengl = roll(2) == 0;
    windows[0] = (SDL_Window *)(void *)&adapters[0];
    windows[1] = (SDL_Window *)(void *)&adapters[1];
}

static SDL_Event new_event(uint32_t type)
{
    SDL_Event event;
    memset(&event, 0, sizeof event);
    event.type = type;
    event.common.timestamp = (Uint64)(virtual_ns - BEHIND_NS);
    event.window.windowID = 3;
    return event;
}

static void happen(adapter *es, happening what, bool repeats)
{
    static const uint32_t types[] = {SDL_EVENT_KEY_DOWN, SDL_EVENT_KEY_UP, SDL_EVENT_MOUSE_MOTION,
            SDL_EVENT_WINDOW_FIRST, SDL_EVENT_DISPLAY_CURRENT_MODE_CHANGED};
    SDL_Event event = new_event(types[what]);
    event.key.scancode = KEY;
    event.key.repeat = repeats;
    event.motion.xrel = 1.0F;
    event.motion.yrel = -2.0F;
    fake.mode.refresh_rate = (float)display_hz;
    es_sdl3_event(es, &event);
}

static void change_window(int i)
{
    (void)i;
    fake.no_mode = roll(4) == 0;
    fake.gone = roll(9) == 0;
    fake.mode.refresh_rate = (float)display_hz;
    fake.mode.refresh_rate_numerator = roll(3) == 0 ? roll(INT32_MAX) : roll(300) - 10;
    fake.mode.refresh_rate_denominator = roll(1002) - 1;
}

static void random_event(adapter *es)
{
    static const uint32_t types[] = {SDL_EVENT_QUIT, SDL_EVENT_DISPLAY_CURRENT_MODE_CHANGED,
            SDL_EVENT_WINDOW_FIRST, SDL_EVENT_WINDOW_FOCUS_LOST, SDL_EVENT_WINDOW_LAST,
            SDL_EVENT_KEY_DOWN, SDL_EVENT_KEY_UP, SDL_EVENT_MOUSE_MOTION,
            SDL_EVENT_MOUSE_BUTTON_DOWN, SDL_EVENT_MOUSE_BUTTON_UP, SDL_EVENT_MOUSE_WHEEL,
            SDL_EVENT_GAMEPAD_AXIS_MOTION, SDL_EVENT_GAMEPAD_BUTTON_DOWN,
            SDL_EVENT_GAMEPAD_BUTTON_UP, SDL_EVENT_GAMEPAD_ADDED, SDL_EVENT_GAMEPAD_REMOVED};
    SDL_Event event = new_event(types[roll((int)COUNT_OF(types))]);
    event.common.timestamp = random_u64(&dice);
    event.window.windowID = 2 + (uint32_t)roll(3);
    event.key.scancode = (SDL_Scancode)roll(SDL_SCANCODE_COUNT);
    event.key.repeat = roll(4) == 0;
    event.button.button = (Uint8)roll(256);
    event.gaxis.which = event.gbutton.which = (uint32_t)random_u64(&dice);
    event.gaxis.axis = event.gbutton.button = (Uint8)roll(256);
    es_sdl3_event(es, &event);
    if (roll(8) == 0) {
        es_sdl3_end(es);
    }
}

/* --- of SDL 3 only -------------------------------------------------------------------------------- */

TEST(sdl3_stamps_are_converted_exactly)
{
    es_loop_config config = start();
    adapter *es = &adapters[0];
    es_input_event events[2];
    assert_true(es_sdl3_open(es, windows[0], &config));
    play();
    SDL_Event event = new_event(SDL_EVENT_MOUSE_MOTION);
    event.common.timestamp -= 4 * MS + 321;
    event.motion.xrel = 2.5F;
    event.motion.yrel = -3.0F;
    assert_int_equal(es_sdl3_convert(es->input, &event, virtual_ns + MS, events), 2);
    assert_int_equal(events[0].stamp_ns, virtual_ns - 4 * MS - 321);
    assert_int_equal(events[1].stamp_ns, events[0].stamp_ns);
    assert_int_equal(events[0].code, ES_SDL3_X);
    assert_int_equal(events[1].code, ES_SDL3_Y);
    assert_true(events[0].value == 2.5 && events[1].value == -3.0);
    event = new_event(SDL_EVENT_GAMEPAD_AXIS_MOTION);
    event.gaxis.which = 3;
    event.gaxis.axis = 1;
    event.gaxis.value = -32768;
    assert_int_equal(es_sdl3_convert(es->input, &event, virtual_ns, events), 1);
    assert_int_equal(events[0].kind, ES_INPUT_PLACE);
    assert_int_equal(events[0].device, 5);
    assert_int_equal(events[0].code, ES_SDL3_GAMEPAD_AXIS + 1);
    assert_true(events[0].value == -32768.0);
    es_sdl3_close(es);
}

TEST(sdl3_follows_its_own_window_and_exact_rates)
{
    es_loop_config config = start();
    adapter *es = &adapters[0];
    fake.opengl = false;
    assert_false(es_sdl3_set_interval_(windows[0], 5) || swaps.sets > 0); /* Direct3D takes 4 */
    fake.mode.refresh_rate = 59.94F;
    fake.mode.refresh_rate_numerator = 60000;
    fake.mode.refresh_rate_denominator = 1001;
    assert_true(es_sdl3_open(es, windows[0], &config));
    check_hz(60000);
    assert_int_equal(es_loop_get_config(es->loop).refresh.denominator, 1001);
    fake.mode.refresh_rate_numerator = 2000000000; /* a pixel clock: too large for an es_rate */
    fake.mode.refresh_rate_denominator = 8333333;
    set_hz(es, 240);
    check_hz(240);
    visibility = COVERED;
    SDL_Event event = new_event(SDL_EVENT_WINDOW_FIRST);
    event.window.windowID = 4; /* not this window */
    es_sdl3_event(es, &event);
    play();
    int flushed = library_calls;
    assert_true(play().visible);
    assert_int_equal(library_calls, flushed + 1);
    event.window.windowID = 3;
    event.type = SDL_EVENT_WINDOW_LAST;
    es_sdl3_event(es, &event);
    play();
    assert_false(play().visible);
    es_sdl3_close(es);
}
