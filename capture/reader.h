/* SPDX-License-Identifier: Zlib
 *
 * reader: what the files of the capture reader share.
 */
#ifndef CAPTURE_READER_H
#define CAPTURE_READER_H

#include "capture/json.h"

enum { COLUMNS_MAX = 2048, STREAMS_MAX = 64, PREAMBLE_MAX = 1024, KEY_MAX = 160 };

/* The needed fields of a row. */
typedef struct row {
    size_t line;
    size_t count;                  /* of fields */
    lab_slice fields[LAB_Q_COUNT]; /* CSV */
    double numbers[LAB_Q_COUNT];   /* JSON; NaN: missing */
    bool begins_run;               /* JSON */
} row;

/* Rows of one program and swap chain. */
typedef struct stream {
    char key[KEY_MAX]; /* program, process number, swap chain */
    size_t key_size;
    size_t name_size; /* of the program's */
    size_t rows, composed, tearing;
    uint64_t has; /* quantities that are there and not 0, by bits */
} stream;

/* The digits of the stamps: the window of PresentMon writes six in all, which are 0.1 ms from 10 s
 * on (RawFrameDataWriter.cpp). */
typedef struct stamps {
    int digits, scale; /* most digits of a number, and the last place of any, in powers of ten */
    double step_ms;    /* what the last place of the newest one counts */
} stamps;

/* The log of Metal's HUD has several frames per line. */
typedef struct hud_line {
    lab_slice rest;
    bool more;
    int64_t first, next; /* numbers of its first frame, and of that after its last */
} hud_line;

/* How many rows say what of the unit of MangoHud's frame times. */
typedef struct units {
    size_t ms, us, rows;
} units;

struct lab_capture {
    lab_input in;
    lab_json json;
    bool is_json, is_plain;
    row row;
    char buffer[2 * LAB_RECORD_MAX];
    char name[256];
    char wanted_column[64];
    lab_capture_info info;
    unsigned family;
    /* the header */
    size_t header_fields;
    size_t fields_needed;               /* in every row */
    size_t usual;                       /* fields of the row before */
    unsigned char meaning[COLUMNS_MAX]; /* lab_quantity */
    int exponent[LAB_Q_COUNT];
    char column[LAB_Q_COUNT][48];     /* its name in the file */
    uint64_t columns;                 /* the quantities that have one, by bits, */
    lab_quantity listed[LAB_Q_COUNT]; /* and in order */
    size_t listed_count;
    /* the first pass */
    stream streams[STREAMS_MAX];
    size_t stream_count;
    units units;
    stamps stamps;
    const stream *chosen;
    /* both */
    hud_line hud;
    char window[64]; /* Android's, of the rows */
    bool in_rows;    /* Android: between two lines "---PROFILEDATA---" */
    /* the second pass */
    double v[LAB_Q_COUNT]; /* a row's numbers: durations, or times from the first on */
    bool has_origin, has_content_origin, has_frame;
    long double origin, content_origin;
    lab_capture_frame last;
    double next_start_ms; /* CPU start of the next frame, where rows say that */
    double last_shown_ms; /* where rows give only the time between */
    double run_base_ms;
    int32_t breaks;
    double series;
    size_t made; /* frames */
};

static inline bool is_listed(const lab_capture *c, lab_quantity q)
{
    return (c->columns >> q & 1) != 0;
}

static inline bool has(const lab_capture *c, lab_quantity q)
{
    return (c->chosen->has >> q & 1) != 0;
}

static inline int count_digits(lab_decimal number)
{
    int digits = 0;
    for (int64_t rest = number.digits; rest != 0; rest /= 10) {
        digits += 1;
    }
    return digits;
}

/* Begins a line of Metal's log. "metal-HUD: FIRST FRAME,MISSED,MEMORY,INTERVAL,GPU,INTERVAL,GPU...", in ms. Source:
 * developer.apple.com/documentation/xcode/monitoring-your-metal-apps-graphics-performance */
#define LAB_HUD_MARK "metal-HUD:"

/* Copies a refusal, or makes one of what the input found. Return ES_ERR_INVALID. */
es_result lab_refuse_as(lab_capture_error *error, const lab_capture_error *why);
es_result lab_refuse_found(
        const lab_capture *c, lab_found found, size_t line, lab_capture_error *error);

/* Reads up to the header, or to the first row of plain numbers (header.c). */
es_result lab_header_read(lab_capture *c, lab_capture_error *error);

/* Gives a column its meaning; the first of two columns keeps it. */
void lab_header_set(lab_capture *c, size_t column, lab_quantity q, int exponent, lab_slice name);

/* To the first row (rows.c). */
es_result lab_rows_rewind(lab_capture *c, lab_capture_error *error);

/* The next row. ES_ERR_STATE: there is none. ES_ERR_DAMAGED: it alone cannot be read. */
es_result lab_rows_next(lab_capture *c, row *one, lab_capture_error *error);

/* A frame of a row (frames.c). ES_ERR_DAMAGED: the row cannot be read. ES_ERR_RANGE: a repetition. */
es_result lab_frame_make(
        lab_capture *c, const row *one, lab_capture_frame *f, lab_capture_error *error);

#endif
