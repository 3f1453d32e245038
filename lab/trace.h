/* SPDX-License-Identifier: Zlib
 *
 * trace: frame costs from a capture of a real program.
 *
 * Two kinds of text, distinguished by the first line that is no comment:
 *   numbers    one number per line, in ms; blank lines and lines that start with # are left out
 *   CSV        a header and a column of numbers in ms, named by the caller or one of the below
 *
 * The header is the first line, of the first 64, that names the column. Lines before it are
 * skipped, and a line that begins with // is no header. These are read as they are written:
 *   PresentMon  1.x; 2.x, with --v1_metrics (msBetweenPresents) and without; OCAT; CapFrameX's CSV
 *               (lines with // first). The rows may be of several processes (column Application)
 *   MangoHud    describes the machine first. frametime is in us up to 0.6.8 and in ms from 0.6.9 on
 *               (its src/overlay.cpp). The file does not name the unit. The column fps
 *               shows it: in most rows fps * frametime is 1000 or 1000000
 *
 * CSV as RFC 4180 has it: quoted fields, doubled quotes, commas and line ends in quotes (no such
 * line ends in the header); a UTF-8 byte order mark and CRLF are accepted.
 *
 * From PresentMon the cost of a frame is MsBetweenPresents, as it is. That is an upper bound of its
 * work: what the program spent blocked in present or in a frame limiter is in it. Subtracting
 * MsInPresentAPI would take away work of programs whose driver works there.
 *
 * The parser is a pure function on memory: no file, no allocation, no locale.
 */
#ifndef LAB_TRACE_H
#define LAB_TRACE_H

#include "evenstep/evenstep.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct lab_trace_options {
    const char *column;  /* CSV: its name, letter case as in the header; NULL: MsBetweenPresents
                            or FrameTime, letter case aside, whichever comes first */
    const char *process; /* PresentMon: rows of this application only (letter case aside); NULL: of
                            the one with the most rows */
    const char *name;    /* for error messages: the file's; NULL: "trace" */
} lab_trace_options;

/* Why a trace was refused: "game.csv:17: MsBetweenPresents: not a number: 'abc'". */
typedef struct lab_trace_error {
    char text[256];
    size_t line; /* from 1; 0: the file as a whole */
} lab_trace_error;

/* What was found beside the costs. */
typedef struct lab_trace_info {
    size_t rows;      /* of data, of all processes */
    size_t used;      /* rows taken: this many costs */
    size_t skipped;   /* rows of the process without a number (NA), or with 0 */
    size_t processes; /* different applications; 0: no PresentMon file */
    char process[64]; /* the process of the rows, cut to fit; empty: no PresentMon file */
    char column[64];  /* from which column; empty: plain numbers */
    bool in_us;       /* the column is in us: an early MangoHud's; otherwise in ms */
    int64_t total_ns; /* sum of the costs */
} lab_trace_info;

/* Reads costs from text.
 *
 * text, size: any bytes; need not end in 0.
 * options: NULL: the defaults.
 * costs_ns: filled with up to capacity costs, each 1 ns to 1000 s; NULL only counts.
 * info: filled; may be NULL. used may exceed capacity: then ES_ERR_SPACE.
 * error: filled on failure; may be NULL.
 * Returns ES_OK; ES_ERR_INVALID: not a trace, see error; ES_ERR_SPACE: capacity is too small. */
es_result lab_trace_parse(const char *text, size_t size, const lab_trace_options *options,
        int64_t *costs_ns, size_t capacity, lab_trace_info *info, lab_trace_error *error);

/* A trace in memory of its own. */
typedef struct lab_trace {
    int64_t *costs_ns;
    size_t count;
    lab_trace_info info;
} lab_trace;

/* Reads a file of up to 1 GB. Free it with lab_trace_free, also after an error. */
es_result lab_trace_load(lab_trace *trace, const char *path, const lab_trace_options *options,
        lab_trace_error *error);
void lab_trace_free(lab_trace *trace);

#endif
