/* SPDX-License-Identifier: Zlib
 *
 * The loops of the table (table.c), and their shared helpers.
 */
#ifndef LAB_LOOPS_H
#define LAB_LOOPS_H

#include "lab/loop.h"

/* Each file in this folder defines one or more of these. */
extern const lab_loop lab_loop_display_time, lab_loop_low_latency, lab_loop_adaptive,
        lab_loop_lockstep, lab_loop_variable, lab_loop_decoupled, lab_loop_max_frameskip,
        lab_loop_threaded, lab_loop_variable_dt, lab_loop_averaged_dt, lab_loop_fixed,
        lab_loop_gaffer, lab_loop_averaged, lab_loop_bevy, lab_loop_glaiel, lab_loop_godot_raw,
        lab_loop_godot, lab_loop_godot_physics, lab_loop_xna, lab_loop_flip_dt, lab_loop_longest,
        lab_loop_causal, lab_loop_just_in_time, lab_loop_oracle;

/* Seconds in ns, to the nearest. */
static inline int64_t lab_ns_of_seconds(double seconds)
{
    double ns = seconds * 1e9;
    return (int64_t)(ns < 0.0 ? ns - 0.5 : ns + 0.5);
}

/* Of our loops: fills in a configuration from the setup; passes feedback on; what a frame shows
 * (evenstep.c). */
void lab_fill_in(es_loop_config *config, const lab_loop_setup *setup, lab_machine *machine);
void lab_pass_feedback(es_loop *loop, lab_machine *machine);
lab_content lab_content_of(const es_frame *planned, int64_t newest_tick);

/* The time of each frame, by lab_frame_time. */
typedef struct lab_timer {
    int64_t last_ns;
    bool started;
} lab_timer;

/* What passed since the last call; 0 at the first. */
static inline int64_t lab_timer_read(lab_timer *timer, lab_machine *machine)
{
    int64_t now_ns = lab_frame_time(machine);
    int64_t delta_ns = timer->started ? now_ns - timer->last_ns : 0;
    timer->last_ns = now_ns;
    timer->started = true;
    return delta_ns;
}

/* The content of a loop that shows its newest tick, or what this frame simulated (live). */
static inline lab_content lab_content_at(int64_t content_ns, bool live)
{
    return (lab_content){.content_ns = content_ns, .alpha = 1.0, .live = live};
}

#endif
