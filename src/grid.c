/* SPDX-License-Identifier: Zlib
 *
 * A search finds a line in the newest readings (grid_search.c); from then on the grid is the line
 * under all of them (grid_edge.c). It is doubted when readings stop keeping to it. Then the newest
 * are searched, and what is found there takes its place, or nothing is and the lock is lost; or it
 * is the same. Where the caller knows better (es_grid_walk) readings are followed without a line
 * (grid_walk.c).
 */
#include "grid_parts.h"

#include <string.h>

/* Later than that, in periods, is no lateness: with the wrong period readings are anywhere. */
#define LATE 0.82

/* After a pause so long, and of so many periods, the phase is asked for; but not where it is short
 * and the phase surely known. A search takes no readings with such a pause between them. */
#define PAUSE_NS        INT64_C(250000000)
#define PAUSE_PERIODS   8
#define PAUSE_SHORT_NS  INT64_C(2000000000)
#define PAUSE_SEARCH_NS INT64_C(500000000)

/* Doubles hold every whole number of nanoseconds up to here and farther: 46 days. */
#define EXACT_NS 4e15

/* A lock is doubted for such shares of unusual readings, of early ones, and of impossible ones; for
 * the last where readings scatter so widely, in periods, that hardly any is unusual. */
#define ODD_MOST        0.4
#define ODD_EARLY_MOST  0.15
#define IMPOSSIBLE_MOST 0.05
#define SCATTERED       0.25

/* Or for so many in a row over the edge by more than this: half a second's, one or two dozen. */
#define LIFTED_LEAST    0.015 /* periods, or else: */
#define LIFTED_LEAST_NS 250e3
#define LIFTED_NS       500e6
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

/* Readings after a lock: until there are so many its line is a rough one, and may be drawn anew;
 * until then all lateness is usual; a lock that came so far was one. */
enum { FRESH = 128, YOUNG = 64, OLD = 192 };

/* Readings that a search takes: without a period to try, with one, with one that is known but for
 * its phase; then it is another one. After a loss fewer and fewer of the newest are tried, too. */
enum { LEAST = 13, GUESS_LEAST = 6, REGAIN_LEAST = 5, REGAIN_MOST = 64, CHANGED = 64 };

/* Readings between searches that find nothing; so many locks that do not last count. */
enum { REST = 8, REST_VARIES = 16, WARY_MOST = 4 };

/* A hidden grid: how exactly it fits, for each of its refreshes; over how much of its period
 * readings may spread; how many refreshes there may be to one that was found, and of those to a
 * reading. */
#define HIDDEN_EXACT  0.005
#define HIDDEN_EVEN   1.1
#define HIDDEN_SPREAD 0.6
#define HIDDEN_MOST   8

/* Readings by which refreshes are told from those between; that means are of; that classes are of,
 * before half of them are forgotten; from look to look; back in time before they are believed. */
enum { NUMBERED = 32, NOTED = 64, CLASSED = 256, LOOK_EVERY = 16, BACKWARD_MOST = 8 };

es_result es_grid_init(es_grid *grid, const es_grid_config *config)
{
    if (grid == NULL || (config != NULL && config->announced_ns < 0)) {
        return ES_ERR_INVALID;
    }
    es_grid fresh = {0};
    if (config != NULL) {
        double announced_ns = (double)config->announced_ns;
        fresh.config = *config;
        if (announced_ns >= ES_GRID_PERIOD_LEAST_NS && announced_ns <= ES_GRID_PERIOD_MOST_NS) {
            fresh.guess_ns = announced_ns;
        }
    }
    *grid = fresh;
    return ES_OK;
}

/* ---- lateness ---- */

/* Classes are a quarter of an octave each, from 512 ns up: a double's exponent and two bits. */
enum { CLASS_OF_FIRST = (1023 + 9) * 4 };

static int32_t class_of(double ns)
{
    uint64_t bits;
    memcpy(&bits, &ns, sizeof bits);
    int32_t number = ns > 0 ? (int32_t)(bits >> 50) - CLASS_OF_FIRST + 1 : 0;
    return number < 0 ? 0 : number >= ES_GRID_CLASSES ? ES_GRID_CLASSES - 1 : number;
}

static double class_begins_ns(int32_t number)
{
    uint64_t bits = (uint64_t)(number - 1 + CLASS_OF_FIRST) << 50;
    double ns;
    memcpy(&ns, &bits, sizeof ns);
    return number > 0 ? ns : 0;
}

static void note_class(es_grid_lateness *late, double late_ns)
{
    late->classes[class_of(late_ns)] += 1;
    late->classed += 1;
    if (late->classed >= CLASSED) {
        late->classed = 0;
        for (int32_t i = 0; i < ES_GRID_CLASSES; ++i) {
            late->classes[i] /= 2;
            late->classed += late->classes[i];
        }
    }
}

/* The variance lags by one reading: what is far off changes twice, there and back. */
static void note_lateness(es_grid_lateness *late, double late_ns)
{
    note_class(late, late_ns);
    double share = 1.0 / NOTED;
    if (late->noted < NOTED) {
        late->noted += 1;
        share = 1.0 / late->noted;
    }
    double change = late->noted > 1 ? late_ns - late->last_ns : 0;
    double off = late->noted > 1 ? late->last_ns - late->mean_ns : 0;
    late->mean_ns += (late_ns - late->mean_ns) * share;
    late->variance += (off * off - late->variance) * share;
    late->change += (change * change - late->change) * share;
    late->last_ns = late_ns;
}

/* What such shares of the newest readings are within; they rise. */
static void quantiles(const es_grid_lateness *late, const double *shares, double *ns, int32_t n)
{
    double below = 0;
    int32_t next = 0;
    for (int32_t i = 0; i < ES_GRID_CLASSES && next < n; ++i) {
        double here = late->classes[i];
        for (; next < n && here > 0 && below + here >= shares[next] * late->classed; ++next) {
            double part = (shares[next] * late->classed - below) / here;
            double begin_ns = class_begins_ns(i);
            ns[next] = begin_ns + (class_begins_ns(i + 1) - begin_ns) * part;
        }
        below += here;
    }
}

static void sum_up_lateness(es_grid *grid)
{
    static const double shares[] = {0.5, 0.95, 0.98};
    es_grid_lateness *late = &grid->lateness;
    double ns[] = {0, 0, 0};
    quantiles(late, shares, ns, 3);
    grid->late_ns = es_grid_whole_below(ns[0]);
    grid->spread_ns = es_grid_whole_below(ns[1]);
    double usual = es_grid_smaller(ns[2] / grid->period_ns, 0.9);
    if (grid->readings > YOUNG) { /* what is unusual may not make itself usual */
        usual = es_grid_smaller(usual, 1.1 * late->usual + 0.002);
    }
    late->usual = usual;
    grid->late_most_ns = es_grid_smaller(1.5 * usual + 0.02, LATE) * grid->period_ns;
}

/* ---- lock and loss ---- */

static void forget_doubts(es_grid *grid)
{
    grid->doubt = 0;
    grid->routine = false;
    grid->calm = 0;
    grid->lifted = 0;
    grid->odd = 0;
    grid->odd_early = 0;
    grid->impossible = 0;
}

static void forget_readings(es_grid *grid, int32_t kept)
{
    grid->usable = kept < grid->usable ? kept : grid->usable;
    grid->search.count = 0;
    grid->attempts = 0;
    grid->rest = 0;
}

/* A lock that did not last is no recommendation for the next. */
static void learn(es_grid *grid)
{
    if (grid->readings >= OLD) {
        grid->wary = 0;
    } else if (grid->wary < WARY_MOST) {
        grid->wary += 1;
    }
}

static void lose(es_grid *grid, es_grid_state state, int32_t kept)
{
    grid->changed = grid->readings >= OLD ? CHANGED : 0;
    grid->state = state;
    grid->walks = false;
    grid->period_ns = 0;
    grid->readings = 0;
    grid->late_ns = 0;
    grid->spread_ns = 0;
    grid->uncertain_ppm = 0;
    grid->regaining = false;
    forget_doubts(grid);
    forget_readings(grid, kept);
}

static void take_in(es_grid *grid, int64_t at_ns);

/* Takes in again all readings from number `first` on, the first of them for this refresh. */
static void replay(es_grid *grid, int64_t first, int64_t first_index)
{
    grid->last_index = es_ns_sub(first_index, 1);
    forget_doubts(grid);
    for (int64_t i = first; i < grid->taken; ++i) {
        take_in(grid, es_grid_reading(grid, i));
    }
    forget_doubts(grid);
    forget_readings(grid, 0);
}

/* Takes a line for the grid. */
static void take_line(es_grid *grid, const es_grid_line *line, int64_t first, int64_t first_index)
{
    es_grid_lateness unknown = {.usual = line->spread};
    grid->state = ES_GRID_LOCKED;
    grid->walks = false;
    grid->regaining = false;
    grid->guess_ns = 0;
    grid->period_ns = line->period_ns;
    grid->lateness = unknown;
    grid->late_most_ns = LATE * grid->period_ns;
    es_grid_edge_start(grid, line);
    grid->anchor.at_ns = line->at_ns;
    double before = es_grid_periods(grid, es_grid_reading(grid, first));
    grid->anchor.index = es_ns_sub(first_index, es_grid_whole_below(before + grid->early));
    grid->replaying = true;
    replay(grid, first, first_index);
    grid->replaying = false;
    es_grid_edge_lay(grid);
    sum_up_lateness(grid);
}

/* How many refreshes of such a period there are to one of this line, or 1. Were it so, and were
 * readings not kept from it, they would have come a refresh sooner. */
static double refreshes_to(const es_grid *grid, const es_grid_line *line, double period_ns)
{
    if (!(period_ns >= ES_GRID_PERIOD_LEAST_NS) || line->period_ns - period_ns >= grid->hidden_ns) {
        return 1;
    }
    double ratio = line->period_ns / period_ns;
    double whole = (double)es_grid_whole_below(ratio + 0.5);
    double off = ratio - whole;
    bool fits = off < HIDDEN_EXACT * whole && off > -HIDDEN_EXACT * whole;
    return fits && line->spread * whole < HIDDEN_SPREAD && whole <= HIDDEN_MOST ? whole : 1;
}

/* What was known and what is found may both be coarse: in steps of 2 and 3 refreshes, say. Where
 * readings come in several steps the line is as fine as it gets. */
static double refreshes_hidden(const es_grid *grid, const es_grid_line *line, int64_t first)
{
    int64_t last_ns = es_grid_reading(grid, grid->taken - 1);
    double span_ns = (double)es_ns_sub(last_ns, es_grid_reading(grid, first));
    double steps = (double)(grid->taken - 1 - first);
    if (span_ns > steps * HIDDEN_EVEN * line->period_ns) {
        return 1;
    }
    double whole = refreshes_to(grid, line, grid->known_ns);
    double halves = refreshes_to(grid, line, grid->known_ns / 2);
    if (whole > 1) {
        return whole;
    }
    if (halves == 3 || halves == 5 || halves == 7) {
        return halves;
    }
    return refreshes_to(grid, line, (double)grid->config.announced_ns);
}

static void lock(es_grid *grid, const es_grid_line *found, int64_t first)
{
    es_grid_numbers none = {0};
    es_grid_line line = *found;
    double whole = refreshes_hidden(grid, found, first);
    line.period_ns /= whole;
    line.spread *= whole;
    grid->hides = (int32_t)whole;
    grid->locks += 1;
    grid->readings = 0;
    grid->numbers = none;
    grid->fine = whole > 1; /* readings on every second refresh prove nothing */
    take_line(grid, &line, first, es_ns_add(grid->last_index, 1));
}

/* A better line for the same grid. How readings were late for long is still known. */
static void mend(es_grid *grid, const es_grid_line *line, int64_t first, double off_ns)
{
    int64_t readings = grid->readings;
    es_grid_lateness before = grid->lateness;
    double periods = es_grid_periods(grid, es_grid_reading(grid, first)) - off_ns / grid->period_ns;
    int64_t steps = es_grid_whole_below(periods + grid->early);
    take_line(grid, line, first, es_ns_add(grid->anchor.index, steps));
    grid->readings = readings;
    grid->lateness.noted = before.noted;
    grid->lateness.mean_ns = before.mean_ns - off_ns;
    grid->lateness.variance = before.variance;
    grid->lateness.change = before.change;
}

/* After a pause the newest readings are on this phase. The old edge is put right before them. Where
 * its phase is better known than by these few readings, it stays, and is moved later if it must. */
static void regain(es_grid *grid, const es_grid_line *line)
{
    int64_t first = grid->taken - grid->usable;
    grid->period_ns = line->period_ns; /* it was 0 where the lock was lost */
    es_grid_edge_close(grid);
    int64_t steps = es_grid_whole_below(es_grid_periods(grid, line->at_ns) + 0.5);
    es_grid_point point = {es_ns_add(grid->anchor.index, steps), line->at_ns};
    double off_ns = es_grid_over(grid, point);
    double error_ns = es_grid_edge_error(grid, line->at_ns);
    double few_ns = 4 * grid->lateness.mean_ns / grid->usable;
    double latest_ns = error_ns + grid->early_ns + (double)grid->kept_spread_ns;
    bool fits = off_ns < latest_ns && off_ns > -error_ns - grid->early_ns;
    bool keeps = grid->state == ES_GRID_LOCKED && fits;
    grid->locks += keeps ? 0 : 1;
    grid->regained_ns = few_ns;
    if (keeps && error_ns < few_ns) {
        off_ns = es_grid_smaller(off_ns, 0);
        grid->regained_ns = error_ns;
    }
    double before_ns = (double)es_ns_sub(es_grid_reading(grid, first), line->at_ns);
    int64_t before = es_grid_whole_below(before_ns / grid->period_ns + 0.5);
    int64_t first_index = es_ns_add(point.index, before);
    int64_t last = grid->edge[grid->edge_count - 1].index;
    int64_t by_index = es_ns_sub(es_ns_sub(first_index, 1), last);
    double by_ns = (double)by_index * grid->period_ns + off_ns;
    es_grid_edge_move(grid, INT64_MAX, by_index, es_grid_whole_below(by_ns + 0.5));
    grid->settled_index = first_index;
    grid->edge_end = first_index;
    grid->state = ES_GRID_LOCKED;
    grid->regaining = false;
    grid->guess_ns = 0;
    grid->settling = 1;
    grid->lowest_ns = grid->period_ns;
    es_grid_edge_set_bounds(grid, line->at_ns);
    replay(grid, first, first_index);
}

/* ---- what is found ---- */

/* A search is to look at `least` readings, from the newest `kept` on. */
static void doubt(es_grid *grid, int32_t kept, int32_t least)
{
    if ((grid->doubt == 0 || grid->routine) && !grid->replaying) {
        grid->doubt = least;
        grid->routine = false;
        grid->doubt_ns = es_grid_reading(grid, grid->taken - 1);
        grid->usable = grid->unbroken;
        forget_readings(grid, kept);
    }
}

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
    d.slant_ns = (ratio - d.whole) * span_ns / es_grid_larger(d.whole, 1);
    d.slant_ns = d.slant_ns < 0 ? -d.slant_ns : d.slant_ns;
    d.slant_most_ns = 30 * d.spread_ns / found->count + grid->edge_error_rate * span_ns + 2000;
    double periods = es_grid_periods(grid, line->at_ns);
    d.off_ns = (periods - (double)es_grid_whole_below(periods + 0.5)) * grid->period_ns;
    d.clear = line->spread < CLEARLY_LESS * es_grid_spread(grid, found->first, found->count);
    return d;
}

/* Whether what was found for a locked grid is the same; if so the edge may have to be moved, or to
 * be drawn anew. */
static bool is_same(es_grid *grid, const es_grid_search *found, const difference *d)
{
    bool fresh = grid->readings < (grid->lateness.usual > SCATTERED ? 3 * FRESH : FRESH);
    bool mends = d->whole < 2 && (fresh || (d->clear && grid->readings <= 3 * FRESH));
    double off_most_ns = (mends ? 0.25 : 0.1) * grid->period_ns;
    if (d->whole < 1 || (d->whole > 1 && !grid->fine)
            || d->slant_ns > (mends ? 3 : 1) * d->slant_most_ns || d->off_ns > off_most_ns
            || d->off_ns < -off_most_ns) {
        return false;
    }
    bool earlier = d->off_ns < -grid->early_ns;
    bool later = d->off_ns > grid->early_ns && d->off_ns > 2 * d->spread_ns;
    bool differs = d->clear || earlier || later || d->slant_ns > d->slant_most_ns;
    if ((later || (mends && differs)) && found->count < LIFTED_MOST) {
        grid->calm = LIFTED_MOST - LIFTED_FEW; /* to be seen again, with more readings */
    } else if (mends && differs) {
        mend(grid, &found->best, found->first, d->off_ns);
    } else if (earlier || later) {
        int64_t by_ns = es_grid_whole_below(d->off_ns);
        es_grid_edge_move(grid, INT64_MAX, 0, by_ns);
        grid->earliest.at_ns = es_ns_add(grid->earliest.at_ns, by_ns);
    } else {
        grid->calm = CALM;
    }
    return true;
}

/* Where readings scatter widely, what they are late by must still not add up. */
static bool wanders(const es_grid *grid)
{
    const es_grid_lateness *late = &grid->lateness;
    return late->noted == NOTED && late->usual > 0.3 && late->change < 1.2 * late->variance;
}

/* A doubted grid is no more found in the newest readings. Is it lost? */
static void doubt_more(es_grid *grid)
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
        learn(grid);
        lose(grid, ES_GRID_SEARCHING, ES_GRID_WINDOW);
    } else if (ends) {
        forget_doubts(grid);
        grid->calm = CALM;
    }
}

/* A line was found. It takes the place of a doubted grid where readings scatter clearly less about
 * it: a load makes them scatter, too. */
static void settle_on_found(es_grid *grid)
{
    es_grid_search found = grid->search;
    grid->search.count = 0;
    if (grid->state == ES_GRID_LOCKED) {
        difference d = compare(grid, &found);
        if (is_same(grid, &found, &d)) {
            int32_t calm = grid->calm, lifted = grid->lifted;
            grid->regaining = false;
            forget_doubts(grid);
            forget_readings(grid, 0);
            grid->calm = calm;
            grid->lifted = calm > 0 ? lifted : 0;
            return;
        }
        if (!d.clear) {
            doubt_more(grid);
            return;
        }
        learn(grid);
    }
    lock(grid, &found.best, found.first);
}

static void find_nothing(es_grid *grid)
{
    int32_t count = grid->search.count;
    grid->search.count = 0;
    if (grid->state == ES_GRID_LOCKED) {
        doubt_more(grid);
    } else if (count >= 64) {
        bool even = es_grid_is_even(grid, count);
        grid->state = even ? ES_GRID_VARIES : ES_GRID_SEARCHING;
        grid->rest = even ? REST_VARIES : REST;
    }
}

/* How many of the newest readings to search next: all, and fewer in turn, for the oldest may be
 * another grid's. Where one was known for long, it ended at some moment: then any number. */
static int32_t next_window(es_grid *grid)
{
    static const int32_t counts[] = {14, 24, 34, 48, 64};
    int32_t all = grid->usable < ES_GRID_WINDOW ? grid->usable : ES_GRID_WINDOW;
    int32_t fewer = 0; /* of counts */
    while (fewer < (int32_t)(sizeof counts / sizeof counts[0]) && counts[fewer] < all) {
        fewer += 1;
    }
    int32_t attempt = grid->attempts++;
    if (fewer == 0 || attempt % 2 == 0) {
        return all;
    }
    if (grid->state == ES_GRID_LOCKED || grid->changed > 0) {
        int32_t count = counts[attempt / 2 % fewer];
        count = count < grid->doubt ? grid->doubt : count;
        return count < all ? count : all;
    }
    return counts[fewer - 1] >= all / 2 ? counts[fewer - 1] : all;
}

/* Tries the period that is known, or guessed. */
static bool hunt_known(es_grid *grid)
{
    es_grid_line line;
    int32_t count = grid->usable;
    if (grid->regaining) {
        if (count > REGAIN_MOST) {
            grid->regaining = grid->state == ES_GRID_LOCKED; /* see doubt_more */
        } else if (count >= REGAIN_LEAST && es_grid_try_phase(grid, count, grid->guess_ns, &line)) {
            regain(grid, &line);
            return true;
        }
    } else if (grid->state != ES_GRID_LOCKED && grid->guess_ns > 0 && grid->wary == 0
               && count >= GUESS_LEAST && count <= LEAST
               && es_grid_try_period(grid, count, grid->guess_ns, &line)) {
        lock(grid, &line, grid->taken - count);
        return true;
    }
    return false;
}

static void hunt(es_grid *grid)
{
    if (hunt_known(grid)) {
        return;
    }
    if (grid->search.count == 0) {
        if (grid->rest > 0) {
            grid->rest -= 1;
            return;
        }
        if (grid->usable < LEAST) {
            return;
        }
        es_grid_search_begin(grid, next_window(grid));
        if (grid->routine) {
            return; /* no haste */
        }
    }
    es_grid_outcome outcome = es_grid_search_go_on(grid);
    if (outcome == ES_GRID_FOUND) {
        settle_on_found(grid);
    } else if (outcome == ES_GRID_NONE) {
        find_nothing(grid);
    }
}

/* ---- while locked ---- */

/* Where nearly all readings are on every second refresh, third, fifth or seventh, and always were,
 * those are what refreshes. */
static void note_number(es_grid *grid, int64_t index)
{
    es_grid_count(&grid->numbers, index);
    if (grid->numbers.count == NUMBERED) {
        es_grid_numbers none = {0};
        int32_t beside = es_grid_beside(&grid->numbers);
        grid->numbers = none;
        grid->fine = grid->fine || beside > 4;
        if (beside <= 1 && !grid->fine) {
            doubt(grid, NUMBERED, NUMBERED);
        }
    }
}

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
    double least_ns = es_grid_larger(0.004 * grid->period_ns, 100e3);
    return late->noted >= 48 && late->change < 0.5 * late->variance
           && late->variance > least_ns * least_ns && !keeps_edge(grid);
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

static void look(es_grid *grid)
{
    sum_up_lateness(grid);
    if (adds_up(grid)) {
        learn(grid);
        lose(grid, ES_GRID_VARIES, ES_GRID_WINDOW);
        grid->wary = grid->wary < 2 ? 2 : grid->wary;
    } else if (wanders(grid)) {
        doubt(grid, 64, 48);
    } else if (hangs(grid) && grid->calm == 0) {
        doubt(grid, 48, LIFTED_MOST);
        grid->routine = true;
    } else if ((grid->lateness.usual > WIDE || grid->readings <= 2 * FRESH)
               && grid->readings >= FRESH && (grid->readings & (grid->readings - 1)) == 0) {
        doubt(grid, 48, 48);
        grid->routine = true;
    }
}

static void ask_for_doubts(es_grid *grid)
{
    int32_t lifted = grid->lifted;
    if (grid->odd > ODD_MOST || grid->odd_early > ODD_EARLY_MOST) {
        doubt(grid, lifted > DOUBT_KEEPS ? lifted : DOUBT_KEEPS, lifted > LEAST ? lifted : LEAST);
    } else if (grid->impossible > IMPOSSIBLE_MOST && grid->lateness.usual > SCATTERED
               && grid->readings >= YOUNG) {
        doubt(grid, 32, LEAST);
    } else if (lifted >= LIFTED_FEW && lifted >= lifted_most(grid) && grid->calm == 0) {
        doubt(grid, lifted, lifted);
    } else if (grid->doubt == 0 && grid->readings % LOOK_EVERY == 0) {
        look(grid);
    }
}

/* A reading that is the first of its refresh. */
static void take_first(es_grid *grid, es_grid_point point, double over_ns, bool early)
{
    double lifted_ns = es_grid_smaller(LIFTED_LEAST * grid->period_ns, LIFTED_LEAST_NS);
    lifted_ns = es_grid_larger(lifted_ns, (double)grid->late_ns);
    grid->lifted = over_ns > lifted_ns ? grid->lifted + 1 : 0;
    grid->last_index = point.index;
    if (!grid->replaying) {
        note_number(grid, point.index);
    }
    if (grid->doubt == 0) {
        note_lateness(&grid->lateness, over_ns);
    }
    if (!early) {
        es_grid_edge_add(grid, point);
    }
}

/* One reading of a locked grid. */
static void take_in(es_grid *grid, int64_t at_ns)
{
    double since_ns = (double)es_ns_sub(at_ns, grid->anchor.at_ns);
    int64_t steps = es_grid_whole_below(since_ns / grid->period_ns + grid->early);
    es_grid_point point = {es_ns_add(grid->anchor.index, steps), at_ns};
    double over_ns = since_ns - (double)steps * grid->period_ns;
    bool again = point.index <= grid->last_index;
    bool early = over_ns < -grid->early_ns;
    bool impossible = again || early || over_ns > LATE * grid->period_ns;
    bool odd = impossible || over_ns > grid->late_most_ns;
    grid->odd += ((odd ? 1 : 0) - grid->odd) / 16;
    grid->odd_early += ((early ? 1 : 0) - grid->odd_early) / 16;
    grid->impossible += ((impossible ? 1 : 0) - grid->impossible) / 64;
    grid->calm -= grid->calm > 0 ? 1 : 0;
    if (!again) {
        take_first(grid, point, over_ns, early);
    }
    grid->readings += 1;
}

void es_grid_hide(es_grid *grid, int64_t known_ns, int64_t hidden_ns)
{
    grid->known_ns = (double)(known_ns > 0 ? known_ns : 0);
    grid->hidden_ns = (double)(hidden_ns > 0 ? hidden_ns : 0);
}

/* ---- while it walks ---- */

bool es_grid_walk(es_grid *grid)
{
    const es_grid_lateness unknown = {0};
    if (grid->state != ES_GRID_VARIES || !es_grid_walk_begin(grid)) {
        return grid->state == ES_GRID_LOCKED;
    }
    grid->state = ES_GRID_LOCKED;
    grid->hides = 1;
    grid->locks += 1;
    grid->readings = 0;
    grid->guess_ns = 0;
    grid->lateness = unknown;
    forget_doubts(grid);
    grid->search.count = 0;
    for (int32_t i = LEAST; i > 0; --i) { /* for a start, as if each were late by itself */
        int64_t before_ns = es_grid_reading(grid, grid->taken - 1 - i);
        double periods = (double)es_ns_sub(es_grid_reading(grid, grid->taken - i), before_ns);
        periods = periods / grid->period_ns + 0.25;
        double over = periods - (double)es_grid_whole_below(periods) - 0.25;
        note_lateness(&grid->lateness, es_grid_larger(over, 0) * grid->period_ns);
    }
    sum_up_lateness(grid);
    return true;
}

/* It may be a fixed grid by now. A walk is like one for a while: the whole window must say so. */
static void seek_fixed(es_grid *grid)
{
    if (grid->search.count == 0) {
        if (!es_grid_walk_seeks(grid)) {
            return;
        }
        grid->wary = WARY_MOST;
        es_grid_search_begin(grid, ES_GRID_WINDOW);
    }
    es_grid_outcome outcome = es_grid_search_go_on(grid);
    if (outcome != ES_GRID_GOES_ON) {
        es_grid_line line = grid->search.best;
        int64_t first = grid->search.first;
        grid->search.count = 0;
        if (outcome == ES_GRID_FOUND) {
            lock(grid, &line, first);
        }
    }
}

static void walk_on(es_grid *grid, int64_t at_ns)
{
    note_lateness(&grid->lateness, es_grid_walk_add(grid, at_ns));
    grid->readings += 1;
    if (grid->readings % LOOK_EVERY == 0) {
        sum_up_lateness(grid);
    }
    if (es_grid_walk_ends(grid)) {
        lose(grid, ES_GRID_SEARCHING, LEAST); /* another display: what was learnt is not of it */
        grid->wary = 0;
        grid->walk.wait = 0;
    } else {
        seek_fixed(grid);
    }
}

/* ---- readings ---- */

/* Readings come again after a pause, or on a clock that was set back. Where the extrapolated phase
 * is uncertain, the first of them are to tell it. */
static void come_again(es_grid *grid, int64_t at_ns, int64_t span_ns)
{
    if (grid->walks) {
        forget_readings(grid, 0);
        es_grid_walk_go_on(grid, at_ns, span_ns);
        return;
    }
    double error_ns = es_grid_edge_error(grid, at_ns);
    if (span_ns > 0 && span_ns < PAUSE_SHORT_NS && error_ns < grid->lateness.mean_ns / 8) {
        es_grid_edge_set_bounds(grid, at_ns);
        return;
    }
    grid->guess_ns = grid->period_ns;
    grid->kept_spread_ns = grid->spread_ns;
    if (grid->edge_count < 3 || error_ns > grid->period_ns / 6) {
        lose(grid, ES_GRID_SEARCHING, 0);
    }
    forget_doubts(grid);
    forget_readings(grid, 0);
    grid->regaining = grid->edge_count >= 3;
}

/* Whether a reading that is not after the last is to be believed. */
static bool is_set_back(es_grid *grid, int64_t at_ns)
{
    bool rises = grid->backward > 0 && at_ns > grid->backward_ns;
    grid->backward = rises ? grid->backward + 1 : 1;
    grid->backward_ns = at_ns;
    return grid->backward >= BACKWARD_MOST;
}

/* Remembers a reading; false: it is passed over. */
static bool remember(es_grid *grid, int64_t at_ns)
{
    bool locked = grid->state == ES_GRID_LOCKED;
    int64_t last_ns = es_grid_reading(grid, grid->taken - 1);
    int64_t span_ns = grid->taken > 0 ? es_ns_sub(at_ns, last_ns) : 1;
    if (span_ns <= 0 && !is_set_back(grid, at_ns)) {
        return false;
    }
    bool pauses = span_ns > (locked ? PAUSE_NS : PAUSE_SEARCH_NS)
                  && (double)span_ns > PAUSE_PERIODS * grid->period_ns;
    if (span_ns <= 0 || pauses) {
        grid->unbroken = 0;
        if (locked) {
            come_again(grid, at_ns, span_ns);
        } else {
            forget_readings(grid, 0);
        }
    }
    grid->backward = 0;
    grid->recent_ns[(uint64_t)grid->taken % ES_GRID_RECENT] = at_ns;
    grid->taken += 1;
    grid->usable += grid->usable < ES_GRID_RECENT ? 1 : 0;
    grid->unbroken += grid->unbroken < ES_GRID_RECENT ? 1 : 0;
    grid->changed -= grid->changed > 0 ? 1 : 0;
    return true;
}

void es_grid_add(es_grid *grid, int64_t at_ns)
{
    if (!remember(grid, at_ns)) {
        return;
    }
    if (grid->walks) {
        walk_on(grid, at_ns);
        return;
    }
    if (grid->state == ES_GRID_LOCKED && !grid->regaining) {
        take_in(grid, at_ns);
        if (grid->doubt == 0 || grid->routine) {
            ask_for_doubts(grid);
        }
    }
    if (grid->state != ES_GRID_LOCKED || grid->doubt > 0 || grid->regaining) {
        hunt(grid);
    }
}

/* ---- what is asked ---- */

/* A refresh is at this product, rounded up to whole nanoseconds: so an instant has reached the one
 * where it has reached the other. */
static bool has_reached(const es_grid *grid, int64_t steps, double since_ns)
{
    return (double)steps * grid->period_ns <= since_ns;
}

/* Refreshes from the anchor to an instant so near that doubles hold its nanoseconds exactly. The
 * quotient may be off by rounding, and is cut towards 0: by one at most. */
static int64_t steps_to(const es_grid *grid, double since_ns)
{
    int64_t steps = (int64_t)(since_ns / grid->period_ns);
    if (!has_reached(grid, steps, since_ns)) {
        return steps - 1;
    }
    return steps + (has_reached(grid, steps + 1, since_ns) ? 1 : 0);
}

int64_t es_grid_index(const es_grid *grid, int64_t at_ns)
{
    if (grid->state != ES_GRID_LOCKED) {
        return 0;
    }
    double since_ns = (double)es_ns_sub(at_ns, grid->anchor.at_ns);
    if (since_ns < EXACT_NS && since_ns > -EXACT_NS) {
        return es_ns_add(grid->anchor.index, steps_to(grid, since_ns));
    }
    int64_t steps = es_grid_whole_below(since_ns / grid->period_ns);
    int64_t index = es_ns_add(grid->anchor.index, steps);
    if (es_grid_time_ns(grid, index) > at_ns) { /* by a rounding error */
        return es_ns_sub(index, 1);
    }
    int64_t next = es_ns_add(index, 1);
    return es_grid_time_ns(grid, next) <= at_ns ? next : index;
}

int64_t es_grid_time_ns(const es_grid *grid, int64_t index)
{
    if (grid->state != ES_GRID_LOCKED) {
        return 0;
    }
    double before_ns = (double)es_ns_sub(grid->anchor.index, index) * grid->period_ns;
    if (before_ns > 4e18 || before_ns < -4e18) { /* it may be more than int64_t holds */
        int64_t half_ns = es_grid_whole_below(before_ns / 2);
        return es_ns_sub(es_ns_sub(grid->anchor.at_ns, half_ns), half_ns);
    }
    return es_ns_sub(grid->anchor.at_ns, es_grid_floor(before_ns));
}

int64_t es_grid_uncertain_ns(const es_grid *grid, int64_t at_ns)
{
    if (grid->state != ES_GRID_LOCKED) {
        return 0;
    }
    double error_ns = es_grid_edge_error(grid, at_ns);
    if (grid->doubt > 0 && !grid->routine) {
        error_ns = es_grid_larger(error_ns, grid->period_ns / 2);
    }
    return es_ns_add(es_grid_whole_below(error_ns), 1);
}

void es_grid_shift(es_grid *grid, int64_t by_ns)
{
    for (int32_t i = 0; i < ES_GRID_RECENT; ++i) {
        grid->recent_ns[i] = es_ns_add(grid->recent_ns[i], by_ns);
    }
    es_grid_edge_move(grid, INT64_MAX, 0, by_ns);
    grid->earliest.at_ns = es_ns_add(grid->earliest.at_ns, by_ns);
    grid->search.best.at_ns = es_ns_add(grid->search.best.at_ns, by_ns);
    grid->backward_ns = es_ns_add(grid->backward_ns, by_ns);
    grid->doubt_ns = es_ns_add(grid->doubt_ns, by_ns);
}

void es_grid_drop(es_grid *grid)
{
    if (grid->state == ES_GRID_LOCKED && !grid->walks) {
        grid->guess_ns = grid->period_ns;
    }
    grid->walk.wait = 0;
    lose(grid, ES_GRID_SEARCHING, 0);
    grid->changed = 0;
    grid->wary = 0;
}
