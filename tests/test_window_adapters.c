/* SPDX-License-Identifier: Zlib
 *
 * adapters/es_sdl3.h, es_raylib.h and es_sokol.h against libraries that are not here: tests/stubs
 * declares what they call, and this file has it. Time is virtual. Compiled twice: as on the desktop,
 * and as where a host calls (ES_SDL3_HOST).
 */
#include "evenstep/evenstep.h"
#include "evenstep/input.h"

#include <string.h>

#include "manual_clock.h"
#include "test_support.h"

static es_manual_clock test_clock;

static int64_t test_now_ns(void)
{
    return test_clock.now_ns;
}

static void test_wait_until(int64_t deadline_ns)
{
    manual_wait(&test_clock, deadline_ns);
}

/* The adapters read this clock, and not the system's. */
#define es_now_ns     test_now_ns
#define es_wait_until test_wait_until
#include "adapters/es_raylib.h"
#include "adapters/es_sdl3.h"
#include "adapters/es_sokol.h"

#define MS ES_NS_PER_MS
#define S  ES_NS_PER_S

/* SDL's clock is behind the loop's by this. */
#define SDL_BEHIND_NS (7 * S + 12345)

#define WINDOW ((SDL_Window *)(void *)&test_clock)

enum { CALLS = 100000, KEYS_QUEUED = 16 };

/* What the libraries answer. */
static struct {
    SDL_DisplayMode mode;
    bool no_mode;
    bool gone; /* the window */
    SDL_WindowFlags flags;
    int flushed;
    /* raylib: as of its last poll, and what happens before the next */
    bool key_now[ES_RAYLIB_MOUSE], key_next[ES_RAYLIB_MOUSE];
    int queue[KEYS_QUEUED], queue_count, queue_next[KEYS_QUEUED], queue_next_count;
    bool repeat_now, repeat_next;
    bool button_now, button_next;
    Vector2 moved, moved_next;
    bool pad, pad_button;
    float pad_axis;
    bool hidden, minimised;
    int monitors, hz;
    int polls, drawn, queried;
    unsigned window_flags;
} fake;

/* --- SDL 3 ------------------------------------------------------------------------------------- */

SDL_DisplayID SDL_GetDisplayForWindow(SDL_Window *window)
{
    return window != NULL ? 1 : 0;
}

const SDL_DisplayMode *SDL_GetCurrentDisplayMode(SDL_DisplayID display)
{
    return display != 0 && !fake.no_mode ? &fake.mode : NULL;
}

SDL_WindowFlags SDL_GetWindowFlags(SDL_Window *window)
{
    return window != NULL ? fake.flags : 0;
}

SDL_WindowID SDL_GetWindowID(SDL_Window *window)
{
    return window != NULL ? 3 : 0;
}

SDL_Window *SDL_GetWindowFromID(SDL_WindowID id)
{
    return id == 3 && !fake.gone ? WINDOW : NULL;
}

SDL_Renderer *SDL_GetRenderer(SDL_Window *window)
{
    return window != NULL ? (SDL_Renderer *)(void *)&fake : NULL;
}

bool SDL_FlushRenderer(SDL_Renderer *renderer)
{
    fake.flushed += renderer != NULL;
    return true;
}

Uint64 SDL_GetTicksNS(void)
{
    return (Uint64)(test_clock.now_ns - SDL_BEHIND_NS);
}

/* --- raylib ------------------------------------------------------------------------------------ */

void SetTargetFPS(int fps)
{
    assert_int_equal(fps, 0);
}

void SetWindowState(unsigned int flags)
{
    fake.window_flags |= flags;
}

bool IsWindowHidden(void)
{
    return fake.hidden;
}

bool IsWindowMinimized(void)
{
    return fake.minimised;
}

int GetMonitorCount(void)
{
    return fake.monitors;
}

int GetCurrentMonitor(void)
{
    return fake.monitors - 1;
}

int GetMonitorRefreshRate(int monitor)
{
    assert_true(monitor >= 0);
    fake.queried += 1;
    return fake.hz;
}

void PollInputEvents(void)
{
    memcpy(fake.key_now, fake.key_next, sizeof fake.key_now);
    memcpy(fake.queue, fake.queue_next, sizeof fake.queue);
    fake.queue_count = fake.queue_next_count;
    fake.queue_next_count = 0;
    fake.repeat_now = fake.repeat_next;
    fake.repeat_next = false;
    fake.button_now = fake.button_next;
    fake.moved = fake.moved_next;
    fake.moved_next.x = 0.0F;
    fake.moved_next.y = 0.0F;
    fake.polls += 1;
}

bool IsKeyDown(int key)
{
    assert_true(key >= 0 && key < ES_RAYLIB_MOUSE);
    return fake.key_now[key];
}

bool IsKeyPressedRepeat(int key)
{
    return IsKeyDown(key) && fake.repeat_now;
}

int GetKeyPressed(void)
{
    int key = fake.queue_count > 0 ? fake.queue[0] : 0;
    if (fake.queue_count > 0) {
        fake.queue_count -= 1;
        memmove(fake.queue, fake.queue + 1, (KEYS_QUEUED - 1) * sizeof fake.queue[0]);
    }
    return key;
}

bool IsMouseButtonDown(int button)
{
    return button == MOUSE_BUTTON_LEFT && fake.button_now;
}

Vector2 GetMouseDelta(void)
{
    return fake.moved;
}

Vector2 GetMouseWheelMoveV(void)
{
    const Vector2 none = {0.0F, 0.0F};
    return none;
}

bool IsGamepadAvailable(int gamepad)
{
    assert_true(gamepad >= 0 && gamepad < ES_RAYLIB_GAMEPADS);
    return gamepad == 1 && fake.pad;
}

bool IsGamepadButtonDown(int gamepad, int button)
{
    return gamepad == 1 && button == 7 && fake.pad_button;
}

float GetGamepadAxisMovement(int gamepad, int axis)
{
    return gamepad == 1 && axis == 0 ? fake.pad_axis : 0.0F;
}

void rlDrawRenderBatchActive(void)
{
    fake.drawn += 1;
}

/* A key goes down or up; raylib learns of it by its next poll. */
static void turn_key(int key, bool down)
{
    fake.key_next[key] = down;
    if (down && fake.queue_next_count < KEYS_QUEUED) {
        fake.queue_next[fake.queue_next_count++] = key;
    }
}

/* --- what the three share ---------------------------------------------------------------------- */

static es_loop_config start(void)
{
    es_loop_config config = {.clock = es_manual_clock_get(&test_clock)};
    memset(&fake, 0, sizeof fake);
    memset(&test_clock, 0, sizeof test_clock);
    test_clock.now_ns = 100 * S;
    fake.monitors = 1;
    return config;
}

/* The library presents: 60 Hz. */
static void present(void)
{
    test_clock.now_ns = (test_clock.now_ns * 3 / (50 * MS) + 1) * 50 * MS / 3 + 1;
}

static SDL_Event sdl_event(uint32_t type, int64_t stamp_ns)
{
    SDL_Event event;
    memset(&event, 0, sizeof event);
    event.type = type;
    event.common.timestamp = (Uint64)(stamp_ns - SDL_BEHIND_NS);
    event.window.windowID = 3;
    return event;
}

/* --- SDL 3: single properties ------------------------------------------------------------------ */

/* Runs a frame and returns it. pressed: adds how often space went down. With main callbacks. */
static es_frame sdl3_frame(es_sdl3 *es, int *pressed)
{
    es_frame frame;
    assert_true(es_sdl3_next(es, &frame));
    for (int i = 0; i < frame.ticks; ++i) {
        es_sdl3_step(es, &frame, i);
        *pressed += es_input_pressed(es->input, SDL_SCANCODE_SPACE);
    }
    if (frame.visible) {
        es_sdl3_submit(es, &frame);
        present();
    }
    assert_true(es_sdl3_end(es));
    return frame;
}

TEST(sdl3_main_callbacks_lose_no_tick_and_no_key)
{
    es_loop_config config = start();
    es_sdl3 es;
    es_frame frame;
    int pressed = 0;
    int64_t ticks = 0;
    assert_true(es_sdl3_open(&es, WINDOW, &config));
    for (int i = 0; i < 300; ++i) {
        SDL_Event event =
                sdl_event(i % 2 == 0 ? SDL_EVENT_KEY_DOWN : SDL_EVENT_KEY_UP, test_now_ns());
        event.key.scancode = SDL_SCANCODE_SPACE;
        es_sdl3_event(&es, &event);
        event.key.repeat = true;
        es_sdl3_event(&es, &event);
        frame = sdl3_frame(&es, &pressed);
        assert_int_equal(frame.index, i);
        assert_int_equal(frame.newest_tick, ticks + frame.ticks);
        ticks = frame.newest_tick;
    }
    assert_in_range(ticks, 298, 303);   /* 5 s */
    assert_in_range(pressed, 148, 150); /* the newest may wait for their tick */
    assert_int_equal(fake.flushed, 300);
    es_sdl3_close(&es);
}

TEST(sdl3_stamps_are_converted_exactly)
{
    es_loop_config config = start();
    es_sdl3 es;
    es_frame frame;
    es_input_event events[2];
    assert_true(es_sdl3_open(&es, WINDOW, &config));
    assert_true(es_sdl3_next(&es, &frame));
    SDL_Event event = sdl_event(SDL_EVENT_MOUSE_MOTION, test_now_ns() - 4 * MS - 321);
    event.motion.xrel = 2.5F;
    event.motion.yrel = -3.0F;
    assert_int_equal(es_sdl3_convert(es.input, &event, test_now_ns() + MS, events), 2);
    assert_int_equal(events[0].stamp_ns, test_now_ns() - 4 * MS - 321);
    assert_int_equal(events[1].stamp_ns, events[0].stamp_ns);
    assert_int_equal(events[0].code, ES_SDL3_X);
    assert_int_equal(events[1].code, ES_SDL3_Y);
    assert_true(events[0].value == 2.5 && events[1].value == -3.0);
    event = sdl_event(SDL_EVENT_GAMEPAD_AXIS_MOTION, test_now_ns());
    event.gaxis.which = 3;
    event.gaxis.axis = 1;
    event.gaxis.value = -32768;
    assert_int_equal(es_sdl3_convert(es.input, &event, test_now_ns(), events), 1);
    assert_int_equal(events[0].kind, ES_INPUT_PLACE);
    assert_int_equal(events[0].device, 5);
    assert_int_equal(events[0].code, ES_SDL3_GAMEPAD_AXIS + 1);
    assert_true(events[0].value == -32768.0);
    es_sdl3_close(&es);
}

TEST(sdl3_follows_window_and_display)
{
    es_loop_config config = start();
    es_sdl3 es;
    int pressed = 0;
    fake.mode.refresh_rate = 59.94F;
    fake.mode.refresh_rate_numerator = 60000;
    fake.mode.refresh_rate_denominator = 1001;
    assert_true(es_sdl3_open(&es, WINDOW, &config));
    assert_int_equal(es_loop_get_config(es.loop).refresh.numerator, 60000);
    assert_int_equal(es_loop_get_config(es.loop).refresh.denominator, 1001);
    fake.mode.refresh_rate = 240.0F;
    fake.mode.refresh_rate_numerator = 2000000000; /* a pixel clock: too large for an es_rate */
    fake.mode.refresh_rate_denominator = 8333333;
    SDL_Event event = sdl_event(SDL_EVENT_DISPLAY_CURRENT_MODE_CHANGED, test_now_ns());
    es_sdl3_event(&es, &event);
    assert_int_equal(es_loop_get_config(es.loop).refresh.numerator, 240);
    fake.flags = SDL_WINDOW_OCCLUDED;
    event = sdl_event(SDL_EVENT_WINDOW_FIRST, test_now_ns());
    event.window.windowID = 4; /* not this window */
    es_sdl3_event(&es, &event);
    sdl3_frame(&es, &pressed);
    assert_true(sdl3_frame(&es, &pressed).visible);
    event.window.windowID = 3;
    es_sdl3_event(&es, &event);
    sdl3_frame(&es, &pressed); /* may be planned already */
    assert_false(sdl3_frame(&es, &pressed).visible);
    fake.flags = 0;
    fake.no_mode = true;
    es_sdl3_event(&es, &event);
    assert_int_equal(es_loop_get_config(es.loop).refresh.numerator, 0);
    sdl3_frame(&es, &pressed);
    assert_true(sdl3_frame(&es, &pressed).visible);
    es_sdl3_close(&es);
    config.refresh = es_hz(50);
    fake.no_mode = false;
    fake.flags = SDL_WINDOW_HIDDEN;
    assert_true(es_sdl3_open(&es, WINDOW, &config));
    assert_false(sdl3_frame(&es, &pressed).visible); /* hidden from the beginning */
    es_sdl3_event(&es, &event);
    assert_int_equal(es_loop_get_config(es.loop).refresh.numerator, 50); /* the program's */
    es_sdl3_close(&es);
}

/* What the program sets is kept until the display announces another rate. */
TEST(sdl3_keeps_the_rate_of_the_program)
{
    es_loop_config config = start();
    es_sdl3 es;
    fake.mode.refresh_rate = 60.0F;
    assert_true(es_sdl3_open(&es, WINDOW, &config));
    config = es_loop_get_config(es.loop);
    config.refresh = es_hz(50);
    assert_true(es_loop_configure(es.loop, &config));
    SDL_Event event = sdl_event(SDL_EVENT_WINDOW_FIRST, test_now_ns());
    es_sdl3_event(&es, &event);
    assert_int_equal(es_loop_get_config(es.loop).refresh.numerator, 50);
    fake.mode.refresh_rate = 75.0F;
    es_sdl3_event(&es, &event);
    assert_int_equal(es_loop_get_config(es.loop).refresh.numerator, 75);
    es_sdl3_close(&es);
    assert_false(es_sdl3_open(&es, NULL, NULL));
    assert_null(es.loop);
}

/* --- raylib: single properties ----------------------------------------------------------------- */

static es_frame raylib_frame(es_raylib *es, int *pressed, double *moved)
{
    es_frame frame;
    assert_true(es_raylib_next(es, &frame));
    es_raylib_poll(es);
    for (int i = 0; i < frame.ticks; ++i) {
        es_raylib_step(es, &frame, i);
        *pressed += es_input_pressed(es->input, KEY_SPACE);
        *moved += es_input_moved(es->input, ES_RAYLIB_X);
    }
    if (frame.visible) {
        es_raylib_submit(es);
        present();
        PollInputEvents(); /* EndDrawing */
    }
    return frame;
}

TEST(raylib_loses_no_key_and_counts_no_motion_twice)
{
    es_loop_config config = start();
    es_raylib es;
    int pressed = 0;
    double moved = 0.0;
    assert_true(es_raylib_open(&es, &config));
    assert_int_equal(fake.window_flags, FLAG_WINDOW_ALWAYS_RUN);
    for (int i = 0; i < 600; ++i) {
        fake.hidden = i / 50 % 3 == 1; /* then only the adapter polls */
        if (i % 5 == 0) {              /* down and up between two polls */
            turn_key(KEY_SPACE, true);
            turn_key(KEY_SPACE, false);
        }
        fake.moved_next.x += 1.0F;
        raylib_frame(&es, &pressed, &moved);
    }
    for (int i = 0; i < 5; ++i) {
        raylib_frame(&es, &pressed, &moved);
    }
    assert_int_equal(pressed, 120);
    assert_true(moved == 600.0);
    assert_false(es_input_held(es.input, KEY_SPACE));
    es_raylib_close(&es);
}

/* What EndDrawing polled stays for raylib's own functions; else input is polled after the wait. */
TEST(raylib_polls_again_only_if_nothing_was_new)
{
    es_loop_config config = start();
    es_raylib es;
    int pressed = 0;
    double moved = 0.0;
    assert_true(es_raylib_open(&es, &config));
    for (int i = 0; i < 3; ++i) {
        raylib_frame(&es, &pressed, &moved);
    }
    int polls = fake.polls;
    raylib_frame(&es, &pressed, &moved);
    assert_int_equal(fake.polls, polls + 2);
    turn_key(KEY_SPACE, true);
    PollInputEvents();
    polls = fake.polls;
    raylib_frame(&es, &pressed, &moved);
    assert_int_equal(fake.polls, polls + 1);
    fake.repeat_now = true; /* of the key that is held */
    polls = fake.polls;
    raylib_frame(&es, &pressed, &moved);
    assert_int_equal(fake.polls, polls + 1);
    assert_int_equal(pressed, 1);
    fake.pad = true;
    fake.pad_axis = 0.5F; /* the state of a stick is not lost by a poll */
    polls = fake.polls;
    raylib_frame(&es, &pressed, &moved);
    assert_int_equal(fake.polls, polls + 2);
    raylib_frame(&es, &pressed, &moved);
    assert_true(es_input_value(es.input, ES_RAYLIB_GAMEPAD_AXIS) == 0.5);
    fake.pad = false;
    for (int i = 0; i < 3; ++i) {
        raylib_frame(&es, &pressed, &moved);
    }
    assert_true(es_input_value(es.input, ES_RAYLIB_GAMEPAD_AXIS) == 0.0);
    es_raylib_close(&es);
}

TEST(raylib_follows_window_and_monitor)
{
    es_loop_config config = start();
    es_raylib es;
    int pressed = 0;
    double moved = 0.0;
    fake.hz = 59;
    assert_true(es_raylib_open(&es, &config));
    assert_int_equal(es_loop_get_config(es.loop).refresh.numerator, 59);
    fake.hz = 144;
    fake.queried = 0;
    for (int i = 0; i < 150; ++i) { /* 2.5 s */
        assert_true(raylib_frame(&es, &pressed, &moved).visible);
    }
    assert_int_equal(fake.queried, 2);
    assert_int_equal(es_loop_get_config(es.loop).refresh.numerator, 144);
    fake.minimised = true;
    assert_false(raylib_frame(&es, &pressed, &moved).visible);
    fake.minimised = false;
    assert_true(raylib_frame(&es, &pressed, &moved).visible);
    es_raylib_close(&es);
}

/* --- sokol: single properties ------------------------------------------------------------------ */

static sapp_event sokol_event(sapp_event_type type)
{
    sapp_event event;
    memset(&event, 0, sizeof event);
    event.type = type;
    return event;
}

TEST(sokol_gives_each_key_to_a_tick)
{
    es_loop_config config = start();
    es_sokol es;
    es_frame frame;
    int pressed = 0;
    int64_t ticks = 0;
    assert_true(es_sokol_open(&es, &config));
    for (int i = 0; i < 300; ++i) {
        sapp_event event =
                sokol_event(i % 2 == 0 ? SAPP_EVENTTYPE_KEY_DOWN : SAPP_EVENTTYPE_KEY_UP);
        event.key_code = SAPP_KEYCODE_SPACE;
        es_sokol_event(&es, &event);
        assert_true(es_sokol_next(&es, &frame));
        for (int tick = 0; tick < frame.ticks; ++tick) {
            es_sokol_step(&es, &frame, tick);
            pressed += es_input_pressed(es.input, SAPP_KEYCODE_SPACE);
        }
        ticks += frame.ticks;
        es_sokol_submit(&es);
        present();
    }
    assert_in_range(ticks, 298, 303);
    assert_in_range(pressed, 148, 150);
    assert_int_equal(es_loop_display(es.loop).mode, ES_DISPLAY_HOST);
    es_sokol_close(&es);
}

TEST(sokol_rests_while_hidden)
{
    es_loop_config config = start();
    es_sokol es;
    es_frame frame;
    sapp_event event = sokol_event(SAPP_EVENTTYPE_ICONIFIED);
    assert_true(es_sokol_open(&es, &config));
    assert_true(es_sokol_next(&es, &frame));
    assert_true(frame.visible);
    es_sokol_submit(&es);
    es_sokol_event(&es, &event);
    event.type = SAPP_EVENTTYPE_SUSPENDED;
    es_sokol_event(&es, &event);
    event.type = SAPP_EVENTTYPE_RESTORED;
    es_sokol_event(&es, &event);
    int64_t begin_ns = test_now_ns();
    int64_t ticks = 0;
    for (int i = 0; i < 60; ++i) { /* sokol does not wait */
        assert_true(es_sokol_next(&es, &frame));
        assert_false(frame.visible);
        ticks += frame.ticks;
        es_sokol_submit(&es);
    }
    if (ES_SOKOL_HIDDEN_NS > 0) {
        assert_int_equal(test_now_ns() - begin_ns, 60 * (S / 60));
        assert_in_range(ticks, 59, 61);
    }
    event.type = SAPP_EVENTTYPE_RESUMED;
    es_sokol_event(&es, &event);
    assert_true(es_sokol_next(&es, &frame));
    assert_true(frame.visible);
    es_sokol_close(&es);
}

/* --- calls in any order ------------------------------------------------------------------------ */

typedef struct chaos {
    test_random random;
    es_loop_config config;
    es_sdl3 sdl3;
    es_raylib raylib;
    es_sokol sokol;
    es_frame frame; /* of any loop, or of none */
} chaos;

static int below(chaos *c, int64_t most)
{
    return (int)random_below(&c->random, most);
}

/* What the libraries answer changes, and time passes. */
static void change(chaos *c)
{
    fake.no_mode = below(c, 4) == 0;
    fake.gone = below(c, 9) == 0;
    fake.mode.refresh_rate = (float)(below(c, 500) - 10);
    fake.mode.refresh_rate_numerator = below(c, 3) == 0 ? below(c, INT32_MAX) : below(c, 300) - 10;
    fake.mode.refresh_rate_denominator = below(c, 1002) - 1;
    fake.flags = (SDL_WindowFlags)random_u64(&c->random);
    fake.button_next = below(c, 2) == 0;
    fake.repeat_next = below(c, 5) == 0;
    fake.moved_next.x = (float)(below(c, 9) - 4);
    fake.pad = below(c, 3) > 0;
    fake.pad_button = below(c, 2) == 0;
    fake.pad_axis = (float)below(c, 100) / 50.0F - 1.0F;
    fake.hidden = below(c, 4) == 0;
    fake.minimised = below(c, 4) == 0;
    fake.monitors = below(c, 3);
    fake.hz = below(c, 300) - 5;
    turn_key(1 + below(c, 600) % (ES_RAYLIB_MOUSE - 1), below(c, 2) == 0);
    test_clock.now_ns += below(c, 10) == 0 ? random_below(&c->random, 3 * S) : below(c, 20 * MS);
    c->config.refresh = es_hz(below(c, 3) == 0 ? 60.0 : -1.0); /* -1: refused */
    if (below(c, 2) == 0) {
        memset(&c->config.refresh, 0, sizeof c->config.refresh);
    }
}

static void call_sdl3(chaos *c)
{
    static const uint32_t types[] = {SDL_EVENT_QUIT, SDL_EVENT_DISPLAY_CURRENT_MODE_CHANGED,
            SDL_EVENT_WINDOW_FIRST, SDL_EVENT_WINDOW_FOCUS_LOST, SDL_EVENT_WINDOW_LAST,
            SDL_EVENT_KEY_DOWN, SDL_EVENT_KEY_UP, SDL_EVENT_MOUSE_MOTION,
            SDL_EVENT_MOUSE_BUTTON_DOWN, SDL_EVENT_MOUSE_BUTTON_UP, SDL_EVENT_MOUSE_WHEEL,
            SDL_EVENT_GAMEPAD_AXIS_MOTION, SDL_EVENT_GAMEPAD_BUTTON_DOWN,
            SDL_EVENT_GAMEPAD_BUTTON_UP, SDL_EVENT_GAMEPAD_ADDED, SDL_EVENT_GAMEPAD_REMOVED};
    SDL_Event event = sdl_event(types[below(c, COUNT_OF(types))], test_now_ns());
    event.common.timestamp = random_u64(&c->random);
    event.window.windowID = 2 + (uint32_t)below(c, 2);
    event.key.scancode = (SDL_Scancode)below(c, SDL_SCANCODE_COUNT);
    event.button.button = (Uint8)below(c, 256);
    event.gaxis.which = event.gbutton.which = (uint32_t)random_u64(&c->random);
    event.gaxis.axis = event.gbutton.button = (Uint8)below(c, 256);
    switch (below(c, 12)) {
    case 0:
        es_sdl3_close(&c->sdl3);
        break;
    case 1:
        es_sdl3_close(&c->sdl3);
        es_sdl3_open(
                &c->sdl3, below(c, 5) == 0 ? NULL : WINDOW, below(c, 5) == 0 ? NULL : &c->config);
        break;
    case 2:
    case 3:
        es_sdl3_next(&c->sdl3, &c->frame);
        break;
    case 4:
        es_sdl3_end(&c->sdl3);
        break;
    case 5:
    case 6:
        es_sdl3_step(&c->sdl3, &c->frame, below(c, 5) - 1);
        break;
    case 7:
        es_sdl3_submit(&c->sdl3, &c->frame);
        break;
    default:
        es_sdl3_event(&c->sdl3, &event);
        break;
    }
}

static void call_raylib(chaos *c)
{
    switch (below(c, 10)) {
    case 0:
        es_raylib_close(&c->raylib);
        break;
    case 1:
        es_raylib_close(&c->raylib);
        es_raylib_open(&c->raylib, below(c, 5) == 0 ? NULL : &c->config);
        break;
    case 2:
    case 3:
        es_raylib_next(&c->raylib, &c->frame);
        break;
    case 4:
    case 5:
        es_raylib_step(&c->raylib, &c->frame, below(c, 5) - 1);
        break;
    case 6:
        es_raylib_submit(&c->raylib);
        break;
    case 7:
        PollInputEvents();
        break;
    default:
        es_raylib_poll(&c->raylib);
        break;
    }
}

static void call_sokol(chaos *c)
{
    sapp_event event = sokol_event((sapp_event_type)below(c, SAPP_EVENTTYPE_RESUMED + 1));
    event.key_code = (sapp_keycode)below(c, SAPP_KEYCODE_MENU + 1);
    event.key_repeat = below(c, 4) == 0;
    event.mouse_button = (sapp_mousebutton)(below(c, 4) == 0 ? 256 : below(c, 3));
    event.mouse_dx = (float)below(c, 100);
    switch (below(c, 10)) {
    case 0:
        es_sokol_close(&c->sokol);
        break;
    case 1:
        es_sokol_close(&c->sokol);
        es_sokol_open(&c->sokol, below(c, 5) == 0 ? NULL : &c->config);
        break;
    case 2:
    case 3:
        es_sokol_next(&c->sokol, &c->frame);
        break;
    case 4:
    case 5:
        es_sokol_step(&c->sokol, &c->frame, below(c, 5) - 1);
        break;
    case 6:
        es_sokol_submit(&c->sokol);
        break;
    default:
        es_sokol_event(&c->sokol, &event);
        break;
    }
}

static void any_order(void (*call)(chaos *), uint64_t seed)
{
    chaos *c = (chaos *)calloc(1, sizeof *c);
    assert_non_null(c);
    c->config = start();
    c->random.state = seed;
    for (int i = 0; i < CALLS; ++i) {
        if (below(c, 2) == 0) {
            change(c);
        }
        call(c);
    }
    es_sdl3_close(&c->sdl3);
    es_raylib_close(&c->raylib);
    es_sokol_close(&c->sokol);
    free(c);
}

TEST(sdl3_in_any_order)
{
    any_order(call_sdl3, 16);
}

TEST(raylib_in_any_order)
{
    any_order(call_raylib, 17);
}

TEST(sokol_in_any_order)
{
    any_order(call_sokol, 18);
}

/* A zeroed adapter does nothing, and returns false or 0. */
TEST(zeroed_adapters_do_nothing)
{
    es_sdl3 sdl3 = {0};
    es_raylib raylib = {0};
    es_sokol sokol = {0};
    es_frame frame = {.ticks = 3};
    SDL_Event key = sdl_event(SDL_EVENT_KEY_DOWN, test_now_ns());
    sapp_event hidden = sokol_event(SAPP_EVENTTYPE_ICONIFIED);
    start();
    es_sdl3_event(&sdl3, &key);
    assert_false(es_sdl3_next(&sdl3, &frame));
    assert_false(es_sdl3_end(&sdl3));
    es_sdl3_submit(&sdl3, &frame);
    es_sdl3_step(&sdl3, &frame, 0);
    es_sdl3_close(&sdl3);
    es_raylib_poll(&raylib);
    assert_false(es_raylib_next(&raylib, &frame));
    es_raylib_submit(&raylib);
    es_raylib_step(&raylib, &frame, 0);
    es_raylib_close(&raylib);
    es_sokol_event(&sokol, &hidden);
    assert_false(es_sokol_next(&sokol, &frame));
    es_sokol_submit(&sokol);
    es_sokol_step(&sokol, &frame, 0);
    es_sokol_close(&sokol);
    assert_int_equal(frame.ticks, 3);
    assert_int_equal(fake.polls + fake.drawn + fake.flushed, 0);
    assert_int_equal(test_now_ns(), 100 * S);
}

TEST_MAIN("window_adapters", NULL)
