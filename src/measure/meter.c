/* SPDX-License-Identifier: Zlib
 *
 * Samples are kept raw. A summary reads them in their order and sorts in the caller's scratch
 * memory.
 */
#include "evenstep/meter.h"

#include "base/common.h"

#include <math.h>

es_result es_meter_init(es_meter *meter, es_meter_sample *samples, size_t capacity)
{
    if (meter == NULL || samples == NULL || capacity < 2) {
        return ES_ERR_INVALID;
    }
    es_meter fresh = {0};
    fresh.samples = samples;
    fresh.capacity = capacity;
    *meter = fresh;
    return ES_OK;
}

static void add_totals(es_meter *meter, const es_frame_report *report)
{
    const es_frame *frame = &report->frame;
    int64_t work_ns = es_ns_add(report->update_work_ns, report->render_work_ns);
    if (meter->frames > 0) {
        bool second = meter->frames == 1;
        if (second || frame->ticks < meter->ticks_min) {
            meter->ticks_min = frame->ticks;
        }
        if (second || frame->ticks > meter->ticks_max) {
            meter->ticks_max = frame->ticks;
        }
    }
    if (meter->frames == 0 || report->source < meter->source) {
        meter->source = report->source;
    }
    meter->frames += 1;
    meter->ticks += frame->ticks;
    meter->dropped_ns = es_ns_add(meter->dropped_ns, frame->dropped_ns);
    meter->gaps += frame->gap.kind != ES_GAP_NONE;
    meter->gaps_ns = es_ns_add(meter->gaps_ns, frame->gap.duration_ns);
    meter->late_ns_max = es__max(meter->late_ns_max, frame->late_ns);
    meter->work_ns_max = es__max(meter->work_ns_max, work_ns);
    meter->work_ns = es_ns_add(meter->work_ns, work_ns);
}

void es_meter_add(es_meter *meter, const es_frame_report *report)
{
    if (report == NULL) {
        return;
    }
    const es_frame *frame = &report->frame;
    const es_account *account = &frame->account;
    add_totals(meter, report);
    if (report->source == ES_SHOWN_PLANNED) {
        return; /* an error against the plan would be zero by construction */
    }
    es_meter_sample *sample = &meter->samples[meter->next];
    sample->shown_ns = report->shown_ns;
    /* the user's pauses and speeds are put back, so that they are no error; slow motion is one */
    int64_t by_user_ns = es_ns_sub(account->slowed_ns, account->slow_motion_ns);
    sample->content_ns = es_ns_sub(es_ns_add(frame->content_ns, by_user_ns), account->seeked_ns);
    sample->intended_ns = frame->interval_ns;
    sample->series = report->series;
    meter->next = (meter->next + 1) % meter->capacity;
    if (meter->count < meter->capacity) {
        meter->count += 1;
    }
}

/* --- the summary ------------------------------------------------------------------------------ */

/* The i-th oldest sample that is kept. */
static const es_meter_sample *sample_at(const es_meter *meter, size_t i)
{
    size_t oldest = meter->count < meter->capacity ? 0 : meter->next;
    return &meter->samples[(oldest + i) % meter->capacity];
}

/* Two neighbouring frames: differences. */
typedef struct pair {
    double shown_ms;
    double content_ms;
    double intended_ms;
} pair;

/* The pair that ends with sample i; false where the two cannot be compared. */
static bool meter_pair_at(const es_meter *meter, size_t i, pair *out)
{
    const es_meter_sample *before = sample_at(meter, i - 1);
    const es_meter_sample *sample = sample_at(meter, i);
    if (before->series != sample->series) {
        return false;
    }
    out->shown_ms = es_ns_to_ms(es_ns_sub(sample->shown_ns, before->shown_ns));
    out->content_ms = es_ns_to_ms(es_ns_sub(sample->content_ns, before->content_ns));
    out->intended_ms = es_ns_to_ms(sample->intended_ns);
    return true;
}

/* count: at least 1. Leaves the sorted absolute errors in errors. */
static es_meter_error meter_distribution(double *errors, size_t count)
{
    es_meter_error out = {0};
    double sum = 0;
    double sum_abs = 0;
    double sum_squares = 0;
    for (size_t i = 0; i < count; ++i) {
        sum += errors[i];
        sum_squares += errors[i] * errors[i];
        errors[i] = fabs(errors[i]);
        sum_abs += errors[i];
    }
    es__sort(errors, count);
    out.mean_abs_ms = sum_abs / (double)count;
    out.bias_ms = sum / (double)count;
    out.rms_ms = sqrt(sum_squares / (double)count);
    out.median_ms = es__percentile(errors, count, 500);
    out.p99_ms = es__percentile(errors, count, 990);
    out.max_ms = errors[count - 1];
    return out;
}

typedef double error_of(const pair *p, double intended_ms);

static double interval_of(const pair *p, double intended_ms)
{
    (void)intended_ms;
    return p->shown_ms;
}

static double interval_error_of(const pair *p, double intended_ms)
{
    return p->shown_ms - (p->intended_ms > 0 ? p->intended_ms : intended_ms);
}

static double animation_error_of(const pair *p, double intended_ms)
{
    (void)intended_ms;
    return p->content_ms - p->shown_ms;
}

static size_t meter_gather(
        const es_meter *meter, double *scratch, error_of *error, double intended_ms)
{
    size_t count = 0;
    pair p;
    for (size_t i = 1; i < meter->count; ++i) {
        if (meter_pair_at(meter, i, &p)) {
            scratch[count++] = error(&p, intended_ms);
        }
    }
    return count;
}

static void add_means(const es_meter *meter, double median_ms, es_meter_summary *summary)
{
    pair p;
    for (size_t i = 1; i < meter->count; ++i) {
        if (meter_pair_at(meter, i, &p)) {
            summary->interval_ms += p.shown_ms / (double)summary->intervals;
            summary->intended_ms +=
                    (p.intended_ms > 0 ? p.intended_ms : median_ms) / (double)summary->intervals;
            summary->lost_ms += p.shown_ms - p.content_ms;
        }
    }
}

es_result es_meter_summarise(
        const es_meter *meter, double *scratch, size_t scratch_count, es_meter_summary *summary)
{
    if (meter == NULL || scratch == NULL || summary == NULL) {
        return ES_ERR_INVALID;
    }
    if (scratch_count < meter->count) {
        return ES_ERR_SPACE;
    }
    es_meter_summary out = {0};
    out.intervals = meter_gather(meter, scratch, interval_of, 0);
    if (out.intervals > 0) {
        double median_ms = meter_distribution(scratch, out.intervals).median_ms;
        add_means(meter, median_ms, &out);
        meter_gather(meter, scratch, interval_error_of, median_ms);
        out.interval = meter_distribution(scratch, out.intervals);
        meter_gather(meter, scratch, animation_error_of, 0);
        out.animation = meter_distribution(scratch, out.intervals);
    }
    *summary = out;
    return ES_OK;
}
