/* SPDX-License-Identifier: Zlib
 *
 * Vectors by the compiler's extension for vectors (gcc, clang), for either type.
 */
#define MASK               NAME(mask)
#define W_LOAD(p)          (*(const NAME(anywhere) *)(p))
#define W_STORE(p, v)      (*(NAME(anywhere) *)(p) = (v))
#define W_SET(x)           ((NUMBER)(x) - (WIDE){0})
#define W_ABS(v)           ((WIDE)((MASK)(v)&INTEGER_MAX))
#define W_FLIP(v, by)      ((WIDE)((MASK)(v) ^ ((MASK)(by) & ~INTEGER_MAX)))
#define W_LT(a, b)         ((MASK)((a) < (b)))
#define W_NOT_LE(a, b)     (~(MASK)((a) <= (b)))
#define W_AND_NOT(m, not ) ((m) & ~(not ))
#ifndef W_SELECT
#define W_SELECT(m, y, n) ((WIDE)(((m) & (MASK)(y)) | (~(m) & (MASK)(n))))
#endif
#define W_ALL_ZERO(a, b, c, d)                                                                     \
    ((MASK)((WIDE)((MASK)(a) | (MASK)(b) | (MASK)(c) | (MASK)(d)) == (WIDE){0})) /* -0 is 0 too */
