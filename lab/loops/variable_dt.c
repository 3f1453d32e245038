/* SPDX-License-Identifier: Zlib
 *
 * One update per frame, with the time that the frame before took: as it is, or as the mean of the
 * last eleven. What most programs without an engine do; LOVE, libGDX, raylib and SDL's callbacks
 * hand this number out. flip-dt takes the time between the flips of earlier frames, as the platform
 * reports them: what mpv and compositors do with presentation times; needs feedback.
 */
#include "lab/loops/loops.h"

enum { HISTORY = 11 };

typedef struct variable_dt {
    lab_timer timer;
    int64_t content_ns;
    int64_t history_ns[HISTORY];
    int64_t sum_ns;
    int64_t count;    /* frames seen */
    int64_t known_ns; /* flip-dt: the newest flip that is known */
    bool known;
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

/* What passed between the newest flip known now and the newest known a frame ago; without news
 * nothing, and the next news makes up for it. Until the first flip is known the clock measures. */
static int64_t between_flips(variable_dt *loop, lab_machine *machine)
{
    int64_t delta_ns = lab_timer_read(&loop->timer, machine);
    lab_report report;
    bool news = false;
    int64_t shown_ns = 0;
    while (lab_feedback_take(machine, &report)) {
        news = news || !report.discarded;
        shown_ns = report.discarded ? shown_ns : report.shown_ns;
    }
    if (!loop->known) {
        loop->known = news;
        loop->known_ns = news ? shown_ns : 0;
        return delta_ns;
    }
    delta_ns = news ? shown_ns - loop->known_ns : 0;
    loop->known_ns = news ? shown_ns : loop->known_ns;
    return delta_ns;
}

static void flip_frame(void *state, lab_machine *machine)
{
    variable_dt *loop = state;
    show(loop, machine, between_flips(loop, machine));
}

const lab_loop lab_loop_variable_dt = {"variable-dt", "variable step",
        "common practice; LOVE love.run, libGDX getDeltaTime, raylib GetFrameTime", LAB_LOOP_PEER,
        LAB_TAKES_HOST, 0, sizeof(variable_dt), NULL, frame, NULL};

const lab_loop lab_loop_averaged_dt = {"averaged-dt", "variable step, mean of 11 frames",
        "common practice; ten-odd frames as in libGDX's Android mean", LAB_LOOP_PEER,
        LAB_TAKES_HOST, 0, sizeof(variable_dt), NULL, averaged_frame, NULL};

const lab_loop lab_loop_flip_dt = {"flip-dt", "step from past flip times",
        "mpv's and compositors' practice; Wayland presentation-time, X11 Present", LAB_LOOP_PEER,
        LAB_NEEDS_FEEDBACK, 0, sizeof(variable_dt), NULL, flip_frame, NULL};
