/* SPDX-License-Identifier: Zlib
 *
 * What the fuzz targets share: numbers out of the fuzzer's bytes (past their end all are
 * 0), and what has to hold. A target that does not hold says where, and aborts.
 */
#ifndef FUZZ_BYTES_H
#define FUZZ_BYTES_H

#include "evenstep/evenstep.h"
#include "base/common.h"

#include <stdio.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

typedef struct input {
    const uint8_t *data, *end;
} input;

static inline uint8_t byte_from(input *in)
{
    return in->data < in->end ? *in->data++ : 0;
}

static inline uint64_t bits_from(input *in)
{
    uint64_t bits = 0;
    for (int i = 0; i < 8; ++i) {
        bits = bits << 8 | byte_from(in);
    }
    return bits;
}

/* Of any size, small ones as often as huge ones. */
static inline int64_t any_from(input *in)
{
    uint64_t bits = bits_from(in);
    return (int64_t)(bits >> byte_from(in) % 64);
}

/* Near the time now mostly, in parts of a millisecond; anything at times. */
static inline int64_t time_from(input *in, int64_t now_ns)
{
    uint8_t byte = byte_from(in);
    if (byte < 240) {
        return es__ns_add(now_ns, (byte - 120) * INT64_C(350000));
    }
    return (int64_t)(bits_from(in) >> byte % 8 * 8);
}

static inline void require_at(bool holds, const char *file, int line)
{
    if (!holds) {
        fprintf(stderr, "%s:%d: does not hold\n", file, line);
        abort();
    }
}

#define require(holds) require_at((holds), __FILE__, __LINE__)

#endif
