/* SPDX-License-Identifier: Zlib */
#define _POSIX_C_SOURCE 200809L /* sigset_t, nanosleep */
#include "demo_recorder.h"

#include "evenstep/ring.h"
#include "evenstep/tape.h"

#include "adapters/record_file.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* Room for a batch twice, which leaves room for ticks while a snapshot waits; and for the minutes
 * that a disk may take. */
#define BATCH_SIZE (2 * ES_RECORD_MEMORY_MIN)
#define RING_SIZE  ((size_t)4 << 20)
#define LOOK_NS    (5 * ES_NS_PER_MS)

struct demo_recorder {
    const char *path;
    es_record record;
    es_record_file file;
    es_sink sink; /* the file's */
    es_ring ring;
    es_tape_writer tape;
    es_clock machine, taped;
    pthread_t writer;
    atomic_bool done;
    atomic_int problem;
    int64_t tick;
    int64_t frame;
    bool started;
    bool frames;
    bool waits;
    bool moved; /* the next tick goes on from `state` */
    es_step step;
    unsigned char *batch, *ring_memory;
    unsigned char *state; /* packed */
    size_t state_size;
    unsigned char input[DEMO_INPUT_MAX];
};

/* --- the thread that writes ------------------------------------------------------------------- */

static void sleep_for(int64_t ns)
{
    struct timespec time = {.tv_nsec = (long)ns};
    nanosleep(&time, NULL);
}

static void *write_out(void *user)
{
    demo_recorder *recorder = user;
    for (;;) {
        bool done = atomic_load(&recorder->done);
        size_t moved;
        if (es_ring_pump(&recorder->ring, &recorder->sink, &moved) != ES_OK) {
            atomic_store(&recorder->problem, recorder->file.failed);
            return NULL; /* the ring tells the other side */
        }
        if (done && moved == 0) {
            return NULL;
        }
        if (moved == 0) {
            sleep_for(LOOK_NS);
        }
    }
}

/* Signals are for the thread that looks at them. */
static bool start_writer(demo_recorder *recorder)
{
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    int problem = pthread_create(&recorder->writer, NULL, write_out, recorder);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    errno = problem;
    return problem == 0;
}

/* --- opening and closing ---------------------------------------------------------------------- */

static void discard(demo_recorder *recorder)
{
    free(recorder->batch);
    free(recorder->ring_memory);
    free(recorder->state);
    free(recorder);
}

static bool make_room(demo_recorder *recorder)
{
    recorder->state_size = (size_t)es_state_packed_size(demo_world_layout());
    recorder->batch = malloc(BATCH_SIZE);
    recorder->ring_memory = malloc(RING_SIZE);
    recorder->state = malloc(recorder->state_size);
    errno = ENOMEM;
    return recorder->batch != NULL && recorder->ring_memory != NULL && recorder->state != NULL
           && es_ring_init(&recorder->ring, recorder->ring_memory, RING_SIZE) == ES_OK;
}

static bool make_record(demo_recorder *recorder, const demo_recorder_setup *setup)
{
    const es_record_tag tags[] = {{"program", DEMO_WORLD_PROGRAM}, {"settings", setup->settings},
            {"view", setup->view}, {"refresh_ns", setup->refresh}};
    const es_record_config config = {.layout = demo_world_layout(),
            .sink = es_ring_sink(&recorder->ring),
            .tick_rate = setup->tick_rate,
            .seed = setup->seed,
            .tags = tags,
            .tag_count = sizeof tags / sizeof tags[0],
            .when_full = ES_RECORD_FULL_GAP};
    errno = EINVAL; /* settings of more than 4 kB */
    return es_record_init(&recorder->record, &config, recorder->batch, BATCH_SIZE, NULL) == ES_OK;
}

demo_recorder *demo_recorder_open(const demo_recorder_setup *setup)
{
    demo_recorder *recorder = calloc(1, sizeof *recorder);
    if (recorder == NULL) {
        return NULL;
    }
    recorder->path = setup->path;
    recorder->frames = setup->frames;
    recorder->waits = setup->waits;
    if (!make_room(recorder) || !make_record(recorder, setup)) {
        discard(recorder);
        return NULL;
    }
    if (es_record_file_create(&recorder->file, setup->path) != ES_OK) {
        errno = recorder->file.failed;
        discard(recorder);
        return NULL;
    }
    recorder->sink = es_record_file_sink(&recorder->file);
    if (!start_writer(recorder)) {
        es_record_file_close(&recorder->file);
        discard(recorder);
        return NULL;
    }
    return recorder;
}

demo_recording demo_recorder_close(demo_recorder *recorder)
{
    if (recorder == NULL) {
        return (demo_recording){0};
    }
    while (es_record_end(&recorder->record) == ES_ERR_FULL) {
        sleep_for(LOOK_NS);
    }
    atomic_store(&recorder->done, true);
    pthread_join(recorder->writer, NULL);
    es_record_file_close(&recorder->file);
    atomic_store(&recorder->problem, recorder->file.failed);
    demo_recording told = demo_recorder_look(recorder);
    told.counts.bytes = recorder->file.bytes; /* the ring takes more than a full disk does */
    discard(recorder);
    return told;
}

demo_recording demo_recorder_look(const demo_recorder *recorder)
{
    if (recorder == NULL) {
        return (demo_recording){0};
    }
    return (demo_recording){.path = recorder->path,
            .counts = es_record_counts_get(&recorder->record),
            .problem = atomic_load(&recorder->problem),
            .tick = recorder->tick,
            .frames = recorder->frames};
}

const char *demo_recording_problem(const demo_recording *recording)
{
    if (recording->problem != 0) {
        return strerror(recording->problem);
    }
    return recording->counts.failed != ES_OK ? es_result_message(recording->counts.failed) : NULL;
}

/* --- ticks ------------------------------------------------------------------------------------ */

void demo_recorder_begin(demo_recorder *recorder, const demo_scene *scene, int64_t time_ns)
{
    if (recorder == NULL) {
        return;
    }
    if (!recorder->started) {
        recorder->started = true;
        (void)es_record_start(&recorder->record, 0, time_ns, scene);
        return;
    }
    es_state_pack(demo_world_layout(), scene, 0, recorder->state, recorder->state_size);
    recorder->moved = true;
}

/* Where nothing is late for it: until half of the ring is free, or writing has failed. */
static void wait_for_room(const demo_recorder *recorder)
{
    while (recorder->waits && es_ring_used(&recorder->ring) > RING_SIZE / 2
            && atomic_load(&recorder->problem) == 0) {
        sleep_for(LOOK_NS);
    }
}

/* What fails is in the counts, here and below. */
void demo_recorder_step(demo_recorder *recorder, const es_step *step, const demo_given *given)
{
    if (recorder == NULL) {
        return;
    }
    wait_for_room(recorder);
    size_t size = demo_given_write(given, recorder->input, sizeof recorder->input);
    if (recorder->moved) {
        size = demo_given_add_state(recorder->input, size, recorder->state, recorder->state_size);
        recorder->moved = false;
    }
    recorder->tick += 1;
    recorder->step = *step;
    recorder->step.index = recorder->tick;
    (void)es_record_step(&recorder->record, &recorder->step, recorder->input, size);
}

void demo_recorder_tick(demo_recorder *recorder, const demo_scene *scene)
{
    if (recorder != NULL) {
        (void)es_record_tick(&recorder->record, &recorder->step, scene);
    }
}

/* --- what is between ticks -------------------------------------------------------------------- */

void demo_recorder_frame(demo_recorder *recorder, const es_frame_report *report)
{
    if (recorder != NULL && recorder->frames) {
        (void)es_record_frame(&recorder->record, report);
        recorder->frame += 1;
    }
}

void demo_recorder_note(demo_recorder *recorder, demo_note note)
{
    unsigned char bytes[DEMO_NOTE_SIZE];
    if (recorder == NULL || !recorder->frames) {
        return;
    }
    note.frame = recorder->frame;
    demo_note_write(&note, bytes);
    (void)es_record_event(&recorder->record, DEMO_NOTE_EVENT, bytes, sizeof bytes);
    recorder->frames = note.kind != DEMO_NOTE_THREADS;
}

static const es_clock *clock_of(const demo_recorder *recorder)
{
    return recorder->frames ? &recorder->taped : &recorder->machine;
}

static int64_t now(void *user)
{
    const es_clock *clock = clock_of(user);
    return clock->now_ns(clock->user);
}

static int64_t suspended(void *user)
{
    const es_clock *clock = clock_of(user);
    return clock->suspended_ns(clock->user);
}

static int64_t cpu(void *user)
{
    const es_clock *clock = clock_of(user);
    return clock->thread_cpu_ns(clock->user);
}

static void wait_until(void *user, int64_t deadline_ns)
{
    const es_clock *clock = clock_of(user);
    clock->wait_until(clock->user, deadline_ns);
}

es_clock demo_recorder_clock(demo_recorder *recorder, const es_clock *clock)
{
    if (recorder == NULL || !recorder->frames) {
        return *clock;
    }
    recorder->machine = *clock;
    recorder->tape = (es_tape_writer){.clock = *clock, .record = &recorder->record};
    recorder->taped = es_tape_writer_clock(&recorder->tape);
    return (es_clock){.now_ns = now,
            .wait_until = clock->wait_until != NULL ? wait_until : NULL,
            .suspended_ns = clock->suspended_ns != NULL ? suspended : NULL,
            .thread_cpu_ns = clock->thread_cpu_ns != NULL ? cpu : NULL,
            .user = recorder,
            .description = clock->description,
            .thread_cpu_is_coarse = clock->thread_cpu_is_coarse};
}
