/* SPDX-License-Identifier: Zlib
 *
 * The filtered time moves by differences of readings, never by reading + offset: a clock that
 * returns the ends of int64 could not be brought back by an offset that has saturated.
 */
#include "gap.h"

/* A thread that used less than 1/10 of a long span on the CPU did not work through it. Working
 * threads use nearly all of it, stopped ones none, one that loads from a disk part of it. */
#define WORKING_SHARE 10

/* The step of a coarse clock is at most this: 15.6 ms on Windows. */
#define COARSE_NS (20 * ES_NS_PER_MS)

/* No frame works for longer than this: the thread's CPU clock is wrong. */
#define WORK_MAX_NS (3600 * ES_NS_PER_S)

#if ES__ASSERTS
/* Time that is removed, and what is left, make up the clock's. Sums saturate beyond the range of times. */
static void check_filter(const es__gap_filter *filter, const es__gap_filter *before)
{
    int64_t clock_ns = es__ns_sub(filter->clock_ns, before->clock_ns);
    clock_ns = es__ns_add(clock_ns, filter->ahead_ns - before->ahead_ns);
    int64_t removed_ns = es__ns_sub(filter->removed_ns, before->removed_ns);
    int64_t time_ns = filter->time_ns - before->time_ns;
    bool far = clock_ns != es__clamp_ns(clock_ns) || filter->time_ns == ES__TIME_MAX
               || filter->removed_ns != es__clamp_ns(filter->removed_ns)
               || before->removed_ns != es__clamp_ns(before->removed_ns);
    ES__ASSERT(far || clock_ns == time_ns + removed_ns, clock_ns, time_ns);
    ES__ASSERT_IS(time_ns, >=, 0);
    ES__ASSERT(filter->found.kind != ES_GAP_NONE || filter->found.removed_ns == 0, time_ns);
}
#endif

es__gap_evidence es__gap_gather(const es_clock *clock, bool with_cpu, bool in_present)
{
    es__gap_evidence evidence = {.in_present = in_present};
    if (clock->suspended_ns != NULL) {
        evidence.has_suspended = true;
        evidence.suspended_ns = es__clamp_ns(clock->suspended_ns(clock->user));
    }
    if (with_cpu && clock->thread_cpu_ns != NULL) {
        evidence.has_thread_cpu = true;
        evidence.thread_cpu_ns = es__clamp_ns(clock->thread_cpu_ns(clock->user));
    }
    return evidence;
}

static void add_gap(
        es__gap_filter *filter, es_gap_kind kind, int64_t duration_ns, int64_t removed_ns)
{
    if (filter->found.kind == ES_GAP_NONE || duration_ns > filter->longest_ns) {
        filter->found.kind = kind;
        filter->longest_ns = duration_ns;
    }
    filter->found.duration_ns = es__ns_add(filter->found.duration_ns, duration_ns);
    filter->found.removed_ns = es__ns_add(filter->found.removed_ns, removed_ns);
    filter->removed_ns = es__ns_add(filter->removed_ns, removed_ns);
}

void es__gap_filter_init(es__gap_filter *filter, int64_t threshold_ns, int64_t clock_ns,
        const es__gap_evidence *evidence)
{
    *filter = (es__gap_filter){.clock_ns = clock_ns,
            .threshold_ns = es__max(es__min(threshold_ns, ES__TIME_MAX), 1),
            .since = *evidence};
}

static es_gap_kind classify(
        const es__gap_filter *filter, int64_t span_ns, const es__gap_evidence *now)
{
    const es__gap_evidence *since = &filter->since;
    if (span_ns < 0) {
        return ES_GAP_CLOCK_BACK;
    }
    if (now->has_suspended) {
        int64_t slept_ns = now->suspended_ns - since->suspended_ns;
        if (slept_ns >= ES__SUSPEND_MIN_NS && slept_ns >= span_ns / 2) {
            return ES_GAP_SUSPENDED;
        }
        if (slept_ns <= -ES__SUSPEND_MIN_NS) {
            return ES_GAP_CLOCK_JUMP;
        }
    }
    if (now->in_present) {
        return ES_GAP_BLOCKED;
    }
    if (!now->has_thread_cpu) {
        return ES_GAP_UNKNOWN;
    }
    /* the thread cannot have used more CPU time before the span than had passed */
    int64_t before_ns = filter->time_ns - filter->since_ns;
    int64_t worked_ns = now->thread_cpu_ns - since->thread_cpu_ns - before_ns;
    bool worked = worked_ns >= span_ns / WORKING_SHARE && span_ns <= WORK_MAX_NS;
    return worked ? ES_GAP_NONE : ES_GAP_STOPPED;
}

/* How long the machine slept in a span within the threshold, if the clock counted that. A sleep
 * longer than the span was not counted. */
static int64_t counted_sleep_ns(
        const es__gap_filter *filter, int64_t span_ns, const es__gap_evidence *now)
{
    if (!now->has_suspended || !filter->since.has_suspended) {
        return 0;
    }
    int64_t slept_ns = now->suspended_ns - filter->since.suspended_ns;
    return slept_ns >= ES__SUSPEND_MIN_NS && slept_ns <= span_ns ? slept_ns : 0;
}

static es_gap_kind judge_short(es__gap_filter *filter, int64_t clock_ns, int64_t expected_ns,
        const es__gap_evidence *evidence)
{
    int64_t span_ns = es__ns_sub(clock_ns, filter->clock_ns);
    int64_t slept_ns = counted_sleep_ns(filter, span_ns, evidence);
    ES__BEFORE(const es__gap_filter before = *filter);
    filter->clock_ns = clock_ns;
    if (slept_ns == 0) {
        es__gap_pass_time(filter, span_ns);
        return ES_GAP_NONE;
    }
    int64_t left_ns = es__max(span_ns - slept_ns, expected_ns);
    int64_t lost_ns = span_ns - left_ns;
    es__gap_pass_time(filter, left_ns);
    add_gap(filter, ES_GAP_SUSPENDED, slept_ns, lost_ns);
    es__gap_remember(filter, evidence);
    ES__CHECK(check_filter(filter, &before));
    return ES_GAP_SUSPENDED;
}

es_gap_kind es__gap_filter_judge(es__gap_filter *filter, int64_t clock_ns, int64_t expected_ns,
        const es__gap_evidence *evidence)
{
    int64_t span_ns = es__ns_sub(clock_ns, filter->clock_ns);
    if (span_ns >= 0 && span_ns - expected_ns <= filter->threshold_ns) {
        return judge_short(filter, clock_ns, expected_ns, evidence);
    }
    ES__BEFORE(const es__gap_filter before = *filter);
    es_gap_kind kind = classify(filter, span_ns, evidence);
    filter->clock_ns = clock_ns;
    if (kind == ES_GAP_NONE) {
        es__gap_pass_time(filter, span_ns);
        return kind;
    }
    if (kind == ES_GAP_CLOCK_BACK) {
        add_gap(filter, kind, es__ns_sub(0, span_ns), span_ns);
    } else {
        int64_t lost_ns = span_ns - expected_ns;
        add_gap(filter, kind, lost_ns, lost_ns);
        es__gap_pass_time(filter, expected_ns);
    }
    es__gap_remember(filter, evidence);
    ES__CHECK(check_filter(filter, &before));
    return kind;
}

void es__gap_filter_observe(es__gap_filter *filter, const es__gap_evidence *evidence)
{
    if (evidence->has_suspended && filter->since.has_suspended) {
        int64_t slept_ns = evidence->suspended_ns - filter->since.suspended_ns;
        if (slept_ns >= ES__SUSPEND_MIN_NS) {
            add_gap(filter, ES_GAP_SUSPENDED, slept_ns, 0);
        }
    }
    es__gap_remember(filter, evidence);
}

bool es__gap_filter_force(es__gap_filter *filter, int64_t time_ns)
{
    int64_t still_ns = es__max(es__min(time_ns, ES__TIME_MAX) - filter->time_ns, 0);
    bool coarse = filter->ahead_ns + still_ns <= COARSE_NS;
    ES__BEFORE(const es__gap_filter before = *filter);
    if (coarse) {
        filter->ahead_ns += still_ns;
    } else {
        add_gap(filter, ES_GAP_CLOCK_STILL, still_ns, -still_ns);
    }
    filter->time_ns += still_ns;
    ES__CHECK(check_filter(filter, &before));
    return !coarse;
}

void es__gap_filter_skip(
        es__gap_filter *filter, int64_t clock_ns, int64_t left_ns, const es__gap_evidence *evidence)
{
    int64_t span_ns = es__ns_sub(clock_ns, filter->clock_ns);
    int64_t passed_ns = es__max(es__min(span_ns, left_ns), 0);
    ES__BEFORE(const es__gap_filter before = *filter);
    filter->clock_ns = clock_ns;
    es__gap_pass_time(filter, passed_ns);
    filter->removed_ns = es__ns_add(filter->removed_ns, es__ns_sub(span_ns, passed_ns));
    es__gap_remember(filter, evidence);
    ES__CHECK(check_filter(filter, &before));
}

es_gap es__gap_filter_take(es__gap_filter *filter)
{
    es_gap found = filter->found;
    filter->found = (es_gap){ES_GAP_NONE, 0, 0};
    filter->longest_ns = 0;
    return found;
}
