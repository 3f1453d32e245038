/* SPDX-License-Identifier: Zlib
 *
 * Is the default loop ever worse than a simple one? docs/lab.md explains the exam.
 *
 *   bench_never_worse [OPTION...] [SCENARIO or GROUP...]    default: all scenarios of the exam
 *
 *   --seeds N         each rate and queue with N seeds; default: half of them, with one seed
 *   --point K         only this point: 1, 3, 4, 5, 6, or 0 (scenarios without a bar)
 *   --seed HEX        selects the random numbers (1)
 *   --list-runs CELL  instead of the table: the worst runs of a cell. SCENARIO[/ACCESS[/KNOWLEDGE]],
 *                     such as draw-20/before/both. Prints a command for each
 *   --by ORDER        the order of that list: worse, settle, speed, fps, age, known
 *
 * Exits 1 if a point is not met.
 */
#include "exam.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct options {
    exam_choice choice;
    uint64_t seed;
    const char *list;
    const char *by;
} options;

static bool parse_number(const char *text, int base, uint64_t *value)
{
    char *end;
    *value = strtoull(text, &end, base);
    return *text != '\0' && *end == '\0';
}

static bool parse(options *o, int argc, char **argv)
{
    static const char *names[64];
    bool valid = true;
    for (int i = 1; i < argc && valid; ++i) {
        const char *value = i + 1 < argc ? argv[i + 1] : "";
        uint64_t number = 0;
        if (strncmp(argv[i], "--", 2) != 0) {
            valid = o->choice.name_count < 64;
            names[o->choice.name_count] = argv[i];
            o->choice.name_count += valid;
            continue;
        }
        i += 1;
        if (strcmp(argv[i - 1], "--seeds") == 0) {
            valid = parse_number(value, 10, &number) && number > 0 && number <= 1000;
            o->choice.seeds = (size_t)number;
        } else if (strcmp(argv[i - 1], "--point") == 0) {
            valid = parse_number(value, 10, &number) && number < EXAM_POINTS;
            o->choice.point = (int)number;
        } else if (strcmp(argv[i - 1], "--seed") == 0) {
            valid = parse_number(value, 16, &o->seed);
        } else if (strcmp(argv[i - 1], "--list-runs") == 0) {
            o->list = value;
        } else if (strcmp(argv[i - 1], "--by") == 0) {
            o->by = value;
        } else {
            valid = false;
        }
    }
    o->choice.names = names;
    return valid;
}

/* The scenario of the cells to list, if no other is named. */
static void choose_listed(options *o)
{
    static char scenario[64];
    static const char *names[] = {scenario};
    snprintf(scenario, sizeof scenario, "%.*s", (int)strcspn(o->list, "/"), o->list);
    if (o->choice.name_count == 0) {
        o->choice.names = names;
        o->choice.name_count = 1;
    }
}

int main(int argc, char **argv)
{
    static exam e;
    options o = {.choice = {.point = -1}, .seed = 1, .by = "worse"};
    bool valid = parse(&o, argc, argv);
    if (valid && o.list != NULL) {
        choose_listed(&o);
    }
    e.seed = o.seed;
    if (!valid || !exam_plan(&e, &o.choice)) {
        fprintf(stderr, "bench_never_worse: a wrong option or name; see the head of its main.c\n");
        return 2;
    }
    int status = 0;
    if (!exam_run(&e)) {
        fprintf(stderr, "bench_never_worse: a run failed\n");
        status = 2;
    } else if (o.list != NULL) {
        status = exam_list(&e, o.list, o.by) ? 0 : 2;
    } else {
        status = exam_report(&e) > 0;
    }
    free(e.draws);
    free(e.outcomes);
    return status;
}
