/* SPDX-License-Identifier: Zlib
 *
 * A line becomes the grid, and all readings that it was found in are taken in as its own; so are
 * those that come, until it is lost.
 */
#include "grid_parts.h"

/* A reading is far over the edge from here on, in periods or else in time. */
#define LIFTED_LEAST    0.015
#define LIFTED_LEAST_NS 250e3

/* A lock that lasted for so many readings was one. After it is lost the newest so many may still be
 * among those of another grid. */
enum { OLD = 192, CHANGED = 64 };

/* A share of odd readings that is less is none. It changes nothing that is decided; but left to
 * fade it would in the end be a number so small that processors are slow with it, for good. */
#define SHARE_LEAST 1e-30

/* Readings come again after the caller said when refreshes are: as if it had been this many, over
 * so much of a period at least. */
enum { STEERED = 64 };
#define STEERED_OVER 0.02

/* Such a part of what those scattered over the caller's line may be off more with each refresh that
 * passes: as if its period came of two readings that are so many refreshes apart. */
#define STEERED_RATE (1.0 / 1024)

/* Readings by which refreshes are told from those between. */
enum { NUMBERED = 32 };

/* A hidden grid: how exactly it fits, for each of its refreshes; over how much of its period
 * readings may spread; how many refreshes there may be to one that was found, and of those to a
 * reading. */
#define HIDDEN_EXACT  0.005
#define HIDDEN_EVEN   1.1
#define HIDDEN_SPREAD 0.6
#define HIDDEN_MOST   8

void es_grid_learn(es_grid *grid)
{
    if (grid->readings >= OLD) {
        grid->wary = 0;
    } else if (grid->wary < ES_GRID_WARY_MOST) {
        grid->wary += 1;
    }
}

void es_grid_lose(es_grid *grid, es_grid_state state, int32_t kept)
{
    grid->changed = grid->readings >= OLD ? CHANGED : 0;
    grid->state = state;
    grid->walks = false;
    grid->steered = false;
    grid->period_ns = 0;
    grid->readings = 0;
    grid->late_ns = 0;
    grid->spread_ns = 0;
    grid->uncertain_ppm = 0;
    grid->regaining = false;
    es_grid_forget_doubts(grid);
    es_grid_forget_readings(grid, kept);
}

/* ---- its readings ---- */

/* Where nearly all readings are on every second refresh, third, fifth or seventh, and always were,
 * those are what refreshes. Once they were not, it is not asked again. */
static void look_at_numbers(es_grid *grid)
{
    es_grid_numbers none = {0};
    int32_t beside = es_grid_beside(&grid->numbers);
    grid->numbers = none;
    grid->fine = beside > 4;
    if (beside <= 1) {
        es_grid_doubt(grid, NUMBERED, NUMBERED);
    }
}

static inline void note_number(es_grid *grid, int64_t index)
{
    es_grid_count(&grid->numbers, index);
    if (grid->numbers.count == NUMBERED) {
        look_at_numbers(grid);
    }
}

/* A reading that is the first of its refresh. */
static inline void take_first(es_grid *grid, const es_grid_point *point, double over_ns, bool early)
{
    double lifted_ns = es__min_f64(LIFTED_LEAST * grid->period_ns, LIFTED_LEAST_NS);
    lifted_ns = es__max_f64(lifted_ns, (double)grid->late_ns);
    grid->lifted = over_ns > lifted_ns ? grid->lifted + 1 : 0;
    grid->last_index = point->index;
    if (!grid->replaying && !grid->fine) {
        note_number(grid, point->index);
    }
    if (grid->doubt == 0) {
        es_grid_lateness_add(&grid->lateness, over_ns);
    }
    if (!early) {
        es_grid_edge_add(grid, point, over_ns);
    }
}

/* With one reading more, that is such a one or not. */
static double share_with(double share, bool is_one, double of)
{
    double now = share + ((is_one ? 1 : 0) - share) / of;
    return now > SHARE_LEAST ? now : 0;
}

static void note_odd(es_grid *grid, bool odd, bool early, bool impossible)
{
    grid->odd = share_with(grid->odd, odd, 16);
    grid->odd_early = share_with(grid->odd_early, early, 16);
    grid->impossible = share_with(grid->impossible, impossible, 64);
}

void es_grid_take_in(es_grid *grid, int64_t at_ns)
{
    double since_ns = (double)es_ns_sub(at_ns, grid->anchor.at_ns);
    int64_t steps = es_grid_whole_below(since_ns / grid->period_ns + grid->early);
    es_grid_point point = {es_ns_add(grid->anchor.index, steps), at_ns};
    double over_ns = since_ns - (double)steps * grid->period_ns;
    bool again = point.index <= grid->last_index;
    bool early = over_ns < -grid->early_ns;
    bool impossible = again || early || over_ns > ES_GRID_LATE * grid->period_ns;
    bool odd = impossible || over_ns > grid->late_most_ns;
    if (odd || grid->odd > 0 || grid->impossible > 0) {
        note_odd(grid, odd, early, impossible);
    }
    grid->calm -= grid->calm > 0 ? 1 : 0;
    if (!again) {
        take_first(grid, &point, over_ns, early);
    }
    grid->readings += 1;
}

/* ---- a line becomes the grid ---- */

/* Takes in again all readings from number `first` on, the first of them for this refresh. */
static void replay(es_grid *grid, int64_t first, int64_t first_index)
{
    grid->last_index = es_ns_sub(first_index, 1);
    es_grid_forget_doubts(grid);
    for (int64_t i = first; i < grid->taken; ++i) {
        es_grid_take_in(grid, es_grid_reading(grid, i));
    }
    es_grid_forget_doubts(grid);
    es_grid_forget_readings(grid, 0);
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
    grid->late_most_ns = ES_GRID_LATE * grid->period_ns;
    es_grid_edge_start(grid, line);
    grid->anchor.at_ns = line->at_ns;
    double before = es_grid_periods(grid, es_grid_reading(grid, first));
    grid->anchor.index = es_ns_sub(first_index, es_grid_whole_below(before + grid->early));
    grid->replaying = true;
    replay(grid, first, first_index);
    grid->replaying = false;
    es_grid_edge_lay(grid);
    es_grid_lateness_sum_up(grid);
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

bool es_grid_steer(es_grid *grid, int64_t index, int64_t at_ns, double period_ns)
{
    bool fits = period_ns >= ES_GRID_PERIOD_LEAST_NS && period_ns <= ES_GRID_PERIOD_MOST_NS;
    if (grid->state != ES_GRID_LOCKED || grid->walks || !fits) {
        return false;
    }
    if (!grid->steered) {
        double over_ns = es__max_f64((double)grid->spread_ns, STEERED_OVER * period_ns);
        grid->steered = true;
        grid->regaining = false;
        grid->steered_over = es__min_f64(over_ns / period_ns, 0.5);
        grid->edge_error_rate = grid->steered_over * STEERED_RATE;
        es_grid_forget_doubts(grid);
        es_grid_forget_readings(grid, 0);
    }
    grid->anchor.index = index;
    grid->anchor.at_ns = at_ns;
    grid->period_ns = period_ns;
    grid->edge_error_ns = grid->steered_over * period_ns / 2;
    grid->edge_middle_ns = at_ns;
    return true;
}

/* What the caller said is in the middle of what readings will scatter over, and a grid under it. */
void es_grid_steer_end(es_grid *grid)
{
    double over_ns = grid->steered_over * grid->period_ns;
    int64_t first_index = es_ns_sub(grid->anchor.index, STEERED - 1);
    int64_t first = grid->taken;
    es_grid_line line = {.at_ns = grid->anchor.at_ns, .period_ns = grid->period_ns};
    line.at_ns = es_ns_sub(line.at_ns, es_grid_whole_below(over_ns / 2));
    line.spread = grid->steered_over;
    for (int32_t i = 1; i <= STEERED; ++i) {
        uint32_t part = (uint32_t)i * UINT32_C(2654435769); /* evenly spread */
        double late_ns = over_ns * ((double)part / 4294967296.0);
        double before_ns = (STEERED - i) * grid->period_ns - late_ns;
        int64_t at_ns = es_ns_sub(line.at_ns, es_grid_whole_below(before_ns));
        grid->recent_ns[(uint64_t)grid->taken % ES_GRID_RECENT] = at_ns;
        grid->taken += 1;
    }
    grid->steered = false;
    take_line(grid, &line, first, first_index);
}

void es_grid_lock(es_grid *grid, const es_grid_line *found, int64_t first)
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

void es_grid_mend(es_grid *grid, const es_grid_line *line, int64_t first, double off_ns)
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
void es_grid_regain(es_grid *grid, const es_grid_line *line)
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
        off_ns = es__min_f64(off_ns, 0);
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
