/* SPDX-License-Identifier: Zlib
 *
 * What is held and what has moved. Only changes count, so the edges of a button always alternate,
 * whatever events were lost.
 */
#include "input.h"

void es__state_begin(es__state *state)
{
    if (!state->edges) {
        return;
    }
    for (int32_t i = 0; i < state->button_count; ++i) {
        state->buttons[i].pressed = 0;
        state->buttons[i].released = 0;
    }
    for (int32_t i = 0; i < state->axis_count; ++i) {
        state->axes[i].moved = 0.0;
    }
    state->edges = false;
}

static void turn(es__state *state, es__button *button, bool held)
{
    if (button->held == held) {
        return;
    }
    uint16_t *edges = held ? &button->pressed : &button->released;
    button->held = held;
    *edges = (uint16_t)(*edges < UINT16_MAX ? *edges + 1 : UINT16_MAX);
    state->edges = true;
}

static void move_axis_to(es__state *state, es__axis *axis, double at)
{
    axis->moved += at - axis->at;
    axis->at = at;
    state->edges = true;
}

double es__axis_after(const es__axis *axis, double at, const es_input_event *event)
{
    switch (event->kind) {
    case ES_INPUT_MOVE:
        return at + event->value;
    case ES_INPUT_PLACE:
        return event->value;
    case ES_INPUT_RESET:
    case ES_INPUT_LOST:
        return axis->rests && (event->device == ES_INPUT_ALL || event->device == axis->device) ? 0.0
                                                                                               : at;
    default:
        return at;
    }
}

/* Of the event's device, or of all. */
static void release_all(es__state *state, const es_input_event *event)
{
    for (int32_t i = 0; i < state->button_count; ++i) {
        es__button *button = &state->buttons[i];
        if (event->device == ES_INPUT_ALL || event->device == button->device) {
            turn(state, button, false);
        }
    }
    for (int32_t i = 0; i < state->axis_count; ++i) {
        es__axis *axis = &state->axes[i];
        double at = es__axis_after(axis, axis->at, event);
        if (at != axis->at) {
            move_axis_to(state, axis, at);
        }
    }
}

void es__state_apply(es__state *state, const es_input_event *event)
{
    bool is_button = event->kind == ES_INPUT_PRESS || event->kind == ES_INPUT_RELEASE;
    bool is_axis = event->kind == ES_INPUT_MOVE || event->kind == ES_INPUT_PLACE;
    if (is_button && event->code < state->button_count) {
        es__button *button = &state->buttons[event->code];
        turn(state, button, event->kind == ES_INPUT_PRESS);
        button->device = event->kind == ES_INPUT_PRESS ? event->device : button->device;
    } else if (is_axis && event->code < state->axis_count) {
        es__axis *axis = &state->axes[event->code];
        axis->device = event->device;
        move_axis_to(state, axis, es__axis_after(axis, axis->at, event));
    } else if (event->kind == ES_INPUT_RESET || event->kind == ES_INPUT_LOST) {
        release_all(state, event);
    }
}
