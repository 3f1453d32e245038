/* SPDX-License-Identifier: Zlib
 *
 * Samples are kept raw. A summary reads them in their order, and sorts in scratch memory.
 */
#include "meter.h"

#include <math.h>

es_meter *es_meter_create(size_t samples)
{
    const es_error few = {"samples", "must be at least 2"};
    const size_t each = sizeof(es__meter_sample) + sizeof(double);
    if (samples < 2 || samples > (SIZE_MAX - sizeof(es_meter)) / each) {
        es__fail(ES_ERR_INVALID, "es_meter_create", &few);
        return NULL;
    }
    es_meter *meter = es__allocate(sizeof *meter + samples * each);
    if (meter != NULL) {
        meter->samples = (es__meter_sample *)(meter + 1);
        meter->scratch = (double *)(meter->samples + samples);
        meter->capacity = samples;
    }
    return meter;
}

void es_meter_destroy(es_meter *meter)
{
    es__free(meter);
}

void es_meter_clear(es_meter *meter)
{
    const es_smoothness none = {0};
    if (meter != NULL) {
        meter->totals = none;
        meter->next = 0;
        meter->count = 0;
    }
}

static void add_totals(es_smoothness *totals, const es_report *report)
{
    const es_frame *frame = &report->frame;
    int64_t work_ns = es__ns_add(report->update_work_ns, report->render_work_ns);
    if (totals->frames > 0) {
        bool second = totals->frames == 1;
        if (second || frame->ticks < totals->ticks_min) {
            totals->ticks_min = frame->ticks;
        }
        if (second || frame->ticks > totals->ticks_max) {
            totals->ticks_max = frame->ticks;
        }
    }
    if (totals->frames == 0 || report->source < totals->source) {
        totals->source = report->source;
    }
    totals->frames += 1;
    totals->ticks += frame->ticks;
    totals->dropped_ns = es__ns_add(totals->dropped_ns, frame->account.frame_dropped_ns);
    totals->gaps += frame->gap.kind != ES_GAP_NONE;
    totals->gaps_ns = es__ns_add(totals->gaps_ns, frame->gap.duration_ns);
    totals->late_ns_max = es__max(totals->late_ns_max, frame->late_ns);
    totals->work_ns_max = es__max(totals->work_ns_max, work_ns);
    totals->work_ns = es__ns_add(totals->work_ns, work_ns);
}

void es_meter_add(es_meter *meter, const es_report *report)
{
    if (meter == NULL || report == NULL) {
        return;
    }
    const es_frame *frame = &report->frame;
    const es_account *account = &frame->account;
    add_totals(&meter->totals, report);
    if (report->source == ES_SHOWN_PLANNED) {
        return; /* an error against the plan would be zero by construction */
    }
    es__meter_sample *kept = &meter->samples[meter->next];
    es_meter_sample *sample = &kept->shown;
    sample->shown_ns = report->shown_ns;
    /* the user's pauses and speeds are put back, so that they are no error; slow motion is one */
    int64_t by_user_ns = es__ns_sub(account->slowed_ns, account->slow_motion_ns);
    sample->content_ns = es__ns_sub(es__ns_add(frame->content_ns, by_user_ns), account->seeked_ns);
    kept->intended_ns = frame->interval_ns;
    sample->series = report->series;
    meter->next = (meter->next + 1) % meter->capacity;
    if (meter->count < meter->capacity) {
        meter->count += 1;
    }
    ES__ASSERT(meter->count >= 1 && meter->count <= meter->capacity && meter->next < meter->capacity
                       && (meter->count == meter->capacity || meter->next == meter->count),
            "%zu, %zu", meter->count, meter->next);
}

/* --- the summary ------------------------------------------------------------------------------ */

/* The i-th oldest sample that is kept. */
static const es__meter_sample *sample_at(const es_meter *meter, size_t i)
{
    size_t oldest = meter->count < meter->capacity ? 0 : meter->next;
    ES__ASSERT_IS(i, <, meter->count);
    return &meter->samples[(oldest + i) % meter->capacity];
}

/* Two neighbouring frames: differences. */
typedef struct meter_pair {
    double shown_ms;
    double content_ms;
    double intended_ms;
} meter_pair;

/* The pair that ends with sample i; false where the two cannot be compared. */
static bool meter_pair_at(const es_meter *meter, size_t i, meter_pair *out)
{
    const es__meter_sample *kept = sample_at(meter, i);
    const es_meter_sample *sample = &kept->shown, *before = &sample_at(meter, i - 1)->shown;
    if (before->series != sample->series) {
        return false;
    }
    out->shown_ms = es__ns_to_ms(es__ns_sub(sample->shown_ns, before->shown_ns));
    out->content_ms = es__ns_to_ms(es__ns_sub(sample->content_ns, before->content_ns));
    out->intended_ms = es__ns_to_ms(kept->intended_ns);
    return true;
}

/* count: at least 1. Leaves the sorted absolute errors in errors. */
static es_error_ms meter_distribution(double *errors, size_t count)
{
    es_error_ms out = {0};
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
    double slack_ms = 1e-9 * (1.0 + out.max_ms);
    ES__ASSERT(!(out.mean_abs_ms > out.rms_ms + slack_ms) && !(out.rms_ms > out.max_ms + slack_ms)
                       && !(fabs(out.bias_ms) > out.mean_abs_ms + slack_ms),
            "mean %g, rms %g, most %g, bias %g", out.mean_abs_ms, out.rms_ms, out.max_ms,
            out.bias_ms);
    ES__ASSERT(out.median_ms <= out.p99_ms && out.p99_ms <= out.max_ms, "%g, %g", out.median_ms,
            out.p99_ms);
    return out;
}

typedef enum meter_error {
    METER_INTERVAL,
    METER_INTERVAL_ERROR,
    METER_ANIMATION_ERROR
} meter_error;

/* intended_ms: where a frame has no intended interval of its own. Returns how many there are. */
static size_t meter_gather(const es_meter *meter, meter_error which, double intended_ms)
{
    size_t count = 0;
    meter_pair p;
    for (size_t i = 1; i < meter->count; ++i) {
        if (meter_pair_at(meter, i, &p)) {
            double own_ms = p.intended_ms > 0 ? p.intended_ms : intended_ms;
            meter->scratch[count++] = which == METER_INTERVAL         ? p.shown_ms
                                      : which == METER_INTERVAL_ERROR ? p.shown_ms - own_ms
                                                                      : p.content_ms - p.shown_ms;
        }
    }
    return count;
}

static void add_means(const es_meter *meter, double median_ms, es_smoothness *summary)
{
    meter_pair p;
    for (size_t i = 1; i < meter->count; ++i) {
        if (meter_pair_at(meter, i, &p)) {
            summary->interval_ms += p.shown_ms / (double)summary->intervals;
            summary->intended_ms +=
                    (p.intended_ms > 0 ? p.intended_ms : median_ms) / (double)summary->intervals;
            summary->lost_ms += p.shown_ms - p.content_ms;
        }
    }
}

bool es_meter_get(const es_meter *meter, size_t back, es_meter_sample *sample)
{
    if (meter == NULL || sample == NULL || back >= meter->count) {
        return false;
    }
    *sample = meter->samples[(meter->next + meter->capacity - 1 - back) % meter->capacity].shown;
    return true;
}

es_smoothness es_meter_smoothness(es_meter *meter)
{
    es_smoothness out = {0};
    if (meter == NULL) {
        return out;
    }
    out = meter->totals;
    out.intervals = meter_gather(meter, METER_INTERVAL, 0);
    ES__ASSERT(out.intervals == 0 || out.intervals < meter->count, "%zu", out.intervals);
    if (out.intervals > 0) {
        double median_ms = meter_distribution(meter->scratch, out.intervals).median_ms;
        add_means(meter, median_ms, &out);
        meter_gather(meter, METER_INTERVAL_ERROR, median_ms);
        out.interval = meter_distribution(meter->scratch, out.intervals);
        meter_gather(meter, METER_ANIMATION_ERROR, 0);
        out.animation = meter_distribution(meter->scratch, out.intervals);
    }
    return out;
}
