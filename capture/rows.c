/* SPDX-License-Identifier: Zlib
 *
 * Rows: the next record of a file, as fields.
 */
#include "capture/reader.h"

#include <string.h>

/* To the first row. */
es_result lab_rows_rewind(lab_capture *c, lab_capture_error *error)
{
    lab_json_rewind(&c->json);
    c->row.line = 0;
    c->hud = (hud_line){.first = INT64_MAX};
    c->window[0] = '\0';
    c->in_rows = false;
    c->usual = c->header_fields;
    bool skips = c->json.rows == 0 && c->family != LAB_FAMILY_ANDROID;
    if (c->json.rows == 0 && !lab_input_rewind(&c->in)) {
        return lab_capture_refuse(c, error, 0, "cannot be read twice: give a file, not a pipe");
    }
    while (skips && c->in.line <= c->info.header_line) {
        lab_slice line;
        bool ended;
        (void)lab_input_record(&c->in, false, &line, &ended);
    }
    return ES_OK;
}

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
            return lab_capture_refuse(c, error, one->line, "text after a closing quote");
        }
        if (one->count < c->header_fields) {
            one->fields[c->meaning[one->count]] = field;
        }
    }
    bool grows = c->family == LAB_FAMILY_UNREAL; /* a column more when a statistic begins */
    if (one->count < c->fields_needed || (one->count > c->header_fields && !grows)) {
        return lab_capture_refuse(c, error, one->line, "%zu fields, but the header has %zu%s",
                one->count, c->header_fields,
                one->count > c->header_fields ? " (commas within numbers?)" : "");
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
            return found == LAB_FOUND_END ? ES_ERR_STATE
                                          : lab_refuse_found(c, found, one->line, error);
        }
        if (!lab_after(line, LAB_HUD_MARK, &hud->rest)) {
            continue;
        }
        field.size = 0;
        take_hud_field(hud, &field);
        if (!lab_decimal_of(field, &number) || number.scale != 0 || number.digits < 0) {
            char shown[LAB_EXCERPT];
            hud->more = false;
            (void)lab_capture_refuse(c, error, one->line, "first frame: not a number: '%s'",
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
es_result lab_rows_next(lab_capture *c, row *one, lab_capture_error *error)
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
            return found == LAB_FOUND_END ? ES_ERR_STATE
                                          : lab_refuse_found(c, found, one->line, error);
        }
        record = c->is_plain ? lab_trimmed(record) : record;
    } while (!is_row(c, record));
    if ((c->family & LAB_FAMILY_STAMPS) != 0 && !ended) {
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
        result = lab_capture_refuse(c, error, one->line,
                "the file ends in this row: %zu fields instead of %zu", one->count, c->usual);
    }
    c->usual = result == ES_OK ? one->count : c->usual;
    return result == ES_OK ? ES_OK : ES_ERR_DAMAGED;
}
