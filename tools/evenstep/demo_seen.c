/* SPDX-License-Identifier: Zlib */
#include "demo_seen.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define KEPT_MAX 864000 /* an hour at 240 Hz; untouched pages cost nothing */
#define LIVE_NS  ES_NS_PER_S

/* --- the run ---------------------------------------------------------------------------------- */

bool demo_seen_init(demo_seen *seen)
{
    seen->off_ms = calloc(KEPT_MAX, sizeof *seen->off_ms);
    seen->age_ms = calloc(KEPT_MAX, sizeof *seen->age_ms);
    seen->moved = calloc(KEPT_MAX, sizeof *seen->moved);
    return seen->off_ms != NULL && seen->age_ms != NULL && seen->moved != NULL;
}

void demo_seen_finish(demo_seen *seen)
{
    free(seen->off_ms);
    free(seen->age_ms);
    free(seen->moved);
    seen->off_ms = NULL;
    seen->age_ms = NULL;
    seen->moved = NULL;
}

void demo_seen_restart(demo_seen *seen)
{
    demo_seen fresh = {.off_ms = seen->off_ms, .age_ms = seen->age_ms, .moved = seen->moved};
    fresh.source = ES_SHOWN_VIRTUAL;
    fresh.follows = seen->follows;
    fresh.low_latency = seen->low_latency;
    fresh.status = seen->status;
    fresh.began_ns = seen->began_ns;
    fresh.has_locked = seen->has_locked;
    *seen = fresh;
}

void demo_seen_begin(demo_seen *seen, int64_t now_ns)
{
    seen->began_ns = now_ns;
    seen->has_locked = false;
}

void demo_seen_display(
        demo_seen *seen, const es_display_status *status, bool low_latency, int64_t now_ns)
{
    seen->follows = status != NULL;
    seen->low_latency = low_latency;
    if (status == NULL) {
        return;
    }
    seen->status = *status;
    if (status->mode == ES_DISPLAY_LOCKED && !seen->has_locked) {
        int64_t took_ns = es_ns_sub(now_ns, seen->began_ns);
        seen->has_locked = true;
        seen->locks += 1;
        seen->lock_ns = es_ns_add(seen->lock_ns, took_ns);
        seen->lock_most_ns = took_ns > seen->lock_most_ns ? took_ns : seen->lock_most_ns;
    }
}

void demo_seen_count(demo_seen *seen)
{
    bool locked = seen->follows && seen->status.mode == ES_DISPLAY_LOCKED
                  && seen->status.period_ns > 0.0; /* 0: the lock was just lost */
    seen->frames += 1;
    seen->locked_frames += locked;
    seen->periods_ns += locked ? seen->status.period_ns : 0.0;
}

double demo_seen_found_ns(const demo_seen *seen)
{
    return seen->locked_frames > 0 ? seen->periods_ns / (double)seen->locked_frames : 0.0;
}

static int64_t size_of(int64_t ns)
{
    return ns < 0 ? es_ns_sub(0, ns) : ns;
}

/* Since the picture before, if the two can be compared. */
static void note_count(demo_seen *seen, uint64_t count, const es_meter_sample *sample)
{
    const es_meter_sample *last = &seen->last;
    bool compared = count > seen->last_refresh && seen->last_refresh > 0
                    && sample->series == last->series && count - seen->last_refresh < 10000;
    if (compared) {
        demo_moved *moved = &seen->moved[seen->moved_count++ % KEPT_MAX];
        moved->content_ms = (float)es_ns_to_ms(es_ns_sub(sample->content_ns, last->content_ns));
        moved->shown_ms = (float)es_ns_to_ms(es_ns_sub(sample->shown_ns, last->shown_ns));
        moved->refreshes = (int32_t)(count - seen->last_refresh);
    }
    seen->last = *sample;
    seen->last_refresh = count;
}

void demo_seen_add(demo_seen *seen, const demo_picture *picture, const es_meter_sample *sample)
{
    note_count(seen, picture->count, sample);
    const es_frame_report *report = picture->report;
    const es_frame *frame = &report->frame;
    float off_ms = (float)es_ns_to_ms(es_ns_sub(report->shown_ns, frame->present_ns));
    seen->source = report->source < seen->source ? report->source : seen->source;
    seen->off_ms[seen->off_count++ % KEPT_MAX] = off_ms;
    seen->recent_ns[seen->recent_count % DEMO_SEEN_RECENT] = report->shown_ns;
    seen->recent_ms[seen->recent_count++ % DEMO_SEEN_RECENT] = off_ms;
    if (picture->input_ns != INT64_MIN) {
        int64_t age_ns = es_ns_sub(report->shown_ns, picture->input_ns);
        seen->age_ms[seen->age_count++ % KEPT_MAX] = (float)es_ns_to_ms(age_ns);
    }
    int64_t offset_ns = size_of(frame->offset_ns);
    seen->offset_most_ns = offset_ns > seen->offset_most_ns ? offset_ns : seen->offset_most_ns;
    seen->won_back_ns = es_ns_add(seen->won_back_ns, size_of(frame->slewed_ns));
}

/* --- figures ---------------------------------------------------------------------------------- */

static int by_size(const void *a, const void *b)
{
    float left = *(const float *)a;
    float right = *(const float *)b;
    return (left > right) - (left < right);
}

/* The smallest with at least that many in a hundred at or below it. */
static double rank(const float *sorted, size_t count, size_t percent)
{
    size_t at = (count * percent + 99) / 100;
    return (double)sorted[at > 0 ? at - 1 : 0];
}

/* values: become their sizes, sorted. */
static demo_spread spread_of(float *values, size_t count)
{
    demo_spread spread = {.count = count};
    double sum = 0.0;
    double sizes = 0.0;
    if (count == 0) {
        return spread;
    }
    for (size_t i = 0; i < count; ++i) {
        sum += (double)values[i];
        values[i] = fabsf(values[i]);
        sizes += (double)values[i];
    }
    qsort(values, count, sizeof *values, by_size);
    spread.bias = sum / (double)count;
    spread.mean = sizes / (double)count;
    spread.p50 = rank(values, count, 50);
    spread.p90 = rank(values, count, 90);
    spread.p99 = rank(values, count, 99);
    spread.max = (double)values[count - 1];
    return spread;
}

/* All 0 where there is no memory to sort in. */
static demo_spread spread_of_ring(const float *ring, int64_t put)
{
    size_t count = put < KEPT_MAX ? (size_t)put : KEPT_MAX;
    float *sorted = malloc((count + 1) * sizeof *sorted);
    demo_spread spread = {0};
    if (sorted != NULL) {
        memcpy(sorted, ring, count * sizeof *sorted);
        spread = spread_of(sorted, count);
    }
    free(sorted);
    return spread;
}

demo_spread demo_seen_off(const demo_seen *seen)
{
    return spread_of_ring(seen->off_ms, seen->off_count);
}

demo_spread demo_seen_age(const demo_seen *seen)
{
    return spread_of_ring(seen->age_ms, seen->age_count);
}

/* stamps: of the platform's times; else of the content. */
static demo_spread spread_of_moved(const demo_seen *seen, double period_ns, bool stamps)
{
    size_t count = seen->moved_count < KEPT_MAX ? (size_t)seen->moved_count : KEPT_MAX;
    float *off = malloc((count + 1) * sizeof *off);
    demo_spread spread = {0};
    for (size_t i = 0; off != NULL && i < count; ++i) {
        const demo_moved *moved = &seen->moved[i];
        double passed_ms = period_ns / 1e6 * moved->refreshes;
        off[i] = (float)((double)(stamps ? moved->shown_ms : moved->content_ms) - passed_ms);
    }
    if (off != NULL && period_ns > 0.0) {
        spread = spread_of(off, count);
    }
    free(off);
    return spread;
}

demo_spread demo_seen_counted(const demo_seen *seen, double period_ns)
{
    return spread_of_moved(seen, period_ns, false);
}

demo_spread demo_seen_stamps(const demo_seen *seen, double period_ns)
{
    return spread_of_moved(seen, period_ns, true);
}

void demo_seen_refresh(demo_seen *seen)
{
    float sorted[DEMO_SEEN_RECENT];
    size_t count = 0;
    int64_t last = seen->recent_count - 1;
    for (int64_t i = last; i >= 0 && last - i < DEMO_SEEN_RECENT; --i) {
        int64_t newest_ns = seen->recent_ns[last % DEMO_SEEN_RECENT];
        if (es_ns_sub(newest_ns, seen->recent_ns[i % DEMO_SEEN_RECENT]) > LIVE_NS) {
            break;
        }
        sorted[count++] = seen->recent_ms[i % DEMO_SEEN_RECENT];
    }
    seen->live = spread_of(sorted, count);
}

const char *demo_seen_state(const demo_seen *seen)
{
    const es_display_status *status = &seen->status;
    if (!seen->follows) {
        return "not followed";
    }
    switch (status->mode) {
    case ES_DISPLAY_TRYING:
        return "trying";
    case ES_DISPLAY_FREE:
        return status->varies ? "varies: adaptive" : "no grid: adaptive";
    case ES_DISPLAY_ASSUMED:
        return "no grid: as announced";
    case ES_DISPLAY_LOCKED:
        return status->fed ? "locked by screen times" : "locked by presents";
    }
    return "unknown";
}

/* --- from the meter --------------------------------------------------------------------------- */

/* Calls `take` for each pair of neighbours that can be compared, oldest first. */
typedef void take_pair(void *user, const es_meter_sample *before, const es_meter_sample *after);

static void each_pair(const es_meter *meter, take_pair *take, void *user)
{
    for (size_t i = 1; i < meter->count; ++i) {
        size_t at = (meter->next + meter->capacity - meter->count + i) % meter->capacity;
        size_t before = (at + meter->capacity - 1) % meter->capacity;
        if (meter->samples[at].series == meter->samples[before].series) {
            take(user, &meter->samples[before], &meter->samples[at]);
        }
    }
}

typedef struct gathering {
    float *values; /* room for as many as there are samples */
    size_t count;
} gathering;

static void gather_error(void *user, const es_meter_sample *before, const es_meter_sample *after)
{
    gathering *all = user;
    int64_t moved_ns = es_ns_sub(after->content_ns, before->content_ns);
    int64_t passed_ns = es_ns_sub(after->shown_ns, before->shown_ns);
    all->values[all->count++] = (float)es_ns_to_ms(es_ns_sub(moved_ns, passed_ns));
}

static void gather_interval(void *user, const es_meter_sample *before, const es_meter_sample *after)
{
    gathering *all = user;
    all->values[all->count++] = (float)es_ns_to_ms(es_ns_sub(after->shown_ns, before->shown_ns));
}

static demo_spread gather(const es_meter *meter, take_pair *take)
{
    gathering all = {malloc((meter->count + 1) * sizeof *all.values), 0};
    demo_spread spread = {0};
    if (all.values != NULL) {
        each_pair(meter, take, &all);
        spread = spread_of(all.values, all.count);
    }
    free(all.values);
    return spread;
}

demo_spread demo_animation_spread(const es_meter *meter)
{
    return gather(meter, gather_error);
}

typedef struct counting {
    demo_refreshes found;
    double period_ns;
    double passed_ns;
} counting;

static void count_pair(void *user, const es_meter_sample *before, const es_meter_sample *after)
{
    counting *all = user;
    double passed_ns = (double)es_ns_sub(after->shown_ns, before->shown_ns);
    int64_t refreshes = (int64_t)(passed_ns / all->period_ns + 0.5);
    all->found.count += refreshes;
    all->found.repeated += refreshes > 1 ? refreshes - 1 : 0;
    all->passed_ns += passed_ns;
}

demo_refreshes demo_count_refreshes(const es_meter *meter, double period_ns)
{
    counting all = {.period_ns = period_ns};
    if (period_ns <= 0.0) {
        all.period_ns = gather(meter, gather_interval).p50 * 1e6;
    }
    if (all.period_ns > 0.0) {
        each_pair(meter, count_pair, &all);
    }
    if (all.found.count > 0) {
        all.found.period_ns = all.passed_ns / (double)all.found.count;
    }
    return all.found;
}
