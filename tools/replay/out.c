/* SPDX-License-Identifier: Zlib */
#include "out.h"

#include "lab/numbers.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

/* Columns of text; and the items of an array that text shows. */
enum { LABEL = 22, COLUMN = 8, COLUMN_MAX = 36, SHOWN = 6 };

/* --- numbers ---------------------------------------------------------------------------------- */

static double real_of(es_type type, uint64_t bits)
{
    uint32_t bits_32 = (uint32_t)bits;
    float single;
    double real;
    memcpy(&single, &bits_32, sizeof single);
    memcpy(&real, &bits, sizeof real);
    return type == ES_TYPE_F32 ? (double)single : real;
}

char *replay_format_number(char *buffer, es_type type, uint64_t bits)
{
    bool single = type == ES_TYPE_F32;
    if (!single && type != ES_TYPE_F64) {
        int64_t number = type == ES_TYPE_I32 ? (int32_t)(uint32_t)bits : (int64_t)bits;
        snprintf(buffer, REPLAY_NUMBER, "%" PRId64, number);
        return buffer;
    }
    double real = real_of(type, bits);
    for (int digits = single ? 6 : 15; digits <= (single ? 9 : 17); ++digits) {
        snprintf(buffer, REPLAY_NUMBER, "%.*g", digits, real);
        if (single ? strtof(buffer, NULL) == (float)real : strtod(buffer, NULL) == real) {
            break;
        }
    }
    if (isnan(real)) { /* recordings have one NaN; any other was not written by the library */
        bool usual = bits == (single ? UINT64_C(0x7FC00000) : UINT64_C(0x7FF8000000000000));
        snprintf(buffer, REPLAY_NUMBER, usual ? "nan" : "nan(0x%" PRIx64 ")", bits);
    }
    return buffer;
}

const char *replay_type_name(es_type type)
{
    static const char *const names[] = {[ES_TYPE_F32] = "f32",
            [ES_TYPE_F64] = "f64",
            [ES_TYPE_I32] = "i32",
            [ES_TYPE_U32] = "u32",
            [ES_TYPE_I64] = "i64",
            [ES_TYPE_U8] = "u8"};
    bool known = (size_t)type < sizeof names / sizeof names[0] && names[type] != NULL;
    return known ? names[type] : "none";
}

/* --- text ------------------------------------------------------------------------------------- */

static bool is_ns(const char *key)
{
    size_t length = strlen(key);
    return length > 3 && strcmp(key + length - 3, "_ns") == 0;
}

/* "interval_ns" is shown as "interval ms". */
static char *label_of(char *label, size_t size, const char *key)
{
    size_t length = strlen(key);
    snprintf(label, size, "%.*s%s", (int)(is_ns(key) ? length - 2 : length), key,
            is_ns(key) ? "ms" : "");
    for (char *at = label; *at != '\0'; ++at) {
        *at = *at == '_' ? ' ' : *at;
    }
    return label;
}

static char *scalar_text(const char *key, const json_t *value)
{
    char text[REPLAY_NUMBER];
    if (json_is_string(value)) {
        return tool_escape(json_string_value(value));
    }
    if (json_is_integer(value) && is_ns(key)) {
        snprintf(text, sizeof text, "%.3f", ns_to_ms(json_integer_value(value)));
    } else if (json_is_integer(value)) {
        snprintf(text, sizeof text, "%" JSON_INTEGER_FORMAT, json_integer_value(value));
    } else if (json_is_real(value)) {
        snprintf(text, sizeof text, "%.9g", json_real_value(value));
    } else {
        snprintf(text, sizeof text, "%s",
                json_is_true(value)    ? "yes"
                : json_is_false(value) ? "no"
                                       : "-");
    }
    return tool_escape(text);
}

/* The first items of an array, or one value, as the rest of a line. */
static void print_values(replay_out *out, const char *key, const json_t *value)
{
    size_t count = json_is_array(value) ? json_array_size(value) : 1;
    if (count == 0) {
        printf("none");
    }
    for (size_t i = 0; i < count && i < SHOWN; ++i) {
        char *text = scalar_text(key, json_is_array(value) ? json_array_get(value, i) : value);
        out->failed = out->failed || text == NULL;
        printf("%s%s", i > 0 ? " " : "", text != NULL ? text : "");
        free(text);
    }
    if (count > SHOWN) {
        printf(" ... (%zu)", count);
    }
    putchar('\n');
}

/* The characters of a text, as most terminals count columns. */
static size_t width_of(const char *text)
{
    size_t width = 0;
    for (; *text != '\0'; ++text) {
        width += ((unsigned char)*text & 0xC0) != 0x80;
    }
    return width;
}

static void widen(size_t *width, const char *text)
{
    size_t wanted = width_of(text) < COLUMN_MAX ? width_of(text) : COLUMN_MAX;
    *width = wanted > *width ? wanted : *width;
}

static void widen_columns(replay_out *out, const json_t *row)
{
    for (size_t i = 0; out->columns[i] != NULL; ++i) {
        char label[64], *text = scalar_text(out->columns[i], json_object_get(row, out->columns[i]));
        out->widths[i] = out->widths[i] < COLUMN ? COLUMN : out->widths[i];
        widen(&out->widths[i], label_of(label, sizeof label, out->columns[i]));
        widen(&out->widths[i], text != NULL ? text : "");
        free(text);
    }
}

/* Texts stand to the left and numbers to the right; the last column is not padded. */
static void print_cells(replay_out *out, const json_t *row, bool labels)
{
    for (size_t i = 0; out->columns[i] != NULL; ++i) {
        const char *key = out->columns[i];
        const json_t *value = json_object_get(row, key);
        char label[64], *text = labels ? NULL : scalar_text(key, value);
        const char *cell = labels ? label_of(label, sizeof label, key) : text != NULL ? text : "";
        size_t width = out->widths[i], length = width_of(cell);
        int space = (int)(length < width ? width - length : 0);
        bool left = json_is_string(value);
        out->failed = out->failed || (!labels && text == NULL);
        printf("  %*s%s%*s", left ? 0 : space, "", cell,
                left && out->columns[i + 1] != NULL ? space : 0, "");
        free(text);
    }
    putchar('\n');
}

static void print_table(replay_out *out, json_t *rows)
{
    const char *columns[REPLAY_COLUMNS + 1] = {NULL}, *key;
    size_t count = 0, i;
    json_t *row, *value;
    json_object_foreach(json_array_get(rows, 0), key, value)
    {
        columns[count] = count < REPLAY_COLUMNS ? key : NULL;
        count += count < REPLAY_COLUMNS;
    }
    memset(out->widths, 0, sizeof out->widths);
    out->columns = columns;
    json_array_foreach(rows, i, row)
    {
        widen_columns(out, row);
    }
    print_cells(out, json_array_get(rows, 0), true);
    json_array_foreach(rows, i, row)
    {
        print_cells(out, row, false);
    }
    out->columns = NULL;
}

/* An object within another, of plain values, is one line. */
static bool is_line(json_t *value)
{
    const char *key;
    json_t *member;
    json_object_foreach(value, key, member)
    {
        if (json_is_object(member) || json_is_array(member)) {
            return false;
        }
    }
    return json_is_object(value);
}

static void print_line(replay_out *out, json_t *value)
{
    const char *key, *before = "";
    json_t *member;
    json_object_foreach(value, key, member)
    {
        char label[64], *text = scalar_text(key, member);
        out->failed = out->failed || text == NULL;
        printf("%s%s %s", before, label_of(label, sizeof label, key), text != NULL ? text : "");
        before = ", ";
        free(text);
    }
    putchar('\n');
}

static void print_value(replay_out *out, size_t indent, const char *key, json_t *value)
{
    char label[64];
    const char *member;
    json_t *child;
    bool is_object = json_is_object(value) && !(indent > 0 && is_line(value));
    bool is_rows = json_is_array(value) && json_is_object(json_array_get(value, 0));
    size_t used = indent + strlen(label_of(label, sizeof label, key));
    printf("%*s%s", (int)indent, "", label);
    if (is_object || is_rows) {
        putchar('\n');
    } else {
        printf("%*s", used < LABEL ? (int)(LABEL - used) : 1, "");
    }
    if (is_object) {
        json_object_foreach(value, member, child)
        {
            print_value(out, indent + 2, member, child);
        }
    } else if (is_rows) {
        print_table(out, value);
    } else if (json_is_object(value)) {
        print_line(out, value);
    } else {
        print_values(out, key, value);
    }
}

/* --- JSON and text ---------------------------------------------------------------------------- */

static void put_json(replay_out *out, const char *key, json_t *value)
{
    char *text = value != NULL ? json_dumps(
                         value, JSON_ENCODE_ANY | JSON_ENSURE_ASCII | JSON_REAL_PRECISION(17))
                               : NULL;
    out->failed = out->failed || text == NULL;
    printf("%s\n", out->any ? "," : "");
    if (key != NULL) {
        printf("\"%s\": ", key);
    }
    fputs(text != NULL ? text : "null", stdout);
    out->any = true;
    free(text);
}

void replay_out_begin(replay_out *out)
{
    out->any = false;
    if (out->json) {
        putchar('{');
    }
}

void replay_out_end(replay_out *out)
{
    if (out->json) {
        fputs("\n}\n", stdout);
    }
}

void replay_out_member(replay_out *out, const char *key, json_t *value)
{
    if (out->json) {
        put_json(out, key, value);
    } else if (value != NULL) {
        if (json_is_object(value) || json_is_array(value)) {
            putchar('\n');
        }
        print_value(out, 0, key, value);
    }
    json_decref(value);
}

void replay_list_begin(replay_out *out, const char *key, const char *const *columns)
{
    out->columns = columns;
    out->rows = 0;
    memset(out->widths, 0, sizeof out->widths);
    if (out->json) {
        printf("%s\n\"%s\": [", out->any ? "," : "", key);
        out->any = false;
    } else {
        printf("\n%s\n", key);
    }
}

void replay_list_row(replay_out *out, json_t *row)
{
    if (out->json) {
        put_json(out, NULL, row);
    } else if (row != NULL) {
        if (out->rows == 0) {
            widen_columns(out, row);
            print_cells(out, row, true);
        }
        print_cells(out, row, false);
    }
    out->rows += 1;
    json_decref(row);
}

void replay_list_end(replay_out *out)
{
    if (out->json) {
        fputs(out->any ? "\n]" : "]", stdout);
        out->any = true;
    } else if (out->rows == 0) {
        printf("  none\n");
    }
}

void replay_note(replay_out *out, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    if (!out->json) {
        tool_print(stdout, format, arguments);
        putchar('\n');
    }
    va_end(arguments);
}
