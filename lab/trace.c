/* SPDX-License-Identifier: Zlib
 *
 * Two passes over the text where it has several processes: one to find the one with the most rows,
 * one to take its numbers. Fields are slices of the text; nothing is copied.
 */
#include "lab/trace.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { COLUMNS_MAX = 512, PROCESSES_MAX = 64, EXCERPT_MAX = 24, PREAMBLE_MAX = 64 };

/* Numbers are read as value * 10^exponent in the unit that is wanted. */
enum { MS_TO_NS = 6, US_TO_NS = 3, TO_THOUSANDTHS = 3 };

static const int64_t cost_max_ns = INT64_C(1000000000000);

/* A piece of the text. */
typedef struct slice {
    const char *text;
    size_t size;
} slice;

typedef struct reader {
    slice text;
    size_t at;
    size_t line; /* from 1 */
    const lab_trace_options *options;
    lab_trace_error *error;
} reader;

/* Which columns matter, and in which unit the costs are. */
typedef struct header {
    size_t line;
    size_t count;
    size_t cost;
    size_t process;
    size_t fps;
    bool has_cost;
    bool has_process;
    bool has_fps;
    bool in_us; /* otherwise in ms */
    slice cost_name;
} header;

/* --- errors ----------------------------------------------------------------------------------- */

static es_result fail(const reader *r, size_t line, const char *format, ...)
{
    if (r->error == NULL) {
        return ES_ERR_INVALID;
    }
    char reason[128];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(reason, sizeof reason, format, arguments);
    va_end(arguments);
    const char *name = r->options->name != NULL ? r->options->name : "trace";
    r->error->line = line;
    if (line > 0) {
        snprintf(r->error->text, sizeof r->error->text, "%.80s:%zu: %s", name, line, reason);
    } else {
        snprintf(r->error->text, sizeof r->error->text, "%.80s: %s", name, reason);
    }
    return ES_ERR_INVALID;
}

/* The first printable characters. */
static const char *excerpt(char *out, slice field)
{
    size_t size = field.size < EXCERPT_MAX ? field.size : EXCERPT_MAX;
    for (size_t i = 0; i < size; ++i) {
        out[i] = field.text[i] >= ' ' && field.text[i] <= '~' ? field.text[i] : '?';
    }
    out[size] = '\0';
    return out;
}

static void copy_slice(char *out, size_t capacity, slice from)
{
    size_t size = from.size < capacity - 1 ? from.size : capacity - 1;
    memcpy(out, from.text, size);
    out[size] = '\0';
}

/* --- lines and fields ------------------------------------------------------------------------- */

static bool at_end(const reader *r)
{
    return r->at >= r->text.size;
}

static bool is_blank(char c)
{
    return c == ' ' || c == '\t';
}

static slice trimmed(slice field)
{
    while (field.size > 0 && is_blank(field.text[0])) {
        field.text += 1;
        field.size -= 1;
    }
    while (field.size > 0 && is_blank(field.text[field.size - 1])) {
        field.size -= 1;
    }
    return field;
}

/* Past the end of this line: LF, CRLF or CR. */
static void end_line(reader *r)
{
    if (!at_end(r) && r->text.text[r->at] == '\r') {
        r->at += 1;
    }
    if (!at_end(r) && r->text.text[r->at] == '\n') {
        r->at += 1;
    }
    r->line += 1;
}

static bool is_line_end(char c)
{
    return c == '\n' || c == '\r';
}

/* The line as it is; the reader moves past it. */
static slice read_line(reader *r)
{
    slice line = {r->text.text + r->at, 0};
    while (!at_end(r) && !is_line_end(r->text.text[r->at])) {
        r->at += 1;
        line.size += 1;
    }
    end_line(r);
    return line;
}

static es_result read_quoted(reader *r, slice *field)
{
    size_t line = r->line;
    r->at += 1;
    field->text = r->text.text + r->at;
    field->size = 0;
    while (!at_end(r)) {
        char c = r->text.text[r->at];
        bool doubled = c == '"' && r->at + 1 < r->text.size && r->text.text[r->at + 1] == '"';
        if (c == '"' && !doubled) {
            r->at += 1;
            if (!at_end(r) && r->text.text[r->at] != ',' && !is_line_end(r->text.text[r->at])) {
                return fail(r, r->line, "text after a closing quote");
            }
            return ES_OK;
        }
        r->line += c == '\n';
        r->at += doubled ? 2 : 1;
        field->size += doubled ? 2 : 1;
    }
    return fail(r, line, "a quote is not closed");
}

/* One field; *more: a comma follows, which is read too. Otherwise the line has ended. */
static es_result read_field(reader *r, slice *field, bool *more)
{
    es_result result = ES_OK;
    if (!at_end(r) && r->text.text[r->at] == '"') {
        result = read_quoted(r, field);
    } else {
        field->text = r->text.text + r->at;
        field->size = 0;
        while (!at_end(r) && r->text.text[r->at] != ',' && !is_line_end(r->text.text[r->at])) {
            r->at += 1;
            field->size += 1;
        }
        *field = trimmed(*field);
    }
    if (result != ES_OK) {
        return result;
    }
    *more = !at_end(r) && r->text.text[r->at] == ',';
    if (*more) {
        r->at += 1;
    } else {
        end_line(r);
    }
    return ES_OK;
}

/* --- numbers ---------------------------------------------------------------------------------- */

typedef enum number_kind {
    NUMBER_NONE, /* not one */
    NUMBER_GOOD,
    NUMBER_RANGE /* negative, or over 1000 s */
} number_kind;

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* Digits of a decimal number: value * 10^scale. What goes beyond 17 digits is cut off. */
typedef struct decimal {
    int64_t value;
    int scale;
    bool negative;
} decimal;

static bool parse_exponent(slice s, size_t at, int *exponent)
{
    bool negative = at < s.size && s.text[at] == '-';
    if (at < s.size && (s.text[at] == '-' || s.text[at] == '+')) {
        at += 1;
    }
    int value = 0;
    bool any = false;
    for (; at < s.size && is_digit(s.text[at]); ++at) {
        value = value < 1000 ? value * 10 + (s.text[at] - '0') : value;
        any = true;
    }
    *exponent = negative ? -value : value;
    return any && at == s.size;
}

static bool parse_decimal(slice s, decimal *out)
{
    size_t at = 0;
    decimal number = {0, 0, false};
    bool point = false;
    bool any = false;
    if (s.size > 0 && (s.text[0] == '-' || s.text[0] == '+')) {
        number.negative = s.text[0] == '-';
        at = 1;
    }
    for (; at < s.size && (is_digit(s.text[at]) || (s.text[at] == '.' && !point)); ++at) {
        if (s.text[at] == '.') {
            point = true;
            continue;
        }
        any = true;
        bool fits = number.value < INT64_C(10000000000000000);
        if (fits) {
            number.value = number.value * 10 + (s.text[at] - '0');
        }
        /* a digit after the point that counts, or one before it that does not; bounded */
        number.scale -= fits && point;
        number.scale += !fits && !point && number.scale < 1000;
    }
    int exponent = 0;
    if (any && at < s.size && (s.text[at] == 'e' || s.text[at] == 'E')) {
        if (!parse_exponent(s, at + 1, &exponent)) {
            return false;
        }
        at = s.size;
    }
    number.scale += exponent;
    *out = number;
    return any && at == s.size;
}

/* The number times 10^exponent, to the nearest. Costs: MS_TO_NS or US_TO_NS. */
static number_kind parse_scaled(slice s, int exponent, int64_t *scaled)
{
    decimal number;
    if (!parse_decimal(s, &number)) {
        return NUMBER_NONE;
    }
    int64_t value = number.value;
    for (int scale = number.scale + exponent; scale > 0 && value > 0; --scale) {
        if (value > cost_max_ns) {
            return NUMBER_RANGE;
        }
        value *= 10;
    }
    int64_t rest = 0;
    for (int scale = number.scale + exponent; scale < 0 && value > 0; ++scale) {
        rest = value % 10;
        value /= 10;
    }
    value += rest >= 5;
    *scaled = value;
    bool good = value <= cost_max_ns && (!number.negative || value == 0);
    return good ? NUMBER_GOOD : NUMBER_RANGE;
}

/* --- the header ------------------------------------------------------------------------------- */

static slice slice_of(const char *text)
{
    slice s = {text, strlen(text)};
    return s;
}

static bool equals(slice field, const char *name)
{
    return strlen(name) == field.size && memcmp(field.text, name, field.size) == 0;
}

static char lower(char c)
{
    return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

static bool equals_ignoring_case(slice a, slice b)
{
    if (a.size != b.size) {
        return false;
    }
    for (size_t i = 0; i < a.size; ++i) {
        if (lower(a.text[i]) != lower(b.text[i])) {
            return false;
        }
    }
    return true;
}

static bool is_cost_column(const reader *r, slice name)
{
    if (r->options->column != NULL) {
        return equals(name, r->options->column);
    }
    return equals_ignoring_case(name, slice_of("MsBetweenPresents"))
           || equals_ignoring_case(name, slice_of("FrameTime"));
}

/* The names in one line; the reader holds nothing else. */
static es_result read_names(reader *r, header *h)
{
    header found = {.line = r->line};
    bool more = true;
    while (more) {
        slice field;
        es_result result = read_field(r, &field, &more);
        if (result != ES_OK) {
            return result;
        }
        if (found.count == COLUMNS_MAX) {
            return fail(r, found.line, "more than %d columns", COLUMNS_MAX);
        }
        if (!found.has_cost && is_cost_column(r, field)) {
            found.has_cost = true;
            found.cost = found.count;
            found.cost_name = field;
        }
        if (!found.has_process && equals(field, "Application")) {
            found.has_process = true;
            found.process = found.count;
        }
        if (!found.has_fps && equals(field, "fps")) {
            found.has_fps = true;
            found.fps = found.count;
        }
        found.count += 1;
    }
    *h = found;
    return ES_OK;
}

static bool begins_with(slice line, const char *text)
{
    size_t size = strlen(text);
    return line.size >= size && memcmp(line.text, text, size) == 0;
}

/* Among the first lines the one that names the column. Before it may stand what MangoHud and
 * CapFrameX write of the machine, in lines that need not be CSV: each is read by itself. */
static es_result read_header(reader *r, header *h)
{
    size_t first = r->line;
    size_t last = 0;
    es_result damaged = ES_OK;
    while (!at_end(r) && r->line < first + PREAMBLE_MAX) {
        reader one = *r;
        last = r->line;
        one.text = trimmed(read_line(r));
        one.at = 0;
        if (last == first && begins_with(one.text, "{")) {
            return fail(
                    r, last, "JSON: give the CSV file (CapFrameX: capture file mode JSON + CSV)");
        }
        if (begins_with(one.text, "//")) {
            continue;
        }
        if (damaged != ES_OK) {
            one.error = NULL; /* the first damage is reported */
        }
        es_result result = read_names(&one, h);
        if (result == ES_OK && h->has_cost) {
            bool missing = r->options->process != NULL && !h->has_process;
            return missing ? fail(r, last, "a process is given, but there is no column Application")
                           : ES_OK;
        }
        damaged = damaged == ES_OK ? result : damaged;
    }
    if (last == 0) {
        return fail(r, 0, "no frame times in it");
    }
    if (damaged != ES_OK) {
        return damaged;
    }
    if (r->options->column != NULL) {
        return fail(r, last, "no header up to here has a column '%.40s'", r->options->column);
    }
    return fail(r, last, "no number, and no header up to here has MsBetweenPresents or FrameTime");
}

/* --- rows ------------------------------------------------------------------------------------- */

typedef struct row {
    size_t line;
    size_t count; /* of fields; before the first row: 0 */
    slice cost;
    slice process;
    slice fps;
} row;

/* The fields of a row, and whether each that is needed is there and whole. *one: the row before. */
static es_result read_fields(reader *r, const header *h, row *one)
{
    row read = {.line = r->line};
    bool more = true;
    while (more) {
        slice field;
        es_result result = read_field(r, &field, &more);
        if (result != ES_OK) {
            return result;
        }
        if (read.count == h->cost) {
            read.cost = field;
        }
        if (h->has_process && read.count == h->process) {
            read.process = field;
        }
        if (h->has_fps && read.count == h->fps) {
            read.fps = field;
        }
        read.count += 1;
    }
    size_t last = h->has_process && h->process > h->cost ? h->process : h->cost;
    if (read.count <= last) {
        return fail(r, read.line, "%zu fields, but the header has %zu", read.count, h->count);
    }
    size_t usual = one->count > 0 ? one->count : h->count;
    bool ended = is_line_end(r->text.text[r->text.size - 1]);
    if (at_end(r) && !ended && read.count == last + 1 && read.count < usual) {
        return fail(r, read.line, "the file ends in this row: %zu fields instead of %zu",
                read.count, usual);
    }
    *one = read;
    return ES_OK;
}

/* The next row; *found is false at the end. Blank lines are no rows. Rows may end before the header
 * does, as OCAT's do (it describes the machine in the first row only), but not before a
 * needed column. *one: the row before. */
static es_result read_row(reader *r, const header *h, row *one, bool *found)
{
    while (!at_end(r) && is_line_end(r->text.text[r->at])) {
        end_line(r);
    }
    *found = !at_end(r);
    return *found ? read_fields(r, h, one) : ES_OK;
}

/* --- the unit --------------------------------------------------------------------------------- */

/* How many rows say what of the unit of MangoHud's frametime. */
typedef struct units {
    size_t ms;
    size_t us;
    size_t others;
    size_t line;    /* of the first of the others */
    double product; /* its frame rate times its frame time */
} units;

/* Frames per second times frame time is 1000 where that is in ms, 1000000 where it is in us. Early
 * versions write a mean rate: within a factor of two it counts. */
static void weigh_units(units *u, const row *one)
{
    int64_t fps;
    int64_t cost;
    if (parse_scaled(one->fps, TO_THOUSANDTHS, &fps) != NUMBER_GOOD
            || parse_scaled(one->cost, TO_THOUSANDTHS, &cost) != NUMBER_GOOD || cost == 0) {
        return;
    }
    double product = (double)fps / 1e3 * ((double)cost / 1e3);
    if (product >= 500.0 && product <= 2000.0) {
        u->ms += 1;
    } else if (product >= 500e3 && product <= 2000e3) {
        u->us += 1;
    } else {
        u->line = u->others == 0 ? one->line : u->line;
        u->product = u->others == 0 ? product : u->product;
        u->others += 1;
    }
}

/* What most rows say. */
static es_result choose_unit(const reader *r, const units *u, header *h)
{
    size_t rows = u->ms + u->us + u->others;
    h->in_us = u->us > rows - u->us;
    if (h->in_us || u->ms > rows - u->ms || rows == 0) {
        return ES_OK;
    }
    if (u->others > 0) {
        return fail(r, u->line, "frametime: ms or us? fps * frametime is %.6g, not 1000 or 1000000",
                u->product);
    }
    return fail(
            r, h->line, "frametime: ms or us? fps says ms in %zu rows and us in %zu", u->ms, u->us);
}

/* Rows per process. Those beyond the first PROCESSES_MAX are not looked at. */
typedef struct census {
    slice names[PROCESSES_MAX];
    size_t rows[PROCESSES_MAX];
    size_t count;
    size_t total;
    units units;
} census;

static void count_row(census *c, slice process)
{
    size_t i = 0;
    while (i < c->count && !equals_ignoring_case(c->names[i], process)) {
        i += 1;
    }
    if (i == PROCESSES_MAX) {
        return;
    }
    if (i == c->count) {
        c->names[i] = process;
        c->rows[i] = 0;
        c->count += 1;
    }
    c->rows[i] += 1;
}

/* The first pass: checks every row, and counts the rows of each process. The reader stays where it
 * is. */
static es_result count_rows(const reader *r, const header *h, census *c)
{
    reader copy = *r;
    row one = {0};
    bool found = true;
    while (found) {
        es_result result = read_row(&copy, h, &one, &found);
        if (result != ES_OK) {
            return result;
        }
        if (found) {
            c->total += 1;
            count_row(c, one.process);
            weigh_units(&c->units, &one);
        }
    }
    return ES_OK;
}

static es_result choose_process(const reader *r, const census *c, slice *chosen)
{
    size_t best = 0;
    slice wanted = {r->options->process, 0};
    if (r->options->process != NULL) {
        wanted.size = strlen(r->options->process);
        while (best < c->count && !equals_ignoring_case(c->names[best], wanted)) {
            best += 1;
        }
        if (best == c->count) {
            return fail(r, 0, "no rows of process '%.60s'", r->options->process);
        }
    }
    for (size_t i = 0; r->options->process == NULL && i < c->count; ++i) {
        best = c->rows[i] > c->rows[best] ? i : best;
    }
    *chosen = c->names[best];
    return ES_OK;
}

/* --- taking numbers --------------------------------------------------------------------------- */

/* Where costs go. */
typedef struct costs {
    int64_t *ns;
    size_t capacity;
    lab_trace_info info;
} costs;

static void take(costs *out, int64_t ns)
{
    if (ns == 0) {
        out->info.skipped += 1;
        return;
    }
    if (out->ns != NULL && out->info.used < out->capacity) {
        out->ns[out->info.used] = ns;
    }
    out->info.used += 1;
    if (out->info.total_ns <= INT64_MAX - ns) {
        out->info.total_ns += ns;
    }
}

/* Numbers that are there on purpose to say that there is none. */
static bool is_missing(slice s)
{
    return s.size == 0 || equals(s, "NA") || equals(s, "-");
}

static es_result take_text(reader *r, costs *out, size_t line, slice s, const char *column)
{
    char shown[EXCERPT_MAX + 1];
    int64_t ns;
    bool in_us = out->info.in_us;
    switch (parse_scaled(s, in_us ? US_TO_NS : MS_TO_NS, &ns)) {
    case NUMBER_GOOD:
        take(out, ns);
        return ES_OK;
    case NUMBER_RANGE:
        return fail(r, line, "%s: must be 0 to %s: '%s'", column,
                in_us ? "1000000000 us" : "1000000 ms", excerpt(shown, s));
    case NUMBER_NONE:
        break;
    }
    return fail(r, line, "%s: not a number: '%s'", column, excerpt(shown, s));
}

/* The second pass. */
static es_result take_rows(reader *r, const header *h, slice process, costs *out)
{
    row one = {0};
    bool found = true;
    es_result result = read_row(r, h, &one, &found);
    while (result == ES_OK && found) {
        bool ours = process.text == NULL || equals_ignoring_case(one.process, process);
        if (ours && is_missing(one.cost)) {
            out->info.skipped += 1;
        } else if (ours) {
            result = take_text(r, out, one.line, one.cost, out->info.column);
        }
        if (result == ES_OK) {
            result = read_row(r, h, &one, &found);
        }
    }
    return result;
}

static es_result take_csv(reader *r, costs *out)
{
    header h;
    census c;
    c.count = 0;
    c.total = 0;
    memset(&c.units, 0, sizeof c.units);
    slice process = {NULL, 0};
    es_result result = read_header(r, &h);
    if (result == ES_OK) {
        result = count_rows(r, &h, &c);
    }
    if (result == ES_OK && h.has_fps && equals(h.cost_name, "frametime")) {
        result = choose_unit(r, &c.units, &h);
    }
    if (result == ES_OK && h.has_process && c.count > 0) {
        result = choose_process(r, &c, &process);
    }
    if (result != ES_OK) {
        return result;
    }
    out->info.rows = c.total;
    out->info.processes = h.has_process ? c.count : 0;
    out->info.in_us = h.in_us;
    copy_slice(out->info.column, sizeof out->info.column, h.cost_name);
    if (process.text != NULL) {
        copy_slice(out->info.process, sizeof out->info.process, process);
    }
    result = take_rows(r, &h, process, out);
    if (result == ES_OK && out->info.used == 0) {
        result = fail(r, h.line, "no frame times below this header");
    }
    return result;
}

static es_result take_plain(reader *r, costs *out)
{
    es_result result = ES_OK;
    while (result == ES_OK && !at_end(r)) {
        size_t line = r->line;
        slice text = trimmed(read_line(r));
        if (text.size == 0 || text.text[0] == '#') {
            continue;
        }
        out->info.rows += 1;
        result = take_text(r, out, line, text, "frame time");
    }
    return result;
}

/* The first line that says something decides; the reader stays where it is, or moves to it. */
static bool is_plain(reader *r)
{
    while (!at_end(r)) {
        reader before = *r;
        slice text = trimmed(read_line(r));
        if (text.size == 0 || text.text[0] == '#') {
            continue;
        }
        int64_t ns;
        *r = before;
        return parse_scaled(text, MS_TO_NS, &ns) != NUMBER_NONE;
    }
    return true;
}

es_result lab_trace_parse(const char *text, size_t size, const lab_trace_options *options,
        int64_t *costs_ns, size_t capacity, lab_trace_info *info, lab_trace_error *error)
{
    static const lab_trace_options defaults = {0};
    static const char byte_order_mark[] = "\xEF\xBB\xBF";
    reader r = {{text, size}, 0, 1, options != NULL ? options : &defaults, error};
    costs out = {costs_ns, capacity, {0}};
    if (size >= 3 && memcmp(text, byte_order_mark, 3) == 0) {
        r.at = 3;
    }
    es_result result;
    if (r.options->column == NULL && r.options->process == NULL && is_plain(&r)) {
        result = take_plain(&r, &out);
    } else {
        result = take_csv(&r, &out);
    }
    if (result == ES_OK && out.info.used == 0) {
        result = fail(&r, 0, "no frame times in it");
    }
    if (result != ES_OK) {
        return result;
    }
    if (info != NULL) {
        *info = out.info;
    }
    return costs_ns != NULL && out.info.used > capacity ? ES_ERR_SPACE : ES_OK;
}

/* --- files ------------------------------------------------------------------------------------ */

static const size_t file_max = (size_t)1000 * 1000 * 1000;

static es_result load_error(lab_trace_error *error, const char *path, const char *reason)
{
    if (error != NULL) {
        error->line = 0;
        snprintf(error->text, sizeof error->text, "%.160s: %s", path, reason);
    }
    return ES_ERR_INVALID;
}

/* The whole file; NULL: why is in reason. */
static char *read_file(const char *path, size_t *size, const char **reason)
{
    FILE *file = fopen(path, "rb");
    *reason = "cannot be opened";
    if (file == NULL) {
        return NULL;
    }
    char *text = NULL;
    size_t capacity = 0;
    size_t got = 1;
    *size = 0;
    *reason = NULL;
    while (got > 0 && *reason == NULL) {
        if (*size == capacity) {
            capacity = capacity > 0 ? capacity * 2 : 65536;
            char *larger = capacity <= 2 * file_max ? realloc(text, capacity) : NULL;
            *reason = larger == NULL ? "too large" : NULL;
            text = larger != NULL ? larger : text;
        }
        if (*reason == NULL) {
            got = fread(text + *size, 1, capacity - *size, file);
            *size += got;
        }
    }
    if (*reason == NULL && ferror(file)) {
        *reason = "cannot be read";
    }
    fclose(file);
    if (*reason != NULL) {
        free(text);
        text = NULL;
    }
    return text;
}

es_result lab_trace_load(lab_trace *trace, const char *path, const lab_trace_options *options,
        lab_trace_error *error)
{
    lab_trace empty = {0};
    lab_trace_options named = {0};
    size_t size = 0;
    const char *reason = NULL;
    *trace = empty;
    if (options != NULL) {
        named = *options;
    }
    named.name = named.name != NULL ? named.name : path;
    char *text = read_file(path, &size, &reason);
    if (text == NULL) {
        return load_error(error, path, reason);
    }
    es_result result = lab_trace_parse(text, size, &named, NULL, 0, &trace->info, error);
    if (result == ES_OK) {
        trace->count = trace->info.used;
        trace->costs_ns = malloc(trace->count * sizeof *trace->costs_ns);
        result = trace->costs_ns == NULL ? load_error(error, path, "too large") : ES_OK;
    }
    if (result == ES_OK) {
        result = lab_trace_parse(text, size, &named, trace->costs_ns, trace->count, NULL, error);
    }
    free(text);
    return result;
}

void lab_trace_free(lab_trace *trace)
{
    lab_trace empty = {0};
    free(trace->costs_ns);
    *trace = empty;
}
