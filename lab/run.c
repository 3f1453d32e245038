/* SPDX-License-Identifier: Zlib */
#include "lab/run.h"

#include <stdlib.h>

static const int64_t default_frames_max = 1000000;

lab_setup lab_setup_default(void)
{
    return (lab_setup){.scenario = lab_scenario_plain(),
            .display = {.phase_ns = -1},
            .seed = 1,
            .duration_ns = 60 * ES_NS_PER_S,
            .warm_up_ns = 2 * ES_NS_PER_S,
            .spin_ns = 200 * ES_NS_PER_US};
}

static es_result refuse(es_result result, lab_refusal *error, const char *field, const char *reason)
{
    lab_refuse(error, field, reason);
    return result;
}

/* --- memory ----------------------------------------------------------------------------------- */

static es_result reserve(lab_result *result, size_t capacity)
{
    if (capacity <= result->capacity) {
        return ES_OK;
    }
    lab_frame *frames = realloc(result->frames, capacity * sizeof *frames);
    if (frames == NULL) {
        return ES_ERR_SPACE;
    }
    result->frames = frames;
    double *scratch = realloc(result->scratch, capacity * sizeof *scratch);
    if (scratch == NULL) {
        return ES_ERR_SPACE;
    }
    result->scratch = scratch;
    result->capacity = capacity;
    return ES_OK;
}

void lab_result_free(lab_result *result)
{
    free(result->frames);
    free(result->scratch);
    *result = (lab_result){0};
}

/* The machine passes on one frame at a time; run_frames makes room for one more before each. */
static void keep_frame(void *user, const lab_frame *frame)
{
    lab_result *result = user;
    result->frames[result->frame_count] = *frame;
    result->frame_count += 1;
}

/* --- running ---------------------------------------------------------------------------------- */

static lab_machine_config machine_config(const lab_setup *setup)
{
    bool takes_cap =
            setup->loop->kind == LAB_LOOP_OURS || (setup->loop->needs & LAB_TAKES_CAP) != 0;
    return (lab_machine_config){.display = setup->display,
            .scenario = setup->scenario,
            .tick_rate = setup->tick_rate,
            .duration_ns = setup->duration_ns,
            .warm_up_ns = setup->scenario.from_start ? 0 : setup->warm_up_ns,
            .seed = setup->seed,
            .spin_ns = setup->spin_ns,
            .cap_ns = takes_cap ? 0 : setup->cap_ns,
            .observer = setup->observer};
}

static lab_loop_setup loop_setup(const lab_setup *setup, const lab_machine *machine)
{
    const lab_display *display = &machine->config.display;
    bool announces = display->refresh != LAB_REFRESH_NONE && !display->unannounced;
    return (lab_loop_setup){.tick_rate = machine->config.tick_rate,
            .refresh = announces ? display->announced : (es_rate){0, 0},
            .variable_refresh = display->refresh == LAB_REFRESH_VARIABLE,
            .targets = setup->without_targets ? LAB_TARGETS_NONE : display->targets,
            .config = setup->config,
            .cap_ns = setup->cap_ns,
            .missed_max = setup->missed_max,
            .target_use = setup->target_use,
            .form = setup->form,
            .calls = setup->calls,
            .unblended = setup->unblended,
            .speed_change_max = setup->speed_change_max};
}

static es_result run_frames(
        const lab_setup *setup, lab_machine *machine, void *state, lab_result *result)
{
    int64_t frames_max = setup->frames_max > 0 ? setup->frames_max : default_frames_max;
    int64_t duration_ns = machine->config.duration_ns;
    for (int64_t n = 0; n < frames_max && lab_true_ns(machine) < duration_ns; ++n) {
        if (result->frame_count + 2 > result->capacity
                && reserve(result, result->capacity * 2) != ES_OK) {
            return ES_ERR_SPACE;
        }
        lab_frame_begin(machine);
        setup->loop->frame(state, machine);
    }
    lab_machine_finish(machine);
    bool cut_off = setup->frames_max == 0 && lab_true_ns(machine) < duration_ns;
    return cut_off ? ES_ERR_RANGE : ES_OK; /* half a run would pass for a whole one */
}

static void finish_measures(lab_result *result, const lab_machine *machine)
{
    size_t first = 0;
    while (first < result->frame_count
            && result->frames[first].shown_ns < machine->config.warm_up_ns) {
        first += 1;
    }
    result->measured = first;
    bool fixed = machine->config.display.refresh == LAB_REFRESH_FIXED;
    lab_measures *measures = &result->measures;
    lab_measure(result->frames, result->frame_count, first, fixed ? machine->period_ns : 0,
            result->scratch, measures);
    lab_measure_event(result->frames, result->frame_count, first, lab_event_ns(machine),
            fixed ? machine->period_ns : 0, measures);
    measures->refresh_ms = ns_to_ms(machine->period_ns);
    measures->dropped_ms = ns_to_ms(machine->dropped_ns);
    measures->slow_motion_ms = ns_to_ms(machine->slow_motion_ns);
    measures->stretched_ms = ns_to_ms(machine->stretched_ns);
    int64_t now_ns = lab_true_ns(machine);
    if (now_ns > 0) {
        int64_t cpu_ns = machine->first.cpu_ns + machine->second.cpu_ns;
        measures->cpu_share = (double)cpu_ns / (double)now_ns;
    }
}

static bool changes_rate(const lab_scenario *scenario)
{
    bool changes = false;
    for (int i = 0; i < LAB_CHANGES && scenario->changes[i].at > 0.0; ++i) {
        changes = changes || scenario->changes[i].change.factor.denominator > 0;
    }
    return changes;
}

es_result lab_run(const lab_setup *setup, lab_result *result, lab_refusal *error)
{
    lab_machine machine;
    _Alignas(16) unsigned char state[LAB_LOOP_STATE_MAX] = {0};
    const lab_loop *loop = setup->loop;
    if (loop == NULL || loop->state_size > sizeof state) {
        return refuse(ES_ERR_INVALID, error, "loop", "there is none");
    }
    if ((loop->needs & LAB_NEEDS_FIXED) != 0 && setup->display.refresh != LAB_REFRESH_FIXED) {
        return refuse(ES_ERR_UNSUPPORTED, error, "loop", "it needs a fixed refresh");
    }
    if ((loop->needs & LAB_NEEDS_FEEDBACK) != 0 && setup->display.feedback == LAB_FEEDBACK_NONE) {
        return refuse(ES_ERR_UNSUPPORTED, error, "loop", "it needs feedback");
    }
    if ((loop->needs & LAB_TAKES_HOST) == 0 && setup->display.host != LAB_HOST_NONE) {
        return refuse(ES_ERR_UNSUPPORTED, error, "loop", "a host cannot call it");
    }
    if (setup->display.refresh == LAB_REFRESH_VARIABLE && changes_rate(&setup->scenario)) {
        return refuse(ES_ERR_UNSUPPORTED, error, "scenario", "it needs a fixed refresh");
    }
    lab_machine_config config = machine_config(setup);
    es_result status = lab_machine_init(&machine, &config, error);
    if (status != ES_OK) {
        return status;
    }
    lab_loop_setup made = loop_setup(setup, &machine);
    status = lab_loop_start(loop, state, &made, &machine, error);
    if (status != ES_OK) {
        lab_loop_stop(loop, state);
        return status;
    }
    result->frame_count = 0;
    status = reserve(result, 1024);
    if (status == ES_OK) {
        lab_machine_set_sink(&machine, (lab_sink){keep_frame, result});
        status = run_frames(setup, &machine, state, result);
    }
    lab_loop_stop(loop, state);
    if (status == ES_ERR_RANGE) {
        return refuse(status, error, "duration_ns", "needs more than 1 000 000 frames");
    }
    if (status != ES_OK) {
        return refuse(status, error, "frames", "out of memory");
    }
    finish_measures(result, &machine);
    return ES_OK;
}

double lab_percent(const lab_measures *measures, double ms)
{
    return measures->refresh_ms > 0.0 ? 100.0 * ms / measures->refresh_ms : 0.0;
}
