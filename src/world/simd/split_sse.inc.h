/* SPDX-License-Identifier: Zlib
 *
 * Quaternions of floats out of structs into vectors x, y, z, w, and back: the transposition of four
 * by four numbers, in each 128 bits of a vector. In which lane an object travels does not matter.
 */

/* 128 bits each at p, and g, h, g + h bytes further on: as many as a vector has. */
#if LANES == 4
#define GROUPS(p, g, h)       _mm_loadu_ps(p)
#define GROUPS_TO(p, g, h, v) _mm_storeu_ps(p, v)
#define LOW(a, b)             _mm_unpacklo_ps(a, b)
#define HIGH(a, b)            _mm_unpackhi_ps(a, b)
#define LOW_PAIRS(a, b)       _mm_movelh_ps(a, b)
#define HIGH_PAIRS(a, b)      _mm_movehl_ps(b, a)
#else
#define FROM(p, bytes) ((const float *)(const void *)((const unsigned char *)(p) + (bytes)))
#define TO(p, bytes)   ((float *)(void *)((unsigned char *)(p) + (bytes)))
#if LANES == 8
#define GROUPS(p, g, h)                                                                            \
    _mm256_insertf128_ps(_mm256_castps128_ps256(_mm_loadu_ps(p)), _mm_loadu_ps(FROM(p, g)), 1)
#define GROUPS_TO(p, g, h, v)                                                                      \
    (_mm_storeu_ps(p, _mm256_castps256_ps128(v)),                                                  \
            _mm_storeu_ps(TO(p, g), _mm256_extractf128_ps(v, 1)))
#define LOW(a, b)        _mm256_unpacklo_ps(a, b)
#define HIGH(a, b)       _mm256_unpackhi_ps(a, b)
#define LOW_PAIRS(a, b)  _mm256_shuffle_ps(a, b, 0x44)
#define HIGH_PAIRS(a, b) _mm256_shuffle_ps(a, b, 0xee)
#else
static TARGET ES_INLINE __m512 NAME(groups)(const float *p, size_t g, size_t h)
{
    __m512 v = _mm512_castps128_ps512(_mm_loadu_ps(p));
    v = _mm512_insertf32x4(v, _mm_loadu_ps(FROM(p, g)), 1);
    v = _mm512_insertf32x4(v, _mm_loadu_ps(FROM(p, h)), 2);
    return _mm512_insertf32x4(v, _mm_loadu_ps(FROM(p, g + h)), 3);
}

static TARGET ES_INLINE void NAME(groups_to)(float *p, size_t g, size_t h, __m512 v)
{
    _mm_storeu_ps(p, _mm512_castps512_ps128(v));
    _mm_storeu_ps(TO(p, g), _mm512_extractf32x4_ps(v, 1));
    _mm_storeu_ps(TO(p, h), _mm512_extractf32x4_ps(v, 2));
    _mm_storeu_ps(TO(p, g + h), _mm512_extractf32x4_ps(v, 3));
}
#define GROUPS(p, g, h)       NAME(groups)(p, g, h)
#define GROUPS_TO(p, g, h, v) NAME(groups_to)(p, g, h, v)
#define LOW(a, b)             _mm512_unpacklo_ps(a, b)
#define HIGH(a, b)            _mm512_unpackhi_ps(a, b)
#define LOW_PAIRS(a, b)       _mm512_shuffle_ps(a, b, 0x44)
#define HIGH_PAIRS(a, b)      _mm512_shuffle_ps(a, b, 0xee)
#endif
#endif

/* Out of structs, `step` bytes apart. */
static TARGET ES_INLINE NAME(quad) NAME(split)(const float *p, size_t step)
{
    const size_t n = step / sizeof(float), g = 4 * step, h = 8 * step;
    const WIDE a = GROUPS(p, g, h), b = GROUPS(p + n, g, h);
    const WIDE c = GROUPS(p + 2 * n, g, h), d = GROUPS(p + 3 * n, g, h);
    const WIDE ab = LOW(a, b), cd = LOW(c, d), ab_high = HIGH(a, b), cd_high = HIGH(c, d);
    NAME(quad)
    q = {LOW_PAIRS(ab, cd), HIGH_PAIRS(ab, cd), LOW_PAIRS(ab_high, cd_high),
            HIGH_PAIRS(ab_high, cd_high)};
    (void)g;
    (void)h;
    return q;
}

static TARGET ES_INLINE void NAME(join)(float *p, size_t step, NAME(quad) q)
{
    const size_t n = step / sizeof(float), g = 4 * step, h = 8 * step;
    const WIDE xy = LOW(q.x, q.y), zw = LOW(q.z, q.w);
    const WIDE xy_high = HIGH(q.x, q.y), zw_high = HIGH(q.z, q.w);
    (void)g;
    (void)h;
    GROUPS_TO(p, g, h, LOW_PAIRS(xy, zw));
    GROUPS_TO(p + n, g, h, HIGH_PAIRS(xy, zw));
    GROUPS_TO(p + 2 * n, g, h, LOW_PAIRS(xy_high, zw_high));
    GROUPS_TO(p + 3 * n, g, h, HIGH_PAIRS(xy_high, zw_high));
}

#undef GROUPS
#undef GROUPS_TO
#undef LOW
#undef HIGH
#undef LOW_PAIRS
#undef HIGH_PAIRS
#undef FROM
#undef TO
