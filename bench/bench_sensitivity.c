/* SPDX-License-Identifier: Zlib
 *
 * What each constant of display timing is worth: halves and doubles it, and repeats the same random
 * runs of the exam (never_worse/) with the loops auto and low-latency. Also: make sensitivity.
 *
 *   bench_sensitivity [RUNS]      default: 3000 for each value
 *
 * Prints two lines per constant. Columns 1 to 6: by how many % the mean error of auto on a point
 * changes. low: the same of low-latency, after events and without. late: the change of the share of
 * events after which auto settles late, in percentage points. fps: the change of the frame rate of
 * auto in %. A constant that changes no run is bound: what it decides does not depend on it.
 */
#define _DEFAULT_SOURCE /* MAP_ANONYMOUS */
#include "never_worse/exam.h"

#include "display/constants.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#define ES__INITIAL(name, value, unit, reason) .name = (value),
struct es__tuning es__tuned = {ES__CONSTANTS(ES__INITIAL)};

typedef struct constant {
    const char *name;
    const char *unit;
    size_t offset;
} constant;

#define ES__ROW(name, value, unit, reason) {#name, unit, offsetof(struct es__tuning, name)},
static const constant constants[] = {ES__CONSTANTS(ES__ROW)};

enum { CONSTANTS = sizeof constants / sizeof constants[0] };

/* What the lines compare. */
enum { LOW_EVENTS = EXAM_BLIND_ROW, LOW_OTHERS, LATE, FPS, FIGURES };

static const char *const figures[FIGURES] = {[1] = "1",
        [3] = "3",
        [4] = "4",
        [5] = "5",
        [6] = "6",
        [EXAM_MAILBOX_ROW] = "mailbox",
        [LOW_EVENTS] = "low 1",
        [LOW_OTHERS] = "low 3-5",
        [LATE] = "late",
        [FPS] = "fps"};

/* --- running ---------------------------------------------------------------------------------- */

/* Runs all draws in a process of its own: a value that the library was not made for may end it.
 * e->outcomes is shared memory. */
static bool run(exam *e)
{
    int status = 0;
    memset(e->outcomes, 0, e->draw_count * EXAM_SLOTS * sizeof *e->outcomes);
    fflush(stdout);
    pid_t child = fork();
    if (child == 0) {
        _exit(exam_run(e) ? 0 : 1);
    }
    return child > 0 && waitpid(child, &status, 0) == child && status == 0;
}

static bool share_outcomes(exam *e)
{
    free(e->outcomes);
    e->outcomes = mmap(NULL, (e->draw_count + 1) * EXAM_SLOTS * sizeof *e->outcomes,
            PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    return e->outcomes != MAP_FAILED;
}

static void sum_up(const exam *e, double sums[FIGURES])
{
    memset(sums, 0, FIGURES * sizeof *sums);
    double events = 0.0;
    for (size_t i = 0; i < e->draw_count; ++i) {
        const exam_draw *draw = &e->draws[i];
        const exam_outcome *ours = &e->outcomes[i * EXAM_SLOTS];
        const exam_outcome *low = &ours[1];
        bool is_event = e->subjects[draw->subject].is_event;
        int row = exam_row(e, draw);
        if (row < EXAM_BLIND_ROW) {
            sums[row] += (double)ours->error;
            sums[is_event ? LOW_EVENTS : LOW_OTHERS] += low->ran ? (double)low->error : 0.0;
            sums[FPS] += (double)ours->fps;
        }
        if (row == 1) {
            sums[LATE] += ours->settle_ms > ours->settle_limit_ms ? 100.0 : 0.0;
            events += 1.0;
        }
    }
    sums[LATE] /= events > 0.0 ? events : 1.0;
}

/* --- the table -------------------------------------------------------------------------------- */

static void print_head(void)
{
    printf("%-20s %11s %-9s", "constant", "value", "unit");
    for (int i = 0; i < FIGURES; ++i) {
        if (figures[i] != NULL) {
            printf(" %8s", figures[i]);
        }
    }
    printf("\n");
}

static void print_changes(const double before[FIGURES], const double after[FIGURES])
{
    for (int i = 0; i < FIGURES; ++i) {
        double change = after[i] - before[i];
        if (figures[i] == NULL) {
            continue;
        }
        if (i != LATE) {
            change = before[i] > 0.0 ? 100.0 * change / before[i] : 0.0;
        }
        if (fabs(change) < 0.005) {
            printf(" %8s", ".");
        } else {
            printf(" %+8.2f", change);
        }
    }
}

/* Returns whether any run has changed. */
static bool print_value(exam *e, const constant *c, double value, const exam_outcome *usual,
        const double before[FIGURES])
{
    double after[FIGURES];
    double *tuned = (double *)(void *)((char *)&es__tuned + c->offset);
    double kept = *tuned;
    *tuned = value;
    bool done = run(e);
    *tuned = kept;
    bool changed =
            !done || memcmp(usual, e->outcomes, e->draw_count * EXAM_SLOTS * sizeof *usual) != 0;
    printf("%-20s %11.6g %-9s", c->name, value, c->unit);
    if (!done) {
        printf("  fails");
    } else if (!changed) {
        printf("  no run changes");
    } else {
        sum_up(e, after);
        print_changes(before, after);
    }
    printf("\n");
    return changed;
}

static void print_table(exam *e, const exam_outcome *usual)
{
    double before[FIGURES];
    size_t bound = 0;
    char names[2048] = "";
    sum_up(e, before);
    print_head();
    for (int i = 0; i < CONSTANTS; ++i) {
        const constant *c = &constants[i];
        double value = *(const double *)(const void *)((const char *)&es__tuned + c->offset);
        bool halved = print_value(e, c, 0.5 * value, usual, before);
        bool doubled = print_value(e, c, 2.0 * value, usual, before);
        if (!halved && !doubled) {
            bound += 1;
            strncat(names, " ", sizeof names - strlen(names) - 1);
            strncat(names, c->name, sizeof names - strlen(names) - 1);
        }
    }
    printf("\nbound, %zu of %d:%s\n", bound, CONSTANTS, names);
}

int main(int argc, char **argv)
{
    static const char *const loops[] = {"auto", "low-latency", NULL};
    static exam e = {.seed = 1, .loops = loops};
    int runs = argc > 1 ? atoi(argv[1]) : 3000;
    exam_choice choice = {.point = -1, .runs = runs > 0 ? (size_t)runs : 1};
    if (!exam_plan(&e, &choice) || !share_outcomes(&e) || !run(&e)) {
        fprintf(stderr, "bench_sensitivity: a run failed, or out of memory\n");
        return 2;
    }
    size_t size = e.draw_count * EXAM_SLOTS * sizeof *e.outcomes;
    exam_outcome *usual = malloc(size);
    if (usual == NULL) {
        return 2;
    }
    memcpy(usual, e.outcomes, size);
    print_table(&e, usual);
    free(usual);
    free(e.draws);
    return 0;
}
