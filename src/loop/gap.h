/* SPDX-License-Identifier: Zlib
 *
 * gap: a filter between a clock and the loop, which removes time that the program did not live
 * through.
 *
 * Frames take milliseconds. A reading that is a second later than the last one has another cause:
 * the machine slept, a window was hidden, a debugger stopped the thread, the clock was set. The
 * filter removes such spans and reports them, so filtered time never goes back and never leaps. A
 * span in which the thread really worked is a slow frame and passes: the catch-up policy handles
 * it.
 */
#ifndef ES_GAP_H
#define ES_GAP_H

#include "base/common.h"

/* Other clocks, to judge a long span by. */
typedef struct es__gap_evidence {
    int64_t suspended_ns;  /* total time the machine has slept */
    int64_t thread_cpu_ns; /* CPU time of this thread */
    bool has_suspended;    /* the platform knows suspended_ns */
    bool has_thread_cpu;   /* the platform knows thread_cpu_ns, and it was read */
    bool in_present;       /* the span lies in the call that presents */
} es__gap_evidence;

typedef struct es__gap_filter {
    int64_t time_ns;      /* the filtered time: starts at 0, never goes back, up to ES__TIME_MAX */
    int64_t clock_ns;     /* the last reading of the clock */
    int64_t threshold_ns; /* a longer span is judged */
    int64_t removed_ns;   /* total taken out, signed */
    int64_t ahead_ns;     /* the time is ahead of a coarse clock, which catches up */
    int64_t longest_ns;   /* the longest gap in found */
    es_gap found;         /* since es__gap_filter_take */
    es__gap_evidence since; /* the last evidence of each kind */
    int64_t since_ns;       /* filtered time of its thread_cpu_ns */
} es__gap_filter;

/* A suspend shorter than this is noise: the two clocks are not read at the same moment. */
#define ES__SUSPEND_MIN_NS (50 * ES_NS_PER_MS)

/* Starts a filter at this reading, with time 0. Spans longer than threshold_ns (at least 1) are
 * judged. evidence: the other clocks at that moment. */
void es__gap_filter_init(es__gap_filter *filter, int64_t threshold_ns, int64_t clock_ns,
        const es__gap_evidence *evidence);

/* The other clocks now. */
es__gap_evidence es__gap_gather(const es_clock *clock, bool with_cpu, bool in_present);

/* The filtered time moves by this. What is beyond its range is removed. */
static inline void es__gap_pass_time(es__gap_filter *filter, int64_t span_ns)
{
    int64_t caught_up_ns = es__max(es__min(span_ns, filter->ahead_ns), 0);
    int64_t passed_ns = es__min(span_ns - caught_up_ns, ES__TIME_MAX - filter->time_ns);
    filter->ahead_ns -= caught_up_ns;
    filter->time_ns += passed_ns;
    filter->removed_ns = es__ns_add(filter->removed_ns, span_ns - caught_up_ns - passed_ns);
}

/* Takes a reading of any value, if it is plausible. expected_ns: how long the caller meant to wait
 * since the last reading. True: time_ns has moved, or stands still for a step back of less than 1
 * ms. False: the clock went back further, or leapt by more than threshold + expected; nothing has
 * changed. Gather evidence and call es__gap_filter_judge. */
static inline bool es__gap_filter_pass(
        es__gap_filter *filter, int64_t clock_ns, int64_t expected_ns)
{
    int64_t span_ns = es__ns_sub(clock_ns, filter->clock_ns);
    if (span_ns >= 0 && span_ns - expected_ns <= filter->threshold_ns) {
        filter->clock_ns = clock_ns;
        es__gap_pass_time(filter, span_ns);
        return true;
    }
    /* noise between cores, or rounding: until the clock is past its old reading */
    return span_ns < 0 && span_ns > -ES_NS_PER_MS;
}

/* Decides what a span was, and removes it if it was a gap; expected_ns stays in the time. The first
 * that applies:
 *   clock back  the clock went back
 *   suspended   the machine slept for at least half of the span
 *   clock jump  the clock leapt ahead of the one that counts suspends
 *   blocked     inside present
 *   none        the thread used at least a tenth of the span on the CPU, and it is within an hour
 *   stopped     it did not
 *   unknown     its CPU time is not known
 * Of a span within the threshold only a suspend of 50 ms or more that the clock counted is removed.
 * evidence: the other clocks now. */
es_gap_kind es__gap_filter_judge(es__gap_filter *filter, int64_t clock_ns, int64_t expected_ns,
        const es__gap_evidence *evidence);

/* Once per frame: spans are judged against this evidence from now on. A suspend over 50 ms that the
 * clock left out is reported. */
void es__gap_filter_observe(es__gap_filter *filter, const es__gap_evidence *evidence);

/* Moves the time to time_ns, if it is earlier, although the clock does not move: the wait was over. A coarse
 * clock catches up. True: the clock stands still for longer. That is reported as ES_GAP_CLOCK_STILL, with
 * a negative removed_ns. */
bool es__gap_filter_force(es__gap_filter *filter, int64_t time_ns);

/* Takes a reading after a span of which only left_ns counts, or less. The rest is removed, and no gap. */
void es__gap_filter_skip(es__gap_filter *filter, int64_t clock_ns, int64_t left_ns,
        const es__gap_evidence *evidence);

/* The gaps since the last call: their sum, with the kind of the longest. */
es_gap es__gap_filter_take(es__gap_filter *filter);

/* A filtered time as a reading of the clock, if there is no gap in between. */
static inline int64_t es__gap_filter_to_clock(const es__gap_filter *filter, int64_t time_ns)
{
    return es__ns_add(filter->clock_ns, filter->ahead_ns + time_ns - filter->time_ns);
}

/* Whether the machine may have slept in this span: then es__gap_filter_judge decides, also within
 * the threshold. */
static inline bool es__gap_may_hide_sleep(
        const es__gap_filter *filter, int64_t clock_ns, int64_t expected_ns)
{
    int64_t span_ns = es__ns_sub(clock_ns, filter->clock_ns);
    return filter->since.has_suspended && span_ns >= expected_ns + ES__SUSPEND_MIN_NS;
}

/* Spans are judged against this evidence from now on. CPU time that was not read stays. */
static inline void es__gap_remember(es__gap_filter *filter, const es__gap_evidence *evidence)
{
    int64_t cpu_ns = filter->since.thread_cpu_ns;
    filter->since = *evidence;
    if (evidence->has_thread_cpu) {
        filter->since_ns = filter->time_ns;
    } else {
        filter->since.thread_cpu_ns = cpu_ns;
    }
}

#endif
