/* SPDX-License-Identifier: Zlib
 *
 * Numbers with their lowest byte first, on every machine. Compilers make one move of each on a
 * machine with that byte order.
 */
#ifndef ES_STATE_NUMBERS_H
#define ES_STATE_NUMBERS_H

#include <stdint.h>

static inline uint32_t es__get_u16(const unsigned char *at)
{
    return (uint32_t)at[0] | (uint32_t)at[1] << 8;
}

static inline uint32_t es__get_u32(const unsigned char *at)
{
    return (uint32_t)at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 | (uint32_t)at[3] << 24;
}

static inline uint64_t es__get_u64(const unsigned char *at)
{
    return (uint64_t)at[0] | (uint64_t)at[1] << 8 | (uint64_t)at[2] << 16 | (uint64_t)at[3] << 24
           | (uint64_t)at[4] << 32 | (uint64_t)at[5] << 40 | (uint64_t)at[6] << 48
           | (uint64_t)at[7] << 56;
}

static inline int64_t es__get_i64(const unsigned char *at)
{
    return (int64_t)es__get_u64(at);
}

static inline int32_t es__get_i32(const unsigned char *at)
{
    return (int32_t)es__get_u32(at);
}

/* Each returns where the next one goes. */
static inline unsigned char *es__put_u16(unsigned char *at, uint32_t value)
{
    at[0] = (unsigned char)value;
    at[1] = (unsigned char)(value >> 8);
    return at + 2;
}

static inline unsigned char *es__put_u32(unsigned char *at, uint32_t value)
{
    at[0] = (unsigned char)value;
    at[1] = (unsigned char)(value >> 8);
    at[2] = (unsigned char)(value >> 16);
    at[3] = (unsigned char)(value >> 24);
    return at + 4;
}

static inline unsigned char *es__put_u64(unsigned char *at, uint64_t value)
{
    (void)es__put_u32(at, (uint32_t)value);
    return es__put_u32(at + 4, (uint32_t)(value >> 32));
}

static inline unsigned char *es__put_i64(unsigned char *at, int64_t value)
{
    return es__put_u64(at, (uint64_t)value);
}

static inline unsigned char *es__put_i32(unsigned char *at, int32_t value)
{
    return es__put_u32(at, (uint32_t)value);
}

#endif
