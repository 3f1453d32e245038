/* SPDX-License-Identifier: Zlib
 *
 * Quaternions of floats out of structs into vectors x, y, z, w, and back: the transposition of four
 * by four numbers, in each 128 bits of a vector. In which lane an object travels does not matter.
 */
#define AT(p, i) ((const float *)(const void *)((const unsigned char *)(p) + (i)*stride))
#define TO(p, i) ((float *)(void *)((unsigned char *)(p) + (i)*stride))

#if LANES == 4
#define ROWS(p, i)       _mm_loadu_ps(AT(p, i))
#define ROWS_TO(p, i, v) _mm_storeu_ps(TO(p, i), v)
#define LOW(a, b)        _mm_unpacklo_ps(a, b)
#define HIGH(a, b)       _mm_unpackhi_ps(a, b)
#define LOW_PAIRS(a, b)  _mm_movelh_ps(a, b)
#define HIGH_PAIRS(a, b) _mm_movehl_ps(b, a)
#elif LANES == 8
static TARGET ES_INLINE __m256 NAME(rows_at)(const float *p, size_t stride, size_t i)
{
    return _mm256_insertf128_ps(
            _mm256_castps128_ps256(_mm_loadu_ps(AT(p, i))), _mm_loadu_ps(AT(p, i + 4)), 1);
}

static TARGET ES_INLINE void NAME(rows_to)(float *p, size_t stride, size_t i, __m256 v)
{
    _mm_storeu_ps(TO(p, i), _mm256_castps256_ps128(v));
    _mm_storeu_ps(TO(p, i + 4), _mm256_extractf128_ps(v, 1));
}
#define ROWS(p, i)       NAME(rows_at)(p, stride, i)
#define ROWS_TO(p, i, v) NAME(rows_to)(p, stride, i, v)
#define LOW(a, b)        _mm256_unpacklo_ps(a, b)
#define HIGH(a, b)       _mm256_unpackhi_ps(a, b)
#define LOW_PAIRS(a, b)  _mm256_shuffle_ps(a, b, 0x44)
#define HIGH_PAIRS(a, b) _mm256_shuffle_ps(a, b, 0xee)
#else
static TARGET ES_INLINE __m512 NAME(rows_at)(const float *p, size_t stride, size_t i)
{
    __m512 v = _mm512_castps128_ps512(_mm_loadu_ps(AT(p, i)));
    v = _mm512_insertf32x4(v, _mm_loadu_ps(AT(p, i + 4)), 1);
    v = _mm512_insertf32x4(v, _mm_loadu_ps(AT(p, i + 8)), 2);
    return _mm512_insertf32x4(v, _mm_loadu_ps(AT(p, i + 12)), 3);
}

static TARGET ES_INLINE void NAME(rows_to)(float *p, size_t stride, size_t i, __m512 v)
{
    _mm_storeu_ps(TO(p, i), _mm512_castps512_ps128(v));
    _mm_storeu_ps(TO(p, i + 4), _mm512_extractf32x4_ps(v, 1));
    _mm_storeu_ps(TO(p, i + 8), _mm512_extractf32x4_ps(v, 2));
    _mm_storeu_ps(TO(p, i + 12), _mm512_extractf32x4_ps(v, 3));
}
#define ROWS(p, i)       NAME(rows_at)(p, stride, i)
#define ROWS_TO(p, i, v) NAME(rows_to)(p, stride, i, v)
#define LOW(a, b)        _mm512_unpacklo_ps(a, b)
#define HIGH(a, b)       _mm512_unpackhi_ps(a, b)
#define LOW_PAIRS(a, b)  _mm512_shuffle_ps(a, b, 0x44)
#define HIGH_PAIRS(a, b) _mm512_shuffle_ps(a, b, 0xee)
#endif

static TARGET ES_INLINE void NAME(split_rows)(
        const float *p, size_t stride, WIDE *x, WIDE *y, WIDE *z, WIDE *w)
{
    WIDE a = ROWS(p, 0), b = ROWS(p, 1), c = ROWS(p, 2), d = ROWS(p, 3);
    WIDE ab = LOW(a, b), cd = LOW(c, d), ab_high = HIGH(a, b), cd_high = HIGH(c, d);
    *x = LOW_PAIRS(ab, cd);
    *y = HIGH_PAIRS(ab, cd);
    *z = LOW_PAIRS(ab_high, cd_high);
    *w = HIGH_PAIRS(ab_high, cd_high);
}

static TARGET ES_INLINE void NAME(join_rows)(
        float *p, size_t stride, WIDE x, WIDE y, WIDE z, WIDE w)
{
    WIDE xy = LOW(x, y), zw = LOW(z, w), xy_high = HIGH(x, y), zw_high = HIGH(z, w);
    ROWS_TO(p, 0, LOW_PAIRS(xy, zw));
    ROWS_TO(p, 1, HIGH_PAIRS(xy, zw));
    ROWS_TO(p, 2, LOW_PAIRS(xy_high, zw_high));
    ROWS_TO(p, 3, HIGH_PAIRS(xy_high, zw_high));
}

#define W_SPLIT(p, stride, q) NAME(split_rows)(p, stride, &(q).x, &(q).y, &(q).z, &(q).w)
#define W_JOIN(p, stride, q)  NAME(join_rows)(p, stride, (q).x, (q).y, (q).z, (q).w)
