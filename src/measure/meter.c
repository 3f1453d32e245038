/* SPDX-License-Identifier: Zlib
 *
 * Samples are kept raw. A summary reads them in their order, and sorts in scratch memory.
 */
#include "meter.h"

#include <math.h>

#define EARLY_NS  (ES_NS_PER_MS / 2)  /* converted clocks are not exact */
#define FUTURE_NS (20 * ES_NS_PER_MS) /* some compositors report the time that they predict */

es_meter *es_meter_create(size_t samples)
{
    const es__error few = {"samples", "must be at least 2"};
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
    if (meter != NULL) {
        meter->totals = (es_smoothness){0};
        meter->next = meter->added = 0;
        meter->count = meter->recent_count = 0;
    }
}

static void add_totals(es_smoothness *totals, const es_report *report)
{
    const es_frame *frame = &report->frame;
    int64_t work_ns = es__clamp_ns(report->update_work_ns) + es__clamp_ns(report->render_work_ns);
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
    es__count_ns(&totals->dropped_ns, es__clamp_ns(frame->account.frame_dropped_ns));
    totals->gaps += frame->gap.kind != ES_GAP_NONE;
    es__count_ns(&totals->gaps_ns, es__clamp_ns(frame->gap.duration_ns));
    totals->late_ns_max = es__max(totals->late_ns_max, frame->late_ns);
    totals->work_ns_max = es__max(totals->work_ns_max, work_ns);
    es__count_ns(&totals->work_ns, work_ns);
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
    es__meter_recent *recent = &meter->recent[meter->added % ES_METER_RECENT];
    es_meter_sample *sample = &kept->shown;
    sample->shown_ns = report->shown_ns;
    sample->source = report->source;
    /* the user's pauses and speeds are put back, so that they are no error; slow motion is one */
    sample->content_ns = es__clamp_ns(frame->content_ns) + es__clamp_ns(account->slowed_ns)
                         - es__clamp_ns(account->slow_motion_ns) - es__clamp_ns(account->seeked_ns);
    kept->intended_ns = frame->interval_ns;
    sample->series = report->series;
    recent->frame = frame->index;
    recent->submit_ns = report->submit_ns;
    recent->sequence = 0;
    meter->added += 1;
    meter->next = (meter->next + 1) % meter->capacity;
    meter->count += meter->count < meter->capacity;
    meter->recent_count += meter->recent_count < ES_METER_RECENT;
    if (meter->recent_count > meter->count) {
        meter->recent_count = meter->count;
    }
    ES__ASSERT(meter->count >= 1 && meter->count <= meter->capacity && meter->next < meter->capacity
                       && (meter->count == meter->capacity || meter->next == meter->count),
            meter->count, meter->next);
}

/* --- screen times ----------------------------------------------------------------------------- */

/* back: from the newest, below count. */
static es__meter_sample *newest_at(const es_meter *meter, size_t back)
{
    return &meter->samples[(meter->next + meter->capacity - 1 - back) % meter->capacity];
}

/* back: below recent_count. */
static es__meter_recent *recent_at(es_meter *meter, size_t back)
{
    return &meter->recent[(meter->added - 1 - back) % ES_METER_RECENT];
}

/* The frame was never shown: its neighbours followed each other. */
static void meter_remove(es_meter *meter, size_t back)
{
    for (; back > 0; --back) {
        *newest_at(meter, back) = *newest_at(meter, back - 1);
        *recent_at(meter, back) = *recent_at(meter, back - 1);
    }
    meter->next = (meter->next + meter->capacity - 1) % meter->capacity;
    meter->added -= 1;
    meter->count -= 1;
    meter->recent_count -= 1;
    ES__ASSERT(meter->recent_count <= meter->count && meter->next < meter->capacity, meter->count);
}

/* Later frames are seen later, and at a later refresh. */
static bool is_in_order(es_meter *meter, size_t at, const es_present *sample)
{
    for (size_t back = 0; back < meter->recent_count; ++back) {
        const es_meter_sample *other = &newest_at(meter, back)->shown;
        uint64_t count = recent_at(meter, back)->sequence;
        bool counted = count > 0 && sample->sequence > 0;
        bool ordered = back > at ? other->shown_ns <= sample->shown_ns
                                           && !(counted && count >= sample->sequence)
                                 : other->shown_ns >= sample->shown_ns
                                           && !(counted && count <= sample->sequence);
        if (back != at && other->source == ES_SHOWN_FEEDBACK && !ordered) {
            return false;
        }
    }
    return true;
}

/* NULL: plausible. */
static const char *meter_doubts(es_meter *meter, size_t back, const es_present *sample)
{
    if (sample->shown_ns < es__ns_sub(recent_at(meter, back)->submit_ns, EARLY_NS)) {
        return "is before the frame was submitted";
    }
    if (sample->shown_ns > es__ns_add(sample->reported_ns, FUTURE_NS)) {
        return "is after it was reported";
    }
    return is_in_order(meter, back, sample) ? NULL : "is in another order than the frames";
}

static bool refuse_sample(const char *field, const char *reason)
{
    return es__fail(ES_ERR_INVALID, "es_present", &(es__error){field, reason}) == ES_OK;
}

bool es_meter_presented(es_meter *meter, const es_present *sample)
{
    size_t back = 0;
    if (meter == NULL || sample == NULL) {
        return false;
    }
    while (back < meter->recent_count && recent_at(meter, back)->frame != sample->frame) {
        ++back;
    }
    if (back == meter->recent_count) {
        return refuse_sample("frame", "is none of the last 64");
    }
    es_meter_sample *shown = &newest_at(meter, back)->shown;
    if (shown->source != ES_SHOWN_PRESENT_RETURN) {
        return refuse_sample("frame", "has a screen time already");
    }
    if (sample->discarded) {
        meter_remove(meter, back);
        return true;
    }
    const char *reason = meter_doubts(meter, back, sample);
    if (reason != NULL) {
        return refuse_sample("shown_ns", reason);
    }
    shown->shown_ns = sample->shown_ns;
    shown->source = ES_SHOWN_FEEDBACK;
    recent_at(meter, back)->sequence = sample->sequence;
    return true;
}

/* How many of the newest frames still wait for reports: those after the last that has one. */
static size_t meter_waiting(const es_meter *meter)
{
    for (size_t back = 0; back < meter->recent_count; ++back) {
        if (newest_at(meter, back)->shown.source == ES_SHOWN_FEEDBACK) {
            return back;
        }
    }
    return 0;
}

/* --- the summary ------------------------------------------------------------------------------ */

/* The i-th oldest sample that is kept. */
static const es__meter_sample *sample_at(const es_meter *meter, size_t i)
{
    ES__ASSERT_IS(i, <, meter->count);
    return newest_at(meter, meter->count - 1 - i);
}

/* Two neighbouring frames: differences. */
typedef struct meter_pair {
    double shown_ms;
    double content_ms;
    double intended_ms;
} meter_pair;

/* The pair that ends with sample i. False: the two cannot be compared, or another source tells their times. */
static bool meter_pair_at(const es_meter *meter, size_t i, es_shown_source source, meter_pair *out)
{
    const es__meter_sample *kept = sample_at(meter, i);
    const es_meter_sample *sample = &kept->shown, *before = &sample_at(meter, i - 1)->shown;
    if (before->series != sample->series || before->source != source || sample->source != source) {
        return false;
    }
    out->shown_ms = es__ns_to_ms(es__ns_between(before->shown_ns, sample->shown_ns));
    out->content_ms = es__ns_to_ms(es__ns_between(before->content_ns, sample->content_ns));
    out->intended_ms = es__ns_to_ms(kept->intended_ns);
    return true;
}

/* The source that tells the times of most pairs. */
static es_shown_source meter_source(const es_meter *meter)
{
    size_t pairs[ES_SHOWN_VIRTUAL + 1] = {0};
    es_shown_source most = ES_SHOWN_PRESENT_RETURN;
    const size_t compared = meter->count - meter_waiting(meter);
    for (size_t i = 1; i < compared; ++i) {
        es_shown_source source = sample_at(meter, i)->shown.source;
        meter_pair p;
        pairs[source] += meter_pair_at(meter, i, source, &p);
        if (pairs[source] > pairs[most]) {
            most = source;
        }
    }
    return most;
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
            out.mean_abs_ms, out.rms_ms);
    return out;
}

typedef enum meter_error {
    METER_INTERVAL,
    METER_INTERVAL_ERROR,
    METER_ANIMATION_ERROR
} meter_error;

/* intended_ms: where a frame has no intended interval of its own. Returns how many there are. */
static size_t meter_gather(
        const es_meter *meter, es_shown_source source, meter_error which, double intended_ms)
{
    size_t count = 0;
    meter_pair p;
    const size_t compared = meter->count - meter_waiting(meter);
    for (size_t i = 1; i < compared; ++i) {
        if (meter_pair_at(meter, i, source, &p)) {
            double own_ms = p.intended_ms > 0 ? p.intended_ms : intended_ms;
            double error_ms = p.content_ms - p.shown_ms;
            if (which != METER_ANIMATION_ERROR) {
                error_ms = p.shown_ms - (which == METER_INTERVAL_ERROR ? own_ms : 0.0);
            }
            meter->scratch[count++] = error_ms;
        }
    }
    return count;
}

static void add_means(
        const es_meter *meter, es_shown_source source, double median_ms, es_smoothness *summary)
{
    meter_pair p;
    const size_t compared = meter->count - meter_waiting(meter);
    for (size_t i = 1; i < compared; ++i) {
        if (meter_pair_at(meter, i, source, &p)) {
            summary->interval_ms += p.shown_ms / (double)summary->intervals;
            summary->intended_ms +=
                    (p.intended_ms > 0 ? p.intended_ms : median_ms) / (double)summary->intervals;
            summary->lost_ms += p.shown_ms - p.content_ms;
        }
    }
    if (summary->source != ES_SHOWN_PLANNED) { /* else that frame has no sample */
        summary->source = source;
    }
}

#if ES__ASSERTS
/* The same sums, a second time: of the intervals less what was intended, and of what was lost. */
static void check_means(const es_smoothness *s)
{
    double lost_ms = -s->animation.bias_ms * (double)s->intervals,
           late_ms = s->interval_ms - s->intended_ms;
    double slack_ms = 1e-9 * (double)s->intervals
                      * (1.0 + s->animation.max_ms + s->interval.max_ms + fabs(s->interval_ms)
                              + s->intended_ms);
    ES__ASSERT(!(fabs(lost_ms - s->lost_ms) > slack_ms), lost_ms, s->lost_ms);
    ES__ASSERT(!(fabs(late_ms - s->interval.bias_ms) > slack_ms), late_ms, s->interval.bias_ms);
}
#endif

bool es_meter_get_sample(const es_meter *meter, size_t back, es_meter_sample *sample)
{
    if (meter == NULL || sample == NULL || back >= meter->count) {
        return false;
    }
    *sample = newest_at(meter, back)->shown;
    return true;
}

es_smoothness es_meter_smoothness(es_meter *meter)
{
    es_smoothness out = {0};
    if (meter == NULL) {
        return out;
    }
    out = meter->totals;
    es_shown_source source = meter_source(meter);
    out.intervals = meter_gather(meter, source, METER_INTERVAL, 0);
    if (out.intervals > 0) {
        double median_ms = meter_distribution(meter->scratch, out.intervals).median_ms;
        add_means(meter, source, median_ms, &out);
        meter_gather(meter, source, METER_INTERVAL_ERROR, median_ms);
        out.interval = meter_distribution(meter->scratch, out.intervals);
        meter_gather(meter, source, METER_ANIMATION_ERROR, 0);
        out.animation = meter_distribution(meter->scratch, out.intervals);
        ES__CHECK(check_means(&out));
    }
    return out;
}
