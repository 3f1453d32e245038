/* SPDX-License-Identifier: Zlib
 *
 * Two bounds. The oracle knows when each frame will be seen and shows that instant: no error is
 * possible. The causal reference knows the refreshes, the queue and the typical cost of frames. It
 * shows the first flip that it expects to reach: about the best that is possible without knowledge
 * of the future.
 *
 * Both count in true time. Content does not wait for ticks (the motion is known), so slow updates
 * affect neither.
 */
#include "lab/loops/loops.h"

/* Ticks per frame: enough for 20 Hz under 128 ticks per second; a limit against a spiral. */
enum { TICKS_MAX = 8 };

typedef struct reference {
    es_rate rate;
    int64_t tick_ns;
    int64_t ticks;
} reference;

static es_result start(
        void *state, const lab_loop_setup *setup, lab_machine *machine, lab_refusal *error)
{
    reference *loop = state;
    (void)machine;
    (void)error;
    loop->rate = setup->tick_rate;
    loop->tick_ns = rate_period_ns(setup->tick_rate);
    return ES_OK;
}

/* How many ticks content needs, so that it lies before the newest. */
static int64_t ticks_needed(const reference *loop, int64_t content_ns)
{
    int64_t due = rate_ns_to_events(loop->rate, content_ns) - loop->ticks;
    due = due > 0 ? due : 0;
    return due < TICKS_MAX ? due : TICKS_MAX;
}

static void run_ticks(reference *loop, lab_machine *machine, int64_t count)
{
    for (int64_t n = 0; n < count; ++n) {
        loop->ticks += 1;
        lab_tick(machine, lab_tick_time_ns(loop->rate, loop->ticks));
    }
}

static void show(reference *loop, lab_machine *machine, int64_t content_ns)
{
    lab_content content = {0};
    int64_t newer_ns = lab_tick_time_ns(loop->rate, loop->ticks);
    content.content_ns = content_ns;
    content.alpha = 1.0 - (double)(newer_ns - content_ns) / (double)loop->tick_ns;
    lab_show(machine, &content);
}

static void causal_frame(void *state, lab_machine *machine)
{
    reference *loop = state;
    lab_poll(machine);
    int64_t work_ns = lab_typical_update_ns(machine);
    int64_t count = ticks_needed(loop, lab_expect_ns(machine, work_ns));
    int64_t content_ns = lab_expect_ns(machine, count * work_ns);
    run_ticks(loop, machine, count);
    show(loop, machine, content_ns);
}

static void oracle_frame(void *state, lab_machine *machine)
{
    reference *loop = state;
    lab_poll(machine);
    run_ticks(loop, machine, ticks_needed(loop, lab_foresee_ns(machine)));
    show(loop, machine, lab_foresee_ns(machine));
}

const lab_loop lab_loop_causal = {"causal", "causal bound: refreshes and typical cost known",
        "reference of the lab", LAB_LOOP_REFERENCE, LAB_TAKES_HOST, 0, sizeof(reference), start,
        causal_frame, NULL};

const lab_loop lab_loop_oracle = {"oracle", "oracle: knows every screen time",
        "reference of the lab", LAB_LOOP_REFERENCE, LAB_TAKES_HOST, 0, sizeof(reference), start,
        oracle_frame, NULL};
