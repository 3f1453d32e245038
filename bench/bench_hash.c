/* SPDX-License-Identifier: Zlib
 *
 * What es_state_hash takes of structs, beside a loop that packs the same fields into one block and
 * calls XXH3 of its authors (libxxhash-dev) once. CMakeLists.txt compiles this file, and so the loops
 * and XXH3, with -O3 -march=native; the library is as always.
 */
#define XXH_INLINE_ALL
#include <xxhash.h>

#include "bench.h"
#include "evenstep/replay.h"

#include <string.h>

enum { ROUNDS = 101, BYTES = 1 << 18 /* hashed in a round, so that the clock is exact */ };

typedef struct body {
    float at[3], speed[3];
    int32_t health;
    uint32_t flags;
} body;

typedef struct padded {
    float at[3];
    void *owner;
    float speed[3];
    int32_t health;
    uint32_t flags;
} padded;

typedef struct sprite {
    float x, y, angle;
    uint8_t alive, kind;
} sprite;

typedef struct wide {
    double at[3], speed[3];
    uint8_t alive;
} wide;

typedef size_t packer(const void *state, size_t count, unsigned char *restrict out);

typedef struct job {
    const es_layout *layout;
    const unsigned char *state;
    unsigned char *block;
    size_t count, calls;
    packer *pack;
} job;

static volatile uint64_t kept;

#define PUT(member) memcpy(out, &o->member, sizeof o->member), out += sizeof o->member
#define PACK(type, ...)                                                                            \
    static size_t pack_##type(const void *state, size_t count, unsigned char *restrict out)        \
    {                                                                                              \
        const unsigned char *from = out;                                                           \
        for (const type *o = state; count > 0; --count, ++o) {                                     \
            __VA_ARGS__;                                                                           \
        }                                                                                          \
        return (size_t)(out - from);                                                               \
    }

PACK(body, PUT(at), PUT(speed), PUT(health), PUT(flags))
PACK(padded, PUT(at), PUT(speed), PUT(health), PUT(flags))
PACK(sprite, PUT(x), PUT(y), PUT(angle), PUT(alive), PUT(kind))
PACK(wide, PUT(at), PUT(speed), PUT(alive))

static void run_loop(void *user)
{
    job *j = user;
    for (size_t i = 0; i < j->calls; ++i) {
        kept += XXH3_64bits(j->block, j->pack(j->state, j->count, j->block));
    }
}

static void run_ours(void *user)
{
    job *j = user;
    for (size_t i = 0; i < j->calls; ++i) {
        kept += es_state_hash(j->layout, j->state);
    }
}

static void measure(
        const char *name, es_field *fields, size_t field_count, size_t count, packer *pack)
{
    es_layout layout = {fields, field_count, count * fields->stride};
    unsigned char *state = bench_alloc(layout.state_size);
    bench_figures f[2];
    for (size_t i = 0; i < layout.state_size; ++i) {
        state[i] = (unsigned char)(i * 7 % 127); /* no NaN */
    }
    size_t packed = es_state_pack(&layout, state, NULL, 0);
    job j = {&layout, state, bench_alloc(packed), count, BYTES / packed + 1, pack};
    if (pack(state, count, j.block) != packed) {
        bench_fail("the loop packs other fields");
    }
    const bench_case cases[] = {{"loop", NULL, run_loop, &j, (double)j.calls},
            {"ours", NULL, run_ours, &j, (double)j.calls}};
    bench_measure(cases, 2, ROUNDS, f);
    printf("%-8s %8zu %14.0f %14.0f %8.2f\n", name, count, f[0].median, f[1].median,
            f[1].median / f[0].median);
    free(j.block);
    free(state);
}

#define OF(type, member, kind, numbers)                                                            \
    bench_field(#member, kind, n, numbers, offsetof(type, member), sizeof(type))
#define MEASURE(type, ...)                                                                         \
    for (size_t n = 16; n <= 65536; n *= 4) {                                                      \
        es_field fields[] = {__VA_ARGS__};                                                         \
        measure(#type, fields, sizeof fields / sizeof fields[0], n, pack_##type);                  \
    }

int main(void)
{
    printf("%-8s %8s %14s %14s %8s\n", "struct", "objects", "loop+XXH3 ns", "es_state_hash",
            "ratio");
    MEASURE(body, OF(body, at, ES_TYPE_F32, 3), OF(body, speed, ES_TYPE_F32, 3),
            OF(body, health, ES_TYPE_I32, 1), OF(body, flags, ES_TYPE_U32, 1))
    MEASURE(padded, OF(padded, at, ES_TYPE_F32, 3), OF(padded, speed, ES_TYPE_F32, 3),
            OF(padded, health, ES_TYPE_I32, 1), OF(padded, flags, ES_TYPE_U32, 1))
    MEASURE(sprite, OF(sprite, x, ES_TYPE_F32, 1), OF(sprite, y, ES_TYPE_F32, 1),
            OF(sprite, angle, ES_TYPE_F32, 1), OF(sprite, alive, ES_TYPE_U8, 1),
            OF(sprite, kind, ES_TYPE_U8, 1))
    MEASURE(wide, OF(wide, at, ES_TYPE_F64, 3), OF(wide, speed, ES_TYPE_F64, 3),
            OF(wide, alive, ES_TYPE_U8, 1))
    return kept == 1;
}
