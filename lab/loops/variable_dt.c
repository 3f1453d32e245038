/* SPDX-License-Identifier: Zlib
 *
 * One update per frame, with the time that the frame before took: as it is, or as the mean of the
 * last eleven. What most programs without an engine do; LOVE, libGDX, raylib and SDL's callbacks
 * hand this number out.
 */
#include "lab/loops/loops.h"

enum { HISTORY = 11 };

typedef struct variable_dt {
    lab_timer timer;
    int64_t content_ns;
    int64_t history_ns[HISTORY];
    int64_t sum_ns;
    int64_t count; /* frames seen */
} variable_dt;

static void show(variable_dt *loop, lab_machine *machine, int64_t delta_ns)
{
    loop->content_ns += delta_ns;
    lab_poll(machine);
    lab_tick(machine, loop->content_ns);
    lab_content content = lab_content_at(loop->content_ns, true);
    lab_show(machine, &content);
}

static void frame(void *state, lab_machine *machine)
{
    variable_dt *loop = state;
    show(loop, machine, lab_timer_read(&loop->timer, machine));
}

/* The mean in whole ns; what division leaves over would be under 1 us in an hour. */
static void averaged_frame(void *state, lab_machine *machine)
{
    variable_dt *loop = state;
    bool first = !loop->timer.started;
    int64_t delta_ns = lab_timer_read(&loop->timer, machine);
    if (first) {
        show(loop, machine, 0);
        return;
    }
    int64_t *slot = &loop->history_ns[loop->count % HISTORY];
    loop->sum_ns += delta_ns - *slot;
    *slot = delta_ns;
    loop->count += 1;
    show(loop, machine, loop->sum_ns / (loop->count < HISTORY ? loop->count : HISTORY));
}

const lab_loop lab_loop_variable_dt = {"variable-dt", "variable step",
        "common practice; LOVE love.run, libGDX getDeltaTime, raylib GetFrameTime", LAB_LOOP_PEER,
        LAB_TAKES_HOST, 0, sizeof(variable_dt), NULL, frame, NULL};

const lab_loop lab_loop_averaged_dt = {"averaged-dt", "variable step, mean of 11 frames",
        "common practice; ten-odd frames as in libGDX's Android mean", LAB_LOOP_PEER,
        LAB_TAKES_HOST, 0, sizeof(variable_dt), NULL, averaged_frame, NULL};
