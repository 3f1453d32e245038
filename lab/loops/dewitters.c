/* SPDX-License-Identifier: Zlib
 *
 * Ticks run while the clock is past the next one's time, five at most, then a frame is drawn with
 * what the newest tick predicts for now. The debt beyond five ticks is never forgotten. As
 * published it counts in whole milliseconds, so the tick rate is that of the rounded period.
 */
#include "lab/loops/loops.h"

enum { FRAME_SKIP_MAX = 5 };

enum { EXACT, MILLISECONDS }; /* variants */

typedef struct dewitters {
    es_rate rate;
    int64_t unit_ns; /* of the clock */
    int64_t skip;    /* a tick, in units */
    int64_t next;    /* when the next tick is due, in units */
    int64_t ticks;
    bool started;
} dewitters;

static es_result start(
        void *state, const lab_loop_setup *setup, lab_machine *machine, lab_refusal *error)
{
    dewitters *loop = state;
    (void)machine;
    (void)error;
    loop->rate = setup->tick_rate;
    loop->unit_ns = setup->loop->variant == MILLISECONDS ? ES_NS_PER_MS : 1;
    loop->skip = rate_period_ns(setup->tick_rate) / loop->unit_ns;
    loop->skip = loop->skip > 0 ? loop->skip : 1;
    return ES_OK;
}

static int64_t read_clock(const dewitters *loop, lab_machine *machine)
{
    return lab_now(machine) / loop->unit_ns;
}

static void frame(void *state, lab_machine *machine)
{
    dewitters *loop = state;
    if (!loop->started) {
        loop->next = read_clock(loop, machine);
        loop->started = true;
    }
    lab_poll(machine);
    for (int n = 0; n < FRAME_SKIP_MAX && read_clock(loop, machine) > loop->next; ++n) {
        loop->ticks += 1;
        lab_tick(machine, lab_tick_time_ns(loop->rate, loop->ticks));
        loop->next += loop->skip;
    }
    int64_t past = read_clock(loop, machine) + loop->skip - loop->next;
    double ahead = (double)past / (double)loop->skip;
    int64_t predicted_ns = lab_ns_of_seconds(ahead * rate_period_s(loop->rate));
    lab_content content =
            lab_content_at(lab_tick_time_ns(loop->rate, loop->ticks) + predicted_ns, false);
    lab_show(machine, &content);
}

const lab_loop lab_loop_dewitters_ms = {"dewitters-ms", "deWiTTERS, whole milliseconds",
        "Witters, deWiTTERS Game Loop (2009), the last of its loops", LAB_LOOP_PEER, 0,
        MILLISECONDS, sizeof(dewitters), start, frame, NULL};

const lab_loop lab_loop_dewitters = {"dewitters", "deWiTTERS, exact clock",
        "Witters, deWiTTERS Game Loop (2009), with a clock of ns", LAB_LOOP_PEER, 0, EXACT,
        sizeof(dewitters), start, frame, NULL};
