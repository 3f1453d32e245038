/* SPDX-License-Identifier: Zlib
 *
 * A run in a table, in JSON, and deadline by deadline.
 */
#define _POSIX_C_SOURCE 200809L
#include "wait.h"

#include "json.h"
#include "table.h"

#include "evenstep/evenstep.h"
#include "base/common.h"

#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

/* --- in words --------------------------------------------------------------------------------- */

static char *wait_format_us(char *text, size_t size, int64_t ns)
{
    double us = (double)ns / 1e3;
    snprintf(text, size, "%.*f", us < 9.995 ? 2 : us < 99.95 ? 1 : 0, us);
    return text;
}

static long core_count(void)
{
    return sysconf(_SC_NPROCESSORS_ONLN);
}

static char *wait_describe(const wait_outcome *outcome, char *text, size_t size)
{
    const wait_plan *plan = outcome->plan;
    char rate[32];
    char work[32];
    char load[48] = "no load";
    if (plan->load > 0) {
        snprintf(load, sizeof load, "%ld spinning process%s beside it", (long)plan->load,
                plan->load > 1 ? "es" : "");
    }
    snprintf(text, size,
            "%s Hz, %.4g s%s: %zu deadlines in turn; %s; %s ms of work between waits; %sseed %llu",
            tool_format_rate(rate, plan->rate), (double)outcome->ran_ns / 1e9,
            outcome->interrupted ? " (interrupted)" : "", outcome->samples.count, load,
            tool_format_ms(work, plan->work_ns),
            !plan->real_time     ? ""
            : outcome->real_time ? "real-time priority; "
                                 : "real-time priority refused; ",
            (unsigned long long)plan->seed);
    return text;
}

static char *wait_describe_machine(const wait_outcome *outcome, char *text, size_t size)
{
    char processor[96];
    char slack[64] = "";
    struct utsname system = {0};
    uname(&system);
    wait_system_processor(processor, sizeof processor);
    if (outcome->slack_ns >= 0) {
        char us[32];
        snprintf(slack, sizeof slack, "; timer slack %s us",
                wait_format_us(us, sizeof us, outcome->slack_ns));
    }
    snprintf(text, size, "%s %s, %ld cores%s%s%s", system.sysname, system.release, core_count(),
            processor[0] != '\0' ? ", " : "", processor, slack);
    return text;
}

/* --- the table -------------------------------------------------------------------------------- */

enum { COLUMNS = 8, RATIOS = 3 };

static void set_ratio(table *t, size_t row, size_t column, double value, double reference)
{
    double ratio = reference > 0.0 ? value / reference : 0.0;
    if (reference > 0.0) {
        table_set(t, row, column, "%.*f", ratio < 9.995 ? 2 : ratio < 99.95 ? 1 : 0, ratio);
    } else {
        table_set(t, row, column, "-");
    }
}

static void fill_row(const wait_outcome *outcome, size_t i, table *t)
{
    const wait_plan *plan = outcome->plan;
    const wait_figures *f = &outcome->figures[i];
    const size_t counts[] = {f->count, f->early, f->missed};
    const int64_t times_ns[] = {f->p50_ns, f->p90_ns, f->p99_ns, f->max_ns};
    char text[TABLE_CELL];
    table_set_row(t, i, false, "%s", plan->methods[i]->name);
    for (size_t k = 0; k < 3; ++k) {
        table_set(t, i, k, "%zu", counts[k]);
    }
    for (size_t column = 3; column < t->column_count && f->count == 0; ++column) {
        table_set(t, i, column, "-");
    }
    if (f->count == 0) {
        return;
    }
    for (size_t k = 0; k < 4; ++k) {
        table_set(t, i, 3 + k, "%s", wait_format_us(text, sizeof text, times_ns[k]));
    }
    table_set(t, i, 7, "%.2f", wait_cpu_percent(f));
    if (plan->reference < plan->method_count) {
        const wait_figures *r = &outcome->figures[plan->reference];
        set_ratio(t, i, 8, (double)f->p50_ns, (double)r->p50_ns);
        set_ratio(t, i, 9, (double)f->p90_ns, (double)r->p90_ns);
        set_ratio(t, i, 10, wait_cpu_percent(f), wait_cpu_percent(r));
    }
}

static void set_columns(const wait_plan *plan, table *t)
{
    static const struct {
        const char *group;
        const char *heading;
    } columns[COLUMNS] = {{"waits", "n"}, {"waits", "early"}, {"waits", "missed"},
            {"us off", "p50"}, {"us off", "p90"}, {"us off", "p99"}, {"us off", "max"},
            {"CPU", "%"}};
    static const char *ratios[RATIOS] = {"p50", "p90", "CPU"};
    for (size_t i = 0; i < COLUMNS; ++i) {
        table_set_column(t, i, columns[i].group, columns[i].heading);
    }
    for (size_t i = COLUMNS; i < t->column_count; ++i) {
        char group[TABLE_TITLE];
        snprintf(group, sizeof group, "x %s", plan->methods[plan->reference]->name);
        table_set_column(t, i, group, ratios[i - COLUMNS]);
    }
}

static void print_intro(const wait_outcome *outcome, FILE *out)
{
    const wait_plan *plan = outcome->plan;
    char text[512];
    fprintf(out, "%s\n", wait_describe(outcome, text, sizeof text));
    fprintf(out, "%s\n", wait_describe_machine(outcome, text, sizeof text));
    fprintf(out, "clock: %s\n\n", outcome->clock.description);
    fprintf(out, "us off   how far from its deadline a wait ended, late or early\n"
                 "early    waits that ended before their deadline\n"
                 "missed   deadlines that were past before the wait could begin; not measured\n"
                 "CPU      CPU time of the thread, of the time it waited\n");
    if (plan->reference < plan->method_count) {
        fprintf(out, "x        times the figure of %s\n", plan->methods[plan->reference]->name);
    }
    fputc('\n', out);
}

bool wait_print(const wait_outcome *outcome, FILE *out)
{
    const wait_plan *plan = outcome->plan;
    table t;
    size_t columns = COLUMNS + (plan->reference < plan->method_count ? RATIOS : 0);
    if (!table_init(&t, columns, plan->method_count)) {
        return false;
    }
    set_columns(plan, &t);
    for (size_t i = 0; i < plan->method_count; ++i) {
        fill_row(outcome, i, &t);
    }
    print_intro(outcome, out);
    table_print(&t, out);
    table_finish(&t);
    return true;
}

/* --- JSON ------------------------------------------------------------------------------------- */

static json_t *machine_json(const wait_outcome *outcome)
{
    char processor[96];
    struct utsname system = {0};
    uname(&system);
    wait_system_processor(processor, sizeof processor);
    return json_pack("{s:s, s:s, s:s, s:s, s:I, s:o}", "system", system.sysname, "release",
            system.release, "architecture", system.machine, "processor", processor, "cores",
            (json_int_t)core_count(), "timer_slack_ns",
            outcome->slack_ns < 0 ? json_null() : json_integer(outcome->slack_ns));
}

static json_t *setup_json(const wait_outcome *outcome)
{
    const wait_plan *plan = outcome->plan;
    char rate[32];
    bool compared = plan->reference < plan->method_count;
    return json_pack("{s:s, s:s, s:I, s:o, s:o, s:b, s:I, s:I, s:i, s:I, s:I, s:s, s:s?, s:s, s:o}",
            "evenstep", tool_version(), "rate_hz", tool_format_rate(rate, plan->rate), "period_ns",
            (json_int_t)es__rate_period_ns(plan->rate), "seconds",
            tool_json_number((double)plan->duration_ns / 1e9), "seconds_run",
            tool_json_number((double)outcome->ran_ns / 1e9), "interrupted",
            (int)outcome->interrupted, "deadlines_planned", (json_int_t)outcome->planned,
            "deadlines", (json_int_t)outcome->samples.count, "load", (int)plan->load, "work_ns",
            (json_int_t)plan->work_ns, "seed", (json_int_t)plan->seed, "real_time",
            !plan->real_time     ? "not requested"
            : outcome->real_time ? "granted"
                                 : "refused",
            "reference", compared ? plan->methods[plan->reference]->name : NULL, "clock",
            outcome->clock.description, "machine", machine_json(outcome));
}

/* A ratio where both are known. */
static void add_ratio(json_t *object, const char *key, bool both, double value, double reference)
{
    bool known = both && reference > 0.0;
    json_object_set_new(object, key, known ? tool_json_number(value / reference) : json_null());
}

static json_t *method_json(const wait_outcome *outcome, size_t i)
{
    const wait_plan *plan = outcome->plan;
    const wait_method *method = plan->methods[i];
    const wait_figures *f = &outcome->figures[i];
    json_t *object = json_pack("{s:s, s:s, s:s, s:I, s:I, s:I}", "method", method->name, "title",
            method->title, "source", method->source, "n", (json_int_t)f->count, "early",
            (json_int_t)f->early, "missed_start", (json_int_t)f->missed);
    const struct {
        const char *key;
        int64_t ns;
    } times[] = {{"p50_ns", f->p50_ns}, {"p90_ns", f->p90_ns}, {"p99_ns", f->p99_ns},
            {"max_ns", f->max_ns}, {"earliest_ns", f->earliest_ns}, {"wait_ns", f->wait_ns},
            {"cpu_ns", f->cpu_ns}};
    for (size_t k = 0; k < sizeof times / sizeof times[0]; ++k) { /* of no wait: null, not 0 */
        json_object_set_new(
                object, times[k].key, f->count > 0 ? json_integer(times[k].ns) : json_null());
    }
    json_object_set_new(object, "cpu_percent",
            f->count > 0 ? tool_json_number(wait_cpu_percent(f)) : json_null());
    if (plan->reference < plan->method_count) {
        const wait_figures *r = &outcome->figures[plan->reference];
        bool both = f->count > 0 && r->count > 0;
        add_ratio(object, "p50_ratio", both, (double)f->p50_ns, (double)r->p50_ns);
        add_ratio(object, "p90_ratio", both, (double)f->p90_ns, (double)r->p90_ns);
        add_ratio(object, "cpu_ratio", both, wait_cpu_percent(f), wait_cpu_percent(r));
    }
    return object;
}

bool wait_write_json(const void *user, const char *path)
{
    const wait_outcome *outcome = user;
    const wait_plan *plan = outcome->plan;
    json_t *methods = json_array();
    json_t *missing = json_array();
    for (size_t i = 0; i < plan->method_count; ++i) {
        json_array_append_new(methods, method_json(outcome, i));
    }
    for (size_t i = 0; wait_method_at(i) != NULL; ++i) {
        const wait_method *method = wait_method_at(i);
        if (!wait_method_is_here(method)) {
            json_array_append_new(missing, json_string(method->name));
        }
    }
    json_t *root = json_pack(
            "{s:o, s:o, s:o}", "wait", setup_json(outcome), "methods", methods, "missing", missing);
    return tool_json_write(root, path);
}

/* --- deadline by deadline --------------------------------------------------------------------- */

bool wait_write_samples(const void *user, const char *path)
{
    const wait_outcome *outcome = user;
    const wait_plan *plan = outcome->plan;
    FILE *file = tool_open(path);
    if (file == NULL) {
        return false;
    }
    fprintf(file, "deadline,method,missed_start,late_ns,wait_ns,cpu_ns\n");
    for (size_t i = 0; i < outcome->samples.count; ++i) {
        const wait_sample *sample = &outcome->samples.items[i];
        fprintf(file, "%zu,%s,%d,", i + 1, plan->methods[sample->method]->name,
                (int)sample->missed);
        if (sample->missed) {
            fprintf(file, ",,\n");
        } else {
            fprintf(file, "%lld,%lld,%lld\n", (long long)sample->late_ns,
                    (long long)sample->wait_ns, (long long)sample->cpu_ns);
        }
    }
    return tool_close(file);
}
