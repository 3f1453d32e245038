/* SPDX-License-Identifier: Zlib
 *
 * How many jumps es_jumped finds, and how often it takes a motion for one: the curve of
 * docs/notes/cuts.md, in Markdown.
 *
 *   bench_cuts [OBJECT_TICKS [SHORTEST]]    for each row; by default 10 000 000 and 3
 */
#include "cut_motion.h"

static void print_row(const es_jumps *rule, bool lookahead, int64_t object_ticks)
{
    const cut_figures f = cut_run(UINT64_C(0x9E3779B97F4A7C15), object_ticks, rule, lookahead);
    const int64_t large = f.jumps[2] + f.jumps[3], found = f.found[2] + f.found[3];
    int64_t ticks = 0, wrong = 0;
    for (int i = 0; i < CUT_KINDS; ++i) {
        ticks += f.ticks[i];
        wrong += f.wrong[i];
    }
    printf("| %s | %.1f | %.1f %% | %.1f %% | %.3f %% | %.2f | %.2f |\n", lookahead ? "yes" : "no",
            rule->ratio, 100.0 * (double)f.found[0] / (double)f.jumps[0],
            100.0 * (double)f.found[1] / (double)f.jumps[1], 100.0 * (double)found / (double)large,
            1e6 * (double)wrong / (double)ticks,
            1e6 * (double)(wrong - f.wrong[CUT_KNOCKED]) / (double)(ticks - f.ticks[CUT_KNOCKED]));
}

int main(int argc, char **argv)
{
    static const double ratios[] = {2.5, 3, 3.5, 4, 5, 6, 8, 12, 16, 24};
    const int64_t object_ticks = argc > 1 ? atoll(argv[1]) : 10000000;
    const double shortest = argc > 2 ? atof(argv[2]) : CUT_SHORTEST;
    printf("| lookahead | ratio | 2 to 4 | 4 to 8 | over 8 | false | without knock-backs |\n"
           "|---|---:|---:|---:|---:|---:|---:|\n");
    for (int i = 0; i < 2 * 10; ++i) {
        const es_jumps rule = {ratios[i % 10], shortest};
        print_row(&rule, i >= 10, object_ticks);
    }
    return 0;
}
