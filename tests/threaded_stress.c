/* SPDX-License-Identifier: Zlib
 *
 * Both threads of es_threaded at the machine's speed. Every frame must be of two adjacent ticks of one
 * generation, each written whole. The renderer pauses, changes speed and rate, sleeps, and now and
 * then joins the update thread, seeks, and starts it again.
 *
 *   threaded_stress [SECONDS [locked]]
 *
 * For about SECONDS (1); locked: with the exchange that has a lock. Runs differ, so a pass is no
 * proof; the thread sanitizer proves that the accesses of a run were ordered. Exits 1 on the first
 * fault.
 */
#include "evenstep/clock.h"
#include "evenstep/lock.h"
#include "evenstep/threaded.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WORDS = 500 };

/* All words say which tick it is. */
typedef struct world {
    int64_t tick;
    int64_t jumps;
    int64_t words[WORDS];
} world;

typedef struct run {
    es_threaded threaded;
    es_clock clock;
    es_mutex mutex;
    /* of the update thread */
    int64_t jumps;
    int64_t ticks;
    int64_t newest;
    /* of the renderer */
    int64_t starts;
} run;

static void fail(const char *what, int64_t a, int64_t b)
{
    fprintf(stderr, "threaded_stress: %s: %" PRId64 " and %" PRId64 "\n", what, a, b);
    exit(1);
}

static void write_world(run *r, world *state, int64_t tick)
{
    state->tick = tick;
    state->jumps = r->jumps;
    for (int i = 0; i < WORDS; ++i) {
        state->words[i] = tick + i;
    }
}

static void check_world(const world *state)
{
    for (int i = 0; i < WORDS; ++i) {
        if (state->words[i] != state->tick + i) {
            fail("a torn state", state->words[i] - i, state->tick);
        }
    }
}

/* --- the update thread ------------------------------------------------------------------------ */

static void seek(run *r, int64_t tick)
{
    void *state = NULL;
    if (es_threaded_tick_seek(&r->threaded, tick, &state) != ES_OK) {
        fail("a seek is refused", tick, 0);
    }
    r->jumps += 1;
    write_world(r, state, tick);
    es_threaded_tick_end(&r->threaded);
    r->newest = tick;
}

static int on_start(void *user, void *state)
{
    write_world(user, state, 0);
    return 0;
}

static int on_update(void *user, const es_threaded_tick *tick)
{
    run *r = user;
    const world *previous = tick->previous;
    check_world(previous);
    if (previous->tick + 1 != tick->step.index) {
        fail("not the tick before", previous->tick, tick->step.index);
    }
    write_world(r, tick->state, tick->step.index);
    r->ticks += 1;
    r->newest = tick->step.index;
    return 0;
}

static const es_threaded_callbacks callbacks = {.start = on_start, .update = on_update};

/* --- the frames ------------------------------------------------------------------------------- */

static void check_frame(const es_threaded_frame *shown)
{
    if (shown->status == ES_THREADED_EMPTY) {
        return;
    }
    const world *previous = shown->previous;
    const world *current = shown->current;
    check_world(previous);
    check_world(current);
    if (current->tick != shown->frame.current_tick || previous->tick != shown->frame.previous_tick
            || current->tick - previous->tick > 1 || current->tick < previous->tick) {
        fail("not a pair", previous->tick, current->tick);
    }
    if (previous->jumps != current->jumps) {
        fail("blended across a jump", previous->tick, current->tick);
    }
}

static void start(run *r)
{
    es_result result = es_threaded_start(&r->threaded, &callbacks, r);
    if (result != ES_OK) {
        fail("no thread", result, r->starts);
    }
    r->starts += 1;
}

static void join(run *r)
{
    int result = es_threaded_join(&r->threaded);
    if (result != ES_OK) {
        fail("the ticks have failed", result, r->starts);
    }
}

static void meddle(run *r, int64_t frame)
{
    const es_ratio scales[] = {{1, 1}, {1, 3}, {2, 1}};
    if (frame % 31 == 30) {
        es_threaded_pause(&r->threaded, frame % 2 == 0);
    }
    if (frame % 67 == 66) {
        es_threaded_set_time_scale(&r->threaded, scales[frame % 3]);
    }
    if (frame % 71 == 70) {
        es_threaded_ask_tick_rate(&r->threaded, es_hz(frame % 2 == 0 ? 900 : 1100));
    }
    if (frame % 101 == 100) {
        int64_t now_ns = r->clock.now_ns(r->clock.user);
        r->clock.wait_until(r->clock.user, now_ns + 20 * ES_NS_PER_MS);
    }
    if (frame % 149 == 148) {
        join(r);
        if (frame % 2 == 0) {
            seek(r, r->newest / 2);
        }
        start(r);
    }
}

/* For a minute more where a busy machine has run no ticks so far. */
static bool goes_on(const run *r, int64_t until_ns, const int64_t counts[5])
{
    int64_t more_ns = counts[ES_THREADED_INTERPOLATED] == 0 ? 60 * ES_NS_PER_S : 0;
    return r->clock.now_ns(r->clock.user) < until_ns + more_ns;
}

static void run_frames(run *r, int64_t until_ns, int64_t counts[5])
{
    for (int64_t i = 0; goes_on(r, until_ns, counts); ++i) {
        es_threaded_frame shown;
        if (es_threaded_begin(&r->threaded) != ES_OK
                || es_threaded_ready(&r->threaded, &shown) != ES_OK) {
            fail("a frame is refused", i, 0);
        }
        check_frame(&shown);
        counts[shown.status] += 1;
        es_threaded_submit(&r->threaded);
        es_threaded_end(&r->threaded);
        meddle(r, i);
    }
}

int main(int argc, char **argv)
{
    static run r;
    int64_t counts[5] = {0};
    int64_t seconds = argc > 1 ? strtoll(argv[1], NULL, 10) : 1;
    if (es_clock_system(&r.clock) != ES_OK || es_mutex_init(&r.mutex) != ES_OK) {
        return 77;
    }
    es_threaded_config config = {0};
    config.loop.clock = r.clock;
    config.loop.tick_rate = es_hz(1000);
    config.loop.pace = ES_PACE_ADAPTIVE;
    config.loop.interval_ns = 700 * ES_NS_PER_US;
    config.state_size = sizeof(world);
    if (argc > 2 && strcmp(argv[2], "locked") == 0) {
        config.kind = ES_EXCHANGE_LOCKED;
        config.lock = es_mutex_get(&r.mutex);
    }
    size_t size = es_threaded_memory_size(&config);
    void *memory = malloc(size);
    es_error error = {0};
    if (memory == NULL || es_threaded_init(&r.threaded, &config, memory, size, &error) != ES_OK) {
        fail(error.field != NULL ? error.field : "no memory", 0, 0);
    }
    start(&r);
    run_frames(&r, r.clock.now_ns(r.clock.user) + seconds * ES_NS_PER_S, counts);
    join(&r);
    printf("threaded_stress: %s: %" PRId64 " starts, %" PRId64 " ticks; frames: %" PRId64
           " interpolated, %" PRId64 " held, %" PRId64 " in gaps, %" PRId64 " empty\n",
            config.kind == ES_EXCHANGE_LOCKED ? "locked" : "wait-free", r.starts, r.ticks,
            counts[ES_THREADED_INTERPOLATED], counts[ES_THREADED_HELD], counts[ES_THREADED_GAP],
            counts[ES_THREADED_EMPTY]);
    free(memory);
    es_mutex_destroy(&r.mutex);
    return counts[ES_THREADED_INTERPOLATED] > 0 && r.ticks > 0 ? 0 : 1;
}
