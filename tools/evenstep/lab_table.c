/* SPDX-License-Identifier: Zlib
 *
 * The lab's tables. Few measures stand side by side under each scenario; of many, each scenario
 * gets a table of its own.
 */
#include "lab_plan.h"

#include "table.h"

#include <math.h>
#include <string.h>

enum { SIDE_BY_SIDE_MAX = 3 };

typedef struct printer {
    const lab_plan *plan;
    const lab_outcome *outcome;
    table t;
} printer;

static void heading_of(char *text, const figure *f, bool percent)
{
    snprintf(text, TABLE_CELL, "%s %s", f->heading, figure_unit_name(f, percent));
    size_t length = strlen(text);
    if (length > 0 && text[length - 1] == ' ') {
        text[length - 1] = '\0';
    }
    /* over the numbers, not over their marks */
    snprintf(text + strlen(text), TABLE_CELL - strlen(text), " ");
}

static void set_cell(
        printer *p, size_t row, size_t column, const figure *f, size_t loop, size_t scenario)
{
    char number[TABLE_CELL];
    char text[TABLE_CELL + 1];
    const figure_sums *sums = lab_outcome_at(p->plan, p->outcome, loop, scenario);
    if (sums->runs == 0) {
        table_set(&p->t, row, column, "- ");
        return;
    }
    bool percent = !p->plan->in_ms;
    figure_format(number, sizeof number, f, figure_of_sums(sums, f, percent), percent);
    bool best = lab_is_best(p->plan, p->outcome, f, loop, scenario);
    snprintf(text, sizeof text, "%s%c", number, best ? '*' : ' ');
    table_set(&p->t, row, column, text);
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
                table_set_row(t, row, choice_kind_name((lab_loop_kind)kind), true);
            }
            row += !titled;
            titled = true;
            if (t != NULL) {
                char name[TABLE_TITLE];
                snprintf(name, sizeof name, "  %s", plan->loops.items[i]->name);
                table_set_row(t, row, name, false);
            }
            row_of_loop[i] = row;
            row += 1;
        }
    }
    return row;
}

/* first, end: the scenarios in it. */
static bool print_one(printer *p, size_t first, size_t end, bool grouped, FILE *out)
{
    const figure_choice *figures = &p->plan->figures;
    size_t row_of_loop[CHOICE_MAX];
    size_t rows = list_rows(p->plan, row_of_loop, NULL);
    if (!table_init(&p->t, (end - first) * figures->count, rows)) {
        return false;
    }
    list_rows(p->plan, row_of_loop, &p->t);
    size_t column = 0;
    for (size_t scenario = first; scenario < end; ++scenario) {
        for (size_t f = 0; f < figures->count; ++f, ++column) {
            char heading[TABLE_CELL];
            heading_of(heading, figures->items[f], !p->plan->in_ms);
            const char *group = grouped ? p->plan->scenarios.items[scenario].name : "";
            table_set_column(&p->t, column, group, heading);
            for (size_t loop = 0; loop < p->plan->loops.count; ++loop) {
                set_cell(p, row_of_loop[loop], column, figures->items[f], loop, scenario);
            }
        }
    }
    table_print(&p->t, out);
    table_finish(&p->t);
    return true;
}

static void print_intro(const lab_plan *plan, FILE *out)
{
    char axes[512];
    lab_plan_describe(plan, axes, sizeof axes);
    fprintf(out, "%zu loops x %zu scenarios, %g s each: %zu runs, seed %llu\n%s\n\n",
            plan->loops.count, plan->scenarios.count, (double)plan->duration_ns / 1e9,
            lab_plan_size(plan), (unsigned long long)plan->seed, axes);
    for (size_t i = 0; i < plan->figures.count; ++i) {
        const figure *f = plan->figures.items[i];
        const char *unit = figure_unit_name(f, !plan->in_ms);
        bool of_refresh = f->unit == FIGURE_ERROR && !plan->in_ms;
        fprintf(out, "%-8s %s%s%s%s\n", f->heading, f->title, unit[0] != '\0' ? ", in " : "", unit,
                of_refresh ? " of the refresh period" : "");
    }
    fprintf(out, "*        best of ours and peers on one core; references know what no program can "
                 "know\n\n");
}

bool lab_print(const lab_plan *plan, const lab_outcome *outcome, FILE *out)
{
    printer p = {.plan = plan, .outcome = outcome};
    print_intro(plan, out);
    if (plan->figures.count <= SIDE_BY_SIDE_MAX) {
        return print_one(&p, 0, plan->scenarios.count, true, out);
    }
    for (size_t i = 0; i < plan->scenarios.count; ++i) {
        const lab_scenario *scenario = &plan->scenarios.items[i];
        fprintf(out, "%s%s: %s\n", i > 0 ? "\n" : "", scenario->name, scenario->title);
        if (!print_one(&p, i, i + 1, false, out)) {
            return false;
        }
    }
    return true;
}
