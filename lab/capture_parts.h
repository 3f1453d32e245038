/* SPDX-License-Identifier: Zlib
 *
 * What the files of the capture reader share.
 */
#ifndef LAB_CAPTURE_PARTS_H
#define LAB_CAPTURE_PARTS_H

#include "lab/capture.h"

#include <stdio.h>

/* A piece of text. */
typedef struct lab_slice {
    const char *text;
    size_t size;
} lab_slice;

/* --- the tables (capture_columns.c) ----------------------------------------------------------- */

/* What a column holds. AT: a time of the file's clock; the others are durations or no times. */
typedef enum lab_quantity {
    LAB_Q_NONE,
    LAB_Q_PROCESS,
    LAB_Q_PID,
    LAB_Q_CHAIN,      /* the swap chain's address */
    LAB_Q_KIND,       /* "Application", or what generated the frame */
    LAB_Q_MODE,       /* how the system shows frames: "Composed: Flip" */
    LAB_Q_TEARING,    /* 1: allowed; up to here, texts */
    LAB_Q_DROPPED,    /* 1: never shown */
    LAB_Q_FPS,        /* MangoHud: shows the unit of its frame times */
    LAB_Q_SERIES,     /* es_trace: changes after a gap */
    LAB_Q_FRAME,      /* since the frame before */
    LAB_Q_FRAME_NEXT, /* from this frame's CPU start to the next one's */
    LAB_Q_PRESENT_AT,
    LAB_Q_CPU_AT,
    LAB_Q_END_AT, /* present returned */
    LAB_Q_SHOWN_AT,
    LAB_Q_PLANNED_AT, /* the refresh at which the system wanted the frame to begin */
    LAB_Q_CONTENT_AT, /* on a clock of its own */
    LAB_Q_CPU_BUSY,   /* CPU start to present */
    LAB_Q_IN_PRESENT,
    LAB_Q_UNTIL_SHOWN,   /* from present on */
    LAB_Q_SHOWN_LATENCY, /* from the CPU start on */
    LAB_Q_BETWEEN_SHOWN, /* since the frame shown before */
    LAB_Q_UNTIL_GPU,     /* from present to the GPU's start; may be negative */
    LAB_Q_GPU_LATENCY,   /* from the CPU start to it */
    LAB_Q_UNTIL_GPU_END, /* from present on; may be negative */
    LAB_Q_GPU_TIME,      /* from the GPU's start to its end */
    LAB_Q_GPU_BUSY,
    LAB_Q_SIMULATION, /* between simulation starts, which the program reported */
    LAB_Q_SIMULATION_AT,
    LAB_Q_LATE,
    LAB_Q_WORK,
    LAB_Q_COUNT
} lab_quantity;

bool lab_is_absolute(lab_quantity q); /* a time of some clock */

/* A column of a file. */
typedef struct lab_column {
    const char *name; /* letter case aside */
    lab_quantity quantity;
    int exponent;     /* the unit is ms * 10^exponent */
    unsigned formats; /* the families of formats in which it means this */
} lab_column;

/* What a file with some columns is. */
typedef struct lab_format {
    const char *title;
    unsigned family;
    const char *needs[2]; /* columns, letter case aside; the second may be NULL */
} lab_format;

enum {
    LAB_FAMILY_PRESENT_MON = 1,
    LAB_FAMILY_V2 = 2,
    LAB_FAMILY_MANGO_HUD = 4,
    LAB_FAMILY_TRACE = 8,
    LAB_FAMILY_OTHER = 16,
    LAB_FAMILY_FRAPS = 32,
    LAB_FAMILY_UNREAL = 64,
    LAB_FAMILY_ANDROID = 128,
    LAB_FAMILY_METAL = 256
};

/* The first format all of whose columns are among the names; NULL: none. */
const lab_format *lab_format_of(const lab_slice *names, size_t count);

/* What a column means in a family of formats; NULL: nothing. */
const lab_column *lab_column_of(lab_slice name, unsigned family);

/* What frames have (LAB_HAS_...), by the quantities that rows have, as bits. */
unsigned lab_frame_has(uint64_t quantities);

/* --- text (capture_input.c) ------------------------------------------------------------------- */

enum { LAB_RECORD_MAX = 65536, LAB_EXCERPT = 25 };

/* A file or a text, a part of it at a time. */
typedef struct lab_input {
    FILE *file;     /* NULL: the text */
    lab_slice text; /* all of it */
    char *buffer;
    size_t capacity;
    size_t from;    /* where the buffer begins in the file or text */
    size_t at, end; /* the part of the buffer that is unread */
    size_t line;    /* of the next record, from 1 */
    bool is_over;   /* nothing follows the buffer */
    bool is_shared; /* other inputs read the same file */
} lab_input;

typedef enum lab_found {
    LAB_FOUND,
    LAB_FOUND_END,
    LAB_FOUND_LONG,     /* over LAB_RECORD_MAX */
    LAB_FOUND_UNCLOSED, /* a quote is not closed */
    LAB_FOUND_FAILED    /* reading failed */
} lab_found;

/* Reads a line, or with quotes a record, whose quoted fields may hold line ends. It is valid until
 * the next call, and has no line end. *is_ended: a line end follows it. */
lab_found lab_input_record(lab_input *in, bool quotes, lab_slice *record, bool *is_ended);

/* What comes next: these bytes at least, unless the file ends or reading fails. */
lab_slice lab_input_ahead(lab_input *in, size_t fewest);

/* The next byte, without or with reading it; -1: the end, or reading failed. */
static inline int lab_input_peek(lab_input *in)
{
    bool any = in->at < in->end || lab_input_ahead(in, 1).size > 0;
    return any ? (unsigned char)in->buffer[in->at] : -1;
}

static inline int lab_input_get(lab_input *in)
{
    int c = lab_input_peek(in);
    in->at += c >= 0;
    in->line += c == '\n';
    return c;
}

bool lab_input_rewind(lab_input *in);

/* Goes on at a place of the file. */
void lab_input_seek(lab_input *in, size_t place);

/* The next field of a record, which loses it. *more: another follows. False: text after a quote. */
bool lab_field(lab_slice *record, lab_slice *field, bool *more);

bool lab_slice_is(lab_slice a, const char *name); /* letter case aside */
bool lab_slice_same(lab_slice a, lab_slice b);    /* letter case aside */
bool lab_begins_with(lab_slice line, const char *text);
bool lab_after(lab_slice line, const char *text, lab_slice *rest); /* what follows the first one */
bool lab_is_missing(lab_slice s); /* a field: there on purpose to say that there is no number */

/* What is wrong with a line that is no comment and no header; NULL: not known. */
const char *lab_odd_of(lab_slice line);

lab_slice lab_trimmed(lab_slice s);
void lab_copy(char *out, size_t capacity, lab_slice from); /* control characters: ? */
const char *lab_excerpt(char *out, lab_slice from); /* LAB_EXCERPT bytes; what is not ASCII is ? */

/* A number in decimal notation: value = digits * 10^scale, to 18 digits. False: it is none. */
typedef struct lab_decimal {
    int64_t digits;
    int scale;
} lab_decimal;
bool lab_decimal_of(lab_slice s, lab_decimal *out);
long double lab_scale(long double value, int exponent); /* value * 10^exponent */
long double lab_scaled(lab_decimal number, int exponent);
double lab_double_of(lab_decimal number, int exponent); /* the same, faster */

/* --- JSON (capture_json.c) -------------------------------------------------------------------- */

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
