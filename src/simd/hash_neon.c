/* SPDX-License-Identifier: Zlib
 *
 * The hash in 128-bit vectors: every 64-bit ARM.
 */
#include "hash.h"

#if ES_HASH_ARM

#include <arm_neon.h>

#define NAME(x) neon_##x
#define TARGET
#define VECTOR         uint64x2_t
#define LOAD(p)        vreinterpretq_u64_u8(vld1q_u8(p))
#define STORE(p, v)    vst1q_u8(p, vreinterpretq_u8_u64(v))
#define SET(x)         vdupq_n_u64(x)
#define ADD(a, b)      vaddq_u64(a, b)
#define XOR(a, b)      veorq_u64(a, b)
#define RIGHT(v, n)    vshrq_n_u64(v, n)
#define LEFT(v, n)     vshlq_n_u64(v, n)
#define MULTIPLY(a, b) vmull_u32(vmovn_u64(a), vmovn_u64(b))
#define SWAP(v)        vextq_u64(v, v, 1)
#define FIND_32(found, v)                                                                          \
    vreinterpretq_u64_u32(vmaxq_u32(vreinterpretq_u32_u64(found),                                  \
            vaddq_u32(vreinterpretq_u32_u64(v), vreinterpretq_u32_u64(v))))
#define FOUND_32(bits) ((bits) > UINT32_C(0xFF000000))
#define FIND_64(found, v)                                                                          \
    vorrq_u64(found, vaddq_u64(vandq_u64(v, SET(UINT64_C(0x7FFFFFFFFFFFFFFF))),                    \
                             SET(UINT64_C(0x000FFFFFFFFFFFFF))))
#define FOUND_64(bits) ((bits) >> 63 != 0)
#define MERGE_32(a, b)                                                                             \
    vreinterpretq_u64_u32(vmaxq_u32(vreinterpretq_u32_u64(a), vreinterpretq_u32_u64(b)))
#include "hash.inc.h"

const es_hash_kernels es_hash_kernels_neon = {
        neon_stripes, neon_blocks, neon_has_nan_f32, neon_has_nan_f64};

#else
typedef int es_hash_no_neon; /* a file must not be empty */
#endif
