/* SPDX-License-Identifier: Zlib
 *
 * How long events take. Samples are a ring in the order of their ticks: the newest wait for a
 * frame, and frames reach them from the oldest on.
 */
#include "input.h"

#include <math.h>

void es__meter_init(
        es__meter *meter, es__sample *samples, double *scratch, size_t capacity, int64_t since_ns)
{
    *meter = (es__meter){
            .samples = samples, .scratch = scratch, .capacity = capacity, .since_ns = since_ns};
}

/* The sample that is the i-th newest, from 1. */
static es__sample *newest_sample(const es__meter *meter, size_t i)
{
    size_t at = meter->next >= i ? meter->next - i : meter->next + meter->capacity - i;
    ES__ASSERT(i >= 1 && i <= meter->count && at < meter->capacity, i, meter->count);
    return &meter->samples[at];
}

bool es__sample_make(es__sample *sample, const es__input_taken *taken, const es_step *step)
{
    *sample = (es__sample){
            .stamp_ns = taken->event.stamp_ns,
            .tick = step->index,
            .from_ns = es__ns_sub(step->time_ns, step->dt_ns),
            .time_ns = step->time_ns,
            .begun_ns = step->begun_ns,
            .shows_ns = INT64_MIN,
            .shown_ns = INT64_MIN,
            .missed = taken->missed > 0,
    };
    return taken->event.kind != ES_INPUT_LOST && taken->event.stamp_ns != ES__STAMP_NONE;
}

void es__meter_take(es__meter *meter, const es__sample *sample)
{
    if (meter->capacity == 0 || sample->stamp_ns < meter->since_ns) {
        return;
    }
    if (meter->waiting > 0 && newest_sample(meter, 1)->tick > sample->tick) {
        meter->waiting = 0; /* given up */
    }
    if (meter->waiting == meter->capacity) {
        meter->waiting -= 1;
    }
    meter->samples[meter->next] = *sample;
    meter->next = meter->next + 1 < meter->capacity ? meter->next + 1 : 0;
    meter->count += meter->count < meter->capacity;
    meter->waiting += 1;
    meter->events += 1;
    meter->missed += sample->missed;
    ES__ASSERT(newest_sample(meter, 1)->tick == sample->tick && meter->missed <= meter->events,
            sample->tick);
}

void es__meter_frame(es__meter *meter, const es_frame *frame, int64_t shown_ns)
{
    if (frame->gap.kind != ES_GAP_NONE) {
        meter->waiting = 0;
        meter->since_ns = frame->start_ns;
    }
    for (size_t i = meter->waiting; i > 0; --i) {
        es__sample *sample = newest_sample(meter, i);
        if (sample->tick > frame->newest_tick || frame->content_ns <= sample->from_ns) {
            return;
        }
        if (sample->shows_ns == INT64_MIN) {
            sample->shows_ns = shown_ns;
        }
        if (frame->content_ns >= sample->time_ns) {
            sample->shown_ns = shown_ns;
            meter->waiting = i - 1;
        }
    }
}

/* --- the summary ------------------------------------------------------------------------------ */

/* From the stamp to an instant of a sample: the int64_t at this offset. Of the samples that were shown
 * whole; *count of them. */
static es_input_delay delay_to(const es__meter *meter, size_t offset, size_t *count)
{
    double *delays = meter->scratch, sum = 0.0;
    *count = 0;
    for (size_t i = meter->count; i > 0; --i) {
        const es__sample *sample = newest_sample(meter, i);
        if (sample->shown_ns != INT64_MIN) {
            int64_t instant_ns;
            memcpy(&instant_ns, (const unsigned char *)sample + offset, sizeof instant_ns);
            delays[*count] = es__ns_to_ms(es__ns_between(sample->stamp_ns, instant_ns));
            sum += delays[(*count)++];
        }
    }
    if (*count == 0) {
        return (es_input_delay){0};
    }
    es__sort(delays, *count);
    double mean = sum / (double)*count;
    double slack = 1e-9 * (fabs(delays[0]) + fabs(delays[*count - 1]));
    ES__ASSERT(mean >= delays[0] - slack && mean <= delays[*count - 1] + slack, mean);
    return (es_input_delay){
            .mean_ms = mean,
            .p50_ms = es__percentile(delays, *count, 500),
            .p95_ms = es__percentile(delays, *count, 950),
            .max_ms = delays[*count - 1],
    };
}

void es__meter_status(const es__meter *meter, es_input_status *status)
{
    size_t count = 0;
    status->events = meter->events;
    status->missed = meter->missed;
    status->to_tick = delay_to(meter, offsetof(es__sample, begun_ns), &count);
    status->to_shows = delay_to(meter, offsetof(es__sample, shows_ns), &count);
    status->to_shown = delay_to(meter, offsetof(es__sample, shown_ns), &count);
    status->shown = (int64_t)count;
}
