/* SPDX-License-Identifier: Zlib
 *
 * exam: random programs on random machines, two judges, and a search for the worst.
 *
 * A case is a program and a machine: one value for each gene of a table, and a seed. Value 0 of a
 * gene is the plain one. A case is a line of text: the genes that are not plain, and the seed:
 *
 *   cap=30 refresh=144 work=110 seed=7
 *
 * Two judges look at a case. The invariants hold in every run. Never worse: no peer, a loop of about
 * ten lines with the same settings, beats ours. It does if it is better in one measure and not worse
 * in any other, each beyond a line below which nobody sees a difference.
 */
#ifndef LAB_EXAM_H
#define LAB_EXAM_H

#include "lab/run.h"

enum {
    EXAM_LOOP,
    EXAM_FORM,
    EXAM_STEP,
    EXAM_TICKS,
    EXAM_TICK_MS,
    EXAM_CAP,
    EXAM_REFRESH,
    EXAM_KNOWS,
    EXAM_QUEUE,
    EXAM_ACCESS,
    EXAM_SCREEN,
    EXAM_CHANGE,
    EXAM_WORK,
    EXAM_ON,
    EXAM_NOISE,
    EXAM_WAVE,
    EXAM_TO,
    EXAM_PERIOD,
    EXAM_TAIL,
    EXAM_PAUSES,
    EXAM_EVENT,
    EXAM_LATE,
    EXAM_CLOCK,
    EXAM_FROM,
    EXAM_CATCH_UP,
    EXAM_SET,
    EXAM_CALLS,
    EXAM_TIMES,
    EXAM_TARGETS,
    EXAM_GENES
};

typedef struct exam_case {
    uint8_t genes[EXAM_GENES];
    uint32_t seed;
} exam_case;

enum { EXAM_TEXT = 512, EXAM_LINE = EXAM_TEXT + 64 };

/* --- case.c ----------------------------------------------------------------------------------- */

/* Random case number index of a seed: the same everywhere. */
exam_case exam_draw(uint64_t seed, uint64_t index);

/* The case with some genes drawn again. key, index: select the random numbers. */
exam_case exam_mutate(const exam_case *c, uint64_t key, uint64_t index);

/* Sets genes to their plain value if they mean nothing in this case. */
void exam_normalize(exam_case *c);

/* The case as a line, and back. text: EXAM_TEXT characters. Parsing returns false if a word is not
 * a gene with one of its values; word (or NULL) points to it. */
char *exam_text(const exam_case *c, char *text);
bool exam_parse(const char *text, exam_case *c, const char **word);

/* The gene with that index, and its value with that index, or NULL. */
const char *exam_gene_name(int gene);
const char *exam_gene_value(int gene, int value);

/* The run of the case with a loop: ours, or a peer. NULL: ours; "no-targets": ours, without its targets. It is valid until the thread's next. */
lab_setup exam_setup(const exam_case *c, const char *loop);

/* The names of the peers of a case: ten-line loops with the same settings; NULL-terminated. */
const char *const *exam_peers(const exam_case *c);

/* Whether es_loop_problem must be silent: work below 80 % of a refresh, no faults, and presents wait,
 * not drawing. */
bool exam_is_healthy(const exam_case *c);

/* --- judge.c ---------------------------------------------------------------------------------- */

typedef enum exam_measure {
    EXAM_ERROR = 0, /* mean |animation error| and pursuit error, in % of a refresh */
    EXAM_PURSUIT,
    EXAM_JUMPS, /* per minute */
    EXAM_RATE,  /* seconds per frame, in % of those of ours */
    EXAM_AGE,   /* of input, in ms */
    EXAM_AGE_SD,
    EXAM_CHANGES, /* of the frame rate, per minute */
    EXAM_MEASURES
} exam_measure;

typedef struct exam_verdict {
    const char *broken;   /* the invariant that broke first; NULL: none */
    double broken_by;     /* its excess: at least 1 */
    int64_t frames;       /* of ours */
    const char *peer;     /* that beats ours, or that leaves a bound far behind; NULL: none */
    exam_measure measure; /* in which it does */
    bool is_bound;
    double margin; /* of the worst peer, in lines: over 1 beats ours. The search raises it */
    double ours[EXAM_MEASURES];
    double peers[EXAM_MEASURES];
} exam_verdict;

typedef enum exam_judge { EXAM_INVARIANTS = 1, EXAM_NEVER_WORSE = 2 } exam_judge;

/* Runs ours and its peers. judges: bits of exam_judge. result: for lab_run. Returns ES_OK, or how
 * lab_run failed: the case cannot run. */
es_result exam_run(const exam_case *c, unsigned judges, lab_result *result, exam_verdict *verdict);

/* The verdict in a few words: "ok", "broken: ...", "worse: ...". text: EXAM_TEXT characters. */
char *exam_words(const exam_verdict *v, char *text);

/* The case and how it fails, without figures: "CASE | KIND: WHAT", or "CASE | ok". line: EXAM_LINE
 * characters. */
char *exam_line(const exam_case *c, const exam_verdict *v, char *line);

/* --- search.c --------------------------------------------------------------------------------- */

/* A case with its verdict. */
typedef struct exam_found {
    exam_case what;
    exam_verdict verdict;
} exam_found;

/* Called with each verdict, in the order of the cases, from one thread at a time. False: stop. */
typedef bool (*exam_keep)(void *user, uint64_t index, const exam_found *found);

/* Runs random cases from to to - 1. The results do not depend on jobs. ES_ERR_INVALID: a case cannot run;
 * ES_ERR_STATE: keep returned false. */
es_result exam_random(uint64_t seed, uint64_t from, uint64_t to, unsigned judges, int jobs,
        exam_keep keep, void *user);

enum { EXAM_WORST = 10 };

/* Climbs from random cases to worse ones, in rounds of 64 cases, and keeps the worst of a judge,
 * unlike each other, the worst first. What it finds depends on the number of rounds, not on jobs.
 * goes_on: called before each round; false ends the search. Returns how many were found. */
size_t exam_search(uint64_t seed, exam_judge judge, int jobs,
        bool (*goes_on)(void *user, int round), void *user, exam_found worst[EXAM_WORST]);

/* The simplest case that still fails in the same way: each gene is made plain that can be. */
exam_found exam_shrink(const exam_found *found, unsigned judges);

#endif
