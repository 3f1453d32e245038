/* SPDX-License-Identifier: Zlib
 *
 * Adapters for the libraries that are installed: what each makes of events made by hand.
 * The browser's is compiled with a stub (tests/stubs/browser).
 */
#include "adapters/input_browser.h"
#ifdef EVENSTEP_HAVE_SDL2
#include "adapters/es_sdl2.h"
#endif
#ifdef EVENSTEP_HAVE_GLFW
#include "adapters/es_glfw.h"
#endif

#include "test_support.h"

static es_input *start(es_input_config config)
{
    es_input *input = es_input_create(&config);
    assert_non_null(input);
    return input;
}

static void check(const es_input_event *event, es_input_kind kind, int device, int code,
        double value, int64_t stamp_ns)
{
    assert_int_equal(event->kind, kind);
    assert_int_equal(event->device, device);
    assert_int_equal(event->code, code);
    assert_true(event->value == value);
    assert_int_equal(event->stamp_ns, stamp_ns);
}

#ifdef EVENSTEP_HAVE_SDL2
/* Stamp 1250, and half of its resolution. */
#define SDL2_NS (5 * S + 250 * MS + 500000)

/* Converts it to this one event. */
static void check_sdl2(es_input *input, const SDL_Event *from, es_input_kind kind, int device,
        int code, double value)
{
    es_input_event event[2];
    assert_int_equal(es_sdl2_convert(input, from, 6 * S, event), 1);
    check(&event[0], kind, device, code, value, SDL2_NS);
}

static SDL_Event sdl2_event(uint32_t type)
{
    SDL_Event event;
    memset(&event, 0, sizeof event);
    event.type = type;
    event.common.timestamp = 1250;
    return event;
}

TEST(sdl2_events_are_converted)
{
    es_input *input = start(es_sdl2_input_config());
    es_input_event event[2];
    es_input_stamp(input, 1000, 5 * S);
    SDL_Event from = sdl2_event(SDL_KEYDOWN);
    from.key.keysym.scancode = SDL_SCANCODE_SPACE;
    check_sdl2(input, &from, ES_INPUT_PRESS, ES_SDL2_KEYBOARD, SDL_SCANCODE_SPACE, 0.0);
    from.key.repeat = 1;
    assert_int_equal(es_sdl2_convert(input, &from, 6 * S, event), 0);
    from = sdl2_event(SDL_MOUSEBUTTONUP);
    from.button.button = SDL_BUTTON_LEFT;
    check_sdl2(input, &from, ES_INPUT_RELEASE, ES_SDL2_POINTER, 513, 0.0);
    from = sdl2_event(SDL_MOUSEMOTION);
    from.motion.xrel = 3;
    from.motion.yrel = -4;
    assert_int_equal(es_sdl2_convert(input, &from, 6 * S, event), 2);
    check(&event[0], ES_INPUT_MOVE, ES_SDL2_POINTER, ES_SDL2_X, 3.0, SDL2_NS);
    check(&event[1], ES_INPUT_MOVE, ES_SDL2_POINTER, ES_SDL2_Y, -4.0, SDL2_NS);
    from = sdl2_event(SDL_MOUSEWHEEL);
    from.wheel.preciseX = 0.5F;
    from.wheel.preciseY = 1.5F;
    assert_int_equal(es_sdl2_convert(input, &from, 6 * S, event), 2);
    check(&event[0], ES_INPUT_MOVE, ES_SDL2_POINTER, ES_SDL2_WHEEL_X, 0.5, SDL2_NS);
    check(&event[1], ES_INPUT_MOVE, ES_SDL2_POINTER, ES_SDL2_WHEEL_Y, 1.5, SDL2_NS);
    from = sdl2_event(SDL_CONTROLLERBUTTONDOWN);
    from.cbutton.which = 3;
    from.cbutton.button = 2;
    check_sdl2(input, &from, ES_INPUT_PRESS, 5, 546, 0.0);
    from.type = SDL_CONTROLLERAXISMOTION;
    from.caxis.axis = 1;
    from.caxis.value = -20000;
    check_sdl2(input, &from, ES_INPUT_PLACE, 5, 5, -20000.0);
    from.type = SDL_CONTROLLERDEVICEREMOVED;
    from.cdevice.which = 3;
    check_sdl2(input, &from, ES_INPUT_RESET, 5, 0, 0.0);
    from.type = SDL_WINDOWEVENT;
    from.window.event = SDL_WINDOWEVENT_FOCUS_LOST;
    check_sdl2(input, &from, ES_INPUT_RESET, ES_INPUT_ALL, 0, 0.0);
    from.window.event = SDL_WINDOWEVENT_FOCUS_GAINED;
    assert_int_equal(es_sdl2_convert(input, &from, 6 * S, event), 0);
    from.type = SDL_TEXTINPUT;
    assert_int_equal(es_sdl2_convert(input, &from, 6 * S, event), 0);
    es_input_destroy(input);
}
#endif

#ifdef EVENSTEP_HAVE_GLFW
/* The tick's next event is this one, stamped in this test. */
static void check_glfw(es_input *input, es_input_kind kind, int device, int code, double value)
{
    es_input_event event;
    assert_true(es_input_next(input, &event));
    check(&event, kind, device, code, value, event.stamp_ns);
    assert_in_range(es_now_ns() - event.stamp_ns, 0, 60 * S);
}

/* By its callbacks, without a window. */
TEST(glfw_events_are_converted)
{
    es_input_config config = {.buttons = ES_GLFW_BUTTONS, .axes = ES_GLFW_AXES};
    GLFWwindow *window = (GLFWwindow *)(void *)&config; /* never read */
    GLFWwindow *other = (GLFWwindow *)(void *)&window;
    es_glfw es = {.window = window, .input = start(config)};
    *es_glfw_first_() = &es;
    es_glfw_key_(window, GLFW_KEY_W, 0, GLFW_PRESS, 0);
    es_glfw_key_(window, GLFW_KEY_LAST, 0, GLFW_RELEASE, 0);
    es_glfw_key_(window, GLFW_KEY_W, 0, GLFW_REPEAT, 0);
    es_glfw_key_(window, GLFW_KEY_UNKNOWN, 0, GLFW_PRESS, 0);
    es_glfw_key_(other, GLFW_KEY_W, 0, GLFW_RELEASE, 0);
    es_glfw_button_(window, GLFW_MOUSE_BUTTON_RIGHT, GLFW_PRESS, 0);
    es_glfw_button_(window, 8, GLFW_PRESS, 0);
    es_glfw_cursor_(window, 10.5, 20.0);
    es_glfw_scroll_(window, 0.0, -1.0);
    es_glfw_focus_(window, GLFW_TRUE);
    es_glfw_focus_(window, GLFW_FALSE);
    assert_int_equal(es_input_tick(es.input, NULL), 8);
    check_glfw(es.input, ES_INPUT_PRESS, ES_GLFW_KEYBOARD, GLFW_KEY_W, 0.0);
    check_glfw(es.input, ES_INPUT_RELEASE, ES_GLFW_KEYBOARD, GLFW_KEY_LAST, 0.0);
    check_glfw(es.input, ES_INPUT_PRESS, ES_GLFW_POINTER, 513, 0.0);
    check_glfw(es.input, ES_INPUT_PLACE, ES_GLFW_POINTER, ES_GLFW_X, 10.5);
    check_glfw(es.input, ES_INPUT_PLACE, ES_GLFW_POINTER, ES_GLFW_Y, 20.0);
    check_glfw(es.input, ES_INPUT_MOVE, ES_GLFW_POINTER, ES_GLFW_SCROLL_X, 0.0);
    check_glfw(es.input, ES_INPUT_MOVE, ES_GLFW_POINTER, ES_GLFW_SCROLL_Y, -1.0);
    check_glfw(es.input, ES_INPUT_RESET, ES_INPUT_ALL, 0, 0.0);
    *es_glfw_first_() = NULL;
    es_input_destroy(es.input);
}
#endif

TEST(browser_events_are_converted)
{
    es_input *input = start(es_input_browser_config(true));
    es_input_event event;
    es_input_event events[2];
    EmscriptenKeyboardEvent key = {.timestamp = 1234.5, .keyCode = 32};
    int64_t at_ns = S + 234 * MS + 500000 + 50000; /* and half of 0.1 ms */
    assert_true(es_input_from_browser_key(input, EMSCRIPTEN_EVENT_KEYDOWN, &key, 2 * S, &event));
    check(&event, ES_INPUT_PRESS, ES_INPUT_BROWSER_KEYBOARD, 32, 0.0, at_ns);
    assert_true(es_input_from_browser_key(input, EMSCRIPTEN_EVENT_KEYUP, &key, 2 * S, &event));
    assert_int_equal(event.kind, ES_INPUT_RELEASE);
    key.repeat = true;
    assert_false(es_input_from_browser_key(input, EMSCRIPTEN_EVENT_KEYDOWN, &key, 2 * S, &event));
    EmscriptenMouseEvent mouse = {.timestamp = 1234.5, .button = 2, .movementX = 5, .movementY = 6};
    assert_int_equal(
            es_input_from_browser_mouse(input, EMSCRIPTEN_EVENT_MOUSEDOWN, &mouse, 2 * S, events),
            1);
    check(&events[0], ES_INPUT_PRESS, ES_INPUT_BROWSER_POINTER, 258, 0.0, at_ns);
    assert_int_equal(
            es_input_from_browser_mouse(input, EMSCRIPTEN_EVENT_MOUSEMOVE, &mouse, 2 * S, events),
            2);
    check(&events[0], ES_INPUT_MOVE, ES_INPUT_BROWSER_POINTER, ES_INPUT_BROWSER_X, 5.0, at_ns);
    check(&events[1], ES_INPUT_MOVE, ES_INPUT_BROWSER_POINTER, ES_INPUT_BROWSER_Y, 6.0, at_ns);
    mouse.button = 16;
    assert_int_equal(
            es_input_from_browser_mouse(input, EMSCRIPTEN_EVENT_MOUSEUP, &mouse, 2 * S, events), 0);
    event = es_input_from_browser_blur(S);
    check(&event, ES_INPUT_RESET, ES_INPUT_ALL, 0, 0.0, S);
    assert_true(es_input_browser_stamp(-1.0) == 0 && es_input_browser_stamp(1e300) == 0);
    es_input_destroy(input);
}
