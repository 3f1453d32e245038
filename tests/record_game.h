/* SPDX-License-Identifier: Zlib
 *
 * A small game that several tests record: no framework, so that programs without one can use it.
 */
#ifndef RECORD_GAME_H
#define RECORD_GAME_H

#include "memory_bytes.h"
#include "replay/play.h"
#include "replay/record.h"

#include <stdio.h>
#include <stdlib.h>

#include "places.h"

enum { GAME_OBJECTS = 6, GAME_MEMORY = 1 << 18 };

typedef struct game_object {
    uint8_t alive; /* and padding */
    float at[2], speed[2];
} game_object;

typedef struct game {
    game_object objects[GAME_OBJECTS];
    int64_t score;
    double energy;
    uint32_t random;
} game;

#define GAME_OF_EACH(member, type)                                                                 \
    type, ES_BLEND_STEP, ES_PLACE_OF_EACH(game, objects, member, type)

static const es_field game_fields[] = {
        {"objects.alive", GAME_OF_EACH(alive, ES_TYPE_U8), .group = 1},
        {"objects.at", GAME_OF_EACH(at, ES_TYPE_F32), .group = 1},
        {"objects.speed", GAME_OF_EACH(speed, ES_TYPE_F32), .group = 1},
        {"score", ES_TYPE_I64, ES_BLEND_STEP, ES_PLACE(game, score, ES_TYPE_I64), .group = 2},
        {"energy", ES_TYPE_F64, ES_BLEND_STEP, ES_PLACE(game, energy, ES_TYPE_F64), .group = 0},
        {"random", ES_TYPE_U32, ES_BLEND_STEP, ES_PLACE(game, random, ES_TYPE_U32), .group = 0},
};
static const es_layout game_layout = ES_LAYOUT(game, game_fields);

static inline void game_init(game *g, uint32_t seed)
{
    memset(g, 0, sizeof *g);
    g->random = seed;
    g->energy = 1.0;
    for (int i = 0; i < GAME_OBJECTS; ++i) {
        g->objects[i].alive = 1;
        g->objects[i].at[0] = (float)i;
        g->objects[i].speed[1] = 1.0F / (float)(i + 1);
    }
}

/* Depends on the state, the step and the input alone. */
static inline void game_update(
        game *g, const es_step *step, const unsigned char *input, size_t size)
{
    float dt = (float)step->dt_s;
    for (size_t k = 0; k < size; ++k) {
        game_object *o = &g->objects[input[k] % GAME_OBJECTS];
        o->speed[input[k] & 1] += (float)(int8_t)input[k] / 64.0F;
        g->score += input[k];
    }
    for (int i = 0; i < GAME_OBJECTS; ++i) {
        game_object *o = &g->objects[i];
        g->random = g->random * UINT32_C(1664525) + UINT32_C(1013904223);
        o->speed[0] += (float)(g->random >> 16 & 255) / 2560.0F - 0.05F;
        o->at[0] += o->speed[0] * dt;
        o->at[1] += o->speed[1] * dt;
        if (o->at[1] > 10.0F || o->at[1] < -10.0F) {
            o->speed[1] = -o->speed[1] * 0.75F;
            o->alive ^= 1;
        }
        g->energy = g->energy * 0.999 + (double)(o->speed[0] * o->speed[0]);
    }
}

static inline bool game_same_step(const es_step *a, const es_step *b)
{
    return a->index == b->index && a->time_ns == b->time_ns && a->dt_ns == b->dt_ns
           && a->dt_s == b->dt_s && a->in_frame == b->in_frame && a->due_ns == b->due_ns
           && a->begun_ns == b->begun_ns;
}

static inline es_step game_step(int64_t tick)
{
    es_rate rate = es__rate_make(60000, 1001);
    int64_t due_ns = (int64_t)((uint64_t)tick * 16683350); /* a fuzzer's ticks overflow */
    es_step step = {.index = tick,
            .time_ns = es_rate_time_ns(rate, tick),
            .dt_ns = es_rate_time_ns(rate, tick) - es_rate_time_ns(rate, tick - 1),
            .dt_s = es__rate_period_s(rate),
            .in_frame = (int32_t)(tick % 2),
            .due_ns = (int64_t)((uint64_t)due_ns + 5000),
            .begun_ns = (int64_t)((uint64_t)due_ns - 77)};
    return step;
}

/* What tick gets: none to three bytes. */
static inline size_t game_input(int64_t tick, unsigned char *input)
{
    uint32_t x = (uint32_t)tick * UINT32_C(2654435761);
    size_t size = x >> 30;
    for (size_t i = 0; i < size; ++i) {
        input[i] = (unsigned char)(x >> (8 * i + 3));
    }
    return size;
}

static inline es_report game_frame(int64_t index)
{
    static const es_report model = {.frame = {.interval_ns = 16666667,
                                            .previous_ns = -3,
                                            .ahead_ns = 11,
                                            .alpha = 0.375,
                                            .ticks = 2,
                                            .gap = {ES_GAP_STOPPED, 21, -22},
                                            .late_ns = 31,
                                            .account = {.frame_dropped_ns = 32,
                                                    .frame_slow_motion_ns = 33,
                                                    .frame_stretched_ns = 34,
                                                    .debt_ns = 35}},
            .ready_ns = 41,
            .submit_ns = 42,
            .shown_ns = 43,
            .source = ES_SHOWN_VIRTUAL,
            .series = 6,
            .update_work_ns = 44,
            .render_work_ns = 45};
    es_report report;
    memcpy(&report, &model, sizeof report); /* compared with its padding */
    es_frame *frame = &report.frame;
    frame->index = frame->previous_tick = index;
    frame->start_ns = index * 16666667;
    frame->present_ns = frame->start_ns + 5;
    frame->content_ns = frame->start_ns - 7;
    frame->current_tick = index + 1;
    frame->current_ns = index * 3;
    frame->newest_tick = index + 2;
    frame->newest_ns = index * 5;
    return report;
}

static const char *const game_tags[] = {"level", "3", "player", "J\xC3\xBCrgen", NULL};

static inline es__record_config game_config(es_stream sink)
{
    es__record_config config;
    memset(&config, 0, sizeof config);
    config.layout = &game_layout;
    config.stream = sink;
    config.tick_rate = es__rate_make(60000, 1001);
    config.seed = UINT64_C(0x123456789ABCDEF0);
    config.tags = game_tags;
    config.hashes = ES_RECORD_HASH_GROUPS;
    config.snapshot_every = 10;
    return config;
}

/* One tick, with its input, a frame, an event and some readings. What fails is in the counts. */
static inline void game_record_tick(es__record *record, game *g, int64_t tick)
{
    unsigned char input[4] = {0};
    size_t size = game_input(tick, input);
    es_step step = game_step(tick);
    (void)es__record_reading(record, ES__READING_NOW, tick * 16683350);
    (void)es__record_step(record, &step, input, size);
    game_update(g, &step, input, size);
    if (tick % 3 == 0) {
        (void)es__record_event(record, (uint32_t)(tick % 2), input, 3);
    }
    (void)es__record_tick(record, &step, g);
    if (tick % 2 == 0) {
        es_report report = game_frame(tick / 2);
        (void)es__record_reading(record, ES__READING_CPU, tick * 1000 - 500);
        (void)es__record_frame(record, &report);
    }
}

/* Makes a recording of a new game, and starts it. */
static inline es_result game_start(es__record *record, const es__record_config *config,
        unsigned char *memory, size_t size, game *g)
{
    game_init(g, 99);
    es_result result = es__record_init(record, config, memory, size, NULL);
    return result == ES_OK ? es__record_start(record, 0, 0, g) : result;
}

/* A whole run. states: receives those of ticks 0 to `ticks`; may be NULL. */
static inline es_result game_record_states(es__record *record, const es__record_config *config,
        unsigned char *memory, size_t size, int64_t ticks, game *states)
{
    static game g;
    es_result result = game_start(record, config, memory, size, &g);
    for (int64_t tick = 0; result == ES_OK && tick <= ticks; ++tick) {
        if (tick > 0) {
            game_record_tick(record, &g, tick);
        }
        if (states != NULL) {
            states[tick] = g;
        }
        result = es__record_counts_get(record).failed;
    }
    return es__record_end(record);
}

static inline es_result game_record(es__record *record, const es__record_config *config,
        unsigned char *memory, size_t size, int64_t ticks)
{
    return game_record_states(record, config, memory, size, ticks, NULL);
}

/* A sink that is full for a while: then it is `shut`. */
typedef struct game_valve {
    memory_sink sink;
    bool shut;
} game_valve;

static inline es_result game_write_valve(void *user, const void *bytes, size_t size)
{
    game_valve *valve = user;
    es_stream sink = memory_sink_get(&valve->sink);
    return valve->shut ? ES_ERR_FULL : sink.write(sink.user, bytes, size);
}

/* --- bytes of a recording: the checksum by its definition, bit by bit --- */

static inline uint32_t record_crc(const unsigned char *bytes, size_t size)
{
    uint32_t crc = UINT32_MAX;
    for (size_t i = 0; i < size; ++i) {
        crc ^= bytes[i];
        for (int bit = 0; bit < 8; ++bit) {
            crc = crc >> 1 ^ ((crc & 1) != 0 ? UINT32_C(0x82F63B78) : 0);
        }
    }
    return ~crc;
}

static inline uint32_t record_u32(const unsigned char *at)
{
    return (uint32_t)at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 | (uint32_t)at[3] << 24;
}

static inline void record_put_u32(unsigned char *at, uint32_t value)
{
    for (int i = 0; i < 4; ++i) {
        at[i] = (unsigned char)(value >> 8 * i);
    }
}

/* Makes both checksums of the record at `at` right again. */
static inline void record_seal(unsigned char *at)
{
    record_put_u32(at + 12, record_crc(at, 12));
    size_t size = 16 + (size_t)record_u32(at + 4);
    record_put_u32(at + size, record_crc(at, size));
}

/* A file, or its first `most` bytes. Returns how many; 0: it cannot be read, or is empty. */
static inline size_t record_read_file(const char *path, unsigned char *bytes, size_t most)
{
    FILE *in = fopen(path, "rb");
    size_t size = in != NULL ? fread(bytes, 1, most, in) : 0;
    if (in != NULL) {
        (void)fclose(in);
    }
    return size;
}

static inline bool record_write_file(const char *path, const unsigned char *bytes, size_t size)
{
    FILE *out = fopen(path, "wb");
    bool written = out != NULL && fwrite(bytes, 1, size, out) == size;
    return out != NULL && fclose(out) == 0 && written;
}

/* What play_run calls for each tick; NULL: game_update. */
typedef struct play_calls {
    int (*update)(void *user, void *state, const es_step *step, const void *input, size_t size);
    void *user;
} play_calls;

static play_calls game_calls;

/* Runs and checks ticks up to this one; INT64_MAX: all. ES_ERR_RANGE: the runs differ, which ends
 * the run unless past_divergence. */
static inline es_result play_run(
        es__playback *play, void *state, int64_t tick, bool past_divergence)
{
    while (play->tick < tick || !play->loaded) {
        es_step step;
        const void *input;
        size_t size;
        es_result result = es__playback_next(play, &step, &input, &size);
        if (result == ES_ERR_STATE && tick == INT64_MAX && play->loaded) {
            break;
        }
        if (result != ES_OK) {
            return result;
        }
        if (game_calls.update != NULL) {
            (void)game_calls.update(game_calls.user, state, &step, input, size);
        } else {
            game_update(state, &step, input, size);
        }
        if (!es__playback_check(play, state) && !past_divergence) {
            return ES_ERR_RANGE;
        }
    }
    return play->divergence.found ? ES_ERR_RANGE : ES_OK;
}

/* Goes to exactly this tick. */
static inline es_result play_seek(es__playback *play, int64_t tick, void *state)
{
    es_result result = es__playback_seek(play, tick, state);
    return result == ES_OK && play->tick < tick ? play_run(play, state, tick, false) : result;
}

static inline es__playback_config game_playback(es_stream source)
{
    es__playback_config config;
    memset(&config, 0, sizeof config);
    config.stream = source;
    config.layout = &game_layout;
    game_calls = (play_calls){0};
    return config;
}

#endif
