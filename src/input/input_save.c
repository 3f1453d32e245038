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

enum { HEAD = 4, BUTTON = 9, AXIS = 20 };

static void put(unsigned char **at, uint64_t value, int bytes)
{
    for (int i = 0; i < bytes; ++i) {
        *(*at)++ = (unsigned char)(value >> 8 * i);
    }
}

static uint64_t get(const unsigned char **at, int bytes)
{
    uint64_t value = 0;
    for (int i = 0; i < bytes; ++i) {
        value |= (uint64_t) * (*at)++ << 8 * i;
    }
    return value;
}

static void put_f64(unsigned char **at, double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    put(at, bits, 8);
}

static double get_f64(const unsigned char **at)
{
    uint64_t bits = get(at, 8);
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
    size_t needed = HEAD + BUTTON * buttons + AXIS * axes;
    if (bytes == NULL || size < needed) {
        return needed;
    }
    put(&bytes, buttons, 2);
    put(&bytes, axes, 2);
    for (int32_t i = 0; i < state->button_count; ++i) {
        const es__button *button = &state->buttons[i];
        if (is_button_saved(button)) {
            put(&bytes, (uint64_t)i, 2);
            put(&bytes, button->device, 2);
            put(&bytes, button->pressed, 2);
            put(&bytes, button->released, 2);
            put(&bytes, button->held, 1);
        }
    }
    for (int32_t i = 0; i < state->axis_count; ++i) {
        const es__axis *axis = &state->axes[i];
        if (is_axis_saved(axis)) {
            put(&bytes, (uint64_t)i, 2);
            put(&bytes, axis->device, 2);
            put_f64(&bytes, axis->at);
            put_f64(&bytes, axis->moved);
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
        int32_t code = (int32_t)get(at, 2);
        es__button button = {.device = (uint16_t)get(at, 2)};
        button.pressed = (uint16_t)get(at, 2);
        button.released = (uint16_t)get(at, 2);
        uint64_t held = get(at, 1);
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

static bool is_finite(double value)
{
    return value >= -DBL_MAX && value <= DBL_MAX;
}

static bool read_axes(
        es__state *state, const unsigned char **at, uint64_t count, const es__state *like)
{
    int32_t least = 0;
    for (uint64_t i = 0; i < count; ++i) {
        int32_t number = (int32_t)get(at, 2);
        es__axis axis = {.device = (uint16_t)get(at, 2)};
        axis.at = get_f64(at);
        axis.moved = get_f64(at);
        if (number < least || number >= like->axis_count || !is_finite(axis.at)
                || !is_finite(axis.moved) || !is_axis_saved(&axis)) {
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

static void clear(es__state *state)
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
    if (bytes == NULL || size < HEAD) {
        return false;
    }
    uint64_t buttons = get(&at, 2), axes = get(&at, 2);
    if (size != HEAD + BUTTON * buttons + AXIS * axes || !read_buttons(NULL, &at, buttons, state)
            || !read_axes(NULL, &at, axes, state)) {
        return false;
    }
    clear(state);
    at = bytes + HEAD;
    return read_buttons(state, &at, buttons, state) && read_axes(state, &at, axes, state);
}
