/* SPDX-License-Identifier: Zlib
 *
 * bench: the clock, random numbers, and cases that take turns, for the programs of bench/.
 */
#ifndef BENCH_BENCH_H
#define BENCH_BENCH_H

#include "evenstep/evenstep.h"
#include "evenstep/world.h"

#include "base/common.h"

#include <stdio.h>
#include <stdlib.h>

enum { BENCH_ROUNDS_MAX = 301, BENCH_CASES_MAX = 32 };

_Noreturn static inline void bench_fail(const char *why)
{
    fprintf(stderr, "bench: %s\n", why);
    exit(1);
}

static inline int64_t bench_now_ns(void)
{
    static es_clock clock;
    if (clock.now_ns == NULL && !es_clock_system(&clock)) {
        bench_fail("this platform has no clock");
    }
    return clock.now_ns(clock.user);
}

/** A pseudo-random number from 0 up to 1. */
static inline double bench_random(uint64_t *seed)
{
    *seed = *seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (double)(*seed >> 11) / 9007199254740992.0;
}

static inline void *bench_alloc(size_t size)
{
    void *memory = malloc(size);
    if (memory == NULL) {
        bench_fail("out of memory");
    }
    return memory;
}

/** A field of numbers that are hashed and recorded. */
static inline es_field bench_field(const char *name, es_type type, size_t count, size_t components,
        size_t offset, size_t stride)
{
    return (es_field){.name = name,
            .type = type,
            .blend = ES_BLEND_STEP,
            .count = count,
            .components = components,
            .offset = offset,
            .stride = stride,
            .group = 1};
}

typedef struct bench_case {
    const char *name;
    void (*prepare)(void *user); /* before each round, not timed; may be NULL */
    void (*run)(void *user);
    void *user;
    double count; /* operations in one run: figures are per operation */
} bench_case;

typedef struct bench_figures {
    double median, least; /* ns per operation */
} bench_figures;

/** Measures cases in turn, round after round, so that other programs disturb all alike. */
static inline void bench_measure(
        const bench_case *cases, int count, int rounds, bench_figures *figures)
{
    static double ns[BENCH_CASES_MAX][BENCH_ROUNDS_MAX];
    for (int round = -1; round < rounds; ++round) { /* the first warms up */
        for (int i = 0; i < count; ++i) {
            if (cases[i].prepare != NULL) {
                cases[i].prepare(cases[i].user);
            }
            int64_t begun_ns = bench_now_ns();
            cases[i].run(cases[i].user);
            ns[i][round < 0 ? 0 : round] = (double)(bench_now_ns() - begun_ns) / cases[i].count;
        }
    }
    for (int i = 0; i < count; ++i) {
        es__sort(ns[i], (size_t)rounds);
        figures[i].median = ns[i][rounds / 2];
        figures[i].least = ns[i][0];
    }
}

/** Measures cases and prints a row for each. */
static inline void bench_table(const char *title, const bench_case *cases, int count, int rounds)
{
    bench_figures figures[BENCH_CASES_MAX];
    bench_measure(cases, count, rounds, figures);
    printf("%-50s %10s %10s\n", title, "median", "least");
    for (int i = 0; i < count; ++i) {
        printf("  %-48s %10.1f %10.1f\n", cases[i].name, figures[i].median, figures[i].least);
    }
}

#endif
