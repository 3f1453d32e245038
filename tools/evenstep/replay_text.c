/* SPDX-License-Identifier: Zlib */
#define _DEFAULT_SOURCE 1 /* TIOCGWINSZ */
#include "replay_text.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

/* --- where it goes ---------------------------------------------------------------------------- */

void replay_out_init(replay_out *out, bool json)
{
    struct winsize size;
    const char *terminal = getenv("TERM");
    *out = (replay_out){.file = stdout, .width = REPLAY_WIDTH, .json = json};
    if (json || isatty(STDOUT_FILENO) != 1) {
        return;
    }
    if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col >= 40) {
        out->width = size.ws_col;
    }
    out->styled = getenv("NO_COLOR") == NULL && terminal != NULL && strcmp(terminal, "dumb") != 0;
}

const char *replay_style_on(const replay_out *out, replay_style style)
{
    static const char *const codes[] = {
            "\033[0m", "\033[1m", "\033[2m", "\033[32m", "\033[33m", "\033[1;31m"};
    return out->styled ? codes[style] : "";
}

void replay_heading(replay_out *out, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    fprintf(out->file, "\n%s", replay_style_on(out, REPLAY_BOLD));
    vfprintf(out->file, format, arguments);
    fprintf(out->file, "%s\n", replay_style_on(out, REPLAY_PLAIN));
    va_end(arguments);
}

/* --- texts ------------------------------------------------------------------------------------ */

/* How many bytes the UTF-8 character here has, and which it is; 0: it is none. */
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
    bool good =
            *point >= least[size] && *point <= 0x10FFFF && !(*point >= 0xD800 && *point <= 0xDFFF);
    return good ? size : 0;
}

/* Controls; marks that turn the direction of text or are not seen; separators of lines. */
static bool is_printable(uint32_t point)
{
    return point >= 0x20 && !(point >= 0x7F && point < 0xA0) && point != 0xAD && point != 0x61C
           && !(point >= 0x200B && point <= 0x200F) && !(point >= 0x2028 && point <= 0x202E)
           && !(point >= 0x2060 && point <= 0x206F) && point != 0xFEFF
           && !(point >= 0xFFF0 && point <= 0xFFFC) && !(point >= 0xE0000 && point <= 0xE0FFF);
}

char *replay_escape(const void *bytes, size_t size)
{
    const unsigned char *at = bytes;
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

/* Columns to the end of the word that begins here, as far as it matters. */
static size_t word_columns(const char *at, size_t most)
{
    size_t columns = 0;
    while (columns <= most && at[0] != '\0' && (columns == 0 || at[0] != ' ')) {
        do {
            at += 1;
        } while (((unsigned char)*at & 0xC0) == 0x80);
        columns += 1;
    }
    return columns;
}

void replay_put_escaped(replay_out *out, const char *text, size_t indent)
{
    bool breaks = indent > 0 && out->width > indent + 20 && isatty(fileno(out->file)) == 1;
    size_t column = indent, most = breaks ? out->width - indent : 0;
    for (const char *at = text; *at != '\0'; ++at) {
        bool begins = ((unsigned char)*at & 0xC0) != 0x80; /* a character, not the rest of one */
        bool is_space = *at == ' ' && at[1] != '\0';
        bool fits = column + (is_space ? word_columns(at, most) : 1) <= out->width;
        if (breaks && begins && !fits && column > indent) {
            fprintf(out->file, "\n%*s", (int)indent, "");
            column = indent;
            at += is_space;
        }
        column += begins;
        fputc(*at, out->file);
    }
}

void replay_put_text(replay_out *out, const void *bytes, size_t size, size_t indent)
{
    char *text = replay_escape(bytes, size);
    out->is_short = out->is_short || text == NULL;
    replay_put_escaped(out, text != NULL ? text : "", indent);
    free(text);
}

void replay_put_hex(replay_out *out, const unsigned char *bytes, size_t size, size_t indent)
{
    size_t per_row = out->width >= indent + 16 * 4 + 1 ? 16 : 8;
    for (size_t row = 0; row < size; row += per_row) {
        size_t count = size - row < per_row ? size - row : per_row;
        if (row > 0) {
            fprintf(out->file, "%*s", (int)indent, "");
        }
        for (size_t i = 0; i < count; ++i) {
            fprintf(out->file, "%02x ", bytes[row + i]);
        }
        fprintf(out->file, "%*s ", (int)(3 * (per_row - count)), "");
        for (size_t i = 0; i < count; ++i) {
            unsigned char byte = bytes[row + i];
            fputc(byte >= 0x20 && byte < 0x7F ? byte : '.', out->file);
        }
        fputc('\n', out->file);
    }
    if (size == 0) {
        fputc('\n', out->file);
    }
}

/* --- numbers ---------------------------------------------------------------------------------- */

char *replay_format_size(char *buffer, uint64_t bytes)
{
    static const char *const units[] = {"kB", "MB", "GB", "TB", "PB", "EB"};
    double value = (double)bytes / 1e3;
    size_t unit = 0;
    if (bytes < 1000) {
        snprintf(buffer, REPLAY_NUMBER, "%" PRIu64 " byte%s", bytes, bytes == 1 ? "" : "s");
        return buffer;
    }
    for (; value >= 999.5 && unit + 1 < sizeof units / sizeof units[0]; ++unit) {
        value /= 1e3;
    }
    snprintf(buffer, REPLAY_NUMBER, "%.*f %s", value < 9.95 ? 1 : 0, value, units[unit]);
    return buffer;
}

char *replay_format_ms(char *buffer, int64_t ns)
{
    uint64_t size = ns < 0 ? (uint64_t)0 - (uint64_t)ns : (uint64_t)ns;
    uint64_t us = size / 1000 + (size % 1000 >= 500);
    snprintf(buffer, REPLAY_NUMBER, "%s%" PRIu64 ".%03" PRIu64, ns < 0 && us > 0 ? "-" : "",
            us / 1000, us % 1000);
    return buffer;
}

static void format_float(char *buffer, double value, bool is_f32)
{
    int most = is_f32 ? 9 : 17;
    for (int digits = is_f32 ? 6 : 15; digits <= most; ++digits) {
        snprintf(buffer, REPLAY_NUMBER, "%.*g", digits, value);
        bool same = is_f32 ? strtof(buffer, NULL) == (float)value : strtod(buffer, NULL) == value;
        if (same) {
            return;
        }
    }
}

/* False: it is no number, and the text says what it is. */
static bool format(char *buffer, es_type type, uint64_t bits)
{
    uint32_t bits_32 = (uint32_t)bits;
    int32_t whole_32;
    int64_t whole;
    float single;
    double real;
    switch (type) {
    case ES_TYPE_F32:
        memcpy(&single, &bits_32, sizeof single);
        real = (double)single;
        break;
    case ES_TYPE_F64:
        memcpy(&real, &bits, sizeof real);
        break;
    case ES_TYPE_I32:
        memcpy(&whole_32, &bits_32, sizeof whole_32);
        snprintf(buffer, REPLAY_NUMBER, "%" PRId32, whole_32);
        return true;
    case ES_TYPE_I64:
        memcpy(&whole, &bits, sizeof whole);
        snprintf(buffer, REPLAY_NUMBER, "%" PRId64, whole);
        return true;
    default:
        snprintf(buffer, REPLAY_NUMBER, "%" PRIu64, bits);
        return true;
    }
    if (isnan(real)) { /* the one that is packed, or one that nothing of ours has written */
        bool packed =
                bits == (type == ES_TYPE_F32 ? UINT64_C(0x7FC00000) : UINT64_C(0x7FF8000000000000));
        snprintf(buffer, REPLAY_NUMBER, packed ? "nan" : "nan(0x%" PRIx64 ")", bits);
        return false;
    }
    if (isinf(real)) {
        snprintf(buffer, REPLAY_NUMBER, real < 0.0 ? "-inf" : "inf");
        return false;
    }
    format_float(buffer, real, type == ES_TYPE_F32);
    return true;
}

char *replay_format_number(char *buffer, es_type type, uint64_t bits)
{
    (void)format(buffer, type, bits);
    return buffer;
}

char *replay_format_json_number(char *buffer, es_type type, uint64_t bits)
{
    char text[REPLAY_NUMBER];
    bool is_number = format(text, type, bits);
    if (is_number && strcmp(text, "-0") == 0) {
        snprintf(buffer, REPLAY_NUMBER, "-0.0"); /* else a reader may take it for the integer 0 */
    } else {
        snprintf(buffer, REPLAY_NUMBER, is_number ? "%.32s" : "\"%.32s\"", text);
    }
    return buffer;
}

const char *replay_type_name(es_type type)
{
    switch (type) {
    case ES_TYPE_F32:
        return "f32";
    case ES_TYPE_F64:
        return "f64";
    case ES_TYPE_I32:
        return "i32";
    case ES_TYPE_U32:
        return "u32";
    case ES_TYPE_I64:
        return "i64";
    case ES_TYPE_U8:
        return "u8";
    default:
        return "none";
    }
}

/* --- JSON ------------------------------------------------------------------------------------- */

static void put(replay_out *out, json_t *value)
{
    char *text = value != NULL ? json_dumps(
                         value, JSON_ENCODE_ANY | JSON_ENSURE_ASCII | JSON_REAL_PRECISION(12))
                               : NULL;
    json_decref(value);
    out->is_short = out->is_short || text == NULL;
    fputs(text != NULL ? text : "null", out->file);
    free(text);
}

void replay_json_begin(replay_out *out)
{
    fputs("{", out->file);
    out->any = false;
}

void replay_json_next(replay_out *out)
{
    fputs(out->any ? ",\n" : "\n", out->file);
    out->any = true;
}

void replay_json_member(replay_out *out, const char *key, json_t *value)
{
    replay_json_next(out);
    fprintf(out->file, "\"%s\": ", key);
    put(out, value);
}

void replay_json_list_begin(replay_out *out, const char *key)
{
    replay_json_next(out);
    fprintf(out->file, "\"%s\": [", key);
    out->any = false;
}

void replay_json_item(replay_out *out, json_t *value)
{
    replay_json_next(out);
    put(out, value);
}

void replay_json_list_end(replay_out *out)
{
    fputs(out->any ? "\n]" : "]", out->file);
    out->any = true;
}

void replay_json_end(replay_out *out)
{
    fputs("\n}\n", out->file);
}

/* Every byte that is no UTF-8 becomes U+FFFD. Memory that the caller frees. */
static char *replaced(const unsigned char *at, size_t size, size_t *length)
{
    char *text = malloc(3 * size + 1), *end = text;
    while (text != NULL && size > 0) {
        uint32_t point;
        size_t taken = decode(at, size, &point);
        if (taken == 0) {
            memcpy(end, "\xEF\xBF\xBD", 3);
            end += 3;
            taken = 1;
        } else {
            memcpy(end, at, taken);
            end += taken;
        }
        at += taken;
        size -= taken;
    }
    *length = text != NULL ? (size_t)(end - text) : 0;
    return text;
}

static bool is_utf8(const unsigned char *at, size_t size)
{
    uint32_t point;
    for (size_t taken; size > 0; at += taken, size -= taken) {
        taken = decode(at, size, &point);
        if (taken == 0) {
            return false;
        }
    }
    return true;
}

void replay_json_set_text(json_t *object, const char *key, const void *bytes, size_t size)
{
    size_t length;
    char *text = replaced(bytes, size, &length);
    json_object_set_new(object, key, text != NULL ? json_stringn(text, length) : NULL);
    free(text);
    if (is_utf8(bytes, size)) {
        return;
    }
    char name[64];
    char *hex = malloc(2 * size + 1);
    for (size_t i = 0; hex != NULL && i < size; ++i) {
        (void)sprintf(hex + 2 * i, "%02x", ((const unsigned char *)bytes)[i]);
    }
    snprintf(name, sizeof name, "%s_hex", key);
    json_object_set_new(object, name, hex != NULL ? json_string(hex) : NULL);
    free(hex);
}

json_t *replay_json_count(uint64_t value)
{
    char text[REPLAY_NUMBER];
    if (value <= (uint64_t)INT64_MAX) {
        return json_integer((json_int_t)value);
    }
    snprintf(text, sizeof text, "%" PRIu64, value);
    return json_string(text);
}

json_t *replay_json_hash(uint64_t hash)
{
    char text[REPLAY_NUMBER];
    snprintf(text, sizeof text, "%016" PRIx64, hash);
    return json_string(text);
}
