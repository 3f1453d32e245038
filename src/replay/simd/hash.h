/* SPDX-License-Identifier: Zlib
 *
 * What an instruction set offers to hashes and checksums: the inner loops of XXH3 for long inputs,
 * a search for NaNs, and CRC32C. The same numbers from each. hash.inc.h has the one text of the
 * first two; a file per instruction set compiles it at its width.
 */
#ifndef ES_SIMD_HASH_H
#define ES_SIMD_HASH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "world/simd/machine.h"

/* Which are compiled in, at most: 0 none but plain C, 1 SSE2, 2 AVX2, 3 AVX-512; NEON and the
 * instructions for CRC32C from 1 on. Tests compile with less, to try each. */
#ifndef ES_HASH_MOST
#define ES_HASH_MOST 3
#endif

#define ES_HASH_X86  (ES_SIMD_X86 && ES_HASH_MOST >= 1)
#define ES_HASH_AVX2 (ES_SIMD_AVX && ES_HASH_MOST >= 2)
#define ES_HASH_AVX5 (ES_SIMD_AVX && ES_HASH_MOST >= 3)
#if ES_SIMD_ARM && defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
#define ES_HASH_ARM (ES_HASH_MOST >= 1)
#else
#define ES_HASH_ARM 0
#endif

enum {
    ES_HASH_LANES = 8,
    ES_HASH_STRIPE = 64,           /* bytes: 8 for each lane */
    ES_HASH_STRIPES = 16,          /* of a block */
    ES_HASH_SECRET_SIZE = 192,     /* bytes; stripe n of a block uses 64 of them from 8 n on */
    ES_HASH_SECRET_SCRAMBLE = 128, /* and the scramble after a block those from here on, ... */
    ES_HASH_SECRET_LAST = 121      /* ... and the last stripe, which ends with the input, these */
};

/* What is hashed: with floats, it is looked for NaNs on the way. */
typedef enum es_hash_kind { ES_HASH_PLAIN, ES_HASH_F32, ES_HASH_F64, ES_HASH_KINDS } es_hash_kind;

typedef bool es_hash_eat(const uint64_t *from, uint64_t *to, const unsigned char *bytes,
        size_t stripes, const unsigned char *last, const unsigned char *secret);

typedef struct es_hash_kernels {
    /* `count` stripes, the first of them with the secret's first 64 bytes from here on. */
    void (*stripes)(
            uint64_t *lanes, const unsigned char *bytes, size_t count, const unsigned char *secret);
    /* From stripe 0 of a block on: a scramble after each block that becomes full, and then, unless
     * it is NULL, the last stripe. Returns whether there was a NaN: then nothing is written. No
     * flags are raised. From and to may be the same. */
    es_hash_eat *eat[ES_HASH_KINDS];
    /* Whether any of the floats in `count` times 64 bytes is a NaN. No flags are raised. */
    bool (*has_nan_f32)(const unsigned char *bytes, size_t count);
    bool (*has_nan_f64)(const unsigned char *bytes, size_t count);
} es_hash_kernels;

extern const es_hash_kernels es_hash_kernels_scalar, es_hash_kernels_sse2, es_hash_kernels_avx2,
        es_hash_kernels_avx512, es_hash_kernels_neon;

/* The best of this machine. */
const es_hash_kernels *es_simd_hash(void);

/* By the machine's instructions, where it has them: goes on from a register, without the inversions
 * at both ends. */
typedef uint32_t (*es_crc32c_function)(uint32_t crc, const unsigned char *bytes, size_t size);
uint32_t es_simd_crc32c_x86(uint32_t crc, const unsigned char *bytes, size_t size);
uint32_t es_simd_crc32c_arm(uint32_t crc, const unsigned char *bytes, size_t size);

/* NULL: it has none. */
es_crc32c_function es_simd_crc32c(void);

#endif
