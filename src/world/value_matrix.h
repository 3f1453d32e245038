/* SPDX-License-Identifier: Zlib
 *
 * One matrix between two, and the parts of a matrix. A quaternion, the stretch (xx yy zz xy xz yz, of a
 * mirroring matrix negative), the determinant's sign, 0. All zero: a matrix that is blended number by
 * number (projective, near-singular, not finite).
 */
#ifndef ES_VALUE_MATRIX_H
#define ES_VALUE_MATRIX_H

#include "simd/kernels.h"

/* Numbers: 12 or 16, or with the parts behind them 24 or 28. */
static inline es__matrix_form es__matrix_form_of(es_blend_kind order, size_t numbers)
{
    const size_t own = numbers > 16 ? numbers - ES_MATRIX_PARTS : numbers;
    return order == ES_BLEND_MATRIX ? (es__matrix_form){own, 1, own / 4}
                                    : (es__matrix_form){own, 4, 1};
}

void es__matrix_parts_f32(
        es_blend_kind order, size_t numbers, const float *m, float parts[ES_MATRIX_PARTS]);
void es__matrix_parts_f64(
        es_blend_kind order, size_t numbers, const double *m, double parts[ES_MATRIX_PARTS]);

/* Strictly between two. out: may be a or b; its parts are b's. */
void es__matrix_f32(es_blend_kind order, size_t numbers, const float *a, const float *b,
        const es__rotor_of_f32 *rotor, float *out);
void es__matrix_f64(es_blend_kind order, size_t numbers, const double *a, const double *b,
        const es__rotor_of_f64 *rotor, double *out);

#endif
