/* SPDX-License-Identifier: Zlib
 *
 * What a recording costs the thread that simulates, by the size of the state.
 *
 *   bench_record
 *
 * state     hash of a whole state, in GB/s: fields that adjoin (an array per field), and fields of
 *           structs in an array
 * tick      es_record_step and es_record_tick, with an input of 16 bytes, hashes per group and no
 *           snapshot: median and 99th percentile of single calls, and the bytes that a tick takes;
 *           and the same without hashes, over many calls
 * frame     es_record_frame with eight readings of a clock
 * snapshot  what a tick costs more when one is due
 * rest      packing, checksums, reading
 * play      of a minute's recording: opening; verifying, for each tick, and seeking, both beside
 *           the program's own update, which does nothing here; the least of eight turns
 *
 * The sink takes bytes and forgets them: what a file costs is the system's. GB/s are of the median
 * round of those in 0.1 s.
 */
#include "evenstep/clock.h"
#include "evenstep/playback.h"
#include "evenstep/reader.h"
#include "evenstep/record.h"
#include "evenstep/state.h"
#include "evenstep/tape.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { SAMPLES = 4000, MEMORY = 1 << 18 };

static int64_t now_ns(void)
{
    struct timespec now;
    timespec_get(&now, TIME_UTC);
    return (int64_t)now.tv_sec * INT64_C(1000000000) + now.tv_nsec;
}

static volatile uint64_t result_kept;
static uint64_t sink_bytes;

static es_result forget(void *user, const void *bytes, size_t size)
{
    (void)user;
    (void)bytes;
    sink_bytes += size;
    return ES_OK;
}

/* Eight numbers per object, as most objects of games have: position, speed, and two more. */
typedef struct object {
    float at[3], speed[3];
    int32_t health;
    uint32_t flags;
} object;

typedef struct world {
    es_field fields[4];
    es_layout layout;
    unsigned char *state;
    size_t size;
} world;

static es_field field(const char *name, es_type type, size_t count, size_t components,
        size_t offset, size_t stride)
{
    es_field f;
    memset(&f, 0, sizeof f);
    f.name = name;
    f.type = type;
    f.blend = ES_BLEND_STEP;
    f.count = count;
    f.components = components;
    f.offset = offset;
    f.stride = stride;
    f.group = 1;
    return f;
}

static void make(world *w, size_t objects, bool structs)
{
    size_t step = structs ? sizeof(object) : 12, four = structs ? sizeof(object) : 4;
    size_t n = objects;
    w->size = n * sizeof(object);
    w->fields[0] = field("at", ES_TYPE_F32, n, 3, 0, step);
    w->fields[1] = field("speed", ES_TYPE_F32, n, 3, structs ? 12 : n * 12, step);
    w->fields[2] = field("health", ES_TYPE_I32, n, 1, structs ? 24 : n * 24, four);
    w->fields[3] = field("flags", ES_TYPE_U32, n, 1, structs ? 28 : n * 28, four);
    w->layout = (es_layout){w->fields, 4, w->size};
    w->state = malloc(w->size);
    if (w->state == NULL || es_layout_validate(&w->layout, NULL) != ES_OK) {
        printf("no memory, or a layout that is refused\n");
        exit(1);
    }
    for (size_t i = 0; i < w->size; i += 4) {
        float value = (float)i / 3.0F;
        memcpy(w->state + i, &value, 4);
    }
}

static int compare(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

/* The median of single rounds, so that what other programs take does not count. */
static double gb_s(uint64_t (*round)(const world *w, void *user), const world *w, void *user)
{
    static int64_t times[2000];
    int rounds = 0;
    uint64_t bytes = 0;
    for (int64_t begin = now_ns(); rounds < 2000 && (rounds < 5 || now_ns() - begin < 100000000);
            ++rounds) {
        int64_t a = now_ns();
        bytes = round(w, user);
        times[rounds] = now_ns() - a;
    }
    qsort(times, (size_t)rounds, sizeof times[0], compare);
    return (double)bytes / (double)times[rounds / 2];
}

static uint64_t hash_round(const world *w, void *user)
{
    uint64_t bytes = 0;
    (void)user;
    do {
        result_kept += es_state_hash(&w->layout, w->state);
        bytes += w->size;
    } while (bytes < 20000);
    return bytes;
}

typedef struct costs {
    int64_t tick_ns, tick_late_ns, frame_ns, snapshot_ns;
    double bytes;
} costs;

static void start(es_record *record, const world *w, int32_t snapshot_every)
{
    static unsigned char memory[MEMORY];
    es_record_config config;
    memset(&config, 0, sizeof config);
    config.layout = &w->layout;
    config.sink.write = forget;
    config.snapshot_every = snapshot_every;
    if (es_record_init(record, &config, memory, sizeof memory, NULL) != ES_OK
            || es_record_start(record, 0, 0, w->state) != ES_OK) {
        printf("no recording\n");
        exit(1);
    }
}

static int64_t run(const world *w, int32_t snapshot_every, costs *c)
{
    static es_record record;
    static int64_t ticks[SAMPLES], frames[SAMPLES];
    unsigned char input[16] = {1, 2, 3};
    int samples = w->size > 500000 ? SAMPLES / 20 : SAMPLES;
    es_manual_clock time = {0};
    es_tape_writer tape = {.clock = es_manual_clock_get(&time), .record = &record};
    es_clock clock = es_tape_writer_clock(&tape);
    start(&record, w, snapshot_every);
    uint64_t bytes = es_record_counts_get(&record).bytes;
    for (int i = 0; i < samples; ++i) {
        es_step step = {.index = i + 1, .dt_ns = 16666667, .dt_s = 1.0 / 60.0};
        es_frame_report report;
        memset(&report, 0, sizeof report);
        w->state[0] += 1;
        int64_t a = now_ns();
        (void)es_record_step(&record, &step, input, sizeof input);
        (void)es_record_tick(&record, &step, w->state);
        int64_t b = now_ns();
        ticks[i] = b - a;
        if (c != NULL && i == samples - 1) {
            es_record_counts counts = es_record_counts_get(&record);
            c->bytes = (double)(counts.bytes + counts.held - bytes) / samples;
        }
        a = now_ns();
        if (snapshot_every < 0 && i < samples - 1 && i % 2 == 1) { /* apart from what is counted */
            for (int k = 0; k < 8; ++k) {
                time.now_ns = a + k * 3000000;
                (void)clock.now_ns(clock.user);
            }
            uint64_t before =
                    es_record_counts_get(&record).bytes + es_record_counts_get(&record).held;
            (void)es_record_frame(&record, &report);
            bytes += es_record_counts_get(&record).bytes + es_record_counts_get(&record).held
                     - before;
        }
        frames[i] = now_ns() - a;
    }
    qsort(ticks, (size_t)samples, sizeof ticks[0], compare);
    if (c != NULL) {
        qsort(frames, (size_t)samples, sizeof frames[0], compare);
        c->tick_ns = ticks[samples / 2];
        c->tick_late_ns = ticks[samples * 99 / 100];
        c->frame_ns = frames[samples * 3 / 4]; /* half of them are none */
    }
    return ticks[samples / 2];
}

static uint64_t pack_round(const world *w, void *user)
{
    static unsigned char chunk[65000];
    uint64_t bytes = 0;
    (void)user;
    for (uint64_t at = 0, got = 1; got > 0; at += got) {
        got = es_state_pack(&w->layout, w->state, at, chunk, sizeof chunk);
        bytes += got;
    }
    return bytes;
}

static uint64_t read_round(const world *w, void *user)
{
    static unsigned char window[ES_RECORD_SIZE_MAX];
    es_reader reader;
    es_reader_summary summary;
    (void)w;
    (void)es_reader_open(&reader, user, window, sizeof window, NULL);
    (void)es_reader_summarize(&reader, &summary);
    return summary.bytes;
}

/* A file of snapshots: almost all of its reading is checksums. */
static double read_gb_s(const world *w)
{
    static es_record record;
    static unsigned char memory[MEMORY];
    size_t size = 8 << 20;
    es_memory_sink sink = {malloc(size), size, 0};
    es_record_config config;
    memset(&config, 0, sizeof config);
    config.layout = &w->layout;
    config.sink = es_memory_sink_get(&sink);
    config.snapshot_every = 1;
    if (sink.bytes == NULL || es_record_init(&record, &config, memory, sizeof memory, NULL) != ES_OK
            || es_record_start(&record, 0, 0, w->state) != ES_OK) {
        return 0;
    }
    for (int64_t tick = 1; es_record_counts_get(&record).failed == ES_OK; ++tick) {
        es_step step = {.index = tick, .time_ns = tick, .dt_s = 1.0};
        (void)es_record_step(&record, &step, NULL, 0);
        (void)es_record_tick(&record, &step, w->state);
    }
    es_memory_source bytes = {sink.bytes, sink.used};
    es_source source = es_memory_source_get(&bytes);
    double result = gb_s(read_round, w, &source);
    free(sink.bytes);
    return result;
}

static void best_of(double *best, int64_t begin_ns, size_t rounds)
{
    double taken = (double)(now_ns() - begin_ns) / (double)rounds;
    *best = taken < *best ? taken : *best;
}

/* Without hashes, over many calls: a single one is shorter than a reading of the clock is exact. */
static double tick_without_hash_ns(const world *w, size_t input_size)
{
    static es_record record;
    static unsigned char memory[MEMORY], input[256];
    es_record_config config;
    double best = 1e18;
    memset(&config, 0, sizeof config);
    config.layout = &w->layout;
    config.sink.write = forget;
    config.hashes = ES_RECORD_HASH_NONE;
    config.snapshot_every = -1;
    if (es_record_init(&record, &config, memory, sizeof memory, NULL) != ES_OK
            || es_record_start(&record, 0, 0, w->state) != ES_OK) {
        return 0.0;
    }
    for (int64_t tick = 1, round = 0; round < 200; ++round) {
        int64_t begin_ns = now_ns();
        for (int i = 0; i < 500; ++i, ++tick) {
            es_step step = {.index = tick, .dt_ns = 16666667, .dt_s = 1.0 / 60.0};
            (void)es_record_step(&record, &step, input, input_size);
            (void)es_record_tick(&record, &step, w->state);
        }
        best_of(&best, begin_ns, 500);
    }
    return best;
}

/* --- playing --- */

enum { PLAYED = 3600, PLAY_SEEKS = 200 };

static int no_update(void *user, void *state, const es_step *step, const void *input, size_t size)
{
    (void)user;
    (void)state;
    (void)step;
    (void)input;
    return (int)(size >> 31);
}

/* A minute at 60 ticks a second, of a state that stands still: what playing takes beside the
 * program's own update. A seek goes on 300 ticks on average from the snapshot before it. */
static void play_costs(const world *w)
{
    static es_record record;
    static es_playback play;
    static unsigned char memory[MEMORY];
    size_t size = (size_t)PLAYED * 200 + 8 * w->size, needed;
    es_memory_sink sink = {malloc(size), size, 0};
    es_record_config config;
    es_playback_config playback;
    double open_ns = 1e18, verify_ns = 1e18, seek_ns = 1e18;
    memset(&config, 0, sizeof config);
    memset(&playback, 0, sizeof playback);
    config.layout = playback.layout = &w->layout;
    config.sink = es_memory_sink_get(&sink);
    playback.update = no_update;
    needed = es_playback_memory_size(&playback);
    unsigned char *play_memory = malloc(needed), input[16] = {0};
    if (sink.bytes == NULL || play_memory == NULL
            || es_record_init(&record, &config, memory, sizeof memory, NULL) != ES_OK
            || es_record_start(&record, 0, 0, w->state) != ES_OK) {
        printf("no recording\n");
        exit(1);
    }
    for (int64_t tick = 1; tick <= PLAYED; ++tick) {
        es_step step = {.index = tick, .dt_ns = 16666667, .dt_s = 1.0 / 60.0};
        (void)es_record_step(&record, &step, input, sizeof input);
        (void)es_record_tick(&record, &step, w->state);
    }
    es_result result = es_record_end(&record);
    es_memory_source bytes = {sink.bytes, sink.used};
    playback.source = es_memory_source_get(&bytes);
    for (int turn = 0; turn < 8 && result == ES_OK; ++turn) {
        int64_t begin_ns = now_ns();
        result = es_playback_open(&play, &playback, play_memory, needed, NULL);
        best_of(&open_ns, begin_ns, 1);
        result = result == ES_OK ? es_playback_start(&play, w->state) : result;
        begin_ns = now_ns();
        result = result == ES_OK ? es_playback_run(&play, w->state, PLAYED, false) : result;
        best_of(&verify_ns, begin_ns, PLAYED);
        begin_ns = now_ns();
        for (int64_t i = 0; i < PLAY_SEEKS && result == ES_OK; ++i) {
            result = es_playback_seek(&play, i * 7919 % PLAYED, w->state);
        }
        best_of(&seek_ns, begin_ns, PLAY_SEEKS);
    }
    printf("%8zu B %10.1f %12.2f %14.2f %12.2f%s\n", w->size, (double)sink.used / 1024.0,
            open_ns / 1e6, verify_ns / 1e3, seek_ns / 1e6, result == ES_OK ? "" : " FAILED");
    free(sink.bytes);
    free(play_memory);
}

int main(void)
{
    static const size_t objects[] = {4, 32, 320, 3200, 32000};
    int64_t clock_ns = INT64_MAX;
    for (int i = 0; i < 1000; ++i) {
        int64_t a = now_ns(), b = now_ns();
        clock_ns = b - a < clock_ns ? b - a : clock_ns;
    }
    printf("a reading of the clock: %d ns, within every figure in ns of the table\n\n",
            (int)clock_ns);
    printf("%10s  %-7s %9s %10s %10s %10s %12s %11s\n", "state", "fields", "state GB/s", "tick ns",
            "tick p99", "frame ns", "snapshot us", "B per tick");
    for (size_t i = 0; i < sizeof objects / sizeof objects[0]; ++i) {
        for (int structs = 0; structs < 2; ++structs) {
            world w;
            costs c = {0};
            make(&w, objects[i], structs != 0);
            double hash = gb_s(hash_round, &w, NULL);
            (void)run(&w, -1, &c);
            double snapshot_us = (double)(run(&w, 1, NULL) - c.tick_ns) / 1000.0;
            printf("%8zu B  %-7s %9.2f %10d %10d %10d %12.2f %11.1f\n", w.size,
                    structs ? "structs" : "arrays", hash, (int)c.tick_ns, (int)c.tick_late_ns,
                    (int)c.frame_ns, snapshot_us, c.bytes);
            free(w.state);
        }
    }
    world w;
    make(&w, 3200, false);
    printf("\na tick without hashes: %.0f ns with an input of 16 bytes, %.0f ns with 256\n",
            tick_without_hash_ns(&w, 16), tick_without_hash_ns(&w, 256));
    printf("packing %.2f GB/s (arrays), reading with all checksums %.2f GB/s\n",
            gb_s(pack_round, &w, NULL), read_gb_s(&w));
    free(w.state);
    printf("\n%10s %10s %12s %14s %12s\n", "state", "file kB", "open ms", "verify us/tick",
            "seek ms");
    for (size_t i = 0; i < sizeof objects / sizeof objects[0]; ++i) {
        make(&w, objects[i], false);
        play_costs(&w);
        free(w.state);
    }
    return result_kept == 1;
}
