/* SPDX-License-Identifier: Zlib
 *
 * The hash without vectors, and for any order of bytes.
 */
#include "hash.h"

#include "replay/state_numbers.h"

void es__hash_scalar(uint64_t *lanes, uint32_t *stripe, const unsigned char *bytes, size_t count,
        const unsigned char *secret)
{
    for (; count > 0; --count, bytes += ES_HASH_STRIPE) {
        for (size_t i = 0; i < ES_HASH_LANES; ++i) {
            uint64_t read = es__get_u64(bytes + 8 * i);
            uint64_t mixed = read ^ es__get_u64(secret + 8 * (*stripe + i));
            lanes[i ^ 1] += read;
            lanes[i] += (mixed & UINT32_MAX) * (mixed >> 32);
        }
        *stripe = (*stripe + 1) % ES_HASH_STRIPES;
        for (size_t i = 0; *stripe == 0 && i < ES_HASH_LANES; ++i) {
            uint64_t lane = lanes[i] ^ lanes[i] >> 47;
            lanes[i] = (lane ^ es__get_u64(secret + ES_HASH_SECRET_SCRAMBLE + 8 * i)) * 0x9E3779B1U;
        }
    }
}
