/* SPDX-License-Identifier: Zlib
 *
 * Quaternions of floats out of structs into vectors x, y, z, w, and back: the transposition of four
 * by four numbers, in each 128 bits of a vector. In which lane an object travels does not matter.
 */

/* 128 bits at p, and where the vector has more, those four structs of n numbers further on. */
#if LANES == 4
#define GROUPS(p)        _mm_loadu_ps(p)
#define GROUPS_TO(p, v)  _mm_storeu_ps(p, v)
#define LOW(a, b)        _mm_unpacklo_ps(a, b)
#define HIGH(a, b)       _mm_unpackhi_ps(a, b)
#define LOW_PAIRS(a, b)  _mm_movelh_ps(a, b)
#define HIGH_PAIRS(a, b) _mm_movehl_ps(b, a)
#else
#define GROUPS(p)                                                                                  \
    _mm256_insertf128_ps(_mm256_castps128_ps256(_mm_loadu_ps(p)), _mm_loadu_ps((p) + 4 * n), 1)
#define GROUPS_TO(p, v)                                                                            \
    (_mm_storeu_ps(p, _mm256_castps256_ps128(v)),                                                  \
            _mm_storeu_ps((p) + 4 * n, _mm256_extractf128_ps(v, 1)))
#define LOW(a, b)        _mm256_unpacklo_ps(a, b)
#define HIGH(a, b)       _mm256_unpackhi_ps(a, b)
#define LOW_PAIRS(a, b)  _mm256_shuffle_ps(a, b, 0x44)
#define HIGH_PAIRS(a, b) _mm256_shuffle_ps(a, b, 0xee)
#endif

/* Out of structs, `step` bytes apart. */
static TARGET ES_INLINE NAME(quad) NAME(split)(const float *p, size_t step)
{
    const size_t n = step / sizeof(float);
    const WIDE a = GROUPS(p), b = GROUPS(p + n), c = GROUPS(p + 2 * n), d = GROUPS(p + 3 * n);
    const WIDE ab = LOW(a, b), cd = LOW(c, d), ab_high = HIGH(a, b), cd_high = HIGH(c, d);
    NAME(quad)
    q = {LOW_PAIRS(ab, cd), HIGH_PAIRS(ab, cd), LOW_PAIRS(ab_high, cd_high),
            HIGH_PAIRS(ab_high, cd_high)};
    return q;
}

static TARGET ES_INLINE void NAME(join)(float *p, size_t step, NAME(quad) q)
{
    const size_t n = step / sizeof(float);
    const WIDE xy = LOW(q.x, q.y), zw = LOW(q.z, q.w);
    const WIDE xy_high = HIGH(q.x, q.y), zw_high = HIGH(q.z, q.w);
    GROUPS_TO(p, LOW_PAIRS(xy, zw));
    GROUPS_TO(p + n, HIGH_PAIRS(xy, zw));
    GROUPS_TO(p + 2 * n, LOW_PAIRS(xy_high, zw_high));
    GROUPS_TO(p + 3 * n, HIGH_PAIRS(xy_high, zw_high));
}

#undef GROUPS
#undef GROUPS_TO
#undef LOW
#undef HIGH
#undef LOW_PAIRS
#undef HIGH_PAIRS
