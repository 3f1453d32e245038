/* SPDX-License-Identifier: Zlib
 *
 * Lines and circles as functions. Ratios: value_ratio.c. Colours: value_colour.c.
 */
#include "evenstep/world.h"

#include "value_parts.h"

double es_lerp_angle(double a, double b, double t)
{
    return es__value_angle_f64(a, b, t);
}

float es__lerp_f32(float a, float b, float alpha)
{
    return es__value_lerp_f32(a, b, alpha);
}

double es__lerp_f64(double a, double b, double alpha)
{
    return es__value_lerp_f64(a, b, alpha);
}

float es__cyclic_f32(float a, float b, float alpha, float period)
{
    return es__value_cyclic_f32(a, b, alpha, period);
}

double es__cyclic_f64(double a, double b, double alpha, double period)
{
    return es__value_cyclic_f64(a, b, alpha, period);
}
