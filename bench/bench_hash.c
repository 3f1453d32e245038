/* SPDX-License-Identifier: Zlib
 *
 * How fast states are hashed, beside a copy of as many bytes and beside the best known XXH3.
 *
 *   bench_hash
 *
 * Fields of one kind, 256 B to 16 MB of numbers: f32, u32 and f64 that adjoin, four
 * arrays that adjoin, vectors and single numbers of structs; memcpy; and xxHash's own XXH3
 * for this machine (where its header was there at building), of the same bytes as memory. All
 * take turns, and of each the fastest counts, so that what other programs take counts as little as
 * can be. In three settings:
 *
 *   again and again   calls in a row, of one place in memory: everything is as near as it fits
 *   after an update   8 MB of other memory, then each number is changed, then one call: as a tick
 *                     hashes a state right behind its update
 *   after others      one call after 8 MB of other memory: as a tick hashes what it did not touch
 *
 * 10 000 objects of eight numbers, the demo world's count, are one of the sizes. A single call is
 * measured by two readings of the clock, whose own least time is taken off.
 */
#include "evenstep/state.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#ifdef BENCH_XXHASH
uint64_t bench_hash_peer(const void *bytes, size_t size);
#endif

enum {
    BIGGEST = 1 << 24,
    SPILL = 1 << 23, /* bytes: more than most second caches hold */
    ROW = 1 << 16,   /* bytes that calls in a row go through, at least */
    TURNS = 200,
    SINGLE_TURNS = 60
};

typedef enum setting { AGAIN, AFTER_UPDATE, AFTER_OTHERS, SETTINGS } setting;
typedef enum kind { COPY, F32, U32, F64, ARRAYS, VECTOR, ONE, PEER, KINDS } kind;

static const char *const setting_names[SETTINGS] = {
        "again and again", "single calls after an update", "single calls after other memory"};
static const char *const kind_names[KINDS] = {
        "memcpy", "f32", "u32", "f64", "4 arrays", "3 f32 of 32 B", "u32 of 32 B", "xxHash's XXH3"};

/* Beside each other in memory, a struct's worth of bytes for each number. */
enum { SPREAD = 8 };

static unsigned char *from, *to;
static void *(*volatile copy)(void *, const void *, size_t) = memcpy; /* so none is left out */
static volatile uint64_t result_kept;

static int64_t now_ns(void)
{
    struct timespec now;
    timespec_get(&now, TIME_UTC);
    return (int64_t)now.tv_sec * INT64_C(1000000000) + now.tv_nsec;
}

static int64_t clock_cost_ns(void)
{
    int64_t least = INT64_MAX;
    for (int i = 0; i < 1000; ++i) {
        int64_t a = now_ns(), b = now_ns();
        least = b - a < least ? b - a : least;
    }
    return least;
}

static unsigned char *numbers(size_t size)
{
    unsigned char *bytes = malloc(size);
    if (bytes == NULL) {
        printf("no memory\n");
        exit(1);
    }
    for (size_t i = 0; i < size; i += 4) {
        float value = (float)i / 3.0F;
        memcpy(bytes + i, &value, 4);
    }
    return bytes;
}

static es_field field(es_type type, size_t count, size_t components, size_t offset, size_t stride)
{
    es_field f;
    memset(&f, 0, sizeof f);
    f.name = "numbers";
    f.type = type;
    f.blend = ES_BLEND_STEP;
    f.count = count;
    f.components = components;
    f.offset = offset;
    f.stride = stride;
    f.group = 1;
    return f;
}

/* --- what is measured --- */

typedef struct work {
    kind kind;
    size_t size; /* bytes of numbers */
    es_field field, arrays[4];
} work;

static work work_of(kind k, size_t size)
{
    size_t n = size / 32;
    work w = {.kind = k, .size = size};
    w.field = k == F64      ? field(ES_TYPE_F64, size / 8, 1, 0, 8)
              : k == VECTOR ? field(ES_TYPE_F32, size / 12, 3, 0, 32)
              : k == ONE    ? field(ES_TYPE_U32, size / 4, 1, 24, 32)
                            : field(k == U32 ? ES_TYPE_U32 : ES_TYPE_F32, size / 4, 1, 0, 4);
    w.arrays[0] = field(ES_TYPE_F32, n, 3, 0, 12);
    w.arrays[1] = field(ES_TYPE_F32, n, 3, n * 12, 12);
    w.arrays[2] = field(ES_TYPE_I32, n, 1, n * 24, 4);
    w.arrays[3] = field(ES_TYPE_U32, n, 1, n * 28, 4);
    return w;
}

static void repeat(const work *w, size_t calls)
{
    const es_layout one = {&w->field, 1, w->size}, group = {w->arrays, 4, w->size};
    for (size_t i = 0; i < calls; ++i) {
        switch (w->kind) {
        case COPY:
            (void)copy(to, from, w->size);
            break;
        case ARRAYS:
            result_kept += es_state_hash(&group, from);
            break;
#ifdef BENCH_XXHASH
        case PEER:
            result_kept += bench_hash_peer(from, w->size);
            break;
#endif
        default:
            result_kept += es_state_hash(&one, from);
            break;
        }
    }
}

/* As a game's update runs over memory of its own. */
static void forget_caches(void)
{
    static unsigned char other[SPILL];
    for (size_t i = 0; i < sizeof other; i += 64) {
        other[i] = (unsigned char)(other[i] + 1);
    }
    result_kept += other[0];
}

/* The lowest bit of each word: a number stays one, and is another. */
static void update(const work *w)
{
    size_t bytes = w->kind == VECTOR ? w->size / 12 * 32
                   : w->kind == ONE  ? w->size * SPREAD
                                     : w->size;
    for (size_t i = 0; i < bytes; i += 4) {
        from[i] ^= 1;
    }
}

static double call_ns(const work *w, setting s, size_t calls, int64_t clock_ns)
{
    if (s != AGAIN) {
        forget_caches();
    }
    if (s == AFTER_UPDATE) {
        update(w);
    }
    int64_t begin_ns = now_ns();
    repeat(w, calls);
    return (double)(now_ns() - begin_ns - clock_ns) / (double)calls;
}

static void measure(size_t size, setting s, int64_t clock_ns)
{
    size_t calls = s == AGAIN && size < ROW ? ROW / size : 1;
    int turns = s != AGAIN ? SINGLE_TURNS : size > (1 << 20) ? TURNS / 5 : TURNS;
    double best[KINDS];
    for (int turn = 0; turn < turns; ++turn) {
        for (kind k = COPY; k < KINDS; ++k) {
            work w = work_of(k, size);
            double taken = call_ns(&w, s, calls, clock_ns);
            best[k] = turn == 0 || taken < best[k] ? taken : best[k];
        }
    }
    printf("%9.2f kB %7.1f", (double)size / 1024.0, (double)size / best[COPY]);
    for (kind k = F32; k < KINDS; ++k) {
#ifndef BENCH_XXHASH
        if (k == PEER) {
            continue;
        }
#endif
        printf("  %6.1f %4.0f %%", (double)size / best[k], 100.0 * best[COPY] / best[k]);
    }
    printf("\n");
}

int main(void)
{
    static const size_t sizes[] = {256, 1 << 10, 1 << 12, 1 << 14, 1 << 15, 1 << 16, 1 << 18,
            320000, 1 << 20, 1 << 22, BIGGEST};
    int64_t clock_ns = clock_cost_ns();
    from = numbers((size_t)BIGGEST * SPREAD);
    to = numbers(BIGGEST);
    printf("GB/s of numbers, and the share of memcpy's speed\n");
    for (setting s = AGAIN; s < SETTINGS; ++s) {
        printf("\n%s\n%12s %7s", setting_names[s], "numbers", kind_names[COPY]);
        for (kind k = F32; k < KINDS; ++k) {
            printf("  %13s", kind_names[k]);
        }
        printf("\n");
        for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; ++i) {
            if (s == AGAIN || (sizes[i] >= 1 << 10 && sizes[i] <= 1 << 20)) {
                measure(sizes[i], s, clock_ns);
            }
        }
    }
    free(from);
    free(to);
    return result_kept == 1;
}
