/* SPDX-License-Identifier: Zlib
 *
 * view: what the player looks at. Springs, and a camera that follows an object.
 *
 *   es_camera camera = {.spring = {.half_life_s = 0.1}};
 *   ...
 *   const double at[3] = {player.x, player.y};       // in each tick, after the update
 *   es_camera_follow(&camera, step.index, at, step.dt_s);
 *   ...
 *   double middle[3];                                // in each frame
 *   es_camera_at(&camera, &frame, middle);
 *
 * A step is the exact solution for a target that moves evenly during it, as objects do between ticks.
 * So 30 or 1000 steps per second are the same path, within 1e-12 of the motion, if a step ends at each
 * tick. The same steps give the same bytes in every build (gcc, clang: -ffp-contract=off), so springs
 * and cameras may be part of a replayed state.
 *
 * Defaults. Lengths: any unit. Pointers: not NULL, but for es_frame. A step of 0 s, below 0 or NaN moves
 * nothing, an infinite one ends at the target. A target that is not finite moves nothing. A position or
 * velocity that is not finite becomes the target, at rest. Threads: any, but one at a time per struct.
 */
#ifndef EVENSTEP_VIEW_H
#define EVENSTEP_VIEW_H

#include "evenstep/evenstep.h"

/* How something follows a target. {0}: it is at the target. */
typedef struct es_spring {
    double half_life_s; /* from rest, half of the way to a target at rest takes this time, or less
                           if it swings; up to 1e9. 0 or less, NaN: at once */
    double damping;     /* 0, or 1 and more: critical, it does not swing. From 0.05 on: it swings
                           0.267 sqrt(1 - damping^2) / half_life_s times per second */
    double follow;      /* share of the target's velocity that it knows, 0 to 1. 0: it lags by 1.19
                           half_life_s, times damping unless 0. 1: no lag at constant velocity; it
                           overshoots at turns */
} es_spring;

/* Private: a camera at a tick. aim: the middle of the dead zone. */
typedef struct es_camera_state {
    double position[3], velocity[3], target[3], aim[3], time_s;
} es_camera_state;

/* A camera in the plane, where the third numbers are 0, or in space. Change its settings before
 * es_camera_follow. Lengths are 0 or more; below 0 and NaN count as 0. It may be copied. */
typedef struct es_camera {
    es_spring spring;
    double ahead_s[3];        /* looks to where the target's velocity leads in this time */
    double zone[3];           /* the target may be this far from the middle without moving it */
    double half_view[3];      /* half of the size of what it shows, which stays ... */
    double least[3];          /* ... between these, but for shakes. Too close: it is centred */
    double most[3];           /* not over least: no bounds along this axis */
    double shake_half_life_s; /* a shake loses half its strength in this time; 0: 0.15 */
    double shake_hz;          /* how often it goes to and fro per second; 0: 12 */
    uint32_t shake_seed;      /* the same seed and times: the same shakes */
    /* private */
    es_camera_state now, before; /* at a tick, and at the one before */
    double dt_s;                 /* between both */
    int64_t next_tick;           /* after that of now; 0: nowhere yet */
    double shake, shaken_s;      /* its strength at a time */
} es_camera;

#ifdef __cplusplus
extern "C" {
#endif

/* One step, while the target goes evenly from `from` to `to`, which are the same at rest. count numbers,
 * such as 3 coordinates. velocity: per second; begins with 0. */
ES_API void es_spring_follow(const es_spring *spring, double *position, double *velocity,
        const double *from, const double *to, size_t count, double dt_s);

/* The same for an angle in radians, the short way round; half a turn goes forward. Each of the three
 * may have any number of turns; the angle is not wrapped. */
ES_API void es_spring_follow_angle(const es_spring *spring, double *angle, double *velocity,
        double from, double to, double dt_s);

/* The same for a unit quaternion x, y, z, w, the short way round. The target turns evenly, about any
 * axis. velocity: radians per second about the axes of the world. */
ES_API void es_spring_follow_quat(const es_spring *spring, double rotation[4], double velocity[3],
        const double from[4], const double to[4], double dt_s);

/* After the update, in the tick of this index (es_step.index): where the target is, and how long the
 * tick was. The last call in a tick counts. The first, and one for an earlier tick, is a cut:
 * call es_camera_cut before the first frame, which may have no tick. */
ES_API void es_camera_follow(es_camera *camera, int64_t tick, const double target[3], double dt_s);

/* The same for a target that jumped: the camera is there at once, at rest. No frame shows the way. */
ES_API void es_camera_cut(es_camera *camera, int64_t tick, const double target[3]);

/* Shakes what is seen by up to this length along each axis, on top of shakes that go on. Call it before
 * es_camera_follow. What follows is not disturbed. */
ES_API void es_camera_shake(es_camera *camera, double strength);

/* The middle of what a frame shows, at the instant of es_track2_at and es_lerp, on the path of the
 * ticks. Needs lead_ticks 0 or -1. frame NULL: at the last tick, for the simulation; and for programs
 * that call es_camera_follow in frames, with the drawn target, the frame's index and the difference of
 * content_ns to the frame before. */
ES_API void es_camera_at(const es_camera *camera, const es_frame *frame, double position[3]);

#ifdef __cplusplus
}
#endif

#endif
