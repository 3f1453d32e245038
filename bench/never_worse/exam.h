/* SPDX-License-Identifier: Zlib
 *
 * exam: the bars of display timing, as runs of the lab. docs/lab.md explains them.
 *
 * A draw is one machine: a scenario, an access to the screen, a knowledge, a rate, a queue, a tick
 * rate, the cost of a tick and a seed. Our loop and its peers run on it: these are its slots. A
 * group is what is averaged: the draws of one cell (scenario, access and knowledge), or, where
 * draws are random, of one row of the summary.
 */
#ifndef BENCH_EXAM_H
#define BENCH_EXAM_H

#include "lab/sweep.h"

#include <stddef.h>

enum { EXAM_SLOTS = 6, EXAM_ACCUMULATOR = 1, EXAM_EXTRA = 5, EXAM_SUBJECTS_MAX = 100 };

/* Rows of the summary: points, 0: scenarios without a bar, then mailbox with and without knowledge. */
enum { EXAM_POINTS = 7, EXAM_MAILBOX_ROW = EXAM_POINTS, EXAM_BLIND_ROW, EXAM_ROWS };

typedef enum exam_screen {
    EXAM_FIXED = 0,
    EXAM_WHOLE_MS, /* fixed, and flips come in whole ms */
    EXAM_VARIABLE,
    EXAM_HOST
} exam_screen;

/* How frames reach the screen: a blocking model, or a host with its time stamps. */
typedef enum exam_access {
    EXAM_AFTER = 0,
    EXAM_BEFORE,
    EXAM_ACQUIRE,
    EXAM_MAILBOX,
    EXAM_HOST_EXACT, /* the next ones in the order of lab_host */
    EXAM_ACCESSES = EXAM_HOST_EXACT + 4
} exam_access;

/* What a loop knows; bits. */
enum { EXAM_RATE = 1, EXAM_FEEDBACK = 2, EXAM_KNOWLEDGE = 4 };

typedef struct exam_subject {
    const lab_scenario *scenario;
    size_t number; /* in its group */
    int point;     /* 0: none */
    exam_screen screen;
    double load_max;   /* of render and ticks, in refreshes */
    double rate_share; /* of the accumulator's frame rate */
    bool is_event;
    bool is_free; /* vsync is off for a time */
    bool uneven;  /* heavy ticks in some frames only */
} exam_subject;

typedef struct exam_draw {
    uint8_t subject; /* indices */
    uint8_t access;
    uint8_t knows;
    uint8_t rate;
    uint8_t queue;
    uint8_t tick_rate;    /* per second */
    uint8_t tick_percent; /* of a refresh; 0: the scenario's own cost */
    uint32_t seed;
} exam_draw;

/* What is kept of a run. */
typedef struct exam_outcome {
    bool ran;
    float error;    /* after an event in ms, else the mean |animation error| in % of a refresh */
    float known;    /* the same error since the refresh can be known; below 0: it never can */
    float early;    /* of a host: before it */
    float median;   /* of |animation error|, in ms */
    float lost_ms;  /* its size */
    float fps;      /* with vsync */
    float free_fps; /* without */
    float age_ms;
    float missed; /* share of refreshes */
    float held;   /* share of refreshes */
    float refresh_ms;
    float settle_ms;
    float settle_limit_ms;
    float off_speed_ms;
} exam_outcome;

typedef struct exam {
    exam_subject subjects[EXAM_SUBJECTS_MAX];
    size_t subject_count;
    exam_draw *draws; /* in the order of groups */
    size_t draw_count;
    bool is_random;
    exam_outcome *outcomes; /* EXAM_SLOTS per draw */
    uint64_t seed;
    const char *const *loops; /* instead of ours and the peers: NULL-terminated; or NULL */
} exam;

/* --- plan.c: what runs ------------------------------------------------------------------------ */

typedef struct exam_choice {
    const char *const *names; /* groups, scenarios, accesses, or SCENARIO/ACCESS/KNOWLEDGE or the
                                 beginning of that; none: all points */
    size_t name_count;
    int point;    /* -1: all */
    size_t seeds; /* with each rate and queue; 0: half of these, with one seed */
    size_t runs;  /* not 0: so many draws at random, of points 1 to 6 */
} exam_choice;

/* Fills in subjects and draws. Returns false if nothing is chosen or memory is full. */
bool exam_plan(exam *e, const exam_choice *choice);

/* The end of the group that begins with a draw. */
size_t exam_group_end(const exam *e, size_t first);

int exam_row(const exam *e, const exam_draw *draw);

/* Follows the name of the scenario: ':1ms' where flips come in whole ms, ':vrr', or ''. */
const char *exam_kind(const exam_subject *subject);

/* SCENARIO/ACCESS/KNOWLEDGE. text: EXAM_TEXT characters. Returns text. */
enum { EXAM_TEXT = 128 };
char *exam_name(const exam *e, const exam_draw *draw, char *text);

/* The loop of a slot; NULL: it is empty. */
const char *exam_loop(const exam *e, const exam_draw *draw, size_t slot);
lab_setup exam_setup(const exam *e, const exam_draw *draw, size_t slot);

/* Prints the command that repeats a draw. */
void exam_print_command(const exam *e, const exam_draw *draw, const char *peer);

/* --- run.c ------------------------------------------------------------------------------------ */

/* Runs all draws. Returns false if memory is full or a run fails. */
bool exam_run(exam *e);

/* --- judge.c ---------------------------------------------------------------------------------- */

typedef enum exam_condition {
    EXAM_WORSE = 0, /* groups */
    EXAM_RUNS,
    EXAM_SLOWER, /* groups */
    EXAM_OLDER,  /* groups */
    EXAM_KNOWN,  /* groups */
    EXAM_REPEAT, /* groups */
    EXAM_LOW,    /* groups: low latency is slower, or repeats more */
    EXAM_LATE,   /* settles late, or */
    EXAM_NEVER,  /* within 3 s */
    EXAM_SPEED,
    EXAM_HELD, /* no condition: runs that count neither for frame rate nor for age */
    EXAM_CONDITIONS
} exam_condition;

typedef struct exam_verdict {
    size_t groups;
    size_t failed[EXAM_CONDITIONS];
    size_t of[EXAM_CONDITIONS]; /* 0: no condition here */
    bool is_known;              /* the next two are */
    double most; /* the largest excess of a mean over the best peer's, worse or not */
    char worst[EXAM_TEXT];
} exam_verdict;

/* Judges a group and adds it to a verdict. Returns the slot of the best peer; 0: none counts. */
size_t exam_judge(const exam *e, size_t first, size_t end, exam_verdict *verdict);

void exam_merge(exam_verdict *sum, const exam_verdict *verdict);
bool exam_is_met(const exam_verdict *verdict);

/* --- report.c --------------------------------------------------------------------------------- */

/* Prints a line per scenario (not where draws are random) and per row. with_mailbox: also of each
 * scenario with mailbox. Returns how many rows are not met. */
size_t exam_report(const exam *e, bool with_mailbox);

/* Prints the worst runs, at most top, each with its command. by: worse, settle, speed, fps, age,
 * known, low. Returns false if there is no such order. */
bool exam_list(const exam *e, const char *by, size_t top);

#endif
