/* SPDX-License-Identifier: Zlib */
#include "capture/input.h"

#include <limits.h>
#include <string.h>

/* --- bytes ------------------------------------------------------------------------------------ */

/* Moves what is unread to the front and reads on. False: nothing more came, or reading failed. */
static bool refill(lab_input *in)
{
    size_t got = 0;
    memmove(in->buffer, in->buffer + in->at, in->end - in->at);
    in->end -= in->at;
    in->from += in->at;
    in->at = 0;
    size_t space = in->capacity - in->end, place = in->from + in->end;
    if (in->file == NULL) {
        got = in->text.size - place < space ? in->text.size - place : space;
        memcpy(in->buffer + in->end, in->text.text + place, got);
    } else if (!in->is_shared
               || (place <= LONG_MAX && fseek(in->file, (long)place, SEEK_SET) == 0)) {
        got = fread(in->buffer + in->end, 1, space, in->file);
    }
    in->end += got;
    in->is_over = got == 0;
    return got > 0;
}

lab_slice lab_input_ahead(lab_input *in, size_t fewest)
{
    while (in->end - in->at < fewest && !in->is_over) {
        (void)refill(in);
    }
    return (lab_slice){in->buffer + in->at, in->end - in->at};
}

void lab_input_seek(lab_input *in, size_t place)
{
    in->from = place;
    in->at = in->end = 0;
    in->is_over = false;
}

bool lab_input_rewind(lab_input *in)
{
    lab_input_seek(in, 0);
    in->line = 1;
    bool ok = in->file == NULL || fseek(in->file, 0, SEEK_SET) == 0;
    if (ok && lab_input_peek(in) == 0xEF && in->end >= 3
            && memcmp(in->buffer, "\xEF\xBB\xBF", 3) == 0) {
        in->at = 3;
    }
    return ok;
}

/* --- records ---------------------------------------------------------------------------------- */

/* Whether the quoted fields of a text are closed. */
static bool is_closed(const char *text, size_t size)
{
    const char *quote = memchr(text, '"', size);
    if (quote == NULL) {
        return true;
    }
    bool inside = false;
    bool starts = quote == text || quote[-1] == ',';
    for (size_t i = (size_t)(quote - text); i < size; ++i) {
        char c = text[i];
        if (inside) {
            inside = c != '"' || (i + 1 < size && text[i + 1] == '"');
            i += c == '"' && inside;
        } else {
            inside = c == '"' && starts;
        }
        starts = !inside && c == ',';
    }
    return !inside;
}

lab_found lab_input_record(lab_input *in, bool quotes, lab_slice *record, bool *is_ended)
{
    size_t looked = 0; /* bytes known to hold no end of the record */
    size_t lines = 0;
    for (;;) {
        char *from = in->buffer + in->at;
        size_t size = in->end - in->at;
        char *end = size > looked ? memchr(from + looked, '\n', size - looked) : NULL;
        if (end == NULL && !in->is_over) {
            looked = size;
            if (size > LAB_RECORD_MAX) {
                return LAB_FOUND_LONG;
            }
            (void)refill(in);
            continue;
        }
        if (end == NULL && size == 0) {
            return in->file != NULL && ferror(in->file) ? LAB_FOUND_FAILED : LAB_FOUND_END;
        }
        size_t length = end != NULL ? (size_t)(end - from) : size;
        lines += end != NULL;
        if (quotes && !is_closed(from, length)) {
            looked = length + 1;
            if (end == NULL || length > LAB_RECORD_MAX) {
                return end == NULL ? LAB_FOUND_UNCLOSED : LAB_FOUND_LONG;
            }
            continue;
        }
        *record = (lab_slice){from, length};
        *is_ended = end != NULL;
        record->size -= length > 0 && from[length - 1] == '\r';
        in->at += length + (end != NULL);
        in->line += lines;
        return LAB_FOUND;
    }
}

/* --- fields ----------------------------------------------------------------------------------- */

static bool is_blank(char c)
{
    return c == ' ' || c == '\t';
}

lab_slice lab_trimmed(lab_slice s)
{
    while (s.size > 0 && is_blank(s.text[0])) {
        s.text += 1;
        s.size -= 1;
    }
    while (s.size > 0 && is_blank(s.text[s.size - 1])) {
        s.size -= 1;
    }
    return s;
}

bool lab_field(lab_slice *record, lab_slice *field, bool *more)
{
    const char *at = record->text;
    const char *end = at + record->size;
    if (at < end && *at == '"') {
        at += 1;
        field->text = at;
        while (at < end && (*at != '"' || (at + 1 < end && at[1] == '"'))) {
            at += *at == '"' ? 2 : 1;
        }
        field->size = (size_t)(at - field->text);
        at += at < end;
        if (at < end && *at != ',') {
            return false;
        }
    } else {
        while (at < end && *at != ',') {
            at += 1;
        }
        *field = lab_trimmed((lab_slice){record->text, (size_t)(at - record->text)});
    }
    *more = at < end;
    at += *more;
    record->size = (size_t)(end - at);
    record->text = at;
    return true;
}

static char lower(char c)
{
    return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

bool lab_slice_same(lab_slice a, lab_slice b)
{
    if (a.size != b.size || a.size == 0 || memcmp(a.text, b.text, a.size) == 0) {
        return a.size == b.size;
    }
    for (size_t i = 0; i < a.size; ++i) {
        if (lower(a.text[i]) != lower(b.text[i])) {
            return false;
        }
    }
    return true;
}

bool lab_slice_is(lab_slice a, const char *name)
{
    return lab_slice_same(a, (lab_slice){name, strlen(name)});
}

bool lab_begins_with(lab_slice line, const char *text)
{
    size_t size = strlen(text);
    return line.size >= size && memcmp(line.text, text, size) == 0;
}

bool lab_after(lab_slice line, const char *text, lab_slice *rest)
{
    size_t size = strlen(text);
    for (; line.size >= size; ++line.text, --line.size) {
        if (memcmp(line.text, text, size) == 0) {
            *rest = (lab_slice){line.text + size, line.size - size};
            return true;
        }
    }
    return false;
}

bool lab_is_missing(lab_slice s)
{
    return s.size == 0 || (s.size <= 2 && (lab_slice_is(s, "NA") || lab_slice_is(s, "-")));
}

const char *lab_odd_of(lab_slice line)
{
    size_t digits = 0;
    while (digits < line.size && strchr("0123456789,", line.text[digits]) != NULL
            && line.text[digits] != '\0') {
        digits += 1;
    }
    return memchr(line.text, ';', line.size) != NULL
                   ? "fields end with ';': save it with ',' and decimal points"
           : digits == line.size ? "a decimal comma: save it with decimal points"
                                 : NULL;
}

void lab_copy(char *out, size_t capacity, lab_slice from)
{
    size_t size = from.size < capacity - 1 ? from.size : capacity - 1;
    memcpy(out, from.text, size);
    out[size] = '\0';
    lab_make_printable(out);
}

void lab_make_printable(char *text)
{
    for (unsigned char *c = (unsigned char *)text; *c != '\0'; ++c) {
        bool is_high = c[0] == 0xC2 && c[1] >= 0x80 && c[1] <= 0x9F; /* U+0080 to U+009F */
        c[0] = c[0] < ' ' || c[0] == 127 || is_high ? '?' : c[0];
        c[is_high] = is_high ? '?' : c[0];
    }
}

const char *lab_excerpt(char *out, lab_slice from)
{
    lab_copy(out, LAB_EXCERPT, from);
    for (char *c = out; c < out + (from.size < LAB_EXCERPT ? from.size : LAB_EXCERPT - 1); ++c) {
        *c = *c >= ' ' && *c <= '~' ? *c : '?';
    }
    return out;
}

/* --- numbers ---------------------------------------------------------------------------------- */

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static bool parse_exponent(lab_slice s, size_t at, int *exponent)
{
    bool negative = at < s.size && s.text[at] == '-';
    at += at < s.size && (s.text[at] == '-' || s.text[at] == '+');
    size_t first = at;
    int value = 0;
    for (; at < s.size && is_digit(s.text[at]); ++at) {
        value = value < 1000 ? value * 10 + (s.text[at] - '0') : value;
    }
    *exponent = negative ? -value : value;
    return at > first && at == s.size;
}

bool lab_decimal_of(lab_slice s, lab_decimal *out)
{
    static const int64_t most = INT64_C(99999999999999999);
    bool negative = s.size > 0 && s.text[0] == '-';
    size_t at = s.size > 0 && (s.text[0] == '-' || s.text[0] == '+');
    size_t points = 0;
    size_t first = at;
    int64_t digits = 0;
    int scale = 0;
    for (; at < s.size; ++at) {
        char c = s.text[at];
        if (c == '.' && points == 0) {
            points = 1;
        } else if (!is_digit(c)) {
            break;
        } else if (digits <= most) {
            digits = digits * 10 + (c - '0');
            scale -= points > 0;
        } else {
            scale += points == 0 && scale < 1000; /* beyond 18 digits they are cut off */
        }
    }
    bool any = at - first > points;
    int exponent = 0;
    if (any && at < s.size && (s.text[at] == 'e' || s.text[at] == 'E')) {
        any = parse_exponent(s, at + 1, &exponent);
        at = s.size;
    }
    *out = (lab_decimal){negative ? -digits : digits, scale + exponent};
    return any && at == s.size;
}

long double lab_scale(long double value, int scale)
{
    static const long double powers[] = {1.0L, 1e1L, 1e2L, 1e3L, 1e4L, 1e5L, 1e6L, 1e7L, 1e8L, 1e9L,
            1e10L, 1e11L, 1e12L, 1e13L, 1e14L, 1e15L, 1e16L, 1e17L, 1e18L};
    enum { MOST = sizeof powers / sizeof powers[0] - 1 };
    for (; scale < -MOST; scale += MOST) {
        value /= powers[MOST];
    }
    for (; scale > MOST; scale -= MOST) {
        value *= powers[MOST]; /* up to infinity, which is out of range */
    }
    return scale < 0 ? value / powers[-scale] : value * powers[scale];
}

long double lab_scaled(lab_decimal number, int exponent)
{
    int scale = number.digits != 0 ? number.scale + exponent : 0;
    return lab_scale((long double)number.digits, scale);
}

/* Doubles hold both numbers exactly, so one operation rounds once (Clinger 1990). */
double lab_double_of(lab_decimal number, int exponent)
{
    static const double powers[] = {1.0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11,
            1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
    enum { MOST = sizeof powers / sizeof powers[0] - 1 };
    static const int64_t whole = INT64_C(1) << 53;
    int scale = number.scale + exponent;
    if (number.digits > whole || number.digits < -whole || scale < -MOST || scale > MOST) {
        return (double)lab_scaled(number, exponent);
    }
    double digits = (double)number.digits;
    return scale < 0 ? digits / powers[-scale] : digits * powers[scale];
}
