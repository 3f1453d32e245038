/* SPDX-License-Identifier: Zlib
 *
 * The lab's figures as tables, as tables for a document, and as JSON.
 */
#include "plan.h"

#include "table.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>

/* ", in % of the refresh period" */
static void print_unit(const figure *f, FILE *out)
{
    const char *unit = figure_unit_name(f, true);
    bool of_refresh = f->unit == FIGURE_ERROR;
    fprintf(out, "%s%s%s", unit[0] != '\0' ? ", in " : "", unit,
            of_refresh ? " of the refresh period" : "");
}

/* --- tables for a terminal -------------------------------------------------------------------- */

/* Few measures are side by side under each scenario; of many, each scenario has its own table. */
enum { SIDE_BY_SIDE_MAX = 3 };

static void set_cell(const lab_outcome *outcome, table *t, size_t row, size_t column,
        const figure *f, size_t loop, size_t scenario)
{
    char number[TABLE_CELL];
    if (lab_outcome_at(outcome, loop, scenario)->runs == 0) {
        table_set(t, row, column, "- ");
        return;
    }
    lab_format(outcome, f, loop, scenario, number, sizeof number);
    bool best = lab_is_best(outcome, f, loop, scenario);
    table_set(t, row, column, "%s%c", number, best ? '*' : ' ');
}

/* Loops of one kind stand under its name. Returns the number of rows. */
static size_t list_rows(const lab_plan *plan, size_t *row_of_loop, table *t)
{
    size_t row = 0;
    for (int kind = LAB_LOOP_OURS; kind <= LAB_LOOP_REFERENCE; ++kind) {
        bool titled = false;
        for (size_t i = 0; i < plan->loops.count; ++i) {
            if ((int)plan->loops.items[i]->kind != kind) {
                continue;
            }
            if (!titled && t != NULL) {
                table_set_row(t, row, true, "%s", choice_kind_name((lab_loop_kind)kind));
            }
            row += !titled;
            titled = true;
            if (t != NULL) {
                table_set_row(t, row, false, "  %s", plan->loops.items[i]->name);
            }
            row_of_loop[i] = row;
            row += 1;
        }
    }
    return row;
}

/* first, end: the scenarios in it. A table of one has measures of events only where it has one. */
static bool print_one(const lab_outcome *outcome, size_t first, size_t end, bool grouped, FILE *out)
{
    const lab_plan *plan = outcome->plan;
    bool has_event = grouped || lab_scenario_has_event(&plan->scenarios.items[first]);
    figure_choice figures = {.count = 0};
    for (size_t i = 0; i < plan->figures.count; ++i) {
        if (has_event || plan->figures.items[i]->mean != FIGURE_MEAN_OF_EVENTS) {
            figures.items[figures.count++] = plan->figures.items[i];
        }
    }
    size_t row_of_loop[CHOICE_MAX], columns = (end - first) * figures.count;
    table t;
    if (!table_init(&t, columns, list_rows(plan, row_of_loop, NULL))) {
        return false;
    }
    list_rows(plan, row_of_loop, &t);
    for (size_t column = 0; column < columns; ++column) {
        const figure *f = figures.items[column % figures.count];
        size_t scenario = first + column / figures.count;
        const char *unit = figure_unit_name(f, true);
        char heading[TABLE_CELL]; /* the space: over the numbers, not over their marks */
        snprintf(heading, sizeof heading, "%s%s%s ", f->heading, unit[0] != '\0' ? " " : "", unit);
        table_set_column(&t, column, grouped ? plan->scenarios.items[scenario].name : "", heading);
        for (size_t loop = 0; loop < plan->loops.count; ++loop) {
            set_cell(outcome, &t, row_of_loop[loop], column, f, loop, scenario);
        }
    }
    table_print(&t, out);
    table_finish(&t);
    return true;
}

/* Names the loops and scenarios that do not run on all of the displays. */
static void print_left_out(const lab_plan *plan, FILE *out)
{
    static const char *const titles[] = {"without feedback", "with a host", "without a host"};
    const bool is_in[] = {lab_plan_has(plan, AXIS_FEEDBACK, LAB_FEEDBACK_NONE),
            lab_plan_has_other(plan, AXIS_HOST), lab_plan_has(plan, AXIS_HOST, LAB_HOST_NONE)};
    for (int i = 0; i < 3; ++i) {
        char names[512] = "";
        for (size_t k = 0; k < plan->loops.count && i < 2; ++k) {
            unsigned needs = plan->loops.items[k]->needs;
            if (i == 0 ? (needs & LAB_NEEDS_FEEDBACK) != 0 : (needs & LAB_TAKES_HOST) == 0) {
                tool_append(names, sizeof names, ", ", "%s", plan->loops.items[k]->name);
            }
        }
        for (size_t k = 0; k < plan->scenarios.count && i == 2; ++k) {
            if (choice_needs_host(&plan->scenarios.items[k])) {
                tool_append(names, sizeof names, ", ", "%s", plan->scenarios.items[k].name);
            }
        }
        if (is_in[i] && names[0] != '\0') {
            fprintf(out, "left out %s: %s\n", titles[i], names);
        }
    }
}

static void print_figures(const lab_plan *plan, FILE *out)
{
    for (size_t i = 0; i < plan->figures.count; ++i) {
        fprintf(out, "%-8s %s", plan->figures.items[i]->heading, plan->figures.items[i]->title);
        print_unit(plan->figures.items[i], out);
        fputc('\n', out);
    }
}

static void print_intro(const lab_plan *plan, FILE *out)
{
    char axes[512];
    lab_plan_describe(plan, axes, sizeof axes);
    fprintf(out, "%zu loops x %zu scenarios, %g s each: %zu runs, seed %llu\n%s\n\n",
            plan->loops.count, plan->scenarios.count, (double)plan->base.duration_ns / 1e9,
            lab_plan_size(plan), (unsigned long long)plan->base.seed, axes);
    print_figures(plan, out);
    fprintf(out, "*        best of ours and peers on one core; references know what no program can "
                 "know\n");
    print_left_out(plan, out);
    fputc('\n', out);
}

bool lab_print(const lab_outcome *outcome, FILE *out)
{
    const lab_plan *plan = outcome->plan;
    print_intro(plan, out);
    if (plan->figures.count <= SIDE_BY_SIDE_MAX) {
        return print_one(outcome, 0, plan->scenarios.count, true, out);
    }
    for (size_t i = 0; i < plan->scenarios.count; ++i) {
        const lab_scenario *scenario = &plan->scenarios.items[i];
        fprintf(out, "%s%s: %s\n", i > 0 ? "\n" : "", scenario->name, scenario->title);
        if (!print_one(outcome, i, i + 1, false, out)) {
            return false;
        }
    }
    return true;
}

/* --- tables for a document -------------------------------------------------------------------- */

static void put_cell(
        const lab_outcome *outcome, const figure *f, size_t loop, size_t scenario, FILE *file)
{
    char number[32];
    if (lab_outcome_at(outcome, loop, scenario)->runs == 0) {
        fputs(" - |", file);
        return;
    }
    bool is_error = f->unit == FIGURE_ERROR;
    bool is_best = (is_error ? lab_is_unbeaten : lab_is_best)(outcome, f, loop, scenario);
    bool loses = is_error && lab_loses_time(outcome, loop, scenario);
    const char *mark = is_best ? "**" : "";
    lab_format(outcome, f, loop, scenario, number, sizeof number);
    fprintf(file, " %s%s%s%s |", mark, number, mark, loses ? "\xe2\x80\xa0" : "");
}

/* A row per loop, a column per scenario. */
static void put_table(const lab_outcome *outcome, const figure *f, FILE *file)
{
    const lab_plan *plan = outcome->plan;
    fprintf(file, "%c%s", toupper((unsigned char)f->title[0]), f->title + 1);
    print_unit(f, file);
    fputs(":\n\n|  |", file);
    for (size_t i = 0; i < plan->scenarios.count; ++i) {
        fprintf(file, " %s |", plan->scenarios.items[i].name);
    }
    fputs("\n|---|", file);
    for (size_t i = 0; i < plan->scenarios.count; ++i) {
        fputs("--:|", file);
    }
    fputs("\n", file);
    for (size_t loop = 0; loop < plan->loops.count; ++loop) {
        const lab_loop *item = plan->loops.items[loop];
        const char *slant = item->kind == LAB_LOOP_REFERENCE ? "*" : "";
        fprintf(file, "| %s%s%s (`%s`) |", slant, item->title, slant, item->name);
        for (size_t i = 0; i < plan->scenarios.count; ++i) {
            put_cell(outcome, f, loop, i, file);
        }
        fputs("\n", file);
    }
}

bool lab_write_markdown(const void *user, const char *path)
{
    const lab_outcome *outcome = user;
    FILE *file = tool_open(path);
    if (file == NULL) {
        return false;
    }
    for (size_t i = 0; i < outcome->plan->figures.count; ++i) {
        fputs(i > 0 ? "\n" : "", file);
        put_table(outcome, outcome->plan->figures.items[i], file);
    }
    return tool_close(file);
}

/* --- JSON, cell by cell: a full sweep has tens of thousands ----------------------------------- */

static bool lab_put_json(FILE *file, const char *before, json_t *value)
{
    char *text = json_dumps(value, JSON_REAL_PRECISION(12) | JSON_ENCODE_ANY);
    json_decref(value);
    if (text == NULL) {
        errno = ENOMEM; /* jansson does not set it */
        return false;
    }
    fprintf(file, "%s%s", before, text);
    free(text);
    return true;
}

static json_t *names_json(const name_choice *names)
{
    json_t *array = json_array();
    for (size_t i = 0; i < names->count; ++i) {
        json_array_append_new(array, json_string(names->names[names->items[i]]));
    }
    return array;
}

static json_t *setup_json(const lab_plan *plan)
{
    char text[96];
    json_t *refreshes = json_array();
    json_t *queues = json_array();
    json_t *tick_rates = json_array();
    for (size_t i = 0; i < plan->refreshes.count; ++i) {
        choice_format_refresh(text, &plan->refreshes.items[i]);
        json_array_append_new(refreshes, json_string(text));
    }
    for (size_t i = 0; i < plan->queues.count; ++i) {
        json_array_append_new(queues, json_integer(plan->queues.items[i]));
    }
    for (size_t i = 0; i < plan->tick_rates.count; ++i) {
        tool_format_rate(text, plan->tick_rates.items[i]);
        json_array_append_new(tick_rates, json_string(text));
    }
    json_t *object = json_pack("{s:I, s:o, s:o, s:o, s:b, s:b, s:o, s:o, s:o}", "seed",
            (json_int_t)plan->base.seed, "seconds",
            tool_json_number((double)plan->base.duration_ns / 1e9), "warm_up_seconds",
            tool_json_number((double)plan->base.warm_up_ns / 1e9), "refresh_hz", refreshes,
            "expected", plan->expected, "flips_1ms", plan->whole_ms, "tick_cost_percent",
            plan->tick_cost > 0.0 ? tool_json_number(plan->tick_cost) : json_null(), "queue",
            queues, "ticks_per_second", tick_rates);
    json_object_set_new(object, "cap_hz", choice_cap_json(plan->base.cap_ns));
    for (int axis = 0; axis < AXES; ++axis) {
        json_object_set_new(object, plan->axes[axis].name, names_json(&plan->axes[axis]));
    }
    return object;
}

static json_t *average_json(const lab_outcome *outcome, size_t loop, size_t scenario)
{
    const lab_plan *plan = outcome->plan;
    const figure_sums *sums = lab_outcome_at(outcome, loop, scenario);
    json_t *object = json_pack("{s:s, s:s, s:I}", "loop", plan->loops.items[loop]->name, "scenario",
            plan->scenarios.items[scenario].name, "runs", (json_int_t)sums->runs);
    if (sums->runs > 0) {
        figure_add_json(object, sums);
    }
    return object;
}

static json_t *cell_json(const lab_plan *plan, const lab_cell *cell)
{
    char refresh_text[96];
    char tick_text[32];
    int32_t values[AXES];
    size_t refresh_index = lab_plan_display(plan, cell->display, values);
    const lab_scenario *scenario = &plan->scenarios.items[cell->scenario];
    choice_format_refresh(refresh_text, &plan->refreshes.items[refresh_index]);
    tool_format_rate(tick_text, plan->tick_rates.items[cell->tick]);
    json_t *object = json_pack("{s:s, s:s, s:s, s:i, s:s, s:b}", "loop",
            plan->loops.items[cell->loop]->name, "scenario", scenario->name, "refresh_hz",
            refresh_text, "queue", (int)plan->queues.items[cell->queue], "ticks_per_second",
            tick_text, "ran", lab_cell_ran(cell));
    for (int axis = 0; axis < AXES; ++axis) {
        const name_choice *names = &plan->axes[axis];
        const char *value = names->names[values[axis]];
        json_object_set_new(object, names->name, json_string(value));
    }
    if (lab_cell_ran(cell)) {
        figure_add_run(object, &cell->measures, lab_scenario_has_event(scenario));
    }
    return object;
}

static bool put_tables(FILE *file, const lab_plan *plan)
{
    bool good = lab_put_json(file, "{\n\"lab\": ", setup_json(plan));
    for (size_t i = 0; good && i < plan->loops.count; ++i) {
        const lab_loop *loop = plan->loops.items[i];
        good = lab_put_json(file, i == 0 ? ",\n\"loops\": [\n" : ",\n",
                json_pack("{s:s, s:s, s:s, s:s}", "name", loop->name, "title", loop->title, "kind",
                        choice_kind_name(loop->kind), "source", loop->source));
    }
    for (size_t i = 0; good && i < plan->scenarios.count; ++i) {
        const lab_scenario *scenario = &plan->scenarios.items[i];
        good = lab_put_json(file, i == 0 ? "\n],\n\"scenarios\": [\n" : ",\n",
                json_pack("{s:s, s:s}", "name", scenario->name, "title", scenario->title));
    }
    return good;
}

static bool put_results(FILE *file, const lab_outcome *outcome)
{
    bool good = true;
    size_t scenarios = outcome->plan->scenarios.count;
    for (size_t i = 0; good && i < outcome->plan->loops.count * scenarios; ++i) {
        good = lab_put_json(file, i == 0 ? "\n],\n\"averages\": [\n" : ",\n",
                average_json(outcome, i / scenarios, i % scenarios));
    }
    for (size_t i = 0; good && i < outcome->cell_count; ++i) {
        good = lab_put_json(file, i == 0 ? "\n],\n\"cells\": [\n" : ",\n",
                cell_json(outcome->plan, &outcome->cells[i]));
    }
    fputs("\n]\n}\n", file);
    return good;
}

bool lab_write_json(const void *user, const char *path)
{
    const lab_outcome *outcome = user;
    FILE *file = tool_open(path);
    if (file == NULL) {
        return false;
    }
    bool good = put_tables(file, outcome->plan) && put_results(file, outcome);
    return tool_close(file) && good;
}
