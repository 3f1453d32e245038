/* SPDX-License-Identifier: Zlib
 *
 * grid: on which instants does a display refresh, as far as readings that are late can tell?
 *
 * A present that blocks returns after a refresh: a few microseconds after it, or a millisecond, but
 * never before. So the refreshes lie along the lower edge of such readings. This room finds that
 * edge, without being told the rate: first roughly, from a dozen readings, then ever finer, to a
 * few millionths of the period after ten seconds. It says when there is no such edge: on a display
 * whose refresh varies, or where readings have nothing to do with one.
 *
 *   es_grid_add(&grid, returned_ns);                            after each present that blocked
 *   if (grid.state == ES_GRID_LOCKED) {
 *       int64_t next_ns = es_grid_time_ns(&grid, es_grid_index(&grid, now_ns) + 1);
 *   }
 *
 * Refreshes may go by without a reading, one or many. Values in, decisions out: it reads no clock.
 * One of the parts that display time is made of; before 1.0 it may change in any minor version.
 */
#ifndef EVENSTEP_GRID_H
#define EVENSTEP_GRID_H

#include "evenstep/base.h"

/* Whether there is a grid. */
typedef enum es_grid_state {
    ES_GRID_SEARCHING = 0, /* too few readings, or they do not fit one */
    ES_GRID_LOCKED = 1,    /* known: the functions below answer */
    ES_GRID_VARIES = 2     /* readings follow each other too evenly for chance, and keep to no grid:
                              a variable refresh, or a program that paces itself. It goes on looking */
} es_grid_state;

/* What a grid is searched with. {0} is the default. */
typedef struct es_grid_config {
    int64_t announced_ns; /* the period as announced: tried first, believed if it fits; 0: unknown */
} es_grid_config;

enum {
    ES_GRID_RECENT = 64, /* readings that a search looks at */
    ES_GRID_EDGE = 48    /* points that the edge is drawn under */
};

/* A refresh, by the earliest reading for it. */
typedef struct es_grid_point {
    int64_t index;
    int64_t at_ns;
} es_grid_point;

/* The grid. Initialise with es_grid_init; read the first four fields, the rest is its own. It holds
 * no resource and may be copied. */
typedef struct es_grid {
    es_grid_state state;
    double period_ns; /* between two refreshes; 0 unless locked */
    int64_t readings; /* taken in since the lock; 0 unless locked */
    int64_t locks;    /* how often one was found */
    int64_t late_ns;  /* STUB */
    int64_t spread_ns;
    es_grid_config config;
    /* the newest readings, oldest first */
    int64_t recent_ns[ES_GRID_RECENT];
    int32_t recent_count;
    int32_t until_search; /* readings */
    /* locked: refresh number anchor.index is at anchor.at_ns plus anchor_ns */
    es_grid_point anchor;
    double anchor_ns;
    int64_t last_index; /* of the newest reading */
    double strange;     /* share of the newest readings that do not fit */
    /* the edge: the earliest of each so many readings, oldest first */
    es_grid_point edge[ES_GRID_EDGE];
    int32_t edge_count;
    int32_t edge_share;     /* readings for each point */
    int32_t edge_readings;  /* so far, for the next one */
    es_grid_point earliest; /* of those */
} es_grid;

#ifdef __cplusplus
extern "C" {
#endif

/** Starts a search.
 *
 * grid: the caller's memory; not NULL.
 * config: NULL or all zero for the defaults.
 * Returns: ES_OK.
 * Errors: ES_ERR_INVALID: grid is NULL, or announced_ns is below 0.
 * Ownership: config is copied.
 * Threads: one per grid.
 */
ES_API es_result es_grid_init(es_grid *grid, const es_grid_config *config);

/** Takes in a reading: a time at, or shortly after, a refresh.
 *
 * grid: initialised.
 * at_ns: on a clock that does not leap; one that is not after the last is passed over. A span of
 *   over 10 s without any starts the search anew.
 * Returns: nothing; see grid->state. A lock is lost when one reading in eight of the last some
 *   thirty does not fit.
 * Errors: none.
 * Ownership: keeps nothing.
 * Threads: one per grid.
 * Source: our own. That the lower edge of one-sided delays tells a clock's rate is known from
 *   network time (S. Moon, P. Skelly, D. Towsley, "Estimation and Removal of Clock Skew from
 *   Network Delay Measurements", INFOCOM 1999).
 */
ES_API void es_grid_add(es_grid *grid, int64_t at_ns);

/** The number of the last refresh at or before an instant.
 *
 * grid: locked.
 * at_ns: on the same clock.
 * Returns: its number, from any origin that stays while the grid is locked; 0 where it is not.
 * Errors: none.
 * Ownership: keeps nothing.
 * Threads: one per grid.
 */
ES_API int64_t es_grid_index(const es_grid *grid, int64_t at_ns);

/** When a refresh is.
 *
 * grid: locked.
 * index: as es_grid_index counts.
 * Returns: its time, rounded down; 0 where the grid is not locked.
 * Errors: none; times that do not fit are cut to the range.
 * Ownership: keeps nothing.
 * Threads: one per grid.
 */
ES_API int64_t es_grid_time_ns(const es_grid *grid, int64_t index);
ES_API void es_grid_shift(es_grid *grid, int64_t by_ns);
ES_API void es_grid_drop(es_grid *grid);
ES_API int64_t es_grid_uncertain_ns(const es_grid *grid, int64_t at_ns);

#ifdef __cplusplus
}
#endif

#endif
