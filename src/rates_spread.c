/* SPDX-License-Identifier: Zlib
 *
 * Which phases make base ticks cost the same? To find the best is as hard as packing bins. So each
 * group in turn takes the place that is least loaded, then groups are moved while that makes their
 * own dearest base tick cheaper (or as dear, and the others cheaper). Frequent first is best where
 * periods divide each other, as small gaps fill up with no rest; dear first where costs differ
 * most; and some orders drawn by lot find what both miss.
 */
#include "evenstep/rates.h"

#define COST_MAX INT64_C(1000000000000)

/* How often groups are gone through to be moved; how many orders are tried; and how many steps that
 * may take in all, about. */
#define ROUNDS_MAX 16
#define ORDERS_MIN 3
#define ORDERS_MAX 48
#define STEPS_MAX  (INT64_C(1) << 25)

typedef struct spread {
    const es_rate_group *groups;
    int32_t count;
    int64_t *load;
    int64_t cycle;
    uint32_t random;
    int32_t order[ES_RATES_GROUPS_MAX];
    int32_t slots[ES_RATES_GROUPS_MAX]; /* the first base tick at which each ticks */
    int32_t best[ES_RATES_GROUPS_MAX];
    int64_t best_peak;
    int64_t best_least;
} spread;

/* What a group would meet. */
typedef struct place {
    int64_t most; /* the dearest of its base ticks */
    double sum;   /* of all of them */
} place;

static int64_t common_divisor(int64_t a, int64_t b)
{
    while (b != 0) {
        int64_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

int64_t es_rates_cycle(const es_rate_group *groups, int32_t count)
{
    int64_t cycle = 1;
    if (groups == NULL || count < 1 || count > ES_RATES_GROUPS_MAX) {
        return 0;
    }
    for (int32_t i = 0; i < count; ++i) {
        int32_t period = groups[i].period;
        if (period < 0 || period > ES_RATES_PERIOD_MAX) {
            return 0;
        }
        if (period > 0) {
            cycle *= period / common_divisor(cycle, period);
        }
        if (cycle > INT32_MAX) {
            return 0;
        }
    }
    return cycle;
}

static void add(const spread *all, int32_t group, int32_t slot, int64_t cost)
{
    for (int64_t at = slot; at < all->cycle; at += all->groups[group].period) {
        all->load[at] += cost;
    }
}

static place look_at(const spread *all, int32_t group, int32_t slot)
{
    place seen = {0, 0.0};
    for (int64_t at = slot; at < all->cycle; at += all->groups[group].period) {
        seen.most = all->load[at] > seen.most ? all->load[at] : seen.most;
        seen.sum += (double)all->load[at];
    }
    return seen;
}

/* The best place for a group that is nowhere now; the one it had if no other is better. */
static int32_t find_place(const spread *all, int32_t group, int32_t slot)
{
    place best = look_at(all, group, slot);
    for (int32_t i = 0; i < all->groups[group].period; ++i) {
        place seen = look_at(all, group, i);
        if (seen.most < best.most || (seen.most == best.most && seen.sum < best.sum)) {
            best = seen;
            slot = i;
        }
    }
    return slot;
}

static bool has_place(const spread *all, int32_t group)
{
    return all->groups[group].period > 0;
}

static void place_all(spread *all)
{
    for (int64_t i = 0; i < all->cycle; ++i) {
        all->load[i] = 0;
    }
    for (int32_t i = 0; i < all->count; ++i) {
        int32_t group = all->order[i];
        if (has_place(all, group)) {
            all->slots[group] = find_place(all, group, 0);
            add(all, group, all->slots[group], all->groups[group].cost);
        }
    }
}

static void move_all(spread *all)
{
    bool moved = true;
    for (int round = 0; round < ROUNDS_MAX && moved; ++round) {
        moved = false;
        for (int32_t i = 0; i < all->count; ++i) {
            int32_t group = all->order[i];
            if (has_place(all, group) && all->groups[group].cost > 0) {
                add(all, group, all->slots[group], -all->groups[group].cost);
                int32_t slot = find_place(all, group, all->slots[group]);
                moved = moved || slot != all->slots[group];
                all->slots[group] = slot;
                add(all, group, slot, all->groups[group].cost);
            }
        }
    }
}

static void keep_if_better(spread *all)
{
    int64_t peak = all->load[0];
    int64_t least = all->load[0];
    for (int64_t i = 1; i < all->cycle; ++i) {
        peak = all->load[i] > peak ? all->load[i] : peak;
        least = all->load[i] < least ? all->load[i] : least;
    }
    bool better = peak < all->best_peak || (peak == all->best_peak && least > all->best_least);
    if (all->best_peak < 0 || better) {
        all->best_peak = peak;
        all->best_least = least;
        for (int32_t i = 0; i < all->count; ++i) {
            all->best[i] = all->slots[i];
        }
    }
}

/* --- orders ----------------------------------------------------------------------------------- */

/* Whether a comes before b. */
static bool is_before(const spread *all, int turn, int32_t a, int32_t b)
{
    const es_rate_group *one = &all->groups[a];
    const es_rate_group *other = &all->groups[b];
    bool dearer = one->cost > other->cost;
    bool as_dear = one->cost == other->cost;
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

static void sort(spread *all, int turn)
{
    for (int32_t i = 0; i < all->count; ++i) {
        int32_t at = i;
        for (; at > 0 && is_before(all, turn, i, all->order[at - 1]); --at) {
            all->order[at] = all->order[at - 1];
        }
        all->order[at] = i;
    }
}

static void shuffle(spread *all)
{
    for (int32_t i = all->count - 1; i > 0; --i) {
        all->random = all->random * UINT32_C(1664525) + UINT32_C(1013904223);
        int32_t other = (int32_t)((uint64_t)all->random * (uint64_t)(i + 1) >> 32);
        int32_t group = all->order[i];
        all->order[i] = all->order[other];
        all->order[other] = group;
    }
}

static void try_orders(spread *all)
{
    int64_t steps = all->cycle * all->count * 4;
    int64_t orders = STEPS_MAX / steps;
    orders = orders < ORDERS_MIN ? ORDERS_MIN : orders > ORDERS_MAX ? ORDERS_MAX : orders;
    for (int turn = 0; turn < orders; ++turn) {
        if (turn < ORDERS_MIN) {
            sort(all, turn);
        } else {
            shuffle(all);
        }
        place_all(all);
        move_all(all);
        keep_if_better(all);
    }
}

static bool is_valid(const es_rate_group *groups, int32_t count)
{
    for (int32_t i = 0; i < count; ++i) {
        const es_rate_group *group = &groups[i];
        bool clocked = group->period >= 0 && group->period <= ES_RATES_PERIOD_MAX;
        bool led = group->lead_ticks >= -1 && group->lead_ticks <= ES_RATES_LEAD_MAX;
        if (!clocked || !led || group->cost < 0 || group->cost > COST_MAX) {
            return false;
        }
    }
    return true;
}

es_result es_rates_spread(es_rate_group *groups, int32_t count, int64_t *load, int64_t size)
{
    bool counted = count >= 1 && count <= ES_RATES_GROUPS_MAX;
    if (groups == NULL || load == NULL || !counted || !is_valid(groups, count)) {
        return ES_ERR_INVALID;
    }
    int64_t cycle = es_rates_cycle(groups, count);
    if (cycle == 0) {
        return ES_ERR_RANGE;
    }
    if (size < cycle) {
        return ES_ERR_SPACE;
    }
    spread all = {.groups = groups,
            .count = count,
            .load = load,
            .cycle = cycle,
            .random = 1,
            .best_peak = -1};
    try_orders(&all);
    for (int64_t i = 0; i < cycle; ++i) {
        load[i] = 0;
    }
    for (int32_t i = 0; i < count; ++i) {
        if (has_place(&all, i)) {
            /* with no lead it ticks at its phase, else at the base tick after it */
            int32_t phase = all.best[i] - (groups[i].lead_ticks < 0 ? 0 : 1);
            groups[i].phase = phase < 0 ? phase + groups[i].period : phase;
            add(&all, i, all.best[i], groups[i].cost);
        }
    }
    return ES_OK;
}
