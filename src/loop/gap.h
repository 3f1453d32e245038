/* SPDX-License-Identifier: Zlib
 *
 * gap: was that time the program's own?
 *
 * A filter between a clock and a loop. Frames take milliseconds; when a reading is a second later
 * than the last one, something else happened: the machine slept, a window was hidden, a debugger
 * held the thread, the clock was set. The filter takes such spans out, so the time that comes out
 * never goes back and never leaps, and says what it removed. A span in which the thread really
 * worked is a slow frame, no gap: it passes, and the catch-up policy deals with it.
 *
 * Not for: noise of microseconds or a missed refresh. One of the parts that the loop is made of;
 * most programs need only loop.h. Before 1.0 it may change in any minor version.
 */
#ifndef ES_GAP_H
#define ES_GAP_H

#include "evenstep/loop.h"

/* Starts a filter: its time is 0 at this reading.
 * filter: the caller's memory; not NULL.
 * threshold_ns: spans longer than this are suspect; at least 1 (smaller values count as 1).
 * clock_ns: the reading.
 * evidence: the other clocks at that moment; not NULL. */
void es__gap_filter_init(es_gap_filter *filter, int64_t threshold_ns, int64_t clock_ns,
        const es_gap_evidence *evidence);

/* Takes a reading, if it is believable.
 * filter: initialised.
 * clock_ns: the reading, any value.
 * expected_ns: how long the caller meant to wait since the last reading; 0 if it did not wait.
 * Returns true: time_ns has moved, or stands still for a step back of less than 1 ms. False: the
 * clock went back further, or leapt by more than threshold + expected; nothing has changed, gather
 * evidence and call es__gap_filter_judge. */
static inline bool es__gap_filter_pass(es_gap_filter *filter, int64_t clock_ns, int64_t expected_ns)
{
    int64_t span_ns = es_ns_sub(clock_ns, filter->clock_ns);
    if (span_ns >= 0 && es_ns_sub(span_ns, expected_ns) <= filter->threshold_ns) {
        filter->clock_ns = clock_ns;
        filter->time_ns = es_ns_add(filter->time_ns, span_ns);
        return true;
    }
    /* noise between cores, or rounding: until the clock is past its old reading */
    return span_ns < 0 && span_ns > -ES_NS_PER_MS;
}

/* Decides what a suspect span was, and removes it if it was a gap. In this order: back in time;
 * suspended (the machine slept for at least half the span); jump (the clock leapt ahead of the one
 * that counts suspends); blocked (inside present); slow (the thread used at least a tenth of the
 * span on the CPU, and an hour has not passed: passes whole); stopped; unknown (no CPU time to be
 * had). A gap leaves expected_ns in the time. Of a span within the threshold only a suspend of 50
 * ms or more is removed that the clock counted; the rest passes.
 * filter, clock_ns, expected_ns: as refused by es__gap_filter_pass, or before that call.
 * evidence: the other clocks now; not NULL.
 * Returns what it was; ES_GAP_NONE: a slow frame. */
es_gap_kind es__gap_filter_judge(es_gap_filter *filter, int64_t clock_ns, int64_t expected_ns,
        const es_gap_evidence *evidence);

/* Remembers the evidence to compare with, once per frame; finds suspends the clock left out.
 * filter: initialised.
 * evidence: the other clocks now; not NULL.
 * Returns nothing; a suspend over 50 ms is in the next es__gap_filter_take. */
void es__gap_filter_observe(es_gap_filter *filter, const es_gap_evidence *evidence);

/* Moves the time although the clock does not: the wait was over and the clock stood still.
 * filter: initialised.
 * time_ns: the filtered time to move to; an earlier one changes nothing.
 * Returns nothing; reported as ES_GAP_CLOCK_STILL, with a negative removed_ns. */
void es__gap_filter_force(es_gap_filter *filter, int64_t time_ns);

/* What was found since the last call, and forgets it.
 * filter: initialised.
 * Returns the sum, with the kind of the longest. */
es_gap es__gap_filter_take(es_gap_filter *filter);

/* A filtered time as the clock would show it, if nothing happens in between.
 * filter: initialised.
 * time_ns: filtered time.
 * Returns a reading of the clock; saturates. */
static inline int64_t es__gap_filter_to_clock(const es_gap_filter *filter, int64_t time_ns)
{
    return es_ns_add(filter->clock_ns, es_ns_sub(time_ns, filter->time_ns));
}

/* A suspend shorter than this is noise between two clocks that are not read at the same moment. */
#define ES__SUSPEND_MIN_NS (50 * ES_NS_PER_MS)

/* A span in which the machine may have slept: to be judged, though it is no gap by itself. */
static inline bool es__gap_may_hide_sleep(
        const es_gap_filter *filter, int64_t clock_ns, int64_t expected_ns)
{
    int64_t span_ns = es_ns_sub(clock_ns, filter->clock_ns);
    return filter->since.has_suspended && es_ns_sub(span_ns, expected_ns) >= ES__SUSPEND_MIN_NS;
}

/* From here on spans are judged against this evidence. */
static inline void es__gap_remember(es_gap_filter *filter, const es_gap_evidence *evidence)
{
    filter->since = *evidence;
    filter->since_ns = filter->time_ns;
}

#endif
