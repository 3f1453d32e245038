/* SPDX-License-Identifier: Zlib
 *
 * JSON as RFC 8259 has it, read once from front to back. Kept are the places of the arrays
 * Runs[].CaptureData.NAME[] whose names the table of columns has, and Info.ProcessName. Rows are
 * then read from all these places at once.
 */
#include "capture/json.h"
#include "lab/numbers.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { DEPTH_MAX = 64, TEXT_MAX = 64, PIECE = 16384 };

/* Where a value stands. */
typedef enum json_place { TOP, RUNS, RUN, DATA, NUMBERS, INFO, PROCESS, ELSEWHERE } json_place;

typedef struct json_reader {
    lab_json *json;
    lab_input *in;
    const char *problem; /* the first one */
    lab_quantity quantity;
    char text[TEXT_MAX]; /* the last string, cut to fit */
    size_t size;
    int depth;
} json_reader;

static bool json_value(json_reader *r, json_place place);

static bool json_fail(json_reader *r, const char *problem)
{
    r->problem = r->problem != NULL ? r->problem : problem;
    return false;
}

static int json_skip(json_reader *r)
{
    int c = lab_input_peek(r->in);
    while (c == ' ' || c == '\t' || c == '\n' || c == '\r') {
        (void)lab_input_get(r->in);
        c = lab_input_peek(r->in);
    }
    return c;
}

static bool json_expect(json_reader *r, char c)
{
    return json_skip(r) == c ? lab_input_get(r->in) == c
                             : json_fail(r, "not JSON: a bracket, colon or comma is missing");
}

static void json_keep(json_reader *r, int c)
{
    if (r->size < sizeof r->text) {
        r->text[r->size] = (char)c;
        r->size += 1;
    }
}

/* Escapes are kept as they are: no name that is looked for has one. */
static bool json_string(json_reader *r)
{
    r->size = 0;
    if (!json_expect(r, '"')) {
        return false;
    }
    for (int c = lab_input_get(r->in); c != '"'; c = lab_input_get(r->in)) {
        if (c < ' ') {
            return json_fail(r, "not JSON: a string is not closed");
        }
        json_keep(r, c);
        if (c == '\\') {
            json_keep(r, lab_input_get(r->in));
        }
    }
    return true;
}

static bool is_scalar(char c)
{
    return (c >= '0' && c <= '9') || c == '.' || c == '-' || c == '+' || (c >= 'A' && c <= 'Z')
           || (c >= 'a' && c <= 'z');
}

/* A number or a word. */
static bool json_scalar(json_reader *r, double *value)
{
    static const char *const words[] = {"null", "NaN", "true", "false"};
    static const double meanings[] = {(double)NAN, (double)NAN, 1.0, 0.0};
    lab_slice text = lab_input_ahead(r->in, TEXT_MAX);
    size_t most = text.size < TEXT_MAX ? text.size : TEXT_MAX;
    for (text.size = 0; text.size < most && is_scalar(text.text[text.size]);) {
        text.size += 1;
    }
    r->in->at += text.size;
    lab_decimal number;
    if (lab_decimal_of(text, &number)) {
        *value = lab_double_of(number, 0);
        return true;
    }
    for (size_t i = 0; i < sizeof words / sizeof words[0]; ++i) {
        if (text.size == strlen(words[i]) && memcmp(text.text, words[i], text.size) == 0) {
            *value = meanings[i];
            return true;
        }
    }
    return json_fail(r, "not JSON: a value is no number, string, true, false or null");
}

/* The next value of an array of numbers; a text says that there is none. */
static bool json_number(json_reader *r, double *value)
{
    int c = json_skip(r);
    *value = (double)NAN;
    return c == '{' || c == '['
                   ? json_fail(r, "not JSON of CapFrameX: arrays of numbers are nested")
           : c == '"' ? json_string(r)
                      : json_scalar(r, value);
}

/* The numbers of an array, after its bracket. */
static bool json_numbers(json_reader *r, lab_quantity q)
{
    lab_json_run *run = &r->json->runs[r->json->run_count];
    if (run->at[q] > 0) {
        return json_fail(r, "an array of CaptureData is there twice");
    }
    run->at[q] = r->in->from + r->in->at;
    size_t count = 0;
    bool more = json_skip(r) != ']';
    while (more) {
        double value;
        if (!json_number(r, &value)) {
            return false;
        }
        r->json->has |= (uint64_t)(value < 0.0 || value > 0.0) << q;
        count += 1;
        more = json_skip(r) == ',' && lab_input_get(r->in) == ',';
    }
    /* the arrays of a run are equally long, or empty */
    run->at[q] = count > 0 ? run->at[q] : 0;
    run->rows = run->rows == 0 ? count : run->rows;
    return json_expect(r, ']')
           && (count == 0 || count == run->rows
                   || json_fail(r, "the arrays of CaptureData are not equally long"));
}

/* Makes place for a run. */
static bool json_begin_run(json_reader *r)
{
    static const lab_json_run none = {.rows = 0};
    lab_json *json = r->json;
    if (!lab_reserve(&json->runs, &json->run_capacity, json->run_count, sizeof none)) {
        return json_fail(r, "out of memory");
    }
    json->runs[json->run_count] = none;
    return true;
}

static bool json_end_run(json_reader *r)
{
    lab_json *json = r->json;
    const lab_json_run *run = &json->runs[json->run_count];
    json->rows += run->rows;
    json->run_count += run->rows > 0;
    if (run->rows > 0 && run->at[LAB_Q_FRAME] == 0) {
        return json_fail(r, "CaptureData without MsBetweenPresents: not CapFrameX's");
    }
    for (size_t q = 0; q < LAB_Q_COUNT && run->rows > 0; ++q) {
        if ((run->at[q] > 0) != (json->runs[0].at[q] > 0)) {
            return json_fail(r, "the runs have different arrays");
        }
    }
    return true;
}

/* What the value of a key is, within a value at this place. */
static json_place json_inside(json_reader *r, json_place place)
{
    static const struct {
        json_place in;
        const char *name;
        json_place is;
    } keys[] = {{TOP, "Runs", RUNS}, {TOP, "Info", INFO}, {RUN, "CaptureData", DATA},
            {INFO, "ProcessName", PROCESS}};
    lab_slice name = {r->text, r->size};
    if (place == DATA) {
        const lab_column *column = lab_column_of(name, LAB_FAMILY_PRESENT_MON);
        const lab_column **known = column != NULL ? &r->json->columns[column->quantity] : NULL;
        if (known == NULL || column->quantity < LAB_Q_DROPPED
                || (*known != NULL && *known != column)) {
            return ELSEWHERE; /* of two names for a quantity the first counts */
        }
        *known = column;
        r->quantity = column->quantity;
        return NUMBERS;
    }
    for (size_t i = 0; i < sizeof keys / sizeof keys[0]; ++i) {
        if (place == keys[i].in && lab_slice_is(name, keys[i].name)) {
            return keys[i].is;
        }
    }
    return ELSEWHERE;
}

/* The items of an object or an array, after its opening bracket. */
static bool json_items(json_reader *r, json_place place, char close)
{
    bool object = close == '}';
    if (json_skip(r) == close) {
        return json_expect(r, close);
    }
    for (;;) {
        json_place item = place == RUNS && !object ? RUN : ELSEWHERE;
        if (object) {
            if (!json_string(r)) {
                return false;
            }
            item = json_inside(r, place);
        }
        if ((object && !json_expect(r, ':')) || !json_value(r, item)) {
            return false;
        }
        int c = json_skip(r);
        if (c != ',') {
            return json_expect(r, close);
        }
        (void)lab_input_get(r->in);
    }
}

static bool json_value(json_reader *r, json_place place)
{
    int c = json_skip(r);
    double value;
    if (c == '{' || c == '[') {
        bool is_run = place == DATA && c == '{';
        if (r->depth == DEPTH_MAX) {
            return json_fail(r, "not JSON of CapFrameX: nested too deeply");
        }
        (void)lab_input_get(r->in);
        if (place == NUMBERS && c == '[') {
            return json_numbers(r, r->quantity);
        }
        r->depth += 1;
        bool ok =
                (!is_run || json_begin_run(r))
                && json_items(r, is_run || place != DATA ? place : ELSEWHERE, c == '{' ? '}' : ']')
                && (!is_run || json_end_run(r));
        r->depth -= 1;
        return ok;
    }
    bool ok = c == '"' ? json_string(r) : json_scalar(r, &value);
    if (ok && place == PROCESS) {
        lab_copy(r->json->process, sizeof r->json->process, (lab_slice){r->text, r->size});
    }
    return ok;
}

/* An input of its own for each array. */
static bool json_split(lab_json *json, const lab_input *in)
{
    for (size_t q = 0; q < LAB_Q_COUNT; ++q) {
        if (json->columns[q] != NULL) {
            json->inputs[q] = *in;
            json->inputs[q].is_shared = true;
            json->inputs[q].capacity = PIECE;
            json->inputs[q].buffer = malloc(PIECE);
            if (json->inputs[q].buffer == NULL) {
                return false;
            }
        }
    }
    return true;
}

const char *lab_json_read(lab_json *json, lab_input *in)
{
    json_reader r = {.json = json, .in = in};
    if (json_value(&r, TOP) && json_skip(&r) >= 0) {
        (void)json_fail(&r, "not JSON: text after its end");
    }
    if (r.problem == NULL && json->rows == 0) {
        (void)json_fail(&r, "JSON without Runs[].CaptureData.MsBetweenPresents: not CapFrameX's");
    }
    if (r.problem == NULL && !json_split(json, in)) {
        (void)json_fail(&r, "out of memory");
    }
    return r.problem;
}

void lab_json_rewind(lab_json *json)
{
    json->run = json->row = 0;
}

bool lab_json_next(lab_json *json, double *numbers, bool *is_first)
{
    if (json->run == json->run_count) {
        return false;
    }
    const lab_json_run *run = &json->runs[json->run];
    json_reader r = {.json = json};
    *is_first = json->row == 0;
    for (size_t q = 0; q < LAB_Q_COUNT; ++q) {
        r.in = &json->inputs[q];
        numbers[q] = (double)NAN;
        if (run->at[q] == 0) {
            continue;
        }
        if (*is_first) {
            lab_input_seek(r.in, run->at[q]);
        } else if (json_skip(&r) == ',') {
            (void)lab_input_get(r.in);
        }
        (void)json_number(&r, &numbers[q]); /* checked before */
    }
    json->row += 1;
    if (json->row == run->rows) {
        json->row = 0;
        json->run += 1;
    }
    return true;
}

void lab_json_free(lab_json *json)
{
    for (size_t q = 0; q < LAB_Q_COUNT; ++q) {
        free(json->inputs[q].buffer);
    }
    free(json->runs);
}
