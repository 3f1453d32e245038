/* SPDX-License-Identifier: Zlib
 *
 * The kernels of the blend: the same for every instruction set, with the same bytes from each.
 * kernels.inc.h has their code; a file per instruction set compiles it at its width.
 *
 * The bytes are equal because every lane runs the scalar kernel's operations, in the same order,
 * all of which IEEE 754 rounds exactly (+ - * / sqrt); no fused multiply-add, no estimates.
 *
 * An output overlaps no input.
 */
#ifndef ES_SIMD_KERNELS_H
#define ES_SIMD_KERNELS_H

#include <float.h>
#include <math.h>
#include <string.h>

#if defined(__MINGW32__) && defined(__SSE2__)
#include <immintrin.h>
#endif

#include "evenstep/world.h"
#include "machine.h"
#include "world/value_parts.h"

/* An instruction set. All give the same bytes, at different speeds. */
typedef enum es__simd {
    ES_SIMD_AUTO = 0, /* the widest that this machine has */
    ES_SIMD_SCALAR,
    ES_SIMD_SSE2,
    ES_SIMD_AVX2,
    ES_SIMD_NEON
} es__simd;

#if defined(__GNUC__)
#define ES_COLD      __attribute__((noinline, cold))
#define ES_RARELY(x) __builtin_expect((x), 0)
#else
#define ES_COLD
#define ES_RARELY(x) (x)
#endif

/* mingw-w64's sqrt rounds twice, by way of the x87: 1 result in 4000 is off by an ulp. Its sqrtf is
 * right: 64 bits are enough for twice 24 and two. */
static inline double es__sqrt_f64(double x)
{
#if defined(__MINGW32__) && defined(__SSE2__)
    return _mm_cvtsd_f64(_mm_sqrt_sd(_mm_setzero_pd(), _mm_set_sd(x)));
#else
    return sqrt(x);
#endif
}

/* Which words of a row: bit k is word k. A word has the size of a number. */
typedef struct es__masks {
    uint64_t mix;  /* floats between a and b */
    uint64_t wrap; /* of these: the short way round */
    uint64_t copy; /* anything, as b has it */
} es__masks;

/* Numbers in rows: structs or arrays. */
typedef struct es__words {
    const unsigned char *a;
    const unsigned char *b;
    unsigned char *out;
    size_t stride; /* bytes from a row to the next: whole words, and no fewer than there are bits */
    es__masks masks;
    double alpha; /* between 0 and 1, in the numbers' type */
    double turn;  /* of what wraps, likewise */
} es__words;

/* Quaternions in structs or arrays. */
typedef struct es__quads {
    const unsigned char *a;
    const unsigned char *b;
    unsigned char *out;
    bool rows;   /* structs: four components side by side. Else arrays: objects side by side */
    size_t step; /* bytes from a struct to the next; of arrays, from a component to the next */
} es__quads;

/* A matrix's numbers in memory: number(row r, column c) at r * row + c * column. */
typedef struct es__matrix_form {
    size_t numbers; /* 12 or 16 */
    size_t row, column;
} es__matrix_form;

#define ES_MATRIX_PARTS 12 /* value_matrix.h has them */

/* Matrices and their parts in structs. */
typedef struct es__matrices {
    const unsigned char *a, *b;
    const unsigned char *a_parts, *b_parts;
    unsigned char *out; /* matrices alone */
    size_t step;        /* bytes from a struct to the next */
    size_t at;          /* to the first */
    es__matrix_form form;
} es__matrices;

/* The lowest bit that is set. */
static inline unsigned es__lowest_bit(uint64_t bits)
{
#if defined(__GNUC__)
    return (unsigned)__builtin_ctzll(bits);
#else
    unsigned at = 0;
    for (; (bits >> at & 1) == 0; ++at) {
    }
    return at;
#endif
}

/* The first bits of n rows of this width, together at most 64. */
static inline uint64_t es__first_bits(size_t width, size_t n)
{
    uint64_t bits = 1;
    for (size_t k = 1; k < n; k *= 2) {
        bits |= bits << k * width;
    }
    return n * width < 64 ? bits & ((UINT64_C(1) << n * width) - 1) : bits;
}

/* What a kernel of words fills: one lane of a vector, the first two or three, or all. */
typedef enum es__fill { ES_FILL_ONE = 1, ES_FILL_PAIR, ES_FILL_TRIPLE, ES_FILL_WHOLE } es__fill;

typedef enum es__do { ES_DO_COPY, ES_DO_MIX, ES_DO_WRAP } es__do;

#define ES_KERNEL_TYPES(NUMBER, SUFFIX)                                                            \
    /* what a rotation takes from alpha */                                                         \
    typedef struct es__rotor_of_##SUFFIX {                                                         \
        NUMBER t;                                                                                  \
        NUMBER e[5]; /* of x, x^2, ... x^5 in u - t */                                             \
        NUMBER p[5]; /* of 1, x, ... x^4 in p */                                                   \
    } es__rotor_of_##SUFFIX;                                                                       \
    /* weight * (plus - minus), or weight * plus where minus is NULL */                            \
    typedef struct es__term_##SUFFIX {                                                             \
        const NUMBER *plus;                                                                        \
        const NUMBER *minus;                                                                       \
        NUMBER weight;                                                                             \
    } es__term_##SUFFIX;                                                                           \
    typedef struct es__cubic_##SUFFIX {                                                            \
        const NUMBER *before; /* the tick before the pair; NULL: unknown */                        \
        const NUMBER *from;                                                                        \
        const NUMBER *to;                                                                          \
        const NUMBER *after;         /* the tick after the pair; NULL: unknown */                  \
        const NUMBER *from_velocity; /* both NULL: tangents from the neighbours */                 \
        const NUMBER *to_velocity;                                                                 \
        NUMBER before_ratio; /* the pair's length over that of the tick before it */               \
        NUMBER before_share; /* and over both together */                                          \
        NUMBER after_ratio;                                                                        \
        NUMBER after_share;                                                                        \
        NUMBER length; /* of the pair, in the velocities' unit of time */                          \
    } es__cubic_##SUFFIX;                                                                          \
    typedef struct es__kernels_##SUFFIX {                                                          \
        size_t lanes;                                                                              \
        /* of rows that begin `shift` bytes further on */                                          \
        void (*words)(const es__words *words, size_t shift, size_t rows);                          \
        void (*rotation)(const es__quads *q, size_t n, const es__rotor_of_##SUFFIX *rotor);        \
        void (*matrices)(const es__matrices *m, size_t n, const es__rotor_of_##SUFFIX *rotor);     \
        /* of the numbers i to n - 1 */                                                            \
        void (*sum)(const NUMBER *base, const es__term_##SUFFIX *terms, size_t term_count,         \
                NUMBER *out, size_t i, size_t n);                                                  \
        void (*monotone)(                                                                          \
                const es__cubic_##SUFFIX *cubic, NUMBER *out, size_t i, size_t n, NUMBER alpha);   \
    } es__kernels_##SUFFIX

ES_KERNEL_TYPES(float, f32);
ES_KERNEL_TYPES(double, f64);

typedef struct es__kernels {
    const es__kernels_f32 *f32;
    const es__kernels_f64 *f64;
} es__kernels;

/* What rotations at an alpha between 0 and 1 have in common. */
void es__rotor_f32(es__rotor_of_f32 *rotor, float alpha);
void es__rotor_f64(es__rotor_of_f64 *rotor, double alpha);

extern const es__kernels es__kernels_scalar;
#if ES_SIMD_X86
extern const es__kernels es__kernels_sse2;
#endif
#if ES_SIMD_AVX
extern const es__kernels es__kernels_avx2;
#endif
#if ES_SIMD_ARM
extern const es__kernels es__kernels_neon;
#endif

/* The kernels of an instruction set; NULL where this machine lacks it. ES_SIMD_AUTO: the widest. */
const es__kernels *es__simd_kernels(es__simd simd);

#endif
