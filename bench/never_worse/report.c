/* SPDX-License-Identifier: Zlib */
#include "exam.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- tables ----------------------------------------------------------------------------------- */

static void print_count(bool counts, size_t value)
{
    char text[24] = "-";
    if (counts) {
        snprintf(text, sizeof text, "%zu", value);
    }
    printf(" %7s", text);
}

static void print_share(bool counts, size_t part, size_t of)
{
    char text[24] = "-";
    if (counts && of > 0) {
        snprintf(text, sizeof text, "%.2f", 100.0 * (double)part / (double)of);
    }
    printf(" %7s", text);
}

static void print_head(const char *what)
{
    printf("%-14s %5s %7s %7s %7s %7s %7s %7s %7s %7s %7s %7s  %s\n", what, "cells", "worse",
            "runs %", "slower", "older", "known", "repeat", "settle%", "never%", "speed%", "held%",
            "the worst cell");
}

static void print_verdict(const char *name, const exam_verdict *v, unsigned shown)
{
    bool rates = (shown & EXAM_SLOWER) != 0;
    printf("%-14s %5zu", name, v->cells);
    print_count((shown & EXAM_WORSE) != 0, v->worse);
    print_share((shown & EXAM_RUNS) != 0, v->runs_worse, v->runs);
    print_count(rates, v->slower);
    print_count((shown & EXAM_OLDER) != 0, v->older);
    print_count((shown & EXAM_KNOWN) != 0, v->unknown);
    print_count((shown & EXAM_REPEATS) != 0, v->repeats);
    print_share((shown & EXAM_SETTLE) != 0, v->late, v->events);
    print_share((shown & EXAM_SETTLE) != 0, v->never, v->events);
    print_share((shown & EXAM_SPEED) != 0, v->off_speed, v->events);
    print_share(rates, v->held, v->runs);
    printf("  %s\n", v->worst);
}

static void merge(exam_verdict *sum, const exam_verdict *v, const char *name)
{
    sum->cells += v->cells;
    sum->worse += v->worse;
    sum->slower += v->slower;
    sum->older += v->older;
    sum->unknown += v->unknown;
    sum->repeats += v->repeats;
    sum->runs += v->runs;
    sum->runs_worse += v->runs_worse;
    sum->held += v->held;
    sum->events += v->events;
    sum->late += v->late;
    sum->never += v->never;
    sum->off_speed += v->off_speed;
    if (v->worst[0] != '\0' && (sum->worst[0] == '\0' || v->most > sum->most)) {
        sum->most = v->most;
        snprintf(sum->worst, sizeof sum->worst, "%s/%.100s", name, v->worst);
    }
}

/* A point of its own for the cells without a bar. */
enum { MAILBOX = EXAM_POINTS, ROWS };

static void print_subject(const exam *e, size_t subject, exam_verdict rows[ROWS])
{
    const exam_subject *s = &e->subjects[subject];
    exam_verdict verdict = {0};
    size_t best;
    for (size_t c = 0; c < e->cell_count; ++c) {
        const exam_cell *cell = &e->cells[c];
        if (cell->subject == subject && exam_has_bar(cell)) {
            exam_judge(e, cell->first, cell->count, &verdict, &best);
        } else if (cell->subject == subject) {
            exam_verdict apart = {0};
            exam_judge(e, cell->first, cell->count, &apart, &best);
            merge(&rows[MAILBOX], &apart, s->scenario->name);
        }
    }
    unsigned shown = s->point > 0 ? exam_conditions(s->point)
                                  : EXAM_WORSE | EXAM_RUNS | EXAM_SLOWER | EXAM_OLDER;
    shown |= s->point == 0 && s->is_event ? EXAM_SETTLE | EXAM_SPEED : 0u;
    print_verdict(s->scenario->name, &verdict, shown);
    merge(&rows[s->point], &verdict, s->scenario->name);
}

/* Returns how many points are not met. */
static size_t print_points(const exam_verdict rows[ROWS])
{
    static const char *const names[ROWS] = {"no point", "1 transitions", "", "3 loads",
            "4 lateness", "5 variable", "6 hosts", "mailbox blind"};
    size_t not_met = 0;
    print_head("point");
    for (int point = 0; point < ROWS; ++point) {
        if (rows[point].cells == 0) {
            continue;
        }
        bool barred = point > 0 && point < MAILBOX;
        unsigned shown =
                barred ? exam_conditions(point) : EXAM_WORSE | EXAM_RUNS | EXAM_SLOWER | EXAM_OLDER;
        print_verdict(names[point], &rows[point], shown);
    }
    printf("\n");
    for (int point = 1; point < MAILBOX; ++point) {
        if (rows[point].cells > 0) {
            bool met = exam_is_met(&rows[point], point);
            not_met += !met;
            printf("point %d: %s\n", point, met ? "met" : "NOT MET");
        }
    }
    return not_met;
}

size_t exam_report(const exam *e)
{
    static exam_verdict rows[ROWS];
    printf("worse, slower, older, known, repeat: cells; the rest: shares of runs in %%\n\n");
    print_head("scenario");
    for (size_t s = 0; s < e->subject_count; ++s) {
        print_subject(e, s, rows);
    }
    printf("\n");
    return print_points(rows);
}

/* --- the worst runs --------------------------------------------------------------------------- */

typedef struct run {
    size_t draw;
    size_t best;
    double score;
} run;

static const char *const orders[] = {"worse", "settle", "speed", "fps", "age", "known"};

enum { ORDERS = sizeof orders / sizeof orders[0], SHOWN = 10 };

static double score_of(const exam_outcome *outcomes, size_t best, int order)
{
    const exam_outcome *ours = &outcomes[0];
    const exam_outcome *peer = &outcomes[best];
    const exam_outcome *accumulator = &outcomes[EXAM_ACCUMULATOR];
    bool held = ours->held > 0.05f;
    double scores[ORDERS] = {(double)ours->error - 2.0 * (double)peer->error,
            (double)ours->settle_ms, (double)ours->off_speed_ms,
            held ? -1e9 : (double)(accumulator->fps - ours->fps),
            held ? -1e9 : (double)(ours->age_ms - accumulator->age_ms),
            (double)(ours->known - outcomes[EXAM_EXTRA].known)};
    return scores[order];
}

static int compare_runs(const void *a, const void *b)
{
    const run *x = a, *y = b;
    return (x->score < y->score) - (x->score > y->score);
}

static void print_command(const exam *e, const exam_draw *draw, size_t best)
{
    const exam_cell *cell = &e->cells[draw->cell];
    const exam_subject *subject = &e->subjects[cell->subject];
    lab_setup setup = exam_setup(e, draw, 0);
    const char *access = exam_access_name(cell->access);
    char refresh[24] = "48-144";
    if (subject->screen != EXAM_VARIABLE) {
        snprintf(refresh, sizeof refresh, "%u", (unsigned)setup.display.rate.numerator);
    }
    printf("  evenstep lab --loop auto,gaffer%s%s --scenario %s --refresh %s --queue %d",
            best > EXAM_ACCUMULATOR ? "," : "",
            best > EXAM_ACCUMULATOR ? exam_loop(e, draw, best) : "", subject->scenario->name,
            refresh, (int)draw->queue);
    printf(" %s %s --announced %s --feedback %s --tick-rate %d",
            subject->screen == EXAM_HOST ? "--host" : "--blocking",
            subject->screen == EXAM_HOST ? access + strlen("host ") : access,
            setup.display.unannounced ? "no" : "yes",
            setup.display.feedback == LAB_FEEDBACK_EXACT ? "exact" : "none", (int)draw->tick_rate);
    if (draw->tick_percent > 0) {
        printf(" --tick-cost %d", (int)draw->tick_percent);
    }
    printf(" --seed %lu --seconds %d%s\n", (unsigned long)draw->seed,
            (int)(setup.duration_ns / ES_NS_PER_S),
            subject->is_event
                    ? " --ms --measure event-total,event-settle,event-off-speed,fps,input-age,lost"
                    : "");
}

static void print_run(const exam *e, const run *r)
{
    const exam_draw *draw = &e->draws[r->draw];
    const exam_cell *cell = &e->cells[draw->cell];
    const exam_outcome *outcomes = &e->outcomes[r->draw * EXAM_SLOTS];
    const exam_subject *subject = &e->subjects[cell->subject];
    const char *names[] = {"auto", "gaffer", r->best > 1 ? exam_loop(e, draw, r->best) : ""};
    size_t slots[] = {0, EXAM_ACCUMULATOR, r->best};
    printf("%s/%s/%s\n", subject->scenario->name, exam_access_name(cell->access),
            exam_knowledge_name(cell->knows));
    for (size_t i = 0; i < (r->best > 1 ? 3u : 2u); ++i) {
        const exam_outcome *o = &outcomes[slots[i]];
        printf("  %-12s %s %9.3f  fps %7.2f  missed %6.2f %%  age %7.2f  lost %6.0f  held %4.1f %%",
                names[i], subject->is_event ? "event ms" : "error %", (double)o->error,
                (double)o->fps, 100.0 * (double)o->missed, (double)o->age_ms, (double)o->lost_ms,
                100.0 * (double)o->held);
        if (subject->is_event) {
            printf("  settle %4.0f  off %4.0f", (double)o->settle_ms, (double)o->off_speed_ms);
        }
        if (o->known >= 0.0f) {
            printf("  known %.3f %%", (double)o->known);
        }
        printf("\n");
    }
    print_command(e, draw, r->best);
}

static bool is_named(const exam *e, const exam_cell *cell, const char *name)
{
    char full[96];
    int length = snprintf(full, sizeof full, "%s/%s/%s", e->subjects[cell->subject].scenario->name,
            exam_access_name(cell->access), exam_knowledge_name(cell->knows));
    size_t size = strlen(name);
    return size <= (size_t)length && strncmp(full, name, size) == 0
           && (full[size] == '\0' || full[size] == '/');
}

bool exam_list(const exam *e, const char *name, const char *by)
{
    int order = 0;
    while (order < ORDERS && strcmp(orders[order], by) != 0) {
        order += 1;
    }
    run *runs = calloc(e->draw_count + 1, sizeof *runs);
    size_t count = 0;
    for (size_t c = 0; c < e->cell_count && runs != NULL && order < ORDERS; ++c) {
        const exam_cell *cell = &e->cells[c];
        exam_verdict verdict = {0};
        size_t best;
        if (is_named(e, cell, name)) {
            exam_judge(e, cell->first, cell->count, &verdict, &best);
            for (size_t i = cell->first; i < cell->first + cell->count; ++i) {
                size_t peer = best > 0 ? best : EXAM_ACCUMULATOR;
                runs[count++] = (run){i, peer, score_of(&e->outcomes[i * EXAM_SLOTS], peer, order)};
            }
        }
    }
    if (runs != NULL) {
        qsort(runs, count, sizeof *runs, compare_runs);
    }
    for (size_t i = 0; i < count && i < SHOWN; ++i) {
        print_run(e, &runs[i]);
    }
    free(runs);
    return count > 0;
}
