/* SPDX-License-Identifier: Zlib
 *
 * Enough of jansson to compile tools/lab/figure.c for the page, which writes no JSON: the linker
 * leaves out the functions that do.
 */
typedef struct json_t json_t;
typedef long long json_int_t;
json_t *json_integer(json_int_t value);
json_t *json_null(void);
int json_object_set_new(json_t *object, const char *key, json_t *value);
