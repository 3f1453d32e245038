/* SPDX-License-Identifier: Zlib
 *
 * The library of an older version (scripts/old-library), in the first form: what a change has
 * improved, and what not. Only in builds with EVENSTEP_OLD.
 */
#include "lab/loops/loops.h"

#include <old_evenstep.h>

enum { AUTO = 0, LOW_LATENCY = 1 };

typedef struct old {
    old_es_loop *loop;
    int64_t newest;
    old_es_loop *second;
    _Alignas(16) unsigned char memory[2][OLD_ES_LOOP_BYTES];
} old;

static es_result start(
        void *state, const lab_loop_setup *setup, lab_machine *machine, lab_refusal *error)
{
    old *s = state;
    old_es_loop_config config;
    es_clock clock = lab_clock(machine);
    old_es_loop_preset(setup->loop->variant == LOW_LATENCY ? "low-latency" : "auto", &config);
    config.tick_rate = (old_es_rate){setup->tick_rate.numerator, setup->tick_rate.denominator};
    config.refresh = (old_es_rate){setup->refresh.numerator, setup->refresh.denominator};
    config.interval_ns = setup->cap_ns;
    config.step = (old_es_step_kind)setup->config->step;
    config.clock.now_ns = clock.now_ns;
    config.clock.wait_until = clock.wait_until;
    config.clock.suspended_ns = clock.suspended_ns;
    config.clock.thread_cpu_ns = clock.thread_cpu_ns;
    config.clock.user = clock.user;
    config.catch_up = (old_es_catch_up)setup->config->catch_up;
    s->loop = old_es_loop_create_in(s->memory[0], sizeof s->memory[0], &config);
    if (setup->calls == LAB_CALL_SECOND) {
        s->second = old_es_loop_create_in(s->memory[1], sizeof s->memory[1], &config);
    }
    return s->loop != NULL ? ES_OK : lab_refuse(error, "config", "the older version refuses it");
}

static void pass_feedback(old *s, lab_machine *machine)
{
    lab_report report;
    while (lab_feedback_take(machine, &report)) {
        const old_es_present sample = {.frame = report.frame,
                .shown_ns = report.shown_ns,
                .discarded = report.discarded,
                .grade = OLD_ES_PRESENT_VSYNC};
        old_es_loop_presented(s->loop, &sample);
    }
}

static void frame(void *state, lab_machine *machine)
{
    old *s = state;
    old_es_frame planned;
    int64_t stamp_ns, expected_ns;
    pass_feedback(s, machine);
    if (lab_host_call(machine, &stamp_ns, &expected_ns)) {
        expected_ns = expected_ns != 0 ? expected_ns : OLD_ES_UNKNOWN_NS;
        old_es_loop_next_at(s->loop, stamp_ns, expected_ns, &planned);
    } else {
        old_es_loop_next(s->loop, &planned);
    }
    lab_poll(machine);
    for (int32_t i = 0; i < planned.ticks; ++i) {
        old_es_step step = old_es_frame_step(&planned, i);
        lab_tick(machine, step.time_ns);
        s->newest = step.index;
    }
    lab_content content = {.content_ns = planned.content_ns,
            .alpha = planned.alpha,
            .ticks_back = (int32_t)(s->newest - planned.current_tick),
            .dropped_ns = planned.account.frame_dropped_ns,
            .has_problem = old_es_loop_problem(s->loop) != NULL};
    lab_render(machine, &content);
    old_es_loop_submit(s->loop);
    lab_present(machine);
    old_es_loop_end(s->loop);
    if (s->second != NULL) {
        old_es_loop_next(s->second, &planned);
        lab_work(machine, 9 * ES_NS_PER_MS);
        old_es_loop_submit(s->second);
        old_es_loop_end(s->second);
    }
}

const lab_loop lab_loop_old = {"auto-0.2", "Evenstep 0.2, default loop", "scripts/old-library",
        LAB_LOOP_PEER, LAB_TAKES_HOST | LAB_TAKES_CAP, AUTO, sizeof(old), start, frame, NULL};
const lab_loop lab_loop_old_low = {"low-latency-0.2", "Evenstep 0.2, low latency",
        "scripts/old-library", LAB_LOOP_PEER, LAB_TAKES_CAP, LOW_LATENCY, sizeof(old), start, frame,
        NULL};
