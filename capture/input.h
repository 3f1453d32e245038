/* SPDX-License-Identifier: Zlib
 *
 * input: the text of a capture: records, fields, numbers.
 */
#ifndef CAPTURE_INPUT_H
#define CAPTURE_INPUT_H

#include "capture/capture.h"

#include <stdio.h>

/* A piece of text. */
typedef struct lab_slice {
    const char *text;
    size_t size;
} lab_slice;

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

#endif
