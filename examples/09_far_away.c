/* CC0: copy freely.
 *
 * 09: far away: a ship leaves the space in which floats are exact, and jumps through gates.
 *
 * You will see: the longest step of the drawn ship from one frame to the next. Whenever it is 1 km
 * from the origin, the whole world moves back by as much, and every 5 s a gate takes the ship 3 km
 * further. Applied to the newest tick alone, both are drawn as streaks; with the past, they are not.
 */
#include "evenstep/world.h"

#include "virtual_clock.h"

#include <math.h>
#include <stdio.h>

enum { ROCKS = 50, FRAMES = 1200, TICK_RATE = 20 };

typedef struct world {
    double ship[2]; /* m, from the origin */
    double speed[2];
    float rocks[ROCKS][2];
    double origin[2]; /* of the numbers above; moved by whole metres */
    int64_t gates;    /* passed so far */
} world;

static const es_field fields[] = {
        ES_FIELD(world, ship, ES_BLEND_LINEAR),
        ES_FIELD_ARRAY(world, rocks, ES_BLEND_LINEAR),
        ES_FIELD(world, origin, ES_BLEND_STEP),
        ES_FIELD(world, gates, ES_BLEND_STEP),
};
static const es_layout layout = ES_LAYOUT(world, fields);

/* It keeps the motion, mirrored: what a shift cannot do is done in each known tick. */
static void pass_gate(es_history *history)
{
    const double by[2] = {3000, 0};
    world *w = es_history_current(history);
    double y = w->ship[1];
    w->gates += 1;
    es_history_shift(history, &layout, "ship", 0, by, 2);
    for (int32_t age = 0; (w = es_history_tick(history, age)) != NULL; ++age) {
        w->ship[1] = 2 * y - w->ship[1];
        w->speed[1] = -w->speed[1];
    }
}

/* A rock that is left behind is used again ahead: it did not fly there. */
static void reuse_rocks(es_history *history)
{
    world *w = es_history_current(history);
    for (size_t i = 0; i < ROCKS; ++i) {
        if ((double)w->rocks[i][0] < w->ship[0] - 500) {
            w->rocks[i][0] = (float)w->ship[0] + 500;
            es_history_snap(history, &layout, "rocks", i);
        }
    }
}

static void update(es_history *history, const es_step *step, bool with_past)
{
    world *w = es_history_push(history, step), *past = es_history_previous(history), kept = *past;
    double thrust = step->index / (3 * TICK_RATE) % 2 == 0 ? 40 : -20;
    for (int c = 0; c < 2; ++c) { /* exact at any tick rate */
        es_motion_accelerate(&w->ship[c], &w->speed[c], thrust / (c + 1), step->dt_s);
    }
    if (step->index % (5 * TICK_RATE) == 0) {
        pass_gate(history);
    }
    if (fabs(w->ship[0]) > 1000) { /* a floating origin: only the numbers move */
        const double by[2] = {floor(w->ship[0]), floor(w->ship[1])}, back[2] = {-by[0], -by[1]};
        es_history_shift(history, &layout, "ship", 0, back, 2);
        es_history_shift(history, &layout, "rocks", ES_ALL_ELEMENTS, back, 2);
        es_history_shift(history, &layout, "origin", 0, by, 2);
    }
    if (!with_past) { /* as a game that changes its newest state alone */
        *past = kept;
    }
    reuse_rocks(history);
}

static double longest_step_m(bool with_past)
{
    virtual_clock time = {0};
    es_history *history = es_history_create(sizeof(world), 2);
    world seen = {0}, before = {0};
    double longest = 0;
    es_loop_config config = {.clock = virtual_clock_get(&time), .tick_rate = {TICK_RATE, 1}, .pace = ES_PACE_ADAPTIVE};
    es_loop *loop = es_loop_create(&config);
    if (history == NULL || loop == NULL) {
        return -1;
    }
    es_history_reset(history, 0, 0);
    for (int i = 0; i < FRAMES; ++i) {
                es_frame frame;
        es_loop_next(loop, &frame);
        for (int k = 0; k < frame.ticks; ++k) {
            es_step step = es_frame_step(&frame, k);
            update(history, &step, with_past);
        }
        es_blend_frame(&layout, history, &frame, &seen);
        double x = seen.ship[0] + seen.origin[0] - before.ship[0] - before.origin[0];
        x -= 3000 * (double)(seen.gates - before.gates); /* a gate is no step */
        longest = i > 0 && fabs(x) > longest ? fabs(x) : longest;
        before = seen;
        es_loop_submit(loop);
        es_loop_end(loop);
    }
    es_history_destroy(history);
    es_loop_destroy(loop);
    return longest;
}

int main(void)
{
    printf("only the newest tick moves:  at most %7.1f m\n", longest_step_m(false));
    printf("its past moves, too:         at most %7.1f m\n", longest_step_m(true));
    return 0;
}
