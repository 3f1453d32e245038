/* SPDX-License-Identifier: Zlib
 *
 * motion: how does a thing move in a step of any length?
 *
 * The usual two lines, speed += a dt; position += speed dt, lead another way in long steps than in
 * short ones: the same jump is lower on a slow machine. For a constant acceleration
 * es_motion_accelerate is exact, so the way does not depend on how the time was cut. For one that
 * depends on the position or on time (springs, orbits, magnets) there are two calls, and the
 * acceleration is computed between them:
 *
 *   es_motion_verlet_position(&x, v, a, dt);
 *   double after = acceleration_at(x);
 *   es_motion_verlet_speed(&v, a, after, dt);
 *   a = after;
 *
 * That is near, not exact: a game that must play the same everywhere wants fixed steps. So do drag
 * and collisions, which neither covers.
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
 * Source: x = v t + a t^2 / 2 in the form v' = v + a t, x' = x + t (v' - a t / 2).
 */
static inline void es_motion_accelerate(
        double *position, double *speed, double acceleration, double dt_s)
{
    double gained = acceleration * dt_s;
    *speed += gained;
    *position += dt_s * (*speed - 0.5 * gained);
}

/** Velocity Verlet, first half: moves one coordinate under an acceleration that changes.
 *
 * Call it for every coordinate of every body, compute the accelerations at the new positions, then
 * call es_motion_verlet_speed for each.
 * position: changed; not NULL. Any unit of length.
 * speed: at the step's start; that unit per second.
 * acceleration: at the step's start; per second squared. It may depend on positions and on time,
 *   not on speeds: with drag the method is only of first order.
 * dt_s: the step, in seconds; at least 0. Below 2 divided by the fastest oscillation's angular
 *   frequency (radians per second), or the motion grows without bound; a tenth of that is good.
 * Returns: nothing.
 * Errors: none.
 * Ownership: borrows position for the call.
 * Threads: any thread.
 * Source: Swope, Andersen, Berens and Wilson, J. Chem. Phys. 76, 637 (1982), after Verlet, Phys.
 *   Rev. 159, 98 (1967). Second order: half the step makes a quarter of the error. With steps of
 *   one length and a force that conserves energy, the energy's error stays bounded.
 */
static inline void es_motion_verlet_position(
        double *position, double speed, double acceleration, double dt_s)
{
    *position += dt_s * (speed + 0.5 * dt_s * acceleration);
}

/** Velocity Verlet, second half: the speed, once the acceleration at the new position is known.
 *
 * speed: changed; not NULL. As given to es_motion_verlet_position.
 * before: the acceleration that es_motion_verlet_position was given.
 * after: that at the new position, at the step's end: the next step's `acceleration`.
 * dt_s: the same step, in seconds.
 * Returns: nothing.
 * Errors: none.
 * Ownership: borrows speed for the call.
 * Threads: any thread.
 * Source: as es_motion_verlet_position. With before equal to after, both are es_motion_accelerate.
 */
static inline void es_motion_verlet_speed(double *speed, double before, double after, double dt_s)
{
    *speed += 0.5 * dt_s * (before + after);
}

#ifdef __cplusplus
}
#endif

#endif
