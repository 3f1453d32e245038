/* SPDX-License-Identifier: Zlib
 *
 * What the loop asks of the filter in each frame, without a call. For gap itself and the loop.
 */
#ifndef ES_GAP_PARTS_H
#define ES_GAP_PARTS_H

#include "evenstep/gap.h"

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
