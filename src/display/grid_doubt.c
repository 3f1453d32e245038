/* SPDX-License-Identifier: Zlib
 *
 * A locked grid is doubted when readings stop keeping to it, and now and then where they scatter so
 * widely that little else would give a reason. Then the newest are searched (grid_hunt.c). What is
 * found there is the same grid, or takes its place; where nothing is, the lock may be lost.
 */
#include "grid_parts.h"

/* A lock is doubted for such shares of unusual readings, of early ones, and of impossible ones; for
 * the last where readings scatter so widely, in periods, that hardly any is unusual. */
#define ODD_MOST        0.4
#define ODD_EARLY_MOST  0.15
#define IMPOSSIBLE_MOST 0.05
#define SCATTERED       0.25

/* Or for so many in a row far over the edge: half a second's, one or two dozen. */
#define LIFTED_NS 500e6
enum { LIFTED_FEW = 12, LIFTED_MOST = 24 };

/* Or for a median of this much of what nearly all are within. And where readings scatter over more
 * than WIDE periods there is little to doubt it for: it is searched for anew after 128 of them,
 * 256, 512 and so on. */
#define HANGING 0.7
#define WIDE    0.4

/* A doubt looks back over so many readings. Another grid is one about which they scatter clearly
 * less, in periods. Without one the doubt ends after so many, or after this where it is strong;
 * then for a while it does not come back for lateness alone. */
#define CLEARLY_LESS 0.6
#define DOUBT_NS     INT64_C(400000000)
enum { DOUBT_KEEPS = 8, DOUBT_MOST = 48, DOUBT_SCATTERED = 96, CALM = 128 };

/* Until so many readings after a lock its line is a rough one, and may be drawn anew. */
enum { FRESH = 128 };

void es_grid_doubt(es_grid *grid, int32_t kept, int32_t least)
{
    if ((grid->doubt == 0 || grid->routine) && !grid->replaying) {
        grid->doubt = least;
        grid->routine = false;
        grid->doubt_ns = es_grid_reading(grid, grid->taken - 1);
        grid->usable = grid->unbroken;
        es_grid_forget_readings(grid, kept);
    }
}

void es_grid_forget_doubts(es_grid *grid)
{
    grid->doubt = 0;
    grid->routine = false;
    grid->calm = 0;
    grid->lifted = 0;
    grid->odd = 0;
    grid->odd_early = 0;
    grid->impossible = 0;
}

/* ---- why ---- */

/* Whether a quarter of the edge's points are on the line: a grid whose readings are late for a
 * while at a time. */
static bool keeps_edge(const es_grid *grid)
{
    double near_squared = 0.01 * grid->lateness.variance;
    int32_t on_it = 0;
    for (int32_t i = 0; i < grid->edge_count; ++i) {
        double over_ns = es_grid_over(grid, grid->edge[i]);
        on_it += over_ns * over_ns < near_squared;
    }
    return grid->edge_share >= 4 && grid->edge_count >= 12 && 4 * on_it >= grid->edge_count;
}

/* Readings of a grid are late each for itself; where they pace themselves, it adds up. */
static bool adds_up(const es_grid *grid)
{
    const es_grid_lateness *late = &grid->lateness;
    double least_ns = es__max_f64(0.004 * grid->period_ns, 100e3);
    return late->noted >= 48 && late->change < 0.5 * late->variance
           && late->variance > least_ns * least_ns && !keeps_edge(grid);
}

/* Where readings scatter widely, what they are late by must still not add up. */
static bool wanders(const es_grid *grid)
{
    const es_grid_lateness *late = &grid->lateness;
    return late->noted == ES_GRID_NOTED && late->usual > 0.3 && late->change < 1.2 * late->variance;
}

/* Half of all readings are over the median, so many in a row are not. */
static int32_t lifted_most(const es_grid *grid)
{
    double readings = LIFTED_NS / grid->period_ns;
    return readings > LIFTED_MOST  ? LIFTED_MOST
           : readings < LIFTED_FEW ? LIFTED_FEW
                                   : (int32_t)readings;
}

/* Most readings are late by nearly as much as any: then the line hangs from a reading that was
 * none of its refreshes'. (Half of them would be late by half as much, if at any time alike, or
 * less.) */
static bool hangs(const es_grid *grid)
{
    return grid->lateness.classed >= 32
           && (double)grid->late_ns > HANGING * (double)grid->spread_ns;
}

static void doubt_look(es_grid *grid)
{
    es_grid_lateness_sum_up(grid);
    if (adds_up(grid)) {
        es_grid_learn(grid);
        es_grid_lose(grid, ES_GRID_VARIES, ES_GRID_WINDOW);
        grid->wary = grid->wary < 2 ? 2 : grid->wary;
    } else if (wanders(grid)) {
        es_grid_doubt(grid, 64, 48);
    } else if (hangs(grid) && grid->calm == 0) {
        es_grid_doubt(grid, 48, LIFTED_MOST);
        grid->routine = true;
    } else if ((grid->lateness.usual > WIDE || grid->readings <= 2 * FRESH)
               && grid->readings >= FRESH && (grid->readings & (grid->readings - 1)) == 0) {
        es_grid_doubt(grid, 48, 48);
        grid->routine = true;
    }
}

void es_grid_ask_for_doubts(es_grid *grid)
{
    int32_t lifted = grid->lifted;
    if (grid->odd > ODD_MOST || grid->odd_early > ODD_EARLY_MOST) {
        es_grid_doubt(grid, lifted > DOUBT_KEEPS ? lifted : DOUBT_KEEPS,
                lifted > ES_GRID_SEARCH_LEAST ? lifted : ES_GRID_SEARCH_LEAST);
    } else if (grid->impossible > IMPOSSIBLE_MOST && grid->lateness.usual > SCATTERED
               && grid->readings >= ES_GRID_YOUNG) {
        es_grid_doubt(grid, 32, ES_GRID_SEARCH_LEAST);
    } else if (lifted >= LIFTED_FEW && lifted >= lifted_most(grid) && grid->calm == 0) {
        es_grid_doubt(grid, lifted, lifted);
    } else if (grid->doubt == 0 && grid->readings % ES_GRID_LOOK_EVERY == 0) {
        doubt_look(grid);
    }
}

/* ---- what comes of it ---- */

/* How a line that some readings keep to differs from that of the grid. */
typedef struct difference {
    double whole;         /* so many refreshes of the grid to one of the line */
    double slant_ns;      /* over the readings, whichever way ... */
    double slant_most_ns; /* ... and what that may be by chance */
    double off_ns;
    double spread_ns;
    bool clear; /* the readings scatter clearly less about the line */
} difference;

static difference compare(const es_grid *grid, const es_grid_search *found)
{
    const es_grid_line *line = &found->best;
    double ratio = line->period_ns / grid->period_ns;
    int64_t last_ns = es_grid_reading(grid, found->first + found->count - 1);
    double span_ns = (double)es_ns_sub(last_ns, es_grid_reading(grid, found->first));
    difference d = {.whole = (double)es_grid_whole_below(ratio + 0.5)};
    d.spread_ns = line->spread * line->period_ns;
    d.slant_ns = (ratio - d.whole) * span_ns / es__max_f64(d.whole, 1);
    d.slant_ns = d.slant_ns < 0 ? -d.slant_ns : d.slant_ns;
    d.slant_most_ns = 30 * d.spread_ns / found->count + grid->edge_error_rate * span_ns + 2000;
    double periods = es_grid_periods(grid, line->at_ns);
    d.off_ns = (periods - (double)es_grid_whole_below(periods + 0.5)) * grid->period_ns;
    d.clear = line->spread < CLEARLY_LESS * es_grid_spread(grid, found->first, found->count);
    return d;
}

/* Whether the line is as rough as one after a lock, so that a better one may take its place. */
static bool is_rough(const es_grid *grid, const difference *d)
{
    bool fresh = grid->readings < (grid->lateness.usual > SCATTERED ? 3 * FRESH : FRESH);
    return d->whole < 2 && (fresh || (d->clear && grid->readings <= 3 * FRESH));
}

/* Whether what was found for a locked grid is the same. */
static bool is_same(const es_grid *grid, const difference *d, bool rough)
{
    double off_most_ns = (rough ? 0.25 : 0.1) * grid->period_ns;
    return !(d->whole < 1 || (d->whole > 1 && !grid->fine)
             || d->slant_ns > (rough ? 3 : 1) * d->slant_most_ns || d->off_ns > off_most_ns
             || d->off_ns < -off_most_ns);
}

/* It is the same, but the edge may have to be moved, or to be drawn anew. */
static void put_right(es_grid *grid, const es_grid_search *found, const difference *d, bool rough)
{
    bool earlier = d->off_ns < -grid->early_ns;
    bool later = d->off_ns > grid->early_ns && d->off_ns > 2 * d->spread_ns;
    bool differs = d->clear || earlier || later || d->slant_ns > d->slant_most_ns;
    if ((later || (rough && differs)) && found->count < LIFTED_MOST) {
        grid->calm = LIFTED_MOST - LIFTED_FEW; /* to be seen again, with more readings */
    } else if (rough && differs) {
        es_grid_mend(grid, &found->best, found->first, d->off_ns);
    } else if (earlier || later) {
        int64_t by_ns = es_grid_whole_below(d->off_ns);
        es_grid_edge_move(grid, INT64_MAX, 0, by_ns);
        grid->earliest.at_ns = es_ns_add(grid->earliest.at_ns, by_ns);
    } else {
        grid->calm = CALM;
    }
}

/* The doubt is over; a calm that was given stays. */
static void believe_again(es_grid *grid)
{
    int32_t calm = grid->calm, lifted = grid->lifted;
    grid->regaining = false;
    es_grid_forget_doubts(grid);
    es_grid_forget_readings(grid, 0);
    grid->calm = calm;
    grid->lifted = calm > 0 ? lifted : 0;
}

void es_grid_doubt_unanswered(es_grid *grid)
{
    bool scattered = grid->lateness.usual > SCATTERED;
    int64_t span_ns = es_ns_sub(es_grid_reading(grid, grid->taken - 1), grid->doubt_ns);
    bool ends = grid->usable >= (scattered ? DOUBT_SCATTERED : DOUBT_MOST);
    bool strong = grid->impossible > 0.25 || (grid->odd > 0.5 && grid->impossible > 0.04);
    bool lost = ends && (strong || grid->impossible > 0.1 || wanders(grid));
    if (grid->regaining) {
        lost = ends;
    } else if (strong && span_ns > DOUBT_NS) {
        lost = true;
    }
    if (lost) {
        es_grid_learn(grid);
        es_grid_lose(grid, ES_GRID_SEARCHING, ES_GRID_WINDOW);
    } else if (ends) {
        es_grid_forget_doubts(grid);
        grid->calm = CALM;
    }
}

bool es_grid_doubt_answer(es_grid *grid, const es_grid_search *found)
{
    difference d = compare(grid, found);
    bool rough = is_rough(grid, &d);
    if (is_same(grid, &d, rough)) {
        put_right(grid, found, &d, rough);
        believe_again(grid);
        return false;
    }
    if (!d.clear) {
        es_grid_doubt_unanswered(grid);
        return false;
    }
    es_grid_learn(grid);
    return true;
}
