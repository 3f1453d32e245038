/* SPDX-License-Identifier: Zlib
 *
 * What a recording costs the thread that simulates, by the size of the state.
 *
 * A tick has 16 bytes of input and hashes per group. A frame has eight readings of a clock. The
 * sink takes bytes and forgets them: what a file costs is the system's.
 */
#include "bench.h"

#include "../tests/manual_clock.h"
#include "replay/record.h"

enum { ROUNDS = 41, CALLS = 20, SIZES = 4 };

/* Eight numbers per object, as most objects of games have. */
typedef struct object {
    float at[3], speed[3];
    int32_t health;
    uint32_t flags;
} object;

typedef struct world {
    es_field fields[4];
    es_layout layout;
    unsigned char *state;
} world;

typedef struct recording {
    const world *world;
    es__record record;
    int64_t tick;
    unsigned char memory[1 << 18];
} recording;

static volatile uint64_t kept;

static es_result forget(void *user, const void *bytes, size_t size)
{
    (void)user;
    (void)bytes;
    kept += size;
    return ES_OK;
}

static void make(world *w, size_t n, bool structs)
{
    size_t step = structs ? sizeof(object) : 12, four = structs ? sizeof(object) : 4;
    size_t size = n * sizeof(object);
    w->fields[0] = bench_field("at", ES_TYPE_F32, n, 3, 0, step);
    w->fields[1] = bench_field("speed", ES_TYPE_F32, n, 3, structs ? 12 : n * 12, step);
    w->fields[2] = bench_field("health", ES_TYPE_I32, n, 1, structs ? 24 : n * 24, four);
    w->fields[3] = bench_field("flags", ES_TYPE_U32, n, 1, structs ? 28 : n * 28, four);
    w->layout = (es_layout){w->fields, 4, size};
    w->state = bench_alloc(size);
    for (size_t i = 0; i < size; i += 4) {
        float value = (float)i / 3.0F;
        memcpy(w->state + i, &value, 4);
    }
}

static void start(
        recording *r, const world *w, es_stream sink, es_record_hashes hashes, int32_t every)
{
    es__record_config config = {
            .layout = &w->layout, .stream = sink, .hashes = hashes, .snapshot_every = every};
    r->world = w;
    r->tick = 0;
    if (es__record_init(&r->record, &config, r->memory, sizeof r->memory, NULL) != ES_OK
            || es__record_start(&r->record, 0, 0, w->state) != ES_OK) {
        bench_fail("a recording is refused");
    }
}

static void record_tick(recording *r)
{
    static const unsigned char input[16] = {1, 2, 3};
    es_step step = {.index = ++r->tick, .dt_ns = 16666667, .dt_s = 1.0 / 60.0};
    (void)es__record_step(&r->record, &step, input, sizeof input);
    (void)es__record_tick(&r->record, &step, r->world->state);
}

static void run_ticks(void *user)
{
    for (int i = 0; i < CALLS; ++i) {
        record_tick(user);
    }
}

static void run_frames(void *user)
{
    recording *r = user;
    const es_report report = {0};
    es_manual_clock time = {0};
    es__tape_writer tape = {.clock = es_manual_clock_get(&time), .record = &r->record};
    es_clock clock = es__tape_writer_clock(&tape);
    for (int i = 0; i < CALLS; ++i) {
        for (int k = 0; k < 8; ++k) {
            time.now_ns = k * 3 * ES_NS_PER_MS;
            (void)clock.now_ns(clock.user);
        }
        (void)es__record_frame(&r->record, &report);
    }
}

/* A tick of each kind, and a frame. */
static void measure(size_t objects, bool structs)
{
    static recording hashed, plain, snapshots;
    const es_stream sink = {.write = forget};
    world w;
    bench_figures f[4];
    make(&w, objects, structs);
    start(&hashed, &w, sink, ES_RECORD_HASH_GROUPS, -1);
    start(&plain, &w, sink, ES_RECORD_HASH_NONE, -1);
    start(&snapshots, &w, sink, ES_RECORD_HASH_GROUPS, 1);
    const bench_case cases[] = {{"plain", NULL, run_ticks, &plain, CALLS},
            {"hashed", NULL, run_ticks, &hashed, CALLS},
            {"snapshot", NULL, run_ticks, &snapshots, CALLS},
            {"frame", NULL, run_frames, &plain, CALLS}};
    bench_measure(cases, 4, ROUNDS, f);
    printf("%9zu B  %-8s %14.2f %14.2f %14.2f %14.2f\n", w.layout.state_size,
            structs ? "structs" : "arrays", f[0].median / 1e3, f[1].median / 1e3,
            (f[2].median - f[1].median) / 1e3, f[3].median / 1e3);
    free(w.state);
}

int main(void)
{
    static const size_t objects[SIZES] = {4, 320, 3200, 32000};
    printf("us, medians\n%11s  %-8s %14s %14s %14s %14s\n", "state", "fields of", "tick, no hash",
            "tick, hashed", "snapshot more", "frame");
    for (int i = 0; i < 2 * SIZES; ++i) {
        measure(objects[i / 2], i % 2 != 0);
    }
    return kept == 1;
}
