/* SPDX-License-Identifier: Zlib
 *
 * motion: how a thing moves in a step of any length.
 *
 * The usual two lines, speed += a dt; position += speed dt, give another path in long steps than in
 * short ones: the same jump is lower on a slow machine. For a constant acceleration
 * es_motion_accelerate is exact. For an acceleration that depends on the position or on time
 * (springs, orbits, magnets), compute it between two calls:
 *
 *   es_motion_verlet_position(&x, v, a, dt);
 *   double after = acceleration_at(x);
 *   es_motion_verlet_speed(&v, a, after, dt);
 *   a = after;
 *
 * That is near, not exact. Drag and collisions are covered by neither: a game that must play the
 * same everywhere uses fixed steps.
 *
 * Units: any unit of length, that unit per second and per second squared. dt_s is in seconds, at
 * least 0. Pointers must not be NULL. Any thread may call these functions.
 */
#ifndef EVENSTEP_MOTION_H
#define EVENSTEP_MOTION_H

#include "evenstep/evenstep.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Moves one coordinate under an acceleration that is constant during the step.
 *
 * v' = v + a t, x' = x + t (v' - a t / 2): the exact x = v t + a t^2 / 2 for any split of the time.
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
 * call es_motion_verlet_speed for each. speed and acceleration are those at the step's start. The
 * acceleration may depend on positions and on time; with drag the method is only of first order.
 * dt_s: below 2 divided by the fastest oscillation's angular frequency (radians per second), or the
 *   motion grows without bound; a tenth of that is good.
 *
 * Second order: half the step makes a quarter of the error. With steps of one length and a force
 * that conserves energy, the energy's error stays bounded. Source: Swope, Andersen, Berens and
 * Wilson, J. Chem. Phys. 76, 637 (1982), after Verlet, Phys. Rev. 159, 98 (1967).
 */
static inline void es_motion_verlet_position(
        double *position, double speed, double acceleration, double dt_s)
{
    *position += dt_s * (speed + 0.5 * dt_s * acceleration);
}

/** Velocity Verlet, second half: updates the speed with the acceleration at the new position.
 *
 * before: the acceleration given to es_motion_verlet_position.
 * after: the one at the step's end: `before` of the next step.
 */
static inline void es_motion_verlet_speed(double *speed, double before, double after, double dt_s)
{
    *speed += 0.5 * dt_s * (before + after);
}

#ifdef __cplusplus
}
#endif

#endif
