/* SPDX-License-Identifier: Zlib
 *
 * The edge is made of the earliest readings: of each refresh at first, in the end of 0.4 s each,
 * 13 s in all. The grid is a line under these points, along their lower hull. Moon et al. take the
 * line with the least space up to the points, which follows the hull in their very middle. Here
 * the slope is that of the hull from 3/10 to 7/10: simulated, one error in a thousand is 3/4 as
 * large.
 *
 * How far off it may be follows from how far the points are over it. Where readings lie at the edge
 * with a density of one per d, n of them tell the line's height there to about d / n; the points'
 * mean height over the line is d / (readings for each). The factors are those that simulated errors
 * stay below in 99 of 100 cases (tests/test_grid.c).
 */
#include "grid_parts.h"

#include <string.h>

/* While few readings have been taken in, the edge is not yet where it will be; later it is. */
#define EARLY_YOUNG 0.12
#define EARLY_OLD   0.03
enum { YOUNG = 64 };

/* Each of the edge's points is of so much time in the end. */
#define SHARE_NS 400e6

/* The slope is the hull's from here, in parts of its length, to as far from the other end. */
#define ASIDE 0.3

/* The errors, in the points' mean height over the line by their number: in the middle, and so many
 * times that from the middle to an end. No clock is truer than the least. */
#define ERROR_MIDDLE     4
#define ERROR_ENDS       3
#define ERROR_RATE_LEAST 2e-8

/* After a pause, for so many readings, what is earlier moves what was before; the error that is of
 * the pause is told for longer. */
enum { SETTLE = 64, SETTLE_ERROR = 128 };

/* ---- the hull ---- */

static double height(const double *x, const double *y, const int32_t *hull, int32_t n, double at)
{
    int32_t i = 1;
    while (i < n - 1 && x[hull[i]] < at) {
        i += 1;
    }
    int32_t a = hull[i - 1], b = hull[i];
    return y[a] + (y[b] - y[a]) * (at - x[a]) / (x[b] - x[a]);
}

int32_t es_grid_lower_line(const double *x, const double *y, int32_t n, double *slope)
{
    int32_t hull[ES_GRID_WINDOW] = {0};
    int32_t count = 0;
    for (int32_t i = 0; i < n; ++i) {
        while (count >= 2) {
            int32_t a = hull[count - 2], b = hull[count - 1];
            if ((y[b] - y[a]) * (x[i] - x[a]) < (y[i] - y[a]) * (x[b] - x[a])) {
                break;
            }
            count -= 1;
        }
        hull[count++] = i;
    }
    double aside = ASIDE * (x[n - 1] - x[0]);
    double left = x[0] + aside, right = x[n - 1] - aside;
    *slope = (height(x, y, hull, count, right) - height(x, y, hull, count, left)) / (right - left);
    int32_t touched = hull[0];
    for (int32_t i = 1; i < count; ++i) {
        if (y[hull[i]] - y[touched] < *slope * (x[hull[i]] - x[touched])) {
            touched = hull[i];
        }
    }
    return touched;
}

/* ---- the line ---- */

double es_grid_edge_error(const es_grid *grid, int64_t at_ns)
{
    if (grid->walks) {
        return es_grid_walk_error(grid, at_ns);
    }
    double away_ns = (double)es_ns_sub(at_ns, grid->edge_middle_ns);
    away_ns = away_ns < 0 ? -away_ns : away_ns;
    double error_ns = grid->edge_error_ns + grid->edge_error_rate * away_ns;
    if (grid->settling > 0) {
        double readings = es__min_f64(grid->settling, SETTLE_ERROR);
        double few_ns = ERROR_MIDDLE * grid->lateness.mean_ns / readings;
        error_ns += es__max_f64(0, es__min_f64(grid->regained_ns, few_ns));
    }
    return error_ns;
}

void es_grid_edge_set_bounds(es_grid *grid, int64_t at_ns)
{
    double error_ns = es_grid_edge_error(grid, at_ns);
    double period_ns = grid->period_ns;
    bool settles = grid->settling > 0 && grid->settling < SETTLE;
    bool young = grid->readings < YOUNG || settles;
    /* where readings are late by most of a period, little is left to be early in */
    double most = es__min_f64(EARLY_YOUNG, (1 - grid->lateness.usual) / 4);
    grid->early = young ? most : es__min_f64(most, EARLY_OLD + 1.5 * error_ns / period_ns);
    grid->early_ns = es__min_f64((young ? 4 : 1.5) * error_ns + 1000, grid->early * period_ns);
}

void es_grid_edge_start(es_grid *grid, const es_grid_line *line)
{
    grid->edge_count = 0;
    grid->edge_share = 1;
    grid->edge_end = INT64_MIN;
    grid->has_earliest = false;
    grid->edge_error_ns = line->spread * line->period_ns;
    grid->edge_error_rate = 1e-3;
    grid->edge_middle_ns = line->at_ns;
    grid->settling = 0;
    double most = es__min_f64(EARLY_YOUNG, (1 - line->spread) / 4);
    grid->early = most;
    grid->early_ns = es__min_f64(most, line->spread / 4) * line->period_ns + 2000;
}

void es_grid_edge_lay(es_grid *grid)
{
    double x[ES_GRID_EDGE], y[ES_GRID_EDGE], period_ns, mean_ns = 0;
    const es_grid_point *edge = grid->edge;
    int32_t n = grid->edge_count;
    if (n < 3) {
        return;
    }
    for (int32_t i = 0; i < n; ++i) {
        x[i] = (double)es_ns_sub(edge[i].index, edge[0].index);
        y[i] = (double)es_ns_sub(edge[i].at_ns, edge[0].at_ns);
    }
    int32_t touched = es_grid_lower_line(x, y, n, &period_ns);
    if (!(period_ns >= ES_GRID_PERIOD_LEAST_NS / 2 && period_ns <= 2 * ES_GRID_PERIOD_MOST_NS)) {
        return; /* times that have been cut to the range */
    }
    grid->period_ns = period_ns;
    grid->anchor = edge[touched];
    for (int32_t i = 0; i < n; ++i) {
        mean_ns += y[i] - y[touched] - (x[i] - x[touched]) * period_ns;
    }
    mean_ns /= n - 2;
    grid->edge_middle_ns = es_ns_add(edge[0].at_ns, (int64_t)(y[n - 1] / 2));
    grid->edge_error_ns = (ERROR_MIDDLE * mean_ns + 1) * (1 + 8.0 / n) / n;
    grid->edge_error_rate = ERROR_ENDS * grid->edge_error_ns / (y[n - 1] / 2) + ERROR_RATE_LEAST;
    grid->uncertain_ppm = grid->edge_error_rate * 1e6;
    es_grid_edge_set_bounds(grid, edge[n - 1].at_ns);
}

/* ---- its points ---- */

/* Room for another point: of two the lower stays, until each stands for long enough; from then on
 * the oldest goes. */
static void edge_make_room(es_grid *grid)
{
    if (grid->edge_count < ES_GRID_EDGE) {
        return;
    }
    int64_t most = es_grid_whole_below(SHARE_NS / grid->period_ns);
    if (grid->edge_share < most) {
        for (int32_t i = 0; i < ES_GRID_EDGE / 2; ++i) {
            es_grid_point a = grid->edge[2 * i], b = grid->edge[2 * i + 1];
            grid->edge[i] = es_grid_over(grid, a) <= es_grid_over(grid, b) ? a : b;
        }
        grid->edge_count = ES_GRID_EDGE / 2;
        grid->edge_share = 2 * grid->edge_share < most ? 2 * grid->edge_share : most;
    } else {
        memmove(grid->edge, grid->edge + 1, sizeof grid->edge - sizeof grid->edge[0]);
        grid->edge_count -= 1;
    }
}

void es_grid_edge_close(es_grid *grid)
{
    if (grid->has_earliest) {
        edge_make_room(grid);
        grid->edge[grid->edge_count++] = grid->earliest;
        grid->has_earliest = false;
        if (!grid->replaying) {
            es_grid_edge_lay(grid);
        }
    }
}

/* The phase was regained from few readings. One that is earlier moves what was before them; where
 * all are later, so was it, as far as it was uncertain. */
static void edge_settle(es_grid *grid, const es_grid_point *point)
{
    double over_ns = es_grid_over(grid, *point);
    grid->settling = grid->settling < 4 * SETTLE_ERROR ? grid->settling + 1 : 0;
    if (grid->settling > SETTLE || grid->settling == 0) {
        return;
    }
    grid->lowest_ns = es__min_f64(grid->lowest_ns, over_ns);
    double by_ns = es__min_f64(over_ns, 0);
    if (grid->settling == SETTLE) {
        double usual_ns = 2 * grid->lateness.mean_ns / SETTLE;
        by_ns = grid->lowest_ns > 5 * usual_ns ? grid->lowest_ns - usual_ns : by_ns;
        by_ns = es__min_f64(by_ns, grid->regained_ns);
    }
    if (by_ns < 0 || by_ns > 0) {
        es_grid_edge_move(grid, grid->settled_index, 0, es_grid_whole_below(by_ns));
        grid->lowest_ns -= by_ns;
    }
    es_grid_edge_set_bounds(grid, point->at_ns);
}

void es_grid_edge_add(es_grid *grid, const es_grid_point *point, double over_ns)
{
    if (grid->settling > 0) {
        edge_settle(grid, point);
        over_ns = es_grid_over(grid, *point);
    }
    if (point->index >= grid->edge_end) {
        es_grid_edge_close(grid);
        grid->edge_end = es_ns_add(point->index, grid->edge_share);
    }
    if (!grid->has_earliest || over_ns < es_grid_over(grid, grid->earliest)) {
        grid->earliest.index = point->index;
        grid->earliest.at_ns = point->at_ns;
        grid->has_earliest = true;
    }
    if (es_ns_add(point->index, 1) >= grid->edge_end) {
        es_grid_edge_close(grid);
    }
}

void es_grid_edge_move(es_grid *grid, int64_t before_index, int64_t by_index, int64_t by_ns)
{
    for (int32_t i = 0; i < grid->edge_count; ++i) {
        es_grid_point *point = &grid->edge[i];
        if (point->index < before_index) {
            point->index = es_ns_add(point->index, by_index);
            point->at_ns = es_ns_add(point->at_ns, by_ns);
        }
    }
    grid->anchor.index = es_ns_add(grid->anchor.index, by_index);
    grid->anchor.at_ns = es_ns_add(grid->anchor.at_ns, by_ns);
    grid->edge_middle_ns = es_ns_add(grid->edge_middle_ns, by_ns);
}
