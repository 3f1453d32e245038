/* SPDX-License-Identifier: Zlib
 *
 * The adaptive loop as its description reads, word for word: a frame is drawn for the instant at
 * which it starts; the frame time is that of render and present and the updates so far, looked at
 * after the render and after every update; when it exceeds the interval, that becomes 6/5 of it,
 * for good; updates run past the end of the interval, and the loop sleeps until then.
 *
 * Read so, present counts as work, and each late wake-up moves all frames after it: on a display
 * that blocks the interval grows although there is time to spare, and on one that does not a
 * refresh is missed again and again.
 */
#include "lab/loops/loops.h"

typedef struct adaptive_literal {
    es_rate rate;
    int64_t interval_ns;
    int64_t start_ns; /* of the frame, from the origin: what it shows */
    int64_t origin_ns;
    int64_t ticks;
    bool started;
} adaptive_literal;

static es_result start(
        void *state, const lab_loop_setup *setup, lab_machine *machine, lab_refusal *error)
{
    adaptive_literal *loop = state;
    (void)machine;
    (void)error;
    loop->rate = setup->tick_rate;
    loop->interval_ns =
            setup->refresh.numerator > 0 ? rate_period_ns(setup->refresh) : ES_NS_PER_S / 60;
    return ES_OK;
}

/* The interval that leaves enough time for this work. */
static void make_room(adaptive_literal *loop, int64_t work_ns)
{
    if (work_ns > loop->interval_ns) {
        loop->interval_ns = work_ns / 5 * 6;
    }
}

static void frame(void *state, lab_machine *machine)
{
    adaptive_literal *loop = state;
    int64_t begin_ns = lab_now(machine);
    if (!loop->started) {
        loop->started = true;
        loop->origin_ns = begin_ns;
    }
    lab_content content = {0};
    loop->start_ns = begin_ns - loop->origin_ns;
    content.content_ns = loop->start_ns;
    content.interval_ns = loop->interval_ns;
    int64_t newer_ns = lab_tick_time_ns(loop->rate, loop->ticks);
    int64_t older_ns = lab_tick_time_ns(loop->rate, loop->ticks - 1);
    content.alpha = (double)(loop->start_ns - older_ns) / (double)(newer_ns - older_ns);
    lab_show(machine, &content);

    make_room(loop, lab_now(machine) - begin_ns);
    lab_poll(machine);
    while (lab_tick_time_ns(loop->rate, loop->ticks) < loop->start_ns + loop->interval_ns
            && !lab_is_over(machine)) { /* an update that costs more than it is worth never ends */
        loop->ticks += 1;
        lab_tick(machine, lab_tick_time_ns(loop->rate, loop->ticks));
        make_room(loop, lab_now(machine) - begin_ns);
    }
    loop->start_ns += loop->interval_ns;
    lab_wait_begins(machine);
    lab_sleep_until(machine, loop->origin_ns + loop->start_ns);
}

const lab_loop lab_loop_adaptive_literal = {"adaptive-literal",
        "adaptive interval, taken literally",
        "the project's documents, loop A1 without shrinking, present counted as work",
        LAB_LOOP_PEER, 0, 0, sizeof(adaptive_literal), start, frame, NULL};
