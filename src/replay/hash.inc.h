/* SPDX-License-Identifier: Zlib
 *
 * The loop of XXH3 for long inputs, in vectors of 64-bit lanes. Before it is included: NAME(x),
 * TARGET, VECTOR, and
 *
 *   LOAD(p) STORE(p, v) SET(x) ADD(a, b) XOR(a, b) RIGHT(v, n) LEFT(v, n)
 *   MULTIPLY(a, b)          of each lane the product of the lower halves
 *   SWAP(v)                 the two lanes of each pair change places
 *
 * XXH3 adds what it reads to the neighbouring lane. Additions commute: here they are summed apart
 * and swapped once for all stripes.
 */

enum { NAME(VECTORS) = ES_HASH_STRIPE / sizeof(VECTOR) };

/* What `count` stripes add to the lanes of one vector. */
static ES_INLINE TARGET VECTOR NAME(column)(
        const unsigned char *bytes, size_t count, const unsigned char *secret)
{
    VECTOR products = SET(0), data = SET(0);
    ES_UNROLL
    for (size_t n = 0; n < count; ++n) {
        VECTOR read = LOAD(bytes + ES_HASH_STRIPE * n), mixed = XOR(read, LOAD(secret + 8 * n));
        products = ADD(products, MULTIPLY(mixed, RIGHT(mixed, 32)));
        data = ADD(data, read);
    }
    return ADD(products, SWAP(data));
}

static ES_INLINE TARGET VECTOR NAME(scrambled)(VECTOR lanes, const unsigned char *secret)
{
    const VECTOR prime = SET(0x9E3779B1U);
    lanes = XOR(XOR(lanes, RIGHT(lanes, 47)), LOAD(secret + ES_HASH_SECRET_SCRAMBLE));
    return ADD(MULTIPLY(lanes, prime), LEFT(MULTIPLY(RIGHT(lanes, 32), prime), 32));
}

TARGET static void NAME(hash)(uint64_t *lanes, uint32_t *stripe, const unsigned char *bytes,
        size_t count, const unsigned char *secret)
{
    VECTOR columns[NAME(VECTORS)];
    for (size_t i = 0; i < NAME(VECTORS); ++i) {
        columns[i] = LOAD((const unsigned char *)lanes + i * sizeof(VECTOR));
    }
    while (count > 0) {
        size_t left = ES_HASH_STRIPES - *stripe, some = count < left ? count : left;
        for (size_t i = 0; i < NAME(VECTORS); ++i) {
            size_t at = i * sizeof(VECTOR);
            VECTOR sum = some == ES_HASH_STRIPES /* a count that the compiler knows */
                                 ? NAME(column)(bytes + at, ES_HASH_STRIPES, secret + at)
                                 : NAME(column)(bytes + at, some, secret + 8 * *stripe + at);
            columns[i] = ADD(columns[i], sum);
            if (some == left) {
                columns[i] = NAME(scrambled)(columns[i], secret + at);
            }
        }
        *stripe = (*stripe + (uint32_t)some) % ES_HASH_STRIPES;
        bytes += ES_HASH_STRIPE * some;
        count -= some;
    }
    for (size_t i = 0; i < NAME(VECTORS); ++i) {
        STORE((unsigned char *)lanes + i * sizeof(VECTOR), columns[i]);
    }
}

#undef NAME
#undef TARGET
#undef VECTOR
#undef LOAD
#undef STORE
#undef SET
#undef ADD
#undef XOR
#undef RIGHT
#undef LEFT
#undef MULTIPLY
#undef SWAP
