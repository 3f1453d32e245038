/* SPDX-License-Identifier: Zlib
 *
 * A tick's input as bytes, little-endian:
 *
 *   u16 buttons, u16 axes: how many follow; those that are up and at rest are left out
 *   each button: u16 code, u16 device, u16 pressed, u16 released, u8 held
 *   each axis:   u16 axis, u16 device, f64 at, f64 moved
 */
#include "input_parts.h"

#include <float.h>
#include <string.h>

enum { SAVE_HEAD = 4, SAVE_BUTTON = 9, SAVE_AXIS = 20 };

static void save_put(unsigned char **at, uint64_t value, int bytes)
{
    for (int i = 0; i < bytes; ++i) {
        *(*at)++ = (unsigned char)(value >> 8 * i);
    }
}

static uint64_t save_get(const unsigned char **at, int bytes)
{
    uint64_t value = 0;
    for (int i = 0; i < bytes; ++i) {
        value |= (uint64_t) * (*at)++ << 8 * i;
    }
    return value;
}

static void save_put_f64(unsigned char **at, double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    save_put(at, bits, 8);
}

static double save_get_f64(const unsigned char **at)
{
    uint64_t bits = save_get(at, 8);
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static bool is_button_saved(const es__button *button)
{
    return button->held || button->pressed > 0 || button->released > 0;
}

static bool is_axis_saved(const es__axis *axis)
{
    return axis->at != 0.0 || axis->moved != 0.0;
}

size_t es__state_save(const es__state *state, unsigned char *bytes, size_t size)
{
    size_t buttons = 0, axes = 0;
    for (int32_t i = 0; i < state->button_count; ++i) {
        buttons += is_button_saved(&state->buttons[i]);
    }
    for (int32_t i = 0; i < state->axis_count; ++i) {
        axes += is_axis_saved(&state->axes[i]);
    }
    size_t needed = SAVE_HEAD + SAVE_BUTTON * buttons + SAVE_AXIS * axes;
    if (bytes == NULL || size < needed) {
        return needed;
    }
    save_put(&bytes, buttons, 2);
    save_put(&bytes, axes, 2);
    for (int32_t i = 0; i < state->button_count; ++i) {
        const es__button *button = &state->buttons[i];
        if (is_button_saved(button)) {
            save_put(&bytes, (uint64_t)i, 2);
            save_put(&bytes, button->device, 2);
            save_put(&bytes, button->pressed, 2);
            save_put(&bytes, button->released, 2);
            save_put(&bytes, button->held, 1);
        }
    }
    for (int32_t i = 0; i < state->axis_count; ++i) {
        const es__axis *axis = &state->axes[i];
        if (is_axis_saved(axis)) {
            save_put(&bytes, (uint64_t)i, 2);
            save_put(&bytes, axis->device, 2);
            save_put_f64(&bytes, axis->at);
            save_put_f64(&bytes, axis->moved);
        }
    }
    return needed;
}

/* Reads it into the state, or only checks it where state is NULL. Codes rise. */
static bool read_buttons(
        es__state *state, const unsigned char **at, uint64_t count, const es__state *like)
{
    int32_t least = 0;
    for (uint64_t i = 0; i < count; ++i) {
        int32_t code = (int32_t)save_get(at, 2);
        es__button button = {.device = (uint16_t)save_get(at, 2)};
        button.pressed = (uint16_t)save_get(at, 2);
        button.released = (uint16_t)save_get(at, 2);
        uint64_t held = save_get(at, 1);
        button.held = held == 1;
        if (code < least || code >= like->button_count || held > 1 || !is_button_saved(&button)) {
            return false;
        }
        least = code + 1;
        if (state != NULL) {
            state->buttons[code] = button;
        }
    }
    return true;
}

static bool is_number(double value)
{
    return value >= -DBL_MAX && value <= DBL_MAX;
}

static bool read_axes(
        es__state *state, const unsigned char **at, uint64_t count, const es__state *like)
{
    int32_t least = 0;
    for (uint64_t i = 0; i < count; ++i) {
        int32_t number = (int32_t)save_get(at, 2);
        es__axis axis = {.device = (uint16_t)save_get(at, 2)};
        axis.at = save_get_f64(at);
        axis.moved = save_get_f64(at);
        if (number < least || number >= like->axis_count || !is_number(axis.at)
                || !is_number(axis.moved) || !is_axis_saved(&axis)) {
            return false;
        }
        least = number + 1;
        if (state != NULL) {
            axis.rests = state->axes[number].rests;
            state->axes[number] = axis;
        }
    }
    return true;
}

static void state_clear(es__state *state)
{
    for (int32_t i = 0; i < state->button_count; ++i) {
        state->buttons[i] = (es__button){.held = false};
    }
    for (int32_t i = 0; i < state->axis_count; ++i) {
        state->axes[i] = (es__axis){.rests = state->axes[i].rests};
    }
    state->edges = true;
}

bool es__state_load(es__state *state, const unsigned char *bytes, size_t size)
{
    const unsigned char *at = bytes;
    if (bytes == NULL || size < SAVE_HEAD) {
        return false;
    }
    uint64_t buttons = save_get(&at, 2), axes = save_get(&at, 2);
    if (size != SAVE_HEAD + SAVE_BUTTON * buttons + SAVE_AXIS * axes
            || !read_buttons(NULL, &at, buttons, state) || !read_axes(NULL, &at, axes, state)) {
        return false;
    }
    state_clear(state);
    at = bytes + SAVE_HEAD;
    return read_buttons(state, &at, buttons, state) && read_axes(state, &at, axes, state);
}
