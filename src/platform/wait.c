/* SPDX-License-Identifier: Zlib */
#include "wait.h"

#include "evenstep/evenstep.h"

#include "base/common.h"

#include <string.h>

/* Two of ES_WAIT_KEPT sleeps may end later than the margin: 3 %. So over nine waits in ten end in a
 * spin, even where the next sleeps are a little later and a few spins are preempted. */
enum { LATE_ALLOWED = 2, CAREFUL_SLEEPS = 8 };

/* Interrupts and hypervisors delay a sleep by up to 0.1 ms. Another thread's slice is at least 0.7 ms
 * (Linux, base_slice_ns). */
#define SLICE_LEAST_NS INT64_C(500000)

/* Waits in a row without such a delay, until sleeps are long again: beside one busy process per core a
 * chain of naps is delayed once in 20 to 50 waits. */
enum { CALM_WAITS = 256 };

/* A wait has a nap for each ms, as SDL 3's has, but all towards its end. Shorter ones cost more than
 * they save. */
#define NAP_NS       INT64_C(1000000)
#define NAP_LEAST_NS INT64_C(500000)

/* The number that has `above` (fewer than n) of the n numbers above it or equal to it. */
static int32_t nth_largest(const int32_t *numbers, int64_t n, int64_t above)
{
    int32_t left[ES_WAIT_KEPT];
    memcpy(left, numbers, sizeof left);
    for (int64_t k = 0; k <= above; ++k) {
        int64_t greatest = k;
        for (int64_t i = k + 1; i < n; ++i) {
            greatest = left[i] > left[greatest] ? i : greatest;
        }
        int32_t number = left[greatest];
        left[greatest] = left[k];
        left[k] = number;
    }
    return left[above];
}

static int64_t longest_margin(const es__wait *wait)
{
    int64_t longest_ns = wait->margin_max_ns;
    longest_ns = longest_ns > INT32_MAX ? INT32_MAX : longest_ns;
    return longest_ns > 0 ? longest_ns : ES_WAIT_MARGIN_MAX_NS;
}

static int64_t margin_for(const es__wait *wait, int64_t longest_ns)
{
    int64_t known = wait->sleeps < ES_WAIT_KEPT ? wait->sleeps : ES_WAIT_KEPT, beyond = 0;
    for (int64_t i = 0; i < known; ++i) {
        beyond += wait->late_ns[i] >= longest_ns ? 1 : 0;
    }
    int64_t allowed = known * LATE_ALLOWED / ES_WAIT_KEPT;
    if (beyond > 0 && beyond >= allowed) {
        allowed = beyond + 1; /* no margin meets those: they are left out */
    }
    return 2 * allowed < known ? nth_largest(wait->late_ns, known, allowed) : longest_ns;
}

void es__wait_begin(es__wait *wait, int64_t now_ns, int64_t deadline_ns)
{
    wait->napping -= wait->napping > 0 ? 1 : 0;
    wait->longest_ns = wait->napping > 0 ? wait->longest_ns : 0;
    wait->was_late = false;
    wait->worst_ns = 0;
    wait->margin_ns = wait->sleeps < CAREFUL_SLEEPS ? longest_margin(wait) : wait->learned_ns;
    double length_ns = es__max_f64((double)es__ns_between(now_ns, deadline_ns), 1.0);
    double share = es__min_f64(2.0 * (double)wait->longest_ns / length_ns, 1.0);
    wait->nap_ns = es__max((int64_t)(share * (double)NAP_NS), NAP_LEAST_NS);
}

int64_t es__wait_next(const es__wait *wait, int64_t now_ns, int64_t deadline_ns)
{
    int64_t last_ns = es__ns_sub(deadline_ns, wait->margin_ns);
    int64_t nap_ns = es__ns_add(now_ns, wait->nap_ns);
    if (wait->napping == 0) {
        return last_ns;
    }
    if (nap_ns >= last_ns) {
        return wait->was_late ? now_ns : last_ns;
    }
    return es__max(nap_ns, es__ns_sub(last_ns, 2 * wait->longest_ns));
}

/* The margin is computed here, in time that would be spun, and not when it is needed. Among naps it is
 * the worst of this wait, which takes no time: they are many, and much alike. Waits without a nap have
 * the margin that the last delay left. */
void es__wait_woke(es__wait *wait, int64_t wake_ns, int64_t woke_ns)
{
    int64_t most_ns = longest_margin(wait);
    int64_t late_ns = es__min(es__max(es__ns_between(wake_ns, woke_ns), 0), INT32_MAX);
    wait->late_ns[wait->sleeps % ES_WAIT_KEPT] = (int32_t)es__min(late_ns, most_ns);
    wait->sleeps += 1;
    if (late_ns >= most_ns + SLICE_LEAST_NS) {
        wait->was_late = true;
        wait->napping = CALM_WAITS;
        wait->longest_ns = es__max(wait->longest_ns, late_ns);
        wait->learned_ns = margin_for(wait, most_ns);
    } else if (wait->napping > 0) {
        wait->worst_ns = es__max(wait->worst_ns, es__min(late_ns, most_ns));
        wait->margin_ns = wait->worst_ns;
    } else {
        wait->learned_ns = margin_for(wait, most_ns);
    }
}
