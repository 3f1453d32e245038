/* SPDX-License-Identifier: Zlib
 *
 * trace: frame costs from a capture of a real program (capture/capture.h).
 *
 * The cost of a frame is the work that es_trace wrote, else the file's frame time, as it is. That is
 * an upper bound of its work: what the program spent blocked in present or in a frame limiter is in
 * it. Subtracting MsInPresentAPI would take away work of programs whose driver works there.
 */
#ifndef CAPTURE_TRACE_H
#define CAPTURE_TRACE_H

#include "capture/capture.h"

/* Costs in memory of their own. */
typedef struct lab_trace {
    int64_t *costs_ns; /* each 1 ns to 1000 s */
    size_t count;
    size_t skipped;   /* frames without a cost (NA), or with 0 */
    int64_t total_ns; /* sum of the costs */
    lab_capture_info info;
} lab_trace;

/* Takes the costs of a capture, which may be NULL (refused: see error), and closes it. Free them with
 * lab_trace_free, also after an error. */
es_result lab_trace_take(lab_trace *trace, lab_capture *capture, lab_capture_error *error);
void lab_trace_free(lab_trace *trace);

#endif
