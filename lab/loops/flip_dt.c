/* SPDX-License-Identifier: Zlib
 *
 * The step is the time between the flips of earlier frames, as the platform reports them. What mpv
 * and compositors do with presentation times; needs feedback.
 */
#include "lab/loops/loops.h"

typedef struct flip_dt {
    int64_t known_ns; /* the newest flip that is known */
    int64_t content_ns;
    lab_timer timer; /* before any feedback */
    bool known;
} flip_dt;

/* What passed between the newest flip known now and the newest known a frame ago; without news
 * nothing, and the next news makes up for it. Until the first flip is known the clock measures. */
static int64_t measure(flip_dt *loop, lab_machine *machine)
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

static void frame(void *state, lab_machine *machine)
{
    flip_dt *loop = state;
    loop->content_ns += measure(loop, machine);
    lab_poll(machine);
    lab_tick(machine, loop->content_ns);
    lab_content content = lab_content_at(loop->content_ns, true);
    lab_show(machine, &content);
}

const lab_loop lab_loop_flip_dt = {"flip-dt", "step from past flip times",
        "mpv's and compositors' practice; Wayland presentation-time, X11 Present", LAB_LOOP_PEER,
        LAB_NEEDS_FEEDBACK, 0, sizeof(flip_dt), NULL, frame, NULL};
