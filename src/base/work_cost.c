/* SPDX-License-Identifier: Zlib */
#include "work_cost.h"

/* So that the sum over a million ticks stays within int64. */
#define WORK_MAX_NS (3600 * ES_NS_PER_S)

void es__work_cost_note(es__work_cost *cost, int32_t ticks, int64_t work_ns)
{
    cost->ticks[cost->count % ES_WORK_FRAMES] = ticks;
    cost->work_ns[cost->count % ES_WORK_FRAMES] = es__max(es__min(work_ns, WORK_MAX_NS), 0);
    /* stays below twice the length, and keeps its place in the ring */
    cost->count += cost->count == 2 * ES_WORK_FRAMES - 1 ? 1 - ES_WORK_FRAMES : 1;
    ES__ASSERT_IN(cost->count, 1, 2 * ES_WORK_FRAMES - 1);
}

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

/* The works of the newest frames with this number of ticks, or of any (-1), the newest first. Returns
 * how many. */
static int32_t take_newest(const es__work_cost *cost, int32_t ticks, double works[ES_WORK_MEDIAN])
{
    int32_t count = 0;
    for (int32_t i = 0; i < kept(cost) && count < ES_WORK_MEDIAN; ++i) {
        int32_t at = slot_back(cost, i);
        if (ticks < 0 || cost->ticks[at] == ticks) {
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

int64_t es__work_cost_of(const es__work_cost *cost, int32_t ticks, int64_t apart_ns)
{
    double works[ES_WORK_MEDIAN];
    int32_t count = take_newest(cost, ticks, works);
    count = count < 2 ? take_newest(cost, -1, works) : count;
    if (count == 0) {
        return 0;
    }
    double median_ns = median_of(works, count);
    double less_ns = count > 1 ? es__min_f64(works[0], works[1]) : works[0];
    if (less_ns > median_ns + (double)apart_ns) {
        return (int64_t)less_ns;
    }
    return (int64_t)(works[0] < median_ns - (double)apart_ns ? works[0] : median_ns);
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
    double most_ns = median_of(works, take_newest(cost, ticks[most], works));
    double less_ns = 0.0;
    int32_t more = ticks[most];
    if (least < most) {
        less_ns = median_of(works, take_newest(cost, ticks[least], works));
        more -= ticks[least];
    }
    return (int64_t)es__max_f64((most_ns - less_ns) / more, 0.0);
}
