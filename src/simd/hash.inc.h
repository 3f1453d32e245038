/* SPDX-License-Identifier: Zlib
 *
 * The loops of XXH3 for long inputs, in vectors of 64-bit lanes. Before it is included: NAME(x),
 * TARGET, VECTOR, and
 *
 *   LOAD(p) STORE(p, v) SET(x) ADD(a, b) XOR(a, b) RIGHT(v, n) LEFT(v, n)
 *   MULTIPLY(a, b)     of each lane the product of the lower halves
 *   SWAP(v)            the two lanes of each pair change places
 *   FIND_32(found, v)  as FIND_64(found, v): afterwards a NaN's exponent and fraction are in found,
 *                      if there was one, so that FOUND_32(bits), FOUND_64(bits) of a lane tells;
 *                      MERGE_32(found, other) has what either has
 *
 * XXH3 adds what it reads to the neighbouring lane. Adding may be done in any order: here it is
 * summed up apart and swapped once for all stripes, which saves an operation for each of them.
 */

enum { NAME(VECTORS) = ES_HASH_STRIPE / sizeof(VECTOR) };

static ES_INLINE TARGET VECTOR NAME(column)(
        VECTOR lanes, const unsigned char *bytes, size_t count, const unsigned char *secret)
{
    VECTOR more = SET(0), sum = SET(0);
    size_t n = 0;
    ES_UNROLL
    for (; n + 2 <= count; n += 2) { /* two sums, which do not wait for each other */
        VECTOR a = LOAD(bytes + ES_HASH_STRIPE * n);
        VECTOR b = LOAD(bytes + ES_HASH_STRIPE * (n + 1));
        VECTOR mixed_a = XOR(a, LOAD(secret + 8 * n));
        VECTOR mixed_b = XOR(b, LOAD(secret + 8 * (n + 1)));
        lanes = ADD(lanes, MULTIPLY(mixed_a, RIGHT(mixed_a, 32)));
        more = ADD(more, MULTIPLY(mixed_b, RIGHT(mixed_b, 32)));
        sum = ADD(sum, ADD(a, b));
    }
    if (n < count) {
        VECTOR a = LOAD(bytes + ES_HASH_STRIPE * n);
        VECTOR mixed = XOR(a, LOAD(secret + 8 * n));
        lanes = ADD(lanes, MULTIPLY(mixed, RIGHT(mixed, 32)));
        sum = ADD(sum, a);
    }
    return ADD(ADD(lanes, more), SWAP(sum));
}

static TARGET void NAME(stripes)(
        uint64_t *lanes, const unsigned char *bytes, size_t count, const unsigned char *secret)
{
    for (size_t at = 0; at < ES_HASH_STRIPE; at += sizeof(VECTOR)) {
        VECTOR column = LOAD((unsigned char *)lanes + at);
        column = NAME(column)(column, bytes + at, count, secret + at);
        STORE((unsigned char *)lanes + at, column);
    }
}

static TARGET void NAME(blocks)(
        uint64_t *lanes, const unsigned char *bytes, size_t count, const unsigned char *secret)
{
    const VECTOR prime = SET(0x9E3779B1U);
    VECTOR columns[NAME(VECTORS)];
    for (size_t i = 0; i < NAME(VECTORS); ++i) {
        columns[i] = LOAD((unsigned char *)lanes + i * sizeof(VECTOR));
    }
    for (; count > 0; --count, bytes += ES_HASH_STRIPE * ES_HASH_STRIPES) {
        ES_UNROLL
        for (size_t i = 0; i < NAME(VECTORS); ++i) {
            size_t at = i * sizeof(VECTOR);
            VECTOR c = NAME(column)(columns[i], bytes + at, ES_HASH_STRIPES, secret + at);
            c = XOR(XOR(c, RIGHT(c, 47)), LOAD(secret + ES_HASH_SECRET_SCRAMBLE + at));
            columns[i] = ADD(MULTIPLY(c, prime), LEFT(MULTIPLY(RIGHT(c, 32), prime), 32));
        }
    }
    for (size_t i = 0; i < NAME(VECTORS); ++i) {
        STORE((unsigned char *)lanes + i * sizeof(VECTOR), columns[i]);
    }
}

static TARGET bool NAME(has_nan_f32)(const unsigned char *bytes, size_t count)
{
    VECTOR found = SET(0), other = SET(0);
    uint32_t words[sizeof(VECTOR) / 4];
    size_t size = ES_HASH_STRIPE * count, half = sizeof(VECTOR);
    bool any = false;
    for (size_t at = 0; at + half <= size; at += 2 * half) {
        VECTOR a = LOAD(bytes + at);
        VECTOR b = LOAD(bytes + (at + 2 * half <= size ? at + half : at));
        found = FIND_32(found, a);
        other = FIND_32(other, b);
    }
    STORE((unsigned char *)words, MERGE_32(found, other));
    for (size_t i = 0; i < sizeof words / sizeof words[0]; ++i) {
        any |= FOUND_32(words[i]);
    }
    return any;
}

static TARGET bool NAME(has_nan_f64)(const unsigned char *bytes, size_t count)
{
    VECTOR found = SET(0);
    uint64_t words[sizeof(VECTOR) / 8];
    bool any = false;
    for (size_t at = 0; at < ES_HASH_STRIPE * count; at += sizeof(VECTOR)) {
        found = FIND_64(found, LOAD(bytes + at));
    }
    STORE((unsigned char *)words, found);
    for (size_t i = 0; i < sizeof words / sizeof words[0]; ++i) {
        any |= FOUND_64(words[i]);
    }
    return any;
}
