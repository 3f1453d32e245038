/* SPDX-License-Identifier: Zlib
 *
 * random: numbers that depend on nothing but a seed, a stream and an index.
 *
 * There is no state: number 17 of a stream does not depend on earlier draws. So frame 17 costs the
 * same under every loop, and any number of jobs gives the same bytes.
 *
 * Only + - * / and sqrt on doubles are used, which IEEE 754 defines to the bit; libm's log and exp
 * differ between machines.
 */
#ifndef LAB_RANDOM_H
#define LAB_RANDOM_H

#include <stdint.h>

/* Each purpose has a stream of its own. */
typedef enum lab_stream {
    LAB_STREAM_UPDATE = 1,   /* index: the tick */
    LAB_STREAM_RENDER,       /* index: the frame */
    LAB_STREAM_GPU,          /* index: the frame */
    LAB_STREAM_WAKE,         /* index: the frame whose present returns */
    LAB_STREAM_SLEEP,        /* index: the number of sleeps before */
    LAB_STREAM_READ,         /* index: the number of clock readings before */
    LAB_STREAM_FEEDBACK,     /* index: the frame */
    LAB_STREAM_PHASE,        /* index: 0 */
    LAB_STREAM_WORKER_SLEEP, /* of the second thread; index: the number of its sleeps before */
    LAB_STREAM_WORKER_READ,  /* likewise, of its clock readings */
    LAB_STREAM_LATE_FLIP,    /* index: the frame */
    LAB_STREAM_CALL,         /* of a host; index: the frame */
    LAB_STREAM_PREEMPTION,   /* index: the number of preemptions before */
    LAB_STREAM_MACHINE       /* a random machine; index: the number of draws before */
} lab_stream;

/* Numbers that one index may draw: number n of index i is at i * LAB_DRAWS + n. */
enum { LAB_DRAWS = 8 };

/* The key of a stream: made once, then used for every number of it. */
uint64_t lab_random_key(uint64_t seed, lab_stream stream);

/* 64 random bits. Source: the finaliser of SplitMix64 (Steele, Lea, Flood 2014) over a Weyl
 * sequence, which is a bijection of the index. */
static inline uint64_t lab_random_bits(uint64_t key, uint64_t index)
{
    uint64_t x = key + index * UINT64_C(0x9E3779B97F4A7C15);
    x = (x ^ (x >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
    x = (x ^ (x >> 27)) * UINT64_C(0x94D049BB133111EB);
    return x ^ (x >> 31);
}

/* Uniform in [0, 1): a multiple of 2^-53, exactly. */
static inline double lab_random_uniform(uint64_t key, uint64_t index)
{
    return (double)(lab_random_bits(key, index) >> 11) * 0x1p-53;
}

/* Exponential with mean 1, at least 0. */
double lab_random_exponential(uint64_t key, uint64_t index);

/* Pareto: at least 1, P(X > x) = x^-tail. tail: over 0; the mean is finite above 1. */
double lab_random_pareto(uint64_t key, uint64_t index, double tail);

/* Natural logarithm of a positive, normal number, to within 2 units in the last place. */
double lab_log(double x);

/* e to the power x, for -700 to 700, to within 2 units in the last place; 0 or a very large finite
 * number beyond. */
double lab_exp(double x);

#endif
