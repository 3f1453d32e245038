/* SPDX-License-Identifier: Zlib
 *
 * `evenstep lab`: loops x displays x scenarios.
 */
#include "plan.h"

#include "capture/trace.h"

#include <stdlib.h>
#include <unistd.h>

enum { JSON, MARKDOWN, FILES };

typedef struct lab_options {
    lab_plan plan;
    bool sweep;
    int32_t jobs;
    const char *trace;
    tool_file files[FILES]; /* in the order in which they are written */
    bool list;
    lab_trace costs;      /* of --trace ... */
    bool refresh_is_open; /* ... and the refresh, unless --refresh gives one */
} lab_options;

enum { LATE_LEAST = 100 }; /* returns of a capture, so that their lateness is known */

static const int64_t default_ns = 60 * ES_NS_PER_S;

/* --- options ---------------------------------------------------------------------------------- */

/* The bounds of es_loop_config. */
static bool parse_target_use(const char *text, void *use)
{
    static const char *const names[] = {"balanced", "smooth", "early"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; ++i) {
        if (strcmp(text, names[i]) == 0) {
            *(es_target_use *)use = (es_target_use)i;
            return true;
        }
    }
    return false;
}

static bool parse_unblended(const char *text, void *user)
{
    lab_plan *plan = user;
    plan->base.unblended = true;
    return strcmp(text, "0") == 0
           || (tool_parse_positive(text, &plan->base.speed_change_max)
                   && plan->base.speed_change_max <= 0.5);
}

static bool parse_tick_cost(const char *text, void *percent)
{
    return tool_parse_positive(text, percent) && *(double *)percent >= 0.001
           && *(double *)percent <= 1000.0;
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
        "  evenstep lab --loop auto,flip-dt --blocking after,before,acquire --feedback exact\n"
        "  evenstep lab --sweep --json sweep.json --markdown sweep.md";

static const char file[] = "a file; - is stdout";

static int parse_options(lab_options *o, int argc, char **argv)
{
    lab_plan *plan = &o->plan;
    const tool_option options[] = {
            {.help = "what runs (comma lists; options may be repeated)"},
            {"loop", "NAMES", choice_parse_loops, &plan->loops, choice_loops_text(),
                    "loops by name, or ours, peers, references, all (all)"},
            {"scenario", "NAMES", choice_parse_scenarios, &plan->scenarios, choice_scenarios_text,
                    "names, groups of --list, or all (standard)"},
            {"trace", "FILE", tool_parse_text, &o->trace, "a file",
                    "a capture: its costs; of demo --trace also refresh and late returns"},
            {"refresh", "RATES", choice_parse_refreshes, &plan->refreshes, choice_refresh_text,
                    "displays: 60, 59.94, 60000/1001, vrr, 48-144 (60,144)"},
            {"announced", "VALUES", choice_parse_names, &plan->axes[AXIS_ANNOUNCED], "yes or no",
                    "whether displays announce their refresh rate (yes)"},
            {"queue", "N", choice_parse_queues, &plan->queues, choice_queue_text,
                    "frames in the queue, 1 to 4; 1 is double buffering (2)"},
            {"blocking", "NAMES", choice_parse_names, &plan->axes[AXIS_BLOCKING],
                    "after, before, acquire or mailbox",
                    "after, before: present waits; acquire: drawing waits; mailbox (after)"},
            {"feedback", "NAMES", choice_parse_names, &plan->axes[AXIS_FEEDBACK],
                    "none, exact, noisy, late, wrong, stops or discards",
                    "reports: none, exact, noisy, late, wrong, stops, discards (none)"},
            {"host", "NAMES", choice_parse_names, &plan->axes[AXIS_HOST],
                    "none, exact, 0.1ms, 1ms or late",
                    "a host calls the loop; its time stamps: exact, 0.1ms, 1ms, late (none)"},
            {"targets", "NAMES", choice_parse_names, &plan->axes[AXIS_TARGETS],
                    "none, exact, late, deadline, rounded, ignored, lying or counts",
                    "what the screen does with targets: exact, late, ignored, ... (none)"},
            {"target-use", "NAME", parse_target_use, &plan->base.target_use,
                    "balanced, smooth or early",
                    "how far ahead ours asks to be seen: balanced, smooth, early (balanced)"},
            {"expected", NULL, NULL, &plan->expected, NULL, "the host says when frames are seen"},
            {"tick-rate", "RATES", choice_parse_tick_rates, &plan->tick_rates,
                    choice_tick_rate_text, "ticks per second (60)"},
            {"cap", "HZ", choice_parse_cap, &plan->base.cap_ns, choice_cap_text,
                    "most frames per second: interval_ns of ours, a sleep of others (none)"},
            {"tick-cost", "PERCENT", parse_tick_cost, &plan->tick_cost, "0.001 to 1000",
                    "cost of a tick, in % of a refresh period (that of the scenario)"},
            {"flips-1ms", NULL, NULL, &plan->whole_ms, NULL, "refresh times in whole ms"},
            {"unblended", "SHARE", parse_unblended, plan, "0 to 0.5",
                    "auto, low-latency do not blend; speed changes by up to SHARE"},
            {"sweep", NULL, NULL, &o->sweep, NULL, "7 refresh rates, 7 tick rates, 3 queues"},
            {"seed", "N", tool_parse_seed, &plan->base.seed, "a number", "selects random numbers"},
            {"seconds", "S", tool_parse_run, &plan->base.duration_ns, tool_run_text,
                    "simulated time per run; not measured: 2 s, at most a fifth (60)"},
            {"jobs", "N", parse_jobs, &o->jobs, "a number of threads, 1 to 256", "threads (cores)"},
            {.help = "what to show"},
            {"measure", "NAMES", figure_parse, &plan->figures, figure_names(),
                    "measures by name, or all; see --list (animation, pursuit, fps, ...)"},
            {"json", "[FILE]", tool_parse_text, &o->files[JSON].path, file,
                    "all measures of all runs; - or nothing: to stdout, without the tables"},
            {"markdown", "FILE", tool_parse_text, &o->files[MARKDOWN].path, file,
                    "a table per measure, for a document"},
            {"list", NULL, NULL, &o->list, NULL, "list loops, scenarios and measures"},
    };
    return tool_options("lab", summary, options, sizeof options / sizeof options[0], argc, argv);
}

/* A host calls at refreshes, and mailbox replaces frames between them. */
static int check_displays(const lab_plan *plan)
{
    bool hosts = lab_plan_has_other(plan, AXIS_HOST);
    bool mailbox = lab_plan_has(plan, AXIS_BLOCKING, BLOCKING_MAILBOX);
    for (size_t i = 0; i < plan->refreshes.count; ++i) {
        if (plan->refreshes.items[i].variable && (hosts || mailbox)) {
            return tool_usage("lab", "%s needs a fixed refresh: no vrr or range in --refresh",
                    hosts ? "--host" : "--blocking mailbox");
        }
    }
    if (hosts && lab_plan_has_other(plan, AXIS_BLOCKING)) {
        return tool_usage("lab", "--blocking goes without --host: a host's presents never block");
    }
    for (size_t i = 0; i < plan->refreshes.count && plan->whole_ms; ++i) {
        if (plan->refreshes.items[i].variable) {
            return tool_usage("lab", "--flips-1ms needs a fixed refresh");
        }
    }
    if (plan->expected && !hosts) {
        return tool_usage("lab", "--expected is for --host");
    }
    return TOOL_OK;
}

static int check_together(const lab_options *o)
{
    if (o->trace != NULL && o->plan.scenarios.count > 0) {
        return tool_usage(
                "lab", "--trace and --scenario both give the costs of frames: choose one");
    }
    int status = check_displays(&o->plan);
    return status == TOOL_OK ? tool_check_stdout("lab", o->files, FILES) : status;
}

/* Fills in the lists that were not given. */
static void fill_in(lab_options *o)
{
    lab_plan *plan = &o->plan;
    const struct {
        const size_t *count;
        tool_parse *parse;
        void *list;
        const char *otherwise; /* with --sweep: as lab_sweep_default */
    } lists[] = {{&plan->loops.count, choice_parse_loops, &plan->loops, "all"},
            {&plan->scenarios.count, choice_parse_scenarios, &plan->scenarios, "standard"},
            {&plan->refreshes.count, choice_parse_refreshes, &plan->refreshes,
                    o->sweep ? "60000/1001,60,75,120,144,165,240" : "60,144"},
            {&plan->queues.count, choice_parse_queues, &plan->queues, o->sweep ? "1,2,3" : "2"},
            {&plan->tick_rates.count, choice_parse_tick_rates, &plan->tick_rates,
                    o->sweep ? "20,30,50,60,100,120,128" : "60"},
            {&plan->figures.count, figure_parse, &plan->figures,
                    "animation,pursuit,fps,missed,input-age,lost,event-total,event-settle"}};
    for (size_t i = 0; i < sizeof lists / sizeof lists[0]; ++i) {
        if (*lists[i].count == 0) {
            lists[i].parse(lists[i].otherwise, lists[i].list);
        }
    }
    for (int i = 0; i < AXES; ++i) {
        plan->axes[i].count += plan->axes[i].count == 0; /* the first name */
    }
    if (plan->base.duration_ns == 0) {
        plan->base.duration_ns = default_ns;
    }
    plan->base.warm_up_ns = choice_warm_up_ns(plan->base.duration_ns);
}

/* --- a capture -------------------------------------------------------------------------------- */

static int load_trace(lab_options *o)
{
    lab_scenario traced = lab_scenario_plain();
    lab_capture_error error;
    const lab_capture_options any = {NULL, NULL, o->trace};
    if (o->trace == NULL) {
        return TOOL_OK;
    }
    if (lab_trace_take(&o->costs, lab_capture_open(o->trace, &any, &error), &error) != ES_OK) {
        return tool_fail("lab", "--trace: %s", error.text);
    }
    traced.name = "trace"; /* in place of the default */
    traced.title = "frame costs from a capture";
    traced.render.trace_ns = o->costs.costs_ns;
    traced.render.trace_count = o->costs.count;
    traced.render_variable = (lab_cost){0};
    if (o->costs.late_count >= LATE_LEAST) {
        traced.wake = (lab_lateness){
                .quantiles_ns = o->costs.late_ns, .quantile_count = LAB_TRACE_QUANTILES};
    }
    if (o->costs.refresh_ms > 0.0 && o->refresh_is_open) {
        refresh_choice *choice = &o->plan.refreshes;
        choice->count = 1;
        choice->items[0].variable = false;
        choice->items[0].rate = es_hz(1000.0 / o->costs.refresh_ms);
    }
    o->plan.scenarios = (scenario_choice){.items = {traced}, .count = 1};
    return TOOL_OK;
}

static void print_trace(const lab_trace *trace)
{
    const lab_capture_info *info = &trace->info;
    printf("trace: %zu frames", trace->count);
    if (info->process[0] != '\0') {
        printf(" of %s", info->process);
    }
    if (info->column[0] != '\0') {
        printf(", column %s%s", info->column, info->in_us ? " in us" : "");
    }
    printf(", mean %.3f ms", (double)trace->total_ns / 1e6 / (double)trace->count);
    if (trace->skipped > 0) {
        printf("; %zu rows without a number", trace->skipped);
    }
    if (trace->late_count >= LATE_LEAST) {
        printf("; presents return %.3f ms after a flip (median of %zu)",
                (double)trace->late_ns[LAB_TRACE_QUANTILES / 2] / 1e6, trace->late_count);
    }
    if (trace->refresh_ms > 0.0) {
        printf("; flips are %.3f ms apart", trace->refresh_ms);
    }
    if (info->rows > info->used) {
        printf("; %zu of other programs or swap chains", info->rows - info->used);
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
                (loop->needs & LAB_TAKES_HOST) == 0 ? "; no host can call it" : "",
                (loop->needs & LAB_NEEDS_CORE) != 0 ? "; needs a second core" : "");
    }
    const lab_scenario_group *group;
    for (size_t i = 0; (group = lab_scenario_group_at(i)) != NULL; ++i) {
        printf("\nscenarios: %s\n", group->name);
        for (size_t k = 0; k < group->count; ++k) {
            printf("  %-17s %s\n", group->scenarios[k].name, group->scenarios[k].title);
        }
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
        print_trace(&o->costs);
    }
    if (!to_stdout && !lab_print(outcome, stdout)) {
        return tool_fail("lab", "out of memory");
    }
    return tool_write_files("lab", o->files, FILES, outcome);
}

/* A run that was cut off would pass for a whole one, so it is left out; or the lab refused the
 * display's rates. */
static int report_cut_runs(const lab_outcome *outcome)
{
    size_t count = 0;
    for (size_t i = 0; i < outcome->cell_count; ++i) {
        es_result status = outcome->cells[i].status;
        count += status != ES_OK && status != ES_ERR_UNSUPPORTED;
    }
    return count == 0 ? TOOL_OK
                      : tool_fail("lab",
                              "%zu runs were left out: over 1 000 000 frames, or a refresh rate "
                              "over 10000 Hz",
                              count);
}

static int run(lab_options *o)
{
    for (size_t i = 0; i < o->plan.scenarios.count && o->plan.tick_cost > 0.0; ++i) {
        lab_scenario_set_tick_cost(&o->plan.scenarios.items[i], o->plan.tick_cost);
    }
    lab_outcome outcome = {0};
    int status = lab_plan_run(&o->plan, o->jobs, &outcome) == ES_OK
                         ? show(o, &outcome)
                         : tool_fail("lab", "out of memory");
    status = status == TOOL_OK ? report_cut_runs(&outcome) : status;
    lab_outcome_finish(&outcome);
    return status;
}

int tool_lab(int argc, char **argv)
{
    lab_options o = {.plan = {.base = lab_setup_default()},
            .jobs = (int32_t)sysconf(_SC_NPROCESSORS_ONLN),
            .files = {{"json", NULL, lab_write_json}, {"markdown", NULL, lab_write_markdown}}};
    o.plan.base.duration_ns = 0; /* not given */
    memcpy(o.plan.axes, lab_axes, sizeof o.plan.axes);
    int status = parse_options(&o, argc, argv);
    status = status == TOOL_OK ? check_together(&o) : status;
    if (status != TOOL_OK) {
        return status;
    }
    o.refresh_is_open = o.plan.refreshes.count == 0 && !o.sweep;
    fill_in(&o);
    if (o.list) {
        print_list();
        return TOOL_OK;
    }
    status = load_trace(&o);
    status = status == TOOL_OK ? run(&o) : status;
    lab_trace_free(&o.costs);
    return status;
}
