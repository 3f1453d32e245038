/* SPDX-License-Identifier: Zlib */
#include "exam.h"

#include <stdlib.h>
#include <string.h>

static const uint32_t rates[EXAM_RATES] = {30, 60, 90, 120, 144, 240, 360};
static const uint8_t tick_rates[] = {20, 30, 60, 120};
static const char *const accesses[] = {"after", "before", "acquire", "mailbox", "host exact",
        "host 0.1ms", "host 1ms", "host late"};
static const char *const known[] = {"nothing", "rate", "feedback", "both"};

enum { QUEUES = 4, TICK_RATES = sizeof tick_rates };

/* --- subjects --------------------------------------------------------------------------------- */

/* A rule for a scenario or a group. Earlier rules come first. */
typedef struct rule {
    const char *name;
    int point;
    exam_screen screen;
    double load_max;
    bool is_usual; /* part of the exam without being named */
} rule;

/* 2 to 18 ms in refreshes of 1/90 s; 0.56: 90 % of 1/144 s. */
static const rule rules[] = {
        {"throttled", 0, EXAM_FIXED, 1.3, true},
        {"transitions", 1, EXAM_FIXED, 0.9, true},
        {"calls", 1, EXAM_HOST, 0.9, true},
        {"loads", 3, EXAM_FIXED, 1.3, true},
        {"wake-tail", 4, EXAM_FIXED, 0.9, true},
        {"desktop", 4, EXAM_FIXED, 0.9, true},
        {"work-2", 5, EXAM_VARIABLE, 0.56, true},
        {"work-6", 5, EXAM_VARIABLE, 0.56, true},
        {"work", 5, EXAM_VARIABLE, 1.62, true},
        {"spikes", 5, EXAM_VARIABLE, 1.62, true},
        {"ramp", 5, EXAM_VARIABLE, 1.62, true},
        {"cheap", 6, EXAM_HOST, 0.9, true},
        {"systems", 0, EXAM_FIXED, 0.9, true},
        {"standard", 0, EXAM_FIXED, 1.3, false},
};

enum { RULES = sizeof rules / sizeof rules[0] };

unsigned exam_conditions(int point)
{
    static const unsigned conditions[EXAM_POINTS] = {
            [1] = EXAM_WORSE | EXAM_RUNS | EXAM_SLOWER | EXAM_OLDER | EXAM_SETTLE | EXAM_SPEED,
            [3] = EXAM_WORSE | EXAM_RUNS | EXAM_SLOWER | EXAM_OLDER | EXAM_KNOWN,
            [4] = EXAM_SLOWER | EXAM_REPEATS,
            [5] = EXAM_WORSE | EXAM_RUNS | EXAM_SLOWER | EXAM_OLDER,
            [6] = EXAM_WORSE | EXAM_RUNS | EXAM_KNOWN,
    };
    return conditions[point];
}

static bool is_free(const lab_scenario *scenario)
{
    return scenario->changes[0].at > 0.0 && scenario->changes[0].change.mode == LAB_MODE_UNSYNCED;
}

static bool has_subject(const exam *e, const lab_scenario *scenario, exam_screen screen)
{
    bool has = false;
    for (size_t i = 0; i < e->subject_count; ++i) {
        has = has || (e->subjects[i].scenario == scenario && e->subjects[i].screen == screen);
    }
    return has;
}

static bool is_chosen(
        const exam_choice *choice, const rule *r, const char *group, const lab_scenario *scenario)
{
    bool named = choice->name_count == 0 && r->is_usual;
    for (size_t i = 0; i < choice->name_count; ++i) {
        named = named || strcmp(choice->names[i], group) == 0
                || strcmp(choice->names[i], scenario->name) == 0;
    }
    return named && (choice->point < 0 || choice->point == r->point);
}

static void add_subjects(exam *e, const exam_choice *choice, const rule *r)
{
    const lab_scenario_group *group;
    for (size_t g = 0; (group = lab_scenario_group_at(g)) != NULL; ++g) {
        for (size_t i = 0; i < group->count; ++i) {
            const lab_scenario *scenario = &group->scenarios[i];
            bool ruled = strcmp(r->name, group->name) == 0 || strcmp(r->name, scenario->name) == 0;
            if (ruled && is_chosen(choice, r, group->name, scenario)
                    && !has_subject(e, scenario, r->screen)
                    && e->subject_count < EXAM_SUBJECTS_MAX) {
                e->subjects[e->subject_count++] = (exam_subject){scenario, r->point, r->screen,
                        r->load_max, lab_scenario_has_event(scenario), is_free(scenario)};
            }
        }
    }
}

/* --- cells and draws -------------------------------------------------------------------------- */

static void add_cells(exam *e, size_t subject)
{
    exam_screen screen = e->subjects[subject].screen;
    size_t from = screen == EXAM_HOST ? EXAM_HOST_EXACT : EXAM_AFTER;
    size_t to = screen == EXAM_HOST       ? EXAM_ACCESSES
                : screen == EXAM_VARIABLE ? EXAM_MAILBOX
                                          : EXAM_HOST_EXACT;
    for (size_t access = from; access < to; ++access) {
        for (size_t knows = 0; knows < EXAM_KNOWLEDGE && e->cell_count < EXAM_CELLS_MAX; ++knows) {
            e->cells[e->cell_count++] =
                    (exam_cell){(uint16_t)subject, (uint8_t)access, (uint8_t)knows, 0, 0};
        }
    }
}

/* The factor by which the scenario raises the refresh rate. */
static double rate_factor(const lab_scenario *scenario)
{
    double most = 1.0;
    for (int i = 0; i < LAB_CHANGES && scenario->changes[i].at > 0.0; ++i) {
        es_ratio ratio = scenario->changes[i].change.factor;
        double factor =
                ratio.denominator > 0 ? (double)ratio.numerator / (double)ratio.denominator : 1.0;
        most = factor > most ? factor : most;
    }
    return most;
}

/* The largest cost of a tick, in % of a refresh, that keeps the load at or below load_max. */
static int largest_tick_percent(const exam_subject *subject, uint32_t rate, uint32_t tick_rate)
{
    enum { LARGEST = 30 };
    const lab_cost *render = &subject->scenario->render;
    double factor = rate_factor(subject->scenario);
    double refresh_ns = 1e9 / (subject->screen == EXAM_VARIABLE ? 90.0 : (double)rate);
    double work = render->unit == LAB_UNIT_REFRESH ? render->base : render->base / refresh_ns;
    double slowest = subject->screen == EXAM_VARIABLE ? 48.0 : (double)rate * factor;
    double ticks = (double)tick_rate / slowest; /* per frame: rounded up */
    ticks = ticks > (double)(int)ticks ? (double)(int)ticks + 1.0 : ticks;
    double left = (subject->load_max / factor - work) / ticks;
    int percent = left > 0.0 ? (int)(100.0 * left) : 0;
    return percent < LARGEST ? percent : LARGEST;
}

/* Completes a draw by its seed. Half of the draws have the scenario's own cost of a tick. */
static exam_draw make_draw(const exam *e, size_t cell, size_t rate, size_t queue, uint64_t number)
{
    uint64_t index = (number * EXAM_RATES + rate) * QUEUES + queue;
    exam_draw draw = {.cell = (uint32_t)cell, .rate = (uint8_t)rate, .queue = (uint8_t)(1 + queue)};
    draw.seed =
            (uint32_t)(lab_random_bits(lab_random_key(e->seed, LAB_STREAM_MACHINE), index) >> 32);
    uint64_t key = lab_random_key(draw.seed, LAB_STREAM_MACHINE);
    draw.tick_rate = tick_rates[(size_t)(lab_random_uniform(key, 0) * TICK_RATES)];
    int most =
            largest_tick_percent(&e->subjects[e->cells[cell].subject], rates[rate], draw.tick_rate);
    bool fair = draw.tick_rate <= rates[rate]; /* some peers run one tick per frame at most */
    if (fair && most > 0 && lab_random_uniform(key, 1) < 0.5) {
        draw.tick_percent = (uint8_t)(1 + (int)(lab_random_uniform(key, 2) * (double)most));
    }
    return draw;
}

/* Point 4 is about 60 to 240 Hz. */
static bool has_rate(const exam *e, const exam_cell *cell, size_t rate)
{
    bool any = e->subjects[cell->subject].point != 4;
    return any || (rates[rate] >= 60 && rates[rate] <= 240);
}

/* Each rate and queue with each seed; without seeds every other queue. */
static void draw_all(exam *e, size_t seeds)
{
    for (size_t c = 0; c < e->cell_count; ++c) {
        exam_cell *cell = &e->cells[c];
        cell->first = e->draw_count;
        for (size_t rate = 0; rate < EXAM_RATES; ++rate) {
            for (size_t queue = 0; queue < QUEUES && has_rate(e, cell, rate); ++queue) {
                for (size_t n = 0; n < seeds; ++n) {
                    e->draws[e->draw_count++] = make_draw(e, c, rate, queue, n);
                }
                if (seeds == 0 && (rate + queue + cell->subject) % 2 == 0) {
                    e->draws[e->draw_count++] = make_draw(e, c, rate, queue, 0);
                }
            }
        }
        cell->count = e->draw_count - cell->first;
    }
}

/* Draws at random, in the order of their cells. */
static void draw_some(exam *e, size_t runs)
{
    uint64_t key = lab_random_key(e->seed, LAB_STREAM_PHASE);
    uint64_t next = 0;
    for (size_t i = 0; i < runs; ++i) {
        size_t cell = i * e->cell_count / runs;
        cell += runs < e->cell_count ? (size_t)(lab_random_uniform(key, next++)
                                                * (double)e->cell_count / (double)runs)
                                     : 0;
        size_t rate;
        do {
            rate = (size_t)(lab_random_uniform(key, next++) * EXAM_RATES);
        } while (!has_rate(e, &e->cells[cell], rate));
        size_t queue = (size_t)(lab_random_uniform(key, next++) * QUEUES);
        e->draws[e->draw_count++] = make_draw(e, cell, rate, queue, i);
    }
}

bool exam_plan(exam *e, const exam_choice *choice)
{
    for (size_t i = 0; i < RULES; ++i) {
        add_subjects(e, choice, &rules[i]);
    }
    for (size_t i = 0; i < e->subject_count; ++i) {
        add_cells(e, i);
    }
    size_t per_cell = EXAM_RATES * QUEUES * (choice->seeds > 0 ? choice->seeds : 1);
    size_t count = choice->runs > 0 ? choice->runs : e->cell_count * per_cell;
    e->draws = calloc(count + 1, sizeof *e->draws);
    e->outcomes = calloc((count + 1) * EXAM_SLOTS, sizeof *e->outcomes);
    if (e->draws == NULL || e->outcomes == NULL || e->cell_count == 0) {
        return false;
    }
    if (choice->runs > 0) {
        draw_some(e, choice->runs);
    } else {
        draw_all(e, choice->seeds);
    }
    return true;
}

/* --- setups ----------------------------------------------------------------------------------- */

const char *exam_access_name(size_t access)
{
    return accesses[access];
}

const char *exam_knowledge_name(size_t knows)
{
    return known[knows];
}

bool exam_has_bar(const exam_cell *cell)
{
    return cell->access != EXAM_MAILBOX || cell->knows != 0;
}

const char *exam_loop(const exam *e, const exam_draw *draw, size_t slot)
{
    static const char *const of_window[EXAM_SLOTS] = {
            "auto", "gaffer", "glaiel", "godot", "averaged-dt", NULL};
    static const char *const of_host[EXAM_SLOTS] = {
            "auto", "gaffer", "variable-dt", "averaged-dt", NULL, NULL};
    const exam_cell *cell = &e->cells[draw->cell];
    const exam_subject *subject = &e->subjects[cell->subject];
    if (subject->screen == EXAM_HOST) { /* point 6: only with the stamps as they are */
        return subject->point == 6 && slot > 2 ? NULL : of_host[slot];
    }
    if (slot == EXAM_EXTRA) {
        bool compares = subject->point == 3 && (cell->knows & EXAM_RATE) == 0;
        return subject->point == 4 ? "low-latency" : compares ? "auto" : NULL;
    }
    return of_window[slot];
}

static void set_display(lab_display *display, const exam_cell *cell, exam_screen screen)
{
    display->unannounced = (cell->knows & EXAM_RATE) == 0;
    display->feedback = (cell->knows & EXAM_FEEDBACK) != 0 ? LAB_FEEDBACK_EXACT : LAB_FEEDBACK_NONE;
    if (screen == EXAM_VARIABLE) {
        display->refresh = LAB_REFRESH_VARIABLE;
        display->rate = (es_rate){0, 0};
        display->rate_min = es_hz(48);
        display->rate_max = es_hz(144);
    }
    if (screen == EXAM_HOST) {
        display->host = (lab_host)(cell->access - EXAM_HOST_EXACT + LAB_HOST_EXACT);
    } else if (cell->access == EXAM_MAILBOX) {
        display->swap = LAB_SWAP_MAILBOX;
    } else {
        display->blocking = (lab_blocking)cell->access;
    }
}

lab_setup exam_setup(const exam *e, const exam_draw *draw, size_t slot)
{
    const exam_cell *cell = &e->cells[draw->cell];
    const exam_subject *subject = &e->subjects[cell->subject];
    const char *loop = exam_loop(e, draw, slot);
    lab_setup setup = lab_setup_default();
    setup.loop = loop != NULL ? lab_loop_find(loop) : NULL;
    setup.duration_ns = (subject->is_event ? 26 : 20) * ES_NS_PER_S;
    setup.seed = draw->seed;
    setup.tick_rate = es_hz(draw->tick_rate);
    setup.scenario = *subject->scenario;
    if (draw->tick_percent > 0) {
        lab_scenario_set_tick_cost(&setup.scenario, draw->tick_percent);
    }
    setup.display.queue = draw->queue;
    setup.display.rate = es_hz(rates[draw->rate]);
    set_display(&setup.display, cell, subject->screen);
    if (slot == EXAM_EXTRA && subject->point == 3) {
        setup.display.unannounced = false;
    }
    return setup;
}
