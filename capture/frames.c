/* SPDX-License-Identifier: Zlib
 *
 * The second pass: a row's numbers, and the frame that they make.
 */
#include "capture/reader.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const double duration_min_ms = 1e-9; /* less is 0: no clock counts it */
static const double duration_max_ms = 1e6;
static const double content_back_ms = 1000.0; /* no jitter is that large */
static const double idle_ms = 100.0;
static const double time_max_ms = 1e10; /* 115 days, to which doubles count picoseconds */

/* A field as a number in its own unit, or a word as 0 or 1. */
static es_result number_of(const lab_capture *c, const row *one, lab_quantity q,
        lab_decimal *number, lab_capture_error *error)
{
    lab_slice s = one->fields[q];
    char shown[LAB_EXCERPT];
    if (lab_decimal_of(s, number)) {
        return ES_OK;
    }
    if (q == LAB_Q_DROPPED && (lab_slice_is(s, "true") || lab_slice_is(s, "false"))) {
        *number = (lab_decimal){s.size == 4, 0};
        return ES_OK;
    }
    return lab_capture_refuse(
            c, error, one->line, "%s: not a number: '%s'", c->column[q], lab_excerpt(shown, s));
}

/* A duration in ms; NaN: missing. */
static es_result duration_of(
        const lab_capture *c, const row *one, lab_quantity q, double *ms, lab_capture_error *error)
{
    lab_decimal number;
    *ms = c->is_json ? one->numbers[q] : (double)NAN;
    if (!c->is_json && !lab_is_missing(one->fields[q])) {
        if (number_of(c, one, q, &number, error) != ES_OK) {
            return ES_ERR_INVALID;
        }
        *ms = lab_double_of(number, c->exponent[q]);
    }
    *ms = fabs(*ms) < duration_min_ms ? 0.0 : *ms;
    bool is_signed = (q >= LAB_Q_UNTIL_GPU && q <= LAB_Q_UNTIL_GPU_END) || q == LAB_Q_SIMULATION;
    if (*ms > duration_max_ms || *ms < (is_signed ? -duration_max_ms : 0.0)) {
        char shown[LAB_EXCERPT];
        snprintf(shown, sizeof shown, "%g", *ms);
        (void)(c->is_json ? shown : lab_excerpt(shown, one->fields[q]));
        bool mango = c->family == LAB_FAMILY_MANGO_HUD;
        bool present_mon = (c->family & (LAB_FAMILY_PRESENT_MON | LAB_FAMILY_V2)) != 0;
        return lab_capture_refuse(c, error, one->line, "%s: must be %s to %s: '%s'%s", c->column[q],
                is_signed ? "-1000000" : "0", c->exponent[q] == -3 ? "1000000000 us" : "1000000 ms",
                shown,
                mango && *ms > 0.0                ? ", as MangoHud writes without log_interval=0"
                : present_mon && fabs(*ms) > 1e12 ? ", as faulty versions of PresentMon write"
                                                  : "");
    }
    return ES_OK;
}

/* A time in ms since the first one of its clock; NaN: missing. */
static es_result time_of(
        lab_capture *c, const row *one, lab_quantity q, double *ms, lab_capture_error *error)
{
    bool content = q == LAB_Q_CONTENT_AT || q == LAB_Q_SIMULATION_AT;
    long double *origin = content ? &c->content_origin : &c->origin;
    bool *has_origin = content ? &c->has_content_origin : &c->has_origin;
    lab_decimal number;
    long double raw;
    *ms = (double)NAN;
    if (c->is_json) {
        raw = (long double)one->numbers[q];
        if (isnan(one->numbers[q])) {
            return ES_OK;
        }
    } else if (lab_is_missing(one->fields[q])) {
        return ES_OK;
    } else {
        if (number_of(c, one, q, &number, error) != ES_OK) {
            return ES_ERR_INVALID;
        }
        if (c->family == LAB_FAMILY_ANDROID && number.digits == 0) {
            return ES_OK; /* not known */
        }
        if (q == LAB_Q_PRESENT_AT) {
            int place = count_digits(number) + number.scale - c->stamps.digits;
            place = place > c->stamps.scale ? place : c->stamps.scale;
            c->stamps.step_ms = (double)lab_scale(1.0L, place + c->exponent[q]);
        }
        raw = lab_scaled(number, 0);
    }
    if (!*has_origin) {
        *has_origin = true;
        *origin = raw;
    }
    /* the difference first: times since 1970 in ns have more digits than a double */
    *ms = (double)lab_scale(raw - *origin, c->exponent[q]);
    return fabs(*ms) > time_max_ms ? lab_capture_refuse(
                   c, error, one->line, "%s: not within 115 days of the first", c->column[q])
                                   : ES_OK;
}

static es_result read_values(lab_capture *c, const row *one, lab_capture_error *error)
{
    for (size_t i = 0; i < c->listed_count; ++i) {
        lab_quantity q = c->listed[i];
        es_result result = q < LAB_Q_DROPPED || q == LAB_Q_FPS ? ES_OK
                           : lab_is_absolute(q)                ? time_of(c, one, q, &c->v[q], error)
                                                : duration_of(c, one, q, &c->v[q], error);
        if (result != ES_OK && q < LAB_Q_CLICK_LATENCY) {
            return result;
        }
        if (result != ES_OK) {
            c->v[q] = (double)NAN; /* no reason to leave out the frame */
        }
    }
    return ES_OK;
}

static double first_of(double a, double b)
{
    return isnan(a) ? b : a;
}

/* When the frame was worked on and presented: by the file's clock, or by adding up frame times. */
static void place(lab_capture *c, lab_capture_frame *f)
{
    const double *v = c->v;
    double frame = v[LAB_Q_FRAME];
    bool follows = c->has_frame && frame > 0.0;
    double present = v[LAB_Q_PRESENT_AT];
    double cpu = v[LAB_Q_CPU_AT];
    if (is_listed(c, LAB_Q_PRESENT_AT)) {
        present += c->run_base_ms;
        double summed = c->last.present_ms + frame;
        bool is_coarse = c->stamps.step_ms > 0.005 && follows && c->breaks == c->last.series;
        present = is_coarse && fabs(summed - present) < 2.5 * c->stamps.step_ms ? summed : present;
    } else if (is_listed(c, LAB_Q_FRAME_NEXT)) {
        c->breaks += isnan(c->next_start_ms); /* after a row without it */
        cpu = first_of(c->next_start_ms, c->last.cpu_start_ms);
        c->next_start_ms = v[LAB_Q_FRAME_NEXT] > 0.0 ? cpu + v[LAB_Q_FRAME_NEXT] : (double)NAN;
        present = cpu + v[LAB_Q_CPU_BUSY];
    } else if (is_listed(c, LAB_Q_FRAME)) {
        double last = c->has_frame ? c->last.present_ms : 0.0;
        present = first_of(v[LAB_Q_END_AT], last + (follows ? frame : 0.0));
        c->breaks += c->has_frame && !follows && isnan(v[LAB_Q_END_AT]);
    }
    if (c->family == LAB_FAMILY_LAYER && !is_listed(c, LAB_Q_PRESENT_AT)) {
        present = first_of(v[LAB_Q_SHOWN_AT], c->last.present_ms); /* X11 says nothing else */
    }
    bool has_busy = has(c, LAB_Q_CPU_BUSY);
    cpu = first_of(cpu, has_busy ? present - v[LAB_Q_CPU_BUSY] : (double)NAN);
    if (isnan(cpu) && !has_busy && c->has_frame && c->breaks == c->last.series) {
        cpu = c->last.present_end_ms; /* as PresentMon has it: work begins where present returns */
    }
    f->present_ms = present;
    f->cpu_start_ms = cpu;
    f->present_end_ms =
            (c->family & LAB_FAMILY_STAMPS) != 0 ? v[LAB_Q_END_AT] : present + v[LAB_Q_IN_PRESENT];
}

/* When the GPU worked on it, and when it was seen. */
static void place_later(lab_capture *c, lab_capture_frame *f)
{
    const double *v = c->v;
    f->gpu_start_ms =
            first_of(f->present_ms + v[LAB_Q_UNTIL_GPU], f->cpu_start_ms + v[LAB_Q_GPU_LATENCY]);
    f->gpu_end_ms =
            first_of(f->present_ms + v[LAB_Q_UNTIL_GPU_END], f->gpu_start_ms + v[LAB_Q_GPU_TIME]);
    f->gpu_busy_ms = v[LAB_Q_GPU_BUSY];
    double shown = v[LAB_Q_SHOWN_AT];
    if (has(c, LAB_Q_UNTIL_SHOWN)) {
        shown = v[LAB_Q_UNTIL_SHOWN] > 0.0 ? f->present_ms + v[LAB_Q_UNTIL_SHOWN] : (double)NAN;
    } else if (has(c, LAB_Q_SHOWN_LATENCY)) {
        shown = v[LAB_Q_SHOWN_LATENCY] > 0.0 ? f->cpu_start_ms + v[LAB_Q_SHOWN_LATENCY]
                                             : (double)NAN;
    } else if (has(c, LAB_Q_BETWEEN_SHOWN)) {
        bool seen = v[LAB_Q_BETWEEN_SHOWN] > 0.0;
        shown = seen ? c->last_shown_ms + v[LAB_Q_BETWEEN_SHOWN] : (double)NAN;
        c->last_shown_ms = first_of(shown, c->last_shown_ms);
    } else if (c->info.shown == LAB_CAPTURE_SHOWN_PRESENT_RETURN) {
        shown = v[LAB_Q_END_AT];
    }
    f->shown_ms = v[LAB_Q_DROPPED] > 0.0 ? (double)NAN : shown;
    double content = has(c, LAB_Q_SIMULATION_AT)                   ? v[LAB_Q_SIMULATION_AT]
                     : c->info.content == LAB_CAPTURE_CONTENT_TRUE ? v[LAB_Q_CONTENT_AT]
                                                                   : f->cpu_start_ms;
    f->content_ms = f->is_generated ? (double)NAN : content;
    f->step_ms = has(c, LAB_Q_UNTIL_SHOWN) ? v[LAB_Q_BETWEEN_SHOWN] : (double)NAN;
    f->late_ms = v[LAB_Q_LATE];
    f->work_ms = v[LAB_Q_WORK];
    f->cpu_ms = v[LAB_Q_CPU_TIME];
    f->blocked_ms = v[LAB_Q_BLOCKED];
    memcpy(f->latency_ms, &v[LAB_Q_CLICK_LATENCY], sizeof f->latency_ms);
}

es_result lab_frame_make(
        lab_capture *c, const row *one, lab_capture_frame *f, lab_capture_error *error)
{
    lab_slice kind = one->fields[LAB_Q_KIND];
    if (read_values(c, one, error) != ES_OK) {
        return ES_ERR_DAMAGED;
    }
    f->line = one->line;
    f->is_generated = !c->is_json && kind.size > 0 && !lab_slice_is(kind, "Application")
                      && !lab_is_missing(kind) && !lab_slice_is(kind, "NotSet");
    if (c->is_json && one->begins_run && c->has_frame) {
        c->breaks += 1;
        c->has_origin = false;
        c->run_base_ms = c->last.present_ms;
        (void)time_of(c, one, LAB_Q_PRESENT_AT, &c->v[LAB_Q_PRESENT_AT], error);
    }
    place(c, f);
    place_later(c, f);
    if (c->v[LAB_Q_SERIES] < c->series || c->v[LAB_Q_SERIES] > c->series) {
        c->series = c->v[LAB_Q_SERIES];
        c->breaks += c->has_frame;
    }
    /* an app that had nothing to draw; after a frame that took long the plan is not late */
    c->breaks += c->v[LAB_Q_PLANNED_AT] > c->last.present_ms + idle_ms;
    f->series = c->breaks;
    bool same = c->has_frame && f->series == c->last.series;
    f->frame_ms = first_of(c->v[LAB_Q_FRAME], c->v[LAB_Q_FRAME_NEXT]);
    if (!is_listed(c, LAB_Q_FRAME) && !is_listed(c, LAB_Q_FRAME_NEXT)) {
        bool stamped = (c->family & LAB_FAMILY_STAMPS) != 0;
        f->frame_ms = !same    ? (double)NAN
                      : stamped && is_listed(c, LAB_Q_CPU_AT) ? f->cpu_start_ms - c->last.cpu_start_ms
                               : f->present_ms - c->last.present_ms;
    }
    if (c->family == LAB_FAMILY_ANDROID && c->has_frame && f->present_ms <= c->last.present_ms) {
        return ES_ERR_RANGE; /* dumps that follow each other repeat frames */
    }
    if (same && f->present_ms < c->last.present_ms) {
        lab_quantity q = is_listed(c, LAB_Q_PRESENT_AT) ? LAB_Q_PRESENT_AT
                         : is_listed(c, LAB_Q_END_AT)   ? LAB_Q_END_AT
                                                        : LAB_Q_CPU_BUSY;
        return lab_capture_refuse(c, error, f->line,
                "%s: %g ms before that of the last row: joined captures?", c->column[q],
                c->last.present_ms - f->present_ms);
    }
    if (same && c->info.content == LAB_CAPTURE_CONTENT_TRUE
            && f->content_ms < c->last.content_ms - content_back_ms) {
        lab_quantity q = has(c, LAB_Q_SIMULATION_AT) ? LAB_Q_SIMULATION_AT : LAB_Q_CONTENT_AT;
        return lab_capture_refuse(c, error, f->line,
                "%s: %g ms before that of the last row: a counter that wraps, or content that "
                "leaps",
                c->column[q], c->last.content_ms - f->content_ms);
    }
    c->last = *f;
    c->has_frame = true;
    return ES_OK;
}
