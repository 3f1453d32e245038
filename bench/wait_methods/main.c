/* SPDX-License-Identifier: Zlib
 *
 * `bench_wait_methods`: how late each way to wait ends on this machine, and what it costs.
 */
#include "wait.h"
#include "base/common.h"

#include <string.h>

enum { JSON, SAMPLES, FILES };

typedef struct wait_options {
    wait_plan plan;
    const wait_method *reference; /* NULL: the default */
    tool_file files[FILES];
    bool list;
} wait_options;

static const uint64_t fastest_hz = 1000;

/* --- options ---------------------------------------------------------------------------------- */

/* By index in the plan; its count where it is not there. */
static size_t index_of(const wait_plan *plan, const wait_method *method)
{
    size_t i = 0;
    while (i < plan->method_count && plan->methods[i] != method) {
        i += 1;
    }
    return i;
}

static void add_all(wait_plan *plan)
{
    for (size_t i = 0; wait_method_at(i) != NULL; ++i) {
        const wait_method *method = wait_method_at(i);
        if (wait_method_is_here(method)) {
            tool_choose(wait_method_at, method->name, plan->methods, &plan->method_count);
        }
    }
}

static bool parse_method(const char *text, void *target)
{
    wait_plan *plan = target;
    bool all = strcmp(text, "all") == 0;
    if (all) {
        add_all(plan);
    }
    return all || tool_choose(wait_method_at, text, plan->methods, &plan->method_count);
}

static bool parse_methods(const char *text, void *plan)
{
    return tool_parse_list(text, parse_method, plan);
}

static bool parse_reference(const char *text, void *const_wait_method)
{
    const wait_method *method = tool_find(wait_method_at, text);
    *(const wait_method **)const_wait_method = method;
    return method != NULL;
}

static bool parse_rate(const char *text, void *rate)
{
    const es_rate *parsed = rate;
    return tool_parse_rate(text, rate) && parsed->numerator >= parsed->denominator
           && parsed->numerator <= fastest_hz * parsed->denominator;
}

static bool parse_work(const char *text, void *int64_ns)
{
    return tool_parse_duration(text, int64_ns) && *(int64_t *)int64_ns <= ES_NS_PER_S;
}

static bool parse_load(const char *text, void *int32)
{
    return tool_parse_count(text, int32) && *(int32_t *)int32 <= WAIT_LOAD_MAX;
}

static const char summary[] =
        "Waits for deadlines on this machine, by one method after the other. Measures how far from "
        "its\n"
        "deadline each wait ends, and its CPU time. Waits take real time, and other programs "
        "disturb\n"
        "them: compare figures of one run only.\n\n"
        "examples:\n"
        "  bench_wait_methods --rate 144 --seconds 5\n"
        "  bench_wait_methods --method evenstep,sdl3,absolute --load 2 --json "
        "wait.json";

static int parse_options(wait_options *o, int argc, char **argv)
{
    static const char file[] = "a file; - is stdout";
    char names[400], methods[440];
    wait_plan *plan = &o->plan;
    tool_names(names, sizeof names, "", wait_method_at);
    snprintf(methods, sizeof methods, "known methods: all, %s", names);
    const tool_option options[] = {
            {.help = "what runs"},
            {"method", "NAMES", parse_methods, plan, methods,
                    "methods by name, in turn (all that this system has); see --list"},
            {"rate", "HZ", parse_rate, &plan->rate,
                    "a rate from 1 to 1000, such as 60, 59.94 or 60000/1001",
                    "deadlines per second (60)"},
            {"seconds", "S", tool_parse_run, &plan->duration_ns, tool_run_text,
                    "for how long (5); Ctrl-C ends it early, with a report"},
            {"load", "N", parse_load, &plan->load, "a number of processes, 0 to 64",
                    "spinning processes beside it (0)"},
            {"work", "TIME", parse_work, &plan->work_ns, "a duration such as 200us, at most 1s",
                    "work between a wait and the next, spun (0)"},
            {"real-time", NULL, NULL, &o->plan.real_time, NULL,
                    "before all ordinary threads, where the system allows it"},
            {"seed", "N", tool_parse_seed, &plan->seed, "a number",
                    "another order of the methods (1)"},
            {.help = "what to show"},
            {"reference", "NAME", parse_reference, &o->reference, names,
                    "the method that the others are compared with (sdl3)"},
            {"json", "FILE", tool_parse_text, &o->files[JSON].path, file,
                    "all figures; - is stdout, without the table"},
            {"samples", "FILE", tool_parse_text, &o->files[SAMPLES].path, file,
                    "every deadline: its method, lateness and CPU time, as CSV"},
            {"list", NULL, NULL, &o->list, NULL, "list the methods and their sources"},
    };
    return tool_options(
            WAIT_COMMAND, summary, options, sizeof options / sizeof options[0], argc, argv);
}

/* A run of ten minutes must not end at a directory that is not there. */
static int check_files(const wait_options *o)
{
    for (size_t i = 0; i < FILES; ++i) {
        const char *path = o->files[i].path;
        FILE *file = path != NULL && !tool_is_stdout(path) ? fopen(path, "a") : stdout;
        if (file == NULL) {
            return tool_failed_to_write(WAIT_COMMAND, path);
        }
        if (file != stdout) {
            fclose(file);
        }
    }
    return TOOL_OK;
}

static int choose_reference(wait_options *o)
{
    wait_plan *plan = &o->plan;
    if (o->reference == NULL) {
        plan->reference = index_of(plan, tool_find(wait_method_at, "sdl3"));
        return TOOL_OK;
    }
    plan->reference = index_of(plan, o->reference);
    if (plan->reference == plan->method_count) {
        return tool_usage(WAIT_COMMAND, "--reference %s does not run: add it to --method",
                o->reference->name);
    }
    return TOOL_OK;
}

static int check_together(wait_options *o)
{
    if (tool_check_stdout(WAIT_COMMAND, o->files, FILES) != TOOL_OK) {
        return TOOL_USAGE;
    }
    if (o->plan.method_count == 0) {
        add_all(&o->plan);
    }
    for (size_t i = 0; i < o->plan.method_count; ++i) {
        if (!wait_method_is_here(o->plan.methods[i])) {
            return tool_usage(WAIT_COMMAND, "--method %s: this system has no absolute sleep",
                    o->plan.methods[i]->name);
        }
    }
    if (o->plan.work_ns >= es__rate_period_ns(o->plan.rate)) {
        return tool_usage(WAIT_COMMAND, "--work must be shorter than a period of --rate");
    }
    return choose_reference(o);
}

/* --- showing ---------------------------------------------------------------------------------- */

static void print_list(void)
{
    for (size_t i = 0; wait_method_at(i) != NULL; ++i) {
        const wait_method *method = wait_method_at(i);
        printf("  %-16s %s\n  %-16s   %s%s\n", method->name, method->title, "", method->source,
                wait_method_is_here(method) ? "" : "; not on this system");
    }
}

static int show(const wait_options *o, const wait_outcome *outcome)
{
    if (tool_count_stdout(o->files, FILES) == 0 && !wait_print(outcome, stdout)) {
        return tool_fail(WAIT_COMMAND, "out of memory");
    }
    int status = tool_write_files(WAIT_COMMAND, o->files, FILES, outcome);
    if (status == TOOL_OK && outcome->load_was_cut) {
        return tool_fail(WAIT_COMMAND, "--load: a process of the load ended before the run did");
    }
    return status;
}

static int run(int argc, char **argv)
{
    wait_options o = {
            .plan = {.rate = {60, 1}, .duration_ns = 5 * ES_NS_PER_S, .seed = 1},
            .files = {{"json", NULL, wait_write_json},
                    {"samples", NULL, wait_write_samples}},
    };
    tool_json_to_stdout(argc, argv);
    int status = parse_options(&o, argc, argv);
    if (status == TOOL_OK && o.list) {
        print_list();
        return TOOL_OK;
    }
    status = status == TOOL_OK ? check_together(&o) : status;
    status = status == TOOL_OK ? check_files(&o) : status;
    if (status != TOOL_OK) {
        return status;
    }
    wait_outcome outcome;
    status = wait_run(&o.plan, &outcome);
    status = status == TOOL_OK ? show(&o, &outcome) : status;
    wait_outcome_finish(&outcome);
    return status;
}

int main(int argc, char **argv)
{
    tool_standalone();
    return tool_end(WAIT_COMMAND, run(argc, argv));
}
