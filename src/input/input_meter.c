/* SPDX-License-Identifier: Zlib
 *
 * How long events take. Samples are a ring in the order of their ticks: the newest wait for a
 * frame, and frames reach them from the oldest on.
 */
#include "evenstep/input.h"

#include "base/common.h"

es_result es_input_meter_init(es_input_meter *meter, es_input_sample *samples, size_t capacity)
{
    if (meter == NULL || samples == NULL || capacity == 0) {
        return ES_ERR_INVALID;
    }
    *meter = (es_input_meter){.samples = samples, .capacity = capacity, .since_ns = INT64_MIN};
    return ES_OK;
}

/* The sample that is the i-th newest, from 1. */
static es_input_sample *delay_newest(const es_input_meter *meter, size_t i)
{
    size_t at = meter->next >= i ? meter->next - i : meter->next + meter->capacity - i;
    return &meter->samples[at];
}

static void give_up(es_input_meter *meter)
{
    meter->unseen += (int64_t)meter->waiting;
    meter->waiting = 0;
}

void es_input_meter_since(es_input_meter *meter, int64_t stamp_ns)
{
    give_up(meter);
    meter->since_ns = stamp_ns;
}

void es_input_meter_take(es_input_meter *meter, const es_input_taken *taken, const es_step *step)
{
    if (taken->event.kind == ES_INPUT_LOST || taken->tick < 0
            || taken->event.stamp_ns < meter->since_ns) {
        return;
    }
    if (meter->waiting > 0 && delay_newest(meter, 1)->tick > taken->tick) {
        give_up(meter);
    }
    if (meter->waiting == meter->capacity) {
        meter->waiting -= 1;
        meter->unseen += 1;
    }
    meter->samples[meter->next] = (es_input_sample){
            .stamp_ns = taken->event.stamp_ns,
            .tick = taken->tick,
            .from_ns = es__ns_sub(step->time_ns, step->dt_ns),
            .time_ns = step->time_ns,
            .due_ns = taken->due_ns,
            .begun_ns = taken->begun_ns,
            .shows_ns = INT64_MIN,
            .shown_ns = INT64_MIN,
    };
    meter->next = meter->next + 1 < meter->capacity ? meter->next + 1 : 0;
    meter->count += meter->count < meter->capacity;
    meter->waiting += 1;
    meter->events += 1;
    meter->missed += taken->missed > 0;
}

void es_input_meter_frame(es_input_meter *meter, const es_frame *frame, int64_t shown_ns)
{
    if (frame->gap.kind != ES_GAP_NONE) {
        es_input_meter_since(meter, frame->start_ns);
    }
    for (size_t i = meter->waiting; i > 0; --i) {
        es_input_sample *sample = delay_newest(meter, i);
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

typedef enum milestone { DUE, BEGUN, SHOWS, SHOWN } milestone;

static int64_t instant_of(const es_input_sample *sample, milestone which)
{
    const int64_t instants_ns[] = {
            sample->due_ns, sample->begun_ns, sample->shows_ns, sample->shown_ns};
    return instants_ns[which];
}

/* From the stamp to one milestone, of the samples that were shown whole; *count of them. */
static es_input_delay delay_to(
        const es_input_meter *meter, milestone which, double *delays, size_t *count)
{
    const es_input_delay none = {0};
    double sum = 0.0;
    *count = 0;
    for (size_t i = meter->count; i > 0; --i) {
        const es_input_sample *sample = delay_newest(meter, i);
        if (sample->shown_ns != INT64_MIN) {
            delays[*count] = es__ns_to_ms(es__ns_sub(instant_of(sample, which), sample->stamp_ns));
            sum += delays[(*count)++];
        }
    }
    if (*count == 0) {
        return none;
    }
    es__sort(delays, *count);
    return (es_input_delay){
            .mean_ms = sum / (double)*count,
            .p50_ms = es__percentile(delays, *count, 500),
            .p95_ms = es__percentile(delays, *count, 950),
            .max_ms = delays[*count - 1],
    };
}

es_result es_input_meter_summarise(const es_input_meter *meter, double *scratch,
        size_t scratch_count, es_input_summary *summary)
{
    if (meter == NULL || scratch == NULL || summary == NULL) {
        return ES_ERR_INVALID;
    }
    if (scratch_count < meter->count) {
        return ES_ERR_SPACE;
    }
    *summary = (es_input_summary){0};
    summary->to_due = delay_to(meter, DUE, scratch, &summary->events);
    summary->to_tick = delay_to(meter, BEGUN, scratch, &summary->events);
    summary->to_shows = delay_to(meter, SHOWS, scratch, &summary->events);
    summary->to_shown = delay_to(meter, SHOWN, scratch, &summary->events);
    return ES_OK;
}
