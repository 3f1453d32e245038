/* SPDX-License-Identifier: Zlib
 *
 * Two passes over the rows: one to check them, to find the program and swap chain with the most rows
 * and what they have; one to make frames of them.
 */
#include "capture/reader.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

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
                   : lab_capture_refuse(c, error, c->info.header_line,
                           "frametime: ms or us? fps * frametime is about 1000 in %zu and 1000000 "
                           "in %zu of %zu rows",
                           u->ms, u->us, u->rows);
}

/* Whether a field has a number other than 0. */
static bool is_there(const lab_capture *c, const row *one, lab_quantity q)
{
    lab_slice s = one->fields[q];
    char least = (c->family & LAB_FAMILY_STAMPS) != 0 ? '0' : '1';
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
        es_result result = lab_rows_next(c, one, &why);
        if (result == ES_ERR_DAMAGED) {
            c->info.why = c->info.why.line == 0 ? why : c->info.why;
            continue;
        }
        if (result != ES_OK) {
            return result == ES_ERR_STATE ? ES_OK : lab_refuse_as(error, &why);
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
        return lab_refuse_as(error, &c->info.why);
    }
    if (c->chosen == NULL) {
        return c->stream_count > 0
                       ? lab_capture_refuse(c, error, 0, "no rows of process '%.60s'", process)
                       : lab_capture_refuse(
                               c, error, c->info.header_line, "no frame times below this header");
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
    bool stamped = (c->family & LAB_FAMILY_STAMPS) != 0;
    info->has = lab_frame_has(c->chosen->has);
    size_t most = c->chosen->rows - c->chosen->rows / 10;
    info->is_composed = c->chosen->composed >= most;
    info->allows_tearing = !info->is_composed && c->chosen->tearing >= most;
    info->has |= stamped && has(c, LAB_Q_END_AT) ? LAB_HAS_PRESENT_END : 0U;
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
        return lab_capture_refuse(c, error, c->in.line, "%s", problem);
    }
    c->info.format = "CapFrameX, JSON";
    c->family = LAB_FAMILY_PRESENT_MON;
    for (lab_quantity q = LAB_Q_NONE; q < LAB_Q_COUNT; q = (lab_quantity)(q + 1)) {
        const lab_column *column = c->json.columns[q];
        if (column != NULL) {
            lab_slice name = {column->name, strlen(column->name)};
            lab_header_set(c, q, q, column->exponent, name);
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
    es_result result = lab_rows_rewind(c, error);
    int first = lab_input_peek(&c->in);
    c->is_json = first == '{' || first == '[';
    if (result == ES_OK && (first == 0xFE || first == 0xFF || first == 0)) {
        return lab_capture_refuse(c, error, 0, "not UTF-8 text: UTF-16, or a binary file");
    }
    if (result == ES_OK) {
        result = c->is_json ? read_json(c, error) : lab_header_read(c, error);
    }
    if (result == ES_OK && process != NULL && !c->is_json && !is_listed(c, LAB_Q_PROCESS)) {
        result = lab_capture_refuse(c, error, c->info.header_line,
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
        result = lab_rows_rewind(c, error);
    }
    return result;
}

/* --- the second pass -------------------------------------------------------------------------- */

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
        es_result result = c->is_json ? next_json(c, one) : lab_rows_next(c, one, &why);
        if (result == ES_OK && c->stream_count > 1
                && stream_of(c, one, &c->streams[c->chosen - c->streams]) != c->chosen) {
            continue;
        }
        result = result == ES_OK ? lab_frame_make(c, one, frame, &why) : result;
        if (result == ES_ERR_DAMAGED) {
            leave_out(c, &why);
        } else if (result == ES_ERR_STATE && 10 * c->info.unread > c->info.unread + c->made) {
            return lab_refuse_as(error, &c->info.why);
        } else if (result != ES_ERR_RANGE) {
            c->made += result == ES_OK;
            return result == ES_ERR_INVALID ? lab_refuse_as(error, &why) : result;
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
