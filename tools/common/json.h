/* SPDX-License-Identifier: Zlib
 *
 * json: numbers and files of JSON, as all commands write them.
 */
#ifndef EVENSTEP_TOOL_JSON_H
#define EVENSTEP_TOOL_JSON_H

#include <jansson.h>

#include <stdbool.h>

/** A number rounded to 6 decimals; null for NaN. */
json_t *tool_json_number(double value);

/** Text that is not UTF-8, as paths may be: what is not ASCII becomes ?. */
void tool_make_utf8(char *text);

/** A number rounded to some decimals; never -0. */
json_t *tool_json_rounded(double value, int decimals);

/** Writes root, which it frees, to a file; "-" is stdout. False: see errno. */
bool tool_json_write(json_t *root, const char *path);

#endif
