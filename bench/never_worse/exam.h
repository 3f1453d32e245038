/* SPDX-License-Identifier: Zlib
 *
 * exam: the bars of display timing, as runs of the lab.
 *
 * A cell is a scenario, an access to the screen and a knowledge. A draw is one machine of a cell:
 * rate, queue, tick rate, cost of a tick, seed. Each draw runs our loop and its peers: its slots.
 */
#ifndef BENCH_EXAM_H
#define BENCH_EXAM_H

#include "lab/sweep.h"

#include <stddef.h>

enum { EXAM_SLOTS = 6, EXAM_ACCUMULATOR = 1, EXAM_EXTRA = 5, EXAM_POINTS = 7, EXAM_RATES = 7 };

/* How frames reach the screen: a blocking model, or a host with its time stamps. */
typedef enum exam_access {
    EXAM_AFTER = 0,
    EXAM_BEFORE,
    EXAM_ACQUIRE,
    EXAM_MAILBOX,
    EXAM_HOST_EXACT,
    EXAM_HOST_100US,
    EXAM_HOST_1MS,
    EXAM_HOST_LATE,
    EXAM_ACCESSES
} exam_access;

/* What a loop knows; bits. */
enum { EXAM_RATE = 1, EXAM_FEEDBACK = 2, EXAM_KNOWLEDGE = 4 };

typedef enum exam_screen { EXAM_FIXED = 0, EXAM_VARIABLE, EXAM_HOST } exam_screen;

/* Conditions of a point; bits. */
enum {
    EXAM_WORSE = 1,
    EXAM_RUNS = 2,
    EXAM_SLOWER = 4,
    EXAM_OLDER = 8,
    EXAM_KNOWN = 16,
    EXAM_REPEATS = 32,
    EXAM_SETTLE = 64,
    EXAM_SPEED = 128
};

typedef struct exam_subject {
    const lab_scenario *scenario;
    int point; /* 0: none, reported without a bar */
    exam_screen screen;
    double load_max; /* of render and ticks, in refreshes */
    bool is_event;
    bool is_free; /* vsync goes off for a time */
} exam_subject;

typedef struct exam_cell {
    uint16_t subject;
    uint8_t access;
    uint8_t knows;
    size_t first; /* draw */
    size_t count;
} exam_cell;

typedef struct exam_draw {
    uint32_t cell;
    uint8_t rate; /* index */
    uint8_t queue;
    uint8_t tick_rate;    /* per second */
    uint8_t tick_percent; /* of a refresh; 0: the scenario's own cost */
    uint32_t seed;
} exam_draw;

/* What is kept of a run. Shares in %. */
typedef struct exam_outcome {
    bool ran;
    float error; /* after an event in ms, else the mean |animation error| in % of a refresh */
    float known; /* the same error from an instant on at which the refresh can be known; below 0:
                    there is none */
    float lost_ms;
    float fps;
    float free_fps; /* while vsync is off */
    float age_ms;
    float missed; /* share of refreshes */
    float held;   /* share of refreshes */
    float refresh_ms;
    float settle_ms;
    float settle_limit_ms;
    float off_speed_ms;
} exam_outcome;

enum { EXAM_SUBJECTS_MAX = 160, EXAM_CELLS_MAX = EXAM_SUBJECTS_MAX * 16 };

typedef struct exam {
    exam_subject subjects[EXAM_SUBJECTS_MAX];
    size_t subject_count;
    exam_cell cells[EXAM_CELLS_MAX];
    size_t cell_count;
    exam_draw *draws;
    size_t draw_count;
    exam_outcome *outcomes; /* EXAM_SLOTS per draw */
    uint64_t seed;
} exam;

/* --- plan.c: what runs ------------------------------------------------------------------------ */

/* What to run. names: scenarios and groups of scenarios; none: all points. */
typedef struct exam_choice {
    const char *const *names;
    size_t name_count;
    int point;    /* -1: all */
    size_t seeds; /* 0: half of the rates and queues, one seed */
    size_t runs;  /* not 0: so many draws at random, over all cells */
} exam_choice;

/* Fills in subjects, cells and draws. Returns false if a name is unknown or memory is full. */
bool exam_plan(exam *e, const exam_choice *choice);

unsigned exam_conditions(int point);
const char *exam_access_name(size_t access);
const char *exam_knowledge_name(size_t knows);

/* The loop of a slot; NULL: it is empty. */
const char *exam_loop(const exam *e, const exam_draw *draw, size_t slot);
lab_setup exam_setup(const exam *e, const exam_draw *draw, size_t slot);

/* Whether the bars count for a cell. */
bool exam_has_bar(const exam_cell *cell);

/* --- run.c ------------------------------------------------------------------------------------ */

/* Runs all draws. Returns false if memory is full or a run fails. */
bool exam_run(exam *e);

/* --- judge.c ---------------------------------------------------------------------------------- */

/* Counts over cells, and over runs. */
typedef struct exam_verdict {
    size_t cells, worse, slower, older, unknown, repeats;
    size_t runs, runs_worse;
    size_t held; /* runs that count neither for frame rate nor for age */
    size_t events, late, never, off_speed;
    double most; /* the largest excess of a mean over that of the best peer, worse or not */
    char worst[128];
} exam_verdict;

/* Judges draws of one cell, or of one point. best: the peer with the least mean; 0: none counts. */
void exam_judge(const exam *e, size_t first, size_t count, exam_verdict *verdict, size_t *best);

/* Whether a verdict meets a point's conditions. */
bool exam_is_met(const exam_verdict *verdict, int point);

/* --- report.c --------------------------------------------------------------------------------- */

/* Prints a line per scenario and a summary per point. Returns how many points are not met. */
size_t exam_report(const exam *e);

/* The same where the draws are random: a line per point. */
size_t exam_report_points(const exam *e);

/* Prints the worst runs of the cells with that name, each with its command. by: worse, settle,
 * speed, fps or age. Returns false if there is no such cell or order. */
bool exam_list(const exam *e, const char *name, const char *by);

#endif
