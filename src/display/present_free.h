/* SPDX-License-Identifier: Zlib
 *
 * Do presents provably not wait for refreshes? Pigeonhole: more presents return at once than the
 * deepest queue holds, in less time than their refreshes would take. Then a timer may pace frames,
 * and nothing else would. That no present blocked proves nothing: a queue that never fills blocks none.
 */
#ifndef ES_PRESENT_FREE_H
#define ES_PRESENT_FREE_H

#include "constants.h"
#include "display.h"

#include "base/common.h"

/* A present has returned, at now_ns. After ES_REFRESH_RECENT presents the count begins anew: the load
 * may have changed. */
static inline void es__free_note(es__present_free *run, int64_t now_ns, bool blocked)
{
    if (blocked || run->presents >= ES_REFRESH_RECENT) {
        run->presents = 0;
    }
    run->since_ns = run->presents == 0 ? now_ns : run->since_ns;
    run->presents += 1;
    run->span_ns = es__ns_sub(now_ns, run->since_ns);
}

/* refresh_ns: as known; the display may be a little faster. 0: not known. */
static inline bool es__free_is_proved(const es__present_free *run, int64_t refresh_ns)
{
    int32_t refreshes = run->presents - 1 - (ES_DISPLAY_QUEUES + 1);
    double least_ns =
            refresh_ns > 0 ? ES__TUNE(free_share) * (double)refresh_ns : ES__TUNE(free_ns);
    return run->presents >= ES__TUNE(readings) && (double)run->span_ns < refreshes * least_ns;
}

static inline void es__free_restart(es__present_free *run)
{
    run->presents = 0;
}

#endif
