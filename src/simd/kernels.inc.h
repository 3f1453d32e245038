/* SPDX-License-Identifier: Zlib
 *
 * The kernels, once for all instruction sets and both number types. A file per instruction set
 * includes this with
 *   NUMBER, NAME(x)    float or double, and x with its suffix
 *   LANES, WIDE, MASK  numbers per vector; a vector; what a comparison of vectors gives
 *   TARGET             the attribute that lets a function use the instruction set
 *   W_...              operations on vectors, each rounded as its scalar twin
 * Lanes never mix, so a number's result does not depend on its neighbours or on the width. Where a
 * vector holds a lane that needs more care, the cold path does all its lanes again, to the same
 * bytes for those that needed none.
 */

#define EACH for (int k = 0; k < UNROLL; ++k)
#define R(k) (&rotors[(k)*step])

/* ---- linear ---- */

#define LINEAR_BLOCK ((size_t)LANES * 8)
#define ROTATION_BLOCK ((size_t)LANES * 8)

/* Some lane's difference overflowed or is no number: each as the scalar function does it. */
static TARGET ES_COLD WIDE NAME(lerp_again)(WIDE a, WIDE b, WIDE alpha)
{
    NUMBER from[LANES], to[LANES], at[LANES], out[LANES];
    W_STORE(from, a);
    W_STORE(to, b);
    W_STORE(at, alpha);
    for (int i = 0; i < LANES; ++i) {
        out[i] = NAME(es_lerp)(from[i], to[i], at[i]);
    }
    return W_LOAD(out);
}

/* From a, so much further: a itself where it rests, as the sum would make 0 of -0. */
static TARGET inline WIDE NAME(moved)(WIDE a, WIDE difference, WIDE by)
{
    return W_SELECT(W_NOT_LE(W_ABS(difference), W_SET(0)), a + by, a);
}

/* a + alpha (b - a): why this is exact enough stands beside es_lerp. */
static TARGET inline WIDE NAME(lerp_wide)(WIDE a, WIDE b, WIDE alpha)
{
    WIDE difference = b - a;
    WIDE result = NAME(moved)(a, difference, alpha * difference);
    if (ES_RARELY(W_ANY(W_NOT_LE(W_ABS(difference), W_SET(NUMBER_MAX))))) {
        result = NAME(lerp_again)(a, b, alpha);
    }
    return result;
}

static TARGET ES_COLD void NAME(linear_rest)(
        const NUMBER *a, const NUMBER *b, NUMBER *out, size_t n, NUMBER alpha)
{
    for (size_t i = 0; i < n; ++i) {
        out[i] = NAME(es_lerp)(a[i], b[i], alpha);
    }
}

/* Some vectors, and one question about all of them: a difference that is no finite number makes
 * `doubt` no number, and they are done again with care. */
static TARGET inline void NAME(linear_block)(const NUMBER *a, const NUMBER *b, NUMBER *out,
        NUMBER alpha, bool stream)
{
    WIDE t = W_SET(alpha), doubt = W_SET(0);
    for (size_t i = 0; i < LINEAR_BLOCK; i += LANES) {
        WIDE from = W_LOAD(a + i);
        WIDE difference = W_LOAD(b + i) - from;
        WIDE result = NAME(moved)(from, difference, t * difference);
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

static TARGET void NAME(linear)(const NUMBER *a, const NUMBER *b, NUMBER *out, size_t n,
        NUMBER alpha, bool stream)
{
    size_t i = 0;
    if (stream) {
        for (; i + LINEAR_BLOCK <= n; i += LINEAR_BLOCK) {
            NAME(linear_block)(a + i, b + i, out + i, alpha, true);
        }
    }
    for (; i + LINEAR_BLOCK <= n; i += LINEAR_BLOCK) {
        NAME(linear_block)(a + i, b + i, out + i, alpha, false);
    }
    for (; i + LANES <= n; i += LANES) {
        W_STORE(out + i, NAME(lerp_wide)(W_LOAD(a + i), W_LOAD(b + i), W_SET(alpha)));
    }
    NAME(linear_rest)(a + i, b + i, out + i, n - i, alpha);
}

/* Outside (0, 1) the ends themselves, whatever the formula makes of them. */
static TARGET inline WIDE NAME(ends)(WIDE a, WIDE b, WIDE alpha, WIDE between)
{
    WIDE low = W_SELECT(W_NOT_LE(alpha, W_SET(0)), between, a);
    return W_SELECT(W_LT(alpha, W_SET(1)), low, b);
}

static TARGET void NAME(linear_each)(
        const NUMBER *a, const NUMBER *b, NUMBER *out, size_t n, const NUMBER *alpha)
{
    size_t i = 0;
    for (; i + LANES <= n; i += LANES) {
        WIDE from = W_LOAD(a + i), to = W_LOAD(b + i), t = W_LOAD(alpha + i);
        W_STORE(out + i, NAME(ends)(from, to, t, NAME(lerp_wide)(from, to, t)));
    }
    for (; i < n; ++i) {
        out[i] = NAME(es_lerp)(a[i], b[i], alpha[i]);
    }
}

/* ---- cyclic ---- */

static TARGET ES_COLD WIDE NAME(cyclic_again)(WIDE a, WIDE b, WIDE alpha, NUMBER turn)
{
    NUMBER from[LANES], to[LANES], at[LANES], out[LANES];
    W_STORE(from, a);
    W_STORE(to, b);
    W_STORE(at, alpha);
    for (int i = 0; i < LANES; ++i) {
        out[i] = NAME(es_cyclic)(from[i], to[i], at[i], turn);
    }
    return W_LOAD(out);
}

/* One turn more or less is added here; further apart goes the scalar way. */
static TARGET inline WIDE NAME(cyclic_wide)(WIDE a, WIDE b, WIDE alpha, NUMBER turn)
{
    WIDE whole = W_SET(turn), half = W_SET(turn / 2);
    WIDE difference = b - a;
    WIDE rest = W_SELECT(W_LT(half, difference), difference - whole, difference);
    rest = W_SELECT(W_NOT_LE(difference, -half), rest, difference + whole);
    WIDE result = NAME(moved)(a, difference, alpha * rest);
    if (ES_RARELY(W_ANY(W_NOT_LE(W_ABS(rest), half)))) {
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
        out[i] = NAME(es_cyclic)(a[i], b[i], alpha, turn);
    }
}

static TARGET void NAME(cyclic_each)(
        const NUMBER *a, const NUMBER *b, NUMBER *out, size_t n, const NUMBER *alpha, NUMBER turn)
{
    size_t i = 0;
    for (; i + LANES <= n; i += LANES) {
        WIDE from = W_LOAD(a + i), to = W_LOAD(b + i), t = W_LOAD(alpha + i);
        W_STORE(out + i, NAME(ends)(from, to, t, NAME(cyclic_wide)(from, to, t, turn)));
    }
    for (; i < n; ++i) {
        out[i] = NAME(es_cyclic)(a[i], b[i], alpha[i], turn);
    }
}

/* ---- rotation: the formula and its constants are in rotation.h ---- */

static NUMBER NAME(polynomial)(const double *c, int count, NUMBER x)
{
    NUMBER sum = (NUMBER)c[count - 1];
    for (int i = count - 2; i >= 0; --i) {
        sum = sum * x + (NUMBER)c[i];
    }
    return sum;
}

static void NAME(rotor)(NAME(es_rotor) * r, NUMBER alpha)
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

typedef struct NAME(quad) {
    WIDE x, y, z, w;
} NAME(quad);

#define DOT(a, b) (((a).x * (b).x + (a).y * (b).y) + ((a).z * (b).z + (a).w * (b).w))

static TARGET inline NAME(quad) NAME(quad_at)(const NUMBER *const from[4], size_t i)
{
    NAME(quad)
    q = {W_LOAD(from[0] + i), W_LOAD(from[1] + i), W_LOAD(from[2] + i), W_LOAD(from[3] + i)};
    return q;
}

static TARGET inline void NAME(quad_to)(NUMBER *const to[4], size_t i, NAME(quad) q)
{
    W_STORE(to[0] + i, q.x);
    W_STORE(to[1] + i, q.y);
    W_STORE(to[2] + i, q.z);
    W_STORE(to[3] + i, q.w);
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

/* To unit length; 0, which has no direction, stays. Divided by its greatest component first, it can
 * be squared however short or long it is. */
static TARGET inline NAME(quad) NAME(normalised)(NAME(quad) q)
{
    WIDE most = NAME(greatest)(NAME(greatest)(W_ABS(q.x), W_ABS(q.y)),
            NAME(greatest)(W_ABS(q.z), W_ABS(q.w)));
    WIDE divisor = W_SELECT(W_LT(W_SET(0), most), most, W_SET(1));
    q.x = q.x / divisor;
    q.y = q.y / divisor;
    q.z = q.z / divisor;
    q.w = q.w / divisor;
    WIDE length2 = DOT(q, q);
    MASK none = W_LT(length2, W_SET(NUMBER_MIN));
    return NAME(scaled)(q, W_SET(1) / W_SQRT(W_SELECT(none, W_SET(1), length2)));
}

/* The way from a to b or -b, whichever is nearer. */
static TARGET inline NAME(quad) NAME(chord)(NAME(quad) a, NAME(quad) b, WIDE dot)
{
    a.x = W_FLIP(b.x, dot) - a.x;
    a.y = W_FLIP(b.y, dot) - a.y;
    a.z = W_FLIP(b.z, dot) - a.z;
    a.w = W_FLIP(b.w, dot) - a.w;
    return a;
}

static TARGET inline NAME(quad) NAME(along)(NAME(quad) a, NAME(quad) chord, WIDE u)
{
    a.x = a.x + u * chord.x;
    a.y = a.y + u * chord.y;
    a.z = a.z + u * chord.z;
    a.w = a.w + u * chord.w;
    return a;
}

static TARGET inline WIDE NAME(share)(const NAME(es_rotor) * r, WIDE x, WIDE x2)
{
    WIDE high = (W_SET(r->e[2]) + W_SET(r->e[3]) * x) + W_SET(r->e[4]) * x2;
    WIDE low = W_SET(r->e[0]) + W_SET(r->e[1]) * x;
    return W_SET(r->t) + (low + high * x2) * x;
}

static TARGET inline WIDE NAME(unit_factor)(const NAME(es_rotor) * r, WIDE x, WIDE x2)
{
    WIDE high = (W_SET(r->p[2]) + W_SET(r->p[3]) * x) + W_SET(r->p[4]) * x2;
    return (W_SET(r->p[0]) + W_SET(r->p[1]) * x) + high * x2;
}

/* Made unit first, and again at the end by the root instead of p. A zero quaternion, which has no
 * direction, gives way to the other. */
static TARGET inline NAME(quad)
        NAME(rotate_any)(const NAME(es_rotor) * r, NAME(quad) a, NAME(quad) b)
{
    a = NAME(normalised)(a);
    b = NAME(normalised)(b);
    WIDE d = DOT(a, b);
    WIDE x = W_SET(1) - W_ABS(d);
    return NAME(normalised)(NAME(along)(a, NAME(chord)(a, b, d), NAME(share)(r, x, x * x)));
}

/* Unit quaternions are mixed in two strides, as one chain of so many dependent operations would
 * leave the machine waiting: how they lie to each other, for a whole block, then the rest. */
typedef struct NAME(lie) {
    WIDE dot[ROTATION_BLOCK / LANES];
    WIDE share[ROTATION_BLOCK / LANES];
} NAME(lie);

static TARGET inline void NAME(find_lie)(const NAME(es_rotor) * r, const NAME(es_quads) * q,
        size_t at, size_t vectors, NAME(lie) * lie)
{
    for (size_t k = 0; k < vectors; ++k) {
        NAME(quad) a = NAME(quad_at)(q->a, at + k * LANES), b = NAME(quad_at)(q->b, at + k * LANES);
        WIDE d = DOT(a, b);
        WIDE x = W_SET(1) - W_ABS(d);
        lie->dot[k] = d;
        lie->share[k] = NAME(share)(r, x, x * x);
    }
}

/* Of a pair of unit quaternions; *odd: the lanes that were none. */
static TARGET inline NAME(quad) NAME(rotate)(const NAME(es_rotor) * r, NAME(quad) a, NAME(quad) b,
        WIDE dot, WIDE share, MASK *odd)
{
    const WIDE one = W_SET(1);
    WIDE x = one - W_ABS(dot);
    NAME(quad) way = NAME(chord)(a, b, dot);
    NAME(quad) mixed = NAME(along)(a, way, share);
    WIDE p = NAME(unit_factor)(r, x, x * x);
    WIDE off = one - DOT(mixed, mixed) * (p * p);
    WIDE factor = p + p * UNIT_STEP(off);
    MASK rests = W_ALL_ZERO(way.x, way.y, way.z, way.w);
    *odd = W_AND_NOT(W_NOT_LE(W_ABS(off), W_SET((NUMBER)ES_ROTATION_UNIT_LIMIT)), rests);
    /* at rest: not an ulp of trembling, whatever its length */
    return NAME(chosen)(rests, a, NAME(scaled)(mixed, factor));
}

static TARGET ES_COLD void NAME(rotate_odd)(const NAME(es_rotor) * r, const NAME(es_quads) * q,
        size_t at, const WIDE *dot, const WIDE *share)
{
    NAME(quad) a = NAME(quad_at)(q->a, at), b = NAME(quad_at)(q->b, at);
    MASK odd;
    NAME(quad) even = NAME(rotate)(r, a, b, *dot, *share, &odd), any = NAME(rotate_any)(r, a, b);
    NAME(quad_to)(q->out, at, NAME(chosen)(odd, any, even));
}

static TARGET inline void NAME(rotate_vectors)(const NAME(es_rotor) * r, const NAME(es_quads) * q,
        size_t at, size_t vectors, bool stream)
{
    NAME(lie) lie;
    NAME(find_lie)(r, q, at, vectors, &lie);
    for (size_t k = 0; k < vectors; ++k, at += LANES) {
        MASK odd;
        NAME(quad) out = NAME(rotate)(r, NAME(quad_at)(q->a, at), NAME(quad_at)(q->b, at),
                lie.dot[k], lie.share[k], &odd);
        if (ES_RARELY(W_ANY(odd))) {
            NAME(rotate_odd)(r, q, at, &lie.dot[k], &lie.share[k]);
        } else if (stream) {
            W_STREAM(q->out[0] + at, out.x);
            W_STREAM(q->out[1] + at, out.y);
            W_STREAM(q->out[2] + at, out.z);
            W_STREAM(q->out[3] + at, out.w);
        } else {
            NAME(quad_to)(q->out, at, out);
        }
    }
}

/* Too few for a vector: it is filled up with copies of the first. */
static TARGET ES_COLD void NAME(rotate_rest)(
        const NAME(es_rotor) * r, const NAME(es_quads) * q, size_t at, size_t n)
{
    NUMBER a[4][LANES], b[4][LANES], out[4][LANES];
    NAME(es_quads) filled;
    for (int c = 0; c < 4; ++c) {
        for (size_t i = 0; i < LANES; ++i) {
            a[c][i] = q->a[c][at + (i < n ? i : 0)];
            b[c][i] = q->b[c][at + (i < n ? i : 0)];
        }
        filled.a[c] = a[c];
        filled.b[c] = b[c];
        filled.out[c] = out[c];
    }
    NAME(rotate_vectors)(r, &filled, 0, 1, false);
    for (int c = 0; c < 4; ++c) {
        for (size_t i = 0; i < n; ++i) {
            q->out[c][at + i] = out[c][i];
        }
    }
}

static TARGET void NAME(rotation)(
        const NAME(es_quads) * quads, size_t n, const NAME(es_rotor) * rotor, bool stream)
{
    const NAME(es_quads) q = *quads; /* copies: no store to out can change them */
    const NAME(es_rotor) r = *rotor;
    size_t i = 0;
    if (stream) {
        for (; i + ROTATION_BLOCK <= n; i += ROTATION_BLOCK) {
            NAME(rotate_vectors)(&r, &q, i, ROTATION_BLOCK / LANES, true);
        }
    }
    for (; i + ROTATION_BLOCK <= n; i += ROTATION_BLOCK) {
        NAME(rotate_vectors)(&r, &q, i, ROTATION_BLOCK / LANES, false);
    }
    for (; i + LANES <= n; i += LANES) {
        NAME(rotate_vectors)(&r, &q, i, 1, false);
    }
    if (i < n) {
        NAME(rotate_rest)(&r, &q, i, n - i);
    }
}

/* ---- sums ---- */

static TARGET void NAME(sum)(
        const NUMBER *base, const NAME(es_term) * terms, size_t term_count, NUMBER *out, size_t n)
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

/* The tangent at a tick, as way per pair, from the ways on both sides of it: Steffen's, which is
 * the parabola's where that is monotone, and 0 at a turn. `share` is the pair's part of both. */
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

/* A given tangent, turned and cut so that the cubic stays monotone: at most three times the way. */
static TARGET inline WIDE NAME(cut_tangent)(WIDE way, WIDE tangent)
{
    const WIDE zero = W_SET(0);
    WIDE size = NAME(least)(W_ABS(tangent), W_ABS(way) * W_SET(3));
    WIDE up = W_SELECT(W_LT(zero, tangent), size, zero);
    WIDE down = W_SELECT(W_LT(tangent, zero), -size, zero);
    return W_SELECT(W_LT(zero, way), up, W_SELECT(W_LT(way, zero), down, zero));
}

static TARGET inline WIDE NAME(monotone_wide)(const NAME(es_cubic) * c, size_t i, WIDE t)
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

static TARGET void NAME(monotone)(const NAME(es_cubic) * cubic, NUMBER *out, size_t n, NUMBER alpha)
{
    WIDE t = W_SET(alpha);
    size_t i = 0;
    for (; i + LANES <= n; i += LANES) {
        W_STORE(out + i, NAME(monotone_wide)(cubic, i, t));
    }
#if LANES > 1
    if (i < n) {
        NAME(es_cubic) rest = *cubic;
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

/* ---- structs to arrays and back ---- */

#ifndef SPLIT4
static void NAME(split4)(const void *from, size_t stride, NUMBER *const to[4], size_t n)
{
    const unsigned char *at = from;
    for (size_t i = 0; i < n; ++i, at += stride) {
        const NUMBER *q = (const NUMBER *)(const void *)at;
        to[0][i] = q[0];
        to[1][i] = q[1];
        to[2][i] = q[2];
        to[3][i] = q[3];
    }
}

static void NAME(join4)(const NUMBER *const from[4], void *to, size_t stride, size_t n)
{
    unsigned char *at = to;
    for (size_t i = 0; i < n; ++i, at += stride) {
        NUMBER *q = (NUMBER *)(void *)at;
        q[0] = from[0][i];
        q[1] = from[1][i];
        q[2] = from[2][i];
        q[3] = from[3][i];
    }
}
#define SPLIT4 NAME(split4)
#define JOIN4  NAME(join4)
#endif

static const NAME(es_kernels) NAME(kernels) = {LANES, NAME(linear), NAME(linear_each), NAME(cyclic),
        NAME(cyclic_each), NAME(rotor), NAME(rotation), NAME(sum), NAME(monotone), SPLIT4, JOIN4};

#undef SPLIT4
#undef JOIN4
#undef NUMBER
#undef NAME
#undef NUMBER_MAX
#undef NUMBER_MIN
#undef UNIT_STEP
#undef LANES
#undef WIDE
#undef MASK
#undef DOT
#undef LINEAR_BLOCK
#undef ROTATION_BLOCK
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
