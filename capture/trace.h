/* SPDX-License-Identifier: Zlib
 *
 * trace: frame costs from a capture of a real program (capture/capture.h). Where the file has screen
 * times and returns of present, as that of `evenstep demo --trace` on a display, also the distance of
 * refreshes, and how late presents return.
 *
 * The cost of a frame is the work that es_trace wrote, else the file's frame time, as it is. That is
 * an upper bound of its work: what the program spent blocked in present or in a frame limiter is in
 * it. Subtracting MsInPresentAPI would take away work of programs whose driver works there.
 */
#ifndef CAPTURE_TRACE_H
#define CAPTURE_TRACE_H

#include "capture/capture.h"

enum { LAB_TRACE_QUANTILES = 33 };

/* Costs in memory of their own. */
typedef struct lab_trace {
    int64_t *costs_ns; /* each 1 ns to 1000 s */
    size_t count;
    size_t skipped;                       /* frames without a cost (NA), or with 0 */
    int64_t total_ns;                     /* sum of the costs */
    int64_t late_ns[LAB_TRACE_QUANTILES]; /* of returns that waited, after a flip, at even shares */
    size_t late_count; /* of such returns; 0: they do not wait, or are not known */
    double refresh_ms; /* median distance of flips; 0: not known */
    lab_capture_info info;
} lab_trace;

/* Takes the costs of a capture, which may be NULL (refused: see error), and closes it. Free them with
 * lab_trace_free, also after an error. */
es_result lab_trace_take(lab_trace *trace, lab_capture *capture, lab_capture_error *error);
void lab_trace_free(lab_trace *trace);

#endif
