/* SPDX-License-Identifier: Zlib
 *
 * The inner loop of XXH3 for long inputs, and CRC32C, by the machine's instruction sets. The result
 * is the same number from each. hash.inc.h has the loop; a file per instruction set compiles it at
 * its width.
 */
#ifndef ES_SIMD_HASH_H
#define ES_SIMD_HASH_H

#include <stddef.h>
#include <stdint.h>

#include "world/simd/machine.h"

/* Which are compiled in, at most: 0 plain C alone, 1 SSE2, 2 AVX2, 3 AVX-512; NEON and the
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
    ES_HASH_SECRET_SCRAMBLE = 128, /* the scramble after a block uses those from here on */
    ES_HASH_SECRET_LAST = 121      /* so does the last stripe, which ends with the input */
};

/* Adds `count` stripes to the lanes, of which the first is number *stripe of its block, and
 * scrambles the lanes after each full block. *stripe becomes the number of the next one. */
typedef void es__hash_function(uint64_t *lanes, uint32_t *stripe, const unsigned char *bytes,
        size_t count, const unsigned char *secret);

es__hash_function es__hash_scalar, es__hash_sse2, es__hash_avx2, es__hash_avx512, es__hash_neon;

/* The best of this machine. */
es__hash_function *es__simd_hash(void);

/* Continues a CRC32C register, without the inversions at both ends. */
typedef uint32_t es__crc32c_function(uint32_t crc, const unsigned char *bytes, size_t size);

es__crc32c_function es__crc32c_x86, es__crc32c_arm;

/* By the machine's instructions; NULL: it has none. */
es__crc32c_function *es__simd_crc32c(void);

#endif
