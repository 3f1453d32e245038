/* SPDX-License-Identifier: Zlib
 *
 * The loops of XXH3 for long inputs, in vectors of 64-bit lanes. Before it is included: NAME(x),
 * TARGET, VECTOR, and
 *
 *   LOAD(p) STORE(p, v) SET(x) ADD(a, b) XOR(a, b) RIGHT(v, n) LEFT(v, n)
 *   MULTIPLY(a, b)          of each lane the product of the lower halves
 *   SWAP(v)                 the two lanes of each pair change places
 *   SEEN                    what was seen of floats, NOTHING_SEEN at first
 *   SEE_32(seen, a, b)      as SEE_64(seen, a, b): what was seen, and these two vectors
 *   NOW(v)                  v is made here, and neither put off nor loaded again
 *   ALL_KEYS                if defined, registers suffice for the secret of a block: its unrolling
 *   BOTH_SEEN(a, b, kind)   what was seen in either, of F32 or F64
 *   NAN_SEEN_32(seen)       as NAN_SEEN_64(seen): whether a NaN was
 *
 * XXH3 adds what it reads to the neighbouring lane. Adding may be done in any order: here it is
 * summed up apart and swapped once for all stripes, which saves an operation for each of them.
 */

enum { NAME(VECTORS) = ES_HASH_STRIPE / sizeof(VECTOR) };

static ES_INLINE TARGET SEEN NAME(see)(SEEN seen, VECTOR a, VECTOR b, es_hash_kind kind)
{
    return kind == ES_HASH_F32   ? SEE_32(seen, a, b)
           : kind == ES_HASH_F64 ? SEE_64(seen, a, b)
                                 : seen;
}

/* Of the products two sums, which do not wait for each other, and that of the data. */
enum { NAME(EVEN), NAME(ODD), NAME(DATA), NAME(SUMS) };

/* Two stripes. Every sum is made at once: compilers that put sums off run out of registers. */
static ES_INLINE TARGET void NAME(pair)(VECTOR *sums, const unsigned char *bytes, VECTOR key_a,
        VECTOR key_b, es_hash_kind kind, SEEN *seen)
{
    VECTOR a = LOAD(bytes), b = LOAD(bytes + ES_HASH_STRIPE);
    NOW(a);
    NOW(b);
    VECTOR mixed_a = XOR(a, key_a), mixed_b = XOR(b, key_b);
    sums[NAME(EVEN)] = ADD(sums[NAME(EVEN)], MULTIPLY(mixed_a, RIGHT(mixed_a, 32)));
    sums[NAME(ODD)] = ADD(sums[NAME(ODD)], MULTIPLY(mixed_b, RIGHT(mixed_b, 32)));
    sums[NAME(DATA)] = ADD(sums[NAME(DATA)], a);
    NOW(sums[NAME(DATA)]);
    sums[NAME(DATA)] = ADD(sums[NAME(DATA)], b);
    *seen = NAME(see)(*seen, a, b, kind);
    NOW(sums[NAME(EVEN)]);
    NOW(sums[NAME(ODD)]);
    NOW(sums[NAME(DATA)]);
}

static ES_INLINE TARGET void NAME(single)(
        VECTOR *sums, const unsigned char *bytes, VECTOR key, es_hash_kind kind, SEEN *seen)
{
    VECTOR a = LOAD(bytes);
    NOW(a);
    VECTOR mixed = XOR(a, key);
    sums[NAME(EVEN)] = ADD(sums[NAME(EVEN)], MULTIPLY(mixed, RIGHT(mixed, 32)));
    sums[NAME(DATA)] = ADD(sums[NAME(DATA)], a);
    *seen = NAME(see)(*seen, a, a, kind);
}

static ES_INLINE TARGET VECTOR NAME(total)(const VECTOR *sums)
{
    return ADD(ADD(sums[NAME(EVEN)], sums[NAME(ODD)]), SWAP(sums[NAME(DATA)]));
}

/* What `count` stripes add to these lanes. Nothing here waits for the lanes, so that a machine that
 * looks ahead has a block's products ready before the lanes of the block before it. */
static ES_INLINE TARGET VECTOR NAME(column)(const unsigned char *bytes, size_t count,
        const unsigned char *secret, es_hash_kind kind, SEEN *seen)
{
    VECTOR sums[NAME(SUMS)] = {SET(0), SET(0), SET(0)};
    size_t n = 0;
    ES_UNROLL
    for (; n + 2 <= count; n += 2) {
        const unsigned char *at = bytes + ES_HASH_STRIPE * n, *key = secret + 8 * n;
        NAME(pair)(sums, at, LOAD(key), LOAD(key + 8), kind, seen);
    }
    if (n < count) {
        NAME(single)(sums, bytes + ES_HASH_STRIPE * n, LOAD(secret + 8 * n), kind, seen);
    }
    return NAME(total)(sums);
}

static ES_INLINE TARGET VECTOR NAME(scrambled)(VECTOR c, const unsigned char *secret)
{
    const VECTOR prime = SET(0x9E3779B1U);
    c = XOR(XOR(c, RIGHT(c, 47)), LOAD(secret + ES_HASH_SECRET_SCRAMBLE));
    return ADD(MULTIPLY(c, prime), LEFT(MULTIPLY(RIGHT(c, 32), prime), 32));
}

static TARGET void NAME(stripes)(
        uint64_t *lanes, const unsigned char *bytes, size_t count, const unsigned char *secret)
{
    SEEN seen = NOTHING_SEEN;
    for (size_t at = 0; at < ES_HASH_STRIPE; at += sizeof(VECTOR)) {
        VECTOR column = LOAD((unsigned char *)lanes + at);
        column = ADD(column, NAME(column)(bytes + at, count, secret + at, ES_HASH_PLAIN, &seen));
        STORE((unsigned char *)lanes + at, column);
    }
}

#ifdef ALL_KEYS
/* One vector for the lanes, and registers for the secret of all stripes: as long as every loop over
 * them is unrolled. */
static ES_INLINE TARGET void NAME(blocks)(VECTOR *columns, const unsigned char *bytes, size_t count,
        const unsigned char *secret, es_hash_kind kind, SEEN *seen)
{
    VECTOR keys[ES_HASH_STRIPES];
    ALL_KEYS
    for (size_t n = 0; n < ES_HASH_STRIPES; ++n) {
        keys[n] = LOAD(secret + 8 * n);
        NOW(keys[n]);
    }
    for (; count > 0; --count, bytes += ES_HASH_STRIPES * ES_HASH_STRIPE) {
        VECTOR sums[NAME(SUMS)] = {SET(0), SET(0), SET(0)};
        ES_UNROLL
        for (size_t n = 0; n < ES_HASH_STRIPES; n += 2) {
            NAME(pair)(sums, bytes + ES_HASH_STRIPE * n, keys[n], keys[n + 1], kind, seen);
        }
        columns[0] = NAME(scrambled)(ADD(columns[0], NAME(total)(sums)), secret);
    }
}
#else
static ES_INLINE TARGET void NAME(blocks)(VECTOR *columns, const unsigned char *bytes, size_t count,
        const unsigned char *secret, es_hash_kind kind, SEEN *seen)
{
    for (; count > 0; --count, bytes += ES_HASH_STRIPES * ES_HASH_STRIPE) {
        ES_UNROLL
        for (size_t i = 0; i < NAME(VECTORS); ++i) {
            size_t at = i * sizeof(VECTOR);
            VECTOR c = NAME(column)(bytes + at, ES_HASH_STRIPES, secret + at, kind, seen);
            columns[i] = NAME(scrambled)(ADD(columns[i], c), secret + at);
        }
    }
}
#endif

static ES_INLINE TARGET bool NAME(eat)(const uint64_t *from, uint64_t *to,
        const unsigned char *bytes, size_t stripes, const unsigned char *last,
        const unsigned char *secret, es_hash_kind kind)
{
    SEEN seen = NOTHING_SEEN;
    VECTOR columns[NAME(VECTORS)];
    for (size_t i = 0; i < NAME(VECTORS); ++i) {
        columns[i] = LOAD((const unsigned char *)from + i * sizeof(VECTOR));
    }
    if (stripes >= ES_HASH_STRIPES) {
        NAME(blocks)(columns, bytes, stripes / ES_HASH_STRIPES, secret, kind, &seen);
        bytes += stripes / ES_HASH_STRIPES * ES_HASH_STRIPES * ES_HASH_STRIPE;
        stripes %= ES_HASH_STRIPES;
    }
    for (size_t i = 0; i < NAME(VECTORS); ++i) {
        size_t at = i * sizeof(VECTOR);
        VECTOR c = columns[i];
        c = ADD(c, NAME(column)(bytes + at, stripes, secret + at, kind, &seen));
        if (last != NULL) {
            c = ADD(c, NAME(column)(last + at, 1, secret + ES_HASH_SECRET_LAST + at, kind, &seen));
        }
        columns[i] = c;
    }
    if (kind == ES_HASH_F32 ? NAN_SEEN_32(seen) : kind == ES_HASH_F64 ? NAN_SEEN_64(seen) : false) {
        return true;
    }
    for (size_t i = 0; i < NAME(VECTORS); ++i) {
        STORE((unsigned char *)to + i * sizeof(VECTOR), columns[i]);
    }
    return false;
}

static TARGET bool NAME(eat_plain)(const uint64_t *from, uint64_t *to, const unsigned char *bytes,
        size_t stripes, const unsigned char *last, const unsigned char *secret)
{
    return NAME(eat)(from, to, bytes, stripes, last, secret, ES_HASH_PLAIN);
}

static TARGET bool NAME(eat_f32)(const uint64_t *from, uint64_t *to, const unsigned char *bytes,
        size_t stripes, const unsigned char *last, const unsigned char *secret)
{
    return NAME(eat)(from, to, bytes, stripes, last, secret, ES_HASH_F32);
}

static TARGET bool NAME(eat_f64)(const uint64_t *from, uint64_t *to, const unsigned char *bytes,
        size_t stripes, const unsigned char *last, const unsigned char *secret)
{
    return NAME(eat)(from, to, bytes, stripes, last, secret, ES_HASH_F64);
}

static ES_INLINE TARGET SEEN NAME(look)(const unsigned char *bytes, size_t count, es_hash_kind kind)
{
    SEEN seen = NOTHING_SEEN, other = NOTHING_SEEN;
    size_t size = ES_HASH_STRIPE * count, one = sizeof(VECTOR), at = 0;
    for (; at + 4 * one <= size; at += 4 * one) {
        seen = NAME(see)(seen, LOAD(bytes + at), LOAD(bytes + at + one), kind);
        other = NAME(see)(other, LOAD(bytes + at + 2 * one), LOAD(bytes + at + 3 * one), kind);
    }
    for (; at < size; at += one) {
        seen = NAME(see)(seen, LOAD(bytes + at), LOAD(bytes + at), kind);
    }
    return BOTH_SEEN(seen, other, kind);
}

static TARGET bool NAME(has_nan_f32)(const unsigned char *bytes, size_t count)
{
    return NAN_SEEN_32(NAME(look)(bytes, count, ES_HASH_F32));
}

static TARGET bool NAME(has_nan_f64)(const unsigned char *bytes, size_t count)
{
    return NAN_SEEN_64(NAME(look)(bytes, count, ES_HASH_F64));
}
