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
#define NOW(v)         __asm__("" : "+w"(v))
#define ADD(a, b)      vaddq_u64(a, b)
#define XOR(a, b)      veorq_u64(a, b)
#define RIGHT(v, n)    vshrq_n_u64(v, n)
#define LEFT(v, n)     vshlq_n_u64(v, n)
#define MULTIPLY(a, b) vmull_u32(vmovn_u64(a), vmovn_u64(b))
#define SWAP(v)        vextq_u64(v, v, 1)
/* Without the sign, a NaN is above all other numbers of 32 bits; of 64 it needs an addition. */
#define SEEN               uint64x2_t
#define NOTHING_SEEN       SET(0)
#define AS_32(v)           vreinterpretq_u32_u64(v)
#define HIGHER_32(a, b)    vreinterpretq_u64_u32(vmaxq_u32(AS_32(a), AS_32(b)))
#define SEE_1(seen, v)     HIGHER_32(seen, vreinterpretq_u64_u32(vaddq_u32(AS_32(v), AS_32(v))))
#define SEE_32(seen, a, b) SEE_1(SEE_1(seen, a), b)
#define REACH(v)                                                                                   \
    vaddq_u64(vandq_u64(v, SET(UINT64_C(0x7FFFFFFFFFFFFFFF))), SET(UINT64_C(0x000FFFFFFFFFFFFF)))
#define SEE_64(seen, a, b)    vorrq_u64(seen, vorrq_u64(REACH(a), REACH(b)))
#define BOTH_SEEN(a, b, kind) ((kind) == ES_HASH_F32 ? HIGHER_32(a, b) : vorrq_u64(a, b))
#define NAN_SEEN_32(seen)     (vmaxvq_u32(AS_32(seen)) > UINT32_C(0xFF000000))
#define NAN_SEEN_64(seen)     (vaddvq_u64(vshrq_n_u64(seen, 63)) != 0)
#include "hash.inc.h"

const es_hash_kernels es_hash_kernels_neon = {neon_stripes,
        {neon_eat_plain, neon_eat_f32, neon_eat_f64}, neon_has_nan_f32, neon_has_nan_f64};

#else
typedef int es_hash_no_neon; /* a file must not be empty */
#endif
