/* SPDX-License-Identifier: Zlib
 *
 * A sweep has one kind of display. So a plan is run in parts: all its fixed refresh rates are one
 * sweep, and each variable range is another.
 */
#define _POSIX_C_SOURCE 200809L
#include "lab_plan.h"

#include "evenstep/clock.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Refreshes as indices into the plan's. */
typedef struct part {
    size_t refreshes[CHOICE_MAX];
    es_rate rates[CHOICE_MAX];
    size_t count;
    bool variable;
} part;

/* Progress on stderr, where that is a terminal. */
typedef struct watch {
    bool visible;
    es_clock clock;
    int64_t started_ns, shown_ns;
    size_t before; /* cells of finished parts */
    size_t count;
} watch;

size_t lab_plan_size(const lab_plan *plan)
{
    return plan->loops.count * plan->scenarios.count * plan->queues.count * plan->tick_rates.count
           * plan->refreshes.count;
}

/* --- running ---------------------------------------------------------------------------------- */

static part fixed_part(const lab_plan *plan)
{
    part p = {0};
    for (size_t i = 0; i < plan->refreshes.count; ++i) {
        if (!plan->refreshes.items[i].variable) {
            p.rates[p.count] = plan->refreshes.items[i].rate;
            p.refreshes[p.count++] = i;
        }
    }
    return p;
}

static lab_sweep make_sweep(const lab_plan *plan, const part *p)
{
    lab_sweep sweep = {.base = lab_setup_default(),
            .loops = plan->loops.items,
            .loop_count = plan->loops.count,
            .scenarios = plan->scenarios.items,
            .scenario_count = plan->scenarios.count,
            .queues = plan->queues.items,
            .queue_count = plan->queues.count,
            .tick_rates = plan->tick_rates.items,
            .tick_count = plan->tick_rates.count};
    sweep.base.seed = plan->seed;
    sweep.base.duration_ns = plan->duration_ns;
    sweep.base.warm_up_ns = plan->warm_up_ns;
    sweep.base.missed_max = plan->missed_max;
    sweep.base.display.unannounced = plan->unannounced;
    if (p->variable) {
        choice_set_refresh(&sweep.base.display, &plan->refreshes.items[p->refreshes[0]]);
    } else {
        sweep.refresh_rates = p->rates;
        sweep.refresh_count = p->count;
    }
    return sweep;
}

static void watch_begin(watch *w)
{
    w->visible = isatty(STDERR_FILENO) == 1 && es_clock_system(&w->clock) == ES_OK;
    w->started_ns = w->visible ? w->clock.now_ns(w->clock.user) : 0;
}

/* Ten times a second at most. */
static bool on_progress(void *user, size_t done, size_t count)
{
    watch *w = user;
    (void)count;
    int64_t now_ns = w->visible ? w->clock.now_ns(w->clock.user) : 0;
    if (w->visible && now_ns - w->shown_ns >= 100 * ES_NS_PER_MS) {
        double gone_s = (double)(now_ns - w->started_ns) / 1e9;
        size_t all = w->before + done;
        w->shown_ns = now_ns;
        fprintf(stderr, "\rlab: %zu of %zu runs, %.0f s left\033[K", all, w->count,
                gone_s * (double)(w->count - all) / (double)all);
        fflush(stderr);
    }
    return true;
}

static void watch_end(const watch *w)
{
    if (w->visible) {
        fputs("\r\033[K", stderr);
    }
}

static es_result run_part(const part *p, int jobs, lab_outcome *outcome, watch *w)
{
    lab_sweep sweep = make_sweep(outcome->plan, p);
    size_t count = lab_sweep_count(&sweep);
    lab_cell *cells = outcome->cells + w->before;
    es_result result = lab_sweep_run(&sweep, jobs, cells, on_progress, w);
    for (size_t i = 0; i < count && result == ES_OK; ++i) {
        cells[i].refresh = p->refreshes[cells[i].refresh];
    }
    w->before += count;
    return result;
}

static void sum_up(lab_outcome *outcome)
{
    for (size_t i = 0; i < outcome->cell_count; ++i) {
        const lab_cell *cell = &outcome->cells[i];
        if (lab_cell_ran(cell)) {
            size_t at = cell->loop * outcome->plan->scenarios.count + cell->scenario;
            figure_sums_add(&outcome->sums[at], &cell->measures);
        }
    }
}

es_result lab_plan_run(const lab_plan *plan, int jobs, lab_outcome *outcome)
{
    watch w = {.count = lab_plan_size(plan)};
    es_result result = ES_OK;
    outcome->plan = plan;
    outcome->cell_count = w.count;
    outcome->cells = calloc(w.count, sizeof *outcome->cells);
    outcome->sums = calloc(plan->loops.count * plan->scenarios.count, sizeof *outcome->sums);
    if (outcome->cells == NULL || outcome->sums == NULL) {
        return ES_ERR_SPACE;
    }
    watch_begin(&w);
    part p = fixed_part(plan);
    if (p.count > 0) {
        result = run_part(&p, jobs, outcome, &w);
    }
    for (size_t i = 0; i < plan->refreshes.count && result == ES_OK; ++i) {
        if (plan->refreshes.items[i].variable) {
            p = (part){.refreshes = {i}, .count = 1, .variable = true};
            result = run_part(&p, jobs, outcome, &w);
        }
    }
    watch_end(&w);
    if (result == ES_OK) {
        sum_up(outcome);
    }
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

double lab_value(const lab_outcome *outcome, const figure *f, size_t loop, size_t scenario)
{
    return figure_of_sums(lab_outcome_at(outcome, loop, scenario), f, !outcome->plan->in_ms);
}

void lab_format(const lab_outcome *outcome, const figure *f, size_t loop, size_t scenario,
        char *text, size_t size)
{
    double value = lab_value(outcome, f, loop, scenario);
    figure_format(text, size, f, value, !outcome->plan->in_ms);
}

/* The size of a figure; below 0: the loop does not compete. */
static double size_of(const lab_outcome *outcome, const figure *f, size_t i, size_t scenario)
{
    const lab_loop *loop = outcome->plan->loops.items[i];
    bool competes = loop->kind != LAB_LOOP_REFERENCE && (loop->needs & LAB_NEEDS_CORE) == 0
                    && lab_outcome_at(outcome, i, scenario)->runs > 0;
    return competes ? fabs(lab_value(outcome, f, i, scenario)) : -1.0;
}

bool lab_is_best(const lab_outcome *outcome, const figure *f, size_t loop, size_t scenario)
{
    char printed[32], other_printed[32];
    bool percent = !outcome->plan->in_ms;
    double own = size_of(outcome, f, loop, scenario);
    if (!f->less_is_better || own < 0.0) {
        return false;
    }
    figure_format(printed, sizeof printed, f, own, percent);
    for (size_t i = 0; i < outcome->plan->loops.count; ++i) {
        double other = size_of(outcome, f, i, scenario);
        figure_format(other_printed, sizeof other_printed, f, other, percent);
        if (other >= 0.0 && other < own && strcmp(printed, other_printed) != 0) {
            return false;
        }
    }
    return true;
}

/* Smaller differences do not count: a few us are not visible. */
static const double lost_slack_ms = 20.0;
static const double error_slack_percent = 0.02;
static const double error_slack_ms = 0.003;

static double lost_of(const lab_outcome *outcome, size_t loop, size_t scenario)
{
    const figure_sums *sums = lab_outcome_at(outcome, loop, scenario);
    return fabs(figure_of_sums(sums, figure_find("lost"), false));
}

size_t lab_best_beside(const lab_outcome *outcome, const figure *f, size_t loop, size_t scenario)
{
    size_t count = outcome->plan->loops.count, best = count;
    double least = 0.0, allowed_ms = lost_of(outcome, loop, scenario) + lost_slack_ms;
    for (size_t i = 0; i < count; ++i) {
        double size = i != loop ? size_of(outcome, f, i, scenario) : -1.0;
        if (size >= 0.0 && lost_of(outcome, i, scenario) <= allowed_ms
                && (best == count || size < least)) {
            best = i;
            least = size;
        }
    }
    return best;
}

bool lab_is_unbeaten(const lab_outcome *outcome, const figure *f, size_t loop, size_t scenario)
{
    double own = size_of(outcome, f, loop, scenario);
    double slack = outcome->plan->in_ms ? error_slack_ms : error_slack_percent;
    size_t best = lab_best_beside(outcome, f, loop, scenario);
    return own >= 0.0
           && (best == outcome->plan->loops.count
                   || own <= size_of(outcome, f, best, scenario) + slack);
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
        tool_append(text, size, ", ", choice_format_refresh(one, &plan->refreshes.items[i]));
    }
    tool_append(text, size, "", plan->unannounced ? " Hz, not announced" : " Hz");
    for (size_t i = 0; i < plan->queues.count; ++i) {
        snprintf(one, sizeof one, "%s%d", i == 0 ? "queue " : "", (int)plan->queues.items[i]);
        tool_append(text, size, i == 0 ? "; " : ", ", one);
    }
    for (size_t i = 0; i < plan->tick_rates.count; ++i) {
        tool_format_rate(one, plan->tick_rates.items[i]);
        tool_append(text, size, i == 0 ? "; " : ", ", one);
    }
    tool_append(text, size, "", " ticks/s");
}

void lab_draw_head(svg *drawing, const lab_plan *plan, const figure *f, const char *remark)
{
    char axes[512];
    lab_plan_describe(plan, axes, sizeof axes);
    svg_text(drawing, "big", 16.0, 30.0, "%c%s, in %s%s", toupper((unsigned char)f->title[0]),
            f->title + 1, figure_unit_name(f, !plan->in_ms), remark);
    svg_text(drawing, "small soft", 16.0, 49.0, "%s; %g s each, seed %llu", axes,
            (double)plan->duration_ns / 1e9, (unsigned long long)plan->seed);
}
