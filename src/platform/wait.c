/* SPDX-License-Identifier: Zlib */
#include "wait.h"

#include "evenstep/evenstep.h"

#include "base/common.h"

#include <string.h>

/* Two of ES_WAIT_KEPT sleeps may end later than the margin: 3 %. So over nine waits in ten end in a
 * spin, even where the next sleeps are a little later and a few spins are preempted. */
enum { LATE_ALLOWED = 2, CAREFUL_SLEEPS = 8 };

/* Between interrupts and hypervisors, up to 100 us many times a second, and another thread's slice,
 * at least 0.7 ms (Linux, base_slice_ns). */
#define PREEMPTED_NS INT64_C(500000)
enum { PREEMPTED_MAX = 3, SLEEPING_ONLY = 64 };

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

static int64_t longest_margin(const es_wait *wait)
{
    int64_t longest_ns = wait->margin_max_ns;
    longest_ns = longest_ns > INT32_MAX ? INT32_MAX : longest_ns;
    return longest_ns > 0 ? longest_ns : ES_WAIT_MARGIN_MAX_NS;
}

static int64_t margin_for(const es_wait *wait, int64_t longest_ns)
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

static void finish_spin(es_wait *wait)
{
    if (!wait->spinning) {
        return;
    }
    wait->spins += 1;
    wait->preempted_spins += wait->preempted ? 1 : 0;
    wait->recent_preempted = wait->recent_preempted << 1 | (wait->preempted ? 1U : 0U);
    wait->spinning = false;
    wait->preempted = false;
    if (es__count_bits(wait->recent_preempted) > PREEMPTED_MAX) {
        wait->sleeping_only = SLEEPING_ONLY;
        wait->recent_preempted = 0;
    }
}

int64_t es__wait_plan(es_wait *wait, int64_t now_ns, int64_t deadline_ns)
{
    finish_spin(wait);
    wait->margin_ns = wait->sleeps < CAREFUL_SLEEPS ? longest_margin(wait) : wait->learned_ns;
    if (wait->sleeping_only > 0) {
        wait->margin_ns = 0;
        wait->sleeping_only -= deadline_ns > now_ns ? 1 : 0;
    }
    return es__ns_sub(deadline_ns, wait->margin_ns);
}

/* The margin is computed here, in time that would be spun, and not when it is needed. */
void es__wait_woke(es_wait *wait, int64_t wake_ns, int64_t woke_ns)
{
    int64_t longest_ns = longest_margin(wait), late_ns = es__ns_sub(woke_ns, wake_ns);
    late_ns = late_ns < 0 ? 0 : late_ns;
    late_ns = late_ns > longest_ns ? longest_ns : late_ns;
    wait->late_ns[wait->sleeps % ES_WAIT_KEPT] = (int32_t)late_ns;
    wait->sleeps += 1;
    wait->learned_ns = margin_for(wait, longest_ns);
}

void es__wait_spun(es_wait *wait, int64_t gap_ns)
{
    wait->spinning = true;
    wait->preempted = wait->preempted || gap_ns > PREEMPTED_NS;
}
