/* SPDX-License-Identifier: Zlib
 *
 * What the loop asks of the filter in each frame, without a call. For gap itself and the loop.
 */
#ifndef ES_GAP_PARTS_H
#define ES_GAP_PARTS_H

#include "evenstep/gap.h"

/* From here on spans are judged against this evidence. */
static inline void es__gap_remember(es_gap_filter *filter, const es_gap_evidence *evidence)
{
    filter->since = *evidence;
    filter->since_ns = filter->time_ns;
}

#endif
