/* SPDX-License-Identifier: Zlib
 *
 * Deltas are snapped to one to eight refreshes of the rate that the display says (a whole number),
 * then averaged over four frames with the remainder carried. More than eight ticks' time in one
 * frame counts as one tick; a debt of more than eight is dropped.
 */
#include "lab/loops/loops.h"

enum { HISTORY = 4, SNAPS = 8, TICKS_MAX = 8 };

static const int64_t snap_error_ns = 200 * ES_NS_PER_US;

typedef struct glaiel {
    es_rate rate;
    int64_t tick_ns;
    int64_t snap_ns;
    int64_t history_ns[HISTORY]; /* the oldest first */
    int64_t residue;             /* quarters of a ns */
    int64_t debt_ns;
    int64_t last_ns;
    int64_t ticks;
    bool resync;
} glaiel;

static es_result start(
        void *state, const lab_loop_setup *setup, lab_machine *machine, lab_refusal *error)
{
    glaiel *loop = state;
    (void)error;
    loop->rate = setup->tick_rate;
    loop->tick_ns = rate_period_ns(setup->tick_rate);
    int64_t hz = 60;
    if (setup->refresh.numerator > 0) {
        hz = ((int64_t)setup->refresh.numerator + setup->refresh.denominator / 2)
             / setup->refresh.denominator;
    }
    loop->snap_ns = ES_NS_PER_S / (hz > 0 ? hz : 60);
    for (int i = 0; i < HISTORY; ++i) {
        loop->history_ns[i] = loop->tick_ns;
    }
    loop->last_ns = lab_now(machine);
    loop->resync = true;
    return ES_OK;
}

static int64_t snapped(const glaiel *loop, int64_t delta_ns)
{
    for (int64_t n = 1; n <= SNAPS; ++n) {
        int64_t off_ns = delta_ns - n * loop->snap_ns;
        if (off_ns < snap_error_ns && off_ns > -snap_error_ns) {
            return n * loop->snap_ns;
        }
    }
    return delta_ns;
}

static int64_t averaged(glaiel *loop, int64_t delta_ns)
{
    int64_t sum_ns = delta_ns;
    for (int i = 0; i < HISTORY - 1; ++i) {
        loop->history_ns[i] = loop->history_ns[i + 1];
        sum_ns += loop->history_ns[i];
    }
    loop->history_ns[HISTORY - 1] = delta_ns;
    loop->residue += sum_ns % HISTORY;
    int64_t mean_ns = sum_ns / HISTORY + loop->residue / HISTORY;
    loop->residue %= HISTORY;
    return mean_ns;
}

static void frame(void *state, lab_machine *machine)
{
    glaiel *loop = state;
    lab_content content = {0};
    int64_t now_ns = lab_now(machine);
    int64_t delta_ns = now_ns - loop->last_ns;
    loop->last_ns = now_ns;
    if (delta_ns > TICKS_MAX * loop->tick_ns) {
        content.dropped_ns = delta_ns - loop->tick_ns;
        delta_ns = loop->tick_ns;
    }
    if (delta_ns < 0) {
        delta_ns = 0;
    }
    loop->debt_ns += averaged(loop, snapped(loop, delta_ns));
    if (loop->resync || loop->debt_ns > TICKS_MAX * loop->tick_ns) {
        content.dropped_ns += loop->resync ? 0 : loop->debt_ns;
        loop->debt_ns = 0;
        loop->resync = false;
    }
    lab_poll(machine);
    while (loop->debt_ns >= loop->tick_ns) {
        loop->ticks += 1;
        lab_tick(machine, es_rate_time_ns(loop->rate, loop->ticks));
        loop->debt_ns -= loop->tick_ns;
    }
    content.alpha = (double)loop->debt_ns / (double)loop->tick_ns;
    content.content_ns = es_rate_time_ns(loop->rate, loop->ticks - 1) + loop->debt_ns;
    lab_show(machine, &content);
}

const lab_loop lab_loop_glaiel = {"glaiel", "Glaiel's frame timer: snap and average",
        "FrameTimingControl, frame_timer.cpp (ed335bb), unlocked with interpolation", LAB_LOOP_PEER,
        0, 0, sizeof(glaiel), start, frame, NULL};
