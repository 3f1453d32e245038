/* SPDX-License-Identifier: Zlib
 *
 * Vectors of one number, for either type.
 */
#define LANES  1
#define UNROLL 1
#define TARGET
#define WIDE                   NUMBER
#define MASK                   bool
#define W_LOAD(p)              (*(p))
#define W_STORE(p, v)          (*(p) = (v))
#define W_STREAM(p, v)         (*(p) = (v))
#define W_SET(x)               ((NUMBER)(x))
#define W_FLIP(v, by)          (IS_SIGNED(by) ? -(v) : (v))
#define W_LT(a, b)             ((a) < (b))
#define W_NOT_LE(a, b)         (!((a) <= (b)))
#define W_SELECT(m, y, n)      ((m) ? (y) : (n))
#define W_ANY(m)               (m)
#define W_AND_NOT(m, not )     ((m) && !(not ))
#define W_ALL_ZERO(a, b, c, d) ((a) == 0 && (b) == 0 && (c) == 0 && (d) == 0)
