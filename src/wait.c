/* SPDX-License-Identifier: Zlib */
#include "evenstep/wait.h"

#include "evenstep/time.h"

#include <string.h>

/* Of ES_WAIT_KEPT sleeps four may end later than the margin: 6 %, so that the ninth wait in ten
 * still ends in a spin when the next sleeps are a little later than the last. */
enum { SPARED = 4, CAREFUL_SLEEPS = 8 };

/* An interrupt takes a few microseconds, another thread a slice. */
#define STOLEN_NS INT64_C(50000)
enum { STOLEN_MOST = 3, SLEEPING_ONLY = 64 };

/* The number that `above` of n are above, or as great: fewer than n. */
static int32_t ranked(const int32_t *numbers, int64_t n, int64_t above)
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

static int64_t margin_of(const es_wait *wait)
{
    int64_t known = wait->sleeps < ES_WAIT_KEPT ? wait->sleeps : ES_WAIT_KEPT, beyond = 0;
    if (wait->sleeping_only > 0) {
        return 0;
    }
    if (known < CAREFUL_SLEEPS) {
        return ES_WAIT_MARGIN_MAX_NS;
    }
    for (int64_t i = 0; i < known; ++i) {
        beyond += wait->late_ns[i] >= ES_WAIT_MARGIN_MAX_NS ? 1 : 0;
    }
    int64_t spared = known * SPARED / ES_WAIT_KEPT;
    if (beyond > 0 && beyond >= spared) {
        spared = beyond + 1; /* no margin meets those: none is paid for them */
    }
    return 2 * spared < known ? ranked(wait->late_ns, known, spared) : ES_WAIT_MARGIN_MAX_NS;
}

static int bits_of(uint32_t word)
{
    int count = 0;
    for (; word != 0; word &= word - 1) {
        count += 1;
    }
    return count;
}

/* Learns from the spin before, which is over. */
static void digest_spin(es_wait *wait)
{
    if (!wait->spinning) {
        return;
    }
    wait->spins += 1;
    wait->stolen_spins += wait->stolen ? 1 : 0;
    wait->recent_stolen = wait->recent_stolen << 1 | (wait->stolen ? 1U : 0U);
    wait->spinning = false;
    wait->stolen = false;
    if (bits_of(wait->recent_stolen) > STOLEN_MOST) {
        wait->sleeping_only = SLEEPING_ONLY;
        wait->recent_stolen = 0;
    }
}

int64_t es_wait_plan(es_wait *wait, int64_t now_ns, int64_t deadline_ns)
{
    digest_spin(wait);
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

void es_wait_spun(es_wait *wait, int64_t gap_ns)
{
    wait->spinning = true;
    wait->stolen = wait->stolen || gap_ns > STOLEN_NS;
}
