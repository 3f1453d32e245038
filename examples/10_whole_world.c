/* CC0: copy freely.
 *
 * 10: a whole world: a thousand drones on circles at 10 ticks per second, drawn 60 times a second.
 *
 * You will see: how far the drawn drones are from where they truly are, first as the newest tick
 * has them, then along straight lines, along curves that know their speed, and predicted. Every two
 * seconds each leaps 100 m; its mark counts that, so it is never drawn in between. Virtual time.
 */
#include "evenstep/world.h"

#include "virtual_clock.h"

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

/* For 150 ms past the newest tick, then to rest; what was wrong fades in 80 ms. */
static const es_prediction go_on = {ES_PREDICT_LINEAR, ES_CORRECT_DECAY, 150 * ES_NS_PER_MS,
        50 * ES_NS_PER_MS, 80 * ES_NS_PER_MS};

#define FIELDS(kind, speed_of, predict)                                                            \
    {                                                                                              \
        ES_FIELD_OF_EACH(world, drones, at, kind, ES_WITH(group, 1), ES_WITH(velocity, speed_of),  \
                ES_WITH(prediction, predict)),                                                     \
                ES_FIELD_OF_EACH(world, drones, speed, ES_BLEND_LINEAR, ES_WITH(group, 1)),        \
                ES_FIELD_OF_EACH(world, drones, rotation, ES_BLEND_ROTATION, ES_WITH(group, 1)),   \
                ES_FIELD_OF_EACH(world, drones, leaps, ES_BLEND_MARK, ES_WITH(group, 1)),          \
    }

static const es_field newest[] = FIELDS(ES_BLEND_STEP, NULL, NULL);
static const es_field straight[] = FIELDS(ES_BLEND_LINEAR, NULL, NULL);
static const es_field curved[] = FIELDS(ES_BLEND_HERMITE, "drones.speed", NULL);
static const es_field ahead[] = FIELDS(ES_BLEND_LINEAR, "drones.speed", &go_on);

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

static void run(const char *name, int32_t lead_ticks, const es_layout *layout)
{
    static world seen;
    virtual_clock time = {0};
    es_history *history = es_history_create(sizeof(world), 2);
    es_loop_config config = {.clock = virtual_clock_get(&time), .tick_rate = {10, 1}, .pace = ES_PACE_ADAPTIVE,
            .lead_ticks = lead_ticks};
    double worst_m = 0;
    es_loop *loop = es_loop_create(&config);
    if (history == NULL || loop == NULL || !es_layout_validate(layout)) {
        return;
    }
    update(es_history_current(history), &(es_step){0});
    es_history_reset(history, 0, 0);
    for (int i = 0; i < FRAMES; ++i) {
                es_frame frame;
        es_loop_next(loop, &frame);
        for (int k = 0; k < frame.ticks; ++k) {
            es_step step = es_frame_step(&frame, k);
            update(es_history_next(history, &step), &step); /* writes all of it: no copy */
        }
        es_blend_frame(layout, history, &frame, &seen);
        const world *before = es_history_previous(history);
        worst_m = fmax(worst_m, worst_error_m(&seen, before, (double)frame.content_ns / 1e9));
        es_loop_submit(loop);
        es_loop_end(loop);
    }
    printf("%-14s at worst %8.4f m from the truth\n", name, worst_m);
    es_history_destroy(history);
    es_loop_destroy(loop);
}

int main(void)
{
    run("newest tick", 0, &(es_layout)ES_LAYOUT(world, newest));
    run("straight lines", 0, &(es_layout)ES_LAYOUT(world, straight));
    run("curves", 0, &(es_layout)ES_LAYOUT(world, curved));
    run("predicted", -1, &(es_layout)ES_LAYOUT(world, ahead));
    return 0;
}
