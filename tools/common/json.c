/* SPDX-License-Identifier: Zlib */
#include "json.h"

#include "tool.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

json_t *tool_json_rounded(double value, int decimals)
{
    double unit = pow(10.0, decimals);
    double rounded = round(value * unit) / unit;
    return isnan(value) ? json_null() : json_real(rounded == 0.0 ? 0.0 : rounded);
}

json_t *tool_json_number(double value)
{
    return tool_json_rounded(value, 6);
}

void tool_make_utf8(char *text)
{
    json_t *string = json_string(text);
    for (char *c = text; string == NULL && *c != '\0'; ++c) {
        *c = *c >= ' ' && *c <= '~' ? *c : '?';
    }
    json_decref(string);
}

bool tool_json_write(json_t *root, const char *path)
{
    char *text = json_dumps(root, JSON_INDENT(2) | JSON_REAL_PRECISION(12));
    json_decref(root);
    if (text == NULL) {
        errno = ENOMEM; /* jansson does not set it */
        return false;
    }
    FILE *file = tool_open(path);
    if (file != NULL) {
        fprintf(file, "%s\n", text);
    }
    free(text);
    return file != NULL && tool_close(file);
}

/* --- texts of files that may hold anything ------------------------------------------------------- */

/* The bytes of the UTF-8 character here, and its code point; 0: it is not UTF-8. */
static size_t decode(const unsigned char *at, size_t left, uint32_t *point)
{
    static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
    size_t size = at[0] < 0x80 ? 1 : at[0] < 0xC2 ? 0 : at[0] < 0xE0 ? 2 : at[0] < 0xF0 ? 3 : 4;
    if (size == 0 || at[0] > 0xF4 || size > left) {
        return 0;
    }
    *point = size == 1 ? at[0] : at[0] & (0xFFU >> (size + 1));
    for (size_t i = 1; i < size; ++i) {
        if ((at[i] & 0xC0) != 0x80) {
            return 0;
        }
        *point = *point << 6 | (at[i] & 0x3F);
    }
    bool valid =
            *point >= least[size] && *point <= 0x10FFFF && !(*point >= 0xD800 && *point <= 0xDFFF);
    return valid ? size : 0;
}

/* Not controls, marks that turn the direction of text or are invisible, or separators of lines. */
static bool is_printable(uint32_t point)
{
    return point >= 0x20 && !(point >= 0x7F && point < 0xA0) && point != 0xAD && point != 0x61C
           && !(point >= 0x200B && point <= 0x200F) && !(point >= 0x2028 && point <= 0x202E)
           && !(point >= 0x2060 && point <= 0x206F) && point != 0xFEFF
           && !(point >= 0xFFF0 && point <= 0xFFFC) && !(point >= 0xE0000 && point <= 0xE0FFF);
}

char *tool_escape(const char *bytes)
{
    const unsigned char *at = (const unsigned char *)bytes;
    size_t size = strlen(bytes);
    char *text = malloc(size * 6 + 16), *end = text; /* \u{e0001} is 9 for 4; \u{ad} 6 for 2 */
    while (text != NULL && size > 0) {
        uint32_t point = 0;
        size_t taken = decode(at, size, &point);
        if (taken == 0) {
            end += sprintf(end, "\\x%02x", at[0]);
            taken = 1;
        } else if (point == '\\') {
            end += sprintf(end, "\\\\");
        } else if (is_printable(point)) {
            memcpy(end, at, taken);
            end += taken;
        } else if (point == '\n' || point == '\t' || point == '\r') {
            end += sprintf(end, "\\%c", point == '\n' ? 'n' : point == '\t' ? 't' : 'r');
        } else {
            end += sprintf(end, point < 0x80 ? "\\x%02" PRIx32 : "\\u{%" PRIx32 "}", point);
        }
        at += taken;
        size -= taken;
    }
    if (text != NULL) {
        *end = '\0';
    }
    return text;
}

json_t *tool_json_hex(const unsigned char *bytes, size_t size)
{
    char *text = malloc(2 * size + 1);
    for (size_t i = 0; text != NULL && i < size; ++i) {
        (void)sprintf(text + 2 * i, "%02x", bytes[i]);
    }
    json_t *value = text != NULL ? json_stringn(text, 2 * size) : NULL;
    free(text);
    return value;
}

void tool_json_set_text(json_t *object, const char *key, const char *bytes)
{
    const unsigned char *at = (const unsigned char *)bytes;
    size_t size = strlen(bytes);
    char name[64], *text = malloc(3 * size + 1), *end = text;
    bool valid = true;
    for (size_t left = size, taken; text != NULL && left > 0; at += taken, left -= taken) {
        uint32_t point;
        taken = decode(at, left, &point);
        valid = valid && taken > 0;
        memcpy(end, taken > 0 ? (const char *)at : "\xEF\xBF\xBD", taken > 0 ? taken : 3);
        end += taken > 0 ? taken : 3;
        taken = taken > 0 ? taken : 1;
    }
    json_object_set_new(
            object, key, text != NULL ? json_stringn(text, (size_t)(end - text)) : NULL);
    free(text);
    if (!valid) {
        snprintf(name, sizeof name, "%s_hex", key);
        json_object_set_new(object, name, tool_json_hex((const unsigned char *)bytes, size));
    }
}

json_t *tool_json_count(uint64_t value)
{
    char text[32];
    if (value <= (uint64_t)INT64_MAX) {
        return json_integer((json_int_t)value);
    }
    snprintf(text, sizeof text, "%" PRIu64, value);
    return json_string(text);
}

json_t *tool_json_hash(uint64_t hash)
{
    char text[32];
    snprintf(text, sizeof text, "%016" PRIx64, hash);
    return json_string(text);
}
