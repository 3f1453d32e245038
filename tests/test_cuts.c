/* SPDX-License-Identifier: Zlib
 *
 * Cuts that are found by themselves. How many of ten million object ticks: bench_cuts prints the curve.
 */
#include "bench/cut_motion.h"
#include "test_support.h"

/* Jumps of over eight usual ways; the rest, which are none. */
TEST(large_jumps_are_found_and_motion_is_left_alone)
{
    const int64_t object_ticks = test_is_full() && !TEST_SANITIZED ? 10000000 : 600000;
    const es_jumps rule = {.shortest = CUT_SHORTEST};
    for (int ahead = 0; ahead < 2; ++ahead) {
        row("lookahead %d", ahead);
        const cut_figures f = cut_run(20261128, object_ticks, &rule, ahead == 1);
        double jumps = (double)(f.jumps[2] + f.jumps[3]), ticks = 0, wrong = 0;
        for (int i = 0; i < CUT_KINDS; ++i) { /* alone, a knock-back may be taken for a jump */
            ticks += ahead == 1 || i != CUT_KNOCKED ? (double)f.ticks[i] : 0;
            wrong += ahead == 1 || i != CUT_KNOCKED ? (double)f.wrong[i] : 0;
        }
        assert_true(jumps > (double)object_ticks / 3000);
        assert_at_most(jumps - (double)(f.found[2] + f.found[3]), 0.001 * jumps);
        assert_at_most(wrong, 1e-6 * ticks);
        assert_true(ahead == 1 || f.wrong[CUT_KNOCKED] > 0);
    }
}

/* How many of these ways are jumps; bit i: that of way i. */
static unsigned jumps_of(const es_jumps *rule, const double *ways, int count, bool lookahead)
{
    float usual = 0;
    unsigned jumps = 0;
    for (int i = 0; i < count - lookahead; ++i) {
        jumps |= (unsigned)es_jumped(rule, &usual, ways[i], lookahead ? ways[i + 1] : -1) << i;
    }
    return jumps;
}

TEST(a_way_is_a_jump_by_what_was_before_and_what_follows)
{
    static const struct {
        const char *what;
        double ways[8];
        unsigned alone, lookahead; /* bits of the ways that are jumps */
    } cases[] = {
            {"a teleport", {1, 1, 1, 20, 1, 1, 1, 1}, 1 << 3, 1 << 3},
            {"a knock-back", {1, 1, 1, 20, 18, 16, 14, 12}, 1 << 3, 0},
            {"a short one", {1, 1, 1, 4, 1, 1, 1, 1}, 0, 0},
            {"rest is no habit", {0, 1, 1, 0, 0, 0, 1, 1}, 0, 0},
            {"one over 8 that never moved", {0, 0, 9, 0, 0, 0, 0, 0}, 1 << 2, 1 << 2},
            {"another object, faster", {1, 1, 1, 90, 6, 6, 6, 6}, 1 << 3, 1 << 3},
            {"two in a row", {1, 1, 1, 20, 90, 1, 1, 1}, 3 << 3, 3 << 3},
            {"another object, much faster", {.01, .01, 1, 1, 1, 1, 1, 1}, 7 << 2, 0},
            {"no number", {1, 1, 1, (double)NAN, 1, 1, 1, 1}, 1 << 3, 1 << 3},
    };
    const es_jumps rule = {.shortest = 8};
    for_rows (i, cases) {
        assert_int_equal(jumps_of(i == 4 ? &rule : NULL, cases[i].ways, 8, false), cases[i].alone);
        assert_int_equal(
                jumps_of(i == 4 ? &rule : NULL, cases[i].ways, 8, true), cases[i].lookahead);
    }
    const double starts[] = {0, 0, 9, 9, 9, 9, 9, 9};
    assert_int_equal(jumps_of(&rule, starts, 8, false), 1 << 2); /* not for good */
    assert_int_equal(jumps_of(&(es_jumps){.ratio = 3}, cases[2].ways, 8, false), 1 << 3);
    assert_int_equal(jumps_of(&(es_jumps){.shortest = 30}, cases[0].ways, 8, true), 0);
    assert_false(es_jumped(NULL, NULL, 1, -1));
}

/* What a way that is no jump makes of the usual one. */
TEST(the_usual_way_follows)
{
    static const float rows[][3] = {/* before, way, after */
            {8, 16, 9}, {8, 4, 7.875F}, {8, 1, 7.78125F}, {8, 0.5F, 7.984375F}, {8, 0, 8},
            {0, 3, 3}};
    for_rows (i, rows) {
        float usual = rows[i][0];
        assert_false(es_jumped(NULL, &usual, (double)rows[i][1], -1));
        assert_true(usual == rows[i][2]);
    }
}
