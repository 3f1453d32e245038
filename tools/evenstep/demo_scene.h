/* SPDX-License-Identifier: Zlib
 *
 * demo_scene: the world that the demo simulates, made of what shows judder best.
 *
 * The state is one plain struct, described by layouts (demo_show), so that es_history can capture
 * it and es_blend_frame can show it between ticks. An update is deterministic: the same seed,
 * steps, pointer positions, clicks and jumps give the same bytes (only + - * /, sqrt and es_track).
 *
 * Not for: drawing. Nothing here knows of pixels, and drawing never changes the world.
 */
#ifndef DEMO_SCENE_H
#define DEMO_SCENE_H

#include "evenstep/frame.h"

#include "demo_job.h"
#include "demo_rates.h"

enum {
    DEMO_WIDTH = 960, /* the world that is seen, in its own units */
    DEMO_HEIGHT = 540,
    DEMO_GROUND = 396,               /* y of the ground; y grows downwards */
    DEMO_STREET_END = 452,           /* below it nothing happens */
    DEMO_HALF = DEMO_STREET_END / 2, /* a split view shows this much of its lower end, twice */
    DEMO_SPEED =
            600, /* of the poles, in units per second: 10 per frame at 60 Hz: judder is plain */
    DEMO_BALLS = 12,
    DEMO_STARS = 320,
    DEMO_JUMPER_LEFT = 376, /* x of the middles of its two circles */
    DEMO_JUMPER_RIGHT = 592,
    DEMO_JUMPER_REACH = 54, /* and their radius; its own: */
    DEMO_JUMPER_RADIUS = 8,
    DEMO_FLASHES = 8 /* clicks that are still seen */
};

/* A place in the world: where the pointer is. */
typedef struct demo_point {
    double x, y;
} demo_point;

typedef struct demo_ball {
    float x, y;                 /* centre */
    float vx, vy;               /* per second: how it goes on from here */
    float ay;                   /* per second squared; constant */
    float pass_vx, pass_vy;     /* the same, but where it bounces the mean of before and after */
    int64_t hit_x_ns, hit_y_ns; /* when it will touch a wall, and the ground */
    float launch;               /* speed with which it leaves the ground; in no layout */
    float radius;               /* constant */
    float glow;                 /* 1 at a bounce, then fading */
    uint32_t bounces;           /* chooses the colour */
} demo_ball;

/* Positions that grow for ever are doubles: a float would itself judder after some minutes. */
typedef struct demo_star {
    double x; /* grows and never wraps: wrapped here, blending would streak across the screen */
    double speed;
    float y;
    float depth; /* 0: far and slow, 1: near and fast */
} demo_star;

/* How the jumper gets from one of its places to the other, twice a second. */
typedef enum demo_jump {
    DEMO_JUMP_OFF = 0,  /* it stays where it circles */
    DEMO_JUMP_MARKED,   /* its mark counts the jumps (ES_BLEND_MARK) */
    DEMO_JUMP_UNMARKED, /* nobody is told: pictures between the two ticks show it on its way */
    DEMO_JUMP_PORTAL,   /* its past comes along (es_history_shift), and so does its motion */
    DEMO_JUMPS
} demo_jump;

/* A ball on a circle, which no straight line follows, and which jumps from place to place. */
typedef struct demo_jumper {
    double at[2]; /* x; and y from the middle of its circle, which lies where there is room */
    double velocity[2];
    double acceleration[2];
    uint32_t mark; /* counts its jumps, if it is told of them */
    int32_t place; /* 0: left, 1: right */
    int32_t jump;  /* a demo_jump: how it is to jump */
    int32_t jumps; /* so far, of any kind */
    double portal; /* by how much it and its past have yet to be shifted for a portal; 0: none */
} demo_jumper;

/* Where a click went: the tick that it belongs to made this. */
typedef struct demo_flash {
    double x, y;
    int64_t from_ns;  /* of the world's age: pictures past it show something */
    int64_t stamp_ns; /* when it happened, on the loop's clock; 0: there is none */
    int32_t before;   /* so many flashes of the same tick before it */
} demo_flash;

typedef struct demo_scene {
    int64_t tick;
    double scroll_x; /* how far the camera has travelled: grows like a star's x */
    double scroll_speed;
    double wheel_angle; /* radians in [0, 2 pi): wraps, which ES_BLEND_ANGLE is for */
    double wheel_speed;
    double marker_x, marker_y;
    double marker_vx, marker_vy;
    int64_t age_ns;     /* simulated, never back or ahead as a loop's time may go by a seek */
    demo_point pointer; /* as the ticks know it */
    demo_jumper jumper;
    demo_ball balls[DEMO_BALLS];
    demo_star stars[DEMO_STARS];
    /* in no layout: pictures show the newest, at their own time */
    demo_flash flashes[DEMO_FLASHES]; /* a ring ... */
    int64_t presses;                  /* ... that so many were put into */
    demo_map map;
    demo_task task;
    demo_groups groups;
} demo_scene;

/** Makes tick 0. The same seed makes the same world. */
void demo_scene_init(demo_scene *scene, uint32_t seed);

/** Something was clicked, at a place and an instant of the clock; before the update of its tick. */
void demo_scene_flash(demo_scene *scene, demo_point at, int64_t stamp_ns);

/** Moves the world on by one tick. The jump has an effect here only. What goes through a portal is
 * left with a shift to be made: jumper.portal. */
void demo_scene_update(demo_scene *scene, const es_step *step, demo_jump jump);

/** Says at which simulated time the world is, where that is not told by a step. */
void demo_scene_set_time(demo_scene *scene, int64_t time_ns);

/** Whether the jumper is between its two places, where it never really is. For pictures too. */
bool demo_scene_is_streak(demo_point jumper);

/** The name of a demo_jump; NULL past the last. */
const char *demo_jump_name_at(size_t index);

#endif
