/* SPDX-License-Identifier: Zlib
 *
 * Two stages. A search fits lines through the last readings, from several guesses, and takes the
 * one that they scatter least about, in periods. From then on the grid is the line under the
 * readings: of the lower convex hull of the earliest readings, the edge over their middle, which
 * among all lines below them has the least space between (the linear programme of Moon et al.).
 */
#include "evenstep/grid.h"

#include "evenstep/time.h"

#include <string.h>

/* Readings may be a little early: the edge is not yet where it will be. In periods; and when many
 * have been taken in. */
#define EARLY        0.12
#define EARLY_LATER  0.03
#define LATER_COUNT  128

/* Later than that is no lateness: with the wrong period readings are anywhere. */
#define LATE 0.82

/* So much of the readings may be strange before the lock is lost; a mean over STRANGE_OVER. */
#define STRANGE_MOST 0.12
#define STRANGE_OVER 32.0

/* The earliest readings are of at most so much time each: 48 of them are twelve seconds. */
#define EDGE_SPAN_NS 250e6

#define PAUSE_MAX_NS INT64_C(10000000000)

/* A search asks for the more readings the more they scatter, or chance would find a grid. */
enum { SEARCH_LEAST = 12, SEARCH_EVERY = 4, GUESSES = 9, VARIES_LEAST = 32, LAG = 8 };

/* While locked: how often it is asked whether it still is one, and which readings tell. */
enum { CHECK_EVERY = 16, CHECKED = 24 };

/* The earliest of CHECKED readings may be so far above the edge, in periods or of their scatter. */
#define DRIFT_MOST 0.04
#define DRIFT_OF_SPREAD 0.5

typedef struct line {
    double period_ns;
    double lowest_ns; /* of the readings, from the line through the first */
    double spread;    /* from the lowest to the highest but one in twenty, in periods */
    double adding_up; /* 1: what readings are off by is each one's own; up to LAG: it adds up */
} line;

static double larger(double a, double b)
{
    return a > b ? a : b;
}

static int64_t whole_below(double x)
{
    int64_t whole = (int64_t)x;
    return (double)whole > x ? whole - 1 : whole;
}

static void sort(double *numbers, int32_t n)
{
    for (int32_t i = 1; i < n; ++i) {
        double number = numbers[i];
        int32_t k = i;
        for (; k > 0 && numbers[k - 1] > number; --k) {
            numbers[k] = numbers[k - 1];
        }
        numbers[k] = number;
    }
}

es_result es_grid_init(es_grid *grid, const es_grid_config *config)
{
    if (grid == NULL || (config != NULL && config->announced_ns < 0)) {
        return ES_ERR_INVALID;
    }
    es_grid fresh = {0};
    if (config != NULL) {
        fresh.config = *config;
    }
    *grid = fresh;
    return ES_OK;
}

/* --- the search ------------------------------------------------------------------------------- */

/* On a grid a reading's lateness is its own: over eight intervals it changes no more than over one.
 * Where each interval is as long as it happens to be, it adds up. */
static double adding_up(const double *off_ns, int32_t n)
{
    double one = 0, lag = 0;
    for (int32_t i = 1; i < n; ++i) {
        double change_ns = off_ns[i] - off_ns[i - 1];
        one += change_ns * change_ns / (n - 1);
    }
    for (int32_t i = LAG; i < n; ++i) {
        double change_ns = off_ns[i] - off_ns[i - LAG];
        lag += change_ns * change_ns / (n - LAG);
    }
    return n >= VARIES_LEAST && one > 0 ? lag / one : 1;
}

/* The mean line through the readings so far, after each; numbers them as it goes. A guess that is
 * off by a few per cent is mended before it is off by half a period. */
static line fit(const es_grid *grid, double guess_ns)
{
    double index[ES_GRID_RECENT] = {0}, over_ns[ES_GRID_RECENT] = {0};
    double n = 1, sum_k = 0, sum_kk = 0, sum_y = 0, sum_ky = 0, start_ns = 0;
    line found = {.period_ns = guess_ns};
    for (int32_t i = 1; i < grid->recent_count; ++i) {
        double y = (double)(grid->recent_ns[i] - grid->recent_ns[0]);
        double k = (double)whole_below((y - start_ns) / found.period_ns + 0.5);
        k = larger(k, index[i - 1] + 1);
        index[i] = k;
        over_ns[i] = y;
        n += 1;
        sum_k += k;
        sum_kk += k * k;
        sum_y += y;
        sum_ky += k * y;
        double slope_ns = (n * sum_ky - sum_k * sum_y) / (n * sum_kk - sum_k * sum_k);
        double trust = i < 9 ? (double)(i - 1) / 8 : 1; /* few readings say little about the slope */
        found.period_ns = guess_ns * (1 - trust) + slope_ns * trust;
        if (!(found.period_ns > 0)) {
            return (line){.spread = 1};
        }
        start_ns = (sum_y - found.period_ns * sum_k) / n;
    }
    for (int32_t i = 0; i < grid->recent_count; ++i) {
        over_ns[i] -= index[i] * found.period_ns;
    }
    found.adding_up = adding_up(over_ns, grid->recent_count);
    sort(over_ns, grid->recent_count);
    int32_t high = grid->recent_count - 1 - grid->recent_count / 20;
    found.lowest_ns = over_ns[0];
    found.spread = (over_ns[high] - over_ns[0]) / found.period_ns;
    return found;
}

/* The mean interval is right where no refresh is without a reading, the median where most are not;
 * and what is a little more or less, for they are off by the readings' lateness. */
static void guess(const es_grid *grid, double guesses_ns[GUESSES])
{
    static const double near_one[] = {0.93, 1.07, 0.97, 1.03, 0.86, 1.15};
    double spans_ns[ES_GRID_RECENT];
    int32_t last = grid->recent_count - 1;
    for (int32_t i = 0; i < last; ++i) {
        spans_ns[i] = (double)(grid->recent_ns[i + 1] - grid->recent_ns[i]);
    }
    sort(spans_ns, last);
    double median_ns = spans_ns[last / 2];
    guesses_ns[0] = (double)grid->config.announced_ns;
    guesses_ns[1] = (double)(grid->recent_ns[last] - grid->recent_ns[0]) / last;
    guesses_ns[2] = median_ns;
    for (size_t i = 0; i < sizeof near_one / sizeof near_one[0]; ++i) {
        guesses_ns[3 + i] = median_ns * near_one[i];
    }
}

static int32_t readings_needed(double spread)
{
    static const struct {
        double spread;
        int32_t readings;
    } needed[] = {{0.2, SEARCH_LEAST}, {0.35, 24}, {0.5, 40}, {LATE, ES_GRID_RECENT}};
    for (size_t i = 0; i < sizeof needed / sizeof needed[0]; ++i) {
        if (spread < needed[i].spread) {
            return needed[i].readings;
        }
    }
    return INT32_MAX;
}

/* --- the edge --------------------------------------------------------------------------------- */

/* How far a reading lies over the line. */
static double over(const es_grid *grid, es_grid_point point)
{
    double since_ns = (double)es_ns_sub(point.at_ns, grid->anchor.at_ns) - grid->anchor_ns;
    return since_ns - (double)(point.index - grid->anchor.index) * grid->period_ns;
}

static es_grid_point lower(const es_grid *grid, es_grid_point a, es_grid_point b)
{
    return over(grid, a) <= over(grid, b) ? a : b;
}

/* Whether b lies on or over the line from a to c. */
static bool is_over(es_grid_point a, es_grid_point b, es_grid_point c)
{
    double to_b = (double)(b.index - a.index), to_c = (double)(c.index - a.index);
    return (double)(b.at_ns - a.at_ns) * to_c >= (double)(c.at_ns - a.at_ns) * to_b;
}

static void lay_line(es_grid *grid)
{
    es_grid_point hull[ES_GRID_EDGE];
    int32_t count = 0;
    double middle = 0;
    const es_grid_point *edge = grid->edge;
    for (int32_t i = 0; i < grid->edge_count; ++i) {
        while (count >= 2 && is_over(hull[count - 2], hull[count - 1], edge[i])) {
            count -= 1;
        }
        hull[count++] = edge[i];
        middle += (double)(edge[i].index - edge[0].index) / grid->edge_count;
    }
    for (int32_t i = 1; i < count; ++i) {
        if ((double)(hull[i].index - edge[0].index) >= middle) {
            grid->period_ns = (double)(hull[i].at_ns - hull[i - 1].at_ns)
                              / (double)(hull[i].index - hull[i - 1].index);
            grid->anchor = hull[i];
            grid->anchor_ns = 0;
            return;
        }
    }
}

/* Room for another point: of two the lower stays, until each stands for a quarter of a second; from
 * then on the oldest goes. */
static void make_room(es_grid *grid)
{
    if (grid->edge_count < ES_GRID_EDGE) {
        return;
    }
    if (grid->edge_share * grid->period_ns < EDGE_SPAN_NS) {
        for (int32_t i = 0; i < ES_GRID_EDGE / 2; ++i) {
            grid->edge[i] = lower(grid, grid->edge[2 * i], grid->edge[2 * i + 1]);
        }
        grid->edge_count = ES_GRID_EDGE / 2;
        grid->edge_share *= 2;
    } else {
        memmove(grid->edge, grid->edge + 1, sizeof grid->edge - sizeof grid->edge[0]);
        grid->edge_count -= 1;
    }
}

static void add_to_edge(es_grid *grid, es_grid_point point)
{
    bool first = grid->edge_readings == 0;
    grid->earliest = first ? point : lower(grid, point, grid->earliest);
    grid->edge_readings += 1;
    grid->readings += 1;
    grid->last_index = point.index;
    if (grid->edge_readings < grid->edge_share) {
        return;
    }
    make_room(grid);
    grid->edge[grid->edge_count++] = grid->earliest;
    grid->edge_readings = 0;
    if (grid->edge_count >= 4) {
        lay_line(grid);
    }
}

/* The last refresh before a reading, which may be a little early. */
static int64_t index_of(const es_grid *grid, int64_t at_ns)
{
    double periods = over(grid, (es_grid_point){grid->anchor.index, at_ns}) / grid->period_ns;
    double early = grid->readings < LATER_COUNT ? EARLY : EARLY_LATER;
    return grid->anchor.index + whole_below(periods + early);
}

static void lock(es_grid *grid, const line *found)
{
    grid->state = ES_GRID_LOCKED;
    grid->locks += 1;
    grid->spread_ns = (int64_t)(found->spread * found->period_ns);
    grid->late_ns = grid->spread_ns / 2;
    grid->readings = 0;
    grid->period_ns = found->period_ns;
    grid->anchor = (es_grid_point){grid->last_index + 1, grid->recent_ns[0]};
    grid->anchor_ns = found->lowest_ns;
    grid->strange = 0;
    grid->edge_count = 0;
    grid->edge_share = 2;
    grid->edge_readings = 0;
    for (int32_t i = 0; i < grid->recent_count; ++i) {
        int64_t index = index_of(grid, grid->recent_ns[i]);
        if (i == 0 || index > grid->last_index) {
            add_to_edge(grid, (es_grid_point){index, grid->recent_ns[i]});
        }
    }
}

static void search(es_grid *grid)
{
    double guesses_ns[GUESSES];
    line best = {.spread = LATE};
    guess(grid, guesses_ns);
    for (int i = 0; i < GUESSES; ++i) {
        line found = guesses_ns[i] > 0 ? fit(grid, guesses_ns[i]) : best;
        best = found.spread < best.spread ? found : best;
    }
    bool is_grid = grid->recent_count >= readings_needed(best.spread);
    if (best.adding_up > 2.5 && best.spread > 0.02) {
        grid->state = ES_GRID_VARIES;
        grid->until_search = ES_GRID_RECENT;
    } else if (is_grid) {
        lock(grid, &best);
    } else {
        grid->state = ES_GRID_SEARCHING;
    }
}

static void lose(es_grid *grid)
{
    grid->state = ES_GRID_SEARCHING;
    grid->period_ns = 0;
    grid->readings = 0;
    grid->recent_count = 0;
}

static void remember(es_grid *grid, int64_t at_ns)
{
    if (grid->recent_count == ES_GRID_RECENT) {
        memmove(grid->recent_ns, grid->recent_ns + 1, sizeof grid->recent_ns - sizeof at_ns);
        grid->recent_count -= 1;
    }
    grid->recent_ns[grid->recent_count++] = at_ns;
}

/* Keeps the newest readings alone, and searches among them. */
static void search_anew(es_grid *grid, int32_t kept)
{
    int64_t newest_ns[ES_GRID_RECENT];
    kept = kept < grid->recent_count ? kept : grid->recent_count;
    memcpy(newest_ns, grid->recent_ns + grid->recent_count - kept, (size_t)kept * sizeof newest_ns[0]);
    lose(grid);
    memcpy(grid->recent_ns, newest_ns, (size_t)kept * sizeof newest_ns[0]);
    grid->recent_count = kept;
    search(grid);
}

/* Whether the newest readings have left the edge, and whether they keep to a coarser one: where all
 * of the last are whole multiples of several refreshes apart, those are what refreshes. */
static void check(es_grid *grid)
{
    double lowest = 1, highest = 0;
    int64_t shared = 0, before = 0;
    int32_t from = grid->recent_count - CHECKED;
    for (int32_t i = 0; i < grid->recent_count; ++i) {
        int64_t index = index_of(grid, grid->recent_ns[i]);
        if (i >= from) {
            double late = over(grid, (es_grid_point){index, grid->recent_ns[i]}) / grid->period_ns;
            lowest = late < lowest ? late : lowest;
            highest = larger(late, highest);
        }
        for (int64_t apart = i > 0 ? index - before : 0; apart != 0;) {
            int64_t rest = shared % apart;
            shared = apart;
            apart = rest;
        }
        before = index;
    }
    if (from < 0) {
        return;
    }
    line now = fit(grid, grid->period_ns);
    grid->spread_ns = (int64_t)(now.spread * grid->period_ns);
    grid->late_ns = grid->spread_ns / 2;
    if (lowest > larger(DRIFT_MOST, DRIFT_OF_SPREAD * (highest - lowest))) {
        search_anew(grid, CHECKED);
    } else if (grid->recent_count == ES_GRID_RECENT && (shared > 1 || (now.adding_up > 4 && now.spread > 0.02))) {
        search_anew(grid, ES_GRID_RECENT);
    }
}

static void follow(es_grid *grid, int64_t at_ns)
{
    es_grid_point point = {index_of(grid, at_ns), at_ns};
    double late = over(grid, point) / grid->period_ns;
    bool strange = late > LATE || point.index <= grid->last_index;
    grid->strange += ((strange ? 1 : 0) - grid->strange) / STRANGE_OVER;
    if (grid->strange > STRANGE_MOST) {
        lose(grid);
    } else if (point.index > grid->last_index) {
        add_to_edge(grid, point);
        grid->until_search -= 1;
        if (grid->until_search <= 0) {
            grid->until_search = CHECK_EVERY;
            check(grid);
        }
    }
}

void es_grid_add(es_grid *grid, int64_t at_ns)
{
    if (grid->recent_count > 0) {
        int64_t span_ns = es_ns_sub(at_ns, grid->recent_ns[grid->recent_count - 1]);
        if (span_ns <= 0) {
            return;
        }
        if (span_ns > PAUSE_MAX_NS) {
            lose(grid);
        }
    }
    remember(grid, at_ns);
    if (grid->state == ES_GRID_LOCKED) {
        follow(grid, at_ns);
        return;
    }
    grid->until_search -= 1;
    if (grid->recent_count >= SEARCH_LEAST && grid->until_search <= 0) {
        grid->until_search = SEARCH_EVERY;
        search(grid);
    }
}

/* --- what is asked ---------------------------------------------------------------------------- */

int64_t es_grid_index(const es_grid *grid, int64_t at_ns)
{
    if (grid->state != ES_GRID_LOCKED) {
        return 0;
    }
    double periods = over(grid, (es_grid_point){grid->anchor.index, at_ns}) / grid->period_ns;
    return grid->anchor.index + whole_below(periods);
}

int64_t es_grid_time_ns(const es_grid *grid, int64_t index)
{
    if (grid->state != ES_GRID_LOCKED) {
        return 0;
    }
    double since_ns = grid->anchor_ns + (double)(index - grid->anchor.index) * grid->period_ns;
    return es_ns_add(grid->anchor.at_ns, whole_below(since_ns));
}

void es_grid_shift(es_grid *grid, int64_t by_ns)
{
    for (int i = 0; i < grid->recent_count; ++i) grid->recent_ns[i] += by_ns;
    for (int i = 0; i < grid->edge_count; ++i) grid->edge[i].at_ns += by_ns;
    grid->earliest.at_ns += by_ns;
    grid->anchor.at_ns += by_ns;
}
void es_grid_drop(es_grid *grid) { lose(grid); }
int64_t es_grid_uncertain_ns(const es_grid *grid, int64_t at_ns)
{
    return (at_ns - grid->recent_ns[grid->recent_count - 1]) / 100000 + grid->spread_ns / 10;
}
