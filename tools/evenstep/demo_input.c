/* SPDX-License-Identifier: Zlib */
#include "demo_input.h"

/* --- from the view ---------------------------------------------------------------------------- */

void demo_input_begin(demo_input *input)
{
    input->key_count = 0;
    input->event_count = 0;
    input->before_ns = input->now_ns;
    input->now_ns = input->clock.now_ns(input->clock.user);
    input->before_ns = input->polls > 0 ? input->before_ns : input->now_ns;
    input->polls += 1;
}

static void add_event(demo_input *input, es_input_event event)
{
    if (input->event_count < DEMO_EVENTS) {
        input->events[input->event_count++] = event;
    } else {
        input->dropped += 1;
    }
}

void demo_input_move(demo_input *input, demo_point pointer, int64_t stamp_ns)
{
    es_input_event event = {.stamp_ns = stamp_ns, .kind = ES_INPUT_PLACE};
    input->pointer = pointer;
    event.code = DEMO_AXIS_X;
    event.value = pointer.x;
    add_event(input, event);
    event.code = DEMO_AXIS_Y;
    event.value = pointer.y;
    add_event(input, event);
}

void demo_input_button(demo_input *input, int button, bool down, int64_t stamp_ns)
{
    es_input_event event = {.stamp_ns = stamp_ns, .code = (uint16_t)button};
    event.kind = down ? ES_INPUT_PRESS : ES_INPUT_RELEASE;
    input->presses += down && input->event_count < DEMO_EVENTS;
    add_event(input, event);
}

void demo_input_key(demo_input *input, char key, int64_t stamp_ns)
{
    if (key == DEMO_KEY_CLICK) {
        demo_input_button(input, DEMO_BUTTON_KEY, true, stamp_ns);
        demo_input_button(input, DEMO_BUTTON_KEY, false, stamp_ns);
    } else if (input->key_count < DEMO_KEYS_MAX) {
        input->keys[input->key_count++] = key;
    }
}

/* --- to the ticks ----------------------------------------------------------------------------- */

void demo_feed_init(demo_feed *feed)
{
    es_input_init(&feed->ring, feed->events, DEMO_RING, NULL, NULL);
    es_input_state_init(&feed->state, feed->buttons, DEMO_BUTTONS, feed->axes, DEMO_AXES);
    feed->axes[DEMO_AXIS_X].at = DEMO_WIDTH / 2.0;
    feed->axes[DEMO_AXIS_Y].at = DEMO_HEIGHT / 2.0;
}

void demo_feed_push(demo_feed *feed, const es_input_event *event, int64_t now_ns)
{
    es_input_push(&feed->ring, event, now_ns); /* what is refused, the ring counts as lost */
}

demo_point demo_feed_pointer(const demo_feed *feed)
{
    return (demo_point){feed->axes[DEMO_AXIS_X].at, feed->axes[DEMO_AXIS_Y].at};
}

static bool is_measured(const es_input_event *event)
{
    return event->kind == ES_INPUT_PRESS
           || (event->kind == ES_INPUT_PLACE && event->code == DEMO_AXIS_X);
}

int demo_feed_tick(demo_feed *feed, const es_step *step, demo_scene *scene, demo_got *got)
{
    es_input_taken taken;
    int count = 0;
    es_input_open(&feed->ring, step);
    es_input_state_begin(&feed->state, step->index);
    while (es_input_next(&feed->ring, &taken)) {
        es_input_state_apply(&feed->state, &taken.event);
        if (taken.event.kind == ES_INPUT_PRESS) {
            demo_scene_flash(scene, demo_feed_pointer(feed), taken.event.stamp_ns);
        }
        if (is_measured(&taken.event) && count < DEMO_GOT) {
            got[count++] = (demo_got){taken, *step};
        }
    }
    return count;
}

int64_t demo_feed_waiting(const demo_feed *feed)
{
    int64_t count = 0;
    for (uint32_t i = 0; i < feed->ring.count; ++i) {
        count += es_input_pending(&feed->ring, i)->kind == ES_INPUT_PRESS;
    }
    return count;
}
