/* SPDX-License-Identifier: Zlib
 *
 * json: CapFrameX's JSON.
 */
#ifndef CAPTURE_JSON_H
#define CAPTURE_JSON_H

#include "capture/columns.h"

/* Rows that follow each other: CapFrameX's arrays of one run. */
typedef struct lab_json_run {
    size_t rows;
    size_t at[LAB_Q_COUNT]; /* where in the file the numbers of an array begin; 0: there is none */
} lab_json_run;

/* CapFrameX's JSON: where its arrays are, and a place in each of them. */
typedef struct lab_json {
    const lab_column *columns[LAB_Q_COUNT];
    uint64_t has; /* arrays with a number other than 0, by bits */
    size_t rows;
    lab_json_run *runs;
    size_t run_count, run_capacity;
    size_t run, row; /* of the run: the next one */
    lab_input inputs[LAB_Q_COUNT];
    char process[64];
} lab_json;

/* Checks it all. NULL: done; else why it is refused, at the input's line. Free in any case. */
const char *lab_json_read(lab_json *json, lab_input *in);
void lab_json_rewind(lab_json *json);

/* The numbers of the next row, in the units of the file; NaN: null or not there. False: there is no
 * row. *is_first: it is the first of a run. */
bool lab_json_next(lab_json *json, double *numbers, bool *is_first);
void lab_json_free(lab_json *json);

#endif
