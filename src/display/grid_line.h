/* SPDX-License-Identifier: Zlib
 *
 * What a locked grid says of one instant or one refresh, without a call: display asks it several
 * times in each frame. For display and for grid itself.
 */
#ifndef ES_GRID_LINE_H
#define ES_GRID_LINE_H

#include "evenstep/grid.h"
#include "evenstep/time.h"

/* Doubles hold every whole number of nanoseconds up to here and farther: 46 days. */
#define ES_GRID_EXACT_NS 4e15

/* So many refreshes are no more nanoseconds than that: periods are up to 0.2 s. */
#define ES_GRID_NEAR 10000000

/* The whole number at or below x, which is within the range. */
static inline int64_t es_grid_floor(double x)
{
    int64_t whole = (int64_t)x;
    return whole - ((double)whole > x ? 1 : 0);
}

/* Whether an instant, so long after the anchor, is at this refresh or past it. A refresh is at this
 * product, rounded up to whole nanoseconds: so an instant has reached the one where it has reached
 * the other. */
static inline bool es_grid_has_reached(const es_grid *grid, double steps, double since_ns)
{
    return steps * grid->period_ns <= since_ns;
}

/* es_grid_index, where it is likely to be this one or the next: that takes no division. */
static inline int64_t es_grid_index_near(const es_grid *grid, int64_t at_ns, int64_t near)
{
    double since_ns = (double)es_ns_sub(at_ns, grid->anchor.at_ns);
    double steps = (double)es_ns_sub(near, grid->anchor.index);
    bool exact = since_ns < ES_GRID_EXACT_NS && since_ns > -ES_GRID_EXACT_NS;
    if (grid->state != ES_GRID_LOCKED || !exact || !es_grid_has_reached(grid, steps, since_ns)) {
        return es_grid_index(grid, at_ns);
    }
    if (!es_grid_has_reached(grid, steps + 1, since_ns)) {
        return near;
    }
    return es_grid_has_reached(grid, steps + 2, since_ns) ? es_grid_index(grid, at_ns) : near + 1;
}

/* es_grid_time_ns, where the refresh is not far from the anchor. */
static inline int64_t es_grid_time_of(const es_grid *grid, int64_t index)
{
    int64_t before = es_ns_sub(grid->anchor.index, index);
    bool far = before > ES_GRID_NEAR || before < -ES_GRID_NEAR;
    if (grid->state != ES_GRID_LOCKED || far) {
        return es_grid_time_ns(grid, index);
    }
    return es_ns_sub(grid->anchor.at_ns, es_grid_floor((double)before * grid->period_ns));
}

#endif
