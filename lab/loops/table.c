/* SPDX-License-Identifier: Zlib */
#include "lab/loops/loops.h"

#include <string.h>

static const lab_loop *const loops[] = {&lab_loop_display_time, &lab_loop_low_latency,
        &lab_loop_adaptive, &lab_loop_lockstep, &lab_loop_variable, &lab_loop_decoupled,
        &lab_loop_max_frameskip, &lab_loop_threaded, &lab_loop_variable_dt, &lab_loop_averaged_dt,
        &lab_loop_fixed, &lab_loop_gaffer, &lab_loop_averaged, &lab_loop_bevy, &lab_loop_glaiel,
        &lab_loop_godot_raw, &lab_loop_godot, &lab_loop_godot_physics, &lab_loop_xna,
        &lab_loop_flip_dt, &lab_loop_longest, &lab_loop_causal, &lab_loop_just_in_time,
        &lab_loop_oracle};

enum { LOOP_COUNT = sizeof loops / sizeof loops[0] };

const lab_loop *lab_loop_at(size_t index)
{
    return index < LOOP_COUNT ? loops[index] : NULL;
}

const lab_loop *const *lab_loop_table(size_t *count)
{
    *count = LOOP_COUNT;
    return loops;
}

const lab_loop *lab_loop_find(const char *name)
{
    for (size_t i = 0; name != NULL && i < LOOP_COUNT; ++i) {
        if (strcmp(loops[i]->name, name) == 0) {
            return loops[i];
        }
    }
    return NULL;
}
