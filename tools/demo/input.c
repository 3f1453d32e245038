/* SPDX-License-Identifier: Zlib */
#include "evenstep/input.h"

#include "input.h"

#include "tool.h"

#include <string.h>

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

void demo_input_key(demo_input *input, char key)
{
    if (input->key_count < DEMO_KEYS_MAX) {
        input->keys[input->key_count++] = key;
    }
}

/* --- from a script ---------------------------------------------------------------------------- */

/* One printable character, or "space". */
static bool parse_key(const char *text, size_t size, char *key)
{
    bool space = size == 5 && memcmp(text, "space", 5) == 0;
    *key = space ? ' ' : text[0];
    return space || (size == 1 && text[0] > ' ' && text[0] < 127);
}

static bool parse_one(const char *text, size_t size, int64_t *at_ns, char *key)
{
    char time[24];
    const char *colon = memchr(text, ':', size);
    size_t time_size = colon != NULL ? (size_t)(colon - text) : sizeof time;
    if (time_size >= sizeof time) {
        return false;
    }
    memcpy(time, text, time_size);
    time[time_size] = '\0';
    return tool_parse_seconds(time, at_ns) && parse_key(colon + 1, size - time_size - 1, key);
}

bool demo_script_parse(const char *text, void *demo_script_pointer)
{
    demo_script *script = demo_script_pointer;
    int64_t last_ns = 0;
    for (script->count = 0; script->count < DEMO_SCRIPT_KEYS; ++text) {
        size_t size = strcspn(text, ","), at = script->count;
        if (!parse_one(text, size, &script->keys[at].at_ns, &script->keys[at].key)
                || script->keys[at].at_ns < last_ns) {
            return false;
        }
        last_ns = script->keys[at].at_ns;
        script->count += 1;
        text += size;
        if (*text == '\0') {
            return true;
        }
    }
    return false;
}

void demo_script_run(demo_script *script, int64_t since_begin_ns, demo_input *input)
{
    while (script->next < script->count && script->keys[script->next].at_ns <= since_begin_ns) {
        demo_input_key(input, script->keys[script->next++].key);
    }
}

/* --- to the ticks ----------------------------------------------------------------------------- */

int demo_input_take(es_input *input, const es_step *step, es_input_event *events)
{
    es_input_event event;
    int count = 0;
    es_input_tick(input, step);
    while (es_input_next(input, &event)) {
        bool press = event.kind == ES_INPUT_PRESS, place = event.kind == ES_INPUT_PLACE;
        if ((press || place) && count < DEMO_RING) {
            events[count++] = event;
        }
    }
    return count;
}
