/* SPDX-License-Identifier: Zlib
 *
 * replay_text: how what a recording says is printed: never raw. Recordings come from anywhere, and
 * a name may hold anything: what would steer a terminal is escaped, what is no UTF-8 too.
 */
#ifndef EVENSTEP_REPLAY_TEXT_H
#define EVENSTEP_REPLAY_TEXT_H

#include "evenstep/layout.h"

#include <jansson.h>
#include <stdio.h>

enum { REPLAY_WIDTH = 100, REPLAY_NUMBER = 40 };

typedef enum replay_style {
    REPLAY_PLAIN = 0,
    REPLAY_BOLD, /* headings */
    REPLAY_DIM,  /* headings of columns */
    REPLAY_GOOD,
    REPLAY_WARN,
    REPLAY_BAD
} replay_style;

/* Where it goes, and how. */
typedef struct replay_out {
    FILE *file;
    size_t width;  /* columns: the terminal's, or REPLAY_WIDTH */
    bool json;     /* one object, written piece by piece */
    bool styled;   /* a terminal that knows colours */
    bool any;      /* JSON: something is before this, so a comma goes between */
    bool is_short; /* memory was short: what was printed is not all */
} replay_out;

void replay_out_init(replay_out *out, bool json);

/** Switches to a style: an escape sequence on a terminal, nothing elsewhere. */
const char *replay_style_on(const replay_out *out, replay_style style);

/** A heading, on a line of its own with an empty one before it. */
void replay_heading(replay_out *out, const char *format, ...)
#if defined(__GNUC__)
        __attribute__((format(printf, 2, 3)))
#endif
        ;

/* --- texts ------------------------------------------------------------------------------------ */

/** Bytes as text without a control character: \n, \x1b, \u{202e} for those; a backslash twice.
 * Returns memory that the caller frees; NULL: there is none. */
char *replay_escape(const void *bytes, size_t size);

/** Prints bytes escaped. With an indent, broken to the terminal's width: the column where it
 * began. */
void replay_put_text(replay_out *out, const void *bytes, size_t size, size_t indent);

/** The same with a text that needs no escaping, or no more. */
void replay_put_escaped(replay_out *out, const char *text, size_t indent);

/** Prints bytes as hex and as text, in rows; each but the first begins with `indent` spaces. */
void replay_put_hex(replay_out *out, const unsigned char *bytes, size_t size, size_t indent);

/* --- numbers ---------------------------------------------------------------------------------- */

/** 812 bytes, 9.2 kB, 210 MB. Returns buffer, of REPLAY_NUMBER characters, here and below. */
char *replay_format_size(char *buffer, uint64_t bytes);

/** Milliseconds with three decimals. */
char *replay_format_ms(char *buffer, int64_t ns);

/** A number as packed, of the fewest digits that read back as it: -0, inf, nan. */
char *replay_format_number(char *buffer, es_type type, uint64_t bits);

/** The same as JSON: what JSON has no number for is a text. */
char *replay_format_json_number(char *buffer, es_type type, uint64_t bits);

/** "f32", "u8": as in the documents. */
const char *replay_type_name(es_type type);

/* --- JSON, piece by piece: a file of any length becomes JSON in bounded memory ---------------- */

void replay_json_begin(replay_out *out);
/** One member; takes value over. */
void replay_json_member(replay_out *out, const char *key, json_t *value);
void replay_json_list_begin(replay_out *out, const char *key);
/** Goes to the next item of the list: the caller writes it. */
void replay_json_next(replay_out *out);
/** One item; takes value over. */
void replay_json_item(replay_out *out, json_t *value);
void replay_json_list_end(replay_out *out);
void replay_json_end(replay_out *out);

/** Sets key to bytes as a text; where they are no UTF-8, with U+FFFD, and key_hex has them all. */
void replay_json_set_text(json_t *object, const char *key, const void *bytes, size_t size);

/** A whole number; beyond what JSON's readers take, as a text of its digits. */
json_t *replay_json_count(uint64_t value);

/** 16 hex digits as a text. */
json_t *replay_json_hash(uint64_t hash);

#endif
