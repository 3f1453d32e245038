/* SPDX-License-Identifier: Zlib
 *
 * JSON as RFC 8259 has it, read once from front to back. Kept are the numbers of
 * Runs[].CaptureData.NAME[] whose names the table of columns has, and Info.ProcessName.
 */
#include "lab/capture_parts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { DEPTH_MAX = 64, TEXT_MAX = 64, VALUES_MAX = 4000000 };

/* Where a value stands. */
typedef enum json_place { TOP, RUNS, RUN, DATA, NUMBERS, INFO, PROCESS, ELSEWHERE } json_place;

typedef struct json_reader {
    lab_json *json;
    lab_input *in;
    const char *problem; /* the first one */
    lab_quantity quantity;
    char text[TEXT_MAX]; /* the last string or number, cut to fit */
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

/* A number or a word. */
static bool json_scalar(json_reader *r, double *value)
{
    static const char *const words[] = {"null", "NaN", "true", "false"};
    static const double meanings[] = {(double)NAN, (double)NAN, 1.0, 0.0};
    r->size = 0;
    for (int c = lab_input_peek(r->in); c > 0 && strchr("+-.0123456789aEeflNnrstu", c) != NULL;
            c = lab_input_peek(r->in)) {
        json_keep(r, lab_input_get(r->in));
    }
    lab_slice text = {r->text, r->size};
    for (size_t i = 0; i < sizeof words / sizeof words[0]; ++i) {
        if (text.size == strlen(words[i]) && memcmp(text.text, words[i], text.size) == 0) {
            *value = meanings[i];
            return true;
        }
    }
    lab_decimal number;
    if (r->size == sizeof r->text || !lab_decimal_of(text, &number)) {
        return json_fail(r, "not JSON: a value is no number, string, true, false or null");
    }
    *value = (double)lab_scaled(number, 0);
    return true;
}

static bool json_add(json_reader *r, double value)
{
    lab_json *json = r->json;
    lab_quantity q = r->quantity;
    if (json->count[q] == json->capacity[q]) {
        size_t capacity = json->capacity[q] > 0 ? 2 * json->capacity[q] : 4096;
        double *larger =
                capacity <= VALUES_MAX ? realloc(json->values[q], capacity * sizeof *larger) : NULL;
        if (larger == NULL) {
            return json_fail(r, "too many frames for JSON; save it as CSV");
        }
        json->values[q] = larger;
        json->capacity[q] = capacity;
    }
    json->values[q][json->count[q]] = value;
    json->count[q] += 1;
    return true;
}

/* The columns of a run are equally long, or not there. */
static bool json_end_run(json_reader *r)
{
    lab_json *json = r->json;
    size_t rows = json->count[LAB_Q_FRAME];
    for (size_t q = 0; q < LAB_Q_COUNT; ++q) {
        if (json->count[q] != rows && json->count[q] != 0) {
            return json_fail(r, "the arrays of CaptureData are not equally long");
        }
    }
    size_t *ends = realloc(json->run_ends, (json->runs + 1) * sizeof *ends);
    if (ends == NULL) {
        return json_fail(r, "out of memory");
    }
    ends[json->runs] = rows;
    json->run_ends = ends;
    json->runs += 1;
    json->rows = rows;
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
        if (column == NULL) {
            return ELSEWHERE;
        }
        r->quantity = column->quantity;
        r->json->columns[column->quantity] = column;
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
        json_place item = place == RUNS && !object ? RUN : place == NUMBERS ? NUMBERS : ELSEWHERE;
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
    double value = (double)NAN;
    bool nested = c == '{' || c == '[';
    bool ok;
    if (nested) {
        r->depth += 1;
        (void)lab_input_get(r->in);
        ok = (r->depth < DEPTH_MAX || json_fail(r, "not JSON of CapFrameX: nested too deeply"))
             && json_items(r, place, c == '{' ? '}' : ']');
        r->depth -= 1;
        return ok && (place != DATA || json_end_run(r));
    }
    ok = c == '"' ? json_string(r) : json_scalar(r, &value);
    if (ok && place == PROCESS) {
        lab_copy(r->json->process, sizeof r->json->process, (lab_slice){r->text, r->size});
    }
    return ok && (place != NUMBERS || json_add(r, value));
}

const char *lab_json_read(lab_json *json, lab_input *in)
{
    json_reader r = {.json = json, .in = in};
    if (json_value(&r, TOP) && json_skip(&r) >= 0) {
        (void)json_fail(&r, "not JSON: text after its end");
    }
    if (r.problem == NULL && json->rows == 0) {
        r.problem = "JSON without Runs[].CaptureData.MsBetweenPresents: not CapFrameX's";
    }
    return r.problem;
}

void lab_json_free(lab_json *json)
{
    for (size_t q = 0; q < LAB_Q_COUNT; ++q) {
        free(json->values[q]);
    }
    free(json->run_ends);
}
