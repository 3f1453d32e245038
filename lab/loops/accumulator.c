/* SPDX-License-Identifier: Zlib
 *
 * Time goes into an accumulator, ticks take it out a period at a time.
 *
 * gaffer blends the last two ticks by the rest of the accumulator, in double seconds; a frame
 * counts for 250 ms at most. averaged takes the mean of the last eleven frame times. fixed does not
 * blend. bevy keeps whole ns; its clock cannot go back.
 */
#include "lab/loops/loops.h"

static const double frame_max_s = 0.25;
static const int64_t frame_max_ns = 250 * ES_NS_PER_MS;

enum { HISTORY = 11 };

typedef struct accumulator {
    es_rate rate;
    lab_timer timer;
    int64_t ticks;
    double step_s;
    double left_s;
    double history_s[HISTORY];
    int64_t frames;
    int64_t step_ns;
    int64_t left_ns;
} accumulator;

static es_result start(
        void *state, const lab_loop_setup *setup, lab_machine *machine, lab_refusal *error)
{
    accumulator *loop = state;
    (void)machine;
    (void)error;
    loop->rate = setup->tick_rate;
    loop->step_s = rate_period_s(setup->tick_rate);
    loop->step_ns = lab_ns_of_seconds(loop->step_s);
    return ES_OK;
}

static void tick(accumulator *loop, lab_machine *machine)
{
    loop->ticks += 1;
    lab_tick(machine, es_rate_time_ns(loop->rate, loop->ticks));
}

static double mean_s(accumulator *loop, double delta_s)
{
    double sum_s = 0.0;
    int64_t count = loop->frames < HISTORY ? loop->frames + 1 : HISTORY;
    loop->history_s[loop->frames % HISTORY] = delta_s;
    loop->frames += 1;
    for (int64_t i = 0; i < count; ++i) {
        sum_s += loop->history_s[i];
    }
    return sum_s / (double)count;
}

/* Returns the dropped time. */
static int64_t run_ticks_s(accumulator *loop, lab_machine *machine, bool is_averaged)
{
    double delta_s = (double)lab_timer_read(&loop->timer, machine) / 1e9;
    double kept_s = delta_s > frame_max_s ? frame_max_s : delta_s;
    lab_poll(machine);
    loop->left_s += is_averaged ? mean_s(loop, kept_s) : kept_s;
    while (loop->left_s >= loop->step_s) {
        tick(loop, machine);
        loop->left_s -= loop->step_s;
    }
    return lab_ns_of_seconds(delta_s - kept_s);
}

static void blended_frame(accumulator *loop, lab_machine *machine, bool is_averaged)
{
    lab_content content = {0};
    content.dropped_ns = run_ticks_s(loop, machine, is_averaged);
    content.alpha = loop->left_s / loop->step_s;
    content.content_ns =
            es_rate_time_ns(loop->rate, loop->ticks - 1) + lab_ns_of_seconds(loop->left_s);
    lab_show(machine, &content);
}

static void gaffer_frame(void *state, lab_machine *machine)
{
    blended_frame(state, machine, false);
}

static void averaged_frame(void *state, lab_machine *machine)
{
    blended_frame(state, machine, true);
}

static void fixed_frame(void *state, lab_machine *machine)
{
    accumulator *loop = state;
    int64_t dropped_ns = run_ticks_s(loop, machine, false);
    lab_content content = lab_content_at(es_rate_time_ns(loop->rate, loop->ticks), false);
    content.dropped_ns = dropped_ns;
    lab_show(machine, &content);
}

static void bevy_frame(void *state, lab_machine *machine)
{
    accumulator *loop = state;
    lab_content content = {0};
    int64_t delta_ns = lab_timer_read(&loop->timer, machine);
    if (delta_ns < 0) {
        delta_ns = 0;
    }
    if (delta_ns > frame_max_ns) {
        content.dropped_ns = delta_ns - frame_max_ns;
        delta_ns = frame_max_ns;
    }
    lab_poll(machine);
    loop->left_ns += delta_ns;
    while (loop->left_ns >= loop->step_ns) {
        tick(loop, machine);
        loop->left_ns -= loop->step_ns;
    }
    content.alpha = (double)loop->left_ns / (double)loop->step_ns;
    content.content_ns = (loop->ticks - 1) * loop->step_ns + loop->left_ns;
    lab_show(machine, &content);
}

const lab_loop lab_loop_fixed = {"fixed", "accumulator, no interpolation",
        "Fiedler, Fix Your Timestep! (2004), before its last section", LAB_LOOP_PEER,
        LAB_TAKES_HOST, 0, sizeof(accumulator), start, fixed_frame, NULL};

const lab_loop lab_loop_gaffer = {"gaffer", "accumulator, interpolated (Fix Your Timestep!)",
        "Fiedler, Fix Your Timestep! (2004), its last section", LAB_LOOP_PEER, LAB_TAKES_HOST, 0,
        sizeof(accumulator), start, gaffer_frame, NULL};

const lab_loop lab_loop_averaged = {"averaged", "accumulator of the mean of 11 frames",
        "common practice; Fix Your Timestep! with averaged frame times", LAB_LOOP_PEER,
        LAB_TAKES_HOST, 0, sizeof(accumulator), start, averaged_frame, NULL};

const lab_loop lab_loop_bevy = {"bevy", "Bevy, overstep interpolated",
        "Bevy bevy_time fixed.rs and virt.rs (01c17e3), bevy_transform_interpolation",
        LAB_LOOP_PEER, LAB_TAKES_HOST, 0, sizeof(accumulator), start, bevy_frame, NULL};
