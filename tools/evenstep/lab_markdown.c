/* SPDX-License-Identifier: Zlib
 *
 * The lab's tables for a document: one per measure, a row per loop, a column per scenario.
 */
#include "lab_plan.h"

#include "tool.h"

#include <ctype.h>
#include <string.h>

static void put_cell(const lab_plan *plan, const lab_outcome *outcome, const figure *f, size_t loop,
        size_t scenario, FILE *file)
{
    char number[32];
    const figure_sums *sums = lab_outcome_at(plan, outcome, loop, scenario);
    if (sums->runs == 0) {
        fputs(" - |", file);
        return;
    }
    bool is_error = f->unit == FIGURE_ERROR;
    bool is_best = is_error ? lab_is_unbeaten(plan, outcome, f, loop, scenario)
                            : lab_is_best(plan, outcome, f, loop, scenario);
    bool loses = is_error && lab_loses_time(plan, outcome, loop, scenario);
    const char *mark = is_best ? "**" : "";
    figure_format(number, sizeof number, f, figure_of_sums(sums, f, !plan->in_ms), !plan->in_ms);
    fprintf(file, " %s%s%s%s |", mark, number, mark, loses ? "\xe2\x80\xa0" : "");
}

static void put_table(const lab_plan *plan, const lab_outcome *outcome, const figure *f, FILE *file)
{
    const char *unit = figure_unit_name(f, !plan->in_ms);
    bool of_refresh = f->unit == FIGURE_ERROR && !plan->in_ms;
    fprintf(file, "%c%s%s%s%s:\n\n|  |", toupper((unsigned char)f->title[0]), f->title + 1,
            unit[0] != '\0' ? ", in " : "", unit, of_refresh ? " of the refresh period" : "");
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
            put_cell(plan, outcome, f, loop, i, file);
        }
        fputs("\n", file);
    }
}

bool lab_write_markdown(const lab_plan *plan, const lab_outcome *outcome, const char *path)
{
    FILE *file = tool_open(path);
    if (file == NULL) {
        return false;
    }
    for (size_t i = 0; i < plan->figures.count; ++i) {
        if (i > 0) {
            fputs("\n", file);
        }
        put_table(plan, outcome, plan->figures.items[i], file);
    }
    return tool_close(file);
}
