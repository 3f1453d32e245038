/* SPDX-License-Identifier: Zlib */
#include "capture/trace.h"
#include "lab/numbers.h"

#include <math.h>
#include <stdlib.h>

/* Presents that take longer have waited for a flip. */
static const double waited_ms = 0.2;

enum { FLIPS = 4 }; /* that a queue may have before a return */

/* The newest flips, and what returns and flips tell. */
typedef struct flips {
    double *late, *apart; /* in ms */
    size_t late_count, apart_count;
    double newest_ms[FLIPS]; /* of frame n at n % FLIPS */
    size_t frames;
} flips;

/* A return that waited ends right after the flip of an earlier frame: the newest that has passed. */
static void note_flip(flips *f, const lab_capture_frame *frame)
{
    double late = INFINITY;
    for (size_t i = 0; i < FLIPS && i < f->frames; ++i) {
        double since = frame->present_end_ms - f->newest_ms[i];
        late = since >= 0.0 && since < late ? since : late;
    }
    if (frame->present_end_ms - frame->present_ms > waited_ms && late < INFINITY) {
        f->late[f->late_count++] = late;
    }
    double last_ms = f->newest_ms[(f->frames + FLIPS - 1) % FLIPS];
    if (f->frames > 0 && frame->shown_ms > last_ms) {
        f->apart[f->apart_count++] = frame->shown_ms - last_ms;
    }
    f->newest_ms[f->frames % FLIPS] = frame->shown_ms;
    f->frames += 1;
}

static void take_flips(lab_trace *trace, flips *f)
{
    lab_sort(f->late, f->late_count);
    lab_sort(f->apart, f->apart_count);
    trace->refresh_ms = f->apart_count > 0 ? f->apart[f->apart_count / 2] : 0.0;
    /* returns at any time do not wait for flips */
    bool waits = f->late_count > 0 && f->late[f->late_count / 2] < trace->refresh_ms / 4.0;
    trace->late_count = waits ? f->late_count : 0;
    for (size_t i = 0; i < LAB_TRACE_QUANTILES && f->late_count > 0; ++i) {
        double late = f->late[i * (f->late_count - 1) / (LAB_TRACE_QUANTILES - 1)];
        trace->late_ns[i] = (int64_t)(1e6 * late);
    }
}

static es_result take_frames(
        lab_trace *trace, lab_capture *capture, flips *f, lab_capture_error *error)
{
    const lab_capture_info *info = lab_capture_get_info(capture);
    bool has_work = (info->has & LAB_HAS_WORK) != 0;
    bool has_flips = info->shown == LAB_CAPTURE_SHOWN_REPORTED
                     && (info->has & LAB_HAS_PRESENT_END) != 0
                     && (info->has & LAB_HAS_PRESENT) != 0;
    lab_capture_frame frame;
    es_result result;
    while ((result = lab_capture_next(capture, &frame, error)) == ES_OK) {
        double ns = round((has_work ? frame.work_ms : frame.frame_ms) * 1e6);
        if (!(ns >= 1.0) || trace->count == info->used) {
            trace->skipped += 1;
            continue;
        }
        if (has_flips && !isnan(frame.shown_ms) && !isnan(frame.present_end_ms)) {
            note_flip(f, &frame);
        }
        trace->costs_ns[trace->count] = (int64_t)ns;
        trace->total_ns += trace->costs_ns[trace->count];
        trace->count += 1;
    }
    return result;
}

static es_result take(lab_trace *trace, lab_capture *capture, lab_capture_error *error)
{
    const lab_capture_info *info = lab_capture_get_info(capture);
    size_t size = info->used + 1;
    flips f = {.late = malloc(size * sizeof *f.late), .apart = malloc(size * sizeof *f.apart)};
    trace->costs_ns = malloc(size * sizeof *trace->costs_ns);
    es_result result = ES_ERR_SPACE;
    if (trace->costs_ns != NULL && f.late != NULL && f.apart != NULL) {
        result = take_frames(trace, capture, &f, error);
        take_flips(trace, &f);
    }
    free(f.late);
    free(f.apart);
    if (result == ES_ERR_SPACE) {
        return lab_capture_refuse(capture, error, 0, "out of memory");
    }
    trace->info = *info;
    trace->skipped += info->unread;
    if (result == ES_ERR_STATE && trace->count == 0) {
        return lab_capture_refuse(capture, error, info->header_line, "no frame times %s",
                info->header_line > 0 ? "below this header" : "in it");
    }
    return result == ES_ERR_STATE ? ES_OK : result;
}

es_result lab_trace_take(lab_trace *trace, lab_capture *capture, lab_capture_error *error)
{
    *trace = (lab_trace){0};
    es_result result = capture != NULL ? take(trace, capture, error) : ES_ERR_INVALID;
    lab_capture_close(capture);
    return result;
}

void lab_trace_free(lab_trace *trace)
{
    free(trace->costs_ns);
    *trace = (lab_trace){0};
}
