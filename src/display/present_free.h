/* SPDX-License-Identifier: Zlib
 *
 * Do presents provably not wait for refreshes? Pigeonhole: more presents return than the deepest
 * queue holds, in less time than their refreshes would take. The known refresh counts only for
 * presents that return at once: the display may be faster. The shortest refresh counts for all: a
 * present that copies the frame takes time, too. Then a timer may pace frames, and nothing else
 * would. That no present blocked proves nothing: a queue that never fills blocks none.
 */
#ifndef ES_PRESENT_FREE_H
#define ES_PRESENT_FREE_H

#include "constants.h"
#include "display.h"

#include "base/common.h"

/* After ES_REFRESH_RECENT presents the count begins anew: the load may have changed. */
static inline void es__present_run_note(es__present_run *run, int64_t now_ns, bool restarts)
{
    if (restarts || run->presents >= ES_REFRESH_RECENT) {
        run->presents = 0;
    }
    run->since_ns = run->presents == 0 ? now_ns : run->since_ns;
    run->presents += 1;
    run->span_ns = es__ns_sub(now_ns, run->since_ns);
}

static inline bool es__present_run_proves(const es__present_run *run, double refresh_ns)
{
    int32_t refreshes = run->presents - 1 - (ES_DISPLAY_QUEUES + 1);
    return run->presents >= ES__TUNE(free_presents)
           && (double)run->span_ns < refreshes * refresh_ns;
}

/* A present has returned, at now_ns. */
static inline void es__free_note(es__present_free *seen, int64_t now_ns, bool blocked)
{
    es__present_run_note(&seen->unblocked, now_ns, blocked);
    es__present_run_note(&seen->all, now_ns, false);
}

/* refresh_ns: as known; 0: not. */
static inline bool es__free_is_proved(const es__present_free *seen, int64_t refresh_ns)
{
    double shortest_ns = ES__TUNE(free_ns);
    double known_ns = refresh_ns > 0 ? ES__TUNE(free_share) * (double)refresh_ns : shortest_ns;
    return es__present_run_proves(&seen->unblocked, known_ns)
           || es__present_run_proves(&seen->all, es__min_f64(shortest_ns, known_ns));
}

static inline void es__free_restart(es__present_free *seen)
{
    seen->unblocked.presents = 0;
    seen->all.presents = 0;
}

#endif
