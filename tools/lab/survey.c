/* SPDX-License-Identifier: Zlib
 *
 * `evenstep lab --random`: loops on random machines.
 */
#include "plan.h"

#include "lab/draw.h"

#include <math.h>
#include <stdlib.h>

enum { WORST = 10 };

typedef struct survey {
    const lab_plan *plan;
    size_t machines;
    const lab_cost *captures;
    size_t capture_count;
    lab_measures *runs; /* machine by machine, loop by loop */
    double *errors;     /* room for one per machine */
} survey;

/* --- running ---------------------------------------------------------------------------------- */

static lab_setup machine_at(const survey *s, size_t machine)
{
    lab_setup setup = s->plan->base;
    lab_setup drawn = lab_draw(setup.seed, (int64_t)machine, s->captures, s->capture_count);
    setup.seed = drawn.seed;
    setup.tick_rate = drawn.tick_rate;
    setup.display = drawn.display;
    setup.scenario = drawn.scenario;
    return setup;
}

static lab_setup setup_at(void *user, size_t index)
{
    const survey *s = user;
    lab_setup setup = machine_at(s, index / s->plan->loops.count);
    setup.loop = s->plan->loops.items[index % s->plan->loops.count];
    return setup;
}

static void keep(void *user, size_t index, es_result status, const lab_result *result)
{
    const survey *s = user;
    if (status == ES_OK) {
        s->runs[index] = result->measures;
    } else if (status != ES_ERR_UNSUPPORTED) {
        s->runs[index].frames = -1; /* left out, see count_left_out */
    }
}

/* --- results ---------------------------------------------------------------------------------- */

static const lab_measures *run_of(const survey *s, size_t machine, size_t loop)
{
    return &s->runs[machine * s->plan->loops.count + loop];
}

/* The mean size of animation errors in % of a refresh; below 0: the loop does not run there. */
static double error_of(const survey *s, size_t machine, size_t loop)
{
    const lab_measures *run = run_of(s, machine, loop);
    return run->frames >= 2 ? lab_percent(run, run->animation.mean_abs_ms) : -1.0;
}

/* By how much a loop's error is over twice the best peer's + 1 % of a refresh. best: that peer. */
static double excess_of(const survey *s, size_t machine, size_t loop, size_t *best)
{
    const loop_choice *loops = &s->plan->loops;
    double least = INFINITY;
    for (size_t i = 0; i < loops->count; ++i) {
        double error = error_of(s, machine, i);
        if (loops->items[i]->kind == LAB_LOOP_PEER && error >= 0.0 && error < least) {
            least = error;
            *best = i;
        }
    }
    return error_of(s, machine, loop) - 2.0 * least - 1.0;
}

/* --- tables ----------------------------------------------------------------------------------- */

static void print_cell(const figure *f, double value, FILE *out)
{
    char text[32];
    figure_format(text, sizeof text, f, value, true);
    fprintf(out, "%10s", text);
}

/* The first figure is the animation error. */
static void print_loop(const survey *s, size_t loop, FILE *out)
{
    double *errors = s->errors;
    const figure_choice *figures = &s->plan->figures;
    figure_sums sums = {0};
    for (size_t i = 0; i < s->machines; ++i) {
        lab_setup setup = machine_at(s, i);
        if (error_of(s, i, loop) >= 0.0) {
            errors[sums.runs] = error_of(s, i, loop);
            figure_sums_add(&sums, run_of(s, i, loop), lab_scenario_has_event(&setup.scenario));
        }
    }
    lab_sort(errors, sums.runs);
    size_t rank = (sums.runs * 99 + 99) / 100;
    fprintf(out, "%-17s%8zu", s->plan->loops.items[loop]->name, sums.runs);
    print_cell(figures->items[0], figure_of_sums(&sums, figures->items[0], true), out);
    print_cell(figures->items[0], sums.runs > 0 ? errors[(sums.runs - 1) / 2] : NAN, out);
    print_cell(figures->items[0], sums.runs > 0 ? errors[rank - 1] : NAN, out);
    for (size_t i = 1; i < figures->count; ++i) {
        print_cell(figures->items[i], figure_of_sums(&sums, figures->items[i], true), out);
    }
    fputc('\n', out);
}

static void print_loops(const survey *s, FILE *out)
{
    const lab_plan *plan = s->plan;
    char cap[32] = "";
    choice_add_cap(cap, sizeof cap, plan->base.cap_ns);
    fprintf(out, "%zu loops x %zu random machines, %g s each, seed %llu%s\n\n", plan->loops.count,
            s->machines, (double)plan->base.duration_ns / 1e9, (unsigned long long)plan->base.seed,
            cap);
    lab_print_figures(plan, out);
    fprintf(out,
            "median, p99: of the machines' |e|; the rest are means over the machines\n\n"
            "%25s%10s%10s%10s",
            "machines", "|e| %", "median %", "p99 %");
    for (size_t i = 1; i < plan->figures.count; ++i) {
        const figure *f = plan->figures.items[i];
        char heading[32];
        snprintf(heading, sizeof heading, "%s%s%s", f->heading, f->unit == FIGURE_COUNT ? "" : " ",
                figure_unit_name(f, true));
        fprintf(out, "%10s", heading);
    }
    fputc('\n', out);
    for (size_t i = 0; i < plan->loops.count; ++i) {
        print_loop(s, i, out);
    }
}

/* Of the first of our loops, if there is one. */
static void print_worst(const survey *s, FILE *out)
{
    const lab_loop *const *loops = s->plan->loops.items;
    size_t ours = 0;
    while (ours < s->plan->loops.count && loops[ours]->kind != LAB_LOOP_OURS) {
        ours += 1;
    }
    if (ours == s->plan->loops.count) {
        return;
    }
    size_t worst[WORST + 1], bad = 0, listed = 0, peer = 0;
    for (size_t i = 0; i < s->machines; ++i) {
        double excess = excess_of(s, i, ours, &peer);
        size_t at = listed;
        if (excess <= 0.0) {
            continue;
        }
        for (; at > 0 && excess_of(s, worst[at - 1], ours, &peer) < excess; --at) {
            worst[at] = worst[at - 1];
        }
        worst[at] = i;
        bad += 1;
        listed += listed < WORST;
    }
    fprintf(out, "\n%s: |e| over twice the best peer's + 1 %% on %zu of %zu machines (%.2f %%)\n",
            loops[ours]->name, bad, s->machines, 100.0 * (double)bad / (double)s->machines);
    fputs(listed > 0 ? "\n machine   ours %   best %     fps  best fps  best, machine\n" : "", out);
    for (size_t i = 0; i < listed; ++i) {
        char text[LAB_DRAW_TEXT];
        size_t machine = worst[i];
        lab_setup setup = machine_at(s, machine);
        excess_of(s, machine, ours, &peer);
        fprintf(out, "%8zu %8.2f %8.2f %7.1f %9.1f  %s: %s\n", machine, error_of(s, machine, ours),
                error_of(s, machine, peer), run_of(s, machine, ours)->frames_per_s,
                run_of(s, machine, peer)->frames_per_s, loops[peer]->name,
                lab_draw_describe(&setup, text));
    }
}

/* --- JSON ------------------------------------------------------------------------------------- */

static json_t *machine_json(const survey *s, size_t number)
{
    char text[LAB_DRAW_TEXT];
    lab_setup setup = machine_at(s, number);
    json_t *runs = json_array();
    for (size_t i = 0; i < s->plan->loops.count; ++i) {
        bool ran = error_of(s, number, i) >= 0.0;
        json_t *run = json_pack("{s:s, s:b}", "loop", s->plan->loops.items[i]->name, "ran", ran);
        if (ran) {
            figure_add_run(run, run_of(s, number, i), lab_scenario_has_event(&setup.scenario));
        }
        json_array_append_new(runs, run);
    }
    return json_pack("{s:I, s:s, s:o}", "machine", (json_int_t)number, "description",
            lab_draw_describe(&setup, text), "loops", runs);
}

static bool write_json(const survey *s, const char *path)
{
    const lab_plan *plan = s->plan;
    FILE *file = tool_open(path);
    if (file == NULL) {
        return false;
    }
    json_t *head = json_pack("{s:I, s:I, s:o, s:o, s:o}", "seed", (json_int_t)plan->base.seed,
            "machine_count", (json_int_t)s->machines, "seconds",
            tool_json_number((double)plan->base.duration_ns / 1e9), "warm_up_seconds",
            tool_json_number((double)plan->base.warm_up_ns / 1e9), "cap_hz",
            choice_cap_json(plan->base.cap_ns));
    bool good = lab_put_json(file, "{\n\"random\": ", head);
    for (size_t i = 0; good && i < s->machines; ++i) {
        good = lab_put_json(file, i == 0 ? ",\n\"machines\": [\n" : ",\n", machine_json(s, i));
    }
    fputs("\n]\n}\n", file);
    return tool_close(file) && good;
}

static size_t count_left_out(const survey *s)
{
    size_t count = 0;
    for (size_t i = 0; i < s->machines * s->plan->loops.count; ++i) {
        count += s->runs[i].frames < 0;
    }
    return count;
}

int lab_survey(const lab_plan *plan, size_t machines, const lab_cost *captures,
        size_t capture_count, int jobs, const char *json)
{
    survey s = {plan, machines, captures, capture_count, NULL, NULL};
    lab_runs runs = {&s, machines * plan->loops.count, setup_at, keep};
    int status = TOOL_OK;
    s.runs = calloc(runs.count, sizeof *s.runs);
    s.errors = calloc(machines, sizeof *s.errors);
    if (s.runs == NULL || s.errors == NULL
            || lab_runs_run(&runs, jobs, lab_on_progress, NULL) != ES_OK) {
        status = tool_fail("lab", "out of memory");
    } else if (!tool_is_stdout(json)) {
        print_loops(&s, stdout);
        print_worst(&s, stdout);
    }
    if (status == TOOL_OK && json != NULL && !write_json(&s, json)) {
        status = tool_failed_to_write("lab", json);
    }
    if (status == TOOL_OK) {
        status = lab_report_left_out(count_left_out(&s));
    }
    free(s.runs);
    free(s.errors);
    return status;
}
