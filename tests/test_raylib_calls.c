/* SPDX-License-Identifier: Zlib
 *
 * adapters/es_raylib.h against tests/stubs/raylib, whose functions this file has.
 */
#define ADAPTER             es_raylib
#define ADAPTER_HEADER      "adapters/es_raylib.h"
#define OPEN(es, i, config) es_raylib_open(es, ((void)(i), config))
#define SUBMIT(es, frame)   ((void)(frame), es_raylib_submit(es))
#define POLL(es)            es_raylib_poll(es)
#define END(es, frame)      ((frame)->visible ? PollInputEvents() : (void)0) /* EndDrawing */
#define HOST                false
#define THERE(i)            ((i) >= 0)
#define KEY                 KEY_SPACE
#define LOOKS               1
#define VSYNC(interval)     (swaps.is = swaps.hint = (interval) == 1)
#define INTERVALS           0
#define ES_RAYLIB_GLFW
#define glfwSwapInterval swap_interval_of_raylib /* test_glfw_calls.c has the other */
#include "adapter_cases.h"

enum { KEYS_QUEUED = 16 };

/* As of raylib's last poll, and what happens before the next. */
typedef struct input {
    bool keys[ES_RAYLIB_MOUSE];
    int queue[KEYS_QUEUED], queued, repeats;
    bool button;
    Vector2 moved;
} input;

static struct {
    input now, next;
    bool pad, pad_button;
    float pad_axis;
    int monitors, polls, queried;
    unsigned flags;
} fake;

/* --- the library ---------------------------------------------------------------------------------- */

static const Vector2 no_vector;

FAKE(bool IsWindowHidden(void), return visibility == HIDDEN)
FAKE(bool IsWindowMinimized(void), return visibility > HIDDEN)
FAKE(bool IsWindowState(unsigned int flag), return flag == FLAG_VSYNC_HINT && swaps.hint)
FAKE(void glfwSwapInterval(int interval), swaps.is = interval; swaps.sets += 1)
FAKE(int GetMonitorCount(void), return fake.monitors)
FAKE(int GetCurrentMonitor(void), return fake.monitors - 1)
FAKE(bool IsKeyDown(int key),
        return (assert_in_range(key, 0, ES_RAYLIB_MOUSE - 1), fake.now.keys[key]))
FAKE(int GetKeyPressed(void), return fake.now.queued > 0 ? fake.now.queue[--fake.now.queued] : 0)
FAKE(void SetTargetFPS(int fps), assert_int_equal(fps, 0))
FAKE(void SetWindowState(unsigned int flags), (fake.flags |= flags))
FAKE(int GetMonitorRefreshRate(int monitor),
        return (assert_true(monitor >= 0), ++fake.queried, display_hz))
FAKE(Vector2 GetMouseWheelMoveV(void), return no_vector)
FAKE(bool IsGamepadAvailable(int pad),
        return (assert_in_range(pad, 0, ES_RAYLIB_GAMEPADS - 1), pad == 1 && fake.pad))
FAKE(void rlDrawRenderBatchActive(void), ++library_calls)
FAKE(bool IsKeyPressedRepeat(int key), return IsKeyDown(key) && fake.now.repeats > 0)
FAKE(bool IsMouseButtonDown(int button), return button == MOUSE_BUTTON_LEFT && fake.now.button)
FAKE(Vector2 GetMouseDelta(void), return fake.now.moved)
FAKE(bool IsGamepadButtonDown(int pad, int button),
        return pad == 1 && button == 7 && fake.pad_button)
FAKE(float GetGamepadAxisMovement(int pad, int axis),
        return pad == 1 && axis == 0 ? fake.pad_axis : 0.0F)

void PollInputEvents(void)
{
    fake.now = fake.next;
    fake.next.queued = fake.next.repeats = 0;
    fake.next.moved = no_vector;
    fake.polls += 1;
    library_calls += 1;
}

static void begin(void)
{
    memset(&fake, 0, sizeof fake);
    fake.monitors = 1;
}

static void turn(int key, bool down)
{
    fake.next.keys[key] = down;
    if (down && fake.next.queued < KEYS_QUEUED) {
        fake.next.queue[fake.next.queued++] = key;
    }
}

static void happen(adapter *es, happening what, bool repeats)
{
    (void)es;
    if (what == MOVED) {
        fake.next.moved.x += 1.0F;
        fake.next.moved.y -= 2.0F;
    } else if (repeats) {
        fake.next.repeats = 1;
    } else if (what == PRESSED || what == RELEASED) {
        turn(KEY, what == PRESSED);
    }
}

static void change_window(int i)
{
    (void)i;
    fake.next.button = roll(2) == 0;
    fake.next.repeats = roll(5) == 0;
    fake.next.moved.x = (float)(roll(9) - 4);
    fake.pad = roll(3) > 0;
    fake.pad_button = roll(2) == 0;
    fake.pad_axis = (float)roll(100) / 50.0F - 1.0F;
    fake.monitors = roll(3);
}

static void random_event(adapter *es)
{
    turn(1 + roll(ES_RAYLIB_MOUSE - 1), roll(2) == 0);
    if (roll(4) == 0) {
        PollInputEvents();
    } else {
        es_raylib_poll(es);
    }
}

/* --- of raylib only ------------------------------------------------------------------------------- */

static void check_polls(int expected)
{
    fake.polls = 0;
    play();
    assert_int_equal(fake.polls, expected);
}

/* What EndDrawing polled stays for raylib's own functions; else input is polled after the wait. */
TEST(raylib_polls_again_only_if_nothing_was_new)
{
    es_loop_config config = start();
    adapter *es = &adapters[0];
    assert_true(es_raylib_open(es, &config));
    assert_int_equal(fake.flags, FLAG_WINDOW_ALWAYS_RUN);
    play();
    check_polls(2);
    turn(KEY_SPACE, true);
    PollInputEvents();
    check_polls(1);
    fake.now.repeats = 1; /* of the key that is held */
    check_polls(1);
    assert_int_equal(seen.pressed, 1);
    fake.pad = true;
    fake.pad_axis = 0.5F; /* the state of a stick is not lost by a poll */
    check_polls(2);
    play();
    assert_true(es_input_value(es->input, ES_RAYLIB_GAMEPAD_AXIS) == 0.5);
    fake.pad = false;
    play();
    play();
    play();
    assert_true(es_input_value(es->input, ES_RAYLIB_GAMEPAD_AXIS) == 0.0);
    es_raylib_close(es);
}

TEST(raylib_looks_at_the_monitor_once_per_second)
{
    es_loop_config config = start();
    assert_true(es_raylib_open(&adapters[0], &config));
    fake.queried = 0;
    for (int i = 0; i < 150; ++i) { /* 2.5 s */
        assert_true(play().visible);
    }
    assert_int_equal(fake.queried, 2);
    es_raylib_close(&adapters[0]);
}
