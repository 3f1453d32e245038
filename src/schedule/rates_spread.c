/* SPDX-License-Identifier: Zlib
 *
 * Which phases make base ticks cost the same? To find the best is as hard as packing bins. So each
 * group in turn takes the place that is least loaded, then groups are moved while that makes their
 * own dearest base tick cheaper (or as dear, and the others cheaper). Frequent first is best where
 * periods divide each other, as small gaps fill up with no rest; dear first where costs differ
 * most; and some orders drawn by lot find what both miss.
 */
#include "schedule.h"

/* How often groups are gone through to be moved; how many orders are tried; and how many steps that
 * may take in all, about. */
#define ROUNDS_MAX 16
#define ORDERS_MIN 3
#define ORDERS_MAX 48
#define STEPS_MAX  (INT64_C(1) << 25)

typedef struct phase_search {
    const es_rate_group *groups;
    int32_t count;
    int64_t *load;
    int64_t cycle;
    uint32_t random;
    int32_t order[ES__RATES_GROUPS_MAX];
    int32_t slots[ES__RATES_GROUPS_MAX]; /* the first base tick at which each ticks */
    int32_t best[ES__RATES_GROUPS_MAX];
    int64_t best_peak;
    int64_t best_least;
} phase_search;

/* What a group would meet. */
typedef struct place {
    int64_t most; /* the dearest of its base ticks */
    double sum;   /* of all of them */
} place;

int64_t es__rates_cycle(const es_rate_group *groups, int32_t count)
{
    int64_t cycle = 1;
    for (int32_t i = 0; i < count; ++i) {
        int32_t period = groups[i].period;
        if (period > 0) {
            cycle *= period / (int64_t)es__common_divisor((uint64_t)cycle, (uint64_t)period);
        }
        if (cycle > INT32_MAX) {
            return 0;
        }
    }
    return cycle;
}

static void spread_add(const phase_search *search, int32_t group, int32_t slot, int64_t cost)
{
    for (int64_t at = slot; at < search->cycle; at += search->groups[group].period) {
        search->load[at] += cost;
    }
}

static place look_at(const phase_search *search, int32_t group, int32_t slot)
{
    place seen = {0, 0.0};
    for (int64_t at = slot; at < search->cycle; at += search->groups[group].period) {
        seen.most = search->load[at] > seen.most ? search->load[at] : seen.most;
        seen.sum += (double)search->load[at];
    }
    return seen;
}

/* The best place for a group that is nowhere now; the one it had if no other is better. */
static int32_t find_place(const phase_search *search, int32_t group, int32_t slot)
{
    place best = look_at(search, group, slot);
    for (int32_t i = 0; i < search->groups[group].period; ++i) {
        place seen = look_at(search, group, i);
        if (seen.most < best.most || (seen.most == best.most && seen.sum < best.sum)) {
            best = seen;
            slot = i;
        }
    }
    return slot;
}

static void place_all(phase_search *search)
{
    memset(search->load, 0, (size_t)search->cycle * sizeof *search->load);
    for (int32_t i = 0; i < search->count; ++i) {
        int32_t group = search->order[i];
        if (search->groups[group].period > 0) {
            search->slots[group] = find_place(search, group, 0);
            spread_add(search, group, search->slots[group], search->groups[group].cost);
        }
    }
}

static void move_all(phase_search *search)
{
    bool moved = true;
    for (int round = 0; round < ROUNDS_MAX && moved; ++round) {
        moved = false;
        for (int32_t i = 0; i < search->count; ++i) {
            int32_t group = search->order[i];
            if (search->groups[group].period > 0 && search->groups[group].cost > 0) {
                spread_add(search, group, search->slots[group], -search->groups[group].cost);
                int32_t slot = find_place(search, group, search->slots[group]);
                moved = moved || slot != search->slots[group];
                search->slots[group] = slot;
                spread_add(search, group, slot, search->groups[group].cost);
            }
        }
    }
}

static void keep_if_better(phase_search *search)
{
    int64_t peak = search->load[0], least = search->load[0];
    for (int64_t i = 1; i < search->cycle; ++i) {
        peak = es__max(peak, search->load[i]);
        least = es__min(least, search->load[i]);
    }
    if (search->best_peak < 0 || peak < search->best_peak
            || (peak == search->best_peak && least > search->best_least)) {
        search->best_peak = peak;
        search->best_least = least;
        memcpy(search->best, search->slots, sizeof search->best);
    }
}

/* --- orders ----------------------------------------------------------------------------------- */

/* Whether a comes before b. */
static bool is_before(const phase_search *search, int turn, int32_t a, int32_t b)
{
    const es_rate_group *one = &search->groups[a], *other = &search->groups[b];
    bool dearer = one->cost > other->cost, as_dear = one->cost == other->cost;
    bool as_often = one->period == other->period;
    switch (turn) {
    case 0: /* often first */
        return one->period < other->period || (as_often && dearer);
    case 1: /* dear first */
        return dearer || (as_dear && one->period < other->period);
    default: /* what takes most time first */
        return (double)one->cost * other->period > (double)other->cost * one->period;
    }
}

static void spread_sort(phase_search *search, int turn)
{
    for (int32_t i = 0; i < search->count; ++i) {
        int32_t at = i;
        for (; at > 0 && is_before(search, turn, i, search->order[at - 1]); --at) {
            search->order[at] = search->order[at - 1];
        }
        search->order[at] = i;
    }
}

static void shuffle(phase_search *search)
{
    for (int32_t i = search->count - 1; i > 0; --i) {
        search->random = search->random * UINT32_C(1664525) + UINT32_C(1013904223);
        int32_t other = (int32_t)((uint64_t)search->random * (uint64_t)(i + 1) >> 32);
        int32_t group = search->order[i];
        search->order[i] = search->order[other];
        search->order[other] = group;
    }
}

static void try_orders(phase_search *search)
{
    int64_t orders = STEPS_MAX / (search->cycle * search->count * 4);
    orders = es__max(es__min(orders, ORDERS_MAX), ORDERS_MIN);
    for (int turn = 0; turn < orders; ++turn) {
        if (turn < ORDERS_MIN) {
            spread_sort(search, turn);
        } else {
            shuffle(search);
        }
        place_all(search);
        move_all(search);
        keep_if_better(search);
    }
}

void es__rates_spread(es_rate_group *groups, int32_t count, int64_t *load, int64_t cycle)
{
    phase_search search = {.groups = groups,
            .count = count,
            .load = load,
            .cycle = cycle,
            .random = 1,
            .best_peak = -1};
    try_orders(&search);
    memset(load, 0, (size_t)cycle * sizeof *load);
    for (int32_t i = 0; i < count; ++i) {
        if (groups[i].period > 0) {
            /* with lead_ticks -1 it runs at its phase, else at the base tick after it */
            int32_t phase = search.best[i] - (groups[i].lead_ticks < 0 ? 0 : 1);
            groups[i].phase = phase < 0 ? phase + groups[i].period : phase;
            spread_add(&search, i, search.best[i], groups[i].cost);
            ES__ASSERT_IN(groups[i].phase, 0, groups[i].period - 1);
        }
    }
    for (int64_t i = 0; i < cycle; ++i) {
        ES__ASSERT_IN(load[i], search.best_least, search.best_peak);
    }
}
