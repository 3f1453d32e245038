/* SPDX-License-Identifier: Zlib */
#include "evenstep/measure.h"
#include "evenstep/input.h"

#include "measure.h"

#include "lab/numbers.h"

#include <math.h>
#include <stdlib.h>

#define SAMPLES_MAX    864000               /* an hour at 240 Hz; untouched pages cost nothing */
#define REFRESH_MIN_NS (ES_NS_PER_MS / 2)   /* no display refreshes 2000 times a second */
#define ANSWER_NS      (250 * ES_NS_PER_MS) /* longer no frame waits for its screen time */
#define REFRESH_NS     (250 * ES_NS_PER_MS) /* figures that change faster cannot be read */

bool demo_measure_init(demo_measure *measure, const es_clock *clock, es_input *events)
{
    measure->clock = *clock;
    measure->meter = es_meter_create(SAMPLES_MAX);
    measure->answered = -1;
    measure->events = events;
    for (int i = 0; i < DEMO_SENT; ++i) {
        measure->sent[i] = -1;
    }
    if (measure->meter == NULL) {
        return false;
    }
    demo_measure_restart(measure);
    return true;
}

static int64_t now_of(const demo_measure *measure)
{
    return measure->clock.now_ns(measure->clock.user);
}

void demo_measure_restart(demo_measure *measure)
{
    measure->started_ns = now_of(measure);
    measure->dropped_ns = measure->slow_motion_ns = measure->stretched_ns = measure->gaps_ns = 0;
    measure->input = (es_input_status){0};
    measure->refreshed_ns = measure->started_ns;
    measure->counts_from = measure->next_frame; /* earlier frames may still be reported */
    es_meter_clear(measure->meter);
    es_input_frame(measure->events, NULL, measure->started_ns);
}

void demo_measure_new_loop(demo_measure *measure)
{
    measure->loop_first = measure->next_frame;
    measure->settled = false;
}

void demo_measure_stop(demo_measure *measure)
{
    measure->seconds = ns_to_ms(ns_sub(now_of(measure), measure->started_ns)) / 1000.0;
    demo_measure_refresh(measure, true);
}

/* --- frames ----------------------------------------------------------------------------------- */

bool demo_measure_presented(demo_measure *measure, const es_report *report, int64_t frame)
{
    es_report seen = *report;
    demo_wait *wait = &measure->waits[frame % DEMO_WAITS];
    measure->next_frame = frame + 1;
    measure->loop_base = frame - seen.frame.index;
    measure->sent[frame % DEMO_SENT] = frame;
    seen.frame.index = frame; /* the loop's own restart with the loop */
    seen.series = (int32_t)((uint32_t)seen.series + measure->breaks);
    *wait = (demo_wait){.report = seen};
    /* content is held at its start until the delay has passed; 1 ns is rounding */
    measure->settled = measure->settled
                       || ns_sub(seen.frame.account.clamped_ns, seen.frame.account.offset_ns) >= -1;
    if (!measure->settled) {
        measure->counts_from = measure->next_frame;
        es_input_frame(measure->events, NULL, seen.shown_ns);
    }
    return measure->settled;
}

bool demo_measure_feedback(demo_measure *measure, es_present *sample)
{
    int64_t at = sample->frame >= 0 ? sample->frame % DEMO_SENT : 0;
    if (measure->sent[at] != sample->frame) { /* the first frame, or one that was hidden */
        return false;
    }
    demo_wait *wait = &measure->waits[at % DEMO_WAITS];
    if (wait->report.frame.index != sample->frame || wait->is_answered) {
        measure->refused += 1;
        return false;
    }
    wait->answer = *sample;
    wait->is_answered = true;
    measure->answered = sample->frame > measure->answered ? sample->frame : measure->answered;
    bool of_loop = sample->frame >= measure->loop_first;
    sample->frame -= measure->loop_base;
    return of_loop;
}

/* Of two neighbours: how far the content went, less the time that passed on the screen. */
static double error_ms(const es_meter_sample *after, const es_meter_sample *before)
{
    return ns_to_ms(ns_sub(after->content_ns, before->content_ns))
           - ns_to_ms(ns_sub(after->shown_ns, before->shown_ns));
}

/* 0 where the last two frames cannot be compared. */
static void add_error(demo_measure *measure)
{
    es_meter_sample newest, before;
    bool compared = es_meter_get_sample(measure->meter, 1, &before)
                    && es_meter_get_sample(measure->meter, 0, &newest)
                    && newest.series == before.series && newest.source == before.source;
    measure->errors_ms[measure->error_count++ % DEMO_ERRORS] =
            compared ? error_ms(&newest, &before) : 0.0;
}

static void add_totals(demo_measure *measure, const es_frame *frame)
{
    const es_account *account = &frame->account;
    measure->dropped_ns = ns_add(measure->dropped_ns, account->frame_dropped_ns);
    measure->slow_motion_ns = ns_add(measure->slow_motion_ns, account->frame_slow_motion_ns);
    measure->stretched_ns = ns_add(measure->stretched_ns, account->frame_stretched_ns);
    measure->gaps_ns = ns_add(measure->gaps_ns, frame->gap.duration_ns);
}

static void add_seen(demo_measure *measure, const es_present *sample)
{
    const es_present *last = &measure->last_seen;
    int64_t passed_ns = ns_sub(sample->shown_ns, last->shown_ns);
    measure->taken += !sample->discarded;
    measure->discarded += sample->discarded;
    if (sample->discarded) {
        return;
    }
    if (last->sequence > 0 && sample->sequence > last->sequence) {
        uint64_t count = sample->sequence - last->sequence;
        if (count <= DEMO_WAITS && passed_ns / (int64_t)count >= REFRESH_MIN_NS) {
            measure->refreshes += (int64_t)count;
            measure->counted_ns = ns_add(measure->counted_ns, passed_ns);
        }
    }
    measure->last_seen = *sample;
}

/* A frame whose screen time is known, or will not be. */
static void settle_frame(demo_measure *measure, demo_wait *wait)
{
    es_report *seen = &wait->report;
    bool counts = seen->frame.index >= measure->counts_from;
    if (counts) {
        es_meter_add(measure->meter, seen);
    }
    if (wait->is_answered && es_meter_presented(measure->meter, &wait->answer)) {
        add_seen(measure, &wait->answer);
        seen->shown_ns = wait->answer.shown_ns;
        seen->source = ES_SHOWN_FEEDBACK;
    } else if (wait->is_answered && counts) {
        measure->refused += 1;
    }
    /* of frames between others with screen times the figures need them, too */
    bool known = seen->source != ES_SHOWN_PRESENT_RETURN
                 || measure->answered < seen->frame.index - DEMO_WAITS || measure->answered < 0;
    if (counts && known && !(wait->is_answered && wait->answer.discarded)) {
        es_trace_frame(measure->trace, seen);
        es_input_frame(measure->events, &seen->frame, seen->shown_ns);
        add_totals(measure, &seen->frame);
        add_error(measure);
    }
}

void demo_measure_settle(demo_measure *measure, int64_t now_ns, bool waits)
{
    for (; measure->waits_first < measure->next_frame; ++measure->waits_first) {
        int64_t frame = measure->waits_first;
        demo_wait *wait = &measure->waits[frame % DEMO_WAITS];
        if (wait->report.frame.index != frame || measure->sent[frame % DEMO_SENT] != frame) {
            continue; /* it was hidden */
        }
        bool in_time = measure->next_frame - frame < DEMO_WAITS
                       && ns_sub(now_ns, wait->report.shown_ns) < ANSWER_NS;
        if (waits && !wait->is_answered && in_time) {
            break;
        }
        settle_frame(measure, wait);
    }
}

demo_span demo_measure_span(const demo_measure *measure, int64_t since_ns, double period_ns)
{
    demo_span span = {0};
    es_meter_sample newest = {0}, after = {0}, before;
    es_meter_get_sample(measure->meter, 0, &newest);
    for (size_t back = 1; es_meter_get_sample(measure->meter, back, &before); ++back) {
        es_meter_get_sample(measure->meter, back - 1, &after);
        int64_t passed_ns = ns_sub(after.shown_ns, before.shown_ns);
        if (ns_sub(newest.shown_ns, before.shown_ns) > since_ns) {
            break;
        }
        if (after.series != before.series || after.source != before.source) {
            continue;
        }
        double size_ms = fabs(error_ms(&after, &before));
        span.pairs += 1;
        span.seconds += ns_to_ms(passed_ns) / 1000.0;
        span.longest_ms = fmax(span.longest_ms, ns_to_ms(passed_ns));
        span.error_ms += size_ms;
        span.error_most_ms = fmax(span.error_most_ms, size_ms);
        if (period_ns > 0.0) {
            int64_t refreshes = (int64_t)((double)passed_ns / period_ns + 0.5);
            span.refreshes += refreshes;
            span.repeats += refreshes > 1 ? refreshes - 1 : 0;
        }
    }
    span.error_ms /= span.pairs > 0 ? (double)span.pairs : 1.0;
    return span;
}

double demo_measure_period_ns(const demo_measure *measure)
{
    if (measure->follows && measure->display.period_ns > 0.0) {
        return measure->display.period_ns;
    }
    return measure->refreshes > 0 ? (double)measure->counted_ns / (double)measure->refreshes
                                  : (double)measure->last_seen.refresh_ns;
}

/* --- input ------------------------------------------------------------------------------------ */

bool demo_measure_refresh(demo_measure *measure, bool now)
{
    int64_t now_ns = now_of(measure);
    if (!now && ns_sub(now_ns, measure->refreshed_ns) < REFRESH_NS) {
        return false;
    }
    measure->refreshed_ns = now_ns;
    measure->input = es_input_get_status(measure->events);
    return true;
}
