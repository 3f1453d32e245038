/* SPDX-License-Identifier: Zlib
 *
 * Content that follows a sound card, and snapshots of a server, beside simple and published rules: the
 * tables of docs/notes/follow.md, in Markdown.
 *
 *   bench_follow [SECONDS [SEED]]    of each row; by default 120 and 1
 */
#include "follow_sim.h"

static void print_sounds(double seconds, uint64_t seed)
{
    static const sim_sound cases[] = {{10, 5, 300, 60, .both = false},
            {20, 5, -300, 60, .both = false}, {40, 5, 300, 60, .both = false},
            {40, 5, -300, 144, .both = false}, {10, 5, 300, 60, .both = true},
            {40, 5, -300, 60, .both = true}, {20, 5, 300, 60, .polled = true},
            {20, 5, 300, 60, .underrun_ms = 100}, {20, 5, 300, 60, .underrun_ms = 1000}};
    static const struct {
        sim_rule rule;
        const char *name;
    } rules[] = {{SIM_FOLLOW, "es_loop_follow"}, {SIM_NEWEST, "the last reading"},
            {SIM_SINCE, "and the time since"}, {SIM_ALONE, "no following"},
            {SIM_SPEED, "set_speed(1 + difference)"}};
    printf("| block, ms | jitter | ppm | Hz | other | rule | p50, ms | p99 | animation error | "
           "speed off | back | "
           "settled, s |\n|---|---|---|---|---|---|---:|---:|---:|---:|---:|---:|\n");
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
        const sim_sound *c = &cases[i];
        for (size_t k = 0; k < sizeof rules / sizeof rules[0]; ++k) {
            const sim_figures f = sim_sound_run(c, rules[k].rule, seconds, seed);
            printf("| %.0f | %.0f | %.0f | %.0f | %s%.0f | %s | %.3f | %.3f | %.4f | %.2f %% | %d "
                   "| %.2f |\n",
                    c->block_ms, c->jitter_ms, c->drift_ppm, c->hz,
                    c->both     ? "both ways "
                    : c->polled ? "polled "
                                : "underrun ",
                    c->underrun_ms, rules[k].name, f.p50_ms, f.p99_ms, f.error_ms,
                    100 * f.speed_off, f.back, f.settled_s);
        }
    }
}

static void print_nets(double seconds, uint64_t seed)
{
    static const sim_net cases[] = {{10, 20, .05, 60, .spare = 0}, {20, 20, .05, 60, .spare = 0},
            {20, 20, .05, 60, .spare = -1}, {20, 50, .05, 60, .spare = 0},
            {30, 20, .05, 60, .spare = 0}, {60, 20, .05, 60, .spare = 0},
            {60, 50, .1, 144, .burst = 3}, {20, 20, .1, 60, .burst = 3},
            {20, 20, .05, 60, .tail = true}, {20, 20, .05, 60, .detour_ms = 30},
            {20, 20, .05, 60, .detour_ms = -30}};
    static const struct {
        sim_rule rule;
        const char *name;
    } rules[] = {{SIM_FOLLOW, "es_snapshots"}, {SIM_FIXED, "fixed 100 ms"},
            {SIM_MIRROR, "Mirror's"}, {SIM_LIGHTYEAR, "lightyear's"}};
    printf("\n| ticks | jitter, ms | loss | other | rule | animation error, ms | speed off | "
           "delay, ms | bar | "
           "after the newest | stalls | place "
           "|\n|---|---|---|---|---|---:|---:|---:|---:|---:|---:|---:|\n");
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
        const sim_net *c = &cases[i];
        for (size_t k = 0; k < sizeof rules / sizeof rules[0]; ++k) {
            const sim_figures f = sim_net_run(c, rules[k].rule, seconds, seed);
            printf("| %.0f | %.0f%s | %.0f %% | %s %.0f | %s | %.3f | %.1f %% | %.1f | %.1f | %.2f "
                   "%% | %.2f %% | "
                   "%.4f |\n",
                    c->rate, c->jitter_ms, c->tail ? " tail" : "", 100 * c->loss,
                    c->burst > 0   ? "burst"
                    : c->spare < 0 ? "one tick"
                                   : "detour",
                    c->burst > 0 ? c->burst : c->detour_ms, rules[k].name, f.error_ms,
                    100 * f.speed_off, f.delay_ms, f.jitter_ms + 2000 / c->rate, 100 * f.late,
                    100 * (rules[k].rule == SIM_FOLLOW ? f.predicted : f.late), f.place);
        }
    }
}

static void print_consoles(double seconds)
{
    static const double rates[] = {59.7275, 60.0988}, displays[] = {50, 59.94, 60, 75, 120, 144, 0};
    printf("\n| console | display | rules | refreshes too many or few | least | console frames "
           "dropped | sound empty | "
           "sound full | pitch off | speed off "
           "|\n|---|---|---|---:|---:|---:|---:|---:|---:|---:|\n");
    for (int i = 0; i < 2 * 7 * 2; ++i) {
        double hz = displays[i / 2 % 7];
        const sim_console c = {rates[i / 14], hz > 0 ? hz : 144, hz <= 0, i % 2 == 1};
        const sim_played p = sim_console_run(&c, seconds);
        printf("| %.4f | %s%.2f | %s | %.0f | %.0f | %d | %d | %d | %.2f %% | %.2f %% |\n", c.rate,
                c.variable ? "up to " : "", c.hz, c.retroarch ? "RetroArch's" : "Evenstep", p.off,
                p.least, p.dropped, p.empty, p.full, 100 * p.pitch, 100 * p.speed);
    }
}

int main(int argc, char **argv)
{
    double seconds = argc > 1 ? atof(argv[1]) : 120;
    uint64_t seed = argc > 2 ? (uint64_t)atoll(argv[2]) : 1;
    print_sounds(seconds, seed);
    print_nets(seconds, seed);
    print_consoles(5 * seconds);
    return 0;
}
