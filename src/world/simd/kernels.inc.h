/* SPDX-License-Identifier: Zlib
 *
 * The kernels, once for all instruction sets and both number types. A file per instruction set
 * includes this with
 *   NUMBER             float or double
 *   TYPED(x), NAME(x)  x with the suffix of the type; and with a prefix of the instruction set
 *   LANES, WIDE, MASK  numbers per vector; a vector; what a comparison of vectors gives
 *   UNROLL             1 or 2: vectors of rotations at once, where the registers hold two
 *   TARGET             the attribute that lets a function use the instruction set
 *   W_...              operations on vectors, each rounded as its scalar counterpart
 * Lanes never mix, so a number's result depends neither on its neighbours nor on the width. Where a
 * lane is special (not finite, no unit quaternion), a slower path computes its vector again, with
 * the same bytes for the other lanes.
 */

#if defined(__GNUC__) && !defined(__clang__)
#define EACH(count) _Pragma("GCC unroll 2") for (int k = 0; k < (count); ++k)
#else
#define EACH(count) for (int k = 0; k < (count); ++k)
#endif

/* ---- linear ---- */

#define LINEAR_BLOCK ((size_t)LANES * 4)

/* A lane's difference overflowed or is a NaN: each lane by the scalar function. */
static TARGET ES_COLD WIDE NAME(lerp_again)(WIDE a, WIDE b, WIDE alpha)
{
    NUMBER from[LANES], to[LANES], at[LANES], out[LANES];
    W_STORE(from, a);
    W_STORE(to, b);
    W_STORE(at, alpha);
    for (int i = 0; i < LANES; ++i) {
        out[i] = TYPED(es__lerp)(from[i], to[i], at[i]);
    }
    return W_LOAD(out);
}

/* a - alpha (a - b): es__value_lerp has the reasons. */
static TARGET inline WIDE NAME(lerp_wide)(WIDE a, WIDE b, WIDE alpha)
{
    WIDE difference = a - b;
    WIDE result = a - alpha * difference;
    if (ES_RARELY(W_ANY(W_NOT_LE(W_ABS(difference), W_SET(NUMBER_MAX))))) {
        result = NAME(lerp_again)(a, b, alpha);
    }
    return result;
}

static TARGET ES_COLD void NAME(linear_rest)(
        const NUMBER *a, const NUMBER *b, NUMBER *out, size_t n, NUMBER alpha)
{
    for (size_t i = 0; i < n; ++i) {
        out[i] = TYPED(es__lerp)(a[i], b[i], alpha);
    }
}

/* Several vectors with one test: a difference that is not finite makes `doubt` a NaN, and all are
 * computed again. */
static TARGET inline void NAME(linear_block)(
        const NUMBER *a, const NUMBER *b, NUMBER *out, NUMBER alpha, bool stream)
{
    WIDE t = W_SET(alpha), doubt = W_SET(0);
    for (size_t i = 0; i < LINEAR_BLOCK; i += LANES) {
        WIDE from = W_LOAD(a + i);
        WIDE difference = from - W_LOAD(b + i);
        WIDE result = from - t * difference;
        doubt = doubt + (difference - difference);
        if (stream) {
            W_STREAM(out + i, result);
        } else {
            W_STORE(out + i, result);
        }
    }
    if (ES_RARELY(W_ANY(W_NOT_LE(doubt, doubt)))) {
        NAME(linear_rest)(a, b, out, LINEAR_BLOCK, alpha);
    }
}

static TARGET void NAME(linear)(
        const NUMBER *a, const NUMBER *b, NUMBER *out, size_t n, NUMBER alpha, bool stream)
{
    size_t i = 0;
    for (; stream && i + LINEAR_BLOCK <= n; i += LINEAR_BLOCK) {
        NAME(linear_block)(a + i, b + i, out + i, alpha, true);
    }
    for (; i + LINEAR_BLOCK <= n; i += LINEAR_BLOCK) {
        NAME(linear_block)(a + i, b + i, out + i, alpha, false);
    }
    for (; i + LANES <= n; i += LANES) {
        WIDE result = NAME(lerp_wide)(W_LOAD(a + i), W_LOAD(b + i), W_SET(alpha));
        if (stream) { /* never both kinds of stores to one cache line: that takes twice as long */
            W_STREAM(out + i, result);
        } else {
            W_STORE(out + i, result);
        }
    }
    NAME(linear_rest)(a + i, b + i, out + i, n - i, alpha);
}

/* ---- cyclic ---- */

static TARGET ES_COLD WIDE NAME(cyclic_again)(WIDE a, WIDE b, WIDE alpha, NUMBER turn)
{
    NUMBER from[LANES], to[LANES], at[LANES], out[LANES];
    W_STORE(from, a);
    W_STORE(to, b);
    W_STORE(at, alpha);
    for (int i = 0; i < LANES; ++i) {
        out[i] = TYPED(es__cyclic)(from[i], to[i], at[i], turn);
    }
    return W_LOAD(out);
}

/* Adds or subtracts one turn; lanes further apart, or near half a turn, take the scalar function.
 * From a - b, as es__value_cyclic. */
static TARGET inline WIDE NAME(cyclic_wide)(WIDE a, WIDE b, WIDE alpha, NUMBER turn)
{
    WIDE whole = W_SET(turn), half = W_SET(turn / 2), sure = W_SET(turn * (NUMBER)0.499);
    WIDE difference = a - b;
    WIDE rest = W_SELECT(W_LT(half, difference), difference - whole, difference);
    rest = W_SELECT(W_LT(difference, -half), difference + whole, rest);
    WIDE result = a - alpha * rest;
    if (ES_RARELY(W_ANY(W_NOT_LE(W_ABS(rest), sure)))) {
        result = NAME(cyclic_again)(a, b, alpha, turn);
    }
    return result;
}

static TARGET void NAME(cyclic)(
        const NUMBER *a, const NUMBER *b, NUMBER *out, size_t n, NUMBER alpha, NUMBER turn)
{
    WIDE t = W_SET(alpha);
    size_t i = 0;
    for (; i + LANES <= n; i += LANES) {
        W_STORE(out + i, NAME(cyclic_wide)(W_LOAD(a + i), W_LOAD(b + i), t, turn));
    }
    for (; i < n; ++i) {
        out[i] = TYPED(es__cyclic)(a[i], b[i], alpha, turn);
    }
}

/* ---- rotation: the formula and its constants are in rotation.h ---- */

#if LANES == 1

static NUMBER NAME(polynomial)(const double *c, int count, NUMBER x)
{
    NUMBER sum = (NUMBER)c[count - 1];
    for (int i = count - 2; i >= 0; --i) {
        sum = sum * x + (NUMBER)c[i];
    }
    return sum;
}

ES_NO_SLP void TYPED(es__rotor)(TYPED(es_rotor) * r, NUMBER alpha)
{
    static const double c2[] = {ES_ROTATION_C2}, c3[] = {ES_ROTATION_C3}, c4[] = {ES_ROTATION_C4};
    static const double c5[] = {ES_ROTATION_C5}, p1[] = {ES_ROTATION_P1}, p2[] = {ES_ROTATION_P2};
    static const double p3[] = {ES_ROTATION_P3}, p4[] = {ES_ROTATION_P4};
    NUMBER middle = alpha - (NUMBER)0.5;
    NUMBER s = middle * middle;
    NUMBER g = (alpha * middle) * (alpha - 1);
    r->t = alpha;
    r->e[0] = g * (NUMBER)ES_ROTATION_C1;
    r->e[1] = g * NAME(polynomial)(c2, 2, s);
    r->e[2] = g * NAME(polynomial)(c3, 3, s);
    r->e[3] = g * NAME(polynomial)(c4, 3, s);
    r->e[4] = g * NAME(polynomial)(c5, 5, s);
    r->p[0] = (NUMBER)ES_ROTATION_P0;
    r->p[1] = NAME(polynomial)(p1, 3, s);
    r->p[2] = NAME(polynomial)(p2, 3, s);
    r->p[3] = NAME(polynomial)(p3, 3, s);
    r->p[4] = NAME(polynomial)(p4, 3, s);
}

#endif

typedef struct {
    WIDE x, y, z, w;
} NAME(quad);

#define DOT(a, b) (((a).x * (b).x + (a).y * (b).y) + ((a).z * (b).z + (a).w * (b).w))

/* Number `at` of each component. */
static TARGET ES_INLINE NAME(quad) NAME(quad_at)(const NUMBER *from, size_t at, size_t step)
{
    NAME(quad)
    q = {W_LOAD(from + at), W_LOAD(from + (at + step)), W_LOAD(from + (at + 2 * step)),
            W_LOAD(from + (at + 3 * step))};
    return q;
}

static TARGET ES_INLINE void NAME(quad_to)(
        NUMBER *to, size_t at, size_t step, NAME(quad) q, bool stream)
{
    if (stream) {
        W_STREAM(to + at, q.x);
        W_STREAM(to + (at + step), q.y);
        W_STREAM(to + (at + 2 * step), q.z);
        W_STREAM(to + (at + 3 * step), q.w);
    } else {
        W_STORE(to + at, q.x);
        W_STORE(to + (at + step), q.y);
        W_STORE(to + (at + 2 * step), q.z);
        W_STORE(to + (at + 3 * step), q.w);
    }
}

static TARGET inline NAME(quad) NAME(scaled)(NAME(quad) q, WIDE factor)
{
    q.x = q.x * factor;
    q.y = q.y * factor;
    q.z = q.z * factor;
    q.w = q.w * factor;
    return q;
}

static TARGET inline NAME(quad) NAME(chosen)(MASK mask, NAME(quad) yes, NAME(quad) no)
{
    yes.x = W_SELECT(mask, yes.x, no.x);
    yes.y = W_SELECT(mask, yes.y, no.y);
    yes.z = W_SELECT(mask, yes.z, no.z);
    yes.w = W_SELECT(mask, yes.w, no.w);
    return yes;
}

static TARGET inline WIDE NAME(greatest)(WIDE a, WIDE b)
{
    return W_SELECT(W_LT(a, b), b, a);
}

/* To unit length; 0, which has no direction, stays. Divided by its greatest component first, a
 * quaternion of any length can be squared. */
static TARGET inline NAME(quad) NAME(normalised)(NAME(quad) q)
{
    WIDE most = NAME(greatest)(
            NAME(greatest)(W_ABS(q.x), W_ABS(q.y)), NAME(greatest)(W_ABS(q.z), W_ABS(q.w)));
    WIDE divisor = W_SELECT(W_LT(W_SET(0), most), most, W_SET(1));
    q.x = q.x / divisor;
    q.y = q.y / divisor;
    q.z = q.z / divisor;
    q.w = q.w / divisor;
    WIDE length2 = DOT(q, q);
    MASK none = W_LT(length2, W_SET(NUMBER_MIN));
    return NAME(scaled)(q, W_SET(1) / W_SQRT(W_SELECT(none, W_SET(1), length2)));
}

/* The chord to a from b or -b, whichever is nearer: from a - b for the sign of zeros. */
static TARGET inline NAME(quad) NAME(chord)(NAME(quad) a, NAME(quad) b, WIDE dot)
{
    a.x = a.x - W_FLIP(b.x, dot);
    a.y = a.y - W_FLIP(b.y, dot);
    a.z = a.z - W_FLIP(b.z, dot);
    a.w = a.w - W_FLIP(b.w, dot);
    return a;
}

static TARGET inline NAME(quad) NAME(along)(NAME(quad) a, NAME(quad) chord, WIDE u)
{
    a.x = a.x - u * chord.x;
    a.y = a.y - u * chord.y;
    a.z = a.z - u * chord.z;
    a.w = a.w - u * chord.w;
    return a;
}

/* A rotor in every lane: made once, before the loops. */
typedef struct {
    const TYPED(es_rotor) * rotor;
    WIDE t, e[5], p[5];
} NAME(spread);

static TARGET ES_INLINE NAME(spread) NAME(spread_of)(const TYPED(es_rotor) * rotor)
{
    NAME(spread) r;
    r.rotor = rotor;
    r.t = W_SET(rotor->t);
    for (int i = 0; i < 5; ++i) {
        r.e[i] = W_SET(rotor->e[i]);
        r.p[i] = W_SET(rotor->p[i]);
    }
    return r;
}

static TARGET ES_INLINE WIDE NAME(share)(const NAME(spread) * r, WIDE x, WIDE x2)
{
    WIDE high = (r->e[2] + r->e[3] * x) + r->e[4] * x2;
    WIDE low = r->e[0] + r->e[1] * x;
    return r->t + (low + high * x2) * x;
}

static TARGET ES_INLINE WIDE NAME(unit_factor)(const NAME(spread) * r, WIDE x, WIDE x2)
{
    WIDE high = (r->p[2] + r->p[3] * x) + r->p[4] * x2;
    return (r->p[0] + r->p[1] * x) + high * x2;
}

/* Of any lengths: made unit first, and again at the end by the root instead of p. Of a zero
 * quaternion, which has no direction, the other is the result. */
static TARGET inline NAME(quad) NAME(rotate_any)(const NAME(spread) * r, NAME(quad) a, NAME(quad) b)
{
    a = NAME(normalised)(a);
    b = NAME(normalised)(b);
    WIDE d = DOT(a, b);
    WIDE x = W_SET(1) - W_ABS(d);
    return NAME(normalised)(NAME(along)(a, NAME(chord)(a, b, d), NAME(share)(r, x, x * x)));
}

/* Of pairs of unit quaternions, `count` vectors side by side, because one chain of dependent
 * operations leaves the processor waiting. odd: the lanes that are no unit quaternions. */
static TARGET ES_INLINE void NAME(rotate)(const NAME(spread) * r, const NAME(quad) * a,
        const NAME(quad) * b, int count, NAME(quad) * out, MASK *odd)
{
    const WIDE one = W_SET(1);
    WIDE d[UNROLL], x[UNROLL], x2[UNROLL], share[UNROLL], factor[UNROLL], off[UNROLL];
    NAME(quad) way[UNROLL];
    MASK rests[UNROLL];
    EACH(count) d[k] = DOT(a[k], b[k]);
    EACH(count) x[k] = one - W_ABS(d[k]);
    EACH(count) way[k] = NAME(chord)(a[k], b[k], d[k]);
    EACH(count) x2[k] = x[k] * x[k];
    EACH(count) share[k] = NAME(share)(r, x[k], x2[k]);
    EACH(count) rests[k] = W_ALL_ZERO(way[k].x, way[k].y, way[k].z, way[k].w);
    /* at rest: not one ulp of change, at any length, whatever the share is then */
    EACH(count) share[k] = W_SELECT(rests[k], one, share[k]);
    EACH(count) out[k] = NAME(along)(a[k], way[k], share[k]);
    EACH(count) factor[k] = NAME(unit_factor)(r, x[k], x2[k]);
    EACH(count) off[k] = one - DOT(out[k], out[k]) * (factor[k] * factor[k]);
    EACH(count) factor[k] = factor[k] + factor[k] * UNIT_STEP(off[k]);
    EACH(count)
    odd[k] = W_AND_NOT(W_NOT_LE(W_ABS(off[k]), W_SET((NUMBER)ES_ROTATION_UNIT_LIMIT)), rests[k]);
    EACH(count) factor[k] = W_SELECT(rests[k], one, factor[k]);
    EACH(count) out[k] = NAME(scaled)(out[k], factor[k]);
}

static TARGET ES_COLD void NAME(rotate_odd)(
        const TYPED(es_rotor) * rotor, TYPED(es_quads) q, size_t at)
{
    const NAME(spread) r = NAME(spread_of)(rotor);
    NAME(quad) a = NAME(quad_at)(q.a, at, q.a_step), b = NAME(quad_at)(q.b, at, q.b_step);
    MASK odd;
    NAME(quad) even, any = NAME(rotate_any)(&r, a, b);
    NAME(rotate)(&r, &a, &b, 1, &even, &odd);
    NAME(quad_to)(q.out, at, q.out_step, NAME(chosen)(odd, any, even), false);
}

static TARGET ES_INLINE void NAME(rotate_vectors)(
        const NAME(spread) * r, TYPED(es_quads) q, size_t at, int count, bool stream)
{
    MASK odd[UNROLL];
    NAME(quad) a[UNROLL], b[UNROLL], out[UNROLL];
    EACH(count) a[k] = NAME(quad_at)(q.a, at + (size_t)k * LANES, q.a_step);
    EACH(count) b[k] = NAME(quad_at)(q.b, at + (size_t)k * LANES, q.b_step);
    NAME(rotate)(r, a, b, count, out, odd);
    EACH(count)
    {
        size_t to = at + (size_t)k * LANES;
        if (ES_RARELY(W_ANY(odd[k]))) {
            NAME(rotate_odd)(r->rotor, q, to);
        } else {
            NAME(quad_to)(q.out, to, q.out_step, out[k], stream);
        }
    }
}

/* Too few for a vector: filled up with copies of the first. */
static TARGET ES_COLD void NAME(rotate_rest)(
        const TYPED(es_rotor) * rotor, TYPED(es_quads) q, size_t at, size_t n)
{
    const NAME(spread) r = NAME(spread_of)(rotor);
    NUMBER a[4][LANES], b[4][LANES], out[4][LANES];
    TYPED(es_quads) filled = {a[0], b[0], out[0], LANES, LANES, LANES};
    for (size_t c = 0; c < 4; ++c) {
        for (size_t i = 0; i < LANES; ++i) {
            a[c][i] = q.a[at + c * q.a_step + (i < n ? i : 0)];
            b[c][i] = q.b[at + c * q.b_step + (i < n ? i : 0)];
        }
    }
    NAME(rotate_vectors)(&r, filled, 0, 1, false);
    for (size_t c = 0; c < 4; ++c) {
        for (size_t i = 0; i < n; ++i) {
            q.out[at + c * q.out_step + i] = out[c][i];
        }
    }
}

/* The bytes 512 further on: from main memory, eight streams are more than the processor prefetches
 * by itself (0.98 of a streamed triad with this, 0.91 without). */
static TARGET ES_INLINE void NAME(fetch_ahead)(TYPED(es_quads) q, size_t at)
{
    for (size_t c = 0; c < 4; ++c) {
        for (size_t k = 0; k < UNROLL; ++k) {
            ES_PREFETCH((const char *)(q.a + at + c * q.a_step + k * LANES) + 512);
            ES_PREFETCH((const char *)(q.b + at + c * q.b_step + k * LANES) + 512);
        }
    }
}

static TARGET ES_INLINE void NAME(rotate_all)(
        const TYPED(es_quads) * quads, size_t n, const TYPED(es_rotor) * rotor, bool stream)
{
    const TYPED(es_quads) q = *quads; /* copies: no store to out can change them */
    const NAME(spread) r = NAME(spread_of)(rotor);
    size_t i = 0;
    for (; i + LANES * UNROLL <= n; i += LANES * UNROLL) {
        if (stream) {
            NAME(fetch_ahead)(q, i);
        }
        NAME(rotate_vectors)(&r, q, i, UNROLL, stream);
    }
    for (; UNROLL > 1 && i + LANES <= n; i += LANES) {
        NAME(rotate_vectors)(&r, q, i, 1, stream);
    }
    if (i < n) {
        NAME(rotate_rest)(rotor, q, i, n - i);
    }
}

static TARGET void NAME(rotation)(
        const TYPED(es_quads) * q, size_t n, const TYPED(es_rotor) * rotor, bool stream)
{
    if (stream) { /* two copies: a test per vector would take longer */
        NAME(rotate_all)(q, n, rotor, true);
    } else {
        NAME(rotate_all)(q, n, rotor, false);
    }
}

/* ---- rotations in structs ---- */

static inline const NUMBER *NAME(row)(const void *rows, size_t bytes)
{
    return (const NUMBER *)(const void *)((const unsigned char *)rows + bytes);
}

/* A few of them, through arrays. */
static TARGET ES_COLD void NAME(rotate_few_rows)(const void *a, const void *b, void *out,
        size_t stride, size_t n, const TYPED(es_rotor) * rotor)
{
    NUMBER numbers[3][4][LANES];
    TYPED(es_quads) q = {numbers[0][0], numbers[1][0], numbers[2][0], LANES, LANES, LANES};
    for (size_t c = 0; c < 4; ++c) {
        for (size_t i = 0; i < n; ++i) {
            numbers[0][c][i] = NAME(row)(a, i * stride)[c];
            numbers[1][c][i] = NAME(row)(b, i * stride)[c];
        }
    }
    NAME(rotation)(&q, n, rotor, false);
    for (size_t i = 0; i < n; ++i) {
        NUMBER *to = (NUMBER *)(void *)((unsigned char *)out + i * stride);
        for (size_t c = 0; c < 4; ++c) {
            to[c] = numbers[2][c][i];
        }
    }
}

#ifndef W_SPLIT

/* Out of structs into vectors and back, where the instruction set has no better way. */
static TARGET ES_INLINE void NAME(split)(const NUMBER *from, size_t stride, NAME(quad) * to)
{
    NUMBER numbers[4][LANES];
    for (size_t i = 0; i < LANES; ++i) {
        for (size_t c = 0; c < 4; ++c) {
            numbers[c][i] = NAME(row)(from, i * stride)[c];
        }
    }
    to->x = W_LOAD(numbers[0]);
    to->y = W_LOAD(numbers[1]);
    to->z = W_LOAD(numbers[2]);
    to->w = W_LOAD(numbers[3]);
}

static TARGET ES_INLINE void NAME(join)(const NAME(quad) * from, NUMBER *to, size_t stride)
{
    NUMBER numbers[4][LANES];
    W_STORE(numbers[0], from->x);
    W_STORE(numbers[1], from->y);
    W_STORE(numbers[2], from->z);
    W_STORE(numbers[3], from->w);
    for (size_t i = 0; i < LANES; ++i) {
        NUMBER *row = (NUMBER *)(void *)((unsigned char *)to + i * stride);
        for (size_t c = 0; c < 4; ++c) {
            row[c] = numbers[c][i];
        }
    }
}

#define W_SPLIT(p, stride, q) NAME(split)(p, stride, &(q))
#define W_JOIN(p, stride, q)  NAME(join)(&(q), p, stride)

#endif

static TARGET ES_INLINE void NAME(rotate_some_rows)(const unsigned char *a, const unsigned char *b,
        unsigned char *out, size_t stride, int count, const NAME(spread) * r)
{
    NAME(quad) from[UNROLL], to[UNROLL], mixed[UNROLL];
    MASK odd[UNROLL];
    const size_t step = LANES * stride;
    EACH(count)
    {
        const NUMBER *at = NAME(row)(a, (size_t)k * step);
        W_SPLIT(at, stride, from[k]);
        at = NAME(row)(b, (size_t)k * step);
        W_SPLIT(at, stride, to[k]);
    }
    NAME(rotate)(r, from, to, count, mixed, odd);
    EACH(count)
    {
        NUMBER *at = (NUMBER *)(void *)(out + (size_t)k * step);
        if (ES_RARELY(W_ANY(odd[k]))) {
            NAME(rotate_few_rows)
            (a + (size_t)k * step, b + (size_t)k * step, at, stride, LANES, r->rotor);
        } else {
            W_JOIN(at, stride, mixed[k]);
        }
    }
}

static TARGET ES_INLINE void NAME(rotate_rows)(const void *a_rows, const void *b_rows, void *rows,
        size_t stride, size_t n, const NAME(spread) * r)
{
    const unsigned char *a = a_rows, *b = b_rows;
    unsigned char *out = rows;
    size_t i = 0;
    for (; i + LANES * UNROLL <= n; i += LANES * UNROLL) {
        size_t at = i * stride;
        NAME(rotate_some_rows)(a + at, b + at, out + at, stride, UNROLL, r);
    }
    for (; UNROLL > 1 && i + LANES <= n; i += LANES) {
        size_t at = i * stride;
        NAME(rotate_some_rows)(a + at, b + at, out + at, stride, 1, r);
    }
    if (i < n) {
        size_t at = i * stride;
        NAME(rotate_few_rows)(a + at, b + at, out + at, stride, n - i, r->rotor);
    }
}

static TARGET void NAME(rotation_rows)(const void *a, const void *b, void *out, size_t stride,
        size_t n, const TYPED(es_rotor) * rotor)
{
    const NAME(spread) r = NAME(spread_of)(rotor);
    NAME(rotate_rows)(a, b, out, stride, n, &r);
}

/* All numbers of as many structs as a vector has lanes: a whole number of vectors. */
static TARGET ES_INLINE void NAME(linear_rows)(
        const NUMBER *a, const NUMBER *b, NUMBER *out, size_t numbers, WIDE t)
{
    WIDE doubt = W_SET(0);
    for (size_t i = 0; i < numbers * LANES; i += LANES) {
        WIDE from = W_LOAD(a + i);
        WIDE difference = from - W_LOAD(b + i);
        W_STORE(out + i, from - t * difference);
        doubt = doubt + (difference - difference);
    }
    if (ES_RARELY(W_ANY(W_NOT_LE(doubt, doubt)))) {
        NUMBER alpha[LANES];
        W_STORE(alpha, t);
        NAME(linear_rest)(a, b, out, numbers * LANES, alpha[0]);
    }
}

static TARGET void NAME(rows)(const TYPED(es_rows) * rows, size_t n)
{
    const NAME(spread) r = NAME(spread_of)(rows->rotor);
    const size_t numbers = rows->numbers, stride = numbers * sizeof(NUMBER);
    const WIDE t = W_SET(rows->alpha);
    const NUMBER *a = rows->a, *b = rows->b;
    NUMBER *out = rows->out;
    size_t i = 0;
    for (; i + LANES <= n; i += LANES) {
        NAME(linear_rows)(a, b, out, numbers, t);
        for (size_t k = 0; k < rows->quad_count; ++k) {
            size_t at = rows->quads[k];
            NAME(rotate_rows)(a + at, b + at, out + at, stride, LANES, &r);
        }
        a += numbers * LANES;
        b += numbers * LANES;
        out += numbers * LANES;
    }
    NAME(linear_rest)(a, b, out, (n - i) * numbers, rows->alpha);
    for (size_t k = 0; i < n && k < rows->quad_count; ++k) {
        size_t at = rows->quads[k];
        NAME(rotate_rows)(a + at, b + at, out + at, stride, n - i, &r);
    }
}

/* ---- tiles ---- */

/* Whole vectors. Returns `doubt`, which a difference that is not finite makes a NaN. */
static TARGET ES_INLINE WIDE NAME(linear_run)(
        const TYPED(es_tiles) * t, size_t at, size_t n, WIDE doubt, bool stream)
{
    const WIDE alpha = W_SET(t->alpha);
    for (size_t end = at + n; at < end; at += LANES) {
        WIDE from = W_LOAD(t->a + at);
        WIDE difference = from - W_LOAD(t->b + at);
        WIDE result = from - alpha * difference;
        doubt = doubt * difference;
        if (stream) {
            W_STREAM(t->out + at, result);
        } else {
            W_STORE(t->out + at, result);
        }
    }
    return doubt;
}

/* Returns whether some were odd. */
static TARGET ES_INLINE bool NAME(rotation_run)(
        const TYPED(es_tiles) * t, const NAME(spread) * r, size_t at, size_t length, bool stream)
{
    bool again = false;
    for (size_t end = at + t->quad.count; at < end; at += LANES) {
        NAME(quad) a = NAME(quad_at)(t->a, at, length), b = NAME(quad_at)(t->b, at, length);
        NAME(quad) out;
        MASK odd;
        NAME(rotate)(r, &a, &b, 1, &out, &odd);
        NAME(quad_to)(t->out, at, length, out, stream);
        again = again || W_ANY(odd);
    }
    return again;
}

/* One tile after the other, each from its beginning to its end: three streams, which the processor
 * prefetches, and a rotation's arithmetic while the lines arrive. Stops before a tile with odd
 * numbers. */
static TARGET ES_INLINE size_t NAME(even_tiles)(
        const TYPED(es_tiles) * tiles, size_t at, size_t end, size_t length, bool stream)
{
    const TYPED(es_tiles) t = *tiles; /* copies: no store to out can change them */
    const NAME(spread) r = NAME(spread_of)(tiles->rotor);
    for (; at < end; at += t.step) {
        WIDE doubt = W_SET(0); /* times a finite difference: 0 */
        doubt = NAME(linear_run)(&t, at + t.before.first, t.before.count, doubt, stream);
        bool again = NAME(rotation_run)(&t, &r, at + t.quad.first, length, stream);
        doubt = NAME(linear_run)(&t, at + t.after.first, t.after.count, doubt, stream);
        if (ES_RARELY(again || W_ANY(W_NOT_LE(doubt, doubt)))) {
            break;
        }
    }
    return at;
}

static TARGET ES_INLINE size_t NAME(even_tiles_of)(
        const TYPED(es_tiles) * t, size_t at, size_t end, size_t length)
{
    return t->stream ? NAME(even_tiles)(t, at, end, length, true)
                     : NAME(even_tiles)(t, at, end, length, false);
}

static TARGET ES_COLD void NAME(odd_tile)(const TYPED(es_tiles) * t, size_t at)
{
    const TYPED(es_quads) q = {t->a, t->b, t->out, t->length, t->length, t->length};
    size_t before = at + t->before.first, after = at + t->after.first;
    NAME(linear_rest)(t->a + before, t->b + before, t->out + before, t->before.count, t->alpha);
    NAME(linear_rest)(t->a + after, t->b + after, t->out + after, t->after.count, t->alpha);
    for (size_t i = 0; i < t->quad.count; i += LANES) {
        NAME(rotate_odd)(t->rotor, q, at + t->quad.first + i);
    }
}

static TARGET void NAME(tiles)(const TYPED(es_tiles) * t, size_t n)
{
    for (size_t at = 0, end = n * t->step; at < end; at += t->step) {
        at = t->length == LANES /* with a constant length, all distances are constants */
                     ? NAME(even_tiles_of)(t, at, end, LANES)
                     : NAME(even_tiles_of)(t, at, end, t->length);
        if (at < end) {
            NAME(odd_tile)(t, at);
        }
    }
}

/* ---- sums ---- */

static TARGET void NAME(sum)(
        const NUMBER *base, const TYPED(es_term) * terms, size_t term_count, NUMBER *out, size_t n)
{
    size_t i = 0;
    for (; i + LANES <= n; i += LANES) {
        WIDE sum = W_SET(0);
        for (size_t k = 0; k < term_count; ++k) {
            WIDE value = W_LOAD(terms[k].plus + i);
            if (terms[k].minus != NULL) {
                value = value - W_LOAD(terms[k].minus + i);
            }
            sum = sum + value * W_SET(terms[k].weight);
        }
        W_STORE(out + i, W_LOAD(base + i) + sum);
    }
    for (; i < n; ++i) {
        NUMBER sum = 0;
        for (size_t k = 0; k < term_count; ++k) {
            NUMBER value = terms[k].plus[i];
            value = terms[k].minus != NULL ? value - terms[k].minus[i] : value;
            sum = sum + value * terms[k].weight;
        }
        out[i] = base[i] + sum;
    }
}

/* ---- monotone ---- */

static TARGET inline WIDE NAME(least)(WIDE a, WIDE b)
{
    return W_SELECT(W_LT(a, b), a, b);
}

/* The tangent at a tick, per length of the pair, from the differences on both sides of it:
 * Steffen's, which is the parabola's where that is monotone, and 0 at a turn. `share` is the pair's
 * part of both. */
static TARGET inline WIDE NAME(limited_tangent)(WIDE here, WIDE there, NUMBER share)
{
    const WIDE zero = W_SET(0);
    WIDE parabola = here + W_SET(share) * (there - here);
    WIDE size = NAME(least)(
            NAME(least)(W_ABS(here), W_ABS(there)), W_ABS(parabola) * W_SET((NUMBER)0.5));
    size = size + size;
    WIDE up = W_SELECT(W_LT(zero, there), size, zero);
    WIDE down = W_SELECT(W_LT(there, zero), -size, zero);
    return W_SELECT(W_LT(zero, here), up, W_SELECT(W_LT(here, zero), down, zero));
}

/* A given tangent, limited so that the cubic stays monotone: at most three times the difference,
 * and 0 against it. */
static TARGET inline WIDE NAME(cut_tangent)(WIDE way, WIDE tangent)
{
    const WIDE zero = W_SET(0);
    WIDE size = NAME(least)(W_ABS(tangent), W_ABS(way) * W_SET(3));
    WIDE up = W_SELECT(W_LT(zero, tangent), size, zero);
    WIDE down = W_SELECT(W_LT(tangent, zero), -size, zero);
    return W_SELECT(W_LT(zero, way), up, W_SELECT(W_LT(way, zero), down, zero));
}

static TARGET inline WIDE NAME(monotone_wide)(const TYPED(es_cubic) * c, size_t i, WIDE t)
{
    WIDE from = W_LOAD(c->from + i), to = W_LOAD(c->to + i);
    WIDE way = to - from, start = way, end = way;
    if (c->from_velocity != NULL) {
        start = NAME(cut_tangent)(way, W_LOAD(c->from_velocity + i) * W_SET(c->length));
        end = NAME(cut_tangent)(way, W_LOAD(c->to_velocity + i) * W_SET(c->length));
    } else {
        if (c->before != NULL) {
            WIDE ahead = (from - W_LOAD(c->before + i)) * W_SET(c->before_ratio);
            start = NAME(limited_tangent)(way, ahead, c->before_share);
        }
        if (c->after != NULL) {
            WIDE beyond = (W_LOAD(c->after + i) - to) * W_SET(c->after_ratio);
            end = NAME(limited_tangent)(way, beyond, c->after_share);
        }
    }
    WIDE cubed = (start + end) - (way + way);
    WIDE squared = ((way + way) + way) - ((start + start) + end);
    WIDE value = from + t * (start + t * (squared + t * cubed));
    /* rounding must not leave the ends either */
    WIDE low = NAME(least)(from, to), high = W_SELECT(W_LT(from, to), to, from);
    value = W_SELECT(W_LT(value, low), low, value);
    return W_SELECT(W_LT(high, value), high, value);
}

static TARGET void NAME(monotone)(
        const TYPED(es_cubic) * cubic, NUMBER *out, size_t n, NUMBER alpha)
{
    WIDE t = W_SET(alpha);
    size_t i = 0;
    for (; i + LANES <= n; i += LANES) {
        W_STORE(out + i, NAME(monotone_wide)(cubic, i, t));
    }
#if LANES > 1
    if (i < n) {
        TYPED(es_cubic) rest = *cubic;
        rest.from += i;
        rest.to += i;
        rest.before = rest.before != NULL ? rest.before + i : NULL;
        rest.after = rest.after != NULL ? rest.after + i : NULL;
        rest.from_velocity = rest.from_velocity != NULL ? rest.from_velocity + i : NULL;
        rest.to_velocity = rest.to_velocity != NULL ? rest.to_velocity + i : NULL;
        SCALAR->monotone(&rest, out + i, n - i, alpha);
    }
#endif
}

static const TYPED(es_kernels) NAME(kernels) = {LANES, NAME(linear), NAME(cyclic), NAME(rotation),
        NAME(sum), NAME(monotone), NAME(rotation_rows), NAME(rows), NAME(tiles)};

#undef NUMBER
#undef NAME
#undef TYPED
#undef NUMBER_MAX
#undef NUMBER_MIN
#undef UNIT_STEP
#undef LANES
#undef WIDE
#undef MASK
#undef DOT
#undef EACH
#undef UNROLL
#undef LINEAR_BLOCK
#undef TARGET
#undef SCALAR
#undef W_LOAD
#undef W_STORE
#undef W_STREAM
#undef W_SET
#undef W_SQRT
#undef W_ABS
#undef W_FLIP
#undef W_LT
#undef W_NOT_LE
#undef W_SELECT
#undef W_ANY
#undef W_AND_NOT
#undef W_ALL_ZERO
#undef W_SPLIT
#undef W_JOIN
