/* SPDX-License-Identifier: Zlib
 *
 * What tests of blends share without a framework: random numbers, and where the numbers of a field
 * are, by arithmetic of its own.
 */
#ifndef BLEND_PLACES_H
#define BLEND_PLACES_H

#include "evenstep/world.h"
#include "test_random.h"

#include <string.h>

#define REF_PI 3.141592653589793238462643383279502884L

/* The same on every machine. */
static inline double uniform(test_random *random, double low, double high)
{
    return low + (high - low) * ((double)(random_u64(random) >> 11) / 9007199254740992.0);
}

static inline size_t ref_components(const es_field *field)
{
    return field->components > 1 ? field->components : 1;
}

static inline size_t ref_type_size(es_type type)
{
    static const size_t sizes[] = {1, 4, 8, 4, 4, 8, 1};
    return sizes[type];
}

static inline size_t ref_place(const es_field *field, size_t element, size_t component)
{
    size_t per = field->component_stride > 0 ? field->component_stride : ref_type_size(field->type);
    return field->offset + element * field->stride + component * per;
}

static inline long double ref_number(
        const void *state, const es_field *field, size_t element, size_t component)
{
    const unsigned char *at = (const unsigned char *)state + ref_place(field, element, component);
    float f32;
    double f64;
    int64_t i64;
    switch (field->type) {
    case ES_TYPE_F32:
        memcpy(&f32, at, sizeof f32);
        return (long double)f32;
    case ES_TYPE_F64:
        memcpy(&f64, at, sizeof f64);
        return (long double)f64;
    case ES_TYPE_I64:
        memcpy(&i64, at, sizeof i64);
        return (long double)i64;
    default:
        return (long double)*at;
    }
}

/* A whole turn of a number on a circle; else 0. */
static inline long double ref_turn(const es_field *field)
{
    if (field->blend == ES_BLEND_ANGLE) {
        return field->type == ES_TYPE_F32 ? (long double)(float)(2 * REF_PI)
                                          : (long double)(double)(2 * REF_PI);
    }
    if (field->blend == ES_BLEND_CYCLIC) {
        return field->type == ES_TYPE_F32 ? (long double)(float)field->period
                                          : (long double)field->period;
    }
    return 0;
}

#endif
