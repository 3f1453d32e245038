/* SPDX-License-Identifier: Zlib */
#define _POSIX_C_SOURCE 200809L
#include "plan.h"

#include <math.h>
#include <stdlib.h>
#include <unistd.h>

/* In the order of lab_blocking (then mailbox), unannounced, lab_feedback, lab_host and lab_targets. */
static const char *const blockings[] = {"after", "before", "acquire", "mailbox", NULL};
static const char *const feedbacks[] = {
        "none", "exact", "noisy", "late", "wrong", "stops", "discards", NULL};
static const char *const answers[] = {"yes", "no", NULL};
static const char *const hosts[] = {"none", "exact", "0.1ms", "1ms", "late", NULL};
static const char *const targets[] = {
        "none", "exact", "late", "deadline", "rounded", "ignored", "lying", "counts", NULL};

const name_choice lab_axes[AXES] = {{.name = "blocking", .names = blockings},
        {.name = "feedback", .names = feedbacks}, {.name = "announced", .names = answers},
        {.name = "host", .names = hosts}, {.name = "targets", .names = targets}};

static size_t count_displays(const lab_plan *plan)
{
    size_t count = plan->refreshes.count;
    for (int axis = 0; axis < AXES; ++axis) {
        count *= plan->axes[axis].count;
    }
    return count;
}

size_t lab_plan_size(const lab_plan *plan)
{
    return plan->loops.count * plan->scenarios.count * plan->queues.count * plan->tick_rates.count
           * count_displays(plan);
}

size_t lab_plan_display(const lab_plan *plan, size_t display, int32_t values[AXES])
{
    for (int axis = AXES - 1; axis >= 0; --axis) {
        const name_choice *names = &plan->axes[axis];
        values[axis] = names->items[display % names->count];
        display /= names->count;
    }
    return display;
}

bool lab_plan_has(const lab_plan *plan, int axis, int32_t value)
{
    bool found = false;
    for (size_t i = 0; i < plan->axes[axis].count; ++i) {
        found = found || plan->axes[axis].items[i] == value;
    }
    return found;
}

bool lab_plan_has_other(const lab_plan *plan, int axis)
{
    return plan->axes[axis].count > (size_t)lab_plan_has(plan, axis, 0);
}

/* --- running ---------------------------------------------------------------------------------- */

static lab_display display_at(const lab_plan *plan, size_t index)
{
    int32_t values[AXES];
    size_t refresh_index = lab_plan_display(plan, index, values);
    bool mailbox = values[AXIS_BLOCKING] == BLOCKING_MAILBOX;
    lab_display display = plan->base.display;
    choice_set_refresh(&display, &plan->refreshes.items[refresh_index]);
    display.swap = mailbox ? LAB_SWAP_MAILBOX : LAB_SWAP_FIFO;
    display.blocking = mailbox ? LAB_BLOCK_AFTER_QUEUE : (lab_blocking)values[AXIS_BLOCKING];
    display.feedback = (lab_feedback)values[AXIS_FEEDBACK];
    display.feedback_noise_ns = 300 * ES_NS_PER_US;
    display.feedback_late_frames = 2;
    display.feedback_stop_ns = plan->base.duration_ns / 2;
    display.unannounced = values[AXIS_ANNOUNCED] != 0;
    display.host = (lab_host)values[AXIS_HOST];
    display.targets = (lab_targets)values[AXIS_TARGETS];
    display.host_expects = plan->expected;
    display.grain_ns = plan->whole_ms ? ES_NS_PER_MS : 0;
    return display;
}

static lab_sweep make_sweep(const lab_plan *plan, const lab_display *displays)
{
    return (lab_sweep){.base = plan->base,
            .loops = plan->loops.items,
            .loop_count = plan->loops.count,
            .scenarios = plan->scenarios.items,
            .scenario_count = plan->scenarios.count,
            .displays = displays,
            .display_count = count_displays(plan),
            .queues = plan->queues.items,
            .queue_count = plan->queues.count,
            .tick_rates = plan->tick_rates.items,
            .tick_count = plan->tick_rates.count};
}

/* Called by one thread at a time. */
static bool lab_on_progress(void *user, size_t done, size_t count)
{
    static es_clock clock;
    static int64_t started_ns, shown_ns;
    (void)user;
    if (isatty(STDERR_FILENO) != 1 || !es_clock_system(&clock)) {
        return true;
    }
    int64_t now_ns = clock.now_ns(clock.user);
    started_ns = done == 1 ? now_ns : started_ns;
    double gone_s = (double)(now_ns - started_ns) / 1e9;
    if (done == count) {
        fputs("\r\033[K", stderr);
    } else if (now_ns - shown_ns >= 100 * ES_NS_PER_MS) {
        shown_ns = now_ns;
        fprintf(stderr, "\rlab: %zu of %zu runs, %.0f s left\033[K", done, count,
                gone_s * (double)(count - done) / (double)done);
        fflush(stderr);
    }
    return true;
}

static void sum_up(lab_outcome *outcome, const lab_display *displays)
{
    const lab_plan *plan = outcome->plan;
    for (size_t i = 0; i < outcome->cell_count; ++i) {
        lab_cell *cell = &outcome->cells[i];
        const lab_scenario *scenario = &plan->scenarios.items[cell->scenario];
        if (choice_needs_host(scenario) && displays[cell->display].host == LAB_HOST_NONE) {
            cell->status = ES_ERR_UNSUPPORTED;
        }
        if (lab_cell_ran(cell)) {
            figure_sums_add(&outcome->sums[cell->loop * plan->scenarios.count + cell->scenario],
                    &cell->measures, lab_scenario_has_event(scenario));
        }
    }
}

es_result lab_plan_run(const lab_plan *plan, int jobs, lab_outcome *outcome)
{
    size_t count = count_displays(plan);
    lab_display *displays = calloc(count, sizeof *displays);
    es_result result = ES_ERR_SPACE;
    outcome->plan = plan;
    outcome->cell_count = lab_plan_size(plan);
    outcome->cells = calloc(outcome->cell_count, sizeof *outcome->cells);
    outcome->sums = calloc(plan->loops.count * plan->scenarios.count, sizeof *outcome->sums);
    if (displays != NULL && outcome->cells != NULL && outcome->sums != NULL) {
        for (size_t i = 0; i < count; ++i) {
            displays[i] = display_at(plan, i);
        }
        lab_sweep sweep = make_sweep(plan, displays);
        result = lab_sweep_run(&sweep, jobs, outcome->cells, lab_on_progress, NULL);
        sum_up(outcome, displays);
    }
    free(displays);
    return result;
}

void lab_outcome_finish(lab_outcome *outcome)
{
    free(outcome->cells);
    free(outcome->sums);
    *outcome = (lab_outcome){0};
}

/* --- results ---------------------------------------------------------------------------------- */

bool lab_cell_ran(const lab_cell *cell)
{
    return cell->status == ES_OK && cell->measures.frames >= 2;
}

const figure_sums *lab_outcome_at(const lab_outcome *outcome, size_t loop, size_t scenario)
{
    return &outcome->sums[loop * outcome->plan->scenarios.count + scenario];
}

static double value_of(const lab_outcome *outcome, const figure *f, size_t loop, size_t scenario)
{
    return figure_of_sums(lab_outcome_at(outcome, loop, scenario), f, true);
}

void lab_format(const lab_outcome *outcome, const figure *f, size_t loop, size_t scenario,
        char *text, size_t size)
{
    double value = value_of(outcome, f, loop, scenario);
    figure_format(text, size, f, value, true);
}

/* The size of a figure; below 0: the loop does not compete. */
static double size_of(const lab_outcome *outcome, const figure *f, size_t i, size_t scenario)
{
    const lab_loop *loop = outcome->plan->loops.items[i];
    bool competes = loop->kind != LAB_LOOP_REFERENCE && (loop->needs & LAB_NEEDS_CORE) == 0
                    && lab_outcome_at(outcome, i, scenario)->runs > 0;
    double value = competes ? value_of(outcome, f, i, scenario) : NAN;
    return isnan(value) ? -1.0 : fabs(value);
}

bool lab_is_best(const lab_outcome *outcome, const figure *f, size_t loop, size_t scenario)
{
    char printed[32], other_printed[32];
    double own = size_of(outcome, f, loop, scenario);
    if (!f->less_is_better || own < 0.0) {
        return false;
    }
    figure_format(printed, sizeof printed, f, own, true);
    for (size_t i = 0; i < outcome->plan->loops.count; ++i) {
        double other = size_of(outcome, f, i, scenario);
        figure_format(other_printed, sizeof other_printed, f, other, true);
        if (other >= 0.0 && other < own && strcmp(printed, other_printed) != 0) {
            return false;
        }
    }
    return true;
}

/* Smaller differences do not count: a few us are not visible. */
static const double lost_slack_ms = 20.0;
static const double error_slack = 0.02; /* % of a refresh */

static double lost_of(const lab_outcome *outcome, size_t loop, size_t scenario)
{
    const figure_sums *sums = lab_outcome_at(outcome, loop, scenario);
    return fabs(figure_of_sums(sums, figure_find("lost"), false));
}

bool lab_is_unbeaten(const lab_outcome *outcome, const figure *f, size_t loop, size_t scenario)
{
    double own = size_of(outcome, f, loop, scenario);
    double allowed_ms = lost_of(outcome, loop, scenario) + lost_slack_ms;
    bool beaten = own < 0.0;
    for (size_t i = 0; i < outcome->plan->loops.count; ++i) {
        double size = size_of(outcome, f, i, scenario);
        beaten = beaten
                 || (size >= 0.0 && own > size + error_slack
                         && lost_of(outcome, i, scenario) <= allowed_ms);
    }
    return !beaten;
}

bool lab_loses_time(const lab_outcome *outcome, size_t loop, size_t scenario)
{
    return lost_of(outcome, loop, scenario) > lost_slack_ms;
}

void lab_plan_describe(const lab_plan *plan, char *text, size_t size)
{
    char one[96];
    text[0] = '\0';
    for (size_t i = 0; i < plan->refreshes.count; ++i) {
        tool_append(text, size, ", ", "%s", choice_format_refresh(one, &plan->refreshes.items[i]));
    }
    tool_append(text, size, "", " Hz");
    for (size_t i = 0; i < plan->queues.count; ++i) {
        tool_append(text, size, "", "%s%d", i == 0 ? "; queue " : ", ", (int)plan->queues.items[i]);
    }
    for (size_t i = 0; i < plan->tick_rates.count; ++i) {
        tool_format_rate(one, plan->tick_rates.items[i]);
        tool_append(text, size, i == 0 ? "; " : ", ", "%s", one);
    }
    tool_append(text, size, "", " ticks/s");
    for (int axis = 0; axis < AXES; ++axis) { /* that is not at its default */
        const name_choice *names = &plan->axes[axis];
        bool is_default = names->count == 1 && names->items[0] == 0;
        for (size_t i = 0; i < names->count && !is_default; ++i) {
            tool_append(text, size, i == 0 ? "; " : ", ", "%s%s%s", i == 0 ? names->name : "",
                    i == 0 ? " " : "", names->names[names->items[i]]);
        }
    }
    choice_add_cap(text, size, plan->base.cap_ns);
    tool_append(text, size, "", "%s%s", plan->expected ? ", says when a frame will be seen" : "",
            plan->whole_ms ? "; flips at 1 ms" : "");
    if (plan->tick_cost > 0.0) {
        tool_append(text, size, "", "; ticks of %g %%", plan->tick_cost);
    }
}
