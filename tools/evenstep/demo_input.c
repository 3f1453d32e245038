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
}

void demo_feed_push(demo_feed *feed, const es_input_event *event, int64_t now_ns)
{
    es_input_push(&feed->ring, event, now_ns); /* what is refused, the ring counts as lost */
}

static bool is_measured(const es_input_event *event)
{
    return event->kind == ES_INPUT_PRESS
           || (event->kind == ES_INPUT_PLACE && event->code == DEMO_AXIS_X);
}

static bool is_seen(const es_input_event *event)
{
    return event->kind == ES_INPUT_PRESS || event->kind == ES_INPUT_PLACE;
}

int demo_feed_take(
        demo_feed *feed, const es_step *step, es_input_event *events, demo_got *got, int *got_count)
{
    es_input_taken taken;
    int count = 0;
    *got_count = 0;
    es_input_open(&feed->ring, step);
    while (es_input_next(&feed->ring, &taken)) {
        if (is_seen(&taken.event) && count < DEMO_RING) {
            events[count++] = taken.event;
        }
        if (is_measured(&taken.event) && *got_count < DEMO_GOT) {
            got[(*got_count)++] = (demo_got){taken, *step};
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
