/* SPDX-License-Identifier: Zlib
 *
 * adapters/es_glfw.h and the functions of GLFW that it calls, for windows and monitors that a test
 * makes: GLFW itself has no driver without a display before 3.4.
 */
#define GLFW_INCLUDE_NONE
#include <GLFW/glfw3.h>

static GLFWwindow *windows[3];

#define ADAPTER             es_glfw
#define ADAPTER_HEADER      "adapters/es_glfw.h"
#define OPEN(es, i, config) es_glfw_open(es, windows[i], config)
#define SUBMIT              es_glfw_submit
#define POLL(es)            es_glfw_poll(es)
#define END(es, frame)      ((void)0)
#define HOST                false
#define THERE(i)            (windows[i] != NULL)
#define KEY                 GLFW_KEY_SPACE
#define LOOKS               1
#define VSYNC(interval)     es_glfw_vsync(&adapters[0], (interval) == 1)
#define INTERVALS           0
#include "adapter_cases.h"

struct GLFWwindow {
    GLFWkeyfun key;
    GLFWmousebuttonfun button;
    GLFWcursorposfun cursor;
    GLFWscrollfun scroll;
    GLFWwindowfocusfun focus;
    int x, y, width, height;
};

struct GLFWmonitor {
    GLFWvidmode mode;
    int x, y;
};

static struct GLFWwindow made[WINDOWS];
static struct GLFWmonitor monitors[2];
static GLFWmonitor *monitor_list[2] = {&monitors[0], &monitors[1]};
static GLFWkeyfun before_other[WINDOWS]; /* see other_key */
static int monitor_count, depth, game_calls, cursor_x;
static bool chaotic;
static GLFWwindow *current;

/* --- the library ---------------------------------------------------------------------------------- */

#define FAKE_SET(function, type, member)                                                           \
    type function(GLFWwindow *window, type callback)                                               \
    {                                                                                              \
        type before = window->member;                                                              \
        window->member = callback;                                                                 \
        return before;                                                                             \
    }
FAKE_SET(glfwSetKeyCallback, GLFWkeyfun, key)
FAKE_SET(glfwSetMouseButtonCallback, GLFWmousebuttonfun, button)
FAKE_SET(glfwSetCursorPosCallback, GLFWcursorposfun, cursor)
FAKE_SET(glfwSetScrollCallback, GLFWscrollfun, scroll)
FAKE_SET(glfwSetWindowFocusCallback, GLFWwindowfocusfun, focus)
FAKE(void glfwGetWindowPos(GLFWwindow *window, int *x, int *y), *x = window->x; *y = window->y)
FAKE(void glfwGetWindowSize(GLFWwindow *window, int *x, int *y), *x = window->width;
        *y = window->height)
FAKE(void glfwGetMonitorPos(GLFWmonitor *monitor, int *x, int *y), *x = monitor->x; *y = monitor->y)
FAKE(int glfwGetWindowAttrib(GLFWwindow *window, int attribute), assert_non_null(window);
        return attribute == GLFW_VISIBLE ? visibility != HIDDEN : visibility > HIDDEN)
FAKE(GLFWmonitor *glfwGetWindowMonitor(GLFWwindow *window), return ((void)window, NULL))
FAKE(GLFWmonitor **glfwGetMonitors(int *count),
        return (*count = monitor_count) > 0 ? monitor_list : NULL)
FAKE(const GLFWvidmode *glfwGetVideoMode(GLFWmonitor *monitor), return &monitor->mode)
FAKE(GLFWwindow *glfwGetCurrentContext(void), return current)
FAKE(void glfwSwapInterval(int interval), swaps.is = interval; swaps.sets += 1)
FAKE(const char *glfwGetVersionString(void), return "fake")
#if GLFW_VERSION_MAJOR * 100 + GLFW_VERSION_MINOR >= 304
FAKE(int glfwGetPlatform(void), return GLFW_PLATFORM_NULL)
#endif

void glfwPollEvents(void)
{
    library_calls += 1;
    for (int count = chaotic ? roll(5) : 0; count > 0; --count) {
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

static void game_key(GLFWwindow *window, int key, int scancode, int action, int mods)
{
    (void)key, (void)scancode, (void)action, (void)mods;
    game_calls += 1;
    if (chaotic && roll(50) == 0) {
        es_glfw_close(&adapters[window == &made[0] ? 0 : 1]);
    }
}

static void begin(void)
{
    const struct GLFWwindow shown = {.width = 64, .height = 64};
    const GLFWvidmode mode = {.width = 1000, .height = 800, .refreshRate = 60};
    for (int i = 0; i < WINDOWS; ++i) {
        made[i] = shown;
        made[i].key = game_key;
        before_other[i] = NULL;
        windows[i] = &made[i];
        monitors[i].mode = mode;
    }
    monitors[1].x = mode.width;
    monitors[1].mode.refreshRate = 144;
    monitor_count = 2;
    current = windows[0];
    cursor_x = game_calls = 0;
    chaotic = false;
}

static void happen(adapter *es, happening what, bool repeats)
{
    GLFWkeyfun key = windows[0]->key;
    if (what == MOVED) {
        cursor_x += 1;
        windows[0]->cursor(windows[0], cursor_x, -2.0 * cursor_x);
    } else if (what == WINDOW_CHANGED) {
        es->look_ns = 0;
        es_glfw_poll(es);
        es->look_ns *= es->loop != NULL;
    } else if (what == DISPLAY_CHANGED) {
        monitors[0].mode.refreshRate = display_hz;
    } else if (key != NULL) {
        int action = what == PRESSED ? GLFW_PRESS : GLFW_RELEASE;
        key(windows[0], KEY, 0, repeats ? GLFW_REPEAT : action, 0);
    }
}

/* Another library, as Dear ImGui: it calls what was there before. */
static void other_key(GLFWwindow *window, int key, int scancode, int action, int mods)
{
    GLFWkeyfun before = before_other[window == &made[0] ? 0 : 1];
    assert_in_range(++depth, 1, 3); /* no callback calls itself */
    if (before != NULL) {
        before(window, key, scancode, action, mods);
    }
    depth -= 1;
}

static void change_window(int i)
{
    GLFWwindow *window = windows[i];
    int kind = roll(5);
    monitors[roll(2)].mode.refreshRate = display_hz;
    if (kind == 0) {
        window->x = roll(4000) - 1000;
    } else if (kind == 1) {
        monitor_count = roll(3);
    } else if (kind == 2 && adapters[i].loop == NULL) { /* the program sets its own again */
        window->key = game_key;
        before_other[i] = NULL;
    } else if (window->key == other_key) { /* it comes or goes, in any order */
        window->key = before_other[i];
    } else if (before_other[i] == NULL) {
        before_other[i] = glfwSetKeyCallback(window, other_key);
    }
}

static void random_event(adapter *es)
{
    chaotic = true;
    es_glfw_poll(es);
    chaotic = false;
}

/* --- of GLFW only --------------------------------------------------------------------------------- */

TEST(glfw_calls_the_programs_callbacks_and_puts_them_back)
{
    adapter es;
    start();
    GLFWwindow *window = windows[0];
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
}

TEST(glfw_follows_the_monitor_and_what_can_be_seen)
{
    es_loop_config config = start();
    adapter *es = &adapters[0];
    visibility = MINIMISED;
    assert_true(es_glfw_open(es, windows[0], &config));
    check_hz(60);
    assert_false(play().visible);
    visibility = VISIBLE;
    windows[0]->x = 1000 - 32; /* the centre is the other monitor's first column */
    es_glfw_poll(es);          /* at once: it was not visible */
    check_hz(144);
    assert_true(play().visible);
    windows[0]->x -= 1;
    es_glfw_poll(es); /* too early */
    check_hz(144);
    check_hz_later(60);
    es_glfw_close(es);
}

TEST(glfw_sets_no_interval_in_the_context_of_another_window)
{
    es_loop_config config = start();
    assert_true(es_glfw_open(&adapters[0], windows[0], &config));
    current = windows[1];
    es_glfw_vsync(&adapters[0], true);
    check_swaps(3, 0, 0, false);
    es_glfw_close(&adapters[0]);
}
