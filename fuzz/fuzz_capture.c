/* SPDX-License-Identifier: Zlib
 *
 * Any bytes as a capture: no crash; what is accepted has finite figures in order; what is refused
 * says why, in one line that names the file, and a line that the file has. Costs add up.
 */
#include "capture/measure.h"
#include "capture/trace.h"

#include "fuzz_bytes.h"

#include <math.h>
#include <string.h>

static void check_spread(const lab_spread *s)
{
    require(s->p50_ms >= 0.0 && s->p50_ms <= s->p95_ms && s->p95_ms <= s->p99_ms);
    require(s->p99_ms <= s->p999_ms && s->p999_ms <= s->max_ms && isfinite(s->max_ms));
    require(fabs(s->bias_ms) <= s->mean_ms * 1.000001 && s->mean_ms <= s->rms_ms * 1.000001);
}

static void check_figures(const lab_figures *f, const lab_capture_info *info)
{
    check_spread(&f->frame_time);
    check_spread(&f->interval_error);
    check_spread(&f->animation_error);
    require(f->frames <= info->used && info->used <= info->rows);
    require(f->refresh_ms >= 0.0 && f->repeats <= f->refreshes);
    require(f->worst_count <= LAB_WORST && f->graph_count <= LAB_GRAPH);
    require(info->content != LAB_CAPTURE_CONTENT_NONE || f->animation_error.count == 0);
    require((info->unread == 0) == (info->why.line == 0));
    require(info->unread <= f->frames / 9);
    require(!info->in_us || strcmp(info->format, "MangoHud") == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static lab_figures figures; /* large */
    lab_capture_error error = {"", 0};
    const char *text = (const char *)data;
    lab_capture_options options = {.name = "game.csv"};
    if (size > 0 && data[0] % 4 == 0) {
        options.column = "ms";
    }
    lab_capture *capture = lab_capture_open_text(text, size, &options, &error);
    es_result result = capture != NULL ? lab_capture_measure(capture, 0.0, &figures, NULL, &error)
                                       : ES_ERR_INVALID;
    if (result == ES_OK) {
        check_figures(&figures, lab_capture_get_info(capture));
    } else {
        size_t lines = 1;
        for (size_t i = 0; i < size; ++i) {
            lines += data[i] == '\n' || data[i] == ','; /* JSON: rows */
        }
        require(error.line <= lines);
        require(strncmp(error.text, "game.csv", 8) == 0);
        require(strlen(error.text) > 9 && strchr(error.text, '\n') == NULL);
    }
    lab_capture_close(capture);
    lab_trace trace;
    int64_t total_ns = 0;
    if (lab_trace_take(&trace, lab_capture_open_text(text, size, &options, NULL), NULL) == ES_OK) {
        require(trace.count > 0);
        for (size_t i = 0; i < trace.count; ++i) {
            require(trace.costs_ns[i] >= 1 && trace.costs_ns[i] <= INT64_C(10000000000000000));
            total_ns += trace.costs_ns[i];
        }
        require(total_ns == trace.total_ns);
    }
    lab_trace_free(&trace);
    return 0;
}
