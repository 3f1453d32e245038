/* SPDX-License-Identifier: Zlib
 *
 * The kernels of the blend: the same for every instruction set, with the same bytes from each.
 * kernels.inc.h has their code; a file per instruction set compiles it at its width.
 *
 * The bytes are equal because every lane runs the scalar kernel's operations, in the same order,
 * all of which IEEE 754 rounds exactly (+ - * / sqrt); no fused multiply-add, no estimates.
 *
 * A kernel works on n adjacent numbers of each array. `stream`: written past the caches; every out
 * is aligned to 64 bytes. An output overlaps no input.
 */
#ifndef ES_SIMD_KERNELS_H
#define ES_SIMD_KERNELS_H

#include "evenstep/world.h"
#include "machine.h"
#include "world/value_parts.h"

/* An instruction set. All give the same bytes, at different speeds. */
typedef enum es_simd {
    ES_SIMD_AUTO = 0, /* the widest that this machine has */
    ES_SIMD_SCALAR,
    ES_SIMD_SSE2,
    ES_SIMD_AVX2,
    ES_SIMD_AVX512,
    ES_SIMD_NEON
} es_simd;

#if defined(__GNUC__)
#define ES_COLD              __attribute__((noinline, cold))
#define ES_RARELY(x)         __builtin_expect((x), 0)
#define ES_PREFETCH(address) __builtin_prefetch((address), 0, 3)
#else
#define ES_COLD
#define ES_RARELY(x)         (x)
#define ES_PREFETCH(address) ((void)(address))
#endif

/* Numbers that lie side by side. */
typedef struct es_run {
    size_t first;
    size_t count;
} es_run;

#define ES_KERNEL_TYPES(NUMBER, SUFFIX)                                                            \
    /* quaternions by component: y, z and w lie `step` numbers after x each */                     \
    typedef struct es_quads_##SUFFIX {                                                             \
        const NUMBER *a;                                                                           \
        const NUMBER *b;                                                                           \
        NUMBER *out;                                                                               \
        size_t a_step;                                                                             \
        size_t b_step;                                                                             \
        size_t out_step;                                                                           \
    } es_quads_##SUFFIX;                                                                           \
    /* what a rotation takes from alpha */                                                         \
    typedef struct es_rotor_##SUFFIX {                                                             \
        NUMBER t;                                                                                  \
        NUMBER e[5]; /* of x, x^2, ... x^5 in u - t */                                             \
        NUMBER p[5]; /* of 1, x, ... x^4 in p */                                                   \
    } es_rotor_##SUFFIX;                                                                           \
    typedef struct es_rows_##SUFFIX {                                                              \
        const NUMBER *a;                                                                           \
        const NUMBER *b;                                                                           \
        NUMBER *out;                                                                               \
        size_t numbers;      /* of a struct */                                                     \
        const size_t *quads; /* quad_count times the first number of a quaternion */               \
        size_t quad_count;                                                                         \
        NUMBER alpha;                                                                              \
        const es_rotor_##SUFFIX *rotor;                                                            \
    } es_rows_##SUFFIX;                                                                            \
    typedef struct es_tiles_##SUFFIX {                                                             \
        const NUMBER *a; /* the first tile */                                                      \
        const NUMBER *b;                                                                           \
        NUMBER *out;                                                                               \
        size_t step;   /* numbers from a tile to the next */                                       \
        size_t length; /* numbers of a component in a tile: whole vectors */                       \
        es_run before; /* of a tile, may be empty: linear numbers */                               \
        es_run quad;   /* after them, may be empty: a quaternion's x */                            \
        es_run after;  /* after it, may be empty: linear numbers */                                \
        NUMBER alpha;                                                                              \
        bool stream;                                                                               \
        const es_rotor_##SUFFIX *rotor;                                                            \
    } es_tiles_##SUFFIX;                                                                           \
    /* weight * (plus - minus), or weight * plus where minus is NULL */                            \
    typedef struct es_term_##SUFFIX {                                                              \
        const NUMBER *plus;                                                                        \
        const NUMBER *minus;                                                                       \
        NUMBER weight;                                                                             \
    } es_term_##SUFFIX;                                                                            \
    typedef struct es_cubic_##SUFFIX {                                                             \
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
    } es_cubic_##SUFFIX;                                                                           \
    typedef struct es_kernels_##SUFFIX {                                                           \
        size_t lanes;                                                                              \
        void (*linear)(const NUMBER *a, const NUMBER *b, NUMBER *out, size_t n, NUMBER alpha,      \
                bool stream);                                                                      \
        void (*cyclic)(const NUMBER *a, const NUMBER *b, NUMBER *out, size_t n, NUMBER alpha,      \
                NUMBER turn);                                                                      \
        void (*rotation)(const es_quads_##SUFFIX *q, size_t n, const es_rotor_##SUFFIX *rotor,     \
                bool stream);                                                                      \
        void (*sum)(const NUMBER *base, const es_term_##SUFFIX *terms, size_t term_count,          \
                NUMBER *out, size_t n);                                                            \
        void (*monotone)(const es_cubic_##SUFFIX *cubic, NUMBER *out, size_t n, NUMBER alpha);     \
        /* of quaternions in structs, `stride` bytes apart */                                      \
        void (*rotation_rows)(const void *a, const void *b, void *out, size_t stride, size_t n,    \
                const es_rotor_##SUFFIX *rotor);                                                   \
        /* all numbers of packed structs, those at `quads` as quaternions */                       \
        void (*rows)(const es_rows_##SUFFIX *rows, size_t n);                                      \
        /* n tiles, their fields in one pass over memory */                                        \
        void (*tiles)(const es_tiles_##SUFFIX *tiles, size_t n);                                   \
    } es_kernels_##SUFFIX

ES_KERNEL_TYPES(float, f32);
ES_KERNEL_TYPES(double, f64);

typedef struct es_kernels {
    const es_kernels_f32 *f32;
    const es_kernels_f64 *f64;
} es_kernels;

/* What rotations at an alpha between 0 and 1 have in common. */
void es__rotor_f32(es_rotor_f32 *rotor, float alpha);
void es__rotor_f64(es_rotor_f64 *rotor, double alpha);

extern const es_kernels es__kernels_scalar;
#if ES_SIMD_X86
extern const es_kernels es__kernels_sse2;
#endif
#if ES_SIMD_AVX
extern const es_kernels es__kernels_avx2;
extern const es_kernels es__kernels_avx512;
#endif
#if ES_SIMD_ARM
extern const es_kernels es__kernels_neon;
#endif

/* The kernels of an instruction set; NULL where this machine lacks it. ES_SIMD_AUTO: the widest. */
const es_kernels *es__simd_kernels(es_simd simd);

/* After streamed stores, before another thread may read them. */
void es__simd_fence(void);

#endif
