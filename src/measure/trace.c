/* SPDX-License-Identifier: Zlib
 *
 * A capture is text: what is in the file is whole lines, and a last one that a crash may cut. Times
 * are written from the first frame on, which keeps lines short.
 */
#include "evenstep/measure.h"

#include "base/common.h"
#include "platform/platform.h"

/* A line has at most 8 numbers of 20 characters. A buffer is written each second at 60 frames per
 * second; a larger one would lose more in a crash. */
enum { LINE_MAX_BYTES = 8 * 21, BUFFER_BYTES = 4096 };

struct es_trace {
    es__file file;
    int64_t start_ns, content_ns; /* of the first frame */
    bool has_first;
    size_t size;
    char buffer[BUFFER_BYTES];
};

static const char head[] =
        "# a capture of es_trace, for `evenstep measure`: ns since the first frame\n"
        "start_ns,late_ns,work_ns,submit_ns,returned_ns,shown_ns,content_ns,series\n";

static bool trace_write(es_trace *trace, const char *function)
{
    es_result result = es__file_write(&trace->file, trace->buffer, trace->size);
    const es__error error = {NULL, es__file_reason(&trace->file)};
    trace->size = 0;
    return es__fail_if(result, function, &error);
}

es_trace *es_trace_create(const char *path)
{
    es_trace *trace = es__allocate(sizeof *trace);
    if (trace == NULL) {
        return NULL;
    }
    if (path == NULL || !es__file_open(&trace->file, path, true)) {
        const es__error error = {"path", path != NULL ? es__file_reason(&trace->file) : "is NULL"};
        (void)es__fail(path != NULL ? ES_ERR_IO : ES_ERR_INVALID, __func__, &error);
        es__free(trace);
        return NULL;
    }
    trace->size = sizeof head - 1;
    memcpy(trace->buffer, head, sizeof head - 1);
    return trace;
}

/* Returns the end. */
static char *put_number(char *at, int64_t number, char after)
{
    char digits[20]; /* the last one first */
    size_t count = 0;
    for (uint64_t left = number < 0 ? 0 - (uint64_t)number : (uint64_t)number;
            left > 0 || count == 0; left /= 10) {
        digits[count++] = (char)('0' + left % 10);
    }
    *at = '-';
    at += number < 0;
    while (count > 0) {
        *at++ = digits[--count];
    }
    *at = after;
    return at + 1;
}

static char *put_time(char *at, bool known, int64_t time_ns, int64_t from_ns, char after)
{
    if (known) {
        return put_number(at, es__ns_sub(time_ns, from_ns), after);
    }
    *at = after;
    return at + 1;
}

bool es_trace_frame(es_trace *trace, const es_report *report)
{
    if (trace == NULL || report == NULL) {
        return false;
    }
    const es_account *account = &report->frame.account;
    /* the user's pauses and speeds are put back, so that they are no error; slow motion is one */
    int64_t by_user_ns = es__ns_sub(account->slowed_ns, account->slow_motion_ns);
    int64_t content_ns = es__ns_add(report->frame.content_ns, by_user_ns);
    content_ns = es__ns_sub(content_ns, account->seeked_ns);
    if (!trace->has_first) {
        trace->has_first = true;
        trace->start_ns = report->frame.begun_ns;
        trace->content_ns = content_ns;
    }
    bool returned = report->source == ES_SHOWN_PRESENT_RETURN || report->returned_ns != 0;
    int64_t returned_ns = report->returned_ns != 0 ? report->returned_ns : report->shown_ns;
    bool shown = report->source > ES_SHOWN_PRESENT_RETURN;
    int64_t work_ns = es__ns_add(report->update_work_ns, report->render_work_ns);
    char *at = trace->buffer + trace->size;
    at = put_time(at, true, report->frame.begun_ns, trace->start_ns, ',');
    at = put_number(at, report->frame.late_ns, ',');
    at = put_number(at, work_ns, ',');
    at = put_time(at, true, report->submit_ns, trace->start_ns, ',');
    at = put_time(at, returned, returned_ns, trace->start_ns, ',');
    at = put_time(at, shown, report->shown_ns, trace->start_ns, ',');
    at = put_time(at, true, content_ns, trace->content_ns, ',');
    at = put_number(at, report->series, '\n');
    trace->size = (size_t)(at - trace->buffer);
    return trace->size <= BUFFER_BYTES - LINE_MAX_BYTES || trace_write(trace, __func__);
}

bool es_trace_destroy(es_trace *trace)
{
    if (trace == NULL) {
        return false;
    }
    bool wrote = trace_write(trace, __func__);
    es__file_close(&trace->file);
    const es__error error = {NULL, es__file_reason(&trace->file)};
    wrote = es__fail_if(trace->file.failed != 0 ? ES_ERR_IO : ES_OK, __func__, &error) && wrote;
    es__free(trace);
    return wrote;
}
