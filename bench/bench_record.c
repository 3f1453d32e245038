/* SPDX-License-Identifier: Zlib
 *
 * What a recording costs the thread that simulates, by the size of the state. And what it costs to
 * play, without the program's own update: opening, verifying every hash of every tick, and seeking to
 * random ticks: of a minute, and of ten hours (60 ticks per second, or as many ticks as the argument
 * says).
 *
 * A tick has 16 bytes of input and hashes per group. A frame has eight readings of a clock. The
 * sink takes bytes and forgets them: what a file costs is the system's.
 */
#include "bench.h"

#include "../tests/manual_clock.h"
#include "../tests/memory_bytes.h"
#include "evenstep/measure.h"

#include "replay/play.h"
#include "replay/record.h"

enum { ROUNDS = 41, CALLS = 20, SIZES = 4, READ_SIZE = 8 << 20, MINUTE = 3600, SEEKS = 201 };

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

/* --- playing ---------------------------------------------------------------------------------- */

/* Up to a tick; false: the runs differ. */
static bool play_to(es__playback *play, const void *state, int64_t tick)
{
    es_step step;
    const void *input;
    size_t size;
    bool same = true;
    while (same && play->tick < tick && es__playback_next(play, &step, &input, &size) == ES_OK) {
        same = es__playback_check(play, state);
    }
    return same;
}

/* every: ticks from one snapshot to the next; 0: the default. */
static void measure_playing(size_t objects, int64_t ticks, int32_t every)
{
    static recording r;
    static es__playback play;
    size_t most = READ_SIZE + (size_t)ticks * 150;
    memory_sink sink = {bench_alloc(most), most, 0};
    double seek_ms[SEEKS];
    int64_t again = 0;
    uint64_t seed = 1;
    world w;
    make(&w, objects, false);
    start(&r, &w, memory_sink_get(&sink), ES_RECORD_HASH_GROUPS, every);
    for (int64_t i = 0; i < ticks; ++i) {
        record_tick(&r);
    }
    if (es__record_end(&r.record) != ES_OK) {
        bench_fail("it does not end");
    }
    memory_source bytes = {sink.bytes, sink.used};
    es__playback_config config = {.stream = memory_source_get(&bytes), .layout = &w.layout};
    size_t size = es__playback_memory_size(&config);
    void *memory = bench_alloc(size);
    int64_t begun_ns = bench_now_ns();
    if (es__playback_open(&play, &config, memory, NULL) != ES_OK) {
        bench_fail("it does not open");
    }
    double open_ms = (double)(bench_now_ns() - begun_ns) / 1e6;
    begun_ns = bench_now_ns();
    if (es__playback_start(&play, w.state) != ES_OK || !play_to(&play, w.state, INT64_MAX)) {
        bench_fail("it does not play");
    }
    double verify_us = (double)(bench_now_ns() - begun_ns) / 1e3 / (double)ticks;
    for (int i = 0; i < SEEKS; ++i) {
        begun_ns = bench_now_ns();
        int64_t tick = (int64_t)((double)ticks * bench_random(&seed));
        if (es__playback_seek(&play, tick, w.state) != ES_OK) {
            bench_fail("it does not seek");
        }
        again = tick - play.tick > again ? tick - play.tick : again;
        if (!play_to(&play, w.state, tick)) {
            bench_fail("it does not play on");
        }
        seek_ms[i] = (double)(bench_now_ns() - begun_ns) / 1e6;
    }
    printf("%9zu B %9lld %9.1f %9.2f %14.2f %9.2f %9.2f %9lld\n", w.layout.state_size,
            (long long)ticks, (double)bytes.size / 1e6, open_ms, verify_us,
            bench_median(seek_ms, SEEKS), seek_ms[SEEKS - 1], (long long)again);
    free(memory);
    free(sink.bytes);
    free(w.state);
}

/* A frame of a capture, into a real file: goal 100 ns. */
static void measure_trace(void)
{
    static const char path[] = "bench_record.csv";
    enum { FRAMES = 5000 };
    double times[ROUNDS];
    es_report report = {.source = ES_SHOWN_PRESENT_RETURN};
    remove(path);
    es_trace *trace = es_trace_create(path);
    for (int round = 0; round < ROUNDS; ++round) {
        int64_t begun_ns = bench_now_ns();
        for (int i = 0; i < FRAMES; ++i) {
            report.frame.begun_ns += 16667123;
            report.frame.content_ns = report.frame.begun_ns;
            report.submit_ns = report.frame.begun_ns + 3456789;
            report.shown_ns = report.submit_ns + 9876543;
            report.render_work_ns = 2345678;
            kept += es_trace_frame(trace, &report);
        }
        times[round] = (double)(bench_now_ns() - begun_ns) / FRAMES;
    }
    if (!es_trace_destroy(trace) || remove(path) != 0) {
        bench_fail("no capture was written");
    }
    double median = bench_median(times, ROUNDS);
    printf("\nes_trace_frame, ns: median %.0f, least %.0f\n", median, times[0]);
}

int main(int argc, char **argv)
{
    static const size_t objects[SIZES] = {4, 320, 3200, 32000};
    printf("us, medians\n%11s  %-8s %14s %14s %14s %14s\n", "state", "fields of", "tick, no hash",
            "tick, hashed", "snapshot more", "frame");
    for (int i = 0; i < 2 * SIZES; ++i) {
        measure(objects[i / 2], i % 2 != 0);
    }
    measure_trace();
    printf("\n%11s %9s %9s %9s %14s %9s %9s %9s\n", "state", "ticks", "MB", "open ms",
            "verify us/tick", "seek ms", "at most", "ticks");
    for (int i = 0; i < SIZES; ++i) {
        measure_playing(objects[i], MINUTE, 600);
    }
    measure_playing(objects[0], argc > 1 ? atoll(argv[1]) : 600 * MINUTE, 0);
    return kept == 1;
}
