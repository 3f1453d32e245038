/* SPDX-License-Identifier: Zlib
 *
 * A search finds a line in the newest readings (grid_search.c); from then on the grid is the line
 * under all of them (grid_lock.c, grid_edge.c). It is doubted when readings stop keeping to it
 * (grid_doubt.c). Then the newest are searched, and what is found there takes its place, or nothing
 * is and the lock is lost; or it is the same. Where the caller knows better (es_grid_walk) readings
 * are followed without a line (grid_walk.c).
 */
#include "grid_parts.h"

/* After a pause so long, and of so many periods, the phase is asked for; but not where it is short
 * and the phase surely known. A search takes no readings with such a pause between them. */
#define PAUSE_NS        INT64_C(250000000)
#define PAUSE_PERIODS   8
#define PAUSE_SHORT_NS  INT64_C(2000000000)
#define PAUSE_SEARCH_NS INT64_C(500000000)

/* Readings back in time before they are believed. */
enum { BACKWARD_MOST = 8 };

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
    es_grid_forget_doubts(grid);
    grid->search.count = 0;
    for (int32_t i = ES_GRID_SEARCH_LEAST; i > 0;
            --i) { /* for a start, as if each were late by itself */
        int64_t before_ns = es_grid_reading(grid, grid->taken - 1 - i);
        double periods = (double)es_ns_sub(es_grid_reading(grid, grid->taken - i), before_ns);
        periods = periods / grid->period_ns + 0.25;
        double over = periods - (double)es_grid_whole_below(periods) - 0.25;
        es_grid_lateness_add(&grid->lateness, es__max_f64(over, 0) * grid->period_ns);
    }
    es_grid_lateness_sum_up(grid);
    return true;
}

/* It may be a fixed grid by now. A walk is like one for a while: the whole window must say so. */
static void seek_fixed(es_grid *grid)
{
    if (grid->search.count == 0) {
        if (!es_grid_walk_seeks(grid)) {
            return;
        }
        grid->wary = ES_GRID_WARY_MOST;
        es_grid_search_begin(grid, ES_GRID_WINDOW);
    }
    es_grid_outcome outcome = es_grid_search_go_on(grid);
    if (outcome != ES_GRID_GOES_ON) {
        es_grid_line line = grid->search.best;
        int64_t first = grid->search.first;
        grid->search.count = 0;
        if (outcome == ES_GRID_FOUND) {
            es_grid_lock(grid, &line, first);
        }
    }
}

static void walk_on(es_grid *grid, int64_t at_ns)
{
    es_grid_lateness_add(&grid->lateness, es_grid_walk_add(grid, at_ns));
    grid->readings += 1;
    if (grid->readings % ES_GRID_LOOK_EVERY == 0) {
        es_grid_lateness_sum_up(grid);
    }
    if (es_grid_walk_ends(grid)) {
        es_grid_lose(grid, ES_GRID_SEARCHING,
                ES_GRID_SEARCH_LEAST); /* another display: what was learnt is not of it */
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
        es_grid_forget_readings(grid, 0);
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
        es_grid_lose(grid, ES_GRID_SEARCHING, 0);
    }
    es_grid_forget_doubts(grid);
    es_grid_forget_readings(grid, 0);
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
static bool grid_remember(es_grid *grid, int64_t at_ns)
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
            es_grid_forget_readings(grid, 0);
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
    if (grid->steered) {
        es_grid_steer_end(grid);
    }
    if (!grid_remember(grid, at_ns)) {
        return;
    }
    if (grid->walks) {
        walk_on(grid, at_ns);
        return;
    }
    if (grid->state == ES_GRID_LOCKED && !grid->regaining) {
        es_grid_take_in(grid, at_ns);
        if (grid->doubt == 0 || grid->routine) {
            es_grid_ask_for_doubts(grid);
        }
    }
    if (grid->state != ES_GRID_LOCKED || grid->doubt > 0 || grid->regaining) {
        es_grid_hunt(grid);
    }
}

/* ---- what is asked ---- */

/* Refreshes from the anchor to an instant so near that doubles hold its nanoseconds exactly. The
 * quotient may be off by rounding, and is cut towards 0: by one at most. */
static int64_t steps_to(const es_grid *grid, double since_ns)
{
    int64_t steps = (int64_t)(since_ns / grid->period_ns);
    if (!es_grid_has_reached(grid, (double)steps, since_ns)) {
        return steps - 1;
    }
    return steps + (es_grid_has_reached(grid, (double)(steps + 1), since_ns) ? 1 : 0);
}

int64_t es_grid_index(const es_grid *grid, int64_t at_ns)
{
    if (grid->state != ES_GRID_LOCKED) {
        return 0;
    }
    double since_ns = (double)es_ns_sub(at_ns, grid->anchor.at_ns);
    if (since_ns < ES_GRID_EXACT_NS && since_ns > -ES_GRID_EXACT_NS) {
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
        error_ns = es__max_f64(error_ns, grid->period_ns / 2);
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
    es_grid_lose(grid, ES_GRID_SEARCHING, 0);
    grid->changed = 0;
    grid->wary = 0;
}
