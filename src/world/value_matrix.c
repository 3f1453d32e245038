/* SPDX-License-Identifier: Zlib
 *
 * Matrices between two ticks. A = R S: a rotation and a symmetric stretch, the polar decomposition.
 * Of all rotations R is the nearest to A, and shears need no case of their own: K. Shoemake and
 * T. Duff, Matrix animation and polar decomposition, 1992. R is what Newton's iteration converges to,
 * X' = (X + X^-T) / 2 from X = A: N. J. Higham, Computing the polar decomposition - with
 * applications, 1986. In double for both types.
 */
#include <math.h>

#include "field.h"
#include "value_matrix.h"

static void cofactors(double a[3][3], double c[3][3])
{
    for (int i = 0; i < 3; ++i) {
        const double *p = a[(i + 1) % 3], *q = a[(i + 2) % 3];
        c[i][0] = p[1] * q[2] - p[2] * q[1];
        c[i][1] = p[2] * q[0] - p[0] * q[2];
        c[i][2] = p[0] * q[1] - p[1] * q[0];
    }
}

/* Makes x the nearest orthogonal matrix. Returns the sign of its determinant; 0: near-singular, which
 * is under a millionth of the determinant of an even scale of the same size. x: entries up to 1. */
static double make_orthogonal(double x[3][3])
{
    double sign = 0, size = 0, change = 1, c[3][3];
    for (int i = 0; i < 9; ++i) {
        size += x[i / 3][i % 3] * x[i / 3][i % 3] / 3;
    }
    /* it converges quadratically: a step after a change of 1e-12 would change nothing */
    for (int step = 0; step < 40 && change > 1e-12; ++step) {
        cofactors(x, c);
        const double det = x[0][0] * c[0][0] + x[0][1] * c[0][1] + x[0][2] * c[0][2];
        if (step == 0 && !(fabs(det) >= 1e-6 * size * es__sqrt_f64(size))) {
            return 0;
        }
        sign = det < 0 ? -1 : 1;
        change = 0;
        for (int i = 0; i < 9; ++i) {
            const double next = (x[i / 3][i % 3] + c[i / 3][i % 3] / det) / 2;
            change += fabs(next - x[i / 3][i % 3]);
            x[i / 3][i % 3] = next;
        }
    }
    return sign;
}

/* From the largest component: S. W. Shepperd, Quaternion from rotation matrix, 1978. */
static void quaternion_of(double r[3][3], double q[4])
{
    const double trace = r[0][0] + r[1][1] + r[2][2];
    int i = r[1][1] > r[0][0] ? 1 : 0;
    i = r[2][2] > r[i][i] ? 2 : i;
    const int j = (i + 1) % 3, k = (i + 2) % 3;
    if (trace > r[i][i]) {
        q[3] = 1 + trace;
        q[0] = r[2][1] - r[1][2];
        q[1] = r[0][2] - r[2][0];
        q[2] = r[1][0] - r[0][1];
    } else {
        q[i] = 1 + r[i][i] - r[j][j] - r[k][k];
        q[j] = r[j][i] + r[i][j];
        q[k] = r[k][i] + r[i][k];
        q[3] = r[k][j] - r[j][k];
    }
    const double length = es__sqrt_f64(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
    for (int c = 0; c < 4; ++c) {
        q[c] = q[c] / length;
    }
}

static void parts_of(double a[3][3], double parts[ES_MATRIX_PARTS])
{
    double most = 0, x[3][3];
    bool finite = true;
    for (int i = 0; i < 9; ++i) {
        const double size = fabs(a[i / 3][i % 3]);
        most = size > most ? size : most;
        finite = finite && (es__bits_of(size) >> 52) < 0x7ff; /* not by comparisons: gcc drops them
                                                                  with -ffinite-math-only */
    }
    memset(parts, 0, ES_MATRIX_PARTS * sizeof parts[0]);
    if (!finite || most == 0) {
        return;
    }
    for (int i = 0; i < 9; ++i) {
        x[i / 3][i % 3] = a[i / 3][i % 3] / most;
    }
    const double sign = make_orthogonal(x);
    if (sign == 0) {
        return;
    }
    for (int i = 0; i < 9; ++i) {
        x[i / 3][i % 3] *= sign;
    }
    quaternion_of(x, parts);
    for (int k = 0; k < 6;
            ++k) { /* both halves of the symmetric part of x^T a, which agree but for rounding */
        static const int rows[] = {0, 1, 2, 0, 0, 1}, columns[] = {0, 1, 2, 1, 2, 2};
        for (int i = 0; i < 3; ++i) {
            parts[4 + k] +=
                    (x[i][rows[k]] * a[i][columns[k]] + x[i][columns[k]] * a[i][rows[k]]) / 2;
        }
    }
    parts[10] = sign;
}

#define NUMBER  float
#define NAME(x) x##_f32
#define KERNELS f32
#include "value_matrix.inc.h"

#define NUMBER  double
#define NAME(x) x##_f64
#define KERNELS f64
#include "value_matrix.inc.h"

static bool is_matrix(es_blend_kind order, size_t floats, const float *matrix)
{
    return matrix != NULL && es__is_matrix(order)
           && (floats == 12 || floats == 16 || floats == 24 || floats == 28);
}

void es_matrix_keep(es_blend_kind order, size_t floats, float *matrix)
{
    if (floats <= 16 || !is_matrix(order, floats, matrix)) {
        return;
    }
    es__matrix_parts_f32(
            order, floats - ES_MATRIX_PARTS, matrix, matrix + floats - ES_MATRIX_PARTS);
}

void es_lerp_matrix(
        es_blend_kind order, size_t floats, const float *a, const float *b, double t, float *out)
{
    const float at = (float)t;
    if (out == NULL || !is_matrix(order, floats, a) || !is_matrix(order, floats, b)) {
        return;
    }
    if (at > 0 && at < 1) {
        es__rotor_of_f32 rotor;
        es__rotor_f32(&rotor, at);
        es__matrix_f32(order, floats, a, b, &rotor, out);
    } else {
        memmove(out, at <= 0 ? a : b, floats * sizeof out[0]);
    }
}
