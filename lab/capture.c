/* SPDX-License-Identifier: Zlib
 *
 * Two passes over the rows: one to check them, to find the program and swap chain with the most rows
 * and what they have; one to make frames of them.
 */
#include "lab/capture_parts.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

enum { COLUMNS_MAX = 2048, STREAMS_MAX = 64, PREAMBLE_MAX = 1024, KEY_MAX = 160 };

static const double duration_min_ms = 1e-9; /* less is 0: no clock counts it */
static const double duration_max_ms = 1e6;
static const double content_back_ms = 1000.0; /* no jitter is that large */
static const double idle_ms = 100.0;
static const double time_max_ms = 1e10; /* 115 days, to which doubles count picoseconds */

/* The needed fields of a row. */
typedef struct row {
    size_t line;
    size_t count;                  /* of fields */
    lab_slice fields[LAB_Q_COUNT]; /* CSV */
    double numbers[LAB_Q_COUNT];   /* JSON; NaN: missing */
    bool begins_run;               /* JSON */
} row;

/* Rows of one program and swap chain. */
typedef struct stream {
    char key[KEY_MAX]; /* program, process number, swap chain */
    size_t key_size;
    size_t name_size; /* of the program's */
    size_t rows, composed, tearing;
    uint64_t has; /* quantities that are there and not 0, by bits */
} stream;

/* The digits of the stamps: the window of PresentMon writes six in all, which are 0.1 ms from 10 s
 * on (RawFrameDataWriter.cpp). */
typedef struct stamps {
    int digits, scale; /* most digits of a number, and the last place of any, in powers of ten */
    double step_ms;    /* what the last place of the newest one counts */
} stamps;

/* The log of Metal's HUD has several frames per line. */
typedef struct hud_line {
    lab_slice rest;
    bool more;
    int64_t first, next; /* numbers of its first frame, and of that after its last */
} hud_line;

/* How many rows say what of the unit of MangoHud's frame times. */
typedef struct units {
    size_t ms, us, rows;
} units;

struct lab_capture {
    lab_input in;
    lab_json json;
    bool is_json, is_plain;
    row row;
    char buffer[2 * LAB_RECORD_MAX];
    char name[256];
    char wanted_column[64];
    lab_capture_info info;
    unsigned family;
    /* the header */
    size_t header_fields;
    size_t fields_needed;               /* in every row */
    size_t usual;                       /* fields of the row before */
    unsigned char meaning[COLUMNS_MAX]; /* lab_quantity */
    int exponent[LAB_Q_COUNT];
    char column[LAB_Q_COUNT][48];     /* its name in the file */
    uint64_t columns;                 /* the quantities that have one, by bits, */
    lab_quantity listed[LAB_Q_COUNT]; /* and in order */
    size_t listed_count;
    /* the first pass */
    stream streams[STREAMS_MAX];
    size_t stream_count;
    units units;
    stamps stamps;
    const stream *chosen;
    /* both */
    hud_line hud;
    char window[64]; /* Android's, of the rows */
    bool in_rows;    /* Android: between two lines "---PROFILEDATA---" */
    /* the second pass */
    double v[LAB_Q_COUNT]; /* a row's numbers: durations, or times from the first on */
    bool has_origin, has_content_origin, has_frame;
    long double origin, content_origin;
    lab_capture_frame last;
    double next_start_ms; /* CPU start of the next frame, where rows say that */
    double last_shown_ms; /* where rows give only the time between */
    double run_base_ms;
    int32_t breaks;
    double series;
    size_t made; /* frames */
};

/* --- errors ----------------------------------------------------------------------------------- */

es_result lab_capture_refuse(
        const lab_capture *capture, lab_capture_error *error, size_t line, const char *format, ...)
{
    if (error != NULL) {
        char reason[200];
        va_list arguments;
        va_start(arguments, format);
        vsnprintf(reason, sizeof reason, format, arguments);
        va_end(arguments);
        error->line = line;
        char place[24] = "";
        if (line > 0) {
            snprintf(place, sizeof place, ":%zu", line);
        }
        snprintf(error->text, sizeof error->text, "%.80s%s: %s", capture->name, place, reason);
        lab_make_printable(error->text);
    }
    return ES_ERR_INVALID;
}

#define fail lab_capture_refuse

static es_result refuse_as(lab_capture_error *error, const lab_capture_error *why)
{
    if (error != NULL) {
        *error = *why;
    }
    return ES_ERR_INVALID;
}

static es_result fail_found(
        const lab_capture *c, lab_found found, size_t line, lab_capture_error *error)
{
    return found == LAB_FOUND_LONG ? fail(c, error, line, "longer than %d bytes", LAB_RECORD_MAX)
           : found == LAB_FOUND_UNCLOSED ? fail(c, error, line, "a quote is not closed")
                                         : fail(c, error, 0, "cannot be read");
}

/* --- numbers ---------------------------------------------------------------------------------- */

static bool is_listed(const lab_capture *c, lab_quantity q)
{
    return (c->columns >> q & 1) != 0;
}

static bool has(const lab_capture *c, lab_quantity q)
{
    return (c->chosen->has >> q & 1) != 0;
}

/* A field as a number in its own unit, or a word as 0 or 1. */
static es_result number_of(const lab_capture *c, const row *one, lab_quantity q,
        lab_decimal *number, lab_capture_error *error)
{
    lab_slice s = one->fields[q];
    char shown[LAB_EXCERPT];
    if (lab_decimal_of(s, number)) {
        return ES_OK;
    }
    if (q == LAB_Q_DROPPED && (lab_slice_is(s, "true") || lab_slice_is(s, "false"))) {
        *number = (lab_decimal){s.size == 4, 0};
        return ES_OK;
    }
    return fail(c, error, one->line, "%s: not a number: '%s'", c->column[q], lab_excerpt(shown, s));
}

/* A duration in ms; NaN: missing. */
static es_result duration_of(
        const lab_capture *c, const row *one, lab_quantity q, double *ms, lab_capture_error *error)
{
    lab_decimal number;
    *ms = c->is_json ? one->numbers[q] : (double)NAN;
    if (!c->is_json && !lab_is_missing(one->fields[q])) {
        if (number_of(c, one, q, &number, error) != ES_OK) {
            return ES_ERR_INVALID;
        }
        *ms = lab_double_of(number, c->exponent[q]);
    }
    *ms = fabs(*ms) < duration_min_ms ? 0.0 : *ms;
    bool is_signed = (q >= LAB_Q_UNTIL_GPU && q <= LAB_Q_UNTIL_GPU_END) || q == LAB_Q_SIMULATION;
    if (*ms > duration_max_ms || *ms < (is_signed ? -duration_max_ms : 0.0)) {
        char shown[LAB_EXCERPT];
        snprintf(shown, sizeof shown, "%g", *ms);
        (void)(c->is_json ? shown : lab_excerpt(shown, one->fields[q]));
        bool mango = c->family == LAB_FAMILY_MANGO_HUD;
        bool present_mon = (c->family & (LAB_FAMILY_PRESENT_MON | LAB_FAMILY_V2)) != 0;
        return fail(c, error, one->line, "%s: must be %s to %s: '%s'%s", c->column[q],
                is_signed ? "-1000000" : "0", c->exponent[q] == -3 ? "1000000000 us" : "1000000 ms",
                shown,
                mango && *ms > 0.0                ? ", as MangoHud writes without log_interval=0"
                : present_mon && fabs(*ms) > 1e12 ? ", as faulty versions of PresentMon write"
                                                  : "");
    }
    return ES_OK;
}

static int count_digits(lab_decimal number)
{
    int digits = 0;
    for (int64_t rest = number.digits; rest != 0; rest /= 10) {
        digits += 1;
    }
    return digits;
}

/* A time in ms since the first one of its clock; NaN: missing. */
static es_result time_of(
        lab_capture *c, const row *one, lab_quantity q, double *ms, lab_capture_error *error)
{
    bool content = q == LAB_Q_CONTENT_AT || q == LAB_Q_SIMULATION_AT;
    long double *origin = content ? &c->content_origin : &c->origin;
    bool *has_origin = content ? &c->has_content_origin : &c->has_origin;
    lab_decimal number;
    long double raw;
    *ms = (double)NAN;
    if (c->is_json) {
        raw = (long double)one->numbers[q];
        if (isnan(one->numbers[q])) {
            return ES_OK;
        }
    } else if (lab_is_missing(one->fields[q])) {
        return ES_OK;
    } else {
        if (number_of(c, one, q, &number, error) != ES_OK) {
            return ES_ERR_INVALID;
        }
        if (c->family == LAB_FAMILY_ANDROID && number.digits == 0) {
            return ES_OK; /* not known */
        }
        if (q == LAB_Q_PRESENT_AT) {
            int place = count_digits(number) + number.scale - c->stamps.digits;
            place = place > c->stamps.scale ? place : c->stamps.scale;
            c->stamps.step_ms = (double)lab_scale(1.0L, place + c->exponent[q]);
        }
        raw = lab_scaled(number, 0);
    }
    if (!*has_origin) {
        *has_origin = true;
        *origin = raw;
    }
    /* the difference first: times since 1970 in ns have more digits than a double */
    *ms = (double)lab_scale(raw - *origin, c->exponent[q]);
    return fabs(*ms) > time_max_ms
                   ? fail(c, error, one->line, "%s: not within 115 days of the first", c->column[q])
                   : ES_OK;
}

/* --- the header ------------------------------------------------------------------------------- */

static void give_meaning(
        lab_capture *c, size_t column, lab_quantity q, int exponent, lab_slice name)
{
    if (is_listed(c, q)) {
        return; /* the first of two counts */
    }
    c->columns |= UINT64_C(1) << q;
    c->meaning[column] = (unsigned char)q;
    c->exponent[q] = exponent;
    lab_copy(c->column[q], sizeof c->column[q], name);
    bool needed = q == LAB_Q_PROCESS || q == LAB_Q_FRAME || q == LAB_Q_FRAME_NEXT
                  || q == LAB_Q_CPU_AT || (q == LAB_Q_PRESENT_AT && c->family >= LAB_FAMILY_FRAPS);
    if (needed && column + 1 > c->fields_needed) {
        c->fields_needed = column + 1;
    }
}

/* A column that the user names takes the place of the format's frame times. */
static bool use_wanted(lab_capture *c, const lab_slice *names, size_t count)
{
    for (size_t i = 0; i < count; ++i) {
        if (names[i].size != strlen(c->wanted_column)
                || memcmp(names[i].text, c->wanted_column, names[i].size) != 0) {
            continue;
        }
        const lab_column *known = lab_column_of(names[i], c->family);
        bool is_stamp = c->family == LAB_FAMILY_FRAPS && known != NULL;
        if (known == NULL
                || (known->quantity != LAB_Q_FRAME && known->quantity != LAB_Q_FRAME_NEXT
                        && !is_stamp)) {
            c->family = LAB_FAMILY_OTHER;
            c->info.format = "CSV";
            give_meaning(c, i, LAB_Q_FRAME, 0, names[i]);
        }
        return true;
    }
    return false;
}

/* Whether a line is the header; then its columns have a meaning. */
static bool take_header(lab_capture *c, const lab_slice *names, size_t count)
{
    const lab_format *format = lab_format_of(names, count);
    c->info.format = format != NULL ? format->title : "CSV";
    c->family = format != NULL ? format->family : LAB_FAMILY_OTHER;
    if (c->wanted_column[0] != '\0' ? !use_wanted(c, names, count) : format == NULL) {
        return false;
    }
    for (size_t i = 0; i < count; ++i) {
        const lab_column *known = lab_column_of(names[i], c->family);
        if (known != NULL && c->meaning[i] == LAB_Q_NONE) {
            give_meaning(c, i, known->quantity, known->exponent, names[i]);
        }
    }
    c->header_fields = c->usual = count;
    return true;
}

static es_result split_header(
        lab_capture *c, lab_slice line, size_t number, bool *found, lab_capture_error *error)
{
    static const lab_slice none = {"", 0};
    lab_slice names[COLUMNS_MAX];
    size_t count = 0;
    bool more = true;
    *found = false;
    while (more) {
        if (count == COLUMNS_MAX) {
            return fail(c, error, number, "more than %d columns", COLUMNS_MAX);
        }
        names[count] = none;
        bool open = line.size > 1 && line.text[0] == '"'
                    && memchr(line.text + 1, '"', line.size - 1) == NULL;
        if (open || !lab_field(&line, &names[count], &more)) {
            return fail(c, error, number,
                    open ? "a quote is not closed" : "text after a closing quote");
        }
        count += 1;
    }
    *found = take_header(c, names, count);
    return ES_OK;
}

/* The first line that says something decides whether a file is plain numbers. */
static bool take_plain(lab_capture *c, lab_slice line)
{
    lab_decimal number;
    c->is_plain = lab_decimal_of(line, &number) && c->wanted_column[0] == '\0';
    if (c->is_plain) {
        c->info.format = "plain numbers";
        c->family = LAB_FAMILY_OTHER;
        give_meaning(c, 0, LAB_Q_FRAME, 0, (lab_slice){"frame time", 10});
    }
    return c->is_plain;
}

/* "metal-HUD: FIRST FRAME,MISSED,MEMORY,INTERVAL,GPU,INTERVAL,GPU...", in ms. Source:
 * developer.apple.com/documentation/xcode/monitoring-your-metal-apps-graphics-performance */
static const char hud_mark[] = "metal-HUD:";

static bool take_hud(lab_capture *c, lab_slice line)
{
    lab_slice rest;
    if (c->wanted_column[0] != '\0' || !lab_after(line, hud_mark, &rest)) {
        return false;
    }
    c->info.format = "Metal HUD";
    c->family = LAB_FAMILY_METAL;
    give_meaning(c, 0, LAB_Q_FRAME, 0, (lab_slice){"present interval", 16});
    give_meaning(c, 1, LAB_Q_GPU_BUSY, 0, (lab_slice){"GPU time", 8});
    return true;
}

/* Each window of an app has rows of its own, below a line with its name. */
static void take_android(lab_capture *c)
{
    if (c->family == LAB_FAMILY_ANDROID) {
        c->columns |= UINT64_C(1) << LAB_Q_PROCESS;
        lab_copy(c->column[LAB_Q_PROCESS], sizeof c->column[0], (lab_slice){"Window", 6});
    }
}

/* To the first row. */
static es_result rewind_rows(lab_capture *c, lab_capture_error *error)
{
    lab_json_rewind(&c->json);
    c->row.line = 0;
    c->hud = (hud_line){.first = INT64_MAX};
    c->window[0] = '\0';
    c->in_rows = false;
    c->usual = c->header_fields;
    bool skips = c->json.rows == 0 && c->family != LAB_FAMILY_ANDROID;
    if (c->json.rows == 0 && !lab_input_rewind(&c->in)) {
        return fail(c, error, 0, "cannot be read twice: give a file, not a pipe");
    }
    while (skips && c->in.line <= c->info.header_line) {
        lab_slice line;
        bool ended;
        (void)lab_input_record(&c->in, false, &line, &ended);
    }
    return ES_OK;
}

/* The lines before the header. */
typedef struct preamble {
    size_t last, said, odd_line; /* lines; said: how many that are no comments */
    const char *odd;             /* what is wrong with the first that is none */
    lab_capture_error damaged;
    bool comments;
} preamble;

static es_result refuse_header(const lab_capture *c, const preamble *p, lab_capture_error *error)
{
    if (p->damaged.line > 0) {
        return refuse_as(error, &p->damaged);
    }
    if (p->last == 0 || (p->said == 0 && !p->comments)) {
        return fail(c, error, 0, "no frame times in it");
    }
    if (c->wanted_column[0] != '\0') {
        return fail(
                c, error, p->last, "no header up to here has a column '%.40s'", c->wanted_column);
    }
    return p->odd != NULL ? fail(c, error, p->odd_line, "%s", p->odd)
                          : fail(c, error, p->last,
                                  "no number, and no header up to here has MsBetweenPresents or "
                                  "FrameTime (--column NAME takes another one)");
}

/* Reads up to the header, or to the first row of plain numbers. */
static es_result read_header(lab_capture *c, lab_capture_error *error)
{
    preamble p = {.last = 0};
    bool found = false;
    while (!found && c->in.line <= PREAMBLE_MAX) {
        lab_slice line;
        bool ended;
        size_t number = c->in.line;
        lab_found state = lab_input_record(&c->in, false, &line, &ended);
        if (state == LAB_FOUND_END) {
            break;
        }
        if (state != LAB_FOUND) {
            return fail_found(c, state, c->in.line, error);
        }
        line = lab_trimmed(line);
        p.comments = p.comments || lab_begins_with(line, "//");
        p.last = number;
        if (line.size == 0 || line.text[0] == '#' || lab_begins_with(line, "//")) {
            continue;
        }
        p.said += 1;
        if ((p.said == 1 && take_plain(c, line)) || take_hud(c, line)) {
            return rewind_rows(c, error);
        }
        if (p.said == 1) {
            p.odd = lab_odd_of(line);
            p.odd_line = number;
        }
        lab_capture_error problem = {"", 0};
        if (split_header(c, line, number, &found, &problem) != ES_OK && p.damaged.line == 0) {
            p.damaged = problem;
        }
        c->info.header_line = found ? number : 0;
    }
    if (!found) {
        return refuse_header(c, &p, error);
    }
    take_android(c);
    bool capframex = p.comments && c->family == LAB_FAMILY_PRESENT_MON;
    c->info.format = capframex ? "CapFrameX" : c->info.format;
    return c->family == LAB_FAMILY_ANDROID ? rewind_rows(c, error) : ES_OK;
}

/* --- rows ------------------------------------------------------------------------------------- */

/* Splits a record. Rows may end before the header does, as OCAT's do (it describes the machine in
 * the first row only), but not before a needed column. */
static es_result split_row(lab_capture *c, lab_slice record, row *one, lab_capture_error *error)
{
    bool more = true;
    if (c->is_plain) {
        one->fields[LAB_Q_FRAME] = record;
        one->count = 1;
        return ES_OK;
    }
    for (size_t i = 0; i < c->listed_count; ++i) {
        one->fields[c->listed[i]].size = 0;
    }
    for (one->count = 0; more; ++one->count) {
        lab_slice field;
        if (!lab_field(&record, &field, &more)) {
            return fail(c, error, one->line, "text after a closing quote");
        }
        if (one->count < c->header_fields) {
            one->fields[c->meaning[one->count]] = field;
        }
    }
    bool grows = c->family == LAB_FAMILY_UNREAL; /* a column more when a statistic begins */
    if (one->count < c->fields_needed || (one->count > c->header_fields && !grows)) {
        return fail(c, error, one->line, "%zu fields, but the header has %zu%s", one->count,
                c->header_fields, one->count > c->header_fields ? " (commas within numbers?)" : "");
    }
    return ES_OK;
}

static void take_hud_field(hud_line *hud, lab_slice *field)
{
    hud->more = lab_field(&hud->rest, field, &hud->more) && hud->more
                && lab_trimmed(hud->rest).size > 0;
}

/* The next frame of Metal's log. Lines may repeat frames. */
static es_result next_hud(lab_capture *c, row *one, lab_capture_error *error)
{
    hud_line *hud = &c->hud;
    while (!hud->more) {
        lab_slice line, field;
        lab_decimal number;
        bool ended;
        one->line = c->in.line;
        lab_found found = lab_input_record(&c->in, false, &line, &ended);
        if (found != LAB_FOUND) {
            return found == LAB_FOUND_END ? ES_ERR_STATE : fail_found(c, found, one->line, error);
        }
        if (!lab_after(line, hud_mark, &hud->rest)) {
            continue;
        }
        field.size = 0;
        take_hud_field(hud, &field);
        if (!lab_decimal_of(field, &number) || number.scale != 0 || number.digits < 0) {
            char shown[LAB_EXCERPT];
            hud->more = false;
            (void)fail(c, error, one->line, "first frame: not a number: '%s'",
                    lab_excerpt(shown, field));
            return ES_ERR_DAMAGED;
        }
        bool restarts = number.digits < hud->first;
        int64_t known = restarts ? 0 : hud->next - number.digits;
        c->breaks += c->has_frame && (restarts || known < 0);
        hud->first = number.digits;
        hud->next = restarts || known < 0 ? number.digits : hud->next;
        for (int64_t i = -2; hud->more && i < 2 * (known > 0 ? known : 0); ++i) {
            take_hud_field(hud, &field);
        }
    }
    lab_slice *fields = one->fields;
    fields[LAB_Q_FRAME].size = fields[LAB_Q_GPU_BUSY].size = 0;
    hud->next += 1;
    take_hud_field(hud, &fields[LAB_Q_FRAME]);
    if (hud->more) {
        take_hud_field(hud, &fields[LAB_Q_GPU_BUSY]);
    }
    return ES_OK;
}

/* Whether a line of the file is a row. */
static bool is_row(lab_capture *c, lab_slice line)
{
    lab_slice name;
    if (line.size == 0 || (c->is_plain && line.text[0] == '#')) {
        return false;
    }
    if (c->family != LAB_FAMILY_ANDROID) {
        return true;
    }
    bool begins = lab_begins_with(line, "Flags,");
    if (lab_after(line, "Window: ", &name)) {
        lab_copy(c->window, sizeof c->window, name);
    }
    c->in_rows = begins || (c->in_rows && line.text[0] != '-');
    bool is_usual = lab_begins_with(line, "0,"); /* Flags; Android says to leave the others out */
    c->breaks += c->has_frame && c->in_rows && !is_usual && !begins;
    return c->in_rows && is_usual;
}

/* Unreal repeats the header below the rows, and describes the program there. */
static bool ends_rows(const lab_capture *c, lab_slice record, const row *one)
{
    return c->family == LAB_FAMILY_UNREAL
           && (record.text[0] == '[' || lab_slice_is(one->fields[LAB_Q_FRAME], "FrameTime"));
}

/* The next row. ES_ERR_STATE: there is none. ES_ERR_DAMAGED: it alone cannot be read. */
static es_result next_csv(lab_capture *c, row *one, lab_capture_error *error)
{
    lab_slice record = {NULL, 0};
    bool ended = true, quotes = !c->is_plain && c->family < LAB_FAMILY_UNREAL;
    if (c->family == LAB_FAMILY_METAL) {
        return next_hud(c, one, error);
    }
    do {
        one->line = c->in.line;
        lab_found found = lab_input_record(&c->in, quotes, &record, &ended);
        if (found != LAB_FOUND) {
            return found == LAB_FOUND_END ? ES_ERR_STATE : fail_found(c, found, one->line, error);
        }
        record = c->is_plain ? lab_trimmed(record) : record;
    } while (!is_row(c, record));
    if (c->family == LAB_FAMILY_TRACE && !ended) {
        c->info.is_cut = true; /* its writer was killed: the rows before are whole */
        return ES_ERR_STATE;
    }
    es_result result = split_row(c, record, one, error);
    if (ends_rows(c, record, one)) {
        return ES_ERR_STATE;
    }
    if (c->family == LAB_FAMILY_ANDROID) {
        one->fields[LAB_Q_PROCESS] = (lab_slice){c->window, strlen(c->window)};
    }
    if (result == ES_OK && !ended && one->count == c->fields_needed && one->count < c->usual) {
        result = fail(c, error, one->line, "the file ends in this row: %zu fields instead of %zu",
                one->count, c->usual);
    }
    c->usual = result == ES_OK ? one->count : c->usual;
    return result == ES_OK ? ES_OK : ES_ERR_DAMAGED;
}

static es_result next_json(lab_capture *c, row *one)
{
    one->line += 1;
    return lab_json_next(&c->json, one->numbers, &one->begins_run) ? ES_OK : ES_ERR_STATE;
}

/* --- the first pass --------------------------------------------------------------------------- */

static size_t append_key(char *key, size_t size, lab_slice part)
{
    size_t some = part.size < KEY_MAX / 3 - 1 ? part.size : KEY_MAX / 3 - 1;
    if (some > 0) {
        memcpy(key + size, part.text, some);
    }
    key[size + some] = '\n'; /* no field has it without quotes */
    return size + some + 1;
}

static lab_slice key_of(const stream *s)
{
    return (lab_slice){s->key, s->key_size};
}

#define KEY_COLUMNS (1U << LAB_Q_PROCESS | 1U << LAB_Q_PID | 1U << LAB_Q_CHAIN)

/* The stream of a row; NULL: there are too many. Most rows are of the one before. */
static stream *stream_of(lab_capture *c, const row *one, stream *before)
{
    if (before != NULL && (c->columns & KEY_COLUMNS) == 0) {
        return before;
    }
    char key[KEY_MAX];
    size_t size = append_key(key, 0, one->fields[LAB_Q_PROCESS]);
    size_t name_size = size - 1;
    size = append_key(key, size, one->fields[LAB_Q_PID]);
    size = append_key(key, size, one->fields[LAB_Q_CHAIN]);
    if (before != NULL && lab_slice_same(key_of(before), (lab_slice){key, size})) {
        return before;
    }
    for (size_t i = 0; i < c->stream_count; ++i) {
        if (lab_slice_same(key_of(&c->streams[i]), (lab_slice){key, size})) {
            return &c->streams[i];
        }
    }
    if (c->stream_count == STREAMS_MAX) {
        return NULL;
    }
    stream *s = &c->streams[c->stream_count];
    c->stream_count += 1;
    memcpy(s->key, key, size);
    s->key_size = size;
    s->name_size = name_size;
    return s;
}

/* Frames per second times frame time is 1000 where that is in ms, 1000000 where it is in us. Early
 * versions write a mean rate: within a factor of two it counts. */
static void weigh_units(units *u, const row *one)
{
    lab_decimal fps, frame;
    if (!lab_decimal_of(one->fields[LAB_Q_FPS], &fps)
            || !lab_decimal_of(one->fields[LAB_Q_FRAME], &frame) || frame.digits == 0
            || lab_scaled(frame, 0) > 1e9L) {
        return;
    }
    double product = (double)(lab_scaled(fps, 0) * lab_scaled(frame, 0));
    u->ms += product >= 500.0 && product <= 2000.0;
    u->us += product >= 500e3 && product <= 2000e3;
    u->rows += 1;
}

/* What most rows say. */
static es_result choose_unit(lab_capture *c, lab_capture_error *error)
{
    const units *u = &c->units;
    c->info.in_us = 2 * u->us > u->rows;
    c->exponent[LAB_Q_FRAME] = c->info.in_us ? -3 : 0;
    return c->info.in_us || 2 * u->ms > u->rows || u->rows == 0
                   ? ES_OK
                   : fail(c, error, c->info.header_line,
                           "frametime: ms or us? fps * frametime is about 1000 in %zu and 1000000 "
                           "in %zu of %zu rows",
                           u->ms, u->us, u->rows);
}

/* Whether a field has a number other than 0. */
static bool is_there(const lab_capture *c, const row *one, lab_quantity q)
{
    lab_slice s = one->fields[q];
    char least = c->family == LAB_FAMILY_TRACE ? '0' : '1'; /* there, what is not known is empty */
    for (size_t i = 0; i < s.size; ++i) {
        if (s.text[i] >= least && s.text[i] <= '9') {
            return true;
        }
    }
    return false;
}

static void weigh_stamps(stamps *s, const row *one)
{
    lab_decimal at;
    if (lab_decimal_of(one->fields[LAB_Q_PRESENT_AT], &at)) {
        int digits = count_digits(at);
        s->digits = digits > s->digits ? digits : s->digits;
        s->scale = at.scale < s->scale ? at.scale : s->scale;
    }
}

static es_result count_rows(lab_capture *c, lab_capture_error *error)
{
    stream *s = NULL;
    row *one = &c->row;
    bool weighs = is_listed(c, LAB_Q_FPS);
    bool shows = is_listed(c, LAB_Q_MODE) || is_listed(c, LAB_Q_TEARING);
    for (;;) {
        lab_capture_error why = {"", 0};
        es_result result = next_csv(c, one, &why);
        if (result == ES_ERR_DAMAGED) {
            c->info.why = c->info.why.line == 0 ? why : c->info.why;
            continue;
        }
        if (result != ES_OK) {
            return result == ES_ERR_STATE ? ES_OK : refuse_as(error, &why);
        }
        weigh_stamps(&c->stamps, one);
        c->info.rows += 1;
        s = stream_of(c, one, s);
        if (s == NULL) {
            continue;
        }
        s->rows += 1;
        if (shows) {
            s->composed += lab_begins_with(one->fields[LAB_Q_MODE], "Composed");
            s->tearing += lab_begins_with(one->fields[LAB_Q_TEARING], "1");
        }
        for (size_t i = 0; i < c->listed_count && s->has != c->columns; ++i) {
            lab_quantity q = c->listed[i];
            if ((s->has >> q & 1) == 0) {
                s->has |= (uint64_t)is_there(c, one, q) << q;
            }
        }
        if (weighs) {
            weigh_units(&c->units, one);
        }
    }
}

static es_result choose_stream(lab_capture *c, const char *process, lab_capture_error *error)
{
    for (size_t i = 0; i < c->stream_count; ++i) {
        const stream *s = &c->streams[i];
        lab_slice name = {s->key, s->name_size};
        bool wanted = process == NULL || lab_slice_is(name, process);
        c->chosen = wanted && (c->chosen == NULL || s->rows > c->chosen->rows) ? s : c->chosen;
    }
    if (c->chosen == NULL && c->stream_count == 0 && c->info.why.line > 0) {
        return refuse_as(error, &c->info.why);
    }
    if (c->chosen == NULL) {
        return c->stream_count > 0
                       ? fail(c, error, 0, "no rows of process '%.60s'", process)
                       : fail(c, error, c->info.header_line, "no frame times below this header");
    }
    bool named = is_listed(c, LAB_Q_PROCESS);
    c->info.used = c->chosen->rows;
    lab_copy(c->info.process, sizeof c->info.process,
            (lab_slice){c->chosen->key, named ? c->chosen->name_size : 0});
    return ES_OK;
}

/* What frames will have, by what the rows have. */
static void describe(lab_capture *c)
{
    lab_capture_info *info = &c->info;
    bool trace = c->family == LAB_FAMILY_TRACE;
    info->has = lab_frame_has(c->chosen->has);
    size_t most = c->chosen->rows - c->chosen->rows / 10;
    info->is_composed = c->chosen->composed >= most;
    info->allows_tearing = !info->is_composed && c->chosen->tearing >= most;
    info->has |= trace && has(c, LAB_Q_END_AT) ? LAB_HAS_PRESENT_END : 0U;
    info->shown = (info->has & LAB_HAS_SHOWN) != 0 ? LAB_CAPTURE_SHOWN_REPORTED
                  : trace                          ? LAB_CAPTURE_SHOWN_PRESENT_RETURN
                                                   : LAB_CAPTURE_SHOWN_NONE;
    bool reported = is_listed(c, LAB_Q_CONTENT_AT)
                    || (has(c, LAB_Q_SIMULATION) && has(c, LAB_Q_SIMULATION_AT));
    info->content = reported                               ? LAB_CAPTURE_CONTENT_TRUE
                    : (info->has & LAB_HAS_CPU_START) != 0 ? LAB_CAPTURE_CONTENT_CPU_START
                                                           : LAB_CAPTURE_CONTENT_NONE;
    info->has |= info->shown != LAB_CAPTURE_SHOWN_NONE ? LAB_HAS_SHOWN : 0U;
    info->has |= info->content != LAB_CAPTURE_CONTENT_NONE ? LAB_HAS_CONTENT : 0U;
    lab_quantity frame = is_listed(c, LAB_Q_FRAME) ? LAB_Q_FRAME : LAB_Q_FRAME_NEXT;
    lab_copy(info->column, sizeof info->column,
            (lab_slice){c->column[frame], c->is_plain ? 0 : strlen(c->column[frame])});
}

static es_result read_json(lab_capture *c, lab_capture_error *error)
{
    const char *problem = lab_json_read(&c->json, &c->in);
    if (problem != NULL) {
        return fail(c, error, c->in.line, "%s", problem);
    }
    c->info.format = "CapFrameX, JSON";
    c->family = LAB_FAMILY_PRESENT_MON;
    for (lab_quantity q = LAB_Q_NONE; q < LAB_Q_COUNT; q = (lab_quantity)(q + 1)) {
        const lab_column *column = c->json.columns[q];
        if (column != NULL) {
            lab_slice name = {column->name, strlen(column->name)};
            give_meaning(c, q, q, column->exponent, name);
        }
    }
    c->streams[0] = (stream){.rows = c->json.rows, .has = c->json.has};
    c->stream_count = 1;
    c->info.rows = c->json.rows;
    return ES_OK;
}

/* Finds the format, the rows and what they have. */
static es_result begin(lab_capture *c, const char *process, lab_capture_error *error)
{
    es_result result = rewind_rows(c, error);
    int first = lab_input_peek(&c->in);
    c->is_json = first == '{' || first == '[';
    if (result == ES_OK && (first == 0xFE || first == 0xFF || first == 0)) {
        return fail(c, error, 0, "not UTF-8 text: UTF-16, or a binary file");
    }
    if (result == ES_OK) {
        result = c->is_json ? read_json(c, error) : read_header(c, error);
    }
    if (result == ES_OK && process != NULL && !c->is_json && !is_listed(c, LAB_Q_PROCESS)) {
        result = fail(c, error, c->info.header_line,
                "a process is given, but there is no column Application");
    }
    for (lab_quantity q = LAB_Q_NONE; q < LAB_Q_COUNT; q = (lab_quantity)(q + 1)) {
        c->v[q] = (double)NAN;
        c->listed[c->listed_count] = q;
        c->listed_count += is_listed(c, q);
    }
    result = result == ES_OK && !c->is_json ? count_rows(c, error) : result;
    result = result == ES_OK ? choose_stream(c, c->is_json ? NULL : process, error) : result;
    if (result == ES_OK && c->family == LAB_FAMILY_MANGO_HUD) {
        result = choose_unit(c, error);
    }
    if (result == ES_OK) {
        describe(c);
        if (c->is_json) {
            memcpy(c->info.process, c->json.process, sizeof c->info.process);
        }
        result = rewind_rows(c, error);
    }
    return result;
}

/* --- the second pass: frames ------------------------------------------------------------------ */

static es_result read_values(lab_capture *c, const row *one, lab_capture_error *error)
{
    for (size_t i = 0; i < c->listed_count; ++i) {
        lab_quantity q = c->listed[i];
        es_result result = q < LAB_Q_DROPPED || q == LAB_Q_FPS ? ES_OK
                           : lab_is_absolute(q)                ? time_of(c, one, q, &c->v[q], error)
                                                : duration_of(c, one, q, &c->v[q], error);
        if (result != ES_OK) {
            return result;
        }
    }
    return ES_OK;
}

static double first_of(double a, double b)
{
    return isnan(a) ? b : a;
}

/* When the frame was worked on and presented: by the file's clock, or by adding up frame times. */
static void place(lab_capture *c, lab_capture_frame *f)
{
    const double *v = c->v;
    double frame = v[LAB_Q_FRAME];
    bool follows = c->has_frame && frame > 0.0;
    double present = v[LAB_Q_PRESENT_AT];
    double cpu = v[LAB_Q_CPU_AT];
    if (is_listed(c, LAB_Q_PRESENT_AT)) {
        present += c->run_base_ms;
        double summed = c->last.present_ms + frame;
        bool is_coarse = c->stamps.step_ms > 0.005 && follows && c->breaks == c->last.series;
        present = is_coarse && fabs(summed - present) < 2.5 * c->stamps.step_ms ? summed : present;
    } else if (is_listed(c, LAB_Q_FRAME_NEXT)) {
        c->breaks += isnan(c->next_start_ms); /* after a row without it */
        cpu = first_of(c->next_start_ms, c->last.cpu_start_ms);
        c->next_start_ms = v[LAB_Q_FRAME_NEXT] > 0.0 ? cpu + v[LAB_Q_FRAME_NEXT] : (double)NAN;
        present = cpu + v[LAB_Q_CPU_BUSY];
    } else if (is_listed(c, LAB_Q_FRAME)) {
        double last = c->has_frame ? c->last.present_ms : 0.0;
        present = first_of(v[LAB_Q_END_AT], last + (follows ? frame : 0.0));
        c->breaks += c->has_frame && !follows && isnan(v[LAB_Q_END_AT]);
    }
    bool has_busy = has(c, LAB_Q_CPU_BUSY);
    cpu = first_of(cpu, has_busy ? present - v[LAB_Q_CPU_BUSY] : (double)NAN);
    if (isnan(cpu) && !has_busy && c->has_frame && c->breaks == c->last.series) {
        cpu = c->last.present_end_ms; /* as PresentMon has it: work begins where present returns */
    }
    f->present_ms = present;
    f->cpu_start_ms = cpu;
    f->present_end_ms =
            c->family == LAB_FAMILY_TRACE ? v[LAB_Q_END_AT] : present + v[LAB_Q_IN_PRESENT];
}

/* When the GPU worked on it, and when it was seen. */
static void place_later(lab_capture *c, lab_capture_frame *f)
{
    const double *v = c->v;
    f->gpu_start_ms =
            first_of(f->present_ms + v[LAB_Q_UNTIL_GPU], f->cpu_start_ms + v[LAB_Q_GPU_LATENCY]);
    f->gpu_end_ms =
            first_of(f->present_ms + v[LAB_Q_UNTIL_GPU_END], f->gpu_start_ms + v[LAB_Q_GPU_TIME]);
    f->gpu_busy_ms = v[LAB_Q_GPU_BUSY];
    double shown = v[LAB_Q_SHOWN_AT];
    if (has(c, LAB_Q_UNTIL_SHOWN)) {
        shown = v[LAB_Q_UNTIL_SHOWN] > 0.0 ? f->present_ms + v[LAB_Q_UNTIL_SHOWN] : (double)NAN;
    } else if (has(c, LAB_Q_SHOWN_LATENCY)) {
        shown = v[LAB_Q_SHOWN_LATENCY] > 0.0 ? f->cpu_start_ms + v[LAB_Q_SHOWN_LATENCY]
                                             : (double)NAN;
    } else if (has(c, LAB_Q_BETWEEN_SHOWN)) {
        bool seen = v[LAB_Q_BETWEEN_SHOWN] > 0.0;
        shown = seen ? c->last_shown_ms + v[LAB_Q_BETWEEN_SHOWN] : (double)NAN;
        c->last_shown_ms = first_of(shown, c->last_shown_ms);
    } else if (c->info.shown == LAB_CAPTURE_SHOWN_PRESENT_RETURN) {
        shown = v[LAB_Q_END_AT];
    }
    f->shown_ms = v[LAB_Q_DROPPED] > 0.0 ? (double)NAN : shown;
    double content = has(c, LAB_Q_SIMULATION_AT)                   ? v[LAB_Q_SIMULATION_AT]
                     : c->info.content == LAB_CAPTURE_CONTENT_TRUE ? v[LAB_Q_CONTENT_AT]
                                                                   : f->cpu_start_ms;
    f->content_ms = f->is_generated ? (double)NAN : content;
    f->step_ms = has(c, LAB_Q_UNTIL_SHOWN) ? v[LAB_Q_BETWEEN_SHOWN] : (double)NAN;
    f->late_ms = v[LAB_Q_LATE];
    f->work_ms = v[LAB_Q_WORK];
}

static es_result make_frame(
        lab_capture *c, const row *one, lab_capture_frame *f, lab_capture_error *error)
{
    lab_slice kind = one->fields[LAB_Q_KIND];
    if (read_values(c, one, error) != ES_OK) {
        return ES_ERR_DAMAGED;
    }
    f->line = one->line;
    f->is_generated = !c->is_json && kind.size > 0 && !lab_slice_is(kind, "Application")
                      && !lab_is_missing(kind) && !lab_slice_is(kind, "NotSet");
    if (c->is_json && one->begins_run && c->has_frame) {
        c->breaks += 1;
        c->has_origin = false;
        c->run_base_ms = c->last.present_ms;
        (void)time_of(c, one, LAB_Q_PRESENT_AT, &c->v[LAB_Q_PRESENT_AT], error);
    }
    place(c, f);
    place_later(c, f);
    if (c->v[LAB_Q_SERIES] < c->series || c->v[LAB_Q_SERIES] > c->series) {
        c->series = c->v[LAB_Q_SERIES];
        c->breaks += c->has_frame;
    }
    /* an app that had nothing to draw; after a frame that took long the plan is not late */
    c->breaks += c->v[LAB_Q_PLANNED_AT] > c->last.present_ms + idle_ms;
    f->series = c->breaks;
    bool same = c->has_frame && f->series == c->last.series;
    f->frame_ms = first_of(c->v[LAB_Q_FRAME], c->v[LAB_Q_FRAME_NEXT]);
    if (!is_listed(c, LAB_Q_FRAME) && !is_listed(c, LAB_Q_FRAME_NEXT)) {
        bool trace = c->family == LAB_FAMILY_TRACE;
        f->frame_ms = !same   ? (double)NAN
                      : trace ? f->cpu_start_ms - c->last.cpu_start_ms
                              : f->present_ms - c->last.present_ms;
    }
    if (c->family == LAB_FAMILY_ANDROID && c->has_frame && f->present_ms <= c->last.present_ms) {
        return ES_ERR_RANGE; /* dumps that follow each other repeat frames */
    }
    if (same && f->present_ms < c->last.present_ms) {
        lab_quantity q = is_listed(c, LAB_Q_PRESENT_AT) ? LAB_Q_PRESENT_AT
                         : is_listed(c, LAB_Q_END_AT)   ? LAB_Q_END_AT
                                                        : LAB_Q_CPU_BUSY;
        return fail(c, error, f->line, "%s: %g ms before that of the last row: joined captures?",
                c->column[q], c->last.present_ms - f->present_ms);
    }
    if (same && c->info.content == LAB_CAPTURE_CONTENT_TRUE
            && f->content_ms < c->last.content_ms - content_back_ms) {
        lab_quantity q = has(c, LAB_Q_SIMULATION_AT) ? LAB_Q_SIMULATION_AT : LAB_Q_CONTENT_AT;
        return fail(c, error, f->line,
                "%s: %g ms before that of the last row: a counter that wraps, or content that "
                "leaps",
                c->column[q], c->last.content_ms - f->content_ms);
    }
    c->last = *f;
    c->has_frame = true;
    return ES_OK;
}

/* A row that cannot be read is left out, and so is what follows it compared with what was before. */
static void leave_out(lab_capture *c, const lab_capture_error *why)
{
    c->info.why = c->info.unread == 0 ? *why : c->info.why;
    c->info.unread += 1;
    c->breaks += c->has_frame;
    c->next_start_ms = (double)NAN;
}

es_result lab_capture_next(lab_capture *capture, lab_capture_frame *frame, lab_capture_error *error)
{
    lab_capture *c = capture;
    row *one = &c->row;
    for (;;) {
        lab_capture_error why = {"", 0};
        es_result result = c->is_json ? next_json(c, one) : next_csv(c, one, &why);
        if (result == ES_OK && c->stream_count > 1
                && stream_of(c, one, &c->streams[c->chosen - c->streams]) != c->chosen) {
            continue;
        }
        result = result == ES_OK ? make_frame(c, one, frame, &why) : result;
        if (result == ES_ERR_DAMAGED) {
            leave_out(c, &why);
        } else if (result == ES_ERR_STATE && 10 * c->info.unread > c->info.unread + c->made) {
            return refuse_as(error, &c->info.why);
        } else if (result != ES_ERR_RANGE) {
            c->made += result == ES_OK;
            return result == ES_ERR_INVALID ? refuse_as(error, &why) : result;
        }
    }
}

/* --- opening ---------------------------------------------------------------------------------- */

static lab_capture *no_capture(lab_capture_error *error, const char *path, const char *reason)
{
    if (error != NULL) {
        error->line = 0;
        snprintf(error->text, sizeof error->text, "%.160s: %s", path, reason);
    }
    return NULL;
}

static lab_capture *open_input(FILE *file, lab_slice text, const char *path,
        const lab_capture_options *options, lab_capture_error *error)
{
    static const lab_capture_options defaults = {NULL, NULL, NULL};
    const lab_capture_options *o = options != NULL ? options : &defaults;
    const char *name = o->name != NULL ? o->name : path;
    lab_capture *c = calloc(1, sizeof *c);
    if (c == NULL) {
        if (file != NULL) {
            fclose(file);
        }
        return no_capture(error, path, "out of memory");
    }
    c->in.file = file;
    c->in.text = text;
    c->in.buffer = c->buffer;
    c->in.capacity = sizeof c->buffer;
    lab_copy(c->name, sizeof c->name, (lab_slice){name, strlen(name)});
    if (o->column != NULL) {
        lab_copy(c->wanted_column, sizeof c->wanted_column,
                (lab_slice){o->column, strlen(o->column)});
    }
    if (begin(c, o->process, error) != ES_OK) {
        lab_capture_close(c);
        return NULL;
    }
    return c;
}

lab_capture *lab_capture_open(
        const char *path, const lab_capture_options *options, lab_capture_error *error)
{
    FILE *file = fopen(path, "rb");
    if (file == NULL) {
        return no_capture(error, path, "cannot be opened");
    }
    return open_input(file, (lab_slice){NULL, 0}, path, options, error);
}

lab_capture *lab_capture_open_text(
        const char *text, size_t size, const lab_capture_options *options, lab_capture_error *error)
{
    return open_input(NULL, (lab_slice){text, size}, "trace", options, error);
}

void lab_capture_close(lab_capture *capture)
{
    if (capture != NULL) {
        if (capture->in.file != NULL) {
            fclose(capture->in.file);
        }
        lab_json_free(&capture->json);
        free(capture);
    }
}

const lab_capture_info *lab_capture_get_info(const lab_capture *capture)
{
    return &capture->info;
}
