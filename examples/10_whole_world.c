/* CC0: copy freely.
 *
 * 10: a whole world: a thousand drones on circles at 10 ticks per second, drawn 60 times a second.
 *
 * You will see: how far the drawn drones are from where they truly are, first as the newest tick
 * has them, then along straight lines, then along curves that know their speed. Every two seconds
 * each leaps 100 m: its mark counts the leaps, so that it is never drawn in between. Virtual time:
 * the figures are the same on every machine.
 */
#include "evenstep/evenstep.h"

#include <math.h>
#include <stdio.h>

enum { DRONES = 1000, FRAMES = 600 };

typedef struct drone {
    float at[2];       /* m */
    float speed[2];    /* m/s */
    float rotation[4]; /* a quaternion about z */
    uint8_t leaps;     /* how often it leapt: its mark */
} drone;

typedef struct world {
    drone drones[DRONES];
} world;

#define FIELDS(kind)                                                                               \
    {                                                                                              \
        ES_FIELD_OF_EACH(world, drones, at, kind, ES_WITH(group, 1),                               \
                ES_WITH(velocity, kind == ES_BLEND_HERMITE ? "drones.speed" : NULL)),              \
                ES_FIELD_OF_EACH(world, drones, speed, ES_BLEND_LINEAR, ES_WITH(group, 1)),        \
                ES_FIELD_OF_EACH(world, drones, rotation, ES_BLEND_ROTATION, ES_WITH(group, 1)),   \
                ES_FIELD_OF_EACH(world, drones, leaps, ES_BLEND_MARK, ES_WITH(group, 1)),          \
    }

static const es_field newest[] = FIELDS(ES_BLEND_STEP), straight[] = FIELDS(ES_BLEND_LINEAR),
                      curved[] = FIELDS(ES_BLEND_HERMITE);

static void place(drone *d, int i, double time_s, int leaps)
{
    double radius = 2 + i % 7, angle = time_s * 3 + i, turn = angle / 2;
    double centre = 100.0 * ((i + leaps) % 10);
    d->at[0] = (float)(centre + radius * cos(angle));
    d->at[1] = (float)(radius * sin(angle));
    d->speed[0] = (float)(-3 * radius * sin(angle));
    d->speed[1] = (float)(3 * radius * cos(angle));
    d->rotation[0] = d->rotation[1] = 0;
    d->rotation[2] = (float)sin(turn);
    d->rotation[3] = (float)cos(turn);
    d->leaps = (uint8_t)leaps;
}

static void update(world *w, const es_step *step)
{
    for (int i = 0; i < DRONES; ++i) {
        place(&w->drones[i], i, (double)step->time_ns / 1e9, (int)(step->index + i) / 20);
    }
}

/* Those that leapt in this tick are at their new place a little early: they do not count. */
static double worst_error_m(const world *seen, const world *previous, double time_s)
{
    double worst = 0;
    for (int i = 0; i < DRONES; ++i) {
        const drone *d = &seen->drones[i];
        drone truth;
        place(&truth, i, time_s, d->leaps);
        double error = hypot((double)(d->at[0] - truth.at[0]), (double)(d->at[1] - truth.at[1]));
        worst = d->leaps == previous->drones[i].leaps && error > worst ? error : worst;
    }
    return worst;
}

static void run(const char *name, const es_layout *layout)
{
    static world seen;
    es_manual_clock time = {0};
    es_loop loop;
    es_history *history = es_history_create(sizeof(world), 2);
    es_loop_config config = {.pace = ES_PACE_ADAPTIVE}; /* there is no display to follow */
    double worst_m = 0;
    config.tick_rate = es_hz(10);
    config.clock = es_manual_clock_get(&time);
    if (history == NULL || !es_layout_validate(layout)
            || es_loop_init(&loop, &config, NULL) != ES_OK) {
        return;
    }
    update(es_history_current(history), &(es_step){0});
    es_history_reset(history, 0, 0);
    for (int i = 0; i < FRAMES; ++i) {
        es_step step;
        es_frame frame;
        es_loop_begin(&loop);
        while (es_loop_tick(&loop, &step)) {
            update(es_history_next(history, &step), &step); /* writes all of it: no copy */
        }
        es_loop_ready(&loop, &frame);
        es_blend_frame(layout, history, &frame, &seen);
        double error_m =
                worst_error_m(&seen, es_history_previous(history), (double)frame.content_ns / 1e9);
        worst_m = error_m > worst_m ? error_m : worst_m;
        es_loop_submit(&loop);
        es_loop_end(&loop);
    }
    printf("%-14s at worst %8.4f m from the truth\n", name, worst_m);
    es_history_destroy(history);
}

int main(void)
{
    run("newest tick", &(es_layout)ES_LAYOUT(world, newest));
    run("straight lines", &(es_layout)ES_LAYOUT(world, straight));
    run("curves", &(es_layout)ES_LAYOUT(world, curved));
    return 0;
}
