/* SPDX-License-Identifier: Zlib
 *
 * log: the file of the capture layer, one per process.
 *
 * EVENSTEP_CAPTURE names it; "1" stands for evenstep-capture-PID.csv in the working directory. A file
 * that exists is never changed. Rows have a fixed width, so a screen time that comes later is written
 * over the spaces of its row.
 */
#ifndef CAPTURE_LAYER_LOG_H
#define CAPTURE_LAYER_LOG_H

#include <stdbool.h>
#include <stdint.h>

/* Times of CLOCK_MONOTONIC and durations; negative: not known. */
typedef struct layer_row {
    int64_t chain; /* number of the swap chain */
    int64_t start_ns, submit_ns, returned_ns;
    int64_t cpu_ns, blocked_ns;
} layer_row;

/* Whether EVENSTEP_CAPTURE asks for a file. */
bool layer_log_is_wanted(void);

/* Creates the file at the first call in a process. False: there is none; the reason was printed. */
bool layer_log_open(void);

/* False: this process is a child of the one that opened the file. */
bool layer_log_is_own(void);

int64_t layer_log_chain(void); /* a new number for a swap chain, from 1 */

/* Writes a row. Its number; negative: it is not in the file. */
int64_t layer_log_row(const layer_row *row);

/* A row's screen time; nothing for a negative row. */
void layer_log_shown(int64_t row, int64_t shown_ns);

int64_t layer_clock_ns(int clock); /* CLOCK_... */

#endif
