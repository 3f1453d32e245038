/* SPDX-License-Identifier: Zlib
 *
 * Random orders of the calls of an adapter, on two windows, on a clock without waits: no crash, and what
 * is closed does nothing. ADAPTER_SDL2 or ADAPTER_GLFW is defined. SDL2 runs on its dummy driver, GLFW
 * is tests/fake_glfw.h.
 */
#if defined(ADAPTER_SDL2)
#include "adapters/es_sdl2.h"
#define ES(verb) es_sdl2_##verb
typedef es_sdl2 adapter;
typedef SDL_Window os_window;
#elif defined(ADAPTER_GLFW)
#include "fake_glfw.h"

#include "adapters/es_glfw.h"
#define ES(verb) es_glfw_##verb
typedef es_glfw adapter;
typedef GLFWwindow os_window;
#endif

#include <string.h>

#include "test_support.h"

enum { WINDOWS = 2, CALLS = 200000 };

static test_random dice = {20261126};
static os_window *windows[WINDOWS];
static adapter adapters[WINDOWS];
static int64_t virtual_ns;

static int roll(int below)
{
    return (int)random_below(&dice, below);
}

/* --- a clock: each reading takes up to 0.1 ms, and rarely a second -------------------------------- */

static int64_t read_clock(void *user)
{
    (void)user;
    virtual_ns += roll(5000) == 0 ? ES_NS_PER_S : roll(100000);
    return virtual_ns;
}

static void wait_until(void *user, int64_t deadline_ns)
{
    (void)user;
    virtual_ns = deadline_ns > virtual_ns ? deadline_ns : virtual_ns;
}

/* One in four is refused. */
static es_loop_config random_config(void)
{
    es_loop_config config;
    memset(&config, 0, sizeof config);
    es_loop_preset(loop_name((size_t)roll(7)), &config);
    config.tick_rate = es_hz(roll(4) == 0 ? -1.0 : 1.0 + roll(240));
    if (config.pace == ES_PACE_AUTO && roll(2) == 0) {
        config.refresh = es_hz(60);
    }
    config.clock.now_ns = read_clock;
    config.clock.wait_until = wait_until;
    return config;
}

/* --- the window library --------------------------------------------------------------------------- */

#if defined(ADAPTER_SDL2)

static void begin(void)
{
    SDL_SetHint(SDL_HINT_VIDEODRIVER, "dummy");
    assert_int_equal(SDL_Init(SDL_INIT_VIDEO), 0);
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

static void make_window(int i)
{
    Uint32 flags = roll(2) == 0 ? SDL_WINDOW_HIDDEN : SDL_WINDOW_RESIZABLE;
    windows[i] = SDL_CreateWindow("test", 0, 0, 64, 64, flags);
    assert_non_null(windows[i]);
    if (roll(2) == 0) {
        SDL_CreateRenderer(windows[i], -1, SDL_RENDERER_SOFTWARE);
    }
}

/* An adapter may stay open on a window that is gone. */
static void change_window(int i)
{
    switch (windows[i] != NULL ? roll(6) : 6) {
    case 0:
        SDL_HideWindow(windows[i]);
        break;
    case 1:
        SDL_ShowWindow(windows[i]);
        break;
    case 2:
        SDL_MinimizeWindow(windows[i]);
        break;
    case 3:
        SDL_RestoreWindow(windows[i]);
        break;
    case 4:
        SDL_SetWindowSize(windows[i], 1 + roll(200), 1 + roll(200));
        break;
    case 5:
        destroy_window(i);
        break;
    default:
        make_window(i);
        break;
    }
}

static void take_events(adapter *es)
{
    static const Uint32 types[] = {SDL_KEYDOWN, SDL_KEYUP, SDL_MOUSEBUTTONDOWN, SDL_MOUSEBUTTONUP,
            SDL_MOUSEMOTION, SDL_MOUSEWHEEL, SDL_CONTROLLERBUTTONDOWN, SDL_CONTROLLERAXISMOTION,
            SDL_CONTROLLERDEVICEREMOVED, SDL_WINDOWEVENT, SDL_QUIT, SDL_USEREVENT};
    SDL_Event event;
    while (roll(4) == 0 && SDL_PollEvent(&event)) {
        es_sdl2_event(es, &event);
    }
    uint64_t words[sizeof event / sizeof(uint64_t)];
    for (size_t i = 0; i < COUNT_OF(words); ++i) {
        words[i] = random_u64(&dice);
    }
    memset(&event, 0, sizeof event);
    memcpy(&event, words, sizeof words);
    event.type = types[roll((int)COUNT_OF(types))];
    if (event.type == SDL_WINDOWEVENT) {
        event.window.windowID = (Uint32)roll(4);
        event.window.event = (Uint8)roll(20);
    }
    es_sdl2_event(es, &event);
}

/* The event of the kind, as SDL sends it for the window. */
static SDL_Event window_event(SDL_Window *window, SDL_WindowEventID kind)
{
    SDL_Event event;
    memset(&event, 0, sizeof event);
    event.type = SDL_WINDOWEVENT;
    event.window.windowID = SDL_GetWindowID(window);
    event.window.event = (Uint8)kind;
    return event;
}

TEST(sdl2_events_reach_the_input_and_the_loop)
{
    adapter es;
    es_frame frame;
    es_loop_config config = random_config();
    config.tick_rate = es_hz(60);
    begin();
    SDL_Window *window = SDL_CreateWindow("test", 0, 0, 64, 64, SDL_WINDOW_HIDDEN);
    assert_true(es_sdl2_open(&es, window, &config));
    assert_true(es_sdl2_next(&es, &frame) && !frame.visible);
    SDL_ShowWindow(window);
    SDL_Event event = window_event(window, SDL_WINDOWEVENT_SHOWN);
    es_sdl2_event(&es, &event);
    assert_true(es_sdl2_next(&es, &frame) && frame.visible);
    memset(&event, 0, sizeof event);
    event.type = SDL_TEXTINPUT;
    es_sdl2_event(&es, &event);
    event.type = SDL_KEYDOWN;
    event.key.keysym.scancode = SDL_SCANCODE_SPACE;
    es_sdl2_event(&es, &event);
    event.type = SDL_MOUSEMOTION;
    event.motion.xrel = 3;
    event.motion.yrel = -4;
    es_sdl2_event(&es, &event);
    assert_int_equal(es_input_tick(es.input, NULL), 3);
    assert_true(es_input_held(es.input, SDL_SCANCODE_SPACE));
    assert_true(es_input_value(es.input, ES_SDL2_Y) == -4.0);
    es_sdl2_close(&es);
    assert_false(es_sdl2_open(&es, NULL, &config));
    end();
}

#else

static struct GLFWwindow made[WINDOWS];
static int depth, game_calls;

static void game_key(GLFWwindow *window, int key, int scancode, int action, int mods)
{
    (void)key, (void)scancode, (void)action, (void)mods;
    game_calls += 1;
    if (roll(50) == 0) {
        es_glfw_close(&adapters[window == &made[0] ? 0 : 1]);
    }
}

/* Another library, as Dear ImGui: it calls what was there before. */
static GLFWkeyfun before_other[WINDOWS];
static void other_key(GLFWwindow *window, int key, int scancode, int action, int mods)
{
    GLFWkeyfun before = before_other[window == &made[0] ? 0 : 1];
    assert_in_range(++depth, 1, 3); /* no callback calls itself */
    if (before != NULL) {
        before(window, key, scancode, action, mods);
    }
    depth -= 1;
}

static void random_events(void)
{
    for (int count = roll(5); count > 0; --count) {
        GLFWwindow *window = windows[roll(WINDOWS)];
        int number = roll(600) - 2;
        if (window->key != NULL) {
            window->key(window, number, number, roll(3), 0);
        }
        if (window->button != NULL) {
            window->button(window, roll(12) - 2, roll(2), 0);
        }
        if (window->cursor != NULL) {
            window->cursor(window, roll(1000) - 1e9 * roll(2), roll(1000));
            window->scroll(window, roll(3) - 1.0, 0.0);
        }
        if (window->focus != NULL) {
            window->focus(window, roll(2));
        }
    }
}

static void begin(void)
{
    static const struct GLFWwindow seen = {.width = 64, .height = 64, .visible = GLFW_TRUE};
    for (int i = 0; i < WINDOWS; ++i) {
        made[i] = seen;
        windows[i] = &made[i];
    }
    const GLFWvidmode mode = {.width = 1000, .height = 800, .refreshRate = 60};
    fake_monitors[0].mode = fake_monitors[1].mode = mode;
    fake_monitors[1].x = mode.width;
    fake_monitors[1].mode.refreshRate = 144;
    fake_monitor_count = 2;
    fake_poll = random_events;
}

static void end(void)
{
}

static void change_window(int i)
{
    GLFWwindow *window = windows[i];
    switch (roll(6)) {
    case 0:
        window->visible = roll(2);
        break;
    case 1:
        window->iconified = roll(2);
        break;
    case 2:
        window->x = roll(4000) - 1000;
        break;
    case 3:
        fake_monitor_count = roll(3);
        break;
    case 4:
        fake_monitors[roll(2)].mode.refreshRate = roll(200) - 1;
        break;
    default: /* the other library comes or goes, in any order */
        if (window->key == other_key) {
            window->key = before_other[i];
        } else if (before_other[i] == NULL) {
            before_other[i] = glfwSetKeyCallback(window, other_key);
        }
        break;
    }
}

static void take_events(adapter *es)
{
    es_glfw_poll(es);
}

TEST(glfw_calls_the_programs_callbacks_and_puts_them_back)
{
    adapter es;
    begin();
    GLFWwindow *window = windows[0];
    window->key = game_key;
    assert_true(es_glfw_open(&es, window, NULL));
    assert_true(es_glfw_open(&es, window, NULL)); /* closes the first */
    window->key(window, GLFW_KEY_A, 0, GLFW_PRESS, 0);
    assert_int_equal(game_calls, 1);
    assert_int_equal(es_input_tick(es.input, NULL), 1);
    before_other[0] = glfwSetKeyCallback(window, other_key);
    es_glfw_close(&es);
    assert_ptr_equal(window->key, other_key); /* it stays */
    assert_null(window->focus);
    window->key(window, GLFW_KEY_A, 0, GLFW_PRESS, 0); /* calls ours, which does nothing */
    before_other[0] = NULL;
    window->key = game_key;
    assert_true(es_glfw_open(&es, window, NULL));
    es_glfw_close(&es);
    assert_ptr_equal(window->key, game_key);
    assert_false(es_glfw_open(&es, NULL, NULL));
}

static void no_events(void)
{
}

TEST(glfw_follows_the_monitor_and_what_can_be_seen)
{
    adapter es;
    es_frame frame;
    begin();
    fake_poll = no_events;
    windows[0]->iconified = GLFW_TRUE;
    es_loop_config config = random_config();
    config.tick_rate = es_hz(60);
    config.pace = ES_PACE_AUTO;
    memset(&config.refresh, 0, sizeof config.refresh);
    assert_true(es_glfw_open(&es, windows[0], &config));
    assert_int_equal(es_loop_get_config(es.loop).refresh.numerator, 60);
    assert_true(es_glfw_next(&es, &frame) && !frame.visible);
    windows[0]->iconified = GLFW_FALSE;
    windows[0]->x = 1000 - 32; /* the centre is the other monitor's first column */
    es_glfw_poll(&es);         /* at once: it was not visible */
    assert_int_equal(es_loop_get_config(es.loop).refresh.numerator, 144);
    assert_true(es_glfw_next(&es, &frame) && frame.visible);
    windows[0]->x -= 1;
    es_glfw_poll(&es); /* too early */
    assert_int_equal(es_loop_get_config(es.loop).refresh.numerator, 144);
    es.look_ns = 0;
    es_glfw_poll(&es);
    config = es_loop_get_config(es.loop);
    assert_int_equal(config.refresh.numerator, 60);
    config.refresh = es_hz(59.94); /* by the program, which knows better: kept until it changes */
    assert_true(es_loop_configure(es.loop, &config));
    es.look_ns = 0;
    es_glfw_poll(&es);
    assert_int_equal(es_loop_get_config(es.loop).refresh.numerator, config.refresh.numerator);
    es_glfw_close(&es);
}

#endif

/* --- random calls --------------------------------------------------------------------------------- */

static void check_closed(adapter *es)
{
    static const adapter zero;
    es_frame frame;
    memset(&frame, 0, sizeof frame);
    assert_memory_equal(es, &zero, sizeof zero);
    assert_false(ES(next)(es, &frame));
    assert_int_equal(ES(step)(es, &frame, 0).index, 0);
    ES(submit)(es, &frame);
    take_events(es);
    ES(close)(es);
    assert_memory_equal(es, &zero, sizeof zero);
}

static void open_adapter(int i)
{
    es_loop_config config = random_config();
    ES(close)(&adapters[i]);
    bool opened = ES(open)(&adapters[i], windows[i], &config);
    assert_int_equal(opened, config.tick_rate.numerator > 0 && windows[i] != NULL);
    if (!opened) {
        check_closed(&adapters[i]);
    }
}

/* A call of the loop or the input, by the program. */
static void call_inside(adapter *es)
{
    es_loop_config config = random_config();
    es_present sample = {.frame = roll(1000), .shown_ns = virtual_ns, .reported_ns = virtual_ns};
    switch (roll(7)) {
    case 0:
        es_loop_configure(es->loop, &config);
        break;
    case 1:
        es_loop_set_visible(es->loop, roll(2) == 0);
        break;
    case 2:
        es_loop_set_paused(es->loop, roll(2) == 0);
        break;
    case 3:
        es_loop_presented(es->loop, &sample);
        break;
    case 4:
        es_loop_end(es->loop);
        break;
    case 5:
        es_input_tick(es->input, NULL);
        break;
    default:
        es_loop_seek(es->loop, roll(1000));
        break;
    }
}

TEST(any_order_of_calls_does_no_harm)
{
    static es_frame frames[WINDOWS];
    int planned = 0;
    begin();
    for (int call = 0; call < CALLS; ++call) {
        int i = roll(WINDOWS);
        adapter *es = &adapters[i];
        switch (roll(40)) {
        case 0:
            open_adapter(i);
            break;
        case 1:
            ES(close)(es), check_closed(es);
            break;
        case 2:
            change_window(i);
            break;
        case 3:
            call_inside(es);
            break;
        default:
            switch (call % 4) {
            case 0:
                planned += ES(next)(es, &frames[i]);
                break;
            case 1:
                take_events(es);
                break;
            case 2:
                ES(step)(es, &frames[i], roll(20) - 2);
                break;
            default:
                ES(submit)(es, &frames[i]);
                break;
            }
            break;
        }
    }
    for (int i = 0; i < WINDOWS; ++i) {
        ES(close)(&adapters[i]);
        check_closed(&adapters[i]);
    }
    assert_true(planned > CALLS / 20);
    end();
}

TEST_MAIN("adapter_calls", NULL)
