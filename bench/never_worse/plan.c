/* SPDX-License-Identifier: Zlib */
#include "exam.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const uint32_t rates[] = {30, 60, 90, 120, 144, 240, 360};
static const uint8_t tick_rates[] = {20, 30, 60, 120};
static const char *const accesses[EXAM_ACCESSES] = {"after", "before", "acquire", "mailbox",
        "host exact", "host 0.1ms", "host 1ms", "host late"};
static const char *const known[EXAM_KNOWLEDGE] = {"nothing", "rate", "feedback", "both"};

enum { RATES = sizeof rates / sizeof rates[0], TICK_RATES = sizeof tick_rates };

/* --- subjects --------------------------------------------------------------------------------- */

/* A rule for a scenario or a group. An earlier one comes first. On a variable refresh loads are in
 * 1/90 s: 1.62 is 18 ms, 0.56 is 90 % of 1/144 s. */
typedef struct rule {
    const char *name;
    int point;
    exam_screen screen;
    double load_max;
    double rate_share;
    bool is_usual; /* part of the exam without being named */
    bool uneven;   /* heavy ticks in some frames only */
} rule;

static const rule rules[] = {
        {"throttled", 0, EXAM_FIXED, 1.3, 0.99, true, false},
        {"transitions", 1, EXAM_FIXED, 0.9, 0.99, true, false},
        {"first-200", 1, EXAM_WHOLE_MS, 0.9, 0.99, true, false},
        {"loading", 1, EXAM_WHOLE_MS, 0.9, 0.99, true, false},
        {"draw-300", 1, EXAM_WHOLE_MS, 0.9, 0.99, true, false},
        {"rate-down", 1, EXAM_WHOLE_MS, 0.9, 0.99, true, false},
        {"vsync-off-on", 1, EXAM_WHOLE_MS, 0.9, 0.99, true, false},
        {"hidden-returns", 1, EXAM_WHOLE_MS, 0.9, 0.99, true, false},
        {"calls", 1, EXAM_HOST, 0.9, 0.99, true, false},
        {"loads", 3, EXAM_FIXED, 1.3, 0.99, true, false},
        {"wake-tail", 4, EXAM_FIXED, 0.9, 0.99, true, false},
        {"desktop", 4, EXAM_FIXED, 0.9, 0.99, true, false},
        {"work-2", 5, EXAM_VARIABLE, 0.56, 0.99, true, false},
        {"work-6", 5, EXAM_VARIABLE, 0.56, 0.99, true, false},
        {"work", 5, EXAM_VARIABLE, 1.62, 0.95, true, false},
        {"spikes", 5, EXAM_VARIABLE, 1.62, 0.95, true, false},
        {"ramp", 5, EXAM_VARIABLE, 1.62, 0.95, true, false},
        {"first-200", 1, EXAM_FIXED, 0.9, 0.99, true, true},
        {"draw-100", 1, EXAM_FIXED, 0.9, 0.99, true, true},
        {"return-20", 1, EXAM_FIXED, 0.9, 0.99, true, true},
        {"vsync-off-on", 1, EXAM_FIXED, 0.9, 0.99, true, true},
        {"loads", 3, EXAM_FIXED, 1.3, 0.99, true, true},
        {"work-10", 5, EXAM_VARIABLE, 1.62, 0.95, true, true},
        {"ramp", 5, EXAM_VARIABLE, 1.62, 0.95, true, true},
        {"cheap", 6, EXAM_HOST, 0.9, 0.99, true, false},
        {"systems", 0, EXAM_FIXED, 0.9, 0.99, true, false},
        {"standard", 0, EXAM_FIXED, 1.3, 0.99, false, false},
};

enum { RULES = sizeof rules / sizeof rules[0] };

static bool rules_on(const rule *r, const char *group, const lab_scenario *scenario)
{
    return strcmp(r->name, group) == 0 || strcmp(r->name, scenario->name) == 0;
}

/* Whether an earlier rule is about the same. */
static bool is_ruled(const rule *r, const char *group, const lab_scenario *scenario)
{
    bool ruled = false;
    for (const rule *earlier = rules; earlier < r; ++earlier) {
        bool same = earlier->screen == r->screen && earlier->uneven == r->uneven;
        ruled = ruled || (same && rules_on(earlier, group, scenario));
    }
    return ruled;
}

/* Whether a name is that of a scenario or cell, or begins with it. */
static bool begins_with(const char *name, const char *scenario)
{
    size_t size = strlen(scenario);
    return strncmp(name, scenario, size) == 0 && strchr("/:", name[size]) != NULL;
}

static bool is_access(const char *name)
{
    bool found = false;
    for (int i = 0; i < EXAM_ACCESSES; ++i) {
        found = found || strcmp(name, accesses[i]) == 0;
    }
    return found;
}

static bool is_chosen(
        const exam_choice *choice, const rule *r, const char *group, const lab_scenario *scenario)
{
    bool any = choice->name_count == 0;
    bool named = false;
    for (size_t i = 0; i < choice->name_count; ++i) {
        any = any || is_access(choice->names[i]);
        named = named || strcmp(choice->names[i], group) == 0
                || begins_with(choice->names[i], scenario->name);
    }
    bool barred = r->point > 0 || choice->runs == 0;
    return (named || (any && r->is_usual && barred))
           && (choice->point < 0 || choice->point == r->point);
}

static void add_subjects(exam *e, const exam_choice *choice, const rule *r)
{
    const lab_scenario_group *group;
    for (size_t g = 0; (group = lab_scenario_group_at(g)) != NULL; ++g) {
        for (size_t i = 0; i < group->count; ++i) {
            const lab_scenario *s = &group->scenarios[i];
            if (rules_on(r, group->name, s) && !is_ruled(r, group->name, s)
                    && is_chosen(choice, r, group->name, s)
                    && e->subject_count < EXAM_SUBJECTS_MAX) {
                bool is_free = s->changes[0].change.mode == LAB_MODE_UNSYNCED;
                e->subjects[e->subject_count++] = (exam_subject){s, i, r->point, r->screen,
                        r->load_max, r->rate_share, lab_scenario_has_event(s), is_free, r->uneven};
            }
        }
    }
}

/* --- one draw --------------------------------------------------------------------------------- */

/* The factor by which the scenario raises the refresh rate. */
static double rate_factor(const lab_scenario *scenario)
{
    double most = 1.0;
    for (int i = 0; i < LAB_CHANGES && scenario->changes[i].at > 0.0; ++i) {
        lab_ratio ratio = scenario->changes[i].change.factor;
        double factor = ratio.denominator > 0 ? (double)ratio.numerator / ratio.denominator : 1.0;
        most = factor > most ? factor : most;
    }
    return most;
}

/* The largest cost of a tick, in % of a refresh, that keeps the load at or below load_max. */
static double largest_tick_percent(const exam_subject *subject, double rate, double tick_rate)
{
    const lab_cost *render = &subject->scenario->render;
    bool variable = subject->screen == EXAM_VARIABLE;
    double factor = rate_factor(subject->scenario);
    double refresh_ns = 1e9 / (variable ? 90.0 : rate);
    double work = render->unit == LAB_UNIT_REFRESH ? render->base : render->base / refresh_ns;
    double ticks = ceil(tick_rate / (variable ? 48.0 : rate * factor)); /* in a frame */
    double percent = floor(100.0 * (subject->load_max / factor - work) / ticks);
    return percent < 30.0 ? percent : 30.0;
}

/* A number of a run, by its seed. */
static double share_of(const exam_draw *draw, uint64_t index)
{
    return lab_random_uniform(lab_random_key(draw->seed, LAB_STREAM_MACHINE), index);
}

/* Fills in what the seed draws. A tick costs more than the scenario says in half of the draws with a
 * tick per refresh. Else loops with one tick per frame would have another load, so such draws are
 * subjects of their own, compared with loops that have the same ticks. */
static void complete(const exam *e, exam_draw *draw, uint64_t number)
{
    const exam_subject *subject = &e->subjects[draw->subject];
    uint64_t index = (number * RATES + draw->rate) * LAB_QUEUE_MAX + draw->queue;
    uint64_t key = lab_random_key(e->seed, LAB_STREAM_MACHINE);
    draw->seed = (uint32_t)(lab_random_bits(key, index) >> 32);
    draw->tick_rate = tick_rates[(size_t)(share_of(draw, 0) * TICK_RATES)];
    double most = largest_tick_percent(subject, rates[draw->rate], draw->tick_rate);
    bool even = draw->tick_rate == rates[draw->rate]; /* every loop runs one tick per frame */
    bool heavy = subject->uneven ? !even : even && share_of(draw, 1) < 0.5;
    if (heavy && most >= 1.0) {
        draw->tick_percent = (uint8_t)(1.0 + share_of(draw, 2) * most);
    }
}

/* --- all draws -------------------------------------------------------------------------------- */

/* Point 4 is about 60 to 240 Hz. In whole ms a refresh of 8 ms or less would be no refresh. */
static bool has_rate(const exam_subject *subject, size_t rate)
{
    if (subject->screen == EXAM_WHOLE_MS) {
        return rates[rate] <= 120;
    }
    return subject->point != 4 || (rates[rate] >= 60 && rates[rate] <= 240);
}

static bool has_access(const exam_subject *subject, size_t access)
{
    bool is_host = access >= EXAM_HOST_EXACT;
    bool is_mailbox = access == EXAM_MAILBOX;
    return is_host == (subject->screen == EXAM_HOST)
           && !(is_mailbox && subject->screen == EXAM_VARIABLE);
}

/* A name that is no group chooses its cells. */
static bool has_cell(const exam *e, const exam_choice *choice, const exam_draw *draw)
{
    const char *scenario = e->subjects[draw->subject].scenario->name;
    bool narrowed = false;
    bool has = false;
    char name[EXAM_TEXT];
    exam_name(e, draw, name);
    for (size_t i = 0; i < choice->name_count; ++i) {
        const char *chosen = choice->names[i];
        bool access = is_access(chosen);
        bool cell = begins_with(chosen, scenario);
        narrowed = narrowed || access || cell;
        has = has || (access && strcmp(chosen, accesses[draw->access]) == 0)
              || (cell && begins_with(name, chosen));
    }
    return has || !narrowed;
}

/* Each rate and queue with each seed; without seeds every other queue. */
static void draw_cell(exam *e, exam_draw draw, size_t seeds)
{
    const exam_subject *subject = &e->subjects[draw.subject];
    for (size_t rate = 0; rate < RATES; ++rate) {
        for (size_t queue = 1; queue <= LAB_QUEUE_MAX; ++queue) {
            bool chosen = seeds > 0 || (rate + queue + subject->number) % 2 == 0;
            size_t count = seeds > 0 ? seeds : 1;
            count = chosen && has_rate(subject, rate) ? count : 0;
            for (size_t n = 0; n < count; ++n) {
                exam_draw *next = &e->draws[e->draw_count++];
                *next = draw;
                next->rate = (uint8_t)rate;
                next->queue = (uint8_t)queue;
                complete(e, next, n);
            }
        }
    }
}

/* Calls draw_cell, or only counts. */
static size_t for_each_cell(exam *e, const exam_choice *choice, exam_draw *cells)
{
    size_t count = 0;
    for (size_t subject = 0; subject < e->subject_count; ++subject) {
        for (size_t access = 0; access < EXAM_ACCESSES; ++access) {
            for (size_t knows = 0; knows < EXAM_KNOWLEDGE; ++knows) {
                exam_draw cell = {.subject = (uint8_t)subject,
                        .access = (uint8_t)access,
                        .knows = (uint8_t)knows};
                if (has_access(&e->subjects[subject], access) && has_cell(e, choice, &cell)) {
                    cells[count++] = cell;
                }
            }
        }
    }
    return count;
}

/* In --runs the draws of a row are one group. Rows mix what has one unit, peers and bar. */
static int group_key(const exam *e, const exam_draw *draw)
{
    const exam_subject *s = &e->subjects[draw->subject];
    return ((exam_row(e, draw) * 2 + s->is_event) * 4 + (int)s->screen) * 2
           + (s->rate_share < 0.99);
}

static const exam *sorted; /* qsort takes no context */

static int compare_draws(const void *a, const void *b)
{
    const exam_draw *x = a, *y = b;
    int order = group_key(sorted, x) - group_key(sorted, y);
    return order != 0 ? order : (x->seed > y->seed) - (x->seed < y->seed);
}

static void draw_some(exam *e, const exam_draw *cells, size_t count, size_t runs)
{
    uint64_t key = lab_random_key(e->seed, LAB_STREAM_PHASE);
    uint64_t next = 0;
    while (e->draw_count < runs) {
        exam_draw draw = cells[(size_t)(lab_random_uniform(key, next++) * (double)count)];
        draw.rate = (uint8_t)(lab_random_uniform(key, next++) * RATES);
        draw.queue = (uint8_t)(1 + (int)(lab_random_uniform(key, next++) * LAB_QUEUE_MAX));
        if (has_rate(&e->subjects[draw.subject], draw.rate)) {
            complete(e, &draw, e->draw_count);
            e->draws[e->draw_count++] = draw;
        }
    }
    sorted = e;
    qsort(e->draws, e->draw_count, sizeof *e->draws, compare_draws);
}

bool exam_plan(exam *e, const exam_choice *choice)
{
    static exam_draw cells[EXAM_SUBJECTS_MAX * EXAM_ACCESSES * EXAM_KNOWLEDGE];
    for (size_t i = 0; i < RULES; ++i) {
        add_subjects(e, choice, &rules[i]);
    }
    size_t cell_count = for_each_cell(e, choice, cells);
    size_t most = cell_count * RATES * LAB_QUEUE_MAX * (choice->seeds > 0 ? choice->seeds : 1);
    most = choice->runs > 0 ? choice->runs : most;
    e->is_random = choice->runs > 0;
    e->draws = calloc(most + 1, sizeof *e->draws);
    e->outcomes = calloc((most + 1) * EXAM_SLOTS, sizeof *e->outcomes);
    if (e->draws == NULL || e->outcomes == NULL || cell_count == 0) {
        return false;
    }
    if (e->is_random) {
        draw_some(e, cells, cell_count, choice->runs);
    }
    for (size_t i = 0; i < cell_count && !e->is_random; ++i) {
        draw_cell(e, cells[i], choice->seeds);
    }
    return true;
}

size_t exam_group_end(const exam *e, size_t first)
{
    const exam_draw *draw = &e->draws[first];
    size_t end = first + 1;
    for (; end < e->draw_count; ++end) {
        const exam_draw *next = &e->draws[end];
        bool same_cell = next->subject == draw->subject && next->access == draw->access
                         && next->knows == draw->knows;
        if (!(e->is_random ? group_key(e, next) == group_key(e, draw) : same_cell)) {
            break;
        }
    }
    return end;
}

int exam_row(const exam *e, const exam_draw *draw)
{
    int mailbox = draw->knows != 0 ? EXAM_MAILBOX_ROW : EXAM_BLIND_ROW;
    return draw->access == EXAM_MAILBOX ? mailbox : e->subjects[draw->subject].point;
}

const char *exam_kind(const exam_subject *subject)
{
    static const char *const kinds[][4] = {
            {"", ":1ms", ":vrr", ""}, {":ticks", "", ":vrr-ticks", ""}};
    return kinds[subject->uneven][subject->screen];
}

char *exam_name(const exam *e, const exam_draw *draw, char *text)
{
    const exam_subject *subject = &e->subjects[draw->subject];
    snprintf(text, EXAM_TEXT, "%s%s/%s/%s", subject->scenario->name, exam_kind(subject),
            accesses[draw->access], known[draw->knows]);
    return text;
}

/* --- setups ----------------------------------------------------------------------------------- */

const char *exam_loop(const exam *e, const exam_draw *draw, size_t slot)
{
    static const char *const of_window[EXAM_SLOTS] = {
            "auto", "gaffer", "glaiel", "godot", "averaged-dt", NULL};
    static const char *const of_host[EXAM_SLOTS] = {
            "auto", "gaffer", "variable-dt", "averaged-dt", NULL, NULL};
    const exam_subject *subject = &e->subjects[draw->subject];
    bool is_host = subject->screen == EXAM_HOST;
    if (e->loops != NULL) {
        bool fits = slot == 0 || (slot == 1 && !is_host);
        return fits ? e->loops[slot] : NULL;
    }
    if (is_host) { /* point 6: only against the stamps as they are */
        return subject->point == 6 && slot > 2 ? NULL : of_host[slot];
    }
    if (slot == EXAM_EXTRA) {
        bool compares = subject->point == 3 && (draw->knows & EXAM_RATE) == 0;
        return subject->point == 4 ? "low-latency" : compares ? "auto" : NULL;
    }
    bool runs_each_tick = slot < 3;
    return subject->uneven && !runs_each_tick ? NULL : of_window[slot];
}

static void set_display(lab_display *display, const exam_draw *draw, exam_screen screen)
{
    bool reports = (draw->knows & EXAM_FEEDBACK) != 0;
    display->queue = draw->queue;
    display->rate = es_hz(rates[draw->rate]);
    display->unannounced = (draw->knows & EXAM_RATE) == 0;
    display->feedback = reports ? LAB_FEEDBACK_EXACT : LAB_FEEDBACK_NONE;
    display->grain_ns = screen == EXAM_WHOLE_MS ? ES_NS_PER_MS : 0;
    if (screen == EXAM_VARIABLE) {
        display->refresh = LAB_REFRESH_VARIABLE;
        display->rate = (es_rate){0, 0};
        display->rate_min = es_hz(48);
        display->rate_max = es_hz(144);
    }
    if (screen == EXAM_HOST) {
        display->host = (lab_host)(LAB_HOST_EXACT + draw->access - EXAM_HOST_EXACT);
    } else if (draw->access == EXAM_MAILBOX) {
        display->swap = LAB_SWAP_MAILBOX;
    } else {
        display->blocking = (lab_blocking)draw->access;
    }
}

/* An event needs 7 s after its end. With 24 s vsync is on again after 16.7 s; other events begin
 * after 8 s of 20. */
static int seconds_of(const exam_subject *subject)
{
    int event = subject->is_free ? 24 : 20;
    return subject->is_event ? event : 16;
}

lab_setup exam_setup(const exam *e, const exam_draw *draw, size_t slot)
{
    const exam_subject *subject = &e->subjects[draw->subject];
    const char *loop = exam_loop(e, draw, slot);
    lab_setup setup = lab_setup_default();
    setup.loop = loop != NULL ? lab_loop_find(loop) : NULL;
    setup.duration_ns = seconds_of(subject) * ES_NS_PER_S;
    setup.seed = draw->seed;
    setup.tick_rate = es_hz(draw->tick_rate);
    setup.scenario = *subject->scenario;
    if (draw->tick_percent > 0) {
        lab_scenario_set_tick_cost(&setup.scenario, draw->tick_percent);
    }
    set_display(&setup.display, draw, subject->screen);
    if (slot == EXAM_EXTRA && subject->point == 3) {
        setup.display.unannounced = false;
    }
    return setup;
}

void exam_print_command(const exam *e, const exam_draw *draw, const char *peer)
{
    const exam_subject *subject = &e->subjects[draw->subject];
    bool is_host = subject->screen == EXAM_HOST;
    const char *access = accesses[draw->access];
    char refresh[24] = "48-144";
    char tick_cost[32] = "";
    if (subject->screen != EXAM_VARIABLE) {
        snprintf(refresh, sizeof refresh, "%lu", (unsigned long)rates[draw->rate]);
    }
    if (draw->tick_percent > 0) {
        snprintf(tick_cost, sizeof tick_cost, " --tick-cost %d", (int)draw->tick_percent);
    }
    printf("  evenstep lab --loop auto,gaffer%s%s%s --scenario %s --refresh %s%s --queue %d",
            peer != NULL ? "," : "", peer != NULL ? peer : "",
            subject->point == 4 ? ",low-latency" : "", subject->scenario->name, refresh,
            subject->screen == EXAM_WHOLE_MS ? " --flips-1ms" : "", (int)draw->queue);
    printf(" %s %s --announced %s --feedback %s --tick-rate %d%s --seed %lu --seconds %d%s\n",
            is_host ? "--host" : "--blocking", is_host ? access + strlen("host ") : access,
            (draw->knows & EXAM_RATE) != 0 ? "yes" : "no",
            (draw->knows & EXAM_FEEDBACK) != 0 ? "exact" : "none", (int)draw->tick_rate, tick_cost,
            (unsigned long)draw->seed, seconds_of(subject),
            subject->is_event
                    ? " --measure event-total,event-settle,event-off-speed,fps,input-age,lost"
                    : "");
}
