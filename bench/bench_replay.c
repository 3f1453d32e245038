/* SPDX-License-Identifier: Zlib
 *
 * What recording costs a whole update, and what a recording gives back: a world like the demo's, of
 * 10 000 balls that fall, bounce, fade and foresee where they bounce next.
 *
 *   bench_replay
 *
 * update    a tick's update alone, and with its input of 68 bytes, its frame and nine readings of a
 *           clock recorded through a ring that a thread empties into a file; without hashes and
 *           snapshots. Rounds of 20 ticks of both take turns, and who is first does, too. Goal: at
 *           most 5 % more
 * hashes    the same with a hash per group at every tick
 * verify    a recorded run again, tick by tick, with every hash
 * seek      to ticks by chance, with a snapshot in every 60 or 600
 */
#include "evenstep/clock.h"
#include "evenstep/playback.h"
#include "evenstep/record.h"
#include "evenstep/ring.h"
#include "evenstep/state.h"
#include "evenstep/tape.h"

#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { BALLS = 10000, ROUNDS = 101, TICKS = 20, READINGS = 9, RUN = 1200, SEEKS = 40 };

#define RING_SIZE  ((size_t)4 << 20)
#define BATCH_SIZE (2 * ES_RECORD_MEMORY_MIN)
#define FILE_SIZE  ((size_t)64 << 20)

static int64_t now_ns(void)
{
    struct timespec now;
    timespec_get(&now, TIME_UTC);
    return (int64_t)now.tv_sec * INT64_C(1000000000) + now.tv_nsec;
}

static es_clock machine;

/* Of this thread: other programs on a busy machine take none of it. */
static int64_t cpu_ns(void)
{
    return machine.thread_cpu_ns(machine.user);
}

static void stop(const char *why)
{
    printf("bench_replay: %s\n", why);
    exit(1);
}

/* ---- the world ---- */

typedef struct ball {
    float x, y, vx, vy, ay;
    float pass_vx, pass_vy;
    int64_t hit_x_ns, hit_y_ns;
    float launch, radius, glow;
    uint32_t bounces;
} ball;

typedef struct world {
    ball balls[BALLS];
    double pointer[2];
    int64_t tick;
} world;

#define OF_EACH(member, type)                                                                      \
    type, ES_BLEND_STEP, ES_PLACE_OF_EACH(world, balls, member, type), .group = 1

static const es_field fields[] = {
        {"balls.x", OF_EACH(x, ES_TYPE_F32)},
        {"balls.y", OF_EACH(y, ES_TYPE_F32)},
        {"balls.vx", OF_EACH(vx, ES_TYPE_F32)},
        {"balls.vy", OF_EACH(vy, ES_TYPE_F32)},
        {"balls.ay", OF_EACH(ay, ES_TYPE_F32)},
        {"balls.pass_vx", OF_EACH(pass_vx, ES_TYPE_F32)},
        {"balls.pass_vy", OF_EACH(pass_vy, ES_TYPE_F32)},
        {"balls.hit_x_ns", OF_EACH(hit_x_ns, ES_TYPE_I64)},
        {"balls.hit_y_ns", OF_EACH(hit_y_ns, ES_TYPE_I64)},
        {"balls.launch", OF_EACH(launch, ES_TYPE_F32)},
        {"balls.radius", OF_EACH(radius, ES_TYPE_F32)},
        {"balls.glow", OF_EACH(glow, ES_TYPE_F32)},
        {"balls.bounces", OF_EACH(bounces, ES_TYPE_U32)},
        {"pointer", ES_TYPE_F64, ES_BLEND_STEP, ES_PLACE(world, pointer, ES_TYPE_F64), .group = 0},
        {"tick", ES_TYPE_I64, ES_BLEND_STEP, ES_PLACE(world, tick, ES_TYPE_I64), .group = 0},
};
static const es_layout layout = ES_LAYOUT(world, fields);

static void make_world(world *w)
{
    memset(w, 0, sizeof *w);
    for (int i = 0; i < BALLS; ++i) {
        ball *b = &w->balls[i];
        b->radius = 9.0F + (float)(i % 11);
        b->x = 20.0F + (float)(i * 37 % 900);
        b->y = 100.0F + (float)(i * 53 % 250);
        b->vx = (i % 2 == 0 ? 1.0F : -1.0F) * (90.0F + (float)(i % 170));
        b->ay = 900.0F;
        b->launch = 500.0F + (float)(i % 97);
    }
}

static void bounce(ball *b)
{
    b->pass_vx = b->vx;
    b->pass_vy = b->vy;
    if (b->y > 396.0F - b->radius && b->vy > 0.0F) {
        b->y = 396.0F - b->radius;
        b->pass_vy = 0.5F * (b->vy - b->launch);
        b->vy = -b->launch;
        b->glow = 1.0F;
        b->bounces += 1;
    }
    if ((b->x < b->radius && b->vx < 0.0F) || (b->x > 960.0F - b->radius && b->vx > 0.0F)) {
        b->pass_vx = 0.0F;
        b->vx = -b->vx;
        b->glow = 1.0F;
        b->bounces += 1;
    }
}

static void foresee(ball *b, int64_t time_ns)
{
    double root = (double)b->vy * (double)b->vy
                  + 2.0 * (double)b->ay * (double)(396.0F - b->radius - b->y);
    double hit_y_s = (sqrt(root > 0.0 ? root : 0.0) - (double)b->vy) / (double)b->ay;
    float way = b->vx > 0.0F ? 960.0F - b->radius - b->x : b->x - b->radius;
    b->hit_x_ns = time_ns + (int64_t)((double)way / fabs((double)b->vx) * 1e9);
    b->hit_y_ns = time_ns + (int64_t)(hit_y_s * 1e9);
}

static void update(world *w, const es_step *step, const unsigned char *input)
{
    float dt = (float)step->dt_s;
    w->tick += 1;
    memcpy(w->pointer, input + 20, sizeof w->pointer);
    for (int i = 0; i < BALLS; ++i) {
        ball *b = &w->balls[i];
        float glow = b->glow - 3.0F * dt;
        b->glow = glow > 0.0F ? glow : 0.0F;
        b->vy += b->ay * dt;
        b->x += b->vx * dt;
        b->y += (b->vy - 0.5F * b->ay * dt) * dt;
        bounce(b);
        foresee(b, step->time_ns);
    }
}

enum { INPUT = 68 };

static void make_input(unsigned char *input, int64_t tick)
{
    double pointer[2] = {(double)(tick % 960), (double)(tick % 540)};
    memset(input, (int)(tick & 0x3F), INPUT);
    memcpy(input + 20, pointer, sizeof pointer);
}

static es_step step_of(int64_t tick)
{
    return (es_step){.index = tick,
            .time_ns = tick * 16666667,
            .dt_ns = 16666667,
            .dt_s = 1.0 / 60.0,
            .due_ns = tick * 16666667,
            .begun_ns = tick * 16666667 + 3000};
}

/* ---- recording ---- */

typedef struct recorder {
    es_record record;
    es_ring ring;
    es_sink sink;
    pthread_t thread;
    atomic_bool done;
    FILE *file;
    int64_t tick;
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
        if (es_ring_pump(&r->ring, &r->sink, &moved) != ES_OK || (done && moved == 0)) {
            return NULL;
        }
        if (moved == 0) {
            nanosleep(&pause, NULL);
        }
    }
}

static es_record_config config_of(es_sink sink, es_record_hashes hashes, int32_t snapshot_every)
{
    es_record_config config = {.layout = &layout, .sink = sink, .hashes = hashes};
    config.tick_rate = es_hz(60);
    config.snapshot_every = snapshot_every;
    return config;
}

static void begin(recorder *r, es_record_hashes hashes, const world *w)
{
    static unsigned char batch[BATCH_SIZE], ring[RING_SIZE];
    memset(r, 0, sizeof *r);
    r->file = tmpfile();
    if (r->file == NULL || es_ring_init(&r->ring, ring, sizeof ring) != ES_OK) {
        stop("no file");
    }
    r->sink = (es_sink){.user = r->file, .write = write_file};
    es_record_config config = config_of(es_ring_sink(&r->ring), hashes, -1);
    if (es_record_init(&r->record, &config, batch, sizeof batch, NULL) != ES_OK
            || es_record_start(&r->record, 0, 0, w) != ES_OK
            || pthread_create(&r->thread, NULL, empty_ring, r) != 0) {
        stop("no recording");
    }
}

static double end(recorder *r)
{
    while (es_record_end(&r->record) == ES_ERR_FULL) {
    }
    atomic_store(&r->done, true);
    pthread_join(r->thread, NULL);
    es_record_counts counts = es_record_counts_get(&r->record);
    if (counts.failed != ES_OK || counts.ticks_lost > 0) {
        stop("something was not recorded");
    }
    fclose(r->file);
    return (double)counts.bytes;
}

/* ---- update ---- */

typedef struct cost {
    int64_t wall_ns, cpu_ns;
} cost;

static cost run(world *w, recorder *r, int64_t *tick)
{
    unsigned char input[INPUT];
    es_frame_report report;
    es_manual_clock time = {0};
    es_tape_writer tape = {.clock = es_manual_clock_get(&time)};
    es_clock clock = es_tape_writer_clock(&tape);
    tape.record = r != NULL ? &r->record : NULL;
    memset(&report, 0, sizeof report);
    int64_t begun_ns = now_ns(), cpu_begun_ns = cpu_ns();
    for (int i = 0; i < TICKS; ++i) {
        es_step step = step_of(++*tick);
        make_input(input, *tick);
        if (r != NULL) {
            step.index = ++r->tick;
            for (int k = 0; k < READINGS; ++k) {
                time.now_ns = *tick * 16666667 + k * INT64_C(1100000);
                (void)clock.now_ns(clock.user);
            }
            (void)es_record_step(&r->record, &step, input, sizeof input);
        }
        update(w, &step, input);
        if (r != NULL) {
            report.frame.index = step.index;
            (void)es_record_tick(&r->record, &step, w);
            (void)es_record_frame(&r->record, &report);
        }
    }
    return (cost){now_ns() - begun_ns, cpu_ns() - cpu_begun_ns};
}

static int compare(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

static double median_us(int64_t *times, int count)
{
    qsort(times, (size_t)count, sizeof *times, compare);
    return (double)times[count / 2] / 1000.0;
}

static int compare_ratios(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double median_percent(double *ratios)
{
    qsort(ratios, ROUNDS, sizeof *ratios, compare_ratios);
    return 100.0 * (ratios[ROUNDS / 2] - 1.0);
}

static void bench_update(es_record_hashes hashes, const char *what)
{
    static world w;
    static recorder r;
    static int64_t plain[ROUNDS], recorded[ROUNDS];
    static double walls[ROUNDS], cpus[ROUNDS];
    int64_t tick = 0;
    make_world(&w);
    begin(&r, hashes, &w);
    for (int i = -10; i < ROUNDS; ++i) { /* the first are for warming up */
        bool plain_first = i % 2 == 0;
        cost a = run(&w, plain_first ? NULL : &r, &tick);
        cost b = run(&w, plain_first ? &r : NULL, &tick);
        cost without = plain_first ? a : b, with = plain_first ? b : a;
        if (i >= 0) {
            plain[i] = without.cpu_ns;
            recorded[i] = with.cpu_ns;
            walls[i] = (double)with.wall_ns / (double)without.wall_ns;
            cpus[i] = (double)with.cpu_ns / (double)without.cpu_ns;
        }
    }
    double ticks = (double)r.tick, bytes = end(&r);
    printf("%-22s %9.1f %9.1f %+8.2f %% %+8.2f %% %9.0f\n", what, median_us(plain, ROUNDS) / TICKS,
            median_us(recorded, ROUNDS) / TICKS, median_percent(cpus), median_percent(walls),
            (bytes - (double)es_state_packed_size(&layout)) / ticks);
}

/* ---- verify and seek ---- */

static int update_call(void *user, void *state, const es_step *step, const void *input, size_t size)
{
    (void)user;
    update(state, step, input);
    return size == INPUT ? 0 : 1;
}

static size_t make_recording(unsigned char *file, int32_t snapshot_every)
{
    static unsigned char batch[BATCH_SIZE];
    static es_record record;
    static world w;
    es_memory_sink sink = {file, FILE_SIZE, 0};
    es_record_config config =
            config_of(es_memory_sink_get(&sink), ES_RECORD_HASH_GROUPS, snapshot_every);
    make_world(&w);
    if (es_record_init(&record, &config, batch, sizeof batch, NULL) != ES_OK
            || es_record_start(&record, 0, 0, &w) != ES_OK) {
        stop("no recording");
    }
    for (int64_t tick = 1; tick <= RUN; ++tick) {
        unsigned char input[INPUT];
        es_step step = step_of(tick);
        make_input(input, tick);
        (void)es_record_step(&record, &step, input, sizeof input);
        update(&w, &step, input);
        (void)es_record_tick(&record, &step, &w);
    }
    return es_record_end(&record) == ES_OK ? sink.used : 0;
}

static void bench_replay(unsigned char *file, int32_t snapshot_every)
{
    static es_playback play;
    static world w;
    static int64_t times[SEEKS];
    es_memory_source bytes = {file, make_recording(file, snapshot_every)};
    es_playback_config config = {
            .source = es_memory_source_get(&bytes), .layout = &layout, .update = update_call};
    size_t size = es_playback_memory_size(&config);
    void *memory = malloc(size);
    int64_t begun_ns = now_ns();
    if (bytes.size == 0 || memory == NULL
            || es_playback_open(&play, &config, memory, size, NULL) != ES_OK) {
        stop("it does not open");
    }
    double open_ms = (double)(now_ns() - begun_ns) / 1e6;
    begun_ns = now_ns();
    if (es_playback_start(&play, &w) != ES_OK
            || es_playback_run(&play, &w, INT64_MAX, false) != ES_OK) {
        stop("it does not play");
    }
    double verify_ms = (double)(now_ns() - begun_ns) / 1e6;
    uint32_t random = 1;
    for (int i = 0; i < SEEKS; ++i) {
        random = random * UINT32_C(1664525) + UINT32_C(1013904223);
        begun_ns = now_ns();
        if (es_playback_seek(&play, random % RUN, &w) != ES_OK) {
            stop("it does not seek");
        }
        times[i] = now_ns() - begun_ns;
    }
    double median_ms = median_us(times, SEEKS) / 1000.0;
    printf("%8d %9.1f %9.1f %9.1f %11.1f %9.1f %9.1f\n", (int)snapshot_every,
            (double)bytes.size / 1e6, open_ms, verify_ms, verify_ms * 1000.0 / RUN, median_ms,
            (double)times[SEEKS - 1] / 1e6);
    free(memory);
}

int main(void)
{
    unsigned char *file = malloc(FILE_SIZE);
    if (file == NULL) {
        stop("no memory");
    }
    if (es_clock_system(&machine) != ES_OK || machine.thread_cpu_ns == NULL) {
        stop("no clock");
    }
    printf("an update of %d objects: us of CPU per tick, medians of %d rounds; and by how much a\n"
           "round with recording takes more than the one beside it, in CPU and in time\n",
            BALLS, ROUNDS);
    printf("%-22s %9s %9s %10s %10s %9s\n", "recorded", "without", "with", "CPU", "time", "B/tick");
    bench_update(ES_RECORD_HASH_NONE, "input, frame, clock");
    bench_update(ES_RECORD_HASH_GROUPS, "the same, and hashes");
    printf("\na run of %d ticks of these, with hashes\n", RUN);
    printf("%8s %9s %9s %9s %11s %9s %9s\n", "snapshot", "MB", "open ms", "verify ms",
            "us per tick", "seek ms", "at most");
    bench_replay(file, 60);
    bench_replay(file, 600);
    free(file);
    return 0;
}
