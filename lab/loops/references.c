/* SPDX-License-Identifier: Zlib
 *
 * Three bounds. The oracle knows when each frame will be seen and shows that instant: no error is
 * possible. The causal reference knows the refreshes, the queue and the median cost of frames. It
 * shows the first flip that it expects to reach: about the best that is possible without knowledge
 * of the future. On a variable refresh content moves by the median interval since the flip before,
 * so that no frame pays for the one before.
 *
 * The just-in-time reference knows the refreshes and the distribution of the work. A frame begins so
 * late that 1 % of the frames miss the next refresh: the least age of input.
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
    int64_t content_ns;
    int64_t missed_ns;  /* just in time: work that all but 1 % of the frames stay below ... */
    int64_t typical_ns; /* ... at this typical work */
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
        lab_tick(machine, es_rate_time_ns(loop->rate, loop->ticks));
    }
}

static void show(reference *loop, lab_machine *machine, int64_t content_ns)
{
    lab_content content = {0};
    int64_t newer_ns = es_rate_time_ns(loop->rate, loop->ticks);
    content.content_ns = content_ns;
    content.alpha = 1.0 - (double)(newer_ns - content_ns) / (double)loop->tick_ns;
    lab_show(machine, &content);
}

static void causal_frame(void *state, lab_machine *machine)
{
    reference *loop = state;
    lab_poll(machine);
    int64_t work_ns = lab_pricer_typical_ns(&machine->update, machine->now_ns);
    int64_t count = ticks_needed(loop, lab_expect_ns(machine, work_ns));
    int64_t content_ns = lab_expect_ns(machine, count * work_ns);
    if (machine->screen.any_seen
            && lab_screen_mode(&machine->screen, machine->now_ns) == LAB_MODE_VARIABLE) {
        content_ns = loop->content_ns + content_ns - machine->screen.last_flip_ns;
    }
    loop->content_ns = content_ns;
    run_ticks(loop, machine, count);
    show(loop, machine, content_ns);
}

/* The work that 99 % of the frames stay below, drawn once; later it scales with the typical work. */
static void learn_work(reference *loop, lab_machine *machine)
{
    enum { DRAWS = 500 };
    double works[DRAWS];
    for (int i = 0; i < DRAWS; ++i) {
        works[i] = (double)lab_pricer_draw_ns(&machine->render, INT32_MAX + (int64_t)i, 0)
                   + (double)lab_pricer_draw_ns(&machine->gpu, INT32_MAX + (int64_t)i, 0);
    }
    loop->missed_ns = (int64_t)lab_select_nth(works, DRAWS, lab_rank(DRAWS, 990));
    loop->typical_ns =
            lab_pricer_typical_ns(&machine->render, 0) + lab_pricer_typical_ns(&machine->gpu, 0);
}

static void just_in_time_frame(void *state, lab_machine *machine)
{
    reference *loop = state;
    if (loop->typical_ns == 0) {
        learn_work(loop, machine);
    }
    int64_t now_ns = lab_true_ns(machine);
    int64_t typical_ns = lab_pricer_typical_ns(&machine->render, now_ns)
                         + lab_pricer_typical_ns(&machine->gpu, now_ns);
    int64_t update_ns = lab_pricer_typical_ns(&machine->update, now_ns);
    int64_t count = ticks_needed(loop, now_ns + machine->period_ns);
    int64_t work_ns = loop->missed_ns + typical_ns - loop->typical_ns
                      + machine->config.display.latch_ns + count * update_ns * 6 / 5;
    int64_t after_ns = machine->screen.last_flip_ns + machine->period_ns / 2;
    int64_t soonest_ns = now_ns + work_ns > after_ns ? now_ns + work_ns : after_ns;
    int64_t flip_ns = lab_screen_next_refresh(&machine->screen, soonest_ns, NULL);
    lab_idle(machine, flip_ns - work_ns - now_ns);
    lab_poll(machine);
    run_ticks(loop, machine, ticks_needed(loop, flip_ns));
    show(loop, machine, flip_ns);
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

const lab_loop lab_loop_just_in_time = {"just-in-time",
        "just-in-time bound: refreshes and distribution of the work known", "reference of the lab",
        LAB_LOOP_REFERENCE, LAB_NEEDS_FIXED, 0, sizeof(reference), start, just_in_time_frame, NULL};

const lab_loop lab_loop_oracle = {"oracle", "oracle: knows every screen time",
        "reference of the lab", LAB_LOOP_REFERENCE, LAB_TAKES_HOST, 0, sizeof(reference), start,
        oracle_frame, NULL};
