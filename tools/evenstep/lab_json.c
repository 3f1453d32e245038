/* SPDX-License-Identifier: Zlib
 *
 * The lab's JSON. A full sweep has tens of thousands of cells, so they are written one by one.
 */
#include "lab_plan.h"

#include <errno.h>
#include <stdlib.h>

/* Writes and frees value. */
static bool put(FILE *file, const char *before, json_t *value)
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
    return json_pack("{s:I, s:o, s:o, s:o, s:b, s:o, s:o}", "seed", (json_int_t)plan->seed,
            "seconds", tool_json_number((double)plan->duration_ns / 1e9), "warm_up_seconds",
            tool_json_number((double)plan->warm_up_ns / 1e9), "refresh_hz", refreshes, "announced",
            !plan->unannounced, "queue", queues, "ticks_per_second", tick_rates);
}

static json_t *average_json(
        const lab_plan *plan, const lab_outcome *outcome, size_t loop, size_t scenario)
{
    const figure_sums *sums = lab_outcome_at(plan, outcome, loop, scenario);
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
    choice_format_refresh(refresh_text, &plan->refreshes.items[cell->refresh]);
    tool_format_rate(tick_text, plan->tick_rates.items[cell->tick]);
    json_t *object =
            json_pack("{s:s, s:s, s:s, s:i, s:s, s:b}", "loop", plan->loops.items[cell->loop]->name,
                    "scenario", plan->scenarios.items[cell->scenario].name, "refresh_hz",
                    refresh_text, "queue", (int)plan->queues.items[cell->queue], "ticks_per_second",
                    tick_text, "ran", lab_cell_ran(cell));
    if (lab_cell_ran(cell)) {
        figure_add_run(object, &cell->measures);
    }
    return object;
}

static bool put_tables(FILE *file, const lab_plan *plan)
{
    bool good = put(file, "{\n\"lab\": ", setup_json(plan));
    for (size_t i = 0; good && i < plan->loops.count; ++i) {
        const lab_loop *loop = plan->loops.items[i];
        good = put(file, i == 0 ? ",\n\"loops\": [\n" : ",\n",
                json_pack("{s:s, s:s, s:s, s:s}", "name", loop->name, "title", loop->title, "kind",
                        choice_kind_name(loop->kind), "source", loop->source));
    }
    for (size_t i = 0; good && i < plan->scenarios.count; ++i) {
        const lab_scenario *scenario = &plan->scenarios.items[i];
        good = put(file, i == 0 ? "\n],\n\"scenarios\": [\n" : ",\n",
                json_pack("{s:s, s:s}", "name", scenario->name, "title", scenario->title));
    }
    return good;
}

static bool put_results(FILE *file, const lab_plan *plan, const lab_outcome *outcome)
{
    bool good = true;
    size_t averages = plan->loops.count * plan->scenarios.count;
    for (size_t i = 0; good && i < averages; ++i) {
        good = put(file, i == 0 ? "\n],\n\"averages\": [\n" : ",\n",
                average_json(plan, outcome, i / plan->scenarios.count, i % plan->scenarios.count));
    }
    for (size_t i = 0; good && i < outcome->cell_count; ++i) {
        good = put(
                file, i == 0 ? "\n],\n\"cells\": [\n" : ",\n", cell_json(plan, &outcome->cells[i]));
    }
    fputs("\n]\n}\n", file);
    return good;
}

bool lab_write_json(const lab_plan *plan, const lab_outcome *outcome, const char *path)
{
    FILE *file = tool_open(path);
    if (file == NULL) {
        return false;
    }
    bool good = put_tables(file, plan) && put_results(file, plan, outcome);
    return tool_close(file) && good;
}
