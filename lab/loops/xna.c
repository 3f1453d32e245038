/* SPDX-License-Identifier: Zlib
 *
 * XNA's fixed step as FNA has it: sleep 1 ms at a time while the worst recent sleep still fits,
 * spin the rest, then as many updates as fit and one draw of the newest. Nothing is blended, and no
 * frame comes without an update. Time is counted in units of 100 ns; a frame counts for 500 ms at
 * most.
 */
#include "lab/loops/loops.h"

enum { SLEEPS = 128 };

static const int64_t unit_ns = 100;
static const int64_t elapsed_max_ns = 500 * ES_NS_PER_MS;
static const int64_t sleep_cap_ns = 4 * ES_NS_PER_MS;

typedef struct xna {
    es_rate rate;
    int64_t target_ns;
    int64_t elapsed_ns;
    int64_t last_ns;
    int64_t sleeps_ns[SLEEPS];
    int64_t worst_ns;
    int64_t slept; /* how many */
    int64_t ticks;
} xna;

static int64_t read_clock(lab_machine *machine)
{
    return lab_now(machine) / unit_ns * unit_ns;
}

static es_result start(
        void *state, const lab_loop_setup *setup, lab_machine *machine, lab_refusal *error)
{
    xna *loop = state;
    (void)error;
    loop->rate = setup->tick_rate;
    loop->target_ns = (rate_period_ns(setup->tick_rate) + unit_ns / 2) / unit_ns * unit_ns;
    for (int i = 0; i < SLEEPS; ++i) {
        loop->sleeps_ns[i] = ES_NS_PER_MS;
    }
    loop->worst_ns = ES_NS_PER_MS;
    loop->last_ns = read_clock(machine);
    return ES_OK;
}

static int64_t advance(xna *loop, lab_machine *machine)
{
    int64_t now_ns = read_clock(machine);
    int64_t passed_ns = now_ns - loop->last_ns;
    loop->last_ns = now_ns;
    loop->elapsed_ns += passed_ns;
    return passed_ns;
}

static void learn_sleep(xna *loop, int64_t slept_ns)
{
    int64_t *slot = &loop->sleeps_ns[loop->slept % SLEEPS];
    int64_t gone_ns = *slot;
    *slot = slept_ns < sleep_cap_ns ? slept_ns : sleep_cap_ns;
    loop->slept += 1;
    if (*slot >= loop->worst_ns) {
        loop->worst_ns = *slot;
    } else if (gone_ns == loop->worst_ns) {
        loop->worst_ns = 0;
        for (int i = 0; i < SLEEPS; ++i) {
            int64_t one_ns = loop->sleeps_ns[i];
            loop->worst_ns = one_ns > loop->worst_ns ? one_ns : loop->worst_ns;
        }
    }
}

static void wait_for_target(xna *loop, lab_machine *machine)
{
    lab_wait_begins(machine);
    advance(loop, machine);
    while (loop->elapsed_ns + loop->worst_ns < loop->target_ns) {
        lab_sleep(machine, ES_NS_PER_MS);
        learn_sleep(loop, advance(loop, machine));
    }
    while (loop->elapsed_ns < loop->target_ns) {
        lab_spin_until(machine, loop->last_ns + loop->target_ns - loop->elapsed_ns);
        advance(loop, machine);
    }
}

static void frame(void *state, lab_machine *machine)
{
    xna *loop = state;
    wait_for_target(loop, machine);
    lab_poll(machine);
    int64_t dropped_ns = 0;
    if (loop->elapsed_ns > elapsed_max_ns) {
        dropped_ns = loop->elapsed_ns - elapsed_max_ns;
        loop->elapsed_ns = elapsed_max_ns;
    }
    while (loop->elapsed_ns >= loop->target_ns) {
        loop->elapsed_ns -= loop->target_ns;
        loop->ticks += 1;
        lab_tick(machine, es_rate_time_ns(loop->rate, loop->ticks));
    }
    lab_content content = lab_content_at(loop->ticks * loop->target_ns, false);
    content.dropped_ns = dropped_ns;
    lab_show(machine, &content);
}

const lab_loop lab_loop_xna = {"xna", "XNA fixed step (FNA, MonoGame)",
        "FNA src/Game.cs (78f1d65), Tick; MonoGame Game.cs (00f8db6) is alike", LAB_LOOP_PEER, 0, 0,
        sizeof(xna), start, frame, NULL};
