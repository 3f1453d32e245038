/* SPDX-License-Identifier: Zlib
 *
 * What a reading costs the grid: nanoseconds for each while locked, and the longest single call,
 * locked and before.
 *
 * Readings are simulated: in order, one in a hundred left out, late by up to 50 us, or 1.5 ms. The
 * longest call is the largest of what each call took at best, of all rounds, as a clock and a busy
 * machine add to single calls. Goals: 60 ns for each, 1.5 us and 20 us for the longest.
 */
#include "evenstep/clock.h"
#include "evenstep/grid.h"
#include "evenstep/time.h"

#include <stdio.h>
#include <stdlib.h>

enum { ROUNDS = 31, READINGS = 12000, LOCKED = 2000 };

static es_clock stopwatch;

static int64_t now_ns(void)
{
    return stopwatch.now_ns(stopwatch.user);
}

/* Numbers from 0 up to 1 that look random. */
static double some(uint64_t *state)
{
    *state = *state * UINT64_C(6364136223846793005) + 1;
    return (double)(*state >> 11) / 9007199254740992.0;
}

static void simulate(int64_t *readings_ns, double hz, double late_ns)
{
    uint64_t state = 7;
    int64_t index = 0;
    for (int i = 0; i < READINGS; ++i) {
        index += some(&state) < 0.01 ? 2 : 1;
        readings_ns[i] = (int64_t)((double)index * 1e9 / hz + some(&state) * late_ns);
    }
}

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a;
    double y = *(const double *)b;
    return (x > y) - (x < y);
}

static void measure_each(const int64_t *readings_ns, double *rounds)
{
    for (int round = 0; round < ROUNDS; ++round) {
        es_grid grid;
        es_grid_init(&grid, NULL);
        for (int i = 0; i < LOCKED; ++i) {
            es_grid_add(&grid, readings_ns[i]);
        }
        int64_t begin_ns = now_ns();
        for (int i = LOCKED; i < READINGS; ++i) {
            es_grid_add(&grid, readings_ns[i]);
        }
        rounds[round] = (double)(now_ns() - begin_ns) / (READINGS - LOCKED);
    }
    qsort(rounds, ROUNDS, sizeof *rounds, compare);
}

/* [0]: of calls that began and ended locked, without a search; [1]: of all. */
static void measure_longest(const int64_t *readings_ns, int64_t longest_ns[2])
{
    static int64_t best_ns[READINGS];
    static bool locked[READINGS];
    for (int round = 0; round < ROUNDS; ++round) {
        es_grid grid;
        es_grid_init(&grid, NULL);
        for (int i = 0; i < READINGS; ++i) {
            bool searches = grid.state != ES_GRID_LOCKED;
            int64_t begin_ns = now_ns();
            es_grid_add(&grid, readings_ns[i]);
            int64_t took_ns = now_ns() - begin_ns;
            best_ns[i] = round == 0 || took_ns < best_ns[i] ? took_ns : best_ns[i];
            locked[i] = !searches && grid.state == ES_GRID_LOCKED && grid.readings > 600;
        }
    }
    longest_ns[0] = 0;
    longest_ns[1] = 0;
    for (int i = 0; i < READINGS; ++i) {
        if (locked[i] && best_ns[i] > longest_ns[0]) {
            longest_ns[0] = best_ns[i];
        }
        longest_ns[1] = best_ns[i] > longest_ns[1] ? best_ns[i] : longest_ns[1];
    }
}

int main(void)
{
    static int64_t readings_ns[READINGS];
    static const double rates_hz[] = {60, 120, 240, 360};
    if (es_clock_system(&stopwatch) != ES_OK) {
        fprintf(stderr, "bench: this platform has no clock\n");
        return 1;
    }
    printf("grid, ns each; the longest call%26s%9s%9s%9s\n", "median", "least", "locked", "before");
    for (int i = 0; i < 8; ++i) {
        double rounds[ROUNDS], late_ns = i < 4 ? 50e3 : 1.5e6;
        int64_t longest_ns[2];
        char name[64];
        simulate(readings_ns, rates_hz[i % 4], late_ns);
        measure_each(readings_ns, rounds);
        measure_longest(readings_ns, longest_ns);
        snprintf(name, sizeof name, "reading at %g Hz, up to %g ms late", rates_hz[i % 4],
                late_ns / 1e6);
        printf("  %-44s %9.1f %8.1f %8lld %8lld\n", name, rounds[ROUNDS / 2], rounds[0],
                (long long)longest_ns[0], (long long)longest_ns[1]);
    }
    printf("  an es_grid is %zu bytes\n", sizeof(es_grid));
    return 0;
}
