/* SPDX-License-Identifier: Zlib
 *
 * demo_scene: the world that the demo simulates, made of what shows judder best.
 *
 * The state is one plain struct, described by an es_layout, so that es_history can capture it and
 * es_blend can show it between two ticks. An update is deterministic: the same seed, steps and
 * pointer positions give the same bytes (nothing but + - * / and sqrt).
 *
 * Not for: drawing. Nothing here knows of pixels, and drawing never changes the world.
 */
#ifndef DEMO_SCENE_H
#define DEMO_SCENE_H

#include "evenstep/layout.h"

enum {
    DEMO_WIDTH = 960, /* the world that is seen, in its own units */
    DEMO_HEIGHT = 540,
    DEMO_GROUND = 396,               /* y of the ground; y grows downwards */
    DEMO_STREET_END = 452,           /* below it nothing happens */
    DEMO_HALF = DEMO_STREET_END / 2, /* a split view shows this much of its lower end, twice */
    DEMO_SPEED =
            600, /* of the poles, in units per second: 10 per frame at 60 Hz: judder is plain */
    DEMO_BALLS = 12,
    DEMO_STARS = 320
};

typedef struct demo_ball {
    float x, y;       /* centre */
    float vx, vy;     /* per second; simulated, never drawn, so in no field of the layout */
    float launch;     /* speed with which it leaves the ground; the same */
    float radius;     /* constant */
    float glow;       /* 1 at a bounce, then fading */
    uint32_t bounces; /* chooses the colour */
} demo_ball;

/* Positions that grow for ever are doubles: a float would itself judder after some minutes. */
typedef struct demo_star {
    double x; /* grows and never wraps: wrapped here, blending would streak across the screen */
    float y;
    float depth; /* 0: far and slow, 1: near and fast */
} demo_star;

typedef struct demo_scene {
    int64_t tick;
    double scroll_x;    /* how far the camera has travelled: grows like a star's x */
    double wheel_angle; /* radians in [0, 2 pi): wraps, which ES_BLEND_ANGLE is for */
    double marker_x, marker_y;
    demo_ball balls[DEMO_BALLS];
    demo_star stars[DEMO_STARS];
} demo_scene;

/* A place in the world: where the pointer is. */
typedef struct demo_point {
    double x, y;
} demo_point;

/** The fields that are drawn. Static; check it once with es_layout_validate. */
const es_layout *demo_scene_layout(void);

/** Makes tick 0. The same seed makes the same world. */
void demo_scene_init(demo_scene *scene, uint32_t seed);

/** Moves the world on by one tick of dt_s seconds. The pointer has an effect here only. */
void demo_scene_update(demo_scene *scene, double dt_s, demo_point pointer);

#endif
