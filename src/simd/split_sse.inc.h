/* SPDX-License-Identifier: Zlib
 *
 * Quadruples of floats to four arrays and back, four at a time, for any x86 file.
 */
static TARGET void split4_sse(const void *from, size_t stride, float *const to[4], size_t n)
{
    const unsigned char *at = from;
    size_t i = 0;
    for (; i + 4 <= n; i += 4, at += 4 * stride) {
        __m128 q0 = _mm_loadu_ps((const float *)(const void *)at);
        __m128 q1 = _mm_loadu_ps((const float *)(const void *)(at + stride));
        __m128 q2 = _mm_loadu_ps((const float *)(const void *)(at + 2 * stride));
        __m128 q3 = _mm_loadu_ps((const float *)(const void *)(at + 3 * stride));
        _MM_TRANSPOSE4_PS(q0, q1, q2, q3);
        _mm_storeu_ps(to[0] + i, q0);
        _mm_storeu_ps(to[1] + i, q1);
        _mm_storeu_ps(to[2] + i, q2);
        _mm_storeu_ps(to[3] + i, q3);
    }
    for (; i < n; ++i, at += stride) {
        const float *q = (const float *)(const void *)at;
        to[0][i] = q[0];
        to[1][i] = q[1];
        to[2][i] = q[2];
        to[3][i] = q[3];
    }
}

static TARGET void join4_sse(const float *const from[4], void *to, size_t stride, size_t n)
{
    unsigned char *at = to;
    size_t i = 0;
    for (; i + 4 <= n; i += 4, at += 4 * stride) {
        __m128 q0 = _mm_loadu_ps(from[0] + i);
        __m128 q1 = _mm_loadu_ps(from[1] + i);
        __m128 q2 = _mm_loadu_ps(from[2] + i);
        __m128 q3 = _mm_loadu_ps(from[3] + i);
        _MM_TRANSPOSE4_PS(q0, q1, q2, q3);
        _mm_storeu_ps((float *)(void *)at, q0);
        _mm_storeu_ps((float *)(void *)(at + stride), q1);
        _mm_storeu_ps((float *)(void *)(at + 2 * stride), q2);
        _mm_storeu_ps((float *)(void *)(at + 3 * stride), q3);
    }
    for (; i < n; ++i, at += stride) {
        float *q = (float *)(void *)at;
        q[0] = from[0][i];
        q[1] = from[1][i];
        q[2] = from[2][i];
        q[3] = from[3][i];
    }
}

#define SPLIT4 split4_sse
#define JOIN4  join4_sse
