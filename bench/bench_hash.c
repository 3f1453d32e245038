/* SPDX-License-Identifier: Zlib
 *
 * How fast states are hashed, beside a memcpy of as many bytes. Each figure is of the fastest round.
 * Two settings:
 *
 *   after an update   8 MB of other memory are read, each number is changed, and one call is timed:
 *                     a tick hashes a state right after its update
 *   again and again   calls in a row, of one place in memory
 */
#include "evenstep/replay.h"
#include "evenstep/world.h"

#include "bench.h"

#include "replay/state_parts.h"

#include <string.h>

/* SPREAD: bytes of struct per byte of number, at most. */
enum { BIGGEST = 1 << 24, OTHER = 1 << 23, IN_A_ROW = 1 << 16, ROUNDS = 61, SPREAD = 3, SIZES = 7 };

typedef enum kind { COPY, F32, F64, ARRAYS, STRUCTS, KINDS } kind;

static const char *const names[KINDS] = {
        "memcpy", "f32", "f64", "4 arrays", "3 f32 of 32 B"};

typedef struct work {
    kind kind;
    size_t size; /* bytes of numbers */
    size_t calls;
    es_field fields[4];
    es_layout layout;
} work;

static unsigned char *from, *to;
static void *(*volatile copy)(void *, const void *, size_t) = memcpy; /* so that none is left out */
static volatile uint64_t kept;

static void make_work(work *w, kind k, size_t size, bool single)
{
    size_t n = size / 32;
    *w = (work){.kind = k, .size = size, .calls = single || size > IN_A_ROW ? 1 : IN_A_ROW / size};
    w->layout = (es_layout){w->fields, k == ARRAYS ? 4 : 1, SPREAD * size};
    w->fields[0] = k == F64       ? bench_field("numbers", ES_TYPE_F64, size / 8, 1, 0, 8)
                   : k == STRUCTS ? bench_field("numbers", ES_TYPE_F32, size / 12, 3, 0, 32)
                   : k == ARRAYS  ? bench_field("numbers", ES_TYPE_F32, n, 3, 0, 12)
                                  : bench_field("numbers", ES_TYPE_F32, size / 4, 1, 0, 4);
    w->fields[1] = bench_field("numbers", ES_TYPE_F32, n, 3, n * 12, 12);
    w->fields[2] = bench_field("numbers", ES_TYPE_I32, n, 1, n * 24, 4);
    w->fields[3] = bench_field("numbers", ES_TYPE_U32, n, 1, n * 28, 4);
}

/* Evicts the state, as an update over memory of its own does, and changes each number. */
static void prepare(void *user)
{
    static unsigned char other[OTHER];
    const work *w = user;
    for (size_t i = 0; i < sizeof other; i += 64) {
        other[i] = (unsigned char)(other[i] + 1);
    }
    for (size_t i = 0; i < (w->kind == STRUCTS ? w->size / 12 * 32 : w->size); i += 4) {
        from[i] ^= 1; /* the lowest bit: numbers stay numbers */
    }
}

static void run(void *user)
{
    const work *w = user;
    for (size_t i = 0; i < w->calls; ++i) {
        if (w->kind == COPY) {
            (void)copy(to, from, w->size);
        } else {
            kept += es_state_hash(&w->layout, from);
        }
    }
}

static void measure(size_t size, bool after_update)
{
    static work works[KINDS];
    bench_case cases[KINDS];
    bench_figures figures[KINDS];
    double clock_ns = after_update ? bench_clock_cost_ns() : 0;
    for (int k = 0; k < KINDS; ++k) {
        make_work(&works[k], (kind)k, size, after_update);
        cases[k] = (bench_case){
                names[k], after_update ? prepare : NULL, run, &works[k], (double)works[k].calls};
    }
    bench_measure(cases, KINDS, ROUNDS, figures);
    double copy_ns = figures[COPY].least - clock_ns;
    printf("%9.0f kB %7.1f", (double)size / 1024.0, (double)size / copy_ns);
    for (int k = F32; k < KINDS; ++k) {
        double ns = figures[k].least - clock_ns;
        printf("  %6.1f %4.0f %%", (double)size / ns, 100.0 * copy_ns / ns);
    }
    printf("\n");
}

int main(void)
{
    static const size_t sizes[SIZES] = {
            1 << 10, 1 << 12, 1 << 14, 1 << 16, 320000, 1 << 20, BIGGEST};
    from = bench_alloc((size_t)BIGGEST * SPREAD);
    to = bench_alloc(BIGGEST);
    for (size_t i = 0; i < (size_t)BIGGEST * SPREAD; i += 4) {
        float value = (float)i / 3.0F;
        memcpy(from + i, &value, 4);
    }
    for (int after_update = 1; after_update >= 0; --after_update) {
        printf("GB/s of numbers, and the share of memcpy's speed, %s\n%12s %7s",
                after_update ? "after an update" : "again and again", "numbers", names[COPY]);
        for (int k = F32; k < KINDS; ++k) {
            printf("  %13s", names[k]);
        }
        printf("\n");
        for (int i = 0; i < SIZES - after_update; ++i) {
            measure(sizes[i], after_update != 0);
        }
    }
    return kept == 1;
}
