/* SPDX-License-Identifier: Zlib
 *
 * replay_out: prints one tree of values, as JSON or as text. Text is made from the same values as
 * JSON: an object is a block of lines, an array of objects a table, and `..._ns` is shown in ms.
 *
 * Recordings come from anywhere, and a name may hold anything. In text, control characters and
 * marks that would steer a terminal are escaped.
 */
#ifndef EVENSTEP_REPLAY_OUT_H
#define EVENSTEP_REPLAY_OUT_H

#include "evenstep/world.h"

#include "json.h"
#include "tool.h"

enum { REPLAY_NUMBER = 40, REPLAY_COLUMNS = 16 };

typedef struct replay_out {
    bool json;
    bool any;    /* JSON: a comma is due before the next value */
    bool failed; /* out of memory: the output is incomplete */
    /* the open list, in text: its columns, ended by NULL, and their widths */
    const char *const *columns;
    size_t widths[REPLAY_COLUMNS];
    size_t rows;
} replay_out;

void replay_out_begin(replay_out *out);
void replay_out_end(replay_out *out);

/** Prints one member. Takes value over. */
void replay_out_member(replay_out *out, const char *key, json_t *value);

/** A list that is printed row by row, so that its length needs no memory. columns: what text shows
 * of a row, ended by NULL; not copied. Rows are objects, and are taken over. */
void replay_list_begin(replay_out *out, const char *key, const char *const *columns);
void replay_list_row(replay_out *out, json_t *row);
void replay_list_end(replay_out *out);

/** A line of text; nothing in JSON. */
void replay_note(replay_out *out, const char *format, ...) TOOL_PRINTF(2, 3);

/** A number as packed, with the fewest digits that read back as it: -0, inf, nan. Returns buffer,
 * of REPLAY_NUMBER characters. */
char *replay_format_number(char *buffer, es_type type, uint64_t bits);

/** "f32", "u8" and so on. */
const char *replay_type_name(es_type type);

#endif
