/* SPDX-License-Identifier: Zlib */
#include "evenstep/wait.h"

#include "evenstep/time.h"

/* Of ES_WAIT_KEPT sleeps so many may end later than the margin: 8 %, so that the ninth in ten still
 * ends in a spin when the next sleeps are a little later than the last. */
enum { SPARED = 5, CAREFUL_SLEEPS = 8 };

/* An interrupt takes a few microseconds, another thread a slice. */
#define STOLEN_NS INT64_C(50000)
enum { STOLEN_MOST = 3, SLEEPING_ONLY = 64 };

/* The rank-th greatest of n numbers, rank from 1 to SPARED. */
static int32_t greatest(const int32_t *numbers, int64_t n, int rank)
{
    int32_t best[SPARED] = {0};
    for (int64_t i = 0; i < n; ++i) {
        int at = rank - 1;
        if (numbers[i] <= best[at]) {
            continue;
        }
        for (; at > 0 && numbers[i] > best[at - 1]; --at) {
            best[at] = best[at - 1];
        }
        best[at] = numbers[i];
    }
    return best[rank - 1];
}

static int64_t margin_of(const es_wait *wait)
{
    if (wait->sleeping_only > 0) {
        return 0;
    }
    if (wait->sleeps < CAREFUL_SLEEPS) {
        return ES_WAIT_MARGIN_MAX_NS;
    }
    int64_t known = wait->sleeps < ES_WAIT_KEPT ? wait->sleeps : ES_WAIT_KEPT;
    int64_t rank = 1 + known * (SPARED - 1) / ES_WAIT_KEPT;
    return greatest(wait->late_ns, known, (int)rank);
}

int64_t es_wait_plan(es_wait *wait, int64_t now_ns, int64_t deadline_ns)
{
    wait->margin_ns = margin_of(wait);
    int64_t wake_ns = es_ns_sub(deadline_ns, wait->margin_ns);
    if (wait->sleeping_only > 0 && deadline_ns > now_ns) {
        wait->sleeping_only -= 1;
    }
    return wake_ns;
}

void es_wait_woke(es_wait *wait, int64_t wake_ns, int64_t woke_ns)
{
    int64_t late_ns = es_ns_sub(woke_ns, wake_ns);
    late_ns = late_ns < 0 ? 0 : late_ns;
    late_ns = late_ns > ES_WAIT_MARGIN_MAX_NS ? ES_WAIT_MARGIN_MAX_NS : late_ns;
    wait->late_ns[wait->sleeps % ES_WAIT_KEPT] = (int32_t)late_ns;
    wait->sleeps += 1;
}

static int bits_of(uint32_t word)
{
    int count = 0;
    for (; word != 0; word &= word - 1) {
        count += 1;
    }
    return count;
}

void es_wait_spun(es_wait *wait, int64_t gap_ns)
{
    bool stolen = gap_ns > STOLEN_NS;
    wait->spins += 1;
    wait->stolen_spins += stolen ? 1 : 0;
    wait->recent_stolen = wait->recent_stolen << 1 | (stolen ? 1U : 0U);
    if (bits_of(wait->recent_stolen) > STOLEN_MOST) {
        wait->sleeping_only = SLEEPING_ONLY;
        wait->recent_stolen = 0;
    }
}
