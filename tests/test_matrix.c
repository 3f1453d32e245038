/* SPDX-License-Identifier: Zlib
 *
 * Matrices against a polar decomposition and a slerp in long double: the rotation's error, ends, rest,
 * cuts, matrices that are blended number by number; each arrangement by each instruction set, as the
 * macro, and as es_lerp_matrix.
 */
#include "world_support.h"

enum { OBJECTS = 37, MATRICES = 20000 };

typedef long double matrix3[3][3];

/* a, or its transposed, times b. */
static void multiply(matrix3 a, bool transposed, matrix3 b, matrix3 out)
{
    matrix3 product = {{0}};
    for (int i = 0; i < 27; ++i) {
        const int r = i / 9, c = i / 3 % 3, k = i % 3;
        product[r][c] += (transposed ? a[k][r] : a[r][k]) * b[k][c];
    }
    memcpy(out, product, sizeof product);
}

/* By Rodrigues' formula. */
static void turn_by(const long double axis[3], long double angle, matrix3 out)
{
    const long double s = sinl(angle), v = 1 - cosl(angle);
    for (int i = 0; i < 9; ++i) {
        const int r = i / 3, c = i % 3;
        const long double across = r == c                 ? 0
                                   : (c - r + 3) % 3 == 1 ? -axis[3 - r - c]
                                                          : axis[3 - r - c];
        out[r][c] = (r == c ? cosl(angle) : 0) + v * axis[r] * axis[c] + s * across;
    }
}

/* The orthogonal matrix nearest to a: Newton's iteration without scaling, long after it converged. */
static void nearest_turn(matrix3 a, matrix3 out)
{
    memmove(out, a, sizeof(matrix3));
    for (int step = 0; step < 60; ++step) {
        matrix3 x;
        memcpy(x, out, sizeof x);
        long double det = 0;
        for (int i = 0; i < 9; ++i) {
            const int r = i / 3, c = i % 3, r1 = (r + 1) % 3, r2 = (r + 2) % 3;
            const long double co = x[r1][(c + 1) % 3] * x[r2][(c + 2) % 3]
                                   - x[r1][(c + 2) % 3] * x[r2][(c + 1) % 3];
            out[r][c] = co;
            det += r == 0 ? x[0][c] * co : 0;
        }
        for (int i = 0; i < 9; ++i) {
            out[i / 3][i % 3] = (x[i / 3][i % 3] + out[i / 3][i % 3] / det) / 2;
        }
    }
}

/* Turned by up to 166 degrees, scaled by axis, sheared, mirrored as `mirrors` says. */
static void random_matrix(test_random *random, matrix3 turn, bool mirrors, float m[16])
{
    const long double up = (long double)uniform(random, -1, 1), flat = sqrtl(1 - up * up);
    const long double at = (long double)uniform(random, 0, 6.28);
    const long double axis[3] = {flat * cosl(at), flat * sinl(at), up};
    matrix3 a = {{0}}, more;
    for (int i = 0; i < 3; ++i) {
        a[i][i] = (long double)uniform(random, 0.3, 3);
    }
    a[0][1] = (long double)uniform(random, -0.5, 0.5) * a[1][1];
    a[1][2] = (long double)uniform(random, -0.5, 0.5) * a[2][2];
    a[0][0] *= mirrors ? -1 : 1;
    turn_by(axis, (long double)uniform(random, 0, 2.9), more);
    multiply(turn, false, more, turn);
    multiply(turn, false, a, a);
    for (int i = 0; i < 16; ++i) {
        const int r = i % 4, c = i / 4;
        m[i] = r < 3 && c < 3 ? (float)a[r][c]
               : i == 15      ? 1
               : r == 3       ? 0
                              : (float)uniform(random, -99, 99);
    }
}

/* A polar decomposition. */
static void decompose(const float m[16], matrix3 turn, matrix3 stretch)
{
    matrix3 a;
    for (int i = 0; i < 9; ++i) {
        a[i / 3][i % 3] = (long double)m[i % 3 * 4 + i / 3];
    }
    nearest_turn(a, turn);
    multiply(turn, true, a, stretch);
}

/* The rotation's error in degrees; *most: the largest error of a number of the stretch. */
static long double error_of(const float a[16], const float b[16], long double t,
        const float shown[16], long double *most)
{
    matrix3 from, to, expected, is, stretches[3], way;
    long double off = 0;
    decompose(a, from, stretches[0]);
    decompose(b, to, stretches[1]);
    decompose(shown, is, stretches[2]);
    multiply(from, true, to, way); /* a rotation, also between two mirrored ones */
    const long double s[3] = {way[2][1] - way[1][2], way[0][2] - way[2][0], way[1][0] - way[0][1]};
    const long double sine = sqrtl(s[0] * s[0] + s[1] * s[1] + s[2] * s[2]);
    const long double axis[3] = {s[0] / sine, s[1] / sine, s[2] / sine};
    turn_by(axis, t * atan2l(sine, way[0][0] + way[1][1] + way[2][2] - 1), expected);
    multiply(from, false, expected, expected);
    for (int i = 0; i < 9; ++i) {
        const int r = i / 3, c = i % 3;
        const long double line = stretches[0][r][c] + t * (stretches[1][r][c] - stretches[0][r][c]);
        *most = fmaxl(*most, fabsl(line - stretches[2][r][c]));
        off += (is[r][c] - expected[r][c]) * (is[r][c] - expected[r][c]);
    }
    return 2 * asinl(fminl(sqrtl(off / 8), 1)) * 57.295779513082320877L;
}

TEST(rotations_are_within_a_thousandth_of_a_degree)
{
    test_random random = {53};
    long double worst = 0, worst_stretch = 0;
    for (int i = 0; i < MATRICES / TEST_SHARE; ++i) {
        float a[28], b[28], shown[28], kept[28];
        matrix3 turn = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
        const double t = uniform(&random, 0, 1);
        random_matrix(&random, turn, i % 3 == 0, a);
        random_matrix(&random, turn, i % 3 == 0, b);
        es_lerp_matrix(ES_BLEND_MATRIX, 16, a, b, t, shown);
        worst = fmaxl(worst, error_of(a, b, (long double)(float)t, shown, &worst_stretch));
        for (int k = 12; k < 15; ++k) {
            assert_true(shown[k] == a[k] - (float)t * (a[k] - b[k]));
        }
        es_matrix_keep(ES_BLEND_MATRIX, 28, a);
        es_matrix_keep(ES_BLEND_MATRIX, 28, b);
        es_lerp_matrix(ES_BLEND_MATRIX, 28, a, b, t, kept);
        assert_memory_equal(kept, shown, 16 * sizeof shown[0]);
        es_lerp_matrix(ES_BLEND_MATRIX, 28, a, b, 0, kept);
        assert_memory_equal(kept, a, sizeof a);
        es_lerp_matrix(ES_BLEND_MATRIX, 28, a, b, NAN, kept);
        assert_memory_equal(kept, b, sizeof b);
        memcpy(kept, a, sizeof a); /* only moves */
        kept[12] += 1;
        es_lerp_matrix(ES_BLEND_MATRIX, 28, a, kept, t, shown);
        assert_memory_equal(shown, a, 12 * sizeof a[0]);
    }
    if (!(worst < 1e-3L && worst_stretch < 1e-5L)) {
        fail_msg("%Lg degrees, %Lg", worst, worst_stretch);
    }
}

/* --- every arrangement -------------------------------------------------------------------------- */

typedef struct thing {
    float columns[16], columns3[12], rows[16], rows3[12];
    float kept[28], kept3[24], kept_rows[28], kept_rows3[24];
    double wide[16];
} thing;

typedef struct world {
    thing things[OBJECTS];
    float spread[16][OBJECTS]; /* an array per number */
} world;

#define EACH(member, kind) ES_FIELD_OF_EACH(world, things, member, ES_BLEND_##kind)
static const es_field fields[] = {EACH(columns, MATRIX), EACH(columns3, MATRIX),
        EACH(rows, MATRIX_ROWS), EACH(rows3, MATRIX_ROWS), EACH(kept, MATRIX), EACH(kept3, MATRIX),
        EACH(kept_rows, MATRIX_ROWS), EACH(kept_rows3, MATRIX_ROWS), EACH(wide, MATRIX),
        ES_FIELD_BY_HAND("spread", ES_TYPE_F32, ES_BLEND_MATRIX, ES_WITH(count, OBJECTS),
                ES_WITH(components, 16), ES_WITH(offset, offsetof(world, spread)),
                ES_WITH(stride, 4), ES_WITH(component_stride, OBJECTS * sizeof(float)))};
#define MEMBERS(M)                                                                                 \
    M(columns, MATRIX)                                                                             \
    M(columns3, MATRIX)                                                                            \
    M(rows, MATRIX_ROWS)                                                                           \
    M(rows3, MATRIX_ROWS)                                                                          \
    M(kept, MATRIX) M(kept3, MATRIX) M(kept_rows, MATRIX_ROWS) M(kept_rows3, MATRIX_ROWS)
ES_DEFINE_BLEND(thing, MEMBERS)

/* Where number i of a column-major 4x4 is elsewhere; 16: nowhere. */
static int place(int i, bool rows, bool three)
{
    const int r = i % 4, c = i / 4;
    return three && r == 3 ? 16 : rows ? 4 * r + c : three ? 3 * c + r : i;
}

static void put(world *w, size_t n, const float m[16])
{
    thing *it = &w->things[n];
    for (int i = 0; i < 16; ++i) {
        it->columns[i] = it->kept[i] = w->spread[i][n] = m[i];
        it->wide[i] = (double)m[i];
        it->rows[place(i, true, false)] = it->kept_rows[place(i, true, false)] = m[i];
        if (place(i, true, true) < 16) {
            it->rows3[place(i, true, true)] = it->kept_rows3[place(i, true, true)] = m[i];
            it->columns3[place(i, false, true)] = it->kept3[place(i, false, true)] = m[i];
        }
    }
    es_matrix_keep(ES_BLEND_MATRIX, 28, it->kept);
    es_matrix_keep(ES_BLEND_MATRIX, 24, it->kept3);
    es_matrix_keep(ES_BLEND_MATRIX_ROWS, 28, it->kept_rows);
    es_matrix_keep(ES_BLEND_MATRIX_ROWS, 24, it->kept_rows3);
}

/* Every fourth one turns, moves, rests, is mirrored in one tick; one is flat, one infinite. */
TEST(arrangements_and_instruction_sets_agree)
{
    static world a, b, out, scalar, expected;
    test_random random = {7};
    const es_layout layout = layout_of(fields, sizeof fields / sizeof fields[0], sizeof(world));
    const es_blend_tick ticks[] = {{&b, 0}, {&a, 0}};
    for (size_t n = 0; n < OBJECTS; ++n) {
        float from[16], to[16], shown[16];
        matrix3 turn = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
        random_matrix(&random, turn, n % 2 == 0, from);
        random_matrix(&random, turn, (n % 2 == 0) != (n % 4 == 3), to);
        memcpy(to, from, n % 4 == 1 ? 12 * sizeof to[0] : n % 4 == 2 ? sizeof to : 0);
        for (size_t k = 0; n == 20 && k < 3; ++k) {
            to[k] = 0;
        }
        from[4] = n == 28 ? INFINITY : from[4];
        put(&a, n, from);
        put(&b, n, to);
        es_lerp_matrix(ES_BLEND_MATRIX, 16, from, to, 0.37, shown);
        put(&expected, n, shown);
        for (size_t k = 0; k < 16; ++k) {
            const float line = from[k] - 0.37F * (from[k] - to[k]);
            assert_true(n % 4 != 2 || shown[k] == from[k]);
            assert_true(n % 4 != 3 || shown[k] == to[k]);
            assert_true(n != 20 || shown[k] == line);
            assert_true(n != 28 || k == 4 || shown[k] == line);
        }
    }
    for (int simd = ES_SIMD_SCALAR; simd <= ES_SIMD_NEON; ++simd) {
        es__blend_job job = {
                &layout, ticks, 2, simd == ES_SIMD_SCALAR ? &scalar : &out, .alpha = 0.37};
        if (run_by(&job, simd) && simd > ES_SIMD_SCALAR) {
            assert_memory_equal(&out, &scalar, sizeof out);
        }
    }
    assert_memory_equal(scalar.spread, expected.spread, sizeof scalar.spread);
    for (size_t n = 0; n < OBJECTS; ++n) {
        const thing *it = &scalar.things[n];
        assert_memory_equal(it, &expected.things[n], offsetof(thing, kept));
        assert_memory_equal(it->kept, expected.things[n].kept, sizeof it->columns);
        assert_memory_equal(it->kept3, expected.things[n].kept3, sizeof it->columns3);
        assert_memory_equal(it->kept_rows, expected.things[n].kept_rows, sizeof it->rows);
        assert_memory_equal(it->kept_rows3, expected.things[n].kept_rows3, sizeof it->rows3);
        for (int i = 0; i < 16; ++i) {
            assert_true(isinf(it->wide[i]) || fabs(it->wide[i] - (double)it->columns[i]) <= 1e-5);
        }
        const thing shown = thing_blend(&a.things[n], &b.things[n], 0.37);
        assert_memory_equal(&shown, it, offsetof(thing, wide));
    }
}

TEST(projective_and_near_singular_matrices_are_mixed_number_by_number)
{
    const float one[16] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1};
    const float turned[16] = {0, 1, 0, 0, -1, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1};
    static const struct {
        int place;
        float number;
        bool mixed;
    } cases[] = {{15, 1, false}, {15, 2, true}, {3, 0.1F, true}, {10, 0, true}, {10, 1e-7F, true},
            {10, 1e-5F, false}, {10, NAN, true}, {10, -1, false}, {5, INFINITY, true}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
        float a[16], out[16];
        memcpy(a, turned, sizeof a);
        a[cases[i].place] = cases[i].number;
        es_lerp_matrix(ES_BLEND_MATRIX, 16, one, a, 0.5, out);
        assert_int_equal(out[1] == 0.5F, cases[i].mixed);
    }
}

TEST(wrong_counts_orders_and_pointers_have_no_effect)
{
    float m[28] = {0}, before[28];
    for (int i = 0; i < 28; ++i) {
        m[i] = before[i] = (float)(i * i);
    }
    es_matrix_keep(ES_BLEND_MATRIX, 16, m);
    es_matrix_keep(ES_BLEND_LINEAR, 28, m);
    es_matrix_keep(ES_BLEND_MATRIX, 28, NULL);
    es_lerp_matrix(ES_BLEND_MATRIX, 9, m + 1, before, 0, m);
    es_lerp_matrix(ES_BLEND_MARK, 16, m + 1, before, 0, m);
    es_lerp_matrix(ES_BLEND_MATRIX, 16, NULL, before, 0, m);
    es_lerp_matrix(ES_BLEND_MATRIX, 16, before, NULL, 0, m);
    es_lerp_matrix(ES_BLEND_MATRIX, 16, before, before, 0, NULL);
    assert_memory_equal(m, before, sizeof m);
    es_lerp_matrix(ES_BLEND_MATRIX, 16, m, before, 1, m);
    assert_memory_equal(m, before, sizeof m);
    float zero[28] = {0};
    es_matrix_keep(ES_BLEND_MATRIX, 28, zero);
    for (int i = 0; i < 28; ++i) {
        assert_true(zero[i] == 0);
    }
}
