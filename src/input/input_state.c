/* SPDX-License-Identifier: Zlib
 *
 * What is held and what has moved. Only changes count, so the edges of a button always alternate,
 * whatever events were lost.
 */
#include "input_parts.h"

#include <string.h>

#define CODES_MAX 65536

es_result es_input_state_init(es_input_state *state, es_input_button *buttons,
        uint32_t button_count, es_input_axis *axes, uint32_t axis_count)
{
    bool missing = (buttons == NULL && button_count > 0) || (axes == NULL && axis_count > 0);
    if (state == NULL || missing || button_count > CODES_MAX || axis_count > CODES_MAX) {
        return ES_ERR_INVALID;
    }
    *state = (es_input_state){
            .buttons = buttons,
            .axes = axes,
            .button_count = button_count,
            .axis_count = axis_count,
            .device = ES_INPUT_ALL,
    };
    for (uint32_t i = 0; i < button_count; ++i) {
        buttons[i] = (es_input_button){0};
    }
    for (uint32_t i = 0; i < axis_count; ++i) {
        axes[i] = (es_input_axis){0};
    }
    return ES_OK;
}

void es__input_state_begin(es_input_state *state, int64_t tick)
{
    state->tick = tick;
    if (!state->edges) {
        return;
    }
    for (uint32_t i = 0; i < state->button_count; ++i) {
        es_input_button *button = &state->buttons[i];
        *button = (es_input_button){.held = button->held, .was_held = button->held};
    }
    for (uint32_t i = 0; i < state->axis_count; ++i) {
        state->axes[i].moved = 0.0;
    }
    state->edges = false;
}

static void turn(es_input_state *state, uint32_t code, bool held)
{
    es_input_button *button = &state->buttons[code];
    if (button->held == held) {
        return;
    }
    uint16_t *edges = held ? &button->pressed : &button->released;
    button->held = held;
    *edges = (uint16_t)(*edges < UINT16_MAX ? *edges + 1 : UINT16_MAX);
    state->edges = true;
}

static void axis_move(es_input_state *state, es_input_axis *axis, double by, double to)
{
    axis->moved += by;
    axis->at = to;
    state->edges = true;
}

static void release_all(es_input_state *state)
{
    for (uint32_t i = 0; i < state->button_count; ++i) {
        turn(state, i, false);
    }
    for (uint32_t i = 0; i < state->axis_count; ++i) {
        es_input_axis *axis = &state->axes[i];
        if (axis->rests && axis->at != 0.0) {
            axis_move(state, axis, -axis->at, 0.0);
        }
    }
}

void es__input_state_apply(es_input_state *state, const es_input_event *event)
{
    bool mine = state->device == ES_INPUT_ALL || event->device == ES_INPUT_ALL
                || event->device == state->device;
    bool is_button = event->kind == ES_INPUT_PRESS || event->kind == ES_INPUT_RELEASE;
    bool is_axis = event->kind == ES_INPUT_MOVE || event->kind == ES_INPUT_PLACE;
    if (!mine) {
        return;
    }
    if (is_button && event->code < state->button_count) {
        turn(state, event->code, event->kind == ES_INPUT_PRESS);
    } else if (is_axis && event->code < state->axis_count) {
        es_input_axis *axis = &state->axes[event->code];
        bool placed = event->kind == ES_INPUT_PLACE;
        double by = placed ? event->value - axis->at : event->value;
        axis_move(state, axis, by, placed ? event->value : axis->at + by);
    } else if (event->kind == ES_INPUT_RESET || event->kind == ES_INPUT_LOST) {
        release_all(state);
    }
}

es_result es__input_state_copy(es_input_state *to, const es_input_state *from)
{
    if (to == NULL || from == NULL || to->button_count != from->button_count
            || to->axis_count != from->axis_count) {
        return ES_ERR_INVALID;
    }
    if (from->button_count > 0) {
        memmove(to->buttons, from->buttons, from->button_count * sizeof *to->buttons);
    }
    if (from->axis_count > 0) {
        memmove(to->axes, from->axes, from->axis_count * sizeof *to->axes);
    }
    to->device = from->device;
    to->edges = from->edges;
    to->tick = from->tick;
    return ES_OK;
}
