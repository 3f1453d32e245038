/* SPDX-License-Identifier: Zlib
 *
 * Any readings in any order, also amid a grid: what is read of it must be in its range, and the
 * numbers of refreshes and their times must go together.
 */
#include "fuzz_bytes.h"

#include "display/grid.h"
#include "evenstep/time.h"

#include <stdlib.h>

enum { MANY = 30, MANY_MOST = 4 };
static void check(const es_grid *grid, int64_t at_ns)
{
    bool locked = grid->state == ES_GRID_LOCKED;
    int64_t index = es__grid_index(grid, at_ns);
    int64_t time_ns = es__grid_time_ns(grid, index);
    int64_t uncertain_ns = es__grid_uncertain_ns(grid, at_ns);
    require(grid->state >= ES_GRID_SEARCHING && grid->state <= ES_GRID_VARIES);
    require(locked ? grid->period_ns > 0.4e6 && grid->period_ns < 300e6 : grid->period_ns == 0);
    require(grid->readings >= 0 && grid->locks >= 0 && (!locked || grid->locks > 0));
    require(grid->late_ns >= 0 && grid->spread_ns >= grid->late_ns && grid->uncertain_ppm >= 0);
    require(locked ? uncertain_ns > 0 : uncertain_ns == 0 && index == 0 && time_ns == 0);
    int64_t away_ns = es_ns_sub(at_ns, grid->anchor.at_ns);
    bool near_ends = at_ns > INT64_MAX - ES_NS_PER_S || at_ns < INT64_MIN + ES_NS_PER_S;
    if (locked && !near_ends && away_ns > -INT64_MAX / 4 && away_ns < INT64_MAX / 4) {
        require(time_ns <= at_ns && es__grid_time_ns(grid, es_ns_add(index, 1)) > at_ns);
        require(es__grid_index(grid, time_ns) == index);
    }
}

/* Readings of a display, late by up to a part of its period: more than a byte could say of each. */
static void add_many(es_grid *grid, input *in, int64_t *at_ns)
{
    int64_t period_ns = (1 + byte_from(in) % 64) * INT64_C(654321);
    uint32_t late = byte_from(in), mixed = byte_from(in);
    for (int i = 0; i < MANY; ++i) {
        mixed = mixed * 1664525 + 1013904223;
        *at_ns = es_ns_add(*at_ns, period_ns);
        es__grid_add(
                grid, es_ns_add(*at_ns, period_ns / 256 * (int64_t)(mixed % 256 * late / 256)));
        check(grid, *at_ns);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    input in = {data, data + size};
    es_grid_config config = {.announced_ns = any_from(&in) & INT64_MAX};
    es_grid grid;
    int64_t at_ns = any_from(&in);
    require(es__grid_init(&grid, &config) == ES_OK);
    for (int many = 0; in.data < in.end;) {
        uint8_t what = byte_from(&in);
        if (what < 128) {
            at_ns = es_ns_add(at_ns, (what & 127) * INT64_C(250000));
        } else if (what < 160 && many++ < MANY_MOST) {
            add_many(&grid, &in, &at_ns);
        } else if (what < 192) {
            at_ns = es_ns_sub(at_ns, (what & 31) * INT64_C(3000000));
        } else if (what < 224) {
            at_ns = any_from(&in);
        } else if (what < 240) {
            es__grid_shift(&grid, any_from(&in));
        } else if (what < 244) {
            es__grid_walk(&grid);
        } else if (what < 246) {
            int64_t known_ns = any_from(&in);
            es__grid_hide(&grid, known_ns, any_from(&in));
        } else if (what < 247) {
            int64_t index = any_from(&in), steer_ns = any_from(&in);
            es__grid_steer(&grid, index, steer_ns, (double)any_from(&in));
        } else if (what < 250) {
            at_ns = es_ns_add(at_ns, (what & 15) * INT64_C(700000000));
        } else {
            es__grid_drop(&grid);
        }
        es__grid_add(&grid, at_ns);
        check(&grid, at_ns);
        check(&grid, any_from(&in));
    }
    return 0;
}
