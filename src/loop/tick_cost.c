/* SPDX-License-Identifier: Zlib */
#include "tick_cost.h"

#include "base/common.h"

/* A frame of a million ticks must stay within int64. */
#define COST_MAX_NS (3600 * ES_NS_PER_S)

/* The bound on the cost of a tick follows the newest frames: 1/8 per frame. */
#define BOUND_SHARE 8.0

/* The cost of a tick is at most the work of a frame by its ticks. Where all frames have equally
 * many ticks, this bound alone follows a load that falls. */
static void settle_cost(es_tick_cost *cost)
{
    double sorted[ES_TICK_COSTS];
    size_t count = cost->count < ES_TICK_COSTS ? (size_t)cost->count : ES_TICK_COSTS;
    for (size_t i = 0; i < count; ++i) {
        sorted[i] = cost->samples_ns[i];
    }
    es__sort(sorted, count);
    double median_ns = count > 0 ? sorted[count / 2] : 0.0;
    /* the second largest: one hitch does not make every frame begin early */
    double most_ns = count > 2 ? sorted[count - 2] : median_ns;
    double bound_ns = es__min_f64(cost->bound_ns, (double)COST_MAX_NS);
    cost->tick_ns = (int64_t)es__max_f64(es__min_f64(median_ns, bound_ns), 0.0);
    cost->tick_most_ns = (int64_t)es__max_f64(es__min_f64(most_ns, (double)COST_MAX_NS), 0.0);
}

static void add_cost(es_tick_cost *cost, double sample_ns)
{
    cost->samples_ns[cost->count % ES_TICK_COSTS] = sample_ns;
    /* stays below twice the length, and keeps its place in the ring */
    cost->count += cost->count == 2 * ES_TICK_COSTS - 1 ? 1 - ES_TICK_COSTS : 1;
}

static void follow_bound(es_tick_cost *cost, double per_tick_ns)
{
    double share = cost->bound_ns > 0.0 ? BOUND_SHARE : 1.0;
    cost->bound_ns += (per_tick_ns - cost->bound_ns) / share;
}

void es__tick_cost_note_work(es_tick_cost *cost, int32_t ticks, int64_t work_ns)
{
    int32_t more = ticks - cost->last_ticks;
    if (cost->has_last && more != 0) {
        add_cost(cost, (double)(work_ns - cost->last_work_ns) / (double)more);
    }
    if (ticks > 0) {
        follow_bound(cost, (double)work_ns / (double)ticks);
    }
    cost->has_last = true;
    cost->last_ticks = ticks;
    cost->last_work_ns = work_ns;
    settle_cost(cost);
}

void es__tick_cost_note_ticks(es_tick_cost *cost, int32_t ticks, int64_t ticks_ns)
{
    cost->has_last = false;
    if (ticks > 0) {
        double per_tick_ns = (double)ticks_ns / (double)ticks;
        add_cost(cost, per_tick_ns);
        cost->bound_ns = es__max_f64(per_tick_ns, cost->bound_ns);
        settle_cost(cost);
    }
}
