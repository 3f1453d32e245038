/* SPDX-License-Identifier: Zlib
 *
 * json: numbers, texts and files of JSON, as all commands write them.
 */
#ifndef EVENSTEP_TOOL_JSON_H
#define EVENSTEP_TOOL_JSON_H

#include <jansson.h>

#include <stdbool.h>
#include <stdint.h>

/** A number rounded to 6 decimals; null for NaN. */
json_t *tool_json_number(double value);

/** Text that is not UTF-8, as paths may be: what is not ASCII becomes ?. */
void tool_make_utf8(char *text);

/** A number rounded to some decimals; never -0. */
json_t *tool_json_rounded(double value, int decimals);

/** Writes root, which it frees, to a file; "-" is stdout. False: see errno. */
bool tool_json_write(json_t *root, const char *path);

/** A text without control characters: \n, \x1b, \u{202e}; a backslash twice. The caller
 * frees it; NULL: out of memory. */
char *tool_escape(const char *text);

/** Sets key to a text. Bytes that are no UTF-8 become U+FFFD, and key_hex has all. */
void tool_json_set_text(json_t *object, const char *key, const char *bytes);

/** A whole number; beyond what readers of JSON take, a text of its digits. */
json_t *tool_json_count(uint64_t value);

/** A hash as 16 hex digits. */
json_t *tool_json_hash(uint64_t hash);

/** Bytes as hex digits. */
json_t *tool_json_hex(const unsigned char *bytes, size_t size);

#endif
