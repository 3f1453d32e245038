/* SPDX-License-Identifier: Zlib
 *
 * What the fuzz targets share: numbers out of the fuzzer's bytes (past their end all are
 * 0), what has to hold, and what a frame has to be, computed again with 128-bit numbers. A target that
 * does not hold says where, and aborts.
 */
#ifndef FUZZ_BYTES_H
#define FUZZ_BYTES_H

#include "evenstep/evenstep.h"

#include <stdio.h>
#include <stdlib.h>

#define MS ES_NS_PER_MS
#define S  ES_NS_PER_S

__extension__ typedef __int128 wide;

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

typedef struct input {
    const uint8_t *data, *end;
} input;

static inline uint8_t byte_from(input *in)
{
    return in->data < in->end ? *in->data++ : 0;
}

/* Of any size, small ones as often as huge ones. */
static inline int64_t any_from(input *in)
{
    uint64_t bits = 0;
    for (int i = 0; i < 8; ++i) {
        bits = bits << 8 | byte_from(in);
    }
    return (int64_t)(bits >> byte_from(in) % 64);
}

/* Numbers of a sequence that the fuzzer's bytes change; each input sets it anew. */
static uint64_t fuzz_random;

/* 0 to limit - 1. */
static inline int64_t below(int64_t limit)
{
    fuzz_random = fuzz_random * UINT64_C(6364136223846793005) + 1442695040888963407;
    return limit > 0 ? (int64_t)((fuzz_random >> 16) % (uint64_t)limit) : 0;
}

static inline bool chance(int64_t one_in)
{
    return below(one_in) == 0;
}

static inline es_rate any_rate(void)
{
    static const es_rate rates[] = {
            {60, 1}, {60000, 1001}, {5, 1}, {240, 1}, {1000, 1}, {999983, 7919}, {1, 3}};
    return rates[below(7)];
}

static inline void require_at(bool holds, const char *file, int line)
{
    if (!holds) {
        fprintf(stderr, "%s:%d: does not hold\n", file, line);
        abort();
    }
}

#ifdef FUZZ_UNCHECKED /* see fuzz/CMakeLists.txt */
#define require(holds) ((void)(holds))
#else
#define require(holds) require_at((holds), __FILE__, __LINE__)
#endif

static inline bool is_same_rate(es_rate a, es_rate b)
{
    return (wide)a.numerator * b.denominator == (wide)b.numerator * a.denominator;
}

static inline double period_s_of(es_rate rate)
{
    return (double)rate.denominator / (double)rate.numerator;
}

/* floor(events * period). */
static inline int64_t exact_ns(es_rate rate, int64_t events)
{
    wide product = (wide)events * rate.denominator * S;
    return (int64_t)(product / rate.numerator - (product % rate.numerator < 0));
}

/* present_ns less content_ns and all that the account names: the same in every frame. */
static inline int64_t origin_of(const es_frame *f)
{
    const es_account *a = &f->account;
    return (int64_t)((wide)f->present_ns - f->content_ns - a->dropped_ns - a->gaps_ns - a->slowed_ns
                     - a->clamped_ns - a->delay_ns - a->reanchored_ns + a->seeked_ns);
}

/* What a frame says of itself is what it added to the account. */
static inline void check_shares(const es_account *a, const es_account *was)
{
    require(a->frame_dropped_ns == a->dropped_ns - was->dropped_ns);
    require(a->frame_slow_motion_ns == a->slow_motion_ns - was->slow_motion_ns);
    require(a->frame_stretched_ns == a->stretched_ns - was->stretched_ns);
}

/* Alpha is where content stands between the two ticks. */
static inline void check_alpha(const es_frame *f, double off_ns)
{
    double whole = (double)(f->current_ns - f->previous_ns);
    double place = whole > 0.0 ? (double)(f->content_ns - f->previous_ns) / whole : 0.0;
    place = place > 1.0 ? 1.0 : place < 0.0 ? 0.0 : place;
    double off = f->alpha - place;
    require(f->alpha >= 0.0 && f->alpha <= 1.0);
    require(whole == 0.0 || (off * whole <= off_ns + 1e-3 && off * whole >= -off_ns - 1e-3));
    require(f->ahead_ns == (f->content_ns > f->newest_ns ? f->content_ns - f->newest_ns : 0));
}

#endif
