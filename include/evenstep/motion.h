/* SPDX-License-Identifier: Zlib
 *
 * motion: how does a thing move in a step of any length?
 *
 * For variable steps. The usual two lines, speed += a dt; position += speed dt, lead another way in
 * long steps than in short ones: the same jump is lower on a slow machine. Here the position moves
 * with the mean speed of the step, which for a constant acceleration is exact, so the way does not
 * depend on how the time was cut. What is not constant (drag, springs, collisions) still depends on
 * it: a game that must play the same everywhere wants fixed steps.
 */
#ifndef EVENSTEP_MOTION_H
#define EVENSTEP_MOTION_H

#include "evenstep/base.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Moves one coordinate under constant acceleration.
 *
 * position, speed: changed; not NULL. Any unit of length, and that unit per second.
 * acceleration: per second squared, the same for the whole step.
 * dt_s: how long, in seconds; at least 0.
 * Returns: nothing.
 * Errors: none.
 * Ownership: borrows both for the call.
 * Threads: any thread.
 * Source: x = v t + a t^2 / 2 in the form v' = v + a t, x' = x + t (v' - a t / 2); fixed steps get
 *   from it what the integration known as velocity Verlet gives them.
 */
static inline void es_motion_accelerate(
        double *position, double *speed, double acceleration, double dt_s)
{
    double gained = acceleration * dt_s;
    *speed += gained;
    *position += dt_s * (*speed - 0.5 * gained);
}

#ifdef __cplusplus
}
#endif

#endif
