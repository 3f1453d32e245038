/* SPDX-License-Identifier: Zlib
 *
 * The hash in 128-bit vectors: every 64-bit ARM.
 */
#include "hash.h"

#if ES_HASH_ARM

#include <arm_neon.h>

#define FUNCTION es__hash_neon
#define NAME(x)  neon_##x
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
#include "hash.inc.h"

#else
typedef int es__hash_no_neon; /* a file must not be empty */
#endif
