/* SPDX-License-Identifier: Zlib
 *
 * figure: the measures of a run by name, for --measure, table headings and JSON.
 */
#ifndef EVENSTEP_FIGURE_H
#define EVENSTEP_FIGURE_H

#include "json.h"
#include "lab/run.h"
#include "tool.h"

typedef enum figure_unit {
    FIGURE_ERROR, /* ms, or % of the refresh period */
    FIGURE_MS,
    FIGURE_SHARE, /* 0 to 1; printed in % */
    FIGURE_COUNT
} figure_unit;

/* How several runs are combined. */
typedef enum figure_mean {
    FIGURE_MEAN,
    FIGURE_MEAN_SIZE,      /* of the sizes: a loss in one run does not cancel a gain in another */
    FIGURE_MEAN_OF_EVENTS, /* of runs with an event; others do not have the figure */
    FIGURE_LARGEST,
    FIGURE_SMALLEST
} figure_mean;

typedef struct figure {
    const char *name;    /* --measure */
    const char *key;     /* JSON; errors have a second one, see figure_add_json */
    const char *heading; /* of a column, without the unit */
    const char *title;   /* one line for people */
    figure_unit unit;
    figure_mean mean;
    bool less_is_better;
    size_t offset; /* in lab_measures */
    bool is_count; /* an int32_t there */
} figure;

enum { FIGURES_MAX = 40 };

typedef struct figure_choice {
    const figure *items[FIGURES_MAX];
    size_t count;
} figure_choice;

/** A figure by index. */
tool_at figure_at;

/** By name; NULL: there is none. */
const figure *figure_find(const char *name);

/** For tool_option: a comma list of names, or all. */
bool figure_parse(const char *text, void *figures);
const char *figure_names(void);

/** The number in a run's measures, in ms, as a share, or a count. NaN: it needs an event. */
double figure_value(const figure *f, const lab_measures *measures, bool has_event);

/* Means over several runs. */
typedef struct figure_sums {
    double plain[FIGURES_MAX];
    double percent[FIGURES_MAX]; /* errors in % of each run's refresh period */
    lab_measures first;          /* a single run keeps its signs */
    size_t runs;
    size_t events; /* runs with an event */
} figure_sums;

void figure_sums_add(figure_sums *sums, const lab_measures *measures, bool has_event);

/** The mean; of an error in % of the refresh period where that is wanted. NaN: no run has it. */
double figure_of_sums(const figure_sums *sums, const figure *f, bool percent);

/** Writes a number, shares in %, such as "4.51" or "12"; "-" for NaN. */
void figure_format(char *text, size_t size, const figure *f, double value, bool percent);

/** "ms", "%" or "". */
const char *figure_unit_name(const figure *f, bool percent);

/** Adds all figures to a JSON object under their keys; errors also as KEY_percent for KEY_ms.
 * NaN is null.
 * Rounded to 6 decimals, percentages to 4, which hides the last bits of sums. */
void figure_add_json(json_t *object, const figure_sums *sums);

/** Adds one run: its count of frames, its refresh period, and all figures. */
void figure_add_run(json_t *object, const lab_measures *measures, bool has_event);

#endif
