/* SPDX-License-Identifier: Zlib
 *
 * What the files of grid share:
 *
 *   grid.c           which readings are believed, and what of them comes next; what is asked
 *   grid_hunt.c      which readings are searched when, and what becomes of what is found
 *   grid_search.c    finds a grid: some readings in, a line out
 *   grid_lock.c      makes a line the grid, takes readings in, loses it
 *   grid_lateness.c  how late readings of a locked grid are
 *   grid_edge.c      the line under its readings, and how far off it may be
 *   grid_doubt.c     when it is doubted, and what comes of that
 *   grid_walk.c      refreshes that keep to no line, followed
 */
#ifndef ES_GRID_PARTS_H
#define ES_GRID_PARTS_H

#include "evenstep/grid.h"
#include "evenstep/time.h"

#include "base/common.h"
#include "grid_line.h"

/* Displays refresh no more and no less often. */
#define ES_GRID_PERIOD_LEAST_NS 1e6
#define ES_GRID_PERIOD_MOST_NS  100e6

/* Later than that, in periods, is no lateness: with the wrong period readings are anywhere. */
#define ES_GRID_LATE 0.82

enum {
    ES_GRID_SEARCH_LEAST = 13, /* readings that a search takes without a period to try */
    ES_GRID_WARY_MOST = 4,     /* locks that did not last, as far as they count */
    ES_GRID_YOUNG = 64,        /* readings after a lock until which all lateness is usual */
    ES_GRID_NOTED = 64,        /* readings that means of lateness are of */
    ES_GRID_LOOK_EVERY = 16    /* readings from one summing up of lateness to the next */
};

/* The whole number at or below x, cut to the range. */
static inline int64_t es_grid_whole_below(double x)
{
    if (!(x > -9.2e18)) {
        return INT64_MIN;
    }
    return x > 9.2e18 ? INT64_MAX : es_grid_floor(x);
}

/* The reading of a number. */
static inline int64_t es_grid_reading(const es_grid *grid, int64_t number)
{
    return grid->recent_ns[(uint64_t)number % ES_GRID_RECENT];
}

/* The time from a refresh's number on the line to an instant, in periods. */
static inline double es_grid_periods(const es_grid *grid, int64_t at_ns)
{
    return (double)es_ns_sub(at_ns, grid->anchor.at_ns) / grid->period_ns;
}

/* How far an instant lies over the refresh of a number. */
static inline double es_grid_over(const es_grid *grid, es_grid_point point)
{
    double since_ns = (double)es_ns_sub(point.at_ns, grid->anchor.at_ns);
    double refreshes = (double)es_ns_sub(point.index, grid->anchor.index);
    return since_ns - refreshes * grid->period_ns;
}

/* ---- grid_hunt.c ---- */

/* A search starts over, with the newest `kept` readings at most. */
void es_grid_forget_readings(es_grid *grid, int32_t kept);

/* Goes on looking for a grid, after a reading. */
void es_grid_hunt(es_grid *grid);

/* ---- grid_lock.c ---- */

/* One reading of a locked grid. */
void es_grid_take_in(es_grid *grid, int64_t at_ns);

/* Makes a line the grid that was found in the readings from number `first` on. */
void es_grid_lock(es_grid *grid, const es_grid_line *found, int64_t first);

/* A better line for the same grid, off by so much from the one it has. How readings were late for
 * long is still known. */
void es_grid_mend(es_grid *grid, const es_grid_line *line, int64_t first, double off_ns);

/* After a pause: the period is the old one, and the newest readings are on this phase. */
void es_grid_regain(es_grid *grid, const es_grid_line *line);

/* The caller no longer says when refreshes are: readings do, from there on. */
void es_grid_steer_end(es_grid *grid);

/* A lock ends: one that did not last is no recommendation for the next. */
void es_grid_learn(es_grid *grid);

/* There is no grid any more; a search may look at the newest `kept` readings. */
void es_grid_lose(es_grid *grid, es_grid_state state, int32_t kept);

/* ---- grid_lateness.c ---- */

void es_grid_lateness_add(es_grid_lateness *late, double late_ns);

/* Sets what is told of lateness, and how late a reading may be before it is unusual. */
void es_grid_lateness_sum_up(es_grid *grid);

/* ---- grid_doubt.c ---- */

/* A search is to look at `least` readings, from the newest `kept` on. */
void es_grid_doubt(es_grid *grid, int32_t kept, int32_t least);

/* Doubts the grid where its readings give a reason. */
void es_grid_ask_for_doubts(es_grid *grid);

/* A line was found while the grid is locked. Returns whether it takes the grid's place: where
 * readings scatter clearly less about it. That they scatter is not enough: under a load they do. */
bool es_grid_doubt_answer(es_grid *grid, const es_grid_search *found);

/* The grid is no more found in the newest readings: it is lost, or believed again, or not yet. */
void es_grid_doubt_unanswered(es_grid *grid);

void es_grid_forget_doubts(es_grid *grid);

/* ---- grid_edge.c ---- */

/* A line that has no point below it, along the lower hull of the points: its slope; returns the
 * point that it touches. x rises from point to point; n is 2 to ES_GRID_WINDOW. */
int32_t es_grid_lower_line(const double *x, const double *y, int32_t n, double *slope);

/* How far off the line may be at an instant. */
double es_grid_edge_error(const es_grid *grid, int64_t at_ns);

/* An edge without points, for a line that is known otherwise. */
void es_grid_edge_start(es_grid *grid, const es_grid_line *line);

/* A reading that is believed, and how far it is over the line. */
void es_grid_edge_add(es_grid *grid, const es_grid_point *point, double over_ns);

/* Makes a point of the readings since the last one. */
void es_grid_edge_close(es_grid *grid);

/* Lays the line under the edge's points, and sets what depends on it. */
void es_grid_edge_lay(es_grid *grid);

/* How early readings may be, as the line stands. */
void es_grid_edge_set_bounds(es_grid *grid, int64_t at_ns);

/* Moves the line, and the edge's points of all refreshes before one. */
void es_grid_edge_move(es_grid *grid, int64_t before_index, int64_t by_index, int64_t by_ns);

/* ---- grid_search.c ---- */

typedef enum es_grid_outcome {
    ES_GRID_GOES_ON, /* to be continued with the next reading */
    ES_GRID_FOUND,   /* in search.best */
    ES_GRID_NONE
} es_grid_outcome;

/* Counts a refresh; up to 127 of them. */
static inline void es_grid_count(es_grid_numbers *numbers, int64_t index)
{
    uint64_t n = (uint64_t)index;
    numbers->count += 1;
    numbers->by_2[n % 2] += 1;
    numbers->by_3[n % 3] += 1;
    numbers->by_5[n % 5] += 1;
    numbers->by_7[n % 7] += 1;
}

/* How many there are at least beside those on every second refresh, or third, fifth or seventh. */
int32_t es_grid_beside(const es_grid_numbers *numbers);

/* Starts a search among so many of the newest readings, 13 to ES_GRID_WINDOW. */
void es_grid_search_begin(es_grid *grid, int32_t count);

/* Goes on with it, for some 15 us; for one where nothing is wrong. */
es_grid_outcome es_grid_search_go_on(es_grid *grid);

/* Whether so many of the newest readings, 6 to ES_GRID_WINDOW, keep to about this period. */
bool es_grid_try_period(const es_grid *grid, int32_t count, double period_ns, es_grid_line *line);

/* Whether so many of the newest readings keep to exactly this period; its phase is asked for. */
bool es_grid_try_phase(const es_grid *grid, int32_t count, double period_ns, es_grid_line *line);

/* Over how many periods of a locked grid readings spread, all but one in twenty: so many from
 * number `first` on, up to ES_GRID_WINDOW. */
double es_grid_spread(const es_grid *grid, int64_t first, int32_t count);

/* Whether so many of the newest readings follow each other evenly. */
bool es_grid_is_even(const es_grid *grid, int32_t count);

/* ---- grid_walk.c ---- */

/* Starts from the newest readings; false: they are not like it. */
bool es_grid_walk_begin(es_grid *grid);

/* Takes in the newest reading. Returns how far it is over the line. */
double es_grid_walk_add(es_grid *grid, int64_t at_ns);

/* After a pause, or on a clock that was set back: before es_grid_walk_add. */
void es_grid_walk_go_on(es_grid *grid, int64_t at_ns, int64_t span_ns);

/* How far off the line may be at an instant. */
double es_grid_walk_error(const es_grid *grid, int64_t at_ns);

/* Whether readings are no longer like it. */
bool es_grid_walk_ends(const es_grid *grid);

/* Whether it is time to search for a fixed grid. */
bool es_grid_walk_seeks(es_grid *grid);

#endif
