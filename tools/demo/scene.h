/* SPDX-License-Identifier: Zlib
 *
 * demo_scene: the world that the demo simulates: things on which judder is easy to see.
 *
 * The state is one plain struct, described by layouts (rule.c). An update is deterministic: the same
 * seed, steps, pointer positions and clicks give the same bytes
 * (only + - * / and sqrt). Drawing never changes it.
 */
#ifndef DEMO_SCENE_H
#define DEMO_SCENE_H

#include "evenstep/evenstep.h"

enum {
    DEMO_WIDTH = 960, /* of the visible world, in its own units */
    DEMO_HEIGHT = 540,
    DEMO_GROUND = 396,               /* y of the ground; y grows downwards */
    DEMO_STREET_END = 452,           /* the world is empty below it */
    DEMO_HALF = DEMO_STREET_END / 2, /* a split view shows this much of its lower end, twice */
    DEMO_SPEED = 600,                /* of the poles, in units/s: 10 per frame at 60 Hz */
    DEMO_BALLS = 12,
    DEMO_STARS = 320,
    DEMO_JUMPER_X = 376,    /* the middle of its circle, */
    DEMO_JUMPER_REACH = 54, /* the radius of that; its own: */
    DEMO_JUMPER_RADIUS = 8,
    DEMO_FLASHES = 8 /* clicks that are still visible */
};

/* A place in the world. */
typedef struct demo_point {
    double x, y;
} demo_point;

typedef struct demo_ball {
    float x, y;                 /* centre */
    float vx, vy;               /* per second, after a bounce */
    float ay;                   /* per second squared; constant */
    float pass_vx, pass_vy;     /* at a bounce the mean of before and after */
    int64_t hit_x_ns, hit_y_ns; /* when it will touch a wall, and the ground */
    float launch;               /* speed at which it leaves the ground */
    float radius;               /* constant */
    float glow;                 /* 1 at a bounce, then fading */
    uint32_t bounces;           /* chooses the colour */
} demo_ball;

/* Positions that grow without bound are doubles: floats would judder after some minutes. */
typedef struct demo_star {
    double x; /* grows and never wraps: blending across a wrap would streak */
    double speed;
    float y;
    float depth; /* 0: far and slow, 1: near and fast */
} demo_star;

/* A ball on a circle, which a straight line does not follow. */
typedef struct demo_jumper {
    double at[2]; /* x; y from the middle of its circle */
    double velocity[2];
    double acceleration[2];
} demo_jumper;

/* A click, made by the tick that it belongs to. */
typedef struct demo_flash {
    double x, y;
    int64_t from_ns;  /* the world's age then: later frames show it */
    int64_t stamp_ns; /* when it happened, on the loop's clock; 0: there is none */
    int32_t before;   /* clicks of the same tick before it */
} demo_flash;

typedef struct demo_scene {
    int64_t tick;
    double scroll_x; /* of the camera: never wraps */
    double scroll_speed;
    double wheel_angle; /* radians in [0, 2 pi): ES_BLEND_ANGLE handles the wrap */
    double wheel_speed;
    double marker_x, marker_y;
    double marker_vx, marker_vy;
    int64_t age_ns;     /* simulated time, without a loop's seeks */
    demo_point pointer; /* as of the newest tick */
    demo_jumper jumper;
    demo_ball balls[DEMO_BALLS];
    demo_star stars[DEMO_STARS];
    demo_flash flashes[DEMO_FLASHES]; /* a ring, */
    int64_t presses;                  /* and how many were put into it */
} demo_scene;

/** Makes tick 0. The same seed makes the same world. */
void demo_scene_init(demo_scene *scene, uint32_t seed);

/** A click at a place and an instant of the clock, before the update of its tick. */
void demo_scene_flash(demo_scene *scene, demo_point at, int64_t stamp_ns);

void demo_scene_update(demo_scene *scene, const es_step *step);

/** Sets the simulated time of the world, where no step does. */
void demo_scene_set_time(demo_scene *scene, int64_t time_ns);

#endif
