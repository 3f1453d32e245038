/* SPDX-License-Identifier: Zlib
 *
 * Low latency in ten lines: after a refresh the loop sleeps, so that the longest of the last 60
 * works and 1.5 ms still fit before the next. Content moves by whole refreshes of the announced rate.
 * Without an announced rate it is 60 Hz.
 */
#include "lab/loops/loops.h"

enum { HISTORY = 60 };

static const int64_t margin_ns = 1500 * ES_NS_PER_US;

typedef struct longest {
    es_rate rate;
    int64_t refresh_ns;
    int64_t tick_ns;
    int64_t works_ns[HISTORY];
    int64_t frames;
    int64_t refresh_at_ns; /* when present has returned */
    int64_t content_ns;
    int64_t ticks;
} longest;

static es_result start(
        void *state, const lab_loop_setup *setup, lab_machine *machine, lab_refusal *error)
{
    longest *loop = state;
    (void)machine;
    (void)error;
    loop->rate = setup->tick_rate;
    loop->tick_ns = rate_period_ns(setup->tick_rate);
    loop->refresh_ns =
            setup->refresh.numerator > 0 ? rate_period_ns(setup->refresh) : ES_NS_PER_S / 60;
    return ES_OK;
}

static int64_t longest_work(const longest *loop)
{
    int64_t most_ns = 0;
    for (int i = 0; i < HISTORY; ++i) {
        most_ns = loop->works_ns[i] > most_ns ? loop->works_ns[i] : most_ns;
    }
    return most_ns;
}

static void frame(void *state, lab_machine *machine)
{
    longest *loop = state;
    lab_sleep_until(
            machine, loop->refresh_at_ns + loop->refresh_ns - longest_work(loop) - margin_ns);
    int64_t begin_ns = lab_now(machine);
    lab_poll(machine);
    while (es_rate_time_ns(loop->rate, loop->ticks) < loop->content_ns && !lab_is_over(machine)) {
        loop->ticks += 1;
        lab_tick(machine, es_rate_time_ns(loop->rate, loop->ticks));
    }
    int64_t newer_ns = es_rate_time_ns(loop->rate, loop->ticks);
    lab_content content = {.content_ns = loop->content_ns,
            .alpha = 1.0 - (double)(newer_ns - loop->content_ns) / (double)loop->tick_ns};
    lab_render(machine, &content);
    loop->works_ns[loop->frames % HISTORY] = lab_now(machine) - begin_ns;
    loop->frames += 1;
    lab_present(machine);
    int64_t now_ns = lab_now(machine);
    int64_t passed = (now_ns - loop->refresh_at_ns + loop->refresh_ns / 2) / loop->refresh_ns;
    loop->content_ns += (passed > 1 ? passed : 1) * loop->refresh_ns;
    loop->refresh_at_ns = now_ns;
}

const lab_loop lab_loop_longest = {"longest",
        "low latency in ten lines: longest of 60 works + 1.5 ms",
        "common practice; as libretro's automatic frame delay and mpv's display-sync count",
        LAB_LOOP_PEER, 0, 0, sizeof(longest), start, frame, NULL};
