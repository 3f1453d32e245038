/* SPDX-License-Identifier: Zlib
 *
 * What recording adds to a whole update, and what a recording costs to play. The world resembles
 * the demo's: 10 000 balls that fall, bounce, fade and compute where they bounce next.
 *
 * record    a tick with an input of 68 bytes, a frame and nine readings of a clock, through a ring
 *           that a thread empties into a file; without hashes and with a hash per group. In CPU
 *           time of the thread. Goal: at most 5 % more without hashes
 * play      opening, verifying every hash of every tick, and seeking to random ticks
 */
#include "evenstep/replay.h"
#include "evenstep/world.h"

#include "bench.h"

#include "../tests/memory_bytes.h"
#include "replay/playback_parts.h"
#include "replay/record_parts.h"
#include "replay/ring_parts.h"
#include "replay/state_parts.h"
#include "../tests/manual_clock.h"

#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>
#include <time.h>

enum { BALLS = 10000, ROUNDS = 101, TICKS = 20, READINGS = 9, RUN = 1200, SEEKS = 41, INPUT = 68 };

#define RING_SIZE  ((size_t)4 << 20)
#define BATCH_SIZE (2 * ES__RECORD_MEMORY_MIN)
#define FILE_SIZE  ((size_t)64 << 20)

/* --- the world -------------------------------------------------------------------------------- */

typedef struct ball {
    float x, y, vx, vy;
    int64_t hit_x_ns, hit_y_ns;
    float launch, radius, glow;
    uint32_t bounces;
} ball;

typedef struct world {
    ball balls[BALLS];
    double pointer[2];
} world;

#define OF_EACH(member) ES_FIELD_OF_EACH(world, balls, member, ES_BLEND_STEP, ES_WITH(group, 1))

static const es_field fields[] = {OF_EACH(x), OF_EACH(y), OF_EACH(vx), OF_EACH(vy),
        OF_EACH(hit_x_ns), OF_EACH(hit_y_ns), OF_EACH(launch), OF_EACH(radius), OF_EACH(glow),
        OF_EACH(bounces), ES_FIELD(world, pointer, ES_BLEND_STEP)};
static const es_layout layout = ES_LAYOUT(world, fields);

static void make_world(world *w)
{
    memset(w, 0, sizeof *w);
    for (int i = 0; i < BALLS; ++i) {
        w->balls[i] = (ball){.x = 20.0F + (float)(i * 37 % 900),
                .y = 100.0F + (float)(i * 53 % 250),
                .vx = (i % 2 == 0 ? 1.0F : -1.0F) * (90.0F + (float)(i % 170)),
                .launch = 500.0F + (float)(i % 97),
                .radius = 9.0F + (float)(i % 11)};
    }
}

static void move(ball *b, float dt, int64_t time_ns)
{
    const float gravity = 900.0F, floor = 396.0F - b->radius, wall = 960.0F - b->radius;
    b->glow = b->glow > 3.0F * dt ? b->glow - 3.0F * dt : 0.0F;
    b->vy += gravity * dt;
    b->x += b->vx * dt;
    b->y += (b->vy - 0.5F * gravity * dt) * dt;
    bool lands = b->y > floor && b->vy > 0.0F;
    bool turns = (b->x < b->radius && b->vx < 0.0F) || (b->x > wall && b->vx > 0.0F);
    b->y = lands ? floor : b->y;
    b->vy = lands ? -b->launch : b->vy;
    b->vx = turns ? -b->vx : b->vx;
    b->glow = lands || turns ? 1.0F : b->glow;
    b->bounces += (uint32_t)lands + turns;
    double root = (double)(b->vy * b->vy + 2.0F * gravity * (floor - b->y));
    double hit_y_s = (sqrt(root > 0.0 ? root : 0.0) - (double)b->vy) / (double)gravity;
    float way = b->vx > 0.0F ? wall - b->x : b->x - b->radius;
    b->hit_x_ns = time_ns + (int64_t)((double)way / fabs((double)b->vx) * 1e9);
    b->hit_y_ns = time_ns + (int64_t)(hit_y_s * 1e9);
}

static int update(void *user, void *state, const es_step *step, const void *input, size_t size)
{
    world *w = state;
    (void)user;
    memcpy(w->pointer, (const unsigned char *)input + 20, sizeof w->pointer);
    for (int i = 0; i < BALLS; ++i) {
        move(&w->balls[i], (float)step->dt_s, step->time_ns);
    }
    return size == INPUT ? 0 : 1;
}

static void make_tick(int64_t tick, es_step *step, unsigned char *input)
{
    double pointer[2] = {(double)(tick % 960), (double)(tick % 540)};
    *step = (es_step){.index = tick,
            .time_ns = tick * 16666667,
            .dt_ns = 16666667,
            .dt_s = 1.0 / 60.0,
            .due_ns = tick * 16666667,
            .begun_ns = tick * 16666667 + 3000};
    memset(input, (int)(tick & 0x3F), INPUT);
    memcpy(input + 20, pointer, sizeof pointer);
}

/* --- recording -------------------------------------------------------------------------------- */

typedef struct recorder {
    es__record record;
    es__ring ring;
    es_stream sink;
    pthread_t thread;
    atomic_bool done;
    FILE *file;
} recorder;

static es_result write_file(void *user, const void *bytes, size_t size)
{
    return fwrite(bytes, 1, size, user) == size ? ES_OK : ES_ERR_IO;
}

static void *empty_ring(void *user)
{
    recorder *r = user;
    const struct timespec pause = {.tv_nsec = 5000000};
    for (;;) {
        bool done = atomic_load(&r->done);
        size_t moved;
        if (es__ring_pump(&r->ring, &r->sink, &moved) != ES_OK || (done && moved == 0)) {
            return NULL;
        }
        if (moved == 0) {
            nanosleep(&pause, NULL);
        }
    }
}

static void start(es__record *record, es_stream sink, es_record_hashes hashes,
        int32_t snapshot_every, const world *w)
{
    static unsigned char batch[BATCH_SIZE];
    es__record_config config = {.layout = &layout,
            .stream = sink,
            .hashes = hashes,
            .tick_rate = es_hz(60),
            .snapshot_every = snapshot_every};
    if (es__record_init(record, &config, batch, sizeof batch, NULL) != ES_OK
            || es__record_start(record, 0, 0, w) != ES_OK) {
        bench_fail("a recording is refused");
    }
}

static void begin(recorder *r, es_record_hashes hashes, const world *w)
{
    static unsigned char ring[RING_SIZE];
    memset(r, 0, sizeof *r);
    r->file = tmpfile();
    r->sink = (es_stream){.user = r->file, .write = write_file};
    if (r->file == NULL || es__ring_init(&r->ring, ring, sizeof ring) != ES_OK
            || pthread_create(&r->thread, NULL, empty_ring, r) != 0) {
        bench_fail("no file or no thread");
    }
    start(&r->record, es__ring_sink(&r->ring), hashes, -1, w);
}

static void end(recorder *r)
{
    while (es__record_end(&r->record) == ES_ERR_FULL) {
    }
    atomic_store(&r->done, true);
    pthread_join(r->thread, NULL);
    es__record_counts counts = es__record_counts_get(&r->record);
    if (counts.failed != ES_OK || counts.ticks_lost > 0) {
        bench_fail("something was not recorded");
    }
    fclose(r->file);
}

/* us of CPU per tick. The CPU time of this thread excludes what other programs take. */
static double run(world *w, recorder *r, int64_t *tick)
{
    es_clock clock;
    es_step step;
    es_report report = {0};
    unsigned char input[INPUT];
    if (!es_clock_system(&clock) || clock.thread_cpu_ns == NULL) {
        bench_fail("no clock of CPU time");
    }
    es_manual_clock time = {0};
    es__tape_writer tape = {
            .clock = es_manual_clock_get(&time), .record = r != NULL ? &r->record : NULL};
    es_clock recorded = es__tape_writer_clock(&tape);
    int64_t begun_ns = clock.thread_cpu_ns(clock.user);
    for (int i = 0; i < TICKS; ++i) {
        make_tick(++*tick, &step, input);
        for (int k = 0; r != NULL && k < READINGS; ++k) {
            time.now_ns = *tick * 16666667 + k * 1100000;
            (void)recorded.now_ns(recorded.user);
        }
        if (r != NULL) {
            (void)es__record_step(&r->record, &step, input, sizeof input);
        }
        update(NULL, w, &step, input, sizeof input);
        if (r != NULL) {
            report.frame.index = step.index;
            (void)es__record_tick(&r->record, &step, w);
            (void)es__record_frame(&r->record, &report);
        }
    }
    return (double)(clock.thread_cpu_ns(clock.user) - begun_ns) / 1e3 / TICKS;
}

static void bench_update(es_record_hashes hashes, const char *what)
{
    static world plain_world, recorded_world;
    static recorder r;
    double plain[ROUNDS], recorded[ROUNDS], ratios[ROUNDS];
    int64_t plain_tick = 0, recorded_tick = 0;
    make_world(&plain_world);
    make_world(&recorded_world);
    begin(&r, hashes, &recorded_world);
    for (int i = 0; i < ROUNDS; ++i) {
        plain[i] = run(&plain_world, NULL, &plain_tick);
        recorded[i] = run(&recorded_world, &r, &recorded_tick);
        ratios[i] = recorded[i] / plain[i];
    }
    end(&r);
    printf("%-26s %9.1f %9.1f %+8.2f %%\n", what, bench_median(plain, ROUNDS),
            bench_median(recorded, ROUNDS), 100.0 * (bench_median(ratios, ROUNDS) - 1.0));
}

/* --- playing ---------------------------------------------------------------------------------- */

static size_t make_recording(unsigned char *file, int32_t snapshot_every)
{
    static es__record record;
    static world w;
    memory_sink sink = {file, FILE_SIZE, 0};
    es_step step;
    unsigned char input[INPUT];
    make_world(&w);
    start(&record, memory_sink_get(&sink), ES_RECORD_HASH_GROUPS, snapshot_every, &w);
    for (int64_t tick = 1; tick <= RUN; ++tick) {
        make_tick(tick, &step, input);
        (void)es__record_step(&record, &step, input, sizeof input);
        update(NULL, &w, &step, input, sizeof input);
        (void)es__record_tick(&record, &step, &w);
    }
    return es__record_end(&record) == ES_OK ? sink.used : 0;
}

/* Up to a tick; false: the runs differ. */
static bool play_to(es__playback *play, world *w, int64_t tick)
{
    es_step step;
    const void *input;
    size_t size;
    bool same = true;
    while (same && play->tick < tick && es__playback_next(play, &step, &input, &size) == ES_OK) {
        update(NULL, w, &step, input, size);
        same = es__playback_check(play, w);
    }
    return same;
}

static void bench_play(unsigned char *file, int32_t snapshot_every)
{
    static es__playback play;
    static world w;
    double seek_ms[SEEKS];
    memory_source bytes = {file, make_recording(file, snapshot_every)};
    es__playback_config config = {.stream = memory_source_get(&bytes), .layout = &layout};
    size_t size = es__playback_memory_size(&config);
    void *memory = bench_alloc(size);
    uint64_t seed = 1;
    int64_t begun_ns = bench_now_ns();
    if (es__playback_open(&play, &config, memory, size, NULL) != ES_OK) {
        bench_fail("it does not open");
    }
    double open_ms = (double)(bench_now_ns() - begun_ns) / 1e6;
    begun_ns = bench_now_ns();
    if (es__playback_start(&play, &w) != ES_OK || !play_to(&play, &w, INT64_MAX)) {
        bench_fail("it does not play");
    }
    double verify_us = (double)(bench_now_ns() - begun_ns) / 1e3 / RUN;
    for (int i = 0; i < SEEKS; ++i) {
        begun_ns = bench_now_ns();
        int64_t tick = (int64_t)(RUN * bench_random(&seed));
        if (es__playback_seek(&play, tick, &w) != ES_OK || !play_to(&play, &w, tick)) {
            bench_fail("it does not seek");
        }
        seek_ms[i] = (double)(bench_now_ns() - begun_ns) / 1e6;
    }
    double median_ms = bench_median(seek_ms, SEEKS); /* sorts them */
    printf("%8d %9.1f %9.1f %14.1f %9.1f %9.1f\n", (int)snapshot_every, (double)bytes.size / 1e6,
            open_ms, verify_us, median_ms, seek_ms[SEEKS - 1]);
    free(memory);
}

int main(void)
{
    unsigned char *file = bench_alloc(FILE_SIZE);
    printf("an update of %d objects, us of CPU per tick, medians\n%-26s %9s %9s %10s\n", BALLS,
            "recorded", "without", "with", "more");
    bench_update(ES_RECORD_HASH_NONE, "input, frame, clock");
    bench_update(ES_RECORD_HASH_GROUPS, "input, frame, clock, hash");
    printf("\na recording of %d such ticks, with hashes\n%8s %9s %9s %14s %9s %9s\n", RUN,
            "snapshot", "MB", "open ms", "verify us/tick", "seek ms", "at most");
    bench_play(file, 60);
    bench_play(file, 600);
    free(file);
    return 0;
}
