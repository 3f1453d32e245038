/* SPDX-License-Identifier: Zlib
 *
 * Is the default loop ever worse than a simple one? docs/lab.md explains the exam.
 *
 *   bench_never_worse [OPTION...] [NAME...]
 *
 * NAME is a group, a scenario, an access (after, before, acquire, mailbox, "host exact", "host 0.1ms",
 * "host 1ms", "host late"), or SCENARIO/ACCESS[/KNOWLEDGE], such as draw-20/before/both. Knowledge:
 * nothing, rate, feedback, both. Default: all of the exam.
 *
 *   --seeds N    N seeds with each rate and queue; default: one, with half of them
 *   --runs N     N draws at random instead, and means per point
 *   --seed HEX   selects the random numbers, by its first 16 digits; default: 1
 *   --point K    only point 1, 3, 4, 5 or 6; 0: scenarios without a bar
 *   --list-runs  instead of tables: the worst runs, each with a command that repeats it
 *   --by ORDER   the order of that list: worse, settle, speed, fps, age, known, low
 *   --top N      its length (10)
 *
 * Exits 1 if a point is not met.
 */
#include "exam.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NAMES = 64 };

typedef struct options {
    exam_choice choice;
    const char *names[NAMES];
    uint64_t seed;
    bool list;
    const char *by;
    size_t top;
} options;

/* --- options ---------------------------------------------------------------------------------- */

static bool parse_count(const char *text, size_t most, size_t *value)
{
    char *end;
    unsigned long long number = strtoull(text, &end, 10);
    *value = (size_t)number;
    return *text != '\0' && *end == '\0' && number <= most;
}

/* Returns whether the option is one, with a valid value. */
static bool parse_value(options *o, const char *option, const char *value)
{
    size_t point = 0;
    bool valid = true;
    if (strcmp(option, "--seeds") == 0) {
        valid = parse_count(value, 1000, &o->choice.seeds) && o->choice.seeds > 0;
    } else if (strcmp(option, "--runs") == 0) {
        valid = parse_count(value, 10000000, &o->choice.runs) && o->choice.runs > 0;
    } else if (strcmp(option, "--top") == 0) {
        valid = parse_count(value, 10000000, &o->top);
    } else if (strcmp(option, "--point") == 0) {
        valid = parse_count(value, EXAM_POINTS - 1, &point);
        o->choice.point = (int)point;
    } else if (strcmp(option, "--seed") == 0) {
        char digits[17];
        snprintf(digits, sizeof digits, "%.16s", value);
        o->seed = strtoull(digits, NULL, 16);
        valid = o->seed != 0;
    } else if (strcmp(option, "--by") == 0) {
        o->by = value;
    } else {
        valid = false;
    }
    return valid;
}

static bool parse(options *o, int argc, char **argv)
{
    bool valid = true;
    for (int i = 1; i < argc && valid; ++i) {
        if (strcmp(argv[i], "--list-runs") == 0) {
            o->list = true;
        } else if (strncmp(argv[i], "--", 2) == 0) {
            valid = i + 1 < argc && parse_value(o, argv[i], argv[i + 1]);
            i += 1;
        } else {
            valid = o->choice.name_count < NAMES;
            o->names[valid ? o->choice.name_count++ : 0] = argv[i];
        }
    }
    o->choice.names = o->names;
    return valid;
}

/* --- the program ------------------------------------------------------------------------------ */

static bool names_mailbox(const options *o)
{
    bool named = false;
    for (size_t i = 0; i < o->choice.name_count; ++i) {
        named = named || strstr(o->names[i], "mailbox") != NULL;
    }
    return named;
}

static int show(const exam *e, const options *o)
{
    if (o->list) {
        return exam_list(e, o->by, o->top) ? 0 : 2;
    }
    size_t not_met = exam_report(e, names_mailbox(o));
    if (not_met > 0 && e->is_random) {
        printf("\nthe worst runs:\n");
        exam_list(e, o->by, o->top);
    }
    return not_met > 0;
}

int main(int argc, char **argv)
{
    static exam e;
    options o = {.choice = {.point = -1}, .seed = 1, .by = "worse", .top = 10};
    if (!parse(&o, argc, argv)) {
        fprintf(stderr, "bench_never_worse: a wrong option; see the head of never_worse/main.c\n");
        return 2;
    }
    e.seed = o.seed;
    int status = 2;
    if (!exam_plan(&e, &o.choice)) {
        fprintf(stderr, "bench_never_worse: no such scenario, or out of memory\n");
    } else if (!exam_run(&e)) {
        fprintf(stderr, "bench_never_worse: a run failed, or out of memory\n");
    } else {
        status = show(&e, &o);
    }
    free(e.draws);
    free(e.outcomes);
    return status;
}
