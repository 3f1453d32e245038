/* SPDX-License-Identifier: Zlib
 *
 * adapters/es_sokol.h against tests/stubs/sokol.
 */
#define ADAPTER             es_sokol
#define ADAPTER_HEADER      "adapters/es_sokol.h"
#define OPEN(es, i, config) es_sokol_open(es, ((void)(i), config))
#define SUBMIT(es, frame)   ((void)(frame), es_sokol_submit(es))
#define POLL(es)            ((void)0)
#define END(es, frame)      ((void)0)
#define HOST                true
#define THERE(i)            ((i) >= 0)
#define KEY                 SAPP_KEYCODE_SPACE
#include "adapter_cases.h"

static void begin(void)
{
}

static void send(adapter *es, sapp_event_type type, bool repeats)
{
    sapp_event event;
    memset(&event, 0, sizeof event);
    event.type = type;
    event.key_code = KEY;
    event.mouse_dx = 1.0F;
    event.mouse_dy = -2.0F;
    event.key_repeat = repeats;
    es_sokol_event(es, &event);
}

static void happen(adapter *es, happening what, bool repeats)
{
    static const sapp_event_type types[] = {
            SAPP_EVENTTYPE_KEY_DOWN, SAPP_EVENTTYPE_KEY_UP, SAPP_EVENTTYPE_MOUSE_MOVE};
    if (what == WINDOW_CHANGED) {
        bool hidden = visibility == HIDDEN, suspended = visibility > HIDDEN;
        send(es, hidden ? SAPP_EVENTTYPE_ICONIFIED : SAPP_EVENTTYPE_RESTORED, false);
        send(es, suspended ? SAPP_EVENTTYPE_SUSPENDED : SAPP_EVENTTYPE_RESUMED, false);
    } else {
        send(es, types[what], repeats);
    }
}

static void change_window(int i)
{
    (void)i;
}

static void random_event(adapter *es)
{
    sapp_event event;
    memset(&event, 0, sizeof event);
    event.type = (sapp_event_type)roll(SAPP_EVENTTYPE_RESUMED + 1);
    event.key_code = (sapp_keycode)roll(SAPP_KEYCODE_MENU + 1);
    event.key_repeat = roll(4) == 0;
    event.mouse_button = (sapp_mousebutton)(roll(4) == 0 ? 256 : roll(3));
    event.mouse_dx = (float)roll(100);
    es_sokol_event(es, &event);
}

TEST(sokol_rests_while_hidden)
{
    es_loop_config config = start();
    adapter *es = &adapters[0];
    es_frame frame;
    assert_true(es_sokol_open(es, &config));
    assert_true(play().visible);
    assert_int_equal(es_loop_get_display(es->loop).mode, ES_DISPLAY_HOST);
    send(es, SAPP_EVENTTYPE_ICONIFIED, false);
    send(es, SAPP_EVENTTYPE_SUSPENDED, false);
    send(es, SAPP_EVENTTYPE_RESTORED, false);
    assert_true(es_sokol_next(es, &frame));
    int64_t begin_ns = virtual_ns;
    int64_t ticks = 0;
    for (int i = 0; i < 60; ++i) { /* sokol does not wait */
        es_sokol_submit(es);
        assert_true(es_sokol_next(es, &frame));
        assert_false(frame.visible);
        ticks += frame.ticks;
    }
    if (ES_SOKOL_HIDDEN_NS > 0) {
        assert_int_equal(virtual_ns - begin_ns, 60 * (S / 60));
        assert_in_range(ticks, 59, 61);
    }
    send(es, SAPP_EVENTTYPE_RESUMED, false);
    assert_true(es_sokol_next(es, &frame));
    assert_true(frame.visible);
    es_sokol_close(es);
}
