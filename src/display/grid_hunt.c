/* SPDX-License-Identifier: Zlib
 *
 * When readings are searched, which of them, and for which period first; and what becomes of a
 * line that is found.
 */
#include "grid_parts.h"

/* Readings that a search takes with a period to try, and with one that is known but for its phase;
 * then it is another one. Without any it is ES_GRID_SEARCH_LEAST. */
enum { GUESS_LEAST = 6, REGAIN_LEAST = 5, REGAIN_MOST = 64 };

/* A search of fewer readings that finds nothing says nothing; after one of more it waits for so
 * many before the next. */
enum { TELLING = 64, REST = 8, REST_VARIES = 16 };

void es_grid_forget_readings(es_grid *grid, int32_t kept)
{
    grid->usable = kept < grid->usable ? kept : grid->usable;
    grid->search.count = 0;
    grid->attempts = 0;
    grid->rest = 0;
}

/* A line was found. */
static void settle_on_found(es_grid *grid)
{
    es_grid_search found = grid->search;
    grid->search.count = 0;
    if (grid->state != ES_GRID_LOCKED || es_grid_doubt_answer(grid, &found)) {
        es_grid_lock(grid, &found.best, found.first);
    }
}

static void find_nothing(es_grid *grid)
{
    int32_t count = grid->search.count;
    grid->search.count = 0;
    if (grid->state == ES_GRID_LOCKED) {
        es_grid_doubt_unanswered(grid);
    } else if (count >= TELLING) {
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
            grid->regaining = grid->state == ES_GRID_LOCKED; /* see es_grid_doubt_unanswered */
        } else if (count >= REGAIN_LEAST && es_grid_try_phase(grid, count, grid->guess_ns, &line)) {
            es_grid_regain(grid, &line);
            return true;
        }
    } else if (grid->state != ES_GRID_LOCKED && grid->guess_ns > 0 && grid->wary == 0
               && count >= GUESS_LEAST && count <= ES_GRID_SEARCH_LEAST
               && es_grid_try_period(grid, count, grid->guess_ns, &line)) {
        es_grid_lock(grid, &line, grid->taken - count);
        return true;
    }
    return false;
}

void es_grid_hunt(es_grid *grid)
{
    if (hunt_known(grid)) {
        return;
    }
    if (grid->search.count == 0) {
        if (grid->rest > 0) {
            grid->rest -= 1;
            return;
        }
        if (grid->usable < ES_GRID_SEARCH_LEAST) {
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
