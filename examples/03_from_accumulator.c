/* CC0: copy freely.
 *
 * 03: Evenstep in place of a hand-written accumulator loop: before and after.
 *
 * You will see: how far each frame moved too far or too little under either loop, for the same
 * game on the same simulated 60 Hz display, whose driver wakes the program 0 to 3 ms late. The
 * accumulator takes that lateness for time that passed; Evenstep finds the refreshes behind it, in
 * the first second, which is left out, and shows at each the instant at which it is.
 */
#include "virtual_clock.h"

#include <stdio.h>

enum { FRAMES = 600 };

typedef struct game { /* the game is not touched */
    double previous_x;
    double x;
} game;

static void game_update(game *g, double dt)
{
    g->previous_x = g->x;
    g->x += 600.0 * dt; /* px/s */
}

static double game_draw(const game *g, double alpha)
{
    return g->previous_x + alpha * (g->x - g->previous_x);
}

typedef struct display { /* simulated, so that both loops meet the same one */
    virtual_clock clock;
    uint32_t seed;
} display;

/* Blocks until the next refresh; returns when that was. The program wakes up later than that. */
static int64_t display_present(display *d)
{
    int64_t refresh = d->clock.now_ns * 60 / ES_NS_PER_S;
    while (es_rate_time_ns(es_hz(60), refresh) <= d->clock.now_ns) {
        ++refresh;
    }
    int64_t flip_ns = es_rate_time_ns(es_hz(60), refresh);
    d->seed = d->seed * 1664525U + 1013904223U;
    d->clock.now_ns = flip_ns + (int64_t)(d->seed >> 10) % (3 * ES_NS_PER_MS);
    return flip_ns;
}

typedef struct judge { /* compares how far frames moved with how far they should have, in px */
    double x;
    int64_t flip_ns;
    double sum;
    double worst;
} judge;

static void judge_frame(judge *j, int frame, double x, int64_t flip_ns)
{
    double error = x - j->x - 600.0 * (double)(flip_ns - j->flip_ns) / 1e9;
    error = frame <= 60 ? 0.0 : error < 0.0 ? -error : error; /* the start is left out */
    j->sum += error;
    j->worst = error > j->worst ? error : j->worst;
    j->x = x;
    j->flip_ns = flip_ns;
}

static void run_before(display *d, judge *j)
{
    game g = {0.0, 0.0};
    const double dt = 1.0 / 60.0;
    double accumulator = 0.0;
    int64_t last_ns = d->clock.now_ns;
    for (int i = 0; i < FRAMES; ++i) {
        double elapsed = (double)(d->clock.now_ns - last_ns) / 1e9;
        last_ns = d->clock.now_ns;
        accumulator += elapsed > 0.25 ? 0.25 : elapsed;
        while (accumulator >= dt) {
            game_update(&g, dt);
            accumulator -= dt;
        }
        double x = game_draw(&g, accumulator / dt);
        judge_frame(j, i, x, display_present(d));
    }
}

static void run_after(display *d, judge *j)
{
    game g = {0.0, 0.0};
    es_loop_config config = {0};
    config.clock = virtual_clock_get(&d->clock); /* on a real machine: leave this out */
    es_loop *loop = es_loop_create(&config);
    es_frame frame;
    for (int i = 0; i < FRAMES && es_loop_next(loop, &frame); ++i) {
        for (int tick = 0; tick < frame.ticks; ++tick) {
            game_update(&g, frame.tick_s);
        }
        double x = game_draw(&g, frame.alpha);
        es_loop_submit(loop);
        judge_frame(j, i, x, display_present(d));
    }
    es_loop_destroy(loop);
}

int main(void)
{
    display one = {{0, 0}, 1};
    display two = {{0, 0}, 1};
    judge before = {0};
    judge after = {0};
    run_before(&one, &before);
    run_after(&two, &after);
    printf("frame off by, per frame:    mean      worst\n");
    printf("  accumulator               %.3f px  %.3f px\n", before.sum / FRAMES, before.worst);
    printf("  Evenstep                  %.3f px  %.3f px\n", after.sum / FRAMES, after.worst);
    return 0;
}
