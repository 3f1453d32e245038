/* SPDX-License-Identifier: Zlib */
#include "exam.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- tables ----------------------------------------------------------------------------------- */

static const char *const columns[EXAM_CONDITIONS] = {"worse", "runs %", "slower", "older", "known",
        "repeat", "low", "late %", "never %", "speed %", "held %"};

static void print_head(const exam *e, const char *first)
{
    printf("%-17s %6s", first, e->is_random ? "groups" : "cells");
    for (int i = 0; i < EXAM_CONDITIONS; ++i) {
        printf(" %7s", columns[i]);
    }
    printf("  the worst %s\n", e->is_random ? "group" : "cell");
}

static void print_verdict(const char *name, const exam_verdict *v)
{
    printf("%-17s %6zu", name, v->groups);
    for (int i = 0; i < EXAM_CONDITIONS; ++i) {
        if (v->of[i] == 0) {
            printf(" %7s", "-");
        } else if (strchr(columns[i], '%') != NULL) {
            printf(" %7.2f", 100.0 * (double)v->failed[i] / (double)v->of[i]);
        } else {
            printf(" %7zu", v->failed[i]);
        }
    }
    printf("  %s\n", v->worst);
}

static size_t print_rows(const exam *e, const exam_verdict rows[EXAM_ROWS])
{
    static const char *const names[EXAM_ROWS] = {"0 without a bar", "1 transitions", "", "3 loads",
            "4 lateness", "5 variable", "6 hosts", "mailbox", "mailbox, no bar"};
    size_t not_met = 0;
    print_head(e, "point");
    for (int row = 0; row < EXAM_ROWS; ++row) {
        if (rows[row].groups > 0) {
            print_verdict(names[row], &rows[row]);
        }
    }
    printf("\n");
    for (int row = 1; row < EXAM_BLIND_ROW; ++row) {
        if (rows[row].groups > 0) {
            not_met += !exam_is_met(&rows[row]);
            printf("%-14s %s\n", names[row], exam_is_met(&rows[row]) ? "met" : "NOT MET");
        }
    }
    return not_met;
}

static void print_subject(const exam *e, const exam_draw *draw, const exam_verdict *v)
{
    char name[EXAM_TEXT];
    static const char *const kinds[EXAM_ROWS] = {
            [EXAM_MAILBOX_ROW] = "/mailbox", [EXAM_BLIND_ROW] = "/no bar"};
    const exam_subject *subject = &e->subjects[draw->subject];
    const char *kind = kinds[exam_row(e, draw)];
    snprintf(name, sizeof name, "%s%s%s", subject->scenario->name, exam_kind(subject),
            kind != NULL ? kind : "");
    print_verdict(name, v);
}

size_t exam_report(const exam *e, bool with_mailbox)
{
    static exam_verdict rows[EXAM_ROWS];
    exam_verdict subject = {0};
    printf("seed %016llx, %zu draws. %%: share of the runs; else: number of cells\n\n",
            (unsigned long long)e->seed, e->draw_count);
    if (!e->is_random) {
        print_head(e, "scenario");
    }
    for (size_t i = 0, end; i < e->draw_count; i = end) {
        const exam_draw *draw = &e->draws[i];
        int row = exam_row(e, draw);
        end = exam_group_end(e, i);
        exam_judge(e, i, end, &subject);
        bool goes_on = end < e->draw_count && e->draws[end].subject == draw->subject
                       && exam_row(e, &e->draws[end]) == row;
        if (!goes_on) {
            if (!e->is_random && (row < EXAM_MAILBOX_ROW || with_mailbox)) {
                print_subject(e, draw, &subject);
            }
            exam_merge(&rows[row], &subject);
            subject = (exam_verdict){0};
        }
    }
    if (!e->is_random) {
        printf("\n");
    }
    return print_rows(e, rows);
}

/* --- the worst runs --------------------------------------------------------------------------- */

typedef struct run {
    size_t draw;
    size_t peer; /* slot */
    double score;
} run;

static const char *const orders[] = {"worse", "settle", "speed", "fps", "age", "known", "low"};

enum { ORDERS = sizeof orders / sizeof orders[0] };

static double score_of(const exam_outcome *slots, size_t peer, int order)
{
    const exam_outcome *ours = &slots[0];
    const exam_outcome *accumulator = &slots[EXAM_ACCUMULATOR];
    bool held = ours->held > 0.05f;
    float bar = slots[EXAM_EXTRA].ran ? slots[EXAM_EXTRA].known : 0.0f;
    bool is_host = ours->early >= 0.0f;
    float error = is_host ? ours->early : ours->error;
    float peers_error = is_host ? slots[peer].early : slots[peer].error;
    const double scores[ORDERS] = {(double)(error - 2.0f * peers_error),
            (double)(ours->settle_ms - ours->settle_limit_ms), (double)ours->off_speed_ms,
            held ? -1e9 : (double)(accumulator->fps - ours->fps),
            held ? -1e9 : (double)(ours->age_ms - accumulator->age_ms), (double)(ours->known - bar),
            (double)(slots[EXAM_EXTRA].missed - accumulator->missed)};
    return scores[order];
}

static int compare_runs(const void *a, const void *b)
{
    const run *x = a, *y = b;
    return (x->score < y->score) - (x->score > y->score);
}

static void print_outcome(const exam_subject *subject, const char *loop, const exam_outcome *o)
{
    printf("  %-12s %s %8.3f  fps %7.2f  missed %5.2f %%  age %7.2f  lost %6.0f  held %4.1f %%",
            loop, subject->is_event ? "event ms" : "error %", (double)o->error, (double)o->fps,
            100.0 * (double)o->missed, (double)o->age_ms, (double)o->lost_ms,
            100.0 * (double)o->held);
    if (subject->is_event) {
        printf("  settle %4.0f  off %4.0f", (double)o->settle_ms, (double)o->off_speed_ms);
    }
    if (o->early >= 0.0f) {
        printf("  early %.3f %%", (double)o->early);
    }
    if (o->known >= 0.0f) {
        printf("  known %.3f %%", (double)o->known);
    }
    printf("\n");
}

static void print_run(const exam *e, const run *r)
{
    const exam_draw *draw = &e->draws[r->draw];
    const exam_subject *subject = &e->subjects[draw->subject];
    char name[EXAM_TEXT];
    printf("%s\n", exam_name(e, draw, name));
    for (size_t slot = 0; slot < EXAM_SLOTS; ++slot) {
        const exam_outcome *outcome = &e->outcomes[r->draw * EXAM_SLOTS + slot];
        bool shown = slot <= EXAM_ACCUMULATOR || slot == r->peer || slot == EXAM_EXTRA;
        if (shown && outcome->ran) {
            bool announced = slot == EXAM_EXTRA && subject->point == 3;
            print_outcome(subject, announced ? "announced" : exam_loop(e, draw, slot), outcome);
        }
    }
    exam_print_command(e, draw, r->peer > EXAM_ACCUMULATOR ? exam_loop(e, draw, r->peer) : NULL);
}

bool exam_list(const exam *e, const char *by, size_t top)
{
    int order = 0;
    while (order < ORDERS && strcmp(orders[order], by) != 0) {
        order += 1;
    }
    run *runs = calloc(e->draw_count + 1, sizeof *runs);
    if (order == ORDERS || runs == NULL) {
        free(runs);
        return false;
    }
    for (size_t i = 0, end; i < e->draw_count; i = end) {
        exam_verdict ignored = {0};
        end = exam_group_end(e, i);
        size_t best = exam_judge(e, i, end, &ignored);
        for (size_t k = i; k < end; ++k) {
            size_t peer = best > 0 ? best : EXAM_ACCUMULATOR;
            double score = score_of(&e->outcomes[k * EXAM_SLOTS], peer, order);
            bool barred = exam_row(e, &e->draws[k]) != EXAM_BLIND_ROW;
            runs[k] = (run){k, peer, barred ? score : -1e9};
        }
    }
    qsort(runs, e->draw_count, sizeof *runs, compare_runs);
    for (size_t i = 0; i < e->draw_count && i < top; ++i) {
        print_run(e, &runs[i]);
    }
    free(runs);
    return true;
}
