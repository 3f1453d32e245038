/* SPDX-License-Identifier: Zlib
 *
 * A capture as events, in the JSON of Chrome's traces, which Perfetto opens, too. Source: the
 * "Trace Event Format" of the Chromium project. Times are us from the first frame's start on.
 */
#include "measure.h"

#include <errno.h>
#include <jansson.h>
#include <math.h>
#include <stdlib.h>

enum { CPU, PRESENT, GPU, DISPLAY, TRACKS };

typedef struct events {
    FILE *out;
    double origin_ms, ends_ms[TRACKS]; /* events of a track follow each other */
} events;

static double us(const events *e, double ms)
{
    return 1000.0 * (ms - e->origin_ms);
}

/* An event of a track, with a frame's number as its name; NaN: it is not known. */
static void put_span(
        events *e, size_t track, size_t number, const lab_capture_frame *f, double from, double to)
{
    bool is_known = !isnan(from);
    from = fmax(from, e->ends_ms[track]);
    if (is_known && to > from) {
        fprintf(e->out,
                ",\n{\"ph\":\"X\",\"pid\":1,\"tid\":%zu,\"name\":\"%zu\",\"ts\":%.3f,\"dur\":%.3f,"
                "\"args\":{\"line\":%zu}}",
                track + 1, number, us(e, from), 1000.0 * (to - from), f->line);
        e->ends_ms[track] = to;
    }
}

static void put_counter(events *e, const char *name, double at, double ms)
{
    if (!isnan(ms)) {
        fprintf(e->out,
                ",\n{\"ph\":\"C\",\"pid\":1,\"name\":\"%s\",\"ts\":%.3f,\"args\":{\"ms\":%.6f}}",
                name, us(e, at), ms);
    }
}

static void put_names(events *e, const measured *m)
{
    static const char *const tracks[TRACKS] = {"CPU: start to present", "present: call to return",
            "GPU", "display: shown until the next"};
    json_t *name = json_string(m->info.process[0] != '\0' ? m->info.process : m->name);
    char *quoted = json_dumps(name, JSON_ENCODE_ANY | JSON_ENSURE_ASCII);
    fprintf(e->out,
            "{\"displayTimeUnit\":\"ms\",\"traceEvents\":[\n"
            "{\"ph\":\"M\",\"pid\":1,\"name\":\"process_name\",\"args\":{\"name\":%s}}",
            quoted != NULL ? quoted : "\"\"");
    free(quoted);
    json_decref(name);
    for (size_t i = 0; i < TRACKS; ++i) {
        fprintf(e->out,
                ",\n{\"ph\":\"M\",\"pid\":1,\"tid\":%zu,\"name\":\"thread_name\",\"args\":{"
                "\"name\":"
                "\"%s\"}}",
                i + 1, tracks[i]);
    }
}

bool measure_next(measure_walk *w)
{
    lab_capture_error error;
    lab_capture_frame *f = &w->frame;
    if (lab_capture_next(w->capture, f, &error) != ES_OK) {
        return false;
    }
    w->number += 1;
    w->interval_ms = w->error_ms = (double)NAN;
    w->is_seen = !isnan(f->shown_ms);
    w->before = w->shown;
    w->before_number = w->is_seen && f->series == w->shown.series ? w->shown_number : 0;
    if (w->before_number > 0 && f->shown_ms <= w->before.shown_ms) {
        w->is_seen = false; /* the frame before was never seen by itself */
    }
    if (lab_capture_get_info(w->capture)->shown == LAB_CAPTURE_SHOWN_NONE) {
        w->interval_ms = f->frame_ms > 0.0 ? f->frame_ms : (double)NAN;
    }
    if (!w->is_seen) {
        return true;
    }
    w->interval_ms = w->before_number > 0 ? f->shown_ms - w->before.shown_ms : (double)NAN;
    w->shown = *f;
    w->shown_number = w->number;
    if (!isnan(f->content_ms)) {
        bool follows = w->has_moved && f->series == w->moved.series;
        w->error_ms =
                follows ? (f->content_ms - w->moved.content_ms) - (f->shown_ms - w->moved.shown_ms)
                        : (double)NAN;
        w->moved = *f;
        w->has_moved = true;
    }
    return true;
}

static void put_frame(events *e, const measure_walk *w)
{
    const lab_capture_frame *f = &w->frame;
    double at_ms = w->is_seen ? f->shown_ms : f->present_ms;
    put_span(e, CPU, w->number, f, f->cpu_start_ms, f->present_ms);
    put_span(e, PRESENT, w->number, f, f->present_ms, f->present_end_ms);
    put_span(e, GPU, w->number, f, f->gpu_start_ms, f->gpu_end_ms);
    if (w->is_seen && w->before_number > 0) {
        put_span(e, DISPLAY, w->before_number, &w->before, w->before.shown_ms, f->shown_ms);
    }
    put_counter(e, "interval", at_ms, w->interval_ms);
    put_counter(e, "animation error", at_ms, w->error_ms);
}

bool measure_write_events(const void *user, const char *path)
{
    const measured *m = user;
    lab_capture_error error;
    measure_walk w = {.capture = lab_capture_open(m->path, &m->options, &error)};
    errno = EIO; /* it was read before */
    events e = {.out = w.capture != NULL ? tool_open(path) : NULL};
    if (e.out == NULL) {
        lab_capture_close(w.capture);
        return false;
    }
    put_names(&e, m);
    while (measure_next(&w)) {
        if (w.number == 1) {
            e.origin_ms = fmin(w.frame.present_ms, w.frame.cpu_start_ms); /* of those known */
            for (size_t i = 0; i < TRACKS; ++i) {
                e.ends_ms[i] = e.origin_ms;
            }
        }
        put_frame(&e, &w);
    }
    lab_capture_close(w.capture);
    fputs("\n]}\n", e.out);
    return tool_close(e.out);
}
