/* SPDX-License-Identifier: Zlib
 *
 * Refreshes that come each so long after the one before: a timer that is set anew after each
 * picture, as headless compositors have. What one is late by, all after it are. No line fits such
 * refreshes for long, so little of the past is of use: the mean interval, and the edge under the
 * newest few readings.
 *
 * The mean tells the intervals best of all that is linear in the readings: they differ from it each
 * for itself. A reading's own lateness is in two intervals, there and back, and in the end in none.
 */
#include "grid_parts.h"

#include <math.h>
#include <string.h>

/* The mean is that of so many intervals; what they differ by, of so many. */
enum { MEAN_OF = 256, DIFFER_OF = 128 };

/* The edge is that of so many readings, of no more refreshes than this. */
enum { EDGE_OF = 3, EDGE_SPAN = 8 };

/* A reading may be so early, in periods, against the line; an interval that is off its whole number
 * of periods by more is odd. */
#define EARLY 0.25
#define ODD   0.25

/* Not begun where one interval in so many is odd, or where the others are off by more on the mean;
 * ended beyond this standard deviation, or this share of odd ones. All in periods. */
enum { ODD_OF = 4 };
#define OFF_MOST    0.035
#define DIFFER_MOST 0.07
#define ODD_MOST    0.4

/* The errors told, in standard deviations: simulated, 99 of 100 are smaller. */
#define ERROR_PHASE 3.0
#define ERROR_MEAN  3.0

/* After so many readings it is asked whether there is a fixed grid now; then less and less often.
 */
enum { SEEK_FIRST = 256, SEEK_LAST = 8192 };

static double span_before(const es_grid *grid, int64_t number)
{
    return (double)es_ns_sub(es_grid_reading(grid, number), es_grid_reading(grid, number - 1));
}

static double walk_size_of(double x)
{
    return x < 0 ? -x : x;
}

/* The median of the newest so many intervals. */
static double median_span(const es_grid *grid, int32_t count)
{
    double spans[ES_GRID_WINDOW];
    for (int32_t i = 0; i < count; ++i) {
        double span_ns = span_before(grid, grid->taken - 1 - i);
        int32_t k = i;
        for (; k > 0 && spans[k - 1] > span_ns; --k) {
            spans[k] = spans[k - 1];
        }
        spans[k] = span_ns;
    }
    return spans[count / 2];
}

/* What intervals are, as whole numbers of a period. */
typedef struct intervals {
    double refreshes;
    double total_ns;
    double off_ns; /* the sum of what each is off by */
    double square; /* of that, per refresh; the sum */
    int32_t odd, even;
} intervals;

static intervals sum_up(const es_grid *grid, int32_t count, double period_ns)
{
    intervals sum = {0};
    for (int32_t i = 0; i < count; ++i) {
        double span_ns = span_before(grid, grid->taken - 1 - i);
        double whole = (double)es_grid_whole_below(span_ns / period_ns + 0.5);
        double off_ns = span_ns - whole * period_ns;
        if (whole < 1 || walk_size_of(off_ns) > ODD * period_ns) {
            sum.odd += 1;
            continue;
        }
        sum.even += 1;
        sum.refreshes += whole;
        sum.total_ns += span_ns;
        sum.off_ns += walk_size_of(off_ns);
        sum.square += off_ns * off_ns / whole;
    }
    return sum;
}

bool es_grid_walk_begin(es_grid *grid)
{
    int32_t count = (grid->unbroken < ES_GRID_WINDOW ? grid->unbroken : ES_GRID_WINDOW) - 1;
    if (count < ES_GRID_WALK_LEAST - 1) {
        return false;
    }
    double period_ns = median_span(grid, count);
    if (!(period_ns >= ES_GRID_PERIOD_LEAST_NS && period_ns <= ES_GRID_PERIOD_MOST_NS)) {
        return false;
    }
    intervals sum = sum_up(grid, count, period_ns);
    if (sum.odd * ODD_OF > count || sum.off_ns > OFF_MOST * period_ns * sum.even) {
        return false;
    }
    double rest_ns = sum.total_ns - sum.refreshes * period_ns;
    grid->period_ns = period_ns + rest_ns / sum.refreshes;
    grid->walk.variance = sum.square / sum.even;
    grid->walk.refreshes = es__min_f64(sum.refreshes, MEAN_OF);
    grid->walk.odd = 0;
    grid->walk.wait = grid->walk.wait > 0 ? grid->walk.wait : SEEK_FIRST;
    grid->walk.next = grid->walk.wait;
    grid->walks = true;
    grid->last_index = es_ns_add(grid->last_index, 1);
    grid->anchor.index = grid->last_index;
    grid->anchor.at_ns = es_grid_reading(grid, grid->taken - 1);
    grid->edge[0] = grid->anchor;
    grid->edge_count = 1;
    grid->has_earliest = false;
    grid->settling = 0;
    return true;
}

/* The line through the lowest of the newest readings. */
static void lay(es_grid *grid, es_grid_point point)
{
    int32_t first = grid->edge_count == EDGE_OF ? 1 : 0;
    while (first < grid->edge_count
            && es_ns_sub(point.index, grid->edge[first].index) > EDGE_SPAN) {
        first += 1;
    }
    int32_t kept = grid->edge_count - first;
    memmove(grid->edge, grid->edge + first, (size_t)kept * sizeof grid->edge[0]);
    grid->edge[kept] = point;
    grid->edge_count = kept + 1;
    grid->anchor = point;
    for (int32_t i = 0; i < kept; ++i) {
        if (es_grid_over(grid, grid->edge[i]) < 0) {
            grid->anchor = grid->edge[i];
        }
    }
}

static void note_span(es_grid *grid, double refreshes, double off_ns)
{
    es_grid_walking *walk = &grid->walk;
    walk->refreshes = es__min_f64(walk->refreshes + refreshes, MEAN_OF);
    grid->period_ns += off_ns / walk->refreshes;
    walk->variance += (off_ns * off_ns / refreshes - walk->variance) / DIFFER_OF;
    double of_mean_ns = sqrt(walk->variance / walk->refreshes);
    grid->uncertain_ppm = ERROR_MEAN * of_mean_ns / grid->period_ns * 1e6;
}

double es_grid_walk_add(es_grid *grid, int64_t at_ns)
{
    double periods = es_grid_periods(grid, at_ns);
    int64_t steps = es_grid_whole_below(periods + EARLY);
    es_grid_point point = {es_ns_add(grid->anchor.index, steps), at_ns};
    double over_ns = (periods - (double)steps) * grid->period_ns;
    double refreshes = (double)es_ns_sub(point.index, grid->last_index);
    double off_ns = span_before(grid, grid->taken - 1) - refreshes * grid->period_ns;
    bool odd = refreshes < 1 || walk_size_of(off_ns) > ODD * grid->period_ns;
    grid->walk.odd += ((odd ? 1 : 0) - grid->walk.odd) / 16;
    if (!odd && refreshes <= EDGE_SPAN) {
        note_span(grid, refreshes, off_ns);
    }
    if (refreshes >= 1) {
        grid->last_index = point.index;
        lay(grid, point);
    }
    return es__max_f64(over_ns, 0);
}

void es_grid_walk_go_on(es_grid *grid, int64_t at_ns, int64_t span_ns)
{
    double error_ns = es_grid_walk_error(grid, at_ns);
    if (span_ns > 0 && error_ns < EARLY * grid->period_ns) {
        return;
    }
    int64_t steps = es_grid_whole_below((double)span_ns / grid->period_ns + 0.5);
    grid->locks += 1;
    grid->anchor.index = es_ns_add(grid->last_index, steps > 1 ? steps : 1);
    grid->anchor.at_ns = at_ns;
    grid->edge_count = 0;
}

double es_grid_walk_error(const es_grid *grid, int64_t at_ns)
{
    double periods = walk_size_of(es_grid_periods(grid, at_ns));
    double of_mean_ns = sqrt(grid->walk.variance / grid->walk.refreshes);
    return ERROR_PHASE * sqrt(grid->walk.variance * (1 + periods))
           + ERROR_MEAN * of_mean_ns * periods;
}

bool es_grid_walk_ends(const es_grid *grid)
{
    double most_ns = DIFFER_MOST * grid->period_ns;
    return grid->walk.odd > ODD_MOST || grid->walk.variance > most_ns * most_ns
           || !(grid->period_ns > ES_GRID_PERIOD_LEAST_NS / 2
                   && grid->period_ns < 2 * ES_GRID_PERIOD_MOST_NS);
}

bool es_grid_walk_seeks(es_grid *grid)
{
    grid->walk.next -= grid->walk.next > 0 ? 1 : 0;
    if (grid->walk.next > 0 || grid->usable < ES_GRID_WINDOW) {
        return false;
    }
    grid->walk.wait = grid->walk.wait < SEEK_LAST ? 2 * grid->walk.wait : SEEK_LAST;
    grid->walk.next = grid->walk.wait;
    return true;
}
