/* SPDX-License-Identifier: Zlib */
#include "work_cost.h"

/* So that the sum over a million ticks stays within int64. */
#define WORK_MAX_NS (3600 * ES_NS_PER_S)

static int32_t kept(const es__work_cost *cost)
{
    return cost->count < ES_WORK_FRAMES ? cost->count : ES_WORK_FRAMES;
}

static int32_t slot_back(const es__work_cost *cost, int32_t back)
{
    ES__ASSERT_IN(back, 0, kept(cost) - 1);
    int32_t slot = (cost->count - 1 - back) % ES_WORK_FRAMES;
    ES__ASSERT(
            (slot + back + 1) % ES_WORK_FRAMES == cost->count % ES_WORK_FRAMES && slot >= 0, slot);
    return slot;
}

/* The works of the newest frames with first to last ticks, the newest first. Returns how many. */
static int32_t take_newest(
        const es__work_cost *cost, int32_t first, int32_t last, double works[ES_WORK_MEDIAN])
{
    int32_t count = 0;
    for (int32_t i = 0; i < kept(cost) && count < ES_WORK_MEDIAN; ++i) {
        int32_t at = slot_back(cost, i);
        if (cost->ticks[at] >= first && cost->ticks[at] <= last) {
            works[count] = (double)cost->work_ns[at];
            count += 1;
        }
    }
    return count;
}

/* The lower one of two. */
static double median_of(const double *works, int32_t count)
{
    double sorted[ES_WORK_MEDIAN];
    for (int32_t i = 0; i < count; ++i) {
        sorted[i] = works[i];
    }
    es__sort(sorted, (size_t)count);
    return sorted[(count - 1) / 2];
}

/* What frames are expected to take: the median, or what a change of the load has made of it. */
static double expected_ns(const double *works, int32_t count, double apart_ns)
{
    double median_ns = median_of(works, count);
    double less_ns = count > 1 ? es__min_f64(works[0], works[1]) : works[0];
    if (less_ns > median_ns + apart_ns) {
        return less_ns;
    }
    return works[0] < median_ns - apart_ns ? works[0] : median_ns;
}

/* Joins a pool with those before it that say more. */
static void add_pool(es__work_cost *cost, es__work_pool next, double apart_ns)
{
    double works[ES_WORK_MEDIAN];
    while (cost->pooled > 0 && cost->pools[cost->pooled - 1].work_ns > next.work_ns) {
        cost->pooled -= 1;
        next.first = cost->pools[cost->pooled].first;
        int32_t most = next.last < ES_WORK_KINDS - 1 ? next.last : INT32_MAX;
        int32_t count = take_newest(cost, next.first, most, works);
        next.work_ns = expected_ns(works, count, apart_ns);
    }
    ES__ASSERT_IN(cost->pooled, 0, ES_WORK_KINDS - 1);
    cost->pools[cost->pooled] = next;
    cost->pooled += 1;
}

/* More ticks never make a frame cheaper: kinds that say so are pooled. Source: pool adjacent violators
 * (Ayer, Brunk, Ewing, Reid, Silverman 1955). */
static void pool_kinds(es__work_cost *cost, double apart_ns)
{
    double works[ES_WORK_KINDS][ES_WORK_MEDIAN], newest[ES_WORK_MEDIAN];
    int32_t counts[ES_WORK_KINDS] = {0};
    for (int32_t i = 0; i < kept(cost); ++i) {
        int32_t at = slot_back(cost, i);
        int32_t kind = (int32_t)es__min(cost->ticks[at], ES_WORK_KINDS - 1);
        if (counts[kind] < ES_WORK_MEDIAN) {
            works[kind][counts[kind]] = (double)cost->work_ns[at];
            counts[kind] += 1;
        }
    }
    cost->pooled = 0;
    for (int32_t kind = 0; kind < ES_WORK_KINDS; ++kind) {
        if (counts[kind] > 1) {
            double work_ns = expected_ns(works[kind], counts[kind], apart_ns);
            add_pool(cost, (es__work_pool){kind, kind, work_ns}, apart_ns);
        }
    }
    cost->all_ns = median_of(newest, take_newest(cost, 0, INT32_MAX, newest));
}

void es__work_cost_note(es__work_cost *cost, int32_t ticks, int64_t work_ns, int64_t apart_ns)
{
    cost->ticks[cost->count % ES_WORK_FRAMES] = ticks;
    cost->work_ns[cost->count % ES_WORK_FRAMES] = es__max(es__min(work_ns, WORK_MAX_NS), 0);
    /* stays below twice the length, and keeps its place in the ring */
    cost->count += cost->count == 2 * ES_WORK_FRAMES - 1 ? 1 - ES_WORK_FRAMES : 1;
    ES__ASSERT_IN(cost->count, 1, 2 * ES_WORK_FRAMES - 1);
    pool_kinds(cost, (double)apart_ns);
}

int64_t es__work_cost_of(const es__work_cost *cost, int32_t ticks)
{
    int32_t kind = (int32_t)es__min(ticks, ES_WORK_KINDS - 1);
    double work_ns = cost->all_ns;
    for (int32_t i = 0; i < cost->pooled; ++i) {
        const es__work_pool *pool = &cost->pools[i];
        if (pool->first <= kind && kind <= pool->last) {
            return (int64_t)pool->work_ns;
        }
        work_ns = pool->last < kind ? es__max_f64(work_ns, pool->work_ns)
                                    : es__min_f64(work_ns, pool->work_ns);
    }
    return (int64_t)work_ns;
}

int64_t es__work_cost_longest(const es__work_cost *cost)
{
    int32_t seen[ES_WORK_KINDS] = {0};
    int64_t longest_ns = 0;
    for (int32_t i = 0; i < kept(cost); ++i) {
        int32_t at = slot_back(cost, i);
        int32_t kind = (int32_t)es__min(cost->ticks[at], ES_WORK_KINDS - 1);
        seen[kind] += 1;
        longest_ns = es__max(longest_ns, seen[kind] <= ES_WORK_MEDIAN ? cost->work_ns[at] : 0);
    }
    return longest_ns;
}

int64_t es__work_cost_per_tick(const es__work_cost *cost)
{
    double works[ES_WORK_MEDIAN];
    int32_t seen[ES_WORK_KINDS] = {0}, ticks[ES_WORK_KINDS] = {0}, least = -1, most = -1;
    for (int32_t i = 0; i < kept(cost); ++i) {
        int32_t n = cost->ticks[slot_back(cost, i)];
        int32_t kind = (int32_t)es__min(n, ES_WORK_KINDS - 1);
        ticks[kind] = seen[kind] == 0 ? n : ticks[kind];
        seen[kind] += n == ticks[kind];
    }
    for (int32_t kind = 0; kind < ES_WORK_KINDS; ++kind) {
        if (seen[kind] > 1) {
            least = least < 0 ? kind : least;
            most = kind;
        }
    }
    if (most <= 0) {
        return 0;
    }
    double most_ns = median_of(works, take_newest(cost, ticks[most], ticks[most], works));
    double less_ns = 0.0;
    int32_t more = ticks[most];
    if (least < most) {
        less_ns = median_of(works, take_newest(cost, ticks[least], ticks[least], works));
        more -= ticks[least];
    }
    return (int64_t)es__max_f64((most_ns - less_ns) / more, 0.0);
}
