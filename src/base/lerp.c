/* SPDX-License-Identifier: Zlib
 *
 * The functions behind macros of evenstep.h, for other languages.
 */
#include "base/common.h"

double(es_lerp)(double a, double b, double t)
{
    return es_lerp_(a, b, t);
}

float(es_lerpf)(float a, float b, double t)
{
    return es_lerpf_(a, b, t);
}
