/* SPDX-License-Identifier: Zlib
 *
 * `evenstep lab`: loops x displays x scenarios.
 */
#include "lab_plan.h"

#include "lab/trace.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { JSON, SVG, DOTS, MARKDOWN, FILES };

typedef struct lab_options {
    lab_plan plan;
    bool sweep;
    int32_t jobs; /* 0: as many as there are cores */
    const char *trace;
    const char *column;
    const char *process;
    tool_file files[FILES]; /* in the order in which they are written */
    bool list;
    /* of --trace */
    lab_trace costs;
    lab_scenario traced;
} lab_options;

static const int64_t default_ns = 60 * ES_NS_PER_S;

/* --- options ---------------------------------------------------------------------------------- */

/* The bounds of es_loop_config. */
static bool parse_missed_max(const char *text, void *share)
{
    return tool_parse_positive(text, share) && *(double *)share >= 0.0001
           && *(double *)share <= 0.5;
}

static bool parse_jobs(const char *text, void *int32)
{
    return tool_parse_count(text, int32) && *(int32_t *)int32 >= 1 && *(int32_t *)int32 <= 256;
}

static const char summary[] =
        "Runs loops on simulated displays under simulated loads, and measures how smooth each is.\n"
        "The same options and seed give the same numbers on every machine and with any --jobs.\n\n"
        "examples:\n"
        "  evenstep lab\n"
        "  evenstep lab --loop ours,gaffer,godot --scenario spikes --refresh 60,144,vrr\n"
        "  evenstep lab --loop adaptive,gaffer --trace capture.csv --refresh 144 --measure all\n"
        "  evenstep lab --sweep --json sweep.json --svg sweep.svg";

static int parse_options(lab_options *o, int argc, char **argv)
{
    static const char file[] = "a file; - is stdout";
    lab_plan *plan = &o->plan;
    const tool_option options[] = {
            {.help = "what runs (comma lists; options may be repeated)"},
            {"loop", "NAMES", choice_parse_loops, &plan->loops, choice_loops_text(),
                    "loops by name, or ours, peers, references, all (all)"},
            {"scenario", "NAMES", choice_parse_scenarios, &plan->scenarios, choice_scenarios_text(),
                    "costs and faults by name (all)"},
            {"trace", "FILE", tool_parse_text, &o->trace, "a file",
                    "frame costs from a capture: PresentMon, CapFrameX, MangoHud, CSV, plain ms"},
            {"column", "NAME", tool_parse_text, &o->column, "a column's name",
                    "the capture's column (MsBetweenPresents or FrameTime, in any case)"},
            {"process", "NAME", tool_parse_text, &o->process, "a program's name",
                    "the capture's program (the one with the most rows)"},
            {"refresh", "RATES", choice_parse_refreshes, &plan->refreshes, choice_refresh_text,
                    "displays: 60, 59.94, 60000/1001, vrr, 48-144 (60,144)"},
            {"unannounced", NULL, NULL, &plan->unannounced, NULL,
                    "displays do not announce their refresh rate"},
            {"queue", "N", choice_parse_queues, &plan->queues, choice_queue_text,
                    "frames in the queue: 1 double buffering, 2, 3 (2)"},
            {"tick-rate", "RATES", choice_parse_tick_rates, &plan->tick_rates,
                    choice_tick_rate_text, "ticks per second (60)"},
            {"missed-max", "SHARE", parse_missed_max, &plan->missed_max, "0.0001 to 0.5",
                    "share of refreshes that low-latency may miss (0.01)"},
            {"sweep", NULL, NULL, &o->sweep, NULL,
                    "all rates and queues: 7 displays, 7 tick rates, 3 queues"},
            {"seed", "N", tool_parse_seed, &plan->seed, "a number", "other random numbers (1)"},
            {"seconds", "S", tool_parse_run, &plan->duration_ns, tool_run_text,
                    "simulated time per run; the first fifth is not measured (60)"},
            {"jobs", "N", parse_jobs, &o->jobs, "a number of threads, 1 to 256",
                    "threads (one per core)"},
            {.help = "what to show"},
            {"measure", "NAMES", figure_parse, &plan->figures, figure_names(),
                    "measures by name, or all (animation,lost); see --list"},
            {"ms", NULL, NULL, &plan->in_ms, NULL, "errors in ms, not in % of the refresh period"},
            {"json", "FILE", tool_parse_text, &o->files[JSON].path, file,
                    "all measures of all runs; - is stdout, instead of the tables"},
            {"svg", "FILE", tool_parse_text, &o->files[SVG].path, file,
                    "a heat map of the first measure, the values of the second in small text"},
            {"dots", "FILE", tool_parse_text, &o->files[DOTS].path, file,
                    "the first measure as dots: a row per scenario, a colour per loop"},
            {"markdown", "FILE", tool_parse_text, &o->files[MARKDOWN].path, file,
                    "a table per measure, for a document"},
            {"list", NULL, NULL, &o->list, NULL, "list loops, scenarios and measures"},
    };
    return tool_options("lab", summary, options, sizeof options / sizeof options[0], argc, argv);
}

static void fill_from_sweep(lab_plan *plan)
{
    lab_sweep sweep = lab_sweep_default();
    for (size_t i = 0; i < sweep.queue_count; ++i) {
        plan->queues.items[plan->queues.count++] = sweep.queues[i];
    }
    for (size_t i = 0; i < sweep.refresh_count; ++i) {
        refresh fixed = {.rate = sweep.refresh_rates[i]};
        plan->refreshes.items[plan->refreshes.count++] = fixed;
    }
    for (size_t i = 0; i < sweep.tick_count; ++i) {
        plan->tick_rates.items[plan->tick_rates.count++] = sweep.tick_rates[i];
    }
}

/* Defaults of options that were not given: a few displays, or the full sweep. */
static void fill_in(lab_options *o)
{
    lab_plan *plan = &o->plan;
    lab_plan defaults = {0};
    if (o->sweep) {
        fill_from_sweep(&defaults);
    } else {
        choice_parse_refreshes("60,144", &defaults.refreshes);
        choice_parse_queues("2", &defaults.queues);
        choice_parse_tick_rates("60", &defaults.tick_rates);
    }
    if (plan->loops.count == 0) {
        choice_parse_loops("all", &plan->loops);
    }
    if (plan->scenarios.count == 0) {
        choice_parse_scenarios("all", &plan->scenarios);
    }
    if (plan->refreshes.count == 0) {
        plan->refreshes = defaults.refreshes;
    }
    if (plan->queues.count == 0) {
        plan->queues = defaults.queues;
    }
    if (plan->tick_rates.count == 0) {
        plan->tick_rates = defaults.tick_rates;
    }
    if (plan->figures.count == 0) {
        figure_parse("animation,lost", &plan->figures);
    }
    if (plan->duration_ns == 0) {
        plan->duration_ns = default_ns;
    }
    plan->warm_up_ns = plan->duration_ns / 5;
    if (o->jobs == 0) {
        long cores = sysconf(_SC_NPROCESSORS_ONLN);
        o->jobs = cores < 1 ? 1 : cores > 256 ? 256 : (int32_t)cores;
    }
}

static int check_together(const lab_options *o)
{
    if (o->trace != NULL && o->plan.scenarios.count > 0) {
        return tool_usage(
                "lab", "--trace and --scenario both give the costs of frames: choose one");
    }
    if (o->trace == NULL && (o->column != NULL || o->process != NULL)) {
        return tool_usage("lab", "%s is for --trace", o->column != NULL ? "--column" : "--process");
    }
    return tool_check_stdout("lab", o->files, FILES);
}

/* --- a capture as a scenario ------------------------------------------------------------------ */

static int load_trace(lab_options *o)
{
    lab_cost as_render = {0};
    o->traced = lab_scenario_plain();
    o->traced.name = "trace";
    o->traced.title = "frame costs from a capture";
    o->traced.render = as_render;
    o->traced.render_variable = as_render;
    int status =
            choice_load_trace("lab", o->trace, o->column, o->process, &o->costs, &o->traced.render);
    if (status == TOOL_OK) {
        choice_add_scenario(&o->plan.scenarios, &o->traced);
    }
    return status;
}

static void print_trace(const lab_trace_info *info)
{
    printf("trace: %zu frames", info->used);
    if (info->process[0] != '\0') {
        printf(" of %s", info->process);
    }
    if (info->column[0] != '\0') {
        printf(", column %s%s", info->column, info->in_us ? " in us" : "");
    }
    printf(", mean %.3f ms", (double)info->total_ns / 1e6 / (double)info->used);
    if (info->skipped > 0) {
        printf("; %zu rows without a number", info->skipped);
    }
    if (info->rows > info->used + info->skipped) {
        printf("; %zu of other programs", info->rows - info->used - info->skipped);
    }
    printf("\n");
}

/* --- showing ---------------------------------------------------------------------------------- */

static void print_list(void)
{
    const char *kind = "";
    for (size_t i = 0; lab_loop_at(i) != NULL; ++i) {
        const lab_loop *loop = lab_loop_at(i);
        if (strcmp(kind, choice_kind_name(loop->kind)) != 0) {
            kind = choice_kind_name(loop->kind);
            printf("%sloops: %s\n", i > 0 ? "\n" : "", kind);
        }
        printf("  %-17s %s\n  %-17s   %s%s%s%s\n", loop->name, loop->title, "", loop->source,
                (loop->needs & LAB_NEEDS_FEEDBACK) != 0 ? "; needs feedback" : "",
                (loop->needs & LAB_NEEDS_FIXED) != 0 ? "; needs a fixed refresh" : "",
                (loop->needs & LAB_NEEDS_CORE) != 0 ? "; needs a second core" : "");
    }
    printf("\nscenarios\n");
    for (size_t i = 0; lab_scenario_at(i) != NULL; ++i) {
        printf("  %-17s %s\n", lab_scenario_at(i)->name, lab_scenario_at(i)->title);
    }
    printf("\nmeasures\n");
    for (size_t i = 0; figure_at(i) != NULL; ++i) {
        static const char *const units[] = {"in % or ms", "in ms", "in %", "a count"};
        const figure *f = figure_at(i);
        printf("  %-17s %s, %s\n", f->name, f->title, units[f->unit]);
    }
}

static int show(const lab_options *o, const lab_outcome *outcome)
{
    bool to_stdout = tool_count_stdout(o->files, FILES) > 0;
    if (!to_stdout && o->trace != NULL) {
        print_trace(&o->costs.info);
    }
    if (!to_stdout && !lab_print(outcome, stdout)) {
        return tool_fail("lab", "out of memory");
    }
    return tool_write_files("lab", o->files, FILES, outcome);
}

/* A run that was cut off would pass for a whole one, so it is left out. */
static int report_cut_runs(const lab_outcome *outcome)
{
    size_t cut = 0;
    for (size_t i = 0; i < outcome->cell_count; ++i) {
        cut += outcome->cells[i].status == ES_ERR_RANGE;
    }
    return cut == 0 ? TOOL_OK
                    : tool_fail("lab",
                            "--seconds: %zu runs needed over 1 000 000 frames and were left out",
                            cut);
}

static int run(lab_options *o)
{
    lab_outcome outcome = {0};
    int status = o->trace != NULL ? load_trace(o) : TOOL_OK;
    if (status == TOOL_OK) {
        fill_in(o);
        status = lab_plan_run(&o->plan, o->jobs, &outcome) == ES_OK
                         ? show(o, &outcome)
                         : tool_fail("lab", "out of memory");
        status = status == TOOL_OK ? report_cut_runs(&outcome) : status;
    }
    lab_outcome_finish(&outcome);
    lab_trace_free(&o->costs);
    return status;
}

int tool_lab(int argc, char **argv)
{
    lab_options o = {.plan = {.seed = 1},
            .files = {{"json", NULL, lab_write_json}, {"svg", NULL, lab_draw},
                    {"dots", NULL, lab_draw_dots}, {"markdown", NULL, lab_write_markdown}}};
    tool_json_to_stdout(argc, argv);
    int status = parse_options(&o, argc, argv);
    status = status == TOOL_OK ? check_together(&o) : status;
    if (status == TOOL_OK && o.list) {
        print_list();
        return TOOL_OK;
    }
    return status == TOOL_OK ? run(&o) : status;
}
