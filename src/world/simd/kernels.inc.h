/* SPDX-License-Identifier: Zlib
 *
 * The kernels, once for all instruction sets and both number types. A file per instruction set
 * includes this twice, the second time with DOUBLE. Before, it defines
 *   ISA(x)             x with a prefix of the instruction set
 *   BYTES              of a vector; SIZE: vectors of one number
 *   TARGET             the attribute that lets a function use the instruction set
 *   W_SQRT, W_ANY
 *   NARROWER           of more than four lanes: the kernel for rows with gaps, which a first inclusion
 *                      with ONLY_WORDS makes
 *   MASK, W_...        what a comparison of vectors gives, and operations, each rounded as its scalar
 *                      counterpart; for the compiler's vectors wide_vector.inc.h has them
 *   SPLIT              of x86: split_sse.inc.h takes quaternions of floats out of structs
 * for a type by NUMBER, SIZE, TYPED(x) and OF(x): x with the type's suffix, and with Intel's. All is
 * undefined after doubles.
 *
 * Lanes never mix, so a number's result depends neither on its neighbours nor on the width. Where a
 * lane is special (not finite, no unit quaternion), a slower path computes its vector again, with
 * the same bytes for the other lanes.
 */
#ifdef DOUBLE
#define NUMBER       double
#define INTEGER      int64_t
#define INTEGER_MAX  INT64_MAX
#define SIZE         8
#define TYPED(x)     x##_f64
#define OF(x)        x##_pd
#define NUMBER_MAX   DBL_MAX
#define NUMBER_MIN   DBL_MIN
#define SCALAR       es__kernels_scalar.f64
#define UNIT_STEP(g) ((g) * (W_SET(0.5) + (g) * (W_SET(0.375) + (g)*W_SET(0.3125))))
#else
#define NUMBER       float
#define INTEGER      int32_t
#define INTEGER_MAX  INT32_MAX
#define SIZE         4
#define TYPED(x)     x##_f32
#define OF(x)        x##_ps
#define NUMBER_MAX   FLT_MAX
#define NUMBER_MIN   FLT_MIN
#define SCALAR       es__kernels_scalar.f32
#define UNIT_STEP(g) ((g)*W_SET(0.5F))
#endif
#define TYPED_ISA(x) TYPED(x)
#define NAME(x)      TYPED_ISA(ISA(x))
#define LANES        (BYTES / SIZE)

#if LANES == 1
#define WIDE NUMBER
#else
/* Of the compiler's extension (gcc, clang). */
typedef NUMBER NAME(wide) __attribute__((vector_size(BYTES)));
typedef INTEGER NAME(mask) __attribute__((vector_size(BYTES)));
typedef NUMBER NAME(anywhere) __attribute__((vector_size(BYTES), aligned(SIZE), may_alias));
typedef int64_t NAME(pairs) __attribute__((vector_size(BYTES)));
#define WIDE NAME(wide)
#endif

/* ---- words: lines, circles and copies ---- */

#if LANES == 1

static void NAME(words)(const es__words *w, size_t shift, size_t rows)
{
    const NUMBER alpha = (NUMBER)w->alpha, turn = (NUMBER)w->turn;
    for (uint64_t left = w->masks.mix | w->masks.copy; left != 0; left &= left - 1) {
        const unsigned bit = es__lowest_bit(left);
        const unsigned char *from = w->a + shift + bit * sizeof(NUMBER);
        const unsigned char *to = w->b + shift + bit * sizeof(NUMBER);
        unsigned char *out = w->out + shift + bit * sizeof(NUMBER);
        for (size_t i = 0; i < rows; ++i, from += w->stride, to += w->stride, out += w->stride) {
            NUMBER a, b; /* through memcpy: a copied word is any type's */
            memcpy(&b, to, sizeof b);
            if ((w->masks.mix >> bit & 1) == 0) {
                memcpy(out, to, sizeof b);
                continue;
            }
            memcpy(&a, from, sizeof a);
            b = (w->masks.wrap >> bit & 1) != 0 ? TYPED(es__value_cyclic)(a, b, alpha, turn)
                                                : TYPED(es__value_lerp)(a, b, alpha);
            memcpy(out, &b, sizeof b);
        }
    }
}

#else

#define ALL_LANES ((UINT64_C(1) << LANES) - 1)

/* Words of a row that one vector takes. */
typedef struct {
    size_t at; /* bytes */
    es__fill fill;
    bool in_row;     /* another word follows */
    es__masks masks; /* its bits of the row's */
    MASK mix;        /* its lanes that are mixed */
    WIDE half, sure; /* further apart: by a turn; nearly half a turn apart: one by one */
} NAME(piece);

/* Bits as lanes of ones. */
static TARGET ES_INLINE MASK NAME(lanes_of)(uint64_t bits)
{
    INTEGER lanes[LANES];
    for (int k = 0; k < LANES; ++k) {
        lanes[k] = -(INTEGER)(bits >> k & 1);
    }
    return (MASK)W_LOAD((const NUMBER *)(const void *)lanes);
}

/* A TRIPLE's fourth lane is anything. Whole numbers keep every bit. */
static TARGET ES_INLINE WIDE NAME(load)(const unsigned char *at, es__fill fill)
{
    int64_t pair = 0;
    INTEGER one = 0;
    if (fill == ES_FILL_PAIR) {
        memcpy(&pair, at, sizeof pair);
        return (WIDE)(NAME(pairs)){pair};
    }
    if (fill == ES_FILL_ONE) {
        memcpy(&one, at, sizeof one);
        return (WIDE)(MASK){one};
    }
    return W_LOAD((const NUMBER *)(const void *)at);
}

static TARGET ES_INLINE void NAME(store)(unsigned char *at, WIDE v, es__fill fill)
{
    const INTEGER one = ((MASK)v)[0], second = ((MASK)v)[1], third = ((MASK)v)[LANES / 2];
    const int64_t pair = ((NAME(pairs))v)[0];
    if (fill == ES_FILL_WHOLE) {
        W_STORE((NUMBER *)(void *)at, v);
        return;
    }
    if (fill == ES_FILL_ONE) {
        memcpy(at, &one, SIZE);
        return;
    }
    memcpy(at, &pair, sizeof pair);
    if (SIZE == 8) {
        memcpy(at + SIZE, &second, SIZE);
    }
    if (fill == ES_FILL_TRIPLE) {
        memcpy(at + 2 * SIZE, &third, SIZE);
    }
}

/* Rows by the scalar kernel. */
static ES_COLD void NAME(column_again)(
        const es__words *words, const es__masks *masks, size_t stride, size_t shift, size_t rows)
{
    es__words w = *words;
    w.masks = *masks;
    w.stride = stride;
    SCALAR->words(&w, shift, rows);
}

/* One row's: a - alpha (a - b); es__value_lerp and es__value_cyclic have the reasons. Returns what
 * alpha takes part of; of MIX doubt and that part, which stays finite with finite differences. */
static TARGET ES_INLINE WIDE NAME(row)(const NAME(piece) * p, const unsigned char *a,
        const unsigned char *b, unsigned char *out, WIDE alpha, WIDE turn, WIDE doubt, es__do does,
        es__fill fill)
{
    const WIDE to = NAME(load)(b, fill);
    if (does == ES_DO_COPY) {
        NAME(store)(out, to, fill);
        return doubt;
    }
    const WIDE from = NAME(load)(a, fill);
    WIDE way = from - to;
    if (fill == ES_FILL_TRIPLE) {
        way = W_SELECT(p->mix, way, W_SET(0));
    }
    if (does == ES_DO_WRAP) {
        const WIDE less = way - turn, more = way + turn;
        way = W_SELECT(W_LT(p->half, way), less, W_SELECT(W_LT(way, -p->half), more, way));
    }
    const WIDE part = alpha * way;
    NAME(store)(out, from - part, fill);
    if (does == ES_DO_MIX) {
        way = doubt + part;
    }
    return way;
}

/* A piece of each row, two rows at once. Those whose difference is not finite, more than one and a
 * half turns, or nearly half a turn go to the scalar kernel. */
static TARGET ES_INLINE void NAME(column)(const es__words *words, const NAME(piece) * piece,
        size_t stride, size_t shift, size_t rows, es__do does, es__fill fill)
{
    const NAME(piece) p = *piece; /* copies: no store to out can change them */
    const unsigned char *a = words->a + p.at, *b = words->b + p.at;
    unsigned char *out = words->out + p.at;
    const WIDE alpha = W_SET((NUMBER)words->alpha), turn = W_SET((NUMBER)words->turn);
    const size_t end = shift + rows * stride;
    size_t i = shift;
    if (does == ES_DO_WRAP) {
        for (; i != end; i += stride) {
            const WIDE way = NAME(row)(&p, a + i, b + i, out + i, alpha, turn, turn, does, fill);
            if (ES_RARELY(W_ANY(W_NOT_LE(W_ABS(way), p.sure)))) {
                NAME(column_again)(words, &piece->masks, stride, i, 1);
            }
        }
        return;
    }
    const unsigned char *next_a = a + stride, *next_b = b + stride;
    unsigned char *next_out = out + stride;
    WIDE doubt = W_SET(0), next = doubt;
    if (rows % 2 != 0) {
        doubt = NAME(row)(&p, a + i, b + i, out + i, alpha, turn, doubt, does, fill);
        i += stride;
    }
    for (; i != end; i += 2 * stride) {
        doubt = NAME(row)(&p, a + i, b + i, out + i, alpha, turn, doubt, does, fill);
        next = NAME(row)(&p, next_a + i, next_b + i, next_out + i, alpha, turn, next, does, fill);
    }
    const WIDE none = (doubt + next) - (doubt + next); /* not finite: a NaN */
    if (ES_RARELY(W_ANY(W_NOT_LE(W_ABS(none), W_SET(0))))) {
        NAME(column_again)(words, &piece->masks, stride, shift, rows);
    }
}

/* Each way to fill has code of its own. */
#define COLUMN(fill, n)                                                                            \
    do {                                                                                           \
        if (p.masks.mix == 0) {                                                                    \
            NAME(column)(w, &p, stride, shift, n, ES_DO_COPY, fill);                               \
        } else if (p.masks.wrap != 0) {                                                            \
            NAME(column)(w, &p, stride, shift, n, ES_DO_WRAP, fill);                               \
        } else {                                                                                   \
            NAME(column)(w, &p, stride, shift, n, ES_DO_MIX, fill);                                \
        }                                                                                          \
    } while (0)

static TARGET void NAME(column_by)(
        const es__words *w, const NAME(piece) * piece, size_t stride, size_t shift, size_t rows)
{
    const NAME(piece) p = *piece;
    if (p.fill == ES_FILL_WHOLE) {
        COLUMN(ES_FILL_WHOLE, rows);
#if LANES <= 4
    } else if (p.fill == ES_FILL_ONE) {
        COLUMN(ES_FILL_ONE, rows);
    } else if (SIZE == 4 && p.fill == ES_FILL_PAIR) {
        COLUMN(ES_FILL_PAIR, rows);
    } else if (LANES == 4 && p.in_row) {
        COLUMN(ES_FILL_TRIPLE, rows);
    } else if (LANES == 4) { /* the last row may end where the state ends */
        COLUMN(ES_FILL_TRIPLE, rows - 1);
        NAME(column_again)(w, &p.masks, stride, shift + (rows - 1) * stride, 1);
#endif
    }
}

/* The pieces of a row, or, where the masks are those of several rows, of as many. */
static TARGET void NAME(columns)(
        const es__words *w, const es__masks *masks, size_t stride, size_t shift, size_t rows)
{
    const NUMBER turn = (NUMBER)w->turn;
    for (uint64_t left = masks->mix | masks->copy, own; left != 0; left &= ~own) {
        const unsigned bit = es__lowest_bit(left);
        const uint64_t kind = (masks->copy >> bit & 1) != 0 ? masks->copy : masks->mix;
        const uint64_t ones = kind >> bit & ALL_LANES;
        unsigned words = es__lowest_bit(~ones);
        words -= SIZE == 8 && LANES == 4 && words == 2 ? 1 : 0;
        NAME(piece) p; /* all of it zeroed would take as long as 16 objects */
        p.at = bit * sizeof(NUMBER);
        p.fill = words == LANES ? ES_FILL_WHOLE : (es__fill)words;
        p.in_row = left >> bit >> words != 0;
        own = (ones & ((UINT64_C(1) << words) - 1)) << bit;
        p.masks = (es__masks){masks->mix & own, masks->wrap & own, masks->copy & own};
        if (p.fill == ES_FILL_TRIPLE) {
            p.mix = NAME(lanes_of)(p.masks.mix >> bit);
        }
        if (p.masks.wrap != 0) {
            const MASK wrap = NAME(lanes_of)(p.masks.wrap >> bit);
            p.half = W_SELECT(wrap, W_SET(turn / 2), W_SET(NUMBER_MAX));
            p.sure = W_SELECT(wrap, W_SET(turn * (NUMBER)0.499), W_SET(NUMBER_MAX));
        }
        NAME(column_by)(w, &p, stride, shift, rows);
    }
}

/* Blocks that stay in the first cache while their columns are blended. Rows without a gap: as many
 * together as end with a vector. */
static TARGET void NAME(words)(const es__words *words, size_t shift, size_t rows)
{
    es__words w = *words;
    size_t width = w.stride / sizeof(NUMBER), together = 1;
    const bool whole = width < 64 && w.masks.mix == (UINT64_C(1) << width) - 1;
#if LANES > 4
    if (!whole) {
        NARROWER(&w, shift, rows);
        return;
    }
#endif
    if (whole && w.masks.wrap == 0) { /* an array */
        rows *= width;
        width = 1;
        w.masks.mix = 1;
        w.stride = sizeof(NUMBER);
    }
    while (whole && width * together % LANES != 0) {
        together *= 2;
    }
    together = width * together <= 64 ? together : 1;
    const size_t block = rows * w.stride <= 8192 ? rows : 8192 / w.stride + together;
    while (rows > 0) {
        together = together < rows ? together : rows;
        const size_t times = (block < rows ? block : rows) / together, n = times * together;
        const uint64_t ones = es__first_bits(width, together);
        const es__masks masks = {w.masks.mix * ones, w.masks.wrap * ones, w.masks.copy * ones};
#if LANES > 4
        if (width * together % LANES != 0) {
            NARROWER(&w, shift, rows);
            return;
        }
#endif
        NAME(columns)(&w, &masks, together * w.stride, shift, times);
        shift += n * w.stride;
        rows -= n;
    }
}

#undef ALL_LANES
#undef COLUMN

#endif

#ifndef ONLY_WORDS

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

ES_NO_SLP void TYPED(es__rotor)(TYPED(es__rotor_of) * r, NUMBER alpha)
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

/* Of arrays, `step` numbers apart. */
static TARGET ES_INLINE NAME(quad) NAME(quad_at)(const NUMBER *from, size_t step)
{
    NAME(quad)
    q = {W_LOAD(from), W_LOAD(from + step), W_LOAD(from + 2 * step), W_LOAD(from + 3 * step)};
    return q;
}

static TARGET ES_INLINE void NAME(quad_to)(NUMBER *to, size_t step, NAME(quad) q)
{
    W_STORE(to, q.x);
    W_STORE(to + step, q.y);
    W_STORE(to + 2 * step, q.z);
    W_STORE(to + 3 * step, q.w);
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
    const TYPED(es__rotor_of) * rotor;
    WIDE t, e[5], p[5];
} NAME(spread);

static TARGET ES_INLINE NAME(spread) NAME(spread_of)(const TYPED(es__rotor_of) * rotor)
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

/* Of pairs of unit quaternions. odd: the lanes that are no unit quaternions. */
static TARGET ES_INLINE NAME(quad)
        NAME(rotate)(const NAME(spread) * r, NAME(quad) a, NAME(quad) b, MASK *odd)
{
    const WIDE one = W_SET(1), d = DOT(a, b), x = one - W_ABS(d), x2 = x * x;
    const NAME(quad) way = NAME(chord)(a, b, d);
    const MASK rests = W_ALL_ZERO(way.x, way.y, way.z, way.w);
    /* at rest: not one ulp of change, at any length, whatever the share is then */
    const WIDE share = W_SELECT(rests, one, NAME(share)(r, x, x2));
    a = NAME(along)(a, way, share);
    WIDE factor = NAME(unit_factor)(r, x, x2);
    const WIDE off = one - DOT(a, a) * (factor * factor);
    factor = factor + factor * UNIT_STEP(off);
    *odd = W_AND_NOT(W_NOT_LE(W_ABS(off), W_SET((NUMBER)ES_ROTATION_UNIT_LIMIT)), rests);
    return NAME(scaled)(a, W_SELECT(rests, one, factor));
}

/* Bytes from the first quaternion to another one's component. */
static inline size_t NAME(quad_place)(const es__quads *q, size_t i, size_t component)
{
    const size_t size = sizeof(NUMBER);
    if (q->rows) {
        return i * q->step + component * size;
    }
    return component * q->step + i * size;
}

/* At most a vector of them, one by one: fewer than a vector, or some that are no unit quaternions. */
static TARGET ES_COLD void NAME(rotate_few)(
        const TYPED(es__rotor_of) * rotor, const es__quads *q, size_t first, size_t n)
{
    const NAME(spread) r = NAME(spread_of)(rotor);
    NUMBER a[4][LANES], b[4][LANES], mixed[4][LANES];
    MASK odd;
    for (size_t k = 0; k < 4 * (size_t)LANES; ++k) { /* filled up with copies of the first */
        const size_t at = NAME(quad_place)(q, first + (k / 4 < n ? k / 4 : 0), k % 4);
        memcpy(&a[k % 4][k / 4], q->a + at, sizeof(NUMBER));
        memcpy(&b[k % 4][k / 4], q->b + at, sizeof(NUMBER));
    }
    const NAME(quad) from = NAME(quad_at)(a[0], LANES), to = NAME(quad_at)(b[0], LANES);
    NAME(quad) result = NAME(rotate)(&r, from, to, &odd);
    if (W_ANY(odd)) {
        result = NAME(chosen)(odd, NAME(rotate_any)(&r, from, to), result);
    }
    NAME(quad_to)(mixed[0], LANES, result);
    for (size_t k = 0; k < 4 * n; ++k) {
        memcpy(q->out + NAME(quad_place)(q, first + k / 4, k % 4), &mixed[k % 4][k / 4],
                sizeof(NUMBER));
    }
}

#if defined(SPLIT) && !defined(DOUBLE)
#include "split_sse.inc.h"
#else

/* Out of structs into vectors and back, where the instruction set has no better way. */
static TARGET ES_INLINE NAME(quad) NAME(split)(const NUMBER *from, size_t step)
{
    NUMBER numbers[4][LANES];
    for (size_t i = 0; i < LANES; ++i) {
        const unsigned char *row = (const unsigned char *)from + i * step;
        for (size_t c = 0; c < 4; ++c) {
            memcpy(&numbers[c][i], row + c * sizeof(NUMBER), sizeof(NUMBER));
        }
    }
    return NAME(quad_at)(numbers[0], LANES);
}

static TARGET ES_INLINE void NAME(join)(NUMBER *to, size_t step, NAME(quad) q)
{
    NUMBER numbers[4][LANES];
    NAME(quad_to)(numbers[0], LANES, q);
    for (size_t i = 0; i < LANES; ++i) {
        unsigned char *row = (unsigned char *)to + i * step;
        for (size_t c = 0; c < 4; ++c) {
            memcpy(row + c * sizeof(NUMBER), &numbers[c][i], sizeof(NUMBER));
        }
    }
}

#endif

/* rows: as in es__quads, but known to the compiler */
static TARGET ES_INLINE NAME(quad)
        NAME(quads_from)(const es__quads *q, const unsigned char *bytes, bool rows)
{
    const NUMBER *p = (const NUMBER *)(const void *)bytes;
    return rows ? NAME(split)(p, q->step) : NAME(quad_at)(p, q->step / sizeof(NUMBER));
}

static TARGET ES_INLINE void NAME(quads_into)(
        const es__quads *q, unsigned char *bytes, bool rows, NAME(quad) v)
{
    NUMBER *p = (NUMBER *)(void *)bytes;
    if (rows) {
        NAME(join)(p, q->step, v);
    } else {
        NAME(quad_to)(p, q->step / sizeof(NUMBER), v);
    }
}

static TARGET ES_INLINE void NAME(rotate_all)(
        const es__quads *quads, size_t n, const TYPED(es__rotor_of) * rotor, bool rows)
{
    const es__quads q = *quads; /* copies: no store to out can change them */
    const NAME(spread) r = NAME(spread_of)(rotor);
    const size_t step = LANES * (rows ? q.step : sizeof(NUMBER)); /* from a vector to the next */
    size_t at = 0, i = 0;
    for (; i + LANES <= n; i += LANES, at += step) {
        MASK odd;
        const NAME(quad) a = NAME(quads_from)(&q, q.a + at, rows);
        const NAME(quad) b = NAME(quads_from)(&q, q.b + at, rows);
        const NAME(quad) out = NAME(rotate)(&r, a, b, &odd);
        if (ES_RARELY(W_ANY(odd))) {
            NAME(rotate_few)(rotor, &q, i, LANES);
        } else {
            NAME(quads_into)(&q, q.out + at, rows, out);
        }
    }
    if (i < n) {
        NAME(rotate_few)(rotor, &q, i, n - i);
    }
}

static TARGET void NAME(rotation)(
        const es__quads *quads, size_t n, const TYPED(es__rotor_of) * rotor)
{
    if (quads->rows) {
        NAME(rotate_all)(quads, n, rotor, true);
    } else {
        NAME(rotate_all)(quads, n, rotor, false);
    }
}

/* ---- matrices: src/world/value_matrix.h has their parts ---- */

/* A rotation times a symmetric stretch. */
static TARGET ES_INLINE void NAME(compose)(
        NAME(quad) q, const WIDE *s, const es__matrix_form *form, WIDE *e)
{
    const WIDE one = W_SET(1), x = q.x + q.x, y = q.y + q.y, z = q.z + q.z;
    const WIDE xx = q.x * x, yy = q.y * y, zz = q.z * z, xy = q.x * y, xz = q.x * z, yz = q.y * z;
    const WIDE wx = q.w * x, wy = q.w * y, wz = q.w * z;
    const WIDE r[3][3] = {{one - (yy + zz), xy - wz, xz + wy}, {xy + wz, one - (xx + zz), yz - wx},
            {xz - wy, yz + wx, one - (xx + yy)}};
    ES_UNROLL
    for (size_t i = 0; i < 3; ++i) {
        WIDE *at = e + i * form->row;
        at[0] = (r[i][0] * s[0] + r[i][1] * s[3]) + r[i][2] * s[4];
        at[form->column] = (r[i][0] * s[3] + r[i][1] * s[1]) + r[i][2] * s[5];
        at[2 * form->column] = (r[i][0] * s[4] + r[i][1] * s[5]) + r[i][2] * s[2];
    }
}

/* Numbers of LANES structs, four by four. */
static TARGET ES_INLINE void NAME(numbers_from)(
        const unsigned char *from, size_t step, size_t count, WIDE *numbers)
{
    for (size_t k = 0; k < count; k += 4) {
        const NUMBER *p = (const NUMBER *)(const void *)(from + k * sizeof(NUMBER));
        const NAME(quad) q = NAME(split)(p, step);
        numbers[k] = q.x;
        numbers[k + 1] = q.y;
        numbers[k + 2] = q.z;
        numbers[k + 3] = q.w;
    }
}

/* One vector of matrices. Returns the lanes that are not to be blended so: a cut, or no parts. */
static TARGET ES_INLINE MASK NAME(blend_matrices)(
        const es__matrices *m, size_t at, const NAME(spread) * r, WIDE e[16])
{
    WIDE p[ES_MATRIX_PARTS], next[ES_MATRIX_PARTS], from[16], composed[16];
    const size_t last = 3 * m->form.column;
    MASK odd;
    NAME(numbers_from)(m->a_parts + at, m->step, ES_MATRIX_PARTS, p);
    NAME(numbers_from)(m->b_parts + at, m->step, ES_MATRIX_PARTS, next);
    NAME(numbers_from)(m->a + at, m->step, m->form.numbers, from);
    NAME(numbers_from)(m->b + at, m->step, m->form.numbers, e);
    const NAME(quad) a = {p[0], p[1], p[2], p[3]}, b = {next[0], next[1], next[2], next[3]};
    const WIDE sign = p[10] * next[10];
    const NAME(quad) q = NAME(rotate)(r, a, b, &odd);
    ES_UNROLL
    for (int k = 0; k < 10; ++k) {
        next[k] = p[k] - next[k];
        p[k] = p[k] - r->t * next[k];
    }
    NAME(compose)(q, p + 4, &m->form, composed);
    const MASK rests = W_ALL_ZERO(next[0], next[1], next[2], next[3])
                       & W_ALL_ZERO(next[4], next[5], next[6], next[7])
                       & W_ALL_ZERO(next[8], next[9], next[8], next[9]);
    for (size_t i = 0; i < 3; ++i) {
        for (size_t k = i * m->form.row; k < i * m->form.row + last; k += m->form.column) {
            e[k] = W_SELECT(rests, e[k], composed[k]); /* not one ulp of change */
        }
        const size_t k = i * m->form.row + last;
        e[k] = from[k] - r->t * (from[k] - e[k]);
        /* not finite; not compared with the largest number, which gcc drops with -ffinite-math-only */
        odd = odd | W_NOT_LE(W_ABS(e[k] - e[k]), W_SET(0));
    }
    return odd | W_NOT_LE(W_SET(1), sign);
}

/* Some that are not blended as the rest, one by one: not between two lives, else number by number. */
static void NAME(matrices_apart)(
        const es__matrices *matrices, size_t at, size_t n, const TYPED(es__rotor_of) * rotor)
{
    es__matrices m = *matrices;
    m.at = at;
#if LANES > 1
    SCALAR->matrices(&m, n, rotor);
#else
    const NUMBER *a = (const NUMBER *)(const void *)(m.a + at);
    const NUMBER *b = (const NUMBER *)(const void *)(m.b + at);
    const NUMBER *a_parts = (const NUMBER *)(const void *)(m.a_parts + at);
    const NUMBER *b_parts = (const NUMBER *)(const void *)(m.b_parts + at);
    for (size_t k = 0; k < n * m.form.numbers; ++k) {
        ((NUMBER *)(void *)(m.out + at))[k] =
                a_parts[10] * b_parts[10] < 0 ? b[k] : TYPED(es__value_lerp)(a[k], b[k], rotor->t);
    }
#endif
}

static TARGET void NAME(matrices)(
        const es__matrices *matrices, size_t n, const TYPED(es__rotor_of) * rotor)
{
    const es__matrices m = *matrices;
    const NAME(spread) r = NAME(spread_of)(rotor);
    size_t at = m.at;
    for (; n >= LANES; n -= LANES, at += m.step * LANES) {
        WIDE e[16];
        if (ES_RARELY(W_ANY(NAME(blend_matrices)(&m, at, &r, e)))) {
            NAME(matrices_apart)(&m, at, LANES, rotor);
            continue;
        }
        for (size_t k = 0; k < m.form.numbers; k += 4) {
            const NAME(quad) q = {e[k], e[k + 1], e[k + 2], e[k + 3]};
            NAME(join)((NUMBER *)(void *)(m.out + at + k * sizeof(NUMBER)), m.step, q);
        }
    }
    if (n > 0) {
        NAME(matrices_apart)(&m, at, n, rotor);
    }
}

/* ---- sums ---- */

static TARGET void NAME(sum)(const NUMBER *base, const TYPED(es__term) * terms, size_t term_count,
        NUMBER *out, size_t i, size_t n)
{
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
    if (i < n) {
        SCALAR->sum(base, terms, term_count, out, i, n);
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

static TARGET inline WIDE NAME(monotone_wide)(const TYPED(es__cubic) * c, size_t i, WIDE t)
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
        const TYPED(es__cubic) * cubic, NUMBER *out, size_t i, size_t n, NUMBER alpha)
{
    WIDE t = W_SET(alpha);
    for (; i + LANES <= n; i += LANES) {
        W_STORE(out + i, NAME(monotone_wide)(cubic, i, t));
    }
    if (i < n) {
        SCALAR->monotone(cubic, out, i, n, alpha);
    }
}

static const TYPED(es__kernels) NAME(kernels) = {
        LANES, NAME(words), NAME(rotation), NAME(matrices), NAME(sum), NAME(monotone)};
#endif

#undef NUMBER
#undef INTEGER
#undef INTEGER_MAX
#undef SIZE
#undef TYPED
#undef OF
#undef NUMBER_MAX
#undef NUMBER_MIN
#undef SCALAR
#undef UNIT_STEP
#undef WIDE

#if defined(DOUBLE) || defined(ONLY_WORDS)
#undef DOUBLE
#undef TYPED_ISA
#undef NAME
#undef LANES
#undef DOT
#undef ISA
#undef BYTES
#undef TARGET
#undef SPLIT
#undef MASK
#undef W_LOAD
#undef W_STORE
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
#undef NARROWER
#undef ONLY_WORDS
#endif
