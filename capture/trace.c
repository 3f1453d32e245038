/* SPDX-License-Identifier: Zlib */
#include "capture/trace.h"

#include <math.h>
#include <stdlib.h>

static es_result take(lab_trace *trace, lab_capture *capture, lab_capture_error *error)
{
    const lab_capture_info *info = lab_capture_get_info(capture);
    bool has_work = (info->has & LAB_HAS_WORK) != 0;
    lab_capture_frame frame;
    es_result result;
    trace->costs_ns = malloc((info->used + 1) * sizeof *trace->costs_ns);
    if (trace->costs_ns == NULL) {
        return lab_capture_refuse(capture, error, 0, "out of memory");
    }
    while ((result = lab_capture_next(capture, &frame, error)) == ES_OK) {
        double ns = round((has_work ? frame.work_ms : frame.frame_ms) * 1e6);
        if (!(ns >= 1.0) || trace->count == info->used) {
            trace->skipped += 1;
            continue;
        }
        trace->costs_ns[trace->count] = (int64_t)ns;
        trace->total_ns += trace->costs_ns[trace->count];
        trace->count += 1;
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
    static const lab_trace empty = {0};
    *trace = empty;
    es_result result = capture != NULL ? take(trace, capture, error) : ES_ERR_INVALID;
    lab_capture_close(capture);
    return result;
}

void lab_trace_free(lab_trace *trace)
{
    static const lab_trace empty = {0};
    free(trace->costs_ns);
    *trace = empty;
}
