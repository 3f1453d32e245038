/* SPDX-License-Identifier: Zlib */
#include "variable.h"

#include "base/common.h"
#include "constants.h"
#include "flips.h"
#include "refresh.h"

int64_t es__variable_ready_ns(const es__display *display, int64_t submit_ns)
{
    const es__variable *variable = &display->variable;
    return es__ns_add(es__max(submit_ns, variable->ready_ns), variable->hidden_ns);
}

int64_t es__variable_flip_ns(const es__display *display, int64_t before_ns, int64_t ready_ns)
{
    double shortest_ns =
            display->refresh.certain ? display->refresh.period_ns : display->refresh.known_ns;
    return es__max(ready_ns, es__ns_add(before_ns, es__to_ns(shortest_ns)));
}

static void add_variable_frame(es__display *display, int64_t age)
{
    es__variable *variable = &display->variable;
    es__display_frame *frame = es__own_frame(display, age);
    variable->ready_ns = es__variable_ready_ns(display, frame->submit_ns);
    frame->ready_ns = variable->ready_ns;
    int64_t at_ns = es__max(frame->ready_ns, frame->target_ns);
    variable->flip_ns = es__variable_flip_ns(display, variable->flip_ns, at_ns);
    frame->flip_ns = variable->flip_ns;
}

void es__variable_submitted(es__display *display)
{
    add_variable_frame(display, 0);
}

void es__variable_passed(es__display *display, int64_t now_ns)
{
    es__variable *variable = &display->variable;
    variable->ready_ns = es__min(variable->ready_ns, now_ns);
    variable->flip_ns = es__min(variable->flip_ns, now_ns);
}

/* A frame that flipped later than its target and the shortest refresh was ready only then. Another one
 * was ready before. */
static void learn_gpu(es__display *display, int64_t age, int64_t shown_ns)
{
    es__variable *variable = &display->variable;
    es__display_frame *frame = es__own_frame(display, age);
    const es__display_frame *before = es__frame(display, age + 1);
    if (!display->varies || age + 1 >= es__frames_kept(display)) {
        return;
    }
    int64_t free_ns =
            es__max(frame->target_ns, es__variable_flip_ns(display, before->flip_ns, INT64_MIN));
    bool waited = (double)es__ns_sub(shown_ns, free_ns) < ES__TUNE(blocked_ns);
    int64_t begun_ns = es__max(frame->submit_ns, before->ready_ns);
    int64_t off_ns = es__ns_sub(es__ns_sub(shown_ns, begun_ns), variable->hidden_ns);
    frame->ready_ns = waited ? es__min(frame->ready_ns, shown_ns) : shown_ns;
    if (waited && off_ns > 0) {
        return;
    }
    double most_ns = ES__TUNE(hidden_most) * ES__TUNE(hidden_most)
                     * es__max_f64(display->refresh.known_ns, ES__TUNE(free_ns));
    double taken_ns = (double)es__ns_sub(shown_ns, begun_ns);
    double hidden_ns = (double)variable->hidden_ns + ES__TUNE(hidden_gain) * (double)off_ns;
    /* no GPU: a panel that repeats delayed the frames before */
    if (taken_ns < ES__TUNE(blocked_ns)) {
        hidden_ns = 0.0;
    }
    variable->hidden_ns = es__to_ns(es__max_f64(es__min_f64(hidden_ns, most_ns), 0.0));
}

void es__variable_shown(es__display *display, int64_t age, int64_t shown_ns)
{
    es__variable *variable = &display->variable;
    es__display_frame *frame = es__own_frame(display, age);
    learn_gpu(display, age, shown_ns);
    frame->flip_ns = shown_ns;
    variable->flip_ns = shown_ns;
    variable->ready_ns = es__min(frame->ready_ns, shown_ns);
    for (int64_t i = age - 1; i >= 0; --i) {
        add_variable_frame(display, i);
    }
}
