/* SPDX-License-Identifier: Zlib
 *
 * Lines and circles under their public names. Ratios: value_ratio.c. Colours: value_colour.c.
 */
#include "evenstep/value.h"

#include "value_parts.h"

float es_lerp_f32(float a, float b, float alpha)
{
    return es__value_lerp_f32(a, b, alpha);
}

double es_lerp_f64(double a, double b, double alpha)
{
    return es__value_lerp_f64(a, b, alpha);
}

float es_angle_f32(float a, float b, float alpha)
{
    return es__value_angle_f32(a, b, alpha);
}

double es_angle_f64(double a, double b, double alpha)
{
    return es__value_angle_f64(a, b, alpha);
}

float es_cyclic_f32(float a, float b, float alpha, float period)
{
    return es__value_cyclic_f32(a, b, alpha, period);
}

double es__cyclic_f64(double a, double b, double alpha, double period)
{
    return es__value_cyclic_f64(a, b, alpha, period);
}
