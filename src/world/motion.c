/* SPDX-License-Identifier: Zlib
 *
 * Motion in steps of any length.
 */
#include "base/common.h"

#include "evenstep/world.h"

void es_motion_accelerate(double *position, double *speed, double acceleration, double dt_s)
{
    double gained = acceleration * dt_s;
    *speed += gained;
    *position += dt_s * (*speed - 0.5 * gained);
}

void es_motion_verlet_position(double *position, double speed, double acceleration, double dt_s)
{
    *position += dt_s * (speed + 0.5 * dt_s * acceleration);
}

void es_motion_verlet_speed(double *speed, double before, double after, double dt_s)
{
    *speed += 0.5 * dt_s * (before + after);
}
