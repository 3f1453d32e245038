/* SPDX-License-Identifier: Zlib
 *
 * Do presents provably not block? Pigeonhole: more presents return at once than the deepest queue
 * holds, in less time than their refreshes would take. Then a timer may pace frames, and nothing
 * else would. That no present blocked proves nothing: a queue that never fills blocks none.
 */
#ifndef ES_PRESENT_FREE_H
#define ES_PRESENT_FREE_H

#include "constants.h"
#include "display.h"

#include "base/common.h"

/* A present has returned, at now_ns. After ES_REFRESH_RECENT the count begins anew: the load may
 * have changed. */
static inline void es__free_note(es_present_free *seen, int64_t now_ns, bool blocked)
{
    if (blocked || seen->presents >= ES_REFRESH_RECENT) {
        seen->presents = 0;
    }
    seen->since_ns = seen->presents == 0 ? now_ns : seen->since_ns;
    seen->presents += 1;
    seen->span_ns = es__ns_sub(now_ns, seen->since_ns);
}

/* refresh_ns: as known; 0: not. */
static inline bool es__free_is_proved(const es_present_free *seen, int64_t refresh_ns)
{
    double least_ns =
            refresh_ns > 0 ? ES__TUNE(free_share) * (double)refresh_ns : ES__TUNE(free_ns);
    int32_t refreshes = seen->presents - 1 - (ES_DISPLAY_QUEUES + 1);
    return seen->presents >= ES__TUNE(free_presents)
           && (double)seen->span_ns < refreshes * least_ns;
}

#endif
